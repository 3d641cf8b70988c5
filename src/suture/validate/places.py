"""Places in a text, and parts of it that stand in messages."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from itertools import accumulate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

INVALID = "invalid-syntax"
"""The code of everything that is not the language."""
_SHOWN = 30


class Places:
    r"""Lines and columns of a text, both from 1, in code points.

    A line ends at `\n`; at a lone `\r` only where there is no `\n` at all.
    """

    def __init__(self, text: str) -> None:
        self._end = len(text)
        lengths = map(len, text.split("\n" if "\n" in text else "\r"))
        self._starts = array("Q", [0, *accumulate(length + 1 for length in lengths)][:-1])

    def at(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset; one beyond the text is its end."""
        offset = max(0, min(offset, self._end))
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1

    def line(self, offset: int) -> int:
        """The line of an offset."""
        return self.at(offset)[0]

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column, which are brought inside the text."""
        line = max(1, min(line, len(self._starts)))
        last = self._starts[line] - 1 if line < len(self._starts) else self._end
        return min(self._starts[line - 1] + max(0, column - 1), last)


def cut(text: str) -> str:
    """A text short enough for a message, on one line."""
    return printable(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…")


def printable(chars: Iterable[str]) -> str:
    """Characters that can be shown, the others as escapes."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in chars)
