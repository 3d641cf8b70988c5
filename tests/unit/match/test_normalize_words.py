"""Lines as words: when two lines are equivalent, and when one is the other one mistyped."""

import pytest

from suture.match.normalize import (
    find_slip,
    informative,
    is_escaped,
    is_known,
    is_slip,
    lead,
    likeness,
    meaning,
    parts,
    tokens,
    unescape_backslashes,
    unescape_literal,
    unescape_quotes,
    words,
)

PARTS = {
    "nothing": ("", ("", "", "")),
    "a word": ("a", ("", "a", "")),
    "space around": ("  a b \t", ("  ", "a b", " \t")),
    "space alone": (" \t", (" \t", "", "")),
    "a line break inside": ("\ta\nb ", ("\t", "a\nb", " ")),
}


@pytest.mark.parametrize(("line", "expected"), PARTS.values(), ids=PARTS)
def test_a_line_has_a_lead_a_body_and_a_trail(line: str, expected: tuple[str, str, str]) -> None:
    assert parts(line) == expected
    assert lead(line) == expected[0]


def test_words_and_punctuation_are_separated() -> None:
    assert words("if (a_1 != 'é'):") == ["if", "(", "a_1", "!", "=", "'", "é", "'", ")", ":"]
    assert tokens("a  =\tb") == ["a", "  ", "=", "\t", "b"]


def test_backslashes_are_removed_in_three_ways() -> None:
    text = '\\"a\\" \\\\d \\n'
    assert (unescape_quotes(text), unescape_backslashes(text), unescape_literal(text)) == (
        '"a" \\\\d \\n',
        '\\"a\\" \\d \\n',
        '"a" \\d \\n',
    )
    assert unescape_quotes("plain") == "plain"


ESCAPED = {
    "the same": ('"a"', '"a"', True),
    "quotes": ('\\"a\\"', '"a"', True),
    "quotes, the other way around": ('"a"', '\\"a\\"', True),
    "backslashes": ("\\\\d", "\\d", True),
    "both": ('\\"\\\\d\\"', '"\\d"', True),
    "look-alikes as well": ("\\“a\\”", '"a"', True),
    "another word": ('\\"a\\"', '"b"', False),
    "fewer backslashes than in the file": ("\\d", "\\\\d", False),
}


@pytest.mark.parametrize(("sent", "actual", "expected"), ESCAPED.values(), ids=ESCAPED)
def test_one_line_may_be_the_other_one_escaped(sent: str, actual: str, *, expected: bool) -> None:
    assert is_escaped(sent, actual) is expected


def test_the_meaning_of_a_line_has_no_case_no_quotes_and_no_escapes() -> None:
    assert meaning("Say(\\'A\\')  ") == meaning("say( “a” )") == ["say", "(", '"', "a", '"', ")"]
    assert meaning("a \\") != meaning("a")


def test_letters_and_digits_are_counted() -> None:
    assert [informative(line) for line in ("", "})", "a = 10", "größe_1")] == [0, 0, 3, 6]


MARKS = ("#", "//", "--")

KNOWN = {
    "the same": ("a = 1", "a = 1", True),
    "white space": ("a=1", "  a = 1", True),
    "case": ("select a", "SELECT a", True),
    "quotes": ("say('a')", 'say("a")', True),
    "escapes": ('say(\\"a\\")', 'say("a")', True),
    "look-alikes": ("a – b", "a - b", True),
    "two blank lines": ("", "  ", False),
    "a comment left out": ("a = 1", "a = 1  # one", True),
    "a comment of another language": ("a = 1;", "a = 1; // one", True),
    "a comment with words of its own": ("a", "a -- b -- c", True),
    "more than a comment": ("a = 1", "a = 1 + 2", False),
    "a comment that was sent and is not there": ("a = 1  # one", "a = 1", False),
    "a hash inside a word": ("a", "a#b", False),
    "a slip": ("retrun total", "return total", True),
    "a slip of a word that the file has": ("store total", "stare total", False),
    "two slips": ("retrun totla", "return total", False),
    "another word": ("return total", "return result", False),
    "a number": ("wait(10)", "wait(11)", False),
    "a word less": ("return", "return total", False),
    "a line that goes on": ("a + b", "a + b \\", False),
}


@pytest.mark.promise("locate.carry")
@pytest.mark.parametrize(("old", "here", "expected"), KNOWN.values(), ids=KNOWN)
def test_a_line_is_known_in_spite_of_a_harmless_difference(old: str, here: str, *, expected: bool) -> None:
    assert is_known(old, here, {"store", "stare"}.__contains__, MARKS) is expected


SLIPS = {
    "two letters swapped": ("retrun", "return", True),
    "a letter wrong": ("retorn", "return", True),
    "a letter missing": ("retun", "return", True),
    "a letter too many": ("retturn", "return", True),
    "two letters wrong": ("rotorn", "return", False),
    "the first letter": ("beturn", "return", False),
    "an addition at the end": ("timeouts", "timeout", False),
    "something missing at the end": ("timeou", "timeout", False),
    "a digit": ("port1x", "port2x", False),
    "a digit more": ("timeout2", "timeout", False),
    "a short word": ("fro", "for", False),
    "the same": ("return", "return", False),
}


@pytest.mark.promise("locate.carry")
@pytest.mark.parametrize(("word", "other", "expected"), SLIPS.values(), ids=SLIPS)
def test_a_slip_is_one_letter_inside_a_word(word: str, other: str, *, expected: bool) -> None:
    assert is_slip(word, other) is expected
    assert is_slip(other, word) is expected


SLIPPED = {
    "one word": ("  retrun total", "return total", ("retrun", "return")),
    "the same": ("return total", "return total", None),
    "another word": ("return total", "return result", None),
    "two words": ("retrun totla", "return total", None),
    "a word more": ("return a total", "return total", None),
}


@pytest.mark.parametrize(("sent", "actual", "expected"), SLIPPED.values(), ids=SLIPPED)
def test_the_mistyped_word_of_a_line_is_found(sent: str, actual: str, expected: tuple[str, str] | None) -> None:
    assert find_slip(sent, actual) == expected


def test_likeness_is_from_zero_to_one() -> None:
    assert likeness("  a b\n", "a b") == 1.0
    assert likeness("abc", "xyz") == 0.0
    assert 0.5 < likeness("return total", "return totals + 1") < 1
