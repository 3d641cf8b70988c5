"""The file system, as the few calls the engine makes.

Every call works on a folder that is already open and on one plain name in it, and never follows a
symbolic link: there is no path that could be swapped between a check and its use. Handles are small
integers. The one thing outside the workspace is the shelf: SQLite databases in the user's state folder.
`files.local_fs` is the operating system; `suture.testing` has one in memory and one that fails on demand.

A `Tree` is one root folder, and files in it by relative path. It opens every folder of a path from the root
downwards without following links, so nothing it does can leave the root, whatever another process swaps
meanwhile. Paths given to it are resolved ones (`files.paths`): plain names joined by `/`. It keeps a few
folders open, for the length of one call.
"""

from __future__ import annotations

import errno
import os

from suture import log
from suture.errors import (
    FileNotFound,
    NotAFile,
    NotAFolder,
    PathOutsideWorkspace,
    PermissionDenied,
    ReadFailed,
    SutureError,
    WorkspaceNotFound,
)
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from sqlite3 import Connection
    from typing import Self

MEMORY = ":memory:"
"""The name of a database that is always new, empty, and kept nowhere."""

_MOST_OPEN = 16  # folders that are kept open
_SAFE_OPEN = 8  # folders, while there are fewer open, none is about to be closed
_CHUNK_SIZE = 1 << 20  # bytes that are read at once


class Stat(Record):
    """What is under a name. `kind` is `file`, `folder`, `link` or `other`."""

    kind: str
    size: int
    mode: int
    uid: int
    gid: int
    links: int
    device: int
    inode: int
    modified_ns: int

    @property
    def fingerprint(self) -> tuple[int, ...]:
        """What changes when the file is written or replaced."""
        return self.device, self.inode, self.size, self.modified_ns

    def same_file(self, other: Stat | None) -> bool:
        """Whether both are one file, perhaps under two names."""
        return other is not None and (self.device, self.inode) == (other.device, other.inode)


class FS:
    """The calls a file system must offer. Failures are `OSError` with the errno a POSIX system gives."""

    def open_root(self, path: str) -> int:
        """Open a folder by its full path, links followed: the operator chose it."""
        raise NotImplementedError

    def real_path(self, path: str) -> str:
        """A full path with its links resolved as far as it exists."""
        raise NotImplementedError

    def open_folder(self, folder: int, name: str) -> int:
        """Open a folder inside a folder."""
        raise NotImplementedError

    def close(self, handle: int) -> None:
        """Close a folder or a file."""
        raise NotImplementedError

    def stat(self, folder: int, name: str) -> Stat | None:
        """What is under a name, or None."""
        raise NotImplementedError

    def fstat(self, handle: int) -> Stat:
        """What an open file or folder is."""
        raise NotImplementedError

    def read_link(self, folder: int, name: str) -> str:
        """Where a symbolic link points."""
        raise NotImplementedError

    def scan(self, folder: int, name: str) -> tuple[int, list[str], list[str]]:
        """Open a folder inside a folder, or the folder itself for ``; with it the files and the folders in it.

        The handle is as good as one of `open_folder`. Names are not sorted; links and the like are left out.
        """
        raise NotImplementedError

    def list(self, folder: int) -> list[str]:
        """The names in a folder, sorted."""
        raise NotImplementedError

    def open_file(self, folder: int, name: str) -> int:
        """Open for reading, without waiting for a pipe's other end."""
        raise NotImplementedError

    def fill(self, folder: int, name: str, buffer: bytearray) -> int:
        """Read a file into a buffer until that is full or the file ends; how many bytes there are."""
        raise NotImplementedError

    def read(self, handle: int, size: int) -> bytes:
        """Up to `size` bytes from where the last read ended."""
        raise NotImplementedError

    def writable(self, folder: int, name: str) -> bool:
        """Whether the mode bits let this user write the file."""
        raise NotImplementedError

    def removable(self, folder: int, name: str) -> bool:
        """Whether this user may take the name away: by the folder's mode bits, its sticky bit among them."""
        raise NotImplementedError

    def lock(self, folder: int) -> int | None:
        """Take the folder's lock and give the handle that holds it, or None while another has it."""
        raise NotImplementedError

    def unlock(self, handle: int) -> None:
        """Let go of a lock, also for a process that was forked meanwhile."""
        raise NotImplementedError

    def create(self, folder: int, name: str, mode: int) -> int:
        """Open a new file for writing; an existing name is an error."""
        raise NotImplementedError

    def open_write(self, folder: int, name: str) -> int:
        """Open an existing file for writing in place."""
        raise NotImplementedError

    def write(self, handle: int, pieces: Sequence[bytes | memoryview]) -> None:
        """Write all pieces where the last write ended."""
        raise NotImplementedError

    def truncate(self, handle: int, size: int) -> None:
        """Cut a file to a size."""
        raise NotImplementedError

    def set_mode(self, handle: int, mode: int) -> None:
        """Set an open file's permission bits."""
        raise NotImplementedError

    def capability(self, handle: int) -> bytes:
        """The privileges a program gets from its file, which writing to it takes away; empty for none."""
        raise NotImplementedError

    def set_capability(self, handle: int, value: bytes) -> None:
        """Give a program its privileges back."""
        raise NotImplementedError

    def copy_metadata(self, source: int, target: int) -> bool:
        """Give an open file another's owner, mode, ACL and extended attributes; False if one can't be kept."""
        raise NotImplementedError

    def sync(self, handle: int) -> None:
        """Wait until a file or a folder is on the disk."""
        raise NotImplementedError

    def rename(self, folder: int, name: str, to_folder: int, to_name: str) -> None:
        """Give a file another name, replacing what had it."""
        raise NotImplementedError

    def link(self, folder: int, name: str, to_folder: int, to_name: str) -> None:
        """Give a file a second name; an existing one is an error."""
        raise NotImplementedError

    def unlink(self, folder: int, name: str) -> None:
        """Take a name away."""
        raise NotImplementedError

    def mkdir(self, folder: int, name: str) -> None:
        """Make a folder."""
        raise NotImplementedError

    def rmdir(self, folder: int, name: str) -> None:
        """Remove an empty folder."""
        raise NotImplementedError

    def born(self, folder: int) -> int:
        """When a folder was made, in nanoseconds; 0 where the system does not tell. No two folders share it."""
        raise NotImplementedError

    def machine(self, folder: int) -> tuple[str, bool]:
        """What distinguishes this machine, or this container, from others; and whether they may see this folder."""
        raise NotImplementedError

    def secret(self) -> bytes:
        """The user's own key, which is made when it is asked for first; OSError where none can be kept."""
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))

    def databases(self) -> Sequence[str]:
        """The names of the databases on the shelf, sorted."""
        raise NotImplementedError

    def open_database(self, name: str, create: bool, timeout_ms: int) -> Connection:  # noqa: FBT001  as all calls here
        """Open a database on the shelf; where there is none, and none is to be made, FileNotFoundError.

        Any thread may use it, but only one at a time.
        """
        raise NotImplementedError

    def database_file(self, name: str) -> tuple[int, ...] | None:
        """What distinguishes a database's file from any other that gets its name; None where nothing does."""
        raise NotImplementedError

    def commit_database(self, database: Connection) -> None:
        """Make a database's transaction durable."""
        raise NotImplementedError

    def rename_database(self, name: str, to: str) -> None:
        """Give a database another name."""
        raise NotImplementedError

    def copy_database(self, name: str, to: str) -> None:
        """Give a database a twin."""
        raise NotImplementedError

    def pending(self, name: str) -> bytes:  # noqa: ARG002  this is what one without these three calls answers
        """What was put down beside a database, to be taken into it later."""
        return b""

    def append_pending(self, name: str, data: bytes, size: int) -> bool:  # noqa: ARG002  as above
        """Put down more, without waiting for the disk; False if there is not as much as `size` says."""
        return False

    def drop_pending(self, name: str) -> None:
        """Take away all that was put down beside a database."""


class Tree:
    """The files below one root."""

    def __init__(self, fs: FS, root: str) -> None:
        self.fs = fs
        self.root = root
        self._open: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the folders that are kept open."""
        while self._open:
            _, handle = self._open.popitem()
            self.let_go(handle)

    def let_go(self, handle: int) -> None:
        """Close a folder, or a file that was only read: a failure takes nothing away from anyone."""
        try:
            self.fs.close(handle)
        except OSError as error:
            log.debug("tree", "closing: %s", error)

    def folder(self, path: str) -> int:
        """A handle on a folder; it stays open until the tree is closed or many others were opened."""
        if len(self._open) < _SAFE_OPEN and path in self._open:
            return self._open[path]
        handle = self._open.pop(path, None)
        if handle is None:
            handle = self._open_folder(path)
        self._open[path] = handle  # the newest is the last to be closed
        if len(self._open) > _MOST_OPEN:
            oldest = next(iter(self._open))
            self.let_go(self._open.pop(oldest))
        return handle

    def holds(self, path: str) -> bool:
        """Whether a folder is open: then it was reached from the root without a link."""
        return path in self._open

    def _open_folder(self, path: str) -> int:
        """Walk down from the root, or from the nearest folder that is open already."""
        start = path
        while start and start not in self._open:
            start = split(start)[0]
        handle, owned = self._open.get(start), False
        if handle is None:
            handle, owned = self._open_root(), True
        try:
            position = len(start)
            while position < len(path):
                end = path.find("/", position + 1)
                end = len(path) if end < 0 else end
                below = self._step(handle, path[:end])
                if owned:
                    self.let_go(handle)
                handle, owned, position = below, True, end
        except BaseException:
            if owned:
                self.let_go(handle)
            raise
        return handle

    def _open_root(self) -> int:
        try:
            return self.fs.open_root(self.root)
        except OSError as error:
            raise WorkspaceNotFound(root=self.root, reason=str(error.strerror)) from error

    def _step(self, folder: int, path: str) -> int:
        name = split(path)[1]
        try:
            return self.fs.open_folder(folder, name)
        except OSError as error:
            if error.errno not in {errno.ENOTDIR, errno.ELOOP}:
                raise as_ours(error, path, "open") from error
            stat = self.fs.stat(folder, name)
            if stat is not None and stat.kind in {"link", "folder"}:  # a folder: it was a link just now
                raise PathOutsideWorkspace(path=path, reason=f"{path} became a symbolic link") from error
            raise NotAFolder(path=path, folder=path) from error

    def stat(self, path: str) -> Stat | None:
        """What is at a path, links not followed; None if nothing is there."""
        try:
            return self.fs.stat(*self._at(path)) if path else self.fs.fstat(self.folder(""))
        except (FileNotFound, NotAFolder):
            return None
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return None  # no such file can exist here
            raise as_ours(error, path, "look at") from error

    def read_link(self, path: str) -> str:
        """Where a symbolic link points."""
        try:
            return self.fs.read_link(*self._at(path))
        except OSError as error:
            if error.errno == errno.EINVAL:
                raise PathOutsideWorkspace(path=path, reason=f"{path} is no longer a symbolic link") from error
            raise as_ours(error, path, "read") from error

    def names(self, path: str) -> list[str]:
        """The names in a folder, sorted."""
        try:
            return self.fs.list(self.folder(path))
        except OSError as error:
            raise as_ours(error, path, "list") from error

    def open_file(self, path: str) -> int:
        """Open a file for reading."""
        try:
            return self.fs.open_file(*self._at(path))
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise PathOutsideWorkspace(path=path, reason=f"{path} became a symbolic link") from error
            raise as_ours(error, path, "read") from error

    def chunks(self, path: str, size: int = _CHUNK_SIZE) -> Generator[bytes]:
        """A file's bytes, a chunk at a time; the file is open until the generator ends or is closed.

        If it is as long as `size` says, and that is little, it is read at once.
        """
        handle = self.open_file(path)
        wanted = min(size + 1, _CHUNK_SIZE)
        try:
            while chunk := self.fs.read(handle, wanted):
                yield chunk
                if len(chunk) == size < wanted:  # there was room for more
                    break
                size, wanted = _CHUNK_SIZE, _CHUNK_SIZE
        except OSError as error:
            raise as_ours(error, path, "read") from error
        finally:
            self.let_go(handle)

    def _at(self, path: str) -> tuple[int, str]:
        """The open folder that a path is in, and its name there."""
        parent, name = split(path)
        return self.folder(parent), name

    # What follows changes the tree. Only the commit path calls it; OSErrors pass through.

    def create(self, path: str, mode: int) -> int:
        """Open a new file for writing."""
        return self.fs.create(*self._at(path), mode)

    def open_write(self, path: str) -> int:
        """Open an existing file for writing in place."""
        return self.fs.open_write(*self._at(path))

    def rename(self, path: str, to: str) -> None:
        """Rename a file, replacing what is there."""
        self.fs.rename(*self._at(path), *self._at(to))

    def link(self, path: str, to: str) -> None:
        """Give a file a second name; an existing one is an error."""
        self.fs.link(*self._at(path), *self._at(to))

    def unlink(self, path: str) -> None:
        """Take a name away."""
        self.fs.unlink(*self._at(path))

    def mkdir(self, path: str) -> None:
        """Make a folder."""
        self.fs.mkdir(*self._at(path))

    def rmdir(self, path: str) -> None:
        """Remove an empty folder."""
        held = self._open.pop(path, None)
        if held is not None:
            self.let_go(held)
        self.fs.rmdir(*self._at(path))

    def sync_folder(self, path: str) -> None:
        """Wait until a folder's names are on the disk."""
        self.fs.sync(self.folder(path))


def split(path: str) -> tuple[str, str]:
    """A resolved path's folder and name; the root is the folder ''."""
    parent, _, name = path.rpartition("/")
    return parent, name


def as_ours(error: OSError, path: str, operation: str) -> SutureError:
    """A failure to look or to read, in our vocabulary."""
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        return FileNotFound(path=path, near=[])
    if error.errno in {errno.EACCES, errno.EPERM}:
        return PermissionDenied(path=path, operation=operation)
    if error.errno == errno.EISDIR:
        return NotAFile(path=path, kind="folder")
    number = error.errno or errno.EIO
    return ReadFailed(path=path, reason=os.strerror(number), errno=number)
