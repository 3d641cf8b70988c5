"""Self-correction, measured: every task goes through `file_edit`, and a refusal's own correction is sent back unread.

`file_edit` accepts only exact text, so a corrupted edit is refused. The first of its `suggested_fixes` may have an edit
to send instead. A second call with only that edit lands right or wrong, or there is no such edit.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from bench.editbench.run import RIGHT, WRONG, Reply, Result, percentiles, rows_of
from bench.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from bench.editbench.tasks import Task
    from bench.table import Cell
    from suture import ToolResult, Workspace

AS_SENT, NONE, BROKEN = "as sent", "no correction", "broken"
_PLACEHOLDER = "ELISION_IN_NEW_TEXT"
"""Why an edit is refused although its old text is in the file."""
AFTER_REFUSAL = {RIGHT, WRONG, NONE}
NOTES = (
    "as sent: landed at once, since old occurs in the file exactly. The rest was refused, and what the error",
    "offered was sent back unread. (refuse): must be refused; right is no landing, wrong a correction that landed.",
    "Milliseconds: of the refused call.",
)


@dataclass(frozen=True)
class Attempt(Result):
    """The outcome of one task; `seconds` is the time of the first call."""

    @property
    def failed(self) -> bool:
        """Whether it neither landed as sent nor was corrected rightly."""
        return self.verdict not in {RIGHT, AS_SENT}


def attempts(tasks: Iterable[Task]) -> list[Attempt]:
    """All tasks, one after the other, in one workspace with one file."""
    from suture import Settings, Workspace  # noqa: PLC0415  the generator is imported without the engine

    with tempfile.TemporaryDirectory(prefix="editbench-") as folder:
        workspace = Workspace(folder, Settings(durability="fast", history=False))
        _edit(workspace, _file(workspace, "a.py", b"    first = one(two)\n"), "first = oen(two)\n", "")  # imports
        return [_attempt(workspace, task) for task in tasks]


def table(results: Sequence[Attempt], title: str) -> Table:
    """A row per kind, and the totals."""
    head = ["", "tasks", "as sent", "refused", "right", "wrong", "none", "right %", "p50 ms", "p99 ms"]
    return Table(title, head, rows_of(results, _row), [*_failures(results), *NOTES])


def _attempt(workspace: Workspace, task: Task) -> Attempt:
    path = _file(workspace, f"file{PurePosixPath(task.source).suffix}", task.body)
    begin = time.perf_counter()
    first = _edit(workspace, path, task.old, task.new)
    seconds = time.perf_counter() - begin
    after = path.read_bytes()
    if not first.is_error:
        return Attempt(task, Reply(after, first.text), AS_SENT if _is_literal(task, after) else BROKEN, seconds)
    code, example = first.metadata["error"]["code"], _example(first)
    explanation = f"{code}\n{first.text}\n----- CORRECTION: {example}"
    is_exact = len(_places(task)) == 1 and code != _PLACEHOLDER
    if after != task.body or is_exact or code == "INTERNAL":
        return Attempt(task, Reply(None if after == task.body else after, explanation, code), BROKEN, seconds)
    second = _send_back(workspace, path, example)
    if second is None or second.is_error:
        explanation += "" if second is None else f"\n----- SECOND ANSWER: {second.text}"
        return Attempt(
            task, Reply(None, explanation, code), NONE if task.expected and not task.open else RIGHT, seconds
        )
    after = path.read_bytes()
    return Attempt(task, Reply(after, explanation, code), RIGHT if after in task.expected else WRONG, seconds)


def _file(workspace: Workspace, name: str, body: bytes) -> Path:
    path = Path(workspace.root) / name
    path.write_bytes(body)
    return path


def _edit(workspace: Workspace, path: Path, old: str, new: str) -> ToolResult:
    return workspace.call("file_edit", {"path": path.name, "edits": [{"old_text": old, "new_text": new}]})


def _example(result: ToolResult) -> str | None:
    fixes = result.metadata.get("suggested_fixes")
    example: str | None = fixes[0].get("example") if fixes else None
    return example


def _send_back(workspace: Workspace, path: Path, example: str | None) -> ToolResult | None:
    """The second call, if the example is an edit."""
    try:
        edit = json.loads(example or "")
    except json.JSONDecodeError:
        return None
    return workspace.call("file_edit", {"path": path.name, "edits": [edit]})


def _places(task: Task) -> list[tuple[int, int]]:
    """Where old occurs exactly in the file; its newlines may be CRLF there."""
    lines = map(re.escape, task.old.encode().split(b"\n"))
    return [match.span() for match in re.finditer(rb"\r?\n".join(lines), task.body)]


def _is_literal(task: Task, after: bytes) -> bool:
    """Whether the file is the result of replacing the only place, with the file's line endings."""
    places, new = _places(task), task.new.encode()
    if len(places) != 1:
        return False
    ((start, end),) = places
    head, tail = task.body[:start], task.body[end:]
    inserted = after[start : len(after) - len(tail)]
    if head + inserted + tail != after:
        return False
    if b"\r\n" not in task.body or b"\r" in new:
        return inserted == new
    mixed = task.body.count(b"\n") > task.body.count(b"\r\n")
    return inserted.replace(b"\r\n", b"\n") == new and (mixed or inserted.count(b"\n") == inserted.count(b"\r\n"))


def _row(name: str, results: Sequence[Result]) -> list[Cell]:
    refused = [result for result in results if result.verdict in AFTER_REFUSAL]
    sent, right, wrong, none = (
        sum(result.verdict == verdict for result in results) for verdict in (AS_SENT, RIGHT, WRONG, NONE)
    )
    counts = [str(count) for count in (len(results), sent, len(refused), right, wrong, none)]
    if not refused:
        return [name, *counts, "", "", ""]
    return [name, *counts, f"{100 * right / len(refused):.1f}", *percentiles(refused)]


def _failures(results: Sequence[Attempt]) -> list[str]:
    """The outcomes that must not occur, by name."""
    unwanted = {
        "wrong": [result for result in results if result.verdict == WRONG],
        "broken: the first call failed, or was not exact": [result for result in results if result.verdict == BROKEN],
        "landed as sent, not as was meant (nothing that an exact tool can know)": [
            result for result in results if result.verdict == AS_SENT and result.reply.after not in result.task.expected
        ],
    }
    return [
        f"{what}: {len(bad)}: {' '.join(result.task.name for result in bad[:20])}"
        for what, bad in unwanted.items()
        if bad
    ]
