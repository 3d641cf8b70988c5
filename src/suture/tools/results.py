"""What the results of tools share: common fields and notes, the fields of errors, diffs, hashes, warnings.

    class FileReadResult(ToolData):
        path: str = results.PATH
        size: int = shapes.integer("Of the whole file, in bytes")

`FileReadResult(path=…, size=…).data()` is what a call returns, and `FileReadResult.output_schema()` describes it to
clients.

A schema fits every result of a tool, because clients check failures too: a success has all required keys, a failure has
`error`. Keys may be added later, so a schema refuses no others.

Rejected: references and formats. A client that does not support them rejects the result.
"""

from __future__ import annotations

from itertools import accumulate

from suture import errors, shapes
from suture.budget import LINE_CHARS, Excerpt
from suture.errors import ElisionInNewText, FileChanged
from suture.plan import Create, Delete, Rename, Update
from suture.shapes import Findings, WrittenOn
from suture.text import Text
from suture.tools import generated
from suture.wording import RUNG_WORDS, count, in_argument, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from suture.files.database import Database
    from suture.match.index import Base
    from suture.plan import ChangeRecord, FileChange, Snapshot
    from suture.plan import Version as RecordedVersion
    from suture.settings import Settings
    from suture.shapes import Schema
    from suture.text.edits import Edit


_DEFAULT_MODE = 0o644  # of a file whose mode is not known, in a diff
_MAX_DIFF_LINE_CHARS = LINE_CHARS - 40  # with its sign, and with what is said about a longer line
_SHOWN_BEFORE = 100  # characters of a longer line that are shown before what differs in it
_BUNDLE_LINE = 500  # bytes per line on average, above which a script is a bundle: people write no such lines
_SMALLEST_BUNDLE = 2_000  # bytes; a smaller script may have one long line for another reason
_LOCKS = {
    *("bun.lock", "cargo.lock", "composer.lock", "flake.lock", "gemfile.lock", "go.sum", "mix.lock"),
    *("npm-shrinkwrap.json", "package-lock.json", "packages.lock.json", "pdm.lock", "pipfile.lock"),
    *("pnpm-lock.yaml", "poetry.lock", "pubspec.lock", "pylock.toml", "uv.lock", "yarn.lock"),
}
_BUNDLES = (".min.js", ".min.mjs", ".min.cjs", ".min.css")
_SCRIPTS = (".js", ".mjs", ".cjs", ".css")
_SHORTEST_CHECKED = 30  # lines of a file; the loss of lines from a shorter one is easy to see
_MAX_PLACEHOLDER_CHARS = 120  # characters of a placeholder in a warning
_BYTES_AROUND = 800  # of a line on each side of an edit; a placeholder has 200 characters at most
_REST_OF_LINE = b"x"  # stands in for the rest of a longer line, so that its end is not taken for a placeholder


def error(about: str, model: type[Failure]) -> Any:
    """An error; its further fields depend on its code."""
    described = shapes.member(f"{about}. Further fields depend on the code", model)
    return shapes.Field({**described.schema, "additionalProperties": True})


class Failure(shapes.Data):
    """The fields that every error has."""

    code: str = shapes.text("Stable name of the error")
    message: str = shapes.text("What happened")
    hint: str = shapes.text("What to do about it")
    retryable: bool = shapes.flag("Whether the same call may succeed later")


class _Problem(shapes.Data):
    argument: str = shapes.text("The argument")
    problem: str = shapes.text("What is wrong with it")
    nearest: str = shapes.text("The argument that was probably meant").optional


class ToolFailure(Failure):
    """The error of a call. A tool whose errors have more fields adds them."""

    problems: list[_Problem] = shapes.objects("INVALID_ARGUMENTS: the invalid arguments", _Problem).optional


class Rejection(ToolFailure):
    """The error of a call whose new content checks may reject."""

    files: list[str] = shapes.values("VALIDATION_FAILED: the files").optional
    validation: dict[str, Any] = shapes.mapping("VALIDATION_FAILED: what checks found, as in a result").optional
    diff: str = shapes.text("VALIDATION_FAILED: what would have changed").optional


class _HistoryNote(shapes.Data):
    recorded: bool = shapes.flag("Whether this change can be undone")
    reason: str = shapes.text("What is wrong")
    aside: str | None = shapes.text("New name of a damaged history").nullable


class _RecoveryNote(shapes.Data):
    id: str = shapes.text("The transaction")
    direction: str = shapes.text(
        "back: rolled back; forward: complete, has landed; unknown: a power cut destroyed the record of it",
        ("back", "forward", "unknown"),
    )
    files: list[str] = shapes.values("Its paths")
    aside: list[str] = shapes.values("Files with content that recovery could neither keep in place nor put back")


_HISTORY = shapes.member("Only if something is wrong with the history", _HistoryNote)
_RECOVERED = shapes.member("Only if an interrupted transaction was recovered before this call", _RecoveryNote)
_NO_CHANGE = shapes.flag("True if the call changes no file; omitted otherwise")


class ToolData(shapes.Data):
    """The result of a tool. The workspace adds its notes, which any call may have."""

    failure = ToolFailure  # the type of its errors; without an annotation, so that it is not a field

    @classmethod
    def output_schema(cls) -> Schema:
        """The schema of every result, including failures."""
        failure = error("Only if the call, or a part of it, failed", cls.failure)
        notes = {"history": _HISTORY, "recovered": _RECOVERED, "error": failure}
        if "change_id" in cls._shape:
            notes["no_change"] = _NO_CHANGE
        always = [name for name, field in cls._shape.items() if field.always]
        return {
            "type": "object",
            "properties": cls._properties() | {name: field.schema for name, field in notes.items()},
            "anyOf": [{"required": always}, {"required": ["error"]}],
        }


ACTIONS = ("create", "update", "delete", "rename")
PATH = shapes.text("The file, relative to the workspace root; absolute below an extra root")
CHANGE_ID = shapes.text("The change that landed, for undo; null if nothing was changed").nullable
HASH = shapes.digest("Of the file's new content, for expect_hash; in a dry run, of what it would be")
DIFF = shapes.text("The whole change as a unified diff; empty if nothing changes")
DRY_RUN = shapes.flag("True in a dry run; omitted otherwise").optional
"""The workspace sets it, for all tools with this argument."""
WARNINGS = shapes.values("What was done but may not be intended")
START_LINE = shapes.integer("First line, from 1")
END_LINE = shapes.integer("Last line, inclusive")


class ChangedFile(shapes.Data):
    """A file of a plan."""

    path: str = PATH
    action: str = shapes.text("What happens to it", ACTIONS)
    hash: str | None = shapes.digest("Of its new content; null if it is deleted").nullable
    to: str = shapes.text("Its new name, if it is renamed").optional


FILES = shapes.objects("The files that change", ChangedFile)


RUNG = shapes.text("How the text was found; null if there was none to find", RUNG_WORDS).nullable
SCORE = shapes.number("Similarity of the text and the place, up to 1").nullable


WRITTEN_ON = shapes.member(
    "The earlier version that the text was written on, if the change was merged", WrittenOn
).nullable


def version_of(base: Base | None) -> WrittenOn | None:
    """An earlier version of a file, as errors and results name it."""
    return None if base is None else WrittenOn(source=base.source, id=base.id, until=base.until)


VALIDATION = shapes.member("What checks of the new content found", Findings)
VALIDATION_IF_ASKED = VALIDATION.with_description("Only with validate: what checks of the new content found").optional


def check_hash(expected: str | dict[str, str] | None, name: str, before: Snapshot | None) -> None:
    """Refuse a file that does not have the hash that the caller expects."""
    wanted = expected.get(name) if isinstance(expected, dict) else expected
    digest = None if before is None else before.content.digest
    if wanted is not None and wanted != digest:
        raise FileChanged(path=name, expected=wanted, found=digest)


def changed_files(changes: Iterable[FileChange]) -> list[ChangedFile]:
    """The files that a plan changes."""
    return [_changed_file(change) for change in changes]


def _changed_file(change: FileChange) -> ChangedFile:
    path = change.place.name
    match change:
        case Create(after=after):
            return ChangedFile(path=path, action="create", hash=after.digest)
        case Update(after=after):
            return ChangedFile(path=path, action="update", hash=after.digest)
        case Delete():
            return ChangedFile(path=path, action="delete", hash=None)
        case Rename(before=before, to=to, after=moved):
            return ChangedFile(path=path, action="rename", hash=(moved or before.content).digest, to=to.name)
    raise TypeError(change)


def plan_diff(changes: Iterable[FileChange]) -> str:
    """What a plan changes, as a unified diff."""
    return "".join(_plan_diff(change) for change in changes)


def _plan_diff(change: FileChange) -> str:
    path = change.place.name
    match change:
        case Create(after=after, mode=mode):
            return text_diff(None, path, None, after.bytes(), _DEFAULT_MODE if mode is None else mode)
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
    return not before.text.is_binary() and not any(b"\0" in edit.new for edit in edits)


def edits_diff(change: Update, edits: Iterable[Edit]) -> tuple[str, int, int]:
    """The diff of a file from its edits, which need not be compared; and the numbers of lines added and removed."""
    from suture.text.diff import FileDiff, counts, unified_and_counts  # reading needs none
    from suture.text.edits import edit

    path, before, text = change.place.name, change.before, change.before.text
    if change.is_no_op:  # edits can cancel each other
        return "", 0, 0
    if not _is_text(before, edits):
        return plan_diff([change]), *counts(text.body, edits)
    old, shift = (text.raw, len(text.bom)) if text.body_is_raw else (text.body, 0)
    moved = tuple([edit(item.span.start + shift, item.span.end + shift, item.new) for item in edits])
    diff, added, removed = unified_and_counts(FileDiff(path, path, old, moved, before.mode, change.mode))
    return diff.decode("utf-8", "replace"), added, removed


def record_diff(database: Database, change: ChangeRecord) -> str:
    """What a recorded change did, as a unified diff; content that is not kept is noted."""
    diffs = []
    for file in change.files:
        versions = [version for version in (file.before, file.after) if version is not None]
        contents = [database.content(version.digest) for version in versions]
        if None in contents:
            gone = any(database.is_forgotten(version.digest) for version in versions)
            what = "its content was removed for good (suture forget)" if gone else "a version of it was not kept"
            diffs.append(f"# {file.path}: {what}\n")
            continue
        before, after = (
            None if version is None else database.content(version.digest) for version in (file.before, file.after)
        )
        old = None if file.before is None else file.path
        new = None if file.after is None else file.to or file.path
        diffs.append(text_diff(old, new, before, after, _mode(versions[0]), _mode(versions[-1])))
    return "".join(diffs)


def _mode(version: RecordedVersion) -> int:
    return _DEFAULT_MODE if version.mode is None else version.mode


def text_diff(
    old_path: str | None,
    new_path: str | None,
    before: bytes | None,
    after: bytes | None,
    mode: int,
    new_mode: int | None = None,
) -> str:
    """A unified diff of one file; for a binary one, only that it differs."""
    from suture.text.diff import FileDiff, unified  # reading needs none
    from suture.text.edits import common_ends, edit

    texts = [Text.decode(content or b"") for content in (before, after)]
    if before != after and any(text.is_binary() for text in texts):
        return f"Binary files {old_path or '/dev/null'} and {new_path or '/dev/null'} differ\n"
    old, new = (text.raw if text.body_is_raw else text.body for text in texts)
    head, tail = common_ends(old, new)
    edits = (edit(head, len(old) - tail, new[head : len(new) - tail]),) if old != new else ()
    return unified(FileDiff(old_path, new_path, old, edits, mode, new_mode)).decode("utf-8", "replace")


def _shorten_lines(lines: list[str]) -> Iterator[str]:
    """The lines of a diff; long ones are truncated around what differs from the line on the other side."""
    from suture.text.edits import common_ends  # reading needs none

    for number, line in enumerate(lines):
        if len(line) <= LINE_CHARS:
            yield line
            continue
        other = {"-": lines[number + 1 : number + 2], "+": lines[max(number - 1, 0) : number]}.get(line[:1], [])
        same = common_ends(line[1:].encode(), "".join(other)[1:].encode())[0] if other else 0
        at = max(len(line[1:].encode()[:same].decode("utf-8", "ignore")) - _SHOWN_BEFORE, 0)
        part = line[1 + at : 1 + at + _MAX_DIFF_LINE_CHARS]
        yield f"{line[:1]}{'… ' if at else ''}{part} … ({len(line) - 1:,} characters)"


def cut(diff: str, settings: Settings) -> str:
    """A diff as it is shown: as many of its lines as the limits allow, long ones truncated."""
    return excerpt(diff, settings).text


def excerpt(diff: str, settings: Settings) -> Excerpt:
    """A diff as it is shown, and the number of its lines if it is not whole."""
    lines = diff.removesuffix("\n").split("\n")
    shown = [*_shorten_lines(lines[: settings.max_diff_lines])]
    sizes = accumulate(len(line) + 1 for line in shown)
    fitting = sum(size <= settings.max_read_bytes + 1 for size in sizes)
    left_out = len(lines) - fitting
    if left_out:
        limit = "max_diff_lines" if fitting == settings.max_diff_lines else "max_read_bytes"
        note = f"{count(left_out, 'more line')} ({limit})"
    elif shown != lines:
        note = "long lines are truncated"
    else:
        return Excerpt("\n".join(lines))
    note = f"… {note}; the metadata or `suture show` has the whole diff"
    return Excerpt("\n".join([*shown[:fitting], note]), len(lines))


def check_surrogates(text: Text, new: str, own: str) -> None:
    """Refuse lone surrogates, which JSON can express but no file should contain, unless the file has them already."""
    lone = [char for char in new if "\ud800" <= char <= "\udfff" and char not in own]
    if lone:
        text.body_bytes(lone[0])


def check_writable(text: Text, new: bytes, own: bytes) -> None:
    """Refuse characters that the file's encoding does not have; those that the file already has are accepted."""
    if new.isascii():
        return
    encoding = text.encoding
    try:
        decoded = new.decode("utf-8", "surrogateescape" if encoding is None else "surrogatepass")
    except UnicodeDecodeError:
        reason = "the text contains bytes of an unknown encoding"
        raise errors.EncodingMismatch(encoding=str(encoding), reason=reason) from None
    chars = [char for char in dict.fromkeys(decoded) if not char.isascii()]
    if encoding is None:
        chars = [char for char in chars if not "\udc80" <= char <= "\udcff"]
    try:
        text.body_bytes("".join(chars))
    except (errors.EncodingUnknown, errors.NotEncodable):
        text.body_bytes("".join(char for char in chars if char.encode("utf-8", "surrogatepass") not in own))


def warning(path: str, body: bytes) -> str | None:
    """A warning about editing a generated file, judged by its name and first lines; None for other files."""
    name = path.rpartition("/")[2].casefold()
    if name in _LOCKS:
        return f"{plain(path)} is a lock file: the tool that wrote it will overwrite it."
    if name.endswith(_BUNDLES) or (name.endswith(_SCRIPTS) and _has_long_lines(body)):
        return f"{plain(path)} is a minified bundle: edit its source, and rebuild it."
    mark = generated.find_mark(name, body)
    if mark is None:
        return None
    if not mark.is_certain:
        return f"{plain(path)} may be generated ({mark.line}): if it is, edit its source, or the change will be lost."
    return f"{plain(path)} is generated ({mark.line}): edit its source, or the change will be lost."


def _has_long_lines(body: bytes) -> bool:
    return len(body) > _SMALLEST_BUNDLE and len(body) > _BUNDLE_LINE * (body.count(b"\n") + 1)


def check_placeholders(
    old: str | bytes,
    new: str,
    path: str,
    argument: str,
    *,
    whole: bool = False,
    judged: bool = False,
    index: int | None = 0,
    total: int = 1,
) -> list[str]:
    """Refuse a new text with a placeholder for text that it deletes; warn about one that is only inserted.

    `new` replaces `old`, and `argument` names it to the caller; with `whole`, `old` is a whole file. `judged`: `locate`
    placed the edit, so both texts leave out the same lines. With `index` None, the edit is not in a list.
    """
    from suture.match.placeholders import find_added  # reading needs none

    placeholder = find_added(old if isinstance(old, str) else old.decode("utf-8", "replace"), new, path)
    if placeholder is None or (placeholder.deletes and judged):
        return []
    if placeholder.deletes:
        raise ElisionInNewText(
            **({} if index is None else {"index": index, "total": total}),
            path=path,
            search_text="" if whole or isinstance(old, bytes) else old,
            operation="overwrite" if whole else "replace",
            marker=placeholder.line,
            argument=argument,
        )
    return [placeholder_warning(argument, placeholder.line)]


def placeholder_warning(argument: str, line: str) -> str:
    """A warning about a placeholder that is inserted."""
    where = in_argument(argument) or "The new text"
    return f"{where} seems to contain a placeholder ({plain(line)[:_MAX_PLACEHOLDER_CHARS]}); it is taken literally."


def whole_lines(body: bytes, edit: Edit) -> tuple[bytes, str]:
    """The lines that an edit touches, before and after: a placeholder is a whole line.

    For a line that is too long to be one, only the part near the edit: a minified file may be a single line.
    """
    start, end = edit.span.start, edit.span.end
    old = body[start:end]
    head = body[max(start - _BYTES_AROUND, 0) : start].rpartition(b"\n")[2]
    ended = old.endswith(b"\n") and (not edit.new or edit.new.endswith(b"\n"))
    tail = b"" if ended else body[end : end + _BYTES_AROUND].partition(b"\n")[0]
    head = _REST_OF_LINE + head if len(head) == _BYTES_AROUND else head
    tail = tail + _REST_OF_LINE if len(tail) == _BYTES_AROUND else tail
    return head + old + tail, (head + edit.new + tail).decode("utf-8", "replace")


def shrinkage(path: str, before: bytes, after: bytes) -> list[str]:
    """A warning if a whole-file write drops more than half of the lines."""
    from collections import Counter

    old, new = (_lines(text) for text in (before, after))
    if len(old) < _SHORTEST_CHECKED:
        return []
    gone = (Counter(old) - Counter(new)).total()
    if gone * 2 <= len(old):
        return []
    return [f"{plain(path)}: {count(len(old), 'line')} became {len(new)}; {gone} of the old lines are gone."]


def _lines(text: bytes) -> list[bytes]:
    """The lines of a text without their indentation: a line that was only indented is not gone."""
    text = text.replace(b"\r\n", b"\n") if b"\n" in text else text.replace(b"\r", b"\n")
    return [line.strip() for line in text.removesuffix(b"\n").split(b"\n")] if text else []
