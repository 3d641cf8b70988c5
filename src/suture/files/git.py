"""Versions of a file in a git repository, read from its objects without running git.

    objects/ab/cdef…                     one object, deflated
    objects/pack/pack-….idx, ….pack      many objects: a sorted list of names with offsets, and the data
    objects/info/alternates              more folders of this kind

Only the repository's files are read: nothing in it is run, and git itself is not needed. Of the configuration, only the
object format and the worktree are used. So a hostile repository cannot run anything. An object that is damaged, too
large, or missing (in a shallow or partial clone) is None; nothing is fetched. Every object is compared with its name.
Contents are as git stores them: no filters, no conversion of line endings.

Rejected, measured on 10,000 commits: `git log` and `git cat-file --batch`. They read commits three times as fast (10
instead of 30 µs each), but take 4 ms to start, in which this finds five versions; and they obey the repository's
configuration, which can name programs, to an extent that depends on their version. Dulwich: 40 ms to import, and a
walk takes up to 40 times as long. Mapping packs into memory: if another process truncates a pack, this one is killed.

A repository may be above the workspace, or elsewhere (worktrees, submodules). Its contents are only used for the path
of a file that the caller may read. A `.git` can point anywhere, so a repository is only used if it belongs here:

- it is owned by this user or by the owner of the file: nobody else may plant one in a folder above;
- if `.git` leads elsewhere, the target is inside a root, or points back to this folder, as worktrees and submodules do;
- its index and references are its own: links that lead to those of another repository are not followed.

Not supported: references in a reftable; a split index; a sparse index without entries for the file's folder.
"""

from __future__ import annotations

import os
import stat as modes
import sys
import zlib
from contextlib import suppress
from heapq import heappop, heappush
from itertools import islice
from time import monotonic

from suture import log
from suture.plan import Head
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Iterator, Sequence
    from typing import Self

    _Commit = tuple[bytes, list[bytes], int]

SHA1, SHA256 = 20, 32
"""The lengths of object names, in bytes."""
COMMIT, TREE, BLOB = 1, 2, 3
"""The kinds of objects, as packs number them."""
_KINDS = {b"commit": COMMIT, b"tree": TREE, b"blob": BLOB}
_WORDS = {kind: word for word, kind in _KINDS.items()}
_OFFSET_DELTA, _NAME_DELTA = 6, 7  # as packs number them: a delta whose base is given by offset, or by name

_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY  # opening a pipe without a writer must not block
_MAX_BASE_BYTES = 16_000_000  # bytes of an object that is the base of another: bounds the memory
_MAX_CHAIN_DELTAS = 4_096  # deltas: git allows no more
_CACHE_SIZE = 16_000_000  # bytes of objects that are bases of others, which several deltas share
_MAX_PACKS = 100  # the newest ones; git joins them at 50
_MAX_PACK_FILES = 10_000  # in a folder of packs: bounds the time
_MAX_ALTERNATES_BYTES = 1 << 16  # bytes: far more than git writes
_PIECES_BETWEEN_CHECKS = 4_096  # of a delta, between two checks of the deadline: a check takes as long as a piece
_MAX_OBJECT_FOLDERS = 10  # including alternates: bounds the time
_NAMES_AT_ONCE = 1_024  # of a pack's index, read at once: the last step of a binary search
_CHUNK_SIZE = 4_096  # bytes read from a pack at once, at least: most objects are smaller

_IDX_MAGIC = b"\xfftOc\x00\x00\x00\x02"
_FANOUT_END = 8 + 256 * 4  # end of the counts in a pack's index: magic, and cumulative counts of names by first byte

_MAX_REFERENCE_BYTES = 1 << 16  # of a file that contains the name of a commit, or a path: far more than git writes
_MAX_COMMIT_BYTES = 1 << 20  # bytes of a configuration, or of a commit: larger ones are unusual, and slow to parse
_MAX_INDEX_BYTES = 64_000_000  # bytes of an index, or of packed-refs: bounds the memory and the time
_NO_FILES_BRANCH = "refs/heads/.invalid"  # written to HEAD if references are in a reftable
_MAX_REFERENCES = 5  # symbolic references in a chain, as in git
_MAX_COMMITS = 1_000  # that are examined for earlier versions of a file: takes 30 to 70 ms, measured
_FILE_MODES = (b"100644", b"100755", b"100664")
_FOLDER_MODES = (b"40000",)
_ENTRY_HEAD_SIZE = 40  # bytes of an index entry before the object's name
_REGULAR_FILE_BITS = 0o100  # the type bits of a regular file in an index entry
_OBJECTS_BETWEEN_CHECKS = 1_000  # entries of the index between two checks of the deadline


class Damaged(Exception):
    """The data is not in a format that git writes."""


class Objects:
    """The objects in a folder and its alternates. Close it after use."""

    def __init__(self, folder: str, width: int, deadline: float) -> None:
        """`width` is the length of a name in bytes; at the time `ends`, reading stops with TimeoutError."""
        from hashlib import sha1, sha256

        self._folders = _with_alternates(folder)
        self._hash = sha1 if width == SHA1 else sha256
        self._width = width
        self._cache = _Cache(deadline)
        self._packs: list[_Pack] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for pack in self._packs or ():
            pack.close()
        self._packs = None

    def read(self, name: bytes, kind: int, most: int = _MAX_BASE_BYTES) -> bytes | None:
        """The object with this name and kind; None if it is missing, damaged, or larger than `most` bytes."""
        self._cache.check_time()
        try:
            item = self._find(name, most)
        except TimeoutError:
            raise
        except (Damaged, OSError, zlib.error):
            return None
        if item is None or item[0] != kind or len(item[1]) > most:
            return None
        return item[1] if self._hash_object(*item) == name else None

    def _hash_object(self, kind: int, content: bytes) -> bytes:
        """The name of an object, which is a hash of its content."""
        return self._hash(b"%b %d\0%b" % (_WORDS[kind], len(content), content), usedforsecurity=False).digest()

    def _find(self, name: bytes, most: int) -> tuple[int, bytes] | None:
        if self._packs is None:
            self._packs = _packs(self._folders, self._width, self._cache)
        for place, pack in enumerate(self._packs):
            offset = pack.offset(name)
            if offset is not None:
                self._packs.insert(0, self._packs.pop(place))  # the next object is probably there too
                return pack.read(offset, most)
            if not place and (loose := self._loose(name, most)) is not None:
                return loose
        return None if self._packs else self._loose(name, most)

    def _loose(self, name: bytes, most: int) -> tuple[int, bytes] | None:
        written = name.hex()
        for folder in self._folders:
            raw = contents(f"{folder}/{written[:2]}/{written[2:]}", 2 * most + _CHUNK_SIZE)
            if raw is not None:
                return _inflate(raw, most)
        return None


class CommittedVersion(Record):
    """A version of a file: the object with its content, the last commit that has it, and the one that replaced it."""

    blob: bytes
    commit: str
    until: str


class Repository:
    """The versions of one file in a repository. Close it after use."""

    def __init__(self, git: str, path: str, deadline: float) -> None:
        """`git` is its `.git` folder, `path` the file's path in its worktree."""
        self._git = git
        self._common_folder = shared_folder(git)
        self._deadline = deadline
        self._path = os.fsencode(path)
        self._names = self._path.split(b"/")
        kind = (
            configuration_value(contents(f"{self._common_folder}/config", _MAX_COMMIT_BYTES) or b"", b"objectformat")
            or b"sha1"
        )
        self._width = SHA256 if kind.lower() == b"sha256" else SHA1
        self._objects = Objects(f"{self._common_folder}/objects", self._width, deadline)
        self._below: dict[tuple[int, bytes], bytes | None] = {}

    def __enter__(self) -> Self:
        self._objects.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._objects.__exit__(*error)

    def content(self, blob: bytes, most: int) -> bytes | None:
        """The content of an object; None if it is missing or larger than `most` bytes."""
        return self._objects.read(blob, BLOB, most)

    def head(self) -> bytes | None:
        """The commit that is checked out; None before the first one."""
        name = b"HEAD"
        for _ in range(_MAX_REFERENCES):
            target = self._reference(name)
            if not target.startswith(b"ref:"):
                return self._object_name(target)
            name = target[4:].strip()
            if not name.startswith(b"refs/") or b".." in name or b"\0" in name:
                break
        return None

    def staged_blob(self) -> bytes | None:
        """The object of the file in the index; None if it is missing, or in conflict."""
        raw = self._read_own(self._git, "index", _MAX_INDEX_BYTES) or b""
        version = int.from_bytes(raw[4:8], "big")
        try:
            if raw.startswith(b"DIRC") and version in {2, 3}:
                return self._staged_plain(raw)
            if raw.startswith(b"DIRC") and version == 4:  # noqa: PLR2004  the format's
                return self._search_prefixed_index(raw)
        except (IndexError, ValueError):
            log.debug("git", "%s/index is damaged", self._git)
        return None

    def at(self, commit: bytes) -> bytes | None:
        """The object of the file in a commit; None if it has no such file."""
        parsed = self._commit(commit)
        return None if parsed is None else self._in_tree(parsed[0])

    def versions_before(self, head: bytes) -> Iterator[CommittedVersion]:
        """The versions of the file before a commit, newest first, back to where it was added.

        At a merge, only one parent with the same version is followed, if there is one, as by `git log`.
        """
        start = self._commit(head)
        if start is None:
            return
        queue = [(0, 0, head, start, self._in_tree(start[0]))]
        seen, number = {head}, 0
        while queue and number < _MAX_COMMITS:
            _, _, name, (_, parents, _), blob = heappop(queue)
            before = [(parent, parsed) for parent in parents if (parsed := self._commit(parent)) is not None]
            had = [(parent, parsed, was) for parent, parsed in before if (was := self._in_tree(parsed[0])) is not None]
            same = [entry for entry in had if entry[2] == blob][:1]
            for parent, parsed, was in same or had:
                if not same:
                    yield CommittedVersion(was, parent.hex(), name.hex())
                if parent not in seen:
                    seen.add(parent)
                    number += 1
                    heappush(queue, (-parsed[2], number, parent, parsed, was))

    def _reference(self, name: bytes) -> bytes:
        """The value of a reference, as written."""
        for folder in dict.fromkeys((self._git, self._common_folder)):
            written = self._read_own(folder, os.fsdecode(name), _MAX_REFERENCE_BYTES)
            if written is not None:
                return written.strip()
        packed = self._read_own(self._common_folder, "packed-refs", _MAX_INDEX_BYTES) or b""
        at = packed.find(b" " + name + b"\n")
        return packed[packed.rfind(b"\n", 0, at) + 1 : at] if at > 0 else b""

    @staticmethod
    def _read_own(folder: str, name: str, most: int) -> bytes | None:
        """A file of the repository itself; None if a link leads to it, perhaps to another repository."""
        path = f"{folder}/{name}"
        return contents(path, most) if os.path.realpath(path) == path else None

    def _object_name(self, written: bytes) -> bytes | None:
        try:
            name = bytes.fromhex(written.decode("ascii"))
        except ValueError:
            return None
        return name if len(name) == self._width else None

    def _commit(self, name: bytes) -> _Commit | None:
        """The tree of a commit, its parents, and its time."""
        raw = self._objects.read(name, COMMIT, _MAX_COMMIT_BYTES)
        if raw is None or not raw.startswith(b"tree "):
            return None
        names, at, width = [], 5, 2 * self._width
        try:
            names.append(bytes.fromhex(raw[at : at + width].decode("ascii")))
            while raw.startswith(b"\nparent ", at + width):
                at += width + len(b"\nparent ")
                names.append(bytes.fromhex(raw[at : at + width].decode("ascii")))
            end = raw.index(b"\n", raw.index(b"\ncommitter ", at) + 1)
            time = int(raw[raw.rindex(b">", at, end) + 1 : end].split()[0])
        except (ValueError, IndexError):
            return None
        return names[0], names[1:], time

    def _in_tree(self, tree: bytes) -> bytes | None:
        """The object of the file, given the root tree of a commit."""
        passed: list[tuple[int, bytes]] = []
        item: bytes | None = tree
        for depth, name in enumerate(self._names):
            if item is None:
                break
            passed.append((depth, item))
            if passed[-1] in self._below:  # most commits do not change this folder
                item = self._below[passed[-1]]
                break
            modes = _FILE_MODES if depth == len(self._names) - 1 else _FOLDER_MODES
            item = self._entry(self._objects.read(item, TREE) or b"", name, modes)
        self._below.update(dict.fromkeys(passed, item))
        return item

    def _entry(self, tree: bytes, name: bytes, modes: tuple[bytes, ...]) -> bytes | None:
        """The object of a name in a tree, if it has one of these modes."""
        for mode in modes:
            entry = mode + b" " + name + b"\0"
            at = tree.find(entry)
            if at >= 0:
                return tree[at + len(entry) :][: self._width]
        return None

    def _staged_plain(self, raw: bytes) -> bytes | None:
        """Search for the name, and check that it is in an entry: reading all entries would take long."""
        at, tried = -1, 0
        while (at := raw.find(self._path + b"\0", at + 1)) > 0:
            tried = self._check_clock(tried)
            for more in (0, 2):  # flags of newer versions
                start = at - more - 2 - self._width - _ENTRY_HEAD_SIZE
                if start >= 12 and not (start - 12) % 4 and self._is_entry(raw, start, bool(more)):  # noqa: PLR2004  entries follow a header, aligned
                    return raw[start + _ENTRY_HEAD_SIZE : start + _ENTRY_HEAD_SIZE + self._width]
        return None

    def _check_clock(self, tried: int) -> int:
        """Count one more; check the deadline now and then."""
        if not tried % _OBJECTS_BETWEEN_CHECKS and monotonic() > self._deadline:
            raise TimeoutError
        return tried + 1

    def _is_entry(self, raw: bytes, start: int, extended: bool) -> bool:  # noqa: FBT001  as the format has it
        flags = int.from_bytes(raw[start + _ENTRY_HEAD_SIZE + self._width :][:2], "big")
        mode = int.from_bytes(raw[start + 24 : start + 28], "big")
        long, stage = flags & 0xFFF, flags >> 12 & 3
        return (
            mode >> 9 == _REGULAR_FILE_BITS
            and long == min(len(self._path), 0xFFF)
            and not stage
            and extended == bool(flags >> 14 & 1)
        )

    def _search_prefixed_index(self, raw: bytes) -> bytes | None:
        """As above, where an entry has only what differs from the name before."""
        name, at, fixed = b"", 12, _ENTRY_HEAD_SIZE + self._width + 2
        tried = 0
        for _ in range(int.from_bytes(raw[8:12], "big")):
            tried = self._check_clock(tried)
            flags = int.from_bytes(raw[at + fixed - 2 : at + fixed], "big")
            place = at + fixed + (2 if flags >> 14 & 1 else 0)
            strip, place = distance(raw, place)
            end = raw.index(b"\0", place)
            name = name[: len(name) - strip] + raw[place:end]
            if name == self._path:
                regular = int.from_bytes(raw[at + 24 : at + 28], "big") >> 9 == _REGULAR_FILE_BITS
                return raw[at + _ENTRY_HEAD_SIZE : at + fixed - 2] if regular and not flags >> 12 & 3 else None
            at = end + 1
        return None


def contents(path: str, most: int) -> bytes | None:
    """The content of a regular file; None if it is unreadable or larger than `most`. Never waits for a pipe."""
    try:
        handle = os.open(path, _READ)
    except (OSError, ValueError):
        return None
    try:
        stat = os.fstat(handle)
        if not modes.S_ISREG(stat.st_mode) or stat.st_size > most:
            return None
        return _read(handle, stat.st_size, 0)
    except OSError:
        return None
    finally:
        os.close(handle)


def repository(file: str, roots: Sequence[str], deadline: float) -> Repository | None:
    """The repository that contains a file, if there is one and it belongs here.

    `file` and `roots` (of the workspace) are absolute paths without links.
    """
    own = own_link(os.path.dirname(file), roots, owned_like=file)
    return None if own is None else Repository(own[1], os.path.relpath(file, os.path.dirname(own[0])), deadline)


def own_link(folder: str, roots: Sequence[str], owned_like: str = "") -> tuple[str, str] | None:
    """The `.git` in a folder or above it, and the folder that it points to; None unless it belongs here.

    It may belong to the owner of the file `owned_like`, by default the folder.
    """
    link = _find_link(folder)
    if link is None:
        return None
    git = _resolve_link(link)
    owners = {os.geteuid(), os.stat(owned_like or folder, follow_symlinks=False).st_uid}
    if git is None or os.stat(link, follow_symlinks=False).st_uid not in owners or not _belongs(git, link, roots):
        log.debug("git", "%s is skipped: it does not belong to this workspace", link)
        return None
    return link, git


def head_of(folder: str) -> Head | None:
    """What is checked out in the worktree that contains a folder; None if there is none that can be read.

    The repository is not checked for who owns it: all that can be read from it is the name of a branch and a commit.
    """
    link = _find_link(folder)
    git = None if link is None else _resolve_link(link)
    written = b"" if git is None else contents(f"{git}/HEAD", _MAX_REFERENCE_BYTES) or b""
    if git is None or not written:
        return None
    if not written.startswith(b"ref:"):
        commit = _hexadecimal(written)
        return None if commit is None else Head(None, commit)
    name = os.fsdecode(written[4:].strip())
    if not name.startswith("refs/heads/") or ".." in name or not name.isprintable() or name == _NO_FILES_BRANCH:
        return None
    return Head(name.removeprefix("refs/heads/"), _commit_of(git, name))


def _commit_of(git: str, name: str) -> str | None:
    """The commit that a branch names; None if there is none yet."""
    common = shared_folder(git)
    if (loose := contents(f"{common}/{name}", _MAX_REFERENCE_BYTES)) is not None:
        return _hexadecimal(loose)
    packed = contents(f"{common}/packed-refs", _MAX_INDEX_BYTES) or b""
    at = packed.find(b" " + os.fsencode(name) + b"\n")
    return _hexadecimal(packed[packed.rfind(b"\n", 0, at) + 1 : at]) if at > 0 else None


def _hexadecimal(written: bytes) -> str | None:
    """The name of an object, as written; None if it is not one."""
    name = written.strip().decode("ascii", "replace")
    return name if len(name) in {2 * SHA1, 2 * SHA256} and not name.strip("0123456789abcdef") else None


def common_folder(link: str) -> str | None:
    """The folder that all worktrees share of the repository that a `.git` points to; None if it does not belong."""
    git = _resolve_link(link)
    return shared_folder(git) if git is not None and _belongs(git, link, ()) else None


def _read(handle: int, size: int, at: int) -> bytes:
    """Read `size` bytes from an offset, or as many as there are."""
    data = os.pread(handle, size, at)
    while data and len(data) < size and (more := os.pread(handle, size - len(data), at + len(data))):
        data += more
    return data


def _with_alternates(folder: str) -> list[str]:
    """A folder of objects and its alternates, recursively."""
    folders = [folder]
    for known in folders:
        for line in (contents(f"{known}/info/alternates", _MAX_ALTERNATES_BYTES) or b"").split(b"\n"):
            if line and not line.startswith((b"#", b'"')) and len(folders) < _MAX_OBJECT_FOLDERS:
                alternate = os.path.normpath(os.path.join(known, os.fsdecode(line)))
                if alternate not in folders:
                    folders.append(alternate)
    return folders


def _packs(folders: Sequence[str], width: int, cache: _Cache) -> list[_Pack]:
    """The packs, newest first."""
    dated: list[tuple[float, str]] = []
    for folder in folders:
        with suppress(OSError, ValueError), os.scandir(f"{folder}/pack") as entries:
            indexes = [entry for entry in islice(entries, _MAX_PACK_FILES) if entry.name.endswith(".idx")]
            dated += [(entry.stat().st_mtime, entry.path) for entry in indexes]
    dated.sort(reverse=True)
    opened: list[_Pack] = []
    for _, path in dated[:_MAX_PACKS]:
        with suppress(OSError, Damaged):
            opened.append(_Pack(path.removesuffix(".idx"), width, cache))
    return opened


def _head_of(idx: int) -> bytes:
    """The first bytes of a pack's index; closes the file if it is not one."""
    try:
        head = _read(idx, _FANOUT_END, 0)
    except OSError:
        head = b""
    if head.startswith(_IDX_MAGIC) and len(head) == _FANOUT_END:
        return head
    os.close(idx)
    raise Damaged


def _inflate(raw: bytes, most: int) -> tuple[int, bytes]:
    """A loose object: `kind size`, a NUL, and the content."""
    machine = zlib.decompressobj()
    whole = machine.decompress(raw, most + _CHUNK_SIZE)
    head, _, content = whole.partition(b"\0")
    kind, _, size = head.partition(b" ")
    if not machine.eof or kind not in _KINDS or size != b"%d" % len(content):
        raise Damaged
    return _KINDS[kind], content


class _Cache:
    """The last objects read from packs, which others may be based on; and the deadline."""

    def __init__(self, deadline: float) -> None:
        self._items: dict[tuple[str, int], tuple[int, bytes]] = {}
        self._size = 0
        self._deadline = deadline

    def check_time(self) -> None:
        """Raise TimeoutError after the deadline."""
        if monotonic() > self._deadline:
            raise TimeoutError

    def get(self, key: tuple[str, int]) -> tuple[int, bytes] | None:
        item = self._items.pop(key, None)
        if item is not None:
            self._items[key] = item  # now the newest
        return item

    def put(self, key: tuple[str, int], item: tuple[int, bytes]) -> None:
        self._items[key] = item
        self._size += len(item[1])  # never called for an item that is cached
        while self._size > _CACHE_SIZE:
            self._size -= len(self._items.pop(next(iter(self._items)))[1])


class _Pack:
    """A pack and its index."""

    def __init__(self, path: str, width: int, cache: _Cache) -> None:
        self._path = path
        self._width = width
        self._cache = cache
        self._pack: int | None = None
        self._runs: dict[tuple[int, int], tuple[bytes, array[int]]] = {}
        self._idx = os.open(f"{path}.idx", _READ)
        head = _head_of(self._idx)
        self._counts = [int.from_bytes(head[at : at + 4], "big") for at in range(8, _FANOUT_END, 4)]

    def close(self) -> None:
        """Close both files."""
        for handle in (self._idx, self._pack):
            if handle is not None:
                os.close(handle)

    def offset(self, name: bytes) -> int | None:
        """The offset of the object with this name; None if it is not in this pack."""
        low, high = self._counts[name[0] - 1] if name[0] else 0, self._counts[name[0]]
        width = self._width
        while high - low > _NAMES_AT_ONCE:
            middle = (low + high) // 2
            if _read(self._idx, width, _FANOUT_END + middle * width) <= name:
                low = middle
            else:
                high = middle
        run = self._runs.get((low, high))
        if run is None:
            run = self._runs[low, high] = self._run(low, high)
        names, places = run
        at = names.find(name)
        while at % width:  # -1, or not at the start of a name
            if at < 0:
                return None
            at = names.find(name, at + 1)
        return self._large(place) if (place := places[at // width]) >> 31 else place

    def _run(self, low: int, high: int) -> tuple[bytes, array[int]]:
        """A range of names, concatenated, and their offsets."""
        from array import array

        if high < low:
            raise Damaged
        every, many = self._counts[-1], high - low
        places = array("I", _read(self._idx, many * 4, _FANOUT_END + every * (self._width + 4) + low * 4))
        names = _read(self._idx, many * self._width, _FANOUT_END + low * self._width)
        if len(places) != many or len(names) != many * self._width:
            raise Damaged
        if sys.byteorder == "little":
            places.byteswap()
        return names, places

    def _large(self, place: int) -> int:
        """An offset beyond 2 GiB."""
        every, number = self._counts[-1], place & (1 << 31) - 1
        return int.from_bytes(_read(self._idx, 8, _FANOUT_END + every * (self._width + 8) + number * 8), "big")

    def read(self, at: int, most: int) -> tuple[int, bytes]:
        """The kind and the content of the object at an offset."""
        chain: list[tuple[int, bytes]] = []
        limit = room = 2 * most  # a base may be larger
        while (item := self._cache.get((self._path, at))) is None:
            self._cache.check_time()
            kind, size, base, rest, begins = self._head(at)
            room -= size
            if room < 0 or len(chain) > _MAX_CHAIN_DELTAS:
                raise Damaged
            content = self._inflate(rest, begins, size)
            if kind in _KINDS.values():
                item = kind, content
                self._cache.put((self._path, at), item)
                break
            chain.append((at, content))
            at = base
        kind, content = item
        for place, delta in reversed(chain):
            content = _apply_delta(content, delta, limit, self._cache.check_time)
            self._cache.put((self._path, place), (kind, content))
        return kind, content

    def _head(self, at: int) -> tuple[int, int, int, bytes, int]:
        """The object at an offset: kind, size, offset of its base, first bytes of its data, and their offset."""
        if self._pack is None:
            self._pack = os.open(f"{self._path}.pack", _READ)
        head = os.pread(self._pack, _CHUNK_SIZE, at)
        try:
            byte = head[0]
            kind, size, shift, end = byte >> 4 & 7, byte & 15, 4, 1
            while byte & 128:
                byte = head[end]
                size |= (byte & 127) << shift
                shift, end = shift + 7, end + 1
            base = 0
            if kind == _OFFSET_DELTA:
                back, end = distance(head, end)
                base = at - back
            elif kind == _NAME_DELTA:
                place = self.offset(head[end : end + self._width])
                base, end = -1 if place is None else place, end + self._width
            elif kind not in _KINDS.values():
                raise Damaged
        except IndexError:
            raise Damaged from None
        if base < 0 or base == at:
            raise Damaged
        return kind, size, base, head[end:], at + end

    def _inflate(self, begun: bytes, at: int, size: int) -> bytes:
        assert self._pack is not None  # noqa: S101  its head was read
        machine = zlib.decompressobj()
        data = machine.decompress(begun, size + 1)
        at += len(begun)
        while not machine.eof and len(data) <= size:
            more = os.pread(self._pack, max(_CHUNK_SIZE, size - len(data)), at)
            if not more:
                raise Damaged
            data += machine.decompress(more, size + 1 - len(data))
            at += len(more)
        if len(data) != size:
            raise Damaged
        return data


def _apply_delta(base: bytes, delta: bytes, most: int, check_time: Callable[[], None]) -> bytes:
    """Apply a delta: pieces of the base, and literal pieces."""
    try:
        old, at = _number(delta, 0)
        size, at = _number(delta, at)
        if old != len(base) or size > most:
            raise Damaged
        pieces, total = [], 0
        while at < len(delta):
            order, at = delta[at], at + 1
            if order & 128:
                start, length, at = _copy_order(delta, at, order)
                pieces.append(base[start : start + length])
            else:
                length, start, at = order, at, at + order
                pieces.append(delta[start:at])
            total += length
            if not length or total > size:
                raise Damaged
            if not len(pieces) % _PIECES_BETWEEN_CHECKS:
                check_time()
    except IndexError:
        raise Damaged from None
    result = b"".join(pieces)
    if len(result) != size:
        raise Damaged
    return result


def _copy_order(delta: bytes, at: int, order: int) -> tuple[int, int, int]:
    """A copy instruction: the start and length of the piece of the base, and the offset after the instruction."""
    start = length = 0
    for bit, shift in ((1, 0), (2, 8), (4, 16), (8, 24)):
        if order & bit:
            start |= delta[at] << shift
            at += 1
    for bit, shift in ((16, 0), (32, 8), (64, 16)):
        if order & bit:
            length |= delta[at] << shift
            at += 1
    return start, length or 0x10000, at


def _number(delta: bytes, at: int) -> tuple[int, int]:
    """A number in groups of seven bits, lowest first, and the offset after it."""
    value = shift = 0
    while True:
        byte = delta[at]
        value |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if not byte & 128:
            return value, at


def distance(raw: bytes, at: int) -> tuple[int, int]:
    """A number as the index and packs encode distances, highest bits first, and the offset after it."""
    byte = raw[at]
    value, at = byte & 127, at + 1
    while byte & 128:
        byte = raw[at]
        value, at = (value + 1) << 7 | byte & 127, at + 1
    return value, at


def _find_link(folder: str) -> str | None:
    """The `.git` of a folder, or of the nearest folder above it."""
    while not os.path.lexists(link := os.path.join(folder, ".git")):
        if folder == os.path.dirname(folder):
            return None
        folder = os.path.dirname(folder)
    return link


def _resolve_link(link: str) -> str | None:
    """The folder that a `.git` points to, without links."""
    if os.path.isdir(link):
        return os.path.realpath(link)
    written = contents(link, _MAX_REFERENCE_BYTES) or b""
    if not written.startswith(b"gitdir:"):
        return None
    aim = os.fsdecode(written[len(b"gitdir:") :].strip())
    target = _real(os.path.join(os.path.dirname(link), aim))
    return target if os.path.isdir(target) else None


def _belongs(git: str, link: str, roots: Sequence[str]) -> bool:
    """Whether the folder that a `.git` points to belongs to the worktree that contains the `.git`."""
    top = os.path.dirname(link)
    for file in (f"{git}/config", f"{git}/config.worktree"):
        aim = configuration_value(contents(file, _MAX_COMMIT_BYTES) or b"", b"worktree")
        if aim is not None:
            return _real(os.path.join(git, os.fsdecode(aim))) == top
    if git == link or any(_is_below(git, root) for root in roots):
        return True
    back = os.fsdecode((contents(f"{git}/gitdir", _MAX_REFERENCE_BYTES) or b"").strip())
    return bool(back) and _real(os.path.join(git, back)) == link


def shared_folder(git: str) -> str:
    """The folder that all worktrees of a repository share; `git` itself if there is only one."""
    aim = contents(f"{git}/commondir", _MAX_REFERENCE_BYTES)
    if aim is None:
        return git
    common = _real(os.path.join(git, os.fsdecode(aim.strip())))
    return common if _is_below(git, f"{common}/worktrees") else git


def _real(path: str) -> str:
    """A path read from a file, without links; empty if it contains a NUL."""
    return "" if "\0" in path else os.path.realpath(path)


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip("/") + "/")


def configuration_value(configuration: bytes, key: bytes) -> bytes | None:
    """The value of a key that occurs in only one section."""
    import re

    match = re.search(rb'(?i)(?:^|\n|\])[ \t]*%b[ \t]*=[ \t]*"?([^"\r\n]*)' % key, configuration)
    return None if match is None else match[1].strip()
