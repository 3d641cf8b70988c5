"""Three-way merge: every strategy, touching changes, and the amount of work."""

import difflib
from collections.abc import Sequence

import pytest

from suture.text.edits import Edit, apply, edit
from suture.text.merge import STRATEGIES, Conflict, Merged, Region, merge, regions
from tests.unit.text.test_diff import HARD, Line, number_lines


def text(letters: str) -> bytes:
    """Each letter as a line; a last `~` leaves the line before it unfinished."""
    lines = "".join(letter + "\n" for letter in letters)
    return lines.removesuffix("\n~\n").encode()


def merge_texts(
    base: bytes, ours: bytes, theirs: bytes, strategy: str = "refuse", *, touching: bool = False
) -> bytes | None:
    """The merged text, or None if the merge is refused."""
    merged = merge(base, ours, theirs, strategy, touching=touching)
    return None if merged.conflicts and strategy == "refuse" else apply(ours, merged.edits)


CLEAN = {
    "three empty texts": ("", "", "", ""),
    "nothing changed": ("abc", "abc", "abc", "abc"),
    "ours only": ("abc", "aXc", "abc", "aXc"),
    "theirs only": ("abc", "abc", "aXc", "aXc"),
    "both, far apart": ("abcde", "Xbcde", "abcdY", "XbcdY"),
    "both, one line between": ("abc", "Xbc", "abY", "XbY"),
    "a line more, and another elsewhere": ("abcd", "aXbcd", "abcYd", "aXbcYd"),
    "a line less, and another elsewhere": ("abcde", "acde", "abce", "ace"),
    "lines more at both ends": ("ab", "Xab", "abY", "XabY"),
    "a line replaced by many, many by one": ("abcdefg", "aXYZcdefg", "abcdW", "aXYZcdW"),
    "theirs around ours": ("abcdefg", "abcXefg", "YbcdefZ", "YbcXefZ"),
    "ours around theirs": ("abcdefg", "YbcdefZ", "abcXefg", "YbcXefZ"),
    "both the same": ("abc", "aXc", "aXc", "aXc"),
    "both the same, and each something more": ("abcdefg", "YbcXefg", "abcXefZ", "YbcXefZ"),
    "both the same new text": ("", "ab", "ab", "ab"),
    "both deleted everything": ("ab", "", "", ""),
    "theirs deleted everything": ("ab", "ab", "", ""),
    "both deleted one of equal lines": ("dcccd", "dccd", "edccd", "edccd"),
    "both added one to equal lines": ("eabbd", "eabbbd", "abbbd", "abbbd"),
    "theirs finished the last line": ("abc~", "Xbc~", "abc", "Xbc"),
    "theirs left the last line unfinished": ("abc", "Xbc", "abc~", "Xbc~"),
    "both finished the last line": ("ab~", "ab", "ab", "ab"),
}


@pytest.mark.promise("back.merge")
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("letters", CLEAN.values(), ids=CLEAN)
def test_what_the_sides_changed_in_different_places_is_kept_from_both(
    letters: tuple[str, str, str, str], strategy: str
) -> None:
    base, ours, theirs, expected = map(text, letters)
    merged = merge(base, ours, theirs, strategy)
    assert (apply(ours, merged.edits), merged.conflicts) == (expected, ())


@pytest.mark.parametrize("letters", CLEAN.values(), ids=CLEAN)
def test_the_sides_can_be_swapped(letters: tuple[str, str, str, str]) -> None:
    base, ours, theirs, expected = map(text, letters)
    assert merge_texts(base, theirs, ours) == expected


def conflict(base: str, ours: str, theirs: str, *lines: int) -> Conflict:
    return Conflict(text(base), text(ours), text(theirs), *lines)


CONFLICTS = {
    "a line changed in two ways": (("abc", "aXc", "aYc"), [conflict("b", "X", "Y", 2, 2, 2)]),
    "two texts from nothing": (("", "ab", "cd"), [conflict("", "ab", "cd", 1, 1, 1)]),
    "neighboring lines": (("abcd", "aXcd", "abYd"), [conflict("bc", "Xc", "bY", 2, 2, 2)]),
    "two insertions at one place": (("ab", "aXb", "aYb"), [conflict("", "X", "Y", 2, 2, 2)]),
    "an insertion before a changed line": (("abc", "aXbc", "aYc"), [conflict("b", "Xb", "Y", 2, 2, 2)]),
    "an insertion behind a changed line": (("abc", "abXc", "aYc"), [conflict("b", "bX", "Y", 2, 2, 2)]),
    "a changed line, deleted": (("abc", "aXc", "ac"), [conflict("b", "X", "", 2, 2, 2)]),
    "a deleted line, changed": (("abc", "ac", "aXc"), [conflict("b", "", "X", 2, 2, 2)]),
    "everything deleted, a line changed": (("abc", "", "abX"), [conflict("abc", "", "abX", 1, 1, 1)]),
    "ranges that overlap": (("abcdef", "aXYZef", "abcUVW"), [conflict("bcdef", "XYZef", "bcUVW", 2, 2, 2)]),
    "a chain of ranges": (("abcdefg", "aXcdYfg", "abUVefg"), [conflict("bcde", "XcdY", "bUVe", 2, 2, 2)]),
    "a line of each side more before it": (
        ("abcdefgh", "ZZabcdXfgh", "abZcdYfgh"),
        [conflict("e", "X", "Y", 5, 7, 6)],
    ),
    "two, with something clean between": (
        ("abcdefg", "XbcdefX", "YbcZefY"),
        [conflict("a", "X", "Y", 1, 1, 1), conflict("g", "X", "Y", 7, 7, 7)],
    ),
    "narrowed at its beginning": (("abcd", "aPXd", "aPYd"), [conflict("bc", "X", "Y", 2, 3, 3)]),
    "narrowed at its end": (("abcd", "aXPd", "aYPd"), [conflict("bc", "X", "Y", 2, 2, 2)]),
    "narrowed at both ends": (("abcd", "aPXQd", "aPYYQd"), [conflict("bc", "X", "YY", 2, 3, 3)]),
    "narrowed until ours is empty": (("abcd", "aPQd", "aPYQd"), [conflict("bc", "", "Y", 2, 3, 3)]),
    "narrowed until theirs is empty": (("abcd", "aPYQd", "aPQd"), [conflict("bc", "Y", "", 2, 3, 3)]),
    "narrowed, equal lines counted once": (("abcd", "aPPd", "aPd"), [conflict("bc", "P", "", 2, 3, 3)]),
    "the last line, with and without its end": (("ab", "ab~", "aX"), [conflict("b", "b~", "X", 2, 2, 2)]),
    "lines behind an unfinished one": (("a~", "ab", "ac"), [conflict("a~", "b", "c", 1, 2, 2)]),
}


@pytest.mark.promise("back.merge")
@pytest.mark.parametrize(("letters", "expected"), CONFLICTS.values(), ids=CONFLICTS)
def test_a_conflict_is_a_value_with_three_sides_and_the_line_where_each_begins(
    letters: tuple[str, str, str], expected: list[Conflict]
) -> None:
    base, ours, theirs = map(text, letters)
    assert list(merge(base, ours, theirs).conflicts) == expected


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize(("letters", "expected"), CONFLICTS.values(), ids=CONFLICTS)
def test_a_strategy_does_not_hide_the_conflicts_it_decides(
    letters: tuple[str, str, str], expected: list[Conflict], strategy: str
) -> None:
    base, ours, theirs = map(text, letters)
    assert list(merge(base, ours, theirs, strategy).conflicts) == expected


def test_with_refuse_the_edits_have_the_clean_changes_but_no_conflict() -> None:
    merged = merge(text("abc"), text("Xbc"), text("Ybc") + b"more\n")
    assert merged == Merged((edit(6, 6, b"more\n"),), (conflict("a", "X", "Y", 1, 1, 1),))


DECIDED = {
    "a line changed in two ways": ("abc", "aXc", "aYc", "aXc", "aYc", "aXYc"),
    "two insertions at one place": ("ab", "aXb", "aYb", "aXb", "aYb", "aXYb"),
    "ours deleted": ("abc", "ac", "aXc", "ac", "aXc", "aXc"),
    "theirs deleted": ("abc", "aXc", "ac", "aXc", "ac", "aXc"),
    "two texts from nothing": ("", "ab", "cd", "ab", "cd", "abcd"),
    "agreement at both ends": ("abcd", "aPXQd", "aPYYQd", "aPXQd", "aPYYQd", "aPXYYQd"),
    "something clean on each side": ("abcdefg", "UbcXefg", "abcYefV", "UbcXefV", "UbcYefV", "UbcXYefV"),
    "two conflicts": ("abcde", "XbcdX", "YbcdY", "XbcdX", "YbcdY", "XYbcdXY"),
    "unfinished on both sides": ("ab", "aX~", "aY~", "aX~", "aY~", "aXY~"),
    "unfinished in ours": ("ab", "aX~", "aY", "aX~", "aY", "aXY"),
    "unfinished in theirs": ("ab", "aX", "aY~", "aX", "aY~", "aXY~"),
    "unfinished in ours, deleted in theirs": ("ab", "aX~", "a", "aX~", "a", "aX~"),
    "deleted in ours, unfinished in theirs": ("ab", "a", "aX~", "a", "aX~", "aX~"),
    "only the last line end": ("ab", "ab~", "aX", "ab~", "aX", "abX"),
}


@pytest.mark.promise("back.merge")
@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("letters", DECIDED.values(), ids=DECIDED)
def test_a_strategy_decides_conflicts_and_nothing_else(letters: tuple[str, ...], ending: str) -> None:
    base, ours, theirs, *expected = (text(side).replace(b"\n", ending.encode()) for side in letters)
    assert [merge_texts(base, ours, theirs, strategy) for strategy in ("ours", "theirs", "union")] == expected
    assert merge_texts(base, ours, theirs) is None


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "expected"),
    [
        (b"a\r\nb\r\n", b"a\r\nX", b"a\r\nY", b"a\r\nX\r\nY"),
        (b"", b"X", b"Y\r\nZ\r\n", b"X\r\nY\r\nZ\r\n"),
        (b"a\r\n", b"X", b"Y", b"X\r\nY"),
        (b"a\rb\r", b"a\rX", b"a\rY", b"a\rX\rY"),
        (b"a", b"X", b"Y", b"X\nY"),
        (b"", b"X", b"Y", b"X\nY"),
        (b"a\nb", b"a\nX\r", b"a\nY", b"a\nX\r\nY"),
        (b"", b"X\r", b"Y\n", b"X\r\nY\n"),
    ],
    ids=repr,
)
def test_union_ends_an_unfinished_line_like_the_other_lines(
    base: bytes, ours: bytes, theirs: bytes, expected: bytes
) -> None:
    assert merge_texts(base, ours, theirs, "union") == expected


TOUCHING = {
    "neighboring lines": ("abcd", "aXcd", "abYd", "aXYd"),
    "three neighboring lines": ("abcde", "aXcYe", "abZde", "aXZYe"),
    "a changed line beside a deleted one": ("abcd", "aXcd", "abd", "aXd"),
    "deleted lines": ("abcd", "acd", "abd", "ad"),
    "deleted lines at the end": ("abc", "ac", "ab", "a"),
    "an insertion before a changed line": ("abc", "aXbc", "aYc", "aXYc"),
    "an insertion behind a changed line": ("abc", "abXc", "aYc", "aYXc"),
    "an insertion before a deleted line": ("abc", "aXbc", "ac", "aXc"),
    "insertions before and behind a deleted line": ("abc", "ac", "aXbYc", "aXYc"),
    "an insertion at the beginning": ("abc", "Xabc", "Ybc", "XYbc"),
    "two insertions at one place": ("ab", "aXb", "aYb", None),
    "two insertions at the beginning": ("ab", "Xab", "Yab", None),
    "two insertions at the end": ("ab", "abX", "abY", None),
    "an insertion at the end, behind a changed line": ("ab", "aX", "abY", "aXY"),
    "an insertion at the end, behind a line made unfinished": ("ab", "aX~", "abY", None),
    "an insertion before a last line made unfinished": ("abc", "abX~", "abYc", "abYX~"),
    "a line behind an unfinished one that is changed": ("ab~", "aX~", "abY", None),
    "ranges that overlap": ("abcdef", "aXYdef", "abZWef", None),
    "something that touches, beside a conflict": ("abcde", "XYcde", "ZbUde", None),
    "nothing that touches": ("abcde", "aXcde", "abcYe", "aXcYe"),
    "both the same": ("abcd", "aXcd", "aXcd", "aXcd"),
    "both the same, found in different pieces": ("baba", "bbaab", "aaabaab", "aaabbaab"),
}


@pytest.mark.parametrize("letters", TOUCHING.values(), ids=TOUCHING)
def test_touching_ranges_are_both_kept_on_request_if_their_order_is_clear(
    letters: tuple[str, str, str, str | None],
) -> None:
    base, ours, theirs, expected = (None if side is None else text(side) for side in letters)
    assert base is not None
    assert ours is not None
    assert theirs is not None
    assert merge_texts(base, ours, theirs, touching=True) == expected
    assert merge_texts(base, theirs, ours, touching=True) == expected


def test_a_change_that_only_touches_a_conflict_is_not_part_of_it() -> None:
    base, ours, theirs = text("abcdef"), text("aXYdef"), text("aZcUef")
    assert merge(base, ours, theirs) == Merged((), (conflict("bcd", "XYd", "ZcU", 2, 2, 2),))
    expected = Merged((edit(6, 8, b"U\n"),), (conflict("bc", "XY", "Zc", 2, 2, 2),))
    assert merge(base, ours, theirs, touching=True) == expected


@pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
def test_lines_are_merged_and_counted_whatever_ends_them(ending: bytes) -> None:
    def lines(letters: str) -> bytes:
        return text(letters).replace(b"\n", ending)

    merged = merge(lines("abcdefg"), lines("XbcdPfg~"), lines("abYcdQfg"), "theirs")
    assert apply(lines("XbcdPfg~"), merged.edits) == lines("XbYcdQfg~")
    assert merged.conflicts == (Conflict(lines("e"), lines("P"), lines("Q"), 5, 5, 6),)


def test_a_carriage_return_alone_ends_no_line_in_a_text_with_line_feeds() -> None:
    assert merge_texts(b"a\rb\n", b"x\rb\n", b"a\ry\n") is None
    assert merge_texts(b"a\rb\rc\r", b"x\rb\rc\r", b"a\rb\ry\r") == b"x\rb\ry\r"
    assert merge_texts(b"a\rb\rc", b"x\rb\rc", b"a\rb\ry") == b"x\rb\ry"


def test_line_endings_that_one_side_changed_are_kept_where_the_other_changed_nothing() -> None:
    assert merge_texts(b"a\r\nb\r\n", b"a\r\nb\r\n", b"a\nb\n") == b"a\nb\n"
    assert merge_texts(b"a\rb\r", b"a\nb\n", b"a\rb\r") == b"a\nb\n"
    assert merge_texts(b"a\r\nb\r\n", b"a\r\nX\r\n", b"a\nb\n") is None


@pytest.mark.parametrize("strategy", ["", "Ours", "both", "diff3"])
def test_an_unknown_strategy_is_an_error_even_if_there_is_nothing_to_merge(strategy: str) -> None:
    with pytest.raises(ValueError, match=rf"^{strategy}$"):
        merge(b"", b"", b"", strategy)


def test_edits_contain_only_changes_from_theirs() -> None:
    base, ours, theirs = text("abcdefg"), text("XbcPefg"), text("abYcPefZ")
    expected: tuple[Edit, ...] = (edit(4, 4, b"Y\n"), edit(12, 14, b"Z\n"))
    assert merge(base, ours, theirs) == Merged(expected, ())


def test_regions_have_the_side_of_a_change_and_its_range_on_each_side() -> None:
    base, ours, theirs = ([letter.encode() for letter in letters] for letters in ("abcdefg", "XXbcPefY", "abZcPefW"))
    assert list(regions(base, ours, theirs)) == [
        Region("ours", (0, 1), (0, 2), (0, 1)),
        Region("theirs", (2, 2), (3, 3), (2, 3)),
        Region("both", (3, 4), (4, 5), (4, 5)),
        Region("conflict", (6, 7), (7, 8), (7, 8)),
    ]


def with_edits(lines: Sequence[bytes], places: Sequence[int], name: str) -> list[bytes]:
    """The lines with some changed, some deleted, and some insertions."""
    result = list(lines)
    for index, place in reversed(list(enumerate(places))):
        new: list[bytes] = [Line(f"{name} {index}\n".encode())]
        result[place : place + 1] = [new, [*new, result[place]], []][index % 3]
    return result


@pytest.fixture
def no_difflib(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(difflib, "SequenceMatcher")


@pytest.mark.slow
@pytest.mark.promise("bound.merge-time")
@pytest.mark.usefixtures("no_difflib")
def test_a_hundred_edits_on_each_side_of_a_large_text_cost_a_few_passes_over_its_lines() -> None:
    base = [Line(line) for line in number_lines(200_000)]
    ours = with_edits(base, range(500, 200_000, 2_000), "ours")
    theirs = with_edits(base, range(1_500, 200_000, 2_000), "theirs")
    Line.work = 0
    parts = list(regions(base, ours, theirs))
    assert [region.side for region in parts] == ["ours", "theirs"] * 100
    assert Line.work <= 2 * len(base)


def as_lines(texts: Sequence[Sequence[bytes]]) -> list[list[Line]]:
    return [[Line(line) for line in lines] for lines in texts]


@pytest.mark.slow
@pytest.mark.promise("bound.merge-time")
@pytest.mark.parametrize("name", HARD)
def test_twice_the_lines_are_no_more_than_twice_the_work_of_a_merge(name: str) -> None:
    def work(count: int) -> int:
        old, new = HARD[name](count)
        sides = as_lines([old, new, [*new[: count // 2], *old[: count // 2]]])
        Line.work = 0
        assert list(regions(*sides, touching=True))
        return Line.work

    assert work(4_000) <= 2.4 * work(2_000) + 1_000
