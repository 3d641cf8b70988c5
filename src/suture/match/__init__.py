"""Find the one place in a file where a text occurs, and the edits that make the change there.

    locate(Index(body), old, new) -> Found | Refused
    at_line(Index(body), old, new, line) -> Found | None

One coarse search finds every place where all lines of the text occur, in any form. Each place belongs to
the strictest rung that it satisfies, and the strictest rung that has places decides: one place is taken, several end
the search. A search per rung would find the same places, but read the file once per rung. The looser ways (words
across lines, parts left out, similarity, a missing outer line) search further only where no place has all lines.
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
"""Lines of a text that is searched for in another form than its own; beyond that, only as sent: a bound on time."""


def _climb(index: Index, old: str, new: str, match: str, *, whole_lines: bool, literal: bool = False) -> Answer | None:
    """Find a text that occurs in the file in another form than it was sent; None where it doesn't."""
    requests = readings(old, new)[: None if match == "lenient" else 1]
    candidates = _find_candidates(index, requests)
    may_be_piece = _is_line_for_line(old, new) if whole_lines else not _is_line(old)
    if may_be_piece and all(candidate.level > LEVEL["escape"] for candidate in candidates):
        inside = exact.find_piece(index, requests, BOUNDS[match])
        if inside is not None:
            return inside
    if any(candidate.level < LEVEL["similar"] for candidate in candidates) or (candidates and match != "lenient"):
        return _choose(index, candidates, BOUNDS[match])
    answer = None if candidates else similar.find_reflowed(index, requests)
    elided = answer is None and not candidates and match == "lenient" and not literal
    return similar.find_elided(index, requests) if elided else answer


def _find_nearly(index: Index, old: str, new: str) -> Answer:
    """Find a text most of which is somewhere in the file; or whose new text is there already."""
    requests = readings(old, new)
    candidates = _find_candidates(index, requests)
    if candidates:
        return _choose(index, candidates, BOUNDS["lenient"])
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
    """Find the one place where `old` occurs, and the edits that make the change old → new there.

    As it was sent; in another form; on an earlier version; by similarity: the first way that has an answer decides.
    With `whole_lines` the texts are lines: a part of a line is a place only for one line that becomes one line.
    With `literal`, as with the match "exact", no line stands for others.
    """
    if match != "exact" and not literal and only_in_new(split(old), split(new), index.name):
        return Refused("elided")

    def find(version: Index) -> Answer | None:
        return _find_whole(version, old, new, match, whole_lines=whole_lines, literal=literal)

    answer = find(index)
    if match != "lenient":
        return answer or Refused("missing")
    if isinstance(answer, Found) and answer.rung not in _AS_SENT:
        answer = unless_elsewhere(index, old, answer, find)
    elif answer is None:
        answer = rebase(index, old, find)
    if answer is None and old.count("\n") <= _MOST_LINES:
        answer = _find_nearly(index, old, new)
    return answer or Refused("missing")


def locate_in_bases(
    index: Index, old: str, new: str, *, whole_lines: bool = False, literal: bool = False
) -> Answer | None:
    """The change of an earlier version that has the old text, merged into the file; None if no version has it."""
    return rebase(
        index, old, lambda base: _find_whole(base, old, new, "lenient", whole_lines=whole_lines, literal=literal)
    )


def _is_line(old: str) -> bool:
    """Whether a text cannot be a part of a line: it is indented, or ends with a line ending and begins without one."""
    bare = old.lstrip("\r\n")
    return bare[:1].isspace() or (bare == old and old.endswith(("\n", "\r")))


def _is_line_for_line(old: str, new: str) -> bool:
    """Whether one line is to become another one."""
    return all(text.strip("\r\n") and "\n" not in text.strip("\r\n") for text in (old, new))


def _find_candidates(index: Index, requests: Sequence[Request]) -> list[Candidate]:
    """The places where all lines of a reading occur. Once the literal one is found, the others aren't looked for."""
    candidates: list[Candidate] = []
    for request in requests:
        keys = line_keys(request.old)
        solid = [number for number, key in enumerate(keys) if key]
        places = index.runs([keys[number] for number in solid]) if solid else []
        candidates += [Candidate(index, request, solid, run) for run in places]
        if solid and len(places) == index.most_runs([keys[number] for number in solid]):
            break  # too many to tell them apart
        if any(candidate.level <= LEVEL["look_alike"] for candidate in candidates):
            break
    return candidates


def _choose(index: Index, candidates: list[Candidate], allowed: Sequence[str]) -> Answer:
    """One place on the strictest rung, or none."""
    level = min(candidate.level for candidate in candidates)
    strictest = [candidate for candidate in candidates if candidate.level == level]
    strictest.sort(key=lambda candidate: not candidate.moved)
    best = {candidate.match.site: candidate for candidate in strictest}  # of two readings, the one that moves no line
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


def _find_whole(index: Index, old: str, new: str, match: str, *, whole_lines: bool, literal: bool) -> Answer | None:
    """Where the whole text is in a version of the file, as it was sent or in another form."""
    answer = as_sent(index, old, new, match, whole_lines=whole_lines)
    if answer is not None or match == "exact" or old.count("\n") > _MOST_LINES:
        return answer
    return _climb(index, old, new, match, whole_lines=whole_lines, literal=literal)
