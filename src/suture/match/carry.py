"""Carry a request's change over to the text that the file really has.

    base   = the request's old lines        ours   = the lines of the file that they match
    theirs = the request's new lines

Old and new are first translated into the file's dialect; then their difference is applied to the file. Lines that the
change leaves alone keep the file's bytes. A line that the change touches must be known: equal to the request's line
except for harmless differences. The change is refused if the file has lines of its own at the point of an insertion,
if the indentation of new lines can't be determined, or if both sides changed the same thing.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from suture.bounds import check_size
from suture.match.dialect import Dialect
from suture.match.index import Found, Refused, Sides, line_edit, merge_words, offsets_in
from suture.match.normalize import (
    comment_in,
    depth,
    find_slip,
    fold,
    informative,
    is_closed,
    lead,
    likeness,
    line_keys,
    opens_literal,
    parts,
    solid_keys,
    tokens,
    trail,
    words,
)
from suture.match.placeholders import is_marker
from suture.text.diff import changes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suture.match.index import Answer, Index, Match
    from suture.match.normalize import Request
    from suture.text.diff import Change
    from suture.text.edits import Edit

    Swap = tuple[int, int, list[str]]
    """A half-open range of lines of the file, and the lines that replace it."""


# What counts as evidence: letters and digits, because brackets occur everywhere. Measure every change with
# `bench/editbench`: no edit may land in a wrong place
_UNIQUE_LINE_CHARACTERS = 12  # letters and digits that identify a line without its neighbors
_NEW_LINE_CHARACTERS = 4  # letters and digits of a new line that is not in the file by chance
_ADDED_CHARACTERS = 3  # the same, for everything that a part of the change adds
_NEAR_LINES = 3  # a line that occurs several times must be this close to the place to belong to it
_LINE_LIKENESS = 0.6  # share of equal characters from which a new line is taken for a changed old line
_MAX_CELLS = 10_000  # pairs of old and new lines that are compared: bounds the time, which is quadratic


class _Clash(Exception):
    """The change can't be carried."""

    def __init__(self, why: str, detail: str = "", sides: Sides | None = None) -> None:
        super().__init__(why, detail)
        self.why = why
        self.detail = detail
        self.sides = sides


def carry(index: Index, request: Request, match: Match, rung: str) -> Answer:
    """The edits that make the request's change at a place found on a rung, or why they can't be made."""
    try:
        return Found(rung, match.site, index.span(match.site), _Carry(index, request, match).edits())
    except _Clash as clash:
        return Refused(clash.why, rung, (match.site,), clash.sides, clash.detail)


class _Carry:
    """One request at one place."""

    def __init__(self, index: Index, request: Request, match: Match) -> None:
        self._index, self._request = index, request
        self._at, self._same, self._gaps, self._groups = match.at, match.same, match.gaps, match.groups
        self._file = {place: index.line(place) for place in range(match.first, match.last + 1)}
        """The lines of the place, by number."""
        self._known_lines = {place for _, place in match.placed}.union(*match.gaps.values())
        """The lines that the request knows; the others are the file's own."""
        placed = [(number, request.old[number], self._file[place]) for number, place in match.placed]
        same = [line for line in placed if match.same[line[0]]]
        alike = [
            (number, sent, current)
            for number, sent, current in placed
            if not match.same[number] and sent.strip() and index.knows(sent.strip(), current.strip())
        ]
        self._dialect = Dialect(request, same, index, alike)
        self._has_other_word = False
        """Whether several lines of the request have a word where the file has another one, which resembles it."""
        self._slips = self._learn_slips(match)
        self._removed_lines: dict[str, str] = {}
        self._old = self._translate(request.old)
        """The request's lines in the file's dialect; None for a line that can't be translated."""
        self._new = self._translate(request.new)

    def edits(self) -> tuple[Edit, ...]:
        swaps: list[Swap] = []
        regions = self._regions()
        done = [self._is_applied(region) or self._has_addition(region) for region in regions]
        if any(done):
            raise _Clash("applied" if all(done) else "partly_applied")
        if any(self._is_partly_applied(region) for region in regions):
            raise _Clash("partly_applied")
        if self._has_other_word:
            raise _Clash("unproved", detail="other_word")
        self._check_touched(regions)
        self._removed_lines = self._find_removed_lines(regions)
        for region in regions:
            swaps += self._swaps(region)
        swaps = sorted((*swaps, *self._trailing_space_swaps(regions)), key=lambda swap: swap[:2])
        edits = (self._edit(*swap) for swap in _join(swaps))
        return tuple(edit for edit in edits if edit is not None)

    def _regions(self) -> list[Change]:
        old, new = (
            [
                _key(raw, line, marked=bool(self._gaps) and not self._groups)
                for raw, line in zip(sent, lines, strict=True)
            ]
            for sent, lines in ((self._request.old, self._old), (self._request.new, self._new))
        )
        return self._widen([self._slide(region, old, new) for region in changes(old, new)])

    def _widen(self, regions: list[Change]) -> list[Change]:
        """Widen regions that touch a group of lines that the file breaks differently to the whole group."""
        result: list[Change] = []
        for region in regions:
            i, j, k, m = region
            for a, b, _, _ in self._groups:
                if (i < b and a < j) or a < i == j < b:
                    low, high = min(i, a), max(j, b)
                    i, j, k, m = low, high, k - (i - low), m + (high - j)
            if result and i < result[-1][1]:
                first, _, begin, _ = result.pop()
                i, k = first, begin
            result.append((i, j, k, m))
        return result

    def _slide(self, region: Change, old: list[bytes], new: list[bytes]) -> Change:
        """Slide an insertion to where the file already has it, or away from where the file has lines of its own."""
        i, j, k, m = region
        if i != j or k == m:
            return region
        slides = [region, *self._slides(region, old, new)]
        for slide in slides:
            if self._is_applied(slide):
                return slide
        same_gap = [slide for slide in slides if not any(old[min(i, slide[0]) : max(i, slide[0])])]
        if not any(
            self._file[place].strip() for slide in same_gap for place in self._unknown_lines(slide[0], slide[0])
        ):
            return region
        for a, _, b, c in slides:
            neighbors = self._request.old[max(a - 1, 0)], self._request.old[min(a, len(old) - 1)]
            fits = lead(self._request.new[b]) in map(lead, neighbors)
            between_placed = 0 < a < len(old) and None not in self._at[a - 1 : a + 1]
            if (a, a, b, c) not in same_gap and not self._unknown_lines(a, a) and between_placed and fits:
                return a, a, b, c
        raise self._clash("conflict", "two_sided", region)

    def _slides(self, region: Change, old: list[bytes], new: list[bytes]) -> Iterator[Change]:
        """The other places at which the insertion would have the same result."""
        i, _, k, m = region
        for step in (-1, 1):
            a, b, c = i, k, m
            while (step < 0 and a > 0 and b > 0 and old[a - 1] == new[c - 1]) or (
                step > 0 and a < len(old) and c < len(new) and old[a] == new[b]
            ):
                a, b, c = a + step, b + step, c + step
                yield a, a, b, c

    def _is_applied(self, region: Change) -> bool:
        """Whether the file already has this part of the change."""
        i, j, k, m = region
        low, high = self._lines_around(i, j)
        if low is None or high is None:
            return False
        current = [self._file[place].rstrip() for place in range(low + 1, high)]
        wanted = [None if line is None else line.rstrip() for line in self._new[k:m]]
        if current != wanted or not any(line.strip() for line in (*self._request.old[i:j], *self._request.new[k:m])):
            return False
        return not all(self._is_known(number) for number in range(i, j)) or i == j

    def _has_addition(self, region: Change) -> bool:
        """Whether the file has what this part of the change adds, around the old lines or right beside them."""
        i, j, k, m = region
        before, after = self._request.old[i:j], self._request.new[k:m]
        old, new = solid_keys(before), solid_keys(after)
        more = sum(map(informative, after)) - sum(map(informative, before))
        old_keys = set(line_keys(self._request.old))
        if all(key in old_keys for key in new):
            return False  # the lines are moved, not added
        offsets = offsets_in(new, old) if more >= _ADDED_CHARACTERS else []
        if not offsets:
            return False
        solid, keys = self._index.solid, self._index.keys
        if old:
            first = next((place for place in self._at[i:j] if place is not None and keys[place]), None)
            starts = [bisect_left(solid, first) - n for n in offsets] if first is not None else []
        else:
            low, high = self._lines_around(i, j)
            starts = [] if low is None else [bisect_right(solid, low)]
            starts += [] if high is None else [bisect_left(solid, high) - len(new)]
        return any(n >= 0 and [keys[place] for place in solid[n : n + len(new)]] == new for n in starts)

    def _is_partly_applied(self, region: Change) -> bool:
        """Whether a distinctive line that the change adds is already near the place, unknown to the request."""
        missing = any(
            place is None and line.strip() and number not in self._gaps
            for number, (line, place) in enumerate(zip(self._request.old, self._at, strict=True))
        )
        own = any(place not in self._known_lines and line.strip() for place, line in self._file.items())
        if not missing and not own:
            return False
        fresh = self._request.new[region[2] : region[3]]
        old_keys = set(line_keys(self._request.old))
        return any(
            informative(line) >= _NEW_LINE_CHARACTERS and key not in old_keys and self._is_near(key)
            for line, key in zip(fresh, line_keys(fresh), strict=True)
        )

    def _is_near(self, key: bytes) -> bool:
        places = self._index.where(key)
        reach = len(self._request.new) if len(places) == 1 else _NEAR_LINES
        return any(min(self._file) - reach <= place <= max(self._file) + reach for place in places)

    def _check_touched(self, regions: Sequence[Change]) -> None:
        """Refuse to touch a line whose indentation differs from the request's, or that names something else."""
        pairs = zip(self._request.old, self._at, strict=True)
        kept = any(place is not None and lead(line) == lead(self._file[place]) for line, place in pairs)
        for region in regions:
            for number in range(region[0], region[1]):
                sent, current = self._old[number], self._line(number)
                if sent is None and kept:  # no single rule moves all lines
                    sent = self._request.old[number]
                if sent is None or current is None or not sent.strip():
                    continue
                if lead(sent) != lead(current) or self._names_other_word(sent, current):
                    raise self._clash("conflict", "differs", region)

    def _names_other_word(self, sent: str, current: str) -> bool:
        """Whether a word that differs only in case from the file's word occurs elsewhere in the file."""
        sent_words, file_words = words(fold(sent)), words(fold(current))
        if sent == current or len(sent_words) != len(file_words):
            return False
        pairs = zip(sent_words, file_words, strict=True)
        return any(a != b and a.lower() == b.lower() and self._index.has_word(a, cased=True) for a, b in pairs)

    def _find_removed_lines(self, regions: Sequence[Change]) -> dict[str, str]:
        """Old lines that the change removes, each with the file's line if that differs."""
        touched = [number for i, j, _, _ in regions for number in range(i, j)]
        longer = {
            self._request.old[number].strip(): current
            for number in touched
            if (current := self._line(number)) is not None and current.strip() != (self._old[number] or "").strip()
        }
        sent = [self._request.old[number].strip() for number in touched]
        return {
            text: current
            for text, current in longer.items()
            if text and sent.count(text) == 1 and self._index.knows(text, current.strip())
        }

    def _swaps(self, region: Change) -> Iterator[Swap]:
        """The lines of the file that a region of the change replaces."""
        i, j, k, m = region
        if any(i <= group[0] < j for group in self._groups):
            yield self._reflow(region)
        elif any(number in self._gaps for number in range(i, j)):
            raise self._clash("elided", "", region)
        elif any(place is not None for place in self._at[i:j]):
            yield from self._replacement(region)
        elif any(line.strip() for line in self._request.old[i:j]):
            raise self._clash("conflict", "not_there", region)
        elif k < m:
            yield self._insertion(region)

    def _reflow(self, region: Change) -> Swap:
        """Merge a change in lines that the file breaks differently, word by word."""
        i, j, k, m = region
        inside = [group for group in self._groups if i <= group[0] and group[1] <= j]
        if not self._dialect.leads.unchanged:
            raise self._clash("unproved", "indentation_or_characters", region)
        places = [place for _, _, c, d in inside for place in range(c, d)]
        places += [place for place in self._at[i:j] if place is not None]
        low, high = min(places), max(places) + 1
        ours = "\n".join(self._file[place] for place in range(low, high))
        base, theirs = "\n".join(self._request.old[i:j]), "\n".join(self._new_lines(k, m, region))
        merged = merge_words(base, ours, theirs, reflow=True)
        if merged is None:
            raise self._clash("conflict", "same_words", region)
        return low, high, merged.split("\n")

    def _replacement(self, region: Change) -> Iterator[Swap]:
        """Replace or delete old lines: they must be known, and be where the request has them."""
        i, j, k, m = region
        placed = [place for place in self._at[i:j] if place is not None]
        if not all(self._is_known(number) for number in range(i, j)):
            raise self._clash("conflict", "differs", region)
        if not self._is_beside_known(i, j):
            raise self._clash("conflict", "own_lines", region)
        low, high = placed[0], placed[-1] + 1
        own = sorted({*range(low, high)} - {*placed})
        solid = [place for place in own if self._file[place].strip()]
        before, after = range(i - 1, -1, -1), range(j, len(self._at))
        beside = [self._has_unknown_beside(before, placed[0]), self._has_unknown_beside(after, placed[-1])]
        as_sent = all(self._line(number) == self._old[number] for number in range(i, j))
        if k == m:
            if solid:
                raise self._clash("conflict", "own_lines", region)
            yield low, high, []
        elif as_sent and not own and not any(beside):
            yield low, high, self._new_lines(k, m, region)
        else:
            yield from self._line_by_line(region, beside, own)

    def _line_by_line(self, region: Change, beside: list[bool], own: list[int]) -> Iterator[Swap]:
        """Replace a block, line by line where old and new lines correspond."""
        i, j, k, m = region
        pairs = self._successors(region)
        if (beside[0] and (i, k) not in pairs) or (beside[1] and (j - 1, m - 1) not in pairs):
            raise self._clash("conflict", "own_lines", region)
        moved = any(lead(self._request.old[n]) != lead(self._request.new[successor]) for n, successor in pairs)
        if own and (not pairs or (moved and any(self._file[place].strip() for place in own))):
            raise self._clash("conflict", "own_lines", region)
        a, b = i, k
        for number, successor in (*pairs, (j, m)):
            if (a, b) != (number, successor):
                yield from self._block((a, number, b, successor), region)
            if number < j:
                place = self._at[number]
                assert place is not None  # noqa: S101  only placed lines have successors
                yield place, place + 1, [self._merge(number, successor, region)]
            a, b = number + 1, successor + 1

    def _block(self, part: Change, region: Change) -> Iterator[Swap]:
        """Replace all lines between two pairs of corresponding lines."""
        i, j, k, m = part
        placed = [place for place in self._at[i:j] if place is not None]
        if not placed:
            if k < m:
                yield self._insertion(part)
            return
        low, high = placed[0], placed[-1] + 1
        if any(place not in placed and (self._file[place].strip() or k < m) for place in range(low, high)):
            raise self._clash("conflict", "own_lines", region)
        if k < m and any(self._hides_comment(number) for number in range(i, j)):
            raise self._clash("conflict", "same_words", region)
        yield low, high, self._new_lines(k, m, region)

    def _successors(self, region: Change) -> list[tuple[int, int]]:
        """The old lines of a region, each paired with the new line that it became, in order."""
        i, j, k, m = region
        if (j - i) * (m - k) > _MAX_CELLS:
            return []
        best = [[0.0] * (m - k + 1) for _ in range(j - i + 1)]
        alike = [
            [likeness(old, new) if old.strip() and place is not None else 0.0 for new in self._request.new[k:m]]
            for old, place in zip(self._request.old[i:j], self._at[i:j], strict=True)
        ]
        for a in range(j - i - 1, -1, -1):
            for b in range(m - k - 1, -1, -1):
                pair = alike[a][b] + best[a + 1][b + 1] if alike[a][b] >= _LINE_LIKENESS else 0.0
                best[a][b] = max(pair, best[a + 1][b], best[a][b + 1])
        pairs, a, b = [], 0, 0
        while a < j - i and b < m - k:
            if alike[a][b] >= _LINE_LIKENESS and best[a][b] == alike[a][b] + best[a + 1][b + 1]:
                pairs.append((i + a, k + b))
                a, b = a + 1, b + 1
            elif best[a][b] == best[a + 1][b]:
                a += 1
            else:
                b += 1
        return pairs

    def _insertion(self, region: Change) -> Swap:
        i, j, k, m = region
        low, skipped_before = self._nearest_line(range(i - 1, -1, -1), -1)
        high, skipped_after = self._nearest_line(range(j, len(self._at)), 0)
        if not self._has_certain_neighbors(i, j):
            raise self._clash("conflict", "beside_other_line", region)
        lines = self._new_lines(k, m, region)
        if low is None or high is None:
            place = high if low is None else low + 1
            if place is None or skipped_before or skipped_after:
                raise self._clash("conflict", "beside_missing", region)
            return place, place, lines
        own = self._unknown_lines(i, j)
        if any(self._file[place].strip() for place in own):
            raise self._clash("conflict", "two_sided", region)
        if own and not self._belongs_above(lines, low, high):
            raise self._clash("conflict", "two_sided", region)
        return low + 1, low + 1, lines

    def _belongs_above(self, lines: list[str], low: int, high: int) -> bool:
        """Whether lines go above blank lines that the request left out: they are indented more than what follows."""
        above, below = lead(self._file[low]), lead(self._file[high])
        least = min((depth(line) for line in lines if line.strip()), default=0)
        return bool(self._file[low].strip()) and len(above) > len(below) and least > len(below)

    def _new_lines(self, k: int, m: int, region: Change) -> list[str]:
        lines = self._new[k:m]
        if None in lines:
            raise self._clash("unproved", "indentation_or_characters", region)
        if not self._dialect.leads.unchanged and m - k > 1 and any(map(opens_literal, self._request.new[k:m])):
            raise self._clash("unproved", "literal_text", region)
        return [
            self._move(line, raw) for line, raw in zip(lines, self._request.new[k:m], strict=True) if line is not None
        ]

    def _move(self, line: str, sent: str) -> str:
        """The file's version of a line that the change moves, at its new depth; else the line itself."""
        current = self._removed_lines.get(sent.strip())
        return line if current is None else lead(line) + parts(current)[1] + parts(line)[2]

    def _merge(self, number: int, successor: int, region: Change) -> str:
        """Merge the change from an old line to its new one into the file's line."""
        base, new, current = self._old[number], self._new[successor], self._line(number)
        assert current is not None  # noqa: S101  only placed lines are merged
        sent, wanted = self._request.old[number], self._request.new[successor]
        if base == current and new is not None:
            return new
        (lead_was, was, trail_was), (lead_now, now, trail_now) = parts(sent), parts(wanted)
        here_lead, here_body, here_trail = parts(current)
        first = here_lead
        if lead_was != lead_now:
            if new is None:
                raise self._clash("unproved", "indentation_or_characters", region)
            first = lead(new)
        old_body, new_body = self._dialect.translate_body(was), self._dialect.translate_body(now)
        if old_body is None or new_body is None:
            raise self._clash("unproved", "indentation_or_characters", region)
        body = merge_words(self._correct(old_body), here_body, self._correct(new_body))
        if body is None or not self._keeps_comment(number, new_body):
            raise self._clash("conflict", "same_words", region)
        last = here_trail if trail_was == trail_now or new is None else parts(new)[2]
        return first + body + last

    def _hides_comment(self, number: int) -> bool:
        """Whether the file's line has a comment that the request doesn't know."""
        current, marks = self._line(number), self._index.marks
        return (
            current is not None
            and comment_in(current, marks) is not None
            and comment_in(self._request.old[number], marks) is None
        )

    def _keeps_comment(self, number: int, new: str) -> bool:
        """Whether a comment that the request doesn't know can stay at the end of the changed line."""
        marks = self._index.marks
        if not self._hides_comment(number):
            return True
        return comment_in(new, marks) is None and is_closed(new) and not new.endswith("\\")

    def _trailing_space_swaps(self, regions: Sequence[Change]) -> Iterator[Swap]:
        """Changes of trailing whitespace in lines that otherwise stay, where the file has the old whitespace."""
        number = successor = 0
        for i, j, _, m in (*regions, (len(self._at), 0, 0, 0)):
            for was, now in zip(self._request.old[number:i], self._request.new[successor:], strict=False):
                current, place = self._line(number), self._at[number]
                if (
                    trail(was) != trail(now)
                    and current is not None
                    and place is not None
                    and trail(current) == trail(was)
                ):
                    yield place, place + 1, [current[: len(current) - len(trail(current))] + trail(now)]
                number += 1
            number, successor = j, m

    def _edit(self, low: int, high: int, lines: list[str]) -> Edit | None:
        """The edit that replaces lines of the file and keeps their line endings."""
        current = [self._file[place] for place in range(low, high)]
        while current and lines and current[0] == lines[0]:
            current, lines, low = current[1:], lines[1:], low + 1
        while current and lines and current[-1] == lines[-1]:
            current, lines, high = current[:-1], lines[:-1], high - 1
        return line_edit(self._index, low, high, lines) if current or lines else None

    def _learn_slips(self, match: Match) -> dict[str, str]:
        """Mistyped words of the request, each with the file's word; one that several lines have is another word."""
        slips: dict[str, str] = {}
        for number, place in match.placed:
            if not match.same[number] and (slip := find_slip(self._request.old[number], self._file[place])) is not None:
                self._has_other_word = self._has_other_word or slip[0] in slips
                slips[slip[0]] = slip[1]
        return {one: other for one, other in slips.items() if not self._index.has_word(one)}

    def _correct(self, line: str) -> str:
        return "".join(self._slips.get(token, token) for token in tokens(line))

    def _translate(self, lines: Sequence[str]) -> list[str | None]:
        first = next((number for number, line in enumerate(lines) if line.strip()), 0)
        opening = self._first_lines(lines) if self._dialect.missing_lead is not None else range(first, first + 1)
        translated, size = list[str | None](), 0
        for number, line in enumerate(lines):
            translated.append(self._dialect.translate(line, opens=number in opening))
            size += len(translated[-1] or "")
            check_size("The new text", size)  # the file's indentation may be much longer than the request's
        if self._dialect.missing_lead is not None and lines:
            other = self._repeated_old_line(lines[first])
            translated[first] = translated[first] if other is None else self._dialect.translate(other)
        return [line and self._correct(line) for line in translated] if self._slips else translated

    def _first_lines(self, lines: Sequence[str]) -> range:
        """The leading lines that lack the same indentation as the first old line.

        They end with that line if it is among them; else they are the first line, or the lines at its depth.
        """
        first, *others = (line for line in self._request.old if line.strip())
        if first in lines:
            return range(lines.index(first) + 1)
        if not lines or lines[0] in others:
            return range(0)
        alone = all(lead(line) != lead(first) for line in others)
        deeper = (number for number, line in enumerate(lines) if line.strip() and lead(line) != lead(first))
        return range(next(deeper, len(lines)) if alone else 1)

    def _repeated_old_line(self, line: str) -> str | None:
        """The old line that the first new line repeats, if it isn't the first old line."""
        first, *others = (old for old in self._request.old if old.strip())
        alike = {old for old in others if old.strip() == line.strip()}
        return alike.pop() if line.strip() != first.strip() and len(alike) == 1 else None

    def _line(self, number: int) -> str | None:
        place = self._at[number]
        return None if place is None else self._file[place]

    def _is_known(self, number: int) -> bool:
        """Whether an old line is certainly a line of the file."""
        place = self._at[number]
        if place is None:
            return not self._request.old[number].strip()
        sent = self._old[number]
        return self._index.knows(self._request.old[number] if sent is None else sent, self._file[place])

    def _is_certain(self, number: int) -> bool:
        """Whether the place certainly has an old line, apart from its indentation."""
        current = self._line(number)
        if self._same[number] or number in self._gaps:
            return True
        return current is not None and self._index.knows(self._request.old[number].strip(), current.strip())

    def _is_unique(self, number: int) -> bool:
        """Whether an old line occurs exactly once in the file and is long enough to identify the place."""
        line = self._request.old[number]
        return (
            self._same[number]
            and informative(line) >= _UNIQUE_LINE_CHARACTERS
            and len(self._index.where(line_keys([line])[0])) == 1
        )

    def _is_nowhere(self, number: int) -> bool:
        """Whether an old line is neither at the place nor anywhere else in the file."""
        return self._at[number] is None and not self._index.where(line_keys([self._request.old[number]])[0])

    def _lines_around(self, i: int, j: int) -> tuple[int | None, int | None]:
        """The file's lines for the last placed old line before `i` and the first one at or after `j`."""
        return self._nearest_line(range(i - 1, -1, -1), -1)[0], self._nearest_line(range(j, len(self._at)), 0)[0]

    def _nearest_line(self, numbers: range, end: int) -> tuple[int | None, bool]:
        """The file's line for the first of some old lines that has a place; for an elision, the line at that `end`.

        Also returns whether solid lines without a place come before it.
        """
        skipped = False
        for number in numbers:
            if (place := self._at[number]) is not None:
                return place, skipped
            if number in self._gaps:
                if gap := self._gaps[number]:
                    return gap[end], skipped
                continue
            skipped |= bool(self._request.old[number].strip())
        return None, skipped

    def _unknown_lines(self, i: int, j: int) -> list[int]:
        """The file's lines between the old lines around [i, j) that the request doesn't know."""
        low, high = self._lines_around(i, j)
        if low is None or high is None:
            return []
        return [place for place in range(low + 1, high) if place not in self._known_lines]

    def _has_unknown_beside(self, beyond: range, edge: int) -> bool:
        """Whether the file has solid lines of its own between the edge of a region and the next solid old line.

        Also true if the file lacks that line.
        """
        neighbor = next((n for n in beyond if self._request.old[n].strip()), None)
        if neighbor is None or neighbor in self._gaps:
            return False
        place = self._at[neighbor]
        between = range(min(place, edge) + 1, max(place, edge)) if place is not None else ()
        return place is None or any(n not in self._known_lines and self._file[n].strip() for n in between)

    def _is_beside_known(self, i: int, j: int) -> bool:
        """Whether touched lines are right beside a line that the request also has beside them, if it has any."""
        sides = []
        for edge, beyond in ((i, range(i - 1, -1, -1)), (j, range(j, len(self._at)))):
            neighbor = next((n for n in beyond if self._request.old[n].strip() or n in self._gaps), None)
            if neighbor is not None:
                sides.append(
                    self._is_certain(neighbor)
                    and not any(self._file[place].strip() for place in self._unknown_lines(edge, edge))
                )
        return any(sides) or not sides or any(self._is_unique(number) for number in range(i, j))

    def _has_certain_neighbors(self, i: int, j: int) -> bool:
        """Whether the solid old lines on both sides of a point are lines of the file, or nowhere in it."""
        before = next((n for n in range(i - 1, -1, -1) if self._request.old[n].strip()), None)
        after = next((n for n in range(j, len(self._at)) if self._request.old[n].strip()), None)
        return all(n is None or self._is_certain(n) or self._is_nowhere(n) for n in (before, after))

    def _clash(self, why: str, detail: str, region: Change) -> _Clash:
        """The reason why a region of the change can't be carried over, with what each side has there."""
        i, j, k, m = region
        low, high = self._lines_around(i, j)
        first = min(self._file) if low is None else low + 1
        end = max(self._file) + 1 if high is None else high
        ours = "\n".join(self._file[place] for place in range(first, end))
        sides = Sides(first + 1, "\n".join(self._request.old[i:j]), ours, "\n".join(self._request.new[k:m]))
        return _Clash(why, detail, sides)


def _join(swaps: Sequence[Swap]) -> list[Swap]:
    """Join swaps that touch, so that the last one decides how the text ends."""
    result: list[Swap] = []
    for low, high, lines in swaps:
        if result and result[-1][1] == low:
            first, _, before = result.pop()
            result.append((first, high, before + lines))
        else:
            result.append((low, high, lines))
    return result


def _key(raw: str, line: str | None, *, marked: bool) -> bytes:
    if marked and is_marker(raw):
        return b"\0..."
    text = "\0" + raw.rstrip() if line is None else line.rstrip()
    return text.encode("utf-8", "surrogatepass")
