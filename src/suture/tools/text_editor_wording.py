"""The text editor's words for failures: the sentence that models know, and below it what is known about the cause."""

from __future__ import annotations

from suture import errors, render
from suture.json_text import dumps
from suture.phrases import as_it_is, count, few, first_line, matched, plain, span
from suture.tools.spec import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

_SHOWN_PLACES = 8
_SHOWN_REGION = 80
_LONGEST_CALL = 4_000
_READING = {"read", "list", "look at", "open"}
_HINTS = {
    "BINARY_FILE": "Only text can be viewed and edited.",
    "ENCODING_UNKNOWN": "Write ASCII, or ask the operator to name the file's encoding (the setting encodings).",
    "ENCODING_MISMATCH": "Ask the operator to name the encoding that the file is really in (the setting encodings).",
}
"""What to do where other tools have an argument for it."""


def explained(given: Mapping[str, object], error: errors.SutureError) -> Answer:
    """A failure as data and in words; `given` are the arguments as they were sent."""
    sentence, *diagnosis = _told(error, given)
    path = getattr(error, "path", given.get("path"))
    data = {
        "command": command if isinstance(command := given.get("command"), str) else None,
        "path": path if isinstance(path, str) else None,
        "change_id": None,
        "error": render.error_data(error) | {"message": sentence, "hint": diagnosis[-1]},
    }
    return Answer("\n".join([f"Error: {sentence}", *diagnosis]), data, is_error=True)


def _told(error: errors.SutureError, given: Mapping[str, object]) -> list[str]:
    """What happened, in the documented words where there are some; what is known about it; what to do."""
    match error:
        case errors.NoMatch():
            sentence = "No match found for replacement. Please check your text and try again."
            return [sentence, *_no_match(error, given)]
        case errors.WrongCount():
            many = f"Found {error.actual_occurrences} matches for replacement text."
            return [f"{many} Please provide more context to make a unique match.", *_wrong_count(error)]
        case errors.FileNotFound():
            return ["File not found", render.message(error), render.hint(error)]
        case errors.PermissionDenied():
            what = "Cannot read file." if error.operation in _READING else "Cannot write to file."
            return [f"Permission denied. {what}", render.message(error), render.hint(error)]
        case errors.LineOutOfBounds():
            end = f" to {error.total_lines} (the end)" if error.total_lines else " only, for the file is empty"
            return [f"{render.message(error)}.", f"insert_line goes from 0 (the beginning){end}. Nothing was changed."]
    return [render.message(error), _HINTS.get(error.code) or render.hint(error)]


def _no_match(error: errors.NoMatch, given: Mapping[str, object]) -> Iterator[str]:
    """Where the text may have gone, or what is most like it; and the call that lands, if there is one."""
    path = plain(error.path)
    if not error.file_preview:
        yield f"{path} is empty."
        yield "Nothing was changed. To fill the file, use create."
        return
    if error.why == "empty":
        yield f"old_str is empty, and {path} is not."
        yield "Nothing was changed. To add text, use insert."
        return
    yield f"Searched {path} for: {first_line(error.search_text)}"
    yield from _evidence(error)
    if error.candidates is not None and not error.search_text.isascii():
        yield "The file's encoding is not known, and only ASCII can be found in it."
    if error.correction is not None:
        fits = error.correction
        call = {"command": "str_replace", "path": given.get("path", error.path)}
        said = _json({**call, "old_str": fits["old_text"], "new_str": fits["new_text"]})
        if len(said) > _LONGEST_CALL:
            said = "(in metadata.error.correction, for it is long)"
        yield f"Nothing was changed. Send this instead, which fits once, at {_span(fits)}: {said}"
        return
    yield from _unique(error)
    yield f"Nothing was changed. {_advice(error)}"


def _evidence(error: errors.NoMatch) -> Iterator[str]:
    if error.applied is not None:
        change = f", by change {error.applied['change_id']}" if error.applied["change_id"] else ""
        yield f"new_str stands already at {_span(error.applied)}{change}."
    elif error.written_on is not None:
        yield from render.block_details(error)
    elif error.why == "ambiguous":
        places = ", ".join(f"line {each['line_number']}" for each in error.similar_content)
        yield f"It fits {count(len(error.similar_content), 'place')} {matched(error.rung)}: {places}."
    elif error.sides is not None and (error.sides["base"] + error.sides["ours"]).strip():
        yield f"Line {error.sides['line']} is not what the edit assumes:"
        sides = {"in old_str: ": error.sides["base"], "in the file:": error.sides["ours"]}
        yield from (f"  {name} {line}" for name, side in sides.items() for line in few(side, 1))
    elif error.attempt > 1 and error.region is not None:
        yield f"The same edit was refused before (attempt {error.attempt}), and the file has not changed since."
        yield f"{_span(error.region).capitalize()}, exactly:"
        yield from map(as_it_is, error.region["text"].split("\n")[:_SHOWN_REGION])
    else:
        yield from render.block_details(error)


_ADVICE = {
    "deleted": "View the file again, and decide whether the edit is still needed.",
    "ambiguous": "Copy the lines of the place you mean, with enough around them to stand only there.",
    "partly_applied": "A part of this edit is there already: send only what is still to be changed.",
    "elided": "Write out what is left out ('...') in old_str and new_str.",
}


def _advice(error: errors.NoMatch) -> str:
    if error.applied is not None:
        return "If that is the place, the edit is done: leave it out."
    if error.why not in _ADVICE and error.stale is not None:
        return "Your copy of the file is old: view it again."
    return _ADVICE.get(error.why, "View the file, and copy old_str from it exactly, white space included.")


def _wrong_count(error: errors.WrongCount) -> Iterator[str]:
    """Where the text stands, and what would be unique."""
    yield f"It stands in {plain(error.path)} at:"
    for each in error.match_locations[:_SHOWN_PLACES]:
        content = as_it_is(each["line_content"].strip())
        yield f"  Line {each['line_number']}, column {each['column_start']}: {content}"
    if error.actual_occurrences > _SHOWN_PLACES:
        yield f"  … and {error.actual_occurrences - _SHOWN_PLACES} more"
    yield from _unique(error)
    yield "Nothing was changed. Send old_str with more of the lines around the place you mean."


def _unique(error: errors.NoMatch | errors.WrongCount) -> Iterator[str]:
    for each in error.unique:
        said = _json({"old_str": each["old_text"]})
        yield f"To change line {each['line_number']} and no other, begin from this, which stands once: {said}"


def _span(lines: Mapping[str, Any]) -> str:
    return span(lines["start_line"], lines["end_line"])


def _json(value: Mapping[str, object]) -> str:
    """JSON to be copied: as it is if all of it can be seen, else by code points."""
    import json  # only a failure needs it
    from unicodedata import combining

    said = json.dumps(value, ensure_ascii=False)
    return said if said.isprintable() and not any(map(combining, said)) else dumps(value)
