"""The blocks of a reply, applied one after the other; and why one was not.

Those of a patch are all about the file as it stands before them, in order: they are looked for there, so that none
can land in what another one puts in. Only one that is not found there is looked for in what the others made.

Nothing is written: the files are `Sheets`. A block that fails leaves them as they were.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from time import monotonic

from suture import errors, log
from suture.audience import MODEL
from suture.errors import AlreadyApplied, SutureError
from suture.formats import IN_HUNKS
from suture.formats.search_replace import is_separator
from suture.match import locate
from suture.match.hunks import NOT_NAMED, OUTSIDE, Expected, Fit, fit, in_place
from suture.match.index import Found, Refused, symbol
from suture.match.ladder import standing
from suture.match.normalize import informative, likeness
from suture.match.placeholders import added
from suture.match.request import readings
from suture.plan import Content, Place, Snapshot
from suture.records import Record
from suture.text import Text
from suture.text.diff import FileDiff, changes, line_edits, unified
from suture.text.edits import minimize
from suture.tools.edit import OneEdit, no_match
from suture.tools.outcome import check_placeholders, shrinkage, taken_literally
from suture.tools.patch import Searched, refusal
from suture.tools.reply_files import Targets, missing, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from suture.engine.session import Session
    from suture.formats import Block, Hunk, Split
    from suture.match.index import Base
    from suture.text.edits import Edit
    from suture.tools.reply_files import Sheet, Sheets

    Reject = Callable[[Sheet, Hunk, Fit], SutureError]


_SHOWN = 2_000
_ALIKE = 0.6
_TELLING = 12  # letters and digits of a text that is known when it is seen


class Wanted(Record):
    """What was asked for, and whether it is worth to look closely."""

    hunk: Hunk
    match: str
    dry_run: bool
    closely: bool


def rejection(session: Session | None, sheet: Sheet, wanted: Wanted, fitted: Fit) -> errors.SutureError:
    """The error of a hunk; `AlreadyApplied` where its new text stands there."""
    answer: Refused = fitted.answer  # type: ignore[assignment]  # asked only then
    old, new, hunk = fitted.split.old, fitted.split.new, wanted.hunk
    if (unfit := _unfit(sheet, hunk, answer, old)) is not None:
        return unfit
    request = Searched(0, 1, sheet.name, old, new, wanted.match)
    if answer.why == "missing" and not wanted.closely:
        return _unexamined(sheet, old)
    proved = answer.why != "applied" or answer.rung is not None or _is_evident(sheet, old, new)
    if answer.why != "missing" and proved:
        return refusal(request, answer, sheet.index)
    place = Place(0, sheet.name, sheet.name) if sheet.before is None else sheet.before.place
    before = Snapshot(place, _as_it_is(sheet), Content((sheet.body,)), (), 0)
    found = no_match(session, before, OneEdit(old_text=old, new_text=new, occurrences=1), dry_run=wanted.dry_run)
    applied = found.applied if found.written_on is not None else _standing(sheet, old, new)
    if applied is not None:
        where: dict[str, Any] = {"index": 0, "total": 1, "path": sheet.name, "search_text": old}
        return errors.AlreadyApplied(**where, **applied)
    return found


def _unfit(sheet: Sheet, hunk: Hunk, answer: Refused, old: str) -> errors.SutureError | None:
    """What is wrong with a hunk, whatever its lines are."""
    if answer.why == "unplaced":
        return errors.NoContext(path=sheet.name, context=list(hunk.context))
    if answer.why == "unsplit":
        readings = [{"old": each.old[:_SHOWN], "new": each.new[:_SHOWN]} for each in hunk.splits]
        return errors.AmbiguousBlock(path=sheet.name, reply_line=hunk.line, readings=readings)
    if answer.why == "miscounted":
        return errors.WrongCount(**_sought(sheet, old, hunk.occurrences), **_counted(answer))
    return _out_of_scope(sheet, hunk, answer) if answer.detail in {OUTSIDE, NOT_NAMED} else None


def _out_of_scope(sheet: Sheet, hunk: Hunk, answer: Refused) -> errors.OutOfScope:
    """That the lines of a hunk are not in what it names."""
    lines = [
        {
            "start_line": each.start_line,
            "end_line": each.end_line,
            "symbol": symbol(sheet.index.line, each.start_line - 1, len(sheet.index.lines)),
        }
        for each in answer.sites
    ]
    named = list(hunk.context) or [hunk.section]
    return errors.OutOfScope(path=sheet.name, context=named, exists=answer.detail == OUTSIDE, places=lines)


def _unexamined(sheet: Sheet, old: str) -> errors.NoMatch:
    """That a text is not there, and no more."""
    known: dict[str, Any] = {"why": "missing", "rung": None, "similar_content": [], "indent": {}, "file_preview": None}
    return errors.NoMatch(**_sought(sheet, old, 1), **known)


def _sought(sheet: Sheet, old: str, expected: int) -> dict[str, Any]:
    """What was looked for, as the errors of exact edits tell it."""
    return {
        "path": sheet.name,
        "edit_index": 0,
        "total_edits": 1,
        "search_text": old,
        "expected_occurrences": expected,
    }


def _counted(answer: Refused) -> dict[str, Any]:
    """How often a text occurs, and where."""
    places = [{"line_number": each.start_line} for each in answer.sites]
    return {"actual_occurrences": len(places), "match_locations": places, "file_preview": None, "unique": []}


def _standing(sheet: Sheet, old: str, new: str) -> dict[str, Any] | None:
    """Where the new text stands in one place, says enough to be known, and nothing of the old one is left."""
    evident = _is_evident(sheet, old, new)
    found = standing(sheet.index, readings(old, new)[0], enough=_TELLING) if evident else None
    if found is None or found.why != "applied":
        return None
    return {"start_line": found.sites[0].start_line, "end_line": found.sites[0].end_line}


def _is_evident(sheet: Sheet, old: str, new: str) -> bool:
    """Whether a new text that stands there can have come from the old one: in one place, and much like it."""
    once = isinstance(locate(sheet.index, new, new, match="whitespace", whole_lines=True), Found)
    before, after = ({line.strip() for line in text.split("\n") if informative(line)} for text in (old, new))
    return once and (not before.isdisjoint(after) or likeness(old, new) >= _ALIKE)


def _as_it_is(sheet: Sheet) -> Text:
    """A file's text as the blocks before left it."""
    return Text(sheet.body, bom=b"", encoding=sheet.text.encoding, body=sheet.body)


_SETTLED = {"ambiguous", "applied", "elided", "unplaced", "unsplit"}
"""Why a hunk is refused whatever other hunks made."""


class Outcome(Record):
    """What became of a block, or of a hunk of one."""

    id: str
    block: Block
    status: str
    """`applied`, `already_applied`, `failed` or `skipped`."""
    action: str
    path: str | None
    """The file's name; of one that was renamed, the old one."""
    line: int | None = None
    """Where in the file the change begins, as the block found it."""
    rung: str | None = None
    score: float | None = None
    diff: str = ""
    base: Base | None = None
    """The version that it was written on, if it was merged from there."""
    error: SutureError | None = None
    note: str = ""
    """What else the caller should know."""
    holds_marker: bool = False
    """Whether a line that looks like a separator was taken for content of the new text."""
    to: str | None = None
    """The new name of a file that was renamed."""
    warnings: tuple[str, ...] = ()
    """What may not have been meant."""


class Section:
    """A block and its file."""

    def __init__(self, block: Block, sheet: Sheet, match: str, reject: Reject, check: Callable[[], None]) -> None:
        """`reject` tells why a hunk has no place; `check` is asked before each whether there is time."""
        self._block = block
        self._sheet = sheet
        self._match = match
        self._reject = reject
        self._check = check

    def one_by_one(self, hunks: Mapping[str, Hunk]) -> Iterator[Outcome]:
        """Apply each hunk to the result of those before."""
        for name, hunk in hunks.items():
            hints = () if hunk.near is None else (hunk.near, self._sheet.line_now(hunk.near))
            expected = Expected(hints=tuple(dict.fromkeys(hints)))
            yield self._applied(name, hunk, fit(self._sheet.index, hunk, self._match, expected))

    def in_patch(self, hunks: Mapping[str, Hunk]) -> Iterator[Outcome]:
        """Apply all hunks to the file as it is, and those that are not found in it to the result."""
        sheet, before = self._sheet, self._sheet.body
        fitted = self._fitted(hunks)
        placed = {name: each.answer for name, each in fitted.items() if isinstance(each.answer, Found)}
        placed = {name: found for name, found in placed.items() if self._can_hold(found)}
        edits = [edit for found in placed.values() for edit in found.edits]
        sheet.make(edits)
        inserted = _Inserted(minimize(before, edits))
        for name, hunk in hunks.items():
            if name in placed:
                yield self._done(name, before, placed[name])
            else:
                answer = fitted[name].answer
                elsewhere = isinstance(answer, Refused) and answer.why not in _SETTLED and not answer.detail
                yield self._applied(name, hunk, self._in_result(hunk, inserted) if elsewhere else fitted[name])

    def _fitted(self, hunks: Mapping[str, Hunk]) -> dict[str, Fit]:
        """Where each hunk stands before all of them: just where its number says, or wherever it is found."""
        index = self._sheet.index
        lossy = {} if self._match == "exact" else {name: hunk for name, hunk in hunks.items() if self._leaves_out(hunk)}
        if lossy:
            refused = {name: Fit(Refused("elided"), hunk.splits[0]) for name, hunk in lossy.items()}
            return refused | self._fitted({name: hunk for name, hunk in hunks.items() if name not in lossy})
        exact = in_place(index, list(hunks.values()))
        if exact is not None:
            return {name: Fit(found, hunk.splits[0]) for (name, hunk), found in zip(hunks.items(), exact, strict=True)}
        run = _Run()
        return {name: run.noted(self._fit(hunk, run.expected(hunk)), hunk) for name, hunk in hunks.items()}

    def _leaves_out(self, hunk: Hunk) -> bool:
        """Whether a line stands for others just where the hunk takes lines away."""
        for split in hunk.splits:
            if split.literal or added(split.old, split.new, self._sheet.name) is None:
                continue
            old, new = (text.encode("utf-8", "surrogatepass").split(b"\n") for text in (split.old, split.new))
            for i, j, k, m in changes(old, new):
                gone, come = (b"\n".join(lines).decode("utf-8", "surrogatepass") for lines in (old[i:j], new[k:m]))
                found = added(gone, come, self._sheet.name)
                if found is not None and found.deletes:
                    return True
        return False

    def _fit(self, hunk: Hunk, expected: Expected) -> Fit:
        """The place of a hunk. Dots in a patch leave nothing out: what goes away is written there."""
        self._check()
        found = fit(self._sheet.index, hunk, self._match, expected)
        if isinstance(found.answer, Refused) and found.answer.why == "elided":
            return fit(self._sheet.index, hunk, "exact", expected)
        return found

    def _in_result(self, hunk: Hunk, inserted: _Inserted) -> Fit:
        """Where a hunk stands that may be about what those before it made, but not in the middle of that."""
        again = fit(self._sheet.index, hunk.but(at=None, context=()), self._match)
        inside = isinstance(again.answer, Found) and inserted.holds(again.answer.span)
        return again.but(answer=Refused("missing")) if inside else again

    def _can_hold(self, found: Found) -> bool:
        """Whether the file can hold the new text; if not, that is told when it is tried."""
        try:
            self._sheet.check(found.edits)
        except SutureError:
            return False
        return True

    def _applied(self, name: str, hunk: Hunk, fitted: Fit) -> Outcome:
        """Apply one hunk, if it has a place."""
        before, block, sheet = self._sheet.body, self._block, self._sheet
        try:
            if isinstance(fitted.answer, Found):
                sheet.make(fitted.answer.edits)
                holds_marker = len(hunk.splits) > 1 and any(map(is_separator, fitted.split.new.split("\n")))
                return self._done(name, before, fitted.answer).but(holds_marker=holds_marker)
        except SutureError as error:
            return failed(name, block, error, sheet.name)
        rejected = self._reject(sheet, hunk, fitted)
        if isinstance(rejected, AlreadyApplied):
            return Outcome(name, block, "already_applied", block.action, sheet.name, rejected.start_line)
        return failed(name, block, rejected, sheet.name)

    def _done(self, name: str, before: bytes, found: Found) -> Outcome:
        """A hunk that was applied, or changes nothing."""
        block, sheet = self._block, self._sheet
        edits = minimize(before, found.edits)
        line = before.count(b"\n", 0, edits[0].span.start) + 1 if edits else found.site.start_line
        at = sheet.name, line, found.rung, found.score
        if not edits and not block.to:
            return Outcome(name, block, "already_applied", block.action, *at)
        diff = diff_of(FileDiff(sheet.name, sheet.name, before, tuple(edits)))
        return Outcome(name, block, "applied", block.action, *at, diff, found.base)


class _Run:
    """The hunks of a patch that were found so far, in the file as it was before all of them."""

    def __init__(self) -> None:
        self._offset = 0
        self._behind = 1
        self._taken: list[tuple[int, int]] = []
        """The ranges that are changed, sorted."""

    def expected(self, hunk: Hunk) -> Expected:
        """Where a hunk should be."""
        lines = () if hunk.at is None else (hunk.at + self._offset, hunk.at)
        return Expected(tuple(line for line in dict.fromkeys(lines) if line >= self._behind), self._behind)

    def noted(self, found: Fit, hunk: Hunk) -> Fit:
        """Take note of a hunk; where another one has its place, it has none."""
        answer = found.answer
        if not isinstance(answer, Found):
            return found
        spans = [(each.span.start, each.span.end) for each in answer.edits]
        if any(map(self._is_taken, spans)):
            return found.but(answer=Refused("missing"))
        for each in spans:
            insort(self._taken, each)
        if hunk.at is not None:
            self._offset = answer.site.start_line - hunk.at
        self._behind = answer.site.end_line + 1
        return found

    def _is_taken(self, span: tuple[int, int]) -> bool:
        place = bisect_right(self._taken, span)
        near = self._taken[max(place - 1, 0) : place + 1]
        return any(span == each or (span[0] < each[1] and each[0] < span[1]) for each in near)


class _Inserted:
    """What edits put in, as ranges of the result."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._ranges: list[tuple[int, int]] = []
        growth = 0
        for each in sorted(edits, key=lambda each: each.span.start):
            start = each.span.start + growth
            self._ranges.append((start, start + len(each.new)))
            growth += each.growth

    def holds(self, span: tuple[int, int]) -> bool:
        """Whether a range is in the middle of what was put in."""
        place = bisect_right(self._ranges, (span[0], span[1])) - 1
        near = self._ranges[max(place, 0) : place + 2]
        return any(start <= span[0] and span[1] <= end for start, end in near)


def failed(name: str, block: Block, error: SutureError, path: str | None = None) -> Outcome:
    """A block or hunk that was not applied."""
    return Outcome(name, block, "failed", block.action, path or block.path, error=error)


def diff_of(file: FileDiff) -> str:
    """A diff as text."""
    return unified(file).decode("utf-8", "replace")


_INCOMPLETE = {
    "no_start",
    "no_separator",
    "many_separators",
    "no_end",
    "two_ends",
    "inside",
    "empty",
    "not_a_hunk",
    "excerpt",
    "not_exact",
    "not_asked",
}
_PROSE = (".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc")
_MOST_NEAR = 20
_EXECUTABLE = 0o111
_PLAIN_FILE = 0o100644
_MOST_CLOSELY = 20
"""Failures that are looked into; a reply that fails all over is about other files."""


class Stitching:
    """Applies the blocks of one reply."""

    def __init__(
        self,
        sheets: Sheets,
        match: str,
        session: Session | None = None,
        *,
        dry_run: bool = False,
        literal: bool = False,
    ) -> None:
        """`session` knows earlier versions and earlier attempts, which make a failure clearer, and how long to try."""
        self._sheets = sheets
        self._match = match
        self._session = session
        self._dry_run = dry_run
        self._literal = literal
        self._failures = 0
        self._limit = None if session is None else session.settings.reply_call_ms
        self._start = monotonic()
        self._landed: dict[tuple[str, tuple[Split, ...]], int] = {}
        """What was applied, and where."""
        self._touched: set[str] = set()
        """Files that the reply creates, deletes or renames: such a name is no slip."""
        self._meant: dict[str, str] = {}
        """What a path that does not exist turned out to mean."""
        self._targets = Targets(sheets, match, self._landed)

    def run(self, blocks: Sequence[Block], only: Sequence[str] | None = None) -> list[Outcome]:
        """Apply the blocks, or those whose ids are chosen."""
        self._touched = {
            name for block in blocks if block.action != "update" for name in (block.path, block.to) if name
        }
        self._targets.begin(blocks)
        doubted = {block.doubts: block for block in blocks if block.doubts is not None}
        outcomes: list[Outcome] = []
        for block in map(_as_text, blocks) if self._literal else blocks:
            if self._session is not None:
                self._session.checkpoint()
            chosen = block.chosen(only)
            if not chosen:
                outcomes += [Outcome(each, block, "skipped", block.action, block.path) for each in block.ids]
                continue
            made = list(self._guarded(block, chosen, doubted.get(block.number)))
            told = {each.id for each in made}
            ids = block.ids
            made += [Outcome(each, block, "skipped", block.action, block.path) for each in ids if each not in told]
            order = {each: number for number, each in enumerate(ids)}
            outcomes += sorted(made, key=lambda each: order[each.id])
        for each in outcomes:
            log.debug("reply", "block %s: %s", each.id, each.status)
        return outcomes

    def _guarded(self, block: Block, chosen: Sequence[str], end: Block | None) -> Iterator[Outcome]:
        try:
            self._check_time()
            _check_usable(block, end)
            block = self._targets.of(block)
            _check_path(block)
            yield from self._applied(block, chosen)
        except errors.FileChanged:
            raise  # the caller's own condition for the whole call
        except errors.SutureError as error:
            yield from (failed(each, block, error) for each in chosen)

    def _check_time(self) -> None:
        if self._limit is not None and monotonic() - self._start > self._limit / 1_000:
            raise errors.ReplyTimeout(limit=self._limit)

    def _applied(self, block: Block, chosen: Sequence[str]) -> Iterator[Outcome]:
        if block.action == "delete":
            yield self._deleted(block)
        elif block.content is not None:
            fenced = block.format == "new_file"
            yield self._written(block, _unfenced(block.content, block.path or "") if fenced else block.content)
        elif block.action == "rename":
            yield from self._renamed(block, chosen)
        elif block.copied_from is not None:
            yield from self._copied(block, chosen)
        else:
            yield from self._updated(block, chosen)

    def _written(self, block: Block, content: str) -> Outcome:
        """A whole file; one that stands there is replaced only if the format says so."""
        sheet = self._sheets.at(block.path or "")
        new, before = sheet.checked(content), sheet.body
        if sheet.exists and _plain(new) == _plain(before):
            return Outcome(str(block.number), block, "already_applied", "create", sheet.name)
        replaces = block.format in {"v4a", "whole_file"}
        if sheet.exists and before and not replaces and block.format == "search_replace":
            raise errors.MissingOldText(index=0, total=1)
        if sheet.exists and before and not replaces:
            raise errors.FileExists(path=sheet.name)
        warnings = []
        if sheet.exists and not self._literal and self._match != "exact":
            warnings = check_placeholders(before, content, sheet.name, "", whole=True)
        warnings += shrinkage(sheet.name, before, new)
        action = "update" if sheet.exists else "create"
        self._check_new(sheet)
        old_path = sheet.name if sheet.exists else None
        sheet.fill(new)
        if action == "create":
            warnings += self._set_mode(block, sheet)
        diff = diff_of(FileDiff(old_path, sheet.name, before, tuple(line_edits(before, new))))
        fence = content not in (block.content, *(split.new for hunk in block.hunks for split in hunk.splits))
        note = f"the code fence around {sheet.name} was left out" if fence else ""
        warned = tuple(warnings)
        return Outcome(
            str(block.number), block, "applied", action, sheet.name, 1, diff=diff, note=note, warnings=warned
        )

    def _deleted(self, block: Block) -> Outcome:
        sheet = self._sheets.at(block.path or "")
        if not sheet.exists:
            raise errors.FileNotFound(path=block.path or "", near=[], create_by=[])
        self._check_itself(block.path or "")
        if block.format == "unified":
            old = "".join(hunk.splits[0].old for hunk in block.hunks)
            if _plain(old.encode("utf-8", "surrogatepass")) != _plain(sheet.body):
                raise self._kept(block, sheet)
        before = sheet.body
        sheet.empty()
        diff = diff_of(FileDiff(sheet.name, None, before, tuple(line_edits(before, b""))))
        return Outcome(block.ids[0], block, "applied", "delete", sheet.name, 1, diff=diff)

    def _kept(self, block: Block, sheet: Sheet) -> errors.SutureError:
        """Why a file is not deleted: it is not the one that the diff shows."""
        for hunk in block.hunks:
            fitted = fit(sheet.index, hunk, "exact")
            if not isinstance(fitted.answer, Found):
                return self._rejected(sheet, hunk, fitted)
        return errors.IncompleteBlock(problem="partial", reply_line=block.line, format="unified", path=sheet.name)

    def _renamed(self, block: Block, chosen: Sequence[str]) -> Iterator[Outcome]:
        """A file under another name, and what its hunks change; if none of them can be applied, it keeps its name."""
        to = self._sheets.at(block.to or "")
        source = self._sheets.at(block.path or "")
        if not source.exists and to.exists and not block.hunks and self._was_there(source):
            yield Outcome(str(block.number), block, "already_applied", "rename", source.name, to=to.name)
            return
        sheet = self._existing(block.path or "")
        self._check_itself(block.path or "")
        if to.exists and to is not sheet and block.format != "v4a":
            raise errors.FileExists(path=to.name)
        self._check_new(to)
        made = list(self._hunks(block, chosen, sheet))
        if to is sheet or (made and all(each.status == "failed" for each in made)):
            yield from made
            return
        name = sheet.name
        self._sheets.move(sheet, to)
        warnings = self._set_mode(block, to)
        if not block.hunks:
            made = [Outcome(str(block.number), block, "applied", "rename", name, diff=diff_of(_moved(name, to)))]
        yield from (_told_as(each, to.name) for each in _warned(made, warnings))

    def _was_there(self, sheet: Sheet) -> bool:
        """Whether the history knows the file, or a block moved it."""
        known = self._session is not None and bool(self._session.past_versions(sheet.name))
        return known or sheet.moved_to is not None

    def _copied(self, block: Block, chosen: Sequence[str]) -> Iterator[Outcome]:
        to = self._sheets.at(block.path or "")
        if to.exists:
            raise errors.FileExists(path=to.name)
        self._check_new(to)
        to.begin_as(self._existing(block.copied_from or ""))
        made = list(self._hunks(block, chosen, to))
        warnings = self._set_mode(block, to)
        if to.is_executable and not self._may_be_executable:
            to.set_executable(_PLAIN_FILE)
            warnings = [self._not_executable(to.name)]
        if made and all(each.status == "failed" for each in made):
            to.empty()
        if not block.hunks:
            made = [Outcome(str(block.number), block, "applied", "create", to.name, 1)]
        yield from _warned(made, warnings)

    def _updated(self, block: Block, chosen: Sequence[str]) -> Iterator[Outcome]:
        if not any(split.old for hunk in block.hunks for split in hunk.splits) and block.format == "search_replace":
            new = block.hunks[0].splits[0].new
            yield self._written(block, _unfenced(new, block.path or ""))
            return
        sheet = self._fitting(block)
        made = list(self._hunks(block, chosen, sheet))
        before = sheet.is_executable
        warnings = self._set_mode(block, sheet)
        if block.mode is not None and not block.hunks:
            if warnings:
                raise errors.UnsupportedBlock(path=sheet.name, problem="executable")
            status = "already_applied" if sheet.is_executable == before else "applied"
            made = [Outcome(str(block.number), block, status, "update", sheet.name)]
        yield from _warned(made, warnings)

    @property
    def _may_be_executable(self) -> bool:
        return self._session is None or self._session.settings.allow_executables

    def _not_executable(self, name: str) -> str:
        audience = MODEL if self._session is None else self._session.audience
        allowed = audience.setting("allow_executables")
        return f"{name} was not made executable, which only the operator can allow ({allowed})."

    def _set_mode(self, block: Block, sheet: Sheet) -> list[str]:
        """Make a file executable or not, as the diff says; a warning if nobody allowed that."""
        if block.mode is None:
            return []
        if block.mode & _EXECUTABLE and not sheet.is_executable and not self._may_be_executable:
            return [self._not_executable(sheet.name)]
        sheet.set_executable(block.mode)
        return []

    def _hunks(self, block: Block, chosen: Sequence[str], sheet: Sheet) -> Iterator[Outcome]:
        """Apply the chosen hunks to a file."""
        if block.hunks:
            _check_text(sheet)
        ids = [block.id_of(number) for number in range(len(block.hunks))]
        wanted = set(chosen)
        hunks = {each: hunk for each, hunk in zip(ids, block.hunks, strict=True) if each in wanted}
        section = Section(block, sheet, self._match, self._rejected, self._check_time)
        outcomes = section.in_patch(hunks) if block.format in IN_HUNKS else section.one_by_one(hunks)
        note = self._note(block, sheet)
        for each in outcomes:
            if each.status == "applied" and each.line is not None:
                self._landed[sheet.name, hunks[each.id].splits] = each.line
            warnings = self._placeholders(each, hunks[each.id], sheet)
            yield each.but(note=note, warnings=warnings) if note or warnings else each

    def _placeholders(self, outcome: Outcome, hunk: Hunk, sheet: Sheet) -> tuple[str, ...]:
        """Warnings of lines that stand for others and were only put in; what would delete something has failed."""
        if outcome.status != "applied" or self._literal or self._match == "exact":
            return ()
        split, argument = hunk.splits[0], f"Block {outcome.id}: the new text"
        found = added(split.old, split.new, sheet.name)
        if found is None or (found.deletes and outcome.block.format not in IN_HUNKS):
            return ()
        return (taken_literally(argument, found.line),)

    def _rejected(self, sheet: Sheet, hunk: Hunk, fitted: Fit) -> errors.SutureError:
        line = self._landed.get((sheet.name, hunk.splits))
        if line is not None:  # the same block, once more
            return errors.AlreadyApplied(
                index=0, total=1, path=sheet.name, search_text=fitted.split.old, start_line=line, end_line=line
            )
        self._failures += 1
        closely = self._failures <= _MOST_CLOSELY
        request = Wanted(hunk, self._match, dry_run=self._dry_run, closely=closely)
        return rejection(self._session, sheet, request, fitted)

    def _existing(self, path: str) -> Sheet:
        sheet = self._sheets.at(path)
        if not sheet.exists:
            raise missing(path, self._sheets.near(path))
        return sheet

    def _fitting(self, block: Block) -> Sheet:
        """The file that a block is about; if there is none of this name, the one of nearly that name that it fits."""
        path = block.path or ""
        sheet = self._sheets.at(path)
        if sheet.exists:
            return sheet
        written = block.path_as_written
        if written and written != path:
            try:
                literal = self._sheets.at(written)
            except errors.SutureError:
                literal = sheet
            if literal.exists:
                return literal
        near = self._sheets.near(path)
        if sheet.moved_to is not None:
            candidates = [sheet.moved_to.name]
        else:
            candidates = [] if path in self._touched else nearest(path, near)
        verdicts = {each: self._verdict(block, each) for each in candidates[: _MOST_NEAR + 1]}
        fits = [each for each, verdict in verdicts.items() if verdict != "missing"]
        if self._meant.get(path) in fits:
            fits = [self._meant[path]]
        if len(fits) != 1 or verdicts[fits[0]] != "found" or len(candidates) > _MOST_NEAR:
            raise missing(path, [each for each in near if each != path])
        self._meant[path] = fits[0]
        return self._sheets.at(fits[0])

    def _note(self, block: Block, sheet: Sheet) -> str:
        if self._meant.get(block.path or "") != sheet.name:
            return ""
        return f"there is no {block.path}; the block fits {sheet.name}, and no other file of a similar name"

    def _verdict(self, block: Block, path: str) -> str:
        """Whether all of a block can be applied to a file: `found`, `missing`, or `unclear`."""
        try:
            sheet = self._sheets.at(path)
            _check_text(sheet)
        except errors.FileChanged:
            raise
        except errors.SutureError:
            return "missing"
        answers = [fit(sheet.index, hunk, self._match).answer for hunk in block.hunks] if sheet.exists else []
        if not answers or all(isinstance(each, Refused) and each.why == "missing" for each in answers):
            return "missing"
        return "found" if all(isinstance(each, Found) for each in answers) else "unclear"

    def _check_itself(self, path: str) -> None:
        """Refuse a link: taking the file away would leave it behind, pointing nowhere."""
        if self._sheets.shelf.is_link(path):
            raise errors.NotAFile(path=path, kind="symbolic link")

    def _check_new(self, sheet: Sheet) -> None:
        """Refuse a new file that could not be created, before anything counts on it."""
        if self._session is not None and sheet.before is None:
            self._session.plan_create(sheet.name, b"")


def _check_usable(block: Block, end: Block | None) -> None:
    """Refuse what cannot be read; `end` is an end marker behind a block that may belong to it."""
    if block.problem in _INCOMPLETE:
        raise errors.IncompleteBlock(problem=block.problem, reply_line=block.line, format=block.format, path=block.path)
    if block.problem is not None:
        raise errors.UnsupportedBlock(path=block.path, problem=block.problem)
    if end is not None:
        ends = [block.end_line, end.line]
        raise errors.AmbiguousBlock(path=block.path or "", reply_line=block.line, readings=[], ends=ends)


def _check_path(block: Block) -> None:
    if block.path is None:
        raise errors.NoPath(reply_line=block.line)
    if block.path[1:3] in {":/", ":\\"}:
        raise errors.PathOutsideWorkspace(path=block.path, reason="it begins at a drive")


def _told_as(outcome: Outcome, name: str) -> Outcome:
    """What became of a hunk, under the name that its file has now."""
    error = outcome.error
    if error is not None and "path" in error.fields():
        error = type(error)(**{**error.fields(), "path": name})
    return outcome.but(to=name, error=error)


def _warned(made: Sequence[Outcome], warnings: Sequence[str]) -> Iterator[Outcome]:
    """Outcomes, the last one that was applied with more warnings."""
    applied = [each.id for each in made if each.status == "applied"]
    for each in made:
        more = warnings if applied and each.id == applied[-1] else ()
        yield each.but(warnings=(*each.warnings, *more)) if more else each


def _moved(name: str, to: Sheet) -> FileDiff:
    return FileDiff(name, to.name, to.body, ())


def _plain(body: bytes) -> bytes:
    return body.replace(b"\r\n", b"\n")


def _check_text(sheet: Sheet) -> None:
    if sheet.text.is_binary():
        raise errors.BinaryFile(path=sheet.name)


def _as_text(block: Block) -> Block:
    """A block whose lines all are text, also those that say that something is left out."""
    return block.but(
        hunks=tuple(hunk.but(splits=tuple(split.but(literal=True) for split in hunk.splits)) for hunk in block.hunks)
    )


def _unfenced(content: str, path: str) -> str:
    """A file's content without a code fence around all of it, which no file of code has."""
    lines = content.split("\n")
    fence = lines[0].strip()[:3]
    if fence not in {"```", "~~~"} or path.lower().endswith(_PROSE):
        return content
    while lines and not lines[-1].strip():
        lines.pop()
    closed = len(lines) > 1 and lines[-1].strip().startswith(fence) and not lines[-1].strip().strip(fence[0])
    inner = any(line.strip().startswith(fence) for line in lines[1:-1])
    return "\n".join([*lines[1:-1], ""]) if closed and not inner else content
