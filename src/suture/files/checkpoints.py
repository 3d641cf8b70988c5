"""The last known state of the whole tree, and what is known about each checkpoint, in an open database.

    tree        one row: the number of the last change that the state includes (-1: incomplete), and git's HEAD then
    tree_file   every file: its stamp, and its content by number; NULL: present, but not read
    checkpoint  why a named point was taken, by whom, and where git's HEAD was

A checkpoint itself is only a named point in the order of changes (`files.database`): whatever happened to the tree
between two checkpoints is a change of its own, so the files at a checkpoint follow from the changes after it.

Versions before 0.2.0 created none of these tables; they are created on first use. The state has one checksum over all
rows. If it is damaged, or a content that it refers to is gone, the state is unknown and is started over: nothing
else depends on it.
"""

from __future__ import annotations

from sqlite3 import OperationalError

from suture.files.store import has_table
from suture.plan import Head, SessionInfo, digest
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping
    from sqlite3 import Connection
    from typing import Any

    from suture.files.fs import Stamp
    from suture.files.store import Checksums

    Seen = tuple[Stamp, str | None]
    """A file as it was last seen: its stamp, and the hash of its content, None if that is not known."""

_TREE_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS tree (number INTEGER NOT NULL, has_head INTEGER NOT NULL, branch TEXT, head TEXT)",
    """CREATE TABLE IF NOT EXISTS tree_file (path BLOB PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL,
    ctime_ns INTEGER NOT NULL, inode INTEGER NOT NULL, mode INTEGER NOT NULL, content INTEGER) WITHOUT ROWID""",
)
_CHECKPOINT_SCHEMA = """CREATE TABLE IF NOT EXISTS checkpoint (id TEXT PRIMARY KEY, kind TEXT NOT NULL,
    about TEXT NOT NULL, session TEXT, agent TEXT, version TEXT, transport TEXT, label TEXT,
    has_head INTEGER NOT NULL, branch TEXT, head TEXT)"""
_SELECT_FILES = """SELECT path, tree_file.size, mtime_ns, ctime_ns, inode, mode, coalesce(digest, content)
    FROM tree_file LEFT JOIN content ON content = number ORDER BY path"""
"""If a content is gone, its number is instead of its hash, and the checksum does not match."""
_UNSETTLE = """UPDATE tree_file SET mtime_ns = -1
    WHERE content IN (SELECT number FROM content WHERE data IS NULL)"""
"""No file has this time, so its stamp differs; the hash stays, so that it only counts as changed if it is."""
_STAMP_LENGTH = 5
INCOMPLETE = -1
"""The number of a state that is not complete: its files only spare the next scan from reading them again."""
NAMED = "named"
"""The kind of a checkpoint that somebody asked for by name; all others are automatic."""
_KEPT_AUTOMATIC = 50  # checkpoints: those of a long day
SELECT_REFERRED = "SELECT content FROM tree_file WHERE content IS NOT NULL"
"""The contents that the state refers to."""


class TreeState(Record):
    """The last known state of the tree."""

    number: int
    """The last change that it includes, or INCOMPLETE."""
    head: Head | None
    files: dict[str, Seen]
    version: str
    """Differs if the state was written meanwhile."""


class CheckpointRecord(Record):
    """Why a checkpoint was taken, and by whom."""

    kind: str
    """`named`, `start` (of a session), `before` (a command), `restore` (before one), or `snapshot` (of 0.1.0)."""
    about: str
    """The command, or the agent."""
    session: SessionInfo | None = None
    head: Head | None = None


class Checkpoints:
    """The state of the tree and the checkpoints in an open database."""

    def __init__(self, database: Connection, checksums: Checksums) -> None:
        self._db = database
        self._checksums = checksums
        self._is_there: bool | None = None

    def exists(self) -> bool:
        """Whether there is a state of the tree, perhaps incomplete or damaged."""
        if self._is_there is None:
            self._is_there = has_table(self._db, "tree_file")
        return self._is_there

    def number(self) -> int | None:
        """The number of the last change that the state includes; None if there is no complete state."""
        row = self._row("SELECT number FROM tree") if self.exists() else None
        return row[0] if row is not None and isinstance(row[0], int) and row[0] > INCOMPLETE else None

    def version(self) -> str:
        """A text that differs if the state was written meanwhile; empty if there is none."""
        return (self._checksums.name("tree", "") or "") if self.exists() else ""

    def state(self) -> TreeState | None:
        """The last known state; None if there is none, or if it is damaged."""
        if not self.exists():
            return None
        head = self._row("SELECT number, has_head, branch, head FROM tree")
        try:
            rows = self._rows()
            if head is None or not self._checksums.matches("tree", "", self._values(head, rows)):
                return None
        except (OperationalError, ValueError):  # a text that is not UTF-8, a value that no state has
            return None
        files: dict[str, Seen] = {
            path.decode("utf-8", "surrogateescape"): ((size, modified, changed, inode, mode), name)
            for path, size, modified, changed, inode, mode, name in rows
        }
        number, *values = head
        return TreeState(number, _head(*values), files, self.version())

    def stored_bytes(self) -> int:
        """The size of the contents of the state, as they are stored."""
        query = "SELECT sum(length(data)) FROM content WHERE number IN (SELECT content FROM tree_file)"
        return self._row(query)[0] or 0

    def paths(self) -> list[str]:
        """The paths of all files, perhaps of a damaged state."""
        rows = self._db.execute("SELECT path FROM tree_file ORDER BY path").fetchall() if self.exists() else ()
        return [path.decode("utf-8", "surrogateescape") for (path,) in rows if isinstance(path, bytes)]

    def unread(self) -> list[str]:
        """The paths of the files whose contents are not known."""
        query = "SELECT path FROM tree_file WHERE content IS NULL ORDER BY path"
        return [path.decode("utf-8", "surrogateescape") for (path,) in self._db.execute(query)]

    def file(self, path: bytes) -> tuple[str | None, int] | None:
        """The hash of a file, None if it is not known, and its mode; None if there was no file."""
        query = "SELECT digest, mode FROM tree_file LEFT JOIN content ON content = number WHERE path = ?"
        row = self._row(query, path)
        return None if row is None else (row[0], row[1])

    def save(
        self,
        state: TreeState,
        written: Mapping[str, Seen],
        removed: Collection[str],
        numbers: Mapping[str, int],
    ) -> None:
        """Store a state of which only some files are not stored yet; `numbers` are those of contents, by hash."""
        for statement in _TREE_SCHEMA:
            self._db.execute(statement)
        self._is_there = True
        rows = [
            (_encode(path), *stamp, None if name is None else numbers[name]) for path, (stamp, name) in written.items()
        ]
        self._db.executemany("DELETE FROM tree_file WHERE path = ?", [(_encode(path),) for path in removed])
        self._db.executemany("INSERT OR REPLACE INTO tree_file VALUES (?, ?, ?, ?, ?, ?, ?)", sorted(rows))
        self._db.execute("DELETE FROM tree")
        self._db.execute("INSERT INTO tree VALUES (?, ?, ?, ?)", (state.number, *map(_valid, _head_values(state.head))))
        self.sign(state.version)

    def unsettle(self, version: str) -> None:
        """Let the next scan read every file again whose content is not stored. A damaged state stays damaged."""
        if self.state() is not None:
            self._db.execute(_UNSETTLE)
            self.sign(version)

    def clear(self) -> None:
        """Forget a state that is damaged."""
        if self.exists():
            self._db.execute("DELETE FROM tree_file")
            self._db.execute("DELETE FROM tree")
            self._checksums.drop_one("tree", "")

    def sign(self, version: str) -> None:
        """Store the checksum of the state as it is now."""
        head = self._row("SELECT number, has_head, branch, head FROM tree")
        if head is not None:
            self._checksums.put("tree", "", head[0], version, self._values(head, self._rows()))

    def add(self, checkpoint_id: str, place: int, record: CheckpointRecord) -> None:
        """Store what is known about a checkpoint."""
        self._db.execute(_CHECKPOINT_SCHEMA)
        texts = (record.kind, record.about, *session_values(record.session))
        row = (checkpoint_id, *map(_valid, texts), *map(_valid, _head_values(record.head)))
        self._db.execute("INSERT INTO checkpoint VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
        self._checksums.put("checkpoint", checkpoint_id, place, record.kind, row)

    def remove_texts(self, texts: Collection[str]) -> None:
        """Remove the command lines that are these texts, which the summaries of changes had."""
        for key, record in self.records().items():
            if record.about in texts:
                self._db.execute("UPDATE checkpoint SET about = '' WHERE id = ?", (key,))
                row = self._row("SELECT * FROM checkpoint WHERE id = ?", key)
                place = self._row("SELECT after_change FROM snapshot WHERE id = ?", key)
                self._checksums.put("checkpoint", key, 0 if place is None else place[0], record.kind, row)

    def records(self) -> dict[str, CheckpointRecord]:
        """What is known about each checkpoint, by id; damaged ones are missing."""
        if not has_table(self._db, "checkpoint"):
            return {}
        records: dict[str, CheckpointRecord] = {}
        for row in self._db.execute("SELECT * FROM checkpoint").fetchall():
            if self._checksums.matches("checkpoint", row[0], row):
                key, kind, about, *session, has_head, branch, commit = row
                who = None if session[0] is None else SessionInfo(*session)
                records[key] = CheckpointRecord(kind, about, who, _head(has_head, branch, commit))
        return records

    def superfluous(self) -> list[str]:
        """The oldest automatic checkpoints, beyond the number of those that are kept."""
        automatic = sorted(key for key, record in self.records().items() if record.kind != NAMED)
        return automatic[:-_KEPT_AUTOMATIC]

    def drop(self, known: Iterable[str]) -> None:
        """Delete what is known about all but these checkpoints."""
        if has_table(self._db, "checkpoint"):
            gone = {key for (key,) in self._db.execute("SELECT id FROM checkpoint")}.difference(known)
            for key in gone:
                self._db.execute("DELETE FROM checkpoint WHERE id = ?", (key,))
                self._checksums.drop_one("checkpoint", key)

    def _rows(self) -> list[tuple[Any, ...]]:
        """The files as stored, with hashes instead of numbers."""
        decode, self._db.text_factory = self._db.text_factory, str  # a function would be called for each hash
        try:
            return self._db.execute(_SELECT_FILES).fetchall()
        finally:
            self._db.text_factory = decode

    def _values(self, head: tuple[Any, ...], rows: list[tuple[Any, ...]]) -> tuple[Any, ...]:
        """What the checksum of a state covers. Version 2 of marshal's format is the same in all versions of Python."""
        from marshal import dumps  # only this needs it

        raw = dumps(rows, 2)
        return tuple(head), digest((raw,), len(raw))

    def _row(self, query: str, *values: object) -> Any:
        return self._db.execute(query, values).fetchone()


def session_values(session: SessionInfo | None) -> tuple[str | None, ...]:
    """A session as columns."""
    if session is None:
        return None, None, None, None, None
    return session.id, session.agent, session.version, session.transport, session.label


def _head_values(head: Head | None) -> tuple[int, str | None, str | None]:
    return (0, None, None) if head is None else (1, head.branch, head.commit)


def _head(has_head: object, branch: str | None, commit: str | None) -> Head | None:
    return Head(branch, commit) if has_head else None


def _valid(value: Any) -> Any:
    """A value that SQLite can store: a text that others wrote may not be UTF-8."""
    return value.encode("utf-8", "backslashreplace").decode() if isinstance(value, str) else value


def _encode(path: str) -> bytes:
    return path.encode("utf-8", "surrogateescape")
