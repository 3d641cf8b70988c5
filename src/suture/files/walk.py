"""Find and read the files below a folder, many at a time.

Folders are opened inside folders, links never followed. A folder that no selected file can be in is not entered: by the
pattern's names, the excludes, and the `.gitignore` files on the way, as git reads them, in a repository or not.
A `.gitignore` that is a link or cannot be read counts as empty; one that is larger than 1 MB or has more than 20,000
stars is an error (git draws the line at 100 MB): without its rules, too much would be selected. Folders that vanish
meanwhile are skipped; one that may not be listed is an error.

A file is read into one buffer that serves for all, with three system calls, and looked at there; only one that may
hold what is searched for is copied.
"""

from __future__ import annotations

import errno
from bisect import bisect_left

from suture import log
from suture.bounds import check_time
from suture.errors import InputTooLarge
from suture.files.fs import to_suture_error
from suture.files.glob import Ignore, join
from suture.files.protected import plain_ending, plain_part
from suture.records import Record
from suture.text import MARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator

    from suture.files.fs import Tree
    from suture.files.glob import Selection, Stage
    from suture.files.protected import Guard

GITIGNORE = ".gitignore"
_LARGEST_IGNORE = 1 << 20  # bytes of a .gitignore
_MOST_STARS = 20_000  # in a .gitignore
_FIRST_READ_SIZE = 1 << 14  # bytes; most .gitignore files are smaller
_MOST_OPEN = 64  # folders on the way down that are kept open
_FEW_NAMES = 50  # names in a folder that others may have as well
_GONE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP}

_BUFFER_SIZE = 1 << 20  # bytes that are read at once; a larger file is read in several steps
_VANISHED = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO}
_MARK_STARTS = frozenset(mark[0] for mark in MARKS)


class ContentFilter(Record):
    """What makes a file worth looking at."""

    buffer_may_match: Callable[[bytearray, int], bool]
    """Whether so many first bytes of a buffer, if they are a whole file, may hold it."""
    content_may_match: Callable[[bytes], bool]
    """The same by a closer look."""
    only_utf8: bool
    """Whether both may say no to a file that is not UTF-8."""
    binary_window: int
    """A NUL among so many first bytes makes a file binary; 0 is none."""
    max_bytes: int
    """How many bytes a text file may have (the setting `max_file_bytes`)."""


def walk(
    tree: Tree, selection: Selection, guard: Guard, *, include_ignored: bool = False
) -> Iterator[tuple[int, str, list[str]]]:
    """The selected files in runs: an open folder, its path with a slash at its end, and names in it.

    Concatenated, the paths are sorted. A folder is open until the walk goes on.
    """
    walker = _Walk(tree, selection, guard, include_ignored=include_ignored)
    try:
        yield from walker.runs()
    finally:
        walker.close()


def read_candidates(
    tree: Tree, runs: Iterable[tuple[int, str, list[str]]], content_filter: ContentFilter
) -> Iterator[tuple[int, str, str, bytes]]:
    """Files that may hold what is sought: the open folder, its path, the name in it, and the content."""
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
    """A folder that the walk is in. `folders` are those still to enter, the next one last."""

    __slots__ = ("done", "files", "folders", "handle", "ignores", "name", "prefix", "suspects", "watched")

    def __init__(self, handle: int, name: str, above: _Level | None) -> None:
        self.handle: int | None = handle
        self.name = name
        self.prefix: str = f"{above.prefix}{name}/" if above else ""
        self.ignores: tuple[tuple[int, Ignore], ...] = above.ignores if above else ()
        """Each with the length of its folder's prefix."""
        self.watched: bool = above is not None and (above.watched or name in above.suspects)
        """Whether a folder on the way may be protected."""
        self.suspects: set[str] = set()
        self.files: list[str] = []
        self.done = 0
        self.folders: list[tuple[str, Stage]] = []


class _Walk:
    """One walk. The folders it is in are open: the root and the last few, so that no depth is too much."""

    def __init__(self, tree: Tree, selection: Selection, guard: Guard, *, include_ignored: bool) -> None:
        self._tree = tree
        self._fs = tree.fs
        self._selection = selection
        self._depth = len(selection.base.split("/")) if selection.base else 0
        self._guard = guard
        self._suspects = _Suspects(guard)
        self._include_ignored = include_ignored
        self._buffer = bytearray(_FIRST_READ_SIZE)
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
        """Go into a folder, unless it is gone."""
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
        if len(levels) > _MOST_OPEN + 1:
            self._close_level(levels[-_MOST_OPEN - 1])
        if not self._include_ignored and GITIGNORE in files:
            level.ignores += self._read_ignore(level)
        self._choose(level, stage, files, folders)

    def _choose(self, level: _Level, stage: Stage, files: list[str], folders: list[str]) -> None:
        """Settle which files of a folder are selected, and which folders may hold some.

        Folders with the same names in them are many; where only names count, the answer is the same.
        """
        key = self._choice_key(level, stage, files, folders)
        known = None if key is None else self._choices.get(key)
        if known is not None:
            level.files, level.folders = known[0], known[1].copy()
            return
        self._filter(level, stage, files, folders)
        if key is not None and not level.suspects:
            self._choices[key] = level.files, level.folders.copy()

    def _choice_key(self, level: _Level, stage: Stage, files: list[str], folders: list[str]) -> object:
        """What folders have in common for which the same is chosen; None where the place of a folder counts."""
        here = len(self._levels) <= self._depth or level.watched or not self._selection.excluded.by_name
        if here or len(files) + len(folders) > _FEW_NAMES:
            return None
        if not all(ignore.by_name(level.prefix[skip:]) for skip, ignore in level.ignores):
            return None
        return stage, level.ignores, join(sorted(files)), join(sorted(folders))

    def _filter(self, level: _Level, stage: Stage, files: list[str], folders: list[str]) -> None:
        """As `_choose`, for a folder whose like was not seen yet."""
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
            files = _not_ignored(files, [(ignore.files, prefix) for ignore, prefix in relevant])
            if len(self._levels) > self._depth:  # else the pattern itself names the folder
                left = _not_ignored(stages, [(ignore.folders, prefix) for ignore, prefix in relevant])
                stages = {name: stages[name] for name in left}
        level.suspects = self._suspects.among(names, joined)
        if level.watched or level.suspects:
            files = [name for name in files if not self._protected(level, name)]
        files.sort()
        level.files = files
        level.folders = [(f"{name}/", below) for name, below in stages.items()]
        level.folders.sort(key=_level_key, reverse=True)

    def _protected(self, level: _Level, name: str) -> bool:
        asked = level.watched or name in level.suspects
        return asked and self._guard.rule(level.prefix + name) is not None

    def _read_ignore(self, level: _Level) -> tuple[tuple[int, Ignore], ...]:
        """The rules of the `.gitignore` in a folder, if they count."""
        path = level.prefix + GITIGNORE
        try:
            data = self._read(level.handle or 0)
        except OSError as error:
            log.debug("walk", "%s: %s", path, error)
            return ()
        for unit, size, limit in (("bytes", len(data), _LARGEST_IGNORE), ("stars", data.count(b"*"), _MOST_STARS)):
            if size > limit:
                raise InputTooLarge(what=path, size=size, limit=limit, setting="", unit=unit)
        return ((len(level.prefix), Ignore(data)),)

    def _read(self, folder: int) -> bytes:
        count = self._fs.fill(folder, GITIGNORE, self._buffer)
        if count == len(self._buffer) < _LARGEST_IGNORE:
            self._buffer = bytearray(_LARGEST_IGNORE + 1)
            count = self._fs.fill(folder, GITIGNORE, self._buffer)
        return bytes(self._buffer[:count])

    def _close_level(self, level: _Level) -> None:
        if level.handle is not None:
            self._tree.close_quietly(level.handle)
            level.handle = None

    def _reopen(self) -> int | None:
        """Open the innermost folders again, from the root down; None if one is gone, with what was in it."""
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
            if 0 < index - 1 < len(levels) - _MOST_OPEN:
                self._close_level(levels[index - 1])
        return handle


def _without(names: Iterable[str], gone: set[str]) -> list[str]:
    return [name for name in names if name not in gone]


def _not_ignored(
    names: Collection[str], asked: list[tuple[Callable[[Collection[str], str], tuple[set[str], set[str]]], str]]
) -> list[str]:
    """The names that are not ignored: of the rules about one, the last decides."""
    gone: set[str] = set()
    rest = names
    for ask, prefix in reversed(asked):
        ignored, kept = ask(rest, prefix)
        gone |= ignored
        rest = _without(rest, ignored | kept)
    return _without(names, gone)


def _level_key(pair: tuple[str, Stage]) -> str:
    return pair[0]


class _Suspects:
    """The names without which no path is protected, and few others: asking the guard costs 3 µs a path.

    A name counts if a pattern has it, or if it begins or ends as one does around a wildcard, case and trailing dots
    overlooked, or if it has characters beyond ASCII, which the guard reads in many ways.
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
        """Those of the names; most folders have none, which is seen from all of them joined."""
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
    """Takes a closer look at files whose beginning lies in the buffer."""

    def __init__(self, tree: Tree, content_filter: ContentFilter) -> None:
        self._fs = tree.fs
        self._sought = content_filter
        self.buffer = bytearray(min(_BUFFER_SIZE, content_filter.max_bytes + 1))
        self._bytes = memoryview(self.buffer)

    def content(self, folder: int, prefix: str, name: str, size: int) -> bytes | None:
        """A file's content, or None if it does not hold what is sought."""
        content_filter, buffer, whole = self._sought, self.buffer, size < len(self.buffer)
        marked = buffer[0] in _MARK_STARTS and buffer.startswith(MARKS) and size > 1
        if not marked:  # else the bytes do not tell what the text is
            if whole and not content_filter.buffer_may_match(buffer, size):
                return None
            if content_filter.binary_window and buffer.find(0, 0, min(size, content_filter.binary_window)) >= 0:
                return None
        content = bytes(self._bytes[:size]) if whole else self._read_large(folder, prefix, name)
        if marked or content_filter.content_may_match(content) or not (content_filter.only_utf8 or _is_utf8(content)):
            return content
        return None

    def _read_large(self, folder: int, prefix: str, name: str) -> bytes:
        """A file that the buffer does not hold."""
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
