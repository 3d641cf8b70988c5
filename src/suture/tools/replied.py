"""What `apply_reply` answers: what became of each block, and what to send again."""

from __future__ import annotations

from suture import render
from suture.errors import BlocksFailed, IncompleteBlock, NoBlocks, UnreadEdits
from suture.formats.blocks import IN_HUNKS
from suture.formats.validation import describe_unread
from suture.phrases import AS_SENT
from suture.tools import generated, outcome
from suture.tools.refusal import version_of
from suture.tools.spec import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from suture.errors import SutureError
    from suture.formats.blocks import Unread
    from suture.formats.validation import Validation
    from suture.plan import Change, Plan
    from suture.settings import Settings
    from suture.tools.section import Outcome

_SHOWN_APPLIED = 20
_SHOWN_FAILED = 5
_SHOWN_LINES = 60
_STATUSES = ("applied", "already_applied", "failed", "skipped")
_DONE = {"create": "created", "update": "updated", "delete": "deleted", "rename": "renamed"}
_HIDDEN = ("edit_index", "total_edits", "expected_occurrences", "index", "total")
"""Fields of errors that say something about other tools' requests."""


class Replied:
    """The outcome of a call, told once it landed, or would have."""

    def __init__(
        self,
        settings: Settings,
        plan: Plan,
        outcomes: Sequence[Outcome],
        validation: Validation,
        *,
        dry_run: bool,
        atomic: bool,
        chosen: bool = False,
    ) -> None:
        """`chosen`: the caller said which blocks to apply, and so knows what the rest of the reply is."""
        self._settings = settings
        self._plan = plan
        self._outcomes = outcomes
        self._validation = validation
        self._dry_run = dry_run
        self._atomic = atomic
        self._missed = [] if chosen else [each for each in validation.unread if each.edits]

    def answer(self, change: Change | None) -> Answer:
        """What the caller is told."""
        failed = self._with("failed")
        diff = outcome.plan_diff(self._plan.changes)
        warnings = [*self._validation.warnings, *self._warnings()]
        data: dict[str, Any] = {
            "change_id": None if change is None else change.id,
            "summary": {status: len(self._with(status)) for status in _STATUSES},
            "blocks": [_told(each) for each in self._outcomes],
            "files": outcome.files(self._plan.changes),
            "unread": [unread_data(each) for each in self._validation.unread],
            "errors": self._validation.errors,
            "warnings": warnings,
            "diff": diff,
        }
        if failed:
            error = BlocksFailed(failed=_ids(failed), landed=_ids(self._with("applied")), total=len(self._outcomes))
            data["error"] = render.error_data(error)
        elif self._missed:
            data["error"] = render.error_data(self._unread_edits())
        words = "\n".join([self._head(change), *self._words(change, warnings)])
        shown = outcome.cut(diff, self._settings) if self._dry_run else ""
        return Answer(f"{words}\n\n{shown}" if shown else words, data, is_error="error" in data)

    def _unread_edits(self) -> UnreadEdits:
        return UnreadEdits(unread=list(map(unread_data, self._missed)), landed=_ids(self._with("applied")))

    def _with(self, status: str) -> list[Outcome]:
        return [each for each in self._outcomes if each.status == status]

    def _head(self, change: Change | None) -> str:
        applied, failed, total = self._with("applied"), self._with("failed"), len(self._outcomes)
        already, skipped = self._with("already_applied"), self._with("skipped")
        others = [
            f"{len(each)} {words}"
            for each, words in ((failed, "failed"), (already, "applied already"), (skipped, "skipped"))
            if each
        ]
        others += [f"{render.count(len(self._missed), 'edit')} not read"] if self._missed else []
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
        for each in applied[:_SHOWN_APPLIED]:
            yield _line(each)
        if len(applied) > _SHOWN_APPLIED:
            yield f"… and {len(applied) - _SHOWN_APPLIED} more."
        for each in self._with("already_applied"):
            at = f" at line {each.line}" if each.line else ""
            yield f"{each.id} {render.plain(each.path or '')}: applied already{at}; leave it out."
        missed = failed or self._missed
        if missed and change is not None and applied:
            ids = ", ".join(_ids(applied))
            one = len(applied) == 1
            yield f"{'Block' if one else 'Blocks'} {ids} landed: do not send {'it' if one else 'them'} again."
        elif missed and self._atomic and self._with("skipped"):
            yield "atomic is set: nothing landed. Fix the following, and send all blocks again:"
        room = _SHOWN_LINES
        for number, each in enumerate(failed):
            lines = _failure(each, full=number < _SHOWN_FAILED and room > 0)
            room -= len(lines)
            yield from lines
        named = any(isinstance(each.error, IncompleteBlock) for each in failed)
        known = {*self._validation.errors, *self._validation.warnings} if named else set()  # told with the block
        known -= {describe_unread(each) for each in self._validation.unread}
        yield from (f"error: {each}" for each in self._validation.errors if each not in known)
        if self._missed:
            yield render.error_data(self._unread_edits())["hint"]
        yield from (f"warning: {each}" for each in warnings if each not in known)

    def _warnings(self) -> Iterator[str]:
        """What may not have been meant, or is worth knowing, but was done."""
        for each in self._with("applied"):
            if each.holds_marker:
                yield f"Block {each.id}: a line of ======= was taken for a part of the new text."
        for note in dict.fromkeys(each.note for each in self._outcomes if each.note and each.status != "failed"):
            yield render.plain(f"{note[0].upper()}{note[1:]}.")
        yield from dict.fromkeys(warning for each in self._with("applied") for warning in each.warnings)
        for file in self._plan.changes:
            before = getattr(file, "before", None)
            if before is not None and (made := generated.warning(file.place.name, before.text.body)) is not None:
                yield f"{file.place.name}: {made}"


def unapplied(error: SutureError) -> Answer:
    """The answer to a call that could not be carried out at all."""
    data: dict[str, Any] = {"change_id": None, "summary": dict.fromkeys(_STATUSES, 0), "blocks": [], "files": []}
    data |= {"unread": error.unread if isinstance(error, NoBlocks) else []}
    data |= {"errors": [render.message(error)], "warnings": [], "diff": "", "error": render.error_data(error)}
    return Answer(render.error_text(error), data, is_error=True)


def unread_data(each: Unread) -> dict[str, Any]:
    """Something that was not read."""
    names = ("line", "kind", "path", "edits")
    return {**{name: getattr(each, name) for name in names}, "message": describe_unread(each)}


def _ids(outcomes: Sequence[Outcome]) -> list[str]:
    return [each.id for each in outcomes]


def _of(number: int, total: int) -> str:
    """So many blocks of all."""
    if number != total:
        return f"{number} of {render.count(total, 'block')}"
    return {1: "the block", 2: "both blocks"}.get(total, f"all {total} blocks")


def _line(each: Outcome) -> str:
    """One block that was applied."""
    line = f":{each.line}" if each.line and each.action == "update" else ""
    line = f" → {render.plain(each.to)}" if each.to else line
    how = "" if each.rung in AS_SENT else f"; found {render.matched(each.rung)}, carried over to the file's own text"
    if (version := version_of(each.base)) is not None:
        how = f"; written on {render.written_on(version)}, merged into the current file"
    return f"{each.id} {render.plain(each.path or '')}{line}, {_DONE[each.action]}{how}"


def _failure(each: Outcome, *, full: bool) -> list[str]:
    """One block that failed: what happened, what is known, what to do."""
    assert each.error is not None  # noqa: S101  a failure has its reason
    message, hint = render.block_message(each.error), _hint(each)
    head = f"Block {each.id} failed: {message}"
    if not full:
        return [head]
    return [head, *(f"  {line}" for line in render.block_details(each.error)), f"  {hint}"]


def _hint(each: Outcome) -> str:
    """What to do about a block that failed, in the words of its format."""
    assert each.error is not None  # noqa: S101  a failure has its reason
    hint = render.block_hint(each.error)
    old = "its context and - lines" if each.block.format in IN_HUNKS else "its old text"
    return hint.replace("its SEARCH part", old) if each.block.format in IN_HUNKS | {"call"} else hint


def _told(each: Outcome) -> dict[str, Any]:
    return {
        "id": each.id,
        "format": each.block.format,
        "action": each.action,
        "path": each.path,
        **({"to": each.to} if each.to else {}),
        "path_as_written": each.block.path_as_written,
        "status": each.status,
        "line": each.line if each.status != "failed" else None,
        "reply_line": each.block.line,
        "rung": each.rung,
        "score": each.score,
        "written_on": version_of(each.base),
        "diff": each.diff,
        "error": None if each.error is None else error_data(each),
    }


def error_data(each: Outcome) -> dict[str, Any]:
    """Why a block failed."""
    assert each.error is not None  # noqa: S101  asked only then
    told = render.error_data(each.error)
    told |= {"details": render.block_details(each.error)}
    told |= {"message": render.block_message(each.error), "hint": _hint(each)}
    return {name: value for name, value in told.items() if name not in _HIDDEN}
