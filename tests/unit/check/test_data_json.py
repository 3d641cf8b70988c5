"""JSON, JSON lines, and JSON with comments."""

import json
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture.check.data import Json, JsonWithComments
from suture.check.issue import Issue, NotRunError, Places

if TYPE_CHECKING:
    from suture.check.issue import Staging

few = settings(max_examples=40)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)
STRUCTURE = st.text('{}[]:,"0 \n1e.-\\tru/*é\r', max_size=20)


NOWHERE = cast("Staging", None)  # these checks need no file


def find_issues(text: str, path: str = "a.json") -> list[Issue]:
    check = JsonWithComments() if path.endswith(("c", "rc")) else Json()
    return check.check(path, None, text, NOWHERE)


def places(text: str, path: str = "a.json") -> list[tuple[int, int]]:
    return [(issue.line, issue.column) for issue in find_issues(text, path)]


WRONG = {
    "trailing comma in an object": ('{\n  "a": 1,\n}', 2, 9, "Illegal trailing comma before '}'"),
    "trailing comma in a list": ("[1, 2,]", 1, 6, "Illegal trailing comma before ']'"),
    "missing comma between keys": ('{\n  "a": 1\n  "b": 2\n}', 2, 9, "Expecting ',' delimiter, not `\"b\"`"),
    "missing comma between values": ("[1 2]", 1, 3, "Expecting ',' delimiter, not `2`"),
    "missing comma behind an object": ('[{}\n\n{"a": 1}]', 1, 4, "Expecting ',' delimiter, not `{`"),
    "two commas": ("[1,,2]", 1, 4, "Expecting value, not `,`"),
    "two commas in an object": (
        '{"a": 1,, "b": 2}',
        1,
        9,
        "Expecting property name enclosed in double quotes, not `,`",
    ),
    "comma first": ("{,}", 1, 2, "Expecting property name enclosed in double quotes, not `,`"),
    "unquoted key": ('{"a": 1, bcd: 2}', 1, 10, "Expecting property name enclosed in double quotes, not `bcd`"),
    "number as a key": ("{12: 1}", 1, 2, "Expecting property name enclosed in double quotes, not `12`"),
    "list as a key": ("{[1]: 2}", 1, 2, "Expecting property name enclosed in double quotes, not `[`"),
    "single quotes for a key": ("{'a': 1}", 1, 2, "Expecting property name enclosed in double quotes, not `'a'`"),
    "single quotes for a value": ("['a']", 1, 2, "Expecting value, not `'a'`"),
    "typographic quotes": ("{“a”: 1}", 1, 2, "Expecting property name enclosed in double quotes, not `“a”`"),
    "Python's True": ('{"a": True}', 1, 7, "Expecting value, not `True`"),
    "Python's None": ("[None]", 1, 2, "Expecting value, not `None`"),
    "JavaScript's undefined": ("[undefined]", 1, 2, "Expecting value, not `undefined`"),
    "wrong case": ("[TRUE]", 1, 2, "Expecting value, not `TRUE`"),
    "NaN": ("[1, NaN]", 1, 5, "Expecting value, not `NaN`"),
    "minus infinity": ("-Infinity", 1, 1, "Expecting value, not `-Infinity`"),
    "unquoted text": ("[abc]", 1, 2, "Expecting value, not `abc`"),
    "missing value": ('{"a": }', 1, 7, "Expecting value, not `}`"),
    "missing value before a comma": ('{"a":, "b": 1}', 1, 6, "Expecting value, not `,`"),
    "missing colon": ('{"a" 1}', 1, 5, "Expecting ':' delimiter, not `1`"),
    "missing colon and value": ('{"a"}', 1, 5, "Expecting ':' delimiter, not `}`"),
    "equals sign": ('{"a" = 1}', 1, 5, "Expecting ':' delimiter, not `=`"),
    "colon in a list": ('["a": 1]', 1, 5, "Expecting ',' delimiter, not `:`"),
    "colon for a value": ("[:]", 1, 2, "Expecting value, not `:`"),
    "semicolon": ("[1; 2]", 1, 3, "Expecting ',' delimiter, not `;`"),
    "string without an end": ('["abc', 1, 2, "Unterminated string"),
    "string over two lines": ('{\n  "a": "b,\n  "c": 1\n}', 2, 11, "Invalid control character in a string: '\\n'"),
    "tab in a string": ('["a\tb"]', 1, 4, "Invalid control character in a string: '\\t'"),
    "control character in a string": ('["a\x01"]', 1, 4, "Invalid control character in a string: '\\x01'"),
    "unknown escape": ('["a\\d"]', 1, 4, "Invalid \\escape"),
    "escape at the end": ('["a\\', 1, 2, "Unterminated string"),
    "short unicode escape": ('["\\u12"]', 1, 4, "Invalid \\uXXXX escape"),
    "quote in a string": ('["say "no" now"]', 1, 8, "Expecting ',' delimiter, not `no`"),
    "object without an end": (
        '{\n  "a": {\n    "b": 1\n}\n',
        4,
        1,
        "a bracket above is missing or extra: this line is not indented like the contents of the '{' in line 2",
    ),
    "list without an end": ('{"a": [1, 2', 1, 12, "the text ends inside the '[' in line 1"),
    "end behind a comma": ("[1,", 1, 4, "the text ends inside the '[' in line 1"),
    "end behind a key": ('{"a"', 1, 5, "the text ends inside the '{' in line 1"),
    "end behind a colon": ('{"a":', 1, 6, "the text ends inside the '{' in line 1"),
    "end behind an opening brace": (
        '[{"a": 1}, {',
        1,
        13,
        "the text ends inside the '{' in line 1",
    ),
    "wrong bracket behind a value": ('{\n  "a": [1, 2}\n}', 2, 13, "'}' does not close the '[' in line 2"),
    "wrong bracket for a key": ("{]", 1, 2, "']' does not close the '{' in line 1"),
    "wrong bracket for a value": ("[1,}", 1, 3, "Illegal trailing comma before '}'"),
    "bracket too many": ('{"a": 1}}', 1, 9, "Extra data"),
    "bracket alone": ("]", 1, 1, "Expecting value, not `]`"),
    "text behind the value": ("{}\n\nabc", 3, 1, "Extra data"),
    "comma behind the value": ("{},", 1, 3, "Extra data"),
    "comment at the end of a line": (
        '{\n  "a": 1, // one\n  "b": 2\n}',
        2,
        11,
        "Expecting property name enclosed in double quotes, not `//`",
    ),
    "comment over lines": ("/* a\n */ {}", 1, 1, "Expecting value, not `/*`"),
    "comment behind a value": ("[1 // one\n]", 1, 3, "Expecting ',' delimiter, not `//`"),
    "comment behind the end": ("{} // all", 1, 4, "Extra data"),
    "comment behind a key": ('{"a" /* b */: 1}', 1, 5, "Expecting ':' delimiter, not `/*`"),
    "comment with a hash": ("# a\n{}", 1, 1, "Expecting value, not `#`"),
    "something left out": ('{"a": 1, ...}', 1, 10, "Expecting property name enclosed in double quotes, not `...`"),
    "leading zero": ("[01]", 1, 3, "Expecting ',' delimiter, not `1`"),
    "plus sign": ("[+1]", 1, 2, "Expecting value, not `+1`"),
    "no digit before the point": ("[.5]", 1, 2, "Expecting value, not `.5`"),
    "no digit behind the point": ("[1.]", 1, 3, "Expecting ',' delimiter, not `.`"),
    "hexadecimal": ("[0x1F]", 1, 3, "Expecting ',' delimiter, not `x1F`"),
    "underscore in a number": ("[1_000]", 1, 3, "Expecting ',' delimiter, not `_000`"),
    "no exponent": ("[1e]", 1, 3, "Expecting ',' delimiter, not `e`"),
    "minus alone": ("-", 1, 1, "Expecting value, not `-`"),
    "unit behind a number": ("[12px]", 1, 4, "Expecting ',' delimiter, not `px`"),
    "no-break space": ("[\xa01]", 1, 2, "Expecting value, not `\\u00a0`"),
    "no-break space behind a value": ("[1\x0b]", 1, 3, "Expecting ',' delimiter, not `\\u000b`"),
    "slash": ("[/]", 1, 2, "Expecting value, not `/`"),
    "empty": ("", 1, 1, "Expecting value, not the end of the text"),
    "blank": ("\n \n", 1, 1, "Expecting value, not the end of the text"),
    "CRLF": ('{\r\n  "a": 1\r\n  "b": 2\r\n}', 2, 9, "Expecting ',' delimiter, not `\"b\"`"),
    "lone CR": ('{\r  "a": 1\r  "b": 2\r}', 2, 9, "Expecting ',' delimiter, not `\"b\"`"),
    "beyond ASCII before it": ('["é😀" 1]', 1, 6, "Expecting ',' delimiter, not `1`"),
    "bracket missing in indented lines": (
        '{\n  "a": {\n    "b": 1,\n  "c": 2\n}\n',
        4,
        3,
        "a bracket above is missing or extra: this line is not indented like the contents of the '{' in line 2",
    ),
    "bracket too many in indented lines": (
        '{\n  "a": {\n    "b": {\n      "c": 1\n    }},\n    "d": 2\n  },\n  "e": 3\n}\n',
        6,
        5,
        "a bracket above is missing or extra: this line is not indented like the contents of the '{' in line 1",
    ),
    "bracket missing in lines without indentation": (
        '{\n"a": {\n"b": 1,\n"c": 2\n}\n',
        5,
        2,
        "the text ends inside the '{' in line 1",
    ),
    "bracket missing on one line": ('{"a": [{"b": 1}, {"c": 2]}', 1, 25, "']' does not close the '{' in line 1"),
}


@pytest.mark.parametrize(("text", "line", "column", "message"), WRONG.values(), ids=WRONG)
def test_an_error_is_reported_where_one_would_look(text: str, line: int, column: int, message: str) -> None:
    assert find_issues(text) == [Issue("error", line, column, "invalid-syntax", message)]


RIGHT = {
    "object": '{"a": [1, 2.5, -3e+7, true, false, null, "x"]}',
    "scalar": " 1 ",
    "string": '"a\\u00e9\\n\\"//"',
    "empty list": "[ ]",
    "empty object": "{\n}",
    "lines": '{\r\n\t"a": 1\r\n}\r\n',
    "lone CR": '{\r"a": 1\r}',
    "half a surrogate pair in an escape": '"\\ud800"',
    "many digits": "1" * 5_000,
    "exponent": "[0e1, -0.0E-2]",
    "beyond ASCII": '{"é": "日本語 😀"}',
}


@pytest.mark.parametrize("text", RIGHT.values(), ids=RIGHT)
def test_what_is_right_passes_with_and_without_comments_allowed(text: str) -> None:
    assert (find_issues(text), find_issues(text, "a.jsonc")) == ([], [])


@pytest.mark.parametrize("text", ["[" * 20_000 + "]" * 20_000, '{"a":' * 20_000, "[" * 20_000])
def test_a_nesting_too_deep_is_not_judged(text: str) -> None:
    for path in ("a.json", "a.jsonc", "a.jsonl"):
        with pytest.raises(NotRunError, match="nested too deeply"):
            find_issues(text, path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1,\n "b": {"a": 2},\n "a": 3}', [(3, 2)]),
        ('{"a": 1, "\\u0061": 2, "a": 3}', [(1, 10), (1, 23)]),
        ('[{"a": "a"}, {"a": 2}]', []),
        ('{"a": "b", "c": ["a"],\n"a": "c"}', [(2, 1)]),
    ],
    ids=["one", "written differently", "in two objects", "beside strings"],
)
def test_a_duplicate_key_is_a_warning(text: str, expected: list[tuple[int, int]]) -> None:
    issues = find_issues(text)
    assert [(issue.line, issue.column) for issue in issues] == expected
    assert {(issue.severity, issue.code) for issue in issues} <= {("warning", "duplicate-key")}
    assert all("first in line 1" in issue.message for issue in issues)


def test_very_many_duplicate_keys_are_not_all_reported() -> None:
    assert len(find_issues("{" + '"a":1,' * 5_000 + '"a":1}')) == 1_000


def test_long_names_are_cut_and_odd_characters_shown() -> None:
    quoted = "a\\u007f" * 15
    (issue,) = find_issues("[" + "a\x7f" * 50 + "]")
    assert issue.message == f"Expecting value, not `{quoted}…`"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("\n\n", []),
        ('{"a": 1}\n\n[2]\r\n"b"', []),
        ('{"a": 1}\n{"b": 2,}\n{', [(2, 8)]),
        ('{"a": 1}\r{"b": 2,}\r', [(2, 8)]),
        ('{"a": 1, "a": 2}\n{"b": 1, "b": 2}\n', [(1, 10), (2, 10)]),
        ('{"a": 1, "a": 2}\n[', [(2, 2)]),
        ("[1,\n2]", [(1, 4)]),
    ],
    ids=["empty", "blank", "right", "first error only", "lone CR", "keys twice", "error hides warnings", "two lines"],
)
def test_lines_are_judged_one_by_one(text: str, expected: list[tuple[int, int]]) -> None:
    assert places(text, "a.jsonl") == places(text, "b/a.ndjson") == expected


@pytest.mark.parametrize(
    "text",
    [
        '// a\n{"a": 1, /* b */ "c": [1, 2,], // d\n}\n',
        '{"a": "//b", "c": "/* d */", "e": "f//"} // "g"',
        "/**/[/***/1/* ] */,/*,*/]/**/",
        "[1] /* a\n * b **/",
        "{} //",
    ],
)
def test_comments_and_trailing_commas_pass_where_they_are_allowed(text: str) -> None:
    assert find_issues(text, "a.jsonc") == []
    assert len(find_issues(text)) == 1


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("{} /* a", 1, 4, "Extra data"),
        ('{"a": 1, # b\n}', 1, 10, "Expecting property name enclosed in double quotes, not `#`"),
        ("[1,,]", 1, 4, "Expecting value, not `,`"),
        ("[,]", 1, 2, "Expecting value, not `,`"),
        ("// only\n", 1, 1, "Expecting value, not the end of the text"),
        ('{"a": 1 // b\n "c": 2}', 1, 8, "Expecting ',' delimiter, not `\"c\"`"),
        ("{a: 1}", 1, 2, "Expecting property name enclosed in double quotes, not `a`"),
        ("['a']", 1, 2, "Expecting value, not `'a'`"),
        ("[1 / 2]", 1, 3, "Expecting ',' delimiter, not `/`"),
    ],
)
def test_all_else_is_wrong_with_comments_too(text: str, line: int, column: int, message: str) -> None:
    assert find_issues(text, "a.jsonc") == [Issue("error", line, column, "invalid-syntax", message)]


@few
@given(VALUES, st.sampled_from([{}, {"indent": 2}, {"ensure_ascii": False}]))
def test_what_is_written_by_the_standard_library_passes(value: object, options: dict[str, Any]) -> None:
    text = json.dumps(value, **options)
    assert find_issues(text) == find_issues(text, "a.jsonc") == find_issues(json.dumps(value), "a.jsonl") == []


@few
@given(VALUES, st.data())
def test_a_missing_character_is_reported_inside_the_text(value: object, data: st.DataObject) -> None:
    text = json.dumps([value, {"a": [1, "b"]}], indent=1)
    at = data.draw(st.sampled_from([at for at, char in enumerate(text) if char in '{}[]:,"']))
    broken = text[:at] + text[at + 1 :]
    try:
        json.loads(broken)
    except ValueError:
        (issue,) = find_issues(broken)
        lines = broken.split("\n")
        assert issue.severity == "error"
        assert 1 <= issue.line <= len(lines)
        assert 1 <= issue.column <= len(lines[issue.line - 1]) + 1
    else:
        assert all(issue.severity == "warning" for issue in find_issues(broken))


@settings(max_examples=150)
@given(STRUCTURE | st.text(max_size=10))
def test_any_text_is_judged_as_the_standard_library_judges_it(text: str) -> None:
    try:
        json.loads(text, parse_constant=int)
        is_right = True
    except ValueError:
        is_right = False
    errors = [issue for issue in find_issues(text) if issue.severity == "error"]
    assert bool(errors) != is_right
    if is_right:
        assert [issue for issue in find_issues(text, "a.jsonc") if issue.severity == "error"] == []


@few
@given(st.text("a\n\ré", max_size=12), st.integers(0, 14))
def test_places_are_those_of_the_lines(text: str, offset: int) -> None:
    line, column = Places(text).at(offset)
    assert Places(text).offset(line, column) == min(offset, len(text))
    assert (
        text.split("\n" if "\n" in text else "\r")[line - 1][: column - 1]
        == text[:offset][len(text[:offset]) - column + 1 :]
    )
