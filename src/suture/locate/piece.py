"""A piece of one line, where it doesn't stand exactly as sent."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate

from suture.edits import Edit, edit
from suture.locate.dialect import Dialect
from suture.locate.fold import coarse, encoded
from suture.locate.found import Found, Refused, Site
from suture.locate.index import MOST_PLACES
from suture.locate.request import Request
from suture.locate.rungs import COMPARED, LEVEL, RUNGS
from suture.locate.words import lead, trail
from suture.locate.writing import merged_words
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.locate.found import Answer
    from suture.locate.index import Index

_SHORTEST = 4
_LONGEST = 20_000


class Piece(Record):
    """A part of a line of the file."""

    line: int
    start: int
    end: int
    text: str


def find(index: Index, requests: Sequence[Request], allowed: Sequence[str]) -> Answer | None:
    """The one place inside a line."""
    return next((found for request in requests if (found := _find(index, request, allowed)) is not None), None)


def _find(index: Index, request: Request, allowed: Sequence[str]) -> Answer | None:
    """A piece of one line, for a piece of one line."""
    texts = _texts(request)
    if texts is None:
        return None
    sent, wanted = texts
    found: dict[int, list[Piece]] = {}
    candidates, complete = _pieces(index, sent)
    for piece in candidates:
        step = next((name for name, fits in COMPARED if fits(sent, piece.text)), "similar")
        found.setdefault(max(LEVEL[step], 0 if request.plain else LEVEL["escape"]), []).append(piece)
    level = min(found, default=LEVEL["similar"])
    if level >= LEVEL["similar"]:
        return None
    sites = tuple(Site(piece.line + 1, piece.line + 1) for piece in found[level])
    many = len(sites) > 1 or not complete
    if RUNGS[level] not in allowed or many:
        return Refused("missing" if RUNGS[level] not in allowed else "ambiguous", RUNGS[level], sites)
    (piece,) = found[level]
    if _is_applied(index.keys[piece.line], sent, wanted):
        return Refused("applied", RUNGS[level], sites)
    made = _carried(index, Request((sent,), (wanted,)), piece)
    if made is None:
        return Refused("unproved", RUNGS[level], sites, None, "indentation_or_characters")
    return Found(RUNGS[level], 1.0, None, sites[0], (made.span.start, made.span.end), (made,))


def _texts(request: Request) -> tuple[str, str] | None:
    """The piece that is sought and what it becomes; None if it is more than a piece, or changes the space around it."""
    old, new = (_trimmed(lines) for lines in (request.old, request.new))
    if len(old) != 1 or len(new) > 1 or (new and lead(new[0]) != lead(old[0])):
        return None
    tail, new_tail = (_tail(lines) for lines in (request.old, request.new))
    if tail not in {"", new_tail}:
        return None
    return old[0].strip(), "".join(new).strip() + new_tail.removeprefix(tail)


def _is_applied(line: bytes, sent: str, wanted: str) -> bool:
    """Whether the new text, of which the old one is a part, stands in the line already; by their keys."""
    old, new = (coarse(text.encode("utf-8", "surrogatepass")) for text in (sent, wanted))
    at = line.find(new)
    if at < 0 or old == new or old not in new:
        return False
    around = (line[max(at - 1, 0) : at + 1], line[at + len(new) - 1 : at + len(new) + 1])
    return not any(len(pair) > 1 and pair.isalnum() for pair in around)


def _carried(index: Index, request: Request, piece: Piece) -> Edit | None:
    """The change of a piece of a line, or None where that can't be told."""
    dialect = Dialect(request, [(0, request.old[0], piece.text)], index)
    sent, wanted = dialect.said(request.old[0]), dialect.said(request.new[0])
    made = None if sent is None or wanted is None else merged_words(sent, piece.text, wanted)
    if made is None:
        return None
    line = index.line(piece.line)
    begin = index.lines.span(piece.line + 1)[0]
    start, end = (begin + len(encoded(line[:at])) for at in (piece.start, piece.end))
    return edit(start, end, encoded(made))


def _pieces(index: Index, sought: str) -> tuple[list[Piece], bool]:
    """Where a text stands inside longer lines, but for its manner, in whole words; and whether these are all."""
    key = coarse(sought.encode("utf-8", "surrogatepass"))
    result: list[Piece] = []
    if len(key) < _SHORTEST:
        return result, True
    at, ordinal, counted = index.stream.find(key), -1, 0
    line, offsets, known = "", [0], -1
    for _ in range(MOST_PLACES):
        if at < 0:
            return result, True
        ordinal += index.stream.count(b"\n", counted, at)
        counted = at
        number = index.solid[ordinal]
        if number != known:
            line, known = index.line(number), number
            offsets = _offsets(line) if len(line) <= _LONGEST else [0]
        begin = at - index.stream.rindex(b"\n", 0, at + 1) - 1
        found = _part(line, offsets, number, begin, begin + len(key)) if len(offsets) > 1 else None
        if found is not None:
            result.append(found)
        at = index.stream.find(key, at + 1)
    return result, at < 0


def _offsets(line: str) -> list[int]:
    return [0, *accumulate(len(coarse(encoded(char))) for char in line)]


def _part(line: str, offsets: list[int], number: int, begin: int, end: int) -> Piece | None:
    """The part of a line whose key is that part of the line's key; `offsets` tell where each character's begins."""
    start, stop = bisect_right(offsets, begin) - 1, bisect_left(offsets, end)
    if offsets[start] != begin or offsets[stop] != end or offsets[-1] == end - begin:
        return None
    if start >= stop or _inside_word(line, start) or _inside_word(line, stop):
        return None
    return Piece(number, start, stop, line[start:stop])


def _inside_word(line: str, at: int) -> bool:
    return 0 < at < len(line) and all(char.isalnum() or char == "_" for char in line[at - 1 : at + 1])


def _tail(lines: Sequence[str]) -> str:
    """The white space at the end of the last line."""
    return trail(lines[-1]) if lines else ""


def _trimmed(lines: Sequence[str]) -> list[str]:
    found = [line.rstrip() for line in lines]
    first = next((number for number, line in enumerate(found) if line), len(found))
    while found and not found[-1]:
        found.pop()
    return found[first:]
