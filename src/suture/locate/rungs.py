"""The rungs: how strictly a text was found."""

from __future__ import annotations

from suture.locate.blanks import place_blanks
from suture.locate.fold import fold
from suture.locate.found import Match
from suture.locate.indentation import Leads
from suture.locate.words import is_escaped, lead, unescaped, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from suture.locate.index import Index
    from suture.locate.request import Request

RUNGS = (
    "exact",
    "line_ends",
    "trailing",
    "indentation",
    "trimmed",
    "look_alike",
    "escape",
    "tokens",
    "elision",
    "rebased",
    "similar",
)
"""The names of the rungs, the strictest first."""

BOUNDS = {
    "exact": ("exact", "line_ends"),
    "whitespace": ("exact", "line_ends", "trailing", "indentation", "trimmed", "tokens"),
    "lenient": RUNGS,
}
"""What each value of `match` allows."""

LEVEL = {name: level for level, name in enumerate(RUNGS)}
COMPARED: tuple[tuple[str, Callable[[str, str], bool]], ...] = (
    ("line_ends", lambda sent, stands: sent == stands),
    ("trailing", lambda sent, stands: sent.rstrip() == stands.rstrip()),
    ("indentation", lambda sent, stands: sent.strip() == stands.strip()),
    ("look_alike", lambda sent, stands: fold(sent).strip() == fold(stands).strip()),
    ("escape", lambda sent, stands: is_escaped(sent.strip(), stands.strip())),
    ("tokens", lambda sent, stands: words(unescaped(fold(sent))) == words(unescaped(fold(stands)))),
)
"""The rungs that compare line by line: whether a line that was sent is the one that stands there."""


class Candidate:
    """A place where all solid lines of a reading stand, and the strictest rung that it satisfies."""

    def __init__(self, index: Index, request: Request, solid: Sequence[int], places: Sequence[int]) -> None:
        self.request = request
        at: list[int | None] = [None] * len(request.old)
        for number, place in zip(solid, places, strict=True):
            at[number] = place
        place_blanks(at, [not line.strip() for line in request.old], index)
        self.match = Match(tuple(at), tuple(place is not None for place in at))
        level = LEVEL["escape"] if not request.plain else LEVEL["look_alike"] if request.exotic else 0
        level = max(level, self._level_of_lines(index, solid, places))
        self.level = max(level, self._level_of_blanks(index, solid))

    @property
    def rung(self) -> str:
        """Its name."""
        return RUNGS[self.level]

    def _level_of_lines(self, index: Index, solid: Sequence[int], places: Sequence[int]) -> int:
        step = 0
        leads = []
        self.moved = True
        for number, place in zip(solid, places, strict=True):
            sent, stands = self.request.old[number], index.line(place)
            while step < len(COMPARED) and not COMPARED[step][1](sent, stands):
                step += 1
            leads.append((lead(sent), lead(stands)))
        if step == len(COMPARED):
            return LEVEL["similar"]
        self.moved = any(sent != stands for sent, stands in leads)
        level = LEVEL[COMPARED[step][0]]
        if level >= LEVEL["indentation"]:
            rules = Leads(leads, lambda: (index.indent, index.indent))
            first_only = all(sent == stands for sent, stands in leads[1:])
            if not rules.explained and not first_only:
                return LEVEL["similar"]
        return level

    def _level_of_blanks(self, index: Index, solid: Sequence[int]) -> int:
        old, at = self.request.old, self.match.at
        blank = [number for number, line in enumerate(old) if not line.strip()]
        missing = [number for number in blank if at[number] is None]
        if any(solid[0] < number < solid[-1] for number in missing):
            return LEVEL["tokens"]
        inside = range(self.match.first, self.match.last + 1)
        if len(inside) > sum(place is not None for place in at):
            return LEVEL["tokens"]
        if missing:
            return LEVEL["trimmed"]
        return LEVEL["trailing"] if any(old[n] != index.line(at[n]) for n in blank) else 0  # type: ignore[arg-type]
