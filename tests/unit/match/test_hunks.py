"""The places of hunks: found by their text, and chosen from equal places by everything else in their format."""

import pytest

from suture.formats import Hunk, Split
from suture.match.hunks import Expected, fit, fit_by_numbers
from suture.match.index import Base, Found, Index, Refused, Site
from suture.text.edits import apply

CLASSES = """\
class One:
    def run(self):
        start()
        return 1

class Two:
    def run(self):
        start()
        return 1

    def stop(self):
        return 1
"""
NUMBERS = "".join(f"{number}\n" for number in range(1, 21))
SAME = "x\n" * 9


def hunk(old: str, new: str, *context: str, at: int | None = None, at_end: bool = False, inner: bool = False) -> Hunk:
    return Hunk(1, (Split(old, new),), context, at, at_end, inner)


def snippet(old: str, new: str, *, near: int | None = None, occurrences: int = 1) -> Hunk:
    return Hunk(1, (Split(old, new),), near=near, part=True, occurrences=occurrences)


def apply_hunk(body: str, sent: Hunk, match: str = "lenient", expected: Expected | None = None) -> tuple[str, str]:
    """The rung and the text after the change; or the reason of a refusal."""
    answer = fit(Index(body.encode(), "a.py"), sent, match, expected).answer
    if isinstance(answer, Refused):
        return "refused", answer.why
    return answer.rung, apply(body.encode(), answer.edits).decode()


FITTING: dict[str, tuple[str, Hunk, tuple[str, str]]] = {
    "whole lines": ("a\nb\nc\n", hunk("b\n", "x\n"), ("exact", "a\nx\nc\n")),
    "a deletion takes the line end along": ("a\nb\nc\n", hunk("b\n", ""), ("exact", "a\nc\n")),
    "a line before a piece of one": ("port = 1\nimport = 1\n", hunk("port = 1\n", "x\n"), ("exact", "x\nimport = 1\n")),
    "an indented line before a piece of one": (
        "# call foo()\n    foo()\n",
        hunk("foo()\n", "bar()\n"),
        ("indentation", "# call foo()\n    bar()\n"),
    ),
    "a piece of a line, one for one": (
        "value = compute(first)\n",
        hunk("compute(first)\n", "compute(second)\n"),
        ("line_ends", "value = compute(second)\n"),
    ),
    "no piece of a line for nothing": (
        "value = compute(first)\n",
        hunk("compute(first)\n", ""),
        ("refused", "missing"),
    ),
    "no piece of a line for several": ("value = f(first)\n", hunk("f(first)\n", "a\nb\n"), ("refused", "missing")),
    "no piece that occurs twice": ("a = f(it)\nb = f(it)\n", hunk("f(it)\n", "g(it)\n"), ("refused", "ambiguous")),
    "two places": ("a\nb\na\n", hunk("a\n", "x\n"), ("refused", "ambiguous")),
    "no place": ("a\nb\n", hunk("something else\n", "x\n"), ("refused", "missing")),
    "the last line without an end": ("a\nb", hunk("b\n", "x\n"), ("line_ends", "a\nx")),
    "the last lines go": ("a\nb\nc", hunk("b\nc\n", ""), ("line_ends", "a\n")),
    "lines behind the last one without an end": ("a\nb", hunk("b\n", "b\nc\n"), ("line_ends", "a\nb\nc")),
    "windows line ends": ("a\r\nb\r\n", hunk("b\n", "x\ny\n"), ("line_ends", "a\r\nx\r\ny\r\n")),
    "the last line of windows without an end": ("a\r\nb", hunk("a\nb\n", "x\ny\n"), ("line_ends", "x\r\ny")),
    "a line end is taken away at the end": ("a\nb\n", hunk("b\n", "b"), ("exact", "a\nb")),
    "but not in the middle": ("b\nc\n", hunk("b\n", "x"), ("exact", "x\nc\n")),
    "a line end is added at the end": ("a\nb", hunk("b", "b\n"), ("exact", "a\nb\n")),
    "but not if there is one": ("b\nc\n", hunk("b", "x\n"), ("exact", "x\nc\n")),
    "an empty file": ("", hunk("", "a\nb\n"), ("exact", "a\nb\n")),
    "nothing says where": ("a\n", hunk("", "b\n"), ("refused", "unplaced")),
    "at the end": ("a\n", hunk("", "b\n", at_end=True), ("exact", "a\nb\n")),
    "at the end of a file without one": ("a", hunk("", "b\n", at_end=True), ("exact", "a\nb")),
    "at the end of a file of windows": ("a\r\nb", hunk("", "c\nd\n", at_end=True), ("exact", "a\r\nb\r\nc\r\nd")),
    "behind the last line, by its number": ("a\n", hunk("", "b\n", at=1), ("exact", "a\nb\n")),
    "before the first line, by its number": ("a\n", hunk("", "b\n", at=0), ("exact", "b\na\n")),
    "in the middle, by a number alone": ("a\nb\nc\n", hunk("", "x\n", at=1), ("refused", "unplaced")),
    "behind the line that is named": ("a:\n  b\n", hunk("", "  x\n", "a:"), ("exact", "a:\n  x\n  b\n")),
    "behind a line that is named in part": (
        "def f(a, b):\n  b\n",
        hunk("", "  x\n", "def f"),
        ("exact", "def f(a, b):\n  x\n  b\n"),
    ),
    "no longer word": ("def foo():\n  b\n", hunk("", "  x\n", "def f"), ("refused", "unplaced")),
    "behind one of two lines": (CLASSES, hunk("", "x\n", "def run(self):"), ("refused", "ambiguous")),
    "behind a line in a class": (
        CLASSES,
        hunk("", "        x()\n", "class Two:", "def run(self):"),
        ("exact", CLASSES.replace("def run(self):\n", "def run(self):\n        x()\n").replace("        x()\n", "", 1)),
    ),
    "a class that is not there": (CLASSES, hunk("", "x\n", "class Three:"), ("refused", "unplaced")),
    "in a class": (
        CLASSES,
        hunk("        start()\n        return 1\n", "        return 2\n", "class Two:"),
        (
            "exact",
            "Two:\n    def run(self):\n        return 2\n".join(
                CLASSES.split("Two:\n    def run(self):\n        start()\n        return 1\n")
            ),
        ),
    ),
    "in a method of a class": (
        CLASSES,
        hunk("        return 1\n", "        return 2\n", "class Two:", "def stop(self):"),
        ("exact", CLASSES.removesuffix("return 1\n") + "return 2\n"),
    ),
    "twice in a class": (CLASSES, hunk("        return 1\n", "        x\n", "class Two:"), ("refused", "ambiguous")),
    "twice, and nothing is named": (CLASSES, hunk("        start()\n", "        x\n"), ("refused", "ambiguous")),
    "only before the line that is named": (
        "total = 1\n\ndef f():\n    pass\n",
        hunk("total = 1\n", "total = 2\n", "def f():"),
        ("refused", "missing"),
    ),
    "behind a line that begins nothing": (
        "import os\nimport sys\nx = 1\ny = 2\nx = 1\n",
        hunk("x = 1\n", "x = 2\n", "y = 2"),
        ("exact", "import os\nimport sys\nx = 1\ny = 2\nx = 2\n"),
    ),
    "the last of several, at the end": (SAME, hunk("x\n", "y\n", at_end=True), ("exact", "x\n" * 8 + "y\n")),
    "braces are no end": (
        "int f()\n{\n    a;\n}\nint g()\n{\n    a;\n}\n",
        hunk("    a;\n", "    b;\n", "int f()"),
        ("exact", "int f()\n{\n    b;\n}\nint g()\n{\n    a;\n}\n"),
    ),
    "blank lines are no end": (
        "def f():\n    a\n\n    b\n    c\n\ndef g():\n    b\n",
        hunk("    b\n", "    x\n", "def f():"),
        ("exact", "def f():\n    a\n\n    x\n    c\n\ndef g():\n    b\n"),
    ),
    "looser in the one that is named": (
        "def f():\n\tvalue = compute( first )\ndef g():\n\tvalue = compute( first )\n",
        hunk("  value = compute(first)\n", "  value = compute(second)\n", "def g():"),
        ("tokens", "def f():\n\tvalue = compute( first )\ndef g():\n\tvalue = compute(second )\n"),
    ),
    "behind a marker in the file": ("<<<<<<< SEARCH\nb\n", hunk("b\n", "c\n", inner=True), ("refused", "unsplit")),
    "not behind a marker in the file": ("a\nb\n", hunk("b\n", "c\n", inner=True), ("exact", "a\nc\n")),
    "in the first line": ("b\n", hunk("b\n", "c\n", inner=True), ("exact", "c\n")),
}


@pytest.mark.parametrize(("body", "sent", "result"), FITTING.values(), ids=FITTING)
def test_a_hunk_goes_to_its_one_place(body: str, sent: Hunk, result: tuple[str, str]) -> None:
    assert apply_hunk(body, sent) == result


PRICES = """\
import tax

def net(total):
    rate = 0.19
    return total / (1 + rate)

def gross(total):
    rate = 0.19
    return total * (1 + rate)
"""
GROSS = PRICES.replace("def net(total):\n    rate = 0.19\n    return total / (1 + rate)\n\n", "")
RATE = "    rate = 0.19\n", "    rate = 0.20\n"


def section(old: str, new: str, named: str, at: int | None = None) -> Hunk:
    """A hunk of git's, with the section heading after the numbers."""
    return Hunk(1, (Split(old, new),), (), at, section=named)


NAMED: dict[str, tuple[str, Hunk, tuple[str, str]]] = {
    "a function that is gone": (GROSS, hunk(*RATE, "def net(total):"), ("refused", "not_named")),
    "a function that is gone, in a section": (GROSS, section(*RATE, "def net(total):"), ("refused", "not_named")),
    "a function that is gone, though the number fits": (
        GROSS,
        section(*RATE, "def net(total):", at=4),
        ("refused", "not_named"),
    ),
    "a function that is gone, and lines that are nowhere": (
        GROSS,
        hunk("    x = 1\n", "    x = 2\n", "def net(total):"),
        ("refused", "not_named"),
    ),
    "lines that are only outside of it": (
        PRICES,
        hunk("    return total * (1 + rate)\n", "    return total\n", "def net(total):"),
        ("refused", "outside"),
    ),
    "lines that are only outside of it, in a section": (
        PRICES,
        section("    return total * (1 + rate)\n", "    return total\n", "def net(total):"),
        ("refused", "outside"),
    ),
    "lines that are only before it": (
        PRICES,
        section("    return total / (1 + rate)\n", "    return total\n", "def gross(total):"),
        ("refused", "outside"),
    ),
    "another signature": (
        PRICES,
        hunk(*RATE, "def gross(total, rate):"),
        ("exact", PRICES.replace("0.19\n    return total *", "0.20\n    return total *")),
    ),
    "another signature in a section": (
        PRICES,
        section(*RATE, "def gross(total, rate):"),
        ("exact", PRICES.replace("0.19\n    return total *", "0.20\n    return total *")),
    ),
    "a section that the hunk begins behind": (
        PRICES,
        section("\ndef gross(total):\n    rate = 0.19\n", "\ndef gross(total):\n    rate = 0.20\n", "def net(total):"),
        ("exact", PRICES.replace("0.19\n    return total *", "0.20\n    return total *")),
    ),
    "a function whose brace is below": (
        "int\nnet(int total)\n{\n    a();\n}\n\nint\ngross(int total)\n{\n    a();\n}\n",
        section("    a();\n", "    b();\n", "gross(int total)"),
        ("exact", "int\nnet(int total)\n{\n    a();\n}\n\nint\ngross(int total)\n{\n    b();\n}\n"),
    ),
    "lines that are only outside of it, with the brace below": (
        "int load(void)\n{\n    value = 1;\n}\n\nint save(void)\n{\n    value = 2;\n}\n",
        section("    value = 2;\n", "    value = 3;\n", "int load(void)"),
        ("refused", "outside"),
    ),
    "a call is no function": (
        "def gross(total):\n    net(total)\n    rate = 0.19\n",
        section(*RATE, "net(total)"),
        ("refused", "not_named"),
    ),
    "outside of `net`": (
        PRICES,
        hunk("    return total * (1 + rate)\n", "    return total\n", "net"),
        ("refused", "outside"),
    ),
    "outside of `Shop.net`": (
        PRICES,
        hunk("    return total * (1 + rate)\n", "    return total\n", "Shop.net"),
        ("refused", "outside"),
    ),
    "outside of `method net`": (
        PRICES,
        hunk("    return total * (1 + rate)\n", "    return total\n", "method net"),
        ("refused", "outside"),
    ),
    "outside of `function net():`": (
        PRICES,
        hunk("    return total * (1 + rate)\n", "    return total\n", "function net():"),
        ("refused", "outside"),
    ),
    "a name that is nowhere is no evidence": (GROSS, hunk(*RATE, "imports"), ("exact", GROSS.replace("0.19", "0.20"))),
    "inside of a bare name": (
        PRICES,
        hunk(*RATE, "Shop.gross"),
        ("exact", PRICES.replace("0.19\n    return total *", "0.20\n    return total *")),
    ),
    "words that name nothing": (GROSS, hunk(*RATE, "near the top"), ("exact", GROSS.replace("0.19", "0.20"))),
    "a section that names nothing": (GROSS, section(*RATE, "import tax"), ("exact", GROSS.replace("0.19", "0.20"))),
}


@pytest.mark.promise("place.named")
@pytest.mark.parametrize(("body", "sent", "result"), NAMED.values(), ids=NAMED)
def test_what_a_hunk_names_must_contain_its_lines(body: str, sent: Hunk, result: tuple[str, str]) -> None:
    answer = fit(Index(body.encode(), "a.py"), sent, expected=Expected(() if sent.at is None else (sent.at,))).answer
    reason = answer.why if isinstance(answer, Refused) and not answer.detail else getattr(answer, "detail", "")
    if isinstance(answer, Found):
        assert (answer.rung, apply(body.encode(), answer.edits).decode()) == result
    else:
        assert ("refused", reason) == result
        assert answer.why == "missing"


@pytest.mark.promise("place.named")
def test_all_hunks_at_their_numbers_must_be_in_what_they_name() -> None:
    index = Index(GROSS.encode(), "a.py")
    old, new = (f"{line}    return total * (1 + rate)\n" for line in RATE)
    assert fit_by_numbers(index, [section(old, new, "def net(total):", at=4)]) is None
    assert fit_by_numbers(index, [section(old, new, "def gross(total):", at=4)]) is not None


@pytest.mark.promise("place.named")
def test_a_number_is_believed_below_the_exact_line_that_is_named() -> None:
    """Git named a line of a docstring; another function begins between it and the hunk."""
    text = 'def one():\n    """\n    class Model(Base):\n    """\n\n\ndef two():\n    value = 1\n    return value\n'
    hunk_ = section(
        "    value = 1\n    return value\n", "    value = 2\n    return value\n", "class Model(Base):", at=8
    )
    assert fit_by_numbers(Index(text.encode(), "a.py"), [hunk_]) is not None
    assert apply_hunk(text, hunk_, expected=Expected((8,)))[0] == "exact"
    assert apply_hunk(text, hunk_) == ("refused", "missing")


@pytest.mark.promise("place.named")
def test_a_hunk_of_a_deleted_function_is_rebased() -> None:
    index = Index(GROSS.encode(), "a.py", [Base(PRICES.encode(), "head", "c0ffee", "decaf")])
    answer = fit(index, hunk("    return total / (1 + rate)\n", "    return total\n", "def net(total):")).answer
    assert isinstance(answer, Refused)
    assert (answer.why, answer.base is not None) == ("deleted", True)
    assert fit(index, hunk(*RATE, "def net(total):"), "exact").answer == Refused(
        "missing", None, (Site(4, 4),), None, "not_named"
    )


@pytest.mark.promise("place.named")
def test_a_hunk_whose_last_lines_may_not_belong_to_it_must_be_in_what_it_names() -> None:
    short, whole = (
        Split("    rate = 0.19\n", "    rate = 0.20\n"),
        Split(PRICES[-46:], PRICES[-46:].replace("19", "20")),
    )
    assert whole.old.startswith(short.old)
    sent = Hunk(1, (short, whole), (), 8, section="def net(total):")
    answer = fit(Index(GROSS.encode(), "a.py"), sent, expected=Expected((4,))).answer
    assert isinstance(answer, Refused)
    assert answer.detail == "not_named"


def test_a_number_decides_between_equal_places() -> None:
    sent = hunk("x\nx\n", "y\nx\n")
    assert apply_hunk(SAME, sent) == ("refused", "ambiguous")
    assert apply_hunk(SAME, sent, expected=Expected((4,))) == ("exact", "x\n" * 3 + "y\n" + "x\n" * 5)
    assert apply_hunk(SAME, sent, expected=Expected((20, 2))) == ("exact", "x\ny\n" + "x\n" * 7)
    assert apply_hunk(SAME, sent, expected=Expected((20, 0))) == ("refused", "ambiguous")


def test_a_number_is_not_believed_where_the_text_is_another() -> None:
    assert apply_hunk(NUMBERS, hunk("7\n8\n", "7\nx\n8\n"), expected=Expected((3,)))[1] == NUMBERS.replace(
        "8\n", "x\n8\n", 1
    )


def test_a_hunk_that_ends_without_context_is_believed_only_at_the_end() -> None:
    assert apply_hunk(SAME, hunk("x\n", "x\ny\n"), expected=Expected((4,))) == ("refused", "ambiguous")
    assert apply_hunk(SAME, hunk("x\n", "x\ny\n"), expected=Expected((9,))) == ("exact", f"{SAME}y\n")


def test_the_order_of_hunks_decides_between_equal_places() -> None:
    body = "a\nb\na\n"
    assert apply_hunk(body, hunk("a\n", "x\n"), expected=Expected((), 2)) == ("exact", "a\nb\nx\n")
    assert apply_hunk(body + "a\n", hunk("a\n", "x\n"), expected=Expected((), 2)) == ("refused", "ambiguous")


def test_a_looser_place_does_not_break_a_tie() -> None:
    body = "class A:\n  x = 1\n  x = 1\nclass B:\n    y  = 1\n"
    assert apply_hunk(body, hunk("  x = 1\n", "  x = 2\n", "class B:")) == ("refused", "ambiguous")


def test_the_change_must_fit_the_place_that_is_left() -> None:
    lines = "    say(\u201chello\u201d + \u2018x\u2019)\n"
    sent = hunk('    say("hello" + "x")\n', '    say("hello" + "y")\n    say("more")\n', "def g():")
    assert apply_hunk(f"def f():\n{lines}def g():\n{lines}", sent) == ("refused", "ambiguous")


def test_of_very_many_places_none_is_taken() -> None:
    body = "def f():\n    x\n" * 400
    assert apply_hunk(body, hunk("    x\n", "    y\n", at_end=True)) == ("refused", "ambiguous")


def test_inserted_lines_may_have_their_own_endings() -> None:
    assert apply_hunk("a\n", hunk("", "b\r\n", at_end=True)) == ("exact", "a\nb\r\n")


@pytest.mark.parametrize(("match", "result"), [("exact", "missing"), ("whitespace", "indentation")])
def test_the_option_match_limits_what_is_forgiven(match: str, result: str) -> None:
    assert result in apply_hunk("    a = 1\n", hunk("a = 1\n", "a = 2\n"), match)


def test_hunks_that_are_all_at_their_numbers_are_placed_together() -> None:
    hunks = [hunk("1\n2\n", "x\n2\n", at=1), hunk("9\n10\n11\n", "9\n11\n", at=9), hunk("20\n", "20\n21\n", at=20)]
    index = Index(NUMBERS.encode())
    fits = fit_by_numbers(index, hunks)
    assert fits is not None
    edits = [edit for placement in fits for edit in placement.edits]
    after = NUMBERS.replace("1\n", "x\n", 1).replace("10\n", "", 1) + "21\n"
    assert apply(index.body, edits).decode() == after


@pytest.mark.parametrize(
    "hunks",
    [
        [hunk("1\n2\n", "x\n2\n", at=2)],
        [hunk("1\n2\n", "x\n2\n")],
        [hunk("", "x\n", at=0)],
        [hunk("1\n2\n", "x\n2\n", at=1), hunk("2\n3\n", "2\ny\n3\n", at=2)],
        [hunk("5\n6\n", "x\n6\n", at=5), hunk("1\n2\n", "x\n2\n", at=1)],
    ],
    ids=["elsewhere", "no number", "nothing to compare", "overlapping", "out of order"],
)
def test_other_hunks_are_searched_for_one_by_one(hunks: list[Hunk]) -> None:
    assert fit_by_numbers(Index(NUMBERS.encode()), hunks) is None


def splits(*texts: tuple[str, str]) -> Hunk:
    return Hunk(1, tuple(Split(*sides) for sides in texts))


TITLE = splits(
    ("Title\n", "Text\n=======\nTitle\n=======\nMore\n"),
    ("Title\n=======\nText\n", "Title\n=======\nMore\n"),
    ("Title\n=======\nText\n=======\nTitle\n", "More\n"),
)
CONFLICT = "<<<<<<< HEAD\na = 1\n=======\na = 2\n>>>>>>> main\n"
SPLITTING: dict[str, tuple[str, Hunk, tuple[str, str]]] = {
    "the one that occurs": ("Title\n", TITLE, ("exact", "Text\n=======\nTitle\n=======\nMore\n")),
    "two that occur": ("Title\n=======\nText\n", TITLE, ("refused", "unsplit")),
    "none": ("Other\n", TITLE, ("refused", "unsplit")),
    "half of one is none": ("Title\n=======\nOther\n", TITLE, ("refused", "unsplit")),
    "one that occurs, and one that occurs twice": ("Title\nTitle\n=======\nText\n", TITLE, ("refused", "unsplit")),
    "the one as long as the other markers": (
        "Title\n=======\nText\n",
        splits(("Title\n=======\nText\n", "More\n"), ("Title\n", "Text\n=========\nMore\n")).evolve(likely=1),
        ("exact", "More\n"),
    ),
    "another one, if that does not occur": (
        "Title\n",
        splits(("Title\n=====\nText\n", "More\n"), ("Title\n", "Text\n=======\nMore\n")).evolve(likely=1),
        ("exact", "Text\n=======\nMore\n"),
    ),
    "the one as long as the other markers is told": (
        "Other\n",
        splits(("Title\n=====\nText\n", "More\n"), ("Title\n", "Text\n=======\nMore\n")).evolve(likely=1),
        ("refused", "missing"),
    ),
    "a conflict is not cut in two": (
        CONFLICT,
        splits(("<<<<<<< HEAD\na = 1\n", "a = 2\n>>>>>>> main\n=======\nb\n"), (CONFLICT, "b\n")),
        ("exact", "b\n"),
    ),
    "an empty one fills an empty file": (
        "",
        splits(("", "a\n=======\nb\n"), ("a\n", "b\n")),
        ("exact", "a\n=======\nb\n"),
    ),
    "a looser one, if it is alone": (
        "value = compute( first )\n",
        splits(("value = compute(first)\n", "value = compute(second)\n"), ("nothing of the kind\n", "x\n")),
        ("tokens", "value = compute(second )\n"),
    ),
    "one that has been applied": (
        "first line here\nsecond line here\n",
        splits(("first line here\n", "first line here\nsecond line here\n"), ("nothing\n", "x\n")),
        ("refused", "applied"),
    ),
}


@pytest.mark.parametrize(("body", "sent", "result"), SPLITTING.values(), ids=SPLITTING)
@pytest.mark.promise("reply.split")
def test_the_file_decides_which_separator_is_meant(body: str, sent: Hunk, result: tuple[str, str]) -> None:
    assert apply_hunk(body, sent) == result


def test_the_answer_has_the_split_that_was_taken() -> None:
    fitted = fit(Index(CONFLICT.encode()), splits(("<<<<<<< HEAD\na = 1\n", "x\n"), (CONFLICT, "b\n")))
    assert isinstance(fitted.answer, Found)
    assert fitted.split == Split(CONFLICT, "b\n")


SNIPPETS: dict[str, tuple[str, Hunk, tuple[str, str]]] = {
    "a part of a line": ("a = one()\n", snippet("one", "two"), ("exact", "a = two()\n")),
    "a part of each of two lines": ("a(b\nc)\n", snippet("b\nc", "d"), ("exact", "a(d)\n")),
    "a line without its end": ("a\nb\nc\n", snippet("b", ""), ("exact", "a\n\nc\n")),
    "a line with its end": ("a\nb\nc\n", snippet("b\n", ""), ("exact", "a\nc\n")),
    "other line ends": ("a\r\nb\r\n", snippet("a\nb", "x\ny"), ("line_ends", "x\r\ny\r\n")),
    "twice": ("x\ny\nx\n", snippet("x", "z"), ("refused", "ambiguous")),
    "twice in a line": ("x x\n", snippet("x", "z", near=1), ("refused", "ambiguous")),
    "the hint chooses": ("x\ny\nx\n", snippet("x", "z", near=3), ("exact", "x\ny\nz\n")),
    "the hint is off": ("x\ny\nx\n", snippet("x", "z", near=2), ("refused", "ambiguous")),
    "the hint is not believed over the text": ("x\ny\n", snippet("x", "z", near=2), ("exact", "z\ny\n")),
    "the hint is far away": ("x\ny\n", snippet("x", "z", near=99), ("exact", "z\ny\n")),
    "all": ("x\nx x\n", snippet("x", "z", occurrences=0), ("exact", "z\nz z\n")),
    "all of one": ("x\n", snippet("x", "z", occurrences=0), ("exact", "z\n")),
    "all of none": ("y\n", snippet("x", "z", occurrences=0), ("refused", "missing")),
    "all of them, but for white space": ("  x\n", snippet("  x\t", "z", occurrences=0), ("refused", "missing")),
    "as many": ("x\nx\n", snippet("x", "z", occurrences=2), ("exact", "z\nz\n")),
    "more": ("x\nx\nx\n", snippet("x", "z", occurrences=2), ("refused", "miscounted")),
    "fewer": ("x\n", snippet("x", "z", occurrences=2), ("refused", "miscounted")),
    "other line ends in all": (
        "a\r\nb\r\na\r\n",
        snippet("a\n", "c\nd\n", occurrences=0),
        ("exact", "c\r\nd\r\nb\r\nc\r\nd\r\n"),
    ),
}


@pytest.mark.parametrize(("body", "sent", "expected"), SNIPPETS.values(), ids=SNIPPETS)
def test_a_snippet_goes_where_its_text_is(body: str, sent: Hunk, expected: tuple[str, str]) -> None:
    assert apply_hunk(body, sent) == expected


def test_a_hint_chooses_among_equal_lines_as_among_snippets() -> None:
    sent = Hunk(1, (Split("x\n", "z\n"),), near=5)
    assert apply_hunk(SAME, sent) == ("exact", "x\n" * 4 + "z\n" + "x\n" * 4)


def test_a_hint_that_may_mean_two_places_chooses_none() -> None:
    sent = Hunk(1, (Split("x\n", "z\n"),), near=3)
    assert apply_hunk("x\ny\nx\n", sent, expected=Expected(hints=(3, 5))) == ("exact", "x\ny\nz\n")
    assert apply_hunk("x\ny\nx\n", sent, expected=Expected(hints=(1, 3))) == ("refused", "ambiguous")
