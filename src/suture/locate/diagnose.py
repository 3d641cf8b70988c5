"""Why a text does not stand in a file: the places most like it, what differs there, and the edit that would land.

The ladder is asked first. What it would do is the correction; where it refuses, its places are shown; where it has
none, lines that share words with the text are.
"""

from __future__ import annotations

import re
from collections import Counter

from suture.bounds import check_time
from suture.edits import minimize
from suture.locate import locate
from suture.locate.correction import Correction, correction
from suture.locate.differences import Difference, differences
from suture.locate.fold import fold, line_keys, solid_keys
from suture.locate.found import Found, Sides, Site
from suture.locate.index import RARE
from suture.locate.request import readings, split
from suture.locate.settle import remains
from suture.locate.words import informative, lead, trail
from suture.occurrences import occurrences
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suture.locate.found import Base
    from suture.locate.index import Index
    from suture.locate.request import Request

    _Span = tuple[int, int]

_MOST_PLACES = 5
_FEW = 3
_TELLING = 2  # letters and digits of a text that is known when it is seen
_AMBIGUOUS = 10
_NEAR = 0.85  # of the characters, of places beside the one that fits
_SIMILAR = 0.4  # of the characters; less is another text
_CLOSE = 0.7  # enough not to look for more by words,
_SURE = 0.97  # or by letters
_WORDS = 12  # of a text that are looked for,
_SHORTEST = 3  # each with so many letters,
_LINES = 40  # that share words and are compared
_COMPARED = 50_000  # characters that are compared one by one
_CELLS = 2_000_000  # of two texts, one of which may be a part of the other
_ALL_CELLS = 100_000_000  # of a line and a file
_MANY_LINES = 2_000  # of a text that are compared in order
_FEW_LINES = 20_000  # of a file each line of which is compared,
_LONGEST_LINE = 1_000  # with so many characters,
_CUTOFF = 60  # and is alike, in percent
_BLOCK = 80  # lines of a block that is shown whole
_AROUND = 10  # lines around a place that is in no block


class Place(Record):
    """Lines of the file that are like the text."""

    start_line: int
    end_line: int
    score: float
    """How much of the two texts is the same, from 0 to 1."""
    text: str
    differences: tuple[Difference, ...]


class Diagnosis(Record):
    """What is known about a text that doesn't stand in the file as it was sent."""

    why: str
    """`found` if it stands in one place but for its manner; else why the ladder refuses it: see `Refused`."""
    rung: str | None
    places: tuple[Place, ...]
    """The nearest, the best first."""
    correction: Correction | None = None
    sides: Sides | None = None
    detail: str = ""
    count: int = 0
    """How many places fit equally."""
    base: Base | None = None
    """The version that the text was written on, if it is known."""


def diagnose(index: Index, old: str, new: str) -> Diagnosis:
    """Look for a text that is not there."""
    answer = locate(index, old, new)
    sought = _Sought(index, old, readings(old, new))
    if isinstance(answer, Found):
        fixed = correction(index, answer, finished=old.endswith(("\n", "\r")))
        place = _lines(answer.site)
        others = [
            each for each in (sought.nearest([]) if len(split(old)) <= _FEW else []) if sought.score(each) >= _NEAR
        ]
        places = tuple(map(sought.place, _apart([place, *others])[:_FEW]))
        why, detail = "found", ""
        if not minimize(index.body, answer.edits):
            window = index.window(answer.site.start_line - 1, answer.site.end_line)
            here, wanted = ([trail(line) for line in lines if line.strip()] for lines in (window, split(new)))
            is_there = here == wanted or old == new
            why, detail = ("applied", "") if is_there else ("unproved", "white_space")
        return Diagnosis(why, answer.rung, places, fixed, detail=detail, count=1, base=answer.base)
    spans = [*map(_lines, answer.sites[:_AMBIGUOUS])]
    why = answer.why
    if why == "missing" and not answer.rung:
        spans = sought.nearest(spans)
    known = why in {"ambiguous", "applied", "elided"} or answer.base is not None
    there = None if known else _standing(index, old, new)
    if there is not None and (not spans or _over(there, spans[0]) or sought.score(spans[0]) < _SURE):
        before, after = (solid_keys(split(text)) for text in (old, new))
        why = "partly_applied" if remains(index, before, after, Site(*there)) else "applied"
        spans = [there]
    places = tuple(map(sought.place, spans))
    return Diagnosis(why, answer.rung, places, None, answer.sides, answer.detail, len(answer.sites), answer.base)


def block(index: Index, start_line: int, end_line: int) -> tuple[int, int]:
    """The function, class or paragraph around some lines, counted from 1; if that is too long, a few lines around."""
    first, last = start_line - 1, end_line - 1
    depth = min((len(lead(line)) for line in index.window(first, last + 1) if line.strip()), default=0)
    top = first
    while top > 0 and first - top < _BLOCK and (depth or index.line(top - 1).strip()):
        top -= 1
        line = index.line(top)
        if line.strip() and len(lead(line)) < depth:
            break
    header = len(lead(index.line(top)))
    bottom = last
    while bottom + 1 < len(index.lines) and bottom - last < _BLOCK:
        line = index.line(bottom + 1)
        if line.strip() and len(lead(line)) <= header:
            bottom += line.strip()[0] in ")]}"
            break
        bottom += 1
    if bottom - top >= _BLOCK:
        top, bottom = max(first - _AROUND, 0), min(last + _AROUND, len(index.lines) - 1)
    while bottom > last and not index.line(bottom).strip():
        bottom -= 1
    return top + 1, bottom + 1


def words_of(index: Index, text: str) -> tuple[list[tuple[str, int]], list[str]]:
    """The words of a text that stand in the file, each with its first line, the rarest first; and those that don't."""
    there, missing = [], []
    for word in _words(text):
        places = index.lines_with(word)
        if places:
            there.append((len(places), word, places[0] + 1))
        elif places is not None:
            missing.append(word)
    return [(word, line) for _, word, line in sorted(there)], missing


def _lines(site: Site) -> _Span:
    return site.start_line, site.end_line


class _Sought:
    """A text that is not there, compared with places where it might be meant."""

    def __init__(self, index: Index, old: str, requests: Sequence[Request]) -> None:
        self._index = index
        self._old = old
        self._requests = requests
        self._text = "\n".join(split(old))
        self._scores: dict[_Span, float] = {}

    def nearest(self, spans: Sequence[_Span]) -> list[_Span]:
        """The places most like the text, the best first; those that share words with it join in if none is close."""
        found = [*spans]
        few = self._old.count("\n") <= _MANY_LINES
        for close, more in ((_CLOSE, _sharing_words), (_SURE, _alike)):
            if few and not any(self.score(each) >= close for each in found):
                found += more(self._index, self._old)
        best = sorted(dict.fromkeys(found), key=lambda each: -self.score(each))
        return _apart([each for each in best if self.score(each) >= _SIMILAR])

    def place(self, span: _Span) -> Place:
        """A place, with all that differs there."""
        start_line, _ = span
        request, column, compared = self._compared(span)
        undone = request.undone
        if len(request.old) == 1 and "spelled" in undone:  # no line break was meant: what differs are the escapes
            request, undone = self._requests[0], ()
        end = len(self._index.line(start_line - 1)) + 1
        differing = [
            *(Difference(name, *_undone(name, self._old), start_line, 1, end) for name in undone),
            *_line_ends(self._index, self._old, *span),
            *differences(request.old, compared, start_line, column),
        ]
        score = min(self.score(span), 0.999) if differing else self.score(span)
        return Place(*span, round(score, 3), "\n".join(self._stands(span)), tuple(differing))

    def score(self, span: _Span) -> float:
        """How much of the text stands there, from 0 to 1."""
        if span not in self._scores:
            self._scores[span] = _similarity(self._text, "\n".join(self._compared(span)[2]))
        return self._scores[span]

    def _compared(self, span: _Span) -> tuple[Request, int, list[str]]:
        """The reading of the text that fits a place best, and the part of the place that it is compared with."""
        stands = self._stands(span)
        request = _best_reading(self._requests, stands)
        if self._old.endswith(("\n", "\r")):
            return request, 1, stands
        return request, *_part(request.old, stands)

    def _stands(self, span: _Span) -> list[str]:
        return self._index.window(span[0] - 1, span[1])


def _over(one: _Span, other: _Span) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _standing(index: Index, old: str, new: str) -> _Span | None:
    """Where the new text stands as it is, if it says something that the old one doesn't."""
    if informative(new) < _TELLING or new.strip() in old:
        return None
    hits = occurrences(index.body, new.encode("utf-8", "surrogatepass"))
    if len(hits) != 1:
        return None
    ((start, end),) = hits
    return index.lines.at(start), index.lines.at(max(start, end - 1))


def _apart(spans: Sequence[_Span]) -> list[_Span]:
    """The first places, none of which lies over an earlier one."""
    found: list[_Span] = []
    for start, end in spans:
        if not any(_over((start, end), other) for other in found):
            found.append((start, end))
    return found[:_MOST_PLACES]


def _best_reading(requests: Sequence[Request], stands: Sequence[str]) -> Request:
    if len(requests) == 1:
        return requests[0]
    keys, lines = {*solid_keys(stands)}, {*stands}
    shared = [
        (sum(key in keys for key in line_keys(each.old)), -len(each.old), sum(line in lines for line in each.old))
        for each in requests
    ]
    if any(number for number, _, _ in shared):
        return requests[shared.index(max(shared))]
    likest = [_similarity("\n".join(request.old), "\n".join(stands)) for request in requests]
    return requests[likest.index(max(likest))]


def _undone(name: str, old: str) -> tuple[str, str]:
    """What stands for a manner of writing in the text that was sent, and in the file."""
    first = next((line for line in split(old) if line.strip()), "")
    if name == "numbers":
        found = re.search(r"^[ \t]*[\[(L]?\d+[\])]?[^\w\s]?[ \t]?", old, re.MULTILINE)
        return (found[0] if found else first), ""
    if name == "entities":
        found = re.search(r"&#?\w+;", old)
        return (found[0] if found else ""), ""
    return (first.strip(), "") if name == "fence" else ("\\n", "\n")


def _line_ends(index: Index, old: str, start_line: int, end_line: int) -> Iterator[Difference]:
    """Line ends that were sent and are not the file's; those of Unix stand for any."""
    if "\r" not in old:
        last = len(index.lines)
        if old.endswith("\n") and end_line == last and not index.lines.finished:
            end = len(index.line(last - 1)) + 1
            yield Difference("line_end", "\n", "", last, end, end)
        return
    sent = "\r\n" if "\r\n" in old else "\r"
    here = index.lines.ending(start_line).decode()
    if here and here != sent:
        end = len(index.line(start_line - 1)) + 1
        yield Difference("line_end", sent, here, start_line, end, end)


def _part(sent: Sequence[str], stands: Sequence[str]) -> tuple[int, list[str]]:
    """The part of a line that a piece of a line is most like, and the column where it begins."""
    if len(sent) != 1 or len(stands) != 1 or not sent[0].strip():
        return 1, list(stands)
    from rapidfuzz.fuzz import partial_ratio_alignment

    line, indented = stands[0], bool(lead(sent[0]))
    start, end = 0 if indented else len(lead(line)), len(line)
    if len(sent[0]) < len(line) - start and len(sent[0]) * len(line) <= _CELLS:
        found = partial_ratio_alignment(sent[0].strip(), line)
        assert found is not None  # noqa: S101  there is always a best part
        begin, end = _whole_words(line, found.dest_start, found.dest_end)
        one = sent[0].strip()
        begin -= begin > 0 and one[0] != line[begin] and fold(line[begin - 1]) == fold(one[0])
        end += end < len(line) and one[-1] != line[end - 1] and fold(line[end]) == fold(one[-1])
        if _similarity(one, line[begin:end]) <= _similarity(one, line.strip()):
            end = len(line)
        else:
            start = 0 if indented and not line[:begin].strip() else begin
    return start + 1, [line[start:end]]


def _whole_words(line: str, start: int, end: int) -> tuple[int, int]:
    """A part of a line, without its outer space, with the words that it cuts."""
    while start < end and line[start].isspace():
        start += 1
    while start < end and line[end - 1].isspace():
        end -= 1
    while start > 0 and line[start - 1].isalnum() and line[start : start + 1].isalnum():
        start -= 1
    while end < len(line) and line[end].isalnum() and line[end - 1 : end].isalnum():
        end += 1
    return start, end


def _similarity(one: str, other: str) -> float:
    """How much of two texts is the same, from 0 to 1."""
    from rapidfuzz.distance import Indel

    check_time()
    if max(len(one), len(other)) <= _COMPARED:
        return Indel.normalized_similarity(one, other)
    sent, stands = one.split("\n"), other.split("\n")
    if max(len(sent), len(stands)) <= _MANY_LINES:
        return Indel.normalized_similarity(sent, stands)
    return 2 * (Counter(sent) & Counter(stands)).total() / (len(sent) + len(stands))


def _sharing_words(index: Index, old: str) -> list[tuple[int, int]]:
    """Lines that share words with the text, as long as it is, those with the most and rarest words first."""
    lines = split(old)
    votes: dict[int, float] = {}
    for word in _words(old):
        offset = next((at for at, line in enumerate(lines) if word in line), 0)
        places = index.lines_with(word) or []
        for place in places:
            begin = max(place - offset, 0)
            votes[begin] = votes.get(begin, 0.0) + len(word) / len(places)
    best = sorted(votes, key=lambda each: (-votes[each], each))[: _LINES if len(lines) > 1 else RARE]
    last = len(index.lines)
    return [(begin + 1, min(begin + len(lines), last)) for begin in best]


def _alike(index: Index, old: str) -> list[tuple[int, int]]:
    """Places by the likeness of one line, the longest, to lines of a file that is not too long."""
    from rapidfuzz.fuzz import partial_ratio, ratio
    from rapidfuzz.process import extract

    lines = split(old)
    if not old.strip() or len(index.solid) > _FEW_LINES:
        return []
    offset = max(range(len(lines)), key=lambda number: len(lines[number].strip()))
    longest = lines[offset].strip()
    if len(longest) > _LONGEST_LINE or len(longest) * len(index.body) > _ALL_CELLS:
        return []
    choices = {number: index.line(number).strip()[:_LONGEST_LINE] for number in index.solid}
    scorer = ratio if len(lines) > 1 else partial_ratio
    found = extract(longest, choices, scorer=scorer, score_cutoff=_CUTOFF, limit=3)
    begins = [max(number - offset, 0) for _, _, number in found]
    return [(begin + 1, min(begin + len(lines), len(index.lines))) for begin in begins]


def _words(text: str) -> list[str]:
    """The words of a text, the longest first."""
    found = [word for word in dict.fromkeys(re.findall(r"\w+", text)) if informative(word) >= _SHORTEST]
    return sorted(found, key=len, reverse=True)[:_WORDS]
