"""The tool `safe_edit`: the tests that the specification lists, arguments, paths, whole contents, diffs, and undo."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, Workspace
from suture.testing import FaultyFS, MemoryFS
from tests.unit.changes import done, git_apply, hashed, recorded, refused, workspace
from tests.unit.file_edits import seen
from tests.unit.tools.safe_edits import (
    FIELDS,
    NOTHING,
    SAVED,
    Folder,
    ask,
    code_of,
    codes,
    edited,
    errors,
    failed,
    line,
    memory,
    pattern,
    swap,
    told,
)

TEXT = b"line 1\nline 2\nline 3\n"
NO_MODE = "At least one edit mode must be specified (content, line_edits, or search_replace)"
TWO_MODES = "Only one edit mode can be specified at a time"
EVERY_WAY: list[dict[str, Any]] = [
    {"content": "line 1\nnew\nline 3\n"},
    {"line_edits": [line(2, 2, "new\n")]},
    {"search_replace": swap("line 2", "new")},
    {"search_replace": pattern(r"\w+ 2", "new")},
]


# 1. Input validation


@pytest.mark.promise("safe.modes")
def test_input_requires_one_edit_mode() -> None:
    for arguments in ({}, {"content": None, "line_edits": None, "search_replace": None}, {"mode": "verify_only"}):
        result = failed_arguments(**arguments)
        assert NO_MODE in result


@pytest.mark.promise("safe.modes")
def test_input_rejects_multiple_edit_modes() -> None:
    ways: dict[str, Any] = {"content": "", "line_edits": [], "search_replace": swap("a", "b")}
    assert TWO_MODES in failed_arguments(**ways)
    for left_out in ways:
        assert TWO_MODES in failed_arguments(**{name: way for name, way in ways.items() if name != left_out})


@pytest.mark.promise("safe.lines")
def test_line_edit_validates_range() -> None:
    assert "end_line (3) must be >= start_line (5)" in failed_arguments(line_edits=[line(5, 3, "x")])
    assert "end_line (1) must be >= start_line (2)" in failed_arguments(line_edits=[line(1, 1, "x"), line(2, 1, "x")])


@pytest.mark.promise("safe.search")
def test_search_replace_validates_count() -> None:
    for regex in (False, True):
        assert "count must be >= 0" in failed_arguments(search_replace=swap("a", "b", count=-1, regex=regex))


def failed_arguments(**arguments: Any) -> str:
    """The text that tells why a call was not understood; nothing has changed."""
    ws, fs = memory(a=TEXT)
    untouched = seen(fs)
    result = ask(ws, "a.txt", **arguments)
    assert code_of(result) == "INVALID_ARGUMENTS", result.text
    assert seen(fs) == untouched
    return result.text


# 2. Content mode


@pytest.mark.promise("safe.texts")
def test_content_mode_full_file_rewrite() -> None:
    ws, fs = memory(a=TEXT)
    result = ask(ws, "a.txt", content="all\nnew\n")
    assert done(result)["written"]
    assert told(result).status == SAVED
    assert fs.files() == {"a.txt": b"all\nnew\n"}


@pytest.mark.process
@pytest.mark.promise("safe.new-errors")
def test_content_mode_with_validation(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="x = 1\n")
    assert code_of(folder.ask("a.py", content="x = (\n")) == "VALIDATION_FAILED"
    assert folder.read("a.py") == "x = 1\n"
    done(folder.ask("a.py", content="x = (1)\n"))
    assert folder.read("a.py") == "x = (1)\n"


# 3. Line edits


@pytest.mark.promise("safe.lines")
def test_line_edit_single_line() -> None:
    assert edited(TEXT, line_edits=[line(2, 2, "new\n")]) == b"line 1\nnew\nline 3\n"


@pytest.mark.promise("safe.lines")
def test_line_edit_multiple_lines() -> None:
    assert edited(TEXT, line_edits=[line(1, 2, "a\nb\nc\n")]) == b"a\nb\nc\nline 3\n"


@pytest.mark.promise("safe.lines")
def test_line_edit_multiple_ranges() -> None:
    edits = [line(3, 3, "c\n"), line(1, 1, "a\naa\n")]
    assert edited(TEXT, line_edits=edits) == b"a\naa\nline 2\nc\n"


@pytest.mark.promise("safe.lines")
def test_line_edit_out_of_bounds() -> None:
    before = b"".join(b"%d\n" % number for number in range(1, 101))
    result = failed(before, line_edits=[line(500, 510, "x\n")])
    assert result.text.startswith("❌ Edit failed: start_line 500 exceeds file length (100 lines)")
    assert code_of(result) == "LINE_OUT_OF_BOUNDS"
    result = failed(before, line_edits=[line(1, 1, "x\n"), line(100, 101, "x\n")])
    assert result.text.startswith("❌ Edit failed: end_line 101 exceeds file length (100 lines)")
    assert code_of(result) == "LINE_OUT_OF_BOUNDS"


@pytest.mark.promise("safe.lines")
def test_line_edit_overlapping_ranges() -> None:
    before = b"".join(b"%d\n" % number for number in range(1, 101))
    for edits in ([line(50, 60, "x\n"), line(55, 65, "y\n")], [line(55, 65, "y\n"), line(50, 60, "x\n")]):
        result = failed(before, line_edits=edits)
        assert result.text.startswith("❌ Edit failed: Overlapping edits: lines 50-60 and 55-65")
        assert code_of(result) == "OVERLAPPING_LINES"


# 4. Search and replace


@pytest.mark.promise("safe.search")
def test_search_replace_literal() -> None:
    ws, fs = memory(a=b"a.c abc a.c a.c a.c a.c\n")
    result = ask(ws, "a.txt", search_replace=swap("a.c", "x"))
    assert told(result).status == f"✅ Replaced 5 occurrences of 'a.c' → 'x'\n{SAVED}"
    assert done(result)["replacements"] == 5
    assert fs.files() == {"a.txt": b"x abc x x x x\n"}


@pytest.mark.promise("safe.search")
def test_search_replace_regex() -> None:
    ws, fs = memory(a=b"get(a, b) and get(c, d)\n")
    result = ask(ws, "a.txt", search_replace=pattern(r"get\((\w), (?P<second>\w)\)", r"\g<second>[\1]"))
    words = r"✅ Replaced 2 occurrences of 'get\((\w), (?P<second>\w)\)' → '\g<second>[\1]'"
    assert told(result).status == f"{words}\n{SAVED}"
    assert fs.files() == {"a.txt": b"b[a] and d[c]\n"}


@pytest.mark.promise("safe.search")
@pytest.mark.parametrize("regex", [False, True])
@pytest.mark.parametrize(
    ("count", "after", "number"),
    [(1, b"x a a\n", 1), (2, b"x x a\n", 2), (9, b"x x x\n", 3), (0, b"x x x\n", 3), (None, b"x x x\n", 3)],
)
def test_search_replace_count_limit(count: int | None, after: bytes, number: int, *, regex: bool) -> None:
    ws, fs = memory(a=b"a a a\n")
    result = ask(ws, "a.txt", search_replace=swap("a", "x", count=count, regex=regex))
    assert (done(result)["replacements"], fs.files()) == (number, {"a.txt": after})
    plural = "occurrence" if number == 1 else "occurrences"
    assert told(result).status == f"✅ Replaced {number} {plural} of 'a' → 'x'\n{SAVED}"


@pytest.mark.promise("safe.search")
@pytest.mark.parametrize("before", [TEXT, b"", None])
@pytest.mark.parametrize("regex", [False, True])
def test_search_replace_pattern_not_found(before: bytes | None, *, regex: bool) -> None:
    ws, fs = workspace({} if before is None else {"a.txt": before})
    untouched = seen(fs)
    result = ask(ws, "a.txt", search_replace=swap("nope", "x", regex=regex))
    assert code_of(result) == "PATTERN_NOT_FOUND"
    assert result.text.startswith("❌ Pattern 'nope' not found in file")
    for mode in ("interactive", "verify_only"):
        result = ask(ws, "a.txt", search_replace=swap("nope", "x", regex=regex), mode=mode)
        data = done(result)
        assert result.text.startswith("⚠️ Pattern 'nope' not found (no changes made)")
        assert (data["written"], data["change_id"], data["replacements"], data["diff"]) == (False, None, 0, "")
        assert data["hash"] == (None if before is None else hashed(before))
    assert seen(fs) == untouched


@pytest.mark.promise("safe.search")
def test_search_replace_invalid_regex() -> None:
    result = failed(TEXT, search_replace=pattern("line)", "x"))
    assert result.text.startswith("❌ Edit failed: Invalid regex pattern: unbalanced parenthesis")
    assert code_of(result) == "INVALID_REGEX"


# 5. Diff preview


@pytest.mark.promise("safe.texts")
@pytest.mark.parametrize("way", EVERY_WAY)
def test_diff_preview_shown_by_default(way: dict[str, Any]) -> None:
    ws, _ = workspace({"src/x.txt": TEXT})
    result = ask(ws, "src/x.txt", **way)
    assert result.text.startswith("**Diff Preview:**\n```diff\n")
    diff = done(result)["diff"]
    assert diff.endswith("--- a/src/x.txt\n+++ b/src/x.txt\n@@ -1,3 +1,3 @@\n line 1\n-line 2\n+new\n line 3\n")
    assert told(result).diff == diff.rstrip("\n")


@pytest.mark.promise("safe.texts")
@pytest.mark.parametrize("way", EVERY_WAY)
def test_diff_preview_can_be_disabled(way: dict[str, Any]) -> None:
    ws, _ = memory(a=TEXT)
    foretold = ask(ws, "a.txt", **way, show_diff=False, mode="verify_only")
    assert foretold.text.endswith("✅ Validation Passed")
    result = ask(ws, "a.txt", **way, show_diff=False)
    assert (told(result).diff, result.text.startswith("✅ ")) == (None, True)
    assert "-line 2\n+new\n" in done(result)["diff"]


@pytest.mark.promise("safe.texts")
@pytest.mark.parametrize("mode", ["strict", "interactive"])
@pytest.mark.parametrize(
    "way",
    [
        {"content": TEXT.decode()},
        {"line_edits": []},
        {"line_edits": [line(2, 2, "line 2\n"), line(3, 3, "line 3")]},
        {"search_replace": swap("line", "line")},
        {"search_replace": pattern("(line)", r"\1")},
    ],
)
def test_diff_preview_empty_for_no_changes(way: dict[str, Any], mode: str) -> None:
    ws, fs = memory(a=TEXT)
    untouched = seen(fs)
    result = ask(ws, "a.txt", **way, mode=mode)
    data = done(result)
    assert result.text.startswith("✅ No changes")
    assert (data["written"], data["change_id"], data["diff"], data["hash"]) == (False, None, "", hashed(TEXT))
    assert data["replacements"] == (3 if "search_replace" in way else None)
    assert seen(fs) == untouched


# 6. Modes


@pytest.mark.promise("safe.modes")
@pytest.mark.parametrize("way", EVERY_WAY)
def test_verify_only_no_write(way: dict[str, Any]) -> None:
    ws, fs = memory(a=TEXT)
    untouched = seen(fs)
    result = ask(ws, "a.txt", **way, mode="verify_only")
    data = done(result)
    assert (data["written"], data["change_id"], data["hash"]) == (False, None, hashed(TEXT))
    assert told(result).status.endswith("✅ Validation Passed")
    assert seen(fs) == untouched
    assert recorded(ws) == []


@pytest.mark.process
@pytest.mark.promise("safe.modes")
@pytest.mark.promise("safe.new-errors")
def test_strict_rejects_invalid(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="x = 1\n")
    untouched = folder.state()
    result = folder.ask("a.py", content="x = 1\nprint(y)\n")
    assert code_of(result) == "VALIDATION_FAILED"
    diff, status = told(result)
    assert (diff or "").endswith("\n+print(y)")
    assert status.startswith(
        "❌ Edit rejected due to validation errors (Mode: strict):\na.py:2:7 F821 Undefined name `y`"
    )
    assert folder.state() == untouched
    assert result.data["hash"] == hashed(b"x = 1\n")
    assert recorded(folder.ws) == []


@pytest.mark.process
@pytest.mark.promise("safe.modes")
def test_interactive_writes_with_warnings(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="x = 1\n")
    result = folder.ask("a.py", content="print(y)\n", mode="interactive")
    assert told(result).status.startswith(
        f"{SAVED}\n⚠️ Saved with validation warnings (Mode: interactive):\na.py:1:7 F821 Undefined name `y`"
    )
    data = done(result)
    assert (data["written"], data["validation"]["passed"]) == (True, False)
    assert folder.read("a.py") == "print(y)\n"


# 7. With real validators


@pytest.mark.process
@pytest.mark.promise("safe.new-errors")
def test_line_edit_with_python_validator(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="def one():\n    return 1\n")
    result = folder.ask("a.py", line_edits=[line(2, 2, "    return two\n")])
    assert code_of(result) == "VALIDATION_FAILED"
    (issue,) = result.data["validation"]["new"]
    assert issue == {**issue, "path": "a.py", "line": 2, "column": 12, "severity": "error", "code": "F821"}
    done(folder.ask("a.py", line_edits=[line(2, 2, "    return 2\n")]))
    assert folder.read("a.py") == "def one():\n    return 2\n"


@pytest.mark.process
@pytest.mark.promise("safe.new-errors")
def test_search_replace_preserves_validation(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="one = 1\nprint(one)\n")
    assert code_of(folder.ask("a.py", search_replace=swap("one", "two", count=1))) == "VALIDATION_FAILED"
    result = folder.ask("a.py", search_replace=swap("one", "two"))
    assert told(result).status == f"✅ Replaced 2 occurrences of 'one' → 'two'\n{SAVED}"
    assert done(result)["validation"] == {**NOTHING, "passed": True}


@pytest.mark.process
@pytest.mark.promise("safe.modes")
def test_all_modes_validated_consistently(tmp_path: Path) -> None:
    ways: list[dict[str, Any]] = [
        {"content": "x = 1\nprint(y)\n"},
        {"line_edits": [line(2, 2, "print(y)")]},
        {"search_replace": swap("(x)", "(y)")},
        {"search_replace": pattern(r"\(x\)", "(y)")},
    ]
    for number, way in enumerate(ways):
        (tmp_path / f"{number}").mkdir()
        folder = Folder(tmp_path / f"{number}", a="x = 1\nprint(x)\n")
        verified = folder.ask("a.py", **way, mode="verify_only")
        rejected = folder.ask("a.py", **way)
        warned = folder.ask("a.py", **way, mode="interactive")
        assert (verified.is_error, rejected.is_error, warned.is_error) == (False, True, False)
        assert told(verified).status.endswith("❌ Validation Failed:\na.py:2:7 F821 Undefined name `y`")
        for each in (verified, rejected, warned):
            assert codes(errors(each.data["validation"]["new"])) == [(2, "F821")]
            assert each.data["diff"] == verified.data["diff"]


# Shapes and arguments


@pytest.mark.promise("safe.texts")
def test_a_result_has_exactly_the_specified_shape() -> None:
    ws, _ = memory(a=TEXT)
    result = ask(ws, "a.txt", search_replace=swap("line 2", "new"))
    (change,) = recorded(ws)
    after = hashed(b"line 1\nnew\nline 3\n")
    assert result.to_dict() == {
        "isError": False,
        "content": [{"type": "text", "text": result.text}],
        "metadata": {
            "path": "a.txt",
            "mode": "strict",
            "written": True,
            "change_id": change["change_id"],
            "hash": after,
            "replacements": 1,
            "diff": result.data["diff"],
            "validation": {**NOTHING, "passed": True},
        },
    }
    assert change["tool"] == "safe_edit"
    assert set(done(ask(ws, "a.txt", content="x", mode="verify_only"))) == FIELDS


def test_the_typed_method_does_what_the_call_does(tmp_path: Path) -> None:
    for number, way in enumerate(EVERY_WAY):
        root = tmp_path / f"{number}"
        root.mkdir()
        ws = Workspace(root)
        (root / "a.txt").write_bytes(TEXT)
        arguments = {**way, "mode": "verify_only", "show_diff": False, "expect_hash": hashed(TEXT), "validate": "all"}
        assert ws.safe_edit("a.txt", **arguments) == ws.call("safe_edit", {"path": "a.txt", **arguments})
        assert done(ws.safe_edit("a.txt", **way))["written"]
        assert (root / "a.txt").read_bytes() == b"line 1\nnew\nline 3\n"


@pytest.mark.parametrize(
    "way",
    [
        {"line_edits": line(2, 2, "new\n")},
        {"line_edits": json.dumps(line(2, 2, "new\n"))},
        {"line_edits": json.dumps([line(2, 2, "new\n")])},
        {"line_edits": [line(2, 2, "new\n", expected_text=None)]},
        {"search_replace": json.dumps(swap("line 2", "new"))},
        {"search_replace": swap("line 2", "new", regex=None, count=None, flags=None)},
        {"content": "line 1\nnew\nline 3\n", "line_edits": None, "search_replace": None, "encoding": None},
        {"line_edits": [line(2, 2, "new\n")], "mode": None, "show_diff": None, "expect_hash": None, "validate": None},
    ],
)
def test_shapes_that_models_send_are_understood(way: dict[str, Any]) -> None:
    ws, fs = memory(a=TEXT)
    result = ask(ws, "a.txt", **way)
    assert done(result)["mode"] == "strict"
    assert told(result).diff is not None
    assert fs.files() == {"a.txt": b"line 1\nnew\nline 3\n"}


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"contnet": "x"}, "content"),
        ({"content": "x", "show_dif": True}, "show_diff"),
        ({"line_edit": []}, "line_edits"),
        ({"line_edits": [{**line(1, 1, "x"), "expect_text": "line 1"}]}, "expected_text"),
        ({"line_edits": [{"start": 1, "end_line": 1, "new_content": "x"}]}, "start_line"),
        ({"search_replace": swap("a", "b", regexp=True)}, "regex"),
        ({"content": "x", "mode": "loose"}, "strict, interactive, verify_only"),
        ({"content": "x", "validate": "some"}, "new, all"),
        ({"content": 3}, "content"),
        ({"content": "x", "show_diff": "perhaps"}, "show_diff"),
        ({"line_edits": [line(0, 1, "x")]}, "start_line"),
        ({"line_edits": [line(-1, -1, "x")]}, "start_line"),
        ({"line_edits": [{"start_line": 1, "new_content": "x"}]}, "end_line"),
        ({"line_edits": [{"start_line": 1, "end_line": 1}]}, "new_content"),
        ({"line_edits": "nonsense"}, "line_edits"),
        ({"search_replace": {"search": "a"}}, "replace"),
        ({"search_replace": {"replace": "a"}}, "search"),
        ({"search_replace": "nonsense"}, "search_replace"),
        ({"search_replace": swap("", "x")}, "search"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], named: str) -> None:
    assert named in failed_arguments(**arguments)


def test_a_call_without_a_path_is_refused() -> None:
    ws, _ = memory(a=TEXT)
    assert refused(ws.call("safe_edit", {"content": "x"}))["code"] == "INVALID_ARGUMENTS"


def test_more_edits_than_allowed_are_refused() -> None:
    edits = [line(1, 1, "x"), line(2, 2, "x"), line(3, 3, "x")]
    error = refused(failed(TEXT, Settings(max_edits=2), line_edits=edits))
    assert (error["code"], error["setting"], error["size"]) == ("INPUT_TOO_LARGE", "max_edits", 3)


# Paths


@pytest.mark.parametrize("way", EVERY_WAY)
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../outside.txt", "PATH_OUTSIDE_WORKSPACE"),
        ("/etc/hostname", "PATH_OUTSIDE_WORKSPACE"),
        ("sub/../../a.txt", "PATH_OUTSIDE_WORKSPACE"),
        (".git/config", "PROTECTED_PATH"),
        (".envrc", "PROTECTED_PATH"),
        ("sub", "NOT_A_FILE"),
    ],
)
def test_paths_that_may_not_be_edited_are_refused(path: str, code: str, way: dict[str, Any]) -> None:
    ws, fs = workspace({"sub/a.txt": TEXT, ".git/config": TEXT, ".envrc": TEXT})
    untouched = seen(fs)
    for mode in ("strict", "interactive", "verify_only"):
        result = ask(ws, path, **way, mode=mode)
        assert (code_of(result), result.text[:2]) == (code, "❌ ")
    assert seen(fs) == untouched


@pytest.mark.parametrize("way", EVERY_WAY)
def test_a_binary_file_is_refused(way: dict[str, Any]) -> None:
    result = failed(b"line 2\n\0\n", **way)
    assert result.text.startswith("❌ Cannot edit binary file")
    assert (code_of(result), result.data["path"]) == ("BINARY_FILE", "a.txt")


def test_an_absolute_path_below_the_root_is_told_relative(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    result = ask(Workspace(tmp_path), str(tmp_path / "sub" / "a.txt"), content="x\n")
    assert done(result)["path"] == "sub/a.txt"
    assert "+++ b/sub/a.txt\n" in result.text


@pytest.mark.parametrize("way", EVERY_WAY)
def test_a_link_stays_a_link(tmp_path: Path, way: dict[str, Any]) -> None:
    (tmp_path / "sub").mkdir()
    real, link = tmp_path / "sub" / "real.txt", tmp_path / "link.txt"
    real.write_bytes(TEXT)
    real.chmod(0o750)
    link.symlink_to("sub/real.txt")
    assert done(ask(Workspace(tmp_path), "link.txt", **way))["path"] == "sub/real.txt"
    assert (link.is_symlink(), os.readlink(link)) == (True, "sub/real.txt")  # noqa: PTH115  the aim as it is written
    assert real.read_bytes() == b"line 1\nnew\nline 3\n"
    assert real.stat().st_mode & 0o777 == 0o750


# Whole contents


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (TEXT, "", b""),
        (TEXT, "x", b"x"),
        (b"", "x\n", b"x\n"),
        (b"a\r\nb\r\n", "a\nc\n", b"a\nc\n"),
        (b"a\nb\n", "a\r\nc\r", b"a\r\nc\r"),
        (b"\xef\xbb\xbfa\n", "b\n", b"\xef\xbb\xbfb\n"),
        ("a\n".encode("utf-16"), "é\n", "é\n".encode("utf-16")),
        (b"\xfe\xff" + "a\n".encode("utf-16-be"), "é\n", b"\xfe\xff" + "é\n".encode("utf-16-be")),
        (TEXT, "$1 \\n \\g<0> é\n", "$1 \\n \\g<0> é\n".encode()),
        ("é\n".encode(), "🎉\u2028\x85\x0c\n", "🎉\u2028\x85\x0c\n".encode()),
    ],
)
def test_content_is_literal_and_keeps_mark_and_encoding(before: bytes, content: str, after: bytes) -> None:
    assert edited(before, content=content) == after


@pytest.mark.parametrize("content", ["é\n", ""])
def test_a_new_file_is_created_with_the_folders_it_needs(content: str) -> None:
    ws, fs = workspace()
    untouched = seen(fs)
    foretold = done(ask(ws, "new/deep/a.txt", content=content, mode="verify_only"))
    assert (foretold["hash"], foretold["written"], seen(fs)) == (None, False, untouched)
    data = done(ask(ws, "new/deep/a.txt", content=content))
    assert (data["written"], data["hash"]) == (True, hashed(content.encode()))
    assert fs.files() == {"new/deep/a.txt": content.encode()}
    done(ws.undo())
    assert (fs.files(), fs.folders()) == ({}, set())


def test_the_mode_of_a_file_is_kept() -> None:
    for way in EVERY_WAY:
        ws, fs = workspace()
        fs.put("a.txt", TEXT, mode=0o755)
        done(ask(ws, "a.txt", **way))
        assert (fs.files()["a.txt"], fs.node_of("a.txt").mode & 0o777) == (b"line 1\nnew\nline 3\n", 0o755)


# Encodings

LATIN: list[dict[str, Any]] = [
    {"content": "näher\nthé\n"},
    {"line_edits": [line(2, 2, "thé")]},
    {"search_replace": swap("tè", "thé")},
    {"search_replace": pattern("t(è)", "thé")},
]


@pytest.mark.parametrize("way", LATIN)
@pytest.mark.parametrize("codec", ["latin-1", "utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_a_file_stays_in_its_encoding(way: dict[str, Any], codec: str) -> None:
    named = codec if codec == "latin-1" else None
    assert edited("näher\ntè\n".encode(codec), **way, encoding=named) == "näher\nthé\n".encode(codec)


def test_a_new_file_is_written_in_the_encoding_that_is_named() -> None:
    ws, fs = workspace()
    done(ask(ws, "a.txt", content="é\n", encoding="latin-1"))
    assert fs.files() == {"a.txt": b"\xe9\n"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"content": "é\n"}, "ENCODING_UNKNOWN"),
        ({"line_edits": [line(2, 2, "é\n")]}, "ENCODING_UNKNOWN"),
        ({"search_replace": swap("b", "é")}, "ENCODING_UNKNOWN"),
        ({"line_edits": [line(2, 2, "€\n")], "encoding": "latin-1"}, "NOT_ENCODABLE"),
        ({"search_replace": pattern("b", "€"), "encoding": "latin-1"}, "NOT_ENCODABLE"),
        ({"content": "x", "encoding": "klingon"}, "ENCODING_MISMATCH"),
    ],
)
def test_what_an_encoding_cannot_hold_is_refused(arguments: dict[str, Any], code: str) -> None:
    assert code_of(failed(b"\xe9\nb\n", **arguments)) == code


def test_bytes_of_an_unknown_encoding_pass_through() -> None:
    before = b"\xe9\nb\n\xff\n"
    assert edited(before, line_edits=[line(2, 2, "c\n")]) == b"\xe9\nc\n\xff\n"
    assert edited(before, search_replace=swap("b", "c")) == b"\xe9\nc\n\xff\n"
    assert edited(before, search_replace=pattern("^b$", "c", flags=8)) == b"\xe9\nc\n\xff\n"


# A file that is not the one the caller knows


@pytest.mark.parametrize("way", [*EVERY_WAY, {"line_edits": []}, {"search_replace": swap("nope", "x")}])
def test_a_file_that_is_not_the_expected_one_is_refused(way: dict[str, Any]) -> None:
    error = refused(failed(TEXT, **way, expect_hash=hashed(b"other\n")))
    assert (error["code"], error["retryable"], error["found"]) == ("FILE_CHANGED", True, hashed(TEXT))


def test_a_file_that_is_gone_is_not_the_expected_one() -> None:
    ws, fs = workspace()
    assert ask(ws, "a.txt", content="x\n", expect_hash=hashed(TEXT)).is_error
    assert fs.files() == {}


def test_the_hash_of_one_call_is_what_the_next_may_expect() -> None:
    ws, fs = memory(a=TEXT)
    first = done(ask(ws, "a.txt", line_edits=[line(1, 1, "one\n")], expect_hash=hashed(TEXT)))
    done(ask(ws, "a.txt", line_edits=[line(2, 2, "two\n")], expect_hash=first["hash"]))
    assert fs.files() == {"a.txt": b"one\ntwo\nline 3\n"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"line_edits": [line(9, 9, "x")]}, "LINE_OUT_OF_BOUNDS"),
        ({"line_edits": [line(1, 1, "x"), line(1, 1, "y")]}, "OVERLAPPING_LINES"),
        ({"line_edits": [line(1, 1, "x", expected_text="y")]}, "DRIFTED"),
        ({"search_replace": swap("nope", "x")}, "PATTERN_NOT_FOUND"),
        ({"search_replace": pattern("(", "x")}, "INVALID_REGEX"),
        ({"content": "x", "expect_hash": hashed(b"other")}, "FILE_CHANGED"),
    ],
)
def test_an_edit_that_fails_tells_the_hash_of_the_file_as_it_stands(arguments: dict[str, Any], code: str) -> None:
    ws, _ = memory(a=TEXT)
    result = ask(ws, "a.txt", **arguments)
    assert code_of(result) == code
    assert result.data.get("hash", hashed(TEXT)) == hashed(TEXT)


# Undo


@pytest.mark.parametrize("before", [TEXT, b"\xef\xbb\xbfline 1\r\nline 2\nline 3", "line 1\nline 2\n".encode("utf-16")])
@pytest.mark.parametrize("way", EVERY_WAY)
def test_undo_brings_the_bytes_back(before: bytes, way: dict[str, Any]) -> None:
    ws, fs = memory(a=before)
    change = done(ask(ws, "a.txt", **way))["change_id"]
    assert fs.files() != {"a.txt": before}
    assert done(ws.undo())["undone"] == change
    assert fs.files() == {"a.txt": before}


# Diffs


@pytest.mark.process
@pytest.mark.promise("safe.texts")
@pytest.mark.parametrize(
    ("before", "arguments", "after"),
    [
        (TEXT, {"line_edits": [line(1, 1, "a\n"), line(3, 3, "c\n")]}, b"a\nline 2\nc\n"),
        (b"a\r\nb\r\nc\r\n", {"line_edits": [line(2, 2, "B\nBB\n")]}, b"a\r\nB\r\nBB\r\nc\r\n"),
        (b"a\nb", {"line_edits": [line(2, 2, "c")]}, b"a\nc"),
        (b"a\nb", {"content": "a\nb\n"}, b"a\nb\n"),
        (b"a\nb\n", {"content": "a\nb"}, b"a\nb"),
        ("a\x0cb\n\x85\nc\n".encode(), {"search_replace": swap("c", "\u2028")}, "a\x0cb\n\x85\n\u2028\n".encode()),
        (b"-- a\n++ b\n", {"search_replace": swap("a", "c")}, b"-- c\n++ b\n"),
        (None, {"content": "new\nfile\n"}, b"new\nfile\n"),
        (b"old\n", {"content": ""}, b""),
    ],
)
def test_the_diff_is_one_that_git_applies(
    tmp_path: Path, before: bytes | None, arguments: dict[str, Any], after: bytes
) -> None:
    files = {} if before is None else {"src/it's ü.txt": before}
    ws, fs = workspace(files)
    diff = done(ask(ws, "src/it's ü.txt", **arguments))["diff"]
    assert fs.files() == {"src/it's ü.txt": after}
    assert git_apply(tmp_path, files, diff) == {"src/it's ü.txt": after}


@pytest.mark.promise("safe.texts")
def test_the_diff_is_never_cut() -> None:
    before = "".join(f"{number}\n" for number in range(1500))
    ws, _ = memory(a=before.encode())
    result = ask(ws, "a.txt", content=before.replace("\n", "!\n"))
    assert told(result).diff == done(result)["diff"].rstrip("\n")
    assert result.text.count("!\n") == 1500


@pytest.mark.promise("safe.texts")
@pytest.mark.parametrize("run", [1, 2, 3, 4, 9])
def test_the_fence_is_longer_than_any_run_of_backticks_inside(run: int) -> None:
    ws, _ = memory(a=b"x\n")
    ticks = "`" * run
    result = ask(ws, "a.txt", content=f"x\n{ticks}python\ny\n{ticks}\n")
    assert told(result) == (done(result)["diff"].rstrip("\n"), SAVED)
    assert result.text.startswith("**Diff Preview:**\n```diff\n") == (run < 3)


# Files that change or fail meanwhile


def test_a_file_that_changes_during_the_call_is_edited_and_checked_as_it_then_is() -> None:
    fs = MemoryFS({"a.json": b'{"a": 1}\n'})

    def somebody_else(number: int, _: str) -> None:
        if number == 1:
            fs.put("a.json", b'{"b": 2}\n{"a": 1}\n')

    ws = Workspace(fs.root, fs=FaultyFS(fs, only={"lock"}, on_call=somebody_else))
    data = done(ask(ws, "a.json", search_replace=swap('"a"', '"c"')))
    after = b'{"b": 2}\n{"c": 1}\n'
    assert (fs.files(), data["hash"]) == ({"a.json": after}, hashed(after))
    assert (data["validation"]["new"], len(data["validation"]["existing"])) == ([], 1)


def test_a_file_that_changes_during_the_call_is_refused_if_a_hash_is_expected() -> None:
    fs = MemoryFS({"a.txt": TEXT})

    def somebody_else(number: int, _: str) -> None:
        if number == 1:
            fs.put("a.txt", b"0\n" + TEXT)

    ws = Workspace(fs.root, fs=FaultyFS(fs, only={"lock"}, on_call=somebody_else))
    result = ask(ws, "a.txt", line_edits=[line(1, 1, "x")], expect_hash=hashed(TEXT))
    assert (code_of(result), fs.files()) == ("FILE_CHANGED", {"a.txt": b"0\n" + TEXT})


@pytest.mark.promise("safe.texts")
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
def test_a_write_that_fails_leaves_everything_as_it_was(error: int) -> None:
    fs = MemoryFS({"a.txt": TEXT})
    ws = Workspace(fs.root, fs=FaultyFS(fs, fail_at=2, error=error, only={"write"}))
    result = ask(ws, "a.txt", content="x\n")
    assert (code_of(result), fs.files()) == ("WRITE_FAILED", {"a.txt": TEXT})
    assert result.text.startswith("❌ Failed to write file: ")
    assert os.strerror(error) in result.text
