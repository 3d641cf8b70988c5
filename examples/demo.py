"""What suture does, on a sample project in a temporary folder: eight short scenes, then where to go next.

The commands are real; each scene shows only the relevant lines of their output. Nothing is left behind.
"""

from __future__ import annotations

import io
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from suture import Workspace
from suture.cli.output import colored
from suture.testing import FaultyFS, LocalFS

SUTURE = (sys.executable, "-m", "suture")
FILES = {
    "src/cart.py": """\
TAX = 1.25


def total(prices, member=False):
    net = sum(prices)
    if member:
        net *= 0.9
    return net * TAX
""",
    "src/bill.py": """\
from cart import total


def bill(prices):
    print(total(prices))
""",
    "docs/usage.md": "Call `total` with a list of prices.\r\nPrices exclude tax.\r\n",
}
REPLY = """\
This prints cents:
src/bill.py
<<<<<<< SEARCH
print(due(prices))
=======
print(f"{due(prices):.2f}")
>>>>>>> REPLACE
--- a/docs/usage.md
+++ b/docs/usage.md
@@ -2 +2 @@
-Prices include tax.
+Prices include tax, in euros.
*** Begin Patch
*** Add File: CHANGES.md
+Bills show cents.
*** End Patch"""
NEXT = """\
docs/tutorial.md   ten minutes
suture init        add it to your agent
suture --help      all commands
docs/              how-to, reference, promises"""


def main() -> None:
    """Run the demo or, with a folder as argument, the part of it that is killed."""
    if len(sys.argv) > 1:
        rename_until_killed(sys.argv[1])
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8")  # like the commands, whatever the locale
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as state:
        os.environ.update(XDG_STATE_HOME=state, XDG_CONFIG_HOME=state)  # the demo's history is not kept
        root = Path(folder)
        write_sample(root)
        print("Real commands on a sample project; only the relevant output is shown.")
        refuse_and_correct(root)
        patched = forgive(root)
        check_first(root)
        crash(root)
        rename(root)
        apply(root)
        undo_and_redo(root, patched)
        through_mcp(root)
    title("Next")
    print(NEXT)


def write_sample(root: Path) -> None:
    """Write the sample project."""
    for name, content in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(content.encode())


def refuse_and_correct(root: Path) -> None:
    """An edit that is refused, and the correction that the answer offers."""
    title("1. An edit that does not match comes back corrected", "file_edit")
    wanted = ("edit", "src/cart.py", "--old", "TAX=1.25", "--new", "TAX=1.20")
    output = suture(root, *wanted, show=("NO_MATCH", "Difference: Extra space after 'TAX'", "1. Type"))
    correction = output.partition("1. Type")[2].partition("\n")[0].partition(": suture ")[2]
    suture(root, *shlex.split(correction), show=("-TAX", "+TAX"))


def forgive(root: Path) -> str:
    """A patch without indentation, and one that matches twice; returns the id of the first change."""
    title("2. A patch may differ a little, but suture never guesses", "patch")
    old = "if member:\n    net *= 0.9"
    patch = {"oldText": old, "newText": old.replace("0.9", "0.8")}
    landed = suture(root, "patch", "src/cart.py", json.dumps(patch), show=("patches[0]", "-  ", "+  "))
    ambiguous = {"oldText": "prices", "newText": "amounts"}
    suture(root, "patch", "src/bill.py", json.dumps(ambiguous), show=("OLD_TEXT_NOT_UNIQUE",))
    return change_in(landed)


def check_first(root: Path) -> None:
    """An edit that would break a program."""
    title("3. An edit that would break a file is refused", "safe_edit")
    wanted = ("--lines", "8", "--new", "    return (net * TAX")
    suture(root, "edit", "src/cart.py", *wanted, show=("VALIDATION_FAILED", "src/cart.py:"))


def crash(root: Path) -> None:
    """A change of three files that is killed halfway, and the next call, which recovers from it."""
    title("4. Killed halfway through three files: the next call rolls back")
    before = contents(root)
    print(colored("cyan", r'>>> workspace.regex_replace_multi("**/*", r"\btotal\b", "due")'), flush=True)
    signaled = -subprocess.run([sys.executable, __file__, str(root)], check=False).returncode
    after = contents(root)
    changed = sum(after.get(name) != content for name, content in before.items())
    stray = len(after.keys() - before.keys())
    print(f"killed by signal {signaled}: {changed} of {len(before)} files changed, {stray} stray files")
    suture(root, "read", "docs/usage.md", show=("note:",))
    print(f"every byte restored: {contents(root) == before}")


def rename_until_killed(folder: str) -> None:
    """Rename in three files, and die before the second one is published."""

    def kill(number: int, _: str) -> None:
        if number == 2:  # noqa: PLR2004  the second
            os.kill(os.getpid(), signal.SIGKILL)

    workspace = Workspace(folder, fs=FaultyFS(LocalFS(), only={"rename"}, on_call=kill))
    workspace.regex_replace_multi("**/*", r"\btotal\b", "due")


def rename(root: Path) -> None:
    """Rename something in all files, as one change."""
    title("5. The same without the kill: one change to three files", "regex_replace_multi and others")
    suture(root, "replace", r"\btotal\b", "due", "--write", show=("Made",))


def apply(root: Path) -> None:
    """A model's reply with changes to three files in three formats; one block does not match."""
    title("6. A model's whole reply, with three formats", "apply_reply")
    (root / "reply.md").write_text(REPLY)
    print("\n".join(colored("faint", f"  {line}") for line in REPLY.split("\n")))
    suture(root, "apply", "reply.md", show=("✓", "✗", "Applied", "Difference"))


def undo_and_redo(root: Path, change: str) -> None:
    """An early change is undone, and later changes are kept; then it is redone."""
    title("7. Any change can be undone; later changes are kept", "undo, redo, history")
    undone = suture(root, "undo", change, show=("Undid",))
    redone = suture(root, "redo", show=())  # the log shows it
    suture(root, "log", "--limit", "2", show=(change_in(undone), change_in(redone)))


def through_mcp(root: Path) -> None:
    """What an agent sees: the tools, and a tool's answer."""
    title("8. Agents get all of this over MCP")
    print(colored("cyan", "$ suture mcp"), flush=True)
    client = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "demo", "version": "1"}}
    edit = {"file_path": "docs/usage.md", "old_string": "Prices", "new_string": "All prices"}
    messages: list[dict[str, object]] = [
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
        {"id": 3, "method": "tools/call", "params": {"name": "edit", "arguments": edit}},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **message}) + "\n" for message in messages)
    process = subprocess.run(
        [*SUTURE, "mcp"], cwd=root, input=lines, capture_output=True, encoding="utf-8", check=False
    )
    if process.returncode:
        print(process.stderr.strip())  # says what to install
        return
    answers = {answer["id"]: answer["result"] for answer in map(json.loads, process.stdout.strip().split("\n"))}
    names = [tool["name"] for tool in answers[2]["tools"]]
    print(f"tools/list            {len(names)} tools: {', '.join(names[:3])}, …")
    first, *_ = answers[3]["content"][0]["text"].split("\n")
    print(f"tools/call edit       {first}")


def suture(root: Path, *words: str, show: tuple[str, ...]) -> str:
    """Run a command; print it, and the lines of its output that begin with a text in `show`; returns the output."""
    print(colored("cyan", f"$ {shlex.join(('suture', *words))}"), flush=True)
    colors = {"FORCE_COLOR": "1"} if colored("bold", "colors") != "colors" else {"NO_COLOR": "1"}
    process = subprocess.run(
        [*SUTURE, *words],
        cwd=root,
        env={**os.environ, **colors},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    for line in process.stdout.split("\n"):
        if without_colors(line).lstrip().startswith(show):
            print(line)
    return without_colors(process.stdout)


def without_colors(text: str) -> str:
    """A text without escape codes."""
    return re.sub(r"\033\[[0-9;]*m", "", text)


def change_in(output: str) -> str:
    """The id of the change in a command's output."""
    return output.partition(" as change ")[2].split()[0].rstrip(".;")


def contents(root: Path) -> dict[str, bytes]:
    """Every file of the project."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def title(words: str, tools: str = "") -> None:
    """Print the title of a scene, and the tools that it shows."""
    print(f"\n{colored('bold', words)}{colored('faint', f'  [{tools}]' * bool(tools))}")


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:  # the reader has seen enough
        sys.stdout = None
