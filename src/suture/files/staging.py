"""Lay out a private folder as a workspace is, with texts in place that are not written yet.

Folders on the way to a staged file are made, everything beside it is a link to what is in the workspace: relative
imports and configuration are found as usual, and what a program writes beside its input never lands in the workspace.
It is made when somebody asks for it, below the system's temporary folder, for the user's eyes only.
"""

from __future__ import annotations

import os
from threading import Lock

from suture.files.protected import OWN_PREFIX
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_FOLDER_MODE = 0o700
_FILE_MODE = 0o600
_MOST_LINKS = 20_000  # names in one folder that are shown
_NOT_SHOWN = (".git", ".hg", ".svn")
"""A program that wants to write there would write into the workspace."""


class Layout:
    """A workspace's root with some files as they are going to be; None for one that goes away.

    A content that is given as a function is asked for when it is written.
    """

    def __init__(self, root: str, files: Mapping[str, bytes | Callable[[], bytes] | None]) -> None:
        self.root = root
        self._files = files
        self._made: str | None = None
        self._making = Lock()

    def folder(self) -> str:
        """The private folder."""
        with self._making:
            if self._made is None:
                self._made = self._make()
            return self._made

    def remove(self) -> None:
        """Take it away again, and nothing that its links lead to."""
        with self._making:
            if self._made is not None:
                from shutil import rmtree

                rmtree(self._made, ignore_errors=True)

    def stage(self, path: str) -> Staged:
        """One file of it."""
        return Staged(self, path)

    def _make(self) -> str:
        above = os.path.realpath(os.environ.get("TMPDIR") or "/tmp")  # noqa: S108  what is made there is private
        made = os.path.join(above, f"suture-check-{os.urandom(8).hex()}")
        os.mkdir(made, _FOLDER_MODE)
        folders = {""} | {folder for path in self._files for folder in _above(path)}
        for folder in sorted(folders):
            if folder:
                os.mkdir(os.path.join(made, folder), _FOLDER_MODE)
            self._link(folder, os.path.join(made, folder), folders)
        for path, content in self._files.items():
            if content is not None:
                handle = os.open(os.path.join(made, path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, _FILE_MODE)
                with os.fdopen(handle, "wb") as opened:
                    opened.write(content if isinstance(content, bytes) else content())
        return made

    def _link(self, folder: str, made: str, folders: set[str]) -> None:
        """Show what else is in a folder."""
        here = os.path.join(self.root, folder)
        try:
            names = os.listdir(here)[:_MOST_LINKS]
        except OSError:  # it is new, too
            return
        for name in names:
            path = f"{folder}/{name}" if folder else name
            shown = name not in _NOT_SHOWN and not name.startswith(OWN_PREFIX)
            if shown and path not in self._files and path not in folders:
                os.symlink(os.path.join(here, name), os.path.join(made, name))


class Staged(Record):
    """A file in a layout, as a check sees it."""

    layout: Layout
    path: str
    seconds: float = 0.0

    @property
    def root(self) -> str:
        """The workspace's own folder."""
        return self.layout.root

    @property
    def name(self) -> str:
        """The file's full path in the workspace."""
        return os.path.join(self.layout.root, self.path)

    def within(self, seconds: float) -> Staged:
        """The same for a check that may take so long."""
        return self.but(seconds=seconds)

    def folder(self) -> str:
        """The private folder."""
        return self.layout.folder()

    def file(self) -> str:
        """The text as a file in it."""
        return os.path.join(self.layout.folder(), self.path)


def _above(path: str) -> list[str]:
    """The folders that a path goes through."""
    names = path.split("/")[:-1]
    return ["/".join(names[:end]) for end in range(1, len(names) + 1)]
