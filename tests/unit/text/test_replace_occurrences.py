"""Occurrences of a text in another one, and the line endings there."""

import pytest

from suture.text import newline_at
from suture.text.replace import adapt_endings, count_occurrences, literal_spans, occurrences


@pytest.mark.parametrize(
    ("body", "old", "expected"),
    [
        (b"abcabc", b"bc", [(1, 3), (4, 6)]),
        (b"abc", b"x", []),
        (b"abc", b"", []),
        (b"", b"", []),
        (b"", b"a", []),
        (b"aaaaa", b"aa", [(0, 2), (2, 4)]),
        (b"abababa", b"aba", [(0, 3), (4, 7)]),
        (b"a\nb\n", b"a\nb", [(0, 3)]),
        (b"a\n\n\nb", b"\n", [(1, 2), (2, 3), (3, 4)]),
        (b"a\r\nb\r\n", b"a\nb\n", [(0, 6)]),
        (b"a\r\nb", b"\n", [(1, 3)]),
        (b"a\r\n\r\n", b"\n", [(1, 3), (3, 5)]),
        (b"a\rb\r\nc", b"\nc", [(3, 6)]),
        (b"a\rb\rc", b"a\nb", [(0, 3)]),
        (b"a\rb\nc", b"a\nb", []),
        (b"a\rb\nc", b"b\nc", [(2, 5)]),
        (b"a\r\nb\na\nb", b"a\nb", [(0, 4), (5, 8)]),
        (b"\r\n\n\r\n", b"\n", [(0, 2), (2, 3), (3, 5)]),
        (b"\r\n\n\r\n", b"\n\n", [(0, 3)]),
        (b"x\r\r\ny\n", b"\ny", [(2, 5)]),
        (b"a.b\r\na+b\n", b"a.b\n", [(0, 5)]),
        (b"a\r\nb", b"a\r\nb", [(0, 4)]),
        (b"a\nb", b"a\r\nb", []),
        (b"a\r\nb", b"a\r", []),
        (b"a\r\nb\n", b"\rb", []),
        (b"\r\n\n\r", b"\n\r", [(2, 4)]),
        (b"a\r\na\rb\n", b"a\r", [(3, 5)]),
        (b"\n\r\n\r\n\r", b"\n\r", []),
        (b"\r\r\r\n", b"\r\r", [(0, 2)]),
        (b"\r\r\n", b"\r\r", []),
        (b"a\rb\r", b"\r", [(1, 2), (3, 4)]),
        (b"aXa\r\n", b"Xa", [(1, 3)]),
        (b"\rX\rX\r\n", b"\rX\r", [(0, 3)]),
        (b"\r\r\rX\n", b"\r\rX", [(1, 4)]),
    ],
    ids=[
        "twice",
        "nowhere",
        "nothing",
        "nothing in nothing",
        "in nothing",
        "without overlap",
        "without overlap, from the left",
        "lines",
        "empty lines",
        "lines of a CRLF text",
        "a line end of a CRLF text",
        "two line ends of a CRLF text",
        "a CRLF text with a lone CR in a line",
        "lines of a CR text",
        "a lone CR is no line end where there is an LF",
        "an LF text with a lone CR in a line",
        "lines of a mixed text",
        "all line ends of a mixed text",
        "two different line ends",
        "behind a lone CR in a mixed text",
        "no pattern",
        "CRLF in a CRLF text",
        "CRLF in an LF text",
        "half a line end at the end",
        "a lone CR that is not there",
        "half a line end at the beginning, then one that is whole",
        "half a line end, then a lone CR",
        "half line ends at both ends",
        "two lone CRs before a CRLF",
        "a lone CR and half a line end",
        "CRs of a CR text",
        "before a line end",
        "a whole one before half a one",
        "two of three CRs",
    ],
)
def test_a_text_never_splits_a_line_ending(body: bytes, old: bytes, expected: list[tuple[int, int]]) -> None:
    assert occurrences(body, old) == expected


@pytest.mark.parametrize(
    ("body", "old", "expected"),
    [
        (b"\r\n\rx\n\rx\n\r", b"\n\rx\n\r", [(4, 9)]),
        (b"a\r\na\r\na\rx", b"a\r\na\r", [(3, 8)]),
    ],
    ids=["at its beginning", "at its end"],
)
def test_a_place_with_half_a_line_ending_does_not_hide_an_overlapping_one(
    body: bytes, old: bytes, expected: list[tuple[int, int]]
) -> None:
    assert occurrences(body, old) == expected


def test_literal_bytes_may_split_a_line_ending() -> None:
    assert literal_spans(b"a\r\nb", b"\nb") == [(2, 4)]
    assert literal_spans(b"a", b"") == []


@pytest.mark.parametrize(
    ("body", "start", "expected"),
    [
        (b"", 0, b"\n"),
        (b"abc", 1, b"\n"),
        (b"a\nb\r\nc", 0, b"\n"),
        (b"a\r\nb\nc", 0, b"\r\n"),
        (b"a\nbcd\r\ne\n", 3, b"\r\n"),
        (b"a\r\nbcd\ne", 4, b"\n"),
        (b"a\nb\r\ncd", 6, b"\r\n"),
        (b"a\r\nb\ncd", 6, b"\n"),
        (b"a\r\n", 3, b"\r\n"),
        (b"a\rb", 2, b"\r"),
        (b"a\rb\nc", 0, b"\n"),
        (b"\nabc", 2, b"\n"),
    ],
    ids=[
        "an empty text",
        "one line",
        "the first inside",
        "the first inside, CRLF",
        "its line",
        "its line, LF",
        "the line before",
        "the line before, LF",
        "the end of a text",
        "a CR text",
        "a lone CR",
        "the only one",
    ],
)
def test_new_lines_end_like_their_neighbors(body: bytes, start: int, expected: bytes) -> None:
    assert newline_at(body, start) == expected


@pytest.mark.parametrize(
    ("body", "new", "expected"),
    [
        (b"a\r\n", b"x\ny\n", b"x\r\ny\r\n"),
        (b"a\n", b"x\ny\n", b"x\ny\n"),
        (b"a\r", b"x\ny", b"x\ry"),
        (b"a\r\n", b"x\r\ny\n", b"x\r\ny\n"),
        (b"a\n", b"x\ry", b"x\ry"),
        (b"a\r\n", b"x", b"x"),
    ],
)
def test_new_text_is_spelled_with_the_line_ends_of_its_place_unless_it_has_its_own(
    body: bytes, new: bytes, expected: bytes
) -> None:
    assert adapt_endings(body, 0, 1, new) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (b"a\r\nb\nc", b"a\nb\nc", b"a\r\nb\nc"),
        (b"a\r\nb\nc", b"a\nX\nc", b"a\r\nX\nc"),
        (b"a\r\nb\nc", b"X\nb\nc", b"X\r\nb\nc"),
        (b"a\nb\r\nc", b"b\nc", b"b\r\nc"),
        (b"a\r\nb\nc\n", b"a\nX\nb\nc\n", b"a\r\nX\r\nb\nc\n"),
        (b"a\r\nb\nc", b"X\na\nb\nc", b"X\r\na\r\nb\nc"),
        (b"a\r\nb\n", b"a\nb\nX\n", b"a\r\nb\nX\n"),
        (b"a\r\nb\n", b"X\nY\nZ\n", b"X\r\nY\r\nZ\n"),
    ],
    ids=[
        "all stay",
        "one becomes another",
        "the first becomes another",
        "one goes",
        "one comes, as the line before",
        "one comes first",
        "one comes last",
        "none stays",
    ],
)
def test_with_mixed_line_endings_a_line_that_stays_keeps_its_own(old: bytes, new: bytes, expected: bytes) -> None:
    assert adapt_endings(b"-" + old, 1, len(old) + 1, new) == expected


@pytest.mark.parametrize(
    ("body", "old", "expected"),
    [
        (b"a b a b a", b"a", 3),
        (b"aaaaa", b"aa", 2),
        (b"a\r\nb\r\na\r\nb\r\na\r\n", b"a\n", 3),
        (b"a\rb\ra\r", b"a\n", 2),
        (b"a\nb\r\na\r\na\n", b"a\n", 3),
        (b"x\r\ny\n\r\r\n", b"\r", 1),
        (b"a", b"b", 0),
    ],
)
def test_places_that_are_not_listed_are_counted(body: bytes, old: bytes, expected: int) -> None:
    assert len(occurrences(body, old)) == expected
    for most in range(1, 4):
        spans = occurrences(body, old, most)
        assert spans == occurrences(body, old)[:most]
        assert count_occurrences(body, old, spans) == expected


def test_in_long_texts_with_mixed_endings_line_n_keeps_the_ending_of_line_n() -> None:
    old = b"a\r\nb\n" * 600
    assert adapt_endings(old, 0, len(old), b"X\n" * 1200) == b"X\r\nX\n" * 600
