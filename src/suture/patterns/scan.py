r"""Matches of a pattern in a text, as lines and columns.

Only the surroundings of matches are examined: a line is found from the match outwards, and its number by counting line
endings since the previous match. Lines are 1-based; columns are 0-based and count characters.
"""

from __future__ import annotations

from itertools import chain, islice

from suture.bounds import timed
from suture.errors import InputTooLarge
from suture.json_text import quoted, quoter
from suture.patterns.engines import NONE
from suture.text import terminator_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from suture.patterns.engines import Clock, Compiled, Spans, Subject
    from suture.text.edits import Edit

    Extent = tuple[int, int, int, int]
    """First line and column, last line and end column."""

_BYTES_PER_REQUEST = 4_000  # the text is split into lines once context was needed more often than once in so many bytes
_MAX_SPLIT_BYTES = 20_000_000  # bytes of a text that is split into lines: each line takes more than 50 bytes
_EXTENT_SIZE = 40  # characters that a place counts as part of an answer: its four numbers, and their names
_ROWS_PER_STRING = 4_096  # rows that are joined: a string's overhead is longer than most rows


class Room:
    """The characters that an answer may still have, in all files together."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._size = 0

    def check(self, size: int) -> None:
        """Refuse a part of at least `size` characters, before it is made, if there is no room for it."""
        total = self._size + size
        if total > self._limit:
            raise InputTooLarge(what="The result", size=total, limit=self._limit, setting="max_result_bytes")

    def take(self, size: int) -> None:
        """Count a part; refuse it if there is no room for it."""
        self.check(size)
        self._size += size


class RowBuffer:
    """Collects the rows of an answer, in JSON."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._parts: list[str] = []
        self._rows: list[str] = []

    def add(self, row: str) -> None:
        """Add a row."""
        self._room.take(len(row) + 1)
        self._rows.append(row)
        if len(self._rows) == _ROWS_PER_STRING:
            self._parts.append(",".join(self._rows))
            self._rows = []

    def all(self) -> list[str]:
        """All rows, in order; some of the strings contain several."""
        return [*self._parts, *self._rows]


def each_match(compiled: Compiled, subject: Subject, clock: Clock) -> Iterator[Spans]:
    """The requested matches: all, or the first of each line; never after the final line ending.

    The time in which the caller handles a match does not count.
    """
    matches = _without_final_end(compiled.matches(subject, clock, every=compiled.pattern.every), subject)
    return clock.untimed(matches if compiled.pattern.every else _first_of_lines(matches, subject))


def _without_final_end(matches: Iterator[Spans], subject: Subject) -> Iterator[Spans]:
    size = len(subject.body)
    finished = size > 0 and subject.body.endswith(terminator_of(subject.body))
    return (spans for spans in matches if spans[0] != (size, size)) if finished else matches


def _first_of_lines(matches: Iterator[Spans], subject: Subject) -> Iterator[Spans]:
    body, terminator = subject.body, terminator_of(subject.body)
    next_line = 0
    for spans in matches:
        start = spans[0][0]
        if start >= next_line:
            yield spans
            end = body.find(terminator, start)
            next_line = len(body) + 1 if end < 0 else end + 1


class Places:
    """Finds lines and columns of offsets that come in order, and the lines around them."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self._body = subject.body
        self._terminator = terminator_of(subject.body)
        self._line = 1
        self._plain = subject.body.isascii()
        self._line_start = self._at = self._column = 0
        self._quote = quoter()
        self._context_requests = 0
        self._lines: list[str] | None = None
        """All lines, once the text is split."""

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, which must not be before the previous one."""
        ends = self._body.count(self._terminator, self._at, offset)
        if ends:
            self._line += ends
            self._line_start = self._at = self._body.rfind(self._terminator, self._at, offset) + 1
            self._column = 0
        self._column += offset - self._at if self._plain else self._subject.width(self._at, offset)
        self._at = offset
        return self._line, self._column

    def before(self, number: int) -> str:
        """Up to `number` lines before the line of the last position, as JSON."""
        if (lines := self._split_lines()) is not None:
            return ",".join(map(self._quote, lines[max(self._line - 1 - number, 0) : self._line - 1]))
        starts, end = list[int](), self._line_start
        while len(starts) < number and end > 0:
            end = self._body.rfind(self._terminator, 0, end - 1) + 1
            starts.append(end)
        return ",".join(self._content(start)[0] for start in reversed(starts))

    def after(self, offset: int, number: int) -> str:
        """Up to `number` lines after the line of `offset`, which is not before the last position, as JSON."""
        if (lines := self._split_lines()) is not None:
            last = self._line + self._body.count(self._terminator, self._at, offset)
            return ",".join(map(self._quote, lines[last : last + number]))
        lines, start = list[str](), self._next(offset)
        while len(lines) < number and start < len(self._body):
            content, start = self._content(start)
            lines.append(content)
        return ",".join(lines)

    def _split_lines(self) -> list[str] | None:
        """All lines, if context was needed so often that splitting the text pays, and the text is not too large."""
        if self._lines is None:
            self._context_requests += 1
            if self._context_requests * _BYTES_PER_REQUEST > len(self._body) <= _MAX_SPLIT_BYTES:
                self._lines = _all_lines(self._subject, self._terminator)
        return self._lines

    def _next(self, offset: int) -> int:
        """The start of the line after that of an offset, or the end."""
        return self._body.find(self._terminator, offset) + 1 or len(self._body)

    def _content(self, start: int) -> tuple[str, int]:
        """A line without its ending, as JSON, and the start of the next line."""
        following = self._next(start)
        content = self._subject.shown(start, _content_end(self._body, start, following, self._terminator))
        return self._quote(content), following


def _all_lines(subject: Subject, terminator: bytes) -> list[str]:
    lines = subject.readable(subject.body).split(terminator.decode())
    unfinished = lines.pop()
    if b"\r\n" in subject.body:
        lines = [line.removesuffix("\r") for line in lines]
    return [*lines, unfinished] if unfinished else lines


def rows(
    name: str,
    subject: Subject,
    matches: Iterable[Spans],
    around: tuple[int, int],
    room: Room,
    replacements: Iterable[Edit] | None = None,
) -> list[str]:
    """Each match as a row in JSON, with its replacement if `replacements` has an edit for each match.

    `around` has the numbers of lines before and after.

    Rows are made directly from the bytes for speed: when 9,000 files are searched for a common word, this function
    takes 37 % of the time, and 58 % with two lines of context. The second process makes the rows of its own files.
    """
    before, after = around
    places, result = Places(subject), list[str]()
    quote, shown, string = quoter(), subject.shown, subject.string()
    head = f'{{"file":{quoted(name)},"line":'
    edits = None if replacements is None else iter(replacements)
    for spans in timed(matches):
        start, end = spans[0]
        room.check(_length(spans))
        line, column = places.position(start)
        groups = whole = quote(shown(start, end) if string is None else string[start:end])
        for span in spans[1:]:
            if span == NONE:
                groups += ",null"
            else:
                groups += f",{quote(shown(*span) if string is None else string[span[0] : span[1]])}"
        if edits is None:
            match = f'"match":{whole}'
        else:
            match = f'"original":{whole},"replacement":{quoted(subject.readable(next(edits).new))}'
        lines_before = places.before(before) if before else ""
        lines_after = places.after(max(end - 1, start), after) if after else ""
        row = (
            f'{head}{line},"column":{column},{match},"groups":[{groups}],'
            f'"context_before":[{lines_before}],"context_after":[{lines_after}]}}'
        )
        room.take(len(row))
        result.append(row)
    return result


def extents(
    subject: Subject, matches: Iterable[Spans], around: tuple[int, int], room: Room
) -> tuple[list[Extent], dict[int, str]]:
    """Line and column of each match's start and end; and, by number, the lines of matches and the lines around them.

    A line ending at the end of a match does not count.
    """
    before, after = around
    body, lines, places = subject.body, subject.text.lines, Places(subject)
    terminator, total, reached = terminator_of(body), len(lines), 0
    positions, contents = list[tuple[int, int, int, int]](), dict[int, str]()
    for spans in timed(matches):
        start, end = spans[0]
        first, column = places.position(start)
        last, end_column = places.position(end - (end > start and body.endswith(terminator, start, end)))
        positions.append((first, column, last, end_column))
        size = _EXTENT_SIZE
        for number in range(max(first - before, reached + 1), last + after + 1):
            if number > max(total, 1):
                break
            contents[number] = subject.readable(lines.content(number)) if total else ""
            size += len(contents[number])
            reached = number
        room.take(size)
    return positions, contents


def _length(spans: Spans) -> int:
    """The least number of characters in a match and its groups: a character has up to four bytes."""
    return sum([end - start for start, end in spans]) // 4


def extracts(name: str, subject: Subject, matches: Iterable[Spans], room: Room) -> list[str]:
    """The groups of each match as rows in JSON."""
    places, quote, buffer = Places(subject), quoter(), RowBuffer(room)
    head = f'{{"file":{quoted(name)},"line":'
    for spans in timed(matches):
        room.check(_length(spans))
        groups = ",".join(["null" if span == NONE else quote(subject.shown(*span)) for span in spans[1:]])
        buffer.add(f'{head}{places.position(spans[0][0])[0]},"groups":[{groups}]}}')
    return buffer.all()


def matching_lines(
    compiled: Compiled, subject: Subject, clock: Clock, *, invert: bool, most: int | None
) -> Iterator[tuple[int, str]]:
    """The number and content of each line that matches or, with `invert`, that does not."""
    starts = clock.untimed(compiled.lines(subject, clock))
    wanted = _other_starts(subject.body, starts) if invert else starts
    body, terminator, places = subject.body, terminator_of(subject.body), Places(subject)
    for start in timed(islice(wanted, most)):
        following = body.find(terminator, start) + 1 or len(body)
        content = subject.shown(start, _content_end(body, start, following, terminator))
        yield places.position(start)[0], content


def line_rows(name: str, lines: Iterable[tuple[int, str]], room: Room) -> list[str]:
    """Lines as rows in JSON."""
    quote, buffer, head = quoter(), RowBuffer(room), f'{{"file":{quoted(name)},"line":'
    for number, content in lines:
        buffer.add(f'{head}{number},"content":{quote(content)}}}')
    return buffer.all()


def _other_starts(body: bytes, starts: Iterator[int]) -> Iterator[int]:
    """The starts of all lines that are not among these."""
    terminator, position = terminator_of(body), 0
    skipped = next(starts, None)
    while position < len(body):
        if position == skipped:
            skipped = next(starts, None)
        else:
            yield position
        position = body.find(terminator, position) + 1 or len(body)


def segments(subject: Subject, matches: Iterable[Spans], most: int | None, room: Room) -> list[str]:
    """The text between matches, of which at most `most` separate, as rows in JSON."""
    body, places, start = subject.body, Places(subject), 0
    terminator, quote, buffer = terminator_of(body), quoter(), RowBuffer(room)
    size = len(body)
    ends = chain(islice(delimiters(matches, size), most), [(size, size)])
    for number, (end, following) in timed(enumerate(ends, 1)):
        first = places.position(start)[0]
        last = places.position(_content_end(body, start, end, terminator))[0]
        content = quote(subject.shown(start, end))
        buffer.add(f'{{"segment":{number},"content":{content},"line_start":{first},"line_end":{last}}}')
        start = following
    return buffer.all()


def delimiters(matches: Iterable[Spans], size: int) -> Iterator[tuple[int, int]]:
    """The matches that separate segments; an empty match separates only between two characters."""
    position = 0
    for spans in matches:
        start, end = spans[0]
        if end > start or position < start < size:
            yield start, end
            position = end


def _content_end(body: bytes, start: int, end: int, terminator: bytes) -> int:
    """The end of the text between two offsets without a final line ending."""
    if end > start and body.endswith(terminator, start, end):
        return end - 2 if terminator == b"\n" and body.endswith(b"\r\n", start, end) else end - 1
    return end
