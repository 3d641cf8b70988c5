"""A plain model of a workspace with a past: the tree as a dict, and every change with what it replaced.

It shares no code with suture. The expected result of an undo depends on the identity of a file, not on its name: each
file has a `birth`, which it keeps when it is renamed, and when it is restored after a deletion. If another program
replaced a file, suture cannot know that, and may follow the new one, so the model allows both results. Files are sheets
of numbered lines that never change, with one line between them that may, so the result of a merge is decided line by
line.
"""

from __future__ import annotations

from copy import copy
from hashlib import sha256
from itertools import count, product
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

NEW_FILE = 0o644
SLOTS = 3
TAKING_BACK = {"undo", "redo"}
WRONG_KIND = frozenset({"NOT_A_FILE", "NOT_A_FOLDER"})
CONFLICT = frozenset({"UNDO_CONFLICT"})


# Contents


class Form(NamedTuple):
    """How a sheet is encoded."""

    endings: tuple[str, ...] = ("\n",)
    codec: str = "utf-8"
    mark: str = ""
    last: str = "end\n"


FORMS = {
    "LF": Form(),
    "CRLF": Form(("\r\n",)),
    "CR": Form(("\r",), last="end\r"),
    "mixed": Form(("\r\n", "\n")),
    "unfinished": Form(last="end"),
    "unfinished CRLF": Form(("\r\n",), last="\r\nend"),
    "marked für": Form(mark="\ufeff"),
    "UTF-16-LE": Form(codec="utf-16-le", mark="\ufeff"),
    "UTF-16-BE 行": Form(("\r\n",), codec="utf-16-be", mark="\ufeff"),
    "latin-1 für": Form(codec="latin-1"),
    "binary \0": Form(),
}
NEVER_MERGED = {"noise", "binary \0"}
NOISE = (b"", b"\n", b"x", b"\xff\xfe\0", b"\0\x01\xff", b"\xef\xbb\xbf", b"\r\n\r\n")


class Sheet(NamedTuple):
    """A content in cells, alternately a line that never changes and one that may change or be missing.

    Sheets of different forms have no line in common.
    """

    form: str
    cells: tuple[bytes, ...]

    @property
    def data(self) -> bytes:
        return b"".join(self.cells)


def sheet(form: str, slots: Sequence[str]) -> Sheet:
    """A sheet with these words in its slots; a slot without a word is no line."""
    style = FORMS[form]
    cells = [style.mark]
    for number, word in enumerate(slots):
        ending = style.endings[number % len(style.endings)]
        cells += [f"{form} {number}{ending}", f"{form} {number} is {word}{ending}" if word else ""]
    cells.append(f"{form} {style.last}")
    return Sheet(form, tuple(cell.encode(style.codec) for cell in cells))


def slot(number: int) -> int:
    """The cell of a slot."""
    return 2 * number + 2


def noise(data: bytes) -> Sheet:
    """Content that is not a sheet."""
    return Sheet("noise", (data,))


def merge(base: Sheet, ours: Sheet, theirs: Sheet) -> Sheet | None:
    """The expected merge of three different contents; None: a conflict."""
    if not base.form == ours.form == theirs.form or ours.form in NEVER_MERGED:
        return None
    cells = []
    for base_cell, our_cell, their_cell in zip(base.cells, ours.cells, theirs.cells, strict=True):
        if base_cell not in {our_cell, their_cell} and our_cell != their_cell:
            return None
        cells.append(their_cell if our_cell == base_cell else our_cell)
    return Sheet(ours.form, tuple(cells))


# Files and changes


class File(NamedTuple):
    data: bytes
    mode: int
    birth: int


Tree = dict[str, File]


class Touch(NamedTuple):
    """What a change did to one file. `replaced` is the content that a rename replaced."""

    action: str
    path: str
    before: File | None
    after: File | None
    to: str | None = None
    replaced: File | None = None

    @property
    def is_recorded(self) -> bool:
        """Whether others see a difference; otherwise only another file of the same content is at the path now."""
        return self.action != "update" or (self.before or ())[:2] != (self.after or ())[:2]

    def ends(self) -> list[tuple[str, File | None, File | None]]:
        """Each path that it touched, before and after."""
        if self.to is None:
            return [(self.path, self.before, self.after)]
        return [(self.path, self.before, None), (self.to, self.replaced, self.after)]


Touches = tuple[Touch, ...]


class RecordedChange(NamedTuple):
    """A change as the history must show it."""

    id: str
    tool: str
    undoes: str | None
    touches: Touches
    folders: tuple[str, ...]
    session: str = ""
    """Who made it."""
    also_undoes: tuple[str, ...] = ()

    @property
    def undone_ids(self) -> tuple[str, ...]:
        """All changes that it undoes."""
        return () if self.undoes is None else (self.undoes, *self.also_undoes)


class Point(NamedTuple):
    """A snapshot, taken after the given number of changes."""

    name: str
    after: int
    files: Mapping[str, File | None]


class Trail(NamedTuple):
    """The names that a file has if it is followed by name, and whether a change moved or deleted another file there."""

    names: set[str]
    mistaken: bool


class Expected(NamedTuple):
    """The allowed outcomes of a call: one of these landings, or a refusal with one of these codes."""

    landings: tuple[Touches, ...]
    refusals: frozenset[str] = frozenset()
    tool: str = "transaction"
    undoes: str | None = None
    emptied: tuple[str, ...] = ()
    tangled: bool = False
    """Whether the files it touches cannot be distinguished from others of their names afterwards."""
    also_undoes: tuple[str, ...] = ()


class Outcome(NamedTuple):
    """How the undo of several changes may end: with these files, and with these changes undone or left."""

    tree: Tree
    undone: tuple[str, ...] = ()
    left: frozenset[str] = frozenset()
    failure: frozenset[str] = frozenset()
    """The possible codes of the first error, if there is one."""


class ExpectedOfSeveral(NamedTuple):
    """The allowed outcomes of undoing several changes at once, or a refusal with one of these codes."""

    outcomes: tuple[Outcome, ...]
    refusals: frozenset[str]


def creation(path: str, after: File) -> Touch:
    return Touch("create", path, None, after)


def update(path: str, before: File, after: File) -> Touch:
    return Touch("update", path, before, after)


def deletion(path: str, before: File) -> Touch:
    return Touch("delete", path, before, None)


def rename(path: str, before: File, to: str, after: File) -> Touch:
    return Touch("rename", path, before, after, to)


def apply_touches(tree: Tree, touches: Iterable[Touch]) -> Tree:
    """The tree after all of these at once."""
    ends = [end for touch in touches for end in touch.ends()]
    result = {path: file for path, file in tree.items() if path not in {path for path, _, _ in ends}}
    return result | {path: after for path, _, after in ends if after is not None}


def contents(tree: Mapping[str, File]) -> dict[str, tuple[bytes, int]]:
    """What others see of a tree."""
    return {path: (file.data, file.mode) for path, file in tree.items()}


def ends_of(change: RecordedChange) -> list[tuple[str, File | None]]:
    """Each path that a change touched, and what it left there."""
    return [(path, after) for touch in change.touches for path, _, after in touch.ends()]


def parent_folders(path: str) -> Iterator[str]:
    """The parent folders of a path, outermost first."""
    names = path.split("/")
    return ("/".join(names[:length]) for length in range(1, len(names)))


def lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder}/")


def hash_of(data: bytes) -> str:
    return f"sha256:{sha256(data).hexdigest()}"


class Model:
    """The tree, and everything that was ever recorded about it."""

    def __init__(self) -> None:
        self.tree: Tree = {}
        self.folders: set[str] = set()
        self.changes: list[RecordedChange] = []
        self.points: list[Point] = []
        self.sheets: dict[bytes, Sheet] = {}
        self._births = count()
        self._tangled: set[int] = set()

    def create_file(self, content: Sheet, mode: int = NEW_FILE) -> File:
        """A new file."""
        return File(self.remember(content), mode, next(self._births))

    def again(self, file: File) -> File:
        """A new file with the content and the mode of another one."""
        return file._replace(birth=next(self._births))

    def remember(self, content: Sheet) -> bytes:
        """The bytes of a sheet, which the model remembers."""
        return self.sheets.setdefault(content.data, content).data

    def undone_changes(self) -> set[str]:
        """The changes that a later change in force reverts."""
        reverted: set[str] = set()
        for change in reversed(self.changes):
            if change.id not in reverted:
                reverted.update(change.undone_ids)
        return reverted

    def in_effect(self, session: str | None = None) -> list[RecordedChange]:
        """The edits in effect, of one session or of all, newest first."""
        undone = self.undone_changes()
        return [
            change
            for change in reversed(self.changes)
            if change.id not in undone and change.tool not in TAKING_BACK and session in {None, change.session}
        ]

    def copy(self) -> Model:
        """A model that goes its own way from here."""
        other = copy(self)
        other.tree, other.folders, other.changes = dict(self.tree), set(self.folders), list(self.changes)
        other._tangled = set(self._tangled)
        return other

    def change(self, change_id: str | None) -> RecordedChange | None:
        return next((change for change in self.changes if change.id == change_id), None)

    def paths(self) -> set[str]:
        """Every path that was ever recorded."""
        touched = {path for change in self.changes for touch in change.touches for path, _, _ in touch.ends()}
        return touched.union(*(point.files for point in self.points))

    def is_free(self, path: str) -> bool:
        """Whether a file can be created there."""
        return path not in self.tree and not self.is_blocked(path)

    def is_blocked(self, path: str) -> bool:
        """Whether there is a folder, or a file where it would need a folder."""
        return path in self.folders or any(folder in self.tree for folder in parent_folders(path))

    # Events

    def new_folders(self, touches: Iterable[Touch]) -> tuple[str, ...]:
        """The folders that have to be created first, sorted."""
        new = [path for touch in touches for path, before, after in touch.ends() if before is None and after]
        return tuple(sorted({folder for path in new for folder in parent_folders(path)} - self.folders))

    def folders_after(self, touches: Touches, emptied: Iterable[str]) -> set[str]:
        """The folders after a change, if those of `emptied` that are empty are removed."""
        files = apply_touches(self.tree, touches)
        folders = self.folders.union(self.new_folders(touches))
        for folder in sorted(emptied, key=len, reverse=True) if touches else ():
            if not any(path != folder and lies_in(path, folder) for path in (*files, *folders)):
                folders.discard(folder)
        return folders

    def land(self, change_id: str, expected: Expected, touches: Touches, session: str = "") -> None:
        """A change of a session landed and was recorded."""
        folders = self.new_folders(touches)
        self.folders = self.folders_after(touches, expected.emptied)
        self.tree = apply_touches(self.tree, touches)
        self._tell_apart()
        touches = tuple(touch for touch in touches if touch.is_recorded)
        self.changes.append(
            RecordedChange(
                change_id,
                expected.tool,
                expected.undoes,
                touches,
                folders,
                session,
                tuple(sorted(expected.also_undoes)),
            )
        )
        if expected.tangled:
            ends = [end for touch in touches for end in touch.ends()]
            self._tangled |= {file.birth for _, *files in ends for file in files if file is not None}

    def _tell_apart(self) -> None:
        """Of two files that seem to be the same one, make the second a different one."""
        births: set[int] = set()
        for path, file in self.tree.items():
            if file.birth in births:
                self._tangled.add(file.birth)
                self.tree[path] = file._replace(birth=next(self._births))
            births.add(file.birth)

    def put(self, path: str, file: File | None) -> None:
        """Another program wrote a file, or deleted it."""
        self.tree.pop(path, None)
        if file is not None:
            self.tree[path] = file
            self.folders |= set(parent_folders(path))

    # Expected results of calls

    def undo(self, change: RecordedChange, tool: str) -> Expected:
        """The expected result of undoing a change."""
        if tool == "undo" and change.id in self.undone_changes():
            return Expected((), frozenset({"ALREADY_UNDONE"}))
        ways = [self._ways_back(touch, self._trail(change, touch)) for touch in reversed(change.touches)]
        whole = [combined for combined in product(*ways) if None not in combined]
        landings = [self._tell_copies([touch for way in combined for touch in way or ()]) for combined in whole]
        possible = tuple(landing for landing in landings if self._is_possible(landing))
        refusals = CONFLICT if any(None in way for way in ways) or len(possible) < len(landings) else frozenset()
        if () in possible:  # nothing of it is left to undo
            refusals |= {"NOT_HERE"}
            possible = tuple(landing for landing in possible if landing)
        if any(map(self.is_blocked, self._reach(change))):
            refusals |= WRONG_KIND
        return Expected(possible, refusals, tool, change.id, change.folders)

    def _reach(self, change: RecordedChange) -> set[str]:
        """The names under which an undo of a change may look for its files."""
        return {path for touch in change.touches for path in self._names(touch) | self._trail(change, touch).names}

    def undo_all(self, changes: Sequence[RecordedChange], *, partly: bool) -> ExpectedOfSeveral:
        """The expected result of undoing changes at once: as if they were undone one by one, in this order.

        Only a file that is now where another one needs a folder, or the other way round, stays in its way.
        """
        refusals: set[str] = set()
        reached = [(self, Outcome(self.tree))]
        for change in changes:
            following: list[tuple[Model, Outcome]] = []
            for model, so_far in reached:
                expected = model.undo(change, "undo")
                failure = expected.refusals - {"NOT_HERE"}
                failure |= WRONG_KIND if any(map(self.is_blocked, model._reach(change))) else frozenset()
                left = so_far._replace(left=so_far.left | {change.id})
                for touches in expected.landings:
                    after = model.copy()
                    after.land(f"the undo of {change.id}", expected, touches)
                    following.append((after, so_far._replace(tree=after.tree, undone=(*so_far.undone, change.id))))
                if "NOT_HERE" in expected.refusals:
                    following.append((model, left))
                if failure and partly:
                    following.append((model, left._replace(failure=so_far.failure or failure)))
                elif failure:
                    refusals |= failure
            reached = list({repr(outcome): (model, outcome) for model, outcome in following}.values())
        outcomes: list[Outcome] = []
        for _, outcome in reached:
            if contents(outcome.tree) != contents(self.tree):
                outcomes.append(outcome)
            elif outcome.failure and not outcome.undone:
                refusals |= outcome.failure
            else:  # nothing of them is here, or they cancel each other out
                refusals.add("NOT_HERE")
        return ExpectedOfSeveral(tuple(outcomes), frozenset(refusals))

    def restore(self, to: RecordedChange | Point | None, below: Sequence[str]) -> Expected:
        """The expected result of restoring to right after a change, to a snapshot, or as last recorded."""
        number = len(self.changes) if to is None else to.after if isinstance(to, Point) else self.changes.index(to) + 1
        since = self.changes[number:]
        last = self._last_state(number if to is None else number - 1, number)
        state: dict[str, list[File | None]] = {path: [file] for path, file in last.items()} if below else {}
        state |= self._state_before(since, last)
        if isinstance(to, Point):
            state |= {path: [file] for path, file in to.files.items()}
        elif to is not None:
            state |= {path: [after, *([] if path in state else [self.tree.get(path)])] for path, after in ends_of(to)}
        emptied = {folder for change in since for folder in change.folders}
        if below:
            state = {path: files for path, files in state.items() if any(lies_in(path, folder) for folder in below)}
            emptied = {
                folder for folder in emptied if any(lies_in(path, folder) or lies_in(folder, path) for path in below)
            }
        ways = [self._ways_to(path, files) for path, files in state.items()]
        landings = [self._tell_copies([touch for touch in way if touch is not None]) for way in product(*ways)]
        possible = tuple(landing for landing in landings if self._is_possible(landing))
        refusals = WRONG_KIND if any(map(self.is_blocked, (*state, *below))) else frozenset()
        if len(possible) < len(landings):  # another program replaced a file by a folder, so both are remembered
            refusals |= {"FILE_CHANGED"}
        return Expected(possible, refusals, "restore", None, tuple(emptied), tangled=True)

    def _state_before(
        self, since: Iterable[RecordedChange], last: Mapping[str, File | None]
    ) -> dict[str, list[File | None]]:
        """The possible contents of each path before these changes: what they found, or what was last seen there.

        If another program wrote the file in between, it is not known whether that was before or after.
        """
        state: dict[str, list[File | None]] = {}
        for path, before, _ in (end for change in since for touch in change.touches for end in touch.ends()):
            state.setdefault(path, [before, *([last[path]] if path in last else [])])
        return state

    def _last_state(self, points: int, changes: int) -> dict[str, File | None]:
        """The last contents seen at each path in the given number of changes, and in the snapshots up to then."""
        state: dict[str, File | None] = {}
        for number in range(changes + 1):
            if number:
                state |= dict(ends_of(self.changes[number - 1]))
            for point in self.points:
                state |= point.files if point.after == number <= points else {}
        return state

    def _ways_to(self, path: str, files: Iterable[File | None]) -> list[Touch | None]:
        """What may be done to have one of these files, or none, at a path; None: nothing."""
        now, ways = self.tree.get(path), []
        for file in files:
            if file is None:
                ways.append(None if now is None else deletion(path, now))
            elif now is None:
                ways.append(creation(path, file))
            else:
                ways.append(None if now[:2] == file[:2] else update(path, now, file))
        return list(dict.fromkeys(ways))

    def _tell_copies(self, touches: Sequence[Touch]) -> Touches:
        """Touches that bring files back: each is itself, also if it moves, or a copy if it is left where it is now."""
        touched = {path for touch in touches for path, _, _ in touch.ends()}
        births = {file.birth for path, file in self.tree.items() if path not in touched}
        result = []
        for touch in touches:
            after = touch.after
            if after is not None and after.birth in births:
                after = after._replace(birth=next(self._births))
            births |= set() if after is None else {after.birth}
            result.append(touch._replace(after=after))
        return tuple(result)

    def _trail(self, change: RecordedChange, touch: Touch) -> Trail:
        """Where a file is if it is followed only by its name."""
        name = touch.to or touch.path
        names, mistaken = {name}, False
        births = {file.birth for file in (touch.before, touch.after) if file is not None}
        for later in self.changes[self.changes.index(change) + 1 :]:
            for later_touch in later.touches:
                if (
                    later_touch.path == name
                    and later_touch.before is not None
                    and later_touch.action in {"rename", "delete"}
                ):
                    mistaken = mistaken or later_touch.before.birth not in births
                    name = later_touch.to or name
                    names.add(name)
        return Trail(names, mistaken)

    def _ways_back(self, touch: Touch, trail: Trail) -> list[Touches | None]:
        """What may be done to revert what happened to one file; None: a conflict."""
        if touch.before is None:
            return self._ways_to_uncreate(touch, trail)
        if touch.after is None:
            return self._ways_to_undelete(touch.path, touch.before)
        path = self._where(touch.after)
        if path is None:  # it is gone; perhaps another one is mistaken for it
            others = self._others(touch, trail)
            ways = [way for path, other in others for way in self._ways_to_put_back(touch, path, other)]
            original = self.tree.get(touch.path) if touch.to else None
            is_back = original is not None and original.data == touch.before.data
            return [None, *ways, *(self._with_replaced(touch, ()) if is_back else ())]
        ways = self._ways_to_put_back(touch, path, self.tree[path])
        if trail.mistaken:
            others = [(name, self.tree[name]) for name in trail.names if name in self.tree and name != path]
            ways = [*ways, *(way for name, other in others for way in self._ways_to_put_back(touch, name, other))]
        return ways if touch.after.birth not in self._tangled and not trail.mistaken else [*ways, None]

    def _ways_to_uncreate(self, touch: Touch, trail: Trail) -> list[Touches | None]:
        created_file = touch.after
        assert created_file is not None
        path = self._where(created_file)
        if path is not None:
            now = self.tree[path]
            same: list[Touches | None] = [(deletion(path, now),)] if now.data == created_file.data else [None]
            if created_file.birth not in self._tangled and not trail.mistaken:
                return same
            others = self._others(touch, trail) if trail.mistaken else []
            return [
                *same,
                None,
                (),
                *self._ways_to_delete(others, created_file),
            ]  # a possibly different file is left alone
        return [*self._ways_to_delete(self._others(touch, trail), created_file), (), None]

    def _ways_to_delete(self, others: Iterable[tuple[str, File]], created_file: File) -> list[Touches | None]:
        """The file that is mistaken for the created one is deleted, if it is equal to it."""
        return [(deletion(path, other),) for path, other in others if other.data == created_file.data]

    def _ways_to_undelete(self, path: str, deleted_file: File) -> list[Touches | None]:
        now = self.tree.get(path)
        if now is not None:
            return [() if now.data == deleted_file.data else None]
        back: Touches = (creation(path, deleted_file),)
        return [back] if self._where(deleted_file) is None else [back, (), None]

    def _ways_to_put_back(self, touch: Touch, path: str, now: File) -> list[Touches | None]:
        if touch.to is not None and path not in {touch.path, touch.to}:
            return [None]  # it has been renamed since
        data = self._content(touch, now)
        if data is None:
            return [None]
        assert touch.before is not None
        after = File(data, self._mode(touch, now), touch.before.birth)
        if touch.to is None or path == touch.path:
            return self._with_replaced(touch, () if after[:2] == now[:2] else (update(path, now, after),))
        if touch.path in self.tree:
            return [None]
        if touch.replaced is None:
            return [(rename(path, now, touch.path, after),)]
        return [(creation(touch.path, after), update(path, now, touch.replaced))]

    def _mode(self, touch: Touch, now: File) -> int:
        """The permission bits as they were, unless another program has set others since."""
        assert touch.before is not None
        assert touch.after is not None
        return touch.before.mode if touch.after.mode == now.mode else now.mode

    def _with_replaced(self, touch: Touch, touches: Touches) -> list[Touches | None]:
        """Also restore what a rename replaced, at a path from which the renamed file is gone."""
        if touch.replaced is None or touch.to is None:
            return [touches]
        return [None if way is None else touches + way for way in self._ways_to_undelete(touch.to, touch.replaced)]

    def _content(self, touch: Touch, now: File) -> bytes | None:
        """The content of a file without the change; None: a conflict."""
        assert touch.before is not None
        assert touch.after is not None
        if touch.before.data in {touch.after.data, now.data}:
            return now.data
        if now.data == touch.after.data:
            return touch.before.data
        merged = merge(*(self.sheets[data] for data in (touch.after.data, now.data, touch.before.data)))
        return None if merged is None else self.remember(merged)

    def _where(self, file: File) -> str | None:
        return next((path for path, other in self.tree.items() if other.birth == file.birth), None)

    def _others(self, touch: Touch, trail: Trail) -> list[tuple[str, File]]:
        """The content where the file was at some time, or where its name leads."""
        names = self._names(touch) | trail.names
        return [(path, file) for path, file in self.tree.items() if path in names]

    def _names(self, touch: Touch) -> set[str]:
        """Every name that the file had."""
        births = {file.birth for file in (touch.before, touch.after) if file is not None}
        touches = [recorded for change in self.changes for recorded in change.touches]
        return {
            path for recorded in touches for path, *files in recorded.ends() if births & {f.birth for f in files if f}
        }

    def _is_possible(self, touches: Touches) -> bool:
        """Whether no path is changed twice, and files have the folders they need, before and after."""
        ends = [end for touch in touches for end in touch.ends()]
        files = apply_touches(self.tree, touches)
        new = [path for path, before, after in ends if before is None and after is not None]
        return (
            len({path for path, _, _ in ends}) == len(ends)
            and not any(map(self.is_blocked, new))
            and not any(folder in files for path in new for folder in parent_folders(path))
        )
