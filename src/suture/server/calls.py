"""Run tool calls: threads, progress, cancellation, and results that are cut to a model's budget.

A thread cannot be stopped from outside. So it checks whether its call was canceled, at every file and right before
it writes. A write that has started is completed, even when the server shuts down.
"""

from __future__ import annotations

from functools import partial
from threading import Event
from time import monotonic

from suture import log
from suture.apis import call_tool_result
from suture.errors import Cancelled, InternalError, OutOfMemory, ServerBusy, UnknownTool
from suture.tools import find, unknown_tool
from suture.tools.spec import ToolResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import ThreadPoolExecutor
    from typing import Any

    from suture.errors import SutureError
    from suture.workspace import Workspace

    OnDone = Callable[[dict[str, Any]], object]
    Report = Callable[[int, str], object]


RUNNING = 64
"""Calls that run at the same time, most of them waiting for the disk or the lock; others are queued."""
WAITING = 1_000
"""Calls that may be running or queued: each keeps its request in memory."""
_SECONDS_BETWEEN_LOOKS = 0.1  # at whether a call that waits for another was canceled
_SECONDS_BETWEEN_REPORTS = 0.25  # people cannot read faster
_MAX_REFUSAL_CHARS = 2_000
"""Of a refusal without a workspace, and so without its settings."""
_READ_ONLY_TEXT = ("claude-code", "codex")
"""The names of clients that would show a model the structured content instead of the text, or both."""


def reads_only_text(client: str) -> bool:
    """Whether a client of this name gets no structured content, and no output schemas."""
    return client.startswith(_READ_ONLY_TEXT)


def refusal(name: str, error: SutureError, client: str) -> dict[str, Any]:
    """The message for a call that there is no workspace for."""
    return fit_result(name, ToolResult.failed(error), _MAX_REFUSAL_CHARS, structured=not reads_only_text(client))


def fit_result(name: str, result: ToolResult, max_chars: int, *, structured: bool = True) -> dict[str, Any]:
    """The message for a result, cut to a model's budget; without `structured`, it has no structured content."""
    return call_tool_result(name, result.within(max_chars), structured=structured)


class RunningCall:
    """A running call. Its thread counts files and matches here."""

    def __init__(self, report: Report | None = None) -> None:
        self.cancelled = False
        self._report = report
        self._files = 0
        self._matches = 0
        self._reported = 0
        self._reported_at = monotonic()

    def count(self, files: int, matches: int) -> None:
        """Count, report progress now and then, and raise Cancelled if the call was canceled."""
        if self.cancelled:
            raise Cancelled
        self._files += files
        self._matches += matches
        seen = self._files + self._matches
        if (
            self._report is not None
            and seen > self._reported
            and monotonic() - self._reported_at >= _SECONDS_BETWEEN_REPORTS
        ):
            self._reported, self._reported_at = seen, monotonic()
            self._report(seen, f"files: {self._files}, matches: {self._matches}")


def _out_of_memory(result: ToolResult) -> ToolResult:
    """A short result instead of one that does not fit into memory. A change that landed is not reported as failed."""
    change = None if result.is_error else result.metadata.get("change_id")
    if change is None:
        return ToolResult.failed(OutOfMemory())
    text = f"Done (change {change}). There is no memory left to show what changed."
    return ToolResult(is_error=False, answer=text, metadata={"change_id": change})


class Calls:
    """Runs calls of tools.

    `names` are the tools that a client is told of. Others can be called too, unless there are `only_listed`. With
    `ordered`, as for the calls of one client, a call begins when those that may write and came before it are over: a
    model may send an edit of a file right after the call that creates it.
    """

    def __init__(
        self,
        names: Sequence[str],
        *,
        only_listed: bool = True,
        ordered: bool = False,
    ) -> None:
        self.names = tuple(names)
        self._only_listed = only_listed
        self._ordered = ordered
        self._last_write: Event | None = None
        """Set when the last call that may write is over."""
        self._threads: ThreadPoolExecutor | None = None
        self._under_way: set[RunningCall] = set()
        self.may_start = Event()
        """Set while clients read their answers. Otherwise no call starts, so that answers do not pile up."""
        self.may_start.set()

    def find_problem(self, name: str) -> UnknownTool | None:
        """Why no tool of this name can be called; None if one can be."""
        if name in self.names:
            return None
        if self._only_listed:
            return unknown_tool(name, self.names)
        try:
            find(name)
        except UnknownTool as error:
            return error
        return None

    @staticmethod
    def _may_write(name: str) -> bool:
        try:
            return find(name).read is None
        except UnknownTool:
            return False

    def start(
        self,
        workspace: Workspace,
        name: str,
        arguments: dict[str, Any] | None,
        done: OnDone,
        report: Report | None = None,
        client: str = "",
    ) -> RunningCall:
        """Start a call for a client. `done` gets its result and `report` its progress, both in the call's thread."""
        running = RunningCall(report)
        structured = not reads_only_text(client)
        fit = partial(fit_result, max_chars=workspace.settings.max_answer_chars, structured=structured)
        if len(self._under_way) >= WAITING:
            done(fit(name, ToolResult.failed(ServerBusy(limit=WAITING))))
            return running

        before, over = self._last_write, Event()
        if self._ordered and self._may_write(name):
            self._last_write = over

        def work() -> None:
            self.may_start.wait()
            while before is not None and not running.cancelled and not before.wait(_SECONDS_BETWEEN_LOOKS):
                pass
            try:
                if running.cancelled:  # while it was queued
                    result = ToolResult.failed(Cancelled())
                else:
                    result = workspace.call(name, arguments, progress=running.count)
                try:
                    message = fit(name, result)
                except MemoryError:
                    message = fit(name, _out_of_memory(result))
            except Exception as error:  # noqa: BLE001  the client waits for an answer, whatever happens
                log.exception("mcp", "the result of %s cannot be sent", name)
                message = fit(name, ToolResult.failed(InternalError(exception=f"{type(error).__name__}: {error}")))
            finally:
                self._under_way.discard(running)
                over.set()
            done(message)

        self._under_way.add(running)
        if self._threads is None:
            from concurrent.futures import ThreadPoolExecutor  # it loads logging, which only calls have to wait for

            self._threads = ThreadPoolExecutor(RUNNING, "suture-call")
        self._threads.submit(work)
        return running

    async def run(
        self,
        workspace: Workspace,
        name: str,
        arguments: dict[str, Any] | None,
        report: Report | None = None,
        client: str = "",
    ) -> dict[str, Any]:
        """Run a call and wait for its result. Canceling this cancels the call, and waits until it ends."""
        from asyncio import get_running_loop

        from anyio import CancelScope, Event, get_cancelled_exc_class

        loop, over = get_running_loop(), Event()
        results: list[dict[str, Any]] = []

        def done(result: dict[str, Any]) -> None:
            results.append(result)
            loop.call_soon_threadsafe(over.set)

        running = self.start(workspace, name, arguments, done, report, client)
        try:
            await over.wait()
        except get_cancelled_exc_class():
            running.cancelled = True
            with CancelScope(shield=True):
                await over.wait()
            raise
        return results[0]

    def cancel(self) -> None:
        """Cancel all calls that have not started to write."""
        for running in tuple(self._under_way):
            running.cancelled = True
        self.may_start.set()

    def end(self) -> None:
        """Cancel all calls that have not started to write, and wait for the others."""
        self.cancel()
        if self._threads is not None:
            self._threads.shutdown()
