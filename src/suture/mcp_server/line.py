"""The way to the client: bytes over a file descriptor that is never blocked on."""

from __future__ import annotations

import os
import select
from asyncio import Event, get_running_loop
from collections import deque
from stat import S_ISSOCK

from suture import log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from threading import Event as Room

_INTO_A_PIPE, _INTO_A_SOCKET = 4_096, 65_536
"""So much goes into one that is ready, without waiting."""
_MUCH = 1_000_000
_GONE = select.POLLERR | select.POLLHUP | select.POLLNVAL


class Line:
    """Messages, one a line. Whoever makes large ones waits for `room` first, in a thread of its own."""

    def __init__(self, target: int, room: Room) -> None:
        self.lost: Callable[[], object] = bool
        """Called when nobody can read any more."""
        self._room = room
        self._target = target
        self._at_once = _INTO_A_SOCKET if S_ISSOCK(os.fstat(target).st_mode) else _INTO_A_PIPE
        self._loop = get_running_loop()
        self._rest: deque[memoryview] = deque()
        self._given_up = False
        self._sent = Event()
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
        return sum(map(len, self._rest)) > _MUCH

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

    async def flushed(self) -> None:
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
