"""Built-in checks in separate processes, which can be killed: parsers cannot be interrupted.

Texts of a few KB can make a grammar take seconds and gigabytes, or crash (`python -m bench syntax` has the figures). A
worker is a process that waits for texts. It is kept between calls, because starting one takes longer than most checks.
It is limited to `MEMORY` bytes, is killed at the time limit of a check, and ends with its parent. A text that crashes
it is reported as not checked; the next one gets a new worker.

A worker that was idle may have ended for unrelated reasons. So a text is tried in a new worker before it is blamed.
"""

from __future__ import annotations

import os
import sys
from atexit import register
from threading import Condition
from time import monotonic

from suture.check.issue import Issue, NotRunError
from suture.files.worker import Worker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Origin = tuple[tuple[str, ...], tuple[str, ...]]
    """The roots from which nothing is imported, and `sys.path`."""

MEMORY = 1_000_000_000
"""The memory limit of a worker, in bytes; the largest text that is not hostile takes up to 400 MB."""
_ENTRY = "suture.check.registry"
_MAX_WORKERS = 4  # one for each thread of `gate`
_WAIT_SECONDS = 0.1  # that a check waits for a busy worker before it starts another
_CRASHED = "the parser crashed on this text, or needed more than {memory:,} MB of memory"
_LATE = "it took longer than {seconds:.1f} s"
_BUSY = "all workers were busy with other checks until its time limit"


def check(name: str, path: str, before: str | None, after: str, seconds: float, roots: Sequence[str]) -> list[Issue]:
    """Run a built-in check by name; NotRunError if it takes too much time or memory.

    Nothing is imported from `roots`.
    """
    deadline = monotonic() + seconds
    for _ in range(2):
        worker, is_new = _workers.take((tuple(roots), tuple(sys.path)), deadline)
        try:
            question = name, path, before, after, max(deadline - monotonic(), 0.0)
            answer = worker.receive(deadline) if worker.send(question, deadline) else None
        finally:
            _workers.put_back(worker)
        if answer is not None:
            reason, rows = answer
            if reason is not None:
                raise NotRunError(reason)
            return [Issue(*row) for row in rows]
        if monotonic() >= deadline:
            raise NotRunError(_LATE.format(seconds=seconds))
        if is_new:
            break
    raise NotRunError(_CRASHED.format(memory=MEMORY // 1_000_000))


class _Workers:
    """The workers of this process, idle and busy ones."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._waiting: list[tuple[Origin, Worker]] = []
        self._busy: dict[Worker, Origin] = {}

    def take(self, origin: Origin, deadline: float) -> tuple[Worker, bool]:
        """A worker that imports from `origin`, and whether it is new.

        If others are busy, wait for one of them a moment: most checks take less time than starting a worker.
        """
        soon = monotonic() + _WAIT_SECONDS
        with self._changed:
            while True:
                idle_worker = self._idle(origin)
                if idle_worker is not None:
                    return idle_worker, False
                now = monotonic()
                if now >= deadline:
                    raise NotRunError(_BUSY)
                if len(self._busy) < (_MAX_WORKERS if now >= soon else 1):
                    return self._start(origin), True
                self._changed.wait(min(deadline, soon if now < soon else deadline) - now)

    def put_back(self, worker: Worker) -> None:
        """Return a worker for reuse, if it is alive and owes no answer."""
        with self._changed:
            origin = self._busy.pop(worker, None)
            if origin is None or worker.busy:
                worker.close()
            elif worker.usable:
                self._waiting.append((origin, worker))
            self._changed.notify()

    def close(self) -> None:
        """End all workers; a later check starts another."""
        with self._changed:
            for worker in self._busy:
                worker.kill()
            for _, worker in self._waiting:
                worker.close()
            self._waiting = []

    def abandon(self) -> None:
        """In a forked process: leave the workers to the parent, and close the pipes to them."""
        for worker in (*self._busy, *(worker for _, worker in self._waiting)):
            worker.close()

    def _idle(self, origin: Origin) -> Worker | None:
        """An idle worker: the one that was used last, so that surplus ones time out."""
        for at in reversed(range(len(self._waiting))):
            known, worker = self._waiting[at]
            if known != origin and len(self._waiting) + len(self._busy) < _MAX_WORKERS:
                continue
            del self._waiting[at]
            if known == origin and not worker.ready:  # readable without a request: it has ended
                self._busy[worker] = origin
                return worker
            worker.close()
        return None

    def _start(self, origin: Origin) -> Worker:
        try:
            worker = Worker(_ENTRY, origin[0], MEMORY)
        except (OSError, NotImplementedError, AttributeError, TypeError) as error:  # or no path of Python
            raise NotRunError(f"no process could be started for it: {error}") from None
        self._busy[worker] = origin
        return worker


_workers = _Workers()


def close() -> None:
    """End the workers of this process; a later check starts another."""
    _workers.close()


def _reset() -> None:
    global _workers
    known, _workers = _workers, _Workers()
    known.abandon()


register(close)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset)
