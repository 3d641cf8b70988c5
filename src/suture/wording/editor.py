"""Errors in the words of the text editor of Anthropic's API: the documented sentence, what is known, and what to do."""

from __future__ import annotations

from suture import errors
from suture.wording import entry, first_line, plain, plural, span
from suture.wording.edits import beside_or_below, occurrences, visible_json, where_it_went
from suture.wording.messages import MESSAGES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from suture.audience import Audience
    from suture.wording import Words

_MAX_CALL_CHARS = 4_000  # characters of a corrected call that is shown in the text
_READING = {"read", "list", "look at", "open"}
_ADVICE = {
    "deleted": "View the file again, and decide whether the edit is still needed.",
    "ambiguous": "Copy the lines you mean, with enough surrounding lines to make them unique.",
    "partly_applied": "Part of this edit has already been made: send only the rest.",
    "elided": "Write out what is left out ('...') in old_str and new_str.",
}


def _no_match(error: errors.NoMatch, audience: Audience) -> Iterator[str]:
    """Where the text may have gone, or the closest match."""
    path = plain(error.path)
    if not error.file_preview:
        yield f"{path} is empty."
        return
    if error.why == "empty":
        yield f"old_str is empty, and {path} is not."
        return
    yield f"Searched {path} for: {first_line(error.search_text)}"
    yield from where_it_went(error, audience)
    if error.candidates is not None and not error.search_text.isascii():
        yield "The file's encoding is unknown, so only ASCII can be found in it."
    if error.correction is None:
        yield from _unique(error)


def _fix_no_match(error: errors.NoMatch, audience: Audience) -> str:
    if not error.file_preview:
        return "Nothing was changed. To fill the file, use create."
    if error.why == "empty":
        return "Nothing was changed. To add text, use insert."
    if error.correction is not None:
        fits = error.correction
        example = {"old_str": fits.old_text, "new_str": fits.new_text}
        call = visible_json({"command": "str_replace", "path": audience.path_sent or error.path, **example})
        call = call if len(call) <= _MAX_CALL_CHARS else "(too long to show; see metadata.error.correction)"
        where = span(fits.start_line, fits.end_line)
        words = f"Nothing was changed. Send this instead; it fits once, at {where}:"
        return "\n".join(beside_or_below(words, call, "metadata.error.correction"))
    return f"Nothing was changed. {_advice(error)}"


def _advice(error: errors.NoMatch) -> str:
    if error.applied is not None:
        return "If that is the place, the edit is already done: leave it out."
    if error.why not in _ADVICE and error.stale is not None:
        return "Your copy of the file is old: view it again."
    return _ADVICE.get(error.why, "View the file, and copy old_str from it exactly, whitespace included.")


def _wrong_count(error: errors.WrongCount, _: Audience) -> Iterator[str]:
    """Where the text occurs, and longer texts that are unique."""
    yield f"It occurs in {plain(error.path)} at:"
    yield from occurrences(error)
    yield from _unique(error)


def _unique(error: errors.NoMatch | errors.WrongCount) -> Iterator[str]:
    for unique in error.unique:
        example = visible_json({"old_str": unique["old_text"]})
        words = f"To change line {unique['line_number']} and no other, start from this, which occurs once:"
        yield from beside_or_below(words, example, "metadata.error.unique")


def _general_message(error: errors.SutureError, audience: Audience) -> Iterator[str]:
    """What happened, in more words than the documented sentence."""
    yield plain(MESSAGES[error.code][0](error, audience))


def _insertable_lines(error: errors.LineOutOfBounds) -> str:
    end = f" to {error.total_lines} (the end)" if error.total_lines else " only: the file is empty"
    return f"insert_line goes from 0 (the beginning){end}. Nothing was changed."


def _name_encoding(audience: Audience) -> str:
    return audience.ask_operator("name the file's encoding", "encodings")


EDITOR_DETAILS: dict[str, Callable[[Any, Audience], Iterator[str]]] = {
    "NO_MATCH": _no_match,
    "WRONG_COUNT": _wrong_count,
    "FILE_NOT_FOUND": _general_message,
    "PERMISSION_DENIED": _general_message,
}
EDITOR_MESSAGES: dict[str, Words] = dict(
    [
        entry(
            errors.NoMatch,
            "No match found for replacement. Please check your text and try again.",
            hint_for=_fix_no_match,
        ),
        entry(
            errors.WrongCount,
            lambda e: (
                f"Found {e.actual_occurrences} matches for replacement text. "
                "Please provide more context to make a unique match."
            ),
            "Nothing was changed. Send old_str with more of the lines around the place you mean.",
        ),
        entry(errors.FileNotFound, "File not found", hint_for=MESSAGES[errors.FileNotFound.code][1]),
        entry(
            errors.PermissionDenied,
            lambda e: f"Permission denied. Cannot {'read' if e.operation in _READING else 'write to'} file.",
            hint_for=MESSAGES[errors.PermissionDenied.code][1],
        ),
        entry(
            errors.LineOutOfBounds,
            lambda e: f"{e.which} {e.line} exceeds file length ({e.total_lines} {plural(e.total_lines, 'line')}).",
            _insertable_lines,
        ),
        entry(
            errors.BinaryFile,
            message_for=MESSAGES[errors.BinaryFile.code][0],
            hint="Only text can be viewed and edited.",
        ),
        entry(
            errors.EncodingUnknown,
            message_for=MESSAGES[errors.EncodingUnknown.code][0],
            hint_for=lambda _, audience: f"Write ASCII, or {_name_encoding(audience)}.",
        ),
        entry(
            errors.EncodingMismatch,
            message_for=MESSAGES[errors.EncodingMismatch.code][0],
            hint_for=lambda _, audience: f"Nothing was changed; {_name_encoding(audience)}.",
        ),
    ]
)
