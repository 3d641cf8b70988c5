"""`apply_patch`: the V4A envelope as OpenAI's models write it.

Does what `apply_reply` does with such a patch, with the name and the wording that models were trained on.
Rejected: accepting the other formats of a reply too. A caller of this tool wrote a patch; anything else is a mistake.
"""

from __future__ import annotations

from suture import wording
from suture.audience import PATCH_WRITER
from suture.bounds import check_limit
from suture.errors import InvalidArguments, NoBlocks
from suture.formats.reply import parse_reply
from suture.formats.v4a import EXAMPLE
from suture.plan import Create, Delete, Plan, Rename
from suture.tools import spec
from suture.tools.reply import (
    ApplyReplyResult,
    BlockApplier,
    ReplyReport,
    all_or_none,
    explain_apply_reply,
    shorten,
)
from suture.tools.reply_files import ReplyFiles
from suture.tools.results import version_of
from suture.tools.spec import Answer, Example, Proposal, Request, ToolSpec
from suture.wording import AS_SENT
from suture.wording.reply import validate_parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from suture.audience import Audience
    from suture.engine.session import Session
    from suture.errors import SutureError
    from suture.formats.reply import Reply
    from suture.plan import FileChange
    from suture.settings import Settings
    from suture.tools.reply_files import Outcome


_NAME = "apply_patch"
_HEADS = {"create_file": "*** Add File: ", "update_file": "*** Update File: ", "delete_file": "*** Delete File: "}
_QUOTES = ("'", '"', "`")


class ApplyPatchReport(ReplyReport):
    """The outcome of a call, in the words that models were trained on. The metadata is that of `apply_reply`."""

    def words(self, result: ApplyReplyResult) -> Iterator[str]:
        """`A` for added, `M` for modified, `D` for deleted, in this order; or what failed."""
        summary, files = result.summary, sorted({_line(change) for change in self.changes})
        if summary.failed:
            total = wording.count(len(self.outcomes), "change")
            yield f"The patch was not applied: {summary.failed} of {total} failed."
            yield from self.failure_lines(result)
            yield wording.hint(self.blocks_failed(), self.audience)
            return
        if not files:
            yield "No change: every file is already as the patch would make it."
        elif self.dry_run:
            yield "Dry run: nothing was written. The patch would update the following files:"
        else:
            yield "Success. Updated the following files:"
        yield from sorted(files, key=lambda line: "AMD".index(line[0]))
        yield from self._notes()

    def ending_lines(self, result: ApplyReplyResult) -> Iterator[str]:
        """Warnings about what was applied."""
        if not result.summary.failed:
            yield from (f"warning: {warning}" for warning in result.warnings)

    def failure_line(self, outcome: Outcome, message: str) -> str:
        """The first line about a failed hunk or section."""
        lines = {outcome.block.id_of(number): hunk.line for number, hunk in enumerate(outcome.block.hunks)}
        line = lines.get(outcome.id, outcome.block.line)
        names_line = outcome.error is not None and "reply_line" in outcome.error.fields()
        where = "" if names_line else f" (line {line} of the input)"
        return f"{_part_name(outcome).capitalize()}{where} failed: {message}"

    def _notes(self) -> Iterator[str]:
        for outcome in self.outcomes:
            name, part = wording.plain(outcome.path or ""), _part_name(outcome)
            if outcome.status == "already_applied":
                at = f" at line {outcome.line}" if outcome.line else ""
                yield f"note: {part} of {name} is already there{at}, and was skipped."
            elif (version := version_of(outcome.base)) is not None:
                merged = f"was written on {wording.version_name(version)}, and merged into the current file"
                yield f"note: {part} {merged}, at {name}:{outcome.line}."
            elif outcome.rung not in AS_SENT:
                match = f"{part} was found {wording.how_matched(outcome.rung)} at {name}:{outcome.line}"
                yield f"note: {match}, and adapted to the file's text."


def _line(change: FileChange) -> str:
    name = change.to.name if isinstance(change, Rename) else change.place.name
    kind = "A" if isinstance(change, Create) else "D" if isinstance(change, Delete) else "M"
    return f"{kind} {wording.plain(name)}"


def _part_name(outcome: Outcome) -> str:
    return f"hunk {outcome.id}" if "." in outcome.id else f"section {outcome.id}"


class ApplyPatch(Request):
    """Arguments of `apply_patch`."""

    input: str = spec.text("The patch, from *** Begin Patch to *** End Patch")
    dry_run: bool = spec.DRY_RUN
    literal: bool = spec.LITERAL


def plan_apply_patch(session: Session, request: ApplyPatch) -> Proposal:
    """Apply the patch in memory, and plan its changes; none if a part of it fails."""
    reply = _parse(request.input, session.settings)
    files = ReplyFiles(session)
    applier = BlockApplier(files, "lenient", dry_run=request.dry_run, literal=request.literal)
    files, outcomes = all_or_none(files, applier.run(reply.blocks))
    changes = tuple(files.plan(session))
    validation = validate_parsed(request.input, reply)
    report = ApplyPatchReport(
        session.settings, PATCH_WRITER, changes, outcomes, validation, dry_run=request.dry_run, atomic=True
    )
    summary = f"patch of {shorten(change.place.name for change in changes)}"
    return Proposal(Plan(changes, _NAME, summary), report.answer)


def _parse(given: str, settings: Settings) -> Reply:
    """The sections of the patch; text around it is ignored, unless it also changes files."""
    reply = parse_reply(given, most=settings.max_edits + 1)
    own = [block for block in reply if block.format == "v4a"]
    if not own:
        raise NoBlocks(fenced=[], characters=len(given))
    others = [block.line for block in reply if block.format != "v4a"] + [
        part.line for part in reply.unread if part.edits
    ]
    if others:
        problem = f"line {min(others)} is outside the patch; put all changes between *** Begin Patch and *** End Patch"
        raise InvalidArguments.of("input", problem)
    check_limit("The patch", sum(len(block.ids) for block in reply), settings, "max_edits", "hunks")
    return reply


def operation_envelope(operation: Mapping[str, object]) -> str:
    """The patch for an `operation` of an `apply_patch_call`, which OpenAI's built-in tool sends for each file.

    `{"type": "create_file" | "update_file" | "delete_file", "path": …, "diff": …}`; a deletion needs no diff. A diff
    that contains another section, or the end of the patch, is refused.
    """
    kind, path, diff = (operation.get(name) for name in ("type", "path", "diff"))
    head = _HEADS.get(kind) if isinstance(kind, str) else None
    if head is None:
        raise _wrong("type", f"expected one of {', '.join(_HEADS)}")
    if not isinstance(path, str) or not _is_plain_path(path):
        raise _wrong("path", "expected a path on one line, without quotes or spaces around it")
    if kind == "delete_file":
        diff = ""
    if not isinstance(diff, str):
        raise _wrong("diff", "expected the lines of a V4A diff" if diff is not None else f"missing: {kind} needs it")
    lines = diff.removesuffix("\n").removesuffix("\r").split("\n") if diff else []
    if any(line.startswith("*** ") and line.rstrip().lower() != "*** end of file" for line in lines):
        raise _wrong("diff", "a line begins with a patch marker (***); expected only the lines of this file's diff")
    end = "\r\n" if "\r\n" in diff else "\n"
    lines = [line.removesuffix("\r") for line in lines] if end == "\r\n" else lines
    return "".join(f"{line}{end}" for line in ("*** Begin Patch", f"{head}{path}", *lines, "*** End Patch"))


def _is_plain_path(path: str) -> bool:
    """Whether a patch is read with the same path that was written into it."""
    quoted = path[:1] in _QUOTES and path[-1:] == path[:1]
    return bool(path) and path == path.strip() and not quoted and not {"\n", "\r"} & {*path}


def _wrong(argument: str, problem: str) -> InvalidArguments:
    return InvalidArguments.of(f"operation.{argument}", problem)


def explain_apply_patch(arguments: Mapping[str, object], error: SutureError, _audience: Audience) -> Answer:
    """A failure of the whole call, in the shape of its result and in the terms of its format."""
    return explain_apply_reply(arguments, error, PATCH_WRITER)


_DESCRIPTION = f"""\
Create, change, move and delete files with a patch. All of it is applied, or nothing is. A patch looks like this:

{EXAMPLE}

A hunk shows about 3 lines of context above and below the change, each prefixed with a space; - removes a line, + adds \
one. @@ lines name the class or function a hunk is in, and separate hunks; there are no line numbers. *** Move to: \
PATH below *** Update File: renames the file. *** End of File below a hunk says that it is at the end."""

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
