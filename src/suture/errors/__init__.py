"""Everything that can go wrong, as data.

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
no words: `render` makes them, once, for every surface.
"""

from __future__ import annotations

from suture.errors.edits import (
    AlreadyApplied,
    ClipboardNotFound,
    ClipboardRequiresReplace,
    EditConflict,
    ElisionInNewText,
    MissingOldText,
    NoMatch,
    OldTextNotFound,
    OldTextNotUnique,
    OverlappingPatches,
    PartlyApplied,
    StripPreconditionFailed,
    TargetDeleted,
    UnprovedChange,
    WrongCount,
)
from suture.errors.error import InternalError, SutureError
from suture.errors.files import (
    BinaryFile,
    CallTimedOut,
    Cancelled,
    EditOutOfBounds,
    EncodingMismatch,
    EncodingUnknown,
    FileChanged,
    FileExists,
    FileNotFound,
    InputTooLarge,
    InvalidArguments,
    InvalidPath,
    NotAFile,
    NotAFolder,
    NotEncodable,
    OutOfMemory,
    OverlappingEdits,
    PathOutsideWorkspace,
    PermissionDenied,
    ProtectedPath,
    RangeOutOfBounds,
    ReadFailed,
    RecoveryBlocked,
    SameFileTwice,
    UnknownTool,
    WorkspaceBusy,
    WorkspaceNotFound,
    WriteFailed,
)
from suture.errors.history import (
    AlreadyUndone,
    ChangeNotFound,
    ContentNotKept,
    HistoryDamaged,
    HistoryUnavailable,
    NothingToRedo,
    NothingToUndo,
    NotRecorded,
    SnapshotExists,
    UndoConflict,
)
from suture.errors.patterns import (
    InvalidCaptureGroup,
    InvalidFlags,
    InvalidGlob,
    InvalidRegex,
    NoCaptureGroups,
    NoFilesMatched,
    OverMatch,
    RegexTimeout,
    TooManyReplacements,
)
from suture.errors.replies import (
    AmbiguousBlock,
    BlocksFailed,
    IncompleteBlock,
    NoBlocks,
    NoContext,
    NoPath,
    OutOfScope,
    ReplyTimeout,
    UnreadEdits,
    UnsupportedBlock,
)
from suture.errors.safe import Drifted, LineOutOfBounds, OverlappingLines, PatternNotFound, ValidationFailed
from suture.errors.serving import ResultTooLarge, ServerBusy

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
