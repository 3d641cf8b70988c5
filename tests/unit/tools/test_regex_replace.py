"""The tool `regex_replace`: what is replaced by what, as one change that can be looked at first and undone after."""

import json
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, ToolResult, Workspace
from suture.testing import FaultyFS, MemoryFS
from tests.unit.changes import done, hashed, recorded, refused, workspace

Item = dict[str, Any]


def ask(ws: Workspace, pattern: str, replacement: str, **more: Any) -> ToolResult:
    arguments = {"file_path": "a", "pattern": pattern, "replacement": replacement, **more}
    return ws.call("regex_replace", arguments)


def items(result: ToolResult) -> list[Item]:
    assert not result.is_error, result.text
    assert json.loads(result.text) == result.data
    data: list[Item] = result.data
    return data


def replaced(before: str, pattern: str, replacement: str, **more: Any) -> str:
    """A file's text after a call that succeeds, and whose answer says the same."""
    ws, fs = workspace({"a": before.encode()})
    listed = items(ask(ws, pattern, replacement, **more))
    after = fs.files()["a"].decode()
    lines, done_before = before.split("\n"), 0
    expected = ""
    for each in listed:
        start = sum(len(line) + 1 for line in lines[: each["line"] - 1]) + each["column"]
        assert before[start : start + len(each["original"])] == each["original"] == each["groups"][0]
        expected += before[done_before:start] + each["replacement"]
        done_before = start + len(each["original"])
    assert after == expected + before[done_before:]
    return after


def untouched(before: str, pattern: str, replacement: str, **more: Any) -> ToolResult:
    """What a call is told that is refused, and changes nothing."""
    ws, fs = workspace({"a": before.encode()})
    result = ask(ws, pattern, replacement, **more)
    assert result.is_error, result.text
    assert (fs.files(), recorded(ws)) == ({"a": before.encode()}, [])
    assert "\n" not in result.text
    return result


# The result

APP = [f"// line {number}" for number in range(1, 31)]
APP[13:16] = ["function init() {", "  var counter;", "  counter = 0;"]
APP[21:24] = ["function process() {", "  var result;", "  return result;"]
EXAMPLE = [
    {
        "file": "src/app.js",
        "line": 15,
        "column": 2,
        "original": "var counter",
        "replacement": "const counter",
        "groups": ["var counter", "counter"],
        "context_before": ["function init() {"],
        "context_after": ["  counter = 0;"],
    },
    {
        "file": "src/app.js",
        "line": 23,
        "column": 2,
        "original": "var result",
        "replacement": "const result",
        "groups": ["var result", "result"],
        "context_before": ["function process() {"],
        "context_after": ["  return result;"],
    },
]


@pytest.mark.promise("regex.shapes")
@pytest.mark.parametrize("replacement", ["const $1", "const ${1}"])
@pytest.mark.parametrize("pattern", [r"var (\w+)", r"/var (\w+)/", r"/var (\w+)/g"])
def test_the_example_of_the_specification_gives_what_it_shows(pattern: str, replacement: str) -> None:
    before = "\n".join(APP).encode()
    ws, fs = workspace({"src/app.js": before})
    arguments = {
        "file_path": "src/app.js",
        "pattern": pattern,
        "replacement": replacement,
        "context_before": 1,
        "context_after": 1,
    }
    assert items(ws.call("regex_replace", arguments | {"dry_run": True})) == EXAMPLE
    assert fs.files() == {"src/app.js": before}
    assert items(ws.call("regex_replace", arguments)) == EXAMPLE
    assert fs.files() == {"src/app.js": before.replace(b"var ", b"const ")}


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
    (change,) = recorded(ws)
    assert change["tool"] == "regex_replace"
    assert result.to_dict() == {
        "isError": False,
        "content": [{"type": "text", "text": result.text}],
        "metadata": {"change_id": change["change_id"], "files": [{"path": "a", "hash": hashed(b"one 2\n")}]},
    }


@pytest.mark.parametrize(
    ("pattern", "replacement", "count"),
    [("nowhere", "x", 0), ("one", "one", 1), ("(o)(n)", "$1$2", 1), ("$", "", 1), ("^", "", 1)],
)
def test_a_call_that_changes_nothing_is_no_change(pattern: str, replacement: str, count: int) -> None:
    ws, fs = workspace({"a": b"one two"})
    result = ask(ws, pattern, replacement)
    assert (len(items(result)), result.metadata["change_id"]) == (count, None)
    assert (fs.files(), recorded(ws)) == ({"a": b"one two"}, [])


# What is replaced


@pytest.mark.parametrize(
    ("before", "pattern", "flags", "replacement", "after"),
    [
        ("a a\na a\n", "a", "", "b", "b a\nb a\n"),
        ("a a\na a\n", "a", "g", "b", "b b\nb b\n"),
        ("a A\nA a\n", "a", "i", "b", "b A\nb a\n"),
        ("a A\nA a\n", "a", "gi", "b", "b b\nb b\n"),
        ("a\na\n", "^a", "g", "b", "b\na\n"),
        ("a\na\n", "^a", "gm", "b", "b\nb\n"),
        ("a\na\n", "a$", "gm", "b", "b\nb\n"),
        ("a\na\n", "a$", "g", "b", "a\na\n"),
        ("a\nb\n", "a.b", "s", "c", "c\n"),
        ("a\nb\n", "a\nb\n", "", "", ""),
        ("a\nb\nc\n", "b\n", "", "", "a\nc\n"),
        ("aaa\n", "aa", "g", "b", "ba\n"),
        ("aaa\n", "a", "g", "aa", "aaaaaa\n"),
        ("ab\n", "", "g", "-", "-a-b-\n"),
        ("ab", "", "g", "-", "-a-b-"),
        ("a\nb\n", "^", "gm", "> ", "> a\n> b\n"),
        ("a\nb\n", "^", "g", "> ", "> a\nb\n"),
        ("a\nb\n", "$", "gm", ";", "a;\nb;\n"),
        ("a\nb", "$", "g", ";", "a\nb;"),
        ("a\nb\n", "$", "g", ";", "a\nb\n"),
        ("ab cd\n", r"\b", "g", "|", "|ab| |cd|\n"),
        ("a1b2\n", r"(?<=\w)(?=\d)", "g", "_", "a_1b_2\n"),
        ("a\n\n\n\nb\n", "\n{3,}", "g", "\n\n", "a\n\nb\n"),
        ("a\nb\na\n", "a\nb|a", "", "x", "x\nx\n"),
        ("é a 😀 a\n", "a", "g", "ü", "é ü 😀 ü\n"),
        ("a  \nb\t\n", r"[ \t]+$", "gm", "", "a\nb\n"),
    ],
)
def test_the_matches_are_replaced_and_nothing_else(
    before: str, pattern: str, flags: str, replacement: str, after: str
) -> None:
    assert replaced(before, pattern, replacement, flags=flags) == after


@pytest.mark.promise("regex.template")
@pytest.mark.parametrize(
    ("before", "pattern", "replacement", "after"),
    [
        ("ab", "(a)(b)", "$2$1", "ba"),
        ("ab", "(a)(b)", "${2}${1}", "ba"),
        ("ab", "(a)(b)", "<$1>", "<a>"),
        ("ab", "(a)(b)", "$11", "a1"),
        ("ab", "(a)(b)", "$12", "a2"),
        ("ab", "(a)(b)", "${1}2", "a2"),
        ("ab", "(a)(b)", "$1x", "ax"),
        ("ab", "(a)(b)", "$1_$2", "a_b"),
        ("abcdefghijkl", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)(l)", "$12-$1-$11-${1}2", "l-a-k-a2"),
        ("abcdefghijkl", "(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)(l)", "$13", "a3"),
        ("ab", "(?<first>a)(?<second>b)", "${second}${first}", "ba"),
        ("ab", "(?P<first>a)(?P<second>b)", "${second}${first}", "ba"),
        ("ab", "(?<first>a)(?<second>b)", "$2$1", "ba"),
        ("ab", "(?<first>a)(b)", "$2${first}", "ba"),
        ("ab", "a", "$$", "$b"),
        ("ab", "(a)", "$$1", "$1b"),
        ("ab", "(a)", "$$$1", "$ab"),
        ("ab", "(a)", "$$$$", "$$b"),
        ("ab", "(a)", "$", "$b"),
        ("ab", "(a)", "x$", "x$b"),
        ("ab", "(a)", "$ 1", "$ 1b"),
        ("ab", "(a)", "[$&]", "[a]b"),
        ("ab", "b", "[$&$&]", "a[bb]"),
        ("abc", "b", "[$`]", "a[a]c"),
        ("abc", "b", "[$']", "a[c]c"),
        ("ab", "(a)", "$0", "$0b"),
        ("ab", "(?<n>a)", "[$<n>]", "[a]b"),
        ("ab", "(?<n>a)", "$<n", "$<nb"),
        ("ab", "(a)", "$<n>", "$<n>b"),
        ("ab", "(?<n>a)", "$n", "$nb"),
        ("ab", "(a)", "${", "${b"),
        ("ab", "(a)", "${}", "${}b"),
        ("ab", "(a)", "$x$1", "$xab"),
        ("ab", "a", r"\1 \g<1> \n \\", r"\1 \g<1> \n \\b"),
        ("ab", "(a)", r"\\1 \n \0 \g<x> \k", r"\\1 \n \0 \g<x> \kb"),
        ("ab", "a", "", "b"),
        ("ab", "(a)(x)?", "[$1$2]", "[a]b"),
        ("ab", "(a)|(b)", "<$1|$2>", "<a|>b"),
        ("ab", "(a)(x*)", "[$2]", "[]b"),
        ("$1", r"(\$)(1)", "$1$2$2", "$11"),
        ("ab", "(a)", "$1\n$1", "a\nab"),
        ("éb", "(é)", "$1$1😀", "éé😀b"),
    ],
)
def test_a_replacement_may_name_groups_the_match_and_what_is_around_it_and_any_other_dollar_is_literal(
    before: str, pattern: str, replacement: str, after: str
) -> None:
    assert replaced(before, pattern, replacement) == after


@pytest.mark.parametrize(
    ("pattern", "replacement", "text"),
    [
        ("(a)(b)", "$5", "Invalid capture group: $5 (only 2 groups in pattern)"),
        ("(a)(b)", "$1$3", "Invalid capture group: $3 (only 2 groups in pattern)"),
        ("(a)(b)", "x$9y", "Invalid capture group: $9 (only 2 groups in pattern)"),
        ("(?<n>a)(?<m>b)", "${n}$3", "Invalid capture group: $3 (only 2 groups in pattern)"),
        ("(?:a)(b)(?=(c))", "$3", "Invalid capture group: $3 (only 2 groups in pattern)"),
        ("(?<n>a)", "$<m>", "Invalid capture group: $<m> (only 1 group in pattern)"),
        ("(a)(b)", r"x\2", r"Invalid capture group: \2 (write $2)"),
        ("(a)(b)", r"\5", r"Invalid capture group: \5 (only 2 groups in pattern)"),
        ("(a)(b)", r"\g<1>", r"Invalid capture group: \g<1> (write $1)"),
        ("(a)(b)", r"\g<0>", r"Invalid capture group: \g<0> (write $&)"),
        ("(?<n>a)", r"\g<n>", r"Invalid capture group: \g<n> (write ${n})"),
        ("(?<n>a)", r"\k{n}", r"Invalid capture group: \k{n} (write ${n})"),
    ],
)
def test_a_group_that_the_pattern_has_not_is_told(pattern: str, replacement: str, text: str) -> None:
    result = untouched("abc\n", pattern, replacement)
    assert (refused(result)["code"], result.text) == ("INVALID_CAPTURE_GROUP", text)


@pytest.mark.promise("regex.template")
@pytest.mark.parametrize(("pattern", "replacement"), [("a", "$1"), ("(a)", "$2"), ("(a)", "${2}"), ("(a)(b)", "${5}")])
def test_a_group_that_the_pattern_has_not_is_refused(pattern: str, replacement: str) -> None:
    assert refused(untouched("ab\n", pattern, replacement))["code"] == "INVALID_CAPTURE_GROUP"


@pytest.mark.parametrize(
    ("pattern", "more", "context"),
    [
        ("three", {}, ([], [])),
        ("three", {"context_before": 1}, (["two"], [])),
        ("three", {"context_after": 1}, ([], [""])),
        ("three", {"context_before": 9, "context_after": 9}, (["one", "two"], ["", "five"])),
        ("two\nthree", {"context_before": 1, "context_after": 1}, (["one"], [""])),
        ("one", {"context_before": 1}, ([], [])),
        ("five", {"context_after": 1}, ([], [])),
    ],
)
def test_context_is_whole_lines_around_the_match(
    pattern: str, more: dict[str, Any], context: tuple[list[str], list[str]]
) -> None:
    ws, _ = workspace({"a": b"one\ntwo\nthree\n\nfive\n"})
    (item,) = items(ask(ws, pattern, "x", **more))
    assert (item["context_before"], item["context_after"]) == context


def test_lines_and_columns_are_those_before_the_change() -> None:
    ws, fs = workspace({"a": b"a a\na\n"})
    listed = items(ask(ws, "a", "long\nlines\n", flags="g"))
    assert [(each["line"], each["column"]) for each in listed] == [(1, 0), (1, 2), (2, 0)]
    assert fs.files() == {"a": b"long\nlines\n long\nlines\n\nlong\nlines\n\n"}


# Limits


@pytest.mark.promise("regex.contract")
@pytest.mark.parametrize(
    ("limit", "flags", "text"),
    [
        (1, "", "Max replacements exceeded: 2 (limit: 1)"),
        (2, "g", "Max replacements exceeded: 4 (limit: 2)"),
        (3, "g", "Max replacements exceeded: 4 (limit: 3)"),
    ],
)
@pytest.mark.parametrize("dry_run", [False, True])
def test_more_replacements_than_allowed_are_refused(limit: int, flags: str, text: str, *, dry_run: bool) -> None:
    result = untouched("a a\na a\n", "a", "b", flags=flags, max_replacements=limit, dry_run=dry_run)
    assert (refused(result)["code"], result.text) == ("TOO_MANY_REPLACEMENTS", text)


def test_the_example_of_too_many_replacements_is_told_as_it_is_written() -> None:
    result = untouched("a\n" * 1000, "a", "b", max_replacements=500)
    assert result.text == "Max replacements exceeded: 1000 (limit: 500)"


@pytest.mark.parametrize(("limit", "flags"), [(2, ""), (3, ""), (4, "g"), (None, "g")])
def test_as_many_replacements_as_allowed_are_made(limit: int | None, flags: str) -> None:
    after = replaced("a a\na a\n", "a", "b", flags=flags, max_replacements=limit)
    assert after == ("b b\nb b\n" if flags else "b a\nb a\n")


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
    assert refused(untouched(before, pattern, "x", dry_run=dry_run))["code"] == "OVER_MATCH"
    assert replaced(before, pattern, "x", allow_over_match=True).removeprefix("before\n") == "x\n"


@pytest.mark.promise("regex.over-match")
@pytest.mark.parametrize(
    ("before", "pattern", "after"),
    [
        (blocks(16) + "start\nend\n", r"start[^]*end", "x\n"),
        (blocks(17), r"/start[^]*?end/g", "x\n" * 17),
        ("start\n" + "line\n" * 60 + "end\n", r"start[^]*end", "x\n"),
    ],
)
def test_a_match_of_few_lines_or_without_others_is_replaced(before: str, pattern: str, after: str) -> None:
    assert replaced(before, pattern, "x") == after


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
    assert (fs.files(), recorded(ws), done(dry)["change_id"]) == ({"a": before}, [], None)
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
    assert ([each.name for each in tmp_path.iterdir()], tmp_path.stat().st_mtime_ns) == (["a"], folder)


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
    assert done(ws.call("undo", {}))["undone"] == result.metadata["change_id"]
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (before, mode)


def test_a_change_through_a_link_changes_the_file_and_keeps_the_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"x\n")
    (tmp_path / "a").symlink_to("real")
    result = ask(Workspace(tmp_path, Settings(durability="fast")), "x", "y")
    assert [each["file"] for each in items(result)] == ["real"]
    assert result.metadata["files"] == [{"path": "real", "hash": hashed(b"y\n")}]
    assert ((tmp_path / "real").read_bytes(), (tmp_path / "a").is_symlink()) == (b"y\n", True)


# Files that others change


@pytest.mark.parametrize("dry_run", [False, True])
def test_an_expected_hash_is_held_against_the_file(*, dry_run: bool) -> None:
    ws, fs = workspace({"a": b"x\n"})
    result = ask(ws, "x", "y", expect_hash=hashed(b"other\n"), dry_run=dry_run)
    assert refused(result)["code"] == "FILE_CHANGED"
    assert result.text == "File modified during operation: a (another process changed it)"
    assert fs.files() == {"a": b"x\n"}
    assert len(items(ask(ws, "x", "y", expect_hash=hashed(b"x\n"), dry_run=dry_run))) == 1


def restless(fs: MemoryFS, times: int) -> Workspace:
    """A workspace whose file gets another line each of the first times that it is opened."""
    left = iter(range(times))

    def grow(_: int, __: str) -> None:
        if next(left, None) is not None:
            fs.put("a", fs.files()["a"] + b"x\n")

    return Workspace(fs.root, fs=FaultyFS(fs, only={"open_file"}, on_call=grow))


def test_a_change_is_planned_again_on_what_another_process_wrote() -> None:
    fs = MemoryFS({"a": b"x\n"})
    listed = items(ask(restless(fs, 2), "x", "y"))
    assert set(fs.files()["a"].split(b"\n")) == {b"y", b""}
    assert len(listed) == fs.files()["a"].count(b"y") > 1


@pytest.mark.promise("regex.changed")
def test_a_file_that_never_stands_still_is_refused_in_the_end() -> None:
    fs = MemoryFS({"a": b"x\n"})
    result = ask(restless(fs, 1000), "x", "y")
    assert (refused(result)["code"], refused(result)["retryable"]) == ("FILE_CHANGED", True)
    assert result.text == "File modified during operation: a (another process changed it)"
    assert b"y" not in fs.files()["a"]


# Arguments


@pytest.mark.parametrize("validate", ["off", "warn"])
def test_validate_is_accepted(validate: str) -> None:
    assert replaced("a\n", "a", "b", validate=validate) == "b\n"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"file_path": "a", "pattern": "x"}, "replacement"),
        ({"file_path": "a", "replacement": "x"}, "pattern"),
        ({"pattern": "x", "replacement": "x"}, "file_path"),
        ({"file_path": "a", "pattern": "x", "replacement": 3}, "replacement"),
        ({"file_path": "a", "pattern": "x", "replacement": "y", "dry_rum": True}, "dry_run"),
        ({"file_path": "a", "pattern": "x", "replacement": "y", "max_replacement": 1}, "max_replacements"),
        ({"file_path": "a", "pattern": "x", "replacement": "y", "allow_overmatch": True}, "allow_over_match"),
        ({"file_path": "a", "pattern": "x", "replacement": "y", "expect_hash": "md5:0"}, "expect_hash"),
        ({"file_path": "a", "pattern": "x", "replacement": "y", "max_matches": 1}, "max_matches"),
        ({"file_path": "a", "pattern": "x", "replacement": "y", "dry_run": "perhaps"}, "dry_run"),
    ],
)
def test_wrong_arguments_are_refused_and_named(arguments: dict[str, Any], named: str) -> None:
    ws, fs = workspace({"a": b"x\n"})
    result = ws.call("regex_replace", arguments)
    assert refused(result)["code"] == "INVALID_ARGUMENTS"
    assert named in result.text
    assert fs.files() == {"a": b"x\n"}


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


@pytest.mark.promise("regex.bounded")
def test_a_result_that_is_too_large_is_refused() -> None:
    fs = MemoryFS({"a": b"x" * 1_000 + b"\n" + b"y\n" * 500})
    ws = Workspace(fs.root, Settings(max_result_bytes=50_000), fs=fs)
    arguments = {"pattern": "y", "context_before": 500}
    for tool, where in (("regex_search", {"file_path": "a"}), ("regex_search_multi", {"path_pattern": "*"})):
        result = ws.call(tool, {**where, **arguments})
        assert result.metadata["error"]["code"] == "INPUT_TOO_LARGE"
        assert result.text.startswith("Too large: The result has ")
        assert result.text.endswith("setting max_result_bytes)")


def test_a_file_with_two_names_is_changed_once(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\n")
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    workspace = Workspace(tmp_path)
    for dry_run in (True, False):
        arguments = {"path_pattern": "*", "pattern": "x", "replacement": "y", "dry_run": dry_run}
        assert [row["file"] for row in workspace.call("regex_replace_multi", arguments).data] == ["a"]
    assert [(tmp_path / name).read_text() for name in "ab"] == ["y\n", "y\n"]
