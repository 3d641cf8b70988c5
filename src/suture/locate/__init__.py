"""Where a text stands, and what a change of it becomes there.

locate(Index(body), old, new) -> Found | Refused
at_line(Index(body), old, new, line) -> Found | None
"""

from __future__ import annotations

from suture.locate.elision import only_in_new
from suture.locate.found import Base, Found, Refused, Sides, Site
from suture.locate.index import Index
from suture.locate.ladder import climb, nearly
from suture.locate.literal import as_sent, at_line
from suture.locate.rebase import rebase, unless_elsewhere
from suture.locate.request import split
from suture.locate.rungs import RUNGS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.locate.found import Answer

__all__ = ["RUNGS", "Base", "Found", "Index", "Refused", "Sides", "Site", "at_line", "locate", "locate_in_bases"]

_AS_SENT = ("exact", "line_ends")
_MOST_LINES = 5_000
"""Of a text that is looked for in another manner than its own."""


def locate(
    index: Index, old: str, new: str, *, match: str = "lenient", whole_lines: bool = False, literal: bool = False
) -> Answer:
    """Find the one place where `old` stands, and the edits that make the change old → new there.

    As it was sent; in another manner; on an earlier version; by similarity: the first way that has an answer has the
    last word. With `whole_lines` the texts are lines: a part of a line is a place only for one line that becomes one
    line.
    With `literal`, as with the match "exact", no line stands for others.
    """
    if match != "exact" and not literal and only_in_new(split(old), split(new), index.name):
        return Refused("elided")

    def find(version: Index) -> Answer | None:
        return _as_it_is(version, old, new, match, whole_lines=whole_lines, literal=literal)

    answer = find(index)
    if match != "lenient":
        return answer or Refused("missing")
    if isinstance(answer, Found) and answer.rung not in _AS_SENT:
        answer = unless_elsewhere(index, old, answer, find)
    elif answer is None:
        answer = rebase(index, old, find)
    if answer is None and old.count("\n") <= _MOST_LINES:
        answer = nearly(index, old, new)
    return answer or Refused("missing")


def locate_in_bases(
    index: Index, old: str, new: str, *, whole_lines: bool = False, literal: bool = False
) -> Answer | None:
    """The change of an earlier version that has the old text, merged into the file; None if no version has it."""
    return rebase(
        index, old, lambda base: _as_it_is(base, old, new, "lenient", whole_lines=whole_lines, literal=literal)
    )


def _as_it_is(index: Index, old: str, new: str, match: str, *, whole_lines: bool, literal: bool) -> Answer | None:
    """Where the whole text is in a version of the file, as it was sent or in another manner."""
    answer = as_sent(index, old, new, match, whole_lines=whole_lines)
    if answer is not None or match == "exact" or old.count("\n") > _MOST_LINES:
        return answer
    return climb(index, old, new, match, whole_lines=whole_lines, literal=literal)
