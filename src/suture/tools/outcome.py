"""What changing tools answer with: the files they changed, and the diff."""

from __future__ import annotations

from suture.diff import FileDiff, counted, counts, unified
from suture.edits import common_ends, edit
from suture.errors import FileChanged
from suture.plan import Create, Delete, Rename, Update
from suture.text import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from suture.edits import Edit
    from suture.files.logbook import LogBook
    from suture.plan import ChangeRecord, FileChange, Snapshot, Version
    from suture.settings import Settings

_MODE = 0o644
_LONGEST_LINE = 500
_BEFORE = 100


def check_hash(expected: str | dict[str, str] | None, name: str, before: Snapshot | None) -> None:
    """Refuse a file that is not the one the caller knows."""
    wanted = expected.get(name) if isinstance(expected, dict) else expected
    found = None if before is None else before.content.digest
    if wanted is not None and wanted != found:
        raise FileChanged(path=name, expected=wanted, found=found)


def files(changes: Iterable[FileChange]) -> list[dict[str, Any]]:
    """The files that a plan changes: `{path, action, hash}`, and `to` for one that is moved."""
    return [_file(change) for change in changes]


def _file(change: FileChange) -> dict[str, Any]:
    path = change.place.name
    match change:
        case Create(after=after):
            return {"path": path, "action": "create", "hash": after.digest}
        case Update(after=after):
            return {"path": path, "action": "update", "hash": after.digest}
        case Delete():
            return {"path": path, "action": "delete", "hash": None}
        case Rename(before=before, to=to, after=moved):
            return {"path": path, "action": "rename", "hash": (moved or before.content).digest, "to": to.name}
    raise TypeError(change)


def plan_diff(changes: Iterable[FileChange]) -> str:
    """What a plan changes, as a unified diff."""
    return "".join(_plan_diff(change) for change in changes)


def _plan_diff(change: FileChange) -> str:
    path = change.place.name
    match change:
        case Create(after=after, mode=mode):
            return text_diff(None, path, None, after.bytes(), _MODE if mode is None else mode)
        case Update(before=before, edits=edits) if edits is not None and _is_text(before, edits):
            return edits_diff(change, edits)[0]
        case Update(before=before, after=after, mode=mode):
            return text_diff(path, path, before.content.bytes(), after.bytes(), before.mode, mode)
        case Delete(before=before):
            return text_diff(path, None, before.content.bytes(), None, before.mode)
        case Rename(before=before, to=to, after=moved, replaced=replaced):
            content = (moved or before.content).bytes()
            if replaced is None:
                return text_diff(path, to.name, before.content.bytes(), content, before.mode)
            gone = text_diff(path, None, before.content.bytes(), None, before.mode)  # no diff can rename onto a file
            return gone + text_diff(to.name, to.name, replaced.content.bytes(), content, replaced.mode, before.mode)
    raise TypeError(change)


def _is_text(before: Snapshot, edits: Iterable[Edit]) -> bool:
    return not before.text.is_binary() and not any(b"\0" in each.new for each in edits)


def edits_diff(change: Update, edits: Iterable[Edit]) -> tuple[str, int, int]:
    """As `plan_diff` of a file, without comparing what is known to be equal; and the lines added and removed."""
    path, before, text = change.place.name, change.before, change.before.text
    if change.is_no_op:  # edits can cancel each other
        return "", 0, 0
    if not _is_text(before, edits):
        return plan_diff([change]), *counts(text.body, edits)
    old, shift = (text.raw, len(text.bom)) if text.body_is_raw else (text.body, 0)
    moved = tuple([edit(each.span.start + shift, each.span.end + shift, each.new) for each in edits])
    diff, added, removed = counted(FileDiff(path, path, old, moved, before.mode, change.mode))
    return diff.decode("utf-8", "replace"), added, removed


def record_diff(book: LogBook, change: ChangeRecord) -> str:
    """What a recorded change did, as a unified diff; a content that is not kept is named."""
    found = []
    for file in change.files:
        versions = [each for each in (file.before, file.after) if each is not None]
        contents = [book.content(each.digest) for each in versions]
        if None in contents:
            found.append(f"# {file.path}: a version of it is not kept\n")
            continue
        before, after = (None if each is None else book.content(each.digest) for each in (file.before, file.after))
        old = None if file.before is None else file.path
        new = None if file.after is None else file.to or file.path
        found.append(text_diff(old, new, before, after, _mode(versions[0]), _mode(versions[-1])))
    return "".join(found)


def _mode(version: Version) -> int:
    return _MODE if version.mode is None else version.mode


def text_diff(
    old_path: str | None,
    new_path: str | None,
    before: bytes | None,
    after: bytes | None,
    mode: int,
    new_mode: int | None = None,
) -> str:
    """A unified diff of one file; of a binary one, only that it differs."""
    texts = [Text.decode(each or b"") for each in (before, after)]
    if before != after and any(text.is_binary() for text in texts):
        return f"Binary files {old_path or '/dev/null'} and {new_path or '/dev/null'} differ\n"
    old, new = (text.raw if text.body_is_raw else text.body for text in texts)
    head, tail = common_ends(old, new)
    edits = (edit(head, len(old) - tail, new[head : len(new) - tail]),) if old != new else ()
    return unified(FileDiff(old_path, new_path, old, edits, mode, new_mode)).decode("utf-8", "replace")


def _short(lines: list[str]) -> Iterator[str]:
    """The lines of a diff, long ones cut around what differs from the line that they replace or are replaced by."""
    for number, line in enumerate(lines):
        if len(line) <= _LONGEST_LINE:
            yield line
            continue
        other = {"-": lines[number + 1 : number + 2], "+": lines[max(number - 1, 0) : number]}.get(line[:1], [])
        same = common_ends(line[1:].encode(), "".join(other)[1:].encode())[0] if other else 0
        at = max(len(line[1:].encode()[:same].decode("utf-8", "ignore")) - _BEFORE, 0)
        part = line[1 + at : 1 + at + _LONGEST_LINE]
        yield f"{line[:1]}{'… ' if at else ''}{part} … ({len(line) - 1:,} characters)"


def cut(diff: str, settings: Settings) -> str:
    """A diff as it is shown to a model: not endless, nor are its lines. The whole of it stands in the metadata."""
    lines = diff.split("\n")
    shown = "\n".join(_short(lines[: settings.max_diff_lines]))[: settings.max_read_bytes].removesuffix("\n")
    if len(shown) >= len(diff.removesuffix("\n")):
        return shown
    if len(lines) - 1 <= settings.max_diff_lines and len(shown) < settings.max_read_bytes:
        return f"{shown}\n… long lines are cut; the metadata, or `suture show`, have the whole diff"
    limit = "max_diff_lines" if len(lines) - 1 > settings.max_diff_lines else "max_read_bytes"
    more = max(len(lines) - 1 - settings.max_diff_lines, 0)
    what = f"{more:,} more lines" if more else "more"
    return f"{shown}\n… {what} ({limit}); the metadata, or `suture show`, have the whole diff"
