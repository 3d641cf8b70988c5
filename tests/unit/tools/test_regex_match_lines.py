"""The tool `regex_match_lines`: the lines that match, or that do not."""

import json
from typing import Any

import pytest

from suture import ToolResult
from tests.unit.changes import workspace

Line = tuple[int, str]


def ask(before: bytes, pattern: str, **more: Any) -> ToolResult:
    ws, _ = workspace({"a": before})
    return ws.call("regex_match_lines", {"file_path": "a", "pattern": pattern, **more})


def matching_lines(before: bytes, pattern: str, *, binary: bool = False, **more: Any) -> list[Line]:
    result = ask(before, pattern, **more)
    assert not result.is_error, result.text
    assert json.loads(result.text) == result.data
    assert result.metadata == ({"binary": ["a"]} if binary else {})
    assert all(set(line) == {"file", "line", "content"} and line["file"] == "a" for line in result.data)
    return [(line["line"], line["content"]) for line in result.data]


LOG = [f"[2024-01-15] INFO: {number}" for number in range(1, 201)]
LOG[41] = "[2024-01-15] ERROR: Connection timeout"
LOG[155] = "[2024-01-15] FATAL: Database unreachable"
EXAMPLE: list[dict[str, Any]] = [
    {"file": "server.log", "line": 42, "content": "[2024-01-15] ERROR: Connection timeout"},
    {"file": "server.log", "line": 156, "content": "[2024-01-15] FATAL: Database unreachable"},
]


@pytest.mark.promise("regex.shapes")
@pytest.mark.parametrize("more", [{}, {"format": "json"}, {"invert": False}])
@pytest.mark.parametrize("pattern", ["ERROR|FATAL", "/error|fatal/i", "/ERROR|FATAL/g", "^\\S+ (ERROR|FATAL):"])
def test_the_example_of_the_specification_gives_what_it_shows(pattern: str, more: dict[str, Any]) -> None:
    ws, _ = workspace({"server.log": "\n".join(LOG).encode()})
    result = ws.call("regex_match_lines", {"file_path": "server.log", "pattern": pattern, **more})
    assert json.loads(result.text) == result.data == EXAMPLE
    assert result.to_dict() == {
        "isError": False,
        "content": [{"type": "text", "text": result.text}],
        "metadata": {},
    }


FIVE = b"one\ntwo\n\nThree\n  four"
ALL = [(1, "one"), (2, "two"), (3, ""), (4, "Three"), (5, "  four")]


@pytest.mark.promise("regex.lines")
@pytest.mark.parametrize(
    ("pattern", "more", "expected"),
    [
        ("o", {}, [(1, "one"), (2, "two"), (5, "  four")]),
        ("o", {"flags": "g"}, [(1, "one"), (2, "two"), (5, "  four")]),
        ("/o/g", {}, [(1, "one"), (2, "two"), (5, "  four")]),
        ("t", {}, [(2, "two")]),
        ("t", {"flags": "i"}, [(2, "two"), (4, "Three")]),
        ("/T/i", {}, [(2, "two"), (4, "Three")]),
        ("^t", {}, [(2, "two")]),
        ("^t", {"flags": "m"}, [(2, "two")]),
        ("e$", {}, [(1, "one"), (4, "Three")]),
        ("e$", {"flags": "m"}, [(1, "one"), (4, "Three")]),
        ("^.{3}$", {}, [(1, "one"), (2, "two")]),
        ("^$", {}, [(3, "")]),
        (r"^\s*$", {}, [(3, "")]),
        (r"^\s", {}, [(5, "  four")]),
        (r"\n", {}, []),
        ("one\ntwo", {}, []),
        ("e.t", {"flags": "s"}, []),
        (r"[^]{4}", {}, [(4, "Three"), (5, "  four")]),
        (r"(?<=\n)t", {}, []),
        (r"(?<!\n)^t", {}, [(2, "two")]),
        (r"(.)\1", {}, [(4, "Three"), (5, "  four")]),
        ("", {}, ALL),
        ("x", {}, []),
        ("", {"invert": True}, []),
        ("x", {"invert": True}, ALL),
        ("o", {"invert": True}, [(3, ""), (4, "Three")]),
        ("O", {"invert": True, "flags": "i"}, [(3, ""), (4, "Three")]),
        ("^$", {"invert": True}, [(1, "one"), (2, "two"), (4, "Three"), (5, "  four")]),
        ("o", {"max_lines": 1}, [(1, "one")]),
        ("o", {"max_lines": 2}, [(1, "one"), (2, "two")]),
        ("o", {"max_lines": 3}, [(1, "one"), (2, "two"), (5, "  four")]),
        ("o", {"max_lines": 99}, [(1, "one"), (2, "two"), (5, "  four")]),
        ("x", {"invert": True, "max_lines": 2}, [(1, "one"), (2, "two")]),
    ],
)
def test_every_line_is_tested_alone(pattern: str, more: dict[str, Any], expected: list[Line]) -> None:
    assert matching_lines(FIVE, pattern, **more) == expected
    assert matching_lines(FIVE.replace(b"\n", b"\r\n"), pattern, **more) == expected
    assert matching_lines(FIVE.replace(b"\n", b"\r"), pattern, **more) == expected


def test_a_line_of_ten_megabytes_is_tested() -> None:
    line = "x" * 10_000_000 + "needle"
    assert matching_lines(f"first\n{line}\nlast\n".encode(), "needle$") == [(2, line)]
    assert matching_lines(f"first\n{line}\nlast\n".encode(), "needle$", invert=True) == [(1, "first"), (3, "last")]


@pytest.mark.parametrize(
    ("before", "size", "count"),
    [
        (b"x\0", ..., 0),
        (b"x\0", None, 0),
        (b"x\0", 0, 1),
        (b"x\0", -1, 1),
        (b"x\0", 1, 1),
        (b"x\0", 2, 0),
        (b"x" + b" " * 8192 + b"\0", ..., 1),
        (b"x" + b" " * 8192 + b"\0", 1_000_000, 0),
    ],
)
def test_a_binary_file_is_skipped(before: bytes, size: Any, count: int) -> None:
    more = {} if size is ... else {"binary_check_buffer_size": size}
    assert len(matching_lines(before, "x", binary=not count, **more)) == count
    assert len(matching_lines(before, "y", invert=True, binary=not count, **more)) == count
