"""How long a search may take."""

from __future__ import annotations

from time import monotonic

from suture.errors import RegexTimeout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeVar

    T = TypeVar("T")

_EACH = 1e-5  # seconds for each place that is looked at,
_PATIENCE = 10  # but never more than so many times what a file is allowed


class Clock:
    """How long a file, and all files of a call together, may be searched."""

    def __init__(self, file_ms: int, call_ms: int) -> None:
        self._file_ms = file_ms
        self._call_ms = call_ms
        self._call_ends = monotonic() + call_ms / 1000
        self._path = ""
        self.ends = self._latest = 0.0
        self.start("")

    def start(self, path: str) -> None:
        """Begin with another file."""
        self._path = path
        now, allowed = monotonic(), self._file_ms / 1000
        self.ends = min(now + allowed, self._call_ends)
        self._latest = min(now + allowed * _PATIENCE, self._call_ends)

    def grant(self) -> None:
        """Allow for a place that was looked at: many of them take time, which is not the pattern's fault."""
        self.ends = min(self.ends + _EACH, self._latest)

    def untimed(self, matches: Iterable[T]) -> Iterator[T]:
        """The same matches; what is done with one, until the next is asked for, is not searching the file."""
        for match in matches:
            began = monotonic()
            yield match
            taken = monotonic() - began
            self.ends = min(self.ends + taken, self._call_ends)
            self._latest = min(self._latest + taken, self._call_ends)

    def left(self, source: str) -> float:
        """How many seconds the search for a pattern may still take; none left is an error."""
        left = self.ends - monotonic()
        if left <= 0:
            raise self.timeout(source)
        return left

    def timeout(self, source: str) -> RegexTimeout:
        """The error for a search that took too long."""
        whole = self.ends >= self._call_ends
        limit, setting = (self._call_ms, "regex_call_ms") if whole else (self._file_ms, "regex_file_ms")
        return RegexTimeout(pattern=source, path=self._path, timeout_ms=limit, setting=setting)
