"""A fast lane for the calls that most clients make, beside the SDK.

On its way through the SDK a call passes a dozen tasks and is checked three times, which takes as long as a small edit.
What needs none of that is called directly: `tools/call` of a tool that is offered, on a connection whose handshake the
SDK has made, in a revision that knows structured results. Everything else is the SDK's: other methods, other
revisions, whatever looks odd.
"""

from __future__ import annotations

from asyncio import get_running_loop
from contextlib import suppress

from mcp_types import PROTOCOL_VERSION_META_KEY, JSONRPCRequest, JSONRPCResponse
from orjson import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mcp_types import JSONRPCMessage, RequestId

    from suture.mcp_server.calls import Calls, Running

_REVISIONS = {"2025-06-18", "2025-11-25"}
_REQUEST = {"jsonrpc", "id", "method", "params"}
_PARAMS = {"name", "arguments", "_meta"}


class Lane:
    """The calls of one client that go this way; what it is sent is given to `put`, in the event loop."""

    def __init__(self, calls: Calls, put: Callable[[bytes], None]) -> None:
        self._calls = calls
        self._put = put
        self._loop = get_running_loop()
        self._handshake: RequestId | None = None
        self._client = ""
        self._open = False
        self._running: dict[RequestId, Running] = {}

    @property
    def is_busy(self) -> bool:
        """Whether a call is not answered yet."""
        return bool(self._running)

    def heard(self, message: JSONRPCMessage) -> None:
        """Look at what the SDK gets: a handshake begins with it."""
        if isinstance(message, JSONRPCRequest) and message.method == "initialize":
            self._handshake = message.id
            about = (message.params or {}).get("clientInfo")
            self._client = str(about.get("name")) if isinstance(about, dict) else ""

    def said(self, message: JSONRPCMessage) -> None:
        """Look at what the SDK sends: a handshake ends with it."""
        if isinstance(message, JSONRPCResponse) and message.id == self._handshake is not None:
            self._open = message.result.get("protocolVersion") in _REVISIONS

    def takes(self, given: Any) -> bool:
        """Take a message, if it is a call for this lane, or cancels one."""
        if not self._open or not isinstance(given, dict) or not isinstance(params := given.get("params"), dict):
            return False
        if given.get("method") == "notifications/cancelled":
            return self._cancel(params.get("requestId"))
        if given.keys() != _REQUEST or given["jsonrpc"] != "2.0" or given["method"] != "tools/call":
            return False
        name = given["id"]
        return type(name) in {str, int} and name not in self._running and self._call(name, params)

    def _cancel(self, name: Any) -> bool:
        running = self._running.get(name) if isinstance(name, str | int) else None
        if running is not None:
            running.cancelled = True
        return running is not None

    def _call(self, name: RequestId, params: dict[str, Any]) -> bool:
        tool, arguments, meta = params.get("name"), params.get("arguments"), params.get("_meta", {})
        plain = params.keys() <= _PARAMS and isinstance(meta, dict) and PROTOCOL_VERSION_META_KEY not in meta
        if not plain or not isinstance(tool, str) or tool not in self._calls.names:
            return False
        if not isinstance(arguments, dict | None):
            return False
        token = meta.get("progressToken")

        def send(message: dict[str, Any], then: Callable[[bytes], None]) -> None:
            with suppress(RuntimeError):  # the event loop is closed: nobody waits for it
                self._loop.call_soon_threadsafe(then, dumps({"jsonrpc": "2.0", **message}))

        def tell(progress: int, message: str) -> None:
            said = {"progressToken": token, "progress": progress, "message": message}
            send({"method": "notifications/progress", "params": said}, self._put)

        def answer(raw: bytes) -> None:
            if not self._running.pop(name).cancelled:
                self._put(raw)

        self._running[name] = self._calls.start(
            tool,
            arguments,
            lambda result: send({"id": name, "result": result}, answer),
            tell if type(token) in {str, int} else None,
            self._client,
        )
        return True
