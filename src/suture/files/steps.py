"""What a transaction does to one path, and how each of it is taken back.

    stage    write the new content beside the path; give the old content a second name
    verify   is the path still what the plan was made on?
    publish  one rename, link or unlink (or a write in place)
    finish   drop what helped
    undo     from any point before `finish`, also after a crash: the path is as it was before

`undo` and `finish` can be repeated, and look at the files rather than at any memory of what was done.
A file that somebody else wrote after a crash is left alone; what stood there before is put beside it.
What lies at the name of a helping file and is no file is not ours: it is never read, moved, or taken for content.
"""

from __future__ import annotations

import errno
import os
from contextlib import closing

from suture import log
from suture.errors import FileChanged, FileNotFound, NotAFile
from suture.files.tree import Tree, split
from suture.plan import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from suture.files.fs import Stat
    from suture.files.journal import Step
    from suture.plan import Content

_PRIVATE = 0o600
_DEFAULT = 0o666
_SET_ID = 0o6000
_SECTOR = 512
_LONGEST_STEM = 230  # leaves room for an ending in the 255 bytes of a name
_NO_LINKS = {errno.EPERM, errno.EXDEV, errno.EMLINK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EACCES}


class CannotKeep(Exception):
    """A rename would lose something the file has: the commit starts again and writes in place."""

    def __init__(self, step: Step) -> None:
        super().__init__(step.path)
        self.step = step


class Source:
    """Where a new file's metadata, or all of it, comes from."""

    def __init__(self, tree: Tree, path: str) -> None:
        self.tree = tree
        self.path = path


def stage(tree: Tree, step: Step, content: Content | None, like: Source | None, mode: int | None) -> None:
    """Make the temporary and the backup file. Without `content` the new file is `like` itself."""
    if step.temp is not None:
        if content is not None:
            like, mode = (None, _PRIVATE) if step.in_place else (like, mode)  # it will only be read
            _write_new(tree, step, step.temp, content.pieces, like, mode)
        elif like is not None:
            _link_or_copy(like, tree, step, step.temp)
    if step.backup is not None:
        here = Source(tree, step.path)
        if step.in_place:
            with closing(tree.chunks(step.path)) as old:
                _write_new(tree, step, step.backup, old, None, _PRIVATE)
        else:
            _link_or_copy(here, tree, step, step.backup)


def verify(tree: Tree, step: Step, before: Content | None) -> Stat | None:
    """Raise FileChanged unless the path holds what the plan was made on; what stands there, for `publish`."""
    found = tree.stat(step.path)
    if found is None or before is None:
        unchanged = found is None and before is None
    else:
        unchanged = found.kind == "file" and found.size == before.size
        if unchanged:
            with closing(tree.chunks(step.path, found.size)) as now:
                unchanged = _equal(now, before.pieces)
    if not unchanged:
        raise FileChanged(path=step.path, expected=step.before, found=digest_of(tree, step.path))
    return found


def publish(tree: Tree, step: Step, content: Content | None, verified: Stat | None, *, durable: bool) -> None:
    """Let the path show the new content, unless somebody wrote it since it was verified."""
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
                raise CannotKeep(step) from error
            raise
    else:
        _publish_new(tree, step, step.temp)


def finish(tree: Tree, step: Step, *, published: bool = False) -> None:
    """Drop what helped; if this process `published`, a name that was renamed is gone."""
    _drop(tree, step.backup)
    if not (published and _is_renamed(step)):
        _drop(tree, step.temp)


def _is_renamed(step: Step) -> bool:
    """Whether publishing renames the temporary file; nothing would happen if the path were another name of it."""
    return step.backup is not None and not step.in_place and step.before != step.after


def is_unpublished(tree: Tree, step: Step) -> bool:
    """Whether the path shows the old content, or nothing, although the transaction was marked done.

    A file system that does not write in order can lose names, or content, and keep the mark (durability `fast`).
    """
    if step.in_place:
        return False  # the disk had it before the mark
    old = _file(tree, step.backup)
    if step.temp is None:
        return old is not None and old.same_file(tree.stat(step.path))
    if step.backup is None:
        return _file(tree, step.temp) is not None and tree.stat(step.path) is None
    if step.before == step.after:
        return False
    return digest_of(tree, step.temp) == step.after or (old is not None and _is_lost(tree, step))


def undo(tree: Tree, step: Step, *, signed: bool = True) -> str | None:
    """Put the path back. Returns where content lies that was put beside it: see `Recovered.aside`.

    A step that is not `signed` by this user may be made up: then no file is taken away for its content alone.
    """
    aside = None
    if step.backup is None:
        _drop(tree, _probe(step))
        aside = _undo_create(tree, step, signed=signed)
    elif _file(tree, step.backup) is not None:
        aside = _undo_in_place(tree, step, step.backup) if step.in_place else _undo_publish(tree, step, step.backup)
    elif (found := tree.stat(step.backup)) is not None:
        if digest_of(tree, step.path) != step.before:
            raise NotAFile(path=step.backup, kind=found.kind)
        _drop(tree, step.backup)
    _drop(tree, step.temp)
    return aside


def _undo_create(tree: Tree, step: Step, *, signed: bool) -> str | None:
    """Take a published new file away, if it is ours: one file with the temporary one, which is kept till the end."""
    made, staged = tree.stat(step.path), _file(tree, step.temp)
    if made is None:
        return None
    if staged is not None:
        if made.same_file(staged):
            tree.unlink(step.path)
    # Where files cannot have two names, publishing used up the temporary one.
    elif digest_of(tree, step.path) == step.after and (tree.stat(str(step.temp)) or not _can_link(tree, step)):
        if not signed:
            return put_aside(tree, step.path, step.path)
        tree.unlink(step.path)
    return None


def _undo_publish(tree: Tree, step: Step, backup: str) -> str | None:
    if _file(tree, step.temp) is not None:  # not published: the file there is not ours
        tree.unlink(backup)
        return None
    old, now = tree.stat(backup), tree.stat(step.path)
    found = None if now is None or now.same_file(old) else digest_of(tree, step.path)
    published = now is None if step.after is None else found == step.after
    if published and digest_of(tree, backup) != step.before:
        # A copy that lost content in a power cut, or somebody else's: what was published is better.
        return put_aside(tree, step.path, backup)
    if now is None or published:
        tree.rename(backup, step.path)
        return None
    if now.same_file(old) or found == step.before:
        tree.unlink(backup)
        return None
    if not _is_lost(tree, step):
        return put_aside(tree, step.path, backup)
    aside = put_aside(tree, step.path, step.path)
    tree.rename(backup, step.path)
    return aside


def _undo_in_place(tree: Tree, step: Step, backup: str) -> str | None:
    found = digest_of(tree, step.path)
    if found != step.before:
        if digest_of(tree, backup) != step.before:
            raise FileChanged(path=backup, expected=step.before, found=digest_of(tree, backup))
        if found is None or (found != step.after and not _is_torn(tree, step, backup)):
            return put_aside(tree, step.path, backup)
        with closing(tree.chunks(backup)) as old:
            _overwrite(tree, step.path, old, durable=True)
    tree.unlink(backup)
    return None


def _is_lost(tree: Tree, step: Step) -> bool:
    """Whether a published file lost content in a power cut: it is empty, or a sector of it is all zeros."""
    if digest_of(tree, step.path) in {None, step.before, step.after}:
        return False
    with closing(tree.chunks(step.path)) as chunks:
        empty = True
        for chunk in chunks:
            empty = False
            sectors = (chunk[at : at + _SECTOR] for at in range(0, len(chunk), _SECTOR))
            if b"\0" in chunk and not all(sector.strip(b"\0") for sector in sectors):
                return True
    return empty


def _is_torn(tree: Tree, step: Step, backup: str) -> bool:
    """Whether a file is half written by us: every sector of it is the old or the new one.

    On the way back it can be both in the other order; what a file gained but did not receive is zeros.
    """
    sizes = [0 if (found := _file(tree, path)) is None else found.size for path in (backup, step.temp, step.path)]
    if sizes[2] > max(sizes[:2]):
        return False
    known = (backup, step.temp if digest_of(tree, step.temp) == step.after else None, step.path)
    old, new, now = (b"" if path is None else b"".join(tree.chunks(path)) for path in known)
    for at in range(0, len(now), _SECTOR):
        end = min(at + _SECTOR, len(now))
        part, before, after = (content[at:end].ljust(end - at, b"\0") for content in (now, old, new))
        cuts = range(end - at + 1) if part not in {before, after} and part.strip(b"\0") else ()
        if cuts and not any(part in {after[:cut] + before[cut:], before[:cut] + after[cut:]} for cut in cuts):
            return False
    return True


def put_aside(tree: Tree, path: str, content: str) -> str:
    """Give a file a name beside a path that no other has: nothing is lost."""
    folder, name = split(path)
    short = os.fsdecode(os.fsencode(name)[:_LONGEST_STEM])
    stem = f"{folder}/{short}" if folder else short
    number = 0
    while tree.stat(aside := f"{stem}.suture-orig{number or ''}") is not None:
        number += 1
    tree.rename(content, aside)
    return aside


def _publish_new(tree: Tree, step: Step, temp: str) -> None:
    """Show a new file without ever replacing one that appeared meanwhile."""
    try:
        tree.link(temp, step.path)
    except FileExistsError:
        raise FileChanged(path=step.path, expected=None, found=digest_of(tree, step.path)) from None
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if tree.stat(step.path) is not None:
            raise FileChanged(path=step.path, expected=None, found=digest_of(tree, step.path)) from None
        tree.rename(temp, step.path)


def _write_new(
    tree: Tree,
    step: Step,
    path: str,
    pieces: Iterable[bytes | memoryview],
    like: Source | None,
    mode: int | None,
) -> None:
    handle = tree.create(path, _PRIVATE if like is not None or mode is not None else _DEFAULT)
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
            raise CannotKeep(step)
    finally:
        like.tree.fs.close(source)


def _link_or_copy(source: Source, tree: Tree, step: Step, path: str) -> None:
    """Give a file a second name, or a twin where the file system has no second names."""
    (parent, name), (to_parent, to_name) = split(source.path), split(path)
    try:
        tree.fs.link(source.tree.folder(parent), name, tree.folder(to_parent), to_name)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        with closing(source.tree.chunks(source.path)) as content:
            _write_new(tree, step, path, content, source, None)


def _overwrite(tree: Tree, path: str, pieces: Iterable[bytes | memoryview], *, durable: bool) -> None:
    handle = tree.open_write(path)
    try:
        mode, capability = tree.fs.fstat(handle).mode, tree.fs.capability(handle)
        size = _write_all(tree, handle, pieces)
        tree.fs.truncate(handle, size)
        if mode & _SET_ID:  # the kernel takes these away from a file that is written
            tree.fs.set_mode(handle, mode)
        if capability:
            tree.fs.set_capability(handle, capability)
        if durable:
            tree.fs.sync(handle)
    finally:
        tree.fs.close(handle)


def _write_all(tree: Tree, handle: int, pieces: Iterable[bytes | memoryview]) -> int:
    if isinstance(pieces, tuple):
        tree.write(handle, pieces)
        return sum(map(len, pieces))
    size = 0
    for piece in pieces:
        tree.write(handle, (piece,))
        size += len(piece)
    return size


def _drop(tree: Tree, path: str | None) -> None:
    if path is not None:
        try:
            tree.unlink(path)
        except FileNotFound:
            return
        except OSError as error:
            if error.errno in {errno.ENOENT, errno.ENAMETOOLONG}:
                return
            found = tree.stat(path)
            if found is None or found.kind != "folder":
                raise
            log.warning("steps", "%s is a folder, and not ours: it stays", path)


def _file(tree: Tree, path: str | None) -> Stat | None:
    """The file at a path; None if there is none, or something else."""
    found = None if path is None else tree.stat(path)
    return found if found is not None and found.kind == "file" else None


def digest_of(tree: Tree, path: str | None) -> str | None:
    """The hash of a file; None if there is none, or something else."""
    found = _file(tree, path)
    return None if found is None else digest(tree.chunks(str(path)), found.size)


def _equal(chunks: Iterable[bytes], pieces: Iterable[bytes | memoryview]) -> bool:
    """Compare a file being read with a content in pieces, without holding either twice."""
    rest = iter(pieces)
    expected = memoryview(b"")
    for chunk in chunks:
        position = 0
        while position < len(chunk):
            if not expected:
                following = next(rest, None)
                if following is None:
                    return False
                if not position and isinstance(following, bytes) and following == chunk:  # a small file, in one piece
                    break
                expected = memoryview(following)
                continue
            length = min(len(expected), len(chunk) - position)
            if bytes(expected[:length]) != chunk[position : position + length]:  # views compare byte by byte: slow
                return False
            expected, position = expected[length:], position + length
    return not len(expected) and not any(len(piece) for piece in rest)


def _can_link(tree: Tree, step: Step) -> bool:
    """Whether the file can have a second name where it stands."""
    try:
        tree.link(step.path, _probe(step))
    except OSError:
        return False
    tree.unlink(_probe(step))
    return True


def _probe(step: Step) -> str:
    return f"{step.temp}-probe"
