"""Remove contents from a history for good, for example a secret that was in a file.

    select(database, wanted, changes) -> Selection        remove(database, selection)

All contents of a file are removed: whatever a record has at its path, and what the same file contained under other
names, before and after. The records of the changes stay, without their summaries, which may quote a content. Of the
contents, only the hashes stay. What is stored as a difference to them is packed anew (`Contents.forget`).

Records are read as they are stored, whether they are sound or not. A content that only damaged records refer to may
have been at any path; one that no record refers to may be left over from a change that was dropped, as the base of
another one. Neither can be restored by anybody, so they go too.

The caller lets SQLite overwrite what is deleted, and rebuilds the database afterwards, because its pages contain
remains of earlier records.
"""

from __future__ import annotations

from contextlib import suppress

from suture.errors import HistoryDamaged
from suture.files.store import Contents, has_table
from suture.plan import digest
from suture.records import Record
from suture.text import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from suture.files.clipboards import Key
    from suture.files.database import Database
    from suture.plan import ChangeRecord

_EMPTY = digest((), 0)
_SELECT_FILES = """SELECT change, id, action, path, target, before, after, replaced FROM file
    LEFT JOIN change ON change = number ORDER BY change, place"""
_SELECT_POINTS = """SELECT after_change, path, content FROM snapshot_file LEFT JOIN snapshot ON snapshot = id
    ORDER BY after_change"""


class Selection(Record):
    """What is removed."""

    paths: tuple[str, ...]
    """The names that the files have had, sorted."""
    changes: tuple[str, ...]
    """The ids of the changes that touched them, or have the same contents; newest first."""
    numbers: frozenset[int]
    """The numbers of these changes and of those that undo them: they lose their summaries."""
    contents: frozenset[int]
    """The numbers of the contents that are stored now."""
    doubtful: frozenset[int]
    """Contents that only damaged records refer to."""
    unused: frozenset[int]
    """Contents that no record refers to."""
    size: int
    """The bytes of all these contents."""
    hashes: frozenset[str]
    """The hashes of all contents that the files have had, stored or not."""
    shared: tuple[str, ...]
    """The other paths that have had one of these contents, sorted."""
    clipboards: tuple[str, ...]
    """The names of the clipboards that came from these files, have a text of these contents, or are damaged."""
    kept_clipboards: tuple[Key, ...]
    """The sessions and names of the other ones."""


def select(database: Database, wanted: Callable[[str], bool], changes: Collection[int] = ()) -> Selection:
    """What to remove for the files whose paths are `wanted`, and for the changes with these numbers."""
    files = _Files()
    for row in _rows(database):
        files.add(row)
    uses = files.uses()
    lineages = {use.file for use in uses if wanted(use.path)}
    own = [use for use in uses if use.file in lineages or use.change in changes]
    paths = {use.path for use in own}
    stored = {number: (name, size) for number, name, size in _stored(database)}
    empty = {number for number, (name, _) in stored.items() if name == _EMPTY}
    named = {use.content for use in own if use.content is not None} - empty
    contents = named & stored.keys()
    affected = [use for use in uses if use.content in contents]
    numbers = {use.change for use in (*own, *affected) if use.change is not None}
    referred = {use.content for use in uses}
    unsound = stored.keys() - empty - contents - _soundly_referred(database)
    gone = contents | unsound
    sources = {use.path for use in own if use.file in lineages}
    names = (stored[number][0] for number in contents)
    kept = _kept_clipboards(database, names, lambda path: path in sources or wanted(path))
    return Selection(
        paths=tuple(sorted(paths)),
        changes=_ids(database, numbers),
        numbers=frozenset(_with_undoing(database, numbers)),
        contents=frozenset(contents),
        doubtful=frozenset(unsound & referred),
        unused=frozenset(unsound - referred),
        size=sum(size for number, (_, size) in stored.items() if number in gone),
        hashes=frozenset(_hashes(database, named)),
        shared=tuple(sorted({use.path for use in affected} - paths)),
        clipboards=tuple(sorted({known.key[1] for known in database.clipboards.all() if known.key not in kept})),
        kept_clipboards=kept,
    )


def remove(database: Database, selection: Selection) -> None:
    """Remove what was selected, in the open transaction."""
    database.add_missing_checksums()
    connection = database.connection
    sound = [change for number in selection.numbers if (change := database.verified_change(number)) is not None]
    counted = [_without_summary(database, change) for change in sound]
    rows = [(number,) for number in selection.numbers]
    database.remove_command_lines({change.summary for change in sound} - {""})
    connection.executemany("UPDATE change SET summary = '' WHERE number = ?", rows)  # of damaged ones too
    Contents(connection).forget(selection.contents | selection.doubtful, selection.unused)
    database.read_again()  # files that still have one of these contents: the next checkpoint must be able to restore it
    for change in counted:
        database.rewrite(change)
    database.clipboards.drop_all_but(selection.kept_clipboards)


def _without_summary(database: Database, change: ChangeRecord) -> ChangeRecord:
    """A change without its summary, but with the numbers of lines, which cannot be counted afterwards."""
    counts = ((file, *database.lines_changed(file)) for file in change.files)
    return change.evolve(
        summary="", files=tuple(file.evolve(added=added, removed=removed) for file, added, removed in counts)
    )


class _Use(Record):
    """A content, or none, that a record has at a path."""

    file: int
    path: str
    change: int | None
    """The number of the change; None: a snapshot."""
    content: int | None


class _Files:
    """The files of a history: which records are about the same one.

    A file keeps its identity when it is renamed, when that is undone, and when a content that it had comes back to
    its path.
    """

    def __init__(self) -> None:
        self._uses: list[_Use] = []
        self._parents: list[int] = []
        """For each file, another one that turned out to be the same, or itself."""
        self._now: dict[str, int] = {}
        """The file at each path."""
        self._seen: dict[tuple[str, int], int] = {}
        """The file that had a content at a path."""
        self._moved: dict[str, list[tuple[str, int]]] = {}
        """By change: the paths of its renames, and which files they were about."""

    def uses(self) -> list[_Use]:
        """All uses of contents, with the final identity of each file."""
        return [use.evolve(file=self._root(use.file)) for use in self._uses]

    def add(self, row: _Row) -> None:
        """Follow one row; rows come in the order of landing."""
        if row.path is None:  # damaged: its contents may have been at any path
            return
        if row.action == "create":
            self._now.pop(row.path, None)
        self._use(row.path, row, row.before)
        if row.target is None:
            self._use(row.path, row, row.after)
            if row.action == "delete":
                self._now.pop(row.path, None)
        else:
            file = self._now.pop(row.path)
            self._moved.setdefault(row.id, []).append((row.path, file))
            if row.replaced is not None:
                self._use(row.target, row, row.replaced)
                self._moved[row.id].append((row.target, self._now[row.target]))
            self._now[row.target] = file
            self._use(row.target, row, row.after)
        for undone in row.undoes:
            for path, file in self._moved.get(undone, ()):
                if path == row.path and path in self._now:
                    self._join(file, self._now[path])

    def _use(self, path: str, row: _Row, content: int | None) -> None:
        """Note that the file at a path has a content."""
        if path not in self._now:
            self._now[path] = len(self._parents)
            self._parents.append(len(self._parents))
        file = self._now[path]
        if content is not None:
            self._join(self._seen.setdefault((path, content), file), file)
        self._uses.append(_Use(file, path, row.change, content))

    def _join(self, one: int, other: int) -> None:
        self._parents[self._root(one)] = self._root(other)

    def _root(self, file: int) -> int:
        while self._parents[file] != file:
            self._parents[file] = file = self._parents[self._parents[file]]
        return file


class _Row(Record):
    """What a record says about a file; a snapshot has only `path` and `after`."""

    change: int | None
    id: str
    undoes: tuple[str, ...]
    """The ids of the changes that this one undoes."""
    action: str
    path: str | None
    """None: damaged."""
    target: str | None
    before: int | None
    after: int | None
    replaced: int | None


def _rows(database: Database) -> list[_Row]:
    """All records of files, in the order in which they were made; a snapshot comes after the change before it."""
    rows: list[tuple[int, _Row]] = []
    undone = _undone(database)
    for change, *texts, path, target, before, after, replaced in database.connection.execute(_SELECT_FILES):
        change_id, action = (value if isinstance(value, str) else "" for value in texts)
        contents = map(_number, (before, after, replaced))
        ids = undone.get(change, ())
        row = _Row(_number(change), change_id, tuple(ids), action, _name(path), _name(target), *contents)
        rows.append((2 * (row.change or 0), row))
    for number, path, content in database.connection.execute(_SELECT_POINTS):
        point = _Row(None, "", (), "", _name(path), None, None, _number(content), None)
        rows.append((2 * (_number(number) or 0) + 1, point))
    last = 2 * database.last_number() + 1
    for path, content in _tree_files(database):
        rows.append((last, _Row(None, "", (), "", _name(path), None, None, _number(content), None)))
    return [row for _, row in sorted(rows, key=lambda pair: pair[0])]


def _tree_files(database: Database) -> list[tuple[object, object]]:
    """The files of the last known state of the tree, and the numbers of their contents."""
    connection = database.connection
    if not has_table(connection, "tree_file"):
        return []
    return connection.execute("SELECT path, content FROM tree_file WHERE content IS NOT NULL").fetchall()


def _stored(database: Database) -> list[tuple[int, str, int]]:
    """The number, hash and size of every content that is stored."""
    query = "SELECT number, digest, size FROM content WHERE data IS NOT NULL"
    return [(number, _hash(name), _number(size) or 0) for number, name, size in database.connection.execute(query)]


def _hashes(database: Database, numbers: Collection[int]) -> Iterator[str]:
    for number, name in database.connection.execute("SELECT number, digest FROM content"):
        if number in numbers:
            yield _hash(name)


def _soundly_referred(database: Database) -> set[int]:
    """The contents that a sound record refers to."""
    connection = database.connection
    changes = [number for (number,) in connection.execute("SELECT number FROM change").fetchall()]
    sound = {number for number in changes if database.verified_change(number) is not None}
    query = "SELECT change, before, after, replaced FROM file"
    referred = {content for change, *contents in connection.execute(query) if change in sound for content in contents}
    if database.tree().stored:
        referred.update(_number(content) for _, content in _tree_files(database))
    for point in database.snapshots():
        with suppress(HistoryDamaged):
            database.snapshot_files(point)
            referred.update(
                content
                for (content,) in connection.execute(
                    "SELECT content FROM snapshot_file WHERE snapshot = ?", (point.id,)
                )
            )
    return referred


def _with_undoing(database: Database, numbers: set[int]) -> set[int]:
    """Changes, and those that undo or redo them: their summaries repeat the summary of what they undo."""
    undone = _undone(database)
    found: set[int] = set()
    ids: set[str] = set()
    for number, change_id in database.connection.execute("SELECT number, id FROM change ORDER BY number"):
        if number in numbers or not ids.isdisjoint(undone.get(number, ())):
            found.add(number)
            ids.add(change_id)
    return found


def _undone(database: Database) -> dict[int, list[str]]:
    """The ids of the changes that each change undoes."""
    undone: dict[int, list[str]] = {}
    connection = database.connection
    queries = ["SELECT number, undoes FROM change WHERE undoes IS NOT NULL"]
    queries += ["SELECT change, id FROM also_undoes"] if has_table(connection, "also_undoes") else []
    for query in queries:
        for number, change_id in connection.execute(query):
            undone.setdefault(number, []).append(change_id)
    return undone


def _ids(database: Database, numbers: set[int]) -> tuple[str, ...]:
    """The ids of changes, newest first."""
    return tuple(change.id for change in database.changes() if change.number in numbers)


def _kept_clipboards(database: Database, names: Iterable[str], is_source: Callable[[str], bool]) -> tuple[Key, ...]:
    """The clipboards that have no text of these files, nor of the contents with these hashes, and are not damaged."""
    texts: dict[Key, bytes] = {}
    for known in database.clipboards.all():
        with suppress(HistoryDamaged):
            clipboard = database.clipboards.get(*known.key)
            if clipboard is not None and not is_source(clipboard.path):
                texts[known.key] = _plain(clipboard.text.encode("utf-8", "surrogateescape")).strip()
    for content in map(database.content, names if texts else ()):
        text = _plain(Text.decode(content or b"").body)
        texts = {key: part for key, part in texts.items() if not part or part not in text}
    return tuple(texts)


def _plain(text: bytes) -> bytes:
    """A text without what differs between files: the line endings."""
    return text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _name(value: object) -> str | None:
    """A path as stored, even where its type is damaged; None if it is not there."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return value if isinstance(value, str) else None


def _hash(value: object) -> str:
    """A hash as stored; empty if it is damaged, so that nothing has it."""
    return value if isinstance(value, str) and value.isascii() else ""


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None
