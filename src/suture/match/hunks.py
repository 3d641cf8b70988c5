"""Find where the hunks of a reply belong in a file's text, and what they become there.

A hunk is whole lines; only a hunk of a call may be part of a line. It is searched for by its text, with `locate`.
Everything else a format says about its place (line numbers of a diff, lines named above it, the end of the file, the
order of hunks) only decides between places that fit equally. The exception is line numbers that are right: they are
believed, as `git apply` does. A hint, the line number in some blocks, never overrides the text: of several equal places
it chooses the one that begins at that line.
"""

from __future__ import annotations

from suture.formats.search_replace import marker
from suture.match import AS_SENT, locate, locate_in, locate_in_bases
from suture.match.exact import find_at_line
from suture.match.index import MAX_PLACES, Found, Index, Refused, Site, declared_name, header_name
from suture.match.normalize import depth
from suture.records import Record
from suture.text.edits import edit
from suture.text.replace import adapt_endings, occurrences

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suture.formats import Hunk, Split

_CLOSERS = ("}", ")", "]", "end", "</", "else", "elif", "except", "finally", "catch")
_KINDS = ("class", "def", "fn", "func", "function", "method")
OUTSIDE = "outside"
"""The detail of a text that is in the file, but not in what its hunk names."""
NOT_NAMED = "not_named"
"""The detail of a text whose hunk names something that is not in the file."""
_MAX_CONTEXT_LINES = 20  # lines named above a hunk that are followed, level by level: bounds the time
MAX_CHOICES = 100_000
"""Places of a text among which a line chooses: bounds the memory."""
_CUT_BY_GIT = 78  # characters from which on a name may be cut inside a word: git cuts at 80


class Fit(Record):
    """The answer for a hunk, and the split that it is for.

    In addition to the reasons of `locate`, a hunk may be refused as `unplaced` (it only inserts, and nothing says
    where) or `unsplit` (it can be read in several ways, and the file does not decide which one is meant).
    """

    answer: Found | Refused
    split: Split


class Scope(Record):
    """The lines of the file that a hunk names, counted from 1."""

    first: int
    end: int
    """Its last line."""
    reach: int
    """The last line at which a hunk that names it may begin. Git names the last header above a hunk."""
    literal: bool = False
    """Whether the file has the exact line that git names: then line numbers below it are believed, as git does."""


class Expected(Record):
    """What the preceding hunks say about a hunk's place."""

    lines: tuple[int, ...] = ()
    """The lines at which it begins if the numbers are right, likeliest first."""
    behind: int = 1
    """The first line at which it may begin, if hunks are in order."""
    hints: tuple[int, ...] = ()
    """The lines that its hint may mean if the file has changed since; by default, the hint itself."""


def fit(index: Index, hunk: Hunk, match: str = "lenient", expected: Expected | None = None) -> Fit:
    """Find the one place of a hunk."""
    if len(hunk.splits) > 1 and hunk.at is not None:
        return _fit_by_counts(index, hunk, match, expected or Expected())
    if len(hunk.splits) > 1:
        likely = hunk.splits[: hunk.likely] or hunk.splits
        fitted = _fit_one_of(index, hunk, likely, match)
        if len(likely) < len(hunk.splits) and isinstance(fitted.answer, Refused) and not fitted.answer.sites:
            fitted = _fit_one_of(index, hunk, hunk.splits, match)
        if len(likely) > 1 or isinstance(fitted.answer, Found) or fitted.answer.sites:
            return fitted
        hunk = hunk.evolve(splits=likely)  # the likeliest split, so that the answer can say why it does not fit
    (split,) = hunk.splits
    answer = _fit_split(index, hunk, split, match, expected or Expected())
    if hunk.inner and isinstance(answer, Found) and _follows_search_marker(index, answer.site):
        answer = Refused("unsplit", sites=answer.sites)
    return Fit(answer, split)


def fit_by_numbers(index: Index, hunks: Sequence[Hunk]) -> list[Found] | None:
    """The places of all hunks of a diff, if each is exactly at its line number; None if one is not."""
    places: list[Found] = []
    end = 0
    for hunk in hunks:
        if len(hunk.splits) > 1:
            return None
        (split,) = hunk.splits
        place = None if hunk.at is None or not split.old else _place_at(index, split, hunk.at)
        if place is None or place.span[0] < end:
            return None
        if not _is_inside(_scopes_of_hunk(index, hunk), place.site, numbered=True):
            return None
        places.append(place)
        end = place.span[1]
    return places


def _fit_by_counts(index: Index, hunk: Hunk, match: str, expected: Expected) -> Fit:
    """Fit a hunk that is followed by more lines than its header counts, which may belong to it.

    If the extra lines include lines of the file, the file decides; if they are only added, it is `unsplit`.
    """
    counted, whole = hunk.splits
    scopes = _scopes_of_hunk(index, hunk)
    if counted.old == whole.old:
        return Fit(Refused("unsplit"), whole)
    for split in (whole, counted):
        numbered = next((place for line in expected.lines if (place := _place_at(index, split, line))), None)
        if numbered is not None and split.old != split.new and _is_inside(scopes, numbered.site, numbered=True):
            return Fit(numbered, split)
    return Fit(_fit_split(index, hunk, whole, match, expected), whole)


def _fit_split(index: Index, hunk: Hunk, split: Split, match: str, expected: Expected) -> Found | Refused:
    if not split.old or hunk.occurrences != 1:
        return fit_every(index, hunk.occurrences, split) if split.old else _insertion(index, hunk, split.new)
    scopes = _scopes_of_hunk(index, hunk)
    if scopes == []:
        rebased = _rebase(index, hunk, split) if match == "lenient" else None
        return rebased or Refused("missing", sites=_locate(index, split, match).sites, detail=NOT_NAMED)
    for line in expected.lines:
        place = _place_at(index, split, line)
        if place is not None and _is_inside(scopes, place.site, numbered=True):
            return place
    answer = _locate(index, split, match, part=hunk.part)
    if isinstance(answer, Refused):
        return _decide(index, hunk, split, answer, match, expected) if answer.why == "ambiguous" else answer
    if answer.base is None and not _is_inside(scopes, answer.site):
        return Refused("missing", sites=answer.sites, detail=OUTSIDE)
    return answer


def _rebase(index: Index, hunk: Hunk, split: Split) -> Found | Refused | None:
    """Rebase a hunk from an earlier version in which its lines are in what it names; None if there is none."""

    def is_in_scope(base: Index, site: Site) -> bool:
        return _is_inside(_scopes_of_hunk(base, hunk), site, numbered=site.start_line == hunk.at)

    return locate_in_bases(index, split.old, split.new, whole_lines=True, accept=is_in_scope)


def _scopes_of_hunk(index: Index, hunk: Hunk) -> list[Scope] | None:
    """The ranges in which a hunk must begin, as it names them; None if it names nothing."""
    lines = index.texts if hunk.context or hunk.section else []
    if hunk.context:
        scopes = _scopes_of_context(index, hunk.context)
        if not scopes and not any(map(_name_of_section, hunk.context)):
            return None
        named = _name_of_section(hunk.context[-1]) is not None or _bare_name(hunk.context[-1]) is not None
        return [
            Scope(first, end, max(end, _end_of_section(lines, first - 1) if named else len(lines)))
            for first, end in scopes
        ]
    name = _name_of_section(hunk.section)
    if name is None:
        return None
    heads = [n for n, line in enumerate(lines) if line.strip().startswith(hunk.section)]
    heads = [n for n in heads if declared_name(lines[n]) is not None or not lines[n][:1].isspace()]
    literal = bool(heads)
    heads = heads or [n for n, line in enumerate(lines) if _is_header(line) and header_name(line) == name]
    ends = [_end_of_section(lines, head) for head in heads]
    return [Scope(head + 1, end, end, literal) for head, end in zip(heads, ends, strict=True)]


def _name_of_section(section: str) -> str | None:
    """The class or function that a section heading declares; None for a prototype or a macro call."""
    plain = section.count("(") == 1 and not section.endswith(";")
    return declared_name(section) or (header_name(section) if plain else None)


def _is_header(line: str) -> bool:
    """Whether git would show a line after `@@`, in some language."""
    return declared_name(line) is not None or (not line[:1].isspace() and not line.rstrip().endswith(";"))


def _begins_name(line: str) -> bool:
    """Whether a line begins with a word; git shows no others after `@@`."""
    return line.lstrip()[:1].isalpha() or line.lstrip()[:1] in {"_", "$"}


def _declares(lines: Sequence[str], number: int) -> bool:
    """Whether a line declares a function or class; its brace may be on the next line."""
    if declared_name(lines[number]) is not None:
        return True
    below = next((line.strip() for line in lines[number + 1 :] if line.strip()), "")
    return below == "{" and header_name(lines[number]) is not None


def _end_of_section(lines: Sequence[str], head: int) -> int:
    """The last line, counted from 1, of a header's section: up to the next header that is not deeper."""
    indent = depth(lines[head])
    later = (
        n
        for n in range(head + 1, len(lines))
        if depth(lines[n]) <= indent and _begins_name(lines[n]) and _declares(lines, n)
    )
    return next(later, len(lines)) + 1


def _is_inside(scopes: Sequence[Scope] | None, site: Site, *, numbered: bool = False) -> bool:
    """Whether a place begins in one of the scopes. `numbered` says that the hunk's line number leads there."""
    if scopes is None:
        return True
    line = site.start_line
    return any(scope.first <= line and (line <= scope.reach or (numbered and scope.literal)) for scope in scopes)


def fit_every(index: Index, number: int, split: Split) -> Found | Refused:
    """Replace all occurrences of a text, if there are `number` of them; 0 means any number."""
    old, new = (text.encode("utf-8", "surrogatepass") for text in (split.old, split.new))
    spans = occurrences(index.body, old)
    if not spans:
        return Refused("missing")
    sites = tuple(index.site(start, end) for start, end in spans)
    if number not in {0, len(spans)}:
        return Refused("miscounted", "exact", sites)
    edits = tuple(edit(start, end, adapt_endings(index.body, start, end, new)) for start, end in spans)
    return Found("exact", sites[0], (spans[0][0], spans[-1][1]), edits)


def _place_at(index: Index, split: Split, line: int) -> Found | None:
    """The place of a hunk that occurs exactly at a line. Without context at its end it must end the file."""
    place = find_at_line(index, split.old, split.new, line)
    if place is None or _tears(index, place, split):
        return None
    goes_on = _last_line(split.old) == _last_line(split.new)
    return _keep_carriage_returns(place, split) if goes_on or place.span[1] == len(index.body) else None


def _keep_carriage_returns(place: Found, split: Split) -> Found:
    r"""The place with new lines as they were sent, if old was sent with `\r`: line endings may be what changes."""
    if place.rung != "exact" or "\r" not in split.old or len(place.edits) != 1:
        return place
    return place.evolve(edits=(edit(*place.span, split.new.encode("utf-8", "surrogatepass")),))


def _last_line(text: str) -> str:
    return text.removesuffix("\n").rpartition("\n")[2]


def _locate(index: Index, split: Split, match: str, *, part: bool = False) -> Found | Refused:
    answer = locate(index, split.old, split.new, match=match, whole_lines=not part, literal=split.literal)
    if part:
        return answer
    if isinstance(answer, Found):
        answer = _keep_carriage_returns(answer, split)
    if isinstance(answer, Found) and _tears(index, answer, split):
        ended = [text if text.endswith("\n") or not text else f"{text}\n" for text in (split.old, split.new)]
        answer = locate(index, *ended, match=match, whole_lines=True, literal=split.literal)
    return answer


def _tears(index: Index, place: Found, split: Split) -> bool:
    """Whether only one of the texts ends with a line ending although the place is not at the end of the file."""
    uneven = split.old.endswith("\n") != (split.new.endswith("\n") or not split.new)
    return uneven and place.span[1] < len(index.body)


def _decide(index: Index, hunk: Hunk, split: Split, answer: Refused, match: str, expected: Expected) -> Found | Refused:
    """Choose between places that fit equally, if everything else known about the hunk leaves only one."""
    sites, last = list(answer.sites), len(index.lines)
    if len(sites) >= MAX_PLACES or answer.rung == "similar":
        return answer  # there may be more places, or a better one outside of what the hunk names
    sites = [site for site in sites if site.start_line >= expected.behind]
    if hunk.at_end or not (hunk.part or split.old.endswith("\n")):
        sites = [site for site in sites if site.end_line == last]
    scopes = _scopes_of_hunk(index, hunk) or []
    if scopes:
        sites = [site for site in sites if any(scope.first <= site.start_line <= scope.end for scope in scopes)]
    if hunk.near is not None:
        hints = expected.hints or (hunk.near,)
        sites = list(dict.fromkeys(site for site in sites if site.start_line in hints))
    if len(sites) != 1:
        return answer
    place = locate_in(index, sites[0], lambda part: _locate(part, split, match, part=hunk.part))
    return answer if isinstance(place, Refused) or place.rung != answer.rung else place


def nearest(index: Index, split: Split, answer: Refused, line: int) -> Found | None:
    """The place nearest to a line, of several that fit equally; None if there is no single one."""
    sites = list(answer.sites)
    if answer.rung in AS_SENT:  # there may be more than a search for one place examines
        spans = occurrences(index.body, split.old.encode("utf-8", "surrogatepass"), MAX_CHOICES + 1)
        if len(spans) > MAX_CHOICES:
            return None
        sites = [index.site(*span) for span in spans]
    elif len(sites) >= MAX_PLACES or answer.rung == "similar":
        return None
    near = min((distance(site, line) for site in sites), default=0)
    chosen = [site for site in sites if distance(site, line) == near]
    if len(chosen) != 1:
        return None
    place = locate_in(index, chosen[0], lambda part: _locate(part, split, "lenient", part=True))
    return place if isinstance(place, Found) and place.rung == answer.rung else None


def distance(site: Site, line: int) -> int:
    """How many lines a line is away from a place."""
    return max(site.start_line - line, line - site.end_line, 0)


def _insertion(index: Index, hunk: Hunk, new: str) -> Found | Refused:
    """Place a hunk that has no line of the file where its format says, or refuse."""
    last = len(index.lines)
    if not last:
        return _insert(index, 0, new)
    if hunk.context:
        scopes = _scopes_of_context(index, hunk.context)
        sites = tuple(Site(first, first) for first, _ in scopes)
        if len(scopes) == 1:
            return _insert(index, scopes[0][0], new)
        return Refused("ambiguous", "exact", sites) if scopes else Refused("unplaced")
    if hunk.at_end or hunk.at == last:
        return _insert(index, last, new)
    return _insert(index, 0, new) if hunk.at == 0 else Refused("unplaced")


def _insert(index: Index, line: int, new: str) -> Found:
    """Insert lines after a line, counted from 1; 0 is the start of the file."""
    lines = index.lines
    at = lines.span(line)[1] if line else 0
    ending = lines.ending(max(line, 1)) or lines.ending(max(line - 1, 1)) if len(lines) else b""
    text = new.encode("utf-8", "surrogatepass")
    if b"\r" not in text:
        text = text.replace(b"\n", ending or b"\n")
    if line and line == len(lines) and not lines.finished:
        text = (ending or b"\n") + text.removesuffix(ending or b"\n")
    return Found("exact", Site(line + 1, line + 1), (at, at), (edit(at, at, text),))


def _scopes_of_context(index: Index, context: Sequence[str]) -> list[tuple[int, int]]:
    """The ranges that the context lines name, level by level: first and last line, counted from 1."""
    lines = index.texts
    scopes = [(0, len(lines))]
    for named in context[:_MAX_CONTEXT_LINES]:
        inner = [number for first, end in scopes for number in _find_named_lines(lines, named.strip(), first, end)]
        scopes = [(number, _end(lines, number)) for number in dict.fromkeys(inner)]
    return [(first + 1, end) for first, end in scopes]


def _find_named_lines(lines: Sequence[str], named: str, first: int, end: int) -> Iterator[int]:
    """The lines equal to the one named; else those that begin with it; else those that declare the same name."""
    same = [number for number in range(first, end) if lines[number].strip() == named]
    if same or not named:
        yield from same
        return
    begun = []
    for number in range(first, end):
        text = lines[number].strip()
        rest = text[len(named) : len(named) + 1] if len(named) < _CUT_BY_GIT else ""
        if text.startswith(named) and not (rest.isalnum() or rest == "_"):
            begun.append(number)
    name = declared_name(named) or _bare_name(named)
    if begun or name is None:
        yield from begun
        return
    for number in range(first, end):
        name_here = declared_name(lines[number])
        if name_here is not None and name in {name_here, name_here.replace("::", ".").rpartition(".")[2]}:
            yield number


def _bare_name(named: str) -> str | None:
    """The name in words that are not a line of code: `load`, `Shop.load`, `method load`."""
    kind, _, name = named.strip().rstrip(":(){ ").replace("::", ".").rpartition(" ")
    name = name.rpartition(".")[2]
    return name if name.isidentifier() and kind in {"", *_KINDS} else None


def _end(lines: Sequence[str], number: int) -> int:
    """Where the block that begins at a line ends: before the next line that is not deeper and does not close it."""
    indent = depth(lines[number])
    opened = False
    for later in range(number + 1, len(lines)):
        text = lines[later].strip()
        if not text:
            continue
        deeper = depth(lines[later]) > indent
        if not deeper and not text.startswith(("{", *_CLOSERS)):
            return later if opened else len(lines)
        opened = opened or deeper
    return len(lines)


def _fit_one_of(index: Index, hunk: Hunk, splits: Sequence[Split], match: str) -> Fit:
    """Fit the only split whose old text occurs in the file; refuse if there are several.

    Not considered: a split that cuts a merge conflict in two. Refused: a split after whose place the file continues
    with the separator, because it is half of what is meant.
    """
    whole = [split for split in splits if _is_balanced(split.old) and _is_balanced(split.new)] or splits
    longest = max(whole, key=lambda split: len(split.old))
    fits = []
    for split in whole:
        answer = _locate(index, split, match) if split.old else _insertion(index, hunk, split.new)
        if isinstance(answer, Found) or answer.why in {"applied", "ambiguous"}:
            fits.append(Fit(answer, split))
    sites = tuple(site for fitting in fits for site in fitting.answer.sites)
    halved = len(fits) == 1 and fits[0].split is not longest and _precedes_separator(index, sites[0])
    return fits[0] if len(fits) == 1 and not halved else Fit(Refused("unsplit", sites=sites), splits[0])


def _is_balanced(text: str) -> bool:
    """Whether every merge conflict in a text has both a start and an end marker."""
    lines = text.split("\n")
    return sum(line.startswith("<<<<<<< ") for line in lines) == sum(line.startswith(">>>>>>> ") for line in lines)


def _precedes_separator(index: Index, site: Site) -> bool:
    return site.end_line < len(index.lines) and marker(index.line(site.end_line)) == "separator"


def _follows_search_marker(index: Index, site: Site) -> bool:
    """Whether the line before a place is a SEARCH marker."""
    return site.start_line > 1 and marker(index.line(site.start_line - 2)) == "search"
