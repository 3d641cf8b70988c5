"""Checkpoints of a tree of 7,000 files, side by side with git.

Measured are the first one, one of an unchanged tree, and one of a tree in which a hundred files have changed. git's
peer is `git add -A` and `git write-tree` with an index of its own, which is what tools that keep checkpoints in a
private index or a shadow repository run. For the first one, no index and no history exists yet. Both are started as
commands, so that the start of a process counts for both.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from itertools import count
from typing import TYPE_CHECKING

from bench.table import Table, comparison, run_rounds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FILES, FOLDERS, ROUNDS = 7_000, 700, 7
CHANGED = 100
_SETTLED_SECONDS = 0.05  # after a write, a file counts as just written


def tables(folder: Path) -> Iterator[Table]:
    """Times of checkpoints."""
    if shutil.which("git") is None:
        return
    root = folder / "tree"
    size = make_tree(root)
    numbers = count(1)
    suture = [sys.executable, "-m", "suture", "--quiet", "checkpoint"]
    environment = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    index = folder / "index"

    def ours(*, first: bool) -> Callable[[], float]:
        def run() -> float:
            if first:
                shutil.rmtree(folder / "state", ignore_errors=True)
            return _seconds([*suture, f"number {next(numbers)}"], root, environment)

        return run

    def gits(*, first: bool) -> Callable[[], float]:
        own = {**os.environ, "GIT_INDEX_FILE": str(index)}

        def run() -> float:
            if first:
                index.unlink(missing_ok=True)
                shutil.rmtree(root / ".git" / "objects", ignore_errors=True)
                subprocess.run(["git", "init", "-q"], cwd=root, check=True)
            return _seconds(["git", "add", "-A"], root, own) + _seconds(["git", "write-tree"], root, own)

        return run

    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    what = f"{FILES:,} files, {size / 1e6:.0f} MB"
    git = "git add -A, write-tree"
    samples = run_rounds({"suture checkpoint": ours(first=True), git: gits(first=True)}, ROUNDS)
    yield comparison(f"The first checkpoint ({what})", samples, against=[git])
    samples = run_rounds({"suture checkpoint": ours(first=False), git: gits(first=False)}, ROUNDS)
    yield comparison(f"Nothing has changed ({what})", samples, against=[git])
    changing = {"suture checkpoint": _changing(root, ours(first=False)), git: _changing(root, gits(first=False))}
    yield comparison(f"{CHANGED} files have changed ({what})", run_rounds(changing, ROUNDS), against=[git])


def make_tree(root: Path) -> int:
    """Make a tree of source files; returns its size in bytes."""
    rng = random.Random(7)
    words = [f"name_{rng.randrange(10**6)}" for _ in range(5_000)]
    total = 0
    for folder in range(FOLDERS):
        place = root / f"package{folder % 40}" / f"module{folder}"
        place.mkdir(parents=True)
        for number in range(FILES // FOLDERS):
            lines = int(rng.paretovariate(1.2) * 60) % 4_000
            text = "".join(f"    {rng.choice(words)} = {rng.choice(words)}({rng.random()})\n" for _ in range(lines))
            total += (place / f"file{number}.py").write_text(text)
    return total


def _changing(root: Path, run: Callable[[], float]) -> Callable[[], float]:
    """Measure after some files have changed."""
    paths = sorted(root.glob("package*/*/*.py"))
    rng = random.Random(8)

    def change_and_run() -> float:
        for path in rng.sample(paths, CHANGED):
            with path.open("a") as file:
                file.write(f"# {rng.random()}\n")
        time.sleep(_SETTLED_SECONDS)
        return run()

    return change_and_run


def _seconds(command: list[str], root: Path, environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, cwd=root, env=environment, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start
