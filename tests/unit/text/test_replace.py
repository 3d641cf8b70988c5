"""Sequential replacements, as edits of the original."""

import random

import pytest

from suture.text import replace
from suture.text.edits import Edit, apply, edit
from suture.text.replace import Outcome, Step, apply_at_once, apply_in_turn, apply_steps

FILLER = b"." * 100
LARGE = b"".join(b"line %05d\n" % number for number in range(30_000))


@pytest.mark.parametrize(
    ("body", "steps", "edits", "places"),
    [
        (b"abc", [], [], ()),
        (b"", [], [], ()),
        (b"abc", [Step(b"b", b"X")], [edit(1, 2, b"X")], ((1,),)),
        (b"abab", [Step(b"b", b"X", 2)], [edit(1, 2, b"X"), edit(3, 4, b"X")], ((1, 3),)),
        (b"abc", [Step(b"x", b"y", 0)], [], ((),)),
        (b"abc", [Step(b"b", b"b")], [], ((1,),)),
        (b"abc", [Step(b"b", b"")], [edit(1, 2, b"")], ((1,),)),
        (b"abc", [Step(b"abc", b"")], [edit(0, 3, b"")], ((0,),)),
        (b"abcd", [Step(b"a", b"XX"), Step(b"d", b"Y")], [edit(0, 1, b"XX"), edit(3, 4, b"Y")], ((0,), (3,))),
        (b"abcd", [Step(b"b", b"XYZ"), Step(b"Y", b"-")], [edit(1, 2, b"X-Z")], ((1,), (1,))),
        (b"abcd", [Step(b"b", b"XY"), Step(b"Yc", b"-")], [edit(1, 3, b"X-")], ((1,), (1,))),
        (b"abcd", [Step(b"b", b"XY"), Step(b"aX", b"-")], [edit(0, 2, b"-Y")], ((1,), (0,))),
        (b"abcd", [Step(b"b", b"XX"), Step(b"X", b"b", 2), Step(b"bb", b"b")], [], ((1,), (1, 1), (1,))),
        (b"abcd", [Step(b"ab", b""), Step(b"c", b"X")], [edit(0, 3, b"X")], ((0,), (2,))),
        (b"abcd", [Step(b"bc", b""), Step(b"ad", b"X")], [edit(0, 4, b"X")], ((1,), (0,))),
        (b"", [Step(b"", b"new")], [edit(0, 0, b"new")], ((0,),)),
        (b"ab", [Step(b"", b"", 0)], [], ((),)),
        (b"ab", [Step(b"a", b""), Step(b"b", b""), Step(b"", b"X")], [edit(0, 2, b"X")], ((0,), (1,), (0,))),
        (b"", [Step(b"", b""), Step(b"", b"X"), Step(b"X", b"YY")], [edit(0, 0, b"YY")], ((0,), (0,), (0,))),
        (b"a\r\nb", [Step(b"a\n", b"x\ny\n")], [edit(0, 1, b"x\r\ny")], ((0,),)),
        (b"a\rb\r", [Step(b"a", b"x\ny")], [edit(0, 1, b"x\ry")], ((0,),)),
        (b"a\r\na\n", [Step(b"a\n", b"\n\n", 2)], [edit(0, 1, b"\r\n"), edit(3, 4, b"\n")], ((0, 3),)),
        (b"a\r\nb\n", [Step(b"a", b"x\r")], [edit(0, 1, b"x\r")], ((0,),)),
    ],
    ids=[
        "no step",
        "no step, no text",
        "one",
        "two places",
        "what is not there, and must not be",
        "what changes nothing",
        "a deletion",
        "everything deleted",
        "two, mapped back",
        "in what is new",
        "over the end of what is new",
        "over the beginning of what is new",
        "there and back",
        "behind what was deleted",
        "over what was deleted",
        "into an empty text",
        "nothing is not found in a text",
        "into a text that became empty",
        "nothing for nothing",
        "line ends of a CRLF text",
        "line ends of a CR text",
        "line ends of a mixed text",
        "line ends of its own",
    ],
)
def test_steps_become_edits_of_the_first_text(
    body: bytes, steps: list[Step], edits: list[Edit], places: tuple[tuple[int, ...], ...]
) -> None:
    assert apply_steps(body, steps) == Outcome(tuple(edits), places)


def test_the_first_step_with_a_wrong_number_of_places_fails() -> None:
    outcome = apply_steps(b"abcab", [Step(b"c", b"XYX"), Step(b"ab", b"-"), Step(b"none", b"")])
    assert outcome == Outcome(
        edits=(edit(2, 3, b"XYX"),),
        places=((2,),),
        failed=1,
        body=b"abXYXab",
        hits=((0, 2), (5, 7)),
        origin=outcome.origin,
    )
    assert [outcome.origin(offset) for offset in range(8)] == [0, 1, 2, 2, 2, 3, 4, 5]


def test_offsets_are_those_of_the_original_where_nothing_changed() -> None:
    outcome = apply_steps(b"abc", [Step(b"x", b"")])
    assert (outcome.failed, outcome.body, outcome.hits, outcome.edits) == (0, b"abc", (), ())
    assert [outcome.origin(offset) for offset in range(4)] == [0, 1, 2, 3]
    assert apply_steps(b"abc", []).origin(2) == 2


def test_an_empty_text_maps_to_the_start() -> None:
    outcome = apply_steps(b"abc", [Step(b"abc", b""), Step(b"x", b"")])
    assert (outcome.failed, outcome.body, outcome.origin(0)) == (1, b"", 0)
    assert apply_steps(b"", [Step(b"x", b"")]).origin(0) == 0


def steps_at_random(seed: int, number: int) -> list[Step]:
    chosen = random.Random(seed).sample(range(30_000), number)
    return [Step(b"line %05d\n" % line, b"LINE %05d\nand another\n" % line) for line in chosen]


@pytest.mark.parametrize("body", [LARGE, LARGE.replace(b"\n", b"\r\n")], ids=["LF", "CRLF"])
def test_many_steps_are_made_at_once(body: bytes) -> None:
    steps = [*steps_at_random(1, 60), Step(b"another\n", b"more\n", 60)]
    outcome = apply_steps(body, steps)
    assert outcome == apply_at_once(body, steps) == apply_in_turn(body, steps)
    assert (len(outcome.edits), outcome.failed) == (60, None)


def test_if_one_of_many_steps_fails_its_hits_are_returned() -> None:
    steps = steps_at_random(2, 100)
    steps[70] = Step(b"line 000", b"", 1)
    outcome, turned = apply_at_once(LARGE, steps), apply_in_turn(LARGE, steps)
    assert outcome is not None
    assert outcome.evolve(origin=turned.origin) == turned
    assert (outcome.failed, len(outcome.places)) == (70, 70)
    offsets = range(0, len(outcome.body), 1000)
    assert [outcome.origin(offset) for offset in offsets] == [turned.origin(offset) for offset in offsets]


@pytest.mark.parametrize(
    ("body", "steps", "expected"),
    [
        (b"ab", [Step(b"a", b"c"), Step(b"cb", b"d")], b"d"),
        (b"ab", [Step(b"a", b""), Step(b"b", b"")], b""),
        (b"ab" + FILLER + b"ab", [Step(b"ab", b"ba", 2), Step(b"ba", b"x", 2)], b"x" + FILLER + b"x"),
        (FILLER + b"ab" + FILLER, [Step(b"a", b"c"), Step(b"cb.", b"d")], FILLER + b"d" + FILLER[1:]),
        (FILLER + b"aa" + FILLER, [Step(b"a", b"b", 2), Step(b"bb", b"c")], FILLER + b"c" + FILLER),
        (b"aaa" * 10, [Step(b"a", b"b", 30), Step(b"bb", b"c", 15)], b"c" * 15),
        (b"ab", [Step(b"a", b"b"), Step(b"a", b"c", 0), Step(b"b", b"a", 2), Step(b"a", b"x", 2)], b"xx"),
        (b"a" + FILLER, [Step(b"a", b"b"), Step(b"a", b"c", 0)], b"b" + FILLER),
        (b"foobar", [Step(b"foobar", b"foo"), Step(b"foo", b"x")], b"x"),
        (b"a\r\nb\r\n", [Step(b"a\n", b"x\ny\n"), Step(b"y\r\nb", b"\r\n")], b"x\r\n\r\n\r\n"),
        (FILLER, [Step(b"a", b"", 0)], FILLER),
    ],
    ids=[
        "over what is new",
        "until nothing is left",
        "two windows",
        "over the border of what is new",
        "places side by side",
        "many places side by side",
        "the same text twice",
        "the same text twice, alone",
        "one text in the other",
        "line ends",
        "nothing to do",
    ],
)
def test_steps_made_at_once_see_each_other(body: bytes, steps: list[Step], expected: bytes) -> None:
    outcome = apply_at_once(body, steps)
    assert outcome == apply_in_turn(body, steps)
    assert apply(body, outcome.edits) == expected


@pytest.mark.parametrize(
    ("body", "steps"),
    [
        (b"abc", []),
        (b"", [Step(b"", b"a")]),
        (b"a\rb", [Step(b"a", b"b")]),
        (b"a\r\nb\n", [Step(b"a", b"b")]),
        (b"a\r\n", [Step(b"a", b"b\r")]),
        (b"a\n", [Step(b"a", b"b\r\n")]),
        (b"a\r\nb", [Step(b"a\n", b"c"), Step(b"b", b"\n")]),
        (b"a", [Step(b"a" * 100_001, b"", 0)]),
        (b"a" * 2000, [Step(b"a", b"b", 0)]),
        (b"aaaaaa", [Step(b"a" * size, b"b") for size in range(1, 7)]),
        (FILLER + b"a.b" + FILLER, [Step(b"a", b""), *[Step(b"..b", b".b")] * 60]),
        (FILLER + b"b.a" + FILLER, [Step(b"a", b""), *[Step(b"b..", b"b.")] * 60]),
    ],
    ids=[
        "no step",
        "an empty text",
        "a lone CR",
        "a mixed text",
        "a lone CR goes in",
        "CRLF goes into an LF text",
        "the last line end is gone",
        "a long text",
        "many places",
        "many texts at one place",
        "a change that wanders to the left",
        "a change that wanders to the right",
    ],
)
def test_steps_that_might_go_another_way_are_made_in_turn(body: bytes, steps: list[Step]) -> None:
    assert apply_at_once(body, steps) is None


def test_a_text_across_chunks_is_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replace, "_CHUNK_SIZE", 1)
    steps = [Step(b"abc", b"x"), Step(b"b", b"y", 0)]
    for offset in range(14):
        body = FILLER[:offset] + b"abc" + FILLER
        assert apply_at_once(body, steps) == Outcome((edit(offset, offset + 3, b"x"),), ((offset,), ()))


def test_few_steps_are_made_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replace, "apply_at_once", None)
    few = steps_at_random(3, 3)
    assert apply_steps(LARGE, few) == apply_in_turn(LARGE, few)
    dense = steps_at_random(4, 20)
    assert apply_steps(LARGE[:50_000], dense).failed is not None


def test_many_steps_that_cannot_be_made_at_once_are_made_in_turn() -> None:
    body = LARGE.replace(b"\n", b"\r\n", 5)
    steps = steps_at_random(5, 20)
    assert apply(body, apply_steps(body, steps).edits).count(b"LINE") == 20
