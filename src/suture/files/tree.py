"""One root folder, and files in it by relative path.

A `Tree` opens every folder of a path from the root downwards without following links, so nothing it
does can leave the root, whatever another process swaps meanwhile. Paths given to it are resolved ones
(`files.paths`): plain names joined by `/`. It keeps a few folders open, for the length of one call.
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from types import TracebackType
    from typing import Self

    from suture.files.fs import FS, Stat

_KEEP_OPEN = 16
_FEW = 8  # folders, of which none will be closed soon
_CHUNK = 1 << 20


class Tree:
    """The files below one root."""

    def __init__(self, fs: FS, root: str) -> None:
        self.fs = fs
        self.root = root
        self._open: dict[str, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the folders that are kept open."""
        while self._open:
            _, handle = self._open.popitem()
            self.let_go(handle)

    def let_go(self, handle: int) -> None:
        """Close a folder, or a file that was only read: a failure takes nothing away from anybody."""
        try:
            self.fs.close(handle)
        except OSError as error:
            log.debug("tree", "closing: %s", error)

    def folder(self, path: str) -> int:
        """A handle on a folder; it stays open until the tree is closed or many others were opened."""
        if len(self._open) < _FEW and path in self._open:
            return self._open[path]
        handle = self._open.pop(path, None)
        if handle is None:
            handle = self._open_folder(path)
        self._open[path] = handle  # the newest is the last to be closed
        if len(self._open) > _KEEP_OPEN:
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
            found = self.fs.stat(folder, name)
            if found is not None and found.kind in {"link", "folder"}:  # a folder: it was a link just now
                raise PathOutsideWorkspace(path=path, reason=f"{path} became a symbolic link") from error
            raise NotAFolder(path=path, folder=path) from error

    def stat(self, path: str) -> Stat | None:
        """What stands at a path, links not followed; None if nothing does."""
        parent, name = split(path)
        try:
            return self.fs.stat(self.folder(parent), name) if name else self.fs.fstat(self.folder(""))
        except (FileNotFound, NotAFolder):
            return None
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                return None  # no such file can exist here
            raise as_ours(error, path, "look at") from error

    def read_link(self, path: str) -> str:
        """Where a symbolic link points."""
        parent, name = split(path)
        try:
            return self.fs.read_link(self.folder(parent), name)
        except OSError as error:
            if error.errno == errno.EINVAL:
                raise PathOutsideWorkspace(path=path, reason=f"{path} was a symbolic link and is none now") from error
            raise as_ours(error, path, "read") from error

    def names(self, path: str) -> list[str]:
        """The names in a folder, sorted."""
        try:
            return self.fs.list(self.folder(path))
        except OSError as error:
            raise as_ours(error, path, "list") from error

    def open_file(self, path: str) -> int:
        """Open a file for reading."""
        parent, name = split(path)
        try:
            return self.fs.open_file(self.folder(parent), name)
        except OSError as error:
            if error.errno == errno.ELOOP:
                raise PathOutsideWorkspace(path=path, reason=f"{path} became a symbolic link") from error
            raise as_ours(error, path, "read") from error

    def chunks(self, path: str, size: int = _CHUNK) -> Generator[bytes]:
        """A file's bytes, a chunk at a time; the file is open until the generator ends or is closed.

        If it is as long as `size` says, and that is little, it is read at once.
        """
        handle = self.open_file(path)
        wanted = min(size + 1, _CHUNK)
        try:
            while chunk := self.fs.read(handle, wanted):
                yield chunk
                if len(chunk) == size < wanted:  # there was room for more
                    break
                size, wanted = _CHUNK, _CHUNK
        except OSError as error:
            raise as_ours(error, path, "read") from error
        finally:
            self.let_go(handle)

    # What follows changes the tree. Only the commit path calls it; OSErrors pass through.

    def create(self, path: str, mode: int) -> int:
        """Open a new file for writing."""
        parent, name = split(path)
        return self.fs.create(self.folder(parent), name, mode)

    def open_write(self, path: str) -> int:
        """Open an existing file for writing in place."""
        parent, name = split(path)
        return self.fs.open_write(self.folder(parent), name)

    def write(self, handle: int, pieces: Sequence[bytes | memoryview]) -> None:
        """Write all pieces."""
        self.fs.write(handle, pieces)

    def rename(self, path: str, to: str) -> None:
        """Rename a file, replacing what stands there."""
        (parent, name), (to_parent, to_name) = split(path), split(to)
        self.fs.rename(self.folder(parent), name, self.folder(to_parent), to_name)

    def link(self, path: str, to: str) -> None:
        """Give a file a second name; an existing one is an error."""
        (parent, name), (to_parent, to_name) = split(path), split(to)
        self.fs.link(self.folder(parent), name, self.folder(to_parent), to_name)

    def unlink(self, path: str) -> None:
        """Take a name away."""
        parent, name = split(path)
        self.fs.unlink(self.folder(parent), name)

    def mkdir(self, path: str) -> None:
        """Make a folder."""
        parent, name = split(path)
        self.fs.mkdir(self.folder(parent), name)

    def rmdir(self, path: str) -> None:
        """Remove an empty folder."""
        parent, name = split(path)
        held = self._open.pop(path, None)
        if held is not None:
            self.let_go(held)
        self.fs.rmdir(self.folder(parent), name)

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
