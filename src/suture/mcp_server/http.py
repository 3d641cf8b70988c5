"""Serving over HTTP: the SDK's streamable transport, behind a guard.

The guard looks at a request before anything reads its body: its Host and Origin must be names of this server, so that
no web page can use a visitor's browser to get in, and it must bring the token, whoever can reach the port.
"""

from __future__ import annotations

import hmac
import signal

from starlette.responses import PlainTextResponse
from uvicorn import Config
from uvicorn import Server as Uvicorn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from socket import socket
    from typing import Any

    from mcp.server.lowlevel import Server
    from starlette.types import ASGIApp, Receive, Scope, Send

    from suture.mcp_server.address import Names

PATH = "/mcp"
_AT_A_TIME = 512
"""Requests, with the streams that clients keep open."""
_SESSIONS = 200
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
        lifespan="on",
        log_config=None,  # uvicorn's own needs a stdout, which may be closed
        log_level="warning",
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


class Guard:
    """Lets through what may come in."""

    def __init__(self, app: ASGIApp, names: Names, token: str) -> None:
        self._app = app
        self._names = names
        self._expected = f"Bearer {token}".encode()
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
        if not self._names.fits(_only(scope, b"host")):
            return PlainTextResponse("This is not the name of this server.\n", 421)
        if not self._names.fits_origin(_only(scope, b"origin")):
            return PlainTextResponse("Web pages of other origins may not use this server.\n", 403)
        if not hmac.compare_digest((_only(scope, b"authorization") or "").encode("latin-1"), self._expected):
            said = "Send the header 'Authorization: Bearer TOKEN' with the token of this server.\n"
            return PlainTextResponse(said, 401, {"WWW-Authenticate": "Bearer"})
        if self._under_way >= _AT_A_TIME:
            return PlainTextResponse("Too many requests at a time.\n", 503, {"Retry-After": "1"})
        return None


def _only(scope: Scope, name: bytes) -> str | None:
    """A header's value; one that comes twice has none that fits."""
    found = [value.decode("latin-1") for key, value in scope["headers"] if key == name]
    return "\0".join(found) if found else None
