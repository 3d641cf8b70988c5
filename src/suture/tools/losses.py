"""What an edit would lose unnoticed: text that a placeholder stands for, and most of a file that is written whole."""

from __future__ import annotations

from suture.errors import ElisionInNewText
from suture.phrases import count, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.edits import Edit

_SHORTEST = 30
"""Lines of a file; what becomes of a shorter one is seen at a glance."""
_LONGEST = 120
_NEARBY = 800
"""Bytes of a line on each side of an edit; a placeholder has 200 characters at most."""
_MORE = b"x"
"""In place of the rest of a longer line: with it, the line is no placeholder."""


def check_placeholders(
    old: str | bytes,
    new: str,
    path: str,
    argument: str,
    *,
    whole: bool = False,
    judged: bool = False,
    index: int = 0,
    total: int = 1,
) -> list[str]:
    """Refuse a new text with a placeholder for text that it deletes; warn of one that is only inserted.

    `old` is what `new` takes the place of, and `argument` names where the caller wrote it; with `whole`, `old` is a
    file. `locate` has `judged` an edit that it placed: what both texts leave out stands for the same lines.
    """
    from suture.locate.placeholders import added  # reading needs none

    found = added(old if isinstance(old, str) else old.decode("utf-8", "replace"), new, path)
    if found is None or (found.deletes and judged):
        return []
    if found.deletes:
        raise ElisionInNewText(
            index=index,
            total=total,
            path=path,
            search_text="" if whole or isinstance(old, bytes) else old,
            operation="overwrite" if whole else "replace",
            marker=found.line,
            argument=argument,
        )
    return [taken_literally(argument, found.line)]


def taken_literally(argument: str, line: str) -> str:
    """A warning of a placeholder that was put in."""
    said = argument.replace("].", "]: ") or "The new text"
    return f"{said} seems to contain a placeholder ({plain(line)[:_LONGEST]}); it is taken literally."


def whole_lines(body: bytes, edit: Edit) -> tuple[bytes, str]:
    """The lines that an edit touches, as they are and as they become: a placeholder is a whole line.

    Of a line that is too long for one, only the part near the edit: a minified file may be a single line.
    """
    start, end = edit.span.start, edit.span.end
    old = body[start:end]
    head = body[max(start - _NEARBY, 0) : start].rpartition(b"\n")[2]
    ended = old.endswith(b"\n") and (not edit.new or edit.new.endswith(b"\n"))
    tail = b"" if ended else body[end : end + _NEARBY].partition(b"\n")[0]
    head = _MORE + head if len(head) == _NEARBY else head
    tail = tail + _MORE if len(tail) == _NEARBY else tail
    return head + old + tail, (head + edit.new + tail).decode("utf-8", "replace")


def shrinkage(path: str, before: bytes, after: bytes) -> list[str]:
    """A warning if a file that is written whole loses more than half of its lines."""
    from collections import Counter

    old, new = (_lines(text) for text in (before, after))
    if len(old) < _SHORTEST:
        return []
    gone = (Counter(old) - Counter(new)).total()
    if gone * 2 <= len(old):
        return []
    return [f"{plain(path)}: {count(len(old), 'line')} became {len(new)}; {gone} of the old lines are gone."]


def _lines(text: bytes) -> list[bytes]:
    """The lines of a text without their indentation: one that is only moved in is not gone."""
    text = text.replace(b"\r\n", b"\n") if b"\n" in text else text.replace(b"\r", b"\n")
    return [line.strip() for line in text.removesuffix(b"\n").split(b"\n")] if text else []
