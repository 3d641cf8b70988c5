"""Blank lines, paired with the file's."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.locate.index import Index


def place_blanks(at: list[int | None], blank: Sequence[bool], index: Index) -> None:
    """Pair blank lines: between two placed lines from the top, outside of all solid lines outward."""
    solid = [number for number, empty in enumerate(blank) if not empty]
    if not solid:
        return
    for number, following in zip(solid, (*solid[1:], None), strict=True):
        below = None if following is None else at[following]
        place = at[number]
        if place is None or (following is not None and below is None):
            continue
        between = list(range(number + 1, len(at) if following is None else following))
        while between and place + 1 < len(index.keys) and not index.keys[place + 1] and place + 1 != below:
            place += 1
            at[between.pop(0)] = place
        while below is not None and between and below - 1 > place and not index.keys[below - 1]:
            below -= 1
            at[between.pop()] = below
    place = at[solid[0]]
    for each in range(solid[0] - 1, -1, -1):
        if place is None or place == 0 or index.keys[place - 1]:
            break
        place -= 1
        at[each] = place
