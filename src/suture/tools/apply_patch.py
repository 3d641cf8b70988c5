"""`apply_patch`: the V4A envelope as OpenAI's models write it.

What `apply_reply` does with such a patch among others, under the name and with the words that models were trained on.
Rejected: taking the other formats of a reply as well. Who calls this tool wrote a patch, and what looks like something
else is there by mistake.
"""

from __future__ import annotations

from suture import wording
from suture.audience import PATCH_WRITER
from suture.errors import InputTooLarge, InvalidArguments, NoBlocks
from suture.formats.reply import parse_reply, validate_parsed
from suture.plan import Create, Delete, Plan, Rename
from suture.tools import results, spec
from suture.tools.blocks import BlockApplier
from suture.tools.reply import ApplyReplyResult, ReplyReport, reply_failure
from suture.tools.reply_files import ReplyFiles, WorkspaceFiles
from suture.tools.results import version_of
from suture.tools.spec import Answer, Example, Proposal, Request, ToolSpec
from suture.wording.phrases import AS_SENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from suture.audience import Audience
    from suture.engine.session import Session
    from suture.errors import SutureError
    from suture.formats.reply import Reply
    from suture.plan import Change, FileChange
    from suture.settings import Settings
    from suture.tools.blocks import Outcome


PATCH_FORMAT = """\
*** Begin Patch
*** Update File: path/to/file.py
@@ def function_around():
 a line as it is in the file
-a line that goes away
+a line that comes in
*** Add File: path/to/new.txt
+every line of the new file
*** Delete File: path/to/old.txt
*** End Patch"""
_SHOWN_FAILED = 5  # failed parts that are reported with all that is known
_SHOWN_FAILURE_LINES = 60  # of all failures; once they are used up, the others get one line each
_NOTHING_CHANGED = "Nothing was changed: fix what failed, and send the whole patch again."
_NAME = "apply_patch"
_SHOWN_NAMES = 3  # files in the summary that the history keeps
_HEADS = {"create_file": "*** Add File: ", "update_file": "*** Update File: ", "delete_file": "*** Delete File: "}
_QUOTES = ("'", '"', "`")


class ApplyPatchReport:
    """The outcome of a call, described once it landed or would have. The metadata are those of `apply_reply`."""

    def __init__(
        self, settings: Settings, plan: Plan, outcomes: Sequence[Outcome], report: ReplyReport, *, dry_run: bool
    ) -> None:
        self._settings = settings
        self._plan = plan
        self._outcomes = outcomes
        self._report = report
        self._dry_run = dry_run

    def answer(self, change: Change | None) -> Answer:
        """The answer for the caller."""
        report = self._report.answer(change)
        failed = [result for result in self._outcomes if result.status == "failed"]
        if failed:
            return self._failure_answer(report.data, failed)
        files = sorted({_line(change) for change in self._plan.changes})
        words = [*self._head(files), *self._notes(), *(f"warning: {warning}" for warning in report.data["warnings"])]
        shown = results.cut(report.data["diff"], self._settings) if self._dry_run and files else ""
        return Answer("\n".join([*words, "", shown] if shown else words), report.data)

    def _head(self, files: Sequence[str]) -> Iterator[str]:
        """`A` for added, `M` for modified, `D` for deleted, in this order."""
        if not files:
            yield "No change: every file is already as the patch would make it."
        elif self._dry_run:
            yield "Dry run: nothing was written. The patch would update the following files:"
        else:
            yield "Success. Updated the following files:"
        yield from sorted(files, key=lambda line: "AMD".index(line[0]))

    def _notes(self) -> Iterator[str]:
        for result in self._outcomes:
            name = wording.plain(result.path or "")
            if result.status == "already_applied":
                at = f" at line {result.line}" if result.line else ""
                yield f"note: {_part_name(result)} of {name} is there already{at}, and was left out."
            elif (version := version_of(result.base)) is not None:
                merged = f"was written on {wording.version_name(version)}, and merged into the current file"
                yield f"note: {_part_name(result)} {merged}, at {name}:{result.line}."
            elif result.rung not in AS_SENT:
                match = f"{_part_name(result)} was found {wording.how_matched(result.rung)} at {name}:{result.line}"
                yield f"note: {match}, and adapted to the file's text."

    def _failure_answer(self, data: dict[str, Any], failed: Sequence[Outcome]) -> Answer:
        """Each part that failed: what happened, what is known, what to do."""
        total, lines = len(self._outcomes), list[str]()
        errors = {block["id"]: block["error"] for block in data["blocks"]}
        for number, result in enumerate(failed):
            error = errors[result.id]
            line = (
                f"{_part_name(result).capitalize()} (line {_line_of(result)} of the input) failed: {error['message']}"
            )
            more = [*(f"  {detail}" for detail in error["details"]), f"  {error['hint']}"]
            lines += [line, *more] if number < _SHOWN_FAILED and len(lines) < _SHOWN_FAILURE_LINES else [line]
        data["error"] |= {"hint": _NOTHING_CHANGED}
        head = f"The patch was not applied: {len(failed)} of {wording.count(total, 'change')} failed."
        return Answer("\n".join([head, *lines, _NOTHING_CHANGED]), data, is_error=True)


def _line(change: FileChange) -> str:
    name = change.to.name if isinstance(change, Rename) else change.place.name
    kind = "A" if isinstance(change, Create) else "D" if isinstance(change, Delete) else "M"
    return f"{kind} {wording.plain(name)}"


def _part_name(result: Outcome) -> str:
    return f"hunk {result.id}" if "." in result.id else f"section {result.id}"


def _line_of(result: Outcome) -> int:
    """Where in the input it begins."""
    lines = {result.block.id_of(number): hunk.line for number, hunk in enumerate(result.block.hunks)}
    return lines.get(result.id, result.block.line)


class ApplyPatch(Request):
    """Arguments of `apply_patch`."""

    input: str = spec.text("The patch, from *** Begin Patch to *** End Patch")
    dry_run: bool = spec.DRY_RUN
    literal: bool = spec.LITERAL


def plan_apply_patch(session: Session, request: ApplyPatch) -> Proposal:
    """Apply the patch in memory, and plan what that changes; if a part of it fails, nothing."""
    reply = _parse(request.input, session.settings.max_edits)
    sheets = ReplyFiles(WorkspaceFiles(session))
    stitching = BlockApplier(sheets, "lenient", session, dry_run=request.dry_run, literal=request.literal)
    outcomes = stitching.run(reply.blocks)
    if any(result.status == "failed" for result in outcomes):
        outcomes = [result.but(status="skipped") if result.status == "applied" else result for result in outcomes]
        sheets = ReplyFiles(WorkspaceFiles(session))
    changes = tuple(sheets.plan(session))
    plan = Plan(changes, _NAME, _summary([change.place.name for change in changes]))
    validation = validate_parsed(request.input, reply)
    report = ReplyReport(
        session.settings, PATCH_WRITER, plan, outcomes, validation, dry_run=request.dry_run, atomic=True
    )
    return Proposal(plan, ApplyPatchReport(session.settings, plan, outcomes, report, dry_run=request.dry_run).answer)


def _parse(given: str, most: int) -> Reply:
    """The sections of the patch; text around it is ignored, but nothing that is meant to change a file."""
    reply = parse_reply(given, most=most + 1)
    own = [block for block in reply if block.format == "v4a"]
    if not own:
        raise NoBlocks(fenced=[], characters=len(given))
    others = [block.line for block in reply if block.format != "v4a"] + [
        part.line for part in reply.unread if part.edits
    ]
    if others:
        problem = (
            f"line {min(others)} is outside of the patch; put all changes between *** Begin Patch and *** End Patch"
        )
        raise InvalidArguments(problems=[{"argument": "input", "problem": problem}])
    size = sum(len(block.ids) for block in reply)
    if size > most:
        raise InputTooLarge(what="The patch", size=size, limit=most, setting="max_edits", unit="hunks")
    return reply


def _summary(names: list[str]) -> str:
    return f"patch of {', '.join(names[:_SHOWN_NAMES])}{' …' if len(names) > _SHOWN_NAMES else ''}"


def operation_envelope(operation: Mapping[str, object]) -> str:
    """The patch that an `operation` of an `apply_patch_call` means, which OpenAI's built-in tool sends, one a file.

    `{"type": "create_file" | "update_file" | "delete_file", "path": …, "diff": …}`; what is deleted needs no diff. A
    diff speaks of its own file only: one that holds another section, or the end of the patch, is refused.
    """
    kind, path, diff = (operation.get(name) for name in ("type", "path", "diff"))
    head = _HEADS.get(kind) if isinstance(kind, str) else None
    if head is None:
        raise _wrong("type", f"expected one of {', '.join(_HEADS)}")
    if not isinstance(path, str) or not _can_stand(path):
        raise _wrong("path", "expected a path in one line, without quotes or spaces around it")
    if kind == "delete_file":
        diff = ""
    if not isinstance(diff, str):
        raise _wrong("diff", "expected the lines of a V4A diff" if diff is not None else f"missing: {kind} needs it")
    lines = diff.removesuffix("\n").removesuffix("\r").split("\n") if diff else []
    if any(line.startswith("*** ") and line.rstrip().lower() != "*** end of file" for line in lines):
        raise _wrong("diff", "a line begins as a marker of a patch (***); expected only the lines of this file's diff")
    end = "\r\n" if "\r\n" in diff else "\n"
    lines = [line.removesuffix("\r") for line in lines] if end == "\r\n" else lines
    return "".join(f"{line}{end}" for line in ("*** Begin Patch", f"{head}{path}", *lines, "*** End Patch"))


def _can_stand(path: str) -> bool:
    """Whether a path comes out of a patch as it went in; a backslash separates folders there."""
    quoted = path[:1] in _QUOTES and path[-1:] == path[:1]
    return bool(path) and path == path.strip() and not quoted and not {"\n", "\r"} & {*path}


def _wrong(argument: str, problem: str) -> InvalidArguments:
    return InvalidArguments(problems=[{"argument": f"operation.{argument}", "problem": problem}])


def explain_apply_patch(_: Mapping[str, object], error: SutureError, _audience: Audience) -> Answer:
    """A failure of the whole call, in the shape of its result and in the words of its format."""
    answer = reply_failure(error, PATCH_WRITER)
    if not isinstance(error, NoBlocks):
        return answer
    message, hint = "The input contains no patch.", f"A patch looks like this:\n{PATCH_FORMAT}"
    error_data = answer.data["error"] | {"message": message, "hint": hint}
    return answer.but(
        text=f"{error.code}: {message} {hint}", data=answer.data | {"errors": [message], "error": error_data}
    )


_DESCRIPTION = f"""\
Create, change, move and delete files by a patch. All of it lands, or nothing does. It looks like this:

{PATCH_FORMAT}

A hunk shows about 3 lines of the file above and below what changes, each behind a space; - is a line that goes away, \
+ one that comes in. Lines of @@ name the class or function a hunk is in, and separate hunks; there are no line \
numbers. *** Move to: PATH below *** Update File: renames the file. *** End of File below a hunk says that it is \
at the end."""

APPLY_PATCH = ToolSpec(
    name=_NAME,
    title="Apply a patch",
    description=_DESCRIPTION,
    request=ApplyPatch,
    examples=(
        Example(
            "Change a file, and add another",
            {"app.py": "def greet():\n    print('hello')\n"},
            {
                "input": "*** Begin Patch\n*** Update File: app.py\n@@ def greet():\n-    print('hello')\n"
                "+    print('hi')\n*** Add File: notes.md\n+# Notes\n*** End Patch\n"
            },
            "Success. Updated the following files:\nA notes.md\nM app.py",
        ),
    ),
    plan=plan_apply_patch,
    result=ApplyReplyResult,
    explain=explain_apply_patch,
)
