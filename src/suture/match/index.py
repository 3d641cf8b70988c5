"""The searchable lines of a file, and the answers of a search: `Found` or `Refused`.

`Index` keeps the coarse key of every line. Several lines are found by one search in the joined keys, which is faster
than comparing line by line. Also here: the names of the classes and functions around a line, recognized by indentation
and by the usual form of headers. No parser is used, because a file that is being edited need not be correct.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from functools import cached_property
from itertools import accumulate

from suture.bounds import check_time, timed
from suture.match.normalize import coarse, depth, encode_line, is_known, marks_of, tokens, words
from suture.records import Record
from suture.text import Indent, Lines, detect
from suture.text.diff import changes
from suture.text.edits import Edit, edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import TypeVar

    from suture.text.diff import Change

    T = TypeVar("T")

_MAX_LINES_COMPARED = 30_000  # lines at all places of one text together: bounds the time
_MAX_OFFSET_LINES = 4_000_000  # lines compared when a text is searched for inside another one: bounds the time
_MAX_WORD_TRIES = 10_000  # occurrences of some letters that are checked for a whole word: bounds the time
MAX_LINES_OF_WORD = 200
"""Lines with a word; one that occurs in more lines says nothing about where a text belongs."""
_LETTERS = b"abcdefghijklmnopqrstuvwxyz"
_WORD_BYTES = b"_0123456789" + _LETTERS + _LETTERS.upper() + bytes(range(0x80, 0x100))  # and all of UTF-8 beyond ASCII
MAX_PLACES = 300
"""Places of one text that are examined: bounds the time. If there are more, none is chosen."""

_DECLARATION = re.compile(
    r"\s*(?:(?:abstract|async|const|data|default|export|extern|final|inline|override|partial|private|protected|pub|public"
    r"|sealed|static|unsafe|virtual)\b(?:\([^)]*\))?\s+)*"
    r"(?:class|def|enum|fn|fun|func|function|impl|interface|module|namespace|proc|struct|sub|trait)\s+"
    r"(?:\([^)]*\)\s*)?([\w$.:]+)"
)
_ASSIGNMENT = re.compile(
    r"\s*(?:export\s+)?(?:(?:const|let|var)\s+)?([\w$.]+)(?:\s*:[^=]*)?\s*[:=]\s*(?:async\s+)?(?:function\b|\(?[\w$,\s{}]*\)?\s*=>)"
)
_METHOD = re.compile(r"\s*(?:[\w<>\[\],*&~:]+\s+)*[*&]*([\w$~]+)\s*\([^()]*\)[^()=]*\{\s*$")
_CALL = re.compile(r"\s*(?:[\w<>\[\],*&~:]+\s+)*[*&]*([\w$~.:]+)\s*\(")
_CONTROL = {
    *("await", "case", "catch", "do", "elif", "else", "elsif", "except", "finally", "for", "foreach", "if", "loop"),
    *("match", "return", "switch", "try", "unless", "until", "when", "while", "with", "yield", "}"),
}
_BRACES = {"{", "("}
_MAX_LINES_ABOVE = 20_000  # lines above a line in which its classes and functions are searched for: bounds the time
_MAX_HEADER_CHARS = 300  # characters of a line that is checked for a declaration; longer lines are data


class Site(Record):
    """A range of lines of the file, counted from 1, both inclusive."""

    start_line: int
    end_line: int
    score: float = 1.0

    def overlaps(self, other: Site) -> bool:
        """Whether they have lines in common."""
        return self.start_line <= other.end_line and other.start_line <= self.end_line


class Base(Record):
    """An earlier version of a file, for which a request may have been written."""

    body: bytes
    """Its text, in the form of `Text.body`."""
    source: str
    """Where it comes from: `read` (shown to this session), `history`, `index`, `head` or `commit`."""
    id: str | None = None
    """The commit that contains it (`head`, `commit`), or the change that made it (`history`), if known."""
    until: str | None = None
    """The change or commit that replaced it, if known."""


class Found(Record):
    """The one place, and the change to make there."""

    rung: str
    """The name of the rung that found the text."""
    site: Site
    span: tuple[int, int]
    """The range of the body that matches the old text."""
    edits: tuple[Edit, ...]
    """The change, as edits of the body."""
    score: float = 1.0
    """For `similar`: the share of the text that occurs there."""
    runner_up: Site | None = None
    """For `similar`: the next best place."""
    base: Base | None = None
    """For `rebased`: the version for which the request was written."""

    @property
    def sites(self) -> tuple[Site, ...]:
        """The site as a tuple, like `Refused.sites`."""
        return (self.site,)


class Match(Record):
    """The lines of the file that match a request's old lines. Lines are 0-based."""

    at: tuple[int | None, ...]
    """The file's line for each old line, or None."""
    same: tuple[bool, ...]
    """Whether each old line is the file's line except for its form. Such lines prove the file's dialect."""
    gaps: dict[int, range] = {}  # noqa: RUF012  never changed
    """The file's lines that each elision stands for."""
    groups: tuple[tuple[int, int, int, int], ...] = ()
    """Ranges of old lines that are ranges of the file's lines with other line breaks: (from, up to, from, up to)."""

    @property
    def placed(self) -> list[tuple[int, int]]:
        """The numbers of the old lines that have a place, each with the number of the file's line."""
        return [(number, place) for number, place in enumerate(self.at) if place is not None]

    @property
    def first(self) -> int:
        """The first matching line of the file."""
        return min((*(place for _, place in self.placed), *(low for _, _, low, _ in self.groups)))

    @property
    def last(self) -> int:
        """The last matching line of the file."""
        return max((*(place for _, place in self.placed), *(high - 1 for _, _, _, high in self.groups)))

    @property
    def site(self) -> Site:
        """The range from the first to the last matching line."""
        return Site(self.first + 1, self.last + 1)


class Sides(Record):
    """A conflict: what the request expects, what the file has from `line` on, and what the request wants."""

    line: int
    base: str
    ours: str
    theirs: str


class Refused(Record):
    """Why no change is made."""

    why: str
    """`missing`, `ambiguous`, `applied`, `partly_applied`, `conflict`, `deleted`, `elided` or `unproved`."""
    rung: str | None = None
    """The rung at which the search stopped, if it found a place."""
    sites: tuple[Site, ...] = ()
    """All places that fit if ambiguous, the new text's place if applied, the nearest places if missing."""
    sides: Sides | None = None
    detail: str = ""
    """For `conflict` and `unproved`: what could not be decided, from a fixed list of words."""
    base: Base | None = None
    """The version for which the request was written, if known; then it is not searched for elsewhere."""


Answer = Found | Refused


class Index:
    """The text to search, and its earlier versions. The file's name determines what a comment looks like.

    Line numbers are 0-based here.
    """

    def __init__(self, body: bytes, name: str = "", bases: Iterable[Base] = ()) -> None:
        """`bases` are the earlier versions, in the order in which to try them; they are fetched only when needed."""
        self.body = body
        self.name = name
        self._bases = iter(bases)
        self._fetched: list[Base] = []
        self.lines = Lines(body)
        self._decoded: dict[int, str] = {}
        self._where: dict[bytes, list[int]] = {b"": []}
        self._lines_by_word: dict[str, list[int] | None] = {}

    def earlier(self) -> Iterator[Base]:
        """The earlier versions for which a request may have been written."""
        yield from self._fetched
        for base in self._bases:
            self._fetched.append(base)
            yield base

    @cached_property
    def keys(self) -> list[bytes]:
        """The coarse key of every line; a blank line's is empty."""
        keys = coarse(self.body).split(b"\n")
        if not keys[-1]:
            keys.pop()
        return keys

    @cached_property
    def texts(self) -> list[str]:
        """Every line, decoded."""
        return [self.line(number) for number in timed(range(len(self.lines)))]

    @cached_property
    def solid(self) -> array[int]:
        """The lines that are not blank."""
        return array("L", [number for number, key in enumerate(self.keys) if key])

    @cached_property
    def stream(self) -> bytes:
        """The keys of the solid lines, with a newline before, between and after them."""
        return b"\n".join([b"", *filter(None, self.keys), b""])

    def where(self, key: bytes) -> list[int]:
        """The lines that have a key. Each key takes a pass over the file, unless `seek` has found it already."""
        if key not in self._where:
            self.seek([key])
        return self._where[key]

    def seek(self, keys: Iterable[bytes]) -> None:
        """Find the lines of several keys in one pass."""
        wanted = {key: list[int]() for key in keys if key and key not in self._where}
        self._where.update(wanted)
        if wanted:
            for number, key in timed(enumerate(self.keys)):
                if key in wanted:
                    wanted[key].append(number)

    @cached_property
    def indent(self) -> Indent:
        """How the file is indented."""
        return detect(self.body if b"\n" in self.body else self.body.replace(b"\r", b"\n"))

    @property
    def flat(self) -> bytes:
        """All keys, joined."""
        return self.stream.replace(b"\n", b"")

    @cached_property
    def _flat_starts(self) -> array[int]:
        """Where each solid line's key begins in `flat`."""
        return array("Q", accumulate((len(self.keys[number]) for number in self.solid), initial=0))

    def runs_across_lines(self, keys: list[bytes]) -> list[list[int]]:
        """The places where these keys occur in a row, with any line breaks: the lines of each place."""
        text, needle = self.flat, b"".join(keys)
        places: list[list[int]] = []
        at = text.find(needle) if needle else -1
        for _ in range(MAX_PLACES):
            if at < 0:
                break
            starts = self._flat_starts
            first, end = bisect_left(starts, at), bisect_left(starts, at + len(needle))
            if starts[first] == at and end < len(starts) and starts[end] == at + len(needle):
                places.append(list(self.solid[first:end]))
            at = text.find(needle, at + 1)
        return places

    @cached_property
    def marks(self) -> tuple[str, ...]:
        """The marks that begin a comment in this file."""
        return marks_of(self.name, self.body)

    def knows(self, old: str, actual: str) -> bool:
        """Whether a line of a request is certainly this line of the file, except for harmless differences."""
        return is_known(old, actual, self.has_word, self.marks)

    def has_word(self, word: str, *, cased: bool = False) -> bool:
        """Whether a whole word occurs in the file; case is ignored unless `cased`."""
        needle, body = (encode_line(word), self.body) if cased else (encode_line(word).lower(), self.body.lower())
        at = body.find(needle) if needle else -1
        for _ in timed(range(_MAX_WORD_TRIES)):
            if at < 0:
                return False
            ends = body[at - 1 : at] if at else b"", body[at + len(needle) : at + len(needle) + 1]
            if not any(end and end in _WORD_BYTES for end in ends):
                return True
            at = body.find(needle, at + 1)
        return True  # too many places to check them all

    def lines_with(self, word: str) -> list[int] | None:
        """The lines that contain some letters; None if there are too many."""
        if word not in self._lines_by_word:
            self._lines_by_word[word] = self._lines_with(word.encode("utf-8", "surrogatepass"))
        return self._lines_by_word[word]

    def _lines_with(self, needle: bytes) -> list[int] | None:
        numbers: list[int] = []
        at = self.body.find(needle)
        while at >= 0:
            line = self.lines.at(at)
            numbers.append(line - 1)
            if len(numbers) > MAX_LINES_OF_WORD:
                return None
            at = self.body.find(needle, self.lines.span(line)[1])
        return numbers

    def line(self, number: int) -> str:
        """A line without its ending; bytes of unknown encoding become surrogates."""
        if number not in self._decoded:
            self._decoded[number] = self.lines.content(number + 1).decode("utf-8", "surrogateescape")
        return self._decoded[number]

    def window(self, first: int, end: int) -> list[str]:
        """Some lines without their endings."""
        return [self.line(number) for number in range(first, end)]

    def span(self, site: Site) -> tuple[int, int]:
        """The byte range of some lines, including the last line ending."""
        return self.lines.span(site.start_line)[0], self.lines.span(site.end_line)[1]

    def site(self, start: int, end: int) -> Site:
        """The lines that a byte range touches."""
        return Site(self.lines.at(start), self.lines.at(max(start, end - 1)))

    @staticmethod
    def most_runs(keys: list[bytes]) -> int:
        """How many places of some lines `runs` returns at most; if it returns as many, there may be more."""
        return max(3, min(MAX_PLACES, _MAX_LINES_COMPARED // len(keys)))

    def runs(self, keys: list[bytes]) -> list[list[int]]:
        """The places where these keys occur in a row, ignoring blank lines: the lines of each place."""
        needle = b"\n%b\n" % b"\n".join(keys)
        places: list[list[int]] = []
        at, ordinal, counted = self.stream.find(needle), 0, 0
        while at >= 0 and len(places) < self.most_runs(keys):
            check_time()
            ordinal += self.stream.count(b"\n", counted, at)
            counted = at
            places.append(list(self.solid[ordinal : ordinal + len(keys)]))
            at = self.stream.find(needle, at + 1)
        return places


def offsets_in(longer: list[T], part: list[T]) -> list[int]:
    """Where some lines occur inside a longer list of lines; nothing if the search would take too long."""
    growth = len(longer) - len(part)
    if not 0 < growth <= _MAX_OFFSET_LINES // max(len(part), 1):
        return []
    return [offset for offset in range(growth + 1) if longer[offset : offset + len(part)] == part]


def place_blanks(index: Index, lines: Sequence[str], at: list[int | None]) -> None:
    """Place blank lines: between two placed lines from the top down, outside the outer solid lines outward."""
    solid = [number for number, line in enumerate(lines) if line.strip()]
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
    for number in range(solid[0] - 1, -1, -1):
        if not place or index.keys[place - 1]:
            break
        place -= 1
        at[number] = place


def declared_name(line: str) -> str | None:
    """The name of the function or class that a line declares."""
    match = _declaration(line)
    return None if match is None else match[1].rstrip(":")


def scope(line_at: Callable[[int], str], number: int, count: int) -> tuple[str, ...]:
    """The names of the classes and functions around a line, outermost first.

    Indentation decides: what encloses a line is less deep. A header may span several lines; then the line that ends
    it, `) -> None:` or `{`, is as deep as the line that begins it.
    """
    while number < count and not line_at(number).strip():
        number += 1
    indent = depth(line_at(number)) if number < count else 0
    names: list[str] = []
    closing = False  # whether the header begins further up, at the same depth
    for above in range(number - 1, max(number - _MAX_LINES_ABOVE, -1), -1):
        if not indent and not closing:
            break
        line = line_at(above)
        text = line.strip()
        if not text or depth(line) > indent or (depth(line) == indent and not closing):
            continue
        indent = depth(line)
        begins = text[0] not in ")]}" and text not in _BRACES
        if begins and (name := header_name(line) if closing else declared_name(line)) is not None:
            names.insert(0, name)
        closing = not begins and (text in _BRACES or (text[0] == ")" and text[-1] in ":{"))
    return tuple(names)


def symbol(line_at: Callable[[int], str], number: int, count: int) -> str:
    """The full name of the class or function that a line is in or declares; empty if there is none."""
    own = declared_name(line_at(number)) if number < count else None
    return ".".join((*scope(line_at, number, count), *([own] if own else [])))


def header_name(line: str) -> str | None:
    """The name in the first line of a header that continues on the next lines, or has its brace below."""
    match = None if (words(line) or [""])[0] in _CONTROL else _CALL.match(line)
    return declared_name(line) or (None if match is None else match[1])


def line_edit(index: Index, low: int, high: int, lines: Sequence[str]) -> Edit:
    """Replace lines; the new ones get the line endings of the lines that they replace, or of their neighbors."""
    file, count = index.lines, len(index.lines)
    start = file.span(low + 1)[0] if low < count else len(index.body)
    end = file.span(high)[1] if high > low else start
    near = [file.ending(n + 1) for n in (*range(low, high), low - 1, low, low + 1, 0) if 0 <= n < count]
    ending = next(filter(None, near), b"\n")
    own = [file.ending(n + 1) or ending for n in range(low, high)] if high - low == len(lines) else []
    endings = own or [ending] * len(lines)
    new = [encode_line(line) for line in lines]
    text = b"".join(line + end for line, end in zip(new, endings, strict=True))
    if start == len(index.body) and start and not file.finished:
        return edit(start, end, ending + text.removesuffix(ending))
    if end == len(index.body) and high > low and not file.finished:
        text = text.removesuffix(endings[-1]) if lines else text
        start -= len(file.ending(low)) if low and not lines else 0  # the line before becomes the unfinished one
    return edit(start, end, text)


def merge_words(base: str, ours: str, theirs: str, *, reflow: bool = False) -> str | None:
    """Merge a line that both sides changed, word by word; None if they changed the same words.

    With `reflow`, the whitespace between words is not a change.
    """
    if ours in {base, theirs}:
        return theirs
    if base == theirs:
        return ours
    was, here, wanted = (
        [token.encode("utf-8", "surrogatepass") for token in tokens(text)] for text in (base, ours, theirs)
    )
    keys = [[b" " if reflow and token.isspace() else token for token in side] for side in (was, here, wanted)]
    own, new = changes(keys[0], keys[1]), changes(keys[0], keys[2])
    for a, b, _, _ in own:
        for i, j, _, _ in new:
            covered = i <= a < b <= j  # ours differs harmlessly there, and theirs replaces it
            at_end = a == b == i == j == len(was)
            if _overlap(a, b, i, j) and not covered and not at_end:
                return None
    result, position = list[bytes](), 0
    for i, j, k, m in new:
        low, high = (_position_in(own, at) for at in (i, j))
        if reflow and any(b"\n" in token for token in (*here[low:high], *wanted[k:m])):
            return None
        result += [*here[position:low], *wanted[k:m]]
        position = high
    return b"".join([*result, *here[position:]]).decode("utf-8", "surrogatepass")


def _declaration(line: str) -> re.Match[str] | None:
    if len(line) > _MAX_HEADER_CHARS or (words(line) or [""])[0] in _CONTROL:
        return None
    return _DECLARATION.match(line) or _ASSIGNMENT.match(line) or _METHOD.match(line)


def _position_in(own: Sequence[Change], at: int) -> int:
    """Map a position in base to ours: before what ours inserted there."""
    return at + sum((d - c) - (b - a) for a, b, c, d in own if b <= at and not a == b == at)


def _overlap(a: int, b: int, i: int, j: int) -> bool:
    """Whether two ranges overlap; an empty one overlaps if it is inside the other, or both are the same point."""
    if a == b and i == j:
        return a == i
    if a == b or i == j:
        point, low, high = (a, i, j) if a == b else (i, a, b)
        return low < point < high
    return max(a, i) < min(b, j)
