"""Find and read the files below a folder, many at a time.

Folders are opened relative to their parents, and links are never followed. Folders that cannot contain a selected file
are skipped: because of the pattern, the excludes, or the `.gitignore` files on the way, which count with or without
a repository, and are read as git does; so are those above the root, in a repository (`files.gitignore`).
A `.gitignore` that is a link or unreadable counts as empty. One larger than 1 MB, or with more than 20,000 stars, is
an error (git's limit is 100 MB): without its rules, too much would be selected. Folders that disappear during the walk
are skipped; a folder that may not be listed is an error.

Files are read into one shared buffer, with three system calls, and examined there. Only a file that may contain a match
is copied.
"""

from __future__ import annotations

import errno
from bisect import bisect_left

from suture.bounds import check_time
from suture.errors import InputTooLarge
from suture.files.fs import to_suture_error
from suture.files.gitignore import GITIGNORE, IgnoreReader, rules_above
from suture.files.glob import Ignore, join
from suture.files.protected import plain_ending, plain_part
from suture.records import Record
from suture.text import MARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from suture.files.fs import Tree
    from suture.files.gitignore import Rules
    from suture.files.glob import Selection, Stage
    from suture.files.protected import Guard

_MAX_OPEN_FOLDERS = 64  # folders on the current path that stay open: a process may have few handles
_FEW_NAMES = 50  # in a folder, for which the choice is cached: larger folders rarely equal another
_GONE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}

_BUFFER_SIZE = 1 << 20  # bytes; a larger file is read in several steps
_VANISHED = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO}
_MARK_STARTS = frozenset(mark[0] for mark in MARKS)


class ContentFilter(Record):
    """Decides cheaply whether a file may contain a match."""

    buffer_may_match: Callable[[bytearray, int], bool]
    """Whether the first `size` bytes of a buffer may contain a match, if they are a whole file."""
    content_may_match: Callable[[bytes], bool]
    """The same for a file's content, more precise."""
    only_utf8: bool
    """Whether both may reject files that are not UTF-8."""
    binary_window: int
    """A NUL in the first bytes, up to this number, makes a file binary; 0: never."""
    max_bytes: int
    """The largest allowed text file, in bytes (setting `max_file_bytes`)."""
    note_binary: Callable[[str], None] | None = None
    """Is called with the path of each binary file that may otherwise contain a match."""


def walk(
    tree: Tree, selection: Selection, guard: Guard, *, include_ignored: bool = False
) -> Iterator[tuple[int, str, list[str]]]:
    """The selected files in runs: an open folder, its path with a trailing slash, and names in it.

    Concatenated, the paths are sorted. A folder stays open until the next run.
    """
    walker = _Walk(tree, selection, guard, include_ignored=include_ignored)
    try:
        yield from walker.runs()
    finally:
        walker.close()


def read_candidates(
    tree: Tree, runs: Iterable[tuple[int, str, list[str]]], content_filter: ContentFilter
) -> Iterator[tuple[int, str, str, bytes]]:
    """Files that may contain a match: the open folder, its path, the name in it, and the content."""
    reader = _Reader(tree, content_filter)
    fill, buffer, buffer_may_match, room = (
        tree.fs.fill,
        reader.buffer,
        content_filter.buffer_may_match,
        len(reader.buffer),
    )
    for folder, prefix, names in runs:
        for name in names:
            try:
                size = fill(folder, name, buffer)
                if size < room and buffer[0] not in _MARK_STARTS and not buffer_may_match(buffer, size):
                    continue
                content = reader.content(folder, prefix, name, size)
            except OSError as error:
                if error.errno in _VANISHED:
                    continue
                raise to_suture_error(error, prefix + name, "read") from error
            if content is not None:
                yield folder, prefix, name, content


class _Level:
    """A folder that the walk is in. `folders` are the ones still to enter, the next one last."""

    __slots__ = ("done", "files", "folders", "handle", "ignores", "name", "prefix", "suspects", "watched")

    def __init__(self, handle: int, name: str, above: _Level | None) -> None:
        self.handle: int | None = handle
        self.name = name
        self.prefix: str = f"{above.prefix}{name}/" if above else ""
        self.ignores: Rules = above.ignores if above else ()
        """The rules that apply."""
        self.watched: bool = above is not None and (above.watched or name in above.suspects)
        """Whether a folder on the path may be protected."""
        self.suspects: set[str] = set()
        self.files: list[str] = []
        self.done = 0
        self.folders: list[tuple[str, Stage]] = []


class _Walk:
    """One walk. Of the folders on the current path, the root and the last few are open, so that depth is unlimited."""

    def __init__(self, tree: Tree, selection: Selection, guard: Guard, *, include_ignored: bool) -> None:
        self._tree = tree
        self._fs = tree.fs
        self._selection = selection
        self._depth = len(selection.base.split("/")) if selection.base else 0
        self._guard = guard
        self._suspects = _Suspects(guard)
        self._include_ignored = include_ignored
        self._ignore_reader = IgnoreReader(tree.fs)
        self._levels: list[_Level] = []
        self._choices: dict[object, tuple[list[str], list[tuple[str, Stage]]]] = {}

    def close(self) -> None:
        """Close every folder."""
        for level in self._levels:
            self._close_level(level)

    def runs(self) -> Iterator[tuple[int, str, list[str]]]:
        """As `walk`."""
        self._enter(self._tree.folder(""), "", self._selection.start)
        levels = self._levels
        while levels:
            level = levels[-1]
            if not level.folders and level.done == len(level.files):
                self._close_level(levels.pop())
                continue
            handle = level.handle if level.handle is not None else self._reopen()
            if handle is None:
                continue
            key, stage = level.folders.pop() if level.folders else ("", None)
            cut = bisect_left(level.files, key, level.done) if key else len(level.files)
            if cut > level.done:
                yield handle, level.prefix, level.files[level.done : cut]
                level.done = cut
            if stage is not None:
                self._enter(handle, key[:-1], stage)

    def _enter(self, folder: int, name: str, stage: Stage) -> None:
        """Enter a folder, unless it no longer exists."""
        levels = self._levels
        above = levels[-1] if levels else None
        check_time()
        try:
            handle, files, folders = self._fs.scan(folder, name)
        except OSError as error:
            if above and error.errno in _GONE:
                return
            raise to_suture_error(error, f"{above.prefix}{name}" if above else ".", "read") from error
        level = _Level(handle, name, above)
        levels.append(level)
        if len(levels) > _MAX_OPEN_FOLDERS + 1:
            self._close_level(levels[-_MAX_OPEN_FOLDERS - 1])
        if not self._include_ignored:
            if above is None:
                level.ignores = rules_above(self._tree)
            if GITIGNORE in files:
                level.ignores += self._read_ignore(level)
        self._choose(level, stage, files, folders)

    def _choose(self, level: _Level, stage: Stage, files: list[str], folders: list[str]) -> None:
        """Choose the selected files of a folder, and the folders to enter.

        Many folders contain the same names. If only names matter, the choice is the same for all of them, and cached.
        """
        key = self._choice_key(level, stage, files, folders)
        cached = None if key is None else self._choices.get(key)
        if cached is not None:
            level.files, level.folders = cached[0], cached[1].copy()
            return
        self._filter(level, stage, files, folders)
        if key is not None and not level.suspects:
            self._choices[key] = level.files, level.folders.copy()

    def _choice_key(self, level: _Level, stage: Stage, files: list[str], folders: list[str]) -> object:
        """A key that is equal for folders with the same choice; None if the folder's path matters."""
        path_matters = len(self._levels) <= self._depth or level.watched or not self._selection.excluded.by_name
        if path_matters or len(files) + len(folders) > _FEW_NAMES:
            return None
        if not all(ignore.by_name(level.prefix[skip:]) for skip, ignore in level.ignores):
            return None
        return stage, level.ignores, join(sorted(files)), join(sorted(folders))

    def _filter(self, level: _Level, stage: Stage, files: list[str], folders: list[str]) -> None:
        """As `_choose`, without the cache."""
        files = stage.files(files)
        stages = {name: below for name in folders if (below := stage.below(name)) is not None}
        excluded = self._selection.excluded
        if not excluded.nothing:
            files = _without(files, excluded.files(files, level.prefix))
            stages = {name: stages[name] for name in _without(stages, excluded.folders(stages, level.prefix))}
        names = [*files, *stages]
        if not names:
            return
        joined = join(names)
        relevant = [
            (ignore, prefix)
            for skip, ignore in level.ignores
            if ignore.matches_any(names, prefix := level.prefix[skip:], joined)
        ]
        if relevant:
            files = drop_ignored(files, [(ignore.files, prefix) for ignore, prefix in relevant])
            if len(self._levels) > self._depth:  # otherwise the pattern names the folder itself
                left = drop_ignored(stages, [(ignore.folders, prefix) for ignore, prefix in relevant])
                stages = {name: stages[name] for name in left}
        level.suspects = self._suspects.among(names, joined)
        if level.watched or level.suspects:
            files = [name for name in files if not self._is_protected(level, name)]
        files.sort()
        level.files = files
        level.folders = [(f"{name}/", below) for name, below in stages.items()]
        level.folders.sort(key=_level_key, reverse=True)

    def _is_protected(self, level: _Level, name: str) -> bool:
        is_suspect = level.watched or name in level.suspects
        return is_suspect and self._guard.rule(level.prefix + name) is not None

    def _read_ignore(self, level: _Level) -> Rules:
        """The rules of the `.gitignore` in a folder; none if it cannot be read."""
        data = self._ignore_reader.read(level.handle or 0, GITIGNORE, level.prefix + GITIGNORE)
        return () if data is None else ((len(level.prefix), Ignore(data)),)

    def _close_level(self, level: _Level) -> None:
        if level.handle is not None:
            self._tree.close_quietly(level.handle)
            level.handle = None

    def _reopen(self) -> int | None:
        """Reopen the innermost folders, from the root down; None if one no longer exists."""
        levels = self._levels
        handle = levels[0].handle
        for index in range(1, len(levels)):
            level = levels[index]
            try:
                level.handle = handle = self._fs.open_folder(handle or 0, level.name)
            except OSError as error:
                if error.errno not in _GONE:
                    raise to_suture_error(error, level.prefix[:-1], "read") from error
                del levels[index:]
                return None
            if 0 < index - 1 < len(levels) - _MAX_OPEN_FOLDERS:
                self._close_level(levels[index - 1])
        return handle


def _without(names: Iterable[str], dropped: set[str]) -> list[str]:
    return [name for name in names if name not in dropped]


def drop_ignored(
    names: Collection[str], checks: list[tuple[Callable[[Collection[str], str], tuple[set[str], set[str]]], str]]
) -> list[str]:
    """The names that are not ignored, by the rules of each `.gitignore`: the last rule that matches a name decides."""
    all_ignored: set[str] = set()
    rest = names
    for check, prefix in reversed(checks):
        ignored, kept = check(rest, prefix)
        all_ignored |= ignored
        rest = _without(rest, ignored | kept)
    return _without(names, all_ignored)


def _level_key(pair: tuple[str, Stage]) -> str:
    return pair[0]


class _Suspects:
    """Finds names that may make a path protected, to ask the guard about few paths: it takes 3 µs for each.

    A name is a suspect if it occurs in a pattern, or starts or ends like one with a wildcard, ignoring case and
    trailing dots; or if it is not ASCII, because the guard folds such names in many ways.
    """

    def __init__(self, guard: Guard) -> None:
        names = guard.key_names()
        self._exact = {name for name in names if plain_part(name) == name}
        self._endings = tuple(filter(None, map(plain_ending, names)))
        self._beginnings = tuple(
            plain_part(name) for name in names if name not in self._exact and not plain_ending(name)
        )
        shown = {"." if mark.startswith(".") else mark for mark in (*self._exact, *self._beginnings)}
        self._marks = [*(f"\0{mark}" for mark in shown), *self._endings]

    def among(self, names: Iterable[str], joined: str) -> set[str]:
        """The suspects among the names. Most folders have none, which a search in the joined names shows."""
        if joined.isascii():
            folded = joined.lower()
            for mark in self._marks:
                if mark in folded:
                    break
            else:
                return set()
        return {name for name in names if not name.isascii() or self._is_suspect(name.lower().rstrip(". "))}

    def _is_suspect(self, name: str) -> bool:
        return name in self._exact or name.startswith(self._beginnings) or name.endswith(self._endings)


class _Reader:
    """Examines files whose beginning is in the buffer."""

    def __init__(self, tree: Tree, content_filter: ContentFilter) -> None:
        self._fs = tree.fs
        self._sought = content_filter
        self.buffer = bytearray(min(_BUFFER_SIZE, content_filter.max_bytes + 1))
        self._bytes = memoryview(self.buffer)

    def content(self, folder: int, prefix: str, name: str, size: int) -> bytes | None:
        """A file's content, or None if it does not contain a match."""
        content_filter, buffer, whole = self._sought, self.buffer, size < len(self.buffer)
        marked = buffer[0] in _MARK_STARTS and buffer.startswith(MARKS) and size > 1
        if not marked:  # otherwise the text is in another encoding than its bytes suggest
            if whole and not content_filter.buffer_may_match(buffer, size):
                return None
            if content_filter.binary_window and buffer.find(0, 0, min(size, content_filter.binary_window)) >= 0:
                if content_filter.note_binary is not None:
                    content_filter.note_binary(prefix + name)
                return None
        content = bytes(self._bytes[:size]) if whole else self._read_large(folder, prefix, name)
        if marked or content_filter.content_may_match(content) or not (content_filter.only_utf8 or _is_utf8(content)):
            return content
        return None

    def _read_large(self, folder: int, prefix: str, name: str) -> bytes:
        """A file that is larger than the buffer."""
        fs, max_bytes = self._fs, self._sought.max_bytes
        handle = fs.open_file(folder, name)
        try:
            pieces, size = list[bytes](), fs.fstat(handle).size
            size = size if size > max_bytes else 0
            while size <= max_bytes and (piece := fs.read(handle, _BUFFER_SIZE)):
                pieces.append(piece)
                size += len(piece)
        finally:
            fs.close(handle)
        if size > max_bytes:
            raise InputTooLarge(what=prefix + name, size=size, limit=max_bytes, setting="max_file_bytes")
        return b"".join(pieces)


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
