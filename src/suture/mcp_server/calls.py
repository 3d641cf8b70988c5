"""Calls of tools, each in a thread of its own: a slow one delays no other, and a cancelled one stops before it writes.

A thread cannot be stopped from outside. It asks by itself, whenever it comes to another file and right before it
begins to write, whether its caller still waits. What it has begun to write it finishes, also when the server ends.
"""

from __future__ import annotations

from asyncio import CancelledError
from functools import partial

from anyio import CapacityLimiter, create_task_group, from_thread, sleep, to_thread

from suture.errors import Cancelled, ServerBusy
from suture.tools.spec import ToolResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import Any

    from suture.workspace import Workspace

    Tell = Callable[[int, str], Awaitable[None]]

RUNNING = 64
"""How many calls run at a time; the others wait for their turn."""
WAITING = 1_000
"""How many may be under way, with those that wait."""
_BETWEEN_REPORTS = 0.25


class Calls:
    """The calls under way of one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._turns = CapacityLimiter(RUNNING)
        self._under_way = 0

    async def run(self, name: str, arguments: dict[str, Any] | None, tell: Tell | None = None) -> ToolResult:
        """Call a tool. Who wants to know is told now and then how far it is."""
        if self._under_way >= WAITING:
            return ToolResult.failed(ServerBusy(limit=WAITING))
        self._under_way += 1
        try:
            seen = _Seen()
            work = partial(self._workspace.call, name, arguments, progress=seen.add)
            if tell is None:
                return await to_thread.run_sync(work, limiter=self._turns)
            async with create_task_group() as group:
                group.start_soon(_report, seen, tell)
                result = await to_thread.run_sync(work, limiter=self._turns)
                group.cancel_scope.cancel()
            return result
        finally:
            self._under_way -= 1


class _Seen:
    """What a call has come through, counted by its thread."""

    def __init__(self) -> None:
        self.files = 0
        self.matches = 0

    def add(self, files: int, matches: int) -> None:
        """Count, and stop the call if nobody waits for it any more."""
        self.files += files
        self.matches += matches
        try:
            from_thread.check_cancelled()
        except CancelledError:
            raise Cancelled from None

    def words(self) -> str:
        """How far it is."""
        return f"files: {self.files}, matches: {self.matches}"


async def _report(seen: _Seen, tell: Tell) -> None:
    """Tell of progress, until cancelled; only of more than before, as the protocol demands."""
    told = 0
    while True:
        await sleep(_BETWEEN_REPORTS)
        now = seen.files + seen.matches
        if now > told:
            told = now
            await tell(told, seen.words())
