"""What a call is going to change, as a value, and what it did change.

A tool proposes a `Plan`; `files.commit` lands it and returns a `Change`. They are different types, so that a proposal
can't be mistaken for something done.
"""

from __future__ import annotations

from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from suture.text import Text
    from suture.text.edits import Edit

_MIN_OPENSSL_BYTES = 1 << 18  # total bytes from which loading OpenSSL, which takes 3 ms, pays
_MAX_JOINED_BYTES = 1 << 16  # bytes of content that is joined: copying so few costs less than many pieces


class Content:
    """A file's bytes in pieces, which may share memory with the text that they were cut from."""

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
        """All pieces, joined."""
        first = self.pieces[0] if len(self.pieces) == 1 else None
        return first if isinstance(first, bytes) else b"".join(self.pieces)


class Place(Record):
    """A file in the workspace: the number of its root, its path below it, and its name in results."""

    root: int
    path: str
    name: str


class Snapshot(Record):
    """A file as it was read for planning."""

    place: Place
    text: Text
    content: Content
    fingerprint: tuple[int, ...]
    """Device, inode, size and change time: if they differ, the file was written since."""
    mode: int


class SessionInfo(Record):
    """Who changes files: one run of an agent, or a person."""

    id: str
    """The name that was given to the session; otherwise unique."""
    agent: str
    """The name of the agent; `library` or `cli` if only that is known."""
    version: str = ""
    """The version of the agent."""
    transport: str = ""
    """How it calls: `stdio`, `http`, `cli` or `library`."""
    label: str = ""
    """The name that was given to the session, if there is one."""


class Head(Record):
    """Where a git repository was: its branch, None if detached, and its commit, None before the first one."""

    branch: str | None
    commit: str | None


class FileChange(Record):
    """One file's part of a plan; the subclasses say what happens to it."""

    place: Place

    @property
    def size(self) -> int:
        """The bytes it takes in memory: the content before, and the new bytes."""
        before, after, edits = (getattr(self, name, None) for name in ("before", "after", "edits"))
        new = sum(len(edit.new) for edit in edits) if edits is not None else 0 if after is None else after.size
        return new + (0 if before is None else before.content.size)


class Create(FileChange):
    """A new file. Without a `mode`, the umask decides."""

    after: Content
    mode: int | None = None


class Update(FileChange):
    """New content for a file that was read. Its metadata stays, except for `mode`.

    `edits`, if known, spare the diff a comparison. A file that is written in place because it has several hard links
    keeps its mode.
    """

    before: Snapshot
    after: Content
    edits: tuple[Edit, ...] | None = None
    mode: int | None = None

    @property
    def same_content(self) -> bool:
        """Whether the content stays the same."""
        return self.after.digest == self.before.content.digest

    @property
    def is_no_op(self) -> bool:
        """Whether nothing changes."""
        return self.mode in {None, self.before.mode} and self.same_content


class Delete(FileChange):
    """The file is deleted."""

    before: Snapshot


class Rename(FileChange):
    """The file moves to `to`, with `after` as its new content and replacing the file `replaced`, if given."""

    before: Snapshot
    to: Place
    after: Content | None = None
    replaced: Snapshot | None = None


class Clipboard(Record):
    """A text that was cut or copied, and where it came from."""

    name: str
    text: str
    path: str
    start_line: int
    end_line: int
    is_part: bool = False
    """Whether it is only a part of these lines."""
    made: str = ""
    """An id of the time at which it was filled; that of a change, if `by_change`."""
    by_change: bool = False


class Plan(Record):
    """Everything one call changes. It lands whole or not at all."""

    changes: tuple[FileChange, ...]
    tool: str = ""
    summary: str = ""
    undoes: str | None = None
    """The id of the change that this one undoes."""
    emptied: tuple[str, ...] = ()
    """Folders below the workspace root that are removed if they are empty afterwards."""
    clipboards: tuple[Clipboard, ...] = ()
    """Clipboards of the session to store, once the rest has landed."""
    also_undoes: tuple[str, ...] = ()
    """The ids of the other changes that it undoes."""
    session: SessionInfo | None = None
    """Who makes the change."""
    head: Head | None = None
    """Where the git repository was, if the workspace is in one."""

    def without_no_ops(self) -> Plan:
        """The plan without updates that change nothing."""
        changes = [change for change in self.changes if not (isinstance(change, Update) and change.is_no_op)]
        return self if len(changes) == len(self.changes) else self.evolve(changes=tuple(changes))


class Landed(Record):
    """What happened to one file; `action` is create, update, delete or rename."""

    path: str
    action: str
    before: str | None
    after: str | None
    to: str | None = None


class Trouble(Record):
    """A problem with the history: whether the change was recorded, the reason if not, and what was set aside."""

    recorded: bool
    reason: str
    aside: str | None = None
    usable: bool = False
    """Whether the history can still be used, and only this change is not recorded."""


class Change(Record):
    """A plan that landed."""

    id: str
    files: tuple[Landed, ...]
    trouble: Trouble | None = None
    """Why the change, or an earlier one, can't be undone; None if it can."""


class Version(Record):
    """A file's state: the hash of its content, and its permission bits, None if not known yet."""

    digest: str
    mode: int | None


class FileRecord(Record):
    """What a change did to one file, as the history stores it. `replaced` was at `to` before a rename."""

    path: str
    action: str
    before: Version | None
    after: Version | None
    to: str | None = None
    replaced: Version | None = None
    added: int | None = None
    removed: int | None = None

    def versions(self) -> list[tuple[str, Version | None, Version | None]]:
        """Every path that it touched, with the versions before and after."""
        if self.to is None:
            return [(self.path, self.before, self.after)]
        return [(self.path, self.before, None), (self.to, self.replaced, self.after)]


class ChangeRecord(Record):
    """A change that landed, as the history stores it; `state` is landed or undone."""

    id: str
    tool: str
    summary: str
    files: tuple[FileRecord, ...]
    folders: tuple[str, ...] = ()
    """The folders below the workspace root that it created."""
    undoes: str | None = None
    state: str = "landed"
    number: int = 0
    """Its place in the order of landing."""
    clipboards: tuple[Clipboard, ...] = ()
    """Clipboards to store when the change is recorded; not read back."""
    also_undoes: tuple[str, ...] = ()
    """The ids of the other changes that it undoes."""
    session: SessionInfo | None = None
    """Who made it; None if that is not known."""
    head: Head | None = None
    """Where the git repository was, if the workspace was in one."""

    @property
    def undone_ids(self) -> tuple[str, ...]:
        """The ids of all changes that it undoes."""
        return () if self.undoes is None else (self.undoes, *self.also_undoes)


def file_record(change: FileChange) -> FileRecord:
    """What a planned change does to a file, as the history stores it."""
    match change:
        case Create(place, after):
            return FileRecord(place.name, "create", None, Version(after.digest, None))
        case Update(place, before, after):
            return FileRecord(place.name, "update", _version_of(before), Version(after.digest, before.mode))
        case Delete(place, before):
            return FileRecord(place.name, "delete", _version_of(before), None)
        case Rename(place, before, to, after, replaced):
            moved = Version((after or before.content).digest, before.mode)
            old = _version_of(replaced) if replaced else None
            return FileRecord(place.name, "rename", _version_of(before), moved, to.name, old)
    raise TypeError(change)


def _version_of(snapshot: Snapshot) -> Version:
    return Version(snapshot.content.digest, snapshot.mode)


def digest(pieces: Iterable[bytes | memoryview], size: int) -> str:
    """The hash of a file's content of `size` bytes, as used in results and intents."""
    state = _sha256(size)
    for piece in pieces:
        state.update(piece)
    return f"sha256:{state.hexdigest()}"


def _sha256(size: int) -> Any:
    """The interpreter's own SHA-256, or OpenSSL's once there is much to hash: far faster, but takes 3 ms to load."""
    _HashedSize.bytes += size
    if _HashedSize.bytes < _MIN_OPENSSL_BYTES:
        for module in ("_sha256", "_sha2"):  # before and since Python 3.12
            try:
                return __import__(module).sha256()
            except ImportError:
                continue
    from hashlib import sha256

    return sha256()


class _HashedSize:
    """The number of bytes that this process has hashed so far."""

    bytes = 0
