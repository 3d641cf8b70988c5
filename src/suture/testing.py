"""File systems for tests: one in memory, and one that fails or stops on demand.

    fs = FaultyFS(MemoryFS({"a.txt": b"one"}), stop_at=7)      # the 7th call never returns, nor any later one
    fs = FaultyFS(LocalFS(), fail_at=7, error=errno.ENOSPC)    # the 7th call fails, the others work

Both can replace `LocalFS`: `Workspace(root, fs=…)` accepts any of them.
"""

from __future__ import annotations

import errno
import os
from itertools import count
from sqlite3 import connect
from threading import Lock

from suture.files.fs import FS, MEMORY, Stat
from suture.files.local_fs import LocalFS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from random import Random
    from sqlite3 import Connection
    from typing import Any

    from suture.files.fs import Stamp

__all__ = ["FaultyFS", "LocalFS", "MemoryFS", "Stopped"]

_MAX_LINKS = 40  # in one path, as on Linux
_MAX_NAME_BYTES = 255  # bytes, as on most file systems
_SET_GROUP = 0o2000  # of a folder: what is created in it gets its group
_SECTOR_SIZE = 512  # bytes that a disk writes as a whole or not at all
_OPENING = {"open_root", "open_folder", "open_file", "open_write", "create", "lock", "scan", "scan_stamps"}
_CLOSING = {"close", "unlock"}


class Node:
    """A file, folder or link. `kept_data` and `kept_entries` are what survives a power cut.

    `unsynced` has the entries of a folder after each change since the last sync, with the time of the change.
    """

    def __init__(self, kind: str, inode: int, mode: int) -> None:
        self.kind = kind
        self.inode = inode
        self.mode = mode
        self.owner = (os.getuid(), os.getgid())
        self.attributes: dict[str, bytes] = {}
        self.data = b""
        self.entries: dict[str, Node] = {}
        self.device = 1
        self.links = 1
        self.modified_ns = 0
        self.lock: int | None = None
        self.kept_data = b""
        self.kept_entries: dict[str, Node] = {}
        self.unsynced: list[tuple[int, dict[str, Node]]] = []

    def sync(self) -> None:
        """Make the current state survive a power cut."""
        self.kept_data = self.data
        self.kept_entries = dict(self.entries)
        self.unsynced = []

    def lose(self, luck: Random | None, since: int) -> None:
        """Lose what a power cut loses. What was synced stays, names changed before `since`, and random sectors."""
        self.entries = dict([self.kept_entries, *(entries for when, entries in self.unsynced if when < since)][-1])
        if luck is None:
            self.data = self.kept_data
            return
        size = len(luck.choice((self.kept_data, self.data)))
        old, new = (data[:size].ljust(size, b"\0") for data in (self.kept_data, self.data))
        self.data = b"".join(luck.choice((old, new))[at : at + _SECTOR_SIZE] for at in range(0, size, _SECTOR_SIZE))


class MemoryFS(FS):
    """A file system in memory, rooted at `/`. It simulates power cuts, which lose whatever was not synced.

    `can_link=False` is a file system without hard links, `can_chown=False` an unprivileged user. The node of
    a path (`node_of`) can be given an owner, attributes, or another `device`, which makes it a mount point.
    Use it from one thread; only `sync` may be called from several.
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
        self._inodes = count(1)
        self._clock = count(1)
        """The time of changes to names and contents."""
        self._synced = 0
        self._top = self._node("folder", 0o755)
        self._numbers = count(1)
        self._handles: dict[int, _Handle] = {}
        self.shelf: dict[str, bytes] = {}
        """The history databases by name, as of their last commit."""
        self.machine_id = "memory"
        self.is_shared = False
        """Whether other machines may see its folders too."""
        self.key: bytes | None = os.urandom(32)
        """The user's key; None if none can be stored."""
        self._opened: list[tuple[str, Connection]] = []
        self.make_folder(root)
        for path, data in (files or {}).items():
            self.put(path, data)
        self.sync_all()

    def put(self, path: str, data: bytes, *, mode: int = 0o644) -> None:
        """Write a file below the root, as another process would."""
        folder, name = self._parent_of(path)
        node = folder.entries.get(name)
        if node is None:
            node = self._node("file", mode)
            self._set_entries((folder, name, node))
        self._set_data(node, data)

    def put_link(self, path: str, target: str) -> None:
        """Create a symbolic link."""
        folder, name = self._parent_of(path)
        node = self._node("link", 0o777)
        node.data = os.fsencode(target)
        self._set_entries((folder, name, node))

    def put_special(self, path: str) -> None:
        """Create something other than a file, folder or link."""
        folder, name = self._parent_of(path)
        self._set_entries((folder, name, self._node("other", 0o644)))

    def hard_link(self, path: str, to: str) -> None:
        """Give a file a second name."""
        node = self.node_of(path)
        self._set_entries((*self._parent_of(to), node))
        node.links += 1

    def node_of(self, path: str) -> Node:
        """The node at a path below the root."""
        folder, name = self._parent_of(path)
        return folder.entries[name]

    def files(self) -> dict[str, bytes]:
        """Every file below the root with its content, and every link with its target."""
        return {path: node.data for path, node in self._below_root() if node.kind != "folder"}

    def folders(self) -> set[str]:
        """Every folder below the root."""
        return {path for path, node in self._below_root() if node.kind == "folder"}

    def make_folder(self, path: str) -> None:
        """Create a folder and its parents, by absolute path."""
        node = self._top
        for name in path.strip("/").split("/"):
            if name not in node.entries:
                self._set_entries((node, name, self._node("folder", 0o755)))
            node = node.entries[name]

    def sync_all(self) -> None:
        """Sync everything."""
        for node in self._reachable(self._top, set()):
            node.sync()

    def crash(self) -> None:
        """Kill all processes: their handles and locks are gone, but not what they wrote."""
        for handle in self._handles.values():
            handle.node.lock = None
        self._handles.clear()

    def power_loss(self, luck: Random | None = None) -> None:
        """As `crash`, and everything that was not synced is lost.

        With `luck`, the disk has written a part of it: all changes of names up to a random moment since the
        last sync, as by a journaling file system, and random sectors of each file.
        """
        self.crash()
        nodes = list(self._reachable(self._top, set()))
        moments = sorted(when for node in nodes for when, _ in node.unsynced if when > self._synced)
        since = 0 if luck is None else luck.choice([*moments, next(self._clock)])
        for node in nodes:
            node.lose(luck, since)
            node.links = 0
        self._top.links = 1
        for node in self._reachable(self._top, set()):
            for below in node.entries.values():
                below.links += 1
        self.sync_all()

    def open_root(self, path: str) -> int:
        return self._handle(self._folder(self._at(path)))

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
            target = os.fsdecode(node.data)
            done = [] if target.startswith("/") else done
            queue += target.split("/")[::-1]
        return "/" + "/".join(done)

    def open_folder(self, folder: int, name: str) -> int:
        return self._handle(self._folder(self._entry(folder, name)))

    def close(self, handle: int) -> None:
        node = self._of(handle)
        if node.lock == handle:
            node.lock = None
        del self._handles[handle]

    def stat(self, folder: int, name: str) -> Stat | None:
        _check_name(name)
        node = self._inside(folder).entries.get(name)
        return None if node is None else self._stat(node)

    def fstat(self, handle: int) -> Stat:
        return self._stat(self._of(handle))

    def read_link(self, folder: int, name: str) -> str:
        node = self._entry(folder, name)
        if node.kind != "link":
            raise _failure(errno.EINVAL)
        return os.fsdecode(node.data)

    def scan(self, folder: int, name: str) -> tuple[int, list[str], list[str]]:
        node = self._folder(self._entry(folder, name)) if name not in {"", "."} else self._inside(folder)
        files, folders = (
            [key for key, entry in node.entries.items() if entry.kind == kind] for kind in ("file", "folder")
        )
        return self._handle(node), files, folders

    def scan_stamps(self, folder: int, name: str) -> tuple[int, list[tuple[str, Stamp]], list[str]]:
        handle, files, folders = self.scan(folder, name)
        entries = self._of(handle).entries
        return handle, [(key, _stamp(entries[key])) for key in files], folders

    def stamp(self, folder: int, name: str) -> Stamp | None:
        _check_name(name)
        node = self._inside(folder).entries.get(name)
        return _stamp(node) if node is not None and node.kind == "file" else None

    def read_stamped(self, folder: int, name: str, most: int) -> tuple[bytes, Stamp | None]:
        node = self._openable(folder, name)
        if node.kind == "folder":
            raise _failure(errno.EISDIR)
        return node.data[:most], _stamp(node) if node.kind == "file" else None

    def list(self, folder: int) -> list[str]:
        return sorted(self._inside(folder).entries)

    def open_file(self, folder: int, name: str) -> int:
        return self._handle(self._openable(folder, name))

    def fill(self, folder: int, name: str, buffer: bytearray) -> int:
        node = self._openable(folder, name)
        if node.kind == "folder":
            raise _failure(errno.EISDIR)
        data = node.data[: len(buffer)]
        buffer[: len(data)] = data
        return len(data)

    def read(self, handle: int, size: int) -> bytes:
        if self._of(handle).kind == "folder":
            raise _failure(errno.EISDIR)
        opened = self._handles[handle]
        data = opened.node.data[opened.position : opened.position + size]
        opened.position += len(data)
        return data

    def writable(self, folder: int, name: str) -> bool:
        node = self._inside(folder).entries.get(name)
        return node is not None and bool(node.mode & 0o200)

    def removable(self, folder: int, name: str) -> bool:
        above = self._of(folder)
        sticky = above.mode & 0o1000 and os.getuid() not in {0, above.owner[0], self._entry(folder, name).owner[0]}
        return bool(above.mode & 0o200) and not sticky

    def lock(self, folder: int) -> int | None:
        node = self._inside(folder)
        if node.lock is not None:
            return None
        node.lock = self._handle(node)
        return node.lock

    def unlock(self, handle: int) -> None:
        self.close(handle)

    def create(self, folder: int, name: str, mode: int) -> int:
        node = self._node("file", mode & ~0o022)
        self._add(folder, name, node)
        return self._handle(node, writes=True)

    def create_whole(self, folder: int, name: str, mode: int, data: bytes) -> None:
        if not self.can_link:
            raise _failure(errno.EOPNOTSUPP)
        node = self._node("file", mode & ~0o022)
        self._set_data(node, data)
        self._add(folder, name, node)

    def open_write(self, folder: int, name: str) -> int:
        node = self._openable(folder, name)
        if node.kind == "folder":
            raise _failure(errno.EISDIR)
        return self._handle(node, writes=True)

    def write(self, handle: int, pieces: Sequence[bytes | memoryview]) -> None:
        node, opened = self._of(handle), self._handles[handle]
        if not opened.writes:
            raise _failure(errno.EBADF)
        for piece in pieces:
            start = opened.position
            self._set_data(node, node.data[:start] + bytes(piece) + node.data[start + len(piece) :])
            opened.position += len(piece)

    def truncate(self, handle: int, size: int) -> None:
        node = self._of(handle)
        if not self._handles[handle].writes:
            raise _failure(errno.EINVAL)
        self._set_data(node, node.data[:size].ljust(size, b"\0"))

    def set_mode(self, handle: int, mode: int) -> None:
        self._of(handle).mode = mode

    def capability(self, handle: int) -> bytes:
        return self._of(handle).attributes.get("security.capability", b"")

    def set_capability(self, handle: int, value: bytes) -> None:
        self._of(handle).attributes["security.capability"] = value

    def copy_metadata(self, source: int, target: int) -> bool:
        old, new = self._of(source), self._of(target)
        if old.owner != new.owner and not self.can_chown:
            return False
        new.owner, new.mode, new.attributes = old.owner, old.mode, dict(old.attributes)
        return True

    def sync(self, handle: int) -> None:
        self._of(handle).sync()
        self._synced = next(self._clock)

    def rename(self, folder: int, name: str, to_folder: int, to_name: str) -> None:
        _check_name(to_name)
        node, target = self._entry(folder, name), self._inside(to_folder)
        old = target.entries.get(to_name)
        self._check_device(node, target)
        if node is old:
            return  # POSIX: two names of one file stay as they are
        if old is not None:
            self._check_replaceable(old, node, target)
            old.links -= 1
        self._set_entries((target, to_name, node), (self._inside(folder), name, None))

    def link(self, folder: int, name: str, to_folder: int, to_name: str) -> None:
        node, target = self._entry(folder, name), self._inside(to_folder)
        _check_name(to_name)
        if to_name in target.entries:
            raise _failure(errno.EEXIST)
        self._check_device(node, target)
        if not self.can_link or node.kind == "folder":
            raise _failure(errno.EPERM)
        self._set_entries((target, to_name, node))
        node.links += 1

    def unlink(self, folder: int, name: str) -> None:
        node = self._entry(folder, name)
        if node.kind == "folder":
            raise _failure(errno.EISDIR)
        node.links -= 1
        self._set_entries((self._inside(folder), name, None))

    def inherited(self, folder: int) -> tuple[object, ...]:
        node = self._of(folder)
        return node.owner[1], node.mode & 0o6000, node.attributes.get("system.posix_acl_default")

    def mkdir(self, folder: int, name: str, mode: int = 0o777) -> None:
        self._add(folder, name, self._node("folder", mode & ~0o022))

    def rmdir(self, folder: int, name: str) -> None:
        node = self._folder(self._entry(folder, name))
        if node.entries:
            raise _failure(errno.ENOTEMPTY)
        node.links = 0
        self._set_entries((self._inside(folder), name, None))

    def born(self, folder: int) -> int:
        return self._of(folder).inode  # inodes are not reused

    def machine(self, folder: int) -> tuple[str, bool]:
        del folder
        return self.machine_id, self.is_shared

    def secret(self) -> bytes:
        if self.key is None:
            raise _failure(errno.EROFS)
        return self.key

    def databases(self) -> Sequence[str]:
        return sorted(name for name in self.shelf if name.endswith(".db"))

    def open_database(self, name: str, create: bool, timeout_ms: int) -> Connection:  # noqa: FBT001  as in `FS`
        """A copy of the stored database, which a commit writes back: a crash leaves the last commit."""
        database = connect(MEMORY, timeout=timeout_ms / 1000, isolation_level=None)
        if name == MEMORY:
            return database
        if name not in self.shelf and not create:
            raise _failure(errno.ENOENT)
        if stored := self.shelf.setdefault(name, b""):
            database.deserialize(stored)
        self._opened = [(name, database)]
        return database

    def database_file(self, name: str) -> None:
        """None: an open database is a copy, which does not see what others commit."""

    def commit_database(self, database: Connection) -> None:
        database.execute("COMMIT")
        name = next(name for name, opened in self._opened if opened is database)
        self.shelf[name] = database.serialize()

    def vacuum_database(self, database: Connection) -> None:
        database.execute("VACUUM")
        name = next(name for name, opened in self._opened if opened is database)
        self.shelf[name] = database.serialize()

    def history_files(self) -> Sequence[str]:
        return sorted(self.shelf)

    def rename_database(self, name: str, to: str) -> None:
        self.shelf[to] = self.shelf.pop(name)

    def copy_database(self, name: str, to: str) -> None:
        self.shelf[to] = self.shelf[name]

    def _node(self, kind: str, mode: int) -> Node:
        """A new node without a name."""
        return Node(kind, next(self._inodes), mode)

    def _set_entries(self, *changes: tuple[Node, str, Node | None]) -> None:
        """Add or remove names in folders, all at once."""
        now = next(self._clock)
        for folder, name, node in changes:
            if node is None:
                del folder.entries[name]
            else:
                folder.entries[name] = node
        for folder, _, _ in changes:
            folder.unsynced.append((now, dict(folder.entries)))

    def _set_data(self, node: Node, data: bytes) -> None:
        node.data = data
        node.modified_ns = next(self._clock)

    def _at(self, path: str) -> Node:
        """The node at a path, with links followed."""
        node = self._find(name for name in self.real_path(path).split("/") if name)
        if node is None:
            raise _failure(errno.ENOENT)
        return node

    def _find(self, names: Iterable[str]) -> Node | None:
        node: Node | None = self._top
        for name in names:
            node = node.entries.get(name) if node is not None else None
        return node

    def _reachable(self, node: Node, seen: set[int]) -> Iterable[Node]:
        if node.inode not in seen:
            seen.add(node.inode)
            yield node
            states = (node.entries, node.kept_entries, *(entries for _, entries in node.unsynced))
            for child in {child for entries in states for child in entries.values()}:
                yield from self._reachable(child, seen)

    def _handle(self, node: Node, *, writes: bool = False) -> int:
        handle = next(self._numbers)
        self._handles[handle] = _Handle(node, writes=writes)
        return handle

    def _add(self, folder: int, name: str, node: Node) -> None:
        _check_name(name)
        parent = self._inside(folder)
        if name in parent.entries:
            raise _failure(errno.EEXIST)
        if not parent.links:
            raise _failure(errno.ENOENT)  # somebody removed the folder that this handle is on
        node.device = parent.device
        if parent.mode & _SET_GROUP:
            node.owner = (node.owner[0], parent.owner[1])
            node.mode |= _SET_GROUP if node.kind == "folder" else 0
        self._set_entries((parent, name, node))

    def _of(self, handle: int) -> Node:
        if handle not in self._handles:
            raise _failure(errno.EBADF)
        return self._handles[handle].node

    def _inside(self, handle: int) -> Node:
        return self._folder(self._of(handle))

    def _entry(self, folder: int, name: str) -> Node:
        _check_name(name)
        node = self._inside(folder).entries.get(name)
        if node is None:
            raise _failure(errno.ENOENT)
        return node

    def _openable(self, folder: int, name: str) -> Node:
        node = self._entry(folder, name)
        if node.kind == "link":
            raise _failure(errno.ELOOP)
        return node

    def _folder(self, node: Node) -> Node:
        if node.kind != "folder":
            raise _failure(errno.ENOTDIR)
        return node

    def _check_device(self, node: Node, target: Node) -> None:
        if node.device != target.device:
            raise _failure(errno.EXDEV)

    def _check_replaceable(self, old: Node, node: Node, target: Node) -> None:
        if old.device != target.device:
            raise _failure(errno.EBUSY)
        if old.kind == "folder" and node.kind != "folder":
            raise _failure(errno.EISDIR)
        if old.kind != "folder" and node.kind == "folder":
            raise _failure(errno.ENOTDIR)
        if old.entries:
            raise _failure(errno.ENOTEMPTY)

    def _below_root(self) -> Iterable[tuple[str, Node]]:
        stack = [("", self._at(self.root))]
        while stack:
            prefix, folder = stack.pop()
            for name, node in folder.entries.items():
                yield prefix + name, node
                if node.kind == "folder":
                    stack.append((f"{prefix}{name}/", node))

    def _parent_of(self, path: str) -> tuple[Node, str]:
        folder, _, name = f"{self.root}/{path}".rpartition("/")
        self.make_folder(self.real_path(folder))
        return self._at(folder), name

    def _stat(self, node: Node) -> Stat:
        return Stat(node.kind, len(node.data), node.mode, node.links, node.device, node.inode, node.modified_ns)


class Stopped(BaseException):
    """The machine stopped here: no cleanup of the code under test can run any more."""


class FaultyFS(FS):
    """A wrapper of a file system that fails at one call, or stops there for good.

    Calls are counted from 1; `calls` has their names so far. `only` restricts counting to calls with these
    names. A write that stops has written the first half. A close that fails has closed the handle, as on Linux;
    after the stop it does nothing. `on_call(number, name)` runs before each counted call, for instance to kill
    the process.
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
        self._counting = Lock()

    def abandon(self) -> None:
        """Close what the stopped process had open, as the kernel would. After that, every call fails."""
        self._stop_at = 0
        while self._open:
            self.inner.close(self._open.pop())

    def _forward(self, name: str, *args: Any) -> Any:
        counted = not self._only or name in self._only
        with self._counting:  # files are synced in threads
            if counted:
                self.calls.append(name)
            number = len(self.calls)
        if counted and self._on_call is not None:
            self._on_call(number, name)
        if self._stop_at is not None and number >= self._stop_at:
            if name == "write" and number == self._stop_at:
                data = b"".join(args[1])
                self.inner.write(args[0], (data[: len(data) // 2],))
            if name in _CLOSING and number > self._stop_at:
                return None  # a discarded generator closes its file, and its exception would be lost
            raise Stopped(name)
        if counted and number == self._fail_at:
            if name in _CLOSING:
                self._open.discard(args[0])
                self.inner.close(args[0])
            raise OSError(self._error, os.strerror(self._error))
        result = getattr(self.inner, name)(*args)
        if name in _OPENING and result is not None:
            self._open.add(result[0] if isinstance(result, tuple) else result)
        elif name in _CLOSING:
            self._open.discard(args[0])
        return result


def _stamp(node: Node) -> Stamp:
    return len(node.data), node.modified_ns, node.modified_ns, node.inode, node.mode & 0o7777


def _failure(number: int) -> OSError:
    return OSError(number, os.strerror(number))


class _Handle:
    def __init__(self, node: Node, *, writes: bool) -> None:
        self.node = node
        self.writes = writes
        self.position = 0


def _check_name(name: str) -> None:
    if len(os.fsencode(name)) > _MAX_NAME_BYTES:
        raise _failure(errno.ENAMETOOLONG)


def _forward_method(name: str) -> Callable[..., Any]:
    def method(self: FaultyFS, *args: Any) -> Any:
        return self._forward(name, *args)

    return method


for _name in [name for name in vars(FS) if not name.startswith("_")]:
    setattr(FaultyFS, _name, _forward_method(_name))
