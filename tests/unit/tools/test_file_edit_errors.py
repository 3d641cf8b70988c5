"""The tool `file_edit`, the specification's category 6: errors that a model can act on."""

from pathlib import Path

import pytest

from suture import ToolResult, Workspace
from tests.unit.changes import error_of, workspace
from tests.unit.file_edits import Edit, ask, edit, failure

# The specification's own examples

APP = [f"// line {number}" for number in range(1, 71)]
APP[44] = "const  foo = 'bar';"
APP[66] = 'const foo = "bar";'
UTILS = [f"// line {number}" for number in range(1, 121)]
for number, depth in ((12, 4), (34, 8), (56, 4), (78, 12), (102, 4)):
    UTILS[number - 1] = " " * depth + f"console.log('message {number}');"
MOST = 16  # lines that are not blank: the specification says about 15
UTILS[10:13] = ["function init() {", "    console.log('Starting process');", "    const config = loadConfig();"]


def text_lines(result: ToolResult) -> list[str]:
    """The lines of a text that are not blank."""
    return [line for line in result.text.split("\n") if line.strip()]


# The specification's list


@pytest.mark.parametrize(
    ("path", "edits", "code"),
    [
        ("a", [edit("two", "x")], "NO_MATCH"),
        ("a", [edit("one", "x", 2)], "WRONG_COUNT"),
        ("b", [edit("one", "x")], "FILE_NOT_FOUND"),
        ("bin", [edit("one", "x")], "BINARY_FILE"),
        ("ro", [edit("one", "x")], "PERMISSION_DENIED"),
        ("l1", [edit("one", "é")], "ENCODING_UNKNOWN"),
        ("a", [edit("one", "x")] * 1_001, "INPUT_TOO_LARGE"),
        ("../a", [edit("one", "x")], "PATH_OUTSIDE_WORKSPACE"),
        ("a", [], "INVALID_ARGUMENTS"),
    ],
)
def test_provides_clear_next_steps_for_each_error_type(path: str, edits: list[Edit], code: str) -> None:
    ws, fs = workspace({"a": b"one\n", "bin": b"\0", "ro": b"one\n", "l1": b"one \xe9\n"})
    fs.node_of("ro").mode = 0o444
    result = ask(ws, path, *edits)
    error = error_of(result)
    assert error["code"] == code
    assert error["hint"]
    assert 2 <= len(text_lines(result)) <= MOST


# The length of messages


@pytest.mark.parametrize("size", [1, 10, 100, 1_000])
def test_a_text_stays_short_whatever_the_size_of_the_file(size: int) -> None:
    before = "".join(f"def function_{number}(a, b):\n    return a + b * {number}\n\n\n" for number in range(size))
    for request in (edit("def function_0(a, c):\n    return a - c * 0\n", "x\n"), edit("return", "x", size + 1)):
        result = failure(before.encode(), request)
        assert len(text_lines(result)) <= MOST
        assert len(result.text) < 3_000


# What a failed call leaves behind


@pytest.mark.parametrize(
    "edits",
    [
        [edit("nowhere", "x")],
        [edit("one", "1"), edit("nowhere", "x")],
        [edit("one", "1"), edit("two", "x", 7)],
        [edit("one", "1", 0)],
        [],
    ],
)
@pytest.mark.parametrize("dry", [False, True])
@pytest.mark.promise("edit.one-read-one-write")
def test_a_failed_call_leaves_no_trace_on_the_disk(tmp_path: Path, edits: list[Edit], *, dry: bool) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\r\ntwo\n")
    before, folder = path.stat(), tmp_path.stat().st_mtime_ns
    assert ask(Workspace(tmp_path), "a", *edits, dry_run=dry).is_error
    after = path.stat()
    assert (after.st_mtime_ns, after.st_ino, after.st_mode) == (before.st_mtime_ns, before.st_ino, before.st_mode)
    assert path.read_bytes() == b"one\r\ntwo\n"
    assert ([path.name for path in tmp_path.iterdir()], tmp_path.stat().st_mtime_ns) == (["a"], folder)
