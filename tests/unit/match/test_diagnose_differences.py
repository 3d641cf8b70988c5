"""Differences between a text that was sent and the lines of the file."""

import pytest

from suture.match.diagnose import Difference, diagnose, differences
from suture.match.index import Index
from suture.shapes import DIFFERENCE_KINDS

Row = tuple[str, str, str, int, int, int]
"""Kind, as sent, in the file, line, column, end."""


def rows(differences: list[Difference] | tuple[Difference, ...]) -> list[Row]:
    return [
        (difference.what, difference.expected, difference.found, difference.line, difference.column, difference.end)
        for difference in differences
    ]


def between(sent: str, current: str, line: int = 1, column: int = 1) -> list[Row]:
    """The differences between two texts, of which the second begins at `line`."""
    return rows(differences(sent.split("\n"), current.split("\n"), line, column))


# One line against one line: (sent, current, what differs)

Case = tuple[str, str, Row | None]
WHITE: list[Case] = [
    ("        x = 1", "\t\tx = 1", ("indentation", "        ", "\t\t", 1, 1, 3)),
    ("x = 1", "    x = 1", ("indentation", "", "    ", 1, 1, 5)),
    ("    x = 1", "x = 1", ("indentation", "    ", "", 1, 1, 1)),
    ("  x = 1", "\t  x = 1", ("indentation", "  ", "\t  ", 1, 1, 4)),
    ("x = 1", "x = 1  ", ("trailing", "", "  ", 1, 6, 8)),
    ("x = 1\t", "x = 1", ("trailing", "\t", "", 1, 6, 6)),
    ("const foo", "const  foo", ("spacing", "const ", "const  ", 1, 1, 8)),
    ("const  foo", "const foo", ("spacing", "const  ", "const ", 1, 1, 7)),
    ("f(a,b)", "f(a, b)", ("spacing", ",", ", ", 1, 4, 6)),
    ("f(a, b)", "f(a,b)", ("spacing", ", ", ",", 1, 4, 5)),
    ("a\tb", "a b", ("spacing", "a\t", "a ", 1, 1, 3)),
    ("a = b", "a = b", None),
    ("say hello", "say\u00a0hello", ("exotic_space", " ", "\u00a0", 1, 4, 5)),
    ("say\u2003hello", "say hello", ("exotic_space", "\u2003", " ", 1, 4, 5)),
    ("constant_value", "const\u200bant_value", ("exotic_space", "", "\u200b", 1, 6, 7)),
    ("const\u200bant_value", "constant_value", ("exotic_space", "\u200b", "", 1, 6, 6)),
    ("alpha", "\ufeffalpha", ("exotic_space", "", "\ufeff", 1, 1, 2)),
]
SIGNS: list[Case] = [
    ("name = get()", "Name = get()", ("case", "name", "Name", 1, 1, 5)),
    ("größe = GROESSE", "Größe = GROESSE", ("case", "größe", "Größe", 1, 1, 6)),
    ("a - b", "a \u2013 b", ("look_alike", "-", "\u2013", 1, 3, 4)),
    ("don't", "don\u2019t", ("look_alike", "'", "\u2019", 1, 4, 5)),
    ("say('x', y)", "say(\u2018x', y)", ("look_alike", "'", "\u2018", 1, 5, 6)),
    ("and so on...", "and so on\u2026", ("look_alike", "...", "\u2026", 1, 10, 11)),
    ("x = 'a", 'x = "a', ("quotes", "'", '"', 1, 5, 6)),
    ("print(\\'a')", "print('a')", ("escape", "\\", "", 1, 7, 7)),
    ("path = a\\b", "path = a\\\\b", ("escape", "", "\\", 1, 10, 11)),
    ("f(x)", "f(x);", ("marks", "", ";", 1, 5, 6)),
    ("f(x);", "f(x)", ("marks", ";", "", 1, 5, 5)),
    ("price * count", "price + count", ("marks", "*", "+", 1, 7, 8)),
]
CONTENT: list[Case] = [
    ("name = 'caf\u00e9'", "name = 'cafe\u0301'", ("composition", "\u00e9", "e\u0301", 1, 12, 14)),
    ("name = 'cafe\u0301'", "name = 'caf\u00e9'", ("composition", "e\u0301", "\u00e9", 1, 12, 13)),
    ("total = 1", "total = 2", ("word", "1", "2", 1, 9, 10)),
    ("return totl", "return total", ("word", "totl", "total", 1, 8, 13)),
    ("return value", "return the value", ("word", "", "the ", 1, 8, 12)),
    ("return the value", "return value", ("word", "the ", "", 1, 8, 8)),
]


@pytest.mark.parametrize(("sent", "current", "what"), WHITE + SIGNS + CONTENT)
def test_a_difference_in_a_line_has_a_name_and_a_place(sent: str, current: str, what: Row | None) -> None:
    assert between(sent, current) == ([] if what is None else [what])


@pytest.mark.parametrize(
    ("cases", "kinds"), [(WHITE, {"whitespace"}), (SIGNS, {"case", "punctuation"}), (CONTENT, {"content"})]
)
def test_a_difference_has_the_type_that_the_specification_has_for_it(cases: list[Case], kinds: set[str]) -> None:
    compared = [difference for sent, current, _ in cases for difference in differences([sent], [current], 1)]
    assert {difference.kind for difference in compared} == kinds


def test_several_differences_of_a_line_are_reported_from_left_to_right() -> None:
    assert between('  Say("hello",you) ', "\tsay('hello', me)", line=7) == [
        ("indentation", "  ", "\t", 7, 1, 2),
        ("case", "Say", "say", 7, 2, 5),
        ("quotes", '"', "'", 7, 6, 7),
        ("word", "you", " me", 7, 14, 17),
        ("trailing", " ", "", 7, 18, 18),
    ]


def test_columns_of_a_piece_of_a_line_are_those_of_the_line() -> None:
    assert between("compute( x )", "compute(y)", 3, 9) == [
        ("word", " x ", "y", 3, 17, 18),
    ]
    assert between("alpha beta", "Alpha beta", 3, 9) == [("case", "alpha", "Alpha", 3, 9, 14)]
    assert between("alpha beta", "alpha beta ", 3, 9) == [("trailing", "", " ", 3, 19, 20)]
    assert between("  alpha", "alpha", 3, 9) == [("indentation", "  ", "", 3, 9, 9)]
    assert between("one", "four", 3, 9) == [
        ("missing_line", "one", "", 3, 1, 1),
        ("extra_line", "", "four", 3, 9, 13),
    ]


# Several lines: (sent, current, what differs)

LINES = [
    ("one\ntwo\nthree", "one\nthree", [("missing_line", "two", "", 1, 1, 1)]),
    ("one\nthree", "one\ntwo\nthree", [("extra_line", "", "two", 2, 1, 4)]),
    ("zero\none", "one", [("missing_line", "zero", "", 1, 1, 1)]),
    ("one", "one\ntwo", [("extra_line", "", "two", 2, 1, 4)]),
    ("one\n\ntwo", "one\ntwo", [("blank_line", "\n", "", 1, 1, 1)]),
    ("one\ntwo", "one\n\ntwo", [("blank_line", "", "\n", 2, 1, 1)]),
    ("one\ntwo", "one\n  \ntwo", [("blank_line", "", "\n", 2, 1, 3)]),
    (
        "one\n\ntwo",
        "one\nTwo",
        [("blank_line", "\n", "", 1, 1, 1), ("case", "two", "Two", 2, 1, 4)],
    ),
    ("call(a, b)", "call(a,\n     b)", [("line_break", "1 line", "2 lines", 1, 1, 8)]),
    ("call(a,\n  b)\nx", "call(a, b)\nx", [("line_break", "3 lines", "2 lines", 1, 1, 11)]),
    ("if a:\n    b", "if a: b", [("line_break", "2 lines", "1 line", 1, 1, 8)]),
    (
        "def f():\n    retrun 1\n    pass",
        "def f():\n    log()\n    return 1\n    pass",
        [("extra_line", "", "    log()", 2, 1, 10), ("word", "retrun", "return", 3, 5, 11)],
    ),
    (
        "alpha\nbeta = 1\ngamma",
        "alpha\n123\ngamma",
        [("missing_line", "beta = 1", "", 1, 1, 1), ("extra_line", "", "123", 2, 1, 4)],
    ),
    ("a\n", "a", [("blank_line", "\n", "", 1, 1, 1)]),
    ("", "a", [("blank_line", "\n", "", 1, 1, 1), ("extra_line", "", "a", 1, 1, 2)]),
]


@pytest.mark.parametrize(("sent", "current", "what"), LINES)
def test_differences_of_several_lines_are_reported_with_their_lines(sent: str, current: str, what: list[Row]) -> None:
    assert between(sent, current) == what


def test_one_side_may_be_empty() -> None:
    assert rows(differences([], ["a"], 4)) == [("extra_line", "", "a", 4, 1, 2)]
    assert rows(differences(["a"], [], 4)) == [("missing_line", "a", "", 4, 1, 1)]
    assert differences([], [], 4) == []


def test_a_difference_in_many_lines_is_reported_once_with_a_count() -> None:
    sent = [f"    line_{number} = '{number}'" for number in range(9)]
    current = [f'\tline_{number} = "{number}"' for number in range(9)]
    assert [(difference.what, difference.line, difference.times) for difference in differences(sent, current, 3)] == [
        ("indentation", 3, 9),
        ("quotes", 3, 18),
    ]


def test_a_difference_is_reported_at_its_first_occurrence() -> None:
    (difference,) = differences(["say('a', 'b')"], ['say("a", "b")'], 1)
    assert (difference.what, difference.column, difference.times) == ("quotes", 5, 4)


def test_the_number_of_differences_is_limited() -> None:
    sent, current = ([f"{word}_{number}" for number in range(60)] for word in ("alpha", "alphabet"))
    assert len(differences(sent, current, 1)) == 40


# Long texts


def test_a_long_line_has_one_difference() -> None:
    begin, end = "word " * 500, " end" * 500
    assert between(f"  {begin}one{end}", f"\t{begin}two, four{end}", 5) == [
        ("indentation", "  ", "\t", 5, 1, 2),
        ("word", "one", "two, four", 5, 2502, 2511),
    ]
    assert between(begin + end, f"{begin}'x'{end}") == [("word", "", "'x'", 1, 2501, 2504)]
    assert between(f"{begin}A{end}", f"{begin}a{end}") == [("case", "A", "a", 1, 2501, 2502)]
    assert between(f'{begin}"a" b "c"{end}', f"{begin}\u201ca\u201d b \u201cc\u201d{end}") == [
        ("look_alike", '"', "\u201c", 1, 2501, 2502)
    ]
    assert between("a" * 3_000, "a" * 3_001) == [("word", "", "a", 1, 3_001, 3_002)]
    assert between("a" * 3_000, "a" * 3_000) == []


def test_many_lines_are_compared_one_by_one() -> None:
    lines = [f"value_{number} = {number}" for number in range(500)]
    current = [*lines]
    current[410] = "value_410 = 411"
    assert rows(differences(lines, current, 1)) == [("word", "410", "411", 411, 13, 16)]
    assert differences(lines, lines, 1) == []
    assert rows(differences(lines[:-1], lines, 1)) == [("extra_line", "", "value_499 = 499", 500, 1, 16)]
    assert rows(differences(lines, lines[:-1], 1)) == [("missing_line", "value_499 = 499", "", 499, 1, 1)]


def test_large_texts_are_compared_line_by_line() -> None:
    sent, current = ([f"{number:03}{letter * 1_900}" for number in range(60)] for letter in "ab")
    compared = differences(["begin", *sent, "end"], current, 1)
    assert {(difference.what, difference.line) for difference in compared} == {
        ("word", number) for number in range(1, 41)
    }


def test_long_lines_are_alike_if_their_ends_are() -> None:
    text = "alpha beta " * 500
    assert between(f"zero\n{text}1 {text}", f"{text}2 {text}") == [
        ("missing_line", "zero", "", 1, 1, 1),
        ("word", "1", "2", 1, 5501, 5502),
    ]
    assert [what for what, *_ in between(f"{text}\nend", f"{text.upper()[::-1]}\nend")] == [
        "missing_line",
        "extra_line",
    ]


@pytest.mark.parametrize("length", [400, 1_000, 100_000])
def test_words_that_occur_a_thousand_times_are_compared_fast(length: int) -> None:
    compared = differences(["1," * length], ["2," * length], 1)
    assert {(difference.what, difference.line) for difference in compared} == {("word", 1)}


# What is not a difference between lines: reported for the whole place

FILE = "if a < b:\n\tfirst = 'one'\n\tsecond = 'two'\n"
PLACES = [
    ("1: if a < b:\n2: \tfirst = 'one'\n", FILE, ("numbers", "1: ", "", 1, 1, 10)),
    ("    2\t\tfirst = 'one'\n    3\t\tsecond = 'two'\n", FILE, ("numbers", "    2\t", "", 2, 1, 15)),
    ("```python\nif a < b:\n\tfirst = 'one'\n```\n", FILE, ("fence", "```python", "", 1, 1, 10)),
    ("if a < b:\\n\\tfirst = 'one'\\n", FILE, ("spelled", "\\n", "\n", 1, 1, 10)),
    ("if a &lt; b:\n\tfirst = 'one'\n", FILE, ("entities", "&lt;", "", 1, 1, 10)),
    ("if a &#60; b:\n\tfirst = 'one'\n", FILE, ("entities", "&#60;", "", 1, 1, 10)),
    ("if a < b:\r\n\tfirst = 'one'\r\n", FILE, ("line_end", "\r\n", "\n", 1, 10, 10)),
    ("if a < b:\r\tfirst = 'one'\r", FILE, ("line_end", "\r", "\n", 1, 10, 10)),
    ("\tfirst = 'one'\r\n\tsecond = 'two'", FILE, ("line_end", "\r\n", "\n", 2, 15, 15)),
    ("if a < b:\r\tfirst = 'one'\r", FILE.replace("\n", "\r\n"), ("line_end", "\r", "\r\n", 1, 10, 10)),
    ("if a < b:\r\n\tfirst = 'one'\r\n", FILE.replace("\n", "\r"), ("line_end", "\r\n", "\r", 1, 10, 10)),
]


@pytest.mark.parametrize(("old", "file", "what"), PLACES)
def test_a_difference_of_the_whole_text_is_reported_at_its_first_line(old: str, file: str, what: Row) -> None:
    (place,) = diagnose(Index(file.encode()), old, old.replace("one", "1")).places
    assert rows(place.differences) == [what]


def test_differences_of_the_text_and_of_its_lines_are_reported_together() -> None:
    old = "```\n1: if a &lt; b:\n2:     first = 'one'\n```\n"
    (place,) = diagnose(Index(FILE.encode()), old, old.replace("one", "1")).places
    assert [(difference.what, difference.expected) for difference in place.differences] == [
        ("fence", "```"),
        ("numbers", "1: "),
        ("entities", "&lt;"),
        ("indentation", "    "),
    ]


@pytest.mark.parametrize("old", ["if a < b:\n    first = 'one'\n", "    first = 'one'\n"])
def test_line_feeds_fit_any_line_ending(old: str) -> None:
    (place,) = diagnose(Index(FILE.replace("\n", "\r\n").encode()), old, "").places
    assert [difference.what for difference in place.differences] == ["indentation"]


def test_an_unfinished_last_line_has_no_difference_in_its_ending() -> None:
    (place,) = diagnose(Index(b"alpha_value = 1"), "Alpha_value = 1\r\n", "x\r\n").places
    assert [difference.what for difference in place.differences] == ["case"]


def test_every_kind_has_a_case() -> None:
    of_lines = {case[0] for _, _, cases in LINES for case in cases}
    of_places = {what[0] for _, _, what in PLACES}
    assert {what[0] for _, _, what in WHITE + SIGNS + CONTENT if what} | of_lines | of_places == set(DIFFERENCE_KINDS)
