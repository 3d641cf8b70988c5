"""A second process that takes over work: a part of a large search, or a check that may crash or never end.

Python lets only one thread of a process compute; a tree of 30,000 files is read twice as fast by two processes. The
partner is started by the first call that needs it, waits for batches on a pipe, answers each, and ends when its pipe
does: with the workspace, or with the process that started it, however that ends. A partner that does not answer in
time is killed. Of a large search, a batch without an answer is done by the process that gave it.

It imports modules only from where the process that started it may, without the current folder and the workspaces:
see `start_code`. It has no files open except its two pipes, and its folder is `/`.

Rejected: threads. Reading a small file is three short system calls, after each of which two threads fight for the
interpreter: measured, two are slower than one. Forking: the host may have threads, and locks that they hold.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager, suppress
from time import monotonic

from suture import log
from suture.origins import start_code

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from select import poll
    from typing import Any, Protocol

    class Finder(Protocol):
        """Gives the partner, if there is one or one is to be started."""

        def __call__(self, *, start: bool) -> Partner | None:
            """The partner."""


_HEAD_SIZE = 8  # bytes before a message, with its length
_CHUNK_SIZE = 1 << 20  # bytes that are read from a pipe at once
_PATIENCE_MS = 5_000  # a batch of a search takes some milliseconds
_LARGEST_MESSAGE = 1 << 30  # bytes; a head that says more is damaged
_MOST_IDLE_MS = 300_000  # after which a process without work ends
_MOST_HANDLES = 1 << 12  # that the process may have inherited, and closes
_SERVE = "from suture.files.worker import retreat, serve; retreat({memory!r}); serve({entry!r}, {memory!r})"


class Partner:
    """The other process, seen from this one. Used by one call at a time."""

    def __init__(self, entry: str, roots: Sequence[str] = (), memory: int = 0) -> None:
        """`entry` names a module whose function `answer` takes a batch; nothing is imported from `roots`.

        With `memory`, that is all it may have, in bytes; it ends if a batch leaves it with a quarter of that, and if
        it is asked nothing for five minutes.
        """
        import signal
        from select import POLLIN, POLLOUT
        from select import poll as events

        requests, ours = os.pipe()
        answers, theirs = os.pipe()
        self._out, self._in = ours, answers
        self._process: int | None = None
        self._owner = os.getpid()
        self.busy = False
        """Whether it was given a batch, or a part of one, whose answer nobody took yet: also after an interrupt."""
        try:
            self._process = os.posix_spawn(
                sys.executable,
                [sys.executable, "-I", "-S", "-c", start_code(roots) + _SERVE.format(entry=entry, memory=memory)],
                os.environ,
                file_actions=[
                    (os.POSIX_SPAWN_DUP2, requests, 0),
                    (os.POSIX_SPAWN_DUP2, theirs, 1),
                    (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
                ],
                setpgroup=0,  # so that Ctrl-C is for the process that started it
                setsigdef=[signal.SIGINT, signal.SIGPIPE, signal.SIGTERM, signal.SIGALRM],
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

    def give(self, batch: Any, ends: float | None = None) -> bool:
        """Hand over a batch, until a moment of the monotonic clock; False if there is nobody to take it."""
        from marshal import dumps

        data = dumps(batch)
        rest = memoryview(len(data).to_bytes(_HEAD_SIZE, "little") + data)
        self.busy = True
        try:
            while rest:
                _wait(self._room, ends)
                rest = rest[os.write(self._out, rest) :]
        except OSError:
            self.close()
            return False
        return True

    def take(self, ends: float | None = None) -> Any:
        """The answer to the batch that was given, when it comes; None if none will, or not until a moment."""
        from marshal import loads

        try:
            data = _message(self._in, self._answers, ends)
        except OSError:
            data = b""
        self.busy = False
        if not data:
            log.debug("partner", "the second process has ended")
            self.close()
            return None
        return loads(data)  # noqa: S302  from our own process, over our own pipe

    def kill(self) -> None:
        """End it while another thread waits for its answer, which learns of it."""
        process = self._process
        if process is not None and self._owner == os.getpid():
            with suppress(ProcessLookupError):
                os.kill(process, 9)

    def close(self) -> None:
        """Let it end."""
        for handle in (self._out, self._in):
            if handle >= 0:
                os.close(handle)
        self._out = self._in = -1
        if self._process is not None and self._owner == os.getpid():
            process, self._process = self._process, None
            try:
                if os.waitpid(process, os.WNOHANG) == (0, 0):  # else its number may be another's by now
                    os.kill(process, 9)
                    os.waitpid(process, 0)
            except (ProcessLookupError, ChildProcessError):  # somebody else collects children here
                log.debug("partner", "the second process was gone already")


class Team:
    """A workspace's partner: none yet, one that waits, or one that is at work for a call."""

    def __init__(self, entry: str, roots: Sequence[str] = (), *, local: bool) -> None:
        """Nothing in `roots` is imported. Without `local` files, another process would not see them."""
        from _thread import allocate_lock

        self._entry = entry
        self._roots = roots
        self._possible = local and _has_room()
        self._lock = allocate_lock()
        self._partner: Partner | None = None

    @contextmanager
    def partner(self) -> Iterator[Finder]:
        """A function that gives the partner, or None: one that waits already or, if it should, a new one."""
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


def serve(entry: str, memory: int = 0) -> None:
    """Answer batches until the pipe ends: the other process's whole life."""
    from importlib import import_module
    from marshal import dumps, loads

    answer = import_module(entry).answer
    while (not memory or _is_asked()) and (data := _message(0)):
        reply = dumps(answer(loads(data)))  # noqa: S302  from the process that started this one
        _write(1, len(reply).to_bytes(_HEAD_SIZE, "little") + reply)
        if memory and _resident() > memory / 4:  # what a batch leaves behind must not fail the next one
            return


def retreat(memory: int) -> None:  # pragma: no cover  for another process than that of tests
    """Let go of all that was inherited; take no more memory than that, and leave none on the disk after a crash."""
    os.closerange(3, _MOST_HANDLES)
    os.chdir("/")
    if not memory:
        return
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    except (ImportError, ValueError, OSError):  # a system without, or a lower limit already
        return


def _nobody(*, start: bool) -> None:
    """There is no partner."""
    del start


def _has_room() -> bool:
    """Whether a second process can be started here, and would have a processor of its own."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return processors > 1 and hasattr(os, "posix_spawn") and bool(sys.executable)


def _is_asked() -> bool:
    """Whether something comes before long: a process that nobody needs any more ends."""
    from select import POLLIN
    from select import poll as events

    event = events()
    event.register(0, POLLIN)
    return bool(event.poll(_MOST_IDLE_MS))


def _resident() -> int:
    """Bytes of memory that this process has now; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", "rb") as opened:
            return int(opened.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _wait(event: poll | None, ends: float | None = None) -> None:
    """Wait until something can be read or written; TimeoutError if the other process does not move."""
    if event is None:
        return
    patience = _PATIENCE_MS if ends is None else max(ends - monotonic(), 0) * 1_000
    if not event.poll(patience):
        raise TimeoutError


def _message(handle: int, event: poll | None = None, ends: float | None = None) -> bytes:
    """The next message on a pipe; empty at its end. With an event, the other side must be quick."""
    head = _read(handle, _HEAD_SIZE, event, ends)
    size = int.from_bytes(head, "little")
    if size > _LARGEST_MESSAGE:  # a process that goes wrong may write anything
        raise OSError
    return _read(handle, size, event, ends)


def _read(handle: int, size: int, event: poll | None, ends: float | None) -> bytes:
    pieces = []
    while size > 0:
        _wait(event, ends)
        piece = os.read(handle, min(size, _CHUNK_SIZE))
        if not piece:
            return b""
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _write(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest) :]
