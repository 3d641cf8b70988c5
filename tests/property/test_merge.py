"""Properties of every merge."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture.text.edits import apply
from suture.text.merge import STRATEGIES, Conflict, merge, regions

STEADY = settings(deadline=None, max_examples=300)
ENDINGS = st.sampled_from([b"\n", b"\n", b"\r\n", b"\r"])
WORDS = st.sampled_from([b"a", b"b", b"c", b"", b"a b", b"b c"])
NEW = st.sampled_from([b"a", b"b", b"x", b"y", b"a c", b"x b", b"b y"])
Triple = tuple[bytes, bytes, bytes]


@st.composite
def a_triple(draw: st.DrawFn) -> Triple:
    """A text with many equal lines, and two versions of it; the last line of each may lack a newline."""
    ending = draw(ENDINGS)
    base = draw(st.lists(WORDS, max_size=12))

    def render(lines: list[bytes]) -> bytes:
        text = b"".join(line + ending for line in lines)
        return text.removesuffix(ending) if draw(st.integers(0, 3)) == 0 else text

    def change() -> list[bytes]:
        lines = list(base)
        for _ in range(draw(st.integers(0, 3))):
            at, removed = draw(st.integers(0, len(lines))), draw(st.integers(0, 2))
            lines[at : at + removed] = draw(st.lists(NEW, max_size=2))
        return lines

    return render(base), render(change()), render(change())


def split(text: bytes) -> list[bytes]:
    end = b"\n" if b"\n" in text or b"\r" not in text else b"\r"
    return re.findall(rb"[^%b]*%b|[^%b]+" % (end, end, end), text)


def exchange(conflict: Conflict) -> Conflict:
    return conflict.evolve(
        ours=conflict.theirs,
        theirs=conflict.ours,
        ours_line=conflict.theirs_line,
        theirs_line=conflict.ours_line,
    )


def inside(part: Conflict, whole: Conflict) -> bool:
    end = whole.base_line + len(split(whole.base))
    return whole.base_line <= part.base_line and part.base_line + len(split(part.base)) <= end


STRATEGY = st.sampled_from(STRATEGIES)


@pytest.mark.promise("back.merge")
@STEADY
@given(triple=a_triple(), strategy=STRATEGY, touching=st.booleans())
def test_where_one_side_is_the_base_or_both_are_the_same_the_result_is_the_other_side(
    triple: Triple, strategy: str, *, touching: bool
) -> None:
    base, side, _ = triple
    for ours, theirs in ((base, side), (side, base), (side, side)):
        result = merge(base, ours, theirs, strategy, touching=touching)
        assert (apply(ours, result.edits), result.conflicts) == (side, ())


@pytest.mark.promise("back.merge")
@STEADY
@given(triple=a_triple(), touching=st.booleans())
def test_exchanging_the_sides_exchanges_the_conflicts_and_changes_nothing_else(
    triple: Triple, *, touching: bool
) -> None:
    base, ours, theirs = triple
    left = merge(base, ours, theirs, "refuse", touching=touching)
    right = merge(base, theirs, ours, "refuse", touching=touching)
    assert tuple(map(exchange, left.conflicts)) == right.conflicts
    if not left.conflicts:
        assert apply(ours, left.edits) == apply(theirs, right.edits)


@st.composite
def separate_edits(draw: st.DrawFn) -> tuple[list[bytes], list[bytes | None], list[bytes | None]]:
    """Unique lines, and each side's change of each: None if unchanged; never both sides at or next to one line."""
    lines = [b"%d\n" % number for number in range(draw(st.integers(0, 40)))]
    sides: tuple[list[bytes | None], list[bytes | None]] = ([None] * len(lines), [None] * len(lines))
    for index, line in list(enumerate(lines))[::2]:
        side = draw(st.sampled_from([0, 1, None]))
        if side is not None:
            new = b"%d of %d\n" % (index, side)
            sides[side][index] = draw(st.sampled_from([b"", new, new + line, line + new, new + new]))
    return lines, *sides


@pytest.mark.promise("back.merge")
@STEADY
@given(case=separate_edits(), strategy=STRATEGY)
def test_edits_to_separate_lines_are_all_in_the_result(
    case: tuple[list[bytes], list[bytes | None], list[bytes | None]], strategy: str
) -> None:
    lines, ours, theirs = case

    def render(*sides: list[bytes | None]) -> bytes:
        return b"".join(
            next((new for new in news if new is not None), line) for line, *news in zip(lines, *sides, strict=True)
        )

    result = merge(render(), render(ours), render(theirs), strategy)
    assert (apply(render(ours), result.edits), result.conflicts) == (render(ours, theirs), ())


@pytest.mark.promise("back.merge")
@STEADY
@given(triple=a_triple(), touching=st.booleans())
def test_the_texts_are_the_same_outside_the_regions_and_only_the_side_named_changed_inside(
    triple: Triple, *, touching: bool
) -> None:
    base, ours, theirs = map(split, triple)
    position = (0, 0, 0)
    ends = (len(base), len(ours), len(theirs))
    for region in regions(base, ours, theirs, touching=touching):
        starts = (region.base[0], region.ours[0], region.theirs[0])
        between = [lines[i:j] for lines, i, j in zip((base, ours, theirs), position, starts, strict=True)]
        assert between[0] == between[1] == between[2]
        base_lines, our_lines, their_lines = (
            base[slice(*region.base)],
            ours[slice(*region.ours)],
            theirs[slice(*region.theirs)],
        )
        changed = {"ours": (True, False), "theirs": (False, True), "both": (True, True), "conflict": (True, True)}
        assert (our_lines != base_lines, their_lines != base_lines) == changed[region.side]
        assert region.side in {"ours", "theirs"} or (our_lines == their_lines) == (region.side == "both")
        position = (region.base[1], region.ours[1], region.theirs[1])
    remainder = [lines[i:j] for lines, i, j in zip((base, ours, theirs), position, ends, strict=True)]
    assert remainder[0] == remainder[1] == remainder[2]


@pytest.mark.promise("back.merge")
@STEADY
@given(triple=a_triple(), strategy=st.sampled_from(["ours", "theirs", "union"]), touching=st.booleans())
def test_a_strategy_takes_what_it_says_in_conflicts_and_every_change_outside_them(
    triple: Triple, strategy: str, *, touching: bool
) -> None:
    base, ours, theirs = map(split, triple)
    expected, position = list[bytes](), 0
    for region in regions(base, ours, theirs, touching=touching):
        expected += base[position : region.base[0]]
        position = region.base[1]
        our_lines, their_lines = ours[slice(*region.ours)], theirs[slice(*region.theirs)]
        whose = strategy if region.side == "conflict" else region.side
        if whose == "union":
            head, tail = count_common_ends(our_lines, their_lines)
            expected += [*our_lines[: len(our_lines) - tail], *their_lines[head:]]
        else:
            expected += their_lines if whose == "theirs" else our_lines
    expected += base[position:]
    actual = split(apply(triple[1], merge(*triple, strategy, touching=touching).edits))
    if strategy == "union":  # it ends a line without a newline that another follows
        actual, expected = ([line.rstrip(b"\r\n") for line in lines] for lines in (actual, expected))
    assert actual == expected


def count_common_ends(ours: list[bytes], theirs: list[bytes]) -> tuple[int, int]:
    """How many lines the two have in common at the beginning and at the end."""
    size = min(len(ours), len(theirs))
    head = next((index for index in range(size) if ours[index] != theirs[index]), size)
    tail = next((index for index in range(size - head) if ours[-1 - index] != theirs[-1 - index]), size - head)
    return head, tail


@pytest.mark.promise("back.merge")
@STEADY
@given(triple=a_triple(), strategy=STRATEGY, touching=st.booleans())
def test_no_line_is_glued_to_another(triple: Triple, strategy: str, *, touching: bool) -> None:
    """Every line of a result occurs in a side."""
    base, ours, theirs = triple
    result = merge(base, ours, theirs, strategy, touching=touching)
    if result.conflicts and strategy == "refuse":
        return
    allowed = {line.rstrip(b"\r\n") for line in (*split(ours), *split(theirs))}
    actual = [line.rstrip(b"\r\n") for line in split(apply(ours, result.edits))]
    assert set(actual) <= allowed


@pytest.mark.promise("back.merge")
@STEADY
@given(triple=a_triple())
def test_keeping_both_of_what_touches_only_makes_conflicts_smaller_or_fewer(triple: Triple) -> None:
    strict, touching = merge(*triple), merge(*triple, touching=True)
    if not strict.conflicts:
        assert touching == strict
    assert all(any(inside(part, whole) for whole in strict.conflicts) for part in touching.conflicts)
