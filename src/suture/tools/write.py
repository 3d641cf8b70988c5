"""`write`: write a whole file, or move or delete a file or folder.

A folder is moved or deleted file by file, in one transaction, so that `undo` restores it. Whatever could not be
restored refuses the call: links, special files and protected names inside it.
"""

from __future__ import annotations

from suture.audience import AGENT
from suture.errors import FileExists, FileNotFound, InvalidArguments, NotAFile, ProtectedPath
from suture.files.fs import split, to_suture_error
from suture.files.paths import display_path
from suture.plan import Plan, Update
from suture.text.edits import splice
from suture.tools import results, spec
from suture.tools.check import new_syntax_errors
from suture.tools.results import check_placeholders, shrinkage
from suture.tools.safe import whole
from suture.tools.spec import Answer, Example, Proposal, Request, ToolSpec
from suture.wording import count, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Self

    from suture.engine.session import Session
    from suture.files.paths import Target
    from suture.plan import Change, FileChange

_ALIASES = {"new_path": "move_to", "destination": "move_to", "text": "content", "file_text": "content"}
_WAYS = ("content", "move_to", "delete")


class Write(Request):
    """Arguments of `write`."""

    file_path: str = spec.text("The file, or a folder to move or delete", told=False)
    content: str | None = spec.text("The whole file", default=None)
    move_to: str | None = spec.text("Instead of content: the new path; never overwrites", default=None)
    delete: bool = spec.flag("Instead of content: delete file_path")
    literal: bool = spec.literal(listed=False)

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check a call's arguments: exactly one of the three ways."""
        request = super().parse(spec.rename_fields(given, _ALIASES))
        chosen = [name for name in _WAYS if getattr(request, name) not in (None, False)]
        if len(chosen) != 1:
            problem = "set exactly one of content, move_to and delete"
            raise InvalidArguments.of(" and ".join(chosen) or "content", problem)
        return request


class WriteResult(results.ToolData):
    """What a call of `write` did."""

    change_id: str | None = results.CHANGE_ID
    files: list[results.ChangedFile] = results.FILES
    warnings: list[str] = results.WARNINGS


def plan_write(session: Session, request: Write) -> Proposal:
    """Plan one of the three ways."""
    if request.content is not None:
        return _plan_content(session, request, request.content)
    target = session.locate(request.file_path, folders=True)
    if target.stat is None:
        raise FileNotFound(path=target.name, near=session.similar_files(request.file_path))
    is_folder = target.stat.kind == "folder"
    if is_folder and not target.path:
        raise InvalidArguments.of("file_path", "the workspace root cannot be moved or deleted")
    if is_folder and target.by_link:
        raise NotAFile(path=request.file_path, kind="symbolic link")
    if request.delete:
        return _plan_deletion(session, target, is_folder=is_folder)
    return _plan_move(session, target, request.move_to or "", is_folder=is_folder)


def write_content(
    session: Session, path: str, content: str, argument: str, *, literal: bool
) -> tuple[FileChange, list[str]]:
    """The change that writes a whole file, and warnings. `argument` is what the tool calls the content."""
    target = session.locate(path)
    if target.stat is None:
        blank = session.blank(path)
        return session.plan_create(path, b"".join(splice(blank, whole(blank, content)))), []
    before = session.text(path)
    name, body = before.place.name, before.text.body
    generated = results.warning(name, body)
    warnings = [] if generated is None else [generated]
    if "\r" not in content and b"\r\n" in body:
        warnings.append(f"the file had CRLF line endings; {argument} has LF, which is kept.")
    if not literal:
        warnings += check_placeholders(body, content, name, argument, whole=True)
    change = session.plan_update(before, whole(before.text, content))
    return change, [*warnings, *shrinkage(name, body, content.encode("utf-8", "surrogatepass"))]


def _plan_content(session: Session, request: Write, content: str) -> Proposal:
    change, warnings = write_content(session, request.file_path, content, "content", literal=request.literal)
    name, lines = change.place.name, content.count("\n") + (not content.endswith("\n") and bool(content))
    warnings += new_syntax_errors(session, (change,), refuse=False)
    words = f"{'Replaced' if isinstance(change, Update) else 'Created'} {plain(name)} ({count(lines, 'line')})"
    return _proposal((change,), f"write {name}", words, warnings=warnings)


def _plan_deletion(session: Session, target: Target, *, is_folder: bool) -> Proposal:
    if not is_folder:
        change = session.plan_delete(target.requested)
        return _proposal((change,), f"delete {target.name}", f"Deleted {plain(target.name)}")
    files, folders = _contents(session, target)
    changes = tuple(session.plan_delete(display_path(session.trees, target.root, path)) for path in files)
    words = f"Deleted {plain(target.name)} ({count(len(files), 'file')})"
    return _proposal(changes, f"delete {target.name}", words, emptied=_names(session, target, folders))


def _plan_move(session: Session, target: Target, move_to: str, *, is_folder: bool) -> Proposal:
    bare = move_to.rstrip("/") or move_to
    to = session.locate(bare, folders=True)
    is_folder_there = to.stat is not None and to.stat.kind == "folder"
    if is_folder_there or (to.stat is None and bare != move_to and not is_folder):  # into the folder, as `mv` does
        to = session.locate(f"{bare}/{split(target.path)[1]}", folders=True)
    if to.stat is not None:
        raise FileExists(path=to.name)
    words, summary = f"Moved {plain(target.name)} to {plain(to.name)}", f"move {target.name} to {to.name}"
    if not is_folder:
        return _proposal((session.plan_rename(target.requested, to.name),), summary, words)
    if f"{to.name}/".startswith(f"{target.name}/"):
        raise InvalidArguments.of("move_to", f"{to.name} is inside {target.name}")
    files, folders = _contents(session, target)
    changes = tuple(
        session.plan_rename(display_path(session.trees, target.root, path), to.name + path.removeprefix(target.path))
        for path in files
    )
    emptied = _names(session, target, folders)
    return _proposal(changes, summary, f"{words} ({count(len(files), 'file')})", emptied=emptied)


def _contents(session: Session, target: Target) -> tuple[list[str], list[str]]:
    """The files in a folder and the folders, below the root; refused if something in it could not be restored."""
    tree, files, folders = session.trees[target.root], list[str](), [target.path]
    for folder in folders:  # grows while it is read
        session.checkpoint()
        for path, kind in _entries(session, target, folder):
            if kind == "folder":
                folders.append(path)
            elif kind == "file":
                files.append(path)
            else:
                stat = tree.stat(path)
                special = "symbolic link" if stat is not None and stat.kind == "link" else "other"
                raise NotAFile(path=display_path(session.trees, target.root, path), kind=special)
    if not files:
        raise InvalidArguments.of(
            "file_path", f"{target.name} contains no files; empty folders cannot be moved or deleted"
        )
    return files, folders


def _entries(session: Session, target: Target, folder: str) -> Iterator[tuple[str, str]]:
    """What is in a folder: paths and kinds; refused for a protected one."""
    tree = session.trees[target.root]
    names = tree.names(folder)
    try:
        handle, files, folders = tree.fs.scan(tree.folder(folder), "")
    except OSError as error:
        raise to_suture_error(error, folder, "list") from error
    tree.close_quietly(handle)
    kinds = dict.fromkeys(files, "file") | dict.fromkeys(folders, "folder")
    for name in names:
        path = f"{folder}/{name}"
        rule = session.guard.rule(path)
        if rule is not None:
            raise ProtectedPath(path=display_path(session.trees, target.root, path), rule=rule)
        yield path, kinds.get(name, "other")


def _names(session: Session, target: Target, folders: Sequence[str]) -> tuple[str, ...]:
    return tuple(display_path(session.trees, target.root, folder) for folder in folders)


def _proposal(
    changes: tuple[FileChange, ...],
    summary: str,
    words: str,
    *,
    warnings: Sequence[str] = (),
    emptied: tuple[str, ...] = (),
) -> Proposal:
    def describe(landed: Change | None) -> Answer:
        done = words if landed is not None else f"No change: {plain(changes[0].place.name)} already has this content."
        result = WriteResult(
            change_id=None if landed is None else landed.id,
            files=results.changed_files(changes),
            warnings=list(warnings),
        )
        return Answer("\n".join([done, *(f"warning: {warning}" for warning in warnings)]), result.data())

    return Proposal(Plan(changes, "write", summary, emptied=emptied), describe, checked=True)


WRITE = ToolSpec(
    name="write",
    title="Write, move or delete",
    description=(
        "Create or overwrite a file (missing folders are created), or move or delete a file or folder. undo reverts it."
    ),
    request=Write,
    examples=(
        Example(
            "Create a file and its folder",
            {},
            {"file_path": "docs/notes.md", "content": "# Notes\n\nNone yet.\n"},
            "Created docs/notes.md (3 lines)",
        ),
        Example(
            "Move a folder",
            {"old/a.txt": "a\n", "old/b/c.txt": "c\n"},
            {"file_path": "old", "move_to": "new"},
            "Moved old to new (2 files)",
        ),
        Example("Delete a file", {"a.txt": "a\n"}, {"file_path": "a.txt", "delete": True}, "Deleted a.txt"),
    ),
    plan=plan_write,
    audience=AGENT,
)
