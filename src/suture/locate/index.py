"""A file's text, prepared for searching: made once for all searches in it."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from functools import cached_property
from itertools import accumulate

from suture.bounds import check_time, timed
from suture.indent import Indent, detect
from suture.lines import Lines
from suture.locate.comments import marks_of
from suture.locate.fold import coarse, encoded
from suture.locate.words import is_known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from suture.locate.found import Base

_MOST_LINES = 30_000
_MOST_TRIES = 10_000
RARE = 200
"""Lines that a word may stand in to tell where a text should."""
_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_WORDY = b"_0123456789" + _LETTERS + _LETTERS.upper() + bytes(range(0x80, 0x100))
MOST_PLACES = 300
"""Of one text in a file; more are not looked at."""


class Index:
    """The text to search, and its earlier versions. The file's name tells what a comment looks like.

    Line numbers are 0-based in here.
    """

    def __init__(self, body: bytes, name: str = "", bases: Iterable[Base] = ()) -> None:
        """`bases` are the earlier versions, the one to ask first first; they are fetched only when they are asked."""
        self.body = body
        self.name = name
        self._bases = iter(bases)
        self._fetched: list[Base] = []
        self.lines = Lines(body)
        self._decoded: dict[int, str] = {}
        self._where: dict[bytes, list[int]] = {b"": []}
        self._holding: dict[str, list[int] | None] = {}

    def earlier(self) -> Iterator[Base]:
        """The earlier versions that a request may have been written on."""
        yield from self._fetched
        for base in self._bases:
            self._fetched.append(base)
            yield base

    @cached_property
    def keys(self) -> list[bytes]:
        """The coarse key of every line; a blank line's is empty."""
        keys = coarse(self.body).split(b"\n")
        if not keys[-1]:
            keys.pop()
        return keys

    @cached_property
    def texts(self) -> list[str]:
        """Every line, decoded."""
        return [self.line(number) for number in timed(range(len(self.lines)))]

    @cached_property
    def solid(self) -> array[int]:
        """The lines that are not blank."""
        return array("L", [number for number, key in enumerate(self.keys) if key])

    @cached_property
    def stream(self) -> bytes:
        """The keys of the solid lines, with a line end before, between and after them."""
        return b"\n".join([b"", *filter(None, self.keys), b""])

    def where(self, key: bytes) -> list[int]:
        """The lines that have a key. Each takes a pass over the file, unless `seek` has found it with others."""
        if key not in self._where:
            self.seek([key])
        return self._where[key]

    def seek(self, keys: Iterable[bytes]) -> None:
        """Find the lines of several keys in one pass."""
        wanted = {key: list[int]() for key in keys if key and key not in self._where}
        self._where.update(wanted)
        if wanted:
            for number, key in timed(enumerate(self.keys)):
                if key in wanted:
                    wanted[key].append(number)

    @cached_property
    def indent(self) -> Indent:
        """How the file is indented."""
        return detect(self.body if b"\n" in self.body else self.body.replace(b"\r", b"\n"))

    @property
    def flat(self) -> bytes:
        """All keys in one."""
        return self.stream.replace(b"\n", b"")

    @cached_property
    def _flat_starts(self) -> array[int]:
        """Where each solid line's key begins in `flat`."""
        return array("Q", accumulate((len(self.keys[number]) for number in self.solid), initial=0))

    def spread(self, keys: list[bytes]) -> list[list[int]]:
        """Where these keys stand one after the other, however lines are broken: the lines of each place."""
        text, needle = self.flat, b"".join(keys)
        found: list[list[int]] = []
        at = text.find(needle) if needle else -1
        for _ in range(MOST_PLACES):
            if at < 0:
                break
            starts = self._flat_starts
            first, end = bisect_left(starts, at), bisect_left(starts, at + len(needle))
            if starts[first] == at and end < len(starts) and starts[end] == at + len(needle):
                found.append(list(self.solid[first:end]))
            at = text.find(needle, at + 1)
        return found

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """What begins a comment here."""
        return marks_of(self.name, self.body)

    def knows(self, old: str, here: str) -> bool:
        """Whether a line of a request is surely this line of the file, but for what is harmless."""
        return is_known(old, here, self.has_word, self.marks)

    def has_word(self, word: str, *, cased: bool = False) -> bool:
        """Whether a word stands somewhere in the file, by itself; in whatever case, unless it shall be `cased` so."""
        sought, body = (encoded(word), self.body) if cased else (encoded(word).lower(), self.body.lower())
        at = body.find(sought) if sought else -1
        for _ in timed(range(_MOST_TRIES)):
            if at < 0:
                return False
            ends = body[at - 1 : at] if at else b"", body[at + len(sought) : at + len(sought) + 1]
            if not any(end and end in _WORDY for end in ends):
                return True
            at = body.find(sought, at + 1)
        return True  # nobody knows

    def lines_with(self, word: str) -> list[int] | None:
        """The lines that hold some letters; None if they are too many to tell anything."""
        if word not in self._holding:
            self._holding[word] = self._lines_with(word.encode("utf-8", "surrogatepass"))
        return self._holding[word]

    def _lines_with(self, sought: bytes) -> list[int] | None:
        found: list[int] = []
        at = self.body.find(sought)
        while at >= 0:
            line = self.lines.at(at)
            found.append(line - 1)
            if len(found) > RARE:
                return None
            at = self.body.find(sought, self.lines.span(line)[1])
        return found

    def line(self, number: int) -> str:
        """A line without its ending; bytes of unknown encoding become surrogates."""
        if number not in self._decoded:
            self._decoded[number] = self.lines.content(number + 1).decode("utf-8", "surrogateescape")
        return self._decoded[number]

    def window(self, first: int, end: int) -> list[str]:
        """Some lines without their endings."""
        return [self.line(number) for number in range(first, end)]

    @staticmethod
    def most_runs(keys: list[bytes]) -> int:
        """How many places of some lines are looked at; where there are as many, there may be more."""
        return max(3, min(MOST_PLACES, _MOST_LINES // len(keys)))

    def runs(self, keys: list[bytes]) -> list[list[int]]:
        """Where these keys stand one after the other, blank lines aside: the lines of each place."""
        needle = b"\n%b\n" % b"\n".join(keys)
        found: list[list[int]] = []
        at, ordinal, counted = self.stream.find(needle), 0, 0
        while at >= 0 and len(found) < self.most_runs(keys):
            check_time()
            ordinal += self.stream.count(b"\n", counted, at)
            counted = at
            found.append(list(self.solid[ordinal : ordinal + len(keys)]))
            at = self.stream.find(needle, at + 1)
        return found
