"""What a git repository says about its worktree: which files are tracked, and which operation is in progress.

Only the repository's files are read, as in `files.git`, and a repository is used only if it belongs here.

Not supported: a split index; the entries of its shared part count as not tracked.
"""

from __future__ import annotations

import os

from suture import log
from suture.files.git import SHA1, SHA256, configuration_value, contents, distance, own_link, shared_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MAX_INDEX_BYTES = 256_000_000  # a million files
_MAX_CONFIGURATION_BYTES = 1 << 20
_ENTRY_HEAD_SIZE = 40  # bytes of an entry before the object's name
_HEADER_SIZE = 12
_REGULAR_FILE = 0o100  # the upper bits of a regular file's mode
_LONG_NAME = 0xFFF
_PREFIXED = 4  # the version whose names are stored as differences
_OPERATIONS = (
    ("rebase-merge", "rebase"),
    ("rebase-apply/applying", "am"),
    ("rebase-apply", "rebase"),
    ("MERGE_HEAD", "merge"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("sequencer", "cherry-pick"),  # or revert: between two commits of several
)
"""Files and folders that exist while git is in the middle of an operation."""


def operation(folder: str, roots: Sequence[str]) -> str | None:
    """The operation that the repository of a folder is in the middle of; None if in none, or without a repository."""
    git = own_link(folder, roots)
    if git is None:
        return None
    return next((name for file, name in _OPERATIONS if os.path.lexists(f"{git[1]}/{file}")), None)


def tracked_files(folder: str, roots: Sequence[str]) -> list[str]:
    """The paths, from this folder, of the files that its repository's index tracks; below this folder only."""
    git = own_link(folder, roots)
    if git is None:
        return []
    above = os.path.relpath(folder, os.path.dirname(git[0]))
    start = b"" if above == "." else os.fsencode(above) + b"/"
    raw = contents(f"{git[1]}/index", _MAX_INDEX_BYTES) or b""
    try:
        return [os.fsdecode(path[len(start) :]) for path in _paths(raw, _name_width(git[1])) if path.startswith(start)]
    except (IndexError, ValueError):
        log.debug("git", "%s/index is damaged", git[1])
        return []


def _name_width(git: str) -> int:
    """The length of an object's name in bytes."""
    written = contents(f"{shared_folder(git)}/config", _MAX_CONFIGURATION_BYTES) or b""
    kind = configuration_value(written, b"objectformat") or b"sha1"
    return SHA256 if kind.lower() == b"sha256" else SHA1


def _paths(raw: bytes, width: int) -> Iterator[bytes]:
    """The paths of the regular files in an index."""
    version, many = int.from_bytes(raw[4:8], "big"), int.from_bytes(raw[8:12], "big")
    if not raw.startswith(b"DIRC") or version not in {2, 3, _PREFIXED}:
        return
    at, name, fixed = _HEADER_SIZE, b"", _ENTRY_HEAD_SIZE + width + 2
    for _ in range(many):
        flags = raw[at + fixed - 2] << 8 | raw[at + fixed - 1]
        start = at + fixed + (2 if flags & 0x4000 else 0)
        if version == _PREFIXED:
            strip, start = distance(raw, start)
            end = raw.index(b"\0", start)
            name = name[: len(name) - strip] + raw[start:end]
            following = end + 1
        else:
            length = flags & _LONG_NAME
            end = start + length if length < _LONG_NAME else raw.index(b"\0", start)
            name = raw[start:end]
            following = at + (end - at + 8 & ~7)
        if (raw[at + 26] << 8 | raw[at + 27]) >> 9 == _REGULAR_FILE:
            yield name
        at = following
