"""Steps made one after the other and at once, compared with a model that knows the origin of every byte."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture.text import replace
from suture.text.edits import apply
from suture.text.replace import Outcome, Step, adapt_endings, apply_at_once, apply_in_turn, apply_steps, occurrences

STEADY = settings(deadline=None, max_examples=200)


def lines_of(text: bytes) -> list[bytes]:
    """A text as characters and line endings, each one unit."""
    units: list[bytes] = []
    for index in range(len(text)):
        byte = text[index : index + 1]
        if byte == b"\n" and units and units[-1] == b"\r":
            units[-1] = b"\r\n"
        else:
            units.append(byte)
    return units


def ends(units: list[bytes]) -> set[bytes]:
    return {b"\n", b"\r\n"} if {b"\n", b"\r\n"} & set(units) else {b"\r"}


def model_spans(text: bytes, old: bytes) -> list[tuple[int, int]]:
    """Every place is tried, unit by unit, so that nothing begins or ends inside a line ending."""
    units, old_units = lines_of(text), lines_of(old)
    starts = [sum(map(len, units[:index])) for index in range(len(units) + 1)]
    spans, index = [], 0
    while old_units and index <= len(units) - len(old_units):
        pairs = zip(units[index : index + len(old_units)], old_units, strict=True)
        if all(
            text_unit == old_unit or (b"\r" not in old and old_unit == b"\n" and text_unit in ends(units))
            for text_unit, old_unit in pairs
        ):
            spans.append((starts[index], starts[index + len(old_units)]))
            index += len(old_units)
        else:
            index += 1
    return [(0, 0)] if not text and not old else spans


def model_new(text: bytes, start: int, end: int, new: bytes, usual: bytes) -> bytes:
    old = text[start:end]
    if b"\r" in new or 0 < old.count(b"\r\n") < old.count(b"\n"):
        return adapt_endings(text, start, end, new)  # the law of unchanged lines is tested below
    units, offset = lines_of(text), 0
    endings: dict[str, list[bytes]] = {"before": [], "inside": [], "behind": []}
    for unit in units:
        if unit in ends(units):
            endings["before" if offset + len(unit) <= start else "inside" if offset < end else "behind"].append(unit)
        offset += len(unit)
    return new.replace(b"\n", [*endings["inside"], *endings["behind"], *endings["before"][::-1], usual][0])


def model(body: bytes, steps: list[Step]) -> tuple[bytes, list[int], list[tuple[int, ...]], int | None]:
    """The text, the origins of its bytes, the places, and the step that failed."""
    text, origins = body, list(range(len(body)))
    usual = next((unit for unit in lines_of(body) if unit in ends(lines_of(body))), b"\n")
    places: list[tuple[int, ...]] = []
    for number, step in enumerate(steps):
        spans = model_spans(text, step.old)
        if len(spans) != step.count:
            return text, origins, places, number
        places.append(tuple(origins[start] if origins else 0 for start, _ in spans))
        before = text
        for (start, end), place in reversed(list(zip(spans, places[-1], strict=True))):
            new = model_new(before, start, end, step.new, usual)
            text = text[:start] + new + text[end:]
            origins[start:end] = [place] * len(new)
    return text, origins, places, None


def check(body: bytes, steps: list[Step], outcome: Outcome) -> None:
    text, origins, places, failed = model(body, steps)
    assert apply(body, outcome.edits) == text
    assert (outcome.places, outcome.failed) == (tuple(places), failed)
    if failed is not None:
        assert outcome.body == text
        assert outcome.hits == tuple(model_spans(text, steps[failed].old))
        assert [outcome.origin(offset) for offset in range(len(text))] == origins
        assert outcome.origin(len(text)) == (len(body) if text else 0)


@st.composite
def cases(draw: st.DrawFn, alphabet: list[str], longest: int = 4) -> tuple[bytes, list[Step]]:
    """A text and steps that interact; most counts are right."""
    words = st.lists(st.sampled_from(alphabet), max_size=longest).map("".join).map(str.encode)
    body = text = "".join(draw(st.lists(st.sampled_from(alphabet), max_size=24))).encode()
    steps: list[Step] = []
    for _ in range(draw(st.integers(0, 8))):
        start = draw(st.integers(0, len(text)))
        part = text[start : start + draw(st.integers(1, longest))]
        old = draw(st.sampled_from([part, part.replace(b"\r\n", b"\n").replace(b"\r", b"\n")]) | words)
        count = len(model_spans(text, old))
        step = Step(old, draw(words), draw(st.sampled_from([count, count, count, count, count, count, count, 1])))
        steps.append(step)
        text = model(text, [step])[0]
    return body, steps


LF = cases(["a", "b", "\n"])
ANY = st.one_of(
    LF,
    cases(["a", "b", "\r\n"]),
    cases(["a", "b", "\r"]),
    cases(["a", "\n", "\r\n"]),
    cases(["a", "\r", "\n"]),
    cases(["a", "b", "\r\n", "\r", "\n"]),
)


@STEADY
@given(case=ANY)
def test_occurrences_are_where_the_model_finds_them(case: tuple[bytes, list[Step]]) -> None:
    body, steps = case
    for step in steps:
        assert occurrences(body, step.old) == (model_spans(body, step.old) if step.old else [])


@STEADY
@given(
    around=st.lists(st.sampled_from(["a", "\r\n", "\n"]), max_size=4).map("".join).map(str.encode),
    old=st.lists(st.sampled_from(["a", "b", "\r\n", "\n"]), max_size=8).map("".join).map(str.encode),
    new=st.lists(st.sampled_from(["a", "b", "\n"]), max_size=8).map("".join).map(str.encode),
)
def test_new_text_has_the_line_ends_of_its_place_and_a_text_that_stays_keeps_its_own(
    around: bytes, old: bytes, new: bytes
) -> None:
    body, start, end = around + old + around, len(around), len(around + old)
    assert adapt_endings(body, start, end, new).replace(b"\r\n", b"\n") == new
    assert adapt_endings(body, start, end, old.replace(b"\r\n", b"\n")) == old


@STEADY
@given(case=ANY)
def test_steps_do_what_they_do_one_after_the_other(case: tuple[bytes, list[Step]]) -> None:
    check(*case, apply_in_turn(*case))
    check(*case, apply_steps(*case))


@st.composite
def wide(draw: st.DrawFn, end: str) -> tuple[bytes, list[Step]]:
    """Places that are far apart, close together, and in between."""
    texts = draw(st.lists(st.lists(st.sampled_from(["a", "b", end]), max_size=6).map("".join), max_size=6))
    body = text = "".join(part + "c" * draw(st.integers(0, 40)) for part in texts).encode()
    steps: list[Step] = []
    for _ in range(draw(st.integers(1, 8))):
        old = draw(st.lists(st.sampled_from(["a", "b", "ca", "bc", "\n", end]), min_size=1, max_size=4).map("".join))
        new = draw(st.lists(st.sampled_from(["a", "b", "c", "\n"]), max_size=3).map("".join))
        count = len(model_spans(text, old.encode()))
        steps.append(Step(old.encode(), new.encode(), draw(st.sampled_from([*[count] * 9, 1]))))
        text = model(text, [steps[-1]])[0]
    return body, steps


@STEADY
@given(case=st.one_of(ANY, wide("\n"), wide("\r\n")), chunk=st.sampled_from([1, 7, 1 << 16]))
@pytest.mark.promise("edit.at-once")
def test_steps_made_at_once_do_the_same_or_nothing(case: tuple[bytes, list[Step]], chunk: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(replace, "_CHUNK_SIZE", chunk)
        outcome = apply_at_once(*case)
    if outcome is not None:
        check(*case, outcome)
        in_turn = apply_in_turn(*case)
        assert outcome.evolve(origin=None) == in_turn.evolve(origin=None)
