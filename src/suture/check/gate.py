"""Run the checks of everything that a call is about to write, in parallel and within a time limit.

Plugins, and checks in other processes, run in threads; the others run meanwhile in this one. A check that crashes or
exceeds its time is reported as not run, never as passed.
"""

from __future__ import annotations

from itertools import islice
from time import monotonic

from suture.check.issue import Issue, NotRunError, compare
from suture.check.markers import ConflictMarkers
from suture.origins import importing_outside
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from threading import Thread
    from typing import Protocol, TypeVar

    T = TypeVar("T")

    from suture.check.issue import Staging
    from suture.check.registry import FileCheck
else:
    Protocol = object

_MAX_THREADS = 4  # for the checks of a call, perhaps each with a process; by choice: more would slow each other down
_GRACE_SECONDS = 0.5  # to wait for a check after its time limit, while its program or worker is killed
_POLL_SECONDS = 0.05  # between two tests for late checks
_MAX_SOURCE_CHARS = 200  # characters of a source line in a report: enough to recognize a line that may have a megabyte
_MAX_MESSAGE_CHARS = 500  # characters of a message or a reason: plugins write them, and a model pays for them
_MAX_CODE_CHARS = 100  # characters of the code of an issue: plugins choose them, too
_MAX_NUMBER = 1 << 31  # of a line or column that a plugin reports: programs may read it as a 32-bit number
_MAX_ISSUES = 20_000  # of one check: a plugin may never stop
_MAX_HANGING = 16  # threads with plugins that did not end, which cannot be killed; then no more plugins are started
_BUILT_IN_PREFIX = "suture.check."
_TIME_IS_UP = "the time limit for all checks of a call was reached (validate_call_ms)"
_hanging_threads: list[Thread] = []
"""Threads with a plugin that did not end."""


class Stage(Protocol):
    """A text that can be staged."""

    def within(self, seconds: float) -> Staging:
        """The staged text, for a check with this time limit."""


class Subject(Record):
    """A file to be changed: its text before (None if there is none) and after, each with its stage."""

    name: str
    """Its name in results."""
    path: str
    before: str | None
    after: str
    stage_before: Stage
    stage_after: Stage
    checks: tuple[FileCheck, ...]
    roots: tuple[str, ...] = ()
    """The folders that tools can edit: nothing in them is imported."""


class Finding(Record):
    """A problem, its file, and the validator that found it."""

    path: str
    validator: str
    issue: Issue
    source: str = ""
    """The line with the problem: the text may never be written to a file."""


class NotRun(Record):
    """A check that did not run, and why."""

    path: str
    validator: str
    reason: str
    required: bool = False
    setting: str = ""
    """The setting that allows it, if there is one."""


class Report(Record):
    """The results of all checks."""

    new: tuple[Finding, ...] = ()
    existing: tuple[Finding, ...] = ()
    fixed: tuple[Finding, ...] = ()
    not_run: tuple[NotRun, ...] = ()
    markers_only: tuple[str, ...] = ()
    """Files that have no check but the one for conflict markers."""
    is_checked: bool = False
    """Whether another file has one."""

    def with_more(self, other: Report, most: int) -> Report:
        """Merge two reports, with at most `most` findings of each kind; those that decide come first."""
        return Report(
            _first((*self.new, *other.new), most, _is_error),
            _first((*self.existing, *other.existing), most, _is_error),
            _first((*self.fixed, *other.fixed), most, _is_error),
            _first((*self.not_run, *other.not_run), most, lambda check: check.required),
            (*self.markers_only, *other.markers_only)[:most],
            self.is_checked or other.is_checked,
        )

    def errors(self, *, every: bool = False) -> list[Finding]:
        """The errors that count: new ones, or all with `every`."""
        findings = (*self.new, *self.existing) if every else self.new
        return [finding for finding in findings if _is_error(finding)]

    def passed(self, *, every: bool = False) -> bool:
        """Whether every check ran and found no error that counts, and there was more to check than conflict markers."""
        is_checked = self.is_checked or not self.markers_only
        return is_checked and not self.errors(every=every) and not self.not_run

    def blocks(self, *, every: bool = False) -> bool:
        """Whether a strict caller must be refused."""
        return bool(self.errors(every=every)) or any(check.required for check in self.not_run)


def _is_error(finding: Finding) -> bool:
    return finding.issue.severity == "error"


def _first(items: tuple[T, ...], most: int, decides: Callable[[T], bool]) -> tuple[T, ...]:
    if len(items) <= most:
        return items
    return tuple(sorted(items, key=lambda item: not decides(item))[:most])


class _Job:
    """One check of one text: its issues, or why it did not run."""

    def __init__(self, file_check: FileCheck, subject: Subject, before: str | None, after: str, stage: Stage) -> None:
        validator = file_check.validator
        self.file_check = file_check
        self.issues: list[Issue] | None = None
        self.reason, self.setting = _TIME_IS_UP, ""
        self.is_over = False
        self.is_plugin = not type(validator).__module__.startswith(_BUILT_IN_PREFIX)
        """Whether it is a plugin, which may run in this process forever."""
        self._needs_worker = not self.is_plugin and len(after) > getattr(
            validator, "max_characters_in_process", len(after)
        )
        """Whether it is a built-in parser with a text that is too large to parse where it cannot be killed."""
        self.is_own = not (self.is_plugin or self._needs_worker or getattr(validator, "external", False))
        """Whether it runs in this process and ends soon by itself."""
        self._subject = subject
        self._before = before
        self._after = after
        self._stage = stage
        self._deadline: float | None = None

    @property
    def is_late(self) -> bool:
        """Whether it should have ended by now."""
        return self._deadline is not None and monotonic() > self._deadline + _GRACE_SECONDS

    def run(self, deadline: float) -> None:
        """Run the check in the remaining time."""
        seconds = min(self.file_check.timeout_ms / 1000, deadline - monotonic())
        if seconds <= 0:
            return
        self._deadline = monotonic() + seconds
        self.reason = f"it took longer than {seconds:.1f} s"
        try:
            with importing_outside(self.file_check.untrusted):
                issues = list(islice(self._issues(seconds), _MAX_ISSUES + 1))
            if len(issues) > _MAX_ISSUES:  # one that is cut off could be the one that counts
                raise NotRunError(f"it found more than {_MAX_ISSUES:,} problems")  # noqa: TRY301  handled below
            self.issues = [self._apply_rule(issue) for issue in issues]
        except NotRunError as error:
            self.reason, self.setting = str(error)[:_MAX_MESSAGE_CHARS], error.setting
        except Exception as error:  # noqa: BLE001  a plugin may fail in any way, and must not take the edit with it
            self.reason = f"it crashed: {type(error).__name__}: {error}"[:_MAX_MESSAGE_CHARS]

    def _issues(self, seconds: float) -> Iterable[Issue]:
        validator, path = self.file_check.validator, self._subject.path
        if self._needs_worker:
            from suture.check.worker import check  # most calls need no other process

            return check(validator.name, path, self._before, self._after, seconds, self._subject.roots)
        return validator.check(path, self._before, self._after, self._stage.within(seconds))

    def _apply_rule(self, issue: Issue) -> Issue:
        if issue.severity not in {"error", "warning"}:
            message = f"{issue.severity} is not a severity; use error or warning"
            raise ValueError(message)
        severity = self.file_check.severity or issue.severity
        line, column = (min(max(int(number), 1), _MAX_NUMBER) for number in (issue.line, issue.column))
        message = " ".join(str(issue.message)[: 2 * _MAX_MESSAGE_CHARS].split())[:_MAX_MESSAGE_CHARS]
        return Issue(severity, line, column, str(issue.code)[:_MAX_CODE_CHARS], message)


class _Check(Record):
    """A check of a file, before and after."""

    subject: Subject
    after: _Job
    before: _Job | None


def run_checks(subjects: Sequence[Subject], seconds: float) -> Report:
    """Check all texts, before and after the edit; other programs run in parallel with built-in checks."""
    deadline = monotonic() + seconds
    checks = [_check(subject, file_check) for subject in subjects for file_check in subject.checks]
    jobs = dict.fromkeys(job for check in checks for job in (check.after, check.before) if job is not None)
    others = [job for job in jobs if not job.is_own]
    started = _Threads(others, deadline) if others else None
    for job in jobs:
        if job.is_own:
            job.run(deadline)
    if started is not None:
        started.wait()
    markers_only = tuple(subject.name for subject in subjects if _has_only_markers(subject))
    return _report(checks).evolve(markers_only=markers_only, is_checked=len(markers_only) < len(subjects))


def _has_only_markers(subject: Subject) -> bool:
    return all(isinstance(file_check.validator, ConflictMarkers) for file_check in subject.checks)


def _check(subject: Subject, file_check: FileCheck) -> _Check:
    before = subject.before
    after = _Job(file_check, subject, before, subject.after, subject.stage_after)
    if before is None or before == subject.after:
        return _Check(subject, after, None if before is None else after)
    return _Check(subject, after, _Job(file_check, subject, None, before, subject.stage_before))


class _Threads:
    """Jobs that run in threads."""

    def __init__(self, jobs: Sequence[_Job], deadline: float) -> None:
        from threading import Semaphore, Thread  # most checks need no thread

        _hanging_threads[:] = [thread for thread in _hanging_threads if thread.is_alive()]
        if len(_hanging_threads) >= _MAX_HANGING:
            for job in jobs:
                if job.is_plugin:
                    job.reason = f"{len(_hanging_threads)} earlier plugin checks are still running in this process"
            jobs = [job for job in jobs if not job.is_plugin]
        self._jobs = jobs
        self._deadline = deadline
        self._waiting = list(jobs)[::-1]
        self._done = Semaphore(0)
        self._threads = [Thread(target=self._work, daemon=True) for _ in range(min(_MAX_THREADS, len(jobs)))]
        for thread in self._threads:
            thread.start()

    def _work(self) -> None:
        while True:
            try:
                job = self._waiting.pop()
            except IndexError:
                return
            job.run(self._deadline)
            job.is_over = True
            self._done.release()

    def wait(self) -> None:
        """Return when all checks have ended or are late. The thread of a check that hangs is abandoned."""
        left = len(self._jobs)
        while left and monotonic() < self._deadline + _GRACE_SECONDS:
            if self._done.acquire(timeout=_POLL_SECONDS):
                left -= 1
            elif all(job.is_over or job.is_late for job in self._jobs):
                break
        if left:
            _hanging_threads.extend(thread for thread in self._threads if thread.is_alive())


def _report(checks: Sequence[_Check]) -> Report:
    new: list[Finding] = []
    existing: list[Finding] = []
    fixed: list[Finding] = []
    not_run: list[NotRun] = []
    for check in checks:
        job, subject = check.after, check.subject
        validator, issues = job.file_check.validator, job.issues
        name = validator.name
        if issues is None:
            not_run.append(NotRun(subject.name, name, job.reason, job.file_check.required, job.setting))
            continue
        known = None if check.before is None else check.before.issues  # unknown: all count as new
        codes, first = getattr(validator, "syntax_codes", ()), bool(getattr(validator, "first_only", False))
        comparison = compare(subject.before, subject.after, known or (), issues, codes, first_only=first)
        blind = [issue.line for issue in comparison.existing if issue.code in codes]
        if blind and not getattr(validator, "sees_all", False):
            reason = f"an earlier problem in line {blind[0]} hides everything after it"
            not_run.append(NotRun(subject.name, name, reason))
        new += _findings(subject.name, name, comparison.new, subject.after)
        existing += _findings(subject.name, name, comparison.existing, subject.after)
        fixed += _findings(subject.name, name, comparison.fixed, subject.before or "")
    return Report(tuple(new), tuple(existing), tuple(fixed), tuple(not_run))


def _findings(path: str, validator: str, issues: Sequence[Issue], text: str) -> list[Finding]:
    lines = text.split("\n") if issues else []
    return [Finding(path, validator, issue, _line(lines, issue.line)) for issue in issues]


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number - 1].strip()[:_MAX_SOURCE_CHARS] if number <= len(lines) else ""
