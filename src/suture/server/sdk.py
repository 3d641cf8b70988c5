"""The server on the official SDK: for HTTP, and for a client over stdio that is not served directly.

Handlers are functions of the request and keep no state of a connection, so revisions of the protocol with a handshake
and the one without are served alike.
"""

from __future__ import annotations

from asyncio import get_running_loop, run_coroutine_threadsafe
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress

from anyio import create_memory_object_stream
from anyio.from_thread import start_blocking_portal
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    JSONRPCRequest,
    ListToolsResult,
    Tool,
    jsonrpc_message_adapter,
)

from suture import wording
from suture.errors import SutureError
from suture.server import INFO, instructions, list_tools
from suture.server.calls import refusal
from suture.server.direct import is_id
from suture.server.sessions import for_client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType
    from typing import Any, Self

    from anyio.from_thread import BlockingPortal
    from anyio.streams.memory import MemoryObjectSendStream
    from mcp.server.context import ServerRequestContext
    from mcp_types import PaginatedRequestParams, RequestId

    from suture.server.calls import Calls
    from suture.server.roots import Roots
    from suture.server.sessions import HttpSessions

    Context = ServerRequestContext[dict[str, Any], Any]


_A_DAY = 24 * 60 * 60 * 1000  # milliseconds that a client may cache its list of tools, which never changes
_MAX_WAITING = 100
"""Messages that may wait for the SDK before reading stops: it takes far longer for one than reading does."""


def build(calls: Calls, roots: Roots, sessions: HttpSessions | None = None) -> Server[dict[str, Any]]:
    """A server that offers these tools for the files of a folder. It asks no client for its folders.

    `sessions` are those of its clients, if it has several.
    """

    async def send_tools(context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(
            tools=[Tool.model_validate(tool) for tool in list_tools(calls.names, _client(context)[0])]
        )

    async def call_tool(context: Context, params: CallToolRequestParams) -> dict[str, Any]:
        if (unknown := calls.find_problem(params.name)) is not None:
            raise MCPError(INVALID_PARAMS, wording.message(unknown), wording.error_data(unknown))
        loop = get_running_loop()

        def report(progress: int, message: str) -> None:
            run_coroutine_threadsafe(context.session.report_progress(progress, None, message), loop)

        client, version = _client(context)
        try:
            if sessions is None:
                workspace = for_client(roots.workspace(), client, version)
            else:
                connection = None if context.request is None else context.request.headers.get("mcp-session-id")
                workspace = sessions.workspace(client, version, connection)
        except SutureError as error:
            return {"resultType": "complete", **refusal(params.name, error, client)}
        reports = report if context.meta and "progress_token" in context.meta else None
        result = await calls.run(workspace, params.name, params.arguments, reports, client)
        return {"resultType": "complete", **result}

    _silence_loggers()
    schemas = {tool["name"]: tool["inputSchema"] for tool in list_tools(calls.names, "")}
    server: Server[dict[str, Any]] = Server(
        INFO["name"],
        version=INFO["version"],
        title=INFO["title"],
        description=INFO["description"],
        instructions=instructions(roots.root, calls.names),
        cache_hints={"tools/list": CacheHint(_A_DAY)},
        get_tool_input_schema=schemas.get,
        on_list_tools=send_tools,
    )
    server.add_request_handler("tools/call", CallToolRequestParams, call_tool)
    return server


def _silence_loggers() -> None:
    """Keep tracebacks of clients' errors off stderr, unless a log goes there: the clients get an answer."""
    import logging

    if not logging.root.handlers:
        for name in ("mcp", "uvicorn"):
            logging.getLogger(name).setLevel(logging.CRITICAL)


def _client(context: Context) -> tuple[str, str]:
    """The name and the version of the client; empty if it gave none."""
    params = context.session.client_params
    return ("", "") if params is None else (params.client_info.name, params.client_info.version)


@contextmanager
def serve_by_sdk(
    calls: Calls, roots: Roots, put: Callable[[bytes], object], post: Callable[[Callable[[], object]], object]
) -> Iterator[BySdk]:
    """Serve a client over stdio, in a thread with an event loop of its own; `put` and `post` as for `Direct`."""
    server = build(calls, roots)
    arrivals, incoming = create_memory_object_stream[SessionMessage | Exception]()
    with arrivals, incoming, start_blocking_portal(name="suture-sdk") as portal:
        client = BySdk(portal, arrivals, put, post)
        running = portal.start_task_soon(
            server.run, incoming, _Outgoing(client), server.create_initialization_options()
        )
        running.add_done_callback(lambda _running: post(client.end))
        try:
            yield client
        finally:
            running.cancel()
            with suppress(CancelledError):
                running.result()


class BySdk:
    """A client that the SDK answers. All but `send` is called by the thread that reads and writes."""

    def __init__(
        self,
        portal: BlockingPortal,
        arrivals: MemoryObjectSendStream[SessionMessage | Exception],
        put: Callable[[bytes], object],
        post: Callable[[Callable[[], object]], object],
    ) -> None:
        self._portal = portal
        self._arrivals = arrivals
        self._put = put
        self._post = post
        self._waiting = 0
        self._unanswered: set[RequestId | None] = set()
        self.is_over = False
        """Whether the SDK has ended."""

    @property
    def is_busy(self) -> bool:
        """Whether a request has not been answered yet."""
        return bool(self._unanswered)

    @property
    def is_full(self) -> bool:
        """Whether so many messages wait for the SDK that no more should be read."""
        return self._waiting > _MAX_WAITING

    def take(self, message: dict[str, Any]) -> None:
        """Pass on a message."""
        parsed = jsonrpc_message_adapter.validate_python(message, by_name=False)
        if isinstance(parsed, JSONRPCRequest):
            self._unanswered.add(parsed.id)
        elif message.get("method") == "notifications/cancelled":
            cancelled = (message.get("params") or {}).get("requestId")
            self._unanswered -= {cancelled} if is_id(cancelled) else set()
        self._waiting += 1
        sent = self._portal.start_task_soon(self._arrivals.send, SessionMessage(parsed))
        sent.add_done_callback(lambda _sent: self._post(self._passed_on))

    def _passed_on(self) -> None:
        self._waiting -= 1

    def send(self, request_id: RequestId | None, line: bytes) -> None:
        """Send what the SDK says, which calls this."""

        def put() -> None:
            self._unanswered.discard(request_id)
            self._put(line)

        self._post(put)

    def end(self) -> None:
        """Called when the SDK has ended."""
        self.is_over = True


class _Outgoing:
    """Messages to the client: the stream that the SDK writes to."""

    def __init__(self, client: BySdk) -> None:
        self._client = client

    async def send(self, message: SessionMessage) -> None:
        """Send a message as soon as the client reads."""
        line = message.message.model_dump_json(by_alias=True, exclude_unset=True).encode()
        self._client.send(getattr(message.message, "id", None), line)

    async def aclose(self) -> None:
        """Called when the SDK has sent everything."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
