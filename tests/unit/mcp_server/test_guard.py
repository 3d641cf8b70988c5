"""The guard alone, asked as a web server asks it."""

import asyncio
import socket
from contextlib import suppress
from functools import partial
from typing import Any

import anyio
import pytest
from starlette.types import Receive, Scope, Send
from uvicorn import Config
from uvicorn.server import ServerState

from suture.mcp_server import http
from suture.mcp_server.address import Names
from suture.mcp_server.http import Guard, Impatient

OURS = [(b"host", b"127.0.0.1:81"), (b"authorization", b"Bearer right")]


class Inside:
    """What the guard stands before; it answers when it may."""

    def __init__(self) -> None:
        self.entered = 0
        self.open = anyio.Event()

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        self.entered += 1
        await self.open.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})


async def _unread() -> Any:
    raise AssertionError("the body is read")


async def _unsent(_message: Any) -> None:
    raise AssertionError("it is answered")


async def status(guard: Guard, headers: list[tuple[bytes, bytes]]) -> int:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    await guard({"type": "http", "method": "POST", "path": "/mcp", "headers": headers}, _unread, send)
    found: int = sent[0]["status"]
    return found


@pytest.mark.promise("serve.guard")
@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (OURS, 200),
        ([*OURS, (b"origin", b"http://127.0.0.1:81")], 200),
        ([], 421),
        ([(b"host", b"evil.example:81"), *OURS[1:]], 421),
        ([OURS[0], *OURS], 421),
        ([*OURS, (b"origin", b"null")], 403),
        ([*OURS, (b"origin", b"http://evil.example:81")], 403),
        ([*OURS, (b"origin", b"http://127.0.0.1:81"), (b"origin", b"http://127.0.0.1:81")], 403),
        (OURS[:1], 401),
        ([OURS[0], (b"authorization", b"Bearer wrong")], 401),
        ([OURS[0], (b"authorization", b"bearer right")], 200),
        ([OURS[0], (b"authorization", b"Basic right")], 401),
        ([OURS[0], (b"authorization", b"right")], 401),
        ([OURS[0], (b"authorization", b"Bearer  right")], 401),
        ([OURS[0], (b"authorization", b"Bearer right ")], 401),
        ([OURS[0], (b"authorization", b"Bearer \xff\xfe")], 401),
        ([*OURS, OURS[1]], 401),
    ],
)
def test_a_request_comes_in_by_name_origin_and_token(headers: list[tuple[bytes, bytes]], expected: int) -> None:
    async def ask() -> tuple[int, int]:
        inside = Inside()
        inside.open.set()
        return await status(Guard(inside, Names("127.0.0.1", 81), "right"), headers), inside.entered

    assert anyio.run(ask) == (expected, int(expected == 200))


def test_more_requests_than_a_server_takes_are_sent_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "_AT_A_TIME", 3)
    found: list[int] = []

    async def ask() -> None:
        inside = Inside()
        guard = Guard(inside, Names("127.0.0.1", 81), "right")

        async def one() -> None:
            found.append(await status(guard, OURS))

        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(one)
            await anyio.wait_all_tasks_blocked()
            assert found == [503, 503]
            inside.open.set()
        assert found == [503, 503, 200, 200, 200]
        assert await status(guard, OURS) == 200

    anyio.run(ask)


def test_what_is_no_request_comes_in() -> None:
    entered: list[str] = []

    async def inside(scope: Scope, _receive: Receive, _send: Send) -> None:
        entered.append(scope["type"])

    async def ask() -> None:
        await Guard(inside, Names("127.0.0.1", 81), "right")({"type": "lifespan"}, _unread, _unsent)

    anyio.run(ask)
    assert entered == ["lifespan"]


@pytest.mark.promise("serve.guard")
def test_connections_that_are_too_many_or_silent_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "_FIRST_SECONDS", 0.1)
    monkeypatch.setattr(Impatient, "most", 2)

    async def inside(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})

    def talk(address: tuple[str, int]) -> None:
        connected = partial(socket.create_connection, address, 30)
        with connected() as talking, connected() as silent, connected() as refused:
            silent.sendall(b"GET / HTTP/1.1\r\nHost:")
            for _ in range(2):  # the second time after the silent one was closed
                talking.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                assert talking.recv(1_000).startswith(b"HTTP/1.1 204")
                assert silent.recv(1) == b""
            with suppress(ConnectionResetError):
                assert refused.recv(1) == b""

    async def ask() -> None:
        config, state = Config(inside, log_config=None), ServerState()
        config.load()
        made = partial(Impatient, config=config, server_state=state, app_state={})
        server = await asyncio.get_running_loop().create_server(made, "127.0.0.1", 0)
        await asyncio.to_thread(talk, server.sockets[0].getsockname())
        server.close()
        while state.connections:  # noqa: ASYNC110  nothing tells of it
            await asyncio.sleep(0.01)

    asyncio.run(ask())
