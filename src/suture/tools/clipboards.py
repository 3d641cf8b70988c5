"""The commands that list and clear clipboards, and how answers name one."""

from __future__ import annotations

from suture import shapes, wording
from suture.errors import HistoryUnavailable
from suture.shapes import KnownClipboard
from suture.tools import spec
from suture.tools.spec import Answer, Request, ToolSpec
from suture.wording import count, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from suture.engine.session import Session
    from suture.plan import Clipboard

_SESSION: str | None = spec.text("Only those of this session: its id or name (default: all)", default=None)


class ClipboardsRequest(Request):
    """Arguments of `clipboards`."""

    session: str | None = _SESSION


class ClearRequest(Request):
    """Arguments of `clear_clipboards`."""

    names: list[str] = spec.texts("Names of clipboards (default: all)")
    session: str | None = _SESSION


class SessionClipboard(KnownClipboard):
    """A clipboard of a session."""

    session: str = shapes.text("The id of the session")
    bytes: int = shapes.integer("The size of its text")


class ClipboardsResult(shapes.Data):
    """Clipboards."""

    clipboards: list[SessionClipboard] = shapes.objects("Newest first", SessionClipboard)


class ClearResult(shapes.Data):
    """The clipboards that were removed."""

    cleared: list[SessionClipboard] = shapes.objects("Newest first", SessionClipboard)


def known_clipboard(clipboard: Clipboard) -> KnownClipboard:
    """A clipboard as answers and errors name it."""
    from suture.tools.history import time_of_id  # most calls paste nothing

    return KnownClipboard(
        name=clipboard.name,
        path=clipboard.path,
        start_line=clipboard.start_line,
        end_line=clipboard.end_line,
        part=clipboard.is_part,
        change_id=clipboard.made if clipboard.by_change else None,
        time=time_of_id(clipboard.made) if clipboard.made else "",
    )


def clipboards(session: Session, request: ClipboardsRequest) -> Answer:
    """List clipboards."""
    found = [*_clipboards(session, request.session)]
    return Answer("\n".join(map(_line, found)) or "There are no clipboards.", ClipboardsResult(clipboards=found).data())


def clear_clipboards(session: Session, request: ClearRequest) -> Answer:
    """Remove clipboards."""
    found = [one for one in _clipboards(session, request.session) if not request.names or one.name in request.names]
    for clipboard in found:
        if clipboard.session == session.caller.id:
            session.unsaved.pop(clipboard.name, None)
    if found and session.settings.history:
        session.history.drop_clipboards([(clipboard.session, clipboard.name) for clipboard in found])
    words = f"Removed {count(len(found), 'clipboard')}." if found else "There are no such clipboards."
    return Answer("\n".join([words, *map(_line, found)]), ClearResult(cleared=found).data())


def _clipboards(session: Session, wanted: str | None) -> Iterator[SessionClipboard]:
    """The clipboards of one session or of all; of those in memory, only the caller's own."""
    unsaved = session.unsaved if wanted in {None, session.caller.id} else {}
    for clipboard in reversed(unsaved.values()):
        yield _of_session(clipboard, session.caller.id, len(clipboard.text.encode("utf-8", "surrogateescape")))
    try:
        with session.history.reading() as database:
            stored = database.clipboards.all()
    except HistoryUnavailable:
        if not unsaved:
            raise
        return
    for known in stored:
        hidden = known.session == session.caller.id and known.clipboard.name in unsaved
        if wanted in {None, known.session} and not hidden:
            yield _of_session(known.clipboard, known.session, known.size)


def _of_session(clipboard: Clipboard, session: str, size: int) -> SessionClipboard:
    return SessionClipboard(**vars(known_clipboard(clipboard)), session=session, bytes=size)


def _line(clipboard: SessionClipboard) -> str:
    where = wording.origin(clipboard)
    return f"{plain(clipboard.name)}  {where}, {count(clipboard.bytes, 'byte')}, session {plain(clipboard.session)}"


CLIPBOARDS = ToolSpec(
    name="clipboards",
    title="List clipboards",
    description="List the clipboards, and where their texts came from.",
    request=ClipboardsRequest,
    examples=(),
    read=clipboards,
)

CLEAR_CLIPBOARDS = ToolSpec(
    name="clear_clipboards",
    title="Clear clipboards",
    description="Remove clipboards.",
    request=ClearRequest,
    examples=(),
    read=clear_clipboards,
    locked=True,
)
