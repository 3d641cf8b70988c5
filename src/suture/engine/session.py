"""One call's view of the workspace: resolve paths, read files, find earlier versions, plan changes.

A `Session` never writes: it makes file changes as values, which go into a plan that `files.commit` lands. A call reads
everything through it, so that limits, protected names and progress are in one place.

Earlier versions of a file (`Bases`), from which a request may have been written, come from

    shown     what callers of this workspace were shown, kept in memory (`ShownVersions`)
    history   what our changes found and left
    git       the index, HEAD, and earlier commits

They are fetched one by one, on demand, within the limits of the settings. Versions that cannot be fetched are left
out; that is never an error.
"""

from __future__ import annotations

import os
from contextlib import suppress
from itertools import islice
from time import monotonic

from suture import log
from suture.bounds import check_time
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
)
from suture.files.fs import split, to_suture_error
from suture.files.local_fs import LocalFS
from suture.files.paths import Resolver, check_new_name, display_path
from suture.files.protected import Patterns, folded_names
from suture.plan import Content, Create, Delete, Place, Rename, Snapshot, Update
from suture.text import Text, with_lf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Self, TypeVar

    from suture.audience import Audience
    from suture.files.database import Database, KnownVersion
    from suture.files.fs import FS, Tree
    from suture.files.git import CommittedVersion, Repository
    from suture.files.glob import Selection
    from suture.files.history import History
    from suture.files.paths import Target
    from suture.files.protected import Guard
    from suture.files.walk import ContentFilter
    from suture.files.worker import GetWorker
    from suture.match.index import Base
    from suture.plan import Clipboard, FileChange, Head, Plan, SessionInfo
    from suture.settings import Settings
    from suture.text.edits import Edit

    Progress = Callable[[int, int], None]
    AnyFileChange = TypeVar("AnyFileChange", bound=FileChange)

_MAX_CHANGES = 100  # of a file in the history that are searched: bounds the time of a failure
_MAX_COMMITS = 20  # that changed the file, before HEAD: each is read from git
_MAX_REMEMBERED_COMMITS = 1_000  # files whose committed versions are kept between calls: bounds the memory

_CHUNK_SIZE = 1 << 16  # bytes read at once, at least: most files are smaller

_MAX_SAME_NAMES = 2_000  # files with the name of a missing one: bounds the memory, if all are called `index.js`
_MAX_SUGGESTED_FILES = 5  # files that a missing one may mean: more would not help to choose
_MAX_NAMED_FILES = 100_000  # of the workspace, whose names are compared with a missing one: bounds the memory
_NAMING_SECONDS = 0.5  # in which they are collected: a failure should be answered soon
_MAX_PATTERN_CHARS = 2_000  # characters of names in one pattern: `files.glob` allows 4,096, and 1,000 names
_MAX_CHANGED_CHARS = 20_000  # of a diff in an error: more is read again as a whole
_MAX_REFUSALS = 1_000  # requests whose refusals are counted: bounds the memory

# What callers were shown is kept in memory, within these limits: an edit is most likely written for a recent version
_MAX_SHOWN_FILES = 100
_MAX_SHOWN_VERSIONS = 4  # of each
_MAX_SHOWN_BYTES = 32_000_000


class Bases:
    """Finds earlier versions of one file, within limits of time, number and size."""

    def __init__(self, now: Snapshot, settings: Settings, remembered: dict[str, object]) -> None:
        """`remembered` keeps the versions in commits between calls."""
        self._now = now
        self._settings = settings
        self._remembered = remembered
        self._deadline = monotonic() + settings.base_ms / 1000
        body = now.text.body
        self._seen = {with_lf(body)} if len(body) <= 2 * settings.max_base_bytes else set()  # no base is larger
        self._bytes_left = settings.max_bases_bytes
        self._versions_left = settings.max_bases

    def find_all(
        self, shown: Sequence[Content], history: Callable[[], History], trees: Sequence[Tree]
    ) -> Generator[Base, None, None]:
        """All earlier versions, each once, ordered by source, newest first within each."""
        known: list[KnownVersion] = []
        try:
            if not self._is_exhausted:
                with history().reading() as database:
                    known = list(islice(database.versions(self._now.place.name), _MAX_CHANGES))
                    yield from self._shown(shown, known)
                    yield from self._recorded_bases(database, known)
        except SutureError as error:
            log.debug("bases", "no history: %s", error)
            yield from self._shown(shown, known)  # the ones yielded before are skipped
        try:
            if not self._is_exhausted and isinstance(trees[0].fs, LocalFS):
                yield from self._committed_bases(trees)
        except (OSError, ValueError) as error:
            log.debug("bases", "no more of git: %r", error)

    def _shown(self, shown: Sequence[Content], known: Sequence[KnownVersion]) -> Iterator[Base]:
        recorded = {version.digest: version for version in reversed(known)}
        for content in shown:
            version = recorded.get(content.digest) if recorded else None
            made_by, replaced_by = (version.made_by, version.replaced_by) if version else (None, None)
            yield from self._base(content.bytes(), "read", made_by, replaced_by)

    def _recorded_bases(self, database: Database, known: Sequence[KnownVersion]) -> Iterator[Base]:
        digests: set[str] = set()
        for version in known:
            if version.digest in digests:
                continue
            digests.add(version.digest)
            size = database.size(version.digest)
            if size is not None and self._fits(size) and (content := database.content(version.digest)) is not None:
                yield from self._base(content, "history", version.made_by, version.replaced_by)
            if self._is_exhausted:
                break

    def _committed_bases(self, trees: Sequence[Tree]) -> Iterator[Base]:
        from suture.files.git import repository

        roots = [tree.fs.real_path(tree.root) for tree in trees]
        file = os.path.join(roots[self._now.place.root], self._now.place.path)
        git = repository(file, roots, self._deadline)
        if git is None:
            return
        with git:
            head, staged = git.head(), git.staged_blob()
            newest = None if head is None else git.at(head)
            if staged is not None and staged != newest:
                yield from self._base_of_blob(git, staged, "index", None, None)
            if head is None or newest is None:
                return
            yield from self._base_of_blob(git, newest, "head", head.hex(), None)
            for version in self._versions_before(git, file, head):
                yield from self._base_of_blob(git, version.blob, "commit", version.commit, version.until)
                if self._is_exhausted:
                    break

    def _versions_before(self, repository: Repository, file: str, head: bytes) -> Iterator[CommittedVersion]:
        """The versions before a commit, each once. They are cached, so that commits are read only once."""
        commits = self._remembered.setdefault("commits", {})
        assert isinstance(commits, dict)  # noqa: S101  ours
        cached = commits.get(file)
        if cached is not None and cached[0] == head:
            yield from cached[1]
            return
        past: dict[bytes, CommittedVersion] = {}
        for version in repository.versions_before(head):
            if version.blob not in past:
                past[version.blob] = version
                if len(past) == _MAX_COMMITS:
                    break
                yield version
        if len(commits) >= _MAX_REMEMBERED_COMMITS:
            commits.clear()
        commits[file] = head, list(past.values())
        yield from list(past.values())[_MAX_COMMITS - 1 :]

    def _base_of_blob(
        self, repository: Repository, blob: bytes, source: str, commit: str | None, until: str | None
    ) -> Iterator[Base]:
        content = repository.content(blob, self._settings.max_base_bytes)
        if content is not None:
            yield from self._base(content, source, commit, until)

    @property
    def _is_exhausted(self) -> bool:
        """Whether the limit of number or time is reached."""
        return self._versions_left <= 0 or monotonic() >= self._deadline

    def _fits(self, size: int) -> bool:
        return size <= min(self._settings.max_base_bytes, self._bytes_left)

    def _base(self, content: bytes, source: str, made_by: str | None, until: str | None) -> Iterator[Base]:
        """A version, unless it is known already or exceeds a limit."""
        if self._is_exhausted or not self._fits(len(content)):
            return
        body = _body(content, self._now.text.encoding)
        if (plain := with_lf(body)) not in self._seen:
            self._seen.add(plain)
            self._bytes_left -= len(content)
            self._versions_left -= 1
            from suture.match.index import Base  # only a search for earlier versions needs it

            yield Base(body, source, made_by, until)


class ShownVersions:
    """The versions of files that were shown last. Thread-safe."""

    def __init__(self) -> None:
        from _thread import allocate_lock

        self._lock = allocate_lock()
        self._files: dict[tuple[int, str], tuple[Content, ...]] = {}
        """For each file, the newest version first; the file that was shown last comes last."""
        self._size = 0

    def add(self, place: Place, content: Content) -> None:
        """Keep a version that was shown: the whole content, even if only a few lines were shown."""
        key = place.root, place.path
        with self._lock:
            earlier = self._files.pop(key, ())
            if earlier and earlier[0].pieces == content.pieces:
                content = earlier[0]  # one copy is enough
            others = tuple(version for version in earlier if version.pieces != content.pieces)
            self._files[key] = versions = (content, *others)[:_MAX_SHOWN_VERSIONS]
            self._size += sum(version.size for version in versions) - sum(version.size for version in earlier)
            while len(self._files) > _MAX_SHOWN_FILES or self._size > _MAX_SHOWN_BYTES:
                oldest = self._files.pop(next(iter(self._files)))
                self._size -= sum(version.size for version in oldest)

    def clear(self) -> None:
        """Forget them all."""
        with self._lock:
            self._files.clear()
            self._size = 0

    def versions(self, place: Place) -> tuple[Content, ...]:
        """The versions of a file that were shown, newest first."""
        key = place.root, place.path
        with self._lock:
            versions = self._files.pop(key, ())
            if versions:
                self._files[key] = versions  # now the most recently used
            return versions


class SharedState:
    """State that the calls of a session share, as long as the workspace object lives."""

    def __init__(self, remembered: dict[str, object], all_states: Mapping[str, SharedState]) -> None:
        """`remembered` is shared by all sessions, whose states are in `all_states`."""
        self.unsaved: dict[str, Clipboard] = {}
        """Clipboards that the history could not store."""
        self.all_states = all_states
        self.remembered = remembered
        """Results that later calls can reuse, stored with what they depend on."""
        self.refusals: dict[int, int] = {}
        """How often each request was refused, newest last."""
        self.newest: Content | None = None
        """The content that the last change wrote: an agent often continues with that file."""
        self.shown = ShownVersions()
        """The versions of files that callers were shown."""


class Session:
    """One call's view of the workspace. Close it when the call is over."""

    def __init__(
        self,
        trees: list[Tree],
        settings: Settings,
        guard: Guard,
        carried: SharedState,
        *,
        history: Callable[[Tree], History],
        worker: Callable[[str], AbstractContextManager[GetWorker]],
        progress: Progress,
        audience: Audience,
        caller: SessionInfo,
        lock: Callable[[Session], AbstractContextManager[None]],
        own_places: Collection[str] = (),
    ) -> None:
        """`own_places`: folders that suture itself runs from; no plan may change anything in them."""
        self.trees = trees
        self.settings = settings
        self.guard = guard
        self.unsaved = carried.unsaved
        self.remembered = carried.remembered
        self._shared = carried
        self._history = history
        self.worker = worker
        """A function that returns a second process for large work; None if none is available."""
        self._lock = lock
        self._progress = progress
        self.audience = audience
        """The audience that the call's result is worded for."""
        self.caller = caller
        """The session that makes the call."""
        self._own_places = own_places
        self._resolver = Resolver(trees, guard)
        self.walked = 0
        """The files that walks of this call have come to."""
        self._held: dict[Place, int] = {}
        """The size in bytes of each planned change."""
        self._all_held = 0
        self._names: dict[str, list[str]] | None = None
        """The files of the workspace by their folded names, once one was missing."""
        self.holds_lock = False
        """Whether the call holds the lock of the workspace."""
        self._searches: list[Generator[Base, None, None]] = []
        """Searches for earlier versions; an unfinished one keeps the history's database open."""

    @property
    def history(self) -> History:
        """The workspace's history."""
        return self._history(self.trees[0])

    def head(self) -> Head | None:
        """Where the git repository of the workspace is; None if there is none."""
        home = self.trees[0]
        if not isinstance(home.fs, LocalFS):
            return None
        from suture.files.git import head_of  # reading does not need it

        return head_of(home.root)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for search in self._searches:
            search.close()  # in this thread: SQLite lets no other one close its connection
        self.close()

    def close(self) -> None:
        """Close the open folders; they are reopened when needed."""
        for tree in self.trees:
            tree.close()

    def locked(self) -> AbstractContextManager[None]:
        """Hold the lock of the workspace, unless the call holds it already."""
        return self._lock(self)

    def checkpoint(self) -> None:
        """Raise if the call was canceled or its time is over."""
        self.progress(0, 0)

    def progress(self, files: int, matches: int) -> None:
        """Report more files walked and more matches; raises like `checkpoint`."""
        check_time()
        self._progress(files, matches)

    def locate(self, path: str, *, folders: bool = False) -> Target:
        """Resolve a path argument; `stat` is None for a new file. With `folders`, it may name a folder."""
        try:
            return self._resolver.resolve(path, folders=folders)
        except OSError as error:
            raise to_suture_error(error, path, "look at") from error
        except UnicodeEncodeError:
            raise InvalidPath(path=path, reason="the locale's encoding cannot write it") from None

    def read(self, path: str, encoding: str | None = None) -> Snapshot:
        """Read a file: its text, and what is needed to notice changes."""
        return self._read(self.locate(path), encoding)

    def text(self, path: str, encoding: str | None = None) -> Snapshot:
        """As `read`, but refuse a file that is not text."""
        snapshot = self.read(path, encoding)
        if snapshot.text.is_binary(self.settings.binary_window):
            raise BinaryFile(path=snapshot.place.name)
        return snapshot

    def blank(self, path: str, encoding: str | None = None) -> Text:
        """The empty text of a new file, with the mark and encoding that `encoding` or the settings require."""
        name = encoding or self._configured_encoding(self.locate(path).path)
        try:
            mark = b"" if name is None else "".encode(name)
        except (LookupError, ValueError):
            mark = b""  # which decoding explains
        return Text.decode(mark, name)

    def same_named(self, names: Collection[str]) -> list[str]:
        """The files that have one of some names, in any folder: of the first root, without those that are ignored."""
        from suture.files.glob import Selection, escape
        from suture.files.walk import walk

        paths: list[str] = []
        patterns: list[str] = []
        for name in map(escape, sorted(names)):
            if patterns and len(patterns[-1]) + len(name) < _MAX_PATTERN_CHARS:
                patterns[-1] += f",{name}"
            else:
                patterns.append(name)
        for pattern in patterns:
            try:
                selection = Selection.parse(f"**/{{{pattern}}}", ())
                for run in walk(self.trees[0], selection, self.guard, include_ignored=False):
                    self.progress(len(run[2]), 0)
                    paths += [display_path(self.trees, 0, run[1] + name) for name in run[2]]
            except SutureError:  # folders that cannot be read
                continue
        return paths

    def near(self, path: str) -> list[str]:
        """Files to which a reply's block for a missing path may be applied: all with its name, and similar names.

        Blocks are applied to a file only if no other one fits, so the walk is not cut off, unlike for `similar_files`.
        """
        from suture.files.glob import escape
        from suture.files.paths import find_similar

        target = self.locate(path)
        name = split(target.path)[1]
        candidates = [
            display_path(self.trees, target.root, path) for path in find_similar(self.trees[target.root], target.path)
        ]
        try:
            root, runs = self.runs(f"**/{escape(name)}", (), include_ignored=False)
            same = [display_path(self.trees, root, prefix + name) for _, prefix, names in runs for name in names]
        except SutureError:  # no such file, or unreadable folders
            same = []
        return list(dict.fromkeys([*same[:_MAX_SAME_NAMES], *candidates]))

    def similar_files(self, path: str) -> list[str]:
        """The few files that a missing path most likely means, best first, to be suggested.

        First those with the same name in another folder, then those whose name differs only in case or Unicode
        normalization, then those with a similar name in the same folder.
        """
        return self._suggest(self.locate(path))

    def _suggest(self, target: Target) -> list[str]:
        from suture.files.paths import find_same, find_similar, rank_same_named  # only a failure needs it
        from suture.files.protected import fold

        tree = self.trees[target.root]
        same, similar = (
            [
                display_path(self.trees, target.root, path)
                for path in find(tree, target.path)
                if self.guard.rule(path) is None
            ]
            for find in (find_same, find_similar)
        )
        same += self._files_by_name().get(fold(split(target.path)[1]), [])
        names = dict.fromkeys([*rank_same_named(target.name, same), *similar])
        return [name for name in names if name != target.name][:_MAX_SUGGESTED_FILES]

    def _files_by_name(self) -> dict[str, list[str]]:
        """The files of the workspace by their folded names, without those that are ignored; cut off if there are many.

        They are collected once in a call, even if several files are missing.
        """
        if self._names is None:
            self._names = {}
            ends = monotonic() + _NAMING_SECONDS
            for name, path in islice(self._named_files(), _MAX_NAMED_FILES):
                self._names.setdefault(name, []).append(path)
                if monotonic() > ends:
                    break
        return self._names

    def _named_files(self) -> Iterator[tuple[str, str]]:
        """The folded name and the path of every file that is not ignored."""
        from suture.files.glob import Selection
        from suture.files.protected import fold
        from suture.files.walk import walk

        selection = Selection.parse("**/{*,.*}")
        for root, tree in enumerate(self.trees):
            above = display_path(self.trees, root, "")
            with suppress(SutureError):  # folders that cannot be read
                for run in walk(tree, selection, self.guard, include_ignored=False):
                    self.checkpoint()
                    yield from ((fold(name), f"{above}{run[1]}{name}") for name in run[2])

    def snapshot(self, target: Target, encoding: str | None = None) -> Snapshot:
        """Read the file a target names."""
        handle = self.trees[target.root].open_file(target.path)
        return self._snapshot(target.place, handle, target.requested, encoding)

    def snapshot_in(self, folder: int, place: Place) -> Snapshot:
        """Read a file in an open folder."""
        try:
            handle = self.trees[place.root].fs.open_file(folder, split(place.path)[1])
        except OSError as error:
            raise to_suture_error(error, place.name, "read") from error
        return self._snapshot(place, handle, place.name)

    def _snapshot(self, place: Place, handle: int, requested: str, encoding: str | None = None) -> Snapshot:
        check_time()
        tree, limit = self.trees[place.root], self.settings.max_file_bytes
        try:
            stat = tree.fs.fstat(handle)
            if stat.kind != "file":
                raise NotAFile(path=requested, kind=stat.kind)
            raw = b"" if stat.size > limit else _read_all(tree.fs, handle, stat.size, limit)
        except OSError as error:
            raise to_suture_error(error, place.name, "read") from error
        finally:
            tree.close_quietly(handle)
        size = max(stat.size, len(raw))
        if size > limit:
            raise InputTooLarge(what=place.name, size=size, limit=limit, setting="max_file_bytes")
        text = self.decode_file(raw, place.path, encoding)
        return Snapshot(place, text, self._content(raw), stat.fingerprint, stat.mode)

    def _content(self, raw: bytes) -> Content:
        """A file's content; the content that landed last is reused, so that it is not hashed again."""
        newest = self._shared.newest
        return newest if newest is not None and newest.pieces == (raw,) else Content((raw,))

    def decode_file(self, raw: bytes, path: str, encoding: str | None = None) -> Text:
        """A file's bytes as text. A byte order mark decides the encoding; otherwise `encoding`, then the settings."""
        try:
            return Text.decode(raw, encoding or self._configured_encoding(path))
        except EncodingMismatch:
            if encoding is not None:
                raise
            return Text.decode(raw)

    def _configured_encoding(self, path: str) -> str | None:
        if not self.settings.encodings:
            return None
        names = folded_names(path)
        return next((name for glob, name in self.settings.encodings if Patterns([glob]).match(names)), None)

    def _read(self, target: Target, encoding: str | None = None) -> Snapshot:
        if target.stat is None:
            raise FileNotFound(path=target.requested, near=self._suggest(target))
        return self.snapshot(target, encoding)

    def _read_itself(self, path: str) -> Snapshot:
        """As `read`, for a file to be moved or deleted. A link is refused: it would be left dangling."""
        target = self.locate(path)
        if target.by_link:
            raise NotAFile(path=path, kind="symbolic link")
        return self._read(target)

    def runs(
        self, pattern: str, exclude: Iterable[str], *, include_ignored: bool
    ) -> tuple[int, Iterator[tuple[int, str, list[str]]]]:
        """The files that match a path pattern: a root's number, and runs as from `files.walk`.

        It is an error if no file matches.
        """
        root, selection = self._select(pattern, exclude)
        return root, self._walk(root, selection, pattern, include_ignored=include_ignored)

    def _select(self, pattern: str, exclude: Iterable[str]) -> tuple[int, Selection]:
        """Parse a pattern and find its root; a link in its literal part is followed. A folder means all below it."""
        from suture.files.glob import Selection, escape, split_root

        root, relative = split_root(pattern, [tree.root for tree in self.trees])
        exclude = [_below_root(self.trees[root].root, excluded) for excluded in exclude]
        selection = Selection.parse(relative, exclude)
        literal = selection.path if selection.literal else selection.base
        if not literal:
            return root, selection
        try:
            target = self.locate(display_path(self.trees, root, literal), folders=True)
        except (FileNotFound, NotAFolder):
            raise NoFilesMatched(pattern=pattern) from None
        except ProtectedPath as error:
            raise NoFilesMatched(pattern=pattern, hidden_by=f"{literal} is protected ({error.rule})") from None
        is_folder = selection.literal and _is_folder(target)
        if target.path == literal and not is_folder:
            return root, selection
        names = [name for name in relative.split("/") if name not in {"", "."}]
        final = escape(target.path)
        parts = [final] * bool(final) + names[literal.count("/") + 1 :]
        parts += ["**"] * (is_folder or relative.endswith(("/", "/.")))
        return target.root, Selection.parse("/".join(parts), exclude)

    def _walk(
        self, root: int, selection: Selection, pattern: str, *, include_ignored: bool
    ) -> Iterator[tuple[int, str, list[str]]]:
        from suture.files.walk import walk  # the other tools work on one file

        nothing = True
        for run in walk(self.trees[root], selection, self.guard, include_ignored=include_ignored):
            nothing = False
            self.walked += len(run[2])
            self.progress(len(run[2]), 0)
            yield run
        if nothing:
            ignored = not include_ignored and any(walk(self.trees[root], selection, self.guard, include_ignored=True))
            include = self.audience.turn_on("include_ignored")
            hidden_by = f"The matching files are ignored by .gitignore: to include them, {include}" if ignored else None
            raise NoFilesMatched(pattern=pattern, hidden_by=hidden_by or self._empty_folder(pattern))

    def _empty_folder(self, pattern: str) -> str | None:
        """Why no file matches, if the pattern is just a folder."""
        try:
            target = self.locate(pattern, folders=True)
        except SutureError:
            return None
        return f"{pattern} is a folder with no files, or only hidden ones" if _is_folder(target) else None

    def read_candidates(
        self, root: int, runs: Iterable[tuple[int, str, list[str]]], content_filter: ContentFilter
    ) -> Iterator[tuple[int, Place, bytes]]:
        """The files that may contain a match: open folder, place, content."""
        from suture.files.walk import read_candidates  # only searches need it

        above = display_path(self.trees, root, "")
        for folder, prefix, name, raw in read_candidates(self.trees[root], runs, content_filter):
            path = prefix + name
            yield folder, Place(root, path, above + path), raw

    def reopen(self, root: int, batch: Iterable[tuple[str, list[str]]]) -> Iterator[tuple[int, str, list[str]]]:
        """Reopen the folders of a walk; one that no longer exists is skipped."""
        for prefix, names in batch:
            try:
                yield self.trees[root].folder(prefix.removesuffix("/")), prefix, names
            except (FileNotFound, NotAFolder, PathOutsideWorkspace):
                continue

    def had_file(self, path: str) -> bool:
        """Whether a recorded change replaced, moved or deleted what was at a path."""
        try:
            with self.history.reading() as database:
                versions = islice(database.versions(self.locate(path).name), _MAX_CHANGES)
                return any(version.replaced_by is not None for version in versions)
        except HistoryUnavailable:
            return False

    def show(self, snapshot: Snapshot) -> None:
        """Note that a file, or a part of it, is shown to the caller, who may base a request on it."""
        if snapshot.content.size <= self.settings.max_base_bytes:
            self._shared.shown.add(snapshot.place, snapshot.content)

    def bases(self, now: Snapshot) -> Iterator[Base]:
        """The earlier versions of a file that a request may be based on, each once, likely ones first.

        They come from what was shown, the history, and git, within the limits of the settings; never an error.
        """
        bases = Bases(now, self.settings, self.remembered)
        search = bases.find_all(self._shared.shown.versions(now.place), lambda: self.history, self.trees)
        self._searches.append(search)
        return search

    def explain_change(self, error: FileChanged, planned_on: Iterable[Content] = ()) -> None:
        """Add what has changed to an error, if the expected version is known: planned on, shown, or in the history."""
        if error.expected is None or error.found is None or error.changed_lines is not None:
            return
        with suppress(SutureError):
            now = self.read(error.path)
            known = (*planned_on, *self._shared.shown.versions(now.place))
            was = next((content.bytes() for content in known if content.digest == error.expected), None)
            if was is None and self.settings.history:
                with self.history.reading() as database:
                    versions = islice(database.versions(now.place.name), _MAX_CHANGES)
                    recorded = any(version.digest == error.expected for version in versions)
                    size = database.size(error.expected) if recorded else None
                    small = size is not None and size <= self.settings.max_base_bytes
                    was = database.content(error.expected) if small else None
            if was is not None and max(len(was), now.content.size) <= self.settings.max_base_bytes:
                error.changed_lines = _changed_lines(_body(was, now.text.encoding), now.text.body)

    def attempt(self, request: int) -> int:
        """Count a refused request; returns how often it was refused. `request` is a hash of all it depends on."""
        refusals = self._shared.refusals
        number = refusals.pop(request, 0) + 1
        refusals[request] = number  # now the newest
        if len(refusals) > _MAX_REFUSALS:
            del refusals[next(iter(refusals))]
        return number

    def clipboards(self) -> dict[str, Clipboard]:
        """The clipboards of the caller's session by name, sorted; those in the history without their texts."""
        known: dict[str, Clipboard] = {}
        with suppress(HistoryUnavailable), self.history.reading() as database:
            stored = (stored for stored in database.clipboards.all() if stored.session == self.caller.id)
            known = {clipboard.clipboard.name: clipboard.clipboard for clipboard in stored}
        return dict(sorted((known | self.unsaved).items()))

    def clipboard(self, name: str) -> Clipboard | None:
        """A clipboard of the caller's session, undecodable bytes as surrogates; None if there is none of this name."""
        if name in self.unsaved or not self.settings.history:
            return self.unsaved.get(name)
        with self.history.reading() as database:
            return database.clipboards.get(self.caller.id, name)

    def forget_contents(self) -> None:
        """Free the contents that are in memory between calls, of all sessions."""
        self._shared.remembered.clear()
        for state in [*self._shared.all_states.values()]:
            state.newest = None
            state.shown.clear()

    def hold(self, change: AnyFileChange) -> AnyFileChange:
        """Count the size of a planned change, and return it. All changes of a call are in memory at the same time."""
        self._all_held += change.size - self._held.get(change.place, 0)
        self._held[change.place] = change.size  # a plan can be made twice
        size, limit = self._all_held, self.settings.max_call_bytes
        if size > limit:
            what = "What the call changes"
            raise InputTooLarge(what=what, size=size, limit=limit, setting="max_call_bytes")
        return change

    def plan_create(self, path: str, content: bytes, mode: int | None = None) -> Create:
        """Plan a new file."""
        self._check_size(path, len(content))
        target = self.locate(path)
        if target.stat is not None:
            raise FileExists(path=target.name)
        check_new_name(target)
        return self.hold(Create(target.place, Content((content,)), mode))

    def plan_write(self, path: str, content: bytes) -> FileChange:
        """Plan a file's whole content, whether it exists or not."""
        self._check_size(path, len(content))
        target = self.locate(path)
        if target.stat is None:
            return self.plan_create(path, content)
        return self.hold(Update(target.place, self.snapshot(target), Content((content,))))

    def plan_edit(self, path: str, edits: Callable[[Text], Iterable[Edit]], encoding: str | None = None) -> Update:
        """Plan the edits that a function returns for the file's text."""
        before = self.text(path, encoding)
        wanted = list(edits(before.text))
        most = self.settings.max_edits
        if len(wanted) > most:
            raise InputTooLarge(what=path, size=len(wanted), limit=most, setting="max_edits", unit="edits")
        return self.plan_update(before, wanted)

    def plan_update(self, before: Snapshot, edits: Iterable[Edit]) -> Update:
        """Plan edits of a file that was read."""
        from suture.text.edits import sort_edits, splice_ordered  # reading needs no edits

        in_order = sort_edits(edits, len(before.text.body))
        after = Content(splice_ordered(before.text, in_order))
        self._check_size(before.place.name, after.size)
        return self.hold(Update(before.place, before, after, tuple(in_order)))

    def plan_delete(self, path: str) -> Delete:
        """Plan a deletion."""
        before = self._read_itself(path)
        return self.hold(Delete(before.place, before))

    def plan_rename(self, path: str, to: str, content: bytes | None = None) -> Rename:
        """Plan a rename, optionally with new content; an existing file is never replaced."""
        before, target = self._read_itself(path), self.locate(to)
        if target.stat is not None:
            raise FileExists(path=target.name)
        check_new_name(target)
        if content is None:
            return self.hold(Rename(before.place, before, target.place))
        self._check_size(to, len(content))
        return self.hold(Rename(before.place, before, target.place, Content((content,))))

    def check_plan(self, plan: Plan) -> Plan:
        """The plan without no-ops; refused if it would change files that suture itself runs from.

        Reading those is allowed: an agent may want to read packages that are installed beside suture.
        """
        effective = plan.without_no_ops()
        for change in effective.changes if self._own_places else ():
            for place in (change.place, change.to) if isinstance(change, Rename) else (change.place,):
                self._check_own(place)
        return effective

    def _check_own(self, place: Place) -> None:
        tree = self.trees[place.root]
        real = tree.fs.real_path(tree.root).rstrip("/")
        full = f"{real}/{place.path}".casefold()  # as a file system that ignores case would
        for own in self._own_places:
            if f"{full}/".startswith(f"{own.casefold()}/") and not self.guard.allows(place.path):
                rule = f"{own.removeprefix(f'{real}/')}/**"
                raise ProtectedPath(path=place.name, rule=rule)

    def check_permitted(self, plan: Plan) -> None:
        """Refuse a plan that changes a file which this user may not write."""
        for change in self.check_plan(plan).changes:
            if isinstance(change, Update):
                tree, (folder, name) = self.trees[change.place.root], split(change.place.path)
                handle, stat = tree.folder(folder), tree.stat(change.place.path)
                renamed = stat is None or stat.links == 1
                if not tree.fs.writable(handle, name) or (renamed and not tree.fs.removable(handle, name)):
                    raise PermissionDenied(path=change.place.name, operation="write")

    def _check_size(self, path: str, size: int) -> None:
        limit = self.settings.max_file_bytes
        if size > limit:
            raise InputTooLarge(what=path, size=size, limit=limit, setting="max_file_bytes")


def _is_folder(target: Target) -> bool:
    return target.stat is not None and target.stat.kind == "folder"


def _below_root(root: str, exclude: str) -> str:
    """An exclude as a path from the root of a walk, if it is an absolute path below it."""
    from suture.files.glob import split_root

    try:
        _, relative = split_root(exclude, [root])
    except PathOutsideWorkspace:
        return exclude
    return f"/{relative}" if exclude.startswith("/") else exclude


def _body(content: bytes, encoding: str | None) -> bytes:
    """A version's text, decoded with the file's current encoding unless it has a mark."""
    text = Text.decode(content)
    if text.encoding is None:
        with suppress(EncodingMismatch):  # it had another encoding then
            text = Text.decode(content, encoding)
    return text.body


def _changed_lines(before: bytes, after: bytes) -> str | None:
    """The hunks of a diff without context, cut at a line if they are long; None if a text is binary."""
    from suture.text.diff import FileDiff, line_edits, unified  # only a failure needs it

    if b"\0" in before or b"\0" in after:
        return None
    diff = unified(FileDiff("a", "a", before, tuple(line_edits(before, after))), context=0)
    _, at, hunks = diff.partition(b"\n@@")
    shown = f"@@{hunks.decode('utf-8', 'replace')}" if at else ""
    return shown if len(shown) <= _MAX_CHANGED_CHARS else shown[: shown.rfind("\n", 0, _MAX_CHANGED_CHARS) + 1]


def _read_all(fs: FS, handle: int, size: int, limit: int) -> bytes:
    """A file's bytes, at most one more than the limit, even if the file grows meanwhile."""
    pieces: list[bytes] = []
    room, wanted = limit + 1, size + 1
    while room > 0 and (piece := fs.read(handle, min(room, max(wanted, _CHUNK_SIZE)))):
        pieces.append(piece)
        room -= len(piece)
        wanted -= len(piece)
        if wanted == 1:  # it has the expected size, and the read could have returned more
            break
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)
