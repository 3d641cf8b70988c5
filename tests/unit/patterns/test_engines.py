"""Both engines behind one interface."""

from collections.abc import Callable
from itertools import count

import pytest
import regex

from suture.errors import InvalidRegex, RegexTimeout
from suture.patterns import engines
from suture.patterns.dialect import parse
from suture.patterns.engines import NONE, Clock, Compiled, Subject, _Regex, compile_pattern
from suture.patterns.translate import for_regex
from suture.text import Text
from tests.unit.patterns.grammar import by_both, matches_of, subject_of

LONG = Clock(10_000_000, 10_000_000)


class Over(Clock):
    """A clock that has run out."""

    def __init__(self) -> None:
        super().__init__(1, 1)
        self.ends = 0.0

    def grant(self) -> None:
        """Never."""


def compile_both(pattern: str) -> list[Compiled]:
    return [engine for engine in by_both(parse(pattern)) if engine is not None]


@pytest.mark.parametrize(
    ("pattern", "engine"),
    [("a", "re2"), ("/^a$/gm", "re2"), ("(?=a)", "regex"), (r"(a)\1", "regex"), ("a{2000}", "regex")],
)
def test_the_pattern_decides_which_engine_it_is(pattern: str, engine: str) -> None:
    assert compile_pattern(parse(pattern)).engine == engine


def test_a_pattern_is_compiled_once() -> None:
    first = compile_pattern(parse("once"))
    assert compile_pattern(parse("once")) is first
    for number in range(120):
        compile_pattern(parse(f"many{number}"))
    assert compile_pattern(parse("once")) is not first


@pytest.mark.parametrize(
    "pattern", ["a{999999999}", "(?:a{1000}){1000}", "(?=x)a{50000}", "(?:a|bc){1000000}", "/" + r"\P{L}" * 200 + "/i"]
)
def test_what_would_be_too_large_is_refused(pattern: str) -> None:
    with pytest.raises(InvalidRegex) as caught:
        compile_pattern(parse(pattern))
    assert caught.value.reason == "Too large with its repetitions written out"


def test_what_the_engine_refuses_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: str) -> None:
        raise regex.error("no")

    monkeypatch.setattr(regex, "compile", refuse)
    with pytest.raises(InvalidRegex) as caught:
        compile_pattern(parse("(?=refused)"))
    assert caught.value.reason == "Not supported: no"


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("b", "abab", [[(1, 2)], [(3, 4)]]),
        ("z", "abab", []),
        ("", "a🎉", [[(0, 0)], [(1, 1)], [(2, 2)]]),
        ("", "\r\n", [[(0, 0)], [(2, 2)]]),
        ("(a)|(b)", "ab", [[(0, 1), (0, 1), None], [(1, 2), None, (1, 2)]]),
        ("(?:(a)|(b))+", "ab", [[(0, 2), None, (1, 2)]]),
        ("(a*)?b", "b", [[(0, 1), None]]),
        ("/b$/m", "ab\r\nb\nbb", [[(1, 2)], [(4, 5)], [(7, 8)]]),
        ("/$/m", "a\r\nb\n", [[(1, 1)], [(4, 4)], [(5, 5)]]),
        ("/a$|b/m", "ab\na", [[(1, 2)], [(3, 4)]]),
        ("é+", "aéé", [[(1, 3)]]),
        ("foo.*", "a foo b\nfoo\nbar", [[(2, 7)], [(8, 11)]]),
        (r"a[^]b", "a\nb", [[(0, 3)]]),
    ],
)
def test_what_is_found(pattern: str, text: str, expected: list[list[tuple[int, int] | None]]) -> None:
    for engine in compile_both(pattern):
        assert matches_of(engine, text) == expected, engine.engine


def test_a_large_text_is_searched_in_windows() -> None:
    text = b"x" * 50 + b"\n"
    body = text * 60_000 + b"needle 1\n" + text * 10
    subject = Subject(Text.decode(body))
    for pattern in (r"\d", "needle .", "(?:needle|nadel) ."):
        (spans,) = compile_pattern(parse(pattern)).matches(subject, LONG)
        assert body[slice(*spans[0])].endswith(b"1")
    assert [*compile_pattern(parse("[0-9]")).matches(Subject(Text.decode(b"x" * (3 << 20))), LONG)] == []


def test_undecodable_bytes_are_found_where_they_are() -> None:
    subject = Subject(Text.decode(b"a\xffb\xff\nb"))
    for pattern in ("b", "(?=b)b", "(b)(x)?"):
        spans = [match[0] for match in compile_pattern(parse(pattern)).matches(subject, LONG)]
        assert spans == [(2, 3), (5, 6)]
    assert [match[0] for match in compile_pattern(parse("[^ab]")).matches(subject, LONG)] == [(1, 2), (3, 4), (4, 5)]
    assert [match[2] for match in compile_pattern(parse("(b)(x)?")).matches(subject, LONG)] == [NONE, NONE]


@pytest.mark.parametrize(
    ("pattern", "text", "starts"),
    [
        ("^b", "ab\nb\r\nb", [3, 6]),
        ("b$", "ab\nbc\r\nb", [0, 7]),
        ("b$", "ab\r\nbc", [0]),
        ("(?<=a)b", "ab\nb\r\nab", [0, 6]),
        ("", "a\n\nb", [0, 2, 3]),
        ("a$b", "ab\n", []),
        ("a|$", "b\ra\rc", [0, 2, 4]),
        ("a", "b\ra", [2]),
        (r"\s", "a\nb c\r\n", [2]),
        ("zz", "a\nb", []),
        ("a[^]b", "a\nb\naxb\n", [4]),
    ],
)
def test_lines_are_searched_by_themselves(pattern: str, text: str, starts: list[int]) -> None:
    for engine in compile_both(pattern):
        assert [*engine.lines(subject_of(text), LONG)] == starts, engine.engine


@pytest.mark.parametrize(
    ("pattern", "text", "span", "inner"),
    [
        ("a.*b", "aéabb", (0, 6), 3),
        ("a.*b", "axxxb", (0, 5), None),
        ("(?=a).*b", "aéabb", (0, 6), 3),
        ("(?=a).*b", "axb", (0, 3), None),
    ],
)
def test_whether_a_match_contains_another(pattern: str, text: str, span: tuple[int, int], inner: int | None) -> None:
    for engine in compile_both(pattern):
        assert engine.next_inside(subject_of(text), span, LONG) == inner, engine.engine


@pytest.mark.parametrize("pattern", ["a", "ab", "a.*b", ".", "(?=a)", "(?=a)a", r"(a)\1|"])
def test_nothing_is_searched_when_the_time_is_up(pattern: str) -> None:
    subject = subject_of("abab\n" * 3_000)
    for engine in compile_both(pattern):
        with pytest.raises(RegexTimeout):
            [*engine.matches(subject, Over())]
        with pytest.raises(RegexTimeout):
            [*engine.lines(subject, Over())]


def test_a_backtracking_search_ends_when_the_time_is_up() -> None:
    slow = compile_pattern(parse("((?:a|aa)+)+(?=b)"))
    subject = subject_of("a" * 100_000 + "!b")
    with pytest.raises(RegexTimeout):
        [*slow.matches(subject, Clock(50, 50))]


class Failing:
    """An engine that runs out of memory, or stops before its time is up."""

    def __init__(self, error: type[Exception], times: int) -> None:
        self._left = count(times, -1)
        self._error = error
        self._real = regex.compile("a(?=b)")

    def finditer(self, *args: object, **options: object) -> object:
        return self._ask(self._real.finditer, *args, **options)

    def search(self, *args: object, **options: object) -> object:
        return self._ask(self._real.search, *args, **options)

    def _ask(self, question: Callable[..., object], *args: object, **options: object) -> object:
        if next(self._left) > 0:
            raise self._error
        return question(*args, **options)


@pytest.mark.parametrize("error", [MemoryError, TimeoutError])
def test_a_search_in_a_part_that_fails_is_given_up(error: type[Exception]) -> None:
    pattern = parse("a(?=b)")
    failing = _Regex(pattern, for_regex(pattern), Failing(error, 9))
    with pytest.raises(RegexTimeout):
        failing.next_inside(subject_of("ab"), (0, 2), LONG)
    with pytest.raises(RegexTimeout):
        [*failing.lines(subject_of("ab"), LONG)]


def test_a_search_that_runs_out_of_memory_is_given_up() -> None:
    pattern = parse("a(?=b)")
    failing = _Regex(pattern, for_regex(pattern), Failing(MemoryError, 1))
    with pytest.raises(RegexTimeout):
        [*failing.matches(subject_of("ab"), LONG)]


def test_time_that_others_have_used_is_not_counted() -> None:
    pattern = parse("a(?=b)")
    failing = _Regex(pattern, for_regex(pattern), Failing(TimeoutError, 1))
    assert [[*spans] for spans in failing.matches(subject_of("ab"), LONG)] == [[(0, 1)]]


@pytest.mark.parametrize(
    ("pattern", "text", "may"),
    [
        ("abc", "xabcx", True),
        ("abc", "xabx", False),
        ("a.c", "xabcx", True),
        ("a.c", "xabx", False),
        ("foo|bar", "a bar", True),
        ("foo|bar", "a baz", False),
        ("(?=q)q.", "xqx", True),
        ("(?=q)q.", "xx", False),
    ],
)
def test_a_quick_test_rules_out_texts_without_a_match(pattern: str, text: str, may: bool) -> None:  # noqa: FBT001  a column
    ready = compile_pattern(parse(pattern))
    assert ready.may_hold(text.encode()) is may
    buffer = bytearray(text.encode() + b"abc a.c foo bar q")
    assert may <= ready.may_occur_in(buffer, len(text))


def test_a_quick_test_reads_only_part_of_the_buffer() -> None:
    assert not compile_pattern(parse("foo|bar")).may_occur_in(bytearray(b"xxfoo"), 2)
    assert not compile_pattern(parse("foo")).may_occur_in(bytearray(b"xxfoo"), 2)


def test_a_timeout_names_the_setting_that_was_too_short() -> None:
    clock = Clock(1_000, 30_000)
    clock.start("a.txt")
    error = clock.timeout(parse("a").source)
    assert (error.path, error.timeout_ms, error.setting) == ("a.txt", 1_000, "regex_file_ms")
    clock = Clock(1_000, 500)
    clock.start("b.txt")
    error = clock.timeout(parse("a").source)
    assert (error.path, error.timeout_ms, error.setting) == ("b.txt", 500, "regex_call_ms")


def test_a_search_that_would_take_too_long_is_not_started(monkeypatch: pytest.MonkeyPatch) -> None:
    ready = compile_pattern(parse("[^]{1,20}[xz][^]{1,20}[yz]"))
    subject = subject_of("abc\n" * 20_000)
    monkeypatch.setattr(engines, "_CHEAP_PRODUCT", 0)
    assert [*ready.matches(subject, LONG)] == []
    monkeypatch.setattr(engines, "_LEAST_PROBE_SECONDS", 0.0)
    assert [*ready.matches(subject, LONG)] == []
    monkeypatch.setattr(engines, "_OVERDRAFT", 0)
    with pytest.raises(RegexTimeout):
        [*ready.matches(subject, LONG)]
    with pytest.raises(RegexTimeout):
        [*ready.lines(subject, LONG)]


@pytest.mark.promise("regex.engine")
@pytest.mark.parametrize(("written", "engine"), [(r"a+b", "re2"), (r"(?<=a)b", "regex"), (r"(a)\1", "regex")])
def test_the_engine_is_logged(written: str, engine: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("DEBUG", logger="suture.patterns"):
        assert {compile_pattern(parse(written)).engine for _ in range(2)} == {engine}
    assert caplog.messages == [f"{engine} searches for {written}"] * 2
