"""Sessions over HTTP: when there are as many as there may be, one without activity makes room for the next.

The SDK keeps the sessions and would refuse the next one. This notes, from requests and answers alone, which of them are
in use, and ends one as its own client would.
"""

from __future__ import annotations

from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.responses import JSONResponse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_ID = b"mcp-session-id"
_REVISION = b"mcp-protocol-version"
_REMEMBERED = 1_000
_INVALID_REQUEST = -32600
_INTERNAL = -32603
_REFUSED = 400
_GONE = 404


class _Session:
    """What is under way in a session."""

    def __init__(self) -> None:
        self.calls = 0
        self.streams = 0


class Sessions:
    """Passes requests on to the SDK, and sees to it that there are not too many sessions."""

    def __init__(self, app: ASGIApp, path: str, most: int) -> None:
        self._app = app
        self._path = path
        self._most = most
        self._opening = 0
        self._open: dict[str, _Session] = {}
        """The one that was used least recently is first."""
        self._dropped: dict[str, None] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or have it answered."""
        if scope["type"] != "http" or scope["path"] != self._path or not _has_handshake(scope):
            await self._app(scope, receive, send)
            return
        name = _header(scope["headers"], _ID)
        if name is None:
            await self._begin(scope, receive, send)
        elif name in self._dropped:
            said = f"This session was dropped to make room: the limit is {self._most}. Initialize a new one."
            await _error(_GONE, _INVALID_REQUEST, said)(scope, receive, send)
        elif (session := self._open.get(name)) is None:
            await self._app(scope, receive, send)
        else:
            await self._go_on(name, session, scope, receive, send)

    async def _begin(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have a request answered that may open a session."""
        begun = False

        async def noting(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start" and message["status"] < _REFUSED and not begun:
                name = _header(message["headers"], _ID)
                if name is not None:
                    begun = True
                    self._opening -= 1
                    self._open[name] = _Session()
            await send(message)

        self._opening += 1
        try:
            while len(self._open) + self._opening > self._most:
                if not await self._drop(scope):
                    said = f"All {self._most} sessions are in use. Try again later."
                    await _error(503, _INTERNAL, said, {"Retry-After": "1"})(scope, receive, send)
                    return
            await self._app(scope, receive, noting)
        finally:
            if not begun:
                self._opening -= 1

    async def _go_on(self, name: str, session: _Session, scope: Scope, receive: Receive, send: Send) -> None:
        """Have a request of a session answered."""
        status = 0

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        kind = "streams" if scope["method"] == "GET" else "calls"
        setattr(session, kind, getattr(session, kind) + 1)
        try:
            await self._app(scope, receive, noting)
        finally:
            setattr(session, kind, getattr(session, kind) - 1)
            if status == _GONE or (scope["method"] == "DELETE" and 0 < status < _REFUSED):
                self._open.pop(name, None)
            elif kind == "calls" and name in self._open:
                self._open[name] = self._open.pop(name)

    async def _drop(self, scope: Scope) -> bool:
        """End the session that was used least recently; one whose client listens only if there is no other.

        False if all have calls under way.
        """
        unused = [name for name, session in self._open.items() if not session.calls]
        name = next((name for name in unused if not self._open[name].streams), unused[0] if unused else None)
        if name is None:
            return False
        del self._open[name]
        self._dropped[name] = None
        if len(self._dropped) > _REMEMBERED:
            del self._dropped[next(iter(self._dropped))]
        headers = [*((key, value) for key, value in scope["headers"] if key == b"host"), (_ID, name.encode())]
        await self._app({**scope, "method": "DELETE", "headers": headers}, _nothing, _ignore)
        return True


async def _nothing() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _ignore(_message: Message) -> None:
    pass


def _has_handshake(scope: Scope) -> bool:
    """Whether a request is of a revision that has sessions."""
    revision = _header(scope["headers"], _REVISION)
    return revision is None or revision in HANDSHAKE_PROTOCOL_VERSIONS


def _header(headers: list[tuple[bytes, bytes]], name: bytes) -> str | None:
    return next((value.decode("latin-1") for key, value in headers if key == name), None)


def _error(status: int, code: int, said: str, headers: dict[str, str] | None = None) -> JSONResponse:
    body = {"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": said}}
    return JSONResponse(body, status, headers)
