"""The workspace of a command, and paths as a person types and reads them: relative to the current folder.

Tools know only paths from the root. So what is typed is converted before a call, and what is printed after it. The
diffs keep paths from the root, as git's do, so that they can be applied; so does JSON, in both directions, and so does
a model's reply. With --root, a person outside of that root types paths from the root.
"""

from __future__ import annotations

import os

from suture.files.root import START, find_root
from suture.records import Record

GIVEN = "given"
HERE = "."


class Location(Record):
    """The root of a command's workspace, and where in it the current folder is."""

    root: str
    """`.` if it is the current folder; otherwise as it was given, or the full path that was found."""
    given: str | None
    """The value of --root."""
    reason: str
    """Why it is the root: `given`, or a reason of `files.root`."""
    folder: str
    """The current folder from the root on; empty for the root itself, and outside of it."""
    typed_from: str
    """The folder that typed paths are relative to."""

    def to_root(self, path: str) -> str:
        """A typed path as tools take it."""
        above, rest = self._split(path)
        return path if above is None else "/".join([*above, *([rest] if rest else [])]) or HERE

    def glob_to_root(self, glob: str) -> str:
        """A typed path or glob as tools take it; the name of something that exists is not a glob."""
        from suture.files.glob import escape, may_be_glob

        above, rest = self._split(glob)
        if above is None or not may_be_glob(rest) or os.path.lexists(glob):
            return self.to_root(glob)
        return "/".join([*map(escape, above), rest])

    def exclude_to_root(self, pattern: str) -> str:
        """A typed exclude as tools take it: one without a slash is a name anywhere."""
        from suture.files.glob import escape

        above, rest = self._split(pattern)
        if above is None or "/" not in pattern.rstrip("/"):
            return pattern
        return "/".join([HERE, *map(escape, above), rest])

    def _split(self, path: str) -> tuple[list[str] | None, str]:
        """The folders from the root on that a typed path begins in, and the rest of it; None if it stays as it is.

        Only dots at the beginning are resolved here: the current folder was reached without links.
        """
        is_home = path.startswith("~") and not os.path.lexists(path)  # the tools refuse it, with the reason
        if not self.folder or not path or path.startswith("/") or is_home:
            return None, path
        above, rest = self.folder.split("/"), path
        while True:
            name, _, below = rest.partition("/")
            if name == "..":
                if not above:  # the tools refuse it
                    return above, rest
                above.pop()
            elif name not in {"", HERE}:
                return above, rest
            if not below:
                return above, ""
            rest = below


def locate(given: str | None) -> Location:
    """The workspace of a command; `given` is the value of --root."""
    if given is not None:
        folder = _current_folder(os.path.realpath(given))
        return Location(given, given, GIVEN, folder or "", given if folder is None else HERE)
    found = find_root()
    folder = _current_folder(found.path) if found.reason != START else ""
    return Location(found.path if folder else HERE, None, found.reason, folder or "", HERE)


def _current_folder(root: str) -> str | None:
    """The current folder from the root on; None outside of it."""
    try:
        here = os.getcwd()
    except OSError:  # it is gone
        return None
    if here == root:
        return ""
    return here[len(root) :].lstrip("/") if here.startswith(f"{root.rstrip('/')}/") else None
