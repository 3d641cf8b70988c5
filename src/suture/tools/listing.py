"""A folder's files and folders, without hidden, ignored and protected ones."""

from __future__ import annotations

from contextlib import suppress

from suture.errors import SutureError
from suture.files.fs import to_suture_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.engine.session import Session
    from suture.files.gitignore import Rules
    from suture.files.paths import Target


_GITIGNORE = ".gitignore"
_SKIPPED_FOLDERS = {"node_modules", "__pycache__"}
_MAX_RULES_BYTES = 1 << 20  # bytes of a .gitignore that is read


class Listing:
    """The names in a folder and its subfolders."""

    def __init__(self, session: Session, target: Target, most: int) -> None:
        """`most` is the number of entries to show."""
        self._guard = session.guard
        self._tree = session.trees[target.root]
        self._path = target.path
        self._most = most
        self._shown = f"{target.name.rstrip('/')}/" if target.name else ""
        self.left_out = 0
        """How many hidden, ignored and protected names there are."""
        self.total = 0
        """How many entries the folder itself has to show."""
        self.cut = False
        """Whether there are more entries than are shown."""

    def names(self) -> list[str]:
        """The names to show in the folder itself; those of folders end with a slash."""
        names = self._names(self._path, self._all_rules())
        self.total = len(names)
        self.cut = self.total > self._most
        return names[: self._most]

    def entries(self) -> list[str]:
        """The paths to show, two levels deep; a folder ends with a slash and comes before its entries."""
        first, rules = self.names(), self._all_rules()
        room, entries = self._most - len(first), []
        for name in first:
            entries.append(self._shown + name)
            if not name.endswith("/"):
                continue
            below = self._below(name, rules) if room else [""]
            self.cut = self.cut or len(below) > room
            entries += [f"{self._shown}{name}{entry}" for entry in below[:room]]
            room -= min(len(below), room)
        return entries

    def _all_rules(self) -> Rules:
        """The rules of the folder and those above it."""
        rules = self._rules_above()
        parts = self._path.split("/") if self._path else []
        for depth in range(len(parts) + 1):
            rules += self._rules("/".join(parts[:depth]))
        return rules

    def _rules_above(self) -> Rules:
        """The rules of a repository that are not in the root; one that is too large counts as empty, as below."""
        from suture.files.gitignore import rules_above  # files are viewed more often than folders

        with suppress(SutureError):
            return rules_above(self._tree)
        return ()

    def _below(self, name: str, rules: Rules) -> list[str]:
        """The names in a subfolder; none if it may not be read."""
        path = f"{self._path}/{name[:-1]}" if self._path else name[:-1]
        try:
            return self._names(path, (*rules, *self._rules(path)))
        except SutureError:
            return []

    def _names(self, folder: str, rules: Rules) -> list[str]:
        """The names to show in a folder, sorted; those of folders with a slash."""
        names, folders = self._scan(folder)
        prefix = f"{folder}/" if folder else ""
        visible = [name for name in names if not name.startswith(".") and name not in _SKIPPED_FOLDERS]
        shown = [name for name in visible if self._guard.rule(prefix + name) is None]
        ignored = self._ignored_names(shown, folders, prefix, rules)
        shown = [name for name in shown if name not in ignored]
        self.left_out += len(names) - len(shown)
        return [f"{name}/" if name in folders else name for name in shown]

    def _scan(self, folder: str) -> tuple[list[str], set[str]]:
        """All names in a folder, sorted, and those of its folders, not counting links."""
        names = self._tree.names(folder)
        try:
            handle, _, folders = self._tree.fs.scan(self._tree.folder(folder), "")
        except OSError as error:
            raise to_suture_error(error, folder, "list") from error
        self._tree.close_quietly(handle)
        return names, set(folders)

    @staticmethod
    def _ignored_names(names: Sequence[str], folders: set[str], prefix: str, rules: Rules) -> set[str]:
        """The names that a `.gitignore` ignores; the nearest one with a matching rule decides."""
        all_ignored: set[str] = set()
        open_files = [name for name in names if name not in folders]
        open_folders = [name for name in names if name in folders]
        for skip, ignore in reversed(rules):
            ignored, kept = ignore.files(open_files, prefix[skip:])
            open_files = [name for name in open_files if name not in ignored | kept]
            ignored_too, kept = ignore.folders(open_folders, prefix[skip:])
            open_folders = [name for name in open_folders if name not in ignored_too | kept]
            all_ignored |= ignored | ignored_too
        return all_ignored

    def _rules(self, folder: str) -> Rules:
        """The `.gitignore` of a folder; one that is a link, too large or unreadable counts as empty."""
        from suture.files.glob import Ignore  # files are viewed more often than folders

        prefix = f"{folder}/" if folder else ""
        try:
            status = self._tree.stat(prefix + _GITIGNORE)
            if status is None or status.kind != "file" or status.size > _MAX_RULES_BYTES:
                return ()
            return ((len(prefix), Ignore(b"".join(self._tree.chunks(prefix + _GITIGNORE)))),)
        except SutureError:
            return ()
