"""All contestants side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.cost import desktop_commander_scripts, filesystem_scripts, report, serena_scripts, suture_scripts
from bench.cost.run import run_contestant
from bench.cost.source import read_archive
from bench.editbench.peers import Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from bench.cost.run import Result
    from bench.cost.script import Contestant
    from bench.table import Table

ALL: tuple[Contestant, ...] = (
    *suture_scripts.CONTESTANTS,
    *filesystem_scripts.CONTESTANTS,
    *desktop_commander_scripts.CONTESTANTS,
    *serena_scripts.CONTESTANTS,
)


def tables(folder: Path) -> Iterator[Table]:
    """What each task costs, and everything together."""
    yield from report.tables(*run_all(ALL, folder))


def run_all(contestants: Sequence[Contestant], folder: Path) -> tuple[list[Result], list[str]]:
    """The results, and a note for each contestant that can't be run here."""
    results: list[Result] = []
    notes = []
    tree = read_archive()
    for contestant in contestants:
        try:
            results.append(run_contestant(contestant, tree, folder))
        except Unavailable as error:
            notes.append(f"{contestant.name} {contestant.version} left out: {error}")
    return results, notes
