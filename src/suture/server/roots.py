"""The root of a server: given, or found when it starts, or declared by its client.

With `--root`, that is all. Otherwise the root is found where the client starts the server, as on the command line. But
some clients start servers in the home folder or in /, and many declare the folders that are open in them
(`roots/list`). A client, or whoever talks through it, must not be able to point suture at any folder. So a declared
folder counts only inside the root that was found, or a folder that the operator allows (`--allow-root`), or as another
worktree of the repository that was found, if that repository's git folder names it too. If there is neither a root nor
an allowed folder, because the server was started outside of any project, the user's own repositories count: those below
the home folder, except in its hidden folders.

Rejected: to serve the home folder or / if nothing better is known. Nobody wants that, and an agent would search it all.
"""

from __future__ import annotations

import os
import stat

from suture.apis import replace_surrogates
from suture.errors import NoWorkspace
from suture.files.root import START, find_root
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from suture.workspace import Workspace


_SYSTEM = tuple(
    "/Applications /Library /System /bin /boot /dev /etc /lib /lib32 /lib64 /proc /run /sbin /snap /sys /usr".split()  # noqa: SIM905  easier to read
)
"""Folders of the operating system: nothing below them is a project, unless it is a repository."""
_SHARED = ("/Users", "/Volumes", "/home", "/media", "/mnt", "/opt", "/private", "/srv", "/var")
"""Folders that contain others' folders and projects, but are not projects themselves."""
_FOR_EVERYBODY = stat.S_ISVTX | stat.S_IWOTH  # the mode of /tmp
_MAX_DECLARED = 100
"""Folders of a client that are looked at."""
_MAX_NAMED = 3
"""Folders of a client that a message names."""


class RootRule(Record):
    """What decides about the root when none is given: all of it comes from the operator, nothing from the client."""

    started_in: str
    """The real path of the folder that the server was started in; empty if that is gone."""
    home: str
    """The real path of the user's home folder; empty if there is none."""
    allowed: tuple[str, ...] = ()
    """The real paths of the folders in which declared folders count, in addition to the found root."""

    @classmethod
    def here(cls, allowed: Sequence[str] = ()) -> Self:
        """The rule for this process."""
        try:
            started_in = os.path.realpath(os.getcwd())
        except OSError:
            started_in = ""
        home = os.path.expanduser("~")
        return cls(started_in, os.path.realpath(home) if os.path.isabs(home) else "", tuple(allowed))

    def found(self) -> str | None:
        """The root at the folder that the server was started in; None if that is no project."""
        if not self.started_in:
            return None
        candidates = (_marked(self.started_in), self.started_in)
        return next((folder for folder in candidates if folder is not None and not self.unfit(folder)), None)

    def accepted(self, folder: str) -> str | None:
        """The root for a folder that the client declares; None if the folder does not count."""
        try:
            real = os.path.realpath(folder)
        except (OSError, ValueError):
            return None
        if not os.path.isdir(real):
            return None
        found, marked = self.found(), _marked(real)
        for base in (*(() if found is None else (found,)), *self.allowed):
            if is_inside(real, base):
                root = marked if marked is not None and is_inside(marked, base) else real
                return None if self.unfit(root) else root
        if found is not None and marked is not None and _is_worktree_beside(marked, found):
            return None if self.unfit(marked) else marked
        if found is None and not self.allowed and marked is not None and self._is_own(marked):
            return marked
        return None

    def unfit(self, folder: str) -> str:
        """Why a folder is no project, for a sentence; empty if it may be one."""
        if folder == "/":
            return "the whole disk"
        if folder == self.home:
            return "your home folder"
        if folder in _SHARED or (self.home and is_inside(self.home, folder)) or _is_for_everybody(folder):
            return "a folder for the folders of users or programs"
        if _marked(folder) == folder:
            return ""
        if any(is_inside(folder, system) for system in _SYSTEM):
            return "a folder of the operating system"
        return "a hidden folder in your home folder" if self._is_hidden(folder) else ""

    def _is_own(self, folder: str) -> bool:
        is_below = self.home not in {"", "/", folder} and is_inside(folder, self.home)
        return is_below and not self._is_hidden(folder) and not self.unfit(folder)

    def _is_hidden(self, folder: str) -> bool:
        below = folder.removeprefix(self.home.rstrip("/") + "/") if self.home else folder
        return below != folder and below.startswith((".", "Library/"))


def is_inside(path: str, folder: str) -> bool:
    """Whether a real path is a folder or below it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _is_for_everybody(folder: str) -> bool:
    try:
        return os.stat(folder).st_mode & _FOR_EVERYBODY == _FOR_EVERYBODY
    except OSError:
        return False


def _marked(folder: str) -> str | None:
    """The nearest folder, from this one upwards, that is a repository or a workspace that suture knows."""
    found = find_root(folder)
    return None if found.reason == START else found.path


def _is_worktree_beside(folder: str, found: str) -> bool:
    """Whether two folders are worktrees of one repository, whose git folder names each that is linked to it."""
    from suture.files.git import common_folder  # few clients declare such a folder

    common = common_folder(f"{found}/.git")
    return common is not None and common_folder(f"{folder}/.git") == common


def declared_folders(result: object) -> list[str]:
    """The paths of the folders in the result of `roots/list`; what is not a local folder is left out."""
    from urllib.parse import unquote, urlsplit  # not while the server starts

    listed = result.get("roots") if isinstance(result, dict) else None
    folders = []
    for root in listed[:_MAX_DECLARED] if isinstance(listed, list) else ():
        uri = root.get("uri") if isinstance(root, dict) else None
        try:
            parts = urlsplit(uri if isinstance(uri, str) else "")
            path = unquote(parts.path, errors="surrogateescape")
        except ValueError:
            continue
        if parts.scheme == "file" and parts.netloc in {"", "localhost"} and path.startswith("/") and "\0" not in path:
            folders.append(path)
    return folders


class Roots:
    """The root that a server serves to its only client, and the workspace there."""

    def __init__(self, rule: RootRule, open_workspace: Callable[[str], Workspace]) -> None:
        self.asks = True
        """Whether the client is asked for its folders."""
        self._rule = rule
        self._open = open_workspace
        self._workspaces: dict[str, Workspace] = {}
        self._root = rule.found()
        self._is_used = False
        self._refused: list[str] = []
        self._note = ""

    @classmethod
    def fixed(cls, workspace: Workspace) -> Self:
        """A root that was given."""
        roots = cls(RootRule(workspace.root, ""), lambda _: workspace)
        roots.asks, roots._root = False, workspace.root
        return roots

    @property
    def root(self) -> str | None:
        """The root as far as it is known now; None if there is none."""
        return self._root

    def workspace(self) -> Workspace:
        """The workspace for the next call; SutureError if there is none."""
        if self._root is None:
            raise NoWorkspace(
                started_in=self._rule.started_in or "a folder that is gone",
                reason=self._rule.unfit(self._rule.started_in) if self._rule.started_in else "",
                declared=self._refused[:_MAX_NAMED],
            )
        self._is_used = True
        return self._opened(self._root)

    def prepare(self) -> None:
        """Open the workspace that was found, if there is one: what is wrong with it is known now, and it is ready."""
        if self._root is not None:
            self._opened(self._root)

    def _opened(self, root: str) -> Workspace:
        if root not in self._workspaces:
            self._workspaces[root] = self._open(root)
        return self._workspaces[root]

    def declare(self, folders: Sequence[str]) -> None:
        """Take what the client declared: the first folder that counts, else the root that was found."""
        before = self._root
        accepted = next((root for root in map(self._rule.accepted, folders) if root is not None), None)
        self._refused = [] if accepted is not None else [replace_surrogates(folder) for folder in folders]
        self._root = accepted or self._rule.found()
        if self._root is None:
            self._note = ""
        elif self._refused:
            named = ", ".join(self._refused[:_MAX_NAMED])
            self._note = (
                f"Note: paths are relative to {replace_surrogates(self._root)}, not to {named}, "
                "where suture may not work. The option --allow-root of suture mcp changes that."
            )
        elif self._is_used and self._root != before:
            self._note = f"Note: from now on, paths are relative to {replace_surrogates(self._root)}."

    def give_up(self) -> None:
        """Go on without an answer of the client."""
        if self._root is not None:
            self._note = (
                f"Note: paths are relative to {replace_surrogates(self._root)}; "
                "the client did not answer which folder is open in it."
            )

    def take_note(self) -> str:
        """What the next answer should say about the root; empty for nothing."""
        note, self._note = self._note, ""
        return note

    def close(self) -> None:
        """Close every workspace that was opened."""
        for workspace in self._workspaces.values():
            workspace.close()
