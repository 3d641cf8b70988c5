"""Why a hunk of a reply was not applied: the answer of the search as an error, found by looking closer."""

from __future__ import annotations

from suture import errors
from suture.fitting import NOT_NAMED, OUTSIDE
from suture.locate import Found, locate
from suture.locate.names import symbol
from suture.locate.request import readings
from suture.locate.settle import standing
from suture.locate.words import informative, likeness
from suture.plan import Content, Place, Snapshot
from suture.records import Record
from suture.text import Text
from suture.tools.edit import OneEdit
from suture.tools.mismatch import no_match
from suture.tools.refusal import Searched, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from suture.fitting import Fit
    from suture.formats.blocks import Hunk
    from suture.locate import Refused
    from suture.session import Session
    from suture.tools.sheets import Sheet

_SHOWN = 2_000
_ALIKE = 0.6
_TELLING = 12  # letters and digits of a text that is known when it is seen


class Wanted(Record):
    """What was asked for, and whether it is worth to look closely."""

    hunk: Hunk
    match: str
    dry_run: bool
    closely: bool


def rejection(session: Session | None, sheet: Sheet, wanted: Wanted, fitted: Fit) -> errors.SutureError:
    """The error of a hunk; `AlreadyApplied` where its new text stands there."""
    answer: Refused = fitted.answer  # type: ignore[assignment]  # asked only then
    old, new, hunk = fitted.split.old, fitted.split.new, wanted.hunk
    if (unfit := _unfit(sheet, hunk, answer, old)) is not None:
        return unfit
    request = Searched(0, 1, sheet.name, old, new, wanted.match)
    if answer.why == "missing" and not wanted.closely:
        return _unexamined(sheet, old)
    proved = answer.why != "applied" or answer.rung is not None or _is_evident(sheet, old, new)
    if answer.why != "missing" and proved:
        return refusal(request, answer, sheet.index)
    place = Place(0, sheet.name, sheet.name) if sheet.before is None else sheet.before.place
    before = Snapshot(place, _as_it_is(sheet), Content((sheet.body,)), (), 0)
    found = no_match(session, before, OneEdit(old_text=old, new_text=new, occurrences=1), dry_run=wanted.dry_run)
    applied = found.applied if found.written_on is not None else _standing(sheet, old, new)
    if applied is not None:
        where: dict[str, Any] = {"index": 0, "total": 1, "path": sheet.name, "search_text": old}
        return errors.AlreadyApplied(**where, **applied)
    return found


def _unfit(sheet: Sheet, hunk: Hunk, answer: Refused, old: str) -> errors.SutureError | None:
    """What is wrong with a hunk, whatever its lines are."""
    if answer.why == "unplaced":
        return errors.NoContext(path=sheet.name, context=list(hunk.context))
    if answer.why == "unsplit":
        readings = [{"old": each.old[:_SHOWN], "new": each.new[:_SHOWN]} for each in hunk.splits]
        return errors.AmbiguousBlock(path=sheet.name, reply_line=hunk.line, readings=readings)
    if answer.why == "miscounted":
        return errors.WrongCount(**_sought(sheet, old, hunk.occurrences), **_counted(answer))
    return _out_of_scope(sheet, hunk, answer) if answer.detail in {OUTSIDE, NOT_NAMED} else None


def _out_of_scope(sheet: Sheet, hunk: Hunk, answer: Refused) -> errors.OutOfScope:
    """That the lines of a hunk are not in what it names."""
    lines = [
        {
            "start_line": each.start_line,
            "end_line": each.end_line,
            "symbol": symbol(sheet.index.line, each.start_line - 1, len(sheet.index.lines)),
        }
        for each in answer.sites
    ]
    named = list(hunk.context) or [hunk.section]
    return errors.OutOfScope(path=sheet.name, context=named, exists=answer.detail == OUTSIDE, places=lines)


def _unexamined(sheet: Sheet, old: str) -> errors.NoMatch:
    """That a text is not there, and no more."""
    known: dict[str, Any] = {"why": "missing", "rung": None, "similar_content": [], "indent": {}, "file_preview": None}
    return errors.NoMatch(**_sought(sheet, old, 1), **known)


def _sought(sheet: Sheet, old: str, expected: int) -> dict[str, Any]:
    """What was looked for, as the errors of exact edits tell it."""
    return {
        "path": sheet.name,
        "edit_index": 0,
        "total_edits": 1,
        "search_text": old,
        "expected_occurrences": expected,
    }


def _counted(answer: Refused) -> dict[str, Any]:
    """How often a text occurs, and where."""
    places = [{"line_number": each.start_line} for each in answer.sites]
    return {"actual_occurrences": len(places), "match_locations": places, "file_preview": None, "unique": []}


def _standing(sheet: Sheet, old: str, new: str) -> dict[str, Any] | None:
    """Where the new text stands in one place, says enough to be known, and nothing of the old one is left."""
    evident = _is_evident(sheet, old, new)
    found = standing(sheet.index, readings(old, new)[0], enough=_TELLING) if evident else None
    if found is None or found.why != "applied":
        return None
    return {"start_line": found.sites[0].start_line, "end_line": found.sites[0].end_line}


def _is_evident(sheet: Sheet, old: str, new: str) -> bool:
    """Whether a new text that stands there can have come from the old one: in one place, and much like it."""
    once = isinstance(locate(sheet.index, new, new, match="whitespace", whole_lines=True), Found)
    before, after = ({line.strip() for line in text.split("\n") if informative(line)} for text in (old, new))
    return once and (not before.isdisjoint(after) or likeness(old, new) >= _ALIKE)


def _as_it_is(sheet: Sheet) -> Text:
    """A file's text as the blocks before left it."""
    return Text(sheet.body, bom=b"", encoding=sheet.text.encoding, body=sheet.body)
