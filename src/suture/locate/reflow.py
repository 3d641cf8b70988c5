"""The same words in the same order, broken into lines in another way."""

from __future__ import annotations

from suture.diff import changes
from suture.locate.blanks import place_blanks
from suture.locate.fold import fold, line_keys
from suture.locate.found import Match, Refused
from suture.locate.settle import settle
from suture.locate.words import unescaped, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.locate.found import Answer
    from suture.locate.index import Index
    from suture.locate.request import Request


def find(index: Index, requests: Sequence[Request]) -> Answer | None:
    """The one place that has these words."""
    return next((found for request in requests if (found := _find(index, request)) is not None), None)


def _find(index: Index, request: Request) -> Answer | None:
    keys = line_keys(request.old)
    solid = [number for number, key in enumerate(keys) if key]
    found = []
    for places in index.spread([keys[number] for number in solid]):
        said = [word for number in solid for word in words(unescaped(fold(request.old[number])))]
        here = [word for place in places for word in words(unescaped(fold(index.line(place))))]
        if said == here:
            found.append(_match(index, request, keys, solid, places))
    if len(found) > 1:
        return Refused("ambiguous", "tokens", tuple(each.site for each in found))
    return settle(index, request, found[0], "tokens") if found else None


def _match(index: Index, request: Request, keys: Sequence[bytes], solid: Sequence[int], places: Sequence[int]) -> Match:
    """Lines that are the same, paired; between them groups of lines that are the same together."""
    at: list[int | None] = [None] * len(keys)
    gaps: dict[int, range] = {}
    groups = []
    i = k = 0
    end = len(solid), len(solid), len(places), len(places)
    for a, b, c, d in (*changes([keys[n] for n in solid], [index.keys[n] for n in places]), end):
        for number, place in zip(solid[i:a], places[k:c], strict=True):
            at[number] = place
        if a < b and c < d:
            low, high = places[c], places[d - 1] + 1
            groups.append((solid[a], solid[b - 1] + 1, low, high))
            gaps[solid[a]] = range(low, high)
            gaps.update((n, range(0)) for n in range(solid[a] + 1, solid[b - 1] + 1))
        i, k = b, d
    for first, last, low, high in groups:
        at[first], at[last - 1] = low, high - 1
    place_blanks(at, [not line.strip() for line in request.old], index)
    for first, last, _, _ in groups:
        at[first] = at[last - 1] = None
    return Match(tuple(at), tuple(place is not None for place in at), gaps, tuple(groups))
