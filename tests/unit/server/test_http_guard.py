"""The guard alone, called as by a web server."""

from typing import Any

import anyio
import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from suture.server.http import Guard, HostNames, Limits

OURS = [(b"host", b"127.0.0.1:81"), (b"authorization", b"Bearer right")]


def guard_of(app: ASGIApp, **limits: Any) -> Guard:
    return Guard(app, HostNames("127.0.0.1", 81), "right", 100, Limits(**limits))


class Inside:
    """The app behind the guard; it responds once it is open."""

    def __init__(self) -> None:
        self.entered = 0
        self.open = anyio.Event()

    async def __call__(self, _scope: Scope, _receive: Receive, send: Send) -> None:
        self.entered += 1
        await self.open.wait()
        await send({"type": "http.response.start", "status": 200, "headers": []})


async def _receive_nothing() -> Any:
    raise AssertionError("the body is read")


async def _send_nothing(_message: Any) -> None:
    raise AssertionError("it is answered")


async def _empty() -> Any:
    return {"type": "http.request"}


def in_pieces(*pieces: bytes) -> Receive:
    """A body that never ends."""
    pending = list(pieces)

    async def receive() -> Any:
        if not pending:
            await anyio.sleep_forever()
        return {"type": "http.request", "body": pending.pop(0), "more_body": True}

    return receive


async def _disconnect() -> Any:
    return {"type": "http.disconnect"}


async def status(guard: Guard, headers: list[tuple[bytes, bytes]], receive: Receive = _receive_nothing) -> int:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "http_version": "1.1", "method": "POST", "path": "/mcp", "headers": headers}
    await guard(scope, receive, send)
    code: int = sent[0]["status"]
    return code


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
        receive = _empty if expected == 200 else _receive_nothing
        return await status(guard_of(inside), headers, receive), inside.entered

    assert anyio.run(ask) == (expected, int(expected == 200))


def test_more_requests_than_a_server_takes_are_sent_away() -> None:
    statuses: list[int] = []

    async def ask() -> None:
        inside = Inside()
        guard = guard_of(inside, requests=3)

        async def ask_once() -> None:
            statuses.append(await status(guard, OURS, _empty))

        async with anyio.create_task_group() as group:
            for _ in range(5):
                group.start_soon(ask_once)
            await anyio.wait_all_tasks_blocked()
            assert statuses == [503, 503]
            inside.open.set()
        assert statuses == [503, 503, 200, 200, 200]
        assert await status(guard, OURS, _empty) == 200

    anyio.run(ask)


@pytest.mark.promise("serve.room")
@pytest.mark.parametrize(
    ("headers", "receive", "expected"),
    [
        ([(b"content-length", b"101")], _receive_nothing, 413),
        ([], in_pieces(b"x" * 60, b"x" * 41), 413),
        ([], in_pieces(b"x"), 408),
        ([], in_pieces(), 408),
        ([], _disconnect, 400),
        ([(b"content-length", b"5"), (b"transfer-encoding", b"chunked")], _receive_nothing, 400),
    ],
)
def test_only_a_whole_request_comes_in(headers: list[tuple[bytes, bytes]], receive: Receive, expected: int) -> None:
    async def ask() -> tuple[int, int]:
        inside = Inside()
        return await status(guard_of(inside, body_seconds=0.01), [*OURS, *headers], receive), inside.entered

    assert anyio.run(ask) == (expected, 0)


def test_the_bodies_that_are_held_have_a_size() -> None:
    async def ask() -> None:
        guard = guard_of(Inside(), body_seconds=60)
        statuses: list[int] = []

        async def ask_once() -> None:
            statuses.append(await status(guard, OURS, in_pieces(b"x" * 100)))

        async with anyio.create_task_group() as group:
            for _ in range(12):
                group.start_soon(ask_once)
            await anyio.wait_all_tasks_blocked()
            assert statuses == [503, 503]
            group.cancel_scope.cancel()

    anyio.run(ask)


def test_what_is_no_request_does_not_come_in_unless_it_begins_and_ends_the_server() -> None:
    entered: list[str] = []

    async def inside(scope: Scope, _receive: Receive, _send: Send) -> None:
        entered.append(scope["type"])

    async def ask() -> None:
        for kind in ("lifespan", "websocket"):
            await guard_of(inside)({"type": kind}, _receive_nothing, _send_nothing)

    anyio.run(ask)
    assert entered == ["lifespan"]
