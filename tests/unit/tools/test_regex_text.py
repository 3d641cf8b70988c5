"""What a pattern means, and what text is: the dialect, line ends, encodings and columns of the seven regex tools."""

import json
from typing import Any

import pytest

from tests.unit.changes import workspace


def call(tool: str, before: bytes, pattern: str, **more: Any) -> list[dict[str, Any]]:
    ws, _ = workspace({"a": before})
    result = ws.call(tool, {"file_path": "a", "pattern": pattern, **more})
    assert not result.is_error, result.text
    assert json.loads(result.text) == result.data
    data: list[dict[str, Any]] = result.data
    return data


def matches(text: str, pattern: str, flags: str = "g") -> list[str]:
    return [match["match"] for match in call("regex_search", text.encode(), pattern, flags=flags)]


# The dialect


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        # look-around
        ("foobar foobaz", "foo(?=bar)", ["foo"]),
        ("foobar foobaz", r"foo(?!bar)\w+", ["foobaz"]),
        ("$10 €20", r"(?<=\$)\d+", ["10"]),
        ("$10 €20", r"(?<!\$)\b\d+", ["20"]),
        ("price: 10, cost:  20", r"(?<=\w+:\s*)\d+", ["10", "20"]),
        # references back
        ("aa ab bb", r"(\w)\1", ["aa", "bb"]),
        ("say 'a' \"b\" 'c\"", r"(['\"]).\1", ["'a'", '"b"']),
        ("aa ab bb", r"(?<c>\w)\k<c>", ["aa", "bb"]),
        ("aa ab bb", r"(?P<c>\w)\k<c>", ["aa", "bb"]),
        ("abab abba", r"(a)(b)\1\2", ["abab"]),
        # references back to what did not match
        ("bc", r"(a)?b\1c", ["bc"]),
        ("abac abc", r"(a)?b\1c", ["abac", "bc"]),
        ("b", r"(?:(a)|b)\1", ["b"]),
        ("aa", r"\1(a)", ["a", "a"]),
        ("b", r"(?:(?<n>a)|b)\k<n>", ["b"]),
        # characters by number
        ("aA1", r"\u0041", ["A"]),
        ("aA1", r"\x41", ["A"]),
        ("aé1", r"\u00e9", ["é"]),
        ("a😀1", r"\u{1F600}", ["😀"]),
        ("a😀1", r"\u{41}|\u{1f600}", ["😀"]),
        ("a😀😁1", r"[\u{1F600}-\u{1F64F}]+", ["😀😁"]),
        ("a😀1", r"[^\u{1F600}]", ["a", "1"]),
        ("a\tb\x0bc\x0cd", r"[\t\v\f]", ["\t", "\x0b", "\x0c"]),
        # properties
        ("aBcÄ9Ωω", r"\p{Lu}", ["B", "Ä", "Ω"]),
        ("aB9Ω-", r"\p{L}+", ["aB", "Ω"]),
        ("aB9Ω-", r"\P{L}+", ["9", "-"]),
        ("aB9Ω-", r"[\p{Lu}\d]+", ["B9Ω"]),
        ("abγδ", r"\p{Script=Greek}+", ["γδ"]),
        # classes
        ("ab\ncd", r"b[^]c", ["b\nc"]),
        ("ab\ncd", r"[^]+", ["ab\ncd"]),
        ("ab", "[]", []),
        ("ab", "a|[]", ["a"]),
        ("ab", "a[]?b", ["ab"]),
        ("a-b c", r"[\w-]+", ["a-b", "c"]),
        ("a^b", "[\\^]", ["^"]),
        ("a]b", r"[\]]", ["]"]),
        ("a[b", r"[[]", ["["]),
        ("a b", r"[^\s]", ["a", "b"]),
        ("a--b&&c", "[&-]{2}", ["--", "&&"]),
        # escapes that mean themselves
        ("a/b", r"a\/b", ["a/b"]),
        ('a"b', r"a\"b", ['a"b']),
        ("a'b", r"a\'b", ["a'b"]),
        ("a-b", r"a\-b", ["a-b"]),
        ("a-b", r"[a\-b]+", ["a-b"]),
        ("a.b*c", r"a\.b\*c", ["a.b*c"]),
        ("f(x) {y} [z]", r"f\(x\) \{y\} \[z\]", ["f(x) {y} [z]"]),
        ("a\\b", r"a\\b", ["a\\b"]),
        ("a^b|c$d?e+", r"a\^b\|c\$d\?e\+", ["a^b|c$d?e+"]),
        # repetition
        ("aaaa", "a{2}", ["aa", "aa"]),
        ("aaaa", "a{3,}", ["aaaa"]),
        ("aaaa", "a{1,3}", ["aaa", "a"]),
        ("<a><b>", "<.+?>", ["<a>", "<b>"]),
        ("<a><b>", "<.+>", ["<a><b>"]),
        ("a" * 1500, "^a{1500}$", ["a" * 1500]),
        # alternatives: the first that matches, not the longest
        ("abc", "ab|abc", ["ab"]),
        ("abc", "(?:a|ab)(?:c|bcd)?", ["a"]),
        ("abc", "(?:a|ab)(?:c|bcd|)", ["a"]),
    ],
)
def test_a_pattern_is_read_as_ecmascript(text: str, pattern: str, expected: list[str]) -> None:
    assert matches(text, pattern) == expected
