"""The errors for a text that was not found: one `Failure`, in the terms of the tool that was called.

`match.diagnose` finds out why. Here its answer becomes a `NoMatch` (exact edits, hunks of a reply) or one of the errors
of `patch`, with the lines of the file that are worth showing. A `View` has these lines. It uses the file's own line
numbers, even if the edit was searched for in the result of earlier edits of the call.
"""

from __future__ import annotations

from contextlib import suppress

from suture import errors
from suture.match.diagnose import block, diagnose, evident_site, failure_of, is_evident, words_of
from suture.match.index import Index, Refused, Site, symbol
from suture.records import Record
from suture.shapes import (
    CorrectedEdit,
    FilePreview,
    Highlight,
    MatchLocation,
    NamedDifference,
    SimilarContent,
    or_left_out,
)
from suture.text.replace import MAX_HITS
from suture.tools.results import version_of
from suture.wording import difference

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import NotRequired, Protocol, TypedDict

    from suture.errors import (
        AppliedAt,
        LineIn,
        LineRange,
        NearPlace,
        PlaceIn,
        Reading,
        Region,
        SidesAt,
        Stale,
        UniqueText,
        WordsFound,
    )
    from suture.formats import Hunk
    from suture.match.diagnose import Failure, Place
    from suture.match.hunks import Fit
    from suture.match.index import Base, Sides
    from suture.plan import Snapshot
    from suture.text import Text

    class Source(Protocol):
        """Where the files come from. A session is one."""

        def bases(self, before: Snapshot) -> Iterable[Base]:
            """Earlier versions of a file, newest first."""

        def attempt(self, request: int) -> int:
            """Count a refused request; returns how often it was refused."""

    class _EditPart(TypedDict):
        path: str
        search_text: str
        edit_index: NotRequired[int]
        total_edits: NotRequired[int]
        expected_occurrences: NotRequired[int]

    class _AgainPart(TypedDict):
        attempt: int
        region: NotRequired[Region | None]

    class _PatchPart(TypedDict):
        path: str
        search_text: str
        index: NotRequired[int]
        total: NotRequired[int]


_SHOWN_LINES = 10  # of a place, in an error
SHOWN_PLACES = 10  # of a text that fits several
_SHOWN_DIFFERENCES = 3  # of each of the nearest places, in an error of `patch`
_PREVIEW_AROUND = 3  # lines of context before and after a preview's place
_PREVIEW_LINES = 80  # of a file, at most
_PREVIEW_ROOM = 1_000_000  # characters of whole lines, in all locations of one error
_MAX_LINE_CHARS = 2_000  # characters of a line, or of a suggested text
_SHORT_LINE = 200  # characters of a line, once `_PREVIEW_ROOM` is used up
_MAX_UNIQUE_TEXTS = 3  # places for which a longer text is suggested
_MAX_CONTEXT_LINES = 6  # lines around a place that may make it unique
_MAX_WORDS = 6  # of the text to find that the file contains, and as many that it lacks
_NEAR = 0.55  # the score from which a place is shown whole, with a suggested text


class SearchTarget(Record):
    """A text to find, and its part of the call."""

    path: str
    old: str
    new: str
    index: int | None = None
    """Its place in the call's list of edits; None for a block, which has an id."""
    total: int = 1
    occurrences: int = 1
    match: str = "lenient"


def examine(source: Source, before: Snapshot, target: SearchTarget, *, dry_run: bool) -> errors.NoMatch:
    """Why a text is not in a file."""
    index = Index(before.text.body, target.path, source.bases(before))
    failure = diagnose(index, target.old, target.new)
    return no_match(target, failure, View(index, before.text), attempt(source, before, target, dry_run=dry_run))


def attempt(source: Source, before: Snapshot, target: SearchTarget, *, dry_run: bool) -> int:
    """How often this edit was sent for this content of the file, including this time."""
    call = before.content.digest, target.path, target.old, target.new, target.occurrences, dry_run
    return source.attempt(hash(call))


def unexamined(target: SearchTarget, hits: int = 0) -> errors.NoMatch | errors.WrongCount:
    """The error without a diagnosis: the text was not found, or occurs `hits` times."""
    part = _edit_part(target)
    if hits:
        return errors.WrongCount(**part, actual_occurrences=hits, match_locations=[], file_preview=None, unique=[])
    return errors.NoMatch(**part, why="missing", rung=None, similar_content=[], indent={}, file_preview=None)


def no_match(
    target: SearchTarget, failure: Failure, view: View, attempt: int, consumed_by: int | None = None
) -> errors.NoMatch:
    """The error for a text that was not found as it was sent, with a diagnosis.

    `consumed_by` is the earlier edit of the call that changed it.
    """
    best = failure.places[0] if failure.places else None
    several = failure.why == "ambiguous"
    twins = [(place.start_line, place.end_line) for place in failure.places] if several else []
    correction = view.correction(failure) if target.occurrences == 1 else None
    start = [] if correction or best is None or best.score < _NEAR else [(best.start_line, best.end_line)]
    region = None if twins or attempt == 1 else view.region(best)
    return errors.NoMatch(
        **_edit_part(target),
        why=failure.why,
        rung=failure.rung,
        similar_content=[view.similar(place) for place in failure.places],
        indent={"style": view.index.indent.style, "width": view.index.indent.width},
        file_preview=view.preview_of(best, region),
        correction=correction,
        sides=view.sides(failure),
        detail=failure.detail,
        applied=view.applied(failure),
        stale=view.stale(failure) if consumed_by is None else None,
        written_on=version_of(failure.base),
        consumed_by=consumed_by,
        candidates=view.text.candidates() if view.text.encoding is None else None,
        attempt=attempt,
        region=view.region_text(region),
        words=view.words(target.old) if attempt > 1 or best is None else None,
        unique=[*view.unique((twins if attempt > 1 else []) if several else start)],
    )


def wrong_count(
    target: SearchTarget, view: View, hits: Sequence[tuple[int, int]], actual: int, originally: int, attempt: int
) -> errors.WrongCount:
    """The error for a text that occurs more or less often than expected; `originally` is its count in the file."""
    locations = view.locations(hits)
    marks = [_highlight(location) for location in locations]
    return errors.WrongCount(
        **_edit_part(target),
        actual_occurrences=actual,
        match_locations=locations,
        file_preview=view.preview(*view.lines(*hits[0]), marks),
        unique=[*view.unique([view.lines(*hit) for hit in hits[:_MAX_UNIQUE_TEXTS]])],
        originally=None if originally == actual else originally,
        attempt=attempt,
    )


def patch_error(target: SearchTarget, failure: Failure, view: View, attempt: int = 1) -> errors.SutureError:
    """The error for a patch, or for a block that the search refused; `attempt`: how often it was refused."""
    part: _PatchPart = {"path": target.path, "search_text": target.old}
    if target.index is not None:
        part |= {"index": target.index, "total": target.total}
    site = failure.sites[0] if failure.sites else Site(1, 1)
    at, version, rung = _range(site), version_of(failure.base), failure.rung
    again: _AgainPart = {"attempt": attempt}
    if attempt > 1 and (region := _shown_again(failure, view)) is not None:
        again["region"] = view.region_text(region)
    error: errors.SutureError
    match failure.why:
        case "missing":
            nearest, stale = [_near(place, view.index) for place in failure.places], view.stale(failure)
            words = view.words(target.old) if attempt > 1 and "region" not in again else None
            error = errors.OldTextNotFound(
                **part, **again, match=target.match, nearest=nearest, rung=rung, stale=stale, words=words
            )
        case "ambiguous":
            places, shown = [*map(_range, failure.sites)], lines_of(view.index, failure.sites)
            lines = [(place["start_line"], place["end_line"]) for place in places] if attempt > 1 else []
            unique = [*view.unique(lines)]
            error = errors.OldTextNotUnique(
                **part, rung=rung, places=places, shown=shown, attempt=attempt, unique=unique
            )
        case "conflict" if (sides := failure.sides) is not None:
            error = errors.EditConflict(**part, **again, **_sides(sides), detail=failure.detail, written_on=version)
        case "applied":
            error = errors.AlreadyApplied(**part, **at, change_id=change_of(failure.base))
        case "deleted":
            error = errors.TargetDeleted(**part, **at, text=text_at(view.index, site), written_on=version)
        case "partly_applied":
            error = errors.PartlyApplied(**part, **at, text=text_at(view.index, site))
        case "elided":
            error = errors.ElisionInNewText(**part, marker=failure.marker)
        case why:
            text, detail = text_at(view.index, site), failure.detail or why
            error = errors.UnprovedChange(**part, **again, **at, rung=rung, text=text, detail=detail)
    return error


def lines_of(index: Index, sites: Iterable[Site]) -> list[LineIn]:
    """The first lines of some places, each line once; a place to insert may be behind the last line."""
    total = len(index.lines)
    numbers = [number for number in dict.fromkeys(site.start_line for site in sites) if number <= total][:SHOWN_PLACES]
    return [
        {
            "line": number,
            "text": _readable(index.line(number - 1))[:_SHORT_LINE],
            "symbol": symbol(index.line, number - 1, total),
        }
        for number in numbers
    ]


def _shown_again(failure: Failure, view: View) -> tuple[int, int] | None:
    """The lines to show for a repeated patch: the region that it is about, if that is known."""
    if failure.why == "missing":
        return view.region(failure.places[0] if failure.places else None)
    if failure.sides is not None:
        last = failure.sides.line + failure.sides.ours.count("\n")
        return view.region_around(failure.sides.line, last)
    return view.region_around(failure.sites[0].start_line, failure.sites[0].end_line) if failure.sites else None


def _near(place: Place, index: Index) -> NearPlace:
    """A place similar to the text, with its class or function and its differences."""
    site = Site(place.start_line, place.end_line)
    return {
        **_range(site),
        "score": place.score,
        "symbol": symbol(index.line, place.start_line - 1, len(index.lines)),
        "text": text_at(index, site),
        "differences": [
            f"line {differing.line}: {difference(differing)}" for differing in place.differences[:_SHOWN_DIFFERENCES]
        ],
    }


def hunk_error(
    source: Source,
    index: Index,
    now: Snapshot,
    hunk: Hunk,
    placement: Fit,
    *,
    match: str,
    dry_run: bool,
    detailed: bool,
) -> errors.SutureError:
    """Why a hunk of a reply has no place in a file; `AlreadyApplied` if the file has its new text.

    The index and `now` are the file as the earlier blocks left it. `detailed`: with a diagnosis.
    """
    answer = placement.answer
    assert isinstance(answer, Refused)  # noqa: S101  asked only then
    old, new, path = placement.split.old, placement.split.new, now.place.name
    target = SearchTarget(path, old, new, match=match)
    view = View(index, now.text)
    if (error := _hunk_problem(path, view, hunk, answer, old)) is not None:
        return error
    if answer.why == "missing" and not detailed:
        return unexamined(target)
    proved = answer.why != "applied" or answer.rung is not None or is_evident(index, old, new)
    if answer.why != "missing" and proved:
        return patch_error(target, failure_of(index, old, new, answer, match), view)
    index = Index(now.text.body, path, source.bases(now))
    failure = diagnose(index, old, new)
    site = evident_site(index, old, new) if failure.base is None else failure.applied
    if site is not None:
        return errors.AlreadyApplied(path=path, search_text=old, **_range(site), change_id=change_of(failure.base))
    return no_match(target, failure, View(index, now.text), attempt(source, now, target, dry_run=dry_run))


def _hunk_problem(path: str, view: View, hunk: Hunk, answer: Refused, old: str) -> errors.SutureError | None:
    """The error for a hunk that is refused for another reason than its lines."""
    from suture.match.hunks import NOT_NAMED, OUTSIDE  # only replies have hunks

    if answer.why == "unplaced":
        return errors.NoContext(path=path, context=list(hunk.context))
    if answer.why == "unsplit":
        readings: list[Reading] = [
            {"old": split.old[:_MAX_LINE_CHARS], "new": split.new[:_MAX_LINE_CHARS]} for split in hunk.splits
        ]
        return errors.AmbiguousBlock(path=path, reply_line=hunk.line, readings=readings)
    if answer.why == "miscounted":
        return errors.WrongCount(
            path=path,
            search_text=old,
            expected_occurrences=hunk.occurrences,
            actual_occurrences=len(answer.sites),
            match_locations=view.locations([view.index.span(site) for site in answer.sites]),
            file_preview=None,
            unique=[],
        )
    if answer.detail not in {OUTSIDE, NOT_NAMED}:
        return None
    places: list[PlaceIn] = [
        {**_range(site), "symbol": symbol(view.index.line, site.start_line - 1, len(view.index.lines))}
        for site in answer.sites
    ]
    named = list(hunk.context) or [hunk.section]
    return errors.OutOfScope(path=path, context=named, exists=answer.detail == OUTSIDE, places=places)


def change_of(base: Base | None) -> str | None:
    """The suture change that replaced a version, if it is known."""
    return None if base is None or base.source not in {"read", "history"} else base.until


def _edit_part(target: SearchTarget) -> _EditPart:
    """The fields for a text to find in the errors of exact edits."""
    part: _EditPart = {"path": target.path, "search_text": target.old}
    if target.index is not None:
        part |= {
            "edit_index": target.index,
            "total_edits": target.total,
            "expected_occurrences": target.occurrences,
        }
    return part


def text_at(index: Index, site: Site) -> str:
    """The first lines of a place in the file."""
    last = min(site.end_line, len(index.lines), site.start_line + _SHOWN_LINES - 1)
    return b"\n".join(index.lines.contents(site.start_line, last)).decode("utf-8", "replace")


def _range(site: Site) -> LineRange:
    return {"start_line": site.start_line, "end_line": site.end_line}


def _sides(sides: Sides) -> SidesAt:
    return {"line": sides.line, "base": sides.base, "ours": sides.ours, "theirs": sides.theirs}


def _highlight(location: MatchLocation) -> Highlight:
    return Highlight(
        line_number=location.line_number, column_start=location.column_start, column_end=location.column_end
    )


def _readable(text: str) -> str:
    """A decoded text without the surrogates that represent undecodable bytes."""
    return text if text.isascii() else text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class View:
    """The text that was searched, as errors show it. Lines have the file's own numbers."""

    def __init__(self, index: Index, text: Text, origin: Callable[[int], int] | None = None) -> None:
        """`text` is the file's; `origin` maps offsets to it, if earlier edits changed what the index has."""
        self.index = index
        self.text = text
        self._origin = origin
        self._room = _PREVIEW_ROOM
        self._counted = 0, 0, 0
        """The line and offset up to which columns were counted, and the column there."""

    def correction(self, failure: Failure) -> CorrectedEdit | None:
        """The corrected edit, which applies."""
        fits = failure.correction
        if fits is None:
            return None
        return CorrectedEdit(old_text=fits.old, new_text=fits.new, **self._range(fits.start_line, fits.end_line))

    def sides(self, failure: Failure) -> SidesAt | None:
        """The text on each side where the file differs in lines that the change touches."""
        sides = failure.sides
        return None if sides is None else {**_sides(sides), "line": self._original(sides.line)}

    def applied(self, failure: Failure) -> AppliedAt | None:
        """Where the new text is already, and which change put it there."""
        site = failure.applied
        if site is None:
            return None
        return {**self._range(site.start_line, site.end_line), "change_id": change_of(failure.base)}

    def stale(self, failure: Failure) -> Stale | None:
        """The text that replaced one that an earlier version has."""
        site = failure.stale
        if site is None:
            return None
        lines = self._range(site.start_line, site.end_line)
        return {"change_id": change_of(failure.base), **lines, "text": text_at(self.index, site)}

    def words(self, text: str) -> WordsFound:
        """The words of a text that the file contains, and those that it lacks."""
        there, missing = words_of(self.index, text)
        return {
            "there": [
                {"word": word, "line_number": self._original(line), "content": self._line_text(line, _SHORT_LINE)}
                for word, line in there[:_MAX_WORDS]
            ],
            "missing": missing[:_MAX_WORDS],
        }

    def region(self, best: Place | None) -> tuple[int, int] | None:
        """The lines to show for a repeated edit: the region around the nearest place, if that is similar enough."""
        return None if best is None or best.score < _NEAR else self.region_around(best.start_line, best.end_line)

    def region_around(self, start_line: int, end_line: int) -> tuple[int, int] | None:
        """The function or paragraph around some lines, unless a line in it is too long to be shown."""
        total = len(self.index.lines)
        if not total:
            return None
        first, last = block(self.index, min(start_line, total), min(end_line, total))
        is_long = any(len(self.index.line(number - 1)) > _MAX_LINE_CHARS for number in range(first, last + 1))
        return None if is_long else (first, last)

    def region_text(self, region: tuple[int, int] | None) -> Region | None:
        """The text of a region."""
        if region is None:
            return None
        first, last = region
        text = "\n".join(self._line_text(number) for number in range(first, last + 1))
        return {**self._range(first, last), "text": text}

    def similar(self, place: Place) -> SimilarContent:
        """One of the nearest places, with all its differences."""
        return SimilarContent(
            line_number=self._original(place.start_line),
            content=_readable(place.text),
            similarity_score=place.score,
            symbol=symbol(self.index.line, place.start_line - 1, len(self.index.lines)),
            differences=[
                NamedDifference(
                    type=differing.kind,
                    name=differing.what,
                    expected=differing.expected[:_MAX_LINE_CHARS],
                    found=_readable(differing.found)[:_MAX_LINE_CHARS],
                    line_number=self._original(differing.line),
                    description=difference(differing),
                )
                for differing in place.differences
            ],
        )

    def preview_of(self, best: Place | None, region: tuple[int, int] | None) -> FilePreview | None:
        """The lines around the nearest place, or the first lines; None for an empty text."""
        if not len(self.index.lines):
            return None
        marks = [
            Highlight(line_number=self._original(mark.line), column_start=mark.column, column_end=mark.end)
            for mark in (best.differences if best is not None else ())
        ]
        if region is not None:
            return self.preview(*region, marks, around=0)
        if best is None:
            return self.preview(1, _PREVIEW_LINES, marks)
        return self.preview(best.start_line, best.end_line, marks)

    def preview(self, first: int, last: int, highlights: list[Highlight], around: int = _PREVIEW_AROUND) -> FilePreview:
        """Some lines with a few lines of context, up to a limit."""
        start = max(first - around, 1)
        end = min(last + around, len(self.index.lines), start + _PREVIEW_LINES - 1)
        begin, until = self._original(start), self._original(end)
        lines = [self._line_text(number) for number in range(start, end + 1)]
        if self._origin is not None:  # the lines of the file itself, as they are numbered
            own = self.text.lines.contents(begin, min(until, len(self.text.lines)))
            lines = [line.decode("utf-8", "replace")[:_MAX_LINE_CHARS] for line in own]
            highlights = []
        return FilePreview(
            total_lines=len(self.text.lines),
            preview_start_line=begin,
            preview_end_line=until,
            content="\n".join(lines),
            highlights=[mark for mark in highlights if begin <= mark.line_number <= until],
        )

    def locations(self, spans: Sequence[tuple[int, int]]) -> list[MatchLocation]:
        """Occurrences, in order; the first ones with the class or function that they are in."""
        return [self._location(*span, named=number < SHOWN_PLACES) for number, span in enumerate(spans[:MAX_HITS])]

    def _location(self, start: int, end: int, *, named: bool) -> MatchLocation:
        """One occurrence, with the lines around it."""
        lines = self.index.lines
        line = lines.at(start)
        column = self._column(line, start)
        content = self._whole(line)
        stop = column + len(self.index.body[start:end].decode("utf-8", "replace"))
        longest = _MAX_LINE_CHARS if self._room else _SHORT_LINE
        return MatchLocation(
            line_number=self._original(line),
            column_start=column + 1,
            column_end=min(stop, len(content)) + 1 if b"\n" in self.index.body[start:end] else stop + 1,
            line_content=content,
            symbol=symbol(self.index.line, line - 1, len(lines)) if named and len(lines) else "",
            context_before=or_left_out(self._line_text(line - 1, longest) if line > 1 else None),
            context_after=or_left_out(self._line_text(line + 1, longest) if line < len(lines) else None),
        )

    def unique(self, places: Sequence[tuple[int, int]]) -> Iterator[UniqueText]:
        """For the first of some places, whole lines around each that occur only there."""
        lines, body = self.index.lines, self.index.body
        for first, last in places[:_MAX_UNIQUE_TEXTS] if body else ():
            for context in range(_MAX_CONTEXT_LINES):
                low, high = max(first - context, 1), min(last + context, len(lines))
                text = body[lines.span(low)[0] : lines.span(high)[1]].removesuffix(b"\n").removesuffix(b"\r")
                if len(text) > _MAX_LINE_CHARS:
                    break
                if body.count(text) == 1:
                    with suppress(UnicodeDecodeError):  # bytes that are not text cannot be sent
                        old = text.replace(b"\r\n", b"\n").decode()
                        yield {"line_number": self._original(first), "old_text": old}
                    break

    def lines(self, start: int, end: int) -> tuple[int, int]:
        """The first and the last line of a span."""
        return self.index.lines.at(start), self.index.lines.at(max(start, end - 1))

    def _column(self, line: int, offset: int) -> int:
        """The column of a place, from 0; places come in order, so a long line is scanned only once."""
        known, at, column = self._counted
        if line != known:
            at, column = self.index.lines.span(line)[0] if len(self.index.lines) else 0, 0
        column += len(self.index.body[at:offset].decode("utf-8", "replace"))
        self._counted = line, offset, column
        return column

    def _whole(self, line: int) -> str:
        """A line, whole while `_PREVIEW_ROOM` lasts."""
        start, end = self.index.lines.span(line) if len(self.index.lines) else (0, 0)
        self._room -= min(end - start, self._room)
        return self._line_text(line, end - start if self._room else _SHORT_LINE)

    def _line_text(self, line: int, most: int = _MAX_LINE_CHARS) -> str:
        """A readable line; the only line of an empty text is empty."""
        return "" if line > len(self.index.lines) else _readable(self.index.line(line - 1))[:most]

    def _range(self, start_line: int, end_line: int) -> LineRange:
        return {"start_line": self._original(start_line), "end_line": self._original(end_line)}

    def _original(self, line: int) -> int:
        """The line of the file that a line of the text comes from."""
        if self._origin is None or not 1 <= line <= len(self.index.lines):
            return line
        return self.text.lines.at(self._origin(self.index.lines.span(line)[0]))
