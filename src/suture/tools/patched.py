"""What `patch` answers: where each patch went, and what a caller should know about that."""

from __future__ import annotations

from suture import render
from suture.phrases import AS_SENT
from suture.tools import generated, outcome
from suture.tools.refusal import version_of
from suture.tools.spec import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from suture.plan import Change, Content, Plan
    from suture.session import Session
    from suture.text import Text
    from suture.tools.patch import Patch
    from suture.tools.placement import Placement

_REPLACED_LINES = 20
_REPLACED_CHARACTERS = 2_000
_APPLIED = "<patches_applied>{}</patches_applied>"
_ENDS = (b"\n", b"\r")


class Patched:
    """The result of a call, told once it landed, or would have."""

    def __init__(
        self,
        session: Session,
        plan: Plan,
        original: Text,
        placed: Sequence[Placement],
        request: Patch,
        cautions: Sequence[str],
        *,
        created: bool,
    ) -> None:
        """`cautions` are what was noticed while the patches were placed."""
        self._session = session
        self._plan = plan
        self._original = original
        self._placed = placed
        self._patches = request.patches
        self._noticed = cautions
        self._created = created
        self._dry_run = request.dry_run

    def answer(self, change: Change | None) -> Answer:
        """What the caller is told."""
        (file,) = self._plan.changes
        after: Content = getattr(file, "after")  # noqa: B009  a creation or an update: both have it
        diff = outcome.plan_diff([file])
        names = [name for name, _ in self._plan.clipboards]
        warnings = self._warnings(names)
        data = {
            "path": file.place.name,
            "change_id": None if change is None else change.id,
            "hash": after.digest,
            "created": self._created,
            "patches": [self._told(each) for each in self._placed],
            "clipboards": names,
            "warnings": warnings,
            "display": {"path": file.place.name, "diff": diff},
        }
        notes = [note for each in self._placed for note in (self._note(each), self._clipboard_note(each)) if note]
        notes += [f"warning: {each}" for each in warnings]
        if not self._dry_run:
            same = not diff and not self._created
            notes += [f"No change: {render.plain(file.place.name)} is as it was."] if same else []
            applied = _APPLIED.format("none" if same and not names else "all")
            return Answer("\n".join([applied, *notes]), data)
        notes.insert(0, f"Dry run: {self._expected(render.plain(file.place.name), diff)}; nothing was written.")
        shown = outcome.cut(diff, self._session.settings)
        words = "\n".join([_APPLIED.format("none"), *notes])
        return Answer(f"{words}\n\n{shown}" if shown else words, {**data, "dry_run": True})

    def _expected(self, path: str, diff: str) -> str:
        """What the call would do."""
        number = f"all {len(self._placed)} patches" if len(self._placed) > 1 else "the patch"
        if self._created:
            return f"{number} would create {path}"
        return f"{number} would be applied" if diff else f"{number} would leave {path} as it is"

    def _told(self, placed: Placement) -> dict[str, Any]:
        near = placed.runner_up
        return {
            "index": placed.index,
            "operation": placed.operation,
            "rung": placed.rung,
            "score": placed.score,
            "runner_up": near
            and {"start_line": near.start_line, "end_line": near.end_line, "score": round(near.score, 3)},
            "start_line": placed.start_line,
            "end_line": placed.end_line,
            "replaced": self._replaced(placed),
            "written_on": version_of(placed.base),
        }

    def _replaced(self, placed: Placement) -> str:
        """What stood there, not too much of it."""
        whole = self._original.show(placed.start, placed.end)
        lines = whole.split("\n")
        shown = "\n".join(lines[:_REPLACED_LINES])[:_REPLACED_CHARACTERS]
        return whole if len(shown) >= len(whole.removesuffix("\n")) else f"{shown}\n… {len(whole):,} characters in all"

    def _note(self, placed: Placement) -> str:
        """What a caller should know about a patch that was not found just as it was sent."""
        if placed.rung in AS_SENT:
            return ""
        where = render.span(placed.start_line, placed.end_line)
        if (version := version_of(placed.base)) is not None:
            written = f"written on {render.written_on(version)}"
            return f"patches[{placed.index}]: {written}; merged into the current file at {where}."
        words = f"patches[{placed.index}]: found at {where} {render.matched(placed.rung)}"
        if placed.runner_up is not None:
            words += f" (next best: {render.span(placed.runner_up.start_line, placed.runner_up.end_line)})"
        if not placed.carried:
            return f"{words}."
        return f"{words}; your change was carried over to the file's own text."

    def _clipboard_note(self, placed: Placement) -> str:
        """What was put into which clipboard."""
        patch = self._patches[placed.index]
        if patch.toClipboard is None:
            return ""
        where = render.span(placed.start_line, placed.end_line)
        where, name = where if self._is_lines(placed) else f"a part of {where}", render.plain(patch.toClipboard)
        if patch.is_copy:
            return f"{'Would copy' if self._dry_run else 'Copied'} {where} to clipboard '{name}'."
        if not any(each.new for each in placed.edits):
            return f"{'Would cut' if self._dry_run else 'Cut'} {where} to clipboard '{name}'."
        return f"{'Would put' if self._dry_run else 'Put'} {where} (before the change) into clipboard '{name}'."

    def _is_lines(self, placed: Placement) -> bool:
        """Whether it replaces whole lines, perhaps without the end of the last one."""
        body, start, end = self._original.body, placed.start, placed.end
        begins = not start or body.endswith(_ENDS, 0, start)
        return begins and (end == len(body) or body.endswith(_ENDS, 0, end) or body.startswith(_ENDS, end))

    def _cautions(self) -> Iterator[str]:
        """What may not have been meant, but was done as it was said."""
        for patch, placed in zip(self._patches, self._placed, strict=True):
            if patch.fromClipboard is not None and patch.newText:
                yield f"patches[{placed.index}]: newText was ignored: fromClipboard is set."
        if not (body := self._original.body):
            return
        first, last = body.startswith(_ENDS), body.endswith(_ENDS)
        for each in self._inserted("prepend_bof")[-1:]:
            if not (first or each.edits[0].new.endswith(_ENDS)):
                yield f"patches[{each.index}]: the text has no newline at its end: the file's first line continues it."
        for each in self._inserted("append_eof")[:1]:
            if not (last or each.edits[0].new.startswith(_ENDS)):
                yield f"patches[{each.index}]: the file has no newline at its end: the text continues its last line."
        for each in self._placed:
            if each.rung == "exact" and self._joins_lines(each):
                yield f"patches[{each.index}]: newText has no newline at its end: the file's next line continues it."

    def _joins_lines(self, placed: Placement) -> bool:
        """Whether a line end is taken away at the end of a text, and something follows it."""
        body, last = self._original.body, placed.edits[-1:]
        return any(
            body[each.span.start : each.span.end].endswith(_ENDS)
            and bool(each.new)
            and not each.new.endswith(_ENDS)
            and body[each.span.end : each.span.end + 1] not in (b"", b"\n", b"\r")
            for each in last
        )

    def _inserted(self, operation: str) -> list[Placement]:
        """The patches of a kind that put something in."""
        return [each for each in self._placed if each.operation == operation and each.edits[0].new]

    def _warnings(self, names: Sequence[str]) -> list[str]:
        found = generated.warning(self._plan.changes[0].place.name, self._original.body)
        warnings = [*([found] if found else []), *self._noticed, *self._cautions()]
        unsaved = not self._session.settings.history or any(name in self._session.unsaved for name in names)
        if names and unsaved:
            warnings.append("The history cannot be used: clipboards last only as long as this process.")
        return warnings
