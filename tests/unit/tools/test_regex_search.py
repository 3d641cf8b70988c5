"""The tool `regex_search`: its parameters, its result, and which matches of a file it gives."""

import json
from pathlib import Path
from typing import Any

import pytest

from suture import ToolResult, Workspace
from tests.unit.changes import workspace

Match = dict[str, Any]
Place = tuple[int, int, str]


def ask(before: bytes, pattern: str, **more: Any) -> ToolResult:
    ws, _ = workspace({"a": before})
    return ws.call("regex_search", {"file_path": "a", "pattern": pattern, **more})


def matches_of(result: ToolResult) -> list[Match]:
    assert not result.is_error, result.text
    assert json.loads(result.text) == result.data
    data: list[Match] = result.data
    return data


def places(before: bytes, pattern: str, **more: Any) -> list[Place]:
    return [(match["line"], match["column"], match["match"]) for match in matches_of(ask(before, pattern, **more))]


# The result

APP = [f"// line {number}" for number in range(1, 61)]
APP[39:43] = ["", "// Request handler", "wrap(function handleRequest(req) {", "  const user = getCurrentUser();"]


@pytest.mark.promise("regex.shapes")
def test_a_result_is_one_block_of_json_with_empty_metadata() -> None:
    result = ask(b"one two\n", "two")
    expected = {
        "file": "a",
        "line": 1,
        "column": 4,
        "match": "two",
        "groups": ["two"],
        "context_before": [],
        "context_after": [],
    }
    assert json.loads(result.text) == [expected]
    assert result.to_dict() == {
        "isError": False,
        "content": [{"type": "text", "text": result.text}],
        "metadata": {},
    }


@pytest.mark.parametrize("path", ["sub/b.txt", "./sub/b.txt", "link", "sub/../sub/b.txt"])
def test_a_file_is_named_relative_to_the_root_by_its_final_path(tmp_path: Path, path: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b.txt").write_bytes(b"x\n")
    (tmp_path / "link").symlink_to("sub/b.txt")
    ws = Workspace(tmp_path)
    for spelling in (path, str(tmp_path / path)):
        assert [m["file"] for m in matches_of(ws.call("regex_search", {"file_path": spelling, "pattern": "x"}))] == [
            "sub/b.txt"
        ]


def test_a_search_changes_nothing_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x\n")
    before, folder = path.stat(), tmp_path.stat()
    matches_of(Workspace(tmp_path).call("regex_search", {"file_path": "a", "pattern": "x"}))
    assert (path.stat().st_mtime_ns, tmp_path.stat().st_mtime_ns) == (before.st_mtime_ns, folder.st_mtime_ns)
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


# Limits


def test_there_is_no_limit_of_its_own() -> None:
    matches = places(b"a\n" * 12_000, "a")
    assert matches == [(line, 0, "a") for line in range(1, 12_001)]


@pytest.mark.slow
def test_many_matches_on_one_line_have_their_columns() -> None:
    assert places(b"ab" * 5_000, "b", flags="g") == [(1, 2 * number + 1, "b") for number in range(5_000)]
    wide = ("é😀b" * 5_000).encode()
    assert places(wide, "b", flags="g") == [(1, 3 * number + 2, "b") for number in range(5_000)]


@pytest.mark.parametrize("letter", ["x", "é", "🎉"])
def test_a_line_of_ten_megabytes_is_searched(letter: str) -> None:
    wide = 10_000_000 // len(letter.encode())
    before = (letter * wide + "needle" + letter * 100 + "needle\nnext needle\n").encode()
    expected = [(1, wide, "needle"), (1, wide + 106, "needle"), (2, 5, "needle")]
    assert places(before, "needle", flags="g") == expected
    assert places(before, "needle") == [expected[0], expected[2]]
    assert places(before, "needle$", flags="gm") == expected[1:]


# Binary files

NUL_LATE = b"x" * 8191 + b"\0 needle\n"
NUL_LATER = b"x" * 8192 + b"\0 needle\n"


@pytest.mark.parametrize(
    ("before", "size", "count"),
    [
        (b"needle\0\n", ..., 0),
        (b"\0needle\n", ..., 0),
        (b"needle\0\n", None, 0),
        (b"needle\0\n", 8192, 0),
        (b"needle\0\n", 0, 1),
        (b"needle\0\n", -1, 1),
        (b"needle\0\n", -8192, 1),
        (b"needle\0\n", 1, 1),
        (b"needle\0\n", 6, 1),
        (b"needle\0\n", 7, 0),
        (b"\0needle\n", 1, 0),
        (b"\0needle\n", 0, 1),
        (b"needle\n", 1, 1),
        (NUL_LATE, ..., 0),
        (NUL_LATER, ..., 1),
        (NUL_LATER, None, 1),
        (NUL_LATER, 8193, 0),
        (NUL_LATER, 1_000_000_000, 0),
        (b"needle\n", 1_000_000_000, 1),
        (b"\0", ..., 0),
        (b"", 0, 0),
    ],
)
def test_a_file_with_a_nul_within_the_checked_bytes_is_skipped(before: bytes, size: Any, count: int) -> None:
    more = {} if size is ... else {"binary_check_buffer_size": size}
    assert len(places(before, "needle", **more)) == count
