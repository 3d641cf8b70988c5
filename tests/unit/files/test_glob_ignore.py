"""One `.gitignore`, as git reads it; `tests/interop` asks git itself."""

import os

import pytest

from suture.files.glob import Ignore, join


def verdict_on(rules: str | bytes, path: str) -> str:
    """What the rules decide for a path (a folder if it ends with a slash): `ignored`, `kept` or nothing."""
    ignore = Ignore(rules if isinstance(rules, bytes) else rules.encode())
    folder, _, name = path.removesuffix("/").rpartition("/")
    prefix = f"{folder}/" if folder else ""
    ask = ignore.folders if path.endswith("/") else ignore.files
    ignored, kept = ask([name, "another"], prefix)
    verdict = "ignored" if name in ignored else "kept" if name in kept else ""
    matched = ignore.matches_any([name], prefix, join([name]))
    assert matched or not verdict
    return verdict


IGNORED = [
    ("a", "a x/a a/ x/y/a/", "b a/b ab ba A"),
    ("a/", "a/ x/a/", "a x/a"),
    ("/a", "a a/", "x/a"),
    ("/a/", "a/", "a x/a/"),
    ("a/b", "a/b a/b/", "b x/a/b a/b/c"),
    ("/a/b", "a/b", "x/a/b"),
    ("*.log", "x.log a/x.log .log", "x.logs log"),
    ("*", "a .a a/b", ""),
    ("/*", "a b/", "a/b"),
    ("a*/", "a/ ab/ x/ac/", "ab"),
    ("a?c", "abc x/a.c", "ac abbc"),
    ("a/*", "a/b a/b/", "a a/b/c"),
    ("a/*/c", "a/b/c", "a/c a/b/d/c"),
    ("**/a", "a x/a x/y/a", "b"),
    ("**/a/b", "a/b x/a/b", "b"),
    ("a/**", "a/b a/b/c a/b/", "a a/ x/a/b"),
    ("a/**/b", "a/b a/x/b a/x/y/b", "b x/a/b a/xb"),
    ("**", "a x/a", ""),
    ("***/a", "a x/a", "b"),
    ("a/***/b", "a/b a/x/b", ""),
    ("a/x**", "a/xy", "a/y"),
    ("a/b*c**d", "a/bcd a/bxcyd", "a/bc/d a/b/cd"),
    ("a/**b", "a/xb a/b", "a/x b a/x/b"),
    ("/a**/b", "ab a/b ax/b a/x/b", "b xa/b"),
    ("**\\/b", "x/b x/y/b", "b"),
    ("a\\/b", "a/b", "x/a/b b"),
    ("[ab]", "a b x/a", "c ab"),
    ("[!ab]", "c", "a b"),
    ("[^ab]", "c", "a b"),
    ("[a-c]", "a b c", "d -"),
    ("[]a]", "] a", "b"),
    ("[a-]", "a -", "b"),
    ("x[a/b]y", "xay xby", "x/y x x/ay"),
    ("x/[a/b]", "x/a x/b", "x/c"),
    ("x/[+-9]y", "x/5y", "x//y"),
    ("[[:upper:]]", "A", "a"),
    ("[c-a]", "c", "a b"),
    ("[", "", "[ a"),
    ("[a", "", "[a a"),
    ("[[:foo:]]", "", "f"),
    ("a\\", "", "a a\\"),
    ("\\a", "a", "\\a"),
    ("\\*", "*", "a"),
    ("\\#a", "#a", "a"),
    ("\\!a", "!a", "a"),
    ("#a", "", "#a a"),
    ("a#b", "a#b", "a"),
    ("!", "", "! a"),
    ("/", "", "a a/"),
    ("//", "", "a a/"),
    ("//a", "", "a"),
    ("a//", "", "a a/"),
    ("", "", "a"),
    ("   ", "", "a"),
    ("a\t", "a\t", "a"),
    ("a\n\nb", "a b", ""),
    ("a\r\nb\r\n", "a b", "a\r"),
    ("a\r", "a", "a\r"),
    ("\ufeffa", "a", "\ufeffa"),
    ("a\n\ufeffb", "a \ufeffb", "b"),
    ("a\0b", "a", "ab"),
    ("é", "é", "e"),
    ("??", "é", "e"),
    ("?", "e", "é"),
    ("[é]", "", "é"),
    ("é/x", "é/x", "x e/x"),
    ("a\na\na", "a", ""),
]


@pytest.mark.parametrize(("rules", "ignored", "not_ignored"), IGNORED, ids=[repr(case[0]) for case in IGNORED])
def test_rules_ignore_these_paths_and_not_those(rules: str, ignored: str, not_ignored: str) -> None:
    paths = [*ignored.split(" "), *not_ignored.split(" ")]
    assert {path: verdict_on(rules, path) for path in paths if path} == {
        path: "ignored" if path in ignored.split(" ") else "" for path in paths if path
    }


@pytest.mark.parametrize(
    ("rules", "path", "expected"),
    [
        ("a ", "a", "ignored"),
        ("a  ", "a ", ""),
        ("a\\ ", "a ", "ignored"),
        ("a\\  ", "a ", "ignored"),
        ("a\\\\ ", "a\\", "ignored"),
        ("a b", "a b", "ignored"),
        (" a", " a", "ignored"),
        ("*\n!a", "a", "kept"),
        ("*\n!a", "b", "ignored"),
        ("!a\n*", "a", "ignored"),
        ("!a", "a", "kept"),
        ("!a", "b", ""),
        ("!\\!a", "!a", "kept"),
        ("*.py\n!a.py\na.*\n!b.py", "a.py", "ignored"),
        ("*.py\n!a.py\na.*\n!b.py", "b.py", "kept"),
        ("*.py\n!a.py\na.*\n!b.py", "c.py", "ignored"),
        ("*.py\n!a.py\na.*\n!b.py", "c.c", ""),
        ("*\n!*/\n!*.py", "x/", "kept"),
        ("*\n!*/\n!*.py", "x", "ignored"),
        ("*\n!*/\n!*.py", "x/y.py", "kept"),
        ("a/*\n!a/b", "a/b", "kept"),
        ("a/*\n!a/b", "a/c", "ignored"),
        (b"\xff?", os.fsdecode(b"\xffa"), "ignored"),
        (b"[\xfe-\xff]", os.fsdecode(b"\xff"), "ignored"),
        (b"*", os.fsdecode(b"\xff"), "ignored"),
        (b"\xff/a", os.fsdecode(b"\xff/a"), "ignored"),
        (b"\xff/a", os.fsdecode(b"\xfe/a"), ""),
    ],
)
def test_the_last_rule_that_fits_decides(rules: str | bytes, path: str, expected: str) -> None:
    assert verdict_on(rules, path) == expected


def test_thousands_of_rules_work() -> None:
    rules = "".join(f"/only/here{number}\nname{number}\n*.end{number}\n*part{number}*\n" for number in range(1250))
    names = "name7 name1250 x.end1249 x.end apart3z part only".split()
    ignored, kept = Ignore(rules.encode()).files(names, "some/where/")
    assert (ignored, kept) == ({"name7", "x.end1249", "apart3z"}, set())
    assert Ignore(rules.encode()).files(["here9", "here"], "only/") == ({"here9"}, set())


def test_thousands_of_rules_that_take_each_other_back_work() -> None:
    ends = [end for number in range(1000) for end in (f"{number}", f"{number}0")]
    names = ["x", "x7", "x70", "x9990", "x1000", "x01", "x99"]
    verdict: tuple[set[str], set[str]] = (set(), set())
    for name in names:
        last = max((at for at, end in enumerate(ends) if name.endswith(end)), default=None)
        if last is not None:
            verdict[last % 2].add(name)
    rules = "".join(("!" if at % 2 else "") + f"*{end}\n" for at, end in enumerate(ends))
    assert Ignore(rules.encode()).files(names, "") == verdict


def test_a_rule_longer_than_any_path_fits_nothing() -> None:
    name = "a" * 4090
    assert verdict_on("*" * 6 + name, name) == "ignored"
    assert verdict_on("*" * 7 + name, name) == ""


@pytest.mark.slow
def test_a_megabyte_of_long_rules_works() -> None:
    rules = "".join("[!a]" * 1020 + f"{number}\n" for number in range(250)) + "plain\n"
    assert len(rules) > 1_000_000
    assert Ignore(rules.encode()).files(["plain", "other", "b" * 200 + "3"], "") == ({"plain"}, set())


def test_a_hostile_rule_takes_linear_time() -> None:
    rules = "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b\n" + "a/**/" * 50 + "b"
    assert Ignore(rules.encode()).files(["a" * 250] * 20, "a/" * 60) == (set(), set())
