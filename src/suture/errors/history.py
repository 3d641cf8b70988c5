"""What can go wrong with the history."""

from __future__ import annotations

from suture.errors.error import SutureError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class HistoryUnavailable(SutureError):
    """The history of this workspace cannot be read."""

    code = "HISTORY_UNAVAILABLE"
    reason: str


class HistoryDamaged(SutureError):
    """A record of the history that the call needs is damaged. Nothing was changed."""

    code = "HISTORY_DAMAGED"
    what: str
    """change, content, snapshot or clipboard"""
    name: str
    """The id of the change, the hash of the content, or the name."""
    path: str | None = None
    """The file that it is needed for, if it is one."""


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
    """A snapshot of this name has been taken already, or a change's id begins so."""

    code = "SNAPSHOT_EXISTS"
    name: str
