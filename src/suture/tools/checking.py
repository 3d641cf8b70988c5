"""What a plan would write, checked before it is written."""

from __future__ import annotations

import os
from time import monotonic

from suture.errors import SutureError, ValidationFailed
from suture.files.staging import Layout
from suture.origins import is_outside
from suture.plan import Create, Delete, Rename, Update
from suture.records import Record
from suture.safe_wording import checked_lines
from suture.text import Text
from suture.tools import outcome
from suture.tools.spec import Proposal
from suture.validate.configuration import Configuration, merged, parse
from suture.validate.gate import NotRun, Report, Subject, checked
from suture.validate.issue import NotRunError
from suture.validate.table import Table

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from suture.files.staging import Staged
    from suture.plan import Change, Content, FileChange, Place, Snapshot
    from suture.session import Session
    from suture.tools.spec import Answer
    from suture.validate.gate import Found

PROJECT_FILES = ("suture.toml", "pyproject.toml")
_OPERATOR = ("suture", "suture.toml")
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
            more = checked([each for each in subjects if isinstance(each, Subject)], ends - monotonic())
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
    validation = told(found, every=every)
    if level != "warn" and found.blocks(every=every):
        names = list(dict.fromkeys(each.place.name for each in changes))
        blocks = proposal.describe(None).data.get("blocks", ())
        failed = [f"Block {each['id']} failed: {each['error']['message']}" for each in blocks if each["error"]]
        raise ValidationFailed(files=names, validation=validation, diff=outcome.plan_diff(changes), failed=failed)

    def describe(change: Change | None) -> Answer:
        answer = proposal.describe(change)
        silent = answer.verbatim or not differing
        words = answer.text if silent else "\n".join([answer.text, "", *checked_lines(validation)])
        return answer.but(text=words, data={**answer.data, "validation": validation})

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
    made = Table(merged(said, own), roots, commands=commands, untrusted=untrusted, guard=session.guard)
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


def operator_file(named: str | None) -> str:
    """Where the operator's own configuration is, or would be; empty for none."""
    if named is not None:
        return named
    home = os.environ.get("XDG_CONFIG_HOME", "")
    if not os.path.isabs(home):
        home = os.path.join(os.path.expanduser("~"), ".config")
    return os.path.join(home, *_OPERATOR) if os.path.isabs(home) else ""


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
    from suture.validate.toml_check import loaded  # only where there is a configuration

    if len(raw) > _LARGEST_CONFIGURATION:
        return Configuration(problems=(f"{where} is larger than {_LARGEST_CONFIGURATION:,} bytes",))
    try:
        said: Any = loaded(where, raw.decode("utf-8-sig"))
    except (ValueError, NotRunError) as error:
        return Configuration(problems=(f"{where} is not TOML: {error}",))
    for key in inner:
        said = said.get(key) if isinstance(said, dict) else None
    if said is None:
        return None
    if not isinstance(said, dict):
        return Configuration(problems=(f"{where}: {'.'.join(inner)} must be a table",))
    return parse(said, where, by_project=by_project)


def told(found: Report, *, every: bool = False) -> dict[str, Any]:
    """A report as data. With `every`, errors that were there before count as well."""
    return {
        "passed": found.passed(every=every),
        "new": [_issue(each) for each in found.new[:_MOST_TOLD]],
        "existing": [_issue(each) for each in found.existing[:_MOST_TOLD]],
        "fixed": [_issue(each) for each in found.fixed[:_MOST_TOLD]],
        "not_run": [_not_run(each) for each in found.not_run[:_MOST_TOLD]],
    }


def _issue(found: Found) -> dict[str, Any]:
    issue = found.issue
    return {
        "path": found.path,
        "line": issue.line,
        "column": issue.column,
        "severity": issue.severity,
        "code": issue.code,
        "message": issue.message,
        "validator": found.validator,
        "source": found.source,
    }


def _not_run(found: NotRun) -> dict[str, Any]:
    return {"path": found.path, "validator": found.validator, "reason": found.reason, "required": found.required}
