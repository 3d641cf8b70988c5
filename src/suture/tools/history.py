"""`history`, `undo` and `redo`; the command `show`."""

from __future__ import annotations

from suture import shapes, wording
from suture.audience import AGENT
from suture.engine.revert import invert, invert_all
from suture.errors import (
    AlreadyUndone,
    InvalidArguments,
    NotHere,
    NothingToRedo,
    NothingToUndo,
    SessionNotFound,
    UndoConflict,
)
from suture.plan import Plan
from suture.shapes import UndoClash
from suture.tools import results, spec
from suture.tools.spec import Answer, Example, Proposal, Request, ToolSpec
from suture.wording import count, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from suture.budget import Excerpt
    from suture.engine.revert import Inverse
    from suture.engine.session import Session
    from suture.errors import SutureError
    from suture.files.database import Database
    from suture.plan import Change, ChangeRecord, Head, SessionInfo


_MAX_CHANGES = 1_000  # in one answer
_LISTED_CHANGES = 10  # by `undo`
_MIN_ID_CHARS = 4  # of the beginning of a session's id: a shorter one is rather a name
_NO_AGENTS = ("cli", "library")
_LISTED_SESSIONS = 5  # in an error: enough to find the last ones
_MAX_FILES = 20_000  # of all changes in one answer; the next answer continues from there
_SHOWN_FILES = 3  # of a change, in its line
_DONE = {"undo": "Undid", "redo": "Redid"}


class History(Request):
    """Arguments of `history`."""

    path: str | None = spec.text(
        "Only changes of this file (including its earlier names), or below this folder", default=None
    )
    limit: int = spec.integer("Maximum number of changes", default=20, minimum=1, maximum=_MAX_CHANGES)
    before: str | None = spec.text(
        "Only changes before this one, such as the `next` of an earlier answer", default=None
    )
    session: str | None = spec.text("Only changes of this session: its id, its name or its agent", default=None)


class Show(Request):
    """Arguments of `show`."""

    change_id: str = spec.text("The change, or the beginning of its id")


class RecordedFile(shapes.Data):
    """What a recorded change did to a file."""

    path: str = results.PATH
    action: str = shapes.text("What happened to it", results.ACTIONS)
    added: int = shapes.integer("Lines")
    removed: int = shapes.integer("Lines")
    to: str = shapes.text("Its new name, if it was renamed").optional


class ChangeSession(shapes.Data):
    """The session that made a change."""

    id: str = shapes.text("Of the session")
    agent: str = shapes.text("Such as claude-code; `library` or `cli` if only that is known")


class ChangeHead(shapes.Data):
    """Where the git repository was."""

    branch: str | None = shapes.text("Null if none was checked out").nullable
    commit: str | None = shapes.text("Null before the first one").nullable


class RecordedChange(shapes.Data):
    """A change in the history."""

    change_id: str = shapes.text("For undo")
    time: str = shapes.text("When it landed, in UTC, as RFC 3339")
    tool: str = shapes.text("What made it")
    summary: str = shapes.text("What it was")
    state: str = shapes.text("In effect, undone, or with a damaged record", ("landed", "undone", "damaged"))
    undoes: str | None = shapes.text("The change that it reverted, if it is an undo or redo").nullable
    also_undoes: list[str] = shapes.values("The other changes that it reverted, if there were several").optional
    session: ChangeSession | None = shapes.member("Who made it, if that is known", ChangeSession).nullable
    head: ChangeHead | None = shapes.member("Where the git repository was, if it was in one", ChangeHead).nullable
    files: list[RecordedFile] = shapes.objects("What it did", RecordedFile)


class HistoryResult(results.ToolData):
    """A part of the history."""

    changes: list[RecordedChange] = shapes.objects("Newest first", RecordedChange)
    next: str | None = shapes.text("Value of before for older changes; null if there are none").nullable


class ShowResult(RecordedChange):
    """A change and what it did to the files."""

    diff: str = shapes.text("What it changed, as a unified diff")


def history(session: Session, request: History) -> Answer:
    """List changes."""
    with session.history.reading() as database:
        before = None if request.before is None else database.change_or_damaged(request.before).number
        path = None if request.path is None else history_name(session, request.path)
        theirs = None if request.session is None else {each.id for each in find_sessions(database, request.session)}
        records: list[ChangeRecord] = []
        more, files = False, 0
        for change in database.changes(before) if path is None else _changes_of(database, path, before):
            session.checkpoint()
            if theirs is not None and (change.session is None or change.session.id not in theirs):
                continue
            if len(records) == request.limit or files > _MAX_FILES:
                more = True
                break
            records.append(change)
            files += len(change.files)
        changes = [recorded_change(database, change) for change in records]
    result = HistoryResult(changes=changes, next=changes[-1].change_id if more else None)
    lines = [_line(change, session.caller.id) for change in changes]
    lines = lines or [f"No changes{f' of {plain(path)}' if path else ''} are recorded."]
    if more:
        lines.append(f"… older changes: before {result.next}")
    return Answer("\n".join(lines), result.data(), more="use limit, path or before")


def find_sessions(database: Database, name: str) -> list[SessionInfo]:
    """The sessions with this id, the beginning of an id, or name; otherwise those of the agent with this name.

    The beginning of a name is not enough: another session may have all of it.
    """
    known = database.sessions()
    named = [info for info in known if name and name in {info.id, info.label}]
    begun = [info for info in known if len(name) >= _MIN_ID_CHARS and not info.label and info.id.startswith(name)]
    if found := named or begun or [info for info in known if info.agent == name]:
        return found
    last = [info for info in known if not is_anonymous(info)] or known
    raise SessionNotFound(session=name, candidates=[session_name(info) for info in last[:_LISTED_SESSIONS]])


def is_anonymous(session: SessionInfo) -> bool:
    """Whether nothing is known of a session but that a program or a command made its changes."""
    return not session.label and session.agent in _NO_AGENTS


def session_name(session: SessionInfo) -> str:
    """A session in words: its id and its agent."""
    return f"{session.id} ({session.agent})"


def show(session: Session, request: Show) -> Answer:
    """One change and its diff."""
    with session.history.reading() as database:
        record = database.change_or_damaged(request.change_id)
        change = recorded_change(database, record)
        result = ShowResult(**vars(change), diff=results.record_diff(database, record))
    return Answer(_line(change, session.caller.id), result.data(), below=results.excerpt(result.diff, session.settings))


def recorded_change(database: Database, change: ChangeRecord) -> RecordedChange:
    """A change of the history, with the numbers of lines that it added and removed."""
    files: list[RecordedFile] = []
    for file in change.files:
        added, removed = database.lines_changed(file)
        to = shapes.or_left_out(file.to)
        files.append(RecordedFile(path=file.path, action=file.action, added=added, removed=removed, to=to))
    return RecordedChange(
        change_id=change.id,
        time=time_of_id(change.id),
        tool=change.tool,
        summary=change.summary,
        state=change.state,
        undoes=change.undoes,
        also_undoes=shapes.or_left_out([*change.also_undoes] or None),
        session=None if change.session is None else ChangeSession(id=change.session.id, agent=change.session.agent),
        head=None if change.head is None else ChangeHead(branch=change.head.branch, commit=change.head.commit),
        files=files,
    )


def history_name(session: Session, path: str) -> str:
    """A path as the history names it, whether it is a file, a folder, or gone."""
    return session.locate(path.rstrip("/") or path[:1], folders=True).name


def _changes_of(database: Database, path: str, before: int | None) -> Iterator[ChangeRecord]:
    """The changes of one file, including its earlier names, or of all files below a folder; newest first."""
    for change in database.changes():
        names = [(file.path, file.to) for file in change.files]
        touches = any(is_below(name, path) for pair in names for name in pair)
        if touches and (before is None or change.number < before):
            yield change
        path = next((old for old, new in names if new == path), path)


def is_below(name: str | None, path: str) -> bool:
    """Whether a recorded name is this path, or is in this folder; the root is an empty path."""
    return name is not None and (path in {name, ""} or name.startswith(path.rstrip("/") + "/"))


def time_of_id(change_id: str) -> str:
    """The time at which a change or snapshot was made, as RFC 3339 in UTC."""
    from time import gmtime, strftime

    from suture.files.journal import time_of

    try:
        seconds = time_of(change_id)
    except ValueError:
        return ""  # the record was lost, and its id with it
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(seconds)) + f".{int(seconds % 1 * 1000):03d}Z"


def _line(change: RecordedChange, caller: str) -> str:
    """A change in one line; who made it is said unless it was this session."""
    files = [
        f"{file.action} {plain(file_name(file.data()))} +{file.added} -{file.removed}"
        for file in change.files[:_SHOWN_FILES]
    ]
    more = len(change.files) - len(files)
    files += [f"… {more} more"] if more > 0 else []
    if change.state == "damaged":
        name = f"{change.change_id} {change.time}" if change.time else change.change_id
        return f"{name} (damaged): its files are unknown"
    state = " (undone)" if change.state == "undone" else ""
    return f"{change.change_id} {change.time}{state} {_what(change, caller)}: {', '.join(files) or 'no files'}"


def _what(change: RecordedChange, caller: str) -> str:
    """What a change was, and who made it unless it was this session."""
    by = "" if change.session is None or change.session.id == caller else f" (by {plain(change.session.agent)})"
    return plain(about(vars(change))) + by


def file_name(file: dict[str, Any]) -> str:
    """The name of a change's file, or both names if it was renamed."""
    return f"{file['path']} => {file['to']}" if "to" in file else str(file["path"])


def about(change: dict[str, Any]) -> str:
    """A change in one line: its tool and its summary, which may already begin with the tool's name."""
    tool, summary = change["tool"], change["summary"].partition("\n")[0]
    if summary.startswith(tool):
        return str(summary)
    return f"{tool}: {summary}" if summary else str(tool)


HISTORY = ToolSpec(
    name="history",
    title="List the changes",
    description=(
        "List the changes that tools made in this workspace, newest first: change_id, time, tool, summary, whether it "
        "is undone, and each file with lines added and removed. With path, only the changes of that file or folder."
    ),
    request=History,
    examples=(
        Example(
            "The last changes",
            {"notes.txt": "one\n"},
            {"limit": 2},
            "<id> <time> transaction: an edit: update notes.txt +1 -0\n"
            "<id> <time> transaction: an edit: create new.txt +1 -0",
            earlier=({"new.txt": "1\n"}, {"notes.txt": "one\ntwo\n"}),
        ),
    ),
    read=history,
    result=HistoryResult,
)

SHOW = ToolSpec(
    name="show",
    title="Show a change",
    description="Show a recorded change: its files and its diff.",
    request=Show,
    examples=(),
    read=show,
)


class Undo(Request):
    """Arguments of `undo`."""

    change_id: str | None = spec.text(
        "The change, or the beginning of its id (default: the newest change of this session)", default=None
    )
    dry_run: bool = spec.DRY_RUN
    list: bool = spec.flag("List the last changes with their ids instead")
    session: str | None = spec.text(
        "Undo all changes of this session that are in effect: its id or its name", default=None, listed=False
    )
    partly: bool = spec.flag("With session: leave out the changes that conflict", listed=False)


class BriefUndo(Undo):
    """The arguments of `undo` that the profile `agent` lists."""

    change_id: str | None = spec.text("The change, or the beginning of its id", default=None, told=False)
    dry_run: bool = spec.flag("Show what would happen and change nothing", listed=False)
    list: bool = spec.flag("List the last changes with their ids instead")


class Redo(Request):
    """Arguments of `redo`."""

    change_id: str | None = spec.text("The undone change (default: the most recently undone one)", default=None)
    dry_run: bool = spec.DRY_RUN


class UndoFailure(results.ToolFailure):
    """The error of an undo or redo."""

    conflicts: list[UndoClash] = shapes.objects(
        "UNDO_CONFLICT: where later changes conflict; a side is null where there is no such file", UndoClash
    ).optional
    later: list[str] = shapes.values("UNDO_CONFLICT: later changes of these files, newest first").optional


_MERGED = shapes.flag("Whether later edits were kept by a merge")


class UndoResult(results.ToolData):
    """What an undo did."""

    failure = UndoFailure
    change_id: str | None = results.CHANGE_ID
    undone: str | None = shapes.text("The change that was undone; null for a list").nullable
    also_undone: list[str] = shapes.values("With session: the other changes that were undone").optional
    left: list[str] = shapes.values("With partly: the changes that stay").optional
    merged: bool = _MERGED
    files: list[results.ChangedFile] = results.FILES
    diff: str = results.DIFF
    dry_run: bool = results.DRY_RUN
    changes: list[RecordedChange] = shapes.objects("With list: the last changes, newest first", RecordedChange).optional
    next: str | None = shapes.text("With list: as in the result of history").nullable.optional


class RedoResult(results.ToolData):
    """What a redo did."""

    failure = UndoFailure
    change_id: str | None = results.CHANGE_ID
    redone: str = shapes.text("The change that was redone")
    merged: bool = _MERGED
    files: list[results.ChangedFile] = results.FILES
    diff: str = results.DIFF
    dry_run: bool = results.DRY_RUN


def plan_undo(session: Session, request: Undo) -> Proposal:
    """Plan to undo a change; with `list`, the plan changes nothing."""
    if request.list:
        return _list_changes(session)
    if request.session is not None:
        return _plan_session_undo(session, request.session, request)
    if request.partly:
        raise InvalidArguments.of("partly", "it needs a session")
    with session.history.reading() as database:
        change = _newest(session, database) if request.change_id is None else database.change(request.change_id)
        if change.state == "undone":
            raise AlreadyUndone(change_id=change.id)
        inverse = _invert_here(session, database, change)
    return _proposal(session, inverse, change, "undo", change.id, dry_run=request.dry_run)


def _own_only(session: Session) -> str | None:
    """The session whose newest change is meant if no other is named; None for a person at a terminal: any."""
    caller = session.caller
    return caller.id if caller.transport != "cli" or caller.label else None


def _newest_own(session: Session, database: Database, *, undo: bool) -> ChangeRecord | None:
    """The newest change of this session that is in effect; at a terminal, of any.

    Nothing is known of the programs that use the library without a name: one that has made no such change itself may
    have made those of the others in an earlier process.
    """
    own = _own_only(session)
    change = database.newest(undo=undo, session=own)
    if change is not None or own is None or not is_anonymous(session.caller):
        return change
    if any(made.session is not None and made.session.id == own and _is(made, undo=undo) for made in database.changes()):
        return None
    known = database.in_effect(undo=undo)
    return next((made for made in known if made.session is None or is_anonymous(made.session)), None)


def _is(change: ChangeRecord, *, undo: bool) -> bool:
    """Whether a change is an undo, or else whether it is neither an undo nor a redo."""
    return change.tool == "undo" if undo else change.tool not in {"undo", "redo"}


def _newest(session: Session, database: Database) -> ChangeRecord:
    """The change to undo if none is named."""
    if (change := _newest_own(session, database, undo=False)) is not None:
        return change
    own = _own_only(session)
    other = None if own is None else database.newest(undo=False)
    raise NothingToUndo(
        root=session.trees[0].root,
        all_undone=other is None and database.newest_id() != "",
        session=None if other is None else own,
        newest=None if other is None else other.id,
        by=session_name(other.session) if other and other.session else None,
    )


def _invert_here(session: Session, database: Database, change: ChangeRecord, operation: str = "undo") -> Inverse:
    """The inverse of a change; an error if it would have no effect, as on another branch."""
    try:
        inverse = invert(session, database, change)
    except UndoConflict as conflict:
        _add_branch(session, conflict, change)
        raise
    if not inverse.changes:
        raise _not_here(session, change, operation)
    return inverse


def _not_here(session: Session, change: ChangeRecord, operation: str = "undo") -> NotHere:
    subject = change.id if operation == "undo" else str(change.undoes)
    branch, now = _branch(change.head), _branch(session.head())
    return NotHere(change_id=subject, branch=branch, now=now, operation=operation)


def _add_branch(session: Session, conflict: UndoConflict, change: ChangeRecord) -> None:
    """Let a conflict say on which branch the change was made, if it was another one."""
    branch = _branch(change.head)
    if branch is not None and branch != _branch(session.head()):
        conflict.made_on = branch


def _branch(head: Head | None) -> str | None:
    return None if head is None else head.branch


def _plan_session_undo(session: Session, name: str, request: Undo) -> Proposal:
    """Plan to undo all changes of a session that are in effect, in one transaction."""
    if request.change_id is not None:
        raise InvalidArguments.of("session", "it cannot be combined with a change")
    with session.history.reading() as database:
        found = find_sessions(database, name)
        if len(found) > 1:
            candidates = [session_name(info) for info in found[:_LISTED_SESSIONS]]
            raise SessionNotFound(session=name, candidates=candidates, ambiguous=True)
        (whose,) = found
        changes = [*database.in_effect(session=whose.id)]
        if not changes:
            raise NothingToUndo(root=session.trees[0].root, all_undone=True, session=whose.id)
        try:
            group = invert_all(session, database, changes, partly=request.partly)
        except UndoConflict as conflict:
            _add_branch(session, conflict, database.change(conflict.change_id))
            raise
    if group.failed and not group.undone:
        raise group.failed[0][1]
    if not group.changes:  # also if the changes cancel each other out
        raise _not_here(session, changes[0])
    newest, *others = group.undone
    what = f"{count(len(group.undone), 'change')} of session {plain(session_name(whose))}"
    folders = tuple(dict.fromkeys(folder for change in group.undone for folder in change.folders))
    undoes = tuple(sorted(change.id for change in others))
    plan = Plan(group.changes, "undo", f"undo {what}", newest.id, folders, also_undoes=undoes)
    files, diff = results.changed_files(plan.changes), results.plan_diff(plan.changes)
    left = [f"{change.id} stays: {_why_it_stays(session, error)}" for change, error in group.failed]
    left += [f"{change.id} stays: it is not in the files." for change in group.idle]

    def describe(change: Change | None) -> Answer:
        merged = "; later edits are kept (merged)" if group.merged else ""
        if request.dry_run:
            words = wording.dry_run(f"would undo {what}{merged}")
        else:
            words = f"Undid {what}{f' as change {change.id}' if change else ''}{merged}."
        result = UndoResult(
            change_id=None if change is None else change.id,
            undone=newest.id,
            also_undone=[each.id for each in others],
            left=[*(each.id for each, _ in group.failed), *(each.id for each in group.idle)],
            merged=group.merged,
            files=files,
            diff=diff,
        )
        shown = forecast_diff(session, diff, change)
        return Answer("\n".join([words, *left]), result.data(), below=shown)

    return Proposal(plan, describe)


def _why_it_stays(session: Session, error: SutureError) -> str:
    if isinstance(error, UndoConflict):
        return "later changes conflict with it."
    return wording.message(error, session.audience)


def _list_changes(session: Session) -> Proposal:
    """The last changes, in place of an undo."""
    listed = history(session, History(path=None, limit=_LISTED_CHANGES, before=None, session=None))
    result = UndoResult(change_id=None, undone=None, merged=False, files=[], diff="")
    changes = [RecordedChange.read(change) for change in listed.data["changes"]]
    lines = [_brief_line(change, session.caller.id) for change in changes] or ["No changes are recorded."]
    if listed.data["next"] is not None:
        lines.append(f"… older ones are in `history` with before: {listed.data['next']}")
    answer = Answer("\n".join(lines), result.data() | listed.data)
    return Proposal(Plan(()), lambda _: answer)


def _brief_line(change: RecordedChange, caller: str) -> str:
    """A change in one short line: id, minute, what it was, and how much it changed."""
    if change.state == "damaged":
        return f"{change.change_id} (damaged)"
    state = " (undone)" if change.state == "undone" else ""
    added, removed = sum(file.added for file in change.files), sum(file.removed for file in change.files)
    number = f"{count(len(change.files), 'file')}, " if len(change.files) > 1 else ""
    what = _what(change, caller)
    return f"{change.change_id} {change.time[:16].replace('T', ' ')}{state} {what} ({number}+{added} -{removed})"


def plan_redo(session: Session, request: Redo) -> Proposal:
    """Plan to redo an undone change."""
    with session.history.reading() as database:
        undo = _find_undo(session, database, request.change_id)
        try:
            inverse = _invert_here(session, database, undo, "redo")
        except UndoConflict as error:
            redo = error.evolve(change_id=undo.undoes, operation="redo")
            redo.made_on = error.made_on
            raise redo from None
    return _proposal(session, inverse, undo, "redo", str(undo.undoes), dry_run=request.dry_run)


def _find_undo(session: Session, database: Database, change_id: str | None) -> ChangeRecord:
    """The undo to revert: the newest, that of the named change, or the named undo."""
    if change_id is None:
        record = _newest_own(session, database, undo=True)
    else:
        change = database.change(change_id)
        in_force = change.tool == "undo" and change.state == "landed"
        record = change if in_force else database.undo_of(change)
        change_id = change.id
    if record is None:
        raise NothingToRedo(change_id=change_id)
    return record


def _proposal(
    session: Session, inverse: Inverse, reverted: ChangeRecord, tool: str, subject: str, *, dry_run: bool
) -> Proposal:
    """Plan the inverse of a change; `subject` is the id of the change that is undone or redone."""
    summary = reverted.summary if tool == "undo" else reverted.summary.partition(": ")[2]  # "undo <id>: summary"
    about = f"{tool} {subject}: {summary}" if summary else f"{tool} {subject}"
    group = reverted.summary.removeprefix("undo ") if tool == "redo" and reverted.also_undoes else ""
    about = f"redo {group}" if group else about
    plan = Plan(inverse.changes, tool, about, reverted.id, reverted.folders)
    files, diff = results.changed_files(plan.changes), results.plan_diff(plan.changes)

    def describe(change: Change | None) -> Answer:
        what = group or (f"{subject} ({wording.plain(summary)})" if summary else subject)
        who = reverted.session if tool == "undo" else None
        theirs = who is not None and who.id != session.caller.id and not is_anonymous(who)
        what += f" by {plain(session_name(who))}" if who is not None and theirs else ""
        landed = f" as change {change.id}" if change is not None else ""
        merged_words = "; later edits are kept (merged)" if inverse.merged else ""
        if dry_run:
            words = wording.dry_run(f"would {tool} {what}{merged_words}")
        else:
            words = f"{_DONE[tool]} {what}{landed}{merged_words}."
        change_id, merged = None if change is None else change.id, inverse.merged
        result = (
            UndoResult(change_id=change_id, undone=subject, merged=merged, files=files, diff=diff)
            if tool == "undo"
            else RedoResult(change_id=change_id, redone=subject, merged=merged, files=files, diff=diff)
        )
        return Answer(words, result.data(), below=forecast_diff(session, diff, change))

    return Proposal(plan, describe)


def forecast_diff(session: Session, diff: str, change: Change | None) -> Excerpt:
    """The diff of a dry run, unless it is printed from the data. What landed is known by its change."""
    return results.excerpt("" if change is not None or session.audience.prints_data else diff, session.settings)


UNDO = ToolSpec(
    name="undo",
    title="Undo a change",
    description=(
        "Undo one change that a tool made: your newest, or any by its change_id. Later changes, including those of "
        "other programs, are kept by a three-way merge; if they touch the same lines, nothing is changed and "
        "UNDO_CONFLICT shows both sides. Content, creation, deletion, renames, mode, encoding and line endings are "
        "restored."
    ),
    request=Undo,
    examples=(
        Example(
            "The newest change",
            {"notes.txt": "one\ntwo\n"},
            {},
            "Undid <id> (an edit) as change <id>.",
            earlier=({"notes.txt": "one\n2\n"},),
        ),
    ),
    plan=plan_undo,
    result=UndoResult,
    serial=True,
    audience=AGENT,
)

BRIEF_UNDO = UNDO.evolve(
    description=(
        "Undo your newest change, or any one by change_id. Later edits are kept (merged); if they conflict, nothing "
        "changes."
    ),
    request=BriefUndo,
    result=None,
)
"""`undo` as the profile `agent` lists it."""
REDO = ToolSpec(
    name="redo",
    title="Redo a change",
    description=(
        "Redo an undone change: the most recently undone one, or the one named. Edits made since are kept by a "
        "three-way merge, or the call is refused with UNDO_CONFLICT."
    ),
    request=Redo,
    examples=(
        Example(
            "The most recently undone change",
            {"notes.txt": "one\ntwo\n"},
            {"dry_run": True},
            "Dry run: would redo <id> (an edit); nothing was written.\n\n"
            "diff --git a/notes.txt b/notes.txt\n--- a/notes.txt\n+++ b/notes.txt\n"
            "@@ -1,2 +1,2 @@\n one\n-two\n+2",
            earlier=({"notes.txt": "one\n2\n"}, "undo"),
        ),
    ),
    plan=plan_redo,
    result=RedoResult,
    serial=True,
)
