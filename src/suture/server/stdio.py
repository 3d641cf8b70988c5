"""MCP over stdin and stdout. Plain calls are answered without the SDK.

In the SDK a call passes through a dozen tasks and is validated three times, which takes as long as a small edit.
`DirectCalls` takes the calls that need none of that: `tools/call` of an offered tool, after a handshake by the SDK, in
a protocol revision with structured results. The SDK handles everything else: other methods, other revisions, and
unusual messages.

Unlike the SDK's transport, this one answers an invalid message instead of dropping it, limits the size of a message,
completes the requests it has read when its input ends, never blocks on a client that does not read, and needs no
threads.

Meanwhile the descriptors 0 and 1 are redirected: the output of a plugin goes to stderr, not between messages.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
from asyncio import get_running_loop
from collections import deque
from contextlib import asynccontextmanager, contextmanager, suppress
from stat import S_ISSOCK

from anyio import (
    BrokenResourceError,
    ClosedResourceError,
    Event,
    WouldBlock,
    create_memory_object_stream,
    create_task_group,
    lowlevel,
    open_signal_receiver,
    run,
    sleep,
)
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    PROTOCOL_VERSION_META_KEY,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
    jsonrpc_message_adapter,
)
from orjson import JSONDecodeError, JSONEncodeError, dumps
from orjson import loads as fast_loads
from pydantic import ValidationError

from suture import log
from suture.json_text import loads
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from threading import Event as ThreadEvent
    from types import TracebackType
    from typing import Any, Self

    from anyio import CancelScope
    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp.server.lowlevel import Server
    from mcp_types import JSONRPCMessage, RequestId

    from suture.server.calls import Calls, RunningCall

    Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]


_REVISIONS = {"2025-06-18", "2025-11-25"}
"""Protocol revisions with structured results and a handshake."""
_REQUEST = {"jsonrpc", "id", "method", "params"}
_PARAMS = {"name", "arguments", "_meta"}
_CHUNK = 1 << 16  # bytes; the capacity of a pipe
_MAX_QUEUED_MESSAGES = 100
"""Messages that may wait for the SDK before reading stops: it takes far longer for one than reading does."""
_POLL_SECONDS = 0.05  # only at the end, where so short a delay is not noticed
_PIPE_BYTES, _SOCKET_BYTES = 4_096, 65_536
"""Bytes that a ready pipe or socket takes without blocking."""
_MAX_UNSENT_BYTES = 1_000_000
"""Bytes that may wait for a client: many ordinary answers. While more wait, no call starts and no message is read."""
_END_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL
_MAX_ERROR_CHARS = 200  # the parser's message quotes the line


class Writer:
    """Writes messages, one per line. Threads that produce large messages wait for `room` first."""

    def __init__(self, target: int, room: ThreadEvent) -> None:
        self.lost: Callable[[], object] = bool
        """Called when the client is gone."""
        self._room = room
        self._target = target
        self._write_size = _SOCKET_BYTES if S_ISSOCK(os.fstat(target).st_mode) else _PIPE_BYTES
        self._loop = get_running_loop()
        self._unsent: deque[memoryview] = deque()
        self._stopped = False
        self._sent = asyncio.Event()
        """Set while nothing waits for the client; any number of senders may wait for it."""
        self._sent.set()
        self._state = select.poll()
        self._state.register(target, select.POLLOUT)

    def is_broken(self) -> bool:
        """Whether the client is gone."""
        return bool(self._events() & _GONE)

    @property
    def is_full(self) -> bool:
        """Whether so much waits for the client that no more calls should start."""
        return sum(map(len, self._unsent)) > _MAX_UNSENT_BYTES

    def put(self, message: bytes) -> None:
        """Send a message as soon as there is room; after `give_up`, messages are dropped."""
        if self._stopped:
            return
        self._unsent.append(memoryview(message + b"\n"))
        if len(self._unsent) == 1:  # otherwise earlier messages wait for room
            self._write()
        if self.is_full:
            self._room.clear()

    def give_up(self) -> None:
        """Send nothing more if the client does not read what it was sent."""
        self._stopped = bool(self._unsent)
        if self._stopped:
            self._unsent.clear()
            self._write()

    async def drain(self) -> None:
        """Wait until everything is sent."""
        await self._sent.wait()

    def _write(self) -> None:
        """Write as much as there is room for, and the rest later."""
        try:
            while self._unsent and self._events():
                written = os.write(self._target, self._unsent[0][: self._write_size])
                self._unsent[0] = self._unsent[0][written:]
                if not self._unsent[0]:
                    self._unsent.popleft()
        except BlockingIOError:  # the descriptor was set non-blocking, and there was no room after all
            pass
        except OSError as error:
            log.debug("mcp", "the client is gone: %s", error)
            self._unsent.clear()
            self.lost()
        if self._unsent:
            self._sent.clear()
            self._loop.add_writer(self._target, self._write)
        else:
            self._loop.remove_writer(self._target)
            self._sent.set()
            self._room.set()

    def _events(self) -> int:
        return sum(events for _, events in self._state.poll(0))


class DirectCalls:
    """The plain calls of one client, made without the SDK. Messages to the client go to `put`, in the event loop."""

    def __init__(self, calls: Calls, put: Callable[[bytes], None]) -> None:
        self._calls = calls
        self._put = put
        self._loop = get_running_loop()
        self._handshake: RequestId | None = None
        self._client = ""
        self._open = False
        self._running: dict[RequestId, RunningCall] = {}

    @property
    def is_busy(self) -> bool:
        """Whether a call has not been answered yet."""
        return bool(self._running)

    def watch_request(self, message: JSONRPCMessage) -> None:
        """Note the request that begins a handshake; the SDK answers it."""
        if isinstance(message, JSONRPCRequest) and message.method == "initialize":
            self._handshake = message.id
            info = (message.params or {}).get("clientInfo")
            self._client = str(info.get("name")) if isinstance(info, dict) else ""

    def watch_response(self, message: JSONRPCMessage) -> None:
        """Note the SDK's answer that ends a handshake."""
        if isinstance(message, JSONRPCResponse) and message.id == self._handshake is not None:
            self._open = message.result.get("protocolVersion") in _REVISIONS

    def take(self, message: Any) -> bool:
        """Take a message if it is a plain call or cancels one; returns whether it was taken."""
        if not self._open or not isinstance(message, dict) or not isinstance(params := message.get("params"), dict):
            return False
        if message.get("method") == "notifications/cancelled":
            return self._cancel(params.get("requestId"))
        if message.keys() != _REQUEST or message["jsonrpc"] != "2.0" or message["method"] != "tools/call":
            return False
        request_id = message["id"]
        return type(request_id) in {str, int} and request_id not in self._running and self._call(request_id, params)

    def _cancel(self, request_id: Any) -> bool:
        running = self._running.get(request_id) if isinstance(request_id, str | int) else None
        if running is not None:
            running.cancelled = True
        return running is not None

    def _call(self, request_id: RequestId, params: dict[str, Any]) -> bool:
        tool, arguments, meta = params.get("name"), params.get("arguments"), params.get("_meta", {})
        plain = params.keys() <= _PARAMS and isinstance(meta, dict) and PROTOCOL_VERSION_META_KEY not in meta
        if not plain or not isinstance(tool, str) or tool not in self._calls.names:
            return False
        if not isinstance(arguments, dict | None):
            return False
        token = meta.get("progressToken")

        def send(message: dict[str, Any], then: Callable[[bytes], None]) -> None:
            with suppress(RuntimeError):  # the event loop is closed, so nobody waits
                self._loop.call_soon_threadsafe(then, dumps({"jsonrpc": "2.0", **message}))

        def report(progress: int, message: str) -> None:
            notification = {"progressToken": token, "progress": progress, "message": message}
            send({"method": "notifications/progress", "params": notification}, self._put)

        def answer(raw: bytes) -> None:
            if not self._running.pop(request_id).cancelled:
                self._put(raw)

        self._running[request_id] = self._calls.start(
            tool,
            arguments,
            lambda result: send({"id": request_id, "result": result}, answer),
            report if type(token) in {str, int} else None,
            self._client,
        )
        return True


@asynccontextmanager
async def streams(calls: Calls, max_bytes: int) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """The SDK's streams of messages over standard input and output; a message has up to `max_bytes`."""
    with _take_over_stdio() as (source, target):
        writer = Writer(target, calls.may_start)
        outgoing = Outgoing(writer, DirectCalls(calls, writer.put))
        arrivals, incoming = create_memory_object_stream[SessionMessage | Exception](_MAX_QUEUED_MESSAGES)
        reader = _Reader(source, max_bytes, outgoing, arrivals)
        writer.lost = reader.end
        try:
            async with incoming, arrivals, create_task_group() as group:
                group.start_soon(reader.run)
                yield incoming, outgoing
                group.cancel_scope.cancel()
        finally:
            calls.end()  # while their output is still redirected


class _Reader:
    """Reads messages while the client reads its answers, and passes on those for the SDK."""

    def __init__(
        self,
        source: int,
        max_bytes: int,
        outgoing: Outgoing,
        arrivals: MemoryObjectSendStream[SessionMessage | Exception],
    ) -> None:
        self._source = source
        self._lines = _Lines(max_bytes)
        self._outgoing = outgoing
        self._arrivals = arrivals
        self._overflow: list[SessionMessage] = []
        """Messages that were read when the queue was full."""
        self._ended = False
        self._stopped = Event()

    async def run(self) -> None:
        """Read to the end, wait until everything is answered, and let the server end."""
        while not self._ended:
            await self._listen()
            await self._outgoing.drain()
            await self._pass_on_overflow()
        while self._outgoing.owes_answers:  # noqa: ASYNC110  there is no event for a client that stops reading
            await sleep(_POLL_SECONDS)
        self._arrivals.close()

    async def _pass_on_overflow(self) -> None:
        """Pass on the messages that found the queue full."""
        messages, self._overflow = self._overflow, []
        with suppress(ClosedResourceError, BrokenResourceError):
            for message in messages:
                await self._arrivals.send(message)

    def end(self) -> None:
        """Stop reading."""
        self._ended = True
        self._stopped.set()

    async def _listen(self) -> None:
        """Read until the end, or until too much waits for the client or the SDK."""
        loop, self._stopped = get_running_loop(), Event()
        try:
            loop.add_reader(self._source, self._read)
            await self._stopped.wait()
        except PermissionError:  # a regular file, which is always ready
            self._read()
            await lowlevel.checkpoint()
        finally:
            loop.remove_reader(self._source)

    def _read(self) -> None:
        try:
            chunk = os.read(self._source, _CHUNK)
        except BlockingIOError:  # the descriptor was set non-blocking, and there was nothing after all
            return
        except OSError:  # the terminal is gone
            chunk = b""
        for raw in self._lines.add(chunk):
            try:
                message = self._outgoing.take_line(raw)
            except Exception:  # noqa: BLE001  one message must not affect the next
                log.exception("mcp", "a message could not be read")
                continue
            if message is not None:
                self._pass_on(SessionMessage(message))
        if not chunk:
            self.end()
        elif self._overflow or self._outgoing.is_full:
            self._stopped.set()

    def _pass_on(self, message: SessionMessage) -> None:
        if self._overflow:  # keep the order
            self._overflow.append(message)
            return
        try:
            self._arrivals.send_nowait(message)
        except WouldBlock:
            self._overflow.append(message)
        except (ClosedResourceError, BrokenResourceError):  # the server is shutting down
            pass


class Outgoing:
    """Messages to the client: the stream that the SDK writes to. It tracks requests without an answer."""

    def __init__(self, writer: Writer, direct: DirectCalls) -> None:
        self._writer = writer
        self._direct = direct
        self._unanswered: set[RequestId | None] = set()

    @property
    def owes_answers(self) -> bool:
        """Whether the client still waits for an answer."""
        return (bool(self._unanswered) or self._direct.is_busy) and not self._writer.is_broken()

    def hurry(self) -> None:
        """Do not wait for a client that does not read."""
        self._writer.give_up()

    @property
    def is_full(self) -> bool:
        """Whether so much waits for the client that no more calls should start."""
        return self._writer.is_full

    def take_line(self, raw: bytes | None) -> JSONRPCMessage | None:
        """The message in a line, if it is for the SDK. `raw` is None for a line that was too long."""
        if raw is None:
            self._put(_refuse(None, INVALID_REQUEST, "The message has more bytes than this server accepts").answer)
            return None
        with suppress(JSONDecodeError):
            if self._direct.take(fast_loads(raw)):
                return None
        message = _read(raw)
        if isinstance(message, _Refusal):
            self._put(message.answer)
            return None
        self._direct.watch_request(message)
        if isinstance(message, JSONRPCRequest):
            self._unanswered.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            cancelled = (message.params or {}).get("requestId")
            self._unanswered -= {cancelled} if isinstance(cancelled, str | int) else set()
        return message

    async def send(self, message: SessionMessage) -> None:
        """Send a message, and wait until it is sent."""
        self._direct.watch_response(message.message)
        self._put(message.message)
        await self.drain()

    def _put(self, message: JSONRPCMessage) -> None:
        self._unanswered.discard(getattr(message, "id", None))
        self._writer.put(message.model_dump_json(by_alias=True, exclude_unset=True).encode())

    async def drain(self) -> None:
        """Wait until everything is sent."""
        await self._writer.drain()

    async def aclose(self) -> None:
        """Called when the SDK has sent everything."""
        await self.drain()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class _Refusal(Record):
    """The answer to an invalid message."""

    answer: JSONRPCError


class _Lines:
    """Splits chunks into lines; None is a line that is too long."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._pieces: list[bytes] = []
        self._size = 0

    def add(self, chunk: bytes) -> Iterator[bytes | None]:
        """The lines that this chunk completes; an empty chunk is the end."""
        *complete, rest = chunk.split(b"\n") if chunk else (b"", b"")
        for part in complete:
            size, pieces = self._size + len(part), self._pieces
            self._pieces, self._size = [], 0
            if size > self._max_bytes:
                yield None
            elif line := b"".join([*pieces, part]).strip():
                yield line
        self._size += len(rest)
        if self._size <= self._max_bytes:
            self._pieces.append(rest)
        else:
            self._pieces.clear()


@contextmanager
def _take_over_stdio() -> Iterator[tuple[int, int]]:
    """Take standard input and output away from other code in this process."""
    source, target = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        yield source, target
    finally:
        for copy, standard in ((source, 0), (target, 1)):
            os.dup2(copy, standard)
            os.close(copy)


def _read(raw: bytes) -> JSONRPCMessage | _Refusal:
    message = None
    with suppress(ValidationError):
        message = jsonrpc_message_adapter.validate_json(raw, by_name=False)
    if message is not None and not isinstance(message, JSONRPCNotification):
        return message
    try:
        value = loads(raw.decode())
    except (ValueError, RecursionError) as error:
        return _refuse(None, PARSE_ERROR, f"Not JSON: {error}"[:_MAX_ERROR_CHARS])
    if message is not None and isinstance(value, dict) and "id" not in value:  # with an id, it is an invalid request
        return message
    request_id = value.get("id") if isinstance(value, dict) else None
    usable_id = request_id if type(request_id) in {str, int} and not _problem(request_id) else None
    why = "; batches are not supported: send one message per line" if isinstance(value, list) else _problem(value)
    return _refuse(usable_id, INVALID_REQUEST, f"Not a JSON-RPC 2.0 message{why}")


def _problem(value: object) -> str:
    """Why JSON cannot be sent back: half a surrogate pair is not a character."""
    try:
        dumps(value)
    except JSONEncodeError as error:
        return f" in Unicode: {error}"
    return ""


def _refuse(request_id: RequestId | None, code: int, message: str) -> _Refusal:
    return _Refusal(JSONRPCError(jsonrpc="2.0", id=request_id, error=ErrorData(code=code, message=message)))


def serve(server: Server[Any], calls: Calls, max_bytes: int) -> bool:
    """Serve one client, with messages of up to `max_bytes`. Returns whether the server was interrupted."""
    handlers = {number: signal.getsignal(number) or signal.SIG_DFL for number in _END_SIGNALS}
    try:
        return run(_serve, server, calls, max_bytes)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


async def _serve(server: Server[Any], calls: Calls, max_bytes: int) -> bool:
    received: list[int] = []

    async def watch(outgoing: Outgoing, scope: CancelScope) -> None:
        try:
            with open_signal_receiver(*_END_SIGNALS) as signals:
                async for number in signals:
                    received.append(number)
                    outgoing.hurry()
                    scope.cancel()  # calls stop before they write; those that are writing finish
        finally:
            for number in _END_SIGNALS:  # a second Ctrl-C must not interrupt a write
                signal.signal(number, signal.SIG_IGN)

    async with create_task_group() as group, streams(calls, max_bytes) as (incoming, outgoing):
        group.start_soon(watch, outgoing, group.cancel_scope)
        await server.run(incoming, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()
    return signal.SIGINT in received
