"""The records of one workspace in an open SQLite database: what landed, in which order, and every content.

    meta      the folder that the history belongs to
    change    one row per change, numbered in the order of landing
    file      what it did to each file; contents by number
    folder    the folders it created
    content   every content once (`files.store`)
    snapshot, snapshot_file   named points, and, of those of 0.1.0, their files
    tree, tree_file, checkpoint   the last known state of the whole tree, and checkpoints (`files.checkpoints`)
    session_clipboard   texts of sessions (`files.clipboards`); created for the first one
    machine   where the folder was last seen; created by the first write, because version 0.1.0 had none
    origin    the session that made a change, and where the git repository was; version 0.1.0 had none
    also_undoes  the other changes that a change undoes, if there are several; version 0.1.0 had none
    checksum  of every record (`files.store`)

Every record is compared with its checksum when it is read; a record of version 0.1.0 must at least be plausible.
Numbers of changes have no gaps, and the state of a change follows from the changes that undo it. A record that
contradicts this is damaged: it is listed with the state `damaged`, and whatever depends on it raises HistoryDamaged.

Nothing here opens, locks or commits; `files.history` does.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from heapq import merge

from suture.errors import ChangeNotFound, ContentNotKept, HistoryDamaged
from suture.files.checkpoints import (
    INCOMPLETE,
    SELECT_REFERRED,
    CheckpointRecord,
    Checkpoints,
    TreeState,
    session_values,
)
from suture.files.clipboards import Clipboards
from suture.files.journal import id_at, id_before, new_id, time_of
from suture.files.moves import Moves
from suture.files.store import SCHEMA as CONTENT_SCHEMA
from suture.files.store import Checksums, Contents, has_table
from suture.plan import ChangeRecord, FileRecord, Head, SessionInfo, Version
from suture.records import Record
from suture.text.diff import counts
from suture.text.edits import common_ends, edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from sqlite3 import Connection
    from typing import Any

    from suture.files.checkpoints import Seen
    from suture.files.store import NewContent, Supply

OUTSIDE = "outside"
"""The tool of a change that another program made, nobody knows which."""
SHELL = "shell"
"""The tool of a change that a command made."""
SNAPSHOT = "snapshot"
"""The kind of a named point of version 0.1.0, which lists its files."""

SCHEMA = (
    CONTENT_SCHEMA
    + """
CREATE TABLE meta (name TEXT NOT NULL, born INTEGER NOT NULL);
CREATE TABLE change (number INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, tool TEXT NOT NULL,
    summary TEXT NOT NULL, undoes TEXT, state TEXT NOT NULL);
CREATE INDEX change_undoes ON change (undoes) WHERE undoes IS NOT NULL;
CREATE TABLE file (change INTEGER NOT NULL, place INTEGER NOT NULL, action TEXT NOT NULL, path BLOB NOT NULL,
    target BLOB, before INTEGER, before_mode INTEGER, after INTEGER, after_mode INTEGER, replaced INTEGER,
    replaced_mode INTEGER, added INTEGER, removed INTEGER, PRIMARY KEY (change, place)) WITHOUT ROWID;
CREATE INDEX file_path ON file (path);
CREATE INDEX file_target ON file (target) WHERE target IS NOT NULL;
CREATE TABLE folder (change INTEGER NOT NULL, path BLOB NOT NULL, PRIMARY KEY (change, path)) WITHOUT ROWID;
CREATE TABLE snapshot (id TEXT PRIMARY KEY, name TEXT NOT NULL UNIQUE, after_change INTEGER NOT NULL);
CREATE TABLE snapshot_file (snapshot TEXT NOT NULL, path BLOB NOT NULL, content INTEGER, mode INTEGER,
    PRIMARY KEY (snapshot, path)) WITHOUT ROWID;
"""
)

_MACHINE_SCHEMA = "CREATE TABLE IF NOT EXISTS machine (id TEXT NOT NULL, shared INTEGER NOT NULL)"
_ORIGIN_SCHEMA = """CREATE TABLE IF NOT EXISTS origin (change INTEGER PRIMARY KEY, session TEXT, agent TEXT,
    version TEXT, transport TEXT, label TEXT, has_head INTEGER NOT NULL, branch TEXT, head TEXT)"""
_ALSO_UNDOES_SCHEMA = """CREATE TABLE IF NOT EXISTS also_undoes (id TEXT NOT NULL, change INTEGER NOT NULL,
    PRIMARY KEY (id, change)) WITHOUT ROWID"""
_SELECT_FILES = """SELECT place, action, path, target, before, b.digest, before_mode, after, a.digest, after_mode,
    replaced, r.digest, replaced_mode, added, removed FROM file
    LEFT JOIN content b ON before = b.number LEFT JOIN content a ON after = a.number
    LEFT JOIN content r ON replaced = r.number WHERE change = ? ORDER BY place"""
_SELECT_TOUCHED = """SELECT DISTINCT change FROM file WHERE (path = ?1 OR target = ?1) AND change < ?2
    ORDER BY change DESC LIMIT 100"""
_SELECT_ORIGIN = """SELECT has_head, session, agent, version, transport, label, branch, head FROM origin
    WHERE change = ?"""
_SELECT_CHANGES = "SELECT number, id, tool, summary, undoes, state FROM change"
_SELECT_REFERRED = """SELECT before FROM file WHERE before IS NOT NULL
    UNION SELECT after FROM file WHERE after IS NOT NULL
    UNION SELECT replaced FROM file WHERE replaced IS NOT NULL
    UNION SELECT content FROM snapshot_file WHERE content IS NOT NULL"""
_SELECT_LAST_AT, _SELECT_LAST_MOVED_TO = (
    f"""SELECT change, after FROM file CROSS JOIN content ON after = number WHERE {there} AND data IS NOT NULL
    ORDER BY change DESC LIMIT 1"""  # noqa: S608  ours
    for there in ("path = ? AND target IS NULL", "target = ?")
)
_SELECT_LEFT_AT, _SELECT_LEFT_MOVED_TO = (
    f"""SELECT change, place, target, after, digest, after_mode FROM file LEFT JOIN content ON after = number
    WHERE {there} ORDER BY change DESC, place DESC LIMIT 1"""  # noqa: S608  ours
    for there in ("path = ?", "target = ?")
)
_MAX_COUNTED_BYTES = 1_000_000  # of a change whose lines are counted while it is recorded: more would delay the answer
_MAX_CANDIDATES = 5  # ids listed for an ambiguous prefix: enough to continue with one
_SECONDS_PER_DAY = 86_400
_CONFIRMING_DAYS = 3  # with changes that confirm a time: a clock may be wrong
_DROPPED_SHARE = 20  # at most 1/20 of all changes is dropped for its age at once, in case a clock is wrong
_MAX_LOST = 100  # missing changes that are listed: a damaged number could make a gap of any size
_NO_LIMIT = 1 << 62  # greater than any number of a change
_MODE_BITS = 0o7777  # the bits of a mode that are stored
_NOT_UNDONE_UNASKED = {"undo", "redo", OUTSIDE}
_NO_MODE = -1
_UNREAD = (0, -1, 0, 0)
"""The beginning of a stamp that no file has: the file is read again."""
_KEPT_SHARE = 0.9  # of the allowed size remains after dropping, so that not every change has to drop something


class UnusableDatabase(Exception):
    """The database is not a history, or it does not return what was written to it."""


class NamedPoint(Record):
    """A named point, after the change with the number `after_change`; its files are stored with it."""

    id: str
    name: str
    after_change: int
    is_damaged: bool = False
    record: CheckpointRecord = CheckpointRecord(SNAPSHOT, "")
    """What is known about it, if it is a checkpoint."""


class KnownVersion(Record):
    """A version of a file: its hash, and the changes that made and replaced it, if known."""

    digest: str
    made_by: str | None
    replaced_by: str | None


class KnownTree(Record):
    """The last known state of the whole tree: as stored, and with the changes recorded since."""

    is_complete: bool
    """If not, its files only spare the next scan from reading them again."""
    files: dict[str, Seen]
    stored: dict[str, Seen]
    number: int
    """The last change that it includes."""
    version: str
    head: Head | None = None
    cached_bytes: int = 0
    """The size of the contents that are stored for a state that is not complete."""


class LastState(Record):
    """The version last seen at each path."""

    files: dict[str, Version | None]
    doubtful: set[str]
    """The paths that a later, damaged record may have changed."""
    damage: HistoryDamaged | None
    """The last damaged record, if there is one."""


class Database:
    """The records in an open database."""

    def __init__(self, database: Connection) -> None:
        self._db = self.connection = database
        """The open database, for `files.forget`, which works on all tables."""
        database.text_factory = _decode  # damaged text may not be UTF-8
        self._contents = Contents(database)
        self._checksums = Checksums(database)
        self.clipboards = Clipboards(database, self._checksums)
        self._checkpoints = Checkpoints(database, self._checksums)
        self._cached_since: tuple[int, list[ChangeRecord]] | None = None
        self._tables: dict[str, bool] = {}
        """Which of the tables exist that version 0.1.0 does not have."""
        self._undone: dict[str, list[ChangeRecord]] = {}
        self._moves: Moves | None = None
        self._planned: list[ChangeRecord] = []

    def change(self, change_id: str) -> ChangeRecord:
        """The change with this id, or with the only id that starts with it."""
        change = self.change_or_damaged(change_id)
        if change.state == "damaged":
            raise _damage(change)
        return change

    def change_or_damaged(self, change_id: str) -> ChangeRecord:
        """As `change`, but also returns a damaged one."""
        wanted = change_id.strip().lower()
        candidates = self._entries_with_prefix(wanted)
        if len(candidates) != 1:
            forgotten = not candidates and self.has_dropped_changes()
            raise ChangeNotFound(change_id=change_id, candidates=[name for _, name in candidates], forgotten=forgotten)
        return self._record(candidates[0][0])

    def ids_with_prefix(self, prefix: str) -> list[str]:
        """The newest few ids with this prefix; none for an empty prefix."""
        return [name for _, name in self._entries_with_prefix(prefix)]

    def _entries_with_prefix(self, prefix: str) -> list[tuple[int, str]]:
        """As `ids_with_prefix`, with their numbers. Damaged changes count with the ids that they are listed with."""
        lost = {change.number: change.id for change in self._lost_changes()}
        if not prefix.removeprefix("#").isalnum() or not prefix.isascii():
            return []
        query = "SELECT number, id FROM change NOT INDEXED WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT ?"
        ids = dict(self._rows(query, prefix, prefix + "~", _MAX_CANDIDATES))
        for number, _, name in self._checksums.entries("change"):
            if isinstance(name, str) and name.startswith(prefix) and number not in ids:
                kept = self._row("SELECT 1 FROM change WHERE number = ?", number) is not None
                ids |= {number: name} if kept or number in lost else {}
        ids |= {number: name for number, name in lost.items() if name.startswith(prefix)}
        if prefix.startswith("#") and prefix[1:].isdecimal() and self._record(int(prefix[1:])).id == prefix:
            ids = {int(prefix[1:]): prefix}
        return sorted(ids.items(), key=lambda pair: pair[1], reverse=True)[:_MAX_CANDIDATES]

    def name(self) -> str:
        """The name of the database when it was last written."""
        row = self._row("SELECT name FROM meta")
        return "" if row is None else str(row[0])

    def born(self) -> int:
        """When the folder of this history was created; 0 if unknown."""
        row = self._row("SELECT born FROM meta")
        return row[0] if row is not None and isinstance(row[0], int) else 0

    def machine(self) -> tuple[str, bool] | None:
        """Where the folder was last seen, and whether other machines may see it too; None if unknown."""
        if not has_table(self._db, "machine"):
            return None
        row = self._row("SELECT id, shared FROM machine")
        return None if row is None else (str(row[0]), bool(row[1]))

    def newest_id(self) -> str:
        """The id of the newest change; empty if there is none."""
        row = self._row("SELECT id FROM change ORDER BY number DESC LIMIT 1")
        return "" if row is None else str(row[0])

    def has_dropped_changes(self) -> bool:
        """Whether changes were dropped to keep within the limits."""
        row = self._row("SELECT min(number) FROM change")
        return (row[0] or 0) > 1

    def newest(self, *, undo: bool, session: str | None = None) -> ChangeRecord | None:
        """The newest change in effect that is an undo (with `undo`), or else that somebody made through suture.

        With the id of a `session`, only its changes count.
        """
        return next(self.in_effect(undo=undo, session=session), None)

    def in_effect(self, *, undo: bool = False, session: str | None = None) -> Iterator[ChangeRecord]:
        """The changes of which `newest` returns the first."""
        for change in self.changes():
            if change.state == "damaged":  # it may be one of them
                raise _damage(change)
            is_wanted = change.tool == "undo" if undo else change.tool not in _NOT_UNDONE_UNASKED
            is_theirs = session is None or (change.session is not None and change.session.id == session)
            if change.state == "landed" and is_wanted and is_theirs:
                yield change

    def sessions(self) -> list[SessionInfo]:
        """The sessions that made changes, the one that made the last change first."""
        by_id: dict[str, SessionInfo] = {}
        for change in self.changes():
            if change.session is not None:
                by_id.setdefault(change.session.id, change.session)
        return [*by_id.values()]

    def undo_of(self, change: ChangeRecord) -> ChangeRecord | None:
        """The change in effect that undoes this one."""
        for number in sorted(self._numbers_undoing(change.id), reverse=True):
            undoing = self._record(number)
            if undoing.state == "damaged":
                raise _damage(undoing)
            if undoing.state == "landed":
                return undoing
        return None

    def changes(self, before: int | None = None) -> Iterator[ChangeRecord]:
        """Changes before a number, newest first, including damaged ones."""
        until = _NO_LIMIT if before is None else before
        lost = [change for change in reversed(self._lost_changes()) if change.number < until]
        kept = self._changes(f"{_SELECT_CHANGES} WHERE number < ? ORDER BY number DESC", until)
        return merge(kept, lost, key=lambda change: change.number, reverse=True)

    def plan(self, change: ChangeRecord) -> None:
        """Let `changes_since` return a change that is planned, but not made, after those that landed."""
        self._planned.append(change)
        if self._cached_since is not None:
            self._cached_since[1].append(change)

    def changes_since(self, number: int) -> list[ChangeRecord]:
        """Changes after a number, oldest first, including damaged ones, and then those that are planned."""
        if self._cached_since is None or self._cached_since[0] > number:
            lost = [change for change in self._lost_changes() if change.number > number]
            changes = [*self._changes(f"{_SELECT_CHANGES} WHERE number > ? ORDER BY number", number), *lost]
            self._cached_since = number, [*sorted(changes, key=lambda change: change.number), *self._planned]
        first, known = self._cached_since
        return known if first == number else known[bisect_right(known, number, key=lambda change: change.number) :]

    def damaged_since(self, number: int) -> ChangeRecord | None:
        """The first damaged change after a number."""
        return next((change for change in self.changes_since(number) if change.state == "damaged"), None)

    def current_path(self, path: str, since: int) -> tuple[str, bool]:
        """Follow a file that had this path after the change with the number `since`: its path now, and if it exists.

        A file created at the path later is a different one, unless an undo of the deletion or a restore created it, or
        another program, with the content that was deleted. If a redo deleted it, an undo of what was redone also
        brings it back.
        """
        return self._moves_since(since).follow(path, since)

    def _moves_since(self, number: int) -> Moves:
        """What changes after a number did to the names of files; and earlier ones that an undo of several undoes."""
        start = number
        while (lowest := self._lowest_undone(self.changes_since(start))) <= start:
            start = lowest - 1
        assert self._cached_since is not None  # noqa: S101  it was just read
        changes = self._cached_since[1]
        if self._moves is None or self._moves.changes is not changes:
            self._moves = Moves(changes, self._undone_by, (OUTSIDE, SHELL))
        self._moves.read()
        return self._moves

    def _lowest_undone(self, changes: Iterable[ChangeRecord]) -> int:
        """The lowest number of a change that one of these undoes together with others, or by undoing such an undo."""
        if not self._has_table("also_undoes"):
            return _NO_LIMIT
        groups = (change for change in changes if change.undoes is not None and self._undoes_several(change))
        return min((record.number for change in groups for record in self._undone_by(change)), default=_NO_LIMIT)

    def _undoes_several(self, change: ChangeRecord) -> bool:
        """Whether a change undoes several ones, or an undo that does, and so on."""
        return bool(change.also_undoes) or any(map(self._undoes_several, self._undone_by(change)))

    def _undone_by(self, change: ChangeRecord) -> list[ChangeRecord]:
        """The earlier changes that this one undoes, without those that are lost or damaged."""
        if change.id not in self._undone:
            self._undone[change.id] = [*self._read_undone(change)]
        return self._undone[change.id]

    def _read_undone(self, change: ChangeRecord) -> Iterator[ChangeRecord]:
        rows = [self._row("SELECT number FROM change WHERE id = ?", undone) for undone in change.undone_ids]
        records = [self._record(row[0]) for row in rows if row is not None]
        return (record for record in records if record.state != "damaged" and record.number < change.number)

    def _numbers_undoing(self, change_id: str) -> list[int]:
        """The numbers of the changes that undo this one, whatever their state."""
        query = "SELECT number FROM change WHERE undoes = ?1"
        if self._has_table("also_undoes"):
            query += " UNION SELECT change FROM also_undoes WHERE id = ?1"
        return [number for (number,) in self._rows(query, change_id) if isinstance(number, int)]

    def _has_table(self, name: str) -> bool:
        """Whether there is a table that version 0.1.0 does not have."""
        if not self._tables.get(name):
            self._tables[name] = has_table(self._db, name)
        return self._tables[name]

    def paths(self) -> list[str]:
        """Every path in a change or a snapshot."""
        query = """SELECT path FROM file UNION SELECT target FROM file WHERE target IS NOT NULL
            UNION SELECT path FROM snapshot_file ORDER BY 1"""
        return [_decode(path) for (path,) in self._rows(query) if isinstance(path, bytes)]

    def snapshots(self) -> list[NamedPoint]:
        """The named points, oldest first, including damaged and lost ones."""
        points: dict[str, NamedPoint] = {}
        records = self._checkpoints.records()
        signed = self._checksums.entries("snapshot")
        names = {key: _printable(name) for key, _, name in signed}
        for row in self._rows("SELECT id, name, after_change FROM snapshot ORDER BY id"):
            name = names.get(row[0], _printable(row[1]))
            point = NamedPoint(_printable(row[0]), name, self.last_number(), is_damaged=True)
            if _is_point(row) and self._checksums.matches("snapshot", row[0], row) is not False:
                point = NamedPoint(*row)
            points[point.id] = point.evolve(record=records[point.id]) if point.id in records else point
        first = self._row("SELECT min(number) FROM change")[0] or 1
        for key, place, name in signed:
            if key not in points and isinstance(place, int) and place >= first - 1:  # 0.1.0 dropped others
                points[_printable(key)] = NamedPoint(_printable(key), _printable(name), place, is_damaged=True)
        return [point for _, point in sorted(points.items())]

    def snapshot(self, name: str) -> NamedPoint | None:
        """The point with this name."""
        named = next((point for point in self.snapshots() if point.name == name), None)
        if named is not None and named.is_damaged:
            raise HistoryDamaged(what="checkpoint", name=name)
        return named

    def snapshot_files(self, snapshot: NamedPoint) -> dict[str, Version | None]:
        """The files of a named point; None: no file."""
        values = self._snapshot_values(snapshot.id)
        if snapshot.is_damaged or values is None or self._checksums.matches("files", snapshot.id, values) is False:
            raise HistoryDamaged(what="checkpoint", name=snapshot.name)
        return {_decode(path): _version(name, mode) for path, name, mode in values}

    def _snapshot_values(self, snapshot_id: str) -> list[tuple[Any, ...]] | None:
        """The files of a snapshot as stored; None if they cannot be valid."""
        query = """SELECT path, content, digest, mode FROM snapshot_file LEFT JOIN content ON content = number
            WHERE snapshot = ? ORDER BY path"""
        files = []
        for path, content, name, mode in self._rows(query, snapshot_id):
            if not isinstance(path, bytes) or not _is_version(content, name, mode):
                return None
            files.append((path, name, mode))
        return files

    def state_after(self, number: int) -> dict[str, Version | None]:
        """The state right after the change with this number, of each path that changed later."""
        state: dict[str, Version | None] = {}
        for change in self.changes_since(number):
            for file in change.files:
                for path, before, _ in file.versions():
                    state.setdefault(path, before)
        return state

    def last_state(self, until: int = _NO_LIMIT) -> LastState:
        """The version of each path last seen by a change up to a number, or by an earlier snapshot."""
        points = [point for point in self.snapshots() if point.is_damaged or point.after_change < until]
        points.sort(key=lambda point: point.after_change)
        changes = [change for change in self.changes_since(0) if change.number <= until]
        records: Iterable[ChangeRecord | NamedPoint] = merge(changes, points, key=_sort_key)
        state: dict[str, Version | None] = {}
        doubtful: set[str] = set()
        damage: HistoryDamaged | None = None
        for record in records:
            try:
                seen = self._files_after(record)
            except HistoryDamaged as error:
                damage = error
                doubtful.update(state)
            else:
                state.update(seen)
                doubtful.difference_update(seen)
        return LastState(state, doubtful, damage)

    def _files_after(self, record: ChangeRecord | NamedPoint) -> dict[str, Version | None]:
        """The files after a change, or in a snapshot."""
        if isinstance(record, NamedPoint):
            return self.snapshot_files(record)
        if record.state == "damaged":
            raise _damage(record)
        return {path: after for file in record.files for path, _, after in file.versions()}

    def versions(self, path: str) -> Iterator[KnownVersion]:
        """The versions that changes of a file found and left, newest first, followed through renames.

        If a change found another version than the previous change left, it is unknown what replaced that one.
        """
        newer: tuple[str, str | None] = "", None
        for change_id, was, after in self._changes_of(_encode(path)):
            known = after is not None and after == newer[1]
            if newer[1] is not None:
                yield KnownVersion(newer[1], change_id if known else None, newer[0])
            if after is not None and not known:
                yield KnownVersion(after, change_id, None)
            newer = change_id, was
        if newer[1] is not None:
            yield KnownVersion(newer[1], None, newer[0])

    def size(self, name: str) -> int | None:
        """The size of the content with this hash, or None if it is not stored."""
        return self._contents.size(name)

    def _changes_of(self, path: bytes) -> Iterator[tuple[str, str | None, str | None]]:
        """Every change of a file, newest first: its id, and the hashes before and after it at the path.

        A rename away from the path leaves nothing there. Damaged changes are skipped.
        """
        number = _NO_LIMIT
        while rows := self._rows(_SELECT_TOUCHED, path, number):
            for (number,) in rows:
                change, name = self.verified_change(number), _decode(path)
                files = [] if change is None else [file for file in change.files if name in {file.path, file.to}]
                for file in files:
                    assert change is not None  # noqa: S101  it has files
                    was, after = (None if version is None else version.digest for version in (file.before, file.after))
                    yield change.id, was, after if file.to in {None, name} else None
                moved = next((file for file in files if file.to == name), None)
                if moved is not None:
                    path = _encode(moved.path)
                    break

    def require_content(self, path: str, version: Version) -> bytes:
        """The content of a version of a file; an error if it is not available."""
        content = self._contents.get(version.digest)
        if content is not None:
            return content
        if self._contents.is_recorded(version.digest):
            raise HistoryDamaged(what="content", name=version.digest, path=path)
        raise ContentNotKept(path=path, hash=version.digest, forgotten=self.is_forgotten(version.digest))

    def is_forgotten(self, name: str) -> bool:
        """Whether the content with this hash was removed for good."""
        return self._contents.is_forgotten(name)

    def has_content(self, name: str) -> bool:
        """Whether the content with this hash is stored, perhaps damaged."""
        return self._row("SELECT 1 FROM content WHERE digest = ? AND data IS NOT NULL", name) is not None

    def content(self, name: str) -> bytes | None:
        """The content with this hash, or None if it is not stored or damaged."""
        return self._contents.get(name)

    def lines_changed(self, file: FileRecord) -> tuple[int, int]:
        """The numbers of lines that a change added to a file and removed from it."""
        if file.added is not None and file.removed is not None:
            return file.added, file.removed
        before, after = (
            b"" if version is None else self.content(version.digest) or b"" for version in (file.before, file.after)
        )
        return _count_lines(before, after, common_ends(before, after))

    def _changes(self, query: str, *values: object) -> Iterator[ChangeRecord]:
        for row in self._rows(query, *values):
            yield self._record(row[0], row)

    def _record(self, number: int, head: tuple[Any, ...] | None = None) -> ChangeRecord:
        """The change with a number; damaged unless its checksum and its state are right."""
        change = self.verified_change(number, head)
        if change is None or change.state != ("undone" if self._is_undone(change) else "landed"):
            return self._damaged_change(number)
        return change

    def verified_change(self, number: int, head: tuple[Any, ...] | None = None) -> ChangeRecord | None:
        """The change with a number, if it is unchanged since it was recorded, apart from its state."""
        change = self._read(number, head)
        if change is None:
            return None
        holds = self._checksums.matches("change", number, _values(change))
        return change if holds or (holds is None and _is_plausible(change)) else None

    def _read(self, number: int, head: tuple[Any, ...] | None = None) -> ChangeRecord | None:
        """The change with a number as stored, or None if it cannot be valid."""
        head = head or self._row(f"{_SELECT_CHANGES} WHERE number = ?", number)
        if head is None or head[0] != number or not _is_head(*head):
            return None
        _, change_id, tool, summary, undoes, state = head
        files = self._rows(_SELECT_FILES, number)
        folders = [path for (path,) in self._rows("SELECT path FROM folder WHERE change = ? ORDER BY path", number)]
        if not all(_is_file(place, *row) for place, row in enumerate(files)):
            return None
        if not all(isinstance(path, bytes) for path in folders):
            return None
        records = tuple(_file_record(row) for row in files)
        change = ChangeRecord(change_id, tool, summary, records, tuple(map(_decode, folders)), undoes, state, number)
        return self._with_origin(change)

    def _with_origin(self, change: ChangeRecord) -> ChangeRecord | None:
        """A change with what version 0.1.0 does not record of it, or None if that cannot be valid."""
        if change.undoes is not None and (also_undoes := self._also_undoes(change.number)):
            change = change.evolve(also_undoes=also_undoes)
        row = self._row(_SELECT_ORIGIN, change.number) if self._has_table("origin") else None
        if row is None:
            return change
        has_head, *session, branch, commit = row
        if not all(value is None or _is_text(value) for value in (*session, branch, commit)):
            return None
        if session.count(None) not in {0, len(session)}:
            return None
        who = None if session[0] is None else SessionInfo(*session)
        return change.evolve(session=who, head=Head(branch, commit) if has_head else None)

    def _also_undoes(self, number: int) -> tuple[str, ...]:
        """The changes that the change with a number undoes beside the first."""
        if not self._has_table("also_undoes"):
            return ()
        rows = self._rows("SELECT id FROM also_undoes WHERE change = ? ORDER BY id", number)
        return tuple(change_id for (change_id,) in rows if isinstance(change_id, str))

    def _is_undone(self, change: ChangeRecord) -> bool:
        """Whether a change in effect undoes this one, according to the verified records."""
        taking: dict[int, ChangeRecord] = {}
        queue = [change]
        while queue:
            above = queue.pop()
            for number in self._numbers_undoing(above.id):
                undoing = self.verified_change(number) if number not in taking and number > above.number else None
                if undoing is not None:
                    taking[number] = undoing
                    queue.append(undoing)
        undone: set[str] = set()
        for _, undoing in sorted(taking.items(), reverse=True):
            undone |= set() if undoing.id in undone else {*undoing.undone_ids}
        return change.id in undone

    def _damaged_change(self, number: int) -> ChangeRecord:
        """A record for a damaged change, of which at most the id is known."""
        row = self._row("SELECT id FROM change WHERE number = ?", number)
        name = self._checksums.name("change", number) or (row and row[0])
        is_id = isinstance(name, str) and name.isascii() and name.isalnum()
        return ChangeRecord(name if is_id else f"#{number}", "", "", (), state="damaged", number=number)

    def _lost_changes(self) -> list[ChangeRecord]:
        """Changes without a record, by the gaps in the numbers, oldest first; only the newest of very many."""
        first, last, many = self._row("SELECT min(number), max(number), count(*) FROM change")
        first, last = first or 1, last or 0
        oldest = self._row("SELECT min(after_change) FROM snapshot WHERE typeof(after_change) = 'integer'")[0]
        first = min(first, first if oldest is None else max(oldest, 0) + 1)
        ends = [
            self._checksums.newest("change"),
            *self._row("SELECT max(seq) FROM sqlite_sequence WHERE name = 'change'"),
        ]
        end = max([last, *(end for end in ends if isinstance(end, int) and end < _NO_LIMIT)])
        if many == end - first + 1:
            return []
        there = {number for (number,) in self._rows("SELECT number FROM change")}
        missing = [number for number in _descending(end, first, _MAX_LOST + len(there)) if number not in there]
        return [self._damaged_change(number) for number in missing[:_MAX_LOST][::-1]]

    def set_folder(self, name: str, born: int, machine: tuple[str, bool]) -> None:
        """Store which folder this history belongs to."""
        self._db.execute("DELETE FROM meta")
        self._db.execute("INSERT INTO meta VALUES (?, ?)", (name, born))
        self._db.execute(_MACHINE_SCHEMA)
        self._db.execute("DELETE FROM machine")
        self._db.execute("INSERT INTO machine VALUES (?, ?)", machine)

    def add_missing_checksums(self) -> None:
        """Add checksums to the records of version 0.1.0. Those that cannot be valid stay damaged."""
        last = self._checksums.newest("change")
        last = last if isinstance(last, int) else 0
        for (number,) in self._rows("SELECT number FROM change WHERE number > ? ORDER BY number", last):
            self._sign(number)
        newest = self._checksums.newest("snapshot")
        if newest is not None and not _is_text(newest):
            return  # a damaged key: nothing can be compared with it
        for row in self._rows("SELECT id, name, after_change FROM snapshot WHERE id > ?", newest or ""):
            self._sign_snapshot(row)

    def _sign(self, number: int, written: ChangeRecord | None = None) -> None:
        """Store the checksum of a change that was just `written`, or of a plausible one from version 0.1.0."""
        change = self._read(number)
        if written is None:
            values = _values(change) if change is not None and _is_plausible(change) else None
        else:
            values = _values(written)
            _check_stored(values, None if change is None else _values(change))
        self._checksums.put("change", number, number, self._damaged_change(number).id, values)

    def _sign_snapshot(self, row: tuple[Any, ...], written: list[tuple[Any, ...]] | None = None) -> None:
        """Store the checksums of a snapshot and its files, just `written` or from version 0.1.0."""
        if not _is_point(row):
            return
        values = self._snapshot_values(row[0])
        if written is not None:
            _check_stored(written, values)
        self._checksums.put("snapshot", row[0], row[2], row[1], row)
        self._checksums.put("files", row[0], row[2], row[1], values)

    def rewrite(self, change: ChangeRecord) -> None:
        """Store the summary and the numbers of lines of a sound change again."""
        self._db.execute("UPDATE change SET summary = ? WHERE number = ?", (change.summary, change.number))
        rows = [(file.added, file.removed, change.number, place) for place, file in enumerate(change.files)]
        self._db.executemany("UPDATE file SET added = ?, removed = ? WHERE change = ? AND place = ?", rows)
        self._cached_since = None
        self._sign(change.number, change)

    def has_change(self, change_id: str) -> bool:
        """Whether a change is recorded."""
        return self._row("SELECT 1 FROM change WHERE id = ?", change_id) is not None

    def add(self, change: ChangeRecord, supply: Supply, is_ignored: Callable[[str], bool] | None = None) -> None:
        """Record a change that landed. `supply` returns its contents.

        If it found a file not as it was last known, what happened before is a change of its own. `is_ignored` says
        whether a checkpoint would have left out a file that is not known.
        """
        missed = self._missed(change, is_ignored) if self._checkpoints.exists() else ()
        if missed:
            outside = ChangeRecord(
                id_before(change.id), OUTSIDE, outside_summary(len(missed)), missed, head=change.head
            )
            self._insert(outside, supply)
        self._insert(change, supply)

    def add_outside(self, change: ChangeRecord, supply: Supply) -> None:
        """Record what others did since the state of the tree was stored; `keep_tree` must follow."""
        self._insert(change, supply)

    def _missed(self, change: ChangeRecord, is_ignored: Callable[[str], bool] | None) -> tuple[FileRecord, ...]:
        """What other programs did to the files of a change since they were last known."""
        number = self._checkpoints.number()
        if number is None:
            return ()
        files: dict[str, FileRecord | None] = {}
        for path, found, _ in (version for file in change.files for version in file.versions()):
            if path in files:
                continue
            is_known, last = self._last_known(path, number)
            files[path] = None
            if (
                last is None
                and found is not None
                and (is_ignored is None or is_ignored(path) or bool(self.were_ignored([path])))
            ):
                continue  # it may have been there before
            if is_known and not same_version(last, found) and (last is None or self.size(last.digest) is not None):
                files[path] = FileRecord(path, action_of(last, found), last, found)
        return tuple(file for file in files.values() if file is not None)

    def were_ignored(self, paths: Iterable[str]) -> set[str]:
        """The paths that were ignored according to the `.gitignore` files when the tree was last scanned.

        There may have been files, although they are not in the state of the tree.
        """
        from suture.files.gitignore import GITIGNORE
        from suture.files.glob import Ignore
        from suture.files.scan import is_ignored_by

        known: dict[str, tuple[tuple[int, Ignore], ...]] = {}

        def rules_in(prefix: str) -> tuple[tuple[int, Ignore], ...]:
            if prefix not in known:
                name, _ = self._checkpoints.file(_encode(prefix + GITIGNORE)) or (None, 0)
                content = None if name is None else self.content(name)
                known[prefix] = () if content is None else ((len(prefix), Ignore(content)),)
            return known[prefix]

        return {path for path in paths if is_ignored_by(path, rules_in)}

    def _last_known(self, path: str, number: int) -> tuple[bool, Version | None]:
        """Whether it is known what was at a path last, and which version; None: no file.

        It is what the last change left, or what was there when the state of the tree was stored.
        """
        raw = _encode(path)
        left = [row for query in (_SELECT_LEFT_AT, _SELECT_LEFT_MOVED_TO) if (row := self._row(query, raw)) is not None]
        change, _, target, content, name, mode = max(left, default=(0, 0, None, None, None, None))
        if change > number:
            gone = content is None or target not in {None, raw}
            return gone or name is not None, None if gone or name is None else Version(name, mode)
        state = self._checkpoints.file(raw)
        if state is None:
            return True, None
        name, mode = state
        return name is not None, None if name is None else Version(name, mode)

    def _insert(self, change: ChangeRecord, supply: Supply) -> None:
        """Record one change."""
        change = _storable(change)
        number = self._insert_change(change.id, change.tool, change.summary, change.undoes)
        rows, files = [], []
        for place, file in enumerate(change.files):
            base = self._last_content_number(file.path) if file.before is not None else None
            before = self._keep(file.before, supply, base)
            ends, (added, removed) = _compare(file, supply)
            after = self._keep(file.after, supply, before, ends)
            replaced = self._keep(file.replaced, supply, None)
            target = None if file.to is None else _encode(file.to)
            columns = (before, _mode(file.before), after, _mode(file.after), replaced, _mode(file.replaced))
            rows.append((number, place, file.action, _encode(file.path), target, *columns, added, removed))
            files.append(file.evolve(added=added, removed=removed))
        self._db.executemany("INSERT INTO file VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        folders = sorted(set(map(_encode, change.folders)))
        self._db.executemany("INSERT INTO folder VALUES (?, ?)", [(number, path) for path in folders])
        self._add_origin(number, change)
        written = change.evolve(
            number=number,
            files=tuple(files),
            folders=tuple(map(_decode, folders)),
            also_undoes=tuple(sorted(change.also_undoes)),
        )
        self._sign(number, written)
        if change.session is not None:  # version 0.1.0 wrote none, and had clipboards for all
            self.clipboards.put(change.session.id, change.clipboards)
        self._update_states(change.undone_ids)

    def _add_origin(self, number: int, change: ChangeRecord) -> None:
        """Record what version 0.1.0 does not record of a change."""
        if change.also_undoes:
            self._db.execute(_ALSO_UNDOES_SCHEMA)
            rows = [(undone, number) for undone in change.also_undoes]
            self._db.executemany("INSERT INTO also_undoes VALUES (?, ?)", rows)
        if change.session or change.head:
            if not self._has_table("origin"):
                self._db.execute(_ORIGIN_SCHEMA)
            row = (number, *session_values(change.session), change.head is not None, *_head_values(change.head))
            self._db.execute("INSERT INTO origin VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def add_damaged(self, change_id: str) -> None:
        """Record a damaged change: only its id is known."""
        number = self._insert_change(change_id, "", "", None)
        self._checksums.put("change", number, number, change_id, None)

    def _insert_change(self, change_id: str, tool: str, summary: str, undoes: str | None) -> int:
        """Insert the head of a change; returns its number."""
        self.add_missing_checksums()
        query = "INSERT INTO change (id, tool, summary, undoes, state) VALUES (?, ?, ?, ?, 'landed')"
        number = self._db.execute(query, (change_id, tool, summary, undoes)).lastrowid
        assert number is not None  # noqa: S101  a row was inserted
        self._cached_since = None
        self._undone.clear()
        return number

    def add_snapshot(self, snapshot: NamedPoint, files: Iterable[tuple[str, Version | None]], supply: Supply) -> None:
        """Record a named point with its files."""
        self.add_missing_checksums()
        head = (snapshot.id, snapshot.name, snapshot.after_change)
        self._db.execute("INSERT INTO snapshot VALUES (?, ?, ?)", head)
        written = []
        for path, version in files:
            content = self._keep(version, supply, self._last_content_number(path) if version is not None else None)
            row = (snapshot.id, _encode(path), content, _mode(version))
            self._db.execute("INSERT INTO snapshot_file VALUES (?, ?, ?, ?)", row)
            written.append((row[1], None if version is None else version.digest, row[3]))
        self._sign_snapshot(head, sorted(written))

    def add_checkpoint(self, point: NamedPoint) -> None:
        """Record a checkpoint, and drop the oldest automatic ones if there are many."""
        self.add_snapshot(point, (), lambda _: None)
        self._checkpoints.add(point.id, point.after_change, point.record)
        for key in self._checkpoints.superfluous():
            self._drop_snapshot(key)
        self._checkpoints.drop(point.id for point in self.snapshots())

    def tree(self) -> KnownTree:
        """The last known state of the whole tree."""
        state, number = self._checkpoints.state(), self.last_number()
        if state is None:
            return KnownTree(is_complete=False, files={}, stored={}, number=number, version=self._checkpoints.version())
        files = dict(state.files)
        if state.number != INCOMPLETE:
            for change in self.changes_since(state.number):
                self.follow(files, change)
        return KnownTree(
            is_complete=state.number != INCOMPLETE,
            files=files,
            stored=state.files,
            number=number,
            version=state.version,
            head=state.head,
            cached_bytes=0 if state.number != INCOMPLETE else self._checkpoints.stored_bytes(),
        )

    @staticmethod
    def follow(files: dict[str, Seen], change: ChangeRecord) -> None:
        """Apply a change to the known files; those that it left are read again by the next scan."""
        for file in change.files:
            for path, _, after in file.versions():
                if after is None:
                    files.pop(path, None)
                elif not path.startswith("/"):
                    files[path] = (*_UNREAD, _NO_MODE if after.mode is None else after.mode), after.digest

    def keep_tree(
        self,
        known: KnownTree,
        files: Mapping[str, Seen],
        new: Mapping[str, NewContent],
        head: Head | None,
        *,
        is_complete: bool,
    ) -> None:
        """Store the state of the tree, as of the last change. `known` is what `tree` returned, and it is as it was."""
        if not known.stored:  # there is none, or a damaged one
            self._checkpoints.clear()
        number = self.last_number() if is_complete else INCOMPLETE
        written = {path: seen for path, seen in files.items() if known.stored.get(path) != seen}
        removed = known.stored.keys() - files.keys()
        names = sorted({name for _, name in written.values() if name is not None})
        state = TreeState(number, head, {}, new_id())
        self._checkpoints.save(state, written, removed, self._contents.keep_all(names, new))

    def unread_paths(self) -> list[str]:
        """The files of the last known state of the tree whose contents are not known; there must be one."""
        return self._checkpoints.unread()

    def read_again(self) -> None:
        """Let the next checkpoint read and store every file again whose content is not stored."""
        self._checkpoints.unsettle(new_id())

    def tree_paths(self) -> list[str]:
        """The files of the last known state of the tree."""
        return self._checkpoints.paths()

    def remove_command_lines(self, texts: Collection[str]) -> None:
        """Remove command lines from checkpoints."""
        self._checkpoints.remove_texts(texts)

    def tree_version(self) -> str:
        """A text that differs if the state of the tree was written meanwhile."""
        return self._checkpoints.version()

    def trim_cache(self) -> None:
        """Free most of the memory until the next change."""
        self._contents.trim_cache()

    def last_number(self) -> int:
        """The number of the newest change; 0 if there is none."""
        return int(self._row("SELECT max(number) FROM change")[0] or 0)

    def prune(self, most_bytes: int, most_days: int) -> None:
        """Drop the oldest changes and snapshots until the rest is small and young enough. The newest change stays."""
        self._drop_older_than(most_days)
        if self._size() <= most_bytes:
            return
        while self._size() > most_bytes * _KEPT_SHARE:
            first, last, many = self._row("SELECT min(number), max(number), count(*) FROM change")
            if many > 1:
                self._drop_until(min(first + max(many // 16, 1) - 1, last - 1))
            elif not self._drop_oldest_snapshot():
                break

    def _drop_older_than(self, most_days: int) -> None:
        """Drop the first changes up to one that is young enough, but only a small share of all at once.

        The clock may be wrong now, or have been wrong for a while. So age is measured from a time that changes on
        several days confirm, never from the clock alone.
        """
        by_clock = id_at(max(time.time() - most_days * _SECONDS_PER_DAY, 0))
        first = self._row("SELECT id >= ? FROM change ORDER BY number LIMIT 1", by_clock)  # a damaged id: not younger
        if first is None or first[0]:
            return
        now = self._confirmed_time()
        if now is None:
            return
        oldest = id_at(max(now - most_days * _SECONDS_PER_DAY, 0))
        many = self._row("SELECT count(*) FROM change")[0]
        most = max(many // _DROPPED_SHARE, 1)
        self.clipboards.drop_older_than(oldest)
        rows = self._rows("SELECT number, id >= ? FROM change ORDER BY number LIMIT ?", oldest, min(most, many - 1))
        last = None
        for number, is_young in rows:
            if is_young:
                break
            last = number
        if last is not None:
            self._drop_until(last)

    def _confirmed_time(self) -> float | None:
        """The latest time, not after now, that changes on enough days have reached; None if on too few.

        A change cannot be newer than those recorded after it: if its id says so, its clock was ahead.
        """
        days: dict[int, float] = {}
        latest = time.time()
        for (change_id,) in self._rows("SELECT id FROM change ORDER BY number DESC"):
            try:
                latest = min(latest, time_of(change_id))
            except (ValueError, TypeError):
                continue  # damaged
            days.setdefault(int(latest // _SECONDS_PER_DAY), latest)
        if len(days) < _CONFIRMING_DAYS:
            return None
        return sorted(days.values())[-_CONFIRMING_DAYS]

    def _drop_oldest_snapshot(self) -> bool:
        """Drop the oldest snapshot, unless it is the only one."""
        first, last = self._row("SELECT min(id), max(id) FROM snapshot")
        if first == last:
            return False
        self._drop_snapshot(first)
        self._drop_unreferred()
        return True

    def _drop_snapshot(self, key: str) -> None:
        self._db.execute("DELETE FROM snapshot_file WHERE snapshot = ?", (key,))
        self._db.execute("DELETE FROM snapshot WHERE id = ?", (key,))
        self._checksums.drop_one("snapshot", key)
        self._checksums.drop_one("files", key)

    def _drop_unreferred(self) -> None:
        """Delete the contents that nothing refers to, and what is known about checkpoints that were dropped."""
        tree = f" UNION {SELECT_REFERRED}" if self._checkpoints.exists() else ""
        self._contents.keep_only(_SELECT_REFERRED + tree)
        self._checkpoints.drop(key for (key,) in self._rows("SELECT id FROM snapshot"))

    def _drop_until(self, number: int) -> None:
        """Drop the changes up to a number, the snapshots among them, and the contents only they refer to."""
        included = self._checkpoints.number()
        if included is not None and included < number:  # the state of the tree follows from these changes
            known = self.tree()
            self.keep_tree(known, known.files, {}, known.head, is_complete=known.is_complete)
        self._db.execute("DELETE FROM file WHERE change <= ?", (number,))
        self._db.execute("DELETE FROM folder WHERE change <= ?", (number,))
        self._db.execute("DELETE FROM change WHERE number <= ?", (number,))
        for table in ("origin", "also_undoes"):
            if self._has_table(table):
                self._db.execute(f"DELETE FROM {table} WHERE change <= ?", (number,))  # noqa: S608  written by us
        self._cached_since = None
        self._undone.clear()
        self._checksums.drop("change", number)
        for kind in ("snapshot", "files"):
            self._checksums.drop(kind, number - 1)
        gone = "DELETE FROM snapshot_file WHERE snapshot IN (SELECT id FROM snapshot WHERE after_change < ?)"
        self._db.execute(gone, (number,))
        self._db.execute("DELETE FROM snapshot WHERE after_change < ?", (number,))
        self._drop_unreferred()

    def _size(self) -> int:
        """The size of the file after the commit, which frees unused pages."""
        size, pages, free = (
            int(self._row(f"PRAGMA {name}")[0]) for name in ("page_size", "page_count", "freelist_count")
        )
        return size * (pages - free)

    def _update_states(self, change_ids: Iterable[str]) -> None:
        """Update the states of changes that were undone, of the changes that they had undone themselves, and so on."""
        turned: set[str] = set()  # damaged records may form a circle
        queue = [*change_ids]
        while queue:
            change_id = queue.pop(0)
            if change_id in turned:
                continue
            turned.add(change_id)
            states = [
                self._row("SELECT state FROM change WHERE number = ?", n)[0] for n in self._numbers_undoing(change_id)
            ]
            state = "undone" if "landed" in states else "landed"
            self._db.execute("UPDATE change SET state = ? WHERE id = ?", (state, change_id))
            row = self._row("SELECT number, undoes FROM change WHERE id = ?", change_id)
            queue += [] if row is None or row[1] is None else [row[1], *self._also_undoes(row[0])]

    def _last_content_number(self, path: str) -> int | None:
        """The number of the content last seen at a path: the current one is probably similar."""
        last = [self._row(query, _encode(path)) for query in (_SELECT_LAST_AT, _SELECT_LAST_MOVED_TO)]
        rows = [row for row in last if row is not None and all(isinstance(value, int) for value in row)]
        return max(rows, default=(0, None))[1]

    def _keep(
        self, version: Version | None, supply: Supply, base: int | None, ends: tuple[int, int] | None = None
    ) -> int | None:
        return None if version is None else self._contents.keep(version.digest, supply, base, ends)

    def _rows(self, query: str, *values: object) -> list[Any]:
        return self._db.execute(query, values).fetchall()

    def _row(self, query: str, *values: object) -> Any:
        return self._db.execute(query, values).fetchone()


def outside_summary(many: int) -> str:
    """What a change says that another program made."""
    return f"{many:,} file{'' if many == 1 else 's'} changed outside suture"


def action_of(before: Version | None, after: Version | None) -> str:
    """What happened to a file."""
    return "create" if before is None else "delete" if after is None else "update"


def same_version(one: Version | None, other: Version | None) -> bool:
    """Whether two versions have the same content, and, if both are known, the same mode."""
    if one is None or other is None:
        return one is other
    return one.digest == other.digest and (None in {one.mode, other.mode} or one.mode == other.mode)


def _check_stored(written: object, actual: object) -> None:
    """Raise unless records were stored: a damaged B-tree can lose them, and they must not get a checksum then."""
    if actual != written:
        raise UnusableDatabase("what is written to it cannot be read back")


def _damage(change: ChangeRecord) -> HistoryDamaged:
    return HistoryDamaged(what="change", name=change.id)


def _sort_key(record: ChangeRecord | NamedPoint) -> tuple[int, bool]:
    """Sorts a snapshot right after the change that it followed."""
    return (record.after_change, True) if isinstance(record, NamedPoint) else (record.number, False)


def _descending(last: int, first: int, most: int) -> range:
    return range(last, max(first, last - most) - 1, -1)


def _is_head(number: object, change_id: object, tool: object, summary: object, undoes: object, state: object) -> bool:
    texts = all(_is_text(value) for value in (change_id, tool, summary, state))
    return texts and isinstance(number, int) and (undoes is None or _is_text(undoes))


def _is_file(expected: int, *row: Any) -> bool:
    place, action, path, target, *versions, added, removed = row
    return (
        place == expected
        and _is_text(action)
        and isinstance(path, bytes)
        and (target is None or isinstance(target, bytes))
        and all(_is_version(*versions[at : at + 3]) for at in (0, 3, 6))
        and all(value is None or isinstance(value, int) for value in (added, removed))
    )


def _is_version(number: object, name: object, mode: object) -> bool:
    """Whether a content exists if it is referred to: a lost one must not be mistaken for no file."""
    if number is None:
        return name is None and mode is None
    return _is_text(name) and (mode is None or (isinstance(mode, int) and 0 <= mode <= _MODE_BITS))


def _is_point(row: tuple[Any, ...]) -> bool:
    return _is_text(row[0]) and _is_text(row[1]) and isinstance(row[2], int)


def _is_text(value: object) -> bool:
    """Whether the value of a column is valid text."""
    return isinstance(value, str) and (value.isascii() or not any("\ud800" <= char <= "\udfff" for char in value))


def _printable(value: object) -> str:
    return str(value) if _is_text(value) else ascii(value)


def _is_plausible(change: ChangeRecord) -> bool:
    """Whether a tool could have made a change that has no checksum."""
    if change.state not in {"landed", "undone"} or not (change.files or change.undoes):
        return False
    return all(
        (file.action == "rename") == (file.to is not None)
        and (file.action == "create") == (file.before is None)
        and (file.action == "delete") == (file.after is None)
        and (file.replaced is None or file.to is not None)
        and file.action in {"create", "update", "delete", "rename"}
        for file in change.files
    )


def _values(change: ChangeRecord) -> tuple[Any, ...]:
    """The values that a change's checksum covers: all but its state, which follows from other changes."""
    files = tuple(
        (
            *(file.path, file.action, file.to, file.added, file.removed),
            *(version and (version.digest, version.mode) for version in (file.before, file.after, file.replaced)),
        )
        for file in change.files
    )
    values = change.number, change.id, change.tool, change.summary, change.undoes, files, change.folders
    if change.session is None and change.head is None and not change.also_undoes:
        return values  # as before these were recorded
    head = None if change.head is None else _head_values(change.head)
    return *values, change.also_undoes, session_values(change.session), head


def _storable(change: ChangeRecord) -> ChangeRecord:
    """A change whose texts SQLite can store: what others say of themselves may not be valid text."""
    changed: dict[str, object] = {"summary": _valid(change.summary)}
    if change.session is not None:
        changed["session"] = SessionInfo(**{name: _valid(value) for name, value in vars(change.session).items()})
    if change.head is not None and change.head.branch is not None:
        changed["head"] = change.head.evolve(branch=_valid(change.head.branch))
    return change.evolve(**changed)


def _valid(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _head_values(head: Head | None) -> tuple[str | None, ...]:
    return (None, None) if head is None else (head.branch, head.commit)


def _file_record(row: tuple[Any, ...]) -> FileRecord:
    _, action, path, target, *versions, added, removed = row
    before, after, replaced = (_version(*versions[at : at + 2]) for at in (1, 4, 7))
    to = None if target is None else _decode(target)
    return FileRecord(_decode(path), action, before, after, to, replaced, added, removed)


def _version(name: str | None, mode: int | None) -> Version | None:
    return None if name is None else Version(name, mode)


def _mode(version: Version | None) -> int | None:
    return None if version is None else version.mode


def _compare(file: FileRecord, supply: Supply) -> tuple[tuple[int, int] | None, tuple[int, int] | tuple[None, None]]:
    """What the contents before and after share at both ends, and the numbers of lines changed, if fast to count."""
    before, after = (b"" if version is None else supply(version.digest) for version in (file.before, file.after))
    if before is None or after is None:
        return None, (None, None)
    ends = common_ends(before, after)
    if max(len(before), len(after)) - sum(ends) > _MAX_COUNTED_BYTES:
        return ends, (None, None)
    return ends, _count_lines(before, after, ends)


def _count_lines(before: bytes, after: bytes, ends: tuple[int, int]) -> tuple[int, int]:
    head, tail = ends
    return counts(before, [edit(head, len(before) - tail, after[head : len(after) - tail])])


def _encode(path: str) -> bytes:
    """A path or text as stored: it may not be UTF-8."""
    return path.encode("utf-8", "surrogateescape")


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
