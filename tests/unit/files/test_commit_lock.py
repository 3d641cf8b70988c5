"""The workspace lock: threads of one process take turns, and each can stop waiting."""

from __future__ import annotations

import os
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest

from suture.errors import Cancelled, WorkspaceBusy
from suture.files.commit import hold_lock
from suture.files.fs import Tree
from suture.files.local_fs import LocalFS

if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

LONG = 60_000


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Tree]:
    with Tree(LocalFS(), str(tmp_path)) as opened:
        yield opened


def lock_queue(turns: bool) -> dict[int, LockType] | None:  # noqa: FBT001  a parameter of tests
    """The queue that threads share, or None: then they compete like processes."""
    return {} if turns else None


def lock(
    tree: Tree, timeout_ms: int, queue: dict[int, LockType] | None = None, waiting: Callable[[], None] | None = None
) -> AbstractContextManager[None]:
    return hold_lock([tree], timeout_ms, {} if queue is None else queue, waiting)


@pytest.mark.parametrize("turns", [True, False])
def test_only_one_thread_at_a_time_has_it(tree: Tree, turns: bool) -> None:  # noqa: FBT001  as above
    queue, inside, most = lock_queue(turns), list[int](), list[int]()

    def work(number: int) -> None:
        for _ in range(20):
            with lock(tree, LONG, queue):
                inside.append(number)
                most.append(len(inside))
                inside.remove(number)

    threads = [Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 80


@pytest.mark.parametrize("turns", [True, False])
@pytest.mark.parametrize("timeout", [0, 5])
def test_waiting_too_long_is_an_error(tree: Tree, timeout: int, turns: bool) -> None:  # noqa: FBT001  as above
    queue = lock_queue(turns)
    with (
        lock(tree, LONG, queue),
        pytest.raises(WorkspaceBusy) as caught,
        lock(tree, timeout, queue),
    ):
        pass
    assert caught.value.waited_ms == timeout
    with lock(tree, 0, queue):
        pass


@pytest.mark.parametrize("turns", [True, False])
def test_waiting_can_be_cancelled(tree: Tree, turns: bool) -> None:  # noqa: FBT001  as above
    queue, calls = lock_queue(turns), list[int]()

    def count_waits() -> None:
        calls.append(1)
        if len(calls) == 3:
            raise Cancelled

    with lock(tree, LONG, queue), pytest.raises(Cancelled), lock(tree, LONG, queue, count_waits):
        pass
    assert len(calls) == 3
    with lock(tree, 0, queue):
        pass


def test_a_turn_ends_when_the_lock_of_another_process_is_not_had(tree: Tree) -> None:
    queue = lock_queue(turns=True)
    with lock(tree, LONG), pytest.raises(WorkspaceBusy), lock(tree, 0, queue):
        pass
    with lock(tree, 0, queue):
        pass


@pytest.mark.process
def test_a_forked_process_does_not_wait_for_a_thread_that_it_has_not(tree: Tree, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    queue, held, done = lock_queue(turns=True), Event(), Event()
    assert queue is not None

    def hold() -> None:
        with lock(tree, LONG, queue):
            held.set()
            done.wait()

    thread = Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if not child:
        code = 1
        try:
            with Tree(LocalFS(), str(other)) as unlocked, lock(unlocked, 0, queue):
                code = 0
        finally:
            os._exit(code)
    done.set()
    thread.join()
    assert os.waitpid(child, 0)[1] == 0
