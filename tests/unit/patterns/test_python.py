"""Python's patterns: the same matches and replacements as `re`, with a time limit."""

import re
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture.errors import InvalidCaptureGroup, InvalidRegex, RegexTimeout
from suture.patterns.engines import Clock
from suture.patterns.python import FLAGS, PythonPattern, parse_template
from suture.text import Text
from suture.text.edits import apply, edit


def replace(pattern: str, replacement: str, raw: bytes, flags: int = 0, encoding: str | None = None) -> bytes:
    text, compiled = Text.decode(raw, encoding), PythonPattern(pattern, flags)
    template = parse_template(replacement, compiled)
    clock = Clock(5_000, 5_000)
    return apply(text.body, [edit(*spans[0], template.fill(text, spans)) for spans in compiled.matches(text, clock)])


@pytest.mark.promise("safe.search")
@pytest.mark.parametrize(
    ("pattern", "replacement", "text"),
    [
        (r"(\w+) (\w+)", r"\2 \1", "one two"),
        (r"(?P<first>\w)", r"<\g<first>>", "ab"),
        (r"b", r"[\g<0>]", "abc"),
        (r"b", r"\n\t\\", "abc"),
        (r"b", r"\101\0\07", "abc"),
        (r"(b)", r"\1\g<1>1", "abc"),
        (r"b", r"\.\-é", "abc"),
        (r"x*", "-", "axb"),
        (r"^", "> ", "a\nb"),
        (r"(a)|b", r"<\1>", "ab"),
        (r"a{e}", "x", "a{e}"),
        (r"a{", "x", "a{"),
        (r"a{,2}", "x", "aaaa"),
        (r"[[]", "x", "[]"),
        (r"[]a]", "x", "]a"),
        (r"[^]a]", "x", "]ab"),
        (r"[\]\[]", "x", "[]"),
        (r"[[:alpha:]]", "x", "a:]"),
        (r"a(?#comment {e})b", "x", "ab"),
        (r"\d{2}", "x", "1234"),
        (r"(?i)AB", "x", "ab"),
        (r"[é-ü]", "x", "aéb"),
        (r"[\Sx]", "x", "a é"),
        (r"[\W]", "x", "a é-"),
        (r"(?a)[\w]", "x", "aé"),
        (r"[\w]", "x", "aé-"),
        (r"(", "x", "a"),
        (r"a", r"\1", "a"),
        (r"a", r"\g<n>", "a"),
        (r"(a)", r"\g<2>", "a"),
        (r"a", r"\g", "a"),
        (r"a", r"\g<>", "a"),
        (r"a", r"\q", "a"),
        (r"a", "\\", "a"),
        (r"a", r"\777", "a"),
        (r"(?P<n>a)", r"\g<m>", "a"),
        (r"a{1", "x", "a{1"),
        (r"(?P<é>a)", r"\g<é>", "a"),
    ],
)
def test_the_same_as_re(pattern: str, replacement: str, text: str) -> None:
    try:
        expected: str | None = re.sub(pattern, replacement, text)
    except (re.error, IndexError):
        expected = None
    except FutureWarning:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = re.sub(pattern, replacement, text)
    if expected is None:
        with pytest.raises(InvalidRegex):
            replace(pattern, replacement, text.encode())
    else:
        assert replace(pattern, replacement, text.encode()).decode() == expected


@pytest.mark.parametrize(
    ("flag", "pattern", "text"),
    [
        ("IGNORECASE", "AB", "ab"),
        ("MULTILINE", "^b", "a\nb"),
        ("DOTALL", "a.b", "a\nb"),
        ("UNICODE", r"\w", "é"),
        ("ASCII", r"\w", "é"),
        ("VERBOSE", "a [ ] b # {e} [", "a b"),
        ("VERBOSE", "a # {e} [\n b", "ab"),
    ],
)
def test_flags_have_pythons_numbers(flag: str, pattern: str, text: str) -> None:
    assert FLAGS[flag] == getattr(re, flag)
    expected = re.sub(pattern, "x", text, flags=FLAGS[flag])
    assert replace(pattern, "x", text.encode(), FLAGS[flag]).decode() == expected


ATOMS = st.sampled_from(
    r"a b é . \w \d [ab] [^a] (a) (?:ab) ^ $ \b { } {e} {1} {0,2} * + ? | *? \n (?=b) (?!a) [[] \1 {,1} (?i:A)".split()
)


@settings(max_examples=150)
@given(
    st.lists(ATOMS, min_size=1, max_size=4).map("".join),
    st.sampled_from(["x", "", r"\g<0>", r"[\g<0>]", r"\1", r"\n"]),
    st.text("aabbé{}1e \n[", max_size=10),
    st.sampled_from([0, 2, 8, 16, 256, 10]),
)
def test_any_pattern_does_the_same_as_in_re(pattern: str, replacement: str, text: str, flags: int) -> None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected: str | None = re.sub(pattern, replacement, text, flags=flags)
    except (re.error, IndexError):
        expected = None
    try:
        result: str | None = replace(pattern, replacement, text.encode(), flags).decode()
    except InvalidRegex:
        result = None
    assert result == expected


@pytest.mark.promise("safe.search")
@pytest.mark.parametrize(
    ("pattern", "replacement", "raw", "expected"),
    [
        (r"(?m)a$", "x", b"a\r\nb\r\na", b"x\r\nb\r\nx"),
        (r"a\nb", r"c\nd", b"a\r\nb\r\n", b"c\r\nd\r\n"),
        (r"\n", "", b"a\r\nb\nc", b"abc"),
        (r"b", r"x\ny", "é\r\nb\r\n".encode(), "é\r\nx\r\ny\r\n".encode()),
        (r"(?m)^b", "x", b"a\rb\r", b"a\rx\r"),
        (r"(.)b", r"\1x", b"\xffb", b"\xffx"),
        (r"é(.)", r"\1é", "xéyz".encode(), "xyéz".encode()),
    ],
)
def test_line_endings_and_bytes_stay_the_same(pattern: str, replacement: str, raw: bytes, expected: bytes) -> None:
    flags = FLAGS["MULTILINE"] if pattern.startswith("(?m)") else 0
    assert replace(pattern, replacement, raw, flags) == expected


@pytest.mark.promise("regex.bounded")
def test_a_pattern_that_takes_too_long_is_stopped() -> None:
    text = Text.decode(b"a" * 100_000 + b"!b")
    with pytest.raises(RegexTimeout):
        list(PythonPattern(r"((?:a|aa)+)+(?=b)", 0).matches(text, Clock(100, 100)))


@pytest.mark.parametrize(
    "pattern",
    ["(?:(?:a{200}){200}){200}", "a{99999999999}", "(?:" * 2_000 + "a" + ")" * 2_000, "(?:(?:\\b){500}){500}"],
)
def test_a_pattern_that_is_too_large_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidRegex):
        PythonPattern(pattern, 0)


def test_whitespace_that_python_keeps_in_a_verbose_pattern_counts() -> None:
    text = "a\u00a0b ab"
    expected = re.sub("a\u00a0b", "x", text, flags=re.VERBOSE)
    assert replace("a\u00a0b", "x", text.encode(), FLAGS["VERBOSE"]).decode() == expected


def test_a_pattern_that_only_regex_refuses_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise ValueError("no")

    monkeypatch.setattr("regex.compile", refuse)
    with pytest.raises(InvalidRegex, match="not supported: no"):
        PythonPattern("a", 0)


def test_errors_are_those_of_python() -> None:
    with pytest.raises(InvalidRegex) as caught:
        PythonPattern("a)", 0)
    assert (caught.value.reason, caught.value.position) == ("unbalanced parenthesis at position 1", 1)
    with pytest.raises(InvalidRegex, match="named groups are n"):
        parse_template(r"\g<m>", PythonPattern("(?P<n>a)", 0))


@pytest.mark.promise("safe.search")
@pytest.mark.parametrize(
    ("replacement", "reference", "meant"),
    [
        ("$1", "$1", r"\1"),
        ("x$2y", "$2", r"\2"),
        ("${1}2", "${1}", r"\g<1>"),
        ("${1}", "${1}", r"\1"),
        ("${name}", "${name}", r"\g<name>"),
        ("$<name>", "$<name>", r"\g<name>"),
    ],
)
def test_a_group_as_javascript_writes_it_is_refused_with_the_right_spelling(
    replacement: str, reference: str, meant: str
) -> None:
    with pytest.raises(InvalidCaptureGroup) as caught:
        replace("(a)(?P<name>b)", replacement, b"ab")
    error = caught.value
    assert (error.reference, error.meant, error.dialect) == (reference, meant, "Python")


@pytest.mark.parametrize(
    ("pattern", "replacement", "expected"),
    [
        ("ab", "$1 ${name}", "$1 ${name}"),
        ("(a)b", "$3 $10 ${other} $x $ $$1 $&", "$3 $10 ${other} $x $ $$1 $&"),
        ("(a)b", "$1.50 and $1,000", "$1.50 and $1,000"),
        ("(a)b", r"\0441", "$1"),
    ],
)
def test_a_dollar_that_means_no_group_is_text(pattern: str, replacement: str, expected: str) -> None:
    assert replace(pattern, replacement, b"ab").decode() == expected
