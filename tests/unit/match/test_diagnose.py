"""Why a text is not found: the nearest places, and what is shown around them."""

from itertools import pairwise
from typing import Any

import pytest

from suture.match import diagnose as module
from suture.match.diagnose import Failure, block, diagnose, words_of
from suture.match.index import Index, Sides

ORDERS = """\
import json

LIMIT = 100


def load_orders(path):
    text = read_text(path)
    orders = json.loads(text)
    return [order for order in orders if order.paid]


def total_price(orders, country):
    rate = rate_of(country)
    total = sum(order.price for order in orders)
    return round(total * rate, 2)


def report(orders):
    print('Orders:', len(orders))
    print("Total:", total_price(orders, 'de'))
"""


def diagnose_edit(old: str, new: str = "x", file: str | bytes = ORDERS) -> Failure:
    return diagnose(Index(file.encode() if isinstance(file, str) else file), old, new)


def lines(failure: Failure) -> list[tuple[int, int]]:
    return [(place.start_line, place.end_line) for place in failure.places]


# The nearest places

NEAREST = {
    "a typo in a line": ("    total = sum(order.pirce for order in orders)\n", (14, 14)),
    "typos in all words": ("    txt = raed_text(pth)\n", (7, 7)),
    "a typo in a piece of a line": ("len(ordrs)", (19, 19)),
    "a piece with another word": ("rate_of(land)", (13, 13)),
    "another end": ("    return round(total * rate, 5) + shipping\n", (15, 15)),
    "lines of which one is invented": (
        "def report(orders):\n    log('Orders')\n    print('Orders:', len(orders))\n",
        (18, 19),
    ),
    "only words are shared": ("orders = [order for order in json.loads(raw_text) if order.paid]\n", (9, 9)),
}


@pytest.mark.parametrize(("old", "place"), NEAREST.values(), ids=NEAREST)
@pytest.mark.promise("edit.nearest")
def test_the_nearest_place_is_the_first(old: str, place: tuple[int, int]) -> None:
    failure = diagnose_edit(old)
    assert lines(failure)[0] == place
    assert failure.places[0].text == "\n".join(ORDERS.split("\n")[place[0] - 1 : place[1]])
    assert failure.places[0].differences


def test_similar_places_are_sorted_by_likeness_and_do_not_overlap() -> None:
    file = "".join(f"line number {number}\n" for number in range(1, 101))
    failure = diagnose_edit("line numbr 50", file=file)
    assert lines(failure)[0] == (50, 50)
    assert [place.score for place in failure.places] == sorted((place.score for place in failure.places), reverse=True)
    assert len(set(lines(failure))) == len(failure.places) <= 5


def test_places_that_overlap_a_better_one_are_left_out() -> None:
    file = "a1 = first(value)\na2 = second(value)\na3 = third(value)\n" * 3
    failure = diagnose_edit("a1 = frist(value)\na2 = secnod(values)\na3 = thrid(value)\n", file=file)
    spans = sorted(lines(failure))
    assert spans
    assert all(end < start for (_, end), (start, _) in pairwise(spans))


@pytest.mark.parametrize(
    "old",
    ["SELECT name FROM customers WHERE id = 1\n", "}}}}\n]]]]\n", "q", "  \n \n"],
    ids=["words", "marks", "letter", "blank"],
)
@pytest.mark.promise("edit.nearest")
def test_an_invented_text_has_no_nearest_place(old: str) -> None:
    failure = diagnose_edit(old)
    assert (failure.why, failure.places, failure.correction) == ("missing", (), None)


@pytest.mark.parametrize("file", ["", "\n", "\n\n\n", "  "])
@pytest.mark.parametrize("old", ["total", "one\ntwo\n", "\t\t\t"])
def test_nothing_is_near_in_an_empty_file(file: str, old: str) -> None:
    assert diagnose_edit(old, file=file) == Failure("missing", None, ())


def test_only_an_identical_place_has_the_score_one() -> None:
    (place,) = diagnose_edit("x" * 30_000 + "\n", file="X" + "x" * 29_999 + "\n").places
    assert place.score == 0.999
    (place,) = diagnose_edit("LIMIT  = 100", "LIMIT  = 200").places
    assert 0.9 < place.score < 1


# Answers of the ladder


def test_a_text_that_occurs_once_in_another_form_is_found() -> None:
    failure = diagnose_edit("LIMIT  = 100\n", "LIMIT  = 200\n")
    assert (failure.why, failure.rung, len(failure.sites), lines(failure)) == ("found", "tokens", 1, [(3, 3)])
    assert failure.correction is not None


def test_a_text_that_fits_many_places_is_reported_with_ten_of_them() -> None:
    failure = diagnose_edit("value =  compute()", file="value = compute()\n" * 25)
    assert (failure.why, len(failure.sites), lines(failure)) == (
        "ambiguous",
        25,
        [(number, number) for number in range(1, 11)],
    )
    assert failure.correction is None


def test_an_applied_change_is_reported_with_its_place() -> None:
    old, new = "def report(order):\n    print(order)\n", "def report(orders):\n    print('Orders:', len(orders))\n"
    failure = diagnose_edit(old, new)
    assert (failure.why, lines(failure), failure.correction) == ("applied", [(18, 19)], None)


@pytest.mark.parametrize(
    ("file", "old", "new", "why"),
    [
        ("def one():\n    return 20\n", "    return 10\n", "    return 20\n", "applied"),
        ("let total_price = 3;\n", "let totalPrice = 3;", "let total_price = 3;", "applied"),
        ("let total_price = 3;\n" * 2, "let totalPrice = 3;", "let total_price = 3;", "ambiguous"),
        ("zero\nlet total_price = 3;\n", "SELECT 1", "let total_price = 3;", "applied"),
        ("def one():\n    return 20\n", "    raise 10\n", "}\n", "missing"),
        ("f(price, count, rate)\n", "price,count", "price,count,rate", "applied"),
    ],
)
def test_new_text_in_the_place_of_the_old_one_is_applied(file: str, old: str, new: str, why: str) -> None:
    failure = diagnose_edit(old, new, file)
    assert (failure.why, failure.correction) == (why, None)


def test_a_conflict_is_reported_with_its_sides() -> None:
    file = "begin_of_it()\ntotal = price * count\nrest_of_it()\n"
    old, new = "total = price*count\nrest_of_it()\n", "total = price*1*count\nrest_of_it()\n"
    failure = diagnose_edit(old, new, file)
    assert (failure.why, failure.rung, lines(failure), failure.correction) == ("conflict", "tokens", [(2, 3)], None)
    assert failure.sides == Sides(2, "total = price*count", "total = price * count", "total = price*1*count")
    assert failure.detail == "same_words"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("LIMIT = 1\n", "LIMIT = 2\n# ... existing code ...\n", "elided"),
        ("def load_orders(path):\n    ...\n    return []\n", "def load_orders(path):\n    ...\n", "missing"),
    ],
)
@pytest.mark.promise("edit.no-wrong-correction")
def test_what_the_ladder_refuses_has_its_reason_and_no_correction(old: str, new: str, why: str) -> None:
    failure = diagnose_edit(old, new)
    assert (failure.why, failure.correction) == (why, None)


# What is compared

FORMS = {
    "a piece of a line, by its words": (
        "price(orders, 'fr')",
        "def f():\n    value = price(orders, 'de') or price(None, 'at') or other(orders, 'de', default=0)\n",
        [("word", 2, 28, 30)],
    ),
    "the indentation of a piece at the beginning": (
        "  if valu:",
        "def f():\n\tif value: return [each for each in value]\n",
        [("indentation", 2, 1, 2), ("word", 2, 5, 10)],
    ),
    "no indentation of what was sent without": ("retrun total", "def f():\n    return total\n", [("word", 2, 5, 11)]),
    "a whole line that is a little longer": (
        "function foo() {",
        "function  foo() {\n}\n",
        [("spacing", 1, 1, 11)],
    ),
    "a piece that is near to a word and a space": (
        "ovalue = 1",
        "first(); second(); value = 1 or third() and fourth() or fifth()\n",
        [("word", 1, 20, 25)],
    ),
    "space around a piece": (
        "valeu = compute(1) ",
        "if x: value = compute(1); other = compute(2); third = compute(3)\n",
        [("word", 1, 7, 12), ("trailing", 1, 25, 25)],
    ),
}


@pytest.mark.parametrize(("old", "file", "expected"), FORMS.values(), ids=FORMS)
def test_a_piece_of_a_line_is_compared_with_the_best_part(
    old: str, file: str, expected: list[tuple[str, int, int, int]]
) -> None:
    place = diagnose_edit(old, file=file).places[0]
    assert [
        (difference.what, difference.line, difference.column, difference.end) for difference in place.differences
    ] == expected


def test_a_line_that_is_too_long_is_compared_whole() -> None:
    file = "alpha_value = 1 " + "x" * 200_000 + "\n"
    failure = diagnose_edit("alpha_valeu = 1", file=file)
    assert all(place.score < 0.4 for place in failure.places)


def test_a_reading_that_shares_no_line_is_chosen_by_likeness() -> None:
    old = "1: rate = rate_for(land)\n2: totals = sum(order.prices for order in order)\n"
    place = diagnose_edit(old).places[0]
    assert (place.start_line, place.end_line) == (13, 14)
    assert place.differences[0].what == "numbers"


# Bounds: what is looked at is limited by number, not by time


def test_words_that_occur_everywhere_are_no_evidence() -> None:
    file = "".join(f"total {number}\n" for number in range(300))
    assert words_of(Index(file.encode()), "total amount") == ([], ["amount"])
    assert words_of(Index(file.encode()), "total 299 number") == ([("299", 300)], ["number"])


def test_lines_of_a_large_file_are_not_all_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    file = "alpha\nvalue = compute(first) + compute(second)\nomega\n"
    old = "zalue * kompute\n"
    assert lines(diagnose_edit(old, file=file)) == [(2, 2)]
    monkeypatch.setattr(module, "_FEW_LINES", 2)
    assert lines(diagnose_edit(old, file=file)) == []


def test_long_lines_are_not_compared_with_all() -> None:
    old, file = "zalue * kompute; ", "value + compute, "
    assert lines(diagnose_edit(old * 40, file=file * 40)) == [(1, 1)]
    assert lines(diagnose_edit(old * 80, file=file * 80)) == []


def test_texts_that_are_too_long_are_compared_by_their_lines() -> None:
    numbers = range(3_000)
    file = [f"the_value_{number} = compute({number}, {number})" for number in numbers]
    sent = [f"{line} " if number % 2 else f"other_{line}" for number, line in enumerate(file)]
    failure = diagnose_edit("\n".join(sent), file="\n".join(file))
    assert all(0 <= place.score <= 1 for place in failure.places)


# The block around some lines

PYTHON = """\
import os

class Shop:
    name = "x"

    def open(self):
        self.door = True

        if self.door:
            self.light = True
        return self

    def close(self):
        self.door = False


@cached
def other(a,
          b):
    return a

one = 1
two = 2

"""
BRACES = """\
function first(a) {
  if (a) {
    return 1;
  }
  return 2;
}

const second = [
  1,
  2,
];
"""


@pytest.mark.parametrize(
    ("file", "start", "end", "expected"),
    [
        (PYTHON, 7, 7, (6, 11)),
        (PYTHON, 10, 10, (9, 10)),
        (PYTHON, 11, 11, (6, 11)),
        (PYTHON, 9, 11, (6, 11)),
        (PYTHON, 6, 6, (3, 14)),
        (PYTHON, 14, 14, (13, 14)),
        (PYTHON, 18, 18, (17, 20)),
        (PYTHON, 20, 20, (18, 20)),
        (PYTHON, 1, 1, (1, 1)),
        (PYTHON, 3, 3, (3, 14)),
        (BRACES, 3, 3, (2, 4)),
        (BRACES, 5, 5, (1, 6)),
        (BRACES, 1, 1, (1, 6)),
        (BRACES, 9, 10, (8, 11)),
        ("alone", 1, 1, (1, 1)),
        ("\n\n", 1, 2, (1, 2)),
    ],
)
def test_a_block_is_the_function_or_paragraph_around_some_lines(
    file: str, start: int, end: int, expected: tuple[int, int]
) -> None:
    assert block(Index(file.encode()), start, end) == expected


@pytest.mark.parametrize(
    ("start", "end", "expected"), [(100, 100, (90, 110)), (5, 6, (1, 16)), (195, 195, (185, 201)), (60, 160, (50, 170))]
)
def test_a_block_that_is_too_long_is_cut_to_a_few_lines(start: int, end: int, expected: tuple[int, int]) -> None:
    file = "def long():\n" + "".join(f"    line({number})\n" for number in range(2, 202))
    assert block(Index(file.encode()), start, end) == expected


# Words


@pytest.mark.parametrize(
    ("text", "there", "missing"),
    [
        ("round(total, country)", [("round", 15), ("country", 12), ("total", 12)], []),
        ("refund(orders)", [("orders", 6)], ["refund"]),
        ("a + b == if", [], []),
        ("", [], []),
        ("zebra zebra", [], ["zebra"]),
    ],
)
def test_words_are_returned_with_their_first_lines_rarest_first(
    text: str, there: list[tuple[str, int]], missing: list[str]
) -> None:
    assert words_of(Index(ORDERS.encode()), text) == (there, missing)


def test_only_the_longest_words_are_searched_for() -> None:
    words = [f"word{number:02}" for number in range(30)]
    assert words_of(Index(b""), " ".join([*words, "longest_word"])) == ([], ["longest_word", *words[:11]])


def test_a_lone_surrogate_has_no_place() -> None:
    failure: Any = diagnose_edit("\ud800 total", "\udfff", file=b"total \xff = 1\n")
    assert failure.correction is None
    assert words_of(Index(b"abc"), "abc\ud800abc") == ([("abc", 1)], [])


def test_whitespace_that_neither_text_has_is_not_reported_as_applied() -> None:
    old, new = "alpha = 1   \nbeta = 2\n", "alpha = 1\nbeta = 2\n"
    assert diagnose_edit(old, new, file="    alpha = 1\n    beta = 2\n").why == "applied"
    failure = diagnose_edit(old, new, file="    alpha = 1 \n    beta = 2\n")
    assert (failure.why, failure.detail, failure.correction) == ("unproved", "white_space", None)


def test_texts_of_very_many_lines_are_compared_by_the_lines_they_share() -> None:
    lines = [f"entry {number} = make({number})\n" for number in range(3_000)]
    trailing = [line.replace("\n", " \n") for line in lines[:100]]
    (place, *_) = diagnose_edit("".join([*trailing, *lines[100:]]), file="".join(lines)).places
    assert 0.9 < place.score < 1


def test_words_are_searched_for_once_per_file() -> None:
    index = Index(ORDERS.encode(), "a.py")
    assert words_of(index, "absent_word") == words_of(index, "absent_word") == ([], ["absent_word"])
