r"""The readings of a request: what a text may stand for that a model sent."""

import pytest

from suture.match.normalize import Request, readings, split


def other_readings(old: str, new: str = "") -> list[tuple[list[str], list[str]]]:
    """All readings except the literal one."""
    first, *others = readings(old, new)
    assert first == Request(tuple(split(old)), tuple(split(new)))
    assert not any(reading.plain for reading in others)
    return [(list(reading.old), list(reading.new)) for reading in others]


SPLIT = {
    "nothing": ("", []),
    "one line": ("a", ["a"]),
    "one line with its end": ("a\n", ["a"]),
    "a blank line at the end": ("a\n\n", ["a", ""]),
    "CRLF": ("a\r\nb\r\n", ["a", "b"]),
    "CR alone": ("a\rb\r", ["a", "b"]),
    "CR inside a line": ("a\rb\nc", ["a\rb", "c"]),
    "other characters end no line": ("a\fb\u2028c\x85d", ["a\fb\u2028c\x85d"]),
}


@pytest.mark.parametrize(("text", "lines"), SPLIT.values(), ids=SPLIT)
def test_lines_break_as_in_a_file(text: str, lines: list[str]) -> None:
    assert split(text) == lines


NUMBERS = {
    "cat -n": "     9\ta = 1\n    10\tb = 2\n",
    "an arrow": "  9→a = 1\n 10→b = 2\n",
    "a bar": "9|a = 1\n10|b = 2\n",
    "a colon": "9:a = 1\n10:b = 2\n",
    "a dot": "9. a = 1\n10. b = 2\n",
    "a bar and spaces": "9 | a = 1\n10 | b = 2\n",
    "brackets": "[9] a = 1\n[10] b = 2\n",
    "a letter": "L9: a = 1\nL10: b = 2\n",
    "parentheses": "(9) a = 1\n(10) b = 2\n",
    "a space": "9 a = 1\n10 b = 2\n",
}


@pytest.mark.parametrize("old", NUMBERS.values(), ids=NUMBERS)
def test_line_numbers_are_removed_in_every_format(old: str) -> None:
    assert (["a = 1", "b = 2"], ["a = 1", "b = 2"]) in other_readings(old, old)
    assert (["a = 1", "b = 2"], ["a = 3"]) in other_readings(old, "a = 3\n")


NOT_NUMBERED = {
    "no numbers": "a = 1\nb = 2\n",
    "numbers that do not count up": "1:a\n3:b\n",
    "one line without": "1:a\nb\n3:c\n",
    "two formats": "1:a\n2|b\n",
    "numbers inside": "a1: b\na2: c\n",
}


@pytest.mark.parametrize("old", NOT_NUMBERED.values(), ids=NOT_NUMBERED)
def test_other_numbers_stay(old: str) -> None:
    assert other_readings(old, old) == []


def test_a_new_line_without_a_number_stays_as_it_is() -> None:
    assert (["a", "b"], ["a", "  x", "b"]) in other_readings("1\ta\n2\tb\n", "1\ta\n  x\n2\tb\n")


def test_a_number_alone_is_a_blank_line() -> None:
    assert (["a", "", "b"], ["a", "b"]) in other_readings("1\ta\n2\n3\tb\n", "a\nb\n")


def test_numbers_in_new_that_are_far_from_those_in_old_are_text() -> None:
    assert (["a", "b"], ["8080: web", "b"]) in other_readings("1: a\n2: b\n", "8080: web\nb\n")


def test_a_space_after_the_number_may_be_part_of_it_or_of_the_line() -> None:
    old = "1: a\n2:  b\n"
    assert other_readings(old) == [([" a", "  b"], []), (["a", " b"], [])]
    assert other_readings(old, "a\n b\n") == [(["a", " b"], ["a", " b"])]


FENCED = {
    "both": ("```\na\n```\n", "```\nb\n```\n", (["a"], ["b"])),
    "with a language": ("```python\na\n```", "```python\nb\n```", (["a"], ["b"])),
    "tildes": ("~~~\na\n~~~", "~~~\nb\n~~~", (["a"], ["b"])),
    "longer": ("````md\n```\na\n```\n````", "````md\nb\n````", (["```", "a", "```"], ["b"])),
    "nothing to come": ("```\na\n```", "", (["a"], [])),
    "blank lines around": ("\n```\na\n```\n\n", "\n```\nb\n```\n\n", (["a"], ["b"])),
}


@pytest.mark.parametrize(("old", "new", "expected"), FENCED.values(), ids=FENCED)
def test_a_fence_around_both_texts_is_removed(old: str, new: str, expected: tuple[list[str], list[str]]) -> None:
    assert other_readings(old, new) == [expected]


NOT_FENCED = {
    "old alone": ("```\na\n```", "b"),
    "new alone": ("a", "```\nb\n```"),
    "not closed": ("```\na\n", "```\nb\n"),
    "closed by another": ("```\na\n~~~", "```\nb\n~~~"),
    "a fence alone": ("```", "```"),
}


@pytest.mark.parametrize(("old", "new"), NOT_FENCED.values(), ids=NOT_FENCED)
def test_a_fence_around_one_text_is_text(old: str, new: str) -> None:
    assert other_readings(old, new) == []


SPELLED = {
    "a line break": ("a\\nb", "a\\nc", (["a", "b"], ["a", "c"])),
    "a tab": ("\\ta\\n\\tb\\n", "\\ta", (["\ta", "\tb"], ["\ta"])),
    "quotes and backslashes": ('a = \\"x\\"\\nb = \\\\d', "", (['a = "x"', "b = \\d"], [])),
    "other escapes stay": ("a\\nb\\d", "\\w", (["a", "b\\d"], ["\\w"])),
}


@pytest.mark.parametrize(("old", "new", "expected"), SPELLED.values(), ids=SPELLED)
def test_spelled_line_breaks_are_decoded(old: str, new: str, expected: tuple[list[str], list[str]]) -> None:
    assert other_readings(old, new) == [expected]


@pytest.mark.parametrize(("old", "new"), [("a\\nb\nc", "x"), ("a\\tb", "x"), ("a\\nb", "x\ny")])
def test_spelled_line_breaks_beside_real_ones_are_text(old: str, new: str) -> None:
    assert other_readings(old, new) == []


ENTITIES = {
    "names": ("a &lt; b &amp;&amp; c &gt; d", "a < b && c > d"),
    "quotes": ("&quot;x&quot; &apos;y&apos;", "\"x\" 'y'"),
    "a space": ("a&nbsp;b", "a\u00a0b"),
    "numbers": ("&#60;&#x3C;&#X3c;", "<<<"),
    "decoded once": ("&amp;lt;", "&lt;"),
    "none": ("&lt;&copy;&#0;&#xD800;&#x110000;", "<&copy;&#0;&#xD800;&#x110000;"),
}


@pytest.mark.parametrize(("text", "decoded"), ENTITIES.values(), ids=ENTITIES)
def test_entities_are_decoded_once(text: str, decoded: str) -> None:
    assert other_readings(text, text) == [([decoded], [decoded])]


def test_a_newline_that_would_break_a_string_stays_spelled_out() -> None:
    assert other_readings('print("a\\nb")', 'print("a\\nc")') == []


def test_entities_in_new_alone_are_text() -> None:
    assert other_readings("a < b", "a &lt; b") == []


def test_readings_stack() -> None:
    others = other_readings("```\n1\ta &lt; b\n2\tc\n```", "```\n1\ta &gt; b\n2\tc\n```")
    assert others[-1] == (["a < b", "c"], ["a > b", "c"])


def test_exotic_spaces_before_a_line_are_spaces() -> None:
    (only,) = readings("\u00a0\u00a0a\u00a0b", "\u3000c")
    assert (only.old, only.new) == (("  a\u00a0b",), (" c",))
