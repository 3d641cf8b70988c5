"""Take checkpoints of the whole tree: find what other programs did since the last one, and record it.

    scan → lock → look again at what differs → record → unlock

What differs from the last known state becomes a change of its own in the history. So a checkpoint is only a named point
in the order of changes: its files follow from what changed later (docs/adr/0030). The tree is scanned without the lock,
so that edits need not wait. What differs is looked at again under the lock: a file that a transaction or another
program was just writing is recorded as it is then. If the known state was written meanwhile, the scan starts over.

A checkpoint that would take too long is refused. What the first one has read by then is kept for the next attempt.
"""

from __future__ import annotations

import os
from time import monotonic

from suture import log
from suture.bounds import suspend, within
from suture.errors import CheckpointExists, CheckpointTooLarge, GitBusy, HeadMoved, InternalError, SutureError
from suture.files.checkpoints import NAMED, CheckpointRecord
from suture.files.database import OUTSIDE, SHELL, SNAPSHOT, NamedPoint, action_of, outside_summary, same_version
from suture.files.fs import to_suture_error
from suture.files.git import head_of
from suture.files.journal import new_id
from suture.files.local_fs import LocalFS
from suture.files.scan import Limits, check_again, is_withheld, scan
from suture.files.store import NewContent, pack
from suture.files.worktree import operation
from suture.plan import ChangeRecord, FileRecord, Version
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Self

    from suture.engine.session import Session
    from suture.files.checkpoints import Seen
    from suture.files.database import Database, KnownTree
    from suture.files.scan import Scan
    from suture.plan import Head
    from suture.settings import Settings

_MAX_ATTEMPTS = 3  # after that, the tree is scanned under the lock
_SHARE_OF_CALL = 0.8  # of the time of a call that a checkpoint may take: the rest is for recording
_SHARE_OF_HISTORY = 0.5  # of its size that one checkpoint may add: otherwise older changes would be dropped for it
_ALWAYS = {NAMED, "start"}
"""The kinds of checkpoints that are taken even if nothing has changed since the last one."""
_MAX_RECORDING_SECONDS = 5  # after a scan, including the wait for other processes
_NAMED_FILES = 3  # in a summary
_MAX_SUMMARY_CHARS = 1_000  # of a command line
_COMMIT_CHARS = 7  # of a commit in a summary


class Wanted(Record):
    """Which checkpoint to take."""

    kind: str
    """Why: see `CheckpointRecord`."""
    name: str | None = None
    """Its name; None for an automatic one, which has none."""
    about: str = ""
    """The command or the agent it is about."""
    most_ms: int | None = None
    """How long it may take; None: as long as a call."""
    tool: str = OUTSIDE
    """What made the changes since the last checkpoint."""
    summary: str = ""
    """What that did; empty: that files changed."""
    is_wanted: bool = True
    """If not, only what other programs did is recorded."""


class Taken(Record):
    """A checkpoint that was taken."""

    point: NamedPoint | None
    """None if it was not wanted."""
    change: ChangeRecord | None
    """What happened since the last known state; None: nothing, or there was none."""
    files: int
    """The files in the tree."""
    unread: int
    """Those that are too large to be kept, or that could not be read."""
    withheld: tuple[str, ...]
    """Those that changed, but whose contents are not kept."""
    is_first: bool
    """Whether nothing was known about the tree before."""


class Recording:
    """What happens in a `with` block outside suture, as one change of the tool `shell`.

    There is a checkpoint before the block; what other programs did until then is recorded first.
    """

    def __init__(self, session: Callable[[], Session], settings: Settings, summary: str) -> None:
        self._session = session
        self._settings = settings
        self._summary = cut_summary(summary)
        self.has_begun = False
        """Whether there is a checkpoint, so that the block was entered."""
        self.change: ChangeRecord | None = None
        """What the block changed, afterwards; None: nothing."""
        self.withheld: tuple[str, ...] = ()
        """Files that it changed, but whose contents are not kept."""

    def __enter__(self) -> Self:
        self._take(Wanted("before", about=self._summary))
        self.has_begun = True
        return self

    def __exit__(self, *error: object) -> None:
        taken = self._take(Wanted("after", tool=SHELL, summary=self._summary, is_wanted=False))
        self.change, self.withheld = taken.change, taken.withheld

    def _take(self, wanted: Wanted) -> Taken:
        with within(self._settings), self._session() as session:
            return take_checkpoint(session, wanted)


class SessionStart:
    """The checkpoint at the start of an agent's session, taken in a thread of its own."""

    def __init__(self, session: Callable[[], Session], settings: Settings) -> None:
        from threading import Thread  # only servers need it

        self._session = session
        self._settings = settings
        self._problem: SutureError | None = None
        self._thread = Thread(target=self._take, name="checkpoint", daemon=True)
        self._thread.start()

    @property
    def is_running(self) -> bool:
        """Whether it is being taken."""
        return self._thread.is_alive()

    def wait(self) -> SutureError | None:
        """Wait until it is taken; returns why there is none."""
        self._thread.join(self._settings.checkpoint_ms / 1000 + _MAX_RECORDING_SECONDS)
        return self._problem

    def _take(self) -> None:
        try:
            with within(self._settings), self._session() as session:
                about = " ".join(filter(None, (session.caller.agent, session.caller.version)))
                take_checkpoint(session, Wanted("start", about=about, most_ms=self._settings.checkpoint_ms))
        except SutureError as error:
            self._problem = error
        except Exception as error:  # noqa: BLE001  the one broad handler of this thread
            log.exception("checkpoint", "failed")
            self._problem = InternalError(exception=f"{type(error).__name__}: {error}")


def cut_summary(command: str) -> str:
    """A command line as a summary: a whole program can be in it."""
    return command if len(command) <= _MAX_SUMMARY_CHARS else f"{command[: _MAX_SUMMARY_CHARS - 1]}…"


class _Stale(Exception):
    """The known state of the tree was written since it was read."""


def take_checkpoint(session: Session, wanted: Wanted) -> Taken:
    """Take a checkpoint. Everything that other programs did to the tree since the last one is recorded before it."""
    try:
        for _ in range(_MAX_ATTEMPTS):
            try:
                return _take(session, wanted)
            except _Stale:
                continue
        with session.locked():
            return _take(session, wanted)
    except OSError as error:
        raise to_suture_error(error, ".", "read") from error


def before_restore(session: Session, point: NamedPoint, *, dry_run: bool, any_head: bool, during_git: bool) -> None:
    """Check that files may be restored to a checkpoint, and record what other programs did since the last one."""
    if not during_git:
        check_idle(session, [""])
    then, now = point.record.head, _head(session)
    if then is not None and then != now and not any_head:
        raise HeadMoved(checkpoint=point.name, then=_place(then), now=_place(now))
    take_checkpoint(session, Wanted("restore", about=point.name, is_wanted=not dry_run))


def check_idle(session: Session, folders: Iterable[str]) -> None:
    """Refuse if a repository with one of these folders is in the middle of an operation."""
    tree = session.trees[0]
    if not isinstance(tree.fs, LocalFS):
        return
    root = tree.fs.real_path(tree.root)
    for folder in sorted(set(folders)):
        path = os.path.join(root, folder)
        while not os.path.isdir(path):
            path = os.path.dirname(path)
        busy = operation(path, [root])
        if busy is not None:
            raise GitBusy(operation=busy)


def _take(session: Session, wanted: Wanted) -> Taken:
    settings, tree, history = session.settings, session.trees[0], session.history
    with history.reading() as database:
        _check_name(database, wanted.name)
        known, paths, points = database.tree(), database.paths(), database.snapshots()
    head = _head(session)
    limits = Limits(
        settings.checkpoint_max_files,
        monotonic() + (settings.call_ms * _SHARE_OF_CALL if wanted.most_ms is None else wanted.most_ms) / 1000,
        settings.checkpoint_max_file_bytes,
        int(settings.history_max_bytes * _SHARE_OF_HISTORY) - known.cached_bytes,
    )
    keep = bytes if known.is_complete else _packed
    found = scan(tree, session.guard, known.files, paths, limits, keep)
    if found.stopped:
        if not known.is_complete and found.stopped == "time":
            _keep_cache(session, known, found)
        raise _too_large(session, wanted, found)
    is_same = known.is_complete and found.files == known.stored and head == known.head
    point = _reusable(points, wanted, known.number, head)
    if is_same and (point is not None or not wanted.is_wanted):
        return Taken(point, None, len(found.files), _unread(found), (), is_first=False)
    with session.locked(), suspend():
        found = check_again(tree, session.guard, found, known.files, limits, keep)
        return history.keep(lambda database: _record(session, database, wanted, known, found, head))


def _record(
    session: Session,
    database: Database,
    wanted: Wanted,
    known: KnownTree,
    found: Scan,
    head: Head | None,
) -> Taken:
    """Record a checkpoint in the open transaction."""
    _check_name(database, wanted.name)
    if database.tree_version() != known.version:
        raise _Stale
    files, newer = dict(found.files), set[str]()
    for later in database.changes_since(known.number):  # they landed during the scan
        database.follow(files, later)
        newer.update(path for file in later.files for path, _, _ in file.versions())
    change, withheld = None, list[str]()
    if known.is_complete:
        for path in found.unreadable:
            files.pop(path, None)
        differences = list(_differences(known.files, files, newer | found.left_out))
        hidden = database.were_ignored(file.path for file in differences if file.before is None)
        differences = [file for file in differences if file.path not in hidden]  # they may have been there before
        withheld = [file.path for file in differences if is_withheld(session.guard, file.path)]
        withheld += _grown(session, database, known.files, files, newer)
        kept = tuple(file for file in differences if not is_withheld(session.guard, file.path))
        if kept:
            summary = wanted.summary or _summary(len(kept), withheld, known.head, head)
            caller = None if wanted.tool == OUTSIDE else session.caller
            # Without folders: those that are empty are not known, so one of a new file may have been there before.
            change = ChangeRecord(new_id(), wanted.tool, summary, kept, session=caller, head=head)
            contents = found.kept
            database.add_outside(change, lambda name: contents[name] if name in contents else database.content(name))
    if not known.is_complete or change is not None or files != known.stored or head != known.head:
        new = {name: _packed(content) for name, content in found.kept.items() if database.size(name) is None}
        database.keep_tree(known, files, new, head, is_complete=True)
    point = _add_point(session, database, wanted, head) if wanted.is_wanted else None
    return Taken(point, change, len(files), _unread(found), tuple(withheld), is_first=not known.is_complete)


def _reusable(points: Sequence[NamedPoint], wanted: Wanted, number: int, head: Head | None) -> NamedPoint | None:
    """The last checkpoint, if nothing has happened since, and nobody asked for another one."""
    if not wanted.is_wanted or wanted.kind in _ALWAYS or not points:
        return None
    last = points[-1]
    is_one = last.record.kind != SNAPSHOT and not last.is_damaged
    return last if is_one and last.after_change == number and last.record.head == head else None


def _add_point(session: Session, database: Database, wanted: Wanted, head: Head | None) -> NamedPoint:
    """Add a checkpoint, unless the last one will do."""
    last = _reusable(database.snapshots(), wanted, database.last_number(), head)
    if last is not None:
        return last
    key = new_id()
    record = CheckpointRecord(wanted.kind, wanted.about, session.caller, head)
    point = NamedPoint(key, wanted.name or key, database.last_number(), record=record)
    database.add_checkpoint(point)
    return point


def _differences(known: Mapping[str, Seen], files: Mapping[str, Seen], newer: set[str]) -> Iterable[FileRecord]:
    """What happened to the files that differ; those of which a content is not known are left out."""
    for path in sorted(known.keys() | files.keys()):
        last, seen = known.get(path), files.get(path)
        if last == seen or path in newer:
            continue
        if (last is not None and last[1] is None) or (seen is not None and seen[1] is None):
            continue
        before, after = _version(last), _version(seen)
        if not same_version(before, after):
            yield FileRecord(path, action_of(before, after), before, after)


def _grown(
    session: Session, database: Database, known: Mapping[str, Seen], files: Mapping[str, Seen], newer: set[str]
) -> Iterable[str]:
    """The files whose contents were known, but that are too large now."""
    for path, (_, name) in sorted(files.items()):
        last = known.get(path, ((), None))[1] if name is None and path not in newer else None
        if last is not None and (database.size(last) or 0) <= session.settings.checkpoint_max_file_bytes:
            yield path


def _version(seen: Seen | None) -> Version | None:
    if seen is None or seen[1] is None:
        return None
    mode = seen[0][-1]
    return Version(seen[1], mode if mode >= 0 else None)


def _keep_cache(session: Session, known: KnownTree, found: Scan) -> None:
    """Keep what an unfinished first scan has read."""
    files = {path: found.files[path] for path in {*found.reread, *known.files} if path in found.files}
    files = {
        path: seen for path, seen in files.items() if seen[1] is None or seen[1] in found.kept or path in known.files
    }

    def write(database: Database) -> None:
        if database.tree_version() == known.version:
            database.keep_tree(known, files, found.kept, None, is_complete=False)

    with session.locked(), suspend():
        session.history.keep(write)


def _too_large(session: Session, wanted: Wanted, found: Scan) -> CheckpointTooLarge:
    settings, files = session.settings, len(found.files)
    match found.stopped:
        case "files":
            return CheckpointTooLarge(files=files, limit=settings.checkpoint_max_files, setting="checkpoint_max_files")
        case "time":
            setting = "call_ms" if wanted.most_ms is None else "checkpoint_ms"
            limit = settings.call_ms if wanted.most_ms is None else wanted.most_ms
            return CheckpointTooLarge(files=files, limit=limit, setting=setting)
    return CheckpointTooLarge(files=files, limit=settings.history_max_bytes, setting="history_max_bytes")


def _check_name(database: Database, name: str | None) -> None:
    taken = (point.name for point in database.snapshots())
    if name is not None and (name in taken or database.ids_with_prefix(name.lower())):
        raise CheckpointExists(name=name)


def _summary(many: int, withheld: list[str], before: Head | None, after: Head | None) -> str:
    summary = outside_summary(many)
    if before != after and before is not None and after is not None:
        summary += f"; HEAD moved from {_place(before)} to {_place(after)}"
    if withheld:
        more = f" and {len(withheld) - _NAMED_FILES} more" if len(withheld) > _NAMED_FILES else ""
        summary += f"; also {', '.join(withheld[:_NAMED_FILES])}{more}, whose contents are not recorded"
    return summary


def _place(head: Head | None) -> str:
    """Where HEAD was, in words."""
    parts = () if head is None else (head.branch, (head.commit or "")[:_COMMIT_CHARS])
    return " ".join(filter(None, parts)) or "no commit"


def _unread(found: Scan) -> int:
    return sum(name is None for _, name in found.files.values())


def _packed(content: bytes | NewContent) -> NewContent:
    """A content as it is stored. Those of the first scan are packed where they are read."""
    return content if isinstance(content, NewContent) else NewContent(len(content), pack(content))


def _head(session: Session) -> Head | None:
    """What is checked out in the root's repository."""
    tree = session.trees[0]
    return head_of(tree.fs.real_path(tree.root)) if isinstance(tree.fs, LocalFS) else None
