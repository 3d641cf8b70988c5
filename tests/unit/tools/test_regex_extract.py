"""The tool `regex_extract`: the groups of each match, without the match itself."""

import json
from typing import Any

import pytest

from suture import ToolResult
from tests.unit.changes import refused, workspace

Item = dict[str, Any]
Groups = list[str | None]


def ask(before: bytes, pattern: str, **more: Any) -> ToolResult:
    ws, _ = workspace({"a": before})
    return ws.call("regex_extract", {"file_path": "a", "pattern": pattern, **more})


def extracted(result: ToolResult) -> list[Item]:
    assert not result.is_error, result.text
    assert json.loads(result.text) == result.data
    assert result.metadata == {}
    data: list[Item] = result.data
    return data


def groups(before: bytes, pattern: str, **more: Any) -> list[tuple[int, Groups]]:
    return [(each["line"], each["groups"]) for each in extracted(ask(before, pattern, **more))]


@pytest.mark.promise("regex.shapes")
@pytest.mark.parametrize(
    "pattern", [r'"(\w+)":\s*"([^"]*)"', r'/"(\w+)":\s*"([^"]*)"/g', r'"(?<k>\w+)": "(?<v>[^"]*)"']
)
def test_the_example_of_the_specification_gives_what_it_shows(pattern: str) -> None:
    ws, _ = workspace({"package.json": b'{\n\n  "name": "my-project",\n  "version": "1.0.0"\n}\n'})
    result = ws.call("regex_extract", {"file_path": "package.json", "pattern": pattern})
    assert extracted(result) == [
        {"file": "package.json", "line": 3, "groups": ["name", "my-project"]},
        {"file": "package.json", "line": 4, "groups": ["version", "1.0.0"]},
    ]
    assert result.to_dict() == {
        "isError": False,
        "content": [{"type": "text", "text": result.text}],
        "metadata": {},
    }


def test_no_match_is_an_empty_list() -> None:
    result = ask(b"one\n", "(two)")
    assert (result.is_error, result.text, result.data) == (False, "[]", [])


@pytest.mark.parametrize(
    ("before", "pattern", "more", "expected"),
    [
        (b"a1 b2\nc3\n", r"(\w)(\d)", {}, [(1, ["a", "1"]), (2, ["c", "3"])]),
        (b"a1 b2\nc3\n", r"(\w)(\d)", {"flags": "g"}, [(1, ["a", "1"]), (1, ["b", "2"]), (2, ["c", "3"])]),
        (b"a1 b2\nc3\n", r"/(\w)\d/g", {}, [(1, ["a"]), (1, ["b"]), (2, ["c"])]),
        (b"a1 b2\nc3\n", r"(\w)(\d)", {"flags": "g", "max_matches": 2}, [(1, ["a", "1"]), (1, ["b", "2"])]),
        (b"a1 b2\nc3\n", r"(\w)(\d)", {"max_matches": 1}, [(1, ["a", "1"])]),
        (b"a1 b2\nc3\n", r"(\w)(\d)", {"max_matches": 9}, [(1, ["a", "1"]), (2, ["c", "3"])]),
        (b"A\na\n", "(a)", {"flags": "i"}, [(1, ["A"]), (2, ["a"])]),
        (b"a\nb\n", "^(.)$", {}, []),
        (b"a\nb\n", "^(.)$", {"flags": "m"}, [(1, ["a"]), (2, ["b"])]),
        (b"a\nb\nc\n", "(a.b)", {"flags": "s"}, [(1, ["a\nb"])]),
        (b"a\nb\nc\n", "b\n(c)", {}, [(2, ["c"])]),
        (b"ab\n", "(a)|(b)", {"flags": "g"}, [(1, ["a", None]), (1, [None, "b"])]),
        (b"ab\n", "(a)(x)?(y*)", {}, [(1, ["a", None, ""])]),
        (b"ab\n", "(a(b))", {}, [(1, ["ab", "b"])]),
        (b"ab\n", "(?:a)(b)", {}, [(1, ["b"])]),
        (b"ab\n", "(?=(b))", {}, [(1, ["b"])]),
        (b"ab\n", "()", {}, [(1, [""])]),
        (b"a\n\n", "()$", {"flags": "gm"}, [(1, [""]), (2, [""])]),
        ("é😀\r\nü\r\n".encode(), "^(.+)$", {"flags": "gm"}, [(1, ["é😀"]), (2, ["ü"])]),
        (b"", "(a)", {}, []),
    ],
)
def test_groups_are_those_of_each_match(
    before: bytes, pattern: str, more: dict[str, Any], expected: list[tuple[int, Groups]]
) -> None:
    assert groups(before, pattern, **more) == expected


@pytest.mark.parametrize("pattern", [r"\d+", r"\\d+", "a", "(?:a)", "(?=a)b", r"a\(b\)", "[(a)]", "", "(?<=a)b|(?!c)"])
@pytest.mark.parametrize("before", [b"a1\n", b""])
def test_a_pattern_without_groups_is_told(before: bytes, pattern: str) -> None:
    result = ask(before, pattern)
    assert (refused(result)["code"], result.text) == (
        "NO_CAPTURE_GROUPS",
        f"Pattern has no capture groups: {pattern}",
    )


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
    assert len(groups(before, "(x)", **more)) == count


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"context_before": 1}, "context_before"),
        ({"context_after": 1}, "context_after"),
        ({"max_matchs": 1}, "max_matches"),
        ({"flag": "g"}, "flags"),
        ({"max_matches": []}, "max_matches"),
    ],
)
def test_wrong_arguments_are_refused_and_named(more: dict[str, Any], named: str) -> None:
    result = ask(b"x\n", "(x)", **more)
    assert refused(result)["code"] == "INVALID_ARGUMENTS"
    assert named in result.text
