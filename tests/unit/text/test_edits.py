"""Edits as values against one original."""

import pytest

from suture.errors import EditOutOfBounds, EncodingMismatch, OverlappingEdits
from suture.text import Text
from suture.text.edits import Edit, Span, apply, compose, edit, invert, minimize, sort_edits, splice

BODY = b"0123456789"


def test_an_edit_has_its_span_and_growth() -> None:
    change = edit(2, 5, b"abcd")
    assert (change, len(change.span), change.growth) == (Edit(Span(2, 5), b"abcd"), 3, 1)


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([], b"0123456789"),
        ([edit(2, 5, b"abc")], b"01abc56789"),
        ([edit(2, 5, b"")], b"0156789"),
        ([edit(2, 2, b"abc")], b"01abc23456789"),
        ([edit(0, 0, b"a"), edit(10, 10, b"b")], b"a0123456789b"),
        ([edit(0, 10, b"")], b""),
        ([edit(5, 7, b"B"), edit(0, 2, b"A")], b"A234B789"),
        ([edit(2, 4, b"A"), edit(4, 6, b"B")], b"01AB6789"),
        ([edit(2, 4, b"A"), edit(4, 4, b"B"), edit(4, 6, b"C")], b"01ABC6789"),
        ([edit(4, 6, b"C"), edit(4, 4, b"B"), edit(2, 4, b"A")], b"01ABC6789"),
        ([edit(3, 3, b"b"), edit(3, 3, b"a"), edit(3, 3, b"c")], b"012bac3456789"),
    ],
    ids=[
        "nothing",
        "a replacement",
        "a deletion",
        "an insertion",
        "both ends",
        "everything",
        "in any order",
        "neighbors",
        "an insertion between neighbors",
        "an insertion between neighbors, given last first",
        "insertions at one place keep the order of the request",
    ],
)
@pytest.mark.promise("place.original")
def test_every_edit_refers_to_the_original(edits: list[Edit], expected: bytes) -> None:
    assert apply(BODY, edits) == expected
    assert b"".join(splice(Text.decode(BODY), edits)) == expected


@pytest.mark.promise("place.overlap")
@pytest.mark.parametrize(
    ("edits", "first", "second"),
    [
        ([edit(2, 5, b""), edit(4, 6, b"")], (2, 5), (4, 6)),
        ([edit(4, 6, b""), edit(2, 5, b"")], (2, 5), (4, 6)),
        ([edit(2, 5, b"a"), edit(2, 5, b"a")], (2, 5), (2, 5)),
        ([edit(2, 8, b""), edit(4, 6, b"")], (2, 8), (4, 6)),
        ([edit(2, 5, b""), edit(3, 3, b"a")], (2, 5), (3, 3)),
        ([edit(2, 3, b""), edit(2, 5, b"")], (2, 3), (2, 5)),
    ],
    ids=[
        "partly",
        "partly, given last first",
        "the same span twice",
        "one inside the other",
        "an insertion inside",
        "one begins where the other does",
    ],
)
def test_edits_that_overlap_are_refused(edits: list[Edit], first: tuple[int, int], second: tuple[int, int]) -> None:
    for use in (apply, invert, minimize):
        with pytest.raises(OverlappingEdits) as caught:
            use(BODY, edits)
        assert caught.value.fields() == {"first": first, "second": second}


@pytest.mark.promise("place.overlap")
@pytest.mark.parametrize(
    ("edits", "span"),
    [
        ([edit(5, 11, b"")], (5, 11)),
        ([edit(11, 11, b"")], (11, 11)),
        ([edit(-1, 1, b"")], (-1, 1)),
        ([edit(5, 4, b"")], (5, 4)),
        ([edit(1, 2, b""), edit(9, 11, b"")], (9, 11)),
    ],
    ids=["past the end", "an insertion past the end", "before the beginning", "the wrong way round", "the second"],
)
def test_an_edit_outside_the_text_is_refused(edits: list[Edit], span: tuple[int, int]) -> None:
    for use in (apply, invert, minimize):
        with pytest.raises(EditOutOfBounds) as caught:
            use(BODY, edits)
        assert caught.value.fields() == {"start": span[0], "end": span[1], "size": len(BODY)}


def test_new_text_that_is_not_text_is_refused_where_the_encoding_is_known() -> None:
    with pytest.raises(EncodingMismatch):
        splice(Text.decode(b"abc"), [edit(0, 1, b"\xff")])


def test_edits_are_sorted_and_insertions_keep_their_order() -> None:
    edits = [edit(5, 6, b"c"), edit(3, 3, b"2"), edit(0, 1, b"a"), edit(3, 3, b"1"), edit(3, 5, b"b")]
    assert sort_edits(edits, 10) == [edits[2], edits[1], edits[3], edits[4], edits[0]]


@pytest.mark.promise("back.invert")
@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([], []),
        ([edit(2, 5, b"abcd")], [edit(2, 6, b"234")]),
        ([edit(2, 2, b"a"), edit(5, 6, b"")], [edit(2, 3, b""), edit(6, 6, b"5")]),
        ([edit(5, 6, b""), edit(2, 2, b"a")], [edit(2, 3, b""), edit(6, 6, b"5")]),
        ([edit(2, 4, b""), edit(4, 4, b"x")], [edit(2, 2, b"23"), edit(2, 3, b"")]),
    ],
    ids=["nothing", "a replacement", "two", "two, given last first", "neighbors"],
)
def test_the_inverse_restores_the_original(edits: list[Edit], expected: list[Edit]) -> None:
    inverse = invert(BODY, edits)
    assert inverse == expected
    assert apply(apply(BODY, edits), inverse) == BODY


@pytest.mark.promise("place.compose")
@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([], [], []),
        ([edit(2, 3, b"a")], [], [edit(2, 3, b"a")]),
        ([], [edit(2, 3, b"a")], [edit(2, 3, b"a")]),
        ([edit(2, 3, b"abc")], [edit(0, 1, b"x")], [edit(0, 1, b"x"), edit(2, 3, b"abc")]),
        ([edit(2, 3, b"abc")], [edit(7, 8, b"x")], [edit(2, 3, b"abc"), edit(5, 6, b"x")]),
        ([edit(2, 3, b"abc")], [edit(3, 4, b"x")], [edit(2, 3, b"axc")]),
        ([edit(2, 3, b"abc")], [edit(1, 4, b"x")], [edit(1, 3, b"xc")]),
        ([edit(2, 3, b"abc")], [edit(4, 6, b"x")], [edit(2, 4, b"abx")]),
        ([edit(2, 2, b"abc")], [edit(2, 5, b"")], []),
        ([edit(2, 4, b"")], [edit(2, 2, b"x")], [edit(2, 4, b"x")]),
        ([edit(10, 10, b"a")], [edit(11, 11, b"b")], [edit(10, 10, b"ab")]),
        ([edit(0, 10, b"abc")], [edit(0, 3, b"")], [edit(0, 10, b"")]),
        ([edit(2, 3, b"a"), edit(5, 6, b"b")], [edit(1, 7, b"x")], [edit(1, 7, b"x")]),
        ([edit(2, 3, b"a"), edit(3, 4, b"b")], [edit(6, 7, b"x")], [edit(2, 4, b"ab"), edit(6, 7, b"x")]),
    ],
    ids=[
        "nothing",
        "only the first",
        "only the second",
        "the second before",
        "the second behind, mapped back",
        "the second inside what is new",
        "the second over the beginning of what is new",
        "the second over the end of what is new",
        "an insertion taken out",
        "an insertion where something was deleted",
        "appended twice",
        "replaced, then deleted",
        "the second over both",
        "the first of neighbors",
    ],
)
def test_two_lists_of_edits_become_one(first: list[Edit], second: list[Edit], expected: list[Edit]) -> None:
    composed = compose(len(BODY), first, second)
    assert composed == expected
    assert apply(BODY, composed) == apply(apply(BODY, first), second)


@pytest.mark.promise("place.overlap")
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ([edit(0, 2, b""), edit(1, 3, b"")], []),
        ([], [edit(0, 2, b""), edit(1, 3, b"")]),
    ],
    ids=["in the first", "in the second"],
)
def test_edits_that_overlap_are_not_composed(first: list[Edit], second: list[Edit]) -> None:
    with pytest.raises(OverlappingEdits):
        compose(len(BODY), first, second)


def test_an_edit_past_the_end_of_the_first_result_is_not_composed() -> None:
    with pytest.raises(EditOutOfBounds):
        compose(len(BODY), [edit(0, 5, b"")], [edit(5, 6, b"")])


@pytest.mark.promise("place.compose")
@pytest.mark.parametrize(
    ("body", "edits", "expected"),
    [
        (BODY, [], []),
        (BODY, [edit(2, 5, b"234")], []),
        (BODY, [edit(2, 2, b"")], []),
        (BODY, [edit(2, 6, b"2ab5")], [edit(3, 5, b"ab")]),
        (BODY, [edit(2, 6, b"2345x")], [edit(6, 6, b"x")]),
        (BODY, [edit(2, 6, b"x2345")], [edit(2, 2, b"x")]),
        (BODY, [edit(2, 6, b"25")], [edit(3, 5, b"")]),
        (BODY, [edit(2, 3, b"a"), edit(3, 4, b"b")], [edit(2, 4, b"ab")]),
        (BODY, [edit(3, 4, b""), edit(4, 4, b"3")], []),
        (BODY, [edit(3, 3, b"a"), edit(3, 3, b"b")], [edit(3, 3, b"ab")]),
        (BODY, [edit(2, 3, b"a"), edit(4, 5, b"b")], [edit(2, 3, b"a"), edit(4, 5, b"b")]),
        (b"aaa", [edit(0, 3, b"aa")], [edit(2, 3, b"")]),
        ("é".encode(), [edit(0, 2, "è".encode())], [edit(0, 2, "è".encode())]),
        ("aéb".encode(), [edit(0, 4, "aèb".encode())], [edit(1, 3, "è".encode())]),
        ("日".encode(), [edit(0, 3, "月".encode())], [edit(0, 3, "月".encode())]),
        ("aé".encode(), [edit(0, 3, "xĩ".encode())], [edit(0, 3, "xĩ".encode())]),
        ("é".encode(), [edit(0, 2, "éa".encode())], [edit(2, 2, b"a")]),
        ("é".encode(), [edit(0, 2, b"")], [edit(0, 2, b"")]),
        (b"\xe9", [edit(0, 1, b"\xe9\x80")], [edit(0, 1, b"\xe9\x80")]),
        ("é".encode(), [edit(0, 0, "è".encode())], [edit(0, 0, "è".encode())]),
    ],
    ids=[
        "nothing",
        "nothing that changes",
        "an empty insertion",
        "equal at both ends",
        "equal but for the end",
        "equal but for the beginning",
        "a deletion inside",
        "neighbors",
        "neighbors that put back what they took",
        "insertions at one place",
        "not neighbors",
        "equal characters",
        "characters with the first byte in common",
        "such characters between equal ones",
        "characters with two bytes in common",
        "characters with the last byte in common",
        "behind a character",
        "a character deleted",
        "unknown bytes that may be half a character",
        "a character inserted",
    ],
)
def test_minimizing_leaves_only_what_changes(body: bytes, edits: list[Edit], expected: list[Edit]) -> None:
    minimal = minimize(body, edits)
    assert minimal == expected
    assert apply(body, minimal) == apply(body, edits)


@pytest.mark.promise("span.outside")
@pytest.mark.parametrize(("raw", "encoding"), [("é".encode(), None), (b"\xe9", "latin-1")])
@pytest.mark.parametrize(("start", "end"), [(1, 2), (0, 1), (1, 1)])
def test_an_edit_that_cuts_a_character_in_two_is_refused(
    raw: bytes, encoding: str | None, start: int, end: int
) -> None:
    with pytest.raises(EncodingMismatch):
        splice(Text.decode(raw, encoding), [edit(start, end, b"x")])


def test_unknown_bytes_have_no_characters_to_cut() -> None:
    assert b"".join(splice(Text.decode(b"\xe9\x80"), [edit(1, 2, b"x")])) == b"\xe9x"


@pytest.mark.slow
def test_neighbors_are_joined_once() -> None:
    """Joining them one by one would copy 18 GB."""
    size, number = 40, 30_000
    edits = [edit(at * size, (at + 1) * size, b"y" * size) for at in range(number)]
    assert minimize(b"x" * size * number, edits) == [edit(0, size * number, b"y" * size * number)]
    minimal = minimize(b"abcd", [edit(0, 1, b"X"), edit(1, 3, b"bY"), edit(3, 4, b"d")])
    assert minimal == [edit(0, 1, b"X"), edit(2, 3, b"Y")]
    assert minimize(b"ab", [edit(0, 1, b""), edit(1, 1, b"a")]) == []
