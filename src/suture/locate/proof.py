"""What proves a place, where the file has not all that a text says, or has more.

Nothing but the request tells of a function that was deleted. A sibling of it that is still there differs in a word, has
a line more, or lacks one: just what a request may get wrong about the right place. So a difference is forgiven
only if it is harmless, or if the rest of the text could hardly stand anywhere else:

- Another word, number, string or operator in a line is never forgiven, nor is another line in place of one.
- One line more or less (the file has one between those of the text, or lacks one of them) is forgiven if enough lines
  of the text occur in the file exactly once.

The numbers were chosen on 8,465 edits of deleted functions (`bench/editbench/siblings.py`), of which 15.6 % landed in a
sibling without these rules. On held-out seeds, 12 of 6,600 do with them.
"""

from __future__ import annotations

from itertools import pairwise

from suture.locate.names import declared
from suture.locate.placeholders import is_marker
from suture.locate.words import informative, likeness

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.locate.found import Match
    from suture.locate.index import Index
    from suture.locate.request import Request

UNPROVED = "unproved_place"
"""Why a text is missing that is much like a place, which may be a sibling of the one that is meant."""
_ALIKE = 0.6  # of two lines' characters
_LONGEST = 2_000  # characters of a line that are compared
_TELLING = 6  # letters and digits of a line that can prove something
_UNIQUE = 6  # lines that occur once in the file, and prove the place alone;
_SAME = 7  # or so many lines that are the file's,
_UNIQUE_AMONG = 3  # of which so many occur once
_BESIDE_COMMENT = 3  # lines that occur once, where the file has only comments that the text leaves out


def is_proved(index: Index, request: Request, match: Match) -> bool:
    """Whether the lines that a request was found to be are surely those that it means."""
    place = _Place(index, request, match)
    if place.has_other_words() or place.has_other_neighbor() or place.lacks_header():
        return False
    lines = len(place.missing) + len(place.own)
    if lines != 1:
        return not lines
    unique = place.unique()
    return (
        unique >= _UNIQUE
        or (unique >= _UNIQUE_AMONG and place.number_of_same() >= _SAME)
        or (unique >= _BESIDE_COMMENT and place.own_is_comment())
    )


class _Place:
    """What a text and a place have, and have not."""

    def __init__(self, index: Index, request: Request, match: Match) -> None:
        self._index, self._request, self._match = index, request, match
        solid = [n for n, line in enumerate(request.old) if line.strip()]
        self._placed = [n for n in solid if match.at[n] is not None]
        self.missing = [n for n in solid if match.at[n] is None and not is_marker(request.old[n])]
        """Lines of the text that the file lacks."""
        self.own = [
            place
            for before, after in pairwise(self._placed)
            if not any(map(is_marker, request.old[before:after]))
            for place in range((match.at[before] or 0) + 1, match.at[after] or 0)
            if index.keys[place]
        ]
        """The file's lines that the text lacks."""

    def has_other_words(self) -> bool:
        """Whether a line of the file says something else than the line of the text that it was taken for."""
        return any(not self._match.same[n] and not self._knows(n) for n in self._placed)

    def _knows(self, number: int) -> bool:
        return self._index.knows(self._request.old[number].strip(), self._line(number).strip())

    def _line(self, number: int) -> str:
        return self._index.line(self._match.at[number] or 0)

    def has_other_neighbor(self) -> bool:
        """Whether the file has a line beside the place that is much like an outer line of the text, but another one."""
        above = range(self._match.first - 1, -1, -1)
        below = range(self._match.last + 1, len(self._index.keys))
        for number in self.missing:
            beside = above if number < self._placed[0] else below if number > self._placed[-1] else ()
            near = next((n for n in beside if self._index.keys[n]), None)
            sent, here = self._request.old[number], "" if near is None else self._index.line(near)
            if likeness(sent[:_LONGEST], here[:_LONGEST]) >= _ALIKE:
                return True
        return False

    def lacks_header(self) -> bool:
        """Whether the text names a function or class that the place lacks."""
        return any(declared(self._request.old[n]) is not None for n in self.missing)

    def unique(self) -> int:
        """How many lines that say something are the file's, and occur there once."""
        telling = (n for n in self._placed if self._match.same[n] and informative(self._request.old[n]) >= _TELLING)
        return sum(len(self._index.where(self._index.keys[self._match.at[n] or 0])) == 1 for n in telling)

    def number_of_same(self) -> int:
        """How many lines are the file's."""
        return sum(self._match.same[n] for n in self._placed)

    def own_is_comment(self) -> bool:
        """Whether the file's own lines are comments."""
        lines = [self._index.line(place).lstrip() for place in self.own]
        return bool(lines) and all(line.startswith(self._index.marks) for line in lines)
