"""Find a text in looser ways: with elided lines, reflowed, or merely similar.

For similar texts, candidates come from votes: each old line that occurs in the file votes for the line at which the
text would begin. Only a handful of windows is aligned, because aligning the text with every window of a large file
would take too long. The score is the share of the text's weight that occurs in the window. A place is taken only if it
is better than the next one by a margin. Measure every change of these numbers with `bench/editbench`: no edit may land
in a wrong place.

If a function was deleted, only the request still knows it. A sibling that is still in the file may differ in a word,
have one line more, or lack one: exactly what a request may get wrong about the right place. So a difference is forgiven
only if it is harmless, or if the rest of the text could hardly be anywhere else:

- A different word, number, string or operator in a line is never forgiven, nor is a different line.
- One line more or less (the file has an extra line, or lacks a line of the text) is forgiven if enough lines of the
  text occur exactly once in the file.

The numbers were chosen on 8,465 edits of deleted functions (`bench/editbench/siblings.py`): without these rules, 15.6 %
of them landed in a sibling. With them, 12 of 6,600 do on held-out seeds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import pairwise

from suture.match.carry import carry
from suture.match.dialect import Leads
from suture.match.index import Found, Match, Refused, Site, declared_name, place_blanks
from suture.match.ladder import find_applied, make_change
from suture.match.normalize import depth, informative, lead, likeness, line_keys, plain_words
from suture.match.placeholders import is_marker
from suture.records import Record
from suture.text.diff import changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suture.match.index import Answer, Index
    from suture.match.normalize import Request
    from suture.text.edits import Edit

# When a place is convincing: measured, see above
_LEAST_MARGIN = 0.05  # difference between the best score and the next
_LEAST_SHARE = 0.6  # share of the text's weight in equal lines
_LEAST_SCORE = 0.72  # score, which also counts similar lines, and the file's own lines against the place
_LEAST_LETTERS = 12  # letters and digits in equal lines
_LEAST_LINES = 3  # equal lines with content
_TELLING_LINE = 3  # letters and digits of a line with content: brackets alone prove nothing
_WORDY_LINE = 6  # letters and digits of a line that its words identify; shorter ones need the right depth as well
_LEAST_LIKENESS = 0.6  # share of equal characters in two similar lines
_FILE_LINE_COST = 2.0  # cost, in characters, of a line that only the file has

# What is compared: bounds on the time, far above what usual edits need
_MAX_OCCURRENCES = 50  # a line that occurs more often says little about the place, and does not vote
_MAX_WINDOWS = 12  # places that are aligned, those with the most votes
_MAX_CELLS = 1_000_000  # cells of all alignments together; the best two places are always aligned
_LEAST_VOTES = 0.3  # share of the best place's votes that another place needs to be aligned
_LEAST_BAND = 6  # lines by which an alignment may leave the diagonal: a short text may have several lines more or less
_FEW_LINES = 3  # lines of a text that is searched for by likeness if none of its lines occurs: a pass for each
_FEW_SOLID_LINES = 8  # lines of a text that is compared by characters even if few lines are equal
_WIDEST_PAIRED_GAP = 20  # lines between equal lines that are compared with each other: the work is quadratic
_MAX_LINE_BYTES = 4_000  # bytes of a line that is compared by characters
_MAX_LINES = 2_000  # lines of a text that is searched for
_SKIP, _STEP, _PAIR = 1, 2, 3  # the steps of an alignment

# When a place is proved: measured, see above
UNPROVED = "unproved_place"
"""The detail of a text that resembles a place which may be a sibling of the intended one."""
_PROOF_LIKENESS = 0.6  # share of equal characters from which a line is a rival of a missing one
_MAX_RIVAL_CHARS = 2_000  # characters of such lines that are compared
_PROOF_CHARACTERS = 6  # letters and digits of a line that can prove a place
_PROVING_UNIQUE_LINES = 6  # lines that occur once in the file and are enough to prove the place
_PROVING_LINES = 7  # or so many lines of the file,
_UNIQUE_AMONG_PROVING = 3  # of which so many occur once
_UNIQUE_BESIDE_COMMENT = 3  # lines that occur once, if the text only lacks a comment of the file

# Omitted parts: bounds on the time, because the ways to place the pieces multiply
_WIDEST_GAP = 150  # lines of the file that one marker may stand for
_MAX_READINGS = 64  # ways to place all pieces in the file
_MAX_WAYS = 256  # ways to place the first pieces, while the next one is added
_MAX_PIECES = 20  # pieces of a text


class SimilarPlace(Record):
    """A place that resembles the text."""

    score: float
    match: Match
    moved: bool
    """Whether equal lines are indented differently."""
    convincing: bool
    """Whether enough of the text occurs there, regardless of other places."""


def find_similar(index: Index, requests: Sequence[Request]) -> Answer:
    """Find the one place that is nearly the text, in the reading that comes nearest."""
    places: list[SimilarPlace] = []
    request = requests[0]
    for reading in requests:
        nearest = _Search(index, reading).nearest()
        if nearest and (not places or (nearest[0].score, places[0].moved) > (places[0].score, nearest[0].moved)):
            places, request = nearest, reading
    sites = tuple(near.match.site.evolve(score=round(near.score, 3)) for near in places[:3])
    if not places or not places[0].convincing:
        return Refused("missing", None, sites)
    best = places[0]
    if (applied := find_applied(index, request, near=best.match.site)) is not None:
        return applied.evolve(rung="similar")
    rivals = [near for near in places[1:] if set(near.match.at).isdisjoint(set(best.match.at) - {None})]
    if rivals and best.score - rivals[0].score < _LEAST_MARGIN:
        return Refused("ambiguous", "similar", tuple(near.match.site for near in (best, rivals[0])))
    runner_up = rivals[0].match.site.evolve(score=round(rivals[0].score, 3)) if rivals else None
    answer = make_change(index, request, best.match, "similar")
    if isinstance(answer, Found):
        answer = answer.evolve(score=round(best.score, 3), runner_up=runner_up)
    applied_there = isinstance(answer, Refused) and answer.why in {"applied", "partly_applied"}
    if applied_there or is_proved(index, request, best.match):
        return answer
    return Refused("missing", sites=sites, detail=UNPROVED)


def is_proved(index: Index, request: Request, match: Match) -> bool:
    """Whether the lines that a request matches are certainly the intended ones."""
    old, same = request.old, match.same
    placed = [(number, place) for number, place in match.placed if old[number].strip()]
    # lines of the text that the file lacks
    missing = [n for n, line in enumerate(old) if line.strip() and match.at[n] is None and not is_marker(line)]
    # lines of the file that the text lacks, unless a marker stands for them
    own = [
        place
        for (n, above), (m, below) in pairwise(placed)
        if not any(map(is_marker, old[n:m]))
        for place in range(above + 1, below)
        if index.keys[place]
    ]
    # whether a line of the file differs in meaning from the line of the text that it was paired with
    other_words = any(not same[n] and not index.knows(old[n].strip(), index.line(place).strip()) for n, place in placed)
    if other_words or _has_rival(index, request, match, placed, missing):
        return False
    if any(declared_name(old[number]) is not None for number in missing):
        return False  # the text names a function or class that the place lacks
    if len(missing) + len(own) != 1:
        return not missing and not own
    # lines of the text that are in the file; of these, those with content; of these, how many occur once
    known = [(number, place) for number, place in placed if same[number]]
    telling = [index.keys[place] for number, place in known if informative(old[number]) >= _PROOF_CHARACTERS]
    unique = sum(len(index.where(key)) == 1 for key in telling)
    only_comments = bool(own) and all(index.line(place).lstrip().startswith(index.marks) for place in own)
    return (
        unique >= _PROVING_UNIQUE_LINES
        or (unique >= _UNIQUE_AMONG_PROVING and len(known) >= _PROVING_LINES)
        or (unique >= _UNIQUE_BESIDE_COMMENT and only_comments)
    )


def _has_rival(
    index: Index, request: Request, match: Match, placed: Sequence[tuple[int, int]], missing: Sequence[int]
) -> bool:
    """Whether an outer line of the text that the file lacks resembles the line beside the place."""
    if not missing:
        return False
    first, last = placed[0][0], placed[-1][0]
    above = next((n for n in range(match.first - 1, -1, -1) if index.keys[n]), None)
    below = next((n for n in range(match.last + 1, len(index.keys)) if index.keys[n]), None)
    for number in missing:
        neighbor = above if number < first else below if number > last else None
        sent, actual = request.old[number], "" if neighbor is None else index.line(neighbor)
        if likeness(sent[:_MAX_RIVAL_CHARS], actual[:_MAX_RIVAL_CHARS]) >= _PROOF_LIKENESS:
            return True
    return False


class _Search:
    """A text to search for: its lines, and the weight of each."""

    def __init__(self, index: Index, request: Request) -> None:
        self.index, self.request = index, request
        self.keys = line_keys(request.old)
        self.solid = [number for number, key in enumerate(self.keys) if key]
        index.seek(self.keys)
        self.weights = [self._weight(key) for key in self.keys]

    def _weight(self, key: bytes) -> float:
        """Long and rare lines weigh more."""
        return min(len(key), 60) / max(len(self.index.where(key)), 1)

    def nearest(self) -> list[SimilarPlace]:
        """The places that resemble the text most, best first."""
        if not self.solid or len(self.solid) > _MAX_LINES:
            return []
        places: dict[tuple[int | None, ...], SimilarPlace] = {}
        for begin in self._begins_by_votes() or self._begins_by_likeness():
            match = self._align(begin)
            if match is not None and match.at not in places:
                places[match.at] = self._judge(match)
        return sorted(places.values(), key=lambda near: -near.score)

    def _begins_by_votes(self) -> list[int]:
        """The solid lines at which the text may begin, most votes first."""
        votes: dict[int, float] = {}
        for ordinal, number in enumerate(self.solid):
            places = self.index.where(self.keys[number])
            for place in places if len(places) <= _MAX_OCCURRENCES else ():
                begin = bisect_left(self.index.solid, place) - ordinal
                votes[begin] = votes.get(begin, 0.0) + self.weights[number]
        cells = len(self.solid) * (2 * self._band + 1)
        most = max(2, min(_MAX_WINDOWS, _MAX_CELLS // cells))
        best = sorted(votes, key=lambda begin: (-votes[begin], begin))[:most]
        return [begin for begin in best if votes[begin] >= _LEAST_VOTES * votes[best[0]]]

    def _begins_by_likeness(self) -> list[int]:
        """The same for a text of few lines, by the likeness of its longest line to lines of the file."""
        from rapidfuzz.distance import Indel
        from rapidfuzz.process import extract

        index = self.index
        ordinal = max(range(len(self.solid)), key=lambda n: len(self.keys[self.solid[n]]))
        key = self.keys[self.solid[ordinal]]
        if len(self.solid) > _FEW_LINES or not _LEAST_LETTERS <= len(key) <= _MAX_LINE_BYTES:
            return []
        alike = range(len(key) * 3 // 4, len(key) * 4 // 3 + 1)  # others are too long or too short
        places = [n for n, place in enumerate(index.solid) if len(index.keys[place]) in alike]
        choices = [index.keys[index.solid[n]] for n in places]
        hits = extract(key, choices, scorer=Indel.normalized_similarity, score_cutoff=0.75, limit=4)
        return [places[choice] - ordinal for _, _, choice in hits]

    def _align(self, begin: int) -> Match | None:
        """Align the text with the file's lines from about this line on."""
        index, old, solid = self.index, self.request.old, self.solid
        at: list[int | None] = [None] * len(self.keys)
        for ordinal, place in self._equal_lines(begin):
            at[solid[ordinal]] = index.solid[place]
        same = [place is not None for place in at]
        reach = self._band if any(same) else 0
        equal = sum(weight for weight, is_same in zip(self.weights, same, strict=True) if is_same)
        if len(solid) <= _FEW_SOLID_LINES or equal >= _LEAST_VOTES * sum(self.weights):  # else it is another text
            self._pair_alike(at, index.solid[max(begin - reach, 0) : max(begin + len(solid) + reach, 0)])
        if all(place is None for place in at):
            return None
        same = [place is not None and index.keys[place] == key for place, key in zip(at, self.keys, strict=True)]
        place_blanks(index, old, at)
        return Match(tuple(at), tuple(same))

    @property
    def _band(self) -> int:
        return max(_LEAST_BAND, len(self.solid) // 4)

    def _equal_lines(self, begin: int) -> list[tuple[int, int]]:
        """Pair equal lines: first those with enough words; then all, by the indentation that the first ones prove."""
        index, old, solid = self.index, self.request.old, self.solid
        wordy = [self.keys[n] if informative(old[n]) >= _WORDY_LINE else b"" for n in solid]
        weights = [self.weights[n] for n in solid]
        pairs = _align_equal(index, wordy, weights, begin, self._band)
        if len(pairs) == len(solid):
            return pairs
        leads = [(lead(old[solid[n]]), lead(index.line(index.solid[place]))) for n, place in pairs]
        rule = Leads(leads, lambda: (index.indent, index.indent))
        depths = [None if key else rule(lead(old[n])) for n, key in zip(solid, wordy, strict=True)]
        return _align_equal(index, [self.keys[n] for n in solid], weights, begin, self._band, depths)

    def _pair_alike(self, at: list[int | None], window: Sequence[int]) -> None:
        """Pair old lines without a place with the most similar lines of the file in the same gap."""
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
        if len(gap) > _WIDEST_PAIRED_GAP or len(free) > _WIDEST_PAIRED_GAP:
            return
        position = 0
        for number in gap:
            scored = [(self._resemblance(number, place), -n) for n, place in enumerate(free) if n >= position]
            if scored and max(scored)[0] >= _LEAST_LIKENESS:
                position = -max(scored)[1]
                at[number] = free[position]
                position += 1

    def _resemblance(self, number: int, place: int) -> float:
        """The likeness of two lines; 0 if either one also occurs on the other side and is not just mistyped."""
        if self._knows(number, place):
            return 1.0
        elsewhere = informative(self.request.old[number]) >= _WORDY_LINE and bool(self.index.where(self.keys[number]))
        another = elsewhere or self.index.keys[place] in self.keys
        return 0.0 if another else likeness(self.request.old[number], self.index.line(place))

    def _knows(self, number: int, place: int | None) -> bool:
        return place is not None and self.index.knows(self.request.old[number].strip(), self.index.line(place).strip())

    def _judge(self, match: Match) -> SimilarPlace:
        """Score a place, and decide whether it is convincing."""
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
        score = (equal + alike) / (total + _FILE_LINE_COST * len(own))
        off = [n for n in solid if not same[n]]
        harmless = all(self._knows(n, at[n]) for n in off)
        informed = [informative(old[n]) for n in solid if same[n] or harmless]
        lines = _LEAST_LINES if not harmless else 1
        telling = sum(letters >= _TELLING_LINE for letters in informed)
        enough = sum(informed) >= _LEAST_LETTERS and telling >= lines
        mostly = (
            harmless or (equal >= _LEAST_SHARE * total and score >= _LEAST_SCORE) or (len(off) == 1 and len(own) <= 1)
        )
        moved = any(same[n] and lead(old[n]) != lead(index.line(place)) for n, place in match.placed)
        return SimilarPlace(score, match, moved, convincing=enough and mostly and len(own) <= max(1, len(solid) // 3))


def _align_equal(
    index: Index,
    keys: Sequence[bytes],
    weights: Sequence[float],
    begin: int,
    band: int,
    depths: Sequence[str | None] | None = None,
) -> list[tuple[int, int]]:
    """Pair equal lines, in order, near the diagonal; lines that only the file has between them cost.

    `depths` is the indentation that lines with few letters must have.
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
            right = row[j + 1] - _FILE_LINE_COST if j + 1 < width else 0.0
            value, way = (down, _SKIP) if down >= right else (right, _STEP)
            if key and 0 <= place < len(index.solid) and index.keys[index.solid[place]] == key:
                equal = weights[i] + below[j]
                depth = depths[i] if depths else None
                if equal > value and (depth is None or lead(index.line(index.solid[place])) == depth):
                    value, way = equal, _PAIR
            row[j], step[i][j] = value, way
    j = max(range(width), key=lambda column: (best[0][column], -abs(column - band)))
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


def find_elided(index: Index, request: Request) -> Answer | None:
    """Find the only way to place a text with omitted parts in the file."""
    keys = line_keys(request.old)
    markers = [number for number, line in enumerate(request.old) if is_marker(line)]
    pieces = [[n for n in range(a + 1, b) if keys[n]] for a, b in _gaps(markers, len(keys))]
    solid = [piece for piece in pieces if piece]
    if not markers or not solid or len(solid) > _MAX_PIECES or (len(solid) == 1 and len(markers) > 1):
        return None
    answers: dict[tuple[Edit, ...], Found] = {}
    clashes: list[Refused] = []
    layouts, complete = _layouts(index, keys, solid)
    if layouts and not complete:
        return Refused("ambiguous", "elision", tuple(Site(way[0][0] + 1, way[-1][-1] + 1) for way in layouts))
    for places in layouts:
        match = _match_pieces(index, request, keys, solid, places, markers)
        if not _is_plausible(index, request, match):
            continue
        if (refused := _check_markers(request, markers)) is not None:
            return refused.evolve(sites=(match.site,))
        answer = carry(index, request, match, "elision")
        if isinstance(answer, Refused):
            clashes.append(answer)
        elif answer.edits not in answers or _width(answer) < _width(answers[answer.edits]):
            answers[answer.edits] = answer  # the narrowest of several that make the same change
    ways: list[Answer] = [*answers.values(), *clashes]
    if len(ways) > 1 and answers:
        return Refused("ambiguous", "elision", tuple(way.sites[0] for way in ways))
    return next(iter(ways), None)


def _width(answer: Found) -> int:
    start, end = answer.span
    return end - start


def _is_plausible(index: Index, request: Request, match: Match) -> bool:
    """Whether one rule explains the indentation of all pieces, and no part omitted from a block leaves the block."""
    placed = [(n, place) for n, place in match.placed if request.old[n].strip()]
    pairs = [(lead(request.old[n]), lead(index.line(place))) for n, place in placed]
    rule = Leads(pairs, lambda: (index.indent, index.indent))
    stripped = all(sent == actual for sent, actual in pairs[1:])
    if not rule.explained and not stripped:
        return False
    for marker, gap in match.gaps.items():
        beside = [(n, place) for n, place in placed if n in _neighbors(marker, [number for number, _ in placed])]
        depths = [depth(index.line(place)) for _, place in beside]
        opened = len(beside) > 1 and depth(request.old[marker]) > depth(request.old[beside[0][0]])
        inside = opened and depths[0] < depths[1]
        if inside and any(index.keys[place] and depth(index.line(place)) <= depths[0] for place in gap):
            return False
    return True


def _neighbors(marker: int, solid: Sequence[int]) -> tuple[int, ...]:
    """The nearest solid old lines on both sides of a marker."""
    before = [n for n in solid if n < marker][-1:]
    return (*before, *[n for n in solid if n > marker][:1])


def _check_markers(request: Request, markers: Sequence[int]) -> Refused | None:
    """Refuse unless old and new omit the same parts at the same depth."""
    new_markers = [line for line in request.new if is_marker(line)]
    if len(new_markers) != len(markers) or _adds_beyond_marker(request, markers):
        return Refused("elided", "elision")
    if any(lead(request.old[n]) != lead(marker) for n, marker in zip(markers, new_markers, strict=True)):
        return Refused("unproved", "elision", detail="elided_lines_move")
    return None


def _gaps(markers: Sequence[int], count: int) -> Iterator[tuple[int, int]]:
    return zip((-1, *markers), (*markers, count), strict=True)


def _layouts(index: Index, keys: Sequence[bytes], pieces: list[list[int]]) -> tuple[list[list[list[int]]], bool]:
    """The ways to place the pieces in the file, in order and not too far apart; and whether the list is complete."""
    piece_keys = [[keys[n] for n in piece] for piece in pieces]
    runs = [index.runs(wanted) for wanted in piece_keys]
    complete = all(len(places) < index.most_runs(wanted) for places, wanted in zip(runs, piece_keys, strict=True))
    ways: list[list[list[int]]] = [[run] for run in runs[0]]
    for later in runs[1:]:
        starts = [run[0] for run in later]
        longer = []
        for way in ways[:_MAX_WAYS]:
            low = bisect_left(starts, way[-1][-1] + 1)
            high = bisect_right(starts, way[-1][-1] + _WIDEST_GAP + 1)
            longer += [[*way, run] for run in later[low:high]]
        complete = complete and len(ways) <= _MAX_WAYS
        ways = longer
    return ways[:_MAX_READINGS], complete and len(ways) <= _MAX_READINGS


def _match_pieces(
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
    for a, b in _gaps(markers, len(keys)):
        part = at[a + 1 : b]
        place_blanks(index, request.old[a + 1 : b], part)
        at[a + 1 : b] = part
    gaps: dict[int, range] = {}
    for marker in markers:
        before = [place for place in at[:marker] if place is not None]
        after = [place for place in at[marker:] if place is not None]
        gaps[marker] = range(before[-1] + 1, after[0]) if before and after else range(0)
    return Match(tuple(at), tuple(place is not None for place in at), gaps)


def _adds_beyond_marker(request: Request, markers: Sequence[int]) -> bool:
    """Whether a marker is old's first or last line and new adds something beyond it."""
    old = [n for n, line in enumerate(request.old) if line.strip()]
    new = [line for line in request.new if line.strip()]
    return (old[0] in markers and not is_marker(new[0])) or (old[-1] in markers and not is_marker(new[-1]))


def find_reflowed(index: Index, request: Request) -> Answer | None:
    """Find the one place that has these words, with any line breaks."""
    keys = line_keys(request.old)
    solid = [number for number, key in enumerate(keys) if key]
    matches = []
    for places in index.runs_across_lines([keys[number] for number in solid]):
        sent_words = [word for number in solid for word in plain_words(request.old[number])]
        file_words = [word for place in places for word in plain_words(index.line(place))]
        if sent_words == file_words:
            matches.append(_match_words(index, request, keys, solid, places))
    if len(matches) > 1:
        return Refused("ambiguous", "tokens", tuple(match.site for match in matches))
    return make_change(index, request, matches[0], "tokens") if matches else None


def _match_words(
    index: Index, request: Request, keys: Sequence[bytes], solid: Sequence[int], places: Sequence[int]
) -> Match:
    """Pair equal lines; between them, group lines that are equal when joined."""
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
    place_blanks(index, request.old, at)
    for first, last, _, _ in groups:
        at[first] = at[last - 1] = None
    return Match(tuple(at), tuple(place is not None for place in at), gaps, tuple(groups))
