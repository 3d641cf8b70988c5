"""Reading many files, most of which hold nothing of interest.

A file is read into one buffer that serves for all, with three system calls, and looked at there; only one that may
hold what is searched for is copied.
"""

from __future__ import annotations

import errno

from suture.errors import InputTooLarge
from suture.files.tree import as_ours
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from suture.files.tree import Tree

_BUFFER = 1 << 20
_GONE = {errno.ENOENT, errno.ENOTDIR, errno.ELOOP, errno.ENXIO}
_MARKED = frozenset(b"\xfe\xff\x00")
"""How UTF-16 and UTF-32 may begin: then nothing can be told from the bytes."""


class Sought(Record):
    """What makes a file worth looking at."""

    literal: bytes
    """It must stand in the file, unless that is written in other than UTF-8."""
    binary_window: int
    """A NUL among so many first bytes makes a file binary; 0 is none."""
    largest: int
    """How many bytes a text file may have (the setting `max_file_bytes`)."""


def sweep(
    tree: Tree, runs: Iterable[tuple[int, str, list[str]]], sought: Sought
) -> Iterator[tuple[int, str, str, bytes]]:
    """Files that may hold what is sought: the open folder, its path, the name in it, and the content."""
    buffer = bytearray(min(_BUFFER, sought.largest + 1))
    room, fill, window, literal = len(buffer), tree.fs.fill, sought.binary_window, sought.literal
    whole = memoryview(buffer)
    for folder, prefix, names in runs:
        for name in names:
            try:
                size = fill(folder, name, buffer)
            except OSError as error:
                if error.errno in _GONE:
                    continue
                raise as_ours(error, prefix + name, "read") from error
            if not size or buffer[0] not in _MARKED:
                if buffer.find(literal, 0, size) < 0 and size < room:
                    continue
                if window > 0 and buffer.find(0, 0, min(size, window)) >= 0:
                    continue
            if size < room:
                yield folder, prefix, name, bytes(whole[:size])
                continue
            content = _all(tree, folder, prefix + name, name, sought.largest)
            if literal in content or content[0] in _MARKED:
                yield folder, prefix, name, content


def _all(tree: Tree, folder: int, path: str, name: str, largest: int) -> bytes:
    """A file that the buffer does not hold."""
    try:
        handle = tree.fs.open_file(folder, name)
        try:
            pieces, size = list[bytes](), 0
            while size <= largest and (piece := tree.fs.read(handle, _BUFFER)):
                pieces.append(piece)
                size += len(piece)
        finally:
            tree.let_go(handle)
    except OSError as error:
        raise as_ours(error, path, "read") from error
    if size > largest:
        raise InputTooLarge(what=path, size=size, limit=largest, setting="max_file_bytes")
    return b"".join(pieces)
