r"""The readings of a request: its old and new text, in each way that they may be meant.

In order: as sent; without the code fence around it; with `\n` and `\t` for what they spell; without the line
numbers that a reading tool printed; with HTML entities decoded. They stack: a numbered text in a fence
has a reading without either. Line endings are not part of a line. A reading never replaces the text as sent: it is
another request, which is searched for only where the more literal ones have no place.
"""

from __future__ import annotations

import re
from itertools import pairwise

from suture.match.normalize import fold
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.match.index import Index

    _Readings = list[tuple[list[str], list[str]]]

_FENCE = re.compile(r"\s*(`{3,}|~{3,})[^`]*")
_NUMBER = re.compile(r"(\s*)[\[(L]?(\d{1,9})([\])]?(?:\t|→| ?[|│:]|\.(?= )|(?=  ?)))")
_BARE_NUMBER = re.compile(r"\s*[\[(L]?\d{1,9}[\])]?(?:→|[|│:.])?\s*")
_SPELLED = re.compile(r"\\([nt\"'\\])")
_ENTITY = re.compile(r"&(?:(lt|gt|amp|quot|apos|nbsp)|#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6}));")
_NAMED_ENTITIES = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'", "nbsp": "\u00a0"}
_SPELLED_CHARACTERS = {"n": "\n", "t": "\t"}


class Request(Record):
    """A change as lines without their ends."""

    old: tuple[str, ...]
    new: tuple[str, ...]
    undone: tuple[str, ...] = ()
    """What was taken off or decoded to read it so: `fence`, `spelled`, `numbers`, `entities`."""
    exotic: bool = False
    """Whether old lines were indented by exotic spaces."""
    unfinished: bool = False
    """Whether old ends with a newline, and new, which is not empty, doesn't."""

    @property
    def plain(self) -> bool:
        """Whether it is read as it was sent."""
        return not self.undone


def readings(old: str, new: str) -> list[Request]:
    """Everything a request may mean, the most literal first."""
    wanted = split(new)
    if new.strip() and new.endswith("\n") and not old.endswith(("\n", "\r")):
        wanted.append("")  # the line ending that follows the old text follows the new one, too
    texts: list[tuple[list[str], list[str], tuple[str, ...]]] = [(split(old), wanted, ())]
    for name, read in _UNDO.items():
        texts += [(*other, (*undone, name)) for before, after, undone in texts for other in read(before, after)]
    unfinished = old.endswith("\n") and not new.endswith("\n") and bool(new.strip())
    result = []
    for before, after, undone in texts:
        old_lines, new_lines = (tuple(map(_plainly_indented, lines)) for lines in (before, after))
        result.append(Request(old_lines, new_lines, undone, list(old_lines) != before, unfinished))
    return result


def split(text: str) -> list[str]:
    r"""The lines of a text; what follows the final newline is none. A lone `\r` ends lines where nothing else does."""
    if "\r" in text:
        text = text.replace("\r\n", "\n") if "\n" in text else text.replace("\r", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


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
    for n in range(solid[0] - 1, -1, -1):
        if place is None or place == 0 or index.keys[place - 1]:
            break
        place -= 1
        at[n] = place


def _plainly_indented(line: str) -> str:
    """A line without exotic spaces before its first word."""
    text = line.lstrip()
    return line if line.isascii() else fold(line[: len(line) - len(text)]) + text


def _undo_fence(old: list[str], new: list[str]) -> _Readings:
    inner = [_inside(lines) for lines in (old, new)]
    if inner[0] is None or (inner[1] is None and any(map(str.strip, new))):
        return []
    nothing = inner[1] is None or inner[1] in ([], [""])
    blank_outside = not (inner[0] and inner[0][0].strip() and inner[0][-1].strip())
    return [(inner[0], [] if inner[1] is None or (nothing and not blank_outside) else inner[1])]


def _inside(lines: list[str]) -> list[str] | None:
    solid = [number for number, line in enumerate(lines) if line.strip()]
    if len(solid) < 2 or not _FENCE.fullmatch(lines[solid[0]]):  # noqa: PLR2004  the two fences
        return None
    if lines[solid[-1]].strip() != lines[solid[0]].strip().rstrip(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+#-._ 0123456789/:="
    ):
        return None
    return lines[solid[0] + 1 : solid[-1]]


def _undo_numbers(old: list[str], new: list[str]) -> _Readings:
    """Without line numbers; a space after them may be part of them, or of the line."""
    pairs = [texts for space in ("", " ") if (texts := _without_numbers(old, new, space)) is not None]
    shared = [len(set(before) & set(after)) for before, after in pairs]
    return [pair for pair, count in zip(pairs, shared, strict=True) if count == max(shared)]


def _without_numbers(old: list[str], new: list[str], space: str) -> tuple[list[str], list[str]] | None:
    """Both texts without their numbers, of which a space may be part. Every old line has one, and they count up."""
    numbered = [_split_numbers(old), _split_numbers(new)]
    numbers = [number for number, _, _ in numbered[0] if number is not None]
    if numbers and any(not 0 <= n - numbers[0] <= len(old) + len(new) for n, _, _ in numbered[1] if n is not None):
        numbered[1] = [(None, None, line) for line in new]  # these are not line numbers
    separators = {separator for lines in numbered for number, separator, _ in lines if separator is not None}
    solid = sum(bool(line.strip()) for line in old)
    if not numbers or len(numbers) < solid or len(separators) > 1:
        return None
    if any(later - earlier != 1 for earlier, later in pairwise(numbers)):
        return None
    bare: list[list[str]] = []
    for lines in numbered:
        if any(number is not None and text and not text.startswith(space) for number, _, text in lines):
            return None
        bare.append([text if number is None else text[len(space) :] for number, _, text in lines])
    return bare[0], bare[1]


def _split_numbers(lines: Sequence[str]) -> list[tuple[int | None, str | None, str]]:
    """The lines with their numbers taken off: number, what is after it, the rest."""
    result: list[tuple[int | None, str | None, str]] = []
    for line in lines:
        match = _NUMBER.match(line)
        if match is not None:
            result.append((int(match[2]), match[3].strip() or match[3], line[match.end() :]))
        elif _BARE_NUMBER.fullmatch(line) and line.strip():
            result.append((int("".join(filter(str.isdigit, line))), None, ""))
        else:
            result.append((None, None, line))
    return result


def _undo_spelling(old: list[str], new: list[str]) -> _Readings:
    if len(old) != 1 or "\\n" not in old[0] or len(new) > 1:
        return []
    lines = split(_decode_escapes("\n".join(new)))
    if any(one.count(quote) % 2 and other.count(quote) % 2 for one, other in pairwise(lines) for quote in "\"'"):
        return []  # a newline that belongs into a string would break it
    return [(split(_decode_escapes(old[0])), lines)]


def _decode_escapes(text: str) -> str:
    return _SPELLED.sub(lambda match: _SPELLED_CHARACTERS.get(match[1], match[1]), text)


def _undo_entities(old: list[str], new: list[str]) -> _Readings:
    if not any(map(_ENTITY.search, old)):
        return []
    return [([_ENTITY.sub(_character, line) for line in old], [_ENTITY.sub(_character, line) for line in new])]


_UNDO = {"fence": _undo_fence, "spelled": _undo_spelling, "numbers": _undo_numbers, "entities": _undo_entities}


def _character(match: re.Match[str]) -> str:
    name, decimal, hexadecimal = match.groups()
    if name:
        return _NAMED_ENTITIES[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    surrogate = 0xD800 <= code <= 0xDFFF  # noqa: PLR2004
    return match[0] if code > 0x10FFFF or surrogate or not code else chr(code)  # noqa: PLR2004
