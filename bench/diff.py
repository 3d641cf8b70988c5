"""Diffs: cut from known edits, and found by the line diff, against difflib, `diff -u` and `git diff`.

The text is real: CPython's headers and library sources in a shuffled order, with the many blank and
repeated lines that such files have. A second text has hardly any unique lines.
"""

from __future__ import annotations

import difflib
import random
import shutil
import subprocess
import sysconfig
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench.table import Table, comparison, measure_rounds
from suture.text.diff import FileDiff, line_edits, unified
from suture.text.edits import Edit, apply, edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

KNOWN_EDITS = "suture, edits known"
LINE_DIFF = "suture, line diff"
SIZE = 200_000
HOSTILE_SIZES = (12_500, 25_000, 50_000)


def tables(folder: Path) -> Iterator[Table]:
    """Real and repetitive text at full size, difflib at a size it can handle, and hostile inputs."""
    goals = {KNOWN_EDITS: "a few ms", LINE_DIFF: "< 500 ms"}
    real = real_lines(SIZE)
    yield _table(folder, "sources of CPython", real, 1_000, "diff -u", goals)
    yield _table(folder, "a generated table of 300 different lines", repetitive_lines(SIZE), 1_000, "diff -u", goals)
    yield _table(folder, "sources of CPython", real[:10_000], 50, "difflib")
    yield _hostile()


def _table(
    folder: Path, what: str, lines: list[bytes], number: int, reference: str, goals: dict[str, str] | None = None
) -> Table:
    before = b"".join(lines)
    edits = _random_edits(lines, number)
    after = apply(before, edits)
    contestants = _contestants(folder, before, after, edits)
    if reference == "difflib":
        contestants["difflib"] = lambda: _difflib(before, after)
    lengths = [(name, run().count(b"\n")) for name, run in contestants.items()]
    return comparison(
        f"Diff of {len(lines):,} lines with {len(edits):,} edits: {what}",
        measure_rounds(contestants, 7),
        against=[reference],
        goals=goals,
        notes=["lines of diff: " + ", ".join(f"{name} {length:,}" for name, length in lengths)],
    )


def _contestants(folder: Path, before: bytes, after: bytes, edits: list[Edit]) -> dict[str, Callable[[], bytes]]:
    (folder / "before").write_bytes(before)
    (folder / "after").write_bytes(after)
    contestants = {
        KNOWN_EDITS: lambda: unified(FileDiff("file", "file", before, tuple(edits))),
        LINE_DIFF: lambda: unified(FileDiff("file", "file", before, tuple(line_edits(before, after)))),
    }
    if shutil.which("diff"):
        contestants["diff -u"] = lambda: _output(folder, "diff", "-u", "before", "after")
    if shutil.which("git"):
        contestants["git diff"] = lambda: _output(folder, "git", "diff", "--no-index", "before", "after")
    return contestants


def _difflib(before: bytes, after: bytes) -> bytes:
    old, new = ([line + "\n" for line in text.decode("latin-1").split("\n")] for text in (before, after))
    return "".join(difflib.unified_diff(old, new)).encode("latin-1")


def _output(folder: Path, *command: str) -> bytes:
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=False).stdout


def _hostile() -> Table:
    """Inputs on which a naive line diff is quadratic, at growing sizes."""
    times = HOSTILE_SIZES[-1] // HOSTILE_SIZES[0]
    head = ["", *(f"ms for {size:,} lines" for size in HOSTILE_SIZES), f"growth for {times} x the lines"]
    rows: list[list[str | float]] = []
    for name, make in _HOSTILE.items():
        best = []
        for size in HOSTILE_SIZES:
            before, after = (b"".join(lines) for lines in make(size))
            samples = measure_rounds({name: partial(line_edits, before, after)}, 2)
            best.append(min(samples[name]) * 1000)
        rows.append([name, *best, best[-1] / best[0]])
    return Table("Line diff of hostile texts", head, rows, [f"linear: {times}; quadratic: {times**2}"])


def _alternating_lines(size: int) -> tuple[list[bytes], list[bytes]]:
    return [b"a\n", b"b\n"] * (size // 2), [b"b\n", b"b\n", b"a\n"] * (size // 3)


def _reversed_lines(size: int) -> tuple[list[bytes], list[bytes]]:
    lines = [b"line %d\n" % number for number in range(size)]
    return lines, lines[::-1]


def _shuffled_lines(size: int) -> tuple[list[bytes], list[bytes]]:
    lines = [b"line %d\n" % number for number in range(size)]
    return lines, random.Random(1).sample(lines, size)


def _few_words(size: int) -> tuple[list[bytes], list[bytes]]:
    rng = random.Random(2)
    words = [b"word %d\n" % number for number in range(50)]
    return rng.choices(words, k=size), rng.choices(words, k=size)


def _islands(size: int) -> tuple[list[bytes], list[bytes]]:
    """Unique lines with gaps of random lines, two kinds, just small enough to be passed to difflib."""
    rng = random.Random(6)
    before, after = (rng.choices([b"a\n", b"b\n"], k=size) for _ in range(2))
    before[::400] = after[::400] = [b"island %d\n" % number for number in range(0, size, 400)]
    return before, after


_HOSTILE: dict[str, Callable[[int], tuple[list[bytes], list[bytes]]]] = {
    "all lines equal, a tenth removed": lambda size: ([b"same\n"] * size, [b"same\n"] * (size * 9 // 10)),
    "two lines alternate, in another rhythm": _alternating_lines,
    "reversed": _reversed_lines,
    "shuffled": _shuffled_lines,
    "fifty lines at random, twice": _few_words,
    "two lines at random, an anchor in every 400": _islands,
    "nothing in common": lambda size: ([b"old %d\n" % n for n in range(size)], [b"new %d\n" % n for n in range(size)]),
}


def real_lines(size: int) -> list[bytes]:
    """Lines of the headers, then of the library's files in a shuffled order."""
    headers = sorted(Path(sysconfig.get_path("include")).rglob("*.h"))
    modules = sorted(
        path for path in Path(sysconfig.get_path("stdlib")).rglob("*.py") if "site-packages" not in path.parts
    )
    lines: list[bytes] = []
    for path in [*headers, *random.Random(3).sample(modules, len(modules))]:
        lines += [line + b"\n" for line in path.read_bytes().split(b"\n")]
        if len(lines) >= size:
            return lines[:size]
    return (lines * (size // len(lines) + 1))[:size]


def repetitive_lines(size: int) -> list[bytes]:
    """Lines of a table, hardly one of them unique."""
    rng = random.Random(4)
    kinds = [b"    { %d, NULL, 0 },\n" % number for number in range(300)]
    return rng.choices(kinds, k=size)


def _random_edits(lines: list[bytes], number: int) -> list[Edit]:
    """A third each: a line changed, a line inserted, a line deleted."""
    rng = random.Random(5)
    indexes = sorted(rng.sample(range(len(lines)), number))
    edits, at, offset = [], 0, 0
    for index in indexes:
        offset += sum(map(len, lines[at:index]))
        at, line = index, lines[index]
        changed = line[:-1] + b" /* changed */\n"
        edits.append(
            rng.choice(
                [
                    edit(offset, offset + len(line), changed),
                    edit(offset, offset, b"    inserted();\n"),
                    edit(offset, offset + len(line), b""),
                ]
            )
        )
    return edits
