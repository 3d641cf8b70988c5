"""The words for what can go wrong with a pattern, and the one-line texts of the regex tools."""

from __future__ import annotations

from suture import errors
from suture.settings import how_to_set
from suture.wording.edits import rejection_lines
from suture.wording.phrases import count, entry, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from suture.audience import Audience
    from suture.wording.phrases import E, Words

_SHOWN_PROBLEMS = 3  # of the arguments


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
        _line(errors.InvalidArguments, lambda e: "Invalid arguments: " + "; ".join(_problems(e))),
        _line(
            errors.FileChanged,
            lambda e: f"File modified during operation: {plain(e.path)} (another process changed it)",
        ),
    ]
)


def _problems(error: errors.InvalidArguments) -> list[str]:
    return [plain(f"{problem['argument']}: {problem['problem']}") for problem in error.problems[:_SHOWN_PROBLEMS]]


def one_line(error: errors.SutureError, words: str, *, several: bool) -> str:
    """An error as the regex tools show it, of which `several` work on many files: else `words`, in one line."""
    if error.code in _LINES:
        return _LINES[error.code](error)
    if isinstance(error, errors.PermissionDenied):
        doing = " writing" if error.operation == "write" else " reading" if several else ""
        return f"Permission denied{doing}: {plain(error.path)}"
    return " ".join(words.split("\n"))
