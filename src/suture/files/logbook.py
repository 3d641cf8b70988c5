"""The records of one workspace, in an open SQLite database: what landed, in which order, and every content.

    meta      which folder this is the history of
    change    one row a change, numbered in the order of landing
    file      what it did to each file; contents by number
    folder    the folders it made
    content   every content once (`files.contents`)
    snapshot, snapshot_file   named points, and the files as they stood there
    clipboard texts under names; made when the first one is kept, since earlier versions knew none

Nothing here opens, locks or commits; `files.history` does.
"""

from __future__ import annotations

import time

from suture.diff import counts
from suture.edits import common_ends, edit
from suture.errors import ChangeNotFound
from suture.files.contents import SCHEMA as CONTENT_SCHEMA
from suture.files.contents import Contents
from suture.files.journal import id_at
from suture.plan import ChangeRecord, FileRecord, Version
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from sqlite3 import Connection
    from typing import Any

    from suture.files.contents import Supply

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

_CLIPBOARD = "CREATE TABLE IF NOT EXISTS clipboard (name BLOB PRIMARY KEY, content BLOB NOT NULL)"
_FILE = """SELECT action, path, target, b.digest, before_mode, a.digest, after_mode, r.digest, replaced_mode,
    added, removed FROM file LEFT JOIN content b ON before = b.number LEFT JOIN content a ON after = a.number
    LEFT JOIN content r ON replaced = r.number WHERE change = ? ORDER BY place"""
_MOVES = """SELECT id, tool, undoes, action, path, target FROM file JOIN change ON file.change = change.number
    WHERE action != 'update' AND change.number > ? ORDER BY change.number, action = 'create', place"""
_TOUCHED = """SELECT change.number, id, path, target, b.digest, a.digest FROM file
    JOIN change ON file.change = change.number LEFT JOIN content b ON before = b.number
    LEFT JOIN content a ON after = a.number WHERE (path = ?1 OR target = ?1) AND change.number < ?2
    ORDER BY change.number DESC LIMIT 100"""
_REFERRED = """SELECT before FROM file WHERE before IS NOT NULL UNION SELECT after FROM file WHERE after IS NOT NULL
    UNION SELECT replaced FROM file WHERE replaced IS NOT NULL
    UNION SELECT content FROM snapshot_file WHERE content IS NOT NULL"""
_LAST_AT, _LAST_MOVED_TO = (
    f"""SELECT change, after FROM file CROSS JOIN content ON after = number WHERE {there} AND data IS NOT NULL
    ORDER BY change DESC LIMIT 1"""  # noqa: S608  ours
    for there in ("path = ? AND target IS NULL", "target = ?")
)
_COUNTED = 1_000_000  # bytes of a change whose lines are counted at once
_CANDIDATES = 5
_DAY = 86_400
_ROOM = 0.9  # of the allowed size is left after forgetting, so that not every change has to forget


class NamedPoint(Record):
    """A named point: after the change of number `after_change`, with the files that were kept for it."""

    id: str
    name: str
    after_change: int


class PastVersion(Record):
    """What stood in a file until a change replaced it."""

    change_id: str
    path: str
    content: bytes


class KnownVersion(Record):
    """A version that a file had: its hash, and the changes that made it and replaced it, if they are known."""

    digest: str
    made_by: str | None
    replaced_by: str | None


class LogBook:
    """The records in an open database."""

    def __init__(self, database: Connection) -> None:
        self._db = database
        self._contents = Contents(database)

    def change(self, change_id: str) -> ChangeRecord:
        """The change of this id, or of the only id that begins so."""
        wanted = change_id.strip().lower()
        found = self.beginning_with(wanted)
        if len(found) != 1:
            forgotten = not found and self.has_forgotten()
            raise ChangeNotFound(change_id=change_id, candidates=found, forgotten=forgotten)
        return next(self._changes("WHERE id = ?", found[0]))

    def beginning_with(self, prefix: str) -> list[str]:
        """The newest few ids that begin so; none for an empty beginning."""
        query = "SELECT id FROM change WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT ?"
        if not prefix.isalnum() or not prefix.isascii():
            return []
        return [each for (each,) in self._rows(query, prefix, prefix + "~", _CANDIDATES)]

    def name(self) -> str:
        """The name that the database was last written under."""
        row = self._row("SELECT name FROM meta")
        return "" if row is None else str(row[0])

    def born(self) -> int:
        """When the folder was made that this is the history of; 0 if nobody knows."""
        row = self._row("SELECT born FROM meta")
        return 0 if row is None else int(row[0])

    def newest_id(self) -> str:
        """The id of the newest change; empty if there is none."""
        row = self._row("SELECT id FROM change ORDER BY number DESC LIMIT 1")
        return "" if row is None else str(row[0])

    def has_forgotten(self) -> bool:
        """Whether changes were dropped to keep within the limits."""
        row = self._row("SELECT min(number) FROM change")
        return (row[0] or 0) > 1

    def newest(self, *, undo: bool) -> ChangeRecord | None:
        """The newest change in force that is an `undo`, or that is neither undo nor redo."""
        tools = "tool = 'undo'" if undo else "tool NOT IN ('undo', 'redo')"
        return next(self._changes(f"WHERE state = 'landed' AND {tools} ORDER BY number DESC LIMIT 1"), None)

    def undoing(self, change: ChangeRecord) -> ChangeRecord | None:
        """The change in force that takes this one back."""
        return next(
            self._changes("WHERE undoes = ? AND state = 'landed' ORDER BY number DESC LIMIT 1", change.id), None
        )

    def changes(self, before: int | None = None) -> Iterator[ChangeRecord]:
        """Changes from the newest to the oldest, beginning before a number."""
        return self._changes("WHERE number < ? ORDER BY number DESC", 1 << 62 if before is None else before)

    def changes_since(self, number: int) -> Iterator[ChangeRecord]:
        """Changes after a number, from the oldest to the newest."""
        return self._changes("WHERE number > ? ORDER BY number", number)

    def path_now(self, path: str, since: int) -> tuple[str, bool]:
        """Where a file is that had this path after the change of number `since`, or was when a change deleted it.

        Another file that got the path since is not the same one, unless an undo of the deletion or a restore made it.
        """
        deletions: set[tuple[str, str]] = set()
        names, there = {path}, True
        for change_id, tool, undoes, action, old, target in self._rows(_MOVES, since):
            name = _name(old)
            if there and name == path and action == "rename":
                path = _name(target)
                names.add(path)
            elif there and name == path and action == "delete":
                there = False
                deletions.add((change_id, path))
            elif not there and action == "create":
                there = (undoes, name) in deletions or (tool == "restore" and name in names)
                path = name if there else path
        return path, there

    def paths(self) -> list[str]:
        """Every path that a change or a snapshot touched."""
        query = """SELECT path FROM file UNION SELECT target FROM file WHERE target IS NOT NULL
            UNION SELECT path FROM snapshot_file ORDER BY 1"""
        return [_name(path) for (path,) in self._rows(query)]

    def snapshots(self) -> list[NamedPoint]:
        """The named points, oldest first."""
        return [NamedPoint(*row) for row in self._rows("SELECT id, name, after_change FROM snapshot ORDER BY id")]

    def snapshot_files(self, snapshot: NamedPoint) -> dict[str, Version | None]:
        """The files as they stood at a named point; None: no file."""
        query = """SELECT path, digest, mode FROM snapshot_file LEFT JOIN content ON content = number
            WHERE snapshot = ?"""
        return {_name(path): _version(name, mode) for path, name, mode in self._rows(query, snapshot.id)}

    def state_after(self, number: int) -> dict[str, Version | None]:
        """What stood at each path that was touched later, right after the change of this number."""
        state: dict[str, Version | None] = {}
        for change in self.changes_since(number):
            for file in change.files:
                for path, before, _ in file.versions():
                    state.setdefault(path, before)
        return state

    def last_state(self, until: int = 1 << 62) -> dict[str, Version | None]:
        """What each path held when it was last seen by a change up to a number, or by a snapshot before it."""
        points = sorted(
            (each for each in self.snapshots() if each.after_change < until), key=lambda each: each.after_change
        )
        state: dict[str, Version | None] = {}
        for change in self._changes("WHERE number <= ? ORDER BY number", until):
            while points and points[0].after_change < change.number:
                state |= self.snapshot_files(points.pop(0))
            state |= {path: after for file in change.files for path, _, after in file.versions()}
        for point in points:
            state |= self.snapshot_files(point)
        return state

    def past_versions(self, path: str, *, versions: int, size: int, seconds: float) -> list[PastVersion]:
        """What stood in a file before each change of it, newest first, followed through renames; within bounds."""
        deadline = time.monotonic() + seconds
        found: list[PastVersion] = []
        seen: set[str] = set()
        for change_id, name, was, _ in self._touched(_raw(path)):
            if was is None:
                continue
            if len(found) >= versions or time.monotonic() > deadline:
                break
            length = self._contents.size(was)
            if was in seen or length is None or length > size:
                continue
            seen.add(was)
            content = self.content(was)
            if content is not None:
                size -= length
                found.append(PastVersion(change_id, _name(name), content))
        return found

    def versions(self, path: str) -> Iterator[KnownVersion]:
        """What changes of a file found there and what they left, newest first, followed through renames.

        If a change found something else than the one before it had left, nobody knows who replaced that, or made this.
        """
        newer: tuple[str, str | None] = "", None
        for change_id, _, was, after in self._touched(_raw(path)):
            known = after is not None and after == newer[1]
            if newer[1] is not None:
                yield KnownVersion(newer[1], change_id if known else None, newer[0])
            if after is not None and not known:
                yield KnownVersion(after, change_id, None)
            newer = change_id, was
        if newer[1] is not None:
            yield KnownVersion(newer[1], None, newer[0])

    def size(self, name: str) -> int | None:
        """How long the content of this hash is, or None if it is not kept."""
        return self._contents.size(name)

    def _touched(self, path: bytes) -> Iterator[tuple[str, bytes, str | None, str | None]]:
        """Every change of a file, newest first: its id, the path before it, and the hashes before and after it.

        What went away from the path left nothing there.
        """
        number = 1 << 62
        while rows := self._rows(_TOUCHED, path, number):
            for number, change_id, old, target, was, after in rows:  # noqa: B007  the last one is where to go on
                yield change_id, old, was, after if target in {None, path} else None
                if target == path:
                    path = old
                    break

    def clipboard_names(self) -> list[str]:
        """The names that texts are kept under, sorted."""
        if self._row("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'clipboard'") is None:
            return []
        return sorted(_name(name) for (name,) in self._rows("SELECT name FROM clipboard"))

    def clipboard(self, name: str) -> str | None:
        """The text that is kept under a name."""
        if name not in self.clipboard_names():
            return None
        return _name(self._row("SELECT content FROM clipboard WHERE name = ?", _raw(name))[0])

    def content(self, name: str) -> bytes | None:
        """The content of this hash, or None if it is not kept, or damaged."""
        return self._contents.get(name)

    def lines_changed(self, file: FileRecord) -> tuple[int, int]:
        """How many lines a change added to a file and removed from it."""
        if file.added is not None and file.removed is not None:
            return file.added, file.removed
        before, after = (
            b"" if each is None else self.content(each.digest) or b"" for each in (file.before, file.after)
        )
        return _counts(before, after, common_ends(before, after))

    def _changes(self, where: str, *values: object) -> Iterator[ChangeRecord]:
        query = f"SELECT number, id, tool, summary, undoes, state FROM change {where}"  # noqa: S608  ours
        heads = self._rows(query, *values)
        for number, change_id, tool, summary, undoes, state in heads:
            files = tuple(_file_record(row) for row in self._rows(_FILE, number))
            folders = self._rows("SELECT path FROM folder WHERE change = ? ORDER BY path", number)
            made = tuple(_name(path) for (path,) in folders)
            yield ChangeRecord(change_id, tool, summary, files, made, undoes, state, number)

    def set_folder(self, name: str, born: int) -> None:
        """Note which folder this is the history of."""
        self._db.execute("DELETE FROM meta")
        self._db.execute("INSERT INTO meta VALUES (?, ?)", (name, born))

    def knows(self, change_id: str) -> bool:
        """Whether a change is recorded."""
        return self._row("SELECT 1 FROM change WHERE id = ?", change_id) is not None

    def add(self, change: ChangeRecord, supply: Supply) -> None:
        """Record a change that landed. Its contents are asked of `supply`."""
        summary = change.summary.encode("utf-8", "backslashreplace").decode()
        row = (change.id, change.tool, summary, change.undoes, "landed")
        query = "INSERT INTO change (id, tool, summary, undoes, state) VALUES (?, ?, ?, ?, ?)"
        number = self._db.execute(query, row).lastrowid
        rows = []
        for place, file in enumerate(change.files):
            base = self._last_content(file.path) if file.before is not None else None
            before = self._keep(file.before, supply, base)
            ends, (added, removed) = _compared(file, supply)
            after = self._keep(file.after, supply, before, ends)
            replaced = self._keep(file.replaced, supply, None)
            target = None if file.to is None else _raw(file.to)
            columns = (before, _mode(file.before), after, _mode(file.after), replaced, _mode(file.replaced))
            rows.append((number, place, file.action, _raw(file.path), target, *columns, added, removed))
        self._db.executemany("INSERT INTO file VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        folders = [(number, _raw(path)) for path in change.folders]
        self._db.executemany("INSERT OR IGNORE INTO folder VALUES (?, ?)", folders)
        self.keep_clipboards(change.clipboards)
        self._turn(change.undoes)

    def keep_clipboards(self, clipboards: Iterable[tuple[str, str]]) -> None:
        """Keep texts under names, in place of what was kept there."""
        rows = [(_raw(name), _raw(content)) for name, content in clipboards]
        if rows:
            self._db.execute(_CLIPBOARD)
            self._db.executemany("INSERT OR REPLACE INTO clipboard VALUES (?, ?)", rows)

    def add_snapshot(self, snapshot: NamedPoint, files: Iterable[tuple[str, Version | None]], supply: Supply) -> None:
        """Record a named point with the files as they stand."""
        self._db.execute("INSERT INTO snapshot VALUES (?, ?, ?)", (snapshot.id, snapshot.name, snapshot.after_change))
        for path, version in files:
            content = self._keep(version, supply, self._last_content(path) if version is not None else None)
            row = (snapshot.id, _raw(path), content, _mode(version))
            self._db.execute("INSERT INTO snapshot_file VALUES (?, ?, ?, ?)", row)

    def rest(self) -> None:
        """Hold little in memory until the next change."""
        self._contents.rest()

    def last_number(self) -> int:
        """The number of the newest change; 0 if there is none."""
        return int(self._row("SELECT max(number) FROM change")[0] or 0)

    def forget(self, most_bytes: int, most_days: int) -> None:
        """Drop the oldest changes and snapshots until the rest is small and young enough; never the newest change."""
        self._drop_older_than(id_at(max(time.time() - most_days * _DAY, 0)))
        if self._size() <= most_bytes:
            return
        while self._size() > most_bytes * _ROOM:
            first, last, many = self._row("SELECT min(number), max(number), count(*) FROM change")
            if many > 1:
                self._drop_until(min(first + max(many // 16, 1) - 1, last - 1))
            elif not self._drop_oldest_snapshot():
                break

    def _drop_older_than(self, oldest: str) -> None:
        """Forget the first changes up to one that is young enough: a clock may have been wrong for a while."""
        first = self._row("SELECT id >= ? FROM change ORDER BY number LIMIT 1", oldest)  # an id that is damaged: no
        if first is None or first[0]:
            return
        row = self._row("SELECT min(number) FROM change WHERE id >= ?", oldest)
        young = self.last_number() if row[0] is None else row[0]
        if self._row("SELECT 1 FROM change WHERE number < ?", young):
            self._drop_until(young - 1)

    def _drop_oldest_snapshot(self) -> bool:
        """Forget the oldest snapshot, unless it is the only one."""
        first, last = self._row("SELECT min(id), max(id) FROM snapshot")
        if first == last:
            return False
        self._db.execute("DELETE FROM snapshot_file WHERE snapshot = ?", (first,))
        self._db.execute("DELETE FROM snapshot WHERE id = ?", (first,))
        self._contents.drop_all_but(_REFERRED)
        return True

    def _drop_until(self, number: int) -> None:
        """Forget the changes up to a number, the snapshots among them, and what only they referred to."""
        self._db.execute("DELETE FROM file WHERE change <= ?", (number,))
        self._db.execute("DELETE FROM folder WHERE change <= ?", (number,))
        self._db.execute("DELETE FROM change WHERE number <= ?", (number,))
        gone = "DELETE FROM snapshot_file WHERE snapshot IN (SELECT id FROM snapshot WHERE after_change < ?)"
        self._db.execute(gone, (number,))
        self._db.execute("DELETE FROM snapshot WHERE after_change < ?", (number,))
        self._contents.drop_all_but(_REFERRED)

    def _size(self) -> int:
        """The size that the file will have."""
        size, pages, free = (
            int(self._row(f"PRAGMA {name}")[0]) for name in ("page_size", "page_count", "freelist_count")
        )
        return size * (pages - free)

    def _turn(self, change_id: str | None) -> None:
        """Set the state of a change that another one takes back, of the one that it took back itself, and so on."""
        while change_id is not None:
            undone = self._row("SELECT 1 FROM change WHERE undoes = ? AND state = 'landed'", change_id)
            state = "landed" if undone is None else "undone"
            self._db.execute("UPDATE change SET state = ? WHERE id = ?", (state, change_id))
            row = self._row("SELECT undoes FROM change WHERE id = ?", change_id)
            change_id = row and row[0]

    def _last_content(self, path: str) -> int | None:
        """The content last seen at a path: what stands there now will be like it."""
        found = [self._row(query, _raw(path)) for query in (_LAST_AT, _LAST_MOVED_TO)]
        return max((row for row in found if row is not None), default=(0, None))[1]

    def _keep(
        self, version: Version | None, supply: Supply, base: int | None, ends: tuple[int, int] | None = None
    ) -> int | None:
        return None if version is None else self._contents.keep(version.digest, supply, base, ends)

    def _rows(self, query: str, *values: object) -> list[Any]:
        return self._db.execute(query, values).fetchall()

    def _row(self, query: str, *values: object) -> Any:
        return self._db.execute(query, values).fetchone()


def _file_record(row: tuple[Any, ...]) -> FileRecord:
    action, path, target, before, before_mode, after, after_mode, replaced, replaced_mode, added, removed = row
    return FileRecord(
        _name(path),
        action,
        _version(before, before_mode),
        _version(after, after_mode),
        None if target is None else _name(target),
        _version(replaced, replaced_mode),
        added,
        removed,
    )


def _version(name: str | None, mode: int | None) -> Version | None:
    return None if name is None else Version(name, mode)


def _mode(version: Version | None) -> int | None:
    return None if version is None else version.mode


def _compared(file: FileRecord, supply: Supply) -> tuple[tuple[int, int] | None, tuple[int, int] | tuple[None, None]]:
    """What the contents before and after share at both ends; and the lines added and removed, if quickly known."""
    before, after = (b"" if each is None else supply(each.digest) for each in (file.before, file.after))
    if before is None or after is None:
        return None, (None, None)
    ends = common_ends(before, after)
    if max(len(before), len(after)) - sum(ends) > _COUNTED:
        return ends, (None, None)
    return ends, _counts(before, after, ends)


def _counts(before: bytes, after: bytes, ends: tuple[int, int]) -> tuple[int, int]:
    head, tail = ends
    return counts(before, [edit(head, len(before) - tail, after[head : len(after) - tail])])


def _raw(path: str) -> bytes:
    """A path, or a text of a file, as it is stored: it need not be UTF-8."""
    return path.encode("utf-8", "surrogateescape")


def _name(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
