"""The `.gitignore` files that a walk reads, those above its root, and a repository's own excludes.

If the root is in a repository, the `.gitignore` files of the folders above it count too, up to the repository's top,
and `info/exclude`, where git keeps rules that are not committed. The top is found as `files.root` finds it, within the
same bounds. As in git, a rule decides over those in files above it, and `info/exclude` is above all.

A folder that is ignored as a whole can still be the root: somebody asked for it. Each name in it is compared with the
rules, as ripgrep does: `build/` hides nothing in `build`, but `*.log` does.

Not read: the user's own core.excludesFile, so that results are the same for everybody.
"""

from __future__ import annotations

import os

from suture import log
from suture.errors import InputTooLarge
from suture.files.glob import Ignore
from suture.files.local_fs import LocalFS
from suture.files.root import GIT, find_top

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from suture.files.fs import FS, Tree

    Rules = tuple[tuple[int, Ignore], ...]
    """Rules, each with the length of their folder's path from the root on, with a slash. The last ones decide."""

GITIGNORE = ".gitignore"
_MAX_BYTES = 1 << 20  # of a .gitignore: bounds the time
_MAX_STARS = 20_000  # in a .gitignore: each makes a pattern slower
_FIRST_READ_SIZE = 1 << 14  # bytes; most .gitignore files are smaller


class IgnoreReader:
    """Reads files of rules; one that is a link or unreadable counts as missing, one that is too large is an error."""

    def __init__(self, fs: FS) -> None:
        self._fs = fs
        self._buffer = bytearray(_FIRST_READ_SIZE)

    def read(self, folder: int, name: str, path: str) -> bytes | None:
        """The rules in an open folder; `path` names their file."""
        try:
            count = self._fs.fill(folder, name, self._buffer)
            if count == len(self._buffer) < _MAX_BYTES:
                self._buffer = bytearray(_MAX_BYTES + 1)
                count = self._fs.fill(folder, name, self._buffer)
        except OSError as error:
            log.debug("gitignore", "%s: %s", path, error)
            return None
        data = bytes(self._buffer[:count])
        _check_size(path, data)
        return data


def require_rules(fs: FS, folder: int, prefix: str) -> Rules:
    """The rules of the `.gitignore` in a folder, none if there is none; OSError if it cannot be read."""
    data, _ = fs.read_stamped(folder, GITIGNORE, _MAX_BYTES + 1)
    _check_size(prefix + GITIGNORE, data)
    return ((len(prefix), Ignore(data)),)


def _check_size(path: str, data: bytes) -> None:
    for unit, size, limit in (("bytes", len(data), _MAX_BYTES), ("stars", data.count(b"*"), _MAX_STARS)):
        if size > limit:
            raise InputTooLarge(what=path, size=size, limit=limit, setting="", unit=unit)


class _IgnoreAbove(Ignore):
    """The rules of a folder above the root; `lead` is the path from there to the root, with a slash."""

    def __init__(self, data: bytes, lead: str) -> None:
        super().__init__(data)
        self._lead = lead

    def matches_any(self, names: Collection[str], prefix: str, joined: str) -> bool:
        return super().matches_any(names, self._lead + prefix, joined)

    def by_name(self, prefix: str) -> bool:
        return super().by_name(self._lead + prefix)

    def files(self, names: Collection[str], prefix: str) -> tuple[set[str], set[str]]:
        return super().files(names, self._lead + prefix)

    def folders(self, names: Collection[str], prefix: str) -> tuple[set[str], set[str]]:
        return super().folders(names, self._lead + prefix)


def rules_above(tree: Tree) -> Rules:
    """The rules of a root's repository that are not in the root itself."""
    if not isinstance(tree.fs, LocalFS):
        return ()
    root = os.path.realpath(tree.root)
    top = find_top(root)
    if top is None:
        return ()
    files = [*([_exclude_file(top.path)] if top.reason == GIT else []), *_files_above(top.path, root)]
    reader, rules = IgnoreReader(tree.fs), list[tuple[int, Ignore]]()
    for folder, name, start in files:
        try:
            handle = tree.fs.open_root(folder)
        except OSError:
            continue
        try:
            data = reader.read(handle, name, f"{folder}/{name}")
        finally:
            tree.close_quietly(handle)
        if data:
            lead = root[len(start) :].lstrip("/")
            rules.append((0, _IgnoreAbove(data, f"{lead}/") if lead else Ignore(data)))
    return tuple(rules)


def _exclude_file(top: str) -> tuple[str, str, str]:
    """The folder and the name of a repository's excludes, and the folder that they are relative to."""
    git = f"{top}/.git"
    if not os.path.isdir(git):
        from suture.files.git import common_folder  # worktrees and submodules are rarer

        git = common_folder(git) or git
    return f"{git}/info", "exclude", top


def _files_above(top: str, root: str) -> Iterator[tuple[str, str, str]]:
    """The same for each `.gitignore` from the top down, without that of the root."""
    folder = top
    while folder != root:
        yield folder, GITIGNORE, folder
        folder = os.path.join(folder, root[len(folder) :].lstrip("/").partition("/")[0])
