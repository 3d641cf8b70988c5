"""`check`, for the command line: files as they are, held to every check there is for them.

Files are checked in batches, so that the time that a call's checks may take (`validate_call_ms`) bounds each of them,
and not a whole folder; and so that only a batch is in memory.
"""

from __future__ import annotations

from suture.errors import FileNotFound, InputTooLarge, NotAFile, PermissionDenied
from suture.files.paths import shown
from suture.tools.checking import state, table, told
from suture.tools.named import for_each
from suture.tools.request import Request, flag, texts
from suture.tools.spec import Answer, ToolSpec
from suture.validate.gate import NotRun, Report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from suture.errors import SutureError
    from suture.plan import Snapshot
    from suture.session import Session

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
        self._found: list[Report] = []
        self._markers_only = 0
        """Of how many files nothing is known but that no conflict was left in them."""
        self.seen: set[str] = set()
        """The names of all files so far."""

    def look_at(self, root: int, folder: int, prefix: str, name: str) -> None:
        """Add a file that a walk came to; one that is gone is passed over, one that cannot be read is told."""
        trees, path = self._session.trees, prefix + name
        known = shown(trees, root, path)
        if known in self.seen:
            return
        try:
            self.add(self._session.read(known))
        except (FileNotFound, NotAFile):
            return
        except InputTooLarge as error:
            start = bytearray(self._session.settings.binary_window)
            if 0 not in start[: trees[root].fs.fill(folder, name, start)]:
                self._leave_out(known, path, error)
        except PermissionDenied as error:
            self._leave_out(known, path, error)

    def add(self, file: Snapshot) -> bool:
        """Check a file, now or with those that follow; False if it is binary, and there is nothing to check."""
        if file.text.is_binary(self._session.settings.binary_window):
            return False
        self.seen.add(file.place.name)
        self._markers_only += len(table(self._session).chosen(file.place.path)) == 1
        self._batch.append(file)
        self._size += file.content.size
        if len(self._batch) >= _MOST_FILES or self._size >= _MOST_BYTES:
            self.finish()
        return True

    def _leave_out(self, name: str, path: str, error: SutureError) -> None:
        """Tell that none of its checks is carried out on a file."""
        self.seen.add(name)
        is_large = isinstance(error, InputTooLarge)
        reason = "the file is too large (max_file_bytes)" if is_large else "the file may not be read"
        chosen = table(self._session).chosen(path)
        self._found.append(
            Report(not_run=tuple(NotRun(name, each.validator.name, reason, each.required) for each in chosen))
        )

    def finish(self) -> None:
        """Check what is left."""
        if self._batch:
            self._found.append(state(self._session, self._batch))
        self._batch, self._size = [], 0

    def data(self) -> dict[str, Any]:
        """All of it, as data."""
        issues = sorted(self._issues(), key=lambda each: (each["path"], each["line"], each["column"]))
        errors = sum(each["severity"] == "error" for each in issues)
        not_run = sorted(self._not_run(), key=lambda each: (each["path"], each["validator"]))
        numbers = {"files": len(self.seen), "markers_only": self._markers_only}
        numbers |= {"errors": errors, "warnings": len(issues) - errors}
        return {**numbers, "issues": issues, "not_run": not_run}

    def _issues(self) -> Iterator[dict[str, Any]]:
        """The problems, told one by one: a report is cut where it is long."""
        for report in self._found:
            for each in report.new:
                yield from told(Report(new=(each,)))["new"]

    def _not_run(self) -> Iterator[dict[str, Any]]:
        for report in self._found:
            for each in report.not_run:
                yield from told(Report(not_run=(each,)))["not_run"]


CHECK = ToolSpec(
    name="check",
    title="Check",
    description="The problems of files, folders and globs as they are.",
    request=Check,
    examples=(),
    read=check,
    own_clock=True,
)
