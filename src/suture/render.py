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

_SHOWN_PROBLEMS = 8
_LONGEST = 300


class _Shown:
    """An error's fields fit to be shown: nothing that a terminal obeys, nothing without end."""

    def __init__(self, error: SutureError) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._error, name)
        if isinstance(value, list):
            return [_plain(each) if isinstance(each, str) else each for each in value]
        return _plain(value) if isinstance(value, str) and name != "character" else value


def _plain(text: str) -> str:
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
    lines = [_plain(f"{each['argument']}: {each['problem']}") for each in error.problems[:_SHOWN_PROBLEMS]]
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


def _same(words: str) -> Callable[[Any], str]:
    return lambda _: words


_Words = tuple["Callable[[Any], str]", "Callable[[Any], str]"]

MESSAGES: dict[str, _Words] = {
    "INVALID_ARGUMENTS": (_problems, _same("Correct the arguments and call again; nothing was changed.")),
    "UNKNOWN_TOOL": (
        lambda e: f"There is no tool '{e.name}'.",
        lambda e: f"Did you mean {' or '.join(e.near)}?" if e.near else f"Known are {', '.join(e.known)}.",
    ),
    "INPUT_TOO_LARGE": (
        lambda e: f"{e.what} has {e.size:,} {e.unit}; the limit is {e.limit:,}.",
        lambda e: (
            "Make it smaller" + (f", or ask the operator to raise the setting {e.setting}." if e.setting else ".")
        ),
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
    "INTERNAL": (
        lambda e: f"suture failed: {e.exception}.",
        _same("This is a defect in suture; the log under suture.call has the traceback. Nothing was changed."),
    ),
}
