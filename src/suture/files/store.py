"""Keep the contents of the history: packed as differences, found by digest, and checked.

    pack(new, old) -> Packed(head, tail, codec, data)             unpack(packed, size, old) -> new

The common beginning and end cost nothing. What lies between is compressed by zstd with the old file's own
middle as its dictionary, or stored as it is where it is too short to be worth loading zstd.

A difference may rest on a difference, but not endlessly: a chain has an end after a number of links and a
number of bytes, so that getting at one content stays quick. What comes out is compared with its hash.

    delta(new, old) -> bytes or None         apply_delta(data, old, size) -> new

A large file that was changed here and there is stored as what it takes from the old one: `delta` walks through both
texts at once, and where they part looks a little ahead for where they meet again. It takes little memory and time,
unlike a compressor that has all of the old text as its dictionary. Where the texts do not meet again, there is no
delta. The data is a number of copies, for each of them the offset in the old text, its length and the length of what
follows it, as 64-bit numbers, and then all that follows.

Checksums of records are in a table of their own:
    kind        key         place                   name
    change      number      its number              its id
    snapshot    id          the change before it    its name
    files       the id of a snapshot, for its files
    clipboard   name

The table is made by the first write, beside those of version 0.1.0, which can still use the database. What that
version wrote has no checksum until the next write of this one. So a record without a checksum is an old one if it is
newer than all that have one; otherwise its checksum was lost.
"""

from __future__ import annotations

import struct
from struct import calcsize, error, unpack_from

from suture.plan import digest
from suture.records import Record
from suture.text.edits import common_ends

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from sqlite3 import Connection
    from typing import Any

    from zstandard import ZstdCompressor

    Supply = Callable[[str], bytes | None]
    """Gives a content by its hash, or None if it is gone."""

_ANCHOR_SIZE = 24  # bytes that must be the same where texts meet again
_REACH_IN_OLD = 1 << 16  # bytes ahead in the old text that are searched for an anchor
_STEPS_IN_NEW = tuple(1 << power for power in range(4, 15))  # bytes ahead in the new text from which anchors are taken
_MOST_COPIES = 5_000  # in one delta: a text with more was not changed here and there
_FIRST_STEP, _LARGEST_STEP = 1 << 8, 1 << 16  # bytes that are compared at once

_SHORT_MIDDLE = 1_000  # bytes that are stored as they are
_LARGE_FILE = 1 << 20  # bytes from which on a delta is tried, and zstd works faster
_LARGEST_TABLE = 22  # 16 MB while packing
_SMALLEST_WINDOW, _SMALLEST_TABLE = 10, 6  # zstd's own bounds
_idle_compressors: list[ZstdCompressor] = []

SCHEMA = """
CREATE TABLE content (number INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, base INTEGER,
    depth INTEGER NOT NULL, head INTEGER NOT NULL, tail INTEGER NOT NULL, codec TEXT NOT NULL, data BLOB);
"""
_LONGEST_CHAIN = 32  # differences that rest on each other
_CHAIN_BYTES = 100_000_000  # unpacked to get at one content
_MAX_CACHED_BYTES = 32_000_000  # bytes of unpacked contents that are held during a change
_MAX_CHECKED_BYTES = 1_000_000  # bytes of a content that is unpacked again right after it was packed, as a check
_MAX_IDLE_BYTES = 4_000_000  # bytes that are held between two changes
_UNPACKING_ERRORS = (ValueError, TypeError, OverflowError, MemoryError)  # what comes of unpacking what is damaged
_SMALL_DIFFERENCE = 4_000  # bytes of a difference that are always better than storing the whole

_CHECKSUM_TABLE = """CREATE TABLE IF NOT EXISTS checksum (kind TEXT NOT NULL, key BLOB NOT NULL, place INTEGER NOT NULL,
    name TEXT NOT NULL, sum TEXT NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID"""
_NO_CHECKSUM = ""
"""The checksum of a record that was damaged before it could get one."""


class Packed(Record):
    """A version as the difference to another: its first `head` and last `tail` bytes are that one's."""

    head: int
    tail: int
    codec: str
    """What `data` is: `raw`, `zstd`, `zstd+` with the other version's middle as dictionary, or a `delta`."""
    data: bytes


class Contents:
    """The contents in an open database, by hash, and by the number that records refer to."""

    def __init__(self, database: Connection) -> None:
        self._db = database
        self._cache: dict[int, bytes] = {}
        """Contents as what is stored gives them, as long as no one else writes."""
        self._cached = 0

    def get(self, name: str) -> bytes | None:
        """The content of this hash, or None if it is not kept, or damaged."""
        row = self._row("SELECT number, data IS NULL FROM content WHERE digest = ?", name)
        if row is None or row[1]:
            return None
        try:
            content = self._unpack_chain(row[0])
        except _UNPACKING_ERRORS:
            return None
        return content if digest((content,), len(content)) == name else None

    def is_recorded(self, name: str) -> bool:
        """Whether there was a content of this hash, and not the hash only."""
        row = self._row("SELECT size, codec, data IS NULL FROM content WHERE digest = ?", name)
        return row is None or tuple(row) != (0, "raw", 1)

    def size(self, name: str) -> int | None:
        """How long a content is; None if it is not kept."""
        row = self._row("SELECT size FROM content WHERE digest = ? AND data IS NOT NULL", name)
        return row[0] if row is not None and isinstance(row[0], int) else None

    def keep(self, name: str, supply: Supply, base: int | None, ends: tuple[int, int] | None = None) -> int:
        """Store a content, unless it is stored already, perhaps as the difference to another; its number.

        `ends` are the lengths of the beginning and the end that it shares with that one, if they are known.
        """
        row = self._row("SELECT number, data IS NULL FROM content WHERE digest = ?", name)
        content = supply(name)
        if row is not None and not row[1] and (content is None or self._is_sound(row[0], content)):
            return int(row[0])
        if content is None:
            values: tuple[Any, ...] = (0, None, 0, 0, 0, "raw", None)  # known by its hash only
        else:
            base = base if row is None else None  # others may rest on it
            values = (len(content), *self._pack_columns(content, base, ends))
        query = "INSERT OR REPLACE INTO content VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        number = self._db.execute(query, (row and row[0], name, *values)).lastrowid
        assert number is not None  # noqa: S101  a row was inserted
        if row is not None:
            self._clear_cache()  # others may have been unpacked from what was there
        if content is not None:
            self._add_to_cache(number, content)
        return number

    def _is_sound(self, number: int, content: bytes) -> bool:
        """Whether what is stored is sound, for the next content will be stored against it; a large one is believed."""
        try:
            if len(content) <= _MAX_CHECKED_BYTES and self._unpack_chain(number) != content:
                return False
        except _UNPACKING_ERRORS:
            return False
        self._add_to_cache(number, content)
        return True

    def keep_only(self, referred: str) -> None:
        """Forget every content whose number the query `referred` does not give, and that no other rests on."""
        bases = "UNION SELECT base FROM content WHERE base IS NOT NULL"
        query = f"DELETE FROM content WHERE number NOT IN ({referred} {bases})"  # noqa: S608  written by us
        while self._db.execute(query).rowcount:
            self._clear_cache()  # their numbers will be given again; and what only they rested on is free now

    def trim_cache(self) -> None:
        """Hold little in memory until the next use."""
        if self._cached > _MAX_IDLE_BYTES:
            self._clear_cache()

    def _pack_columns(self, content: bytes, base: int | None, ends: tuple[int, int] | None) -> tuple[Any, ...]:
        """A content as columns: against `base`, or where that makes a long chain, against the one it rests on."""
        depth, size = self._depth(base)
        if depth > _LONGEST_CHAIN or (depth > 1 and depth * max(size, len(content)) > _CHAIN_BYTES):
            base, depth, ends = self._chain_end(base), 1, None
        if base is not None:
            try:
                packed = pack(content, self._unpack_chain(base), ends)
            except _UNPACKING_ERRORS:
                base = None  # damaged
            else:
                large = depth == 1 and len(packed.data) > _SMALL_DIFFERENCE
                foot = large and self._row("SELECT length(data) FROM content WHERE number = ?", base)
                if not foot or len(packed.data) <= foot[0] // 2:
                    return base, depth, packed.head, packed.tail, packed.codec, packed.data
        packed = pack(content)
        return None, 0, packed.head, packed.tail, packed.codec, packed.data

    def _depth(self, base: int | None) -> tuple[int, int]:
        """How long the chain gets that is hung on a content, and how large that is."""
        row = base and self._row("SELECT depth, size FROM content WHERE number = ?", base)
        if not row or not all(isinstance(value, int) for value in row):
            return 0, 0
        return row[0] + 1, row[1]

    def _chain_end(self, number: int | None) -> int | None:
        """The whole content at the end of a chain."""
        for _ in range(_LONGEST_CHAIN + 1):
            row = self._row("SELECT base FROM content WHERE number = ?", number)
            if row is None or row[0] is None:
                break
            number = row[0]
        return number

    def _unpack_chain(self, number: int | None) -> bytes:
        """A content, unpacked along its chain. Raises ValueError or TypeError where the chain is damaged."""
        chain: list[tuple[int, Any]] = []
        while number is not None and number not in self._cache:
            row = self._row("SELECT base, size, head, tail, codec, data FROM content WHERE number = ?", number)
            if row is None or len(chain) > _LONGEST_CHAIN:
                raise ValueError(number)
            chain.append((number, row))
            number = row[0]
        content = b"" if number is None else self._cache[number]
        for link, (_, size, *packed) in reversed(chain):
            content = unpack(Packed(*packed), size, content)
            self._add_to_cache(link, content)
        return content

    def _add_to_cache(self, number: int, content: bytes) -> None:
        self._cached += len(content) - len(self._cache.get(number, b""))
        if self._cached > _MAX_CACHED_BYTES:
            self._clear_cache()
            self._cached = len(content)
        self._cache[number] = content

    def _clear_cache(self) -> None:
        self._cache.clear()
        self._cached = 0

    def _row(self, query: str, *values: object) -> Any:
        return self._db.execute(query, values).fetchone()


class Checksums:
    """The checksums in an open database."""

    def __init__(self, database: Connection) -> None:
        self._db = database
        self._is_there: bool | None = None

    def put(self, kind: str, key: object, place: int, name: str, values: object | None) -> None:
        """Give a record a checksum; one whose values are None stays damaged."""
        if not self._exists():
            self._db.execute(_CHECKSUM_TABLE)
            self._is_there = True
        row = (kind, key, place, name, _NO_CHECKSUM if values is None else _sum(values))
        self._db.execute("INSERT OR REPLACE INTO checksum VALUES (?, ?, ?, ?, ?)", row)

    def matches(self, kind: str, key: object, values: object) -> bool | None:
        """Whether a record is as it was written; None if an earlier version wrote it, and it is not known."""
        row = self._row("SELECT sum FROM checksum WHERE kind = ? AND key = ?", kind, key)
        if row is not None:
            return bool(row[0] == _sum(values))
        is_new = self._row("SELECT 1 FROM checksum WHERE kind = ? AND key >= ? LIMIT 1", kind, key) is None
        return None if is_new else False  # of the newer ones, an earlier version gave none a checksum

    def newest(self, kind: str) -> Any:
        """The greatest key that has a checksum, or None."""
        row = self._row("SELECT max(key) FROM checksum WHERE kind = ?", kind)
        return row and row[0]

    def entries(self, kind: str) -> list[tuple[Any, Any, Any]]:
        """Every key of a kind, with its place and name."""
        if not self._exists():
            return []
        query = "SELECT key, place, name FROM checksum WHERE kind = ? ORDER BY key"
        return self._db.execute(query, (kind,)).fetchall()

    def name(self, kind: str, key: object) -> str | None:
        """The name of what has this key."""
        row = self._row("SELECT name FROM checksum WHERE kind = ? AND key = ?", kind, key)
        return row[0] if row is not None and isinstance(row[0], str) else None

    def drop(self, kind: str, until: object) -> None:
        """Forget the checksums of a kind up to a place."""
        if self._exists():
            self._db.execute("DELETE FROM checksum WHERE kind = ? AND place <= ?", (kind, until))

    def drop_one(self, kind: str, key: object) -> None:
        """Forget one checksum."""
        if self._exists():
            self._db.execute("DELETE FROM checksum WHERE kind = ? AND key = ?", (kind, key))

    def _exists(self) -> bool:
        if self._is_there is None:
            self._is_there = has_table(self._db, "checksum")
        return self._is_there

    def _row(self, query: str, *values: object) -> Any:
        return self._db.execute(query, values).fetchone() if self._exists() else None


def has_table(database: Connection, name: str) -> bool:
    """Whether a database has a table: earlier versions made fewer."""
    query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return database.execute(query, (name,)).fetchone() is not None


def delta(new: bytes, old: bytes) -> bytes | None:
    """The new text by the old one; None if too little of it occurs there in the same order."""
    numbers: list[int] = []
    literals: list[bytes] = []
    at = place = 0
    while at < len(new) and len(literals) < _MOST_COPIES:
        same = _common(new, at, old, place)
        numbers += [place, same]
        at, place = at + same, place + same
        ahead, place = _find_next_match(new, at, old, place)
        if ahead is None:
            return None
        literals.append(new[at : at + ahead])
        numbers.append(ahead)
        at += ahead
    literal = sum(map(len, literals))
    if at < len(new) or literal > len(new) // 4:
        return None
    return b"".join([struct.pack(f"<Q{len(numbers)}Q", len(literals), *numbers), *literals])


def apply_delta(data: bytes, old: bytes, size: int) -> bytes:
    """The new text of this size again. Raises ValueError where the data cannot be what was made."""
    try:
        (count,) = unpack_from("<Q", data)
        if count > len(data):
            raise ValueError(count)
        numbers = unpack_from(f"<{3 * count}Q", data, 8)
    except error as wrong:
        raise ValueError(len(data)) from wrong
    if sum(numbers[1::3]) + sum(numbers[2::3]) != size:  # or it would ask for as much memory as the damage claims
        raise ValueError(size)
    view, copied = memoryview(data), memoryview(old)
    position = calcsize(f"<Q{3 * count}Q")
    pieces: list[memoryview] = []
    for start, same, literal in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True):
        pieces += [copied[start : start + same], view[position : position + literal]]
        position += literal
    result = b"".join(pieces)
    if len(result) != size:
        raise ValueError(size)
    return result


def pack(new: bytes, old: bytes = b"", ends: tuple[int, int] | None = None) -> Packed:
    """Make a version small; `ends` are the lengths of what it shares with the old one, if that is known."""
    head, tail = ends or common_ends(old, new)
    if min(len(old), len(new)) - head - tail > _LARGE_FILE and (data := delta(new, old)) is not None:
        return Packed(0, 0, "delta", data)
    rest = new[head : len(new) - tail]
    if len(rest) < _SHORT_MIDDLE:
        return Packed(head, tail, "raw", rest)
    known = old[head : len(old) - tail]
    if not known:
        return Packed(head, tail, "zstd", _compress(rest))
    from zstandard import DICT_TYPE_RAWCONTENT, ZstdCompressionDict, ZstdCompressionParameters, ZstdCompressor

    both = len(known) + len(rest)
    parameters = ZstdCompressionParameters.from_level(
        1 if both > _LARGE_FILE else 3,
        source_size=len(rest),
        dict_size=len(known),
        window_log=max(both.bit_length(), _SMALLEST_WINDOW),
        hash_log=min(max(len(known).bit_length() + 1, _SMALLEST_TABLE), _LARGEST_TABLE),  # the default is too small
    )
    dictionary = ZstdCompressionDict(known, dict_type=DICT_TYPE_RAWCONTENT)
    compressor = ZstdCompressor(dict_data=dictionary, compression_params=parameters)
    return Packed(head, tail, "zstd+", compressor.compress(rest))


def unpack(packed: Packed, size: int, old: bytes = b"") -> bytes:
    """The version of `size` bytes again. Raises ValueError where the data cannot be what was packed."""
    head, tail = packed.head, packed.tail
    length = size - head - tail
    rest = packed.data
    if min(head, tail, length) < 0 or max(head, tail) > len(old):
        raise ValueError(packed)
    if packed.codec == "delta":
        return apply_delta(packed.data, old, size)
    if packed.codec != "raw":
        from zstandard import DICT_TYPE_RAWCONTENT, ZstdCompressionDict, ZstdDecompressor, ZstdError, frame_content_size

        known = old[head : len(old) - tail] if packed.codec == "zstd+" else b""
        dictionary = ZstdCompressionDict(known, dict_type=DICT_TYPE_RAWCONTENT) if known else None
        try:
            if frame_content_size(rest) != length:  # or it would ask for as much memory as the damage claims
                raise ValueError(packed.codec)
            decompressor = ZstdDecompressor(dict_data=dictionary, max_window_size=1 << 31)
            rest = decompressor.decompress(rest, max_output_size=length)
        except ZstdError as error:
            raise ValueError(packed.codec) from error
    if len(rest) != length:
        raise ValueError(len(rest))
    return old[:head] + rest + old[len(old) - tail :]


def _common(new: bytes, at: int, old: bytes, place: int) -> int:
    """How many bytes are the same from there on."""
    most = min(len(new) - at, len(old) - place)
    same, step, grows = 0, _FIRST_STEP, True
    while same < most and step:
        step = min(step, most - same)
        if new[at + same : at + same + step] == old[place + same : place + same + step]:
            same += step
            step = min(step * 2, _LARGEST_STEP) if grows else step
        else:
            step, grows = step // 2, False
    return same


def _find_next_match(new: bytes, at: int, old: bytes, place: int) -> tuple[int | None, int]:
    """How far ahead in the new text, and where in the old one, they are the same again."""
    for ahead in (0, *_STEPS_IN_NEW):
        anchor = new[at + ahead : at + ahead + _ANCHOR_SIZE]
        if len(anchor) < _ANCHOR_SIZE:
            return len(new) - at, place  # so near the end, the rest stands for itself
        met = old.find(anchor, place, place + _REACH_IN_OLD)
        if met >= 0:
            back = 0
            while back < ahead and met - back > place and new[at + ahead - back - 1] == old[met - back - 1]:
                back += 1
            return ahead - back, met - back
    return None, place


def _compress(content: bytes) -> bytes:
    """A content by itself. Whoever compresses has a compressor alone; it is kept, since making it takes as long."""
    from zstandard import ZstdCompressor  # 8 ms: most edits are short

    try:
        compressor = _idle_compressors.pop()
    except IndexError:
        compressor = ZstdCompressor(level=3)
    data = compressor.compress(content)
    _idle_compressors[:] = [compressor]
    return data


def _sum(values: object) -> str:
    raw = ascii(values).encode()  # the same in every version of Python
    return digest((raw,), len(raw))
