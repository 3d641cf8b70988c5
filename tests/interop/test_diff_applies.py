"""Real tools accept our diffs: `git apply` and GNU `patch` turn each one into exactly the expected bytes."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random

import pytest

from suture.text.diff import FileDiff, line_edits, unified
from suture.text.edits import Edit, apply, edit
from tests.scale import scaled

Tree = dict[str, bytes]
Tool = Callable[[Path, bytes], None]


def run(folder: Path, diff: bytes, command: list[str]) -> None:
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    process = subprocess.run(command, input=diff, cwd=folder, env=environment, capture_output=True, check=False)
    assert (process.returncode, process.stdout + process.stderr) == (0, b""), diff.decode("utf-8", "backslashreplace")


def git_apply(folder: Path, diff: bytes) -> None:
    run(folder, diff, ["git", "apply", "--whitespace=nowarn"])


def gnu_patch(folder: Path, diff: bytes) -> None:
    run(folder, diff, ["patch", "-p1", "--silent", "--fuzz=0"])


def git_apply_without_context(folder: Path, diff: bytes) -> None:
    run(folder, diff, ["git", "apply", "--whitespace=nowarn", "--unidiff-zero"])


def with_known_edits(file: FileDiff) -> FileDiff:
    return file


def with_line_diff(file: FileDiff) -> FileDiff:
    """The same change, with the edits that the line diff finds."""
    return file.evolve(edits=tuple(line_edits(file.before, after(file))))


def after(file: FileDiff) -> bytes:
    return apply(file.before, file.edits)


def old_tree(files: Iterable[FileDiff]) -> Tree:
    return {file.old_path: file.before for file in files if file.old_path is not None}


def new_tree(files: Iterable[FileDiff]) -> Tree:
    return {file.new_path: after(file) for file in files if file.new_path is not None}


def write(folder: Path, tree: Tree) -> None:
    for name, content in tree.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def read(folder: Path) -> Tree:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def update(before: bytes, *edits: Edit, path: str = "file") -> FileDiff:
    return FileDiff(path, path, before, edits)


def create(content: bytes, path: str = "file", mode: int = 0o644) -> FileDiff:
    return FileDiff(None, path, b"", (edit(0, 0, content),) if content else (), mode)


def delete(content: bytes, path: str = "file") -> FileDiff:
    return FileDiff(path, None, content, (edit(0, len(content), b""),) if content else ())


NUMBERS = b"".join(b"line %d\n" % number for number in range(1, 31))
AT_20 = NUMBERS.index(b"line 20")

CHANGES = {
    "a word": update(NUMBERS, edit(AT_20, AT_20 + 4, b"LINE")),
    "the first line": update(NUMBERS, edit(0, 4, b"LINE")),
    "the last line": update(NUMBERS, edit(len(NUMBERS) - 3, len(NUMBERS) - 1, b"thirty")),
    "a line more at the beginning": update(NUMBERS, edit(0, 0, b"zero\n")),
    "a line more at the end": update(NUMBERS, edit(len(NUMBERS), len(NUMBERS), b"more\n")),
    "two far places": update(NUMBERS, edit(0, 7, b""), edit(AT_20, AT_20, b"new\nnew\n")),
    "two places that share context": update(NUMBERS, edit(0, 4, b"LINE"), edit(42, 46, b"LINE")),
    "neighboring lines": update(NUMBERS, edit(1, 2, b"X"), edit(8, 9, b"X")),
    "two lines joined": update(NUMBERS, edit(6, 7, b"")),
    "a line split": update(NUMBERS, edit(4, 5, b"\n")),
    "text before a line": update(NUMBERS, edit(7, 7, b"> ")),
    "many lines replaced by one": update(NUMBERS, edit(7, AT_20, b"gone\n")),
    "a repeated line": update(b"a\n" * 20, edit(10, 12, b"")),
    "no newline before": update(b"a\nb", edit(3, 3, b"\n")),
    "no newline after": update(b"a\nb\n", edit(3, 4, b"")),
    "no newline before and after": update(b"a\nb", edit(2, 3, b"c")),
    "no newline beside the change": update(b"a\nb\nc", edit(0, 1, b"A")),
    "no newline and a line more": update(b"a\nb", edit(3, 3, b"\nc")),
    "no newline and a line less": update(b"a\nb", edit(1, 3, b"")),
    "no newline in a file of one line": update(b"a", edit(0, 1, b"b")),
    "the newline of the only line": update(b"a\n", edit(1, 2, b"")),
    "CRLF": update(b"a\r\nb\r\nc\r\n", edit(3, 4, b"B")),
    "CRLF without newline at the end": update(b"a\r\nb\r\nc", edit(6, 7, b"C")),
    "CRLF to LF": update(b"a\r\nb\r\nc\r\n", edit(1, 2, b""), edit(4, 5, b""), edit(7, 8, b"")),
    "LF to CRLF": update(b"a\nb\n", edit(1, 1, b"\r"), edit(3, 3, b"\r")),
    "mixed endings": update(b"a\r\nb\nc\r\nd\re\n", edit(3, 4, b"B"), edit(8, 9, b"D\r\n")),
    "lone CR": update(b"a\rb\rc\r", edit(2, 3, b"B")),
    "CR at the end without newline": update(b"a\nb\r", edit(0, 1, b"A"), edit(2, 3, b"B")),
    "bytes that are not text": update(b"\xff\xfe\n\x80\x0c\x85\n", edit(3, 4, b"\xe2\x80\xa8")),
    "lines that look like a diff": update(
        b"--- a\n+++ b\n@@ -1 +1 @@\n\\ No newline\n", edit(4, 5, b"c"), edit(10, 11, b"c")
    ),
    "a line of dashes deleted": update(b"a\n-- b\nc\n", edit(2, 7, b"")),
    "blank lines": update(b"\n\n\n\n", edit(1, 1, b" "), edit(3, 4, b"")),
    "empty to content": update(b"", edit(0, 0, b"a\nb\n")),
    "empty to content without newline": update(b"", edit(0, 0, b"a")),
    "empty to one newline": update(b"", edit(0, 0, b"\n")),
    "content to empty": update(b"a\nb\n", edit(0, 4, b"")),
    "content without newline to empty": update(b"a", edit(0, 1, b"")),
    "new": create(b"a\nb\n"),
    "new without newline": create(b"a\nb"),
    "new and empty": create(b""),
    "new in a new folder": create(b"a\n", "deep/er/file"),
    "deleted": delete(b"a\nb\n"),
    "deleted without newline": delete(b"a\nb"),
    "deleted and empty": delete(b""),
    "renamed with edits": FileDiff("old", "new", NUMBERS, (edit(0, 4, b"LINE"),)),
    "renamed to a folder with edits": FileDiff("a/old", "b/new", NUMBERS, (edit(0, 4, b"LINE"),)),
    "renamed without newline, with edits": FileDiff("old", "new", b"a\nb", (edit(2, 3, b"c"),)),
    "renamed": FileDiff("old", "new", NUMBERS, ()),
    "renamed to a folder": FileDiff("old", "b/new", NUMBERS, ()),
    "renamed and empty": FileDiff("old", "new", b"", ()),
}

NAMES = {
    "spaces": "a file",
    "spaces at both ends": " file ",
    "a double quote": 'a"b',
    "a single quote": "it's",
    "a tab": "a\tb",
    "a newline": "a\nb",
    "a backslash": "a\\b",
    "an escape sequence": "a\\tb",
    "a delete character": "a\x7fb",
    "non-ASCII": "größe/日本",
    "emoji": "🙂.txt",
    "bytes that are not UTF-8": "caf\udce9",
    "a quote, a space, a tab and non-ASCII": 'é" \t',
    "what separates the two names": "x b/x b",
    "a leading dash": "-n",
    "brackets and stars": "[a]*?",
    "a date": "a 2020-01-01 00:00:00",
}

TOOLS = pytest.mark.parametrize("tool", [git_apply, gnu_patch])
SOURCES = pytest.mark.parametrize("source", [with_known_edits, with_line_diff])


@pytest.mark.promise("span.diff-applies")
@pytest.mark.parametrize("file", CHANGES.values(), ids=CHANGES)
@SOURCES
@TOOLS
def test_a_diff_of_one_change_applies_exactly(
    tool: Tool, source: Callable[[FileDiff], FileDiff], file: FileDiff, tmp_path: Path
) -> None:
    write(tmp_path, old_tree([file]))
    tool(tmp_path, unified(source(file)))
    assert read(tmp_path) == new_tree([file])


@pytest.mark.promise("span.diff-applies")
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
@TOOLS
def test_a_diff_names_any_file_so_that_the_tools_find_it(tool: Tool, name: str, tmp_path: Path) -> None:
    files = [
        update(b"a\nb\n", edit(0, 1, b"A"), path=name),
        create(b"a\n", f"new/{name}"),
        create(b"", f"new-empty/{name}"),
        delete(b"a\n", f"deleted/{name}"),
        delete(b"", f"deleted-empty/{name}"),
        FileDiff(f"from/{name}", f"to/{name}", b"a\nb\n", (edit(0, 1, b"A"),)),
        FileDiff(f"away/{name}", f"there/{name}", b"a\nb\n", ()),
    ]
    write(tmp_path, old_tree(files))
    tool(tmp_path, b"".join(map(unified, files)))
    assert read(tmp_path) == new_tree(files)


@pytest.mark.promise("span.diff-applies")
@pytest.mark.parametrize(("mode", "executable"), [(0o644, False), (0o755, True), (0o600, False), (0o700, True)])
@pytest.mark.parametrize("content", [b"#!/bin/sh\n", b""], ids=["content", "empty"])
@TOOLS
def test_a_new_file_is_executable_where_the_diff_says_so(
    tool: Tool, content: bytes, mode: int, *, executable: bool, tmp_path: Path
) -> None:
    tool(tmp_path, unified(create(content, "script", mode)))
    assert read(tmp_path) == {"script": content}
    assert os.access(tmp_path / "script", os.X_OK) == executable


def random_content(random: Random) -> bytes:
    words = random.choice([["a", "b"], ["a", "b", "c", "", "  d"], [f"word {number}" for number in range(40)]])
    endings = random.choice([["\n"], ["\r\n"], ["\n", "\r\n", "\r"]])
    lines = "".join(random.choice(words) + random.choice(endings) for _ in range(random.randrange(40)))
    return (lines + random.choice(["", "", "unfinished"])).encode()


def random_edits(random: Random, content: bytes) -> tuple[Edit, ...]:
    places = sorted(random.randrange(len(content) + 1) for _ in range(2 * random.choice([1, 1, 2, 5])))
    news = [b"", b"x", b"\n", b"new\n", b"\nnew", b"a\nb\n", b"\r\n", "é\n".encode()]
    return tuple(
        edit(start, random.choice([start, end]), random.choice(news))
        for start, end in zip(places[::2], places[1::2], strict=True)
    )


def random_file(random: Random, name: str) -> FileDiff:
    content = random_content(random)
    kind = random.choice(["create", "delete", "rename", *["update"] * 7])
    if kind == "create":
        return create(content, name, random.choice([0o644, 0o755]))
    if kind == "delete":
        return delete(content, name)
    edits = random_edits(random, content)
    return FileDiff(name, f"moved/{name}" if kind == "rename" else name, content, edits)


@pytest.mark.promise("span.diff-applies")
@pytest.mark.parametrize("seed", range(scaled(6)))
@pytest.mark.parametrize("context", [0, 1, 3])
@SOURCES
@TOOLS
def test_a_diff_of_random_edits_in_many_files_applies_exactly(
    tool: Tool, source: Callable[[FileDiff], FileDiff], context: int, seed: int, tmp_path: Path
) -> None:
    random = Random(f"{seed} {context}")
    files = [random_file(random, f"file {number}") for number in range(60)]
    if tool is git_apply and not context:
        tool = git_apply_without_context
    write(tmp_path, old_tree(files))
    tool(tmp_path, b"".join(unified(source(file), context) for file in files))
    assert read(tmp_path) == new_tree(files)
