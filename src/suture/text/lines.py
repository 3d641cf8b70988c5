r"""Lines: where they start and end, which line an offset is in, and how they are indented.

A line ends at `\n` or `\r\n`. A lone `\r` ends a line only where there is no `\n` at all. Form feed,
U+0085, U+2028 and the rest of `str.splitlines` are ordinary characters. Line numbers are 1-based,
offsets count bytes, columns count code points from 0.

The index is one array of line starts, built in one pass when first asked for.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from itertools import accumulate, count
from operator import add

from suture.bounds import check_time
from suture.records import Record

_CHUNK_SIZE = 1 << 20  # bytes that are split at once: a pause in which the time is checked
_WIDE = 1 << 32  # bytes of a text whose offsets need more than four bytes each
_FEW_QUESTIONS = 8  # line numbers that are counted before an index is built

# What is looked at to detect the indentation
_SAMPLE_SIZE = 1 << 18
_SAMPLE_LINES = 2_000


class Lines:
    """The lines of `body`, which must not change."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._terminator = terminator_of(body)
        self._starts: array[int] | None = None
        self._asked = 0

    def __len__(self) -> int:
        if self._starts is not None:
            return len(self._starts)
        return self._body.count(self._terminator) + (bool(self._body) and not self.finished)

    @property
    def starts(self) -> array[int]:
        """The offset at which each line begins."""
        if self._starts is None:
            self._starts = _starts(self._body, self._terminator)
        return self._starts

    @property
    def finished(self) -> bool:
        """Whether the last line has an ending."""
        return self._body.endswith(self._terminator)

    def at(self, offset: int) -> int:
        """The number of the line that contains `offset`; the end of the file belongs to its last line."""
        if self._starts is None and self._asked < _FEW_QUESTIONS:
            self._asked += 1  # counting is faster than an index, as long as it is not done often
            behind = offset >= len(self._body) and self.finished
            return max(1, self._body.count(self._terminator, 0, offset) + (not behind))
        return max(1, bisect_right(self.starts, offset))

    def around(self, offset: int) -> tuple[int, int]:
        """The start and end of the line that contains `offset`, its ending included, as `span` gives it."""
        if offset >= len(self._body) and self.finished:
            offset = len(self._body) - 1
        end = self._body.find(self._terminator, offset) + 1
        return self._body.rfind(self._terminator, 0, offset) + 1, end or len(self._body)

    def span(self, line: int) -> tuple[int, int]:
        """The start and end of a line, its ending included."""
        starts = self.starts
        if not 1 <= line <= len(starts):
            raise IndexError(line)
        return starts[line - 1], starts[line] if line < len(starts) else len(self._body)

    def ending(self, line: int) -> bytes:
        r"""How a line ends: `\n`, `\r\n`, `\r`, or nothing for an unfinished last line."""
        return self.ending_of(*self.span(line))

    def ending_of(self, start: int, end: int) -> bytes:
        """How a line ends that is given by its span."""
        if not self._body.endswith(self._terminator, start, end):
            return b""
        return b"\r\n" if self._body.endswith(b"\r\n", start, end) else self._terminator

    def content(self, line: int) -> bytes:
        """A line without its ending."""
        start, end = self.span(line)
        return self._body[start : end - len(self.ending_of(start, end))]

    def contents(self, first: int, last: int) -> list[bytes]:
        """Lines `first` to `last` without their endings, all at once."""
        if last < first:
            return []
        lines = self._body[self.span(first)[0] : self.span(last)[1]].split(self._terminator)
        unfinished = lines.pop()
        if self._terminator == b"\n":
            lines = [line.removesuffix(b"\r") for line in lines]
        return [*lines, unfinished] if unfinished else lines

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset; the end of a finished text is the beginning of a line that is not there."""
        if offset == len(self._body) and (self.finished or not offset):
            return len(self) + 1, 0
        line = self.at(offset)
        return line, len(self._body[self.starts[line - 1] : offset].decode("utf-8", "surrogateescape"))

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column, the inverse of `position`; a column past the line is its end."""
        if (line, column) == (len(self) + 1, 0):
            return len(self._body)
        start, end = self.span(line)
        text = self._body[start:end].decode("utf-8", "surrogateescape")
        return start + len(text[:column].encode("utf-8", "surrogateescape"))

    def style(self) -> str:
        """How lines end here: `lf`, `crlf`, `cr`, `mixed` or `none`."""
        if self._terminator == b"\r":
            return "cr"
        breaks = self._body.count(b"\n")
        pairs = self._body.count(b"\r\n") if breaks else 0
        if not breaks:
            return "none"
        return "lf" if not pairs else "crlf" if pairs == breaks else "mixed"


class Indent(Record):
    """`style` is `spaces`, `tabs`, `mixed` or `none`; `width` counts the spaces of one step, or is 0."""

    style: str
    width: int


def terminator_of(body: bytes) -> bytes:
    r"""The last byte of every line's ending: `\n`, or `\r` where there is no `\n` at all."""
    return b"\r" if b"\n" not in body and b"\r" in body else b"\n"


def detect(body: bytes) -> Indent:
    """The indentation of a text, from its first few thousand lines."""
    tabs = spaces = 0
    steps: dict[int, int] = {}
    previous = 0
    for line in body[:_SAMPLE_SIZE].split(b"\n")[:_SAMPLE_LINES]:
        stripped = line.lstrip(b" \t")
        if not stripped.strip():
            continue
        lead = line[: len(line) - len(stripped)]
        if lead.startswith(b"\t"):
            tabs += 1
            continue
        spaces += bool(lead)
        step = abs(len(lead) - previous)
        previous = len(lead)
        if step > 1:  # one column is alignment, or the star of a block comment
            steps[step] = steps.get(step, 0) + 1
    if not tabs and not spaces:
        return Indent("none", 0)
    width = max(steps, key=lambda step: (steps[step], -step), default=0)
    if tabs and spaces and min(tabs, spaces) * 10 > max(tabs, spaces):
        return Indent("mixed", width)
    return Indent("tabs", 0) if tabs > spaces else Indent("spaces", width)


def _starts(body: bytes, terminator: bytes) -> array[int]:
    starts = array("I" if len(body) < _WIDE else "Q", [0] if body else [])
    for base in range(0, len(body), _CHUNK_SIZE):
        check_time()
        pieces = body[base : base + _CHUNK_SIZE].split(terminator)
        pieces.pop()  # what follows the last terminator of the chunk
        starts.extend(map(add, accumulate(map(len, pieces)), count(base + 1)))
    if starts and starts[-1] == len(body):
        starts.pop()  # nothing follows the final newline
    return starts
