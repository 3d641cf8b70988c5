r"""`apply_reply`: a model's whole reply; and the functions about replies that need no workspace.

Blocks are applied in order, each to the result of those before it (`tools.reply_files`). A block that fails changes
nothing, and `tools.failure` says why. Nothing is written here.

>>> reply = parse_reply("a.txt\n<<<<<<< SEARCH\none\n=======\ntwo\n>>>>>>> REPLACE\n")
>>> apply_blocks("one\n", reply).text
'two\n'
"""

from __future__ import annotations

from time import monotonic

from suture import errors, log, shapes, wording
from suture.bounds import check_limit
from suture.errors import IncompleteBlock, NoBlocks, SutureError, UnreadEdits
from suture.formats import NOTATIONS
from suture.formats.reply import (
    ReplyParser,
    extract_paths,
    parse_reply,
)
from suture.match.hunks import fit
from suture.match.index import Found
from suture.match.placeholders import find_added
from suture.plan import Plan
from suture.records import Record
from suture.shapes import CorrectedEdit, UnreadEdit
from suture.text import with_lf
from suture.text.diff import line_edits
from suture.tools import results, spec
from suture.tools.failure import hunk_error
from suture.tools.reply_files import (
    EXECUTABLE_BITS,
    HunkApplier,
    Outcome,
    ReplyFiles,
    Targets,
    Texts,
    diff_of,
)
from suture.tools.spec import Answer, Example, Proposal, Request, ToolSpec
from suture.wording import AS_SENT
from suture.wording.reply import UNSPECIFIC, Validation, describe_unread, validate_parsed, validate_reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from suture.audience import Audience
    from suture.engine.session import Session
    from suture.formats import Block, Hunk, Unread
    from suture.formats.reply import Reply
    from suture.match.hunks import Fit
    from suture.plan import Change, FileChange
    from suture.settings import Settings
    from suture.shapes import Findings, WrittenOn
    from suture.tools.reply_files import Landed, ReplyFile


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

_SHOWN_APPLIED = 20  # blocks that landed, listed one by one
_SHOWN_FAILED = 5  # failed blocks that are reported in detail
_SHOWN_FAILURE_LINES = 60  # of all failures; after that, each gets one line
_SHOWN_IDS = 20  # known blocks, in the error for an unknown one
_MAX_ID_CHARS = 20  # characters of an unknown block's id
_SHOWN_NAMES = 3  # files in the summary that the history keeps
_MAX_EXAMINED_FAILURES = 20  # failures that are examined; a reply with more of them is about other files
_PLAIN_FILE = 0o100644  # the mode that Git writes for a file that is not executable
_PROSE = (".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc")
_DONE = {"create": "created", "update": "updated", "delete": "deleted", "rename": "renamed"}
_UNSUPPORTED = {"binary", "not_a_file"}
"""Problems of blocks that are complete; all others are incomplete."""
_ONLY_FILE = "text"


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
    default_path: str | None = spec.text("File for blocks that name none", default=None)
    expect_hash: str | dict[str, str] | None = spec.EXPECT_HASH
    literal: bool = spec.LITERAL


class Summary(shapes.Data):
    """The number of blocks and hunks of each status."""

    applied: int = shapes.integer("Applied")
    already_applied: int = shapes.integer("With nothing left to change")
    failed: int = shapes.integer("Could not be applied")
    skipped: int = shapes.integer("Not selected, or not applied because others failed")

    @classmethod
    def of(cls, outcomes: Sequence[Outcome]) -> Summary:
        """Count them."""
        numbers = [outcome.status for outcome in outcomes].count
        return cls(
            applied=numbers("applied"),
            already_applied=numbers("already_applied"),
            failed=numbers("failed"),
            skipped=numbers("skipped"),
        )


class BlockFailure(results.Failure):
    """Why a block failed."""

    details: list[str] = shapes.values("What is known about it").optional
    correction: CorrectedEdit | None = shapes.member(
        "The corrected change, if it is known", CorrectedEdit
    ).nullable.optional


class ReplyBlock(shapes.Data):
    """The outcome of a block or hunk."""

    id: str = shapes.text("Its number, or 3.2 for the second hunk of block 3; a value for `only`")
    format: str = shapes.text("Its notation", NOTATIONS)
    action: str = shapes.text("What it does to the file", results.ACTIONS)
    path: str | None = shapes.text("The file; null if the reply does not name it").nullable
    to: str = shapes.text("The file's new name, if it is renamed").optional
    path_as_written: str | None = shapes.text("The file as the reply names it").nullable
    status: str = shapes.text("The outcome", ("applied", "already_applied", "failed", "skipped"))
    line: int | None = shapes.integer("Line of the file at which its change begins").nullable
    reply_line: int = shapes.integer("Its first line in the reply")
    rung: str | None = results.RUNG
    score: float | None = results.SCORE
    written_on: WrittenOn | None = results.WRITTEN_ON
    diff: str = shapes.text("What it changes, as a unified diff")
    error: dict[str, Any] | None = results.error("Why it failed; null if it did not", BlockFailure).nullable

    @classmethod
    def of(cls, outcome: Outcome, audience: Audience) -> ReplyBlock:
        """An outcome as data, in the terms of the block's format."""
        block, error = outcome.block, outcome.error
        return cls(
            id=outcome.id,
            format=block.format,
            action=outcome.action,
            path=outcome.path,
            path_as_written=block.path_as_written,
            status=outcome.status,
            line=outcome.line if outcome.status != "failed" else None,
            reply_line=block.line,
            rung=outcome.rung,
            score=outcome.score,
            written_on=results.version_of(outcome.base),
            diff=outcome.diff,
            error=None if error is None else _error_data(error, _audience_of(outcome, audience)),
            to=shapes.or_left_out(outcome.to),
        )


class ReplyFailure(results.Rejection):
    """The error of a reply that was not applied as a whole."""

    failed: list[str] = shapes.values(
        "BLOCKS_FAILED: the ids of the failed blocks; VALIDATION_FAILED: blocks that also failed, and why"
    ).optional
    landed: list[str] = shapes.values("BLOCKS_FAILED: the ids of the applied blocks; do not send them again").optional


class ApplyReplyResult(results.ToolData):
    """The outcome of a reply."""

    failure = ReplyFailure
    change_id: str | None = results.CHANGE_ID
    summary: Summary = shapes.member("Numbers of blocks and hunks", Summary)
    blocks: list[ReplyBlock] = shapes.objects("The outcome of each block or hunk, in order", ReplyBlock)
    files: list[results.ChangedFile] = results.FILES
    unread: list[UnreadEdit] = shapes.objects("Parts that look like edits but were not read", UnreadEdit)
    errors: list[str] = shapes.values("What is wrong with the reply")
    warnings: list[str] = results.WARNINGS
    diff: str = results.DIFF
    malformed: list[str] = shapes.values(
        "The errors and warnings that only say that blocks are damaged; the errors of the blocks say more"
    ).optional
    dry_run: bool = results.DRY_RUN
    validation: Findings = results.VALIDATION_IF_ASKED


def plan_apply_reply(session: Session, request: ApplyReply) -> Proposal:
    """Apply every block in memory, and plan what that changes."""
    settings = session.settings
    most = settings.max_edits + 1
    reply = parse_reply(request.reply, request.default_path, whole_files=request.whole_files, most=most)
    validation = validate_parsed(request.reply, reply)
    _log_parsed(reply, validation)
    if not reply:
        skipped = sum(thought.blocks for thought in reply.thoughts)
        unread = [*map(_unread_edit, reply.unread)]
        raise NoBlocks(fenced=list(reply.fenced), characters=len(request.reply), skipped=skipped, unread=unread)
    known = [name for block in reply for name in block.ids]
    check_limit("The reply", len(known), settings, "max_edits", "blocks")
    unknown = [name for name in request.only or () if not any(block.chosen([name]) for block in reply)]
    if unknown:
        shown = ", ".join(known[:_SHOWN_IDS])
        raise errors.InvalidArguments.of("only", f"unknown block {unknown[0][:_MAX_ID_CHARS]}; choose from {shown}")
    files = ReplyFiles(session, request.expect_hash)
    applier = BlockApplier(files, request.match, dry_run=request.dry_run, literal=request.literal)
    outcomes = applier.run(reply.blocks, request.only)
    files.check_others(request.expect_hash)
    if request.atomic:
        incomplete = request.only is None and any(part.edits for part in reply.unread)
        files, outcomes = all_or_none(files, outcomes, incomplete=incomplete)
    changes = tuple(files.plan(session))
    report = ReplyReport(
        settings,
        session.audience,
        changes,
        outcomes,
        validation,
        dry_run=request.dry_run,
        atomic=request.atomic,
        has_selection=request.only is not None,
    )
    applied = [outcome for outcome in outcomes if outcome.status == "applied"]
    names = dict.fromkeys(outcome.path or "" for outcome in applied)
    summary = f"{wording.count(len(applied), 'block')} of a reply: {shorten(names)}"
    return Proposal(Plan(changes, "apply_reply", summary), report.answer, failed=report.failures())


def _log_parsed(reply: Reply, validation: Validation) -> None:
    """Log what the specification (docs/spec/seeds/004) says: validation errors, paths, and the result of parsing."""
    if validation.errors:
        log.warning("reply", "Response validation errors: %s", validation.errors)
    log.debug("reply", "Response paths: %s", [*reply.paths])
    result = [f"{block.number} {block.format} {block.path or '?'}: {block.problem or block.action}" for block in reply]
    log.debug("reply", "Parse result: %s", result)


def all_or_none(
    files: ReplyFiles, outcomes: list[Outcome], *, incomplete: bool = False
) -> tuple[ReplyFiles, list[Outcome]]:
    """The files and outcomes; if something failed or was left out (`incomplete`), no file changes."""
    if not incomplete and all(outcome.status != "failed" for outcome in outcomes):
        return files, outcomes
    skipped = [outcome.evolve(status="skipped") if outcome.status == "applied" else outcome for outcome in outcomes]
    return ReplyFiles(files.source), skipped


def shorten(names: Iterable[str]) -> str:
    """The first of some files, for the summary in the history."""
    first = [*names]
    return f"{', '.join(first[:_SHOWN_NAMES])}{' …' if len(first) > _SHOWN_NAMES else ''}"


class ReplyReport(Record):
    """The outcome of a call, for its answer."""

    settings: Settings
    audience: Audience
    changes: tuple[FileChange, ...]
    outcomes: list[Outcome]
    validation: Validation
    dry_run: bool
    atomic: bool
    has_selection: bool = False
    """Whether the caller selected blocks, and so knows the rest of the reply."""

    def answer(self, change: Change | None) -> Answer:
        """The answer for the caller."""
        result, error = self._result(change), self._error()
        ending = "\n".join(self.ending_lines(result))
        words = "\n".join([*self.words(result), *([ending] if ending else [])])
        diff = result.diff if self.dry_run else self._adapted_diff()
        shown = results.excerpt("" if self.audience.prints_data else diff, self.settings)
        answer = Answer(words, result.data(), below=shown, ending=ending)
        if error is None:
            return answer
        data = answer.data | {"error": wording.error_data(error, self.audience)}
        return answer.evolve(data=data, is_error=True)

    def words(self, result: ApplyReplyResult) -> Iterator[str]:
        """The lines of the text, but the last ones."""
        applied, failed, missed = self.of_status("applied"), self.of_status("failed"), self._missed()
        yield self._head(result)
        yield from map(_applied_line, applied[:_SHOWN_APPLIED])
        if len(applied) > _SHOWN_APPLIED:
            yield f"… and {len(applied) - _SHOWN_APPLIED} more."
        for outcome in self.of_status("already_applied"):
            at = f" at line {outcome.line}" if outcome.line else ""
            yield f"{outcome.id} {wording.plain(outcome.path or '')}: already applied{at}; leave it out."
        if (failed or missed) and result.change_id is not None and applied:
            single = len(applied) == 1
            blocks = f"{'Block' if single else 'Blocks'} {', '.join(_ids(applied))}"
            yield f"{blocks} landed: do not send {'it' if single else 'them'} again."
        elif (failed or missed) and self.atomic and self.of_status("skipped"):
            yield "atomic is set: nothing was applied. Fix the following, and send all blocks again:"
        yield from self.failure_lines(result)

    def ending_lines(self, result: ApplyReplyResult) -> Iterator[str]:
        """The last lines of the text: what is wrong with the reply, and warnings."""
        redundant = self._redundant()
        yield from (f"error: {error}" for error in result.errors if error not in redundant)
        if self._missed():
            yield wording.hint(self._unread_edits(), self.audience)
        yield from (f"warning: {warning}" for warning in result.warnings if warning not in redundant)

    def failure_lines(self, result: ApplyReplyResult) -> Iterator[str]:
        """For each failed block: what happened, what is known, what to do."""
        used = 0
        failures = [pair for pair in zip(self.outcomes, result.blocks, strict=True) if pair[0].status == "failed"]
        for number, (outcome, block) in enumerate(failures):
            error = block.error or {}
            lines = [self.failure_line(outcome, error["message"])]
            if number < _SHOWN_FAILED and used < _SHOWN_FAILURE_LINES:
                lines += [f"  {line}" for line in (*error["details"], error["hint"])]
            used += len(lines)
            yield from lines

    def _adapted_diff(self) -> str:
        """The diffs of the blocks that were adapted to their file: of the others, the caller knows what landed."""
        return "".join(outcome.diff for outcome in self.of_status("applied") if outcome.rung not in AS_SENT)

    def failures(self) -> tuple[str, ...]:
        """The first line about each failed block."""
        return tuple(
            self.failure_line(outcome, wording.message(outcome.error, _audience_of(outcome, self.audience)))
            for outcome in self.outcomes
            if outcome.error is not None
        )

    def failure_line(self, outcome: Outcome, message: str) -> str:
        """The first line about a failed block."""
        return f"Block {outcome.id} failed: {message}"

    def of_status(self, status: str) -> list[Outcome]:
        """The outcomes with a status."""
        return [outcome for outcome in self.outcomes if outcome.status == status]

    def _result(self, change: Change | None) -> ApplyReplyResult:
        return ApplyReplyResult(
            change_id=None if change is None else change.id,
            summary=Summary.of(self.outcomes),
            blocks=[ReplyBlock.of(outcome, self.audience) for outcome in self.outcomes],
            files=results.changed_files(self.changes),
            unread=[*map(_unread_edit, self.validation.unread)],
            errors=self.validation.errors,
            warnings=[*self.validation.warnings, *self._warnings()],
            diff=results.plan_diff(self.changes),
            malformed=shapes.or_left_out(self._redundant() or None),
        )

    def _redundant(self) -> list[str]:
        """The errors and warnings of the reply that say less than the errors of its blocks."""
        failures = [outcome.error for outcome in self.of_status("failed")]
        if any(isinstance(error, IncompleteBlock) for error in failures):
            return [*self.validation.malformed]
        unsupported = any(isinstance(error, errors.UnsupportedBlock) for error in failures)
        return [message for message in self.validation.malformed if unsupported and message in UNSPECIFIC]

    def _error(self) -> SutureError | None:
        if self.of_status("failed"):
            return self.blocks_failed()
        return self._unread_edits() if self._missed() else None

    def blocks_failed(self) -> errors.BlocksFailed:
        """The error for blocks that failed."""
        failed, landed = self.of_status("failed"), self.of_status("applied")
        return errors.BlocksFailed(failed=_ids(failed), landed=_ids(landed), total=len(self.outcomes))

    def _missed(self) -> list[Unread]:
        """What clearly edits files but was not read."""
        return [] if self.has_selection else [part for part in self.validation.unread if part.edits]

    def _unread_edits(self) -> UnreadEdits:
        return UnreadEdits(unread=[*map(_unread_edit, self._missed())], landed=_ids(self.of_status("applied")))

    def _head(self, result: ApplyReplyResult) -> str:
        summary, missed, total = result.summary, self._missed(), len(self.outcomes)
        numbers = {
            "failed": summary.failed,
            "already applied": summary.already_applied,
            "skipped": summary.skipped,
        }
        others = [f"{number} {words}" for words, number in numbers.items() if number]
        others += [f"{wording.count(len(missed), 'edit')} not read"] if missed else []
        rest = f"; {', '.join(others)}" if others else ""
        applied = _some_of(summary.applied, total)
        if self.dry_run:
            return wording.dry_run(f"{applied} would be applied{rest}")
        if result.change_id is not None:
            return f"Applied {applied} (change {result.change_id}){rest}."
        if summary.applied:
            return f"No change: {applied} together change nothing{rest}."
        if summary.failed:
            return f"No block was applied{rest}. Nothing was changed."
        return f"No change: no block was applied{rest}."

    def _warnings(self) -> Iterator[str]:
        """Warnings about what was done."""
        applied = self.of_status("applied")
        for outcome in applied:
            if outcome.holds_marker:
                yield f"Block {outcome.id}: a ======= line was taken as part of the new text."
        notes = [outcome.note for outcome in self.outcomes if outcome.note and outcome.status != "failed"]
        yield from map(wording.plain, dict.fromkeys(notes))
        yield from dict.fromkeys(warning for outcome in applied for warning in outcome.warnings)
        for file in self.changes:
            before = getattr(file, "before", None)
            if before is not None and (generated := results.warning(file.place.name, before.text.body)) is not None:
                yield f"{file.place.name}: {generated}"


def explain_apply_reply(_: Mapping[str, object], error: SutureError, audience: Audience) -> Answer:
    """A failure of the whole call, in the shape of its result."""
    unread = error.unread if isinstance(error, NoBlocks) else []
    result = ApplyReplyResult(
        change_id=None,
        summary=Summary.of([]),
        blocks=[],
        files=[],
        unread=unread,
        errors=[wording.message(error, audience)],
        warnings=[],
        diff="",
    )
    data = result.data() | {"error": wording.error_data(error, audience)}
    return Answer(wording.error_text(error, audience), data, is_error=True)


def _unread_edit(part: Unread) -> UnreadEdit:
    message = describe_unread(part)
    return UnreadEdit(line=part.line, kind=part.kind, path=part.path, edits=part.edits, message=message)


def _ids(outcomes: Sequence[Outcome]) -> list[str]:
    return [outcome.id for outcome in outcomes]


def _some_of(number: int, total: int) -> str:
    """A number of blocks out of all, in words."""
    if number != total:
        return f"{number} of {wording.count(total, 'block')}"
    return {1: "the block", 2: "both blocks"}.get(total, f"all {total} blocks")


def _applied_line(outcome: Outcome) -> str:
    """One block that was applied."""
    line = f":{outcome.line}" if outcome.line and outcome.action == "update" else ""
    line = f" → {wording.plain(outcome.to)}" if outcome.to else line
    how = ""
    if (version := results.version_of(outcome.base)) is not None:
        how = f"; written on {wording.version_name(version)}, merged into the current file"
    elif outcome.rung not in AS_SENT:
        how = f"; found {wording.how_matched(outcome.rung)}, adapted to the file's text"
    return f"{outcome.id} {wording.plain(outcome.path or '')}{line}, {_DONE[outcome.action]}{how}"


def _audience_of(outcome: Outcome, audience: Audience) -> Audience:
    """The audience, for a sentence about a block: it uses the terms of the block's format."""
    return audience.about_block(NOTATIONS[outcome.block.format].old)


def _error_data(error: SutureError, audience: Audience) -> dict[str, Any]:
    """The error of a block."""
    return wording.error_data(error, audience) | {"details": wording.details(error, audience)}


class BlockApplier:
    """Applies the blocks of one reply."""

    def __init__(
        self,
        files: ReplyFiles,
        match: str,
        *,
        dry_run: bool = False,
        literal: bool = False,
    ) -> None:
        self._files = files
        self._source = files.source
        self._match = match
        self._dry_run = dry_run
        self._literal = literal
        self._failures = 0
        self._start = monotonic()
        self._landed: Landed = {}
        """The hunks that were applied, and where."""
        self._targets = Targets(files, match, self._landed)

    def run(self, blocks: Sequence[Block], only: Sequence[str] | None = None) -> list[Outcome]:
        """Apply the blocks, or only those with these ids."""
        self._targets.begin(blocks)
        doubted = {block.doubts: block for block in blocks if block.doubts is not None}
        outcomes: list[Outcome] = []
        for block in map(_as_text, blocks) if self._literal else blocks:
            self._source.checkpoint()
            chosen = block.chosen(only)
            applied = self._apply_or_fail(block, chosen, doubted.get(block.number)) if chosen else ()
            tried = {outcome.id: outcome for outcome in applied}
            outcomes += [
                tried.get(name) or Outcome(name, block, "skipped", block.action, block.path) for name in block.ids
            ]
        for outcome in outcomes:
            log.debug("reply", "block %s: %s", outcome.id, outcome.status)
        return outcomes

    def _apply_or_fail(self, block: Block, chosen: Sequence[str], end: Block | None) -> Iterator[Outcome]:
        try:
            self._check_time()
            _check_usable(block, end)
            block = self._targets.of(block)
            if block.path is None:
                raise errors.NoPath(reply_line=block.line)
            if block.path[1:3] in {":/", ":\\"}:
                raise errors.PathOutsideWorkspace(path=block.path, reason="it begins with a drive letter")
            yield from self._apply(block, chosen)
        except errors.FileChanged:
            raise  # the caller's own condition for the whole call
        except SutureError as error:
            yield from (Outcome.failed(name, block, error) for name in chosen)

    def _check_time(self) -> None:
        limit = self._source.settings.reply_call_ms
        if monotonic() - self._start > limit / 1_000:
            raise errors.ReplyTimeout(limit=limit)

    def _apply(self, block: Block, chosen: Sequence[str]) -> Iterator[Outcome]:
        if block.action == "delete":
            yield self._delete(block)
        elif block.content is not None:
            fenced = block.format == "new_file"
            yield self._write(block, _without_fence(block.content, block.path or "") if fenced else block.content)
        elif block.action == "rename":
            yield from self._rename(block, chosen)
        elif block.copied_from is not None:
            yield from self._copy(block, chosen)
        else:
            yield from self._update(block, chosen)

    def _write(self, block: Block, content: str) -> Outcome:
        """Write a whole file; an existing one is replaced only if the format does that."""
        file = self._files.at(block.path or "")
        new, before = file.prepare_content(content), file.body
        if file.exists and with_lf(new) == with_lf(before):
            return Outcome(str(block.number), block, "already_applied", "create", file.name)
        replaces = block.notation.overwrites
        if file.exists and before and not replaces and block.format == "search_replace":
            raise errors.MissingOldText
        if file.exists and before and not replaces:
            raise errors.FileExists(path=file.name)
        warnings = []
        if file.exists and not self._literal and self._match != "exact":
            warnings = results.check_placeholders(before, content, file.name, "", whole=True, index=None)
        warnings += results.shrinkage(file.name, before, new)
        action = "update" if file.exists else "create"
        self._check_new(file)
        old_path = file.name if file.exists else None
        file.fill(new)
        if action == "create":
            warnings += self._set_mode(block, file)
        fence = content not in (block.content, *(split.new for hunk in block.hunks for split in hunk.splits))
        return Outcome(
            str(block.number),
            block,
            "applied",
            action,
            file.name,
            1,
            diff=diff_of(old_path, file.name, before, line_edits(before, new)),
            note=f"The code fence around {file.name} was left out." if fence else "",
            warnings=tuple(warnings),
        )

    def _delete(self, block: Block) -> Outcome:
        file = self._files.at(block.path or "")
        if not file.exists:
            raise errors.FileNotFound(path=block.path or "", near=[], create_by=[])
        self._check_itself(block.path or "")
        if block.format == "unified":
            old = "".join(hunk.splits[0].old for hunk in block.hunks)
            if with_lf(old.encode("utf-8", "surrogatepass")) != with_lf(file.body):
                raise self._why_kept(block, file)
        before = file.body
        file.empty()
        diff = diff_of(file.name, None, before, line_edits(before, b""))
        return Outcome(block.ids[0], block, "applied", "delete", file.name, 1, diff=diff)

    def _why_kept(self, block: Block, file: ReplyFile) -> SutureError:
        """Why a file is not deleted: it differs from what the diff shows."""
        for hunk in block.hunks:
            placement = fit(file.index, hunk, "exact")
            if not isinstance(placement.answer, Found):
                return self._reject(file, hunk, placement)
        return IncompleteBlock(problem="partial", reply_line=block.line, format="unified", path=file.name)

    def _rename(self, block: Block, chosen: Sequence[str]) -> Iterator[Outcome]:
        """Rename a file and apply its hunks; if no hunk can be applied, it keeps its name."""
        to = self._files.at(block.to or "")
        source = self._files.at(block.path or "")
        if not source.exists and to.exists and not block.hunks and self._was_there(source):
            yield Outcome(str(block.number), block, "already_applied", "rename", source.name, to=to.name)
            return
        file = self._targets.existing(block.path or "")
        self._check_itself(block.path or "")
        if to.exists and to is not file and not block.notation.overwrites:
            raise errors.FileExists(path=to.name)
        self._check_new(to)
        outcomes = list(self._hunks(block, chosen, file))
        if to is file or (outcomes and all(outcome.status == "failed" for outcome in outcomes)):
            yield from outcomes
            return
        name = file.name
        self._files.move(file, to)
        warnings = self._set_mode(block, to)
        if not block.hunks:
            diff = diff_of(name, to.name, to.body, ())
            outcomes = [Outcome(str(block.number), block, "applied", "rename", name, diff=diff)]
        yield from (_with_name(outcome, to.name) for outcome in _with_warnings(outcomes, warnings))

    def _was_there(self, file: ReplyFile) -> bool:
        """Whether the file is in the history, or a block moved it."""
        return self._source.had_file(file.name) or file.moved_to is not None

    def _copy(self, block: Block, chosen: Sequence[str]) -> Iterator[Outcome]:
        to = self._files.at(block.path or "")
        if to.exists:
            raise errors.FileExists(path=to.name)
        self._check_new(to)
        to.begin_as(self._targets.existing(block.copied_from or ""))
        outcomes = list(self._hunks(block, chosen, to))
        warnings = self._set_mode(block, to)
        if to.is_executable and not self._may_be_executable:
            to.set_executable(_PLAIN_FILE)
            warnings = [self._not_executable(to.name)]
        if outcomes and all(outcome.status == "failed" for outcome in outcomes):
            to.empty()
        if not block.hunks:
            outcomes = [Outcome(str(block.number), block, "applied", "create", to.name, 1)]
        yield from _with_warnings(outcomes, warnings)

    def _update(self, block: Block, chosen: Sequence[str]) -> Iterator[Outcome]:
        if not any(split.old for hunk in block.hunks for split in hunk.splits) and block.format == "search_replace":
            new = block.hunks[0].splits[0].new
            yield self._write(block, _without_fence(new, block.path or ""))
            return
        file = self._targets.that_fits(block)
        outcomes = list(self._hunks(block, chosen, file))
        before = file.is_executable
        warnings = self._set_mode(block, file)
        if block.mode is not None and not block.hunks:
            if warnings:
                raise errors.UnsupportedBlock(path=file.name, problem="executable")
            status = "already_applied" if file.is_executable == before else "applied"
            outcomes = [Outcome(str(block.number), block, status, "update", file.name)]
        yield from _with_warnings(outcomes, warnings)

    @property
    def _may_be_executable(self) -> bool:
        return self._source.settings.allow_executables

    def _not_executable(self, name: str) -> str:
        advice = self._source.audience.ask_operator("allow it", "allow_executables")
        return f"{name} was not made executable. If it should be, {advice}."

    def _set_mode(self, block: Block, file: ReplyFile) -> list[str]:
        """Make a file executable or not, as the diff says; a warning if that is not allowed."""
        if block.mode is None:
            return []
        if block.mode & EXECUTABLE_BITS and not file.is_executable and not self._may_be_executable:
            return [self._not_executable(file.name)]
        file.set_executable(block.mode)
        return []

    def _hunks(self, block: Block, chosen: Sequence[str], file: ReplyFile) -> Iterator[Outcome]:
        """Apply the selected hunks to a file."""
        if block.hunks:
            file.check_text()
        ids = [block.id_of(number) for number in range(len(block.hunks))]
        chosen_ids = set(chosen)
        hunks = {name: hunk for name, hunk in zip(ids, block.hunks, strict=True) if name in chosen_ids}
        hunk_applier = HunkApplier(block, file, self._match, self._reject, self._check_time)
        outcomes = (
            hunk_applier.apply_in_patch(hunks) if block.notation.in_hunks else hunk_applier.apply_one_by_one(hunks)
        )
        note = self._targets.note(block, file)
        for outcome in outcomes:
            if outcome.status == "applied" and outcome.line is not None:
                self._landed[file.name, hunks[outcome.id].splits] = outcome.line
            warnings = self._placeholders(outcome, hunks[outcome.id], file)
            yield outcome.evolve(note=note, warnings=warnings) if note or warnings else outcome

    def _placeholders(self, outcome: Outcome, hunk: Hunk, file: ReplyFile) -> tuple[str, ...]:
        """Warnings about placeholder lines that were inserted; those that would delete something have failed."""
        if outcome.status != "applied" or self._literal or self._match == "exact":
            return ()
        split, argument = hunk.splits[0], f"Block {outcome.id}: the new text"
        placeholder = find_added(split.old, split.new, file.name)
        if placeholder is None or (placeholder.deletes and not outcome.block.notation.in_hunks):
            return ()
        return (results.placeholder_warning(argument, placeholder.line),)

    def _reject(self, file: ReplyFile, hunk: Hunk, placement: Fit) -> SutureError:
        """Why a hunk has no place."""
        line = self._landed.get((file.name, hunk.splits))
        if line is not None:  # the same block again
            old = placement.split.old
            return errors.AlreadyApplied(path=file.name, search_text=old, start_line=line, end_line=line)
        self._failures += 1
        return hunk_error(
            self._source,
            file.index,
            file.snapshot,
            hunk,
            placement,
            match=self._match,
            dry_run=self._dry_run,
            detailed=self._failures <= _MAX_EXAMINED_FAILURES,
        )

    def _check_itself(self, path: str) -> None:
        """Refuse a link: without the file, it would point nowhere."""
        if self._source.locate(path).by_link:
            raise errors.NotAFile(path=path, kind="symbolic link")

    def _check_new(self, file: ReplyFile) -> None:
        """Refuse a new file that could not be created, before other blocks rely on it."""
        if file.before is None:
            self._source.plan_create(file.name, b"")


def _check_usable(block: Block, end: Block | None) -> None:
    """Refuse a block that cannot be read; `end` is an end marker after the block that may belong to it."""
    if block.problem in _UNSUPPORTED:
        raise errors.UnsupportedBlock(path=block.path, problem=block.problem)
    if block.problem is not None:
        raise IncompleteBlock(problem=block.problem, reply_line=block.line, format=block.format, path=block.path)
    if end is not None:
        ends = [block.end_line, end.line]
        raise errors.AmbiguousBlock(path=block.path or "", reply_line=block.line, readings=[], ends=ends)


def _with_name(outcome: Outcome, name: str) -> Outcome:
    """The outcome of a hunk, under its file's new name."""
    error = outcome.error
    if error is not None and "path" in error.fields():
        error = error.evolve(path=name)
    return outcome.evolve(to=name, error=error)


def _with_warnings(outcomes: Sequence[Outcome], warnings: Sequence[str]) -> Iterator[Outcome]:
    """The outcomes, with these warnings added to the last one that was applied."""
    applied = [outcome.id for outcome in outcomes if outcome.status == "applied"]
    for outcome in outcomes:
        more = warnings if applied and outcome.id == applied[-1] else ()
        yield outcome.evolve(warnings=(*outcome.warnings, *more)) if more else outcome


def _as_text(block: Block) -> Block:
    """A block in which placeholders are text."""
    return block.evolve(
        hunks=tuple(
            hunk.evolve(splits=tuple(split.evolve(literal=True) for split in hunk.splits)) for hunk in block.hunks
        )
    )


def _without_fence(content: str, path: str) -> str:
    """A file's content without a code fence around all of it, which does not belong to code."""
    lines = content.split("\n")
    fence = lines[0].strip()[:3]
    if fence not in {"```", "~~~"} or path.lower().endswith(_PROSE):
        return content
    while lines and not lines[-1].strip():
        lines.pop()
    closed = len(lines) > 1 and lines[-1].strip().startswith(fence) and not lines[-1].strip().strip(fence[0])
    inner = any(line.strip().startswith(fence) for line in lines[1:-1])
    return "\n".join([*lines[1:-1], ""]) if closed and not inner else content


class Applied(Record):
    """A text after the blocks, and the outcome of each block."""

    text: str
    outcomes: list[Outcome]


class Preview(Record):
    """What a reply would do: the new text of each changed file (None: deleted), and the outcome of each block."""

    files: dict[str, str | None]
    outcomes: list[Outcome]
    validation: Validation


def apply_blocks(
    text: str, blocks: Iterable[Block], match: str = "lenient", *, path: str | None = None, literal: bool = False
) -> Applied:
    """Apply blocks to one text: those of the file `path`, or all of them. A block that fails changes nothing."""
    only_file = ReplyFiles(Texts({_ONLY_FILE: text}))
    chosen = {block.number: block for block in blocks if path in {None, block.path}}
    outcomes = BlockApplier(only_file, match, literal=literal).run([*map(_about_text, chosen.values())])
    for number, outcome in enumerate(outcomes):
        block = chosen[outcome.block.number]
        outcomes[number] = outcome.evolve(block=block, path=block.path)
    return Applied(only_file.at(_ONLY_FILE).decoded, outcomes)


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
    """What a reply would do to some files, given by path."""
    reply = parse_reply(text, default_path, whole_files=whole_files)
    validation = validate_parsed(text, reply)
    _log_parsed(reply, validation)
    in_memory = ReplyFiles(Texts(files))
    outcomes = BlockApplier(in_memory, match, literal=literal).run(reply.blocks, None if only is None else list(only))
    changed = {file.name: file.decoded if file.exists else None for file in in_memory.changed_files()}
    return Preview(changed, outcomes, validation)


def _about_text(block: Block) -> Block:
    """A block about the only text, in which a new name has no meaning."""
    return block.evolve(
        action="update" if block.action == "rename" else block.action,
        path=_ONLY_FILE,
        path_as_written=_ONLY_FILE,
        to=None,
        alternatives=(),
        mentions=(),
        inherited=None,
        follows=None,
    )


_DESCRIPTION = """\
Apply all file changes in a reply, in one transaction that `undo` can undo. Formats may be mixed, with prose between \
them:

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

Blocks are applied in order, each to the result of those before. A block must fit exactly one place; otherwise it \
fails, the answer says why and how to fix it, and the others are applied (set atomic for all or none). Small \
differences in whitespace, quotes or indentation are tolerated if only one place fits. Resend only what failed or is \
in unread."""


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
