"""What `safe_edit` answers."""

from __future__ import annotations

from suture import render
from suture.errors import InvalidArguments, PatternNotFound, ValidationFailed
from suture.safe_wording import existing_errors, failed_lines, new_lines, other_lines
from suture.tools import generated
from suture.tools.spec import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from suture.errors import SutureError
    from suture.plan import Change, Create, Update
    from suture.tools.safe import SafeEdit

_EDIT_ERRORS = {
    "LINE_OUT_OF_BOUNDS",
    "OVERLAPPING_LINES",
    "DRIFTED",
    "INVALID_REGEX",
    "INVALID_CAPTURE_GROUP",
    "REGEX_TIMEOUT",
}
_WRITE_ERRORS = {"PERMISSION_DENIED", "WRITE_FAILED"}
_SHOWN = 8
_SHORTEST_FENCE = 3
_TOLD_ABOVE = {"validation", "diff", "replacements"}
"""Fields of an error that stand elsewhere in the answer."""


class Saved:
    """The outcome of a call, told once it landed, or would have."""

    def __init__(
        self,
        request: SafeEdit,
        name: str,
        current: str | None,
        changes: Sequence[Update | Create],
        diff: str,
        replacements: int | None,
        validation: dict[str, Any],
        warnings: Sequence[str] = (),
    ) -> None:
        """`current` is the hash of the file as it stands; `warnings` are about text that goes away."""
        self._request = request
        self._name = name
        self._current = current
        self._changes = changes
        self._diff = diff
        self._replacements = replacements
        self._validation = validation
        self._lost = warnings

    def answer(self, change: Change | None) -> Answer:
        """What the caller is told."""
        written = change is not None
        data = {
            "path": self._name,
            "mode": self._request.mode,
            "written": written,
            "change_id": None if change is None else change.id,
            "hash": self._changes[0].after.digest if written else self._current,
            "replacements": self._replacements,
            "diff": self._diff,
            "validation": self._validation,
        }
        words = "\n".join([*self._status(change), *self._warnings()])
        return Answer(preview(self._diff, words) if self._request.show_diff else words, data)

    def _status(self, change: Change | None) -> Iterator[str]:
        request, found = self._request, self._validation
        counted = [*new_lines(found)]
        if every := request.validate == "all":
            counted += existing_errors(found)
        yield from self._done(change)
        if request.mode == "verify_only":
            yield from self._verified(counted)
        elif change is not None and counted:
            yield f"⚠️ Saved with validation warnings (Mode: {request.mode}):"
            yield from counted
        yield from other_lines(found, existing=not every)

    def _done(self, change: Change | None) -> Iterator[str]:
        """What became of the file."""
        wanted = self._request.search_replace
        if wanted is not None and not self._replacements:
            yield f"⚠️ Pattern '{render.plain(wanted.search)}' not found (no changes made)"
        elif not self._changes:
            yield f"✅ No changes: {render.plain(self._name)} does not exist, and nothing was to be written."
        elif not self._diff and self._current is not None:
            yield f"✅ No changes: {render.plain(self._name)} already has this content."
        elif change is not None:
            if wanted is not None:
                old, new = (f"'{render.plain(each)}'" for each in (wanted.search, wanted.replace))
                yield f"✅ Replaced {render.count(self._replacements or 0, 'occurrence')} of {old} → {new}"
            yield "✅ File saved successfully."

    def _verified(self, counted: Sequence[str]) -> Iterator[str]:
        """What an edit that is not written would bring."""
        found = self._validation
        errors = [each for each in found["new"] if each["severity"] == "error"]
        if found["passed"]:
            yield "✅ Validation Passed"
        if errors or (self._request.validate == "all" and existing_errors(found)):
            yield "❌ Validation Failed:"
        elif counted:
            yield "⚠️ Warnings:"
        yield from counted

    def _warnings(self) -> Iterator[str]:
        yield from (f"warning: {each}" for each in self._lost)
        for each in self._changes:
            before = getattr(each, "before", None)
            content = self._request.content
            if before is not None and content is not None and "\r" not in content and b"\r\n" in before.text.body:
                yield "warning: the file's lines ended with CRLF; those of content end with LF, and are taken so."
            if before is not None and self._diff and (made := generated.warning(self._name, before.text.body)):
                yield f"warning: {made}"


def preview(diff: str, words: str) -> str:
    """A diff, and the words below it; the fence is longer than any run of backticks inside."""
    if not diff:
        return words
    longest = max((len(run) for line in diff.split("\n") for run in _backticks(line)), default=0)
    fence = "`" * max(longest + 1, _SHORTEST_FENCE)
    return f"**Diff Preview:**\n{fence}diff\n{diff.removesuffix(chr(10))}\n{fence}\n\n{words}"


def _backticks(line: str) -> list[str]:
    """The runs of backticks in a line."""
    return "".join(char if char == "`" else " " for char in line).split() if "`" in line else []


def unsaved(given: Mapping[str, object], error: SutureError) -> Answer:
    """A failure in the shape of a result."""
    path, mode = getattr(error, "path", given.get("path")), given.get("mode")
    data: dict[str, Any] = {
        "path": path if isinstance(path, str) else None,
        "mode": mode if isinstance(mode, str) else "strict",
    }
    data |= {"written": False, "change_id": None, "hash": error.standing, "replacements": None, "diff": ""}
    data["validation"] = {"passed": False, "new": [], "existing": [], "fixed": [], "not_run": []}
    words = _told(error)
    if isinstance(error, ValidationFailed):
        data |= {"path": error.files[0], "replacements": error.replacements, "diff": error.diff}
        data["validation"] = error.validation
        words = preview(error.diff, words) if given.get("show_diff") not in {False, "false"} else words
    elif isinstance(error, PatternNotFound):
        data["replacements"] = 0
    shown = {name: each for name, each in render.error_data(error).items() if name not in _TOLD_ABOVE}
    return Answer(words, {**data, "error": shown}, is_error=True)


def _told(error: SutureError) -> str:
    """An error as the specification has it: a cross, what is wrong, and what to do about it."""
    if isinstance(error, ValidationFailed):
        found = error.validation
        blamed = bool(found["new"]) or any(each["required"] for each in found["not_run"])
        lines, others = failed_lines(found), other_lines(found, existing=blamed, required=False)
        return "\n".join(["❌ Edit rejected due to validation errors (Mode: strict):", *lines, *others])
    if isinstance(error, InvalidArguments):
        problems = [render.plain(f"{each['argument']}: {each['problem']}") for each in error.problems[:_SHOWN]]
        return "\n".join(["❌ Invalid arguments:", *problems, render.hint(error)])
    message, hint = render.message(error), render.hint(error)
    if error.code in _EDIT_ERRORS:
        message = f"Edit failed: {message}"
    elif error.code == "BINARY_FILE":
        message = f"Cannot edit binary file {render.plain(getattr(error, 'path', ''))}"
    elif error.code in _WRITE_ERRORS:
        message = f"Failed to write file: {message}"
    return f"❌ {message}\n{hint}"
