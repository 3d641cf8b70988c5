"""Reading many files, most of which hold nothing of interest.

A file is read into one buffer that serves for all, with three system calls, and looked at there; only one that may
hold what is searched for is copied.
"""

from __future__ import annotations

import errno

from suture.errors import InputTooLarge
from suture.files.tree import as_ours
from suture.records import Record
from suture.text import MARKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from suture.files.tree import Tree

_BUFFER = 1 << 20
_GONE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO}
_FIRST = frozenset(mark[0] for mark in MARKS)


class Sought(Record):
    """What makes a file worth looking at."""

    glimpse: Callable[[bytearray, int], bool]
    """Whether so many first bytes of a buffer, if they are a whole file, may hold it."""
    may_hold: Callable[[bytes], bool]
    """The same by a closer look."""
    only_utf8: bool
    """Whether both may say no to a file that is not UTF-8."""
    binary_window: int
    """A NUL among so many first bytes makes a file binary; 0 is none."""
    largest: int
    """How many bytes a text file may have (the setting `max_file_bytes`)."""


def sweep(
    tree: Tree, runs: Iterable[tuple[int, str, list[str]]], sought: Sought
) -> Iterator[tuple[int, str, str, bytes]]:
    """Files that may hold what is sought: the open folder, its path, the name in it, and the content."""
    reader = _Reader(tree, sought)
    fill, buffer, glimpse, room = tree.fs.fill, reader.buffer, sought.glimpse, len(reader.buffer)
    for folder, prefix, names in runs:
        for name in names:
            try:
                size = fill(folder, name, buffer)
                if size < room and buffer[0] not in _FIRST and not glimpse(buffer, size):
                    continue
                content = reader.content(folder, prefix, name, size)
            except OSError as error:
                if error.errno in _GONE:
                    continue
                raise as_ours(error, prefix + name, "read") from error
            if content is not None:
                yield folder, prefix, name, content


class _Reader:
    """Takes a closer look at files whose beginning lies in the buffer."""

    def __init__(self, tree: Tree, sought: Sought) -> None:
        self._fs = tree.fs
        self._sought = sought
        self.buffer = bytearray(min(_BUFFER, sought.largest + 1))
        self._bytes = memoryview(self.buffer)

    def content(self, folder: int, prefix: str, name: str, size: int) -> bytes | None:
        """A file's content, or None if it does not hold what is sought."""
        sought, buffer, whole = self._sought, self.buffer, size < len(self.buffer)
        marked = buffer[0] in _FIRST and buffer.startswith(MARKS) and size > 1
        if not marked:  # else the bytes do not tell what the text is
            if whole and not sought.glimpse(buffer, size):
                return None
            if sought.binary_window and buffer.find(0, 0, min(size, sought.binary_window)) >= 0:
                return None
        content = bytes(self._bytes[:size]) if whole else self._all(folder, prefix, name)
        if marked or sought.may_hold(content) or not (sought.only_utf8 or _is_utf8(content)):
            return content
        return None

    def _all(self, folder: int, prefix: str, name: str) -> bytes:
        """A file that the buffer does not hold."""
        fs, largest = self._fs, self._sought.largest
        handle = fs.open_file(folder, name)
        try:
            pieces, size = list[bytes](), fs.fstat(handle).size
            size = size if size > largest else 0
            while size <= largest and (piece := fs.read(handle, _BUFFER)):
                pieces.append(piece)
                size += len(piece)
        finally:
            fs.close(handle)
        if size > largest:
            raise InputTooLarge(what=prefix + name, size=size, limit=largest, setting="max_file_bytes")
        return b"".join(pieces)


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True
