"""The tool `file_edit`: what a model that failed is given, so that its second try lands, and lands right."""

import json

import pytest

from suture import ToolResult, Workspace
from tests.unit.changes import done, land, workspace, write
from tests.unit.file_edits import (
    AFTER,
    CODE,
    NEW,
    ODD_FILES,
    OLD,
    SLIPS,
    SPOILED,
    Edit,
    ask,
    edit,
    failed,
    fixes,
    kinds,
    offered,
    seen,
    wrong,
)


def corrected(before: str, sent: Edit) -> str:
    """A file's text after an edit that failed, and its first suggested fix sent back unread."""
    ws, fs = workspace({"a": before.encode()})
    result = ask(ws, "a", sent)
    assert wrong(result)["type"] == "NO_MATCH"
    example = json.loads(fixes(result)[0]["example"])
    assert set(example) == {"old_text", "new_text"}
    assert before.count(example["old_text"]) == 1
    done(ask(ws, "a", example))
    return fs.files()["a"].decode()


# The copy-ready edit


@pytest.mark.parametrize("name", SPOILED)
@pytest.mark.promise("edit.correction")
def test_a_spoiled_edit_is_given_back_ready_to_land(name: str) -> None:
    assert corrected(CODE, edit(SPOILED[name](OLD), SPOILED[name](NEW))) == AFTER


@pytest.mark.parametrize("name", ODD_FILES)
def test_an_edit_of_an_odd_file_is_given_back_ready_to_land(name: str) -> None:
    assert corrected(ODD_FILES[name](CODE), edit(OLD, NEW)) == ODD_FILES[name](AFTER)


@pytest.mark.parametrize("name", SLIPS)
def test_an_edit_with_a_slip_is_given_back_ready_to_land(name: str) -> None:
    sent, meant = SLIPS[name]
    assert corrected(CODE, sent) == CODE.replace(meant["old_text"], meant["new_text"])


@pytest.mark.parametrize("name", ["tabs for spaces", "curly quotes", "line numbers", "typo in a word"])
@pytest.mark.promise("edit.correction")
def test_a_correction_lands_in_a_file_with_crlf(name: str) -> None:
    ws, fs = workspace({"a": CODE.replace("\n", "\r\n").encode()})
    (example, *_) = offered(ask(ws, "a", edit(SPOILED[name](OLD), SPOILED[name](NEW))))
    done(ask(ws, "a", example))
    assert fs.files()["a"].decode() == AFTER.replace("\n", "\r\n")


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "latin-1"])
def test_a_correction_lands_in_a_file_of_another_encoding(codec: str) -> None:
    plain = str.maketrans("éï", "ei")
    code, old, new = ("é\n" + CODE.translate(plain), OLD.translate(plain), NEW.translate(plain))
    spoil = SPOILED["tabs for spaces"]
    ws, fs = workspace({"a": code.encode(codec)})
    (example, *_) = offered(ask(ws, "a", edit(spoil(old), spoil(new))))
    done(ask(ws, "a", example))
    assert fs.files()["a"] == code.replace(old, new).encode(codec)


@pytest.mark.promise("edit.no-wrong-correction")
def test_what_is_left_of_two_slips_in_one_is_never_written() -> None:
    sent = edit("    19\t    total = 0\\n", "    19\t    total = 0\\n    20\t    count = 0\\n")
    ws, fs = workspace({"a": CODE.encode()})
    for each in offered(ask(ws, "a", sent)):
        done(ask(ws, "a", each))
        assert fs.files()["a"].decode() == CODE.replace("total = 0\n", "total = 0\n    count = 0\n")


def test_a_correction_is_not_offered_for_more_places_than_fit() -> None:
    result = failed(b"a\nvalue  = compute(1)\nb\n", edit("value = compute(1)", "value = compute(2)", 3))
    assert (wrong(result)["type"], offered(result)) == ("NO_MATCH", [])


def test_a_correction_of_one_edit_among_several_lands_in_its_place() -> None:
    spoil = SPOILED["dedented block"]
    edits = [edit("import json\n", "import json5\n"), edit(spoil(OLD), spoil(NEW)), edit("json.loads", "json5.loads")]
    ws, fs = workspace({"a": CODE.encode()})
    result = ask(ws, "a", *edits)
    assert wrong(result)["edit_index"] == 1
    edits[1] = offered(result)[0]
    done(ask(ws, "a", *edits))
    assert fs.files()["a"].decode() == AFTER.replace("import json\n", "import json5\n").replace("json.l", "json5.l")


def test_a_correction_is_named_in_the_text_and_changes_nothing_by_itself() -> None:
    spoil = SPOILED["tabs for spaces"]
    result = failed(CODE.encode(), edit(spoil(OLD), spoil(NEW)))
    assert "suggested_fixes" in result.text or "example" in result.text or '"old_text"' in result.text
    assert fixes(result)[0]["type"] in {"USE_EXACT_TEXT", "CHECK_WHITESPACE"}
    assert fixes(result)[0]["suggestion"]


# Where none may be offered

TWICE = "def one():\n    value = compute(1)\n    return value\n\n\nclass A:\n    def one(self):\n        pass\n\n"
PAIR = "if a:\n    run(task)\n    stop(task)\nelse:\n        run(task)\n        stop(task)\n"


@pytest.mark.parametrize(
    ("before", "sent"),
    [
        (PAIR, edit("  run(task)\n  stop(task)\n", "  run(task, 2)\n  stop(task)\n")),
        ("say(“a”)\nsay(«a»)\nsay(‘a’)\nsay(“a”)\n", edit('say("a")', 'say("b")')),
        ("x  = 1\ny\nx =  1\n", edit("x = 1", "x = 2")),
        (CODE + "\n\n" + CODE, edit(SPOILED["tabs for spaces"](OLD), SPOILED["tabs for spaces"](NEW))),
        ("Value = 1\nVALUE = 1\n", edit("value = 1", "value = 2")),
    ],
)
@pytest.mark.promise("edit.no-wrong-correction")
def test_no_correction_is_offered_where_two_places_fit(before: str, sent: Edit) -> None:
    result = failed(before.encode(), sent)
    assert (wrong(result)["type"], offered(result)) == ("NO_MATCH", [])
    assert len(wrong(result)["similar_content"]) >= 2


@pytest.mark.parametrize(
    ("before", "sent"),
    [
        (CODE, edit("def refund(order):\n    return order.cancel()\n", "def refund(order):\n    pass\n")),
        (CODE, edit("SELECT 1", "SELECT 2")),
        (CODE, edit("}\n)\n", "}\n]\n")),
        ("", edit("x", "y")),
        ("\n\n\n", edit("x", "y")),
        (CODE, edit("", "x")),
        (CODE, edit("    rate = RATES.get(country, 7)\n", "    rate = RATES.get(country, 8)\n")),
        (CODE, edit("timeout2 = total_price(orders)\n", "timeout3 = total_price(orders)\n")),
        (CODE, edit("    \t  ", "x")),
    ],
)
@pytest.mark.promise("edit.no-wrong-correction")
def test_no_correction_is_offered_where_nothing_fits(before: str, sent: Edit) -> None:
    result = failed(before.encode(), sent)
    assert (wrong(result)["type"], offered(result)) == ("NO_MATCH", [])


@pytest.mark.promise("edit.no-wrong-correction")
def test_a_stale_line_that_the_change_touches_gets_no_correction() -> None:
    stale = OLD.replace("round(total, 2)", "round(total, 5)")
    result = failed(CODE.encode(), edit(stale, NEW.replace("round(total, 3)", "round(total, 6)")))
    assert offered(result) == []


def test_a_wrong_count_gets_no_edit_of_one_place_that_was_not_chosen() -> None:
    result = failed(b"x = 1\nx = 1\n", edit("x = 1", "x = 2"))
    ws, fs = workspace({"a": b"x = 1\nx = 1\n"})
    for each in offered(result):
        done(ask(ws, "a", each))
        assert fs.files()["a"] == b"x = 2\nx = 2\n"
    assert "ADJUST_COUNT" in kinds(result)


# Already applied


@pytest.mark.parametrize(
    ("before", "sent"),
    [
        ("def one():\n    return 2\n", edit("    return 1\n", "    return 2\n")),
        (AFTER, edit(OLD, NEW)),
        ("let total_price = 3;\n", edit("let totalPrice = 3;", "let total_price = 3;")),
        ("a\r\nnew line one\r\nnew line two\r\n", edit("old line\n", "new line one\nnew line two\n")),
    ],
)
@pytest.mark.promise("edit.applied")
def test_what_has_been_done_already_is_told_so_without_an_example(before: str, sent: Edit) -> None:
    result = failed(before.encode(), sent)
    assert wrong(result)["type"] == "NO_MATCH"
    assert "ALREADY_APPLIED" in kinds(result)
    assert offered(result) == []
    assert "already" in result.text.lower()


def test_an_edit_that_is_sent_again_after_it_landed_is_told_so() -> None:
    ws, fs = workspace({"a": CODE.encode()})
    done(ask(ws, "a", edit(OLD, NEW)))
    result = ask(ws, "a", edit(OLD, NEW))
    assert ("ALREADY_APPLIED" in kinds(result), offered(result)) == (True, [])
    assert fs.files()["a"].decode() == AFTER


@pytest.mark.parametrize(
    "sent",
    [
        edit("def refund(order):\n", ""),
        edit("def refund(order):\n", "def cancel(order):\n"),
        edit("def refund(order):\n", "\n"),
    ],
)
@pytest.mark.promise("edit.applied")
def test_nothing_is_called_applied_that_is_not_there(sent: Edit) -> None:
    assert "ALREADY_APPLIED" not in kinds(failed(CODE.encode(), sent))


# Stale copies


@pytest.mark.promise("edit.stale")
def test_a_text_that_an_earlier_change_replaced_is_named_with_that_change() -> None:
    ws, _ = workspace({"a": CODE.encode()})
    changed = done(ask(ws, "a", edit("def load_orders(path):", "def read_paid_orders(source):")))["change_id"]
    done(ask(ws, "a", edit("import json\n", "import json5\n")))
    result = ask(ws, "a", edit("def load_orders(path):", "def load_orders(path, strict):"))
    assert wrong(result)["type"] == "NO_MATCH"
    assert changed in result.text
    assert "def read_paid_orders(source):" in result.text
    assert offered(result) == []


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
    assert (kinds(result), offered(result)) == (["TARGET_DELETED"], [])
    assert changed in result.text


@pytest.mark.promise("edit.stale")
def test_a_text_that_never_stood_there_is_not_called_stale() -> None:
    ws, _ = workspace({"a": CODE.encode()})
    changed = done(ask(ws, "a", edit("import json\n", "import json5\n")))["change_id"]
    assert changed not in ask(ws, "a", edit("def refund(order):", "x")).text


# The same failure twice


def again(ws: Workspace, sent: Edit, times: int = 2) -> list[ToolResult]:
    return [ask(ws, "a", sent) for _ in range(times)]


@pytest.mark.parametrize(
    "sent",
    [
        edit("    rate = RATES.get(country, 7)\n    total = 5\n", "    rate = 1\n"),
        edit(OLD.replace("round(total, 2)", "ceil(total, 5)"), NEW),
        edit("def total_prices(order, land):", "def total_prices(order):"),
    ],
)
@pytest.mark.promise("edit.twice")
def test_the_same_failing_edit_gets_another_answer_with_the_region_itself(sent: Edit) -> None:
    ws, fs = workspace({"a": CODE.encode()})
    untouched = seen(fs)
    first, second = again(ws, sent)
    assert first.text != second.text
    assert (first.is_error, second.is_error) == (True, True)
    region = [line for line in OLD.split("\n")[1:-1] if line.strip()]
    shown = [sum(line.strip() in each.text for line in region) for each in (first, second)]
    assert shown[1] >= shown[0]
    assert shown[1] >= 5
    assert seen(fs) == untouched
    for each in offered(second):
        assert CODE.count(each["old_text"]) == 1


@pytest.mark.promise("edit.twice")
def test_the_same_failing_edit_never_gets_an_example_that_lands_wrongly() -> None:
    spoil = SPOILED["line numbers"]
    ws, fs = workspace({"a": CODE.encode()})
    results = again(ws, edit(spoil(OLD), spoil(NEW)), 4)
    for each in results:
        for example in offered(each):
            trial, copy = workspace({"a": CODE.encode()})
            done(ask(trial, "a", example))
            assert copy.files()["a"].decode() == AFTER
    done(ask(ws, "a", offered(results[0])[0]))
    assert fs.files()["a"].decode() == AFTER


@pytest.mark.promise("edit.twice")
def test_two_places_stay_two_places_however_often_they_are_asked_for() -> None:
    ws, _ = workspace({"a": PAIR.encode()})
    sent = edit("  run(task)\n  stop(task)\n", "  run(task, 2)\n  stop(task)\n")
    results = again(ws, sent, 4)
    assert [offered(each) for each in results] == [[], [], [], []]
    for each in results:
        shown = each.text.partition("Suggestions:")[0].split("\n")
        assert sum(line.endswith(("    run(task)", "    run(task) … (2 lines)")) for line in shown) == 2


def test_a_wrong_count_that_is_sent_again_gets_another_answer() -> None:
    ws, _ = workspace({"a": b"x = 1\ny = 2\nx = 1\n"})
    first, second = again(ws, edit("x = 1", "x = 2"))
    assert first.text != second.text
    assert wrong(second)["type"] == "WRONG_COUNT"
    assert "y = 2" in second.text


def test_another_failing_edit_gets_a_first_answer() -> None:
    ws, _ = workspace({"a": CODE.encode()})
    other, _ = workspace({"a": CODE.encode()})
    sent = edit("def total_prices(order, land):", "x")
    ask(ws, "a", edit("def load_order(way):", "x"))
    assert ask(ws, "a", sent).text == ask(other, "a", sent).text


def test_an_edit_that_lands_after_it_failed_is_forgotten_as_a_failure() -> None:
    ws, fs = workspace({"a": b"one\n"})
    first = ask(ws, "a", edit("two", "2"))
    fs.put("a", b"two\n")
    done(ask(ws, "a", edit("two", "2")))
    fs.put("a", b"one\n")
    assert (first.is_error, ask(ws, "a", edit("two", "2")).is_error) == (True, True)
