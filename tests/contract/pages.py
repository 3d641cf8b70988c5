"""A page of the documentation and its examples: each is run, and must print what the page shows.

    ```console      `$ ` begins a command, `> ` continues it; the lines after it are its whole output
    ```python       a script; the block after it, if it is text, json or diff, is its whole output
    <!-- file: NAME -->       the block below is written to that file
    <!-- not run: REASON -->  the block below is only shown

All blocks of a page run in one folder, which contains `FILES` at first, and each block of commands in one shell. Stdout
and stderr are combined, as in a terminal. A line `...` stands for any number of lines. Times and durations may differ,
and so may ids, but a page shows the same id wherever the same one is printed, and only there. The folder's parent,
which is the home folder, is shown as `~`, and the folder with the programs as `~/venv/bin`. Any other block is a
mistake. The `suture` that runs is that of this checkout.

    python -m tests.contract.pages [--write] PAGE...

runs pages by hand, and with `--write` puts in what was printed.
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
from difflib import unified_diff
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
GENERATED = tuple(DOCS / "reference" / f"{name}.md" for name in ("tools", "commands", "settings", "errors"))
NOT_RUN = {"_build", "adr", "spec"}
GREET = "def greet(name):\n    name = name.strip()\n    return 'Hello ' + name\n"
FILES = {"greeting.txt": "hello world\n", "draft.md": "# Draft\n", "obsolete.txt": "old\n", "greet.py": GREET}
SECONDS = 60
OUTPUTS = {"text", "json", "diff"}
FENCE = re.compile(r"^( *)(`{3,})([^`]*)$")
COMMENT = re.compile(r"^ *<!-- (file|not run): *(.*?) *-->$")
ID = re.compile(r"\b[0-9a-z]{15}\b")
CHANGING = (
    (re.compile(r"\b[0-9a-z]{15}-[0-9a-f]+-(?=\d)"), "<id>-<root>-"),
    (ID, "<id>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d(?:[T ][0-9:.]+Z?)?"), "<time>"),
    (re.compile(r"\bBearer \S+"), "Bearer <token>"),
    (re.compile(r"\b(?:just now|(?:\d+|an?) (?:second|minute|hour|day)s? ago)\b"), "<time>"),
    (re.compile(r"\b\d+(?:\.\d+)? ?(?:µs|ms|s|seconds?)\b"), "<duration>"),
)


class Block(NamedTuple):
    """A fenced block: its language, its lines, the number of its first line, and the comment above it."""

    language: str
    lines: list[str]
    line: int
    comment: str = ""
    """`file`, `not run`, or empty."""
    about: str = ""
    """The rest of the comment."""

    @property
    def text(self) -> str:
        """Its content."""
        return "".join(f"{line}\n" for line in self.lines)


class Step(NamedTuple):
    """A command as shown, or a script; the output that the page shows for it, and its first line."""

    command: str
    line: int
    shown: list[str]
    shown_line: int


class Mistake(NamedTuple):
    """An example that does not do what the page shows."""

    line: int
    what: str
    step: Step | None = None
    printed: tuple[str, ...] = ()


class Ids:
    """The ids that a page shows, each for one that its examples print."""

    def __init__(self) -> None:
        self._shown: dict[str, str] = {}  # by the printed one

    def translate(self, lines: list[str]) -> list[str]:
        """Printed lines with the page's ids. An id that it does not show yet is now shown as it is."""
        return [ID.sub(lambda match: self._shown.setdefault(match[0], match[0]), line) for line in lines]

    def agree(self, shown: str, printed: str) -> bool:
        """Whether the ids of a shown line match those of the printed one. New ones are added."""
        for shown_id, printed_id in zip(ID.findall(shown), ID.findall(printed), strict=True):
            if self._shown.get(printed_id, shown_id) != shown_id or (
                printed_id not in self._shown and shown_id in self._shown.values()
            ):
                return False
            self._shown[printed_id] = shown_id
        return True


def pages() -> list[Path]:
    """Every page of docs/ whose examples are run."""
    paths = (path for path in sorted(DOCS.rglob("*.md")) if path.relative_to(DOCS).parts[0] not in NOT_RUN)
    return [path for path in paths if path not in GENERATED]


def run_page(path: Path, folder: Path) -> None:
    """Run all examples of a page in an empty folder; an AssertionError lists all that are wrong."""
    wrong = mistakes(path.read_text("utf-8"), folder)
    name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    assert not wrong, "\n\n".join(f"{name}:{mistake.line}: {mistake.what}" for mistake in wrong)


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a page, without Sphinx directives. Raises ValueError if one does not end."""
    result: list[Block] = []
    kind = about = ""
    lines = enumerate(text.split("\n"), 1)
    for number, line in lines:
        if opening := FENCE.match(line):
            indent, fence, language = opening.groups()
            content: list[str] = []
            for _, inner in lines:
                if inner.strip(" `") == "" and inner.strip().startswith(fence):
                    break
                content.append(inner.removeprefix(indent))
            else:
                raise ValueError(f"line {number}: the block does not end")
            if not language.startswith("{"):
                result.append(Block(language.strip(), content, number + 1, kind, about))
            kind = about = ""
        elif comment := COMMENT.match(line):
            kind, about = comment.groups()
        elif line.strip() and kind:
            raise ValueError(f"line {number}: a comment ({kind}: {about}) that is above no block")
    return result


def mistakes(text: str, folder: Path) -> list[Mistake]:
    """All that is wrong with the examples of a page."""
    try:
        page_blocks = blocks(text)
    except ValueError as error:
        return [Mistake(1, str(error))]
    home = folder.resolve()
    project = home / "project"
    project.mkdir()
    operator = home / "config" / "suture" / "suture.toml"
    operator.parent.mkdir(parents=True)
    operator.write_text("[settings]\nbase_ms = 60000\n")  # a busy machine finds the same earlier versions
    for name, content in FILES.items():
        (project / name).write_text(content)
    wrong: list[Mistake] = []
    ids = Ids()
    previous: Block | None = None
    for block, after in zip(page_blocks, [*page_blocks, None][1:], strict=True):
        if block.comment == "file":
            (project / block.about).parent.mkdir(parents=True, exist_ok=True)
            (project / block.about).write_text(block.text, "utf-8")
        elif block.comment == "not run":
            if not block.about:
                wrong.append(Mistake(block.line, "say why it is not run: <!-- not run: REASON -->"))
        elif block.language == "console":
            wrong += _console(block, project, ids)
        elif block.language == "python":
            output = after if after and not after.comment and after.language in OUTPUTS else None
            wrong += _script(block, output, project, ids)
        elif not (previous and not previous.comment and previous.language == "python" and block.language in OUTPUTS):
            what = f"a block of {block.language or 'no language'} that is neither run nor an output; say what it is: "
            wrong.append(Mistake(block.line, what + "<!-- file: NAME --> or <!-- not run: REASON -->"))
        previous = block
    return wrong


def steps(block: Block) -> list[Step]:
    """The commands of a block, with the output shown for each."""
    result: list[Step] = []
    begins = [at for at, line in enumerate(block.lines) if line.startswith("$ ")]
    for at, end in pairwise([*begins, len(block.lines)]):
        output = at + 1
        while output < end and (block.lines[output] == ">" or block.lines[output].startswith("> ")):
            output += 1
        result.append(
            Step("\n".join(block.lines[at:output]), block.line + at, block.lines[output:end], block.line + output)
        )
    return result


def _console(block: Block, project: Path, ids: Ids) -> list[Mistake]:
    page_steps = steps(block)
    if not page_steps or page_steps[0].line != block.line:
        return [Mistake(block.line, "a console block begins with `$ ` and a command")]
    mark = f"--{os.urandom(8).hex()}--"
    function = f"told() {{ local status=$?; echo; echo {mark}; return $status; }}"
    script = "\n".join([function, *(f"{_without_prompts(step.command)}\ntold" for step in page_steps)])
    out, _ = _run(["bash", "--norc", "--noprofile", "-c", script], project)
    outputs = out.split(f"\n{mark}\n")
    if len(outputs) != len(page_steps) + 1:
        last = page_steps[min(len(outputs) - 1, len(page_steps) - 1)]
        return [Mistake(last.line, f"{last.command}\nended the shell, or is incomplete:\n{outputs[-1]}")]
    return [wrong for step, printed in zip(page_steps, outputs, strict=False) for wrong in _compare(step, printed, ids)]


def _without_prompts(command: str) -> str:
    """A command without the shell's prompts."""
    return "\n".join(line[2:] for line in command.split("\n"))


def _script(block: Block, output: Block | None, project: Path, ids: Ids) -> list[Mistake]:
    printed, code = _run([sys.executable, "-c", block.text], project)
    if code:
        return [Mistake(block.line, f"the script failed:\n{printed}")]
    if output is None:
        what = f"the script prints something, show it in a block of text below:\n{printed}"
        return [Mistake(block.line, what)] if printed else []
    name = f"the script at line {block.line}"
    return _compare(Step(name, output.line, output.lines, output.line), printed, ids)


def _compare(step: Step, printed: str, ids: Ids) -> list[Mistake]:
    lines = [line.rstrip() for line in printed.removesuffix("\n").split("\n")] if printed else []
    shown = [line.rstrip() for line in step.shown]
    pairs = match_lines(shown, lines)
    if pairs is not None:
        if all(ids.agree(*pair) for pair in pairs):
            return []
        printed_lines = (line for _, line in pairs)
        lines = [line if line == "..." else next(printed_lines) for line in shown]
    lines = ids.translate(lines)
    if pairs is None:
        shown, actual = ([anonymize(line) for line in side] for side in (shown, lines))
    else:
        actual = lines  # only ids differ
    difference = unified_diff(shown, actual, "shown", "printed", lineterm="", n=1000)
    return [Mistake(step.line, "\n".join([step.command, *difference]), step, tuple(lines))]


def match_lines(shown: list[str], printed: list[str]) -> list[tuple[str, str]] | None:
    """The lines shown, each with its printed line, where `...` stands for any number of lines; None if one differs."""
    fixed = [line for line in shown if line != "..."]
    pattern = "".join(r"(?:.*\n)*" if line == "..." else f"({re.escape(anonymize(line))}\n)" for line in shown)
    text = "".join(f"{anonymize(line)}\n" for line in printed)
    if (match := re.fullmatch(pattern, text)) is None:
        return None
    starts = [match.start(number) for number in range(1, len(fixed) + 1)]
    return [(line, printed[text.count("\n", 0, start)]) for line, start in zip(fixed, starts, strict=True)]


def anonymize(text: str) -> str:
    """The text with ids and times replaced, so that it does not differ from run to run."""
    for pattern, name in CHANGING:
        text = pattern.sub(name, text)
    return text


def _run(command: list[str], project: Path) -> tuple[str, int]:
    """The output of a program on both streams, and its exit code; a timeout kills it with all processes it started."""
    programs = Path(sys.executable).parent
    home = project.parent
    env = {
        "PATH": os.pathsep.join((str(programs), os.environ["PATH"])),
        "HOME": str(home),
        "XDG_STATE_HOME": str(home / "state"),
        "XDG_CONFIG_HOME": str(home / "config"),
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(ROOT / "src"),
        "PYTHONUNBUFFERED": "1",  # the two streams in the order in which they were written
        **({"TMPDIR": os.environ["TMPDIR"]} if "TMPDIR" in os.environ else {}),
    }
    with subprocess.Popen(
        command,
        cwd=project,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            out, _ = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, _ = process.communicate()
            out += f"(ended after {SECONDS} s)\n".encode()
    text = out.decode("utf-8", "replace")
    return text.replace(str(programs), "~/venv/bin").replace(str(home), "~"), process.returncode


def rewrite(text: str, wrong: list[Mistake]) -> str:
    """The page with the actual output in place of the shown one, where the two differ."""
    lines = text.split("\n")
    for mistake in reversed(wrong):
        if mistake.step is not None:
            at = mistake.step.shown_line - 1
            above = lines[at - 1]
            indent = above[: len(above) - len(above.lstrip(" "))]
            lines[at : at + len(mistake.step.shown)] = [f"{indent}{line}".rstrip() for line in mistake.printed]
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Run pages by hand."""
    write = "--write" in arguments
    remaining = 0
    for name in arguments:
        if name == "--write":
            continue
        path = Path(name)
        text = path.read_text("utf-8")
        with tempfile.TemporaryDirectory() as folder:
            wrong = mistakes(text, Path(folder))
        if write and wrong:
            path.write_text(rewrite(text, wrong), "utf-8")
        for mistake in wrong:
            sys.stdout.write(f"{name}:{mistake.line}: {mistake.what}\n\n")
        shown = sum(block.comment == "not run" for block in blocks(text))
        sys.stdout.write(f"{name}: {len(wrong)} {'corrected' if write else 'wrong'}, {shown} not run\n")
        remaining += 0 if write else len(wrong)
    return int(remaining > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
