"""How far a long search has come, in one line on the terminal, which is gone when it is over."""

from __future__ import annotations

import os
import sys
from time import monotonic

from suture.cli.amounts import several

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

_PATIENCE = 1.0  # seconds before anything is shown
_INTERVAL = 0.1
_WIDTH = 80
_ERASE = "\r\033[K"


class Progress:
    """A counter that a walk calls for each folder. It shows itself on a terminal, and only if it takes long.

    It is a function of the walk and not a thread: what shows progress that does not happen helps nobody.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._files = self._matches = 0
        self._next = monotonic() + _PATIENCE
        self._shown = False
        terminal = sys.stderr is not None and sys.stderr.isatty()
        self._wanted = not quiet and terminal and os.environ.get("TERM") != "dumb"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.erase()

    def __call__(self, files: int, matches: int) -> None:
        """Take note of more files and matches."""
        self._files += files
        self._matches += matches
        if self._wanted and (now := monotonic()) >= self._next:
            self._next = now + _INTERVAL
            self._shown = True
            words = f"{several(self._files, 'file')}, {several(self._matches, 'match')} …"
            self._write(_ERASE + words[: _columns() - 1])

    def erase(self) -> None:
        """Leave no trace."""
        if self._shown:
            self._shown = False
            self._write(_ERASE)

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError):  # the terminal is gone, or cannot write "…"
            self._wanted = False


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _WIDTH
    except (OSError, ValueError):
        return _WIDTH
