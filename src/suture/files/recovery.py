"""Carry out, undo and finish the steps of a transaction; recover an interrupted one.

    stage    write the new content beside the path; give the old content a second name
    verify   check that the path still is what the plan was made from
    publish  one rename, link or unlink (or a write in place)
    finish   delete the temporary files
    undo     restore the path, from any point before `finish`, also after a crash

`undo` and `finish` can be repeated: they look only at the files, because after a crash nothing remembers
what was done. A recovery that is itself killed is started again by the next process. Both run only under
the workspace lock, so they never touch a running transaction of another process.

A file that somebody else wrote after a crash is left alone; the old content is put beside it. Anything other than a
regular file at the name of a temporary file is not ours: it is never read, moved, or taken for content.

An intent that this user did not sign (planted, another user's, from 0.1.0, or without a stored key) can do little: it
adds nothing to the history, and removes only folders in which it created something. A torn intent names nothing. A
power cut can leave it together with temporary files, which are recognized by name (`journal.stray_id`).
"""

from __future__ import annotations

import errno
import os
from contextlib import closing

from suture import log
from suture.errors import FileChanged, FileNotFound, NotAFile, RecoveryBlocked, SutureError
from suture.files.fs import Tree, split
from suture.files.journal import find_journals, stray_id
from suture.files.paths import INTENT_NAME, display_path
from suture.files.protected import OWN_FOLDER
from suture.files.staging import is_staged, remove
from suture.plan import Trouble, digest
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from suture.files.fs import Stat
    from suture.files.history import History
    from suture.files.journal import Intent, Journal, Leftover, Step
    from suture.files.protected import Guard
    from suture.plan import ChangeRecord, Content
    from suture.settings import Settings

_PRIVATE_MODE = 0o600  # of a file that is not in its place yet: its content may be for its owner only
_DEFAULT_MODE = 0o666  # of a new file; the umask applies
_SET_ID_BITS = 0o6000  # setuid and setgid
_SECTOR_SIZE = 512  # bytes that a disk writes as a whole or not at all
_MAX_STEM_BYTES = 230  # bytes; the rest of the 255 of a name is for the ending
_NO_LINKS = {errno.EPERM, errno.EXDEV, errno.EMLINK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EACCES}

_UNSIGNED_REASON = "its intent is not signed with your key"


class MustWriteInPlace(Exception):
    """A rename would lose a property of the file: the commit starts over and writes in place."""

    def __init__(self, step: Step) -> None:
        super().__init__(step.path)
        self.step = step


class MustStageBeside(Exception):
    """The staging folder and the file are on different mounts: the commit starts over and stages beside the file."""

    def __init__(self, step: Step) -> None:
        super().__init__(step.path)
        self.step = step


class Source(Record):
    """The file that a new file takes its metadata, or everything, from."""

    tree: Tree
    path: str


class Recovered(Record):
    """An interrupted transaction that was cleared up.

    `direction` is `back` (rolled back), `forward` (it was complete, and has landed), or `unknown`: a power cut lost the
    intent, and the transaction's temporary files were removed.
    """

    id: str
    direction: str
    files: tuple[str, ...]
    aside: tuple[str, ...]
    """Files to which content was moved: old content whose file somebody else has written since, or of which a power
    cut left no other copy; and what a power cut left of new content."""
    trouble: Trouble | None = None
    """Why a complete transaction, which was finished, could not be recorded."""


def stage(tree: Tree, step: Step, content: Content | None, like: Source | None, mode: int | None) -> None:
    """Create the temporary and the backup file. Without `content` the new file is `like` itself."""
    if step.temp is not None:
        if content is not None:
            like, mode = (None, _PRIVATE_MODE) if step.in_place else (like, mode)  # it will only be read
            _write_new(tree, step, step.temp, content.pieces, like, mode)
        elif like is not None:
            _link_or_copy(like, tree, step, step.temp)
    if step.backup is not None:
        here = Source(tree, step.path)
        if step.in_place:
            with closing(tree.chunks(step.path)) as old:
                _write_new(tree, step, step.backup, old, None, _PRIVATE_MODE)
        else:
            _link_or_copy(here, tree, step, step.backup, same_mount=is_staged(step.backup))


def verify(tree: Tree, step: Step, before: Content | None) -> Stat | None:
    """Raise FileChanged unless the path has the content that the plan was made from; its status, for `publish`."""
    stat = tree.stat(step.path)
    if stat is None or before is None:
        unchanged = stat is None and before is None
    else:
        unchanged = stat.kind == "file" and stat.size == before.size
        if unchanged:
            with closing(tree.chunks(step.path, stat.size)) as now:
                unchanged = _has_same_content(now, before.pieces)
    if not unchanged:
        raise FileChanged(path=step.path, expected=step.before, found=digest_of(tree, step.path))
    return stat


def publish(tree: Tree, step: Step, content: Content | None, verified: Stat | None, *, durable: bool) -> None:
    """Make the new content visible at the path, unless the path changed since it was verified."""
    if verified is not None:
        now = tree.stat(step.path)
        if now is None or now.fingerprint != verified.fingerprint:
            raise FileChanged(path=step.path, expected=step.before, found=digest_of(tree, step.path))
    if step.in_place and content is not None:
        _overwrite(tree, step.path, content.pieces, durable=durable)
    elif step.temp is None:
        tree.unlink(step.path)
    elif step.backup is not None:
        try:
            tree.rename(step.temp, step.path)
        except OSError as error:
            if error.errno == errno.EBUSY:  # the file is a mount point
                raise MustWriteInPlace(step) from error
            if error.errno == errno.EXDEV and is_staged(step.temp):
                raise MustStageBeside(step) from error
            raise
    else:
        _publish_new(tree, step, step.temp)


def finish(tree: Tree, step: Step, *, published: bool = False) -> None:
    """Delete the temporary files. If this process `published` by a rename, `temp` no longer exists."""
    _discard(tree, step.backup)
    if not (published and _publishes_by_rename(step)):
        _discard(tree, step.temp)


def undo(tree: Tree, step: Step, *, signed: bool = True) -> str | None:
    """Restore the path; returns the file to which content was moved, if any (see `Recovered.aside`).

    A step that is not `signed` by this user may be forged: then no file is deleted for its content alone.
    """
    aside = None
    if step.backup is None:
        _discard(tree, _probe(step))
        aside = _undo_create(tree, step, signed=signed)
    elif _stat_file(tree, step.backup) is not None:
        aside = _undo_in_place(tree, step, step.backup) if step.in_place else _undo_publish(tree, step, step.backup)
    elif (stat := tree.stat(step.backup)) is not None:
        if digest_of(tree, step.path) != step.before:
            raise NotAFile(path=step.backup, kind=stat.kind)
        _discard(tree, step.backup)
    _discard(tree, step.temp)
    return aside


def put_aside(tree: Tree, path: str, content: str) -> str:
    """Rename a file to an unused name beside a path, so that nothing is lost."""
    folder, name = split(path)
    short = os.fsdecode(os.fsencode(name)[:_MAX_STEM_BYTES])
    stem = f"{folder}/{short}" if folder else short
    number = 0
    while tree.stat(aside := f"{stem}.suture-orig{number or ''}") is not None:
        number += 1
    try:
        tree.rename(content, aside)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        _copy_aside(tree, content, aside)
    return aside


def digest_of(tree: Tree, path: str | None) -> str | None:
    """The hash of a file; None if there is no regular file."""
    stat = _stat_file(tree, path)
    return None if stat is None else digest(tree.chunks(str(path)), stat.size)


def recover(
    trees: Sequence[Tree],
    histories: Callable[[Tree], History],
    guard: Guard,
    settings: Settings,
    *,
    strays: bool = False,
) -> Recovered | None:
    """Clear up what an earlier process left behind in each root. The caller holds the locks of all roots.

    With `strays`, search all folders for temporary files that no intent names, even if nothing was interrupted.
    """
    results: list[Recovered] = []
    for home in trees:
        others = [tree for tree in trees if tree is not home]
        results += _recover([home, *others], histories, guard, settings, strays=strays)
    return results[0] if results else None


def roll_back(
    trees: Sequence[Tree], intent: Intent, journal: Journal, *, durable: bool, signed: bool = True
) -> tuple[str, ...]:
    """Undo all steps and delete the intent. If a step cannot be undone, the others still are, and the intent stays."""
    aside: list[str | None] = []
    blocked: list[str] = []
    new_folders = set(intent.folders)
    removable = intent.folders if signed else _proven_folders(trees, intent)
    for step in reversed(intent.steps):
        tree, folder = trees[step.root], split(step.path)[0]
        try:
            if folder and (step.root, folder) not in new_folders and tree.stat(folder) is None:
                blocked.append(f"{step.path} cannot be put back: the folder {folder} is gone")
            else:
                aside.append(undo(tree, step, signed=signed))
        except SutureError as error:
            blocked.append(f"{step.path} cannot be put back: {error.code}{_path_of_error(error)}")
        except OSError as error:
            blocked.append(f"{step.path} cannot be put back: {error.strerror}")
    if blocked:
        raise RecoveryBlocked(intent=journal.name, reason=blocked[0])
    for root, path in reversed(removable):
        _remove_folder(trees[root], path)
    if durable:
        sync_folders(trees, intent.published_in | intent.above_new)
        sync_folders(trees, intent.staged_in)  # last: what is staged proves which files are ours
        journal.empty()  # otherwise a power cut could bring it back when its folders no longer exist
    journal.remove()
    _remove_staging(trees, intent, journal)
    if durable:
        trees[0].sync_folder("")
    return tuple(path for path in aside if path is not None)


def find_strays(trees: Sequence[Tree], guard: Guard) -> Iterator[tuple[Tree, str, str]]:
    """All temporary files that transactions of the first root left behind, each with its change's id.

    Those of another root are skipped, because an intent there may name them. So are protected paths.
    """
    for tree in trees:
        folders = ["", OWN_FOLDER]  # which is protected, so the walk does not find it
        while folders:
            folder = folders.pop()
            try:
                handle, files, below = tree.fs.scan(tree.folder(folder), "")
            except (OSError, SutureError) as error:
                log.debug("recovery", "%s is not searched: %s", folder, error)
                continue
            tree.close_quietly(handle)
            prefix = f"{folder}/" if folder else ""
            folders += [path for name in below if guard.rule(path := prefix + name) is None]
            for name in sorted(files):
                if (change_id := stray_id(prefix + name, trees[0])) is not None:
                    yield tree, prefix + name, change_id


def finish_transaction(
    trees: Sequence[Tree], intent: Intent, journal: Journal, *, durable: bool, published: bool = False
) -> None:
    """Delete the temporary files and the intent of a complete transaction; `published`: by this process."""
    for step in intent.steps:
        try:
            finish(trees[step.root], step, published=published)
        except SutureError as error:  # somebody moved the folder; the change has landed
            log.warning("recovery", "%s is left behind: %s", step.path, error)
    if durable:  # otherwise a power cut could bring back files that no intent names
        sync_folders(trees, intent.staged_in, lenient=True)
    for root, path in sorted(intent.emptied, key=lambda folder: len(folder[1]), reverse=True):
        _remove_folder(trees[root], path)
        above = split(path)[0]
        if durable and (not above or trees[root].stat(above) is not None):
            trees[root].sync_folder(above)
    journal.remove()
    if not published:
        _remove_staging(trees, intent, journal)


def record_of(trees: Sequence[Tree], intent: Intent) -> ChangeRecord:
    """The record for the history, with the actual permission bits of new files."""
    modes = {
        display_path(trees, step.root, step.path): _mode(trees[step.root], step.path)
        for step in intent.steps
        if step.after
    }
    files = [
        file.evolve(after=file.after.evolve(mode=mode))
        if file.after and (mode := modes.get(file.to or file.path)) != file.after.mode
        else file
        for file in intent.record.files
    ]
    return intent.record.evolve(files=tuple(files))


def sync_folders(trees: Sequence[Tree], folders: Iterable[tuple[int, str]], *, lenient: bool = False) -> None:
    """Sync these folders of these roots; if `lenient`, skip those that somebody replaced by a link."""
    for root, path in sorted(folders, key=lambda folder: (-len(folder[1]), folder)):
        try:
            if path == "" or trees[root].stat(path) is not None:
                trees[root].sync_folder(path)
        except SutureError as error:  # somebody put a link there
            if not lenient:
                raise
            log.warning("recovery", "%s is not synced: %s", path, error)


def _publishes_by_rename(step: Step) -> bool:
    """Whether publishing renames the temporary file. A rename between two names of one file does nothing."""
    return step.backup is not None and not step.in_place and step.before != step.after


def _undo_create(tree: Tree, step: Step, *, signed: bool) -> str | None:
    """Delete a published new file if it is ours: the same file as the temporary one, which is kept until the end."""
    published, staged = tree.stat(step.path), _stat_file(tree, step.temp)
    if published is None:
        return None
    if staged is not None:
        if published.same_file(staged):
            tree.unlink(step.path)
    # Without hard links, publishing renamed the temporary file.
    elif digest_of(tree, step.path) == step.after and (tree.stat(str(step.temp)) or not _can_link(tree, step)):
        if not signed:
            return put_aside(tree, step.path, step.path)
        tree.unlink(step.path)
    return None


def _undo_publish(tree: Tree, step: Step, backup: str) -> str | None:
    old, now, staged = tree.stat(backup), tree.stat(step.path), _stat_file(tree, step.temp)
    if staged is not None and (now is None or not now.same_file(staged)):  # not published: that file is not ours
        tree.unlink(backup)
        return None
    actual = None if now is None or now.same_file(old) else digest_of(tree, step.path)
    published = now is None if step.after is None else actual == step.after
    if published and digest_of(tree, backup) != step.before:
        # The backup lost content in a power cut, or was made by somebody else: keep the published file.
        return put_aside(tree, step.path, backup)
    if now is None or published:
        tree.rename(backup, step.path)
        return None
    if now.same_file(old) or actual == step.before:
        tree.unlink(backup)
        return None
    if not _is_lost(tree, step):
        return put_aside(tree, step.path, backup)
    aside = put_aside(tree, step.path, step.path)
    tree.rename(backup, step.path)
    return aside


def _undo_in_place(tree: Tree, step: Step, backup: str) -> str | None:
    actual = digest_of(tree, step.path)
    if actual != step.before:
        if digest_of(tree, backup) != step.before:
            raise FileChanged(path=backup, expected=step.before, found=digest_of(tree, backup))
        if actual is None or (actual != step.after and not _is_torn(tree, step, backup)):
            return put_aside(tree, step.path, backup)
        with closing(tree.chunks(backup)) as old:
            _overwrite(tree, step.path, old, durable=True)
    tree.unlink(backup)
    return None


def _is_lost(tree: Tree, step: Step) -> bool:
    """Whether a published file lost content in a power cut: it is empty, or one of its sectors is all zeros."""
    if digest_of(tree, step.path) in {None, step.before, step.after}:
        return False
    with closing(tree.chunks(step.path)) as chunks:
        empty = True
        for chunk in chunks:
            empty = False
            sectors = (chunk[at : at + _SECTOR_SIZE] for at in range(0, len(chunk), _SECTOR_SIZE))
            if b"\0" in chunk and not all(sector.strip(b"\0") for sector in sectors):
                return True
    return empty


def _is_torn(tree: Tree, step: Step, backup: str) -> bool:
    """Whether a write in place was interrupted: every sector is the old one or the new one.

    The sector at the cut begins with one and ends with the other, in either order: undoing may have been
    interrupted too. Where the file grew but got no content, sectors are zeros.
    """
    sizes = [0 if (stat := _stat_file(tree, path)) is None else stat.size for path in (backup, step.temp, step.path)]
    if sizes[2] > max(sizes[:2]):
        return False
    paths = (backup, step.temp if digest_of(tree, step.temp) == step.after else None, step.path)
    old, new, now = (b"" if path is None else b"".join(tree.chunks(path)) for path in paths)
    for at in range(0, len(now), _SECTOR_SIZE):
        end = min(at + _SECTOR_SIZE, len(now))
        part, before, after = (content[at:end].ljust(end - at, b"\0") for content in (now, old, new))
        cuts = range(end - at + 1) if part not in {before, after} and part.strip(b"\0") else ()
        if cuts and not any(part in {after[:cut] + before[cut:], before[:cut] + after[cut:]} for cut in cuts):
            return False
    return True


def _publish_new(tree: Tree, step: Step, temp: str) -> None:
    """Publish a new file without replacing one that appeared meanwhile."""
    try:
        tree.link(temp, step.path)
    except FileExistsError:
        raise FileChanged(path=step.path, expected=None, found=digest_of(tree, step.path)) from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if tree.stat(step.path) is not None:
            raise FileChanged(path=step.path, expected=None, found=digest_of(tree, step.path)) from None
        try:
            tree.rename(temp, step.path)
        except OSError as failure:
            if failure.errno == errno.EXDEV and is_staged(temp):
                raise MustStageBeside(step) from failure
            raise


def _write_new(
    tree: Tree,
    step: Step,
    path: str,
    pieces: Iterable[bytes | memoryview],
    like: Source | None,
    mode: int | None,
) -> None:
    handle = tree.create(path, _PRIVATE_MODE if like is not None or mode is not None else _DEFAULT_MODE)
    try:
        _write_all(tree, handle, pieces)
        if like is not None:
            _copy_metadata(like, tree, handle, step)
        if mode is not None:
            tree.fs.set_mode(handle, mode)
    finally:
        tree.fs.close(handle)


def _copy_metadata(like: Source, tree: Tree, handle: int, step: Step) -> None:
    source = like.tree.open_file(like.path)
    try:
        if not tree.fs.copy_metadata(source, handle):
            raise MustWriteInPlace(step)
    finally:
        like.tree.fs.close(source)


def _link_or_copy(source: Source, tree: Tree, step: Step, path: str, *, same_mount: bool = False) -> None:
    """Give a file a second name, or copy it where the file system has no hard links, or from another one."""
    (parent, name), (to_parent, to_name) = split(source.path), split(path)
    try:
        tree.fs.link(source.tree.folder(parent), name, tree.folder(to_parent), to_name)
    except FileExistsError:
        raise
    except OSError as error:
        if same_mount and error.errno == errno.EXDEV:
            raise MustStageBeside(step) from error
        if error.errno not in _NO_LINKS:
            raise
        with closing(source.tree.chunks(source.path)) as content:
            _write_new(tree, step, path, content, source, None)


def _copy_aside(tree: Tree, path: str, aside: str) -> None:
    """Move a file to another mount. If this is interrupted, a later one makes another copy."""
    handle = tree.create(aside, _PRIVATE_MODE)
    try:
        with closing(tree.chunks(path)) as content:
            _write_all(tree, handle, content)
        tree.fs.sync(handle)
    finally:
        tree.fs.close(handle)
    tree.unlink(path)


def _overwrite(tree: Tree, path: str, pieces: Iterable[bytes | memoryview], *, durable: bool) -> None:
    handle = tree.open_write(path)
    try:
        mode, capability = tree.fs.fstat(handle).mode, tree.fs.capability(handle)
        size = _write_all(tree, handle, pieces)
        tree.fs.truncate(handle, size)
        if mode & _SET_ID_BITS:  # the kernel clears them when a file is written
            tree.fs.set_mode(handle, mode)
        if capability:
            tree.fs.set_capability(handle, capability)
        if durable:
            tree.fs.sync(handle)
    finally:
        tree.fs.close(handle)


def _write_all(tree: Tree, handle: int, pieces: Iterable[bytes | memoryview]) -> int:
    if isinstance(pieces, tuple):
        tree.fs.write(handle, pieces)
        return sum(map(len, pieces))
    size = 0
    for piece in pieces:
        tree.fs.write(handle, (piece,))
        size += len(piece)
    return size


def _discard(tree: Tree, path: str | None) -> None:
    if path is not None:
        try:
            tree.unlink(path)
        except FileNotFound:
            return
        except OSError as error:
            if error.errno in {errno.ENOENT, errno.ENAMETOOLONG}:
                return
            stat = tree.stat(path)
            if stat is None or stat.kind != "folder":
                raise
            log.warning("recovery", "%s is a folder and not ours; it is left alone", path)


def _stat_file(tree: Tree, path: str | None) -> Stat | None:
    """The status of the file at a path; None if there is no regular file."""
    stat = None if path is None else tree.stat(path)
    return stat if stat is not None and stat.kind == "file" else None


def _has_same_content(chunks: Iterable[bytes], pieces: Iterable[bytes | memoryview]) -> bool:
    """Compare a file being read with content in pieces, without joining either."""
    rest = iter(pieces)
    expected = memoryview(b"")
    for chunk in chunks:
        position = 0
        while position < len(chunk):
            if not expected:
                following = next(rest, None)
                if following is None:
                    return False
                if not position and isinstance(following, bytes) and following == chunk:  # a small file
                    break
                expected = memoryview(following)
                continue
            length = min(len(expected), len(chunk) - position)
            if bytes(expected[:length]) != chunk[position : position + length]:  # comparing views is slow: byte by byte
                return False
            expected, position = expected[length:], position + length
    return not len(expected) and not any(len(piece) for piece in rest)


def _can_link(tree: Tree, step: Step) -> bool:
    """Whether the file system allows a second name for the file."""
    try:
        tree.link(step.path, _probe(step))
    except OSError:
        return False
    tree.unlink(_probe(step))
    return True


def _probe(step: Step) -> str:
    return f"{step.temp}-probe"


def _recover(
    trees: Sequence[Tree],
    histories: Callable[[Tree], History],
    guard: Guard,
    settings: Settings,
    *,
    strays: bool,
) -> list[Recovered]:
    name, results = INTENT_NAME, []
    try:
        journals = find_journals(trees, settings, guard)
        found = []
        for journal in journals:
            name = journal.name
            found.append((journal, journal.read()))
        for journal, left in sorted(
            found, key=lambda pair: pair[1].intent is None
        ):  # torn ones last: they name nothing
            name = journal.name
            results.append(_recover_one(trees, journal, left, histories, guard, settings))
        if strays and not journals:
            results.append(_clear_strays(trees, guard))
            for tree in trees:
                remove(tree)
    except OSError as error:
        raise RecoveryBlocked(intent=name, reason=os.strerror(error.errno or errno.EIO)) from error
    return [result for result in results if result is not None]


def _recover_one(
    trees: Sequence[Tree],
    journal: Journal,
    left: Leftover,
    histories: Callable[[Tree], History],
    guard: Guard,
    settings: Settings,
) -> Recovered | None:
    intent = left.intent
    durable = settings.durability == "full" or (intent is not None and intent.in_place)
    if durable:  # otherwise a power cut could restore an older state of it after the backups are gone
        journal.sync()
    if intent is None:  # torn: by a crash before anything else was created, or by a power cut at any time
        cleared = _clear_strays(trees, guard)
        journal.remove()
        for tree in trees:
            remove(tree)
        return cleared
    files = tuple(display_path(trees, step.root, step.path) for step in intent.steps)
    try:
        if left.done and not any(_is_unpublished(trees[step.root], step) for step in intent.steps):
            history = histories(trees[0])
            trouble = _record(trees, intent, history) if left.signed else _check_recorded(intent.id, history)
            finish_transaction(trees, intent if left.signed else intent.evolve(emptied=()), journal, durable=durable)
            recovered = Recovered(intent.id, "forward", files, (), trouble)
        else:
            aside = roll_back(trees, intent, journal, durable=durable, signed=left.signed)
            recovered = Recovered(intent.id, "back", files, aside)
    except SutureError as error:
        reason = error.reason if isinstance(error, RecoveryBlocked) else f"{error.code}{_path_of_error(error)}"
        state = "left" if left.signed else "foreign"
        raise RecoveryBlocked(intent=journal.name, reason=reason, state=state, change_id=intent.id) from error
    log.warning("recovery", "recovered %s: rolled %s, aside %s", recovered.id, recovered.direction, recovered.aside)
    return recovered


def _is_unpublished(tree: Tree, step: Step) -> bool:
    """Whether the path has the old content, or nothing, although the transaction is marked done.

    With durability `fast`, a file system that does not write in order can lose names or content, but keep the mark.
    """
    if step.in_place:
        return False  # it was synced before the mark
    try:
        old = _stat_file(tree, step.backup)
        if step.temp is None:
            return old is not None and old.same_file(tree.stat(step.path))
        if step.backup is None:
            return _stat_file(tree, step.temp) is not None and tree.stat(step.path) is None
        if step.before == step.after:
            return False
        staged = _stat_file(tree, step.temp)
        if staged is not None and staged.same_file(tree.stat(step.path)):
            staged = None  # published: a power cut brought back the first name
        unused = staged is not None and digest_of(tree, step.temp) == step.after
        return unused or (old is not None and _is_lost(tree, step))
    except SutureError:
        return False  # somebody replaced a folder by a link: nothing contradicts the mark


def _path_of_error(error: SutureError) -> str:
    path = str(getattr(error, "path", ""))
    return f" ({path})" if path else ""


def _proven_folders(trees: Sequence[Tree], intent: Intent) -> tuple[tuple[int, str], ...]:
    """The folders of an intent in which it created something. An empty folder that it only names may be anyone's."""
    used = set()
    for step in intent.steps:
        tree, folder = trees[step.root], split(step.path)[0]
        helpers = [stat for path in (step.temp, step.backup) if path is not None and (stat := tree.stat(path))]
        if helpers and (not is_staged(step.temp or step.backup) or helpers[0].same_file(tree.stat(step.path))):
            while folder:
                used.add((step.root, folder))
                folder = split(folder)[0]
    return tuple(place for place in intent.folders if place in used)


def _clear_strays(trees: Sequence[Tree], guard: Guard) -> Recovered | None:
    """Delete temporary files that no intent names; rename those that have the only copy of a file's old content."""
    strays = list(find_strays(trees, guard))
    aside = []
    for tree, path, change in sorted(strays, key=lambda stray: stray[1].endswith(".old")):  # a .new file is no copy
        try:
            if path.endswith(".old") and not _has_copy(tree, path):
                folder, number = split(path)[0], path.removesuffix(".old").rpartition("-")[2]
                folder = "" if folder == OWN_FOLDER else folder
                name = f"suture-{change}-{number}"
                aside.append(put_aside(tree, f"{folder}/{name}" if folder else name, path))
            else:
                tree.unlink(path)
        except (OSError, SutureError) as error:  # not urgent: the next `recover` finds it again
            log.warning("recovery", "%s is left behind: %s", path, error)
    if not strays:
        return None
    newest = max(change for _, _, change in strays)
    log.warning("recovery", "removed %d files that %s left, aside %s", len(strays), newest, aside)
    return Recovered(newest, "unknown", (), tuple(aside))


def _has_copy(tree: Tree, path: str) -> bool:
    """Whether the file has another name, or a file beside it has the same content."""
    stat, folder = tree.stat(path), split(path)[0]
    if stat is None or stat.links > 1:
        return True
    content = None
    for name in tree.names(folder):
        neighbor = f"{folder}/{name}" if folder else name
        status = tree.stat(neighbor)
        if neighbor == path or status is None or (status.kind, status.size) != ("file", stat.size):
            continue
        content = content or digest_of(tree, path)
        if digest_of(tree, neighbor) == content:
            return True
    return False


def _remove_staging(trees: Sequence[Tree], intent: Intent, journal: Journal) -> None:
    """Remove the staging folders that a transaction left."""
    for root in {root for root, folder in (*intent.staged_in, (0, split(journal.name)[0])) if folder == OWN_FOLDER}:
        remove(trees[root])


def _mode(tree: Tree, path: str) -> int | None:
    try:
        stat = tree.stat(path)
    except SutureError:
        return None  # the change has landed, so nothing may fail
    return None if stat is None else stat.mode


def _record(trees: Sequence[Tree], intent: Intent, history: History) -> Trouble | None:
    """Record a change whose process died before it could, if everything it replaced is still there."""
    try:
        backups = [trees[step.root].stat(step.backup) for step in intent.steps if step.backup is not None]
    except SutureError as error:
        return Trouble(recorded=False, reason=f"what it replaced cannot be read ({error.code})")
    if None in backups:  # finishing had begun, so recording was attempted before
        return None
    return history.record(record_of(trees, intent), lambda name: _content(trees, intent.steps, name))


def _check_recorded(change_id: str, history: History) -> Trouble | None:
    """Report a change that this user did not sign, unless it is recorded already. It is never recorded here."""
    try:
        with history.reading() as database:
            is_recorded = database.has_change(change_id)
    except SutureError:
        is_recorded = False
    return None if is_recorded else Trouble(recorded=False, reason=_UNSIGNED_REASON, usable=True)


def _content(trees: Sequence[Tree], steps: Sequence[Step], name: str) -> bytes | None:
    """The content with this hash among those that a transaction replaced or created."""
    for step in steps:
        for path in (step.backup if name == step.before else None, step.path if name == step.after else None):
            if path is not None and digest_of(trees[step.root], path) == name:
                return b"".join(trees[step.root].chunks(path))
    return None


def _remove_folder(tree: Tree, path: str) -> None:
    try:
        if tree.stat(path) is not None:
            tree.rmdir(path)
    except OSError as error:
        if error.errno not in {errno.ENOTEMPTY, errno.EEXIST, errno.ENOTDIR}:
            raise  # otherwise somebody else uses the folder now, and it stays
