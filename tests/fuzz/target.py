"""What is fuzzed: a function of bytes that raises if a promise is broken, and inputs to begin with."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST_BYTES = 60_000


class Target(NamedTuple):
    """`run` returns the outcome of an input: an input with a new outcome gets more variations."""

    name: str
    run: Callable[[bytes], Any]
    seeds: Sequence[bytes] = ()
    words: Sequence[bytes] = ()
    """Building blocks of inputs, besides random bytes."""
    seconds: float = 2.0
    """CPU time for one input. Measured: valid inputs of 60 KB take less than a fifth of it."""
    most: int = MOST_BYTES


def as_text(data: bytes) -> str:
    """Any bytes as a string, with lone surrogates where they are not UTF-8."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "surrogateescape")


class Choices:
    """Decisions derived from an input, byte by byte; after its end they are random, but always the same."""

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

    def of(self, values: Sequence[Any]) -> Any:
        """One of several values."""
        return values[self.number(len(values))]

    def once_in(self, number: int) -> bool:
        """True with about this probability."""
        return self.number(number) == number - 1

    def piece(self) -> bytes:
        """Some bytes of the input itself."""
        size = self.number(256)
        raw = self._data[self._at : self._at + size]
        self._at += size
        return raw

    def rest(self) -> bytes:
        """The rest of the input."""
        raw = self._data[self._at :]
        self._at = len(self._data)
        return raw
