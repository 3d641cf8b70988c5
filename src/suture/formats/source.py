"""The lines of a reply, as far as they have come.

Readers are generators: they yield None where they need a line that is not there yet, and a `Block` as soon as it
is complete; they return the number of the first line that is not theirs.

    while not source.ready(at):
        yield None
    line = source.line(at)
"""

from __future__ import annotations

from suture.bounds import check_time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from suture.formats.blocks import Block

    Reading = Generator[Block | None, None, int]


_OFTEN = 1_024  # lines between two looks at the clock
MOST_DIGITS = 18
"""Digits of a number that says where an edit goes: one that has more is none, and `int` refuses very many."""
MOST_UNENDED = 20
"""Calls without an end after which no more are looked for."""


class Source:
    r"""A text that arrives in pieces. Lines end at a newline; a `\r` before it is left, to be looked at."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.over = False
        self.cut = False
        """Whether the last line has no end."""
        self._rest: list[str] = []
        self._looks = 0
        self.closings: dict[int, int | None] = {}
        """Where a block ends that begins at a line, once that is known; None: nowhere."""
        self.torn: dict[int, int] = {}
        """Blocks that may have ended earlier, at a marker of another length, with other blocks behind it."""
        self.unclosed = False
        """Whether the last block is a SEARCH that nothing ends."""
        self.unended = 0
        """How many calls, and blocks in entities, nothing ended so far: each takes a look at all that follows."""
        self.endless: int | None = None
        """From this line on no line ends a block; known once the reply is over, and somebody has looked."""
        self.quoted = 0
        """Behind the last line of a quotation in which no block begins."""

    def add(self, chunk: str) -> None:
        """Take more of the text."""
        *lines, rest = chunk.split("\n")
        if lines:
            lines[0] = "".join([*self._rest, lines[0]])
            self._rest.clear()
            self.lines += lines
        if rest:
            self._rest.append(rest)

    def close(self) -> None:
        """No more will come."""
        self.cut = bool(self._rest)
        if self._rest:
            self.lines.append("".join(self._rest))
            self._rest.clear()
        self.over = True

    def replace(self, first: int, lines: list[str]) -> None:
        """Put other lines in the place of as many."""
        end = first + len(lines)
        self.lines[first:end] = lines
        if self.endless is not None:
            self.endless = max(self.endless, end)

    def forget(self) -> None:
        """Nothing before counts any more: what is known of blocks may depend on it."""
        self.closings.clear()
        self.torn.clear()
        self.unclosed = False

    def dedent(self, first: int, end: int, lead: str) -> None:
        """Take an indentation off some lines, as far as they have it."""
        self.replace(first, [line.removeprefix(lead) for line in self.lines[first:end]])

    def ready(self, at: int) -> bool:
        """Whether it is known what line comes there, or that none does. Lines are counted from 0."""
        self._looks += 1
        if not self._looks % _OFTEN:  # every reader asks this of each line
            check_time()
        return at < len(self.lines) or self.over

    def line(self, at: int) -> str | None:
        """A line without its end, or None behind the last one."""
        return self.lines[at].removesuffix("\r") if at < len(self.lines) else None

    def text(self, first: int, end: int, *, crlf: bool = False) -> str:
        r"""Some lines as a text, each with its end. In a reply that is `crlf`, lines end so, and the text has `\n`."""
        lines = self.lines[first:end]
        if crlf:
            lines = [line.removesuffix("\r") for line in lines]
        return "".join([f"{line}\n" for line in lines])

    def lead(self, at: int) -> str:
        """The indentation of a line."""
        line = self.lines[at]
        return line[: len(line) - len(line.lstrip())]

    def is_crlf(self, at: int) -> bool:
        r"""Whether a line of the reply ends with `\r\n`: asked of a marker, it tells of the block."""
        return self.lines[at].endswith("\r")
