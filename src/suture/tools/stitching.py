"""The blocks of a reply, applied in order, each to the result of those before; what became of each is an `Outcome`.

Nothing is written: the files are `Sheets`. A block that fails leaves them as they were.
"""

from __future__ import annotations

from time import monotonic

from suture import errors, log
from suture.diff import FileDiff, line_edits
from suture.fitting import fit
from suture.formats.blocks import IN_HUNKS
from suture.locate import Found, Refused
from suture.locate.placeholders import added
from suture.tools.losses import check_placeholders, shrinkage, taken_literally
from suture.tools.rejection import Wanted, rejection
from suture.tools.section import Outcome, Section, diff_of, failed
from suture.tools.sheets import missing, nearest
from suture.tools.target import Targets

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suture.fitting import Fit
    from suture.formats.blocks import Block, Hunk, Split
    from suture.session import Session
    from suture.tools.sheets import Sheet, Sheets

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
            warnings = [_not_executable(to.name)]
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

    def _set_mode(self, block: Block, sheet: Sheet) -> list[str]:
        """Make a file executable or not, as the diff says; a warning if nobody allowed that."""
        if block.mode is None:
            return []
        if block.mode & _EXECUTABLE and not sheet.is_executable and not self._may_be_executable:
            return [_not_executable(sheet.name)]
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


def _not_executable(name: str) -> str:
    return f"{name} was not made executable, which only the operator can allow (allow_executables)."


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
