r"""Three-way merge: combine the changes of two sides, or return their conflicts as values.

    merge(base, ours, theirs) -> Merged(edits, conflicts)

This is diff3 based on the anchored line diff. Each side's changes are ranges of base lines; overlapping ranges of the
two sides are grouped, all others are taken as they are. If both sides of a group made the same change, it is made once;
otherwise it is a conflict. The result is a list of edits on `ours`, so every byte outside them stays the same.

Ranges that only touch (ours changed line 3, theirs line 4) are a conflict, as in git. `touching` keeps both if their
order is beyond doubt: not if both add lines, not at an unfinished last line, and not if a change could as well be on
the other side of its neighbor.

Lines end at `\n`; in a text without any, at `\r`.
"""

from __future__ import annotations

from itertools import accumulate

from suture.records import Record
from suture.text.diff import changes, split_lines
from suture.text.edits import Edit, edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suture.text.diff import Change

    _Item = tuple[Change, int]
    """A change and its side: 0 is ours, 1 is theirs."""

STRATEGIES = ("refuse", "ours", "theirs", "union")


class Conflict(Record):
    """A place where the sides disagree: the text of each side, and the line at which it begins."""

    base: bytes
    ours: bytes
    theirs: bytes
    base_line: int
    ours_line: int
    theirs_line: int


class Merged(Record):
    """The edits on `ours` that make the result, and the conflicts.

    With the strategy `refuse`, conflicts leave `edits` incomplete, and there is no result.
    """

    edits: tuple[Edit, ...]
    conflicts: tuple[Conflict, ...]


class Region(Record):
    """A range of each of the three lists in which at least one side differs from the base."""

    side: str
    """The side that made the change: `ours`, `theirs`, `both` (the same change), or `conflict`."""
    base: tuple[int, int]
    ours: tuple[int, int]
    theirs: tuple[int, int]


def merge(base: bytes, ours: bytes, theirs: bytes, strategy: str = "refuse", *, touching: bool = False) -> Merged:
    """Merge two descendants of a text."""
    if strategy not in STRATEGIES:
        raise ValueError(strategy)
    sides = [split_any_lines(text) for text in (base, ours, theirs)]
    starts = list(accumulate(map(len, sides[1]), initial=0))
    edits: list[Edit] = []
    conflicts: list[Conflict] = []
    for region in regions(*sides, touching=touching):
        if region.side == "theirs":
            new = b"".join(sides[2][slice(*region.theirs)])
            edits.append(edit(starts[region.ours[0]], starts[region.ours[1]], new))
        elif region.side == "conflict":
            narrow = _narrow(sides[1], sides[2], region)
            ranges = (narrow.base, narrow.ours, narrow.theirs)
            base_text, our_text, their_text = (
                b"".join(lines[i:j]) for lines, (i, j) in zip(sides, ranges, strict=True)
            )
            base_line, our_line, their_line = (span[0] + 1 for span in ranges)
            conflicts.append(Conflict(base_text, our_text, their_text, base_line, our_line, their_line))
            edits += _resolve(strategy, starts[narrow.ours[0]], conflicts[-1], _ending(sides))
    return Merged(tuple(edits), tuple(conflicts))


def split_any_lines(text: bytes) -> list[bytes]:
    r"""The lines of a text, each with its `\n`; of a text without any, each with its `\r`."""
    if b"\n" in text or b"\r" not in text:
        return split_lines(text)
    lines = [line + b"\r" for line in text.split(b"\r")]
    last = lines.pop()[:-1]
    return [*lines, last] if last else lines


def regions(
    base: Sequence[bytes], ours: Sequence[bytes], theirs: Sequence[bytes], *, touching: bool = False
) -> Iterator[Region]:
    """The regions in which the sides differ from the base, in order; everything between is the same in all three."""
    queue = sorted(
        ((change, side) for side, lines in enumerate((ours, theirs)) for change in _push_down(base, lines)),
        key=lambda item: (item[0][:2], item[1]),
    )
    shifts = (0, 0)  # how much longer each side is than the base, up to here
    unfinished = any(lines and not lines[-1].endswith((b"\n", b"\r")) for lines in (ours, theirs))
    for group in _groups(queue, set()):
        whole, after = _region(ours, theirs, group, shifts)
        if whole.side != "conflict" or not touching:
            yield whole
            shifts = after
            continue
        loose = {item for item in group if _is_ambiguous(base, (ours, theirs)[item[1]], item[0])}
        for part in _groups(group, loose, touching=True, end=len(base) if unfinished else None):
            region, shifts = _region(ours, theirs, part, shifts)
            yield region


def _groups(
    queue: list[_Item], loose: set[_Item], *, touching: bool = False, end: int | None = None
) -> Iterator[list[_Item]]:
    """Group changes that depend on each other. `end` is the end of the base if a side has an unfinished last line.

    A `loose` change could as well be on the other side of a change that it touches.
    """
    group: list[_Item] = []
    low = high = 0
    for item in queue:
        both_add = touching and _grows(item[0]) and any(_grows(change) for change, _ in group)
        ambiguous = item[0][0] == high and (both_add or not loose.isdisjoint((item, *group)))
        if group and not ambiguous and not _belongs_to_group(item[0], low, high, end, touching=touching):
            yield group
            group = []
        low = low if group else item[0][0]
        high = max(high, item[0][1])
        group.append(item)
    if group:
        yield group


def _region(
    ours: Sequence[bytes], theirs: Sequence[bytes], group: list[_Item], shifts: tuple[int, int]
) -> tuple[Region, tuple[int, int]]:
    """The region of a group of changes, and the shifts after it."""
    low, high = group[0][0][0], max(change[1] for change, _ in group)
    growth = [0, 0]
    for (i, j, k, m), side in group:
        growth[side] += (m - k) - (j - i)
    after = (shifts[0] + growth[0], shifts[1] + growth[1])
    our_range, their_range = ((low + shift, high + end) for shift, end in zip(shifts, after, strict=True))
    sides = {side for _, side in group}
    if sides == {0, 1}:
        name = "both" if ours[slice(*our_range)] == theirs[slice(*their_range)] else "conflict"
    else:
        name = "theirs" if 1 in sides else "ours"
    return Region(name, (low, high), our_range, their_range), after


def _push_down(old: Sequence[bytes], new: Sequence[bytes]) -> list[Change]:
    """The changes between two lists, with each insertion and deletion moved down as far as possible.

    Which of several equal lines was removed is arbitrary. Both sides must choose alike, or a change that both made
    would be made twice.
    """
    result: list[Change] = []
    limit = len(old)
    for i, j, k, m in reversed(changes(old, new)):
        lines, at, down = (new, k, 0) if i == j else (old, i, 0)
        while (i == j or k == m) and j + down < limit and lines[at + down] == old[j + down]:
            down += 1
        meets = result and result[-1][0] == j + down
        _, end, _, new_end = result.pop() if meets else (i, j + down, k, m + down)
        limit = i + down
        result.append((limit, end, k + down, new_end))
    return result[::-1]


def _grows(change: Change) -> bool:
    i, j, k, m = change
    return m - k > j - i


def _is_ambiguous(old: Sequence[bytes], new: Sequence[bytes], change: Change) -> bool:
    """Whether an insertion or deletion could be one line further up or down with the same result."""
    i, j, k, m = change
    if i != j and k != m:
        return False
    lines, first, last = (new, k, m - 1) if i == j else (old, i, j - 1)
    return (i > 0 and lines[last] == old[i - 1]) or (j < len(old) and lines[first] == old[j])


def _belongs_to_group(change: Change, low: int, high: int, end: int | None, *, touching: bool) -> bool:
    """Whether a change belongs to the group of changes in base[low:high], which begin no later."""
    i, j = change[:2]
    if i != high or not touching:
        return i <= high
    return low == high == j or high == end  # two insertions at one place, or text that would join the last line


def _narrow(ours: Sequence[bytes], theirs: Sequence[bytes], region: Region) -> Region:
    """Trim the lines at both ends of a conflict on which the sides agree."""
    (i, j), (k, m) = region.ours, region.theirs
    while i < j and k < m and ours[i] == theirs[k]:
        i, k = i + 1, k + 1
    while i < j and k < m and ours[j - 1] == theirs[m - 1]:
        j, m = j - 1, m - 1
    return region.evolve(ours=(i, j), theirs=(k, m))


def _resolve(strategy: str, begin: int, conflict: Conflict, ending: bytes) -> list[Edit]:
    """The edits that resolve a conflict, which begins at offset `begin` of ours, by a strategy."""
    ours, theirs, end = conflict.ours, conflict.theirs, begin + len(conflict.ours)
    if strategy == "theirs":
        return [edit(begin, end, theirs)]
    if strategy == "union":
        unfinished = ours and theirs and not ours.endswith(ending[-1:])
        return [edit(end, end, (ending if unfinished else b"") + theirs)]
    return []


def _ending(sides: Sequence[Sequence[bytes]]) -> bytes:
    """The line ending of these texts."""
    first = [lines[0] for lines in sides if lines]
    return next((end for end in (b"\r\n", b"\n", b"\r") if any(line.endswith(end) for line in first)), b"\n")
