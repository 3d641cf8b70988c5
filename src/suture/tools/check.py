"""The command `check`, and the gate that every edit with `validate` passes: findings as results show them.

`check` checks its files in batches, so that the time limit for a call's checks (`validate_call_ms`) applies to a batch
and not to a whole folder. It has its own limits for the number of files, the time and the problems listed: files beyond
them are counted, and reported as a required check that did not run.
"""

from __future__ import annotations

from time import monotonic

from suture import shapes
from suture.check.gate import NotRun, Report
from suture.check.issue import INVALID
from suture.engine.checks import check_changes, check_files, check_syntax, registry
from suture.errors import FileNotFound, InputTooLarge, NotAFile, PermissionDenied, SutureError, ValidationFailed
from suture.files.paths import display_path
from suture.plan import Update
from suture.shapes import Findings, FoundIssue, SkippedCheck, UnlistedFindings
from suture.tools import results, spec
from suture.tools.paths import visit_paths
from suture.tools.spec import Answer, Proposal, Request, ToolSpec
from suture.wording import count, errors_first, issue_line, validation_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from suture.audience import Audience
    from suture.check.gate import Finding
    from suture.engine.session import Session
    from suture.plan import Change, FileChange, Snapshot


_SHOWN_ERRORS = 3  # that an edit brings, where nobody asked for checks
_MAX_LISTED_ISSUES = 500  # issues of a kind in one answer
_MAX_WAITING_FILES = 50  # files that `check` collects before it checks them
_MAX_WAITING_BYTES = 20_000_000  # of those files


def gate_proposal(session: Session, proposal: Proposal, level: str) -> Proposal:
    """A tool's proposal with the findings of checks: added to its answer, or raised as a refusal."""
    changes = proposal.plan.changes
    differing = _differing(changes)
    findings = check_changes(session, differing)
    every = level == "all"
    data = validation_data(findings, session.audience, every=every)
    if level != "warn" and findings.blocks(every=every):
        names = list(dict.fromkeys(change.place.name for change in changes))
        diff = results.plan_diff(changes)
        raise ValidationFailed(files=names, validation=data, diff=diff, failed=[*proposal.failed])

    def describe(change: Change | None) -> Answer:
        answer = proposal.describe(change)
        silent = answer.verbatim or not differing or session.audience.prints_data
        words, beside = [] if silent else ["", *validation_lines(data)], list[str]()
        if answer.verbatim and differing and not session.audience.prints_data:
            beside = validation_lines(data)
        ending = "\n".join([answer.ending, *words] if answer.ending else words[1:])
        return answer.evolve(
            text="\n".join([answer.text, *words]),
            ending=ending,
            hints=(*answer.hints, *beside),
            data={**answer.data, "validation": data.data()},
        )

    return Proposal(proposal.plan, describe, checked=True)


def _differing(changes: Sequence[FileChange]) -> list[FileChange]:
    return [change for change in changes if not (isinstance(change, Update) and change.same_content)]


def new_syntax_errors(session: Session, changes: Sequence[FileChange], *, refuse: bool) -> list[str]:
    """The first syntax errors that changes bring, a line each; with `refuse`, they refuse the call."""
    differing = _differing(changes)
    if not any(finding.issue.code == INVALID for finding in check_syntax(session, differing, alone=True).new):
        return []
    data = validation_data(check_syntax(session, differing, alone=False), session.audience)
    found = [issue for issue in errors_first(data.new) if issue.code == INVALID]
    if refuse and found:
        names = list(dict.fromkeys(issue.path for issue in found))
        raise ValidationFailed(files=names, validation=data, diff="", failed=[])
    more = len(found) - _SHOWN_ERRORS
    return [*map(issue_line, found[:_SHOWN_ERRORS]), *([f"{count(more, 'more syntax error')}"] if more > 0 else [])]


def validation_data(report: Report, audience: Audience, *, every: bool = False) -> Findings:
    """A report as results show it, for an audience. With `every`, existing errors count too."""
    listed = report.with_more(Report(), _MAX_LISTED_ISSUES)
    unlisted = UnlistedFindings(
        new=len(report.new) - len(listed.new),
        existing=len(report.existing) - len(listed.existing),
        fixed=len(report.fixed) - len(listed.fixed),
        not_run=len(report.not_run) - len(listed.not_run),
    )
    return Findings(
        passed=report.passed(every=every),
        new=[*map(_issue, listed.new)],
        existing=[*map(_issue, listed.existing)],
        fixed=[*map(_issue, listed.fixed)],
        not_run=[_not_run(item, audience) for item in listed.not_run],
        markers_only=shapes.or_left_out([*listed.markers_only] or None),
        unlisted=shapes.or_left_out(unlisted if any(unlisted.data().values()) else None),
    )


def _issue(item: Finding) -> FoundIssue:
    issue = item.issue
    return FoundIssue(
        path=item.path,
        line=issue.line,
        column=issue.column,
        severity=issue.severity,
        code=issue.code,
        message=issue.message,
        validator=item.validator,
        source=item.source,
    )


def _not_run(skipped: NotRun, audience: Audience) -> SkippedCheck:
    reason = f"{skipped.reason} ({audience.setting(skipped.setting)})" if skipped.setting else skipped.reason
    return SkippedCheck(path=skipped.path, validator=skipped.validator, reason=reason, required=skipped.required)


class Check(Request):
    """Arguments of `check`."""

    paths: list[str] = spec.PATHS
    exclude: list[str] = spec.EXCLUDE
    include_ignored: bool = spec.INCLUDE_IGNORED


class Unlisted(shapes.Data):
    """What is only counted, because there is too much to list."""

    issues: int = shapes.integer("Problems")
    not_run: int = shapes.integer("Checks that did not run")


class CheckResult(shapes.Data):
    """The problems of the files, sorted by place, and what was not checked."""

    files: int = shapes.integer("Files that were checked")
    markers_only: int = shapes.integer("Those that were only checked for merge conflict markers")
    left_out: int = shapes.integer("Files that were skipped because of a limit")
    stopped: bool = shapes.flag("Whether the time ran out before all files were counted")
    errors: int = shapes.integer("Errors in all files")
    warnings: int = shapes.integer("Warnings in all files")
    unchecked: int = shapes.integer("Files that were not fully checked")
    issues: list[FoundIssue] = shapes.objects("The problems", FoundIssue)
    not_run: list[SkippedCheck] = shapes.objects("Checks that did not run", SkippedCheck)
    unlisted: Unlisted = shapes.member("Problems and checks that are not listed", Unlisted)
    binary: list[str] = shapes.values("Files that were named but are binary").optional


def check(session: Session, request: Check) -> Answer:
    """The problems of the files that the arguments name, sorted by place, and what could not be checked."""
    checking, binary = _Checker(session), list[str]()

    def visit_file(path: str) -> None:
        file = session.read(path)
        if file.place.name not in checking.seen and not checking.add(file):
            binary.append(file.place.name)

    def visit_glob(glob: str, exclude: list[str]) -> None:
        root, runs = session.runs(glob, exclude, include_ignored=request.include_ignored)
        for folder, prefix, names in runs:
            for name in names:
                checking.add_found(root, folder, prefix, name)
            if checking.is_stopped:
                return

    for _ in visit_paths(session, request, visit_file, visit_glob):
        pass
    checking.finish()
    return Answer("", checking.result(binary).data(), verbatim=True)


class _Checker:
    """Checks one call's files in batches, and collects the findings."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._batch: list[Snapshot] = []
        self._size = 0
        self._issues: list[FoundIssue] = []
        self._not_run: list[SkippedCheck] = []
        self._unlisted = {"issues": 0, "not_run": 0}
        self._numbers = {"error": 0, "warning": 0}
        self._unchecked = 0
        """How many files were not fully checked."""
        self._markers_only = 0
        """How many files were only checked for merge conflict markers."""
        self._ends = monotonic() + session.settings.check_call_ms / 1000
        self._left_out: tuple[str, str, str] | None = None
        """The first file that was skipped, the reason, and the setting."""
        self._more = 0
        """How many more were skipped."""
        self.seen: set[str] = set()
        """The names of the files so far."""

    @property
    def is_late(self) -> bool:
        """Whether the time limit has expired."""
        return monotonic() > self._ends

    @property
    def is_stopped(self) -> bool:
        """Whether a file was skipped because the time limit expired: further files are not even counted."""
        return self._left_out is not None and self.is_late

    def add_found(self, root: int, folder: int, prefix: str, name: str) -> None:
        """Add a file that a walk found; skips one that is gone, and reports one that cannot be read."""
        trees, path = self._session.trees, prefix + name
        display = display_path(trees, root, path)
        if display in self.seen or self._leaves_out(display):
            return
        try:
            self._add(self._session.read(display))
        except (FileNotFound, NotAFile):
            return
        except InputTooLarge as error:
            start = bytearray(self._session.settings.binary_window)
            if 0 not in start[: trees[root].fs.fill(folder, name, start)]:
                self._refuse(display, path, error)
        except PermissionDenied as error:
            self._refuse(display, path, error)

    def add(self, file: Snapshot) -> bool:
        """Check a file, now or in a later batch; False if it is binary, so that there is nothing to check."""
        return self._leaves_out(file.place.name) or self._add(file)

    def _add(self, file: Snapshot) -> bool:
        if file.text.is_binary(self._session.settings.binary_window):
            return False
        self.seen.add(file.place.name)
        self._markers_only += len(registry(self._session).checks_for(file.place.path)) == 1
        self._batch.append(file)
        self._size += file.content.size
        if len(self._batch) >= _MAX_WAITING_FILES or self._size >= _MAX_WAITING_BYTES:
            self.finish()
        return True

    def _leaves_out(self, name: str) -> bool:
        """Whether a file is skipped, because of the file limit or the time limit; counts it if so."""
        most, is_late = self._session.settings.check_max_files, self.is_late
        if len(self.seen) < most and not is_late:
            return False
        if self._left_out is None:
            limit = f"the limit is {count(most, 'file')}", "check_max_files"
            self._left_out = name, *(("the time limit expired", "check_call_ms") if is_late else limit)
        else:
            self._more += 1
        return True

    def _refuse(self, name: str, path: str, error: SutureError) -> None:
        """Report that no check runs on a file."""
        self.seen.add(name)
        is_large = isinstance(error, InputTooLarge)
        reason, setting = ("the file is too large", "max_file_bytes") if is_large else ("the file may not be read", "")
        chosen = registry(self._session).checks_for(path)
        rows = [NotRun(name, check.validator.name, reason, check.required, setting) for check in chosen]
        self._take(Report(not_run=tuple(rows)))

    def finish(self) -> None:
        """Check the last batch."""
        if self._batch:
            self._take(check_files(self._session, self._batch))
        self._batch, self._size = [], 0

    def _take(self, report: Report) -> None:
        """Count the findings, and keep those to list."""
        most = self._session.settings.check_max_issues
        for item in report.new:
            self._numbers[item.issue.severity] += 1
            if len(self._issues) < most:
                self._issues.append(_issue(item))
            else:
                self._unlisted["issues"] += 1
        self._unchecked += len({item.path for item in report.not_run})
        for skipped in report.not_run:
            if len(self._not_run) < most or skipped.required:
                self._not_run.append(_not_run(skipped, self._session.audience))
            else:
                self._unlisted["not_run"] += 1
        if len(self._not_run) > most:  # required ones come first: they make the command fail
            self._unlisted["not_run"] += len(self._not_run) - most
            self._not_run = sorted(self._not_run, key=lambda skipped: not skipped.required)[:most]

    def result(self, binary: list[str]) -> CheckResult:
        """The result; `binary` are the files that were named but are binary."""
        issues = sorted(self._issues, key=lambda issue: (issue.path, issue.line, issue.column))
        not_run = sorted(self._not_run, key=lambda skipped: (skipped.path, skipped.validator))
        left_out = 0
        if self._left_out is not None:
            name, why, setting = self._left_out
            left_out = 1 + self._more
            others = f", with {count(self._more, 'more file')}" if self._more else ""
            others = ", with all files after it" if self.is_stopped else others
            row = NotRun(name, "check", f"it was skipped{others}: {why}", required=True, setting=setting)
            not_run.append(_not_run(row, self._session.audience))
        return CheckResult(
            files=len(self.seen),
            markers_only=self._markers_only,
            left_out=left_out,
            stopped=self.is_stopped,
            errors=self._numbers["error"],
            warnings=self._numbers["warning"],
            unchecked=self._unchecked,
            issues=issues,
            not_run=not_run,
            unlisted=Unlisted(issues=self._unlisted["issues"], not_run=self._unlisted["not_run"]),
            binary=shapes.or_left_out(binary or None),
        )


CHECK = ToolSpec(
    name="check",
    title="Check",
    description="Check files, folders and globs as they are.",
    request=Check,
    examples=(),
    read=check,
    own_clock=True,
)
