"""Where a text went that is not in a file any more, but stood in a version that this workspace saw."""

from __future__ import annotations

from contextlib import suppress

from suture.diff import line_edits
from suture.errors import EncodingMismatch
from suture.lines import Lines
from suture.records import Record
from suture.text import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from suture.files.logbook import PastVersion
    from suture.plan import Snapshot
    from suture.session import Session

_LARGEST = 2_000_000
_SHOWN_LINES = 10


class Replaced(Record):
    """What became of a text: the change that replaced it (None: no change of ours), and what stands there now."""

    change_id: str | None
    start_line: int
    end_line: int
    text: str
    applied: bool
    """Whether it was replaced by just what was asked for."""

    @property
    def told(self) -> dict[str, Any]:
        """As it stands in an error."""
        return {name: getattr(self, name) for name in ("change_id", "start_line", "end_line", "text")}


def replaced(session: Session, now: Snapshot, old: str, new: str) -> Replaced | None:
    """What became of a text that stood in the file earlier, and was to become `new`."""
    body = _plain(now.text.body)
    wanted, asked = (_plain(each.encode("utf-8", "surrogatepass")) for each in (old, new))
    if not wanted.strip() or len(body) > _LARGEST:
        return None
    encoding = now.text.encoding
    versions = session.past_versions(now.place.name)
    for number, past in enumerate(versions):
        was, ours = _body(past.content, encoding), True
        if not number and wanted in (latest := _after(session, past, encoding)):
            was, ours = latest, False  # what suture wrote last had it: somebody else replaced it
        at = was.find(wanted)
        if at < 0 or len(was) > _LARGEST:
            continue
        start, end = _moved(was, body, at, at + len(wanted))[1]
        lines = Lines(body)
        first = lines.at(start)
        last = max(first, lines.at(end - 1))
        text = b"\n".join(lines.contents(first, min(last, len(lines), first + _SHOWN_LINES - 1)))
        once = was.find(wanted, at + 1) < 0
        return Replaced(
            past.change_id if ours and wanted not in _after(session, past, encoding) else None,
            first,
            last,
            text.decode("utf-8", "replace"),
            once and wanted != asked and _applied(was, body, (at, at + len(wanted)), asked),
        )
    return None


def _applied(was: bytes, body: bytes, place: tuple[int, int], new: bytes) -> bool:
    """Whether the lines of a place in an earlier text are now just what a change of the place to `new` makes of them.

    Less would not do: new text may be a part of the old one, or of something else that stands there.
    """
    if not new.strip():
        return False
    start, end = place
    first, last = was.rfind(b"\n", 0, start) + 1, end
    if not (was.endswith(b"\n", 0, end) and new.endswith(b"\n")):
        last = (was.find(b"\n", end) + 1) or len(was)
    (begin, until), (low, high) = _moved(was, body, first, last)
    if (begin, until) != (first, last):
        return False
    before, after, now = was[first:start], was[end:last], body[low:high].strip(b"\n")
    shifted = b"\n".join(before + line if at and line else line for at, line in enumerate(new.split(b"\n")))
    asked = (new,) if before.strip() else (new, shifted)
    return any((before + each + after).strip(b"\n") == now for each in asked)


def _after(session: Session, past: PastVersion, encoding: str | None) -> bytes:
    """What a change made of a version; if the text still stands there, somebody else replaced it later."""
    with session.history.reading() as book:
        files = [file.after for file in book.change(past.change_id).files if file.path == past.path and file.after]
        return b"".join(_body(book.content(each.digest) or b"", encoding) for each in files)


def _moved(was: bytes, body: bytes, start: int, end: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """A range of an earlier text, with all that was changed together with it; and the same in the text of now."""
    before = inside = 0
    for each in line_edits(was, body):
        if each.span.end <= start and each.span.start < start:
            before += each.growth
        elif each.span.start < end:
            start, end = min(start, each.span.start), max(end, each.span.end)
            inside += each.growth
    return (start, end), (start + before, end + before + inside)


def _body(content: bytes, encoding: str | None) -> bytes:
    text = Text.decode(content)
    if text.encoding is None:
        with suppress(EncodingMismatch):  # it was in another one then
            text = Text.decode(content, encoding)
    return _plain(text.body)


def _plain(body: bytes) -> bytes:
    return body.replace(b"\r\n", b"\n")
