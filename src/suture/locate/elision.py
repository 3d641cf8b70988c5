"""Texts with parts left out: pieces in order, and what lies between them stays."""

from __future__ import annotations

from suture.locate.blanks import place_blanks
from suture.locate.carry import carry
from suture.locate.fold import line_keys
from suture.locate.found import Found, Match, Refused
from suture.locate.ground import Clash
from suture.locate.markers import is_marker, is_spoken

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suture.locate.found import Answer
    from suture.locate.index import Index
    from suture.locate.request import Request

_WIDEST = 150
_MOST_READINGS = 64


def only_in_new(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether new leaves out what old has in full: then it would delete code."""
    before, after = (sum(map(is_spoken, lines)) for lines in (old, new))
    if after > before:
        return True
    before, after = (sum(map(is_marker, lines)) for lines in (old, new))
    return after > before and len(old) - len(new) > 1


def find(index: Index, requests: Sequence[Request]) -> Answer | None:
    """The one way to lay a text with parts left out over the file."""
    return next((found for request in requests if (found := _find(index, request)) is not None), None)


def _find(index: Index, request: Request) -> Answer | None:
    """The one way to read a text with parts left out, if it has such parts and its pieces stand here."""
    keys = line_keys(request.old)
    markers = [number for number, line in enumerate(request.old) if is_marker(line)]
    if not markers:
        return None
    pieces = [[n for n in range(a + 1, b) if keys[n]] for a, b in _between(markers, len(keys))]
    ends = [number for number, piece in enumerate(pieces) if piece]
    if not ends or (len(ends) < 2 and len(markers) > 1):  # noqa: PLR2004
        return None
    answers: dict[object, Answer] = {}
    clash: Refused | None = None
    for places in _readings(index, keys, [piece for piece in pieces if piece]):
        match = _match(index, request, keys, [piece for piece in pieces if piece], places, markers)
        if match is None:
            return None
        if sum(map(is_marker, request.new)) != len(markers) or _beyond(request, markers):
            return Refused("elided", "elision", (match.site,))
        try:
            edits = carry(index, request, match)
        except Clash as failed:
            clash = Refused(failed.why, "elision", (match.site,), failed.sides, failed.detail)
            continue
        span = index.lines.span(match.first + 1)[0], index.lines.span(match.last + 1)[1]
        answers.setdefault(edits, Found("elision", 1.0, None, match.site, span, edits))
    if len(answers) > 1 or (answers and clash):
        sites = [each.site for each in answers.values() if isinstance(each, Found)]
        return Refused("ambiguous", "elision", tuple(sites))
    return next(iter(answers.values()), clash)


def _between(markers: Sequence[int], count: int) -> Iterator[tuple[int, int]]:
    return zip((-1, *markers), (*markers, count), strict=True)


def _readings(index: Index, keys: Sequence[bytes], pieces: list[list[int]]) -> Iterator[list[list[int]]]:
    """The ways to lay the pieces over the file, in order and not too far apart."""
    runs = [index.runs([keys[n] for n in piece]) for piece in pieces]
    ways: list[list[list[int]]] = [[run] for run in runs[0]]
    for later in runs[1:]:
        ways = [[*way, run] for way in ways for run in later if 0 < run[0] - way[-1][-1] <= _WIDEST + 1]
        if len(ways) > _MOST_READINGS * 16:
            ways = ways[: _MOST_READINGS * 16]
    yield from ways[:_MOST_READINGS]


def _match(
    index: Index,
    request: Request,
    keys: Sequence[bytes],
    pieces: list[list[int]],
    places: list[list[int]],
    markers: list[int],
) -> Match | None:
    at: list[int | None] = [None] * len(keys)
    for piece, run in zip(pieces, places, strict=True):
        for number, place in zip(piece, run, strict=True):
            at[number] = place
    for a, b in _between(markers, len(keys)):
        part = at[a + 1 : b]
        place_blanks(part, [not line.strip() for line in request.old[a + 1 : b]], index)
        at[a + 1 : b] = part
    gaps: dict[int, range] = {}
    for marker in markers:
        before = [place for place in at[:marker] if place is not None]
        after = [place for place in at[marker:] if place is not None]
        gaps[marker] = range(before[-1] + 1, after[0]) if before and after else range(0)
    return Match(tuple(at), tuple(place is not None for place in at), gaps)


def _beyond(request: Request, markers: Sequence[int]) -> bool:
    """Whether a marker is old's first or last line and new has something beyond it."""
    old = [n for n, line in enumerate(request.old) if line.strip()]
    new = [line for line in request.new if line.strip()]
    return (old[0] in markers and not is_marker(new[0])) or (old[-1] in markers and not is_marker(new[-1]))
