"""The file system, as the few calls that the engine makes.

Every call works on an open folder and one plain name in it, and never follows a symbolic link: there is no
path that could be swapped between check and use. Handles are small integers. Only the history databases, in
the user's state folder, are outside the workspace. `files.local_fs` is the operating system's file system;
`suture.testing` has one in memory and one that fails on demand.

A `Tree` is one root folder with its files by relative path. It opens every folder of a path from the root
downwards without following links, so nothing can leave the root, whatever another process swaps meanwhile. Its
paths are resolved (`files.paths`): plain names joined by `/`. It keeps a few folders open during one call.
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

    Stamp = tuple[int, int, int, int, int]
    """Size, modification and change time in nanoseconds, inode, and permission bits of a regular file. If they are
    the same, nobody has written it, unless that was in the same moment."""

MEMORY = ":memory:"
"""The name of a database in memory, which is always new and empty."""

_MAX_OPEN_FOLDERS = 16  # folders of a tree that stay open: a process may have few handles
_SAFE_OPEN = 8  # folders; while fewer are open, none will be closed soon
_FOLDER_MODE = 0o777  # of a new folder; the umask applies
_CHUNK_SIZE = 1 << 20  # bytes read at once: bounds the memory


class Stat(Record):
    """The status of a file. `kind` is `file`, `folder`, `link` or `other`."""

    kind: str
    size: int
    mode: int
    links: int
    device: int
    inode: int
    modified_ns: int

    @property
    def fingerprint(self) -> tuple[int, ...]:
        """Values that change when the file is written or replaced."""
        return self.device, self.inode, self.size, self.modified_ns

    def same_file(self, other: Stat | None) -> bool:
        """Whether both are the same file, perhaps under two names."""
        return other is not None and (self.device, self.inode) == (other.device, other.inode)


class FS:
    """The calls that a file system provides. Failures are `OSError` with the errno of a POSIX system."""

    def open_root(self, path: str) -> int:
        """Open a folder by its absolute path, following links: the operator chose it."""
        raise NotImplementedError

    def real_path(self, path: str) -> str:
        """An absolute path with its links resolved, as far as it exists."""
        raise NotImplementedError

    def open_folder(self, folder: int, name: str) -> int:
        """Open a folder inside a folder."""
        raise NotImplementedError

    def close(self, handle: int) -> None:
        """Close a folder or a file."""
        raise NotImplementedError

    def stat(self, folder: int, name: str) -> Stat | None:
        """The status of a name in a folder, or None."""
        raise NotImplementedError

    def fstat(self, handle: int) -> Stat:
        """The status of an open file or folder."""
        raise NotImplementedError

    def read_link(self, folder: int, name: str) -> str:
        """Where a symbolic link points."""
        raise NotImplementedError

    def scan(self, folder: int, name: str) -> tuple[int, list[str], list[str]]:
        """Open a folder inside a folder, or the folder itself for '', and list the files and folders in it.

        The handle can be used like one of `open_folder`. Names are unsorted; links and special files are left out.
        """
        raise NotImplementedError

    def scan_stamps(self, folder: int, name: str) -> tuple[int, list[tuple[str, Stamp]], list[str]]:
        """As `scan`, with the stamp of each file."""
        raise NotImplementedError

    def stamp(self, folder: int, name: str) -> Stamp | None:
        """The stamp of a file; None if there is no regular file with this name."""
        raise NotImplementedError

    def read_stamped(self, folder: int, name: str, most: int) -> tuple[bytes, Stamp | None]:
        """Up to `most` bytes of a file, and its stamp after they were read."""
        raise NotImplementedError

    def list(self, folder: int) -> list[str]:
        """The names in a folder, sorted."""
        raise NotImplementedError

    def open_file(self, folder: int, name: str) -> int:
        """Open for reading; never wait for the other end of a pipe."""
        raise NotImplementedError

    def fill(self, folder: int, name: str, buffer: bytearray) -> int:
        """Read a file into a buffer, up to its size; the number of bytes read."""
        raise NotImplementedError

    def read(self, handle: int, size: int) -> bytes:
        """Read up to `size` bytes from the current position."""
        raise NotImplementedError

    def writable(self, folder: int, name: str) -> bool:
        """Whether the mode bits let this user write the file."""
        raise NotImplementedError

    def removable(self, folder: int, name: str) -> bool:
        """Whether this user may remove the name, by the folder's mode bits, including the sticky bit."""
        raise NotImplementedError

    def lock(self, folder: int) -> int | None:
        """Take the folder's lock; a handle that holds it, or None if it is taken."""
        raise NotImplementedError

    def unlock(self, handle: int) -> None:
        """Release a lock, also if a process was forked meanwhile."""
        raise NotImplementedError

    def create(self, folder: int, name: str, mode: int) -> int:
        """Open a new file for writing; an existing name is an error."""
        raise NotImplementedError

    def create_whole(self, folder: int, name: str, mode: int, data: bytes) -> None:
        """Create a file that has its content from the first moment; OSError if this system cannot."""
        raise NotImplementedError

    def open_write(self, folder: int, name: str) -> int:
        """Open an existing file for writing in place."""
        raise NotImplementedError

    def write(self, handle: int, pieces: Sequence[bytes | memoryview]) -> None:
        """Write all pieces at the current position."""
        raise NotImplementedError

    def truncate(self, handle: int, size: int) -> None:
        """Set the size of a file."""
        raise NotImplementedError

    def set_mode(self, handle: int, mode: int) -> None:
        """Set an open file's permission bits."""
        raise NotImplementedError

    def capability(self, handle: int) -> bytes:
        """The file capabilities of a program, which writing to its file clears; empty for none."""
        raise NotImplementedError

    def set_capability(self, handle: int, value: bytes) -> None:
        """Set the file capabilities of a program."""
        raise NotImplementedError

    def copy_metadata(self, source: int, target: int) -> bool:
        """Copy owner, mode, ACL and extended attributes to an open file; False if one cannot be copied."""
        raise NotImplementedError

    def sync(self, handle: int) -> None:
        """Wait until a file or a folder is on the disk."""
        raise NotImplementedError

    def rename(self, folder: int, name: str, to_folder: int, to_name: str) -> None:
        """Rename a file, replacing an existing one."""
        raise NotImplementedError

    def link(self, folder: int, name: str, to_folder: int, to_name: str) -> None:
        """Give a file a second name; an existing one is an error."""
        raise NotImplementedError

    def unlink(self, folder: int, name: str) -> None:
        """Remove a name."""
        raise NotImplementedError

    def inherited(self, folder: int) -> tuple[object, ...]:
        """What a new file gets from this folder: equal values mean the same owner, group, ACL and label."""
        raise NotImplementedError

    def mkdir(self, folder: int, name: str, mode: int = _FOLDER_MODE) -> None:
        """Create a folder."""
        raise NotImplementedError

    def rmdir(self, folder: int, name: str) -> None:
        """Remove an empty folder."""
        raise NotImplementedError

    def born(self, folder: int) -> int:
        """When a folder was created, in nanoseconds, unique to it; 0 if the system does not report it."""
        raise NotImplementedError

    def machine(self, folder: int) -> tuple[str, bool]:
        """The identity of this machine or container, and whether others may see this folder."""
        raise NotImplementedError

    def secret(self) -> bytes:
        """The user's own key, created on first use; OSError if none can be stored."""
        raise OSError(errno.ENOENT, os.strerror(errno.ENOENT))

    def databases(self) -> Sequence[str]:
        """The names of the history databases, sorted."""
        raise NotImplementedError

    def open_database(self, name: str, create: bool, timeout_ms: int) -> Connection:  # noqa: FBT001  as all calls here
        """Open a history database; FileNotFoundError if it does not exist and `create` is false.

        Any thread may use it, but only one at a time.
        """
        raise NotImplementedError

    def database_file(self, name: str) -> tuple[int, ...] | None:
        """The identity of a database's file, to detect that it was replaced; None if it has none."""
        raise NotImplementedError

    def commit_database(self, database: Connection) -> None:
        """Commit a database's transaction durably."""
        raise NotImplementedError

    def vacuum_database(self, database: Connection) -> None:
        """Rebuild a database, so that its file contains nothing but its records."""
        raise NotImplementedError

    def history_files(self) -> Sequence[str]:
        """The paths of all files in the folder of the databases, sorted."""
        raise NotImplementedError

    def rename_database(self, name: str, to: str) -> None:
        """Rename a database."""
        raise NotImplementedError

    def copy_database(self, name: str, to: str) -> None:
        """Copy a database."""
        raise NotImplementedError

    def pending(self, name: str) -> bytes:  # noqa: ARG002  the default of a system without these three calls
        """The pending data beside a database, to be recorded in it later."""
        return b""

    def append_pending(self, name: str, data: bytes, size: int) -> bool:  # noqa: ARG002  as above
        """Append pending data without syncing; False unless there are exactly `size` bytes already."""
        return False

    def drop_pending(self, name: str) -> None:
        """Delete the pending data beside a database."""


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
        """Close all open folders."""
        while self._open:
            _, handle = self._open.popitem()
            self.close_quietly(handle)

    def close_quietly(self, handle: int) -> None:
        """Close a folder, or a file that was only read, ignoring errors: nothing can be lost."""
        try:
            self.fs.close(handle)
        except OSError as error:
            log.debug("tree", "closing: %s", error)

    def folder(self, path: str) -> int:
        """A handle for a folder; it stays open until the tree is closed or many others are opened."""
        if len(self._open) < _SAFE_OPEN and path in self._open:
            return self._open[path]
        handle = self._open.pop(path, None)
        if handle is None:
            handle = self._open_folder(path)
        self._open[path] = handle  # the newest is closed last
        if len(self._open) > _MAX_OPEN_FOLDERS:
            oldest = next(iter(self._open))
            self.close_quietly(self._open.pop(oldest))
        return handle

    def is_open(self, path: str) -> bool:
        """Whether a folder is open, and so was reached from the root without a link."""
        return path in self._open

    def _open_folder(self, path: str) -> int:
        """Open a folder from the root, or from the nearest open folder above it."""
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
                    self.close_quietly(handle)
                handle, owned, position = below, True, end
        except BaseException:
            if owned:
                self.close_quietly(handle)
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
                raise to_suture_error(error, path, "open") from error
            stat = self.fs.stat(folder, name)
            if stat is not None and stat.kind in {"link", "folder"}:  # a folder: it was a link just before
                raise PathOutsideWorkspace(path=path, reason=f"{path} became a symbolic link") from error
            raise NotAFolder(path=path, folder=path) from error

    def stat(self, path: str) -> Stat | None:
        """The status of a path, without following links; None if nothing is there."""
        try:
            return self.fs.stat(*self._at(path)) if path else self.fs.fstat(self.folder(""))
        except (FileNotFound, NotAFolder):
            return None
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return None  # no such file can exist here
            raise to_suture_error(error, path, "look at") from error

    def read_link(self, path: str) -> str:
        """Where a symbolic link points."""
        try:
            return self.fs.read_link(*self._at(path))
        except OSError as error:
            if error.errno == errno.EINVAL:
                raise PathOutsideWorkspace(path=path, reason=f"{path} is no longer a symbolic link") from error
            raise to_suture_error(error, path, "read") from error

    def names(self, path: str) -> list[str]:
        """The names in a folder, sorted."""
        try:
            return self.fs.list(self.folder(path))
        except OSError as error:
            raise to_suture_error(error, path, "list") from error

    def open_file(self, path: str) -> int:
        """Open a file for reading."""
        try:
            return self.fs.open_file(*self._at(path))
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise PathOutsideWorkspace(path=path, reason=f"{path} became a symbolic link") from error
            raise to_suture_error(error, path, "read") from error

    def chunks(self, path: str, size: int = _CHUNK_SIZE) -> Generator[bytes]:
        """A file's content in chunks; the file is open until the generator ends or is closed.

        A file whose `size` is known, and small, takes one read.
        """
        handle = self.open_file(path)
        wanted = min(size + 1, _CHUNK_SIZE)
        try:
            while chunk := self.fs.read(handle, wanted):
                yield chunk
                if len(chunk) == size < wanted:  # the buffer was larger, so this is the end
                    break
                size, wanted = _CHUNK_SIZE, _CHUNK_SIZE
        except OSError as error:
            raise to_suture_error(error, path, "read") from error
        finally:
            self.close_quietly(handle)

    def _at(self, path: str) -> tuple[int, str]:
        """The open folder that a path is in, and its name there."""
        parent, name = split(path)
        return self.folder(parent), name

    # The following methods change the tree. Only the commit path calls them; they don't convert an OSError.

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
        """Remove a name."""
        self.fs.unlink(*self._at(path))

    def mkdir(self, path: str, mode: int = _FOLDER_MODE) -> None:
        """Create a folder."""
        self.fs.mkdir(*self._at(path), mode)

    def rmdir(self, path: str) -> None:
        """Remove an empty folder."""
        handle = self._open.pop(path, None)
        if handle is not None:
            self.close_quietly(handle)
        self.fs.rmdir(*self._at(path))

    def sync_folder(self, path: str) -> None:
        """Wait until the names in a folder are on the disk."""
        self.fs.sync(self.folder(path))


def split(path: str) -> tuple[str, str]:
    """A resolved path's folder and name; the root is the folder ''."""
    parent, _, name = path.rpartition("/")
    return parent, name


def to_suture_error(error: OSError, path: str, operation: str) -> SutureError:
    """Convert an error while looking at or reading a file."""
    if error.errno in {errno.ENOENT, errno.ENOTDIR}:
        return FileNotFound(path=path, near=[])
    if error.errno in {errno.EACCES, errno.EPERM}:
        return PermissionDenied(path=path, operation=operation)
    if error.errno == errno.EISDIR:
        return NotAFile(path=path, kind="folder")
    number = error.errno or errno.EIO
    return ReadFailed(path=path, reason=os.strerror(number), errno=number)
