"""Errors in the words of the profile `agent`: short, each thing said once, and with what to send next.

An edit that fails is worded like a block of a reply. `failure_text` puts the failures of a call together.
"""

from __future__ import annotations

from suture import errors
from suture.wording import (
    AS_SENT,
    count,
    details,
    either,
    entry,
    hint,
    how_matched,
    message,
    span,
)
from suture.wording.edits import places, visible_json, where_it_went
from suture.wording.messages import MESSAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from suture.audience import Audience
    from suture.shapes import SimilarContent
    from suture.wording import Words

_MAX_CORRECTION_CHARS = 450  # characters of a corrected edit: it is one line, and lines are cut at 500
_SHOWN_FAILURES = 10  # of one call
_NAMED_FAILURES = 30  # that come after those
_LIKELY = 0.5  # similarity below which a place is hardly the one that is meant
_NOTHING = "Nothing was changed."


def failure_text(error: errors.SutureError, audience: Audience) -> str:
    """Why a call failed: every failing edit, with what is known and what to send instead."""
    if error.at_edit is None or error.at_edit[1] == 1:
        return "\n".join(line for line in _lines(error, audience) if line)
    failures = [error, *(other for _, other, _ in error.further)]
    total, more = error.at_edit[1], len(failures) - _SHOWN_FAILURES
    every = "both" if total == 2 else f"all {total}"  # noqa: PLR2004  two are both
    which = f"{len(failures)} of {total}" if len(failures) < total else every.capitalize()
    lines = [f"{which} edits failed. {_NOTHING} Send {every} again, corrected."]
    for other in failures[:_SHOWN_FAILURES]:
        index = 0 if other.at_edit is None else other.at_edit[0]
        first, *rest = (line for line in _lines(other, audience) if line and line != _NOTHING)
        lines += [f"edits[{index}]: {first}", *rest]
    if more > 0:
        others = [f"edits[{other.at_edit[0]}]" for other in failures[_SHOWN_FAILURES:] if other.at_edit is not None]
        unnamed = len(others) - _NAMED_FAILURES
        end = f" and {count(unnamed, 'more edit')}" if unnamed > 0 else ""
        lines.append(f"Also failed: {', '.join(others[:_NAMED_FAILURES])}{end}.")
    if error.unexamined:
        lines.append(f"{count(error.unexamined, 'more edit')} not checked: time limit reached.")
    return "\n".join(lines)


def _lines(error: errors.SutureError, audience: Audience) -> Iterator[str]:
    yield f"{error.code}: {message(error, audience)}"
    yield from details(error, audience)
    yield hint(error, audience)
    if error.at_edit is not None or isinstance(error, errors.ElisionInNewText):
        yield _NOTHING  # the hints of other errors say so themselves, where it matters


def _no_match(error: errors.NoMatch, audience: Audience) -> Iterator[str]:
    """Where the text may have gone, and the corrected edit."""
    if not error.file_preview:
        yield "The file is empty: to fill it, send an empty old_string, or use write."
        return
    yield from where_it_went(error, audience)
    if error.candidates is not None and not error.search_text.isascii():
        yield "The file's encoding is unknown, so only ASCII can be found in it."


def _correction(error: errors.NoMatch) -> str:
    fits = error.correction
    if fits is None:
        return _advice(error)
    example = visible_json({"old_string": fits.old_text, "new_string": fits.new_text})
    where = span(fits.start_line, fits.end_line)
    if len(example) > _MAX_CORRECTION_CHARS:
        return f"Read {where}, and copy old_string from there."
    return f"Send this instead; it fits {where}:\n{example}"


_ADVICE = {
    "deleted": "Read the file again, and decide whether the change is still needed.",
    "ambiguous": "Send the edit again with more lines around the place, copied from the file.",
    "elided": "Write out what is left out (...) in old_string and new_string.",
}
"""What to do, by why a text was not found."""


def _advice(error: errors.NoMatch) -> str:
    if error.applied is not None:
        return "If that is the place, leave the edit out."
    if error.why in _ADVICE or not error.file_preview:
        return _ADVICE.get(error.why, "")
    return (
        _where_to_copy(error.search_text, error.similar_content[0]) if error.similar_content else "Read the file first."
    )


def _where_to_copy(sent: str, best: SimilarContent) -> str:
    """Where to copy the text from, of which the answer may show only a part."""
    if best.similarity_score < _LIKELY:
        return "If this is not the place, read the file."
    lines = sent.strip("\n").count("\n") + 1
    if best.content.count("\n") + 1 >= lines:
        return "Copy old_string from the lines above."
    return f"Read lines {best.line_number}-{best.line_number + lines - 1}, and copy old_string from there."


def _not_unique(error: errors.OldTextNotUnique, _: Audience) -> str:
    how = "" if error.rung in AS_SENT else f" {how_matched(error.rung)}"
    near = f"; the nearest are equally far from line {error.near}" if error.near is not None else ""
    number = error.number or len(error.places)
    return f"old_string was found in {count(number, 'place')} in {error.path}{how}{near}."


def _choose(error: errors.OldTextNotUnique) -> str:
    line = "set line or " if len({place["start_line"] for place in error.places}) > 1 else ""
    every = "; for all, set replace_all" if error.rung in AS_SENT else ""
    return f"For one, {line}send more of the surrounding text{every}."


def _no_file(error: errors.FileNotFound) -> str:
    check = (
        f"Did you mean {either(error.near)}?"
        if error.near
        else "Paths are relative to the workspace root. Use glob to find files."
    )
    return f"{check} To create it, use write." if error.create_by else check


def _not_a_file(error: errors.NotAFile) -> str:
    if error.kind == "folder":
        return "Name a file in it."
    if error.kind == "symbolic link":
        return "Links are neither moved nor deleted; in a folder, move or delete the other files one by one."
    return "Name a regular file."


AGENT_DETAILS: dict[str, Callable[[Any, Audience], Iterator[str]]] = {
    "NO_MATCH": _no_match,
    "OLD_TEXT_NOT_UNIQUE": lambda error, _: places(error),
}
AGENT_MESSAGES: dict[str, Words] = dict(
    [
        entry(errors.NoMatch, lambda e: f"old_string is not in {e.path}.", _correction),
        entry(errors.OldTextNotUnique, message_for=_not_unique, hint=_choose),
        entry(
            errors.MissingOldText,
            "old_string is empty, which fits only a new or empty file.",
            "To insert, send an adjacent line as old_string and repeat it in new_string.",
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
        entry(errors.FileNotFound, lambda e: f"{e.path} does not exist.", _no_file),
        entry(
            errors.FileExists,
            lambda e: f"{e.path} already exists.",
            "Choose another path, or delete that file first.",
        ),
        entry(
            errors.AlreadyUndone,
            lambda e: f"{e.change_id} has already been undone.",
            lambda e: f"To reapply {e.change_id}, undo the change that undid it: undo with list: true shows its id.",
        ),
        entry(errors.NotAFile, message_for=MESSAGES[errors.NotAFile.code][0], hint=_not_a_file),
    ]
)
