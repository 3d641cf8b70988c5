"""The tool `regex_split`: what stands between the delimiters, and on which lines."""

import json
from typing import Any

import pytest

from suture import ToolResult
from tests.unit.changes import refused, workspace

Segment = tuple[str, int, int]


def ask(before: bytes, pattern: str, **more: Any) -> ToolResult:
    ws, _ = workspace({"a": before})
    return ws.call("regex_split", {"file_path": "a", "pattern": pattern, **more})


def segments(before: bytes, pattern: str, **more: Any) -> list[Segment]:
    """The content and the lines of every segment, which are numbered from 1."""
    result = ask(before, pattern, **more)
    assert not result.is_error, result.text
    assert json.loads(result.text) == result.data
    assert result.metadata == {}
    assert [each["segment"] for each in result.data] == list(range(1, len(result.data) + 1))
    assert all(set(each) == {"segment", "content", "line_start", "line_end"} for each in result.data)
    return [(each["content"], each["line_start"], each["line_end"]) for each in result.data]


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


@pytest.mark.promise("regex.split")
@pytest.mark.parametrize(
    ("before", "pattern", "expected"),
    [
        (b"a,b,c", ",", [("a", 1, 1), ("b", 1, 1), ("c", 1, 1)]),
        (b"a,,b", ",", [("a", 1, 1), ("", 1, 1), ("b", 1, 1)]),
        (b",a", ",", [("", 1, 1), ("a", 1, 1)]),
        (b"a,", ",", [("a", 1, 1), ("", 1, 1)]),
        (b",", ",", [("", 1, 1), ("", 1, 1)]),
        (b"abc", "abc", [("", 1, 1), ("", 1, 1)]),
        (b"a\nb\nc", "\n", [("a", 1, 1), ("b", 2, 2), ("c", 3, 3)]),
        (b"a\n\nb", "\n", [("a", 1, 1), ("", 2, 2), ("b", 3, 3)]),
        (b"a\n---\nb\nc\n", "---", [("a\n", 1, 1), ("\nb\nc\n", 2, 4)]),
        (b"a\n---\nb\nc\n", "---\n", [("a\n", 1, 1), ("b\nc\n", 3, 4)]),
        (b"a\nb\nc\n---\nd", "\n---\n", [("a\nb\nc", 1, 3), ("d", 5, 5)]),
        (b"a b\nc d", " ", [("a", 1, 1), ("b\nc", 1, 2), ("d", 2, 2)]),
        (b"a\nb\n", "x", [("a\nb\n", 1, 2)]),
        (b"a\nb", "x", [("a\nb", 1, 2)]),
        (b"a\n\n\n", "x", [("a\n\n\n", 1, 3)]),
        (b"", "x", [("", 1, 1)]),
        (b"", "", [("", 1, 1)]),
        (b"", "^", [("", 1, 1)]),
        (b"a1b22c", r"\d+", [("a", 1, 1), ("b", 1, 1), ("c", 1, 1)]),
        (b"a1b22c", r"(\d)+", [("a", 1, 1), ("b", 1, 1), ("c", 1, 1)]),
        (b"a-b", "(-)|(x)", [("a", 1, 1), ("b", 1, 1)]),
        (b"a\r\nb\r\nc", r"\r?\n", [("a", 1, 1), ("b", 2, 2), ("c", 3, 3)]),
        (b"a\r\nb, c\r\nd", ", ", [("a\r\nb", 1, 2), ("c\r\nd", 2, 3)]),
        (b"a\rb\rc", r"\r", [("a", 1, 1), ("b", 2, 2), ("c", 3, 3)]),
        ("\ufeffé,😀\nü,e\u0301".encode(), ",", [("é", 1, 1), ("😀\nü", 1, 2), ("e\u0301", 2, 2)]),
        (b"class A:\n  pass\nclass B:\n", "(?=class)", [("class A:\n  pass\n", 1, 2), ("class B:\n", 3, 3)]),
    ],
)
def test_segments_stand_between_the_delimiters_with_their_lines(
    before: bytes, pattern: str, expected: list[Segment]
) -> None:
    assert segments(before, pattern) == expected


@pytest.mark.parametrize(
    ("before", "pattern", "expected"),
    [
        (b"a\nb\n", "\n", ["a", "b", ""]),
        (b"\n", "\n", ["", ""]),
        (b"\n\n", "\n", ["", "", ""]),
        (b"a\nb\n", "[ab]", ["", "\n", "\n"]),
        (b"a\nb\n", "[^]+", ["", ""]),
    ],
)
def test_empty_segments_at_the_ends_are_kept(before: bytes, pattern: str, expected: list[str]) -> None:
    assert contents(before, pattern) == expected


@pytest.mark.parametrize(
    ("before", "pattern", "flags", "expected"),
    [
        (b"abc", "", "", ["a", "b", "c"]),
        (b"a", "", "", ["a"]),
        ("é😀e\u0301".encode(), "", "", ["é", "😀", "e", "\u0301"]),
        (b"abab", "(?=b)", "", ["a", "ba", "b"]),
        (b"abab", "(?<=b)", "", ["ab", "ab"]),
        (b"babb", "(?=b)", "", ["ba", "b", "b"]),
        (b"a b", r"\b", "", ["a", " ", "b"]),
        (b"a\nb\nc", "^", "m", ["a\n", "b\n", "c"]),
        (b"a\nb\n", "^", "m", ["a\n", "b\n"]),
        (b"a\r\nb\r\n", "^", "m", ["a\r\n", "b\r\n"]),
        (b"a\nb\nc", "^", "", ["a\nb\nc"]),
        (b"a\nb", "$", "m", ["a", "\nb"]),
        (b"a\nb", "$", "", ["a\nb"]),
        (b"helloWorldAgain", "(?=[A-Z])", "", ["hello", "World", "Again"]),
        (b"# A\ntext\n# B\n", "^(?=# )", "m", ["# A\ntext\n", "# B\n"]),
    ],
)
def test_zero_width_delimiters_split_between_characters_and_never_at_the_ends(
    before: bytes, pattern: str, flags: str, expected: list[str]
) -> None:
    assert contents(before, pattern, flags=flags) == expected
    assert contents(before, pattern, flags=flags + "g") == expected
    assert "".join(expected).encode() == before


def test_lines_of_segments_at_zero_width_delimiters() -> None:
    assert segments(b"a\nb\nc\n", "^", flags="m") == [("a\n", 1, 1), ("b\n", 2, 2), ("c\n", 3, 3)]


@pytest.mark.parametrize(
    ("pattern", "more", "expected"),
    [
        ("x", {}, ["1", "2X3", "4", "5"]),
        ("x", {"flags": ""}, ["1", "2X3", "4", "5"]),
        ("x", {"flags": "g"}, ["1", "2X3", "4", "5"]),
        ("x", {"flags": "i"}, ["1", "2", "3", "4", "5"]),
        ("/x/i", {}, ["1", "2", "3", "4", "5"]),
        ("/x/", {"flags": "i"}, ["1", "2", "3", "4", "5"]),
        ("x", {"max_splits": 1}, ["1", "2X3x4x5"]),
        ("x", {"max_splits": 2}, ["1", "2X3", "4x5"]),
        ("x", {"max_splits": 3}, ["1", "2X3", "4", "5"]),
        ("x", {"max_splits": 99}, ["1", "2X3", "4", "5"]),
        ("x", {"flags": "i", "max_splits": 2}, ["1", "2", "3x4x5"]),
        ("y", {"max_splits": 1}, ["1x2X3x4x5"]),
        ("", {"max_splits": 2}, ["1", "x", "2X3x4x5"]),
    ],
)
def test_flags_and_a_limit_say_where_it_is_split(pattern: str, more: dict[str, Any], expected: list[str]) -> None:
    assert contents(b"1x2X3x4x5", pattern, **more) == expected


def test_the_last_segment_of_a_limited_split_has_the_lines_of_the_rest() -> None:
    assert segments(b"a\nb\nc\nd\n", "\n", max_splits=2) == [("a", 1, 1), ("b", 2, 2), ("c\nd\n", 3, 4)]


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


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"max_split": 1}, "max_splits"),
        ({"max_matches": 1}, "max_matches"),
        ({"limit": 1}, "limit"),
        ({"context_before": 1}, "context_before"),
        ({"max_splits": "some"}, "max_splits"),
    ],
)
def test_wrong_arguments_are_refused_and_named(more: dict[str, Any], named: str) -> None:
    result = ask(b"x\n", "x", **more)
    assert refused(result)["code"] == "INVALID_ARGUMENTS"
    assert named in result.text
