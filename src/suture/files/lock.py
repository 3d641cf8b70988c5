"""The workspace lock: one writer at a time, among all suture processes.

It is an advisory lock on the root folder itself. It leaves no file behind, needs no write permission,
and the kernel drops it when the holder dies. It can only be asked for again and again, so the threads of one
process take turns in asking: else most of them would sleep while it is free.
"""

from __future__ import annotations

import os
import time
from _thread import allocate_lock

from suture import log
from suture.errors import WorkspaceBusy
from suture.files.fs import as_ours

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import Self

    from suture.files.fs import Tree

_FIRST_WAIT = 0.0005  # seconds between two tries; it doubles up to the longest
_LONGEST_WAIT = 0.02


class Lock:
    """Hold the locks of all given roots, always taken in the same order; threads that share `turns` queue for them.

    `turns` has a lock for each process, by its id: after a fork, a thread that is not there may seem to hold it.
    """

    def __init__(
        self,
        trees: Sequence[Tree],
        timeout_ms: int,
        waiting: Callable[[], None] | None = None,
        turns: dict[int, LockType] | None = None,
    ) -> None:
        self._trees = trees if len(trees) == 1 else _in_order(trees)
        self._timeout = timeout_ms / 1000
        self._waiting = waiting
        """Called again and again while others hold a lock; what it raises ends the wait."""
        self._turn = ({} if turns is None else turns).setdefault(os.getpid(), allocate_lock())
        self._held: list[tuple[Tree, int]] = []

    def __enter__(self) -> Self:
        deadline = time.monotonic() + self._timeout
        self._queue(deadline)
        try:
            for tree in self._trees:
                self._held.append((tree, self._take(tree, deadline)))
        except BaseException:
            self._release()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._release()

    def _queue(self, deadline: float) -> None:
        """Wait until no other thread of this process wants the locks."""
        taken = self._turn.acquire(blocking=False)
        while not taken:
            self._check(deadline)
            taken = self._turn.acquire(timeout=_LONGEST_WAIT)

    def _take(self, tree: Tree, deadline: float) -> int:
        wait = _FIRST_WAIT
        while (handle := self._try(tree)) is None:
            self._check(deadline)
            time.sleep(wait)
            wait = min(wait * 2, _LONGEST_WAIT)
        return handle

    def _check(self, deadline: float) -> None:
        """Whether to go on waiting: if not, raise what ends it."""
        if time.monotonic() >= deadline:
            raise WorkspaceBusy(waited_ms=int(self._timeout * 1000))
        if self._waiting is not None:
            self._waiting()

    def _try(self, tree: Tree) -> int | None:
        try:
            return tree.fs.lock(tree.folder(""))
        except OSError as error:
            raise as_ours(error, tree.root, "lock") from error

    def _release(self) -> None:
        try:
            while self._held:
                tree, handle = self._held.pop()
                try:
                    tree.fs.unlock(handle)
                except OSError as error:
                    log.debug("lock", "letting go: %s", error)
        finally:
            self._turn.release()


def _in_order(trees: Sequence[Tree]) -> Sequence[Tree]:
    """Each folder once, in an order that is the same for all processes."""
    folders = {stat.fingerprint[:2]: tree for tree in trees if (stat := tree.stat("")) is not None}
    return [folders[identity] for identity in sorted(folders)]
