"""File systems for tests: one in memory, and one that fails or stops when told to.

    fs = FaultyFS(MemoryFS({"a.txt": b"one"}), stop_at=7)      # the 7th call never returns, nor any later one
    fs = FaultyFS(LocalFS(), fail_at=7, error=errno.ENOSPC)    # the 7th call fails, the others work

Both are peers of `LocalFS`: `Workspace(root, fs=…)` takes any of them.
"""

from __future__ import annotations

import errno
import os
from itertools import count

from suture.files.fs import FS, LocalFS, Stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

__all__ = ["FaultyFS", "LocalFS", "MemoryFS", "Stopped"]

_MAX_LINKS = 40


class Stopped(BaseException):
    """The machine stopped here: no cleanup code of the code under test can run any more."""


class _Node:
    """A file, folder or link; `kept` is what a power cut would leave of it."""

    def __init__(self, kind: str, inode: int, mode: int) -> None:
        self.kind = kind
        self.inode = inode
        self.mode = mode
        self.owner = (os.getuid(), os.getgid())
        self.attributes: dict[str, bytes] = {}
        self.data = b""
        self.entries: dict[str, _Node] = {}
        self.links = 1
        self.modified_ns = 0
        self.lock: int | None = None
        self.kept_data = b""
        self.kept_entries: dict[str, _Node] = {}


class MemoryFS(FS):
    """A file system in memory, rooted at `/`. It knows what a power cut would take: whatever was not synced.

    `device_of` gives paths a device number of their own, `can_link=False` is a file system without hard links,
    `can_chown=False` an unprivileged user.
    """

    def __init__(
        self,
        files: Mapping[str, bytes] | None = None,
        *,
        root: str = "/ws",
        can_link: bool = True,
        can_chown: bool = True,
    ) -> None:
        self.root = root
        self.can_link = can_link
        self.can_chown = can_chown
        self._numbers = count(1)
        self._clock = count(1)
        self._top = self._node("folder", 0o755)
        self._handles: dict[int, tuple[_Node, int]] = {}
        self.make_folder(root)
        for path, data in (files or {}).items():
            self.put(path, data)
        self.sync_all()

    # Setting up and looking

    def put(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        """Write a file below the root, as some other process would."""
        folder, name = self._parent_of(path)
        node = folder.entries.get(name)
        if node is None:
            node = folder.entries[name] = self._node("file", mode)
        node.data = data
        node.modified_ns = next(self._clock)

    def put_link(self, path: str, aim: str) -> None:
        """Make a symbolic link."""
        folder, name = self._parent_of(path)
        node = folder.entries[name] = self._node("link", 0o777)
        node.data = os.fsencode(aim)

    def put_special(self, path: str) -> None:
        """Make something that is no file, folder or link."""
        folder, name = self._parent_of(path)
        folder.entries[name] = self._node("other", 0o644)

    def hard_link(self, path: str, to: str) -> None:
        """Give a file a second name."""
        folder, name = self._parent_of(path)
        to_folder, to_name = self._parent_of(to)
        to_folder.entries[to_name] = folder.entries[name]
        folder.entries[name].links += 1

    def node_of(self, path: str) -> _Node:
        """What stands at a path below the root."""
        folder, name = self._parent_of(path)
        return folder.entries[name]

    def files(self) -> dict[str, bytes]:
        """Every file below the root with its content, and every link with its aim."""
        found: dict[str, bytes] = {}
        stack = [("", self._walk(self.root))]
        while stack:
            prefix, folder = stack.pop()
            for name, node in folder.entries.items():
                if node.kind == "folder":
                    stack.append((f"{prefix}{name}/", node))
                else:
                    found[prefix + name] = node.data
        return found

    def folders(self) -> set[str]:
        """Every folder below the root."""
        found: set[str] = set()
        stack = [("", self._walk(self.root))]
        while stack:
            prefix, folder = stack.pop()
            for name, node in folder.entries.items():
                if node.kind == "folder":
                    found.add(prefix + name)
                    stack.append((f"{prefix}{name}/", node))
        return found

    def make_folder(self, path: str) -> None:
        """Make a folder and those above it, by full path."""
        node = self._top
        for name in path.strip("/").split("/"):
            node = node.entries.setdefault(name, self._node("folder", 0o755))

    def sync_all(self) -> None:
        """Put everything on the disk."""
        for node in self._reachable(self._top, set()):
            node.kept_data = node.data
            node.kept_entries = dict(node.entries)

    def crash(self) -> None:
        """Every process dies: their handles and locks are gone, what they wrote is not."""
        for node, _ in self._handles.values():
            node.lock = None
        self._handles.clear()

    def power_loss(self) -> None:
        """As `crash`, and everything that was not synced is lost."""
        self.crash()
        for node in self._reachable(self._top, set()):
            node.data = node.kept_data
            node.entries = dict(node.kept_entries)

    # FS

    def open_root(self, path: str) -> int:
        return self._handle(self._folder(self._walk(path)))

    def real_path(self, path: str) -> str:
        done: list[str] = []
        queue = path.strip("/").split("/")[::-1]
        links = 0
        while queue:
            name = queue.pop()
            if name in {"", "."}:
                continue
            if name == "..":
                del done[-1:]
                continue
            node = self._find([*done, name])
            if node is None or node.kind != "link" or links > _MAX_LINKS:
                done.append(name)
                continue
            links += 1
            aim = os.fsdecode(node.data)
            done = [] if aim.startswith("/") else done
            queue += aim.split("/")[::-1]
        return "/" + "/".join(done)

    def open_folder(self, folder: int, name: str) -> int:
        return self._handle(self._folder(self._entry(folder, name)))

    def close(self, handle: int) -> None:
        node, _ = self._handles.pop(handle)
        if node.lock == handle:
            node.lock = None

    def stat(self, folder: int, name: str) -> Stat | None:
        _check_name(name)
        node = self._of(folder).entries.get(name)
        return None if node is None else self._stat(node)

    def fstat(self, handle: int) -> Stat:
        return self._stat(self._of(handle))

    def read_link(self, folder: int, name: str) -> str:
        return os.fsdecode(self._entry(folder, name).data)

    def list(self, folder: int) -> list[str]:
        return sorted(self._of(folder).entries)

    def open_file(self, folder: int, name: str) -> int:
        return self._handle(self._openable(folder, name))

    def read(self, handle: int, size: int) -> bytes:
        node, position = self._handles[handle]
        data = node.data[position : position + size]
        self._handles[handle] = node, position + len(data)
        return data

    def writable(self, folder: int, name: str) -> bool:
        return bool(self._entry(folder, name).mode & 0o200)

    def lock(self, folder: int) -> int | None:
        node = self._of(folder)
        if node.lock is not None:
            return None
        node.lock = self._handle(node)
        return node.lock

    def create(self, folder: int, name: str, mode: int) -> int:
        _check_name(name)
        entries = self._of(folder).entries
        if name in entries:
            raise _error(errno.EEXIST)
        entries[name] = self._node("file", mode & ~0o022)
        return self._handle(entries[name])

    def open_write(self, folder: int, name: str) -> int:
        return self._handle(self._openable(folder, name))

    def write(self, handle: int, pieces: Sequence[bytes | memoryview]) -> None:
        for piece in pieces:
            node, position = self._handles[handle]
            node.data = node.data[:position] + bytes(piece) + node.data[position + len(piece) :]
            node.modified_ns = next(self._clock)
            self._handles[handle] = node, position + len(piece)

    def truncate(self, handle: int, size: int) -> None:
        node = self._of(handle)
        node.data = node.data[:size].ljust(size, b"\0")

    def set_mode(self, handle: int, mode: int) -> None:
        self._of(handle).mode = mode

    def copy_metadata(self, source: int, target: int) -> bool:
        old, new = self._of(source), self._of(target)
        if old.owner != new.owner and not self.can_chown:
            return False
        new.owner, new.mode, new.attributes = old.owner, old.mode, dict(old.attributes)
        return True

    def sync(self, handle: int) -> None:
        node = self._of(handle)
        node.kept_data = node.data
        node.kept_entries = dict(node.entries)

    def rename(self, folder: int, name: str, to_folder: int, to_name: str) -> None:
        node, old = self._entry(folder, name), self._of(to_folder).entries.get(to_name)
        if node is old:
            return  # POSIX: two names of one file stay as they are
        if old is not None:
            old.links -= 1
        del self._of(folder).entries[name]
        self._of(to_folder).entries[to_name] = node

    def link(self, folder: int, name: str, to_folder: int, to_name: str) -> None:
        if not self.can_link:
            raise _error(errno.EPERM)
        node = self._entry(folder, name)
        if to_name in self._of(to_folder).entries:
            raise _error(errno.EEXIST)
        self._of(to_folder).entries[to_name] = node
        node.links += 1

    def unlink(self, folder: int, name: str) -> None:
        node = self._entry(folder, name)
        if node.kind == "folder":
            raise _error(errno.EISDIR)
        node.links -= 1
        del self._of(folder).entries[name]

    def mkdir(self, folder: int, name: str) -> None:
        entries = self._of(folder).entries
        if name in entries:
            raise _error(errno.EEXIST)
        entries[name] = self._node("folder", 0o755)

    def rmdir(self, folder: int, name: str) -> None:
        if self._folder(self._entry(folder, name)).entries:
            raise _error(errno.ENOTEMPTY)
        del self._of(folder).entries[name]

    # Inside

    def _node(self, kind: str, mode: int) -> _Node:
        return _Node(kind, next(self._numbers), mode)

    def _handle(self, node: _Node) -> int:
        handle = next(self._numbers)
        self._handles[handle] = node, 0
        return handle

    def _of(self, handle: int) -> _Node:
        if handle not in self._handles:
            raise _error(errno.EBADF)
        return self._handles[handle][0]

    def _entry(self, folder: int, name: str) -> _Node:
        _check_name(name)
        node = self._of(folder).entries.get(name)
        if node is None:
            raise _error(errno.ENOENT)
        return node

    def _openable(self, folder: int, name: str) -> _Node:
        node = self._entry(folder, name)
        if node.kind == "link":
            raise _error(errno.ELOOP)
        return node

    def _folder(self, node: _Node) -> _Node:
        if node.kind != "folder":
            raise _error(errno.ENOTDIR)
        return node

    def _find(self, names: Iterable[str]) -> _Node | None:
        node: _Node | None = self._top
        for name in names:
            node = node.entries.get(name) if node is not None else None
        return node

    def _walk(self, path: str) -> _Node:
        node = self._find(name for name in self.real_path(path).split("/") if name)
        if node is None:
            raise _error(errno.ENOENT)
        return node

    def _parent_of(self, path: str) -> tuple[_Node, str]:
        folder, _, name = f"{self.root}/{path}".rpartition("/")
        self.make_folder(folder)
        return self._walk(folder), name

    def _reachable(self, node: _Node, seen: set[int]) -> Iterable[_Node]:
        if node.inode not in seen:
            seen.add(node.inode)
            yield node
            for below in {*node.entries.values(), *node.kept_entries.values()}:
                yield from self._reachable(below, seen)

    def _stat(self, node: _Node) -> Stat:
        size, (uid, gid) = len(node.data), node.owner
        return Stat(node.kind, size, node.mode, uid, gid, node.links, 1, node.inode, node.modified_ns)


class FaultyFS(FS):
    """Another file system that fails at one call, or stops for good there.

    Calls are counted from 1; `calls` has the names of those made so far. `only` restricts counting to
    calls of these names. A write that stops has written the first half. `on_call(number, name)` runs
    before each counted call, for instance to kill the process.
    """

    def __init__(
        self,
        inner: FS,
        *,
        fail_at: int | None = None,
        error: int = errno.EIO,
        stop_at: int | None = None,
        only: Iterable[str] = (),
        on_call: Callable[[int, str], None] | None = None,
    ) -> None:
        self.inner = inner
        self.calls: list[str] = []
        self._fail_at = fail_at
        self._error = error
        self._stop_at = stop_at
        self._only = frozenset(only)
        self._on_call = on_call
        self._open: set[int] = set()

    def abandon(self) -> None:
        """Close what the stopped process had open, as the kernel does when a process dies."""
        while self._open:
            self.inner.close(self._open.pop())

    def _pass(self, name: str, *args: Any) -> Any:
        counted = not self._only or name in self._only
        if counted:
            self.calls.append(name)
        number = len(self.calls)
        if counted and self._on_call is not None:
            self._on_call(number, name)
        if self._stop_at is not None and number >= self._stop_at:
            if name == "write" and number == self._stop_at:
                data = b"".join(args[1])
                self.inner.write(args[0], (data[: len(data) // 2],))
            raise Stopped(name)
        if counted and number == self._fail_at:
            raise _error(self._error)
        result = getattr(self.inner, name)(*args)
        if name in {"open_root", "open_folder", "open_file", "open_write", "create", "lock"} and result is not None:
            self._open.add(result)
        elif name == "close":
            self._open.discard(args[0])
        return result


def _passing(name: str) -> Callable[..., Any]:
    def method(self: FaultyFS, *args: Any) -> Any:
        return self._pass(name, *args)

    return method


for _name in [name for name in vars(FS) if not name.startswith("_")]:
    setattr(FaultyFS, _name, _passing(_name))


def _check_name(name: str) -> None:
    if len(os.fsencode(name)) > 255:  # noqa: PLR2004  as on most file systems
        raise _error(errno.ENAMETOOLONG)


def _error(number: int) -> OSError:
    return OSError(number, os.strerror(number))
