"""What can go wrong with a pattern: a regular expression, its replacement, or a glob."""

from __future__ import annotations

from suture.errors.error import SutureError


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
    """The replacement refers to a group that the pattern has not, or in another dialect's way."""

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
