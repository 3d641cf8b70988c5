"""The words for edits by lines or by search, and for what checks find in the files that an edit would leave."""

from __future__ import annotations

from suture.phrases import count, few, plain, same, span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from suture.phrases import Words

_SHOWN = 10
_SHOWN_OTHERS = 5
_SHOWN_LINES = 3
_SHOWN_PLACES = 5
_SYNTAX, _CONFLICT = "invalid-syntax", "conflict-marker"


def issue_line(issue: dict[str, Any]) -> str:
    """A problem in a line."""
    told = f"{issue['path']}:{issue['line']}:{issue['column']} {issue['code']} {issue['message']}"
    return plain(told + (" (warning)" if issue["severity"] == "warning" else ""))


def new_lines(validation: dict[str, Any]) -> Iterator[str]:
    """The problems that an edit brings, errors first."""
    yield from _few([*map(issue_line, _errors_first(validation["new"]))], _SHOWN)


def required_lines(validation: dict[str, Any]) -> Iterator[str]:
    """The checks that must be carried out, and could not be."""
    yield from _few([_not_run(each) for each in validation["not_run"] if each["required"]], _SHOWN)


def existing_errors(validation: dict[str, Any]) -> list[str]:
    """The errors that were there before."""
    errors = [each for each in validation["existing"] if each["severity"] == "error"]
    return [*_few([*map(issue_line, errors)], _SHOWN)]


def other_lines(validation: dict[str, Any], *, existing: bool = True, required: bool = True) -> Iterator[str]:
    """What else is to know: problems that were there before, and what was not checked."""
    if existing and validation["existing"]:
        yield "Existing problems, not brought by this edit:"
        yield from _few([*map(issue_line, _errors_first(validation["existing"]))], _SHOWN_OTHERS)
    if validation["fixed"]:
        yield f"Repaired: {count(len(validation['fixed']), 'problem')}."
    for each in _few([_not_run(each) for each in validation["not_run"] if required or not each["required"]], _SHOWN):
        yield f"⚠️ Not validated: {each}"


def checked_lines(validation: dict[str, Any]) -> list[str]:
    """What came of the checks of an edit that is carried out, as tools append it to what they say."""
    new, others = [*new_lines(validation)], [*other_lines(validation)]
    if validation["passed"] and not new:
        return ["✅ Validation Passed", *others]
    return [*(["⚠️ Validation found:", *new] if new else []), *others]


def _errors_first(issues: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Errors before warnings, a merge conflict before what it leads to, and a line that is no code told once."""
    shown: dict[tuple[str, int, str, str], dict[str, Any]] = {}
    for each in issues:
        words = "" if each["code"] == _SYNTAX else each["message"]
        shown.setdefault((each["path"], each["line"], each["code"], words), each)
    return sorted(shown.values(), key=lambda each: (each["severity"] != "error", each["code"] != _CONFLICT))


def _not_run(each: dict[str, Any]) -> str:
    return plain(f"{each['path']} by {each['validator']}: {each['reason']}")


def _few(lines: list[str], most: int) -> Iterator[str]:
    yield from lines[:most]
    if len(lines) > most:
        yield f"… and {len(lines) - most} more in the metadata"


def _near(error: Any) -> str:
    return f" Did you mean {' or '.join(error.near)}?" if error.near else ""


def _drifted(error: Any) -> str:
    where = span(error.start_line, error.end_line)
    shown = "\n".join(f"  {line}" for line in few(error.text.replace("\r\n", "\n"), _SHOWN_LINES))
    return f"expected_text does not stand at {where} of {error.path}, but:\n{shown}"


def _drifted_to(error: Any) -> str:
    if not error.stands_at:
        return "expected_text stands nowhere in the file. Read the lines again, and repeat the edit."
    places = ", ".join(map(str, error.stands_at[:_SHOWN_PLACES]))
    return f"expected_text begins at line {places} now. Repeat the edit with the lines of the right place."


def _not_found(error: Any) -> str:
    if not error.exists:
        return f"There is no file {error.path}.{_near(error)}"
    advice = "Read the file, and search for what stands there; nothing was changed."
    if error.correction is not None:
        advice = "The metadata has the corrected search_replace, ready to send (error.correction); nothing was changed."
    return "\n".join([*error.details, advice])


def failed_lines(validation: dict[str, Any]) -> list[str]:
    """Why an edit is refused."""
    return [*new_lines(validation), *required_lines(validation)] or existing_errors(validation)


def _failed(error: Any) -> str:
    """Why, with the first line that is wrong, which stands nowhere yet."""
    why = failed_lines(error.validation)
    first = next(iter(_errors_first(error.validation["new"])), {"source": ""})
    if first["source"] and why:
        why.insert(1, f"  | {plain(first['source'])}")
    lines = [f"  {line}" for line in (*why, *map(plain, error.failed))]
    return "\n".join(["The edit was rejected, because of what it would leave:", *lines])


def _mend(error: Any) -> str:
    found = error.validation
    if any(each["severity"] == "error" for each in found["new"]):
        return "Nothing was written. Mend the edit and send it again; earlier problems of the file need no attention."
    if any(each["required"] for each in found["not_run"]):
        return "Nothing was written. Make the check possible, or ask the operator not to require it."
    return "Nothing was written. The edit is not to blame: mend these earlier errors first, or count only new ones."


SAFE_MESSAGES: dict[str, Words] = {
    "LINE_OUT_OF_BOUNDS": (
        lambda e: f"{e.which} {e.line} exceeds file length ({e.total_lines} lines)",
        lambda e: (
            f"Name lines from 1 to {e.total_lines} of {e.path}; to add at the end, replace the last line."
            if e.total_lines
            else f"{e.path} is empty or does not exist: give its whole content instead.{_near(e)}"
        ),
    ),
    "OVERLAPPING_LINES": (
        lambda e: f"Overlapping edits: lines {e.first[0]}-{e.first[1]} and {e.second[0]}-{e.second[1]}",
        same("All ranges refer to the file as it is. Make one edit of both."),
    ),
    "DRIFTED": (_drifted, _drifted_to),
    "PATTERN_NOT_FOUND": (lambda e: f"Pattern '{e.search}' not found in file", _not_found),
    "VALIDATION_FAILED": (
        _failed,
        _mend,
    ),
}
