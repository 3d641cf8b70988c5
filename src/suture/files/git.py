"""A git repository, as far as it says what a file was: in the index, at HEAD, and in the commits before.

Only its files are read (`files.git_objects`): git is not started, and no configuration is obeyed, so that a hostile
repository cannot have anything run. What comes out is what git stores: no filter and no conversion of line ends.

A repository may lie around the workspace, or beside it (worktrees, submodules). Its content is only given for the path
of a file that the caller may read anyway. Since a `.git` can point anywhere, it counts only if it belongs here:

- it belongs to this user, or to whom the file belongs: nobody else may plant one in a folder above;
- a `.git` that leads elsewhere leads into a root, into the repository of a folder above (a submodule), or to a
  place that names it in return (a worktree).

Not read: names in a reftable; an index that is split, or has what is looked for in a folder that is left out.
"""

from __future__ import annotations

import os
from heapq import heappop, heappush

from suture import log
from suture.files.git_objects import BLOB, COMMIT, TREE, Objects, contents
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType
    from typing import Self

_SMALL = 1 << 16
_LARGE = 64_000_000  # bytes of an index, or of a list of names
_MOST_LINKS = 5
_MOST_COMMITS = 5_000
_SHA1, _SHA256 = 20, 32
_FILE_MODES = (b"100644", b"100755", b"100664")
_ENTRY = 40  # bytes of an entry of the index before the object's name
_REGULAR = 0o100
_DIRC = b"DIRC"


class PastVersion(Record):
    """A version of a file: the object with its content, the commit that has it, and the one that replaced it."""

    blob: bytes
    commit: str
    until: str | None


class _Commit(Record):
    tree: bytes
    parents: tuple[bytes, ...]
    time: int


class Repository:
    """What a repository has of one file. Close it after use."""

    def __init__(self, git: str, path: str, ends: float) -> None:
        """`git` is its `.git` folder, `path` the file's path below its top."""
        self._git = git
        common = (contents(f"{git}/commondir", _SMALL) or b".").strip()
        self._common = os.path.normpath(os.path.join(git, os.fsdecode(common)))
        self._path = os.fsencode(path)
        self._names = self._path.split(b"/")
        self._width = _SHA256 if _is_sha256(contents(f"{self._common}/config", _LARGE) or b"") else _SHA1
        self._objects = Objects(f"{self._common}/objects", self._width, ends)
        self._below: dict[tuple[int, bytes], bytes | None] = {}

    def __enter__(self) -> Self:
        self._objects.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._objects.__exit__(kind, error, trace)

    def content(self, blob: bytes, most: int) -> bytes | None:
        """The content of an object, if it is here and not larger."""
        return self._objects.read(blob, BLOB, most)

    def head(self) -> bytes | None:
        """The commit that is checked out; None before the first one."""
        name = b"HEAD"
        for _ in range(_MOST_LINKS):
            found = self._reference(name)
            if not found.startswith(b"ref:"):
                return self._object_name(found)
            name = found[4:].strip()
            if not name.startswith(b"refs/") or b".." in name:
                break
        return None

    def staged(self) -> bytes | None:
        """The object of the file in the index; None if it isn't there, or in conflict."""
        raw = contents(f"{self._git}/index", _LARGE)
        if raw is None or not raw.startswith(_DIRC):
            return None
        version = int.from_bytes(raw[4:8], "big")
        if version in {2, 3}:
            return self._staged_plain(raw)
        return self._staged_prefixed(raw) if version == 4 else None  # noqa: PLR2004

    def past(self) -> Iterator[PastVersion]:
        """The file's versions, from HEAD back to where it was added, the newest first.

        Where lines of history meet, only one that has the same version is followed, if there is one: as `git log` does.
        """
        head = self.head()
        start = None if head is None else self._commit(head)
        if head is None or start is None or (blob := self._in_tree(start.tree)) is None:
            return
        queue = [(-start.time, 0, head, start, blob, "")]
        seen, number = {head}, 0
        while queue and number < _MOST_COMMITS:
            _, _, name, commit, blob, until = heappop(queue)
            before = [(each, found) for each in commit.parents if (found := self._commit(each)) is not None]
            had = [(each, found, self._in_tree(found.tree)) for each, found in before]
            same = [each for each in had if each[2] == blob]
            if not same:
                yield PastVersion(blob, name.hex(), until or None)
                until = name.hex()
            for each, found, was in same[:1] or had:
                if was is not None and each not in seen:
                    seen.add(each)
                    number += 1
                    heappush(queue, (-found.time, number, each, found, was, until))

    def _reference(self, name: bytes) -> bytes:
        """What a name stands for, as it is written."""
        for folder in dict.fromkeys((self._git, self._common)):
            found = contents(os.path.join(folder, os.fsdecode(name)), _SMALL)
            if found is not None:
                return found.strip()
        packed = contents(f"{self._common}/packed-refs", _LARGE) or b""
        at = packed.find(b" " + name + b"\n")
        return packed[packed.rfind(b"\n", 0, at) + 1 : at] if at > 0 else b""

    def _object_name(self, written: bytes) -> bytes | None:
        try:
            found = bytes.fromhex(written.decode("ascii"))
        except ValueError:
            return None
        return found if len(found) == self._width else None

    def _commit(self, name: bytes) -> _Commit | None:
        raw = self._objects.read(name, COMMIT)
        if raw is None:
            return None
        tree, parents, time = None, [], 0
        for line in raw[: raw.find(b"\n\n")].split(b"\n"):
            key, _, value = line.partition(b" ")
            if key == b"tree":
                tree = self._object_name(value)
            elif key == b"parent" and (parent := self._object_name(value)) is not None:
                parents.append(parent)
            elif key == b"committer":
                digits = value[value.rfind(b">") + 1 :].split()[:1]
                time = int(digits[0]) if digits and digits[0].isdigit() else 0
                break
        return None if tree is None else _Commit(tree, tuple(parents), time)

    def _in_tree(self, tree: bytes, depth: int = 0) -> bytes | None:
        """The object of the file in a folder that it lies in at some depth."""
        key = depth, tree
        if key not in self._below:
            self._below[key] = self._looked_up(tree, depth)
        return self._below[key]

    def _looked_up(self, tree: bytes, depth: int) -> bytes | None:
        raw = self._objects.read(tree, TREE) or b""
        last = depth == len(self._names) - 1
        for mode in _FILE_MODES if last else (b"40000",):
            entry = mode + b" " + self._names[depth] + b"\0"
            at = raw.find(entry)
            if at >= 0:
                name = raw[at + len(entry) :][: self._width]
                return name if last else self._in_tree(name, depth + 1)
        return None

    def _staged_plain(self, raw: bytes) -> bytes | None:
        """Look for the name, and whether an entry stands around it: going through all entries would take long."""
        at = -1
        while (at := raw.find(self._path + b"\0", at + 1)) > 0:
            for more in (0, 2):  # flags of newer versions
                start = at - more - 2 - self._width - _ENTRY
                if start >= 12 and not (start - 12) % 4 and self._is_entry(raw, start, bool(more)):  # noqa: PLR2004
                    return raw[start + _ENTRY : start + _ENTRY + self._width]
        return None

    def _is_entry(self, raw: bytes, start: int, extended: bool) -> bool:  # noqa: FBT001  as the format has it
        flags = int.from_bytes(raw[start + _ENTRY + self._width :][:2], "big")
        mode = int.from_bytes(raw[start + 24 : start + 28], "big")
        long, stage = flags & 0xFFF, flags >> 12 & 3
        return (
            mode >> 9 == _REGULAR
            and long == min(len(self._path), 0xFFF)
            and not stage
            and extended == bool(flags >> 14 & 1)
        )

    def _staged_prefixed(self, raw: bytes) -> bytes | None:
        """As above, where an entry has only what differs from the name before."""
        name, at, fixed = b"", 12, _ENTRY + self._width + 2
        for _ in range(int.from_bytes(raw[8:12], "big")):
            flags = int.from_bytes(raw[at + fixed - 2 : at + fixed], "big")
            place = at + fixed + (2 if flags >> 14 & 1 else 0)
            if place >= len(raw):
                break
            byte = raw[place]
            strip, place = byte & 127, place + 1
            while byte & 128:
                byte = raw[place]
                strip, place = (strip + 1) << 7 | byte & 127, place + 1
            end = raw.index(b"\0", place)
            name = name[: len(name) - strip] + raw[place:end]
            if name == self._path:
                regular = int.from_bytes(raw[at + 24 : at + 28], "big") >> 9 == _REGULAR
                return raw[at + _ENTRY : at + fixed - 2] if regular and not flags >> 12 & 3 else None
            at = end + 1
        return None


def repository(file: str, roots: Sequence[str], ends: float) -> Repository | None:
    """The repository that a file lies in, if one is there and belongs here.

    `file` and `roots`, those of the workspace, are full paths without links.
    """
    link = _above(os.path.dirname(file))
    if link is None:
        return None
    git = _folder(link)
    owners = {os.geteuid(), os.stat(file, follow_symlinks=False).st_uid}
    if git is None or os.stat(link, follow_symlinks=False).st_uid not in owners or not _belongs(git, link, roots):
        log.debug("git", "%s is passed over: it is no repository of this workspace", link)
        return None
    return Repository(git, os.path.relpath(file, os.path.dirname(link)), ends)


def _above(folder: str) -> str | None:
    """The `.git` of a folder, or of the nearest one around it."""
    while not os.path.lexists(found := os.path.join(folder, ".git")):
        if folder == os.path.dirname(folder):
            return None
        folder = os.path.dirname(folder)
    return found


def _folder(link: str) -> str | None:
    """The folder that a `.git` stands for, without links."""
    if os.path.isdir(link):
        return os.path.realpath(link)
    written = contents(link, _SMALL) or b""
    if not written.startswith(b"gitdir:"):
        return None
    aim = os.fsdecode(written[len(b"gitdir:") :].strip())
    found = os.path.realpath(os.path.join(os.path.dirname(link), aim))
    return found if os.path.isdir(found) else None


def _belongs(git: str, link: str, roots: Sequence[str]) -> bool:
    """Whether a folder that a `.git` leads to is meant for what lies beside it."""
    if git == link or any(_is_below(git, root) for root in roots):
        return True
    back = os.fsdecode((contents(f"{git}/gitdir", _SMALL) or b"").strip())
    if back and os.path.realpath(os.path.join(git, back)) == link:  # a worktree
        return True
    outer = _above(os.path.dirname(os.path.dirname(link)))
    around = None if outer is None else _folder(outer)
    if outer is None or around is None or not _belongs(around, outer, roots):
        return False
    return _is_below(git, f"{around}/modules")  # a submodule


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/")


def _is_sha256(configuration: bytes) -> bool:
    """Whether objects have names of the longer kind."""
    import re

    return re.search(rb'(?i)(^|\n|\])[ \t]*objectformat[ \t]*=[ \t]*"?sha256', configuration) is not None
