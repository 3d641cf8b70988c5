"""The answers of a search."""

from __future__ import annotations

from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from suture.edits import Edit


class Site(Record):
    """A range of lines of the file, counted from 1, both inclusive."""

    start_line: int
    end_line: int
    score: float = 1.0


class Base(Record):
    """An earlier version of a file, on which a request may have been written."""

    body: bytes
    """Its text, as `Text.body` has it."""
    source: str
    """How it is known: `read` (shown to this session), `history`, `index`, `head` or `commit`."""
    id: str | None = None
    """The commit that has this version (`head`, `commit`), or the change that made it (`history`), if it is known."""
    until: str | None = None
    """The change or commit that replaced this version by the next one, if it is known."""


class Found(Record):
    """The one place, and the change as it is to be made there."""

    rung: str
    """How the text was recognized: a name of the ladder's table."""
    score: float
    """1.0, or for `similar` how much of the text stands there."""
    runner_up: Site | None
    """For `similar`: the next best place."""
    site: Site
    span: tuple[int, int]
    """The bytes of the body that the old text was found to be."""
    edits: tuple[Edit, ...]
    """The change: edits on the body."""
    base: Base | None = None
    """For `rebased`: the version on which the request was written."""


class Match(Record):
    """What of the file a request's old lines were found to be. Lines are 0-based."""

    at: tuple[int | None, ...]
    """The file's line for each old line, where there is one."""
    same: tuple[bool, ...]
    """Whether an old line is the file's in all but manner: what proves the file's dialect."""
    gaps: dict[int, range] = {}  # noqa: RUF012  never changed
    """The file's lines that an elision stands for."""
    groups: tuple[tuple[int, int, int, int], ...] = ()
    """Old lines (from, up to) that are the file's lines (from, up to), broken in another way."""

    @property
    def first(self) -> int:
        """The first line."""
        return min(self._places())

    @property
    def last(self) -> int:
        """The last line."""
        return max(self._places())

    def _places(self) -> Iterator[int]:
        yield from (place for place in self.at if place is not None)
        yield from (place for _, _, low, high in self.groups for place in (low, high - 1))

    @property
    def site(self) -> Site:
        """Where it is."""
        return Site(self.first + 1, self.last + 1)


class Sides(Record):
    """A conflict: what the request knew, what stands in the file from `line` on, what the request wants."""

    line: int
    base: str
    ours: str
    theirs: str


class Refused(Record):
    """Why nothing is to be done."""

    why: str
    """`missing`, `ambiguous`, `applied`, `partly_applied`, `conflict`, `deleted`, `elided` or `unproved`."""
    rung: str | None = None
    """Where the search stopped, if it found something."""
    sites: tuple[Site, ...] = ()
    """The places: all that fit if ambiguous, where it stands if applied, the nearest ones if missing."""
    sides: Sides | None = None
    detail: str = ""
    """For `conflict` and `unproved`: what could not be decided, as a word of a fixed list."""
    base: Base | None = None
    """The version on which the request was written, if it is known: then it fits no other place."""


Answer = Found | Refused
