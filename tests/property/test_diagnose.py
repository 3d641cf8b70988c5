"""Properties of every diagnosis, and of every correction that it offers."""

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from suture.match import locate
from suture.match.diagnose import Difference, Failure, block, diagnose, differences, words_of
from suture.match.index import Found, Index
from suture.shapes import DIFFERENCE_KINDS
from suture.text.edits import apply, edit
from suture.text.replace import adapt_endings, occurrences

STEADY = settings(deadline=None, max_examples=150)
WORDS = st.sampled_from(
    [
        "",
        "x",
        "}",
        "return total",
        "retrun total",
        "Return  Total",
        "total = price * count",
        "total = price*count  # in cents",
        "say('hello', name)",
        'say("hello", name)',
        'say(\\"hello\\", name)',
        "say(“hello”, name)",
        "say(&quot;hello&quot;, name)",
        "say('hello',\u00a0name)",
        "to\u200btal = price * count",
        "name = 'cafe\u0301'",
        "name = 'café'",
        "...",
        "# ... existing code ...",
        "1\talpha_value",
        "2\tbeta_value",
        "alpha_value",
        "beta_value",
        "alpha_value\\nbeta_value",
        "```",
        "call(alpha_value,",
        "beta_value)",
        "call(alpha_value, beta_value)",
    ]
)
LEADS = st.sampled_from(["", "", "  ", "    ", "\t", "\t\t", "\u00a0"])
TRAILS = st.sampled_from(["", "", "", " ", "\t"])
LINES = st.one_of(
    st.builds("".join, st.tuples(LEADS, WORDS, TRAILS)), st.text(st.characters(exclude_characters="\r\n"), max_size=12)
)
TEXTS = st.lists(LINES, max_size=8)
ENDINGS = st.sampled_from(["\n", "\n", "\n", "\r\n", "\r\n", "\r", ""])
Case = tuple[bytes, str, str]


@st.composite
def an_edit(draw: st.DrawFn) -> Case:
    """A file whose lines end in one way or in several, and a corrupted copy of a part of it with a change."""
    lines = draw(st.lists(LINES, max_size=14))
    ending = draw(st.sampled_from(["\n", "\r\n", "\r", None]))
    ends = [draw(ENDINGS) if ending is None else ending for _ in lines]
    if draw(st.booleans()):
        ends[-1:] = [""] * bool(lines)
    first = draw(st.integers(0, max(len(lines) - 1, 0)))
    old = lines[first : first + draw(st.integers(1, 6))]
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(old)))
        old[at : at + draw(st.integers(0, 1))] = draw(st.lists(LINES, max_size=1))
    cut = draw(st.sampled_from([0, 0, 0, 2, 4]))
    old = [line[cut:] if not line[:cut].strip() else line for line in old]
    new = list(old)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(new)))
        new[at : at + draw(st.integers(0, 2))] = draw(st.lists(LINES, max_size=2))
    body = "".join(line + end for line, end in zip(lines, ends, strict=True)).encode("utf-8", "surrogatepass")
    if draw(st.integers(0, 5)) == 0:
        body = body.replace(b"total", b"t\xf6tal", 1)
    sent = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    last = draw(st.sampled_from(["", sent]))
    return body, sent.join(old) + last, sent.join(new) + last


# Differences


@STEADY
@given(text=TEXTS, line=st.integers(1, 9))
def test_a_text_does_not_differ_from_itself(text: list[str], line: int) -> None:
    assert differences(text, text, line) == []


def inside(difference: Difference, current: list[str], line: int) -> bool:
    """Whether a difference is inside the lines, of which the first is `line`."""
    if not line <= difference.line < line + max(len(current), 1):
        return False
    length = len(current[difference.line - line]) if current else 0
    return 1 <= difference.column <= difference.end <= length + 1


@settings(deadline=None, max_examples=400)
@given(sent=TEXTS, current=TEXTS, line=st.integers(1, 9))
@example(sent=[""], current=[], line=1)
@example(sent=["a b"], current=["a", "", "b"], line=2)
@pytest.mark.promise("edit.differences")
def test_every_difference_has_a_name_and_is_in_the_lines(sent: list[str], current: list[str], line: int) -> None:
    result = differences(sent, current, line)
    for difference in result:
        assert difference.what in DIFFERENCE_KINDS
        assert difference.kind in {"whitespace", "case", "punctuation", "content"}
        assert inside(difference, current, line), difference
        assert difference.expected != difference.found
        assert difference.times >= 1
    assert len({(difference.what, difference.expected, difference.found) for difference in result}) == len(result)
    assert bool(result) is (sent != current)


@STEADY
@given(before=st.text(max_size=5), sent=LINES, current=LINES)
def test_columns_of_a_piece_are_those_of_its_line(before: str, sent: str, current: str) -> None:
    at_start, shifted = (
        [
            difference
            for difference in differences([sent], [current], 1, column)
            if difference.what not in {"missing_line", "blank_line"}
        ]
        for column in (1, 1 + len(before))
    )
    assert [
        difference.evolve(column=difference.column + len(before), end=difference.end + len(before))
        for difference in at_start
    ] == shifted


# Diagnoses


def check(body: bytes, old: str, new: str) -> Failure:
    """Properties of every diagnosis of a text that is not found."""
    index = Index(body)
    failure, answer = diagnose(index, old, new), locate(index, old, new)
    lines = len(index.lines)
    assert (failure.why in {"found", "applied"}) >= isinstance(answer, Found)
    assert (failure.why == "found") <= isinstance(answer, Found)
    for place in failure.places:
        assert 1 <= place.start_line <= place.end_line <= lines
        assert 0 <= place.score <= 1
        assert (place.score == 1) <= (not place.differences)
        current = index.window(place.start_line - 1, place.end_line)
        assert place.text == "\n".join(current)
        assert all(inside(difference, current, place.start_line) for difference in place.differences), place
    if not isinstance(answer, Found):
        assert failure.correction is None
        return failure
    correction = failure.correction
    if correction is not None:
        ((start, end),) = occurrences(body, correction.old.encode())
        after = adapt_endings(body, start, end, correction.new.encode())
        assert apply(body, [edit(start, end, after)]) == apply(body, answer.edits)
        assert index.lines.span(correction.start_line)[0] == start
        ending = index.lines.ending(correction.end_line)
        assert index.lines.span(correction.end_line)[1] - end in (
            {0} if old.endswith(("\n", "\r")) else {0, len(ending)}
        )
    return failure


@settings(deadline=None, max_examples=500)
@given(case=an_edit())
@pytest.mark.promise("edit.correction")
def test_a_correction_occurs_once_and_makes_the_change_that_was_found(case: Case) -> None:
    body, old, new = case
    assume(not occurrences(body, old.encode("utf-8", "surrogatepass")))
    check(body, old, new)


@STEADY
@given(body=st.binary(max_size=200), old=st.text(max_size=60), new=st.text(max_size=60))
@example(body=b"", old="", new="x")
@example(body=b"x\n", old="", new="y")
def test_any_bytes_and_any_text_have_a_diagnosis(body: bytes, old: str, new: str) -> None:
    assert isinstance(diagnose(Index(body), old, new), Failure)
    assert isinstance(diagnose(Index(body + old.encode()), old, new), Failure)


NAMES = st.lists(st.integers(10, 99), min_size=3, max_size=30, unique=True)


@STEADY
@given(
    numbers=NAMES,
    ending=st.sampled_from(["\n", "\r\n", "\r"]),
    corruption=st.sampled_from(["dedented", "tabs", "trailing", "curly", "typo"]),
    finished=st.booleans(),
    sent_finished=st.booleans(),
    data=st.data(),
)
@pytest.mark.promise("edit.correction")
def test_a_corrupted_function_is_always_corrected(
    numbers: list[int], ending: str, corruption: str, *, finished: bool, sent_finished: bool, data: st.DataObject
) -> None:
    lines = [f"    value_{number} = compute('{number}', value)" for number in numbers]
    at = data.draw(st.integers(0, len(lines) - 1))
    file = ["def main():", *lines, "    return value"]
    body = (ending.join(file) + ending * finished).encode()
    typo_at = (at + 1) % len(lines)
    corrupted = {
        "dedented": [line[4:] for line in lines],
        "tabs": [line.replace("    ", "\t") for line in lines],
        "trailing": [f"{line} " for line in lines],
        "curly": [line.replace("'", "’") for line in lines],
        "typo": [
            line.replace("compute", "comptue") if number == typo_at else line for number, line in enumerate(lines)
        ],
    }[corruption]
    changed = [f"{line}  # checked" if number == at else line for number, line in enumerate(corrupted)]
    old, new = ("\n".join(side) + "\n" * sent_finished for side in (corrupted, changed))
    failure = check(body, old, new)
    assert failure.correction is not None
    assert failure.correction.old.endswith("\n") is sent_finished


# The part of a file that is shown


@STEADY
@given(body=st.one_of(st.binary(max_size=200), an_edit().map(lambda case: case[0])), data=st.data())
def test_a_block_holds_the_lines_it_is_made_around(body: bytes, data: st.DataObject) -> None:
    index = Index(body)
    assume(len(index.lines))
    start = data.draw(st.integers(1, len(index.lines)))
    end = data.draw(st.integers(start, len(index.lines)))
    first, last = block(index, start, end)
    assert 1 <= first <= start <= end <= last <= len(index.lines)


@STEADY
@given(case=an_edit())
def test_words_are_there_or_they_are_not(case: Case) -> None:
    body, old, _ = case
    index = Index(body)
    present, missing = words_of(index, old)
    for word, line in present:
        assert word in index.line(line - 1)
    for word in missing:
        assert word.encode("utf-8", "surrogatepass") not in body
