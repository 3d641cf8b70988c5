"""What a call is going to do, as a value: read, decided, not yet done.

A `Plan` is proposed by a tool and landed by `files.commit`; what comes out of that is a
`Change`. The two are different types, so that nothing proposed can be taken for something done.
"""

from __future__ import annotations

from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from suture.text import Text
    from suture.text.edits import Edit

_MIN_OPENSSL_BYTES = 1 << 18  # bytes from which on OpenSSL is loaded: it is faster, but takes 3 ms to load
_MAX_JOINED_BYTES = 1 << 16  # bytes that are copied sooner than handled in pieces


class Content:
    """A file's bytes in pieces, which may share memory with the text they were cut from."""

    def __init__(self, pieces: Sequence[bytes | memoryview]) -> None:
        self.pieces = tuple(pieces)
        self.size = sum(map(len, self.pieces))
        if len(self.pieces) > 1 and self.size <= _MAX_JOINED_BYTES:
            self.pieces = (b"".join(self.pieces),)
        self._digest: str | None = None

    @property
    def digest(self) -> str:
        """`sha256:<hex>` of the bytes."""
        if self._digest is None:
            self._digest = digest(self.pieces, self.size)
        return self._digest

    def bytes(self) -> bytes:
        """All pieces as one."""
        first = self.pieces[0] if len(self.pieces) == 1 else None
        return first if isinstance(first, bytes) else b"".join(self.pieces)


class Place(Record):
    """A file in the workspace: the number of its root, its path there, its name in results."""

    root: int
    path: str
    name: str


class Snapshot(Record):
    """A file as it was read for planning."""

    place: Place
    text: Text
    content: Content
    fingerprint: tuple[int, ...]
    """Device, inode, size and time of change: if they differ, the file was written since."""
    mode: int


class FileChange(Record):
    """One file's part of a plan; the subclasses say what happens to it."""

    place: Place

    @property
    def size(self) -> int:
        """Bytes of it in memory: the file as it was, and what is new."""
        before, after, edits = (getattr(self, name, None) for name in ("before", "after", "edits"))
        new = sum(len(edit.new) for edit in edits) if edits is not None else 0 if after is None else after.size
        return new + (0 if before is None else before.content.size)


class Create(FileChange):
    """A new file. `mode` None: what the user's umask gives."""

    after: Content
    mode: int | None = None


class Update(FileChange):
    """New content for a file that was read; its metadata stays, except for `mode`. `edits` cut the diff, where known.

    A file that is written in place, because it has several names, keeps its mode.
    """

    before: Snapshot
    after: Content
    edits: tuple[Edit, ...] | None = None
    mode: int | None = None

    @property
    def same_content(self) -> bool:
        """Whether the content stays."""
        return self.after.digest == self.before.content.digest

    @property
    def is_no_op(self) -> bool:
        """Whether the file is so already."""
        return self.mode in {None, self.before.mode} and self.same_content


class Delete(FileChange):
    """The file goes away."""

    before: Snapshot


class Rename(FileChange):
    """The file moves to `to`, with new content if `after` is given, replacing `replaced` if that is given."""

    before: Snapshot
    to: Place
    after: Content | None = None
    replaced: Snapshot | None = None


class Plan(Record):
    """Everything one call changes. It lands whole or not at all."""

    changes: tuple[FileChange, ...]
    tool: str = ""
    summary: str = ""
    undoes: str | None = None
    """The change that this one takes back."""
    emptied: tuple[str, ...] = ()
    """Folders below the workspace root that go away if they are empty afterwards."""
    clipboards: tuple[tuple[str, str], ...] = ()
    """Names and the texts to keep under them, once the rest has landed."""

    def without_no_ops(self) -> Plan:
        """The plan without files that are so already."""
        changes = [change for change in self.changes if not (isinstance(change, Update) and change.is_no_op)]
        return self if len(changes) == len(self.changes) else self.but(changes=tuple(changes))


class Landed(Record):
    """What happened to one file: `action` is create, update, delete or rename."""

    path: str
    action: str
    before: str | None
    after: str | None
    to: str | None = None


class Trouble(Record):
    """What is wrong with the history: whether the change was recorded, why not, and what was put aside."""

    recorded: bool
    reason: str
    aside: str | None = None
    usable: bool = False
    """Whether the history itself can be used, and this change alone is not recorded."""


class Change(Record):
    """A plan that landed."""

    id: str
    files: tuple[Landed, ...]
    trouble: Trouble | None = None
    """Why it, or what came before it, cannot be taken back; None: it can."""


class Version(Record):
    """A file's state: its content by hash, and its permission bits (None: not known yet)."""

    digest: str
    mode: int | None


class FileRecord(Record):
    """What a change did to one file, as the history keeps it. `replaced` was at `to` before a rename."""

    path: str
    action: str
    before: Version | None
    after: Version | None
    to: str | None = None
    replaced: Version | None = None
    added: int | None = None
    removed: int | None = None

    def versions(self) -> list[tuple[str, Version | None, Version | None]]:
        """Every path it touched, with what was there before and after."""
        if self.to is None:
            return [(self.path, self.before, self.after)]
        return [(self.path, self.before, None), (self.to, self.replaced, self.after)]


class ChangeRecord(Record):
    """A change that landed, as the history keeps it; `state` is landed or undone."""

    id: str
    tool: str
    summary: str
    files: tuple[FileRecord, ...]
    folders: tuple[str, ...] = ()
    """The folders below the workspace root that it made."""
    undoes: str | None = None
    state: str = "landed"
    number: int = 0
    """Its place in the order of landing."""
    clipboards: tuple[tuple[str, str], ...] = ()
    """What is kept under which name when it is recorded; not a part of what is read back."""


def digest(pieces: Iterable[bytes | memoryview], size: int) -> str:
    """The hash that names a file's content of `size` bytes in results and intents."""
    state = _sha256(size)
    for piece in pieces:
        state.update(piece)
    return f"sha256:{state.hexdigest()}"


def _sha256(size: int) -> Any:
    """The interpreter's own SHA-256, or OpenSSL's once there is much to hash: far faster, but 3 ms to load."""
    _Hashed.bytes += size
    if _Hashed.bytes < _MIN_OPENSSL_BYTES:
        for module in ("_sha256", "_sha2"):  # before and since Python 3.12
            try:
                return __import__(module).sha256()
            except ImportError:
                continue
    from hashlib import sha256

    return sha256()


class _Hashed:
    """How much this process has hashed so far."""

    bytes = 0
