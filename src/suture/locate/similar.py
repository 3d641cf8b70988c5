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
from suture.locate.proof import UNPROVED, is_proved
from suture.locate.settle import settle, standing
from suture.locate.words import informative, lead, likeness
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.locate.found import Answer
    from suture.locate.index import Index
    from suture.locate.request import Request

_MARGIN = 0.05  # of the best place over the next
_SHARE = 0.6  # of the text's weight that must stand there,
_SCORE = 0.72  # with what is only alike, and less what the file has of its own between
_INFORMATION = 12  # letters and digits in lines that stand there,
_LINES = 3  # of which so many
_TELLING = 3  # have at least so many: brackets alone prove nothing
_WORDY = 6  # letters and digits of a line that is known by its words; others are known by their depth, too
_ALIKE = 0.6  # of two lines' characters
_COMMON = 50  # a line that stands more often doesn't vote
_WINDOWS = 12  # places that are aligned, with
_PATIENCE = 1_000_000  # cells of all alignments together, but for the best two
_FAINT = 0.3  # of the best one's votes
_SLACK = 6  # lines that a place may be off its diagonal
_OWN = 2.0  # what a line of the file's own costs, in characters
_FEW = 3  # lines of a text none of which stands in the file, but may be mistyped
_SMALL = 8  # lines of a text that are compared even where few are equal
_GAP = 20  # lines between equal ones that are compared with each other
_LONGEST = 4_000  # bytes of a line that is compared by characters
_MOST_LINES = 2_000  # of a text
_SKIP, _STEP, _PAIR = 1, 2, 3


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
        found = _Sought(index, each).nearest()
        if found and (not places or (found[0].score, places[0].moved) > (places[0].score, found[0].moved)):
            places, request = found, each
    sites = tuple(near.match.site.but(score=round(near.score, 3)) for near in places[:3])
    if not places or not places[0].convincing:
        return Refused("missing", None, sites)
    best = places[0]
    if (applied := standing(index, request, best.match.site, anywhere=True, rung="similar")) is not None:
        return applied
    rivals = [near for near in places[1:] if set(near.match.at).isdisjoint(set(best.match.at) - {None})]
    if rivals and best.score - rivals[0].score < _MARGIN:
        return Refused("ambiguous", "similar", tuple(near.match.site for near in (best, rivals[0])))
    runner_up = rivals[0].match.site.but(score=round(rivals[0].score, 3)) if rivals else None
    answer = settle(index, request, best.match, "similar", round(best.score, 3), runner_up)
    made = isinstance(answer, Refused) and answer.why in {"applied", "partly_applied"}
    return answer if made or is_proved(index, request, best.match) else Refused("missing", None, sites, None, UNPROVED)


class _Sought:
    """A text that is looked for: its lines, and how much each tells."""

    def __init__(self, index: Index, request: Request) -> None:
        self.index, self.request = index, request
        self.keys = line_keys(request.old)
        self.solid = [number for number, key in enumerate(self.keys) if key]
        index.seek(self.keys)
        self.weights = [self._weight(key) for key in self.keys]

    def _weight(self, key: bytes) -> float:
        """Long and rare lines tell more."""
        return min(len(key), 60) / max(len(self.index.where(key)), 1)

    def nearest(self) -> list[Near]:
        """The places that resemble the text most, best first."""
        if not self.solid or len(self.solid) > _MOST_LINES:
            return []
        found: dict[tuple[int | None, ...], Near] = {}
        for begin in self._votes() or self._by_likeness():
            match = self._aligned(begin)
            if match is not None and match.at not in found:
                found[match.at] = self._judged(match)
        return sorted(found.values(), key=lambda near: -near.score)

    def _votes(self) -> list[int]:
        """Where the text may begin, in solid lines, those with most votes first."""
        votes: dict[int, float] = {}
        for ordinal, number in enumerate(self.solid):
            places = self.index.where(self.keys[number])
            for place in places if len(places) <= _COMMON else ():
                begin = bisect_left(self.index.solid, place) - ordinal
                votes[begin] = votes.get(begin, 0.0) + self.weights[number]
        cells = len(self.solid) * (2 * self._band + 1)
        most = max(2, min(_WINDOWS, _PATIENCE // cells))
        best = sorted(votes, key=lambda each: (-votes[each], each))[:most]
        return [begin for begin in best if votes[begin] >= _FAINT * votes[best[0]]]

    def _by_likeness(self) -> list[int]:
        """As `_votes` for a text of few lines, by the longest one's likeness to lines of the file."""
        from rapidfuzz.distance import Indel
        from rapidfuzz.process import extract

        index = self.index
        ordinal = max(range(len(self.solid)), key=lambda each: len(self.keys[self.solid[each]]))
        key = self.keys[self.solid[ordinal]]
        if len(self.solid) > _FEW or not _INFORMATION <= len(key) <= _LONGEST:
            return []
        alike = range(len(key) * 3 // 4, len(key) * 4 // 3 + 1)  # others are too long or too short
        places = [n for n, place in enumerate(index.solid) if len(index.keys[place]) in alike]
        choices = [index.keys[index.solid[n]] for n in places]
        found = extract(key, choices, scorer=Indel.normalized_similarity, score_cutoff=0.75, limit=4)
        return [places[choice] - ordinal for _, _, choice in found]

    def _aligned(self, begin: int) -> Match | None:
        """The text laid over the file's lines from about there on."""
        index, old, solid = self.index, self.request.old, self.solid
        at: list[int | None] = [None] * len(self.keys)
        for ordinal, place in self._equal_lines(begin):
            at[solid[ordinal]] = index.solid[place]
        same = [place is not None for place in at]
        near = self._band if any(same) else 0
        equal = sum(weight for weight, known in zip(self.weights, same, strict=True) if known)
        if len(solid) <= _SMALL or equal >= _FAINT * sum(self.weights):  # else it is another text
            self._pair_alike(at, index.solid[max(begin - near, 0) : max(begin + len(solid) + near, 0)])
        if all(place is None for place in at):
            return None
        same = [place is not None and index.keys[place] == key for place, key in zip(at, self.keys, strict=True)]
        place_blanks(at, [not line.strip() for line in old], index)
        return Match(tuple(at), tuple(same))

    @property
    def _band(self) -> int:
        return max(_SLACK, len(self.solid) // 4)

    def _equal_lines(self, begin: int) -> list[tuple[int, int]]:
        """Lines that are the same: first those that say something; then all, by the indentation that those prove."""
        index, old, solid = self.index, self.request.old, self.solid
        wordy = [self.keys[n] if informative(old[n]) >= _WORDY else b"" for n in solid]
        weights = [self.weights[n] for n in solid]
        found = _banded(index, wordy, weights, begin, self._band)
        if len(found) == len(solid):
            return found
        leads = [(lead(old[solid[n]]), lead(index.line(index.solid[place]))) for n, place in found]
        rule = Leads(leads, lambda: (index.indent, index.indent))
        depths = [None if key else rule(lead(old[n])) for n, key in zip(solid, wordy, strict=True)]
        return _banded(index, [self.keys[n] for n in solid], weights, begin, self._band, depths)

    def _pair_alike(self, at: list[int | None], window: Sequence[int]) -> None:
        """Old lines without a place get the file's line that is most like them, in the same gap."""
        taken = {place for place in at if place is not None}
        free = [n for n in window if n not in taken]
        gap: list[int] = []
        low = -1
        for number in (*self.solid, None):
            place = None if number is None else at[number]
            if number is not None and place is None:
                gap.append(number)
                continue
            high = len(self.index.keys) if place is None else place
            between = [n for n in free if low < n < high]
            if low < 0 and place is not None:
                between = between[max(len(between) - len(gap), 0) :]
            elif low >= 0 and place is None:
                between = between[: len(gap)]
            self._pair_gap(at, gap, between)
            gap, low = [], high

    def _pair_gap(self, at: list[int | None], gap: list[int], free: list[int]) -> None:
        if len(gap) > _GAP or len(free) > _GAP:
            return
        position = 0
        for number in gap:
            scored = [(self._resemblance(number, place), -n) for n, place in enumerate(free) if n >= position]
            if scored and max(scored)[0] >= _ALIKE:
                position = -max(scored)[1]
                at[number] = free[position]
                position += 1

    def _resemblance(self, number: int, place: int) -> float:
        """How alike two lines are; not at all, if either is another line of the other side, and not just mistyped."""
        if self._knows(number, place):
            return 1.0
        elsewhere = informative(self.request.old[number]) >= _WORDY and bool(self.index.where(self.keys[number]))
        another = elsewhere or self.index.keys[place] in self.keys
        return 0.0 if another else likeness(self.request.old[number], self.index.line(place))

    def _knows(self, number: int, place: int | None) -> bool:
        return place is not None and self.index.knows(self.request.old[number].strip(), self.index.line(place).strip())

    def _judged(self, match: Match) -> Near:
        """How much of the text stands there, and whether that is enough."""
        index, old, solid, weights = self.index, self.request.old, self.solid, self.weights
        at, same = match.at, match.same
        equal = sum(weights[n] for n in solid if same[n])
        alike = sum(
            weights[n] * likeness(old[n], index.line(place))
            for n in solid
            if not same[n] and (place := at[n]) is not None and not index.where(self.keys[n])
        )
        own = [n for n in range(match.first, match.last + 1) if index.keys[n] and n not in at]
        total = sum(weights)
        score = (equal + alike) / (total + _OWN * len(own))
        off = [n for n in solid if not same[n]]
        harmless = all(self._knows(n, at[n]) for n in off)
        informed = [informative(old[n]) for n in solid if same[n] or harmless]
        lines = _LINES if not harmless else 1
        enough = sum(informed) >= _INFORMATION and sum(each >= _TELLING for each in informed) >= lines
        mostly = harmless or (equal >= _SHARE * total and score >= _SCORE) or (len(off) == 1 and len(own) <= 1)
        moved = any(
            same[n] and lead(old[n]) != lead(index.line(place)) for n, place in enumerate(at) if place is not None
        )
        return Near(score, match, moved, convincing=enough and mostly and len(own) <= max(1, len(solid) // 3))


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
            value, way = (down, _SKIP) if down >= right else (right, _STEP)
            if key and 0 <= place < len(index.solid) and index.keys[index.solid[place]] == key:
                equal = weights[i] + below[j]
                depth = depths[i] if depths else None
                if equal > value and (depth is None or lead(index.line(index.solid[place])) == depth):
                    value, way = equal, _PAIR
            row[j], step[i][j] = value, way
    j = max(range(width), key=lambda each: (best[0][each], -abs(each - band)))
    pairs, i = [], 0
    while i < len(keys) and 0 <= j < width:
        way = step[i][j]
        if way == _PAIR:
            pairs.append((i, begin + i + j - band))
            i += 1
        elif way == _SKIP:
            i, j = i + 1, j - 1
        else:
            j += 1
    return pairs
