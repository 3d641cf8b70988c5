"""What can go wrong with an edit by lines or by search, and with what an edit would leave."""

from __future__ import annotations

from suture.errors.error import SutureError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class LineOutOfBounds(SutureError):
    """A line that the file has not; `which` is the argument that names it."""

    code = "LINE_OUT_OF_BOUNDS"
    path: str
    which: str
    line: int
    total_lines: int
    near: list[str]
    """Files that may be meant, where there is none of this name."""


class OverlappingLines(SutureError):
    """Two edits of the same lines."""

    code = "OVERLAPPING_LINES"
    first: tuple[int, int]
    second: tuple[int, int]


class Drifted(SutureError):
    """The lines do not hold what the caller expects there; `stands_at` are the lines where it begins now."""

    code = "DRIFTED"
    path: str
    start_line: int
    end_line: int
    text: str
    """What stands there."""
    stands_at: list[int]


class PatternNotFound(SutureError):
    """Nothing to replace."""

    code = "PATTERN_NOT_FOUND"
    path: str
    search: str
    exists: bool
    """Whether there is such a file at all."""
    near: list[str]
    details: list[str]
    """What is known about why it is not there."""
    correction: dict[str, Any] | None = None
    """The search and replacement that were probably meant."""


class ValidationFailed(SutureError):
    """The edit would bring errors into files, or could not be checked although it must be; nothing was written."""

    code = "VALIDATION_FAILED"
    files: list[str]
    validation: dict[str, Any]
    diff: str
    replacements: int | None = None
    failed: list[str] = []  # noqa: RUF012  never changed
    """What else went wrong, and may be the cause: blocks of a reply that could not be applied."""
