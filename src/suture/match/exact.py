"""Find texts as they were sent: anywhere, at a given line, or as part of a line.

A part of a line is compared by its key, so that it is found in any form, but only as whole words: `id` is not found in
`width`.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate

from suture.match.dialect import Dialect
from suture.match.index import MAX_PLACES, Found, Match, Refused, Site, merge_words
from suture.match.ladder import COMPARED, LEVEL, RUNGS, find_applied_at, make_change
from suture.match.normalize import Request, coarse, encode_line, lead, readings, trail
from suture.records import Record
from suture.text import newline_at
from suture.text.edits import Edit, edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suture.match.index import Answer, Index

_SHORTEST_KEY = 4  # bytes of a piece that is searched for in another form: shorter ones occur by chance
_MAX_LINE_CHARS = 20_000  # characters of a line in which a piece is searched for: bounds the time


class Piece(Record):
    """A part of a line of the file."""

    line: int
    start: int
    end: int
    text: str


def find_as_sent(index: Index, old: str, new: str, match: str, *, whole_lines: bool) -> Answer | None:
    """The answer if the text occurs as sent; None if it doesn't, or if it is a block without its indentation."""
    if whole_lines and (last := _last_lines(index, old)) is not None:
        at = len(index.body) - len(last)
        return _Occurrence(index, at, at + len(last), "line_ends").replace(new.removesuffix("\n"))
    for rung, needle in _spellings(index, old):
        occurrences, complete = _occurrences(index.body, needle)
        lines = [at for at in occurrences if _is_whole(index.body, at, at + len(needle))]
        if whole_lines or (len(lines) == 1 and b"\n" in needle.strip(b"\r\n")):
            occurrences = lines
        if len(occurrences) > 1 or (occurrences and not complete):
            return Refused("ambiguous", rung, tuple(index.site(at, at + len(needle)) for at in occurrences))
        if occurrences and needle:
            hit = _Occurrence(index, occurrences[0], occurrences[0] + len(needle), rung)
            if match == "exact":
                return hit.replace(new)
            return None if hit.lacks_indentation(old, new) else hit.answer(old, new)
    return None


def find_at_line(index: Index, old: str, new: str, line: int) -> Found | None:
    """The change of whole lines that occur, exactly as sent, at a line counted from 1; None if they don't."""
    if not 1 <= line <= len(index.lines):
        return None
    start = index.lines.span(line)[0]
    for rung, needle in _spellings(index, old):
        end = start + len(needle)
        if needle and index.body.startswith(needle, start) and _is_whole(index.body, start, end):
            return _Occurrence(index, start, end, rung).replace(new)
    return None


def find_piece(index: Index, request: Request, allowed: Sequence[str]) -> Answer | None:
    """Find a piece of one line that is to become another piece of one line."""
    texts = _piece_texts(request)
    if texts is None:
        return None
    sent, wanted = texts
    by_level: dict[int, list[Piece]] = {}
    candidates, complete = _find_pieces(index, sent)
    for piece in candidates:
        level = next((level for level, fits in COMPARED if fits(sent, piece.text)), LEVEL["similar"])
        by_level.setdefault(max(level, 0 if request.plain else LEVEL["escape"]), []).append(piece)
    level = min(by_level, default=LEVEL["similar"])
    if level >= LEVEL["similar"]:
        return None
    sites = tuple(Site(piece.line + 1, piece.line + 1) for piece in by_level[level])
    many = len(sites) > 1 or not complete
    if RUNGS[level] not in allowed or many:
        return Refused("missing" if RUNGS[level] not in allowed else "ambiguous", RUNGS[level], sites)
    (piece,) = by_level[level]
    if _is_applied(index.keys[piece.line], sent, wanted):
        return Refused("applied", RUNGS[level], sites)
    change = _carry_piece(index, Request((sent,), (wanted,)), piece)
    if change is None:
        return Refused("unproved", RUNGS[level], sites, detail="indentation_or_characters")
    return Found(RUNGS[level], sites[0], (change.span.start, change.span.end), (change,))


def _last_lines(index: Index, old: str) -> bytes | None:
    """The unfinished end of the file, if it is the only place of `old` apart from the line ending that `old` has."""
    if index.lines.finished or not old.endswith("\n"):
        return None
    for _, needle in _spellings(index, old):
        bare = needle.removesuffix(b"\n").removesuffix(b"\r")
        whole = (
            bare and index.body.endswith(bare) and _is_whole(index.body, len(index.body) - len(bare), len(index.body))
        )
        if whole and not any(_is_whole(index.body, at, at + len(needle)) for at in _occurrences(index.body, needle)[0]):
            return bare
    return None


def _spellings(index: Index, old: str) -> Iterator[tuple[str, bytes]]:
    yield "exact", old.encode("utf-8", "surrogatepass")
    style = index.lines.style()
    if "\n" in old and "\r" not in old and style in {"crlf", "cr"}:
        ending = "\r\n" if style == "crlf" else "\r"
        yield "line_ends", old.replace("\n", ending).encode("utf-8", "surrogatepass")


def _occurrences(body: bytes, needle: bytes) -> tuple[list[int], bool]:
    """Where some bytes occur, and whether the list is complete."""
    starts: list[int] = []
    at = body.find(needle)
    for _ in range(MAX_PLACES):
        if at < 0:
            return starts, True
        end = at + len(needle)
        if b"\r\n" not in (body[at - 1 : at + 1], body[end - 1 : end + 1]):  # never split a line ending
            starts.append(at)
        at = body.find(needle, at + 1)
    return starts, at < 0


def _is_whole(body: bytes, start: int, end: int) -> bool:
    """Whether a range consists of whole lines, with or without the last line ending."""
    begins = start == 0 or body[start - 1] in b"\r\n"
    return begins and (end == len(body) or body[end] in b"\r\n" or body[end - 1] in b"\r\n")


class _Occurrence:
    """A place where the text occurs as sent."""

    def __init__(self, index: Index, start: int, end: int, rung: str) -> None:
        self.index, self.start, self.end, self.rung = index, start, end, rung
        self.site = index.site(start, end)
        lines, body = index.lines, index.body
        self.before = body[lines.around(start)[0] : start]
        """The part of its first line before it."""
        self.rest = (
            b"" if body[end - 1] in b"\r\n" else body[end : lines.around(max(start, end - 1))[1]].rstrip(b"\r\n")
        )
        """The part of its last line after it."""

    def lacks_indentation(self, old: str, new: str) -> bool:
        """Whether the text is a block of whole lines without their indentation or trailing whitespace.

        A block is several lines, or one line whose line ending is removed.
        """
        if not (self.before or self.rest) or self.before.strip() or self.rest.strip():
            return False
        return _is_several_lines(old) or _is_several_lines(new) or (old.endswith("\n") and not new.endswith("\n"))

    def answer(self, old: str, new: str) -> Answer:
        """Replace the text, unless that is done already, or one line becomes several while the file's line goes on."""
        if self.rest.strip() and not self.before.strip() and _is_several_lines(new) and not _is_several_lines(old):
            longer = self._replace_before_comment(old, new)
            if longer is not None or self.before:
                return longer or Refused("unproved", self.rung, (self.site,), detail="line_goes_on")
        if self.rest and self._ends_like_new(old, new):
            return Refused("partly_applied", self.rung, (self.site,))
        whole = not self.before and not self.rest.strip()
        applied = find_applied_at(self.index, self.site.start_line - 1, old, new) if whole else None
        if applied is not None:
            return Refused("applied", self.rung, (applied,))
        return self.replace(new)

    def replace(self, new: str) -> Found:
        """Replace the text by the new one, with the file's line endings unless it has carriage returns."""
        if "\r" not in new and "\n" in new:
            new = new.replace("\n", newline_at(self.index.body, self.start).decode())
        change = edit(self.start, self.end, new.encode("utf-8", "surrogatepass"))
        return Found(self.rung, self.site, (self.start, self.end), (change,))

    def _replace_before_comment(self, old: str, new: str) -> Answer | None:
        """Replace one line by several where the file's line ends with a comment, which stays."""
        request = readings(old, new)[0]
        number = self.site.start_line - 1
        solid = next((n for n, line in enumerate(request.old) if line.strip()), None)
        if solid is None or not self.index.knows(request.old[solid].strip(), self.index.line(number).strip()):
            return None
        at = tuple(number if n == solid else None for n in range(len(request.old)))
        return make_change(self.index, request, Match(at, tuple(place is not None for place in at)), self.rung)

    def _ends_like_new(self, old: str, new: str) -> bool:
        """Whether the last line at the place is already the last line of new, which extends that of old."""
        (*_, was), (*_, now) = old.split("\n"), new.split("\n")
        return was != now and now.startswith(was) and self.index.line(self.site.end_line - 1) == now


def _is_several_lines(text: str) -> bool:
    return "\n" in text.strip("\r\n")


def _piece_texts(request: Request) -> tuple[str, str] | None:
    """A piece of a line and what it becomes; None if it is more than a piece, or changes the whitespace around it."""
    old, new = (_trim(lines) for lines in (request.old, request.new))
    if len(old) != 1 or len(new) > 1 or (new and lead(new[0]) != lead(old[0])):
        return None
    tail, new_tail = (trail(lines[-1]) if lines else "" for lines in (request.old, request.new))
    if tail not in {"", new_tail}:
        return None
    return old[0].strip(), "".join(new).strip() + new_tail.removeprefix(tail)


def _is_applied(line: bytes, sent: str, wanted: str) -> bool:
    """Whether the line already has the new text, which contains the old one; compared by keys."""
    old, new = (coarse(text.encode("utf-8", "surrogatepass")) for text in (sent, wanted))
    at = line.find(new)
    if at < 0 or old == new or old not in new:
        return False
    around = (line[max(at - 1, 0) : at + 1], line[at + len(new) - 1 : at + len(new) + 1])
    return not any(len(pair) > 1 and pair.isalnum() for pair in around)


def _carry_piece(index: Index, request: Request, piece: Piece) -> Edit | None:
    """The edit of a piece of a line, or None if it can't be determined."""
    dialect = Dialect(request, [(0, request.old[0], piece.text)], index)
    sent, wanted = dialect.translate_body(request.old[0]), dialect.translate_body(request.new[0])
    merged = None if sent is None or wanted is None else merge_words(sent, piece.text, wanted)
    if merged is None:
        return None
    line = index.line(piece.line)
    begin = index.lines.span(piece.line + 1)[0]
    start, end = (begin + len(encode_line(line[:at])) for at in (piece.start, piece.end))
    return edit(start, end, encode_line(merged))


def _find_pieces(index: Index, needle: str) -> tuple[list[Piece], bool]:
    """Where a text occurs inside longer lines, in any form, as whole words; and whether the list is complete."""
    key = coarse(needle.encode("utf-8", "surrogatepass"))
    result: list[Piece] = []
    if len(key) < _SHORTEST_KEY:
        return result, True
    at, ordinal, counted = index.stream.find(key), -1, 0
    line, offsets, known = "", [0], -1
    for _ in range(MAX_PLACES):
        if at < 0:
            return result, True
        ordinal += index.stream.count(b"\n", counted, at)
        counted = at
        number = index.solid[ordinal]
        if number != known:
            line, known = index.line(number), number
            offsets = _offsets(line) if len(line) <= _MAX_LINE_CHARS else [0]
        begin = at - index.stream.rindex(b"\n", 0, at + 1) - 1
        piece = _piece_at(line, offsets, number, begin, begin + len(key)) if len(offsets) > 1 else None
        if piece is not None:
            result.append(piece)
        at = index.stream.find(key, at + 1)
    return result, at < 0


def _offsets(line: str) -> list[int]:
    return [0, *accumulate(len(coarse(encode_line(char))) for char in line)]


def _piece_at(line: str, offsets: list[int], number: int, begin: int, end: int) -> Piece | None:
    """The part of a line that has that part of the line's key; `offsets` are where each character's key begins."""
    start, stop = bisect_right(offsets, begin) - 1, bisect_left(offsets, end)
    if offsets[start] != begin or offsets[stop] != end or offsets[-1] == end - begin:
        return None
    if start >= stop or _is_inside_word(line, start) or _is_inside_word(line, stop):
        return None
    return Piece(number, start, stop, line[start:stop])


def _is_inside_word(line: str, at: int) -> bool:
    return 0 < at < len(line) and all(char.isalnum() or char == "_" for char in line[at - 1 : at + 1])


def _trim(lines: Sequence[str]) -> list[str]:
    texts = [line.rstrip() for line in lines]
    first = next((number for number, line in enumerate(texts) if line), len(texts))
    while texts and not texts[-1]:
        texts.pop()
    return texts[first:]
