"""A request that was written on an earlier version of a file, merged into the file as it is now.

Where a text does not occur in the file, the first question is on which version it was written. If an earlier version
holds it in one place, the request is a change of that version. It is made there, and the two changes of that version,
the request's and the one that led to the file, are merged as git merges them. What can't be merged is refused: a text
whose version is known is never looked for anywhere else.
"""

from __future__ import annotations

from suture.match.index import Found, Index, Refused, Sides, Site, declared, scope
from suture.match.normalize import informative, likeness
from suture.text.diff import changes, split_lines
from suture.text.edits import apply, minimize
from suture.text.merge import merge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from suture.match.index import Answer, Base
    from suture.text.edits import Edit

    Find = Callable[[Index], Answer | None]
    """Looks for the request's old text in a version of the file: as it was sent, or in another form."""

_MOST_BYTES_LOOSELY = 4_000_000  # bytes of versions that are searched for a text in another form than it was sent
_LEAST_LIKENESS = 0.5  # of the characters; lines that have less in common with what replaced them were deleted


def rebase(index: Index, old: str, find: Find) -> Answer | None:
    """The change, made on the newest version that holds the old text, and merged; None if no version holds it.

    A version that holds it several times ends the search, too: an older one may hold only one of the places.
    """
    for base in _bases_with(index, old) if old.strip() else ():
        if (answer := _follow(index, base, find)) is not None:
            return answer
    return None


def unless_elsewhere(index: Index, old: str, answer: Found, find: Find) -> Answer:
    """A place that holds the text in another form, unless it is known that the text was elsewhere.

    If a recent version holds it as it was sent, and what became of those lines is not this place, then the lines that
    were meant are gone or have changed, and this place only resembles them.
    """
    sought = _sought(old)
    for base in index.earlier():
        if base.source == "commit":
            break  # looking through all commits takes longer than the edit
        if sought and sought in _plain(base.body):
            known = _follow(index, base, find)
            return answer if known is None or known.base is None or _is_at(known, answer.site) else known
    return answer


def _is_at(known: Answer, site: Site) -> bool:
    """Whether what became of the lines of a version, and a place, have lines in common."""
    if isinstance(known, Refused) and known.why == "deleted":
        return False
    here = known.site if isinstance(known, Found) else known.sites[0]
    return here.start_line <= site.end_line and site.start_line <= here.end_line


def _follow(index: Index, base: Base, find: Find) -> Answer | None:
    """The change, made on a version and merged into the file; None if the version does not hold the old text."""
    then = Index(_with_line_ends_of(index, base.body), index.name)
    answer = find(then)
    if isinstance(answer, Found):
        return _merge(index, then, answer, base)
    return Refused("missing", None, (), None, "several_in_base") if answer and answer.why == "ambiguous" else None


def _sought(old: str) -> bytes:
    return _plain(old.encode("utf-8", "surrogatepass")).strip(b"\n")


def _bases_with(index: Index, old: str) -> Iterator[Base]:
    """The versions that hold the text as it was sent, newest first; then some that may hold it in another form."""
    sought, others = _sought(old), []
    for base in index.earlier():
        if sought in _plain(base.body):
            yield base
        else:
            others.append(base)
    size = 0
    for base in others:
        size += len(base.body)
        if size > _MOST_BYTES_LOOSELY:
            return
        yield base


def _merge(index: Index, then: Index, answer: Found, base: Base) -> Answer:
    """The change of an earlier version, merged into the file."""
    moved = _LineMap(then.body, index.body)
    lines = range(answer.site.start_line - 1, answer.site.end_line)
    low, high = moved.follow(lines)
    last = max(len(index.lines), 1)
    site = Site(min(low + 1, last), min(max(high, low + 1), last))
    asked = Index(apply(then.body, answer.edits))
    merged = merge(then.body, index.body, asked.body)
    idle = asked.body == then.body  # nothing is to be changed, only found: then all of it must be there
    if (merged.conflicts or idle) and moved.is_gone(lines):
        return Refused("deleted", "rebased", (site,), base=_last_with(index, answer, then, base))
    if idle:
        sides = (_text(then, lines), _text(index, range(low, high)), _text(then, lines))
        return Refused("conflict", "rebased", (site,), Sides(site.start_line, *sides), "changed_since", base)
    if merged.conflicts:
        one = merged.conflicts[0]
        was, ours, theirs = (
            side.decode("utf-8", "replace").rstrip("\r\n") for side in (one.base, one.ours, one.theirs)
        )
        return Refused("conflict", "rebased", (site,), Sides(one.ours_line, was, ours, theirs), "changed_since", base)
    edits = tuple(minimize(index.body, merged.edits))
    if not edits:
        return Refused("applied", "rebased", (site,), base=base)
    if _is_elsewhere(then, minimize(then.body, answer.edits), index, edits):
        wanted = range(lines.start, lines.stop + len(asked.lines) - len(then.lines))
        sides = (_text(then, lines), _text(index, range(low, high)), _text(asked, wanted))
        return Refused("conflict", "rebased", (site,), Sides(site.start_line, *sides), "other_scope", base)
    span = index.lines.span(site.start_line)[0], index.lines.span(site.end_line)[1]
    return Found("rebased", 1.0, None, site, span, edits, base)


def _last_with(index: Index, answer: Found, then: Index, base: Base) -> Base:
    """The version that tells what removed a text: of one that was read, the newest other one that holds the text."""
    if base.source != "read" or base.until is not None:
        return base
    text = _plain(then.body[slice(*answer.span)])
    others = (version for version in index.earlier() if version.source != "read" and text in _plain(version.body))
    other = next(others, base)
    return base if other.until is None else other


def _is_elsewhere(then: Index, made: Sequence[Edit], index: Index, edits: Sequence[Edit]) -> bool:
    """Whether a change came to be in another class or function that was there before, not in one with a new name.

    Where a function is gone, its lines may have been taken for those of another one.
    """
    was, now = _scope_of(then, made), _scope_of(index, edits)
    return was != now and any(
        _declares(version, name)
        for version, one, other in ((then, now, was), (index, was, now))
        for name in {*one} - {*other}
    )


def _declares(version: Index, name: str) -> bool:
    lines = version.lines_with(name)
    return lines is None or any(declared(version.line(number)) == name for number in lines)


def _scope_of(version: Index, edits: Sequence[Edit]) -> tuple[str, ...]:
    """The names of what the first edit is in."""
    line = version.lines.at(edits[0].span.start)
    return scope(version.line, line - 1, len(version.lines))


def _text(version: Index, lines: range) -> str:
    return "\n".join(version.window(lines.start, lines.stop))


class _LineMap:
    """Where the lines of an earlier version are in the file. Lines are counted from 0."""

    def __init__(self, then: bytes, now: bytes) -> None:
        self._then, self._now = split_lines(then), split_lines(now)
        self._changes = changes(self._then, self._now)

    def follow(self, lines: range) -> tuple[int, int]:
        """The lines of the file that some lines became, with all that was changed together with them."""
        return self._at(lines.start, end=False), self._at(lines.stop, end=True)

    def _at(self, line: int, *, end: bool) -> int:
        growth = 0
        for i, j, k, m in self._changes:
            if line < i or (line == i and not (end and i == j)):
                break
            if line < j or (line == j and i < j and end):
                return m if end else k
            growth = (m - k) - (j - i) + growth
        return line + growth

    def is_gone(self, lines: range) -> bool:
        """Whether nothing that says something is left of some lines, nor anything like them in their place."""
        left = set(lines)
        for i, j, _, _ in self._changes:
            left.difference_update(range(i, j))
        if any(informative(self._then[line].decode("utf-8", "replace")) for line in left):
            return False
        low, high = self.follow(lines)
        was, now = (
            b"".join(part).decode("utf-8", "replace")
            for part in (self._then[lines.start : lines.stop], self._now[low:high])
        )
        return likeness(was, now) < _LEAST_LIKENESS


def _with_line_ends_of(index: Index, body: bytes) -> bytes:
    """A version with the line endings of the file, which are not what it was changed for."""
    style = index.lines.style()
    plain = _plain(body)
    return plain.replace(b"\n", b"\r\n") if style == "crlf" else body if style == "mixed" else plain


def _plain(text: bytes) -> bytes:
    return text.replace(b"\r\n", b"\n")
