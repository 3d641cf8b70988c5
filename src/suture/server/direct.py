"""Plain MCP, answered without the SDK.

Importing the SDK takes 0.4 s, and in it a call passes through a dozen tasks and is validated three times, which
takes as long as a small edit. This server offers only tools, so four methods are all that there is to answer.

The first request of a client decides who answers it from then on, as it decides in the SDK which kind of protocol the
client speaks: `Direct` if it is a handshake; the SDK if it is not, as in the revision without a handshake. What needs
no answer and `ping` decide nothing. So neither way has to learn what the other one was told.
"""

from __future__ import annotations

from suture import wording
from suture.json_text import dumps
from suture.server import INFO, instructions, list_tools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from suture.server.calls import Calls, RunningCall

    Message = dict[str, Any]
    """A message of JSON-RPC that is valid as such."""
    Id = str | int


REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions of the protocol with a handshake, the newest last. The SDK's answers are the same in all of them."""
_REVISION = "io.modelcontextprotocol/protocolVersion"
"""The key of a request's metadata that the revision without a handshake requires, and the others do not know."""
_MAX_ID = 2**53 - 1
INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, PARSE_ERROR = -32600, -32601, -32602, -32700


def is_id(value: object) -> bool:
    """Whether requests and reports of progress can be named by this: integers must be exact in every client."""
    return type(value) is str or (type(value) is int and abs(value) <= _MAX_ID)


def is_request(message: Message) -> bool:
    """Whether a message needs an answer."""
    return "id" in message and "method" in message


def error_line(request_id: Id | None, code: int, text: str, data: object = None) -> bytes:
    """The answer to a request that is refused, or to what is no message."""
    error = {"code": code, "message": text, **({} if data is None else {"data": data})}
    return dumps({"jsonrpc": "2.0", "id": request_id, "error": error}).encode()


class _Refused(Exception):
    """A request that gets an error of the protocol: a code, a text and data."""


class Direct:
    """Answers one client. `put` sends a line; `post` has a function called where `put` may be, from any thread."""

    def __init__(
        self,
        calls: Calls,
        root: str,
        put: Callable[[bytes], object],
        post: Callable[[Callable[[], object]], object],
    ) -> None:
        self._calls = calls
        self._root = root
        self._put = put
        self._post = post
        self._client: str | None = None
        """The name of the client; None before the handshake."""
        self._running: dict[Id, RunningCall] = {}
        self._methods = {
            "initialize": self._initialize,
            "ping": self._ping,
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
        }

    @property
    def is_busy(self) -> bool:
        """Whether a call has not been answered yet."""
        return bool(self._running)

    def can_take(self, message: Message) -> bool:
        """Whether to answer a message here; if not, the SDK answers it and everything after it."""
        if self._client is not None or not is_request(message):
            return True
        method = message["method"]
        return method == "initialize" or (method == "ping" and _REVISION not in _meta(_params(message)))

    def take(self, message: Message) -> None:
        """Answer a message, at once or when its call ends."""
        if not is_request(message):
            if message.get("method") == "notifications/cancelled":
                self._cancel(_params(message).get("requestId"))
            return
        request_id = message["id"]
        try:
            result = self._answer(message)
        except _Refused as refused:
            self._put(error_line(request_id, *refused.args))
        else:
            if result is not None:
                self._put(dumps({"jsonrpc": "2.0", "id": request_id, "result": result}).encode())

    def _answer(self, message: Message) -> dict[str, Any] | None:
        """The result of a request; None if it follows later."""
        method, params = message["method"], _params(message)
        if _REVISION in _meta(params):
            raise _Refused(INVALID_REQUEST, "This connection began with a handshake: _meta must not name a revision.")
        answer = self._methods.get(method)
        if answer is None:
            raise _Refused(METHOD_NOT_FOUND, "Method not found", method)
        return answer(message["id"], params)

    def _initialize(self, _id: Id, params: dict[str, Any]) -> dict[str, Any]:
        asked = params.get("protocolVersion")
        if not isinstance(asked, str):
            raise _Refused(INVALID_PARAMS, "initialize needs a protocolVersion.")
        self._client = str(_dict(params.get("clientInfo")).get("name", ""))
        return {
            "protocolVersion": asked if asked in REVISIONS else REVISIONS[-1],
            "capabilities": {"tools": {"listChanged": False}},
            "serverInfo": INFO,
            "instructions": instructions(self._root, self._calls.names),
        }

    def _ping(self, _id: Id, _params: dict[str, Any]) -> dict[str, Any]:
        return {}

    def _list_tools(self, _id: Id, _params: dict[str, Any]) -> dict[str, Any]:
        return {"tools": list_tools(self._calls.names, self._client or "")}

    def _call_tool(self, request_id: Id, params: dict[str, Any]) -> None:
        tool, arguments = params.get("name"), params.get("arguments")
        if not isinstance(tool, str) or not isinstance(arguments, dict | None):
            raise _Refused(INVALID_PARAMS, "tools/call needs a name, and arguments must be an object.")
        if request_id in self._running:
            raise _Refused(INVALID_REQUEST, "A call with this id is running.")
        if (unknown := self._calls.find_problem(tool)) is not None:
            raise _Refused(INVALID_PARAMS, wording.message(unknown), wording.error_data(unknown))
        token = _meta(params).get("progressToken")

        def report(progress: int, text: str) -> None:
            notification = {"progressToken": token, "progress": progress, "message": text}
            line = _encode({"jsonrpc": "2.0", "method": "notifications/progress", "params": notification})
            self._post(lambda: self._put(line))

        def done(result: dict[str, Any]) -> None:
            line = _encode({"jsonrpc": "2.0", "id": request_id, "result": result})
            self._post(lambda: self._end(request_id, line))

        reports = report if is_id(token) else None
        self._running[request_id] = self._calls.start(tool, arguments, done, reports, self._client or "")

    def _end(self, request_id: Id, line: bytes) -> None:
        if not self._running.pop(request_id).cancelled:
            self._put(line)

    def _cancel(self, request_id: Any) -> None:
        if is_id(request_id) and request_id in self._running:
            self._running[request_id].cancelled = True


def _params(message: Message) -> dict[str, Any]:
    return _dict(message.get("params"))


def _meta(params: dict[str, Any]) -> dict[str, Any]:
    return _dict(params.get("_meta"))


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _encode(message: Message) -> bytes:
    from orjson import dumps as quickly  # what a call returns may be long; loading it delays no answer before

    return quickly(message)
