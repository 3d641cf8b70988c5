"""The tool `regex_search`: its parameters, its result, and which matches of a file it gives."""

import json
from pathlib import Path
from typing import Any

import pytest

from suture import ToolResult, Workspace
from tests.unit.changes import refused, workspace

Match = dict[str, Any]
Place = tuple[int, int, str]


def ask(before: bytes, pattern: str, **more: Any) -> ToolResult:
    ws, _ = workspace({"a": before})
    return ws.call("regex_search", {"file_path": "a", "pattern": pattern, **more})


def found(result: ToolResult) -> list[Match]:
    assert not result.is_error, result.text
    assert json.loads(result.text) == result.data
    data: list[Match] = result.data
    return data


def places(before: bytes, pattern: str, **more: Any) -> list[Place]:
    return [(each["line"], each["column"], each["match"]) for each in found(ask(before, pattern, **more))]


def contexts(before: bytes, pattern: str, **more: Any) -> list[tuple[list[str], list[str]]]:
    return [(each["context_before"], each["context_after"]) for each in found(ask(before, pattern, **more))]


# The result

APP = [f"// line {number}" for number in range(1, 61)]
APP[39:43] = ["", "// Request handler", "wrap(function handleRequest(req) {", "  const user = getCurrentUser();"]
EXAMPLE = {
    "file": "src/app.js",
    "line": 42,
    "column": 5,
    "match": "function handleRequest",
    "groups": ["function handleRequest", "handleRequest"],
    "context_before": ["", "// Request handler"],
    "context_after": ["  const user = getCurrentUser();"],
}


@pytest.mark.promise("regex.shapes")
@pytest.mark.parametrize("pattern", [r"function\s+(\w+)", r"/function\s+(\w+)/", r"/function\s+(\w+)/g"])
def test_the_example_of_the_specification_gives_what_it_shows(pattern: str) -> None:
    ws, _ = workspace({"src/app.js": "\n".join(APP).encode()})
    arguments = {"file_path": "src/app.js", "pattern": pattern, "context_before": 2, "context_after": 1}
    assert found(ws.call("regex_search", arguments)) == [EXAMPLE]


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


def test_no_match_is_an_empty_list() -> None:
    result = ask(b"one\n", "two")
    assert (result.is_error, result.text, result.data, result.metadata) == (False, "[]", [], {})


@pytest.mark.parametrize("path", ["sub/b.txt", "./sub/b.txt", "link", "sub/../sub/b.txt"])
def test_a_file_is_named_relative_to_the_root_by_its_final_path(tmp_path: Path, path: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/b.txt").write_bytes(b"x\n")
    (tmp_path / "link").symlink_to("sub/b.txt")
    ws = Workspace(tmp_path)
    for each in (path, str(tmp_path / path)):
        assert [m["file"] for m in found(ws.call("regex_search", {"file_path": each, "pattern": "x"}))] == ["sub/b.txt"]


def test_a_search_changes_nothing_on_disk(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x\n")
    before, folder = path.stat(), tmp_path.stat()
    found(Workspace(tmp_path).call("regex_search", {"file_path": "a", "pattern": "x"}))
    assert (path.stat().st_mtime_ns, tmp_path.stat().st_mtime_ns) == (before.st_mtime_ns, folder.st_mtime_ns)
    assert [each.name for each in tmp_path.iterdir()] == ["a"]


# Flags

TEXT = b"ab aB\nAb ab\n\nb\n"


@pytest.mark.promise("regex.flags")
@pytest.mark.parametrize(
    ("pattern", "flags", "expected"),
    [
        ("ab", None, [(1, 0, "ab"), (2, 3, "ab")]),
        ("ab", "", [(1, 0, "ab"), (2, 3, "ab")]),
        ("ab", "i", [(1, 0, "ab"), (2, 0, "Ab")]),
        ("ab", "gi", [(1, 0, "ab"), (1, 3, "aB"), (2, 0, "Ab"), (2, 3, "ab")]),
        ("ab", "ig", [(1, 0, "ab"), (1, 3, "aB"), (2, 0, "Ab"), (2, 3, "ab")]),
        ("ab", "giu", [(1, 0, "ab"), (1, 3, "aB"), (2, 0, "Ab"), (2, 3, "ab")]),
        ("ab", "u", [(1, 0, "ab"), (2, 3, "ab")]),
        ("^a", "g", [(1, 0, "a")]),
        ("^a", "i", [(1, 0, "a")]),
        ("^a", "gm", [(1, 0, "a")]),
        ("^a", "im", [(1, 0, "a"), (2, 0, "A")]),
        ("b$", "g", []),
        ("b\n$", "g", [(4, 0, "b\n")]),
        ("b$", "m", [(2, 4, "b"), (4, 0, "b")]),
        ("b$", "gim", [(1, 4, "B"), (2, 4, "b"), (4, 0, "b")]),
        ("B.A", "g", []),
        ("B.A", "s", [(1, 4, "B\nA")]),
        ("b.+b", "g", [(2, 1, "b ab")]),
        ("b.+b", "gs", [(1, 1, "b aB\nAb ab\n\nb")]),
        ("B$.^A", "gms", [(1, 4, "B\nA")]),
        ("b$..^$..^a", "gimsu", []),
        ("b$.^$.^b", "gimsu", [(2, 4, "b\n\nb")]),
    ],
)
def test_flags_say_which_matches_there_are(pattern: str, flags: str | None, expected: list[Place]) -> None:
    assert places(TEXT, pattern, **({} if flags is None else {"flags": flags})) == expected


@pytest.mark.promise("regex.delimited")
@pytest.mark.parametrize(
    ("pattern", "flags", "same_as", "its_flags"),
    [
        ("/ab/", "", "ab", ""),
        ("/ab/g", "", "ab", "g"),
        ("/ab/gi", "", "ab", "gi"),
        ("/AB/iu", "", "AB", "i"),
        ("/^b$/gimsu", "", "^b$", "gm"),
        ("/ab/", "gi", "ab", "gi"),
        ("/AB/i", "g", "AB", "i"),
        ("/ab/g", "i", "ab", "g"),
        (r"/A\/B/i", "", "a/b", "i"),
        ("/a/b/", "", "a/b", ""),
        ("/a/b/g", "", "a/b", "g"),
        ("/usr/local/bin", "", r"\/usr\/local\/bin", ""),
        ("/usr", "", r"\/usr", ""),
        ("/USR", "i", r"\/usr", ""),
        ("/", "g", r"\/", "g"),
        ("/usr/xyz", "g", r"[/]usr[/]xyz", "g"),
        ("/usr/local/", "", "usr/local", ""),
        (" /usr/", "", r" [/]usr[/]", ""),
        ("a/b/g", "", r"a\/b\/g", ""),
    ],
)
def test_a_delimited_pattern_brings_its_flags(pattern: str, flags: str, same_as: str, its_flags: str) -> None:
    text = b"ab AB aB\nb\na/b a/b a/b/g\n /usr/local/bin/ /usr/ /usr/xyz\nusr/local A/B\n"
    plain = places(text, same_as, flags=its_flags)
    assert plain != []
    assert places(text, pattern, flags=flags) == plain


@pytest.mark.promise("regex.flags")
@pytest.mark.parametrize(
    ("before", "pattern", "expected"),
    [
        (b"a a a\nb\na a\n", "a", [(1, 0, "a"), (3, 0, "a")]),
        (b"x a\nx a", "a", [(1, 2, "a"), (2, 2, "a")]),
        (b"b\na a\n", "b\na|a", [(1, 0, "b\na"), (2, 2, "a")]),
        (b"b b\na b\na b\n", "b\na", [(1, 2, "b\na"), (2, 2, "b\na")]),
        (b"aa\naa\n", "", [(1, 0, ""), (2, 0, "")]),
        (b"ab\n\ncd", r"\b", [(1, 0, ""), (3, 0, "")]),
        (b"a\n\n\nb", "\n+", [(1, 1, "\n\n\n")]),
    ],
)
def test_without_g_the_first_match_that_starts_on_a_line_is_kept(
    before: bytes, pattern: str, expected: list[Place]
) -> None:
    assert places(before, pattern) == expected


# Zero-width matches


@pytest.mark.promise("regex.flags")
@pytest.mark.parametrize(
    ("before", "pattern", "flags", "expected"),
    [
        (b"ab\n", "", "g", [(1, 0, ""), (1, 1, ""), (1, 2, "")]),
        (b"ab", "", "g", [(1, 0, ""), (1, 1, ""), (1, 2, "")]),
        (b"a\n\n", "", "g", [(1, 0, ""), (1, 1, ""), (2, 0, "")]),
        (b"\n", "", "g", [(1, 0, "")]),
        (b"", "", "g", [(1, 0, "")]),
        (b"a\nb\n", "^", "g", [(1, 0, "")]),
        (b"a\nb\n", "^", "gm", [(1, 0, ""), (2, 0, "")]),
        (b"a\nb", "^", "gm", [(1, 0, ""), (2, 0, "")]),
        (b"a\n\n", "^", "gm", [(1, 0, ""), (2, 0, "")]),
        (b"a\nb\n", "$", "g", []),
        (b"a\nb", "$", "g", [(2, 1, "")]),
        (b"a\nb\n", "$", "gm", [(1, 1, ""), (2, 1, "")]),
        (b"a\nb", "$", "gm", [(1, 1, ""), (2, 1, "")]),
        (b"a\n\nb\n", "^$", "gm", [(2, 0, "")]),
        (b"a\n\n", "^$", "gm", [(2, 0, "")]),
        (b"a\n", "^$", "gm", []),
        (b"ab cd\n", r"\b", "g", [(1, 0, ""), (1, 2, ""), (1, 3, ""), (1, 5, "")]),
        (b"ab\n", r"\B", "g", [(1, 1, "")]),
        (b"abcb\n", "(?=b)", "g", [(1, 1, ""), (1, 3, "")]),
        (b"abcb\n", "(?<=b)", "g", [(1, 2, ""), (1, 4, "")]),
        (b"abc\n", "(?<!b)(?!b)", "g", [(1, 0, ""), (1, 3, "")]),
        (b"a\n", r"(?<=\n)", "g", []),
        (b"a\nb", r"(?<=\n)", "g", [(2, 0, "")]),
        (b"baac\n", "a*", "g", [(1, 0, ""), (1, 1, "aa"), (1, 3, ""), (1, 4, "")]),
        (b"a\nbc\n", "^|c", "gm", [(1, 0, ""), (2, 0, ""), (2, 1, "c")]),
    ],
)
def test_zero_width_matches_count_except_after_the_final_newline(
    before: bytes, pattern: str, flags: str, expected: list[Place]
) -> None:
    assert places(before, pattern, flags=flags) == expected


# Groups


@pytest.mark.parametrize(
    ("before", "pattern", "groups"),
    [
        (b"abc\n", "b", [["b"]]),
        (b"abc\n", "(a)(b)(c)", [["abc", "a", "b", "c"]]),
        (b"abc\n", "(a(b)(?:c))", [["abc", "abc", "b"]]),
        (b"abc\n", "(a)|(c)", [["a", "a", None]]),
        (b"ac\n", "(a)(b)?(c)", [["ac", "a", None, "c"]]),
        (b"ac\n", "(a)(b*)(c)", [["ac", "a", "", "c"]]),
        (b"ac\n", "(?<first>a)(?<second>c)", [["ac", "a", "c"]]),
        (b"ac\n", "(?P<first>a)(c)", [["ac", "a", "c"]]),
        (b"ac\n", "(?<none>b)?(?<some>c)", [["c", None, "c"]]),
        (b"a1\nb2\n", r"(\w)(\d)", [["a1", "a", "1"], ["b2", "b", "2"]]),
        (b"ab\ncd\n", "(b)\n(c)", [["b\nc", "b", "c"]]),
        (b"abcdefghijkl\n", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", [["abcdefghijk", *"abcdefghijk"]]),
        (b"ab\n", "a(?=(b))", [["a", "b"]]),
    ],
)
def test_groups_begin_with_the_match_and_hold_null_for_what_did_not_match(
    before: bytes, pattern: str, groups: list[list[str | None]]
) -> None:
    assert [each["groups"] for each in found(ask(before, pattern))] == groups


# Context

FIVE = b"one\n\nthree\nfour\nfive\n"


@pytest.mark.parametrize(
    ("before", "pattern", "more", "expected"),
    [
        (FIVE, "three", {}, [([], [])]),
        (FIVE, "three", {"context_before": 1}, [([""], [])]),
        (FIVE, "three", {"context_after": 1}, [([], ["four"])]),
        (FIVE, "three", {"context_before": 2, "context_after": 2}, [(["one", ""], ["four", "five"])]),
        (FIVE, "three", {"context_before": 99, "context_after": 99}, [(["one", ""], ["four", "five"])]),
        (FIVE, "three", {"context_before": 0, "context_after": 0}, [([], [])]),
        (FIVE, "one", {"context_before": 2, "context_after": 1}, [([], [""])]),
        (FIVE, "five", {"context_before": 1, "context_after": 2}, [(["four"], [])]),
        (FIVE, "f", {"context_before": 1, "context_after": 1}, [(["three"], ["five"]), (["four"], [])]),
        (FIVE, "three\nfour", {"context_before": 1, "context_after": 1}, [([""], ["five"])]),
        (FIVE, r"one[^]*four", {"context_before": 1, "context_after": 1}, [([], ["five"])]),
        (FIVE, r"[^]+", {"context_before": 1, "context_after": 1}, [([], [])]),
        (FIVE, "three\n", {"context_after": 1}, [([], ["four"])]),
        (b"a\nb", "a", {"context_after": 3}, [([], ["b"])]),
        (b"a\nb", "b", {"context_before": 3, "context_after": 3}, [(["a"], [])]),
        (b"a\n\n", "a", {"context_after": 3}, [([], [""])]),
        (b"a\r\n\r\nb\r\nc\r\n", "b", {"context_before": 2, "context_after": 2}, [(["a", ""], ["c"])]),
        (b"a\r\nb\nc\r\n", "b", {"context_before": 2, "context_after": 2}, [(["a"], ["c"])]),
        (b"a\rb\rc", "b", {"context_before": 2, "context_after": 2}, [(["a"], ["c"])]),
        (b"a\r\r\nb\nc\r", "b", {"context_before": 1, "context_after": 1}, [(["a\r"], ["c\r"])]),
        (b"\r\r\nb\n\r", "b", {"context_before": 1, "context_after": 1}, [(["\r"], ["\r"])]),
        (b"  a \n\tb\n", "b", {"context_before": 1}, [(["  a "], [])]),
        ("\ufeffä\nb\n".encode(), "b", {"context_before": 1}, [(["ä"], [])]),
    ],
)
def test_context_is_whole_lines_around_the_match_within_the_file(
    before: bytes, pattern: str, more: dict[str, Any], expected: list[tuple[list[str], list[str]]]
) -> None:
    assert contexts(before, pattern, **more) == expected


def test_every_match_on_a_line_has_the_same_context() -> None:
    assert contexts(b"x\na a\ny\n", "a", flags="g", context_before=1, context_after=1) == [(["x"], ["y"])] * 2


# Limits


@pytest.mark.promise("regex.contract")
@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, [(1, 0), (2, 0), (3, 0)]),
        ({"max_matches": None}, [(1, 0), (2, 0), (3, 0)]),
        ({"max_matches": 1}, [(1, 0)]),
        ({"max_matches": 2}, [(1, 0), (2, 0)]),
        ({"max_matches": 3}, [(1, 0), (2, 0), (3, 0)]),
        ({"max_matches": 99}, [(1, 0), (2, 0), (3, 0)]),
        ({"max_matches": 3, "flags": "g"}, [(1, 0), (1, 2), (2, 0)]),
    ],
)
def test_max_matches_cuts_the_list(more: dict[str, Any], expected: list[tuple[int, int]]) -> None:
    assert [(line, column) for line, column, _ in places(b"a a\na a\na a\n", "a", **more)] == expected


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


def test_a_binary_file_searched_as_text_has_lines_and_columns() -> None:
    before = b"a\0b\n\0\0needle\0\n"
    assert places(before, "needle", binary_check_buffer_size=0) == [(2, 2, "needle")]
    assert places(before, r"\0", binary_check_buffer_size=-1) == [(1, 1, "\0"), (2, 0, "\0")]


# Arguments


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"file_path": "a", "pattern": "x", "contxt_before": 1}, "context_before"),
        ({"file_path": "a", "pattern": "x", "max_match": 1}, "max_matches"),
        ({"file_path": "a", "patern": "x"}, "pattern"),
        ({"file_path": "a"}, "pattern"),
        ({"pattern": "x"}, "file_path"),
        ({}, "file_path"),
        ({"file_path": "a", "pattern": 3}, "pattern"),
        ({"file_path": "a", "pattern": ["x"]}, "pattern"),
        ({"file_path": "a", "pattern": "x", "flags": 1}, "flags"),
        ({"file_path": "a", "pattern": "x", "context_before": "many"}, "context_before"),
        ({"file_path": "a", "pattern": "x", "max_matches": 1.5}, "max_matches"),
        ({"file_path": "a", "pattern": "x", "dry_run": True}, "dry_run"),
        ({"file_path": "a", "pattern": "x", "replacement": "y"}, "replacement"),
    ],
)
def test_wrong_arguments_are_refused_and_named(arguments: dict[str, Any], named: str) -> None:
    ws, _ = workspace({"a": b"x\n"})
    result = ws.call("regex_search", arguments)
    assert refused(result)["code"] == "INVALID_ARGUMENTS"
    assert named in result.text
