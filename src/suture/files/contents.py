"""Every content of a workspace's history, once: most of them as the difference to another (`files.packing`).

A difference may rest on a difference, but not endlessly: a chain has an end after a number of links and a
number of bytes, so that getting at one content stays quick. What comes out is held against its hash.
"""

from __future__ import annotations

from suture.files.packing import Packed, pack, unpack
from suture.plan import digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from sqlite3 import Connection
    from typing import Any

    Supply = Callable[[str], bytes | None]
    """Gives a content by its hash, or None if it is gone."""

SCHEMA = """
CREATE TABLE content (number INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, base INTEGER,
    depth INTEGER NOT NULL, head INTEGER NOT NULL, tail INTEGER NOT NULL, codec TEXT NOT NULL, data BLOB);
"""
_LONGEST_CHAIN = 32
_CHAIN_BYTES = 100_000_000  # unpacked to get at one content
_CACHED = 32_000_000
_CHECKED = 1_000_000
_RESTING = 4_000_000  # bytes that are held between two changes
_WRONG = (ValueError, TypeError, OverflowError, MemoryError)  # what comes of unpacking what is damaged
_SMALL = 4_000  # bytes of a difference that are always better than storing the whole


class Contents:
    """The contents in an open database, by hash, and by the number that records refer to."""

    def __init__(self, database: Connection) -> None:
        self._db = database
        self._cache: dict[int, bytes] = {}
        """Contents as what is stored gives them, as long as nobody else writes."""
        self._cached = 0

    def get(self, name: str) -> bytes | None:
        """The content of this hash, or None if it is not kept, or damaged."""
        row = self._row("SELECT number, data IS NULL FROM content WHERE digest = ?", name)
        if row is None or row[1]:
            return None
        try:
            found = self._unpacked(row[0])
        except _WRONG:
            return None
        return found if digest((found,), len(found)) == name else None

    def is_kept(self, name: str) -> bool:
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
        if row is not None and not row[1] and (content is None or self._holds(row[0], content)):
            return int(row[0])
        if content is None:
            values: tuple[Any, ...] = (0, None, 0, 0, 0, "raw", None)  # known by its hash only
        else:
            base = base if row is None else None  # others may rest on it
            values = (len(content), *self._packed(content, base, ends))
        query = "INSERT OR REPLACE INTO content VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        number = self._db.execute(query, (row and row[0], name, *values)).lastrowid
        assert number is not None  # noqa: S101  a row was inserted
        if row is not None:
            self._forget()  # others may have been unpacked from what stood there
        if content is not None:
            self._remember(number, content)
        return number

    def _holds(self, number: int, content: bytes) -> bool:
        """Whether what is stored is sound, for the next content will be stored against it; a large one is believed."""
        try:
            if len(content) <= _CHECKED and self._unpacked(number) != content:
                return False
        except _WRONG:
            return False
        self._remember(number, content)
        return True

    def drop_all_but(self, referred: str) -> None:
        """Forget every content whose number the query `referred` does not give, and that no other rests on."""
        bases = "UNION SELECT base FROM content WHERE base IS NOT NULL"
        query = f"DELETE FROM content WHERE number NOT IN ({referred} {bases})"  # noqa: S608  written by us
        while self._db.execute(query).rowcount:
            self._forget()  # their numbers will be given again; and what only they rested on is free now

    def rest(self) -> None:
        """Hold little in memory until the next use."""
        if self._cached > _RESTING:
            self._forget()

    def _packed(self, content: bytes, base: int | None, ends: tuple[int, int] | None) -> tuple[Any, ...]:
        """A content as columns: against `base`, or where that makes a long chain, against the one it rests on."""
        depth, size = self._depth(base)
        if depth > _LONGEST_CHAIN or (depth > 1 and depth * max(size, len(content)) > _CHAIN_BYTES):
            base, depth, ends = self._foot(base), 1, None
        if base is not None:
            try:
                packed = pack(content, self._unpacked(base), ends)
            except _WRONG:
                base = None  # damaged
            else:
                large = depth == 1 and len(packed.data) > _SMALL
                foot = large and self._row("SELECT length(data) FROM content WHERE number = ?", base)
                if not foot or len(packed.data) <= foot[0] // 2:
                    return base, depth, packed.head, packed.tail, packed.codec, packed.data
        packed = pack(content)
        return None, 0, packed.head, packed.tail, packed.codec, packed.data

    def _depth(self, base: int | None) -> tuple[int, int]:
        """How long the chain gets that is hung on a content, and how large that is."""
        row = base and self._row("SELECT depth, size FROM content WHERE number = ?", base)
        if not row or not all(isinstance(each, int) for each in row):
            return 0, 0
        return row[0] + 1, row[1]

    def _foot(self, number: int | None) -> int | None:
        """The whole content at the end of a chain."""
        for _ in range(_LONGEST_CHAIN + 1):
            row = self._row("SELECT base FROM content WHERE number = ?", number)
            if row is None or row[0] is None:
                break
            number = row[0]
        return number

    def _unpacked(self, number: int | None) -> bytes:
        """A content, unpacked along its chain. Raises ValueError or TypeError where the chain is damaged."""
        chain: list[tuple[int, Any]] = []
        while number is not None and number not in self._cache:
            row = self._row("SELECT base, size, head, tail, codec, data FROM content WHERE number = ?", number)
            if row is None or len(chain) > _LONGEST_CHAIN:
                raise ValueError(number)
            chain.append((number, row))
            number = row[0]
        found = b"" if number is None else self._cache[number]
        for each, (_, size, *packed) in reversed(chain):
            found = unpack(Packed(*packed), size, found)
            self._remember(each, found)
        return found

    def _remember(self, number: int, content: bytes) -> None:
        self._cached += len(content) - len(self._cache.get(number, b""))
        if self._cached > _CACHED:
            self._forget()
            self._cached = len(content)
        self._cache[number] = content

    def _forget(self) -> None:
        self._cache.clear()
        self._cached = 0

    def _row(self, query: str, *values: object) -> Any:
        return self._db.execute(query, values).fetchone()
