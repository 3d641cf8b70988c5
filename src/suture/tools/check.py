"""`check`, for the command line: files as they are, held to every check there is for them.

Files are checked in batches, so that the time that a call's checks may take (`validate_call_ms`) bounds each of them,
and not a whole folder; and so that only a batch is in memory. How many files, how long, and how many problems are
listed has bounds of its own: files that they leave out are counted, and told as a check that is required and was not
carried out.
"""

from __future__ import annotations

from time import monotonic

from suture.errors import FileNotFound, InputTooLarge, NotAFile, PermissionDenied
from suture.files.paths import shown
from suture.phrases import count
from suture.tools.checking import state, table, told
from suture.tools.named import for_each
from suture.tools.request import Request, flag, texts
from suture.tools.spec import Answer, ToolSpec
from suture.validate.gate import NotRun, Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from suture.errors import SutureError
    from suture.plan import Snapshot
    from suture.session import Session

    Row = dict[str, Any]

_MOST_FILES = 50
_MOST_BYTES = 20_000_000


class Check(Request):
    """Arguments of `check`."""

    paths: list[str] = texts("Files, folders and globs; everything if left out")
    exclude: list[str] = texts("Globs of files and folders to leave out; one without / is a name anywhere")
    include_ignored: bool = flag("Whether files that .gitignore names are checked, too")
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

    for _ in for_each(session, request, named, meant):
        pass
    checking.finish()
    return Answer("", checking.data() | ({"binary": binary} if binary else {}), verbatim=True)


class _Checking:
    """One call's files, a batch of them at a time, and what was found so far."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._batch: list[Snapshot] = []
        self._size = 0
        self._issues: list[Row] = []
        self._not_run: list[Row] = []
        self._unlisted = {"issues": 0, "not_run": 0}
        self._numbers = {"error": 0, "warning": 0}
        self._unchecked = 0
        """How many files were not checked by all."""
        self._markers_only = 0
        """Of how many files nothing is known but that no conflict was left in them."""
        self._ends = monotonic() + session.settings.check_call_ms / 1000
        self._left_out: tuple[str, str] | None = None
        """The first file that was left out, and why."""
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
        known = shown(trees, root, path)
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
        if len(self._batch) >= _MOST_FILES or self._size >= _MOST_BYTES:
            self.finish()
        return True

    def _leaves_out(self, name: str) -> bool:
        """Whether there were enough files, or the time is over; counts the files that this is so for."""
        most, is_late = self._session.settings.check_max_files, self.is_late
        if len(self.seen) < most and not is_late:
            return False
        if self._left_out is None:
            why = "time ran out (check_call_ms)" if is_late else f"the limit is {count(most, 'file')} (check_max_files)"
            self._left_out = name, why
        else:
            self._more += 1
        return True

    def _refuse(self, name: str, path: str, error: SutureError) -> None:
        """Tell that none of its checks is carried out on a file."""
        self.seen.add(name)
        is_large = isinstance(error, InputTooLarge)
        reason = "the file is too large (max_file_bytes)" if is_large else "the file may not be read"
        chosen = table(self._session).chosen(path)
        self._take(Report(not_run=tuple(NotRun(name, each.validator.name, reason, each.required) for each in chosen)))

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
                self._issues += told(Report(new=(each,)))["new"]
            else:
                self._unlisted["issues"] += 1
        self._unchecked += len({each.path for each in found.not_run})
        for one in found.not_run:
            if len(self._not_run) < most or one.required:
                self._not_run += told(Report(not_run=(one,)))["not_run"]
            else:
                self._unlisted["not_run"] += 1
        if len(self._not_run) > most:  # those that are required fail the command, and one is enough for that
            self._unlisted["not_run"] += len(self._not_run) - most
            self._not_run = sorted(self._not_run, key=lambda row: not row["required"])[:most]

    def data(self) -> dict[str, Any]:
        """All of it, as data."""
        issues = sorted(self._issues, key=lambda each: (each["path"], each["line"], each["column"]))
        not_run = sorted(self._not_run, key=lambda each: (each["path"], each["validator"]))
        left_out = 0
        if self._left_out is not None:
            name, why = self._left_out
            left_out = 1 + self._more
            others = f", and {count(self._more, 'more file')} with it" if self._more else ""
            others = ", and all files after it" if self.is_stopped else others
            row = NotRun(name, "check", f"it was left out{others}: {why}", required=True)
            not_run += told(Report(not_run=(row,)))["not_run"]
        numbers = {"files": len(self.seen), "markers_only": self._markers_only, "left_out": left_out}
        numbers |= {"stopped": self.is_stopped, "errors": self._numbers["error"], "warnings": self._numbers["warning"]}
        numbers |= {"unchecked": self._unchecked}
        return {**numbers, "issues": issues, "not_run": not_run, "unlisted": self._unlisted}


CHECK = ToolSpec(
    name="check",
    title="Check",
    description="The problems of files, folders and globs as they are.",
    request=Check,
    examples=(),
    read=check,
    own_clock=True,
)
