"""The shapes of the tools' answers, as JSON schemas.

A schema fits whatever a call gives, for clients check failures, too: what worked has all the keys that are always
there, what failed has `error`. Keys may be added later: nothing that a schema does not name is refused.

Rejected: references and formats. Not every client knows them, and one that does not takes the result for a wrong one.
"""

from __future__ import annotations

from suture.formats import KINDS as UNREAD_KINDS
from suture.match.diagnose import KINDS
from suture.match.ladder import RUNGS
from suture.tools.patch import OPERATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Schema = dict[str, Any]
    Fields = dict[str, Schema]


def text(about: str, choices: Iterable[str] = ()) -> Schema:
    """A string, perhaps one of a few."""
    return {"type": "string", **({"enum": [*choices]} if choices else {}), "description": about}


def digest(about: str) -> Schema:
    """A content's hash."""
    return {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$", "description": about}


def integer(about: str) -> Schema:
    """A whole number."""
    return {"type": "integer", "description": about}


def number(about: str) -> Schema:
    """A number."""
    return {"type": "number", "description": about}


def flag(about: str) -> Schema:
    """True or false."""
    return {"type": "boolean", "description": about}


def values(about: str, of: str = "string") -> Schema:
    """A list of plain values."""
    return {"type": "array", "items": {"type": of}, "description": about}


def objects(about: str, always: Fields, sometimes: Fields | None = None) -> Schema:
    """A list of objects of one shape."""
    return {"type": "array", "items": _shape(always, sometimes), "description": about}


def object_of(about: str, always: Fields, sometimes: Fields | None = None) -> Schema:
    """An object: what it has `always`, and `sometimes`."""
    return {**_shape(always, sometimes), "description": about}


def _shape(always: Fields, sometimes: Fields | None) -> Schema:
    return {"type": "object", "properties": {**always, **(sometimes or {})}, "required": [*always]}


def nullable(schema: Schema) -> Schema:
    """The same, or null."""
    found = {**schema, "type": [schema["type"], "null"]}
    return {**found, "enum": [*schema["enum"], None]} if "enum" in schema else found


def _error(about: str, some: Fields) -> Schema:
    """An error, and some of the fields that it may have besides: that depends on its code."""
    common = {
        "code": text("Stable name of the error"),
        "message": text("What happened"),
        "hint": text("What to do about it"),
        "retryable": flag("Whether the same call may succeed later"),
    }
    return {**object_of(f"{about}. Further fields depend on the code", common, some), "additionalProperties": True}


def _result(always: Fields, sometimes: Fields | None = None, error: Fields | None = None) -> Schema:
    """The schema of a tool: its result has all that is `always` there, or an error, with some fields of its own."""
    told = _error("Only if the call, or a part of it, failed", {"problems": _PROBLEMS, **(error or {})})
    noted = {"history": _HISTORY, "recovered": _RECOVERED, "error": told}
    if "change_id" in {*always, *(sometimes or {})}:
        noted["no_change"] = _NO_CHANGE
    return {
        "type": "object",
        "properties": {**always, **(sometimes or {}), **noted},
        "anyOf": [{"required": [*always]}, {"required": ["error"]}],
    }


_PROBLEMS = objects(
    "INVALID_ARGUMENTS: what does not fit",
    {"argument": text("Which one"), "problem": text("What is wrong with it")},
    {"nearest": text("The one that was probably meant")},
)
_HISTORY = object_of(
    "Only if something is wrong with the history",
    {
        "recorded": flag("Whether this change can be undone"),
        "reason": text("What is wrong"),
        "aside": nullable(text("Where a damaged history was put")),
    },
)
_RECOVERED = object_of(
    "Only if an interrupted transaction was cleared up before this call",
    {
        "id": text("That transaction"),
        "direction": text(
            "back: rolled back; forward: complete, has landed; unknown: a power cut destroyed its intent",
            ("back", "forward", "unknown"),
        ),
        "files": values("The paths that it was about"),
        "aside": values("Files that hold content that recovery could not leave in place or put back"),
    },
)

_NO_CHANGE = flag("True if the call leaves every file as it was; left out otherwise")
_ACTIONS = ("create", "update", "delete", "rename")
_PATH = text("The file, relative to the workspace root; absolute below an extra root")
_CHANGE_ID = nullable(text("The change that landed, for undo; null if nothing was changed"))
_HASH = digest("Of the file's new content, for expect_hash; in a dry run, of what it would be")
_DIFF = text("All that changes, as a unified diff; empty if nothing does")
_DRY_RUN = flag("True if nothing was to be written; left out otherwise")
_WARNINGS = values("What may not have been meant, but was done")
_LINES = {"start_line": integer("First line, from 1"), "end_line": integer("Last line, inclusive")}
_COLUMNS = {
    "line_number": integer("From 1"),
    "column_start": integer("From 1"),
    "column_end": integer("Exclusive"),
}
_RUNG = nullable(text("How strictly the text was found; null if there was none to find", RUNGS))
_SCORE = nullable(number("How alike the text and the place are, up to 1"))
_WRITTEN_ON = nullable(
    object_of(
        "The earlier version that the text was written on, if the change was merged from there",
        {
            "source": text("How it is known", ("read", "history", "index", "head", "commit")),
            "id": nullable(text("The change or commit that has it")),
            "until": nullable(text("The change or commit that replaced it")),
        },
    )
)
_FILES = objects(
    "The files that change",
    {
        "path": _PATH,
        "action": text("What happens to it", _ACTIONS),
        "hash": nullable(digest("Of its new content; null if it is deleted")),
    },
    {"to": text("Its new name, if it is renamed")},
)

_ISSUE = {
    "path": text("The file"),
    "line": integer("From 1"),
    "column": integer("From 1"),
    "severity": text("How bad it is", ("error", "warning")),
    "code": text("The check's own code"),
    "message": text("What is wrong"),
    "validator": text("The check"),
    "source": text("The line that it stands in"),
}
_VALIDATION = object_of(
    "What checks of the new content found",
    {
        "passed": flag("Whether every check was run and found no error that counts"),
        "new": objects("Problems that the edit brings", _ISSUE),
        "existing": objects("Problems that were there before", _ISSUE),
        "fixed": objects("Problems that the edit takes away", _ISSUE),
        "not_run": objects(
            "Checks that could not be carried out",
            {
                "path": text("The file"),
                "validator": text("The check"),
                "reason": text("Why not"),
                "required": flag("Whether the edit is rejected for that"),
            },
        ),
    },
)
_CHECKED = {"validation": {**_VALIDATION, "description": "Only with validate: what checks of the new content found"}}
_REJECTED = {
    "files": values("VALIDATION_FAILED: the files"),
    "validation": {"type": "object", "description": "VALIDATION_FAILED: what checks found, as in a result"},
    "diff": text("VALIDATION_FAILED: what would have changed"),
}

_DIFFERENCES = objects(
    "What is different",
    {
        "type": text("What kind of difference", dict.fromkeys(KINDS.values())),
        "name": text("The same, more closely", KINDS),
        "expected": text("As it was sent"),
        "found": text("As it stands in the file"),
        "line_number": integer("From 1"),
        "description": text("In words"),
    },
)
_FAILED_EDIT = object_of(
    "Only if an edit failed, or its file cannot be edited",
    {
        "type": text(
            "The error's code", ("NO_MATCH", "WRONG_COUNT", "FILE_NOT_FOUND", "BINARY_FILE", "PERMISSION_DENIED")
        ),
        "edit_index": integer("The first edit that failed, from 0"),
        "total_edits": integer("How many were sent"),
        "message": text("What happened"),
    },
    {
        "search_text": text("The old_text that was sent"),
        "expected_occurrences": integer("How often it should stand there"),
        "actual_occurrences": integer("How often it does"),
        "match_locations": objects(
            "Where it stands",
            {**_COLUMNS, "line_content": text("The line")},
            {"context_before": text("The line before"), "context_after": text("The line after")},
        ),
        "similar_content": objects(
            "Places like it, best first",
            {
                "line_number": integer("From 1"),
                "content": text("What stands there"),
                "similarity_score": number("Up to 1"),
                "symbol": text("The class or function that it is in, if any"),
                "differences": _DIFFERENCES,
            },
        ),
    },
)
_SUGGESTED_FIXES = objects(
    "What to do about a failed edit, best first",
    {
        "type": text(
            "What kind of mistake",
            (
                "USE_EXACT_TEXT",
                "CHECK_WHITESPACE",
                "ADJUST_COUNT",
                "ESCAPE_SPECIAL",
                "ALREADY_APPLIED",
                "TARGET_DELETED",
            ),
        ),
        "suggestion": text("In words"),
    },
    {"example": text("JSON to send; with old_text and new_text, an edit that lands")},
)
_FILE_PREVIEW = object_of(
    "The lines that a failed edit is about",
    {
        "total_lines": integer("Of the file"),
        "preview_start_line": integer("From 1"),
        "preview_end_line": integer("Inclusive"),
        "content": text("The lines"),
        "highlights": objects("What to look at", _COLUMNS),
    },
)
_FILE_EDIT = _result(
    {
        "path": _PATH,
        "change_id": _CHANGE_ID,
        "hash": _HASH,
        "diff": object_of(
            "What changes",
            {
                "unified": _DIFF,
                "added": integer("Lines"),
                "removed": integer("Lines"),
                "truncated": flag("Whether the text for the model shows only a part of it"),
            },
        ),
        "edits_applied": objects(
            "What each edit did",
            {
                "edit_index": integer("From 0"),
                "occurrences_replaced": integer("How many places"),
                "line_numbers": values("Their lines in the file as it was", of="integer"),
            },
        ),
        "total_replacements": integer("By all edits"),
        "warnings": _WARNINGS,
    },
    {
        "dry_run": _DRY_RUN,
        "would_modify": flag("In a dry run: whether the file would change"),
        "preview": objects(
            "In a dry run: the replacements",
            {
                "edit_index": integer("From 0"),
                "line_number": integer("From 1"),
                "before": text("The lines as they are"),
                "after": text("The lines after all edits"),
            },
        ),
        **_CHECKED,
        "validation_error": _FAILED_EDIT,
        "suggested_fixes": _SUGGESTED_FIXES,
        "file_preview": _FILE_PREVIEW,
    },
    _REJECTED,
)

_PATCH = _result(
    {
        "path": _PATH,
        "change_id": _CHANGE_ID,
        "hash": _HASH,
        "created": flag("Whether the file is new"),
        "patches": objects(
            "Where each patch went; lines are those of the file as it was",
            {
                "index": integer("From 0"),
                "operation": text("What it does", OPERATIONS),
                "rung": _RUNG,
                "score": _SCORE,
                "runner_up": nullable(object_of("The next best place", {**_LINES, "score": number("Up to 1")})),
                **_LINES,
                "replaced": text("What stood there; a long text is cut"),
                "written_on": _WRITTEN_ON,
            },
        ),
        "clipboards": values("Those that this call filled"),
        "warnings": _WARNINGS,
        "display": object_of("What changes", {"path": _PATH, "diff": _DIFF}),
    },
    {"dry_run": _DRY_RUN, **_CHECKED},
    _REJECTED,
)

_CORRECTION = object_of(
    "The change that fits, where that is known",
    {"old_text": text("The lines of the file"), "new_text": text("What they become"), **_LINES},
)
_BLOCK_ERROR = _error(
    "Why it failed; null if it did not",
    {"details": values("What is known about it"), "correction": nullable(_CORRECTION)},
)
_FORMATS = ("search_replace", "new_file", "v4a", "unified", "call", "whole_file")
_UNREAD = objects(
    "What looks like an edit in the reply and was not read",
    {
        "line": integer("The line of the reply at which it begins"),
        "kind": text("What it seems to be", UNREAD_KINDS),
        "path": nullable(text("The file it seems to be about")),
        "edits": flag("Whether it clearly edits a file; if true, the call is an error unless only is given"),
        "message": text("All of this in one sentence"),
    },
)
_APPLY_REPLY = _result(
    {
        "change_id": _CHANGE_ID,
        "summary": object_of(
            "How many blocks and hunks",
            {
                "applied": integer("Changed something"),
                "already_applied": integer("Found nothing left to change"),
                "failed": integer("Could not be applied"),
                "skipped": integer("Were not chosen, or not applied because others failed"),
            },
        ),
        "blocks": objects(
            "What became of each block or hunk, in order",
            {
                "id": text("Its number, or 3.2 for the second hunk of block 3; for only"),
                "format": text("How it is written", _FORMATS),
                "action": text("What it does to the file", _ACTIONS),
                "path": nullable(text("The file; null if nothing says which")),
                "path_as_written": nullable(text("The file as the reply names it")),
                "status": text("What became of it", ("applied", "already_applied", "failed", "skipped")),
                "line": nullable(integer("Line of the file where it changes something")),
                "reply_line": integer("Its first line in the reply"),
                "rung": _RUNG,
                "score": _SCORE,
                "written_on": _WRITTEN_ON,
                "diff": text("What it changes, as a unified diff"),
                "error": nullable(_BLOCK_ERROR),
            },
            {"to": text("The file's new name, if it is renamed")},
        ),
        "files": _FILES,
        "unread": _UNREAD,
        "errors": values("What is wrong with the reply"),
        "warnings": _WARNINGS,
        "diff": _DIFF,
    },
    _CHECKED,
    {
        "failed": values("BLOCKS_FAILED: their ids; VALIDATION_FAILED: which blocks failed as well, and why"),
        "landed": values("BLOCKS_FAILED: the ids of those that were applied; do not send them again"),
        **_REJECTED,
    },
)

_SAFE_EDIT = _result(
    {
        "path": nullable(_PATH),
        "mode": text("As it was sent: strict, interactive or verify_only"),
        "written": flag("Whether the file was written"),
        "change_id": _CHANGE_ID,
        "hash": nullable(digest("Of the file as it stands now, for expect_hash; null if there is none")),
        "replacements": nullable(integer("How many places a search found; null without a search")),
        "diff": _DIFF,
        "validation": _VALIDATION,
    },
    error={
        "correction": nullable(
            object_of(
                "PATTERN_NOT_FOUND: the search that fits, where that is known",
                {"search": text("The text of the file"), "replace": text("What it becomes")},
            )
        )
    },
)

_FILE_READ = _result(
    {
        "path": _PATH,
        "hash": digest("Of the whole file, for expect_hash"),
        "size": integer("Of the whole file, in bytes"),
        "encoding": nullable(text("Null if it is not known")),
        "bom": flag("Whether it begins with a byte order mark"),
        "line_ending": text("How its lines end", ("lf", "crlf", "cr", "mixed", "none")),
        "final_newline": flag("Whether the last line has an end"),
        "indent": object_of(
            "How its lines are indented",
            {
                "style": text("By what", ("spaces", "tabs", "mixed", "none")),
                "width": integer("Spaces of one step; 0 if there are none"),
            },
        ),
        "total_lines": integer("Of the whole file"),
        "start_line": integer("First line that is shown, from 1"),
        "end_line": integer("Last line that is shown, inclusive"),
        "truncated": flag("Whether not all that was asked for is shown"),
    },
)

_HISTORY_LIST = _result(
    {
        "changes": objects(
            "Newest first",
            {
                "change_id": text("For undo"),
                "time": text("When it landed, in UTC, as RFC 3339"),
                "tool": text("What made it"),
                "summary": text("What it was"),
                "state": text("In force, taken back, or with a damaged record", ("landed", "undone", "damaged")),
                "undoes": nullable(text("The change that it took back, if it is an undo or redo")),
                "files": objects(
                    "What it did",
                    {
                        "path": _PATH,
                        "action": text("What happened to it", _ACTIONS),
                        "added": integer("Lines"),
                        "removed": integer("Lines"),
                    },
                    {"to": text("Its new name, if it was renamed")},
                ),
            },
        ),
        "next": nullable(text("What to give as before to see older ones; null if there are none")),
    },
)

_CONFLICTS = objects(
    "UNDO_CONFLICT: where later work stands in the way; a side is null where there is no such file",
    {
        "path": _PATH,
        "line": integer("From 1"),
        "base": nullable(text("As the change left it")),
        "ours": nullable(text("As it is now")),
        "theirs": nullable(text("As it would become")),
    },
    {
        "about": text("Only if the sides are names, or files that were replaced as a whole", ("name", "file")),
        "truncated": flag("True if a side is cut"),
    },
)


def _taken_back(key: str, about: str) -> Schema:
    return _result(
        {
            "change_id": _CHANGE_ID,
            key: text(about),
            "merged": flag("Whether later work was kept by a merge"),
            "files": _FILES,
            "diff": _DIFF,
        },
        error={
            "conflicts": _CONFLICTS,
            "later": values("UNDO_CONFLICT: later changes of these files, newest first"),
        },
    )


_TEXT_EDITOR = _result(
    {
        "command": nullable(text("What was asked for, if it was said")),
        "path": nullable(text("File or folder, relative to the root, if it was said")),
    },
    {
        "change_id": nullable(text("What undo takes; null if nothing changed")),
        "hash": digest("Of the file's bytes"),
        "diff": text("What changed, as a unified diff"),
        "warnings": values("What should be known besides"),
        "total_lines": integer("Lines of the file that was viewed"),
        "start_line": integer("The first line that is shown"),
        "end_line": integer("The last line that is shown"),
        "entries": values("What stands in the folder, two levels deep; folders end with a slash"),
        "left_out": integer("How many entries are not shown"),
        "truncated": flag("Whether something is not shown"),
    },
)

RESULTS = {
    "apply_patch": _APPLY_REPLY,
    "apply_reply": _APPLY_REPLY,
    "file_edit": _FILE_EDIT,
    "file_read": _FILE_READ,
    "history": _HISTORY_LIST,
    "patch": _PATCH,
    "redo": _taken_back("redone", "The change that was done again"),
    "safe_edit": _SAFE_EDIT,
    "str_replace_based_edit_tool": _TEXT_EDITOR,
    "undo": _taken_back("undone", "The change that was taken back"),
}
"""The schemas by tool. A tool that answers with a list has none."""
