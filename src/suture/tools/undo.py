"""`undo` and `redo`: take a change back, and take that back, keeping what came later."""

from __future__ import annotations

from suture import render
from suture.errors import AlreadyUndone, NothingToRedo, NothingToUndo, UndoConflict
from suture.plan import Plan
from suture.revert import invert
from suture.tools import outcome
from suture.tools.request import Request, dry_run, text
from suture.tools.spec import Answer, Example, Proposal, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.files.logbook import LogBook
    from suture.plan import Change, ChangeRecord
    from suture.revert import Inverse
    from suture.session import Session


_DONE = {"undo": "Undid", "redo": "Redid"}
_NOTHING = {"undo": "the files are already in that state", "redo": "the files are as they were before the undo"}


class Undo(Request):
    """Arguments of `undo`."""

    change_id: str | None = text("The change, or the beginning of its id; the newest one if left out", default=None)
    dry_run: bool = dry_run()


class Redo(Request):
    """Arguments of `redo`."""

    change_id: str | None = text("The undone change; the most recently undone one if left out", default=None)
    dry_run: bool = dry_run()


def plan_undo(session: Session, request: Undo) -> Proposal:
    """Plan to take a change back."""
    with session.history.reading() as book:
        change = book.newest(undo=False) if request.change_id is None else book.change(request.change_id)
        if change is None:
            raise NothingToUndo(root=session.trees[0].root)
        if change.state == "undone":
            raise AlreadyUndone(change_id=change.id)
        inverse = invert(session, book, change)
    return _proposal(session, inverse, change, done=("undo", "undone", change.id), dry_run=request.dry_run)


def plan_redo(session: Session, request: Redo) -> Proposal:
    """Plan to take an undo back."""
    with session.history.reading() as book:
        undoing = _undoing(book, request.change_id)
        try:
            inverse = invert(session, book, undoing)
        except UndoConflict as error:
            fields = {**error.fields(), "change_id": undoing.undoes, "operation": "redo"}
            raise UndoConflict(**fields) from None
    return _proposal(session, inverse, undoing, done=("redo", "redone", str(undoing.undoes)), dry_run=request.dry_run)


def _undoing(book: LogBook, change_id: str | None) -> ChangeRecord:
    """The undo that is to be taken back: the newest, that of a change, or the one named itself."""
    if change_id is None:
        found = book.newest(undo=True)
    else:
        change = book.change(change_id)
        in_force = change.tool == "undo" and change.state == "landed"
        found = change if in_force else book.undoing(change)
        change_id = change.id
    if found is None:
        raise NothingToRedo(change_id=change_id)
    return found


def _proposal(
    session: Session, inverse: Inverse, undoes: ChangeRecord, *, done: tuple[str, str, str], dry_run: bool
) -> Proposal:
    tool, key, subject = done
    summary = undoes.summary if tool == "undo" else undoes.summary.partition(": ")[2]  # "undo <id>: summary"
    about = f"{tool} {subject}: {summary}" if summary else f"{tool} {subject}"
    plan = Plan(inverse.changes, tool, about, undoes.id, undoes.folders)
    files, diff = outcome.files(plan.changes), outcome.plan_diff(plan.changes)

    def describe(change: Change | None) -> Answer:
        words = f"Would {tool} {subject}" if dry_run else f"{_DONE[tool]} {subject}"
        words += f" ({render.plain(summary)})" if summary else ""
        words += f" as change {change.id}" if change is not None else ""
        words += "; later edits are kept (merged)." if inverse.merged else "."
        if not files:
            words = f"No change: nothing to {tool} for {subject}; {_NOTHING[tool]}."
        shown = outcome.cut(diff, session.settings)
        return Answer(
            text=f"{words}\n\n{shown}" if shown else words,
            data={
                "change_id": None if change is None else change.id,
                key: subject,
                "merged": inverse.merged,
                "files": files,
                "diff": diff,
            },
        )

    return Proposal(plan, describe)


UNDO = ToolSpec(
    name="undo",
    title="Take a change back",
    description=(
        "Take back one change that a tool made: the newest, or any by its change_id. Later changes, also by others, "
        "are kept by a three-way merge; where they touch the same lines, nothing is changed and UNDO_CONFLICT shows "
        "both sides. Content, creation, deletion, renames, mode, encoding and line endings come back."
    ),
    request=Undo,
    examples=(
        Example(
            "The newest change",
            {"notes.txt": "one\ntwo\n"},
            {},
            "Undid <id> (an edit) as change <id>.\n\n"
            "diff --git a/notes.txt b/notes.txt\n--- a/notes.txt\n+++ b/notes.txt\n"
            "@@ -1,2 +1,2 @@\n one\n-2\n+two",
            earlier=({"notes.txt": "one\n2\n"},),
        ),
    ),
    plan=plan_undo,
    serial=True,
)

REDO = ToolSpec(
    name="redo",
    title="Take an undo back",
    description=(
        "Do again what undo took back: the most recently undone change, or the one named. Edits made since are kept "
        "by a three-way merge, or the call is refused with UNDO_CONFLICT."
    ),
    request=Redo,
    examples=(
        Example(
            "The change that was undone last",
            {"notes.txt": "one\ntwo\n"},
            {"dry_run": True},
            "Would redo <id> (an edit).\n\ndiff --git a/notes.txt b/notes.txt\n--- a/notes.txt\n+++ b/notes.txt\n"
            "@@ -1,2 +1,2 @@\n one\n-two\n+2",
            earlier=({"notes.txt": "one\n2\n"}, "undo"),
        ),
    ),
    plan=plan_redo,
    serial=True,
)
