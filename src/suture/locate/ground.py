"""The place that was found, line by line: what the request knows of it, and what is the file's own."""

from __future__ import annotations

from suture.locate.fold import line_keys
from suture.locate.found import Sides
from suture.locate.words import informative

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.diff import Change
    from suture.locate.found import Match
    from suture.locate.index import Index
    from suture.locate.request import Request

_TELLING = 12


class Clash(Exception):
    """The change can't be carried."""

    def __init__(self, why: str, detail: str, sides: Sides | None = None) -> None:
        super().__init__(why, detail)
        self.why = why
        self.detail = detail
        self.sides = sides


class Ground:
    """The place that was found: which of its lines the request knows, and which are the file's own."""

    def __init__(self, index: Index, request: Request, match: Match) -> None:
        self.index, self.request = index, request
        self.at, self.same, self.gaps, self.groups = match.at, match.same, match.gaps, match.groups
        self.file = {place: index.line(place) for place in range(match.first, match.last + 1)}
        self.taken = {place for place in match.at if place is not None}
        self.taken.update(place for gap in match.gaps.values() for place in gap)

    def anchored(self, i: int) -> bool:
        """Whether the old lines on both sides of a point have places."""
        return all(0 <= n < len(self.at) and self.at[n] is not None for n in (i - 1, i))

    def before(self, i: int) -> tuple[int | None, bool]:
        """The file's line for the last placed old line before `i`, and whether solid ones without a place follow it."""
        return self._nearest(range(i - 1, -1, -1), -1)

    def after(self, j: int) -> tuple[int | None, bool]:
        """As `before`, for the first placed old line from `j` on."""
        return self._nearest(range(j, len(self.at)), 0)

    def _nearest(self, numbers: range, end: int) -> tuple[int | None, bool]:
        """The file's line for the first of some old lines that has one, of an elision the one at that `end`.

        And whether solid ones without a place come before it.
        """
        skipped = False
        for number in numbers:
            if (place := self.at[number]) is not None:
                return place, skipped
            if number in self.gaps:
                if gap := self.gaps[number]:
                    return gap[end], skipped
                continue
            skipped |= bool(self.request.old[number].strip())
        return None, skipped

    def own(self, i: int, j: int) -> list[int]:
        """The file's own lines between the old lines around [i, j): those that the request doesn't know."""
        low, high = self.before(i)[0], self.after(j)[0]
        if low is None or high is None:
            return []
        return [place for place in range(low + 1, high) if place not in self.taken]

    def says(self, number: int) -> bool:
        """Whether an old line is solid, and no stand-in for others."""
        return bool(self.request.old[number].strip()) and number not in self.gaps

    def is_crowded(self, beyond: range, edge: int) -> bool:
        """Whether the file has solid lines of its own between an edge of a region and the next solid line beyond.

        Or lacks that line.
        """
        neighbor = next((n for n in beyond if self.request.old[n].strip()), None)
        if neighbor is None or neighbor in self.gaps:
            return False
        place = self.at[neighbor]
        between = range(min(place, edge) + 1, max(place, edge)) if place is not None else ()
        return place is None or any(n not in self.taken and self.file[n].strip() for n in between)

    def is_moored(self, i: int, j: int) -> bool:
        """Whether touched lines stand right beside a line that the request has beside them, too, if it has any."""
        sides = []
        for edge, beyond in ((i, range(i - 1, -1, -1)), (j, range(j, len(self.at)))):
            neighbor = next((n for n in beyond if self.request.old[n].strip() or n in self.gaps), None)
            if neighbor is not None:
                sides.append(
                    self._is_sure(neighbor) and not any(self.file[place].strip() for place in self.own(edge, edge))
                )
        return any(sides) or not sides or any(self._is_unique(number) for number in range(i, j))

    def _is_unique(self, number: int) -> bool:
        """Whether an old line is the file's, stands there once, and says enough to be known by itself."""
        said = self.request.old[number]
        return self.same[number] and informative(said) >= _TELLING and len(self.index.where(line_keys([said])[0])) == 1

    def stands_on_sure_ground(self, i: int, j: int) -> bool:
        """Whether the solid old lines beside a point are the file's: what comes between them belongs to both."""
        before = next((n for n in range(i - 1, -1, -1) if self.request.old[n].strip()), None)
        after = next((n for n in range(j, len(self.at)) if self.request.old[n].strip()), None)
        return all(n is None or self._is_sure(n) or self._is_nowhere(n) for n in (before, after))

    def _is_nowhere(self, number: int) -> bool:
        """Whether an old line is neither here nor anywhere else in the file."""
        return self.at[number] is None and not self.index.where(line_keys([self.request.old[number]])[0])

    def _is_sure(self, number: int) -> bool:
        """Whether an old line stands here, whatever else may differ."""
        here = self.line(number)
        if self.same[number] or number in self.gaps or here is None:
            return self.same[number] or number in self.gaps
        return self.index.knows(self.request.old[number].strip(), here.strip())

    def line(self, number: int) -> str | None:
        """The file's line for an old one."""
        place = self.at[number]
        return None if place is None else self.file[place]

    def clash(self, why: str, detail: str, region: Change) -> Clash:
        """Why a region of the change can't be carried, with what each side has there."""
        i, j, k, m = region
        low, high = self.before(i)[0], self.after(j)[0]
        first = min(self.file) if low is None else low + 1
        end = max(self.file) + 1 if high is None else high
        ours = "\n".join(self.file[place] for place in range(first, end))
        sides = Sides(first + 1, "\n".join(self.request.old[i:j]), ours, "\n".join(self.request.new[k:m]))
        return Clash(why, detail, sides)
