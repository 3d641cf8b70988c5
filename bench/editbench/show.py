"""Tasks in full for people, and as JSON for replaying."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING

from bench.editbench.tasks import Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from bench.editbench.run import Result

AS_THEY_ARE = ("kind", "seed", "index", "source", "op", "old", "new", "why", "open")
"""The parts of a task that JSON can represent."""


def render(result: Result) -> str:
    """A task, the right result, and the actual one."""
    task, after = result.task, result.reply.after
    parts = [
        f"===== {task.name} seed {task.seed}: {result.verdict.upper()} ({task.source}, {task.op})",
        *_mark_whitespace("OLD", task.old),
        *_mark_whitespace("NEW", task.new),
        *(_mark_whitespace("SENT AS", request) if (request := getattr(task, "request", "")) else ()),
        f"----- WANTED: {'the change below' if task.expected else 'a refusal'} {task.why or ''}",
        *(_diff(task.body, task.expected[0]) if task.expected else _around(task)),
        f"----- ANSWER: {result.reply.explanation}",
    ]
    if after is not None and task.expected and after not in task.expected:
        parts += ["----- WANTED (-) AGAINST MADE (+)", *_diff(task.expected[0], after)]
    elif after is not None and not task.expected:
        parts += ["----- WAS MADE OF THE FILE", *_diff(task.body, after)]
    return "\n".join(parts)


def dump(results: Iterable[Result], path: Path) -> None:
    """Write tasks so that they can be replayed without the corpus."""
    documents = [
        {
            **{name: getattr(result.task, name) for name in AS_THEY_ARE},
            "body": result.task.body.decode(),
            "expected": [text.decode() for text in result.task.expected],
            "request": getattr(result.task, "request", ""),
            "verdict": result.verdict,
            "told": result.reply.explanation,
        }
        for result in results
    ]
    path.write_text(json.dumps(documents, indent=1), "utf-8")


def load(path: Path) -> list[Task]:
    """The tasks of a dump."""
    documents = json.loads(path.read_text("utf-8"))
    return [
        Task(
            **{name: document[name] for name in AS_THEY_ARE},
            body=document["body"].encode(),
            expected=tuple(text.encode() for text in document["expected"]),
        )
        for document in documents
    ]


def _mark_whitespace(title: str, text: str) -> list[str]:
    """The text with visible whitespace."""
    lines = text.split("\n")
    visible = [f"  {_visible(line)}{'$' if at + 1 < len(lines) else ''}" for at, line in enumerate(lines)]
    return [f"----- {title}", *(visible if lines[-1] else visible[:-1])]


def _visible(line: str) -> str:
    line = line.replace("\t", "→").replace("\r", "␍").replace("\u00a0", "⍽")
    return line[: len(line.rstrip(" "))] + "·" * (len(line) - len(line.rstrip(" ")))


def _diff(before: bytes, after: bytes) -> Iterator[str]:
    old_lines, new_lines = (
        [_visible(line) for line in text.decode("utf-8", "replace").split("\n")] for text in (before, after)
    )
    for line in difflib.unified_diff(old_lines, new_lines, n=6, lineterm=""):
        if not line.startswith(("---", "+++")):
            yield f"  {line}"


def _around(task: Task) -> list[str]:
    """Lines of the file that are most similar to the lines of old."""
    lines, wanted = (
        task.body.decode().split("\n"),
        {line.strip() for line in task.old.split("\n") if len(line.strip()) > 9},
    )
    hits = [at for at, line in enumerate(lines) if line.strip() in wanted]
    numbers = sorted({near for at in hits for near in range(at - 3, at + 4) if 0 <= near < len(lines)})[:80]
    return [f"  {at + 1:5} {_visible(lines[at])}" for at in numbers]
