"""A second process for part of the work: half of a large search, or a check that may crash or never end.

Python runs only one thread at a time; two processes read a tree of 30,000 files twice as fast as one. The first call
that needs the worker starts it. It reads batches from a pipe and answers each of them. It exits when the pipe closes:
with the workspace, or when the process that started it ends for any reason. A worker that does not answer in time is
killed, and its part of a search is done by the process that started it.

It imports modules only from where its parent may, never from the current folder or a workspace (see `start_code`). It
has no open files except its two pipes, and its current folder is `/`.

Rejected: threads. Reading a small file takes three short system calls, and after each of them two threads compete for
the interpreter; measured, two are slower than one. Forking: the host may have threads that hold locks.
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
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from select import poll
    from typing import Any, Protocol

    Run = tuple[int, str, list[str]]
    """A folder of a walk, its path from the root, and names in it."""
    Files = list[tuple[str, list[str]]]
    """The paths of folders, and names in them."""

    class GetWorker(Protocol):
        """Returns the worker, or None. With `start`, starts it if it isn't running."""

        def __call__(self, *, start: bool) -> Worker | None:
            """The worker."""


_HEAD_SIZE = 8  # bytes before each message that hold its length
_CHUNK_SIZE = 1 << 20  # bytes read from a pipe at once: bounds the memory
_REPLY_TIMEOUT_MS = 5_000  # a batch of a search takes a few milliseconds
_MAX_MESSAGE_BYTES = 1 << 30  # bytes; a head that says more is damaged
_MAX_IDLE_MS = 300_000  # after which a process without work ends: it holds memory that others may need
_MAX_HANDLES = 1 << 12  # the highest inherited handle that the process closes
_WORTH_ASKING = 200  # files to search here before handing any to a second process that already runs
_WORTH_STARTING = 1_500  # files to search here before starting a second process
_BATCH = 400  # files that are handed over at a time
_SERVE = "from suture.files.worker import isolate, serve; isolate({memory!r}); serve({entry!r}, {memory!r})"


class Worker:
    """The other process, as seen from this one. Only one call uses it at a time."""

    def __init__(self, entry: str, roots: Sequence[str] = (), memory: int = 0) -> None:
        """`entry` names a module whose function `answer` handles a batch; nothing is imported from `roots`.

        `memory` limits the process, in bytes. Such a process exits if it still uses a quarter of that after a batch,
        and when it has had no work for five minutes.
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
        """Whether an answer is outstanding: all or part of a batch was sent. Stays true after an interrupt."""
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
                setpgroup=0,  # so that Ctrl-C goes only to the parent
                setsigdef=[signal.SIGINT, signal.SIGPIPE, signal.SIGTERM, signal.SIGALRM],
            )
        finally:
            os.close(requests)
            os.close(theirs)
            if self._process is None:
                self.close()
        os.set_blocking(self._out, False)
        self._readable, self._writable = events(), events()
        self._readable.register(self._in, POLLIN)
        self._writable.register(self._out, POLLOUT)

    @property
    def usable(self) -> bool:
        """Whether it can take work: it was started by this process and is not known to have ended."""
        return self._process is not None and self._owner == os.getpid()

    @property
    def ready(self) -> bool:
        """Whether an answer, or the end of the pipe, can be read."""
        return bool(self._readable.poll(0))

    def send(self, batch: Any, deadline: float | None = None) -> bool:
        """Send a batch before `deadline` (of the monotonic clock); False if there is no process to read it."""
        from marshal import dumps

        data = dumps(batch)
        rest = memoryview(len(data).to_bytes(_HEAD_SIZE, "little") + data)
        self.busy = True
        try:
            while rest:
                _wait(self._writable, deadline)
                rest = rest[os.write(self._out, rest) :]
        except OSError:
            self.close()
            return False
        return True

    def receive(self, deadline: float | None = None) -> Any:
        """Wait for the answer to the batch that was sent; None if the process ended, or at `deadline`."""
        from marshal import loads

        try:
            data = _message(self._in, self._readable, deadline)
        except OSError:
            data = b""
        self.busy = False
        if not data:
            log.debug("worker", "the second process has ended")
            self.close()
            return None
        return loads(data)  # noqa: S302  from our own process, over our own pipe

    def kill(self) -> None:
        """Kill it while another thread waits for its answer; that thread gets None."""
        process = self._process
        if process is not None and self._owner == os.getpid():
            with suppress(ProcessLookupError):
                os.kill(process, 9)

    def close(self) -> None:
        """End the process and close the pipes."""
        for handle in (self._out, self._in):
            if handle >= 0:
                os.close(handle)
        self._out = self._in = -1
        if self._process is not None and self._owner == os.getpid():
            process, self._process = self._process, None
            try:
                if os.waitpid(process, os.WNOHANG) == (0, 0):  # otherwise its id may have been reused
                    os.kill(process, 9)
                    os.waitpid(process, 0)
            except (ProcessLookupError, ChildProcessError):  # the host reaps child processes itself
                log.debug("worker", "the second process was gone already")


class WorkerPool:
    """At most one worker per workspace, started on demand and lent to one call at a time."""

    def __init__(self, entry: str, roots: Sequence[str] = (), *, local: bool) -> None:
        """Nothing is imported from `roots`. Files that are not `local` are invisible to another process."""
        from _thread import allocate_lock

        self._entry = entry
        self._roots = roots
        self._can_start = local and _can_start_process()
        self._lock = allocate_lock()
        self._worker: Worker | None = None

    @contextmanager
    def worker(self) -> Iterator[GetWorker]:
        """Reserve the worker for a call: a function that returns it, or None if another call has it."""
        mine = self._can_start and self._lock.acquire(blocking=False)
        try:
            yield self._find if mine else _no_worker
        finally:
            if mine:
                if self._worker is not None and self._worker.busy:  # the next call would get its answer
                    self._worker.close()
                self._lock.release()

    def _find(self, *, start: bool) -> Worker | None:
        if self._worker is not None and not self._worker.usable:
            self._worker.close()
            self._worker = None
        if self._worker is None and start and self._can_start:
            try:
                self._worker = Worker(self._entry, self._roots)
            except OSError as error:
                log.debug("worker", "no second process: %s", error)
                self._can_start = False
        return self._worker

    def close(self) -> None:
        """End the worker; a later call may start another."""
        with self._lock:
            if self._worker is not None:
                self._worker.close()
                self._worker = None

    __del__ = close


class SharedFiles:
    """The files of one call, shared with the worker: `own` yields those to search here, `others` the rest."""

    def __init__(self, find: GetWorker, batch: Callable[[int, Files], object]) -> None:
        """`batch` makes of a root and files what the worker is sent."""
        self._find = find
        self._batch = batch
        self._worker: Worker | None = None
        self._given: Files = []
        self._done: list[tuple[Files, Any]] = []

    @property
    def was_used(self) -> bool:
        """Whether some files were handed to the second process."""
        return bool(self._done)

    def own(self, root: int, runs: Iterable[Run]) -> Iterator[Run]:
        """The runs to search here."""
        seen, filling, size = 0, list[tuple[str, list[str]]](), 0
        for folder, prefix, names in _pieces(runs):
            seen += len(names)
            if seen < _WORTH_ASKING or not (filling or self._is_free(start=seen >= _WORTH_STARTING)):
                yield folder, prefix, names
                continue
            filling.append((prefix, names))
            size += len(names)
            if size >= _BATCH:
                self._give(root, filling)
                filling, size = [], 0
        if filling:
            self._give(root, filling)

    def _is_free(self, *, start: bool) -> bool:
        if self._worker is None:
            self._worker = self._find(start=start)
        if self._worker is None or not self._worker.usable:
            return False
        if self._given and self._worker.ready:
            self._take()
        return not self._given

    def _give(self, root: int, files: Files) -> None:
        assert self._worker is not None  # noqa: S101  it was free
        if self._worker.send(self._batch(root, files)):
            self._given = files
        else:
            self._done.append((files, None))

    def _take(self) -> None:
        assert self._worker is not None  # noqa: S101  it has a batch
        self._done.append((self._given, self._worker.receive()))
        self._given = []

    def others(self) -> list[tuple[Files, Any]]:
        """The batches handed over, each with its answer, or None if there was none."""
        if self._given:
            self._take()
        return self._done


def _pieces(runs: Iterable[Run]) -> Iterator[Run]:
    """The runs, none of them longer than a batch."""
    for folder, prefix, names in runs:
        for start in range(0, len(names), _BATCH):
            yield folder, prefix, names[start : start + _BATCH]


def serve(entry: str, memory: int = 0) -> None:
    """Answer batches until the pipe closes: the worker's main loop."""
    from importlib import import_module
    from marshal import dumps, loads

    answer = import_module(entry).answer
    while (not memory or _wait_for_request()) and (data := _message(0)):
        reply = dumps(answer(loads(data)))  # noqa: S302  from the process that started this one
        _write(1, len(reply).to_bytes(_HEAD_SIZE, "little") + reply)
        if memory and _resident_bytes() > memory / 4:  # what this batch left behind must not make the next one fail
            return


def isolate(memory: int) -> None:  # pragma: no cover  for another process than that of tests
    """Close inherited handles, limit the memory of this process, and write no core dump after a crash."""
    os.closerange(3, _MAX_HANDLES)
    os.chdir("/")
    if not memory:
        return
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    except (ImportError, ValueError, OSError):  # not supported here, or a lower limit is set already
        return


def _no_worker(*, start: bool) -> None:
    """No worker is available."""
    del start


def _can_start_process() -> bool:
    """Whether a second process can be started and would have its own processor."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return processors > 1 and hasattr(os, "posix_spawn") and bool(sys.executable)


def _wait_for_request() -> bool:
    """Wait for the next request; False after `_MAX_IDLE_MS`, when an unused process should exit."""
    from select import POLLIN
    from select import poll as events

    event = events()
    event.register(0, POLLIN)
    return bool(event.poll(_MAX_IDLE_MS))


def _resident_bytes() -> int:
    """The resident memory of this process in bytes; 0 if the system does not report it."""
    try:
        with open("/proc/self/statm", "rb") as opened:
            return int(opened.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 0


def _wait(event: poll | None, deadline: float | None = None) -> None:
    """Wait until the pipe is ready; TimeoutError if the other process does not react in time."""
    if event is None:
        return
    patience = _REPLY_TIMEOUT_MS if deadline is None else max(deadline - monotonic(), 0) * 1_000
    if not event.poll(patience):
        raise TimeoutError


def _message(handle: int, event: poll | None = None, deadline: float | None = None) -> bytes:
    """The next message on a pipe; empty at its end. With an event, waiting is limited."""
    head = _read(handle, _HEAD_SIZE, event, deadline)
    size = int.from_bytes(head, "little")
    if size > _MAX_MESSAGE_BYTES:  # a faulty process may write anything
        raise OSError
    return _read(handle, size, event, deadline)


def _read(handle: int, size: int, event: poll | None, deadline: float | None) -> bytes:
    pieces = []
    while size > 0:
        _wait(event, deadline)
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
