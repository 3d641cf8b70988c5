"""The command `forget`: remove contents from the history for good."""

from __future__ import annotations

from contextlib import suppress

from suture import shapes
from suture.errors import ChangeNotFound, InvalidArguments, NotRecorded, SutureError
from suture.files.forget import select
from suture.files.state import is_set_aside
from suture.records import Record
from suture.tools import results, spec
from suture.tools.history import is_below, time_of_id
from suture.tools.restore import recorded_path
from suture.tools.spec import Answer, Request, ToolSpec
from suture.wording import count, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suture.engine.session import Session
    from suture.files.database import Database
    from suture.files.forget import Selection

_SHOWN_CHANGES = 10  # in the text; the data lists all
_SHOWN_PATHS = 10  # as above


class Forget(Request):
    """Arguments of `forget`."""

    targets: list[str] = spec.texts("Files, folders, or ids of changes")
    dry_run: bool = spec.DRY_RUN


class ForgetResult(shapes.Data):
    """What was removed from the history for good."""

    paths: list[str] = shapes.values("The files, with all names that they have had")
    changes: list[str] = shapes.values("The changes that lost contents and their summaries, newest first")
    contents: int = shapes.integer("How many contents were removed")
    bytes: int = shapes.integer("Their total size")
    shared: list[str] = shapes.values("Other files that had one of these contents")
    in_workspace: list[str] = shapes.values("Files that have one of these contents now; the next edit records it")
    clipboards: list[str] = shapes.values("Clipboards that were removed, because their text came from these files")
    other_clipboards: list[str] = shapes.values("Clipboards that were kept")
    copies: list[str] = shapes.values("Other files of the state folder that may have these contents; they are kept")
    dry_run: bool = results.DRY_RUN


class _Targets(Record):
    """What is to be removed."""

    paths: tuple[str, ...]
    changes: tuple[int, ...]
    """The numbers of changes."""

    def wants(self, name: str) -> bool:
        """Whether a recorded path is one of these, or is below one of these folders."""
        return any(is_below(name, path) for path in self.paths)


def forget(session: Session, request: Forget) -> Answer:
    """Remove contents from the history, or say what would be removed."""
    if not request.targets:
        raise InvalidArguments.of("targets", "missing: the files, folders or changes")
    history = session.history
    with history.reading() as database:
        targets = _resolve(session, database, request.targets)
        selection = select(database, targets.wants, targets.changes) if request.dry_run else None
    if selection is None:
        selection = history.forget(lambda database: select(database, targets.wants, targets.changes))
        session.forget_contents()
    result = ForgetResult(
        paths=[*selection.paths],
        changes=[*selection.changes],
        contents=len(selection.contents | selection.doubtful | selection.unused),
        bytes=selection.size,
        shared=[*selection.shared],
        in_workspace=[*_in_workspace(session, selection)],
        clipboards=[*selection.clipboards],
        other_clipboards=sorted({name for _, name in selection.kept_clipboards}),
        copies=history.copies(selection.hashes),
        dry_run=shapes.or_left_out(request.dry_run or None),
    )
    shown = result.evolve(
        paths=[*map(session.audience.path, result.paths)],
        shared=[*map(session.audience.path, result.shared)],
        in_workspace=[*map(session.audience.path, result.in_workspace)],
    )
    return Answer("\n".join(_words(shown, selection, by_change=not targets.paths)), result.data())


def _resolve(session: Session, database: Database, names: Sequence[str]) -> _Targets:
    """The recorded paths and the changes that names mean; a path goes first."""
    paths, changes = [], []
    for name in names:
        try:
            paths.append(recorded_path(session, database, name))
        except NotRecorded as unknown:
            if any(is_below(known.clipboard.path, unknown.path) for known in database.clipboards.all()):
                paths.append(unknown.path)  # not recorded, but text of it was copied
                continue
            try:
                changes.append(database.change_or_damaged(name).number)
            except ChangeNotFound as error:
                if error.candidates:
                    raise
                raise unknown.evolve(is_point=False) from None
    return _Targets(tuple(paths), tuple(changes))


def _in_workspace(session: Session, selection: Selection) -> Iterator[str]:
    """The files that still have one of the contents."""
    for path in (*selection.paths, *selection.shared):
        with suppress(SutureError):  # unreadable, or no longer a file
            if session.read(path).content.digest in selection.hashes:
                yield path


def _words(result: ForgetResult, selection: Selection, *, by_change: bool) -> Iterator[str]:
    """What was or would be removed, for a person."""
    is_plan = result.dry_run is True
    files, number = _listed(result.paths), len(result.changes)
    if result.contents:
        what = f"{count(len(selection.contents), 'version')} of {files}"
        done = "Would remove" if is_plan else "Removed"
        yield f"{done} {what} from the history for good ({count(result.bytes, 'byte')})."
    else:
        yield f"The history has no version of {files or 'these files'}."
    if number:
        summaries = "its summary" if number == 1 else "their summaries"
        yield f"{count(number, 'change')} {'would lose' if is_plan else 'lost'} {summaries}:"
        yield from (f"  {change} {time_of_id(change)}".rstrip() for change in result.changes[:_SHOWN_CHANGES])
        yield from [f"  … {number - _SHOWN_CHANGES:,} more"] if number > _SHOWN_CHANGES else []
    if by_change:
        yield "Other versions of these files are kept. To remove all versions, name the files."
    yield from _remarks(result, selection)
    if is_plan:
        yield "The changes stay in the log, but these versions can no longer be shown, undone or restored."


def _remarks(result: ForgetResult, selection: Selection) -> Iterator[str]:
    """What else is removed, and what is not."""
    unknown = len(selection.doubtful | selection.unused)
    if unknown:
        yield f"Included: {count(unknown, 'more version')} of unknown files, which nobody can restore."
    if result.shared:
        yield f"Included: versions of {_listed(result.shared)} with the same content."
    if result.clipboards:
        yield f"Included: the clipboards {_listed(result.clipboards)}, with text from these files."
    if result.other_clipboards:
        yield f"Not included: the clipboards {_listed(result.other_clipboards)} (suture clipboards --clear)."
    if result.in_workspace:
        yield (
            f"The workspace still has one of these contents, in {_listed(result.in_workspace)}. If it has the secret, "
            "remove that first: the next edit or checkpoint records the content again."
        )
    aside = [path for path in result.copies if is_set_aside(path)]
    if aside:
        yield "Not removed: these damaged databases of this folder may contain the same contents. Delete them:"
        yield from (f"  {plain(path)}" for path in aside)
    others = [path for path in result.copies if path not in aside]
    if others:
        yield (
            "Not removed: the histories of other folders may contain one of these contents too. If it is a secret, run "
            "suture forget in those folders. Do not delete their databases:"
        )
        yield from (f"  {plain(path)}" for path in others)


def _listed(names: Sequence[str]) -> str:
    """Some names, and how many more there are."""
    more = len(names) - _SHOWN_PATHS
    shown = ", ".join(map(plain, names[:_SHOWN_PATHS]))
    return f"{shown} and {more:,} more" if more > 0 else shown


FORGET = ToolSpec(
    name="forget",
    title="Remove contents from the history",
    description="Remove all recorded contents of files, or those of a change, from the history for good.",
    request=Forget,
    examples=(),
    read=forget,
    locked=True,
)
