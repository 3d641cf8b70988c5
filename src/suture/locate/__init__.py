"""Where a text stands, and what a change of it becomes there.

locate(Index(body), old, new) -> Found | Refused
at_line(Index(body), old, new, line) -> Found | None
"""

from __future__ import annotations

from suture.locate.elision import only_in_new
from suture.locate.found import Found, Refused, Sides, Site
from suture.locate.index import Index
from suture.locate.ladder import climb
from suture.locate.literal import as_sent, at_line
from suture.locate.request import split
from suture.locate.rungs import RUNGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.locate.found import Answer

__all__ = ["RUNGS", "Found", "Index", "Refused", "Sides", "Site", "at_line", "locate"]

_MOST_LINES = 5_000
"""Of a text that is looked for in another manner than its own."""


def locate(
    index: Index, old: str, new: str, *, match: str = "lenient", whole_lines: bool = False, literal: bool = False
) -> Answer:
    """Find the one place where `old` stands, and the edits that make the change old → new there.

    With `whole_lines` the texts are lines: a part of a line is a place only for one line that becomes one line.
    With `literal`, as with the match "exact", no line stands for others.
    """
    if match != "exact" and not literal and only_in_new(split(old), split(new), index.name):
        return Refused("elided")
    answer = as_sent(index, old, new, match, whole_lines=whole_lines)
    if answer is not None:
        return answer
    if match == "exact" or old.count("\n") > _MOST_LINES:
        return Refused("missing")
    return climb(index, old, new, match, whole_lines=whole_lines, literal=literal)
