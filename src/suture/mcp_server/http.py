"""Serving over HTTP: the SDK's streamable transport, behind a guard.

The guard looks at a request before anything reads its body: its Host and Origin must be names of this server, so that
no web page can use a visitor's browser to get in, and it must bring the token, whoever can reach the port. What comes
in is a whole request.
"""

from __future__ import annotations

import hmac
import signal
from asyncio import timeout
from functools import partial

from starlette.responses import PlainTextResponse
from uvicorn import Config
from uvicorn import Server as Uvicorn

from suture.mcp_server.connections import CONNECTION, HEAD, USUAL, Impatient, Limits, Pool
from suture.mcp_server.sessions import Sessions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from socket import socket
    from typing import Any

    from mcp.server.lowlevel import Server
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from suture.mcp_server.address import Names

PATH = "/mcp"
_WAITING = 1_024
"""Connections that the system keeps until they are accepted."""
_BODIES = 10
"""How many bodies of the largest size may be held at a time."""
_VERSIONS = ("1.0", "1.1")


def serve(server: Server[Any], listening: socket, names: Names, token: str, most: int, limits: Limits = USUAL) -> bool:
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

    async def startup(self, sockets: list[socket] | None = None) -> None:
        """Begin to listen; asyncio takes one number for both."""
        await super().startup(sockets)
        for each in sockets or ():
            each.listen(_WAITING)


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
            await (refusal or self._app)(scope, _replayed(bytes(body), receive), send)
        finally:
            self._under_way -= 1
            self._held -= len(body)

    def _refusal(self, scope: Scope) -> PlainTextResponse | None:
        host = _only(scope, b"host")
        if not self._names.fits(host):
            return _refused(421, "This is not the name of this server.\n")
        if not self._names.fits_origin(_only(scope, b"origin"), host):
            return _refused(403, "Web pages of other origins may not use this server.\n")
        kind, _, token = (_only(scope, b"authorization") or "").partition(" ")
        if kind.lower() != "bearer" or not hmac.compare_digest(token.encode("latin-1"), self._token):
            said = "Send the header 'Authorization: Bearer TOKEN' with the token of this server.\n"
            return _refused(401, said, {"WWW-Authenticate": "Bearer"})
        connection = scope.get("state", {}).get(CONNECTION)
        if self._under_way >= self._limits.requests or not (connection is None or connection.admit()):
            return _refused(503, "Too many requests at a time.\n", {"Retry-After": "1"})
        return None

    async def _read(self, scope: Scope, receive: Receive, body: bytearray) -> PlainTextResponse | None:
        """Read the body, which must be small enough and come in time."""
        too_large = _refused(413, f"A request may have at most {self._most:,} bytes.\n")
        if int(_only(scope, b"content-length") or "0") > self._most:
            return too_large
        try:
            async with timeout(self._limits.body_seconds):
                while True:
                    message = await receive()
                    if message["type"] != "http.request":
                        return _refused(400, "The request is not complete.\n")
                    piece = message.get("body", b"")
                    body += piece
                    self._held += len(piece)
                    if len(body) > self._most:
                        return too_large
                    if self._held > _BODIES * self._most:
                        return _refused(503, "Too many large requests at a time.\n", {"Retry-After": "1"})
                    if not message.get("more_body", False):
                        return None
        except TimeoutError:
            return _refused(408, f"The body did not arrive within {self._limits.body_seconds:g} seconds.\n")


def _malformed(scope: Scope) -> PlainTextResponse | None:
    """A refusal of what another server could take for a request of another length."""
    if scope["http_version"] not in _VERSIONS:
        return _refused(505, "This server speaks HTTP/1.1.\n")
    if _only(scope, b"transfer-encoding") is None:
        return None
    if _only(scope, b"content-length") is not None or scope["http_version"] == "1.0":
        return _refused(400, "Send either Content-Length or, with HTTP/1.1, Transfer-Encoding.\n")
    return None


def _replayed(body: bytes, receive: Receive) -> Receive:
    """What gives a body that was read, and then what comes after it."""
    read = False

    async def replayed() -> Message:
        nonlocal read
        if read:
            return await receive()
        read = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replayed


def _refused(status: int, said: str, headers: dict[str, str] | None = None) -> PlainTextResponse:
    """A refusal, with which the connection ends: nobody waits for the rest of the body."""
    return PlainTextResponse(said, status, {"Connection": "close", **(headers or {})})


def _only(scope: Scope, name: bytes) -> str | None:
    """A header's value; one that comes twice has none that fits."""
    found = [value.decode("latin-1") for key, value in scope["headers"] if key == name]
    return "\0".join(found) if found else None
