"""Calls in threads: limits, progress and cancellation."""

from asyncio import get_running_loop
from functools import partial
from pathlib import Path
from queue import Queue
from typing import Any

import anyio
import pytest

from suture import Workspace
from suture.apis import call_tool_result
from suture.server import calls
from suture.server.calls import Calls, fit_result
from suture.tools import TOOLS
from suture.tools.spec import ToolResult
from tests.interop.mcp_servers import contents, edit, hold_lock

REPLACE = {"path_pattern": "*", "pattern": "red", "replacement": "blue"}


def all_calls() -> Calls:
    return Calls(sorted(TOOLS))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(b"red\n")
    return tmp_path


def test_a_call_gives_what_the_workspace_gives(root: Path) -> None:
    result = anyio.run(all_calls().run, Workspace(root), "file_read", {"path": "a.txt"})
    assert result == call_tool_result("file_read", Workspace(root).call("file_read", {"path": "a.txt"}))


def test_more_calls_than_may_wait_are_sent_away(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "WAITING", 2)
    queue = all_calls()
    results: list[dict[str, Any]] = []

    async def ask() -> None:
        sent_away = anyio.Event()

        async def run_one(name: str) -> None:
            results.append(await queue.run(Workspace(root), "file_edit", edit(name, "red", "blue")))
            sent_away.set()

        async with anyio.create_task_group() as group:
            with hold_lock(root):
                for name in ("a.txt", "b.txt", "a.txt"):
                    group.start_soon(run_one, name)
                await sent_away.wait()
            (busy,) = results
            error = busy["structuredContent"]["error"]
            assert (busy["isError"], error["code"], error["limit"], error["retryable"]) == (
                True,
                "SERVER_BUSY",
                2,
                True,
            )
        assert [result["isError"] for result in results] == [True, False, False]
        assert not (await queue.run(Workspace(root), "file_edit", edit("a.txt", "blue", "green")))["isError"]

    anyio.run(ask)


def test_progress_is_reported_while_it_grows(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_SECONDS_BETWEEN_REPORTS", 0.001)
    reports: list[tuple[int, str]] = []

    async def ask() -> dict[str, Any] | None:
        several, loop = anyio.Event(), get_running_loop()
        lock = hold_lock(root)

        def tell(progress: int, words: str) -> None:
            reports.append((progress, words))
            loop.call_soon_threadsafe(several.set)

        async def let_go() -> None:
            with lock:
                ready.set()
                await several.wait()
                await anyio.sleep(0.05)  # meanwhile there is nothing new to report

        ready = anyio.Event()
        async with anyio.create_task_group() as group:
            group.start_soon(let_go)
            await ready.wait()
            return await all_calls().run(Workspace(root), "regex_replace_multi", REPLACE, tell)
        return None

    result = anyio.run(ask)
    assert result is not None
    assert not result["isError"]
    numbers = [progress for progress, _ in reports]
    assert numbers
    assert numbers == sorted(set(numbers))
    assert reports[-1][1] == "files: 2, matches: 2"


@pytest.mark.promise("serve.cancel")
@pytest.mark.parametrize("watched", [False, True])
def test_a_call_that_is_cancelled_stops_before_it_writes(root: Path, watched: bool) -> None:  # noqa: FBT001  a case
    before = contents(root)

    def tell(_progress: int, _words: str) -> None:
        pass

    async def ask() -> dict[str, Any] | None:
        with hold_lock(root), anyio.move_on_after(0.1):
            return await all_calls().run(Workspace(root), "regex_replace_multi", REPLACE, tell if watched else None)
        return None

    result = anyio.run(ask)
    assert result is None or result["_meta"]["error"]["code"] == "CANCELLED"
    assert contents(root) == before


@pytest.mark.parametrize(
    ("client", "there"), [("codex-mcp-client", False), ("claude-code", False), ("claude-ai", True), ("", True)]
)
def test_a_client_that_would_show_models_structured_content_too_gets_only_the_text(
    root: Path,
    client: str,
    there: bool,  # noqa: FBT001  a case
) -> None:
    queue = all_calls()
    read = anyio.run(queue.run, Workspace(root), "file_read", {"path": "a.txt", "format": "raw"}, None, client)
    assert ("structuredContent" in read, "_meta" in read) == (there, not there)
    assert read["content"] == [{"type": "text", "text": "red\n"}]
    failed = anyio.run(queue.run, Workspace(root), "file_read", {"path": "none"}, None, client)
    assert (failed["isError"], "structuredContent" in failed) == (True, there)
    result = anyio.run(queue.run, Workspace(root), "regex_split", {"file_path": "a.txt", "pattern": "e"}, None, client)
    assert "structuredContent" not in result


def test_a_tool_without_an_output_schema_sends_no_structured_content(root: Path) -> None:
    answers = [
        anyio.run(all_calls().run, Workspace(root), name, arguments)
        for name, arguments in (("glob", {"pattern": "*"}), ("history", {}))
    ]
    assert ["structuredContent" in answer for answer in answers] == [False, True]


def test_a_result_that_cannot_be_sent_is_answered_all_the_same(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failures = [ZeroDivisionError]

    def fail_at_first(*given: Any, **named: Any) -> dict[str, Any]:
        if failures:
            raise failures.pop()
        return fit_result(*given, **named)

    monkeypatch.setattr(calls, "fit_result", fail_at_first)
    answer = anyio.run(all_calls().run, Workspace(root), "file_read", {"path": "a.txt"})
    assert (answer["isError"], answer["structuredContent"]["error"]["code"]) == (True, "INTERNAL")


@pytest.mark.promise("bound.process")
def test_a_result_that_there_is_no_memory_for_is_reported_in_brief(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_memory(name: str, result: ToolResult, **more: Any) -> dict[str, Any]:
        if not result.is_error and not result.text.startswith("Done (change "):
            raise MemoryError
        return fit_result(name, result, **more)

    monkeypatch.setattr(calls, "fit_result", without_memory)
    (root / "long.txt").write_bytes(b"x" * 1_000)
    queue = all_calls()
    result = anyio.run(queue.run, Workspace(root), "file_edit", edit("a.txt", "red", "blue"))
    assert (result["isError"], (root / "a.txt").read_bytes()) == (False, b"blue\n")
    assert result["content"][0]["text"].startswith("Done (change ")
    read = anyio.run(queue.run, Workspace(root), "file_read", {"path": "long.txt"})
    assert read["isError"] is True


def test_a_call_that_is_cancelled_before_its_turn_is_not_made(root: Path) -> None:
    calls = Calls(["file_edit"])
    results: list[dict[str, Any]] = []
    calls.may_start.clear()
    calls.start(Workspace(root), "file_edit", edit("a.txt", "red", "two"), results.append)
    calls.end()
    assert [result["structuredContent"]["error"]["code"] for result in results] == ["CANCELLED"]
    assert (root / "a.txt").read_bytes() == b"red\n"


def test_the_calls_of_one_client_wait_for_those_before_them_that_may_write(root: Path) -> None:
    queue = Calls(sorted(TOOLS), only_listed=False, ordered=True)
    answers: Queue[tuple[str, dict[str, Any]]] = Queue()

    def note(tool: str, answer: dict[str, Any]) -> None:
        answers.put((tool, answer))

    steps = [("edit", {"old_string": f"v{number}", "new_string": f"v{number + 1}"}) for number in range(4)]
    for name in ("one", "two", "three"):
        for tool, arguments in (("write", {"content": "v0\n"}), *steps, ("read", {})):
            queue.start(Workspace(root), tool, {"file_path": name, **arguments}, partial(note, tool))
    queue.start(Workspace(root), "nope", {}, partial(note, "nope"))
    received = [answers.get(timeout=60) for _ in range(19)]
    assert {tool for tool, answer in received if answer["isError"]} == {"nope"}
    assert [answer["content"][0]["text"] for tool, answer in received if tool == "read"] == ["1\tv4"] * 3


def test_a_call_that_waits_for_another_can_be_canceled(root: Path) -> None:
    queue = Calls(sorted(TOOLS), only_listed=False, ordered=True)
    answers: Queue[dict[str, Any]] = Queue()
    with hold_lock(root):
        queue.start(Workspace(root), "write", {"file_path": "a", "content": "x"}, answers.put)
        waiting = queue.start(Workspace(root), "read", {"file_path": "a"}, answers.put)
        waiting.cancelled = True
        assert "CANCELLED" in answers.get(timeout=60)["content"][0]["text"]
    assert not answers.get(timeout=60)["isError"]
