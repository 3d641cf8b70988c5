"""Times of contestants that take turns, and tables of the results.

Contestants take turns within a round, so that a busy moment of the machine affects all of them. Ratios
compare the best rounds, which other processes disturb least; the tables also show the medians.
"""

from __future__ import annotations

import gc
import statistics
import time
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Cell = str | float
Samples = dict[str, list[float]]


@dataclass(frozen=True)
class Table:
    """Rows of a name and cells. Numbers are printed with three significant digits."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = field(default=())

    def text(self) -> str:
        """The table with aligned columns: names on the left, numbers on the right."""
        lines = [list(self.head), *([_format_cell(cell) for cell in row] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        head, *body = (_line(line, widths) for line in lines)
        rule = "-" * max(len(head), *map(len, body))
        return "\n".join([self.title, rule, head, rule, *body, *self.notes])

    def data(self) -> dict[str, Any]:
        """The table as data."""
        return {"title": self.title, "head": self.head, "rows": self.rows, "notes": self.notes}


def measure_rounds(contestants: Mapping[str, Callable[[], object]], rounds: int) -> Samples:
    """The seconds of each contestant in each round, after one round that does not count."""
    return run_rounds({name: partial(_measure, run) for name, run in contestants.items()}, rounds)


def run_rounds(contestants: Mapping[str, Callable[[], float]], rounds: int) -> Samples:
    """Like `measure_rounds`, for contestants that measure their own seconds."""
    samples: Samples = {name: [] for name in contestants}
    for number in range(rounds + 1):
        for name, run in contestants.items():
            gc.collect()
            elapsed = run()
            if number:
                samples[name].append(elapsed)
    return samples


def comparison(
    title: str,
    samples: Samples,
    *,
    against: Sequence[str],
    goals: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
) -> Table:
    """Times in milliseconds, and their ratios to the times of the contestants `against`."""
    references = [min(samples[name]) for name in against if name in samples]
    head = [
        "",
        "best ms",
        "median ms",
        *(f"x {name}" for name in against if name in samples),
        *(["goal"] * bool(goals)),
    ]
    rows: list[list[Cell]] = [
        [
            name,
            min(times) * 1000,
            statistics.median(times) * 1000,
            *(min(times) / reference for reference in references),
            *([goals.get(name, "")] if goals else []),
        ]
        for name, times in samples.items()
    ]
    return Table(title, head, rows, notes)


def _measure(run: Callable[[], object]) -> float:
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def _format_cell(cell: Cell) -> str:
    if isinstance(cell, str):
        return cell
    decimals = 0 if cell >= 100 else 1 if cell >= 10 else 2 if cell >= 1 else 3
    return f"{cell:,.{decimals}f}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    name, *numbers = (f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
    return "  ".join([cells[0].ljust(len(name)), *numbers]).rstrip()
