"""The tool `safe_edit`, line edits: which lines are meant, how they end, and what guards against drift."""

from itertools import permutations
from typing import Any

import pytest

from tests.unit.changes import done, hashed, recorded, refused, workspace
from tests.unit.file_edits import seen
from tests.unit.tools.safe_edits import SAVED, ask, code_of, edited, failed, line, memory, told

FIVE = b"1\n2\n3\n4\n5\n"


# Which lines


@pytest.mark.promise("safe.lines")
@pytest.mark.parametrize(
    ("edits", "after"),
    [
        ([line(1, 1, "x\n")], b"x\n2\n3\n4\n5\n"),
        ([line(5, 5, "x\n")], b"1\n2\n3\n4\nx\n"),
        ([line(1, 5, "x\n")], b"x\n"),
        ([line(2, 4, "x\ny\n")], b"1\nx\ny\n5\n"),
        ([line(2, 2, "\n")], b"1\n\n3\n4\n5\n"),
        ([line(2, 2, "\n\n")], b"1\n\n\n3\n4\n5\n"),
        ([line(2, 2, "2\nnew\n")], b"1\n2\nnew\n3\n4\n5\n"),
        ([line(2, 2, "")], b"1\n3\n4\n5\n"),
        ([line(1, 5, "")], b""),
        ([line(2, 3, ""), line(5, 5, "")], b"1\n4\n"),
        ([line(1, 1, "a\n"), line(2, 2, "b\n")], b"a\nb\n3\n4\n5\n"),
        ([line(1, 2, ""), line(3, 4, "x\n"), line(5, 5, "")], b"x\n"),
        ([line(1, 1, "a\nb\nc\n"), line(3, 3, ""), line(5, 5, "e\nf\n")], b"a\nb\nc\n2\n4\ne\nf\n"),
        ([line(2, 2, "$1 \\n \\1 \\g<0> %s {}\n")], b"1\n$1 \\n \\1 \\g<0> %s {}\n3\n4\n5\n"),
    ],
)
def test_a_range_is_replaced_by_what_is_given(edits: list[dict[str, Any]], after: bytes) -> None:
    assert edited(FIVE, line_edits=edits) == after


@pytest.mark.promise("safe.lines")
def test_line_edits_refer_to_the_original_in_any_order() -> None:
    edits = [line(1, 1, "a\na\na\n"), line(2, 3, ""), line(4, 4, "d"), line(5, 5, "e\nf\n")]
    results = {edited(FIVE, line_edits=list(order)) for order in permutations(edits)}
    assert results == {b"a\na\na\nd\ne\nf\n"}


@pytest.mark.promise("safe.lines")
def test_several_line_edits_are_one_change() -> None:
    ws, fs = memory(a=FIVE)
    result = ask(ws, "a.txt", line_edits=[line(5, 5, "e\n"), line(1, 1, "a\n")])
    data = done(result)
    assert told(result).status == SAVED
    assert (data["replacements"], data["hash"]) == (None, hashed(b"a\n2\n3\n4\ne\n"))
    assert [each["change_id"] for each in recorded(ws)] == [data["change_id"]]
    done(ws.undo())
    assert fs.files() == {"a.txt": FIVE}


@pytest.mark.promise("safe.lines")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\x0cb\n2\n", b"a\x0cb\nx\n"),
        (b"a\x0bb\n2\n", b"a\x0bb\nx\n"),
        ("a\u2028b\u2029c\x85d\x1c\x1d\x1ee\n2\n".encode(), "a\u2028b\u2029c\x85d\x1c\x1d\x1ee\nx\n".encode()),
        (b"a\rb\n2\n", b"a\rb\nx\n"),
        (b"a\rb\r\n2\r\n", b"a\rb\r\nx\r\n"),
        (b"a\r\r\n2\n", b"a\r\r\nx\n"),
    ],
)
def test_lines_break_at_line_feeds_only(before: bytes, after: bytes) -> None:
    assert edited(before, line_edits=[line(2, 2, "x")]) == after
    assert code_of(failed(before, line_edits=[line(3, 3, "x")])) == "LINE_OUT_OF_BOUNDS"


# How lines end


@pytest.mark.promise("safe.lines")
@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        # a missing newline is added, as the range ended
        (b"1\n2\n3\n", line(2, 2, "x"), b"1\nx\n3\n"),
        (b"1\n2\n3\n", line(3, 3, "x"), b"1\n2\nx\n"),
        (b"1\r\n2\r\n3\r\n", line(2, 2, "x"), b"1\r\nx\r\n3\r\n"),
        (b"1\r\n2\n3\r\n", line(2, 2, "x"), b"1\r\nx\n3\r\n"),
        (b"1\n2\r\n3", line(2, 2, "x"), b"1\nx\r\n3"),
        (b"1\n2", line(1, 1, "x"), b"x\n2"),
        # a newline too many is dropped
        (b"1\n2", line(2, 2, "x\n"), b"1\nx"),
        (b"1\n2", line(1, 2, "x\ny\n"), b"x\ny"),
        (b"1\n2", line(2, 2, "x\r\n"), b"1\nx"),
        (b"1\n2", line(2, 2, "x\n\n"), b"1\nx\n"),
        (b"1", line(1, 1, "x\n"), b"x"),
        (b"1", line(1, 1, "x\ny"), b"x\ny"),
        # what is deleted takes nothing else with it
        (b"1\n2", line(2, 2, ""), b"1\n"),
        (b"1\r\n2", line(1, 1, ""), b"2"),
        (b"1", line(1, 1, ""), b""),
        # inner newlines follow the place
        (b"1\r\n2\r\n3\r\n", line(2, 2, "x\ny\nz"), b"1\r\nx\r\ny\r\nz\r\n3\r\n"),
        (b"1\r\n2\r\n3\r\n", line(2, 2, "\n"), b"1\r\n\r\n3\r\n"),
        (b"1\r\n2\n3\r\n", line(2, 2, "x\ny\n"), b"1\r\nx\ny\n3\r\n"),
        (b"1\n2\r\n3\n", line(2, 2, "x\ny\n"), b"1\nx\r\ny\r\n3\n"),
        (b"1\r\n2", line(2, 2, "x\ny\n"), b"1\r\nx\r\ny"),
        (b"1\r\n2\r\n3", line(2, 3, "x\ny"), b"1\r\nx\r\ny"),
        # what holds carriage returns is meant as it is
        (b"1\n2\n3\n", line(2, 2, "x\r\ny\r\n"), b"1\nx\r\ny\r\n3\n"),
        (b"1\r\n2\r\n3\r\n", line(2, 2, "x\r\ny\n"), b"1\r\nx\r\ny\n3\r\n"),
        (b"1\r\n2\r\n3\r\n", line(2, 2, "x\ry\nz\n"), b"1\r\nx\ry\nz\n3\r\n"),
        (b"1\n2\n3\n", line(2, 2, "x\r\ny"), b"1\nx\r\ny\n3\n"),
    ],
)
def test_new_lines_end_as_the_range_did(before: bytes, edit: dict[str, Any], after: bytes) -> None:
    assert edited(before, line_edits=[edit]) == after


@pytest.mark.promise("safe.lines")
def test_a_line_edit_never_touches_other_lines() -> None:
    before = b"\xef\xbb\xbf1 \t\r\n2\n\xc3\xa9 \n\r\nlast\r\n \t"
    edits = [line(2, 2, "x"), line(5, 5, "y\nz\n")]
    assert edited(before, line_edits=edits) == b"\xef\xbb\xbf1 \t\r\nx\n\xc3\xa9 \n\r\ny\r\nz\r\n \t"


@pytest.mark.promise("safe.lines")
@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-32"])
def test_lines_are_counted_in_characters_not_in_bytes(codec: str) -> None:
    # U+0A0D and U+0D0A hold the bytes of both line ends
    before, after = "\u0a0d\u0d0a\r\nzwei\r\n🎉", "\u0a0d\u0d0a\r\nzwö\r\nlf\r\n🎉"
    assert edited(before.encode(codec), line_edits=[line(2, 2, "zwö\nlf")]) == after.encode(codec)


def test_a_line_edit_that_ends_up_with_the_same_bytes_changes_nothing() -> None:
    ws, fs = memory(a=b"1\r\n2\r\n3")
    untouched = seen(fs)
    result = ask(ws, "a.txt", line_edits=[line(1, 2, "1\n2"), line(3, 3, "3\n")])
    assert (done(result)["written"], result.text.startswith("✅ No changes")) == (False, True)
    assert seen(fs) == untouched


# Lines that are not there


@pytest.mark.promise("safe.lines")
@pytest.mark.parametrize(
    ("before", "edits", "words"),
    [
        (FIVE, [line(6, 6, "x")], "start_line 6 exceeds file length (5 lines)"),
        (FIVE, [line(5, 6, "x")], "end_line 6 exceeds file length (5 lines)"),
        (FIVE, [line(1, 10**12, "x")], "end_line 1000000000000 exceeds file length (5 lines)"),
        (FIVE, [line(1, 1, "x"), line(2, 2, "x"), line(7, 8, "x")], "start_line 7 exceeds file length (5 lines)"),
        (FIVE, [line(5, 9, "x"), line(5, 5, "x")], "end_line 9 exceeds file length (5 lines)"),
        (b"1\n2", [line(3, 3, "x")], "start_line 3 exceeds file length (2 lines)"),
        (b"\n\n", [line(3, 3, "x")], "start_line 3 exceeds file length (2 lines)"),
        (b"", [line(1, 1, "x")], "start_line 1 exceeds file length (0 lines)"),
        (b"\xef\xbb\xbf", [line(1, 1, "x")], "start_line 1 exceeds file length (0 lines)"),
        (None, [line(1, 1, "x")], "start_line 1 exceeds file length (0 lines)"),
    ],
)
def test_lines_beyond_the_end_are_refused(before: bytes | None, edits: list[dict[str, Any]], words: str) -> None:
    result = failed(before, line_edits=edits)
    assert code_of(result) == "LINE_OUT_OF_BOUNDS"
    assert result.text.startswith(f"❌ Edit failed: {words}")
    assert told(result).diff is None


@pytest.mark.promise("safe.lines")
@pytest.mark.parametrize(
    ("edits", "words"),
    [
        ([line(2, 2, "x"), line(2, 2, "x")], "lines 2-2 and 2-2"),
        ([line(1, 2, "x"), line(2, 3, "y")], "lines 1-2 and 2-3"),
        ([line(3, 3, "x"), line(1, 5, "")], "lines 1-5 and 3-3"),
        ([line(4, 5, "x"), line(1, 1, "x"), line(2, 4, "x")], "lines 2-4 and 4-5"),
        ([line(2, 2, "2\n"), line(1, 2, "1\n2\n")], "lines 1-2 and 2-2"),
    ],
)
def test_ranges_that_overlap_are_refused(edits: list[dict[str, Any]], words: str) -> None:
    result = failed(FIVE, line_edits=edits)
    assert code_of(result) == "OVERLAPPING_LINES"
    assert result.text.startswith(f"❌ Edit failed: Overlapping edits: {words}")


def test_nothing_is_created_by_no_line_edits() -> None:
    ws, fs = workspace()
    data = done(ask(ws, "new/a.txt", line_edits=[]))
    assert (data["written"], data["hash"], fs.files(), fs.folders()) == (False, None, {}, set())


# Drift


@pytest.mark.promise("safe.lines")
@pytest.mark.parametrize(
    ("before", "start", "end", "expected"),
    [
        (FIVE, 2, 3, "2\n3\n"),
        (FIVE, 2, 3, "2\n3"),
        (FIVE, 2, 3, "2\r\n3\r\n"),
        (FIVE, 2, 3, "2\r\n3"),
        (b"1\r\n2\r\n3\r\n", 2, 3, "2\n3\n"),
        (b"1\r\n2\r\n3\r\n", 2, 3, "2\n3"),
        (b"1\r\n2\n3", 1, 3, "1\n2\r\n3\n"),
        (b"1\n2", 2, 2, "2"),
        (b"1\n2", 2, 2, "2\n"),
        (b"1\n\n3\n", 2, 2, "\n"),
        (b"1\n\n3\n", 2, 2, ""),
        (FIVE, 2, 3, None),
    ],
)
def test_lines_that_are_the_expected_ones_are_edited(before: bytes, start: int, end: int, expected: str | None) -> None:
    edit = line(start, end, "x", expected_text=expected)
    assert edited(before, line_edits=[edit]) == edited(before, line_edits=[line(start, end, "x")])


@pytest.mark.promise("safe.lines")
@pytest.mark.parametrize(
    ("before", "edit"),
    [
        (FIVE, line(2, 2, "x", expected_text="3\n")),
        (FIVE, line(2, 3, "x", expected_text="2\n")),
        (FIVE, line(2, 2, "x", expected_text="2 \n")),
        (FIVE, line(2, 2, "x", expected_text=" 2\n")),
        (FIVE, line(2, 2, "x", expected_text="")),
        (FIVE, line(2, 2, "x", expected_text="2\n\n")),
        (b"1\ntwo\n", line(2, 2, "x", expected_text="Two\n")),
        (FIVE, line(2, 2, "2\n", expected_text="3\n")),
    ],
)
def test_lines_that_have_drifted_are_refused(before: bytes, edit: dict[str, Any]) -> None:
    result = failed(before, line_edits=[line(1, 1, "also\n"), edit])
    assert code_of(result) == "DRIFTED"
    assert result.text.startswith("❌ Edit failed: ")


@pytest.mark.promise("safe.lines")
def test_a_refusal_for_drift_tells_what_stands_there() -> None:
    before = b"def one():\n    return 'uno'\n\n\ndef two():\n    return 'due'\n"
    result = failed(before, line_edits=[line(2, 2, "    return 'eins'\n", expected_text="    return 'due'\n")])
    assert refused(result)["code"] == "DRIFTED"
    assert "    return 'uno'" in result.text


@pytest.mark.promise("safe.lines")
def test_a_wrong_range_is_told_before_drift() -> None:
    result = failed(FIVE, line_edits=[line(9, 9, "x", expected_text="9\n")])
    assert code_of(result) == "LINE_OUT_OF_BOUNDS"
