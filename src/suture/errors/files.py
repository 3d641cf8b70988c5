"""What can go wrong with a request, a path, a file's text or the system."""

from __future__ import annotations

from suture.errors.error import SutureError


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
    """The operations that would create it, where some do; empty if it was to be deleted."""


class NotAFile(SutureError):
    """The path names a folder, a device, a pipe or a socket; or a link, where the file itself would go away."""

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


class Cancelled(SutureError):
    """The caller took the call back before anything was written."""

    code = "CANCELLED"
    retryable = True


class CallTimedOut(SutureError):
    """The call took longer than the setting allows, and had not begun to write."""

    code = "CALL_TIMED_OUT"
    timeout_ms: int
    setting: str = "call_ms"


class OutOfMemory(SutureError):
    """The call needed more memory than the process may have, or than there is."""

    code = "OUT_OF_MEMORY"
    setting: str = "max_memory_bytes"


class RecoveryBlocked(SutureError):
    """An interrupted transaction cannot be cleared up as it stands."""

    code = "RECOVERY_BLOCKED"
    intent: str
    reason: str
    state: str = "left"
    """What is in the way: what an earlier call `left`, this call's own change (`open`), or a `foreign` intent."""
    change_id: str | None = None
    """The change that was interrupted, if it is known."""
