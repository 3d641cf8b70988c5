"""A request written on an earlier version of a file, carried over to the file as it is now."""

from __future__ import annotations

from suture.records import Record


class Base(Record):
    """An earlier version of a file, on which a request may have been written."""

    body: bytes
    """Its text, as `Text.body` has it."""
    source: str
    """How it is known: `read` (shown to this session), `history`, `index`, `head` or `commit`."""
    id: str | None = None
    """The commit that has this version (`head`, `commit`), or the change that made it (`history`), if it is known."""
    until: str | None = None
    """The change or commit that replaced this version by the next one, if it is known."""
