"""The commands `checkpoint` and `checkpoints`: take checkpoints of the whole tree, and list them."""

from __future__ import annotations

from suture import shapes, wording
from suture.engine.checkpoint import Taken, Wanted, take_checkpoint
from suture.errors import InvalidArguments
from suture.files.checkpoints import NAMED
from suture.tools import spec
from suture.tools.history import ChangeHead, ChangeSession, time_of_id
from suture.tools.spec import Answer, Request, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.engine.session import Session
    from suture.files.database import NamedPoint

_MAX_NAME_CHARS = 100  # characters of a checkpoint's name
_NAMED_FILES = 3  # in an answer


class Checkpoint(Request):
    """Arguments of `checkpoint`."""

    name: str | None = spec.text("Name of the new checkpoint", default=None)


class CheckpointResult(shapes.Data):
    """The checkpoint that was taken."""

    id: str = shapes.text("Its id")
    name: str | None = shapes.text("Its name").nullable
    files: int = shapes.integer("Files in the tree")
    unread: int = shapes.integer("Those that it leaves out: too large, or unreadable")
    change_id: str | None = shapes.text(
        "What other programs changed since the last checkpoint, as a change; null if nothing"
    ).nullable
    changed: int = shapes.integer("How many files they changed")
    withheld: list[str] = shapes.values("Files that changed (contents are not kept)")


def checkpoint(session: Session, request: Checkpoint) -> Answer:
    """Take a checkpoint of the tree as it is."""
    name = request.name
    if name is not None and (not name.strip() or len(name) > _MAX_NAME_CHARS or not name.isprintable()):
        raise InvalidArguments.of("name", f"expected a name of 1 to {_MAX_NAME_CHARS} printable characters")
    taken = take_checkpoint(session, Wanted(NAMED, name))
    result = checkpoint_result(taken)
    words = f"Took checkpoint '{name}'" if name else f"Took checkpoint {result.id}"
    return Answer(f"{words}: {describe(session, taken)}", result.data())


def checkpoint_result(taken: Taken) -> CheckpointResult:
    """A checkpoint as data."""
    assert taken.point is not None  # noqa: S101  it was wanted
    change = taken.change
    return CheckpointResult(
        id=taken.point.id,
        name=taken.point.name if taken.point.name != taken.point.id else None,
        files=taken.files,
        unread=taken.unread,
        change_id=None if change is None else change.id,
        changed=0 if change is None else len(change.files),
        withheld=[*taken.withheld],
    )


def describe(session: Session, taken: Taken) -> str:
    """What is in a checkpoint, and what happened before it."""
    words = [wording.count(taken.files, "file")]
    if taken.unread:
        words[0] += f", {taken.unread:,} of them left out (too large or unreadable)"
    if taken.change is not None:
        words.append(f"{taken.change.summary} since the last one (change {taken.change.id})")
    elif taken.withheld:
        names = ", ".join(wording.plain(session.audience.path(name)) for name in taken.withheld[:_NAMED_FILES])
        more = len(taken.withheld) - _NAMED_FILES
        words.append(f"{names}{f' and {more} more' if more > 0 else ''} changed (contents are not kept)")
    elif not taken.is_first:
        words.append("nothing changed outside suture since the last one")
    return "; ".join(words) + "."


class Checkpoints(Request):
    """Arguments of `checkpoints`: none."""


class CheckpointPoint(shapes.Data):
    """A checkpoint in the history."""

    id: str = shapes.text("Its id")
    name: str | None = shapes.text("Its name; null if it was taken automatically").nullable
    kind: str = shapes.text("Why it was taken", ("named", "start", "before", "restore", "snapshot"))
    about: str = shapes.text("The command or the agent it is about")
    time: str = shapes.text("When it was taken, in UTC, as RFC 3339")
    session: ChangeSession | None = shapes.member("Who took it", ChangeSession).nullable
    head: ChangeHead | None = shapes.member("Where git's HEAD was; null without git", ChangeHead).nullable
    damaged: bool = shapes.flag("True if its record is damaged; omitted otherwise").optional


class CheckpointsResult(shapes.Data):
    """All checkpoints."""

    checkpoints: list[CheckpointPoint] = shapes.objects("Oldest first", CheckpointPoint)


def checkpoints(session: Session, _: Checkpoints) -> Answer:
    """List the checkpoints."""
    with session.history.reading() as database:
        points = [_point(point) for point in database.snapshots()]
    lines = map(_line, reversed(points))
    return Answer("\n".join(lines) or "There are no checkpoints.", CheckpointsResult(checkpoints=points).data())


def _line(point: CheckpointPoint) -> str:
    reason = why(point.kind, point.about)
    parts = [point.name or point.id, point.time, *([reason] if reason else [])]
    return "  ".join(map(wording.plain, parts)) + (" (damaged)" if point.damaged is True else "")


def why(kind: str, about: str) -> str:
    """Why an automatic checkpoint was taken, in words."""
    return {
        "start": f"start of a session of {about}",
        "before": f"before: {about}",
        "restore": f"before restoring to {about}",
    }.get(kind, "")


def _point(point: NamedPoint) -> CheckpointPoint:
    record = point.record
    return CheckpointPoint(
        id=point.id,
        name=point.name if point.name != point.id else None,
        kind=record.kind,
        about=record.about,
        time=time_of_id(point.id),
        session=None if record.session is None else ChangeSession(id=record.session.id, agent=record.session.agent),
        head=None if record.head is None else ChangeHead(branch=record.head.branch, commit=record.head.commit),
        damaged=shapes.or_left_out(point.is_damaged or None),
    )


CHECKPOINT = ToolSpec(
    name="checkpoint",
    title="Take a checkpoint",
    description="Take a checkpoint of all files, and record what other programs changed since the last one.",
    request=Checkpoint,
    examples=(),
    read=checkpoint,
)

CHECKPOINTS = ToolSpec(
    name="checkpoints",
    title="List the checkpoints",
    description="List the checkpoints of the history.",
    request=Checkpoints,
    examples=(),
    read=checkpoints,
)
