"""The text as it was sent, byte for byte but for line ends."""

from __future__ import annotations

from suture.edits import edit
from suture.locate.found import Found, Match, Refused, Site
from suture.locate.index import MOST_PLACES
from suture.locate.request import readings
from suture.locate.settle import settle, stands_over
from suture.locate.words import is_known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from suture.locate.found import Answer
    from suture.locate.index import Index


def literal(index: Index, old: str, new: str, *, whole_lines: bool) -> Answer | None:
    """The answer where the text stands as sent; None where it doesn't, or is a block without its indentation."""
    for rung, sought in _spellings(index, old):
        hits = list(_hits(index.body, sought))
        lines = [at for at in hits if _is_whole(index.body, at, at + len(sought))]
        if whole_lines or (len(lines) == 1 and b"\n" in sought.strip(b"\r\n")):
            hits = lines
        if len(hits) > 1:
            return Refused("ambiguous", rung, tuple(_site(index, at, at + len(sought)) for at in hits))
        if hits:
            return _pasted(index, hits[0], hits[0] + len(sought), rung, old, new)
    return None


def _spellings(index: Index, old: str) -> Iterator[tuple[str, bytes]]:
    yield "exact", old.encode("utf-8", "surrogatepass")
    style = index.lines.style()
    if "\n" in old and "\r" not in old and style in {"crlf", "cr"}:
        ending = "\r\n" if style == "crlf" else "\r"
        yield "line_ends", old.replace("\n", ending).encode("utf-8", "surrogatepass")


def _hits(body: bytes, sought: bytes) -> Iterator[int]:
    at = body.find(sought)
    for _ in range(MOST_PLACES):
        if at < 0:
            return
        end = at + len(sought)
        if b"\r\n" not in (body[at - 1 : at + 1], body[end - 1 : end + 1]):  # half a line end is none
            yield at
        at = body.find(sought, at + 1)


def _is_whole(body: bytes, start: int, end: int) -> bool:
    """Whether a range begins at a line's begin and ends at a line's end."""
    begins = start == 0 or body[start - 1] in b"\r\n"
    return begins and (end == len(body) or body[end] in b"\r\n" or body[end - 1] in b"\r\n")


def _site(index: Index, start: int, end: int) -> Site:
    return Site(index.lines.at(start), index.lines.at(max(start, end - 1)))


def _pasted(index: Index, start: int, end: int, rung: str, old: str, new: str) -> Answer | None:
    site = _site(index, start, end)
    first, _ = index.lines.span(site.start_line)
    begin, finish = first, index.lines.span(site.end_line)[1]
    before = index.body[begin:start]
    rest = index.body[end:finish].rstrip(b"\r\n") if index.body[end - 1 : end] not in {b"\r", b"\n"} else b""
    several = any("\n" in text.strip("\r\n") for text in (old, new))
    uneven = old.endswith("\n") and not new.endswith("\n")
    if before and not before.strip() and (several or (uneven and not rest.strip())):
        if not rest.strip():
            return None  # whole lines that lack their indentation
        return _longer(index, site, old, new, rung)
    if not before and rest and "\n" in new.strip("\r\n") and "\n" not in old.strip("\r\n"):
        longer = _longer(index, site, old, new, rung)
        if isinstance(longer, Found):
            return longer
    if rest and _ends_as(index, site, old, new):
        return Refused("partly_applied", rung, (site,))
    if not before and not rest.strip() and stands_over(index, site.start_line - 1, old, new):
        return Refused("applied", rung, (site,))
    text = new
    if "\r" not in new and "\n" in new:
        text = new.replace("\n", _ending(index, site).decode())
    return Found(rung, 1.0, None, site, (start, end), (edit(start, end, text.encode("utf-8", "surrogatepass")),))


def _ends_as(index: Index, site: Site, old: str, new: str) -> bool:
    """Whether the file's last line there is new's already, which is longer than old's."""
    (*_, was), (*_, now) = old.split("\n"), new.split("\n")
    return was != now and now.startswith(was) and index.line(site.end_line - 1) == now


def _longer(index: Index, site: Site, old: str, new: str, rung: str) -> Answer:
    """One line was sent, several are to come, and the file's line goes on: well if that is a comment."""
    request = readings(old, new)[0]
    number = site.start_line - 1
    solid = [each for each, line in enumerate(request.old) if line.strip()]
    if len(solid) == 1 and is_known(request.old[solid[0]], index.line(number), index.has_word):
        at = tuple(number if each == solid[0] else None for each in range(len(request.old)))
        return settle(index, request, Match(at, tuple(place is not None for place in at)), rung)
    return Refused("unproved", rung, (site,), None, "line_goes_on")


def _ending(index: Index, site: Site) -> bytes:
    lines = index.lines
    near = (site.start_line, site.start_line - 1, site.start_line + 1)
    return next((end for line in near if 1 <= line <= len(lines) and (end := lines.ending(line))), b"\n")
