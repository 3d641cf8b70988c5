"""TOML: the same places and words from both parsers."""

import sys
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture.check import toml
from suture.check.issue import Issue, NotRunError
from suture.check.toml import Toml

if TYPE_CHECKING:
    from suture.check.issue import Staging

NOWHERE = cast("Staging", None)  # this check needs no file


def found(text: str) -> list[Issue]:
    return Toml().check("a.toml", None, text, NOWHERE)


@pytest.fixture(params=["best", "standard library"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "standard library":
        monkeypatch.setitem(sys.modules, "tomli", None)


WRONG = {
    "key twice": ("a = 1\nb = 2\na = 3\n", 3, 1, "twice"),
    "key twice with a long value": ('a = [1]\na = [\n  "x = 1",\n  2,\n]\n', 2, 1, "twice"),
    "quoted key twice": ('"a b" = 1\n  "a b" = 2\n', 2, 3, "twice"),
    "key of many parts twice": ("a.b = 1\nc = 2\na . b = [\n  3,\n]\n", 3, 1, "twice"),
    "table twice": ("[a.b]\nc = 1\n[d]\n[a.b]\n", 4, 1, "a.b"),
    "table that is a value": ("[a]\nb = 1\n[a.b]\n", 3, 1, "twice"),
    "list of tables that is a table": ("[[a]]\n[a]\n", 2, 1, "the table a"),
    "inline table made longer": ("a = {b = 1}\n[a.c]\n", 2, 1, "a.c"),
    "key of an inline table": ("a = {b = {}}\n[d]\n[a]\n", 3, 1, "the table a"),
    "key twice in an inline table": ("a = {b = 1, b = 2}\n", 1, 1, "'b'"),
    "no value": ("a = 1\nb =\n", 2, 4, "no value"),
    "no equals sign": ("a = 1\nbcd\n", 2, 4, "'=' is missing"),
    "colon": ("a: 1\n", 1, 2, "'=' is missing"),
    "no key": ("= 1\n", 1, 1, "key"),
    "no name of a table": ("[]\n", 1, 2, "key must"),
    "unquoted text": ("a = abc\n", 1, 5, "quotes"),
    "True": ("a = True\n", 1, 5, "small"),
    "array without an end": ("a = [1, 2\nb = 3\n", 1, 10, "']' is missing"),
    "array at the end": ("a = [1, 2", 1, 10, "']' is missing"),
    "missing comma": ("a = [1 2]\n", 1, 7, "','"),
    "inline table without an end": ("a = {b = 1", 1, 11, "'}' is missing"),
    "string without an end": ('a = "é\nb = 1\n', 1, 7, "double quote"),
    "string at the end": ('a = "x', 1, 5, "never closed"),
    "long string without an end": ('a = 1\nb = """x\n\ny\n', 2, 5, "never closed"),
    "literal without an end": ("a = 'x\n", 1, 7, "single quote"),
    "long literal without an end": ("a = '''x\ny\n", 1, 5, "never closed"),
    "unknown escape": ('a = "\\d"\n', 1, 8, "escape"),
    "digits of an escape": ('a = "\\u12"\n', 1, 8, "hexadecimal"),
    "no character": ('a = "\\ud800"\n', 1, 12, "no character"),
    "table without an end": ("[a\nb = 1\n", 1, 3, "']' is missing"),
    "tables without an end": ("[[a]\nb = 1\n", 1, 4, "']]' is missing"),
    "two on a line": ("a = 1 b = 2\n", 1, 7, "new line"),
    "comma at the end": ("a = 1,\n", 1, 6, "new line"),
    "text behind a text": ('a = "é" b\n', 1, 9, "new line"),
    "no such date": ("a = 2021-02-30\n", 1, 5, "no such date"),
    "control character": ("a = 1 # \x00\n", 1, 9, "\\x00"),
    "control character in a string": ('a = "\x01"\n', 1, 6, "\\x01"),
    "JSON": ('{"a": 1}', 1, 1, "key"),
    "CRLF": ("a = 1\r\nb = \r\n", 2, 5, "no value"),
    "lone CR": ("a = 1\rb = 2\r", 1, 6, "new line"),
    "very many digits": ("a = " + "9" * 5_000, 1, 1, "digits"),
}


@pytest.mark.parametrize(("text", "line", "column", "word"), WRONG.values(), ids=WRONG)
def test_an_error_is_told_where_one_would_look(text: str, line: int, column: int, word: str) -> None:
    (issue,) = found(text)
    assert (issue.severity, issue.line, issue.column, issue.code) == ("error", line, column, "invalid-syntax")
    assert word in issue.message


def test_what_has_no_words_of_its_own_is_told_in_those_of_the_parser() -> None:
    issue = toml._issue("a\nb\n", "Something new (at line 2, column 1)")
    assert issue == Issue("error", 2, 1, "invalid-syntax", "Something new")


RIGHT = {
    "empty": "",
    "only comments": "# a\n\n# b",
    "values": 'a = 1\nb = -2.5e3\nc = true\nd = [1, "x", {y = 2}]\ne = 1979-05-27T07:32:00Z\nf = nan\ng = 0xff\n',
    "tables": "[a]\nb.c = 1\n[a.d]\n[[e]]\nf = 1\n[[e]]\nf = 2\n[e.g]\n",
    "strings": 'a = """\n"x" \\\n  y"""\nb = \'\'\'\n\\d\'\'\'\nc = "\\u00e9\\n"\nd = \'\\d\'\n',
    "CRLF": 'a = 1\r\nb = """x\r\ny"""\r\n',
    "beyond ASCII": '"é" = "日本語 😀"\n',
    "arrays over lines": "a = [\n  1, # one\n  2,\n]\n",
    "quoted keys": "\"a b\" = 1\n'c.d' = 2\n1234 = 3\n",
    "lock file": '[[package]]\nname = "a"\ndependencies = [\n  { name = "b", marker = "c < \'3\'" },\n]\n',
}


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_what_is_right_passes(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 10_000, "a = " + "[" * 10_000 + "]" * 10_000, "a." * 100_000 + "b = 1", "[" + "a." * 50_000 + "a]"],
    ids=["open", "closed", "key", "table"],
)
def test_a_nesting_too_deep_is_not_judged(text: str) -> None:
    with pytest.raises(NotRunError):
        found(text)


@settings(max_examples=60)
@given(st.text("ab=[]{}.,\"'#\\ \n\r\t1-:é", max_size=20) | st.text(max_size=10))
def test_any_text_is_judged(text: str) -> None:
    lines = text.split("\n" if "\n" in text else "\r")
    for each in found(text):
        assert each.severity == "error"
        assert 1 <= each.line <= len(lines)
        assert 1 <= each.column <= len(lines[each.line - 1]) + 1
