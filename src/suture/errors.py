"""Everything that can go wrong: a stable code and typed fields; the words are made in `wording`.

    SutureError
    ├── about the request    InvalidArguments UnknownTool InputTooLarge
    ├── about a path         InvalidPath PathOutsideWorkspace ProtectedPath FileNotFound NotAFile
    │                        NotAFolder FileExists PermissionDenied WorkspaceNotFound
    ├── about a file's text  BinaryFile RangeOutOfBounds
    │                        EncodingUnknown EncodingMismatch NotEncodable OverlappingEdits EditOutOfBounds
    ├── about an edit        NoMatch WrongCount
    ├── about a patch        OldTextNotFound OldTextNotUnique MissingOldText AlreadyApplied PartlyApplied
    │                        TargetDeleted EditConflict ElisionInNewText UnprovedChange OverlappingPatches
    │                        ClipboardNotFound ClipboardRequiresReplace StripPreconditionFailed
    ├── about a pattern      InvalidRegex InvalidFlags RegexTimeout InvalidGlob NoFilesMatched
    │                        InvalidCaptureGroup NoCaptureGroups TooManyReplacements OverMatch
    ├── about a reply        NoBlocks BlocksFailed UnreadEdits IncompleteBlock AmbiguousBlock NoPath
    │                        NoContext OutOfScope
    │                        ReplyTimeout UnsupportedBlock
    ├── about a safe edit    LineOutOfBounds OverlappingLines Drifted PatternNotFound ValidationFailed
    ├── about the system     FileChanged SameFileTwice ReadFailed WriteFailed WorkspaceBusy
    │                        Cancelled CallTimedOut OutOfMemory RecoveryBlocked
    ├── about serving        ServerBusy ResultTooLarge
    ├── about the history    HistoryUnavailable HistoryDamaged ChangeNotFound NothingToUndo NothingToRedo AlreadyUndone
    │                        UndoConflict ContentNotKept NotRecorded SnapshotExists
    └── InternalError

An error has a stable `code`, typed fields and says whether the same call may succeed later. It has
no words: `wording` makes them, once, for every surface.
"""

from __future__ import annotations

from suture.records import dataclass_transform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NotRequired, TypedDict

    Further = tuple[int, "SutureError", bool]
    """The index of a part, its error, and whether that was looked into."""

    class LineRange(TypedDict):
        """Lines of a file, counted from 1, both inclusive."""

        start_line: int
        end_line: int

    class Region(LineRange):
        """Lines of a file, and what they say."""

        text: str

    class Stale(Region):
        """What replaced a text, and is there now."""

        change_id: str | None
        """None: no change of ours did it."""

    class AppliedAt(LineRange):
        """Where the new text is already."""

        change_id: str | None
        """The change that put it there, if it is known."""

    class CorrectedEdit(LineRange):
        """The edit that lands."""

        old_text: str
        new_text: str

    class SidesAt(TypedDict):
        """What each side has where the file differs in what a change touches."""

        line: int
        base: str
        ours: str
        theirs: str

    class Version(TypedDict):
        """An earlier version of a file."""

        source: str
        id: str | None
        until: str | None
        """The change or commit that replaced it."""

    class NearPlace(Region):
        """A place like the text that was looked for, as `patch` tells it."""

        score: float
        symbol: str
        differences: list[str]

    class NamedDifference(TypedDict):
        """One difference between what was sent and what the file has."""

        type: str
        expected: str
        found: str
        name: str
        line_number: int
        description: str

    class SimilarContent(TypedDict):
        """A place like the text that was looked for, as `file_edit` tells it."""

        line_number: int
        content: str
        similarity_score: float
        symbol: str
        differences: list[NamedDifference]

    class Highlight(TypedDict):
        """A part of a line in a preview; the end is exclusive."""

        line_number: int
        column_start: int
        column_end: int

    class FilePreview(TypedDict):
        """Some lines of a file."""

        total_lines: int
        preview_start_line: int
        preview_end_line: int
        content: str
        highlights: list[Highlight]

    class MatchLocation(TypedDict):
        """One occurrence of a text; of a block in a reply, only its line."""

        line_number: int
        column_start: NotRequired[int]
        column_end: NotRequired[int]
        line_content: NotRequired[str]
        context_before: NotRequired[str]
        context_after: NotRequired[str]

    class UniqueText(TypedDict):
        """A longer text that occurs only there."""

        line_number: int
        old_text: str

    class IndentStyle(TypedDict, total=False):
        """How a file is indented."""

        style: str
        width: int | None

    class WordAt(TypedDict):
        """A word of a text, and a line that has it."""

        word: str
        line_number: int
        content: str

    class WordsFound(TypedDict):
        """The words of a text that are in a file, and those that are not."""

        there: list[WordAt]
        missing: list[str]

    class PlaceIn(LineRange):
        """Lines of a file, and the class or function that they are in."""

        symbol: str

    class Reading(TypedDict):
        """One way to read a block."""

        old: str
        new: str

    class UndoClash(TypedDict):
        """A place that an undo can't change; a side that is None has no such file."""

        path: str
        line: int
        base: str | None
        ours: str | None
        theirs: str | None
        truncated: NotRequired[bool]
        about: NotRequired[str]
        """`name` or `file`, if it is not about lines."""

    class CorrectedSearch(TypedDict):
        """The search and replacement that were probably meant."""

        search: str
        replace: str


__all__ = [
    "AlreadyApplied",
    "AlreadyUndone",
    "AmbiguousBlock",
    "BinaryFile",
    "BlocksFailed",
    "CallTimedOut",
    "Cancelled",
    "ChangeNotFound",
    "ClipboardNotFound",
    "ClipboardRequiresReplace",
    "ContentNotKept",
    "Drifted",
    "EditConflict",
    "EditOutOfBounds",
    "ElisionInNewText",
    "EncodingMismatch",
    "EncodingUnknown",
    "FileChanged",
    "FileExists",
    "FileNotFound",
    "HistoryDamaged",
    "HistoryUnavailable",
    "IncompleteBlock",
    "InputTooLarge",
    "InternalError",
    "InvalidArguments",
    "InvalidCaptureGroup",
    "InvalidFlags",
    "InvalidGlob",
    "InvalidPath",
    "InvalidRegex",
    "LineOutOfBounds",
    "MissingOldText",
    "NoBlocks",
    "NoCaptureGroups",
    "NoContext",
    "NoFilesMatched",
    "NoMatch",
    "NoPath",
    "NotAFile",
    "NotAFolder",
    "NotEncodable",
    "NotRecorded",
    "NothingToRedo",
    "NothingToUndo",
    "OldTextNotFound",
    "OldTextNotUnique",
    "OutOfMemory",
    "OutOfScope",
    "OverMatch",
    "OverlappingEdits",
    "OverlappingLines",
    "OverlappingPatches",
    "PartlyApplied",
    "PathOutsideWorkspace",
    "PatternNotFound",
    "PermissionDenied",
    "ProtectedPath",
    "RangeOutOfBounds",
    "ReadFailed",
    "RecoveryBlocked",
    "RegexTimeout",
    "ReplyTimeout",
    "ResultTooLarge",
    "SameFileTwice",
    "ServerBusy",
    "SnapshotExists",
    "StripPreconditionFailed",
    "SutureError",
    "TargetDeleted",
    "TooManyReplacements",
    "UndoConflict",
    "UnknownTool",
    "UnprovedChange",
    "UnreadEdits",
    "UnsupportedBlock",
    "ValidationFailed",
    "WorkspaceBusy",
    "WorkspaceNotFound",
    "WriteFailed",
    "WrongCount",
]


@dataclass_transform(kw_only_default=True)
class SutureError(Exception):
    """An edit or a read that did not happen, and why. Nothing was changed."""

    code = "INTERNAL"
    retryable = False
    standing: str | None = None
    """The hash of the file that it is about, where somebody has read it; not one of the fields."""
    further: Sequence[Further] = ()
    """The other parts of the call that fail, after this first one; not one of the fields either."""
    unexamined: int = 0
    """How many parts were not looked at any more, because it would have taken too long."""
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


class InternalError(SutureError):
    """A defect in suture. The traceback is in the log."""

    code = "INTERNAL"
    exception: str


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
    """A new file was asked for where there already is one."""

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
    """An interrupted transaction cannot be cleared up as it is."""

    code = "RECOVERY_BLOCKED"
    intent: str
    reason: str
    state: str = "left"
    """What is in the way: what an earlier call `left`, this call's own change (`open`), or a `foreign` intent."""
    change_id: str | None = None
    """The change that was interrupted, if it is known."""


class NoMatch(SutureError):
    """The text to replace is not in the file, or no longer when its turn comes."""

    code = "NO_MATCH"
    path: str
    edit_index: int
    total_edits: int
    search_text: str
    expected_occurrences: int
    why: str
    """`found` if one place has it, written in another way; `missing`, `ambiguous`, `applied`, ...: see `locate`."""
    rung: str | None
    similar_content: list[SimilarContent]
    indent: IndentStyle
    file_preview: FilePreview | None
    correction: CorrectedEdit | None = None
    """`{old_text, new_text, start_line, end_line}`: the edit that lands."""
    sides: SidesAt | None = None
    """`{line, base, ours, theirs}` where the file differs in what the change touches."""
    detail: str = ""
    """For `conflict` and `unproved`: what could not be decided."""
    applied: AppliedAt | None = None
    """`{start_line, end_line, change_id}`: where the new text already is, and which change put it there."""
    stale: Stale | None = None
    """`{change_id, start_line, end_line, text}`: what replaced the text, and is there now."""
    written_on: Version | None = None
    """`{source, id, until}`: the version that the text was written on, if it is known."""
    consumed_by: int | None = None
    """The earlier edit of the call that took the text away."""
    candidates: list[str] | None = None
    """The encodings that the file may be in, where that is not known."""
    attempt: int = 1
    """How often this edit was sent, for this content of the file."""
    region: Region | None = None
    """`{start_line, end_line, text}`: the lines around the nearest place, from the second attempt on."""
    words: WordsFound | None = None
    """`{there, missing}`: the words of the text that are in the file, each with a line, and those that are not."""
    unique: list[UniqueText] = []  # noqa: RUF012  never changed
    """As in `WrongCount`, where several places fit."""


class WrongCount(SutureError):
    """The text to replace occurs in the file more or less often than expected."""

    code = "WRONG_COUNT"
    path: str
    edit_index: int
    total_edits: int
    search_text: str
    expected_occurrences: int
    actual_occurrences: int
    match_locations: list[MatchLocation]
    file_preview: FilePreview | None
    unique: list[UniqueText]
    """`{line_number, old_text}`: a longer text that occurs only there, for some of the places."""
    originally: int | None = None
    """How often it occurred in the file before the earlier edits of the call, where that differs."""
    attempt: int = 1


class OldTextNotFound(SutureError):
    """The text to replace is not in the file, as far as `match` allows."""

    code = "OLD_TEXT_NOT_FOUND"
    index: int
    total: int
    path: str
    match: str
    search_text: str
    nearest: list[NearPlace]
    """`{start_line, end_line, score, symbol, text, differences}` of the places most like it, best first."""
    rung: str | None = None
    """How these places match, where `match` does not allow that."""
    stale: Stale | None = None
    """`{change_id, start_line, end_line, text}`: what replaced it (None: no change of ours), and is there now."""


class OldTextNotUnique(SutureError):
    """The text to replace fits several places."""

    code = "OLD_TEXT_NOT_UNIQUE"
    index: int
    total: int
    path: str
    rung: str | None
    places: list[LineRange]
    """`{start_line, end_line}`, all of them."""
    search_text: str


class MissingOldText(SutureError):
    """A replacement does not say what to replace; an empty text matches only an empty file."""

    code = "MISSING_OLD_TEXT"
    index: int = 0
    total: int = 1


class AlreadyApplied(SutureError):
    """The new text is already where the old one would have been."""

    code = "ALREADY_APPLIED"
    index: int = 0
    total: int = 1
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
    written_on: Version | None
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
    written_on: Version | None = None
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


class LineOutOfBounds(SutureError):
    """A line that the file does not have; `which` is the argument that names it."""

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
    """The lines are not what the caller expects there; `stands_at` are the lines where it begins now."""

    code = "DRIFTED"
    path: str
    start_line: int
    end_line: int
    text: str
    """What is there."""
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
    correction: CorrectedSearch | None = None
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


class NoBlocks(SutureError):
    """The reply holds nothing that could be applied."""

    code = "NO_BLOCKS"
    fenced: list[str]
    """Whole files in fences that were passed over."""
    characters: int
    skipped: int = 0
    """How many blocks are in what the model thinks, which is not applied."""
    unread: list[dict[str, Any]] = []  # noqa: RUF012  never changed
    """What looks like an edit and was not read: `{line, kind, path, edits, message}` of each."""


class UnreadEdits(SutureError):
    """All blocks that were read fit, but something else in the reply clearly edits files, and was not read."""

    code = "UNREAD_EDITS"
    unread: list[dict[str, Any]]
    """`{line, kind, path, edits, message}` of each."""
    landed: list[str]
    """The ids of the blocks that were applied."""


class BlocksFailed(SutureError):
    """Some blocks of the reply could not be applied; the answer says what became of the others."""

    code = "BLOCKS_FAILED"
    failed: list[str]
    """The ids of those blocks."""
    landed: list[str]
    total: int


class IncompleteBlock(SutureError):
    """A block lacks a part: what it says cannot be known."""

    code = "INCOMPLETE_BLOCK"
    problem: str
    """`no_start`, `no_separator`, `many_separators`, `no_end`, `two_ends`: its markers; `empty`, `not_a_hunk`: its
    lines; `inside`: another block before it has no end; `partial`: it deletes more than it shows; `excerpt`: a fence
    is introduced as a part of a file or as an example, where a whole file is needed; `not_exact`, `not_asked`: a call
    that says something that cannot be done exactly, or that writes a whole file."""
    reply_line: int
    format: str
    path: str | None


class AmbiguousBlock(SutureError):
    """Markers in a block's content let it be read in several ways, and the file does not tell which is meant."""

    code = "AMBIGUOUS_BLOCK"
    path: str
    reply_line: int
    readings: list[Reading]
    """`{old, new}` of each."""
    ends: list[int] = []  # noqa: RUF012  never changed
    """The lines of the reply at which it may end, where that is the question."""


class ReplyTimeout(SutureError):
    """The blocks before this one took all the time there is for a call."""

    code = "REPLY_TIMEOUT"
    retryable = True
    limit: int
    """In milliseconds."""


class NoPath(SutureError):
    """The reply does not say which file a block is about."""

    code = "NO_PATH"
    reply_line: int
    candidates: list[str] = []  # noqa: RUF012  never changed
    """The files that it may be about, as far as the lines above it mention any."""
    why: str = ""
    """`several`: it fits all of them, or not exactly one. `missing`: the first ones are mentioned, but do not exist;
    the last is the file of the block before. `elsewhere`: it fits only the last one, which is not mentioned."""


class NoContext(SutureError):
    """A hunk only inserts, and nothing in it says where."""

    code = "NO_CONTEXT"
    path: str
    context: list[str]


class OutOfScope(SutureError):
    """A hunk names a class or function that is not in the file, or that does not hold the hunk's lines."""

    code = "OUT_OF_SCOPE"
    path: str
    context: list[str]
    """What the hunk names, the outermost first."""
    exists: bool
    """Whether what it names is in the file."""
    places: list[PlaceIn]
    """`{start_line, end_line, symbol}`: where the hunk's lines are."""


class UnsupportedBlock(SutureError):
    """A change of something that is not text: a binary file, a symbolic link, a submodule; or of a mode alone."""

    code = "UNSUPPORTED_BLOCK"
    path: str | None
    problem: str


class InvalidRegex(SutureError):
    """The pattern is not a regular expression of the dialect; `position` counts characters as it was written."""

    code = "INVALID_REGEX"
    pattern: str
    reason: str
    position: int
    advice: str | None = None
    """What is written instead, where that is known."""
    dialect: str = "JavaScript"


class InvalidFlags(SutureError):
    """A flag that does not exist."""

    code = "INVALID_FLAGS"
    flags: str
    supported: str


class RegexTimeout(SutureError):
    """The search took longer than the setting allows."""

    code = "REGEX_TIMEOUT"
    pattern: str
    path: str
    timeout_ms: int
    setting: str


class InvalidGlob(SutureError):
    """The pattern for paths cannot be read."""

    code = "INVALID_GLOB"
    pattern: str
    reason: str


class NoFilesMatched(SutureError):
    """No file fits the pattern for paths."""

    code = "NO_FILES_MATCHED"
    pattern: str
    hidden_by: str | None = None
    """Why files that would fit were passed over, where that is known."""


class InvalidCaptureGroup(SutureError):
    """The replacement refers to a group that the pattern does not have, or in another dialect's way."""

    code = "INVALID_CAPTURE_GROUP"
    reference: str
    groups: int
    names: list[str]
    meant: str | None = None
    """How this tool spells it, if the group exists and only the spelling is another dialect's."""
    dialect: str = "JavaScript"


class NoCaptureGroups(SutureError):
    """Groups were asked for, and the pattern has none."""

    code = "NO_CAPTURE_GROUPS"
    pattern: str


class TooManyReplacements(SutureError):
    """More places than the caller, or the setting, allows; nothing was changed."""

    code = "TOO_MANY_REPLACEMENTS"
    found: int
    limit: int
    setting: str | None = None


class OverMatch(SutureError):
    """A match over many lines holds further matches: probably it is greedier than it was meant to be."""

    code = "OVER_MATCH"
    path: str
    line: int
    end_line: int
    inner_line: int


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
    """No change is left that could be undone."""

    code = "NOTHING_TO_UNDO"
    root: str


class NothingToRedo(SutureError):
    """No change is undone, or this one is not."""

    code = "NOTHING_TO_REDO"
    change_id: str | None


class AlreadyUndone(SutureError):
    """The change has already been undone."""

    code = "ALREADY_UNDONE"
    change_id: str


class UndoConflict(SutureError):
    """Later changes are where the change would be undone."""

    code = "UNDO_CONFLICT"
    change_id: str
    conflicts: list[UndoClash]
    later: list[str]
    """The changes in force that touched these files since, newest first; other programs may have, too."""
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


class ServerBusy(SutureError):
    """As many calls are under way as the server takes."""

    code = "SERVER_BUSY"
    retryable = True
    limit: int


class ResultTooLarge(SutureError):
    """The result has more bytes than may be sent."""

    code = "RESULT_TOO_LARGE"
    size: int
    limit: int
    total: int | None
    """How many things it lists, where it is a list."""
