"""The tool `patch`: operations, clipboards, shapes, codes. How a text is found is in tests/unit/match."""

from itertools import permutations
from typing import Any

import pytest

from suture import Settings, Text, Workspace
from suture.match.index import Base, Found, Refused, Sides, Site
from suture.testing import FaultyFS, MemoryFS
from suture.text.edits import edit
from suture.tools import find
from suture.tools import patch as patch_tool
from tests.unit.changes import done, hashed, land, recorded, refused, state, workspace, write

APPLIED = "<patches_applied>all</patches_applied>"
CODE = b"def one():\n    return 1\n\n\ndef two():\n    return 2\n"


def replace(old: str, new: str | None = None, **more: Any) -> dict[str, Any]:
    return {"operation": "replace", "oldText": old, **({} if new is None else {"newText": new}), **more}


def append(new: str | None = None, **more: Any) -> dict[str, Any]:
    return {"operation": "append_eof", **({} if new is None else {"newText": new}), **more}


def prepend(new: str | None = None, **more: Any) -> dict[str, Any]:
    return {"operation": "prepend_bof", **({} if new is None else {"newText": new}), **more}


def overwrite(new: str) -> dict[str, Any]:
    return {"operation": "overwrite", "newText": new}


def copy(old: str, name: str) -> dict[str, Any]:
    return replace(old, toClipboard=name, fromClipboard=name)


def patched(before: bytes, *patches: dict[str, Any], **more: Any) -> bytes:
    """A file's bytes after a call that succeeds."""
    ws, fs = workspace({"a": before})
    done(ws.patch("a", list(patches), **more))
    return fs.files()["a"]


# Operations


@pytest.mark.promise("patch.operations")
@pytest.mark.parametrize(
    ("before", "patches", "after"),
    [
        (b"a b c\n", [replace("b", "B")], b"a B c\n"),
        (b"a b c\n", [replace(" b", "")], b"a c\n"),
        (b"a b c\n", [replace(" b")], b"a c\n"),
        (b"a b c\n", [replace(" b", None, newText=None)], b"a c\n"),
        (b"a\nb\nc\n", [replace("a\nb\n", "A\n")], b"A\nc\n"),
        (b"a\n", [append("b")], b"a\nb"),
        (b"a", [append("b\n")], b"ab\n"),
        (b"a\n", [prepend("b\n")], b"b\na\n"),
        (b"a\n", [append("1"), append("2")], b"a\n12"),
        (b"a\n", [prepend("1"), prepend("2")], b"12a\n"),
        (b"a\n", [append("end"), prepend("begin "), replace("a", "b")], b"begin b\nend"),
        (b"a\n", [replace("a\n", "b\n"), append("end"), prepend("begin ")], b"begin b\nend"),
        (b"", [append("2"), prepend("1")], b"12"),
        (b"", [replace("", "x")], b"x"),
        (b"\xef\xbb\xbf", [replace("", "x")], b"\xef\xbb\xbfx"),
        (b"", [append("2"), replace("", "x"), prepend("1")], b"1x2"),
        (b"a\nb\n", [overwrite("c")], b"c"),
        (b"a\nb\n", [overwrite("")], b""),
        (b"", [overwrite("a\n")], b"a\n"),
        (b"a\n", [{"operation": "append_eof", "newText": ""}], b"a\n"),
        (b"one two\n", [replace("one", "1"), replace("two", "2")], b"1 2\n"),
        (b"onetwo\n", [replace("two", "2"), replace("one", "1")], b"12\n"),
        (b"x\n", [replace("x", "$1 \\n \\g<0>")], b"$1 \\n \\g<0>\n"),
    ],
)
def test_every_operation_does_what_it_says(before: bytes, patches: list[dict[str, Any]], after: bytes) -> None:
    assert patched(before, *patches) == after


@pytest.mark.promise("patch.original")
def test_patches_refer_to_the_original_in_any_order() -> None:
    patches = [replace("one", "two"), replace("two", "three"), replace("three", "one"), append("!"), prepend("?")]
    assert {patched(b"one two three\n", *order) for order in permutations(patches)} == {b"?two three one\n!"}


@pytest.mark.promise("patch.one-transaction")
@pytest.mark.parametrize("dry", [False, True])
def test_one_patch_that_fails_leaves_everything_as_it_was(*, dry: bool) -> None:
    ws, fs = workspace({"a": CODE})
    before, shelf = state(fs), dict(fs.shelf)
    patches = [replace("return 1", "return 3", toClipboard="x"), append("end"), replace("nowhere", "x")]
    assert refused(ws.patch("a", patches, dry_run=dry))["index"] == 2
    assert (state(fs), fs.shelf) == (before, shelf)
    assert refused(ws.patch("a", [append(fromClipboard="x")]))["code"] == "CLIPBOARD_NOT_FOUND"


@pytest.mark.promise("patch.one-transaction")
@pytest.mark.promise("edit.undo")
def test_a_call_is_one_change_that_can_be_undone() -> None:
    ws, fs = workspace({"a": CODE})
    change = done(ws.patch("a", [replace("return 1", "return 3"), append("end\n")]))["change_id"]
    (listed,) = recorded(ws)
    assert (listed["change_id"], listed["tool"]) == (change, "patch")
    assert listed["summary"] == "2 patches of a: replace, append_eof"
    assert done(ws.undo())["undone"] == change
    assert fs.files() == {"a": CODE}


@pytest.mark.promise("patch.create")
@pytest.mark.parametrize(
    ("patches", "content"),
    [
        ([overwrite("é\n")], "é\n".encode()),
        ([append("b\n"), prepend("a\n"), append("c\n")], b"a\nb\nc\n"),
        ([append("")], b""),
        ([overwrite("a\r\nb\n")], b"a\r\nb\n"),
        ([append("  x", reindent={"strip": " ", "add": "\t"})], b"\t x"),
    ],
)
def test_a_new_file_is_created_with_the_folders_it_needs(patches: list[dict[str, Any]], content: bytes) -> None:
    ws, fs = workspace()
    data = done(ws.patch("new/deep/a.txt", patches))
    assert (fs.files(), data["created"], data["hash"]) == ({"new/deep/a.txt": content}, True, hashed(content))
    assert data["change_id"] == recorded(ws)[0]["change_id"]
    done(ws.undo())
    assert state(fs) == {}


@pytest.mark.promise("patch.create")
def test_replace_needs_a_file_and_names_those_that_are_like_it() -> None:
    ws, _ = workspace({"src/app.py": b"x"})
    error = refused(ws.patch("src/ap.py", [append("x"), replace("a", "b")]))
    assert (error["code"], error["near"]) == ("FILE_NOT_FOUND", ["src/app.py"])
    assert error["hint"] == "Did you mean src/app.py? To create it, use overwrite or append_eof."


@pytest.mark.promise("patch.create")
def test_a_new_file_is_written_in_the_encoding_that_is_named_or_configured() -> None:
    ws, fs = workspace(settings=Settings(encodings=(("*.l1", "latin-1"),)))
    done(ws.patch("a", [overwrite("é")], encoding="cp1252"))
    done(ws.patch("b.l1", [append("é")]))
    done(ws.patch("c", [append("é")], encoding="utf-16"))
    files = fs.files()
    assert (files["a"], files["b.l1"], files["c"].decode("utf-16")) == (b"\xe9", b"\xe9", "é")
    error = refused(ws.patch("d", [overwrite("€")], encoding="latin-1"))
    assert (error["code"], error["character"]) == ("NOT_ENCODABLE", "€")
    assert refused(ws.patch("d", [overwrite("x")], encoding="klingon"))["code"] == "ENCODING_MISMATCH"


# Text


@pytest.mark.promise("patch.text")
@pytest.mark.parametrize(
    ("before", "patches", "after"),
    [
        (b"a\r\nb\r\n", [append("c\nd\n")], b"a\r\nb\r\nc\r\nd\r\n"),
        (b"a\r\nb", [append("\nc")], b"a\r\nb\r\nc"),
        (b"a\r\nb\r\n", [prepend("c\n")], b"c\r\na\r\nb\r\n"),
        (b"a\r\nb\r\n", [append("c\r\n\n")], b"a\r\nb\r\nc\r\n\n"),
        (b"a\nb\r\n", [prepend("c\n"), append("d\n")], b"c\na\nb\r\nd\r\n"),
        (b"a\rb\r", [append("c\n")], b"a\rb\rc\r"),
        (b"a", [append("\nb\n")], b"a\nb\n"),
        (b"a\r\nb\r\n", [overwrite("c\nd\n")], b"c\nd\n"),
        (b"\xef\xbb\xbfa\n", [prepend("b\n")], b"\xef\xbb\xbfb\na\n"),
        (b"\xef\xbb\xbfa\n", [overwrite("\u00e9\n")], b"\xef\xbb\xbf\xc3\xa9\n"),
        (b"\xef\xbb\xbfa\n", [overwrite("\ufeffb\n")], b"\xef\xbb\xbfb\n"),
        (b"a\n", [overwrite("\ufeffb\n")], b"\xef\xbb\xbfb\n"),
        (b"\xe9 a\n", [replace("a", "b")], b"\xe9 b\n"),
        (b"\xe9 \xc3\xa9 a\n", [replace("é a", "é b")], b"\xe9 \xc3\xa9 b\n"),
        (b"\xe9 a\n", [copy(" a", "x"), append(fromClipboard="x")], b"\xe9 a\n a"),
        (b"\xe9 a\n", [overwrite("b")], b"b"),
    ],
)
def test_line_ends_marks_and_unknown_bytes_are_kept(before: bytes, patches: list[dict[str, Any]], after: bytes) -> None:
    assert patched(before, *patches) == after


@pytest.mark.promise("patch.text")
@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_marked_file_stays_in_its_encoding(codec: str) -> None:
    patches = [replace("naïve", "néw", toClipboard="x"), append(fromClipboard="x"), prepend("🎉\n")]
    assert patched("ä naïve\r\nb\r\n".encode(codec), *patches) == "🎉\r\nä néw\r\nb\r\nnaïve".encode(codec)
    assert patched("ä\n".encode(codec), overwrite("ö")) == "ö".encode(codec)


@pytest.mark.promise("patch.text")
def test_a_named_encoding_is_used_and_what_it_lacks_is_refused() -> None:
    before = "naïve café\n".encode("cp1252")
    assert patched(before, replace("naïve", "“néw”"), encoding="cp1252") == "“néw” café\n".encode("cp1252")
    ws, fs = workspace({"a": before})
    error = refused(ws.patch("a", [replace("naïve", "→")], encoding="cp1252"))
    assert (error["code"], error["character"]) == ("NOT_ENCODABLE", "→")
    for patch in (replace(" caf", " é"), append("é"), overwrite("é"), append("\ud800")):
        error = refused(ws.patch("a", [patch]))
        assert (error["code"], "cp1252" in error["candidates"]) == ("ENCODING_UNKNOWN", True)
    assert fs.files() == {"a": before}


@pytest.mark.promise("patch.text")
@pytest.mark.parametrize(
    "patch", [append("\ud800"), replace("a", "\udc80"), overwrite("\udfff"), replace("", "\ud800")]
)
def test_half_characters_are_refused(patch: dict[str, Any]) -> None:
    ws, fs = workspace({"a": b"a\n" if patch.get("oldText") != "" else b""})
    before = fs.files()
    assert refused(ws.patch("a", [patch]))["code"] == "NOT_ENCODABLE"
    assert fs.files() == before


@pytest.mark.promise("patch.text")
def test_a_half_character_that_stands_in_the_file_can_stay() -> None:
    before = "a".encode("utf-16") + "\ud800 b".encode("utf-16-le", "surrogatepass")
    assert patched(before, replace("\ud800 b", "\ud800 c")) == before[:-2] + "c".encode("utf-16-le")


def test_a_binary_file_is_refused() -> None:
    ws, _ = workspace({"a": b"\0\1"})
    for patch in (overwrite("x"), append("x"), replace("x", "y")):
        assert refused(ws.patch("a", [patch]))["code"] == "BINARY_FILE"


# Clipboards


@pytest.mark.promise("patch.clipboards")
def test_a_text_is_cut_and_pasted_within_a_call_across_calls_files_and_processes() -> None:
    ws, fs = workspace({"a": CODE, "b": b"# here\n"})
    cut = replace("def one():\n    return 1\n\n\n", "", toClipboard="fn")
    assert done(ws.patch("a", [cut, append(fromClipboard="fn")]))["clipboards"] == ["fn"]
    assert fs.files()["a"] == b"def two():\n    return 2\ndef one():\n    return 1\n\n\n"
    other = Workspace(fs.root, fs=fs)
    assert done(other.patch("b", [replace("# here\n", fromClipboard="fn")]))["clipboards"] == []
    assert fs.files()["b"] == b"def one():\n    return 1\n\n\n"
    done(other.undo())
    done(other.undo())
    assert (fs.files()["a"], done(ws.patch("c", [append(fromClipboard="fn")]))["created"]) == (CODE, True)


@pytest.mark.promise("patch.clipboards")
def test_a_clipboard_of_this_call_hides_one_of_before_and_is_seen_by_later_patches_only() -> None:
    ws, fs = workspace({"a": b"one two three\n"})
    done(ws.patch("a", [copy("one", "x")]))
    patches = [replace("three", fromClipboard="x"), replace("two", toClipboard="x"), append(fromClipboard="x")]
    done(ws.patch("a", patches))
    assert fs.files()["a"] == b"one  one\ntwo"


@pytest.mark.promise("patch.clipboards")
def test_a_cut_keeps_the_indentation_that_it_takes_away() -> None:
    ws, fs = workspace({"a": b"x\n  foo\nc\n"})
    done(ws.patch("a", [replace("foo\n", "", toClipboard="z"), append(fromClipboard="z")]))
    assert fs.files()["a"] == b"x\nc\n  foo\n"


@pytest.mark.promise("patch.clipboards")
def test_what_is_found_goes_into_one_clipboard_while_another_is_pasted() -> None:
    ws, fs = workspace({"a": b"one two\n"})
    done(ws.patch("a", [copy("one", "x")]))
    done(ws.patch("a", [replace("two", "ignored", toClipboard="y", fromClipboard="x"), append(fromClipboard="y")]))
    assert fs.files()["a"] == b"one one\ntwo"


@pytest.mark.promise("patch.copy")
def test_a_copy_changes_no_file_and_is_no_change() -> None:
    ws, fs = workspace({"a": CODE})
    before = fs.node_of("a")
    result = ws.patch("a", [copy("return 1", "x")])
    data = done(result)
    assert (data["change_id"], data["clipboards"], data["hash"]) == (None, ["x"], hashed(CODE))
    note = "Copied a part of line 2 to clipboard 'x'."
    assert (data["display"], result.text) == (
        {"path": "a", "diff": ""},
        f"{APPLIED}\n{note}\nNo change: a is as it was.",
    )
    assert (recorded(ws), fs.node_of("a")) == ([], before)
    done(ws.patch("b", [append(fromClipboard="x")]))
    assert fs.files()["b"] == b"return 1"


@pytest.mark.promise("patch.copy")
def test_what_is_copied_may_be_changed_by_another_patch() -> None:
    ws, fs = workspace({"a": CODE})
    done(ws.patch("a", [copy("def one():\n    return 1\n", "x"), replace("return 1", "return 3")]))
    done(ws.patch("b", [append(fromClipboard="x")]))
    assert fs.files() == {"a": CODE.replace(b"1", b"3"), "b": b"def one():\n    return 1\n"}


@pytest.mark.promise("patch.clipboards")
@pytest.mark.parametrize("content", [b"\xe9\r\nx\xff", b"\xef\xbb\xbf\xc3\xa9", "é🎉".encode("utf-16")])
def test_a_clipboard_holds_the_very_bytes(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    ws, fs = workspace({"a": content})
    end = len(Text.decode(content).body)
    found = Found("exact", 1.0, None, Site(1, 1), (0, end), (edit(0, end, b""),))
    monkeypatch.setattr(patch_tool, "locate", lambda *_, **__: found)
    done(ws.patch("a", [replace("all of it", "", toClipboard="x")]))
    done(Workspace(fs.root, fs=fs).patch("a", [append(fromClipboard="x")]))
    assert fs.files() == {"a": content}


@pytest.mark.promise("patch.clipboards")
def test_bytes_of_an_unknown_encoding_are_pasted_only_where_they_are_none_either() -> None:
    ws, fs = workspace({"a": b"1 \xe9 2\n", "b": b"\xc3\xa9\n", "c": b"\xff\n", "d": b"ascii\n"})
    session = ws._engine.session()
    assert session.clipboard("x") is None
    found = Found("exact", 1.0, None, Site(1, 1), (0, 5), ())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patch_tool, "locate", lambda *_, **__: found)
        done(ws.patch("a", [copy("1", "x")]))
    assert refused(ws.patch("b", [append(fromClipboard="x")]))["code"] == "ENCODING_MISMATCH"
    done(ws.patch("c", [append(fromClipboard="x")]))
    done(ws.patch("d", [append(fromClipboard="x")]))
    done(ws.patch("e", [append(fromClipboard="x")]))
    assert fs.files() == {**fs.files(), "c": b"\xff\n1 \xe9 2", "d": b"ascii\n1 \xe9 2", "e": b"1 \xe9 2"}
    assert refused(ws.patch("f", [append("é"), append(fromClipboard="x")]))["code"] == "ENCODING_UNKNOWN"


@pytest.mark.promise("patch.clipboards")
def test_a_dry_run_leaves_the_clipboards_as_they_were() -> None:
    ws, fs = workspace({"a": CODE})
    assert done(ws.patch("a", [copy("return 1", "x")], dry_run=True))["clipboards"] == ["x"]
    error = refused(ws.patch("a", [append(fromClipboard="x")]))
    assert (error["code"], error["name"], error["known"], fs.shelf) == ("CLIPBOARD_NOT_FOUND", "x", [], {})


@pytest.mark.promise("patch.clipboards")
def test_an_unknown_clipboard_is_refused_with_the_names_that_are_known() -> None:
    ws, _ = workspace({"a": CODE})
    done(ws.patch("a", [copy("return 1", "old")]))
    error = refused(ws.patch("a", [copy("return 2", "new"), append(fromClipboard="nwe")]))
    assert (error["index"], error["total"], error["known"]) == (1, 2, ["new", "old"])
    assert ("new, old" in error["hint"], "nwe" in error["message"]) == (True, True)


@pytest.mark.promise("patch.clipboard-bounds")
def test_clipboards_are_bounded_in_number_and_size_and_the_error_names_the_setting() -> None:
    ws, _ = workspace({"a": b"123456 abc\n"}, Settings(max_clipboards=2, max_clipboard_bytes=5))
    error = refused(ws.patch("a", [copy("123456", "x")]))
    assert (error["code"], error["setting"]) == ("INPUT_TOO_LARGE", "max_clipboard_bytes")
    assert (error["size"], error["limit"]) == (6, 5)
    done(ws.patch("a", [copy("12345", "x"), copy("abc", "y")]))
    error = refused(ws.patch("a", [copy("abc", "z")]))
    assert (error["code"], error["setting"]) == ("INPUT_TOO_LARGE", "max_clipboards")
    assert (error["size"], error["limit"], error["unit"]) == (3, 2, "clipboards")
    assert "name that is there" in error["hint"]
    done(ws.patch("a", [copy("ab", "x")]))


@pytest.mark.promise("patch.clipboards")
def test_without_a_history_clipboards_last_as_long_as_the_workspace_and_the_answer_says_so() -> None:
    ws, fs = workspace({"a": CODE}, Settings(history=False))
    (warning,) = done(ws.patch("a", [copy("return 1", "x")]))["warnings"]
    assert "as long as this process" in warning
    assert done(ws.patch("a", [append("x")]))["warnings"] == []
    (warning,) = done(ws.patch("a", [replace("return 2", "", toClipboard="y")]))["warnings"]
    done(ws.patch("b", [append(fromClipboard="x"), append(fromClipboard="y")]))
    assert (fs.files()["b"], fs.shelf) == (b"return 1return 2", {})
    other = Workspace(fs.root, Settings(history=False), fs=fs)
    assert refused(other.patch("b", [append(fromClipboard="x")]))["known"] == []


# Indentation


@pytest.mark.promise("patch.reindent")
@pytest.mark.parametrize(
    ("reindent", "new", "expected"),
    [
        ({"strip": "  "}, "  a\n    b\n", b"a\n  b\n"),
        ({"add": "\t"}, "a\n\nb", b"\ta\n\n\tb"),
        ({"strip": "  ", "add": "\t"}, "  a\n\n  b\n", b"\ta\n\n\tb\n"),
        ({"strip": "", "add": ""}, "  a\n", b"  a\n"),
        ({"strip": None, "add": None}, "  a\n", b"  a\n"),
        ({}, "  a\n", b"  a\n"),
        (None, "  a\n", b"  a\n"),
        ('{"add": "> "}', "a\r\n\r\nb", b"> a\r\n\r\n> b"),
        ({"add": "> "}, "a\r\rb\r", b"> a\r\r> b\r"),
    ],
)
def test_inserted_text_is_reindented_line_by_line(reindent: Any, new: str, expected: bytes) -> None:
    assert patched(b"", append(new, reindent=reindent)) == expected
    assert patched(b"x", replace("x", new, reindent=reindent)) == expected


@pytest.mark.promise("patch.reindent")
def test_a_line_that_cannot_be_stripped_is_named() -> None:
    ws, fs = workspace({"a": CODE})
    error = refused(ws.patch("a", [append("x"), append("  a\n\n b\n", reindent={"strip": "  "})]))
    expected = {"index": 1, "total": 2, "line_number": 3, "line": " b", "prefix": "  "}
    assert error["code"] == "STRIP_PRECONDITION_FAILED"
    assert {name: error[name] for name in expected} == expected
    assert refused(ws.patch("a", [append("  a\n \n", reindent={"strip": "  "})]))["line_number"] == 2
    assert fs.files() == {"a": CODE}


@pytest.mark.promise("patch.reindent")
def test_a_clipboard_is_reindented_where_it_is_pasted_and_stays_as_it_is() -> None:
    ws, fs = workspace({"a": b"    x = 1\n    y = 2\n", "b": b"if a:\n    pass\n"})
    done(ws.patch("a", [copy("    x = 1\n    y = 2\n", "body")]))
    done(ws.patch("b", [replace("    pass\n", fromClipboard="body", reindent={"strip": "    ", "add": "\t"})]))
    done(ws.patch("c", [append(fromClipboard="body")]))
    assert (fs.files()["b"], fs.files()["c"]) == (b"if a:\n\tx = 1\n\ty = 2\n", fs.files()["a"])


@pytest.mark.promise("patch.reindent")
def test_a_text_can_be_reindented_in_its_place_by_a_clipboard() -> None:
    one = replace("    return 1\n", toClipboard="x", fromClipboard="x", reindent={"strip": "    ", "add": "\t"})
    assert (
        patched(CODE, one, append(fromClipboard="x"))
        == CODE.replace(b"    return 1", b"\treturn 1") + b"    return 1\n"
    )


@pytest.mark.promise("patch.clipboards")
@pytest.mark.parametrize("more", [{"fromClipboard": "x"}, {"newText": "new", "reindent": {"add": " "}}])
def test_text_is_put_only_in_the_place_of_lines_that_were_known(more: dict[str, Any]) -> None:
    block = "".join(f"    value_{name} = compute_{name}(request)\n" for name in "abcdefgh")
    ws, fs = workspace({"a": f"def f():\n{block}".encode(), "b": b"new"})
    done(ws.patch("b", [copy("new", "x")]))
    lacking = block.replace("    value_d = compute_d(request)\n", "")
    before = fs.files()
    error = refused(ws.patch("a", [replace(lacking, **more)]))
    assert (error["code"], error["ours"], error["written_on"]) == ("EDIT_CONFLICT", block.rstrip("\n"), None)
    assert fs.files() == before
    done(ws.patch("a", [copy(lacking, "y")]))
    done(ws.patch("c", [append(fromClipboard="y")]))
    assert fs.files() == {**before, "c": block.encode()}
    done(ws.patch("a", [replace(block.replace("    ", ""), **more)]))
    assert fs.files()["a"] in {b"def f():\nnew", b"def f():\n new"}


@pytest.mark.promise("patch.text")
def test_pasted_lines_take_the_line_ends_of_the_file() -> None:
    ws, fs = workspace({"a": b"x\ny\n", "b": b"1\r\n2\r\n", "c": b"1\n"})
    done(ws.patch("a", [copy("x\ny\n", "lf")]))
    done(ws.patch("b", [replace("1\n", fromClipboard="lf"), copy("2\n", "crlf")]))
    done(ws.patch("c", [append(fromClipboard="crlf")]))
    assert (fs.files()["b"], fs.files()["c"]) == (b"x\r\ny\r\n2\r\n", b"1\n2\r\n")


# What models send


@pytest.mark.promise("patch.tolerant")
@pytest.mark.parametrize(
    "patches",
    [
        '[{"operation": "replace", "oldText": "b", "newText": "B"}]',
        '{"operation": "replace", "oldText": "b", "newText": "B"}',
        ['{"operation": "replace", "oldText": "b", "newText": "B"}'],
        replace("b", "B"),
        [{"oldText": "b", "newText": "B"}],
        [{"operation": None, "oldText": "b", "newText": "B"}],
        [{"operation": "REPLACE", "old_text": "b", "new_text": "B"}],
        [{"operation": "replace", "old_string": "b", "new_string": "B"}],
        [{"operation": "replace", "old_str": "b", "new_str": "B"}],
        [replace("b", "B", toClipboard=None, fromClipboard=None, reindent=None)],
        [replace("b", "B", toClipboard="", fromClipboard="", reindent={"strip": None, "add": None})],
        [replace("b", "B", to_clipboard="x")],
    ],
)
@pytest.mark.promise("edit.arguments")
def test_wrong_shapes_that_mean_one_thing_are_understood(patches: Any) -> None:
    ws, fs = workspace({"a": b"a b c\n"})
    done(ws.call("patch", {"path": "a", "patches": patches}))
    assert fs.files() == {"a": b"a B c\n"}


@pytest.mark.promise("patch.tolerant")
@pytest.mark.parametrize(
    ("operation", "after"),
    [("append", b"ax"), ("append_EOF", b"ax"), ("Append-EOF", b"ax"), ("appendEof", b"ax"), ("prepend", b"xa")],
)
def test_an_operation_may_be_written_in_other_ways(operation: str, after: bytes) -> None:
    assert patched(b"a", {"operation": operation, "newText": "x"}) == after


@pytest.mark.promise("patch.tolerant")
def test_the_fields_of_one_patch_may_stand_beside_the_path() -> None:
    ws, fs = workspace({"a": b"a b c\n"})
    done(ws.call("patch", {"path": "a", "old_string": "b", "new_string": "B"}))
    done(ws.call("patch", {"path": "a", "operation": "append", "newText": "x", "patches": None, "dry_run": None}))
    assert fs.files() == {"a": b"a B c\nx"}


@pytest.mark.promise("patch.tolerant")
@pytest.mark.parametrize(
    ("arguments", "argument", "problem"),
    [
        ({"patches": [append("x"), {"operation": "replace", "oldTxt": "b"}]}, "patches[1].oldTxt", "oldText?"),
        ({"patches": [replace("b", "B", old_text="c")]}, "patches[0].old_text", "unknown; did you mean oldText?"),
        ({"patches": [replace("b", "B", reindent={"strp": " "})]}, "patches[0].reindent.strp", "strip?"),
        ({"patches": [replace("b", "B", reindent=" ")]}, "patches[0].reindent", "expected an object"),
        ({"patches": [{"operation": "insert_after", "oldText": "b"}]}, "patches[0].operation", "expected one of"),
        (
            {"patches": [{"newText": "b"}]},
            "patches[0].operation",
            "missing: Type of operation to perform, one of replace, append_eof, prepend_bof, overwrite",
        ),
        ({"patches": [{"operation": "overwrite"}]}, "patches[0].newText", "missing: the text to write"),
        ({"patches": [{"operation": "append_eof"}]}, "patches[0].newText", "missing: the text to append"),
        ({"patches": [{"operation": 3}]}, "patches[0].operation", "one of replace, append_eof, prepend_bof, overwrite"),
        ({"patches": [append("x")], "expect_hash": "sha256:0"}, "expect_hash", "sha256: and 64 hexadecimal digits"),
        ({"patches": [append("x", oldText="b")]}, "patches[0].oldText", "replace only"),
        ({"patches": [replace("b", "B", toClipboard="x" * 201)]}, "patches[0].toClipboard", "name"),
        ({"patches": [replace("b", "B", fromClipboard="\ud800")]}, "patches[0].fromClipboard", "name"),
        ({"patches": [append("x"), overwrite("y")]}, "patches[1].operation", "only patch"),
        ({"patches": []}, "patches", "empty"),
        ({"patches": "[]"}, "patches", "empty"),
        ({"patches": "b"}, "patches", "expected a list of objects"),
        ({"patches": [append("x")], "oldText": "b"}, "oldText", "unknown"),
        ({}, "patches", "missing"),
        ({"patches": [append("x")], "match": "fuzzy"}, "match", "expected one of"),
        ({"patches": [append("x")], "validate": "maybe"}, "validate", "expected one of"),
        ({"patches": [append("x")], "dryrun": True}, "dryrun", "dry_run?"),
    ],
)
def test_what_is_unknown_or_could_mean_two_things_is_refused_with_its_place(
    arguments: dict[str, Any], argument: str, problem: str
) -> None:
    ws, fs = workspace({"a": b"a b c\n"})
    error = refused(ws.call("patch", {"path": "a", **arguments}))
    (told,) = error["problems"]
    assert (error["code"], told["argument"]) == ("INVALID_ARGUMENTS", argument)
    assert problem in told["problem"]
    assert fs.files() == {"a": b"a b c\n"}


def test_more_patches_than_allowed_are_refused() -> None:
    ws, _ = workspace({"a": b""}, Settings(max_edits=2))
    error = refused(ws.patch("a", [append("x")] * 3))
    assert (error["code"], error["setting"], error["size"]) == ("INPUT_TOO_LARGE", "max_edits", 3)
    done(ws.patch("a", [append("x")] * 2))


@pytest.mark.promise("edit.shape")
def test_the_schema_has_the_fields_of_the_specification() -> None:
    schema = find("patch").request.schema()
    item = schema["properties"]["patches"]["items"]
    assert schema["required"] == ["path", "patches"]
    assert item["required"] == ["operation"]
    assert list(item["properties"]) == ["operation", "oldText", "newText", "toClipboard", "fromClipboard", "reindent"]
    assert item["properties"]["operation"]["enum"] == ["replace", "append_eof", "prepend_bof", "overwrite"]
    assert list(item["properties"]["reindent"]["properties"]) == ["strip", "add"]
    assert item["properties"]["reindent"]["description"] == "Modify indentation of inserted text before insertion"


# Codes


@pytest.mark.promise("patch.codes")
@pytest.mark.parametrize(
    ("patches", "code", "fields"),
    [
        ([replace("nowhere", "x")], "OLD_TEXT_NOT_FOUND", {"index": 0, "total": 1, "search_text": "nowhere"}),
        ([append("x"), {"operation": "replace", "newText": "x"}], "MISSING_OLD_TEXT", {"index": 1, "total": 2}),
        ([replace("", "x")], "MISSING_OLD_TEXT", {"index": 0, "total": 1}),
        ([append("x", toClipboard="y")], "CLIPBOARD_REQUIRES_REPLACE", {"index": 0, "operation": "append_eof"}),
        ([append(fromClipboard="y")], "CLIPBOARD_NOT_FOUND", {"index": 0, "name": "y", "known": []}),
        (
            [replace("return 2", "x"), replace("def one():\n    return 1\n", "x"), replace("return 1", "y")],
            "OVERLAPPING_PATCHES",
            {"first": 1, "second": 2, "first_lines": (1, 2), "second_lines": (2, 2), "total": 3},
        ),
        ([replace("return 2", "x")] * 2, "OVERLAPPING_PATCHES", {"first": 0, "second": 1}),
    ],
)
@pytest.mark.parametrize("dry", [False, True])
def test_a_patch_that_cannot_be_applied_is_told_by_code_and_index(
    patches: list[dict[str, Any]], code: str, fields: dict[str, Any], *, dry: bool
) -> None:
    ws, fs = workspace({"a": CODE})
    result = ws.patch("a", patches, dry_run=dry)
    error = refused(result)
    assert (error["code"], {name: error[name] for name in fields}) == (code, fields)
    assert len(result.text.split("\n")) <= 15
    assert fs.files() == {"a": CODE}


@pytest.mark.promise("patch.codes")
def test_two_empty_replacements_of_an_empty_file_overlap() -> None:
    ws, _ = workspace({"a": b""})
    assert refused(ws.patch("a", [replace("", "x"), replace("", "y")]))["code"] == "OVERLAPPING_PATCHES"


@pytest.mark.promise("patch.codes")
def test_a_text_that_fits_several_places_is_refused_with_all_of_them() -> None:
    ws, fs = workspace({"a": b"x = 1\ny\n" * 30})
    result = ws.patch("a", [replace("x = 1", "x = 2")])
    error = refused(result)
    assert (error["code"], error["rung"]) == ("OLD_TEXT_NOT_UNIQUE", "exact")
    assert error["places"] == [{"start_line": line, "end_line": line} for line in range(1, 60, 2)]
    assert ("line 1, line 3" in result.text, "line 59" in result.text, "20 more" in result.text) == (True, False, True)
    assert fs.files() == {"a": b"x = 1\ny\n" * 30}


ANSWERS: dict[str, tuple[Refused, dict[str, Any], str]] = {
    "OLD_TEXT_NOT_UNIQUE": (
        Refused("ambiguous", "indentation", (Site(1, 2), Site(5, 6))),
        {"rung": "indentation", "places": [{"start_line": 1, "end_line": 2}, {"start_line": 5, "end_line": 6}]},
        "lines 1-2, lines 5-6",
    ),
    "OLD_TEXT_NOT_FOUND": (
        Refused("missing", None, (Site(5, 6, 0.6), Site(1, 2, 0.5))),
        {
            "match": "lenient",
            "nearest": [
                {
                    "start_line": 5,
                    "end_line": 6,
                    "score": 0.6,
                    "symbol": "two",
                    "text": "def two():\n    return 2",
                    "differences": [
                        "line 5: line 1 of your text is not at this place",
                        "line 5: line 2 of your text is not at this place",
                        "line 5: the file has a line more here: 'def two():'",
                    ],
                },
                {
                    "start_line": 1,
                    "end_line": 2,
                    "score": 0.5,
                    "symbol": "one",
                    "text": "def one():\n    return 1",
                    "differences": [
                        "line 1: line 1 of your text is not at this place",
                        "line 1: line 2 of your text is not at this place",
                        "line 1: the file has a line more here: 'def one():'",
                    ],
                },
            ],
        },
        "lines 5-6",
    ),
    "ALREADY_APPLIED": (Refused("applied", "exact", (Site(2, 2),)), {"start_line": 2, "end_line": 2}, "line 2"),
    "PARTLY_APPLIED": (
        Refused("partly_applied", "exact", (Site(1, 2),)),
        {"start_line": 1, "end_line": 2, "text": "def one():\n    return 1"},
        "     2      return 1",
    ),
    "EDIT_CONFLICT": (
        Refused("conflict", "similar", (Site(1, 2),), Sides(2, "was\n", "is\n", "shall be\n"), "touched"),
        {"line": 2, "base": "was\n", "ours": "is\n", "theirs": "shall be\n", "detail": "touched", "written_on": None},
        "in the file: is",
    ),
    "TARGET_DELETED": (
        Refused("deleted", "rebased", (Site(5, 6),), base=Base(b"", "commit", "c0ffee", "decade")),
        {
            "start_line": 5,
            "end_line": 6,
            "text": "def two():\n    return 2",
            "written_on": {"source": "commit", "id": "c0ffee", "until": "decade"},
        },
        "It is in commit c0ffee; commit decade removed it.",
    ),
    "ELISION_IN_NEW_TEXT": (Refused("elided", "exact", (Site(1, 2),)), {"index": 0, "total": 1}, "newText"),
    "UNPROVED_CHANGE": (
        Refused("unproved", "indentation", (Site(1, 2),), None, "no_rule"),
        {"rung": "indentation", "start_line": 1, "end_line": 2, "detail": "no_rule"},
        "no rule",
    ),
}


@pytest.mark.promise("patch.codes")
@pytest.mark.parametrize("code", ANSWERS)
def test_every_refusal_of_the_search_has_its_code_and_fields(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, fields, said = ANSWERS[code]
    monkeypatch.setattr(patch_tool, "locate", lambda *_, **__: answer)
    ws, fs = workspace({"a": CODE})
    result = ws.patch("a", [replace("one line\nthat was sent", "x")])
    error = refused(result)
    assert (error["code"], error["path"], error["search_text"]) == (code, "a", "one line\nthat was sent")
    assert {name: error[name] for name in fields} == fields
    assert said in result.text
    assert ("that was sent" not in result.text, len(result.text.split("\n")) <= 15) == (True, True)
    assert fs.files() == {"a": CODE}


@pytest.mark.promise("patch.codes")
@pytest.mark.parametrize("match", ["exact", "whitespace", "lenient"])
def test_match_is_handed_on_and_named_where_nothing_was_found(match: str) -> None:
    ws, _ = workspace({"a": CODE})
    error = refused(ws.patch("a", [replace("nowhere at all", "x")], match))
    assert (error["match"], '"lenient" finds more' in error["hint"]) == (match, match != "lenient")


# A copy that is old


@pytest.mark.promise("patch.stale")
@pytest.mark.parametrize("match", ["exact", "whitespace"])
def test_a_text_that_a_change_replaced_is_told_with_the_change_and_what_stands_there_now(match: str) -> None:
    ws, fs = workspace({"a": b"0\nkept\nold one\nold two\nend\n"})
    land(ws, write("a", "new head\n0\nkept\nold one\nold two\nend\n"))
    change = done(ws.patch("a", [replace("old one\nold two\n", "now other\n")]))["change_id"]
    land(ws, write("a", b"\n" + fs.files()["a"]))
    result = ws.patch("a", [replace("old one\r\nold two\r\n", "x")], match)
    error = refused(result)
    assert error["code"] == "OLD_TEXT_NOT_FOUND"
    assert error["stale"] == {"change_id": change, "start_line": 5, "end_line": 5, "text": "now other"}
    assert (change in result.text, "now other" in result.text, "read it again" in result.text) == (True, True, True)


@pytest.mark.promise("patch.stale")
def test_a_text_that_a_change_deleted_is_told_with_the_change_and_the_version_that_has_it() -> None:
    ws, fs = workspace({"a": b"0\nkept\nold one\nold two\nend\n"})
    made = land(ws, write("a", "new head\n0\nkept\nold one\nold two\nend\n"))
    removed = done(ws.patch("a", [replace("old one\nold two\n", "now other\n")]))["change_id"]
    land(ws, write("a", b"\n" + fs.files()["a"]))
    before = fs.files()
    result = ws.patch("a", [replace("old one\r\nold two\r\n", "x")])
    told = {"code": "TARGET_DELETED", "index": 0, "total": 1, "path": "a", "search_text": "old one\r\nold two\r\n"}
    here = {"start_line": 5, "end_line": 5, "text": "now other"}
    version = {"source": "history", "id": made, "until": removed}
    error = refused(result)
    assert {name: error[name] for name in (*told, *here, "written_on")} == {**told, **here, "written_on": version}
    assert f"It is in change {made}; change {removed} removed it." in result.text
    assert fs.files() == before


@pytest.mark.promise("patch.stale")
def test_what_somebody_else_replaced_is_not_put_down_to_a_change() -> None:
    ws, fs = workspace({"a": b"one two three\nx\n"})
    change = land(ws, write("a", "one two three\nx\n\ny\n"))
    fs.put("a", b"something else entirely\nx\n\ny\n")
    stale = refused(ws.patch("a", [replace("one two three", "x")], "exact"))["stale"]
    assert stale == {"change_id": None, "start_line": 1, "end_line": 1, "text": "something else entirely"}
    error = refused(ws.patch("a", [replace("one two three", "x")]))
    version = {"source": "history", "id": change, "until": None}
    assert (error["code"], error["written_on"]) == ("TARGET_DELETED", version)
    for match in ("exact", "lenient"):
        error = refused(ws.patch("a", [replace("never here at all", "x")], match))
        assert (error["code"], error["stale"]) == ("OLD_TEXT_NOT_FOUND", None)


@pytest.mark.promise("patch.stale")
def test_without_a_history_or_in_a_large_file_nobody_looks_back() -> None:
    ws, _ = workspace({"a": b"1\n"}, Settings(history=False))
    land(ws, write("a", "2\n"))
    assert refused(ws.patch("a", [replace("1 and more", "x")]))["stale"] is None
    ws, _ = workspace({"a": b"the old text\n" + b"x\n" * 1_100_000})
    land(ws, write("a", b"the new text\n" + b"x\n" * 1_100_000))
    assert refused(ws.patch("a", [replace("the old text\nx\ny\n", "x")]))["stale"] is None


@pytest.mark.promise("patch.stale")
def test_the_past_of_a_file_in_another_encoding_is_read_in_it() -> None:
    ws, fs = workspace({"a": "é old text\n".encode("latin-1")})
    land(ws, write("a", "ö new text\n".encode("latin-1")))
    land(ws, write("a", "ü\n".encode()))
    land(ws, write("a", "ß".encode("latin-1")))
    error = refused(ws.patch("a", [replace("é old text", "x")], encoding="latin-1"))
    assert (error["code"], error["text"]) == ("TARGET_DELETED", "ß")
    land(ws, write("a", "ß old text".encode("latin-1")))
    land(ws, write("a", "ß old text\n\n".encode("latin-1")))
    fs.put("a", b"\xe9\n")
    error = refused(ws.patch("a", [replace("ß old text", "x")], encoding="latin-1"))
    assert (error["code"], error["text"], error["written_on"]["until"]) == ("TARGET_DELETED", "é", None)
    fs.put("a", "now it is UTF-8 – really\n".encode())
    error = refused(ws.patch("a", [replace(" old text", "x")]))
    assert (error["code"], error["text"]) == ("TARGET_DELETED", "now it is UTF-8 – really")


@pytest.mark.promise("patch.stale")
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("hello world", "good morning"),
        ("hello", "bye"),
        ("hello world\n", "good\nmorning\n"),
        ("hello world\nx = 1", "only this"),
        ("hello world\n", "good "),
        ("x = 1", "y = 2\n\nz = 3"),
        ("the end", "an end"),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_change_that_was_made_already_is_told_with_the_change_that_made_it(old: str, new: str, ending: str) -> None:
    ws, fs = workspace({"a": "first\nhello world\n    x = 1\nlast\nthe end".replace("\n", ending).encode()})
    old = old.replace("\nx", "\n    x")
    change = done(ws.patch("a", [replace(old, new)]))["change_id"]
    fs.put("a", f"above{ending}".encode() + fs.files()["a"])
    before = fs.files()
    result = ws.patch("a", [replace(old, new)])
    error = refused(result)
    assert (error["code"], error["change_id"]) == ("ALREADY_APPLIED", change), result.text
    assert f"of a, by change {change}." in result.text
    assert new.strip().split("\n")[0] in before["a"].decode().split(ending)[error["start_line"] - 1]
    assert fs.files() == before


@pytest.mark.promise("patch.stale")
def test_a_change_that_somebody_else_made_already_is_told_without_a_change() -> None:
    ws, fs = workspace({"a": b"one two three\nx\n"})
    land(ws, write("a", "one two three\nx\n\ny\n"))
    fs.put("a", b"something else entirely\nx\n\ny\n")
    error = refused(ws.patch("a", [replace("one two three", "something else entirely")]))
    assert (error["code"], error["change_id"], error["start_line"]) == ("ALREADY_APPLIED", None, 1)


@pytest.mark.promise("patch.stale")
@pytest.mark.parametrize(
    ("was", "now", "old", "new"),
    [
        ("timeout = 30\n", "timeout = 35\n", "timeout = 30", "timeout = 3"),
        ("x = f(1)\n", "x = g(2)\n", "x = f(1)", "x"),
        ("kept\nold line\n", "kept\nother line\n", "kept\nold line\n", "kept\n"),
        ("kept\nold one\nold two\nz\n", "kept\nnew\nchanged\nz\n", "kept\nold one\nold two\n", "kept\nnew\n"),
        ("a\nthe old\nnew\n", "a\nnew\n", "the old\n", "new\n"),
        ("the old one\n", "two\n", "the old one", "the old one"),
    ],
)
def test_what_only_resembles_a_change_is_not_taken_for_it(was: str, now: str, old: str, new: str) -> None:
    ws, fs = workspace({"a": was.encode()})
    change = land(ws, write("a", now))
    error = refused(ws.patch("a", [replace(old, new)], "exact"))
    assert (error["code"], error["stale"]["change_id"]) == ("OLD_TEXT_NOT_FOUND", change)
    error = refused(ws.patch("a", [replace(old, new)]))
    version = {"source": "history", "id": None, "until": change}
    assert (error["code"] in {"EDIT_CONFLICT", "TARGET_DELETED"}, error["written_on"]) == (True, version)
    assert fs.files() == {"a": now.encode()}


@pytest.mark.promise("patch.stale")
@pytest.mark.parametrize("match", ["exact", "whitespace", "lenient"])
def test_what_is_deleted_already_need_not_be_deleted_again(match: str) -> None:
    ws, fs = workspace({"a": b"the old\nb\n"})
    change = land(ws, write("a", "b\n"))
    error = refused(ws.patch("a", [replace("the old\n", "")], match))
    assert (error["code"], error["change_id"], fs.files()) == ("ALREADY_APPLIED", change, {"a": b"b\n"})


@pytest.mark.promise("patch.stale")
@pytest.mark.parametrize("match", ["exact", "whitespace", "lenient"])
def test_a_text_that_an_earlier_version_has_several_times_has_no_place(match: str) -> None:
    ws, fs = workspace({"a": b"the old x\nb\nthe old x\n"})
    land(ws, write("a", "new x\nb\nsomething\n"))
    error = refused(ws.patch("a", [replace("the old", "new")], match))
    assert (error["code"], error["stale"], error["nearest"]) == ("OLD_TEXT_NOT_FOUND", None, [])
    assert fs.files() == {"a": b"new x\nb\nsomething\n"}


# Written on an earlier version; more about it is in test_written_on

SETTINGS = b"[server]\nhost = one\nport = 80\n\n[client]\nhost = two\nretries = 3\n"
NOW = SETTINGS.replace(b"host = one", b"host = www").replace(b"retries = 3", b"retries = 5")
READ = {"source": "read", "id": None, "until": None}
CLIENT = "[client]\nhost = two\nretries = 3\n"
CLIENTS = replace(CLIENT, CLIENT.replace("[client]", "[clients]"))


def changed_since() -> tuple[Workspace, MemoryFS]:
    """A file that was read, and that somebody changed since."""
    ws, fs = workspace({"a": SETTINGS, "b": b"new\n"})
    done(ws.patch("b", [copy("new\n", "x")]))
    ws.file_read("a")
    fs.put("a", NOW)
    return ws, fs


@pytest.mark.promise("patch.stale")
def test_what_was_merged_is_told_with_where_it_went_and_can_be_undone() -> None:
    ws, fs = changed_since()
    result = ws.patch("a", [CLIENTS, replace("host = www", "host = ftp")])
    (one, other) = done(result)["patches"]
    assert one == {
        "index": 0,
        "operation": "replace",
        "rung": "rebased",
        "score": 1.0,
        "runner_up": None,
        "start_line": 5,
        "end_line": 7,
        "replaced": "[client]\nhost = two\nretries = 5\n",
        "written_on": READ,
    }
    assert (other["rung"], other["written_on"]) == ("exact", None)
    assert "patches[0]: written on the version you read; " in result.text
    assert fs.files()["a"] == NOW.replace(b"[client]", b"[clients]").replace(b"host = www", b"host = ftp")
    done(ws.undo())
    assert fs.files()["a"] == NOW


@pytest.mark.promise("patch.stale")
@pytest.mark.parametrize("match", ["exact", "whitespace"])
def test_only_a_lenient_search_merges(match: str) -> None:
    ws, fs = changed_since()
    error = refused(ws.patch("a", [CLIENTS], match))
    stale = {"change_id": None, "start_line": 5, "end_line": 7, "text": "[client]\nhost = two\nretries = 5"}
    assert (error["code"], error["stale"], fs.files()["a"]) == ("OLD_TEXT_NOT_FOUND", stale, NOW)


@pytest.mark.promise("patch.stale")
def test_a_dry_run_names_the_version_and_what_was_merged_is_not_merged_again() -> None:
    ws, fs = changed_since()
    dry = ws.patch("a", [CLIENTS], dry_run=True)
    assert (done(dry)["patches"][0]["written_on"], "the version you read" in dry.text) == (READ, True)
    assert fs.files()["a"] == NOW
    done(ws.patch("a", [CLIENTS]))
    assert refused(ws.patch("a", [CLIENTS]))["code"] == "ALREADY_APPLIED"
    assert fs.files()["a"] == NOW.replace(b"[client]", b"[clients]")


@pytest.mark.promise("patch.stale")
@pytest.mark.parametrize(
    "more",
    [{"fromClipboard": "x"}, {"newText": "new\n", "reindent": {"add": " "}}, {"newText": "", "toClipboard": "y"}],
)
def test_what_takes_the_place_of_lines_that_changed_since_is_refused(more: dict[str, Any]) -> None:
    ws, fs = changed_since()
    error = refused(ws.patch("a", [replace(CLIENT, **more)]))
    assert (error["code"], error.get("written_on"), fs.files()["a"]) == ("EDIT_CONFLICT", READ, NOW)


@pytest.mark.promise("patch.stale")
def test_a_copy_of_lines_that_changed_since_is_not_called_done() -> None:
    ws, _ = changed_since()
    assert "ALREADY_APPLIED" not in ws.patch("a", [copy(CLIENT, "x")]).text


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"\ty = 1  \n\tz = 2\n", "    y = 1  \n    z = 2\n", "    y = 1\n    z = 2\n", b"\ty = 1\n\tz = 2\n"),
        (b"\ty = 1\n\tz = 2\n", "    y = 1\n    z = 2\n", "    y = 1  \n    z = 2\n", b"\ty = 1  \n\tz = 2\n"),
        (b"\ty = 1\n\n\tz = 2\n", "    y = 1\n\n    z = 2\n", "    y = 1\n    z = 2\n", b"\ty = 1\n\tz = 2\n"),
        (b"\ty = 1\n\tz = 2", "    y = 1\n    z = 2", "    y = 1\n    z = 2\n", b"\ty = 1\n\tz = 2\n"),
        (b"\ty = 1\n\tz = 2\n", "    y = 1\n    z = 2\n", "    y = 1\n    z = 2", b"\ty = 1\n\tz = 2"),
        (b"\ty = 1 \n\tz = 2\n", "    y = 1\n    z = 2\n", "    y = 1\n    z = 3\n", b"\ty = 1 \n\tz = 3\n"),
    ],
)
def test_a_change_of_blanks_alone_is_carried_over(before: bytes, old: str, new: str, after: bytes) -> None:
    head = b"if x:\n"
    assert patched(head + before, replace(old, new)) == head + after


@pytest.mark.promise("patch.codes")
@pytest.mark.parametrize("match", ["exact", "whitespace", "lenient"])
def test_a_sibling_of_what_is_meant_is_shown_and_not_changed(match: str) -> None:
    gross = b"class Bill:\n    def gross(self, total):\n        rate = self.rate\n        return total * (1 + rate)\n"
    net = "    def net(self, total):\n        rate = self.rate\n        return total * (1 + rate)\n"
    ws, fs = workspace({"a.py": gross})
    result = ws.patch("a.py", [replace(net, net.replace("1 + rate", "1 - rate"))], match)
    error = refused(result)
    assert (error["code"], fs.files()) == ("OLD_TEXT_NOT_FOUND", {"a.py": gross})
    for each in error["nearest"]:
        assert (each["symbol"], each["start_line"], each["end_line"]) == ("Bill.gross", 2, 4)
        assert each["differences"] == ["line 2: 'gross' in the file, 'net' in your text"]
    assert len(error["nearest"]) == (1 if match == "lenient" else 0)


# The answer


@pytest.mark.promise("patch.shape")
def test_the_answer_has_exactly_this_shape() -> None:
    ws, fs = workspace({"a.py": CODE})
    patches = [
        append("end\n"),
        replace("return 2", "return 4"),
        prepend("#!\n"),
        replace("def one():\n    return 1\n", ""),
    ]
    result = ws.patch("a.py", patches)
    after = b"#!\n\n\ndef two():\n    return 4\nend\n"
    not_found = {"rung": None, "score": None, "runner_up": None, "written_on": None}
    exact = {"rung": "exact", "score": 1.0, "runner_up": None, "written_on": None}
    assert done(result) == {
        "path": "a.py",
        "change_id": recorded(ws)[0]["change_id"],
        "hash": hashed(after),
        "created": False,
        "patches": [
            {"index": 0, "operation": "append_eof", **not_found, "start_line": 7, "end_line": 7, "replaced": ""},
            {"index": 1, "operation": "replace", **exact, "start_line": 6, "end_line": 6, "replaced": "return 2"},
            {"index": 2, "operation": "prepend_bof", **not_found, "start_line": 1, "end_line": 1, "replaced": ""},
            {
                "index": 3,
                "operation": "replace",
                **exact,
                "start_line": 1,
                "end_line": 2,
                "replaced": "def one():\n    return 1\n",
            },
        ],
        "clipboards": [],
        "warnings": [],
        "display": {
            "path": "a.py",
            "diff": "diff --git a/a.py b/a.py\n--- a/a.py\n+++ b/a.py\n@@ -1,6 +1,6 @@\n-def one():\n-    return 1\n"
            "+#!\n \n \n def two():\n-    return 2\n+    return 4\n+end\n",
        },
    }
    assert (result.text, fs.files()) == (APPLIED, {"a.py": after})


@pytest.mark.promise("patch.dry-run")
@pytest.mark.parametrize(
    "patches",
    [
        [replace("return 2", "return 4", toClipboard="x"), append(fromClipboard="x")],
        [copy("return 1", "x")],
        [append("")],
    ],
)
@pytest.mark.parametrize("path", ["a.py", "new.py"])
def test_a_dry_run_tells_what_the_call_would(path: str, patches: list[dict[str, Any]]) -> None:
    patches = patches if path == "a.py" else [append("x\n")]
    ws, fs = workspace({"a.py": CODE})
    before = state(fs), dict(fs.shelf)
    dry = ws.patch(path, patches, dry_run=True)
    assert (state(fs), fs.shelf) == before
    real = done(ws.patch(path, patches))
    assert done(dry) == {**real, "change_id": None, "dry_run": True}
    head, note, *rest = dry.text.split("\n")
    assert (head, "nothing was written" in note) == ("<patches_applied>none</patches_applied>", True)
    rest = [line for line in rest if not line.startswith(("Would put a part", "Would copy a part"))]
    assert "\n".join(rest).strip("\n") == real["display"]["diff"].strip("\n")


@pytest.mark.promise("patch.dry-run")
@pytest.mark.parametrize(
    ("path", "patches", "said"),
    [
        ("a.py", [replace("return 1", "return 3")], "the patch would be applied"),
        ("a.py", [append("x\n"), append("y\n")], "all 2 patches would be applied"),
        ("a.py", [overwrite(CODE.decode())], "the patch would leave a.py as it is"),
        ("new.py", [append("x\n"), append("y\n")], "all 2 patches would create new.py"),
    ],
)
def test_a_dry_run_says_whether_it_would_change_create_or_leave_the_file(
    path: str, patches: list[dict[str, Any]], said: str
) -> None:
    ws, _ = workspace({"a.py": CODE})
    told = ws.patch(path, patches, dry_run=True).text.split("\n")[1]
    assert told == f"Dry run: {said}; nothing was written."


@pytest.mark.promise("patch.shape")
def test_what_changes_nothing_is_no_change() -> None:
    ws, fs = workspace({"a": CODE})
    for patches in ([replace("return 1", "return 1")], [overwrite(CODE.decode())], [append("")]):
        result = ws.patch("a", patches)
        data = done(result)
        assert (data["change_id"], data["display"]["diff"], data["hash"]) == (None, "", hashed(CODE))
        assert result.text == "<patches_applied>none</patches_applied>\nNo change: a is as it was."
    assert (recorded(ws), fs.files()) == ([], {"a": CODE})


@pytest.mark.promise("patch.shape")
def test_what_was_replaced_is_told_but_not_all_of_a_long_text() -> None:
    lines = "".join(f"line {number}\n" for number in range(100))
    ws, _ = workspace({"a": lines.encode(), "b": b"x" * 5000})
    told = done(ws.patch("a", [overwrite("")]))["patches"][0]
    assert (told["start_line"], told["end_line"]) == (1, 100)
    assert told["replaced"].split("\n")[19:] == ["line 19", "… 790 characters in all"]
    assert len(done(ws.patch("b", [overwrite("")]))["patches"][0]["replaced"]) < 2_100


@pytest.mark.promise("patch.shape")
def test_a_match_that_is_not_exact_is_told_with_its_place_and_the_next_best(monkeypatch: pytest.MonkeyPatch) -> None:
    found = Found("similar", 0.9, Site(5, 6, 0.5), Site(1, 2), (0, 24), (edit(4, 7, b"ONE"),))
    monkeypatch.setattr(patch_tool, "locate", lambda *_, **__: found)
    ws, fs = workspace({"a": CODE})
    result = ws.patch("a", [replace("def oen():\n return 1\n", "def ONE():\n return 1\n", toClipboard="x")])
    (told,) = done(result)["patches"]
    assert (told["rung"], told["score"]) == ("similar", 0.9)
    assert told["runner_up"] == {"start_line": 5, "end_line": 6, "score": 0.5}
    assert told["replaced"] == "def one():\n    return 1\n"
    assert result.text == (
        f"{APPLIED}\npatches[0]: found at lines 1-2 by similarity (next best: lines 5-6); "
        "your change was carried over to the file's own text.\n"
        "Put lines 1-2 (before the change) into clipboard 'x'."
    )
    assert fs.files()["a"] == CODE.replace(b"one", b"ONE")
    result = ws.patch("a", [copy("def oen():\n return 1\n", "y")])
    assert result.text.split("\n")[1].endswith("(next best: lines 5-6).")
    assert fs.files()["a"] == CODE.replace(b"one", b"ONE")
    done(ws.patch("b", [append(fromClipboard="x"), append(fromClipboard="y")]))
    assert fs.files()["b"] == b"def one():\n    return 1\ndef ONE():\n    return 1\n"


@pytest.mark.promise("patch.expect-hash")
@pytest.mark.parametrize("dry", [False, True])
def test_a_file_that_is_not_the_expected_one_is_not_searched(*, dry: bool) -> None:
    ws, fs = workspace({"a": CODE})
    for patch in (replace("nowhere", "x"), copy("return 1", "x"), append("x")):
        for expected in (hashed(b"other"), {"a": hashed(b"other")}):
            error = refused(ws.patch("a", [patch], expect_hash=expected, dry_run=dry))
            assert (error["code"], error["found"]) == ("FILE_CHANGED", hashed(CODE))
    error = refused(ws.patch("new", [append("x")], expect_hash=hashed(CODE), dry_run=dry))
    assert (error["code"], error["found"]) == ("FILE_CHANGED", None)
    assert fs.files() == {"a": CODE}
    done(ws.patch("a", [append("x")], expect_hash={"a": hashed(CODE), "b": hashed(b"")}, dry_run=dry))


@pytest.mark.promise("patch.one-transaction")
def test_a_file_that_changes_while_it_is_patched_is_patched_as_it_then_is() -> None:
    fs = MemoryFS({"a": CODE})

    def somebody_else(number: int, _: str) -> None:
        if number == 1:
            fs.put("a", b"first\n" + CODE)

    ws = Workspace(fs.root, fs=FaultyFS(fs, only={"lock"}, on_call=somebody_else))
    data = done(ws.patch("a", [replace("return 1", "return 3", toClipboard="x"), append(fromClipboard="x")]))
    assert data["patches"][0]["start_line"] == 3
    assert fs.files() == {"a": b"first\n" + CODE.replace(b"1", b"3") + b"return 1"}


# Warnings


@pytest.mark.promise("patch.generated")
@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.pb.go", "// Code generated by protoc-gen-go. DO NOT EDIT.\n\npackage a\n"),
        ("a.py", "# -*- coding: utf-8 -*-\n# Generated by the protocol buffer compiler.  DO NOT EDIT!\n"),
        ("a.js", "/**\n * @generated SignedSource<<0>>\n */\n"),
        ("a.rs", "// This file is automatically @generated by x.\n"),
        ("a.cs", "// <auto-generated>\n"),
        ("a.c", "/* DO NOT EDIT.\n * This file is auto-generated. */\n"),
        ("a.ini", "; AUTOGENERATED FILE, do not modify\r\n"),
        ("a.md", "<!-- Code generated by gomarkdoc. DO NOT EDIT -->\n"),
        ("sub/Cargo.lock", "x"),
        ("package-lock.json", "{}"),
        ("yarn.lock", ""),
        ("go.sum", ""),
        ("app.min.js", "x"),
        ("app.js", "x;" * 2_000),
    ],
)
def test_a_file_that_somebody_else_writes_is_edited_with_a_warning(path: str, content: str) -> None:
    ws, fs = workspace({path: content.encode()})
    result = ws.patch(path, [prepend("\n")])
    (warning,) = done(result)["warnings"]
    assert (warning.startswith(path), result.text) == (True, f"{APPLIED}\nwarning: {warning}")
    ending = b"\r\n" if "\r" in content else b"\n"
    assert fs.files() == {path: ending + content.encode()}


@pytest.mark.promise("patch.generated")
@pytest.mark.parametrize(
    ("path", "content"),
    [
        ("a.py", "# The report is generated by the server.\n"),
        ("a.md", "Files with `@generated` or Code generated by x. DO NOT EDIT. are skipped.\n"),
        ("a.md", "# Code generated by tools: do not edit\n"),
        ("a.py", "x = '@generated'\n# a comment on '@generated' and `do not edit` what is generated\n"),
        ("a.py", "# generated-by is a field; see @generated_by\n"),
        ("a.py", "# é" * 700 + "\n# Code generated by x. DO NOT EDIT.\n"),
        ("a.txt", "do not edit the generated files\n"),
        ("data.json", "[" + "1," * 4_000 + "1]"),
        ("lock.py", "x"),
    ],
)
def test_prose_about_generated_files_is_no_generated_file(path: str, content: str) -> None:
    ws, _ = workspace({path: content.encode()})
    assert done(ws.patch(path, [append("\nx")]))["warnings"] == []


@pytest.mark.promise("patch.operations")
@pytest.mark.parametrize(
    ("before", "patches", "warnings"),
    [
        (b"a", [append("b")], ["patches[0]: the file has no newline at its end: the text continues its last line."]),
        (b"a", [append(""), append("b\n"), append("c\n")], ["patches[1]: the file has no newline at its end"]),
        (b"a", [append("\nb")], []),
        (b"a\n", [append("b"), append("c")], []),
        (b"", [append("b"), prepend("c")], []),
        (b"a\r", [append("b")], []),
        (
            b"a\n",
            [prepend("b")],
            ["patches[0]: the text has no newline at its end: the file's first line continues it."],
        ),
        (b"a\n", [prepend("b"), prepend("c\n"), prepend("")], []),
        (b"a\n", [prepend("b\n"), prepend("c")], ["patches[1]: the text has no newline at its end"]),
        (b"\na\n", [prepend("b")], []),
        (b"a", [prepend("b"), append("c")], ["patches[0]: the text has no", "patches[1]: the file has no newline"]),
    ],
)
def test_text_that_runs_into_a_line_of_the_file_is_put_in_with_a_warning(
    before: bytes, patches: list[dict[str, Any]], warnings: list[str]
) -> None:
    ws, _ = workspace({"a": before})
    told = done(ws.patch("a", patches))["warnings"]
    assert len(told) == len(warnings)
    assert all(each.startswith(said) for each, said in zip(told, warnings, strict=True))


@pytest.mark.promise("patch.text")
def test_a_text_that_takes_a_line_end_away_is_literal_with_a_warning() -> None:
    ws, fs = workspace({"a": b"one\ntwo\nthree\n"})
    result = ws.patch("a", [replace("two\n", "2")])
    assert fs.files()["a"] == b"one\n2three\n"
    warning = "patches[0]: newText has no newline at its end: the file's next line continues it."
    assert done(result)["warnings"] == [warning]


@pytest.mark.promise("patch.clipboards")
def test_new_text_beside_a_clipboard_is_ignored_with_a_warning() -> None:
    ws, fs = workspace({"a": b"one\ntwo\n"})
    done(ws.patch("a", [copy("one", "x")]))
    result = ws.patch("a", [append("\n", fromClipboard=""), replace("two", "new", fromClipboard="x")])
    warning = "patches[1]: newText was ignored: fromClipboard is set."
    assert (done(result)["warnings"], f"warning: {warning}" in result.text) == ([warning], True)
    assert fs.files()["a"] == b"one\none\n\n"
    assert done(ws.patch("a", [append("", fromClipboard="x")]))["warnings"] == []


@pytest.mark.promise("patch.clipboards")
@pytest.mark.parametrize(
    ("patch", "did", "would"),
    [
        (copy("def one():\n    return 1\n", "S"), "Copied lines 1-2 to", "Would copy lines 1-2 to"),
        (copy("    return 2", "S"), "Copied line 6 to", "Would copy line 6 to"),
        (copy("one():\n    return", "S"), "Copied a part of lines 1-2 to", "Would copy a part of lines 1-2 to"),
        (replace("    return 1\n", "", toClipboard="S"), "Cut line 2 to", "Would cut line 2 to"),
        (
            replace("    return 1\n", "    pass\n", toClipboard="S"),
            "Put line 2 (before the change) into",
            "Would put line 2 (before the change) into",
        ),
    ],
)
def test_what_goes_into_a_clipboard_is_told_with_its_name(patch: dict[str, Any], did: str, would: str) -> None:
    ws, _ = workspace({"a": CODE})
    assert ws.patch("a", [patch], dry_run=True).text.split("\n")[2] == f"{would} clipboard 'S'."
    assert ws.patch("a", [patch]).text.split("\n")[1] == f"{did} clipboard 'S'."


# Something left out


@pytest.mark.promise("patch.codes")
@pytest.mark.parametrize("match", ["whitespace", "lenient"])
def test_a_file_is_not_overwritten_by_a_text_that_leaves_some_of_it_out(match: str) -> None:
    ws, fs = workspace({"a": CODE, "b": b"x\n# ... existing code ...\r\n", "empty": b""})
    text = "def one():\n    return 3\n\n# ... rest of the code unchanged ...\n"
    result = ws.patch("a", [overwrite(text)], match)
    error = refused(result)
    assert (error["code"], error["operation"], error["index"]) == ("ELISION_IN_NEW_TEXT", "overwrite", 0)
    assert "(# ... rest of the code unchanged ...)" in result.text
    assert "add literal: true" in result.text
    assert fs.files()["a"] == CODE
    done(ws.patch("a", [overwrite("x = ...\n")], match))
    done(ws.patch("b", [overwrite("y\n# ... existing code ...\n")], match))
    for path in ("new", "empty"):
        done(ws.patch(path, [overwrite(text)], match))
    done(ws.patch("a", [overwrite(text)], "exact"))
    assert fs.files()["a"] == text.encode()


@pytest.mark.promise("patch.codes")
@pytest.mark.parametrize("old", ["def one():\n    return 1\n", "def one():\n    # ... existing code ...\n"])
def test_parts_that_are_left_out_on_one_side_only_are_told_in_words_that_fit_both(old: str) -> None:
    ws, fs = workspace({"a": CODE})
    new = "def one():\n    x\n" if "..." in old else "def one():\n    # ... existing code ...\n"
    result = ws.patch("a", [replace(old + "\n\ndef two():\n", new + "\n\ndef two():\n")])
    assert refused(result)["code"] == "ELISION_IN_NEW_TEXT"
    told = "oldText and newText do not leave out ('...') the same parts"
    assert (told if "..." in old else "newText has a placeholder (# ... existing code ...)") in result.text
    assert fs.files() == {"a": CODE}


@pytest.mark.promise("patch.codes")
def test_a_conflict_without_sides_is_a_change_that_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patch_tool, "locate", lambda *_, **__: Refused("conflict"))
    ws, _ = workspace({"a": b"1\n"})
    error = refused(ws.patch("a", [replace("x", "y")]))
    assert (error["code"], error["detail"]) == ("UNPROVED_CHANGE", "conflict")
