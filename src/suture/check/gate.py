"""The checks of everything that a call is about to write, side by side and within a time.

Checks in other processes, and those of plugins, run in threads of their own; the others run meanwhile. A check that
does not end in time, or crashes, is reported as not run: never as passed.
"""

from __future__ import annotations

from itertools import islice
from time import monotonic

from suture.check.issue import Issue, NotRunError, compare
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

_MAX_THREADS = 4  # that run checks of a call, perhaps each with a process: by choice, more would starve each other
_GRACE_SECONDS = 0.5  # after its time that a check is waited for, in which its program or worker is ended
_POLL_SECONDS = 0.05  # between two looks at which checks are late
_MAX_SOURCE = 200  # characters of a source line in a report: enough to recognize it, of a line that may be a megabyte
_MAX_MESSAGE = 500  # characters of a message or a reason: plugins write them, and a model pays for them
_MAX_CODE = 100  # characters of the code of an issue, as above
_MAX_NUMBER = 1 << 31  # of a line or column, as above: programs that read the answer may keep it in 32 bits
_MAX_ISSUES = 20_000  # of one check: a plugin may go on without end
_MAX_HANGING = 16  # threads whose plugins did not end, before no further plugin is started: they cannot be ended
_BUILT_IN_PREFIX = "suture.check."
_TIME_IS_UP = "the time for all checks of a call was over (validate_call_ms)"
_hanging_threads: list[Thread] = []
"""Threads in which the check of a plugin did not end."""


class Stage(Protocol):
    """A text that can be staged."""

    def within(self, seconds: float) -> Staging:
        """The staged text, for a check that may take so long."""


class Subject(Record):
    """A file that is going to change: its text before (None: there is none) and after, each with its stage."""

    name: str
    """What results call it."""
    path: str
    before: str | None
    after: str
    stage_before: Stage
    stage_after: Stage
    checks: tuple[FileCheck, ...]
    roots: tuple[str, ...] = ()
    """The folders that tools can edit: nothing in them is imported."""


class Found(Record):
    """A problem, where it is, and the validator that found it."""

    path: str
    validator: str
    issue: Issue
    source: str = ""
    """The line it is in, of a text that may never be written."""


class NotRun(Record):
    """A check that was not carried out, and why."""

    path: str
    validator: str
    reason: str
    required: bool = False
    setting: str = ""
    """The setting that allows it, if there is one."""


class Report(Record):
    """The results of all checks."""

    new: tuple[Found, ...] = ()
    existing: tuple[Found, ...] = ()
    fixed: tuple[Found, ...] = ()
    not_run: tuple[NotRun, ...] = ()

    def with_more(self, other: Report, most: int) -> Report:
        """Both reports as one; at most so many findings of each kind, those that decide first."""
        return Report(
            _first((*self.new, *other.new), most, _is_error),
            _first((*self.existing, *other.existing), most, _is_error),
            _first((*self.fixed, *other.fixed), most, _is_error),
            _first((*self.not_run, *other.not_run), most, lambda check: check.required),
        )

    def errors(self, *, every: bool = False) -> list[Found]:
        """The errors that count: those that are new, or every one."""
        findings = (*self.new, *self.existing) if every else self.new
        return [finding for finding in findings if _is_error(finding)]

    def passed(self, *, every: bool = False) -> bool:
        """Whether every check ran and found no error that counts."""
        return not self.errors(every=every) and not self.not_run

    def blocks(self, *, every: bool = False) -> bool:
        """Whether a strict caller must be refused."""
        return bool(self.errors(every=every)) or any(check.required for check in self.not_run)


def _is_error(finding: Found) -> bool:
    return finding.issue.severity == "error"


def _first(items: tuple[T, ...], most: int, decides: Callable[[T], bool]) -> tuple[T, ...]:
    if len(items) <= most:
        return items
    return tuple(sorted(items, key=lambda item: not decides(item))[:most])


class _Job:
    """One check of one text: what it found, or why it found nothing."""

    def __init__(self, file_check: FileCheck, subject: Subject, before: str | None, after: str, stage: Stage) -> None:
        validator = file_check.validator
        self.file_check = file_check
        self.issues: list[Issue] | None = None
        self.reason, self.setting = _TIME_IS_UP, ""
        self.is_over = False
        self.is_plugin = not type(validator).__module__.startswith(_BUILT_IN_PREFIX)
        """Whether it may run in this process without end."""
        self._needs_worker = not self.is_plugin and len(after) > getattr(
            validator, "max_characters_in_process", len(after)
        )
        """Whether it is a built-in parser that must be possible to end: the text may be too much for it."""
        self.is_own = not (self.is_plugin or self._needs_worker or getattr(validator, "external", False))
        """Whether it runs in this process and ends by itself, soon."""
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
        """Run the check in the time that is left."""
        seconds = min(self.file_check.timeout_ms / 1000, deadline - monotonic())
        if seconds <= 0:
            return
        self._deadline = monotonic() + seconds
        self.reason = f"it took longer than {seconds:.1f} s"
        try:
            with importing_outside(self.file_check.untrusted):
                issues = list(islice(self._issues(seconds), _MAX_ISSUES + 1))
            if len(issues) > _MAX_ISSUES:  # a later one may be the one that counts
                raise NotRunError(f"it found more than {_MAX_ISSUES:,} problems")  # noqa: TRY301  handled below
            self.issues = [self._apply_rule(issue) for issue in issues]
        except NotRunError as error:
            self.reason, self.setting = str(error)[:_MAX_MESSAGE], error.setting
        except Exception as error:  # noqa: BLE001  a plugin may fail in any way, and must not take the edit with it
            self.reason = f"it crashed: {type(error).__name__}: {error}"[:_MAX_MESSAGE]

    def _issues(self, seconds: float) -> Iterable[Issue]:
        validator, path = self.file_check.validator, self._subject.path
        if self._needs_worker:
            from suture.check.worker import check  # many calls need no other process

            return check(validator.name, path, self._before, self._after, seconds, self._subject.roots)
        return validator.check(path, self._before, self._after, self._stage.within(seconds))

    def _apply_rule(self, issue: Issue) -> Issue:
        if issue.severity not in {"error", "warning"}:
            message = f"{issue.severity} is no severity; there are error and warning"
            raise ValueError(message)
        severity = self.file_check.severity or issue.severity
        line, column = (min(max(int(number), 1), _MAX_NUMBER) for number in (issue.line, issue.column))
        message = " ".join(str(issue.message)[: 2 * _MAX_MESSAGE].split())[:_MAX_MESSAGE]
        return Issue(severity, line, column, str(issue.code)[:_MAX_CODE], message)


class _Check(Record):
    """A check of a file, before and after."""

    subject: Subject
    after: _Job
    before: _Job | None


def run_checks(subjects: Sequence[Subject], seconds: float) -> Report:
    """Check all texts, each before and after the edit; checks of other programs run beside the built-in ones."""
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
    return _report(checks)


def _check(subject: Subject, file_check: FileCheck) -> _Check:
    before = subject.before
    after = _Job(file_check, subject, before, subject.after, subject.stage_after)
    if before is None or before == subject.after:
        return _Check(subject, after, None if before is None else after)
    return _Check(subject, after, _Job(file_check, subject, None, before, subject.stage_before))


class _Threads:
    """Jobs that run in threads of their own."""

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
        """Return when all checks have ended or are late: the thread of one that hangs is left alone."""
        left = len(self._jobs)
        while left and monotonic() < self._deadline + _GRACE_SECONDS:
            if self._done.acquire(timeout=_POLL_SECONDS):
                left -= 1
            elif all(job.is_over or job.is_late for job in self._jobs):
                break
        if left:
            _hanging_threads.extend(thread for thread in self._threads if thread.is_alive())


def _report(checks: Sequence[_Check]) -> Report:
    new: list[Found] = []
    existing: list[Found] = []
    fixed: list[Found] = []
    not_run: list[NotRun] = []
    for check in checks:
        job, subject = check.after, check.subject
        validator, issues = job.file_check.validator, job.issues
        name = validator.name
        if issues is None:
            not_run.append(NotRun(subject.name, name, job.reason, job.file_check.required, job.setting))
            continue
        known = None if check.before is None else check.before.issues  # not known: all of them count as new
        codes, first = getattr(validator, "syntax_codes", ()), bool(getattr(validator, "first_only", False))
        comparison = compare(subject.before, subject.after, known or (), issues, codes, first_only=first)
        blind = [issue.line for issue in comparison.existing if issue.code in codes]
        if blind and not getattr(validator, "sees_all", False):
            reason = f"what was wrong before in line {blind[0]} keeps it from seeing all that follows"
            not_run.append(NotRun(subject.name, name, reason))
        new += _findings(subject.name, name, comparison.new, subject.after)
        existing += _findings(subject.name, name, comparison.existing, subject.after)
        fixed += _findings(subject.name, name, comparison.fixed, subject.before or "")
    return Report(tuple(new), tuple(existing), tuple(fixed), tuple(not_run))


def _findings(path: str, validator: str, issues: Sequence[Issue], text: str) -> list[Found]:
    lines = text.split("\n") if issues else []
    return [Found(path, validator, issue, _line(lines, issue.line)) for issue in issues]


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number - 1].strip()[:_MAX_SOURCE] if number <= len(lines) else ""
