"""Everything that can go wrong: a stable code and typed fields. `wording` makes the sentences.

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
    ├── about serving        ServerBusy NoWorkspace
    ├── about the history    HistoryUnavailable HistoryDamaged ChangeNotFound NothingToUndo NothingToRedo AlreadyUndone
    │                        NotHere SessionNotFound UndoConflict ContentNotKept NotRecorded
    │                        CheckpointExists CheckpointTooLarge GitBusy HeadMoved DeletionsNotConfirmed
    └── InternalError

A class whose name begins with `_` has the leading fields that several errors share.
"""

from __future__ import annotations

from suture.records import dataclass_transform

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self, TypedDict, TypeVar

    from suture.shapes import (
        CorrectedEdit,
        CorrectedSearch,
        FilePreview,
        Findings,
        KnownClipboard,
        MatchLocation,
        SimilarContent,
        UndoClash,
        UnreadEdit,
        WrittenOn,
    )

    E = TypeVar("E", bound="SutureError")

    Further = tuple[int, "SutureError", bool]
    """The index of a part, its error, and whether that was examined in detail."""

    class LineRange(TypedDict):
        """Lines of a file, counted from 1, both inclusive."""

        start_line: int
        end_line: int

    class Region(LineRange):
        """Lines of a file, and their text."""

        text: str

    class Stale(Region):
        """The text that replaced another one, and is there now."""

        change_id: str | None
        """None: not replaced by a suture change."""

    class AppliedAt(LineRange):
        """Where the new text is already."""

        change_id: str | None
        """The change that put it there, if it is known."""

    class SidesAt(TypedDict):
        """The text on each side where the file differs in lines that a change touches."""

        line: int
        base: str
        ours: str
        theirs: str

    class NearPlace(Region):
        """A place similar to the text to find, as `patch` reports it."""

        score: float
        symbol: str
        differences: list[str]

    class UniqueText(TypedDict):
        """A longer text that occurs once."""

        line_number: int
        old_text: str

    class IndentStyle(TypedDict, total=False):
        """How a file is indented."""

        style: str
        width: int | None

    class WordAt(TypedDict):
        """A word of a text, and a line that contains it."""

        word: str
        line_number: int
        content: str

    class WordsFound(TypedDict):
        """The words of a text that a file contains, and those that it lacks."""

        there: list[WordAt]
        missing: list[str]

    class LineIn(TypedDict):
        """A line of a file, and the class or function that it is in."""

        line: int
        text: str
        symbol: str

    class PlaceIn(LineRange):
        """Lines of a file, and the class or function that they are in."""

        symbol: str

    class Reading(TypedDict):
        """One way to read a block."""

        old: str
        new: str


@dataclass_transform(kw_only_default=True)
class SutureError(Exception):
    """An edit or a read that failed, and why. Nothing was changed."""

    code = "INTERNAL"
    retryable = False
    current_hash: str | None = None
    """The hash of the file that it is about, if the file was read; not one of the fields."""
    further: Sequence[Further] = ()
    """The further failures of the call, after this first one; not one of the fields."""
    unexamined: int = 0
    """How many parts of the call were not examined, because that would have taken too long."""
    at_edit: tuple[int, int] | None = None
    """The index of the edit that it is about, and the number of edits, for a tool whose edits fail in any way; not one
    of the fields."""
    seen_from: str = ""
    """The folder that its paths are relative to; empty for the root. Not one of the fields."""
    _position: tuple[str, ...] = ()
    """Fields that locate it in a list of edits; left out of `fields` if they were not given."""
    _fields: tuple[str, ...] = ()

    def __init_subclass__(cls, code: str | None = None, *, retryable: bool | None = None) -> None:
        if code is not None:
            cls.code = code
        if retryable is not None:
            cls.retryable = retryable
        cls._fields = tuple(dict.fromkeys((*cls._fields, *cls.__annotations__)))

    def __init__(self, **fields: object) -> None:
        unknown = fields.keys() - set(self._fields)
        missing = [name for name in self._fields if name not in fields and not hasattr(self, name)]
        if unknown or missing:
            wrong = f"{type(self).__name__}: unknown {sorted(unknown)}, missing {missing}"
            raise TypeError(wrong)
        self.__dict__.update(fields)
        super().__init__(self.code, self.fields())

    def fields(self) -> dict[str, object]:
        """The typed fields, by name."""
        known = (name for name in self._fields if name in self.__dict__ or name not in self._position)
        return {name: getattr(self, name) for name in known}

    def evolve(self, **changes: object) -> Self:
        """A copy of the fields, some of them changed; what is not a field is not copied."""
        return _rebuild(type(self), self.fields() | changes)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by fields: by default, exceptions are rebuilt from positional arguments."""
        return _rebuild, (type(self), self.fields())

    def __str__(self) -> str:
        return " ".join([self.code, *(f"{name}={value!r}" for name, value in self.fields().items())])


def _rebuild(kind: type[E], fields: dict[str, object]) -> E:
    return kind(**fields)


class _OfPath(SutureError):
    path: str


class _OfSystem(_OfPath, retryable=True):
    reason: str
    errno: int


class _OfPattern(SutureError):
    pattern: str


class _OfChange(SutureError):
    change_id: str


class _OfEdit(_OfPath):
    _position = ("edit_index", "total_edits", "expected_occurrences")
    edit_index: int = 0
    total_edits: int = 1
    search_text: str
    expected_occurrences: int = 1


class _OfPart(SutureError):
    _position = ("index", "total")
    index: int = 0
    total: int = 1


class _OfPatch(_OfPart):
    path: str


class InternalError(SutureError, code="INTERNAL"):
    """A defect in suture. The traceback is in the log."""

    exception: str


class InvalidArguments(SutureError, code="INVALID_ARGUMENTS"):
    """The arguments are not valid for the tool."""

    problems: list[dict[str, str]]

    @classmethod
    def of(cls, argument: str, problem: str) -> Self:
        """An error about one argument."""
        return cls(problems=[{"argument": argument, "problem": problem}])


class UnknownTool(SutureError, code="UNKNOWN_TOOL"):
    """No tool has this name."""

    name: str
    near: list[str]
    known: list[str]


class InputTooLarge(SutureError, code="INPUT_TOO_LARGE"):
    """The request, or a file it names, is larger than the setting allows."""

    what: str
    size: int
    limit: int
    setting: str
    unit: str = "bytes"


class InvalidPath(_OfPath, code="INVALID_PATH"):
    """The path is impossible for a file, or unsuitable for a new one."""

    reason: str


class PathOutsideWorkspace(_OfPath, code="PATH_OUTSIDE_WORKSPACE"):
    """The path leads outside every root, or cannot be shown to stay inside."""

    reason: str


class ProtectedPath(_OfPath, code="PROTECTED_PATH"):
    """The path runs or configures something on this machine; agents may not use it."""

    rule: str
    used_by: str = "machine"
    """What uses it: `suture` itself, or another program of this `machine`."""


class FileNotFound(_OfPath, code="FILE_NOT_FOUND"):
    """There is no file at this path."""

    near: list[str]
    """Files that may be meant, best first."""
    create_by: list[str] | None = None
    """The operations that would create it, if there are any; empty if the file was to be deleted."""


class NotAFile(_OfPath, code="NOT_A_FILE"):
    """The path names a folder, a device, a pipe or a socket; or a link, where the file would be deleted or renamed."""

    kind: str


class NotAFolder(_OfPath, code="NOT_A_FOLDER"):
    """A part of the path that should be a folder is something else."""

    folder: str


class FileExists(_OfPath, code="FILE_EXISTS"):
    """The file to create already exists."""


class PermissionDenied(_OfPath, code="PERMISSION_DENIED"):
    """The operating system does not allow it."""

    operation: str


class WorkspaceNotFound(SutureError, code="WORKSPACE_NOT_FOUND"):
    """The root is not a folder that can be opened."""

    root: str
    reason: str


class BinaryFile(_OfPath, code="BINARY_FILE"):
    """The file contains a NUL byte near the beginning: it is not text."""


class RangeOutOfBounds(_OfPath, code="RANGE_OUT_OF_BOUNDS"):
    """The first requested line is past the end of the file, or past the last requested line."""

    start_line: int
    end_line: int | None
    total_lines: int


class EncodingUnknown(SutureError, code="ENCODING_UNKNOWN"):
    """A non-ASCII character would be written to a file whose encoding is unknown."""

    character: str
    candidates: list[str]


class EncodingMismatch(SutureError, code="ENCODING_MISMATCH"):
    """The named encoding cannot read this file and write it back unchanged."""

    encoding: str
    reason: str


class NotEncodable(SutureError, code="NOT_ENCODABLE"):
    """The file's encoding has no such character."""

    character: str
    encoding: str


class EditOutOfBounds(SutureError, code="EDIT_OUT_OF_BOUNDS"):
    """An edit's span ends before it starts, or is outside the text."""

    start: int
    end: int
    size: int


class OverlappingEdits(SutureError, code="OVERLAPPING_EDITS"):
    """Two edits of one file touch the same bytes."""

    first: tuple[int, int]
    second: tuple[int, int]


class FileChanged(_OfPath, code="FILE_CHANGED", retryable=True):
    """A file does not have the expected content; something else changed it."""

    expected: str | None
    found: str | None
    changed_lines: str | None = None
    """What has changed since the expected version, as the hunks of a unified diff without context; null if that version
    is not known. A long one is truncated."""


class SameFileTwice(_OfPath, code="SAME_FILE_TWICE"):
    """One transaction names a file twice, perhaps through two hard links."""

    other: str


class ReadFailed(_OfSystem, code="READ_FAILED"):
    """The operating system failed to read."""


class WriteFailed(_OfSystem, code="WRITE_FAILED"):
    """The operating system failed to write; everything was rolled back."""


class WorkspaceBusy(SutureError, code="WORKSPACE_BUSY", retryable=True):
    """Another process held the workspace lock until the wait timed out."""

    waited_ms: int
    setting: str = "lock_timeout_ms"


class Cancelled(SutureError, code="CANCELLED", retryable=True):
    """The caller canceled the call before anything was written."""


class CallTimedOut(SutureError, code="CALL_TIMED_OUT"):
    """The call exceeded its time limit before it began to write."""

    timeout_ms: int
    setting: str = "call_ms"


class OutOfMemory(SutureError, code="OUT_OF_MEMORY"):
    """The call needed more memory than is allowed or available."""

    setting: str = "max_memory_bytes"


class RecoveryBlocked(SutureError, code="RECOVERY_BLOCKED"):
    """An interrupted transaction cannot be recovered."""

    intent: str
    reason: str
    state: str = "left"
    """What blocks it: what an earlier call `left`, this call's own change (`open`), or a `foreign` intent."""
    change_id: str | None = None
    """The interrupted change, if it is known."""


class NoMatch(_OfEdit, code="NO_MATCH"):
    """The text to replace is not in the file, or not after the earlier edits of the call."""

    why: str
    """`found`: it occurs in one place, but is written differently there; `missing`, `ambiguous`, ...: see `locate`."""
    rung: str | None
    similar_content: list[SimilarContent]
    indent: IndentStyle
    file_preview: FilePreview | None
    correction: CorrectedEdit | None = None
    """`{old_text, new_text, start_line, end_line}`: the corrected edit, which applies."""
    sides: SidesAt | None = None
    """`{line, base, ours, theirs}` where the file differs in lines that the change touches."""
    detail: str = ""
    """For `conflict` and `unproved`: what could not be decided."""
    applied: AppliedAt | None = None
    """`{start_line, end_line, change_id}`: where the new text already is, and which change put it there."""
    stale: Stale | None = None
    """`{change_id, start_line, end_line, text}`: the text that replaced it, and is there now."""
    written_on: WrittenOn | None = None
    """`{source, id, until}`: the version that the text was written on, if it is known."""
    consumed_by: int | None = None
    """The earlier edit of the call that changed the text."""
    candidates: list[str] | None = None
    """The encodings that the file may be in, if its encoding is unknown."""
    attempt: int = 1
    """How often this edit was sent for this content of the file."""
    region: Region | None = None
    """`{start_line, end_line, text}`: the lines around the nearest place, from the second attempt on."""
    words: WordsFound | None = None
    """`{there, missing}`: the words of the text that the file contains, each with a line, and those that it lacks."""
    unique: list[UniqueText] = []  # noqa: RUF012  never changed
    """As in `WrongCount`, if several places fit."""


class WrongCount(_OfEdit, code="WRONG_COUNT"):
    """The text to replace occurs more or less often than expected."""

    actual_occurrences: int
    match_locations: list[MatchLocation]
    file_preview: FilePreview | None
    unique: list[UniqueText]
    """`{line_number, old_text}`: for some of the places, a longer text that occurs only there."""
    originally: int | None = None
    """How often it occurred before the earlier edits of the call, if that differs."""
    attempt: int = 1


class _OfSearch(_OfPatch):
    attempt: int = 1
    region: Region | None = None


class OldTextNotFound(_OfSearch, code="OLD_TEXT_NOT_FOUND"):
    """The text to replace is not in the file, in any form that `match` allows."""

    match: str
    search_text: str
    nearest: list[NearPlace]
    """`{start_line, end_line, score, symbol, text, differences}` of the closest places, best first."""
    rung: str | None = None
    """How these places match, if `match` does not allow that."""
    stale: Stale | None = None
    """`{change_id, start_line, end_line, text}`: the text that replaced it, and is there now; `change_id` is null
    if no suture change replaced it."""
    depends_on: int | None = None
    """The earlier patch of the call whose result has the text: patches refer to the file as it was before the call."""
    words: WordsFound | None = None
    """`{there, missing}`, as in `NoMatch`, from the second attempt on if no place is near."""


class OldTextNotUnique(_OfPatch, code="OLD_TEXT_NOT_UNIQUE"):
    """The text to replace fits several places."""

    rung: str | None
    places: list[LineRange]
    """`{start_line, end_line}`, all of them."""
    search_text: str
    shown: list[LineIn] = []  # noqa: RUF012  never changed
    """`{line, text, symbol}` of the first ten places."""
    near: int | None = None
    """The line that was to choose among them; several are equally near."""
    number: int | None = None
    """How many places there are, if there may be more than `places` lists."""
    attempt: int = 1
    unique: list[UniqueText] = []  # noqa: RUF012  never changed
    """As in `WrongCount`, from the second attempt on."""


class MissingOldText(_OfPart, code="MISSING_OLD_TEXT"):
    """A replacement does not say what to replace; an empty text matches only an empty file."""


class AlreadyApplied(_OfPatch, code="ALREADY_APPLIED"):
    """The new text is already in place of the old one."""

    start_line: int
    end_line: int
    search_text: str
    change_id: str | None = None
    """The change that applied it, if it is in the history."""


class PartlyApplied(_OfPatch, code="PARTLY_APPLIED"):
    """Part of the change has already been made."""

    start_line: int
    end_line: int
    text: str
    search_text: str


class TargetDeleted(_OfPatch, code="TARGET_DELETED"):
    """The text to replace was removed from the file."""

    start_line: int
    """Where it was, in lines of the current file."""
    end_line: int
    text: str
    """What is there now."""
    written_on: WrittenOn | None
    """`{source, id, until}`: the version that has the text, and the change or commit that replaced that version."""
    search_text: str


class EditConflict(_OfSearch, code="EDIT_CONFLICT"):
    """The file differs from the old text in the lines that the change touches."""

    line: int
    base: str
    ours: str
    theirs: str
    detail: str
    search_text: str
    written_on: WrittenOn | None = None
    """`{source, id, until}`: the version that the old text was written on, if it is known."""


class ElisionInNewText(_OfPatch, code="ELISION_IN_NEW_TEXT"):
    """The new text and the text that it replaces leave out different parts: something would be deleted silently."""

    search_text: str
    operation: str = "replace"
    marker: str = ""
    """The line of the new text that leaves something out; empty if only the old text has one."""
    argument: str = ""
    """Where it is in the arguments, such as `edits[0].new_text`."""


class UnprovedChange(_OfSearch, code="UNPROVED_CHANGE"):
    """The place was found, but it is not clear how to apply the change there."""

    rung: str | None
    start_line: int
    end_line: int
    text: str
    detail: str
    search_text: str


class OverlappingPatches(_OfPath, code="OVERLAPPING_PATCHES"):
    """Two patches of one call replace the same text."""

    first: int
    second: int
    first_lines: tuple[int, int]
    second_lines: tuple[int, int]
    total: int


class ClipboardNotFound(_OfPart, code="CLIPBOARD_NOT_FOUND"):
    """The session has no clipboard with this name."""

    name: str
    known: list[str]
    """The names of the clipboards of the session."""
    origins: list[KnownClipboard]
    """These clipboards, with the places that their texts came from."""
    short_lived: bool = False
    """Whether the session is a single command."""


class ClipboardRequiresReplace(_OfPart, code="CLIPBOARD_REQUIRES_REPLACE"):
    """Only a replacement can fill a clipboard."""

    operation: str


class StripPreconditionFailed(_OfPart, code="STRIP_PRECONDITION_FAILED"):
    """A line of the text to insert does not begin with the prefix to strip."""

    line_number: int
    line: str
    prefix: str


class LineOutOfBounds(_OfPath, code="LINE_OUT_OF_BOUNDS"):
    """The file does not have the line; `which` is the argument that names it."""

    which: str
    line: int
    total_lines: int
    near: list[str]
    """Files with similar names, if the file does not exist."""


class OverlappingLines(SutureError, code="OVERLAPPING_LINES"):
    """Two edits change the same lines."""

    first: tuple[int, int]
    second: tuple[int, int]


class Drifted(_OfPath, code="DRIFTED"):
    """The lines do not have the expected text; `stands_at` are the lines at which it begins now."""

    start_line: int
    end_line: int
    text: str
    """What is there now."""
    stands_at: list[int]


class PatternNotFound(_OfPath, code="PATTERN_NOT_FOUND"):
    """The text or pattern to replace was not found."""

    search: str
    exists: bool
    """Whether the file exists."""
    near: list[str]
    details: list[str]
    """What is known about why it was not found."""
    correction: CorrectedSearch | None = None
    """The search and replacement that were probably meant."""


class ValidationFailed(SutureError, code="VALIDATION_FAILED"):
    """The edit would introduce errors, or a required check could not run; nothing was written."""

    files: list[str]
    validation: Findings
    diff: str
    replacements: int | None = None
    failed: list[str] = []  # noqa: RUF012  never changed
    """Blocks of a reply that could not be applied, which may be the cause."""


class NoBlocks(SutureError, code="NO_BLOCKS"):
    """The reply contains nothing that can be applied."""

    fenced: list[str]
    """Whole files in code fences, which were skipped."""
    characters: int
    skipped: int = 0
    """How many blocks are in the model's thinking, which is not applied."""
    unread: list[UnreadEdit] = []  # noqa: RUF012  never changed
    """What looks like an edit but was not read: `{line, kind, path, edits, message}` of each."""


class UnreadEdits(SutureError, code="UNREAD_EDITS"):
    """All blocks that were read fit, but something else in the reply clearly edits files and was not read."""

    unread: list[UnreadEdit]
    """`{line, kind, path, edits, message}` of each."""
    landed: list[str]
    """The ids of the blocks that were applied."""


class BlocksFailed(SutureError, code="BLOCKS_FAILED"):
    """Some blocks of the reply could not be applied; the result says what happened to the others."""

    failed: list[str]
    """The ids of those blocks."""
    landed: list[str]
    total: int


class IncompleteBlock(SutureError, code="INCOMPLETE_BLOCK"):
    """A part of a block is missing or damaged, so its meaning is unknown."""

    problem: str
    """`no_start`, `no_separator`, `many_separators`, `no_end`, `two_ends`: its markers; `empty`, `not_a_hunk`: its
    lines; `inside`: another block before it has no end; `partial`: it deletes more than it shows; `excerpt`: a fence
    is introduced as a part of a file or as an example, where a whole file is needed; `not_exact`, `not_asked`: a call
    that cannot be carried out exactly, or that writes a whole file."""
    reply_line: int
    format: str
    path: str | None


class AmbiguousBlock(_OfPath, code="AMBIGUOUS_BLOCK"):
    """Markers in a block's content allow several readings, and the file does not show which is meant."""

    reply_line: int
    readings: list[Reading]
    """`{old, new}` of each."""
    ends: list[int] = []  # noqa: RUF012  never changed
    """The lines of the reply at which it may end, if that is what is unclear."""


class ReplyTimeout(SutureError, code="REPLY_TIMEOUT", retryable=True):
    """The time limit expired before this block was reached."""

    limit: int
    """In milliseconds."""


class NoPath(SutureError, code="NO_PATH"):
    """The reply does not say which file a block changes."""

    reply_line: int
    candidates: list[str] = []  # noqa: RUF012  never changed
    """The files that the lines above it mention."""
    why: str = ""
    """`several`: it fits all of them, or not exactly one. `missing`: the first ones are mentioned, but do not exist;
    the last is the file of the block before. `elsewhere`: it fits only the last one, which is not mentioned."""


class NoContext(_OfPath, code="NO_CONTEXT"):
    """A hunk only inserts, and nothing in it says where."""

    context: list[str]


class OutOfScope(_OfPath, code="OUT_OF_SCOPE"):
    """A hunk names a class or function that is not in the file, or that does not contain the hunk's lines."""

    context: list[str]
    """What the hunk names, the outermost first."""
    exists: bool
    """Whether what it names is in the file."""
    places: list[PlaceIn]
    """`{start_line, end_line, symbol}`: where the hunk's lines are."""


class UnsupportedBlock(SutureError, code="UNSUPPORTED_BLOCK"):
    """A change to something that is not text: a binary file, a symbolic link, a submodule; or to a mode only."""

    path: str | None
    problem: str


class InvalidRegex(_OfPattern, code="INVALID_REGEX"):
    """The pattern is not a valid regular expression of the dialect; `position` counts its characters from 0."""

    reason: str
    position: int
    advice: str | None = None
    """How to write it instead, if that is known."""
    dialect: str = "JavaScript"


class InvalidFlags(SutureError, code="INVALID_FLAGS"):
    """An unknown flag."""

    flags: str
    supported: str


class RegexTimeout(_OfPattern, code="REGEX_TIMEOUT"):
    """The search took longer than the setting allows."""

    path: str
    timeout_ms: int
    setting: str


class InvalidGlob(_OfPattern, code="INVALID_GLOB"):
    """The glob pattern is not valid."""

    reason: str


class NoFilesMatched(_OfPattern, code="NO_FILES_MATCHED"):
    """No file matches the glob pattern."""

    hidden_by: str | None = None
    """Why matching files were skipped, if that is known."""


class InvalidCaptureGroup(SutureError, code="INVALID_CAPTURE_GROUP"):
    """The replacement refers to a group that the pattern does not have, or uses another dialect's syntax."""

    reference: str
    groups: int
    names: list[str]
    meant: str | None = None
    """How this tool writes it, if the group exists and only the syntax is another dialect's."""
    dialect: str = "JavaScript"


class NoCaptureGroups(_OfPattern, code="NO_CAPTURE_GROUPS"):
    """The groups were requested, but the pattern has none."""


class TooManyReplacements(SutureError, code="TOO_MANY_REPLACEMENTS"):
    """More matches than the call or the setting allows; nothing was changed."""

    found: int
    limit: int
    setting: str | None = None


class OverMatch(_OfPath, code="OVER_MATCH"):
    """A match of many lines contains other matches: the pattern is probably greedier than intended."""

    line: int
    end_line: int
    inner_line: int


class HistoryUnavailable(SutureError, code="HISTORY_UNAVAILABLE"):
    """The history of this workspace cannot be read."""

    reason: str


class HistoryDamaged(SutureError, code="HISTORY_DAMAGED"):
    """A record of the history that the call needs is damaged. Nothing was changed."""

    what: str
    """change, content, checkpoint or clipboard"""
    name: str
    """The id of the change, the hash of the content, or the name."""
    path: str | None = None
    """The file that needs it, if there is one."""


class ChangeNotFound(_OfChange, code="CHANGE_NOT_FOUND"):
    """No change has this id, or several ids begin with it."""

    candidates: list[str]
    forgotten: bool = False
    """Whether older changes were removed to stay within the limits."""
    checkpoints: list[str] | None = None
    """The names of the newest checkpoints, if a checkpoint is accepted too."""


class NothingToUndo(SutureError, code="NOTHING_TO_UNDO"):
    """There is no change left to undo."""

    root: str
    all_undone: bool
    """Whether there were changes, which are all undone."""
    session: str | None = None
    """The session that the call is about, if it is about only one."""
    newest: str | None = None
    """The newest change in effect, if another session made it."""
    by: str | None = None
    """That session: its id and its agent."""


class NothingToRedo(SutureError, code="NOTHING_TO_REDO"):
    """No change has been undone, or this one has not."""

    change_id: str | None


class AlreadyUndone(_OfChange, code="ALREADY_UNDONE"):
    """The change has already been undone."""


class NotHere(_OfChange, code="NOT_HERE"):
    """The change is not in the files, as after `git stash` or on another branch: there is nothing to undo."""

    branch: str | None
    """The branch that the change was made on, if it is known."""
    now: str | None
    """The current branch."""
    operation: str = "undo"


class SessionNotFound(SutureError, code="SESSION_NOT_FOUND"):
    """No session with changes has this id or name, or several do."""

    session: str
    """The id or name that was given."""
    candidates: list[str]
    """The sessions that match, or the latest ones, each with its agent."""
    ambiguous: bool = False
    """Whether several sessions match."""


class UndoConflict(_OfChange, code="UNDO_CONFLICT"):
    """Later changes conflict with the undo."""

    conflicts: list[UndoClash]
    later: list[str]
    """The later changes of these files that are not undone, newest first; other programs may have changed them too."""
    operation: str = "undo"
    made_on = ""
    """The branch that the change was made on, if another one is checked out now; only worded."""


class ContentNotKept(_OfPath, code="CONTENT_NOT_KEPT"):
    """The history has only the hash of this version of the file."""

    hash: str
    forgotten: bool = False
    """Whether `suture forget` removed the content."""


class NotRecorded(_OfPath, code="NOT_RECORDED"):
    """The history has no version of this file."""

    near: list[str]
    is_point: bool = False
    """Whether this is the name of a checkpoint, or the id of a change."""


class CheckpointExists(SutureError, code="CHECKPOINT_EXISTS"):
    """A checkpoint with this name exists, or a change id begins with it."""

    name: str


class CheckpointTooLarge(SutureError, code="CHECKPOINT_TOO_LARGE"):
    """The tree has more files than a checkpoint may contain, or they cannot be read in time."""

    files: int
    """How many files were found before that."""
    limit: int
    """The limit."""
    setting: str
    """The setting with the limit: a number of files, milliseconds or bytes."""


class GitBusy(SutureError, code="GIT_BUSY"):
    """A git operation is in progress, and it decides what the files should contain."""

    operation: str
    """`merge`, `rebase`, `cherry-pick`, `revert` or `am`."""


class HeadMoved(SutureError, code="HEAD_MOVED"):
    """A different commit or branch was checked out at the time of the checkpoint."""

    checkpoint: str
    """The name of the checkpoint."""
    then: str
    """The branch and the commit at the checkpoint."""
    now: str
    """The branch and the commit that are checked out now."""


class DeletionsNotConfirmed(SutureError, code="DELETIONS_NOT_CONFIRMED"):
    """A restore would delete files created since the checkpoint, which needs to be confirmed."""

    paths: list[str]
    """The first files that would be deleted."""
    total: int
    """How many would be deleted."""


class ServerBusy(SutureError, code="SERVER_BUSY", retryable=True):
    """The server is already running as many calls as it can."""

    limit: int


class NoWorkspace(SutureError, code="NO_WORKSPACE"):
    """The server was started outside of any project, and the client declared no folder that the server may serve."""

    started_in: str
    """The folder that the server was started in."""
    reason: str
    """Why that is no project; empty if the folder no longer exists."""
    declared: list[str]
    """The folders that the client declared, up to 3; the server may serve none of them."""
