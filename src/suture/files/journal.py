"""The intent: a small durable file that says what a transaction is about to do.

    suture-intent 1 open        or: done
    {"record": …, "folders": […], "steps": […], …}
    sha256:…                    of the line above

It stands in the workspace root under one fixed name, so whoever opens the workspace next finds it,
also under another user or in another container. It is written before anything else exists, and
names every temporary file the transaction will make. A torn intent means that nothing was begun.
`open` is overwritten by `done` in place, which needs no room on a full disk.

Rejected: the intent in the history database (a lost database would lose the recovery), or in the
user's state folder (a container that dies takes it along and leaves the tree half changed).
"""

from __future__ import annotations

import os
import time

from suture.errors import RecoveryBlocked
from suture.files.paths import INTENT_NAME
from suture.files.protected import OWN_PREFIX
from suture.files.tree import split
from suture.json_text import dumps, loads
from suture.plan import ChangeRecord, FileRecord, Version, digest
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from suture.files.tree import Tree

_OPEN = b"suture-intent 1 open\n"
_DONE = b"suture-intent 1 done\n"
_VERSION = b"suture-intent 1 "
_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
_MODE = 0o600


class Step(Record):
    """One path's way from `before` to `after` (hashes; None: no file), and the files that help with it.

    `temp` holds what will stand there, `backup` what stood there; both lie beside the path. `in_place`
    writes through the existing file, where a rename would lose a hard link or an owner.
    """

    root: int
    path: str
    before: str | None
    after: str | None
    temp: str | None
    backup: str | None
    in_place: bool = False


class Intent(Record):
    """A transaction: the folders it makes, the steps it takes, and what the history will say about it."""

    record: ChangeRecord
    folders: tuple[tuple[int, str], ...]
    steps: tuple[Step, ...]
    emptied: tuple[tuple[int, str], ...] = ()
    """Folders that go away at the end, if they are empty then."""

    @property
    def id(self) -> str:
        """The change's id."""
        return self.record.id


class Journal:
    """The intent file of a workspace."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        self._trees = trees
        self._home = trees[0]

    def exists(self) -> bool:
        """Whether a transaction is under way or was interrupted."""
        found = self._home.stat(INTENT_NAME)
        if found is not None and found.kind != "file":
            raise RecoveryBlocked(intent=INTENT_NAME, reason=f"{INTENT_NAME} is not a file")
        return found is not None

    def write(self, intent: Intent, *, durable: bool) -> None:
        """Make the intent known before anything else is done."""
        line = self._dump(intent)
        handle = self._home.create(INTENT_NAME, _MODE)
        try:
            self._home.write(handle, (b"%s%s\n%s\n" % (_OPEN, line, digest((line,), len(line)).encode()),))
            if durable:
                self._home.fs.sync(handle)
        finally:
            self._home.fs.close(handle)
        if durable:
            self._home.sync_folder("")

    def mark(self, *, done: bool, durable: bool) -> None:
        """Say that everything is published, or take that back."""
        handle = self._home.open_write(INTENT_NAME)
        try:
            self._home.write(handle, (_DONE if done else _OPEN,))
            if durable:
                self._home.fs.sync(handle)
        finally:
            self._home.fs.close(handle)

    def read(self) -> tuple[Intent | None, bool]:
        """The intent and whether it is done; (None, False) if it was never finished writing."""
        raw = b"".join(self._home.chunks(INTENT_NAME))
        head, line, check, *_ = (*raw.split(b"\n"), b"", b"")
        if _is_torn(raw):
            return None, False
        reason = f"{INTENT_NAME} is damaged, or not written by this version of suture"
        if not head.startswith(_VERSION) or check != digest((line,), len(line)).encode():
            raise RecoveryBlocked(intent=INTENT_NAME, reason=reason)
        try:
            return self._load(line), head + b"\n" == _DONE
        except (KeyError, ValueError, TypeError, IndexError, AttributeError) as error:
            raise RecoveryBlocked(intent=INTENT_NAME, reason=reason) from error

    def remove(self) -> None:
        """Forget the transaction: nothing of it is left."""
        self._home.unlink(INTENT_NAME)

    def _dump(self, intent: Intent) -> bytes:
        """The intent with roots by their path, since another process may number them differently."""
        roots = [tree.root for tree in self._trees]
        document = {
            "record": intent.record,
            "roots": roots,
            "folders": intent.folders,
            "steps": intent.steps,
            "emptied": intent.emptied,
        }
        return dumps(document, vars).encode()

    def _load(self, line: bytes) -> Intent:
        document: Any = loads(line.decode())
        known = {tree.root: index for index, tree in enumerate(self._trees)}
        known[document["roots"][0]] = 0  # the folder itself may have been moved or be known by another path
        steps = [Step(**step) for step in document["steps"]]
        used = {step.root for step in steps} | {root for root, _ in (*document["folders"], *document["emptied"])}
        for root in used:
            if document["roots"][root] not in known:
                reason = f"it changed files in {document['roots'][root]}, which is not a root of this workspace"
                raise RecoveryBlocked(intent=INTENT_NAME, reason=reason)
        number = {index: known.get(root, 0) for index, root in enumerate(document["roots"])}
        return Intent(
            change_record(document["record"]),
            tuple((number[root], _plain(path)) for root, path in document["folders"]),
            tuple(_checked(step.but(root=number[step.root])) for step in steps),
            tuple((number[root], _plain(path)) for root, path in document["emptied"]),
        )


def change_record(values: dict[str, Any]) -> ChangeRecord:
    """A change as JSON gives it back."""
    files = []
    for each in values["files"]:
        versions = {name: each[name] and Version(**each[name]) for name in ("before", "after", "replaced")}
        files.append(FileRecord(**{**each, **versions}))
    kept = tuple((_text(name), _text(content)) for name, content in values.get("clipboards", ()))
    return ChangeRecord(**{**values, "files": tuple(files), "folders": tuple(values["folders"]), "clipboards": kept})


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _is_torn(raw: bytes) -> bool:
    """Whether an intent was cut off while it was written, or lost sectors in a power cut before it was synced."""
    finished = raw.count(b"\n") == _OPEN.count(b"\n") + 2
    return b"\0" in raw or (not finished and raw.startswith(_VERSION[: len(raw)]))


def new_id() -> str:
    """A short name for a change: sorts by time, then random."""
    return id_at(time.time()) + _base32(int.from_bytes(os.urandom(4), "big"), 5)


def id_at(seconds: float) -> str:
    """The beginning of every id that is made at this time; earlier ones are smaller."""
    return _base32(int(seconds * 100_000), 10)


def time_of(change_id: str) -> float:
    """When a change was made, in seconds since 1970."""
    number = 0
    for letter in change_id[:10]:
        number = number << 5 | _LETTERS.index(letter)
    return number / 100_000


def _base32(number: int, length: int) -> str:
    return "".join([_LETTERS[number >> shift & 31] for shift in range(5 * (length - 1), -1, -5)])


def _checked(step: Step) -> Step:
    """Refuse an intent that names files no transaction of ours would touch; it may come with a clone."""
    for own in (step.temp, step.backup):
        if own is not None and not (split(own)[1].startswith(OWN_PREFIX) and split(own)[0] == split(step.path)[0]):
            raise ValueError(own)
    _plain(step.path)
    return step


def _plain(path: str) -> str:
    if any(name in {"", ".", ".."} for name in path.split("/")):
        raise ValueError(path)
    return path
