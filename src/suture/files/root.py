"""Find the root of the workspace that a folder is in, if nobody names it.

The root is the nearest folder, from the start upwards, that has `.git` (a folder or a file, as in worktrees and
submodules) or `.jj`, or that suture knows: it has a history. If there is none, the root is the start itself. Nothing
is created, and a search takes three system calls for each folder and one listing of the histories.

A root decides what tools may write, so the search is bounded. On the way up, it never finds the home folder or those
above it, whether or not they have a `.git` (for dotfiles, say), nor the root of the disk, nor a folder in which
everybody may create files, such as /tmp, nor a `.git` or `.jj` that belongs neither to this user nor to the owner of
the start, since somebody else may have planted it. As in git, it ends at the border of a file system, unless
GIT_DISCOVERY_ACROSS_FILESYSTEM is set, and below the folders in GIT_CEILING_DIRECTORIES. GIT_DIR and GIT_WORK_TREE are
not used: in a hook they are set whatever the current folder is.

The command line finds its root before it can remove that root's folders from `sys.path`. So nothing is imported here
that is not loaded already; a module needed for a hash may not come from below the folder in question.
"""

from __future__ import annotations

import os
import stat as modes
from contextlib import suppress

from suture.files.state import DATABASE, history_folder, path_hash
from suture.origins import importing_outside
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

GIT, JJ, KNOWN, START = "git", "jj", "known", "start"
_FOR_EVERYBODY = modes.S_ISVTX | modes.S_IWOTH  # the mode of /tmp
_TRUE = frozenset(("1", "on", "true", "yes"))


class FoundRoot(Record):
    """The root of the workspace that a folder is in."""

    path: str
    """The full path without links; the start as it was given, if that is not a folder."""
    reason: str
    """Why it is the root: it has `git` or `jj`, is `known` by its history, or is the `start`: nothing was found."""


def find_root(start: str | os.PathLike[str] = ".") -> FoundRoot:
    """The root of the workspace that a folder is in; the folder itself if none is found. Never fails."""
    given = os.fspath(start)
    histories = _Histories()
    try:
        place = os.path.realpath(given)
        for folder, status, reason in _upwards(place):
            if reason:
                return FoundRoot(folder, reason)
            if histories.has(folder, status.st_ino):
                return FoundRoot(folder, KNOWN)
    except (OSError, ValueError):  # the start is not a folder, or not even a path
        return FoundRoot(given, START)
    return FoundRoot(place, START)


def find_top(start: str) -> FoundRoot | None:
    """The top of the repository that a folder is in, as its real path; None if there is none within the bounds."""
    try:
        return next((FoundRoot(folder, reason) for folder, _, reason in _upwards(start) if reason), None)
    except OSError:  # the start is missing
        return None


def _upwards(start: str) -> Iterator[tuple[str, os.stat_result, str]]:
    """The start and the folders above it that may be roots, each with its status and its marker's kind, if any.

    OSError if the start is missing or out of reach.
    """
    status = os.stat(start)
    owners = {os.geteuid(), status.st_uid}
    yield start, status, _marker(start, owners)
    device = None if os.environ.get("GIT_DISCOVERY_ACROSS_FILESYSTEM", "").lower() in _TRUE else status.st_dev
    home, ceilings = _home(), _ceilings()
    folder = os.path.dirname(start)
    while folder != "/" and f"{folder}/" not in ceilings and not home.startswith(f"{folder}/"):
        status = os.stat(folder)
        if device not in {None, status.st_dev}:
            return
        if status.st_mode & _FOR_EVERYBODY != _FOR_EVERYBODY:
            yield folder, status, _marker(folder, owners)
        folder = os.path.dirname(folder)


def _home() -> str:
    """The real path of the home folder, with a slash; empty if there is none."""
    home = os.environ.get("HOME", "")
    return f"{os.path.realpath(home)}/" if os.path.isabs(home) else ""


def _ceilings() -> set[str]:
    """The folders in GIT_CEILING_DIRECTORIES, each with a slash. As in git, links after an empty entry stay."""
    ceilings, resolve = set[str](), True
    for entry in os.environ.get("GIT_CEILING_DIRECTORIES", "").split(os.pathsep):
        resolve = resolve and bool(entry)
        if os.path.isabs(entry):
            ceilings.add(f"{(os.path.realpath(entry) if resolve else entry).rstrip('/')}/")
    return ceilings


def _marker(folder: str, owners: set[int]) -> str:
    """What makes a folder the top of a repository, if one of these users owns it; empty if nothing."""
    for name, reason in ((".git", GIT), (".jj", JJ)):
        try:
            status = os.stat(f"{folder}/{name}")
        except OSError:  # there is none, or it is out of reach
            continue
        mode = status.st_mode
        if status.st_uid in owners and (modes.S_ISDIR(mode) or (reason == GIT and modes.S_ISREG(mode))):
            return reason
    return ""


class _Histories:
    """The names of all histories. They are listed once, and only if a folder has no marker."""

    def __init__(self) -> None:
        self._names: list[str] | None = None
        self._joined = ""

    def has(self, folder: str, inode: int) -> bool:
        """Whether there is a history of the folder with this path and inode.

        The path is compared because another folder may have had the inode; the device is not, because that of
        a container's folder changes with every start.
        """
        if self._names is None:
            with suppress(OSError):  # nothing was ever recorded
                self._names = os.listdir(history_folder())
            self._joined = "/".join(self._names or ())
        if f"-{inode:x}{DATABASE}" not in self._joined and f"-{inode:x}-" not in self._joined:
            return False
        with importing_outside([folder]):
            wanted = [path_hash(folder), f"{inode:x}"]
        names = (name.removesuffix(DATABASE).split("-") for name in self._names or () if name.endswith(DATABASE))
        return any(parts[0::2][:2] == wanted for parts in names)
