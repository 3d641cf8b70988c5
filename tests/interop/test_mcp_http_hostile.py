"""The server over HTTP with hostile clients: raw bytes sent to a real process."""

from __future__ import annotations

import json
import re
import resource
import select
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from tests.interop.mcp_servers import (
    PATIENCE,
    HttpServer,
    Message,
    edit,
    hello,
    hold_lock,
    over_http,
    request,
    tool_call,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PING = json.dumps(request(1, "ping")).encode()
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(PING), PING)
SECONDS = 0.3
"""The time limits of an impatient server."""


@pytest.fixture(scope="module")
def server_errors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The server's stderr."""
    return tmp_path_factory.mktemp("complaints") / "stderr"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, server_errors: Path) -> Iterator[HttpServer]:
    with server_errors.open("wb") as errors, over_http(tmp_path_factory.mktemp("root"), stderr=errors) as instance:
        yield instance


@pytest.fixture(scope="module")
def impatient_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    """A server with short time limits."""
    root = tmp_path_factory.mktemp("hasty")
    (root / "large.txt").write_bytes((b"x" * 399 + b"\n") * 20_000)
    limits = dict.fromkeys(["head_seconds", "body_seconds", "read_seconds"], SECONDS)
    with over_http(root, "--max-answer", "10000000", limits=limits) as instance:
        yield instance


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "a.txt").write_bytes(b"one\n")
    return tmp_path / "root"


@contextmanager
def connect(server: HttpServer, patience: float = PATIENCE) -> Iterator[socket.socket]:
    host, _, port = server.host.rpartition(":")
    with socket.create_connection((host, int(port)), patience) as connection:
        yield connection


def head(server: HttpServer, *more: bytes, start: bytes = b"POST /mcp HTTP/1.1", token: bool = True) -> bytes:
    """The head of a request, without its length."""
    headers = {"Host": server.host, **server.headers}
    if not token:
        del headers["Authorization"]
    lines = [start, *(f"{name}: {value}".encode() for name, value in headers.items()), *more]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def read_to_end(connection: socket.socket) -> bytes:
    """Everything received until the server closes the connection."""
    received = bytearray()
    with suppress(ConnectionError):  # it may close while there is something that it did not read
        for piece in iter(lambda: connection.recv(65_536), b""):
            received += piece
    return bytes(received)


def statuses(data: bytes) -> list[int]:
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", data)]


def exchange(server: HttpServer, *parts: bytes) -> list[int]:
    """The statuses of the responses to these bytes, after which the client sends nothing."""
    with connect(server) as connection:
        with suppress(ConnectionError):
            for part in parts:
                connection.sendall(part)
        return statuses(read_to_end(connection))


def ping_status(server: HttpServer) -> int:
    """The status of a request by an honest client."""
    return httpx2.post(server.url, headers=server.headers, json=hello(), timeout=PATIENCE).status_code


LENGTH = b"Content-Length: %d" % len(PING)
ENCODED = b"Transfer-Encoding: chunked"


@pytest.mark.promise("serve.room")
@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ((LENGTH, ENCODED), CHUNKED),
        ((ENCODED, LENGTH), CHUNKED),
        ((ENCODED, LENGTH), PING),
        ((b"Content-Length: 0", ENCODED), CHUNKED),
        ((b"content-length: 5", b"TRANSFER-ENCODING: Chunked"), CHUNKED),
        ((b"Content-Length: 4", b"Content-Length: 5"), PING),
        ((b"Content-Length: 4, 5",), PING),
        ((b"Content-Length: +5",), PING),
        ((b"Content-Length: -5",), PING),
        ((b"Content-Length: 0x5",), PING),
        ((b"Content-Length: 5 5",), PING),
        ((b"Content-Length: 5_0",), PING),
        ((b"Content-Length:",), PING),
        ((b"Content-Length: \xd9\xa5",), PING),
        ((b"Content-Length: " + b"9" * 21,), PING),
        ((b"Content-Length : 5",), PING),
        ((b"Transfer-Encoding: identity",), PING),
        ((b"Transfer-Encoding: gzip, chunked",), CHUNKED),
        ((b"Transfer-Encoding: chunked, identity",), CHUNKED),
        ((b"Transfer-Encoding: chunked, chunked",), CHUNKED),
        ((b"Transfer-Encoding: xchunked",), CHUNKED),
        ((b"Transfer-Encoding: \x0bchunked",), CHUNKED),
        ((b"Transfer-Encoding : chunked",), CHUNKED),
        ((b"Transfer-Encoding:\r\n chunked",), CHUNKED),
        ((b"Transfer-Encoding:\r\n\tchunked",), CHUNKED),
        ((b"X: y\r\n Content-Length: 5", LENGTH), PING),
        ((ENCODED, ENCODED), CHUNKED),
        ((b"X: y\n" + LENGTH,), PING),
        ((b"X: y\r" + LENGTH,), PING),
        ((b"X: y\0", LENGTH), PING),
        ((ENCODED,), CHUNKED.replace(b"\r\n", b"\n")),
        ((ENCODED,), b"0x" + CHUNKED),
        ((ENCODED,), b"+" + CHUNKED),
        ((ENCODED,), b"%x\n%s\r\n0\r\n\r\n" % (len(PING), PING)),
        ((ENCODED,), b"%x\r\n%s0\r\n\r\n" % (len(PING), PING)),
        ((ENCODED,), b"1" * 21 + b"\r\n"),
        ((ENCODED,), CHUNKED[:-2] + b"X: y\nZ: z\x00\r\n\r\n"),
        ((ENCODED,), CHUNKED[:-2] + b"X: " + b"y" * 20_000 + b"\r\n\r\n"),
    ],
)
def test_a_request_of_a_doubtful_length_is_refused_and_ends_the_connection(
    server: HttpServer, headers: tuple[bytes, ...], body: bytes
) -> None:
    hidden = head(server, LENGTH) + PING
    assert exchange(server, head(server, *headers) + body + hidden) == [400]


@pytest.mark.promise("serve.room")
@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ((LENGTH,), PING),
        ((LENGTH, LENGTH), PING),
        ((b"Content-Length:   %d\t" % len(PING),), PING),
        ((ENCODED,), CHUNKED),
        ((ENCODED,), CHUNKED.replace(b"\r\n", b';a="b\r\n', 1)),
        ((ENCODED,), CHUNKED[:-2] + b"Authorization: Bearer x\r\nContent-Length: 5\r\n\r\n"),
    ],
)
def test_what_follows_a_request_is_not_read_as_another_one(
    server: HttpServer, headers: tuple[bytes, ...], body: bytes
) -> None:
    """However its length is read, a ping without a session gets 400, and the rest gets no response."""
    hidden = head(server, LENGTH) + PING
    assert exchange(server, head(server, *headers) + body + hidden * 3) == [400]


@pytest.mark.promise("serve.room")
def test_a_length_with_an_encoding_is_refused_without_the_token_and_in_pieces(server: HttpServer) -> None:
    for token in (False, True):
        whole = head(server, LENGTH, ENCODED, token=token)
        with connect(server) as connection:
            for number in range(len(whole)):
                connection.sendall(whole[number : number + 1])
            assert statuses(read_to_end(connection)) == [400]
    assert exchange(server, head(server, ENCODED, start=b"POST /mcp HTTP/1.0") + CHUNKED) == [400]


@pytest.mark.parametrize(
    ("start", "token", "expected"),
    [
        (b"PRI * HTTP/2.0", True, [505]),
        (b"GET /mcp HTTP/0.9", True, [505]),
        (b"GET /mcp HTTP/3.0", False, [505]),
        (b"GET  /mcp HTTP/1.1", True, [400]),
        (b"GET /mcp", True, [400]),
        (b"GET /m\xc3\xa9 HTTP/1.1", True, [400]),
        (b"GET /mcp\x00 HTTP/1.1", True, [400]),
        (b"\r\nGET /mcp HTTP/1.1", True, [400]),
        (b"\x16\x03\x01\x02\x00\x01\x00", True, [400]),
        (b"CONNECT evil.example:80 HTTP/1.1", False, [401]),
        (b"POST http://evil.example/mcp HTTP/1.1", False, [401]),
        (b"POST http://evil.example/mcp HTTP/1.1", True, [404]),
        (b"POST /%6dcp HTTP/1.1", False, [401]),
        (b"POST //mcp HTTP/1.1", True, [404]),
        (b"POST /x/..%2fmcp HTTP/1.1", True, [404]),
        (b"POST * HTTP/1.1", True, [404]),
        (b"GET /" + b"x" * 20_000 + b" HTTP/1.1", True, [400]),
    ],
)
def test_odd_first_lines_are_answered(server: HttpServer, start: bytes, token: bool, expected: list[int]) -> None:  # noqa: FBT001  a case
    assert exchange(server, head(server, b"Connection: close", start=start, token=token)) == expected


@pytest.mark.parametrize(
    "headers",
    [[b"X: " + b"y" * 20_000], [b"X: y"] * 5_000, [b"X" * 20_000 + b": y"], [b"Authorization: Bearer x" * 2_000]],
)
def test_a_head_has_a_size(server: HttpServer, headers: list[bytes]) -> None:
    assert exchange(server, head(server, *headers)) == [400]
    assert ping_status(server) == 200


def test_an_upgrade_is_none(server: HttpServer) -> None:
    for kind in (b"websocket", b"h2c"):
        more = (b"Connection: Upgrade, close", b"Upgrade: " + kind, b"Sec-WebSocket-Key: AAAA", b"HTTP2-Settings: AA")
        get = b"GET /mcp HTTP/1.1"
        assert exchange(server, head(server, *more, start=get, token=False)) == [401]
        assert exchange(server, head(server, *more, start=get)) == [400]


@pytest.mark.promise("serve.room")
def test_a_body_is_asked_for_only_with_the_token(server: HttpServer) -> None:
    expecting = (LENGTH, b"Expect: 100-continue", b"Connection: close")
    assert exchange(server, head(server, *expecting, token=False)) == [401]
    with connect(server) as connection:
        connection.sendall(head(server, *expecting))
        assert connection.recv(1_000).startswith(b"HTTP/1.1 100 ")
        connection.sendall(PING)
        assert statuses(read_to_end(connection)) == [400]


def test_a_session_is_ended_only_with_the_token(server: HttpServer) -> None:
    session = open_session(server)
    session_header = b"Mcp-Session-Id: " + session.encode()
    ending = head(server, session_header, b"Connection: close", start=b"DELETE /mcp HTTP/1.1", token=False)
    assert exchange(server, ending) == [401]
    assert send_in_session(server, session)[0] == 200


@pytest.mark.promise("serve.room")
def test_connections_without_the_token_block_no_client(root: Path) -> None:
    limits = (300, 300)
    with (
        over_http(root, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, limits)) as server,
        ExitStack() as stack,
        httpx2.Client(headers=server.headers, timeout=PATIENCE) as client,
    ):
        assert client.post(server.url, json=hello()).status_code == 200
        partial_head = head(server, token=False)[:-2]
        for number in range(200):
            half_open = stack.enter_context(connect(server))
            with suppress(ConnectionError):
                half_open.sendall(partial_head[: number % len(partial_head)])
        assert client.post(server.url, json=hello()).status_code == 200, "over the connection that was there"
        for _ in range(5):
            assert ping_status(server) == 200, "over a new one"


def test_a_storm_of_connections_blocks_no_client(server: HttpServer) -> None:
    stop: list[int] = []

    def storm() -> None:
        partial_head = head(server, token=False)[:-2]
        with ExitStack() as stack:
            for number in range(100_000):
                if stop:
                    break
                if number % 500 == 0:
                    stack.pop_all().close()
                with suppress(OSError):
                    stack.enter_context(connect(server, SECONDS)).sendall(partial_head)

    assert ping_status(server) == 200, "before: it has begun to accept"
    with ThreadPoolExecutor(1) as executor:
        future = executor.submit(storm)
        try:
            assert [ping_status(server) for _ in range(4)] == [200] * 4
        finally:
            stop.append(1)
        future.result(PATIENCE)


def send_slowly(connection: socket.socket, piece: bytes = b"x") -> bytes:
    """The response to a client that keeps sending, a little at a time."""
    end = time.monotonic() + PATIENCE
    with suppress(ConnectionError):
        while not select.select([connection], [], [], SECONDS / 10)[0]:
            assert time.monotonic() < end, "the server goes on waiting"
            connection.sendall(piece)
    return read_to_end(connection)


@pytest.mark.promise("serve.room")
def test_the_server_does_not_wait_for_a_client_that_sends_slowly(impatient_server: HttpServer) -> None:
    with connect(impatient_server) as silent:
        assert read_to_end(silent) == b""
    with connect(impatient_server) as first:
        first.sendall(b"POST /mcp HTTP/1.1\r\nX: ")
        assert send_slowly(first) == b""
    with connect(impatient_server) as second:
        second.sendall(head(impatient_server, LENGTH) + PING)
        assert second.recv(65_536).startswith(b"HTTP/1.1 400 ")
        second.sendall(b"POST /mcp HTTP/1.1\r\nX: ")
        assert statuses(send_slowly(second)) == []
    for length, piece in ((b"Content-Length: 1000000", b" "), (ENCODED, b"1\r\n \r\n")):
        with connect(impatient_server) as body:
            body.sendall(head(impatient_server, length))
            assert statuses(send_slowly(body, piece)) == [408]
    with connect(impatient_server) as stopped:
        stopped.sendall(head(impatient_server, b"Content-Length: 10", start=b"GET /mcp HTTP/1.1"))
        assert statuses(read_to_end(stopped)) == [408]


@pytest.mark.promise("serve.room")
def test_the_server_does_not_wait_for_a_client_that_reads_no_answer(impatient_server: HttpServer) -> None:
    session = open_session(impatient_server)
    read = json.dumps(tool_call(1, "file_read", {"path": "large.txt", "format": "raw"})).encode()
    session_header = b"Mcp-Session-Id: " + session.encode()
    with socket.socket() as connection:
        connection.settimeout(PATIENCE)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)  # else the system takes most of it
        host, _, port = impatient_server.host.rpartition(":")
        connection.connect((host, int(port)))
        connection.sendall(head(impatient_server, session_header, b"Content-Length: %d" % len(read)) + read)
        poll = select.poll()
        poll.register(connection, 0)  # what is to be read does not count, only that it is closed
        assert poll.poll(PATIENCE * 1_000)
        assert send_in_session(impatient_server, session)[0] == 200


def open_session(server: HttpServer, status: int = 200) -> str:
    """A new session."""
    answer = httpx2.post(server.url, headers=server.headers, json=hello(), timeout=PATIENCE)
    assert answer.status_code == status, answer.text
    return answer.headers.get("Mcp-Session-Id", "")


def send_in_session(server: HttpServer, session: str, message: Message | None = None) -> tuple[int, str]:
    """The status and the text of a response in a session."""
    headers = {**server.headers, "Mcp-Session-Id": session}
    answer = httpx2.post(server.url, headers=headers, json=message or request(1, "ping"), timeout=PATIENCE)
    return answer.status_code, answer.text


@pytest.mark.promise("serve.room")
def test_the_session_without_activity_makes_room(root: Path) -> None:
    with over_http(root, limits={"sessions": 3}) as server, ExitStack() as stack:

        def start_response(session: str, method: str, message: Message | None = None) -> httpx2.Response:
            """The start of the response to a request that is still running."""
            headers = {**server.headers, "Mcp-Session-Id": session}
            stream = httpx2.stream(method, server.url, headers=headers, json=message, timeout=PATIENCE)
            return stack.enter_context(stream)

        writing = tool_call(1, "file_edit", edit("a.txt", "one", "two"))
        busy, idle, used = (open_session(server) for _ in range(3))
        with hold_lock(root):
            calls = [start_response(busy, "POST", writing)]
            assert send_in_session(server, idle)[0] == 200
            assert send_in_session(server, used)[0] == 200
            newest = open_session(server)
            status, body = send_in_session(server, idle)
            assert status == 404
            assert "Initialize a new one" in json.loads(body)["error"]["message"]
            assert start_response(newest, "GET").status_code == 200
            last = open_session(server)  # not in the place of the newest, to which somebody listens
            assert send_in_session(server, used)[0] == 404
            assert send_in_session(server, newest)[0] == 200
            calls += [start_response(session, "POST", writing) for session in (newest, last)]
            open_session(server, 503)
        assert [call.status_code for call in calls] == [200] * 3
        for call in calls:
            assert b'"result"' in call.read()
        assert open_session(server)
    assert (root / "a.txt").read_bytes() == b"two\n"


def test_an_idle_connection_makes_room_for_another(root: Path) -> None:
    with over_http(root, limits={"connections": 8}) as server, ExitStack() as stack:
        clients: list[Any] = [
            stack.enter_context(httpx2.Client(headers=server.headers, timeout=PATIENCE)) for _ in range(12)
        ]
        assert [client.post(server.url, json=hello()).status_code for client in clients] == [200] * 12


@pytest.mark.promise("serve.malformed")
def test_nothing_of_all_this_is_an_error_of_the_server(server: HttpServer, server_errors: Path) -> None:
    answering = head(server, LENGTH, b"Connection: close") + PING
    with connect(server) as connection:  # more comes while the answer is under way, or was given
        for piece in (answering, b"x", b"y" * 100_000):
            with suppress(ConnectionError):
                connection.sendall(piece)
        read_to_end(connection)
    with connect(server) as connection:
        connection.sendall(head(server, ENCODED, token=False))
        with suppress(ConnectionError):
            connection.sendall(b"no chunk\r\n" * 10)
        read_to_end(connection)
    assert ping_status(server) == 200
    assert server_errors.read_bytes() == b""
