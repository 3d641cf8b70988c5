"""The clipboards in an open database: texts that were cut or copied, by session and name, and where they came from.

A session sees only its own. What sessions leave behind is dropped once it is too old or too much. Version 0.1.0 had
clipboards for the whole workspace, in a table that nobody reads any more.
"""

from __future__ import annotations

from itertools import accumulate

from suture.errors import HistoryDamaged
from suture.files.store import Checksums, has_table
from suture.plan import Clipboard
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from sqlite3 import Connection
    from typing import Any

    Key = tuple[str, str]
    """The session and the name of a clipboard."""

_KIND = "session_clipboard"
_SCHEMA = """CREATE TABLE IF NOT EXISTS session_clipboard (session BLOB NOT NULL, name BLOB NOT NULL,
    content BLOB NOT NULL, path BLOB NOT NULL, start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
    is_part INTEGER NOT NULL, made TEXT NOT NULL, by_change INTEGER NOT NULL, PRIMARY KEY (session, name))"""
_SELECT_ONE = """SELECT session, name, content, path, start_line, end_line, is_part, made, by_change
    FROM session_clipboard WHERE session = ? AND name = ?"""
_SELECT_ALL = """SELECT session, name, x'', path, start_line, end_line, is_part, made, by_change, length(content)
    FROM session_clipboard ORDER BY made DESC, session, name"""
_MAX_OTHERS = 1_000  # clipboards of other sessions than the one that fills some: they may have ended
_MAX_OTHER_BYTES = 50_000_000  # of these


class KnownClipboard(Record):
    """A clipboard of a session, without its text."""

    session: str
    size: int
    """The bytes of its text."""
    clipboard: Clipboard

    @property
    def key(self) -> Key:
        """Its session and name."""
        return self.session, self.clipboard.name


class Clipboards:
    """The clipboards of all sessions in a database."""

    def __init__(self, database: Connection, checksums: Checksums) -> None:
        self._db = database
        self._checksums = checksums

    def all(self) -> list[KnownClipboard]:
        """Every clipboard, newest first; those whose records cannot be valid are left out."""
        rows = self._db.execute(_SELECT_ALL).fetchall() if has_table(self._db, _KIND) else []
        return [KnownClipboard(_decode(row[0]), row[-1], _clipboard(row[:-1])) for row in rows if _is_valid(row[:-1])]

    def get(self, session: str, name: str) -> Clipboard | None:
        """A clipboard of a session; None if it has none with this name."""
        key = _encode(session), _encode(name)
        row = self._db.execute(_SELECT_ONE, key).fetchone() if has_table(self._db, _KIND) else None
        if row is None and self._checksums.name(_KIND, _joined(key)) is None:
            return None
        if row is None or not _is_valid(row) or not self._checksums.matches(_KIND, _joined(key), row):
            raise HistoryDamaged(what="clipboard", name=name)
        return _clipboard(row)

    def put(self, session: str, clipboards: Iterable[Clipboard]) -> None:
        """Store clipboards of a session, replacing those with the same names."""
        rows = [_row(session, clipboard) for clipboard in clipboards]
        if not rows:
            return
        self._db.execute(_SCHEMA)
        self._db.executemany("INSERT OR REPLACE INTO session_clipboard VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
        for row in rows:
            self._checksums.put(_KIND, _joined(row[:2]), 0, "", row)
        others = [known for known in self.all() if known.session != session]
        sizes = accumulate(known.size for known in others)
        self.drop(
            known.key
            for number, (known, size) in enumerate(zip(others, sizes, strict=True))
            if number >= _MAX_OTHERS or size > _MAX_OTHER_BYTES
        )

    def drop(self, keys: Iterable[Key]) -> None:
        """Delete clipboards."""
        for session, name in keys:
            key = _encode(session), _encode(name)
            self._db.execute("DELETE FROM session_clipboard WHERE session = ? AND name = ?", key)
            self._checksums.drop_one(_KIND, _joined(key))

    def drop_older_than(self, made: str) -> None:
        """Delete the clipboards that were filled before the time of an id."""
        self.drop(known.key for known in self.all() if known.clipboard.made < made)

    def drop_all_but(self, kept: Iterable[Key]) -> None:
        """Delete all clipboards but these, including damaged ones and those of version 0.1.0."""
        sound = [(key, self.get(*key)) for key in kept]
        for table in (_KIND, "clipboard"):
            self._db.execute(f"DROP TABLE IF EXISTS {table}")
            self._checksums.drop(table, 0)
        for (session, _), clipboard in sound:
            self.put(session, [] if clipboard is None else [clipboard])


def _row(session: str, clipboard: Clipboard) -> tuple[Any, ...]:
    texts = map(_encode, (session, clipboard.name, clipboard.text, clipboard.path))
    is_part, by_change = int(clipboard.is_part), int(clipboard.by_change)
    return *texts, clipboard.start_line, clipboard.end_line, is_part, clipboard.made, by_change


def _clipboard(row: Sequence[Any]) -> Clipboard:
    _, name, text, path, start, end, is_part, made, by_change = row
    return Clipboard(_decode(name), _decode(text), _decode(path), start, end, bool(is_part), made, bool(by_change))


def _is_valid(row: Sequence[Any]) -> bool:
    *texts, start, end, is_part, made, by_change = row
    numbers = all(isinstance(value, int) for value in (start, end, is_part, by_change))
    return numbers and isinstance(made, str) and all(isinstance(value, bytes) for value in texts)


def _joined(key: Sequence[bytes]) -> bytes:
    """The key of a clipboard's checksum. No session's name has a NUL."""
    return b"\0".join(key)


def _encode(text: str) -> bytes:
    """A text as stored: it may contain bytes that are not UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")
