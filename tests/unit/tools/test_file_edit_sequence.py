"""The tool `file_edit`, the specification's categories 2 and 3: occurrences, and edits in sequence."""

from typing import Any

import pytest

from tests.unit.changes import done, workspace
from tests.unit.file_edits import Edit, ask, edit, edited, failed, wrong

# Occurrence validation


def test_replaces_single_occurrence_by_default() -> None:
    assert edited(b"one two\n", edit("one", "1")) == b"1 two\n"
    told = wrong(failed(b"one one\n", edit("one", "1")))
    assert (told["type"], told["expected_occurrences"], told["actual_occurrences"]) == ("WRONG_COUNT", 1, 2)


@pytest.mark.parametrize("count", [1, 2, 3, 17])
def test_replaces_exact_number_when_specified(count: int) -> None:
    assert edited(b"foo bar\n" * count, edit("foo", "qux", count)) == b"qux bar\n" * count


@pytest.mark.parametrize(
    ("before", "old", "expected", "actual"),
    [
        (b"x\n" * 5, "x", 1, 5),
        (b"x\n" * 5, "x", 3, 5),
        (b"x\n" * 5, "x", 6, 5),
        (b"x x x\n", "x", 2, 3),
        (b"x\n", "x", 1000, 1),
        (b"ab\nab\n", "b\n", 1, 2),
        ("é é\n".encode(), "é", 1, 2),
    ],
)
@pytest.mark.promise("edit.count")
def test_fails_when_expected_count_does_not_match_actual(before: bytes, old: str, expected: int, actual: int) -> None:
    told = wrong(failed(before, edit(old, "new", expected)))
    assert told["type"] == "WRONG_COUNT"
    assert (told["expected_occurrences"], told["actual_occurrences"]) == (expected, actual)
    assert len(told["match_locations"]) == actual


@pytest.mark.parametrize("count", [1, 2, 50])
def test_no_occurrence_is_no_match_whatever_was_expected(count: int) -> None:
    assert wrong(failed(b"one\n", edit("two", "2", count)))["type"] == "NO_MATCH"


@pytest.mark.parametrize(
    ("before", "old", "new", "count", "after"),
    [
        (b"a\nb\na\nb\n", "a\nb", "x", 2, b"x\nx\n"),
        (b"a\nb\na\nb\n", "b\na", "b\nx\na", 1, b"a\nb\nx\na\nb\n"),
        (b"a\nb\na\nb\n", "\n", ";", 4, b"a;b;a;b;"),
        (b"a\n\n\n\nb\n", "\n\n", "\n", 2, b"a\n\nb\n"),
        (b"a\r\nb\r\na\r\nb\r\n", "a\nb", "x", 2, b"x\r\nx\r\n"),
        (b"a\r\nb\r\na\r\nb\r\n", "a\r\nb", "x", 2, b"x\r\nx\r\n"),
        (b"a\r\nb\na\nb\r\n", "a\nb", "x", 2, b"x\nx\r\n"),
        (b"a\r\nb\nc", "\n", ";", 2, b"a;b;c"),
        (b"}\n}\n}\n}\n", "}\n}", "]", 2, b"]\n]\n"),
    ],
)
@pytest.mark.promise("edit.count")
def test_counts_occurrences_correctly_across_line_boundaries(
    before: bytes, old: str, new: str, count: int, after: bytes
) -> None:
    assert edited(before, edit(old, new, count)) == after
    assert wrong(failed(before, edit(old, new, count + 1)))["actual_occurrences"] == count


@pytest.mark.parametrize(
    ("before", "old", "count", "after"),
    [
        (b"aaa", "aa", 1, b"xa"),
        (b"aaaa", "aa", 2, b"xx"),
        (b"aaaaa", "aa", 2, b"xxa"),
        (b"abababa", "aba", 2, b"xbx"),
        (b"\n\n\n", "\n\n", 1, b"x\n"),
    ],
)
@pytest.mark.promise("edit.count")
def test_handles_overlapping_matches_correctly(before: bytes, old: str, count: int, after: bytes) -> None:
    assert edited(before, edit(old, "x", count)) == after
    told = wrong(failed(before, edit(old, "x", count + 1)))
    assert (told["type"], told["actual_occurrences"]) == ("WRONG_COUNT", count)


@pytest.mark.promise("edit.sequence")
def test_counts_occurrences_after_each_edit_in_sequence() -> None:
    assert edited(b"a b\n", edit("b", "a a"), edit("a", "c", 3)) == b"c c c\n"
    assert edited(b"a a b\n", edit("a a", "a"), edit("a", "c", 1)) == b"c b\n"
    told = wrong(failed(b"a b\n", edit("b", "a a"), edit("a", "c", 1)))
    assert (told["type"], told["edit_index"], told["actual_occurrences"]) == ("WRONG_COUNT", 1, 3)


def test_what_is_put_in_is_not_counted_for_the_same_edit() -> None:
    assert edited(b"a a\n", edit("a", "aa", 2)) == b"aa aa\n"
    assert edited(b"ab\n", edit("a", "ab")) == b"abb\n"
    assert edited(b"xyxy\n", edit("xy", "yx", 2)) == b"yxyx\n"


# Sequential edits


def test_applies_edits_in_order() -> None:
    assert edited(b"a\n", edit("a", "b"), edit("b", "c"), edit("c", "d")) == b"d\n"
    failed(b"a\n", edit("b", "c"), edit("a", "b"))


def test_allows_second_edit_to_modify_results_of_first_edit() -> None:
    assert edited(b"let a = 1;\n", edit("a = 1", "total = 10"), edit("total = 10;", "total = 20;")) == (
        b"let total = 20;\n"
    )


def test_counts_occurrences_based_on_current_state_not_original() -> None:
    before = b"const a;\nconst b;\nlet c;\n"
    assert edited(before, edit("const", "let", 2), edit("let", "var", 3)) == b"var a;\nvar b;\nvar c;\n"
    told = wrong(failed(before, edit("const", "let", 2), edit("let", "var", 1)))
    assert (told["edit_index"], told["expected_occurrences"], told["actual_occurrences"]) == (1, 1, 3)


@pytest.mark.promise("edit.sequence")
def test_handles_edit_that_creates_text_for_next_edit() -> None:
    edits = [edit("a", "<begin>\n<end>"), edit("<begin>\n", "<begin>\nmiddle\n"), edit("middle", "MIDDLE")]
    assert edited(b"a\n", *edits) == b"<begin>\nMIDDLE\n<end>\n"
    assert edited(b"ab", edit("a", "xy"), edit("yb", "z")) == b"xz"


def test_handles_edit_that_removes_text_next_edit_would_target() -> None:
    told = wrong(failed(b"one\ntwo\n", edit("one\n", ""), edit("one", "1")))
    assert (told["type"], told["edit_index"], told["total_edits"]) == ("NO_MATCH", 1, 2)
    assert edited(b"one\none\n", edit("one\none", "one"), edit("one", "1")) == b"1\n"


def test_texts_can_be_exchanged_by_way_of_a_third() -> None:
    assert edited(b"a b a\n", edit("a", "\u2022", 2), edit("b", "a"), edit("\u2022", "b", 2)) == b"b a b\n"


def test_a_file_that_an_edit_empties_can_be_filled_by_the_next() -> None:
    assert edited(b"all\n", edit("all\n", ""), edit("", "new\n"), edit("new", "newer")) == b"newer\n"


@pytest.mark.parametrize(
    ("edits", "index"),
    [
        ([edit("nowhere", "x"), edit("nothing", "y")], 0),
        ([edit("one", "1"), edit("nowhere", "x"), edit("nothing", "y")], 1),
        ([edit("one", "1"), edit("two", "2"), edit("one", "x")], 2),
        ([edit("one", "two"), edit("two", "2")], 1),
    ],
)
@pytest.mark.parametrize("dry", [False, True])
@pytest.mark.promise("edit.sequence")
def test_the_first_edit_that_fails_is_told_and_none_is_made(edits: list[Edit], index: int, *, dry: bool) -> None:
    result = failed(b"one\ntwo\n", *edits, dry_run=dry)
    told = wrong(result)
    assert (told["edit_index"], told["total_edits"]) == (index, len(edits))
    assert result.text.startswith(f"Edit {index + 1} of {len(edits)} failed: ")


# Line numbers are those of the original


@pytest.mark.parametrize(
    ("before", "edits", "numbers"),
    [
        (b"a\nb\nc\n", [edit("c", "C"), edit("a", "A")], [[3], [1]]),
        (b"a\nb\nc\n", [edit("a", "1\n2\n3"), edit("c", "C")], [[1], [3]]),
        (b"a\nb\nc\nd\n", [edit("a\nb\n", ""), edit("d", "D")], [[1], [4]]),
        (b"x\ny\nx\ny\nx\n", [edit("x", "z", 3), edit("y", "w", 2)], [[1, 3, 5], [2, 4]]),
        (b"a\nb\nc\n", [edit("b", "1\n2\n3"), edit("3", "x"), edit("c", "C")], [[2], [2], [3]]),
        (b"a\r\nb\r\nc\r\n", [edit("a", "1\n2"), edit("c", "C")], [[1], [3]]),
        (b"a\rb\rc", [edit("b", "1\n2"), edit("c", "C")], [[2], [3]]),
        (b"", [edit("", "a\nb\n"), edit("b", "c")], [[1], [1]]),
    ],
)
@pytest.mark.promise("edit.original-lines")
def test_line_numbers_are_those_of_the_original(before: bytes, edits: list[Edit], numbers: list[list[int]]) -> None:
    ws, _ = workspace({"a": before})
    data = done(ask(ws, "a", *edits))
    assert [each["line_numbers"] for each in data["edits_applied"]] == numbers
    assert [each["edit_index"] for each in data["edits_applied"]] == list(range(len(edits)))
    assert [each["occurrences_replaced"] for each in data["edits_applied"]] == [
        each.get("occurrences", 1) for each in edits
    ]
    assert data["total_replacements"] == sum(each.get("occurrences", 1) for each in edits)


@pytest.mark.parametrize(
    ("before", "edits", "lines"),
    [
        (b"a\nb\nc\nb\n", [edit("a", "1\n2\n3"), edit("b", "x")], [2, 4]),
        (b"a\nb\nc\nb\n", [edit("a\n", ""), edit("b", "x")], [2, 4]),
        (b"q\nfoo\n", [edit("foo", "bar\nbar"), edit("bar", "x")], [2, 2]),
    ],
)
@pytest.mark.promise("edit.original-lines")
def test_line_numbers_of_a_failure_are_those_of_the_original_too(
    before: bytes, edits: list[Edit], lines: list[int]
) -> None:
    told = wrong(failed(before, *edits))
    assert [each["line_number"] for each in told["match_locations"]] == lines


def test_several_places_in_one_line_have_its_number() -> None:
    ws, _ = workspace({"a": b"q\nx y x\nx\n"})
    (told,) = done(ask(ws, "a", edit("x", "z", 3)))["edits_applied"]
    assert (told["occurrences_replaced"], set(told["line_numbers"])) == (3, {2, 3})


@pytest.mark.parametrize("size", [2, 30, 1000])
@pytest.mark.promise("edit.at-once")
def test_many_edits_give_the_same_as_one_after_the_other(size: int) -> None:
    before = "".join(f"<{number}>\n" for number in range(size))
    edits: list[dict[str, Any]] = [edit(f"<{number}>", f"<{number + 1}>") for number in reversed(range(size))]
    assert edited(before.encode(), *edits) == "".join(f"<{number + 1}>\n" for number in range(size)).encode()
