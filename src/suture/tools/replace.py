"""`regex_replace`, `regex_replace_multi` and the command `replace`: replace all matches or none.

Matches become edits, and edits become the changes of a plan; the rows or the diff are made from both. A dry run and the
change itself use the same plan.
"""

from __future__ import annotations

from itertools import islice

from suture import shapes
from suture.audience import AGENT
from suture.bounds import check_limit, timed
from suture.errors import InvalidArguments, NoFilesMatched, OverMatch, TooManyReplacements
from suture.patterns.scan import Room, each_match, rows
from suture.patterns.template import parse as parse_template
from suture.plan import Plan
from suture.records import Record
from suture.text.edits import apply, edit
from suture.text.replace import adapt_endings
from suture.tools import results, spec
from suture.tools.grep import globs, no_files, whole_pattern
from suture.tools.hints import binary_hints, files_hints, no_match_hints
from suture.tools.paths import EVERYTHING, visit_paths
from suture.tools.search import (
    ABOUT_PATTERN,
    BINARY_CHECK,
    CONTEXT_AFTER,
    CONTEXT_BEFORE,
    FILE_PATH,
    FLAGS,
    PATH_PATTERN,
    PATTERN,
    explain_one,
    explain_several,
    limit,
    list_answer,
    prepare,
    read_subject,
    subject_of,
    worth_reading,
)
from suture.tools.spec import Answer, Example, Proposal, Request, ToolSpec
from suture.wording import as_path, count, dry_run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import Self

    from suture.engine.session import Session
    from suture.patterns.engines import Clock, Compiled, Spans, Subject
    from suture.plan import Change, Snapshot, Update
    from suture.text.edits import Edit

_ROW_BYTES = 40
"""Bytes of the answer that each match and group is assumed to take before rows are made; it takes 120 in memory."""


_OTHER_NAMES = {"old_string": "old", "new_string": "new", "pattern": "old", "replacement": "new", "file_path": "path"}
_SPECIAL = frozenset("\\^$.*+?()[]{}|")
_WORD = r"[\p{L}\p{N}\p{M}_]"
_SHOWN_LINES = 10  # that a dry run shows
_MAX_LINE_CHARS = 200  # of each


_ALLOW_OVER_MATCH = spec.flag("Replace a match of more than 50 lines even if it contains another match")
_REPLACEMENT = spec.text(
    "Replacement for each match; $1 or ${1} and ${name} are groups, $& is the match, $$ a dollar sign"
)


class RegexReplace(Request):
    """Arguments of `regex_replace`."""

    file_path: str = FILE_PATH
    pattern: str = PATTERN
    replacement: str = _REPLACEMENT
    flags: str | None = FLAGS
    context_before: int = CONTEXT_BEFORE
    context_after: int = CONTEXT_AFTER
    dry_run: bool = spec.DRY_RUN
    max_replacements: int | None = limit("Refuse if there are more matches, and change nothing")
    binary_check_buffer_size: int | None = BINARY_CHECK
    allow_over_match: bool = _ALLOW_OVER_MATCH
    encoding: str | None = spec.ENCODING
    expect_hash: str | dict[str, str] | None = spec.EXPECT_HASH
    validate: str = spec.VALIDATE


class RegexReplaceMulti(Request):
    """Arguments of `regex_replace_multi`."""

    path_pattern: str = PATH_PATTERN
    pattern: str = PATTERN
    replacement: str = _REPLACEMENT
    flags: str | None = FLAGS
    context_before: int = CONTEXT_BEFORE
    context_after: int = CONTEXT_AFTER
    dry_run: bool = spec.DRY_RUN
    max_replacements: int | None = limit("Refuse if there are more matches in all files together, and change nothing")
    exclude: list[str] = spec.EXCLUDE
    binary_check_buffer_size: int | None = BINARY_CHECK
    include_ignored: bool = spec.INCLUDE_IGNORED
    allow_over_match: bool = _ALLOW_OVER_MATCH
    expect_hash: str | dict[str, str] | None = spec.EXPECT_HASH
    validate: str = spec.VALIDATE


class Replace(Request):
    """Arguments of the command `replace`."""

    paths: list[str] = spec.PATHS
    pattern: str = PATTERN
    replacement: str = spec.text(
        "Replacement for each match: $1 and ${name} are groups, $& is the match, $$ a dollar sign; for a line break, "
        "use the shell's $'one\\ntwo'"
    )
    flags: str | None = FLAGS
    dry_run: bool = spec.DRY_RUN
    max_replacements: int | None = limit("Refuse if there are more matches in all files together, and change nothing")
    exclude: list[str] = spec.EXCLUDE
    include_ignored: bool = spec.INCLUDE_IGNORED
    allow_over_match: bool = _ALLOW_OVER_MATCH
    encoding: str | None = spec.encoding("files that are named, not found through a folder or glob")
    validate: str = spec.VALIDATE
    view: str = spec.text("The replacements, or their number and a diff", default="rows", choices=("rows", "diff"))
    context_before = context_after = 0  # the diff shows context
    binary_check_buffer_size = None


class ReplaceInFiles(Request):
    """Arguments of `replace_in_files`."""

    old: str = spec.text("the text to replace", told=False)
    new: str = spec.text("the text to put in its place", told=False)
    glob: str | None = spec.text("Only these files: *.py, src/**/*.{js,ts}", default=None)
    regex: bool = spec.flag("old is a JavaScript regular expression; new may contain $1")
    whole_word: bool = spec.flag("Only where it is a whole word", told=False)
    dry_run: bool = spec.flag("Only show what would change", told=False)
    path: str | None = spec.text("Only in this file or folder", default=None, listed=False)

    @classmethod
    def parse(cls, given: Mapping[str, object]) -> Self:
        """Check a call's arguments."""
        request = super().parse(spec.rename_fields(given, _OTHER_NAMES))
        if not request.old:
            raise InvalidArguments.of("old", "must not be empty")
        return request

    @property
    def pattern(self) -> str:
        """The pattern to search for."""
        text = self.old if self.regex else _literal(self.old)
        if not self.whole_word:
            return text
        before = f"(?<!{_WORD})" if self.regex or _is_word(self.old[0]) else ""
        after = f"(?!{_WORD})" if self.regex or _is_word(self.old[-1]) else ""
        return f"{before}(?:{text}){after}"


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _literal(text: str) -> str:
    """A pattern for a text as it is."""
    return "".join(f"\\{char}" if char in _SPECIAL else char for char in text)


class ReplacedFile(shapes.Data):
    """A file whose content changes."""

    path: str = results.PATH
    hash: str = results.HASH


class ReplaceResult(shapes.Data):
    """What was replaced, besides the rows."""

    change_id: str | None = results.CHANGE_ID
    files: list[ReplacedFile] = shapes.objects("The files that change", ReplacedFile)
    binary: list[str] = shapes.values("Files that were named but are binary").optional
    replacements: int = shapes.integer("How many, if there are no rows").optional
    diff: str = results.DIFF.optional
    dry_run: bool = results.DRY_RUN


class FileReplacements(Record):
    """The matches in one file, and the change that replaces them, with one edit for each match, in the same order."""

    subject: Subject
    matches: list[Spans]
    change: Update


class Replacements:
    """One call's replacements, planned file by file."""

    def __init__(
        self,
        session: Session,
        request: RegexReplace | RegexReplaceMulti | Replace,
        *,
        adapt: bool = False,
    ) -> None:
        r"""With `adapt`, a line feed in the pattern also matches `\r\n`, and in new text it becomes the place's own."""
        self._session = session
        self._adapt = adapt
        self._request = request
        self._compiled: Compiled
        self._clock: Clock
        self._compiled, self._clock = prepare(session, request, any_break=adapt)
        self._template = parse_template(request.replacement, self._compiled.pattern)
        self._number = self._matches_size = self._new_size = 0
        self._seen: set[tuple[int, ...]] = set()
        self._files: list[FileReplacements] = []
        self._walked = session.walked
        self._binary: list[str] = []

    def plan_glob(self, glob: str, exclude: list[str], *, include_ignored: bool) -> None:
        """Replace in all files that match a glob."""
        session, request = self._session, self._request
        root, runs = session.runs(glob, exclude, include_ignored=include_ignored)
        content_filter = worth_reading(session, request, self._compiled, self._binary.append)
        for folder, place, raw in session.read_candidates(root, runs, content_filter):
            if self._has_match(place.name, subject_of(session, request, session.decode_file(raw, place.path))):
                before = session.snapshot_in(folder, place)
                subject = subject_of(session, request, before.text)
                if subject is not None:
                    self.plan_file(before, subject)

    def _has_match(self, name: str, subject: Subject | None) -> bool:
        self._clock.start(name)
        return subject is not None and next(self._compiled.matches(subject, self._clock), None) is not None

    def plan_file(self, before: Snapshot, subject: Subject) -> None:
        """Replace in one file; a file with several names only once."""
        same_file = before.fingerprint[:2]
        if same_file in self._seen or (self._adapt and not subject.body):
            return
        self._seen.add(same_file)
        self._clock.start(before.place.name)
        matches = self._matches(subject)
        self._session.progress(0, len(matches))
        if not matches or self._number > self._most:
            return  # further matches are only counted
        if not self._request.allow_over_match:
            self._check_extent(before.place.name, subject, matches)
        change = self._session.plan_update(before, [self._edit(subject, spans) for spans in matches])
        self._files.append(FileReplacements(subject, matches, change))

    def _matches(self, subject: Subject) -> list[Spans]:
        """The matches in a file, up to the limit; further ones are only counted."""
        every = each_match(self._compiled, subject, self._clock)
        result: list[Spans] = []
        for spans in islice(every, max(self._most - self._number, 0)):
            result.append(spans)
            self._matches_size += _ROW_BYTES * len(spans)
            check_limit("The result", self._matches_size, self._session.settings, "max_result_bytes")
        self._number += len(result) + sum(1 for _ in timed(every))
        return result

    def _edit(self, subject: Subject, spans: Spans) -> Edit:
        """The edit for a match; refused before it is made if all new text together is too large."""
        self._new_size += self._template.size(subject.text, spans)
        check_limit("All new text", self._new_size, self._session.settings, "max_result_bytes")
        (start, end), new = spans[0], self._template.fill(subject.text, spans)
        return edit(start, end, adapt_endings(subject.body, start, end, new) if self._adapt else new)

    @property
    def _most(self) -> int:
        asked, setting = self._request.max_replacements, self._session.settings.max_replacements
        return setting if asked is None else min(asked, setting)

    def _check_extent(self, name: str, subject: Subject, matches: list[Spans]) -> None:
        """Refuse a match that is probably longer than intended."""
        most, numbers = self._session.settings.over_match_lines, subject.text.lines
        for spans in matches:
            start, end = spans[0]
            if end - start <= most or subject.body.count(b"\n", start, end) < most:
                continue
            first, last = numbers.at(start), numbers.at(max(end - 1, start))
            inner = self._compiled.next_inside(subject, spans[0], self._clock)
            if last - first >= most and inner is not None:
                raise OverMatch(path=name, line=first, end_line=last, inner_line=numbers.at(inner))

    def finish(self) -> list[FileReplacements]:
        """The files with matches, by name; refuses more matches than the limit."""
        if self._number > self._most:
            own = self._most == self._request.max_replacements
            raise TooManyReplacements(found=self._number, limit=self._most, setting=None if own else "max_replacements")
        return sorted(self._files, key=lambda file: file.change.place.name)

    def no_match_in(self, name: str, subject: Subject | None) -> list[str]:
        """What to say if the only file has no match."""
        if subject is None:
            return binary_hints(self._session, name, "changed")
        return no_match_hints(self._session, self._compiled, subject, name) if not self._number else []

    def no_match(self) -> list[str]:
        """What to say if no file has a match."""
        return files_hints(self._compiled, self._session.walked - self._walked, self._binary)

    def _hints(self, landed: Change | None, changed: int, no_match: Sequence[str]) -> list[str]:
        """What became of the replacements, in one line."""
        if not self._number:
            return [*no_match] or ["0 matches: nothing to replace."]
        done = f"{count(self._number, 'replacement')} in {count(changed, 'file')}"
        if not changed:
            return [f"No change: {count(self._number, 'match')}, each identical to its replacement."]
        return [dry_run(f"would make {done}") if landed is None else f"Made {done} (change {landed.id})."]

    def proposal(self, tool: str, where: str, binary: Sequence[str] = (), no_match: Sequence[str] = ()) -> Proposal:
        """The proposal. Its rows are made before it lands, so that too large a result refuses the call.

        `no_match` says why there may be no match.
        """
        files, request = self.finish(), self._request
        matches = count(self._number, "match")
        summary = f"replace {matches} of {self._compiled.pattern.source:.60} in {where}"
        plan = Plan(tuple(file.change for file in files), tool, summary)
        changed = [file.change for file in files if not file.change.same_content]
        result = ReplaceResult(
            change_id=None,
            files=[ReplacedFile(path=update.place.name, hash=update.after.digest) for update in changed],
            binary=shapes.or_left_out([*binary] or None),
        )
        rows: list[str] | None = None
        if isinstance(request, Replace) and request.view == "diff":
            result = result.evolve(replacements=self._number, diff=results.plan_diff(changed))
        else:
            around = request.context_before, request.context_after
            rows = replacement_rows(files, around, Room(self._session.settings.max_result_bytes))

        def describe(change: Change | None) -> Answer:
            metadata = result.evolve(change_id=None if change is None else change.id).data()
            if rows is None:
                return Answer("", metadata, verbatim=True)
            return list_answer(rows, metadata, self._hints(change, len(changed), no_match))

        return Proposal(plan, describe)


def replacement_rows(files: Iterable[FileReplacements], around: tuple[int, int], room: Room) -> list[str]:
    """Each replacement as a JSON row."""
    return [
        row
        for file in files
        for row in rows(file.change.place.name, file.subject, file.matches, around, room, file.change.edits)
    ]


def plan_replace(session: Session, request: RegexReplace) -> Proposal:
    """Plan the replacements in one file."""
    replacements = Replacements(session, request)
    before, subject = read_subject(session, request, request.file_path)
    results.check_hash(request.expect_hash, before.place.name, before)
    binary = [before.place.name] if subject is None else []
    if subject is not None:
        replacements.plan_file(before, subject)
    name = before.place.name
    return replacements.proposal("regex_replace", name, binary, replacements.no_match_in(name, subject))


def plan_replace_multi(session: Session, request: RegexReplaceMulti) -> Proposal:
    """Plan the replacements in many files."""
    replacements = Replacements(session, request)
    replacements.plan_glob(request.path_pattern, request.exclude, include_ignored=request.include_ignored)
    return replacements.proposal("regex_replace_multi", request.path_pattern, no_match=replacements.no_match())


def plan_replace_in_files(session: Session, request: ReplaceInFiles) -> Proposal:
    """Plan the replacements in all files that match the glob."""
    paths, exclude = globs(session, request.path, request.glob)
    inner = Replace(
        paths=paths,
        pattern=whole_pattern(request.pattern, "gm"),
        replacement=request.new if request.regex else request.new.replace("$", "$$"),
        flags=None,
        dry_run=request.dry_run,
        max_replacements=None,
        exclude=exclude,
        include_ignored=False,
        allow_over_match=False,
        encoding=None,
        validate="off",
        view="diff",
    )
    replacements = Replacements(session, inner, adapt=True)
    try:
        _replace_in_paths(session, inner, replacements)
    except NoFilesMatched as error:
        words = f"{no_files(request.glob or request.path or '*', error)} Nothing was changed."
        return Proposal(Plan(()), lambda _: Answer(words, {"change_id": None, "files": [], "replacements": 0}))
    files = replacements.finish()
    number = sum(len(file.matches) for file in files)
    plan = Plan(
        tuple(file.change for file in files),
        "replace_in_files",
        f"replace {count(number, 'match')} of {request.old:.60} by {request.new:.60}",
    )
    changed = [file.change for file in files if not file.change.same_content]
    result = ReplaceResult(
        change_id=None,
        files=[ReplacedFile(path=update.place.name, hash=update.after.digest) for update in changed],
        replacements=number,
        diff=results.plan_diff(changed),
    )

    def describe(change: Change | None) -> Answer:
        data = result.evolve(change_id=None if change is None else change.id).data()
        return Answer("\n".join(_summary(request, files, number, landed=change is not None)), data)

    return Proposal(plan, describe, checked=True)


def _summary(request: ReplaceInFiles, files: Sequence[FileReplacements], number: int, *, landed: bool) -> Iterator[str]:
    """The total, the number of replacements in each file, and for a dry run the first lines that would change."""
    if not number:
        yield "No matches. Nothing was changed."
        return
    total = f"{count(number, 'replacement')} in {count(len(files), 'file')}"
    if request.dry_run:
        yield f"Dry run: {total}; nothing was written."
    elif landed:
        yield f"Made {total}:"
    else:
        yield f"No change: the new text equals the old text ({total})."
    yield from (f"{as_path(file.change.place.name)}: {len(file.matches)}" for file in files)
    if request.dry_run:
        yield from _samples(files)


def _samples(files: Sequence[FileReplacements]) -> Iterator[str]:
    """The first lines that would change, one of each file."""
    for file in files[:_SHOWN_LINES]:
        update, first = file.change, (file.change.edits or ())[0]
        lines, body = update.before.text.lines, update.before.text.body
        start, end = lines.around(first.span.start)
        around = [item for item in update.edits or () if start <= item.span.start and item.span.end <= end]
        moved = [edit(item.span.start - start, item.span.end - start, item.new) for item in around]
        yield f"{as_path(update.place.name)}:{lines.at(start)}"
        for mark, text in (("-", body[start:end]), ("+", apply(body[start:end], moved))):
            yield f"{mark}{text.decode('utf-8', 'replace').rstrip()[:_MAX_LINE_CHARS]}"


def plan_replace_paths(session: Session, request: Replace) -> Proposal:
    """Plan the replacements in all files that the arguments name, as one change."""
    replacements = Replacements(session, request)
    binary = _replace_in_paths(session, request, replacements)
    return replacements.proposal("regex_replace_multi", f"{' '.join(request.paths) or EVERYTHING:.200}", binary)


def _replace_in_paths(session: Session, request: Replace, replacements: Replacements) -> list[str]:
    """Plan the replacements in all files that the arguments name; returns those that are binary."""
    binary: list[str] = []

    def in_file(path: str) -> None:
        before, subject = read_subject(session, request, path)
        if subject is None:
            binary.append(before.place.name)
        else:
            replacements.plan_file(before, subject)

    def in_glob(glob: str, exclude: list[str]) -> None:
        replacements.plan_glob(glob, exclude, include_ignored=request.include_ignored)

    for _ in visit_paths(session, request, in_file, in_glob, request.encoding):
        pass
    return binary


REGEX_REPLACE = ToolSpec(
    name="regex_replace",
    title="Replace in a file",
    description=(
        "Replace the matches of a regular expression in one file: all of them, or none. The answer is a JSON array "
        "with one item per replacement: file, line, column, original, replacement, groups, context_before and "
        f"context_after, all as before the change. dry_run shows the same but changes nothing. {ABOUT_PATTERN}"
    ),
    request=RegexReplace,
    examples=(
        Example(
            "var becomes const",
            {"src/app.js": "function init() {\n  var counter = 0;\n}\n"},
            {"file_path": "src/app.js", "pattern": r"var (\w+)", "replacement": "const $1", "context_before": 1},
            '[{"file":"src/app.js","line":2,"column":2,"original":"var counter","replacement":"const counter",'
            '"groups":["var counter","counter"],"context_before":["function init() {"],"context_after":[]}]',
        ),
    ),
    plan=plan_replace,
    explain=explain_one,
)
REGEX_REPLACE_MULTI = ToolSpec(
    name="regex_replace_multi",
    title="Replace in files",
    description=(
        "Replace the matches of a regular expression in all files that match a glob, in one transaction: every file, "
        "or none. Files that .gitignore ignores are skipped, as are hidden files unless the glob contains the dot. The "
        "answer is one JSON array: file, line, column, original, replacement, groups, context_before and "
        "context_after, all as before the change. dry_run shows the same but changes nothing; undo reverts it. "
        f"{ABOUT_PATTERN}"
    ),
    request=RegexReplaceMulti,
    examples=(
        Example(
            "Rename in all files, as a dry run",
            {"src/app.ts": "interface User {}\n", "src/types.ts": "let a: User;\n"},
            {"path_pattern": "src/**/*.ts", "pattern": r"\bUser\b", "replacement": "Person", "dry_run": True},
            '[{"file":"src/app.ts","line":1,"column":10,"original":"User","replacement":"Person","groups":["User"],'
            '"context_before":[],"context_after":[]},{"file":"src/types.ts","line":1,"column":7,"original":"User",'
            '"replacement":"Person","groups":["User"],"context_before":[],"context_after":[]}]',
        ),
    ),
    plan=plan_replace_multi,
    explain=explain_several,
)
REPLACE_IN_FILES = ToolSpec(
    name="replace_in_files",
    title="Replace in files",
    description=(
        "Replace a text wherever it occurs, in all files or those that match glob, as one change. Ignored and hidden "
        "files are skipped."
    ),
    request=ReplaceInFiles,
    examples=(
        Example(
            "Rename in all files",
            {"src/app.ts": "interface User {}\n", "src/types.ts": "let a: User, b: Users;\n"},
            {"old": "User", "new": "Person", "whole_word": True, "glob": "*.ts"},
            "Made 2 replacements in 2 files:\nsrc/app.ts: 1\nsrc/types.ts: 1",
        ),
    ),
    plan=plan_replace_in_files,
    audience=AGENT,
)
REPLACE = ToolSpec(
    name="replace",
    title="Replace",
    description="Replace the matches of a regular expression in files, folders and globs, as one change.",
    request=Replace,
    examples=(),
    plan=plan_replace_paths,
    explain=explain_several,
)
