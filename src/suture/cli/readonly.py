"""Read a history without changing anything: nothing is written, created, recorded or recovered.

`files.history` records waiting changes when it opens a database, and SQLite rolls back a transaction that a crash
left open. Completion and `suture doctor` must not cause that.
"""

from __future__ import annotations

import errno
import os
from contextlib import contextmanager

from suture.files.fs import MEMORY, Tree
from suture.files.history import History, PendingChanges
from suture.files.local_fs import LocalFS, database_path
from suture.records import Record
from suture.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from sqlite3 import Connection

    from suture.files.database import Database
    from suture.plan import ChangeRecord

_ASCII = 128  # bytes below it are the same in every URI


class RecordedHistory(Record):
    """The history of a workspace, to read."""

    book: Database
    waiting: tuple[ChangeRecord, ...]
    """Changes not recorded yet, in the order in which they landed."""
    database: Connection
    file: str | None
    """The path of the database; None: nothing was ever recorded."""

    def changes(self) -> Iterator[ChangeRecord]:
        """All changes, newest first."""
        yield from reversed(self.waiting)
        yield from self.book.changes()


class ReadOnlyFS(LocalFS):
    """The operating system's files, with databases opened read-only."""

    def __init__(self) -> None:
        self.name = MEMORY
        """The database opened last."""
        self.database: Connection | None = None

    def open_database(self, name: str, create: bool, timeout_ms: int) -> Connection:  # noqa: FBT001  see FS
        """Open a database read-only."""
        from sqlite3 import Connection  # `connect` is reserved for code that may write

        del create  # nothing is created
        if name == MEMORY:
            self.database = Connection(MEMORY, isolation_level=None)
        else:
            path = database_path(name)
            if not os.path.isfile(path):
                os.lstat(path)  # FileNotFoundError, if nothing is there
                raise OSError(errno.EINVAL, "not a regular file", path)
            self.database = Connection(_uri(path), uri=True, timeout=timeout_ms / 1000, isolation_level=None)
        self.name = name
        return self.database

    def pending(self, name: str) -> bytes:
        """Nothing, so that pending changes are not recorded."""
        del name
        return b""


@contextmanager
def read_history(root: str, timeout_ms: int) -> Iterator[RecordedHistory]:
    """The history of the workspace at this root; HistoryUnavailable says why it cannot be read."""
    fs = ReadOnlyFS()
    with Tree(fs, root) as tree, History(tree, Settings(history_timeout_ms=timeout_ms)).reading() as book:
        assert fs.database is not None  # noqa: S101  the book was read from it
        name = None if fs.name == MEMORY else fs.name
        waiting = () if name is None else tuple(PendingChanges(LocalFS().pending(name)).unrecorded(book.has_change))
        yield RecordedHistory(book, waiting, fs.database, None if name is None else database_path(name))


def _uri(path: str) -> str:
    """The URI with which SQLite opens a file read-only."""
    escaped = (chr(byte) if chr(byte).isalnum() and byte < _ASCII else f"%{byte:02x}" for byte in os.fsencode(path))
    return f"file://{''.join(escaped).replace('%2f', '/')}?mode=ro"
