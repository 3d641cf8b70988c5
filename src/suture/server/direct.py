"""Plain MCP, answered without the SDK.

Importing the SDK takes 0.4 s, and in it a call passes through a dozen tasks and is validated three times, which
takes as long as a small edit. This server offers only tools, so four methods are all that there is to answer.

The first request of a client decides who answers it from then on, as it decides in the SDK which kind of protocol the
client speaks: `Direct` if it is a handshake; the SDK if it is not, as in the revision without a handshake. What needs
no answer and `ping` decide nothing. So neither way has to learn what the other one was told.
"""

from __future__ import annotations

from contextlib import suppress
from time import monotonic

from suture import log, wording
from suture.errors import SutureError
from suture.json_text import dumps
from suture.server import INFO, instructions, list_tools
from suture.server.calls import refusal
from suture.server.sessions import for_client
from suture.tools import PROFILES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from suture.server.calls import Calls, RunningCall
    from suture.server.roots import Roots
    from suture.workspace import Workspace

    Message = dict[str, Any]
    """A message of JSON-RPC that is valid as such."""
    Id = str | int


REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
"""Revisions of the protocol with a handshake, the newest last. The SDK's answers are the same in all of them."""
_REVISION = "io.modelcontextprotocol/protocolVersion"
"""The key of a request's metadata that the revision without a handshake requires, and the others do not know."""
_MAX_ID = 2**53 - 1
ROOTS_SECONDS = 3.0
"""How long calls wait for a client to declare its folders. It takes milliseconds, but some clients never answer."""
_MAX_WAITING = 100
"""Calls that may wait for that before reading stops."""
_INITIALIZED = "notifications/initialized"
_ROOTS_CHANGED = (_INITIALIZED, "notifications/roots/list_changed")
"""After these notifications, the client is asked for its folders."""
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
        roots: Roots,
        put: Callable[[bytes], object],
        post: Callable[[Callable[[], object]], object],
    ) -> None:
        self._calls = calls
        self._roots = roots
        self._put = put
        self._post = post
        self._client: str | None = None
        """The name of the client; None before the handshake."""
        self._version = ""
        self._workspaces: dict[Workspace, Workspace] = {}
        """The client's own, for each workspace of the server: what it shares with its earlier calls belongs to it."""
        self._running: dict[Id, RunningCall] = {}
        self._declares_roots = False
        self._asked = 0
        """How often it was asked for its folders; the last request has this number."""
        self._deadline: float | None = None
        """Until when calls wait for the answer; None if they need not wait."""
        self._waiting: dict[Id, Callable[[], object]] = {}
        """The calls that wait for it, in order."""
        self._methods = {
            "initialize": self._initialize,
            "ping": self._ping,
            "tools/list": self._list_tools,
            "tools/call": self._call_tool,
        }

    @property
    def is_busy(self) -> bool:
        """Whether a call has not been answered yet."""
        return bool(self._running or self._waiting)

    @property
    def is_full(self) -> bool:
        """Whether so many calls wait for the client's folders that no more messages should be read."""
        return len(self._waiting) > _MAX_WAITING

    @property
    def seconds_left(self) -> float | None:
        """How long to wait before `stop_waiting`; None if nothing has to be done."""
        return None if self._deadline is None else max(0.0, self._deadline - monotonic())

    def stop_waiting(self) -> None:
        """Start the calls that wait for the client's folders: its answer is late, or cannot come any more."""
        if self._deadline is not None:
            log.warning("mcp", "the client did not answer roots/list")
            self._roots.give_up()
            self._start_waiting()

    def can_take(self, message: Message) -> bool:
        """Whether to answer a message here; if not, the SDK answers it and everything after it."""
        if self._client is not None or not is_request(message):
            return True
        method = message["method"]
        return method == "initialize" or (method == "ping" and _REVISION not in _meta(_params(message)))

    def take(self, message: Message) -> None:
        """Answer a message, at once or when its call ends."""
        if not is_request(message):
            self._note(message)
            return
        request_id = message["id"]
        try:
            result = self._answer(message)
        except _Refused as refused:
            self._put(error_line(request_id, *refused.args))
        else:
            if result is not None:
                self._put(dumps({"jsonrpc": "2.0", "id": request_id, "result": result}).encode())

    def _note(self, message: Message) -> None:
        """Take a notification, or the answer to a request of this server."""
        method = message.get("method")
        if method == "notifications/cancelled":
            self._cancel(_params(message).get("requestId"))
        elif method in _ROOTS_CHANGED and self._declares_roots:
            self._ask_for_roots()
        elif method == _INITIALIZED:
            self._begin_session()
        elif method is None and self._asked and message["id"] == _roots_id(self._asked):
            if "result" in message:
                from suture.server.roots import declared_folders

                self._roots.declare(declared_folders(message["result"]))
            self._start_waiting()

    def _ask_for_roots(self) -> None:
        self._asked += 1
        if self._deadline is None:
            self._deadline = monotonic() + ROOTS_SECONDS
        self._put(dumps({"jsonrpc": "2.0", "id": _roots_id(self._asked), "method": "roots/list"}).encode())

    def _start_waiting(self) -> None:
        self._deadline = None
        self._begin_session()
        waiting, self._waiting = self._waiting, {}
        for start in waiting.values():
            start()

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
        client = _dict(params.get("clientInfo"))
        self._client, self._version = str(client.get("name", "")), str(client.get("version", ""))
        self._workspaces.clear()
        offers_roots = isinstance(_dict(params.get("capabilities")).get("roots"), dict)
        self._declares_roots = offers_roots and self._roots.asks
        return {
            "protocolVersion": asked if asked in REVISIONS else REVISIONS[-1],
            "capabilities": {"tools": {"listChanged": False}},
            "serverInfo": INFO,
            "instructions": instructions(None if self._declares_roots else self._roots.root, self._calls.names),
        }

    def _ping(self, _id: Id, _params: dict[str, Any]) -> dict[str, Any]:
        return {}

    def _list_tools(self, _id: Id, _params: dict[str, Any]) -> dict[str, Any]:
        return {"tools": list_tools(self._calls.names, self._client or "")}

    def _call_tool(self, request_id: Id, params: dict[str, Any]) -> None:
        tool, arguments = params.get("name"), params.get("arguments")
        if not isinstance(tool, str) or not isinstance(arguments, dict | None):
            raise _Refused(INVALID_PARAMS, "tools/call needs a name, and arguments must be an object.")
        if request_id in self._running or request_id in self._waiting:
            raise _Refused(INVALID_REQUEST, "A call with this id is running.")
        if (unknown := self._calls.find_problem(tool)) is not None:
            raise _Refused(INVALID_PARAMS, wording.message(unknown), wording.error_data(unknown))
        token = _meta(params).get("progressToken")
        if self._declares_roots and not self._asked:  # it did not say that it is ready, but it is
            self._ask_for_roots()
        if self._deadline is None:
            self._start(request_id, tool, arguments, token)
        else:
            self._waiting[request_id] = lambda: self._start(request_id, tool, arguments, token)

    def _start(self, request_id: Id, tool: str, arguments: dict[str, Any] | None, token: Any) -> None:
        client = self._client or ""
        try:
            workspace = self._workspace()
        except SutureError as error:
            self._put(_encode({"jsonrpc": "2.0", "id": request_id, "result": refusal(tool, error, client)}))
            return
        note = self._roots.take_note()

        def report(progress: int, text: str) -> None:
            notification = {"progressToken": token, "progress": progress, "message": text}
            line = _encode({"jsonrpc": "2.0", "method": "notifications/progress", "params": notification})
            self._post(lambda: self._put(line))

        def done(result: dict[str, Any]) -> None:
            if note:
                result["content"].append({"type": "text", "text": note})
            line = _encode({"jsonrpc": "2.0", "id": request_id, "result": result})
            self._post(lambda: self._end(request_id, line))

        reports = report if is_id(token) else None
        self._running[request_id] = self._calls.start(workspace, tool, arguments, done, reports, client)

    def _begin_session(self) -> None:
        """Take the checkpoint of the session's start, as soon as it is known where."""
        with suppress(SutureError):  # which the first call reports
            self._workspace()

    def _workspace(self) -> Workspace:
        shared = self._roots.workspace()
        if shared not in self._workspaces:
            self._workspaces[shared] = for_client(shared, self._client or "", self._version)
            if not set(self._calls.names).issubset(PROFILES["read-only"]):
                self._workspaces[shared].begin_session()
        return self._workspaces[shared]

    def _end(self, request_id: Id, line: bytes) -> None:
        if not self._running.pop(request_id).cancelled:
            self._put(line)

    def _cancel(self, request_id: Any) -> None:
        if is_id(request_id):
            self._waiting.pop(request_id, None)
            if request_id in self._running:
                self._running[request_id].cancelled = True


def _roots_id(number: int) -> str:
    return f"suture-roots-{number}"


def _params(message: Message) -> dict[str, Any]:
    return _dict(message.get("params"))


def _meta(params: dict[str, Any]) -> dict[str, Any]:
    return _dict(params.get("_meta"))


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _encode(message: Message) -> bytes:
    from orjson import dumps as quickly  # what a call returns may be long; loading it delays no answer before

    return quickly(message)
