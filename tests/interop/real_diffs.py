"""Real files, realistic second versions of them, and git's diffs between the two."""

import os
import re
import subprocess
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

Tree = dict[str, bytes]
SUFFIXES = (".py", ".py", ".py", ".h", ".pyi", ".txt", ".md", ".rst", ".json", ".toml", ".c")
MOST = 1_200
"""The maximum number of lines taken from a file."""
HEADER = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


class Hunk(NamedTuple):
    """A hunk of git's diff: its first line in the old file, and its old and new lines."""

    at: int
    old: list[str]
    new: list[str]


def git(folder: Path, *arguments: str, diff: str = "") -> str:
    """Run git without any user settings."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    data = diff.encode("utf-8", "surrogateescape")
    process = subprocess.run(
        ["git", *arguments], input=data, cwd=folder, env=environment, capture_output=True, check=False
    )
    assert (process.returncode, process.stderr) == (0, b""), process.stderr.decode("utf-8", "replace")[:2000]
    return process.stdout.decode("utf-8", "surrogateescape")


@cache
def files(suffix: str) -> list[Path]:
    """Files of the installed packages and of Python."""
    return [path for path in _all_files() if path.suffix == suffix and 0 < path.stat().st_size < 200_000]


@cache
def _all_files() -> list[Path]:
    roots = {sysconfig.get_path(name) for name in ("purelib", "stdlib", "include")}
    walks = (walk for root in roots for walk in os.walk(root))
    return sorted({Path(folder, name) for folder, _, names in walks for name in names if name.endswith(SUFFIXES)})


def a_file(random: Random, suffix: str) -> list[str]:
    """The lines of a real file; of a long one, some of them."""
    while True:
        raw = random.choice(files(suffix)).read_bytes()
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            continue
        if "\0" in text or "\r" in text or text.startswith("\ufeff"):
            continue
        lines = text.split("\n")
        at = random.randrange(max(1, len(lines) - MOST))
        result = [f"{line}\n" for line in lines[at : at + MOST]]
        if not lines[-1] and at + MOST >= len(lines):
            result.pop()
        return result


def second_version(random: Random, lines: list[str], others: list[str]) -> list[str]:
    """A second version of a file, with new lines from another file."""
    result = list(lines)
    for _ in range(random.choice([1, 1, 2, 3, 5, 10])):
        at = random.choice([0, len(result), *(random.randrange(len(result) + 1) for _ in range(6))])
        other, count = random.randrange(len(result) + 1), random.choice([1, 1, 2, 3, 8, 25])
        source = random.randrange(len(others) + 1)
        match random.choice("change insert insert delete copy move indent blank blank swap".split()):
            case "change":
                result[at : at + count] = [_change(random, line) for line in result[at : at + count]]
            case "insert":
                result[at:at] = others[source : source + count]
            case "delete":
                del result[at : at + count]
            case "copy":
                result[at:at] = result[other : other + count]
            case "move":
                block = result[at : at + count]
                del result[at : at + count]
                result[other:other] = block
            case "indent":
                result[at : at + count] = [_indent(random, line) for line in result[at : at + count]]
            case "blank":
                result[at : at + random.randrange(2)] = ["\n"] * random.choice([1, 1, 2])
            case "swap":
                result[at : at + 2] = result[at : at + 2][::-1]
    return result


def a_pair(random: Random) -> tuple[str, bytes, bytes]:
    """The suffix of a file, and two versions of it."""
    suffix = random.choice(SUFFIXES)
    suffix = suffix if files(suffix) else ".py"
    before, others = a_file(random, suffix), a_file(random, suffix)
    kind = random.choice(["", "", "", "", "", "repetitive", "short", "empty"])
    if kind == "repetitive":
        before = [random.choice(before[:4]) for _ in range(random.choice([10, 40, 200]))]
    elif kind == "short":
        before = before[: random.randrange(6)]
    after = second_version(random, before, others)
    if kind == "empty":
        before, after = random.choice([([], after), (before, [])])
    end = random.choice(["", "", "", "", "before", "after", "both"])
    texts = [_cut_end("".join(lines), end in {side, "both"}) for side, lines in (("before", before), ("after", after))]
    match random.choice(["", "", "", "", "crlf", "mixed"]):
        case "crlf":
            texts = [text.replace("\n", "\r\n") for text in texts]
        case "mixed":
            chosen = {line for line in dict.fromkeys([*before, *after]) if random.random() < 0.3}
            texts = ["".join(_with_cr(line, chosen) for line in text.splitlines(keepends=True)) for text in texts]
    return suffix, texts[0].encode(), texts[1].encode()


def _change(random: Random, line: str) -> str:
    words = line.rstrip("\n").split(" ")
    words[random.randrange(len(words))] = random.choice(["value", "é", "None", '"', "x = 1", "", "日本", "\t"])
    return " ".join(words) + "\n"


def _indent(random: Random, line: str) -> str:
    return f"    {line}" if random.random() < 0.7 else line.removeprefix("    ")


def _cut_end(text: str, cut: bool) -> str:  # noqa: FBT001  one of two
    return text.rstrip("\n") if cut else text


def _with_cr(line: str, chosen: set[str]) -> str:
    return f"{line[:-1]}\r\n" if line in chosen else line


def write(folder: Path, tree: Tree, executable: Iterable[str] = ()) -> None:
    """Write exactly the files of a tree to a folder, some of them executable."""
    for path in sorted(folder.rglob("*"), reverse=True):
        if ".git" not in path.relative_to(folder).parts:
            path.rmdir() if path.is_dir() else path.unlink()
    for name, content in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        path.chmod(0o755 if name in executable else 0o644)


def read(folder: Path) -> dict[str, tuple[bytes, bool]]:
    """All files of a folder, and whether they are executable."""
    paths = [path for path in folder.rglob("*") if path.is_file() and ".git" not in path.relative_to(folder).parts]
    return {str(path.relative_to(folder)): (path.read_bytes(), os.access(path, os.X_OK)) for path in paths}


class Versions:
    """A folder with a git repository, which compares trees."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        git(folder, "init", "--quiet")

    def add(self, tree: Tree, executable: Iterable[str] = ()) -> str:
        """Git's name of a tree."""
        write(self.folder, tree, executable)
        git(self.folder, "-c", "core.autocrlf=false", "-c", "core.safecrlf=false", "add", "--all", "--force", ".")
        return git(self.folder, "write-tree").strip()

    def diff(self, before: str, after: str, *options: str) -> str:
        """The diff between two trees."""
        return git(self.folder, "diff", "--no-color", *options, before, after)


def apply_with_git(
    folder: Path, tree: Tree, diff: str, executable: Iterable[str] = ()
) -> dict[str, tuple[bytes, bool]]:
    """The tree after `git apply`."""
    folder.mkdir()
    write(folder, tree, executable)
    git(folder, "apply", "--whitespace=nowarn", diff=diff)
    return read(folder)


def sections(diff: str) -> dict[str, str]:
    """The part of a diff for each file, for names without special characters."""
    parts = re.split(r"^(?=diff --git a/(\S+) )", diff, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def hunks(section: str) -> Iterator[Hunk]:
    """The hunks of a diff of one file; the line before "No newline at end of file" has none."""
    hunk: Hunk | None = None
    last: list[list[str]] = []
    for line in section.split("\n")[:-1]:
        if header := HEADER.match(line):
            if hunk:
                yield hunk
            start, length = int(header[1]), int(header[2] or 1)
            hunk = Hunk(start if length else start + 1, [], [])
        elif hunk and line.startswith("\\"):
            for side in last:
                side[-1] = side[-1][:-1]
        elif hunk:
            last = {"-": [hunk.old], "+": [hunk.new]}.get(line[0], [hunk.old, hunk.new])
            for side in last:
                side.append(f"{line[1:]}\n")
    if hunk:
        yield hunk


def apply_hunks(before: str, chosen: Iterable[Hunk]) -> str:
    """A text with hunks applied exactly at their line numbers."""
    lines = [f"{line}\n" for line in before.split("\n")]
    lines[-1] = lines[-1][:-1]
    for hunk in sorted(chosen, reverse=True):
        at = hunk.at - 1
        assert lines[at : at + len(hunk.old)] == hunk.old
        lines[at : at + len(hunk.old)] = hunk.new
    return "".join(lines)


def occurs_once(before: str, hunk: Hunk) -> bool:
    """Whether the old lines of a hunk occur only once in a text, with or without a final newline."""
    lines, old = before.split("\n"), [line.removesuffix("\n") for line in hunk.old]
    return sum(lines[at : at + len(old)] == old for at in range(len(lines) - len(old) + 1)) == 1
