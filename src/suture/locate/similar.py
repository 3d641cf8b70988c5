"""Places that are nearly the text: most of its lines stand there.

Candidates come from votes: an old line that stands in the file votes for where the text would begin. A handful
of windows is aligned. How much of the text's weight stands there is the score.
"""

from __future__ import annotations

from bisect import bisect_left

from suture.locate.blanks import place_blanks
from suture.locate.fold import line_keys
from suture.locate.found import Match, Refused
from suture.locate.indentation import Leads
from suture.locate.settle import settle, standing
from suture.locate.words import informative, lead, likeness
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.locate.found import Answer
    from suture.locate.index import Index
    from suture.locate.request import Request

_MARGIN = 0.05
_SHARE = 0.6
_INFORMATION = 12
_LINES = 3
_TELLING = 3
_WORDY = 6
_ALIKE = 0.6
_COMMON = 50
_WINDOWS = 12
_SLACK = 6
_FAINT = 0.3
_SCORE = 0.72
_OWN = 2.0
_MOST_LINES = 2_000
_GAP = 20
_LONGEST = 4_000


class Near(Record):
    """A place that resembles the text."""

    score: float
    match: Match
    moved: bool
    """Whether lines that are the same are indented in another way."""
    convincing: bool
    """Whether enough stands there, as far as one place alone can tell."""


def find(index: Index, requests: Sequence[Request]) -> Answer:
    """The one place that is nearly the text, in the reading that comes nearest."""
    places: list[Near] = []
    request = requests[0]
    for each in requests:
        found = nearest(index, each, line_keys(each.old))
        if found and (not places or (found[0].score, places[0].moved) > (places[0].score, found[0].moved)):
            places, request = found, each
    sites = tuple(near.match.site.but(score=round(near.score, 3)) for near in places[:3])
    if not places or not places[0].convincing:
        return Refused("missing", None, sites)
    best = places[0]
    if (applied := standing(index, request, best.match.site, anywhere=True)) is not None:
        return Refused("applied", "similar", (applied,))
    rivals = [near for near in places[1:] if set(near.match.at).isdisjoint(set(best.match.at) - {None})]
    if rivals and best.score - rivals[0].score < _MARGIN:
        return Refused("ambiguous", "similar", tuple(near.match.site for near in (best, rivals[0])))
    runner_up = rivals[0].match.site.but(score=round(rivals[0].score, 3)) if rivals else None
    return settle(index, request, best.match, "similar", round(best.score, 3), runner_up)


def nearest(index: Index, request: Request, keys: Sequence[bytes]) -> list[Near]:
    """The places that resemble the old text most, best first. `keys` are those of its lines."""
    solid = [number for number, key in enumerate(keys) if key]
    if not solid or len(solid) > _MOST_LINES:
        return []
    index.seek(keys)
    weights = _weights(index, keys)
    begins = _votes(index, keys, solid, weights) or _by_likeness(index, keys, solid)
    found: dict[tuple[int | None, ...], Near] = {}
    for begin in begins:
        near = _aligned(index, request, keys, solid, weights, begin)
        if near is not None:
            found.setdefault(near.match.at, near)
    return sorted(found.values(), key=lambda near: -near.score)


def _weights(index: Index, keys: Sequence[bytes]) -> list[float]:
    """Long and rare lines tell more."""
    found = []
    for key in keys:
        count = len(index.where(key))
        found.append(min(len(key), 60) / max(count, 1) if key else 0.0)
    return found


def _votes(index: Index, keys: Sequence[bytes], solid: Sequence[int], weights: Sequence[float]) -> list[int]:
    """Where the text may begin, in solid lines, those with most votes first."""
    votes: dict[int, float] = {}
    for ordinal, number in enumerate(solid):
        places = index.where(keys[number])
        if len(places) > _COMMON:
            continue
        for place in places:
            begin = bisect_left(index.solid, place) - ordinal
            votes[begin] = votes.get(begin, 0.0) + weights[number]
    best = sorted(votes, key=lambda each: (-votes[each], each))[:_WINDOWS]
    return [begin for begin in best if votes[begin] >= _FAINT * votes[best[0]]]


def _by_likeness(index: Index, keys: Sequence[bytes], solid: Sequence[int]) -> list[int]:
    """As `_votes`, by the longest line's likeness to lines of the file."""
    from rapidfuzz.distance import Indel
    from rapidfuzz.process import extract

    ordinal = max(range(len(solid)), key=lambda each: len(keys[solid[each]]))
    key = keys[solid[ordinal]]
    if len(key) < _INFORMATION:
        return []
    if len(key) > _LONGEST:
        return []
    alike = range(len(key) * 3 // 4, len(key) * 4 // 3 + 1)  # others are too long or too short
    places = [n for n, place in enumerate(index.solid) if len(index.keys[place]) in alike]
    choices = [index.keys[index.solid[n]] for n in places]
    found = extract(key, choices, scorer=Indel.normalized_similarity, score_cutoff=0.75, limit=4)
    return [places[choice] - ordinal for _, _, choice in found]


def _aligned(
    index: Index,
    request: Request,
    keys: Sequence[bytes],
    solid: Sequence[int],
    weights: Sequence[float],
    begin: int,
) -> Near | None:
    """The text laid over the file's lines from about there on."""
    at: list[int | None] = [None] * len(keys)
    same = [False] * len(keys)
    band = max(_SLACK, len(solid) // 4)
    telling = [keys[n] if informative(request.old[n]) >= _WORDY else b"" for n in solid]
    found = _banded(index, telling, [weights[n] for n in solid], begin, band)
    if len(found) < len(solid):
        leads = [(lead(request.old[solid[n]]), lead(index.line(index.solid[place]))) for n, place in found]
        rule = Leads(leads, lambda: (index.indent, index.indent))
        depths = [rule(lead(request.old[n])) if not key else None for n, key in zip(solid, telling, strict=True)]
        found = _banded(index, [keys[n] for n in solid], [weights[n] for n in solid], begin, band, depths)
    for ordinal, place in found:
        at[solid[ordinal]], same[solid[ordinal]] = index.solid[place], True
    near = band if any(same) else 0
    window = index.solid[max(begin - near, 0) : max(begin + len(solid) + near, 0)]
    _pair_alike(index, request, keys, at, solid, window)
    placed = [place for place in at if place is not None]
    if not placed:
        return None
    place_blanks(at, [not line.strip() for line in request.old], index)
    return _judged(index, request, keys, solid, weights, at, same)


def _banded(
    index: Index,
    keys: Sequence[bytes],
    weights: Sequence[float],
    begin: int,
    band: int,
    depths: Sequence[str | None] | None = None,
) -> list[tuple[int, int]]:
    """Pairs of equal lines, in order, near the diagonal; what the file has of its own between them costs.

    `depths` tells of lines that say little how they must be indented.
    """
    width = 2 * band + 1
    best = [[0.0] * (width + 1) for _ in range(len(keys) + 1)]
    step = [[0] * (width + 1) for _ in range(len(keys) + 1)]
    for i in range(len(keys) - 1, -1, -1):
        row, below, key = best[i], best[i + 1], keys[i]
        for j in range(width - 1, -1, -1):
            place = begin + i + j - band
            # down: the old line has no place; right: the file's line is its own
            down = below[j - 1] if j else 0.0
            right = row[j + 1] - _OWN if j + 1 < width else 0.0
            value, way = (down, 1) if down >= right else (right, 2)
            if key and 0 <= place < len(index.solid) and index.keys[index.solid[place]] == key:
                equal = weights[i] + below[j]
                depth = depths[i] if depths else None
                if equal > value and (depth is None or lead(index.line(index.solid[place])) == depth):
                    value, way = equal, 3
            row[j], step[i][j] = value, way
    j = max(range(width), key=lambda each: (best[0][each], -abs(each - band)))
    pairs, i = [], 0
    while i < len(keys) and 0 <= j < width:
        way = step[i][j]
        if way == 3:  # noqa: PLR2004
            pairs.append((i, begin + i + j - band))
            i += 1
        elif way == 1:
            i, j = i + 1, j - 1
        else:
            j += 1
    return pairs


def _pair_alike(
    index: Index,
    request: Request,
    keys: Sequence[bytes],
    at: list[int | None],
    solid: Sequence[int],
    window: Sequence[int],
) -> None:
    """Old lines without a place get the file's line that is most like them, in the same gap."""
    known = set(keys)
    taken = {place for place in at if place is not None}
    gap: list[int] = []
    low = None
    for number in (*solid, None):
        place = None if number is None else at[number]
        if number is not None and place is None:
            if informative(request.old[number]) < _WORDY or not index.where(keys[number]):
                gap.append(number)  # else it is there, but elsewhere
            continue
        if gap:
            if low is None and place is None:
                free = list(window)
            elif low is None:
                free = [n for n in window if n < place][-len(gap) :]  # type: ignore[operator]
            elif place is None:
                free = [n for n in window if n > low][: len(gap)]
            else:
                free = [n for n in window if low < n < place]
            free = [n for n in free if n not in taken and index.keys[n] not in known]
            _pair_gap(index, request, at, gap, free)
        gap, low = [], place


def _pair_gap(index: Index, request: Request, at: list[int | None], gap: list[int], free: list[int]) -> None:
    if not free or len(gap) > _GAP or len(free) > _GAP:
        return
    position = 0
    for number in gap:
        old = request.old[number]
        scored = [(_resemblance(index, old, place), -n) for n, place in enumerate(free) if n >= position]
        if scored and max(scored)[0] >= _ALIKE:
            position = -max(scored)[1]
            at[number] = free[position]
            position += 1


def _resemblance(index: Index, old: str, place: int) -> float:
    here = index.line(place)
    return 1.0 if index.knows(old.strip(), here.strip()) else likeness(old, here)


def _judged(
    index: Index,
    request: Request,
    keys: Sequence[bytes],
    solid: Sequence[int],
    weights: Sequence[float],
    at: list[int | None],
    same: list[bool],
) -> Near | None:
    match = Match(tuple(at), tuple(same))
    total = sum(weights)
    equal = sum(weights[n] for n in solid if same[n])
    alike = sum(
        weights[n] * likeness(request.old[n], index.line(place))
        for n in solid
        if not same[n] and (place := at[n]) is not None and not index.where(keys[n])
    )
    taken = set(at)
    own = [n for n in range(match.first, match.last + 1) if index.keys[n] and n not in taken]
    score = (equal + alike) / (total + 2.0 * len(own)) if total else 0.0
    off = [n for n in solid if not same[n]]
    harmless = all(
        at[n] is not None and index.knows(request.old[n].strip(), index.line(at[n]).strip())  # type: ignore[arg-type]
        for n in off
    )
    informed = [informative(request.old[n]) for n in solid if same[n]]
    enough = sum(informed) >= _INFORMATION and sum(each >= _TELLING for each in informed) >= _LINES
    if harmless:
        enough = sum(informative(request.old[n]) for n in solid) >= _INFORMATION
    mostly = harmless or (equal >= _SHARE * total and score >= _SCORE) or (len(off) == 1 and len(own) <= 1)
    moved = any(lead(request.old[n]) != lead(index.line(at[n])) for n in solid if same[n])  # type: ignore[arg-type]
    return Near(score, match, moved, convincing=enough and mostly and len(own) <= max(1, len(solid) // 3))
