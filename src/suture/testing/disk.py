"""What a file system in memory is made of: files and folders under names, and what of them a power cut would take."""

from __future__ import annotations

import errno
import os
from itertools import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from random import Random

_MAX_LINKS = 40
_SECTOR = 512


class Node:
    """A file, folder or link; what is `kept` is sure to outlive a power cut.

    `unsynced` has what a folder looked like after each change since it was synced, and when that was.
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
        """Let it outlive a power cut as it is now."""
        self.kept_data = self.data
        self.kept_entries = dict(self.entries)
        self.unsynced = []

    def lose(self, luck: Random | None, since: int) -> None:
        """Be what a power cut leaves: what was synced, names changed before `since`, and sectors by luck."""
        self.entries = dict([self.kept_entries, *(entries for when, entries in self.unsynced if when < since)][-1])
        if luck is None:
            self.data = self.kept_data
            return
        size = len(luck.choice((self.kept_data, self.data)))
        old, new = (data[:size].ljust(size, b"\0") for data in (self.kept_data, self.data))
        self.data = b"".join(luck.choice((old, new))[at : at + _SECTOR] for at in range(0, size, _SECTOR))


class Disk:
    """The nodes below `/`, and the clock by which they change."""

    def __init__(self) -> None:
        self._numbers = count(1)
        self._clock = count(1)
        self._synced = 0
        self.top = self.node("folder", 0o755)

    def node(self, kind: str, mode: int) -> Node:
        """A new node, which no name stands for yet."""
        return Node(kind, next(self._numbers), mode)

    def name(self, *changes: tuple[Node, str, Node | None]) -> None:
        """Let names in folders stand for nodes, or for nothing, all at once."""
        now = next(self._clock)
        for folder, name, node in changes:
            if node is None:
                del folder.entries[name]
            else:
                folder.entries[name] = node
        for folder, _, _ in changes:
            folder.unsynced.append((now, dict(folder.entries)))

    def set_data(self, node: Node, data: bytes) -> None:
        """Give a file its content."""
        node.data = data
        node.modified_ns = next(self._clock)

    def make_folder(self, path: str) -> None:
        """Make a folder and those above it."""
        node = self.top
        for name in path.strip("/").split("/"):
            if name not in node.entries:
                self.name((node, name, self.node("folder", 0o755)))
            node = node.entries[name]

    def at(self, path: str) -> Node:
        """What stands at a path, its links followed."""
        node = self._find(name for name in self.real_path(path).split("/") if name)
        if node is None:
            raise failure(errno.ENOENT)
        return node

    def real_path(self, path: str) -> str:
        """A path with its links resolved as far as it exists."""
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

    def sync(self, node: Node) -> None:
        """Let a node outlive a power cut."""
        node.sync()
        self._synced = next(self._clock)

    def sync_all(self) -> None:
        """Let everything outlive a power cut."""
        for node in self._reachable(self.top, set()):
            node.sync()

    def power_loss(self, luck: Random | None) -> None:
        """Lose what was not synced, as `MemoryFS.power_loss` tells."""
        nodes = list(self._reachable(self.top, set()))
        moments = sorted(when for node in nodes for when, _ in node.unsynced if when > self._synced)
        since = 0 if luck is None else luck.choice([*moments, next(self._clock)])
        for node in nodes:
            node.lose(luck, since)
            node.links = 0
        self.top.links = 1
        for node in self._reachable(self.top, set()):
            for below in node.entries.values():
                below.links += 1
        self.sync_all()

    def _find(self, names: Iterable[str]) -> Node | None:
        node: Node | None = self.top
        for name in names:
            node = node.entries.get(name) if node is not None else None
        return node

    def _reachable(self, node: Node, seen: set[int]) -> Iterable[Node]:
        if node.inode not in seen:
            seen.add(node.inode)
            yield node
            states = (node.entries, node.kept_entries, *(entries for _, entries in node.unsynced))
            for below in {each for entries in states for each in entries.values()}:
                yield from self._reachable(below, seen)


def failure(number: int) -> OSError:
    """The error that a POSIX system gives with this errno."""
    return OSError(number, os.strerror(number))
