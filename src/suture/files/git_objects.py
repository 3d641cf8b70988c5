"""Git's objects by name: loose ones and those in packs, read from its files.

    objects/ab/cdef…                     one object, deflated
    objects/pack/pack-….idx, ….pack      many: a sorted list of names with offsets, and what is there
    objects/info/alternates              more folders of this kind

Nothing of the repository is run, and git itself is not needed. Whatever is damaged, too large, or not here (a shallow
or a partial clone) is None: nothing is fetched. What comes out is held against its name.

Rejected, measured on 10,000 commits: `git log` and `git cat-file --batch`. They go through commits three times as fast
as this (10 and 30 µs each), but take 4 ms to start, where this has five versions; they obey the repository's
configuration, which can name programs, as far as their version does. Dulwich: 40 ms to import, and up to 40 times as
long for a walk. Mapping packs into memory: another process that cuts one off kills this one.
"""

from __future__ import annotations

import os
import stat as modes
import sys
import zlib
from contextlib import suppress
from itertools import islice
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import Self

SHA1, SHA256 = 20, 32
"""The lengths that names have, in bytes."""
COMMIT, TREE, BLOB = 1, 2, 3
_KINDS = {b"commit": COMMIT, b"tree": TREE, b"blob": BLOB}
_WORDS = {kind: word for word, kind in _KINDS.items()}
_OFFSET_DELTA, _NAME_DELTA = 6, 7

_READ = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY  # a pipe with nobody at its end must not stop us
_LARGEST = 16_000_000  # bytes of an object that another one rests on
_LONGEST_CHAIN = 4_096  # git makes none that is longer
_CACHED = 16_000_000
_MOST_PACKS = 100
_MOST_FILES = 10_000  # in the folder of the packs
_ALTERNATES = 1 << 16  # bytes
_OFTEN = 4_096
_MOST_FOLDERS = 10
_NAMES_AT_ONCE = 1_024
_CHUNK = 4_096

_IDX_MAGIC = b"\xfftOc\x00\x00\x00\x02"
_FANOUT = 8 + 256 * 4


class Damaged(Exception):
    """The bytes are not in a format that git writes."""


class Objects:
    """The objects in a folder of git's, and in those that it names besides. Close it after use."""

    def __init__(self, folder: str, width: int, ends: float) -> None:
        """`width` is the length of a name in bytes; at the time `ends`, reading stops with TimeoutError."""
        from hashlib import sha1, sha256

        self._folders = _with_alternates(folder)
        self._hash = sha1 if width == SHA1 else sha256
        self._width = width
        self._cache = _Cache(ends)
        self._packs: list[_Pack] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for pack in self._packs or ():
            pack.close()
        self._packs = None

    def read(self, name: bytes, kind: int, most: int = _LARGEST) -> bytes | None:
        """An object of this name and kind, if it is here, sound, and of at most so many bytes."""
        self._cache.check_time()
        try:
            found = self._found(name, most)
        except TimeoutError:
            raise
        except (Damaged, OSError, zlib.error):
            return None
        if found is None or found[0] != kind or len(found[1]) > most:
            return None
        return found[1] if self._named(*found) == name else None

    def _named(self, kind: int, content: bytes) -> bytes:
        """The name that an object has by its content."""
        return self._hash(b"%b %d\0%b" % (_WORDS[kind], len(content), content), usedforsecurity=False).digest()

    def _found(self, name: bytes, most: int) -> tuple[int, bytes] | None:
        if self._packs is None:
            self._packs = _packs(self._folders, self._width, self._cache)
        for place, pack in enumerate(self._packs):
            offset = pack.offset(name)
            if offset is not None:
                self._packs.insert(0, self._packs.pop(place))  # the next one is probably there, too
                return pack.read(offset, most)
            if not place and (loose := self._loose(name, most)) is not None:
                return loose
        return None if self._packs else self._loose(name, most)

    def _loose(self, name: bytes, most: int) -> tuple[int, bytes] | None:
        written = name.hex()
        for folder in self._folders:
            raw = contents(f"{folder}/{written[:2]}/{written[2:]}", 2 * most + _CHUNK)
            if raw is not None:
                return _inflated(raw, most)
        return None


def contents(path: str, most: int) -> bytes | None:
    """The bytes of a file, if it is one, can be read and is not larger; never waits for a pipe."""
    try:
        handle = os.open(path, _READ)
    except (OSError, ValueError):
        return None
    try:
        found = os.fstat(handle)
        if not modes.S_ISREG(found.st_mode) or found.st_size > most:
            return None
        return _read(handle, found.st_size, 0)
    except OSError:
        return None
    finally:
        os.close(handle)


def _read(handle: int, size: int, at: int) -> bytes:
    """As many bytes from there as there are, up to `size`."""
    found = os.pread(handle, size, at)
    while found and len(found) < size and (more := os.pread(handle, size - len(found), at + len(found))):
        found += more
    return found


def _with_alternates(folder: str) -> list[str]:
    """A folder of objects, and those that it and they borrow from."""
    found = [folder]
    for each in found:
        for line in (contents(f"{each}/info/alternates", _ALTERNATES) or b"").split(b"\n"):
            if line and not line.startswith((b"#", b'"')) and len(found) < _MOST_FOLDERS:
                other = os.path.normpath(os.path.join(each, os.fsdecode(line)))
                if other not in found:
                    found.append(other)
    return found


def _packs(folders: Sequence[str], width: int, cache: _Cache) -> list[_Pack]:
    """The packs, the newest first."""
    dated: list[tuple[float, str]] = []
    for folder in folders:
        with suppress(OSError, ValueError), os.scandir(f"{folder}/pack") as entries:
            found = [entry for entry in islice(entries, _MOST_FILES) if entry.name.endswith(".idx")]
            dated += [(entry.stat().st_mtime, entry.path) for entry in found]
    dated.sort(reverse=True)
    opened: list[_Pack] = []
    for _, path in dated[:_MOST_PACKS]:
        with suppress(OSError, Damaged):
            opened.append(_Pack(path.removesuffix(".idx"), width, cache))
    return opened


def _head_of(idx: int) -> bytes:
    """The beginning of the list of a pack, which is closed if it is none."""
    try:
        head = _read(idx, _FANOUT, 0)
    except OSError:
        head = b""
    if head.startswith(_IDX_MAGIC) and len(head) == _FANOUT:
        return head
    os.close(idx)
    raise Damaged


def _inflated(raw: bytes, most: int) -> tuple[int, bytes]:
    """A loose object: `kind size`, a NUL, and the content."""
    machine = zlib.decompressobj()
    whole = machine.decompress(raw, most + _CHUNK)
    head, _, content = whole.partition(b"\0")
    kind, _, size = head.partition(b" ")
    if not machine.eof or kind not in _KINDS or size != b"%d" % len(content):
        raise Damaged
    return _KINDS[kind], content


class _Cache:
    """Objects of packs that were put together last, for those that rest on them; and until when there is time."""

    def __init__(self, ends: float) -> None:
        self._kept: dict[tuple[str, int], tuple[int, bytes]] = {}
        self._size = 0
        self._ends = ends

    def check_time(self) -> None:
        """TimeoutError if there is none left."""
        if monotonic() > self._ends:
            raise TimeoutError

    def get(self, key: tuple[str, int]) -> tuple[int, bytes] | None:
        found = self._kept.pop(key, None)
        if found is not None:
            self._kept[key] = found  # now the newest
        return found

    def put(self, key: tuple[str, int], found: tuple[int, bytes]) -> None:
        self._kept[key] = found
        self._size += len(found[1])  # it was not there
        while self._size > _CACHED:
            self._size -= len(self._kept.pop(next(iter(self._kept)))[1])


class _Pack:
    """A pack and the list of what is in it."""

    def __init__(self, path: str, width: int, cache: _Cache) -> None:
        self._path = path
        self._width = width
        self._cache = cache
        self._pack: int | None = None
        self._runs: dict[tuple[int, int], tuple[bytes, array[int]]] = {}
        self._idx = os.open(f"{path}.idx", _READ)
        head = _head_of(self._idx)
        self._counts = [int.from_bytes(head[at : at + 4], "big") for at in range(8, _FANOUT, 4)]

    def close(self) -> None:
        """Let go of both files."""
        for handle in (self._idx, self._pack):
            if handle is not None:
                os.close(handle)

    def offset(self, name: bytes) -> int | None:
        """Where an object of this name begins, if it is in this pack."""
        low, high = self._counts[name[0] - 1] if name[0] else 0, self._counts[name[0]]
        width = self._width
        while high - low > _NAMES_AT_ONCE:
            middle = (low + high) // 2
            if _read(self._idx, width, _FANOUT + middle * width) <= name:
                low = middle
            else:
                high = middle
        run = self._runs.get((low, high))
        if run is None:
            run = self._runs[low, high] = self._run(low, high)
        names, places = run
        at = names.find(name)
        while at % width:  # -1, or it begins in the middle of another
            if at < 0:
                return None
            at = names.find(name, at + 1)
        return self._large(place) if (place := places[at // width]) >> 31 else place

    def _run(self, low: int, high: int) -> tuple[bytes, array[int]]:
        """Some names, one after the other, and their places."""
        from array import array

        if high < low:
            raise Damaged
        every, many = self._counts[-1], high - low
        places = array("I", _read(self._idx, many * 4, _FANOUT + every * (self._width + 4) + low * 4))
        names = _read(self._idx, many * self._width, _FANOUT + low * self._width)
        if len(places) != many or len(names) != many * self._width:
            raise Damaged
        if sys.byteorder == "little":
            places.byteswap()
        return names, places

    def _large(self, place: int) -> int:
        """A place far behind in a large pack."""
        every, number = self._counts[-1], place & (1 << 31) - 1
        return int.from_bytes(_read(self._idx, 8, _FANOUT + every * (self._width + 8) + number * 8), "big")

    def read(self, at: int, most: int) -> tuple[int, bytes]:
        """The kind and the content of the object at an offset."""
        chain: list[tuple[int, bytes]] = []
        limit = room = 2 * most  # an older version may be larger
        while (found := self._cache.get((self._path, at))) is None:
            self._cache.check_time()
            kind, size, base, rest, begins = self._head(at)
            room -= size
            if room < 0 or len(chain) > _LONGEST_CHAIN:
                raise Damaged
            content = self._inflated(rest, begins, size)
            if kind in _KINDS.values():
                found = kind, content
                self._cache.put((self._path, at), found)
                break
            chain.append((at, content))
            at = base
        kind, content = found
        for place, delta in reversed(chain):
            content = _patched(content, delta, limit, self._cache.check_time)
            self._cache.put((self._path, place), (kind, content))
        return kind, content

    def _head(self, at: int) -> tuple[int, int, int, bytes, int]:
        """What begins at an offset: kind, size, the offset of what it rests on; then its bytes, and where they are."""
        if self._pack is None:
            self._pack = os.open(f"{self._path}.pack", _READ)
        head = os.pread(self._pack, _CHUNK, at)
        try:
            byte = head[0]
            kind, size, shift, end = byte >> 4 & 7, byte & 15, 4, 1
            while byte & 128:
                byte = head[end]
                size |= (byte & 127) << shift
                shift, end = shift + 7, end + 1
            base = 0
            if kind == _OFFSET_DELTA:
                byte = head[end]
                back, end = byte & 127, end + 1
                while byte & 128:
                    byte = head[end]
                    back, end = (back + 1) << 7 | byte & 127, end + 1
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

    def _inflated(self, begun: bytes, at: int, size: int) -> bytes:
        assert self._pack is not None  # noqa: S101  its head was read
        machine = zlib.decompressobj()
        found = machine.decompress(begun, size + 1)
        at += len(begun)
        while not machine.eof and len(found) <= size:
            more = os.pread(self._pack, max(_CHUNK, size - len(found)), at)
            if not more:
                raise Damaged
            found += machine.decompress(more, size + 1 - len(found))
            at += len(more)
        if len(found) != size:
            raise Damaged
        return found


def _patched(base: bytes, delta: bytes, most: int, check_time: Callable[[], None]) -> bytes:
    """What a delta makes of its base: pieces of that, and pieces of its own."""
    try:
        old, at = _number(delta, 0)
        size, at = _number(delta, at)
        if old != len(base) or size > most:
            raise Damaged
        pieces, made = [], 0
        while at < len(delta):
            order, at = delta[at], at + 1
            if order & 128:
                start, length, at = _copied(delta, at, order)
                pieces.append(base[start : start + length])
            else:
                length, start, at = order, at, at + order
                pieces.append(delta[start:at])
            made += length
            if not length or made > size:
                raise Damaged
            if not len(pieces) % _OFTEN:
                check_time()
    except IndexError:
        raise Damaged from None
    found = b"".join(pieces)
    if len(found) != size:
        raise Damaged
    return found


def _copied(delta: bytes, at: int, order: int) -> tuple[int, int, int]:
    """Which piece of the base is copied: where it begins, how long it is; and what follows the order."""
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
    """A number of several bytes, seven bits each, the lowest first; and what follows it."""
    value = shift = 0
    while True:
        byte = delta[at]
        value |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if not byte & 128:
            return value, at
