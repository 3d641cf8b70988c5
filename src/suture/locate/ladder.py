"""The ladder: from the strictest rung to the loosest.

One coarse search finds every place where all lines of the text stand, in whatever manner. Each place belongs to
the strictest rung that it satisfies, and the strictest rung that has places decides: one is taken, several end
the search. Only where there is none do the looser ways look further: words across lines, parts left out,
similarity, a missing outer line.
"""

from __future__ import annotations

from suture.locate import elision, piece, reflow, similar
from suture.locate.fold import line_keys, solid_keys
from suture.locate.found import Refused
from suture.locate.request import readings
from suture.locate.rungs import BOUNDS, LEVEL, RUNGS, Candidate
from suture.locate.settle import ENOUGH, settle, standing
from suture.locate.words import informative, likeness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.locate.found import Answer
    from suture.locate.index import Index
    from suture.locate.request import Request


def climb(index: Index, old: str, new: str, match: str, *, whole_lines: bool, literal: bool = False) -> Answer | None:
    """Find a text that stands in the file in another manner than it was sent; None where it doesn't."""
    requests = readings(old, new)[: None if match == "lenient" else 1]
    candidates = _candidates(index, requests)
    may_be_piece = _one_becomes_one(old, new) if whole_lines else not _is_line(old)
    if may_be_piece and all(each.level > LEVEL["escape"] for each in candidates):
        inside = piece.find(index, requests, BOUNDS[match])
        if inside is not None:
            return inside
    if any(each.level < LEVEL["similar"] for each in candidates) or (candidates and match != "lenient"):
        return _decided(index, candidates, BOUNDS[match])
    answer = None if candidates else reflow.find(index, requests)
    elided = answer is None and not candidates and match == "lenient" and not literal
    return elision.find(index, requests) if elided else answer


def nearly(index: Index, old: str, new: str) -> Answer:
    """Find a text most of which is somewhere in the file; or whose new text is there already."""
    requests = readings(old, new)
    candidates = _candidates(index, requests)
    if candidates:
        return _decided(index, candidates, BOUNDS["lenient"])
    answer = similar.find(index, requests)
    if not isinstance(answer, Refused) or answer.why != "missing":
        return answer
    for request in requests:
        if (applied := standing(index, request)) is not None:
            return applied
    return answer


def _is_line(old: str) -> bool:
    """Whether a text is no part of a line: it is indented, or takes its line end along (and is not set off by two)."""
    bare = old.lstrip("\r\n")
    return bare[:1].isspace() or (bare == old and old.endswith(("\n", "\r")))


def _one_becomes_one(old: str, new: str) -> bool:
    """Whether one line is to become another one."""
    return all(text.strip("\r\n") and "\n" not in text.strip("\r\n") for text in (old, new))


def _candidates(index: Index, requests: Sequence[Request]) -> list[Candidate]:
    """The places where all lines of a reading stand. Once the literal one is found, the others aren't looked for."""
    found: list[Candidate] = []
    for request in requests:
        keys = line_keys(request.old)
        solid = [number for number, key in enumerate(keys) if key]
        places = index.runs([keys[number] for number in solid]) if solid else []
        found += [Candidate(index, request, solid, each) for each in places]
        if solid and len(places) == index.most_runs([keys[number] for number in solid]):
            break  # too many to tell them apart
        if any(each.level <= LEVEL["look_alike"] for each in found):
            break
    return found


def _decided(index: Index, candidates: list[Candidate], allowed: Sequence[str]) -> Answer:
    """One place on the strictest rung, or none."""
    level = min(each.level for each in candidates)
    ranked = sorted((each for each in candidates if each.level == level), key=lambda each: not each.moved)
    best = {each.match.site: each for each in ranked}  # of two readings, the one that moves no line
    sites = tuple(sorted(best, key=lambda site: site.start_line))
    if RUNGS[level] not in allowed:
        return Refused("missing", RUNGS[level], sites)
    keys = solid_keys(candidates[-1].request.old)
    if len(best) > 1 or len(candidates) >= index.most_runs(keys):
        return Refused("ambiguous", RUNGS[level], sites)
    (chosen,) = best.values()
    if level < LEVEL["similar"]:
        return settle(index, chosen.request, chosen.match, chosen.rung)
    if sum(map(informative, chosen.request.old)) < ENOUGH:
        return Refused("missing", RUNGS[level], sites)
    score = likeness("\n".join(chosen.request.old), "\n".join(index.window(chosen.match.first, chosen.match.last + 1)))
    return settle(index, chosen.request, chosen.match, chosen.rung, round(score, 3))
