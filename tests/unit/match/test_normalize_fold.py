"""Folding of look-alikes, and the keys of lines."""

import pytest

from suture.match.normalize import coarse, fold, line_keys

FOLDED = {
    "plain text": ('it\'s "so" - fine', 'it\'s "so" - fine'),
    "double quotes": ("“a” „b‟ ″c＂", '"a" "b" "c"'),
    "single quotes": ("‘a’ ‚b‛ ′c＇", "'a' 'b' 'c'"),
    "dashes": ("a‐b‑c–d—e−f", "a-b-c-d-e-f"),
    "spaces": ("a\u00a0b\u2003c\u202fd\u3000e", "a b c d e"),
    "an ellipsis": ("wait…", "wait..."),
    "nothing to see": ("to\u200btal\ufeff\u00ad", "total"),
    "an accent apart": ("cafe\u0301", "café"),
    "other letters stay": ("größe Ω 漢字", "größe Ω 漢字"),
}


@pytest.mark.parametrize(("text", "plain"), FOLDED.values(), ids=FOLDED)
def test_look_alikes_become_plain_and_everything_else_stays_the_same(text: str, plain: str) -> None:
    assert fold(text) == plain


KEYS = {
    "white space": ("  if ( a ):\t", b"if(a):"),
    "case": ("SELECT Name", b"selectname"),
    "quotes": ("say('a', “b”)", b'say("a","b")'),
    "backslashes": ('say(\\"a\\")', b'say("a")'),
    "a line that goes on": ("total = \\", b"total=\x01"),
    "accents": ("Café cafe\u0301", b"cafecafe"),
    "a dash": ("a – b", b"a-b"),
    "a blank line": (" \t", b""),
}


@pytest.mark.parametrize(("line", "key"), KEYS.values(), ids=KEYS)
def test_the_key_of_a_line_ignores_its_form(line: str, key: bytes) -> None:
    assert line_keys([line]) == [key]
    assert coarse(line.encode() + b"\n") == key + b"\n"


def test_each_line_has_one_key_whatever_its_ending() -> None:
    keys = b"a\n\nb\n"
    assert coarse(b"A\n \n b\n") == coarse(b"A\r\n \r\n b\r\n") == coarse(b"A\r \r b\r") == keys
    assert coarse(b"a \\\r\nb\\\r\n") == coarse(b"a \\\nb\\\n") == b"a\x01\nb\x01\n"


def test_unknown_bytes_stay_in_a_key() -> None:
    assert coarse(b"Gr\xfc\xdfe \xe2\x80\x93\n") == b"gr\xfc\xdfe-\n"


def test_a_lone_surrogate_has_a_key() -> None:
    assert line_keys(["a \ud800 b"]) == [b"a\xed\xa0\x80b"]


def test_no_lines_have_no_keys() -> None:
    assert line_keys([]) == []
