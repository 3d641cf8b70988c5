"""`safe_edit`: the gate with nothing to do, with ruff behind it, and the specification's own figures.

Ruff behind the gate is compared with ruff called directly.
"""

from __future__ import annotations

import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.diff import real_lines
from bench.table import Table, comparison, measure_rounds
from suture import Settings, Workspace
from suture.check.gate import Subject, run_checks
from suture.check.registry import FileCheck
from suture.files.local_fs import Layout

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from suture.check.issue import Issue, Staging

    Run = Callable[[], object]

ROUNDS = 30
FAST = Settings(durability="fast", history=False)


def tables(folder: Path) -> Iterator[Table]:
    """The gate itself, then ruff behind it, then edits and diffs."""
    yield _gate()
    yield _ruff(folder)
    yield _edits(folder)


class _Nothing:
    """A check that finds nothing, in no time."""

    name = "nothing"
    files = ("*",)

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """Find nothing."""
        del path, before, after, staging
        return []


_Nothing.__module__ = "suture.check.nothing"  # like a built-in check, it needs no thread


def _gate() -> Table:
    before = "".join(_lines(2_500))
    after = before.replace("import", "import ", 1)
    layout = Layout("/nowhere", {})
    stage = layout.stage("a.txt")
    subject = Subject("a.txt", "a.txt", before, after, stage, stage, (FileCheck(_Nothing()),))
    samples = measure_rounds({"the gate alone": partial(run_checks, [subject], 10)}, ROUNDS)
    title = f"The gate itself, around a check that does nothing, on a text of {len(before) // 1000} KB"
    return comparison(title, samples, against=[], goals={"the gate alone": "< 1 ms"})


def _ruff(folder: Path) -> Table:
    text = "".join(f"def function_{number}(value):\n    return value + {number}\n\n\n" for number in range(2_000))
    (folder / "ruff.toml").write_text('lint.select = ["E9", "F"]\n')  # not a surrounding project's
    file = folder / "a.py"
    file.write_text(text)
    workspace = Workspace(folder, FAST)
    edit = {"start_line": 2, "end_line": 2, "new_content": "    return value * 2\n"}
    arguments: dict[str, Any] = {"path": "a.py", "line_edits": [edit], "mode": "verify_only", "show_diff": False}
    binary = str(Path(sys.executable).with_name("ruff"))
    command = [binary, "check", "--isolated", "--no-cache", "--select", "E9,F", "--stdin-filename", "a.py", "-"]
    contestants: dict[str, Run] = {
        "safe_edit, verify_only": lambda: _run(workspace, arguments),
        "ruff by hand": lambda: subprocess.run(command, input=text.encode(), capture_output=True, check=True),
    }
    samples = measure_rounds(contestants, ROUNDS)
    title = f"ruff through the gate, before and after the edit, on {len(text) // 1000} KB"
    goals = {"safe_edit, verify_only": "< 60 ms"}
    return comparison(title, samples, against=["ruff by hand"], goals=goals)


def _edits(folder: Path) -> Table:
    lines = _lines(10_000)
    (folder / "long.txt").write_text("".join(lines))
    (folder / "short.txt").write_text("".join(lines[:1_000]))
    small = "".join(lines)[:100_000]
    (folder / "small.txt").write_text(small)
    workspace = Workspace(folder, FAST)
    edits = [{"start_line": n, "end_line": n + 5, "new_content": f"line {n}\n"} for n in range(1, 10_000, 100)]
    changed = "".join(f"new {line}" if number % 2 else line for number, line in enumerate(lines[:1_000]))
    search = {"search": r"(\w+)\((\w*)", "replace": r"\2(\1", "regex": True}
    calls: dict[str, dict[str, Any]] = {
        "100 line edits in 10,000 lines": {"path": "long.txt", "line_edits": edits},
        "regex over 100 KB": {"path": "small.txt", "search_replace": search},
        "literal over 100 KB": {"path": "small.txt", "search_replace": {"search": "self", "replace": "this"}},
        "500 changed lines of 1,000": {"path": "short.txt", "content": changed},
    }
    goals = dict(zip(calls, ("100 ms", "50 ms", "50 ms", "100 ms"), strict=True))
    contestants: dict[str, Run] = {
        name: partial(_run, workspace, {**call, "mode": "verify_only"}) for name, call in calls.items()
    }
    pattern = re.compile(search["search"])  # type: ignore[call-overload]  # it is a string
    contestants["re.sub over 100 KB"] = lambda: pattern.sub(r"\2(\1", small)
    title = "The specification's own figures, diff and checks included"
    return comparison(title, measure_rounds(contestants, ROUNDS), against=[], goals=goals)


def _run(workspace: Workspace, arguments: dict[str, Any]) -> None:
    result = workspace.call("safe_edit", arguments)
    if result.is_error or not result.data["diff"]:
        raise RuntimeError(result.text)


def _lines(number: int) -> list[str]:
    return [line.decode("utf-8", "replace") for line in real_lines(number)]
