"""What works today, on a sample project: read, a transaction, a crash, edits, checks, the way back."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from suture import Edit, Span, Text, Workspace
from suture.testing import FaultyFS, LocalFS

if TYPE_CHECKING:
    from collections.abc import Callable

FILES = {
    "src/greet.py": 'def greet(name):\n    hello = "Hello "\n    name = name.strip()\n    return hello + name\n',
    "src/old_name.py": "ANSWER = 42\n",
    "notes.txt": "first line\r\nsecond line\r\n",
    "todo.txt": "write a demo\n",
}


NAME = r"(?<!from )\bgreet\b(?! again)"


def main() -> None:
    """Run the demo, or, with a folder as argument, the part of it that is killed."""
    if len(sys.argv) > 1:
        crash(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as state:
        os.environ["XDG_STATE_HOME"] = state  # the demo's history is not kept
        root = Path(folder)
        write_sample(root)
        workspace = Workspace(root)

        title("A file, as a model reads it")
        print(workspace.file_read("src/greet.py").text)
        title("The same for a file that is not there: the answer says what to do")
        print(workspace.file_read("src/great.py").text)

        title("The sample project")
        show(root)
        title("A process begins a transaction over five files and is killed (SIGKILL) while publishing")
        killed = subprocess.run([sys.executable, __file__, folder], check=False).returncode
        print(f"the process ended with signal {-killed}; this is what it left behind:")
        show(root)
        title("The next call, any call, clears up: all five files are as they were")
        print(workspace.file_read("notes.txt").text)
        show(root)

        title("The same transaction, undisturbed: all five files change together")
        print(f"landed as change {change_five_files(workspace)}")
        show(root)
        print("The CRLF endings of notes.txt are still there.")

        correct(workspace)
        patch(workspace)
        rename(root, workspace)
        apply(root, workspace)
        keep_whole(workspace)
        take_back(root, workspace)
        through_mcp(folder)
        print("\nNext: README.md, ARCHITECTURE.md, `suture --help`; `suture init` puts it into your agent.")


def correct(workspace: Workspace) -> None:
    """An edit that is refused, the correction that the answer offers, and the way back."""
    title("An edit whose text is not quite the file's is refused, and the answer says what differs")
    old = "\thello = \u201cGood day, \u201d\n\tname = name.strip()\n"
    edit = {"old_text": old, "new_text": old.replace("strip()", "strip().title()")}
    print(f"file_edit src/greet.py {json.dumps(edit, ensure_ascii=False)}\n")
    refused = workspace.file_edit("src/greet.py", [edit])
    print(refused.text)
    title("The correction that it offers, sent back unread, lands")
    correction = json.loads(refused.metadata["suggested_fixes"][0]["example"])
    print(workspace.file_edit("src/greet.py", [correction]).text)
    title("Undo takes it back")
    print(workspace.undo().text.split("\n")[0])


def through_mcp(folder: str) -> None:
    """An edit that is refused at first, by an MCP client that knows nothing but the server's answers."""
    import anyio
    from mcp import Client, StdioServerParameters

    async def edit() -> None:
        command = [sys.executable, "-m", "suture", "mcp", "--root", folder]
        server = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
        async with Client(server) as client:
            tools = (await client.list_tools()).tools
            print(f"suture offers {len(tools)} tools: {', '.join(tool.name for tool in tools)}")
            old = "\treturn hello + name + \u201c.\u201d\n"
            first = {"old_text": old, "new_text": old.replace(".", "!")}
            refused = await client.call_tool("file_edit", {"path": "src/greet.py", "edits": [first]})
            correction = refused.structured_content["suggested_fixes"][0]["example"]
            print(f"refused, with a correction: {correction}")
            landed = await client.call_tool("file_edit", {"path": "src/greet.py", "edits": [json.loads(correction)]})
            print(getattr(landed.content[0], "text", ""))

    title("The same through MCP, as an agent does it: `suture mcp`")
    anyio.run(edit)


def patch(workspace: Workspace) -> None:
    """A patch that is indented otherwise than the file, one that fits twice, and a cut-and-paste."""
    title("A patch whose text lost its indentation lands where it was meant, indented as the file is")
    old = "hello = 'Good day, '\nname = name.strip()\n".replace("'", '"')
    ask(workspace, "src/greet.py", {"oldText": old, "newText": f"{old}if not name:\n    return hello\n"})
    title("A patch whose text stands twice changes nothing, and says where")
    ask(workspace, "src/greet.py", {"oldText": "return", "newText": "yield"})
    title("A line is cut from one file and pasted into another, without its indentation")
    ask(workspace, "src/greet.py", {"oldText": "    name = name.strip()\n", "newText": "", "toClipboard": "line"})
    paste = {"operation": "append_eof", "fromClipboard": "line", "reindent": {"strip": "    "}}
    ask(workspace, "docs/guide.md", paste)


def keep_whole(workspace: Workspace) -> None:
    """An edit that would break a file, the one that does not, and the same gate before another tool."""
    title("An edit that would break the program is checked before it is written, and rejected")
    broken = {"search": "hello + name", "replace": "hello + nmae.title()"}
    print(workspace.safe_edit("src/greet.py", search_replace=broken).text)
    title("Mended, it is written")
    mended = {"search": "hello + name", "replace": "hello + name.title()"}
    print(workspace.safe_edit("src/greet.py", search_replace=mended, show_diff=False).text)
    workspace.undo()
    title("Any editing tool can be asked to check first; JSON, YAML, TOML, XML and 30 languages are known")
    with workspace.transaction("settings") as tx:
        tx.create("settings.json", '{\n  "color": "red",\n  "size": 3\n}\n')
    edit = {"old_text": '"size": 3', "new_text": '"size": 3,'}
    print(workspace.file_edit("settings.json", [edit], validate="strict").text)


def ask(workspace: Workspace, path: str, wanted: dict[str, Any]) -> None:
    """Apply one patch; print the request, the result and the diff."""
    print(f"patch {path}")
    for name, value in wanted.items():
        first, *rest = str(value).removesuffix("\n").split("\n")
        print("\n".join([f"  {name:14} | {first}", *(f"  {'':14} | {line}" for line in rest)]))
    result = workspace.call("patch", {"path": path, "patches": [wanted]})
    print(f"{result.text}\n{result.metadata.get('display', {}).get('diff', '')}")


def rename(root: Path, workspace: Workspace) -> None:
    """A name in several files: searched for, replaced in a preview, then really, and taken back."""
    with workspace.transaction("two callers") as tx:
        tx.create("src/app.py", "from greet import greet\n\nprint(greet(input()))\n")
        tx.create("docs/usage.md", "Call `greet` with a name.\r\nThen greet again.\r\n")
    title("Where a name stands, in all files: `suture search`")
    command(root, "search", NAME)
    title("Renamed in all of them: shown, and nothing written, unless --write says so")
    command(root, "replace", NAME, "welcome", "src", "docs")
    title("The same with --write is one change over three files")
    command(root, "replace", NAME, "welcome", "src", "docs", "--write")
    title("One undo takes it back everywhere")
    print(workspace.undo().text.split("\n")[0])


REPLY = """\
I'll make the greeting configurable, and say so in the notes.

### File: src/greet.py
<<<<<<< SEARCH
def greet(name):
=======
def greet(name, hello="Good day, "):
>>>>>>> REPLACE

<<<<<<< SEARCH
    hello = "Good evening, "
=======
>>>>>>> REPLACE

```diff
--- a/notes.txt
+++ b/notes.txt
@@ ... @@
 2nd line
+greet() takes a greeting
```

*** Begin Patch
*** Add File: docs/changes.md
+# Changes
+
+- `greet` takes a greeting.
*** End Patch
"""


def apply(root: Path, workspace: Workspace) -> None:
    """A model's reply over three files, in three formats, with one block that is stale; then the same, mended."""
    title("A model's reply: three files, three formats, one block that knows an older file")
    print("\n".join(f"  | {line}" for line in REPLY.split("\n")))
    print(workspace.apply_reply(REPLY).text)
    title("The answer says what to send again; mended, it lands: `suture apply`")
    stale = REPLY.split("<<<<<<< SEARCH")[2].partition("```diff")[0]
    (root / "reply.md").write_text(f"src/greet.py\n<<<<<<< SEARCH{stale.replace('evening', 'day')}")
    command(root, "apply", str(root / "reply.md"))


def command(root: Path, *words: str) -> None:
    """Run `suture` in the sample project, and print what was typed."""
    print(f"$ suture {shlex.join(words)}")
    sys.stdout.flush()
    subprocess.run([sys.executable, "-m", "suture", *words, "--root", str(root)], check=True)


def take_back(root: Path, workspace: Workspace) -> None:
    """Two edits of one file; the first is undone, the second stays; then it is done again."""
    title("Two edits of one file, one after the other")
    first = edit_greeting(workspace, "greet in Latin", "Good day, ", "Salve, ")
    edit_greeting(workspace, "add a full stop", "+ name", '+ name + "."')
    print((root / "src/greet.py").read_text())
    title("Undo the first of them: the second is kept")
    print(workspace.undo(first).text)
    title("Redo it")
    print(workspace.redo().text)
    title("Everything is recorded: `suture log`")
    command(root, "log", "--limit", "4")


def edit_greeting(workspace: Workspace, summary: str, old: str, new: str) -> str:
    """Change src/greet.py; returns the change's id."""
    with workspace.transaction(summary) as tx:
        tx.edit("src/greet.py", replacing(old, new))
    return tx.change.id if tx.change else "none"


def change_five_files(workspace: Workspace) -> str:
    """One transaction: edit two files, create, delete and rename one each."""
    with workspace.transaction("greet politely") as tx:
        tx.edit("src/greet.py", replacing("Hello ", "Good day, "))
        tx.edit("notes.txt", replacing("second", "2nd"))
        tx.create("docs/guide.md", "# Guide\n")
        tx.delete("todo.txt")
        tx.rename("src/old_name.py", "src/answer.py")
    return tx.change.id if tx.change else "none"


def replacing(old: str, new: str) -> Callable[[Text], list[Edit]]:
    """A function that finds the one place where `old` stands, in whatever the file then says."""

    def edits(text: Text) -> list[Edit]:
        at = text.body.index(old.encode())
        return [Edit(Span(at, at + len(old)), text.body_bytes(new))]

    return edits


def crash(folder: str) -> None:
    """Begin the transaction and die at the second rename of the publishing phase."""

    def kill(number: int, _: str) -> None:
        if number == 2:  # noqa: PLR2004  the second
            os.kill(os.getpid(), signal.SIGKILL)

    change_five_files(Workspace(folder, fs=FaultyFS(LocalFS(), only={"rename"}, on_call=kill)))


def write_sample(root: Path) -> None:
    """Write the sample project."""
    for name, content in FILES.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_bytes(content.encode())


def show(root: Path) -> None:
    """Print every file with its content, in one line each."""
    for path in sorted(root.rglob("*")):
        if path.is_file():
            content = repr(path.read_bytes().decode())
            print(f"  {path.relative_to(root)!s:34} {content if len(content) < 60 else content[:57] + '...'}")  # noqa: PLR2004


def title(words: str) -> None:
    """Print a heading, bold on a terminal."""
    sys.stdout.flush()
    bold, plain = ("\033[1m", "\033[0m") if sys.stdout.isatty() and "NO_COLOR" not in os.environ else ("", "")
    print(f"\n{bold}{words}{plain}")


if __name__ == "__main__":
    main()
