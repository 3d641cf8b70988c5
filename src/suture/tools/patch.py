"""`patch`: patch operations with clipboards and lenient matching.

The fields have the specification's names (docs/spec/seeds/003). Models also send snake_case, the names of other tools
(`old_string`), null or an empty string for what is left out, and operations in another case. What is unknown or
ambiguous is refused with its index.

A `Placement` claims the bytes that its patch replaces; two claims on the same bytes are refused. What is prepended
comes before everything else there, what is appended comes after everything else, and otherwise the order of the request
applies.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from time import monotonic

from suture import errors, shapes, wording
from suture.bounds import check_limit, check_size, check_time
from suture.budget import Excerpt
from suture.errors import ClipboardNotFound, FileNotFound, InvalidArguments, StripPreconditionFailed
from suture.match import locate
from suture.match.diagnose import failure_of
from suture.match.index import Found, Index, Site
from suture.plan import Clipboard, Plan, Update
from suture.records import Record
from suture.shapes import KnownClipboard
from suture.text import Text, with_lf
from suture.text.edits import apply, edit, sort_edits, splice
from suture.tools import results, spec
from suture.tools.clipboards import known_clipboard
from suture.tools.failure import SearchTarget, View, attempt, patch_error
from suture.tools.results import (
    RUNG,
    SCORE,
    WRITTEN_ON,
    check_hash,
    check_placeholders,
    check_surrogates,
    check_writable,
    shrinkage,
    version_of,
)
from suture.tools.spec import Answer, Example, Proposal, Request, ToolSpec
from suture.wording import AS_SENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Self

    from suture.engine.session import Session
    from suture.match.index import Base
    from suture.plan import Change, Content, FileChange, Snapshot
    from suture.shapes import Findings, WrittenOn
    from suture.text.edits import Edit


OPERATIONS = ("replace", "append_eof", "prepend_bof", "overwrite")
_OPERATIONS = {name.replace("_", ""): name for name in OPERATIONS} | {"append": "append_eof", "prepend": "prepend_bof"}
_ALIASES = {
    "old_text": "oldText",
    "old_string": "oldText",
    "old_str": "oldText",
    "new_text": "newText",
    "new_string": "newText",
    "new_str": "newText",
    "to_clipboard": "toClipboard",
    "from_clipboard": "fromClipboard",
}
_MAX_CLIPBOARD_NAME_CHARS = 200  # characters
_FURTHER_SECONDS = 2.0  # for examining the other patches once one has failed
_DETAILED_FAILURES = 10  # further failures that are reported in detail
_SHOWN_REPLACED_LINES = 20  # of the text that a patch replaces
_SHOWN_REPLACED = 2_000  # characters of the text that a patch replaces
_APPLIED = "<patches_applied>{}</patches_applied>"
_ENDS = (b"\n", b"\r")
_DEPENDENT = {"missing", "conflict", "unproved"}
"""Reasons to refuse a patch that may be written for the result of an earlier one."""
_MAX_RESULTS_BYTES = 5_000_000  # of results of patches in which another one's text is searched for: bounds the time
_MAX_DISPLAYED_BYTES = 1_000_000  # of the text before, and of the text after
_VERBS = {"append_eof": "append", "prepend_bof": "prepend", "overwrite": 'write; "" empties the file'}


class Reindent(Request):
    """How to change the indentation of inserted text."""

    strip: str | None = spec.text("Remove this prefix from each non-empty line", default=None)
    add: str | None = spec.text("Add this prefix to each non-empty line after stripping", default=None)


class OnePatch(Request):
    """One patch."""

    operation: str = spec.text("Type of operation to perform", choices=OPERATIONS)
    oldText: str | None = spec.text(  # noqa: N815  the specification's name
        "Text to locate (must be unique in file, required for replace)", default=None
    )
    newText: str | None = spec.text(  # noqa: N815  the specification's name
        "The new text to use (empty for deletions, leave empty if fromClipboard is set)", default=None
    )
    toClipboard: str | None = spec.text(  # noqa: N815  the specification's name
        "Save oldText to this named clipboard before the operation", default=None
    )
    fromClipboard: str | None = spec.text(  # noqa: N815  the specification's name
        "Use content from this clipboard as newText (overrides newText field)", default=None
    )
    reindent: Reindent | None = spec.member("Modify indentation of inserted text before insertion", model=Reindent)

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check one patch, accepting well-known misspellings."""
        fields = spec.without_null(spec.rename_fields(given, _ALIASES), cls._fields)
        if "operation" not in fields and "oldText" in fields:
            fields["operation"] = "replace"
        elif isinstance(named := fields.get("operation"), str):
            bare = "".join(char for char in named.casefold() if char.isalnum())
            fields["operation"] = _OPERATIONS.get(bare, named)
        patch = super().parse(fields)
        patch.check()
        return patch.evolve(toClipboard=patch.toClipboard or None, fromClipboard=patch.fromClipboard or None)

    def check(self) -> None:
        """Refuse arguments that would otherwise be ignored."""
        if self.oldText and self.operation != "replace":
            raise InvalidArguments.of("oldText", f"works only with replace, not with {self.operation}")
        for name in ("toClipboard", "fromClipboard"):
            clipboard = getattr(self, name) or ""
            if len(clipboard) > _MAX_CLIPBOARD_NAME_CHARS or any("\ud800" <= char <= "\udfff" for char in clipboard):
                raise InvalidArguments.of(name, f"expected a name of 1 to {_MAX_CLIPBOARD_NAME_CHARS} characters")

    @property
    def is_copy(self) -> bool:
        """Whether it only fills a clipboard and leaves the text where it is."""
        return self.toClipboard is not None and self.toClipboard == self.fromClipboard and not self.reindents

    @property
    def reindents(self) -> bool:
        """Whether it changes the indentation of what it inserts."""
        return self.reindent is not None and bool(self.reindent.strip or self.reindent.add)

    @property
    def carries(self) -> bool:
        """Whether it is a change that can be carried over to a text that differs; else it inserts text as it is."""
        return self.fromClipboard is None and not self.reindents


def reindent(inserted: str, patch: OnePatch, index: int, total: int) -> str:
    """The text to insert with its indentation changed, line by line; empty lines stay empty."""
    if patch.reindent is None or not patch.reindents:
        return inserted
    strip, add = patch.reindent.strip or "", patch.reindent.add or ""
    result = []
    ending = "\r" if "\r" in inserted and "\n" not in inserted else "\n"
    check_size("The new text", len(inserted) + inserted.count(ending) * (len(add) - len(strip)))
    for number, line in enumerate(inserted.split(ending), 1):
        if line in {"", "\r"}:
            result.append(line)
            continue
        if not line.startswith(strip):
            raise StripPreconditionFailed(
                index=index, total=total, line_number=number, line=line.removesuffix("\r"), prefix=strip
            )
        result.append(add + line[len(strip) :])
    return ending.join(result)


class Placement(Record):
    """One patch in the original: what it replaces, with what, and how it was found."""

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
    """The order of placements at one point."""
    claims: bool = True
    """Whether no other patch may replace these bytes."""
    carried: bool = False
    """Whether it is a change that was carried over to the file's text; else text that is inserted as it is."""
    base: Base | None = None
    """The version that it was written on, if it was merged from there."""


class Placer:
    """Places the patches of one call in one text."""

    def __init__(
        self,
        path: str,
        text: Text,
        patches: Sequence[OnePatch],
        match: str,
        recall: Callable[[str], Clipboard],
        bases: Iterable[Base] = (),
        *,
        literal: bool = False,
        count: Callable[[SearchTarget], int] = lambda _: 1,
    ) -> None:
        """`recall` returns clipboards from before this call; `bases` are earlier versions of the file.

        `count` counts a refused patch, and returns how often it was refused.
        """
        self._path = path
        self._bases = bases
        self._text = text
        self._patches = patches
        self._match = match
        self._recall = recall
        self._literal = literal
        self._count = count
        self._placements: list[Placement] = []
        """What has been placed so far."""
        self._index: Index | None = None
        self._new_size = 0
        """Bytes of new text so far."""
        self.clipboards: dict[str, Clipboard] = {}
        """The clipboards that this call has filled so far."""
        self.pasted: dict[int, Clipboard] = {}
        """By the index of the patch: the clipboards from before this call."""
        self.warnings: list[str] = []
        """What may not be intended."""

    @property
    def _search_index(self) -> Index:
        """The text, prepared for searching once."""
        self._index = self._index or Index(self._text.body, self._path, self._bases)
        return self._index

    def place(self) -> list[Placement]:
        """Place every patch, in request order; raises the first failure, with the others in `further`."""
        placements = self._placements
        failures: list[tuple[int, errors.SutureError]] = []
        unfilled: set[str | None] = set()
        examined, until = 0, 0.0
        for index, patch in enumerate(self._patches):
            if failures and monotonic() > until:
                break
            examined += 1
            if patch.fromClipboard is not None and patch.fromClipboard in unfilled:
                # it fails only because another one does
                unfilled.add(patch.toClipboard)
                continue
            check_time()
            try:
                placement = self._place(index, patch)
            except errors.SutureError as error:
                failures.append((index, error.with_traceback(None)))  # a traceback would keep the frames' values
                unfilled.add(patch.toClipboard)
                until = until or monotonic() + _FURTHER_SECONDS
            else:
                self._check_new_size(placement)
                placements.append(placement)
        try:
            self._check_overlaps(placements)
        except errors.OverlappingPatches as error:
            failures.append((error.second, error))
        if not failures:
            return placements
        (_, first), *others = sorted(failures, key=lambda failure: failure[0])
        first.further = [(index, error, number < _DETAILED_FAILURES) for number, (index, error) in enumerate(others)]
        first.unexamined = len(self._patches) - examined
        raise first

    def _check_new_size(self, placement: Placement) -> None:
        """Refuse too much new text in total: a clipboard may be pasted many times."""
        self._new_size += sum(len(edit.new) for edit in placement.edits)
        check_size("All new text", self._new_size)

    def _place(self, index: int, patch: OnePatch) -> Placement:
        if patch.toClipboard is not None and patch.operation != "replace":
            raise errors.ClipboardRequiresReplace(index=index, total=len(self._patches), operation=patch.operation)
        if patch.operation == "replace":
            return self._replacement(index, patch)
        size, lines = len(self._text.body), self._text.lines
        inserted = self._inserted_text(index, patch)
        if patch.operation == "overwrite":
            new = self._bytes(inserted.removeprefix("\ufeff") if self._text.bom else inserted, self._text.body)
            self._check_placeholders(index, patch, self._text.body)
            self.warnings += shrinkage(self._path, self._text.body, new)
            return Placement(index, patch.operation, 0, size, (edit(0, size, new),), 1, max(len(lines), 1))
        at, rank = (0, -1) if patch.operation == "prepend_bof" else (size, 1)
        new = self._adapt(inserted, at)
        self._check_placeholders(index, patch, "")
        line = lines.position(at)[0]
        return Placement(index, patch.operation, at, at, (edit(at, at, new),), line, line, rank=rank)

    def _replacement(self, index: int, patch: OnePatch) -> Placement:
        match = self._find(index, patch)
        self._check_placeholders(index, patch, patch.oldText or "")
        start, end = self._span(match, patch.oldText or "")
        if patch.toClipboard is not None:
            self.clipboards[patch.toClipboard] = Clipboard(
                patch.toClipboard,
                self._text.body[start:end].decode("utf-8", "surrogateescape"),
                self._path,
                match.site.start_line,
                match.site.end_line,
                not _is_lines(self._text.body, start, end),
            )
        if patch.is_copy:
            edits: tuple[Edit, ...] = ()
        elif patch.carries:
            edits = match.edits
            for change in edits:
                check_writable(self._text, change.new, self._text.body[start:end])
        else:
            edits = (edit(start, end, self._adapt(self._inserted_text(index, patch), start)),)
        return Placement(
            index,
            patch.operation,
            min([start, *(edit.span.start for edit in edits)]),
            max([end, *(edit.span.end for edit in edits)]),
            edits,
            match.site.start_line,
            match.site.end_line,
            match.rung,
            match.score,
            match.runner_up,
            claims=not patch.is_copy,
            carried=patch.carries,
            base=match.base,
        )

    def _find(self, index: int, patch: OnePatch) -> Found:
        if not patch.oldText:
            if patch.oldText is None or self._text.body:
                raise errors.MissingOldText(index=index, total=len(self._patches))
            check_surrogates(self._text, patch.newText or "", "")
            inserted = edit(0, 0, self._adapt(patch.newText or "", 0))
            return Found("exact", Site(1, 1), (0, 0), (inserted,))
        new = (patch.newText or "") if patch.carries else patch.oldText
        check_surrogates(self._text, new, patch.oldText)
        answer = locate(self._search_index, patch.oldText, new, match=self._match, literal=self._literal)
        if isinstance(answer, Found) and answer.rung != "exact" and not patch.carries and not patch.is_copy:
            # The pasted text replaces every line that was found, so each must be known, as for a deletion.
            deletion = locate(self._search_index, patch.oldText, "", match=self._match)
            answer = answer if isinstance(deletion, Found) else deletion
        if isinstance(answer, Found):
            return answer
        target = SearchTarget(self._path, patch.oldText, new, index, len(self._patches), match=self._match)
        attempt = self._count(target)
        if answer.why in _DEPENDENT and (depends_on := self._made_by(patch.oldText, index)) is not None:
            raise errors.OldTextNotFound(
                path=self._path,
                index=index,
                total=len(self._patches),
                match=self._match,
                search_text=patch.oldText,
                nearest=[],
                depends_on=depends_on,
                attempt=attempt,
            )
        failure = failure_of(self._search_index, patch.oldText, new, answer, self._match)
        raise patch_error(target, failure, View(self._search_index, self._text), attempt)

    def _made_by(self, old: str, index: int) -> int | None:
        """The earlier patch whose result has a text that the file does not have."""
        wanted, body = with_lf(old.encode("utf-8", "surrogatepass")), with_lf(self._text.body)
        if not wanted.strip() or wanted in body:
            return None
        for number, patch in enumerate(self._patches[:index]):
            if patch.newText and wanted in with_lf(patch.newText.encode("utf-8", "surrogatepass")):
                return number
        earlier = [placement for placement in self._placements if placement.edits]
        if len(body) * len(earlier) > _MAX_RESULTS_BYTES:
            return None
        for placement in earlier:
            if wanted in with_lf(apply(self._text.body, placement.edits)):
                return placement.index
        with suppress(errors.OverlappingEdits):
            if wanted in with_lf(apply(self._text.body, edits_of(earlier))):
                return earlier[-1].index
        return None

    def _span(self, match: Found, old: str) -> tuple[int, int]:
        """The bytes to replace: without the last line's ending, if the text that was sent has none."""
        start, end = match.span
        if old.endswith(("\n", "\r")) or match.rung == "exact":
            return start, end
        part = self._text.body[start:end]
        return start, start + len(part.removesuffix(b"\n").removesuffix(b"\r"))

    def _inserted_text(self, index: int, patch: OnePatch) -> str:
        """The text that a patch inserts: from a clipboard of this call, from an earlier one, or its own."""
        total, name = len(self._patches), patch.fromClipboard
        if name is None:
            check_surrogates(self._text, patch.newText or "", "")
            return reindent(patch.newText or "", patch, index, total)
        if name in self.clipboards:
            return reindent(self.clipboards[name].text, patch, index, total)
        try:
            clipboard = self._recall(name)
        except errors.ClipboardNotFound as error:
            raise _with_filled(error, self.clipboards).evolve(index=index, total=total) from None
        self.pasted[index] = clipboard
        return reindent(clipboard.text, patch, index, total)

    def _adapt(self, inserted: str, at: int) -> bytes:
        """Text to insert at an offset, with that place's line endings unless it has its own."""
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
        check_writable(self._text, new, own)
        return new

    def _check_placeholders(self, index: int, patch: OnePatch, old: str | bytes) -> None:
        """Refuse a new text that would delete what it leaves out. Text from a clipboard was in a file."""
        if self._match == "exact" or self._literal or patch.fromClipboard is not None or not patch.newText:
            return
        judged = patch.operation == "replace" and patch.carries
        argument, total = f"patches[{index}].newText", len(self._patches)
        whole = patch.operation == "overwrite"
        self.warnings += check_placeholders(
            old, patch.newText, self._path, argument, whole=whole, judged=judged, index=index, total=total
        )

    def _check_overlaps(self, placements: Sequence[Placement]) -> None:
        claims = sorted(
            (placement for placement in placements if placement.operation == "replace" and placement.claims), key=_where
        )
        for claim, next_claim in pairwise(claims):
            same = (claim.start, claim.end) == (next_claim.start, next_claim.end)
            if next_claim.start < claim.end or same:
                first, second = sorted((claim, next_claim), key=lambda placement: placement.index)
                raise errors.OverlappingPatches(
                    path=self._path,
                    first=first.index,
                    second=second.index,
                    first_lines=(first.start_line, first.end_line),
                    second_lines=(second.start_line, second.end_line),
                    total=len(self._patches),
                )


def edits_of(placements: Sequence[Placement]) -> list[Edit]:
    """All edits, by position; `edits.sort_edits` keeps this order where they are at one point."""
    return [edit for placement in sorted(placements, key=_where) for edit in placement.edits]


def _where(placement: Placement) -> tuple[int, int, int, int]:
    return placement.start, placement.end, placement.rank, placement.index


class PatchReport(Record):
    """The result of a call that landed, or would have."""

    session: Session
    plan: Plan
    original: Text
    placements: Sequence[Placement]
    request: Patch
    placer_warnings: Sequence[str]
    created: bool
    pasted: Mapping[int, Clipboard]
    """By the index of the patch: the clipboards from before this call."""

    def answer(self, change: Change | None) -> Answer:
        """The answer for the caller."""
        (file,) = self.plan.changes
        after: Content = getattr(file, "after")  # noqa: B009  a creation or an update: both have it
        diff = results.plan_diff([file])
        names = [clipboard.name for clipboard in self.plan.clipboards]
        warnings = self._warnings(names)
        result = PatchResult(
            path=file.place.name,
            change_id=None if change is None else change.id,
            hash=after.digest,
            created=self.created,
            patches=[self._placed_patch(placement) for placement in self.placements],
            clipboards=names,
            pasted=shapes.or_left_out([*map(known_clipboard, self.pasted.values())] or None),
            warnings=warnings,
            display=self._display(file.place.name, diff),
        )
        notes = [
            note
            for placement in self.placements
            for note in (self._note(placement), self._paste_note(placement), self._clipboard_note(placement))
            if note
        ]
        if self.session.audience.prints_data:
            return Answer("\n".join(notes), result.data())
        last = [f"warning: {warning}" for warning in warnings]
        if not self.request.dry_run:
            same = not diff and not self.created
            last += [f"No change: {wording.plain(file.place.name)} already has this content."] if same else []
            applied, shown = _APPLIED.format("none" if same and not names else "all"), self._adapted_diff(file)
        else:
            notes.insert(0, wording.dry_run(self._forecast(wording.plain(file.place.name), diff)))
            applied, shown = _APPLIED.format("none"), results.excerpt(diff, self.session.settings)
        words = "\n".join([applied, *notes, *last])
        return Answer(words, result.data(), below=shown, ending="\n".join(last))

    def _adapted_diff(self, file: FileChange) -> Excerpt:
        """The diff of the patches that were adapted to the file: of the others, the caller knows what landed."""
        edits = [edit for placement in self.placements if self._is_adapted(placement) for edit in placement.edits]
        if not edits or not isinstance(file, Update):
            return Excerpt()
        diff, _, _ = results.edits_diff(file, sort_edits(edits, len(self.original.body)))
        return results.excerpt(diff, self.session.settings)

    def _is_adapted(self, placement: Placement) -> bool:
        """Whether its new text was changed to fit the place."""
        body = self.original.body
        changes = any(edit.new != body[edit.span.start : edit.span.end] for edit in placement.edits)
        return placement.rung not in AS_SENT and placement.carried and changes

    def _display(self, path: str, diff: str) -> Display:
        body = self.original.body
        edits = sort_edits(edits_of(self.placements), len(body))
        return Display(path=path, old=_displayed(body, ()), new=_displayed(body, edits), diff=diff)

    def _forecast(self, path: str, diff: str) -> str:
        """What the call would do."""
        number = f"all {len(self.placements)} patches" if len(self.placements) > 1 else "the patch"
        if self.created:
            return f"{number} would create {path}"
        return f"{number} would be applied" if diff else f"{number} would leave {path} as it is"

    def _placed_patch(self, placement: Placement) -> PlacedPatch:
        near, runner_up = placement.runner_up, None
        if near is not None:
            runner_up = RunnerUp(start_line=near.start_line, end_line=near.end_line, score=round(near.score, 3))
        return PlacedPatch(
            index=placement.index,
            operation=placement.operation,
            rung=placement.rung,
            score=placement.score,
            runner_up=runner_up,
            start_line=placement.start_line,
            end_line=placement.end_line,
            replaced=self._replaced_text(placement),
            written_on=version_of(placement.base),
        )

    def _replaced_text(self, placement: Placement) -> str:
        """The replaced text, cut if it is long."""
        whole = self.original.show(placement.start, placement.end)
        lines = whole.split("\n")
        shown = "\n".join(lines[:_SHOWN_REPLACED_LINES])[:_SHOWN_REPLACED]
        return (
            whole if len(shown) >= len(whole.removesuffix("\n")) else f"{shown}\n… {len(whole):,} characters in total"
        )

    def _note(self, placement: Placement) -> str:
        """A note on a patch that was not found exactly as it was sent."""
        if placement.rung in AS_SENT:
            return ""
        where = wording.span(placement.start_line, placement.end_line)
        if (version := version_of(placement.base)) is not None:
            written = f"written on {wording.version_name(version)}"
            return f"{_label(placement)}: {written}; merged into the current file at {where}."
        words = f"{_label(placement)}: found at {where} {wording.how_matched(placement.rung)}"
        if placement.runner_up is not None:
            words += f" (next best: {wording.span(placement.runner_up.start_line, placement.runner_up.end_line)})"
        adapted = "; your change was adapted to the file's text" if self._is_adapted(placement) else ""
        return f"{words}{adapted}."

    def _paste_note(self, placement: Placement) -> str:
        """A note on where a pasted text came from, unless the call itself says so."""
        clipboard = self.pasted.get(placement.index)
        if clipboard is None:
            return ""
        done = "Would paste" if self.request.dry_run else "Pasted"
        return f"{done} clipboard '{wording.plain(clipboard.name)}' ({wording.origin(known_clipboard(clipboard))})."

    def _clipboard_note(self, placement: Placement) -> str:
        """A note on the clipboard that a patch fills."""
        patch = self.request.patches[placement.index]
        if patch.toClipboard is None:
            return ""
        where = wording.span(placement.start_line, placement.end_line)
        whole = _is_lines(self.original.body, placement.start, placement.end)
        where, name = where if whole else f"part of {where}", wording.plain(patch.toClipboard)
        if patch.is_copy:
            return f"{'Would copy' if self.request.dry_run else 'Copied'} {where} to clipboard '{name}'."
        if not any(edit.new for edit in placement.edits):
            return f"{'Would cut' if self.request.dry_run else 'Cut'} {where} to clipboard '{name}'."
        return f"{'Would put' if self.request.dry_run else 'Put'} {where} (before the change) into clipboard '{name}'."

    def _cautions(self) -> Iterator[str]:
        """Warnings about what was done as requested, but may not be intended."""
        for patch, placement in zip(self.request.patches, self.placements, strict=True):
            if patch.fromClipboard is not None and patch.newText:
                yield f"{_label(placement)}: newText was ignored: fromClipboard is set."
        if not (body := self.original.body):
            return
        first, last = body.startswith(_ENDS), body.endswith(_ENDS)
        for placement in self._insertions("prepend_bof")[-1:]:
            if not (first or placement.edits[0].new.endswith(_ENDS)):
                yield f"{_label(placement)}: the text does not end with a newline: the file's first line continues it."
        for placement in self._insertions("append_eof")[:1]:
            if not (last or placement.edits[0].new.startswith(_ENDS)):
                yield f"{_label(placement)}: the file does not end with a newline: the text continues its last line."
        for placement in self.placements:
            if placement.rung == "exact" and self._joins_lines(placement):
                yield f"{_label(placement)}: newText does not end with a newline: the file's next line continues it."

    def _joins_lines(self, placement: Placement) -> bool:
        """Whether it removes the line ending at the end of a text that something follows."""
        body, last = self.original.body, placement.edits[-1:]
        return any(
            body[edit.span.start : edit.span.end].endswith(_ENDS)
            and bool(edit.new)
            and not edit.new.endswith(_ENDS)
            and body[edit.span.end : edit.span.end + 1] not in (b"", b"\n", b"\r")
            for edit in last
        )

    def _insertions(self, operation: str) -> list[Placement]:
        """The patches of an operation that insert something."""
        return [
            placement for placement in self.placements if placement.operation == operation and placement.edits[0].new
        ]

    def _warnings(self, names: Sequence[str]) -> list[str]:
        generated = results.warning(self.plan.changes[0].place.name, self.original.body)
        warnings = [*([generated] if generated else []), *self.placer_warnings, *self._cautions()]
        unsaved = not self.session.settings.history or any(name in self.session.unsaved for name in names)
        if names and unsaved:
            warnings.append("The history cannot be used: clipboards last only as long as this process.")
        pasted = {patch.fromClipboard for patch in self.request.patches}
        if _is_short_lived(self.session) and not pasted.issuperset(names):
            warnings.append(
                "To paste the clipboard in another command, give both commands the same --session NAME, or set "
                "SUTURE_SESSION."
            )
        return warnings


def _is_short_lived(session: Session) -> bool:
    """Whether the session is a single command."""
    return session.audience.prints_data and session.caller.transport == "cli" and not session.caller.label


def _is_lines(body: bytes, start: int, end: int) -> bool:
    """Whether a part consists of whole lines, with or without the last line's ending."""
    begins = not start or body.endswith(_ENDS, 0, start)
    return begins and (end == len(body) or body.endswith(_ENDS, 0, end) or body.startswith(_ENDS, end))


def _with_filled(error: ClipboardNotFound, filled: Mapping[str, Clipboard]) -> ClipboardNotFound:
    """The error with the clipboards that the call itself has filled."""
    known = {clipboard.name: clipboard for clipboard in error.origins}
    known |= {name: known_clipboard(clipboard) for name, clipboard in filled.items()}
    return error.evolve(known=sorted(known), origins=[clipboard for _, clipboard in sorted(known.items())])


def _displayed(body: bytes, edits: Iterable[Edit]) -> str:
    """A text with its edits made. Of a very long one, only the part that is shown is copied."""
    view, at = memoryview(body), 0
    pieces: list[bytes | memoryview] = []
    for change in edits:
        pieces += [view[at : change.span.start], change.new]
        at = change.span.end
    shown = bytearray()
    for piece in (*pieces, view[at:]):
        shown += piece[: _MAX_DISPLAYED_BYTES - len(shown)]
    total = len(body) + sum(change.growth for change in edits)
    rest = f"\n… {total:,} bytes in total" if total > len(shown) else ""
    return f"{shown.decode('utf-8', 'replace')}{rest}"


def _label(placement: Placement) -> str:
    return f"patches[{placement.index}]"


class Patch(Request):
    """Arguments of `patch`."""

    path: str = spec.text("Path to the file to patch")
    patches: list[OnePatch] = spec.items("List of patch requests to apply", model=OnePatch)
    match: str = spec.MATCH
    dry_run: bool = spec.DRY_RUN
    encoding: str | None = spec.ENCODING
    expect_hash: str | dict[str, str] | None = spec.EXPECT_HASH
    validate: str = spec.VALIDATE
    literal: bool = spec.LITERAL

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check a call's arguments; null means omitted, and the fields of one patch may be next to the path."""
        kept = spec.without_null(given, cls._fields)
        request = super().parse(spec.gather(kept, "patches", {*OnePatch._fields, *_ALIASES}))
        problem = None
        if not request.patches:
            problem = "patches", "empty: say what to change"
        for index, patch in enumerate(request.patches):
            if patch.operation == "overwrite" and len(request.patches) > 1:
                problem = f"patches[{index}].operation", "overwrite replaces the whole file and must be the only patch"
            if patch.operation != "replace" and patch.newText is None and patch.fromClipboard is None:
                problem = f"patches[{index}].newText", f"missing: the text to {_VERBS[patch.operation]}"
        if problem is not None:
            raise InvalidArguments.of(*problem)
        return request


def plan_patch(session: Session, request: Patch) -> Proposal:
    """Plan all patches on the file as it is."""
    check_limit("The request", len(request.patches), session.settings, "max_edits", "patches")
    before = _before(session, request)
    name = session.locate(request.path).name if before is None else before.place.name
    check_hash(request.expect_hash, name, before)
    blank = session.blank(request.path, request.encoding) if before is None else before.text
    if _holds_bytes(session, request, blank):
        blank = Text(blank.raw, bom=b"", encoding=None, body=blank.raw)
        before = None if before is None else before.evolve(text=blank)

    def recall(wanted: str) -> Clipboard:
        clipboard = session.clipboard(wanted)
        if clipboard is None:
            known = session.clipboards()
            origins = [*map(known_clipboard, known.values())]
            short = _is_short_lived(session)
            raise ClipboardNotFound(index=0, total=0, name=wanted, known=[*known], origins=origins, short_lived=short)
        return clipboard

    bases = () if before is None else session.bases(before)

    def count(target: SearchTarget) -> int:
        return 1 if before is None else attempt(session, before, target, dry_run=request.dry_run)

    placer = Placer(name, blank, request.patches, request.match, recall, bases, literal=request.literal, count=count)
    placements = placer.place()
    _check_clipboards(session, placer.clipboards)
    edits = edits_of(placements)
    if before is None:
        change: FileChange = session.plan_create(request.path, b"".join(splice(blank, edits)))
    else:
        change = session.plan_update(before, edits)
    kept = tuple(clipboard for _, clipboard in sorted(placer.clipboards.items()))
    plan = Plan((change,), "patch", _summary(request, name), clipboards=kept)
    report = PatchReport(session, plan, blank, placements, request, placer.warnings, before is None, placer.pasted)
    return Proposal(plan, report.answer)


def _before(session: Session, request: Patch) -> Snapshot | None:
    """The file; None if it does not exist and does not have to."""
    needed = any(patch.operation == "replace" for patch in request.patches)
    if not needed and session.locate(request.path).stat is None:
        return None
    try:
        return session.text(request.path, request.encoding)
    except FileNotFound as error:
        raise FileNotFound(path=error.path, near=error.near, create_by=["overwrite", "append_eof"]) from None


def _holds_bytes(session: Session, request: Patch, original: Text) -> bool:
    """Whether bytes of an unknown encoding are pasted into an ASCII file, which then gets that encoding."""
    if request.encoding is not None or original.encoding != "utf-8" or not original.raw.isascii():
        return False
    filled = {patch.toClipboard for patch in request.patches}
    pasted = dict.fromkeys(patch.fromClipboard for patch in request.patches)
    names = [name for name in pasted if name is not None and name not in filled]
    clipboards = filter(None, map(session.clipboard, names))
    return any("\udc80" <= char <= "\udcff" for clipboard in clipboards for char in clipboard.text)


def _check_clipboards(session: Session, filled: Mapping[str, Clipboard]) -> None:
    for name, clipboard in filled.items():
        size = len(clipboard.text.encode("utf-8", "surrogateescape"))
        check_limit(f"The text for clipboard '{name}'", size, session.settings, "max_clipboard_bytes")
    known = session.clipboards() if filled else {}
    size = len({*known, *filled})
    if size > len(known):
        check_limit("The session", size, session.settings, "max_clipboards", "clipboards")


def _summary(request: Patch, name: str) -> str:
    kinds = list(dict.fromkeys(patch.operation for patch in request.patches))
    number = f"{len(request.patches)} patches" if len(request.patches) > 1 else "patch"
    return f"{number} of {name}: {', '.join(kinds)}"


_DESCRIPTION = """\
File modification tool for precise text edits.

Operations:
- replace: Substitute unique text with new content
- append_eof: Append new text at the end of the file
- prepend_bof: Insert new text at the beginning of the file
- overwrite: Replace the entire file with new content (automatically creates the file)

Clipboard:
- toClipboard: Store oldText to a named clipboard before the operation
- fromClipboard: Use clipboard content as newText (ignores provided newText)
- Clipboards persist across patch calls
- Always use clipboards when moving/copying code (within or across files)

Indentation adjustment:
- reindent applies to whatever text is being inserted
- First strips the specified prefix from each line, then adds the new prefix
- Useful when moving code from one indentation to another

Recipes:
- cut: replace with empty newText and toClipboard
- copy: replace with toClipboard and fromClipboard using the same clipboard name
- paste: replace with fromClipboard

Usage notes:
- All inputs are interpreted literally (no automatic newline handling)
- For replace operations, oldText must appear EXACTLY ONCE in the file
- All patches refer to the file as it was before the call; all of them land, or none
- Small differences in oldText (indentation, whitespace, quotes) are tolerated if only one place fits, and newText \
is then adapted to the file; set match to "exact" to forbid it"""


class RunnerUp(shapes.Data):
    """The next best place."""

    start_line: int = results.START_LINE
    end_line: int = results.END_LINE
    score: float = shapes.number("Up to 1")


class PlacedPatch(shapes.Data):
    """Where a patch went."""

    index: int = shapes.integer("From 0")
    operation: str = shapes.text("What it does", OPERATIONS)
    rung: str | None = RUNG
    score: float | None = SCORE
    runner_up: RunnerUp | None = shapes.member("The next best place", RunnerUp).nullable
    start_line: int = results.START_LINE
    end_line: int = results.END_LINE
    replaced: str = shapes.text("The replaced text; truncated if long")
    written_on: WrittenOn | None = WRITTEN_ON


class Display(shapes.Data):
    """What a patch changes."""

    path: str = results.PATH
    old: str = shapes.text("The whole text before; truncated, with its size, if very long")
    new: str = shapes.text("The whole text after; truncated, with its size, if very long")
    diff: str = results.DIFF


class PatchResult(results.ToolData):
    """What a call of `patch` did."""

    failure = results.Rejection
    path: str = results.PATH
    change_id: str | None = results.CHANGE_ID
    hash: str = results.HASH
    created: bool = shapes.flag("Whether the file is new")
    patches: list[PlacedPatch] = shapes.objects(
        "Where each patch went; line numbers refer to the original file", PlacedPatch
    )
    clipboards: list[str] = shapes.values("The clipboards that this call filled")
    pasted: list[KnownClipboard] = shapes.objects(
        "The clipboards of earlier calls that it pasted", KnownClipboard
    ).optional
    warnings: list[str] = results.WARNINGS
    display: Display = shapes.member("What changes", Display)
    dry_run: bool = results.DRY_RUN
    validation: Findings = results.VALIDATION_IF_ASKED


PATCH = ToolSpec(
    name="patch",
    title="Patch a file",
    description=_DESCRIPTION,
    request=Patch,
    examples=(
        Example(
            "Replace text that occurs once",
            {"app.py": "def greet():\n    print('hello')\n"},
            {
                "path": "app.py",
                "patches": [{"operation": "replace", "oldText": "print('hello')", "newText": "print('hi')"}],
            },
            "<patches_applied>all</patches_applied>",
        ),
        Example(
            "Move a function to the end of the file, out of its class",
            {"app.py": "class App:\n    def helper():\n        pass\n\n    x = 1\n"},
            {
                "path": "app.py",
                "patches": [
                    {
                        "operation": "replace",
                        "oldText": "    def helper():\n        pass\n\n",
                        "newText": "",
                        "toClipboard": "fn",
                    },
                    {"operation": "append_eof", "fromClipboard": "fn", "reindent": {"strip": "    "}},
                ],
            },
            "<patches_applied>all</patches_applied>\nCut lines 2-4 to clipboard 'fn'.",
        ),
        Example(
            "Create a file and its folders, as a dry run",
            {},
            {
                "path": "docs/notes.md",
                "patches": [{"operation": "overwrite", "newText": "# Notes\n"}],
                "dry_run": True,
            },
            "<patches_applied>none</patches_applied>\n"
            "Dry run: the patch would create docs/notes.md; nothing was written.\n\n"
            "diff --git a/docs/notes.md b/docs/notes.md\nnew file mode 100644\n--- /dev/null\n"
            "+++ b/docs/notes.md\n@@ -0,0 +1 @@\n+# Notes",
        ),
    ),
    plan=plan_patch,
    result=PatchResult,
)
