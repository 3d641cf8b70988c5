"""The words for what can go wrong with a pattern, and the one-line texts of the regex tools."""

from __future__ import annotations

from suture.settings import how_to_set
from suture.wording.edits import failed_lines
from suture.wording.phrases import count, plain, same

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from suture.wording.phrases import Words

_SHOWN_PROBLEMS = 3


def _no_files(error: Any) -> str:
    if error.hidden_by:
        return f"{error.hidden_by}."
    return "Check it: it is relative to the workspace root, and ** stands for any number of folders."


def _invalid_group(error: Any) -> str:
    if error.meant is not None:
        return f"Invalid capture group: {error.reference} (write {error.meant})"
    return f"Invalid capture group: {error.reference} (only {count(error.groups, 'group')} in pattern)"


def _groups(error: Any) -> str:
    if error.meant is not None and error.dialect == "Python":
        return r"Groups are \1 and \g<name> here, as in Python. For a dollar sign before a number or name, write \044."
    if error.meant is not None:
        return (
            "Write groups as $1 and ${name} here. To insert this text itself, make the groups of the "
            "pattern non-capturing: (?:…)."
        )
    names = f" Its named groups are {', '.join(error.names)}." if error.names else ""
    return f"Refer to a group of the pattern, or write $$ for a dollar sign.{names}"


def _fewer(error: Any) -> str:
    if error.setting:
        setting = how_to_set(error.setting)
        return f"Nothing was changed. Replace in fewer files, or ask the operator to raise the setting {setting}."
    return "Nothing was changed. Narrow the pattern, or raise max_replacements."


PATTERN_MESSAGES: dict[str, Words] = {
    "INVALID_REGEX": (
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
    "INVALID_FLAGS": (
        lambda e: f"Invalid flags: {e.flags} (supported: {e.supported})",
        same("g: all matches, i: ignore case, m: ^ and $ at line ends, s: . matches line ends, too."),
    ),
    "REGEX_TIMEOUT": (
        lambda e: f"Regex timed out after {e.timeout_ms} ms: {e.pattern}",
        lambda e: (
            f"It was searching {e.path}. Avoid nested or neighboring quantifiers that can match the same text, "
            f"narrow the files, or ask the operator to raise the setting {how_to_set(e.setting)}."
        ),
    ),
    "INVALID_GLOB": (
        lambda e: f"Invalid glob pattern: {e.pattern}",
        lambda e: f"It cannot be read: {e.reason}.",
    ),
    "NO_FILES_MATCHED": (lambda e: f"No files matched pattern: {e.pattern}", _no_files),
    "INVALID_CAPTURE_GROUP": (
        _invalid_group,
        _groups,
    ),
    "NO_CAPTURE_GROUPS": (
        lambda e: f"Pattern has no capture groups: {e.pattern}",
        same("Put parentheses around what shall be extracted."),
    ),
    "TOO_MANY_REPLACEMENTS": (lambda e: f"Max replacements exceeded: {e.found} (limit: {e.limit})", _fewer),
    "OVER_MATCH": (
        lambda e: (
            f"Over-match: the match at {e.path}:{e.line} ends in line {e.end_line} and holds another one "
            f"at line {e.inner_line}"
        ),
        same("Nothing was changed. Use a lazy quantifier (*?), or set allow_over_match if all of it is meant."),
    ),
}

_LINES: dict[str, Callable[[Any], str]] = {
    "FILE_NOT_FOUND": lambda e: f"File not found: {plain(e.path)}",
    "NOT_A_FILE": lambda e: f"Not a file: {plain(e.path)} ({e.kind})",
    "PATH_OUTSIDE_WORKSPACE": lambda e: f"Path outside workspace: {plain(e.path)} ({plain(e.reason)})",
    "PROTECTED_PATH": lambda e: f"Protected path: {plain(e.path)} ({plain(e.rule)})",
    "INPUT_TOO_LARGE": lambda e: (
        f"Too large: {plain(e.what)} has {e.size:,} {e.unit} (limit: {e.limit:,}"
        f"{f', setting {e.setting}' if e.setting else ''})"
    ),
    "VALIDATION_FAILED": lambda e: "Validation failed: " + "; ".join(failed_lines(e.validation)),
    "INVALID_ARGUMENTS": lambda e: (
        "Invalid arguments: "
        + "; ".join(plain(f"{each['argument']}: {each['problem']}") for each in e.problems[:_SHOWN_PROBLEMS])
    ),
}


def one_line(error: Any, words: str, *, several: bool) -> str:
    """An error as the regex tools tell it, of which `several` work on many files: else `words`, in one line."""
    if error.code in _LINES:
        return _LINES[error.code](error)
    if error.code == "PERMISSION_DENIED":
        doing = " writing" if error.operation == "write" else " reading" if several else ""
        return f"Permission denied{doing}: {plain(error.path)}"
    if error.code == "FILE_CHANGED":
        return f"File modified during operation: {plain(error.path)} (another process changed it)"
    return " ".join(words.split("\n"))
