"""Where each patch of a call goes: found in the original text, checked against the others, never applied here.

A `Placement` claims the bytes that its patch replaces; two claims on the same bytes are refused. What is inserted
at the beginning comes before everything else that stands there, what is appended comes after it, and otherwise the
order of the request holds.
"""

from __future__ import annotations

from itertools import pairwise
from time import monotonic

from suture import errors
from suture.bounds import check_size, check_time
from suture.edits import edit
from suture.locate import Found, Index, Site, locate
from suture.records import Record
from suture.tools.losses import check_placeholders, shrinkage
from suture.tools.patches import reindented
from suture.tools.refusal import Searched, refusal
from suture.tools.writable import check, check_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from suture.edits import Edit
    from suture.locate import Base
    from suture.text import Text
    from suture.tools.patches import OnePatch


_PATIENCE = 2.0
"""Seconds for looking at the other patches once one has failed."""
_CLOSELY = 10
"""Of the other failures, those that are told with all that is known."""


class Placement(Record):
    """One patch in the original: what it replaces, by what, and how it was found."""

    index: int
    operation: str
    start: int
    end: int
    edits: tuple[Edit, ...]
    start_line: int
    end_line: int
    rung: str | None = None
    score: float | None = None
    runner_up: Site | None = None
    rank: int = 0
    """Which comes first of those at one point."""
    claims: bool = True
    """Whether nobody else may replace these bytes."""
    carried: bool = False
    """Whether it is a change, carried over to what stands there; else text that is put in as it is."""
    base: Base | None = None
    """The version that it was written on, if it was merged from there."""


class Placing:
    """The patches of one call, on one text."""

    def __init__(
        self,
        path: str,
        text: Text,
        patches: Sequence[OnePatch],
        match: str,
        recall: Callable[[str], str],
        bases: Iterable[Base] = (),
        *,
        literal: bool = False,
    ) -> None:
        """`recall` knows the clipboards from before this call; `bases` are earlier versions of the file."""
        self._path = path
        self._bases = bases
        self._text = text
        self._patches = patches
        self._match = match
        self._recall = recall
        self._literal = literal
        self._index: Index | None = None
        self._made = 0
        """Bytes of new text so far."""
        self.clipboards: dict[str, str] = {}
        """What this call puts into clipboards so far."""
        self.warnings: list[str] = []
        """What may not have been meant."""

    @property
    def _searched(self) -> Index:
        """The text, prepared for searching once."""
        self._index = self._index or Index(self._text.body, self._path, self._bases)
        return self._index

    def place(self) -> list[Placement]:
        """Every patch, in the order of the request, or the error of the first that has no place, and all others."""
        placed: list[Placement] = []
        failures: list[tuple[int, errors.SutureError]] = []
        unfilled: set[str | None] = set()
        examined, until = 0, 0.0
        for index, patch in enumerate(self._patches):
            if failures and monotonic() > until:
                break
            examined += 1
            if (
                patch.fromClipboard is not None and patch.fromClipboard in unfilled
            ):  # it fails only because another one does
                unfilled.add(patch.toClipboard)
                continue
            check_time()
            try:
                found = self._placed(index, patch)
            except errors.SutureError as error:
                failures.append((index, error.with_traceback(None)))  # or it holds all that was made on the way
                unfilled.add(patch.toClipboard)
                until = until or monotonic() + _PATIENCE
            else:
                placed.append(self._sized(found))
        try:
            self._check_overlaps(placed)
        except errors.OverlappingPatches as error:
            failures.append((error.second, error))
        if not failures:
            return placed
        (_, first), *others = sorted(failures, key=lambda each: each[0])
        first.further = [(index, error, number < _CLOSELY) for number, (index, error) in enumerate(others)]
        first.unexamined = len(self._patches) - examined
        raise first

    def _sized(self, placement: Placement) -> Placement:
        """A placement that still fits into a file with those before it: one clipboard may be put in many times."""
        self._made += sum(len(each.new) for each in placement.edits)
        check_size("All new text", self._made)
        return placement

    def _placed(self, index: int, patch: OnePatch) -> Placement:
        if patch.toClipboard is not None and patch.operation != "replace":
            raise errors.ClipboardRequiresReplace(index=index, total=len(self._patches), operation=patch.operation)
        if patch.operation == "replace":
            return self._replacement(index, patch)
        size, lines = len(self._text.body), self._text.lines
        inserted = self._inserted(index, patch)
        if patch.operation == "overwrite":
            new = self._bytes(inserted.removeprefix("\ufeff") if self._text.bom else inserted, self._text.body)
            self._check_placeholders(index, patch, self._text.body)
            self.warnings += shrinkage(self._path, self._text.body, new)
            return Placement(index, patch.operation, 0, size, (edit(0, size, new),), 1, max(len(lines), 1))
        at, rank = (0, -1) if patch.operation == "prepend_bof" else (size, 1)
        new = self._adapted(inserted, at)
        self._check_placeholders(index, patch, "")
        line = lines.position(at)[0]
        return Placement(index, patch.operation, at, at, (edit(at, at, new),), line, line, rank=rank)

    def _replacement(self, index: int, patch: OnePatch) -> Placement:
        found = self._found(index, patch)
        self._check_placeholders(index, patch, patch.oldText or "")
        start, end = self._span(found, patch.oldText or "")
        if patch.toClipboard is not None:
            self.clipboards[patch.toClipboard] = self._text.body[start:end].decode("utf-8", "surrogateescape")
        if patch.is_copy:
            edits: tuple[Edit, ...] = ()
        elif patch.carries:
            edits = found.edits
            for each in edits:
                check(self._text, each.new, self._text.body[start:end])
        else:
            edits = (edit(start, end, self._adapted(self._inserted(index, patch), start)),)
        return Placement(
            index,
            patch.operation,
            min([start, *(each.span.start for each in edits)]),
            max([end, *(each.span.end for each in edits)]),
            edits,
            found.site.start_line,
            found.site.end_line,
            found.rung,
            found.score,
            found.runner_up,
            claims=not patch.is_copy,
            carried=patch.carries,
            base=found.base,
        )

    def _found(self, index: int, patch: OnePatch) -> Found:
        if not patch.oldText:
            if patch.oldText is None or self._text.body:
                raise errors.MissingOldText(index=index, total=len(self._patches))
            check_whole(self._text, patch.newText or "", "")
            inserted = edit(0, 0, self._adapted(patch.newText or "", 0))
            return Found("exact", 1.0, None, Site(1, 1), (0, 0), (inserted,))
        new = (patch.newText or "") if patch.carries else patch.oldText
        check_whole(self._text, new, patch.oldText)
        answer = locate(self._searched, patch.oldText, new, match=self._match, literal=self._literal)
        if isinstance(answer, Found) and answer.rung != "exact" and not patch.carries and not patch.is_copy:
            # What is put in takes the place of every line that was found: each must be known, as for a deletion.
            gone = locate(self._searched, patch.oldText, "", match=self._match)
            answer = answer if isinstance(gone, Found) else gone
        if isinstance(answer, Found):
            return answer
        request = Searched(index, len(self._patches), self._path, patch.oldText, new, self._match)
        raise refusal(request, answer, self._searched)

    def _span(self, found: Found, old: str) -> tuple[int, int]:
        """The bytes that were meant: without the end of the last line, if the text that was sent has none."""
        start, end = found.span
        if old.endswith(("\n", "\r")) or found.rung == "exact":
            return start, end
        part = self._text.body[start:end]
        return start, start + len(part.removesuffix(b"\n").removesuffix(b"\r"))

    def _inserted(self, index: int, patch: OnePatch) -> str:
        """The text that a patch puts in: from a clipboard of this call, from one of before, or its own."""
        total, name = len(self._patches), patch.fromClipboard
        if name is None:
            check_whole(self._text, patch.newText or "", "")
            return reindented(patch.newText or "", patch, index, total)
        try:
            found = self.clipboards[name] if name in self.clipboards else self._recall(name)
        except errors.ClipboardNotFound as error:
            known = sorted({*error.known, *self.clipboards})
            raise errors.ClipboardNotFound(index=index, total=total, name=name, known=known) from None
        return reindented(found, patch, index, total)

    def _adapted(self, inserted: str, at: int) -> bytes:
        """Text to put in at an offset, with the line ends that stand there, unless it brings its own."""
        if "\n" in inserted and "\r" not in inserted:
            inserted = inserted.replace("\n", self._ending(at))
        return self._bytes(inserted, self._text.body)

    def _ending(self, at: int) -> str:
        r"""How lines end at an offset; in a text without any, `\n`."""
        lines = self._text.lines
        if not len(lines):
            return "\n"
        line = lines.at(at)
        ending = lines.ending(line) or (lines.ending(line - 1) if line > 1 else b"")
        return ending.decode() or "\n"

    def _bytes(self, inserted: str, own: bytes) -> bytes:
        new = inserted.encode("utf-8", "surrogateescape")
        check(self._text, new, own)
        return new

    def _check_placeholders(self, index: int, patch: OnePatch, old: str | bytes) -> None:
        """Refuse a new text that would delete what it leaves out. What comes from a clipboard was in a file."""
        if self._match == "exact" or self._literal or patch.fromClipboard is not None or not patch.newText:
            return
        judged = patch.operation == "replace" and patch.carries
        argument, total = f"patches[{index}].newText", len(self._patches)
        whole = patch.operation == "overwrite"
        self.warnings += check_placeholders(
            old, patch.newText, self._path, argument, whole=whole, judged=judged, index=index, total=total
        )

    def _check_overlaps(self, placed: Sequence[Placement]) -> None:
        claims = sorted((each for each in placed if each.operation == "replace" and each.claims), key=_where)
        for one, next_one in pairwise(claims):
            same = (one.start, one.end) == (next_one.start, next_one.end)
            if next_one.start < one.end or same:
                first, second = sorted((one, next_one), key=lambda each: each.index)
                raise errors.OverlappingPatches(
                    path=self._path,
                    first=first.index,
                    second=second.index,
                    first_lines=(first.start_line, first.end_line),
                    second_lines=(second.start_line, second.end_line),
                    total=len(self._patches),
                )


def edits_of(placed: Sequence[Placement]) -> list[Edit]:
    """All edits, by position; `edits.ordered` keeps this order where they stand at one point."""
    return [each for one in sorted(placed, key=_where) for each in one.edits]


def _where(placement: Placement) -> tuple[int, int, int, int]:
    return placement.start, placement.end, placement.rank, placement.index
