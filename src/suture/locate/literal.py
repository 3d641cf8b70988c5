"""The text as it was sent, byte for byte but for line ends."""

from __future__ import annotations

from suture.edits import edit
from suture.locate.found import Found, Match, Refused, Site
from suture.locate.index import MOST_PLACES
from suture.locate.request import readings
from suture.locate.settle import settle, stands_over

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from suture.locate.found import Answer
    from suture.locate.index import Index


def as_sent(index: Index, old: str, new: str, match: str, *, whole_lines: bool) -> Answer | None:
    """The answer where the text stands as sent; None where it doesn't, or is a block without its indentation."""
    if whole_lines and (last := _last_lines(index, old)) is not None:
        at = len(index.body) - len(last)
        return _Hit(index, at, at + len(last), "line_ends").pasted(new.removesuffix("\n"))
    for rung, sought in _spellings(index, old):
        hits, complete = _hits(index.body, sought)
        lines = [at for at in hits if _is_whole(index.body, at, at + len(sought))]
        if whole_lines or (len(lines) == 1 and b"\n" in sought.strip(b"\r\n")):
            hits = lines
        if len(hits) > 1 or (hits and not complete):
            return Refused("ambiguous", rung, tuple(_site(index, at, at + len(sought)) for at in hits))
        if hits and sought:
            hit = _Hit(index, hits[0], hits[0] + len(sought), rung)
            if match == "exact":
                return hit.pasted(new)
            return None if hit.lacks_margins(old, new) else hit.answer(old, new)
    return None


def at_line(index: Index, old: str, new: str, line: int) -> Found | None:
    """The change of whole lines that stand at a line, counted from 1, just as they were sent; None if they don't."""
    if not 1 <= line <= len(index.lines):
        return None
    start = index.lines.span(line)[0]
    for rung, sought in _spellings(index, old):
        end = start + len(sought)
        if sought and index.body.startswith(sought, start) and _is_whole(index.body, start, end):
            return _Hit(index, start, end, rung).pasted(new)
    return None


def _last_lines(index: Index, old: str) -> bytes | None:
    """The end of a text whose last line is not finished, if it is the one place of `old`, which has a line end."""
    if index.lines.finished or not old.endswith("\n"):
        return None
    for _, sought in _spellings(index, old):
        bare = sought.removesuffix(b"\n").removesuffix(b"\r")
        whole = (
            bare and index.body.endswith(bare) and _is_whole(index.body, len(index.body) - len(bare), len(index.body))
        )
        if whole and not any(_is_whole(index.body, at, at + len(sought)) for at in _hits(index.body, sought)[0]):
            return bare
    return None


def _spellings(index: Index, old: str) -> Iterator[tuple[str, bytes]]:
    yield "exact", old.encode("utf-8", "surrogatepass")
    style = index.lines.style()
    if "\n" in old and "\r" not in old and style in {"crlf", "cr"}:
        ending = "\r\n" if style == "crlf" else "\r"
        yield "line_ends", old.replace("\n", ending).encode("utf-8", "surrogatepass")


def _hits(body: bytes, sought: bytes) -> tuple[list[int], bool]:
    """Where some bytes stand, and whether these are all the places."""
    found: list[int] = []
    at = body.find(sought)
    for _ in range(MOST_PLACES):
        if at < 0:
            return found, True
        end = at + len(sought)
        if b"\r\n" not in (body[at - 1 : at + 1], body[end - 1 : end + 1]):  # half a line end is none
            found.append(at)
        at = body.find(sought, at + 1)
    return found, at < 0


def _is_whole(body: bytes, start: int, end: int) -> bool:
    """Whether a range begins at a line's begin and ends at a line's end."""
    begins = start == 0 or body[start - 1] in b"\r\n"
    return begins and (end == len(body) or body[end] in b"\r\n" or body[end - 1] in b"\r\n")


def _site(index: Index, start: int, end: int) -> Site:
    return Site(index.lines.at(start), index.lines.at(max(start, end - 1)))


class _Hit:
    """A place where the text stands as it was sent."""

    def __init__(self, index: Index, start: int, end: int, rung: str) -> None:
        self.index, self.start, self.end, self.rung = index, start, end, rung
        self.site = _site(index, start, end)
        lines, body = index.lines, index.body
        self.before = body[lines.around(start)[0] : start]
        """What the file has before it in its first line."""
        self.rest = (
            b"" if body[end - 1] in b"\r\n" else body[end : lines.around(max(start, end - 1))[1]].rstrip(b"\r\n")
        )
        """What the file has after it in its last line."""

    def lacks_margins(self, old: str, new: str) -> bool:
        """Whether it is a block of whole lines without their indentation or trailing space.

        Several lines, or one that takes its line end along.
        """
        if not (self.before or self.rest) or self.before.strip() or self.rest.strip():
            return False
        return _several(old) or _several(new) or (old.endswith("\n") and not new.endswith("\n"))

    def answer(self, old: str, new: str) -> Answer:
        """What to do: paste, unless it is done already, or one line becomes several and goes on in the file."""
        if self.rest.strip() and not self.before.strip() and _several(new) and not _several(old):
            longer = self._before_comment(old, new)
            if longer is not None or self.before:
                return longer or Refused("unproved", self.rung, (self.site,), None, "line_goes_on")
        if self.rest and self._ends_as(old, new):
            return Refused("partly_applied", self.rung, (self.site,))
        whole = not self.before and not self.rest.strip()
        applied = stands_over(self.index, self.site.start_line - 1, old, new) if whole else None
        if applied is not None:
            return Refused("applied", self.rung, (applied,))
        return self.pasted(new)

    def pasted(self, new: str) -> Found:
        """The new text as it is, with the file's line ends unless it brings its own."""
        if "\r" not in new and "\n" in new:
            new = new.replace("\n", self._ending().decode())
        change = edit(self.start, self.end, new.encode("utf-8", "surrogatepass"))
        return Found(self.rung, 1.0, None, self.site, (self.start, self.end), (change,))

    def _before_comment(self, old: str, new: str) -> Answer | None:
        """One line was sent, several are to come, and the file's line goes on with a comment: it stays there."""
        request = readings(old, new)[0]
        number = self.site.start_line - 1
        solid = next((each for each, line in enumerate(request.old) if line.strip()), None)
        if solid is None or not self.index.knows(request.old[solid].strip(), self.index.line(number).strip()):
            return None
        at = tuple(number if each == solid else None for each in range(len(request.old)))
        return settle(self.index, request, Match(at, tuple(place is not None for place in at)), self.rung)

    def _ends_as(self, old: str, new: str) -> bool:
        """Whether the file's last line there is new's already, which is longer than old's."""
        (*_, was), (*_, now) = old.split("\n"), new.split("\n")
        return was != now and now.startswith(was) and self.index.line(self.site.end_line - 1) == now

    def _ending(self) -> bytes:
        lines, (begin, end) = self.index.lines, self.index.lines.around(self.start)
        before = lines.around(begin - 1) if begin else (0, 0)  # where the last line has no end
        return lines.ending_of(begin, end) or lines.ending_of(*before) or b"\n"


def _several(text: str) -> bool:
    return "\n" in text.strip("\r\n")
