"""Patterns as they are written for the engines."""

import pytest

from suture.patterns.dialect import parse
from suture.patterns.translate import Emitted, Slot, for_re2, for_regex

WORD = "[0-9A-Z_a-z]"


@pytest.mark.parametrize(
    ("pattern", "source"),
    [
        ("a.b", r"a[^\x{a}\x{d}]b"),
        ("/./s", "(?s:.)"),
        ("[]", r"[^\x00-\x{10FFFF}]"),
        ("[^a-c_é]", r"[^_a-c\x{e9}]"),
        (r"\.", r"\."),
        (" ", r"\x{20}"),
        ("/a/i", "(?i:a)"),
        ("/[ab]/i", "(?i:[a-b])"),
        (r"[\p{Lu}\P{N}]", r"[\p{Lu}\P{N}]"),
        (r"/\p{Lu}/i", r"(?i:[\p{Lu}])"),
        ("^a$", r"\Aa\z"),
        (r"\ba\B", r"\ba\B"),
        ("a*?b+c?d{2}e{1,}f{1,2}?", "a*?b+c?d{2}e+f{1,2}?"),
        ("e{2,}", "e{2,}"),
        ("(?:a|b*)?", "(?:a|b*)?"),
        ("(?:ab)*", "(?:ab)*"),
        ("(?:a|b)c", "(?:a|b)c"),
    ],
)
def test_a_pattern_for_re2(pattern: str, source: str) -> None:
    assert for_re2(parse(pattern)) == Emitted(source, ())


def test_a_line_end_is_consumed_at_the_end_only() -> None:
    assert for_re2(parse("/^a$/m")) == Emitted(r"(?m:^)a(\r?\n|\z)", (Slot(tail=True),))
    assert for_re2(parse("/a$|b$/m")) == Emitted(r"a(\r?\n|\z)|b(\r?\n|\z)", (Slot(tail=True), Slot(tail=True)))
    assert for_re2(parse("/a$b/m")) is None
    assert for_re2(parse("^a$"), by_line=True) == Emitted(r"(?m:^)a(\r?\n|\z)", (Slot(tail=True),))
    assert for_re2(parse("a$b"), by_line=True) is None


@pytest.mark.parametrize(
    "pattern",
    [
        "(?=a)",
        "(?<!a)",
        r"(a)\1",
        "a{1001}",
        "a{0,2000}",
        r"/\r$/m",
        r"\p{Script=Greek}",
        r"\p{Alphabetic}",
        r"\p{Cn}",
        "a{0,1000}" * 6,
        "(?:a{100}){100}",
        r"\p{L}" * 250,
    ],
)
def test_patterns_that_re2_cannot_search_for(pattern: str) -> None:
    assert for_re2(parse(pattern)) is None


@pytest.mark.parametrize(
    ("pattern", "source"),
    [
        ("é", r"\U000000e9"),
        ("/a/i", "(?i:a)"),
        ("/i/i", "[Ii]"),
        ("/ı/i", "ı"),
        ("/İ/i", "İ"),
        ("[]", "(?!)"),
        ("[^]", "(?s:.)"),
        ("[a-c]", "[a-c]"),
        (r"\P{Lu}", r"[\P{Lu}]"),
        ("/[a-c]/i", "(?:(?![IiİıßẞX])(?i:[a-c]))".replace("X", "")),
        ("/[h-j]/i", "(?:(?![Iiİıßẞ])(?i:[h-j])|[Ii])"),
        ("/[^ß]/i", r"(?:(?![Iiİıßẞ])(?i:[^\U000000df])|[Iiİı])"),
        ("^$", r"\A\Z"),
        ("/^/m", r"(?<![^\n])"),
        (r"\b", f"(?:(?<={WORD})(?!{WORD})|(?<!{WORD})(?={WORD}))"),
        ("(?<=a)(?!b)(?=c)(?<!d)", "(?<=a)(?!b)(?=c)(?<!d)"),
        (r"(a)\1", r"(?P<g1>a)(?(g1)(?:(?P=g1))|)"),
        (r"/(a)\1/i", r"(?P<g1>(?i:a))(?(g1)(?i:(?P=g1))|)"),
        (r"\1(a)", "(?:)(?P<g1>a)"),
        (r"(a)\1*", r"(?P<g1>a)(?:(?(g1)(?:(?P=g1))|))*"),
        (r"(a\1)", "(?P<g1>a(?:))"),
        (r"(?<=\1(a))", "(?<=(?(g1)(?:(?P=g1))|)(?P<g1>a))"),
        (r"(?<=(?=\1(a)))", "(?<=(?=(?:)(?P<g1>a)))"),
    ],
)
def test_a_pattern_for_the_engine_that_backtracks(pattern: str, source: str) -> None:
    assert for_regex(parse(pattern)).source == source


@pytest.mark.parametrize(
    ("pattern", "slots"),
    [
        ("(a)(b)", (Slot(1), Slot(2))),
        ("(a)?", (Slot(1),)),
        ("(a)*", (Slot(inner=(1,)), Slot(1))),
        ("(a*)?", (Slot(inner=(1,), optional=True), Slot(1))),
        ("(a*)+", (Slot(inner=(1,)), Slot(1))),
        ("(?<=(a)+)", (Slot(inner=(1,), backward=True), Slot(1))),
        ("(?:(?<=(a))b(?=(c)))+", (Slot(inner=(2,)), Slot(1), Slot(2))),
    ],
)
def test_helper_groups(pattern: str, slots: tuple[Slot, ...]) -> None:
    assert for_regex(parse(pattern)).slots == slots


def test_a_property_is_spelled_out_where_case_is_ignored() -> None:
    spelled = for_re2(parse(r"/\P{Zl}/i"))
    assert spelled is not None
    assert spelled.source == r"(?i:[\x{0}-\x{2027}\x{2029}-\x{10ffff}])"
    assert r"\U00002028" in for_regex(parse(r"/[a\p{Zl}]/i")).source
