"""MCP over stdin and stdout: one loop that reads and writes lines.

Unlike the SDK's transport, this one answers an invalid message instead of dropping it, limits the size of a message,
completes the requests it has read when its input ends, never blocks on a client that does not read, and needs no
threads. It does not need the SDK either: `direct` says when that is loaded.

Meanwhile the descriptors 0 and 1 are redirected: the output of a plugin goes to stderr, not between messages.
"""

from __future__ import annotations

import os
import select
import signal
from collections import deque
from contextlib import ExitStack, contextmanager, suppress
from math import ceil
from stat import S_ISSOCK

from suture import log
from suture.apis import replace_surrogates
from suture.json_text import loads_own
from suture.records import Record
from suture.server import missing_extra, quick_imports
from suture.server.direct import (
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    Direct,
    error_line,
    is_id,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from threading import Event
    from typing import Any, Self

    from suture.server.calls import Calls
    from suture.server.direct import Message
    from suture.server.roots import Roots
    from suture.server.sdk import BySdk


_CHUNK = 1 << 16  # bytes; the capacity of a pipe
_PIPE_BYTES, _SOCKET_BYTES = 4_096, 65_536
"""Bytes that a ready pipe or socket takes without blocking."""
_MAX_UNSENT_BYTES = 1_000_000
"""Bytes that may wait for a client: many ordinary answers. While more wait, no call starts and no message is read."""
_END_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL
_MAX_ERROR_CHARS = 200  # the parser's message quotes the line


def serve(calls: Calls, roots: Roots, max_bytes: int) -> bool:
    """Serve one client, with messages of up to `max_bytes`. Returns whether the server was interrupted."""
    with _take_over_stdio() as (source, target), _Posts() as posts, _signals(posts) as received:
        writer = Writer(target, calls.may_start)
        try:
            with ExitStack() as stack:
                client = _Client(calls, roots, writer.put, posts, stack)
                try:
                    _exchange(source, writer, client, posts, received, max_bytes)
                finally:
                    calls.cancel()  # those that are writing finish
        finally:
            calls.end()  # while their output is still redirected
    return signal.SIGINT in received


def _exchange(source: int, writer: Writer, client: _Client, posts: _Posts, received: list[int], max_bytes: int) -> None:
    """Read and write until a signal arrives, the client is gone, or the input has ended and all is answered."""
    lines = _Lines(max_bytes)
    ended = False
    while not (received or writer.is_lost or client.is_over) and (not ended or client.is_busy or writer.is_waiting):
        state = select.poll()
        state.register(posts.reader, select.POLLIN)
        state.register(writer.target, select.POLLOUT if writer.is_waiting else 0)
        if not ended and writer.has_room and not client.is_full:
            state.register(source, select.POLLIN)
        ready = {descriptor for descriptor, _ in state.poll(client.wait_ms)}
        if writer.target in ready:
            writer.flush()
        if posts.reader in ready:
            posts.run()
        if source in ready:
            ended = not _read_lines(source, lines, client)
        if ended or client.wait_ms == 0:
            client.stop_waiting()


def _read_lines(source: int, lines: _Lines, client: _Client) -> bool:
    """Read once, and have each complete line answered; returns whether there may be more."""
    try:
        chunk = os.read(source, _CHUNK)
    except BlockingIOError:  # the descriptor was set non-blocking, and there was nothing after all
        return True
    except OSError:  # the terminal is gone
        chunk = b""
    for raw in lines.add(chunk):
        try:
            client.take_line(raw)
        except Exception:  # noqa: BLE001  one message must not affect the next
            log.exception("mcp", "a message could not be read")
    return bool(chunk)


class Writer:
    """Writes messages, one per line. Calls start while `room` is set, so that answers do not pile up."""

    def __init__(self, target: int, room: Event) -> None:
        self.target = target
        self.is_lost = False
        """Whether the client is gone."""
        self._room = room
        self._write_size = _SOCKET_BYTES if S_ISSOCK(os.fstat(target).st_mode) else _PIPE_BYTES
        self._unsent: deque[memoryview] = deque()
        self._state = select.poll()
        self._state.register(target, select.POLLOUT)

    @property
    def is_waiting(self) -> bool:
        """Whether a message waits for the client to read."""
        return bool(self._unsent)

    @property
    def has_room(self) -> bool:
        """Whether more messages should be read. If too much waits for the client, not until everything is sent."""
        return self._room.is_set()

    def put(self, message: bytes) -> None:
        """Send a message as soon as there is room."""
        self._unsent.append(memoryview(message + b"\n"))
        if len(self._unsent) == 1:  # otherwise earlier messages wait for room
            self.flush()
        if sum(map(len, self._unsent)) > _MAX_UNSENT_BYTES:
            self._room.clear()

    def flush(self) -> None:
        """Write as much as there is room for."""
        try:
            while self._unsent and self._events():
                written = os.write(self.target, self._unsent[0][: self._write_size])
                self._unsent[0] = self._unsent[0][written:]
                if not self._unsent[0]:
                    self._unsent.popleft()
            self.is_lost = bool(self._events() & _GONE)
        except BlockingIOError:  # the descriptor was set non-blocking, and there was no room after all
            pass
        except OSError as error:
            log.debug("mcp", "the client is gone: %s", error)
            self.is_lost = True
        if self.is_lost:
            self._unsent.clear()
        if not self._unsent:
            self._room.set()

    def _events(self) -> int:
        return sum(events for _, events in self._state.poll(0))


class _Client:
    """The client. Its first request decides who answers it."""

    def __init__(
        self, calls: Calls, roots: Roots, put: Callable[[bytes], object], posts: _Posts, stack: ExitStack
    ) -> None:
        self._needs = calls, roots, put, posts.post
        self._put = put
        self._stack = stack
        self._direct = Direct(*self._needs)
        self._sdk: BySdk | None = None

    @property
    def is_busy(self) -> bool:
        """Whether the client still waits for an answer."""
        return (self._direct if self._sdk is None else self._sdk).is_busy

    @property
    def is_full(self) -> bool:
        """Whether no more messages should be read for now."""
        return (self._direct if self._sdk is None else self._sdk).is_full

    @property
    def wait_ms(self) -> int | None:
        """How long to wait for messages before `stop_waiting`; None for ever."""
        seconds = self._direct.seconds_left
        return None if seconds is None else ceil(seconds * 1_000)

    def stop_waiting(self) -> None:
        """Start the calls that wait for an answer of the client."""
        self._direct.stop_waiting()

    @property
    def is_over(self) -> bool:
        """Whether the client can no longer be answered."""
        return self._sdk is not None and self._sdk.is_over

    def take_line(self, raw: bytes | None) -> None:
        """Answer the message in a line, now or later. `raw` is None for a line that was too long."""
        message = _TOO_LONG if raw is None else _read(raw)
        if isinstance(message, _Refusal):
            self._put(error_line(message.request_id, message.code, message.text))
        elif self._sdk is None and self._direct.can_take(message):
            self._direct.take(message)
        else:
            self._pass_on(message)

    def _pass_on(self, message: Message) -> None:
        """Pass a message on to the SDK, which is loaded for the first one."""
        if self._sdk is None:
            try:
                with quick_imports():
                    from suture.server.sdk import serve_by_sdk
            except ModuleNotFoundError as error:
                text = " ".join(missing_extra("A client that does not begin with the request initialize", error))
                self._put(error_line(message["id"], METHOD_NOT_FOUND, text))
                return
            self._sdk = self._stack.enter_context(serve_by_sdk(*self._needs))
        self._sdk.take(message)


class _Refusal(Record):
    """Why a line is no message."""

    code: int
    text: str
    request_id: str | int | None = None


_TOO_LONG = _Refusal(INVALID_REQUEST, "The message has more bytes than this server accepts")


def _read(raw: bytes) -> Message | _Refusal:
    try:
        value: Any = loads_own(raw.decode())
    except (ValueError, RecursionError) as error:
        return _Refusal(PARSE_ERROR, f"Not JSON: {error}"[:_MAX_ERROR_CHARS])
    if isinstance(value, list):
        return _Refusal(INVALID_REQUEST, "Not a JSON-RPC 2.0 message: batches are not supported, send one per line")
    message = value if isinstance(value, dict) else {}
    request_id = message.get("id")
    has_id = is_id(request_id) and replace_surrogates(request_id) == request_id
    is_text = b"\\u" not in raw or replace_surrogates(message) == message
    if _is_message(message, has_id=has_id) and is_text:
        return message
    why = "" if is_text else ": half a surrogate pair is not a character"
    return _Refusal(INVALID_REQUEST, f"Not a JSON-RPC 2.0 message{why}", request_id if has_id else None)


def _is_message(message: Message, *, has_id: bool) -> bool:
    """Whether this is a request, a notification or a response."""
    if message.get("jsonrpc") != "2.0":
        return False
    if "method" in message:
        is_call = isinstance(message["method"], str) and isinstance(message.get("params"), dict | None)
        return is_call and (has_id or "id" not in message)
    return has_id and ("result" in message or "error" in message)


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


class _Posts:
    """Functions that other threads have called by the thread that reads and writes."""

    def __init__(self) -> None:
        self._functions: deque[Callable[[], object]] = deque()

    def __enter__(self) -> Self:
        self.reader, self.writer = os.pipe()
        os.set_blocking(self.reader, False)
        os.set_blocking(self.writer, False)
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self.reader)
        os.close(self.writer)

    def post(self, function: Callable[[], object]) -> None:
        """Have a function called."""
        self._functions.append(function)
        with suppress(BlockingIOError):  # the pipe is full, so the reader wakes up anyway
            os.write(self.writer, b"\n")

    def run(self) -> None:
        """Call what was posted; called when there is something to read."""
        os.read(self.reader, _CHUNK)
        while self._functions:
            self._functions.popleft()()


@contextmanager
def _signals(posts: _Posts) -> Iterator[list[int]]:
    """The signals that end the server, as they arrive. Each wakes up the reader of `posts`, and does nothing else."""
    received: list[int] = []
    handlers = {number: signal.getsignal(number) or signal.SIG_DFL for number in _END_SIGNALS}
    for number in _END_SIGNALS:
        signal.signal(number, lambda number, _frame: received.append(number))
    before = signal.set_wakeup_fd(posts.writer, warn_on_full_buffer=False)
    try:
        yield received
    finally:
        signal.set_wakeup_fd(before)
        for number, handler in handlers.items():
            signal.signal(number, handler)
