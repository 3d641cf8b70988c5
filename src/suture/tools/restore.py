"""`restore` and what belongs to it, for the command line: files as they were at a point in the history."""

from __future__ import annotations

from suture import render
from suture.errors import ChangeNotFound, HistoryDamaged, InvalidArguments, NotRecorded
from suture.plan import Plan
from suture.revert import restore as restored
from suture.revert import take_snapshot
from suture.tools import outcome
from suture.tools.history import is_below, named, time_of_id
from suture.tools.request import Request, dry_run, text, texts
from suture.tools.spec import Answer, Proposal, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.files.logbook import LogBook
    from suture.plan import Change, Version
    from suture.session import Session

_LONGEST_NAME = 100


class Restore(Request):
    """Arguments of `restore`."""

    to: str | None = text("A change, right after which, or a snapshot; if left out, as last recorded", default=None)
    paths: list[str] = texts("Files and folders; all that changed since if left out")
    dry_run: bool = dry_run()


def plan_restore(session: Session, request: Restore) -> Proposal:
    """Plan to bring files back to a point."""
    if request.to is None and not request.paths:
        problem = "missing: a point to restore to, or the files to restore"
        raise InvalidArguments(problems=[{"argument": "to", "problem": problem}])
    with session.history.reading() as book:
        state, folders, sure, damage = _state(book, request.to, named=bool(request.paths))
        wanted = [_known(session, book, path) for path in request.paths]
        if damage is not None and not (wanted and sure.issuperset(wanted)):
            raise damage
        if wanted:
            state = {name: each for name, each in state.items() if any(is_below(name, path) for path in wanted)}
            near = [each for each in folders if any(is_below(each, path) or is_below(path, each) for path in wanted)]
            folders = tuple(near)
        changes = restored(session, book, state)
    what = f"to {request.to}" if request.to else "to the last recorded state"
    plan = Plan(tuple(changes), "restore", f"restore {what}", None, folders)
    files, diff = outcome.files(plan.changes), outcome.plan_diff(plan.changes)

    def describe(change: Change | None) -> Answer:
        words = f"{'Would restore' if request.dry_run else 'Restored'} {render.count(len(files), 'file')} {what}"
        words += f" as change {change.id}; undo it to have back what it replaced." if change is not None else "."
        shown = outcome.cut(diff, session.settings)
        data = {"change_id": None if change is None else change.id, "to": request.to, "files": files, "diff": diff}
        return Answer(
            f"{words}\n\n{shown}" if files else f"No change: {_count(len(state))} already in that state.", data
        )

    return Proposal(plan, describe)


def _count(number: int) -> str:
    return "1 file is" if number == 1 else f"{number} files are"


def _state(
    book: LogBook, to: str | None, *, named: bool
) -> tuple[dict[str, Version | None], tuple[str, ...], set[str], HistoryDamaged | None]:
    """What stood at each path at a point, and the folders that were made since.

    If a record is damaged that would have to say so, that is the last one, after the paths that are known all the same.
    Of a file that neither this change nor a later one touched, that is known only as well as an earlier one left it:
    others may have written it before that point or after. So it counts where files are named, and not for all.
    """
    if to is None:
        last = book.last_state()
        return last.files, (), last.files.keys() - last.doubtful, last.damage
    snapshot = book.snapshot(to)
    try:
        change = book.change(to) if snapshot is None else None
    except ChangeNotFound as error:
        names = [each.name for each in book.snapshots() if not each.is_damaged]
        fields = {**error.fields(), "snapshots": names}
        raise ChangeNotFound(**fields) from None
    number = change.number if change is not None else snapshot.after_change if snapshot is not None else 0
    at_point: dict[str, Version | None] = {}
    if change is not None:
        at_point = {path: after for file in change.files for path, _, after in file.versions()}
    if snapshot is not None:
        at_point = book.snapshot_files(snapshot)
    state = book.state_after(number) | at_point
    damaged = book.damaged_since(number)
    damage = None if damaged is None else HistoryDamaged(what="change", name=damaged.id)
    sure = set(state if damage is None else at_point)
    if named:
        before = book.last_state(number)
        state = before.files | state
        if damage is None:
            damage = before.damage
            sure |= before.files.keys() - before.doubtful
    made = [folder for change in book.changes_since(number) for folder in change.folders]
    return state, tuple(dict.fromkeys(made)), sure, damage


def _known(session: Session, book: LogBook, path: str) -> str:
    """The path as the history names it, if it has seen it or something below it."""
    known = book.paths()
    path = path if path in known else named(session, path)  # a link now, perhaps, but a file once
    if not any(is_below(name, path) for name in known):
        from difflib import get_close_matches  # only a failure needs it

        raise NotRecorded(path=path, near=get_close_matches(path, known, 3, 0.8))
    return path


def check_name(name: str) -> None:
    """Refuse what no snapshot can be called."""
    if not name.strip() or len(name) > _LONGEST_NAME or not name.isprintable():
        problem = f"expected a name of 1 to {_LONGEST_NAME} printable characters"
        raise InvalidArguments(problems=[{"argument": "name", "problem": problem}])


def snapshot(session: Session, name: str, paths: Sequence[str]) -> Answer:
    """Name this point, and keep the files as they stand. The workspace is locked."""
    taken = take_snapshot(session, name, paths)
    words = f"Took snapshot '{name}' with {render.count(taken.kept, 'file')}: "
    words += "those that suture changed here, and those named." if taken.kept else "suture has changed none here yet."
    if taken.skipped:
        words += f" Not kept, for they cannot be read: {', '.join(map(render.plain, taken.skipped))}."
    return Answer(words, {"name": name, "id": taken.point.id, "files": taken.kept, "skipped": list(taken.skipped)})


class Snapshots(Request):
    """Arguments of `snapshots`: none."""


def snapshots(session: Session, _: Snapshots) -> Answer:
    """List the named points."""
    with session.history.reading() as book:
        found = [
            {"name": each.name, "id": each.id, "time": time_of_id(each.id)}
            | ({"damaged": True} if each.is_damaged else {})
            for each in book.snapshots()
        ]
    lines = [
        f"{render.plain(str(each['name']))}  {each['time']}{' (damaged)' if 'damaged' in each else ''}"
        for each in reversed(found)
    ]
    return Answer("\n".join(lines) or "There are no snapshots.", {"snapshots": found})


SNAPSHOTS = ToolSpec(
    name="snapshots",
    title="List the snapshots",
    description="The named points of the history.",
    request=Snapshots,
    examples=(),
    read=snapshots,
)

RESTORE = ToolSpec(
    name="restore",
    title="Restore files",
    description="Bring files back to the state right after a change, at a snapshot, or as last recorded.",
    request=Restore,
    examples=(),
    plan=plan_restore,
    serial=True,
)
