"""Run suture on tasks, and judge its answers and those of other editors.

Only `suture_editor` knows `suture.match`, and imports it when called: the generator is independent of what it tests.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.editbench.corpus import installed_sources
from bench.editbench.corruptions import KINDS
from bench.editbench.tasks import generate
from bench.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from bench.editbench.tasks import Task
    from bench.table import Cell

MODERATE = 1_400
RIGHT, WRONG, REFUSED = "right", "wrong", "refused"
BIG, BIG_ROUNDS = 200_000, 3


@dataclass(frozen=True)
class Reply:
    """The editor's result for the file, or None if it refused."""

    after: bytes | None
    explanation: str = ""
    """How the text was found, or why not."""
    reason: str = ""


@dataclass(frozen=True)
class Result:
    """A reply with its verdict."""

    task: Task
    reply: Reply
    verdict: str
    seconds: float

    @property
    def failed(self) -> bool:
        """Whether it was not right."""
        return self.verdict != RIGHT and not self.undecided

    @property
    def undecided(self) -> bool:
        """Whether it was refused, and may be."""
        return self.verdict == REFUSED and self.task.open


def suture_editor(body: bytes, old: str, new: str, name: str) -> Reply:
    """What `suture.match` makes of the task."""
    from suture.match import locate  # noqa: PLC0415  as below
    from suture.match.index import Found, Index  # noqa: PLC0415  as above
    from suture.text.edits import apply  # noqa: PLC0415  the generator is imported without the engine

    answer = locate(Index(body, name), old, new)
    if isinstance(answer, Found):
        return Reply(apply(body, answer.edits), f"{answer.rung} at {answer.site}, score {answer.score:.3f}")
    return Reply(None, repr(answer), answer.why)


def judge(task: Task, reply: Reply, seconds: float) -> Result:
    """The verdict: if a task must be refused, a refusal for the right reason is right."""
    if task.expected:
        verdict = REFUSED if reply.after is None else RIGHT if reply.after in task.expected else WRONG
    elif reply.after is None:
        verdict = RIGHT if not reply.reason or task.why in {None, reply.reason} else REFUSED
    else:
        verdict = WRONG
    return Result(task, reply, verdict, seconds)


def run(tasks: Iterable[Task]) -> list[Result]:
    """All results. An exception counts as a wrong answer."""
    results = []
    suture_editor(b"first\n", "first\n", "second\n", "a.txt")  # imports are not timed
    for task in tasks:
        begin = time.perf_counter()
        try:
            reply = suture_editor(task.body, task.old, task.new, task.source)
        except Exception as error:  # noqa: BLE001  whatever the editor under test raises is its answer
            reply = Reply(b"", f"raised {error!r}")
        results.append(judge(task, reply, time.perf_counter() - begin))
    return results


def tables(_: Path) -> Iterator[Table]:
    """A moderate run for `python -m bench`, on installed files."""
    from bench.editbench import correct, siblings, stale  # noqa: PLC0415  they are made of what is here

    tasks = [*generate(installed_sources(), 1, MODERATE)]
    yield table(run(tasks), "Corrupted edits of installed files, seed 1; `python -m bench.editbench` has more of them")
    yield correct.table(correct.attempts(tasks[::2]), "The same by `file_edit`, every second one: refused, corrected")
    orphans = siblings.run(siblings.generate(installed_sources(), 1, MODERATE))
    yield siblings.table(orphans, "Edits of functions that are gone, while one like it is there, seed 1")
    outdated = stale.run([*stale.generate(installed_sources(), 1, MODERATE)])
    yield stale.table(outdated, "Edits of earlier versions, with later ones that are made up, seed 1")
    yield big_table()


def table(results: Sequence[Result], title: str) -> Table:
    """A row per kind, and the totals."""
    rows = rows_of(results, _row)
    wrong = [result.task.name for result in results if result.verdict == WRONG]
    notes = [f"wrong: {len(wrong)}: {' '.join(wrong[:20])}"] if wrong else []
    notes += [
        "(refuse): must be refused; right is a refusal, wrong is a false apply, refused is for a wrong reason.",
        "(or refuse): nothing proves the place without an earlier version; what is refused does not count in right %.",
    ]
    return Table(title, ["", "tasks", "right", "wrong", "refused", "right %", "p50 ms", "p99 ms"], rows, notes)


def rows_of(results: Sequence[Result], row: Callable[[str, Sequence[Result]], list[Cell]]) -> list[list[Cell]]:
    """`row` of the results of each kind, then of all tasks to apply and all to refuse."""
    groups: dict[str, list[Result]] = {}
    for result in results:
        groups.setdefault(result.task.kind, []).append(result)
    names = [name for name in KINDS if name in groups] + sorted(groups.keys() - KINDS.keys())
    rows = [row(name + _goal(groups[name][0].task), groups[name]) for name in names]
    to_apply = [result for result in results if result.task.expected]
    to_refuse = [result for result in results if not result.task.expected]
    return rows + [
        row(what, group) for what, group in (("ALL TO APPLY", to_apply), ("ALL TO REFUSE", to_refuse)) if group
    ]


def _goal(task: Task) -> str:
    if not task.expected:
        return " (refuse)"
    return " (or refuse)" if task.kind in KINDS and KINDS[task.kind].open else ""


def percentiles(results: Sequence[Result]) -> tuple[float, float]:
    """The median and the 99th percentile in milliseconds."""
    times = sorted(result.seconds * 1000 for result in results)
    p50, p99 = (times[min(len(times) - 1, len(times) * part // 100)] for part in (50, 99))
    return p50, p99


def big_table() -> Table:
    """Times of searches in one file of 200,000 lines."""
    lines = [f"{'    ' * (at % 3)}entry_{at * 7919 % BIG} = make({at}, 'value {at % 101}')" for at in range(BIG)]
    body = _text(lines).encode()
    old = lines[150_000:150_012]
    new = [*old[:6], "fresh = 1", *old[6:]]
    requests = {
        "exact": (_text(old), _text(new)),
        "indent": (_text(old, "    "), _text(new, "    ")),
        "similar": (_text(old).replace("make", "amke", 1), _text(new).replace("make", "amke", 1)),
        "not found": (_text(old).replace("entry", "absent").replace("make", "take"), _text(new)),
    }
    rows: list[list[Cell]] = []
    for name, (before, after) in requests.items():
        replies, times = list[Reply](), list[float]()
        for _ in range(BIG_ROUNDS):
            begin = time.perf_counter()
            replies.append(suture_editor(body, before, after, "a.py"))
            times.append((time.perf_counter() - begin) * 1000)
        answer = f"refused: {replies[0].reason}" if replies[0].after is None else "applied"
        rows.append([name, min(times), max(times), answer])
    return Table(f"One file of {BIG:,} lines, {len(body) / 1e6:.0f} MB", ["", "best ms", "worst ms", "answer"], rows)


def _text(lines: Sequence[str], prefix: str = "") -> str:
    return "".join(f"{prefix}{line}\n" for line in lines)


def _row(name: str, results: Sequence[Result]) -> list[Cell]:
    counts = [sum(result.verdict == verdict for result in results) for verdict in (RIGHT, WRONG, REFUSED)]
    decided = len(results) - sum(result.undecided for result in results)
    share = f"{100 * counts[0] / decided:.1f}" if decided else ""
    return [name, str(len(results)), *map(str, counts), share, *percentiles(results)]
