"""What `file_edit` tells about edits that landed, or would."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from suture import render
from suture.diff import counts
from suture.edits import apply, edit
from suture.tools import generated, outcome
from suture.tools.spec import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from suture.edits import Edit
    from suture.lines import Lines
    from suture.plan import Change, Update
    from suture.settings import Settings

_SHOWN_EDITS = 10
_SHOWN_LINES = 8
_MOST_PREVIEWS = 10_000
_LONGEST_PREVIEW = 4_000


class Edited:
    """The outcome of a call: the change of the file, and where in the original each edit found its text."""

    def __init__(
        self,
        settings: Settings,
        change: Update,
        places: Sequence[Sequence[int]],
        sizes: Sequence[int],
        cautions: Sequence[str],
        *,
        dry_run: bool,
    ) -> None:
        """`sizes` are those of the texts that the edits replace; `cautions` what may not have been meant."""
        self._settings = settings
        self._change = change
        self._places = places
        self._sizes = sizes
        self._cautions = cautions
        self._dry_run = dry_run

    def answer(self, change: Change | None) -> Answer:
        """What the caller is told."""
        file = self._change
        body, edits = file.before.text.body, file.edits or ()
        path, total = file.place.name, sum(map(len, self._places))
        lines = file.before.text.lines
        applied = [
            {"edit_index": index, "occurrences_replaced": len(found), "line_numbers": [lines.at(at) for at in found]}
            for index, found in enumerate(self._places)
        ]
        unified = outcome.plan_diff([file])
        added, removed = counts(body, edits)
        shown = outcome.cut(unified, self._settings)
        warnings = [*self._cautions]
        if (made := generated.warning(path, body)) is not None:
            warnings.insert(0, made)
        data: dict[str, Any] = {
            "path": path,
            "change_id": None if change is None else change.id,
            "hash": file.after.digest,
            "diff": {
                "unified": unified,
                "added": added,
                "removed": removed,
                "truncated": len(shown) != len(unified.removesuffix("\n")),
            },
            "edits_applied": applied,
            "total_replacements": total,
            "warnings": warnings,
        }
        if self._dry_run:
            data |= {"dry_run": True, "would_modify": bool(unified), "preview": list(self._preview())}
        text = "\n".join(self._words(applied, change, warnings))
        return Answer(f"{text}\n\n{shown}" if shown else text, data)

    def _words(self, applied: list[dict[str, Any]], change: Change | None, warnings: Sequence[str]) -> Iterator[str]:
        path, number = render.plain(self._change.place.name), len(applied)
        replacements = render.count(sum(each["occurrences_replaced"] for each in applied), "replacement")
        where = f", at {_lines(applied[0]['line_numbers'])}" if number == 1 else f" by {number} edits"
        if self._dry_run:
            who = f"{number} edits" if number > 1 else "the edit"
            place = f" ({_lines(applied[0]['line_numbers'])})" if number == 1 else ""
            yield f"Dry run: {who} would make {replacements} in {path}{place}; nothing was written."
        elif change is not None:
            yield f"Edited {path}: {replacements}{where} (change {change.id})."
        else:
            yield f"{path} is as it was: the new text is the old one ({replacements})."
        for each in applied[:_SHOWN_EDITS] if number > 1 else ():
            replaced = render.count(each["occurrences_replaced"], "replacement")
            yield f"Edit {each['edit_index'] + 1}: {replaced}, at {_lines(each['line_numbers'])}."
        if number > _SHOWN_EDITS:
            yield f"… and {number - _SHOWN_EDITS} more edits."
        yield from (f"warning: {each}" for each in warnings)

    def _preview(self) -> Iterator[dict[str, Any]]:
        """Each replacement: the lines it stands in as they are, and as they will be after all edits."""
        text, edits = self._change.before.text, self._change.edits or ()
        lines, starts, ends = text.lines, [each.span.start for each in edits], [each.span.end for each in edits]
        places = ((index, at) for index, found in enumerate(self._places) for at in found)
        for (index, at), _ in zip(places, range(_MOST_PREVIEWS), strict=False):
            first = last = lines.at(at)
            until = max(at, at + self._sizes[index] - 1)
            here: Sequence[Edit] = ()
            while True:  # an edit may reach into other lines, and those may have edits of their own
                last = max(last, lines.at(until))
                start, end = _range(lines, first, last)
                here = edits[bisect_left(ends, start) : bisect_right(starts, end)]
                if not here or (here[0].span.start >= start and here[-1].span.end <= end):
                    break
                first, until = min(first, lines.at(here[0].span.start)), max(until, here[-1].span.end - 1)
            moved = [edit(each.span.start - start, each.span.end - start, each.new) for each in here]
            before = text.body[start:end]
            shown = {"before": _shown(before), "after": _shown(apply(before, moved))}
            yield {"edit_index": index, "line_number": lines.at(at), **shown}


def _range(lines: Lines, first: int, last: int) -> tuple[int, int]:
    """Begin and end of some lines; of a text without any, nothing."""
    return (lines.span(first)[0], lines.span(last)[1]) if len(lines) else (0, 0)


def _shown(text: bytes) -> str:
    said = text.decode("utf-8", "replace").removesuffix("\n").removesuffix("\r")
    return said if len(said) <= _LONGEST_PREVIEW else f"{said[:_LONGEST_PREVIEW]}…"


def _lines(numbers: Sequence[int]) -> str:
    found = list(dict.fromkeys(numbers))
    shown = ", ".join(map(str, found[:_SHOWN_LINES]))
    more = f" and {len(found) - _SHOWN_LINES} more" if len(found) > _SHOWN_LINES else ""
    return f"{'line' if len(found) == 1 else 'lines'} {shown}{more}"
