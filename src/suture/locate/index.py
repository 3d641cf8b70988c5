"""A file's text, prepared for searching: made once for all searches in it."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property
from itertools import accumulate

from suture.indent import Indent, detect
from suture.lines import Lines
from suture.locate.fold import coarse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_PLACES = 2_000
"""Of one text in a file; more are not looked at."""


class Index:
    """The text to search. Line numbers are 0-based in here."""

    def __init__(self, body: bytes) -> None:
        self.body = body
        self.lines = Lines(body)
        self._where: dict[bytes, list[int]] = {b"": []}

    @cached_property
    def keys(self) -> list[bytes]:
        """The coarse key of every line; a blank line's is empty."""
        keys = coarse(self.body).split(b"\n")
        if not keys[-1]:
            keys.pop()
        return keys

    @cached_property
    def solid(self) -> list[int]:
        """The lines that are not blank."""
        return [number for number, key in enumerate(self.keys) if key]

    @cached_property
    def stream(self) -> bytes:
        """The keys of the solid lines, with a line end before, between and after them."""
        return b"\n%b\n" % b"\n".join(filter(None, self.keys))

    def where(self, key: bytes) -> list[int]:
        """The lines that have a key, once it was sought with `seek`."""
        if key not in self._where:
            self.seek([key])
        return self._where[key]

    def seek(self, keys: Iterable[bytes]) -> None:
        """Find the lines of several keys in one pass."""
        wanted = {key: list[int]() for key in keys if key and key not in self._where}
        self._where.update(wanted)
        if wanted:
            for number, key in enumerate(self.keys):
                if key in wanted:
                    wanted[key].append(number)

    @cached_property
    def indent(self) -> Indent:
        """How the file is indented."""
        return detect(self.body)

    @cached_property
    def flat(self) -> tuple[bytes, list[int]]:
        """All keys in one, and where each solid line's begins."""
        keys = [self.keys[number] for number in self.solid]
        return b"".join(keys), list(accumulate(map(len, keys), initial=0))

    def spread(self, keys: list[bytes]) -> list[list[int]]:
        """Where these keys stand one after the other, however lines are broken: the lines of each place."""
        text, starts = self.flat
        needle = b"".join(keys)
        found: list[list[int]] = []
        at = text.find(needle) if needle else -1
        while at >= 0 and len(found) < MOST_PLACES:
            first, end = bisect_left(starts, at), bisect_left(starts, at + len(needle))
            if starts[first] == at and end < len(starts) and starts[end] == at + len(needle):
                found.append(self.solid[first:end])
            at = text.find(needle, at + 1)
        return found

    def has_word(self, word: str) -> bool:
        """Whether a word stands somewhere in the file, by itself."""
        pattern = rb"(?<![\w\x80-\xff])" + re.escape(word.encode("utf-8", "surrogateescape")) + rb"(?![\w\x80-\xff])"
        return re.search(pattern, self.body, re.IGNORECASE) is not None

    def line(self, number: int) -> str:
        """A line without its ending; bytes of unknown encoding become surrogates."""
        return self.lines.content(number + 1).decode("utf-8", "surrogateescape")

    def window(self, first: int, end: int) -> list[str]:
        """Some lines without their endings."""
        return [self.line(number) for number in range(first, end)]

    def runs(self, keys: list[bytes]) -> list[list[int]]:
        """Where these keys stand one after the other, blank lines aside: the lines of each place."""
        needle = b"\n%b\n" % b"\n".join(keys)
        found: list[list[int]] = []
        at, ordinal, counted = self.stream.find(needle), 0, 0
        while at >= 0 and len(found) < MOST_PLACES:
            ordinal += self.stream.count(b"\n", counted, at)
            counted = at
            found.append(self.solid[ordinal : ordinal + len(keys)])
            at = self.stream.find(needle, at + 1)
        return found
