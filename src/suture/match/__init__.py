"""Find the one place in a file where a text occurs, and make the edits for it; rebase changes of earlier versions.

    locate(Index(body), old, new) -> Found | Refused
    find_at_line(Index(body), old, new, line) -> Found | None

If a text does not occur in the file in any form, it may have been written for an earlier version. If such a version
contains it in exactly one place, the request is rebased: the change is made in that version, and then merged with the
changes from that version to the current file, as git merges. If they can't be merged, the request is refused: once its
version is known, a text is never searched for elsewhere. Rebasing is the second half of this module: `_rebase` tries
the versions, `_merge` merges, `_LineMap` tracks where lines moved.

One coarse search finds every place where all lines of the text occur, in any form. Each place gets the strictest rung
that it satisfies, and the strictest rung with any place decides: a single place is taken, several end the search. A
search per rung would find the same places but read the file once per rung. The looser searches (words across lines,
omitted parts, similarity, a missing outer line) run only if no place has all lines.
"""

from __future__ import annotations

from suture.match import exact, similar
from suture.match.exact import find_as_sent, find_at_line
from suture.match.index import Base, Found, Index, Refused, Sides, Site, declared_name, scope
from suture.match.ladder import BOUNDS, LEAST_INEXACT_LETTERS, LEVEL, RUNGS, Candidate, find_applied, make_change
from suture.match.normalize import informative, likeness, line_keys, readings, solid_keys, split
from suture.match.placeholders import elides_only_in_new
from suture.text import newline_at, with_lf
from suture.text.diff import changes
from suture.text.edits import Edit, Span, apply, minimize
from suture.text.merge import merge, split_any_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from suture.match.index import Answer
    from suture.match.normalize import Request

    Find = Callable[[Index], Answer | None]
    """Searches a version of the file for the request's old text: as it was sent, or in another form."""

__all__ = [
    "RUNGS",
    "Base",
    "Found",
    "Index",
    "Refused",
    "Sides",
    "Site",
    "find_at_line",
    "locate",
    "locate_in",
    "locate_in_bases",
]

AS_SENT = ("exact", "line_ends")
"""The rungs of a text that is in the file as it was sent."""
_MAX_LINES = 5_000
"""Longer texts are searched for only as sent, which bounds the time."""
_MAX_LOOSE_BYTES = 4_000_000  # total bytes of versions that are searched for another form of a text: bounds the time
_LEAST_LIKENESS = 0.5  # share of equal characters below which replaced lines count as deleted


def locate(
    index: Index, old: str, new: str, *, match: str = "lenient", whole_lines: bool = False, literal: bool = False
) -> Answer:
    """Find the one place where `old` occurs, and the edits that change it to `new`.

    The text is searched for as sent, in another form, in earlier versions, and by similarity; the first answer counts.
    With `whole_lines` the texts are lines: part of a line matches only if one line is replaced by one line.
    With `literal`, or with the match "exact", no line is a placeholder for others.
    """
    if match != "exact" and not literal and elides_only_in_new(split(old), split(new), index.name):
        return Refused("elided")

    def find(version: Index) -> Answer | None:
        return _find_whole(version, old, new, match, whole_lines=whole_lines, literal=literal)

    answer = find(index)
    if match != "lenient":
        return answer or Refused("missing")
    if isinstance(answer, Found) and answer.rung not in AS_SENT:
        answer = _check_earlier_versions(index, old, answer, find)
    elif answer is None:
        answer = _rebase(index, old, find)
    if answer is None and old.count("\n") <= _MAX_LINES:
        answer = _find_nearly(index, old, new)
    return answer or Refused("missing")


def locate_in(index: Index, site: Site, find: Callable[[Index], Answer]) -> Answer:
    """Search only the lines of a place."""
    start, end = index.span(site)
    part = Index(index.body[start:end], index.name)
    part.__dict__["indent"] = index.indent
    found = find(part)
    if isinstance(found, Refused):
        return found
    lines = site.start_line - 1
    is_unfinished = b"\n" not in part.body and b"\r" not in part.body
    ending = newline_at(index.body, start) if is_unfinished else b"\n"  # else the edits have the place's own
    edits = [
        Edit(Span(edit.span.start + start, edit.span.end + start), _with_ending(edit.new, ending))
        for edit in found.edits
    ]
    place = Site(found.site.start_line + lines, found.site.end_line + lines)
    return found.evolve(site=place, span=(found.span[0] + start, found.span[1] + start), edits=tuple(edits))


def _with_ending(new: bytes, ending: bytes) -> bytes:
    """A new text with another line ending, unless it has carriage returns."""
    return new if b"\r" in new else new.replace(b"\n", ending)


def locate_in_bases(
    index: Index,
    old: str,
    new: str,
    *,
    whole_lines: bool = False,
    accept: Callable[[Index, Site], bool] = lambda _base, _site: True,
) -> Answer | None:
    """Rebase the change from an earlier version that has the old text; None if no version has it.

    A version counts only if `accept` returns true for it and the place of the old text in it.
    """

    def find(base: Index) -> Answer | None:
        answer = _find_whole(base, old, new, "lenient", whole_lines=whole_lines, literal=False)
        return None if isinstance(answer, Found) and not accept(base, answer.site) else answer

    return _rebase(index, old, find)


def _find_whole(index: Index, old: str, new: str, match: str, *, whole_lines: bool, literal: bool) -> Answer | None:
    """Find the whole text in a version of the file, as it was sent or in another form."""
    answer = find_as_sent(index, old, new, match, whole_lines=whole_lines)
    if answer is not None or match == "exact" or old.count("\n") > _MAX_LINES:
        return answer
    return _climb(index, old, new, match, whole_lines=whole_lines, literal=literal)


def _climb(index: Index, old: str, new: str, match: str, *, whole_lines: bool, literal: bool) -> Answer | None:
    """Find a text that occurs in the file in a form other than the one sent; None if there is none."""
    requests = readings(old, new)[: None if match == "lenient" else 1]
    candidates = _find_candidates(index, requests)
    may_be_piece = _is_line_for_line(old, new) if whole_lines else not _is_line(old)
    if may_be_piece and all(candidate.level > LEVEL["escape"] for candidate in candidates):
        inside = _first(exact.find_piece(index, request, BOUNDS[match]) for request in requests)
        if inside is not None:
            return inside
    if any(candidate.level < LEVEL["similar"] for candidate in candidates) or (candidates and match != "lenient"):
        return _choose(index, candidates, BOUNDS[match])
    if candidates:
        return None
    answer = _first(similar.find_reflowed(index, request) for request in requests)
    if answer is None and match == "lenient" and not literal:
        return _first(similar.find_elided(index, request) for request in requests)
    return answer


def _find_nearly(index: Index, old: str, new: str) -> Answer:
    """Find a place that resembles the text, or one that already has the new text."""
    requests = readings(old, new)
    candidates = _find_candidates(index, requests)
    if candidates:
        return _choose(index, candidates, BOUNDS["lenient"])
    answer = similar.find_similar(index, requests)
    if isinstance(answer, Refused) and answer.why == "missing":
        return _first(find_applied(index, request) for request in requests) or answer
    return answer


def _first(answers: Iterable[Answer | None]) -> Answer | None:
    return next((answer for answer in answers if answer is not None), None)


def _is_line(old: str) -> bool:
    """Whether a text can't be part of a line: it is indented, or has a line ending at the end but not at the start."""
    bare = old.lstrip("\r\n")
    return bare[:1].isspace() or (bare == old and old.endswith(("\n", "\r")))


def _is_line_for_line(old: str, new: str) -> bool:
    """Whether one line is replaced by one line."""
    return all(text.strip("\r\n") and "\n" not in text.strip("\r\n") for text in (old, new))


def _find_candidates(index: Index, requests: Sequence[Request]) -> list[Candidate]:
    """The places where all lines of a reading occur. Later readings are skipped once a literal one is found."""
    candidates: list[Candidate] = []
    for request in requests:
        keys = line_keys(request.old)
        solid = [number for number, key in enumerate(keys) if key]
        places = index.runs([keys[number] for number in solid]) if solid else []
        candidates += [Candidate(index, request, solid, run) for run in places]
        if solid and len(places) == index.most_runs([keys[number] for number in solid]):
            break  # too many places
        if any(candidate.level <= LEVEL["look_alike"] for candidate in candidates):
            break
    return candidates


def _choose(index: Index, candidates: list[Candidate], allowed: Sequence[str]) -> Answer:
    """Take the only place on the strictest rung, or refuse."""
    level = min(candidate.level for candidate in candidates)
    strictest = [candidate for candidate in candidates if candidate.level == level]
    strictest.sort(key=lambda candidate: not candidate.moved)
    best = {candidate.match.site: candidate for candidate in strictest}  # prefers the reading that moves no line
    sites = tuple(sorted(best, key=lambda site: site.start_line))
    if RUNGS[level] not in allowed:
        return Refused("missing", RUNGS[level], sites)
    keys = solid_keys(candidates[-1].request.old)
    if len(best) > 1 or len(candidates) >= index.most_runs(keys):
        return Refused("ambiguous", RUNGS[level], sites)
    (chosen,) = best.values()
    if level < LEVEL["similar"]:
        return make_change(index, chosen.request, chosen.match, chosen.rung)
    if sum(map(informative, chosen.request.old)) < LEAST_INEXACT_LETTERS:
        return Refused("missing", RUNGS[level], sites)
    score = likeness("\n".join(chosen.request.old), "\n".join(index.window(chosen.match.first, chosen.match.last + 1)))
    answer = make_change(index, chosen.request, chosen.match, chosen.rung)
    return answer.evolve(score=round(score, 3)) if isinstance(answer, Found) else answer


def _rebase(index: Index, old: str, find: Find) -> Answer | None:
    """Rebase the change from the newest version that contains the old text; None if no version contains it.

    A version that contains it several times also ends the search: an older one might contain only one of the places.
    """
    return _first(_rebase_from(index, base, find) for base in _versions_with(index, old)) if old.strip() else None


def _check_earlier_versions(index: Index, old: str, answer: Found, find: Find) -> Answer:
    """The place found, unless an earlier version shows that the text was elsewhere.

    The place has the text in another form. If a recent version contains the text as sent, and those lines did not
    become this place, then the intended lines have changed or are gone, and this place merely resembles them.
    """
    plain_old = _plain_old(old)
    for base in index.earlier():
        if base.source == "commit":
            break  # searching all commits would take longer than the edit
        if plain_old and plain_old in with_lf(base.body):
            rebased = _rebase_from(index, base, find)
            if rebased is None or rebased.base is None or _overlaps_site(rebased, answer.site):
                return answer
            return rebased
    return answer


def _overlaps_site(rebased: Answer, site: Site) -> bool:
    """Whether the lines that an earlier version's lines became overlap a place."""
    deleted = isinstance(rebased, Refused) and rebased.why == "deleted"
    return not deleted and rebased.sites[0].overlaps(site)


def _rebase_from(index: Index, base: Base, find: Find) -> Answer | None:
    """Make the change in a version and merge it into the file; None if the version does not contain the old text."""
    base_index = Index(_adapt_line_endings(index, base.body), index.name)
    answer = find(base_index)
    if isinstance(answer, Found):
        return _merge(index, base_index, answer, base)
    return Refused("missing", detail="several_in_base") if answer and answer.why == "ambiguous" else None


def _plain_old(old: str) -> bytes:
    return with_lf(old.encode("utf-8", "surrogatepass")).strip(b"\n")


def _versions_with(index: Index, old: str) -> Iterator[Base]:
    """The versions that contain the text as sent, newest first; then some that may contain it in another form."""
    plain_old, others = _plain_old(old), []
    for base in index.earlier():
        if plain_old in with_lf(base.body):
            yield base
        else:
            others.append(base)
    size = 0
    for base in others:
        size += len(base.body)
        if size > _MAX_LOOSE_BYTES:
            return
        yield base


def _merge(index: Index, base_index: Index, answer: Found, base: Base) -> Answer:
    """Merge the change of an earlier version into the file."""
    line_map = _LineMap(base_index.body, index.body)
    lines = range(answer.site.start_line - 1, answer.site.end_line)
    low, high = line_map.follow(lines)
    last = max(len(index.lines), 1)
    site = Site(min(low + 1, last), min(max(high, low + 1), last))
    changed_index = Index(apply(base_index.body, answer.edits))
    merged = merge(base_index.body, index.body, changed_index.body)
    unchanged = changed_index.body == base_index.body  # only a search: then all of the text must still be there
    if (merged.conflicts or unchanged) and line_map.is_gone(lines):
        return Refused("deleted", "rebased", (site,), base=_version_before_removal(index, answer, base_index, base))
    if unchanged:
        sides = (_text(base_index, lines), _text(index, range(low, high)), _text(base_index, lines))
        return Refused("conflict", "rebased", (site,), Sides(site.start_line, *sides), "changed_since", base)
    if merged.conflicts:
        conflict = merged.conflicts[0]
        was, ours, theirs = (
            side.decode("utf-8", "replace").rstrip("\r\n") for side in (conflict.base, conflict.ours, conflict.theirs)
        )
        return Refused(
            "conflict", "rebased", (site,), Sides(conflict.ours_line, was, ours, theirs), "changed_since", base
        )
    edits = tuple(minimize(index.body, merged.edits))
    if not edits:
        return Refused("applied", "rebased", (site,), base=base)
    if _is_in_other_scope(base_index, minimize(base_index.body, answer.edits), index, edits):
        wanted = range(lines.start, lines.stop + len(changed_index.lines) - len(base_index.lines))
        sides = (_text(base_index, lines), _text(index, range(low, high)), _text(changed_index, wanted))
        return Refused("conflict", "rebased", (site,), Sides(site.start_line, *sides), "other_scope", base)
    return Found("rebased", site, index.span(site), edits, base=base)


def _version_before_removal(index: Index, answer: Found, base_index: Index, base: Base) -> Base:
    """The version that tells what removed the text: for a version known from reading, the newest recorded one."""
    if base.source != "read" or base.until is not None:
        return base
    text = with_lf(base_index.body[slice(*answer.span)])
    others = (version for version in index.earlier() if version.source != "read" and text in with_lf(version.body))
    recorded = next(others, base)
    return base if recorded.until is None else recorded


def _is_in_other_scope(base_index: Index, base_edits: Sequence[Edit], index: Index, edits: Sequence[Edit]) -> bool:
    """Whether the rebased change landed in a class or function that already existed but is not the intended one.

    If a function was deleted, the merge may have taken another function's lines for its lines.
    """
    was, now = _scope_of(base_index, base_edits), _scope_of(index, edits)
    return was != now and any(
        _declares(version, name)
        for version, inside, outside in ((base_index, now, was), (index, was, now))
        for name in {*inside} - {*outside}
    )


def _declares(version: Index, name: str) -> bool:
    lines = version.lines_with(name)
    return lines is None or any(declared_name(version.line(number)) == name for number in lines)


def _scope_of(version: Index, edits: Sequence[Edit]) -> tuple[str, ...]:
    """The names of the classes and functions around the first edit."""
    line = version.lines.at(edits[0].span.start)
    return scope(version.line, line - 1, len(version.lines))


def _text(version: Index, lines: range) -> str:
    return "\n".join(version.window(lines.start, lines.stop))


class _LineMap:
    """Maps lines of an earlier version to lines of the file. Lines are counted from 0."""

    def __init__(self, before: bytes, after: bytes) -> None:
        self._before, self._after = split_any_lines(before), split_any_lines(after)
        self._changes = changes(self._before, self._after)

    def follow(self, lines: range) -> tuple[int, int]:
        """The range of lines that some lines became, including everything that was changed together with them."""
        return self._map_line(lines.start, end=False), self._map_line(lines.stop, end=True)

    def _map_line(self, line: int, *, end: bool) -> int:
        growth = 0
        for i, j, k, m in self._changes:
            if line < i or (line == i and not (end and i == j)):
                break
            if line < j or (line == j and i < j and end):
                return m if end else k
            growth = (m - k) - (j - i) + growth
        return line + growth

    def is_gone(self, lines: range) -> bool:
        """Whether no line with letters or digits is left of some lines, and nothing like them is in their place."""
        left = set(lines)
        for i, j, _, _ in self._changes:
            left.difference_update(range(i, j))
        if any(informative(self._before[line].decode("utf-8", "replace")) for line in left):
            return False
        low, high = self.follow(lines)
        was, now = (
            b"".join(part).decode("utf-8", "replace")
            for part in (self._before[lines.start : lines.stop], self._after[low:high])
        )
        return likeness(was, now) < _LEAST_LIKENESS


def _adapt_line_endings(index: Index, body: bytes) -> bytes:
    """A version with the file's line endings, so that a change of line endings alone is no difference."""
    style = index.lines.style()
    plain = with_lf(body)
    return plain.replace(b"\n", b"\r\n") if style == "crlf" else body if style == "mixed" else plain
