"""Plan the undo of one change or several, or the restoration of an earlier state.

A change is inverted file by file, against the current content. If that is what the change left, the old content is
restored. If not, because of later changes or of somebody else, the inverse is merged: base is what the change left,
ours is the current content, theirs is the content before the change. Later work is kept; where both sides touch the
same lines, nothing changes, and the conflict shows both.

Several changes are inverted one after the other, each against the files as the ones before would leave them
(`_Files`), and the result is one plan. A file that a later change renamed is found under its new name. Rejected:
restoring old contents in any case, which would silently drop later work.
"""

from __future__ import annotations

from suture.errors import (
    ContentNotKept,
    HistoryDamaged,
    NotAFile,
    NotAFolder,
    PathOutsideWorkspace,
    ProtectedPath,
    SutureError,
    UndoConflict,
)
from suture.plan import ChangeRecord, Content, Create, Delete, Place, Rename, Snapshot, Update, Version, file_record
from suture.records import Record
from suture.shapes import UndoClash
from suture.text import Text
from suture.text.merge import merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from suture.engine.session import Session
    from suture.files.database import Database
    from suture.plan import FileChange, FileRecord

_MAX_SIDE_BYTES = 100_000  # of one side of a conflict, in an answer: bounds its size
_MAX_LATER_CHANGES = 5  # named in an answer: enough to see what is in the way
_MAX_CONFLICTS = 100  # in an answer: bounds its size
_BY_UMASK = -1  # the mode of a planned file whose permissions the umask decides
_PLANNED = 1 << 62  # the number of a change that is planned: after all others
_CANNOT_BE_UNDONE = (UndoConflict, NotAFile, NotAFolder, ContentNotKept, HistoryDamaged)
"""What is wrong with one change among several, and not with the call."""


class Inverse(Record):
    """The file changes that undo a change, and whether later work was merged."""

    changes: tuple[FileChange, ...]
    merged: bool


class GroupInverse(Record):
    """The file changes that undo several changes at once."""

    changes: tuple[FileChange, ...]
    merged: bool
    undone: tuple[ChangeRecord, ...]
    """The changes that are undone, the newest first."""
    failed: tuple[tuple[ChangeRecord, SutureError], ...]
    """Those that cannot be undone, and why."""
    idle: tuple[ChangeRecord, ...]
    """Those of which nothing is left to undo."""


def invert(session: Session, database: Database, change: ChangeRecord) -> Inverse:
    """The file changes that undo a change, or UndoConflict with every place where that is impossible."""
    return _invert(session, database, change, _Files(session))


def invert_all(session: Session, database: Database, changes: Sequence[ChangeRecord], *, partly: bool) -> GroupInverse:
    """The file changes that undo several changes, given newest first.

    A change that cannot be undone is an error; `partly`, it is left out.
    """
    files = _Files(session)
    undone: list[ChangeRecord] = []
    idle: list[ChangeRecord] = []
    failed: list[tuple[ChangeRecord, SutureError]] = []
    merged = False
    database.changes_since(min((change.number for change in changes), default=0))  # which all of them need
    for change in changes:
        session.checkpoint()
        try:
            inverse = _invert(session, database, change, files)
        except _CANNOT_BE_UNDONE as error:
            if not partly:
                raise
            failed.append((change, error))
            continue
        if not inverse.changes:
            idle.append(change)
            continue
        files.apply(inverse.changes)
        records = tuple(map(file_record, inverse.changes))
        database.plan(
            ChangeRecord(f"planned undo of {change.id}", "undo", "", records, undoes=change.id, number=_PLANNED)
        )
        undone.append(change)
        merged = merged or inverse.merged
    return GroupInverse(tuple(files.changes()), merged, tuple(undone), tuple(failed), tuple(idle))


def _invert(session: Session, database: Database, change: ChangeRecord, files: _Files) -> Inverse:
    inverter = _Inverter(session, database, change.number, files)
    changes: list[FileChange] = []
    clashes: list[UndoClash] = []
    for file in reversed(change.files):
        try:
            changes += [
                session.hold(new) for new in inverter.invert(file) if not (isinstance(new, Update) and new.is_no_op)
            ]
        except _Clash as clash:
            clashes += clash.conflicts
    if clashes:
        later = _later_changes(database, change, {clash.path for clash in clashes})
        raise UndoConflict(change_id=change.id, conflicts=clashes[:_MAX_CONFLICTS], later=later)
    return Inverse(tuple(changes), inverter.merged)


def restore(session: Session, database: Database, state: Mapping[str, Version | None]) -> list[FileChange]:
    """The file changes that bring each path to `state`; None: no file."""
    changes: list[FileChange] = []
    for path, version in state.items():
        place, current = read_recorded(session, path)
        if version is None:
            if current is not None:
                changes.append(session.hold(Delete(place, current)))
        elif current is None:
            changes.append(
                session.hold(Create(place, Content((database.require_content(path, version),)), version.mode))
            )
        elif current.content.digest != version.digest:
            changes.append(
                session.hold(
                    Update(place, current, Content((database.require_content(path, version),)), mode=version.mode)
                )
            )
        elif version.mode not in {current.mode, None}:
            changes.append(session.hold(Update(place, current, current.content, mode=version.mode)))
    return changes


def plan_possible(
    session: Session, database: Database, state: Mapping[str, Version | None]
) -> tuple[list[FileChange], list[str]]:
    """As `restore`, but leave files that cannot be restored: they are protected, or their contents are not kept.

    Also returns their names, if they may differ. If a link or a folder is where a file was, nothing can be planned: the
    content of that file may only exist in another one, which would be deleted.
    """
    changes: list[FileChange] = []
    left: list[str] = []
    for path, version in state.items():
        try:
            changes += restore(session, database, {path: version})
        except (NotAFile, NotAFolder, PathOutsideWorkspace):
            if version is not None:
                raise
            left.append(path)
        except (ContentNotKept, ProtectedPath):
            left.append(path)
    return changes, left


class _Clash(Exception):
    """A file's change cannot be undone; the conflicts say why."""

    def __init__(self, *conflicts: UndoClash) -> None:
        super().__init__(conflicts)
        self.conflicts = conflicts


def _later_changes(database: Database, change: ChangeRecord, paths: set[str]) -> list[str]:
    """The newest few later changes in effect that touched any of these paths."""
    since = list(database.changes_since(change.number))
    planned = {later.undoes for later in since if later.number == _PLANNED}
    cancelled = {later.id for later in since if later.state == "undone"} | planned
    ids = [
        later.id
        for later in since
        if later.state == "landed"
        and later.number != _PLANNED
        and later.id not in planned
        and cancelled.isdisjoint(later.undone_ids)  # undoing an undo would not help
        and any(path in {file.path, file.to} for file in later.files for path in paths)
    ]
    return ids[: -_MAX_LATER_CHANGES - 1 : -1]


class _Files:
    """The files as some planned changes would leave them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._found: dict[str, tuple[Place, Snapshot | None]] = {}
        """The files as they are, by their recorded paths."""
        self._planned: dict[str, Snapshot | None] = {}
        self._sources: dict[str, str] = {}
        """Where a planned file is now; a new file is nowhere."""
        self._files_in: dict[str, int] = {}
        """How many files are planned where there is none now, by the folders that they need."""

    def current(self, path: str) -> tuple[Place, Snapshot | None]:
        """The place that a recorded path names, and the file that is there then."""
        if self._files_in.get(path):
            raise NotAFile(path=path, kind="folder")
        for folder in _parents(path) if self._planned else ():
            if self._planned.get(folder) is not None:
                raise NotAFolder(path=path, folder=folder)
        if path not in self._found:
            self._found[path] = read_recorded(self._session, path)
            if self._found[path][1] is not None:
                self._sources[path] = path
        place, snapshot = self._found[path]
        return place, self._planned.get(path, snapshot)

    def apply(self, changes: Iterable[FileChange]) -> None:
        """Plan changes of the files as they would be."""
        for change in changes:
            name = change.place.name
            match change:
                case Create(place, after, mode):
                    new_mode = _BY_UMASK if mode is None else mode
                    self._put(name, Snapshot(place, Text.decode(after.bytes()), after, (), new_mode))
                case Update(_, before, after, mode=mode):
                    text = before.text if change.same_content else Text.decode(after.bytes())
                    new_mode = before.mode if mode is None else mode
                    self._planned[name] = before.evolve(text=text, content=after, mode=new_mode)
                case Delete():
                    self._put(name, None)
                case Rename(_, before, to, after):
                    text = before.text if after is None else Text.decode(after.bytes())
                    source = self._sources.get(name)
                    self._put(to.name, before.evolve(place=to, text=text, content=after or before.content))
                    self._put(name, None)
                    if source is not None:
                        self._sources[to.name] = source

    def _put(self, name: str, snapshot: Snapshot | None) -> None:
        _, before = self.current(name)  # its place is known then
        self._planned[name] = snapshot
        self._sources.pop(name, None)
        difference = (snapshot is not None) - (before is not None)
        for folder in _parents(name) if difference and self._found[name][1] is None else ():
            self._files_in[folder] = self._files_in.get(folder, 0) + difference

    def changes(self) -> Iterator[FileChange]:
        """The changes that lead from the files as they are to the files as planned."""
        moved = {source: name for name, source in self._sources.items() if self._moves(source, name)}
        for name, planned in self._planned.items():
            place, found = self._found[name]
            source = self._sources.get(name)
            if planned is None:
                if found is not None and name not in moved:
                    yield self._session.hold(Delete(place, found))
            elif source is not None and moved.get(source) == name:
                home, before = self._found[source]
                assert before is not None  # noqa: S101  it is a source
                content = None if planned.content.digest == before.content.digest else planned.content
                yield self._session.hold(Rename(home, before, place, content, found))
            elif found is None:
                mode = None if planned.mode == _BY_UMASK else planned.mode
                yield self._session.hold(Create(place, planned.content, mode))
            else:
                mode = None if planned.mode in {found.mode, _BY_UMASK} else planned.mode
                update = Update(place, found, planned.content, mode=mode)
                if not update.is_no_op:
                    yield self._session.hold(update)

    def _moves(self, source: str, name: str) -> bool:
        """Whether a file just moves, so that it keeps what a new file would not have."""
        planned, found = self._planned.get(name), self._found[source][1]
        gone = source in self._planned and self._planned[source] is None
        return name != source and gone and planned is not None and found is not None and planned.mode == found.mode


class _Inverter:
    """Inverts the file changes of the change with this number."""

    def __init__(self, session: Session, database: Database, number: int, files: _Files) -> None:
        self._session = session
        self._database = database
        self._number = number
        self._files = files
        self.merged = False

    def invert(self, file: FileRecord) -> Iterable[FileChange]:
        """The changes that undo what happened to one file; none if that is undone already."""
        if file.after is None:
            assert file.before is not None  # noqa: S101  it was deleted
            return self._undelete(file.path, file.before)
        recorded = file.to or file.path
        path, exists = self._find_current(recorded, file.after)
        if file.to is not None and path not in {recorded, file.path}:
            raise _Clash(UndoClash(path=path, line=1, base=recorded, ours=path, theirs=file.path, about="name"))
        place, current = self._files.current(path)
        if file.before is None:
            return self._uncreate(file, place, current if exists else None)
        if current is not None and not exists:  # it was deleted, and what is there is another file
            sides = (
                self._database.content(file.after.digest),
                current.content.bytes(),
                self._database.content(file.before.digest),
            )
            raise _Clash(_file_conflict(place.name, *sides).evolve(about="file"))
        if path != file.path and file.to is not None:
            return self._move_back(file, place, current)
        changes = self._put_back(file.after, file.before, place, current)
        return [*changes, *self._bring_back_replaced(file)]

    def _bring_back_replaced(self, file: FileRecord) -> Iterable[FileChange]:
        """The changes that restore what a rename replaced, where the renamed file is gone from."""
        if file.replaced is None or file.to is None:
            return []
        return self._undelete(file.to, file.replaced)

    def _find_current(self, left: str, after: Version) -> tuple[str, bool]:
        """The file's current path, and whether it exists.

        If a later change is damaged, that is known only if the file is still as this change left it.
        """
        damaged = self._database.damaged_since(self._number)
        if damaged is None:
            return self._database.current_path(left, self._number)
        current = self._files.current(left)[1]
        if current is None or current.content.digest != after.digest:
            raise HistoryDamaged(what="change", name=damaged.id, path=left)
        return left, True

    def _uncreate(self, file: FileRecord, place: Place, current: Snapshot | None) -> Iterable[FileChange]:
        assert file.after is not None  # noqa: S101  it was created
        if current is None:
            return []
        if current.content.digest != file.after.digest:
            raise _Clash(
                _file_conflict(place.name, self._database.content(file.after.digest), current.content.bytes(), None)
            )
        return [Delete(place, current)]

    def _undelete(self, path: str, version: Version) -> Iterable[FileChange]:
        place, current = self._files.current(path)
        old = self._database.require_content(path, version)
        if current is None:
            return [Create(place, Content((old,)), version.mode)]
        if current.content.digest != version.digest:
            raise _Clash(_file_conflict(place.name, None, current.content.bytes(), old))
        return []

    def _put_back(
        self, after: Version, before: Version, place: Place, current: Snapshot | None
    ) -> Iterable[FileChange]:
        content = self._merge_out(after, before, place, current)
        assert current is not None  # noqa: S101  or it would have clashed
        mode = before.mode if before.mode != after.mode and current.mode == after.mode else None
        if content is None and mode is None:
            return []
        return [Update(place, current, content or current.content, mode=mode)]

    def _move_back(self, file: FileRecord, place: Place, current: Snapshot | None) -> Iterable[FileChange]:
        assert file.before is not None  # noqa: S101  a renamed file was there before and is after
        assert file.after is not None  # noqa: S101  as above
        home, at_home = self._files.current(file.path)
        if current is None and at_home is not None and at_home.content.digest == file.before.digest:
            return self._bring_back_replaced(file)  # somebody moved it back
        content = self._merge_out(file.after, file.before, place, current)
        if at_home is not None:
            raise _Clash(
                _file_conflict(
                    home.name, None, at_home.content.bytes(), self._database.require_content(file.path, file.before)
                )
            )
        assert current is not None  # noqa: S101  or it would have clashed
        if file.replaced is None:
            return [Rename(place, current, home, content)]
        back = Create(home, content or current.content, current.mode)
        replaced = Content((self._database.require_content(place.name, file.replaced),))
        return [back, Update(place, current, replaced, mode=file.replaced.mode)]

    def _merge_out(self, after: Version, before: Version, place: Place, current: Snapshot | None) -> Content | None:
        """The content of `current` without the change from `before` to `after`; None if that is the same."""
        if current is not None and before.digest in {current.content.digest, after.digest}:
            return None
        old = self._database.require_content(place.name, before)
        if current is not None and current.content.digest == after.digest:
            return Content((old,))
        base = self._database.require_content(place.name, after)
        if current is None:
            raise _Clash(_file_conflict(place.name, base, None, old))
        self.merged = True
        return _merge(place.name, base, current, old, self._session.settings.binary_window)


def _parents(path: str) -> Iterator[str]:
    """The folders that a path is in."""
    while path := path.rpartition("/")[0]:
        yield path


def _merge(name: str, base: bytes, current: Snapshot, theirs: bytes, window: int) -> Content | None:
    """Merge the texts, or the bytes if a byte order mark was added or removed; refuse anything that is not text."""
    ours = current.content.bytes()
    texts = [Text.decode(raw) for raw in (base, ours, theirs)]
    alike = len({(text.encoding, text.bom) for text in texts}) == 1
    in_bytes = not alike and all(text.body_is_raw for text in texts)
    if any(text.is_binary(window) for text in texts) or not (in_bytes or alike):
        raise _Clash(_file_conflict(name, base, ours, theirs))
    base_text, our_text, their_text = (text.raw if in_bytes else text.body for text in texts)
    merged = merge(base_text, our_text, their_text, touching=True)
    if merged.conflicts:
        parts = ((part.ours_line, part.base, part.ours, part.theirs) for part in merged.conflicts)
        raise _Clash(*(_conflict(name, *part) for part in parts))
    if not merged.edits:
        return None
    cuts = [(edit.span.start, edit.span.end, edit.new) for edit in merged.edits]
    text = Text(ours, bom=b"", encoding=None, body=ours) if in_bytes else texts[1]
    return Content(text.splice(cuts))


def read_recorded(session: Session, path: str) -> tuple[Place, Snapshot | None]:
    """A recorded path, and the file that is there now."""
    target = session.locate(path)
    if target.by_link or (target.root == 0 and target.path != path):  # recorded paths contain no links
        raise NotAFile(path=path, kind="symbolic link")
    return target.place, None if target.stat is None else session.snapshot(target)


def _file_conflict(path: str, base: bytes | None, ours: bytes | None, theirs: bytes | None) -> UndoClash:
    """A conflict about a whole file; a side that is None has no file."""
    return _conflict(path, 1, base, ours, theirs)


def _conflict(path: str, line: int, *sides: bytes | None) -> UndoClash:
    """A conflict as data; long sides are truncated, and `truncated` says so."""
    base, ours, theirs = (None if side is None else side[:_MAX_SIDE_BYTES].decode("utf-8", "replace") for side in sides)
    clash = UndoClash(path=path, line=line, base=base, ours=ours, theirs=theirs)
    return clash.evolve(truncated=True) if any(side and len(side) > _MAX_SIDE_BYTES for side in sides) else clash
