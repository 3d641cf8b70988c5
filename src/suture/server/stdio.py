"""MCP over stdin and stdout. Plain calls are answered without the SDK.

On its way through the SDK a call passes a dozen tasks and is checked three times, which takes as long as a small edit.
`DirectCalls` takes what needs none of that: `tools/call` of a tool that is offered, on a connection whose handshake the
SDK has made, in a revision that knows structured results. Everything else is the SDK's: other methods, other
revisions, whatever looks odd.

Unlike the SDK's own transport, this one answers what is no message instead of dropping it, bounds the size of a
message, carries out and answers what was asked when its input ends, never blocks on a client that does not read, and
needs no threads.

While it is open, the descriptors 0 and 1 lead elsewhere: what a plugin prints goes to stderr, not between messages.
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
from orjson import loads as quickly
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
"""Those that know structured results and begin with a handshake."""
_REQUEST = {"jsonrpc", "id", "method", "params"}
_PARAMS = {"name", "arguments", "_meta"}
_CHUNK = 1 << 16  # bytes; what a pipe holds
_MOST_MESSAGES_AHEAD = 100
"""How many messages may wait for the SDK before no more are read: it takes far longer for one than reading does."""
_SECONDS_BETWEEN_LOOKS = 0.05  # at the end only, where nobody notices so short a time
_INTO_A_PIPE, _INTO_A_SOCKET = 4_096, 65_536
"""How many bytes go into one that is ready, without waiting."""
_MOST_WAITING_BYTES = 1_000_000
"""What may wait for a client: many ordinary answers. While more waits, no call is begun and no message is read."""
_END_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL


class Writer:
    """Messages, one a line. Whoever makes large ones waits for `room` first, in a thread of its own."""

    def __init__(self, target: int, room: ThreadEvent) -> None:
        self.lost: Callable[[], object] = bool
        """Called when nobody can read any more."""
        self._room = room
        self._target = target
        self._at_once = _INTO_A_SOCKET if S_ISSOCK(os.fstat(target).st_mode) else _INTO_A_PIPE
        self._loop = get_running_loop()
        self._rest: deque[memoryview] = deque()
        self._given_up = False
        self._sent = asyncio.Event()
        """Set as long as nothing waits for the client; any number of senders may wait for it."""
        self._sent.set()
        self._state = select.poll()
        self._state.register(target, select.POLLOUT)

    def is_broken(self) -> bool:
        """Whether nobody can read what is sent."""
        return bool(self._events() & _GONE)

    @property
    def is_full(self) -> bool:
        """Whether more waits for the client than it should ask for."""
        return sum(map(len, self._rest)) > _MOST_WAITING_BYTES

    def put(self, message: bytes) -> None:
        """Send a message as soon as there is room; one that nobody can read is dropped."""
        if self._given_up:
            return
        self._rest.append(memoryview(message + b"\n"))
        if len(self._rest) == 1:  # else there was no room before
            self._write()
        if self.is_full:
            self._room.clear()

    def give_up(self) -> None:
        """Send nothing more, if the client does not take what it has been sent."""
        self._given_up = bool(self._rest)
        if self._given_up:
            self._rest.clear()
            self._write()

    async def drain(self) -> None:
        """Wait until the client has room for everything."""
        await self._sent.wait()

    def _write(self) -> None:
        """Write what there is room for; the rest when there is more."""
        try:
            while self._rest and self._events():
                done = os.write(self._target, self._rest[0][: self._at_once])
                self._rest[0] = self._rest[0][done:]
                if not self._rest[0]:
                    self._rest.popleft()
        except BlockingIOError:  # somebody has set it so, and there was no room after all
            pass
        except OSError as error:
            log.debug("mcp", "the client is gone: %s", error)
            self._rest.clear()
            self.lost()
        if self._rest:
            self._sent.clear()
            self._loop.add_writer(self._target, self._write)
        else:
            self._loop.remove_writer(self._target)
            self._sent.set()
            self._room.set()

    def _events(self) -> int:
        return sum(found for _, found in self._state.poll(0))


class DirectCalls:
    """The plain calls of one client, made without the SDK; what it is sent is given to `put`, in the event loop."""

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
        """Whether a call is not answered yet."""
        return bool(self._running)

    def watch_request(self, message: JSONRPCMessage) -> None:
        """Notice the request that begins a handshake; the SDK answers it."""
        if isinstance(message, JSONRPCRequest) and message.method == "initialize":
            self._handshake = message.id
            about = (message.params or {}).get("clientInfo")
            self._client = str(about.get("name")) if isinstance(about, dict) else ""

    def watch_response(self, message: JSONRPCMessage) -> None:
        """Notice the SDK's answer that ends a handshake."""
        if isinstance(message, JSONRPCResponse) and message.id == self._handshake is not None:
            self._open = message.result.get("protocolVersion") in _REVISIONS

    def take(self, given: Any) -> bool:
        """Take a message if it is a plain call, or cancels one; say whether it was taken."""
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


@asynccontextmanager
async def streams(calls: Calls, most: int) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """The SDK's streams of messages over standard input and output, each message of at most so many bytes."""
    with _take_over_stdio() as (source, target):
        writer = Writer(target, calls.may_start)
        outgoing = Outgoing(writer, DirectCalls(calls, writer.put))
        arrivals, incoming = create_memory_object_stream[SessionMessage | Exception](_MOST_MESSAGES_AHEAD)
        intake = _Reader(source, most, outgoing, arrivals)
        writer.lost = intake.end
        try:
            async with incoming, arrivals, create_task_group() as group:
                group.start_soon(intake.run)
                yield incoming, outgoing
                group.cancel_scope.cancel()
        finally:
            calls.end()  # as long as what they print goes elsewhere


class _Reader:
    """Reads messages, as long as the client takes its answers, and passes on those that are for the SDK."""

    def __init__(
        self,
        source: int,
        most: int,
        outgoing: Outgoing,
        arrivals: MemoryObjectSendStream[SessionMessage | Exception],
    ) -> None:
        self._source = source
        self._lines = _Lines(most)
        self._outgoing = outgoing
        self._arrivals = arrivals
        self._late: list[SessionMessage] = []
        """What was read when there was no room for it."""
        self._ended = False
        self._stopped = Event()

    async def run(self) -> None:
        """Read to the end, wait until all is answered, and let the server end."""
        while not self._ended:
            await self._listen()
            await self._outgoing.drain()
            await self._catch_up()
        while self._outgoing.owes_answers:  # noqa: ASYNC110  whether anybody still reads is told by no event
            await sleep(_SECONDS_BETWEEN_LOOKS)
        self._arrivals.close()

    async def _catch_up(self) -> None:
        """Pass on what there was no room for."""
        late, self._late = self._late, []
        with suppress(ClosedResourceError, BrokenResourceError):
            for message in late:
                await self._arrivals.send(message)

    def end(self) -> None:
        """Read no more."""
        self._ended = True
        self._stopped.set()

    async def _listen(self) -> None:
        """Read until the end, or until too much waits for the client."""
        loop, self._stopped = get_running_loop(), Event()
        try:
            loop.add_reader(self._source, self._read)
            await self._stopped.wait()
        except PermissionError:  # a plain file: it is always ready, and cannot be waited for
            self._read()
            await lowlevel.checkpoint()
        finally:
            loop.remove_reader(self._source)

    def _read(self) -> None:
        try:
            chunk = os.read(self._source, _CHUNK)
        except BlockingIOError:  # somebody has set it so, and there was nothing after all
            return
        except OSError:  # a terminal that is gone
            chunk = b""
        for raw in self._lines.added(chunk):
            try:
                message = self._outgoing.take_line(raw)
            except Exception:  # noqa: BLE001  one message must not take those behind it along
                log.exception("mcp", "a message could not be read")
                continue
            if message is not None:
                self._pass_on(SessionMessage(message))
        if not chunk:
            self.end()
        elif self._late or self._outgoing.is_full:
            self._stopped.set()

    def _pass_on(self, message: SessionMessage) -> None:
        if self._late:  # they keep their order
            self._late.append(message)
            return
        try:
            self._arrivals.send_nowait(message)
        except WouldBlock:
            self._late.append(message)
        except (ClosedResourceError, BrokenResourceError):  # the server is about to end
            pass


class Outgoing:
    """What goes to the client: the stream that the SDK writes to. It knows what is not answered yet."""

    def __init__(self, writer: Writer, direct: DirectCalls) -> None:
        self._writer = writer
        self._direct = direct
        self._owed: set[RequestId | None] = set()

    @property
    def owes_answers(self) -> bool:
        """Whether somebody still waits for an answer."""
        return (bool(self._owed) or self._direct.is_busy) and not self._writer.is_broken()

    def hurry(self) -> None:
        """Wait no more for a client that does not read."""
        self._writer.give_up()

    @property
    def is_full(self) -> bool:
        """Whether more waits for the client than it should ask for."""
        return self._writer.is_full

    def take_line(self, raw: bytes | None) -> JSONRPCMessage | None:
        """The message in a line, if it is for the SDK. None stands for a line that was too long."""
        if raw is None:
            self._put(_refused(None, INVALID_REQUEST, "The message has more bytes than this server takes").answer)
            return None
        with suppress(JSONDecodeError):
            if self._direct.take(quickly(raw)):
                return None
        message = _read(raw)
        if isinstance(message, _Refused):
            self._put(message.answer)
            return None
        self._direct.watch_request(message)
        if isinstance(message, JSONRPCRequest):
            self._owed.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            name = (message.params or {}).get("requestId")
            self._owed -= {name} if isinstance(name, str | int) else set()
        return message

    async def send(self, message: SessionMessage) -> None:
        """Send a message, and wait until the client has room for it."""
        self._direct.watch_response(message.message)
        self._put(message.message)
        await self.drain()

    def _put(self, message: JSONRPCMessage) -> None:
        self._owed.discard(getattr(message, "id", None))
        self._writer.put(message.model_dump_json(by_alias=True, exclude_unset=True).encode())

    async def drain(self) -> None:
        """Wait until the client has room for everything."""
        await self._writer.drain()

    async def aclose(self) -> None:
        """The SDK sends no more."""
        await self.drain()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


class _Refused(Record):
    """What came in and is no message, as the answer to it."""

    answer: JSONRPCError


class _Lines:
    """Lines of what comes in pieces; None stands for one that is too long."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._pieces: list[bytes] = []
        self._size = 0

    def added(self, chunk: bytes) -> Iterator[bytes | None]:
        """The lines that are complete with this piece; nothing more comes after an empty one."""
        *ended, rest = chunk.split(b"\n") if chunk else (b"", b"")
        for part in ended:
            size, pieces = self._size + len(part), self._pieces
            self._pieces, self._size = [], 0
            if size > self._most:
                yield None
            elif line := b"".join([*pieces, part]).strip():
                yield line
        self._size += len(rest)
        if self._size <= self._most:
            self._pieces.append(rest)
        else:
            self._pieces.clear()


@contextmanager
def _take_over_stdio() -> Iterator[tuple[int, int]]:
    """Standard input and output for us alone."""
    source, target = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        yield source, target
    finally:
        for ours, standard in ((source, 0), (target, 1)):
            os.dup2(ours, standard)
            os.close(ours)


def _read(raw: bytes) -> JSONRPCMessage | _Refused:
    message = None
    with suppress(ValidationError):
        message = jsonrpc_message_adapter.validate_json(raw, by_name=False)
    if message is not None and not isinstance(message, JSONRPCNotification):
        return message
    try:
        given = loads(raw.decode())
    except (ValueError, RecursionError) as error:
        return _refused(None, PARSE_ERROR, f"Not JSON: {error}"[:200])
    if (
        message is not None and isinstance(given, dict) and "id" not in given
    ):  # with one, it is a request that waits for an answer
        return message
    name = given.get("id") if isinstance(given, dict) else None
    known = name if type(name) in {str, int} and not _problem(name) else None
    why = "; batches are not taken: one message a line" if isinstance(given, list) else _problem(given)
    return _refused(known, INVALID_REQUEST, f"Not a JSON-RPC 2.0 message{why}")


def _problem(given: object) -> str:
    """What is wrong with JSON that cannot be sent back: half a surrogate pair, which is no character."""
    try:
        dumps(given)
    except JSONEncodeError as error:
        return f" in Unicode: {error}"
    return ""


def _refused(name: RequestId | None, code: int, message: str) -> _Refused:
    return _Refused(JSONRPCError(jsonrpc="2.0", id=name, error=ErrorData(code=code, message=message)))


def serve(server: Server[Any], calls: Calls, most: int) -> bool:
    """Serve one client, whose messages have at most so many bytes. Returns whether it was interrupted."""
    handlers = {number: signal.getsignal(number) or signal.SIG_DFL for number in _END_SIGNALS}
    try:
        return run(_serve, server, calls, most)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


async def _serve(server: Server[Any], calls: Calls, most: int) -> bool:
    ended: list[int] = []

    async def watch(outgoing: Outgoing, scope: CancelScope) -> None:
        try:
            with open_signal_receiver(*_END_SIGNALS) as signals:
                async for number in signals:
                    ended.append(number)
                    outgoing.hurry()
                    scope.cancel()  # calls stop before they write; what is being written is finished
        finally:
            for number in _END_SIGNALS:  # who is impatient does not make it half done
                signal.signal(number, signal.SIG_IGN)

    async with create_task_group() as group, streams(calls, most) as (incoming, outgoing):
        group.start_soon(watch, outgoing, group.cancel_scope)
        await server.run(incoming, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()
    return signal.SIGINT in ended
