"""TOML: the same places and messages from both parsers."""

import sys
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture.check import data
from suture.check.data import Toml
from suture.check.issue import Issue, NotRunError

if TYPE_CHECKING:
    from suture.check.issue import Staging

NOWHERE = cast("Staging", None)  # this check needs no file


def find_issues(text: str) -> list[Issue]:
    return Toml().check("a.toml", None, text, NOWHERE)


@pytest.fixture(params=["best", "standard library"], autouse=True)
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "standard library":
        monkeypatch.setitem(sys.modules, "tomli", None)


WRONG = {
    "key twice": ("a = 1\nb = 2\na = 3\n", 3, 1, "Cannot overwrite a value"),
    "key twice with a long value": ('a = [1]\na = [\n  "x = 1",\n  2,\n]\n', 2, 1, "Cannot overwrite a value"),
    "quoted key twice": ('"a b" = 1\n  "a b" = 2\n', 2, 3, "Cannot overwrite a value"),
    "key of many parts twice": ("a.b = 1\nc = 2\na . b = [\n  3,\n]\n", 3, 1, "Cannot overwrite a value"),
    "table twice": ("[a.b]\nc = 1\n[d]\n[a.b]\n", 4, 1, "Cannot declare ('a', 'b') twice"),
    "table that is a value": ("[a]\nb = 1\n[a.b]\n", 3, 1, "Cannot overwrite a value"),
    "list of tables that is a table": ("[[a]]\n[a]\n", 2, 1, "Cannot declare ('a',) twice"),
    "inline table made longer": ("a = {b = 1}\n[a.c]\n", 2, 1, "Cannot declare ('a', 'c') twice"),
    "key of an inline table": ("a = {b = {}}\n[d]\n[a]\n", 3, 1, "Cannot declare ('a',) twice"),
    "key twice in an inline table": ("a = {b = 1, b = 2}\n", 1, 1, "Duplicate inline table key 'b'"),
    "no value": ("a = 1\nb =\n", 2, 4, "Invalid value"),
    "no equals sign": ("a = 1\nbcd\n", 2, 4, "Expected '=' after a key in a key/value pair"),
    "colon": ("a: 1\n", 1, 2, "Expected '=' after a key in a key/value pair"),
    "no key": ("= 1\n", 1, 1, "Invalid statement"),
    "no name of a table": ("[]\n", 1, 2, "Invalid initial character for a key part"),
    "unquoted text": ("a = abc\n", 1, 5, "Invalid value"),
    "True": ("a = True\n", 1, 5, "Invalid value"),
    "array without an end": ("a = [1, 2\nb = 3\n", 1, 10, "Unclosed array"),
    "array at the end": ("a = [1, 2", 1, 10, "Unclosed array"),
    "missing comma": ("a = [1 2]\n", 1, 7, "Unclosed array"),
    "inline table without an end": ("a = {b = 1", 1, 11, "Unclosed inline table"),
    "string without an end": ('a = "é\nb = 1\n', 1, 7, "Illegal character '\\n'"),
    "string at the end": ('a = "x', 1, 7, "Unterminated string"),
    "long string without an end": ('a = 1\nb = """x\n\ny\n', 4, 2, "Unterminated string"),
    "literal without an end": ("a = 'x\n", 1, 7, 'Expected "\'"'),
    "long literal without an end": ("a = '''x\ny\n", 2, 2, "Expected \"'''\""),
    "unknown escape": ('a = "\\d"\n', 1, 8, "Unescaped '\\' in a string"),
    "digits of an escape": ('a = "\\u12"\n', 1, 8, "Invalid hex value"),
    "no character": ('a = "\\ud800"\n', 1, 12, "Escaped character is not a Unicode scalar value"),
    "table without an end": ("[a\nb = 1\n", 1, 3, "Expected ']' at the end of a table declaration"),
    "tables without an end": ("[[a]\nb = 1\n", 1, 4, "Expected ']]' at the end of an array declaration"),
    "two on a line": ("a = 1 b = 2\n", 1, 7, "Expected newline or end of document after a statement"),
    "comma at the end": ("a = 1,\n", 1, 6, "Expected newline or end of document after a statement"),
    "text behind a text": ('a = "é" b\n', 1, 9, "Expected newline or end of document after a statement"),
    "no such date": ("a = 2021-02-30\n", 1, 5, "Invalid date or datetime"),
    "control character": ("a = 1 # \x00\n", 1, 9, "Found invalid character '\\x00'"),
    "control character in a string": ('a = "\x01"\n', 1, 6, "Illegal character '\\x01'"),
    "JSON": ('{"a": 1}', 1, 1, "Invalid statement"),
    "CRLF": ("a = 1\r\nb = \r\n", 2, 5, "Invalid value"),
    "lone CR": ("a = 1\rb = 2\r", 1, 6, "Expected newline or end of document after a statement"),
}


@pytest.mark.parametrize(("text", "line", "column", "message"), WRONG.values(), ids=WRONG)
def test_an_error_is_reported_where_one_would_look(text: str, line: int, column: int, message: str) -> None:
    assert find_issues(text) == [Issue("error", line, column, "invalid-syntax", message)]


def test_a_number_of_very_many_digits_is_an_error() -> None:
    (issue,) = find_issues("a = " + "9" * 5_000)
    assert (issue.line, issue.code) == (1, "invalid-syntax")
    assert issue.message.startswith("Exceeds the limit (4300 digits)")


def test_an_error_without_a_known_message_keeps_its_place() -> None:
    issue = data._toml_issue("a\nb\n", "Something new (at line 2, column 1)")
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
    assert find_issues(text) == []


@pytest.mark.parametrize(
    "text",
    ["a = " + "[" * 10_000, "a = " + "[" * 10_000 + "]" * 10_000, "a." * 100_000 + "b = 1", "[" + "a." * 50_000 + "a]"],
    ids=["open", "closed", "key", "table"],
)
def test_a_nesting_too_deep_is_not_judged(text: str) -> None:
    with pytest.raises(NotRunError):
        find_issues(text)


@settings(max_examples=60)
@given(st.text("ab=[]{}.,\"'#\\ \n\r\t1-:é", max_size=20) | st.text(max_size=10))
def test_any_text_is_judged(text: str) -> None:
    lines = text.split("\n" if "\n" in text else "\r")
    for issue in find_issues(text):
        assert issue.severity == "error"
        assert 1 <= issue.line <= len(lines)
        assert 1 <= issue.column <= len(lines[issue.line - 1]) + 1
