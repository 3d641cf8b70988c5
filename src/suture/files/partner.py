"""A second process that takes over a part of the work of large calls.

Python lets only one thread of a process compute; a tree of 30,000 files is read twice as fast by two processes. The
partner is started by the first call that is large enough, waits for batches on a pipe, answers each, and ends when
its pipe does: with the workspace, or with the process that started it, however that ends. A batch that it fails to
answer is done by whoever gave it.

Rejected: threads. Reading a small file is three short system calls, after each of which two threads fight for the
interpreter: measured, two are slower than one. Forking: the host may have threads, and locks that they hold.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager

from suture import log
from suture.origins import start_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from select import poll
    from typing import Any, Protocol

    class Finder(Protocol):
        """Gives the partner, if there is one or one shall be started."""

        def __call__(self, *, start: bool) -> Partner | None:
            """The partner."""


_HEAD = 8
_CHUNK = 1 << 20
_PATIENCE_MS = 5_000  # a batch takes some milliseconds
_SERVE = "from suture.files.partner import serve; serve({entry!r})"


class Partner:
    """The other process, seen from this one. Used by one call at a time."""

    def __init__(self, entry: str, roots: Sequence[str] = ()) -> None:
        """`entry` names a module whose function `answer` takes a batch; none is imported from below `roots`."""
        import signal
        from select import POLLIN, POLLOUT
        from select import poll as events

        requests, ours = os.pipe()
        answers, theirs = os.pipe()
        self._out, self._in = ours, answers
        self._process: int | None = None
        self._owner = os.getpid()
        self.busy = False
        """Whether it was given a batch whose answer nobody took yet."""
        try:
            self._process = os.posix_spawn(
                sys.executable,
                [sys.executable, "-I", "-S", "-c", start_code(roots) + _SERVE.format(entry=entry)],
                os.environ,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, requests, 0),
                    (os.POSIX_SPAWN_DUP2, theirs, 1),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                ],
                setsigdef=[signal.SIGINT, signal.SIGPIPE, signal.SIGTERM],
            )
        finally:
            os.close(requests)
            os.close(theirs)
            if self._process is None:
                self.close()
        os.set_blocking(self._out, False)
        self._answers, self._room = events(), events()
        self._answers.register(self._in, POLLIN)
        self._room.register(self._out, POLLOUT)

    @property
    def usable(self) -> bool:
        """Whether it can be given work: it lives, as far as known, and belongs to this process."""
        return self._process is not None and self._owner == os.getpid()

    @property
    def ready(self) -> bool:
        """Whether an answer lies there, or the end of the partner."""
        return bool(self._answers.poll(0))

    def give(self, batch: Any) -> bool:
        """Hand over a batch; False if there is nobody to take it."""
        from marshal import dumps

        data = dumps(batch)
        rest = memoryview(len(data).to_bytes(_HEAD, "little") + data)
        try:
            while rest:
                _wait(self._room)
                rest = rest[os.write(self._out, rest) :]
        except OSError:
            self.close()
            return False
        self.busy = True
        return True

    def take(self) -> Any:
        """The answer to the batch that was given, when it comes; None if none will."""
        from marshal import loads

        self.busy = False
        try:
            data = _message(self._in, self._answers)
        except OSError:
            data = b""
        if not data:
            log.debug("partner", "the second process has ended")
            self.close()
            return None
        return loads(data)  # noqa: S302  from our own process, over our own pipe

    def close(self) -> None:
        """Let it end."""
        for handle in (self._out, self._in):
            if handle >= 0:
                os.close(handle)
        self._out = self._in = -1
        if self._process is not None and self._owner == os.getpid():
            process, self._process = self._process, None
            try:
                os.kill(process, 9)
                os.waitpid(process, 0)
            except (ProcessLookupError, ChildProcessError):  # somebody else collects children here
                log.debug("partner", "the second process was gone already")


class Team:
    """A workspace's partner: none yet, one that waits, or one that is at work for a call."""

    def __init__(self, entry: str, roots: Sequence[str] = (), *, local: bool) -> None:
        """Without `local` files, another process would not see them."""
        from _thread import allocate_lock

        self._entry = entry
        self._roots = roots
        self._possible = local and _has_room()
        self._lock = allocate_lock()
        self._partner: Partner | None = None

    @contextmanager
    def partner(self) -> Iterator[Finder]:
        """A function that gives the partner, or None: one that waits already or, if it shall, a new one."""
        mine = self._possible and self._lock.acquire(blocking=False)
        try:
            yield self._find if mine else _nobody
        finally:
            if mine:
                if self._partner is not None and self._partner.busy:  # its answer would be taken for the next one's
                    self._partner.close()
                self._lock.release()

    def _find(self, *, start: bool) -> Partner | None:
        if self._partner is not None and not self._partner.usable:
            self._partner.close()
            self._partner = None
        if self._partner is None and start and self._possible:
            try:
                self._partner = Partner(self._entry, self._roots)
            except OSError as error:
                log.debug("partner", "no second process: %s", error)
                self._possible = False
        return self._partner

    def close(self) -> None:
        """Let the partner end; a later call may start another."""
        with self._lock:
            if self._partner is not None:
                self._partner.close()
                self._partner = None

    __del__ = close


def _nobody(*, start: bool) -> None:
    """There is no partner."""
    del start


def _has_room() -> bool:
    """Whether a second process can be started here, and would have a processor of its own."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return processors > 1 and hasattr(os, "posix_spawn") and bool(sys.executable)


def serve(entry: str) -> None:
    """Answer batches until the pipe ends: the other process's whole life."""
    from importlib import import_module
    from marshal import dumps, loads

    answer = import_module(entry).answer
    while data := _message(0):
        reply = dumps(answer(loads(data)))  # noqa: S302  from the process that started this one
        _write(1, len(reply).to_bytes(_HEAD, "little") + reply)


def _wait(event: poll | None) -> None:
    """Wait until something can be read or written; TimeoutError if the other process does not move."""
    if event is not None and not event.poll(_PATIENCE_MS):
        raise TimeoutError


def _message(handle: int, event: poll | None = None) -> bytes:
    """The next message on a pipe; empty at its end. With an event, the other side must be quick."""
    head = _read(handle, _HEAD, event)
    return _read(handle, int.from_bytes(head, "little"), event) if head else b""


def _read(handle: int, size: int, event: poll | None) -> bytes:
    pieces = []
    while size > 0:
        _wait(event)
        piece = os.read(handle, min(size, _CHUNK))
        if not piece:
            return b""
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _write(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]
