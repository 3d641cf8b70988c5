"""New, old and fixed problems, distinguished across an edit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suture.check.issue import Comparison, Issue, compare

SYNTAX = ("S",)


def error(line: int, code: str = "E", message: str = "wrong", column: int = 1) -> Issue:
    return Issue("error", line, column, code, message)


def lines(result: Comparison) -> tuple[list[int], list[int], list[int]]:
    new, existing, fixed = ([issue.line for issue in group] for group in (result.new, result.existing, result.fixed))
    return new, existing, fixed


TEXT = "a\nb\nc\nd\ne\n"


@pytest.mark.promise("safe.new-errors")
@pytest.mark.parametrize(
    ("about", "before", "after", "old", "new", "expected"),
    [
        ("nothing was wrong before", TEXT, "a\nb\nX\nd\ne\n", [], [error(3)], ([3], [], [])),
        ("there was no file before", None, TEXT, [], [error(3)], ([3], [], [])),
        ("all is well now", TEXT, "a\nb\n", [error(3)], [], ([], [], [3])),
        ("untouched, at the same line", TEXT, "a\nX\nc\nd\ne\n", [error(4)], [error(4)], ([], [4], [])),
        ("moved down by lines above it", TEXT, "X\nY\n" + TEXT, [error(4)], [error(6)], ([], [6], [])),
        ("moved up by lines that went away", TEXT, "c\nd\ne\n", [error(4)], [error(2)], ([], [2], [])),
        (
            "one more of the same at another line",
            TEXT,
            "a\nb\nc\nd\nX\n",
            [error(1)],
            [error(1), error(5)],
            ([5], [1], []),
        ),
        ("the line was rewritten and is still wrong", TEXT, "a\nX\nc\nd\ne\n", [error(2)], [error(2)], ([], [2], [])),
        (
            "another error in a rewritten line",
            TEXT,
            "a\nX\nc\nd\ne\n",
            [error(2, message="one")],
            [error(2, message="other")],
            ([2], [], [2]),
        ),
        (
            "twice what was there once in a rewritten region",
            TEXT,
            "a\nX\nY\nc\nd\ne\n",
            [error(2)],
            [error(2), error(3)],
            ([3], [2], []),
        ),
        ("its line was moved elsewhere", TEXT, "a\nc\nd\ne\nb\n", [error(2)], [error(5)], ([], [5], [])),
        (
            "a line number in its words does not count",
            TEXT,
            "X\n" + TEXT,
            [error(4, message="opened in line 2, not closed")],
            [error(5, message="opened in line 3, not closed")],
            ([], [5], []),
        ),
        (
            "fixed here, and the same elsewhere",
            "a\nX\nc\nd\ne\n",
            "a\nb\nc\nY\ne\n",
            [error(2)],
            [error(4)],
            ([4], [], [2]),
        ),
        ("the same in the next line", "X\nb\nc\n", "a\nY\nc\n", [error(1)], [error(2)], ([2], [], [1])),
        ("moved with its neighbor", "p\nX\nq\nr\ns\nt\n", "Q\nr\ns\nt\np\nX\n", [error(2)], [error(6)], ([], [6], [])),
        ("at the end, which is elsewhere now", "a\nb\n", "a\nb\n\n", [error(2)], [error(3)], ([], [3], [])),
        ("of another code", TEXT, "X\n" + TEXT, [error(1, "E")], [error(2, "F")], ([2], [], [1])),
        ("at the end of the text", TEXT, "a\nb\nc\nd\nX", [error(6)], [error(6)], ([], [6], [])),
    ],
    ids=lambda value: value if isinstance(value, str) and " " in value else "",
)
def test_problems_are_followed_through_an_edit(
    about: str,
    before: str | None,
    after: str,
    old: list[Issue],
    new: list[Issue],
    expected: tuple[list[int], list[int], list[int]],
) -> None:
    assert lines(compare(before, after, old, new)) == expected, about


@pytest.mark.promise("safe.new-errors")
def test_a_rewritten_line_with_the_same_syntax_error_brings_nothing() -> None:
    old = new = [error(2, "S")]
    assert lines(compare(TEXT, "a\nX\nc\nd\ne\n", old, new, SYNTAX)) == ([], [2], [])


@pytest.mark.promise("safe.new-errors")
def test_a_line_that_is_not_code_is_one_problem_however_often_a_parser_says_so() -> None:
    old, new = [error(2, "S")], [error(2, "S"), error(2, "S", column=7)]
    assert lines(compare(TEXT, "a\nX\nc\nd\ne\n", old, new, SYNTAX)) == ([], [2, 2], [])


@pytest.mark.promise("safe.new-errors")
def test_another_syntax_error_in_the_place_of_an_old_one_is_new() -> None:
    old, new = [error(2, "S", "one")], [error(2, "S", "other")]
    assert lines(compare(TEXT, "a\nX\nc\nd\ne\n", old, new, SYNTAX)) == ([2], [], [2])


@pytest.mark.promise("safe.new-errors")
def test_a_parser_that_finds_back_elsewhere_brings_nothing_new() -> None:
    old, new = [error(5, "S", "one")], [error(4, "S", "other")]
    assert lines(compare(TEXT, "X\nb\nc\nd\ne\n", old, new, SYNTAX)) == ([], [4], [5])


@pytest.mark.promise("safe.new-errors")
@pytest.mark.parametrize(
    ("after", "at"),
    [("a\nc\nd\ne\n", 1), ("a\nc\nd\ne\n", 2), ("a\nX\nc\nd\ne\n", 3)],
    ids=["before a gap", "behind a gap", "behind an edit"],
)
def test_a_syntax_error_that_is_noticed_beside_an_edit_is_its_doing(after: str, at: int) -> None:
    old, new = [error(5, "S", "one")], [error(at, "S", "other")]
    assert lines(compare(TEXT, after, old, new, SYNTAX))[0] == [at]


@pytest.mark.promise("safe.new-errors")
def test_a_second_syntax_error_is_new() -> None:
    old, new = [error(5, "S")], [error(2, "S", "other"), error(5, "S")]
    assert lines(compare(TEXT, "X\nb\nc\nd\ne\n", old, new, SYNTAX)) == ([2], [5], [])


@pytest.mark.promise("safe.new-errors")
def test_what_a_syntax_error_hid_is_not_blamed_on_the_edit_that_mends_it() -> None:
    old, new = [error(2, "S")], [error(4, "F")]
    assert lines(compare(TEXT, "a\nX\nc\nd\ne\n", old, new, SYNTAX)) == ([], [4], [2])


@pytest.mark.promise("safe.new-errors")
def test_what_is_in_the_edit_itself_is_new_whatever_was_hidden() -> None:
    old, new = [error(4, "S")], [error(2, "F"), error(4, "S")]
    assert lines(compare(TEXT, "a\nX\nc\nd\ne\n", old, new, SYNTAX)) == ([2], [4], [])


@pytest.mark.promise("safe.new-errors")
@pytest.mark.parametrize(
    ("at", "expected"),
    [(4, ([], [4], [3])), (2, ([2], [], [])), (1, ([1], [], []))],
    ids=["behind where it stopped", "before where it stopped", "in the edit"],
)
def test_a_check_that_stops_at_the_first_has_not_looked_behind_it(
    at: int, expected: tuple[list[int], list[int], list[int]]
) -> None:
    old, new = [error(3, "S", "one")], [error(at, "S", "other")]
    assert lines(compare(TEXT, "X\nb\nc\nd\ne\n", old, new, SYNTAX, first_only=True)) == expected


def test_what_is_never_closed_is_reported_where_it_was_opened_and_seen_only_at_the_end() -> None:
    old, new = [error(3, "S", "one")], [error(1, "S", "this '{' is never closed")]
    assert lines(compare(TEXT, "a\nb\nX\nd\ne\n", old, new, SYNTAX, first_only=True)) == ([], [1], [3])


def test_a_check_that_stopped_in_the_edit_has_not_looked_behind_it() -> None:
    old, new = [error(2, "S", "one")], [error(5, "S", "other")]
    assert lines(compare(TEXT, "a\nX\nc\nd\ne\n", old, new, SYNTAX, first_only=True)) == ([], [5], [2])


def test_existing_problems_are_reported_in_order() -> None:
    old = [error(4, "B"), error(1, "A")]
    new = [error(5, "B"), error(2, "A"), error(2, "A", column=9)]
    result = compare(TEXT, "X\n" + TEXT, old, new)
    assert [(issue.line, issue.code) for issue in result.existing] == [(2, "A"), (5, "B")]
    assert [(issue.line, issue.column) for issue in result.new] == [(2, 9)]


TEXTS = st.lists(st.sampled_from("abcd"), max_size=8).map(lambda parts: "".join(f"{part}\n" for part in parts))


def find_b(text: str) -> list[Issue]:
    """Find the letter b, as a check that sees every line."""
    return [error(number) for number, line in enumerate(text.split("\n"), 1) if line == "b"]


@given(TEXTS, TEXTS)
def test_every_problem_is_reported_once(before: str, after: str) -> None:
    old, new = find_b(before), find_b(after)
    result = compare(before, after, old, new)
    assert sorted((*result.new, *result.existing), key=lambda issue: issue.line) == new
    assert len(result.existing) + len(result.fixed) == len(old)


@given(TEXTS, TEXTS, TEXTS)
def test_an_edit_without_problems_brings_none(head: str, tail: str, inserted: str) -> None:
    inserted = inserted.replace("b", "x")
    before, after = head + tail, head + inserted + tail
    assert compare(before, after, find_b(before), find_b(after)).new == ()


class Counted(Issue):
    """An issue that counts how often it is compared."""

    times = 0

    def __eq__(self, other: object) -> bool:
        Counted.times += 1
        return super().__eq__(other)

    __hash__ = Issue.__hash__


@pytest.mark.promise("bound.validators")
def test_the_work_grows_no_faster_than_the_problems() -> None:
    size = 400
    text = "".join(f"{n}\n" for n in range(size))
    issues = [Counted("error", n, 1, "X", "x") for n in range(1, size + 1)]
    others = [Counted("error", n, 2, "Y", "y") for n in range(1, size + 1)]
    comparison = compare(
        text, text + "more\n", [*issues, *others], [*issues[::-1], *(issue.evolve(code="Z") for issue in others)]
    )
    assert (len(comparison.existing), len(comparison.new), len(comparison.fixed)) == (size, size, size)
    assert Counted.times < 10 * size
