"""The laws of edits, compared with a model that knows only single bytes."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture.errors import EditOutOfBounds, OverlappingEdits
from suture.text.edits import Edit, apply, common_ends, compose, edit, invert, minimize, sort_edits

BODIES = st.binary(max_size=12)
RUNS = st.sampled_from([0, 1, 255, 256, 257, 511, 512, 513, 514, 1025, 3000])
NEWS = st.one_of(st.just(b""), st.binary(max_size=4))
STEADY = settings(deadline=None, max_examples=200)


def model(body: bytes, edits: list[Edit]) -> bytes:
    """The text after the edits: walk over the offsets, and look at every edit at each."""
    result = b""
    for offset in range(len(body) + 1):
        changes = [change for change in edits if change.span.start == offset]
        result += b"".join(change.new for change in changes if len(change.span) == 0)
        result += b"".join(change.new for change in changes if len(change.span) > 0)
        if not any(change.span.start <= offset < change.span.end for change in edits):
            result += body[offset : offset + 1]
    return result


def collide(left: Edit, right: Edit) -> bool:
    """Whether the edits touch the same byte, or one inserts inside the other."""
    start, end = max(left.span.start, right.span.start), min(left.span.end, right.span.end)
    if len(left.span) and len(right.span):
        return start < end
    outer, inner = (left, right) if len(left.span) else (right, left)
    return outer.span.start < inner.span.start < outer.span.end


def is_possible(edits: list[Edit], size: int) -> bool:
    inside = all(0 <= change.span.start <= change.span.end <= size for change in edits)
    return inside and not any(collide(left, right) for index, left in enumerate(edits) for right in edits[index + 1 :])


@st.composite
def edit_lists(draw: st.DrawFn, size: int) -> list[Edit]:
    """Edits that do not overlap, in any order."""
    borders = sorted(draw(st.lists(st.integers(0, size), max_size=8)))
    spans = list(zip(borders[::2], borders[1::2], strict=False))
    return draw(st.permutations([edit(start, end, draw(NEWS)) for start, end in spans]))


@st.composite
def cases(draw: st.DrawFn) -> tuple[bytes, list[Edit]]:
    body = draw(BODIES)
    return body, draw(edit_lists(len(body)))


@st.composite
def sequences(draw: st.DrawFn) -> tuple[bytes, list[list[Edit]]]:
    """A text and three lists of edits, each for the result of the one before."""
    body = after = draw(BODIES)
    steps = []
    for _ in range(3):
        steps.append(draw(edit_lists(len(after))))
        after = apply(after, steps[-1])
    return body, steps


@pytest.mark.promise("place.original")
@STEADY
@given(case=cases())
def test_apply_does_what_the_model_does(case: tuple[bytes, list[Edit]]) -> None:
    body, edits = case
    assert apply(body, edits) == model(body, edits)


@pytest.mark.promise("place.original")
@STEADY
@given(case=cases(), data=st.data())
def test_the_order_in_which_edits_are_given_does_not_change_the_result(
    case: tuple[bytes, list[Edit]], data: st.DataObject
) -> None:
    body, edits = case
    places = {change.span.start: change for change in edits if not len(change.span)}
    distinct = [change for change in edits if len(change.span) or places[change.span.start] is change]
    assert apply(body, data.draw(st.permutations(distinct))) == apply(body, distinct)


@pytest.mark.promise("place.overlap")
@STEADY
@given(
    spans=st.lists(st.tuples(st.integers(-1, 8), st.integers(-1, 8)), max_size=4),
    size=st.integers(0, 7),
)
def test_exactly_the_edits_that_overlap_or_lie_outside_are_refused(spans: list[tuple[int, int]], size: int) -> None:
    edits = [edit(start, end, b"") for start, end in spans]
    try:
        result = sort_edits(edits, size)
    except (OverlappingEdits, EditOutOfBounds):
        assert not is_possible(edits, size)
    else:
        assert is_possible(edits, size)
        assert sorted(map(repr, result)) == sorted(map(repr, edits))


@pytest.mark.promise("place.overlap")
@STEADY
@given(body=BODIES, news=st.lists(NEWS, max_size=5), data=st.data())
def test_insertions_at_one_place_keep_the_order_of_the_request(
    body: bytes, news: list[bytes], data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(body)))
    inserted = [edit(place, place, new) for new in news]
    assert apply(body, inserted) == body[:place] + b"".join(news) + body[place:]


@pytest.mark.promise("back.invert")
@STEADY
@given(case=cases())
def test_the_inverse_gives_the_original_and_its_inverse_the_edits(case: tuple[bytes, list[Edit]]) -> None:
    body, edits = case
    after, inverse = apply(body, edits), invert(body, edits)
    assert apply(after, inverse) == body
    assert invert(after, inverse) == sort_edits(edits, len(body))


@pytest.mark.promise("place.compose")
@STEADY
@given(case=sequences())
def test_composed_edits_do_at_once_what_the_lists_do_one_after_the_other(case: tuple[bytes, list[list[Edit]]]) -> None:
    body, (first, second, third) = case
    composed = compose(len(body), first, second)
    final = apply(apply(apply(body, first), second), third)
    assert apply(body, composed) == apply(apply(body, first), second)
    assert apply(body, compose(len(body), composed, third)) == final
    later = compose(len(apply(body, first)), second, third)
    assert apply(body, compose(len(body), first, later)) == final


@pytest.mark.promise("place.compose")
@STEADY
@given(case=cases())
def test_edits_composed_with_their_inverse_change_nothing(case: tuple[bytes, list[Edit]]) -> None:
    body, edits = case
    assert minimize(body, compose(len(body), edits, invert(body, edits))) == []


@pytest.mark.promise("place.compose")
@STEADY
@given(case=cases())
def test_minimized_edits_do_the_same_with_nothing_in_them_that_stays(case: tuple[bytes, list[Edit]]) -> None:
    body, edits = case
    minimal = minimize(body, edits)
    assert apply(body, minimal) == apply(body, edits)
    assert minimize(body, minimal) == minimal
    assert all(left.span.end < right.span.start for left, right in pairwise(minimal))
    ascii_ends = [
        (body[change.span.start : change.span.end].decode("latin-1"), change.new.decode("latin-1"))
        for change in minimal
    ]
    assert all(old != new for old, new in ascii_ends)
    assert not [pair for pair in ascii_ends if all(pair) and "".join(pair).isascii() and pair[0][0] == pair[1][0]]
    assert not [pair for pair in ascii_ends if all(pair) and "".join(pair).isascii() and pair[0][-1] == pair[1][-1]]


@pytest.mark.promise("place.compose")
@STEADY
@given(words=st.lists(st.text(alphabet="aéèĩ日月🙂🙃", max_size=4), min_size=4, max_size=4))
def test_minimizing_never_cuts_a_character(words: list[str]) -> None:
    left, old, right, new = words
    body, start, end = (left + old + right).encode(), len(left.encode()), len((left + old).encode())
    for change in minimize(body, [edit(start, end, new.encode())]):
        removed = body[change.span.start : change.span.end].decode()
        assert (old.count(removed) > 0, new.count(change.new.decode()) > 0) == (True, True)
        assert body[: change.span.start].decode() + removed + body[change.span.end :].decode() == left + old + right


@STEADY
@given(RUNS, st.sampled_from([b"", b"x", b"xay", b"xaaa"]), st.sampled_from([b"", b"y", b"xby"]), RUNS)
def test_common_ends_are_as_long_as_they_can_be_and_never_overlap(head: int, old: bytes, new: bytes, tail: int) -> None:
    left, right = b"a" * head + old + b"b" * tail, b"a" * head + new + b"b" * tail
    most = min(len(left), len(right))
    same = next((at for at in range(most) if left[at] != right[at]), most)
    left_rest, right_rest = left[same:][::-1], right[same:][::-1]
    most -= same
    assert common_ends(left, right) == (same, next((at for at in range(most) if left_rest[at] != right_rest[at]), most))
