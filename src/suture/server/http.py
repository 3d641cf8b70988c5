"""MCP over HTTP: the guard, connections, sessions, and the names of the server.

The SDK keeps the sessions and would refuse the next one. This notes, from requests and answers alone, which of them are
in use, and ends one as its own client would.

A connection is a stranger's until a request with the token came over it. Strangers have a small share of all
connections, and the oldest makes room for the next, so they cannot shut out a client that brings the token. A head of a
request must come in one go, in the strict form of RFC 9112, and an answer must be taken.

The guard looks at a request before anything reads its body: its Host and Origin must be names of this server, so that
no web page can use a visitor's browser to get in, and it must bring the token, whoever can reach the port. What comes
in is a whole request.
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
    from typing import Any

    from mcp.server.lowlevel import Server
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


PATH = "/mcp"
CONNECTION = "suture.connection"
"""Where a request's state has its connection."""
HEAD = 16_384
"""The most bytes of a request before its body, or of the lines after it; as h11 has it by itself."""
_LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_HTTP = 80
_LAST_PORT = 65_535
_HOST_BITS = 64
"""The bits of an IPv6 address that a machine chooses by itself."""
_ID = "mcp-session-id"
_REVISION = "mcp-protocol-version"
_VERSIONS = ("1.0", "1.1")
_END = b"\r\n\r\n"
_MAX_REMEMBERED = 1_000
"""Dropped sessions whose clients are told why: five times as many as can be open, 32 characters each. Older ones get
the answer for an unknown session."""
_MIN_TAKEN = 30_000
"""How many bytes of an answer a client must take between two looks, at 1 kB a second: a slower one holds a connection
too long."""
_MAX_UNACCEPTED = 1_024
"""Connections that the system keeps until they are accepted: as many as may be open."""
_MAX_LARGE_BODIES = 10
"""How many bodies of the largest size may be in memory at a time; ordinary ones are a thousandth of that."""
_CLOSE_AT_ONCE = pack("ii", 1, 0)
"""Otherwise the system would keep an answer that nobody takes, and offer it for minutes."""
_INVALID_REQUEST = -32600
_INTERNAL = -32603
_REFUSED = 400
_GONE = 404


class Address(Record):
    """A host and a port, as given on the command line."""

    host: str
    port: int

    @classmethod
    def parse(cls, given: str) -> Address:
        """Read `127.0.0.1:8080`, `localhost:8080` or `[::1]:8080`; ValueError says what is wrong."""
        host, colon, port = given.rpartition(":")
        if not colon or not host or not (port.isascii() and port.isdigit()) or int(port) > _LAST_PORT:
            raise ValueError(f"expected HOST:PORT such as 127.0.0.1:8080, not {given!r}")
        if ":" in host and not (host.startswith("[") and host.endswith("]")):
            raise ValueError(f"an IPv6 address needs brackets: [{host}]:{port}")
        return cls(host.removeprefix("[").removesuffix("]"), int(port))

    def listen(self, *, remote: bool) -> socket.socket:
        """A socket that listens there; ValueError if others than this machine could reach it and may not."""
        try:
            family, _, _, _, place = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)[0]
        except socket.gaierror as error:
            raise ValueError(f"{self.host}: {error.strerror}") from None
        if not remote and not ip_address(str(place[0]).partition("%")[0]).is_loopback:
            raise ValueError(f"{self.host} can be reached from other machines; to allow that, give --allow-remote")
        listening = socket.create_server(place[:2], family=family)
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # else answers in two parts wait for 40 ms
        return listening


class Names:
    """The names and origins under which a listening server may be asked: a page of another name is refused.

    A name that an attacker owns may lead to this machine's address (DNS rebinding), but a request then still tells
    that name. An address cannot be owned, so where remote access is allowed, any address is a name of this server.
    """

    def __init__(self, host: str, port: int, others: tuple[str, ...] = (), *, remote: bool = False) -> None:
        names = {f"[{host}]" if ":" in host else host, *(_LOOPBACK if _is_local(host) else ())}
        self._hosts = {f"{name.lower()}:{port}" for name in names}
        if port == _HTTP:
            self._hosts |= {name.lower() for name in names}
        self._others = {name.lower() for name in others}
        """Names that the operator vouches for: of a proxy, which has a port of its own, and perhaps TLS."""
        self._port = port
        self._remote = remote

    def fits(self, host: str | None) -> bool:
        """Whether a request's Host is one of ours."""
        if host is None:
            return False
        return host.lower() in self._hosts or self._is_other(host) or (self._remote and self._is_address(host))

    def fits_origin(self, origin: str | None, asked: str | None) -> bool:
        """Whether a request comes from no web page, or from one of this very server, asked by the name `asked`."""
        if origin is None:
            return True
        scheme, _, host = origin.lower().partition("://")
        ours = host in self._hosts or self._is_other(host) or (self.fits(asked) and host == (asked or "").lower())
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


def neighborhood(host: str) -> str:
    """What addresses have in common that one machine can take on: an IPv6 address is one of a whole network."""
    try:
        address = IPv6Address(host.partition("%")[0])
    except ValueError:
        return host
    return str(address.ipv4_mapped or IPv6Address(int(address) >> _HOST_BITS << _HOST_BITS))


def _is_local(host: str) -> bool:
    """Whether whoever listens there can be reached by the names of loopback."""
    try:
        return ip_address(host).is_loopback or ip_address(host).is_unspecified
    except ValueError:
        return host.lower() == "localhost"


class Sessions:
    """Passes requests on to the SDK, and sees to it that there are not too many sessions."""

    def __init__(self, app: ASGIApp, path: str, most: int) -> None:
        self._app = app
        self._path = path
        self._most = most
        self._opening = 0
        self._open: dict[str, Counter[str]] = {}
        """How many calls and streams are under way in each; the one that was used least recently is first."""
        self._dropped: dict[str, None] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have it answered."""
        if scope["type"] != "http" or scope["path"] != self._path or not _has_handshake(scope):
            await self._app(scope, receive, send)
            return
        name = Headers(raw=scope["headers"]).get(_ID)
        if name is None:
            await self._begin(scope, receive, send)
        elif name in self._dropped:
            message = f"This session was dropped to make room: the limit is {self._most}. Initialize a new one."
            await _error(_GONE, _INVALID_REQUEST, message)(scope, receive, send)
        elif (session := self._open.get(name)) is None:
            await self._app(scope, receive, send)
        else:
            await self._go_on(name, session, scope, receive, send)

    async def _begin(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have a request answered that may open a session."""
        begun = False

        async def note_session(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start" and message["status"] < _REFUSED and not begun:
                name = Headers(raw=message["headers"]).get(_ID)
                if name is not None:
                    begun = True
                    self._opening -= 1
                    self._open[name] = Counter()
            await send(message)

        self._opening += 1
        try:
            while len(self._open) + self._opening > self._most:
                if not await self._drop(scope):
                    message = f"All {self._most} sessions are in use. Try again later."
                    await _error(503, _INTERNAL, message, {"Retry-After": "1"})(scope, receive, send)
                    return
            await self._app(scope, receive, note_session)
        finally:
            if not begun:
                self._opening -= 1

    async def _go_on(self, name: str, session: Counter[str], scope: Scope, receive: Receive, send: Send) -> None:
        """Have a request of a session answered."""
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
            elif kind == "calls" and name in self._open:
                self._open[name] = self._open.pop(name)

    async def _drop(self, scope: Scope) -> bool:
        """End the session that was used least recently; one whose client listens only if there is no other.

        False if all have calls under way.
        """
        unused = [name for name, session in self._open.items() if not session["calls"]]
        name = next((name for name in unused if not self._open[name]["streams"]), unused[0] if unused else None)
        if name is None:
            return False
        del self._open[name]
        self._dropped[name] = None
        if len(self._dropped) > _MAX_REMEMBERED:
            del self._dropped[next(iter(self._dropped))]
        headers = [*((key, value) for key, value in scope["headers"] if key == b"host"), (_ID.encode(), name.encode())]
        await self._app({**scope, "method": "DELETE", "headers": headers}, _nothing, _ignore)
        return True


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _ignore(_message: Message) -> None:
    pass


def _has_handshake(scope: Scope) -> bool:
    """Whether a request is of a revision that has sessions."""
    revision = Headers(raw=scope["headers"]).get(_REVISION)
    return revision is None or revision in HANDSHAKE_PROTOCOL_VERSIONS


def _error(status: int, code: int, message: str, headers: dict[str, str] | None = None) -> JSONResponse:
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}}
    return JSONResponse(body, status, headers)


class Limits(Record):
    """What a server takes, and how long it waits."""

    connections: int = 1_000
    """At most half of the files that the process may open: the others are left to its work."""
    requests: int = 512
    """At a time, with the streams that clients keep open."""
    sessions: int = 200
    head_seconds: float = 10
    """For the head of a request, from the connection or from its first byte."""
    body_seconds: float = 60
    taking_seconds: float = 30
    """How often it is looked whether an answer is taken."""
    kept_seconds: int = 600
    """How long a connection may be idle: whoever sends on one that is being closed gets no answer, so clients close
    it."""
    last_seconds: int = 5
    """How long calls may go on when the server is to end, before those that do not write are stopped."""

    @property
    def strangers(self) -> int:
        """How many connections may be without a token."""
        return max(1, self._open // 4)

    @property
    def known(self) -> int:
        """How many connections may have brought it."""
        return max(1, self._open - self.strangers)

    @property
    def accepted(self) -> int:
        """How many connections are accepted before what they sent is looked at: fewer than make a stranger go."""
        return max(1, self.strangers // 4)

    @property
    def _open(self) -> int:
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return self.connections if files == resource.RLIM_INFINITY else min(self.connections, files // 2)


USUAL = Limits()


class Pool:
    """The connections that are open."""

    def __init__(self, limits: Limits) -> None:
        self._most_strangers, self._most_known = limits.strangers, limits.known
        self._strangers: dict[str, dict[Impatient, None]] = {}
        """By the network they come from; the oldest is first."""
        self._known: dict[Impatient, None] = {}
        """The one that was used least recently is first."""

    def enter(self, connection: Impatient) -> None:
        """Take in a stranger; if there are too many, the oldest goes, of the network that has most of them."""
        if sum(map(len, self._strangers.values())) >= self._most_strangers:
            crowd = max(self._strangers.values(), key=len)
            oldest = next(iter(crowd))
            self.leave(oldest)
            oldest.transport.abort()
        self._strangers.setdefault(connection.network, {})[connection] = None

    def admit(self, connection: Impatient) -> bool:
        """Take a connection that brought the token for a known one; False: all of the others are busy."""
        if connection not in self._known and len(self._known) >= self._most_known:
            idle = next((known for known in self._known if known.is_idle), None)
            if idle is None:
                return False
            self.leave(idle)
            idle.transport.close()
        self.leave(connection)
        self._known[connection] = None
        return True

    def leave(self, connection: Impatient) -> None:
        """Forget a connection."""
        self._known.pop(connection, None)
        beside = self._strangers.get(connection.network, {})
        beside.pop(connection, None)
        if not beside:
            self._strangers.pop(connection.network, None)


class Impatient(H11Protocol):
    """HTTP over a connection: one request at a time, each in the strict form, in some time."""

    def __init__(self, *, limits: Limits, pool: Pool, app_state: dict[str, Any], **given: Any) -> None:
        super().__init__(app_state={**app_state, CONNECTION: self}, **given)
        self.network = ""
        self._limits = limits
        self._pool = pool
        self._head = b""
        self._head_timer: TimerHandle | None = None
        self._left = 0
        """What was still to be taken at the last look."""
        self._looking: TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no request is under way."""
        return self.cycle.response_complete and not self._head

    def admit(self) -> bool:
        """Whether there is room for it among the connections that brought the token."""
        return self._pool.admit(self)

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as its base has it
        """Wait for a request, for some time."""
        super().connection_made(transport)
        self.network = neighborhood(self.client[0] if self.client else "")
        self._pool.enter(self)
        self._head_timer = self.loop.call_later(self._limits.head_seconds, transport.close)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._pool.leave(self)
        self._end_head()
        if self._looking is not None:
            self._looking.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read a request; what comes before its answer is never read as another one."""
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
        """Refuse what is no request, unless it is being answered already."""
        if self.conn.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            self.transport.abort()
            return
        super().send_400_response(msg)
        cycle: Any = self.cycle
        if cycle is not None:  # whoever waits for the rest of a body gets no other answer
            cycle.disconnected = True
            cycle.message_event.set()

    def resume_writing(self) -> None:
        """Note that the client has taken what there was."""
        self._left = 0
        super().resume_writing()

    def _end_head(self) -> None:
        self._head = b""
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _look(self) -> None:
        left = self.transport.get_write_buffer_size()
        if left and self._left and self._left - left < _MIN_TAKEN:
            self.transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, _CLOSE_AT_ONCE)
            self.transport.abort()
            return
        self._left = left
        self._looking = self.loop.call_later(self._limits.taking_seconds, self._look)


def _is_strict(begun: bytes) -> bool:
    """Whether the head of a request, as far as it came, has lines that every server takes apart in the same way.

    h11 also reads lines that end without a carriage return, and lines that go on in the next. Between a proxy that does
    not and this server, such a request could hide another one.
    """
    head = begun.partition(_END)[0].removesuffix(b"\r")
    plain = head.replace(b"\r\n", b"")
    broken = b"\n" in plain or b"\r" in plain or b"\n " in head or b"\n\t" in head
    return not broken and len(head) <= HEAD


def serve(
    server: Server[Any], listening: socket.socket, names: Names, token: str, most: int, limits: Limits = USUAL
) -> bool:
    """Serve until a signal ends it; requests have at most so many bytes. Returns whether it was interrupted."""
    app = server.streamable_http_app(
        streamable_http_path=PATH, max_request_body_size=most, max_sessions=limits.sessions, host=""
    )
    config = Config(
        Guard(Sessions(app, PATH, limits.sessions), names, token, most, limits),
        http=partial(Impatient, limits=limits, pool=Pool(limits)),  # type: ignore[arg-type]  # it makes one
        lifespan="on",
        log_config=None,  # what is logged is decided by who starts the server
        access_log=False,
        proxy_headers=False,
        server_header=False,
        ws="none",
        backlog=limits.accepted,
        h11_max_incomplete_event_size=HEAD,
        timeout_graceful_shutdown=limits.last_seconds,
        timeout_keep_alive=limits.kept_seconds,
    )
    ended: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):  # uvicorn sends itself the signal again when it has stopped
        signal.signal(number, lambda sent, _: ended.append(sent))
    _Listening(config).run(sockets=[listening])
    return signal.SIGINT in ended


class _Listening(Uvicorn):
    """A server that accepts a few connections at a time, while many more may wait for it."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen; asyncio takes one number for both."""
        await super().startup(sockets)
        for listening in sockets or ():
            listening.listen(_MAX_UNACCEPTED)


class Guard:
    """Lets through what may come in, as a whole."""

    def __init__(self, app: ASGIApp, names: Names, token: str, most: int, limits: Limits = USUAL) -> None:
        self._app = app
        self._names = names
        self._token = token.encode()
        self._most = most
        self._limits = limits
        self._under_way = 0
        self._held = 0
        """Bytes of bodies."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have it answered."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        if scope["type"] != "http":
            return
        refusal = _malformed(scope) or self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        self._under_way += 1
        body = bytearray()
        try:
            refusal = await self._read(scope, receive, body)
            await (refusal or self._app)(scope, _replay(bytes(body), receive), send)
        finally:
            self._under_way -= 1
            self._held -= len(body)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        host = _only(scope, "host")
        if not self._names.fits(host):
            return _refuse(421, "This is not the name of this server.\n")
        if not self._names.fits_origin(_only(scope, "origin"), host):
            return _refuse(403, "Web pages of other origins may not use this server.\n")
        kind, _, token = (_only(scope, "authorization") or "").partition(" ")
        if kind.lower() != "bearer" or not hmac.compare_digest(token.encode("latin-1"), self._token):
            message = "Send the header 'Authorization: Bearer TOKEN' with the token of this server.\n"
            return _refuse(401, message, {"WWW-Authenticate": "Bearer"})
        connection = scope.get("state", {}).get(CONNECTION)
        if self._under_way >= self._limits.requests or not (connection is None or connection.admit()):
            return _refuse(503, "Too many requests at a time.\n", {"Retry-After": "1"})
        return None

    async def _read(self, scope: Scope, receive: Receive, body: bytearray) -> PlainTextResponse | None:
        """Read the body, which must be small enough and come in time."""
        too_large = _refuse(413, f"A request may have at most {self._most:,} bytes.\n")
        if int(_only(scope, "content-length") or "0") > self._most:
            return too_large
        try:
            async with timeout(self._limits.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return _refuse(400, "The request is not complete.\n")
                    piece = message.get("body", b"")
                    body += piece
                    self._held += len(piece)
                    if len(body) > self._most:
                        return too_large
                    if self._held > _MAX_LARGE_BODIES * self._most:
                        return _refuse(503, "Too many large requests at a time.\n", {"Retry-After": "1"})
                    if not message.get("more_body", False):
                        return None
        except TimeoutError:
            return _refuse(408, f"The body did not arrive within {self._limits.body_seconds:g} seconds.\n")


def _malformed(scope: Scope) -> PlainTextResponse | None:
    """A refusal of what another server could take for a request of another length."""
    if scope["http_version"] not in _VERSIONS:
        return _refuse(505, "This server speaks HTTP/1.1.\n")
    if _only(scope, "transfer-encoding") is None:
        return None
    if _only(scope, "content-length") is not None or scope["http_version"] == "1.0":
        return _refuse(400, "Send either Content-Length or, with HTTP/1.1, Transfer-Encoding.\n")
    return None


def _replay(body: bytes, receive: Receive) -> Receive:
    """What gives a body that was read, and then what comes after it."""
    read = False

    async def replay() -> Message:
        nonlocal read
        if read:
            return await receive()
        read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay


def _refuse(status: int, message: str, headers: dict[str, str] | None = None) -> PlainTextResponse:
    """A refusal, with which the connection ends: nobody waits for the rest of the body."""
    return PlainTextResponse(message, status, {"Connection": "close", **(headers or {})})


def _only(scope: Scope, name: str) -> str | None:
    """A header's value; one that comes twice has none that fits."""
    values = Headers(raw=scope["headers"]).getlist(name)
    return "\0".join(values) if values else None
