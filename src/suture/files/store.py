"""Store the contents of the history: packed as differences, found by hash, and verified.

    pack(new, old) -> Packed(head, tail, codec, data)             unpack(packed, size, old) -> new

The common beginning and end are not stored. What is between them is compressed by zstd, with the old file's middle as
its dictionary, or stored as it is if it is too short to be worth loading zstd.

A difference may be based on another one. The length of such a chain is limited, in links and in bytes, so that
unpacking one content stays fast. Every unpacked content is compared with its hash.

    delta(new, old) -> bytes or None         apply_delta(data, old, size) -> new

A large file with scattered changes is stored as copies from the old one: `delta` walks through both texts at once and,
where they differ, looks a little ahead for the next match. That takes little memory and time, unlike a compressor
with the whole old text as its dictionary. If there is no match, there is no delta. The data is the number of copies;
for each copy the offset in the old text, its length, and the length of the literal after it, as 64-bit numbers; then
all literals.

A content that was removed for good (`suture forget`) is known by its hash only; its depth says so. What is based on it
is packed anew.

Checksums of records have their own table:
    kind        key         place                   name
    change      number      its number              its id
    snapshot    id          the change before it    its name
    files       the id of a snapshot, for its files
    session_clipboard   session and name, with a NUL between them

The first write creates the table. Version 0.1.0, which does not know it, can still use the database; its records have
no checksum until this version writes again. So a record without a checksum was written by 0.1.0 if it is newer than
all records that have one. Otherwise its checksum was lost.
"""

from __future__ import annotations

import struct
from struct import calcsize, error, unpack_from

from suture.plan import digest
from suture.records import Record
from suture.text.edits import common_ends

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from sqlite3 import Connection
    from typing import Any

    from zstandard import ZstdCompressor

    Supply = Callable[[str], bytes | None]
    """Returns the content with a hash, or None if it is not available."""

_ANCHOR_SIZE = 24  # bytes that must be equal for texts to match again: shorter texts are equal by chance
_REACH_IN_OLD = 1 << 16  # bytes of the old text that are searched for an anchor: bounds the time
_STEPS_IN_NEW = tuple(1 << power for power in range(4, 15))  # bytes ahead in the new text at which anchors begin
_MAX_COPIES = 5_000  # in one delta: with more, the text was rewritten
_FIRST_STEP, _MAX_STEP_BYTES = 1 << 8, 1 << 16  # bytes compared at once

_SHORT_MIDDLE = 1_000  # bytes; less is stored uncompressed, because zstd saves little
_LARGE_FILE = 1 << 20  # bytes; for larger ones, try a delta, and use a faster level of zstd
_MAX_TABLE_BITS = 22  # log2 of its entries: 16 MB while packing
_SMALLEST_WINDOW, _SMALLEST_TABLE = 10, 6  # zstd's own bounds
_idle_compressors: list[ZstdCompressor] = []

SCHEMA = """
CREATE TABLE content (number INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, base INTEGER,
    depth INTEGER NOT NULL, head INTEGER NOT NULL, tail INTEGER NOT NULL, codec TEXT NOT NULL, data BLOB);
"""
_MAX_CHAIN_DELTAS = 32  # differences based on each other, all of which are unpacked to read the last one
_CHAIN_BYTES = 100_000_000  # unpacked for one content: bounds the time for large files
_MAX_CACHED_BYTES = 32_000_000  # of unpacked contents, during a change: bounds the memory
_MAX_CHECKED_BYTES = 1_000_000  # of a content that is unpacked as a check before others build on it: bounds the time
_MAX_IDLE_BYTES = 4_000_000  # of unpacked contents, between two changes: the last files edited are often the next
_UNPACKING_ERRORS = (ValueError, TypeError, OverflowError, MemoryError)  # raised for damaged data
_SMALL_DIFFERENCE = 4_000  # bytes; a smaller difference is always preferred to the whole content
_FORGOTTEN = -1
"""The depth of a content that was removed for good. Version 0.1.0 takes it for one that was never stored."""

_CHECKSUM_TABLE = """CREATE TABLE IF NOT EXISTS checksum (kind TEXT NOT NULL, key BLOB NOT NULL, place INTEGER NOT NULL,
    name TEXT NOT NULL, sum TEXT NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID"""
_NO_CHECKSUM = ""
"""The checksum of a record that was damaged before it could get one."""


class Packed(Record):
    """A version as a difference to another one, with which it shares the first `head` and last `tail` bytes."""

    head: int
    tail: int
    codec: str
    """The format of `data`: `raw`, `zstd`, `zstd+` (with the other version's middle as dictionary), or `delta`."""
    data: bytes


class NewContent(Record):
    """A content that is packed by itself, to be stored."""

    size: int
    packed: Packed

    def __len__(self) -> int:
        """The size of what will be stored."""
        return len(self.packed.data)


class Contents:
    """The contents in an open database, by hash, and by the number that records refer to."""

    def __init__(self, database: Connection) -> None:
        self._db = database
        self._cache: dict[int, bytes] = {}
        """Unpacked contents by number, valid as long as nobody else writes."""
        self._cached = 0

    def get(self, name: str) -> bytes | None:
        """The content with this hash, or None if it is not stored or damaged."""
        row = self._row("SELECT number, data IS NULL FROM content WHERE digest = ?", name)
        if row is None or row[1]:
            return None
        try:
            content = self._unpack_chain(row[0])
        except _UNPACKING_ERRORS:
            return None
        return content if digest((content,), len(content)) == name else None

    def is_recorded(self, name: str) -> bool:
        """Whether content with this hash was ever stored, and not only its hash."""
        row = self._row("SELECT size, codec, data IS NULL FROM content WHERE digest = ?", name)
        return row is None or tuple(row) != (0, "raw", 1)

    def is_forgotten(self, name: str) -> bool:
        """Whether content with this hash was removed for good."""
        row = self._row("SELECT depth FROM content WHERE digest = ? AND data IS NULL", name)
        return row is not None and row[0] == _FORGOTTEN

    def size(self, name: str) -> int | None:
        """The size of stored content; None if it is not stored."""
        row = self._row("SELECT size FROM content WHERE digest = ? AND data IS NOT NULL", name)
        return row[0] if row is not None and isinstance(row[0], int) else None

    def keep(self, name: str, supply: Supply, base: int | None, ends: tuple[int, int] | None = None) -> int:
        """Store content, unless it is stored already, perhaps as a difference to `base`; returns its number.

        `ends` are the lengths of the common beginning and end, if known.
        """
        row = self._row("SELECT number, data IS NULL FROM content WHERE digest = ?", name)
        content = supply(name)
        if row is not None and (content is None or (not row[1] and self._is_sound(row[0], content))):
            return int(row[0])
        if content is None:
            values: tuple[Any, ...] = (0, None, 0, 0, 0, "raw", None)  # known by its hash only
        else:
            base = base if row is None else None  # replacing a damaged content: others may be based on it
            values = (len(content), *self._pack_columns(content, base, ends))
        query = "INSERT OR REPLACE INTO content VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        number = self._db.execute(query, (row and row[0], name, *values)).lastrowid
        assert number is not None  # noqa: S101  a row was inserted
        if row is not None:
            self._clear_cache()  # others may have been unpacked from the damaged one
        if content is not None:
            self._add_to_cache(number, content)
        return number

    def keep_all(self, names: Iterable[str], new: Mapping[str, NewContent]) -> dict[str, int]:
        """Store many contents at once, each by itself; returns their numbers by hash.

        A hash without content is stored alone.
        """
        numbers: dict[str, int] = {}
        rows: list[tuple[Any, ...]] = []
        following = (self._row("SELECT max(number) FROM content")[0] or 0) + 1
        for name in names:
            row = self._row("SELECT number, data IS NULL FROM content WHERE digest = ?", name)
            content = new.get(name)
            if row is None or (row[1] and content is not None):
                number = following if row is None else row[0]
                following += row is None
                packed = Packed(0, 0, "raw", b"") if content is None else content.packed
                size, data = (0, None) if content is None else (content.size, packed.data)
                rows.append((number, name, size, None, 0, packed.head, packed.tail, packed.codec, data))
            numbers[name] = row[0] if row is not None else rows[-1][0]
        self._db.executemany("INSERT OR REPLACE INTO content VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        return numbers

    def _is_sound(self, number: int, content: bytes) -> bool:
        """Whether a stored content is sound: the next one will be based on it. A large content is not checked."""
        try:
            if len(content) <= _MAX_CHECKED_BYTES and self._unpack_chain(number) != content:
                return False
        except _UNPACKING_ERRORS:
            return False
        self._add_to_cache(number, content)
        return True

    def forget(self, numbers: Collection[int], unused: Collection[int]) -> None:
        """Remove contents for good. Of those of `numbers`, the hash is kept; nothing refers to the `unused` ones.

        What is based on them is packed anew, or, if it is damaged, stays damaged.
        """
        gone = {*numbers, *unused}
        self._clear_cache()
        for number, name, base in self._db.execute("SELECT number, digest, base FROM content").fetchall():
            if base in gone and number not in gone:
                self._pack_again(number, name, gone)
        forgotten = "base = NULL, depth = ?, size = 0, head = 0, tail = 0, codec = 'raw', data = NULL"
        rows = [(_FORGOTTEN, number) for number in numbers]
        self._db.executemany(f"UPDATE content SET {forgotten} WHERE number = ?", rows)  # noqa: S608  written by us
        self._db.executemany("DELETE FROM content WHERE number = ?", [(number,) for number in unused])
        self._clear_cache()

    def _pack_again(self, number: int, name: str, gone: Collection[int]) -> None:
        """Pack a content without the contents that go, as a difference to the next one of its chain that stays."""
        columns: tuple[Any, ...] = (None, 0, 0, 0, "raw", None)  # no longer readable
        try:
            content = self._unpack_chain(number)
        except _UNPACKING_ERRORS:
            content = None
        if content is not None and digest((content,), len(content)) == name:
            base = self._base(number)
            while base in gone:
                base = self._base(base)
            columns = self._pack_columns(content, base, None)
        query = "UPDATE content SET base = ?, depth = ?, head = ?, tail = ?, codec = ?, data = ? WHERE number = ?"
        self._db.execute(query, (*columns, number))

    def keep_only(self, referred: str) -> None:
        """Delete every content that the query `referred` does not list and that no other content is based on."""
        bases = "UNION SELECT base FROM content WHERE base IS NOT NULL"
        query = f"DELETE FROM content WHERE number NOT IN ({referred} {bases})"  # noqa: S608  written by us
        while self._db.execute(query).rowcount:
            self._clear_cache()  # numbers are reused; and contents that only these were based on can go now

    def trim_cache(self) -> None:
        """Free most of the memory until the next use."""
        if self._cached > _MAX_IDLE_BYTES:
            self._clear_cache()

    def _pack_columns(self, content: bytes, base: int | None, ends: tuple[int, int] | None) -> tuple[Any, ...]:
        """The columns of a content: a difference to `base`, or, if the chain gets too long, to the end of the chain."""
        depth, size = self._depth(base)
        if depth > _MAX_CHAIN_DELTAS or (depth > 1 and depth * max(size, len(content)) > _CHAIN_BYTES):
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
        """The length of a chain that continues from a content, and the content's size."""
        row = base and self._row("SELECT depth, size FROM content WHERE number = ?", base)
        if not row or not all(isinstance(value, int) for value in row):
            return 0, 0
        return row[0] + 1, row[1]

    def _chain_end(self, number: int | None) -> int | None:
        """The whole content at the end of a chain."""
        for _ in range(_MAX_CHAIN_DELTAS + 1):
            base = self._base(number)
            if base is None:
                break
            number = base
        return number

    def _base(self, number: int | None) -> int | None:
        """The content that another one is a difference to."""
        row = self._row("SELECT base FROM content WHERE number = ?", number)
        return None if row is None else row[0]

    def _unpack_chain(self, number: int | None) -> bytes:
        """A content, unpacked along its chain. Raises ValueError or TypeError where the chain is damaged."""
        chain: list[tuple[int, Any]] = []
        while number is not None and number not in self._cache:
            row = self._row("SELECT base, size, head, tail, codec, data FROM content WHERE number = ?", number)
            if row is None or len(chain) > _MAX_CHAIN_DELTAS:
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
        """Store the checksum of a record; a record whose values are None stays damaged."""
        if not self._exists():
            self._db.execute(_CHECKSUM_TABLE)
            self._is_there = True
        row = (kind, key, place, name, _NO_CHECKSUM if values is None else _sum(values))
        self._db.execute("INSERT OR REPLACE INTO checksum VALUES (?, ?, ?, ?, ?)", row)

    def matches(self, kind: str, key: object, values: object) -> bool | None:
        """Whether a record is unchanged; None if that is unknown, because an earlier version wrote it."""
        row = self._row("SELECT sum FROM checksum WHERE kind = ? AND key = ?", kind, key)
        if row is not None:
            return bool(row[0] == _sum(values))
        is_new = self._row("SELECT 1 FROM checksum WHERE kind = ? AND key >= ? LIMIT 1", kind, key) is None
        return None if is_new else False  # without any newer checksum, an earlier version wrote it

    def newest(self, kind: str) -> Any:
        """The greatest key with a checksum, or None."""
        row = self._row("SELECT max(key) FROM checksum WHERE kind = ?", kind)
        return row and row[0]

    def entries(self, kind: str) -> list[tuple[Any, Any, Any]]:
        """All keys of a kind, with place and name."""
        if not self._exists():
            return []
        query = "SELECT key, place, name FROM checksum WHERE kind = ? ORDER BY key"
        return self._db.execute(query, (kind,)).fetchall()

    def name(self, kind: str, key: object) -> str | None:
        """The name stored with this key."""
        row = self._row("SELECT name FROM checksum WHERE kind = ? AND key = ?", kind, key)
        return row[0] if row is not None and isinstance(row[0], str) else None

    def drop(self, kind: str, until: object) -> None:
        """Delete the checksums of a kind up to a place."""
        if self._exists():
            self._db.execute("DELETE FROM checksum WHERE kind = ? AND place <= ?", (kind, until))

    def drop_one(self, kind: str, key: object) -> None:
        """Delete one checksum."""
        if self._exists():
            self._db.execute("DELETE FROM checksum WHERE kind = ? AND key = ?", (kind, key))

    def _exists(self) -> bool:
        if self._is_there is None:
            self._is_there = has_table(self._db, "checksum")
        return self._is_there

    def _row(self, query: str, *values: object) -> Any:
        return self._db.execute(query, values).fetchone() if self._exists() else None


def has_table(database: Connection, name: str) -> bool:
    """Whether a database has a table: earlier versions created fewer."""
    query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"
    return database.execute(query, (name,)).fetchone() is not None


def delta(new: bytes, old: bytes) -> bytes | None:
    """The new text as copies from the old one; None if too little of it occurs there in the same order."""
    numbers: list[int] = []
    literals: list[bytes] = []
    at = place = 0
    while at < len(new) and len(literals) < _MAX_COPIES:
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
    """Restore the new text, of this size. Raises ValueError for data that `delta` cannot have made."""
    try:
        (count,) = unpack_from("<Q", data)
        if count > len(data):
            raise ValueError(count)
        numbers = unpack_from(f"<{3 * count}Q", data, 8)
    except error as wrong:
        raise ValueError(len(data)) from wrong
    if sum(numbers[1::3]) + sum(numbers[2::3]) != size:  # otherwise damaged data could claim any amount of memory
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
    """Pack a version; `ends` are the lengths of what it shares with the old one at both ends, if known."""
    head, tail = ends or common_ends(old, new)
    if min(len(old), len(new)) - head - tail > _LARGE_FILE and (data := delta(new, old)) is not None:
        return Packed(0, 0, "delta", data)
    rest = new[head : len(new) - tail]
    if len(rest) < _SHORT_MIDDLE:
        return Packed(head, tail, "raw", rest)
    replaced = old[head : len(old) - tail]
    if not replaced:
        return Packed(head, tail, "zstd", _compress(rest))
    from zstandard import DICT_TYPE_RAWCONTENT, ZstdCompressionDict, ZstdCompressionParameters, ZstdCompressor

    both = len(replaced) + len(rest)
    parameters = ZstdCompressionParameters.from_level(
        1 if both > _LARGE_FILE else 3,
        source_size=len(rest),
        dict_size=len(replaced),
        window_log=max(both.bit_length(), _SMALLEST_WINDOW),
        hash_log=min(max(len(replaced).bit_length() + 1, _SMALLEST_TABLE), _MAX_TABLE_BITS),  # the default is too small
    )
    dictionary = ZstdCompressionDict(replaced, dict_type=DICT_TYPE_RAWCONTENT)
    compressor = ZstdCompressor(dict_data=dictionary, compression_params=parameters)
    return Packed(head, tail, "zstd+", compressor.compress(rest))


def unpack(packed: Packed, size: int, old: bytes = b"") -> bytes:
    """Restore the version of `size` bytes. Raises ValueError for data that `pack` cannot have made."""
    head, tail = packed.head, packed.tail
    length = size - head - tail
    rest = packed.data
    if min(head, tail, length) < 0 or max(head, tail) > len(old):
        raise ValueError(packed)
    if packed.codec == "delta":
        return apply_delta(packed.data, old, size)
    if packed.codec != "raw":
        from zstandard import DICT_TYPE_RAWCONTENT, ZstdCompressionDict, ZstdDecompressor, ZstdError, frame_content_size

        replaced = old[head : len(old) - tail] if packed.codec == "zstd+" else b""
        dictionary = ZstdCompressionDict(replaced, dict_type=DICT_TYPE_RAWCONTENT) if replaced else None
        try:
            if frame_content_size(rest) != length:  # before memory is taken for the content
                raise ValueError(packed.codec)
            decompressor = ZstdDecompressor(dict_data=dictionary, max_window_size=1 << 31)
            rest = decompressor.decompress(rest, max_output_size=length)
        except ZstdError as error:
            raise ValueError(packed.codec) from error
    if len(rest) != length:
        raise ValueError(len(rest))
    return old[:head] + rest + old[len(old) - tail :]


def _common(new: bytes, at: int, old: bytes, place: int) -> int:
    """The number of equal bytes from there on."""
    most = min(len(new) - at, len(old) - place)
    same, step, grows = 0, _FIRST_STEP, True
    while same < most and step:
        step = min(step, most - same)
        if new[at + same : at + same + step] == old[place + same : place + same + step]:
            same += step
            step = min(step * 2, _MAX_STEP_BYTES) if grows else step
        else:
            step, grows = step // 2, False
    return same


def _find_next_match(new: bytes, at: int, old: bytes, place: int) -> tuple[int | None, int]:
    """Where the texts match again: the distance in the new text, and the position in the old one."""
    for ahead in (0, *_STEPS_IN_NEW):
        anchor = new[at + ahead : at + ahead + _ANCHOR_SIZE]
        if len(anchor) < _ANCHOR_SIZE:
            return len(new) - at, place  # too near the end: the rest is literal
        met = old.find(anchor, place, place + _REACH_IN_OLD)
        if met >= 0:
            back = 0
            while back < ahead and met - back > place and new[at + ahead - back - 1] == old[met - back - 1]:
                back += 1
            return ahead - back, met - back
    return None, place


def _compress(content: bytes) -> bytes:
    """Compress content by itself. The compressor, which one thread uses at a time, is kept: creating it is slow."""
    from zstandard import ZstdCompressor  # 8 ms: most edits are short

    try:
        compressor = _idle_compressors.pop()
    except IndexError:
        compressor = ZstdCompressor(level=3)
    data = compressor.compress(content)
    _idle_compressors[:] = [compressor]
    return data


def _sum(values: object) -> str:
    raw = ascii(values).encode()  # equal in all versions of Python
    return digest((raw,), len(raw))
