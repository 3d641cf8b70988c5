"""Properties of every diff, whatever algorithm makes it."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture.text import diff
from suture.text.diff import FileDiff, counts, line_edits, unified
from suture.text.edits import Edit, apply, edit

LINES = st.sampled_from([b"a\n", b"b\n", b"c\n", b"\n", b"a\r\n", b"b\r", b"\\ x\n", b"- a\n", b"@@ -1 +1 @@\n"])
ENDS = st.sampled_from([b"", b"", b"a", b"\r"])
BODIES = st.builds(lambda lines, end: b"".join(lines) + end, st.lists(LINES, max_size=30), ENDS)
HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
UNFINISHED = b"\\ No newline at end of file"
STEADY = settings(deadline=None, max_examples=200)


@st.composite
def related_texts(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Two texts, the second often made from parts of the first."""
    before = draw(BODIES)
    if draw(st.booleans()):
        return before, draw(BODIES)
    cuts = sorted(draw(st.lists(st.integers(0, len(before)), min_size=4, max_size=4)))
    parts = [before[a:b] for a, b in zip([0, *cuts], [*cuts, len(before)], strict=True)]
    return before, b"".join(draw(st.lists(st.one_of(st.sampled_from(parts), LINES), max_size=8)))


@st.composite
def text_and_edits(draw: st.DrawFn) -> tuple[bytes, list[Edit]]:
    before = draw(BODIES)
    borders = sorted(draw(st.lists(st.integers(0, len(before)), max_size=8)))
    news = st.sampled_from([b"", b"x", b"\n", b"a\n", b"\na", b"a\nb\n", b"\r"])
    return before, [edit(a, b, draw(news)) for a, b in zip(borders[::2], borders[1::2], strict=False)]


def split(text: bytes) -> list[bytes]:
    return re.findall(rb"[^\n]*\n|[^\n]+", text)


def hunks(patch: bytes) -> list[tuple[int, int, int, int, list[bytes]]]:
    """The hunks of a diff: the four numbers of the header, and the lines, each with the ending it has in the file."""
    result: list[tuple[int, int, int, int, list[bytes]]] = []
    open_lines = 0
    for line in split(patch):
        if open_lines == 0 and (head := HUNK.match(line)):
            numbers = [int(1 if part is None else part) for part in head.groups()]
            open_lines = numbers[1] + numbers[3]
            result.append((numbers[0], numbers[1], numbers[2], numbers[3], []))
        elif result and line.startswith(UNFINISHED):
            result[-1][4][-1] = result[-1][4][-1].removesuffix(b"\n")
        elif open_lines:
            result[-1][4].append(line)
            open_lines -= 2 if line.startswith(b" ") else 1
    assert open_lines == 0
    return result


def apply_patch(before: bytes, patch: bytes, signs: bytes = b"-+") -> bytes:
    """The text after a diff, which must match exactly: a `patch` without any tolerance."""
    minus, plus = signs[:1], signs[1:]
    old, result, position = split(before), list[bytes](), 0
    for numbers in hunks(patch):
        lines = numbers[4]
        first, length, new_first, new_length = numbers[:4] if signs == b"-+" else (*numbers[2:4], *numbers[:2])
        start = first - 1 if length else first
        result += old[position:start]
        position = start + length
        assert old[start:position] == [line[1:] for line in lines if line[:1] in b" " + minus]
        added = [line[1:] for line in lines if line[:1] in b" " + plus]
        assert (len(result), len(added)) == (new_first - 1 if new_length else new_first, new_length)
        result += added
    return b"".join((*result, *old[position:]))


def body(patch: bytes) -> list[bytes]:
    return [line for hunk in hunks(patch) for line in hunk[4]]


@pytest.mark.promise("span.diff-semantics")
@STEADY
@given(texts=related_texts())
def test_applying_the_line_diff_of_two_texts_to_the_first_gives_the_second(texts: tuple[bytes, bytes]) -> None:
    before, after = texts
    edits = line_edits(before, after)
    assert apply(before, edits) == after
    assert all(left.span.end < right.span.start for left, right in pairwise(edits))
    assert line_edits(before, before) == []


@pytest.mark.promise("span.diff-semantics")
@STEADY
@given(texts=related_texts())
def test_without_anchors_and_without_room_for_difflib_the_line_diff_is_still_right(texts: tuple[bytes, bytes]) -> None:
    before, after = texts
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diff, "_MAX_CELLS_OF_GAP", 4)
        patch.setattr(diff, "_MAX_ROUNDS", 1)
        assert apply(before, line_edits(before, after)) == after


@pytest.mark.promise("span.diff-semantics")
@STEADY
@given(texts=related_texts(), window=st.integers(1, 6), sure=st.integers(1, 3))
def test_with_a_narrow_window_for_equal_runs_the_line_diff_is_still_right(
    texts: tuple[bytes, bytes], window: int, sure: int
) -> None:
    before, after = texts
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(diff, "_WINDOW_LINES", window)
        patch.setattr(diff, "_SURE_RUN", sure)
        patch.setattr(diff, "_SURE_VARIETY", 0)
        edits = line_edits(before, after)
    assert apply(before, edits) == after
    assert all(left.span.end < right.span.start for left, right in pairwise(edits))


@pytest.mark.promise("span.diff-semantics")
@STEADY
@given(case=text_and_edits(), context=st.integers(0, 4))
def test_a_diff_from_known_edits_says_the_same_as_one_from_the_line_diff(
    case: tuple[bytes, list[Edit]], context: int
) -> None:
    before, edits = case
    after = apply(before, edits)
    for variant in (edits, edits[::-1], line_edits(before, after)):
        if variant == edits[::-1] and len({change.span.start for change in edits}) < len(edits):
            continue  # insertions at one place have an order
        patch = unified(FileDiff("file", "file", before, tuple(variant)), context)
        assert apply_patch(before, patch) == after
        assert apply_patch(after, patch, b"+-") == before
        assert (patch == b"") == (before == after)


@STEADY
@given(case=text_and_edits())
def test_counts_counts_the_lines_of_the_diff(case: tuple[bytes, list[Edit]]) -> None:
    before, edits = case
    lines = body(unified(FileDiff("file", "file", before, tuple(edits))))
    added, removed = (sum(line.startswith(sign) for line in lines) for sign in (b"+", b"-"))
    assert counts(before, edits) == (added, removed)


@STEADY
@given(case=text_and_edits(), context=st.integers(0, 4))
def test_no_hunk_shows_more_context_than_asked_for(case: tuple[bytes, list[Edit]], context: int) -> None:
    before, edits = case
    for *_, lines in hunks(unified(FileDiff("file", "file", before, tuple(edits)), context)):
        signs = b"".join(line[:1] for line in lines)
        runs = re.findall(rb" +", signs)
        ends = [len(signs) - len(signs.lstrip(b" ")), len(signs) - len(signs.rstrip(b" "))]
        assert max(ends) <= context
        assert all(len(run) <= 2 * context for run in runs)
        assert signs.strip(b" ")
