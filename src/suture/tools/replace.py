"""`regex_replace`, `regex_replace_multi` and the command `replace`: replace all matches or none.

Matches become edits, and edits become the changes of a plan; the rows or the diff are made from both. A dry run and the
change itself use the same plan.
"""

from __future__ import annotations

from itertools import islice

from suture import shapes
from suture.bounds import check_limit, timed
from suture.errors import OverMatch, TooManyReplacements
from suture.patterns.scan import Room, each_match, rows
from suture.patterns.template import parse as parse_template
from suture.plan import Plan
from suture.records import Record
from suture.text.edits import edit
from suture.tools import results, spec
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
from suture.wording import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from suture.engine.session import Session
    from suture.patterns.engines import Clock, Compiled, Spans, Subject
    from suture.plan import Change, Snapshot, Update
    from suture.text.edits import Edit

_ROW_BYTES = 40
"""Bytes of the answer that each match and group is assumed to take before rows are made; it takes 120 in memory."""


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

    def __init__(self, session: Session, request: RegexReplace | RegexReplaceMulti | Replace) -> None:
        self._session = session
        self._request = request
        self._compiled: Compiled
        self._clock: Clock
        self._compiled, self._clock = prepare(session, request)
        self._template = parse_template(request.replacement, self._compiled.pattern)
        self._number = self._matches_size = self._new_size = 0
        self._seen: set[tuple[int, ...]] = set()
        self._files: list[FileReplacements] = []

    def plan_glob(self, glob: str, exclude: list[str], *, include_ignored: bool) -> None:
        """Replace in all files that match a glob."""
        session, request = self._session, self._request
        root, runs = session.runs(glob, exclude, include_ignored=include_ignored)
        for folder, place, raw in session.read_candidates(root, runs, worth_reading(session, request, self._compiled)):
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
        if same_file in self._seen:
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
        return edit(*spans[0], self._template.fill(subject.text, spans))

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

    def proposal(self, tool: str, where: str, binary: Sequence[str] = ()) -> Proposal:
        """The proposal. Its rows are made before it lands, so that too large a result refuses the call."""
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
            return Answer("", metadata, verbatim=True) if rows is None else list_answer(rows, metadata)

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
    return replacements.proposal("regex_replace", before.place.name, binary)


def plan_replace_multi(session: Session, request: RegexReplaceMulti) -> Proposal:
    """Plan the replacements in many files."""
    replacements = Replacements(session, request)
    replacements.plan_glob(request.path_pattern, request.exclude, include_ignored=request.include_ignored)
    return replacements.proposal("regex_replace_multi", request.path_pattern)


def plan_replace_paths(session: Session, request: Replace) -> Proposal:
    """Plan the replacements in all files that the arguments name, as one change."""
    replacements, binary = Replacements(session, request), list[str]()

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
    return replacements.proposal("regex_replace_multi", f"{' '.join(request.paths) or EVERYTHING:.200}", binary)


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
REPLACE = ToolSpec(
    name="replace",
    title="Replace",
    description="Replace the matches of a regular expression in files, folders and globs, as one change.",
    request=Replace,
    examples=(),
    plan=plan_replace_paths,
    explain=explain_several,
)
