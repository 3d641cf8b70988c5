"""Plain calls over stdio, answered without the SDK: which calls, and that the answers are the same."""

import json
import os
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp_types import JSONRPCRequest, JSONRPCResponse

from suture import Workspace
from suture.server import calls as calls_module
from suture.server.calls import Calls
from suture.server.stdio import DirectCalls, Writer
from suture.tools import TOOLS
from tests.interop.mcp_servers import HANDSHAKES, edit, hello, hold_lock, notification, request, tool_call
from tests.unit.server.speaking import Message

READ = tool_call(1, "file_read", {"path": "a.txt", "format": "raw"})


class Client:
    """Direct calls, and the messages that they send."""

    def __init__(self, root: Path, revision: str = "2025-06-18") -> None:
        self.sent: list[Message] = []
        self.direct = DirectCalls(
            Calls(Workspace(root), sorted(TOOLS), 1_000_000), lambda raw: self.sent.append(json.loads(raw))
        )
        self.direct.watch_request(
            JSONRPCRequest(jsonrpc="2.0", id=0, method="initialize", params=hello(revision)["params"])
        )
        self.direct.watch_response(JSONRPCResponse(jsonrpc="2.0", id=0, result={"protocolVersion": revision}))

    async def all_sent(self) -> list[Message]:
        """Everything that was sent, once no call is running."""
        while self.direct.is_busy:  # noqa: ASYNC110  only the client is notified
            await anyio.sleep(0.005)
        return self.sent


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_bytes(b"one\n")
    return tmp_path


def test_a_call_is_answered_with_what_the_workspace_gives(root: Path) -> None:
    async def ask() -> list[Message]:
        client = Client(root)
        assert client.direct.take(READ)
        return await client.all_sent()

    ((answer),) = anyio.run(ask)
    assert answer["id"] == 1
    assert answer["result"]["content"] == [{"type": "text", "text": "one\n"}]
    assert answer["result"]["structuredContent"]["path"] == "a.txt"
    assert answer["result"]["isError"] is False


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        (READ, True),
        ({**READ, "id": "one"}, True),
        (tool_call(1, "regex_split", {}), True),
        ({**READ, "params": {"name": "file_read"}}, True),
        ({**READ, "params": {"name": "file_read", "arguments": None}}, True),
        ({**READ, "params": {**READ["params"], "_meta": {"other": 1, "progressToken": True}}}, True),
        ({**READ, "id": 1.5}, False),
        ({**READ, "id": True}, False),
        ({**READ, "id": None}, False),
        ({**READ, "jsonrpc": "1.0"}, False),
        ({**READ, "more": 1}, False),
        (request(1, "tools/list"), False),
        (request(1, "ping"), False),
        ({"jsonrpc": "2.0", "method": "tools/call", "params": READ["params"]}, False),
        ({**READ, "params": {"name": "rm", "arguments": {}}}, False),
        ({**READ, "params": {"name": ["file_read"]}}, False),
        ({**READ, "params": {"name": "file_read", "arguments": []}}, False),
        ({**READ, "params": {"name": "file_read", "task": {}}}, False),
        ({**READ, "params": {"name": "file_read", "_meta": None}}, False),
        (
            {
                **READ,
                "params": {**READ["params"], "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}},
            },
            False,
        ),
        ({**READ, "params": []}, False),
        ([READ], False),
        (None, False),
    ],
)
def test_only_plain_calls_go_through_it(root: Path, given: Any, taken: bool) -> None:  # noqa: FBT001  a case's answer
    async def ask() -> bool:
        client = Client(root)
        accepted = client.direct.take(given)
        await client.all_sent()
        return accepted

    assert anyio.run(ask) is taken


@pytest.mark.parametrize(("revision", "taken"), [(version, version in HANDSHAKES[2:]) for version in HANDSHAKES])
def test_only_revisions_that_know_structured_results_do(root: Path, revision: str, taken: bool) -> None:  # noqa: FBT001  a case
    async def ask() -> bool:
        client = Client(root, revision)
        accepted = client.direct.take(READ)
        await client.all_sent()
        return accepted

    assert anyio.run(ask) is taken


@pytest.mark.parametrize(("client", "there"), [("codex-mcp-client", True), ("other", False)])
def test_it_knows_who_asks(root: Path, client: str, there: bool) -> None:  # noqa: FBT001  a case
    async def ask() -> list[Message]:
        asking = Client(root)
        params = {"clientInfo": {"name": client, "version": "1"}}
        asking.direct.watch_request(JSONRPCRequest(jsonrpc="2.0", id=0, method="initialize", params=params))
        assert asking.direct.take(READ)
        return await asking.all_sent()

    ((answer),) = anyio.run(ask)
    assert ("text" in answer["result"]["structuredContent"]) is there


def test_it_is_closed_before_the_handshake(root: Path) -> None:
    async def ask() -> bool:
        direct = DirectCalls(Calls(Workspace(root), ["file_read"], 1_000_000), print)
        direct.watch_response(JSONRPCResponse(jsonrpc="2.0", id=0, result={"protocolVersion": "2025-06-18"}))
        return direct.take(READ)

    assert anyio.run(ask) is False


@pytest.mark.promise("serve.cancel")
def test_a_cancelled_call_changes_nothing_and_is_not_answered(root: Path) -> None:
    async def ask() -> list[Message]:
        client = Client(root)
        with hold_lock(root):
            assert client.direct.take(tool_call(1, "file_edit", edit("a.txt", "one", "two")))
            assert not client.direct.take(tool_call(1, "file_edit", edit("a.txt", "one", "six")))  # the id is in use
            assert not client.direct.take(notification("notifications/cancelled", requestId=2))
            assert not client.direct.take(notification("notifications/cancelled", requestId=[]))
            assert client.direct.take(notification("notifications/cancelled", requestId=1))
            await client.all_sent()
        return client.sent

    assert anyio.run(ask) == []
    assert (root / "a.txt").read_bytes() == b"one\n"


def test_progress_is_reported_before_the_answer(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls_module, "_SECONDS_BETWEEN_REPORTS", 0)
    search = {"path_pattern": "*.txt", "pattern": "one"}

    async def ask() -> list[Message]:
        client = Client(root)
        assert client.direct.take(tool_call(1, "regex_search_multi", search, token="mine"))  # noqa: S106  no secret
        return await client.all_sent()

    *notes, answer = anyio.run(ask)
    assert answer["id"] == 1
    assert [message["method"] for message in notes] == ["notifications/progress"] * len(notes)
    assert notes[0]["params"] == {"progressToken": "mine", "progress": 1, "message": "files: 1, matches: 0"}


def test_an_answer_that_comes_after_the_end_is_dropped(root: Path) -> None:
    created: list[Calls] = []

    async def ask() -> None:
        created.append(Calls(Workspace(root), ["file_edit"], 1_000_000))
        direct = DirectCalls(created[0], print)
        direct.watch_request(JSONRPCRequest(jsonrpc="2.0", id=0, method="initialize"))
        direct.watch_response(JSONRPCResponse(jsonrpc="2.0", id=0, result={"protocolVersion": "2025-11-25"}))
        assert direct.take(tool_call(1, "file_edit", edit("a.txt", "one", "two")))

    with hold_lock(root):
        anyio.run(ask)
    created[0].end()
    assert (root / "a.txt").read_bytes() in {b"one\n", b"two\n"}


def test_a_full_pipe_is_written_when_there_is_room_and_never_blocks() -> None:
    out_end, target = os.pipe()
    message = b"x" * 200_000
    received = bytearray()

    def read() -> None:
        while len(received) < 2 * len(message) + 2:
            received.extend(os.read(out_end, 65_536))

    async def send() -> None:
        writer = Writer(target, threading.Event())
        writer.put(message)
        states = [writer.is_full]
        for _ in range(5):
            writer.put(b"")  # comes after what waits
        writer.put(message)
        reader = threading.Thread(target=read)
        reader.start()
        await writer.drain()
        reader.join()
        writer.put(b"y" * 2_000_000)
        states += [writer.is_full, writer.is_broken()]
        lost: list[bool] = []
        writer.lost = lambda: lost.append(True)
        os.close(out_end)
        await writer.drain()
        assert ([*states, writer.is_full, writer.is_broken()], lost) == ([False, True, False, False, True], [True])

    anyio.run(send)
    os.close(target)
    assert bytes(received[: len(message) + 1]) == message + b"\n"


@pytest.mark.parametrize("blocking", [True, False])
def test_a_target_that_someone_made_non_blocking_works_too(blocking: bool) -> None:  # noqa: FBT001  a case
    out_end, target = os.pipe()
    os.set_blocking(target, blocking)

    async def send() -> None:
        writer = Writer(target, threading.Event())
        writer.put(b"one")
        await writer.drain()

    anyio.run(send)
    assert os.read(out_end, 10) == b"one\n"
    os.close(out_end)
    os.close(target)


def test_a_target_that_has_no_room_after_all_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    out_end, target = os.pipe()
    write, refusals = os.write, [BlockingIOError]

    def no_room_at_first(number: int, data: bytes) -> int:
        if number == target and refusals:
            raise refusals.pop()
        return write(number, data)

    async def send() -> None:
        monkeypatch.setattr(os, "write", no_room_at_first)
        writer = Writer(target, threading.Event())
        writer.put(b"one")
        await writer.drain()

    anyio.run(send)
    assert os.read(out_end, 10) == b"one\n"
    os.close(out_end)
    os.close(target)


def test_no_call_is_begun_for_a_client_that_takes_no_answers(root: Path) -> None:
    out_end, target = os.pipe()
    calls = Calls(Workspace(root), ["file_read"], 1_000_000)
    results: list[dict[str, Any]] = []

    async def ask() -> None:
        writer = Writer(target, calls.may_start)
        writer.put(b"x" * 2_000_000)
        calls.start("file_read", {"path": "a.txt"}, results.append)
        await anyio.sleep(0.05)
        assert results == []
        writer.give_up()
        await writer.drain()
        writer.put(b"nobody reads it")

    anyio.run(ask)
    calls.end()
    os.close(target)
    while os.read(out_end, 65_536):
        pass
    os.close(out_end)
    assert len(results) == 1


def test_a_client_that_reads_is_not_given_up() -> None:
    out_end, target = os.pipe()

    async def ask() -> None:
        writer = Writer(target, threading.Event())
        writer.give_up()
        writer.put(b"one")
        await writer.drain()

    anyio.run(ask)
    assert os.read(out_end, 10) == b"one\n"
    os.close(out_end)
    os.close(target)


@pytest.mark.promise("serve.apart")
def test_everybody_who_waits_for_room_goes_on_when_there_is() -> None:
    out_end, target = os.pipe()
    message = b"x" * 300_000
    received = bytearray()

    def read() -> None:
        while len(received) < len(message) + 1:
            received.extend(os.read(out_end, 65_536))

    async def ask() -> None:
        writer = Writer(target, threading.Event())
        writer.put(message)
        with anyio.fail_after(30):
            async with anyio.create_task_group() as group:
                for _ in range(3):
                    group.start_soon(writer.drain)
                await anyio.wait_all_tasks_blocked()
                reader = threading.Thread(target=read)
                reader.start()
        reader.join()

    anyio.run(ask)
    os.close(out_end)
    os.close(target)


def test_a_call_that_is_cancelled_before_its_turn_is_not_made(root: Path) -> None:
    calls = Calls(Workspace(root), ["file_edit"], 1_000_000)
    results: list[dict[str, Any]] = []
    calls.may_start.clear()
    calls.start("file_edit", edit("a.txt", "one", "two"), results.append)
    calls.end()
    assert [result["structuredContent"]["error"]["code"] for result in results] == ["CANCELLED"]
    assert (root / "a.txt").read_bytes() == b"one\n"
