"""Edits as values: `Edit(span, new)` against one original.

Edits are located first and applied once, so the result does not depend on the order in which they
were found. Sequential edits are composed: each second edit is mapped back onto the first original,
and offsets never drift. Offsets count bytes of `Text.body`.

Rejected: a buffer that is edited in a loop (`content = content.replace(...)`). It loses where things
occurred, and with it the diff, the inverse and the line numbers of the original.
"""

from __future__ import annotations

from suture.bounds import timed
from suture.errors import EditOutOfBounds, EncodingMismatch, OverlappingEdits
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Literal

    from suture.text import Text

_LONGEST_STEP = 1 << 20  # bytes that are compared at once, at first
_SHORTEST_STEP = 256  # bytes in which a difference is found by arithmetic


class Span(Record):
    """A half-open range of offsets. An empty one is a place between two bytes."""

    start: int
    end: int

    def __init__(self, start: int, end: int) -> None:  # there are many of them
        values = self.__dict__
        values["start"], values["end"] = start, end

    def __len__(self) -> int:
        return self.end - self.start


Piece = Span | memoryview
"""A part of an edited text: kept from the original, or new."""


class Edit(Record):
    """Replace what is at `span` by `new`."""

    span: Span
    new: bytes

    def __init__(self, span: Span, new: bytes) -> None:  # as above
        values = self.__dict__
        values["span"], values["new"] = span, new

    @property
    def growth(self) -> int:
        """How many bytes longer the text becomes."""
        return len(self.new) - len(self.span)


def edit(start: int, end: int, new: bytes) -> Edit:
    """Shorthand for `Edit(Span(start, end), new)`."""
    return Edit(Span(start, end), new)


def ordered(edits: Iterable[Edit], size: int) -> list[Edit]:
    """Edits by position; insertions at one place keep their order. Overlaps are refused.

    An insertion at the edge of a replaced span is not an overlap; one inside it is.
    """
    result = sorted(edits, key=lambda edit: (edit.span.start, edit.span.end))
    first = last = 0
    for one in result:
        start, end = one.span.start, one.span.end
        if not 0 <= start <= end <= size:
            raise EditOutOfBounds(start=start, end=end, size=size)
        if start < last:
            raise OverlappingEdits(first=(first, last), second=(start, end))
        first, last = start, end
    return result


def apply(body: bytes, edits: Iterable[Edit]) -> bytes:
    """The text after all edits."""
    pieces, position = [], 0
    for one in ordered(edits, len(body)):
        pieces += [body[position : one.span.start], one.new]
        position = one.span.end
    return b"".join((*pieces, body[position:]))


def splice(text: Text, edits: Iterable[Edit]) -> list[bytes | memoryview]:
    """The file's bytes after all edits, in pieces that share memory with the original."""
    return splice_ordered(text, ordered(edits, len(text.body)))


def splice_ordered(text: Text, edits: Sequence[Edit]) -> list[bytes | memoryview]:
    """As `splice`, for what `ordered` gave."""
    cuts = [(one.span.start, one.span.end, one.new) for one in edits]
    if text.encoding is not None and _cut_in_two(text.body, cuts):
        raise EncodingMismatch(encoding=text.encoding, reason="an edit cuts a character in two")
    if text.encoding is not None and not all(map(_is_text, cuts)):
        raise EncodingMismatch(encoding=text.encoding, reason="the new text is not UTF-8, which edits are made in")
    return text.spliced(cuts)


def invert(body: bytes, edits: Iterable[Edit]) -> list[Edit]:
    """The edits that take `apply(body, edits)` back to `body`."""
    result, growth = [], 0
    for one in ordered(edits, len(body)):
        start = one.span.start + growth
        result.append(edit(start, start + len(one.new), body[one.span.start : one.span.end]))
        growth += one.growth
    return result


def compose(size: int, first: Iterable[Edit], second: Iterable[Edit]) -> list[Edit]:
    """One list of edits for two made one after the other.

    `first` applies to an original of `size` bytes, `second` to the result; what comes back applies
    to the original and gives the final text. Work is linear in the number of edits.
    """
    kept = _pieces(size, ordered(first, size))
    total = sum(len(piece) for piece in kept)
    result: list[Piece] = []
    position, queue = 0, iter(kept)
    rest: Piece = memoryview(b"")

    def take(until: int) -> list[Piece]:
        nonlocal position, rest
        taken: list[Piece] = []
        while position < until:
            piece = rest if len(rest) else next(queue)
            head, rest = _cut(piece, min(until - position, len(piece)))
            taken.append(head)
            position += len(head)
        return taken

    for one in ordered(second, total):
        result += [*take(one.span.start), memoryview(one.new)]
        take(one.span.end)
    return _edits(size, [*result, *take(total)])


def minimize(body: bytes, edits: Iterable[Edit]) -> list[Edit]:
    """The same change with nothing in it that stays: no-ops gone, equal ends trimmed, neighbors joined.

    A character is never cut in two, so that every edit is text of its own.
    """
    result: list[Edit] = []
    run: list[Edit] = []
    for one in timed(ordered(edits, len(body))):
        trimmed = _trim(body, one)
        if not len(trimmed.span) and not trimmed.new:
            continue
        if run and run[-1].span.end != trimmed.span.start:
            result += _join(body, run)
            run = []
        run.append(trimmed)
    return result + _join(body, run)


def common_ends(left: bytes, right: bytes) -> tuple[int, int]:
    """Lengths of the common beginning and of the common end of the rest; slices compare at the speed of memory."""
    most = min(len(left), len(right))
    head, step = 0, min(_LONGEST_STEP, most)
    while step > _SHORTEST_STEP:
        if left.startswith(right[head : head + step], head):
            head += step
            step = min(step, most - head)
        else:
            step //= 2
    near = min(2 * _SHORTEST_STEP + 1, most - head)  # as much as was unequal in one step, or is left
    head += _same_bytes(left[head : head + near], right[head : head + near], "little")
    most -= head
    end, other = len(left), len(right)
    tail, step = 0, min(_LONGEST_STEP, most)
    if _SHORTEST_STEP < most <= _LONGEST_STEP and left.endswith(
        right[other - most + _SHORTEST_STEP :]
    ):  # what differs is short, mostly
        tail, step = most - _SHORTEST_STEP, _SHORTEST_STEP
    while step > _SHORTEST_STEP:
        if left.endswith(right[other - tail - step : other - tail], 0, end - tail):
            tail += step
            step = min(step, most - tail)
        else:
            step //= 2
    near = min(2 * _SHORTEST_STEP + 1, most - tail)
    end, other = end - tail, other - tail
    return head, tail + _same_bytes(left[end - near : end], right[other - near : other], "big")


def _join(body: bytes, run: Sequence[Edit]) -> list[Edit]:
    """Neighbors as one edit, made once: each with all before it would be quadratic."""
    if len(run) < 2:  # noqa: PLR2004
        return list(run)
    one = _trim(body, edit(run[0].span.start, run[-1].span.end, b"".join([part.new for part in run])))
    return [one] if len(one.span) or one.new else []


def _trim(body: bytes, one: Edit) -> Edit:
    old = body[one.span.start : one.span.end]
    head, tail = common_ends(old, one.new)
    while head and (_continues(old, head) or _continues(one.new, head)):
        head -= 1
    while tail and _continues(old, len(old) - tail):
        tail -= 1
    return edit(one.span.start + head, one.span.end - tail, one.new[head : len(one.new) - tail])


def _cut_in_two(body: bytes, cuts: list[tuple[int, int, bytes]]) -> bool:
    return not body.isascii() and any(_continues(body, at) for cut in cuts for at in cut[:2])


def _is_text(cut: tuple[int, int, bytes]) -> bool:
    if cut[2].isascii():
        return True
    try:
        cut[2].decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _continues(text: bytes, index: int) -> bool:
    """Whether the byte at `index` is in the middle of a UTF-8 character."""
    return index < len(text) and text[index] & 0xC0 == 0x80  # noqa: PLR2004  10xxxxxx


def _same_bytes(left: bytes, right: bytes, order: Literal["little", "big"]) -> int:
    """How many bytes are the same from the beginning on, or with "big" from the end, of texts of one length."""
    difference = int.from_bytes(left, order) ^ int.from_bytes(right, order)
    return ((difference & -difference).bit_length() - 1) // 8 if difference else len(left)


def _cut(piece: Piece, at: int) -> tuple[Piece, Piece]:
    if isinstance(piece, Span):
        return Span(piece.start, piece.start + at), Span(piece.start + at, piece.end)
    return piece[:at], piece[at:]


def _pieces(size: int, edits: Sequence[Edit]) -> list[Piece]:
    """The edited text as a list of what is kept of the original and what is new."""
    pieces: list[Piece] = []
    position = 0
    for one in edits:
        pieces += [Span(position, one.span.start), memoryview(one.new)]
        position = one.span.end
    return [*pieces, Span(position, size)]


def _edits(size: int, pieces: Iterable[Piece]) -> list[Edit]:
    """The edits that make these pieces of an original of `size` bytes."""
    result: list[Edit] = []
    position, new = 0, list[memoryview]()
    for piece in (*pieces, Span(size, size)):
        if not isinstance(piece, Span):
            new.append(piece)
            continue
        last = piece.start == piece.end == size
        if not len(piece) and not last:
            continue
        text = b"".join(new)
        if text or piece.start > position:
            result.append(edit(position, piece.start, text))
        position, new = piece.end, []
    return result
