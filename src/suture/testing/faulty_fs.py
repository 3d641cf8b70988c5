"""A file system that fails, or stops for good, at the call it is told to."""

from __future__ import annotations

import errno
import os
from threading import Lock

from suture.files.fs import FS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any


_OPENING = {"open_root", "open_folder", "open_file", "open_write", "create", "lock", "scan"}
_CLOSING = {"close", "unlock"}


class Stopped(BaseException):
    """The machine stopped here: no cleanup code of the code under test can run any more."""


class FaultyFS(FS):
    """Another file system that fails at one call, or stops for good there.

    Calls are counted from 1; `calls` has the names of those made so far. `only` restricts counting to
    calls of these names. A write that stops has written the first half; a close that fails has closed, as on
    Linux, and one after the stop does nothing. `on_call(number, name)` runs before each counted call, for
    instance to kill the process.
    """

    def __init__(
        self,
        inner: FS,
        *,
        fail_at: int | None = None,
        error: int = errno.EIO,
        stop_at: int | None = None,
        only: Iterable[str] = (),
        on_call: Callable[[int, str], None] | None = None,
    ) -> None:
        self.inner = inner
        self.calls: list[str] = []
        self._fail_at = fail_at
        self._error = error
        self._stop_at = stop_at
        self._only = frozenset(only)
        self._on_call = on_call
        self._open: set[int] = set()
        self._counting = Lock()

    def abandon(self) -> None:
        """Close what the stopped process had open, as the kernel does when a process dies; nothing works after it."""
        self._stop_at = 0
        while self._open:
            self.inner.close(self._open.pop())

    def _pass(self, name: str, *args: Any) -> Any:
        counted = not self._only or name in self._only
        with self._counting:  # files are synced in threads
            if counted:
                self.calls.append(name)
            number = len(self.calls)
        if counted and self._on_call is not None:
            self._on_call(number, name)
        if self._stop_at is not None and number >= self._stop_at:
            if name == "write" and number == self._stop_at:
                data = b"".join(args[1])
                self.inner.write(args[0], (data[: len(data) // 2],))
            if name in _CLOSING and number > self._stop_at:
                return None  # a generator that is thrown away closes its file, and nobody would see it raise
            raise Stopped(name)
        if counted and number == self._fail_at:
            if name in _CLOSING:
                self._open.discard(args[0])
                self.inner.close(args[0])
            raise OSError(self._error, os.strerror(self._error))
        result = getattr(self.inner, name)(*args)
        if name in _OPENING and result is not None:
            self._open.add(result[0] if name == "scan" else result)
        elif name in _CLOSING:
            self._open.discard(args[0])
        return result


def _passing(name: str) -> Callable[..., Any]:
    def method(self: FaultyFS, *args: Any) -> Any:
        return self._pass(name, *args)

    return method


for _name in [name for name in vars(FS) if not name.startswith("_")]:
    setattr(FaultyFS, _name, _passing(_name))
