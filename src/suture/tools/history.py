"""`history`: what landed in the workspace, newest first; and one change with its diff, for the command line."""

from __future__ import annotations

from suture.render import plain
from suture.tools import outcome
from suture.tools.request import Request, integer, text
from suture.tools.spec import Answer, Example, ToolSpec

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from suture.files.logbook import LogBook
    from suture.plan import ChangeRecord
    from suture.session import Session

_MOST = 1_000
_MOST_FILES = 20_000  # of all changes of one answer; the next one goes on from there
_SHOWN_FILES = 3


class History(Request):
    """Arguments of `history`."""

    path: str | None = text(
        "Only changes of this file, also under its earlier names, or below this folder", default=None
    )
    limit: int = integer("How many changes", default=20, minimum=1, maximum=_MOST)
    before: str | None = text("Only changes before this one: `next` of an earlier answer", default=None)


class Show(Request):
    """Arguments of `show`."""

    change_id: str = text("The change, or the beginning of its id")


def history(session: Session, request: History) -> Answer:
    """List changes."""
    with session.history.reading() as book:
        before = None if request.before is None else book.listed(request.before).number
        path = None if request.path is None else named(session, request.path)
        found: list[ChangeRecord] = []
        more, files = False, 0
        for change in book.changes(before) if path is None else _touching(book, path, before):
            session.checkpoint()
            if len(found) == request.limit or files > _MOST_FILES:
                more = True
                break
            found.append(change)
            files += len(change.files)
        changes = [described(book, change) for change in found]
    data = {"changes": changes, "next": changes[-1]["change_id"] if more else None}
    lines = [_line(change) for change in changes] or [f"No changes{f' of {plain(path)}' if path else ''} are recorded."]
    if more:
        lines.append(f"… older ones: before {data['next']}")
    return Answer("\n".join(lines), data)


def show(session: Session, request: Show) -> Answer:
    """One change and its diff."""
    with session.history.reading() as book:
        change = book.listed(request.change_id)
        data = {**described(book, change), "diff": outcome.record_diff(book, change)}
    return Answer(f"{_line(data)}\n\n{outcome.cut(data['diff'], session.settings)}".rstrip(), data)


def described(book: LogBook, change: ChangeRecord) -> dict[str, Any]:
    """A change as data."""
    files = []
    for file in change.files:
        added, removed = book.lines_changed(file)
        files.append({"path": file.path, "action": file.action, "added": added, "removed": removed})
        if file.to is not None:
            files[-1]["to"] = file.to
    return {
        "change_id": change.id,
        "time": time_of_id(change.id),
        "tool": change.tool,
        "summary": change.summary,
        "state": change.state,
        "undoes": change.undoes,
        "files": files,
    }


def named(session: Session, path: str) -> str:
    """A path as the history names it, whether a file stands there, a folder, or nothing any more."""
    return session.locate(path.rstrip("/") or path[:1], folders=True).name


def _touching(book: LogBook, path: str, before: int | None) -> Iterator[ChangeRecord]:
    """Changes of one file, newest first, also under the names it had; or of all files below a folder."""
    for change in book.changes():
        names = [(file.path, file.to) for file in change.files]
        touches = any(is_below(name, path) for pair in names for name in pair)
        if touches and (before is None or change.number < before):
            yield change
        path = next((old for old, new in names if new == path), path)


def is_below(name: str | None, path: str) -> bool:
    """Whether a recorded name is this path, or lies in this folder; the root is an empty path."""
    return name is not None and (path in {name, ""} or name.startswith(path.rstrip("/") + "/"))


def time_of_id(change_id: str) -> str:
    """When a change or a snapshot was made, as RFC 3339 in UTC."""
    from time import gmtime, strftime

    from suture.files.journal import time_of

    try:
        seconds = time_of(change_id)
    except ValueError:
        return ""  # it was lost, and its id with it
    return strftime("%Y-%m-%dT%H:%M:%S", gmtime(seconds)) + f".{int(seconds % 1 * 1000):03d}Z"


def _line(change: dict[str, Any]) -> str:
    files = [
        f"{each['action']} {plain(file_name(each))} +{each['added']} -{each['removed']}"
        for each in change["files"][:_SHOWN_FILES]
    ]
    more = len(change["files"]) - len(files)
    files += [f"… {more} more"] if more > 0 else []
    if change["state"] == "damaged":
        return f"{change['change_id']} {change['time']} (damaged): what it changed is unknown".replace("  ", " ")
    state = " (undone)" if change["state"] == "undone" else ""
    what = plain(about(change))
    return f"{change['change_id']} {change['time']}{state} {what}: {', '.join(files) or 'no files'}"


def file_name(file: dict[str, Any]) -> str:
    """A file of a change, with both names if it was renamed."""
    return f"{file['path']} => {file['to']}" if "to" in file else str(file["path"])


def about(change: dict[str, Any]) -> str:
    """What a change was, in one line: its summary says the tool's name already where there is nothing else to say."""
    tool, summary = change["tool"], change["summary"].partition("\n")[0]
    if summary.startswith(tool):
        return str(summary)
    return f"{tool}: {summary}" if summary else str(tool)


HISTORY = ToolSpec(
    name="history",
    title="List the changes",
    description=(
        "List what tools changed in this workspace, newest first: change_id, time, tool, summary, whether it is "
        "undone, and each file with lines added and removed. With path, only the changes of that file or folder."
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
)

SHOW = ToolSpec(
    name="show",
    title="Show a change",
    description="One recorded change: what it did to which files, and its diff.",
    request=Show,
    examples=(),
    read=show,
)
