"""`str_replace_based_edit_tool`: Anthropic's text editor (type `text_editor_20250728`) on this engine.

Commands, arguments and sentences are those that models were trained on; below a sentence stands what the engine knows.
Text is replaced as `file_edit` does it, and a whole file is written as `safe_edit` writes one. The command `undo_edit`,
which older versions of the tool had, is left out as in this one: the tool `undo` takes back what any tool did.
"""

from __future__ import annotations

from suture.edits import edit, splice
from suture.errors import ElisionInNewText, FileNotFound, InvalidArguments, LineOutOfBounds
from suture.json_text import loads
from suture.occurrences import adapted, ending
from suture.phrases import plain
from suture.plan import Plan
from suture.tools import generated, outcome
from suture.tools.edit import FileEdit, OneEdit, plan_file_edit
from suture.tools.losses import check_placeholders, shrinkage
from suture.tools.request import Argument, Request, integer, literal, text
from suture.tools.rewriting import whole
from suture.tools.spec import Answer, Example, Proposal, ToolSpec
from suture.tools.text_editor_view import file_view, folder_view
from suture.tools.writable import check, check_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any, Self

    from suture.errors import SutureError
    from suture.files.paths import Target
    from suture.plan import Change, FileChange, Snapshot
    from suture.session import Session

_NAME = "str_replace_based_edit_tool"
_ARGUMENTS = {
    "view": ("view_range",),
    "str_replace": ("old_str", "new_str"),
    "create": ("file_text",),
    "insert": ("insert_line", "insert_text"),
}
"""The commands, and what each takes beside the path."""
_OPTIONAL = {"view_range", "new_str"}
_MOST_NEAR = 3


class _Range(Argument):
    expected = "two line numbers, such as [1, 20], or [30, -1] for all from line 30 on"

    def check(self, value: object) -> object:
        if isinstance(value, str):
            try:
                value = loads(value)
            except ValueError:
                raise self.wrong(value) from None
        if not isinstance(value, list | tuple) or len(value) != 2:  # noqa: PLR2004  the first and the last
            raise self.wrong(value)
        number = integer("A line")
        return [number.check(each) for each in value]

    def kind(self) -> dict[str, Any]:
        return {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2}


def _view_range() -> Any:
    """Two line numbers; None if left out."""
    about = "For view of a file: the first and the last line, counted from 1; -1 as the last means the end of the file"
    return _Range(about, default=None)


class TextEditor(Request):
    """Arguments of `str_replace_based_edit_tool`."""

    command: str = text("What to do", choices=tuple(_ARGUMENTS))
    path: str = text("Path of the file, or for view of a file or folder, absolute or relative to the workspace root")
    view_range: list[int] | None = _view_range()
    old_str: str | None = text("For str_replace: the text to replace, exactly as it stands in the file", default=None)
    new_str: str | None = text("For str_replace: the new text; if left out, old_str is deleted", default=None)
    file_text: str | None = text("For create: the content of the file", default=None)
    insert_line: int | None = integer(
        "For insert: the line after which the text goes; 0 for the beginning of the file", default=None, minimum=0
    )
    insert_text: str | None = text("For insert: the text, as whole lines", default=None)
    literal: bool = literal(listed=False)

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check a call's arguments; null means left out, and older models insert `new_str`."""
        kept = {name: each for name, each in given.items() if each is not None or name not in cls._fields}
        command = str(kept.get("command"))
        if command == "insert" and "new_str" in kept and kept.get("insert_text", kept["new_str"]) == kept["new_str"]:
            kept["insert_text"] = kept.pop("new_str")
        others = {name for names in _ARGUMENTS.values() for name in names} - {*_ARGUMENTS.get(command, ())}
        kept = {name: each for name, each in kept.items() if each or name not in others}  # empty ones say nothing
        request = super().parse(kept)
        problems = [
            {"argument": name, "problem": f"{command} does not take it"}
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
    """Carry out one command; to view something is a plan that changes nothing."""
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
    """What the path names; where nothing stands there, what may be meant is looked for."""
    target = session.locate(request.path, folders=request.command == "view")
    if target.stat is None:
        create_by = None if request.command == "view" else ["create"]
        near = session.near(request.path)[:_MOST_NEAR]
        raise FileNotFound(path=request.path, near=near, create_by=create_by)
    return target


def _is_file(target: Target) -> bool:
    return target.stat is not None and target.stat.kind == "file"


def _str_replace(session: Session, request: TextEditor) -> Proposal:
    one = OneEdit(old_text=request.old_str or "", new_text=request.new_str or "", occurrences=1)
    wanted = FileEdit(
        path=request.path,
        edits=[one],
        dry_run=False,
        encoding=None,
        expect_hash=None,
        validate="off",
        literal=request.literal,
    )
    try:
        made = plan_file_edit(session, wanted)
    except ElisionInNewText as error:
        raise ElisionInNewText(**{**error.fields(), "argument": "new_str"}) from None
    (change,) = made.plan.changes
    warnings = [_in_our_words(each) for each in made.describe(None).data["warnings"]]
    return _proposal(request, change, "Successfully replaced text at exactly one location.", warnings)


def _in_our_words(warning: str) -> str:
    """What `file_edit` warns of, with this tool's names for the two texts, but for what is quoted from the file."""
    said = warning.removeprefix("edits[0]: ")
    cut = min(at for at in (said.find("("), said.find(": "), len(said)) if at >= 0)
    return said[:cut].replace("old_text", "old_str").replace("new_text", "new_str") + said[cut:]


def _create(session: Session, request: TextEditor) -> Proposal:
    content = request.file_text or ""
    target = session.locate(request.path)
    if target.stat is None:
        blank = session.blank(request.path)
        made = session.plan_create(request.path, b"".join(splice(blank, whole(blank, content))))
        return _proposal(request, made, f"File created successfully at: {plain(target.name)}", [])
    before = session.text(request.path)
    warnings = [*_generated(before)]
    if "\r" not in content and b"\r\n" in before.text.body:
        warnings.append("the file's lines ended with CRLF; those of file_text end with LF, and are taken so.")
    name, body = before.place.name, before.text.body
    if not request.literal:
        warnings += check_placeholders(body, content, name, "file_text", whole=True)
    words = f"File created successfully at: {plain(target.name)}\nIt took the place of the file that stood there."
    change = session.plan_update(before, whole(before.text, content))
    warnings += shrinkage(name, body, content.encode("utf-8", "surrogatepass"))
    return _proposal(request, change, words, warnings)


def _insert(session: Session, request: TextEditor) -> Proposal:
    assert request.insert_line is not None  # noqa: S101  a request for insert has both
    assert request.insert_text is not None  # noqa: S101  as above
    before = session.text(request.path)
    name, line, total = before.place.name, request.insert_line, len(before.text.lines)
    if line > total:
        raise LineOutOfBounds(path=name, which="insert_line", line=line, total_lines=total, near=[])
    at, new = _inserted(before, line, request.insert_text)
    where = f"after line {line}" if line else "at the beginning"
    change = session.plan_update(before, [edit(at, at, new)])
    warnings = [] if request.literal else check_placeholders("", request.insert_text, name, "insert_text")
    words = f"Successfully inserted text {where} of {plain(name)}."
    return _proposal(request, change, words, [*_generated(before), *warnings])


def _inserted(before: Snapshot, line: int, inserted: str) -> tuple[int, bytes]:
    """Where a text goes, and its bytes: whole lines, which end as those around them; the file ends as it did."""
    body, lines = before.text.body, before.text.lines
    at = lines.span(line)[1] if line else 0
    new = inserted.encode("utf-8", "surrogatepass")
    check_whole(before.text, inserted, "")
    check(before.text, new, body)
    new, end = adapted(body, at, at, new), ending(body, at, at)
    if at == len(body):
        if not body or lines.finished:
            return at, new if not body or new.endswith((b"\n", end)) else new + end
        return at, end + new.removesuffix(b"\n").removesuffix(b"\r")
    return at, new if new.endswith((b"\n", end)) else new + end


def _generated(before: Snapshot) -> list[str]:
    found = generated.warning(before.place.name, before.text.body)
    return [] if found is None else [found]


def _proposal(request: TextEditor, change: FileChange, words: str, warnings: Sequence[str]) -> Proposal:
    """One recorded change, and what is told once it landed."""
    (file,) = outcome.files([change])
    diff = outcome.plan_diff([change])

    def told(landed: Change | None) -> Answer:
        data = {
            "command": request.command,
            "path": file["path"],
            "change_id": None if landed is None else landed.id,
            "hash": file["hash"],
            "diff": diff,
            "warnings": list(warnings),
        }
        done = words if landed is not None else f"No change: {plain(file['path'])} already has this content."
        return Answer("\n".join([done, *(f"warning: {each}" for each in warnings)]), data)

    return Proposal(Plan((change,), _NAME, f"{request.command} {file['path']}"), told)


def explain_text_editor(given: Mapping[str, object], error: SutureError) -> Answer:
    """A failure: the sentence that the tool's documentation has for it, and below it what is known."""
    from suture.tools.text_editor_wording import explained  # only a failure needs it

    return explained(given, error)


_DESCRIPTION = """\
View, create and edit text files.

- view: a file with numbered lines (view_range for a part), or a folder's files and folders, two levels deep.
- str_replace: replace old_str, which must stand in the file exactly once, by new_str; without new_str it is deleted.
- create: write a file whole, with file_text; one that stands there is overwritten, missing folders are made.
- insert: put insert_text in after line insert_line, as whole lines; 0 is the beginning of the file.

White space counts; line numbers that view prints are not part of the file. If old_str is not found, the answer shows \
the nearest text, names what differs, and, where one place clearly fits, gives the call that lands."""

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
    explain=explain_text_editor,
)
