"""The intent: a small durable file that says what a transaction is about to do.

    suture-intent 2 open ----…          or: done, and a MAC that only this user can make
    {"record": …, "folders": […], "steps": […], …}
    sha256:…                            of the line above
    hmac-sha256:…                       of it and of the folder's identity; or: unsigned

It is `.suture/intent` in the workspace root (`files.staging`), or `.suture-intent` where that folder is somebody
else's, as in 0.1.0. So the next process to open the workspace finds it, even in another container. It is written
before anything else is created, and names every temporary file of the transaction: whatever a crash leaves behind can
be found. `open` is overwritten in place by `done`, which needs no free space on a full disk.

Anyone who can write to the workspace can plant an intent, and a clone can contain one. The key in the user's state
folder proves which intents this user wrote here, and only those enter the history. Any other intent is validated as
strictly, and trusted as little, as a request (docs/adr/0023).

Rejected: the intent in the history database (a lost database would make recovery impossible), or in the
user's state folder (it would be lost with its container, and the tree left half changed).
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from suture.errors import InputTooLarge, RecoveryBlocked, SutureError
from suture.files.fs import split
from suture.files.paths import INTENT_NAME, PLAIN_INTENT_NAME, check_sane
from suture.files.protected import OWN_FOLDER, OWN_PREFIX, Guard
from suture.files.staging import is_staged, move_beside
from suture.json_text import dumps, loads
from suture.plan import ChangeRecord, Clipboard, FileRecord, Head, SessionInfo, Version, digest
from suture.records import Record
from suture.settings import Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from suture.files.fs import Tree

_OPEN, _DONE = "open", "done"
_VERSION = b"suture-intent 2 "
_LINE_COUNT = 4
_VERSION_1 = b"suture-intent 1 "
"""Written by 0.1.0: three lines, no MAC."""
_LINE_COUNT_1 = 3
_NO_MAC = "-" * 64
_SIGNED = "hmac-sha256:"
_UNSIGNED = b"unsigned"
_MAX_UNSIGNED_BYTES = 8_000_000
"""Bytes of an intent that this user did not sign: enough for thousands of files. Parsing may take 25 times as much."""
_BLOCK_SIZE = 64  # bytes of a SHA-256 block, to which HMAC pads the key
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))
_LETTERS = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_LENGTH = 15  # characters of a change's id, which `new_id` makes
_HASH_LENGTH = len("sha256:") + 64
_INTENT_MODE = 0o600  # it names files, and only its owner may change what recovery does
_TEMPORARY_ENDINGS = (".new", ".old")
_NO_CLIPBOARD = Clipboard("", "", "", 0, 0)


class Step(Record):
    """How one path gets from `before` to `after` (hashes; None: no file), and the temporary files for it.

    `temp` has the new content, `backup` the old one; both are in the staging folder, or both beside the path. With
    `in_place` the existing file is overwritten, because a rename would lose a hard link or the owner.
    """

    root: int
    path: str
    before: str | None
    after: str | None
    temp: str | None
    backup: str | None
    in_place: bool = False


class Intent(Record):
    """A transaction: the folders it creates, its steps, and the record for the history."""

    record: ChangeRecord
    folders: tuple[tuple[int, str], ...]
    steps: tuple[Step, ...]
    emptied: tuple[tuple[int, str], ...] = ()
    """Folders to remove at the end, if they are empty then."""

    @property
    def id(self) -> str:
        """The change's id."""
        return self.record.id

    @property
    def in_place(self) -> bool:
        """Whether a file is written in place."""
        return any(step.in_place for step in self.steps)

    @property
    def staged_in(self) -> frozenset[tuple[int, str]]:
        """The folders of the temporary files, with their roots."""
        return frozenset((step.root, split(step.temp or step.backup or "")[0]) for step in self.steps)

    @property
    def published_in(self) -> frozenset[tuple[int, str]]:
        """The folders of the files that change."""
        return frozenset((step.root, split(step.path)[0]) for step in self.steps)

    @property
    def above_new(self) -> frozenset[tuple[int, str]]:
        """The folders in which it creates a folder, its own or the staging folder of another root."""
        staging = frozenset((root, "") for root, folder in self.staged_in if root and folder == OWN_FOLDER)
        return staging.union((root, split(path)[0]) for root, path in self.folders)


class Leftover(Record):
    """What an earlier process left behind: its intent (None if torn), whether that is done, and signed by this user."""

    intent: Intent | None
    done: bool = False
    signed: bool = False


class Journal:
    """The intent file of a workspace. What `guard` protects, an unsigned intent cannot name."""

    def __init__(
        self,
        trees: Sequence[Tree],
        settings: Settings | None = None,
        guard: Guard | None = None,
        name: str = INTENT_NAME,
    ) -> None:
        self.name = name
        self._trees = trees
        self._home = trees[0]
        self._guard = guard
        self._settings = settings or Settings()
        self._done_mac = _NO_MAC

    def exists(self) -> bool:
        """Whether a transaction is under way or was interrupted."""
        folder = split(self.name)[0]
        if folder and ((above := self._home.stat(folder)) is None or above.kind != "folder"):
            return False
        stat = self._home.stat(self.name)
        if stat is not None and stat.kind != "file":
            raise _foreign_intent(self.name, "is not a file")
        return stat is not None

    def write(self, intent: Intent, *, durable: bool) -> None:
        """Write the intent. Nothing but the folder it is in may be created before it."""
        line = self._dump(intent)
        key = self._key() if self._settings.history else None  # only the history needs the signature
        self._check_size(len(line), signed=key is not None)
        mac = None if key is None else _mac(key, self._folder_identity() + line)
        self._done_mac = _NO_MAC if key is None or mac is None else _mac(key, _done_message(mac))
        ends = digest((line,), len(line)).encode(), _UNSIGNED if mac is None else f"{_SIGNED}{mac}".encode()
        handle = self._home.create(self.name, _INTENT_MODE)
        try:
            self._home.fs.write(handle, (_head(_OPEN, _NO_MAC), b"%s\n%s\n%s\n" % (line, *ends)))
            if durable:
                self._home.fs.sync(handle)
        finally:
            self._home.fs.close(handle)

    def sync_name(self) -> None:
        """Wait until the intent's name is on the disk."""
        folder = split(self.name)[0]
        if folder:
            self._home.sync_folder(folder)
        self._home.sync_folder("")

    def mark(self, *, done: bool, durable: bool) -> None:
        """Mark the intent that this journal wrote as done (everything is published), or as open again."""
        handle = self._home.open_write(self.name)
        try:
            self._home.fs.write(handle, (_head(_DONE, self._done_mac) if done else _head(_OPEN, _NO_MAC),))
            if durable:
                self._home.fs.sync(handle)
        finally:
            self._home.fs.close(handle)

    def read(self) -> Leftover:
        """Read the leftover intent; refuse one that no version of suture would write."""
        raw = self._bytes()
        if _is_torn(raw):
            return Leftover(None)
        head, line, check, *rest = (*raw.split(b"\n"), b"", b"")
        is_whole = raw.count(b"\n") == (_LINE_COUNT if head.startswith(_VERSION) else _LINE_COUNT_1)
        if not is_whole or not head.startswith((_VERSION, _VERSION_1)) or check != digest((line,), len(line)).encode():
            raise _foreign_intent(self.name, "is damaged, or not written by this version of suture")
        signed, done = self._verify(head, line, rest[0])
        if not signed and len(raw) > _MAX_UNSIGNED_BYTES:
            problem = f"has {len(raw):,} bytes, too many for an intent not signed with your key"
            raise _foreign_intent(self.name, problem)
        try:
            return Leftover(self._load(line, signed=signed), done, signed)
        except RecoveryBlocked:
            raise
        except (KeyError, ValueError, TypeError, IndexError, AttributeError, RecursionError, SutureError) as error:
            raise _foreign_intent(self.name, "describes a transaction that suture never makes") from error

    def sync(self) -> None:
        """Sync the intent that `read` returned: its process may have been killed before it did."""
        handle = self._home.open_file(self.name)
        try:
            self._home.fs.sync(handle)
        finally:
            self._home.close_quietly(handle)

    def empty(self) -> None:
        """Truncate the intent, and sync that.

        If the process is killed right after removing the intent, nothing syncs the folder, and a later power cut can
        bring the file back. It must not name files then. An intent without write permission is only removed.
        """
        with suppress(PermissionError):
            handle = self._home.open_write(self.name)
            try:
                self._home.fs.truncate(handle, 0)
                self._home.fs.sync(handle)
            finally:
                self._home.fs.close(handle)

    def remove(self) -> None:
        """Delete the intent of a transaction that has been cleared up."""
        self._home.unlink(self.name)

    def _bytes(self) -> bytes:
        """The content of the intent; refused if it is not a file or too large."""
        handle, most = self._home.open_file(self.name), self._settings.max_intent_bytes
        try:
            stat = self._home.fs.fstat(handle)
            if stat.kind != "file" or stat.size > most:
                size = f"has {stat.size:,} bytes; the limit is {most:,} (setting max_intent_bytes)"
                raise _foreign_intent(self.name, size if stat.kind == "file" else "is not a file")
            chunks = []
            left = stat.size
            while left > 0 and (chunk := self._home.fs.read(handle, left)):
                chunks.append(chunk)
                left -= len(chunk)
            return b"".join(chunks)
        finally:
            self._home.close_quietly(handle)

    def _verify(self, head: bytes, line: bytes, last: bytes) -> tuple[bool, bool]:
        """Whether this user signed the intent for this folder, and whether it is done. A torn or forged mark is not."""
        state, mac = f"{head.decode(errors='replace')} ".split(" ")[2:4]
        key = self._key() if last.startswith(_SIGNED.encode()) else None
        expected = None if key is None else _mac(key, self._folder_identity() + line)
        if key is None or expected is None or last != f"{_SIGNED}{expected}".encode():
            return False, state == _DONE and (mac in {"", _NO_MAC} or "-" not in mac)
        return True, state == _DONE and mac == _mac(key, _done_message(expected))

    def _key(self) -> bytes | None:
        """The user's key; None if none can be stored."""
        with suppress(OSError):
            return self._home.fs.secret()
        return None

    def _folder_identity(self) -> bytes:
        """The identity of the root: an intent that was copied to another folder is not signed there."""
        stat = self._home.stat("")
        return b"" if stat is None else b"%d %d\n" % (stat.device, stat.inode)

    def _check_size(self, size: int, *, signed: bool) -> None:
        most = self._settings.max_intent_bytes
        limit = most if signed else min(most, _MAX_UNSIGNED_BYTES)
        if size + 1_000 > limit:  # for the other, short lines
            what, setting = "The list of what this call changes", "max_intent_bytes"
            raise InputTooLarge(what=what, size=size, limit=limit, setting=setting)

    def _dump(self, intent: Intent) -> bytes:
        """The intent as JSON. Roots are named by path: another process may number them differently."""
        roots = [tree.root for tree in self._trees]
        document = {
            "record": intent.record,
            "roots": roots,
            "folders": intent.folders,
            "steps": intent.steps,
            "emptied": intent.emptied,
        }
        return dumps(document, vars).encode()

    def _load(self, line: bytes, *, signed: bool) -> Intent:
        document: Any = loads(line.decode())
        roots = [_text(root) for root in _list(document["roots"])]
        indexes = {tree.root: index for index, tree in enumerate(self._trees)}
        indexes[roots[0]] = 0  # the workspace may have been moved, or be opened by another path
        record = _strict_record(document["record"])
        steps = [_strict_step(Step(**step), record.id, len(roots)) for step in _list(document["steps"])]
        folders, emptied = (_places(document[name], len(roots)) for name in ("folders", "emptied"))
        for root in {*(step.root for step in steps), *(root for root, _ in (*folders, *emptied))}:
            if roots[root] not in indexes:
                reason = f"it changed files in {roots[root]}, which is not a root of this workspace"
                raise RecoveryBlocked(intent=self.name, reason=reason, change_id=record.id)
        number = {index: indexes.get(root, 0) for index, root in enumerate(roots)}
        intent = Intent(
            record,
            tuple((number[root], path) for root, path in folders),
            tuple(step.evolve(root=number[step.root]) for step in steps),
            tuple((number[root], path) for root, path in emptied),
        )
        _check_distinct(intent)
        if not signed:
            self._check_protected(intent)
        return intent

    def _check_protected(self, intent: Intent) -> None:
        guard = self._guard or Guard()
        for _, path in (*intent.folders, *intent.emptied, *((step.root, step.path) for step in intent.steps)):
            if rule := guard.rule(path):
                raise _foreign_intent(self.name, f"is unsigned, and names {path}, which is protected ({rule})")


def find_journals(trees: Sequence[Tree], settings: Settings | None = None, guard: Guard | None = None) -> list[Journal]:
    """The intents that an earlier call left in the first root: at both places, if one was put there."""
    journals = [Journal(trees, settings, guard, name) for name in (PLAIN_INTENT_NAME, INTENT_NAME)]
    return [journal for journal in journals if journal.exists()]


def staged_stem(change_id: str, home: Tree) -> str:
    """The beginning of the paths of a transaction's temporary files in a staging folder.

    The root's inode in it tells to which root a stray one belongs.
    """
    return f"{OWN_FOLDER}/{change_id}-{_root_number(home)}-"


def stray_id(path: str, home: Tree) -> str | None:
    """The change that left this temporary file, if it was made in this root; None for any other path."""
    folder, name = split(path)
    prefix = "" if folder == OWN_FOLDER else OWN_PREFIX
    stem = name.removesuffix("-probe")
    if not name.startswith(prefix) or not stem.endswith(_TEMPORARY_ENDINGS if stem == name else ".new"):
        return None
    parts = stem[len(prefix) : -len(_TEMPORARY_ENDINGS[0])].split("-")
    shaped = len(parts) == 3 and is_id(parts[0]) and parts[2].isdecimal()  # noqa: PLR2004  a change, a root and a number
    return parts[0] if shaped and parts[1] == _root_number(home) else None


def change_record(values: dict[str, Any]) -> ChangeRecord:
    """A change from its JSON."""
    files = []
    for row in values["files"]:
        versions = {name: row[name] and Version(**row[name]) for name in ("before", "after", "replaced")}
        files.append(FileRecord(**{**row, **versions}))
    session, head = values.get("session"), values.get("head")
    read = {
        "files": tuple(files),
        "folders": tuple(values["folders"]),
        "clipboards": tuple(map(_clipboard, values.get("clipboards", ()))),
        "also_undoes": tuple(values.get("also_undoes", ())),
        "session": None if session is None else SessionInfo(**session),
        "head": None if head is None else Head(**head),
    }
    return ChangeRecord(**{**values, **read})


def _clipboard(values: Any) -> Clipboard:
    """A clipboard from its JSON; version 0.1.0 wrote only its name and text."""
    if isinstance(values, list):
        name, text = values
        return Clipboard(_text(name), _text(text), "", 0, 0)
    clipboard = Clipboard(**values)
    for field, default in vars(_NO_CLIPBOARD).items():
        if type(getattr(clipboard, field)) is not type(default):
            raise TypeError(field)
    return clipboard


def new_id() -> str:
    """A new id for a change: sorts by time, and ends with random characters."""
    return id_at(time.time()) + _base32(int.from_bytes(os.urandom(4), "big"), 5)


def id_before(change_id: str) -> str:
    """A new id from just before a change: of something that preceded it, but was noticed later."""
    return id_at(time_of(change_id) - 0.00001) + new_id()[10:]


def id_at(seconds: float) -> str:
    """The prefix of all ids from this time; earlier ids are smaller."""
    return _base32(int(seconds * 100_000), 10)


def time_of(change_id: str) -> float:
    """When a change was made, in seconds since 1970."""
    number = 0
    for letter in change_id[:10]:
        number = number << 5 | _LETTERS.index(letter)
    return number / 100_000


def _root_number(home: Tree) -> str:
    stat = home.stat("")
    return f"{0 if stat is None else stat.inode:x}"


def _strict_record(values: dict[str, Any]) -> ChangeRecord:
    """The change in an intent, with the type of every field checked."""
    for file in _list(values["files"]):
        for record_file in (file["before"], file["after"], file["replaced"]):
            if record_file is not None and (
                not _is_hash(record_file["digest"]) or not isinstance(record_file["mode"], int | None)
            ):
                raise TypeError(record_file)
    _list(values.get("also_undoes", []))
    record = change_record(values)
    texts, numbers = [record.tool, record.summary, record.state, *record.folders], [record.number]
    for record_file in record.files:
        texts += [record_file.path, record_file.action, *([] if record_file.to is None else [record_file.to])]
        numbers += [0 if number is None else number for number in (record_file.added, record_file.removed)]
    if not all(type(number) is str for number in texts) or not all(type(number) is int for number in numbers):
        raise TypeError(record)
    if not all(map(is_id, (record.id, *record.undone_ids))):
        raise TypeError(record)
    if len({record.undoes, *record.also_undoes}) <= len(record.also_undoes) or (
        record.also_undoes and not record.undoes
    ):
        raise TypeError(record)
    session, head = ({} if part is None else vars(part) for part in (record.session, record.head))
    if not all(type(value) is str for value in session.values()):
        raise TypeError(record)
    if not all(value is None or type(value) is str for value in head.values()):
        raise TypeError(record)
    return record


def _strict_step(step: Step, change_id: str, roots: int) -> Step:
    """Refuse a step that suture would never write: the intent may have come with a clone."""
    _check_plain_path(step.path)
    helped = [own is not None for own in (step.temp, step.backup)]
    if helped != [name is not None for name in (step.after, step.before)] or not any(helped):
        raise ValueError(step)
    if step.in_place not in ((False, True) if all(helped) else (False,)):
        raise ValueError(step)
    if not all(name is None or _is_hash(name) for name in (step.before, step.after)):
        raise ValueError(step)
    for own, ending in ((step.temp, ".new"), (step.backup, ".old")):
        if own is not None:
            stem, name = f"{change_id}-", split(_check_plain_path(own))[1]
            middle = name.removeprefix(OWN_PREFIX).removeprefix(stem).removesuffix(ending)
            staged = f"{OWN_FOLDER}/{stem}{middle}{ending}"
            if own not in {staged, move_beside(step.path, staged)} or not _is_middle(middle):
                raise ValueError(own)
    if all(helped) and is_staged(step.temp) != is_staged(step.backup):
        raise ValueError(step)
    return step.evolve(root=_root(step.root, roots))


def _is_middle(text: str) -> bool:
    """Whether this is a root and a step number, as `helper_stem` and `commit` write them, or a number (0.1.0)."""
    return text.isascii() and text == text.lower() and text.replace("-", "").isalnum()


def _check_distinct(intent: Intent) -> None:
    names = [(step.root, name) for step in intent.steps for name in (step.path, step.temp, step.backup) if name]
    if len({*names}) != len(names):
        raise ValueError(names)


def _places(values: object, roots: int) -> list[tuple[int, str]]:
    return [(_root(root, roots), _check_plain_path(path)) for root, path in map(_list, _list(values))]


def _root(number: object, roots: int) -> int:
    if type(number) is not int or not 0 <= number < roots:
        raise IndexError(number)
    return number


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(value)
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _check_plain_path(path: object) -> str:
    text = _text(path)
    check_sane(text)
    if any(name in {"", ".", ".."} for name in text.split("/")):
        raise ValueError(text)
    return text


def _is_hash(value: object) -> bool:
    shaped = isinstance(value, str) and len(value) == _HASH_LENGTH and value.startswith("sha256:")
    return shaped and not str(value)[len("sha256:") :].strip("0123456789abcdef")


def is_id(value: object) -> bool:
    """Whether this has the form that `new_id` gives to an id."""
    return isinstance(value, str) and len(value) == _ID_LENGTH and not value.strip(_LETTERS)


def _foreign_intent(name: str, problem: str) -> RecoveryBlocked:
    return RecoveryBlocked(intent=name, reason=f"{name} {problem}", state="foreign")


def _is_torn(raw: bytes) -> bool:
    """Whether writing the intent was interrupted, or a power cut lost sectors before it was synced."""
    cut = any(
        raw.startswith(version[: len(raw)]) and raw.count(b"\n") < lines
        for version, lines in ((_VERSION, _LINE_COUNT), (_VERSION_1, _LINE_COUNT_1))
    )
    return b"\0" in raw or cut


def _head(state: str, mac: str) -> bytes:
    """The first line; its length never changes, so it can be overwritten in place."""
    return b"%s%s %s\n" % (_VERSION, state.encode(), mac.encode())


def _done_message(mac: str) -> bytes:
    return f"done {mac}".encode()


def _mac(key: bytes, message: bytes) -> str:
    """HMAC-SHA256, by the interpreter's own SHA-256: `hmac` would load OpenSSL, which takes 3 ms."""
    padded = key.ljust(_BLOCK_SIZE, b"\0")
    inner = digest((padded.translate(_INNER), message), len(message))
    return _hex(digest((padded.translate(_OUTER), bytes.fromhex(_hex(inner))), _BLOCK_SIZE))


def _hex(name: str) -> str:
    return name.removeprefix("sha256:")


def _base32(number: int, length: int) -> str:
    return "".join([_LETTERS[number >> shift & 31] for shift in range(5 * (length - 1), -1, -5)])
