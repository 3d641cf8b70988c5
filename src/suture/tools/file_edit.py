"""`file_edit`: exact edits with a number of occurrences; all of them or none."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import cached_property

from suture import errors, shapes, wording
from suture.bounds import check_limit, check_size, check_time
from suture.errors import ElisionInNewText, InvalidArguments
from suture.match.diagnose import diagnose
from suture.match.index import Index
from suture.plan import Plan
from suture.records import Record
from suture.shapes import FilePreview, MatchLocation, SimilarContent, json_value
from suture.text.edits import apply, edit
from suture.text.replace import MAX_HITS, Outcome, Step, apply_steps, count_occurrences, occurrences
from suture.tools import results, spec
from suture.tools.failure import SearchTarget, View, attempt, no_match, unexamined, wrong_count
from suture.tools.results import check_hash, check_placeholders, check_surrogates, check_writable, whole_lines
from suture.tools.spec import Answer, Example, Proposal, Request, ToolSpec
from suture.wording import in_argument, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Self

    from suture.audience import Audience
    from suture.engine.session import Session
    from suture.errors import SutureError
    from suture.plan import Change, Snapshot, Update
    from suture.settings import Settings
    from suture.shapes import Findings
    from suture.text import Lines


_ALIASES = {
    "oldText": "old_text",
    "old_string": "old_text",
    "old_str": "old_text",
    "newText": "new_text",
    "new_string": "new_text",
    "new_str": "new_text",
    "expected_replacements": "occurrences",
}
_MAX_CHECKED_PLACES = 1_000  # of one edit, for text that begins or ends inside a word or an indentation
_MAX_WORD_BYTES = 40  # on each side of such a text, in a warning
_WORD_BYTES = bytes(code for code in range(256) if (char := chr(code)).isalnum() or char == "_" or not char.isascii())
_FURTHER_SECONDS = 2.0  # for examining the other edits that fail
_DETAILED_FAILURES = 10  # further failures that are reported in detail
_SHOWN_EDITS = 10  # of a call, each with its lines
_SHOWN_LINES = 8  # numbers of the lines that one edit changed
_MAX_PREVIEWS = 10_000  # places of all edits
_MAX_PREVIEW_CHARS = 4_000  # characters on each side of a preview
_SHORT_PREVIEW = 200  # characters, once `_PREVIEW_ROOM` is used up
_PREVIEW_ROOM = 1_000_000  # characters of all previews
_TYPES = ("NO_MATCH", "WRONG_COUNT", "FILE_NOT_FOUND", "BINARY_FILE", "PERMISSION_DENIED")
_SHOWN_ELSEWHERE = ("similar_content", "match_locations", "file_preview", "region", "unique", "correction")
"""Fields of the error that are in other parts of the answer."""


class OneEdit(Request):
    """One replacement."""

    old_text: str = spec.text("Exact text to find and replace")
    new_text: str = spec.text("Replacement text; an empty one deletes old_text")
    occurrences: int = spec.integer("Expected number of occurrences", default=1, minimum=1)

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check one edit, accepting other tools' names."""
        fields = spec.rename_fields(given, _ALIASES)
        if fields.pop("replace_all", False):
            problem = "unknown: set occurrences to how often old_text occurs in the file; all occurrences are replaced"
            raise InvalidArguments.of("replace_all", problem)
        return super().parse(fields)


class FileEdit(Request):
    """Arguments of `file_edit`."""

    path: str = spec.text("File path (absolute or relative)")
    edits: list[OneEdit] = spec.items("Array of edit operations (always an array)", model=OneEdit)
    dry_run: bool = spec.DRY_RUN
    encoding: str | None = spec.ENCODING
    expect_hash: str | dict[str, str] | None = spec.EXPECT_HASH
    validate: str = spec.VALIDATE
    literal: bool = spec.LITERAL

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check a call's arguments; null means omitted, and the fields of one edit may be next to the path."""
        kept = spec.without_null(given, cls._fields)
        request = super().parse({"edits": [], **spec.gather(kept, "edits", {*OneEdit._fields, *_ALIASES})})
        if not request.edits:
            raise InvalidArguments.of("edits", "No edits provided")
        return request


def plan_file_edit(session: Session, request: FileEdit) -> Proposal:
    """Simulate all edits on the file as it is, and plan what they do to it."""
    settings, edits = session.settings, request.edits
    check_limit("The request", len(edits), settings, "max_edits", "edits")
    expected = sum(one_edit.occurrences for one_edit in edits)
    check_limit("The request", expected, settings, "max_replacements", "replacements")
    before = session.text(request.path, request.encoding)
    check_hash(request.expect_hash, before.place.name, before)
    applier = EditApplier(session, before, edits, session.audience, literal=request.literal, dry_run=request.dry_run)
    report = applier.apply()
    number = f"{len(edits)} edits" if len(edits) > 1 else "edit"
    plan = Plan((report.file,), "file_edit", f"{number} of {before.place.name}")
    return Proposal(plan, report.answer)


class EditApplier(Record):
    """Applies edits to a file, each to the result of those before it: all of them or none."""

    session: Session
    before: Snapshot
    edits: Sequence[OneEdit]
    audience: Audience
    """It has the names of the arguments."""
    literal: bool
    """Whether placeholders are text."""
    dry_run: bool

    @cached_property
    def _steps(self) -> list[Step]:
        return [self._step(one_edit) for one_edit in self.edits]

    def _step(self, one_edit: OneEdit) -> Step:
        old, new = (text.encode("utf-8", "surrogatepass") for text in (one_edit.old_text, one_edit.new_text))
        if not new.isascii():
            check_surrogates(self.before.text, one_edit.new_text, one_edit.old_text)
            check_writable(self.before.text, new, old)
        return Step(old, new, one_edit.occurrences)

    def apply(self) -> EditReport:
        """Plan the change; raises the error of the first edit that fails."""
        before, steps = self.before, self._steps
        size = len(before.text.body)
        for step in steps:  # intermediate results count, even if a later edit makes them smaller
            size += step.count * (len(step.new) - len(step.old))
            check_size(before.place.name, size)
        outcome = apply_steps(before.text.body, steps)
        placeholders, left_out = self._placeholders(outcome.places)
        if outcome.failed is not None or left_out:
            raise self._failure(outcome)
        change = self.session.plan_update(before, outcome.edits)
        generated = results.warning(before.place.name, before.text.body)
        warnings = [*([generated] if generated else []), *self._cautions(outcome.places), *placeholders]
        sizes = [len(step.old) for step in steps]
        return EditReport(self.session.settings, change, outcome.places, sizes, warnings, self.dry_run)

    def _cautions(self, places: Sequence[Sequence[int]]) -> Iterator[str]:
        """Warnings about what is done as requested, but may not be intended."""
        body = self.before.text.body
        for number, (step, offsets) in enumerate(zip(self._steps, places, strict=True)):
            new_text = in_argument(self.audience.of_edit(number, "new_text"))
            if b"\0" in step.new:
                yield f"{new_text} contains a NUL byte; the file may be treated as binary."
            yield from _partial_matches(body, step, number, offsets, self.audience)
            at = step.new.find(step.old) if step.old and step.new != step.old else -1
            if at >= 0 and any(_is_there(body, step.new, place - at) for place in offsets):
                yield f"{new_text} was already there; if the edit was sent twice, undo it."

    def _placeholders(self, places: Sequence[Sequence[int]]) -> tuple[list[str], list[ElisionInNewText]]:
        """Warnings about inserted placeholders, and errors for those that would delete what they represent.

        `places` are those of the first edits; they are empty for an edit that was not found.
        """
        body, name, total = self.before.text.body, self.before.place.name, len(self.edits)
        warnings: list[str] = []
        failures: list[ElisionInNewText] = []
        for number, (step, offsets) in enumerate(zip(self._steps, places, strict=False)):
            check_time()
            if self.literal or not offsets or not step.new:
                continue
            old, new = step.old, step.new.decode("utf-8", "replace")
            if body.startswith(old, offsets[0]):  # else an earlier edit inserted it
                old, new = whole_lines(body, edit(offsets[0], offsets[0] + len(old), step.new))
            try:
                where = self.audience.of_edit(number, "new_text")
                warnings += check_placeholders(old, new, name, where, index=number, total=total)
            except ElisionInNewText as error:
                failures.append(error)
        return warnings, failures

    def _failure(self, outcome: Outcome) -> SutureError:
        """The error of the first failing edit; `further` has the others, each on the text without the failing edits."""
        from time import monotonic

        failures: list[tuple[int, SutureError]] = []
        until, left = monotonic() + _FURTHER_SECONDS, 0
        for step_outcome in _one_by_one(outcome, self._steps):
            outcome = step_outcome
            if outcome.failed is not None:
                detailed = not failures or (len(failures) <= _DETAILED_FAILURES and monotonic() < until)
                failures.append((outcome.failed, self._error(outcome, outcome.failed, detailed=detailed)))
                if monotonic() > until:
                    left = len(self.edits) - 1 - outcome.failed
                    break
        failures += [(error.index, error) for error in self._placeholders(outcome.places)[1]]
        (_, first), *others = sorted(failures, key=lambda failure: failure[0])
        first.further = [(index, error, number < _DETAILED_FAILURES) for number, (index, error) in enumerate(others)]
        first.unexamined = left
        return first

    def _error(self, outcome: Outcome, failed: int, *, detailed: bool) -> errors.NoMatch | errors.WrongCount:
        """The error of an edit that failed; `detailed`: with a diagnosis."""
        session, before, one_edit, hits = self.session, self.before, self.edits[failed], outcome.hits
        target = SearchTarget(
            before.place.name, one_edit.old_text, one_edit.new_text, failed, len(self.edits), one_edit.occurrences
        )
        if not detailed:
            return unexamined(target, len(hits))
        index = Index(outcome.body, before.place.name, session.bases(before))
        view = View(index, before.text, outcome.origin if outcome.edits else None)
        old = self._steps[failed].old
        own = occurrences(before.text.body, old) if failed else []
        if hits:
            actual = count_occurrences(outcome.body, old, hits) if len(hits) > MAX_HITS else len(hits)
            originally = len(own) if failed else actual
            number = attempt(session, before, target, dry_run=self.dry_run)
            return wrong_count(target, view, hits, actual, originally, number)
        failure = diagnose(index, one_edit.old_text, one_edit.new_text)
        number = attempt(session, before, target, dry_run=self.dry_run)
        return no_match(target, failure, view, number, self._consumed_by(outcome, own))

    def _consumed_by(self, outcome: Outcome, places: Sequence[tuple[int, int]]) -> int | None:
        """The edit of this call that changed the first of these places."""
        if not places:
            return None
        start, end = places[0]
        for number, (step, offsets) in enumerate(zip(self._steps, outcome.places, strict=False)):
            if any(at < end and start < at + len(step.old) for at in offsets):
                return number
        return None


def _one_by_one(outcome: Outcome, steps: Sequence[Step]) -> Iterator[Outcome]:
    """The outcome up to each failing edit, on the text without the failing edits; finally, one without a failure."""
    origins = [outcome.origin]
    while outcome.failed is not None:
        yield outcome
        later = (
            apply_steps(outcome.body, steps[outcome.failed + 1 :])
            if outcome.failed + 1 < len(steps)
            else Outcome((), ())
        )
        origins.append(later.origin)
        places = [tuple(map(outcome.origin, offsets)) for offsets in later.places]
        outcome = later.evolve(
            edits=(*outcome.edits, *later.edits),
            places=(*outcome.places, (), *places),
            failed=None if later.failed is None else outcome.failed + 1 + later.failed,
            origin=_compose(tuple(origins)),
        )
    yield outcome


def _compose(origins: Sequence[Callable[[int], int]]) -> Callable[[int], int]:
    def origin(offset: int) -> int:
        for mapping in reversed(origins):
            offset = mapping(offset)
        return offset

    return origin


def _is_there(body: bytes, new: bytes, at: int) -> bool:
    """Whether a text is at an offset, and does not end inside a line ending."""
    return at >= 0 and body.startswith(new, at) and not body.startswith(b"\r\n", at + len(new) - 1)


def _word_around(body: bytes, start: int, end: int) -> str:
    """A range of the text, extended to whole words; only its first line."""
    first, last = max(start - _MAX_WORD_BYTES, 0), end + _MAX_WORD_BYTES
    before, after = body[first:start], body[end:last]
    head = before[len(before.rstrip(_WORD_BYTES)) :]
    tail = after[: len(after) - len(after.lstrip(_WORD_BYTES))]
    return (head + body[start:end] + tail).decode("utf-8", "ignore").split("\n")[0]


def _partial_matches(body: bytes, step: Step, number: int, places: Sequence[int], audience: Audience) -> Iterator[str]:
    """A warning about a text that begins or ends inside a word or an indentation; one per edit."""
    old_text = in_argument(audience.of_edit(number, "old_text"))
    for start in places[:_MAX_CHECKED_PLACES]:
        end = start + len(step.old)
        if not step.old or not body.startswith(step.old, start):
            continue  # an earlier edit inserted it
        line = body.rfind(b"\n", 0, start) + 1
        before, after = body[max(start - 1, line) : start], body[end : end + 1]
        if any(len(pair) > 1 and pair.isalnum() for pair in (before + step.old[:1], step.old[-1:] + after)):
            yield f"{old_text} is part of a longer word or number: {plain(_word_around(body, start, end))}"
            return
        indent = body[line:start]
        others = step.new.strip(b"\n").split(b"\n")[1:]
        if indent and not indent.strip() and any(line.strip() and not line.startswith(indent) for line in others):
            yield (
                f"{old_text} omits indentation of its line; "
                f"{audience.argument('new_text')} was inserted as it is, so its other lines lack that indentation."
            )
            return


_DESCRIPTION = """\
Replace exact text in a file. One or several edits; all of them succeed, or the file is not changed.

- old_text must match exactly, including whitespace: no regular expressions, no fuzzy matching. "\\n" matches the \
file's line endings.
- occurrences is how often old_text occurs in the file (default 1). If it occurs more or less often, nothing is \
changed, and the answer lists the places. All occurrences are replaced.
- Edits are applied in order: each one sees the result of those before it.
- If old_text is not found, the answer shows the nearest text, says what differs, and, if one place clearly fits, \
gives the corrected edit, ready to send.
- To insert, repeat a neighboring line in new_text; to delete, send an empty new_text. Line numbers that file_read \
shows are not part of the file.
- dry_run shows what would change, without changing it."""


class Diff(shapes.Data):
    """What an edit changes."""

    unified: str = results.DIFF
    added: int = shapes.integer("Lines")
    removed: int = shapes.integer("Lines")
    truncated: bool = shapes.flag("In a dry run: whether the answer's text shows only part of it")


class AppliedEdit(shapes.Data):
    """What one edit did."""

    edit_index: int = shapes.integer("From 0")
    occurrences_replaced: int = shapes.integer("How many places")
    line_numbers: list[int] = shapes.values("Their lines in the original file", of="integer")


class Preview(shapes.Data):
    """A replacement in a dry run."""

    edit_index: int = shapes.integer("From 0")
    line_number: int = shapes.integer("From 1")
    before: str = shapes.text("The lines as they are")
    after: str = shapes.text("The lines after all edits")


class FailedEdit(shapes.Data):
    """Why an edit failed."""

    type: str = shapes.text("The error's code", _TYPES)
    edit_index: int = shapes.integer("The first edit that failed, from 0")
    total_edits: int = shapes.integer("How many edits were sent")
    message: str = shapes.text("What happened")
    search_text: str = shapes.text("The old_text that was sent").optional
    expected_occurrences: int = shapes.integer("How often it should occur").optional
    actual_occurrences: int = shapes.integer("How often it does").optional
    match_locations: list[MatchLocation] = shapes.objects("Where it occurs", MatchLocation).optional
    similar_content: list[SimilarContent] = shapes.objects("Similar places, best first", SimilarContent).optional


class SuggestedFix(shapes.Data):
    """What to do about a failed edit."""

    type: str = shapes.text(
        "Kind of mistake",
        (
            "USE_EXACT_TEXT",
            "CHECK_WHITESPACE",
            "ADJUST_COUNT",
            "ESCAPE_SPECIAL",
            "ALREADY_APPLIED",
            "TARGET_DELETED",
            "CHECK_PATH",
            "CHECK_ENCODING",
            "CHECK_PERMISSIONS",
        ),
    )
    suggestion: str = shapes.text("In words")
    example: str = shapes.text("JSON to send; with old_text and new_text, an edit that applies").optional


class FileEditResult(results.ToolData):
    """What a call of `file_edit` did, or why it failed."""

    failure = results.Rejection
    path: str = results.PATH
    change_id: str | None = results.CHANGE_ID
    hash: str = results.HASH
    diff: Diff = shapes.member("What changes", Diff)
    edits_applied: list[AppliedEdit] = shapes.objects("What each edit did", AppliedEdit)
    total_replacements: int = shapes.integer("By all edits")
    warnings: list[str] = results.WARNINGS
    dry_run: bool = results.DRY_RUN
    would_modify: bool = shapes.flag("In a dry run: whether the file would change").optional
    preview: list[Preview] = shapes.objects("In a dry run: the replacements", Preview).optional
    validation: Findings = results.VALIDATION_IF_ASKED
    validation_error: FailedEdit = shapes.member(
        "Only if an edit failed, or its file cannot be edited", FailedEdit
    ).optional
    suggested_fixes: list[SuggestedFix] = shapes.objects(
        "What to do about a failed edit, best first", SuggestedFix
    ).optional
    file_preview: FilePreview = shapes.member("The lines that a failed edit is about", FilePreview).optional


class EditReport(Record):
    """The outcome of a call."""

    settings: Settings
    file: Update
    places: Sequence[Sequence[int]]
    """The offsets in the original at which each edit found its text."""
    sizes: Sequence[int]
    """The size of each edit's text."""
    warnings: list[str]
    """What may not be intended."""
    dry_run: bool

    def answer(self, change: Change | None) -> Answer:
        """The answer for the caller."""
        file, edits = self.file, self.file.edits or ()
        path, lines = file.place.name, file.before.text.lines
        applied = [
            AppliedEdit(
                edit_index=index, occurrences_replaced=len(offsets), line_numbers=[lines.at(at) for at in offsets]
            )
            for index, offsets in enumerate(self.places)
        ]
        unified, added, removed = results.edits_diff(file, edits)
        shown = results.excerpt(unified if self.dry_run else "", self.settings)  # the caller sent what landed
        result = FileEditResult(
            path=path,
            change_id=None if change is None else change.id,
            hash=file.after.digest,
            diff=Diff(unified=unified, added=added, removed=removed, truncated=shown.total > 0),
            edits_applied=applied,
            total_replacements=sum(map(len, self.places)),
            warnings=self.warnings,
        )
        if self.dry_run:
            result = result.evolve(would_modify=bool(unified), preview=list(self._preview()))
        return Answer("\n".join(self._words(applied, change)), result.data(), below=shown)

    def _words(self, applied: list[AppliedEdit], change: Change | None) -> Iterator[str]:
        path, number = wording.plain(self.file.place.name), len(applied)
        replacements = wording.count(sum(row.occurrences_replaced for row in applied), "replacement")
        where = f", at {_lines(applied[0].line_numbers)}" if number == 1 else f" by {number} edits"
        if self.dry_run:
            subject = f"{number} edits" if number > 1 else "the edit"
            place = f" ({_lines(applied[0].line_numbers)})" if number == 1 else ""
            if self.file.is_no_op:
                yield wording.dry_run(f"{subject} would leave {path} as it is ({replacements})")
            else:
                yield wording.dry_run(f"{subject} would make {replacements} in {path}{place}")
        elif change is not None:
            yield f"Edited {path}: {replacements}{where} (change {change.id})."
        else:
            yield f"No change: the new text equals the old text in {path} ({replacements})."
        for row in applied[:_SHOWN_EDITS] if number > 1 else ():
            replaced = wording.count(row.occurrences_replaced, "replacement")
            yield f"Edit {row.edit_index + 1}: {replaced}, at {_lines(row.line_numbers)}."
        if number > _SHOWN_EDITS:
            yield f"… and {number - _SHOWN_EDITS} more edits."
        yield from (f"warning: {warning}" for warning in self.warnings)

    def _preview(self) -> Iterator[Preview]:
        """Each replacement: its lines before and after all edits."""
        lines, room = self.file.before.text.lines, _PREVIEW_ROOM
        places = [(index, at) for index, offsets in enumerate(self.places) for at in offsets][:_MAX_PREVIEWS]
        start, end, before, after = -1, -1, "", ""
        for index, at in places:
            until = at + max(self.sizes[index], 1)
            if not (start <= at and until <= end):
                start, end, before, after = self._lines_around(at, until)
            most = min(_MAX_PREVIEW_CHARS, max(room, _SHORT_PREVIEW))
            room -= min(len(before), most) + min(len(after), most)
            old, new = _cut(before, most), _cut(after, most)
            yield Preview(edit_index=index, line_number=lines.at(at), before=old, after=new)

    @cached_property
    def _bounds(self) -> tuple[list[int], list[int]]:
        edits = self.file.edits or ()
        return [edit.span.start for edit in edits], [edit.span.end for edit in edits]

    def _lines_around(self, at: int, until: int) -> tuple[int, int, str, str]:
        """The whole lines that a range touches: start, end, and their text before and after all edits."""
        text, edits = self.file.before.text, self.file.edits or ()
        lines, (starts, ends) = text.lines, self._bounds
        first, last = lines.at(at), lines.at(max(at, until - 1))
        while True:  # an edit may extend to other lines, which may have other edits
            start, end = _range(lines, first, last)
            low, high = bisect_left(ends, start), bisect_right(starts, end)
            if high - low > 1 and len(edits[low].span) and ends[low] == start:
                low += 1  # it only ends where these lines begin
            if high - low > 1 and len(edits[high - 1].span) and starts[high - 1] == end:
                high -= 1  # it only begins where these lines end
            nearby = edits[low:high]
            if not nearby or (nearby[0].span.start >= start and nearby[-1].span.end <= end):
                break
            first, last = min(first, lines.at(nearby[0].span.start)), max(last, lines.at(nearby[-1].span.end - 1))
        moved = [edit(original.span.start - start, original.span.end - start, original.new) for original in nearby]
        before = text.body[start:end]
        return start, end, _preview_text(before), _preview_text(apply(before, moved))


def _range(lines: Lines, first: int, last: int) -> tuple[int, int]:
    """Start and end of some lines; an empty range for a text without lines."""
    return (lines.span(first)[0], lines.span(last)[1]) if len(lines) else (0, 0)


def _preview_text(text: bytes) -> str:
    """The beginning of some lines, longer than a preview if they are."""
    most = 4 * (_MAX_PREVIEW_CHARS + 1)  # a character has four bytes at most
    decoded = text[:most].decode("utf-8", "replace")
    return decoded if len(text) > most else decoded.removesuffix("\n").removesuffix("\r")


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}…"


def _lines(numbers: Sequence[int]) -> str:
    distinct = list(dict.fromkeys(numbers))
    shown = ", ".join(map(str, distinct[:_SHOWN_LINES]))
    more = f" and {len(distinct) - _SHOWN_LINES} more" if len(distinct) > _SHOWN_LINES else ""
    return f"{'line' if len(distinct) == 1 else 'lines'} {shown}{more}"


def explain_failure(given: Mapping[str, object], error: errors.SutureError, audience: Audience) -> Answer:
    """An error in the tool's own shape; `given` are the arguments as they were sent."""
    path, edits = getattr(error, "path", given.get("path")), given.get("edits")
    error_data = {
        name: value for name, value in wording.error_data(error, audience).items() if name not in _SHOWN_ELSEWHERE
    }
    data: dict[str, Any] = {"path": path} if isinstance(path, str) else {}
    if error.code in _TYPES:
        data["validation_error"] = {
            "type": error.code,
            "edit_index": getattr(error, "edit_index", 0),
            "total_edits": len(edits) if isinstance(edits, list) else 1,
            "message": error_data["message"],
            **_type_fields(error),
        }
        from suture.wording.edits import suggestions  # only a failure needs it

        data["suggested_fixes"] = suggestions(error, audience)
        if (preview := getattr(error, "file_preview", None)) is not None:
            data["file_preview"] = preview.data()
    return Answer(wording.error_text(error, audience), {**data, "error": error_data}, is_error=True)


def _type_fields(error: errors.SutureError) -> dict[str, Any]:
    if isinstance(error, errors.WrongCount):
        names = ("expected_occurrences", "actual_occurrences", "match_locations", "search_text")
        return {name: json_value(getattr(error, name)) for name in names}
    if isinstance(error, errors.NoMatch):
        return {"search_text": error.search_text, "similar_content": json_value(error.similar_content)}
    return {}


FILE_EDIT = ToolSpec(
    name="file_edit",
    title="Edit a file",
    description=_DESCRIPTION,
    request=FileEdit,
    examples=(
        Example(
            "Replace a text that occurs once",
            {"hello.txt": "Hello World\n"},
            {"path": "hello.txt", "edits": [{"old_text": "World", "new_text": "Universe"}]},
            "Edited hello.txt: 1 replacement, at line 1 (change <id>).",
        ),
        Example(
            "Edits one after the other, the first of them at two places",
            {"app.js": "const a = 1;\nconst b = 2;\n"},
            {
                "path": "app.js",
                "edits": [
                    {"old_text": "const", "new_text": "let", "occurrences": 2},
                    {"old_text": "let a", "new_text": "let x"},
                ],
                "dry_run": True,
            },
            "Dry run: 2 edits would make 3 replacements in app.js; nothing was written.\n"
            "Edit 1: 2 replacements, at lines 1, 2.\nEdit 2: 1 replacement, at line 1.\n\n"
            "diff --git a/app.js b/app.js\n--- a/app.js\n+++ b/app.js\n"
            "@@ -1,2 +1,2 @@\n-const a = 1;\n-const b = 2;\n+let x = 1;\n+let b = 2;",
        ),
    ),
    plan=plan_file_edit,
    result=FileEditResult,
    explain=explain_failure,
)
