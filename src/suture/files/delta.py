"""A version of a large file as what it takes from another: copies, and the bytes between them.

    delta(new, old) -> bytes or None         patched(data, old, size) -> new

Made for edits here and there in a long file: it walks through both texts at once, and where they part looks a
little ahead for where they meet again. Memory and time are small, other than those of a compressor that has all
of the old text as its dictionary. Where the texts do not meet again, there is no delta.

The data is a number of copies, for each of them the offset in the old text, its length and the length of what
follows it, as 64-bit numbers, and then all that follows.
"""

from __future__ import annotations

from struct import calcsize, error, pack, unpack_from

_ANCHOR = 24  # bytes that must be the same where texts meet again,
_REACH = 1 << 16  # so far ahead in the old one,
_AHEAD = tuple(1 << power for power in range(4, 15))  # and in the new one
_MOST_COPIES = 5_000
_FIRST, _LARGEST = 1 << 8, 1 << 16


def delta(new: bytes, old: bytes) -> bytes | None:
    """The new text by the old one; None if too little of it stands there in the same order."""
    numbers: list[int] = []
    literals: list[bytes] = []
    at = place = 0
    while at < len(new) and len(literals) < _MOST_COPIES:
        same = _common(new, at, old, place)
        numbers += [place, same]
        at, place = at + same, place + same
        ahead, place = _meeting(new, at, old, place)
        if ahead is None:
            return None
        literals.append(new[at : at + ahead])
        numbers.append(ahead)
        at += ahead
    literal = sum(map(len, literals))
    if at < len(new) or literal > len(new) // 4:
        return None
    return b"".join([pack(f"<Q{len(numbers)}Q", len(literals), *numbers), *literals])


def patched(data: bytes, old: bytes, size: int) -> bytes:
    """The new text of this size again. Raises ValueError where the data cannot be what was made."""
    try:
        (count,) = unpack_from("<Q", data)
        if count > len(data):
            raise ValueError(count)
        numbers = unpack_from(f"<{3 * count}Q", data, 8)
    except error as wrong:
        raise ValueError(len(data)) from wrong
    if sum(numbers[1::3]) + sum(numbers[2::3]) != size:  # or it would ask for as much memory as the damage claims
        raise ValueError(size)
    view, copied = memoryview(data), memoryview(old)
    position = calcsize(f"<Q{3 * count}Q")
    pieces: list[memoryview] = []
    for start, same, literal in zip(numbers[::3], numbers[1::3], numbers[2::3], strict=True):
        pieces += [copied[start : start + same], view[position : position + literal]]
        position += literal
    result = b"".join(pieces)
    if len(result) != size:
        raise ValueError(size)
    return result


def _common(new: bytes, at: int, old: bytes, place: int) -> int:
    """How many bytes are the same from there on."""
    most = min(len(new) - at, len(old) - place)
    same, step, grows = 0, _FIRST, True
    while same < most and step:
        step = min(step, most - same)
        if new[at + same : at + same + step] == old[place + same : place + same + step]:
            same += step
            step = min(step * 2, _LARGEST) if grows else step
        else:
            step, grows = step // 2, False
    return same


def _meeting(new: bytes, at: int, old: bytes, place: int) -> tuple[int | None, int]:
    """How far ahead in the new text, and where in the old one, they are the same again."""
    for ahead in (0, *_AHEAD):
        anchor = new[at + ahead : at + ahead + _ANCHOR]
        if len(anchor) < _ANCHOR:
            return len(new) - at, place  # so near the end, the rest stands for itself
        found = old.find(anchor, place, place + _REACH)
        if found >= 0:
            back = 0
            while back < ahead and found - back > place and new[at + ahead - back - 1] == old[found - back - 1]:
                back += 1
            return ahead - back, found - back
    return None, place
