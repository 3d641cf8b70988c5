r"""`apply_reply`: a model's whole reply; and the functions about replies that need no workspace.

>>> reply = parse_reply("a.txt\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n")
>>> apply_blocks("one\n", reply).text
'two\n'
"""

from __future__ import annotations

from suture import wording
from suture.errors import (
    BlocksFailed,
    IncompleteBlock,
    InputTooLarge,
    InvalidArguments,
    NoBlocks,
    PathOutsideWorkspace,
    UnreadEdits,
)
from suture.formats import KINDS as UNREAD_KINDS
from suture.formats import NOTATIONS
from suture.formats.reply import (
    ReplyParser,
    Validation,
    describe_unread,
    extract_paths,
    parse_reply,
    validate_parsed,
    validate_reply,
)
from suture.plan import Content, Place, Plan, Snapshot
from suture.records import Record
from suture.text import Text
from suture.tools import results, spec
from suture.tools.blocks import BlockApplier, Outcome
from suture.tools.reply_files import ReplyFiles, WorkspaceFiles
from suture.tools.results import RUNG, SCORE, WRITTEN_ON, WrittenOn, version_of
from suture.tools.spec import Answer, Example, Proposal, Request, ToolSpec
from suture.wording.phrases import AS_SENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from suture.audience import Audience
    from suture.engine.session import Session
    from suture.errors import SutureError, UnreadEdit
    from suture.formats import Block, Unread
    from suture.match.index import Base
    from suture.plan import Change
    from suture.settings import Settings


_SHOWN_APPLIED = 20  # blocks that landed, listed one by one
_SHOWN_FAILED = 5  # failed blocks that are reported with all that is known
_SHOWN_FAILURE_LINES = 60  # of all failures; once they are used up, the others get one line each
_STATUSES = ("applied", "already_applied", "failed", "skipped")
_DONE = {"create": "created", "update": "updated", "delete": "deleted", "rename": "renamed"}
_SHOWN_IDS = 20  # known blocks, if an unknown one is asked for
_LONGEST_ID = 20  # characters of an unknown block's id
_SHOWN_NAMES = 3  # files in the summary that the history keeps


class ReplyReport:
    """The outcome of a call, described once it landed or would have."""

    def __init__(
        self,
        settings: Settings,
        audience: Audience,
        plan: Plan,
        outcomes: Sequence[Outcome],
        validation: Validation,
        *,
        dry_run: bool,
        atomic: bool,
        chosen: bool = False,
    ) -> None:
        """`chosen`: the caller said which blocks to apply, and knows what the rest of the reply is."""
        self._settings = settings
        self._audience = audience
        self._plan = plan
        self._outcomes = outcomes
        self._validation = validation
        self._dry_run = dry_run
        self._atomic = atomic
        self._missed = [] if chosen else [part for part in validation.unread if part.edits]

    def answer(self, change: Change | None) -> Answer:
        """The answer for the caller."""
        failed = self._with("failed")
        diff = results.plan_diff(self._plan.changes)
        warnings = [*self._validation.warnings, *self._warnings()]
        data: dict[str, Any] = {
            "change_id": None if change is None else change.id,
            "summary": {status: len(self._with(status)) for status in _STATUSES},
            "blocks": [_block_data(result, self._audience) for result in self._outcomes],
            "files": results.files(self._plan.changes),
            "unread": [unread_data(part) for part in self._validation.unread],
            "errors": self._validation.errors,
            "warnings": warnings,
            "diff": diff,
        }
        if failed:
            error = BlocksFailed(failed=_ids(failed), landed=_ids(self._with("applied")), total=len(self._outcomes))
            data["error"] = wording.error_data(error, self._audience)
        elif self._missed:
            data["error"] = wording.error_data(self._unread_edits(), self._audience)
        words = "\n".join([self._head(change), *self._words(change, warnings)])
        shown = results.cut(diff, self._settings) if self._dry_run else ""
        return Answer(f"{words}\n\n{shown}" if shown else words, data, is_error="error" in data)

    def _unread_edits(self) -> UnreadEdits:
        return UnreadEdits(unread=list(map(unread_data, self._missed)), landed=_ids(self._with("applied")))

    def _with(self, status: str) -> list[Outcome]:
        return [result for result in self._outcomes if result.status == status]

    def _head(self, change: Change | None) -> str:
        applied, failed, total = self._with("applied"), self._with("failed"), len(self._outcomes)
        already, skipped = self._with("already_applied"), self._with("skipped")
        others = [
            f"{len(several)} {words}"
            for several, words in ((failed, "failed"), (already, "applied already"), (skipped, "skipped"))
            if several
        ]
        others += [f"{wording.count(len(self._missed), 'edit')} not read"] if self._missed else []
        rest = f"; {', '.join(others)}" if others else ""
        if self._dry_run:
            return f"Dry run: {_of(len(applied), total)} would be applied{rest}. Nothing was written."
        if change is None and applied:
            return f"No change: {_of(len(applied), total)} together leave every file as it was{rest}."
        if change is None:
            return (
                f"No block was applied{rest}. Nothing was changed."
                if failed
                else f"No change: no block was applied{rest}."
            )
        return f"Applied {_of(len(applied), total)} (change {change.id}){rest}."

    def _words(self, change: Change | None, warnings: Sequence[str]) -> Iterator[str]:
        applied, failed = self._with("applied"), self._with("failed")
        for result in applied[:_SHOWN_APPLIED]:
            yield _line(result)
        if len(applied) > _SHOWN_APPLIED:
            yield f"… and {len(applied) - _SHOWN_APPLIED} more."
        for result in self._with("already_applied"):
            at = f" at line {result.line}" if result.line else ""
            yield f"{result.id} {wording.plain(result.path or '')}: applied already{at}; leave it out."
        missed = failed or self._missed
        if missed and change is not None and applied:
            ids = ", ".join(_ids(applied))
            single = len(applied) == 1
            yield f"{'Block' if single else 'Blocks'} {ids} landed: do not send {'it' if single else 'them'} again."
        elif missed and self._atomic and self._with("skipped"):
            yield "atomic is set: nothing landed. Fix the following, and send all blocks again:"
        room = _SHOWN_FAILURE_LINES
        for number, result in enumerate(failed):
            lines = _failure(result, self._audience, full=number < _SHOWN_FAILED and room > 0)
            room -= len(lines)
            yield from lines
        named = any(isinstance(result.error, IncompleteBlock) for result in failed)
        known = {*self._validation.errors, *self._validation.warnings} if named else set()  # reported with the block
        known -= {describe_unread(part) for part in self._validation.unread}
        yield from (f"error: {error}" for error in self._validation.errors if error not in known)
        if self._missed:
            yield wording.hint(self._unread_edits(), self._audience)
        yield from (f"warning: {warning}" for warning in warnings if warning not in known)

    def _warnings(self) -> Iterator[str]:
        """What may not have been meant, or is worth knowing, but was done."""
        for result in self._with("applied"):
            if result.holds_marker:
                yield f"Block {result.id}: a line of ======= was taken for a part of the new text."
        for note in dict.fromkeys(
            result.note for result in self._outcomes if result.note and result.status != "failed"
        ):
            yield wording.plain(f"{note[0].upper()}{note[1:]}.")
        yield from dict.fromkeys(warning for result in self._with("applied") for warning in result.warnings)
        for file in self._plan.changes:
            before = getattr(file, "before", None)
            if before is not None and (generated := results.warning(file.place.name, before.text.body)) is not None:
                yield f"{file.place.name}: {generated}"


def reply_failure(error: SutureError, audience: Audience) -> Answer:
    """The answer to a call that could not be carried out at all."""
    message, error_data = wording.message(error, audience), wording.error_data(error, audience)
    data: dict[str, Any] = {"change_id": None, "summary": dict.fromkeys(_STATUSES, 0), "blocks": [], "files": []}
    data |= {"unread": error.unread if isinstance(error, NoBlocks) else []}
    data |= {"errors": [message], "warnings": [], "diff": "", "error": error_data}
    return Answer(wording.error_text(error, audience), data, is_error=True)


def unread_data(part: Unread) -> UnreadEdit:
    """Something that was not read."""
    message = describe_unread(part)
    return {"line": part.line, "kind": part.kind, "path": part.path, "edits": part.edits, "message": message}


def _ids(outcomes: Sequence[Outcome]) -> list[str]:
    return [result.id for result in outcomes]


def _of(number: int, total: int) -> str:
    """So many blocks of all."""
    if number != total:
        return f"{number} of {wording.count(total, 'block')}"
    return {1: "the block", 2: "both blocks"}.get(total, f"all {total} blocks")


def _line(result: Outcome) -> str:
    """One block that was applied."""
    line = f":{result.line}" if result.line and result.action == "update" else ""
    line = f" → {wording.plain(result.to)}" if result.to else line
    how = "" if result.rung in AS_SENT else f"; found {wording.how_matched(result.rung)}, adapted to the file's text"
    if (version := version_of(result.base)) is not None:
        how = f"; written on {wording.version_name(version)}, merged into the current file"
    return f"{result.id} {wording.plain(result.path or '')}{line}, {_DONE[result.action]}{how}"


def _failure(result: Outcome, audience: Audience, *, full: bool) -> list[str]:
    """One block that failed: what happened, what is known, what to do."""
    assert result.error is not None  # noqa: S101  a failure has its reason
    words = _block_words(result.error, result.block.format, audience)
    head = f"Block {result.id} failed: {words['message']}"
    return [head, *(f"  {line}" for line in words["details"]), f"  {words['hint']}"] if full else [head]


def _block_words(error: SutureError, format_: str, audience: Audience) -> dict[str, Any]:
    """What happened to a block, what else is known, and what to do, in the words of its format."""
    audience = audience.but(old_part=NOTATIONS[format_].old or audience.old_part)
    return {
        "details": wording.block_details(error, audience),
        "message": wording.block_message(error, audience),
        "hint": wording.block_hint(error, audience),
    }


def _block_data(result: Outcome, audience: Audience) -> dict[str, Any]:
    """What became of a block, as data."""
    error, block = result.error, result.block
    return {
        "id": result.id,
        "format": block.format,
        "action": result.action,
        "path": result.path,
        **({"to": result.to} if result.to else {}),
        "path_as_written": block.path_as_written,
        "status": result.status,
        "line": result.line if result.status != "failed" else None,
        "reply_line": block.line,
        "rung": result.rung,
        "score": result.score,
        "written_on": version_of(result.base),
        "diff": result.diff,
        "error": None
        if error is None
        else wording.error_data(error, audience) | _block_words(error, block.format, audience),
    }


class ApplyReply(Request):
    """Arguments of `apply_reply`."""

    reply: str = spec.text(
        "The model's reply: SEARCH/REPLACE and NEW_FILE blocks, apply_patch envelopes, unified diffs"
    )
    atomic: bool = spec.flag("Apply all blocks or none")
    dry_run: bool = spec.DRY_RUN
    only: list[str] | None = spec.ids(
        "Ids of the blocks or hunks to apply, as a dry run lists them; all others are skipped"
    )
    whole_files: bool = spec.flag("Also read a code fence or tag with a path as the whole content of that file")
    match: str = spec.MATCH
    validate: str = spec.VALIDATE
    default_path: str | None = spec.text("File of the blocks that name none", default=None)
    expect_hash: str | dict[str, str] | None = spec.EXPECT_HASH
    literal: bool = spec.LITERAL


def plan_apply_reply(session: Session, request: ApplyReply) -> Proposal:
    """Apply every block in memory, and plan what that changes."""
    most = session.settings.max_edits + 1
    reply = parse_reply(request.reply, request.default_path, whole_files=request.whole_files, most=most)
    if not reply:
        skipped = sum(thought.blocks for thought in reply.thoughts)
        unread = [unread_data(part) for part in reply.unread]
        raise NoBlocks(fenced=list(reply.fenced), characters=len(request.reply), skipped=skipped, unread=unread)
    _check(reply.blocks, request.only, session.settings.max_edits)
    sheets = ReplyFiles(WorkspaceFiles(session), request.expect_hash)
    stitching = BlockApplier(sheets, request.match, session, dry_run=request.dry_run, literal=request.literal)
    outcomes = stitching.run(reply.blocks, request.only)
    sheets.check_others(request.expect_hash)
    missed = request.only is None and any(part.edits for part in reply.unread)
    if request.atomic and (missed or any(result.status == "failed" for result in outcomes)):
        outcomes = [result.but(status="skipped") if result.status == "applied" else result for result in outcomes]
        sheets = ReplyFiles(WorkspaceFiles(session))
    changes = tuple(sheets.plan(session))
    plan = Plan(changes, "apply_reply", _summary(outcomes))
    report = ReplyReport(
        session.settings,
        session.audience,
        plan,
        outcomes,
        validate_parsed(request.reply, reply),
        dry_run=request.dry_run,
        atomic=request.atomic,
        chosen=request.only is not None,
    )
    return Proposal(plan, report.answer)


def explain_apply_reply(_: Mapping[str, object], error: SutureError, audience: Audience) -> Answer:
    """A failure of the whole call, in the shape of its result."""
    return reply_failure(error, audience)


def _check(blocks: Sequence[Block], only: Sequence[str] | None, most: int) -> None:
    known = [name for block in blocks for name in block.ids]
    if len(known) > most:
        raise InputTooLarge(what="The reply", size=len(known), limit=most, setting="max_edits", unit="blocks")
    unknown = [name for name in only or () if not any(block.chosen([name]) for block in blocks)]
    if unknown:
        shown = ", ".join(known[:_SHOWN_IDS])
        problem = f"there is no block {unknown[0][:_LONGEST_ID]}; known are {shown}"
        raise InvalidArguments(problems=[{"argument": "only", "problem": problem}])


def _summary(outcomes: Sequence[Outcome]) -> str:
    applied = [result for result in outcomes if result.status == "applied"]
    names = list(dict.fromkeys(result.path or "" for result in applied))
    blocks = f"{len(applied)} blocks" if len(applied) != 1 else "1 block"
    return f"{blocks} of a reply: {', '.join(names[:_SHOWN_NAMES])}{' …' if len(names) > _SHOWN_NAMES else ''}"


_DESCRIPTION = """\
Apply everything a reply says about files, in one transaction that `undo` takes back. Formats may be mixed, with \
prose between them:

- SEARCH/REPLACE blocks, below the path of the file:
  path/to/file.py
  <<<<<<< SEARCH
  whole lines as they are in the file
  =======
  the lines that replace them
  >>>>>>> REPLACE
  An empty REPLACE part deletes; an empty SEARCH part fills a new or empty file.
- <<<<<<< NEW_FILE … >>>>>>> NEW_FILE, below the path: a file that does not exist yet.
- *** Begin Patch … *** End Patch (apply_patch), and unified diffs; line numbers may be wrong or missing.

Blocks are applied in order, each to the result of those before. A block fits one place, or it fails, and the answer \
says why and how to fix it; the others land (set atomic to have all or none). Small differences in whitespace, \
quotes or indentation are bridged where only one place fits. Send again only what failed or is in unread."""


class Summary(results.Data):
    """How many blocks and hunks there are of each status."""

    applied: int = results.integer("Changed something")
    already_applied: int = results.integer("Found nothing left to change")
    failed: int = results.integer("Could not be applied")
    skipped: int = results.integer("Were not chosen, or not applied because others failed")


class Correction(results.Data):
    """The change that fits."""

    old_text: str = results.text("The lines of the file")
    new_text: str = results.text("What they become")
    start_line: int = results.START_LINE
    end_line: int = results.END_LINE


class BlockFailure(results.Failure):
    """Why a block failed."""

    details: list[str] = results.values("What is known about it").optional
    correction: Correction | None = results.member(
        "The change that fits, where that is known", Correction
    ).nullable.optional


class ReplyBlock(results.Data):
    """What became of a block or hunk."""

    id: str = results.text("Its number, or 3.2 for the second hunk of block 3; for only")
    format: str = results.text("How it is written", NOTATIONS)
    action: str = results.text("What it does to the file", results.ACTIONS)
    path: str | None = results.text("The file; null if nothing says which").nullable
    path_as_written: str | None = results.text("The file as the reply names it").nullable
    status: str = results.text("What became of it", ("applied", "already_applied", "failed", "skipped"))
    line: int | None = results.integer("Line of the file where it changes something").nullable
    reply_line: int = results.integer("Its first line in the reply")
    rung: str | None = RUNG
    score: float | None = SCORE
    written_on: WrittenOn | None = WRITTEN_ON
    diff: str = results.text("What it changes, as a unified diff")
    error: BlockFailure | None = results.error("Why it failed; null if it did not", BlockFailure).nullable
    to: str = results.text("The file's new name, if it is renamed").optional


class UnreadPart(results.Data):
    """What looks like an edit and was not read."""

    line: int = results.integer("The line of the reply at which it begins")
    kind: str = results.text("What it seems to be", UNREAD_KINDS)
    path: str | None = results.text("The file it seems to be about").nullable
    edits: bool = results.flag("Whether it clearly edits a file; if true, the call is an error unless only is given")
    message: str = results.text("All of this in one sentence")


class ReplyFailure(results.Rejection):
    """The error of a reply that was not applied as a whole."""

    failed: list[str] = results.values(
        "BLOCKS_FAILED: their ids; VALIDATION_FAILED: which blocks failed as well, and why"
    ).optional
    landed: list[str] = results.values(
        "BLOCKS_FAILED: the ids of those that were applied; do not send them again"
    ).optional


class ApplyReplyResult(results.ToolData):
    """What became of a reply."""

    failure = ReplyFailure
    change_id: str | None = results.CHANGE_ID
    summary: Summary = results.member("How many blocks and hunks", Summary)
    blocks: list[ReplyBlock] = results.objects("What became of each block or hunk, in order", ReplyBlock)
    files: list[results.ChangedFile] = results.FILES
    unread: list[UnreadPart] = results.objects("What looks like an edit in the reply and was not read", UnreadPart)
    errors: list[str] = results.values("What is wrong with the reply")
    warnings: list[str] = results.WARNINGS
    diff: str = results.DIFF
    validation: results.Validation = results.VALIDATION_IF_ASKED


APPLY_REPLY = ToolSpec(
    name="apply_reply",
    title="Apply a model's reply",
    description=_DESCRIPTION,
    request=ApplyReply,
    examples=(
        Example(
            "Change a file and create another",
            {"app.py": "def greet():\n    print('hello')\n"},
            {
                "reply": "### File: app.py\n<<<<<<< SEARCH\n    print('hello')\n=======\n    print('hi')\n"
                ">>>>>>> REPLACE\n\n### File: notes.md\n<<<<<<< NEW_FILE\n# Notes\n>>>>>>> NEW_FILE\n",
            },
            "Applied both blocks (change <id>).\n1 app.py:2, updated\n2 notes.md, created",
        ),
    ),
    plan=plan_apply_reply,
    result=ApplyReplyResult,
    explain=explain_apply_reply,
)


__all__ = [
    "Applied",
    "Outcome",
    "Preview",
    "ReplyParser",
    "apply_blocks",
    "extract_paths",
    "parse_reply",
    "preview_reply",
    "validate_reply",
]

_ONLY = "text"


class Applied(Record):
    """One text after the blocks, and what became of each."""

    text: str
    outcomes: list[Outcome]


class Preview(Record):
    """What a reply would do: each file that changes with its new text (None: it goes away), and each block."""

    files: dict[str, str | None]
    outcomes: list[Outcome]
    validation: Validation


def apply_blocks(
    text: str, blocks: Iterable[Block], match: str = "lenient", *, path: str | None = None, literal: bool = False
) -> Applied:
    """Apply blocks to one text: those about `path`, or all, whatever they are about. One that fails changes nothing."""
    sheets = ReplyFiles(_Texts({_ONLY: text}))
    chosen = [block for block in blocks if path in {None, block.path}]
    named = [_about_text(block) for block in chosen]
    known = {block.number: block for block in chosen}
    outcomes = [
        result.but(block=known[result.block.number], path=known[result.block.number].path)
        for result in BlockApplier(sheets, match, literal=literal).run(named)
    ]
    return Applied(_decode(sheets.at(_ONLY).body), outcomes)


def preview_reply(
    text: str,
    files: Mapping[str, str],
    *,
    only: Iterable[str] | None = None,
    match: str = "lenient",
    default_path: str | None = None,
    whole_files: bool = False,
    literal: bool = False,
) -> Preview:
    """What a reply would make of some files, given by path."""
    reply = parse_reply(text, default_path, whole_files=whole_files)
    sheets = ReplyFiles(_Texts(files))
    outcomes = BlockApplier(sheets, match, literal=literal).run(reply.blocks, None if only is None else list(only))
    changed = {file.name: _decode(file.body) if file.exists else None for file in sheets.changed_files()}
    return Preview(changed, outcomes, validate_parsed(text, reply))


def _about_text(block: Block) -> Block:
    """A block that is about the one text there is; a new name means nothing there."""
    action = "update" if block.action == "rename" else block.action
    named = block.but(path=_ONLY, path_as_written=_ONLY, alternatives=(), mentions=(), inherited=None, follows=None)
    return named.but(action=action, to=None)


class _Texts:
    """Texts by path, as a source of files."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def name_of(self, path: str) -> str:
        """The path without detours."""
        names: list[str] = []
        for number, name in enumerate(path.split("/")):
            if (name == ".." and not names) or (not name and not number):
                raise PathOutsideWorkspace(path=path, reason="it leads above all files")
            if name == "..":
                names.pop()
            elif name not in {"", "."}:
                names.append(name)
        return "/".join(names)

    def read(self, name: str) -> Snapshot | None:
        """The text, as if it were a file."""
        if name not in self._texts:
            return None
        body = self._texts[name].encode("utf-8", "surrogatepass")
        text = Text(body, bom=b"", encoding="utf-8", body=body)
        return Snapshot(Place(0, name, name), text, Content((body,)), (), 0o644)

    def bases(self, before: Snapshot) -> tuple[Base, ...]:  # noqa: ARG002  there are no earlier versions
        """None."""
        return ()

    def blank(self, name: str) -> Text:  # noqa: ARG002  every text begins so
        """Nothing."""
        return Text.decode(b"")

    def is_link(self, path: str) -> bool:  # noqa: ARG002  texts have none
        """No."""
        return False

    def near(self, path: str) -> list[str]:
        """Texts of nearly that name, or of the same one elsewhere."""
        from difflib import get_close_matches  # only a failure needs it

        same = [known for known in self._texts if known.rpartition("/")[2] == path.rpartition("/")[2]]
        return list(dict.fromkeys([*same, *get_close_matches(path, self._texts)]))

    def same_named(self, names: Collection[str]) -> list[str]:
        """Texts whose paths end so."""
        return [known for known in self._texts if known.rpartition("/")[2] in names]


def _decode(body: bytes) -> str:
    return body.decode("utf-8", "surrogatepass")
