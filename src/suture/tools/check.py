"""The tool `check`, and the gate that every edit passes.

Files are checked in batches, so that the time limit for a call's checks (`validate_call_ms`) applies to a batch and not
to a whole folder, and so that only a batch is in memory. `check` has its own limits for the number of files, the time
and the problems listed: files beyond them are counted, and reported as a required check that did not run.
"""

from __future__ import annotations

import os
from time import monotonic

from suture.check.gate import NotRun, Report, Subject, run_checks
from suture.check.issue import NotRunError
from suture.check.registry import Configuration, Registry, merge_configurations, parse
from suture.errors import FileNotFound, InputTooLarge, NotAFile, PermissionDenied, SutureError, ValidationFailed
from suture.files.local_fs import Layout
from suture.files.paths import display_path
from suture.origins import is_outside
from suture.plan import Create, Delete, Rename, Update
from suture.records import Record
from suture.settings import operator_file
from suture.text import Text
from suture.tools import results, spec
from suture.tools.read import visit_paths
from suture.tools.spec import Answer, Proposal, Request, ToolSpec
from suture.wording import count, validation_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from suture.audience import Audience
    from suture.check.gate import Found
    from suture.engine.session import Session
    from suture.errors import Findings, FoundIssue, SkippedCheck
    from suture.files.local_fs import Staged
    from suture.plan import Change, Content, FileChange, Place, Snapshot


PROJECT_FILES = ("suture.toml", "pyproject.toml")
_MOST_LISTED = 500  # issues of a kind in one answer
_MOST_KEPT = 10_000  # issues of a kind in memory, from all batches
_LARGEST_BATCH = 16_000_000  # bytes of the files whose texts are in memory at a time
_LARGEST_CONFIGURATION = 200_000  # bytes
_MOST_WAITING = 50  # files that `check` collects before it checks them
_MOST_WAITING_BYTES = 20_000_000  # of those files


class _WrittenFile(Record):
    """A file as a plan would write it."""

    place: Place
    before: Snapshot | None
    after: Content
    text: Text | None = None
    """Its new text, if already decoded."""

    @property
    def texts(self) -> tuple[Text | None, Text]:
        """Its text before and after; a file's encoding does not change."""
        if self.before is None:
            return None, self.text or Text.decode(self.after.bytes())
        before = self.before.text
        named = None if before.bom or before.body_is_raw else before.encoding
        return before, Text.decode(self.after.bytes(), named)


def report(session: Session, changes: Sequence[FileChange]) -> Report:
    """Check the files that changes would write."""
    return _report(session, changes, list(_written_files(changes)))


def report_files(session: Session, files: Iterable[Snapshot]) -> Report:
    """Check files as they are: every problem counts as new."""
    return _report(session, (), [_WrittenFile(file.place, None, file.content, file.text) for file in files])


def _report(session: Session, changes: Sequence[FileChange], written: Sequence[_WrittenFile]) -> Report:
    if not written:
        return Report()
    validators = table(session)
    stages = _Stages(session, changes, written)
    ends = monotonic() + session.settings.validate_call_ms / 1000
    report = Report()
    try:
        for batch in _batches(written):
            subjects = [_subject(session, item, validators, stages) for item in batch]
            more = run_checks([item for item in subjects if isinstance(item, Subject)], ends - monotonic())
            too_large = [skipped for skips in subjects if isinstance(skips, tuple) for skipped in skips]
            report = report.with_more(more.evolve(not_run=(*too_large, *more.not_run)), _MOST_KEPT)
    finally:
        stages.remove()
    return report


def _batches(written: Sequence[_WrittenFile]) -> Iterator[list[_WrittenFile]]:
    batch: list[_WrittenFile] = []
    size = 0
    for file in written:
        size += file.after.size + (0 if file.before is None else file.before.content.size)
        if batch and size > _LARGEST_BATCH:
            yield batch
            batch, size = [], 0
        batch.append(file)
    yield batch


def gate_proposal(session: Session, proposal: Proposal, level: str) -> Proposal:
    """A tool's proposal with the findings of checks: added to its answer, or raised as a refusal."""
    changes = proposal.plan.changes
    differing = [change for change in changes if not (isinstance(change, Update) and change.same_content)]
    findings = report(session, differing)
    every = level == "all"
    data = validation(findings, session.audience, every=every)
    if level != "warn" and findings.blocks(every=every):
        names = list(dict.fromkeys(change.place.name for change in changes))
        diff = results.plan_diff(changes)
        raise ValidationFailed(files=names, validation=data, diff=diff, failed=[*proposal.failed])

    def describe(change: Change | None) -> Answer:
        answer = proposal.describe(change)
        silent = answer.verbatim or not differing or session.audience.prints_data
        words = answer.text if silent else "\n".join([answer.text, "", *validation_lines(data)])
        return answer.evolve(text=words, data={**answer.data, "validation": data})

    return Proposal(proposal.plan, describe, checked=True)


def _written_files(changes: Iterable[FileChange]) -> Iterator[_WrittenFile]:
    for change in changes:
        match change:
            case Create(place=place, after=after):
                yield _WrittenFile(place, None, after)
            case Update(place=place, before=before, after=after):
                yield _WrittenFile(place, before, after)
            case Rename(before=before, to=place, after=moved):
                same_type = os.path.splitext(place.path)[1] == os.path.splitext(change.place.path)[1]
                yield _WrittenFile(place, before if same_type else None, moved or before.content)


class _Stages:
    """The files of a plan, laid out below each root as they are before and after it."""

    def __init__(self, session: Session, changes: Iterable[FileChange], written: Sequence[_WrittenFile]) -> None:
        files: dict[tuple[int, bool], dict[str, Callable[[], bytes] | None]] = {}
        for change in changes:
            if isinstance(change, Delete | Rename):
                files.setdefault((change.place.root, True), {})[change.place.path] = None
        for file in written:
            files.setdefault((file.place.root, True), {})[file.place.path] = file.after.bytes
            old = None if file.before is None else file.before.content.bytes
            files.setdefault((file.place.root, False), {})[file.place.path] = old
        self._layouts = {key: Layout(session.trees[key[0]].root, contents) for key, contents in files.items()}

    def at(self, place: Place, *, after: bool) -> Staged:
        """A file before or after the plan."""
        return self._layouts[place.root, after].stage(place.path)

    def remove(self) -> None:
        """Remove the layouts."""
        for layout in self._layouts.values():
            layout.remove()


def _subject(
    session: Session, file: _WrittenFile, validators: Registry, stages: _Stages
) -> Subject | tuple[NotRun, ...]:
    """What to check, or the checks that do not run because the file is too large."""
    chosen = tuple(validators.checks_for(file.place.path))
    name, limit = file.place.name, session.settings.validate_max_bytes
    old = 0 if file.before is None else file.before.content.size
    if max(file.after.size, old) > limit:
        reason = f"the file is larger than {limit:,} byte{'s' * (limit != 1)} (validate_max_bytes)"
        return tuple(NotRun(name, check.validator.name, reason, check.required) for check in chosen)
    before, after = file.texts
    if after.is_binary() and len(chosen) == 1:  # only the check that every file gets: the file need not be text
        return ()
    old_text = None if before is None or before.is_binary() else _decode(before)
    staged = stages.at(file.place, after=False), stages.at(file.place, after=True)
    roots = tuple(tree.root for tree in session.trees)
    return Subject(name, file.place.path, old_text, _decode(after), *staged, chosen, roots)


def _decode(text: Text) -> str:
    return text.body.decode("utf-8", "replace")


def table(session: Session) -> Registry:
    """The checks of the workspace, cached until a configuration file changes."""
    home = session.trees[0]
    operator = operator_file(session.settings.config)
    stamps = [None if (status := home.stat(name)) is None else status.fingerprint for name in PROJECT_FILES]
    key = (operator, _stamp(operator), *stamps)
    cached = session.remembered.get("checks")
    if isinstance(cached, tuple) and cached[0] == key:
        cached_table: Registry = cached[1]
        return cached_table
    project = [
        project_configuration(session, name)
        for name, stamp in zip(PROJECT_FILES, stamps, strict=True)
        if stamp is not None
    ]
    of_project = next((item for item in project if item is not None), Configuration())
    roots = [tree.root for tree in session.trees]
    own = operator_configuration(operator, roots, named=session.settings.config is not None)
    allowed = session.settings.project_commands
    trusted = {os.path.realpath(item) for item in own.trust}
    untrusted = [] if allowed else [root for root in roots if os.path.realpath(root) not in trusted]
    commands = home.root not in untrusted
    validators = Registry(
        merge_configurations(of_project, own), roots, commands=commands, untrusted=untrusted, guard=session.guard
    )
    session.remembered["checks"] = (key, validators)
    return validators


def project_configuration(session: Session, name: str) -> Configuration | None:
    """The configuration of checks in a project's file; None if it has none."""
    try:
        raw = session.read(name).content.bytes()
    except SutureError as error:
        return Configuration(problems=(f"{name} cannot be read ({error.code})",))
    inner = () if name == PROJECT_FILES[0] else ("tool", "suture")
    if inner and b"suture" not in raw:
        return None
    return _read(raw, name, inner, by_project=True)


def _stamp(file: str) -> tuple[int, ...] | None:
    try:
        status = os.stat(file)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def operator_configuration(file: str, roots: Sequence[str], *, named: bool) -> Configuration:
    """The operator's configuration for these roots."""
    if not file:
        return Configuration()
    if os.path.lexists(file) and not is_outside(file, roots):  # before it is opened: it might be a pipe
        reason = f"{file} is not used: it is in the workspace, where an agent can change it"
        return Configuration(problems=(reason,))
    if os.path.exists(file) and not os.path.isfile(file) and not os.path.isdir(file):  # opening a pipe would block
        return Configuration(problems=(f"{file} cannot be read: it is not a regular file",))
    try:
        with open(file, "rb") as stream:
            raw = stream.read()
    except FileNotFoundError as error:
        return Configuration(problems=(f"{file} cannot be read: {error.strerror}",)) if named else Configuration()
    except (OSError, ValueError) as error:
        return Configuration(problems=(f"{file} cannot be read: {error}",))
    configuration = _read(raw, file, (), by_project=False)
    return configuration or Configuration()


def _read(raw: bytes, where: str, inner: Sequence[str], *, by_project: bool) -> Configuration | None:
    from suture.check.data import load_toml  # only where there is a configuration

    if len(raw) > _LARGEST_CONFIGURATION:
        return Configuration(problems=(f"{where} is larger than {_LARGEST_CONFIGURATION:,} bytes",))
    try:
        data: Any = load_toml(where, raw.decode("utf-8-sig"))
    except (ValueError, NotRunError) as error:
        return Configuration(problems=(f"{where} is not TOML: {error}",))
    for key in inner:
        data = data.get(key) if isinstance(data, dict) else None
    if data is None:
        return None
    if not isinstance(data, dict):
        return Configuration(problems=(f"{where}: {'.'.join(inner)} must be a table",))
    return parse(data, where, by_project=by_project)


def validation(report: Report, audience: Audience, *, every: bool = False) -> Findings:
    """A report as results show it, for an audience. With `every`, existing errors count too."""
    return {
        "passed": report.passed(every=every),
        "new": [_issue(item) for item in report.new[:_MOST_LISTED]],
        "existing": [_issue(item) for item in report.existing[:_MOST_LISTED]],
        "fixed": [_issue(item) for item in report.fixed[:_MOST_LISTED]],
        "not_run": [_not_run(item, audience) for item in report.not_run[:_MOST_LISTED]],
    }


def _issue(item: Found) -> FoundIssue:
    issue = item.issue
    return {
        "path": item.path,
        "line": issue.line,
        "column": issue.column,
        "severity": issue.severity,
        "code": issue.code,
        "message": issue.message,
        "validator": item.validator,
        "source": item.source,
    }


def _not_run(skipped: NotRun, audience: Audience) -> SkippedCheck:
    reason = f"{skipped.reason} ({audience.setting(skipped.setting)})" if skipped.setting else skipped.reason
    path, validator = skipped.path, skipped.validator
    return {"path": path, "validator": validator, "reason": reason, "required": skipped.required}


class Check(Request):
    """Arguments of `check`."""

    paths: list[str] = spec.PATHS
    exclude: list[str] = spec.EXCLUDE
    include_ignored: bool = spec.INCLUDE_IGNORED
    encoding = None  # `visit_paths` reads it; checks detect the encoding


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
    return Answer("", checking.data() | ({"binary": binary} if binary else {}), verbatim=True)


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
        self._markers_only += len(table(self._session).checks_for(file.place.path)) == 1
        self._batch.append(file)
        self._size += file.content.size
        if len(self._batch) >= _MOST_WAITING or self._size >= _MOST_WAITING_BYTES:
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
        chosen = table(self._session).checks_for(path)
        rows = [NotRun(name, check.validator.name, reason, check.required, setting) for check in chosen]
        self._take(Report(not_run=tuple(rows)))

    def finish(self) -> None:
        """Check the last batch."""
        if self._batch:
            self._take(report_files(self._session, self._batch))
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
            self._not_run = sorted(self._not_run, key=lambda skipped: not skipped["required"])[:most]

    def data(self) -> dict[str, Any]:
        """The result as data."""
        issues = sorted(self._issues, key=lambda issue: (issue["path"], issue["line"], issue["column"]))
        not_run = sorted(self._not_run, key=lambda skipped: (skipped["path"], skipped["validator"]))
        left_out = 0
        if self._left_out is not None:
            name, why, setting = self._left_out
            left_out = 1 + self._more
            others = f", with {count(self._more, 'more file')}" if self._more else ""
            others = ", with all files after it" if self.is_stopped else others
            row = NotRun(name, "check", f"it was skipped{others}: {why}", required=True, setting=setting)
            not_run.append(_not_run(row, self._session.audience))
        return {
            "files": len(self.seen),
            "markers_only": self._markers_only,
            "left_out": left_out,
            "stopped": self.is_stopped,
            "errors": self._numbers["error"],
            "warnings": self._numbers["warning"],
            "unchecked": self._unchecked,
            "issues": issues,
            "not_run": not_run,
            "unlisted": self._unlisted,
        }


CHECK = ToolSpec(
    name="check",
    title="Check",
    description="Check files, folders and globs as they are.",
    request=Check,
    examples=(),
    read=check,
    own_clock=True,
)
