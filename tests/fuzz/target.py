"""What is fuzzed: a function of bytes that raises where a promise is broken, and inputs to begin with."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST_BYTES = 60_000


class Target(NamedTuple):
    """`run` returns what came of an input: one whose outcome is new is worth more variations."""

    name: str
    run: Callable[[bytes], Any]
    seeds: Sequence[bytes] = ()
    words: Sequence[bytes] = ()
    """What inputs are made of, besides random bytes."""
    seconds: float = 2.0
    """CPU time for one input. Measured: sound inputs of 60 KB take less than a fifth of it."""
    most: int = MOST_BYTES


def as_text(data: bytes) -> str:
    """Any bytes as a string, with lone surrogates where they are not UTF-8."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogateescape")


class Choices:
    """Decisions that an input makes, byte by byte; behind its end they are made at random, the same each time."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0
        self._random = Random(data)

    def number(self, below: int) -> int:
        """A number from 0 on; `below` is at most 65536."""
        if self._at >= len(self._data):
            return self._random.randrange(below)
        size = 1 if below <= 256 else 2
        raw = self._data[self._at : self._at + size]
        self._at += size
        return int.from_bytes(raw, "little") % below

    def of(self, several: Sequence[Any]) -> Any:
        """One of several."""
        return several[self.number(len(several))]

    def once_in(self, number: int) -> bool:
        """True about so often."""
        return self.number(number) == number - 1

    def piece(self) -> bytes:
        """Some bytes of the input itself."""
        size = self.number(256)
        raw = self._data[self._at : self._at + size]
        self._at += size
        return raw

    def rest(self) -> bytes:
        """All that is left."""
        raw = self._data[self._at :]
        self._at = len(self._data)
        return raw
