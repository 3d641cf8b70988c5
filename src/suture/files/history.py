"""The history of a workspace: find and open its database, record changes, list them.

Each workspace has one SQLite database in the user's state folder, named after the root's path, device and inode:
`<hash of the path>-<device>-<inode>.db`. It records when the folder was created, and on which machine or in which
container it was last used: containers may share a home folder, and the same device and inode numbers.

- A database with this path, device and inode belongs to the folder if it was last used here, or if the folder was
  created at the same time and does not come with a container image. Otherwise it belongs to another folder with the
  same numbers, and this folder gets a database whose name ends in a tag.
- A folder that was moved or renamed, or whose device number changed (a restarted container), is recognized by its
  creation time. Without it, a new folder that reuses an inode would inherit the history of a deleted project.
- A new folder at a known path (a fresh clone, a folder deleted by mistake) continues with a copy of the history. It is
  a copy because the old folder, if it was only moved away, keeps its own. It is made only on the machine, or in the
  container, that last used the old folder.
- A copy of a folder is another workspace and starts without history.

Changes are recorded under the workspace lock, with a rollback journal and FULL sync: one per transaction, or, with
durability `fast`, several at once. An edit never fails because of its history: problems are returned as a `Trouble`. A
database that SQLite cannot use is set aside, and a new one is started; one with damaged records stays
(`files.database`).

A process keeps the database open between changes (`IdleDatabase`), unlocked and outside any transaction. Before reuse,
its name must still lead to the same file, and the workspace to the same folder. If another connection has written
since, the database is checked as if it had just been opened.

Changes that are not recorded yet are in a file beside the database, one entry each:

    sha256:… 1234               of the rest of the entry, and its length
    {"change": …, "contents": [[hash, base, size, head, tail, codec, length], …]}
    the data of the contents, one after the other

SQLite waits for the disk four times per transaction; without that, a power cut could damage the database. With
durability `fast`, a change is therefore only appended to this file, and many changes are recorded together: when
enough are pending, and whenever the database is opened. Appended data is in the hands of the operating system, so a
killed process loses nothing. A power cut can lose the newest changes, but never recorded ones. A truncated entry is
the last one: its process was killed, and the intent names its change. A damaged entry is recorded as a damaged change.
Only the holder of the workspace lock appends to the file or deletes it. Because a crash can come between recording and
deleting, changes that are recorded already are skipped.

Rejected: SQLite without waiting (a power cut can damage the whole database); the write-ahead log (the SQLite of Debian
12 can lose a commit when it is reset, and network homes break it); a marker file in the workspace (it would show up
in everybody's version control).
"""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import contextmanager

from suture import log
from suture.errors import CheckpointExists, HistoryUnavailable, SutureError
from suture.files.database import SCHEMA, Database, UnusableDatabase
from suture.files.fs import MEMORY, Tree
from suture.files.journal import change_record, new_id
from suture.files.local_fs import LocalFS
from suture.files.state import ASIDE, database_path, is_set_aside, path_hash
from suture.files.store import Packed, pack, unpack
from suture.json_text import dumps, loads
from suture.plan import ChangeRecord, Trouble, digest
from suture.records import Record
from suture.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from typing import Any, TypeVar

    from suture.files.forget import Selection
    from suture.files.fs import FS
    from suture.files.store import Supply
    from suture.plan import Clipboard

    _Answer = TypeVar("_Answer")
    _Landed = tuple[ChangeRecord, Supply]

_MAX_PENDING = 32  # changes that are recorded together: each transaction waits for the disk
_MAX_PENDING_BYTES = 500_000  # of pending changes: they are read whenever the database is opened
_ENTRY_HEAD = rb"(sha256:[0-9a-f]{64}) (\d{1,9})\n"
_ENTRY_HEAD_SIZE = len(digest((), 0)) + 11
_ID = rb'"id": ?"([0-9a-hjkmnp-tv-z]{15})"'

_SCHEMA_VERSION = 1
_APPLICATION_ID = 0x53757475  # "Sutu": the application id in the header of the SQLite file
_TAG_LENGTH = 12  # characters of a hash (48 bits) that tells databases with the same name apart
_ENDING = ".db"
_MISSING, _OTHER = "missing", "another folder's"
# SQLite's codes for problems around a file that may be sound: PERM, BUSY, LOCKED, NOMEM, READONLY,
# INTERRUPT, IOERR, FULL, CANTOPEN, PROTOCOL, TOOBIG, NOLFS, AUTH. Any other code is damage.
_NOT_DAMAGE = {3, 5, 6, 7, 8, 9, 10, 13, 14, 15, 18, 22, 23}
_OFF = "it is turned off by the setting history"
LOCKED = {5, 6}  # SQLITE_BUSY, SQLITE_LOCKED
_CACHE_KB = 16_000  # a transaction that does not fit spills to the file early, and waits for the disk twice more

_ASCII = 128  # bytes below it are the same in every URI
_FAILURES = (sqlite3.Error, OSError, UnicodeDecodeError, UnusableDatabase, SutureError)

_INHERITED: list[_OpenDatabase] = []
"""Databases inherited by a fork, never touched again: only the parent may use or close a SQLite connection."""


class PendingFile:
    """The pending changes of this process. It appends only to a file that contains nothing else."""

    def __init__(self, fs: FS, name: str) -> None:
        self._fs = fs
        self._name = name
        self._size = 0
        self._ids: set[str] = set()
        self._stored: set[str] = set()
        """Hashes of contents that are stored already, in the file or in the database."""

    def add(self, change: ChangeRecord, supply: Supply) -> bool:
        """Append a change, unless it is there already; False if that is impossible, or if enough are pending."""
        if change.id in self._ids or len(self._ids) >= _MAX_PENDING:
            return change.id in self._ids
        contents = self._contents(change, supply)
        entry = _encode_entry(change, contents)
        if self._size + len(entry) > _MAX_PENDING_BYTES:
            return False
        try:
            if not self._fs.append_pending(self._name, entry, self._size):
                return False
        except OSError as error:
            log.warning("pending", "%s could not be appended: %s", change.id, error)
            return False
        self._size += len(entry)
        self._ids.add(change.id)
        self._stored |= contents.keys()
        return True

    def drop(self) -> None:
        """Delete the file: all of its changes are recorded."""
        try:
            self._fs.drop_pending(self._name)
        except OSError as error:
            log.debug("pending", "%s could not be deleted: %s", self._name, error)
        self._size = 0
        self._ids.clear()
        self._stored.clear()

    def note_recorded(self, change: ChangeRecord, supply: Supply) -> None:
        """Note that a change and its contents are recorded."""
        self._stored.update(name for name, _ in _contents_with_bases(change) if supply(name) is not None)

    def _contents(self, change: ChangeRecord, supply: Supply) -> dict[str, _Content]:
        """The contents of a change that are not stored yet; unavailable ones are left out."""
        contents: dict[str, _Content] = {}
        for name, base in _contents_with_bases(change):
            content = None if name in self._stored or name in contents else supply(name)
            if content is not None:
                old = None if base is None or (base not in self._stored and base not in contents) else supply(base)
                packed = pack(content, old or b"")
                contents[name] = _Content(None if old is None else base, len(content), packed)
        return contents


class PendingChanges:
    """The changes in a file of pending changes, including damaged ones, in the order in which they landed."""

    def __init__(self, raw: bytes) -> None:
        self._changes: list[ChangeRecord] = []
        self._contents: dict[str, _Content] = {}
        self._unpacked: dict[str, bytes | None] = {}
        for entry, is_whole in _split_entries(raw):
            try:
                if is_whole:
                    line, _, data = entry.partition(b"\n")
                    self._read(loads(line.decode()), data)
                    continue
            except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
                log.warning("pending", "not written by this version of suture: %r", error)
            self._changes.append(_read_damaged(entry))

    def _read(self, document: Any, data: bytes) -> None:
        at = 0
        for name, base, size, head, tail, codec, length in document["contents"]:
            self._contents[name] = _Content(base, size, Packed(head, tail, codec, data[at : at + length]))
            at += length
        self._changes.append(change_record(document["change"]))

    def unrecorded(self, knows: Callable[[str], bool]) -> list[ChangeRecord]:
        """The changes still to be recorded: those after the last recorded one. Earlier ones may have been dropped."""
        last = max((at for at, change in enumerate(self._changes, 1) if knows(change.id)), default=0)
        return self._changes[last:]

    def supply(self, recorded: Supply) -> Supply:
        """A function that returns contents by hash, including those stored as differences to recorded ones."""

        def supply(name: str) -> bytes | None:
            if name not in self._contents:
                return recorded(name)
            if name not in self._unpacked:
                self._unpacked[name] = _content(name, self._contents[name], supply)
            return self._unpacked[name]

        return supply


class IdleDatabase:
    """At most one database that stays open between calls. Taking it is exclusive: another thread opens its own."""

    def __init__(self) -> None:
        self._idle: list[_OpenDatabase] = []

    def take(self) -> _OpenDatabase | None:
        """The open database, if there is one. The caller puts it back or closes it."""
        try:
            opened = self._idle.pop()
        except IndexError:
            return None
        if opened.process == os.getpid():
            return opened
        _INHERITED.append(opened)
        return None

    def put(self, opened: _OpenDatabase) -> None:
        """Keep this database open, unless another one is kept already."""
        if self._idle:
            opened.connection.close()
        else:
            self._idle.append(opened)

    def close(self) -> None:
        """Close the database that is kept open."""
        while self._idle:
            opened = self.take()
            if opened is not None:
                opened.connection.close()

    def __del__(self) -> None:
        try:  # noqa: SIM105  at the interpreter's end other modules may be gone
            self.close()
        except Exception:  # noqa: BLE001, S110  nobody can receive an error: the interpreter or a thread is ending
            pass


class History:
    """The history of the workspace with this root; its database stays open in `idle`, if given."""

    def __init__(self, tree: Tree, settings: Settings, idle: IdleDatabase | None = None) -> None:
        self._tree = tree
        self._fs = tree.fs
        self._settings = settings
        self._idle = idle
        self._name_in_use = ""
        """The name of the database that was last opened, or looked for."""

    @contextmanager
    def reading(self) -> Iterator[Database]:
        """The records, for reading; empty if nothing was ever recorded."""
        if not self._settings.history:
            raise HistoryUnavailable(reason=_OFF)
        try:
            connection, _ = self._open_any(create=False)
        except (sqlite3.Error, OSError, UnicodeDecodeError, UnusableDatabase) as error:
            raise HistoryUnavailable(reason=_reason(error)) from error
        try:
            if not _is_history(connection):  # nothing has been recorded yet
                connection.close()
                connection = self._open(MEMORY)
                connection.executescript(SCHEMA)
            yield Database(connection)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise HistoryUnavailable(reason=_reason(error)) from error
        finally:
            connection.close()

    def record(self, change: ChangeRecord, supply: Supply) -> Trouble | None:
        """Record a change that landed, unless it is recorded already. The caller holds the workspace lock."""

        def write(database: Database) -> None:
            if not database.has_change(change.id):
                database.add(change, supply, self._is_ignored)

        try:
            return self._write(write, (change, supply))
        except Exception as error:  # noqa: BLE001  the change has landed: nothing may be reported as its failure
            log.exception("history", "%s is not recorded", change.id)
            return Trouble(recorded=False, reason=f"suture failed: {type(error).__name__}: {error}")

    def keep_clipboards(self, session: str, clipboards: Iterable[Clipboard]) -> Trouble | None:
        """Store clipboards of a session without a change. The caller holds the workspace lock."""
        return self._write(lambda database: database.clipboards.put(session, clipboards))

    def drop_clipboards(self, keys: Iterable[tuple[str, str]]) -> None:
        """Delete clipboards by session and name. The caller holds the workspace lock."""
        trouble = self._write(lambda database: database.clipboards.drop(keys))
        if trouble is not None and not trouble.recorded:
            raise HistoryUnavailable(reason=trouble.reason)

    def keep(self, write: Callable[[Database], _Answer]) -> _Answer:
        """Write what `write` does, in one transaction, and return its answer. The caller holds the workspace lock."""
        answers: list[_Answer] = []
        trouble = self._write(lambda database: answers.append(write(database)))
        if trouble is not None and not trouble.recorded:
            raise HistoryUnavailable(reason=trouble.reason)
        return answers[-1]

    def forget(self, select: Callable[[Database], Selection]) -> Selection:
        """Remove contents for good. The caller holds the workspace lock.

        What is deleted is overwritten, but other pages of the database have remains of it, so it is rebuilt. Pending
        changes have been recorded when it was opened. If this is interrupted, doing it again completes it.
        """
        from suture.files.forget import remove  # rarely needed

        if self._idle is not None:
            self._idle.close()  # it has contents in memory
        try:
            opened = self._begin()
            try:
                self._check_structure(opened.connection)
                opened.connection.execute("PRAGMA secure_delete = ON")
                selection = select(opened.database)
                remove(opened.database, selection)
                self._fs.commit_database(opened.connection)
                self._fs.drop_pending(opened.name)
                self._fs.vacuum_database(opened.connection)
            finally:
                opened.connection.close()
        except (sqlite3.Error, OSError, UnicodeDecodeError, UnusableDatabase) as error:
            raise HistoryUnavailable(reason=_reason(error)) from error
        return selection

    def _check_structure(self, connection: sqlite3.Connection) -> None:
        """Refuse a database whose structure is damaged, unless rebuilding it helps: deleting could damage more."""
        query = "PRAGMA quick_check(1)"
        if connection.execute(query).fetchone()[0] == "ok":
            return
        self._fs.commit_database(connection)
        self._fs.vacuum_database(connection)
        connection.execute("BEGIN IMMEDIATE")
        if (problem := connection.execute(query).fetchone()[0]) != "ok":
            raise UnusableDatabase(problem.partition("\n")[2] or problem)

    def copies(self, hashes: Collection[str]) -> list[str]:
        """The files of other histories that have one of these contents, and the damaged ones set aside here.

        Call it after the history was read or written.
        """
        own = self._name_in_use
        suspects: dict[str, bool] = {}
        copies = []
        for path in self._fs.history_files():
            name = path.rpartition("/")[2]
            base = f"{name.partition(_ENDING)[0]}{_ENDING}"
            if is_set_aside(name):
                suspected = _is_near(base, own)
            else:
                if base not in suspects:
                    suspects[base] = base != own and self._has_content(base, hashes)
                suspected = suspects[base]
            copies += [path] if suspected else []
        return copies

    def _has_content(self, name: str, hashes: Collection[str]) -> bool:
        """Whether a database has one of these contents; if it cannot be read, whether it may be a copy of this one."""
        try:
            answer = self._query(name, lambda database: any(map(database.has_content, hashes)))
        except _FAILURES:
            answer = None
        return _is_near(name, self._name_in_use) if answer is None else answer

    def _write(self, write: Callable[[Database], None], landed: _Landed | None = None) -> Trouble | None:
        """Write in one transaction. A change that landed may stay pending until there are more."""
        if not self._settings.history:
            return Trouble(recorded=False, reason=_OFF)
        aside = None
        try:
            try:
                self._transact(write, landed)
            except _FAILURES as error:
                if not is_damage(error):
                    raise
                aside = self._put_aside()
                log.warning("history", "damaged, set aside as %s: %s", aside, error)
                self._transact(write, landed)
        except CheckpointExists:
            raise
        except _FAILURES as error:
            log.warning("history", "not recorded: %s", error)
            return Trouble(recorded=False, reason=_reason(error), aside=aside)
        return None if aside is None else Trouble(recorded=True, reason="it was damaged", aside=aside)

    def _transact(self, write: Callable[[Database], None], landed: _Landed | None) -> None:
        resumed = self._resume()
        opened = resumed or self._begin()
        has_file = opened.file is not None  # without one there is no file of pending changes either
        try:
            if resumed and landed and self._settings.durability == "fast" and resumed.pending.add(*landed):
                opened.connection.execute("ROLLBACK")
            else:
                if has_file:
                    self._record_pending(opened.database, opened.name)
                write(opened.database)
                opened.database.prune(self._settings.history_max_bytes, self._settings.history_max_days)
                self._fs.commit_database(opened.connection)
                if has_file:
                    opened.pending.drop()
                if landed:
                    opened.pending.note_recorded(*landed)
        except BaseException:
            opened.connection.close()
            raise
        if self._idle is not None and has_file:
            opened.database.trim_cache()
            self._idle.put(opened)
        else:
            opened.connection.close()

    def _record_pending(self, database: Database, name: str) -> None:
        """Record the pending changes in the open transaction."""
        waiting = PendingChanges(self._fs.pending(name))
        supply = waiting.supply(database.content)
        for change in waiting.unrecorded(database.has_change):
            if database.has_change(change.id):  # an entry may occur twice
                continue
            if change.state == "damaged":
                database.add_damaged(change.id)
            else:
                database.add(change, supply, self._is_ignored)

    def _resume(self) -> _OpenDatabase | None:
        """The database that was kept open, in a new transaction; None if there is none or it is no longer ours."""
        opened = None if self._idle is None else self._idle.take()
        if opened is None:
            return None
        self._name_in_use = opened.name
        try:
            if opened.folder == self._folder() and opened.file == self._file(opened.name):
                opened.connection.execute("BEGIN IMMEDIATE")
                version = _version(opened.connection)
                if version == opened.version:
                    return opened
                if _is_history(opened.connection):
                    database, pending = Database(opened.connection), PendingFile(self._fs, opened.name)
                    return opened.evolve(database=database, version=version, pending=pending)
        except BaseException:
            opened.connection.close()
            raise
        opened.connection.close()
        return None

    def _begin(self) -> _OpenDatabase:
        """The workspace's database, opened or created, in a new transaction."""
        folder = self._folder()
        connection, name = self._open_any(create=True)
        try:
            file = self._file(name)  # if it was replaced since it was opened, SQLite refuses to write
            if not connection.execute("PRAGMA page_count").fetchone()[0]:
                connection.execute("PRAGMA auto_vacuum = FULL")  # dropped changes make the file smaller
            connection.execute("PRAGMA journal_mode = DELETE")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
            connection.execute("BEGIN IMMEDIATE")
            if not _is_history(connection):
                for statement in SCHEMA.split(";"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA application_id = {_APPLICATION_ID}")
                connection.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
            database = Database(connection)
            machine = self._machine()
            if database.name() != name or database.machine() != machine:  # the database or the folder is new
                database.set_folder(name, self._born(), machine)
            pending = PendingFile(self._fs, name)
            return _OpenDatabase(connection, database, name, file, folder, _version(connection), os.getpid(), pending)
        except BaseException:
            connection.close()
            raise

    def _open_any(self, *, create: bool) -> tuple[sqlite3.Connection, str]:
        """The workspace's database and its name: found, moved or copied from another name, created, or empty."""
        name = self._name()
        opened = self._open_own(name)
        if opened is _OTHER:
            name = self._tagged_name(name)
            opened = self._open_own(name)
        if isinstance(opened, sqlite3.Connection):
            return opened, name
        moved, known = self._find_moved(name), self._find_by_path(name)
        if not create:
            self._name_in_use = moved or known or name
            return self._open(moved or known or MEMORY), name
        if moved is not None:
            self._open(moved).close()  # opening rolls back what a crash left open, and records pending changes
            PendingFile(self._fs, moved).drop()
            self._fs.rename_database(moved, name)
        elif known is not None:
            self._fs.copy_database(known, name)
        return self._open(name, create=True), name

    def _open_own(self, name: str) -> sqlite3.Connection | str:
        """The database of this name, or why it is not used: it is missing, or it is another folder's."""
        self._name_in_use = name
        try:
            connection = self._open(name)
        except FileNotFoundError:
            return _MISSING
        try:
            if not _is_history(connection):  # a crash left it empty
                connection.close()
                return _MISSING
            if self._belongs_here(Database(connection)):
                return connection
        except BaseException:
            connection.close()
            raise
        connection.close()
        return _OTHER

    def _open(self, name: str, *, create: bool = False) -> sqlite3.Connection:
        """Open a database and record its pending changes; SQLite itself rolls back what a crash left open."""
        connection = self._fs.open_database(name, create, self._settings.history_timeout_ms)
        try:
            if _is_history(connection) and PendingChanges(self._fs.pending(name)).unrecorded(
                Database(connection).has_change
            ):
                connection.execute("BEGIN IMMEDIATE")
                self._record_pending(Database(connection), name)
                self._fs.commit_database(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _is_ignored(self, path: str) -> bool:
        """Whether a checkpoint leaves out a file, if it is not known."""
        from suture.files.scan import is_ignored  # few changes need it

        return is_ignored(self._tree, path)

    def _name(self) -> str:
        """The name of the database, from the path and the folder."""
        device, inode = self._folder()
        return f"{path_hash(self._fs.real_path(self._tree.root))}-{device:x}-{inode:x}.db"

    def _tagged_name(self, name: str) -> str:
        """The name of this folder's database if another folder with the same numbers has the plain name."""
        raw = f"{self._machine()[0]} {self._born()}".encode()
        return f"{name.removesuffix('.db')}-{digest((raw,), len(raw)).removeprefix('sha256:')[:_TAG_LENGTH]}.db"

    def _machine(self) -> tuple[str, bool]:
        return self._fs.machine(self._tree.folder(""))

    def _born(self) -> int:
        return self._fs.born(self._tree.folder(""))

    def _folder(self) -> tuple[int, ...]:
        """The device and the inode of the root."""
        stat = self._tree.stat("")
        return (0, 0) if stat is None else (stat.device, stat.inode)

    def _file(self, name: str) -> object:
        """The identity of a database's file; None if it has none, and so cannot be kept open."""
        try:
            return self._fs.database_file(name)
        except OSError:
            return None

    def _belongs_here(self, database: Database) -> bool:
        """Whether a database with the path, device and inode of this folder belongs to it."""
        machine = database.machine()
        if machine is None:  # created by version 0.1.0
            return database.born() in {0, self._born()}
        return machine[0] == self._machine()[0] or self._is_same_folder(database)

    def _is_same_folder(self, database: Database) -> bool:
        """Whether a database's folder is this one, by creation time; folders of a container image share theirs."""
        machine, this_machine, born = database.machine(), self._machine(), database.born()
        is_seen = machine is None or machine[0] == this_machine[0] or machine[1] or this_machine[1]
        return is_seen and born != 0 and born == self._born()

    def _find_moved(self, wanted: str) -> str | None:
        """The folder's database under another path, or under the same path on another device."""
        path, device, inode = _parts(wanted)
        for name in self._fs.databases():
            parts = _parts(name)
            is_near = parts[1:] == (device, inode) or (parts[0] == path and parts[2] == inode)
            if name != wanted and is_near and self._query(name, self._is_same_folder):
                return name
        return None

    def _find_by_path(self, wanted: str) -> str | None:
        """The database of another folder at this path that was last used on this machine; the latest of several."""
        path, this_machine = _parts(wanted)[0], self._machine()[0]
        names = [name for name in self._fs.databases() if _parts(name)[0] == path and name != wanted]
        used = []
        for name in names:
            last, machine = self._query(name, lambda database: (database.newest_id(), database.machine())) or ("", None)
            if machine is not None and machine[0] == this_machine:
                used.append((last, name))
        return max(used)[1] if used else None

    def _query(self, name: str, question: Callable[[Database], _Answer]) -> _Answer | None:
        """Ask a database; None if it cannot be read."""
        connection = None
        try:
            connection = self._open(name)
            return question(Database(connection)) if _is_history(connection) else None
        except _FAILURES as error:
            if not is_damage(error):
                raise  # this database may be the right one
            return None
        finally:
            if connection is not None:
                connection.close()

    def _put_aside(self) -> str:
        """Rename a damaged database so that it is not opened again."""
        name = self._name_in_use
        aside = f"{name}{ASIDE}{new_id()}"
        self._fs.rename_database(name, aside)
        return aside


class RecordedHistory(Record):
    """The history of a workspace, to read."""

    database: Database
    waiting: tuple[ChangeRecord, ...]
    """Changes not recorded yet, in the order in which they landed."""
    connection: sqlite3.Connection
    file: str | None
    """The path of the database; None: nothing was ever recorded."""

    def changes(self) -> Iterator[ChangeRecord]:
        """All changes, newest first."""
        yield from reversed(self.waiting)
        yield from self.database.changes()


class _ReadOnlyFS(LocalFS):
    """The operating system's files, with databases opened read-only."""

    def __init__(self) -> None:
        self.name = MEMORY
        """The database opened last."""
        self.connection: sqlite3.Connection | None = None

    def open_database(self, name: str, create: bool, timeout_ms: int) -> sqlite3.Connection:  # noqa: FBT001  see FS
        """Open a database read-only."""
        del create  # nothing is created
        if name == MEMORY:
            self.connection = sqlite3.Connection(MEMORY, isolation_level=None)
        else:
            path = database_path(name)
            if not os.path.isfile(path):
                os.lstat(path)  # FileNotFoundError, if nothing is there
                raise OSError(errno.EINVAL, "not a regular file", path)
            self.connection = sqlite3.Connection(_uri(path), uri=True, timeout=timeout_ms / 1000, isolation_level=None)
        self.name = name
        return self.connection

    def pending(self, name: str) -> bytes:
        """Nothing, so that pending changes are not recorded."""
        del name
        return b""


@contextmanager
def read_history(root: str, timeout_ms: int) -> Iterator[RecordedHistory]:
    """The history of the workspace at this root, to read; HistoryUnavailable says why it cannot be read.

    Nothing is written, created, recorded or recovered: opening it otherwise records pending changes, and SQLite rolls
    back a transaction that a crash left open. Completion and `suture doctor` must not cause that.
    """
    fs = _ReadOnlyFS()
    with Tree(fs, root) as tree, History(tree, Settings(history_timeout_ms=timeout_ms)).reading() as database:
        assert fs.connection is not None  # noqa: S101  the database was opened with it
        name = None if fs.name == MEMORY else fs.name
        waiting = () if name is None else tuple(PendingChanges(LocalFS().pending(name)).unrecorded(database.has_change))
        yield RecordedHistory(database, waiting, fs.connection, None if name is None else database_path(name))


class _Content(Record):
    """A content, as a difference to the content with the hash `base`."""

    base: str | None
    size: int
    packed: Packed


def _content(name: str, idle: _Content, supply: Supply) -> bytes | None:
    old = b"" if idle.base is None else supply(idle.base)
    if old is None:
        return None
    try:
        content = unpack(idle.packed, idle.size, old)
    except (ValueError, TypeError):
        return None
    return content if digest((content,), len(content)) == name else None


def _contents_with_bases(change: ChangeRecord) -> Iterator[tuple[str, str | None]]:
    """The hashes in a change, each with that of a similar content to store it against."""
    for file in change.files:
        before = None if file.before is None else file.before.digest
        if before is not None:
            yield before, None
        if file.after is not None:
            yield file.after.digest, before
        if file.replaced is not None:
            yield file.replaced.digest, None


def _encode_entry(change: ChangeRecord, contents: dict[str, _Content]) -> bytes:
    packed = [content.packed for content in contents.values()]
    columns = [
        (
            name,
            content.base,
            content.size,
            content.packed.head,
            content.packed.tail,
            content.packed.codec,
            len(content.packed.data),
        )
        for name, content in contents.items()
    ]
    line = dumps({"change": change, "contents": columns}, vars).encode()
    entry = b"".join((line, b"\n", *(part.data for part in packed)))
    return b"%s %d\n%s" % (digest((entry,), len(entry)).encode(), len(entry), entry)


def _split_entries(raw: bytes) -> Iterator[tuple[bytes, bool]]:
    """Each entry without its head, and whether it is intact; a truncated last entry is left out."""
    if not raw:
        return  # without importing `re`
    from re import match, search

    at = 0
    while at < len(raw):
        head = match(_ENTRY_HEAD, raw[at : at + _ENTRY_HEAD_SIZE])
        start = at + (0 if head is None else head.end())
        end = start if head is None else start + int(head[2])
        entry = raw[start:end]
        if head is not None and digest((entry,), len(entry)).encode() == head[1]:
            yield entry, True
        elif head is not None and (end == len(raw) or match(_ENTRY_HEAD, raw[end : end + _ENTRY_HEAD_SIZE])):
            yield entry, False
        else:  # its end is unknown
            rest = raw[at:]
            is_cut_off = end > len(raw) if head is not None else _is_partial_head(rest)
            if not is_cut_off or search(_ENTRY_HEAD, rest[1:]):
                yield rest, False
            return
        at = end


def _is_partial_head(rest: bytes) -> bool:
    """Whether this is what a power cut or a full disk may leave of an entry: a part of its head, or zeros."""
    from re import fullmatch

    rest = rest.rstrip(b"\0")
    return len(rest) < _ENTRY_HEAD_SIZE and (
        b"sha256:".startswith(rest) or fullmatch(rb"sha256:(?:[0-9a-f]{0,63}|[0-9a-f]{64} ?\d*)", rest) is not None
    )


def _read_damaged(entry: bytes) -> ChangeRecord:
    """A damaged change, with its id if that is readable; otherwise with a stable id that is never shown."""
    from re import search

    match = search(_ID, entry)
    name = f"lost {digest((entry,), len(entry))}" if match is None else match[1].decode()
    return ChangeRecord(name, "", "", (), state="damaged")


class _OpenDatabase(Record):
    """An open database, and what must not have changed before it is used again."""

    connection: sqlite3.Connection
    database: Database
    name: str
    file: object
    """The identity of the file."""
    folder: tuple[int, ...]
    """The device and the inode of the workspace's root."""
    version: int
    """SQLite's counter of writes by other connections."""
    process: int
    pending: PendingFile


def _parts(name: str) -> tuple[str, str, str]:
    """The parts of a database's name: path hash, device and inode."""
    path, device, inode, *_ = (*name.removesuffix(_ENDING).split("-"), "", "")
    return path, device, inode


def _is_near(name: str, other: str) -> bool:
    """Whether two databases are of the same path, or of the same folder."""
    return _parts(name)[0] == _parts(other)[0] or _parts(name)[1:] == _parts(other)[1:]


def _is_history(connection: sqlite3.Connection) -> bool:
    """Whether the database contains a history; False if it is empty, an error if it contains something else."""
    tables = {sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master").fetchall()}
    if not tables:
        return False
    if connection.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION_ID:
        raise UnusableDatabase("not a history of suture")
    if connection.execute("PRAGMA user_version").fetchone()[0] > _SCHEMA_VERSION:
        raise HistoryUnavailable(reason="it was written by a newer version of suture")
    if not tables.issuperset(statement.strip() for statement in SCHEMA.split(";") if statement.strip()):
        raise UnusableDatabase("a table is missing")
    return True


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA data_version").fetchone()[0])


def is_damage(error: BaseException) -> bool:
    """Whether an error means that the history itself is damaged, not that something prevents its use."""
    if isinstance(error, sqlite3.DatabaseError):
        return sqlite_code(error) not in _NOT_DAMAGE
    not_a_file = isinstance(error, OSError) and error.errno == errno.EINVAL
    return not_a_file or isinstance(error, UnusableDatabase | UnicodeDecodeError)


def sqlite_code(error: BaseException) -> int:
    """SQLite's primary error code; 0 for other errors."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _reason(error: Exception) -> str:
    if isinstance(error, SutureError):
        return str(getattr(error, "reason", error.code))
    if isinstance(error, OSError):
        return f"its file cannot be used: {error.strerror}"
    if sqlite_code(error) in LOCKED:
        return "another program has locked it"
    return f"it is damaged: {error}" if is_damage(error) else f"its file cannot be used: {error}"


def _uri(path: str) -> str:
    """The URI with which SQLite opens a file read-only."""
    escaped = (chr(byte) if chr(byte).isalnum() and byte < _ASCII else f"%{byte:02x}" for byte in os.fsencode(path))
    return f"file://{''.join(escaped).replace('%2f', '/')}?mode=ro"
