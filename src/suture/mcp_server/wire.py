"""Standard input and output as the SDK's streams of messages.

Unlike the SDK's own transport, this one answers what is no message instead of dropping it, bounds the size of a
message, carries out and answers what was asked when its input ends, and never blocks on a client that does not read.

While it is open, the descriptors 0 and 1 lead elsewhere: what a plugin prints goes to stderr, not between messages.
"""

from __future__ import annotations

import math
import os
import select
from asyncio import get_running_loop
from contextlib import asynccontextmanager, contextmanager, suppress
from threading import Thread

from anyio import (
    BrokenResourceError,
    ClosedResourceError,
    Lock,
    create_memory_object_stream,
    create_task_group,
    sleep,
    wait_writable,
)
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCNotification,
    JSONRPCRequest,
    jsonrpc_message_adapter,
)
from orjson import JSONEncodeError, dumps
from pydantic import ValidationError

from suture import log
from suture.json_text import loads
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import AbstractEventLoop
    from collections.abc import AsyncIterator, Iterator

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp_types import JSONRPCMessage, RequestId

    Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
    Outgoing = MemoryObjectSendStream[SessionMessage]

_AT_ONCE = 4_096
"""So much goes into a pipe or a socket that is ready, without waiting."""
_CHUNK = 1 << 16
_BETWEEN_LOOKS = 0.05


@asynccontextmanager
async def wire(most: int) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """The streams of messages over standard input and output, each message of at most so many bytes."""
    with _claimed() as (source, target):
        line = _Line(target)
        to_server, incoming = create_memory_object_stream[SessionMessage | Exception]()
        outgoing, from_server = create_memory_object_stream[SessionMessage]()
        arrivals, arrived = create_memory_object_stream["JSONRPCMessage | _Refused"](math.inf)

        async def send() -> None:
            async for message in from_server:
                await line.send(message.message)
                if line.is_broken():
                    to_server.close()  # which ends the server
            group.cancel_scope.cancel()

        async def receive() -> None:
            async for message in arrived:
                if isinstance(message, _Refused):
                    await line.send(message.answer)
                else:
                    line.expect(message)
                    with suppress(ClosedResourceError, BrokenResourceError):  # the server is about to end
                        await to_server.send(SessionMessage(message))
            while line.owed and not line.is_broken():  # noqa: ASYNC110  that nobody reads any more is told by no event
                await sleep(_BETWEEN_LOOKS)
            to_server.close()

        async with to_server, from_server, arrivals, arrived, create_task_group() as group:
            group.start_soon(send)
            group.start_soon(receive)
            Thread(target=_listen, args=(source, most, get_running_loop(), arrivals), daemon=True).start()
            yield incoming, outgoing


class _Refused(Record):
    """What came in and is no message, as the answer to it."""

    answer: JSONRPCError


class _Line:
    """The way to the client: one message after the other, and which answers it still waits for."""

    def __init__(self, target: int) -> None:
        self.owed: set[RequestId | None] = set()
        self._target = target
        self._turn = Lock()
        self._state = select.poll()
        self._state.register(target, select.POLLOUT)

    def expect(self, message: JSONRPCMessage) -> None:
        """Note that a request is to be answered, or need not be any more."""
        if isinstance(message, JSONRPCRequest):
            self.owed.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            name = (message.params or {}).get("requestId")
            if isinstance(name, str | int):
                self.owed.discard(name)

    def is_broken(self) -> bool:
        """Whether nobody can read what is sent."""
        return bool(self._events() & (select.POLLERR | select.POLLHUP | select.POLLNVAL))

    async def send(self, message: JSONRPCMessage) -> None:
        """Send a message; one that nobody can read is dropped."""
        rest = memoryview(message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n")
        async with self._turn:
            try:
                while rest:
                    if not self._events():
                        await wait_writable(self._target)
                    rest = rest[os.write(self._target, rest[:_AT_ONCE]) :]
            except OSError as error:
                log.debug("mcp", "the client is gone: %s", error)
        self.owed.discard(getattr(message, "id", None))

    def _events(self) -> int:
        return sum(found for _, found in self._state.poll(0))


@contextmanager
def _claimed() -> Iterator[tuple[int, int]]:
    """Standard input and output for us alone. They are never closed: a thread may wait for input to the very end."""
    source, target = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    try:
        yield source, target
    finally:
        os.dup2(source, 0)
        os.dup2(target, 1)


def _listen(
    source: int, most: int, loop: AbstractEventLoop, arrivals: MemoryObjectSendStream[JSONRPCMessage | _Refused]
) -> None:
    """Read messages to the end; the body of a thread."""
    with suppress(RuntimeError):  # the event loop is closed, and nobody listens any more
        for raw in _lines(source, most):
            if raw is None:
                message: JSONRPCMessage | _Refused = _refused(
                    None, INVALID_REQUEST, f"A message may have {most:,} bytes; this one has more"
                )
            elif raw.strip():
                message = _read(raw)
            else:
                continue
            loop.call_soon_threadsafe(_put, arrivals, message)
        loop.call_soon_threadsafe(arrivals.close)


def _put(arrivals: MemoryObjectSendStream[JSONRPCMessage | _Refused], message: JSONRPCMessage | _Refused) -> None:
    with suppress(ClosedResourceError):  # the server has just ended
        arrivals.send_nowait(message)


def _lines(source: int, most: int) -> Iterator[bytes | None]:
    """The lines that come in; None for one that is too long."""
    pieces: list[bytes] = []
    size = 0
    while chunk := os.read(source, _CHUNK):
        *ended, rest = chunk.split(b"\n")
        for part in ended:
            yield b"".join([*pieces, part]) if size + len(part) <= most else None
            pieces, size = [], 0
        size += len(rest)
        pieces = [*pieces, rest] if size <= most else []
    if size:
        yield b"".join(pieces) if size <= most else None


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
    asks = isinstance(given, dict) and "id" in given
    if message is not None and not asks:
        return message
    name = given.get("id") if isinstance(given, dict) else None
    known = name if isinstance(name, str | int) and not isinstance(name, bool) else None
    return _refused(known, INVALID_REQUEST, f"Not a JSON-RPC 2.0 message{_why(given)}")


def _why(given: object) -> str:
    if isinstance(given, list):
        return "; batches are not taken: one message a line"
    try:
        dumps(given)
    except JSONEncodeError as error:  # half a surrogate pair, which is no character
        return f" in Unicode: {error}"
    return ""


def _refused(name: RequestId | None, code: int, message: str) -> _Refused:
    return _Refused(JSONRPCError(jsonrpc="2.0", id=name, error=ErrorData(code=code, message=message)))
