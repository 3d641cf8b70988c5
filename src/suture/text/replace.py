r"""Sequential exact replacements, as edits of the original. New text gets the file's line endings.

Lines end as in `Lines`: at `\n` or `\r\n`, and at a lone `\r` only if there is no `\n` at all. A text that contains
`\r` is literal, both as old and as new text.

A byte that a step inserted maps to the first byte that it replaced in the original. The steps so far are kept as a few
lists of pieces, each composed of many steps, so that an offset is mapped back through few lists.

Many steps are made at once: one Aho-Corasick pass finds the places of all steps, and the steps then run in turn in a
small window around each place. This is exact as long as no change comes so close to the border of its window that a
text could reach across it. If one does, or if there are too many places, the steps run in turn on the whole text.
Rejected: always running them in turn, because thousands of steps would each pass over the whole file.
"""

from __future__ import annotations

import sys
from heapq import heappop, heappush
from itertools import islice, pairwise
from operator import itemgetter

from suture.bounds import check_time, timed
from suture.records import Record
from suture.text import newline_at
from suture.text.edits import Pieces, edit, minimize

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from suture.text.edits import Edit, Piece

_MAX_LINES_COMPARED = 1_000  # lines of a text with mixed endings that are aligned; in longer ones, line n is line n

Hit = tuple[int, int, int]
"""The number of a text, and the start and end of one occurrence."""

_CHUNK_SIZE = 1 << 16  # bytes that are searched in one call: bounds the memory for its hits
_MAX_OLD_BYTES = 100_000  # bytes of a text that is searched for together with others: windows are several times as wide
_MAX_ENDS_AT_ONE_PLACE = 4  # texts that may end at one place: with more, few bytes could have very many hits

# Measured: with so many steps, and so many bytes for each expected place, one pass is faster
_MANY_STEPS = 8
_BYTES_PER_PLACE = 1 << 18

MAX_HITS = 20_000
"""Places beyond the expected number that are reported: bounds the memory."""


class Cluster(Record):
    """Hits from `start` to `end`, the numbers of their texts, and the window from `begin` to `stop` around them."""

    begin: int
    start: int
    end: int
    stop: int
    numbers: list[int]


class Step(Record):
    """Replaces all occurrences of `old` by `new`; there must be `count` of them."""

    old: bytes
    new: bytes
    count: int = 1


class Outcome(Record):
    """What the steps, up to the first one that `failed`, do to the original.

    `places` are the offsets in the original at which each completed step found its text. If a step failed, `body` is
    the text that it searched, `hits` are the spans that it found (the first ones if there are very many), and `origin`
    maps an offset of `body` to the original.
    """

    edits: tuple[Edit, ...]
    places: tuple[tuple[int, ...], ...]
    failed: int | None = None
    body: bytes = b""
    hits: tuple[tuple[int, int], ...] = ()
    origin: Callable[[int], int] = int


def occurrences(body: bytes, old: bytes, most: int = sys.maxsize) -> list[tuple[int, int]]:
    r"""All spans of `old` in `body`, left to right, without overlap; none begins or ends inside a `\r\n`.

    At most `most` are searched for.
    """
    if b"\r" in old:
        return literal_spans(body, old, most) if b"\n" not in body else _spans_outside_crlf(body, old, most)
    if b"\n" not in old or b"\r" not in body:
        return literal_spans(body, old, most)
    if b"\n" not in body:
        return literal_spans(body, old.replace(b"\n", b"\r"), most)
    pairs = body.count(b"\r\n")
    if not pairs:
        return literal_spans(body, old, most)
    if pairs == body.count(b"\n"):
        return literal_spans(body, old.replace(b"\n", b"\r\n"), most)
    import re

    pattern = rb"\r?\n".join(map(re.escape, old.split(b"\n"))).removeprefix(rb"\r?")  # a known first byte is fast
    spans = [match.span() for match in islice(re.finditer(pattern, body), most)]
    return [(start - _is_inside_crlf(body, start), end) for start, end in spans]


def count_occurrences(body: bytes, old: bytes, spans: Sequence[tuple[int, int]]) -> int:
    """The number of occurrences, of which `spans` are the first."""
    if not spans:
        return 0
    start, end = spans[-1]
    if b"\n" in body and (b"\r" in old or (b"\n" in old and body.count(b"\r\n") not in {0, body.count(b"\n")})):
        return len(occurrences(body, old))  # their bytes differ, or some of them would split a line ending
    return len(spans) + body.count(body[start:end], end)


def literal_spans(body: bytes, old: bytes, most: int = sys.maxsize) -> list[tuple[int, int]]:
    """All spans of exactly these bytes, left to right, without overlap."""
    spans: list[tuple[int, int]] = []
    size = len(old)
    start = body.find(old) if size else -1
    while start >= 0 and len(spans) < most:
        end = start + size
        spans.append((start, end))
        start = body.find(old, end)
    return spans


def adapt_endings(body: bytes, start: int, end: int, new: bytes) -> bytes:
    """`new` with the line endings that belong at this span."""
    if b"\n" not in new or b"\r" in new:
        return new
    old = body[start:end]
    if 0 < old.count(b"\r\n") < old.count(b"\n"):
        return _endings_by_line(old, new)
    return new.replace(b"\n", newline_at(body, start))


def apply_steps(body: bytes, steps: Sequence[Step]) -> Outcome:
    """Apply steps in turn, up to the first one whose number of places is not its `count`.

    An empty `old` occurs once in an empty text, and nowhere else.
    """
    outcome = _apply_only_step(body, steps[0]) if len(steps) == 1 else None
    if len(steps) >= _MANY_STEPS and sum(step.count for step in steps) * _BYTES_PER_PLACE <= len(steps) * len(body):
        outcome = apply_at_once(body, steps)
    return outcome or apply_in_turn(body, steps)


def apply_in_turn(body: bytes, steps: Iterable[Step]) -> Outcome:
    """Apply the steps one after the other, each to the whole text."""
    text, trail, default_ending = body, _Trail(len(body)), newline_at(body, 0)
    places: list[tuple[int, ...]] = []
    for step in steps:
        check_time()
        spans = _find_step(text, step)
        if len(spans) != step.count:
            return _fail(body, trail.whole(), places, text, spans)
        places.append(tuple([trail.origin(start) for start, _ in spans]))
        pieces = _replace(text, spans, _new_texts(text, spans, step.new, default_ending))
        trail.add(pieces)
        text = pieces.text(text)
    return Outcome(tuple(minimize(body, trail.whole().edits())), tuple(places))


def apply_at_once(body: bytes, steps: Sequence[Step]) -> Outcome | None:
    """Apply the steps in windows around their places; None if the result might differ from `apply_in_turn`."""
    swaps = _byte_swaps(body, steps)
    if not swaps or max(len(old) for old, _ in swaps) > _MAX_OLD_BYTES:
        return None
    finder = _Finder([old for old, _ in swaps])
    hits = finder.all(body, 4 * sum(step.count for step in steps) + len(body) // 1024 + 1000)
    if hits is None:
        return None
    clusters = list(_clusters(hits, finder.longest, len(body)))
    limit, wrong = 0, len(steps)
    while limit != wrong:
        limit = wrong
        windows = _Windows(body, swaps[:limit], finder)
        if not all(windows.make(cluster) for cluster in clusters):
            return None
        wrong = next((number for number in range(limit) if len(windows.places[number]) != steps[number].count), limit)
    pieces = windows.whole()
    if b"\r" in body and not pieces.contains_kept(body, b"\n"):
        return None
    places = [tuple(offsets) for offsets in windows.places]
    if limit == len(steps):
        return Outcome(tuple(minimize(body, pieces.edits())), tuple(places))
    text = pieces.text(body)
    return _fail(body, pieces, places, text, occurrences(text, steps[limit].old, steps[limit].count + MAX_HITS))


def _endings_by_line(old: bytes, new: bytes) -> bytes:
    """`new` with the line endings of `old`, which has both kinds: a line that stays keeps its ending."""
    from rapidfuzz.distance import Levenshtein  # rarely needed

    lines, wanted = old.split(b"\n"), new.split(b"\n")
    ends = [b"\r\n" if line.endswith(b"\r") else b"\n" for line in lines]
    ends[-1] = ends[-2]  # the last line has none
    bare = [line.removesuffix(b"\r") for line in lines]
    result: list[bytes] = []
    changes = [(0, len(bare), 0, len(wanted))]
    if max(len(bare), len(wanted)) <= _MAX_LINES_COMPARED:
        steps = Levenshtein.opcodes(bare, wanted)
        changes = [(step.src_start, step.src_end, step.dest_start, step.dest_end) for step in steps]
    for low, high, start, end in changes:
        for number, line in enumerate(wanted[start:end], low):
            at = min(number, max(high - 1, low - 1, 0))
            result += [line, ends[at]]
    return b"".join(result[:-1])


def _spans_outside_crlf(body: bytes, old: bytes, most: int) -> list[tuple[int, int]]:
    r"""All spans of exactly these bytes that do not split a `\r\n`."""
    spans: list[tuple[int, int]] = []
    start = body.find(old)
    while start >= 0 and len(spans) < most:
        end = start + len(old)
        if _is_inside_crlf(body, start) or _is_inside_crlf(body, end):
            start = body.find(old, start + 1)
            continue
        spans.append((start, end))
        start = body.find(old, end)
    return spans


def _is_inside_crlf(body: bytes, at: int) -> bool:
    return at > 0 and body.startswith(b"\r\n", at - 1)


def _apply_only_step(body: bytes, step: Step) -> Outcome | None:
    """Apply a single step, the most common case, without a trail; None if it fails."""
    spans = _find_step(body, step)
    if len(spans) != step.count:
        return None
    new_texts = _new_texts(body, spans, step.new, newline_at(body, 0))
    edits = [edit(start, end, new) for (start, end), new in zip(spans, new_texts, strict=True)]
    return Outcome(tuple(minimize(body, edits)), (tuple([start for start, _ in spans]),))


def _find_step(text: bytes, step: Step) -> list[tuple[int, int]]:
    return occurrences(text, step.old, step.count + MAX_HITS) if step.old or text else [(0, 0)]


def _fail(
    body: bytes, pieces: Pieces, places: Sequence[tuple[int, ...]], text: bytes, spans: Sequence[tuple[int, int]]
) -> Outcome:
    edits = tuple(minimize(body, pieces.edits()))
    return Outcome(edits, tuple(places), len(places), text, tuple(spans), pieces.origin)


def _new_texts(text: bytes, spans: Sequence[tuple[int, int]], new: bytes, default_ending: bytes) -> list[bytes]:
    """The new text of each span. `default_ending` is the line ending if the text has no line ending left."""
    if b"\n" not in new or b"\r" in new:
        return [new] * len(spans)
    if b"\r" not in text:
        return [new if b"\n" in text else new.replace(b"\n", default_ending)] * len(spans)
    if b"\n" not in text:
        return [new.replace(b"\n", b"\r")] * len(spans)
    return [adapt_endings(text, start, end, new) for start, end in timed(spans)]


def _replace(text: bytes, spans: Sequence[tuple[int, int]], new_texts: Sequence[bytes]) -> Pieces:
    """The text with the spans replaced."""
    return Pieces.from_cuts(len(text), [(start, end, new) for (start, end), new in zip(spans, new_texts, strict=True)])


class _Trail:
    """The steps so far, as lists of pieces, each about twice as long as the next."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._lists: list[Pieces] = []

    def add(self, pieces: Pieces) -> None:
        """Add a step. Once the text is empty, the earlier steps no longer matter."""
        lists = self._lists
        if not pieces.pieces:
            self._lists = [Pieces(self._size, [])]
            return
        lists.append(pieces)
        while len(lists) > 1 and len(lists[-2].pieces) <= 2 * len(lists[-1].pieces):
            last = lists.pop()
            lists[-1] = lists[-1].then(last)

    def origin(self, offset: int) -> int:
        """Map an offset to the original."""
        for pieces in reversed(self._lists):
            offset = pieces.origin(offset)
        return offset

    def whole(self) -> Pieces:
        """All steps, composed into one list."""
        if not self._lists:
            return Pieces(self._size, [(0, self._size, None)] if self._size else [])
        *earlier, result = self._lists
        for pieces in reversed(earlier):
            result = pieces.then(result)
        return result


def _byte_swaps(body: bytes, steps: Sequence[Step]) -> list[tuple[bytes, bytes]]:
    r"""The old and new bytes of each step in a text with only `\n` or only `\r\n`; none for other texts."""
    texts = [text for step in steps for text in (step.old, step.new)]
    if not all(texts[::2]):
        return []
    if b"\r" not in body:
        swaps = [] if any(b"\r" in text for text in texts) else texts
    elif all(map(_is_crlf, [body, *(text for text in texts if b"\r" in text)])):
        swaps = [text if b"\r" in text else text.replace(b"\n", b"\r\n") for text in texts]
    else:
        swaps = []
    return list(zip(swaps[::2], swaps[1::2], strict=True))


def _is_crlf(text: bytes) -> bool:
    return text.count(b"\r\n") == text.count(b"\n") == text.count(b"\r")


def _clusters(hits: Iterable[Hit], longest: int, size: int) -> Iterator[Cluster]:
    """Group hits that are close together. Windows extend beyond the hits so that changes may spread a little."""
    groups: list[tuple[int, int, list[int]]] = []
    for number, start, end in sorted(hits, key=itemgetter(1)):
        if groups and start - groups[-1][1] < 4 * longest:
            first, last, before = groups[-1]
            before.append(number)
            groups[-1] = first, max(last, end), before
        else:
            groups.append((start, end, [number]))
    reach, begin = 16 * longest, 0
    for (start, end, numbers), (following, _, _) in pairwise([*groups, (2 * size, 0, [])]):
        middle = min((end + following) // 2, size)
        yield Cluster(max(begin, start - reach), start, end, min(end + reach, middle), numbers)
        begin = middle


class _Finder:
    """Searches for numbered texts in one pass; `steps` has, for each text, the steps that search for it."""

    def __init__(self, olds: Sequence[bytes]) -> None:
        from ahocorasick_rs import BytesAhoCorasick

        steps: dict[bytes, list[int]] = {}
        for number, old in enumerate(olds):
            steps.setdefault(old, []).append(number)
        self._olds = list(steps)
        self._machine = BytesAhoCorasick(self._olds)
        self.steps = list(steps.values())
        self.longest = max(map(len, olds))

    def all(self, body: bytes, most: int) -> list[Hit] | None:
        """All hits; None if there are more than `most`."""
        if self._is_deep():
            return None
        hits = list(islice(self.hits(body), most + 1))
        return None if len(hits) > most else hits

    def hits(self, text: bytes) -> Iterator[Hit]:
        """All hits, even overlapping ones, ordered by their ends."""
        size = max(_CHUNK_SIZE, 4 * self.longest)
        for start in range(0, len(text), size):
            base = max(0, start - self.longest + 1)
            for number, begin, end in self._machine.find_matches_as_indexes(
                text[base : start + size], overlapping=True
            ):
                if base + end > start:
                    yield number, base + begin, base + end

    def _is_deep(self) -> bool:
        """Whether many of the texts can end at one place, so that few bytes could have too many hits.

        Shorter texts are checked first, so that the longer ones don't have too many hits themselves.
        """
        for old in sorted(self._olds, key=len):
            matches = self._machine.find_matches_as_indexes(old, overlapping=True)
            if sum(end == len(old) for _, _, end in matches) > _MAX_ENDS_AT_ONE_PLACE:
                return True
        return False


class _Windows:
    """Applies steps in windows of a text, from left to right.

    A change can make a text occur within `longest` bytes of it. So many bytes must stay unchanged at both borders of a
    window, so that the windows are independent.
    """

    def __init__(self, body: bytes, swaps: Sequence[tuple[bytes, bytes]], finder: _Finder) -> None:
        self._body = body
        self._swaps = swaps
        self._finder = finder
        self._pieces: list[Piece] = []
        self._position = 0
        self.places: list[list[int]] = [[] for _ in swaps]

    def make(self, cluster: Cluster) -> bool:
        """Apply the steps around these hits; False if one comes too close to the border."""
        numbers = self._steps(cluster.numbers, -1)
        if not numbers:
            return True
        start, end = cluster.start, cluster.end
        if len(cluster.numbers) == 1 and self._is_independent(start, end, numbers[0]):
            new = self._swaps[numbers[0]][1]
            self._put(start, end, [(start, len(new), new)] if new else [])
            self.places[numbers[0]].append(start)
            return True
        return self._window(cluster, numbers)

    def whole(self) -> Pieces:
        """The text after all windows."""
        size = len(self._body)
        self._put(size, size, [])
        return Pieces(size, self._pieces)

    def _put(self, start: int, end: int, pieces: Iterable[Piece]) -> None:
        if start > self._position:
            self._pieces.append((self._position, start - self._position, None))
        self._pieces += pieces
        self._position = end

    def _steps(self, old_numbers: Iterable[int], after: int) -> list[int]:
        """The steps after `after` that search for the texts found, in order."""
        before = len(self._swaps)
        return sorted({step for number in old_numbers for step in self._finder.steps[number] if after < step < before})

    def _is_independent(self, start: int, end: int, number: int) -> bool:
        """Whether no later step finds a text at the place of this one."""
        reach, new = self._finder.longest - 1, self._swaps[number][1]
        around = self._body[max(0, start - reach) : start] + new + self._body[end : end + reach]
        return not self._steps((hit[0] for hit in self._finder.hits(around)), number)

    def _window(self, cluster: Cluster, pending: list[int]) -> bool:
        begin, stop = cluster.begin, cluster.stop
        text, trail = self._body[begin:stop], _Trail(stop - begin)
        left, right = cluster.start - begin, stop - cluster.end
        scheduled = set(pending)
        while pending:
            number = heappop(pending)
            old, new = self._swaps[number]
            spans = literal_spans(text, old)
            if not spans:
                continue
            left, right = min(left, spans[0][0]), min(right, len(text) - spans[-1][1])
            if (begin and left < self._finder.longest) or (stop < len(self._body) and right < self._finder.longest):
                return False
            self.places[number] += [begin + trail.origin(first) for first, _ in spans]
            pieces = _replace(text, spans, [new] * len(spans))
            trail.add(pieces)
            text = pieces.text(text)
            affected = self._texts_near(text, [first for first, _ in spans], old, new)
            for later in self._steps(affected, number):
                if later not in scheduled:
                    scheduled.add(later)
                    heappush(pending, later)
        self._put(begin, stop, [(begin + at, length, new) for at, length, new in trail.whole().pieces])
        return True

    def _texts_near(self, text: bytes, starts: list[int], old: bytes, new: bytes) -> set[int]:
        """The texts found near the places where `new` replaced `old`."""
        reach, growth = self._finder.longest - 1, len(new) - len(old)
        if len(starts) * (len(new) + 2 * reach) > len(text):
            return {hit[0] for hit in self._finder.hits(text)}
        changed = (start + index * growth for index, start in enumerate(starts))
        around = (text[max(0, start - reach) : start + len(new) + reach] for start in changed)
        return {hit[0] for part in around for hit in self._finder.hits(part)}
