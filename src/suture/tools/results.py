"""What results look like: a JSON schema for the metadata of each tool whose result is an object.

A schema fits whatever a call gives, for clients check failures, too: what worked has all the keys that are always
there, what failed has `error`. Keys may be added later: nothing that a schema does not name is refused.

Rejected: references and formats. Not every client knows them, and one that does not takes the result for a wrong one.
"""

from __future__ import annotations

from suture.locate.differences import KINDS
from suture.locate.rungs import RUNGS
from suture.tools.patches import OPERATIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    Schema = dict[str, Any]
    Fields = dict[str, Schema]


def _text(about: str, choices: Iterable[str] = ()) -> Schema:
    return {"type": "string", **({"enum": [*choices]} if choices else {}), "description": about}


def _hash(about: str) -> Schema:
    return {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$", "description": about}


def _integer(about: str) -> Schema:
    return {"type": "integer", "description": about}


def _number(about: str) -> Schema:
    return {"type": "number", "description": about}


def _flag(about: str) -> Schema:
    return {"type": "boolean", "description": about}


def _list(about: str, of: str = "string") -> Schema:
    return {"type": "array", "items": {"type": of}, "description": about}


def _objects(about: str, always: Fields, sometimes: Fields | None = None) -> Schema:
    return {"type": "array", "items": _shape(always, sometimes), "description": about}


def _object(about: str, always: Fields, sometimes: Fields | None = None) -> Schema:
    return {**_shape(always, sometimes), "description": about}


def _shape(always: Fields, sometimes: Fields | None) -> Schema:
    return {"type": "object", "properties": {**always, **(sometimes or {})}, "required": [*always]}


def _nullable(schema: Schema) -> Schema:
    found = {**schema, "type": [schema["type"], "null"]}
    return {**found, "enum": [*schema["enum"], None]} if "enum" in schema else found


def _error(about: str, some: Fields) -> Schema:
    """An error, and some of the fields that it may have besides: that depends on its code."""
    common = {
        "code": _text("Stable name of the error"),
        "message": _text("What happened"),
        "hint": _text("What to do about it"),
        "retryable": _flag("Whether the same call may succeed later"),
    }
    return {**_object(f"{about}. Further fields depend on the code", common, some), "additionalProperties": True}


def _result(always: Fields, sometimes: Fields | None = None, error: Fields | None = None) -> Schema:
    """The schema of a tool: its result has all that is `always` there, or an error, with some fields of its own."""
    told = _error("Only if the call, or a part of it, failed", {"problems": _PROBLEMS, **(error or {})})
    noted = {"history": _HISTORY, "recovered": _RECOVERED, "error": told}
    return {
        "type": "object",
        "properties": {**always, **(sometimes or {}), **noted},
        "anyOf": [{"required": [*always]}, {"required": ["error"]}],
    }


_PROBLEMS = _objects(
    "INVALID_ARGUMENTS: what does not fit",
    {"argument": _text("Which one"), "problem": _text("What is wrong with it")},
    {"nearest": _text("The one that was probably meant")},
)
_HISTORY = _object(
    "Only if something is wrong with the history",
    {
        "recorded": _flag("Whether this change can be undone"),
        "reason": _text("What is wrong"),
        "aside": _nullable(_text("Where a damaged history was put")),
    },
)
_RECOVERED = _object(
    "Only if an interrupted transaction was cleared up before this call",
    {
        "id": _text("That transaction"),
        "direction": _text("Rolled back, or forward if it was complete", ("back", "forward")),
        "files": _list("The paths that it was about"),
        "aside": _list("Where old content was put of files that somebody else had written since"),
    },
)

_ACTIONS = ("create", "update", "delete", "rename")
_PATH = _text("The file, relative to the workspace root; absolute below an extra root")
_CHANGE_ID = _nullable(_text("The change that landed, for undo; null if nothing was changed"))
_HASH = _hash("Of the file's new content, for expect_hash; in a dry run, of what it would be")
_DIFF = _text("All that changes, as a unified diff; empty if nothing does")
_DRY_RUN = _flag("True if nothing was to be written; left out otherwise")
_WARNINGS = _list("What may not have been meant, but was done")
_LINES = {"start_line": _integer("First line, from 1"), "end_line": _integer("Last line, inclusive")}
_COLUMNS = {
    "line_number": _integer("From 1"),
    "column_start": _integer("From 1"),
    "column_end": _integer("Exclusive"),
}
_RUNG = _nullable(_text("How strictly the text was found; null if there was none to find", RUNGS))
_SCORE = _nullable(_number("How alike the text and the place are, up to 1"))
_FILES = _objects(
    "The files that change",
    {
        "path": _PATH,
        "action": _text("What happens to it", _ACTIONS),
        "hash": _nullable(_hash("Of its new content; null if it is deleted")),
    },
    {"to": _text("Its new name, if it is renamed")},
)

_ISSUE = {
    "path": _text("The file"),
    "line": _integer("From 1"),
    "column": _integer("From 1"),
    "severity": _text("How bad it is", ("error", "warning")),
    "code": _text("The check's own code"),
    "message": _text("What is wrong"),
    "validator": _text("The check"),
    "source": _text("The line that it stands in"),
}
_VALIDATION = _object(
    "What checks of the new content found",
    {
        "passed": _flag("Whether every check was run and found no error that counts"),
        "new": _objects("Problems that the edit brings", _ISSUE),
        "existing": _objects("Problems that were there before", _ISSUE),
        "fixed": _objects("Problems that the edit takes away", _ISSUE),
        "not_run": _objects(
            "Checks that could not be carried out",
            {
                "path": _text("The file"),
                "validator": _text("The check"),
                "reason": _text("Why not"),
                "required": _flag("Whether the edit is rejected for that"),
            },
        ),
    },
)
_CHECKED = {"validation": {**_VALIDATION, "description": "Only with validate: what checks of the new content found"}}
_REJECTED = {
    "files": _list("VALIDATION_FAILED: the files"),
    "validation": {"type": "object", "description": "VALIDATION_FAILED: what checks found, as in a result"},
    "diff": _text("VALIDATION_FAILED: what would have changed"),
}

_DIFFERENCES = _objects(
    "What is different",
    {
        "type": _text("What kind of difference", dict.fromkeys(KINDS.values())),
        "name": _text("The same, more closely", KINDS),
        "expected": _text("As it was sent"),
        "found": _text("As it stands in the file"),
        "line_number": _integer("From 1"),
        "description": _text("In words"),
    },
)
_FAILED_EDIT = _object(
    "Only if an edit failed, or its file cannot be edited",
    {
        "type": _text(
            "The error's code", ("NO_MATCH", "WRONG_COUNT", "FILE_NOT_FOUND", "BINARY_FILE", "PERMISSION_DENIED")
        ),
        "edit_index": _integer("The first edit that failed, from 0"),
        "total_edits": _integer("How many were sent"),
        "message": _text("What happened"),
    },
    {
        "search_text": _text("The old_text that was sent"),
        "expected_occurrences": _integer("How often it should stand there"),
        "actual_occurrences": _integer("How often it does"),
        "match_locations": _objects(
            "Where it stands",
            {**_COLUMNS, "line_content": _text("The line")},
            {"context_before": _text("The line before"), "context_after": _text("The line after")},
        ),
        "similar_content": _objects(
            "Places like it, best first",
            {
                "line_number": _integer("From 1"),
                "content": _text("What stands there"),
                "similarity_score": _number("Up to 1"),
                "differences": _DIFFERENCES,
            },
        ),
    },
)
_SUGGESTED_FIXES = _objects(
    "What to do about a failed edit, best first",
    {
        "type": _text(
            "What kind of mistake",
            ("USE_EXACT_TEXT", "CHECK_WHITESPACE", "ADJUST_COUNT", "ESCAPE_SPECIAL", "ALREADY_APPLIED"),
        ),
        "suggestion": _text("In words"),
    },
    {"example": _text("JSON to send; with old_text and new_text, an edit that lands")},
)
_FILE_PREVIEW = _object(
    "The lines that a failed edit is about",
    {
        "total_lines": _integer("Of the file"),
        "preview_start_line": _integer("From 1"),
        "preview_end_line": _integer("Inclusive"),
        "content": _text("The lines"),
        "highlights": _objects("What to look at", _COLUMNS),
    },
)
_FILE_EDIT = _result(
    {
        "path": _PATH,
        "change_id": _CHANGE_ID,
        "hash": _HASH,
        "diff": _object(
            "What changes",
            {
                "unified": _DIFF,
                "added": _integer("Lines"),
                "removed": _integer("Lines"),
                "truncated": _flag("Whether the text for the model shows only a part of it"),
            },
        ),
        "edits_applied": _objects(
            "What each edit did",
            {
                "edit_index": _integer("From 0"),
                "occurrences_replaced": _integer("How many places"),
                "line_numbers": _list("Their lines in the file as it was", of="integer"),
            },
        ),
        "total_replacements": _integer("By all edits"),
        "warnings": _WARNINGS,
    },
    {
        "dry_run": _DRY_RUN,
        "would_modify": _flag("In a dry run: whether the file would change"),
        "preview": _objects(
            "In a dry run: the replacements",
            {
                "edit_index": _integer("From 0"),
                "line_number": _integer("From 1"),
                "before": _text("The lines as they are"),
                "after": _text("The lines after all edits"),
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
        "created": _flag("Whether the file is new"),
        "patches": _objects(
            "Where each patch went; lines are those of the file as it was",
            {
                "index": _integer("From 0"),
                "operation": _text("What it does", OPERATIONS),
                "rung": _RUNG,
                "score": _SCORE,
                "runner_up": _nullable(_object("The next best place", {**_LINES, "score": _number("Up to 1")})),
                **_LINES,
                "replaced": _text("What stood there; a long text is cut"),
            },
        ),
        "clipboards": _list("Those that this call filled"),
        "warnings": _WARNINGS,
        "display": _object("What changes", {"path": _PATH, "diff": _DIFF}),
    },
    {"dry_run": _DRY_RUN, **_CHECKED},
    _REJECTED,
)

_CORRECTION = _object(
    "The change that fits, where that is known",
    {"old_text": _text("The lines of the file"), "new_text": _text("What they become"), **_LINES},
)
_BLOCK_ERROR = _error(
    "Why it failed; null if it did not",
    {"details": _list("What is known about it"), "correction": _nullable(_CORRECTION)},
)
_APPLY_REPLY = _result(
    {
        "change_id": _CHANGE_ID,
        "summary": _object(
            "How many blocks and hunks",
            {
                "applied": _integer("Changed something"),
                "already_applied": _integer("Found nothing left to change"),
                "failed": _integer("Could not be applied"),
                "skipped": _integer("Were not chosen, or not applied because others failed"),
            },
        ),
        "blocks": _objects(
            "What became of each block or hunk, in order",
            {
                "id": _text("Its number, or 3.2 for the second hunk of block 3; for only"),
                "format": _text("How it is written", ("search_replace", "new_file", "v4a", "unified", "whole_file")),
                "action": _text("What it does to the file", _ACTIONS),
                "path": _nullable(_text("The file; null if nothing says which")),
                "path_as_written": _nullable(_text("The file as the reply names it")),
                "status": _text("What became of it", ("applied", "already_applied", "failed", "skipped")),
                "line": _nullable(_integer("Line of the file where it changes something")),
                "reply_line": _integer("Its first line in the reply"),
                "rung": _RUNG,
                "score": _SCORE,
                "diff": _text("What it changes, as a unified diff"),
                "error": _nullable(_BLOCK_ERROR),
            },
            {"to": _text("The file's new name, if it is renamed")},
        ),
        "files": _FILES,
        "errors": _list("What is wrong with the reply"),
        "warnings": _WARNINGS,
        "diff": _DIFF,
    },
    _CHECKED,
    {
        "failed": _list("BLOCKS_FAILED: their ids; VALIDATION_FAILED: which blocks failed as well, and why"),
        "landed": _list("BLOCKS_FAILED: the ids of those that were applied; do not send them again"),
        **_REJECTED,
    },
)

_SAFE_EDIT = _result(
    {
        "path": _nullable(_PATH),
        "mode": _text("As it was sent: strict, interactive or verify_only"),
        "written": _flag("Whether the file was written"),
        "change_id": _CHANGE_ID,
        "hash": _nullable(_hash("Of the file as it stands now, for expect_hash; null if there is none")),
        "replacements": _nullable(_integer("How many places a search found; null without a search")),
        "diff": _DIFF,
        "validation": _VALIDATION,
    },
    error={
        "correction": _nullable(
            _object(
                "PATTERN_NOT_FOUND: the search that fits, where that is known",
                {"search": _text("The text of the file"), "replace": _text("What it becomes")},
            )
        )
    },
)

_FILE_READ = _result(
    {
        "path": _PATH,
        "hash": _hash("Of the whole file, for expect_hash"),
        "size": _integer("Of the whole file, in bytes"),
        "encoding": _nullable(_text("Null if it is not known")),
        "bom": _flag("Whether it begins with a byte order mark"),
        "line_ending": _text("How its lines end", ("lf", "crlf", "cr", "mixed", "none")),
        "final_newline": _flag("Whether the last line has an end"),
        "indent": _object(
            "How its lines are indented",
            {
                "style": _text("By what", ("spaces", "tabs", "mixed", "none")),
                "width": _integer("Spaces of one step; 0 if there are none"),
            },
        ),
        "total_lines": _integer("Of the whole file"),
        "start_line": _integer("First line that is shown, from 1"),
        "end_line": _integer("Last line that is shown, inclusive"),
        "truncated": _flag("Whether not all that was asked for is shown"),
    },
)

_HISTORY_LIST = _result(
    {
        "changes": _objects(
            "Newest first",
            {
                "change_id": _text("For undo"),
                "time": _text("When it landed, in UTC, as RFC 3339"),
                "tool": _text("What made it"),
                "summary": _text("What it was"),
                "state": _text("Whether it was taken back", ("landed", "undone")),
                "undoes": _nullable(_text("The change that it took back, if it is an undo or redo")),
                "files": _objects(
                    "What it did",
                    {
                        "path": _PATH,
                        "action": _text("What happened to it", _ACTIONS),
                        "added": _integer("Lines"),
                        "removed": _integer("Lines"),
                    },
                    {"to": _text("Its new name, if it was renamed")},
                ),
            },
        ),
        "next": _nullable(_text("What to give as before to see older ones; null if there are none")),
    },
)

_CONFLICTS = _objects(
    "UNDO_CONFLICT: where later work stands in the way; a side is null where there is no such file",
    {
        "path": _PATH,
        "line": _integer("From 1"),
        "base": _nullable(_text("As the change left it")),
        "ours": _nullable(_text("As it is now")),
        "theirs": _nullable(_text("As it would become")),
    },
    {
        "about": _text("Only if the sides are names, or files that were replaced as a whole", ("name", "file")),
        "truncated": _flag("True if a side is cut"),
    },
)


def _taken_back(key: str, about: str) -> Schema:
    return _result(
        {
            "change_id": _CHANGE_ID,
            key: _text(about),
            "merged": _flag("Whether later work was kept by a merge"),
            "files": _FILES,
            "diff": _DIFF,
        },
        error={
            "conflicts": _CONFLICTS,
            "later": _list("UNDO_CONFLICT: later changes of these files, newest first"),
        },
    )


_TEXT_EDITOR = _result(
    {
        "command": _nullable(_text("What was asked for, if it was said")),
        "path": _nullable(_text("File or folder, relative to the root, if it was said")),
    },
    {
        "change_id": _nullable(_text("What undo takes; null if nothing changed")),
        "hash": _hash("Of the file's bytes"),
        "diff": _text("What changed, as a unified diff"),
        "warnings": _list("What should be known besides"),
        "total_lines": _integer("Lines of the file that was viewed"),
        "start_line": _integer("The first line that is shown"),
        "end_line": _integer("The last line that is shown"),
        "entries": _list("What stands in the folder, two levels deep; folders end with a slash"),
        "left_out": _integer("How many entries are not shown"),
        "truncated": _flag("Whether something is not shown"),
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
