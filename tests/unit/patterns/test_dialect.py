"""Parsing of patterns, and the errors."""

from time import process_time

import pytest

from suture.errors import InvalidFlags, InvalidRegex
from suture.patterns.dialect import (
    ALSO_WORDS,
    DIGITS,
    LINE_ENDS,
    SPACES,
    WORDS,
    Back,
    Char,
    Choice,
    Class,
    Edge,
    Group,
    Look,
    Node,
    Repeat,
    Sequence,
    invert,
    parse,
    with_flag,
)


def a(char: str) -> Char:
    return Char(ord(char))


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("a", a("a")),
        ("", Sequence(())),
        ("ab", Sequence((a("a"), a("b")))),
        ("a|b|", Choice((a("a"), a("b"), Sequence(())))),
        ("🎉", Char(0x1F389)),
        ("a*", Repeat(a("a"), 0, None, lazy=False)),
        ("a+", Repeat(a("a"), 1, None, lazy=False)),
        ("a?", Repeat(a("a"), 0, 1, lazy=False)),
        ("a*?", Repeat(a("a"), 0, None, lazy=True)),
        ("a+?", Repeat(a("a"), 1, None, lazy=True)),
        ("a??", Repeat(a("a"), 0, 1, lazy=True)),
        ("a{2}", Repeat(a("a"), 2, 2, lazy=False)),
        ("a{2,}", Repeat(a("a"), 2, None, lazy=False)),
        ("a{2,3}?", Repeat(a("a"), 2, 3, lazy=True)),
        ("a{99999999999}", Repeat(a("a"), 2**31 - 1, 2**31 - 1, lazy=False)),
        ("{", a("{")),
        ("a{b}", Sequence(tuple(map(a, "a{b}")))),
        ("a{1,b}", Sequence(tuple(map(a, "a{1,b}")))),
        ("]}", Sequence((a("]"), a("}")))),
        ("^$", Sequence((Edge("start"), Edge("end")))),
        ("/^$/m", Sequence((Edge("line_start"), Edge("line_end")))),
        (r"\b\B", Sequence((Edge("word"), Edge("no_word")))),
        (".", Class(LINE_ENDS, (), negated=True)),
        ("/./s", Class((), (), negated=True)),
        ("[^]", Class((), (), negated=True)),
        ("[]", Class(())),
        ("[a-cb]", Class(((0x61, 0x63),))),
        ("[^a-]", Class(((0x2D, 0x2D), (0x61, 0x61)), (), negated=True)),
        (r"[a-\d]", Class(((0x2D, 0x2D), (0x30, 0x39), (0x61, 0x61)))),
        (r"[\w-a]", Class(((0x2D, 0x2D), *WORDS))),
        (r"[\b\]\\]", Class(((0x08, 0x08), (0x5C, 0x5D)))),
        (r"[\D]", Class(invert(DIGITS))),
        (r"[[:x]", Class(((0x3A, 0x3A), (0x5B, 0x5B), (0x78, 0x78)))),
        (r"\d\S", Sequence((Class(DIGITS), Class(SPACES, (), negated=True)))),
        (r"/\w/i", Class(ALSO_WORDS, fold=True)),
        (r"/[\W]/i", Class(invert(ALSO_WORDS), fold=True)),
        (r"/a/i", Char(0x61, fold=True)),
        (r"\p{Lu}", Class((), (("Lu", False),))),
        (r"\P{Uppercase_Letter}", Class((), (("Lu", True),))),
        (r"[\P{L}\p{Script=Greek}\P{L}]", Class((), (("L", True), ("Script=Greek", False)))),
        (r"\p{ASCII}", Class(((0, 0x7F),))),
        (r"\P{ASCII}", Class(((0x80, 0x10FFFF),))),
        (r"\P{Any}", Class(())),
        (r"\t\n\v\f\r\0", Sequence(tuple(map(a, "\t\n\v\f\r\0")))),
        (r"\cJ\x41\u0042\u{43}", Sequence(tuple(map(a, "\nABC")))),
        (r"\u{0000000000041}", a("A")),
        (r"\ud83c\udf89", Char(0x1F389)),
        (r"\ud83c\u0041", Sequence((Char(0xD83C), a("A")))),
        (r"\ud83cx", Sequence((Char(0xD83C), a("x")))),
        (r"\/\-\"\é", Sequence(tuple(map(a, '/-"é')))),
        ("(a)", Group(a("a"), 1)),
        ("(?:a)", Group(a("a"))),
        ("(?<x>a)", Group(a("a"), 1)),
        ("(?P<x>a)(?P=x)", Sequence((Group(a("a"), 1), Back(1)))),
        (r"\k<x>(?<x>a)", Sequence((Back(1), Group(a("a"), 1)))),
        (r"(a)\1", Sequence((Group(a("a"), 1), Back(1)))),
        ("(?=a)", Look(a("a"), ahead=True, negative=False)),
        ("(?!a)", Look(a("a"), ahead=True, negative=True)),
        ("(?<=a)", Look(a("a"), ahead=False, negative=False)),
        ("(?<!a)", Look(a("a"), ahead=False, negative=True)),
        ("(?i)a", Char(0x61, fold=True)),
        ("(?s).", Class((), (), negated=True)),
        ("(?i:a)b", Sequence((Group(Char(0x61, fold=True)), a("b")))),
        ("/(?-i:a)b/i", Sequence((Group(a("a")), Char(0x62, fold=True)))),
        ("/usr/bin", Sequence(tuple(map(a, "/usr/bin")))),
        ("/", a("/")),
        ("//", Sequence((a("/"), a("/")))),
        ("/a/b/", Sequence(tuple(map(a, "a/b")))),
    ],
)
def test_a_pattern_is_read(written: str, read: Node) -> None:
    assert parse(written).root == read


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("^a", True),
        ("a|b$", True),
        ("(?:(x$)+)?", True),
        ("(?<!^)a", True),
        ("(?-m:^)a", True),
        ("/^a/g", True),
        ("a", False),
        (r"[$^]\$\b(a)\1", False),
        ("/^a$/m", False),
        ("(?m)^a", False),
        ("(?m:^)a", False),
    ],
)
def test_an_assertion_about_the_ends_of_the_text_is_noticed(written: str, expected: bool) -> None:  # noqa: FBT001  a parameter of the table
    assert parse(written).has_text_end is expected


@pytest.mark.parametrize("written", ["^(a)$", "/^(a)$/gi", "(?i)^(?<n>a)$"])
def test_a_flag_can_be_added(written: str) -> None:
    pattern = parse(written)
    more = with_flag(pattern, "m")
    assert more.flags == pattern.flags | {"m"}
    assert (more.source, more.groups, more.names) == (pattern.source, pattern.groups, pattern.names)
    assert (pattern.has_text_end, more.has_text_end) == (True, False)
    assert with_flag(more, "m") == more


def test_flags_of_the_delimited_form_win() -> None:
    assert parse("/a/gi", "m").flags == frozenset("gi")
    assert parse("/a/", "m").flags == frozenset("m")
    assert parse("a", "gu").every
    assert not parse("a").every


def test_names_are_numbered() -> None:
    pattern = parse(r"(?<first>a)(b)(?P<$x>c)")
    assert (pattern.groups, pattern.names) == (3, {"first": 1, "$x": 3})


@pytest.mark.parametrize(
    ("written", "flags", "unknown"),
    [("/a/y", "", "y"), ("/a/ggvd", "", "vd"), ("a", "x", "x"), ("/a/y", "g", "y")],
)
def test_unknown_flags_are_named(written: str, flags: str, unknown: str) -> None:
    with pytest.raises(InvalidFlags) as caught:
        parse(written, flags)
    assert (caught.value.flags, caught.value.supported) == (unknown, "g, i, m, s, u")


@pytest.mark.parametrize(
    ("written", "position", "reason"),
    [
        ("(", 0, "Unmatched '('"),
        ("a(b", 1, "Unmatched '('"),
        ("a)", 1, "Unmatched ')'"),
        ("/a)/", 2, "Unmatched ')'"),
        ("/é🎉)/g", 3, "Unmatched ')'"),
        ("[a", 0, "Unterminated character class"),
        ("/x[a/", 2, "Unterminated character class"),
        ("[a\\", 2, "Unterminated character class"),
        ("*", 0, "Nothing to repeat"),
        ("a|+", 2, "Nothing to repeat"),
        ("a**", 2, "Nothing to repeat"),
        ("a{2}+", 4, "Nothing to repeat"),
        ("{2}", 0, "Nothing to repeat"),
        ("(?:{2,})", 3, "Nothing to repeat"),
        ("^*", 0, "Nothing to repeat"),
        (r"a\b+", 1, "Nothing to repeat"),
        ("(?=a)*", 0, "Nothing to repeat"),
        ("(?<=a){2}", 0, "Nothing to repeat"),
        ("a{3,2}", 1, "Numbers out of order in {} quantifier"),
        ("[z-a]", 1, "Range out of order in character class"),
        (r"[\u{43}-A]", 1, "Range out of order in character class"),
        ("a\\", 1, "Trailing backslash"),
        (r"\A", 0, "Unknown escape \\A"),
        ("a{,3}", 1, "Incomplete quantifier"),
        (r"a\Z", 1, "Unknown escape \\Z"),
        (r"\z", 0, "Unknown escape \\z"),
        (r"\h", 0, "Unknown escape \\h"),
        (r"\R", 0, "Unknown escape \\R"),
        (r"\y", 0, "Unknown escape \\y"),
        (r"\00", 0, "Unknown escape \\0"),
        (r"\c1", 0, "Unknown escape \\c"),
        (r"\x4", 0, "Invalid escape"),
        (r"\xg0", 0, "Invalid escape"),
        (r"\u12", 0, "Invalid escape"),
        (r"\ud83c\u00", 6, "Invalid escape"),
        (r"\3(a)[(](?=b)(?:c)\((?!d)(?<=e)(?<!f)(?<g>)", 0, "\\3 refers to a group, and the pattern has 2 groups"),
        (r"\u{}", 0, "Invalid Unicode escape"),
        (r"\u{41", 0, "Invalid Unicode escape"),
        (r"\u{110000}", 0, "Invalid Unicode escape"),
        (r"\u{ffffffffff}", 0, "Invalid Unicode escape"),
        (r"\u{g}", 0, "Invalid Unicode escape"),
        (r"a\p{Nope}", 1, "Unknown property \\p{Nope}"),
        (r"\pL", 0, "Unknown property \\p"),
        (r"\p{Script=Klingon}", 0, "Unknown property \\p{Script=Klingon}"),
        (r"\P{" + "x" * 90 + "}", 0, "Unknown property \\P{" + "x" * 38),
        (r"\k", 0, "Invalid named reference"),
        (r"\k<x>", 0, "Unknown group name 'x'"),
        ("(?P=x)", 0, "Unknown group name 'x'"),
        (r"\k<", 0, "Invalid group name"),
        ("(?<1a>b)", 0, "Invalid group name"),
        ("(?<>b)", 0, "Invalid group name"),
        ("a(?P<x", 1, "Invalid group name"),
        ("(?<a>x)(?<a>y)", 7, "Duplicate group name 'a'"),
        (r"\1", 0, "\\1 refers to a group, and the pattern has 0 groups"),
        (r"(a)\2", 3, "\\2 refers to a group, and the pattern has 1 group"),
        (r"(a)(b)\9999999999", 6, "\\999999999 refers to a group, and the pattern has 2 groups"),
        ("(?", 0, "Invalid group"),
        ("(?>a)", 0, "Invalid group"),
        ("(?#a)", 0, "Invalid group"),
        ("a(?i)b", 1, "Invalid group"),
        ("(?x:a)", 0, "Invalid group"),
        ("(?ii:a)", 0, "Invalid group"),
        ("(?i-i:a)", 0, "Invalid group"),
        ("(?-:a)", 0, "Invalid group"),
        ("[[:alpha:]]", 1, "POSIX class [:alpha:] is not supported"),
        ("[[=a=]]", 1, "POSIX class [=a=] is not supported"),
        ("(" * 60, 50, "Nested too deeply"),
    ],
)
def test_errors_have_a_reason_and_a_position(written: str, position: int, reason: str) -> None:
    with pytest.raises(InvalidRegex) as caught:
        parse(written)
    assert (caught.value.position, caught.value.reason) == (position, reason)
    assert caught.value.pattern == written


HOSTILE = {
    "open": "(" * 20_000,
    "nested": "(" * 10_000 + ")" * 10_000,
    "groups": "(a)" * 6_600,
    "options": "|".join("abcdefgh" * 1_200),
    "braces": "{" * 20_000,
    "brackets": "[" * 20_000,
    "posix": "[" + "[:" * 9_900,
    "properties": r"\p{" * 6_600,
    "names": "(?<" * 6_600,
    "references": "(a)" + r"\1" * 9_900,
    "counts": "a{1,2}" * 3_300,
    "flags": "(?i" * 6_600,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_pattern_is_parsed_fast(name: str) -> None:
    began = process_time()
    try:
        parse(HOSTILE[name])
    except InvalidRegex as error:
        assert error.reason  # noqa: PT017  both are fine, time is what counts
    assert process_time() - began < 10


@pytest.mark.parametrize(
    ("written", "advice"),
    [
        (r"\A", "^ without the flag m is the start of the text"),
        (r"\y", None),
        ("(?>a)", "Atomic groups are not supported; a plain group, (?:…), matches the same or more"),
        ("(?z)", None),
        ("a++", "Possessive quantifiers are not supported"),
        ("a**", None),
        ("a{,3}", "Write {0,3}"),
        ("[[:alpha:]]", r"Write the characters, such as A-Za-z, or a property such as \p{L}"),
    ],
)
def test_what_belongs_to_another_dialect_has_advice(written: str, advice: str | None) -> None:
    with pytest.raises(InvalidRegex) as caught:
        parse(written)
    assert caught.value.advice == advice


def test_there_may_not_be_too_many_groups() -> None:
    assert parse("()" * 500).groups == 500
    with pytest.raises(InvalidRegex, match="More than 500 groups"):
        parse("()" * 501)
