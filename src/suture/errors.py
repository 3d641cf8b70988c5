"""Everything that can go wrong, as data.

    SutureError
    ├── about the request    InvalidArguments UnknownTool InputTooLarge
    ├── about a path         InvalidPath PathOutsideWorkspace ProtectedPath FileNotFound NotAFile
    │                        NotAFolder FileExists PermissionDenied WorkspaceNotFound
    ├── about a file's text  BinaryFile RangeOutOfBounds
    │                        EncodingUnknown EncodingMismatch NotEncodable OverlappingEdits EditOutOfBounds
    ├── about an edit        NoMatch WrongCount
    ├── about a patch        OldTextNotFound OldTextNotUnique MissingOldText AlreadyApplied PartlyApplied
    │                        EditConflict ElisionInNewText UnprovedChange OverlappingPatches
    │                        ClipboardNotFound ClipboardRequiresReplace StripPreconditionFailed
    ├── about the system     FileChanged SameFileTwice ReadFailed WriteFailed WorkspaceBusy
    │                        RecoveryBlocked
    ├── about the history    HistoryUnavailable ChangeNotFound NothingToUndo NothingToRedo AlreadyUndone
    │                        UndoConflict ContentNotKept NotRecorded SnapshotExists
    └── InternalError

An error has a stable `code`, typed fields and says whether the same call may succeed later. It has
no words: `render` makes them, once, for every surface.
"""

from __future__ import annotations

from suture.records import dataclass_transform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@dataclass_transform(kw_only_default=True)
class SutureError(Exception):
    """An edit or a read that did not happen, and why. Nothing was changed."""

    code = "INTERNAL"
    retryable = False
    _fields: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        cls._fields = tuple(cls.__annotations__)

    def __init__(self, **fields: Any) -> None:
        unknown = fields.keys() - set(self._fields)
        missing = [name for name in self._fields if name not in fields and not hasattr(self, name)]
        if unknown or missing:
            wrong = f"{type(self).__name__}: unknown {sorted(unknown)}, missing {missing}"
            raise TypeError(wrong)
        self.__dict__.update(fields)
        super().__init__(self.code, self.fields())

    def fields(self) -> dict[str, Any]:
        """The typed fields, as they appear in `metadata.error`."""
        return {name: getattr(self, name) for name in self._fields}

    def __reduce__(self) -> tuple[Any, ...]:
        """Survive a process boundary: exceptions are remade from positional arguments otherwise."""
        return _remade, (type(self), self.fields())

    def __str__(self) -> str:
        return " ".join([self.code, *(f"{name}={value!r}" for name, value in self.fields().items())])


def _remade(kind: type[SutureError], fields: dict[str, Any]) -> SutureError:
    return kind(**fields)


class InvalidArguments(SutureError):
    """The arguments do not fit the tool's request model."""

    code = "INVALID_ARGUMENTS"
    problems: list[dict[str, str]]


class UnknownTool(SutureError):
    """No tool has this name."""

    code = "UNKNOWN_TOOL"
    name: str
    near: list[str]
    known: list[str]


class InputTooLarge(SutureError):
    """The request, or a file it names, is larger than the setting allows."""

    code = "INPUT_TOO_LARGE"
    what: str
    size: int
    limit: int
    setting: str
    unit: str = "bytes"


class InvalidPath(SutureError):
    """No file can have this path, or a new file should not."""

    code = "INVALID_PATH"
    path: str
    reason: str


class PathOutsideWorkspace(SutureError):
    """The path leads out of every root, or cannot be shown to stay inside."""

    code = "PATH_OUTSIDE_WORKSPACE"
    path: str
    reason: str


class ProtectedPath(SutureError):
    """The path runs or configures something on this machine; an agent may not touch it."""

    code = "PROTECTED_PATH"
    path: str
    rule: str


class FileNotFound(SutureError):
    """There is no file at this path."""

    code = "FILE_NOT_FOUND"
    path: str
    near: list[str]
    create_by: list[str] | None = None
    """The operations that would create it, where some do."""


class NotAFile(SutureError):
    """The path names a folder, a device, a pipe or a socket."""

    code = "NOT_A_FILE"
    path: str
    kind: str


class NotAFolder(SutureError):
    """A part of the path that should be a folder is something else."""

    code = "NOT_A_FOLDER"
    path: str
    folder: str


class FileExists(SutureError):
    """A new file was asked for where one stands already."""

    code = "FILE_EXISTS"
    path: str


class PermissionDenied(SutureError):
    """The operating system does not let this user do it."""

    code = "PERMISSION_DENIED"
    path: str
    operation: str


class WorkspaceNotFound(SutureError):
    """The root is not a folder that can be opened."""

    code = "WORKSPACE_NOT_FOUND"
    root: str
    reason: str


class BinaryFile(SutureError):
    """The file holds a NUL near its beginning: it is not text."""

    code = "BINARY_FILE"
    path: str


class RangeOutOfBounds(SutureError):
    """The first line asked for lies past the end of the file, or past the last line asked for."""

    code = "RANGE_OUT_OF_BOUNDS"
    path: str
    start_line: int
    end_line: int | None
    total_lines: int


class EncodingUnknown(SutureError):
    """A non-ASCII character would be written into a file whose encoding nobody knows."""

    code = "ENCODING_UNKNOWN"
    character: str
    candidates: list[str]


class EncodingMismatch(SutureError):
    """The named encoding cannot read this file and write it back unchanged."""

    code = "ENCODING_MISMATCH"
    encoding: str
    reason: str


class NotEncodable(SutureError):
    """The file's encoding has no such character."""

    code = "NOT_ENCODABLE"
    character: str
    encoding: str


class EditOutOfBounds(SutureError):
    """An edit's span ends before it starts, or lies outside the text."""

    code = "EDIT_OUT_OF_BOUNDS"
    start: int
    end: int
    size: int


class OverlappingEdits(SutureError):
    """Two edits of one file touch the same bytes."""

    code = "OVERLAPPING_EDITS"
    first: tuple[int, int]
    second: tuple[int, int]


class NoMatch(SutureError):
    """The text to replace does not stand in the file, or not any more when its turn comes."""

    code = "NO_MATCH"
    path: str
    edit_index: int
    total_edits: int
    search_text: str
    expected_occurrences: int
    why: str
    """`found` where it stands in one place but for its manner; `missing`, `ambiguous`, `applied`, ...: see `locate`."""
    rung: str | None
    similar_content: list[dict[str, Any]]
    indent: dict[str, Any]
    file_preview: dict[str, Any] | None
    correction: dict[str, Any] | None = None
    """`{old_text, new_text, start_line, end_line}`: the edit that lands."""
    sides: dict[str, Any] | None = None
    """`{line, base, ours, theirs}` where the file differs in what the change touches."""
    detail: str = ""
    """For `conflict` and `unproved`: what could not be decided."""
    applied: dict[str, Any] | None = None
    """`{start_line, end_line, change_id}`: where the new text stands already, and which change put it there."""
    stale: dict[str, Any] | None = None
    """`{change_id, start_line, end_line, text}`: what replaced the text, and stands there now."""
    consumed_by: int | None = None
    """The earlier edit of the call that took the text away."""
    candidates: list[str] | None = None
    """The encodings that the file may be in, where that is not known."""
    attempt: int = 1
    """How often this edit was sent, for this content of the file."""
    region: dict[str, Any] | None = None
    """`{start_line, end_line, text}`: the lines around the nearest place, from the second attempt on."""
    words: dict[str, Any] | None = None
    """`{there, missing}`: the words of the text that stand in the file, each with a line, and those that don't."""
    unique: list[dict[str, Any]] = []  # noqa: RUF012  never changed
    """As in `WrongCount`, where several places fit."""


class WrongCount(SutureError):
    """The text to replace stands in the file more or less often than expected."""

    code = "WRONG_COUNT"
    path: str
    edit_index: int
    total_edits: int
    search_text: str
    expected_occurrences: int
    actual_occurrences: int
    match_locations: list[dict[str, Any]]
    file_preview: dict[str, Any] | None
    unique: list[dict[str, Any]]
    """`{line_number, old_text}`: a longer text that stands only there, for some of the places."""
    originally: int | None = None
    """How often it stood in the file before the earlier edits of the call, where that differs."""
    attempt: int = 1


class OldTextNotFound(SutureError):
    """The text to replace does not stand in the file, as far as `match` goes."""

    code = "OLD_TEXT_NOT_FOUND"
    index: int
    total: int
    path: str
    match: str
    search_text: str
    nearest: list[dict[str, Any]]
    """`{start_line, end_line, score, text}` of the places most like it, best first."""
    rung: str | None = None
    """How it stands at these places, where `match` does not allow that."""
    stale: dict[str, Any] | None = None
    """`{change_id, start_line, end_line, text}`: what replaced it (None: no change of ours), and stands there now."""


class OldTextNotUnique(SutureError):
    """The text to replace fits several places."""

    code = "OLD_TEXT_NOT_UNIQUE"
    index: int
    total: int
    path: str
    rung: str | None
    places: list[dict[str, int]]
    """`{start_line, end_line}`, all of them."""
    search_text: str


class MissingOldText(SutureError):
    """A replacement does not say what to replace; an empty text stands only in an empty file."""

    code = "MISSING_OLD_TEXT"
    index: int
    total: int


class AlreadyApplied(SutureError):
    """The new text stands already where the old one would have stood."""

    code = "ALREADY_APPLIED"
    index: int
    total: int
    path: str
    start_line: int
    end_line: int
    search_text: str
    change_id: str | None = None
    """The change that made it, if the history knows."""


class PartlyApplied(SutureError):
    """A part of the change has been made already."""

    code = "PARTLY_APPLIED"
    index: int
    total: int
    path: str
    start_line: int
    end_line: int
    text: str
    search_text: str


class EditConflict(SutureError):
    """The file differs from the old text in the lines that the change touches."""

    code = "EDIT_CONFLICT"
    index: int
    total: int
    path: str
    line: int
    base: str
    ours: str
    theirs: str
    detail: str
    search_text: str


class ElisionInNewText(SutureError):
    """The new text and what it replaces do not leave out the same parts: something would be deleted unseen."""

    code = "ELISION_IN_NEW_TEXT"
    index: int
    total: int
    path: str
    search_text: str
    operation: str = "replace"
    marker: str = ""
    """The line that leaves something out, where a whole file is overwritten."""


class UnprovedChange(SutureError):
    """The place is known, but what the change becomes there is not."""

    code = "UNPROVED_CHANGE"
    index: int
    total: int
    path: str
    rung: str | None
    start_line: int
    end_line: int
    text: str
    detail: str
    search_text: str


class OverlappingPatches(SutureError):
    """Two patches of one call replace the same text."""

    code = "OVERLAPPING_PATCHES"
    path: str
    first: int
    second: int
    first_lines: tuple[int, int]
    second_lines: tuple[int, int]
    total: int


class ClipboardNotFound(SutureError):
    """Nothing is kept under this name."""

    code = "CLIPBOARD_NOT_FOUND"
    index: int
    total: int
    name: str
    known: list[str]


class ClipboardRequiresReplace(SutureError):
    """Only what a replacement finds can be put into a clipboard."""

    code = "CLIPBOARD_REQUIRES_REPLACE"
    index: int
    total: int
    operation: str


class StripPreconditionFailed(SutureError):
    """A line of the text to insert does not begin with what is to be stripped."""

    code = "STRIP_PRECONDITION_FAILED"
    index: int
    total: int
    line_number: int
    line: str
    prefix: str


class FileChanged(SutureError):
    """A file is not what the plan was made on; somebody else wrote it."""

    code = "FILE_CHANGED"
    retryable = True
    path: str
    expected: str | None
    found: str | None


class SameFileTwice(SutureError):
    """One transaction names a file twice, perhaps by two hard links."""

    code = "SAME_FILE_TWICE"
    path: str
    other: str


class ReadFailed(SutureError):
    """The operating system failed to read."""

    code = "READ_FAILED"
    retryable = True
    path: str
    reason: str
    errno: int


class WriteFailed(SutureError):
    """The operating system refused a write; everything was put back."""

    code = "WRITE_FAILED"
    retryable = True
    path: str
    reason: str
    errno: int


class WorkspaceBusy(SutureError):
    """Another process held the workspace lock for the whole waiting time."""

    code = "WORKSPACE_BUSY"
    retryable = True
    waited_ms: int
    setting: str = "lock_timeout_ms"


class RecoveryBlocked(SutureError):
    """An interrupted transaction cannot be cleared up as it stands."""

    code = "RECOVERY_BLOCKED"
    intent: str
    reason: str


class HistoryUnavailable(SutureError):
    """The history of this workspace cannot be read."""

    code = "HISTORY_UNAVAILABLE"
    reason: str


class ChangeNotFound(SutureError):
    """No change has this id, or several begin with it."""

    code = "CHANGE_NOT_FOUND"
    change_id: str
    candidates: list[str]
    forgotten: bool = False
    """Whether older changes were dropped to keep within the limits."""
    snapshots: list[str] | None = None
    """The names that would do as well, where a snapshot does."""


class NothingToUndo(SutureError):
    """No change is left that could be taken back."""

    code = "NOTHING_TO_UNDO"
    root: str


class NothingToRedo(SutureError):
    """No change is undone, or this one is not."""

    code = "NOTHING_TO_REDO"
    change_id: str | None


class AlreadyUndone(SutureError):
    """The change has been taken back already."""

    code = "ALREADY_UNDONE"
    change_id: str


class UndoConflict(SutureError):
    """Later work stands where the change would be taken back."""

    code = "UNDO_CONFLICT"
    change_id: str
    conflicts: list[dict[str, Any]]
    later: list[str]
    """The changes in force that touched these files since, newest first; somebody else may have, too."""
    operation: str = "undo"


class ContentNotKept(SutureError):
    """The history knows this version of the file by its hash only."""

    code = "CONTENT_NOT_KEPT"
    path: str
    hash: str


class NotRecorded(SutureError):
    """The history has no version of this file."""

    code = "NOT_RECORDED"
    path: str
    near: list[str]


class SnapshotExists(SutureError):
    """A snapshot of this name has been taken already."""

    code = "SNAPSHOT_EXISTS"
    name: str


class InternalError(SutureError):
    """A defect in suture. The traceback is in the log."""

    code = "INTERNAL"
    exception: str
