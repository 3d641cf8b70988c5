"""Read a history without changing anything: nothing is written, created, recorded or recovered.

`files.history` records the changes that wait when it opens a database, and SQLite undoes a transaction that a crash
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

_ASCII = 128


class Sight(Record):
    """The history of a workspace, to read."""

    book: Database
    waiting: tuple[ChangeRecord, ...]
    """Changes that are not recorded yet, in the order in which they landed."""
    database: Connection
    file: str | None
    """The database; None: nothing was ever recorded."""

    def changes(self) -> Iterator[ChangeRecord]:
        """All of them, the newest first."""
        yield from reversed(self.waiting)
        yield from self.book.changes()


class Onlooker(LocalFS):
    """The operating system's files, with databases that can only be read."""

    def __init__(self) -> None:
        self.name = MEMORY
        """The database that was opened last."""
        self.database: Connection | None = None

    def open_database(self, name: str, create: bool, timeout_ms: int) -> Connection:  # noqa: FBT001  see FS
        """Open a database to read it."""
        from sqlite3 import Connection  # `connect` is for code that may write

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
        """Nothing: pending changes must not be recorded here."""
        del name
        return b""


@contextmanager
def sight(root: str, timeout_ms: int) -> Iterator[Sight]:
    """The history of the workspace at this root; HistoryUnavailable says why it cannot be read."""
    fs = Onlooker()
    with Tree(fs, root) as tree, History(tree, Settings(history_timeout_ms=timeout_ms)).reading() as book:
        assert fs.database is not None  # noqa: S101  the book is in it
        name = None if fs.name == MEMORY else fs.name
        waiting = () if name is None else tuple(PendingChanges(LocalFS().pending(name)).unrecorded(book.has_change))
        yield Sight(book, waiting, fs.database, None if name is None else database_path(name))


def _uri(path: str) -> str:
    """The URI that makes SQLite open a file read-only."""
    escaped = (chr(byte) if chr(byte).isalnum() and byte < _ASCII else f"%{byte:02x}" for byte in os.fsencode(path))
    return f"file://{''.join(escaped).replace('%2f', '/')}?mode=ro"
