"""Where a text stands, and what a change of it becomes there.

locate(Index(body), old, new) -> Found | Refused
at_line(Index(body), old, new, line) -> Found | None
"""

from __future__ import annotations

from suture.locate.elision import only_in_new
from suture.locate.found import Base, Found, Refused, Sides, Site
from suture.locate.index import Index
from suture.locate.ladder import climb, nearly
from suture.locate.literal import at_line, literal
from suture.locate.rebase import rebase
from suture.locate.request import split
from suture.locate.rungs import RUNGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.locate.found import Answer

__all__ = ["RUNGS", "Base", "Found", "Index", "Refused", "Sides", "Site", "at_line", "locate"]

_MOST_LINES = 5_000
"""Of a text that is looked for in another manner than its own."""


def locate(index: Index, old: str, new: str, *, match: str = "lenient", whole_lines: bool = False) -> Answer:
    """Find the one place where `old` stands, and the edits that make the change old → new there.

    As it was sent; in another manner; on an earlier version; by similarity: the first way that has an answer has the
    last word. With `whole_lines` the texts are lines: a part of a line is a place only for one line that becomes one
    line.
    """
    if match == "lenient" and only_in_new(split(old), split(new)):
        return Refused("elided")

    def here(version: Index) -> Answer | None:
        answer = literal(version, old, new, match, whole_lines=whole_lines)
        if answer is not None or match == "exact" or old.count("\n") > _MOST_LINES:
            return answer
        return climb(version, old, new, match, whole_lines=whole_lines)

    answer = here(index)
    if match != "lenient":
        return answer or Refused("missing")
    if answer is None:
        answer = rebase(index, old, here)
    if answer is None and old.count("\n") <= _MOST_LINES:
        answer = nearly(index, old, new)
    return answer or Refused("missing")
