"""Changes that wait beside a history's database to be recorded in it, so that no edit has to wait for the disk.

    sha256:… 1234               of what follows, and how long that is
    {"change": …, "contents": [[hash, base, size, head, tail, codec, length], …]}
    the contents' data, one after the other

SQLite waits for the disk four times a transaction, or a power cut could spoil the database. With durability `fast`
a change is therefore only appended to a file, and many of them are recorded together: when enough wait, and whenever
somebody opens the database. The file is in the hands of the operating system, so a killed process loses nothing; a
power cut can lose the newest changes, never what was recorded before them. An entry that is cut off ends the file: its
process was killed, and the intent tells of its change. One that is damaged is recorded as a damaged change.

Only who holds the workspace lock appends or drops. Whoever takes changes in leaves alone those that are recorded.

Rejected: SQLite without waiting (a power cut can spoil all of it), and its write-ahead log (see `files.history`).
"""

from __future__ import annotations

from suture import log
from suture.files.journal import change_record
from suture.files.packing import Packed, pack, unpack
from suture.json_text import dumps, loads
from suture.plan import ChangeRecord, digest
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from suture.files.contents import Supply
    from suture.files.fs import FS

_MOST = 32
_MOST_BYTES = 500_000
_HEAD = rb"(sha256:[0-9a-f]{64}) (\d{1,9})\n"
_HEAD_SIZE = len(digest((), 0)) + 11
_ID = rb'"id": ?"([0-9a-hjkmnp-tv-z]{15})"'


class _Content(Record):
    """A content, as the difference to the one named `base`."""

    base: str | None
    size: int
    packed: Packed


class Pending:
    """The changes that one process lets wait; it knows of its own ones only, and appends to nobody else's."""

    def __init__(self, fs: FS, name: str) -> None:
        self._fs = fs
        self._name = name
        self._size = 0
        self._ids: set[str] = set()
        self._held: set[str] = set()
        """Hashes of contents that need not be put down again."""

    def add(self, change: ChangeRecord, supply: Supply) -> bool:
        """Let a change wait, unless it does already; False if it cannot, or if enough are waiting."""
        if change.id in self._ids or len(self._ids) >= _MOST:
            return change.id in self._ids
        contents = self._contents(change, supply)
        entry = _written(change, contents)
        if self._size + len(entry) > _MOST_BYTES:
            return False
        try:
            if not self._fs.append_pending(self._name, entry, self._size):
                return False
        except OSError as error:
            log.warning("pending", "%s cannot wait: %s", change.id, error)
            return False
        self._size += len(entry)
        self._ids.add(change.id)
        self._held |= contents.keys()
        return True

    def drop(self) -> None:
        """Nothing waits any more: all of it is recorded."""
        try:
            self._fs.drop_pending(self._name)
        except OSError as error:
            log.debug("pending", "%s stays: %s", self._name, error)
        self._size = 0
        self._ids.clear()
        self._held.clear()

    def hold(self, change: ChangeRecord, supply: Supply) -> None:
        """A change is recorded, with its contents."""
        self._held.update(name for name, _ in _pairs(change) if supply(name) is not None)

    def _contents(self, change: ChangeRecord, supply: Supply) -> dict[str, _Content]:
        """What a change needs besides what is there already; what nobody has any more is left out."""
        found: dict[str, _Content] = {}
        for name, base in _pairs(change):
            content = None if name in self._held or name in found else supply(name)
            if content is not None:
                old = None if base is None or (base not in self._held and base not in found) else supply(base)
                packed = pack(content, old or b"")
                found[name] = _Content(None if old is None else base, len(content), packed)
        return found


class Waiting:
    """The changes in a file of them, in the order in which they landed, damaged ones too; and their contents."""

    def __init__(self, raw: bytes) -> None:
        self._changes: list[ChangeRecord] = []
        self._contents: dict[str, _Content] = {}
        self._unpacked: dict[str, bytes | None] = {}
        for entry, is_whole in _entries(raw):
            try:
                if is_whole:
                    line, _, data = entry.partition(b"\n")
                    self._read(loads(line.decode()), data)
                    continue
            except (KeyError, ValueError, TypeError, AttributeError, RecursionError) as error:
                log.warning("pending", "not written by this version of suture: %r", error)
            self._changes.append(_damaged(entry))

    def _read(self, document: Any, data: bytes) -> None:
        at = 0
        for name, base, size, head, tail, codec, length in document["contents"]:
            self._contents[name] = _Content(base, size, Packed(head, tail, codec, data[at : at + length]))
            at += length
        self._changes.append(change_record(document["change"]))

    def since(self, knows: Callable[[str], bool]) -> list[ChangeRecord]:
        """Those that are to be recorded: what comes before one that is recorded was so too, and is forgotten."""
        last = max((at for at, change in enumerate(self._changes, 1) if knows(change.id)), default=0)
        return self._changes[last:]

    def supply(self, recorded: Supply) -> Supply:
        """A function that gives contents by their hash, those that rest on recorded ones too."""

        def supply(name: str) -> bytes | None:
            if name not in self._contents:
                return recorded(name)
            if name not in self._unpacked:
                self._unpacked[name] = _content(name, self._contents[name], supply)
            return self._unpacked[name]

        return supply


def _content(name: str, kept: _Content, supply: Supply) -> bytes | None:
    old = b"" if kept.base is None else supply(kept.base)
    if old is None:
        return None
    try:
        found = unpack(kept.packed, kept.size, old)
    except (ValueError, TypeError):
        return None
    return found if digest((found,), len(found)) == name else None


def _pairs(change: ChangeRecord) -> Iterator[tuple[str, str | None]]:
    """The hashes that a change names, each with that of a content it will be like."""
    for file in change.files:
        before = None if file.before is None else file.before.digest
        if before is not None:
            yield before, None
        if file.after is not None:
            yield file.after.digest, before
        if file.replaced is not None:
            yield file.replaced.digest, None


def _written(change: ChangeRecord, contents: dict[str, _Content]) -> bytes:
    packed = [each.packed for each in contents.values()]
    columns = [
        (name, each.base, each.size, each.packed.head, each.packed.tail, each.packed.codec, len(each.packed.data))
        for name, each in contents.items()
    ]
    line = dumps({"change": change, "contents": columns}, vars).encode()
    entry = b"".join((line, b"\n", *(each.data for each in packed)))
    return b"%s %d\n%s" % (digest((entry,), len(entry)).encode(), len(entry), entry)


def _entries(raw: bytes) -> Iterator[tuple[bytes, bool]]:
    """Each entry without its head, and whether it is as it was written; what is cut off at the end is none."""
    if not raw:
        return  # and nothing has to be imported
    from re import match, search

    at = 0
    while at < len(raw):
        head = match(_HEAD, raw[at : at + _HEAD_SIZE])
        start = at + (0 if head is None else head.end())
        end = start if head is None else start + int(head[2])
        entry = raw[start:end]
        if head is not None and digest((entry,), len(entry)).encode() == head[1]:
            yield entry, True
        elif head is not None and (end == len(raw) or match(_HEAD, raw[end : end + _HEAD_SIZE])):
            yield entry, False
        else:  # nobody knows where it ends
            rest = raw[at:]
            is_cut_off = end > len(raw) if head is not None else _begins_head(rest)
            if not is_cut_off or search(_HEAD, rest[1:]):
                yield rest, False
            return
        at = end


def _begins_head(rest: bytes) -> bool:
    """Whether this can be what a power cut or a full disk left of an entry: a part of its head, or zeros."""
    from re import fullmatch

    rest = rest.rstrip(b"\0")
    return len(rest) < _HEAD_SIZE and (
        b"sha256:".startswith(rest) or fullmatch(rb"sha256:(?:[0-9a-f]{0,63}|[0-9a-f]{64} ?\d*)", rest) is not None
    )


def _damaged(entry: bytes) -> ChangeRecord:
    """A change of which no more than its id may be known; else an id that nobody is shown, but is always the same."""
    from re import search

    found = search(_ID, entry)
    name = f"lost {digest((entry,), len(entry))}" if found is None else found[1].decode()
    return ChangeRecord(name, "", "", (), state="damaged")
