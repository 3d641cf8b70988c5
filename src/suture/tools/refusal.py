"""Why a text was not found, or nothing can be done with it: the search's answer as an error of a patch."""

from __future__ import annotations

from suture import errors
from suture.difference_wording import difference
from suture.locate import Found, Refused, Site, locate_in_bases
from suture.locate.differences import differences
from suture.locate.names import symbol
from suture.locate.request import split
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from suture.lines import Lines
    from suture.locate import Base, Index

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


def refusal(request: Searched, answer: Refused, index: Index) -> errors.SutureError:
    """The error. Where only an exact text is looked for, earlier versions still tell what became of it."""
    known = None
    if answer.why == "missing" and request.match != "lenient":
        known = locate_in_bases(index, request.old, request.new)
        answer = known if isinstance(known, Refused) and known.why == "applied" else answer
    where: dict[str, Any] = {
        "index": request.index,
        "total": request.total,
        "path": request.path,
        "search_text": request.old,
    }
    site = answer.sites[0] if answer.sites else Site(1, 1)
    at: dict[str, Any] = {"start_line": site.start_line, "end_line": site.end_line}
    if answer.why == "missing":
        nearest = [_near(request.old, index, each) for each in answer.sites[:_NEAREST]]
        stale = None if known is None else replaced(known, index)
        return errors.OldTextNotFound(**where, match=request.match, nearest=nearest, rung=answer.rung, stale=stale)
    version = version_of(answer.base)
    if answer.why == "ambiguous":
        return errors.OldTextNotUnique(**where, rung=answer.rung, places=[_lines(each) for each in answer.sites])
    if answer.why == "conflict" and answer.sides is not None:
        sides = {name: getattr(answer.sides, name) for name in ("line", "base", "ours", "theirs")}
        return errors.EditConflict(**where, **sides, detail=answer.detail, written_on=version)
    made: dict[str, Callable[[], errors.SutureError]] = {
        "applied": lambda: errors.AlreadyApplied(**where, **at, change_id=change_of(answer.base)),
        "deleted": lambda: errors.TargetDeleted(**where, **at, text=_text(index.lines, site), written_on=version),
        "partly_applied": lambda: errors.PartlyApplied(**where, **at, text=_text(index.lines, site)),
        "elided": lambda: errors.ElisionInNewText(**where, marker=_placeholder(request)),
    }
    if answer.why in made:
        return made[answer.why]()
    return errors.UnprovedChange(
        **where, **at, rung=answer.rung, text=_text(index.lines, site), detail=answer.detail or answer.why
    )


def _placeholder(request: Searched) -> str:
    """The line of the new text that leaves something out; empty if only the old text has one."""
    from suture.locate.placeholders import added

    found = added(request.old, request.new, request.path)
    return found.line if found is not None and found.deletes else ""


def _near(old: str, index: Index, site: Site) -> dict[str, Any]:
    """A place that is much like the text, with what it is in, and how it differs."""
    differing = differences(split(old), index.window(site.start_line - 1, site.end_line), site.start_line)
    return {
        **_lines(site),
        "score": round(site.score, 3),
        "symbol": symbol(index.line, site.start_line - 1, len(index.lines)),
        "text": _text(index.lines, site),
        "differences": [f"line {each.line}: {difference(each)}" for each in differing[:_NEAREST]],
    }


def replaced(answer: Found | Refused, index: Index) -> dict[str, Any] | None:
    """What replaced a text that an earlier version holds (None: no change of ours), and what is there now."""
    site = answer.site if isinstance(answer, Found) else next(iter(answer.sites), None)
    if answer.base is None or site is None:
        return None
    return {"change_id": change_of(answer.base), **_lines(site), "text": _text(index.lines, site)}


def change_of(base: Base | None) -> str | None:
    """The change of ours that replaced a version, if it is known."""
    return None if base is None or base.source not in {"read", "history"} else base.until


def version_of(base: Base | None) -> dict[str, Any] | None:
    """An earlier version of a file, as errors and results name it."""
    return None if base is None else {"source": base.source, "id": base.id, "until": base.until}


def _lines(site: Site) -> dict[str, Any]:
    return {"start_line": site.start_line, "end_line": site.end_line}


def _text(lines: Lines, site: Site) -> str:
    """The lines of a place as they stand in the file, not too many."""
    last = min(site.end_line, len(lines), site.start_line + _SHOWN_LINES - 1)
    return b"\n".join(lines.contents(site.start_line, last)).decode("utf-8", "replace")
