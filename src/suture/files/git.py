"""A git repository, as far as it says what a file was: in the index, at HEAD, and in the commits before.

Only its files are read (`files.git_objects`): git is not started, and of the configuration only the kind of names and
the folder that it is for are looked at. So a hostile repository cannot have anything run. What comes out is what git
stores: no filter is applied, no line ending converted, nothing fetched.

A repository may lie around the workspace, or beside it (worktrees, submodules). What it has is given for the path of a
file that the caller may read, and for no other. Since a `.git` can point anywhere, it counts only if it belongs here:

- it is owned by this user, or by whoever owns the file: nobody else may plant one in a folder above;
- if it leads elsewhere, that is inside a root, or names this folder in return, as worktrees and submodules do;
- its index and the names of its commits are its own: no links lead out to those of another repository.

Not read: names in a reftable; an index that is split, or where the file's folder is left out as a whole.
"""

from __future__ import annotations

import os
from heapq import heappop, heappush
from time import monotonic

from suture import log
from suture.files.git_objects import BLOB, COMMIT, SHA1, SHA256, TREE, Objects, contents
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType
    from typing import Self

    _Commit = tuple[bytes, list[bytes], int]

_SMALL = 1 << 16
_MEDIUM = 1 << 20  # bytes of a configuration, or of a commit
_LARGE = 64_000_000  # of an index, or of a list of names
_MOST_LINKS = 5
_MOST_COMMITS = 1_000  # 30 to 70 ms, measured
_FILE_MODES = (b"100644", b"100755", b"100664")
_FOLDER_MODES = (b"40000",)
_ENTRY = 40  # bytes of an entry of the index before the object's name
_REGULAR = 0o100
_OFTEN = 1_000


class PastVersion(Record):
    """A version of a file: the object with its content, the last commit that has it, and the one that replaced it."""

    blob: bytes
    commit: str
    until: str


class Repository:
    """What a repository has of one file. Close it after use."""

    def __init__(self, git: str, path: str, ends: float) -> None:
        """`git` is its `.git` folder, `path` the file's path below its top."""
        self._git = git
        self._common = _common(git)
        self._ends = ends
        self._path = os.fsencode(path)
        self._names = self._path.split(b"/")
        kind = _configured(contents(f"{self._common}/config", _MEDIUM) or b"", b"objectformat") or b"sha1"
        self._width = SHA256 if kind.lower() == b"sha256" else SHA1
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
            if not name.startswith(b"refs/") or b".." in name or b"\0" in name:
                break
        return None

    def staged(self) -> bytes | None:
        """The object of the file in the index; None if it isn't there, or in conflict."""
        raw = self._own(self._git, "index", _LARGE) or b""
        version = int.from_bytes(raw[4:8], "big")
        try:
            if raw.startswith(b"DIRC") and version in {2, 3}:
                return self._staged_plain(raw)
            if raw.startswith(b"DIRC") and version == 4:  # noqa: PLR2004  the format's
                return self._staged_prefixed(raw)
        except (IndexError, ValueError):
            log.debug("git", "%s/index is damaged", self._git)
        return None

    def at(self, commit: bytes) -> bytes | None:
        """The object of the file in a commit; None if it has no such file."""
        found = self._commit(commit)
        return None if found is None else self._in_tree(found[0])

    def past(self, head: bytes) -> Iterator[PastVersion]:
        """The versions that the file had before a commit, back to where it was added, the newest first.

        Where lines of history meet, only one that has the same version is followed, if there is one: as `git log` does.
        """
        start = self._commit(head)
        if start is None:
            return
        queue = [(0, 0, head, start, self._in_tree(start[0]))]
        seen, number = {head}, 0
        while queue and number < _MOST_COMMITS:
            _, _, name, (_, parents, _), blob = heappop(queue)
            before = [(each, found) for each in parents if (found := self._commit(each)) is not None]
            had = [(each, found, was) for each, found in before if (was := self._in_tree(found[0])) is not None]
            same = [each for each in had if each[2] == blob][:1]
            for each, found, was in same or had:
                if not same:
                    yield PastVersion(was, each.hex(), name.hex())
                if each not in seen:
                    seen.add(each)
                    number += 1
                    heappush(queue, (-found[2], number, each, found, was))

    def _reference(self, name: bytes) -> bytes:
        """What a name stands for, as it is written."""
        for folder in dict.fromkeys((self._git, self._common)):
            found = self._own(folder, os.fsdecode(name), _SMALL)
            if found is not None:
                return found.strip()
        packed = self._own(self._common, "packed-refs", _LARGE) or b""
        at = packed.find(b" " + name + b"\n")
        return packed[packed.rfind(b"\n", 0, at) + 1 : at] if at > 0 else b""

    @staticmethod
    def _own(folder: str, name: str, most: int) -> bytes | None:
        """A file of the repository that no link led to: it would be another one's."""
        path = f"{folder}/{name}"
        return contents(path, most) if os.path.realpath(path) == path else None

    def _object_name(self, written: bytes) -> bytes | None:
        try:
            found = bytes.fromhex(written.decode("ascii"))
        except ValueError:
            return None
        return found if len(found) == self._width else None

    def _commit(self, name: bytes) -> _Commit | None:
        """The tree of a commit, those before it, and when it was made."""
        raw = self._objects.read(name, COMMIT, _MEDIUM)
        if raw is None or not raw.startswith(b"tree "):
            return None
        found, at, width = [], 5, 2 * self._width
        try:
            found.append(bytes.fromhex(raw[at : at + width].decode("ascii")))
            while raw.startswith(b"\nparent ", at + width):
                at += width + len(b"\nparent ")
                found.append(bytes.fromhex(raw[at : at + width].decode("ascii")))
            end = raw.index(b"\n", raw.index(b"\ncommitter ", at) + 1)
            time = int(raw[raw.rindex(b">", at, end) + 1 : end].split()[0])
        except (ValueError, IndexError):
            return None
        return found[0], found[1:], time

    def _in_tree(self, tree: bytes) -> bytes | None:
        """The object of the file in the top folder of a commit."""
        passed: list[tuple[int, bytes]] = []
        found: bytes | None = tree
        for depth, name in enumerate(self._names):
            if found is None:
                break
            passed.append((depth, found))
            if passed[-1] in self._below:  # most commits leave this folder alone
                found = self._below[passed[-1]]
                break
            modes = _FILE_MODES if depth == len(self._names) - 1 else _FOLDER_MODES
            found = self._entry(self._objects.read(found, TREE) or b"", name, modes)
        self._below.update(dict.fromkeys(passed, found))
        return found

    def _entry(self, tree: bytes, name: bytes, modes: tuple[bytes, ...]) -> bytes | None:
        """The object of a name in a folder, if it is of such a kind."""
        for mode in modes:
            entry = mode + b" " + name + b"\0"
            at = tree.find(entry)
            if at >= 0:
                return tree[at + len(entry) :][: self._width]
        return None

    def _staged_plain(self, raw: bytes) -> bytes | None:
        """Look for the name, and whether an entry stands around it: going through all entries would take long."""
        at, tried = -1, 0
        while (at := raw.find(self._path + b"\0", at + 1)) > 0:
            tried = self._counted(tried)
            for more in (0, 2):  # flags of newer versions
                start = at - more - 2 - self._width - _ENTRY
                if start >= 12 and not (start - 12) % 4 and self._is_entry(raw, start, bool(more)):  # noqa: PLR2004
                    return raw[start + _ENTRY : start + _ENTRY + self._width]
        return None

    def _counted(self, tried: int) -> int:
        """One more; a look at the clock now and then."""
        if not tried % _OFTEN and monotonic() > self._ends:
            raise TimeoutError
        return tried + 1

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
        tried = 0
        for _ in range(int.from_bytes(raw[8:12], "big")):
            tried = self._counted(tried)
            flags = int.from_bytes(raw[at + fixed - 2 : at + fixed], "big")
            place = at + fixed + (2 if flags >> 14 & 1 else 0)
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
    found = _real(os.path.join(os.path.dirname(link), aim))
    return found if os.path.isdir(found) else None


def _belongs(git: str, link: str, roots: Sequence[str]) -> bool:
    """Whether a folder that a `.git` leads to is meant for what lies beside it."""
    top = os.path.dirname(link)
    for file in (f"{git}/config", f"{git}/config.worktree"):
        aim = _configured(contents(file, _MEDIUM) or b"", b"worktree")
        if aim is not None:
            return _real(os.path.join(git, os.fsdecode(aim))) == top
    if git == link or any(_is_below(git, root) for root in roots):
        return True
    back = os.fsdecode((contents(f"{git}/gitdir", _SMALL) or b"").strip())
    return bool(back) and _real(os.path.join(git, back)) == link


def _common(git: str) -> str:
    """The folder with what all worktrees of a repository share; itself, if it has but one."""
    aim = contents(f"{git}/commondir", _SMALL)
    if aim is None:
        return git
    found = _real(os.path.join(git, os.fsdecode(aim.strip())))
    return found if _is_below(git, f"{found}/worktrees") else git


def _real(path: str) -> str:
    """A path that a file names, without links; empty if it holds a NUL, which no path does."""
    return "" if "\0" in path else os.path.realpath(path)


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/")


def _configured(configuration: bytes, key: bytes) -> bytes | None:
    """The value of a key that only one section has."""
    import re

    found = re.search(rb'(?i)(?:^|\n|\])[ \t]*%b[ \t]*=[ \t]*"?([^"\r\n]*)' % key, configuration)
    return None if found is None else found[1].strip()
