"""The text editor of Anthropic's API, as a dialect of these tools.

Commands, arguments and sentences are those that models were trained on; the engine's own diagnosis follows them. Text
is replaced as by `file_edit`, and a whole file is written as by `safe_edit`. As in Anthropic's current version, there
is no command `undo_edit`: the tool `undo` undoes the changes of all tools.
"""

from __future__ import annotations

from itertools import accumulate

from suture import shapes, wording
from suture.audience import EDITOR
from suture.errors import (
    FileNotFound,
    InvalidArguments,
    LineOutOfBounds,
    RangeOutOfBounds,
    SutureError,
)
from suture.json_text import loads
from suture.plan import Plan, Update
from suture.text import newline_at
from suture.text.edits import edit
from suture.text.replace import adapt_endings
from suture.tools import results, spec
from suture.tools.file_edit import EditApplier, OneEdit
from suture.tools.listing import Listing
from suture.tools.read import FileView, truncated_after
from suture.tools.results import check_placeholders, check_surrogates, check_writable
from suture.tools.spec import Answer, Argument, Example, Proposal, Request, ToolSpec
from suture.tools.write import write_content
from suture.wording import count, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Self

    from suture.audience import Audience
    from suture.engine.session import Session
    from suture.files.paths import Target
    from suture.plan import Change, FileChange, Snapshot


MAX_ENTRIES = 1_000  # of a folder's listing
_NAME = "str_replace_based_edit_tool"


def explain_text_editor(given: Mapping[str, object], error: SutureError, _: Audience = EDITOR) -> Answer:
    """A failure: the sentence from the tool's documentation, and the diagnosis below it.

    `given` are the arguments as they were sent.
    """
    path, sent = getattr(error, "path", given.get("path")), given.get("path")
    result = TextEditorResult(
        command=command if isinstance(command := given.get("command"), str) else None,
        path=path if isinstance(path, str) else None,
        change_id=None,
    )
    audience = EDITOR.evolve(path_sent=sent if isinstance(sent, str) else "")
    data = result.data() | {"error": wording.error_data(error, audience)}
    return Answer(wording.error_text(error, audience), data, is_error=True)


def file_view(session: Session, target: Target, view_range: Sequence[int] | None) -> Answer:
    """Lines of a file, each prefixed with its number and a tab, as many as one answer may show."""
    snapshot = session.text(target.requested)
    name, body, total = snapshot.place.name, snapshot.text, len(snapshot.text.lines)
    first, last = (1, total) if view_range is None else _bounds(name, view_range, total)
    session.show(snapshot)
    most = session.settings.max_read_bytes
    contents = body.lines.contents(first, min(last, first + session.settings.max_read_lines - 1))
    numbered = [f"{number:6d}\t{line.decode('utf-8', 'replace')}" for number, line in enumerate(contents, first)]
    fitting = _fitting(numbered, most)
    shown, end = "\n".join(numbered[:fitting]), first + fitting - 1
    notes = []
    if not total:
        notes.append(f"{plain(name)} is empty.")
    if len(shown) > most:
        notes.append(f"Note: line {end} is truncated; it is longer than {most:,} characters.")
    resume = "view_range [{}, -1]"
    if end < last:
        notes.append(truncated_after(end, total, resume))
    remarks = ["Note: the file's encoding is unknown; U+FFFD replaces what cannot be decoded."]
    remarks = remarks if body.encoding is None else []
    result = TextEditorResult(
        command="view",
        path=name,
        hash=snapshot.content.digest,
        total_lines=total,
        start_line=first,
        end_line=end,
        truncated=end < last or len(shown) > most,
    )
    view = FileView(body, first, end, last, resume, tuple(remarks), result)
    return Answer("\n\n".join([*([shown[:most]] if total else []), *notes, *remarks]), result.data(), view=view)


def _bounds(name: str, view_range: Sequence[int], total: int) -> tuple[int, int]:
    """The first and last line of a range, which must be in the file; line 1 of an empty file is accepted."""
    first, last = view_range
    end = None if last == -1 else last
    if not 1 <= first <= max(total, 1) or (end is not None and not first <= end <= max(total, 1)):
        raise RangeOutOfBounds(path=name, start_line=first, end_line=end, total_lines=total)
    return first, total if end is None else min(end, total)


def _fitting(lines: Sequence[str], most: int) -> int:
    """How many lines fit into a number of characters; at least the first."""
    fitting = sum(size <= most + 1 for size in accumulate(len(line) + 1 for line in lines))
    return max(fitting, min(len(lines), 1))


def folder_view(session: Session, target: Target, view_range: Sequence[int] | None) -> Answer:
    """A folder's entries, two levels deep, without hidden, ignored and protected ones."""
    listing = Listing(session, target, MAX_ENTRIES)
    entries = listing.entries()
    name = target.name.rstrip("/") or "."
    head = f"Files and folders in {plain(name)}, up to 2 levels deep, without hidden and ignored ones:"
    lines = [head, *map(plain, entries)] if entries else [f"{plain(name)} has no files or folders to show."]
    if not entries and listing.left_out:
        lines.append(f"{count(listing.left_out, 'hidden or ignored name')} not shown.")
    if listing.cut:
        lines += ["", f"Note: truncated after {len(entries):,} entries; view one of the folders to see all of it."]
    if view_range is not None:
        lines += ["", "Note: view_range was ignored; it is only for files."]
    result = TextEditorResult(
        command="view", path=name, entries=entries, left_out=listing.left_out, truncated=listing.cut
    )
    return Answer("\n".join(lines), result.data(), more="view one of the folders")


_ARGUMENTS = {
    "view": ("view_range",),
    "str_replace": ("old_str", "new_str"),
    "create": ("file_text",),
    "insert": ("insert_line", "insert_text"),
}
"""The arguments of each command, except the path."""
_OPTIONAL = {"view_range", "new_str"}


class _Range(Argument):
    expected = "two line numbers, such as [1, 20], or [30, -1] for line 30 to the end"

    def check(self, value: object) -> object:
        if isinstance(value, str):
            try:
                value = loads(value)
            except ValueError:
                raise self.wrong(value) from None
        if not isinstance(value, list | tuple) or len(value) != 2:  # noqa: PLR2004  the first and the last
            raise self.wrong(value)
        number = spec.integer("A line")
        return [number.check(line) for line in value]

    def kind(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}


def _view_range() -> Any:
    """Two line numbers; None if omitted."""
    about = "For view of a file: the first and last line, counted from 1; -1 as the last means the end of the file"
    return _Range(about, default=None)


class TextEditor(Request):
    """Arguments of `str_replace_based_edit_tool`."""

    command: str = spec.text("What to do", choices=tuple(_ARGUMENTS))
    path: str = spec.text(
        "Path of the file (for view, of a file or folder), absolute or relative to the workspace root"
    )
    view_range: list[int] | None = _view_range()
    old_str: str | None = spec.text("For str_replace: the text to replace, exactly as it is in the file", default=None)
    new_str: str | None = spec.text("For str_replace: the new text; if omitted, old_str is deleted", default=None)
    file_text: str | None = spec.text("For create: the content of the file", default=None)
    insert_line: int | None = spec.integer(
        "For insert: the line after which the text goes; 0 for the beginning of the file", default=None, minimum=0
    )
    insert_text: str | None = spec.text("For insert: the text, as whole lines", default=None)
    literal: bool = spec.literal(listed=False)

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check a call's arguments; null means left out, and older models send `new_str` to insert."""
        kept = {name: value for name, value in given.items() if value is not None or name not in cls._fields}
        command = str(kept.get("command"))
        if command == "insert" and "new_str" in kept and kept.get("insert_text", kept["new_str"]) == kept["new_str"]:
            kept["insert_text"] = kept.pop("new_str")
        others = {name for names in _ARGUMENTS.values() for name in names} - {*_ARGUMENTS.get(command, ())}
        kept = {name: value for name, value in kept.items() if value or name not in others}  # empty ones are ignored
        request = super().parse(kept)
        problems = [
            {"argument": name, "problem": f"not an argument of {command}"}
            for name in cls._fields
            if name in others & {*kept}
        ]
        problems += [
            {"argument": name, "problem": f"missing: {command} needs it"}
            for name in _ARGUMENTS[command]
            if name not in kept and name not in _OPTIONAL
        ]
        if request.insert_text == "":
            problems.append({"argument": "insert_text", "problem": r'empty: for a blank line, send "\n"'})
        if problems:
            raise InvalidArguments(problems=problems)
        return request


def plan_text_editor(session: Session, request: TextEditor) -> Proposal:
    """Plan one command; the plan for a view changes nothing."""
    if request.command == "create":
        return _create(session, request)
    target = _existing(session, request)
    if request.command == "view":
        view = file_view if _is_file(target) else folder_view
        answer = view(session, target, request.view_range)
        return Proposal(Plan(()), lambda _: answer)
    if request.command == "str_replace":
        return _str_replace(session, request)
    return _insert(session, request)


def _existing(session: Session, request: TextEditor) -> Target:
    """The file or folder at the path; if it does not exist, the error suggests similar names."""
    target = session.locate(request.path, folders=request.command == "view")
    if target.stat is None:
        create_by = None if request.command == "view" else ["create"]
        raise FileNotFound(path=request.path, near=session.similar_files(request.path), create_by=create_by)
    return target


def _is_file(target: Target) -> bool:
    return target.stat is not None and target.stat.kind == "file"


def _str_replace(session: Session, request: TextEditor) -> Proposal:
    edits = [OneEdit(old_text=request.old_str or "", new_text=request.new_str or "", occurrences=1)]
    before = session.text(request.path)
    report = EditApplier(session, before, edits, EDITOR, literal=request.literal, dry_run=False).apply()
    return _proposal(request, report.file, "Successfully replaced text at exactly one location.", report.warnings)


def _create(session: Session, request: TextEditor) -> Proposal:
    content = request.file_text or ""
    change, warnings = write_content(session, request.path, content, "file_text", literal=request.literal)
    words = f"File created successfully at: {plain(change.place.name)}"
    if isinstance(change, Update):
        words += "\nIt replaced the existing file."
    return _proposal(request, change, words, warnings)


def _insert(session: Session, request: TextEditor) -> Proposal:
    assert request.insert_line is not None  # noqa: S101  a request for insert has both
    assert request.insert_text is not None  # noqa: S101  as above
    before = session.text(request.path)
    name, line, total = before.place.name, request.insert_line, len(before.text.lines)
    if line > total:
        raise LineOutOfBounds(path=name, which="insert_line", line=line, total_lines=total, near=[])
    at, new = _insertion(before, line, request.insert_text)
    where = f"after line {line}" if line else "at the beginning"
    change = session.plan_update(before, [edit(at, at, new)])
    warnings = [] if request.literal else check_placeholders("", request.insert_text, name, "insert_text")
    words = f"Successfully inserted text {where} of {plain(name)}."
    return _proposal(request, change, words, [*_generated_warnings(before), *warnings])


def _insertion(before: Snapshot, line: int, inserted: str) -> tuple[int, bytes]:
    """Where a text goes, and its bytes: whole lines, with the line endings around them; the file's end stays."""
    body, lines = before.text.body, before.text.lines
    at = lines.span(line)[1] if line else 0
    new = inserted.encode("utf-8", "surrogatepass")
    check_surrogates(before.text, inserted, "")
    check_writable(before.text, new, body)
    new, end = adapt_endings(body, at, at, new), newline_at(body, at)
    if at == len(body):
        if not body or lines.finished:
            return at, new if not body or new.endswith((b"\n", end)) else new + end
        return at, end + new.removesuffix(b"\n").removesuffix(b"\r")
    return at, new if new.endswith((b"\n", end)) else new + end


def _generated_warnings(before: Snapshot) -> list[str]:
    warning = results.warning(before.place.name, before.text.body)
    return [] if warning is None else [warning]


def _proposal(request: TextEditor, change: FileChange, words: str, warnings: Sequence[str]) -> Proposal:
    """One change, and its answer."""
    (file,) = results.changed_files([change])
    assert file.hash is not None  # noqa: S101  nothing is deleted
    digest, diff = file.hash, results.plan_diff([change])

    def describe(landed: Change | None) -> Answer:
        result = TextEditorResult(
            command=request.command,
            path=file.path,
            change_id=None if landed is None else landed.id,
            hash=digest,
            diff=diff,
            warnings=list(warnings),
        )
        done = words if landed is not None else f"No change: {plain(file.path)} already has this content."
        return Answer("\n".join([done, *(f"warning: {warning}" for warning in warnings)]), result.data())

    return Proposal(Plan((change,), _NAME, f"{request.command} {file.path}"), describe)


_DESCRIPTION = """\
View, create and edit text files.

- view: a file with numbered lines (view_range for a part), or a folder's files and folders, two levels deep.
- str_replace: replace old_str, which must occur in the file exactly once, with new_str; without new_str it is deleted.
- create: write a whole file with file_text; an existing file is overwritten, missing folders are created.
- insert: insert insert_text after line insert_line, as whole lines; 0 is the beginning of the file.

Whitespace counts; line numbers that view shows are not part of the file. If old_str is not found, the answer shows \
the nearest text, says what differs, and, if one place clearly fits, gives the corrected call."""


class TextEditorResult(results.ToolData):
    """The result of a command."""

    command: str | None = shapes.text("The command, if it was given").nullable
    path: str | None = shapes.text("File or folder, relative to the root, if it was given").nullable
    change_id: str | None = shapes.text("The change, for undo; null if nothing changed").nullable.optional
    hash: str = shapes.digest("Of the file's bytes").optional
    diff: str = shapes.text("What changed, as a unified diff").optional
    warnings: list[str] = shapes.values("What may not be intended").optional
    total_lines: int = shapes.integer("Lines of the viewed file").optional
    start_line: int = shapes.integer("The first line that is shown").optional
    end_line: int = shapes.integer("The last line that is shown").optional
    entries: list[str] = shapes.values("The folder's entries, two levels deep; folders end with a slash").optional
    left_out: int = shapes.integer("How many entries are not shown").optional
    truncated: bool = shapes.flag("Whether something is not shown").optional


STR_REPLACE_BASED_EDIT_TOOL = ToolSpec(
    name=_NAME,
    title="View and edit text files",
    description=_DESCRIPTION,
    request=TextEditor,
    examples=(
        Example(
            "View some lines of a file",
            {"primes.py": "def is_prime(n):\n    return n > 1\n\nprint(is_prime(2))\n"},
            {"command": "view", "path": "primes.py", "view_range": [1, 2]},
            "     1\tdef is_prime(n):\n     2\t    return n > 1",
        ),
        Example(
            "View a folder",
            {"src/app.py": "", "src/web/page.html": "", "src/web/.cache": ""},
            {"command": "view", "path": "src"},
            "Files and folders in src, up to 2 levels deep, without hidden and ignored ones:\n"
            "src/app.py\nsrc/web/\nsrc/web/page.html",
        ),
        Example(
            "Replace a text",
            {"primes.py": "for n in range(2, 9)\n    print(n)\n"},
            {
                "command": "str_replace",
                "path": "primes.py",
                "old_str": "for n in range(2, 9)",
                "new_str": "for n in range(2, 9):",
            },
            "Successfully replaced text at exactly one location.",
        ),
        Example(
            "Create a file",
            {},
            {"command": "create", "path": "docs/notes.md", "file_text": "# Notes\n"},
            "File created successfully at: docs/notes.md",
        ),
        Example(
            "Insert a line at the beginning",
            {"app.py": "print(1)\n"},
            {"command": "insert", "path": "app.py", "insert_line": 0, "insert_text": "import sys\n"},
            "Successfully inserted text at the beginning of app.py.",
        ),
    ),
    plan=plan_text_editor,
    result=TextEditorResult,
    explain=explain_text_editor,
)
