"""Writing lines with the file's line endings, and merging words into a changed line."""

import pytest

from suture.match.index import Index, line_edit, merge_words
from suture.text.edits import apply

LINES: dict[str, tuple[bytes, int, int, list[str], bytes]] = {
    "one for another": (b"a\nb\nc\n", 1, 2, ["x"], b"a\nx\nc\n"),
    "one more": (b"a\nb\n", 1, 1, ["x"], b"a\nx\nb\n"),
    "one less": (b"a\nb\nc\n", 1, 2, [], b"a\nc\n"),
    "at the beginning": (b"a\n", 0, 0, ["x", "y"], b"x\ny\na\n"),
    "at the end": (b"a\n", 1, 1, ["x"], b"a\nx\n"),
    "at the unfinished end": (b"a\nb", 2, 2, ["x"], b"a\nb\nx"),
    "the unfinished line": (b"a\nb", 1, 2, ["x", "y"], b"a\nx\ny"),
    "the unfinished line, gone": (b"a\r\nb", 1, 2, [], b"a"),
    "the only line, gone": (b"a", 0, 1, [], b""),
    "the only unfinished line": (b"a", 0, 1, ["x", "y"], b"x\ny"),
    "into nothing": (b"", 0, 0, ["x"], b"x\n"),
    "CRLF": (b"a\r\nb\r\n", 1, 1, ["x"], b"a\r\nx\r\nb\r\n"),
    "CR": (b"a\rb\r", 2, 2, ["x"], b"a\rb\rx\r"),
    "mixed, as what is replaced": (b"a\nb\r\nc\n", 1, 2, ["x", "y"], b"a\nx\r\ny\r\nc\n"),
    "mixed, as the line before": (b"a\r\nb\nc\n", 1, 1, ["x"], b"a\r\nx\r\nb\nc\n"),
    "unknown bytes": (b"a\n", 1, 1, ["\udcff"], b"a\n\xff\n"),
}


@pytest.mark.promise("locate.carry")
@pytest.mark.parametrize(("body", "low", "high", "lines", "expected"), LINES.values(), ids=LINES)
def test_lines_end_as_those_that_they_replace_or_their_neighbors(
    body: bytes, low: int, high: int, lines: list[str], expected: bytes
) -> None:
    assert apply(body, [line_edit(Index(body), low, high, lines)]) == expected


WORDS: dict[str, tuple[str, str, str, str | None]] = {
    "only theirs": ("a b", "a b", "a c", "a c"),
    "only ours": ("a b", "a x", "a b", "a x"),
    "both the same": ("a b", "a x", "a x", "a x"),
    "different words": ("f(a, b)", "g(a, b)", "f(a, c)", "g(a, c)"),
    "a word more here, another there": ("f(a)", "f(a, b)", "g(a)", "g(a, b)"),
    "other spaces here": ("f( a, b )", "f(a, b)", "f( a, c )", "f(a, c)"),
    "the same word in two ways": ("f(a)", "f(b)", "f(c)", "f(c)"),
    "a comment here, something more there": ("a = 1", "a = 1  # one", "a = 1 + 2", "a = 1 + 2  # one"),
    "an insertion at one point": ("f(a)", "f(a, x)", "f(a, y)", None),
    "part of what theirs replaces": ("one two three", "one 2 three", "ONE", "ONE"),
    "more than theirs replaces": ("a b c d", "a X d", "a b Y d", None),
    "lone surrogates": ("a \udcff b", "x \udcff b", "a \udcff c", "x \udcff c"),
}


@pytest.mark.promise("locate.carry")
@pytest.mark.parametrize(("base", "ours", "theirs", "expected"), WORDS.values(), ids=WORDS)
def test_words_are_merged_inside_a_line_unless_both_changed_the_same(
    base: str, ours: str, theirs: str, expected: str | None
) -> None:
    assert merge_words(base, ours, theirs) == expected


REFLOWED: dict[str, tuple[str, str, str, str | None]] = {
    "a word": ("f(a, b)", "f(a,\n  b)", "f(a, c)", "f(a,\n  c)"),
    "a word less, before which a line breaks": ("one two three four", "one two\nthree four", "one three four", None),
    "a word less, behind which a line breaks": (
        "one two three four",
        "one two\nthree four",
        "one two four",
        "one two\nfour",
    ),
    "a word less, behind a line break": (
        "one two three four",
        "one\ntwo three four",
        "one three four",
        "one\nthree four",
    ),
    "a word for two around a break": ("one two three", "one two\nthree", "one X", None),
    "a break of theirs": ("one two three", "one\ntwo three", "one two X\nY", None),
}


@pytest.mark.promise("locate.carry")
@pytest.mark.parametrize(("base", "ours", "theirs", "expected"), REFLOWED.values(), ids=REFLOWED)
def test_line_breaks_of_the_file_stay_between_words_that_change(
    base: str, ours: str, theirs: str, expected: str | None
) -> None:
    assert merge_words(base, ours, theirs, reflow=True) == expected
