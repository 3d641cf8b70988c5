"""What the command `view` of the text editor shows: a file's lines, or what is in a folder."""

from __future__ import annotations

from itertools import accumulate

from suture.errors import RangeOutOfBounds, SutureError
from suture.files.tree import as_ours
from suture.phrases import count, plain
from suture.tools.spec import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.files.ignore import Ignore
    from suture.files.paths import Target
    from suture.session import Session

    Rules = tuple[tuple[int, Ignore], ...]

_GITIGNORE = ".gitignore"
_PASSED_OVER = {"node_modules", "__pycache__"}
_MOST_ENTRIES = 1_000
_LARGEST_RULES = 1 << 20


def file_view(session: Session, target: Target, view_range: Sequence[int] | None) -> Answer:
    """Lines of a file, each behind its number and a tab, as many as one answer may show."""
    found = session.text(target.requested)
    name, body, total = found.place.name, found.text, len(found.text.lines)
    first, last = (1, total) if view_range is None else _bounds(name, view_range, total)
    session.show(found)
    most = session.settings.max_read_bytes
    wanted = body.lines.contents(first, min(last, first + session.settings.max_read_lines - 1))
    numbered = [f"{number:6d}\t{line.decode('utf-8', 'replace')}" for number, line in enumerate(wanted, first)]
    fitting = _fitting(numbered, most)
    shown, end = "\n".join(numbered[:fitting]), first + fitting - 1
    notes = []
    if not total:
        notes.append(f"{plain(name)} is empty.")
    if len(shown) > most:
        notes.append(f"Note: line {end} is cut; it is longer than {most:,} characters.")
    if end < last:
        notes.append(f"Note: cut after line {end} of {total}; go on with view_range [{end + 1}, -1].")
    if body.encoding is None:
        notes.append("Note: the file's encoding is not known; U+FFFD stands for what cannot be read.")
    data = {
        "command": "view",
        "path": name,
        "hash": found.content.digest,
        "total_lines": total,
        "start_line": first,
        "end_line": end,
        "truncated": end < last or len(shown) > most,
    }
    return Answer("\n\n".join([*([shown[:most]] if total else []), *notes]), data)


def _bounds(name: str, view_range: Sequence[int], total: int) -> tuple[int, int]:
    """The first and the last line of a range that lies in the file; an empty one has a first line, in a way."""
    first, last = view_range
    end = None if last == -1 else last
    if not 1 <= first <= max(total, 1) or (end is not None and not first <= end <= max(total, 1)):
        raise RangeOutOfBounds(path=name, start_line=first, end_line=end, total_lines=total)
    return first, total if end is None else min(end, total)


def _fitting(lines: Sequence[str], most: int) -> int:
    """How many of some lines fit into so many characters; the first does in any case."""
    fitting = sum(size <= most + 1 for size in accumulate(len(line) + 1 for line in lines))
    return max(fitting, min(len(lines), 1))


def folder_view(session: Session, target: Target, view_range: Sequence[int] | None) -> Answer:
    """What is in a folder and in the folders in it, without what is hidden, ignored or protected."""
    listing = _Listing(session, target)
    entries = listing.entries()
    name = target.name.rstrip("/") or "."
    head = f"Files and folders in {plain(name)}, up to 2 levels deep, without hidden and ignored ones:"
    lines = [head, *map(plain, entries)] if entries else [f"{plain(name)} has no files or folders to show."]
    if not entries and listing.left_out:
        lines.append(f"{count(listing.left_out, 'hidden or ignored one')} left out.")
    if listing.cut:
        lines += ["", f"Note: cut after {len(entries):,} entries; view one of the folders to see all that is in it."]
    if view_range is not None:
        lines += ["", "Note: view_range was passed over; it is for files."]
    data = {"command": "view", "path": name, "entries": entries, "left_out": listing.left_out, "truncated": listing.cut}
    return Answer("\n".join(lines), data)


class _Listing:
    """The names in a folder, and in the folders in it."""

    def __init__(self, session: Session, target: Target) -> None:
        self._guard = session.guard
        self._tree = session.trees[target.root]
        self._path = target.path
        self._shown = f"{target.name.rstrip('/')}/" if target.name else ""
        self.left_out = 0
        self.cut = False

    def entries(self) -> list[str]:
        """All that is shown, a folder with a slash at its end and before what is in it."""
        rules: Rules = ()
        parts = self._path.split("/") if self._path else []
        for depth in range(len(parts) + 1):
            rules += self._rules("/".join(parts[:depth]))
        first = self._names(self._path, rules)
        self.cut = len(first) > _MOST_ENTRIES
        first = first[:_MOST_ENTRIES]
        room, entries = _MOST_ENTRIES - len(first), []
        for name in first:
            entries.append(self._shown + name)
            if not name.endswith("/"):
                continue
            below = self._below(name, rules) if room else [""]
            self.cut = self.cut or len(below) > room
            entries += [f"{self._shown}{name}{each}" for each in below[:room]]
            room -= min(len(below), room)
        return entries

    def _below(self, name: str, rules: Rules) -> list[str]:
        """The names in a folder of the folder; of one that may not be read, none."""
        path = f"{self._path}/{name[:-1]}" if self._path else name[:-1]
        try:
            return self._names(path, (*rules, *self._rules(path)))
        except SutureError:
            return []

    def _names(self, folder: str, rules: Rules) -> list[str]:
        """The names in a folder that are shown, sorted; those of folders with a slash."""
        names, folders = self._scanned(folder)
        prefix = f"{folder}/" if folder else ""
        plainly = [name for name in names if not name.startswith(".") and name not in _PASSED_OVER]
        shown = [name for name in plainly if self._guard.rule(prefix + name) is None]
        gone = self._ignored(shown, folders, prefix, rules)
        shown = [name for name in shown if name not in gone]
        self.left_out += len(names) - len(shown)
        return [f"{name}/" if name in folders else name for name in shown]

    def _scanned(self, folder: str) -> tuple[list[str], set[str]]:
        """All names in a folder, sorted, and those of folders; a link is none."""
        names = self._tree.names(folder)
        try:
            handle, _, folders = self._tree.fs.scan(self._tree.folder(folder), "")
        except OSError as error:
            raise as_ours(error, folder, "list") from error
        self._tree.let_go(handle)
        return names, set(folders)

    @staticmethod
    def _ignored(names: Sequence[str], folders: set[str], prefix: str, rules: Rules) -> set[str]:
        """Those that a `.gitignore` leaves out; the nearest one that says something about a name decides."""
        gone: set[str] = set()
        open_files = [name for name in names if name not in folders]
        open_folders = [name for name in names if name in folders]
        for skip, ignore in reversed(rules):
            ignored, kept = ignore.files(open_files, prefix[skip:])
            open_files = [name for name in open_files if name not in ignored | kept]
            ignored_too, kept = ignore.folders(open_folders, prefix[skip:])
            open_folders = [name for name in open_folders if name not in ignored_too | kept]
            gone |= ignored | ignored_too
        return gone

    def _rules(self, folder: str) -> Rules:
        """The `.gitignore` of a folder; one that is a link, too large or unreadable counts as empty."""
        from suture.files.ignore import Ignore  # files are viewed more often than folders

        prefix = f"{folder}/" if folder else ""
        try:
            found = self._tree.stat(prefix + _GITIGNORE)
            if found is None or found.kind != "file" or found.size > _LARGEST_RULES:
                return ()
            return ((len(prefix), Ignore(b"".join(self._tree.chunks(prefix + _GITIGNORE)))),)
        except SutureError:
            return ()
