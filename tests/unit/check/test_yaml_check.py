"""YAML: errors, keys that stand twice, templates, and what is built to take forever."""

import sys
from typing import TYPE_CHECKING, Any, cast

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from suture.check import yaml as yaml_check
from suture.check.issue import Issue, NotRunError
from suture.check.yaml import Yaml

if TYPE_CHECKING:
    from suture.check.issue import Staging

NOWHERE = cast("Staging", None)  # this check needs no file
few = settings(max_examples=40)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)


def found(text: str, path: str = "a.yml") -> list[Issue]:
    return Yaml().check(path, None, text, NOWHERE)


def without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)


WRONG = {
    "tab as indentation": ("a:\n\tb: 1\n", 2, 1, "tab"),
    "tab in a plain text": ("a: b\n\tc: d\n", 2, 1, "tab"),
    "tab at the beginning": ("\ta: 1", 1, 1, "tab"),
    "two colons": ("a: b: c\n", 1, 5, "':' cannot stand"),
    "deeper key below a value": ("a: 1\n  b: 2\n", 2, 4, "':' cannot stand"),
    "key without a colon": ("a: 1\nfoo\nb: 2\n", 2, 1, "':' is missing"),
    "no space behind a colon": ("a:b\nc: d\n", 2, 2, "no space behind it"),
    "wrong indentation of a key": ("a:\n  b: 1\n c: 2\n", 3, 2, "line 1"),
    "wrong indentation of an item": ("a:\n  - 1\n - 2\n", 3, 2, "indentation"),
    "key in a list": ("- a\nb: 1\n", 2, 1, "line 1"),
    "item in a mapping": ("a: 1\n- b\n", 2, 1, "line 1"),
    "item behind a colon": ("a: - b\n", 1, 4, "'-' cannot stand"),
    "list without an end": ("a: 1\nb: [1, 2\n", 2, 4, "'[' is never closed"),
    "empty list without an end": ("a: [\n", 1, 4, "'[' is never closed"),
    "mapping without an end": ("a: &x {b: 1\n", 1, 7, "'{' is never closed"),
    "pair in a list without an end": ("[a: 1", 1, 1, "'[' is never closed"),
    "wrong bracket": ("a: [1, 2}\n", 1, 9, "',' or ']'"),
    "missing comma": ("{a: 1\nb: 2}\n", 2, 2, "',' or '}'"),
    "bracket too many": ("{a: 1}}\n", 1, 7, "'---'"),
    "closing bracket alone": ("a: ]\n", 1, 4, "']'"),
    "quoted text without an end": ('a: 1\nb: "x\nc: 2\n', 2, 4, "never closed"),
    "single quotes without an end": ("a: 'x\n", 1, 4, "never closed"),
    "text behind a quoted text": ('é: "ü" x\n', 1, 8, "quotes"),
    "apostrophe": ("a: 'it's'\n", 1, 8, "quotes"),
    "reserved character": ("a: @b\n", 1, 4, "'@'"),
    "percent": ("a: %b\n", 1, 4, "'%'"),
    "star without a name": ("a: *.py\n", 1, 5, "quotes"),
    "undeclared tag": ("a: !x!y b\n", 1, 4, "prefix"),
    "digits of an escape": ('a: "é\\xzz"\n', 1, 8, "hexadecimal"),
    "text behind a bar": ("a: |x\n  b\n", 1, 5, "'|'"),
    "unknown version": ("%YAML 2.0\n---\na\n", 1, 1, "version"),
    "text behind the end": ("a\n... b\n", 2, 5, "'---'"),
    "control character": ("é: 1\nb: \x01\n", 2, 4, "U+0001"),
    "CRLF": ("a: 1\r\nb: [\r\n", 2, 4, "never closed"),
    "lone CR": ("a: 1\rb: c: d\r", 2, 5, "':'"),
    "odd line ends in the text": ('a: "\u2028"\nb: "\x85" x\n', 2, 8, "quotes"),
}


@pytest.mark.parametrize("loader", ["libyaml", "Python"])
@pytest.mark.parametrize(("text", "line", "column", "word"), WRONG.values(), ids=WRONG)
def test_an_error_is_told_where_one_would_look(
    text: str, line: int, column: int, word: str, loader: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if loader == "Python":
        without_libyaml(monkeypatch)
    (issue,) = found(text)
    assert (issue.severity, issue.line, issue.column, issue.code) == ("error", line, column, "invalid-syntax")
    assert word in issue.message


def test_an_unknown_escape_is_an_error() -> None:
    (issue,) = found('a: 1\nb: "\\d"\n')
    assert (issue.line, issue.column, "escape" in issue.message) == (2, 5, True)


def test_what_has_no_words_of_its_own_is_told_in_those_of_the_parser() -> None:
    (issue,) = found("a: !<x\n")
    assert (issue.line, issue.column, "'>'" in issue.message) == (1, 7, True)


RIGHT = {
    "empty": "",
    "only comments": "# a\n# b\n",
    "mapping": "a: 1\nb:\n  - c\n  - d: e\n    f: [g, {h: i}]\n",
    "documents": "--- a\n---\nb: 1\n...\n---\nb: 2\n",
    "unknown tags": "a: !Ref b\nc: !vault |\n  xx\nd: !reference [.e, f]\ng: !!python/object:os.system {}\n",
    "anchors": "a: &a {x: 1}\nb: *a\nc: [*a, &a 2, *a]\n",
    "merge keys": "a: &a {x: 1}\nb:\n  <<: *a\n  <<: *a\n  x: 2\n",
    "expressions of a workflow": "a: ${{ b.c }}\nd: echo {{ e }}\n",
    "equal letters of other types": '1: a\n"1": b\nyes: c\n"yes": d\n',
    "alias as a key": "a: &a b\n*a : 1\n",
    "block texts": "a: |\n  b: c: d\n  \te\nf: >-\n  [g\n",
    "CRLF": "a: 1\r\nb:\r\n  - c\r\n",
    "lone CR": "a: 1\rb: 2\r",
    "beyond ASCII": "é: 日本語\n😀: ü\n",
    "JSON": '{"a": [1, 2.5, null], "b":{"c":true}}',
    "complex keys": "? [a]\n: 1\n? [a]\n: 2\n",
}


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_what_is_right_passes(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: 1\nb: 2\na: 3\na: 4\n", [(3, 1, 1), (4, 1, 1)]),
        ('a:\n  - b: 1\n    "b": 2\n  - b: 3\n', [(3, 5, 2)]),
        ("{é: 1, é: 2}", [(1, 8, 1)]),
        ("---\na: 1\n---\na: 1\na: 2\n", [(5, 1, 4)]),
        ('1: a\n"1": b\n1: c\n"1": d\n', [(3, 1, 1), (4, 1, 2)]),
        ("!a b: 1\n!a b: 2\n", [(2, 1, 1)]),
        ("a: 1\r\na: 2\r\n", [(2, 1, 1)]),
    ],
    ids=["three times", "in a list", "in brackets", "in a document", "by type", "by tag", "CRLF"],
)
def test_all_keys_that_stand_twice_are_errors(text: str, expected: list[tuple[int, int, int]]) -> None:
    issues = found(text)
    assert [(each.line, each.column) for each in issues] == [(line, column) for line, column, _ in expected]
    assert {(each.severity, each.code) for each in issues} == {("error", "duplicate-key")}
    assert [each.message.rpartition(" ")[2] for each in issues] == [str(first) for *_, first in expected]


def test_an_alias_needs_an_anchor_before_it_in_its_document() -> None:
    issues = found("a: *x\n---\nb: &y 1\nc: &z [*y]\nd: *z\n---\ne: *y\n")
    assert [(each.line, each.column, each.code) for each in issues] == [
        (1, 4, "undefined-alias"),
        (7, 4, "undefined-alias"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "{{- if .Values.a }}\na: 1\n{{- end }}\n",
        "a: {{ .Values.a }}-{{ b }}\n",
        "{% for a in b %}\n- c\n{% endfor %}\n",
        "- {{ a }} b\n",
        "a:\n  <% if b %>\n  c: 1\n",
        "a:\n  b: {{ c }}\n    d: 1\n",
    ],
)
def test_a_template_is_not_judged(text: str) -> None:
    with pytest.raises(NotRunError, match="template"):
        found(text, "templates/a.yaml")


def test_a_template_that_is_yaml_passes() -> None:
    assert found('a: "{{ b }}"\nc: {{ d }}\n') == []


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "{" * 100_000, "[a: " * 50_000, "{a: " * 50_000, "- " * 50_000],
    ids=["lists", "mappings", "pairs", "values", "items"],
)
def test_a_nesting_too_deep_is_not_judged(text: str) -> None:
    with pytest.raises(NotRunError, match="deeply"):
        found(text)


def test_aliases_of_aliases_cost_nothing() -> None:
    rows = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 50)]
    assert found("\n".join(["a0: &a0 x", *rows])) == []


def test_problems_that_are_very_many_are_not_all_told() -> None:
    assert len(found("a: 1\n" * 1_500)) == 1_000


def test_a_missing_parser_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(NotRunError, match="PyYAML"):
        found("a: 1\n")


def test_a_slow_parser_gets_no_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    without_libyaml(monkeypatch)
    monkeypatch.setattr(yaml_check, "_LONGEST_WITHOUT_LIBYAML", 10)
    assert found("a: 1\nb: 23") == []
    with pytest.raises(NotRunError, match="libyaml"):
        found("a: 1\nb: 234")


def test_half_a_surrogate_pair_is_not_judged() -> None:
    with pytest.raises(NotRunError):
        found("a: \ud800")


@few
@given(VALUES, st.sampled_from([{}, {"default_flow_style": True}, {"allow_unicode": True}]))
def test_what_is_dumped_passes(value: object, options: dict[str, Any]) -> None:
    assert found(yaml.safe_dump(value, **options)) == []


@settings(max_examples=150)
@given(st.text("ab:-?[]{},&*!|>%@'\"# \n\t\r\\é1.", max_size=20) | st.text(max_size=10))
def test_any_text_is_judged_or_refused(text: str) -> None:
    try:
        issues = found(text)
    except NotRunError:
        return
    lines = text.split("\n" if "\n" in text else "\r")
    for each in issues:
        assert each.severity == "error"
        assert 1 <= each.line <= len(lines)
        assert 1 <= each.column <= len(lines[each.line - 1]) + 1
