"""Edits as values: `Edit(span, new)` against one original.

Edits are located first and applied once, so the result does not depend on the order in which they were found.
Sequential edits are composed: each later edit is mapped back to the original, so offsets never drift. Offsets count
bytes of `Text.body`.

Rejected: editing a buffer in a loop (`content = content.replace(...)`). It loses where things occurred, and thus the
diff, the inverse and the line numbers of the original.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate

from suture.bounds import timed
from suture.errors import EditOutOfBounds, EncodingMismatch, OverlappingEdits
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Literal

    from suture.text import Text

_MAX_STEP_BYTES = 1 << 20  # bytes that are compared at once, to begin with
_SHORTEST_STEP = 256  # bytes in which arithmetic finds a difference faster than more comparisons


class Span(Record):
    """A half-open range of offsets. An empty one is a position between two bytes."""

    start: int
    end: int

    def __init__(self, start: int, end: int) -> None:  # faster than `Record.__init__`: there are many spans
        values = self.__dict__
        values["start"], values["end"] = start, end

    def __len__(self) -> int:
        return self.end - self.start


Piece = tuple[int, int, bytes | None]
"""A part of an edited text: its offset in the original, its length, and its bytes if they are new."""


Cut = tuple[int, int, bytes]
"""An edit as start, end and new bytes, for when there are too many for objects."""


class Edit(Record):
    """Replaces the bytes at `span` by `new`."""

    span: Span
    new: bytes

    def __init__(self, span: Span, new: bytes) -> None:  # as above
        values = self.__dict__
        values["span"], values["new"] = span, new

    @property
    def growth(self) -> int:
        """The number of bytes by which the text becomes longer."""
        return len(self.new) - len(self.span)


def edit(start: int, end: int, new: bytes) -> Edit:
    """Shorthand for `Edit(Span(start, end), new)`."""
    return Edit(Span(start, end), new)


class Pieces:
    """The nonempty parts, from left to right, of a text that was made from an original of `size` bytes."""

    def __init__(self, size: int, pieces: list[Piece]) -> None:
        self.size = size
        self.pieces = pieces
        self._starts = list(accumulate([piece[1] for piece in pieces], initial=0))
        self.length = self._starts[-1]

    @classmethod
    def from_cuts(cls, size: int, cuts: Iterable[Cut]) -> Pieces:
        """The parts of the text that ordered cuts make of an original of `size` bytes."""
        pieces: list[Piece] = []
        position = 0
        for start, end, new in cuts:
            pieces += [(position, start - position, None), (start, len(new), new)]
            position = end
        return cls(size, [piece for piece in (*pieces, (position, size - position, None)) if piece[1]])

    def origin(self, offset: int) -> int:
        """Map an offset to the original. The end maps to the end, or to 0 if the edited text is empty."""
        index = bisect_right(self._starts, offset) - 1
        if index >= len(self.pieces):
            return self.size if self.pieces else 0
        at, _, new = self.pieces[index]
        return at if new is not None else at + offset - self._starts[index]

    def then(self, later: Pieces) -> Pieces:
        """Compose: the parts of the text that `later` makes of this one."""
        result: list[Piece] = []
        for at, length, new in later.pieces:
            if new is None:
                result += self._between(at, at + length)
            else:
                result.append((self.origin(at), length, new))
        return Pieces(self.size, result)

    def _between(self, start: int, end: int) -> Iterator[Piece]:
        """The parts of the edited text from `start` to `end`."""
        index = bisect_right(self._starts, start) - 1
        while start < end:
            at, length, new = self.pieces[index]
            skipped = start - self._starts[index]
            taken = min(end - start, length - skipped)
            yield (at + skipped, taken, None) if new is None else (at, taken, new[skipped : skipped + taken])
            start += taken
            index += 1

    def text(self, body: bytes) -> bytes:
        """The edited text."""
        view = memoryview(body)
        return b"".join([view[at : at + length] if new is None else new for at, length, new in self.pieces])

    def contains_kept(self, body: bytes, text: bytes) -> bool:
        """Whether `text` occurs in a part of the original that is still there."""
        return any(new is None and body.find(text, at, at + length) >= 0 for at, length, new in self.pieces)

    def edits(self) -> list[Edit]:
        """The edits that turn the original into this text, one for each part that is new or removed."""
        result: list[Edit] = []
        position, inserted = 0, b""
        for at, length, new in (*self.pieces, (self.size, 0, None)):
            if inserted or at > position:
                result.append(edit(position, at, inserted))
            position, inserted = (at + length, b"") if new is None else (at, new)
        return result


def sort_edits(edits: Iterable[Edit], size: int) -> list[Edit]:
    """Sort edits by position and refuse overlaps. Insertions at the same position keep their order.

    An insertion at the edge of a replaced span is not an overlap; an insertion inside it is.
    """
    result = sorted(edits, key=lambda edit: (edit.span.start, edit.span.end))
    first = last = 0
    for change in result:
        start, end = change.span.start, change.span.end
        if not 0 <= start <= end <= size:
            raise EditOutOfBounds(start=start, end=end, size=size)
        if start < last:
            raise OverlappingEdits(first=(first, last), second=(start, end))
        first, last = start, end
    return result


def apply(body: bytes, edits: Iterable[Edit]) -> bytes:
    """The text after all edits."""
    pieces, position = [], 0
    for change in sort_edits(edits, len(body)):
        pieces += [body[position : change.span.start], change.new]
        position = change.span.end
    return b"".join((*pieces, body[position:]))


def splice(text: Text, edits: Iterable[Edit]) -> list[bytes | memoryview]:
    """The file's bytes after all edits, in pieces that share memory with the original."""
    return splice_ordered(text, sort_edits(edits, len(text.body)))


def splice_ordered(text: Text, edits: Sequence[Edit]) -> list[bytes | memoryview]:
    """The same as `splice`, for edits that `sort_edits` returned."""
    cuts = _cuts(edits)
    if text.encoding is not None:
        if not text.body.isascii() and any(_is_continuation(text.body, at) for cut in cuts for at in cut[:2]):
            raise EncodingMismatch(encoding=text.encoding, reason="an edit cuts a character in two")
        if not all(_is_utf8(new) for _, _, new in cuts):
            raise EncodingMismatch(encoding=text.encoding, reason="the new text is not valid UTF-8")
    return text.splice(cuts)


def invert(body: bytes, edits: Iterable[Edit]) -> list[Edit]:
    """The edits that turn `apply(body, edits)` back into `body`."""
    result, growth = [], 0
    for change in sort_edits(edits, len(body)):
        start = change.span.start + growth
        result.append(edit(start, start + len(change.new), body[change.span.start : change.span.end]))
        growth += change.growth
    return result


def compose(size: int, first: Iterable[Edit], second: Iterable[Edit]) -> list[Edit]:
    """Compose two lists of edits into one.

    `first` applies to an original of `size` bytes, `second` to the result; the returned edits turn the original into
    the final text. This takes n log n time in the number of edits: they are sorted, and each part of the final text is
    found by bisection.

    Everything between two kept parts is one edit, unlike in `Pieces.edits`: otherwise a second edit inside a first
    insertion would make three of it, and each composition would make the list longer.
    """
    earlier = Pieces.from_cuts(size, _cuts(sort_edits(first, size)))
    later = Pieces.from_cuts(earlier.length, _cuts(sort_edits(second, earlier.length)))
    result: list[Edit] = []
    position, inserted = 0, list[bytes]()
    for at, length, new in (*earlier.then(later).pieces, (size, 0, None)):
        if new is not None:
            inserted.append(new)
            continue
        if inserted or at > position:
            result.append(edit(position, at, b"".join(inserted)))
        position, inserted = at + length, []
    return result


def minimize(body: bytes, edits: Iterable[Edit]) -> list[Edit]:
    """The same change as small as possible: no-ops dropped, equal ends trimmed, neighbors joined.

    A character is never split, so that every edit is valid text by itself.
    """
    result: list[Edit] = []
    run: list[Edit] = []
    for change in timed(sort_edits(edits, len(body))):
        trimmed = _trim(body, change)
        if not len(trimmed.span) and not trimmed.new:
            continue
        if run and run[-1].span.end != trimmed.span.start:
            result += _join(body, run)
            run = []
        run.append(trimmed)
    return result + _join(body, run)


def common_ends(left: bytes, right: bytes) -> tuple[int, int]:
    """The lengths of the common prefix, and of the common suffix of the rest; slices compare at memory speed."""
    most = min(len(left), len(right))
    head, step = 0, min(_MAX_STEP_BYTES, most)
    while step > _SHORTEST_STEP:
        if left.startswith(right[head : head + step], head):
            head += step
            step = min(step, most - head)
        else:
            step //= 2
    window = min(2 * _SHORTEST_STEP + 1, most - head)  # contains the first difference, if any
    head += _same_bytes(left[head : head + window], right[head : head + window], "little")
    most -= head
    end, other = len(left), len(right)
    tail, step = 0, min(_MAX_STEP_BYTES, most)
    if _SHORTEST_STEP < most <= _MAX_STEP_BYTES and left.endswith(
        right[other - most + _SHORTEST_STEP :]
    ):  # most differences are short
        tail, step = most - _SHORTEST_STEP, _SHORTEST_STEP
    while step > _SHORTEST_STEP:
        if left.endswith(right[other - tail - step : other - tail], 0, end - tail):
            tail += step
            step = min(step, most - tail)
        else:
            step //= 2
    window = min(2 * _SHORTEST_STEP + 1, most - tail)
    end, other = end - tail, other - tail
    return head, tail + _same_bytes(left[end - window : end], right[other - window : other], "big")


def _join(body: bytes, run: Sequence[Edit]) -> list[Edit]:
    """Join neighbors into one edit, all at once: joining one by one would be quadratic."""
    if len(run) < 2:  # noqa: PLR2004  one edit needs no joining
        return list(run)
    change = _trim(body, edit(run[0].span.start, run[-1].span.end, b"".join([part.new for part in run])))
    return [change] if len(change.span) or change.new else []


def _trim(body: bytes, change: Edit) -> Edit:
    old = body[change.span.start : change.span.end]
    head, tail = common_ends(old, change.new)
    while head and (_is_continuation(old, head) or _is_continuation(change.new, head)):
        head -= 1
    while tail and _is_continuation(old, len(old) - tail):
        tail -= 1
    return edit(change.span.start + head, change.span.end - tail, change.new[head : len(change.new) - tail])


def _cuts(edits: Iterable[Edit]) -> list[Cut]:
    return [(change.span.start, change.span.end, change.new) for change in edits]


def _is_utf8(new: bytes) -> bool:
    if new.isascii():
        return True
    try:
        new.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def _is_continuation(text: bytes, index: int) -> bool:
    """Whether the byte at `index` is in the middle of a UTF-8 character."""
    return index < len(text) and text[index] & 0xC0 == 0x80  # noqa: PLR2004  10xxxxxx


def _same_bytes(left: bytes, right: bytes, order: Literal["little", "big"]) -> int:
    """How many bytes at the start, or with "big" at the end, are the same in two texts of equal length."""
    difference = int.from_bytes(left, order) ^ int.from_bytes(right, order)
    return ((difference & -difference).bit_length() - 1) // 8 if difference else len(left)
