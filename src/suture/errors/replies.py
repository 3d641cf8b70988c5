"""What can go wrong with a model's reply, or a block of it."""

from __future__ import annotations

from suture.errors.error import SutureError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


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
    """Some blocks of the reply could not be applied; what became of the others is told beside it."""

    code = "BLOCKS_FAILED"
    failed: list[str]
    """The ids of those blocks."""
    landed: list[str]
    total: int


class IncompleteBlock(SutureError):
    """A block lacks a part, so that nobody can tell what it says."""

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
    readings: list[dict[str, Any]]
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
    """`several`: it fits all of them, or none of them alone. `missing`: the first ones are mentioned, but do not exist;
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
    places: list[dict[str, Any]]
    """`{start_line, end_line, symbol}`: where the hunk's lines are."""


class UnsupportedBlock(SutureError):
    """A change of something that is not text: a binary file, a symbolic link, a submodule; or of a mode alone."""

    code = "UNSUPPORTED_BLOCK"
    path: str | None
    problem: str
