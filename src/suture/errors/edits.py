"""What can go wrong with an edit or a patch."""

from __future__ import annotations

from suture.errors.error import SutureError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
    written_on: dict[str, Any] | None = None
    """`{source, id, until}`: the version that the text was written on, if it is known."""
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
    """`{start_line, end_line, score, symbol, text, differences}` of the places most like it, best first."""
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


class TargetDeleted(SutureError):
    """The text to replace was removed from the file."""

    code = "TARGET_DELETED"
    index: int
    total: int
    path: str
    start_line: int
    """Where it was, as lines of the file as it is now,"""
    end_line: int
    text: str
    """and what is there instead."""
    written_on: dict[str, Any] | None
    """`{source, id, until}`: the version that has the text, and the change or commit that replaced that version."""
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
    written_on: dict[str, Any] | None = None
    """`{source, id, until}`: the version that the old text was written on, if it is known."""


class ElisionInNewText(SutureError):
    """The new text and what it replaces do not leave out the same parts: something would be deleted unseen."""

    code = "ELISION_IN_NEW_TEXT"
    index: int
    total: int
    path: str
    search_text: str
    operation: str = "replace"
    marker: str = ""
    """The line of the new text that leaves something out; empty if only the old text has one."""
    argument: str = ""
    """Where the caller wrote it, such as `edits[0].new_text`."""


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
