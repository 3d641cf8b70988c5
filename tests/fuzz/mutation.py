"""Random inputs made of seeds and words: cut, repeated, recombined, and corrupted."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

    from tests.fuzz.target import Target

HOSTILE = (
    b"\0",
    b"\r",
    b"\r\n",
    b"\n",
    b"\t",
    b"\x0b",
    b"\x0c",
    b"\x1c",
    b"\x7f",
    b"\xff",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\xed\xb3\xbf",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    "\u0085".encode(),
    "\xa0".encode(),
    "\u2028".encode(),
    "\u200b".encode(),
    "\u202e".encode(),
    "\u0301".encode(),
    "\u0130".encode(),
    "ß".encode(),
    "ſ".encode(),
    "١".encode(),
    "²".encode(),
    "🎉".encode(),
    "\U0010ffff".encode(),
    b"0",
    b"-1",
    b"1e999",
    b"NaN",
    b"4294967296",
    b"9223372036854775808",
    b"9" * 5000,
    b" " * 300,
    b"../",
    b"\\",
    b'"',
    b"'",
    b"`",
    b"{",
    b"}",
    b"[",
    b"]",
    b"(",
    b")",
    b"<",
    b">",
)
"""What parsers stumble over: unusual bytes and characters, unusually large numbers, brackets."""
_MOST_KEPT = 300


class Mutator:
    """Makes inputs for a target, the same ones for the same seed and outcomes."""

    def __init__(self, random: Random, target: Target) -> None:
        self._random = random
        self._words = [*target.words, *HOSTILE]
        self._pool = [*target.seeds, b""]
        self._fixed = len(self._pool)
        self._most = target.most
        self._changes: list[Callable[[bytes], bytes]] = [
            self._cut_span,
            self._repeat_span,
            self._insert_word,
            self._insert_word,
            self._splice,
            self._flip_bytes,
            self._move_span,
            self._repeat_line,
            self._delete_line,
            self._replace_line,
        ]

    def keep(self, data: bytes) -> None:
        """Vary this input too: its outcome was new."""
        self._pool.append(data)
        if len(self._pool) > self._fixed + _MOST_KEPT:
            del self._pool[self._random.randrange(self._fixed, len(self._pool))]

    def next(self) -> bytes:
        """The next input."""
        kind = self._random.random()
        if kind < 0.03:
            return self._pump()[: self._most]
        data = self._build() if kind < 0.2 else self._random.choice(self._pool)
        for _ in range(self._random.choice((0, 1, 1, 2, 3, 5, 9))):
            data = self._random.choice(self._changes)(data)
        return data[: self._most]

    def _pump(self) -> bytes:
        """A few words repeated very often, which reveals quadratic time or memory."""
        words = self._pick(self._random.randrange(1, 4))
        size = max(1, sum(map(len, words)))
        times = self._random.choice((100, self._most // 4, self._most)) // size + 1
        head, tail = self._pick(self._random.randrange(3)), self._pick(self._random.randrange(3))
        if self._random.random() < 0.3 and len(words) > 1:  # nested: all openings, then all ends
            middle = b"".join(word * (times // 2) for word in words)
        else:
            middle = self._random.choice((b"", b"\n", b" ")).join(words * times)
        return b"".join((*head, middle[: self._most], *tail))

    def _build(self) -> bytes:
        between = self._random.choice((b"", b"\n", b"\n", b" ", b"\r\n"))
        return between.join(self._pick(self._random.randrange(1, 16)))

    def _pick(self, number: int) -> list[bytes]:
        return [self._random.choice(self._words) for _ in range(number)]

    def _span(self, data: bytes) -> tuple[int, int]:
        start = self._random.randrange(len(data) + 1)
        return start, min(len(data), start + self._random.choice((1, 2, 4, 16, 64, 256)))

    def _cut_span(self, data: bytes) -> bytes:
        start, end = self._span(data)
        return data[:start] + data[end:]

    def _repeat_span(self, data: bytes) -> bytes:
        start, end = self._span(data)
        return data[:start] + data[start:end] * self._random.choice((2, 2, 3, 8, 40)) + data[end:]

    def _insert_word(self, data: bytes) -> bytes:
        start, end = self._span(data)
        return data[:start] + self._random.choice(self._words) + data[self._random.choice((start, end)) :]

    def _splice(self, data: bytes) -> bytes:
        other = self._random.choice(self._pool)
        return data[: self._span(data)[0]] + other[self._span(other)[0] :]

    def _flip_bytes(self, data: bytes) -> bytes:
        raw = bytearray(data)
        for _ in range(self._random.choice((1, 1, 4))):
            if raw:
                raw[self._random.randrange(len(raw))] = self._random.randrange(256)
        return bytes(raw)

    def _move_span(self, data: bytes) -> bytes:
        start, end = self._span(data)
        remaining = data[:start] + data[end:]
        place = self._random.randrange(len(remaining) + 1)
        return remaining[:place] + data[start:end] + remaining[place:]

    def _repeat_line(self, data: bytes) -> bytes:
        lines = data.split(b"\n")
        lines.insert(self._random.randrange(len(lines) + 1), self._random.choice(lines))
        return b"\n".join(lines)

    def _delete_line(self, data: bytes) -> bytes:
        lines = data.split(b"\n")
        del lines[self._random.randrange(len(lines))]
        return b"\n".join(lines)

    def _replace_line(self, data: bytes) -> bytes:
        """The input with one of its lines replaced by words."""
        lines = data.split(b"\n")
        lines[self._random.randrange(len(lines))] = b"".join(self._pick(self._random.randrange(1, 4)))
        return b"\n".join(lines)


def shrink(data: bytes, is_same: Callable[[bytes], bool], tries: int = 400) -> bytes:
    """A smaller input for which `is_same` is also true."""
    size = len(data) // 2
    while size and tries > 0:
        at = 0
        while at < len(data) and tries > 0:
            shorter = data[:at] + data[at + size :]
            tries -= 1
            if is_same(shorter):
                data = shorter
            else:
                at += size
        size //= 2
    return data


def encode_words(*groups: Sequence[str]) -> list[bytes]:
    """Words as bytes, lone surrogates included."""
    return [word.encode("utf-8", "surrogatepass") for words in groups for word in words]
