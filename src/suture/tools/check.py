"""The tool `check`, and the gate that every edit passes.

Files are checked in batches, so that the time that a call's checks may take (`validate_call_ms`) bounds each of them,
and not a whole folder; and so that only a batch is in memory. How many files, how long, and how many problems are
listed has bounds of its own: files that they leave out are counted, and told as a check that is required and was not
carried out.
"""

from __future__ import annotations

import os
from time import monotonic

from suture.check.gate import NotRun, Report, Subject, run_checks
from suture.check.issue import NotRunError
from suture.check.registry import Configuration, Table, merge_configurations, parse
from suture.errors import FileNotFound, InputTooLarge, NotAFile, PermissionDenied, SutureError, ValidationFailed
from suture.files.paths import display_path
from suture.files.staging import Layout
from suture.origins import is_outside
from suture.plan import Create, Delete, Rename, Update
from suture.records import Record
from suture.settings import operator_file
from suture.text import Text
from suture.tools import outcome, results
from suture.tools.paths import visit_paths
from suture.tools.spec import Answer, Proposal, Request, ToolSpec, exclude, include_ignored, paths
from suture.wording.edits import validation_lines
from suture.wording.phrases import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from suture.audience import Audience
    from suture.check.gate import Found
    from suture.engine.session import Session
    from suture.files.staging import Staged
    from suture.plan import Change, Content, FileChange, Place, Snapshot


PROJECT_FILES = ("suture.toml", "pyproject.toml")
_MOST_TOLD = 500
_MOST_KEPT = 10_000
_MOST_BYTES = 16_000_000
"""Size of the files whose texts are in memory at a time."""
_LARGEST_CONFIGURATION = 200_000


class _Written(Record):
    """A file that a plan would leave."""

    place: Place
    before: Snapshot | None
    after: Content
    text: Text | None = None
    """What it will say, where somebody has read it already."""

    @property
    def texts(self) -> tuple[Text | None, Text]:
        """What it says before and after; the encoding of a file does not change."""
        if self.before is None:
            return None, self.text or Text.decode(self.after.bytes())
        before = self.before.text
        named = None if before.bom or before.body_is_raw else before.encoding
        return before, Text.decode(self.after.bytes(), named)


def report(session: Session, changes: Sequence[FileChange]) -> Report:
    """Check the files that changes would leave."""
    return _report(session, changes, list(_written(changes)))


def state(session: Session, files: Iterable[Snapshot]) -> Report:
    """Check files as they are: all that is found is new."""
    return _report(session, (), [_Written(each.place, None, each.content, each.text) for each in files])


def _report(session: Session, changes: Sequence[FileChange], written: Sequence[_Written]) -> Report:
    if not written:
        return Report()
    known = table(session)
    stages = _Stages(session, changes, written)
    ends = monotonic() + session.settings.validate_call_ms / 1000
    found = Report()
    try:
        for batch in _batches(written):
            subjects = [_subject(session, each, known, stages) for each in batch]
            more = run_checks([each for each in subjects if isinstance(each, Subject)], ends - monotonic())
            too_large = [one for several in subjects if isinstance(several, tuple) for one in several]
            found = found.with_more(more.but(not_run=(*too_large, *more.not_run)), _MOST_KEPT)
    finally:
        stages.remove()
    return found


def _batches(written: Sequence[_Written]) -> Iterator[list[_Written]]:
    batch: list[_Written] = []
    size = 0
    for each in written:
        size += each.after.size + (0 if each.before is None else each.before.content.size)
        if batch and size > _MOST_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(each)
    yield batch


def gated(session: Session, proposal: Proposal, level: str) -> Proposal:
    """A tool's proposal with what checks find in it: added to what it tells, or reason enough to refuse."""
    changes = proposal.plan.changes
    differing = [each for each in changes if not (isinstance(each, Update) and each.same_content)]
    found = report(session, differing)
    every = level == "all"
    told = validation(found, session.audience, every=every).data()
    if level != "warn" and found.blocks(every=every):
        names = list(dict.fromkeys(each.place.name for each in changes))
        blocks = proposal.describe(None).data.get("blocks", ())
        failed = [f"Block {each['id']} failed: {each['error']['message']}" for each in blocks if each["error"]]
        raise ValidationFailed(files=names, validation=told, diff=outcome.plan_diff(changes), failed=failed)

    def describe(change: Change | None) -> Answer:
        answer = proposal.describe(change)
        silent = answer.verbatim or not differing or session.audience.prints_data
        words = answer.text if silent else "\n".join([answer.text, "", *validation_lines(told)])
        return answer.but(text=words, data={**answer.data, "validation": told})

    return Proposal(proposal.plan, describe, checked=True)


def _written(changes: Iterable[FileChange]) -> Iterator[_Written]:
    for change in changes:
        match change:
            case Create(place=place, after=after):
                yield _Written(place, None, after)
            case Update(place=place, before=before, after=after):
                yield _Written(place, before, after)
            case Rename(before=before, to=place, after=moved):
                same_type = os.path.splitext(place.path)[1] == os.path.splitext(change.place.path)[1]
                yield _Written(place, before if same_type else None, moved or before.content)


class _Stages:
    """The files of a plan, laid out as they are and as they are going to be, below each root."""

    def __init__(self, session: Session, changes: Iterable[FileChange], written: Sequence[_Written]) -> None:
        files: dict[tuple[int, bool], dict[str, Callable[[], bytes] | None]] = {}
        for change in changes:
            if isinstance(change, Delete | Rename):
                files.setdefault((change.place.root, True), {})[change.place.path] = None
        for each in written:
            files.setdefault((each.place.root, True), {})[each.place.path] = each.after.bytes
            old = None if each.before is None else each.before.content.bytes
            files.setdefault((each.place.root, False), {})[each.place.path] = old
        self._layouts = {key: Layout(session.trees[key[0]].root, found) for key, found in files.items()}

    def at(self, place: Place, *, after: bool) -> Staged:
        """One file, as it is or as it is going to be."""
        return self._layouts[place.root, after].stage(place.path)

    def remove(self) -> None:
        """Take away what was laid out."""
        for layout in self._layouts.values():
            layout.remove()


def _subject(session: Session, each: _Written, known: Table, stages: _Stages) -> Subject | tuple[NotRun, ...]:
    """What is checked, or what is not because the file is too large."""
    chosen = tuple(known.chosen(each.place.path))
    name, limit = each.place.name, session.settings.validate_max_bytes
    old = 0 if each.before is None else each.before.content.size
    if max(each.after.size, old) > limit:
        reason = f"the file is larger than {limit:,} bytes (validate_max_bytes)"
        return tuple(NotRun(name, one.validator.name, reason, one.required) for one in chosen)
    before, after = each.texts
    if after.is_binary() and len(chosen) == 1:  # only what every file gets: it is no text, and need not be
        return ()
    said = None if before is None or before.is_binary() else _decoded(before)
    here = stages.at(each.place, after=False), stages.at(each.place, after=True)
    roots = tuple(tree.root for tree in session.trees)
    return Subject(name, each.place.path, said, _decoded(after), *here, chosen, roots)


def _decoded(text: Text) -> str:
    return text.body.decode("utf-8", "replace")


def table(session: Session) -> Table:
    """The checks of the workspace; read anew when a configuration changed."""
    home = session.trees[0]
    operator = operator_file(session.settings.config)
    stamps = [None if (found := home.stat(name)) is None else found.fingerprint for name in PROJECT_FILES]
    key = (operator, _stamp(operator), *stamps)
    kept = session.remembered.get("checks")
    if isinstance(kept, tuple) and kept[0] == key:
        found_before: Table = kept[1]
        return found_before
    project = [
        project_configuration(session, name)
        for name, stamp in zip(PROJECT_FILES, stamps, strict=True)
        if stamp is not None
    ]
    said = next((each for each in project if each is not None), Configuration())
    roots = [tree.root for tree in session.trees]
    own = operator_configuration(operator, roots, named=session.settings.config is not None)
    allowed = session.settings.project_commands
    trusted = {os.path.realpath(each) for each in own.trust}
    untrusted = [] if allowed else [root for root in roots if os.path.realpath(root) not in trusted]
    commands = home.root not in untrusted
    made = Table(merge_configurations(said, own), roots, commands=commands, untrusted=untrusted, guard=session.guard)
    session.remembered["checks"] = (key, made)
    return made


def project_configuration(session: Session, name: str) -> Configuration | None:
    """What a file of the project says about checks; None if it says nothing."""
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
        found = os.stat(file)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def operator_configuration(file: str, roots: Sequence[str], *, named: bool) -> Configuration:
    """What the operator has configured for these roots."""
    if not file:
        return Configuration()
    if os.path.lexists(file) and not is_outside(file, roots):  # before it is opened: it might be a pipe
        reason = f"{file} is in the workspace, where an agent can change it, and is not used"
        return Configuration(problems=(reason,))
    try:
        with open(file, "rb") as opened:
            raw = opened.read()
    except FileNotFoundError as error:
        return Configuration(problems=(f"{file} cannot be read: {error.strerror}",)) if named else Configuration()
    except (OSError, ValueError) as error:
        return Configuration(problems=(f"{file} cannot be read: {error}",))
    found = _read(raw, file, (), by_project=False)
    return found or Configuration()


def _read(raw: bytes, where: str, inner: Sequence[str], *, by_project: bool) -> Configuration | None:
    from suture.check.toml import load  # only where there is a configuration

    if len(raw) > _LARGEST_CONFIGURATION:
        return Configuration(problems=(f"{where} is larger than {_LARGEST_CONFIGURATION:,} bytes",))
    try:
        said: Any = load(where, raw.decode("utf-8-sig"))
    except (ValueError, NotRunError) as error:
        return Configuration(problems=(f"{where} is not TOML: {error}",))
    for key in inner:
        said = said.get(key) if isinstance(said, dict) else None
    if said is None:
        return None
    if not isinstance(said, dict):
        return Configuration(problems=(f"{where}: {'.'.join(inner)} must be a table",))
    return parse(said, where, by_project=by_project)


def validation(found: Report, audience: Audience, *, every: bool = False) -> results.Validation:
    """A report as results tell it, for an audience. With `every`, errors that were there before count as well."""
    return results.Validation(
        passed=found.passed(every=every),
        new=[_issue(each) for each in found.new[:_MOST_TOLD]],
        existing=[_issue(each) for each in found.existing[:_MOST_TOLD]],
        fixed=[_issue(each) for each in found.fixed[:_MOST_TOLD]],
        not_run=[_not_run(each, audience) for each in found.not_run[:_MOST_TOLD]],
    )


def _issue(found: Found) -> results.Issue:
    issue = found.issue
    return results.Issue(
        path=found.path,
        line=issue.line,
        column=issue.column,
        severity=issue.severity,
        code=issue.code,
        message=issue.message,
        validator=found.validator,
        source=found.source,
    )


def _not_run(found: NotRun, audience: Audience) -> results.NotRun:
    reason = f"{found.reason} ({audience.setting(found.setting)})" if found.setting else found.reason
    return results.NotRun(path=found.path, validator=found.validator, reason=reason, required=found.required)


_MOST_FILES = 50
_MOST_CHECKED_BYTES = 20_000_000


class Check(Request):
    """Arguments of `check`."""

    paths: list[str] = paths()
    exclude: list[str] = exclude()
    include_ignored: bool = include_ignored()
    encoding = None  # as a request for named files has it; checks take files as they say they are


def check(session: Session, request: Check) -> Answer:
    """The problems of what the arguments name, sorted by place, and what could not be checked."""
    checking, binary = _Checking(session), list[str]()

    def named(path: str) -> None:
        found = session.read(path)
        if found.place.name not in checking.seen and not checking.add(found):
            binary.append(found.place.name)

    def meant(glob: str, exclude: list[str]) -> None:
        root, runs = session.runs(glob, exclude, include_ignored=request.include_ignored)
        for folder, prefix, names in runs:
            for name in names:
                checking.look_at(root, folder, prefix, name)
            if checking.is_stopped:
                return

    for _ in visit_paths(session, request, named, meant):
        pass
    checking.finish()
    return Answer("", checking.data() | ({"binary": binary} if binary else {}), verbatim=True)


class _Checking:
    """One call's files, a batch of them at a time, and what was found so far."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._batch: list[Snapshot] = []
        self._size = 0
        self._issues: list[results.Issue] = []
        self._not_run: list[results.NotRun] = []
        self._unlisted = {"issues": 0, "not_run": 0}
        self._numbers = {"error": 0, "warning": 0}
        self._unchecked = 0
        """How many files were not checked by all."""
        self._markers_only = 0
        """Of how many files nothing is known but that no conflict was left in them."""
        self._ends = monotonic() + session.settings.check_call_ms / 1000
        self._left_out: tuple[str, str, str] | None = None
        """The first file that was left out, why, and the setting that says so."""
        self._more = 0
        """How many others were."""
        self.seen: set[str] = set()
        """The names of all files so far."""

    @property
    def is_late(self) -> bool:
        """Whether the time is over."""
        return monotonic() > self._ends

    @property
    def is_stopped(self) -> bool:
        """Whether the time is over, and a file was left out for that: others are not even counted."""
        return self._left_out is not None and self.is_late

    def look_at(self, root: int, folder: int, prefix: str, name: str) -> None:
        """Add a file that a walk came to; one that is gone is passed over, one that cannot be read is told."""
        trees, path = self._session.trees, prefix + name
        known = display_path(trees, root, path)
        if known in self.seen or self._leaves_out(known):
            return
        try:
            self._add(self._session.read(known))
        except (FileNotFound, NotAFile):
            return
        except InputTooLarge as error:
            start = bytearray(self._session.settings.binary_window)
            if 0 not in start[: trees[root].fs.fill(folder, name, start)]:
                self._refuse(known, path, error)
        except PermissionDenied as error:
            self._refuse(known, path, error)

    def add(self, file: Snapshot) -> bool:
        """Check a file, now or with those that follow; False if it is binary, and there is nothing to check."""
        return self._leaves_out(file.place.name) or self._add(file)

    def _add(self, file: Snapshot) -> bool:
        if file.text.is_binary(self._session.settings.binary_window):
            return False
        self.seen.add(file.place.name)
        self._markers_only += len(table(self._session).chosen(file.place.path)) == 1
        self._batch.append(file)
        self._size += file.content.size
        if len(self._batch) >= _MOST_FILES or self._size >= _MOST_CHECKED_BYTES:
            self.finish()
        return True

    def _leaves_out(self, name: str) -> bool:
        """Whether there were enough files, or the time is over; counts the files that this is so for."""
        most, is_late = self._session.settings.check_max_files, self.is_late
        if len(self.seen) < most and not is_late:
            return False
        if self._left_out is None:
            limit = f"the limit is {count(most, 'file')}", "check_max_files"
            self._left_out = name, *(("time ran out", "check_call_ms") if is_late else limit)
        else:
            self._more += 1
        return True

    def _refuse(self, name: str, path: str, error: SutureError) -> None:
        """Tell that none of its checks is carried out on a file."""
        self.seen.add(name)
        is_large = isinstance(error, InputTooLarge)
        reason, setting = ("the file is too large", "max_file_bytes") if is_large else ("the file may not be read", "")
        chosen = table(self._session).chosen(path)
        rows = [NotRun(name, one.validator.name, reason, one.required, setting) for one in chosen]
        self._take(Report(not_run=tuple(rows)))

    def finish(self) -> None:
        """Check what is left."""
        if self._batch:
            self._take(state(self._session, self._batch))
        self._batch, self._size = [], 0

    def _take(self, found: Report) -> None:
        """Count what was found, and keep as much of it as is listed."""
        most = self._session.settings.check_max_issues
        for each in found.new:
            self._numbers[each.issue.severity] += 1
            if len(self._issues) < most:
                self._issues.append(_issue(each))
            else:
                self._unlisted["issues"] += 1
        self._unchecked += len({each.path for each in found.not_run})
        for one in found.not_run:
            if len(self._not_run) < most or one.required:
                self._not_run.append(_not_run(one, self._session.audience))
            else:
                self._unlisted["not_run"] += 1
        if len(self._not_run) > most:  # those that are required fail the command, and one is enough for that
            self._unlisted["not_run"] += len(self._not_run) - most
            self._not_run = sorted(self._not_run, key=lambda one: not one.required)[:most]

    def data(self) -> dict[str, Any]:
        """All of it, as data."""
        issues = sorted(self._issues, key=lambda issue: (issue.path, issue.line, issue.column))
        not_run = sorted(self._not_run, key=lambda one: (one.path, one.validator))
        left_out = 0
        if self._left_out is not None:
            name, why, setting = self._left_out
            left_out = 1 + self._more
            others = f", and {count(self._more, 'more file')} with it" if self._more else ""
            others = ", and all files after it" if self.is_stopped else others
            row = NotRun(name, "check", f"it was left out{others}: {why}", required=True, setting=setting)
            not_run.append(_not_run(row, self._session.audience))
        return {
            "files": len(self.seen),
            "markers_only": self._markers_only,
            "left_out": left_out,
            "stopped": self.is_stopped,
            "errors": self._numbers["error"],
            "warnings": self._numbers["warning"],
            "unchecked": self._unchecked,
            "issues": [issue.data() for issue in issues],
            "not_run": [one.data() for one in not_run],
            "unlisted": self._unlisted,
        }


CHECK = ToolSpec(
    name="check",
    title="Check",
    description="The problems of files, folders and globs as they are.",
    request=Check,
    examples=(),
    read=check,
    own_clock=True,
)
