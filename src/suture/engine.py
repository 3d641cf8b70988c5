"""The way through: read → plan → lock → commit.

A `Session` is one call's view of the workspace: it resolves, reads and remembers nothing afterwards.
`Engine.land` takes a function that makes a plan and lands it. The first plan is made without the lock,
so slow planning never blocks another process. If a file turns out to have changed meanwhile, the
plan is made again, now under the lock, where no other suture process can interfere.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from suture.errors import (
    BinaryFile,
    EncodingMismatch,
    FileChanged,
    FileExists,
    FileNotFound,
    HistoryUnavailable,
    InputTooLarge,
    InvalidPath,
    NoFilesMatched,
    NotAFile,
    NotAFolder,
    PathOutsideWorkspace,
    PermissionDenied,
    ProtectedPath,
    SutureError,
    WorkspaceNotFound,
)
from suture.files.fs import LocalFS
from suture.files.paths import INTENT_NAME, Resolver, check_new_name
from suture.files.protected import OWN_PREFIX, Guard, Patterns, folded_names
from suture.files.tree import Tree, as_ours, split
from suture.plan import ChangeRecord, Content, Create, Delete, Place, Plan, Rename, Snapshot, Update
from suture.records import Record
from suture.settings import Settings
from suture.text import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager
    from types import TracebackType
    from typing import Self

    from suture.edits import Edit
    from suture.files.fs import FS
    from suture.files.globs import Selection
    from suture.files.history import History, Kept
    from suture.files.logbook import PastVersion
    from suture.files.partner import Finder, Team
    from suture.files.paths import Target
    from suture.files.recovery import Recovered
    from suture.files.sweep import Sought
    from suture.plan import Change, FileChange, Trouble

    Progress = Callable[[int, int], None]

_CHUNK = 1 << 16
_REPLANS = 3
_NEAR_NAMES = 3
_PAST_VERSIONS = 100
_PAST_BYTES = 20_000_000
_PAST_SECONDS = 0.5
_NEAR_FOLDER = 2_000
_REFUSALS = 1_000
_SMALL = 1_000_000  # bytes that are held in memory from one call to the next


class Session:
    """One call's view of the workspace. Close it when the call is over."""

    def __init__(self, engine: Engine, progress: Progress | None = None) -> None:
        self.settings = engine.settings
        self.unsaved = engine.unsaved
        """Clipboards that the history could not take: kept as long as the workspace object."""
        self._refusals = engine.refusals
        self.remembered = engine.remembered
        """What one call found out and the next may use, kept with what it depends on."""
        self._newest = engine.newest
        self.guard = engine.guard
        self._partner = engine.partner
        self.progress = progress or engine.progress
        """Told of more files that a walk came to, and of more matches; it may raise `Cancelled`."""
        self.trees = [Tree(engine.fs, root) for root in engine.roots]
        self._resolver = Resolver(self.trees, engine.guard)
        self._history: Callable[[Tree], History] = engine.history

    @property
    def history(self) -> History:
        """The workspace's history."""
        return self._history(self.trees[0])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the folders that are held open; they are opened again when needed."""
        for tree in self.trees:
            tree.close()

    def checkpoint(self) -> None:
        """A point at which a call may be cancelled."""
        self.progress(0, 0)

    def locate(self, path: str, *, folders: bool = False) -> Target:
        """What a path argument means; `stat` is None where no file stands yet. With `folders` it may mean one."""
        try:
            return self._resolver.resolve(path, folders=folders)
        except OSError as error:
            raise as_ours(error, path, "look at") from error
        except UnicodeEncodeError:
            raise InvalidPath(path=path, reason="the locale's encoding cannot write it") from None

    def read(self, path: str, encoding: str | None = None) -> Snapshot:
        """A file's text, with what is needed to notice if it changes."""
        return self._read(self.locate(path), encoding)

    def _read(self, target: Target, encoding: str | None = None) -> Snapshot:
        if target.stat is None:
            raise FileNotFound(path=target.requested, near=self._near(target))
        return self.snapshot(target, encoding)

    def snapshot(self, target: Target, encoding: str | None = None) -> Snapshot:
        """Read the file a target names."""
        handle = self.trees[target.root].open_file(target.path)
        return self._snapshot(_place(target), handle, target.requested, encoding)

    def snapshot_in(self, folder: int, place: Place) -> Snapshot:
        """Read a file in an open folder."""
        try:
            handle = self.trees[place.root].fs.open_file(folder, split(place.path)[1])
        except OSError as error:
            raise as_ours(error, place.name, "read") from error
        return self._snapshot(place, handle, place.name)

    def _snapshot(self, place: Place, handle: int, requested: str, encoding: str | None = None) -> Snapshot:
        tree, limit = self.trees[place.root], self.settings.max_file_bytes
        try:
            found = tree.fs.fstat(handle)
            if found.kind != "file":
                raise NotAFile(path=requested, kind=found.kind)
            raw = b"" if found.size > limit else _read_all(tree.fs, handle, found.size, limit)
        except OSError as error:
            raise as_ours(error, place.name, "read") from error
        finally:
            tree.let_go(handle)
        size = max(found.size, len(raw))
        if size > limit:
            raise InputTooLarge(what=place.name, size=size, limit=limit, setting="max_file_bytes")
        text = self.decoded(raw, place.path, encoding)
        return Snapshot(place, text, self._content(raw), found.fingerprint, found.mode)

    def _content(self, raw: bytes) -> Content:
        """A file's bytes; those that landed last need not be hashed again."""
        newest = self._newest
        return newest if newest is not None and newest.pieces == (raw,) else Content((raw,))

    def decoded(self, raw: bytes, path: str, encoding: str | None = None) -> Text:
        """A file's bytes as text, in the encoding named or configured for it, where they do not say it themselves."""
        try:
            return Text.decode(raw, encoding or (self.settings.encodings and self._configured_encoding(path)) or None)
        except EncodingMismatch:
            if encoding is not None:
                raise
            return Text.decode(raw)

    def runs(
        self, pattern: str, exclude: Iterable[str], *, include_ignored: bool
    ) -> tuple[int, Iterator[tuple[int, str, list[str]]]]:
        """The files that a pattern for paths means: a root's number, and runs as `files.walk` gives them.

        If no file fits the pattern, that is an error.
        """
        root, selection = self._selected(pattern, exclude)
        return root, self._walked(root, selection, pattern, include_ignored=include_ignored)

    def _walked(
        self, root: int, selection: Selection, pattern: str, *, include_ignored: bool
    ) -> Iterator[tuple[int, str, list[str]]]:
        from suture.files.walk import walk  # the other tools work on one file

        nothing = True
        for run in walk(self.trees[root], selection, self.guard, include_ignored=include_ignored):
            nothing = False
            self.progress(len(run[2]), 0)
            yield run
        if nothing:
            ignored = not include_ignored and any(walk(self.trees[root], selection, self.guard, include_ignored=True))
            hidden_by = "What fits is ignored by .gitignore: to have it, set include_ignored" if ignored else None
            raise NoFilesMatched(pattern=pattern, hidden_by=hidden_by)

    def swept(
        self, root: int, runs: Iterable[tuple[int, str, list[str]]], sought: Sought
    ) -> Iterator[tuple[int, Place, bytes]]:
        """Those of the files that may hold what is sought: open folder, place, content."""
        from suture.files.sweep import sweep  # as above

        shown = "" if root == 0 else self._resolver.shown(root, "")
        for folder, prefix, name, raw in sweep(self.trees[root], runs, sought):
            path = prefix + name
            yield folder, Place(root, path, shown + path), raw

    def reopened(self, root: int, batch: Iterable[tuple[str, list[str]]]) -> Iterator[tuple[int, str, list[str]]]:
        """Folders that a walk came through, opened again; one that is gone is passed over."""
        for prefix, names in batch:
            try:
                yield self.trees[root].folder(prefix.removesuffix("/")), prefix, names
            except (FileNotFound, NotAFolder, PathOutsideWorkspace):
                continue

    def partner(self, entry: str) -> AbstractContextManager[Finder]:
        """A function that gives a second process for large work; None if there is none, or another call uses it."""
        return self._partner(entry)

    def _selected(self, pattern: str, exclude: Iterable[str]) -> tuple[int, Selection]:
        """Which files a pattern means, and below which root; a link in its literal part is followed."""
        from suture.files.globs import Selection, below_root

        root, relative = below_root(pattern, [tree.root for tree in self.trees])
        selection = Selection.parse(relative, exclude)
        literal = selection.path if selection.literal else selection.base
        if not literal:
            return root, selection
        try:
            target = self.locate(self._resolver.shown(root, literal), folders=True)
        except (FileNotFound, NotAFolder):
            raise NoFilesMatched(pattern=pattern) from None
        except ProtectedPath as error:
            raise NoFilesMatched(pattern=pattern, hidden_by=f"{literal} is protected ({error.rule})") from None
        if selection.literal and target.stat is not None and target.stat.kind == "folder":
            raise NoFilesMatched(
                pattern=pattern, hidden_by=f"{literal} is a folder: for the files in it, {literal}/**/*"
            )
        if target.path == literal:
            return root, selection
        names = [name for name in relative.split("/") if name not in {"", "."}]
        final = _literally(target.path)
        parts = [final] * bool(final) + names[literal.count("/") + 1 :]
        return target.root, Selection.parse("/".join(parts), exclude)

    def text(self, path: str, encoding: str | None = None) -> Snapshot:
        """As `read`, refusing what is not text."""
        found = self.read(path, encoding)
        if found.text.is_binary(self.settings.binary_window):
            raise BinaryFile(path=found.place.name)
        return found

    def blank(self, path: str, encoding: str | None = None) -> Text:
        """The text that a new file begins with: empty but for a mark, in the encoding named or configured for it."""
        name = encoding or self._configured_encoding(self.locate(path).path)
        try:
            mark = b"" if name is None else "".encode(name)
        except (LookupError, ValueError):
            mark = b""  # which decoding explains
        return Text.decode(mark, name)

    def past_versions(self, path: str) -> list[PastVersion]:
        """What stood in a file before each change of it, newest first: a part of it, quickly, or nothing."""
        try:
            with self.history.reading() as book:
                name = self.locate(path).name
                return book.past_versions(name, versions=_PAST_VERSIONS, size=_PAST_BYTES, seconds=_PAST_SECONDS)
        except HistoryUnavailable:
            return []

    def attempt(self, request: int) -> int:
        """How often a request was refused, this time included; `request` is a hash of all that it depends on."""
        number = self._refusals.pop(request, 0) + 1
        self._refusals[request] = number  # now the newest
        if len(self._refusals) > _REFUSALS:
            del self._refusals[next(iter(self._refusals))]
        return number

    def clipboard_names(self) -> list[str]:
        """The names of the clipboards, sorted."""
        try:
            with self.history.reading() as book:
                return sorted({*book.clipboard_names(), *self.unsaved})
        except HistoryUnavailable:
            return sorted(self.unsaved)

    def clipboard(self, name: str) -> str | None:
        """The text of a clipboard, its undecodable bytes as surrogates; None if there is none of this name."""
        if name in self.unsaved or not self.settings.history:
            return self.unsaved.get(name)
        with self.history.reading() as book:
            return book.clipboard(name)

    def plan_create(self, path: str, content: bytes, mode: int | None = None) -> Create:
        """Plan a new file."""
        self._check_size(path, len(content))
        target = self.locate(path)
        if target.stat is not None:
            raise FileExists(path=target.name)
        check_new_name(target)
        return Create(_place(target), Content((content,)), mode)

    def plan_write(self, path: str, content: bytes) -> FileChange:
        """Plan a file's whole content, whether it exists or not."""
        self._check_size(path, len(content))
        target = self.locate(path)
        if target.stat is None:
            return self.plan_create(path, content)
        return Update(_place(target), self.snapshot(target), Content((content,)))

    def plan_edit(self, path: str, edits: Callable[[Text], Iterable[Edit]], encoding: str | None = None) -> Update:
        """Plan edits, found by a function that is handed the file's text."""
        before = self.text(path, encoding)
        found = list(edits(before.text))
        most = self.settings.max_edits
        if len(found) > most:
            raise InputTooLarge(what=path, size=len(found), limit=most, setting="max_edits", unit="edits")
        return self.plan_update(before, found)

    def plan_update(self, before: Snapshot, edits: Iterable[Edit]) -> Update:
        """Plan edits of a file that was read."""
        from suture.edits import ordered, splice_ordered  # reading needs no edits

        found = ordered(edits, len(before.text.body))
        after = Content(splice_ordered(before.text, found))
        self._check_size(before.place.name, after.size)
        return Update(before.place, before, after, tuple(found))

    def check_permitted(self, plan: Plan) -> None:
        """Refuse a plan that would be refused for a file that this user may not write."""
        for change in plan.changes:
            if isinstance(change, Update) and not _is_no_op(change):
                tree, (folder, name) = self.trees[change.place.root], split(change.place.path)
                handle, found = tree.folder(folder), tree.stat(change.place.path)
                renamed = found is None or found.links == 1
                if not tree.fs.writable(handle, name) or (renamed and not tree.fs.removable(handle, name)):
                    raise PermissionDenied(path=change.place.name, operation="write")

    def plan_delete(self, path: str) -> Delete:
        """Plan a deletion."""
        before = self._read_itself(path)
        return Delete(before.place, before)

    def plan_rename(self, path: str, to: str, content: bytes | None = None) -> Rename:
        """Plan a move, perhaps with new content; a file that stands there is never replaced."""
        before, target = self._read_itself(path), self.locate(to)
        if target.stat is not None:
            raise FileExists(path=target.name)
        check_new_name(target)
        if content is None:
            return Rename(before.place, before, _place(target))
        self._check_size(to, len(content))
        return Rename(before.place, before, _place(target), Content((content,)))

    def _read_itself(self, path: str) -> Snapshot:
        """As `read`, for what takes the name away: then a link would be left behind, pointing nowhere."""
        target = self.locate(path)
        if target.by_link:
            raise NotAFile(path=path, kind="symbolic link")
        return self._read(target)

    def _check_size(self, path: str, size: int) -> None:
        limit = self.settings.max_file_bytes
        if size > limit:
            raise InputTooLarge(what=path, size=size, limit=limit, setting="max_file_bytes")

    def _configured_encoding(self, path: str) -> str | None:
        if not self.settings.encodings:
            return None
        names = folded_names(path)
        return next((name for glob, name in self.settings.encodings if Patterns([glob]).match(names)), None)

    def near(self, path: str) -> list[str]:
        """Files that may be meant by a path at which there is none: those of its name elsewhere, or of nearly that."""
        target = self.locate(path)
        name = split(target.path)[1]
        found = self._near(target)
        try:
            root, runs = self.runs(f"**/{_literally(name)}", (), include_ignored=False)
            same = [self._resolver.shown(root, prefix + each) for _, prefix, names in runs for each in names]
        except SutureError:  # there is none, or the folders cannot be read
            same = []
        return list(dict.fromkeys([*same[:_NEAR_FOLDER], *found]))

    def _near(self, target: Target) -> list[str]:
        """Existing files whose names resemble a missing one's."""
        from difflib import get_close_matches  # only a failure needs it

        folder, name = split(target.path)
        tree = self.trees[target.root]
        while folder and tree.stat(folder) is None:
            folder = split(folder)[0]
        try:
            names = [each for each in tree.names(folder) if not each.startswith(OWN_PREFIX)][:_NEAR_FOLDER]
        except PermissionDenied:
            return []
        prefix = f"{folder}/" if folder else ""
        missing, _, below = target.path.removeprefix(prefix).partition("/")
        near = [f"{prefix}{each}/{below}" for each in get_close_matches(missing, names, _NEAR_NAMES) if below]
        near = [each for each in near if _is_file(tree, each)]  # the same below a folder that is named nearly so
        near += [f"{prefix}{each}" for each in get_close_matches(name, names, _NEAR_NAMES)]
        return [self._resolver.shown(target.root, each) for each in near[:_NEAR_NAMES]]


class Landing(Record):
    """What came of a plan: the change, or None if nothing had to be done; and what else the caller should know."""

    change: Change | None
    recovered: Recovered | None = None
    trouble: Trouble | None = None


class Engine:
    """A workspace's root and settings, and the two things that can be done with them: look and land."""

    def __init__(self, root: str | os.PathLike[str], settings: Settings | None = None, fs: FS | None = None) -> None:
        self.fs = fs or LocalFS()
        self.settings = settings or Settings()
        self.settings.check()
        self.unsaved: dict[str, str] = {}
        self.refusals: dict[int, int] = {}
        self.remembered: dict[str, object] = {}
        self.newest: Content | None = None
        """What a file became by the last change: an agent often goes on with it."""
        self._turns: dict[int, LockType] = {}
        self._kept: Kept | None = None
        self._team: Team | None = None
        self.progress: Progress = _unwatched
        try:
            self.root = os.path.abspath(os.fspath(root))
            places = [self.fs.real_path(each) for each in (self.root, *self.settings.extra_roots)]
        except (OSError, ValueError) as error:
            raise WorkspaceNotFound(root=str(root), reason=str(error)) from error
        for place in places:
            if any(name.startswith(OWN_PREFIX) for name in place.split("/")):
                raise WorkspaceNotFound(root=place, reason="suture keeps its own files there")
        self.guard = Guard(self.settings.protect, self.settings.allow_protected)
        self.roots = list(dict.fromkeys((self.root, *map(os.path.abspath, self.settings.extra_roots))))
        with self.session() as session:
            for tree in session.trees:
                found = tree.stat("")
                if found is None or found.kind != "folder":
                    raise WorkspaceNotFound(root=tree.root, reason="not a folder")

    def history(self, tree: Tree) -> History:
        """The workspace's history, whose database stays open from one change to the next."""
        from suture.files.history import History, Kept  # reading a file needs none

        if self._kept is None:
            self._kept = Kept()
        return History(tree, self.settings, self._kept)

    def close(self) -> None:
        """Let go of what is kept open between calls; a call that needs it opens it again."""
        if self._kept is not None:
            self._kept.close()
        if self._team is not None:
            self._team.close()

    @contextmanager
    def partner(self, entry: str) -> Iterator[Finder]:
        """A function that gives a second process, kept from one call to the next; one call uses it at a time."""
        from suture.files.partner import Team

        if self._team is None:
            self._team = Team(entry, local=isinstance(self.fs, LocalFS) and self.settings.second_process)
        with self._team.partner() as partner:
            yield partner

    def session(self, progress: Progress | None = None) -> Session:
        """A view for one call, perhaps watched by its caller."""
        return Session(self, progress)

    def land(
        self,
        propose: Callable[[Session], Plan],
        *,
        replan: bool = True,
        serial: bool = False,
        progress: Progress | None = None,
    ) -> Landing:
        """Make a plan and land it, unless it is cancelled first. A `serial` one is planned under the lock only."""
        from suture.files.commit import commit  # readers do not load the writer
        from suture.files.lock import Lock
        from suture.files.recovery import recover

        durable = self.settings.durability == "full"
        with self.session(progress) as session:
            # A transaction under way, or what a dead process left: a plan made on that would be a wrong one.
            unsettled = session.trees[0].stat(INTENT_NAME) is not None
            plan = None if unsettled or serial else _without_no_ops(propose(session))
            if plan is not None and not plan.changes and not plan.clipboards:
                return Landing(None)
            with Lock(session.trees, self.settings.lock_timeout_ms, session.checkpoint, self._turns):
                session.close()  # a folder opened while planning may have been moved since
                history = session.history
                recovered = recover(session.trees, history, durable=durable)
                for attempts_left in range(_REPLANS, -1, -1):
                    plan = plan or _without_no_ops(propose(session))
                    if not plan.changes:
                        return Landing(None, recovered, self._note(session, plan))
                    session.checkpoint()
                    try:
                        change = commit(session.trees, plan, history, durable=durable)
                        self._remember(plan, change.trouble)
                        return Landing(change, recovered, change.trouble)
                    except FileChanged:
                        if not replan or not attempts_left:
                            raise
                        plan = None
        raise AssertionError  # the loop returns or raises

    def _note(self, session: Session, plan: Plan) -> Trouble | None:
        """Record what a plan says besides its files, which are so already: that a change is undone, and clipboards."""
        from suture.files.journal import new_id

        if plan.clipboards:
            self._remember(plan, session.history.keep_clipboards(plan.clipboards))
        if plan.undoes is None:
            return None
        change = ChangeRecord(new_id(), plan.tool, plan.summary, (), (), plan.undoes)
        return session.history.record(change, lambda _: None)

    def _remember(self, plan: Plan, trouble: Trouble | None) -> None:
        """Hold what the history could not take, and let go of what it has."""
        for name, content in plan.clipboards:
            self.unsaved.pop(name, None)
            if trouble is not None and not trouble.recorded:
                self.unsaved[name] = content
        after = getattr(plan.changes[-1], "after", None) if plan.changes else None
        self.newest = after if after is not None and _is_small(after) else None

    @contextmanager
    def locked(self) -> Iterator[Session]:
        """A view for one call while nobody else can land anything."""
        from suture.files.lock import Lock
        from suture.files.recovery import recover

        with self.session() as session, Lock(session.trees, self.settings.lock_timeout_ms, turns=self._turns):
            recover(session.trees, session.history, durable=self.settings.durability == "full")
            yield session

    def recover(self, *, wait: bool = True) -> Recovered | None:
        """Clear up an interrupted transaction, if there is one and no other process is at work."""
        with Tree(self.fs, self.roots[0]) as home:
            if home.stat(INTENT_NAME) is None:
                return None
        with self.session() as session:
            from suture.errors import WorkspaceBusy  # the rare case
            from suture.files.lock import Lock
            from suture.files.recovery import recover

            try:
                with Lock(session.trees, self.settings.lock_timeout_ms if wait else 0, turns=self._turns):
                    return recover(session.trees, session.history, durable=self.settings.durability == "full")
            except WorkspaceBusy:
                if wait:
                    raise
                return None  # a transaction is under way, not interrupted


def _unwatched(files: int, matches: int) -> None:
    """Nobody wants to know."""


def _is_file(tree: Tree, path: str) -> bool:
    try:
        found = tree.stat(path)
    except SutureError:
        return False
    return found is not None and found.kind == "file"


def _literally(path: str) -> str:
    """A path as a pattern that means just it."""
    return "".join(f"\\{char}" if char in "*?[]{}\\," else char for char in path)


def _place(target: Target) -> Place:
    return Place(target.root, target.path, target.name)


def _is_small(content: Content) -> bool:
    """Whether it may be held from one call to the next; a view would hold all that it was cut from."""
    return content.size <= _SMALL and all(isinstance(piece, bytes) for piece in content.pieces)


def _is_no_op(change: Update) -> bool:
    same_mode = change.mode in {None, change.before.mode}
    return same_mode and change.after.digest == change.before.content.digest


def _without_no_ops(plan: Plan) -> Plan:
    changes = [change for change in plan.changes if not (isinstance(change, Update) and _is_no_op(change))]
    return plan if len(changes) == len(plan.changes) else plan.but(changes=tuple(changes))


def _read_all(fs: FS, handle: int, size: int, limit: int) -> bytes:
    """A file's bytes, at most one more than the limit, whatever its size claims to be."""
    pieces: list[bytes] = []
    room, wanted = limit + 1, size + 1
    while room > 0 and (piece := fs.read(handle, min(room, max(wanted, _CHUNK)))):
        pieces.append(piece)
        room -= len(piece)
        wanted -= len(piece)
        if wanted == 1:  # as long as it claims to be, and there was room for more
            break
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
