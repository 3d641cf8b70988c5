"""Memory: the peak of a process that edits one span in the middle of a 96 MB file.

Every case runs in its own process. It edits a small file first, so that everything is imported, and
reports how far the edit of the large file raised its peak.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench.table import Table
from suture import Settings, Text, Workspace
from suture.text.diff import FileDiff, unified
from suture.text.edits import Edit, edit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

SIZE = 96_000_000
PLAIN = "static int add(int left, int right) { return left + right; }\n"
EMOJI = "puts('done \N{PARTY POPPER} \N{WHITE HEAVY CHECK MARK}');\n"
FILES = {
    "ASCII": (PLAIN, "utf-8"),
    "emoji": (PLAIN * 20 + EMOJI, "utf-8"),
    "UTF-16": (PLAIN * 20 + EMOJI, "utf-16"),
}


def tables(folder: Path) -> Iterator[Table]:
    """Peak relative to the size of the file, next to the shortest program that does the same."""
    goals = {("suture", "ASCII"): "< 3 x", ("suture", "emoji"): "< 3 x"}
    cases = [(kind, way) for kind in FILES for way in WAYS if not (kind == "UTF-16" and way == "plain, bytes")]
    rows: list[list[str | float]] = []
    for kind in FILES:
        _write(folder / kind, SIZE)
    for kind, way in cases:
        peak, seconds = _child(folder / kind, way)
        rows.append([f"{kind}: {way}", peak / 1e6, peak / SIZE, seconds, goals.get((way, kind), "")])
    head = ["", "peak MB", "x file size", "seconds", "goal"]
    yield Table(f"Peak memory of editing a file of {SIZE / 1e6:.0f} MB", head, rows, ["without the interpreter's own"])


def _write(path: Path, size: int) -> None:
    block, encoding = FILES[path.stem]
    with path.open("w", encoding=encoding, newline="") as file:
        for _ in range(size // len(block.encode(encoding))):
            file.write(block)


def _child(path: Path, way: str) -> tuple[int, float]:
    command = [sys.executable, "-m", "bench.memory", str(path), way]
    process = subprocess.run(command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, check=True)
    peak, seconds = json.loads(process.stdout)
    return peak, seconds


def _measure(path: Path, way: str) -> None:
    """The child: edit a small file, then the large one; print the growth of the peak, and the seconds."""
    small = path.with_suffix(".small")
    _write(small, 100_000)
    WAYS[way](small)
    baseline, begin = peak_memory(), time.perf_counter()
    WAYS[way](path)
    print(json.dumps([peak_memory() - baseline, time.perf_counter() - begin]))


def peak_memory() -> int:
    """The peak memory of this process. Linux's own figure first: getrusage also counts the parent before exec."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _ours(path: Path) -> None:
    with Workspace(path.parent, Settings(durability="fast")).transaction() as transaction:
        transaction.edit(path.name, _in_the_middle)


def _ours_with_diff(path: Path) -> None:
    def edits(text: Text) -> list[Edit]:
        changes = _in_the_middle(text)
        text.lines.position(changes[0].span.start)
        unified(FileDiff("file", "file", text.body, tuple(changes)))
        return changes

    with Workspace(path.parent, Settings(durability="fast")).transaction() as transaction:
        transaction.edit(path.name, edits)


def _in_the_middle(text: Text) -> list[Edit]:
    at = text.body.index(b"int", len(text.body) // 2)
    return [edit(at, at + 3, b"long")]


def _plain_bytes(path: Path) -> None:
    body = path.read_bytes()
    at = body.index(b"int", len(body) // 2)
    path.write_bytes(body[:at] + b"long" + body[at + 3 :])


def _plain_text(path: Path) -> None:
    encoding = FILES[path.stem][1]
    with path.open(encoding=encoding, newline="") as file:
        body = file.read()
    at = body.index("int", len(body) // 2)
    path.write_text(body[:at] + "long" + body[at + 3 :], encoding, newline="")


WAYS: dict[str, Callable[[Path], None]] = {
    "suture": _ours,
    "suture, line number and diff too": _ours_with_diff,
    "plain, bytes": _plain_bytes,
    "plain, str": _plain_text,
}


if __name__ == "__main__":
    _measure(Path(sys.argv[1]), sys.argv[2])
