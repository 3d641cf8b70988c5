"""Words. Errors and outcomes are data everywhere else; here, once, they become sentences.

Every message says what happened and where; every hint says what to do next. `MESSAGES` has an entry for
each error code, and a test holds it to that.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from suture.errors import SutureError
    from suture.files.recovery import Recovered
    from suture.plan import Trouble

_SHOWN_PROBLEMS = 8
_LONGEST = 300
_SHOWN_CONFLICTS = 2
_SHOWN_LINES = 2
_LINE = 120
_CUT_LATER = {"character", "search_text", "text", "base", "ours", "theirs", "line", "prefix"}
_SHOWN_PLACES = 10
_SHOWN_NAMES = 10
_SHOWN_NEAR = 2
_RUNGS = {
    "exact": "exactly",
    "line_ends": "but for line ends",
    "trailing": "but for trailing white space",
    "indentation": "but for indentation",
    "trimmed": "but for its outer lines",
    "look_alike": "but for look-alike characters",
    "escape": "but for escapes",
    "tokens": "but for white space",
    "elision": "around what is elided",
    "similar": "by similarity",
}


class _Shown:
    """An error's fields fit to be shown: nothing that a terminal obeys, nothing without end."""

    def __init__(self, error: SutureError) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._error, name)
        if isinstance(value, list):
            return [plain(each) if isinstance(each, str) else each for each in value]
        return plain(value) if isinstance(value, str) and name not in _CUT_LATER else value


def plain(text: str) -> str:
    """A line fit to be shown: nothing that a terminal obeys, not too long."""
    short = text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
    if short.isprintable():
        return short
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in short)


def message(error: SutureError) -> str:
    """What happened, in a sentence."""
    return MESSAGES[error.code][0](_Shown(error))


def hint(error: SutureError) -> str:
    """What to do about it, in a sentence."""
    return MESSAGES[error.code][1](_Shown(error))


def error_data(error: SutureError) -> dict[str, Any]:
    """An error as it stands in `metadata.error`."""
    return {
        "code": error.code,
        "message": message(error),
        "hint": hint(error),
        "retryable": error.retryable,
        **error.fields(),
    }


def error_text(error: SutureError) -> str:
    """An error as a model reads it."""
    return f"{error.code}: {message(error)}\n{hint(error)}"


def recovered_data(found: Recovered) -> dict[str, Any]:
    """A recovery as data."""
    return {"id": found.id, "direction": found.direction, "files": list(found.files), "aside": list(found.aside)}


def recovered_text(found: Recovered) -> str:
    """A recovery in words."""
    way = "was complete and has been finished" if found.direction == "forward" else "has been rolled back"
    text = f"An interrupted transaction ({found.id}, {_count(len(found.files), 'path')}) {way}."
    if found.aside:
        text += f" Somebody else had written since; the old content lies in {', '.join(found.aside)}."
    return text


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _problems(error: Any) -> str:
    lines = [plain(f"{each['argument']}: {each['problem']}") for each in error.problems[:_SHOWN_PROBLEMS]]
    more = len(error.problems) - len(lines)
    return (
        "The arguments do not fit.\n"
        + "\n".join(f"  {line}" for line in lines)
        + (f"\n  … {more} more" if more else "")
    )


def _near(error: Any) -> str:
    return (
        f"Did you mean {' or '.join(error.near)}?"
        if error.near
        else "Check the path; it is relative to the workspace root."
    )


def _range(error: Any) -> str:
    asked = f"line {error.start_line}" if error.end_line is None else f"lines {error.start_line} to {error.end_line}"
    if error.end_line is not None and error.end_line < error.start_line:
        return (
            f"Lines {error.start_line} to {error.end_line} of {error.path} cannot be read: the end is before the start."
        )
    return f"{error.path} has {_count(error.total_lines, 'line')}; {asked} cannot be read."


def _own(rule: str) -> bool:
    return rule.startswith(".suture-")


def _why_protected(rule: str) -> str:
    return "it is a file that suture works with" if _own(rule) else "it runs or configures something on this machine"


def _changed(error: Any) -> str:
    if error.found is None:
        return f"{error.path} was removed by another process."
    if error.expected is None:
        return f"{error.path} was created by another process."
    return f"{error.path} was changed by another process."


def _conflicts(error: Any) -> str:
    number = len(error.conflicts)
    most = _SHOWN_LINES if number == 1 else 1
    done = "done again" if error.operation == "redo" else "taken back"
    lines = [f"{error.change_id} cannot be {done}: later work stands in its way ({_count(number, 'place')})."]
    for each in error.conflicts[:_SHOWN_CONFLICTS]:
        lines.append(f"  {plain(each['path'])}:{each['line']} {_what_happened(each)}")
        lines += [f"    it is now:            {line}" for line in _few(each["ours"], most)]
        lines += [f"    {error.operation} would put:       {line}" for line in _few(each["theirs"], most)]
        lines += [f"    in place of:          {line}" for line in _few(each["base"], most)]
    if number > _SHOWN_CONFLICTS:
        lines.append(f"  … {number - _SHOWN_CONFLICTS} more in the metadata")
    return "\n".join(lines)


def _what_happened(conflict: dict[str, Any]) -> str:
    """Why there is a conflict."""
    if conflict.get("about") == "name":
        return "was renamed again"
    if conflict.get("about") == "file":
        return "was deleted since, and another file stands there"
    if conflict["ours"] is None:
        return "is gone"
    if conflict["base"] is None:
        return "is there again"
    if conflict["theirs"] is None:
        return "was changed since it was made"
    return "was changed in the same lines"


def _way_out(error: Any) -> str:
    if not error.later:
        return "Nothing was changed. Somebody else changed these places since: edit them by hand."
    return f"Nothing was changed. Undo {error.later[0]} first, which touched them later, or edit them by hand."


def _other_change(error: Any) -> str:
    if error.candidates:
        return "Give more of the id."
    names = f" Snapshots are: {', '.join(error.snapshots)}." if error.snapshots else ""
    forgotten = " Older ones were forgotten (history_max_bytes, history_max_days)." if error.forgotten else ""
    return f"The history tool, or `suture log`, lists the changes.{names}{forgotten}"


def _few(side: str | None, most: int) -> list[str]:
    """The beginning of one side of a conflict."""
    if not side:
        return ["(no file)" if side is None else "(nothing)"]
    lines = side.split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    shown = [plain(line)[:_LINE] for line in lines[:most]]
    more = len(lines) - most
    return shown if more <= 0 else [*shown[:-1], f"{shown[-1]} … and {_count(more, 'line')} more"]


def trouble_data(trouble: Trouble) -> dict[str, Any]:
    """What is wrong with the history, as data."""
    return {"recorded": trouble.recorded, "reason": trouble.reason, "aside": trouble.aside}


def trouble_text(trouble: Trouble, subject: str = "This change") -> str:
    """What is wrong with the history, in words; `subject` is what it is about."""
    if trouble.recorded:
        return f"The history was damaged; it is kept as {trouble.aside}. What was done before cannot be undone."
    return f"{subject} cannot be undone: the history cannot be used, {trouble.reason}."


def matched(rung: str | None) -> str:
    """How a text was recognized, in words."""
    return _RUNGS.get(str(rung), f"by {str(rung).replace('_', ' ')}")


def span(start_line: int, end_line: int) -> str:
    """Lines, in words."""
    return f"line {start_line}" if start_line >= end_line else f"lines {start_line}-{end_line}"


def _patch(error: Any) -> str:
    """Which patch an error is about."""
    return f"patches[{error.index}]" + (f" of {error.total}" if error.total > 1 else "")


def _shown_lines(start_line: int, text: str, most: int) -> list[str]:
    return [f"    {start_line + at:6}  {line}" for at, line in enumerate(_few(text, most))]


def _first_line(text: str) -> str:
    """The first line of what was sent that says something, to recognize it by."""
    return plain(next((line.strip() for line in text.split("\n") if line.strip()), text))[:_LINE]


def _not_found(error: Any) -> str:
    lines = [f"{_patch(error)}: oldText does not stand in {error.path}: {_first_line(error.search_text)}"]
    if error.stale is not None:
        where = span(error.stale["start_line"], error.stale["end_line"])
        until = f"until change {error.stale['change_id']}" if error.stale["change_id"] else "earlier"
        lines.append(f"  It stood there {until}; {where} of the file now:")
        lines += _shown_lines(error.stale["start_line"], error.stale["text"], _SHOWN_LINES)
    how = f"It stands there {matched(error.rung)}," if error.rung else "Most like it,"
    for each in error.nearest[:_SHOWN_NEAR]:
        score = "" if error.rung else f" {each['score']:.0%},"
        lines.append(f"  {how}{score} at {span(each['start_line'], each['end_line'])}:")
        lines += _shown_lines(each["start_line"], each["text"], _SHOWN_LINES)
    return "\n".join(lines)


def _look_again(error: Any) -> str:
    if error.stale is not None:
        return "Nothing was changed. Your copy of the file is old: read it again, and send the text as it is now."
    if error.match != "lenient":
        return f'Nothing was changed. Send the text as the file has it; match is "{error.match}", "lenient" finds more.'
    return "Nothing was changed. Read the file again, and send the text as it stands there."


def _not_unique(error: Any) -> str:
    found: dict[str, int] = {}
    for each in error.places:
        where = span(each["start_line"], each["end_line"])
        found[where] = found.get(where, 0) + 1
    places = [f"{where} ({times} times)" if times > 1 else where for where, times in found.items()]
    places, more = places[:_SHOWN_PLACES], len(places) - _SHOWN_PLACES
    return (
        f"{_patch(error)}: oldText fits {_count(len(error.places), 'place')} in {error.path} {matched(error.rung)}: "
        + ", ".join(places)
        + (f" and {more} more" if more > 0 else "")
        + "."
    )


def _sides(error: Any) -> str:
    lines = [f"{_patch(error)}: {error.path}:{error.line} differs from oldText in what the change touches."]
    sides = {"in oldText: ": error.base, "in the file:": error.ours, "in newText: ": error.theirs}
    lines += [f"    {name} {line}" for name, side in sides.items() for line in _few(side, _SHOWN_LINES)]
    return "\n".join(lines)


def _partly(error: Any) -> str:
    where = f"{span(error.start_line, error.end_line)} of {error.path}"
    head = f"{_patch(error)}: a part of this change has been made already, at {where}:"
    return "\n".join([head, *_shown_lines(error.start_line, error.text, _SHOWN_PLACES)])


def _unproved(error: Any) -> str:
    where = f"{span(error.start_line, error.end_line)} of {error.path}"
    why = f" ({error.detail.replace('_', ' ')})" if error.detail else ""
    head = f"{_patch(error)}: oldText stands at {where} {matched(error.rung)}, but newText does not fit there{why}:"
    return "\n".join([head, *_shown_lines(error.start_line, error.text, _SHOWN_PLACES)])


def _known_clipboards(error: Any) -> str:
    if not error.known:
        return "There are no clipboards yet: fill one with toClipboard in a replace."
    more = len(error.known) - _SHOWN_NAMES
    return f"Known are {', '.join(error.known[:_SHOWN_NAMES])}{f' and {more} more' if more > 0 else ''}."


def _smaller(error: Any) -> str:
    if error.unit == "clipboards":
        return f"Use a name that is there already, or ask the operator to raise the setting {error.setting}."
    return "Make it smaller" + (
        f", or ask the operator to raise the setting {error.setting}." if error.setting else "."
    )


def _same(words: str) -> Callable[[Any], str]:
    return lambda _: words


_Words = tuple["Callable[[Any], str]", "Callable[[Any], str]"]

MESSAGES: dict[str, _Words] = {
    "INVALID_ARGUMENTS": (_problems, _same("Correct the arguments and call again; nothing was changed.")),
    "UNKNOWN_TOOL": (
        lambda e: f"There is no tool '{e.name}'.",
        lambda e: f"{f'Did you mean {e.near[0]}? ' if e.near else ''}Known are {', '.join(e.known)}.",
    ),
    "INPUT_TOO_LARGE": (
        lambda e: f"{e.what} has {e.size:,} {e.unit}; the limit is {e.limit:,}.",
        _smaller,
    ),
    "INVALID_PATH": (
        lambda e: f"'{e.path}' cannot be used as a path: {e.reason}.",
        _same("Give a plain path relative to the workspace root."),
    ),
    "PATH_OUTSIDE_WORKSPACE": (
        lambda e: f"{e.path} lies outside the workspace: {e.reason}.",
        _same("Only files below the workspace root, or a configured extra root, can be used."),
    ),
    "PROTECTED_PATH": (
        lambda e: f"{e.path} is protected ({e.rule}): {_why_protected(e.rule)}.",
        lambda e: (
            "Leave it alone" + (", or ask the operator to allow it (allow_protected)." if not _own(e.rule) else ".")
        ),
    ),
    "FILE_NOT_FOUND": (lambda e: f"There is no file {e.path}.", _near),
    "NOT_A_FILE": (
        lambda e: f"{e.path} is a {'device, pipe or socket' if e.kind == 'other' else e.kind}, not a file.",
        _same("Name a regular file."),
    ),
    "NOT_A_FOLDER": (
        lambda e: f"{e.path} cannot exist: {e.folder} is not a folder.",
        _same("Check the path; a file has no files below it."),
    ),
    "FILE_EXISTS": (
        lambda e: f"{e.path} exists already.",
        _same("Edit the existing file, or choose another name."),
    ),
    "PERMISSION_DENIED": (
        lambda e: f"No permission to {e.operation} {e.path}.",
        _same("Ask the operator to change the permissions, or work on another file; nothing was changed."),
    ),
    "WORKSPACE_NOT_FOUND": (
        lambda e: f"The workspace root {e.root} cannot be opened: {e.reason}.",
        _same("Give the path of an existing folder."),
    ),
    "BINARY_FILE": (
        lambda e: f"{e.path} is a binary file: it holds a NUL near its beginning.",
        _same("Only text can be read and edited. If it is UTF-16 without a mark, name its encoding."),
    ),
    "RANGE_OUT_OF_BOUNDS": (
        _range,
        lambda e: f"Ask for lines from 1 to {e.total_lines}." if e.total_lines else "The file is empty.",
    ),
    "ENCODING_UNKNOWN": (
        lambda e: f"U+{ord(e.character):04X} cannot be written: the file's encoding is not known.",
        lambda e: f"Name the encoding ({', '.join(e.candidates) or 'none of the usual ones fits'}), or write ASCII.",
    ),
    "ENCODING_MISMATCH": (
        lambda e: f"The encoding {e.encoding} cannot be used here: {e.reason}.",
        _same("Name the encoding the file is really in (for UTF-16 without a mark, utf-16-le or utf-16-be)."),
    ),
    "NOT_ENCODABLE": (
        lambda e: f"U+{ord(e.character):04X} does not exist in the file's encoding, {e.encoding}.",
        _same("Write it another way (an escape, an entity), or convert the file first."),
    ),
    "OVERLAPPING_EDITS": (
        lambda e: f"The edits at {e.first[0]}-{e.first[1]} and {e.second[0]}-{e.second[1]} overlap.",
        _same("Make one edit of them."),
    ),
    "EDIT_OUT_OF_BOUNDS": (
        lambda e: f"There is no span {e.start}-{e.end} in a text of {e.size} bytes.",
        _same("Find the place again in the text as it is now."),
    ),
    "OLD_TEXT_NOT_FOUND": (_not_found, _look_again),
    "OLD_TEXT_NOT_UNIQUE": (
        _not_unique,
        _same("Nothing was changed. Send more of the lines around the place you mean, so that only one fits."),
    ),
    "MISSING_OLD_TEXT": (
        lambda e: f"{_patch(e)}: replace needs oldText; an empty one fits only an empty file.",
        _same("Say what to replace; to write a whole file use overwrite, to add to it append_eof or prepend_bof."),
    ),
    "ALREADY_APPLIED": (
        lambda e: f"{_patch(e)}: newText stands already at {span(e.start_line, e.end_line)} of {e.path}.",
        _same("Nothing was changed. Leave this patch out."),
    ),
    "PARTLY_APPLIED": (
        _partly,
        _same("Nothing was changed. Read these lines again, and send only what is still to be changed."),
    ),
    "EDIT_CONFLICT": (
        _sides,
        _same("Nothing was changed. Decide what these lines should say, and send them as the file has them."),
    ),
    "ELISION_IN_NEW_TEXT": (
        lambda e: f"{_patch(e)}: newText leaves out ('...') what oldText spells out; that would delete code.",
        _same("Nothing was changed. Write newText in full, or elide the same part in oldText."),
    ),
    "UNPROVED_CHANGE": (
        _unproved,
        _same("Nothing was changed. Send oldText as the file has it."),
    ),
    "OVERLAPPING_PATCHES": (
        lambda e: (
            f"patches[{e.first}] ({span(*e.first_lines)}) and patches[{e.second}] ({span(*e.second_lines)}) "
            f"replace the same text of {e.path}."
        ),
        _same("Nothing was changed. Make one patch of them, or leave the shared lines out of one."),
    ),
    "CLIPBOARD_NOT_FOUND": (
        lambda e: f"{_patch(e)}: there is no clipboard '{e.name}'.",
        _known_clipboards,
    ),
    "CLIPBOARD_REQUIRES_REPLACE": (
        lambda e: f"{_patch(e)}: toClipboard goes with replace only, not with {e.operation}.",
        _same("Nothing was changed. Put the text into the clipboard by a replace that finds it."),
    ),
    "STRIP_PRECONDITION_FAILED": (
        lambda e: (
            f"{_patch(e)}: line {e.line_number} of the text to insert does not begin with {e.prefix[:_LINE]!r}: "
            f"{e.line[:_LINE]!r}."
        ),
        _same("Nothing was changed. Strip only what every line that is not empty begins with."),
    ),
    "FILE_CHANGED": (_changed, _same("Read the file again and repeat the edit; nothing was changed.")),
    "SAME_FILE_TWICE": (
        lambda e: f"{e.path} and {e.other} are the same file, named twice in one transaction.",
        _same("Change each file once."),
    ),
    "READ_FAILED": (
        lambda e: f"{e.path or 'The workspace'} could not be read: {e.reason}.",
        _same("Nothing was changed. Remove the cause and repeat the call."),
    ),
    "WRITE_FAILED": (
        lambda e: f"{e.path} could not be written: {e.reason}.",
        _same("Everything is as it was before the call. Remove the cause and repeat it."),
    ),
    "WORKSPACE_BUSY": (
        lambda e: f"Another process has held the workspace for {e.waited_ms} ms.",
        lambda e: f"Repeat the call, or raise the setting {e.setting}; nothing was changed.",
    ),
    "RECOVERY_BLOCKED": (
        lambda e: f"An interrupted transaction cannot be cleared up: {e.reason}.",
        lambda e: (
            f"Remove the cause and call again. {e.intent} says how to roll back: keep it, unless it is not suture's."
        ),
    ),
    "HISTORY_UNAVAILABLE": (
        lambda e: f"The history of this workspace cannot be used: {e.reason}.",
        _same("Nothing was changed. Edits still work; the next one puts a damaged history aside and begins a new one."),
    ),
    "CHANGE_NOT_FOUND": (
        lambda e: (
            f"More than one change begins with '{e.change_id}': {', '.join(e.candidates)}."
            if e.candidates
            else f"There is no change '{e.change_id}'."
        ),
        _other_change,
    ),
    "NOTHING_TO_UNDO": (
        lambda e: f"There is no change in {e.root} that could be taken back.",
        _same("Only what suture changed in this workspace, and has not undone, can be undone. Is it the right folder?"),
    ),
    "NOTHING_TO_REDO": (
        lambda e: f"{e.change_id} is not undone." if e.change_id else "There is no undone change.",
        _same("Only what undo took back can be done again; the history tool shows the state of each change."),
    ),
    "ALREADY_UNDONE": (
        lambda e: f"{e.change_id} is undone already.",
        lambda e: f"To have it back, redo {e.change_id}.",
    ),
    "UNDO_CONFLICT": (
        _conflicts,
        _way_out,
    ),
    "CONTENT_NOT_KEPT": (
        lambda e: f"The history knows the needed version of {e.path} only by its hash, {e.hash}.",
        _same("It was lost in a crash. Nothing was changed; restore another version."),
    ),
    "NOT_RECORDED": (
        lambda e: f"The history has no version of {e.path}.",
        lambda e: (
            f"Did you mean {' or '.join(e.near)}?"
            if e.near
            else "Only files that suture changed here, or that a snapshot kept, can be restored."
        ),
    ),
    "SNAPSHOT_EXISTS": (
        lambda e: f"There is a snapshot '{e.name}' already, or a change whose id begins so.",
        _same("Choose another name."),
    ),
    "INTERNAL": (
        lambda e: f"suture failed: {e.exception}.",
        _same("This is a defect in suture; the log under suture.call has the traceback. Nothing was changed."),
    ),
}
