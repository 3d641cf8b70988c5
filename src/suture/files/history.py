"""The history of a workspace: find and open its database, record changes, list them.

One SQLite database a workspace, on the shelf in the user's state folder, named by the root's path and by the
folder itself (device and inode): `<hash of the path>-<device>-<inode>.db`. It holds when the folder was made, and on
which machine or in which container it was last used. Containers may share a home, and the numbers of their folders.

- The database of this path, device and inode is the folder's, if it was last used here, or if the folder was made at
  the same time and is not one that every container of an image has. Otherwise it is another folder's with the same
  numbers, and this one gets a database whose name ends in a tag.
- A folder that was moved or renamed, or whose device has another number (a container that was started again), is
  recognized by when it was made: an inode that was given to a new folder does not bring a dead project's history.
- A new folder at a known path (a fresh clone, a folder that was deleted by mistake) goes on with a copy of the
  history, so that the old folder, if it was only put aside, keeps its own; but only on the same machine, or in the
  same container, that used the old one last.
- A copy of a folder is another workspace and begins without history.

Changes are recorded under the workspace lock, with a rollback journal and FULL sync: one a transaction, or with
durability `fast` several that waited for each other, which the next one to open the database takes in first. An edit
never fails because of its history: what goes wrong comes back as a `Trouble`. A database that SQLite cannot use is put
aside, and a new one begun; one with damaged records stays (`files.database`).

A process that writes again and again keeps it open in between (`Kept`), unlocked and outside of any transaction. Before
it is used again its name must still lead to the same file, and the workspace to the same folder; if another connection
has written since, it is checked like one that was just opened.

Changes that wait to be recorded are in a file beside the database, one entry each:

    sha256:… 1234               of what follows, and how long that is
    {"change": …, "contents": [[hash, base, size, head, tail, codec, length], …]}
    the contents' data, one after the other

SQLite waits for the disk four times a transaction, or a power cut could spoil the database. With durability `fast`
a change is therefore only appended to this file, and many of them are recorded together: when enough wait, and whenever
the database is opened. What is appended is in the hands of the operating system, so a killed process loses nothing; a
power cut can lose the newest changes, never what was recorded before them. An entry that is cut off ends the file: its
process was killed, and the intent names its change. One that is damaged is recorded as a damaged change. Only the
holder of the workspace lock appends or drops. Changes that are recorded already are not taken in again.

Rejected: SQLite without waiting (a power cut can spoil all of it); the write-ahead log (the SQLite of Debian 12 can
lose a commit when it is reset, and network homes break it); a mark in the workspace to recognize it by (it would show
up in everybody's version control).
"""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import contextmanager

from suture import log
from suture.errors import HistoryUnavailable, SnapshotExists, SutureError
from suture.files.database import SCHEMA, LogBook, NamedPoint, Unusable
from suture.files.fs import MEMORY
from suture.files.journal import change_record, new_id
from suture.files.store import Packed, pack, unpack
from suture.json_text import dumps, loads
from suture.plan import ChangeRecord, Trouble, digest
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, TypeVar

    from suture.files.fs import FS, Tree
    from suture.files.store import Supply
    from suture.plan import Version
    from suture.settings import Settings

    _Answer = TypeVar("_Answer")
    _Landed = tuple[ChangeRecord, Supply]

_MOST_PENDING = 32  # changes that wait to be recorded together
_MOST_PENDING_BYTES = 500_000
_ENTRY_HEAD = rb"(sha256:[0-9a-f]{64}) (\d{1,9})\n"
_ENTRY_HEAD_SIZE = len(digest((), 0)) + 11
_ID = rb'"id": ?"([0-9a-hjkmnp-tv-z]{15})"'

_VERSION = 1  # of the schema
_APPLICATION = 0x53757475  # "Sutu", by which SQLite's files say whose they are
_PATH_HASH_LENGTH = 20  # characters in the name of a database
_TAG_LENGTH = 12  # characters
_MISSING, _OTHER = "missing", "another folder's"
# What SQLite says when the file may be sound and something around it is not: PERM, BUSY, LOCKED, NOMEM, READONLY,
# INTERRUPT, IOERR, FULL, CANTOPEN, PROTOCOL, TOOBIG, NOLFS, AUTH. All else is damage.
_SURROUNDINGS = {3, 5, 6, 7, 8, 9, 10, 13, 14, 15, 18, 22, 23}
_OFF = "it is turned off by the setting history"
LOCKED = {5, 6}  # SQLITE_BUSY, SQLITE_LOCKED
_CACHE_KB = 16_000  # what does not fit is written before the end, and the disk waited for twice more

_FAILURES = (sqlite3.Error, OSError, UnicodeDecodeError, Unusable, SutureError)

_INHERITED: list[_Opened] = []
"""What a fork brought along, left alone while the child lives: SQLite wants it used and closed by the parent only."""


class Pending:
    """The changes that one process lets wait; it knows of its own ones only, and appends to no others."""

    def __init__(self, fs: FS, name: str) -> None:
        self._fs = fs
        self._name = name
        self._size = 0
        self._ids: set[str] = set()
        self._held: set[str] = set()
        """Hashes of contents that need not be put down again."""

    def add(self, change: ChangeRecord, supply: Supply) -> bool:
        """Let a change wait, unless it does already; False if it cannot, or if enough are waiting."""
        if change.id in self._ids or len(self._ids) >= _MOST_PENDING:
            return change.id in self._ids
        contents = self._contents(change, supply)
        entry = _as_entry(change, contents)
        if self._size + len(entry) > _MOST_PENDING_BYTES:
            return False
        try:
            if not self._fs.append_pending(self._name, entry, self._size):
                return False
        except OSError as error:
            log.warning("pending", "%s cannot wait: %s", change.id, error)
            return False
        self._size += len(entry)
        self._ids.add(change.id)
        self._held |= contents.keys()
        return True

    def drop(self) -> None:
        """Nothing waits any more: all of it is recorded."""
        try:
            self._fs.drop_pending(self._name)
        except OSError as error:
            log.debug("pending", "%s stays: %s", self._name, error)
        self._size = 0
        self._ids.clear()
        self._held.clear()

    def hold(self, change: ChangeRecord, supply: Supply) -> None:
        """A change is recorded, with its contents."""
        self._held.update(name for name, _ in _pairs(change) if supply(name) is not None)

    def _contents(self, change: ChangeRecord, supply: Supply) -> dict[str, _Content]:
        """What a change needs besides what is there already; contents that are gone are left out."""
        contents: dict[str, _Content] = {}
        for name, base in _pairs(change):
            content = None if name in self._held or name in contents else supply(name)
            if content is not None:
                old = None if base is None or (base not in self._held and base not in contents) else supply(base)
                packed = pack(content, old or b"")
                contents[name] = _Content(None if old is None else base, len(content), packed)
        return contents


class Waiting:
    """The changes in a file of them, in the order in which they landed, damaged ones too; and their contents."""

    def __init__(self, raw: bytes) -> None:
        self._changes: list[ChangeRecord] = []
        self._contents: dict[str, _Content] = {}
        self._unpacked: dict[str, bytes | None] = {}
        for entry, is_whole in _entries(raw):
            try:
                if is_whole:
                    line, _, data = entry.partition(b"\n")
                    self._read(loads(line.decode()), data)
                    continue
            except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
                log.warning("pending", "not written by this version of suture: %r", error)
            self._changes.append(_damaged_change(entry))

    def _read(self, document: Any, data: bytes) -> None:
        at = 0
        for name, base, size, head, tail, codec, length in document["contents"]:
            self._contents[name] = _Content(base, size, Packed(head, tail, codec, data[at : at + length]))
            at += length
        self._changes.append(change_record(document["change"]))

    def since(self, knows: Callable[[str], bool]) -> list[ChangeRecord]:
        """Those that are to be recorded: what comes before one that is recorded was so too, and is forgotten."""
        last = max((at for at, change in enumerate(self._changes, 1) if knows(change.id)), default=0)
        return self._changes[last:]

    def supply(self, recorded: Supply) -> Supply:
        """A function that gives contents by their hash, those that rest on recorded ones too."""

        def supply(name: str) -> bytes | None:
            if name not in self._contents:
                return recorded(name)
            if name not in self._unpacked:
                self._unpacked[name] = _content(name, self._contents[name], supply)
            return self._unpacked[name]

        return supply


class Kept:
    """A database that stays open between two calls. Whoever takes it has it alone: another thread opens its own."""

    def __init__(self) -> None:
        self._idle: list[_Opened] = []

    def take(self) -> _Opened | None:
        """What is kept, if anything is; the caller gives it back, or closes it."""
        try:
            opened = self._idle.pop()
        except IndexError:
            return None
        if opened.process == os.getpid():
            return opened
        _INHERITED.append(opened)
        return None

    def give(self, opened: _Opened) -> None:
        """Keep this one, unless another is kept already."""
        if self._idle:
            opened.database.close()
        else:
            self._idle.append(opened)

    def close(self) -> None:
        """Keep nothing any more."""
        while self._idle:
            opened = self.take()
            if opened is not None:
                opened.database.close()

    def __del__(self) -> None:
        try:  # noqa: SIM105  at the interpreter's end other modules may be gone
            self.close()
        except Exception:  # noqa: BLE001, S110  there is no one to report to: the interpreter ends, or a thread has
            pass


class History:
    """The history of the workspace with this root; its database stays open in `kept`, if that is given."""

    def __init__(self, tree: Tree, settings: Settings, kept: Kept | None = None) -> None:
        self._tree = tree
        self._fs = tree.fs
        self._settings = settings
        self._kept = kept
        self._used = ""
        """The name that the workspace's database was last searched for under."""

    @contextmanager
    def reading(self) -> Iterator[LogBook]:
        """The records, to look at; an empty book where nothing was ever recorded."""
        if not self._settings.history:
            raise HistoryUnavailable(reason=_OFF)
        try:
            database, _ = self._open_any(create=False)
        except (sqlite3.Error, OSError, UnicodeDecodeError, Unusable) as error:
            raise HistoryUnavailable(reason=_reason(error)) from error
        try:
            if not _is_ours(database):  # nothing was ever recorded
                database.close()
                database = self._open(MEMORY)
                database.executescript(SCHEMA)
            yield LogBook(database)
        except (sqlite3.Error, UnicodeDecodeError) as error:
            raise HistoryUnavailable(reason=_reason(error)) from error
        finally:
            database.close()

    def record(self, change: ChangeRecord, supply: Supply) -> Trouble | None:
        """Record a change that landed, unless it is recorded already. The caller holds the workspace lock."""

        def write(book: LogBook) -> None:
            if not book.knows(change.id):
                book.add(change, supply)

        try:
            return self._write(write, (change, supply))
        except Exception as error:  # noqa: BLE001  the change has landed: nothing may be reported as its failure
            log.exception("history", "%s is not recorded", change.id)
            return Trouble(recorded=False, reason=f"suture failed: {type(error).__name__}: {error}")

    def keep_clipboards(self, clipboards: Iterable[tuple[str, str]]) -> Trouble | None:
        """Keep texts under names, where no change is recorded with them. The caller holds the workspace lock."""
        return self._write(lambda book: book.keep_clipboards(clipboards))

    def take_snapshot(
        self, name: str, files: Callable[[], Iterable[tuple[str, Version | None]]], supply: Supply
    ) -> NamedPoint:
        """Record a named point, with the files that `files` gives. The caller holds the workspace lock."""
        taken: list[NamedPoint] = []

        def write(book: LogBook) -> None:
            if any(point.name == name for point in book.snapshots()) or book.beginning_with(name.lower()):
                raise SnapshotExists(name=name)
            taken.append(NamedPoint(new_id(), name, book.last_number()))
            book.add_snapshot(taken[-1], files(), supply)

        trouble = self._write(write)
        if trouble is not None and not trouble.recorded:
            raise HistoryUnavailable(reason=trouble.reason)
        return taken[-1]

    def _write(self, write: Callable[[LogBook], None], landed: _Landed | None = None) -> Trouble | None:
        """Write in one transaction; if that is about a change that landed, it may wait until there are more."""
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
                log.warning("history", "damaged, put aside as %s: %s", aside, error)
                self._transact(write, landed)
        except SnapshotExists:
            raise
        except _FAILURES as error:
            log.warning("history", "not recorded: %s", error)
            return Trouble(recorded=False, reason=_reason(error), aside=aside)
        return None if aside is None else Trouble(recorded=True, reason="it was damaged", aside=aside)

    def _transact(self, write: Callable[[LogBook], None], landed: _Landed | None) -> None:
        resumed = self._resume()
        opened = resumed or self._begun()
        stays = opened.file is not None  # or nothing can ever wait beside it
        try:
            if resumed and landed and self._settings.durability == "fast" and resumed.pending.add(*landed):
                opened.database.execute("ROLLBACK")
            else:
                if stays:
                    self._take_in(opened.book, opened.name)
                write(opened.book)
                opened.book.forget(self._settings.history_max_bytes, self._settings.history_max_days)
                self._fs.commit_database(opened.database)
                if stays:
                    opened.pending.drop()
                if landed:
                    opened.pending.hold(*landed)
        except BaseException:
            opened.database.close()
            raise
        if self._kept is not None and stays:
            opened.book.rest()
            self._kept.give(opened)
        else:
            opened.database.close()

    def _take_in(self, book: LogBook, name: str) -> None:
        """Record the changes that wait, in the transaction that is open."""
        waiting = Waiting(self._fs.pending(name))
        supply = waiting.supply(book.content)
        for change in waiting.since(book.knows):
            if book.knows(change.id):  # it may be there twice
                continue
            if change.state == "damaged":
                book.add_damaged(change.id)
            else:
                book.add(change, supply)

    def _resume(self) -> _Opened | None:
        """The database that was kept open, in a new transaction; None if none was, or if it is not the right one."""
        opened = None if self._kept is None else self._kept.take()
        if opened is None:
            return None
        self._used = opened.name
        try:
            if opened.folder == self._folder() and opened.file == self._file(opened.name):
                opened.database.execute("BEGIN IMMEDIATE")
                version = _version(opened.database)
                if version == opened.version:
                    return opened
                if _is_ours(opened.database):
                    book, pending = LogBook(opened.database), Pending(self._fs, opened.name)
                    return opened.but(book=book, version=version, pending=pending)
        except BaseException:
            opened.database.close()
            raise
        opened.database.close()
        return None

    def _begun(self) -> _Opened:
        """The workspace's database, found or made, in a new transaction."""
        folder = self._folder()
        database, name = self._open_any(create=True)
        try:
            file = self._file(name)  # SQLite refuses to write, should it be another one by now than was opened
            if not database.execute("PRAGMA page_count").fetchone()[0]:
                database.execute("PRAGMA auto_vacuum = FULL")  # what is forgotten makes the file smaller
            database.execute("PRAGMA journal_mode = DELETE")
            database.execute("PRAGMA synchronous = FULL")
            database.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
            database.execute("BEGIN IMMEDIATE")
            if not _is_ours(database):
                for statement in SCHEMA.split(";"):
                    database.execute(statement)
                database.execute(f"PRAGMA application_id = {_APPLICATION}")
                database.execute(f"PRAGMA user_version = {_VERSION}")
            book = LogBook(database)
            machine = self._machine()
            if book.name() != name or book.machine() != machine:  # it is new, or the folder is
                book.set_folder(name, self._born(), machine)
            pending = Pending(self._fs, name)
            return _Opened(database, book, name, file, folder, _version(database), os.getpid(), pending)
        except BaseException:
            database.close()
            raise

    def _open_any(self, *, create: bool) -> tuple[sqlite3.Connection, str]:
        """The workspace's database and its name: found, perhaps under another name, or made, or an empty one."""
        name = self._name()
        opened = self._open_own(name)
        if opened is _OTHER:
            name = self._tagged_name(name)
            opened = self._open_own(name)
        if isinstance(opened, sqlite3.Connection):
            return opened, name
        moved, known = self._find_moved(name), self._find_by_path(name)
        if not create:
            return self._open(moved or known or MEMORY), name
        if moved is not None:
            self._open(moved).close()  # which clears up a transaction that a crash left open, and takes in what waits
            Pending(self._fs, moved).drop()
            self._fs.rename_database(moved, name)
        elif known is not None:
            self._fs.copy_database(known, name)
        return self._open(name, create=True), name

    def _open_own(self, name: str) -> sqlite3.Connection | str:
        """The database of this name, or why it cannot be taken: there is none, or it is another folder's."""
        self._used = name
        try:
            database = self._open(name)
        except FileNotFoundError:
            return _MISSING
        try:
            if not _is_ours(database):  # a crash left it empty
                database.close()
                return _MISSING
            if self._is_of(LogBook(database)):
                return database
        except BaseException:
            database.close()
            raise
        database.close()
        return _OTHER

    def _open(self, name: str, *, create: bool = False) -> sqlite3.Connection:
        """A database, in which the changes that waited are recorded, as SQLite clears up what a crash left open."""
        database = self._fs.open_database(name, create, self._settings.history_timeout_ms)
        try:
            if _is_ours(database) and Waiting(self._fs.pending(name)).since(LogBook(database).knows):
                database.execute("BEGIN IMMEDIATE")
                self._take_in(LogBook(database), name)
                self._fs.commit_database(database)
        except BaseException:
            database.close()
            raise
        return database

    def _name(self) -> str:
        """The name of the database, by path and folder."""
        path = self._fs.real_path(self._tree.root).encode("utf-8", "surrogateescape")
        device, inode = self._folder()
        return f"{digest((path,), len(path)).removeprefix('sha256:')[:_PATH_HASH_LENGTH]}-{device:x}-{inode:x}.db"

    def _tagged_name(self, name: str) -> str:
        """The name of the database of this folder, where another folder with the same numbers has the plain one."""
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
        """What tells a database's file from another; None if nothing does, and it cannot be kept open."""
        try:
            return self._fs.database_file(name)
        except OSError:
            return None

    def _is_of(self, book: LogBook) -> bool:
        """Whether a database with the path, device and inode of this folder is of this folder."""
        machine = book.machine()
        if machine is None:  # version 0.1.0 made it
            return book.born() in {0, self._born()}
        return machine[0] == self._machine()[0] or self._is_same(book)

    def _is_same(self, book: LogBook) -> bool:
        """Whether the folder of a database was made when this one was, and is not of an image that both have."""
        machine, here, born = book.machine(), self._machine(), book.born()
        is_seen = machine is None or machine[0] == here[0] or machine[1] or here[1]
        return is_seen and born != 0 and born == self._born()

    def _find_moved(self, wanted: str) -> str | None:
        """The database of this folder with another path, or with another device and the same path."""
        path, device, inode = _parts(wanted)
        for name in self._fs.databases():
            parts = _parts(name)
            is_near = parts[1:] == (device, inode) or (parts[0] == path and parts[2] == inode)
            if name != wanted and is_near and self._ask(name, self._is_same):
                return name
        return None

    def _find_by_path(self, wanted: str) -> str | None:
        """The database of this path, last used here, with another folder; of several, the one that was used last."""
        path, here = _parts(wanted)[0], self._machine()[0]
        names = [name for name in self._fs.databases() if _parts(name)[0] == path and name != wanted]
        used = []
        for name in names:
            last, machine = self._ask(name, lambda book: (book.newest_id(), book.machine())) or ("", None)
            if machine is not None and machine[0] == here:
                used.append((last, name))
        return max(used)[1] if used else None

    def _ask(self, name: str, question: Callable[[LogBook], _Answer]) -> _Answer | None:
        """What a database says, or None if it cannot be read."""
        database = None
        try:
            database = self._open(name)
            return question(LogBook(database)) if _is_ours(database) else None
        except _FAILURES as error:
            if not is_damage(error):
                raise  # it may be the one
            return None
        finally:
            if database is not None:
                database.close()

    def _put_aside(self) -> str:
        """Give a damaged database another name, under which it is not opened."""
        name = self._used
        aside = f"{name}.damaged-{new_id()}"
        self._fs.rename_database(name, aside)
        return aside


class _Content(Record):
    """A content, as the difference to the one named `base`."""

    base: str | None
    size: int
    packed: Packed


def _content(name: str, kept: _Content, supply: Supply) -> bytes | None:
    old = b"" if kept.base is None else supply(kept.base)
    if old is None:
        return None
    try:
        content = unpack(kept.packed, kept.size, old)
    except (ValueError, TypeError):
        return None
    return content if digest((content,), len(content)) == name else None


def _pairs(change: ChangeRecord) -> Iterator[tuple[str, str | None]]:
    """The hashes that a change names, each with that of a content it will be like."""
    for file in change.files:
        before = None if file.before is None else file.before.digest
        if before is not None:
            yield before, None
        if file.after is not None:
            yield file.after.digest, before
        if file.replaced is not None:
            yield file.replaced.digest, None


def _as_entry(change: ChangeRecord, contents: dict[str, _Content]) -> bytes:
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


def _entries(raw: bytes) -> Iterator[tuple[bytes, bool]]:
    """Each entry without its head, and whether it is as it was written; what is cut off at the end is none."""
    if not raw:
        return  # and nothing has to be imported
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
        else:  # it is not known where it ends
            rest = raw[at:]
            is_cut_off = end > len(raw) if head is not None else _begins_head(rest)
            if not is_cut_off or search(_ENTRY_HEAD, rest[1:]):
                yield rest, False
            return
        at = end


def _begins_head(rest: bytes) -> bool:
    """Whether this can be what a power cut or a full disk left of an entry: a part of its head, or zeros."""
    from re import fullmatch

    rest = rest.rstrip(b"\0")
    return len(rest) < _ENTRY_HEAD_SIZE and (
        b"sha256:".startswith(rest) or fullmatch(rb"sha256:(?:[0-9a-f]{0,63}|[0-9a-f]{64} ?\d*)", rest) is not None
    )


def _damaged_change(entry: bytes) -> ChangeRecord:
    """A change of which no more than its id may be known; else an id that is never shown, but is always the same."""
    from re import search

    match = search(_ID, entry)
    name = f"lost {digest((entry,), len(entry))}" if match is None else match[1].decode()
    return ChangeRecord(name, "", "", (), state="damaged")


class _Opened(Record):
    """An open database and what it was opened as."""

    database: sqlite3.Connection
    book: LogBook
    name: str
    file: object
    """What its name led to."""
    folder: tuple[int, ...]
    """The device and the inode of the workspace's root."""
    version: int
    """What SQLite counts up when another connection has written."""
    process: int
    pending: Pending


def _parts(name: str) -> tuple[str, str, str]:
    """What the name of a database says: path, device and inode."""
    path, device, inode, *_ = (*name.removesuffix(".db").split("-"), "", "")
    return path, device, inode


def _is_ours(database: sqlite3.Connection) -> bool:
    """Whether the database holds a history; False if it is empty, an error if it is something else."""
    tables = {sql for (sql,) in database.execute("SELECT sql FROM sqlite_master").fetchall()}
    if not tables:
        return False
    if database.execute("PRAGMA application_id").fetchone()[0] != _APPLICATION:
        raise Unusable("not a history of suture")
    if database.execute("PRAGMA user_version").fetchone()[0] > _VERSION:
        raise HistoryUnavailable(reason="it was written by a newer version of suture")
    if not tables.issuperset(statement.strip() for statement in SCHEMA.split(";") if statement.strip()):
        raise Unusable("a table is missing")
    return True


def _version(database: sqlite3.Connection) -> int:
    return int(database.execute("PRAGMA data_version").fetchone()[0])


def is_damage(error: BaseException) -> bool:
    """Whether an error says that the history is damaged, and not that something around it keeps it from being used."""
    if isinstance(error, sqlite3.DatabaseError):
        return sqlite_code(error) not in _SURROUNDINGS
    not_a_file = isinstance(error, OSError) and error.errno == errno.EINVAL
    return not_a_file or isinstance(error, Unusable | UnicodeDecodeError)


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
