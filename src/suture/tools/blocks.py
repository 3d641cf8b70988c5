"""The blocks of a reply, applied one after the other; and why one was not.

The hunks of a patch are all about the file as it is before them, in order: they are looked for there, so that none can
land in what another one inserts. Only a hunk that is not found there is looked for in what the others made.

Nothing is written: the files are `ReplyFiles`. A block that fails leaves them as they were.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from time import monotonic

from suture import errors, log
from suture.audience import MODEL
from suture.errors import AlreadyApplied, SutureError
from suture.formats.search_replace import is_separator
from suture.match.diagnose import diagnose, evident_site, failure_of, is_evident
from suture.match.hunks import NOT_NAMED, OUTSIDE, Expected, Fit, fit, in_place
from suture.match.index import Found, Index, Refused, symbol
from suture.match.placeholders import find_added
from suture.records import Record
from suture.text.diff import FileDiff, changes, line_edits, unified
from suture.text.edits import minimize
from suture.tools.failure import (
    SearchTarget,
    View,
    attempt,
    change_of,
    no_match,
    patch_error,
    unexamined,
)
from suture.tools.reply_files import Targets, nearest, not_found
from suture.tools.results import check_placeholders, shrinkage, taken_literally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from suture.engine.session import Session
    from suture.errors import PlaceIn, Reading
    from suture.formats import Block, Hunk, Split
    from suture.match.index import Base
    from suture.text.edits import Edit
    from suture.tools.reply_files import ReplyFile, ReplyFiles

    Reject = Callable[[ReplyFile, Hunk, Fit], SutureError]


_LONGEST_READING = 2_000  # characters of a block's text, read in one of several ways
_SETTLED = {"ambiguous", "applied", "elided", "unplaced", "unsplit"}
"""Why a hunk is refused whatever other hunks made."""
_PROSE = (".md", ".mdx", ".markdown", ".rst", ".txt", ".adoc")
_MOST_NEAR = 20  # files of a similar name that a block is tried on
_EXECUTABLE_BITS = 0o111  # of a mode, for the owner, the group and others
_PLAIN_FILE = 0o100644  # the mode that Git writes for a file that is not executable
_MOST_EXAMINED = 20
"""Failures that are looked into; a reply that fails all over is about other files."""


class Wanted(Record):
    """What was asked for, and whether it is worth to look closely."""

    hunk: Hunk
    match: str
    dry_run: bool
    closely: bool


def rejection(session: Session | None, file: ReplyFile, request: Wanted, placement: Fit) -> SutureError:
    """The error of a hunk; `AlreadyApplied` where the file has its new text."""
    answer: Refused = placement.answer  # type: ignore[assignment]  # asked only then
    old, new, hunk = placement.split.old, placement.split.new, request.hunk
    target = SearchTarget(file.name, old, new, match=request.match)
    if (unfit := _unfit(file, hunk, answer, target)) is not None:
        return unfit
    if answer.why == "missing" and not request.closely:
        return unexamined(target)
    now = file.snapshot
    proved = answer.why != "applied" or answer.rung is not None or is_evident(file.index, old, new)
    if answer.why != "missing" and proved:
        failure = failure_of(file.index, old, new, answer, request.match)
        return patch_error(target, failure, View(file.index, now.text))
    index = Index(file.body, file.name, () if session is None else session.bases(now))
    failure = diagnose(index, old, new)
    site = evident_site(index, old, new) if failure.base is None else failure.applied
    if site is not None:
        return _already_applied(target, site.start_line, site.end_line, change_of(failure.base))
    return no_match(target, failure, View(index, now.text), attempt(session, now, target, dry_run=request.dry_run))


def _already_applied(
    target: SearchTarget, start_line: int, end_line: int, change_id: str | None = None
) -> AlreadyApplied:
    lines = {"start_line": start_line, "end_line": end_line}
    return AlreadyApplied(path=target.path, search_text=target.old, **lines, change_id=change_id)


def _unfit(file: ReplyFile, hunk: Hunk, answer: Refused, target: SearchTarget) -> SutureError | None:
    """What is wrong with a hunk, whatever its lines are."""
    if answer.why == "unplaced":
        return errors.NoContext(path=file.name, context=list(hunk.context))
    if answer.why == "unsplit":
        ways: list[Reading] = [
            {"old": split.old[:_LONGEST_READING], "new": split.new[:_LONGEST_READING]} for split in hunk.splits
        ]
        return errors.AmbiguousBlock(path=file.name, reply_line=hunk.line, readings=ways)
    if answer.why == "miscounted":
        return errors.WrongCount(
            path=target.path,
            search_text=target.old,
            expected_occurrences=hunk.occurrences,
            actual_occurrences=len(answer.sites),
            match_locations=[{"line_number": site.start_line} for site in answer.sites],
            file_preview=None,
            unique=[],
        )
    return _out_of_scope(file, hunk, answer) if answer.detail in {OUTSIDE, NOT_NAMED} else None


def _out_of_scope(file: ReplyFile, hunk: Hunk, answer: Refused) -> errors.OutOfScope:
    """That the lines of a hunk are not in what it names."""
    places: list[PlaceIn] = [
        {
            "start_line": site.start_line,
            "end_line": site.end_line,
            "symbol": symbol(file.index.line, site.start_line - 1, len(file.index.lines)),
        }
        for site in answer.sites
    ]
    named = list(hunk.context) or [hunk.section]
    return errors.OutOfScope(path=file.name, context=named, exists=answer.detail == OUTSIDE, places=places)


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


class _HunkApplier:
    """A block and its file."""

    def __init__(self, block: Block, file: ReplyFile, match: str, reject: Reject, check: Callable[[], None]) -> None:
        """`reject` says why a hunk has no place; `check` is asked before each whether there is time."""
        self._block = block
        self._file = file
        self._match = match
        self._reject = reject
        self._check = check

    def apply_one_by_one(self, hunks: Mapping[str, Hunk]) -> Iterator[Outcome]:
        """Apply each hunk to the result of those before."""
        for name, hunk in hunks.items():
            hints = () if hunk.near is None else (hunk.near, self._file.line_now(hunk.near))
            expected = Expected(hints=tuple(dict.fromkeys(hints)))
            yield self._apply(name, hunk, fit(self._file.index, hunk, self._match, expected))

    def apply_in_patch(self, hunks: Mapping[str, Hunk]) -> Iterator[Outcome]:
        """Apply all hunks to the file as it is, and those that are not found in it to the result."""
        file, before = self._file, self._file.body
        fits = self._fit_all(hunks)
        matches = {name: placement.answer for name, placement in fits.items() if isinstance(placement.answer, Found)}
        matches = {name: match for name, match in matches.items() if self._can_hold(match)}
        edits = [edit for match in matches.values() for edit in match.edits]
        file.make(edits)
        inserted = _Insertions(minimize(before, edits))
        for name, hunk in hunks.items():
            if name in matches:
                yield self._success(name, before, matches[name])
            else:
                answer = fits[name].answer
                elsewhere = isinstance(answer, Refused) and answer.why not in _SETTLED and not answer.detail
                yield self._apply(name, hunk, self._fit_in_result(hunk, inserted) if elsewhere else fits[name])

    def _fit_all(self, hunks: Mapping[str, Hunk]) -> dict[str, Fit]:
        """Where each hunk is before all of them: just where its number says, or wherever it is found."""
        index = self._file.index
        lossy = {} if self._match == "exact" else {name: hunk for name, hunk in hunks.items() if self._leaves_out(hunk)}
        if lossy:
            refused = {name: Fit(Refused("elided"), hunk.splits[0]) for name, hunk in lossy.items()}
            return refused | self._fit_all({name: hunk for name, hunk in hunks.items() if name not in lossy})
        exact = in_place(index, list(hunks.values()))
        if exact is not None:
            return {name: Fit(match, hunk.splits[0]) for (name, hunk), match in zip(hunks.items(), exact, strict=True)}
        run = _FoundHunks()
        return {name: run.note(self._fit(hunk, run.expected(hunk)), hunk) for name, hunk in hunks.items()}

    def _leaves_out(self, hunk: Hunk) -> bool:
        """Whether a placeholder line is just where the hunk takes lines away."""
        for split in hunk.splits:
            if split.literal or find_added(split.old, split.new, self._file.name) is None:
                continue
            old, new = (text.encode("utf-8", "surrogatepass").split(b"\n") for text in (split.old, split.new))
            for i, j, k, m in changes(old, new):
                gone, come = (b"\n".join(lines).decode("utf-8", "surrogatepass") for lines in (old[i:j], new[k:m]))
                placeholder = find_added(gone, come, self._file.name)
                if placeholder is not None and placeholder.deletes:
                    return True
        return False

    def _fit(self, hunk: Hunk, expected: Expected) -> Fit:
        """The place of a hunk. Dots in a patch leave nothing out: what goes away is written there."""
        self._check()
        match = fit(self._file.index, hunk, self._match, expected)
        if isinstance(match.answer, Refused) and match.answer.why == "elided":
            return fit(self._file.index, hunk, "exact", expected)
        return match

    def _fit_in_result(self, hunk: Hunk, inserted: _Insertions) -> Fit:
        """Where a hunk is that may be about what those before it made, but not in the middle of that."""
        again = fit(self._file.index, hunk.but(at=None, context=()), self._match)
        inside = isinstance(again.answer, Found) and inserted.holds(again.answer.span)
        return again.but(answer=Refused("missing")) if inside else again

    def _can_hold(self, match: Found) -> bool:
        """Whether the file can hold the new text; if not, applying it says why."""
        try:
            self._file.check(match.edits)
        except SutureError:
            return False
        return True

    def _apply(self, name: str, hunk: Hunk, placement: Fit) -> Outcome:
        """Apply one hunk, if it has a place."""
        before, block, file = self._file.body, self._block, self._file
        try:
            if isinstance(placement.answer, Found):
                file.make(placement.answer.edits)
                holds_marker = len(hunk.splits) > 1 and any(map(is_separator, placement.split.new.split("\n")))
                return self._success(name, before, placement.answer).but(holds_marker=holds_marker)
        except SutureError as error:
            return failed_outcome(name, block, error, file.name)
        rejected = self._reject(file, hunk, placement)
        if isinstance(rejected, AlreadyApplied):
            return Outcome(name, block, "already_applied", block.action, file.name, rejected.start_line)
        return failed_outcome(name, block, rejected, file.name)

    def _success(self, name: str, before: bytes, match: Found) -> Outcome:
        """A hunk that was applied, or changes nothing."""
        block, file = self._block, self._file
        edits = minimize(before, match.edits)
        line = before.count(b"\n", 0, edits[0].span.start) + 1 if edits else match.site.start_line
        at = file.name, line, match.rung, match.score
        if not edits and not block.to:
            return Outcome(name, block, "already_applied", block.action, *at)
        diff = diff_of(FileDiff(file.name, file.name, before, tuple(edits)))
        return Outcome(name, block, "applied", block.action, *at, diff, match.base)


class _FoundHunks:
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

    def note(self, placement: Fit, hunk: Hunk) -> Fit:
        """Take note of a hunk; where another one has its place, it has none."""
        answer = placement.answer
        if not isinstance(answer, Found):
            return placement
        spans = [(edit.span.start, edit.span.end) for edit in answer.edits]
        if any(map(self._is_taken, spans)):
            return placement.but(answer=Refused("missing"))
        for span in spans:
            insort(self._taken, span)
        if hunk.at is not None:
            self._offset = answer.site.start_line - hunk.at
        self._behind = answer.site.end_line + 1
        return placement

    def _is_taken(self, span: tuple[int, int]) -> bool:
        place = bisect_right(self._taken, span)
        near = self._taken[max(place - 1, 0) : place + 1]
        return any(span == other or (span[0] < other[1] and other[0] < span[1]) for other in near)


class _Insertions:
    """What edits put in, as ranges of the result."""

    def __init__(self, edits: Iterable[Edit]) -> None:
        self._ranges: list[tuple[int, int]] = []
        growth = 0
        for edit in sorted(edits, key=lambda edit: edit.span.start):
            start = edit.span.start + growth
            self._ranges.append((start, start + len(edit.new)))
            growth += edit.growth

    def holds(self, span: tuple[int, int]) -> bool:
        """Whether a range is in the middle of what was put in."""
        place = bisect_right(self._ranges, (span[0], span[1])) - 1
        near = self._ranges[max(place, 0) : place + 2]
        return any(start <= span[0] and span[1] <= end for start, end in near)


def failed_outcome(name: str, block: Block, error: SutureError, path: str | None = None) -> Outcome:
    """A block or hunk that was not applied."""
    return Outcome(name, block, "failed", block.action, path or block.path, error=error)


def diff_of(change: FileDiff) -> str:
    """A diff as text."""
    return unified(change).decode("utf-8", "replace")


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


class BlockApplier:
    """Applies the blocks of one reply."""

    def __init__(
        self,
        files: ReplyFiles,
        match: str,
        session: Session | None = None,
        *,
        dry_run: bool = False,
        literal: bool = False,
    ) -> None:
        """`session` knows earlier versions and earlier attempts, which make a failure clearer, and how long to try."""
        self._files = files
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
        """WorkspaceFiles that the reply creates, deletes or renames: such a name is no slip."""
        self._meant: dict[str, str] = {}
        """What a path that does not exist turned out to mean."""
        self._targets = Targets(files, match, self._landed)

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
                outcomes += [Outcome(name, block, "skipped", block.action, block.path) for name in block.ids]
                continue
            block_outcomes = list(self._apply_or_fail(block, chosen, doubted.get(block.number)))
            reported = {outcome.id for outcome in block_outcomes}
            ids = block.ids
            block_outcomes += [
                Outcome(name, block, "skipped", block.action, block.path) for name in ids if name not in reported
            ]
            order = {name: number for number, name in enumerate(ids)}
            outcomes += sorted(block_outcomes, key=lambda outcome: order[outcome.id])
        for outcome in outcomes:
            log.debug("reply", "block %s: %s", outcome.id, outcome.status)
        return outcomes

    def _apply_or_fail(self, block: Block, chosen: Sequence[str], end: Block | None) -> Iterator[Outcome]:
        try:
            self._check_time()
            _check_usable(block, end)
            block = self._targets.of(block)
            _check_path(block)
            yield from self._apply(block, chosen)
        except errors.FileChanged:
            raise  # the caller's own condition for the whole call
        except errors.SutureError as error:
            yield from (failed_outcome(name, block, error) for name in chosen)

    def _check_time(self) -> None:
        if self._limit is not None and monotonic() - self._start > self._limit / 1_000:
            raise errors.ReplyTimeout(limit=self._limit)

    def _apply(self, block: Block, chosen: Sequence[str]) -> Iterator[Outcome]:
        if block.action == "delete":
            yield self._delete(block)
        elif block.content is not None:
            fenced = block.format == "new_file"
            yield self._write(block, _without_fence(block.content, block.path or "") if fenced else block.content)
        elif block.action == "rename":
            yield from self._rename(block, chosen)
        elif block.copied_from is not None:
            yield from self._copy(block, chosen)
        else:
            yield from self._update(block, chosen)

    def _write(self, block: Block, content: str) -> Outcome:
        """A whole file; an existing one is replaced only if the format says so."""
        file = self._files.at(block.path or "")
        new, before = file.prepare_content(content), file.body
        if file.exists and _with_newlines(new) == _with_newlines(before):
            return Outcome(str(block.number), block, "already_applied", "create", file.name)
        replaces = block.notation.overwrites
        if file.exists and before and not replaces and block.format == "search_replace":
            raise errors.MissingOldText
        if file.exists and before and not replaces:
            raise errors.FileExists(path=file.name)
        warnings = []
        if file.exists and not self._literal and self._match != "exact":
            warnings = check_placeholders(before, content, file.name, "", whole=True, index=None)
        warnings += shrinkage(file.name, before, new)
        action = "update" if file.exists else "create"
        self._check_new(file)
        old_path = file.name if file.exists else None
        file.fill(new)
        if action == "create":
            warnings += self._set_mode(block, file)
        diff = diff_of(FileDiff(old_path, file.name, before, tuple(line_edits(before, new))))
        fence = content not in (block.content, *(split.new for hunk in block.hunks for split in hunk.splits))
        note = f"the code fence around {file.name} was left out" if fence else ""
        warned = tuple(warnings)
        return Outcome(str(block.number), block, "applied", action, file.name, 1, diff=diff, note=note, warnings=warned)

    def _delete(self, block: Block) -> Outcome:
        file = self._files.at(block.path or "")
        if not file.exists:
            raise errors.FileNotFound(path=block.path or "", near=[], create_by=[])
        self._check_itself(block.path or "")
        if block.format == "unified":
            old = "".join(hunk.splits[0].old for hunk in block.hunks)
            if _with_newlines(old.encode("utf-8", "surrogatepass")) != _with_newlines(file.body):
                raise self._why_kept(block, file)
        before = file.body
        file.empty()
        diff = diff_of(FileDiff(file.name, None, before, tuple(line_edits(before, b""))))
        return Outcome(block.ids[0], block, "applied", "delete", file.name, 1, diff=diff)

    def _why_kept(self, block: Block, file: ReplyFile) -> errors.SutureError:
        """Why a file is not deleted: it is not the one that the diff shows."""
        for hunk in block.hunks:
            placement = fit(file.index, hunk, "exact")
            if not isinstance(placement.answer, Found):
                return self._reject(file, hunk, placement)
        return errors.IncompleteBlock(problem="partial", reply_line=block.line, format="unified", path=file.name)

    def _rename(self, block: Block, chosen: Sequence[str]) -> Iterator[Outcome]:
        """A file under another name, and what its hunks change; if none of them can be applied, it keeps its name."""
        to = self._files.at(block.to or "")
        source = self._files.at(block.path or "")
        if not source.exists and to.exists and not block.hunks and self._was_there(source):
            yield Outcome(str(block.number), block, "already_applied", "rename", source.name, to=to.name)
            return
        file = self._existing_file(block.path or "")
        self._check_itself(block.path or "")
        if to.exists and to is not file and not block.notation.overwrites:
            raise errors.FileExists(path=to.name)
        self._check_new(to)
        outcomes = list(self._hunks(block, chosen, file))
        if to is file or (outcomes and all(outcome.status == "failed" for outcome in outcomes)):
            yield from outcomes
            return
        name = file.name
        self._files.move(file, to)
        warnings = self._set_mode(block, to)
        if not block.hunks:
            outcomes = [
                Outcome(str(block.number), block, "applied", "rename", name, diff=diff_of(_rename_diff(name, to)))
            ]
        yield from (_with_name(outcome, to.name) for outcome in _with_warnings(outcomes, warnings))

    def _was_there(self, file: ReplyFile) -> bool:
        """Whether the history knows the file, or a block moved it."""
        known = self._session is not None and self._session.was_there(file.name)
        return known or file.moved_to is not None

    def _copy(self, block: Block, chosen: Sequence[str]) -> Iterator[Outcome]:
        to = self._files.at(block.path or "")
        if to.exists:
            raise errors.FileExists(path=to.name)
        self._check_new(to)
        to.begin_as(self._existing_file(block.copied_from or ""))
        outcomes = list(self._hunks(block, chosen, to))
        warnings = self._set_mode(block, to)
        if to.is_executable and not self._may_be_executable:
            to.set_executable(_PLAIN_FILE)
            warnings = [self._not_executable(to.name)]
        if outcomes and all(outcome.status == "failed" for outcome in outcomes):
            to.empty()
        if not block.hunks:
            outcomes = [Outcome(str(block.number), block, "applied", "create", to.name, 1)]
        yield from _with_warnings(outcomes, warnings)

    def _update(self, block: Block, chosen: Sequence[str]) -> Iterator[Outcome]:
        if not any(split.old for hunk in block.hunks for split in hunk.splits) and block.format == "search_replace":
            new = block.hunks[0].splits[0].new
            yield self._write(block, _without_fence(new, block.path or ""))
            return
        file = self._file_that_fits(block)
        outcomes = list(self._hunks(block, chosen, file))
        before = file.is_executable
        warnings = self._set_mode(block, file)
        if block.mode is not None and not block.hunks:
            if warnings:
                raise errors.UnsupportedBlock(path=file.name, problem="executable")
            status = "already_applied" if file.is_executable == before else "applied"
            outcomes = [Outcome(str(block.number), block, status, "update", file.name)]
        yield from _with_warnings(outcomes, warnings)

    @property
    def _may_be_executable(self) -> bool:
        return self._session is None or self._session.settings.allow_executables

    def _not_executable(self, name: str) -> str:
        audience = MODEL if self._session is None else self._session.audience
        allowed = audience.setting("allow_executables")
        return f"{name} was not made executable, which only the operator can allow ({allowed})."

    def _set_mode(self, block: Block, file: ReplyFile) -> list[str]:
        """Make a file executable or not, as the diff says; a warning if nobody allowed that."""
        if block.mode is None:
            return []
        if block.mode & _EXECUTABLE_BITS and not file.is_executable and not self._may_be_executable:
            return [self._not_executable(file.name)]
        file.set_executable(block.mode)
        return []

    def _hunks(self, block: Block, chosen: Sequence[str], file: ReplyFile) -> Iterator[Outcome]:
        """Apply the chosen hunks to a file."""
        if block.hunks:
            _check_text(file)
        ids = [block.id_of(number) for number in range(len(block.hunks))]
        chosen_ids = set(chosen)
        hunks = {name: hunk for name, hunk in zip(ids, block.hunks, strict=True) if name in chosen_ids}
        hunk_applier = _HunkApplier(block, file, self._match, self._reject, self._check_time)
        outcomes = (
            hunk_applier.apply_in_patch(hunks) if block.notation.in_hunks else hunk_applier.apply_one_by_one(hunks)
        )
        note = self._note(block, file)
        for outcome in outcomes:
            if outcome.status == "applied" and outcome.line is not None:
                self._landed[file.name, hunks[outcome.id].splits] = outcome.line
            warnings = self._placeholders(outcome, hunks[outcome.id], file)
            yield outcome.but(note=note, warnings=warnings) if note or warnings else outcome

    def _placeholders(self, outcome: Outcome, hunk: Hunk, file: ReplyFile) -> tuple[str, ...]:
        """Warnings of placeholder lines that were only inserted; what would delete something has failed."""
        if outcome.status != "applied" or self._literal or self._match == "exact":
            return ()
        split, argument = hunk.splits[0], f"Block {outcome.id}: the new text"
        placeholder = find_added(split.old, split.new, file.name)
        if placeholder is None or (placeholder.deletes and not outcome.block.notation.in_hunks):
            return ()
        return (taken_literally(argument, placeholder.line),)

    def _reject(self, file: ReplyFile, hunk: Hunk, placement: Fit) -> errors.SutureError:
        line = self._landed.get((file.name, hunk.splits))
        if line is not None:  # the same block, once more
            return _already_applied(SearchTarget(file.name, placement.split.old, placement.split.new), line, line)
        self._failures += 1
        closely = self._failures <= _MOST_EXAMINED
        request = Wanted(hunk, self._match, dry_run=self._dry_run, closely=closely)
        return rejection(self._session, file, request, placement)

    def _existing_file(self, path: str) -> ReplyFile:
        file = self._files.at(path)
        if not file.exists:
            raise not_found(path, self._files.near(path))
        return file

    def _file_that_fits(self, block: Block) -> ReplyFile:
        """The file that a block is about; if there is none of this name, the one of nearly that name that it fits."""
        path = block.path or ""
        file = self._files.at(path)
        if file.exists:
            return file
        written = block.path_as_written
        if written and written != path:
            try:
                literal = self._files.at(written)
            except errors.SutureError:
                literal = file
            if literal.exists:
                return literal
        near = self._files.near(path)
        if file.moved_to is not None:
            candidates = [file.moved_to.name]
        else:
            candidates = [] if path in self._touched else nearest(path, near)
        verdicts = {name: self._verdict(block, name) for name in candidates[: _MOST_NEAR + 1]}
        fits = [name for name, verdict in verdicts.items() if verdict != "missing"]
        if self._meant.get(path) in fits:
            fits = [self._meant[path]]
        if len(fits) != 1 or verdicts[fits[0]] != "found" or len(candidates) > _MOST_NEAR:
            raise not_found(path, [name for name in near if name != path])
        self._meant[path] = fits[0]
        return self._files.at(fits[0])

    def _note(self, block: Block, file: ReplyFile) -> str:
        if self._meant.get(block.path or "") != file.name:
            return ""
        return f"there is no {block.path}; the block fits {file.name}, and no other file of a similar name"

    def _verdict(self, block: Block, path: str) -> str:
        """Whether all of a block can be applied to a file: `found`, `missing`, or `unclear`."""
        try:
            file = self._files.at(path)
            _check_text(file)
        except errors.FileChanged:
            raise
        except errors.SutureError:
            return "missing"
        answers = [fit(file.index, hunk, self._match).answer for hunk in block.hunks] if file.exists else []
        if not answers or all(isinstance(answer, Refused) and answer.why == "missing" for answer in answers):
            return "missing"
        return "found" if all(isinstance(answer, Found) for answer in answers) else "unclear"

    def _check_itself(self, path: str) -> None:
        """Refuse a link: taking the file away would leave it behind, pointing nowhere."""
        if self._files.source.is_link(path):
            raise errors.NotAFile(path=path, kind="symbolic link")

    def _check_new(self, file: ReplyFile) -> None:
        """Refuse a new file that could not be created, before anything counts on it."""
        if self._session is not None and file.before is None:
            self._session.plan_create(file.name, b"")


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


def _with_name(outcome: Outcome, name: str) -> Outcome:
    """What became of a hunk, under the name that its file has now."""
    error = outcome.error
    if error is not None and "path" in error.fields():
        error = error.but(path=name)
    return outcome.but(to=name, error=error)


def _with_warnings(outcomes: Sequence[Outcome], warnings: Sequence[str]) -> Iterator[Outcome]:
    """Outcomes, the last one that was applied with more warnings."""
    applied = [outcome.id for outcome in outcomes if outcome.status == "applied"]
    for outcome in outcomes:
        more = warnings if applied and outcome.id == applied[-1] else ()
        yield outcome.but(warnings=(*outcome.warnings, *more)) if more else outcome


def _rename_diff(name: str, to: ReplyFile) -> FileDiff:
    return FileDiff(name, to.name, to.body, ())


def _with_newlines(body: bytes) -> bytes:
    return body.replace(b"\r\n", b"\n")


def _check_text(file: ReplyFile) -> None:
    if file.text.is_binary():
        raise errors.BinaryFile(path=file.name)


def _as_text(block: Block) -> Block:
    """A block whose lines all are text, also those that say that something is left out."""
    return block.but(
        hunks=tuple(hunk.but(splits=tuple(split.but(literal=True) for split in hunk.splits)) for hunk in block.hunks)
    )


def _without_fence(content: str, path: str) -> str:
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
