"""The ladder: a table of rungs, strictest first, and the change at the one place that a rung has found.

A `Candidate` is found once, by its coarse keys, and gets the strictest rung that it satisfies; a search per rung would
read the file once per rung. `make_change` makes the change at a place, and refuses it as applied if the new text is
already there.
"""

from __future__ import annotations

from bisect import bisect_left

from suture.match.carry import carry
from suture.match.dialect import Leads
from suture.match.index import Found, Match, Refused, Site, offsets_in, place_blanks
from suture.match.normalize import fold, informative, is_escaped, lead, plain_words, solid_keys, split
from suture.records import Record
from suture.text.edits import edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from suture.match.index import Answer, Index
    from suture.match.normalize import Request
    from suture.text.edits import Edit


class Rung(Record):
    """A way to find a text in a file."""

    name: str
    match: str
    """The strictest value of the option `match` that allows it."""
    fits: Callable[[str, str], bool] | None = None
    """For a rung that compares line by line: whether the line sent equals the file's line.

    Only lines with the same key are compared (`normalize.coarse`). A line that fits a rung must fit all looser ones.
    """


LADDER = (
    Rung("exact", "exact"),
    Rung("line_ends", "exact", lambda sent, actual: sent == actual),
    Rung("trailing", "whitespace", lambda sent, actual: sent.rstrip() == actual.rstrip()),
    Rung("indentation", "whitespace", lambda sent, actual: sent.strip() == actual.strip()),
    Rung("trimmed", "whitespace"),
    Rung("look_alike", "lenient", lambda sent, actual: fold(sent).strip() == fold(actual).strip()),
    Rung("escape", "lenient", lambda sent, actual: is_escaped(sent.strip(), actual.strip())),
    Rung("tokens", "whitespace", lambda sent, actual: plain_words(sent) == plain_words(actual)),
    Rung("elision", "lenient"),
    Rung("rebased", "lenient"),
    Rung("similar", "lenient"),
)
"""All rungs, strictest first."""
RUNGS = tuple(rung.name for rung in LADDER)
LEVEL = {name: level for level, name in enumerate(RUNGS)}
COMPARED = tuple((LEVEL[rung.name], rung.fits) for rung in LADDER if rung.fits)
_MATCHES = ("exact", "whitespace", "lenient")
BOUNDS = {
    match: tuple(rung.name for rung in LADDER if rung.match in _MATCHES[:number])
    for number, match in enumerate(_MATCHES, 1)
}
"""The rungs that each value of `match` allows."""

LEAST_INEXACT_LETTERS = 16
"""Letters and digits that a text needs to be recognized without an exact match: shorter ones resemble other code."""
_FAR_APPLIED_LETTERS = 40  # letters and digits of a new text that proves an applied change even far from the old one
_LEAST_ADDED_LETTERS = 1  # letters and digits that new must add to old, if it contains old, to prove an applied change


class Candidate:
    """A place where all solid lines of a reading occur, and the strictest rung that it satisfies."""

    def __init__(self, index: Index, request: Request, solid: Sequence[int], places: Sequence[int]) -> None:
        self.request = request
        at: list[int | None] = [None] * len(request.old)
        for number, place in zip(solid, places, strict=True):
            at[number] = place
        place_blanks(index, request.old, at)
        self.match = Match(tuple(at), tuple(place is not None for place in at))
        level = LEVEL["escape"] if not request.plain else LEVEL["look_alike"] if request.exotic else 0
        level = max(level, self._level_of_lines(index, solid, places))
        self.level = max(level, self._level_of_blanks(index, solid))

    @property
    def rung(self) -> str:
        """The name of the rung."""
        return RUNGS[self.level]

    def _level_of_lines(self, index: Index, solid: Sequence[int], places: Sequence[int]) -> int:
        step = 0
        leads = []
        self.moved = True
        for number, place in zip(solid, places, strict=True):
            sent, actual = self.request.old[number], index.line(place)
            while step < len(COMPARED) and not COMPARED[step][1](sent, actual):
                step += 1
            leads.append((lead(sent), lead(actual)))
        if step == len(COMPARED):
            return LEVEL["similar"]
        self.moved = any(sent != actual for sent, actual in leads)
        level = COMPARED[step][0]
        if level >= LEVEL["indentation"]:
            rules = Leads(leads, lambda: (index.indent, index.indent))
            first_only = all(sent == actual for sent, actual in leads[1:])
            if not rules.explained and not first_only:
                return LEVEL["similar"]
        return level

    def _level_of_blanks(self, index: Index, solid: Sequence[int]) -> int:
        old, at = self.request.old, self.match.at
        blank = [number for number, line in enumerate(old) if not line.strip()]
        missing = [number for number in blank if at[number] is None]
        if any(solid[0] < number < solid[-1] for number in missing):
            return LEVEL["tokens"]
        inside = range(self.match.first, self.match.last + 1)
        if len(inside) > sum(place is not None for place in at):
            return LEVEL["tokens"]
        if missing:
            return LEVEL["trimmed"]
        return LEVEL["trailing"] if any(old[n] != index.line(at[n]) for n in blank) else 0  # type: ignore[arg-type]  # none of these is missing


def make_change(index: Index, request: Request, match: Match, rung: str) -> Answer:
    """Make the change at a place."""
    request, match = _without_outer_blanks(request, match)
    if LEVEL[rung] > LEVEL["line_ends"] and _is_applied(index, request, match):
        return Refused("applied", rung, (match.site,))
    answer = carry(index, _indent_as_file(index, request, match), match, rung)
    if isinstance(answer, Found) and request.unfinished and match.last == len(index.lines) - 1:
        return answer.evolve(edits=_without_final_ending(index, answer.edits))
    return answer


def find_applied_at(index: Index, first: int, old: str, new: str) -> Site | None:
    """Where the new text occurs around the old one, which was found as sent; None if it adds nothing or isn't there."""
    before, after = ([line.rstrip() for line in split(text)] for text in (old, new))
    more = sum(map(informative, after)) - sum(map(informative, before))
    for offset in offsets_in(after, before) if more >= _LEAST_ADDED_LETTERS else ():
        begin, end = first - offset, first - offset + len(after)
        if begin >= 0 and [line.rstrip() for line in index.window(begin, min(end, len(index.keys)))] == after:
            return Site(begin + 1, end)
    return None


def find_applied(
    index: Index, request: Request, *, near: Site | None = None, enough: int = LEAST_INEXACT_LETTERS
) -> Refused | None:
    """Refuse if the file already has the new text.

    The new text must have `enough` letters and digits and, unless it has many, be `near` the place.
    """
    keys, before = solid_keys(request.new), solid_keys(request.old)
    says = sum(map(informative, request.new))
    if not keys or keys == before or says < enough:
        return None
    if b"\n".join(keys) in b"\n".join(before):
        return None  # the change only removes: what remains of old is in the file in any case
    wanted = [fold(line).strip() for line in request.new if line.strip()]
    for places in index.runs(keys):
        site = Site(places[0] + 1, places[-1] + 1)
        may_be_it = near is None or says >= _FAR_APPLIED_LETTERS or site.overlaps(near)
        if may_be_it and [fold(index.line(place)).strip() for place in places] == wanted:
            return Refused(
                "partly_applied" if old_lines_remain(index, before, keys, site) else "applied", None, (site,)
            )
    return None


def old_lines_remain(index: Index, old: Sequence[bytes], new: Sequence[bytes], site: Site) -> bool:
    """Whether lines that the change removes still occur beside the new text; compared by keys."""
    gone = {key for key in old if key not in new and informative(key.decode("utf-8", "replace")) > _LEAST_ADDED_LETTERS}
    return any(key in gone for key in index.keys[max(site.start_line - 1 - len(old), 0) : site.end_line + len(old)])


def _without_final_ending(index: Index, edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """The edits, with the line ending of the file's last line removed as well."""
    size = len(index.body)
    ending = index.lines.ending(len(index.lines))
    if edits and edits[-1].span.end == size:
        return (*edits[:-1], edits[-1].evolve(new=edits[-1].new.removesuffix(ending)))
    return (*edits, edit(size - len(ending), size, b""))


def _indent_as_file(index: Index, request: Request, match: Match) -> Request:
    """The request with the file's indentation in its old lines, if its new lines already have that indentation.

    A change of indentation alone stays as sent.
    """
    file_leads = {
        number: lead(index.line(place))
        for number, place in match.placed
        if match.same[number] and request.old[number].strip()
    }
    old, new = solid_keys(request.old), solid_keys(request.new)
    if not file_leads or not new or old == new or any(line.strip() and line in request.old for line in request.new):
        return request
    leads = [[lead(line) for line in lines if line.strip()] for lines in (request.old, request.new)]
    sent, wanted = (min(side, key=len) for side in leads)
    actual = min(file_leads.values(), key=len)
    if sent == actual or wanted != actual:
        return request
    lines = [
        file_leads[number] + line.lstrip() if number in file_leads else line for number, line in enumerate(request.old)
    ]
    return request.evolve(old=tuple(lines))


def _without_outer_blanks(request: Request, match: Match) -> tuple[Request, Match]:
    """Drop blank lines around both texts that the file doesn't have."""
    old, new, at, same = list(request.old), list(request.new), list(match.at), list(match.same)
    for end in (-1, 0) if not match.gaps else (-1,):
        while old and new and at[end] is None and not old[end].strip() and not new[end].strip():
            for lines in (old, new, at, same):
                del lines[end]
    return request.evolve(old=tuple(old), new=tuple(new)), match.evolve(at=tuple(at), same=tuple(same))


def _is_applied(index: Index, request: Request, match: Match) -> bool:
    """Whether the new text is already at the place of the old one."""
    before, after = solid_keys(request.old), solid_keys(request.new)
    if before == after:  # only the form changes: compare exactly
        wanted = [line.rstrip() for line in request.new]
        window = index.window(match.first, match.last + 1)
        return wanted != [line.rstrip() for line in request.old] and [line.rstrip() for line in window] == wanted
    more = sum(map(informative, request.new)) - sum(map(informative, request.old))
    begins = offsets_in(after, before) if more >= _LEAST_ADDED_LETTERS else ()
    ordinals = (bisect_left(index.solid, match.first) - offset for offset in begins)
    return any(n >= 0 and [index.keys[place] for place in index.solid[n : n + len(after)]] == after for n in ordinals)
