"""Run tool calls: threads, progress, cancellation, and results of limited size.

A thread cannot be stopped from outside. So it checks whether its call was canceled, at every file and right before
it writes. A write that has started is completed, even when the server shuts down.
"""

from __future__ import annotations

from functools import partial
from threading import Event
from time import monotonic

from suture import log
from suture.apis import call_tool_result
from suture.audience import MODEL
from suture.errors import Cancelled, InternalError, OutOfMemory, ResultTooLarge, ServerBusy, UnknownTool
from suture.tools import find, unknown_tool
from suture.tools.spec import ToolResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import ThreadPoolExecutor
    from typing import Any

    from suture.workspace import Workspace

    OnDone = Callable[[dict[str, Any]], object]
    Report = Callable[[int, str], object]


RUNNING = 64
"""Calls that run at the same time, most of them waiting for the disk or the lock; others are queued."""
WAITING = 1_000
"""Calls that may be running or queued: each keeps its request in memory."""
_SECONDS_BETWEEN_REPORTS = 0.25  # people cannot read faster
_WITHOUT_TEXT = ("claude-code", "codex")
"""Clients that show a model only the structured content of a result, if there is any: they get only the text."""
_MAX_TEXT_CHARS, _MAX_LIST_ITEMS = 2_000, 100
"""Characters of a text and items of a list that are kept first if a result is truncated: enough to recognize them."""
_SHORTEST_TEXT = 200  # ids, hashes and codes are shorter, and are never truncated


def reads_only_text(client: str) -> bool:
    """Whether a client of this name gets only the text of results, and no output schemas."""
    return client.startswith(_WITHOUT_TEXT)


def fit_result(name: str, result: ToolResult, max_bytes: int, *, text_too: bool = False) -> dict[str, Any]:
    """The message for a result. One that is too large becomes an error; that of a change or an error is truncated.

    With `text_too`, the structured content repeats the text.
    """
    message = call_tool_result(name, result)
    if text_too and "structuredContent" in message:
        message["structuredContent"] = {**message["structuredContent"], "text": message["content"][0]["text"]}
    size = _size(message)
    if size <= max_bytes:
        return message
    spec = find(name)
    if result.is_error or spec.read is None:
        text = message["content"][0]["text"] if result.listed is None else ""
        return _cut(message, text, size, max_bytes)
    error = ResultTooLarge(size=size, limit=max_bytes, total=None if result.rows is None else len(result.rows))
    failed = ToolResult.failed(error) if spec.explain is None else ToolResult.of(spec.explain({}, error, MODEL))
    return call_tool_result(name, failed)


def _size(message: dict[str, Any]) -> int:
    from orjson import dumps  # loading it delays no answer before the first call's

    return len(dumps(message))


def _cut(message: dict[str, Any], text: str, size: int, max_bytes: int) -> dict[str, Any]:
    """Shorten long texts and lists until the message fits; `text` is its text, empty if it is a list."""
    note = f"(The result has {size:,} bytes, more than the limit of {max_bytes:,}: long texts and lists are truncated.)"
    change = (message.get("structuredContent") or message.get("_meta") or {}).get("change_id")
    landed = f" as change {change}" if change else ""
    done = "" if message["isError"] else f"The call was carried out{landed}. "
    max_text, most_items = _MAX_TEXT_CHARS, _MAX_LIST_ITEMS
    while True:
        kept = text and text[:max_text] + "\n…" * (len(text) > max_text) + "\n"
        short: dict[str, Any] = _shorten(message, max_text, most_items)
        short["content"] = [{"type": "text", "text": f"{kept}{done}{note}"}]
        if most_items == 1 or _size(short) <= max_bytes:
            return short
        max_text, most_items = max(max_text // 4, _SHORTEST_TEXT), max(most_items // 4, 1)


def _shorten(value: Any, max_text: int, most_items: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= max_text else f"{value[:max_text]}… ({len(value):,} characters)"
    if isinstance(value, dict):
        return {key: _shorten(item, max_text, most_items) for key, item in value.items()}
    return [_shorten(item, max_text, most_items) for item in value[:most_items]] if isinstance(value, list) else value


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
    """Runs calls of tools in one workspace; results have at most `max_bytes`.

    `names` are the tools that a client is told of. Others can be called too, unless there are `only_listed`.
    """

    def __init__(
        self,
        workspace: Workspace,
        names: Sequence[str],
        max_bytes: int,
        *,
        text_too: bool = False,
        only_listed: bool = True,
    ) -> None:
        self.names = tuple(names)
        self._only_listed = only_listed
        self._text_too = text_too
        self._workspace = workspace
        self._max_bytes = max_bytes
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

    def start(
        self, name: str, arguments: dict[str, Any] | None, done: OnDone, report: Report | None = None, client: str = ""
    ) -> RunningCall:
        """Start a call for a client. `done` gets its result and `report` its progress, both in the call's thread."""
        running = RunningCall(report)
        fit = partial(fit_result, max_bytes=self._max_bytes, text_too=self._text_too or reads_only_text(client))
        if len(self._under_way) >= WAITING:
            done(fit(name, ToolResult.failed(ServerBusy(limit=WAITING))))
            return running

        def work() -> None:
            self.may_start.wait()
            try:
                if running.cancelled:  # while it was queued
                    result = ToolResult.failed(Cancelled())
                else:
                    result = self._workspace.call(name, arguments, progress=running.count)
                try:
                    message = fit(name, result)
                except MemoryError:
                    message = fit(name, _out_of_memory(result))
            except Exception as error:  # noqa: BLE001  the client waits for an answer, whatever happens
                log.exception("mcp", "the result of %s cannot be sent", name)
                message = fit(name, ToolResult.failed(InternalError(exception=f"{type(error).__name__}: {error}")))
            finally:
                self._under_way.discard(running)
            done(message)

        self._under_way.add(running)
        if self._threads is None:
            from concurrent.futures import ThreadPoolExecutor  # it loads logging, which only calls have to wait for

            self._threads = ThreadPoolExecutor(RUNNING, "suture-call")
        self._threads.submit(work)
        return running

    async def run(
        self, name: str, arguments: dict[str, Any] | None, report: Report | None = None, client: str = ""
    ) -> dict[str, Any]:
        """Run a call and wait for its result. Canceling this cancels the call, and waits until it ends."""
        from asyncio import get_running_loop

        from anyio import CancelScope, Event, get_cancelled_exc_class

        loop, over = get_running_loop(), Event()
        results: list[dict[str, Any]] = []

        def done(result: dict[str, Any]) -> None:
            results.append(result)
            loop.call_soon_threadsafe(over.set)

        running = self.start(name, arguments, done, report, client)
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
