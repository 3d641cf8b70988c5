"""The tool `safe_edit`, search and replace: patterns that mean what they mean to Python."""

import re

import pytest

from suture import Settings
from tests.unit.changes import succeed, workspace
from tests.unit.file_edits import snapshot
from tests.unit.tools.safe_edits import ask, code_of, failure, memory, pattern

I, M, S, U, X, A = 2, 8, 16, 32, 64, 256  # noqa: E741  as `re` names them, with the values that it has


# Patterns, as Python has them

TEXT = (
    "The quick brown fox\njumps over 13 lazy dogs.\n\nfoo(bar, baz)\n  foo( x , y )\n"
    "Ünïcode: straße STRASSE ſ K k İ ı ١٢٣ a_b\u00a0c\u2028d\x85e\x1ff\ng--h\t{1} a.b [[x]] \\d $1\nlast"
)


@pytest.mark.promise("safe.search")
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("search", "replace", "flags"),
    [
        # groups and templates
        (r"foo\((\w+), (\w+)\)", r"foo(\2, \1)", 0),
        (r"(?P<first>\w)(?P<rest>\w*)", r"\g<rest>\g<first>ay", 0),
        (r"(\d)(\d)", r"\g<2>0\g<1>\g<0>", 0),
        (r"(x)|(y)", r"<\1|\2>", 0),
        (r"fox", r"\\1 $1 $& & {0} %s", 0),
        (r"fox", r"a\nb\tc", 0),
        (r"fox", "a\nb\tc", 0),
        (r"(?P<a>q)(?P=a)?", r"\g<a>\1", 0),
        (r"fox", r"\101", 0),
        (r"(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)?|fox", r"\g<10>\10", 0),
        # anchors and line ends
        (r"^", "> ", 0),
        (r"^", "> ", M),
        (r"$", ";", 0),
        (r"$", ";", M),
        (r"\s+$", "", M),
        (r"\Afoo|\Z", "END", M),
        (r"^$", "(blank)", M),
        (r"^.*$", "line", M),
        (r".*", "x", 0),
        (r".*", "x", S),
        (r".+", "x", S),
        (r"\n", "|", 0),
        (r"\n\n+", r"\n", 0),
        (r"fox\njumps", r"cat\nsits", 0),
        (r"[^\w\s]+", "_", 0),
        (r"[^a-z]", "", 0),
        (r"\b", "'", 0),
        (r"\B", ".", 0),
        # empty matches
        (r"", "-", 0),
        (r"x*", "-", 0),
        (r"o*?", "-", 0),
        (r"(?=o)", "^", 0),
        (r"o|", "0", 0),
        # case, classes, Unicode
        (r"FOX|strasse", "x", I),
        (r"k", "x", I),
        (r"s", "x", I),
        (r"s", "x", I | A),
        (r"e", "x", I),
        (r"ü", "x", I),
        (r"[à-ÿ]", "x", I),
        (r"\w+", "w", 0),
        (r"\w+", "w", A),
        (r"\w+", "w", U),
        (r"\d+", "9", 0),
        (r"\d+", "9", A),
        (r"\s", "_", 0),
        (r"\s", "_", A),
        (r"\W", "_", A),
        (r"(?i)THE|LAST", "x", 0),
        (r"(?i:t)HE|the|(?i:T)he", "x", 0),
        (r"(?s).+(?-s:.)", "x", 0),
        (r"(?x) f o x  # a fox", "x", 0),
        (" f o x  # a fox\n | d\\ og", "x", X),
        (r"(?m)^\w+$", "x", 0),
        (r"(?a)\w+", "x", 0),
        # look-arounds, repeats, conditions
        (r"(?<=o)o", "0", 0),
        (r"(?<!o)o(?!o)", "0", 0),
        (r"(?<=\bf)o+", "0", 0),
        (r"(\()?x(?(1)\)|)", "z", 0),
        (r"(\w)\1", r"\1", 0),
        (r"o{2}", "0", 0),
        (r"o{,1}x", "0", 0),
        (r"\{1\}|x{1}", "x", 0),
        (r"\w{2,3}?", "x", 0),
        (r"o++x?", "0", 0),
        (r"(?>o+)o|f(?>o*)", "0", 0),
        (r"a|ab|abc", "x", 0),
        (r"[]x[]", "!", 0),
        (r"[a\-z.]", "!", 0),
        (r"\.|\\d|\$1", "!", 0),
        ("\\u00fc|\\xdc|\\N{LATIN SMALL LETTER SHARP S}", "!", 0),
        (r"\x66\157x", "!", 0),
        (r"(?#comment)fox", "!", 0),
    ],
)
def test_a_pattern_means_what_it_means_to_python(search: str, replace: str, flags: int, ending: str) -> None:
    after, number = re.subn(search, replace, TEXT, flags=flags)
    ws, fs = memory(a=TEXT.replace("\n", ending).encode())
    result = ask(ws, "a.txt", search_replace=pattern(search, replace, flags=flags), mode="interactive")
    assert succeed(result)["replacements"] == number
    assert fs.files()["a.txt"].decode() == after.replace("\n", ending)


@pytest.mark.promise("safe.search")
@pytest.mark.parametrize(
    ("search", "text", "flags"),
    [
        (r"\s", "a\x1cb\x1dc\x1ed\x1fe\x85f\u2028g\u180eh\u200bi\ufeff", 0),
        (r"\S+", "a\x1cb\x1dc", 0),
        (r"\w", "_\u0345\u0903²½①Ⅷ\u200d\u20dd", 0),
        (r"\d", "1²½①Ⅷ١", 0),
        (r"\b", "a\u0301b", 0),
        (r"\b", "x² y", 0),
        ("i", "iIİı", I | A),
        ("k", "kK\u212a", I),
        ("s", "sSſ", I),
        ("ß", "ßẞss", I),
        ("σ", "σςΣ", I),
        ("µ", "µμΜ", I),
        ("ﬁ", "ﬁfi", I),
        ("ǅ", "ǅǆǄ", I),
        ("ᲀ", "вВᲀ", I),
        (r"\N{DIGIT ONE}", "1", 0),
        (r"[\N{DIGIT ONE}-\N{DIGIT THREE}]", "1234", 0),
        (r".", "a\x0b\x0c\x85\u2028", 0),
        (r"$", "a\x0c\x85\u2028b", M),
        (r"[^\s\S]", "ab c", 0),
        (r"[^]\s\S]", "ab c", 0),
        (r"[^a\w\W]", "ab c", 0),
        (r"(a*)*", "aab", 0),
        (r"(a*)+", "b", 0),
        (r"((a)|b)*", "abab", 0),
        (r"(?:(a)|b)*", "ab", 0),
        (r"(a|ab)(c|bcd)(d*)", "abcd", 0),
        (r"(a)|b\Z", "ab\n", 0),
    ],
)
def test_a_pattern_agrees_with_python_on_unusual_texts(search: str, text: str, flags: int) -> None:
    replace = r"<\1|\g<0>>" if re.compile(search).groups else r"<\g<0>>"
    after, number = re.subn(search, replace, text, flags=flags)
    ws, fs = memory(a=text.encode())
    edit = pattern(search, replace, flags=flags)
    result = ask(ws, "a.txt", search_replace=edit, mode="interactive")
    assert (fs.files()["a.txt"].decode(), succeed(result)["replacements"]) == (after, number)


@pytest.mark.promise("safe.search")
@pytest.mark.parametrize("count", [0, 1, 2, 5, 100])
@pytest.mark.parametrize(("search", "replace"), [("o", "00"), ("x*", "-"), (r"(\w)(\w)", r"\2\1"), ("^", "> ")])
def test_the_first_matches_of_a_pattern_are_replaced(search: str, replace: str, count: int) -> None:
    after, number = re.subn(search, replace, TEXT, count=count, flags=M)
    ws, fs = memory(a=TEXT.encode())
    edit = pattern(search, replace, flags=M, count=count)
    assert succeed(ask(ws, "a.txt", search_replace=edit))["replacements"] == number
    assert fs.files()["a.txt"].decode() == after


# What is refused


@pytest.mark.promise("safe.search")
@pytest.mark.parametrize(
    "search",
    [
        "(",
        "a)",
        "[a",
        "*a",
        "a**",
        "a{2,1}",
        "(?P<1a>x)",
        "(?P<a>x)(?P<a>y)",
        "(?P=nope)",
        r"\1",
        r"\y",
        r"\p{L}",
        r"\N{NO SUCH CHARACTER}",
        "(?<=a+)b",
        "(?R)",
        "(?z)a",
        "a(?i)b",
        "\\",
        "[z-a]",
        "(?(2)a|b)",
    ],
)
def test_a_pattern_that_python_does_not_know_is_refused(search: str) -> None:
    with pytest.raises(re.error) as known:
        re.compile(search)
    result = failure(b"a\n", search_replace=pattern(search, "x"))
    assert code_of(result) == "INVALID_REGEX"
    assert result.text.startswith(f"❌ Edit failed: Invalid regex pattern: {known.value}")


@pytest.mark.promise("safe.search")
def test_a_refused_pattern_is_reported_with_the_dialect_in_which_it_is_read() -> None:
    result = failure(b"a\n", search_replace=pattern("(", "x"))
    assert "JavaScript" not in f"{result.to_dict()}"
    assert "Python" in result.data["error"]["hint"]


@pytest.mark.promise("safe.search")
@pytest.mark.parametrize("search", ["a{99999999999}", "(" * 5000 + ")" * 5000])
def test_a_pattern_that_python_chokes_on_is_refused(search: str) -> None:
    with pytest.raises((OverflowError, RecursionError)):
        re.compile(search)
    result = failure(b"a\n", search_replace=pattern(search, "x"))
    assert code_of(result) == "INVALID_REGEX"


@pytest.mark.promise("safe.search")
@pytest.mark.parametrize("search", ["(a)", "(nowhere)"])
@pytest.mark.parametrize("replace", [r"\2", r"\g<2>", r"\g<nope>", r"\q", r"\g<1", r"\g", "\\", r"\g<>", r"\g<-1>"])
def test_a_template_that_python_does_not_know_is_refused(search: str, replace: str) -> None:
    with pytest.raises((re.error, IndexError)):
        re.sub("(a)", replace, "a")
    result = failure(b"a\n", search_replace=pattern(search, replace))
    assert (code_of(result), result.text.startswith("❌ Edit failed: ")) == ("INVALID_REGEX", True)


@pytest.mark.promise("safe.search")
def test_flags_that_contradict_each_other_are_refused() -> None:
    assert failure(b"a\n", search_replace=pattern("a", "x", flags=A | U)).data["error"]["code"] in {
        "INVALID_REGEX",
        "INVALID_ARGUMENTS",
    }


@pytest.mark.promise("safe.search")
def test_a_catastrophic_pattern_ends_in_time() -> None:
    before = b"a" * 80 + b"b\n"
    for search in (r"^((a|aa)+)\2?$", r"^(?=(a*))(?:a|\1|aa)+$"):
        result = failure(before, Settings(regex_file_ms=100), search_replace=pattern(search, "x"))
        assert (code_of(result), result.text.startswith("❌ Edit failed: ")) == ("REGEX_TIMEOUT", True)


@pytest.mark.slow
@pytest.mark.promise("safe.search")
def test_what_python_would_never_finish_is_answered_with_the_default_limits() -> None:
    ws, fs = workspace({"a.txt": b"a" * 80 + b"b\n"})
    state = snapshot(fs)
    result = ask(ws, "a.txt", search_replace=pattern(r"^(a?)(?:\1a|a|aa)+$", "x"))
    assert code_of(result) == "REGEX_TIMEOUT"
    assert snapshot(fs) == state
