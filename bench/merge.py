"""Three-way merges against `git merge-file`.

The texts are those of `bench.diff`: CPython's headers and library sources, and a table with hardly any unique lines.
Each side has its own edits; the results are compared before anything is timed. git's time includes starting a
process.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from bench.diff import SIZE, real_lines, repetitive_lines
from bench.table import Table, comparison, measure_rounds
from suture.text.diff import split_lines
from suture.text.edits import apply
from suture.text.merge import merge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

OURS = "suture"
GIT = "git merge-file"
EDITS = 100


def tables(folder: Path) -> Iterator[Table]:
    """A real and a repetitive text at full size, and a real file as it is."""
    goals = {OURS: "< 500 ms"}
    yield _table(folder, "sources of CPython", real_lines(SIZE), EDITS, goals)
    yield _table(folder, "a generated table of 300 different lines", repetitive_lines(SIZE), EDITS, goals)
    yield _table(folder, *_a_module(3_000), 10)


def _a_module(size: int) -> tuple[str, list[bytes]]:
    """The standard library module whose number of lines is closest to the given one."""
    modules = {path.name: split_lines(path.read_bytes()) for path in Path(sysconfig.get_path("stdlib")).glob("*.py")}
    return min(modules.items(), key=lambda item: abs(len(item[1]) - size))


def _table(folder: Path, what: str, lines: list[bytes], number: int, goals: dict[str, str] | None = None) -> Table:
    places = random.Random(7).sample(range(0, len(lines), 3), 2 * number)  # no two edits touch
    base, ours, theirs = (b"".join(_edit_places(lines, chosen)) for chosen in ([], places[:number], places[number:]))
    contestants = _contestants(folder, base, ours, theirs)
    same = len({run() for run in contestants.values()}) == 1
    conflicts = len(merge(base, ours, theirs).conflicts)
    return comparison(
        f"Merge of {len(lines):,} lines with {number:,} + {number:,} edits: {what}",
        measure_rounds(contestants, 7),
        against=[GIT],
        goals=goals,
        notes=[f"{'the same result' if same else 'the results differ'}; conflicts: {conflicts}"],
    )


def _contestants(folder: Path, base: bytes, ours: bytes, theirs: bytes) -> dict[str, Callable[[], bytes]]:
    for name, text in (("base", base), ("ours", ours), ("theirs", theirs)):
        (folder / name).write_bytes(text)
    contestants = {OURS: lambda: apply(ours, merge(base, ours, theirs).edits)}
    if shutil.which("git"):
        command = ["git", "merge-file", "-p", "ours", "base", "theirs"]
        contestants[GIT] = lambda: subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=False).stdout
    return contestants


def _edit_places(lines: list[bytes], places: list[int]) -> list[bytes]:
    """A third each: a line changed, a line inserted, a line deleted."""
    rng = random.Random(str(places))
    result = list(lines)
    for place in sorted(places, reverse=True):
        changed, inserted = result[place][:-1] + b" /* changed */\n", b"    inserted(%d);\n" % place
        result[place : place + 1] = rng.choice([[changed], [inserted, result[place]], []])
    return result
