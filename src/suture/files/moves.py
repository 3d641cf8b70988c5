"""Where a file is now that had a path after some change: followed through renames, deletions, undos and restores.

A file has no name but its paths. It is the same file after a rename, if an undo of its deletion or a restore created it
again, or another program did with the same content. Another file at its path is a different one.

An undo of several changes records only the difference in the end, in which two files that were swapped look like two
updates, and a file that was renamed and deleted like a new one. So a file is followed through the undo of each change,
made where the files were then.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    from suture.plan import ChangeRecord, FileRecord


class _Step(Record):
    """What a change, or the undo of one of several, did to the names of files."""

    files: tuple[FileRecord, ...]
    ids: tuple[str, ...]
    """Of the step, and of those that it carries out again because it undoes their undo."""
    undone_ids: tuple[str, ...]
    is_restore: bool = False
    is_by_others: bool = False
    """Whether another program did it."""


class Moves:
    """What changes did to the names of files, in order."""

    def __init__(
        self,
        changes: Sequence[ChangeRecord],
        undone_by: Callable[[ChangeRecord], list[ChangeRecord]],
        by_others: Collection[str],
    ) -> None:
        """`changes` may get longer later. `undone_by` returns the earlier changes that a change undoes.

        `by_others`: the tools of changes that other programs made.
        """
        self.changes = changes
        self._undone_by = undone_by
        self._by_others = by_others
        self._read = 0
        self._steps: dict[str, list[_Step]] = {}
        self._numbers: list[int] = []
        self._records: list[tuple[_Step, FileRecord]] = []
        self._places: dict[str, list[int]] = {}

    def read(self) -> None:
        """Read the changes that were added since."""
        for change in self.changes[self._read :]:
            self._steps[change.id] = [*self._steps_of(change)]
        self._read = len(self.changes)

    def follow(self, path: str, since: int) -> tuple[str, bool]:
        """The path now of the file that had a path after the change with this number, and whether it exists."""
        deletions: set[tuple[str, str]] = set()
        deleted: set[tuple[str, str | None]] = set()
        names, there = {path}, True
        for step, file in self._records_of(names, since):
            if there and file.path == path and file.to is not None:
                path = file.to
                names.add(path)
            elif there and file.path == path and file.action == "delete":
                there = False
                deletions |= {(deleting, path) for deleting in step.ids}
                deleted.add((path, _digest_before(file)))
            elif not there and file.action == "create":
                brought_back = any((undone, file.path) in deletions for undone in step.undone_ids)
                same = step.is_by_others and (file.path, file.after and file.after.digest) in deleted
                there = brought_back or same or step.is_restore
                path = file.path if there else path
        return path, there

    def _steps_of(self, change: ChangeRecord) -> Iterator[_Step]:
        """The steps of a change, each added to the records before the next one is made."""
        undone = sorted(self._undone_by(change), key=lambda record: -record.number) if change.undoes else []
        known = len(undone) == len(change.undone_ids) and all(record.id in self._steps for record in undone)
        if known and sum(len(self._steps[record.id]) for record in undone) > 1:
            for record in undone:
                for step in reversed(self._steps[record.id]):
                    inverse = [self._inverse(file, record.number) for file in step.files]
                    made = tuple(file for file in inverse if file is not None)
                    ids = f"{change.id}/{step.ids[0]}", *step.undone_ids
                    yield self._add(_Step(made, ids, step.ids), change.number)
            return
        files = tuple(file for file in change.files if file.action != "update")
        redone = self._redone(change) if any(file.action == "delete" for file in files) else ()
        is_restore, is_by_others = change.tool == "restore", change.tool in self._by_others
        yield self._add(_Step(files, (change.id, *redone), change.undone_ids, is_restore, is_by_others), change.number)

    def _add(self, step: _Step, number: int) -> _Step:
        """Add a step of the change with a number to the records; what it creates comes last."""
        for file in sorted(step.files, key=lambda record: record.action == "create"):
            self._places.setdefault(file.path, []).append(len(self._records))
            self._numbers.append(number)
            self._records.append((step, file))
        return step

    def _inverse(self, file: FileRecord, since: int) -> FileRecord | None:
        """How the undo of what the change with a number did to a file finds it; None: not where it can be undone."""
        if file.action == "delete":
            return file.evolve(action="create", before=None, after=file.before)
        path, there = self.follow(file.to or file.path, since)
        if not there or (file.to is not None and path != file.to):
            return None
        if file.to is None:
            return file.evolve(action="delete", path=path, before=file.after, after=None)
        return file.evolve(path=path, to=file.path, before=file.after, after=file.before, replaced=None)

    def _redone(self, change: ChangeRecord) -> Iterator[str]:
        """The changes that this one carries out again, because it undoes an undo."""
        queue = [change]
        while queue:
            for undo in self._undone_by(queue.pop()):
                originals = self._undone_by(undo)
                yield from (original.id for original in originals)
                queue += originals

    def _records_of(self, names: set[str], since: int) -> Iterator[tuple[_Step, FileRecord]]:
        """The records about files with these names after a change; the set may grow meanwhile."""
        at = bisect_right(self._numbers, since)
        while True:
            following = (self._next(self._places.get(name, ()), at) for name in names)
            place = min(following, default=len(self._records))
            if place == len(self._records):
                return
            yield self._records[place]
            at = place + 1

    def _next(self, places: Sequence[int], at: int) -> int:
        """The first of these places from another one on; the end if there is none."""
        number = bisect_left(places, at)
        return places[number] if number < len(places) else len(self._records)


def _digest_before(file: FileRecord) -> str | None:
    return None if file.before is None else file.before.digest
