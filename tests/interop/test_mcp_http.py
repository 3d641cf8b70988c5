"""The server over HTTP: access, requests and shutdown."""

import json
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp_types import CLIENT_CAPABILITIES_META_KEY, PROTOCOL_VERSION_META_KEY

from suture.tools import choose
from tests.interop.mcp_servers import (
    HANDSHAKES,
    NEWEST,
    PATIENCE,
    HttpServer,
    Message,
    contents,
    hello,
    hold_lock,
    http_caller,
    over_http,
    request,
    text_of,
    tool_call,
    wait_for,
)

READ = {"path": "a.txt", "format": "raw"}
REPLACE = {"path_pattern": "*", "pattern": "one", "replacement": "two"}
ENVELOPE = {PROTOCOL_VERSION_META_KEY: NEWEST, CLIENT_CAPABILITIES_META_KEY: {}}
PING = json.dumps(request(1, "ping")).encode()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    """A server whose workspace has one file."""
    root = tmp_path_factory.mktemp("root")
    (root / "a.txt").write_bytes(b"one\n")
    with over_http(root) as instance:
        yield instance


@pytest.fixture(scope="module")
def web() -> Iterator[httpx2.Client]:
    with httpx2.Client(timeout=PATIENCE) as client:
        yield client


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_bytes(b"one\n")
    (root / "b.txt").write_bytes(b"one\n")
    return root


def answer(response: httpx2.Response) -> Message:
    """The message of a response, which may be an event."""
    assert response.status_code == 200, response.text
    body = response.text
    if response.headers["Content-Type"].startswith("text/event-stream"):
        body = next(line.removeprefix("data:") for line in body.splitlines() if line.startswith("data: {"))
    message: Message = json.loads(body)
    return message


@pytest.mark.promise("serve.revisions")
def test_every_revision_with_a_handshake_is_spoken(server: HttpServer, web: httpx2.Client) -> None:
    for revision in HANDSHAKES:
        handshake = web.post(server.url, headers=server.headers, json=hello(revision))
        assert answer(handshake)["result"]["protocolVersion"] == revision
        session = {**server.headers, "Mcp-Session-Id": handshake.headers["Mcp-Session-Id"]}
        if revision >= "2025-06-18":
            session["MCP-Protocol-Version"] = revision
        ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
        assert web.post(server.url, headers=session, json=ready).status_code == 202
        tools = answer(web.post(server.url, headers=session, json=request(1, "tools/list")))["result"]["tools"]
        assert [tool["name"] for tool in tools] == choose()
        read = answer(web.post(server.url, headers=session, json=tool_call(2, "file_read", READ)))
        assert read["result"]["content"] == [{"type": "text", "text": "one\n"}]
        assert web.delete(server.url, headers=session).status_code == 200
        late = web.post(server.url, headers=session, json=tool_call(3, "file_read", READ))
        assert late.status_code == 404


@pytest.mark.promise("serve.revisions")
@pytest.mark.parametrize("mode", ["auto", "legacy", NEWEST])
def test_the_client_of_the_sdk_connects_in_every_mode(server: HttpServer, tmp_path: Path, mode: str) -> None:
    with http_caller(server, tmp_path, mode=mode) as caller:
        assert caller.client.protocol_version == (HANDSHAKES[-1] if mode == "legacy" else NEWEST)
        assert text_of(caller.call("file_read", READ)) == "one\n"


Headers = list[tuple[str, str]]


def raw_request(
    server: HttpServer, headers: Headers, body: bytes = PING, method: str = "POST", length: int | None = None
) -> tuple[int, str]:
    """The status and the body of the response to exactly these headers; a larger length promises more than is sent."""
    all_headers = [*headers, ("Content-Length", str(len(body) if length is None else length)), ("Connection", "close")]
    head = "".join(f"{name}: {value}\r\n" for name, value in all_headers)
    host, _, port = server.host.rpartition(":")
    with socket.create_connection((host, int(port)), PATIENCE) as connection:
        connection.sendall(f"{method} /mcp HTTP/1.1\r\n{head}\r\n".encode() + body)
        received = b"".join(iter(lambda: connection.recv(65536), b""))
    top, _, content = received.partition(b"\r\n\r\n")
    return int(top.split()[1]), content.decode()


def valid_headers(server: HttpServer, **changes: str | list[str] | None) -> Headers:
    """The headers of a valid request, with some replaced, removed or repeated."""
    usual: dict[str, Any] = {"Host": server.host, **server.headers, **changes}
    values = {name: value if isinstance(value, list) else [value] for name, value in usual.items()}
    return [(name, value) for name, items in values.items() for value in items if value is not None]


@pytest.mark.promise("serve.guard")
def test_without_the_token_every_request_is_refused(server: HttpServer) -> None:
    right = f"Bearer {server.token}"
    wrong: list[str | list[str] | None] = [
        *(None, "", "Bearer", "Bearer ", "Bearer x", server.token, f"Basic {server.token}", right[:-1], right + "x"),
        *([right, right], [right, "Bearer x"], f"{right}, {right}", f"Bearer {server.token.swapcase()}", "Bearer é"),
    ]
    for authorization in wrong:
        for method in ("POST", "GET", "DELETE", "OPTIONS", "PUT"):
            status, body = raw_request(server, valid_headers(server, Authorization=authorization), method=method)
            assert status == 401, (authorization, method)
            assert server.token not in body


@pytest.mark.promise("serve.guard")
@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("{host}", None),
        ("localhost:{port}", None),
        ("LOCALHOST:{port}", None),
        ("[::1]:{port}", None),
        ("evil.example", 421),
        ("evil.example:{port}", 421),
        ("127.0.0.1", 421),
        ("127.0.0.1:1", 421),
        ("127.0.0.1.evil.example:{port}", 421),
        ("{host}@evil.example", 421),
        ("0.0.0.0:{port}", 421),
        ("", 421),
    ],
)
def test_only_a_name_of_this_server_may_be_asked(server: HttpServer, host: str, status: int | None) -> None:
    port = server.host.rpartition(":")[2]
    actual, _ = raw_request(server, valid_headers(server, Host=host.format(host=server.host, port=port)))
    assert actual == status if status else actual not in {401, 403, 421}


@pytest.mark.parametrize("hosts", [None, ["{host}", "{host}"], ["{host}", "evil.example"]])
def test_a_request_has_one_host(server: HttpServer, hosts: list[str] | None) -> None:
    several = None if hosts is None else [host.format(host=server.host) for host in hosts]
    assert raw_request(server, valid_headers(server, Host=several))[0] in {400, 421}


@pytest.mark.promise("serve.guard")
@pytest.mark.parametrize(
    ("origin", "status"),
    [
        (None, None),
        ("http://{host}", None),
        ("null", 403),
        ("", 403),
        ("http://evil.example", 403),
        ("https://{host}", 403),
        ("http://{host}.evil.example", 403),
        ("http://127.0.0.1:1", 403),
        ("file://", 403),
        ("{host}", 403),
    ],
)
def test_web_pages_of_other_origins_stay_out(server: HttpServer, origin: str | None, status: int | None) -> None:
    header = None if origin is None else origin.format(host=server.host)
    actual, _ = raw_request(server, valid_headers(server, Origin=header))
    assert actual == status if status else actual not in {401, 403, 421}


def test_two_origins_are_none(server: HttpServer) -> None:
    ours = f"http://{server.host}"
    assert raw_request(server, valid_headers(server, Origin=[ours, ours]))[0] == 403
    assert raw_request(server, valid_headers(server, Origin=[ours, "http://evil.example"]))[0] == 403


@pytest.mark.promise("serve.guard")
@pytest.mark.parametrize(
    ("other", "status"),
    [({"Host": "evil.example"}, 421), ({"Origin": "null"}, 403), ({"Authorization": "Bearer x"}, 401)],
)
def test_a_request_is_refused_before_its_body_is_read(server: HttpServer, other: dict[str, Any], status: int) -> None:
    assert raw_request(server, valid_headers(server, **other), body=b"", length=10_000_000)[0] == status


def test_no_header_lets_a_web_page_read_answers(server: HttpServer, web: httpx2.Client) -> None:
    headers = {**server.headers, "Origin": f"http://{server.host}"}
    response = web.post(server.url, headers=headers, json=hello())
    assert not [name for name in response.headers if name.lower().startswith("access-control")]
    assert "server" not in response.headers


@pytest.mark.promise("serve.malformed")
def test_a_body_that_is_too_large_is_refused(server: HttpServer, web: httpx2.Client) -> None:
    assert raw_request(server, valid_headers(server), body=b"", length=50_000_000)[0] == 413
    pieces = (b"x" * 1_000_000 for _ in range(50))
    try:
        status = web.post(server.url, headers=server.headers, content=pieces).status_code
    except (httpx2.WriteError, httpx2.ReadError):  # it was cut off while it was still sending
        status = 413
    assert status == 413


@pytest.mark.promise("serve.malformed")
@pytest.mark.parametrize(
    ("method", "body", "statuses"),
    [
        ("GET", b"", {400, 405}),
        ("DELETE", b"", {400, 404, 405}),
        ("PUT", b"{}", {405}),
        ("POST", b"", {400}),
        ("POST", b"hello", {400}),
        ("POST", b"\xff\xfe", {400}),
        ("POST", b"[]", {400}),
        ("POST", b"[" * 100_000, {400}),
        ("POST", json.dumps(tool_call(1, "file_read", READ)).encode(), {400}),
        ("POST", b'{"jsonrpc": "2.0", "method": "notifications/initialized"}', {400}),
    ],
)
def test_what_has_no_session_is_refused(server: HttpServer, method: str, body: bytes, statuses: set[int]) -> None:
    assert raw_request(server, valid_headers(server), body, method)[0] in statuses
    session = [("Mcp-Session-Id", "no-such-session")]
    assert raw_request(server, [*valid_headers(server), *session], body, method)[0] in {404, 405}


def test_another_path_is_not_found(server: HttpServer, web: httpx2.Client) -> None:
    for path in ("/", "/mcp/x", "/sse", "/.well-known/oauth-protected-resource"):
        assert web.post(f"http://{server.host}{path}", headers=server.headers, content=PING).status_code == 404
        assert web.get(f"http://{server.host}{path}").status_code == 401


def stateless(server: HttpServer, name: str, arguments: dict[str, Any]) -> Message | None:
    """The answer to a call of the revision without a handshake; None if the server ends before it."""
    headers = {"MCP-Protocol-Version": NEWEST, "Mcp-Method": "tools/call", "Mcp-Name": name}
    call = request(1, "tools/call", name=name, arguments=arguments, _meta=ENVELOPE)
    try:
        response = httpx2.post(server.url, headers={**server.headers, **headers}, json=call, timeout=PATIENCE)
    except httpx2.TransportError:
        return None
    return None if response.status_code == 500 else answer(response)


def is_closed(server: HttpServer) -> bool:
    """Whether the server refuses connections."""
    host, _, port = server.host.rpartition(":")
    try:
        socket.create_connection((host, int(port)), PATIENCE).close()
    except ConnectionError:
        return True
    return False


@pytest.mark.promise("serve.cancel")
def test_a_signal_waits_for_a_commit_in_progress(root: Path, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    gate.mkdir()
    with over_http(root, gate=gate) as server, ThreadPoolExecutor(1) as executor:
        commit = executor.submit(stateless, server, "regex_replace_multi", REPLACE)
        wait_for((gate / "reached").exists)
        server.process.send_signal(signal.SIGINT)
        wait_for(lambda: is_closed(server))
        (gate / "open").touch()
        assert server.process.wait(PATIENCE) == 130
        commit.result(PATIENCE)
    assert contents(root) == {"a.txt": b"two\n", "b.txt": b"two\n"}


@pytest.mark.promise("serve.cancel")
def test_a_signal_stops_a_call_that_has_not_begun_to_write(root: Path, tmp_path: Path) -> None:
    before = contents(root)
    with over_http(root, gate=tmp_path) as server, ThreadPoolExecutor(1) as executor, hold_lock(root):
        call = executor.submit(stateless, server, "regex_replace_multi", REPLACE)
        read = stateless(server, "file_read", READ)
        assert read is not None
        assert read["result"]["content"][0]["text"] == "one\n"
        server.process.terminate()
        assert server.process.wait(PATIENCE) == 0
        assert "result" not in (call.result(PATIENCE) or {})
    assert contents(root) == before
