"""Reading: 50 lines at the end of a file, by `file_read`, against reading and splitting it in Python.

`file_read` also determines the file's hash, encoding, line endings and indentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.table import Table, comparison, measure_rounds
from suture import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LINE = b"static int add(int left, int right) { return left + right; }\n"
SHOWN = 50
PLAIN = "read, decode, splitlines"


def tables(folder: Path) -> Iterator[Table]:
    """Time of one call in a running process."""
    workspace = Workspace(folder)
    for name, size, rounds in (("1 KB", 1_000, 200), ("1 MB", 1_000_000, 50), ("96 MB", 96_000_000, 3)):
        path = folder / name
        total = size // len(LINE)
        path.write_bytes(LINE * total)
        first = max(1, total - SHOWN + 1)
        contestants = {"file_read": _ours(workspace, name, first, total), PLAIN: _plain(path)}
        lines = total - first + 1
        yield comparison(
            f"Read the last {lines} lines of {name} ({rounds} rounds)",
            measure_rounds(contestants, rounds),
            against=[PLAIN],
        )


def _ours(workspace: Workspace, name: str, first: int, last: int) -> Callable[[], object]:
    def run() -> None:
        result = workspace.file_read(name, first, last)
        if result.is_error:
            raise RuntimeError(result.text)

    return run


def _plain(path: Path) -> Callable[[], object]:
    return lambda: path.read_bytes().decode().splitlines()[-SHOWN:]
