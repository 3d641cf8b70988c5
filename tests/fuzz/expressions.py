"""Regular expressions, replacements and globs."""

from __future__ import annotations

from contextlib import suppress
from itertools import islice

from suture.errors import SutureError
from suture.files.glob import Excluded, Ignore, Malformed, Selection, bracket, escape, split_root, tokens
from suture.patterns import template
from suture.patterns.dialect import parse
from suture.patterns.engines import Clock, Subject, compile_pattern
from suture.patterns.python import FLAGS, PythonPattern, parse_template
from suture.patterns.scan import Places, Room, each_match, extracts, segments
from suture.patterns.translate import for_re2, for_regex
from suture.text import Text
from tests.fuzz.mutation import encode_words
from tests.fuzz.target import Choices, Target, as_text

PATTERNS = [
    "a", "b+", "(a|b)*c", "(?<n>\\w+)\\k<n>", "^\\s*$", "(?=x)", "(?<!y)z", "[^a-z\\d]", "\\p{Lu}", "\\u{1F389}",
    "\\bfoo\\b", ".*?", "(a+)+$", "(x{2,5}){3}", "\\1(a)", "[\\s\\S]", "\\cA", "(?i:a)", "\\xff", "/a/gi", "/(/",
    "(?:(?:a))", "a||b", "()", "{", "a{1", "\\", "[", "(?", "(?<", "(?P<n>a)", "(?#c)", "\\Q", "a{99999}", "\\N{DASH}",
    "((((a))))", "(?>a)", "a++", "\\R", "\\h", "\\Z", "(?s).", "\\G", "\\X", "(?<n>a)|(?<n>b)", "[[:alpha:]]", "[a-",
    "$&", "$1", "${n}", "$<n>", "$`", "$'", "$$", "\\g<n>", "\\g<1>", "\\1", "$99", "$0", "${", "$<",
]  # fmt: skip
WORDS = encode_words(
    PATTERNS, ["|", "*", "+", "?", "{2}", "{0,}", "(", ")", "[", "]", "^", "$", ".", "-", "\\d", "\n", "ab"]
)
_ROOM = 1_000_000
_TEXT = "aab foo\r\nbar é🎉 x = 1\nABC abc\n\n\tz zz\u2028q\ny".encode()


def _pattern(data: bytes) -> object:
    choices = Choices(data)
    flags = "".join(choices.of(("", "i", "m", "s", "g", "u", "x", "y", "v", "gg")) for _ in range(choices.number(4)))
    lossy = choices.once_in(4)
    new = as_text(choices.piece())
    body = _TEXT + (choices.piece() if choices.once_in(2) else b"") + (b"\xff" if lossy else b"")
    try:
        pattern = parse(as_text(choices.rest()), flags)
        for_re2(pattern), for_re2(pattern, by_line=True), for_regex(pattern)
        engine = compile_pattern(pattern)
        text, clock = Text.decode(body), Clock(200, 400)
        subject = Subject(text)
        spans = list(islice(each_match(engine, subject, clock), 50))
        engine.may_hold(body)
        list(engine.lines(subject, clock))[:10]
        extracts("a", subject, spans, Room(_ROOM))
        segments(subject, spans, 10, Room(_ROOM))
        places = Places(subject)
        for first, *_ in spans:
            assert 0 <= first[0] <= first[1] <= len(text.body), "a match lies outside of the text"
            places.position(first[0])
            places.before(2), places.after(first[1], 2)
        replacement = template.parse(new, pattern)
        for span in spans[:5]:
            with suppress(SutureError):
                replacement.fill(text, span)
    except SutureError as error:
        return error.code
    return len(spans), type(engine).__name__


def _python(data: bytes) -> object:
    choices = Choices(data)
    flags = sum(bit for bit in FLAGS.values() if choices.once_in(4))
    new = as_text(choices.piece())
    try:
        pattern = PythonPattern(as_text(choices.rest()), flags)
        text = Text.decode(_TEXT)
        spans = []
        for span in pattern.matches(text, Clock(200, 400)):
            spans.append(span)
            if len(spans) > 50:
                break
        replacement = parse_template(new, pattern)
        for span in spans[:5]:
            with suppress(SutureError):
                replacement.fill(text, span)
    except SutureError as error:
        return error.code
    return len(spans)


_NAMES = ["a", "a.py", ".a", "b.c", "é", "x", "Makefile", "a b", "[", "\udcff", "a" * 200, ".git", "*", "ab"]
GLOBS = encode_words(
    ["*", "**", "?", "[a-z]", "[!a]", "[^a]", "[[:alpha:]]", "[]", "[]a]", "{a,b}", "{a,{b,c}}", "{", "}", ",", "\\"],
    ["/", "//", "./", "../", "/**/", "**/", "a", ".a", "b.c", "*.py", "!", "#", " ", "\\ ", "~", "[z-a]", "[\\]]"],
    ["@(", "?(", "*(", "+(", "!(", "(", ")", "|", "@(a|b)", "!(*.c)", "{a..c}", "{01..10..3}", "..", "1", "9"],
    ["[[:foo:]]", "[a-\\]", "{1..3}", "?" * 40, "*a" * 20, "{a,b}" * 12, "[[=a=]]", "[[.a.]]", "\r"],
)


def _glob(data: bytes) -> object:
    text = as_text(data)
    pattern, _, exclusions = text.partition("\n")
    outcome: list[object] = []
    try:
        split_root(pattern, ["/ws", "/ws/extra"])
        selection = Selection.parse(pattern, exclusions.split("\n")[:5])
        stage = selection.start
        outcome = [selection.literal, len(stage.files(_NAMES))]
        for name in _NAMES:
            below = stage.below(name)
            outcome.append(below is None)
            if below is not None:
                below.files(_NAMES), below.below("x")
        excluded = Excluded(exclusions.split("\n")[:5])
        outcome += [len(excluded.files(_NAMES, "x/")), len(excluded.folders(_NAMES, ""))]
    except SutureError as error:
        return error.code
    return outcome


def _literal_glob(data: bytes) -> object:
    """A path, escaped so that it matches only itself as a pattern."""
    names = [name for name in as_text(data).split("/") if name not in {"", ".", ".."}][:6]
    if not names or any(name == ".git" or name.startswith(".suture") or "\0" in name for name in names):
        return None
    try:
        stage = Selection.parse(escape("/".join(names))).start
    except SutureError as error:
        return error.code
    for name in names[:-1]:
        below = stage.below(name)
        assert below is not None, "a literal path does not mean its own folder"
        stage = below
    assert stage.files([names[-1]]) == [names[-1]], "a literal path does not mean its own file"
    return len(names)


def _ignore(data: bytes) -> object:
    rules = Ignore(data)
    outcome = []
    for prefix in ("", "x/", "a/b/"):
        rules.matches_any(_NAMES, prefix, "")
        files, folders = rules.files(_NAMES, prefix), rules.folders(_NAMES, prefix)
        outcome += [len(files[0]), len(files[1]), len(folders[0]), rules.by_name(prefix)]
    return outcome


def _wildcards(data: bytes) -> object:
    text = as_text(data)
    try:
        kinds = [kind for kind, _ in tokens(text)]
        if "[" in text:
            bracket(text, text.index("["))
    except Malformed as error:
        return str(error)[:30]
    return kinds[:6]


TARGETS = [
    Target("pattern", _pattern, [b"\0\0\0" + word for word in WORDS], WORDS, most=21_000, seconds=3),
    Target("python pattern", _python, [b"\0\0\0\0\0\0\0" + word for word in WORDS], WORDS, most=21_000, seconds=3),
    Target("glob", _glob, [b"src/**/*.{py,md}\n*.pyc\nx/y", b"a/[!.]*/b\n**/c"], GLOBS),
    Target("literal glob", _literal_glob, [b"a/b[c].py", b"x/{y}"], GLOBS),
    Target("ignore file", _ignore, [b"*.pyc\n!a.py\n/b\nc/\n**/d\ne/**\n\\#f\ng \\ \n"], [*GLOBS, b"\n"]),
    Target("wildcards", _wildcards, [b"[a-z]*?\\x[!b]"], GLOBS),
]
