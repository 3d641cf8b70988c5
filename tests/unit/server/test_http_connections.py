"""HTTP connections to a server in this process, without the guard."""

import asyncio
import resource
import socket
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from functools import partial
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send
from uvicorn import Config
from uvicorn.server import ServerState

from suture.server.http import CONNECTION, Connection, Limits, Pool, network_of

Connected = Callable[[], socket.socket]
ASKING = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
KNOWN = b"GET /known HTTP/1.1\r\nHost: x\r\n\r\n"


async def inside(scope: Scope, _receive: Receive, send: Send) -> None:
    """Authenticate requests for `/known`; 503 if there is no room."""
    status = 204 if scope["path"] != "/known" or scope["state"][CONNECTION].admit() else 503
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body"})


def run_client(limits: Limits, talk: Callable[[Connected], None]) -> None:
    """Run a client against a server."""

    async def run() -> None:
        config, state = Config(inside, log_config=None), ServerState()
        config.load()
        factory = partial(Connection, limits=limits, pool=Pool(limits), config=config, server_state=state, app_state={})
        server = await asyncio.get_running_loop().create_server(factory, "127.0.0.1", 0)
        connected = partial(socket.create_connection, server.sockets[0].getsockname(), 30)
        await asyncio.to_thread(talk, connected)
        server.close()
        while state.connections:  # noqa: ASYNC110  there is no notification
            await asyncio.sleep(0.01)

    asyncio.run(run())


def is_closed(connection: socket.socket) -> bool:
    with suppress(ConnectionResetError):
        return connection.recv(1) == b""
    return True


def is_answered(connection: socket.socket, request: bytes = ASKING, status: bytes = b"204") -> bool:
    connection.sendall(request)
    return connection.recv(1_000).startswith(b"HTTP/1.1 " + status)


@pytest.mark.promise("serve.room")
def test_the_oldest_stranger_goes_and_a_known_connection_stays() -> None:
    def talk(connected: Connected) -> None:
        with connected() as known, connected() as other:
            assert is_answered(known, KNOWN)
            assert is_answered(other, KNOWN)
            with connected() as oldest, connected() as older:
                oldest.sendall(b"GET / HTTP/1.1\r\nHost:")
                assert is_answered(older)
                with connected() as newest:
                    assert is_closed(oldest)
                    for connection in (older, newest, known, other):
                        assert is_answered(connection)

    run_client(Limits(connections=8), talk)


@pytest.mark.promise("serve.room")
def test_an_idle_connection_goes_for_one_that_brings_the_token() -> None:
    def talk(connected: Connected) -> None:
        with ExitStack() as stack:
            used, idle, other = (stack.enter_context(client) for client in known_connections(connected, 3))
            assert is_answered(used, KNOWN)
            (newest,) = (stack.enter_context(client) for client in known_connections(connected, 1))
            assert is_closed(idle)
            for client in (used, other, newest):
                assert is_answered(client)

    def known_connections(connected: Connected, number: int) -> Iterator[socket.socket]:
        for _ in range(number):
            connection = connected()
            assert is_answered(connection, KNOWN)
            yield connection

    run_client(Limits(connections=4), talk)


@pytest.mark.promise("serve.room")
def test_silence_and_unfinished_heads_end_a_connection() -> None:
    def talk(connected: Connected) -> None:
        with connected() as talking, connected() as silent, connected() as unfinished:
            assert is_answered(talking)
            unfinished.sendall(b"GET / HTTP/1.1\r\nHost:")
            assert is_closed(silent)
            assert is_closed(unfinished)
            assert is_answered(talking)
            talking.sendall(b"GET")
            assert is_closed(talking)

    run_client(Limits(head_seconds=0.1), talk)


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("127.0.0.1", "127.0.0.1"),
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
        ("", ""),
        ("a name", "a name"),
    ],
)
def test_strangers_are_told_apart_by_what_they_cannot_choose(address: str, network: str) -> None:
    assert network_of(address) == network


class Fake:
    """The part of a connection that a pool uses."""

    def __init__(self, network: str, *, is_idle: bool = False) -> None:
        self.network = network
        self.is_idle = is_idle
        self.gone = False
        self.transport = self

    def abort(self) -> None:
        self.gone = True

    close = abort


def test_strangers_of_a_crowd_go_first() -> None:
    pool, strangers = Pool(Limits(connections=16)), [Fake(network) for network in "abbbcbd"]
    for connection in strangers:
        pool.enter(connection)  # type: ignore[arg-type]  # for the reason above
    assert [number for number, connection in enumerate(strangers) if connection.gone] == [1, 2, 3]


def test_where_all_known_connections_are_busy_there_is_no_room() -> None:
    pool: Any = Pool(Limits(connections=4))
    busy = [Fake("a") for _ in range(3)]
    for connection in busy:
        pool.enter(connection)
        assert pool.admit(connection)
    other = Fake("b")
    pool.enter(other)
    assert not pool.admit(other)
    assert pool.admit(busy[0])
    busy[2].is_idle = True
    assert pool.admit(other)
    assert [connection.gone for connection in (*busy, other)] == [False, False, True, False]


def test_half_of_the_files_are_left_to_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def limits_for(files: int) -> tuple[int, int, int]:
        monkeypatch.setattr(resource, "getrlimit", lambda _: (files, files))
        limits = Limits()
        return limits.anonymous, limits.authenticated, limits.backlog

    assert limits_for(1_024) == (128, 384, 32)
    assert limits_for(resource.RLIM_INFINITY) == limits_for(1 << 20) == (250, 750, 62)
    assert limits_for(2) == (1, 1, 1)
