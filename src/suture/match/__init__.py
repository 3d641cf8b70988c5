"""Where a text occurs in a file, and what a change of it becomes there.

One coarse search finds every place where all lines of the text stand, in whatever manner. Each place belongs to
the strictest rung that it satisfies, and the strictest rung that has places decides: one is taken, several end
the search. Only where there is none do the looser ways look further: words across lines, parts left out,
similarity, a missing outer line.

locate(Index(body), old, new) -> Found | Refused
at_line(Index(body), old, new, line) -> Found | None
"""

from __future__ import annotations

from suture.match import exact, similar
from suture.match.exact import as_sent, at_line
from suture.match.index import Base, Found, Index, Refused, Sides, Site
from suture.match.ladder import BOUNDS, ENOUGH, LEVEL, RUNGS, Candidate, settle, standing
from suture.match.normalize import informative, likeness, line_keys, solid_keys
from suture.match.rebase import rebase, unless_elsewhere
from suture.match.request import readings, split
from suture.match.similar import only_in_new

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.match.index import Answer
    from suture.match.request import Request

__all__ = ["RUNGS", "Base", "Found", "Index", "Refused", "Sides", "Site", "at_line", "locate", "locate_in_bases"]

_AS_SENT = ("exact", "line_ends")
_MOST_LINES = 5_000
"""Of a text that is looked for in another manner than its own."""


def climb(index: Index, old: str, new: str, match: str, *, whole_lines: bool, literal: bool = False) -> Answer | None:
    """Find a text that stands in the file in another manner than it was sent; None where it doesn't."""
    requests = readings(old, new)[: None if match == "lenient" else 1]
    candidates = _candidates(index, requests)
    may_be_piece = _one_becomes_one(old, new) if whole_lines else not _is_line(old)
    if may_be_piece and all(each.level > LEVEL["escape"] for each in candidates):
        inside = exact.find_piece(index, requests, BOUNDS[match])
        if inside is not None:
            return inside
    if any(each.level < LEVEL["similar"] for each in candidates) or (candidates and match != "lenient"):
        return _decided(index, candidates, BOUNDS[match])
    answer = None if candidates else similar.find_reflowed(index, requests)
    elided = answer is None and not candidates and match == "lenient" and not literal
    return similar.find_elided(index, requests) if elided else answer


def nearly(index: Index, old: str, new: str) -> Answer:
    """Find a text most of which is somewhere in the file; or whose new text is there already."""
    requests = readings(old, new)
    candidates = _candidates(index, requests)
    if candidates:
        return _decided(index, candidates, BOUNDS["lenient"])
    answer = similar.find_similar(index, requests)
    if not isinstance(answer, Refused) or answer.why != "missing":
        return answer
    for request in requests:
        if (applied := standing(index, request)) is not None:
            return applied
    return answer


def locate(
    index: Index, old: str, new: str, *, match: str = "lenient", whole_lines: bool = False, literal: bool = False
) -> Answer:
    """Find the one place where `old` stands, and the edits that make the change old → new there.

    As it was sent; in another manner; on an earlier version; by similarity: the first way that has an answer has the
    last word. With `whole_lines` the texts are lines: a part of a line is a place only for one line that becomes one
    line.
    With `literal`, as with the match "exact", no line stands for others.
    """
    if match != "exact" and not literal and only_in_new(split(old), split(new), index.name):
        return Refused("elided")

    def find(version: Index) -> Answer | None:
        return _as_it_is(version, old, new, match, whole_lines=whole_lines, literal=literal)

    answer = find(index)
    if match != "lenient":
        return answer or Refused("missing")
    if isinstance(answer, Found) and answer.rung not in _AS_SENT:
        answer = unless_elsewhere(index, old, answer, find)
    elif answer is None:
        answer = rebase(index, old, find)
    if answer is None and old.count("\n") <= _MOST_LINES:
        answer = nearly(index, old, new)
    return answer or Refused("missing")


def locate_in_bases(
    index: Index, old: str, new: str, *, whole_lines: bool = False, literal: bool = False
) -> Answer | None:
    """The change of an earlier version that has the old text, merged into the file; None if no version has it."""
    return rebase(
        index, old, lambda base: _as_it_is(base, old, new, "lenient", whole_lines=whole_lines, literal=literal)
    )


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


def _as_it_is(index: Index, old: str, new: str, match: str, *, whole_lines: bool, literal: bool) -> Answer | None:
    """Where the whole text is in a version of the file, as it was sent or in another manner."""
    answer = as_sent(index, old, new, match, whole_lines=whole_lines)
    if answer is not None or match == "exact" or old.count("\n") > _MOST_LINES:
        return answer
    return climb(index, old, new, match, whole_lines=whole_lines, literal=literal)
