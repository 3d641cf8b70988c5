"""Messages to a client that reads slowly, or not at all."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from suture import Workspace
from suture.server.calls import Calls
from suture.server.stdio import Writer
from tests.interop.mcp_servers import wait_for


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_bytes(b"one\n")
    return tmp_path


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """The client's end and the server's end of a pipe."""
    ends = os.pipe()
    yield ends
    for end in ends:
        with suppress(OSError):  # the test has closed it
            os.close(end)


def read_exactly(source: int, size: int) -> bytes:
    received = bytearray()
    while len(received) < size:
        received += os.read(source, 65_536)
    return bytes(received)


def write_all(writer: Writer) -> None:
    """Write until everything is sent or the client is gone."""
    while writer.is_waiting:
        writer.flush()


def test_a_full_pipe_is_written_when_there_is_room_and_never_blocks(pipe: tuple[int, int]) -> None:
    out_end, target = pipe
    message = b"x" * 200_000
    expected = message + b"\n" * 6 + message + b"\n"
    received: list[bytes] = []
    writer = Writer(target, threading.Event())
    writer.put(message)
    for _ in range(5):
        writer.put(b"")  # comes after what waits
    writer.put(message)
    assert writer.is_waiting
    reader = threading.Thread(target=lambda: received.append(read_exactly(out_end, len(expected))))
    reader.start()
    write_all(writer)
    reader.join()
    assert received == [expected]
    assert not writer.is_lost


def test_a_client_that_is_gone_is_noticed(pipe: tuple[int, int]) -> None:
    out_end, target = pipe
    waiting, idle = Writer(target, threading.Event()), Writer(target, threading.Event())
    waiting.put(b"y" * 2_000_000)
    assert (waiting.is_waiting, waiting.has_room, waiting.is_lost) == (True, False, False)
    os.close(out_end)
    for writer in (waiting, idle):
        writer.flush()
        assert (writer.is_waiting, writer.has_room, writer.is_lost) == (False, True, True)


@pytest.mark.parametrize("blocking", [True, False])
def test_a_target_that_someone_made_non_blocking_works_too(pipe: tuple[int, int], blocking: bool) -> None:  # noqa: FBT001  a case
    out_end, target = pipe
    os.set_blocking(target, blocking)
    Writer(target, threading.Event()).put(b"one")
    assert os.read(out_end, 10) == b"one\n"


def test_a_target_that_has_no_room_after_all_is_tried_again(
    pipe: tuple[int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    out_end, target = pipe
    write, refusals = os.write, [BlockingIOError]

    def no_room_at_first(number: int, data: bytes) -> int:
        if number == target and refusals:
            raise refusals.pop()
        return write(number, data)

    monkeypatch.setattr(os, "write", no_room_at_first)
    writer = Writer(target, threading.Event())
    writer.put(b"one")
    assert (writer.is_waiting, writer.is_lost) == (True, False)
    writer.flush()
    assert os.read(out_end, 10) == b"one\n"


def test_no_call_is_begun_for_a_client_that_takes_no_answers(pipe: tuple[int, int], root: Path) -> None:
    out_end, target = pipe
    calls = Calls(["file_read"])
    results: list[dict[str, Any]] = []
    writer = Writer(target, calls.may_start)
    writer.put(b"x" * 2_000_000)
    calls.start(Workspace(root), "file_read", {"path": "a.txt"}, results.append)
    time.sleep(0.05)
    assert results == []
    reader = threading.Thread(target=read_exactly, args=(out_end, 2_000_001))
    reader.start()
    write_all(writer)
    reader.join()
    wait_for(lambda: len(results) == 1)
    calls.end()
