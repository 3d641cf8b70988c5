"""`edit`: replace text in one or several files, all of it or nothing.

The arguments are those that models were trained on. Edits of one file apply in order, each to the result of the one
before. A text that differs from the file in harmless ways is found as by `patch`, and the change is adapted to the
file's own text; only then does the answer show the resulting lines.

If a text was found by anything looser than its indentation, the result must not bring a syntax error: a wrong place
would show there first. What was found exactly may bring one, since the model may be half-way through a change; it is
warned.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from itertools import accumulate
from time import monotonic

from suture import errors, shapes
from suture.audience import AGENT
from suture.bounds import Overrun, check_limit, check_time
from suture.errors import Cancelled, FileNotFound, InvalidArguments, MissingOldText, SutureError
from suture.formats import Hunk, Split
from suture.match import locate
from suture.match.hunks import Fit, distance, fit_every, nearest
from suture.match.index import Refused
from suture.match.ladder import LEVEL
from suture.plan import Plan
from suture.records import Record
from suture.text.edits import edit, minimize
from suture.text.replace import MAX_HITS, count_occurrences, occurrences
from suture.tools import results, spec
from suture.tools.check import new_syntax_errors
from suture.tools.failure import SHOWN_PLACES, hunk_error, lines_of
from suture.tools.reply_files import ReplyFiles
from suture.tools.results import check_placeholders, check_surrogates
from suture.tools.spec import Answer, Example, Proposal, Request, ToolSpec
from suture.wording import AS_SENT, count, how_matched, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Self

    from suture.engine.session import Session
    from suture.match.index import Found
    from suture.plan import Change, FileChange
    from suture.text.edits import Edit as TextEdit
    from suture.tools.reply_files import ReplyFile


_ALIASES = {
    "path": "file_path",
    "filename": "file_path",
    "oldText": "old_string",
    "old_text": "old_string",
    "old_str": "old_string",
    "newText": "new_string",
    "new_text": "new_string",
    "new_str": "new_string",
}
_OF_ONE = {"old_string", "new_string", "replace_all", "line"}
_FURTHER_SECONDS = 2.0  # for examining the other edits once one has failed
_DETAILED_FAILURES = 10  # failures that are reported in detail
_SHOWN_LINES = 30  # of a change that was adapted
_SHOWN_NUMBERS = 8  # of the lines that one edit changed
_MAX_LINES = 1_000  # that one edit changed, in the data: each is followed through all later edits
_SHOWN_FILES = 3  # in the summary that the history keeps


class OneEdit(Request):
    """One replacement."""

    file_path: str | None = spec.text("The file; by default, that of the call", default=None, told=False)
    old_string: str = spec.text("the text to replace", told=False)
    new_string: str = spec.text("the text to put in its place", told=False)
    replace_all: bool = spec.flag("Replace all occurrences", told=False)
    line: int | None = spec.integer("As in the call", default=None, minimum=1, told=False)
    literal: bool = spec.literal(listed=False)

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check one edit, accepting other tools' names."""
        request = super().parse(spec.rename_fields(given, _ALIASES))
        if request.replace_all and request.line is not None:
            raise InvalidArguments.of("line", "not together with replace_all: line chooses one match")
        return request


class Edit(Request):
    """Arguments of `edit`."""

    file_path: str | None = spec.text("The file", default=None, told=False)
    old_string: str | None = spec.text("the text to replace", default=None, told=False)
    new_string: str | None = spec.text("the text to put in its place", default=None, told=False)
    replace_all: bool = spec.flag("Replace all occurrences", told=False)
    line: int | None = spec.integer(
        "Choose the match at or nearest to this line of the file before the call", default=None, minimum=1
    )
    edits: list[OneEdit] | None = spec.items(
        "Several edits, instead of the arguments above; those of one file apply in order, each to the result of the "
        "one before",
        model=OneEdit,
        default=None,
    )
    literal: bool = spec.literal(listed=False)

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check a call's arguments; a single edit becomes a list of one."""
        fields = spec.without_null(spec.rename_fields(given, _ALIASES), {*_OF_ONE, "edits", "file_path"})
        if fields.get("edits") is None:
            one = {name: fields.pop(name) for name in [*fields] if name in _OF_ONE}
            request = super().parse({"edits": [], **fields})
            edits = [OneEdit.parse(one)]
        else:
            fields = {name: value for name, value in fields.items() if value or name not in _OF_ONE}
            both = sorted(_OF_ONE & fields.keys())
            if both:
                raise InvalidArguments.of(both[0], "not together with edits: put it into edits, or omit edits")
            request = super().parse(fields)
            edits = request.edits or []
        if not edits:
            raise InvalidArguments.of("edits", "must not be empty")
        edits = [
            one.evolve(file_path=one.file_path or request.file_path, literal=one.literal or request.literal)
            for one in edits
        ]
        for index, edit_of in enumerate(edits):
            if not edit_of.file_path:
                where = "file_path" if len(edits) == 1 else f"edits[{index}].file_path"
                raise InvalidArguments.of(where, "missing: the file to edit")
        return request.evolve(edits=edits)


class DoneEdit(Record):
    """An edit that was applied in memory."""

    file: ReplyFile
    rung: str
    """How its text was found."""
    changes: Sequence[TextEdit]
    """What it changed, in the text that it found, sorted."""
    places: int
    """How many places it replaced."""
    line: int
    """The line of the first of them, in that text."""
    created: bool = False

    @property
    def regions(self) -> list[tuple[int, int]]:
        """The ranges that it wrote, in its result: the first ones."""
        regions, growth = [], 0
        for change in self.changes[:_MAX_LINES]:
            start = change.span.start + growth
            regions.append((start, start + len(change.new)))
            growth += change.growth
        return regions


class EditedPlace(shapes.Data):
    """What one edit changed."""

    path: str = results.PATH
    lines: list[int] = shapes.values("Where its changes begin, in the result; the first thousand", of="integer")
    places: int = shapes.integer("How many places it replaced")
    rung: str | None = results.RUNG


class EditResult(results.ToolData):
    """What a call of `edit` did."""

    change_id: str | None = results.CHANGE_ID
    files: list[results.ChangedFile] = results.FILES
    edits: list[EditedPlace] = shapes.objects("What each edit changed", EditedPlace)
    diff: str = results.DIFF
    warnings: list[str] = results.WARNINGS


def plan_edit(session: Session, request: Edit) -> Proposal:
    """Apply all edits in memory, in order, and plan what that changes."""
    edits = request.edits or []
    check_limit("The request", len(edits), session.settings, "max_edits", "edits")
    editor = _Editor(session)
    editor.apply_all(edits)
    changes = tuple(editor.files.plan(session))
    is_loose = any(_is_loose(done.rung) for done in editor.done)
    problems = new_syntax_errors(session, changes, refuse=is_loose)
    report = EditReport(changes, editor.done, [*editor.warnings(), *problems])
    names = list(dict.fromkeys(done.file.name for done in editor.done))
    shown = ", ".join(names[:_SHOWN_FILES]) + (" …" if len(names) > _SHOWN_FILES else "")
    number = count(len(edits), "edit") if len(edits) > 1 else "edit"
    return Proposal(Plan(changes, "edit", f"{number} of {shown}"), report.answer, checked=True)


def _is_loose(rung: str) -> bool:
    """Whether a text was found by anything looser than its indentation."""
    return rung not in AS_SENT and LEVEL.get(rung, LEVEL["similar"]) > LEVEL["indentation"]


class _Editor:
    """Applies the edits of one call, each to the result of those before it."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.files = ReplyFiles(session)
        self.done: list[DoneEdit] = []
        self._replaced = 0
        self._placeholders: list[str] = []

    def apply_all(self, edits: Sequence[OneEdit]) -> None:
        """Apply every edit; raises the error of the first that fails, with the others in `further`."""
        failures: list[tuple[int, SutureError]] = []
        until, unexamined = 0.0, 0
        for index, one in enumerate(edits):
            if failures and monotonic() > until:
                unexamined = len(edits) - index
                break
            self._session.checkpoint()
            try:
                self.done.append(self._apply(one, detailed=len(failures) < _DETAILED_FAILURES))
            except (Overrun, Cancelled):
                raise
            except SutureError as error:
                error.at_edit = index, len(edits)
                failures.append((index, error.with_traceback(None)))
                until = until or monotonic() + _FURTHER_SECONDS
        if failures:
            (_, first), *others = failures
            first.further = [
                (index, error, number < _DETAILED_FAILURES) for number, (index, error) in enumerate(others)
            ]
            first.unexamined = unexamined
            raise first

    def _apply(self, one: OneEdit, *, detailed: bool) -> DoneEdit:
        file = self.files.at(one.file_path or "")
        created = not file.exists
        if not one.old_string:
            return self._fill(file, one, created=created)
        if created:
            raise FileNotFound(path=file.name, near=self.files.similar_files(file.name), create_by=["write"])
        file.check_text()
        check_surrogates(file.text, one.new_string, one.old_string)
        if "\r\n" in one.old_string and b"\r" not in file.body:  # a copy with other line endings
            one = one.evolve(
                old_string=one.old_string.replace("\r\n", "\n"), new_string=one.new_string.replace("\r\n", "\n")
            )
        answer = self._find(file, one)
        if isinstance(answer, Refused):
            raise self._error(file, one, answer, detailed=detailed)
        self._note_placeholder(file, one)
        places = len(answer.edits) if one.replace_all else 1
        self._replaced += places
        changes = minimize(file.body, answer.edits)
        file.make(answer.edits)
        return DoneEdit(file, answer.rung, changes, places, answer.site.start_line)

    def _fill(self, file: ReplyFile, one: OneEdit, *, created: bool) -> DoneEdit:
        """Write the whole text of a file that is new or empty."""
        if file.body:
            raise MissingOldText
        new = file.prepare_content(one.new_string)
        change = edit(0, 0, new)
        file.make([change])
        return DoneEdit(file, "exact", [change], 1, 1, created=created)

    def _find(self, file: ReplyFile, one: OneEdit) -> Found | Refused:
        split, index = Split(one.old_string, one.new_string, one.literal), file.index
        if one.replace_all:
            self._check_number(file.body, split.old)
            every = fit_every(index, 0, split)
            if not isinstance(every, Refused):
                return every
        answer = locate(index, split.old, split.new, literal=split.literal)
        if not isinstance(answer, Refused) or answer.why != "ambiguous" or one.line is None:
            return answer
        # The number is a line of the file before the call, or of the result of the edits before this one.
        lines = dict.fromkeys((file.line_now(one.line), one.line) if file.changes else (one.line,))
        chosen = [nearest(index, split, answer, line) for line in lines]
        first = chosen[0]
        agreed = first is not None and all(other is not None and other.span == first.span for other in chosen)
        return first if agreed and first is not None else answer

    def _check_number(self, body: bytes, old: str) -> None:
        """Refuse too many replacements before there is an edit for each."""
        settings, encoded = self._session.settings, old.encode("utf-8", "surrogatepass")
        hits = occurrences(body, encoded, settings.max_replacements - self._replaced + 1)
        check_limit("The request", self._replaced + len(hits), settings, "max_replacements", "replacements")

    def _error(self, file: ReplyFile, one: OneEdit, answer: Refused, *, detailed: bool) -> SutureError:
        split = Split(one.old_string, one.new_string)
        hunk = Hunk(0, (split,), part=True)
        error = hunk_error(
            self._session,
            file.index,
            file.snapshot,
            hunk,
            Fit(answer, split),
            match="lenient",
            dry_run=False,
            detailed=detailed,
        )
        if not isinstance(error, errors.OldTextNotUnique):
            return error
        if answer.rung in AS_SENT:  # a search for one place gives up after some hundreds
            old = one.old_string.encode("utf-8", "surrogatepass")
            hits = occurrences(file.body, old, MAX_HITS)
            error = error.evolve(number=count_occurrences(file.body, old, hits) if len(hits) == MAX_HITS else len(hits))
        if one.line is None:
            return error
        line = one.line
        near = sorted(answer.sites, key=lambda site: distance(site, line))[:SHOWN_PLACES]
        in_order = sorted(near, key=lambda site: site.start_line)
        return error.evolve(near=line, shown=lines_of(file.index, in_order))

    def _note_placeholder(self, file: ReplyFile, one: OneEdit) -> None:
        if one.new_string and not one.literal:
            self._placeholders += check_placeholders(
                one.old_string, one.new_string, file.name, "new_string", judged=True, index=None
            )

    def warnings(self) -> list[str]:
        """What may not be intended."""
        generated = (results.warning(file.name, file.text.body) for file in self.files.changed_files())
        return [*(warning for warning in generated if warning is not None), *self._placeholders]


class EditReport(Record):
    """The outcome of a call that landed, or would have."""

    changes: tuple[FileChange, ...]
    done: Sequence[DoneEdit]
    warnings: Sequence[str]

    def answer(self, change: Change | None) -> Answer:
        """The answer for the caller."""
        places = [*self._places()]
        diff = results.plan_diff(self.changes)
        result = EditResult(
            change_id=None if change is None else change.id,
            files=results.changed_files(self.changes),
            edits=[place for place, _ in places],
            diff=diff,
            warnings=list(self.warnings),
        )
        lines = [
            line
            for done, (place, region) in zip(self.done, places, strict=True)
            for line in _lines(done, place, region)
        ]
        if change is None:
            lines = ["No change: the new text equals the old text."]
        lines += [f"warning: {warning}" for warning in self.warnings]
        return Answer("\n".join(lines), result.data())

    def _places(self) -> Iterator[tuple[EditedPlace, tuple[int, int]]]:
        """What each edit changed, by the lines of the result; and the byte range there that it wrote."""
        for number, done in enumerate(self.done):
            regions = done.regions
            for later in self.done[number + 1 :]:
                if later.file is done.file:
                    check_time()
                    regions = _moved(regions, later.changes)
            lines = done.file.index.lines
            numbers = list(dict.fromkeys(lines.at(start) for start, _ in regions)) or [done.line]
            span = (regions[0][0], regions[-1][1]) if regions else (0, 0)
            shown = numbers if done.places > 1 else numbers[:1]
            yield EditedPlace(path=done.file.name, lines=shown, places=done.places, rung=done.rung), span


def _moved(regions: Sequence[tuple[int, int]], changes: Sequence[TextEdit]) -> list[tuple[int, int]]:
    """Where ranges of a text are after changes of that text, which are sorted."""
    starts, ends = [change.span.start for change in changes], [change.span.end for change in changes]
    growth = [0, *accumulate(change.growth for change in changes)]

    def moved(start: int, end: int) -> tuple[int, int]:
        begin = start + growth[bisect_right(ends, start)]
        return begin, max(begin, end + growth[bisect_left(starts, end)])

    return [moved(*region) for region in regions]


def _lines(done: DoneEdit, place: EditedPlace, region: tuple[int, int]) -> Iterator[str]:
    """What an edit changed; with the resulting lines if they are not simply what was sent."""
    where = f"{'Created' if done.created else 'Edited'} {plain(place.path)}"
    if not done.changes:
        yield f"No change: {plain(place.path)}:{place.lines[0]}"
    elif len(place.lines) > 1:
        shown = ", ".join(map(str, place.lines[:_SHOWN_NUMBERS]))
        more = (place.places if len(place.lines) >= _MAX_LINES else len(place.lines)) - _SHOWN_NUMBERS
        yield f"{where}: lines {shown}{f' and {more} more' if more > 0 else ''}"
    elif done.created:
        yield f"{where} ({count(len(done.file.index.lines), 'line')})"
    elif done.rung in AS_SENT:
        yield f"{where}:{place.lines[0]}"
    else:
        yield f"{where}:{place.lines[0]}, found {how_matched(done.rung)}; now:"
        yield from _shown(done, region)


def _shown(done: DoneEdit, region: tuple[int, int]) -> Iterator[str]:
    """The lines of the result that an adapted edit wrote."""
    lines = done.file.index.lines
    if not len(lines):
        return
    first, last = lines.at(region[0]), lines.at(max(region[0], region[1] - 1))
    until = min(last, first + _SHOWN_LINES - 1)
    for number, line in enumerate(lines.contents(first, until), first):
        yield f"{number}\t{line.decode('utf-8', 'replace')}"
    if last > until:
        yield f"… {count(last - until, 'more line')}"


EDIT = ToolSpec(
    name="edit",
    title="Edit files",
    description=(
        "Replace old_string with new_string in a file, or make several edits in one or more files: all or nothing. "
        "old_string must match one place; differences in whitespace are tolerated. If it occurs several times, send "
        "more text, or set line or replace_all. An empty old_string creates a file."
    ),
    request=Edit,
    examples=(
        Example(
            "Replace a text that occurs once",
            {"hello.py": "print('Hello')\n"},
            {"file_path": "hello.py", "old_string": "Hello", "new_string": "Hi"},
            "Edited hello.py:1",
        ),
        Example(
            "Two edits in two files, one of them with another indentation than the file",
            {"app.py": "def main():\n\treturn 0\n", "notes.txt": "one\ntwo\n"},
            {
                "edits": [
                    {
                        "file_path": "app.py",
                        "old_string": "def main():\n    return 0\n",
                        "new_string": "def main():\n    start()\n    return 0\n",
                    },
                    {"file_path": "notes.txt", "old_string": "two", "new_string": "2"},
                ]
            },
            "Edited app.py:2, found ignoring indentation; now:\n2\t\tstart()\nEdited notes.txt:2",
        ),
    ),
    plan=plan_edit,
    audience=AGENT,
)
