"""Standard input and output as the SDK's streams of messages.

Unlike the SDK's own transport, this one answers what is no message instead of dropping it, bounds the size of a
message, carries out and answers what was asked when its input ends, never blocks on a client that does not read, and
needs no threads.

While it is open, the descriptors 0 and 1 lead elsewhere: what a plugin prints goes to stderr, not between messages.
"""

from __future__ import annotations

import os
from asyncio import get_running_loop
from contextlib import asynccontextmanager, contextmanager, suppress

from anyio import (
    BrokenResourceError,
    ClosedResourceError,
    Event,
    WouldBlock,
    create_memory_object_stream,
    create_task_group,
    lowlevel,
    sleep,
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
from orjson import JSONDecodeError, JSONEncodeError, dumps
from orjson import loads as quickly
from pydantic import ValidationError

from suture import log
from suture.json_text import loads
from suture.mcp_server.lane import Lane
from suture.mcp_server.line import Line
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from types import TracebackType
    from typing import Self

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
    from mcp_types import JSONRPCMessage, RequestId

    from suture.mcp_server.calls import Calls

    Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]

_CHUNK = 1 << 16
_BETWEEN_LOOKS = 0.05
_AHEAD = 100
"""How many messages may wait for the SDK before no more is read: it takes far longer for one than reading it does."""


@asynccontextmanager
async def wire(calls: Calls, most: int) -> AsyncIterator[tuple[Incoming, Outgoing]]:
    """The SDK's streams of messages over standard input and output, each message of at most so many bytes."""
    with _claimed() as (source, target):
        line = Line(target, calls.room)
        outgoing = Outgoing(line, Lane(calls, line.put))
        arrivals, incoming = create_memory_object_stream[SessionMessage | Exception](_AHEAD)
        intake = _Intake(source, most, outgoing, arrivals)
        line.lost = intake.end
        try:
            async with incoming, arrivals, create_task_group() as group:
                group.start_soon(intake.run)
                yield incoming, outgoing
                group.cancel_scope.cancel()
        finally:
            calls.end()  # as long as what they print goes elsewhere


class _Intake:
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
            await self._outgoing.flushed()
            await self._catch_up()
        while self._outgoing.owes:  # noqa: ASYNC110  whether anybody still reads is told by no event
            await sleep(_BETWEEN_LOOKS)
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
                message = self._outgoing.considered(raw)
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

    def __init__(self, line: Line, lane: Lane) -> None:
        self._line = line
        self._lane = lane
        self._owed: set[RequestId | None] = set()

    @property
    def owes(self) -> bool:
        """Whether somebody still waits for an answer."""
        return (bool(self._owed) or self._lane.is_busy) and not self._line.is_broken()

    def hurry(self) -> None:
        """Wait no more for a client that does not read."""
        self._line.give_up()

    @property
    def is_full(self) -> bool:
        """Whether more waits for the client than it should ask for."""
        return self._line.is_full

    def considered(self, raw: bytes | None) -> JSONRPCMessage | None:
        """The message in a line, if it is for the SDK. None stands for a line that was too long."""
        if raw is None:
            self._put(_refused(None, INVALID_REQUEST, "The message has more bytes than this server takes").answer)
            return None
        with suppress(JSONDecodeError):
            if self._lane.takes(quickly(raw)):
                return None
        message = _read(raw)
        if isinstance(message, _Refused):
            self._put(message.answer)
            return None
        self._lane.heard(message)
        if isinstance(message, JSONRPCRequest):
            self._owed.add(message.id)
        elif isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            name = (message.params or {}).get("requestId")
            self._owed -= {name} if isinstance(name, str | int) else set()
        return message

    async def send(self, message: SessionMessage) -> None:
        """Send a message, and wait until the client has room for it."""
        self._lane.said(message.message)
        self._put(message.message)
        await self.flushed()

    def _put(self, message: JSONRPCMessage) -> None:
        self._owed.discard(getattr(message, "id", None))
        self._line.put(message.model_dump_json(by_alias=True, exclude_unset=True).encode())

    async def flushed(self) -> None:
        """Wait until the client has room for everything."""
        await self._line.flushed()

    async def aclose(self) -> None:
        """The SDK sends no more."""
        await self.flushed()

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
def _claimed() -> Iterator[tuple[int, int]]:
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
