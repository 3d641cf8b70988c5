"""Explain why a text was not found: one `Failure` for all tools.

The ladder is tried first. If it finds the text, its change is the correction; if it refuses, its places are shown; if
it has none, lines that share words with the text are. The index has the earlier versions of the file: nothing is read
here.

At each place, lines are paired, and paired lines are compared word by word. Each difference has the name that a reader
would give it: indentation, a curly quote, another case. A difference that many lines share is reported once.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import zip_longest

from suture.bounds import check_time
from suture.match import locate, locate_in_bases
from suture.match.index import MAX_LINES_OF_WORD, Found, Refused, Sides, Site
from suture.match.ladder import find_applied, old_lines_remain
from suture.match.normalize import (
    PLAIN,
    depth,
    fold,
    informative,
    lead,
    likeness,
    line_keys,
    parts,
    readings,
    solid_keys,
    split,
    tokens,
    trail,
    with_newlines,
)
from suture.match.placeholders import find_added
from suture.records import Record
from suture.shapes import DIFFERENCE_KINDS
from suture.text.edits import apply, edit, minimize
from suture.text.replace import adapt_endings, occurrences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from suture.match.index import Base, Index
    from suture.match.normalize import Request
    from suture.text.edits import Edit

    _Pair = tuple[int | None, int | None]
    _Ranges = tuple[int, int, int, int]
    _Span = tuple[int, int]


# What is reported: enough to choose a place, and no more
_MAX_PLACES = 5  # nearest places that are named
_FEW_PLACES = 3  # the same if one place fits; other places are shown only for texts of up to so many lines
_MAX_AMBIGUOUS_PLACES = 10  # equally good places that are compared
_MAX_DIFFERENCES = 40  # differences of one place
_MAX_BLOCK_LINES = 80  # lines of the longest block that is shown whole
_LINES_AROUND = 10  # lines shown before and after a place if its block is longer
_LONG_CORRECTION = 12  # lines from which on a correction has only the lines around the change
_CORRECTION_CONTEXT = 2  # lines before and after the change in such a correction
_MAX_CORRECTION_CONTEXT = 12  # attempts to make a correction unique by one more line on both sides
_MAX_CORRECTION_BYTES = 1_000_000  # bytes of old and new together

# What counts as similar: shares of equal characters, and numbers of letters and digits. They decide what a
# failure says, not where an edit lands
_LEAST_NEW_LETTERS = 2  # letters and digits of the shortest new text that is recognized in the file
_APPLIED_LETTERS = 12  # letters and digits of the shortest new text that proves that a change was applied
_LIKE_OLD = 0.6  # from this likeness on, old can have become new
_RUNNER_UP_LIKENESS = 0.85  # the least likeness of places shown beside the one that fits
_LEAST_LIKENESS = 0.4  # below this, a place is another text
_LIKENESS_WITHOUT_WORDS = 0.7  # from here on, no places are searched for by words
_LIKENESS_WITHOUT_CHARACTERS = 0.97  # from here on, none are searched for by characters
_LINES_ALIKE = 0.5  # from here on, one line is the other one, changed
_LEAST_LINE_PERCENT = 60  # the least likeness, in percent, of a file's line to the text's longest line

# What is compared: bounds on the time
_MAX_WORDS = 12  # words of the text that are searched for, the longest ones
_SHORTEST_WORD = 3  # letters and digits of the shortest such word
_MAX_SHARING_LINES = 40  # lines that share words with the text and are compared with it
_COMPARED_CHARACTERS = 50_000  # of texts that are compared by characters; longer ones are compared by lines
_MANY_FILE_LINES = 2_000  # lines of texts that are compared in order; of longer ones, equal lines are counted
_MAX_CELLS = 2_000_000  # characters of a piece times characters of a line in which its best part is searched for
_MAX_FILE_CELLS = 100_000_000  # the same for a line and a whole file
_FEW_LINES = 20_000  # lines of a file whose lines are all compared with the text's longest line
_MAX_DIAGNOSED_LINE_CHARS = 1_000  # characters of that line
_MAX_LINES = 400  # lines that are paired by content; longer texts are paired by line number
_MAX_LINE_CHARS = 2_000  # characters of a line that is compared word by word
_MAX_COMPARED_CELLS = 4_000_000_000  # products of characters when lines are paired by likeness: a fraction of a second

_DIFFERS_IN: dict[str, Callable[[str], str]] = {
    "case": str.lower,
    "look_alike": fold,
    "quotes": lambda text: text.replace("'", '"'),
    "escape": lambda text: text.replace("\\", ""),
    "spacing": lambda text: "".join(text.split()),
}
"""Two texts differ only in this if the function makes them equal."""


class Difference(Record):
    """One difference. `line`, `column` and `end` (1-based, end exclusive) are its first occurrence in the file."""

    what: str
    """One of `shapes.DIFFERENCE_KINDS`."""
    expected: str
    """As it was sent."""
    found: str
    """As the file has it."""
    line: int
    column: int = 1
    end: int = 1
    times: int = 1
    sent_line: int = 0
    """The number, in the text that was sent, of a line that the file lacks."""

    @property
    def kind(self) -> str:
        """Its type in the specification."""
        return DIFFERENCE_KINDS[self.what]


class Correction(Record):
    """A text that occurs once in the file, on whole lines, and what it becomes."""

    old: str
    new: str
    start_line: int
    end_line: int


class Place(Record):
    """Lines of the file that resemble the text."""

    start_line: int
    end_line: int
    score: float
    """The likeness of the two texts, from 0 to 1."""
    text: str
    differences: tuple[Difference, ...]


class Failure(Record):
    """Why a text was not found, and everything known about it. All tools that edit make their errors from this."""

    why: str
    """`empty`; `found` if the text occurs once in another form; else the reason of the search: see `Refused`."""
    rung: str | None = None
    places: tuple[Place, ...] = ()
    """The nearest places, best first."""
    correction: Correction | None = None
    sides: Sides | None = None
    detail: str = ""
    sites: tuple[Site, ...] = ()
    """All places that the search names: those that fit, or those that already have the new text."""
    base: Base | None = None
    """The version for which the text was written, if known."""
    stale: Site | None = None
    """The lines that are now at the place of the text in that version."""
    marker: str = ""
    """The line of the new text that stands for omitted text."""

    @property
    def applied(self) -> Site | None:
        """The lines that already have the new text."""
        return self.sites[0] if self.why == "applied" and self.sites else None


def diagnose(index: Index, old: str, new: str) -> Failure:
    """Find the nearest places and a correction for a text that is not in the file as sent."""
    if not old:
        return Failure("empty")
    answer = locate(index, old, new)
    comparison = _Comparison(index, old, readings(old, new))
    if isinstance(answer, Found):
        return _correctable_failure(index, old, new, answer, comparison)
    spans = (
        [*map(_lines, answer.sites[:_MAX_AMBIGUOUS_PLACES])] if len(index.lines) else []
    )  # an empty file has no lines to show
    why, sites = answer.why, answer.sites
    if why == "missing" and not answer.rung:
        spans = comparison.nearest(spans)
    is_explained = why in {"ambiguous", "applied", "elided"} or answer.base is not None
    applied_span = None if is_explained else _site_of_new(index, old, new)
    if applied_span is not None and (
        not spans or _overlap(applied_span, spans[0]) or comparison.score(spans[0]) < _LIKENESS_WITHOUT_CHARACTERS
    ):
        before, after = (solid_keys(split(text)) for text in (old, new))
        sites = (Site(*applied_span),)
        why = "partly_applied" if old_lines_remain(index, before, after, sites[0]) else "applied"
        spans = [applied_span]
    places = tuple(map(comparison.place, spans))
    stale = sites[0] if answer.base is not None and why in {"conflict", "deleted"} else None
    return Failure(why, answer.rung, places, None, answer.sides, answer.detail, sites, answer.base, stale)


def failure_of(index: Index, old: str, new: str, answer: Refused, match: str = "lenient") -> Failure:
    """Make a failure of a refusal.

    If `match` is stricter than "lenient", earlier versions are still consulted for what became of the text.
    """
    rebased = locate_in_bases(index, old, new) if answer.why == "missing" and match != "lenient" else None
    if isinstance(rebased, Refused) and rebased.why == "applied":
        answer, rebased = rebased, None
    base, stale = answer.base, None
    if rebased is not None:
        base, stale = rebased.base, next(iter(rebased.sites), None)
    sites = answer.sites[:_FEW_PLACES] if answer.why == "missing" else ()
    placeholder = find_added(old, new, index.name) if answer.why == "elided" else None
    return Failure(
        answer.why,
        answer.rung,
        tuple(_compare(index, old, site) for site in sites),
        sides=answer.sides,
        detail=answer.detail,
        sites=answer.sites,
        base=base,
        stale=stale,
        marker=placeholder.line if placeholder and placeholder.deletes else "",
    )


def evident_site(index: Index, old: str, new: str) -> Site | None:
    """The lines that have the new text, if it is long enough to be recognized and nothing of the old text is left."""
    answer = (
        find_applied(index, readings(old, new)[0], enough=_APPLIED_LETTERS) if is_evident(index, old, new) else None
    )
    return answer.sites[0] if answer is not None and answer.why == "applied" else None


def is_evident(index: Index, old: str, new: str) -> bool:
    """Whether the new text in the file can have come from the old one: it occurs once and resembles the old text."""
    once = isinstance(locate(index, new, new, match="whitespace", whole_lines=True), Found)
    before, after = ({line.strip() for line in text.split("\n") if informative(line)} for text in (old, new))
    return once and (not before.isdisjoint(after) or likeness(old, new) >= _LIKE_OLD)


def correction(index: Index, answer: Found, *, finished: bool = True) -> Correction | None:
    """The change that was found, as whole lines that occur only once; None if there are no such lines in UTF-8.

    Unless `finished`, the last line has no line ending if possible. A long place is cut to the lines around the
    change.
    """
    edits = sorted(answer.edits, key=lambda edit: edit.span.start)
    if not edits:
        return None
    lines = index.lines
    first, last = lines.at(edits[0].span.start), lines.at(max(edits[-1].span.start, edits[-1].span.end - 1))
    low, high = min(first, answer.site.start_line), max(last, answer.site.end_line)
    if high - low >= _LONG_CORRECTION:
        low, high = max(first - _CORRECTION_CONTEXT, low), min(last + _CORRECTION_CONTEXT, high)
    for _ in range(_MAX_CORRECTION_CONTEXT):
        start, end = lines.span(low)[0], lines.span(high)[1]
        part = _changed_part(index, edits, start, end)
        bare = None if finished else _changed_part(index, edits, start, end, lines.ending(high))
        if part is not None:
            return Correction(*(bare or part), low, high)
        low, high = max(low - 1, 1), min(high + 1, len(lines))
    return None


def differences(sent: Sequence[str], current: Sequence[str], line: int, column: int = 1) -> list[Difference]:
    """The differences between lines that were sent and lines of the file, which begin at `line`.

    `column` is where the first line begins, if it is part of a line.
    """
    before, after = ([*filter(None, map(_DIFFERS_IN["spacing"], lines))] for lines in (sent, current))
    if before != after and "".join(before) == "".join(after):
        expected, found = (f"{len(lines)} line{'s' * (len(lines) != 1)}" for lines in (sent, current))
        return [Difference("line_break", expected, found, line, 1, len(current[0]) + 1)]
    return _count_differences(_line_differences(sent, current, line, column))


def block(index: Index, start_line: int, end_line: int) -> tuple[int, int]:
    """The function, class or paragraph around some lines, counted from 1; a few lines around if it is too long."""
    first, last = start_line - 1, end_line - 1
    indent = min((depth(line) for line in index.window(first, last + 1) if line.strip()), default=0)
    top = first
    while top > 0 and first - top < _MAX_BLOCK_LINES and (indent or index.line(top - 1).strip()):
        top -= 1
        line = index.line(top)
        if line.strip() and depth(line) < indent:
            break
    header = depth(index.line(top))
    bottom = last
    while bottom + 1 < len(index.lines) and bottom - last < _MAX_BLOCK_LINES:
        line = index.line(bottom + 1)
        if line.strip() and depth(line) <= header:
            bottom += line.strip()[0] in ")]}"
            break
        bottom += 1
    if bottom - top >= _MAX_BLOCK_LINES:
        top, bottom = max(first - _LINES_AROUND, 0), min(last + _LINES_AROUND, len(index.lines) - 1)
    while bottom > last and not index.line(bottom).strip():
        bottom -= 1
    return top + 1, bottom + 1


def words_of(index: Index, text: str) -> tuple[list[tuple[str, int]], list[str]]:
    """The words of a text that are in the file, rarest first, each with its first line; and those that are not."""
    present, missing = [], []
    for word in _words(text):
        places = index.lines_with(word)
        if places:
            present.append((len(places), word, places[0] + 1))
        elif places is not None:
            missing.append(word)
    return [(word, line) for _, word, line in sorted(present)], missing


def _correctable_failure(index: Index, old: str, new: str, answer: Found, comparison: _Comparison) -> Failure:
    """The failure for a text that occurs once in another form."""
    fixed = correction(index, answer, finished=old.endswith(("\n", "\r")))
    nearest = comparison.nearest([]) if len(split(old)) <= _FEW_PLACES else []
    others = [span for span in nearest if comparison.score(span) >= _RUNNER_UP_LIKENESS]
    places = tuple(map(comparison.place, _without_overlaps([_lines(answer.site), *others])[:_FEW_PLACES]))
    why, detail = "found", ""
    if not minimize(index.body, answer.edits):
        window = index.window(answer.site.start_line - 1, answer.site.end_line)
        trails, wanted = ([trail(line) for line in lines if line.strip()] for lines in (window, split(new)))
        is_there = trails == wanted or old == new
        why, detail = ("applied", "") if is_there else ("unproved", "white_space")
    return Failure(why, answer.rung, places, fixed, detail=detail, sites=(answer.site,), base=answer.base)


def _site_of_new(index: Index, old: str, new: str) -> _Span | None:
    """The lines that have exactly the new text, if it is not part of the old one."""
    if informative(new) < _LEAST_NEW_LETTERS or new.strip() in old:
        return None
    hits = occurrences(index.body, new.encode("utf-8", "surrogatepass"))
    if len(hits) != 1:
        return None
    return _lines(index.site(*hits[0]))


def _compare(index: Index, old: str, site: Site) -> Place:
    """A place that the search names, with its differences and the search's own score."""
    lines = index.window(site.start_line - 1, site.end_line)
    differing = differences(split(old), lines, site.start_line)
    return Place(site.start_line, site.end_line, round(site.score, 3), "\n".join(lines), tuple(differing))


class _Comparison:
    """Compares a text that was not found with places that may be meant."""

    def __init__(self, index: Index, old: str, requests: Sequence[Request]) -> None:
        self._index = index
        self._old = old
        self._requests = requests
        self._text = "\n".join(split(old))
        self._scores: dict[_Span, float] = {}

    def nearest(self, spans: Sequence[_Span]) -> list[_Span]:
        """The places most like the text, best first. If none is close, places that share words with it are added."""
        places = [*spans]
        lines, last = len(split(self._old)), len(self._index.lines)
        few = self._old.count("\n") <= _MANY_FILE_LINES
        for close, more in (
            (_LIKENESS_WITHOUT_WORDS, _places_by_words),
            (_LIKENESS_WITHOUT_CHARACTERS, _places_by_line),
        ):
            if few and not any(self.score(span) >= close for span in places):
                places += [(begin + 1, min(begin + lines, last)) for begin in more(self._index, self._old)]
        best = sorted(dict.fromkeys(places), key=lambda span: -self.score(span))
        return _without_overlaps([span for span in best if self.score(span) >= _LEAST_LIKENESS])

    def place(self, span: _Span) -> Place:
        """A place with its differences."""
        start_line, _ = span
        request, column, compared = self._compared(span)
        undone = request.undone
        if len(request.old) == 1 and "spelled" in undone:  # no line break was meant: the escapes are the difference
            request, undone = self._requests[0], ()
        end = len(self._index.line(start_line - 1)) + 1
        differing = [
            *(Difference(name, *_undone_example(name, self._old), start_line, 1, end) for name in undone),
            *_line_ends(self._index, self._old, *span),
            *differences(request.old, compared, start_line, column),
        ]
        score = min(self.score(span), 0.999) if differing else self.score(span)
        return Place(*span, round(score, 3), "\n".join(self._window(span)), tuple(differing))

    def score(self, span: _Span) -> float:
        """The likeness of a place to the text, from 0 to 1."""
        if span not in self._scores:
            self._scores[span] = _similarity(self._text, "\n".join(self._compared(span)[2]))
        return self._scores[span]

    def _compared(self, span: _Span) -> tuple[Request, int, list[str]]:
        """The reading that fits a place best, and the part of the place that it is compared with."""
        current = self._window(span)
        request = _best_reading(self._requests, current)
        if self._old.endswith(("\n", "\r")):
            return request, 1, current
        return request, *_best_part(request.old, current)

    def _window(self, span: _Span) -> list[str]:
        return self._index.window(span[0] - 1, span[1])


def _places_by_words(index: Index, old: str) -> list[int]:
    """Lines at which places that share words with the text may begin, the most and rarest words first."""
    lines = split(old)
    votes: dict[int, float] = {}
    for word in _words(old):
        offset = next((at for at, line in enumerate(lines) if word in line), 0)
        places = index.lines_with(word) or []
        for place in places:
            begin = max(place - offset, 0)
            votes[begin] = votes.get(begin, 0.0) + len(word) / len(places)
    return sorted(votes, key=lambda begin: (-votes[begin], begin))[
        : _MAX_SHARING_LINES if len(lines) > 1 else MAX_LINES_OF_WORD
    ]


def _places_by_line(index: Index, old: str) -> list[int]:
    """Lines at which places may begin, by the likeness of the text's longest line to the lines of a short file."""
    from rapidfuzz.fuzz import partial_ratio, ratio
    from rapidfuzz.process import extract

    lines = split(old)
    if not old.strip() or len(index.solid) > _FEW_LINES:
        return []
    offset = max(range(len(lines)), key=lambda number: len(lines[number].strip()))
    longest = lines[offset].strip()
    if len(longest) > _MAX_DIAGNOSED_LINE_CHARS or len(longest) * len(index.body) > _MAX_FILE_CELLS:
        return []
    choices = {number: index.line(number).strip()[:_MAX_DIAGNOSED_LINE_CHARS] for number in index.solid}
    scorer = ratio if len(lines) > 1 else partial_ratio
    alike = extract(longest, choices, scorer=scorer, score_cutoff=_LEAST_LINE_PERCENT, limit=3)
    return [max(number - offset, 0) for _, _, number in alike]


def _words(text: str) -> list[str]:
    """The longest words of a text, longest first."""
    words = [word for word in dict.fromkeys(re.findall(r"\w+", text)) if informative(word) >= _SHORTEST_WORD]
    return sorted(words, key=len, reverse=True)[:_MAX_WORDS]


def _lines(site: Site) -> _Span:
    return site.start_line, site.end_line


def _overlap(one: _Span, other: _Span) -> bool:
    return one[0] <= other[1] and other[0] <= one[1]


def _without_overlaps(spans: Sequence[_Span]) -> list[_Span]:
    """The first places without those that overlap an earlier one."""
    result: list[_Span] = []
    for span in spans:
        if not any(_overlap(span, other) for other in result):
            result.append(span)
    return result[:_MAX_PLACES]


def _best_reading(requests: Sequence[Request], current: Sequence[str]) -> Request:
    if len(requests) == 1:
        return requests[0]
    keys, lines = {*solid_keys(current)}, {*current}
    shared = [
        (
            sum(key in keys for key in line_keys(request.old)),
            -len(request.old),
            sum(line in lines for line in request.old),
        )
        for request in requests
    ]
    if any(number for number, _, _ in shared):
        return requests[shared.index(max(shared))]
    likest = [_similarity("\n".join(request.old), "\n".join(current)) for request in requests]
    return requests[likest.index(max(likest))]


def _undone_example(name: str, old: str) -> tuple[str, str]:
    """An example of what a reading undoes: as it was sent, and as the file has it."""
    first = next((line for line in split(old) if line.strip()), "")
    if name == "numbers":
        example = re.search(r"^[ \t]*[\[(L]?\d+[\])]?[^\w\s]?[ \t]?", old, re.MULTILINE)
        return (example[0] if example else first), ""
    if name == "entities":
        example = re.search(r"&#?\w+;", old)
        return (example[0] if example else ""), ""
    return (first.strip(), "") if name == "fence" else ("\\n", "\n")


def _line_ends(index: Index, old: str, start_line: int, end_line: int) -> Iterator[Difference]:
    r"""Differences in line endings; `\n` fits any line ending."""
    if "\r" not in old:
        last = len(index.lines)
        if old.endswith("\n") and end_line == last and not index.lines.finished:
            end = len(index.line(last - 1)) + 1
            yield Difference("line_end", "\n", "", last, end, end)
        return
    sent = "\r\n" if "\r\n" in old else "\r"
    ending = index.lines.ending(start_line).decode()
    if ending and ending != sent:
        end = len(index.line(start_line - 1)) + 1
        yield Difference("line_end", sent, ending, start_line, end, end)


def _best_part(sent: Sequence[str], current: Sequence[str]) -> tuple[int, list[str]]:
    """The part of a line that is most like a piece of a line, and the column where it begins."""
    if len(sent) != 1 or len(current) != 1 or not sent[0].strip():
        return 1, list(current)
    from rapidfuzz.fuzz import partial_ratio_alignment

    line, indented = current[0], bool(lead(sent[0]))
    start, end = 0 if indented else depth(line), len(line)
    if len(sent[0]) < len(line) - start and len(sent[0]) * len(line) <= _MAX_CELLS:
        alignment = partial_ratio_alignment(sent[0].strip(), line)
        assert alignment is not None  # noqa: S101  there is always a best part
        begin, end = _whole_words(line, alignment.dest_start, alignment.dest_end)
        piece = sent[0].strip()
        begin -= begin > 0 and piece[0] != line[begin : begin + 1] and fold(line[begin - 1]) == fold(piece[0])
        end += end < len(line) and piece[-1] != line[end - 1 : end] and fold(line[end]) == fold(piece[-1])
        if _similarity(piece, line[begin:end]) <= _similarity(piece, line.strip()):
            end = len(line)
        else:
            start = 0 if indented and not line[:begin].strip() else begin
    return start + 1, [line[start:end]]


def _whole_words(line: str, start: int, end: int) -> tuple[int, int]:
    """A part of a line, without whitespace around it, extended to whole words."""
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
    """The likeness of two texts, from 0 to 1."""
    from rapidfuzz.distance import Indel

    check_time()
    if max(len(one), len(other)) <= _COMPARED_CHARACTERS:
        return Indel.normalized_similarity(one, other)
    sent, current = one.split("\n"), other.split("\n")
    if max(len(sent), len(current)) <= _MANY_FILE_LINES:
        return Indel.normalized_similarity(sent, current)
    return 2 * (Counter(sent) & Counter(current)).total() / (len(sent) + len(current))


def _changed_part(
    index: Index, edits: Sequence[Edit], start: int, end: int, ending: bytes = b""
) -> tuple[str, str] | None:
    """A part of the file without its ending, and what it becomes; None if it also occurs elsewhere or isn't UTF-8."""
    before = index.body[start:end]
    after = apply(
        before, [edit(original.span.start - start, original.span.end - start, original.new) for original in edits]
    )
    if not after.endswith(ending):
        return None
    end -= len(ending)
    before, after = before.removesuffix(ending), after.removesuffix(ending)
    if len(before) + len(after) > _MAX_CORRECTION_BYTES:
        return None
    try:
        old, new = (part.decode() for part in (before, after))
    except UnicodeDecodeError:
        return None
    for one, other in ((with_newlines(old), with_newlines(new)), (old, new)):
        if adapt_endings(index.body, start, end, other.encode()) == after:
            return (one, other) if occurrences(index.body, one.encode()) == [(start, end)] else None
    return None


def _count_differences(every_difference: Iterable[Difference]) -> list[Difference]:
    """Each difference once, with how often it occurs."""
    counted: dict[tuple[str, str, str], Difference] = {}
    for difference in every_difference:
        key = difference.what, difference.expected, difference.found
        counted[key] = counted[key].evolve(times=counted[key].times + 1) if key in counted else difference
    return list(counted.values())[:_MAX_DIFFERENCES]


def _line_differences(sent: Sequence[str], current: Sequence[str], line: int, column: int) -> Iterator[Difference]:
    last = line
    for number, place in _pairs(sent, current):
        if place is None:
            assert number is not None  # noqa: S101  one of the two is
            what, expected = ("missing_line", sent[number]) if sent[number].strip() else ("blank_line", "\n")
            yield Difference(what, expected, "", last, 1, 1, sent_line=number + 1)
        else:
            actual, last = current[place], line + place
            begin = 1 if place else column
            if number is None:
                what, found = ("extra_line", actual) if actual.strip() else ("blank_line", "\n")
                yield Difference(what, "", found, last, begin, begin + len(actual))
            else:
                yield from _differences_in_line(sent[number], actual, last, begin)


def _pairs(sent: Sequence[str], current: Sequence[str]) -> Iterator[_Pair]:
    """Pairs of a sent line and the file's line to compare it with; None if there is none."""
    if max(len(sent), len(current)) > _MAX_LINES:
        yield from zip_longest(range(len(sent)), range(len(current)))
        return
    done = place = 0
    for low, high, start, end in _changed_ranges(line_keys(sent), line_keys(current)):
        yield from zip(range(done, low), range(place, start), strict=True)
        yield from _pairs_in_gap(sent, current, range(low, high), range(start, end))
        done, place = high, end
    yield from zip(range(done, len(sent)), range(place, len(current)), strict=True)


def _changed_ranges(one: Sequence[str] | Sequence[bytes], other: Sequence[str] | Sequence[bytes]) -> list[_Ranges]:
    """The ranges in which two sequences differ.

    Rejected: difflib, which takes minutes if a few words occur a thousand times.
    """
    from rapidfuzz.distance import Indel

    ranges: list[_Ranges] = []
    for step in Indel.opcodes(one, other):
        if step.tag == "equal":
            continue
        low, start = step.src_start, step.dest_start
        if ranges and (ranges[-1][1], ranges[-1][3]) == (low, start):
            low, _, start, _ = ranges.pop()
        ranges.append((low, step.src_end, start, step.dest_end))
    return ranges


def _pairs_in_gap(sent: Sequence[str], current: Sequence[str], numbers: range, places: range) -> Iterator[_Pair]:
    """Pair lines that are alike, in order, and leave the others unpaired. Too much text is paired by line number."""
    if (
        sum(len(sent[number]) for number in numbers) * sum(len(current[place]) for place in places)
        > _MAX_COMPARED_CELLS
    ):
        yield from zip_longest(numbers, places)
        return
    free = places.start
    for number in numbers:
        alike = {place: _likeness(sent[number], current[place]) for place in range(free, places.stop)}
        best = max(alike, key=alike.__getitem__, default=None)
        if best is None or alike[best] < _LINES_ALIKE:
            yield number, None
            continue
        yield from ((None, place) for place in range(free, best))
        yield number, best
        free = best + 1
    yield from ((None, place) for place in range(free, places.stop))


def _likeness(one: str, other: str) -> float:
    """The likeness of two lines; long ones are compared at both ends only. A blank line is like no solid line."""
    if bool(one.strip()) != bool(other.strip()):
        return 0.0
    longest = max(len(one), len(other))
    return (
        likeness(one, other) if longest <= _MAX_LINE_CHARS else sum(_common_ends(one.strip(), other.strip())) / longest
    )


def _differences_in_line(sent: str, actual: str, line: int, column: int) -> Iterator[Difference]:
    (lead, body, trail), (lead_here, body_here, trail_here) = parts(sent), parts(actual)
    start, end = column + len(lead_here), column + len(actual)
    if lead != lead_here:
        yield Difference("indentation", lead, lead_here, line, column, start)
    yield from _differences_in_body(body, body_here, line, start)
    if trail != trail_here:
        yield Difference("trailing", trail, trail_here, line, end - len(trail_here), end)


def _differences_in_body(sent: str, actual: str, line: int, column: int) -> Iterator[Difference]:
    """Compare word by word; in a long line, the part that differs is one difference."""
    if sent == actual:
        return
    if max(len(sent), len(actual)) > _MAX_LINE_CHARS:
        head, tail = _common_ends(sent, actual)
        one, other = sent[head : len(sent) - tail], actual[head : len(actual) - tail]
        yield _classify(one, other, "", line, column + head)
        return
    old, new = tokens(sent), tokens(actual)
    done = 0
    for low, high, start, end in _changed_ranges(old, new):
        column += sum(map(len, new[done:start]))
        done = start
        same = low > 0 and start > 0 and old[low - 1] == new[start - 1]
        yield from _differences_in_part(old[low:high], new[start:end], new[start - 1] if same else "", line, column)


def _differences_in_part(old: list[str], new: list[str], before: str, line: int, column: int) -> Iterator[Difference]:
    """The differences in a part of a line: one per word if both sides have as many, else a single one."""
    if len(old) == len(new):
        for one, other in zip(old, new, strict=True):
            yield _classify(one, other, before, line, column)
            column, before = column + len(other), ""
    else:
        yield _classify("".join(old), "".join(new), before, line, column)


def _classify(sent: str, actual: str, before: str, line: int, column: int) -> Difference:
    """Classify a difference; `before` is the word before it."""
    what = _kind_of(sent, actual)
    if what == "spacing":
        sent, actual, column = before + sent, before + actual, column - len(before)
    if what in {"look_alike", "exotic_space", "composition"}:
        head, tail = _common_ends(sent, actual)
        sent, actual, column = sent[head : len(sent) - tail], actual[head : len(actual) - tail], column + head
        if len(sent) == len(actual):
            sent, actual = sent[0], actual[0]
    return Difference(what, sent, actual, line, column, column + len(actual))


def _kind_of(sent: str, actual: str) -> str:
    if not sent.strip() and not actual.strip():
        return "spacing" if (sent + actual).isascii() else "exotic_space"
    for name, same in _DIFFERS_IN.items():
        if same(sent) == same(actual):
            return name if name != "look_alike" else _look_alike(sent + actual)
    return "word" if any(map(str.isalnum, sent + actual)) else "marks"


def _look_alike(text: str) -> str:
    exotic = {PLAIN[char] for char in text if char in PLAIN}
    return "exotic_space" if exotic and exotic <= {" ", ""} else "look_alike" if exotic else "composition"


def _common_ends(one: str, other: str) -> tuple[int, int]:
    """The lengths of the common prefix, and of the common suffix of the rest."""
    most = min(len(one), len(other))
    head = next((at for at in range(most) if one[at] != other[at]), most)
    tail = next((at for at in range(most - head) if one[-1 - at] != other[-1 - at]), most - head)
    return head, tail
