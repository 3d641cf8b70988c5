"""A workspace's history as others see it, and ways to damage its database."""

import sqlite3
from contextlib import closing
from pathlib import Path

from suture import Settings, Workspace

FAST = Settings(durability="fast", history_timeout_ms=0)


def make(root: Path) -> None:
    root.mkdir()
    (root / "a.txt").write_bytes(b"0\n")


def list_summaries(root: Path) -> list[str]:
    """The summaries of the recorded changes, oldest first."""
    result = Workspace(root, FAST).history(limit=1000)
    assert not result.is_error, result.text
    return [change["summary"] for change in result.metadata["changes"]][::-1]


def of_another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA application_id = 12345")


def without_a_table(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("DROP TABLE file")
