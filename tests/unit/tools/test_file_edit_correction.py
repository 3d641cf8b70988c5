"""The tool `file_edit`: the correction after a failed edit; applied as it is, it must do what was meant."""

import json

import pytest

from tests.unit.changes import land, succeed, workspace, write
from tests.unit.file_edits import (
    AFTER,
    CODE,
    NEW,
    ODD_FILES,
    OLD,
    SPOILED,
    Edit,
    ask,
    corrected_edits,
    edit,
    failure,
    fixes,
    kinds,
    wrong,
)


def correct(before: str, sent: Edit) -> str:
    """A file's text after an edit that failed, and its first suggested fix sent back unread."""
    ws, fs = workspace({"a": before.encode()})
    result = ask(ws, "a", sent)
    assert wrong(result)["type"] == "NO_MATCH"
    example = json.loads(fixes(result)[0]["example"])
    assert set(example) == {"old_text", "new_text"}
    assert before.count(example["old_text"]) == 1
    succeed(ask(ws, "a", example))
    return fs.files()["a"].decode()


# The copy-ready edit


@pytest.mark.parametrize("name", SPOILED)
@pytest.mark.promise("edit.correction")
def test_a_spoiled_edit_is_given_back_ready_to_land(name: str) -> None:
    assert correct(CODE, edit(SPOILED[name](OLD), SPOILED[name](NEW))) == AFTER


@pytest.mark.parametrize("name", ODD_FILES)
def test_an_edit_of_an_odd_file_is_given_back_ready_to_land(name: str) -> None:
    assert correct(ODD_FILES[name](CODE), edit(OLD, NEW)) == ODD_FILES[name](AFTER)


# Where none may be offered


def test_a_wrong_count_gets_no_edit_of_one_place_that_was_not_chosen() -> None:
    result = failure(b"x = 1\nx = 1\n", edit("x = 1", "x = 2"))
    ws, fs = workspace({"a": b"x = 1\nx = 1\n"})
    for correction in corrected_edits(result):
        succeed(ask(ws, "a", correction))
        assert fs.files()["a"] == b"x = 2\nx = 2\n"
    assert "ADJUST_COUNT" in kinds(result)


# Stale copies


def test_a_text_that_a_transaction_replaced_is_named_with_that_change() -> None:
    ws, _ = workspace({"a": b"one\nvalue_of_old = 1\nthree\n"})
    changed = land(ws, write("a", b"one\nvalue_of_new = 2\nthree\n"))
    text = ask(ws, "a", edit("value_of_old = 1", "value_of_old = 3")).text
    assert changed in text
    assert "value_of_new = 2" in text


@pytest.mark.promise("edit.stale")
def test_a_text_that_a_transaction_deleted_is_named_with_that_change() -> None:
    ws, _ = workspace({"a": b"one\nvalue_of_old = 1\nthree\n"})
    changed = land(ws, write("a", b"one\nsomething_new = 2\nthree\n"))
    result = ask(ws, "a", edit("value_of_old = 1", "value_of_old = 3"))
    stale = {"change_id": changed, "start_line": 2, "end_line": 2, "text": "something_new = 2"}
    assert (result.metadata["error"]["why"], result.metadata["error"]["stale"]) == ("deleted", stale)
    assert (kinds(result), corrected_edits(result)) == (["TARGET_DELETED"], [])
    assert changed in result.text


LONG_CODE = "".join(f'def function_{number}():\n    return "a\\nb\\\\", {number}\n' for number in range(30))


def test_a_long_correction_is_shown_whole_with_line_breaks_as_line_breaks() -> None:
    ws, fs = workspace({"a": LONG_CODE.encode()})
    result = ask(ws, "a", edit(LONG_CODE.replace("    ", "\t", 1), LONG_CODE.upper().replace("    ", "\t", 1)))
    text = result.within(25_000).text
    assert text == result.text
    lines = text.split("\n")
    assert max(map(len, lines)) < 100
    begin = next(number for number, line in enumerate(lines) if line.startswith('{"old_text"'))
    end = next(number for number, line in enumerate(lines) if line.endswith('"}'))
    assert lines[begin - 1] == "1. Send this edit instead; it occurs once, at lines 1-60:"
    shown = json.loads("\n".join(lines[begin : end + 1]), strict=False)
    assert shown == json.loads(fixes(result)[0]["example"])
    succeed(ws.call("file_edit", {"path": "a", "edits": "\n".join(lines[begin : end + 1])}))
    assert fs.files()["a"].decode() == LONG_CODE.upper()


def test_a_correction_in_a_minified_line_is_not_shown_in_part() -> None:
    ws, _ = workspace({"a": ("if (a) { b() }; " * 50 + "\n").encode()})
    result = ask(ws, "a", edit("if (a)  { b() }; " + "if (a) { b() }; " * 49 + "\n", "x\n"))
    text = result.within(25_000).text
    assert "(too long to show; see metadata.suggested_fixes)" in text
    assert text == result.text
