"""The tool `regex_split`: what is between the delimiters, and on which lines."""

import json
from typing import Any

import pytest

from suture import ToolResult
from tests.unit.changes import workspace

Segment = tuple[str, int, int]


def ask(before: bytes, pattern: str, **more: Any) -> ToolResult:
    ws, _ = workspace({"a": before})
    return ws.call("regex_split", {"file_path": "a", "pattern": pattern, **more})


def segments(before: bytes, pattern: str, **more: Any) -> list[Segment]:
    """The content and the lines of every segment, which are numbered from 1."""
    result = ask(before, pattern, **more)
    assert not result.is_error, result.text
    assert json.loads(result.text) == result.data
    assert result.metadata == ({} if result.data else {"binary": ["a"]})  # any text has a segment
    assert [segment["segment"] for segment in result.data] == list(range(1, len(result.data) + 1))
    assert all(set(segment) == {"segment", "content", "line_start", "line_end"} for segment in result.data)
    return [(segment["content"], segment["line_start"], segment["line_end"]) for segment in result.data]


def contents(before: bytes, pattern: str, **more: Any) -> list[str]:
    return [content for content, _, _ in segments(before, pattern, **more)]


@pytest.mark.promise("regex.shapes")
@pytest.mark.parametrize("pattern", [r"\n\n", r"/\n\n/", r"/\n\n/g", r"\n\s*\n"])
def test_the_example_of_the_specification_gives_what_it_shows(pattern: str) -> None:
    result = ask(b"First paragraph\nwith multiple lines\n\nSecond paragraph", pattern)
    assert json.loads(result.text) == [
        {"segment": 1, "content": "First paragraph\nwith multiple lines", "line_start": 1, "line_end": 2},
        {"segment": 2, "content": "Second paragraph", "line_start": 4, "line_end": 4},
    ]
    assert result.to_dict() == {
        "isError": False,
        "content": [{"type": "text", "text": result.text}],
        "metadata": {},
    }


@pytest.mark.parametrize(
    ("before", "size", "expected"),
    [
        (b"a,\0", ..., []),
        (b"a,\0", None, []),
        (b"a,\0", 0, ["a", "\0"]),
        (b"a,\0", -1, ["a", "\0"]),
        (b"a,\0", 2, ["a", "\0"]),
        (b"a,\0", 3, []),
        (b"a," + b" " * 8190 + b"\0", ..., ["a", " " * 8190 + "\0"]),
        (b"a," + b" " * 8190 + b"\0", 1_000_000, []),
    ],
)
def test_a_binary_file_is_skipped(before: bytes, size: Any, expected: list[str]) -> None:
    more = {} if size is ... else {"binary_check_buffer_size": size}
    assert contents(before, ",", **more) == expected
