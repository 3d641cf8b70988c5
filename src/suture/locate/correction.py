"""An edit that lands exactly, for one that was found by other means."""

from __future__ import annotations

from suture.edits import apply, edit
from suture.occurrences import adapted, occurrences
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.edits import Edit
    from suture.locate.found import Found
    from suture.locate.index import Index

_MANY_LINES = 12
_CONTEXT = 2
_MOST_CONTEXT = 12
_LARGEST = 1_000_000


class Correction(Record):
    """A text that stands once in the file, from line to line, and what it is to become."""

    old: str
    new: str
    start_line: int
    end_line: int


def correction(index: Index, answer: Found, *, finished: bool = True) -> Correction | None:
    """The change that was found, as whole lines that stand only there; None where the lines can't be written down.

    Unless it shall be `finished`, the last line goes without its end where it can. Of many lines, only those
    around the change are taken.
    """
    edits = sorted(answer.edits, key=lambda each: each.span.start)
    if not edits:
        return None
    lines = index.lines
    first, last = lines.at(edits[0].span.start), lines.at(max(edits[-1].span.start, edits[-1].span.end - 1))
    low, high = min(first, answer.site.start_line), max(last, answer.site.end_line)
    if high - low >= _MANY_LINES:
        low, high = max(first - _CONTEXT, low), min(last + _CONTEXT, high)
    for _ in range(_MOST_CONTEXT):
        start, end = lines.span(low)[0], lines.span(high)[1]
        found = _between(index, edits, start, end)
        bare = None if finished else _between(index, edits, start, end, lines.ending(high))
        if found is not None:
            return Correction(*(bare or found), low, high)
        low, high = max(low - 1, 1), min(high + 1, len(lines))
    return None


def _between(index: Index, edits: Sequence[Edit], start: int, end: int, ending: bytes = b"") -> tuple[str, str] | None:
    """A part of the file without its ending, and what it becomes; None if it stands elsewhere, or can't be said."""
    before = index.body[start:end]
    after = apply(before, [edit(each.span.start - start, each.span.end - start, each.new) for each in edits])
    if not after.endswith(ending):
        return None
    end -= len(ending)
    before, after = before.removesuffix(ending), after.removesuffix(ending)
    if len(before) + len(after) > _LARGEST:
        return None
    try:
        old, new = (part.decode() for part in (before, after))
    except UnicodeDecodeError:
        return None
    for one, other in ((_plainly(old), _plainly(new)), (old, new)):
        if adapted(index.body, start, end, other.encode()) == after:
            return (one, other) if occurrences(index.body, one.encode()) == [(start, end)] else None
    return None


def _plainly(text: str) -> str:
    return text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")
