"""A checksum for every record of a history: what does not fit its checksum is damaged, and never believed.

    kind        key         place                   name
    change      number      its number              its id
    snapshot    id          the change before it    its name
    files       the id of a snapshot, for its files
    clipboard   name

The table is made by the first write, beside those of version 0.1.0, which can still use the database. What that
version wrote has no checksum until the next write of this one. So a record without a checksum is an old one if it is
newer than all that have one; otherwise its checksum was lost.
"""

from __future__ import annotations

from suture.plan import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sqlite3 import Connection
    from typing import Any

_TABLE = """CREATE TABLE IF NOT EXISTS checksum (kind TEXT NOT NULL, key BLOB NOT NULL, place INTEGER NOT NULL,
    name TEXT NOT NULL, sum TEXT NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID"""
_NEVER = ""
"""The checksum of a record that was damaged before it could get one."""


class Checksums:
    """The checksums in an open database."""

    def __init__(self, database: Connection) -> None:
        self._db = database
        self._is_there: bool | None = None

    def put(self, kind: str, key: object, place: int, name: str, values: object | None) -> None:
        """Give a record a checksum; one whose values are None stays damaged."""
        if not self._exists():
            self._db.execute(_TABLE)
            self._is_there = True
        row = (kind, key, place, name, _NEVER if values is None else _sum(values))
        self._db.execute("INSERT OR REPLACE INTO checksum VALUES (?, ?, ?, ?, ?)", row)

    def holds(self, kind: str, key: object, values: object) -> bool | None:
        """Whether a record is as it was written; None if an earlier version wrote it, and nobody knows."""
        row = self._row("SELECT sum FROM checksum WHERE kind = ? AND key = ?", kind, key)
        if row is None:
            return None if self.is_new(kind, key) else False
        return bool(row[0] == _sum(values))

    def is_new(self, kind: str, key: object) -> bool:
        """Whether nothing of this kind that is as new or newer has a checksum."""
        return self._row("SELECT 1 FROM checksum WHERE kind = ? AND key >= ? LIMIT 1", kind, key) is None

    def newest(self, kind: str) -> Any:
        """The greatest key that has a checksum, or None."""
        row = self._row("SELECT max(key) FROM checksum WHERE kind = ?", kind)
        return row and row[0]

    def known(self, kind: str) -> list[tuple[Any, Any, Any]]:
        """Every key of a kind, with its place and name."""
        if not self._exists():
            return []
        query = "SELECT key, place, name FROM checksum WHERE kind = ? ORDER BY key"
        return self._db.execute(query, (kind,)).fetchall()

    def name(self, kind: str, key: object) -> str | None:
        """The name of what has this key."""
        row = self._row("SELECT name FROM checksum WHERE kind = ? AND key = ?", kind, key)
        return row[0] if row is not None and isinstance(row[0], str) else None

    def drop(self, kind: str, until: object) -> None:
        """Forget the checksums of a kind up to a place."""
        if self._exists():
            self._db.execute("DELETE FROM checksum WHERE kind = ? AND place <= ?", (kind, until))

    def drop_one(self, kind: str, key: object) -> None:
        """Forget one checksum."""
        if self._exists():
            self._db.execute("DELETE FROM checksum WHERE kind = ? AND key = ?", (kind, key))

    def _exists(self) -> bool:
        if self._is_there is None:
            query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'checksum'"
            self._is_there = self._db.execute(query).fetchone() is not None
        return self._is_there

    def _row(self, query: str, *values: object) -> Any:
        return self._db.execute(query, values).fetchone() if self._exists() else None


def _sum(values: object) -> str:
    raw = ascii(values).encode()  # the same in every version of Python
    return digest((raw,), len(raw))
