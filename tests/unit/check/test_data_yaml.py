"""YAML: errors, duplicate keys, templates, and texts made to take forever."""

import sys
from typing import TYPE_CHECKING, Any, cast

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from suture.check import data
from suture.check.data import Yaml
from suture.check.issue import Issue, NotRunError

if TYPE_CHECKING:
    from suture.check.issue import Staging

NOWHERE = cast("Staging", None)  # this check needs no file
few = settings(max_examples=40)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)


def find_issues(text: str, path: str = "a.yml") -> list[Issue]:
    return Yaml().check(path, None, text, NOWHERE)


def without_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(yaml, "CSafeLoader", raising=False)


WRONG = {
    "tab as indentation": ("a:\n\tb: 1\n", 2, 1, "found character that cannot start any token: '\\t'"),
    "tab in a plain text": (
        "a: b\n\tc: d\n",
        2,
        1,
        "found a tab character that violates indentation while scanning a plain scalar that begins in line 1",
    ),
    "tab at the beginning": ("\ta: 1", 1, 1, "found character that cannot start any token: '\\t'"),
    "two colons": ("a: b: c\n", 1, 5, "mapping values are not allowed in this context"),
    "deeper key below a value": ("a: 1\n  b: 2\n", 2, 4, "mapping values are not allowed in this context"),
    "key without a colon": ("a: 1\nfoo\nb: 2\n", 2, 1, "could not find expected ':' while scanning a simple key"),
    "no space behind a colon": ("a:b\nc: d\n", 2, 2, "mapping values are not allowed in this context"),
    "wrong indentation of a key": (
        "a:\n  b: 1\n c: 2\n",
        3,
        2,
        "did not find expected key while parsing a block mapping that begins in line 1",
    ),
    "wrong indentation of an item": (
        "a:\n  - 1\n - 2\n",
        3,
        2,
        "did not find expected key while parsing a block mapping that begins in line 1",
    ),
    "key in a list": (
        "- a\nb: 1\n",
        2,
        1,
        "did not find expected '-' indicator while parsing a block collection that begins in line 1",
    ),
    "item in a mapping": (
        "a: 1\n- b\n",
        2,
        1,
        "did not find expected key while parsing a block mapping that begins in line 1",
    ),
    "item behind a colon": ("a: - b\n", 1, 4, "block sequence entries are not allowed in this context"),
    "list without an end": (
        "a: 1\nb: [1, 2\n",
        2,
        9,
        "did not find expected ',' or ']' while parsing a flow sequence that begins in line 2",
    ),
    "empty list without an end": (
        "a: [\n",
        1,
        5,
        "did not find expected node content before the end of the text",
    ),
    "mapping without an end": (
        "a: &x {b: 1\n",
        1,
        12,
        "did not find expected ',' or '}' while parsing a flow mapping that begins in line 1",
    ),
    "pair in a list without an end": (
        "[a: 1",
        1,
        6,
        "did not find expected ',' or ']' while parsing a flow sequence that begins in line 1",
    ),
    "wrong bracket": (
        "a: [1, 2}\n",
        1,
        9,
        "did not find expected ',' or ']' while parsing a flow sequence that begins in line 1",
    ),
    "missing comma": (
        "{a: 1\nb: 2}\n",
        2,
        2,
        "did not find expected ',' or '}' while parsing a flow mapping that begins in line 1",
    ),
    "bracket too many": ("{a: 1}}\n", 1, 7, "did not find expected <document start>"),
    "closing bracket alone": (
        "a: ]\n",
        1,
        4,
        "did not find expected node content while parsing a block node that begins in line 1",
    ),
    "quoted text without an end": (
        'a: 1\nb: "x\nc: 2\n',
        2,
        4,
        "found unexpected end of stream while scanning a quoted scalar",
    ),
    "single quotes without an end": ("a: 'x\n", 1, 4, "found unexpected end of stream while scanning a quoted scalar"),
    "text behind a quoted text": (
        'é: "ü" x\n',
        1,
        8,
        "did not find expected key while parsing a block mapping that begins in line 1",
    ),
    "apostrophe": (
        "a: 'it's'\n",
        1,
        8,
        "did not find expected key while parsing a block mapping that begins in line 1",
    ),
    "reserved character": ("a: @b\n", 1, 4, "found character that cannot start any token: '@'"),
    "percent": ("a: %b\n", 1, 4, "found character that cannot start any token: '%'"),
    "star without a name": (
        "a: *.py\n",
        1,
        5,
        "did not find expected alphabetic or numeric character while scanning an alias that begins in line 1",
    ),
    "undeclared tag": ("a: !x!y b\n", 1, 4, "found undefined tag handle while parsing a node that begins in line 1"),
    "digits of an escape": (
        'a: "é\\xzz"\n',
        1,
        8,
        "did not find expected hexdecimal number while parsing a quoted scalar that begins in line 1",
    ),
    "text behind a bar": (
        "a: |x\n  b\n",
        1,
        5,
        "did not find expected comment or line break while scanning a block scalar that begins in line 1",
    ),
    "unknown version": ("%YAML 2.0\n---\na\n", 1, 1, "found incompatible YAML document"),
    "text behind the end": ("a\n... b\n", 2, 5, "did not find expected <document start>"),
    "control character": ("é: 1\nb: \x01\n", 2, 4, "the character U+0001 is not allowed in YAML"),
    "CRLF": (
        "a: 1\r\nb: [\r\n",
        2,
        5,
        "did not find expected node content before the end of the text",
    ),
    "lone CR": ("a: 1\rb: c: d\r", 2, 5, "mapping values are not allowed in this context"),
    "odd line ends in the text": (
        'a: "\u2028"\nb: "\x85" x\n',
        2,
        8,
        "did not find expected key while parsing a block mapping that begins in line 1",
    ),
}
IN_PYTHON = {
    "tab as indentation": "found character '\\t' that cannot start any token",
    "tab in a plain text": "found character '\\t' that cannot start any token",
    "tab at the beginning": "found character '\\t' that cannot start any token",
    "two colons": "mapping values are not allowed here",
    "deeper key below a value": "mapping values are not allowed here",
    "no space behind a colon": "mapping values are not allowed here",
    "wrong indentation of a key": "expected <block end>, but found '<block mapping start>'",
    "wrong indentation of an item": "expected <block end>, but found '<block sequence start>'",
    "key in a list": "expected <block end>, but found '?'",
    "item in a mapping": "expected <block end>, but found '-'",
    "item behind a colon": "sequence entries are not allowed here",
    "list without an end": "expected ',' or ']', but got '<stream end>'",
    "empty list without an end": "expected the node content, but found '<stream end>'",
    "mapping without an end": "expected ',' or '}', but got '<stream end>'",
    "pair in a list without an end": "expected ',' or ']', but got '<stream end>'",
    "wrong bracket": "expected ',' or ']', but got '}'",
    "missing comma": "expected ',' or '}', but got ':'",
    "bracket too many": "expected '<document start>', but found '}'",
    "closing bracket alone": "expected the node content, but found ']'",
    "text behind a quoted text": "expected <block end>, but found '<scalar>'",
    "apostrophe": "expected <block end>, but found '<scalar>'",
    "reserved character": "found character '@' that cannot start any token",
    "percent": "found character '%' that cannot start any token",
    "star without a name": "expected alphabetic or numeric character, but found '.'",
    "undeclared tag": "found undefined tag handle '!x!'",
    "digits of an escape": "expected escape sequence of 2 hexadecimal numbers, but found 'z'",
    "text behind a bar": "expected chomping or indentation indicators, but found 'x'",
    "unknown version": "found incompatible YAML document (version 1.* is required)",
    "text behind the end": "expected '<document start>', but found '<scalar>'",
    "CRLF": "expected the node content, but found '<stream end>'",
    "lone CR": "mapping values are not allowed here",
    "odd line ends in the text": "expected <block end>, but found '<scalar>'",
}
"""How a message starts without libyaml, if it differs."""


@pytest.mark.parametrize(("text", "line", "column", "message"), WRONG.values(), ids=WRONG)
def test_an_error_is_reported_where_one_would_look(text: str, line: int, column: int, message: str) -> None:
    assert find_issues(text) == [Issue("error", line, column, "invalid-syntax", message)]


@pytest.mark.parametrize("name", WRONG)
def test_an_error_is_reported_at_the_same_place_without_libyaml(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text, line, column, message = WRONG[name]
    without_libyaml(monkeypatch)
    (issue,) = find_issues(text)
    problem = issue.message.partition(" while ")[0]
    expected = IN_PYTHON.get(name, message.partition(" while ")[0])
    assert issue.evolve(message=problem) == Issue("error", line, column, "invalid-syntax", expected)


def test_an_unknown_escape_is_an_error() -> None:
    (issue,) = find_issues('a: 1\nb: "\\d"\n')
    assert (issue.line, issue.column, "escape" in issue.message) == (2, 5, True)


def test_a_tag_without_an_end_is_an_error() -> None:
    (issue,) = find_issues("a: !<x\n")
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
    assert find_issues(text) == []


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
def test_all_duplicate_keys_are_errors(text: str, expected: list[tuple[int, int, int]]) -> None:
    issues = find_issues(text)
    assert [(issue.line, issue.column) for issue in issues] == [(line, column) for line, column, _ in expected]
    assert {(issue.severity, issue.code) for issue in issues} == {("error", "duplicate-key")}
    assert [issue.message.rpartition(" ")[2] for issue in issues] == [str(first) for *_, first in expected]


def test_an_alias_needs_an_anchor_before_it_in_its_document() -> None:
    issues = find_issues("a: *x\n---\nb: &y 1\nc: &z [*y]\nd: *z\n---\ne: *y\n")
    assert [(issue.line, issue.column, issue.code) for issue in issues] == [
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
        find_issues(text, "templates/a.yaml")


def test_a_template_that_is_yaml_passes() -> None:
    assert find_issues('a: "{{ b }}"\nc: {{ d }}\n') == []


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, "{" * 100_000, "[a: " * 50_000, "{a: " * 50_000, "- " * 50_000],
    ids=["lists", "mappings", "pairs", "values", "items"],
)
def test_a_nesting_too_deep_is_not_judged(text: str) -> None:
    with pytest.raises(NotRunError, match="deeply"):
        find_issues(text)


def test_aliases_of_aliases_cost_nothing() -> None:
    rows = [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 50)]
    assert find_issues("\n".join(["a0: &a0 x", *rows])) == []


def test_problems_that_are_very_many_are_not_all_reported() -> None:
    assert len(find_issues("a: 1\n" * 1_500)) == 1_000


def test_a_missing_parser_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(NotRunError, match="PyYAML"):
        find_issues("a: 1\n")


def test_a_slow_parser_gets_no_long_text(monkeypatch: pytest.MonkeyPatch) -> None:
    without_libyaml(monkeypatch)
    monkeypatch.setattr(data, "_MAX_WITHOUT_LIBYAML_CHARS", 10)
    assert find_issues("a: 1\nb: 23") == []
    with pytest.raises(NotRunError, match="libyaml"):
        find_issues("a: 1\nb: 234")


def test_half_a_surrogate_pair_is_not_judged() -> None:
    with pytest.raises(NotRunError):
        find_issues("a: \ud800")


@few
@given(VALUES, st.sampled_from([{}, {"default_flow_style": True}, {"allow_unicode": True}]))
def test_what_is_dumped_passes(value: object, options: dict[str, Any]) -> None:
    assert find_issues(yaml.safe_dump(value, **options)) == []


@settings(max_examples=150)
@given(st.text("ab:-?[]{},&*!|>%@'\"# \n\t\r\\é1.", max_size=20) | st.text(max_size=10))
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
