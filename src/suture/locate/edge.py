"""One outer line of the text, the same in old and new, isn't in the file; the rest is."""

from __future__ import annotations

from suture.locate.fold import line_keys
from suture.locate.found import Found, Refused
from suture.locate.proof import is_proved
from suture.locate.rungs import LEVEL, Candidate
from suture.locate.settle import ENOUGH, settle
from suture.locate.words import informative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.locate.found import Answer, Site
    from suture.locate.index import Index
    from suture.locate.request import Request


_FEWEST = 3  # lines: of two, the one that is not there may be the one that says which place is meant


def find(index: Index, requests: Sequence[Request]) -> Answer | None:
    """The one place for the rest."""
    return next((found for request in requests if (found := _find(index, request)) is not None), None)


def _find(index: Index, request: Request) -> Answer | None:
    solid = [number for number, line in enumerate(request.old) if line.strip()]
    kept = [line for line in request.new if line.strip()]
    if len(solid) < _FEWEST or not kept:
        return None
    found: list[Answer] = []
    for outer, end in ((solid[0], 0), (solid[-1], -1)):
        if request.old[outer].rstrip() != kept[end].rstrip():
            continue
        if index.where(line_keys([request.old[outer]])[0]):
            continue  # it is there, but elsewhere
        rest = [number for number in solid if number != outer]
        if sum(informative(request.old[number]) for number in rest) < max(ENOUGH, informative(request.old[outer])):
            continue
        keys = line_keys(request.old)
        for places in index.runs([keys[number] for number in rest]):
            candidate = Candidate(index, request, rest, places)
            if candidate.level <= LEVEL["tokens"] and is_proved(index, request, candidate.match):
                found.append(settle(index, request, candidate.match, "trimmed"))
    if len(found) > 1:
        return Refused("ambiguous", "trimmed", tuple(_site(each) for each in found))
    return found[0] if found else None


def _site(answer: Answer) -> Site:
    return answer.site if isinstance(answer, Found) else answer.sites[0]
