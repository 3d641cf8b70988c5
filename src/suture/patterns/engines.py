"""Compile patterns and run them on a text, within a time limit.

    compile_pattern(pattern) -> Compiled;  Compiled.matches(subject, clock) -> all matches, as spans

A match is a list of spans in the subject's body: the whole match, then each group; `(-1, -1)` for a group that did not
participate.

RE2 searches in linear time, but has neither look-around nor back-references; patterns with these go to `regex`, which
backtracks under a time limit. The engine depends on the pattern alone, never on the text. Rejected: trying one engine
and falling back to the other, which would make a pattern's matches depend on the file. Both engines let other threads
run while they search.

The engines search a view of the text as UTF-8. The body of nearly every file already is UTF-8. In a file of unknown
encoding, each byte that is not UTF-8 becomes a lone surrogate in the view, as with Python's `surrogateescape`, so that
`.` and `[^x]` match it; RE2 and `regex` both take a surrogate for a character.
"""

from __future__ import annotations

from bisect import bisect_left
from time import monotonic

from suture import log
from suture.errors import InvalidRegex, RegexTimeout
from suture.patterns.translate import (
    for_re2,
    for_regex,
    is_literal,
    may_be_empty,
    may_hold,
    required,
    stays_in_line,
    weight,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator
    from typing import Any, TypeVar

    from suture.patterns.dialect import Pattern
    from suture.patterns.translate import Emitted, Slot
    from suture.text import Text

    T = TypeVar("T")
    Spans = list[tuple[int, int]]

_SECONDS_PER_PLACE = 1e-5  # added to a file's time limit for each place that is examined
_MAX_EXTENSION = 10  # times its limit that a file may be searched with these additions: bounds the time of a call
_MAX_STRING_BYTES = 10_000_000  # of a text that is kept as bytes and as a string, by choice: it doubles the memory
_EXTRA_BYTES = 2  # additional bytes of an undecodable byte in the view

NONE = (-1, -1)
"""The span of a group that did not participate in a match."""
_RE2_MEMORY = 64 << 20  # bytes that RE2 may use for a pattern, by choice: with less, it refuses larger patterns
_WINDOW_SIZE = 1 << 20  # bytes that are searched between two looks at the clock
MAX_PROGRAM = 40_000
"""Parts of a pattern for `regex`, which writes repetitions out: some 100,000 parts overflow a thread's stack."""
_CHEAP_PRODUCT = (
    100_000_000  # bytes of the text times parts of the program that are searched unchecked: a second at worst
)
_PROBE_SIZES = (64, 512, 4_096, 32_768)  # bytes that are searched to measure the speed of RE2
_LEAST_PROBE_SECONDS = 0.05  # seconds that a probe must take for an estimate
_OVERDRAFT = 4  # the rough estimate may exceed the remaining time by this factor before a search is refused
_LINE_FEED = 0x0A
_MAX_REMEMBERED = 100  # compiled patterns that are cached, by choice: more than a session uses
_UNDECODABLE = 0xDC80  # the first surrogate that stands for an undecodable byte

_cache: dict[tuple[str, frozenset[str], tuple[str, ...]], Compiled] = {}


class Clock:
    """Limits the time for each file, and for all files of a call together."""

    def __init__(self, file_ms: int, call_ms: int) -> None:
        self._file_ms = file_ms
        self._call_ms = call_ms
        self._call_ends = monotonic() + call_ms / 1000
        self._path = ""
        self.ends = self._latest = 0.0
        self.start("")

    def start(self, path: str) -> None:
        """Start the clock for a file."""
        self._path = path
        now, allowed = monotonic(), self._file_ms / 1000
        self.ends = min(now + allowed, self._call_ends)
        self._latest = min(now + allowed * _MAX_EXTENSION, self._call_ends)

    def grant(self) -> None:
        """Add time for a place that was examined: many places take time that is not the pattern's fault."""
        self.ends = min(self.ends + _SECONDS_PER_PLACE, self._latest)

    def untimed(self, matches: Iterable[T]) -> Iterator[T]:
        """The same matches; the time in which the caller handles a match does not count."""
        for match in matches:
            began = monotonic()
            yield match
            taken = monotonic() - began
            self.ends = min(self.ends + taken, self._call_ends)
            self._latest = min(self._latest + taken, self._call_ends)

    def left(self, source: str) -> float:
        """The seconds that are left for a search; an error if there are none."""
        left = self.ends - monotonic()
        if left <= 0:
            raise self.timeout(source)
        return left

    def timeout(self, source: str) -> RegexTimeout:
        """The error for a search that took too long."""
        whole = self.ends >= self._call_ends
        limit, setting = (self._call_ms, "regex_call_ms") if whole else (self._file_ms, "regex_file_ms")
        return RegexTimeout(pattern=source, path=self._path, timeout_ms=limit, setting=setting)


class Subject:
    """A text to search."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self.body = text.body
        self._errors = "surrogatepass"
        self._escaped: list[int] | None = None
        self.view = self.body
        """The bytes that are searched."""
        if text.encoding is None:
            self._errors = "surrogateescape"
            self.view = self.body.decode("utf-8", "surrogateescape").encode("utf-8", "surrogatepass")

    def offset(self, place: int) -> int:
        """Map a position in the view to the body."""
        return place if self.view is self.body else place - _EXTRA_BYTES * bisect_left(self._places(), place)

    def place(self, offset: int) -> int:
        """Map an offset of the body to the view."""
        if self.view is self.body:
            return offset
        places = self._places()
        return offset + _EXTRA_BYTES * bisect_left(
            range(len(places)), offset, key=lambda n: places[n] - _EXTRA_BYTES * n
        )

    def _places(self) -> list[int]:
        """The positions of undecodable bytes in the view."""
        if self._escaped is None:
            import re  # rarely needed

            self._escaped = [match.start() for match in re.finditer(rb"\xed[\xb2\xb3]", self.view)]
        return self._escaped

    def string(self) -> str | None:
        """The text as a string, if it is ASCII and not too large to have twice."""
        return self.body.decode() if len(self.body) <= _MAX_STRING_BYTES and self.body.isascii() else None

    def shown(self, start: int, end: int) -> str:
        """A part of the body for display; each undecodable byte or lone surrogate becomes U+FFFD."""
        return self.readable(self.body[start:end])

    def readable(self, part: bytes) -> str:
        """The same as `shown`, for bytes in the body's form."""
        try:
            return part.decode()
        except UnicodeDecodeError:
            characters = part.decode("utf-8", self._errors)
            return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in characters)

    def width(self, start: int, end: int) -> int:
        """The number of characters in a part of the body."""
        part = self.body[start:end]
        return len(part) if part.isascii() else len(part.decode("utf-8", self._errors))


class Places:
    """Converts positions in a string to offsets in UTF-8; fast if they come roughly from left to right."""

    def __init__(self, string: str, errors: str = "surrogatepass") -> None:
        self._string = string
        self._errors = errors
        self._at = self._offset = 0

    def offset(self, place: int) -> int:
        """The offset of a position; -1 stays -1."""
        if place < 0:
            return place
        if place >= self._at:
            self._offset += len(self._string[self._at : place].encode("utf-8", self._errors))
        else:
            self._offset -= len(self._string[place : self._at].encode("utf-8", self._errors))
        self._at = place
        return self._offset


class Compiled:
    """A compiled pattern."""

    engine = ""
    line_costs = 0
    """The cost of searching a single line, as a number of bytes searched in the whole text; measured."""

    def __init__(self, pattern: Pattern, slots: tuple[Slot, ...]) -> None:
        self.pattern = pattern
        needed = required(pattern.root)
        self.literal = needed[0] if len(needed) == 1 else b""
        """A text, as UTF-8, that every match contains; empty if none is known."""
        self._any_of = _search_together(needed) if len(needed) > 1 else None
        self.reads_undecodable = may_hold(pattern.root, _UNDECODABLE)
        """Whether a match may contain bytes that are not UTF-8."""
        self._may_be_empty = may_be_empty(pattern.root)
        self._crosses = may_hold(pattern.root, _LINE_FEED)
        """Whether a match may contain a line ending."""
        self._tails = [number for number, slot in enumerate(slots, 1) if slot.tail]
        self._rounds = [(number, slot) for number, slot in enumerate(slots, 1) if slot.inner]
        self._order = [
            0,
            *sorted((n for n, slot in enumerate(slots, 1) if slot.group), key=lambda n: slots[n - 1].group),
        ]
        self._plain = not self._tails and not self._rounds

    def matches(self, subject: Subject, clock: Clock, *, every: bool = True) -> Iterator[Spans]:
        """All matches, from left to right, without overlap.

        Without `every`, matches after the first one of a line may be left out, which is faster if none crosses lines.
        """
        if self.literal not in subject.view:
            return
        mapped = subject.view is not subject.body
        every = every or self._crosses or (b"\r" in subject.view and b"\n" not in subject.view)
        for groups in self._find(subject.view, clock, every=every):
            spans = groups if self._plain else self._own_groups(groups)
            yield [_map_span(subject, span) for span in spans] if mapped else spans

    def may_occur_in(self, buffer: bytearray, size: int) -> bool:
        """Whether a match may occur in the first `size` bytes of a buffer, which may err on the side of yes."""
        if self._any_of is not None:
            return bool(self._any_of(memoryview(buffer)[:size]))
        return buffer.find(self.literal, 0, size) >= 0

    def may_hold(self, utf8: bytes) -> bool:
        """Whether a match may occur in a text: a quick test that may err on the side of yes."""
        return self.literal in utf8

    def next_inside(self, subject: Subject, span: tuple[int, int], clock: Clock) -> int | None:
        """Where another match would begin inside a match; None if there is none."""
        start, end = subject.place(span[0]), subject.place(span[1])
        place = self._next_inside(subject.view, start, end, clock)
        return None if place is None else subject.offset(place)

    def lines(self, subject: Subject, clock: Clock) -> Iterator[int]:
        """The offsets, in the body, of the lines that match, each searched by itself."""
        if self.literal in subject.view:
            yield from map(subject.offset, self._lines(subject.view, clock))

    def _find(self, view: bytes, clock: Clock, *, every: bool) -> Iterator[Any]:
        """The same as `matches`, with the engine's own groups."""
        raise NotImplementedError

    def _next_inside(self, view: bytes, start: int, end: int, clock: Clock) -> int | None:
        raise NotImplementedError

    def _matches_line(self, line: bytes, clock: Clock) -> bool:
        """Whether a line matches."""
        raise NotImplementedError

    def _lines(self, view: bytes, clock: Clock) -> Iterator[int]:
        terminator = b"\r" if b"\n" not in view else b"\n"
        position, size = 0, len(view)
        while position < size:
            end = view.find(terminator, position)
            end = size if end < 0 else end
            if self._matches_alone(view, position, end, clock):
                yield position
            position = end + 1

    def _matches_alone(self, view: bytes, start: int, end: int, clock: Clock) -> bool:
        line = view[start:end]
        if view.startswith(b"\r\n", end - 1) and end > start:
            line = line[:-1]
        if monotonic() > clock.ends:
            raise clock.timeout(self.pattern.source)
        clock.grant()
        return self.literal in line and self._matches_line(line, clock)

    def _is_rare_in(self, view: bytes) -> bool:
        """Whether searching only the lines that contain the literal is faster than searching the whole text."""
        return bool(self.literal) and view.count(self.literal) * self.line_costs < len(view)

    def _own_groups(self, groups: Any) -> Spans:
        """Convert an engine's spans to the dialect's: apply the helper groups, then remove them."""
        spans = [groups[number] for number in self._order]
        for tail in self._tails:
            if groups[tail] != NONE:
                spans[0] = (spans[0][0], groups[tail][0])
        for number, slot in self._rounds:
            start, end = groups[number]
            for group in slot.inner:
                stale = spans[group][1] > end if slot.backward else spans[group][0] < start
                if stale or (slot.optional and start == end):
                    spans[group] = NONE
        return spans


def compile_pattern(pattern: Pattern) -> Compiled:
    """Compile a pattern for the engine that it needs."""
    key = pattern.source, pattern.flags, pattern.rewritten
    engine = _cache.pop(key, None) or _compile(pattern)
    if len(_cache) >= _MAX_REMEMBERED:
        oldest, *_ = [*_cache]  # a copy: another thread may be changing the cache
        _cache.pop(oldest, None)
    _cache[key] = engine  # now the newest entry
    log.debug("patterns", "%s searches for %s", engine.engine, pattern.source)
    return engine


class _Re2(Compiled):
    """Searches with RE2, in linear time, match by match."""

    engine = "re2"
    line_costs = 10_000

    def __init__(self, pattern: Pattern, emitted: Emitted, engine: Any) -> None:
        super().__init__(pattern, emitted.slots)
        self._match = engine.Match
        self._parts = int(engine.ProgramSize())
        self._one_line = not self._crosses and not self._tails
        self._is_literal = is_literal(pattern.root)
        self._line_finder: Any = None

    def may_occur_in(self, buffer: bytearray, size: int) -> bool:
        if self.literal or self._any_of is not None or self.reads_undecodable:
            return super().may_occur_in(buffer, size)
        return bool(self._match(_anywhere(), memoryview(buffer)[:size], 0, size)[0][0] >= 0)

    def may_hold(self, utf8: bytes) -> bool:
        if self._is_literal:
            return super().may_hold(utf8)
        return bool(self._match(_anywhere(), utf8, 0, len(utf8))[0][0] >= 0)

    def _find(self, view: bytes, clock: Clock, *, every: bool) -> Iterator[Any]:
        if self._is_literal and self.literal:
            return self._find_literal(view, clock, every=every)
        if self._one_line and self._is_rare_in(view):
            return self._around_literal(view, clock, every=every)
        return self._everywhere(view, clock, every=every)

    def _find_literal(self, view: bytes, clock: Clock, *, every: bool) -> Iterator[Any]:
        """Search for a pattern that is just the literal."""
        literal, size = self.literal, len(self.literal)
        position = view.find(literal)
        while position >= 0:
            yield [(position, position + size)]
            if monotonic() > clock.ends:
                raise clock.timeout(self.pattern.source)
            clock.grant()
            position = view.find(literal, position + size if every else _next_line(view, position))

    def _around_literal(self, view: bytes, clock: Clock, *, every: bool) -> Iterator[Any]:
        """Search only lines that contain the literal; every match contains it, and none crosses a line ending."""
        position, size = 0, len(view)
        while position <= size:
            at = view.find(self.literal, position)
            if at < 0:
                return
            start = view.rfind(b"\n", position, at) + 1
            end = view.find(b"\n", at)
            span = start or position, size if end < 0 else end
            position = yield from self._between(view, *span, clock, every=every)

    def _everywhere(self, view: bytes, clock: Clock, *, every: bool) -> Iterator[Any]:
        """Search the whole text: in windows if no match can cross a line ending, because a search can't be stopped."""
        position, size = 0, len(view)
        while position <= size:
            end = size
            if self._one_line and size - position > _WINDOW_SIZE:
                end = view.find(b"\n", position + _WINDOW_SIZE)
                end = size if end < 0 else end
            position = yield from self._between(view, position, end, clock, every=every)

    def _between(self, view: bytes, position: int, end: int, clock: Clock, *, every: bool) -> Generator[Any, None, int]:
        """The matches between two positions; returns the position from which to go on."""
        match, anywhere, tails = self._match, _anywhere(), self._tails
        self._check_cost(match, view, position, end, clock)
        while position <= end:
            if monotonic() > clock.ends:
                raise clock.timeout(self.pattern.source)
            clock.grant()
            groups = match(anywhere, view, position, end)
            start, stop = groups[0]
            if start < 0:
                break
            for tail in tails:
                stop = groups[tail][0] if groups[tail][0] >= 0 else stop
            position = stop if stop > start else _next_character(view, stop)
            if stop > start or not _is_inside(view, start):
                yield groups
                position = position if every else _next_line(view, start)
        return max(end + 1, position)

    def _check_cost(self, search: Any, view: bytes, start: int, end: int, clock: Clock) -> None:
        """Refuse a search, which can't be stopped, if samples of the text show that it would take far too long.

        RE2 usually needs about a nanosecond per byte; in the worst case it needs that for each part of the program.
        """
        size = end - start
        if size * self._parts <= _CHEAP_PRODUCT:
            return
        left = max(clock.ends - monotonic(), 0.0)
        for count, length in enumerate(_PROBE_SIZES):
            taken = []
            for place in (2 * count + 1, 2 * count + 2):  # two, because the machine may be busy with something else
                at, began = start + (size - length) * place // 9, monotonic()
                search(_anywhere(), view, at, at + length)
                taken.append(monotonic() - began)
            if min(taken) > _LEAST_PROBE_SECONDS:
                if min(taken) * size > _OVERDRAFT * left * length:
                    raise clock.timeout(self.pattern.source)
                return

    def _next_inside(self, view: bytes, start: int, end: int, clock: Clock) -> int | None:
        del clock  # one search is linear, and no longer than the one that found the match
        at = self._match(_anywhere(), view, _next_character(view, start), end)[0][0]
        return None if at < 0 else int(at)

    def _matches_line(self, line: bytes, clock: Clock) -> bool:
        del clock
        return bool(self._match(_anywhere(), line, 0, len(line))[0][0] >= 0)

    def _lines(self, view: bytes, clock: Clock) -> Iterator[int]:
        finder = self._for_lines()
        if finder is None or b"\n" not in view:
            yield from super()._lines(view, clock)
            return
        position, size = 0, len(view)
        self._check_cost(finder, view, position, size, clock)
        while position < size:
            if monotonic() > clock.ends:
                raise clock.timeout(self.pattern.source)
            at = finder(_anywhere(), view, position, size)[0][0]
            if at < 0:
                return
            start = view.rfind(b"\n", position, at) + 1 or position
            end = view.find(b"\n", at)
            end = size if end < 0 else end
            if start < size and self._matches_alone(view, start, end, clock):
                yield start
            position = end + 1

    def _for_lines(self) -> Any:
        """A search of the whole text for lines that may match; None if RE2 can't do it."""
        if self._line_finder is None:
            emitted = for_re2(self.pattern, by_line=True)
            engine = None if emitted is None else _re2(emitted)
            self._line_finder = (None if engine is None else engine.Match,)
        return self._line_finder[0]


class _Regex(Compiled):
    """Searches with `regex`, by backtracking, under a time limit."""

    engine = "regex"
    line_costs = 300

    def __init__(self, pattern: Pattern, emitted: Emitted, engine: Any) -> None:
        super().__init__(pattern, emitted.slots)
        self._engine = engine
        self._one_line = stays_in_line(pattern.root) and not self._may_be_empty
        self._literal_text = self.literal.decode()

    def _find(self, view: bytes, clock: Clock, *, every: bool) -> Iterator[Any]:
        string = view.decode("utf-8", "surrogatepass")
        place = Places(string).offset if len(string) < len(view) else None
        search = self._around_literal if self._one_line and self._is_rare_in(view) else self._everywhere_from
        position = 0
        while True:
            try:
                for match in search(string, position, clock, every=every):
                    regs = match.regs
                    yield regs if place is None else [(place(start), place(end)) for start, end in regs]
                    position = match.end() + (match.end() == match.start())
                    clock.grant()
            except MemoryError:  # its backtracking stack reached its limit
                raise clock.timeout(self.pattern.source) from None
            except TimeoutError:
                if monotonic() > clock.ends:
                    raise clock.timeout(self.pattern.source) from None
            else:
                return

    def _around_literal(self, string: str, position: int, clock: Clock, *, every: bool) -> Iterator[Any]:
        """The same as `_everywhere_from`, if no match crosses lines and each line with a match contains the literal."""
        at = string.find(self._literal_text, position)
        while at >= 0:
            start = max(string.rfind("\n", 0, at) + 1, position)
            end = string.find("\n", at)
            end = len(string) if end < 0 else end
            for match in self._engine.finditer(
                string, start, end, timeout=clock.left(self.pattern.source), concurrent=True
            ):
                yield match
                if not every:
                    break
            at = string.find(self._literal_text, end)

    def _everywhere_from(self, string: str, position: int, clock: Clock, *, every: bool) -> Iterator[Any]:
        """The matches from a position on, until the time that was left at the start is up."""
        if every and not self._may_be_empty:
            yield from self._engine.finditer(string, position, timeout=clock.left(self.pattern.source), concurrent=True)
            return
        while position <= len(string):
            match = self._engine.search(string, position, timeout=clock.left(self.pattern.source), concurrent=True)
            if match is None:
                return
            start, stop = match.span()
            position = stop + (start == stop)
            if stop > start or string[start - 1 : start + 1] != "\r\n":
                yield match
                position = position if every else string.find("\n", start) + 1 or len(string) + 1

    def _next_inside(self, view: bytes, start: int, end: int, clock: Clock) -> int | None:
        string = view[start:end].decode("utf-8", "surrogatepass")
        try:
            match = self._engine.search(string, 1, timeout=clock.left(self.pattern.source), concurrent=True)
        except (TimeoutError, MemoryError):  # as in `_find`
            raise clock.timeout(self.pattern.source) from None
        return None if match is None else start + len(string[: match.start()].encode("utf-8", "surrogatepass"))

    def _matches_line(self, line: bytes, clock: Clock) -> bool:
        try:
            return bool(
                self._engine.search(
                    line.decode("utf-8", "surrogatepass"), timeout=clock.left(self.pattern.source), concurrent=True
                )
            )
        except (TimeoutError, MemoryError):  # as in `_find`
            raise clock.timeout(self.pattern.source) from None


def _compile(pattern: Pattern) -> Compiled:
    emitted = for_re2(pattern)
    engine = None if emitted is None else _re2(emitted)
    if emitted is not None and engine is not None:
        return _Re2(pattern, emitted, engine)
    if weight(pattern.root, least=True) > MAX_PROGRAM:
        raise InvalidRegex(pattern=pattern.source, reason="Too large with its repetitions written out", position=0)
    import regex  # most patterns don't need it

    other = for_regex(pattern)
    try:
        return _Regex(pattern, other, regex.compile(other.source))
    except (regex.error, OverflowError, RecursionError, MemoryError) as error:
        raise InvalidRegex(pattern=pattern.source, reason=f"Not supported: {error}", position=0) from None


def _re2(emitted: Emitted) -> Any:
    """The pattern compiled by RE2, or None if it is too large."""
    import re2

    options = re2.Options()
    options.log_errors, options.max_mem = False, _RE2_MEMORY
    engine = re2._re2.RE2(emitted.source.encode(), options)  # noqa: SLF001  the wrapper makes an object a match
    return engine if engine.ok() else None


def _search_together(texts: tuple[bytes, ...]) -> Callable[[memoryview], list[Any]]:
    """A function that searches for several texts at once."""
    from ahocorasick_rs import BytesAhoCorasick, MatchKind

    find: Callable[[memoryview], list[Any]]
    find = BytesAhoCorasick(texts, matchkind=MatchKind.LeftmostFirst).find_matches_as_indexes
    return find


def _anywhere() -> Any:
    import re2

    return re2._re2.RE2.Anchor.UNANCHORED  # noqa: SLF001  as above


def _map_span(subject: Subject, span: tuple[int, int]) -> tuple[int, int]:
    return span if span == NONE else (subject.offset(span[0]), subject.offset(span[1]))


def _next_line(view: bytes, position: int) -> int:
    """The start of the next line; beyond the end of the text if there is none."""
    return view.find(b"\n", position) + 1 or len(view) + 1


def _next_character(view: bytes, position: int) -> int:
    position += 1
    while position < len(view) and view[position] & 0xC0 == 0x80:  # noqa: PLR2004  10xxxxxx
        position += 1
    return position


def _is_inside(view: bytes, position: int) -> bool:
    r"""Whether a position is inside a character or a `\r\n`."""
    if not 0 < position < len(view):
        return False
    return view[position] & 0xC0 == 0x80 or view[position - 1 : position + 1] == b"\r\n"  # noqa: PLR2004  10xxxxxx
