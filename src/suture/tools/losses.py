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
    """The lines that an edit touches, as they are and as they become: a placeholder is a whole line."""
    start, end = body.rfind(b"\n", 0, edit.span.start) + 1, edit.span.end
    ended = body[start:end].endswith(b"\n") and (not edit.new or edit.new.endswith(b"\n"))
    if not ended:
        at = body.find(b"\n", end)
        end = at if at >= 0 else len(body)
    new = body[start : edit.span.start] + edit.new + body[edit.span.end : end]
    return body[start:end], new.decode("utf-8", "replace")


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
