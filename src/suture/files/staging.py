"""The folder `.suture/` in a root: the intent and the temporary files of a transaction, which git does not show.

    .suture/.gitignore    `*`: created first, deleted last
    .suture/intent        in the workspace root only
    .suture/<change>-<root>-<n>.new, .old

It exists only while a transaction runs, or after a crash until the next call. It is private, because a file in it can
be one that only the folder of its target protects. A `.gitignore` that exists without its content would already be
shown by git, so it appears together with it; where the system cannot do that, it is written under the name `.git`,
which git skips in every folder, and renamed.

Anything at this name that suture cannot have left is somebody else's and is not touched. The intent and the temporary
files are beside the files then, with names that begin with `.suture-`.

Rejected: see docs/adr/0033.
"""

from __future__ import annotations

from contextlib import suppress

from suture import log
from suture.errors import SutureError
from suture.files.fs import split
from suture.files.paths import INTENT_NAME
from suture.files.protected import OWN_FOLDER, OWN_PREFIX

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.files.fs import Tree

_MODE = 0o700
_SHARED_BITS = 0o077  # a folder with one of these was not made here
_FILE_MODE = 0o600
_IGNORE = ".gitignore"
_UNFINISHED = ".git"
_EVERYTHING = b"*\n"
_LETTERS = frozenset("0123456789abcdefghijklmnopqrstuvwxyz-")
_ENDINGS = (".new", ".old", ".new-probe")


class StagingFolders:
    """The staging folders of one transaction, at most one in each root."""

    def __init__(self, trees: Sequence[Tree]) -> None:
        self._trees = trees
        self._made: dict[int, bool | None] = {}
        """Whether the folder in a root is new; None: it cannot be used."""
        self._devices: dict[int, int | None] = {}
        self._inherited: dict[tuple[int, str], tuple[object, ...]] = {}

    def make(self, root: int) -> bool:
        """Create the folder in a root, unless that was done; False if something else is there.

        Only in the first root is an error one: the intent has to be written there.
        """
        if root not in self._made:
            try:
                self._made[root] = _make(self._trees[root])
            except (OSError, SutureError):
                if not root:
                    raise
                self._made[root] = None
        return self._made[root] is not None

    def is_like(self, root: int, folder: str, device: int, *, is_new: bool) -> bool:
        """Whether files here can replace those in this folder; `is_new` ones get their owner, group and ACL there."""
        if root not in self._devices:
            stat = self._trees[root].stat(OWN_FOLDER)
            self._devices[root] = None if stat is None else stat.device
        if self._devices[root] != device:
            return False
        return not is_new or self._inherited_from(root, OWN_FOLDER) == self._inherited_from(root, folder)

    def remove(self) -> None:
        """Remove the folders, unless they contain something. An error leaves them, which harms nothing."""
        for root, made in self._made.items():
            if made is not None:
                remove(self._trees[root], check=not made)
        self._made.clear()

    def _inherited_from(self, root: int, folder: str) -> tuple[object, ...]:
        key = root, folder
        if key not in self._inherited:
            self._inherited[key] = self._trees[root].fs.inherited(self._trees[root].folder(folder))
        return self._inherited[key]


def remove(tree: Tree, *, check: bool = True) -> None:
    """Remove the staging folder of a root if nothing else is in it. With `check`, somebody else's stays as it is."""
    try:
        if not check:
            names = [_IGNORE]
        elif not _is_own(tree) or not {_IGNORE, _UNFINISHED}.issuperset(names := tree.names(OWN_FOLDER)):
            return
        for name in names:
            with suppress(FileNotFoundError):
                tree.unlink(f"{OWN_FOLDER}/{name}")
        tree.rmdir(OWN_FOLDER)
    except (OSError, SutureError) as error:
        log.debug("staging", "%s/%s stays: %s", tree.root, OWN_FOLDER, error)


def move_beside(path: str, staged: str | None) -> str | None:
    """The name of a staged file if it is beside its target instead."""
    if staged is None:
        return None
    folder, name = split(path)[0], OWN_PREFIX + split(staged)[1]
    return f"{folder}/{name}" if folder else name


def is_staged(path: str | None) -> bool:
    """Whether a temporary file is in a staging folder."""
    return path is not None and split(path)[0] == OWN_FOLDER


def _make(tree: Tree) -> bool | None:
    """Whether the folder is new; None if it is somebody else's."""
    try:
        tree.mkdir(OWN_FOLDER, _MODE)
    except FileExistsError:
        if not _is_own(tree):
            return None
        is_new = False
    else:
        is_new = True
    try:
        if is_new or not _is_ignored(tree):
            _write_ignore(tree)
    except BaseException:
        remove(tree)
        raise
    return is_new


def _is_own(tree: Tree) -> bool:
    """Whether what is at the name is a folder as suture leaves it: private, and with suture's files only."""
    stat = tree.stat(OWN_FOLDER)
    if stat is None or stat.kind != "folder" or stat.mode & _SHARED_BITS:
        return False
    names = tree.names(OWN_FOLDER)
    known = {_IGNORE, _UNFINISHED, split(INTENT_NAME)[1]}
    if not all(name in known or _is_temporary(name) for name in names):
        return False
    return all(_is_our_text(tree, f"{OWN_FOLDER}/{name}") for name in (_IGNORE, _UNFINISHED) if name in names)


def _is_temporary(name: str) -> bool:
    ending = next((ending for ending in _ENDINGS if name.endswith(ending)), None)
    return ending is not None and _LETTERS.issuperset(name.removesuffix(ending))


def _is_our_text(tree: Tree, path: str) -> bool:
    """Whether a file contains what `.gitignore` does, or what a crash left of that."""
    stat = tree.stat(path)
    if stat is None or stat.kind != "file" or stat.size > len(_EVERYTHING):
        return False
    content = b"".join(tree.chunks(path))
    return _EVERYTHING.startswith(content.rstrip(b"\0"))


def _is_ignored(tree: Tree) -> bool:
    """Whether the folder has a complete `.gitignore`; remove what is not."""
    path = f"{OWN_FOLDER}/{_IGNORE}"
    if tree.stat(path) is None:
        return False
    if b"".join(tree.chunks(path)) == _EVERYTHING:
        return True
    tree.unlink(path)
    return False


def _write_ignore(tree: Tree) -> None:
    folder = tree.folder(OWN_FOLDER)
    try:
        tree.fs.create_whole(folder, _IGNORE, _FILE_MODE, _EVERYTHING)
    except OSError as error:
        log.debug("staging", "creating .gitignore in two steps: %s", error)
        with suppress(FileNotFoundError):
            tree.fs.unlink(folder, _UNFINISHED)
        handle = tree.fs.create(folder, _UNFINISHED, _FILE_MODE)
        try:
            tree.fs.write(handle, (_EVERYTHING,))
        finally:
            tree.fs.close(handle)
        tree.fs.rename(folder, _UNFINISHED, folder, _IGNORE)
