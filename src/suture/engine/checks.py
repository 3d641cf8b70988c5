"""The checks of a workspace's files: which ones its configuration chooses, and what they find.

Files are checked in batches, so that only a batch is in memory. The operator's configuration is read from outside the
workspace; the project's own can only choose among what is built in, unless the operator trusts it.
"""

from __future__ import annotations

import os
from time import monotonic

from suture.check.gate import NotRun, Report, Subject, run_checks
from suture.check.issue import NotRunError
from suture.check.registry import Configuration, Registry, merge_configurations, parse_configuration
from suture.errors import SutureError
from suture.files.local_fs import Layout
from suture.origins import is_outside
from suture.plan import Create, Delete, Rename, Update
from suture.records import Record
from suture.settings import operator_file, read_operator_file
from suture.text import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from suture.check.registry import FileCheck
    from suture.engine.session import Session
    from suture.files.local_fs import Staged
    from suture.plan import Content, FileChange, Place, Snapshot


PROJECT_FILES = ("suture.toml", "pyproject.toml")
_MAX_KEPT_ISSUES = 10_000  # issues of a kind in memory, from all batches
_MAX_BATCH_BYTES = 16_000_000  # bytes of the files whose texts are in memory at a time
_MAX_CONFIGURATION_BYTES = 200_000  # bytes


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


def check_changes(session: Session, changes: Sequence[FileChange]) -> Report:
    """Check the files that changes would write."""
    return _check(session, changes, list(_written_files(changes)))


def check_syntax(session: Session, changes: Sequence[FileChange], *, alone: bool) -> Report:
    """Check only the syntax. With `alone`, only of what changes would write, in half the time: all errors are new."""
    written = list(_written_files(changes))
    if alone:
        written = [file.evolve(before=None) for file in written]
    return _check(session, changes, written, only_syntax=True)


def check_files(session: Session, files: Iterable[Snapshot]) -> Report:
    """Check files as they are: every problem counts as new."""
    return _check(session, (), [_WrittenFile(file.place, None, file.content, file.text) for file in files])


def _check(
    session: Session, changes: Sequence[FileChange], written: Sequence[_WrittenFile], *, only_syntax: bool = False
) -> Report:
    if not written:
        return Report()
    validators = registry(session)
    stages = _Stages(session, changes, written)
    ends = monotonic() + session.settings.validate_call_ms / 1000
    report = Report()
    try:
        for batch in _batches(written):
            subjects = [
                _subject(session, file, validators.checks_for(file.place.path, only_syntax=only_syntax), stages)
                for file in batch
            ]
            more = run_checks([subject for subject in subjects if isinstance(subject, Subject)], ends - monotonic())
            too_large = [skipped for skips in subjects if isinstance(skips, tuple) for skipped in skips]
            report = report.with_more(more.evolve(not_run=(*too_large, *more.not_run)), _MAX_KEPT_ISSUES)
    finally:
        stages.remove()
    return report


def _batches(written: Sequence[_WrittenFile]) -> Iterator[list[_WrittenFile]]:
    batch: list[_WrittenFile] = []
    size = 0
    for file in written:
        size += file.after.size + (0 if file.before is None else file.before.content.size)
        if batch and size > _MAX_BATCH_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(file)
    yield batch


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
    session: Session, file: _WrittenFile, checks: Sequence[FileCheck], stages: _Stages
) -> Subject | tuple[NotRun, ...]:
    """What to check, or the checks that do not run because the file is too large."""
    chosen = tuple(checks)
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


def registry(session: Session) -> Registry:
    """The checks of the workspace, cached until a configuration file changes."""
    home, settings = session.trees[0], session.settings
    file = operator_file(settings.config)
    stamps = [None if (status := home.stat(name)) is None else status.fingerprint for name in PROJECT_FILES]
    key = (file, _stamp(file), *stamps)
    cached = session.remembered.get("checks")
    if isinstance(cached, tuple) and cached[0] == key:
        cached_registry: Registry = cached[1]
        return cached_registry
    existing = [name for name, stamp in zip(PROJECT_FILES, stamps, strict=True) if stamp is not None]
    configurations = [project_configuration(session, name) for name in existing]
    project = next((configuration for configuration in configurations if configuration is not None), Configuration())
    roots = [tree.root for tree in session.trees]
    operator = operator_configuration(file, roots, named=settings.config is not None)
    trusted = {os.path.realpath(root) for root in operator.trust}
    untrusted = [root for root in roots if not settings.project_commands and os.path.realpath(root) not in trusted]
    configuration = merge_configurations(project, operator)
    commands = home.root not in untrusted
    validators = Registry(configuration, roots, commands=commands, untrusted=untrusted, guard=session.guard)
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
    try:
        raw = read_operator_file(file)
    except FileNotFoundError as error:
        return Configuration(problems=(f"{file} cannot be read: {error.strerror}",)) if named else Configuration()
    except (OSError, ValueError) as error:
        return Configuration(problems=(f"{file} cannot be read: {error}",))
    configuration = _read(raw, file, (), by_project=False)
    return configuration or Configuration()


def _read(raw: bytes, where: str, inner: Sequence[str], *, by_project: bool) -> Configuration | None:
    from suture.check.data import load_toml  # only where there is a configuration

    if len(raw) > _MAX_CONFIGURATION_BYTES:
        return Configuration(problems=(f"{where} is larger than {_MAX_CONFIGURATION_BYTES:,} bytes",))
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
    return parse_configuration(data, where, by_project=by_project)
