"""Errors in the words of the profile `agent`: short, each thing said once, and with what to send next.

An edit that fails is worded like a block of a reply. `failure_text` puts the failures of a call together.
"""

from __future__ import annotations

from suture import errors
from suture.wording import (
    AS_SENT,
    count,
    details,
    entry,
    hint,
    how_matched,
    message,
    plain,
    span,
)
from suture.wording.edits import places, visible_json, where_it_went
from suture.wording.messages import MESSAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from suture.audience import Audience
    from suture.wording import Words

_MAX_CORRECTION_CHARS = 450  # characters of a corrected edit: it is one line, and lines are cut at 500
_SHOWN_FAILURES = 10  # of one call
_NOTHING = "Nothing was changed."


def failure_text(error: errors.SutureError, audience: Audience) -> str:
    """Why a call failed: every failing edit, with what is known and what to send instead."""
    if error.at_edit is None or error.at_edit[1] == 1:
        return "\n".join(line for line in _lines(error, audience) if line)
    failures = [error, *(other for _, other, _ in error.further)]
    total, more = error.at_edit[1], len(failures) - _SHOWN_FAILURES
    failed = f"{len(failures)} of {total} edits failed" if len(failures) < total else f"All {total} edits failed"
    lines = [f"{failed}. {_NOTHING} Send all {total} again, corrected."]
    for other in failures[:_SHOWN_FAILURES]:
        index = 0 if other.at_edit is None else other.at_edit[0]
        first, *rest = (line for line in _lines(other, audience) if line and line != _NOTHING)
        lines += [f"edits[{index}]: {first}", *rest]
    if more > 0:
        lines.append(f"… and {count(more, 'more failing edit')}.")
    if error.unexamined:
        lines.append(f"{count(error.unexamined, 'more edit')} not checked: time limit reached.")
    return "\n".join(lines)


def _lines(error: errors.SutureError, audience: Audience) -> Iterator[str]:
    yield f"{error.code}: {message(error, audience)}"
    yield from details(error, audience)
    yield hint(error, audience)
    if error.code in AGENT_MESSAGES and (error.at_edit or error.code != errors.FileNotFound.code):
        yield _NOTHING  # the hints of other errors say so themselves, where it matters


def _no_match(error: errors.NoMatch, audience: Audience) -> Iterator[str]:
    """Where the text may have gone, and the corrected edit."""
    if not error.file_preview:
        yield "The file is empty: to fill it, send an empty old_string, or use write."
        return
    yield from where_it_went(error, audience)
    if error.candidates is not None and not error.search_text.isascii():
        yield "The file's encoding is unknown, so only ASCII can be found in it."


def _correction(error: errors.NoMatch, audience: Audience) -> str:
    fits = error.correction
    if fits is None:
        return _advice(error, audience)
    example = visible_json({"old_string": fits.old_text, "new_string": fits.new_text})
    where = span(fits.start_line, fits.end_line)
    if len(example) > _MAX_CORRECTION_CHARS:
        return f"Read {where}, and send old_string as it is there."
    return f"Send this instead; it fits {where}:\n{example}"


def _advice(error: errors.NoMatch, audience: Audience) -> str:
    if error.applied is not None:
        return "If that is the place, leave the edit out."
    if error.why == "deleted":
        return "Read the file again, and decide whether the change is still needed."
    if error.why == "ambiguous":
        return f"{audience.resend} with more lines around the place, copied from the file."
    if error.why == "elided":
        return "Write out what is left out (...) in old_string and new_string."
    if not error.file_preview:
        return ""
    return "Copy old_string from the lines above." if error.similar_content else "Read the file first."


def _not_unique(error: errors.OldTextNotUnique, _: Audience) -> str:
    how = "" if error.rung in AS_SENT else f" {how_matched(error.rung)}"
    near = f"; several are equally near to line {error.near}" if error.near is not None else ""
    return f"old_string matches {count(len(error.places), 'place')} of {error.path}{how}{near}."


def _choose(error: errors.OldTextNotUnique) -> str:
    every = ", or replace_all for all of them" if error.rung in AS_SENT else ""
    return f"Give line or more of the text for one of them{every}."


def _no_file(error: errors.FileNotFound) -> str:
    check = (
        f"Did you mean {' or '.join(error.near)}?"
        if error.near
        else "Paths are relative to the workspace root; glob finds files."
    )
    return f"{check} write creates files." if error.create_by else check


AGENT_DETAILS: dict[str, Callable[[Any, Audience], Iterator[str]]] = {
    "NO_MATCH": _no_match,
    "OLD_TEXT_NOT_UNIQUE": lambda error, _: places(error),
}
AGENT_MESSAGES: dict[str, Words] = dict(
    [
        entry(errors.NoMatch, lambda e: f"old_string is not in {e.path}.", hint_for=_correction),
        entry(errors.OldTextNotUnique, message_for=_not_unique, hint=_choose),
        entry(
            errors.MissingOldText,
            "old_string is empty, which fits only a new or empty file.",
            "To insert, send an adjacent line as old_string, and repeat it in new_string.",
        ),
        entry(
            errors.AlreadyApplied,
            lambda e: f"new_string is already in {e.path}, at {span(e.start_line, e.end_line)}.",
            "Leave this edit out.",
        ),
        *(
            (kind.code, MESSAGES[kind.code])
            for kind in (
                errors.EditConflict,
                errors.ElisionInNewText,
                errors.PartlyApplied,
                errors.TargetDeleted,
                errors.UnprovedChange,
            )
        ),
        entry(errors.FileNotFound, lambda e: f"There is no file {plain(e.path)}.", _no_file),
    ]
)
