"""Blank lines, paired with the file's."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.locate.index import Index


def place_blanks(at: list[int | None], blank: Sequence[bool], index: Index) -> None:
    """Pair blank lines: between two placed lines from the top, outside of all solid lines outward."""
    taken = {place for place in at if place is not None}
    solid = [number for number, empty in enumerate(blank) if not empty]
    if not solid:
        return
    for number, following in zip(solid, (*solid[1:], None), strict=True):
        below = None if following is None else at[following]
        place = at[number]
        if place is None or (following is not None and below is None):
            continue
        for each in range(number + 1, len(at) if following is None else following):
            place += 1
            if place >= len(index.keys) or index.keys[place] or place in taken:
                break
            at[each] = place
    place = at[solid[0]]
    for each in range(solid[0] - 1, -1, -1):
        if place is None or place == 0 or index.keys[place - 1]:
            break
        place -= 1
        at[each] = place
