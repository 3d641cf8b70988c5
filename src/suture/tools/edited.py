"""What `file_edit` tells about edits that landed, or would."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property

from suture import render
from suture.edits import apply, edit
from suture.tools import generated, outcome
from suture.tools.spec import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from suture.lines import Lines
    from suture.plan import Change, Update
    from suture.settings import Settings

_SHOWN_EDITS = 10
_SHOWN_LINES = 8
_MOST_PREVIEWS = 10_000
_LONGEST_PREVIEW = 4_000
_SHORT_PREVIEW = 200
_ROOM = 1_000_000


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
        unified, added, removed = outcome.edits_diff(file, edits)
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
            if self._change.is_no_op:
                yield f"Dry run: no change; {who} would leave {path} as it is ({replacements})."
            else:
                yield f"Dry run: {who} would make {replacements} in {path}{place}; nothing was written."
        elif change is not None:
            yield f"Edited {path}: {replacements}{where} (change {change.id})."
        else:
            yield f"No change: the new text equals the old text in {path} ({replacements})."
        for each in applied[:_SHOWN_EDITS] if number > 1 else ():
            replaced = render.count(each["occurrences_replaced"], "replacement")
            yield f"Edit {each['edit_index'] + 1}: {replaced}, at {_lines(each['line_numbers'])}."
        if number > _SHOWN_EDITS:
            yield f"… and {number - _SHOWN_EDITS} more edits."
        yield from (f"warning: {each}" for each in warnings)

    def _preview(self) -> Iterator[dict[str, Any]]:
        """Each replacement: the lines it stands in as they are, and as they will be after all edits."""
        lines, room = self._change.before.text.lines, _ROOM
        places = [(index, at) for index, found in enumerate(self._places) for at in found][:_MOST_PREVIEWS]
        start, end, before, after = -1, -1, "", ""
        for index, at in places:
            until = at + max(self._sizes[index], 1)
            if not (start <= at and until <= end):
                start, end, before, after = self._lines_around(at, until)
            most = min(_LONGEST_PREVIEW, max(room, _SHORT_PREVIEW))
            room -= min(len(before), most) + min(len(after), most)
            shown = {"before": _cut(before, most), "after": _cut(after, most)}
            yield {"edit_index": index, "line_number": lines.at(at), **shown}

    @cached_property
    def _bounds(self) -> tuple[list[int], list[int]]:
        edits = self._change.edits or ()
        return [each.span.start for each in edits], [each.span.end for each in edits]

    def _lines_around(self, at: int, until: int) -> tuple[int, int, str, str]:
        """Whole lines: begin and end of those that a range touches, and what they say before and after all edits."""
        text, edits = self._change.before.text, self._change.edits or ()
        lines, (starts, ends) = text.lines, self._bounds
        first, last = lines.at(at), lines.at(max(at, until - 1))
        while True:  # an edit may reach into other lines, and those may have edits of their own
            start, end = _range(lines, first, last)
            low, high = bisect_left(ends, start), bisect_right(starts, end)
            if high - low > 1 and len(edits[low].span) and ends[low] == start:
                low += 1  # it only ends where these lines begin
            if high - low > 1 and len(edits[high - 1].span) and starts[high - 1] == end:
                high -= 1  # it only begins where these lines end
            here = edits[low:high]
            if not here or (here[0].span.start >= start and here[-1].span.end <= end):
                break
            first, last = min(first, lines.at(here[0].span.start)), max(last, lines.at(here[-1].span.end - 1))
        moved = [edit(each.span.start - start, each.span.end - start, each.new) for each in here]
        before = text.body[start:end]
        return start, end, _shown(before), _shown(apply(before, moved))


def _range(lines: Lines, first: int, last: int) -> tuple[int, int]:
    """Begin and end of some lines; of a text without any, nothing."""
    return (lines.span(first)[0], lines.span(last)[1]) if len(lines) else (0, 0)


def _shown(text: bytes) -> str:
    said = text[: 4 * _LONGEST_PREVIEW].decode("utf-8", "replace")
    return said if len(text) > 4 * _LONGEST_PREVIEW else said.removesuffix("\n").removesuffix("\r")


def _cut(said: str, most: int) -> str:
    return said if len(said) <= most else f"{said[:most]}…"


def _lines(numbers: Sequence[int]) -> str:
    found = list(dict.fromkeys(numbers))
    shown = ", ".join(map(str, found[:_SHOWN_LINES]))
    more = f" and {len(found) - _SHOWN_LINES} more" if len(found) > _SHOWN_LINES else ""
    return f"{'line' if len(found) == 1 else 'lines'} {shown}{more}"
