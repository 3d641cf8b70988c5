"""The only writer: one plan, all of it or nothing.

    lock → folder → intent → stage → verify → publish → done → history → finish → unlock

The lock (`hold_lock`) allows one writer at a time among all suture processes. It is an advisory lock on the root folder
itself: it leaves no file behind, needs no write permission, and the kernel releases it when its holder dies. It can
only be polled, so the threads of one process queue for it; otherwise most of them would sleep while it is free.

`commit` does the rest. The intent names every temporary file before any exists, so that recovery can find them all.
Staging writes the new content, and keeps the old content under a second name; readers see no change yet. The temporary
files are in the staging folder of the root (`files.staging`), or beside a path where that would not be the same: on
another device, or where the path's folder gives a new file another group or ACL. Verification compares each path byte
by byte with what the plan was made from; it comes after staging, which is slow, so that little can change before
publishing. Publishing is one rename, link or unlink per path.

Until `done` every failure rolls back; from `done` on, the change has landed and cannot fail. The old content stays
until the history has it: if this process dies first, the next one records the change. Only then is it deleted, which
can be left to the next process too.

With durability `full`, or if a file is written in place, each stage is synced to the disk before the next one, which
relies on it, begins. The names of the intent and of what is staged in the same folder are synced together.
"""

from __future__ import annotations

import errno
import os
import time
from _thread import allocate_lock
from contextlib import contextmanager, suppress
from itertools import count

from suture import log
from suture.errors import (
    FileChanged,
    PermissionDenied,
    RecoveryBlocked,
    SameFileTwice,
    SutureError,
    WorkspaceBusy,
    WriteFailed,
)
from suture.files import recovery
from suture.files.fs import split, to_suture_error
from suture.files.journal import Intent, Journal, Step, new_id, staged_stem
from suture.files.paths import INTENT_NAME, PLAIN_INTENT_NAME, display_path
from suture.files.protected import OWN_FOLDER
from suture.files.staging import StagingFolders, is_staged, move_beside
from suture.plan import Change, ChangeRecord, Create, Delete, Landed, Rename, Update, file_record
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from suture.files.fs import FS, Stat, Tree
    from suture.files.history import History
    from suture.files.store import Supply
    from suture.plan import Content, FileChange, FileRecord, Place, Plan, Snapshot, Trouble
    from suture.settings import Settings

    Nearest = dict[tuple[int, str], tuple[str, Stat | None]]  # of each folder: itself or the nearest above, its status

_FIRST_WAIT = 0.0005  # seconds between two attempts to get the lock; doubles up to the longest wait
_MAX_WAIT_SECONDS = 0.02  # seconds: short, so that a waiting call starts soon after the lock is free
_MAX_OPEN_WORKS = 32  # files that are open at the same time for syncing: a process may have few handles
_FEW_FILES = 16  # below this, files are synced one by one: starting threads takes longer
_SYNC_THREADS = 16  # files that are synced at the same time, which a disk handles in one go


class Work(Record):
    """A step, with the content before and after it."""

    step: Step
    name: str
    before: Snapshot | None
    after: Content | None
    like: recovery.Source | None
    """The file whose metadata the new one gets; without `after`, the file that becomes the new one."""
    mode: int | None = None

    @property
    def updates(self) -> bool:
        """Whether the file at the path only gets new content."""
        return self.before is not None and self.like is not None and self.like.path == self.step.path


@contextmanager
def hold_lock(
    trees: Sequence[Tree],
    timeout_ms: int,
    turns: dict[int, LockType],
    waiting: Callable[[], None] | None = None,
) -> Iterator[None]:
    """Hold the locks of all given roots, taken in a fixed order to avoid deadlocks; threads sharing `turns` queue.

    `turns` has a lock per process id: after a fork, the parent's lock may seem held by a thread that does not exist
    here. `waiting` is called repeatedly while others hold a lock; an exception from it ends the wait.
    """
    deadline = time.monotonic() + timeout_ms / 1000

    def check_patience() -> None:
        if time.monotonic() >= deadline:
            raise WorkspaceBusy(waited_ms=timeout_ms)
        if waiting is not None:
            waiting()

    turn = turns.setdefault(os.getpid(), allocate_lock())
    is_my_turn = turn.acquire(blocking=False)
    while not is_my_turn:
        check_patience()
        is_my_turn = turn.acquire(timeout=_MAX_WAIT_SECONDS)
    held: list[tuple[FS, int]] = []
    try:
        for tree in trees if len(trees) == 1 else _in_lock_order(trees):
            _take_lock(tree, held, check_patience)
        yield
    finally:
        try:
            while held:
                fs, handle = held.pop()
                try:
                    fs.unlock(handle)
                except OSError as error:
                    log.debug("lock", "unlocking: %s", error)
        finally:
            turn.release()


def commit(trees: Sequence[Tree], plan: Plan, history: History, settings: Settings) -> Change:
    """Land a plan. The caller holds the workspace lock and has recovered any interrupted transaction."""
    in_place: set[tuple[int, str]] = set()
    beside: set[tuple[int, str]] = set()
    while True:
        try:
            return _attempt(trees, plan, history, in_place, beside, settings)
        except recovery.MustStageBeside as reason:
            beside.add((reason.step.root, reason.step.path))
        except recovery.MustWriteInPlace as reason:
            path = reason.step.root, reason.step.path
            if is_staged(reason.step.temp) and _inherits_elsewhere(trees, reason.step):
                beside.add(path)  # there the new file may inherit the group that it could not be given
                continue
            if path in in_place:
                raise PermissionDenied(path=path[1], operation="keep the owner and attributes of") from None
            in_place.add(path)


def _in_lock_order(trees: Sequence[Tree]) -> Sequence[Tree]:
    """Each folder once, in the same order in all processes."""
    folders = {stat.fingerprint[:2]: tree for tree in trees if (stat := tree.stat("")) is not None}
    return [folders[identity] for identity in sorted(folders)]


def _take_lock(tree: Tree, locks: list[tuple[FS, int]], check_patience: Callable[[], None]) -> None:
    wait = _FIRST_WAIT
    while True:
        try:
            handle = tree.fs.lock(tree.folder(""))
        except OSError as error:
            raise to_suture_error(error, tree.root, "lock") from error
        if handle is not None:
            locks.append((tree.fs, handle))
            return
        check_patience()
        time.sleep(wait)
        wait = min(wait * 2, _MAX_WAIT_SECONDS)


def _attempt(
    trees: Sequence[Tree],
    plan: Plan,
    history: History,
    in_place: set[tuple[int, str]],
    beside: set[tuple[int, str]],
    settings: Settings,
) -> Change:
    name = new_id()
    stem = staged_stem(name, trees[0])
    stems = (f"{stem}{number}" for number in count())
    works = [work for change in plan.changes for work in _plan_works(trees, change, stems)]
    stats = _check_works(trees, works)
    nearest: Nearest = {}
    staging = StagingFolders(trees)
    try:
        with _writing("the workspace"):
            works = _choose_in_place(trees, works, stats, in_place, nearest)
            folders = _missing_folders(trees, works)
        with _writing(f"{trees[0].root}/{OWN_FOLDER}"):
            journal = Journal(trees, settings, name=INTENT_NAME if staging.make(0) else PLAIN_INTENT_NAME)
            works = [_choose_folder(trees, work, staging, beside, nearest) for work in works]
        record = ChangeRecord(
            name,
            plan.tool,
            plan.summary,
            tuple(map(file_record, plan.changes)),
            tuple(display_path(trees, root, path) for root, path in folders),
            plan.undoes,
            clipboards=tuple(clipboard.evolve(made=name, by_change=True) for clipboard in plan.clipboards),
            also_undoes=plan.also_undoes,
            session=plan.session,
            head=plan.head,
        )
        emptied = [place for name in plan.emptied if (place := _place_of(trees, name)) is not None]
        intent = Intent(record, folders, tuple(work.step for work in works), tuple(emptied))
    except BaseException:
        staging.remove()
        raise
    # An overwritten file can only be restored from a copy that is on the disk.
    durable = settings.durability == "full" or intent.in_place
    trouble = _run(trees, intent, works, history, journal, staging, durable=durable)
    return Change(name, tuple(map(_landed_file, record.files)), trouble)


def _run(
    trees: Sequence[Tree],
    intent: Intent,
    works: Sequence[Work],
    history: History,
    journal: Journal,
    staging: StagingFolders,
    *,
    durable: bool,
) -> Trouble | None:
    marked = False
    try:
        with _writing(f"{trees[0].root}/{journal.name}"):
            journal.write(intent, durable=durable)
            together = is_staged(journal.name) and not intent.folders and intent.staged_in == {(0, OWN_FOLDER)}
            if durable and not together:  # nothing elsewhere may reach the disk before the intent's name
                journal.sync_name()
        _stage(trees, intent, works, durable=durable)
        if durable:
            with _writing("the folders"):
                recovery.sync_folders(trees, dict.fromkeys((*intent.staged_in, *intent.above_new)))
                if together:
                    trees[0].sync_folder("")
        verified = []
        for work in works:
            with _writing(work.name):
                tree, before = trees[work.step.root], work.before
                verified.append(recovery.verify(tree, work.step, before.content if before else None))
        for work, stat in zip(works, verified, strict=True):
            with _writing(work.name):
                recovery.publish(trees[work.step.root], work.step, work.after, stat, durable=durable)
        with _writing("the intent"):
            if durable:
                recovery.sync_folders(trees, intent.published_in)
            marked = True
            journal.mark(done=True, durable=durable)
    except BaseException:
        _roll_back_now(trees, intent, journal, staging, marked=marked, durable=durable)
        raise
    trouble = history.record(recovery.record_of(trees, intent), _content_supply(works))
    try:
        recovery.finish_transaction(trees, intent, journal, durable=durable, published=True)
        staging.remove()
    except (OSError, SutureError, MemoryError) as error:
        log.warning("commit", "%s landed; its temporary files are left to the next call: %s", intent.id, error)
    return trouble


def _content_supply(works: Sequence[Work]) -> Supply:
    """A function that returns the contents before and after a transaction, by hash."""
    contents = [work.before.content for work in works if work.before] + [work.after for work in works if work.after]
    by_hash = {content.digest: content for content in contents}
    joined: dict[str, bytes] = {}

    def supply(name: str) -> bytes | None:
        if name not in joined and name in by_hash:
            joined[name] = by_hash[name].bytes()
        return joined.get(name)

    return supply


def _stage(trees: Sequence[Tree], intent: Intent, works: Sequence[Work], *, durable: bool) -> None:
    for root, path in intent.folders:
        with _writing(path):
            trees[root].mkdir(path)
    for work in works:
        with _writing(work.name):
            recovery.stage(trees[work.step.root], work.step, work.after, work.like, work.mode)
    if durable:
        for start in range(0, len(works), _MAX_OPEN_WORKS):
            _sync_files(trees, works[start : start + _MAX_OPEN_WORKS])


def _sync_files(trees: Sequence[Tree], works: Sequence[Work]) -> None:
    """Sync the staged files, many at once: a disk handles that in one go."""
    opened: list[tuple[str, FS, int]] = []
    try:
        for work in works:
            step, tree = work.step, trees[work.step.root]
            with _writing(work.name):
                copied = _is_copied(tree, step)
            for path in (step.temp, step.backup if copied else None):
                if path is not None:
                    with _writing(work.name):
                        opened.append((work.name, tree.fs, tree.open_file(path)))
        if len(opened) < _FEW_FILES:
            for name, fs, handle in opened:
                with _writing(name):
                    fs.sync(handle)
        else:
            _sync_in_threads(opened)
    finally:
        for _, fs, handle in opened:
            with suppress(OSError):  # nothing was written through it
                fs.close(handle)


def _is_copied(tree: Tree, step: Step) -> bool:
    """Whether the backup is a copy: of a file written in place, or where there are no hard links."""
    old = tree.stat(step.backup) if step.backup is not None else None
    return old is not None and not old.same_file(tree.stat(step.path))


def _sync_in_threads(opened: Sequence[tuple[str, FS, int]]) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_SYNC_THREADS) as pool:
        waiting = [(name, pool.submit(fs.sync, handle)) for name, fs, handle in opened]
        for name, future in waiting:
            with _writing(name):
                future.result()


def _roll_back_now(
    trees: Sequence[Tree], intent: Intent, journal: Journal, staging: StagingFolders, *, marked: bool, durable: bool
) -> None:
    """Roll back now. If that fails too, the intent stays for the next process, and the error says so."""
    try:
        for tree in trees:
            tree.close()  # too many open folders may be the cause
        if journal.exists():
            if marked:
                journal.mark(done=False, durable=durable)
            recovery.roll_back(trees, intent, journal, durable=durable)
        staging.remove()
    except (OSError, SutureError, MemoryError) as error:
        log.warning("commit", "%s could not be rolled back now; the next call will roll it back: %s", intent.id, error)
        reason = str(getattr(error, "reason", "")) or str(getattr(error, "strerror", "")) or str(error)
        raise RecoveryBlocked(intent=journal.name, reason=reason, state="open", change_id=intent.id) from error


class _writing:  # noqa: N801  used like a function; a generator-based one would take three times as long
    """Convert an error of the operating system to one that names the file."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None:
            return
        if isinstance(error, FileChanged):
            raise FileChanged(path=self._name, expected=error.expected, found=error.found) from None
        if isinstance(error, PermissionError):
            raise PermissionDenied(path=self._name, operation="write") from error
        if isinstance(error, OSError):
            number = error.errno or errno.EIO
            raise WriteFailed(path=self._name, reason=os.strerror(number), errno=number) from error


def _plan_works(trees: Sequence[Tree], change: FileChange, stems: Iterator[str]) -> Iterable[Work]:
    """The steps of a file change, each for one path; `stems` are prefixes for temporary files."""
    match change:
        case Create(place, after, mode):
            yield _make_work(trees, next(stems), place, None, after, mode=mode)
        case Update(place, before, after, mode=mode):
            yield _make_work(trees, next(stems), place, before, after, like=place, mode=mode)
        case Delete(place, before):
            yield _make_work(trees, next(stems), place, before, None)
        case Rename(place, before, to, after, replaced):
            yield _make_work(trees, next(stems), to, replaced, after, like=place, digest=before.content.digest)
            yield _make_work(trees, next(stems), place, before, None)


def _make_work(
    trees: Sequence[Tree],
    stem: str,
    place: Place,
    before: Snapshot | None,
    after: Content | None,
    *,
    like: Place | None = None,
    mode: int | None = None,
    digest: str | None = None,
) -> Work:
    step = Step(
        place.root,
        place.path,
        before.content.digest if before else None,
        after.digest if after else digest,
        f"{stem}.new" if after or like else None,
        f"{stem}.old" if before else None,
    )
    return Work(step, place.name, before, after, recovery.Source(trees[like.root], like.path) if like else None, mode)


def _choose_in_place(
    trees: Sequence[Tree],
    works: Sequence[Work],
    stats: Sequence[Stat | None],
    in_place: set[tuple[int, str]],
    nearest: Nearest,
) -> list[Work]:
    """Mark the works to be written in place, because a rename would lose something; `stats` are of their paths."""
    decided = []
    for work, stat in zip(works, stats, strict=True):
        step = work.step
        lossy = work.updates and (
            (step.root, step.path) in in_place or _rename_would_lose(stat, _nearest_folder(trees, step, nearest)[1])
        )
        decided.append(work.evolve(step=step.evolve(in_place=True)) if lossy else work)
    return decided


def _choose_folder(
    trees: Sequence[Tree],
    work: Work,
    staging: StagingFolders,
    beside: set[tuple[int, str]],
    nearest: Nearest,
) -> Work:
    """Stage beside the path what would not be the same in the staging folder."""
    step = work.step
    if (step.root, step.path) not in beside and staging.make(step.root):
        folder, stat = _nearest_folder(trees, step, nearest)
        is_new = work.like is None and work.after is not None
        if stat is not None and staging.is_like(step.root, folder, stat.device, is_new=is_new):
            return work
    temp, backup = (move_beside(step.path, staged) for staged in (step.temp, step.backup))
    return work.evolve(step=step.evolve(temp=temp, backup=backup))


def _inherits_elsewhere(trees: Sequence[Tree], step: Step) -> bool:
    """Whether a new file beside the path may get another owner than in the staging folder, which is like the root."""
    tree = trees[step.root]
    with _writing(step.path):
        return tree.fs.inherited(tree.folder(split(step.path)[0])) != tree.fs.inherited(tree.folder(""))


def _nearest_folder(trees: Sequence[Tree], step: Step, nearest: Nearest) -> tuple[str, Stat | None]:
    """The folder of a path or, if it is to be created, the one above it that exists; and its status."""
    tree, folder = trees[step.root], split(step.path)[0]
    key = step.root, folder
    if key not in nearest:
        while (stat := tree.stat(folder)) is None and folder:
            folder = split(folder)[0]
        nearest[key] = folder, stat
    return nearest[key]


def _rename_would_lose(stat: Stat | None, folder: Stat | None) -> bool:
    """Whether the file has other names, or is a mount point."""
    if stat is None or stat.links > 1:
        return stat is not None
    return folder is not None and folder.device != stat.device


def _check_works(trees: Sequence[Tree], works: Sequence[Work]) -> list[Stat | None]:
    """Refuse early what would fail later; otherwise return the status of each path."""
    stats: list[Stat | None] = []
    seen: dict[object, str] = {}
    for work in works:
        step, tree = work.step, trees[work.step.root]
        with _writing(work.name):
            stat = tree.stat(step.path)
            if stat is None or work.before is None or stat.fingerprint != work.before.fingerprint:
                recovery.verify(tree, step, work.before.content if work.before else None)
            if stat is not None and not _may_write(tree, work):
                raise PermissionDenied(path=work.name, operation="write")
            key = _identity(tree, step.path, stat)
        if key in seen:
            raise SameFileTwice(path=work.name, other=seen[key])
        seen[key] = work.name
        stats.append(stat)
    return stats


def _may_write(tree: Tree, work: Work) -> bool:
    """Whether this user may write the file, or remove its name if that is planned."""
    folder, name = split(work.step.path)
    if work.updates:
        return tree.fs.writable(tree.folder(folder), name)
    return tree.fs.removable(tree.folder(folder), name)


def _identity(tree: Tree, path: str, stat: Stat | None) -> tuple[object, ...]:
    """A key that is equal for all names of one file, existing or not."""
    rest = ""
    while stat is None:  # the root exists
        path, name = split(path)
        rest = f"/{name}{rest}"
        stat = tree.stat(path)
    return *stat.fingerprint[:2], rest


def _missing_folders(trees: Sequence[Tree], works: Sequence[Work]) -> tuple[tuple[int, str], ...]:
    """The folders that new files need, outermost first."""
    missing: dict[tuple[int, str], None] = {}
    for work in works:
        if work.before is not None:
            continue  # its folder exists, unless somebody else moved it
        chain = []
        folder = split(work.step.path)[0]
        while folder and (work.step.root, folder) not in missing and trees[work.step.root].stat(folder) is None:
            chain.append((work.step.root, folder))
            folder = split(folder)[0]
        missing.update(dict.fromkeys(reversed(chain)))
    return tuple(missing)


def _place_of(trees: Sequence[Tree], name: str) -> tuple[int, str] | None:
    """The root and relative path of a folder that the history names; None if its root is no longer one."""
    if not name.startswith("/"):
        return 0, name
    tops = [f"{tree.root.rstrip('/')}/" for tree in trees]
    return next(
        ((root, name.removeprefix(top)) for root, top in enumerate(tops) if root and name.startswith(top)), None
    )


def _landed_file(file: FileRecord) -> Landed:
    before, after = (None if version is None else version.digest for version in (file.before, file.after))
    return Landed(file.path, file.action, before, after, file.to)
