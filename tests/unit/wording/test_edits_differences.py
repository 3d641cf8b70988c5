"""The words for what differs between a text that was sent and the file."""

import pytest

from suture.match.diagnose import Difference
from suture.shapes import DIFFERENCE_KINDS
from suture.wording import difference

# (what, as sent, as in the file, the words)

WORDS = [
    ("indentation", "        ", "\t\t", "indentation: file has 2 tabs, you sent 8 spaces"),
    ("indentation", "", "\t", "indentation: file has 1 tab, you sent none"),
    ("indentation", "\t ", "", "indentation: file has none, you sent 1 tab and 1 space"),
    ("indentation", "\u00a0\u2003", " ", "indentation: file has 1 space, you sent 1 no-break space and 1 U+2003"),
    ("trailing", "", "  ", "at the end of the line: file has 2 spaces, you sent none"),
    ("spacing", "const ", "const  ", "Extra space after 'const'"),
    ("spacing", ",", ", ", "Extra space after ','"),
    ("spacing", "const  ", "const ", "after 'const': file has 1 space, you sent 2 spaces"),
    ("spacing", "a\t", "a ", "after 'a': file has 1 space, you sent 1 tab"),
    ("spacing", "( ", "(", "after '(': file has none, you sent 1 space"),
    ("spacing", "ab", "a b", "whitespace: 'a b' in the file, 'ab' in your text"),
    ("spacing", " ", "   ", "whitespace: '   ' in the file, ' ' in your text"),
    ("line_end", "\r\n", "\n", "line ends LF in the file, CRLF in your text"),
    ("line_end", "\r", "\r\n", "line ends CRLF in the file, CR in your text"),
    ("line_break", "1 line", "2 lines", "lines are broken differently: 2 lines in the file, 1 line in your text"),
    ("blank_line", "\n", "", "a blank line is only in your text"),
    ("blank_line", "", "\n", "a blank line is only in the file"),
    ("spelled", "\\n", "\n", "your text has \\n written out where the file has a line break"),
    ("exotic_space", " ", "\u00a0", "U+00A0 (no-break space) in the file, U+0020 (space) in your text"),
    ("exotic_space", "", "\u200b", "U+200B (zero-width space) in the file, nothing in your text"),
    ("case", "name", "Name", "case: 'Name' in the file, 'name' in your text"),
    ("look_alike", '"', "\u201c", "U+201C in the file, U+0022 in your text"),
    ("look_alike", "...", "\u2026", "U+2026 in the file, U+002E U+002E U+002E in your text"),
    ("quotes", "'", '"', "Uses double quotes instead of single quotes"),
    ("quotes", '"x"', "'x'", "Uses single quotes instead of double quotes"),
    ("escape", '\\"', '"', "escaped differently: '\"' in the file, '\\\"' in your text"),
    ("entities", "&lt;", "", "your text has HTML entities (&lt;) instead of characters"),
    ("marks", "", ";", "only in the file: ';'"),
    ("marks", ";", "", "only in your text: ';'"),
    ("marks", "", "\udcff", "only in the file: '\\xff'"),
    ("marks", "\ud800", "", "only in your text: '\\ud800'"),
    ("marks", "*", "+", "'+' in the file, '*' in your text"),
    ("marks", "'", "(", """'(' in the file, "'" in your text"""),
    ("composition", "\u00e9", "e\u0301", "'e\u0301' is U+0065 U+0301 in the file, U+00E9 in your text"),
    ("numbers", "1: ", "", "your text has line numbers ('1: ') that are not in the file"),
    ("numbers", "12\t", "", "your text has line numbers ('12\\t') that are not in the file"),
    ("fence", "```", "", "your text is in a code fence that is not in the file"),
    ("word", "totl", "total", "'total' in the file, 'totl' in your text"),
    ("word", "x" * 50, "", f"only in your text: '{'x' * 40}…'"),
    ("extra_line", "", "\ttotal = 1", "the file has an extra line here: 'total = 1'"),
]


@pytest.mark.promise("teach.data")
@pytest.mark.parametrize(("what", "sent", "here", "words"), WORDS)
def test_a_difference_is_reported_in_words(what: str, sent: str, here: str, words: str) -> None:
    example = Difference(what, sent, here, 1)
    assert difference(example) == words
    assert difference(example.evolve(times=3)) == f"{words} (3 times)"


def test_a_line_that_is_not_in_the_file_is_reported_by_its_number_for_it_is_not_repeated() -> None:
    example = Difference("missing_line", "  total = 1", "", 7, sent_line=3)
    assert difference(example) == "line 3 of your text is not at this place"


def test_every_difference_has_words() -> None:
    assert {what for what, *_ in WORDS} == set(DIFFERENCE_KINDS) - {"missing_line"}
