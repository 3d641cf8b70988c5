r"""Where a text occurs in another: bytes exactly, but `\n` means whatever line end stands there.

A line ends as in `lines`: at `\n` or `\r\n`, and at a lone `\r` only where there is no `\n` at all. A
text with a `\r` of its own is literal, both as what is looked for and as what is put in.
"""

from __future__ import annotations

import sys
from itertools import islice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_MOST_LINES = 1_000  # that are compared; of more, the n-th takes the n-th one's end


def occurrences(body: bytes, old: bytes, most: int = sys.maxsize) -> list[tuple[int, int]]:
    r"""All spans of `old` in `body`, left to right, without overlap; none begins or ends inside a `\r\n`.

    No more than `most` are looked for.
    """
    if b"\r" in old:
        return literal(body, old, most) if b"\n" not in body else _whole(body, old, most)
    if b"\n" not in old or b"\r" not in body:
        return literal(body, old, most)
    if b"\n" not in body:
        return literal(body, old.replace(b"\n", b"\r"), most)
    pairs = body.count(b"\r\n")
    if not pairs:
        return literal(body, old, most)
    if pairs == body.count(b"\n"):
        return literal(body, old.replace(b"\n", b"\r\n"), most)
    import re

    pattern = rb"\r?\n".join(map(re.escape, old.split(b"\n"))).removeprefix(rb"\r?")  # a known first byte is fast
    spans = [found.span() for found in islice(re.finditer(pattern, body), most)]
    return [(start - _cut(body, start), end) for start, end in spans]


def number(body: bytes, old: bytes, spans: Sequence[tuple[int, int]]) -> int:
    """How many occurrences there are, the first of which are these `spans`."""
    if not spans:
        return 0
    start, end = spans[-1]
    if b"\n" in body and (b"\r" in old or (b"\n" in old and body.count(b"\r\n") not in {0, body.count(b"\n")})):
        return len(occurrences(body, old))  # not all of them are the same bytes, or some are halves of line ends
    return len(spans) + body.count(body[start:end], end)


def literal(body: bytes, old: bytes, most: int = sys.maxsize) -> list[tuple[int, int]]:
    """All spans of exactly these bytes, left to right, without overlap."""
    spans: list[tuple[int, int]] = []
    size = len(old)
    start = body.find(old) if size else -1
    while start >= 0 and len(spans) < most:
        end = start + size
        spans.append((start, end))
        start = body.find(old, end)
    return spans


def ending(body: bytes, start: int, end: int) -> bytes:  # noqa: ARG001  the first line end behind `start` is inside, if one is
    r"""How new lines at this span should end: as the first line end in it, else as its line, else as the line before.

    `\n` where no line ends at all.
    """
    at = body.find(b"\n", start)
    if at < 0:
        at = body.rfind(b"\n", 0, start)
    if at < 0:
        return b"\r" if b"\r" in body else b"\n"
    return b"\r\n" if body.endswith(b"\r\n", 0, at + 1) else b"\n"


def adapted(body: bytes, start: int, end: int, new: bytes) -> bytes:
    """`new` with the line ends that belong at this span."""
    if b"\n" not in new or b"\r" in new:
        return new
    old = body[start:end]
    if 0 < old.count(b"\r\n") < old.count(b"\n"):
        return _line_by_line(old, new)
    return new.replace(b"\n", ending(body, start, end))


def _line_by_line(old: bytes, new: bytes) -> bytes:
    """`new` with the line ends of `old`, which has both kinds: a line that stays keeps its own."""
    from rapidfuzz.distance import Levenshtein  # the rare case

    lines, wanted = old.split(b"\n"), new.split(b"\n")
    ends = [b"\r\n" if line.endswith(b"\r") else b"\n" for line in lines]
    ends[-1] = ends[-2]  # it has none
    bare = [line.removesuffix(b"\r") for line in lines]
    result: list[bytes] = []
    changes = [(0, len(bare), 0, len(wanted))]
    if max(len(bare), len(wanted)) <= _MOST_LINES:
        steps = Levenshtein.opcodes(bare, wanted)
        changes = [(each.src_start, each.src_end, each.dest_start, each.dest_end) for each in steps]
    for low, high, start, end in changes:
        for number, line in enumerate(wanted[start:end], low):
            at = min(number, max(high - 1, low - 1, 0))
            result += [line, ends[at]]
    return b"".join(result[:-1])


def _whole(body: bytes, old: bytes, most: int) -> list[tuple[int, int]]:
    r"""All spans of exactly these bytes that do not cut a `\r\n` in two."""
    spans: list[tuple[int, int]] = []
    start = body.find(old)
    while start >= 0 and len(spans) < most:
        end = start + len(old)
        if _cut(body, start) or _cut(body, end):
            start = body.find(old, start + 1)
            continue
        spans.append((start, end))
        start = body.find(old, end)
    return spans


def _cut(body: bytes, at: int) -> bool:
    return at > 0 and body.startswith(b"\r\n", at - 1)
