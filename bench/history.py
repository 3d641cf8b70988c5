"""History: what recording a change adds to the bare commit, and how large the store grows.

A change replaces one line. Every round changes another place, so each is recorded as a new difference; the file's
first content, stored whole, is recorded before the rounds begin.
"""

from __future__ import annotations

import random
import shutil
import subprocess
import zlib
from itertools import count
from typing import TYPE_CHECKING

from bench.table import Table, comparison, measure_rounds
from suture import Settings, Text, Workspace
from suture.text.edits import Edit, edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SIZES = ((1_000, 40), (100_000, 40), (10_000_000, 8))
EDITS = 1_000


def tables(folder: Path) -> Iterator[Table]:
    """Times of one change, recorded or not; bytes after a thousand."""
    for size, rounds in SIZES:
        yield _cost(folder, size, rounds)
    yield _growth(folder)


def _cost(folder: Path, size: int, rounds: int) -> Table:
    contestants = {
        f"{durability}, {'recorded' if history else 'bare'}": _contestant(
            folder / f"{size}-{durability}-{history}", size, Settings(durability=durability, history=history)
        )
        for durability in ("full", "fast")
        for history in (False, True)
    }
    return comparison(
        f"One line changed in a file of {size:,} bytes ({rounds} rounds)",
        measure_rounds(contestants, rounds),
        against=["full, bare", "fast, bare"],
    )


def _contestant(folder: Path, size: int, settings: Settings) -> Callable[[], object]:
    folder.mkdir(parents=True)
    (folder / "file.txt").write_bytes(_content(size))
    workspace = Workspace(folder, settings)
    numbers = count(1)

    def run() -> None:
        _change_a_line(workspace, next(numbers))

    run()
    return run


def _change_a_line(workspace: Workspace, number: int) -> None:
    def edits(text: Text) -> list[Edit]:
        start, end = text.lines.span(number * 7919 % len(text.lines) + 1)
        return [edit(start, end, b"    changed = %06d\n" % number)]

    with workspace.transaction("change a line") as tx:
        tx.edit("file.txt", edits)
    assert tx.change is not None  # noqa: S101  a benchmark of something that does not happen says nothing


def _growth(folder: Path) -> Table:
    """The size of the store, next to other ways to keep a thousand versions."""
    root = folder / "growth"
    root.mkdir()
    content = _content(100_000)
    (root / "file.txt").write_bytes(content)
    workspace, store = Workspace(root, Settings(durability="fast")), folder / "state" / "suture" / ".suture-history"
    existing = {path.name for path in store.iterdir()} if store.exists() else set()
    versions = []
    for number in range(EDITS):
        _change_a_line(workspace, number)
        versions.append((root / "file.txt").read_bytes())
    ours = sum(path.stat().st_size for path in store.iterdir() if path.name not in existing)
    raw = len(content) + sum(map(len, versions))
    rows: list[list[str | float]] = [
        ["suture's history", ours / 1000, ours / EDITS, raw / ours],
        ["a copy each", raw / 1000, raw / EDITS, 1.0],
    ]
    deflated = sum(len(zlib.compress(version)) for version in (content, *versions))
    rows.append(["a copy each, zlib", deflated / 1000, deflated / EDITS, raw / deflated])
    if shutil.which("git"):
        for name, size in _git(folder / "git", versions).items():
            rows.append([name, size / 1000, size / EDITS, raw / size])
    title = f"Store after {EDITS:,} edits of one file of 100 KB"
    return Table(title, ["", "KB", "bytes a change", "x smaller than copies"], rows)


def _git(root: Path, versions: list[bytes]) -> dict[str, int]:
    """The size of a git repository with a commit per version, as written and after `git gc`."""
    root.mkdir()
    git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@localhost", "-c", "gc.auto=0"]
    subprocess.run([*git, "init", "-q"], cwd=root, check=True)
    for version in versions:
        (root / "file.txt").write_bytes(version)
        subprocess.run([*git, "add", "file.txt"], cwd=root, check=True)
        subprocess.run([*git, "commit", "-q", "-m", "change a line"], cwd=root, check=True)
    loose = _size(root / ".git" / "objects")
    subprocess.run([*git, "gc", "-q"], cwd=root, check=True)
    return {"git, a commit each": loose, "git, after gc": _size(root / ".git" / "objects")}


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def _content(size: int) -> bytes:
    rng = random.Random(size)
    lines = [
        b"    value_%05d = compute(%06d)  # an ordinary line\n" % (rng.randrange(99_999), number)
        for number in range(size // 50 + 1)
    ]
    return b"".join(lines)[:size]
