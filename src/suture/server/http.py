"""MCP over HTTP: the guard, connections, sessions, and the names of the server.

The SDK keeps the sessions, and would refuse a new one when there are too many. `Sessions` learns from requests and
responses which of them are in use, and ends an unused one as its own client would.

A connection is anonymous until a request with the token arrives on it. Anonymous connections get a small share of all
connections, and the oldest makes room for the next, so they cannot shut out a client that has the token. The head of a
request must arrive soon, in the strict form of RFC 9112, and clients must read their responses.

The guard checks a request before anything reads its body. Host and Origin must be names of this server, so that no web
page can get in through a visitor's browser. The request must have the token: reaching the
port is not enough. The guard passes on only complete requests.
"""

from __future__ import annotations

import hmac
import resource
import signal
import socket
from asyncio import timeout
from collections import Counter
from functools import partial
from ipaddress import IPv6Address, ip_address
from socket import SO_LINGER, SOL_SOCKET
from struct import pack

import h11
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.datastructures import Headers
from starlette.responses import JSONResponse, PlainTextResponse
from uvicorn import Config
from uvicorn import Server as Uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import TimerHandle, Transport
    from collections.abc import Callable
    from typing import Any

    from mcp.server.lowlevel import Server
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


PATH = "/mcp"
CONNECTION = "suture.connection"
"""The key of the connection in a request's state."""
MAX_HEAD_BYTES = 16_384
"""Of the lines before a request's body, or after it; the default of h11."""
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_HTTP = 80
_LAST_PORT = 65_535
_HOST_BITS = 64
"""The bits of an IPv6 address that a machine can choose."""
_ID = "mcp-session-id"
_REVISION = "mcp-protocol-version"
_VERSIONS = ("1.0", "1.1")
_END = b"\r\n\r\n"
_MAX_REMEMBERED = 1_000
"""Dropped sessions whose clients get the reason: five times as many as can be open, 32 characters each. Older ones get
the response for an unknown session."""
_MIN_READ = 30_000
"""Bytes of a response that a client must read between two checks, 1 kB a second: a slower one would hold a connection
for too long."""
_MAX_UNACCEPTED = 1_024
"""Connections that the system queues until they are accepted: as many as may be open."""
_MAX_LARGE_BODIES = 10
"""Bodies of the maximum size that may be in memory at a time; ordinary ones are a thousandth of that size."""
_CLOSE_AT_ONCE = pack("ii", 1, 0)
"""Otherwise the system would keep a response that the client does not read, and retry for minutes."""
_INVALID_REQUEST = -32600
_INTERNAL = -32603
_REFUSED = 400
_GONE = 404


class Address(Record):
    """A host and a port, from the command line."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read `127.0.0.1:8080`, `localhost:8080` or `[::1]:8080`; ValueError says what is wrong."""
        host, colon, port = text.rpartition(":")
        if not colon or not host or not (port.isascii() and port.isdigit()) or int(port) > _LAST_PORT:
            raise ValueError(f"expected HOST:PORT such as 127.0.0.1:8080, got {text!r}")
        if ":" in host and not (host.startswith("[") and host.endswith("]")):
            raise ValueError(f"an IPv6 address needs brackets: [{host}]:{port}")
        return cls(host.removeprefix("[").removesuffix("]"), int(port))

    def listen(self, *, remote: bool) -> socket.socket:
        """A socket that listens at the address; ValueError if other machines could reach it without `remote`."""
        try:
            family, _, _, _, place = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)[0]
        except socket.gaierror as error:
            raise ValueError(f"{self.host}: {error.strerror}") from None
        if not remote and not ip_address(str(place[0]).partition("%")[0]).is_loopback:
            raise ValueError(f"{self.host} can be reached from other machines; to allow that, use --allow-remote")
        listening = socket.create_server(place[:2], family=family)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else responses in two parts wait for 40 ms
        return listening


class HostNames:
    """The host names and origins that a listening server accepts; requests from web pages of others are refused.

    A name that an attacker owns may resolve to this machine's address (DNS rebinding), but the request still contains
    that name. Nobody owns an address, so if remote access is allowed, any address is accepted.
    """

    def __init__(self, host: str, port: int, others: tuple[str, ...] = (), *, remote: bool = False) -> None:
        names = {f"[{host}]" if ":" in host else host, *(_LOOPBACK if _is_local(host) else ())}
        self._hosts = {f"{name.lower()}:{port}" for name in names}
        if port == _HTTP:
            self._hosts |= {name.lower() for name in names}
        self._others = {name.lower() for name in others}
        """Names that the operator added, for example of a proxy, which has its own port and perhaps TLS."""
        self._port = port
        self._remote = remote

    def allows(self, host: str | None) -> bool:
        """Whether a request's Host is a name of this server."""
        if host is None:
            return False
        return host.lower() in self._hosts or self._is_other(host) or (self._remote and self._is_address(host))

    def allows_origin(self, origin: str | None, requested: str | None) -> bool:
        """Whether a request with the Host `requested` comes from this server's own page, or from no web page."""
        if origin is None:
            return True
        scheme, _, host = origin.lower().partition("://")
        ours = (
            host in self._hosts
            or self._is_other(host)
            or (self.allows(requested) and host == (requested or "").lower())
        )
        return (scheme == "http" and ours) or (scheme == "https" and self._is_other(host))

    def _is_other(self, host: str) -> bool:
        name, colon, port = host.rpartition(":")
        plain = name if colon and port.isascii() and port.isdigit() else host
        return plain.lower() in self._others

    def _is_address(self, host: str) -> bool:
        name, _, port = host.rpartition(":")
        try:
            ip_address(name.removeprefix("[").removesuffix("]"))
        except ValueError:
            return False
        return port == str(self._port)


def network_of(host: str) -> str:
    """The addresses that one machine can use: a single IPv4 address, or a whole IPv6 network."""
    try:
        address = IPv6Address(host.partition("%")[0])
    except ValueError:
        return host
    return str(address.ipv4_mapped or IPv6Address(int(address) >> _HOST_BITS << _HOST_BITS))


def _is_local(host: str) -> bool:
    """Whether a server that listens at this host can be reached by the names of loopback."""
    try:
        return ip_address(host).is_loopback or ip_address(host).is_unspecified
    except ValueError:
        return host.lower() == "localhost"


class Sessions:
    """Passes requests on to the SDK, and limits the number of sessions."""

    def __init__(
        self, app: ASGIApp, path: str, limit: int, when_ended: Callable[[str], object] = lambda _: None
    ) -> None:
        """`when_ended` gets the id of each session that has ended."""
        self._app = app
        self._path = path
        self._limit = limit
        self._when_ended = when_ended
        self._opening = 0
        self._open: dict[str, Counter[str]] = {}
        """The number of running calls and streams of each, least recently used first."""
        self._dropped: dict[str, None] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http" or scope["path"] != self._path or not _has_handshake(scope):
            await self._app(scope, receive, send)
            return
        name = Headers(raw=scope["headers"]).get(_ID)
        if name is None:
            await self._open_session(scope, receive, send)
        elif name in self._dropped:
            message = f"This session was dropped to make room: the limit is {self._limit}. Initialize a new one."
            await _error(_GONE, _INVALID_REQUEST, message)(scope, receive, send)
        elif (session := self._open.get(name)) is None:
            await self._app(scope, receive, send)
        else:
            await self._continue(name, session, scope, receive, send)

    async def _open_session(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request that may open a session."""
        opened = False

        async def note_session(message: Message) -> None:
            nonlocal opened
            if message["type"] == "http.response.start" and message["status"] < _REFUSED and not opened:
                name = Headers(raw=message["headers"]).get(_ID)
                if name is not None:
                    opened = True
                    self._opening -= 1
                    self._open[name] = Counter()
            await send(message)

        self._opening += 1
        try:
            while len(self._open) + self._opening > self._limit:
                if not await self._drop(scope):
                    message = f"All {self._limit} sessions are in use. Try again later."
                    await _error(503, _INTERNAL, message, {"Retry-After": "1"})(scope, receive, send)
                    return
            await self._app(scope, receive, note_session)
        finally:
            if not opened:
                self._opening -= 1

    async def _continue(self, name: str, session: Counter[str], scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request of a session."""
        status = 0

        async def note_session(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        kind = "streams" if scope["method"] == "GET" else "calls"
        session[kind] += 1
        try:
            await self._app(scope, receive, note_session)
        finally:
            session[kind] -= 1
            if status == _GONE or (scope["method"] == "DELETE" and 0 < status < _REFUSED):
                self._open.pop(name, None)
                self._when_ended(name)
            elif kind == "calls" and name in self._open:
                self._open[name] = self._open.pop(name)

    async def _drop(self, scope: Scope) -> bool:
        """End the least recently used session; one with an open stream only if there is no other.

        False if all have running calls.
        """
        unused = [name for name, session in self._open.items() if not session["calls"]]
        name = next((name for name in unused if not self._open[name]["streams"]), unused[0] if unused else None)
        if name is None:
            return False
        del self._open[name]
        self._when_ended(name)
        self._dropped[name] = None
        if len(self._dropped) > _MAX_REMEMBERED:
            del self._dropped[next(iter(self._dropped))]
        headers = [*((key, value) for key, value in scope["headers"] if key == b"host"), (_ID.encode(), name.encode())]
        await self._app({**scope, "method": "DELETE", "headers": headers}, _receive_nothing, _ignore)
        return True


async def _receive_nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _ignore(_message: Message) -> None:
    pass


def _has_handshake(scope: Scope) -> bool:
    """Whether a request is of a protocol revision that has sessions."""
    revision = Headers(raw=scope["headers"]).get(_REVISION)
    return revision is None or revision in HANDSHAKE_PROTOCOL_VERSIONS


def _error(status: int, code: int, message: str, headers: dict[str, str] | None = None) -> JSONResponse:
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
    return JSONResponse(body, status, headers)


class Limits(Record):
    """How much a server accepts, and how long it waits."""

    connections: int = 1_000
    """But at most half of the files that the process may open: tools need the others."""
    requests: int = 512
    """At a time, including the streams that clients keep open."""
    sessions: int = 200
    head_seconds: float = 10
    """For the head of a request, from the connection or from its first byte."""
    body_seconds: float = 60
    read_seconds: float = 30
    """Between two checks whether the client reads its response."""
    idle_seconds: int = 600
    """How long a connection may be idle. Long, so that clients close it: a request on a connection that the server is
    closing gets no response."""
    shutdown_seconds: int = 5
    """How long calls may continue after a signal, before those that are not writing are stopped."""

    @property
    def anonymous(self) -> int:
        """How many connections may be without a token."""
        return max(1, self._open // 4)

    @property
    def authenticated(self) -> int:
        """How many connections may have sent the token."""
        return max(1, self._open - self.anonymous)

    @property
    def backlog(self) -> int:
        """How many connections are accepted before any is read: fewer than would push out an anonymous one."""
        return max(1, self.anonymous // 4)

    @property
    def _open(self) -> int:
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return self.connections if files == resource.RLIM_INFINITY else min(self.connections, files // 2)


DEFAULT_LIMITS = Limits()


class Pool:
    """The open connections."""

    def __init__(self, limits: Limits) -> None:
        self._max_anonymous, self._max_authenticated = limits.anonymous, limits.authenticated
        self._anonymous: dict[str, dict[Connection, None]] = {}
        """By network; the oldest is first."""
        self._authenticated: dict[Connection, None] = {}
        """Least recently used first."""

    def enter(self, connection: Connection) -> None:
        """Add an anonymous connection; if there are too many, close the oldest of the network with the most."""
        if sum(map(len, self._anonymous.values())) >= self._max_anonymous:
            largest = max(self._anonymous.values(), key=len)
            oldest = next(iter(largest))
            self.leave(oldest)
            oldest.transport.abort()
        self._anonymous.setdefault(connection.network, {})[connection] = None

    def admit(self, connection: Connection) -> bool:
        """Mark a connection as authenticated; False if there is no room, because all the others are busy."""
        if connection not in self._authenticated and len(self._authenticated) >= self._max_authenticated:
            idle = next((other for other in self._authenticated if other.is_idle), None)
            if idle is None:
                return False
            self.leave(idle)
            idle.transport.close()
        self.leave(connection)
        self._authenticated[connection] = None
        return True

    def leave(self, connection: Connection) -> None:
        """Remove a connection."""
        self._authenticated.pop(connection, None)
        neighbors = self._anonymous.get(connection.network, {})
        neighbors.pop(connection, None)
        if not neighbors:
            self._anonymous.pop(connection.network, None)


class Connection(H11Protocol):
    """HTTP over a connection: one request at a time, in the strict form, within a time limit."""

    def __init__(self, *, limits: Limits, pool: Pool, app_state: dict[str, Any], **options: Any) -> None:
        super().__init__(app_state={**app_state, CONNECTION: self}, **options)
        self.network = ""
        self._limits = limits
        self._pool = pool
        self._head = b""
        self._head_timer: TimerHandle | None = None
        self._unread = 0
        """Bytes that were unread at the last check."""
        self._read_timer: TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no request is being handled."""
        return self.cycle.response_complete and not self._head

    def admit(self) -> bool:
        """Mark it as authenticated; False if there is no room."""
        return self._pool.admit(self)

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as in the base class
        """Wait for a request, within the time limit."""
        super().connection_made(transport)
        self.network = network_of(self.client[0] if self.client else "")
        self._pool.enter(self)
        self._head_timer = self.loop.call_later(self._limits.head_seconds, transport.close)
        self._check_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        """Remove the connection."""
        self._pool.leave(self)
        self._end_head()
        if self._read_timer is not None:
            self._read_timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read a request; bytes that arrive before its response are never read as another request."""
        if self.conn.their_state is h11.IDLE:
            self._head += data
            if not _is_strict(self._head):
                self._end_head()
                self.send_400_response("Invalid HTTP request received.")
                return
            if self._head_timer is None:
                self._head_timer = self.loop.call_later(self._limits.head_seconds, self.transport.close)
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._end_head()
        if self.conn.their_state is h11.DONE and self.conn.trailing_data[0]:
            self.cycle.keep_alive = False

    def send_400_response(self, msg: str) -> None:
        """Refuse bytes that are not a request, unless a response has begun."""
        if self.conn.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            self.transport.abort()
            return
        super().send_400_response(msg)
        cycle: Any = self.cycle
        if cycle is not None:  # a handler that waits for the rest of the body must stop
            cycle.disconnected = True
            cycle.message_event.set()

    def resume_writing(self) -> None:
        """Note that the client has read everything."""
        self._unread = 0
        super().resume_writing()

    def _end_head(self) -> None:
        self._head = b""
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _check_reading(self) -> None:
        unread = self.transport.get_write_buffer_size()
        if unread and self._unread and self._unread - unread < _MIN_READ:
            self.transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, _CLOSE_AT_ONCE)
            self.transport.abort()
            return
        self._unread = unread
        self._read_timer = self.loop.call_later(self._limits.read_seconds, self._check_reading)


def _is_strict(data: bytes) -> bool:
    """Whether the head of a request, as far as it has arrived, has lines that every server parses in the same way.

    h11 also accepts lines without a carriage return, and continuation lines. Behind a proxy that does not accept them,
    such a request could smuggle in another one.
    """
    head = data.partition(_END)[0].removesuffix(b"\r")
    plain = head.replace(b"\r\n", b"")
    broken = b"\n" in plain or b"\r" in plain or b"\n " in head or b"\n\t" in head
    return not broken and len(head) <= MAX_HEAD_BYTES


def serve(
    server: Server[Any],
    listening: socket.socket,
    names: HostNames,
    token: str,
    max_bytes: int,
    limits: Limits = DEFAULT_LIMITS,
    when_ended: Callable[[str], object] = lambda _: None,
) -> bool:
    """Serve until a signal arrives, requests of up to `max_bytes`. Returns whether the server was interrupted."""
    app = server.streamable_http_app(
        streamable_http_path=PATH, max_request_body_size=max_bytes, max_sessions=limits.sessions, host=""
    )
    config = Config(
        Guard(Sessions(app, PATH, limits.sessions, when_ended), names, token, max_bytes, limits),
        http=partial(Connection, limits=limits, pool=Pool(limits)),  # type: ignore[arg-type]  # called like a class
        lifespan="on",
        log_config=None,  # the command line configures logging
        access_log=False,
        proxy_headers=False,
        server_header=False,
        ws="none",
        backlog=limits.backlog,
        h11_max_incomplete_event_size=MAX_HEAD_BYTES,
        timeout_graceful_shutdown=limits.shutdown_seconds,
        timeout_keep_alive=limits.idle_seconds,
    )
    received: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):  # uvicorn raises the signal again when it has stopped
        signal.signal(number, lambda sent, _: received.append(sent))
    _Server(config).run(sockets=[listening])
    return signal.SIGINT in received


class _Server(Uvicorn):
    """A server that accepts a few connections at a time, while many more are queued."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen. asyncio has only one limit for both, so the queue is set here."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(_MAX_UNACCEPTED)


class Guard:
    """Passes on the requests that are allowed, once they are complete."""

    def __init__(
        self, app: ASGIApp, names: HostNames, token: str, max_bytes: int, limits: Limits = DEFAULT_LIMITS
    ) -> None:
        self._app = app
        self._names = names
        self._token = token.encode()
        self._max_bytes = max_bytes
        self._limits = limits
        self._requests = 0
        self._body_bytes = 0
        """Of all requests."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        if scope["type"] != "http":
            return
        refusal = _malformed(scope) or self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        self._requests += 1
        body = bytearray()
        try:
            refusal = await self._read(scope, receive, body)
            await (refusal or self._app)(scope, _replay(bytes(body), receive), send)
        finally:
            self._requests -= 1
            self._body_bytes -= len(body)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        host = _header(scope, "host")
        if not self._names.allows(host):
            return _refuse(421, "This is not the name of this server.\n")
        if not self._names.allows_origin(_header(scope, "origin"), host):
            return _refuse(403, "Web pages from other origins may not use this server.\n")
        kind, _, token = (_header(scope, "authorization") or "").partition(" ")
        if kind.lower() != "bearer" or not hmac.compare_digest(token.encode("latin-1"), self._token):
            message = "Send the header 'Authorization: Bearer TOKEN' with the token of this server.\n"
            return _refuse(401, message, {"WWW-Authenticate": "Bearer"})
        connection = scope.get("state", {}).get(CONNECTION)
        if self._requests >= self._limits.requests or not (connection is None or connection.admit()):
            return _refuse(503, "Too many requests at once.\n", {"Retry-After": "1"})
        return None

    async def _read(self, scope: Scope, receive: Receive, body: bytearray) -> PlainTextResponse | None:
        """Read the body; returns a refusal if it is too large or does not arrive in time."""
        too_large = _refuse(413, f"A request may have at most {self._max_bytes:,} bytes.\n")
        if int(_header(scope, "content-length") or "0") > self._max_bytes:
            return too_large
        try:
            async with timeout(self._limits.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return _refuse(400, "The request is not complete.\n")
                    part = message.get("body", b"")
                    body += part
                    self._body_bytes += len(part)
                    if len(body) > self._max_bytes:
                        return too_large
                    if self._body_bytes > _MAX_LARGE_BODIES * self._max_bytes:
                        return _refuse(503, "Too many large requests at once.\n", {"Retry-After": "1"})
                    if not message.get("more_body", False):
                        return None
        except TimeoutError:
            return _refuse(408, f"The body did not arrive within {self._limits.body_seconds:g} seconds.\n")


def _malformed(scope: Scope) -> PlainTextResponse | None:
    """A refusal of a request whose length another server could read differently."""
    if scope["http_version"] not in _VERSIONS:
        return _refuse(505, "This server speaks HTTP/1.1.\n")
    if _header(scope, "transfer-encoding") is None:
        return None
    if _header(scope, "content-length") is not None or scope["http_version"] == "1.0":
        return _refuse(400, "Send either Content-Length or, with HTTP/1.1, Transfer-Encoding.\n")
    return None


def _replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that returns the body that was read, then the messages after it."""
    read = False

    async def replay() -> Message:
        nonlocal read
        if read:
            return await receive()
        read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _refuse(status: int, message: str, headers: dict[str, str] | None = None) -> PlainTextResponse:
    """A refusal that closes the connection, without waiting for the rest of the body."""
    return PlainTextResponse(message, status, {"Connection": "close", **(headers or {})})


def _header(scope: Scope, name: str) -> str | None:
    """A header's value; one that occurs twice has an invalid value."""
    values = Headers(raw=scope["headers"]).getlist(name)
    return "\0".join(values) if values else None
