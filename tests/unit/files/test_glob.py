"""The paths that a pattern and its excludes match."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suture.errors import InvalidGlob, PathOutsideWorkspace
from suture.files.glob import (
    MAX_ALTERNATIVES,
    MAX_LENGTH,
    Excluded,
    NameMatcher,
    Selection,
    escape,
    may_be_glob,
    split_root,
)


def is_match(pattern: str, path: str) -> bool:
    stage = Selection.parse(pattern).start
    *folders, name = path.split("/")
    for folder in folders:
        below = stage.below(folder)
        if below is None:
            return False
        stage = below
    return name in stage.files([name, "another"])


def excludes(exclude: str, path: str) -> bool:
    excluded = Excluded([exclude])
    *folders, name = path.split("/")
    prefix = ""
    for folder in folders:
        if folder in excluded.folders([folder], prefix):
            return True
        prefix += folder + "/"
    return name in excluded.files([name], prefix)


FITS = [
    ("a.py", "a.py x/a.py a.pyc A.py", "a.py"),
    ("*.py", "a.py x/a.py .py .a.py a.pyc b.py", "a.py b.py"),
    ("./*.py", "a.py x/a.py", "a.py"),
    ("x//*.py", "a.py x/a.py", "x/a.py"),
    ("x/./*.py", "a.py x/a.py", "x/a.py"),
    ("*", "a a/b .a", "a"),
    ("**", "a a/b a/b/c .a .a/b a/.b", "a a/b a/b/c"),
    ("**/*", "a a/b a/b/c .a .a/b a/.b", "a a/b a/b/c"),
    ("**/**/*", "a a/b a/b/c .a", "a a/b a/b/c"),
    ("***", "a a/b", "a a/b"),
    ("**/*.py", "a.py x/a.py x/y/a.py x/.y/a.py a.pyc", "a.py x/a.py x/y/a.py"),
    ("x/**", "x x/a x/y/a xx/a", "x/a x/y/a"),
    ("x/", "x x/a x/y/a xx/a", "x/a x/y/a"),
    ("x/.", "x x/a x/y/a", "x/a x/y/a"),
    ("./", "x x/a .x", "x x/a"),
    ("x/**/a", "x/a x/y/a x/y/z/a x/y a xx/a", "x/a x/y/a x/y/z/a"),
    ("x/**/y/*.c", "x/y/a.c x/p/y/a.c x/p/y/q/a.c", "x/y/a.c x/p/y/a.c"),
    ("**/x/**/y", "x/y q/x/y q/x/r/y x/x/y y", "x/y q/x/y q/x/r/y x/x/y"),
    ("**/a/b", "a/b a/a/b x/a/b a/x/b", "a/b a/a/b x/a/b"),
    ("x**", "x xy x/y", "x xy"),
    ("**.py", "a.py x/a.py", "a.py"),
    ("x/**y", "x/zy x/q/zy", "x/zy"),
    ("?", "a ab é 日", "a é 日"),
    ("a?c", "abc ac abbc aéc", "abc aéc"),
    ("[ab]x", "ax bx cx x abx", "ax bx"),
    ("[!ab]x", "ax bx cx .x éx", "cx éx"),
    ("[^ab]x", "ax bx cx", "cx"),
    ("[a-c0-9]", "a b c d 5 -", "a b c 5"),
    ("[]]", "] a", "]"),
    ("[!]]", "] a", "a"),
    ("[a-]", "a - b", "a -"),
    ("[-a]", "a - b", "a -"),
    ("[!-a]", "a - b", "b"),
    (r"[\]a]", "] a b", "] a"),
    (r"[a\-c]", "a b c -", "a c -"),
    (r"[\a-c]", "a b c", "a b c"),
    (r"[a-\c]", "a b c", "a b c"),
    ("[c-a]", "a b c", "c"),
    ("[é-ü]", "é ê ü a", "é ê ü"),
    ("[[:digit:]]x", "1x ax", "1x"),
    ("[![:digit:]]x", "1x ax", "ax"),
    ("[[:]", "[ : a", "[ :"),
    ("[[:a]", "[ : a b", "[ : a"),
    ("[.]a", ".a", ""),
    ("[/]", "a", ""),
    ("[a/b]", "a b c", "a b"),
    ("[+-9]", "+ 5 .", "+ 5"),
    ("{a,b}.py", "a.py b.py c.py {a,b}.py", "a.py b.py"),
    ("{a,b/c}.py", "a.py b/c.py b/a.py", "a.py b/c.py"),
    ("{a,{b,c}d}", "a bd cd b", "a bd cd"),
    ("x{,y}", "x xy", "x xy"),
    ("{a}", "a {a}", "a"),
    ("x{}", "x", "x"),
    ("{,x}", "x y", "x"),
    ("{a,b}{c,d}", "ac ad bc bd ab", "ac ad bc bd"),
    ("{[,],x}", ", x", ", x"),
    ("{[}],x}", "} x", "} x"),
    (r"{\,,x}", ", x", ", x"),
    (r"\{a,b\}", "{a,b} a", "{a,b}"),
    ("a,b}", "a,b}", "a,b}"),
    (r"\*.py", "*.py a.py", "*.py"),
    (r"\[a]", "[a] a", "[a]"),
    (r"a\/b", "a/b a", "a/b"),
    (r"\\", "\\ a", "\\"),
    ("a b", "a b", ""),
    ("**/{test_*,*_test}.py", "test_a.py x/a_test.py a.py", "test_a.py x/a_test.py"),
    (".*", ".a a .git .GIT .suture .SUTURE .suture-x .Suture-x .gitignore .sutures", ".a .gitignore .sutures"),
    (".git/*", ".git/config", ""),
    (".GIT/*", ".GIT/config", ""),
    (".git", ".git", ""),
    (".suture-*", ".suture-intent", ""),
    (".suture/*", ".suture/intent", ""),
    ("**/.git/config", "a/.git/config .git/config", ""),
    (".github/**", ".github/a .github/w/b .github/.c .gitlab/a", ".github/a .github/w/b"),
    ("**/.env", ".env a/.env .a/.env", ".env a/.env"),
    ("**/.env*", ".env a/.env.local a/env", ".env a/.env.local"),
    (".?x", ".ax ..x ax", ".ax ..x"),
    ("{*,.*}", "a .a", "a .a"),
    ("*{a,.b}", "a .b xa x.b", "a xa x.b"),
    ("\udc80?", "\udc80a \udc80\udc81 a\udc80", "\udc80a \udc80\udc81"),
    ("?", "\udc80", "\udc80"),
    ("*.{a,b,c,d,e,f,g,h,i,j}", "x.a x.j x.k .a", "x.a x.j"),
    ("{a/b,a/*/c}", "a/b a/x/c a/c", "a/b a/x/c"),
    ("{1..3}", "1 2 3 4 12 {1..3}", "1 2 3"),
    ("{3..1}", "1 2 3 4", "1 2 3"),
    ("v{9..11}.c", "v9.c v10.c v11.c v1.c v12.c", "v9.c v10.c v11.c"),
    ("{01..3}", "1 01 02 03", "01 02 03"),
    ("{-1..1}", "-1 0 1 2", "-1 0 1"),
    ("{-01..1}", "-01 000 001 01", "-01 000 001"),
    ("{1..7..3}", "1 2 4 7", "1 4 7"),
    ("{7..1..-3}", "1 2 4 7", "1 4 7"),
    ("{1..3..0}", "1 2 3", "1 2 3"),
    ("{a..c}.py", "a.py b.py d.py", "a.py b.py"),
    ("{a..c..2}", "a b c", "a c"),
    ("{Y..b}", "Y Z [ \\ ] ^ _ ` a b c", "Y Z [ \\ ] ^ _ ` a b"),
    ("{1..3,a}", "1 a 1..3", "a 1..3"),
    ("{a..}", "a a..", "a.."),
    (r"{1\..3}", "1 2 1..3", "1..3"),
    ("x/{,a}", "x/a x/b", "x/a"),
    ("{,x/}a", "a x/a", "a x/a"),
    ("@(a|b).py", "a.py b.py c.py @(a|b).py", "a.py b.py"),
    ("@(a/b|c)", "a/b c a", "a/b c"),
    ("@(.a|b)", ".a b .b", ".a b"),
    ("x/@(|a)", "x/a x/b", "x/a"),
    ("@({a,b}|c)", "a b c", "a b c"),
    ("{@(a|b),c}", "a b c", "a b c"),
    ("@(a(b)|c)", "a(b) c", "a(b) c"),
    (r"@(a\)|b)", "a) b", "a) b"),
    ("@([|)]|a)", "| ) a b", "| ) a"),
    ("?(a)b", "b ab aab", "b ab"),
    ("x/?(a)", "x/a x/b", "x/a"),
    ("?(x).a", ".a x.a", ".a x.a"),
    ("*(a)b", "b ab aab bb", "b ab aab"),
    ("*(a|bc)", "a bca aabc b", "a bca aabc"),
    ("***(a)b", "b xb xaab", "b xb xaab"),
    ("*({a,b})", "aa bb ab", "aa bb"),
    ("*(a(b)|c)", "a(b) ca(b) ab", "a(b) ca(b)"),
    ("+(a)b", "b ab aab", "ab aab"),
    ("+([0-9]).log", "1.log 20.log .log a.log", "1.log 20.log"),
    ("+(@(a|b)?(c)|+(d))", "a bcdd abc cb", "a bcdd abc"),
    ("**/+(a)/x", "x a/x aa/x q/a/x b/x", "a/x aa/x q/a/x"),
    ("!(a)", "a b ab aa .b", "b ab aa"),
    ("!(a|bc).py", "a.py bc.py b.py bcd.py ab.py .py", "b.py bcd.py ab.py"),
    ("x!(a)y", "xy xay xaay xby", "xy xaay xby"),
    ("!()", "a", "a"),
    ("!(*)", "a", ""),
    ("!(*.test).ts", "a.ts a.test.ts test.ts b.d.ts", "a.ts test.ts b.d.ts"),
    ("!(a|*.@(d|test)).ts", "a.ts b.ts a.d.ts a.test.ts .b.ts", "b.ts"),
    ("!(ab*|c)", "a ab abc b c cd", "a b cd"),
    ("!(ab?(c))", "a ab abc abcd", "a abcd"),
    ("!(x)/**", "x/a y/a y/z/a a", "y/a y/z/a"),
    ("*.!(js|ts)", "a.js a.ts a.b.js a.c b", "a.b.js a.c"),
    ("(a|b)", "a (a|b)", "(a|b)"),
    (r"@\(a)", "a @(a)", "@(a)"),
    ("*(1)x*", "1x x 11xy *(1)x", "1x x 11xy"),
    ("!(\udc80)", "\udc80 \udc81", "\udc81"),
]


@pytest.mark.parametrize(("pattern", "paths", "expected"), FITS, ids=[case[0] for case in FITS])
def test_a_pattern_means_these_paths(pattern: str, paths: str, expected: str) -> None:
    assert [path for path in paths.split() if is_match(pattern, path)] == expected.split()


def test_a_space_is_a_character() -> None:
    assert is_match("a b", "a b")
    assert is_match("a ", "a ")
    assert not is_match("a ", "a")
    assert is_match("a*b", "a\nb")
    assert is_match("a?b", "a\nb")


EXCLUDES = [
    ("*.py", "a.py x/a.py .py x/.a.py a.pyc", "a.py x/a.py .py x/.a.py"),
    ("x", "x a/x x/a a/x/b xx", "x a/x x/a a/x/b"),
    ("x/", "x x/a a/x/b", "x/a a/x/b"),
    ("x/**", "x x/a x/b/c a/x/b", "x/a x/b/c"),
    ("./x", "x a/x x/b", "x x/b"),
    ("/x", "x a/x x/b", "x x/b"),
    ("a/x", "a/x b/a/x a/x/y", "a/x a/x/y"),
    ("a/*/x", "a/b/x a/x a/b/c/x a/b/x/y", "a/b/x a/b/x/y"),
    ("**/x", "x a/x a/b/x x/y", "x a/x a/b/x x/y"),
    ("a/**/x", "a/x a/b/x a/b/c/x b/a/x", "a/x a/b/x a/b/c/x"),
    ("**", "a a/b", "a a/b"),
    ("/**", "a a/b", "a a/b"),
    ("{a,b/c}", "a x/a b/c x/b/c", "a x/a b/c"),
    (".*", ".a a/.b .c/d a", ".a a/.b .c/d"),
    ("?", "a é ab x/b", "a é x/b"),
    ("*.@(js|ts)", "a.js x/a.ts a.c .a.js", "a.js x/a.ts .a.js"),
    ("v{1..2}", "v1 x/v2/a v3", "v1 x/v2/a"),
    ("!(*.py)", "a.py a.c x/a.py", "a.c x/a.py"),
    ("x/!(a|b)", "x/a x/c x/b/d x/d/e", "x/c x/d/e"),
]


@pytest.mark.parametrize(("exclude", "paths", "expected"), EXCLUDES, ids=[case[0] for case in EXCLUDES])
def test_an_exclude_takes_these_paths_away(exclude: str, paths: str, expected: str) -> None:
    assert [path for path in paths.split() if excludes(exclude, path)] == expected.split()


def test_no_excludes_take_nothing_away() -> None:
    assert Excluded([]).nothing
    assert Excluded([]).files(["a"], "") == Excluded([]).folders(["a"], "") == set()
    assert not Excluded(["x"]).nothing


@pytest.mark.parametrize(
    ("pattern", "base", "literal", "path"),
    [
        ("**/*", "", False, ""),
        ("src/app/**/*.js", "src/app", False, ""),
        ("src/app/*.js", "src/app", False, ""),
        ("src/app/", "src/app", False, ""),
        ("src/*/x", "src", False, ""),
        ("src/app.py", "src", True, "src/app.py"),
        ("./a.py", "", True, "a.py"),
        (r"a\*/\[b", "a*", True, "a*/[b"),
        ("src/{a,b}/x", "src", False, ""),
        ("src/{a/x,a/y}", "src/a", False, ""),
        ("{a,b}", "", False, ""),
        ("{a/b,a/b/c}", "a", False, ""),
        ("{a,a}", "", True, "a"),
        ("**", "", False, ""),
    ],
)
def test_the_part_without_wildcards_is_known(pattern: str, base: str, literal: bool, path: str) -> None:  # noqa: FBT001  a parameter of the table
    selection = Selection.parse(pattern)
    assert (selection.base, selection.literal, selection.path) == (base, literal, path)


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "a\0b",
        "[",
        "a[",
        "[]",
        "[a",
        "[!]",
        "[a-",
        "[a\\",
        "[[:digit:]",
        "[[:digit:",
        "[[:nothing:]]",
        "{",
        "{a",
        "{}",
        "{,}{,}",
        "{a,{b}",
        "{[a,b}",
        "a\\",
        "x" * (MAX_LENGTH + 1),
        "{a,b}" * 10,
        "{" + "," * MAX_ALTERNATIVES + "}",
        "{1..1001}",
        "{1..99999999999999999999}",
        "{1..a}",
        "{a..1}",
        "{1.5..3}",
        "{a..c..x}",
        "{foo..bar}",
        "@(",
        "@(a",
        "+(a",
        "!(a|(b)",
        "@(a{b)",
        "*(a/b)",
        "!(a/b)",
        "!(a*b)",
        "!(*a|b*)",
        "!(*a*)",
        "!([ab])",
        "!(!(a))",
        "!({a,b})",
        "!(*({a,b}))",
        "+(.a|b)",
        "x/*(@(.a))",
        "!(" + "x" * 256 + ")",
        "!(" + "@(a|b)" * 11 + ")",
        "*(" * 21 + "a" + ")" * 21,
        "x" * 1000 + "{a,b}" * 8,
    ],
)
def test_what_cannot_be_read_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidGlob) as caught:
        Selection.parse(pattern)
    assert pattern.startswith(caught.value.pattern.removesuffix("…"))
    assert caught.value.reason
    with pytest.raises(InvalidGlob):
        Selection.parse("*", [pattern])


@pytest.mark.parametrize("pattern", ["..", "../a", "a/../b", "a/..", "{a,..}/b", r"\../a"])
def test_a_pattern_that_climbs_is_refused(pattern: str) -> None:
    with pytest.raises(PathOutsideWorkspace):
        Selection.parse(pattern)
    with pytest.raises(PathOutsideWorkspace):
        Selection.parse("*", [pattern])


@pytest.mark.parametrize("pattern", ["/", "/etc/*", "{/a,b}"])
def test_an_absolute_pattern_is_refused(pattern: str) -> None:
    with pytest.raises(PathOutsideWorkspace):
        Selection.parse(pattern)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a/*", (0, "a/*")),
        ("/ws/a/*", (0, "a/*")),
        ("/ws//./a/", (0, "a/")),
        ("/ws/inner/a", (1, "a")),
        ("/other/**/*", (2, "**/*")),
        ("/ws", (0, ".")),
        ("/ws/", (0, ".")),
    ],
)
def test_an_absolute_pattern_belongs_to_the_innermost_root(pattern: str, expected: tuple[int, str]) -> None:
    assert split_root(pattern, ["/ws", "/ws/inner", "/other/"]) == expected


def test_an_absolute_pattern_under_no_root_is_refused() -> None:
    with pytest.raises(PathOutsideWorkspace):
        split_root("/wsx/a", ["/ws"])


def test_a_folder_that_leads_nowhere_is_not_entered() -> None:
    start = Selection.parse("src/*/x.py").start
    assert start.below("lib") is None
    src = start.below("src")
    assert src is not None
    assert src.below(".hidden") is None
    inner = src.below("app")
    assert inner is not None
    assert inner.below("deeper") is None


@pytest.mark.parametrize("text", ["a(b", "@(a)", "x/!(y)", "a|b", "{1..3}", "+(a)/*(b)"])
def test_an_escaped_path_means_only_itself(text: str) -> None:
    assert Selection.parse(escape(text)).path == text


@pytest.mark.parametrize(
    ("path", "expected"),
    [("app/(group)/a.py", False), ("a+b (1)", False), ("@(a|b)", True), ("a*", True), ("{a", True)],
)
def test_a_parenthesis_alone_does_not_make_a_glob(path: str, expected: bool) -> None:  # noqa: FBT001  a parameter of the table
    assert may_be_glob(path) is expected


TEXT = st.text("ab.", min_size=1, max_size=4)


@given(st.lists(TEXT, min_size=1, max_size=4), st.sampled_from(["", "<", ">"]), st.lists(TEXT, max_size=20))
def test_a_negated_group_means_all_other_names(texts: list[str], open_side: str, names: list[str]) -> None:
    marks = {"": "{}", "<": "*{}", ">": "{}*"}[open_side]
    pattern = f"x!({'|'.join([*map(marks.format, texts[1:]), texts[0]])})"
    for name in names:
        sides = {"": [name], "<": [name[at:] for at in range(len(name))], ">": [name[:at] for at in range(5)]}
        expected = name != texts[0] and set(texts[1:]).isdisjoint(sides[open_side])
        assert is_match(pattern, f"x{name}") == expected


def test_an_expression_that_re2_refuses_is_not_passed_over() -> None:
    with pytest.raises(ValueError, match="missing"):
        NameMatcher(["("]).among(["a"])


def test_a_hostile_pattern_takes_linear_time() -> None:
    assert not is_match("*a" * 1000 + "b", "a" * 200)
    assert is_match("**/" * 500 + "x", "/".join("a" * 100) + "/x")


NAME = st.text("ab.*?", min_size=1, max_size=4).filter(lambda name: not set(name) <= {"."} and "**" not in name)
PATH = st.lists(st.text("ab.", min_size=1, max_size=3).filter(lambda n: n not in {".", ".."}), min_size=1, max_size=4)


def match_slowly(pattern: list[str], path: list[str]) -> bool:
    """Whether a path matches, by brute force."""
    if not pattern or not path:
        return pattern == path
    if pattern[0] == "**":
        visible = not path[0].startswith(".")
        return (visible and (pattern == ["**"] or match_slowly(pattern, path[1:]))) or match_slowly(pattern[1:], path)
    if path[0].startswith(".") and not pattern[0].startswith("."):
        return False
    return fnmatchcase(path[0], pattern[0]) and match_slowly(pattern[1:], path[1:])


@given(st.lists(NAME | st.just("**"), min_size=1, max_size=5), PATH)
def test_a_pattern_means_what_trying_everything_finds(pattern: list[str], path: list[str]) -> None:
    if pattern[-1] == "**":
        pattern = [*pattern, "*"]
    assert is_match("/".join(pattern), "/".join(path)) == match_slowly(pattern, path)
