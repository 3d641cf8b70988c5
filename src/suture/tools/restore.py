"""`restore`: bring files back to a checkpoint, to the state after a change, or to the last recorded state."""

from __future__ import annotations

from suture import shapes, wording
from suture.engine.checkpoint import before_restore, check_idle
from suture.engine.revert import plan_possible
from suture.engine.revert import restore as plan_versions
from suture.errors import ChangeNotFound, DeletionsNotConfirmed, HistoryDamaged, InvalidArguments, NotRecorded
from suture.files.database import SNAPSHOT
from suture.files.scan import LeftOut
from suture.plan import Delete, Plan
from suture.records import Record
from suture.tools import results, spec
from suture.tools.history import forecast_diff, history_name, is_below
from suture.tools.spec import Answer, Proposal, Request, ToolSpec
from suture.wording import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suture.engine.session import Session
    from suture.files.database import Database, NamedPoint
    from suture.plan import Change, Version

_MAX_NAMES = 20  # of checkpoints, if one is not found
_MAX_LEFT = 10  # files that a restore leaves, in the text: the data has all
_MAX_NAMED_DELETIONS = 100  # in an error


class Restore(Request):
    """Arguments of `restore`."""

    to: str | None = spec.text(
        "Restore to this checkpoint, or to the state after this change (default: the last recorded state)", default=None
    )
    paths: list[str] = spec.texts("Files and folders (default: all that changed since)")
    dry_run: bool = spec.DRY_RUN
    yes: bool = spec.flag("Delete the files created since the checkpoint")
    deletions: list[str] = spec.texts(
        "Delete only these of the files created since the checkpoint; fail if there are others"
    )
    any_head: bool = spec.flag("Restore even if git's HEAD has moved since the checkpoint")
    during_git: bool = spec.flag("Restore even if a merge, rebase or other git operation is in progress")


class RestoreResult(shapes.Data):
    """What was restored."""

    change_id: str | None = results.CHANGE_ID
    to: str | None = shapes.text("The checkpoint or change; null for the last recorded state").nullable
    files: list[results.ChangedFile] = results.FILES
    diff: str = results.DIFF
    dry_run: bool = results.DRY_RUN
    checkpoint: str | None = shapes.text("The id of the checkpoint, if it is one; else null").nullable
    deleted: list[str] = shapes.values("The files created since, which are deleted")
    left: list[str] = shapes.values(
        "Files that are left as they are, although they may differ: protected, too large, or of unknown content"
    )


def plan_restore(session: Session, request: Restore) -> Proposal:
    """Plan to restore files to a point."""
    if request.to is None and not request.paths:
        problem = "missing: a point to restore to, or the files to restore"
        raise InvalidArguments.of("to", problem)
    checkpoint = None if request.to is None else _checkpoint(session, request.to)
    if checkpoint is not None:
        options = {"any_head": request.any_head, "during_git": request.during_git}
        before_restore(session, checkpoint, dry_run=request.dry_run, **options)
    with session.history.reading() as database:
        state = _state(database, request.to if checkpoint is None else checkpoint.name, named=bool(request.paths))
        versions, folders = _restrict(session, database, state, request.paths)
        left: list[str] = []
        if checkpoint is None:
            changes = plan_versions(session, database, versions)
        else:
            out = LeftOut(session.trees[0])
            left_out = {name for name in (*versions, *folders) if not name.startswith("/") and out.has(f"{name}/")}
            folders = tuple(folder for folder in folders if folder not in left_out)
            possible = {name: version for name, version in versions.items() if name not in left_out}
            changes, left = plan_possible(session, database, possible)
            left += sorted(left_out.intersection(versions))
            left += _too_large(session, database, request.paths, state)
        point = _point(database, request.to)
    deleted = [] if checkpoint is None else [file.place.name for file in changes if isinstance(file, Delete)]
    if checkpoint is not None and not request.during_git:  # nested repositories too
        check_idle(session, (file.place.path.rpartition("/")[0] for file in changes if not file.place.root))
    if not request.dry_run:
        _check_deletions(request, deleted)
    plan = Plan(tuple(changes), "restore", f"restore {point}", None, folders)
    files, diff = results.changed_files(plan.changes), results.plan_diff(plan.changes)

    def describe(change: Change | None) -> Answer:
        what = f"{wording.count(len(files), 'file')} {point}"
        if not files:
            are = "is" if len(versions) == 1 else "are"
            words = f"No change: {wording.count(len(versions), 'file')} {are} already in that state."
            if checkpoint is not None:
                words = "No change: the files that checkpoints contain are already in that state."
        elif change is None:
            words = wording.dry_run(f"would restore {what}")
        else:
            words = f"Restored {what} as change {change.id}."
        result = RestoreResult(
            change_id=None if change is None else change.id,
            to=request.to,
            files=files,
            diff=diff,
            checkpoint=None if checkpoint is None else checkpoint.id,
            deleted=deleted,
            left=left,
        )
        words = "\n".join([words, *_file_lines(session, [] if change else deleted, left)])
        return Answer(words, result.data(), below=forecast_diff(session, diff, change))

    return Proposal(plan, describe)


def _file_lines(session: Session, deleted: list[str], left: list[str]) -> Iterator[str]:
    """The files that would be deleted, and those that are left."""
    if deleted:
        yield "Created since, to be deleted:"
        yield from (f"  {plain(session.audience.path(name))}" for name in deleted)
    if left:
        names = ", ".join(plain(session.audience.path(name)) for name in left[:_MAX_LEFT])
        more = f" and {len(left) - _MAX_LEFT} more" if len(left) > _MAX_LEFT else ""
        yield f"Left as they are (protected, too large for a checkpoint, in none, or of unknown content): {names}{more}"


def _too_large(session: Session, database: Database, given: Sequence[str], state: _State) -> Iterator[str]:
    """The files, of those that are given, that no checkpoint contains, so that they may have changed since."""
    paths = [recorded_path(session, database, path) for path in given] or [""]
    for name in database.unread_paths():
        if name not in state.versions and any(not path or is_below(name, path) for path in paths):
            yield name


def _restrict(
    session: Session, database: Database, state: _State, given: Sequence[str]
) -> tuple[dict[str, Version | None], tuple[str, ...]]:
    """The files to restore and the folders created since, of those that are given."""
    paths = [recorded_path(session, database, path) for path in given]
    if state.damage is not None and not (paths and state.certain.issuperset(paths)):
        raise state.damage
    if not paths:
        return state.versions, state.new_folders
    versions = {
        name: version for name, version in state.versions.items() if any(is_below(name, path) for path in paths)
    }
    folders = (
        folder
        for folder in state.new_folders
        if any(is_below(folder, path) or is_below(path, folder) for path in paths)
    )
    return versions, tuple(folders)


def _checkpoint(session: Session, name: str) -> NamedPoint | None:
    """The checkpoint with a name, or whose id begins with it; None if it is not one."""
    with session.history.reading() as database:
        point = database.snapshot(name)
        if point is None:
            ids = [point for point in database.snapshots() if point.id.startswith(name.lower()) and name]
            point = ids[0] if len(ids) == 1 and not database.ids_with_prefix(name.lower()) else None
        if point is not None and point.is_damaged:
            raise HistoryDamaged(what="checkpoint", name=name)
    return point if point is not None and point.record.kind != SNAPSHOT else None


def _check_deletions(request: Restore, deleted: list[str]) -> None:
    """Refuse to delete files that nobody has confirmed."""
    unconfirmed = [] if request.yes else [name for name in deleted if name not in set(request.deletions)]
    if unconfirmed:
        raise DeletionsNotConfirmed(paths=unconfirmed[:_MAX_NAMED_DELETIONS], total=len(unconfirmed))


def _point(database: Database, to: str | None) -> str:
    """A point to restore to, in words."""
    if to is None:
        return "to the last recorded state"
    point = database.snapshot(to)
    if point is None:
        return f"to change {to}" if database.ids_with_prefix(to.lower()) else f"to checkpoint {to}"
    return f"to {'snapshot' if point.record.kind == SNAPSHOT else 'checkpoint'} '{to}'"


class _State(Record):
    """The recorded files at a point."""

    versions: dict[str, Version | None]
    """Of the file at each path; None: no file."""
    new_folders: tuple[str, ...]
    """The folders created since."""
    certain: set[str]
    """The paths whose version is certain, in spite of the damage."""
    damage: HistoryDamaged | None


def _state(database: Database, to: str | None, *, named: bool) -> _State:
    """The files at a point.

    If a record that the state depends on is damaged, only some paths are certain. For a file that neither this change
    nor a later one touched, the only evidence is the state after an earlier change: other programs may have written it
    before the point or after. So this state is used only for files that are named, not for all files.
    """
    if to is None:
        last = database.last_state()
        return _State(last.files, (), last.files.keys() - last.doubtful, last.damage)
    snapshot = database.snapshot(to)
    try:
        change = database.change(to) if snapshot is None else None
    except ChangeNotFound as error:
        raise error.evolve(checkpoints=_names(database)) from None
    number = change.number if change is not None else snapshot.after_change if snapshot is not None else 0
    at_point: dict[str, Version | None] = {}
    if change is not None:
        at_point = {path: after for file in change.files for path, _, after in file.versions()}
    if snapshot is not None:
        at_point = database.snapshot_files(snapshot)
    versions = database.state_after(number) | at_point
    damaged_change = database.damaged_since(number)
    damage = None if damaged_change is None else HistoryDamaged(what="change", name=damaged_change.id)
    certain = set(versions if damage is None else at_point)
    is_checkpoint = snapshot is not None and snapshot.record.kind != SNAPSHOT
    if named and not is_checkpoint:  # what has not changed since a checkpoint is as it was
        before = database.last_state(number)
        versions = before.files | versions
        if damage is None:
            damage = before.damage
            certain |= before.files.keys() - before.doubtful
    new_folders = [folder for change in database.changes_since(number) for folder in change.folders]
    return _State(versions, tuple(dict.fromkeys(new_folders)), certain, damage)


def _names(database: Database) -> list[str]:
    """The names of the newest checkpoints that somebody named."""
    points = [point for point in database.snapshots() if not point.is_damaged and point.name != point.id]
    return [point.name for point in points[-_MAX_NAMES:]]


def recorded_path(session: Session, database: Database, path: str) -> str:
    """The path as the history names it; refuses one that is not in the history, nor has anything below it there."""
    known, as_given = list(dict.fromkeys((*database.paths(), *database.tree_paths()))), path
    path = path if path in known else history_name(session, path)  # a file may have become a link
    if not any(is_below(name, path) for name in known):
        from difflib import get_close_matches  # only a failure needs it

        near = get_close_matches(path, known, 3, 0.8)
        raise NotRecorded(path=path, near=near, is_point=_is_point(database, as_given))
    return path


def _is_point(database: Database, name: str) -> bool:
    """Whether a checkpoint has this name, or a change this id."""
    if any(point.name == name for point in database.snapshots()):
        return True
    try:
        database.change_or_damaged(name)
    except ChangeNotFound:
        return False
    return True


RESTORE = ToolSpec(
    name="restore",
    title="Restore files",
    description="Restore files to a checkpoint, to the state after a change, or to the last recorded state.",
    request=Restore,
    examples=(),
    plan=plan_restore,
    serial=True,
)
