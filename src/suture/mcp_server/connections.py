"""Connections of the HTTP server: how many there may be, and how long each may take.

A connection is a stranger's until a request with the token came over it. Strangers have a small share of all
connections, and the oldest makes room for the next, so they cannot shut out a client that brings the token. A head of a
request must come in one go, in the strict form of RFC 9112, and an answer must be taken.
"""

from __future__ import annotations

import resource
from socket import SO_LINGER, SOL_SOCKET
from struct import pack

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from suture.mcp_server.address import neighborhood
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from asyncio import TimerHandle, Transport
    from typing import Any

CONNECTION = "suture.connection"
"""Where a request's state has its connection."""
HEAD = 16_384
"""Bytes of a request before its body, or of the lines after it."""
_TAKEN = 30_000
"""How many bytes of an answer must be taken between two looks."""
_AT_ONCE = pack("ii", 1, 0)
"""Else the system would keep what nobody takes, and offer it for minutes."""
_END = b"\r\n\r\n"


class Limits(Record):
    """What a server takes, and how long it waits."""

    connections: int = 1_000
    """At most half of the files that the process may open: the others are left to its work."""
    requests: int = 512
    """At a time, with the streams that clients keep open."""
    sessions: int = 200
    head_seconds: float = 10
    """For the head of a request, from the connection or from its first byte."""
    body_seconds: float = 60
    taking_seconds: float = 30
    """How often it is looked whether an answer is taken."""
    kept_seconds: int = 600
    """How long a connection may be idle: whoever sends on one that is being closed gets no answer, so clients close
    it."""
    last_seconds: int = 5
    """How long calls may go on when the server is to end, before those that do not write are stopped."""

    @property
    def strangers(self) -> int:
        """How many connections may be without a token."""
        return max(1, self._open // 4)

    @property
    def known(self) -> int:
        """How many connections may have brought it."""
        return max(1, self._open - self.strangers)

    @property
    def accepted(self) -> int:
        """How many connections are accepted before what they sent is looked at: fewer than make a stranger go."""
        return max(1, self.strangers // 4)

    @property
    def _open(self) -> int:
        files = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        return self.connections if files == resource.RLIM_INFINITY else min(self.connections, files // 2)


USUAL = Limits()


class Pool:
    """The connections that are open."""

    def __init__(self, limits: Limits) -> None:
        self._most_strangers, self._most_known = limits.strangers, limits.known
        self._strangers: dict[str, dict[Impatient, None]] = {}
        """By the network they come from; the oldest is first."""
        self._known: dict[Impatient, None] = {}
        """The one that was used least recently is first."""

    def enter(self, connection: Impatient) -> None:
        """Take in a stranger; if there are too many, the oldest goes, of the network that has most of them."""
        if sum(map(len, self._strangers.values())) >= self._most_strangers:
            crowd = max(self._strangers.values(), key=len)
            oldest = next(iter(crowd))
            self.leave(oldest)
            oldest.transport.abort()
        self._strangers.setdefault(connection.network, {})[connection] = None

    def admit(self, connection: Impatient) -> bool:
        """Take a connection that brought the token for a known one; False: all of the others are busy."""
        if connection not in self._known and len(self._known) >= self._most_known:
            idle = next((each for each in self._known if each.is_idle), None)
            if idle is None:
                return False
            self.leave(idle)
            idle.transport.close()
        self.leave(connection)
        self._known[connection] = None
        return True

    def leave(self, connection: Impatient) -> None:
        """Forget a connection."""
        self._known.pop(connection, None)
        beside = self._strangers.get(connection.network, {})
        beside.pop(connection, None)
        if not beside:
            self._strangers.pop(connection.network, None)


class Impatient(H11Protocol):
    """HTTP over a connection: one request at a time, each in the strict form, in some time."""

    def __init__(self, *, limits: Limits, pool: Pool, app_state: dict[str, Any], **given: Any) -> None:
        super().__init__(app_state={**app_state, CONNECTION: self}, **given)
        self.network = ""
        self._limits = limits
        self._pool = pool
        self._head = b""
        self._head_timer: TimerHandle | None = None
        self._left = 0
        """What was still to be taken at the last look."""
        self._looking: TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no request is under way."""
        return self.cycle.response_complete and not self._head

    def admit(self) -> bool:
        """Whether there is room for it among the connections that brought the token."""
        return self._pool.admit(self)

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]  # as its base has it
        """Wait for a request, for some time."""
        super().connection_made(transport)
        self.network = neighborhood(self.client[0] if self.client else "")
        self._pool.enter(self)
        self._head_timer = self.loop.call_later(self._limits.head_seconds, transport.close)
        self._look()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget it."""
        self._pool.leave(self)
        self._end_head()
        if self._looking is not None:
            self._looking.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read a request; what comes before its answer is never read as another one."""
        if self.conn.their_state is h11.IDLE:
            self._head += data
            if not _is_strict(self._head):
                self._end_head()
                self.send_400_response("Invalid HTTP request received.")
                return
            if self._head_timer is None:
                self._head_timer = self.loop.call_later(self._limits.head_seconds, self.transport.close)
        super().data_received(data)
        if self.conn.their_state is not h11.IDLE:
            self._end_head()
        if self.conn.their_state is h11.DONE and self.conn.trailing_data[0]:
            self.cycle.keep_alive = False

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request, unless it is being answered already."""
        if self.conn.our_state not in {h11.IDLE, h11.SEND_RESPONSE}:
            self.transport.abort()
            return
        super().send_400_response(msg)
        cycle: Any = self.cycle
        if cycle is not None:  # whoever waits for the rest of a body gets no other answer
            cycle.disconnected = True
            cycle.message_event.set()

    def resume_writing(self) -> None:
        """Note that the client has taken what there was."""
        self._left = 0
        super().resume_writing()

    def _end_head(self) -> None:
        self._head = b""
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _look(self) -> None:
        left = self.transport.get_write_buffer_size()
        if left and self._left and self._left - left < _TAKEN:
            self.transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_LINGER, _AT_ONCE)
            self.transport.abort()
            return
        self._left = left
        self._looking = self.loop.call_later(self._limits.taking_seconds, self._look)


def _is_strict(begun: bytes) -> bool:
    """Whether the head of a request, as far as it came, has lines that every server takes apart in the same way.

    h11 also reads lines that end without a carriage return, and lines that go on in the next. Between a proxy that does
    not and this server, such a request could hide another one.
    """
    head = begun.partition(_END)[0].removesuffix(b"\r")
    plain = head.replace(b"\r\n", b"")
    broken = b"\n" in plain or b"\r" in plain or b"\n " in head or b"\n\t" in head
    return not broken and len(head) <= HEAD
