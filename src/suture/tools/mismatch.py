"""Why an edit of `file_edit` failed: the error, found by looking closer; and every error in the tool's own shape."""

from __future__ import annotations

from contextlib import suppress

from suture import edit_wording, errors, render
from suture.difference_wording import difference
from suture.locate import Index
from suture.locate.diagnose import block, diagnose, words_of
from suture.locate.names import symbol
from suture.occurrences import number, occurrences
from suture.sequence import MOST_HITS, Outcome
from suture.tools.refusal import change_of, version_of
from suture.tools.spec import Answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from suture.locate.diagnose import Diagnosis, Place
    from suture.plan import Snapshot
    from suture.session import Session
    from suture.tools.edit import FileEdit, OneEdit

_AROUND = 3
_MOST_SHOWN = 80
_ROOM = 1_000_000
_MOST_UNIQUE = 3
_MOST_CONTEXT = 6
_MOST_WORDS = 6
_LONGEST = 2_000
_SHORT = 200
_STALE_LINES = 10
_NEAR = 0.55
_TYPES = ("NO_MATCH", "WRONG_COUNT", "FILE_NOT_FOUND", "BINARY_FILE", "PERMISSION_DENIED")
_OWN = ("similar_content", "match_locations", "file_preview", "region", "unique", "correction")
"""Fields that stand elsewhere in the answer."""


def mismatch(session: Session, before: Snapshot, request: FileEdit, outcome: Outcome) -> errors.SutureError:
    """The error of the first edit that fails."""
    assert outcome.failed is not None  # noqa: S101  asked only then
    failing = _Failing(session, before, request.edits, outcome, dry_run=request.dry_run)
    return failing.wrong_count() if outcome.hits else failing.no_match()


def unexamined(before: Snapshot, request: FileEdit, outcome: Outcome) -> errors.SutureError:
    """As `mismatch`, without looking into it."""
    assert outcome.failed is not None  # noqa: S101  asked only then
    asked = request.edits[outcome.failed]
    where: dict[str, Any] = {
        "path": before.place.name,
        "edit_index": outcome.failed,
        "total_edits": len(request.edits),
        "search_text": asked.old_text,
        "expected_occurrences": asked.occurrences,
        "file_preview": None,
    }
    if outcome.hits:
        actual = len(outcome.hits)
        return errors.WrongCount(**where, actual_occurrences=actual, match_locations=[], unique=[])
    return errors.NoMatch(**where, why="missing", rung=None, similar_content=[], indent={})


def no_match(session: Session | None, before: Snapshot, one: OneEdit, *, dry_run: bool) -> errors.NoMatch:
    """Why one text is not in a file; without a session, nothing is known of earlier versions and attempts."""
    return _Failing(session, before, [one], Outcome((), (), 0, before.text.body), dry_run=dry_run).no_match()


class _Failing:
    """An edit that fails, and the text as it found it. Lines are told as those of the original file."""

    def __init__(
        self, session: Session | None, before: Snapshot, edits: Sequence[OneEdit], outcome: Outcome, *, dry_run: bool
    ) -> None:
        number = outcome.failed or 0
        self._session = session
        self._before = before
        self._edits = edits
        self._dry_run = dry_run
        self._outcome = outcome
        self._edit = edits[number]
        bases = () if session is None else session.bases(before)
        self._index = Index(outcome.body, before.place.name, bases)
        self._origin: Callable[[int], int] = outcome.origin
        self._room = _ROOM
        self._counted = 0, 0, 0
        self._where: dict[str, Any] = {
            "path": before.place.name,
            "edit_index": number,
            "total_edits": len(edits),
            "search_text": self._edit.old_text,
            "expected_occurrences": self._edit.occurrences,
        }

    def wrong_count(self) -> errors.WrongCount:
        """It stands there, but not as often as expected."""
        hits = self._outcome.hits
        locations = [self._location(*hit) for hit in hits[:MOST_HITS]]
        old = self._edit.old_text.encode("utf-8", "surrogatepass")
        actual = number(self._outcome.body, old, hits) if len(hits) > MOST_HITS else len(hits)
        originally = len(self._originally()) if self._outcome.failed else actual
        return errors.WrongCount(
            **self._where,
            actual_occurrences=actual,
            match_locations=locations,
            file_preview=self._preview(*self._lines(*hits[0]), [self._highlight(location) for location in locations]),
            unique=[*self._unique([self._lines(*hit) for hit in hits[:_MOST_UNIQUE]])],
            originally=None if originally == actual else originally,
            attempt=self._attempt(),
        )

    def no_match(self) -> errors.NoMatch:
        """It doesn't stand there."""
        old, new = self._edit.old_text, self._edit.new_text
        found = diagnose(self._index, old, new) if old else None
        attempt = self._attempt()
        best = found.places[0] if found is not None and found.places else None
        consumed_by = self._consumed_by()
        stale = None if found is None or consumed_by is not None else self._stale(found)
        words = self._words() if attempt > 1 or best is None else None
        several = found is not None and found.why == "ambiguous"
        twins = [(each.start_line, each.end_line) for each in found.places] if found is not None and several else []
        correction = self._correction(found)
        start = [] if correction or best is None or best.score < _NEAR else [(best.start_line, best.end_line)]
        region = None if twins or attempt == 1 else self._region(best)
        return errors.NoMatch(
            **self._where,
            why="empty" if found is None else found.why,
            rung=None if found is None else found.rung,
            similar_content=[] if found is None else [self._similar(place) for place in found.places],
            indent={"style": self._index.indent.style, "width": self._index.indent.width},
            file_preview=self._preview_of(best, region),
            correction=correction,
            sides=self._sides(found),
            detail="" if found is None else found.detail,
            applied=self._applied(found),
            stale=stale,
            written_on=None if found is None else version_of(found.base),
            consumed_by=consumed_by,
            candidates=self._before.text.candidates() if self._before.text.encoding is None else None,
            attempt=attempt,
            region=self._text_of(region),
            words=words,
            unique=[*self._unique((twins if attempt > 1 else []) if several else start)],
        )

    def _attempt(self) -> int:
        edit = self._edit
        if self._session is None:
            return 1
        known = self._before.content.digest, self._before.place.name, edit.old_text, edit.new_text, edit.occurrences
        return self._session.attempt(hash((*known, self._dry_run)))

    def _correction(self, found: Diagnosis | None) -> dict[str, Any] | None:
        if found is None or found.correction is None or self._edit.occurrences > 1:
            return None
        fits = found.correction
        start_line, end_line = self._original(fits.start_line), self._original(fits.end_line)
        return {"old_text": fits.old, "new_text": fits.new, "start_line": start_line, "end_line": end_line}

    def _sides(self, found: Diagnosis | None) -> dict[str, Any] | None:
        if found is None or found.sides is None:
            return None
        sides = {name: getattr(found.sides, name) for name in ("base", "ours", "theirs")}
        return {"line": self._original(found.sides.line), **sides}

    def _applied(self, found: Diagnosis | None) -> dict[str, Any] | None:
        """Where the new text stands already."""
        if found is None or found.why != "applied" or not found.places:
            return None
        lines = {"start_line": found.places[0].start_line, "end_line": found.places[0].end_line}
        return {**{name: self._original(line) for name, line in lines.items()}, "change_id": change_of(found.base)}

    def _stale(self, found: Diagnosis) -> dict[str, Any] | None:
        """What became of the text, if an earlier version holds it and the change can't be merged from there."""
        if found.base is None or found.why not in {"conflict", "deleted"}:
            return None
        best = found.places[0]
        text = "\n".join(best.text.split("\n")[:_STALE_LINES])
        lines = {"start_line": self._original(best.start_line), "end_line": self._original(best.end_line)}
        return {"change_id": change_of(found.base), **lines, "text": text}

    def _originally(self) -> list[tuple[int, int]]:
        """Where the text stands in the file itself."""
        return occurrences(self._before.text.body, self._edit.old_text.encode("utf-8", "surrogatepass"))

    def _consumed_by(self) -> int | None:
        """The edit of this call that took the text away."""
        places = self._originally() if self._outcome.failed else []
        if not places:
            return None
        start, end = places[0]
        sizes = [len(each.old_text.encode("utf-8", "surrogatepass")) for each in self._edits]
        return next(
            (
                number
                for number, found in enumerate(self._outcome.places)
                if any(at < end and start < at + sizes[number] for at in found)
            ),
            None,
        )

    def _words(self) -> dict[str, Any]:
        """Which words of the text are there at all."""
        there, missing = words_of(self._index, self._edit.old_text)
        found = [
            {"word": word, "line_number": self._original(line), "content": self._shown(line, _SHORT)}
            for word, line in there[:_MOST_WORDS]
        ]
        return {"there": found, "missing": missing[:_MOST_WORDS]}

    def _region(self, best: Place | None) -> tuple[int, int] | None:
        """The lines that a repeated edit is shown: all around the nearest place, if it is near."""
        if best is None or best.score < _NEAR:
            return None
        first, last = block(self._index, best.start_line, best.end_line)
        long = any(len(self._index.line(number - 1)) > _LONGEST for number in range(first, last + 1))
        return None if long else (first, last)

    def _text_of(self, region: tuple[int, int] | None) -> dict[str, Any] | None:
        if region is None:
            return None
        first, last = region
        text = "\n".join(self._shown(number) for number in range(first, last + 1))
        return {"start_line": self._original(first), "end_line": self._original(last), "text": text}

    def _similar(self, place: Place) -> dict[str, Any]:
        return {
            "line_number": self._original(place.start_line),
            "content": place.text.encode("utf-8", "surrogateescape").decode("utf-8", "replace"),
            "similarity_score": place.score,
            "symbol": symbol(self._index.line, place.start_line - 1, len(self._index.lines)),
            "differences": [
                {
                    "type": each.kind,
                    "expected": each.expected[:_LONGEST],
                    "found": each.found.encode("utf-8", "surrogateescape").decode("utf-8", "replace")[:_LONGEST],
                    "name": each.what,
                    "line_number": self._original(each.line),
                    "description": difference(each),
                }
                for each in place.differences
            ],
        }

    def _preview_of(self, best: Place | None, region: tuple[int, int] | None) -> dict[str, Any] | None:
        """The lines around the nearest place, or the first ones."""
        if not len(self._index.lines):
            return None
        marks = [
            {"line_number": self._original(each.line), "column_start": each.column, "column_end": each.end}
            for each in (best.differences if best is not None else ())
        ]
        if region is not None:
            return self._preview(*region, marks, around=0)
        if best is None:
            return self._preview(1, _MOST_SHOWN, marks)
        return self._preview(best.start_line, best.end_line, marks)

    def _preview(
        self, first: int, last: int, highlights: list[dict[str, int]], around: int = _AROUND
    ) -> dict[str, Any]:
        """Some lines of the text as the edit found it, with a few around them, but not too many."""
        start = max(first - around, 1)
        end = min(last + around, len(self._index.lines), start + _MOST_SHOWN - 1)
        begin, until = self._original(start), self._original(end)
        lines = [self._shown(number) for number in range(start, end + 1)]
        if self._outcome.edits:  # the lines of the file itself, as they are numbered
            file = self._before.text.lines
            lines = [each.decode("utf-8", "replace")[:_LONGEST] for each in file.contents(begin, min(until, len(file)))]
            highlights = []
        return {
            "total_lines": len(self._before.text.lines),
            "preview_start_line": begin,
            "preview_end_line": until,
            "content": "\n".join(lines),
            "highlights": [each for each in highlights if begin <= each["line_number"] <= until],
        }

    def _location(self, start: int, end: int) -> dict[str, Any]:
        lines = self._index.lines
        line = lines.at(start)
        column = self._column(line, start)
        content = self._whole(line)
        stop = column + len(self._index.body[start:end].decode("utf-8", "replace"))
        found: dict[str, Any] = {
            "line_number": self._original(line),
            "column_start": column + 1,
            "column_end": min(stop, len(content)) + 1 if b"\n" in self._index.body[start:end] else stop + 1,
            "line_content": content,
        }
        if line > 1:
            found["context_before"] = self._shown(line - 1, _LONGEST if self._room else _SHORT)
        if line < len(lines):
            found["context_after"] = self._shown(line + 1, _LONGEST if self._room else _SHORT)
        return found

    def _column(self, line: int, offset: int) -> int:
        """The column of a place, from 0; places come in order, so a long line is counted only once."""
        known, at, column = self._counted
        if line != known:
            at, column = self._index.lines.span(line)[0] if len(self._index.lines) else 0, 0
        column += len(self._index.body[at:offset].decode("utf-8", "replace"))
        self._counted = line, offset, column
        return column

    @staticmethod
    def _highlight(location: dict[str, Any]) -> dict[str, int]:
        return {name: location[name] for name in ("line_number", "column_start", "column_end")}

    def _unique(self, places: Sequence[tuple[int, int]]) -> Iterator[dict[str, Any]]:
        """Whole lines around the first of some places, of which each text stands only there."""
        lines, body = self._index.lines, self._index.body
        for first, last in places[:_MOST_UNIQUE] if body else ():
            for context in range(_MOST_CONTEXT):
                low, high = max(first - context, 1), min(last + context, len(lines))
                text = body[lines.span(low)[0] : lines.span(high)[1]].removesuffix(b"\n").removesuffix(b"\r")
                if len(text) > _LONGEST:
                    break
                if body.count(text) == 1:
                    with suppress(UnicodeDecodeError):  # what is no text cannot be sent back
                        said = text.replace(b"\r\n", b"\n").decode()
                        yield {"line_number": self._original(first), "old_text": said}
                    break

    def _lines(self, start: int, end: int) -> tuple[int, int]:
        return self._index.lines.at(start), self._index.lines.at(max(start, end - 1))

    def _whole(self, line: int) -> str:
        """A line, whole as long as there is room for whole ones."""
        start, end = self._index.lines.span(line) if len(self._index.lines) else (0, 0)
        self._room -= min(end - start, self._room)
        return self._shown(line, end - start if self._room else _SHORT)

    def _shown(self, line: int, most: int = _LONGEST) -> str:
        """A line for people and models; the only line of an empty text is empty."""
        if line > len(self._index.lines):
            return ""
        found = self._index.line(line - 1)
        if not found.isascii():
            found = found.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        return found[:most]

    def _original(self, line: int) -> int:
        """The line of the original that a line of the text comes from."""
        if self._outcome.body is self._before.text.body or not 1 <= line <= len(self._index.lines):
            return line
        return self._before.text.lines.at(self._origin(self._index.lines.span(line)[0]))


def explained(given: Mapping[str, object], error: errors.SutureError) -> Answer:
    """An error in the tool's own shape; `given` are the arguments as they were sent."""
    path, edits = getattr(error, "path", given.get("path")), given.get("edits")
    told = {name: value for name, value in render.error_data(error).items() if name not in _OWN}
    data: dict[str, Any] = {"path": path} if isinstance(path, str) else {}
    if error.code in _TYPES:
        data["validation_error"] = {
            "type": error.code,
            "edit_index": getattr(error, "edit_index", 0),
            "total_edits": len(edits) if isinstance(edits, list) else 1,
            "message": told["message"],
            **_of_type(error),
        }
        data["suggested_fixes"] = edit_wording.suggestions(error)
        if (preview := getattr(error, "file_preview", None)) is not None:
            data["file_preview"] = preview
    return Answer(render.error_text(error), {**data, "error": told}, is_error=True)


def _of_type(error: errors.SutureError) -> dict[str, Any]:
    if isinstance(error, errors.WrongCount):
        names = ("expected_occurrences", "actual_occurrences", "match_locations", "search_text")
        return {name: getattr(error, name) for name in names}
    if isinstance(error, errors.NoMatch):
        return {"search_text": error.search_text, "similar_content": error.similar_content}
    return {}
