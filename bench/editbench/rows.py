"""A change and its file side by side, line by line: the model that keeps the right result through corruptions.

Each row is one line in up to four places: in the current file, in old, in new, and in the right result (`want`).
An unchanged line has all four; a deleted one has no `new` and no `want`; an inserted one only `new` and `want`.
Corruptions change some of the places, add rows or empty places; the right result is `want` from top to bottom.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bench.editbench.corpus import Source

QUOTES = {"\u201c": '"', "\u201d": '"', "\u2018": "'", "\u2019": "'"}
DASHES = {"\u2010": "-", "\u2011": "-", "\u2012": "-", "\u2013": "-", "\u2014": "-", "\u2212": "-"}
SPACES = {"\u00a0": " ", "\u202f": " ", "\u2009": " ", "\u3000": " "}
_FOLD = str.maketrans(QUOTES | DASHES | dict.fromkeys([*SPACES, " ", "\t", "\n", "\r", "\\"]))


@dataclass
class Row:
    """One line; `touched` if the real change deletes or inserts it."""

    file: str | None = None
    old: str | None = None
    new: str | None = None
    want: str | None = None
    touched: bool = False
    may_end: str = ""
    """Whitespace that may be at the end of the line in the right result."""

    @property
    def known(self) -> bool:
        """Whether it is in both the file and the request, and unchanged."""
        return not self.touched and self.file is not None and self.old is not None

    def set_request(self, text: str | None) -> None:
        """Replace the line in the request, in old and new."""
        self.old = self.new = text

    def set_file(self, text: str | None) -> None:
        """Replace the line in the file, before and after."""
        self.file = self.want = text


@dataclass
class Draft:
    """A task under construction."""

    source: Source
    other: Source
    """Another file of the same language."""
    op: str
    head: list[str]
    rows: list[Row]
    tail: list[str]
    clear: bool
    """Whether only one answer is possible to which lines are unchanged."""
    eol: str = "\n"
    request_eol: str = "\n"
    final: bool = True
    """Whether old and new end in a newline."""
    ends: bool = True
    """Whether the file ends in a newline."""
    open: bool = False
    """Whether refusing is right too."""

    @property
    def old(self) -> list[str]:
        """The lines of old."""
        return [row.old for row in self.rows if row.old is not None]

    @property
    def new(self) -> list[str]:
        """The lines of new."""
        return [row.new for row in self.rows if row.new is not None]

    @property
    def file(self) -> list[str]:
        """All lines of the file."""
        return [*self.head, *(row.file for row in self.rows if row.file is not None), *self.tail]

    def want(self, *, longer: bool = False) -> list[str]:
        """All lines of the right result, with or without the optional whitespace at their ends."""
        wanted = [row.want + row.may_end * longer for row in self.rows if row.want is not None]
        return [*self.head, *wanted, *self.tail]

    def texts(self) -> tuple[str, str]:
        """Old and new as they are sent."""
        old, new = ("".join(line + self.request_eol for line in lines) for lines in (self.old, self.new))
        return (
            (old, new)
            if self.final or not new
            else (old.removesuffix(self.request_eol), new.removesuffix(self.request_eol))
        )

    def change_request(self, change: Callable[[str], str]) -> None:
        """Change all lines of the request in the same way."""
        for row in self.rows:
            row.old = None if row.old is None else change(row.old)
            row.new = None if row.new is None else change(row.new)

    def change_file(self, change: Callable[[str], str]) -> None:
        """Change all lines of the file in the same way, before and after."""
        self.head, self.tail = [*map(change, self.head)], [*map(change, self.tail)]
        for row in self.rows:
            row.file = None if row.file is None else change(row.file)
            row.want = None if row.want is None else change(row.want)

    def inner(self, *, distance: int = 1) -> list[int]:
        """Unchanged rows between unchanged rows: nothing touched within `distance` lines that have words."""
        return [at for at, row in enumerate(self.rows) if row.known and self._is_quiet(at, distance)]

    def _is_quiet(self, at: int, distance: int) -> bool:
        for step in (1, -1):
            count, index = 0, at
            while count < distance:
                index += step
                if not 0 <= index < len(self.rows) or not self.rows[index].known:
                    return False
                count += has_words(self.rows[index].file)
        return True


def draft_change(source: Source, op: str, start: int, old: Sequence[str], new: Sequence[str]) -> Draft:
    """The real change of the lines `old` at index `start`, uncorrupted."""
    pairs, reversed_pairs = _align(old, new), _align(old[::-1], new[::-1])
    mirrored = [(len(old) - 1 - a, len(new) - 1 - b) for a, b in reversed(reversed_pairs)]
    rows, i, j = list[Row](), 0, 0
    for a, b in [*pairs, (len(old), len(new))]:
        rows += [Row(file=line, old=line, touched=True) for line in old[i:a]]
        rows += [Row(new=line, want=line, touched=True) for line in new[j:b]]
        rows += [Row(line, line, line, line) for line in old[a : a + 1]]
        i, j = a + 1, b + 1
    clear = pairs == mirrored and not any(map(_is_island, [None, *rows], rows, [*rows[1:], None]))
    lines = source.lines
    return Draft(source, source, op, lines[:start], rows, lines[start + len(old) :], clear)


def has_words(line: str | None) -> bool:
    """Whether a line contains words."""
    return line is not None and sum(map(str.isalnum, line)) >= 4


def fold(text: str) -> str:
    """The text without whitespace, case, look-alikes and backslashes."""
    return unicodedata.normalize("NFC", text).translate(_FOLD).casefold()


def is_typo(one: str, other: str) -> bool:
    """Whether two lines differ by one letter, or by two swapped letters."""
    while one and one[:1] == other[:1]:
        one, other = one[1:], other[1:]
    while one and one[-1:] == other[-1:]:
        one, other = one[:-1], other[:-1]
    longest = max(len(one), len(other))
    return longest < 2 or (longest == 2 and one == other[::-1])


def indentation(line: str) -> str:
    """The whitespace that a line begins with."""
    match = re.match(r"[ \t]*", line)
    return match.group() if match else ""


def _is_island(before: Row | None, row: Row, after: Row | None) -> bool:
    """An unchanged line between two touched ones, possibly by accident."""
    single = bool(before and before.touched and after and after.touched)
    return not row.touched and single and not has_words(row.file)


def _align(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """A longest common subsequence, as early as possible in old."""
    most = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for i in range(len(old) - 1, -1, -1):
        for j in range(len(new) - 1, -1, -1):
            same = old[i] == new[j]
            most[i][j] = most[i + 1][j + 1] + 1 if same else max(most[i + 1][j], most[i][j + 1])
    pairs, i, j = list[tuple[int, int]](), 0, 0
    while i < len(old) and j < len(new):
        if old[i] == new[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif most[i + 1][j] >= most[i][j + 1]:
            i += 1
        else:
            j += 1
    return pairs
