"""What `patch` answers: where each patch went, and what a caller should know about that."""

from __future__ import annotations

from suture import render
from suture.tools import generated, outcome
from suture.tools.spec import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from suture.engine import Session
    from suture.plan import Change, Content, Plan
    from suture.text import Text
    from suture.tools.placement import Placement

_REPLACED_LINES = 20
_REPLACED_CHARACTERS = 2_000
_APPLIED = "<patches_applied>{}</patches_applied>"
_AS_SENT = {"exact", "line_ends", None}


class Patched:
    """The result of a call, told once it landed, or would have."""

    def __init__(
        self,
        session: Session,
        plan: Plan,
        original: Text,
        placed: Sequence[Placement],
        *,
        created: bool,
        dry_run: bool,
    ) -> None:
        self._session = session
        self._plan = plan
        self._original = original
        self._placed = placed
        self._created = created
        self._dry_run = dry_run

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
        notes = [note for each in self._placed if (note := self._note(each))]
        notes += [f"warning: {each}" for each in warnings]
        if not self._dry_run:
            notes += [] if diff else [f"{render.plain(file.place.name)} is as it was."]
            return Answer("\n".join([_APPLIED.format("all"), *notes]), data)
        number = f"all {len(self._placed)} patches" if len(self._placed) > 1 else "the patch"
        notes.insert(0, f"Dry run: {number} would be applied; nothing was written.")
        shown = outcome.cut(diff, self._session.settings)
        words = "\n".join([_APPLIED.format("none"), *notes])
        return Answer(f"{words}\n\n{shown}" if shown else words, {**data, "dry_run": True})

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
        }

    def _replaced(self, placed: Placement) -> str:
        """What stood there, not too much of it."""
        whole = self._original.show(placed.start, placed.end)
        lines = whole.split("\n")
        shown = "\n".join(lines[:_REPLACED_LINES])[:_REPLACED_CHARACTERS]
        return whole if len(shown) >= len(whole.removesuffix("\n")) else f"{shown}\n… {len(whole):,} characters in all"

    def _note(self, placed: Placement) -> str:
        """What a caller should know about a patch that was not found just as it was sent."""
        if placed.rung in _AS_SENT:
            return ""
        where = render.span(placed.start_line, placed.end_line)
        words = f"patches[{placed.index}]: found at {where} {render.matched(placed.rung)}"
        if placed.runner_up is not None:
            words += f" (next best: {render.span(placed.runner_up.start_line, placed.runner_up.end_line)})"
        if not placed.carried:
            return f"{words}."
        return f"{words}; your change was carried over to the file's own text."

    def _warnings(self, names: Sequence[str]) -> list[str]:
        found = generated.warning(self._plan.changes[0].place.name, self._original.body)
        warnings = [found] if found else []
        unsaved = not self._session.settings.history or any(name in self._session.unsaved for name in names)
        if names and unsaved:
            warnings.append("The history cannot be used: clipboards last only as long as this process.")
        return warnings
