"""What a pattern means, and what text is: the dialect, line ends, encodings and columns of the seven regex tools."""

import json
from typing import Any

import pytest

from tests.unit.changes import done, refused, workspace

Place = tuple[int, int, str]


def call(tool: str, before: bytes, pattern: str, **more: Any) -> list[dict[str, Any]]:
    ws, _ = workspace({"a": before})
    result = ws.call(tool, {"file_path": "a", "pattern": pattern, **more})
    assert not result.is_error, result.text
    assert json.loads(result.text) == result.data
    data: list[dict[str, Any]] = result.data
    return data


def places(before: bytes, pattern: str, **more: Any) -> list[Place]:
    """Every match with its line and column."""
    found = call("regex_search", before, pattern, **{"flags": "g", **more})
    return [(each["line"], each["column"], each["match"]) for each in found]


def matches(text: str, pattern: str, flags: str = "g") -> list[str]:
    return [each["match"] for each in call("regex_search", text.encode(), pattern, flags=flags)]


def kept(before: bytes, pattern: str, **more: Any) -> list[tuple[int, str]]:
    """The lines that match."""
    return [(each["line"], each["content"]) for each in call("regex_match_lines", before, pattern, **more)]


def replaced(before: bytes, pattern: str, replacement: str, **more: Any) -> bytes:
    ws, fs = workspace({"a": before})
    arguments = {"file_path": "a", "pattern": pattern, "replacement": replacement, "flags": "g", **more}
    done(ws.call("regex_replace", arguments))
    return fs.files()["a"]


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


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("a1٣९", r"\d", ["1"]),
        ("a1٣-", r"\D", ["a", "٣", "-"]),
        ("aé_1ß", r"\w+", ["a", "_1"]),
        ("aé_1ß", r"\W", ["é", "ß"]),
        ("éa", r"\ba", ["a"]),
        ("aé", r"a\b", ["a"]),
        ("éa", r"\Ba", []),
        ("a\u00a0b", r"\s", ["\u00a0"]),
        ("a\ufeffb", r"\s", ["\ufeff"]),
        ("a\u2003\u3000\u1680b", r"\s+", ["\u2003\u3000\u1680"]),
        ("a\u2028\u2029b", r"\s+", ["\u2028\u2029"]),
        (" \t\x0b\x0c\n", r"\s+", [" \t\x0b\x0c\n"]),
        ("a\u200bb", r"\s", []),
        ("\u00a0x\ufeff", r"\S", ["x"]),
        ("\u00a0x\ufeff", r"[^\S]", ["\u00a0", "\ufeff"]),
        ("x\u00a0y", r"[\sx]+", ["x\u00a0"]),
    ],
)
def test_digits_and_words_are_ascii_and_white_space_is_unicode(text: str, pattern: str, expected: list[str]) -> None:
    assert matches(text, pattern) == expected


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("sSſ", "s", ["s", "S", "ſ"]),
        ("sSſ", "ſ", ["s", "S", "ſ"]),
        ("kK\u212a", "k", ["k", "K", "\u212a"]),
        ("kK\u212a", "\u212a", ["k", "K", "\u212a"]),
        ("kK\u212a", "[k]", ["k", "K", "\u212a"]),
        ("kK\u212a1", "[a-z]+", ["kK\u212a"]),
        ("σςΣ", "σ", ["σ", "ς", "Σ"]),
        ("σςΣ", "Σ", ["σ", "ς", "Σ"]),
        ("σςΣ", "ς", ["σ", "ς", "Σ"]),
        ("äÄ", "Ä", ["ä", "Ä"]),
        ("ИЖ иж", "иж", ["ИЖ", "иж"]),
        ("ßẞss", "ß", ["ß", "ẞ"]),
        ("iIİı", "i", ["i", "I"]),
        ("å\u212b", "Å", ["å", "\u212b"]),
        ("\U00010400\U00010428", "\U00010400", ["\U00010400", "\U00010428"]),
        ("aA Aa ab", r"(a)\1", ["aA", "Aa"]),
        ("aB", "[^A]", ["B"]),
        ("ſſ", "(?<=s)s", ["ſ"]),
    ],
)
def test_case_is_ignored_by_simple_folding(text: str, pattern: str, expected: list[str]) -> None:
    assert matches(text, pattern, "gi") == expected


def test_case_counts_without_the_flag() -> None:
    assert matches("sSſ kK\u212a", "[sk]") == ["s", "k"]


@pytest.mark.promise("regex.text")
@pytest.mark.parametrize(
    ("before", "pattern", "flags", "expected"),
    [
        (b"a\rb\nc", ".+", "g", [(1, 0, "a"), (1, 2, "b"), (2, 0, "c")]),
        (b"a\r\nb\r\n", ".+", "g", [(1, 0, "a"), (2, 0, "b")]),
        (b"a\rb\nc", ".+", "gs", [(1, 0, "a\rb\nc")]),
        ("a\u2028b\u2029c\x85d\x0ce\n".encode(), ".+", "g", [(1, 0, "a\u2028b\u2029c\x85d\x0ce")]),
        ("a\u2028b\n".encode(), "^b|a$", "gm", []),
        (b"a\x0cb\x0bc\n", "^[bc]|[ab]$", "gm", []),
        (b"a\rb\nc", "^.|.$", "gm", [(1, 0, "a"), (1, 2, "b"), (2, 0, "c")]),
        ("a😀".encode(), "a.$", "g", [(1, 0, "a😀")]),
    ],
)
def test_the_dot_and_the_anchors_know_line_ends_and_nothing_else(
    before: bytes, pattern: str, flags: str, expected: list[Place]
) -> None:
    assert places(before, pattern, flags=flags) == expected


# Line ends


@pytest.mark.promise("regex.text")
@pytest.mark.parametrize(
    ("before", "pattern", "flags", "expected"),
    [
        (b"a\r\nb\r\n", "^", "gm", [(1, 0, ""), (2, 0, "")]),
        (b"a\r\nb\r\n", "$", "gm", [(1, 1, ""), (2, 1, "")]),
        (b"a\r\nb", "$", "gm", [(1, 1, ""), (2, 1, "")]),
        (b"a\r\nb\r\n", "^b$", "gm", [(2, 0, "b")]),
        (b"a\r\nb\r\n", "b$", "g", []),
        (b"a\r\nb", "b$", "g", [(2, 0, "b")]),
        (b"a\r\nb\r\n", "^b", "g", []),
        (b"a\r\n\r\nb\r\n", "^$", "gm", [(2, 0, "")]),
        (b"a\r\nb\nc\r\nd", "^", "gm", [(1, 0, ""), (2, 0, ""), (3, 0, ""), (4, 0, "")]),
        (b"a\r\nb\nc\r\nd", r"\w$", "gm", [(1, 0, "a"), (2, 0, "b"), (3, 0, "c"), (4, 0, "d")]),
        (b"a\r\nb\nc", r"a\r\nb\nc", "g", [(1, 0, "a\r\nb\nc")]),
        (b"a\r\nb\nc\n", r"\r?\n", "g", [(1, 1, "\r\n"), (2, 1, "\n"), (3, 1, "\n")]),
        (b"a\r\nb", r"\r", "g", [(1, 1, "\r")]),
        (b"a\r\nb", r"\n", "g", [(1, 2, "\n")]),
        (b"a  \r\nb \r\n", r"[ \t]+$", "gm", [(1, 1, "  "), (2, 1, " ")]),
        (b"a  \r\nb \r\nc", r"\s+$", "gm", [(1, 1, "  "), (2, 1, " ")]),
        (b"a\r\nb", r"\r$", "gm", []),
        (b"a\r\nb", r"^\n", "gm", []),
        (b"a\r\r\nb", r"\r$", "gm", [(1, 1, "\r")]),
        (b"a\rb\rc", "[bc]", "g", [(2, 0, "b"), (3, 0, "c")]),
        (b"a\rb\rc\r", r"\r", "g", [(1, 1, "\r"), (2, 1, "\r"), (3, 1, "\r")]),
        (b"a\rb\rc\n", "[bc]", "g", [(1, 2, "b"), (1, 4, "c")]),
        ("a\u2028b\x85c\x0cd\ne".encode(), "[bcde]", "g", [(1, 2, "b"), (1, 4, "c"), (1, 6, "d"), (2, 0, "e")]),
        (b"\n\n\nx", "x", "g", [(4, 0, "x")]),
    ],
)
def test_lines_end_at_lf_and_crlf_and_at_cr_where_there_is_no_lf(
    before: bytes, pattern: str, flags: str, expected: list[Place]
) -> None:
    assert places(before, pattern, flags=flags) == expected


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        (b"", []),
        (b"a", [(1, "a")]),
        (b"a\n", [(1, "a")]),
        (b"\n", [(1, "")]),
        (b"a\n\n", [(1, "a"), (2, "")]),
        (b"a\r\nb\r\n", [(1, "a"), (2, "b")]),
        (b"a\nb\r\nc", [(1, "a"), (2, "b"), (3, "c")]),
        (b"a\rb\rc", [(1, "a"), (2, "b"), (3, "c")]),
        (b"a\rb\nc", [(1, "a\rb"), (2, "c")]),
        (b"a\nb\r", [(1, "a"), (2, "b\r")]),
        (b"a\r\nb\r", [(1, "a"), (2, "b\r")]),
        (b"a\r\r\nb\r\r", [(1, "a\r"), (2, "b\r\r")]),
        (b"a\n\r", [(1, "a"), (2, "\r")]),
        ("a\u2028b\x85c\x0cd\n".encode(), [(1, "a\u2028b\x85c\x0cd")]),
        ("\ufeffa\nb\n".encode(), [(1, "a"), (2, "b")]),
        ("\ufeffa\r\nb\r\n".encode("utf-16-le"), [(1, "a"), (2, "b")]),
    ],
)
def test_a_line_is_given_without_its_end(before: bytes, expected: list[tuple[int, str]]) -> None:
    assert kept(before, "") == expected


@pytest.mark.promise("regex.line-ends")
@pytest.mark.parametrize(
    ("before", "pattern", "replacement", "after"),
    [
        (b"a\r\nb\r\n", "b", "c", b"a\r\nc\r\n"),
        (b"a\nb\r\nc", "[abc]", "x", b"x\nx\r\nx"),
        (b"a\rb\rc", "[abc]", "x", b"x\rx\rx"),
        (b"a\rb\nc\n", "[abc]", "x", b"x\rx\nx\n"),
        (b"a\r\nb\r\n", "b", "c\nd", b"a\r\nc\r\nd\r\n"),
        (b"a\nb\n", "b", "c\nd", b"a\nc\nd\n"),
        (b"a\nb\n", "b", "c\r\nd", b"a\nc\r\nd\n"),
        (b"a\r\nb\r\n", "b", "c\r\nd", b"a\r\nc\r\nd\r\n"),
        (b"a\r\nb\r\n", r"(a\r\nb)", "$1\nc", b"a\r\nb\r\nc\r\n"),
        (b"a\r\nb\r\n", "b", "c\\nd", b"a\r\nc\\nd\r\n"),
        (b"a  \r\nb \r\n", r"/[ \t]+$/gm", "", b"a\r\nb\r\n"),
        (b"a  \r\nb \r\nc", r"/\s+$/gm", "", b"a\r\nb\r\nc"),
        (b"a\r\nb\r\n", "/^/gm", "> ", b"> a\r\n> b\r\n"),
        (b"a\r\nb\r\n", "/$/gm", ";", b"a;\r\nb;\r\n"),
        (b"a\r\nb\r\n", r"\r\n", ", ", b"a, b, "),
        (b"a\n", "a", "b", b"b\n"),
        (b"a", "a", "b", b"b"),
        (b"a", "a", "b\n", b"b\n"),
    ],
)
def test_line_ends_are_kept_and_new_ones_are_like_them(
    before: bytes, pattern: str, replacement: str, after: bytes
) -> None:
    assert replaced(before, pattern, replacement) == after


# Columns


@pytest.mark.promise("regex.text")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x", [(1, 0)]),
        ("éx", [(1, 1)]),
        ("日本x", [(1, 2)]),
        ("😀x", [(1, 1)]),
        ("😀😀 x😀x", [(1, 3), (1, 5)]),
        ("e\u0301x", [(1, 2)]),
        ("👨\u200d👩\u200d👧x", [(1, 5)]),
        ("\u200bx", [(1, 1)]),
        ("\tx", [(1, 1)]),
        ("😀\nx", [(2, 0)]),
        ("😀\né😀x", [(2, 2)]),
        ("\ufeffx", [(1, 0)]),
        ("\ufeff😀x", [(1, 1)]),
        ("a\ufeffx", [(1, 2)]),
        ("a\n\ufeffx", [(2, 1)]),
        ("\ufeff\ufeffx", [(1, 1)]),
    ],
)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_columns_are_code_points_without_the_byte_order_mark(
    text: str, ending: str, expected: list[tuple[int, int]]
) -> None:
    found = places((text + "\n").replace("\n", ending).encode(), "x")
    assert [(line, column) for line, column, _ in found] == expected


# Encodings

SAMPLE = "\ufeffé😀 x\r\nzwei x\n"
ENCODINGS = ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]


@pytest.mark.promise("regex.text")
@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_byte_order_mark_decides_the_encoding_and_is_no_part_of_the_text(encoding: str) -> None:
    before = SAMPLE.encode(encoding)
    assert places(before, "x") == [(1, 3, "x"), (2, 5, "x")]
    assert places(before, "^é😀") == [(1, 0, "é😀")]
    assert places(before, r"\ufeff") == []
    assert kept(before, "^.. x$") == [(1, "é😀 x")]
    assert [each["content"] for each in call("regex_split", before, r"\r?\n")] == ["é😀 x", "zwei x", ""]
    assert [each["groups"] for each in call("regex_extract", before, "(.) x")] == [["😀"], ["i"]]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_replacement_is_written_in_the_encoding_of_the_file(encoding: str) -> None:
    before = SAMPLE.encode(encoding)
    assert replaced(before, "x", "ü😁") == SAMPLE.replace("x", "ü😁").encode(encoding)
    assert replaced(before, "^", "> ") == SAMPLE.replace("é", "> é", 1).encode(encoding)
    assert replaced(before, "nowhere", "y") == before


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_file_with_nuls_in_a_named_encoding_is_text(encoding: str) -> None:
    before = "ä x\n".encode(encoding)
    assert places(before, "x") == []
    assert places(before, "x", encoding=encoding) == [(1, 2, "x")]
    assert replaced(before, "x", "ü", encoding=encoding) == "ä ü\n".encode(encoding)


def test_a_named_encoding_is_used_where_the_bytes_do_not_prove_another() -> None:
    latin = b"caf\xe9 x\n"
    assert places(latin, "é", encoding="latin-1") == [(1, 3, "é")]
    assert places(latin, r"\u00e9 (x)", encoding="latin-1") == [(1, 3, "é x")]
    assert kept(latin, "é", encoding="latin-1") == [(1, "café x")]
    assert [each["content"] for each in call("regex_split", latin, "é", encoding="latin-1")] == ["caf", " x\n"]
    assert [each["groups"] for each in call("regex_extract", latin, "(é)", encoding="latin-1")] == [["é"]]
    assert replaced(latin, "x", "ü", encoding="latin-1") == b"caf\xe9 \xfc\n"
    assert replaced(latin, "(f)(é)", "$2$1", encoding="latin-1") == b"ca\xe9f x\n"
    assert places("café x\n".encode(), "é", encoding="latin-1") == [(1, 3, "é")]
    assert replaced(b"x\n", "x", "ü", encoding="latin-1") == b"\xfc\n"
    assert replaced(b"x\n", "x", "ü") == "ü\n".encode()


@pytest.mark.promise("regex.text")
def test_bytes_of_an_unknown_encoding_pass_through() -> None:
    latin = b"caf\xe9 x\n\xff\xfey\n"
    assert places(latin, "[xy]") == [(1, 5, "x"), (2, 2, "y")]
    assert places(latin, "caf.") == [(1, 0, "caf\ufffd")]
    assert kept(latin, "y$") == [(2, "\ufffd\ufffdy")]
    assert places(latin, "é") == []
    assert replaced(latin, "x", "z") == b"caf\xe9 z\n\xff\xfey\n"
    assert replaced(latin, "/^/gm", "> ") == b"> caf\xe9 x\n> \xff\xfey\n"
    assert replaced(latin, "(.) x", "$1-$1") == b"caf\xe9-\xe9\n\xff\xfey\n"


@pytest.mark.parametrize(
    ("before", "replacement", "more", "code"),
    [
        (b"caf\xe9 x\n", "ü", {}, "ENCODING_UNKNOWN"),
        (b"caf\xe9 x\n", "$1→", {}, "ENCODING_UNKNOWN"),
        (b"caf\xe9 x\n", "→", {"encoding": "latin-1"}, "NOT_ENCODABLE"),
        (b"caf\xe9 x\n", "😀", {"encoding": "latin-1"}, "NOT_ENCODABLE"),
        (b"caf x\n", "ü", {"encoding": "ascii"}, "NOT_ENCODABLE"),
    ],
)
@pytest.mark.parametrize("dry_run", [False, True])
def test_what_cannot_be_written_is_refused(
    before: bytes, replacement: str, more: dict[str, Any], code: str, *, dry_run: bool
) -> None:
    ws, fs = workspace({"a": before})
    arguments = {"file_path": "a", "pattern": "(x)", "replacement": replacement, "dry_run": dry_run, **more}
    result = ws.call("regex_replace", arguments)
    assert (refused(result)["code"], "\n" in result.text) == (code, False)
    assert fs.files() == {"a": before}


def test_a_binary_file_is_changed_as_text_only_on_request() -> None:
    before = b"\0\xff x \0\n\x80x"
    assert replaced(before, "x", "yy") == before
    assert replaced(before, "x", "yy", binary_check_buffer_size=0) == b"\0\xff yy \0\n\x80yy"
    assert replaced(before, r"\0", "0", binary_check_buffer_size=-1) == b"0\xff x 0\n\x80x"
