"""The checks of everything that a call is about to write, side by side and within a time.

Checks in other processes, and those of plugins, run in threads of their own; the others run meanwhile. A check that
is not over in time is told as not run, as is one that crashed: never as passed.
"""

from __future__ import annotations

from itertools import islice
from time import monotonic

from suture.check.issue import Issue, NotRunError, compared, first_only, sees_all, syntax_codes
from suture.origins import importing_outside
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from threading import Thread
    from typing import Protocol, TypeVar

    T = TypeVar("T")

    from suture.check.issue import Staging
    from suture.check.registry import Chosen
else:
    Protocol = object

_WORKERS = 4
_LATE = 0.5  # seconds that a program is given to be ended in
_TICK = 0.05
_SHOWN = 200
_OWN = "suture.check."
_LONGEST = 500
_LONGEST_CODE = 100
_LAST = 1 << 31
"""No line and no column is beyond it."""
_MOST_ISSUES = 20_000
_MOST_LEFT = 16
_left: list[Thread] = []
"""Threads in which the check of a plugin did not end."""
_OVER = "the time for all checks of a call was over (validate_call_ms)"


class Stage(Protocol):
    """A text that can be staged."""

    def within(self, seconds: float) -> Staging:
        """It, for a check that may take so long."""


class Subject(Record):
    """A file that is going to change: its text before (None: there is none) and after, each with its stage."""

    name: str
    """What results call it."""
    path: str
    before: str | None
    after: str
    stage_before: Stage
    stage_after: Stage
    chosen: tuple[Chosen, ...]
    roots: tuple[str, ...] = ()
    """The folders that tools can edit: nothing in them is imported."""


class Found(Record):
    """A problem, where it is, and who found it."""

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
    """The setting that makes it possible, where one does."""


class Report(Record):
    """What came of all checks."""

    new: tuple[Found, ...] = ()
    existing: tuple[Found, ...] = ()
    fixed: tuple[Found, ...] = ()
    not_run: tuple[NotRun, ...] = ()

    def with_more(self, other: Report, most: int) -> Report:
        """Both together; of each kind, so many at most, and first those that decide."""
        return Report(
            _first((*self.new, *other.new), most, _is_error),
            _first((*self.existing, *other.existing), most, _is_error),
            _first((*self.fixed, *other.fixed), most, _is_error),
            _first((*self.not_run, *other.not_run), most, lambda each: each.required),
        )

    def errors(self, *, every: bool = False) -> list[Found]:
        """The errors that count: those that are new, or every one."""
        found = (*self.new, *self.existing) if every else self.new
        return [each for each in found if _is_error(each)]

    def passed(self, *, every: bool = False) -> bool:
        """Whether all was checked, and nothing found that counts."""
        return not self.errors(every=every) and not self.not_run

    def blocks(self, *, every: bool = False) -> bool:
        """Whether a strict caller must be refused."""
        return bool(self.errors(every=every)) or any(each.required for each in self.not_run)


def _is_error(found: Found) -> bool:
    return found.issue.severity == "error"


def _first(found: tuple[T, ...], most: int, decides: Callable[[T], bool]) -> tuple[T, ...]:
    if len(found) <= most:
        return found
    return tuple(sorted(found, key=lambda each: not decides(each))[:most])


class _Job:
    """One check of one text: what it found, or why it found nothing."""

    def __init__(self, chosen: Chosen, subject: Subject, before: str | None, after: str, stage: Stage) -> None:
        self.chosen = chosen
        self.issues: list[Issue] | None = None
        self.reason, self.setting = _OVER, ""
        self.is_over = False
        self._path = subject.path
        self._roots = subject.roots
        self._before = before
        self._after = after
        self._stage = stage
        self._ends: float | None = None

    @property
    def is_own(self) -> bool:
        """Whether it runs in this process and ends by itself, soon."""
        return self._is_built_in and not self._is_external and not self.is_apart

    @property
    def is_apart(self) -> bool:
        """Whether it is a built-in parser that must be possible to end: the text may be too much for it."""
        tame = getattr(self.chosen.validator, "tame", None) if self._is_built_in else None
        return tame is not None and len(self._after) > tame

    @property
    def is_plugin(self) -> bool:
        """Whether it may run on and on in this process."""
        return not self._is_built_in

    @property
    def _is_built_in(self) -> bool:
        return type(self.chosen.validator).__module__.startswith(_OWN)

    @property
    def _is_external(self) -> bool:
        return bool(getattr(type(self.chosen.validator), "external", False))

    @property
    def is_late(self) -> bool:
        """Whether it should have been over by now."""
        return self._ends is not None and monotonic() > self._ends + _LATE

    def run(self, ends: float) -> None:
        """Carry it out, in the time that is left."""
        seconds = min(self.chosen.timeout_ms / 1000, ends - monotonic())
        if seconds <= 0:
            return
        self._ends = monotonic() + seconds
        self.reason = f"it took longer than {seconds:.1f} s"
        try:
            with importing_outside(self.chosen.held):
                found = list(islice(self._found(seconds), _MOST_ISSUES + 1))
            if len(found) > _MOST_ISSUES:  # what is beyond may be what counts
                raise NotRunError(f"it found more than {_MOST_ISSUES:,} problems")  # noqa: TRY301  as told below
            self.issues = [self._as_ruled(each) for each in found]
        except NotRunError as error:
            self.reason, self.setting = str(error)[:_LONGEST], error.setting
        except Exception as error:  # noqa: BLE001  a plugin may fail in any way, and must not take the edit with it
            self.reason = f"it crashed: {type(error).__name__}: {error}"[:_LONGEST]

    def _found(self, seconds: float) -> Iterable[Issue]:
        validator = self.chosen.validator
        if self.is_apart:
            from suture.check.worker import check  # many calls need no other process

            return check(validator.name, self._path, self._before, self._after, seconds, self._roots)
        return validator.check(self._path, self._before, self._after, self._stage.within(seconds))

    def _as_ruled(self, issue: Issue) -> Issue:
        if issue.severity not in {"error", "warning"}:
            message = f"{issue.severity} is no severity; there are error and warning"
            raise ValueError(message)
        severity = self.chosen.severity or issue.severity
        line, column = (min(max(int(each), 1), _LAST) for each in (issue.line, issue.column))
        message = " ".join(str(issue.message)[: 2 * _LONGEST].split())[:_LONGEST]
        return Issue(severity, line, column, str(issue.code)[:_LONGEST_CODE], message)


class _Check(Record):
    """A check of a file, before and after."""

    subject: Subject
    after: _Job
    before: _Job | None


def checked(subjects: Sequence[Subject], seconds: float) -> Report:
    """Check all texts, each before and after the edit."""
    ends = monotonic() + seconds
    checks = [_check(subject, chosen) for subject in subjects for chosen in subject.chosen]
    jobs = dict.fromkeys(job for each in checks for job in (each.after, each.before) if job is not None)
    _run(list(jobs), ends)
    return _report(checks)


def _check(subject: Subject, chosen: Chosen) -> _Check:
    before = subject.before
    after = _Job(chosen, subject, before, subject.after, subject.stage_after)
    if before is None:
        return _Check(subject, after, None)
    if before == subject.after:
        return _Check(subject, after, after)
    return _Check(subject, after, _Job(chosen, subject, None, before, subject.stage_before))


def _run(jobs: Sequence[_Job], ends: float) -> None:
    """Carry all of them out, those of other programs beside the built-in ones."""
    others = [job for job in jobs if not job.is_own]
    started = _Started(others, ends) if others else None
    for job in jobs:
        if job.is_own:
            job.run(ends)
    if started is not None:
        started.wait()


class _Started:
    """Jobs that run in threads of their own."""

    def __init__(self, jobs: Sequence[_Job], ends: float) -> None:
        from threading import Semaphore, Thread  # most checks need no thread

        _left[:] = [each for each in _left if each.is_alive()]
        if len(_left) >= _MOST_LEFT:
            for job in jobs:
                if job.is_plugin:
                    job.reason = f"{len(_left)} earlier plugin checks are still running in this process"
            jobs = [job for job in jobs if not job.is_plugin]
        self._jobs = jobs
        self._ends = ends
        self._waiting = list(jobs)[::-1]
        self._done = Semaphore(0)
        self._threads = [Thread(target=self._work, daemon=True) for _ in range(min(_WORKERS, len(jobs)))]
        for each in self._threads:
            each.start()

    def _work(self) -> None:
        while True:
            try:
                job = self._waiting.pop()
            except IndexError:
                return
            job.run(self._ends)
            job.is_over = True
            self._done.release()

    def wait(self) -> None:
        """Return when all are over, or late: one that hangs is left to itself."""
        left = len(self._jobs)
        while left and monotonic() < self._ends + _LATE:
            if self._done.acquire(timeout=_TICK):
                left -= 1
            elif all(job.is_over or job.is_late for job in self._jobs):
                break
        if left:
            _left.extend(each for each in self._threads if each.is_alive())


def _report(checks: Sequence[_Check]) -> Report:
    new: list[Found] = []
    existing: list[Found] = []
    fixed: list[Found] = []
    not_run: list[NotRun] = []
    for each in checks:
        chosen, subject = each.after.chosen, each.subject
        name, found = chosen.validator.name, each.after.issues
        if found is None:
            why = each.after
            not_run.append(NotRun(subject.name, name, why.reason, chosen.required, why.setting))
            continue
        known = None if each.before is None else each.before.issues  # not known: all of them count as new
        codes, first = syntax_codes(chosen.validator), first_only(chosen.validator)
        told = compared(subject.before, subject.after, known or (), found, codes, first_only=first)
        blind = [issue.line for issue in told.existing if issue.code in codes]
        if blind and not sees_all(chosen.validator):
            reason = f"what was wrong before in line {blind[0]} keeps it from seeing all that follows"
            not_run.append(NotRun(subject.name, name, reason))
        new += _found(subject.name, name, told.new, subject.after)
        existing += _found(subject.name, name, told.existing, subject.after)
        fixed += _found(subject.name, name, told.fixed, subject.before or "")
    return Report(tuple(new), tuple(existing), tuple(fixed), tuple(not_run))


def _found(path: str, validator: str, issues: Sequence[Issue], text: str) -> list[Found]:
    lines = text.split("\n") if issues else []
    return [Found(path, validator, each, _line(lines, each.line)) for each in issues]


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number - 1].strip()[:_SHOWN] if number <= len(lines) else ""
