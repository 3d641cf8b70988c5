"""The tool `regex_replace`: what is replaced by what, as one change that can be looked at first and undone after."""

import json
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, ToolResult, Workspace
from suture.testing import FaultyFS, MemoryFS
from tests.unit.changes import error_of, hash_of, list_changes, sentence_of, succeed, workspace

Item = dict[str, Any]


def ask(ws: Workspace, pattern: str, replacement: str, **more: Any) -> ToolResult:
    arguments = {"file_path": "a", "pattern": pattern, "replacement": replacement, **more}
    return ws.call("regex_replace", arguments)


def items(result: ToolResult) -> list[Item]:
    assert not result.is_error, result.text
    assert json.loads(result.text) == result.data
    data: list[Item] = result.data
    return data


def replace(before: str, pattern: str, replacement: str, **more: Any) -> str:
    """A file's text after a successful call, which must report the same replacements."""
    ws, fs = workspace({"a": before.encode()})
    matches = items(ask(ws, pattern, replacement, **more))
    after = fs.files()["a"].decode()
    lines, done_before = before.split("\n"), 0
    expected = ""
    for item in matches:
        start = sum(len(line) + 1 for line in lines[: item["line"] - 1]) + item["column"]
        assert before[start : start + len(item["original"])] == item["original"] == item["groups"][0]
        expected += before[done_before:start] + item["replacement"]
        done_before = start + len(item["original"])
    assert after == expected + before[done_before:]
    return after


def refusal(before: str, pattern: str, replacement: str, **more: Any) -> ToolResult:
    """The result of a call that is refused and changes nothing."""
    ws, fs = workspace({"a": before.encode()})
    result = ask(ws, pattern, replacement, **more)
    assert result.is_error, result.text
    assert (fs.files(), list_changes(ws)) == ({"a": before.encode()}, [])
    assert sentence_of(result)
    return result


# The result

APP = [f"// line {number}" for number in range(1, 31)]
APP[13:16] = ["function init() {", "  var counter;", "  counter = 0;"]
APP[21:24] = ["function process() {", "  var result;", "  return result;"]


@pytest.mark.promise("regex.shapes")
def test_a_result_names_the_change_and_the_new_hash() -> None:
    ws, fs = workspace({"a": b"one two\n"})
    result = ask(ws, "(two)", "2")
    expected = {
        "file": "a",
        "line": 1,
        "column": 4,
        "original": "two",
        "replacement": "2",
        "groups": ["two", "two"],
        "context_before": [],
        "context_after": [],
    }
    assert json.loads(result.text) == [expected]
    assert fs.files() == {"a": b"one 2\n"}
    (change,) = list_changes(ws)
    assert change["tool"] == "regex_replace"
    done = f"Made 1 replacement in 1 file (change {change['change_id']})."
    assert result.to_dict() == {
        "isError": False,
        "content": [{"type": "text", "text": result.text}, {"type": "text", "text": done}],
        "metadata": {"change_id": change["change_id"], "files": [{"path": "a", "hash": hash_of(b"one 2\n")}]},
    }


@pytest.mark.parametrize(
    ("pattern", "replacement", "count"),
    [("nowhere", "x", 0), ("one", "one", 1), ("(o)(n)", "$1$2", 1), ("$", "", 1), ("^", "", 1)],
)
def test_a_call_that_changes_nothing_is_no_change(pattern: str, replacement: str, count: int) -> None:
    ws, fs = workspace({"a": b"one two"})
    result = ask(ws, pattern, replacement)
    assert (len(items(result)), result.metadata["change_id"]) == (count, None)
    assert (fs.files(), list_changes(ws)) == ({"a": b"one two"}, [])


# Limits


def blocks(count: int) -> str:
    return "".join(f"start\nline {number}\nend\n" for number in range(count))


@pytest.mark.promise("regex.over-match")
@pytest.mark.parametrize(
    ("before", "pattern"),
    [
        (blocks(17), r"start[^]*end"),
        (blocks(40), r"start[^]*end"),
        (blocks(17), r"/start.*end/s"),
        (blocks(17), r"/start.*end/gs"),
        ("before\n" + blocks(17), r"start[^]*end"),
    ],
)
@pytest.mark.parametrize("dry_run", [False, True])
def test_a_match_of_many_lines_that_holds_others_is_refused(before: str, pattern: str, *, dry_run: bool) -> None:
    assert error_of(refusal(before, pattern, "x", dry_run=dry_run))["code"] == "OVER_MATCH"
    assert replace(before, pattern, "x", allow_over_match=True).removeprefix("before\n") == "x\n"


def test_a_line_of_ten_megabytes_is_changed() -> None:
    before = b"x" * 10_000_000 + b"needle\nnext\n"
    ws, fs = workspace({"a": before})
    (item,) = items(ask(ws, "needle", "pin"))
    assert (item["line"], item["column"], item["original"]) == (1, 10_000_000, "needle")
    assert fs.files() == {"a": before.replace(b"needle", b"pin")}


# Looking first, taking back


@pytest.mark.promise("regex.dry-run")
@pytest.mark.parametrize(
    ("before", "pattern", "replacement", "more"),
    [
        (b"a a\na\n", "a", "b", {}),
        (b"a a\na\n", "a", "b", {"flags": "g", "context_before": 1, "context_after": 1}),
        (b"a\r\nb\r\n", "b", "c\nd", {}),
        (b"a\nb\n", "^", "> ", {"flags": "gm"}),
        ("\ufeffé a\n".encode("utf-16-le"), "a", "ü", {}),
        (b"\xe9 a\n", "(.) a", "$1", {}),
        (b"a\n", "b", "c", {}),
        (b"a\n", "a", "a", {}),
        (b"a\0", "a", "b", {}),
        (b"a\0", "a", "b", {"binary_check_buffer_size": 0}),
        (b"", "a", "b", {}),
    ],
)
def test_a_dry_run_answers_as_the_real_run_does(
    before: bytes, pattern: str, replacement: str, more: dict[str, Any]
) -> None:
    ws, fs = workspace({"a": before})
    dry = ask(ws, pattern, replacement, **more, dry_run=True)
    assert (fs.files(), list_changes(ws), succeed(dry)["change_id"]) == ({"a": before}, [], None)
    real = ask(ws, pattern, replacement, **more, dry_run=False)
    assert items(dry) == items(real)
    assert dry.text == real.text
    assert (real.metadata["change_id"] is None) == (fs.files()["a"] == before)


def test_a_dry_run_on_a_disk_leaves_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"a\n")
    before, folder = path.stat(), tmp_path.stat().st_mtime_ns
    items(ask(Workspace(tmp_path), "a", "b", dry_run=True))
    after = path.stat()
    assert (after.st_mtime_ns, after.st_ino, path.read_bytes()) == (before.st_mtime_ns, before.st_ino, b"a\n")
    assert ([path.name for path in tmp_path.iterdir()], tmp_path.stat().st_mtime_ns) == (["a"], folder)


@pytest.mark.parametrize("mode", [0o755, 0o640])
def test_a_change_is_undone_with_bytes_and_mode(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a"
    before = b"\xef\xbb\xbfone\r\ntwo\nthree \xc3\xa9"
    path.write_bytes(before)
    path.chmod(mode)
    ws = Workspace(tmp_path, Settings(durability="fast"))
    result = ask(ws, "o", "ö", flags="g")
    assert path.read_bytes() == "\ufefföne\r\ntwö\nthree é".encode()
    assert path.stat().st_mode & 0o777 == mode
    assert succeed(ws.call("undo", {}))["undone"] == result.metadata["change_id"]
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (before, mode)


def test_a_change_through_a_link_changes_the_file_and_keeps_the_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"x\n")
    (tmp_path / "a").symlink_to("real")
    result = ask(Workspace(tmp_path, Settings(durability="fast")), "x", "y")
    assert [item["file"] for item in items(result)] == ["real"]
    assert result.metadata["files"] == [{"path": "real", "hash": hash_of(b"y\n")}]
    assert ((tmp_path / "real").read_bytes(), (tmp_path / "a").is_symlink()) == (b"y\n", True)


# Files that others change


def growing_workspace(fs: MemoryFS, times: int) -> Workspace:
    """A workspace whose file gets another line each of the first times that it is opened."""
    turns = iter(range(times))

    def grow(_: int, __: str) -> None:
        if next(turns, None) is not None:
            fs.put("a", fs.files()["a"] + b"x\n")

    return Workspace(fs.root, fs=FaultyFS(fs, only={"open_file"}, on_call=grow))


def test_a_change_is_planned_again_on_what_another_process_wrote() -> None:
    fs = MemoryFS({"a": b"x\n"})
    matches = items(ask(growing_workspace(fs, 2), "x", "y"))
    assert set(fs.files()["a"].split(b"\n")) == {b"y", b""}
    assert len(matches) == fs.files()["a"].count(b"y") > 1


@pytest.mark.promise("regex.changed")
def test_a_file_that_never_stops_changing_is_refused_in_the_end() -> None:
    fs = MemoryFS({"a": b"x\n"})
    result = ask(growing_workspace(fs, 1000), "x", "y")
    assert (error_of(result)["code"], error_of(result)["retryable"]) == ("FILE_CHANGED", True)
    assert sentence_of(result) == "File modified during operation: a (another process changed it)"
    assert b"y" not in fs.files()["a"]


# Arguments


def test_a_file_with_two_names_is_changed_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\n")
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    workspace = Workspace(tmp_path)
    for dry_run in (True, False):
        arguments = {"path_pattern": "*", "pattern": "x", "replacement": "y", "dry_run": dry_run}
        assert [row["file"] for row in workspace.call("regex_replace_multi", arguments).data] == ["a"]
    assert [(tmp_path / name).read_text() for name in "ab"] == ["y\n", "y\n"]


@pytest.mark.promise("regex.bounded")
@pytest.mark.parametrize(
    ("content", "pattern", "replacement"),
    [(b"a" * 1_000, "(a+)", "$1" * 500), (b"ab\n" * 1_000, "b", "y" * 1_000)],
    ids=["groups", "text"],
)
def test_new_text_that_is_too_large_is_refused_before_it_is_made(
    content: bytes, pattern: str, replacement: str
) -> None:
    fs = MemoryFS({"a": content})
    ws = Workspace(fs.root, Settings(max_result_bytes=100_000), fs=fs)
    result = ws.call("regex_replace", {"file_path": "a", "pattern": pattern, "replacement": replacement})
    assert result.metadata["error"]["code"] == "INPUT_TOO_LARGE"
    assert result.text.startswith("Too large: ")
    assert fs.files()["a"] == content


def test_the_example_of_too_many_replacements_is_reported_as_it_is_written() -> None:
    result = refusal("a\n" * 1000, "a", "b", max_replacements=500)
    assert sentence_of(result) == "Max replacements exceeded: 1000 (limit: 500)"
