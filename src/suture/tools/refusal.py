"""Why a text was not found, or nothing can be done with it: the search's answer as an error of a patch."""

from __future__ import annotations

from suture import errors
from suture.locate import Site
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from suture.lines import Lines
    from suture.locate import Refused
    from suture.tools.stale import Replaced

    Stale = Callable[[str, str], Replaced | None]

_SHOWN_LINES = 10
_NEAREST = 3


class Searched(Record):
    """What was searched, by which patch."""

    index: int
    total: int
    path: str
    old: str
    new: str
    match: str


def refusal(request: Searched, answer: Refused, lines: Lines, stale: Stale) -> errors.SutureError:
    """The error; `stale` knows what was replaced by an earlier change."""
    where: dict[str, Any] = {
        "index": request.index,
        "total": request.total,
        "path": request.path,
        "search_text": request.old,
    }
    site = answer.sites[0] if answer.sites else Site(1, 1)
    at: dict[str, Any] = {"start_line": site.start_line, "end_line": site.end_line}
    if answer.why == "missing":
        nearest = [{**_lines(each), "score": round(each.score, 3), "text": _text(lines, each)} for each in answer.sites]
        known = stale(request.old, request.new)
        if known is not None and known.applied:
            at = {"start_line": known.start_line, "end_line": known.end_line}
            return errors.AlreadyApplied(**where, **at, change_id=known.change_id)
        told = None if known is None else known.told
        return errors.OldTextNotFound(
            **where, match=request.match, nearest=nearest[:_NEAREST], rung=answer.rung, stale=told
        )
    if answer.why == "ambiguous":
        return errors.OldTextNotUnique(**where, rung=answer.rung, places=[_lines(each) for each in answer.sites])
    if answer.why == "conflict" and answer.sides is not None:
        sides = {name: getattr(answer.sides, name) for name in ("line", "base", "ours", "theirs")}
        return errors.EditConflict(**where, **sides, detail=answer.detail)
    made: dict[str, Callable[[], errors.SutureError]] = {
        "applied": lambda: errors.AlreadyApplied(**where, **at),
        "partly_applied": lambda: errors.PartlyApplied(**where, **at, text=_text(lines, site)),
        "elided": lambda: errors.ElisionInNewText(**where, marker=_placeholder(request)),
    }
    if answer.why in made:
        return made[answer.why]()
    return errors.UnprovedChange(
        **where, **at, rung=answer.rung, text=_text(lines, site), detail=answer.detail or answer.why
    )


def _placeholder(request: Searched) -> str:
    """The line of the new text that leaves something out; empty if only the old text has one."""
    from suture.locate.placeholders import added

    found = added(request.old, request.new, request.path)
    return found.line if found is not None and found.deletes else ""


def _lines(site: Site) -> dict[str, Any]:
    return {"start_line": site.start_line, "end_line": site.end_line}


def _text(lines: Lines, site: Site) -> str:
    """The lines of a place as they stand in the file, not too many."""
    last = min(site.end_line, len(lines), site.start_line + _SHOWN_LINES - 1)
    return b"\n".join(lines.contents(site.start_line, last)).decode("utf-8", "replace")
