"""What the tools that edit share: answers, hashes, and warnings about what would be lost."""

from __future__ import annotations

from suture import errors
from suture.errors import ElisionInNewText, FileChanged
from suture.plan import Create, Delete, Rename, Update
from suture.text import Text
from suture.text.diff import FileDiff, counts, unified, unified_and_counts
from suture.text.edits import common_ends, edit
from suture.tools.results import ChangedFile
from suture.wording.phrases import count, in_argument, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from suture.files.database import LogBook
    from suture.plan import ChangeRecord, FileChange, Snapshot, Version
    from suture.settings import Settings
    from suture.text.edits import Edit


_MODE = 0o644
_LONGEST_LINE = 500
_BEFORE = 100


def check_hash(expected: str | dict[str, str] | None, name: str, before: Snapshot | None) -> None:
    """Refuse a file that is not the one the caller knows."""
    wanted = expected.get(name) if isinstance(expected, dict) else expected
    digest = None if before is None else before.content.digest
    if wanted is not None and wanted != digest:
        raise FileChanged(path=name, expected=wanted, found=digest)


def changed_files(changes: Iterable[FileChange]) -> list[ChangedFile]:
    """The files that a plan changes."""
    return [_changed_file(change) for change in changes]


def files(changes: Iterable[FileChange]) -> list[dict[str, Any]]:
    """As `changed_files`, as data."""
    return [file.data() for file in changed_files(changes)]


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
    return not before.text.is_binary() and not any(b"\0" in edit.new for edit in edits)


def edits_diff(change: Update, edits: Iterable[Edit]) -> tuple[str, int, int]:
    """As `plan_diff` of a file, without comparing what is known to be equal; and the lines added and removed."""
    path, before, text = change.place.name, change.before, change.before.text
    if change.is_no_op:  # edits can cancel each other
        return "", 0, 0
    if not _is_text(before, edits):
        return plan_diff([change]), *counts(text.body, edits)
    old, shift = (text.raw, len(text.bom)) if text.body_is_raw else (text.body, 0)
    moved = tuple([edit(item.span.start + shift, item.span.end + shift, item.new) for item in edits])
    diff, added, removed = unified_and_counts(FileDiff(path, path, old, moved, before.mode, change.mode))
    return diff.decode("utf-8", "replace"), added, removed


def record_diff(book: LogBook, change: ChangeRecord) -> str:
    """What a recorded change did, as a unified diff; a content that is not kept is named."""
    diffs = []
    for file in change.files:
        versions = [version for version in (file.before, file.after) if version is not None]
        contents = [book.content(version.digest) for version in versions]
        if None in contents:
            diffs.append(f"# {file.path}: a version of it is not kept\n")
            continue
        before, after = (
            None if version is None else book.content(version.digest) for version in (file.before, file.after)
        )
        old = None if file.before is None else file.path
        new = None if file.after is None else file.to or file.path
        diffs.append(text_diff(old, new, before, after, _mode(versions[0]), _mode(versions[-1])))
    return "".join(diffs)


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
    texts = [Text.decode(content or b"") for content in (before, after)]
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
    rest = f"{more:,} more lines" if more else "more"
    return f"{shown}\n… {rest} ({limit}); the metadata, or `suture show`, have the whole diff"


def check_whole(text: Text, new: str, own: str) -> None:
    """Refuse half characters, which JSON can spell and no file should hold, unless they stand there already."""
    lone = [char for char in new if "\ud800" <= char <= "\udfff" and char not in own]
    if lone:
        text.body_bytes(lone[0])


def check_writable(text: Text, new: bytes, own: bytes) -> None:
    """Refuse what the file's encoding cannot hold; characters and bytes that are the file's own pass."""
    if new.isascii():
        return
    encoding = text.encoding
    try:
        decoded = new.decode("utf-8", "surrogateescape" if encoding is None else "surrogatepass")
    except UnicodeDecodeError:
        reason = "the text holds bytes of another encoding, which is not known"
        raise errors.EncodingMismatch(encoding=str(encoding), reason=reason) from None
    chars = [char for char in dict.fromkeys(decoded) if not char.isascii()]
    if encoding is None:
        chars = [char for char in chars if not "\udc80" <= char <= "\udcff"]
    try:
        text.body_bytes("".join(chars))
    except (errors.EncodingUnknown, errors.NotEncodable):
        text.body_bytes("".join(char for char in chars if char.encode("utf-8", "surrogatepass") not in own))


_HEADER = 2_000
_LONG_LINES = 500
_SMALL = 2_000
_SHOWN = 80
_LOCKS = {
    "bun.lock",
    "cargo.lock",
    "composer.lock",
    "flake.lock",
    "gemfile.lock",
    "go.sum",
    "mix.lock",
    "npm-shrinkwrap.json",
    "package-lock.json",
    "packages.lock.json",
    "pdm.lock",
    "pipfile.lock",
    "pnpm-lock.yaml",
    "poetry.lock",
    "pubspec.lock",
    "pylock.toml",
    "uv.lock",
    "yarn.lock",
}
_BUNDLES = (".min.js", ".min.mjs", ".min.cjs", ".min.css")
_SCRIPTS = (".js", ".mjs", ".cjs", ".css")
_PROSE = (".md", ".markdown", ".mdx", ".rst", ".txt", ".adoc", ".org")
_COMMENTS = ("//", "/*", "*", "#", ";", "--", "%", "'", "!", "{-", "(*", "<!--", '"""')
_PROSE_COMMENTS = ("<!--", ".. ")
_FORBIDS = ("do not edit", "do not modify", "don't edit", "do not hand edit")
_QUOTES = "`'\""


def warning(path: str, body: bytes) -> str | None:
    """What to know before editing the file, judged by its name and its first lines; None for an ordinary one."""
    name = path.rpartition("/")[2].casefold()
    if name in _LOCKS:
        return f"{plain(path)} is a lock file: the tool that wrote it will write it again."
    if name.endswith(_BUNDLES) or (name.endswith(_SCRIPTS) and _has_long_lines(body)):
        return f"{plain(path)} is a minified bundle: edit what it is made from, and make it again."
    mark = _mark(name, body)
    if mark is None:
        return None
    return f"{plain(path)} is generated ({mark}): edit what it is made from, or the change will be lost."


def _has_long_lines(body: bytes) -> bool:
    return len(body) > _SMALL and len(body) > _LONG_LINES * (body.count(b"\n") + 1)


def _mark(name: str, body: bytes) -> str | None:
    """The line of a file's header that says that it is generated."""
    header = body[: 4 * _HEADER].decode("utf-8", "ignore")[:_HEADER].replace("\r", "")
    if "generated" not in header.casefold():  # as in nearly all files
        return None
    comments = _PROSE_COMMENTS if name.endswith(_PROSE) else _COMMENTS
    lines = [line.strip() for line in header.split("\n")]
    comment_lines = [line.casefold() if line.startswith(comments) else "" for line in lines]
    for line, words, following in zip(lines, comment_lines, [*comment_lines[1:], ""], strict=True):
        if "generated" in words + following and (_is_tagged(words) or _is_forbidden(words, following)):
            return plain(line)[:_SHOWN]
    return None


def _is_tagged(words: str) -> bool:
    """Whether a comment holds `@generated`, not in quotes, or `<auto-generated>`."""
    before, tag, after = words.partition("@generated")
    tagged = bool(tag) and not before.endswith(tuple(_QUOTES)) and not (after[:1].isalnum() or after[:1] in {"_", "-"})
    return tagged or "<auto-generated" in words or "<autogenerated" in words


def _is_forbidden(words: str, following: str) -> bool:
    """Whether a comment, of one line or two, forbids to edit what is generated."""
    both = f"{words} {following}"
    return bool(words) and "`" not in both and any(phrase in both for phrase in _FORBIDS)


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
    from suture.match.placeholders import find_added  # reading needs none

    placeholder = find_added(old if isinstance(old, str) else old.decode("utf-8", "replace"), new, path)
    if placeholder is None or (placeholder.deletes and judged):
        return []
    if placeholder.deletes:
        raise ElisionInNewText(
            index=index,
            total=total,
            path=path,
            search_text="" if whole or isinstance(old, bytes) else old,
            operation="overwrite" if whole else "replace",
            marker=placeholder.line,
            argument=argument,
        )
    return [taken_literally(argument, placeholder.line)]


def taken_literally(argument: str, line: str) -> str:
    """A warning of a placeholder that was put in."""
    where = in_argument(argument) or "The new text"
    return f"{where} seems to contain a placeholder ({plain(line)[:_LONGEST]}); it is taken literally."


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
