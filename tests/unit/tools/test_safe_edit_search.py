"""The tool `safe_edit`, search and replace: literal texts, and patterns that mean what they mean to Python."""

import re
from typing import Any

import pytest

from suture import Settings
from tests.unit.changes import done, workspace
from tests.unit.file_edits import seen
from tests.unit.tools.safe_edits import SAVED, ask, code_of, edited, failed, memory, pattern, swap, told

I, M, S, U, X, A = 2, 8, 16, 32, 64, 256  # noqa: E741  as `re` names them, with the values that it has


# Literal texts


@pytest.mark.promise("safe.search")
@pytest.mark.parametrize(
    ("before", "edit", "after"),
    [
        (b"a.c abc\n", swap("a.c", "x"), b"x abc\n"),
        (b"a|b ^a$ [a]\n", swap("^a$", "(a)"), b"a|b (a) [a]\n"),
        (b"a\\d a1\n", swap("\\d", "\\w"), b"a\\w a1\n"),
        (b"one\n", swap("one", r"\1 $& $1 \g<0> \n \\ &"), b"\\1 $& $1 \\g<0> \\n \\\\ &\n"),
        (b"aaaa\n", swap("aa", "b"), b"bb\n"),
        (b"aaa\n", swap("aa", "a"), b"aa\n"),
        (b"ab\n", swap("b", "ab"), b"aab\n"),
        (b"one two\n", swap(" two", ""), b"one\n"),
        (b"a\nb\na\nb\n", swap("a\nb\n", "c\n"), b"c\nc\n"),
        (b"a\r\nb\r\nc\r\n", swap("a\nb\n", "x\ny\nz\n"), b"x\r\ny\r\nz\r\nc\r\n"),
        (b"a\r\nb\r\n", swap("\n", "\n\n"), b"a\r\n\r\nb\r\n\r\n"),
        (b"a\r\nb\nc\r\n", swap("a\nb\n", ""), b"c\r\n"),
        (b"a\r\nb\r\nc\r\n", swap("b\n", ""), b"a\r\nc\r\n"),
        (b"a\r\nb\r\n", swap("b", "x\r\ny"), b"a\r\nx\r\ny\r\n"),
        (b"a\nb\n", swap("b", "x\r\ny"), b"a\nx\r\ny\n"),
        (b"a\r\nb\r\n", swap("b", "x\ny"), b"a\r\nx\r\ny\r\n"),
        ("\ufeffé é\r\n".encode(), swap("é", "🎉"), "\ufeff🎉 🎉\r\n".encode()),
        ("ab\n".encode("utf-16"), swap("b", "é"), "aé\n".encode("utf-16")),
        (b"A a\n", swap("a", "b", flags=I), b"A b\n"),
        (b"a\n.\n", swap(".", "x", flags=S | I | M), b"a\nx\n"),
    ],
)
def test_a_literal_text_is_replaced_as_it_stands(before: bytes, edit: dict[str, Any], after: bytes) -> None:
    assert edited(before, search_replace=edit) == after


@pytest.mark.promise("safe.search")
@pytest.mark.parametrize("search", ["A", "a ", "a\n", "ａ", "", "\ufeff"])
def test_a_literal_text_is_not_found_where_it_does_not_stand_exactly(search: str) -> None:
    ws, fs = memory(a=b"a")
    untouched = seen(fs)
    expected = "PATTERN_NOT_FOUND" if search else "INVALID_ARGUMENTS"
    assert code_of(ask(ws, "a.txt", search_replace=swap(search, "x"))) == expected
    assert seen(fs) == untouched


@pytest.mark.promise("safe.texts")
def test_the_number_of_replacements_stands_before_the_saved_line() -> None:
    ws, _ = memory(a=b"a a a a a\n")
    result = ask(ws, "a.txt", search_replace=swap("a", "b"), show_diff=False)
    assert result.text == f"✅ Replaced 5 occurrences of 'a' → 'b'\n{SAVED}"
    result = ask(ws, "a.txt", search_replace=swap("b", "c", count=1), mode="interactive")
    assert told(result).status == f"✅ Replaced 1 occurrence of 'b' → 'c'\n{SAVED}"
    foretold = done(ask(ws, "a.txt", search_replace=swap("b", "c"), mode="verify_only"))
    assert (foretold["replacements"], foretold["written"]) == (4, False)


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
    assert done(result)["replacements"] == number
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
    assert (fs.files()["a.txt"].decode(), done(result)["replacements"]) == (after, number)


@pytest.mark.promise("safe.search")
@pytest.mark.parametrize("count", [0, 1, 2, 5, 100])
@pytest.mark.parametrize(("search", "replace"), [("o", "00"), ("x*", "-"), (r"(\w)(\w)", r"\2\1"), ("^", "> ")])
def test_the_first_matches_of_a_pattern_are_replaced(search: str, replace: str, count: int) -> None:
    after, number = re.subn(search, replace, TEXT, count=count, flags=M)
    ws, fs = memory(a=TEXT.encode())
    edit = pattern(search, replace, flags=M, count=count)
    assert done(ask(ws, "a.txt", search_replace=edit))["replacements"] == number
    assert fs.files()["a.txt"].decode() == after


@pytest.mark.promise("safe.search")
def test_a_pattern_that_python_warns_of_works_nevertheless() -> None:
    assert edited(b"[a] b|c\n", search_replace=pattern("[[a]", "x")) == b"xx] b|c\n"
    assert edited(b"a--b||c\n", search_replace=pattern("[-||]", "x")) == b"axxbxxc\n"


@pytest.mark.promise("safe.search")
def test_a_pattern_works_on_characters_whatever_the_encoding() -> None:
    edit = pattern(r"^(.)(.)$", r"\2\1", flags=M)
    for codec in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
        assert edited("é🎉\r\nab\r\n".encode(codec), search_replace=edit) == "🎉é\r\nba\r\n".encode(codec)
    latin = edited("é×\r\nab".encode("latin-1"), search_replace=edit, encoding="latin-1")
    assert latin == "×é\r\nba".encode("latin-1")


@pytest.mark.promise("safe.search")
def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert edited("\ufeffa\n".encode(), search_replace=pattern(r"\A.", "x")) == "\ufeffx\n".encode()
    assert edited("\ufeffa\n".encode(), search_replace=pattern(r"^", "x")) == "\ufeffxa\n".encode()


@pytest.mark.promise("safe.search")
@pytest.mark.parametrize(
    ("before", "search", "replace", "after"),
    [
        (b"a\r\nb\nc\r\n", "$", ";", b"a;\r\nb;\nc;\r\n;"),
        (b"a\r\nb\nc\r\n", "^b\n", "", b"a\r\nc\r\n"),
        (b"a\r\nb\nc", "[abc]", "x", b"x\r\nx\nx"),
        (b"a\r\nb\r\n", "a\nb", r"b\na", b"b\r\na\r\n"),
        (b"a\r\nb\r\n", "b", "x\r\ny", b"a\r\nx\r\ny\r\n"),
        (b"a b\nc d\r\n", " ", "", b"ab\ncd\r\n"),
    ],
)
def test_lines_keep_their_ends_under_a_pattern(before: bytes, search: str, replace: str, after: bytes) -> None:
    assert edited(before, search_replace=pattern(search, replace, flags=M)) == after


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
    result = failed(b"a\n", search_replace=pattern(search, "x"))
    assert code_of(result) == "INVALID_REGEX"
    assert result.text.startswith(f"❌ Edit failed: Invalid regex pattern: {known.value}")


@pytest.mark.promise("safe.search")
def test_a_refused_pattern_is_told_of_the_dialect_it_is_read_in() -> None:
    result = failed(b"a\n", search_replace=pattern("(", "x"))
    assert "JavaScript" not in f"{result.to_dict()}"
    assert "Python" in result.data["error"]["hint"]


@pytest.mark.promise("safe.search")
@pytest.mark.parametrize("search", ["a{99999999999}", "(" * 5000 + ")" * 5000])
def test_a_pattern_that_python_chokes_on_is_refused(search: str) -> None:
    with pytest.raises((OverflowError, RecursionError)):
        re.compile(search)
    result = failed(b"a\n", search_replace=pattern(search, "x"))
    assert code_of(result) == "INVALID_REGEX"


@pytest.mark.promise("safe.search")
@pytest.mark.parametrize("search", ["(a)", "(nowhere)"])
@pytest.mark.parametrize("replace", [r"\2", r"\g<2>", r"\g<nope>", r"\q", r"\g<1", r"\g", "\\", r"\g<>", r"\g<-1>"])
def test_a_template_that_python_does_not_know_is_refused(search: str, replace: str) -> None:
    with pytest.raises((re.error, IndexError)):
        re.sub("(a)", replace, "a")
    result = failed(b"a\n", search_replace=pattern(search, replace))
    assert (code_of(result), result.text.startswith("❌ Edit failed: ")) == ("INVALID_REGEX", True)


@pytest.mark.promise("safe.search")
@pytest.mark.parametrize("flags", [1, 4, 128, 512, 2 | 4, -1, 1 << 40, "IGNORECASE", 1.5, True])
def test_flags_that_are_not_among_the_known_are_refused(flags: Any) -> None:
    result = failed(b"a\n", search_replace=pattern("a", "x", flags=flags))
    assert code_of(result) == "INVALID_ARGUMENTS"
    assert "flags" in result.text


@pytest.mark.promise("safe.search")
def test_flags_that_contradict_each_other_are_refused() -> None:
    assert failed(b"a\n", search_replace=pattern("a", "x", flags=A | U)).data["error"]["code"] in {
        "INVALID_REGEX",
        "INVALID_ARGUMENTS",
    }


@pytest.mark.promise("safe.search")
def test_a_catastrophic_pattern_ends_in_time() -> None:
    before = b"a" * 80 + b"b\n"
    for search in (r"^((a|aa)+)\2?$", r"^(?=(a*))(?:a|\1|aa)+$"):
        result = failed(before, Settings(regex_file_ms=100), search_replace=pattern(search, "x"))
        assert (code_of(result), result.text.startswith("❌ Edit failed: ")) == ("REGEX_TIMEOUT", True)


@pytest.mark.slow
@pytest.mark.promise("safe.search")
def test_what_python_would_never_finish_is_answered_with_the_default_limits() -> None:
    ws, fs = workspace({"a.txt": b"a" * 80 + b"b\n"})
    untouched = seen(fs)
    result = ask(ws, "a.txt", search_replace=pattern(r"^(a?)(?:\1a|a|aa)+$", "x"))
    assert code_of(result) == "REGEX_TIMEOUT"
    assert seen(fs) == untouched
