"""Where a text went that is not in a file any more, but stood in a version that this workspace saw."""

from __future__ import annotations

from contextlib import suppress

from suture.diff import line_edits
from suture.errors import EncodingMismatch
from suture.lines import Lines
from suture.text import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from suture.engine import Session
    from suture.files.logbook import PastVersion
    from suture.plan import Snapshot

_LARGEST = 2_000_000
_SHOWN_LINES = 10


def replaced(session: Session, now: Snapshot, old: str) -> dict[str, Any] | None:
    """`{change_id, start_line, end_line, text}`: the change that replaced a text, and what stands there now."""
    body, wanted = _plain(now.text.body), _plain(old.encode("utf-8", "surrogatepass"))
    if not wanted.strip() or len(body) > _LARGEST:
        return None
    encoding = now.text.encoding
    for past in session.past_versions(now.place.name):
        was = _body(past.content, encoding)
        at = was.find(wanted)
        if at < 0 or len(was) > _LARGEST:
            continue
        start, end = _moved(was, body, at, at + len(wanted))
        lines = Lines(body)
        first = lines.at(start)
        last = max(first, lines.at(end - 1))
        text = b"\n".join(lines.contents(first, min(last, len(lines), first + _SHOWN_LINES - 1)))
        return {
            "change_id": past.change_id if wanted not in _after(session, past, encoding) else None,
            "start_line": first,
            "end_line": last,
            "text": text.decode("utf-8", "replace"),
        }
    return None


def _after(session: Session, past: PastVersion, encoding: str | None) -> bytes:
    """What a change made of a version; if the text still stands there, somebody else replaced it later."""
    with session.history.reading() as book:
        files = [file.after for file in book.change(past.change_id).files if file.path == past.path and file.after]
        return b"".join(_body(book.content(each.digest) or b"", encoding) for each in files)


def _moved(was: bytes, body: bytes, start: int, end: int) -> tuple[int, int]:
    """A range of an earlier text in the text as it is now."""
    before = inside = 0
    for each in line_edits(was, body):
        if each.span.end <= start and each.span.start < start:
            before += each.growth
        elif each.span.start < end:
            start, end = min(start, each.span.start), max(end, each.span.end)
            inside += each.growth
    return start + before, end + before + inside


def _body(content: bytes, encoding: str | None) -> bytes:
    text = Text.decode(content)
    if text.encoding is None:
        with suppress(EncodingMismatch):  # it was in another one then
            text = Text.decode(content, encoding)
    return _plain(text.body)


def _plain(body: bytes) -> bytes:
    return body.replace(b"\r\n", b"\n")
