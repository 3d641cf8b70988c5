"""What is different between a text that was sent and the lines where it should stand, piece by piece.

Lines are paired, paired lines are compared word by word, and each difference is named by what a reader would call
it: a tab for spaces, a curly quote, another case. The same difference in many lines is one.
"""

from __future__ import annotations

from itertools import zip_longest

from suture.locate.fold import PLAIN, fold, line_keys
from suture.locate.words import likeness, parts, tokens
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    _Pair = tuple[int | None, int | None]
    _Ranges = tuple[int, int, int, int]

_MOST_LINES = 400
_LONGEST_LINE = 2_000
_COMPARED = 4_000_000_000  # characters of all lines with all others: a fraction of a second
_ALIKE = 0.5
_MOST = 40

KINDS = {
    "indentation": "whitespace",
    "trailing": "whitespace",
    "spacing": "whitespace",
    "line_end": "whitespace",
    "line_break": "whitespace",
    "blank_line": "whitespace",
    "spelled": "whitespace",
    "exotic_space": "whitespace",
    "case": "case",
    "look_alike": "punctuation",
    "quotes": "punctuation",
    "escape": "punctuation",
    "entities": "punctuation",
    "marks": "punctuation",
    "composition": "content",
    "numbers": "content",
    "fence": "content",
    "word": "content",
    "missing_line": "content",
    "extra_line": "content",
}
"""What a difference may be, and the specification's type for it."""


class Difference(Record):
    """One difference; `line` and the columns (1-based, the end exclusive) say where in the file, the first time."""

    what: str
    expected: str
    """As it was sent."""
    found: str
    """As it stands in the file."""
    line: int
    column: int = 1
    end: int = 1
    times: int = 1
    sent_line: int = 0
    """For a line that is not in the file: its number in what was sent."""

    @property
    def kind(self) -> str:
        """The specification's type."""
        return KINDS[self.what]


def differences(sent: Sequence[str], stands: Sequence[str], line: int, column: int = 1) -> list[Difference]:
    """The differences of some lines that were sent from those in the file, of which the first is `line`.

    `column` is where the first one begins, if it is a part of a line.
    """
    said, here = ([*filter(None, map(_squeezed, lines))] for lines in (sent, stands))
    if said != here and "".join(said) == "".join(here):
        one, other = (f"{len(lines)} line{'s' * (len(lines) != 1)}" for lines in (sent, stands))
        return [Difference("line_break", one, other, line, 1, len(stands[0]) + 1)]
    return merged(_all(sent, stands, line, column))


def merged(found: Iterable[Difference]) -> list[Difference]:
    """Each difference once, with how often it occurs."""
    seen: dict[tuple[str, str, str], Difference] = {}
    for each in found:
        key = each.what, each.expected, each.found
        seen[key] = seen[key].but(times=seen[key].times + 1) if key in seen else each
    return list(seen.values())[:_MOST]


def _all(sent: Sequence[str], stands: Sequence[str], line: int, column: int) -> Iterator[Difference]:
    last = line
    for asked, place in _pairs(sent, stands):
        if place is None:
            assert asked is not None  # noqa: S101  one of them is
            what, said = ("missing_line", sent[asked]) if sent[asked].strip() else ("blank_line", "\n")
            yield Difference(what, said, "", last, 1, 1, sent_line=asked + 1)
        else:
            here, last = stands[place], line + place
            begin = 1 if place else column
            if asked is None:
                what, found = ("extra_line", here) if here.strip() else ("blank_line", "\n")
                yield Difference(what, "", found, last, begin, begin + len(here))
            else:
                yield from _in_line(sent[asked], here, last, begin)


def _pairs(sent: Sequence[str], stands: Sequence[str]) -> Iterator[_Pair]:
    """Which line stands for which; None where there is none."""
    if max(len(sent), len(stands)) > _MOST_LINES:
        yield from zip_longest(range(len(sent)), range(len(stands)))
        return
    done = place = 0
    for low, high, start, end in _differing(line_keys(sent), line_keys(stands)):
        yield from zip(range(done, low), range(place, start), strict=True)
        yield from _pairs_in_gap(sent, stands, range(low, high), range(start, end))
        done, place = high, end
    yield from zip(range(done, len(sent)), range(place, len(stands)), strict=True)


def _differing(one: Sequence[str] | Sequence[bytes], other: Sequence[str] | Sequence[bytes]) -> list[_Ranges]:
    """The parts of two sequences that differ: from, up to, from, up to.

    Not by difflib, which takes minutes where a few words stand a thousand times.
    """
    from rapidfuzz.distance import Indel

    found: list[_Ranges] = []
    for each in Indel.opcodes(one, other):
        if each.tag == "equal":
            continue
        low, start = each.src_start, each.dest_start
        if found and (found[-1][1], found[-1][3]) == (low, start):
            low, _, start, _ = found.pop()
        found.append((low, each.src_end, start, each.dest_end))
    return found


def _pairs_in_gap(sent: Sequence[str], stands: Sequence[str], asked: range, places: range) -> Iterator[_Pair]:
    """Lines that are alike, in order; all others stand alone. Of too much text, line by line."""
    if sum(len(sent[number]) for number in asked) * sum(len(stands[place]) for place in places) > _COMPARED:
        yield from zip_longest(asked, places)
        return
    free = places.start
    for number in asked:
        alike = [place for place in range(free, places.stop) if _alike(sent[number], stands[place])]
        if alike:
            best = max(alike, key=lambda place: _likeness(sent[number], stands[place]))
            yield from ((None, place) for place in range(free, best))
            yield number, best
            free = best + 1
        else:
            yield number, None
    yield from ((None, place) for place in range(free, places.stop))


def _alike(one: str, other: str) -> bool:
    return bool(one.strip()) == bool(other.strip()) and _likeness(one, other) >= _ALIKE


def _likeness(one: str, other: str) -> float:
    """How much of two lines is the same; of long ones, how much at their ends."""
    longest = max(len(one), len(other))
    return likeness(one, other) if longest <= _LONGEST_LINE else sum(_common(one.strip(), other.strip())) / longest


def _in_line(sent: str, here: str, line: int, column: int) -> Iterator[Difference]:
    """The differences of one line."""
    if sent == here:
        return
    (lead, body, trail), (lead_here, body_here, trail_here) = parts(sent), parts(here)
    start, end = column + len(lead_here), column + len(here)
    if lead != lead_here:
        yield Difference("indentation", lead, lead_here, line, column, start)
    yield from _in_body(body, body_here, line, start)
    if trail != trail_here:
        yield Difference("trailing", trail, trail_here, line, end - len(trail_here), end)


def _in_body(sent: str, here: str, line: int, column: int) -> Iterator[Difference]:
    """Word by word; of a long line only the part that differs, whole."""
    if sent == here:
        return
    if max(len(sent), len(here)) > _LONGEST_LINE:
        head, tail = _common(sent, here)
        one, other = sent[head : len(sent) - tail], here[head : len(here) - tail]
        yield _named(one, other, "", line, column + head)
        return
    old, new = tokens(sent), tokens(here)
    done = 0
    for low, high, start, end in _differing(old, new):
        column += sum(map(len, new[done:start]))
        done = start
        same = low > 0 and start > 0 and old[low - 1] == new[start - 1]
        yield from _parts_of(old[low:high], new[start:end], new[start - 1] if same else "", line, column)


def _parts_of(old: list[str], new: list[str], before: str, line: int, column: int) -> Iterator[Difference]:
    """A part of a line that differs: word for word if there are as many, else in one."""
    if len(old) == len(new):
        for one, other in zip(old, new, strict=True):
            yield _named(one, other, before, line, column)
            column, before = column + len(other), ""
    else:
        yield _named("".join(old), "".join(new), before, line, column)


def _named(sent: str, here: str, before: str, line: int, column: int) -> Difference:
    """The difference by its name; `before` is the word before it."""
    what = _what(sent, here)
    if what == "spacing":
        sent, here, column = before + sent, before + here, column - len(before)
    if what in {"look_alike", "exotic_space", "composition"}:
        head, tail = _common(sent, here)
        sent, here, column = sent[head : len(sent) - tail], here[head : len(here) - tail], column + head
        if len(sent) == len(here):
            sent, here = sent[0], here[0]
    return Difference(what, sent, here, line, column, column + len(here))


def _what(sent: str, here: str) -> str:
    if not sent.strip() and not here.strip():
        return "spacing" if (sent + here).isascii() else "exotic_space"
    for name, same in _SAME.items():
        if same(sent) == same(here):
            return name if name != "look_alike" else _look_alike(sent + here)
    return "word" if any(map(str.isalnum, sent + here)) else "marks"


def _look_alike(text: str) -> str:
    exotic = {PLAIN[char] for char in text if char in PLAIN}
    return "exotic_space" if exotic and exotic <= {" ", ""} else "look_alike" if exotic else "composition"


_SAME: dict[str, Callable[[str], str]] = {
    "case": str.lower,
    "look_alike": fold,
    "quotes": lambda text: text.replace("'", '"'),
    "escape": lambda text: text.replace("\\", ""),
    "spacing": lambda text: "".join(text.split()),
}
"""What two texts are the same but for."""


def _common(one: str, other: str) -> tuple[int, int]:
    """Lengths of the common beginning, and of the common end of the rest."""
    most = min(len(one), len(other))
    head = next((at for at in range(most) if one[at] != other[at]), most)
    tail = next((at for at in range(most - head) if one[-1 - at] != other[-1 - at]), most - head)
    return head, tail


def _squeezed(text: str) -> str:
    return "".join(text.split())
