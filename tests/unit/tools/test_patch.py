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
from tests.unit.changes import error_of, land, succeed, workspace, write

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


def patch_bytes(before: bytes, *patches: dict[str, Any], **more: Any) -> bytes:
    """A file's bytes after a call that succeeds."""
    ws, fs = workspace({"a": before})
    succeed(ws.patch("a", list(patches), **more))
    return fs.files()["a"]


# Operations


@pytest.mark.promise("patch.original")
def test_patches_refer_to_the_original_in_any_order() -> None:
    patches = [replace("one", "two"), replace("two", "three"), replace("three", "one"), append("!"), prepend("?")]
    assert {patch_bytes(b"one two three\n", *order) for order in permutations(patches)} == {b"?two three one\n!"}


# Clipboards


@pytest.mark.promise("patch.clipboards")
@pytest.mark.parametrize("content", [b"\xe9\r\nx\xff", b"\xef\xbb\xbf\xc3\xa9", "é🎉".encode("utf-16")])
def test_a_clipboard_holds_the_very_bytes(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    ws, fs = workspace({"a": content})
    end = len(Text.decode(content).body)
    place = Found("exact", Site(1, 1), (0, end), (edit(0, end, b""),))
    monkeypatch.setattr(patch_tool, "locate", lambda *_, **__: place)
    succeed(ws.patch("a", [replace("all of it", "", toClipboard="x")]))
    succeed(Workspace(fs.root, fs=fs).patch("a", [append(fromClipboard="x")]))
    assert fs.files() == {"a": content}


@pytest.mark.promise("patch.clipboards")
def test_bytes_of_an_unknown_encoding_are_pasted_only_where_they_are_none_either() -> None:
    ws, fs = workspace({"a": b"1 \xe9 2\n", "b": b"\xc3\xa9\n", "c": b"\xff\n", "d": b"ascii\n"})
    session = ws._engine.session()
    assert session.clipboard("x") is None
    place = Found("exact", Site(1, 1), (0, 5), ())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(patch_tool, "locate", lambda *_, **__: place)
        succeed(ws.patch("a", [copy("1", "x")]))
    assert error_of(ws.patch("b", [append(fromClipboard="x")]))["code"] == "ENCODING_MISMATCH"
    succeed(ws.patch("c", [append(fromClipboard="x")]))
    succeed(ws.patch("d", [append(fromClipboard="x")]))
    succeed(ws.patch("e", [append(fromClipboard="x")]))
    assert fs.files() == {**fs.files(), "c": b"\xff\n1 \xe9 2", "d": b"ascii\n1 \xe9 2", "e": b"1 \xe9 2"}
    assert error_of(ws.patch("f", [append("é"), append(fromClipboard="x")]))["code"] == "ENCODING_UNKNOWN"


@pytest.mark.promise("patch.clipboards")
def test_without_a_history_clipboards_last_as_long_as_the_workspace_and_the_answer_says_so() -> None:
    ws, fs = workspace({"a": CODE}, Settings(history=False))
    (warning,) = succeed(ws.patch("a", [copy("return 1", "x")]))["warnings"]
    assert "as long as this process" in warning
    assert succeed(ws.patch("a", [append("x")]))["warnings"] == []
    (warning,) = succeed(ws.patch("a", [replace("return 2", "", toClipboard="y")]))["warnings"]
    succeed(ws.patch("b", [append(fromClipboard="x"), append(fromClipboard="y")]))
    assert (fs.files()["b"], fs.shelf) == (b"return 1return 2", {})
    other = Workspace(fs.root, Settings(history=False), fs=fs)
    assert error_of(other.patch("b", [append(fromClipboard="x")]))["known"] == []


# What models send


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
                        "line 5: the file has an extra line here: 'def two():'",
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
                        "line 1: the file has an extra line here: 'def one():'",
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
    answer, fields, words = ANSWERS[code]
    monkeypatch.setattr(patch_tool, "locate", lambda *_, **__: answer)
    ws, fs = workspace({"a": CODE})
    result = ws.patch("a", [replace("one line\nthat was sent", "x")])
    error = error_of(result)
    assert (error["code"], error["path"], error["search_text"]) == (code, "a", "one line\nthat was sent")
    assert {name: error[name] for name in fields} == fields
    assert words in result.text
    assert ("that was sent" not in result.text, len(result.text.split("\n")) <= 15) == (True, True)
    assert fs.files() == {"a": CODE}


@pytest.mark.promise("patch.twice")
@pytest.mark.parametrize("code", ["OLD_TEXT_NOT_FOUND", "EDIT_CONFLICT", "UNPROVED_CHANGE"])
def test_a_refusal_that_is_repeated_shows_the_lines_to_copy(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    answer, _, _ = ANSWERS[code]
    monkeypatch.setattr(patch_tool, "locate", lambda *_, **__: answer)
    ws, _ = workspace({"a": CODE})
    request = [replace("one line\nthat was sent", "x")]
    assert (error_of(ws.patch("a", request))["attempt"], error_of(ws.patch("a", request))["attempt"]) == (1, 2)
    result = ws.patch("a", request)
    region = error_of(result)["region"]
    assert region["text"] in CODE.decode()
    assert (
        f"(attempt 3).\nLines {region['start_line']}-{region['end_line']} of a, exactly:\n{region['text']}\n"
        in result.text
    )


@pytest.mark.promise("patch.twice")
def test_a_refusal_in_an_empty_file_has_no_lines_to_show(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patch_tool, "locate", lambda *_, **__: ANSWERS["EDIT_CONFLICT"][0])
    ws, _ = workspace({"a": b""})
    assert [error_of(ws.patch("a", [replace("was", "x")]))["region"] for _ in range(2)] == [None, None]


@pytest.mark.promise("patch.original")
def test_the_results_of_very_many_patches_are_not_searched() -> None:
    ws, _ = workspace({"a": b"x = 1\n" * 900_000 + b"one\n"})
    error = error_of(ws.patch("a", [replace("one", "two"), replace("x = 1\ntwo", "y")]))
    assert (error["index"], error["depends_on"]) == (1, None)


@pytest.mark.promise("patch.original")
def test_blank_lines_need_no_other_patch() -> None:
    ws, _ = workspace({"a": b"a\nb\n"})
    error = error_of(ws.patch("a", [replace("b", "b\n\n\n"), replace("\n\n", "y")]))
    assert (error["index"], error["depends_on"]) == (1, None)


@pytest.mark.promise("patch.shape")
def test_very_long_texts_are_displayed_in_part_with_their_size() -> None:
    ws, _ = workspace({"a": "é1\n".encode() * 400_000})
    result = succeed(ws.patch("a", [{"operation": "append_eof", "newText": "end\n"}]))
    old, new = result["display"]["old"], result["display"]["new"]
    assert old.startswith("é1\né1\n")
    assert old.endswith("\n… 1,600,000 bytes in total")
    assert new.endswith("\n… 1,600,004 bytes in total")
    assert len(old.encode()) < 1_000_100
    assert result["display"]["diff"].endswith("+end\n")


# A copy that is old


@pytest.mark.promise("patch.stale")
@pytest.mark.parametrize("match", ["exact", "whitespace"])
def test_a_text_that_a_change_replaced_is_reported_with_the_change_and_what_is_there_now(match: str) -> None:
    ws, fs = workspace({"a": b"0\nkept\nold one\nold two\nend\n"})
    land(ws, write("a", "new head\n0\nkept\nold one\nold two\nend\n"))
    change = succeed(ws.patch("a", [replace("old one\nold two\n", "now other\n")]))["change_id"]
    land(ws, write("a", b"\n" + fs.files()["a"]))
    result = ws.patch("a", [replace("old one\r\nold two\r\n", "x")], match)
    error = error_of(result)
    assert error["code"] == "OLD_TEXT_NOT_FOUND"
    assert error["stale"] == {"change_id": change, "start_line": 5, "end_line": 5, "text": "now other"}
    assert (change in result.text, "now other" in result.text, "read it again" in result.text) == (True, True, True)


@pytest.mark.promise("patch.stale")
def test_a_text_that_a_change_deleted_is_reported_with_the_change_and_the_version_that_has_it() -> None:
    ws, fs = workspace({"a": b"0\nkept\nold one\nold two\nend\n"})
    change = land(ws, write("a", "new head\n0\nkept\nold one\nold two\nend\n"))
    removed = succeed(ws.patch("a", [replace("old one\nold two\n", "now other\n")]))["change_id"]
    land(ws, write("a", b"\n" + fs.files()["a"]))
    before = fs.files()
    result = ws.patch("a", [replace("old one\r\nold two\r\n", "x")])
    fields = {"code": "TARGET_DELETED", "index": 0, "total": 1, "path": "a", "search_text": "old one\r\nold two\r\n"}
    here = {"start_line": 5, "end_line": 5, "text": "now other"}
    version = {"source": "history", "id": change, "until": removed}
    error = error_of(result)
    assert {name: error[name] for name in (*fields, *here, "written_on")} == {**fields, **here, "written_on": version}
    assert f"It is in change {change}; change {removed} removed it." in result.text
    assert fs.files() == before


@pytest.mark.promise("patch.stale")
def test_what_someone_else_replaced_is_not_put_down_to_a_change() -> None:
    ws, fs = workspace({"a": b"one two three\nx\n"})
    change = land(ws, write("a", "one two three\nx\n\ny\n"))
    fs.put("a", b"something else entirely\nx\n\ny\n")
    stale = error_of(ws.patch("a", [replace("one two three", "x")], "exact"))["stale"]
    assert stale == {"change_id": None, "start_line": 1, "end_line": 1, "text": "something else entirely"}
    error = error_of(ws.patch("a", [replace("one two three", "x")]))
    version = {"source": "history", "id": change, "until": None}
    assert (error["code"], error["written_on"]) == ("TARGET_DELETED", version)
    for match in ("exact", "lenient"):
        error = error_of(ws.patch("a", [replace("never here at all", "x")], match))
        assert (error["code"], error["stale"]) == ("OLD_TEXT_NOT_FOUND", None)


@pytest.mark.promise("patch.stale")
def test_without_a_history_or_in_a_large_file_nobody_looks_back() -> None:
    ws, _ = workspace({"a": b"1\n"}, Settings(history=False))
    land(ws, write("a", "2\n"))
    assert error_of(ws.patch("a", [replace("1 and more", "x")]))["stale"] is None
    ws, _ = workspace({"a": b"the old text\n" + b"x\n" * 1_100_000})
    land(ws, write("a", b"the new text\n" + b"x\n" * 1_100_000))
    assert error_of(ws.patch("a", [replace("the old text\nx\ny\n", "x")]))["stale"] is None


@pytest.mark.promise("patch.stale")
def test_the_past_of_a_file_in_another_encoding_is_read_in_it() -> None:
    ws, fs = workspace({"a": "é old text\n".encode("latin-1")})
    land(ws, write("a", "ö new text\n".encode("latin-1")))
    land(ws, write("a", "ü\n".encode()))
    land(ws, write("a", "ß".encode("latin-1")))
    error = error_of(ws.patch("a", [replace("é old text", "x")], encoding="latin-1"))
    assert (error["code"], error["text"]) == ("TARGET_DELETED", "ß")
    land(ws, write("a", "ß old text".encode("latin-1")))
    land(ws, write("a", "ß old text\n\n".encode("latin-1")))
    fs.put("a", b"\xe9\n")
    error = error_of(ws.patch("a", [replace("ß old text", "x")], encoding="latin-1"))
    assert (error["code"], error["text"], error["written_on"]["until"]) == ("TARGET_DELETED", "é", None)
    fs.put("a", "now it is UTF-8 – really\n".encode())
    error = error_of(ws.patch("a", [replace(" old text", "x")]))
    assert (error["code"], error["text"]) == ("TARGET_DELETED", "now it is UTF-8 – really")


@pytest.mark.promise("patch.stale")
def test_a_change_that_someone_else_made_already_is_reported_without_a_change() -> None:
    ws, fs = workspace({"a": b"one two three\nx\n"})
    land(ws, write("a", "one two three\nx\n\ny\n"))
    fs.put("a", b"something else entirely\nx\n\ny\n")
    error = error_of(ws.patch("a", [replace("one two three", "something else entirely")]))
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
    error = error_of(ws.patch("a", [replace(old, new)], "exact"))
    assert (error["code"], error["stale"]["change_id"]) == ("OLD_TEXT_NOT_FOUND", change)
    error = error_of(ws.patch("a", [replace(old, new)]))
    version = {"source": "history", "id": None, "until": change}
    assert (error["code"] in {"EDIT_CONFLICT", "TARGET_DELETED"}, error["written_on"]) == (True, version)
    assert fs.files() == {"a": now.encode()}


@pytest.mark.promise("patch.stale")
@pytest.mark.parametrize("match", ["exact", "whitespace", "lenient"])
def test_what_is_deleted_already_need_not_be_deleted_again(match: str) -> None:
    ws, fs = workspace({"a": b"the old\nb\n"})
    change = land(ws, write("a", "b\n"))
    error = error_of(ws.patch("a", [replace("the old\n", "")], match))
    assert (error["code"], error["change_id"], fs.files()) == ("ALREADY_APPLIED", change, {"a": b"b\n"})


@pytest.mark.promise("patch.stale")
@pytest.mark.parametrize("match", ["exact", "whitespace", "lenient"])
def test_a_text_that_an_earlier_version_has_several_times_has_no_place(match: str) -> None:
    ws, fs = workspace({"a": b"the old x\nb\nthe old x\n"})
    land(ws, write("a", "new x\nb\nsomething\n"))
    error = error_of(ws.patch("a", [replace("the old", "new")], match))
    assert (error["code"], error["stale"], error["nearest"]) == ("OLD_TEXT_NOT_FOUND", None, [])
    assert fs.files() == {"a": b"new x\nb\nsomething\n"}


# The answer


@pytest.mark.promise("patch.shape")
def test_a_match_that_is_not_exact_is_reported_with_its_place_and_the_next_best(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    place = Found("similar", Site(1, 2), (0, 24), (edit(4, 7, b"ONE"),), 0.9, Site(5, 6, 0.5))
    monkeypatch.setattr(patch_tool, "locate", lambda *_, **__: place)
    ws, fs = workspace({"a": CODE})
    result = ws.patch("a", [replace("def oen():\n return 1\n", "def ONE():\n return 1\n", toClipboard="x")])
    (entry,) = succeed(result)["patches"]
    assert (entry["rung"], entry["score"]) == ("similar", 0.9)
    assert entry["runner_up"] == {"start_line": 5, "end_line": 6, "score": 0.5}
    assert entry["replaced"] == "def one():\n    return 1\n"
    assert result.text == (
        f"{APPLIED}\npatches[0]: found at lines 1-2 by similarity (next best: lines 5-6); "
        "your change was adapted to the file's text.\n"
        "Put lines 1-2 (before the change) into clipboard 'x'.\n\n"
        "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,4 +1,4 @@\n-def one():\n+def ONE():\n     return 1\n \n "
    )
    assert fs.files()["a"] == CODE.replace(b"one", b"ONE")
    result = ws.patch("a", [copy("def oen():\n return 1\n", "y")])
    assert result.text.split("\n")[1].endswith("(next best: lines 5-6).")
    assert fs.files()["a"] == CODE.replace(b"one", b"ONE")
    succeed(ws.patch("b", [append(fromClipboard="x"), append(fromClipboard="y")]))
    assert fs.files()["b"] == b"def one():\n    return 1\ndef ONE():\n    return 1\n"


@pytest.mark.promise("patch.one-transaction")
def test_a_file_that_changes_while_it_is_patched_is_patched_as_it_then_is() -> None:
    fs = MemoryFS({"a": CODE})

    def write_as_other(number: int, _: str) -> None:
        if number == 1:
            fs.put("a", b"first\n" + CODE)

    ws = Workspace(fs.root, fs=FaultyFS(fs, only={"lock"}, on_call=write_as_other))
    data = succeed(ws.patch("a", [replace("return 1", "return 3", toClipboard="x"), append(fromClipboard="x")]))
    assert data["patches"][0]["start_line"] == 3
    assert fs.files() == {"a": b"first\n" + CODE.replace(b"1", b"3") + b"return 1"}


# Something left out


@pytest.mark.promise("patch.codes")
def test_a_conflict_without_sides_is_a_change_that_is_not_proved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patch_tool, "locate", lambda *_, **__: Refused("conflict"))
    ws, _ = workspace({"a": b"1\n"})
    error = error_of(ws.patch("a", [replace("x", "y")]))
    assert (error["code"], error["detail"]) == ("UNPROVED_CHANGE", "conflict")
