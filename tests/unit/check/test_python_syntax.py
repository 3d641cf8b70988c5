"""Python's syntax, as the running interpreter sees it."""

import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture.check import python
from suture.check.issue import Issue, NotRunError
from suture.check.python import PythonSyntax

if TYPE_CHECKING:
    from suture.check.issue import Staging

NOWHERE = cast("Staging", None)  # this check needs no file


def find_issues(text: str, path: str = "a.py") -> list[Issue]:
    return PythonSyntax().check(path, None, text, NOWHERE)


WRONG = {
    "bracket never closed": ("x = (1,\ny = 2\n", 1, 5, "'(' was never closed"),
    "bracket at the end": ("a = 1\nb = [\n1,\n\n", 2, 5, "'[' was never closed"),
    "wrong bracket": ("a = (1]\n", 1, 7, "does not match"),
    "return outside a function": ("x = 1\nreturn x\n", 2, 1, "outside function"),
    "break outside a loop": ("break\n", 1, 1, "outside loop"),
    "await outside a function": ("await x\n", 1, 1, "outside"),
    "argument twice": ("def f(a, a): pass\n", 1, 10, "duplicate argument"),
    "nonlocal in a module": ("nonlocal x\n", 1, 1, "module level"),
    "late future": ("x = 1\nfrom __future__ import annotations\n", 2, 1, "beginning of the file"),
    "no block": ("if x:\npass\n", 2, 1, "expected an indented block"),
    "no block at the end": ("x = 1\ndef f():\n", 2, 9, "expected an indented block"),
    "indent": ("x = 1\n    y = 2\n", 2, 5, "unexpected indent"),
    "unindent": ("if x:\n    y\n  z\n", 3, 3, "unindent"),
    "string without an end": ("x = 'é\n", 1, 5, "unterminated string"),
    "long string without an end": ('x = 1\ny = """a\n\n', 2, 5, "unterminated triple-quoted"),
    "two names": ("é = 1\né b\n", 2, 3, "invalid syntax"),
    "assignment to a number": ("1 = x\n", 1, 1, "cannot assign"),
    "no colon": ("class A\n    pass\n", 1, 8, "expected ':'"),
    "quotes that are none": ("x = “a”\n", 1, 5, "invalid character"),
    "name twice in a pattern": ("match x:\n    case a, a: pass\n", 2, 13, "multiple assignments"),
    "field of an f-string": ('x = 1\ny = f"é {a b} {c}"\n', 2, 10, "f-string"),
    "null byte": ("x = 1\ny\0 = 2\n", 2, 2, "null byte"),
    "CRLF": ("x = 1\r\ny = (\r\n", 2, 5, "never closed"),
    "lone CR": ("x = 1\ry = (\r", 2, 5, "never closed"),
    "lone CR among others": ("x = 1\ry = (\n", 1, 11, "never closed"),
    "beyond ASCII before it": ("'é😀' + (\n", 1, 8, "never closed"),
    "brackets too deep": ("(" * 300, 1, 201, "too many nested"),
}


@pytest.mark.parametrize(("text", "line", "column", "word"), WRONG.values(), ids=WRONG)
def test_an_error_is_reported_where_one_would_look(text: str, line: int, column: int, word: str) -> None:
    (issue,) = find_issues(text)
    assert (issue.severity, issue.code, issue.line) == ("error", "invalid-syntax", line)
    if sys.version_info < (3, 12):  # later ones may have other words and columns
        assert issue.column == column
        assert word in issue.message


RIGHT = {
    "empty": "",
    "only comments": "# a\n# b",
    "function": "def f(a, *, b=1):\n    return a + b\n",
    "coroutine": "async def f():\n    async with a as b:\n        return [x async for x in b]\n",
    "match": "match x:\n    case [a, {'b': c}] if a: pass\n    case _: pass\n",
    "groups": "try:\n    pass\nexcept* A as e:\n    pass\n",
    "f-strings": "x = f'{a!r:>{b}} {{}} {c=}'\n",
    "declared encoding": "# -*- coding: latin-1 -*-\nx = 'é日'\n",
    "CRLF": "if x:\r\n    y = '''a\r\nb'''\r\n",
    "lone CR": "if x:\r    y\r",
    "form feed": "x = 1\n\f\ny = 2\n",
    "stub": "def f(a: int = ...) -> str: ...\n",
    "what is only warned about": "x is 1\nassert (1, 'a')\n'\\d'\n1or 2\n",
}


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_what_is_right_passes(text: str) -> None:
    assert find_issues(text) == []


def test_warnings_are_kept_back_and_the_filters_left_as_they_are() -> None:
    text = "x is 1\n'\\d'\n"
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        before = list(warnings.filters)
        with ThreadPoolExecutor(4) as pool:
            assert list(pool.map(find_issues, [text] * 20)) == [[]] * 20
        assert (warnings.filters, shown) == (before, [])


def test_nothing_is_run(capfd: pytest.CaptureFixture[str]) -> None:
    assert find_issues("print('a')\nraise SystemExit\n") == []
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "text",
    [
        "-" * 5_000 + "1",
        "-" * 200_000 + "1",
        "x" + ".y" * 50_000,
        "x = " + "a if b else " * 20_000 + "c",
        "import " + "a." * 50_000 + "b",
        "f'" + "{a}" * 20_000 + "'",
        "x\n" * 2_500_000,
        "x = '\ud800'",
    ],
    ids=["operators", "very many operators", "attributes", "conditions", "import", "fields", "length", "surrogate"],
)
def test_what_the_compiler_cannot_bear_is_not_judged(text: str) -> None:
    with pytest.raises(NotRunError):
        find_issues(text)


def finally_in_finally(depth: int) -> str:
    rows = [f"{' ' * n}try:\n{' ' * n} pass\n{' ' * n}finally:\n" for n in range(depth)]
    return "".join(rows) + " " * depth


def test_blocks_that_double_are_judged_by_the_symbol_table() -> None:
    assert find_issues(finally_in_finally(40) + "pass\n") == []
    assert len(find_issues(finally_in_finally(40) + "a b\n")) == 1
    assert len(find_issues(finally_in_finally(40) + "pass\nnonlocal x\n")) == 1


def test_comprehensions_too_deep_for_the_compiler_are_judged_by_the_symbol_table() -> None:
    deep = "[" * 90 + "x" + " for x in y]" * 90
    assert find_issues(f"{deep}\n") == []
    assert len(find_issues(f"{deep}\nnonlocal x\n")) == 1
    assert find_issues(f"{deep}\nreturn\n") == []
    assert len(find_issues("x = '('\n" * 100 + "return\n")) == 1


def test_many_blocks_side_by_side_are_compiled() -> None:
    text = "try:\n    pass\nfinally:\n    pass\n" * 20
    assert find_issues(text) == []
    assert len(find_issues(text + "return\n")) == 1


def test_a_very_long_text_is_judged_by_the_symbol_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python, "_MAX_COMPILED_CHARS", 10)
    assert find_issues("def f(a):\n    return a\n") == []
    assert len(find_issues("def f(a, a):\n    return a\n")) == 1


@pytest.mark.parametrize("text", ["{% if a %}\nx = 1\n{% endif %}\n", "import {{ cookiecutter.name }}\n"])
def test_a_template_is_not_judged(text: str) -> None:
    with pytest.raises(NotRunError, match="template"):
        find_issues(text)


@pytest.mark.parametrize(
    ("lineno", "offset", "expected"),
    [
        (None, None, (1, 1)),
        (0, 0, (1, 1)),
        (2, -1, (2, 1)),
        (2, 99, (2, 6)),
        (3, 1, (2, 6)),
        (9, 9, (2, 6)),
        (2, None, (2, 1)),
    ],
)
def test_an_invalid_place_is_clamped_to_the_text(
    lineno: int | None, offset: int | None, expected: tuple[int, int]
) -> None:
    issue = python._syntax_issue("a = 1\nb = 2\n", SyntaxError("no", ("a.py", lineno, offset, "a = 1\n")))
    assert (issue.line, issue.column) == expected


@settings(max_examples=150)
@given(st.text("ab=()[]{}:,.'\"\\\n\t #@1-+éf\r", max_size=20) | st.text(max_size=10))
def test_any_text_is_judged_or_refused(text: str) -> None:
    try:
        issues = find_issues(text)
    except NotRunError:
        return
    lines = text.split("\n" if "\n" in text else "\r")
    for issue in issues:
        assert issue.severity == "error"
        assert 1 <= issue.line <= len(lines)
        assert 1 <= issue.column <= len(lines[issue.line - 1]) + 1
