"""The change, carried over to the file's own text.

    base   = the request's old lines        ours   = the file's lines that they were found to be
    theirs = the request's new lines

Old and new are translated into the file's dialect first; then their difference is made in the file. Lines that
the change leaves alone keep the file's bytes, whatever they are. A line that the change touches must be known:
the same but for what is harmless. Where the file has lines of its own at the point of an insertion, where new
indentation can't be told, or where both sides changed one thing, the answer is a `Clash`.
"""

from __future__ import annotations

from suture.bounds import check_size
from suture.diff import changes
from suture.locate.comments import comment_in, is_closed, opens_literal
from suture.locate.dialect import Dialect
from suture.locate.draft import Draft
from suture.locate.ground import Clash
from suture.locate.placeholders import is_marker
from suture.locate.words import lead, likeness, parts, slipped, tokens, trail
from suture.locate.writing import line_edit, merged_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suture.diff import Change
    from suture.edits import Edit
    from suture.locate.found import Match
    from suture.locate.index import Index
    from suture.locate.request import Request

    Places = Sequence[int | None]
    """The file's line for each old line, where there is one."""
    Swap = tuple[int, int, list[str]]
    """Lines of the file, from one up to another, and those that come instead."""

_ALIKE = 0.6
_MOST_CELLS = 10_000


def carry(index: Index, request: Request, match: Match) -> tuple[Edit, ...]:
    """The edits that make the request's change at the place that was found."""
    return _Carry(index, request, match).edits()


class _Carry(Draft):
    def __init__(self, index: Index, request: Request, match: Match) -> None:
        super().__init__(index, request, match)
        pairs = [(i, request.old[i], self.file[place]) for i, place in _placed(match.at) if match.same[i]]
        alike = [
            (i, request.old[i], self.file[place])
            for i, place in _placed(match.at)
            if not match.same[i]
            and request.old[i].strip()
            and index.knows(request.old[i].strip(), self.file[place].strip())
        ]
        self.dialect = Dialect(request, pairs, index, alike)
        self.slips = self._learn_slips(match)
        self.gone: dict[str, str] = {}
        self.old = self._translated(request.old)
        self.new = self._translated(request.new)

    def _translated(self, lines: Sequence[str]) -> list[str | None]:
        first = next((number for number, line in enumerate(lines) if line.strip()), 0)
        opening = self._opening(lines) if self.dialect.stripped is not None else range(first, first + 1)
        found, size = list[str | None](), 0
        for number, line in enumerate(lines):
            found.append(self.dialect.translate(line, opens=number in opening))
            size += len(found[-1] or "")
            check_size("The new text", size)  # the file's indentation may be much longer than the request's
        if self.dialect.stripped is not None and lines:
            other = self._other_than_first(lines[first])
            found[first] = found[first] if other is None else self.dialect.translate(other)
        return [line if line is None else self._corrected(line) for line in found] if self.slips else found

    def _opening(self, lines: Sequence[str]) -> range:
        """The lines that lack what old's first line lacks: up to that line, or those at its depth, if others aren't."""
        first, *others = (line for line in self.request.old if line.strip())
        if first in lines:
            return range(lines.index(first) + 1)
        if not lines or lines[0] in others:
            return range(0)
        alone = all(lead(line) != lead(first) for line in others)
        deeper = (number for number, line in enumerate(lines) if line.strip() and lead(line) != lead(first))
        return range(next(deeper, len(lines)) if alone else 1)

    def _other_than_first(self, line: str) -> str | None:
        """The old line that new's first line is, if it is another than old's first and lacks its indentation, too."""
        first, *others = (each for each in self.request.old if each.strip())
        alike = {each for each in others if each.strip() == line.strip()}
        return alike.pop() if line.strip() != first.strip() and len(alike) == 1 else None

    def _learn_slips(self, match: Match) -> dict[str, str]:
        """Mistyped words of the request, and what the file has for each."""
        found: dict[str, str] = {}
        for number, place in _placed(match.at):
            if not match.same[number] and (slip := slipped(self.request.old[number], self.file[place])) is not None:
                found[slip[0]] = slip[1]
        return {one: other for one, other in found.items() if not self.index.has_word(one)}

    def _corrected(self, line: str) -> str:
        return "".join(self.slips.get(token, token) for token in tokens(line))

    def edits(self) -> tuple[Edit, ...]:
        swaps: list[Swap] = []
        regions = self._regions()
        done = [self.is_done(region) or self.is_there(region) for region in regions]
        if any(done):
            raise Clash("applied" if all(done) else "partly_applied", "")
        if any(self.is_begun(region) for region in regions):
            raise Clash("partly_applied", "")
        self.check_touched(regions)
        self.gone = self._gone(regions)
        for region in regions:
            swaps += self._swaps(region)
        swaps = sorted((*swaps, *self._trails(regions)), key=lambda swap: swap[:2])
        return tuple(found for swap in _joined(swaps) if (found := self._edit(*swap)) is not None)

    def _trails(self, regions: Sequence[Change]) -> Iterator[Swap]:
        """White space at the ends of lines that otherwise stay: changed where old and the file agree about it."""
        number = successor = 0
        for i, j, _, m in (*regions, (len(self.at), 0, 0, 0)):
            for was, now in zip(self.request.old[number:i], self.request.new[successor:], strict=False):
                here, place = self.line(number), self.at[number]
                if trail(was) != trail(now) and here is not None and place is not None and trail(here) == trail(was):
                    yield place, place + 1, [here[: len(here) - len(trail(here))] + trail(now)]
                number += 1
            number, successor = j, m

    def _gone(self, regions: Sequence[Change]) -> dict[str, str]:
        """Old lines that the change takes away, and what the file has for them where it says more."""
        touched = [number for i, j, _, _ in regions for number in range(i, j)]
        found = {
            self.request.old[number].strip(): here
            for number in touched
            if (here := self.line(number)) is not None and here.strip() != (self.old[number] or "").strip()
        }
        sent = [self.request.old[number].strip() for number in touched]
        return {
            text: here
            for text, here in found.items()
            if text and sent.count(text) == 1 and self.index.knows(text, here.strip())
        }

    def _regions(self) -> list[Change]:
        """What the request changes."""
        old, new = (
            [_key(raw, line, marked=bool(self.gaps) and not self.groups) for raw, line in zip(sent, lines, strict=True)]
            for sent, lines in ((self.request.old, self.old), (self.request.new, self.new))
        )
        return self._regrouped([self._slid(region, old, new) for region in changes(old, new)])

    def _regrouped(self, regions: list[Change]) -> list[Change]:
        """Regions that touch lines which are broken in another way in the file, widened to all of those."""
        result: list[Change] = []
        for region in regions:
            i, j, k, m = region
            for a, b, _, _ in self.groups:
                if (i < b and a < j) or a < i == j < b:
                    low, high = min(i, a), max(j, b)
                    i, j, k, m = low, high, k - (i - low), m + (high - j)
            if result and i < result[-1][1]:
                first, _, begin, _ = result.pop()
                i, k = first, begin
            result.append((i, j, k, m))
        return result

    def _reflowed(self, region: Change) -> Swap:
        """A change in lines that the file breaks in another way, word by word."""
        i, j, k, m = region
        inside = [group for group in self.groups if i <= group[0] and group[1] <= j]
        if not self.dialect.leads.unchanged:
            raise self.clash("unproved", "indentation_or_characters", region)
        places = [place for _, _, c, d in inside for place in range(c, d)]
        places += [place for place in self.at[i:j] if place is not None]
        low, high = min(places), max(places) + 1
        ours = "\n".join(self.file[place] for place in range(low, high))
        base, theirs = "\n".join(self.request.old[i:j]), "\n".join(self._fresh(k, m, region))
        made = merged_words(base, ours, theirs, reflow=True)
        if made is None:
            raise self.clash("conflict", "same_words", region)
        return low, high, made.split("\n")

    def _slides(self, region: Change, old: list[bytes], new: list[bytes]) -> Iterator[Change]:
        """The other places where an insertion could stand with the same result."""
        i, _, k, m = region
        for step in (-1, 1):
            a, b, c = i, k, m
            while (step < 0 and a > 0 and b > 0 and old[a - 1] == new[c - 1]) or (
                step > 0 and a < len(old) and c < len(new) and old[a] == new[b]
            ):
                a, b, c = a + step, b + step, c + step
                yield a, a, b, c

    def _slid(self, region: Change, old: list[bytes], new: list[bytes]) -> Change:
        """An insertion moved into a gap where the file has the same, or out of one where it has other lines."""
        i, j, k, m = region
        if i != j or k == m:
            return region
        slides = [region, *self._slides(region, old, new)]
        for slide in slides:
            if self.is_done(slide):
                return slide
        here = [slide for slide in slides if not any(old[min(i, slide[0]) : max(i, slide[0])])]
        if not any(self.file[place].strip() for slide in here for place in self.own(slide[0], slide[0])):
            return region
        for a, _, b, c in slides:
            neighbors = self.request.old[max(a - 1, 0)], self.request.old[min(a, len(old) - 1)]
            fits = lead(self.request.new[b]) in map(lead, neighbors)
            if (a, a, b, c) not in here and not self.own(a, a) and self.anchored(a) and fits:
                return a, a, b, c
        raise self.clash("conflict", "two_sided", region)

    def _swaps(self, region: Change) -> Iterator[Swap]:
        """What a region of the change replaces in the file."""
        i, j, k, m = region
        if any(i <= group[0] < j for group in self.groups):
            yield self._reflowed(region)
        elif any(number in self.gaps for number in range(i, j)):
            raise self.clash("elided", "", region)
        elif any(place is not None for place in self.at[i:j]):
            yield from self._replacement(region)
        elif any(line.strip() for line in self.request.old[i:j]):
            raise self.clash("conflict", "not_there", region)
        elif k < m:
            yield self._insertion(region)

    def _replacement(self, region: Change) -> Iterator[Swap]:
        """Old lines go or change: they must be known, and stand where the request has them."""
        i, j, k, m = region
        placed = [place for place in self.at[i:j] if place is not None]
        if not all(self.known(number) for number in range(i, j)):
            raise self.clash("conflict", "differs", region)
        if not self.is_moored(i, j):
            raise self.clash("conflict", "own_lines", region)
        low, high = placed[0], placed[-1] + 1
        own = sorted({*range(low, high)} - {*placed})
        solid = [place for place in own if self.file[place].strip()]
        before, after = range(i - 1, -1, -1), range(j, len(self.at))
        beside = [self.is_crowded(before, placed[0]), self.is_crowded(after, placed[-1])]
        as_sent = all(self.line(number) == self.old[number] for number in range(i, j))
        if k == m:
            if solid:
                raise self.clash("conflict", "own_lines", region)
            yield low, high, []
        elif as_sent and not own and not any(beside):
            yield low, high, self._fresh(k, m, region)
        else:
            yield from self._piecemeal(region, beside, own)

    def _piecemeal(self, region: Change, beside: list[bool], own: list[int]) -> Iterator[Swap]:
        """A block that is replaced, line by line where lines correspond."""
        i, j, k, m = region
        pairs = self._successors(region)
        if (beside[0] and (i, k) not in pairs) or (beside[1] and (j - 1, m - 1) not in pairs):
            raise self.clash("conflict", "own_lines", region)
        moved = any(lead(self.request.old[n]) != lead(self.request.new[successor]) for n, successor in pairs)
        if own and (not pairs or (moved and any(self.file[place].strip() for place in own))):
            raise self.clash("conflict", "own_lines", region)
        a, b = i, k
        for number, successor in (*pairs, (j, m)):
            if (a, b) != (number, successor):
                yield from self._block((a, number, b, successor), region)
            if number < j:
                place = self.at[number]
                assert place is not None  # noqa: S101  only placed lines have successors
                yield place, place + 1, [self._merged(number, successor, region)]
            a, b = number + 1, successor + 1

    def _block(self, part: Change, region: Change) -> Iterator[Swap]:
        """Lines between those that correspond: all of them go, and others come."""
        i, j, k, m = part
        placed = [place for place in self.at[i:j] if place is not None]
        if not placed:
            if k < m:
                yield self._insertion(part)
            return
        low, high = placed[0], placed[-1] + 1
        if any(place not in placed and (self.file[place].strip() or k < m) for place in range(low, high)):
            raise self.clash("conflict", "own_lines", region)
        if k < m and any(self._hides_comment(number) for number in range(i, j)):
            raise self.clash("conflict", "same_words", region)
        yield low, high, self._fresh(k, m, region)

    def _hides_comment(self, number: int) -> bool:
        """Whether the file's line has a comment that the request doesn't know."""
        here, marks = self.line(number), self.index.marks
        return (
            here is not None
            and comment_in(here, marks) is not None
            and comment_in(self.request.old[number], marks) is None
        )

    def _successors(self, region: Change) -> list[tuple[int, int]]:
        """Old lines of a region and the new lines that they became, in order."""
        i, j, k, m = region
        if (j - i) * (m - k) > _MOST_CELLS:
            return []
        best = [[0.0] * (m - k + 1) for _ in range(j - i + 1)]
        alike = [
            [likeness(old, new) if old.strip() and place is not None else 0.0 for new in self.request.new[k:m]]
            for old, place in zip(self.request.old[i:j], self.at[i:j], strict=True)
        ]
        for a in range(j - i - 1, -1, -1):
            for b in range(m - k - 1, -1, -1):
                pair = alike[a][b] + best[a + 1][b + 1] if alike[a][b] >= _ALIKE else 0.0
                best[a][b] = max(pair, best[a + 1][b], best[a][b + 1])
        pairs, a, b = [], 0, 0
        while a < j - i and b < m - k:
            if alike[a][b] >= _ALIKE and best[a][b] == alike[a][b] + best[a + 1][b + 1]:
                pairs.append((i + a, k + b))
                a, b = a + 1, b + 1
            elif best[a][b] == best[a + 1][b]:
                a += 1
            else:
                b += 1
        return pairs

    def _insertion(self, region: Change) -> Swap:
        i, j, k, m = region
        (low, skipped_before), (high, skipped_after) = self.before(i), self.after(j)
        if not self.stands_on_sure_ground(i, j):
            raise self.clash("conflict", "beside_other_line", region)
        lines = self._fresh(k, m, region)
        if low is None or high is None:
            place = high if low is None else low + 1
            if place is None or skipped_before or skipped_after:
                raise self.clash("conflict", "beside_missing", region)
            return place, place, lines
        own = self.own(i, j)
        if any(self.file[place].strip() for place in own):
            raise self.clash("conflict", "two_sided", region)
        if own and not self._belongs_above(lines, low, high):
            raise self.clash("conflict", "two_sided", region)
        return low + 1, low + 1, lines

    def _belongs_above(self, lines: list[str], low: int, high: int) -> bool:
        """Whether lines go before the blank lines that the request left out: they are deeper than what follows."""
        above, below = lead(self.file[low]), lead(self.file[high])
        least = min((len(lead(line)) for line in lines if line.strip()), default=0)
        return bool(self.file[low].strip()) and len(above) > len(below) and least > len(below)

    def _fresh(self, k: int, m: int, region: Change) -> list[str]:
        """New lines as the file would have them."""
        lines = self.new[k:m]
        if None in lines:
            raise self.clash("unproved", "indentation_or_characters", region)
        if not self.dialect.leads.unchanged and m - k > 1 and any(map(opens_literal, self.request.new[k:m])):
            raise self.clash("unproved", "literal_text", region)
        return [
            self._moved(line, raw) for line, raw in zip(lines, self.request.new[k:m], strict=True) if line is not None
        ]

    def _moved(self, line: str, sent: str) -> str:
        """A new line that is an old one elsewhere: what the file has for that, at the new depth."""
        here = self.gone.get(sent.strip())
        return line if here is None else lead(line) + parts(here)[1] + parts(line)[2]

    def _merged(self, number: int, successor: int, region: Change) -> str:
        """The file's line for an old one, with the change to the new one made in it."""
        base, new, here = self.old[number], self.new[successor], self.line(number)
        assert here is not None  # noqa: S101  it has a place
        sent, wanted = self.request.old[number], self.request.new[successor]
        if base == here and new is not None:
            return new
        (lead_was, was, trail_was), (lead_now, now, trail_now) = parts(sent), parts(wanted)
        here_lead, here_body, here_trail = parts(here)
        first = here_lead
        if lead_was != lead_now:
            if new is None:
                raise self.clash("unproved", "indentation_or_characters", region)
            first = lead(new)
        old_said, new_said = self.dialect.said(was), self.dialect.said(now)
        if old_said is None or new_said is None:
            raise self.clash("unproved", "indentation_or_characters", region)
        body = merged_words(self._corrected(old_said), here_body, self._corrected(new_said))
        if body is None or not self._keeps_comment(number, new_said):
            raise self.clash("conflict", "same_words", region)
        last = here_trail if trail_was == trail_now or new is None else parts(new)[2]
        return first + body + last

    def _keeps_comment(self, number: int, new: str) -> bool:
        """Whether a comment that the request doesn't know can stay at the end of the changed line."""
        marks = self.index.marks
        if not self._hides_comment(number):
            return True
        return comment_in(new, marks) is None and is_closed(new) and not new.endswith("\\")

    def _edit(self, low: int, high: int, lines: list[str]) -> Edit | None:
        """Lines of the file replaced, ends of lines as they are there."""
        here = [self.file[place] for place in range(low, high)]
        while here and lines and here[0] == lines[0]:
            here, lines, low = here[1:], lines[1:], low + 1
        while here and lines and here[-1] == lines[-1]:
            here, lines, high = here[:-1], lines[:-1], high - 1
        return line_edit(self.index, low, high, lines) if here or lines else None


def _joined(swaps: Sequence[Swap]) -> list[Swap]:
    """Swaps that touch as one: the last of them decides how the text ends."""
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


def _placed(at: Places) -> Iterator[tuple[int, int]]:
    return ((number, place) for number, place in enumerate(at) if place is not None)
