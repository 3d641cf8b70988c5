"""The hunks of one block, put into its file, and what became of each.

Those of a patch are all about the file as it stands before them, in order: they are looked for there, so that none
can land in what another one puts in. Only one that is not found there is looked for in what the others made.
"""

from __future__ import annotations

from bisect import bisect_right, insort

from suture.diff import FileDiff, changes, unified
from suture.edits import minimize
from suture.errors import AlreadyApplied, SutureError
from suture.fitting import Expected, Fit, fit, in_place
from suture.formats.search_replace import is_separator
from suture.locate import Found, Refused
from suture.locate.placeholders import added
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from suture.edits import Edit
    from suture.formats.blocks import Block, Hunk
    from suture.locate import Base
    from suture.tools.sheets import Sheet

    Reject = Callable[[Sheet, Hunk, Fit], SutureError]


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
