"""Calls of `safe_edit`, held to what its texts and its data must say together, and models of its edits."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from suture import Settings, ToolResult, Workspace
from suture.testing import MemoryFS
from tests.unit.changes import workspace
from tests.unit.file_edits import snapshot

FIELDS = {"path", "mode", "written", "change_id", "hash", "replacements", "diff", "validation"}
CHECKED = {"passed", "new", "existing", "fixed", "not_run"}
ISSUE = {"path", "line", "column", "severity", "code", "message", "validator"}
NOT_RUN = {"path", "validator", "reason", "required"}
NOTHING: dict[str, Any] = {"new": [], "existing": [], "fixed": [], "not_run": []}
SAVED = "✅ File saved successfully."
NOT_VALIDATED = "⚠️ Not validated: "
_SHOWN = re.compile(r"\*\*Diff Preview:\*\*\n(`{3,})diff\n(.*?)\n\1\n\n", re.DOTALL)

Issues = list[dict[str, Any]]


class TextParts(NamedTuple):
    """A text's two parts: the diff, if it is shown, and the status."""

    diff: str | None
    status: str


def split_text(result: ToolResult) -> TextParts:
    preview = _SHOWN.match(result.text)
    if preview is None:
        assert "**Diff Preview:**" not in result.text
        return TextParts(None, result.text)
    fence, diff = preview.groups()
    assert len(fence) > max(map(len, re.findall("`+", diff)), default=0)
    return TextParts(diff.rstrip("\n"), result.text[preview.end() :])


def ask(ws: Workspace, path: str, **arguments: Any) -> ToolResult:
    """The answer to a call, after a look at whether its text and its data agree."""
    result = ws.call("safe_edit", {"path": path, **arguments})
    if result.is_error:
        _check_error(result, arguments)
    else:
        _check_success(result, arguments)
    return result


def _check_error(result: ToolResult, arguments: dict[str, Any]) -> None:
    data = result.data
    assert {"code", "message", "hint", "retryable"} <= set(data["error"])
    assert "Value error," not in result.text
    if data["error"]["code"] == "INVALID_ARGUMENTS":
        return
    assert (data["mode"], data["written"], data["change_id"]) == (arguments.get("mode") or "strict", False, None)
    if data["error"]["code"] == "VALIDATION_FAILED":
        assert set(data) >= FIELDS
        _check_validation(result, arguments)
        assert not data["validation"]["passed"]


def _check_success(result: ToolResult, arguments: dict[str, Any]) -> None:
    data = result.data
    assert set(data) >= FIELDS
    assert "error" not in data
    assert data["mode"] == (arguments.get("mode") or "strict")
    assert data["written"] == (data["change_id"] is not None)
    assert (data["replacements"] is None) == (arguments.get("search_replace") is None)
    _check_validation(result, arguments)


def _check_validation(result: ToolResult, arguments: dict[str, Any]) -> None:
    data, (diff, status) = result.data, split_text(result)
    validation = data["validation"]
    assert set(validation) >= CHECKED
    for issue in (*validation["new"], *validation["existing"], *validation["fixed"]):
        assert set(issue) >= ISSUE
    for check in validation["not_run"]:
        assert set(check) >= NOT_RUN
    hides = arguments.get("show_diff") is False
    assert diff == (None if hides or not data["diff"] else data["diff"].rstrip("\n"))
    blocking = errors(validation["new"])
    if arguments.get("validate") == "all":
        blocking += errors(validation["existing"])
    checked = "markers_only" not in validation  # a call is about one file
    assert validation["passed"] == (checked and not blocking and not validation["not_run"])
    assert validation["passed"] or "✅ Validation Passed" not in status
    if data["written"]:
        assert SAVED in status.split("\n")
    if data["written"] or (data["mode"] == "verify_only" and data["replacements"] != 0):
        lines = status.split("\n")
        assert any(line.startswith(NOT_VALIDATED) for line in lines) == bool(validation["not_run"])
        assert set(map(line_of, shown_issues(errors(validation["new"])))) <= set(lines)


def errors(issues: Issues) -> Issues:
    return [issue for issue in issues if issue["severity"] == "error"]


def codes(issues: Issues) -> list[tuple[int, str]]:
    """Where the issues are, and which they are."""
    return [(issue["line"], issue["code"]) for issue in issues]


def line_of(issue: dict[str, Any]) -> str:
    return f"{issue['path']}:{issue['line']}:{issue['column']} {issue['code']} {issue['message']}"


def line(start: int, end: int, new: str, **more: Any) -> dict[str, Any]:
    return {"start_line": start, "end_line": end, "new_content": new, **more}


def swap(search: str, replace: str, **more: Any) -> dict[str, Any]:
    return {"search": search, "replace": replace, **more}


def pattern(search: str, replace: str, **more: Any) -> dict[str, Any]:
    return swap(search, replace, regex=True, **more)


def failure(
    before: bytes | None, settings: Settings | None = None, path: str = "a.txt", **arguments: Any
) -> ToolResult:
    """The result of a call that fails in every mode with the same code, and changes nothing."""
    ws, fs = workspace({} if before is None else {path: before}, settings)
    state = snapshot(fs)
    answers = [ask(ws, path, **arguments, mode=mode) for mode in ("interactive", "verify_only", "strict")]
    assert snapshot(fs) == state
    assert [result.is_error for result in answers] == [True] * 3, answers[0].text
    assert len({result.data["error"]["code"] for result in answers}) == 1
    return answers[-1]


def code_of(result: ToolResult) -> str:
    assert result.is_error, result.text
    code: str = result.data["error"]["code"]
    return code


class Folder:
    """A workspace on the disk, as checks that run other programs need it."""

    def __init__(self, root: Path, **files: str) -> None:
        """Files are named without their `.py`."""
        self.root = root
        self.ws = Workspace(root)
        for name, content in files.items():
            (root / f"{name}.py").write_bytes(content.encode())

    def ask(self, path: str, **arguments: Any) -> ToolResult:
        return ask(self.ws, path, **arguments)

    def read(self, path: str) -> str:
        return (self.root / path).read_bytes().decode()

    def state(self) -> dict[str, tuple[bytes, int] | None]:
        """Everything that is there: a check leaves nothing behind."""
        paths = {str(path.relative_to(self.root)): path for path in self.root.rglob("*")}
        return {
            name: (path.read_bytes(), path.stat().st_mtime_ns) if path.is_file() else None
            for name, path in paths.items()
        }


# What line edits mean


def lines_of(text: str) -> list[str]:
    """Lines with their ends: LF and CRLF only."""
    return re.findall(r"[^\n]*\n|[^\n]+\Z", text)


def end_of(line: str) -> str:
    return "\r\n" if line.endswith("\r\n") else "\n" if line.endswith("\n") else ""


def near_end(lines: Sequence[str], start: int, end: int) -> str | None:
    """The line ending of a range (from 1, both included), or of what is above; None where endings are mixed."""
    inside = {end_of(line) for line in lines[start - 1 : end]} - {""}
    if len(inside) == 1:
        return inside.pop()
    above = [end_of(line) for line in lines[: start - 1]]
    if inside or len(set(above)) > 1:
        return None
    return above[-1] if above else "\n"


def with_ending(last: str, new: str, ending: str) -> str:
    """What a range becomes that ends with the line `last`."""
    if not new:
        return ""
    if "\r" not in new:
        new = new.replace("\n", ending)
    last_ending = end_of(last)
    if last_ending and not new.endswith("\n"):
        return new + last_ending
    if not last_ending and new.endswith("\n"):
        return new[: -len(end_of(new))]
    return new


def memory(**files: bytes) -> tuple[Workspace, MemoryFS]:
    """A workspace of text files, named without their `.txt`."""
    return workspace({f"{name}.txt": content for name, content in files.items()})


def shown_issues(issues: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The problems that a text lists: only the first syntax error of a line."""
    first = {(issue["path"], issue["line"]): issue for issue in reversed(issues) if issue["code"] == "invalid-syntax"}
    return [issue for issue in issues if issue["code"] != "invalid-syntax" or issue in first.values()]
