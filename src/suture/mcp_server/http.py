"""Serving over HTTP: the SDK's streamable transport, behind a guard.

The guard looks at a request before anything reads its body: its Host and Origin must be names of this server, so that
no web page can use a visitor's browser to get in, and it must bring the token, whoever can reach the port.
"""

from __future__ import annotations

import hmac
import resource
import signal

from starlette.responses import PlainTextResponse
from uvicorn import Config
from uvicorn import Server as Uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import Transport
    from socket import socket
    from typing import Any

    from mcp.server.lowlevel import Server
    from starlette.types import ASGIApp, Receive, Scope, Send

    from suture.mcp_server.address import Names

PATH = "/mcp"
_AT_A_TIME = 512
"""Requests, with the streams that clients keep open."""
_SESSIONS = 200
_CONNECTIONS = 1_000
_FIRST_SECONDS = 20
"""How long a connection may be open without a request."""
_KEPT_SECONDS = 600
"""How long a connection may be idle: whoever sends on one that is being closed gets no answer, so clients close it."""
_LAST_SECONDS = 5
"""How long calls may go on when the server is to end, before those that do not write are stopped."""


def serve(server: Server[Any], listening: socket, names: Names, token: str, most: int) -> bool:
    """Serve until a signal ends it; requests have at most so many bytes. Returns whether it was interrupted."""
    app = server.streamable_http_app(
        streamable_http_path=PATH, max_request_body_size=most, max_sessions=_SESSIONS, host=""
    )
    config = Config(
        Guard(app, names, token),
        http=Impatient,
        lifespan="on",
        log_config=None,  # what is logged is decided by who starts the server
        access_log=False,
        proxy_headers=False,
        server_header=False,
        ws="none",
        timeout_graceful_shutdown=_LAST_SECONDS,
        timeout_keep_alive=_KEPT_SECONDS,
    )
    ended: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):  # uvicorn sends itself the signal again when it has stopped
        signal.signal(number, lambda sent, _: ended.append(sent))
    Uvicorn(config).run(sockets=[listening])
    return signal.SIGINT in ended


class Impatient(H11Protocol):
    """HTTP over a connection, which is closed if there are too many of them, or if no request comes over it.

    Half of the files that the process may open are left to its work.
    """

    most = min(_CONNECTIONS, resource.getrlimit(resource.RLIMIT_NOFILE)[0] // 2)

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as its base has it
        """Wait for a request, for some time."""
        super().connection_made(transport)
        if len(self.connections) > self.most:
            transport.abort()
        else:
            self.loop.call_later(_FIRST_SECONDS, self._give_up)

    def _give_up(self) -> None:
        if getattr(self, "cycle", None) is None:  # it says that it always has one
            self.transport.close()


class Guard:
    """Lets through what may come in."""

    def __init__(self, app: ASGIApp, names: Names, token: str) -> None:
        self._app = app
        self._names = names
        self._token = token.encode()
        self._under_way = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have it answered."""
        refusal = self._refusal(scope) if scope["type"] == "http" else None
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        self._under_way += 1
        try:
            await self._app(scope, receive, send)
        finally:
            self._under_way -= 1

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
        if self._under_way >= _AT_A_TIME:
            return _refused(503, "Too many requests at a time.\n", {"Retry-After": "1"})
        return None


def _refused(status: int, said: str, headers: dict[str, str] | None = None) -> PlainTextResponse:
    """A refusal, with which the connection ends: nobody waits for the rest of the body."""
    return PlainTextResponse(said, status, {"Connection": "close", **(headers or {})})


def _only(scope: Scope, name: bytes) -> str | None:
    """A header's value; one that comes twice has none that fits."""
    found = [value.decode("latin-1") for key, value in scope["headers"] if key == name]
    return "\0".join(found) if found else None
