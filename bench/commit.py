"""Commit: one line changed in each of 1 and 1,000 files of 1 KB, against writes that promise less.

First, a typical edit by an agent: one exact patch of a file of 500 lines, from the call to its answer, against
reading, replacing, writing a temporary file and renaming, which only promises that the file is whole.

Every contestant has its own files and writes a new number in every round. The others can leave the tree half changed;
only suture lands all files or none. To create a file, an ext4 without a journal skips every inode freed in the last
minutes, so all but the writes in place slow down there from round to round.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from itertools import count
from typing import TYPE_CHECKING

from bench.table import Table, comparison, measure_rounds
from suture import Settings, Text, Workspace
from suture.text.edits import Edit, edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

MARK = b"counter = "
LINE = b"    total += weight * value  # an ordinary line of some length\n"
TYPICAL_LINES = 500
TYPICAL_ROUNDS = 200
CONTENT = LINE * 8 + MARK + b"0000\n" + LINE * 8


def tables(folder: Path) -> Iterator[Table]:
    """Times of a whole change, from reading the files to the last write."""
    yield _typical(folder)
    for number, rounds in ((1, 40), (1_000, 5)):
        contestants = {
            "suture, full": _suture_contestant(_files(folder / f"full-{number}", number), "full"),
            "suture, fast": _suture_contestant(_files(folder / f"fast-{number}", number), "fast"),
            "in place": _plain_contestant(_files(folder / f"plain-{number}", number), _write_in_place),
            "in place, fsync": _plain_contestant(_files(folder / f"fsync-{number}", number), _write_and_sync),
            "aside, fsync, rename": _plain_contestant(
                _files(folder / f"aside-{number}", number), _write_aside_and_sync
            ),
        }
        if shutil.which("sed"):
            contestants["sed -i"] = _sed_contestant(_files(folder / f"sed-{number}", number))
        yield comparison(
            f"Commit of {number:,} file{'s' * (number > 1)} of 1 KB, one line edited in each ({rounds} rounds)",
            measure_rounds(contestants, rounds),
            against=["in place", "in place, fsync", "sed -i"],
            notes=["sed -i: one process for all files, its start included"],
        )


def _typical(folder: Path) -> Table:
    contestants: dict[str, Callable[[], object]] = {
        "read, replace, aside, rename": _replace_contestant(_write_numbered_lines(folder / "typical-plain")),
        "suture, history off": _patch_contestant(
            _write_numbered_lines(folder / "typical-bare"), Settings(durability="fast", history=False)
        ),
        "suture, recorded": _patch_contestant(
            _write_numbered_lines(folder / "typical-recorded"), Settings(durability="fast")
        ),
    }
    return comparison(
        f"A typical edit: one patch of a file of {TYPICAL_LINES} lines, durability fast ({TYPICAL_ROUNDS} rounds)",
        measure_rounds(contestants, TYPICAL_ROUNDS),
        against=["read, replace, aside, rename"],
    )


def _write_numbered_lines(folder: Path) -> Path:
    folder.mkdir()
    path = folder / "file.py"
    path.write_bytes(b"".join(_line(number, 0) for number in range(TYPICAL_LINES)))
    return path


def _line(number: int, version: int) -> bytes:
    return b"    value_%03d = compute(%04d)  # an ordinary line of some length\n" % (number, version)


def _replacements() -> Iterator[tuple[bytes, bytes]]:
    """A line before and after, different each time."""
    for turn in count():
        number, version = turn * 97 % TYPICAL_LINES, turn // TYPICAL_LINES
        yield _line(number, version), _line(number, version + 1)


def _patch_contestant(path: Path, settings: Settings) -> Callable[[], object]:
    workspace = Workspace(path.parent, settings)
    replacements = _replacements()

    def run() -> None:
        old, new = next(replacements)
        patch = {"operation": "replace", "oldText": old.decode(), "newText": new.decode()}
        result = workspace.call("patch", {"path": path.name, "patches": [patch], "match": "exact"})
        assert not result.is_error, result.text  # noqa: S101  a benchmark of what does not happen says nothing

    return run


def _replace_contestant(path: Path) -> Callable[[], object]:
    replacements = _replacements()
    name, aside = str(path), f"{path}.new"

    def run() -> None:
        old, new = next(replacements)
        with open(name, "rb") as file:  # noqa: PTH123  pathlib would take longer than the reading
            content = file.read()
        with open(aside, "wb") as file:  # noqa: PTH123  pathlib would take longer
            file.write(content.replace(old, new, 1))
        os.replace(aside, name)  # noqa: PTH105  pathlib would take longer

    return run


def _files(folder: Path, number: int) -> list[Path]:
    folder.mkdir()
    paths = [folder / f"file{index}.txt" for index in range(number)]
    for path in paths:
        path.write_bytes(CONTENT)
    os.sync()
    return paths


def _suture_contestant(paths: list[Path], durability: str) -> Callable[[], object]:
    workspace = Workspace(paths[0].parent, Settings(durability=durability))
    numbers = count(1)

    def run() -> None:
        new = b"%04d" % next(numbers)

        def edits(text: Text) -> list[Edit]:
            at = text.body.index(MARK) + len(MARK)
            return [edit(at, at + 4, new)]

        with workspace.transaction() as transaction:
            for path in paths:
                transaction.edit(path.name, edits)

    return run


def _plain_contestant(paths: list[Path], write: Callable[[Path, bytes], None]) -> Callable[[], object]:
    numbers = count(1)

    def run() -> None:
        number = next(numbers)
        old, new = MARK + b"%04d" % (number - 1), MARK + b"%04d" % number
        for path in paths:
            write(path, path.read_bytes().replace(old, new, 1))

    return run


def _write_in_place(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _write_and_sync(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _write_aside_and_sync(path: Path, content: bytes) -> None:
    aside = path.with_suffix(".new")
    _write_and_sync(aside, content)
    aside.replace(path)


def _sed_contestant(paths: list[Path]) -> Callable[[], object]:
    numbers = count(1)
    names = [path.name for path in paths]

    def run() -> None:
        script = f"s/^{MARK.decode()}.*/{MARK.decode()}{next(numbers):04d}/"
        subprocess.run(["sed", "-i", script, *names], cwd=paths[0].parent, check=True)

    return run
