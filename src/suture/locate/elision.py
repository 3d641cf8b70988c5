"""Texts with parts left out: pieces in order, and what lies between them stays."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from suture.locate.blanks import place_blanks
from suture.locate.carry import carry
from suture.locate.fold import line_keys
from suture.locate.found import Found, Match, Refused, Site
from suture.locate.ground import Clash
from suture.locate.indentation import Leads
from suture.locate.placeholders import added, is_marker, is_placeholder
from suture.locate.words import lead

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suture.locate.found import Answer
    from suture.locate.index import Index
    from suture.locate.request import Request

_WIDEST = 150
_MOST_READINGS = 64
_MOST_WAYS = 256
_MOST_PIECES = 20


def only_in_new(old: Sequence[str], new: Sequence[str], name: str = "") -> bool:
    """Whether new leaves out what old has in full: then it would delete code."""
    found = added(old, new, name)
    if found is None or not found.deletes:
        return False
    if len(old) == len(new) == 1 and not is_placeholder(found.line, name):
        return False  # dots that may be a part of their line
    before, after = (sum(is_marker(line) or is_placeholder(line, name) for line in lines) for lines in (old, new))
    return after > before  # as many in both: each stands for the same lines


def find(index: Index, requests: Sequence[Request]) -> Answer | None:
    """The one way to lay a text with parts left out over the file."""
    return next((found for request in requests if (found := _find(index, request)) is not None), None)


def _find(index: Index, request: Request) -> Answer | None:
    keys = line_keys(request.old)
    markers = [number for number, line in enumerate(request.old) if is_marker(line)]
    pieces = [[n for n in range(a + 1, b) if keys[n]] for a, b in _between(markers, len(keys))]
    solid = [piece for piece in pieces if piece]
    if not markers or not solid or len(solid) > _MOST_PIECES or (len(solid) == 1 and len(markers) > 1):
        return None
    answers: dict[object, Answer] = {}
    clashes: list[Refused] = []
    readings, complete = _readings(index, keys, solid)
    if readings and not complete:
        return Refused("ambiguous", "elision", tuple(Site(way[0][0] + 1, way[-1][-1] + 1) for way in readings))
    for places in readings:
        match = _match(index, request, keys, solid, places, markers)
        if not _is_plausible(index, request, match):
            continue
        if (refused := _disagreement(request, markers)) is not None:
            return refused.but(sites=(match.site,))
        try:
            edits = carry(index, request, match)
        except Clash as failed:
            clashes.append(Refused(failed.why, "elision", (match.site,), failed.sides, failed.detail))
            continue
        span = index.lines.span(match.first + 1)[0], index.lines.span(match.last + 1)[1]
        narrower = answers.get(edits)
        if not isinstance(narrower, Found) or span[1] - span[0] < narrower.span[1] - narrower.span[0]:
            answers[edits] = Found("elision", 1.0, None, match.site, span, edits)
    if len(answers) > 1 or (answers and clashes):
        sites = [each.site for each in answers.values() if isinstance(each, Found)]
        return Refused("ambiguous", "elision", (*sites, *(each.sites[0] for each in clashes)))
    return next(iter((*answers.values(), *clashes)), None)


def _is_plausible(index: Index, request: Request, match: Match) -> bool:
    """Whether all pieces are indented by one rule, and what is left out of a block doesn't leave the block."""
    placed = [(n, place) for n, place in enumerate(match.at) if place is not None and request.old[n].strip()]
    pairs = [(lead(request.old[n]), lead(index.line(place))) for n, place in placed]
    rule = Leads(pairs, lambda: (index.indent, index.indent))
    stripped = all(sent == stands for sent, stands in pairs[1:])
    if not rule.explained and not stripped:
        return False
    for marker, gap in match.gaps.items():
        beside = [(n, place) for n, place in placed if n in _neighbors(marker, [each for each, _ in placed])]
        depths = [len(lead(index.line(place))) for _, place in beside]
        opened = len(beside) > 1 and len(lead(request.old[marker])) > len(lead(request.old[beside[0][0]]))
        inside = opened and depths[0] < depths[1]
        if inside and any(index.keys[place] and len(lead(index.line(place))) <= depths[0] for place in gap):
            return False
    return True


def _neighbors(marker: int, solid: Sequence[int]) -> tuple[int, ...]:
    """The solid old lines on both sides of a marker."""
    before = [n for n in solid if n < marker][-1:]
    return (*before, *[n for n in solid if n > marker][:1])


def _disagreement(request: Request, markers: Sequence[int]) -> Refused | None:
    """Old and new must leave out the same parts, at the same depth."""
    others = [line for line in request.new if is_marker(line)]
    if len(others) != len(markers) or _beyond(request, markers):
        return Refused("elided", "elision")
    if any(lead(request.old[n]) != lead(other) for n, other in zip(markers, others, strict=True)):
        return Refused("unproved", "elision", (), None, "elided_lines_move")
    return None


def _between(markers: Sequence[int], count: int) -> Iterator[tuple[int, int]]:
    return zip((-1, *markers), (*markers, count), strict=True)


def _readings(index: Index, keys: Sequence[bytes], pieces: list[list[int]]) -> tuple[list[list[list[int]]], bool]:
    """The ways to lay the pieces over the file, in order and not too far apart; and whether these are all."""
    sought = [[keys[n] for n in piece] for piece in pieces]
    runs = [index.runs(each) for each in sought]
    complete = all(len(found) < index.most_runs(each) for found, each in zip(runs, sought, strict=True))
    ways: list[list[list[int]]] = [[run] for run in runs[0]]
    for later in runs[1:]:
        starts = [run[0] for run in later]
        longer = []
        for way in ways[:_MOST_WAYS]:
            low = bisect_left(starts, way[-1][-1] + 1)
            high = bisect_right(starts, way[-1][-1] + _WIDEST + 1)
            longer += [[*way, run] for run in later[low:high]]
        complete = complete and len(ways) <= _MOST_WAYS
        ways = longer
    return ways[:_MOST_READINGS], complete and len(ways) <= _MOST_READINGS


def _match(
    index: Index,
    request: Request,
    keys: Sequence[bytes],
    pieces: list[list[int]],
    places: list[list[int]],
    markers: list[int],
) -> Match:
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
