"""Words. Errors and outcomes are data everywhere else; here, once, they become sentences.

Every message says what happened and where; every hint says what to do next. Both are made for an audience: a model,
someone at a terminal, the editor dialect, `apply_patch`. `MESSAGES` has an entry for each error code, and a test holds
it to that; `edits` and `replies` have those of their kind.
"""

from __future__ import annotations

from suture import errors
from suture.audience import MODEL, PatchWriter
from suture.json_text import dumps
from suture.settings import how_to_set
from suture.wording.edits import EDIT_MESSAGES, EDIT_TEXTS, PATCH_MESSAGES, SAFE_MESSAGES, rejection_lines
from suture.wording.phrases import count, entry, few, how_matched, plain, span, version_name
from suture.wording.replies import BLOCK_MESSAGES, PATCH_HINTS, REPLY_MESSAGES, details

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from suture.audience import Audience
    from suture.errors import SutureError
    from suture.files.recovery import Recovered
    from suture.plan import Trouble
    from suture.wording.phrases import E, Words

__all__ = [
    "MESSAGES",
    "block_details",
    "block_hint",
    "block_message",
    "count",
    "error_data",
    "error_line",
    "error_text",
    "hint",
    "how_matched",
    "message",
    "plain",
    "recovered_data",
    "recovered_text",
    "span",
    "trouble_data",
    "trouble_text",
    "version_name",
]

_SHOWN_PROBLEMS = 8  # of the arguments
_SHOWN_IN_LINE = 3  # of the arguments, where an error is one line
_SHOWN_CONFLICTS = 2  # of an undo
_SHOWN_CONFLICT_LINES = 2  # of each side, if there is one conflict; else 1
_SHOWN_FURTHER = 10  # failures after the first
_LONGEST_CORRECTION = 400  # characters of a corrected edit among further failures
_TOLD_ONCE = {
    *(
        "path",
        "total",
        "total_edits",
        "edit_index",
        "index",
        "search_text",
        "expected_occurrences",
        "attempt",
        "indent",
    ),
    *("file_preview", "similar_content", "match_locations", "region", "words", "unique"),
}
"""Fields that the other failures of a call leave out: they say again what was sent, or are long."""
_CUT_LATER = {"character", "search_text", "text", "base", "ours", "theirs", "line", "prefix", "marker"}


class _SafeFields:
    """An error's fields fit to be shown: nothing that a terminal obeys, nothing without end."""

    def __init__(self, error: SutureError) -> None:
        self._error = error

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._error, name)
        if isinstance(value, list):
            return [plain(item) if isinstance(item, str) else item for item in value]
        return plain(value) if isinstance(value, str) and name not in _CUT_LATER else value


def message(error: SutureError, audience: Audience = MODEL) -> str:
    """What happened, in a sentence."""
    return MESSAGES[error.code][0](_SafeFields(error), audience)


def hint(error: SutureError, audience: Audience = MODEL) -> str:
    """What to do about it, in a sentence."""
    return MESSAGES[error.code][1](_SafeFields(error), audience)


def block_message(error: SutureError, audience: Audience = MODEL) -> str:
    """What happened to a block of a reply."""
    return (BLOCK_MESSAGES.get(error.code) or MESSAGES[error.code])[0](_SafeFields(error), audience)


def block_hint(error: SutureError, audience: Audience = MODEL) -> str:
    """What to do about it."""
    own = PATCH_HINTS.get(error.code) if isinstance(audience, PatchWriter) else None
    return (own or BLOCK_MESSAGES.get(error.code) or MESSAGES[error.code])[1](_SafeFields(error), audience)


def block_details(error: SutureError, audience: Audience = MODEL) -> list[str]:
    """What else is known about it."""
    return details(error, audience)


def error_data(error: SutureError, audience: Audience = MODEL) -> dict[str, Any]:
    """An error as it is in `metadata.error`."""
    further = [_further(*part, audience) for part in error.further]
    return {
        "code": error.code,
        "message": message(error, audience),
        "hint": hint(error, audience),
        "retryable": error.retryable,
        **error.fields(),
        **({"further_failures": further} if further else {}),
        **({"unexamined": error.unexamined} if error.unexamined else {}),
    }


def _further(
    index: int,
    error: SutureError,
    closely: bool,  # noqa: FBT001  as it is kept
    audience: Audience,
) -> dict[str, Any]:
    """Another part of a call that failed: what happened, and if it was looked into, what is known in short."""
    data: dict[str, Any] = {"index": index, "code": error.code, "message": message(error, audience)}
    if not closely:
        return data
    known = {name: value for name, value in error.fields().items() if name not in _TOLD_ONCE and value is not None}
    return {**data, "hint": hint(error, audience), **known}


def error_text(error: SutureError, audience: Audience = MODEL) -> str:
    """An error as it is read: what happened, what is known, what to do."""
    if error.code in EDIT_TEXTS:
        lines = [*EDIT_TEXTS[error.code](error, audience)]
    else:
        lines = [f"{error.code}: {message(error, audience)}", hint(error, audience)]
    return "\n".join([*lines, *_further_lines(error, audience)])


def _further_lines(error: SutureError, audience: Audience) -> Iterator[str]:
    """The other failures of a call, a line each; a correction that is short goes along."""
    if error.further:
        yield f"{count(len(error.further), 'more failure')} in this call:"
    for _, other, _ in error.further[:_SHOWN_FURTHER]:
        yield f"- {other.code}: {message(other, audience).partition(chr(10))[0]}"
        fits = getattr(other, "correction", None)
        if fits is not None:
            edit = dumps({name: fits[name] for name in ("old_text", "new_text")})
            if len(edit) <= _LONGEST_CORRECTION:
                yield f"  Send this edit instead: {edit}"
    if len(error.further) > _SHOWN_FURTHER:
        yield f"… and {len(error.further) - _SHOWN_FURTHER} more (error.further_failures)."
    if error.unexamined:
        yield f"{count(error.unexamined, 'more part')} not checked: time limit reached."


_ASIDE = {
    "back": "Files had changed since; the other content is in",
    "unknown": "The old content of files that it replaced or deleted is in",
}


def recovered_data(recovered: Recovered) -> dict[str, Any]:
    """A recovery as data."""
    return {
        "id": recovered.id,
        "direction": recovered.direction,
        "files": list(recovered.files),
        "aside": list(recovered.aside),
    }


def recovered_text(recovered: Recovered) -> str:
    """A recovery in words."""
    if recovered.direction == "unknown":
        text = f"A power cut interrupted change {recovered.id}; its temporary files were removed. Check recent edits."
    else:
        way = "was complete and has landed" if recovered.direction == "forward" else "has been rolled back"
        text = f"An interrupted transaction ({recovered.id}, {count(len(recovered.files), 'path')}) {way}."
    if recovered.aside:
        text += f" {_ASIDE[recovered.direction]} {', '.join(recovered.aside)}."
    return text


_UNBLOCKED = {
    "left": "Remove the cause and call again. {intent} says how to roll back: keep it, unless it is not suture's.",
    "open": (
        "Do not repeat the change yet: its files may be half changed. Remove the cause and call again; "
        "the next answer says whether {change} landed or was rolled back."
    ),
    "foreign": (
        "If {intent} came with a clone or a copy, delete it. Otherwise look at the .suture-*.old files first: "
        "they hold the old contents."
    ),
}


def _problems(error: errors.InvalidArguments, most: int) -> list[str]:
    return [plain(f"{problem['argument']}: {problem['problem']}") for problem in error.problems[:most]]


def _arguments(error: errors.InvalidArguments) -> str:
    lines = _problems(error, _SHOWN_PROBLEMS)
    more = len(error.problems) - len(lines)
    return (
        "The arguments do not fit.\n"
        + "\n".join(f"  {line}" for line in lines)
        + (f"\n  … {more} more" if more else "")
    )


def _near(error: errors.FileNotFound) -> str:
    create = f" To create it, use {' or '.join(error.create_by)}." if error.create_by else ""
    if error.near:
        return f"Did you mean {' or '.join(error.near)}?{create}"
    return f"Check the path; it is relative to the workspace root.{create}"


def _range(error: errors.RangeOutOfBounds) -> str:
    asked = f"line {error.start_line}" if error.end_line is None else f"lines {error.start_line} to {error.end_line}"
    if error.end_line is not None and error.end_line < error.start_line:
        return (
            f"Lines {error.start_line} to {error.end_line} of {error.path} cannot be read: the end is before the start."
        )
    return f"{error.path} has {count(error.total_lines, 'line')}; {asked} cannot be read."


def _is_own_rule(rule: str) -> bool:
    return rule.startswith(".suture-")


def _why_protected(rule: str) -> str:
    return (
        "it is a file that suture works with"
        if _is_own_rule(rule)
        else "it runs or configures something on this machine"
    )


def _file_changed(error: errors.FileChanged) -> str:
    if error.found is None:
        return f"{error.path} was removed by another process."
    if error.expected is None:
        return f"{error.path} was created by another process."
    return f"{error.path} is not the file that was expected: its hash is {error.found}."


def _history_damaged(error: errors.HistoryDamaged) -> str:
    if error.what == "content":
        return f"The needed version of {error.path} is damaged in the history: {error.name}."
    if error.path is not None:
        return f"The state of {error.path} is unknown: the later change {error.name} is damaged in the history."
    name = error.name if error.what == "change" else f"'{error.name}'"
    return f"The {error.what} {name} is damaged in the history."


def _conflicts(error: errors.UndoConflict) -> str:
    number = len(error.conflicts)
    most = _SHOWN_CONFLICT_LINES if number == 1 else 1
    done = "redone" if error.operation == "redo" else "undone"
    lines = [f"{error.change_id} cannot be {done}: later changes conflict with it ({count(number, 'place')})."]
    for conflict in error.conflicts[:_SHOWN_CONFLICTS]:
        lines.append(f"  {plain(conflict['path'])}:{conflict['line']} {_what_happened(conflict)}")
        lines += [f"    it is now:            {line}" for line in few(conflict["ours"], most)]
        lines += [f"    {error.operation} would put:       {line}" for line in few(conflict["theirs"], most)]
        lines += [f"    in place of:          {line}" for line in few(conflict["base"], most)]
    if number > _SHOWN_CONFLICTS:
        lines.append(f"  … {number - _SHOWN_CONFLICTS} more in the metadata")
    return "\n".join(lines)


def _what_happened(conflict: errors.UndoClash) -> str:
    """Why there is a conflict."""
    if conflict.get("about") == "name":
        return "was renamed again"
    if conflict.get("about") == "file":
        return "has been deleted, and another file is there now"
    if conflict["ours"] is None:
        return "is gone"
    if conflict["base"] is None:
        return "is there again"
    if conflict["theirs"] is None:
        return "was changed since it was made"
    return "was changed in the same lines"


def _way_out(error: errors.UndoConflict) -> str:
    if not error.later:
        return "Nothing was changed. Someone else has changed these lines: edit them yourself."
    return f"Nothing was changed. Undo the later change {error.later[0]} first, or edit these lines yourself."


def _other_change(error: errors.ChangeNotFound) -> str:
    if error.candidates:
        return "Give more of the id."
    names = f" Snapshots are: {', '.join(error.snapshots)}." if error.snapshots else ""
    forgotten = " Older ones were forgotten (history_max_bytes, history_max_days)." if error.forgotten else ""
    return f"The history tool, or `suture log`, lists the changes.{names}{forgotten}"


def trouble_data(trouble: Trouble) -> dict[str, Any]:
    """What is wrong with the history, as data."""
    return {"recorded": trouble.recorded, "reason": trouble.reason, "aside": trouble.aside}


def trouble_text(trouble: Trouble, subject: str = "This change") -> str:
    """What is wrong with the history, in words; `subject` is what it is about."""
    if trouble.recorded:
        return f"The history was damaged; it is kept as {trouble.aside}. What was done before cannot be undone."
    why = "it was not recorded, because" if trouble.usable else "the history cannot be used,"
    return f"{subject} cannot be undone: {why} {trouble.reason}."


def _smaller(error: errors.InputTooLarge) -> str:
    if error.unit == "clipboards":
        return (
            f"Use a name that is there already, or ask the operator to raise the setting {how_to_set(error.setting)}."
        )
    return "Make it smaller" + (
        f", or ask the operator to raise the setting {how_to_set(error.setting)}." if error.setting else "."
    )


def _no_files(error: errors.NoFilesMatched) -> str:
    if error.hidden_by:
        return f"{error.hidden_by}."
    return "Check it: it is relative to the workspace root, and ** matches any number of folders."


def _invalid_group(error: errors.InvalidCaptureGroup) -> str:
    if error.meant is not None:
        return f"Invalid capture group: {error.reference} (write {error.meant})"
    return f"Invalid capture group: {error.reference} (only {count(error.groups, 'group')} in pattern)"


def _groups(error: errors.InvalidCaptureGroup) -> str:
    if error.meant is not None and error.dialect == "Python":
        return r"Groups are \1 and \g<name> here, as in Python. For a dollar sign before a number or name, write \044."
    if error.meant is not None:
        return (
            "Write groups as $1 and ${name} here. To insert this text itself, make the groups of the "
            "pattern non-capturing: (?:…)."
        )
    names = f" Its named groups are {', '.join(error.names)}." if error.names else ""
    return f"Refer to a group of the pattern, or write $$ for a dollar sign.{names}"


def _fewer(error: errors.TooManyReplacements, audience: Audience) -> str:
    if error.setting:
        setting = how_to_set(error.setting)
        return f"Nothing was changed. Replace in fewer files, or ask the operator to raise the setting {setting}."
    return f"Nothing was changed. Narrow the pattern, or raise {audience.argument('max_replacements')}."


PATTERN_MESSAGES: dict[str, Words] = dict(
    [
        entry(
            errors.InvalidRegex,
            lambda e: (
                f"Invalid regex: {e.reason} at position {e.position}"
                if e.dialect == "JavaScript"
                else f"Invalid regex pattern: {e.reason}"
            ),
            lambda e: (
                f"{f'{e.advice}. ' if e.advice else ''}The dialect is that of JavaScript with the flag u; "
                "correct the pattern at this character, counted from 0."
                if e.dialect == "JavaScript"
                else f"Correct it, as {e.dialect} writes regular expressions, or search for literal text."
            ),
        ),
        entry(
            errors.InvalidFlags,
            lambda e: f"Invalid flags: {e.flags} (supported: {e.supported})",
            "g: all matches, i: ignore case, m: ^ and $ match at line ends, s: . also matches line ends.",
        ),
        entry(
            errors.RegexTimeout,
            lambda e: f"Regex timed out after {e.timeout_ms} ms: {e.pattern}",
            lambda e: (
                f"It was searching {e.path}. Avoid nested or neighboring quantifiers that can match the same text, "
                f"narrow the files, or ask the operator to raise the setting {how_to_set(e.setting)}."
            ),
        ),
        entry(
            errors.InvalidGlob,
            lambda e: f"Invalid glob pattern: {e.pattern}",
            lambda e: f"It cannot be read: {e.reason}.",
        ),
        entry(errors.NoFilesMatched, lambda e: f"No files matched pattern: {e.pattern}", _no_files),
        entry(
            errors.InvalidCaptureGroup,
            _invalid_group,
            _groups,
        ),
        entry(
            errors.NoCaptureGroups,
            lambda e: f"Pattern has no capture groups: {e.pattern}",
            "Put parentheses around what to extract.",
        ),
        entry(
            errors.TooManyReplacements,
            lambda e: f"Max replacements exceeded: {e.found} (limit: {e.limit})",
            hint_for=_fewer,
        ),
        entry(
            errors.OverMatch,
            lambda e: (
                f"Over-match: the match at {e.path}:{e.line} ends in line {e.end_line} and holds another one "
                f"at line {e.inner_line}"
            ),
            hint_for=lambda _, audience: (
                "Nothing was changed. Use a lazy quantifier (*?), or "
                f"{audience.turn_on('allow_over_match')} if all of it is meant."
            ),
        ),
    ]
)


def _line(kind: type[E], words: Callable[[E], str]) -> tuple[str, Callable[[Any], str]]:
    """An entry of the table of one-line texts."""
    return kind.code, words


_LINES: dict[str, Callable[[Any], str]] = dict(
    [
        _line(errors.FileNotFound, lambda e: f"File not found: {plain(e.path)}"),
        _line(errors.NotAFile, lambda e: f"Not a file: {plain(e.path)} ({e.kind})"),
        _line(errors.PathOutsideWorkspace, lambda e: f"Path outside workspace: {plain(e.path)} ({plain(e.reason)})"),
        _line(errors.ProtectedPath, lambda e: f"Protected path: {plain(e.path)} ({plain(e.rule)})"),
        _line(
            errors.InputTooLarge,
            lambda e: (
                f"Too large: {plain(e.what)} has {e.size:,} {e.unit} (limit: {e.limit:,}"
                f"{f', setting {e.setting}' if e.setting else ''})"
            ),
        ),
        _line(errors.ValidationFailed, lambda e: "Validation failed: " + "; ".join(rejection_lines(e.validation))),
        _line(errors.InvalidArguments, lambda e: "Invalid arguments: " + "; ".join(_problems(e, _SHOWN_IN_LINE))),
        _line(
            errors.FileChanged,
            lambda e: f"File modified during operation: {plain(e.path)} (another process changed it)",
        ),
    ]
)


def error_line(error: SutureError, audience: Audience = MODEL, *, several: bool) -> str:
    """An error in one line, as the regex tools show it, of which `several` work on many files."""
    if error.code in _LINES:
        return _LINES[error.code](error)
    if isinstance(error, errors.PermissionDenied):
        doing = " writing" if error.operation == "write" else " reading" if several else ""
        return f"Permission denied{doing}: {plain(error.path)}"
    words = message(error, audience)
    if error.code not in PATTERN_MESSAGES:
        words = f"{words} {hint(error, audience)}"
    return " ".join(words.split("\n"))


MESSAGES: dict[str, Words] = dict(
    [
        *EDIT_MESSAGES.items(),
        *PATCH_MESSAGES.items(),
        *PATTERN_MESSAGES.items(),
        *REPLY_MESSAGES.items(),
        *SAFE_MESSAGES.items(),
        entry(errors.InvalidArguments, _arguments, "Correct the arguments and call again; nothing was changed."),
        entry(
            errors.UnknownTool,
            lambda e: f"There is no tool '{e.name}'.",
            lambda e: f"{f'Did you mean {e.near[0]}? ' if e.near else ''}Known are {', '.join(e.known)}.",
        ),
        entry(
            errors.InputTooLarge,
            lambda e: f"{e.what} has {e.size:,} {e.unit}; the limit is {e.limit:,}.",
            _smaller,
        ),
        entry(
            errors.ServerBusy,
            lambda e: f"{e.limit:,} calls are under way, and the server takes no more.",
            "Nothing was changed. Wait for answers, and repeat the call.",
        ),
        entry(
            errors.ResultTooLarge,
            lambda e: (
                f"The result has {e.size:,} bytes{f' ({e.total:,} entries)' if e.total is not None else ''}; "
                f"the limit is {e.limit:,}."
            ),
            "Ask for less: a narrower pattern or path, max_matches or max_lines, fewer lines of a file.",
        ),
        entry(
            errors.InvalidPath,
            lambda e: f"'{e.path}' cannot be used as a path: {e.reason}.",
            "Give a plain path relative to the workspace root.",
        ),
        entry(
            errors.PathOutsideWorkspace,
            lambda e: f"{e.path} lies outside the workspace: {e.reason}.",
            "Only files below the workspace root, or a configured extra root, can be used.",
        ),
        entry(
            errors.ProtectedPath,
            lambda e: f"{e.path} is protected ({e.rule}): {_why_protected(e.rule)}.",
            lambda e: (
                "Leave it alone"
                + (", or ask the operator to allow it (allow_protected)." if not _is_own_rule(e.rule) else ".")
            ),
        ),
        entry(errors.FileNotFound, lambda e: f"There is no file {e.path}.", _near),
        entry(
            errors.NotAFile,
            lambda e: f"{e.path} is a {'device, pipe or socket' if e.kind == 'other' else e.kind}, not a file.",
            "Name a regular file.",
        ),
        entry(
            errors.NotAFolder,
            lambda e: f"{e.path} cannot exist: {e.folder} is not a folder.",
            "Check the path; a file has no files below it.",
        ),
        entry(
            errors.FileExists,
            lambda e: f"{e.path} exists already.",
            "Edit the existing file, or choose another name.",
        ),
        entry(
            errors.PermissionDenied,
            lambda e: f"No permission to {e.operation} {e.path}.",
            "Ask the operator to change the permissions, or work on another file; nothing was changed.",
        ),
        entry(
            errors.WorkspaceNotFound,
            lambda e: f"The workspace root {e.root} cannot be opened: {e.reason}.",
            "Give the path of an existing folder.",
        ),
        entry(
            errors.BinaryFile,
            lambda e: f"{e.path} is a binary file: it holds a NUL near its beginning.",
            hint_for=lambda _, audience: (
                "Only text can be read and edited. If it is UTF-16 without a mark, "
                f"name its encoding{audience.by('encoding')}."
            ),
        ),
        entry(
            errors.RangeOutOfBounds,
            _range,
            lambda e: f"Ask for lines from 1 to {e.total_lines}." if e.total_lines else "The file is empty.",
        ),
        entry(
            errors.EncodingUnknown,
            lambda e: f"U+{ord(e.character):04X} cannot be written: the file's encoding is not known.",
            hint_for=lambda e, audience: (
                f"Name the encoding{audience.by('encoding')} "
                f"({', '.join(e.candidates) or 'none of the usual ones fits'}), or write ASCII."
            ),
        ),
        entry(
            errors.EncodingMismatch,
            lambda e: f"The encoding {e.encoding} cannot be used here: {e.reason}.",
            "Name the encoding the file is really in (for UTF-16 without a mark, utf-16-le or utf-16-be).",
        ),
        entry(
            errors.NotEncodable,
            lambda e: f"U+{ord(e.character):04X} does not exist in the file's encoding, {e.encoding}.",
            "Write it another way (an escape, an entity), or convert the file first.",
        ),
        entry(
            errors.OverlappingEdits,
            lambda e: f"The edits at {e.first[0]}-{e.first[1]} and {e.second[0]}-{e.second[1]} overlap.",
            "Make one edit of them.",
        ),
        entry(
            errors.EditOutOfBounds,
            lambda e: f"There is no span {e.start}-{e.end} in a text of {e.size} bytes.",
            "Find the place again in the text as it is now.",
        ),
        entry(errors.FileChanged, _file_changed, "Read the file again and repeat the edit; nothing was changed."),
        entry(
            errors.SameFileTwice,
            lambda e: f"{e.path} and {e.other} are the same file, named twice in one transaction.",
            "Change each file once.",
        ),
        entry(
            errors.ReadFailed,
            lambda e: f"{e.path or 'The workspace'} could not be read: {e.reason}.",
            "Nothing was changed. Remove the cause and repeat the call.",
        ),
        entry(
            errors.WriteFailed,
            lambda e: f"{e.path} could not be written: {e.reason}.",
            "Everything is as it was before the call. Remove the cause and repeat it.",
        ),
        entry(
            errors.WorkspaceBusy,
            lambda e: f"Another process has held the workspace for {e.waited_ms} ms.",
            lambda e: f"Repeat the call, or raise the setting {how_to_set(e.setting)}; nothing was changed.",
        ),
        entry(
            errors.Cancelled,
            "The call was cancelled.",
            "Nothing was changed.",
        ),
        entry(
            errors.CallTimedOut,
            lambda e: f"The call took longer than {e.timeout_ms:,} ms.",
            lambda e: (
                "Nothing was changed. Do less in one call: fewer edits, exact search texts, a smaller file; "
                f"or ask the operator to raise the setting {how_to_set(e.setting)}."
            ),
        ),
        entry(
            errors.OutOfMemory,
            "The call ran out of memory.",
            lambda e: (
                "Nothing was changed. Do less in one call, make calls one at a time, "
                f"or ask the operator to raise the setting {how_to_set(e.setting)}."
            ),
        ),
        entry(
            errors.RecoveryBlocked,
            lambda e: (
                f"Change {e.change_id} failed, and could not be rolled back: {e.reason}."
                if e.state == "open"
                else f"An interrupted transaction cannot be cleared up: {e.reason}."
            ),
            lambda e: _UNBLOCKED[e.state].format(intent=e.intent, change=e.change_id),
        ),
        entry(
            errors.HistoryUnavailable,
            lambda e: f"The history of this workspace cannot be used: {e.reason}.",
            "Nothing was changed. Edits still work; the next one puts a damaged history aside and begins a new one.",
        ),
        entry(
            errors.HistoryDamaged,
            _history_damaged,
            "Nothing was changed. Undo other changes by id, or restore files by path to another point.",
        ),
        entry(
            errors.ChangeNotFound,
            lambda e: (
                f"More than one change begins with '{e.change_id}': {', '.join(e.candidates)}."
                if e.candidates
                else f"There is no change '{e.change_id}'."
            ),
            _other_change,
        ),
        entry(
            errors.NothingToUndo,
            lambda e: f"There is nothing to undo in {e.root}.",
            "Only what suture changed in this workspace, and has not undone, can be undone. Is it the right folder?",
        ),
        entry(
            errors.NothingToRedo,
            lambda e: f"{e.change_id} is not undone." if e.change_id else "There is no undone change.",
            "Only an undone change can be redone; the history tool shows the state of each change.",
        ),
        entry(
            errors.AlreadyUndone,
            lambda e: f"{e.change_id} is undone already.",
            lambda e: f"To have it back, redo {e.change_id}.",
        ),
        entry(
            errors.UndoConflict,
            _conflicts,
            _way_out,
        ),
        entry(
            errors.ContentNotKept,
            lambda e: f"The history knows the needed version of {e.path} only by its hash, {e.hash}.",
            "It was lost in a crash. Nothing was changed; restore another version.",
        ),
        entry(
            errors.NotRecorded,
            lambda e: f"The history has no version of {e.path}.",
            lambda e: (
                f"Did you mean {' or '.join(e.near)}?"
                if e.near
                else "Only files that suture changed here, or that a snapshot kept, can be restored."
            ),
        ),
        entry(
            errors.SnapshotExists,
            lambda e: f"There is a snapshot '{e.name}' already, or a change whose id begins with it.",
            "Choose another name.",
        ),
        entry(
            errors.InternalError,
            lambda e: f"suture failed: {e.exception}.",
            "This is a defect in suture; the log under suture.call has the traceback. Nothing was changed.",
        ),
    ]
)
