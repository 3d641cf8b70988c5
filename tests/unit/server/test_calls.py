"""Calls in threads: limits, progress and cancellation."""

from asyncio import get_running_loop
from pathlib import Path
from typing import Any

import anyio
import pytest

from suture import Workspace
from suture.apis import call_tool_result
from suture.server import calls
from suture.server.calls import Calls, fit_result
from suture.tools import TOOLS
from suture.tools.spec import ToolResult
from tests.interop.mcp_servers import contents, edit, locked

REPLACE = {"path_pattern": "*", "pattern": "red", "replacement": "blue"}


def calls_of(root: Path) -> Calls:
    return Calls(Workspace(root), sorted(TOOLS), 10_000_000)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_bytes(b"red\n")
    return tmp_path


def test_a_call_gives_what_the_workspace_gives(root: Path) -> None:
    result = anyio.run(calls_of(root).run, "file_read", {"path": "a.txt"})
    assert result == call_tool_result("file_read", Workspace(root).call("file_read", {"path": "a.txt"}))


def test_more_calls_than_may_wait_are_sent_away(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "WAITING", 2)
    made = calls_of(root)
    found: list[dict[str, Any]] = []

    async def ask() -> None:
        sent_away = anyio.Event()

        async def one(name: str) -> None:
            found.append(await made.run("file_edit", edit(name, "red", "blue")))
            sent_away.set()

        async with anyio.create_task_group() as group:
            with locked(root):
                for name in ("a.txt", "b.txt", "a.txt"):
                    group.start_soon(one, name)
                await sent_away.wait()
            (busy,) = found
            error = busy["structuredContent"]["error"]
            assert (busy["isError"], error["code"], error["limit"], error["retryable"]) == (
                True,
                "SERVER_BUSY",
                2,
                True,
            )
        assert [result["isError"] for result in found] == [True, False, False]
        assert not (await made.run("file_edit", edit("a.txt", "blue", "green")))["isError"]

    anyio.run(ask)


def test_progress_is_reported_while_it_grows(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "_SECONDS_BETWEEN_REPORTS", 0.001)
    told: list[tuple[int, str]] = []

    async def ask() -> dict[str, Any] | None:
        several, loop = anyio.Event(), get_running_loop()
        held = locked(root)

        def tell(progress: int, words: str) -> None:
            told.append((progress, words))
            loop.call_soon_threadsafe(several.set)

        async def let_go() -> None:
            with held:
                ready.set()
                await several.wait()
                await anyio.sleep(0.05)  # in which there is nothing new to tell

        ready = anyio.Event()
        async with anyio.create_task_group() as group:
            group.start_soon(let_go)
            await ready.wait()
            return await calls_of(root).run("regex_replace_multi", REPLACE, tell)
        return None

    result = anyio.run(ask)
    assert result is not None
    assert not result["isError"]
    numbers = [progress for progress, _ in told]
    assert numbers
    assert numbers == sorted(set(numbers))
    assert told[-1][1] == "files: 2, matches: 2"


@pytest.mark.promise("serve.cancel")
@pytest.mark.parametrize("watched", [False, True])
def test_a_call_that_is_cancelled_stops_before_it_writes(root: Path, watched: bool) -> None:  # noqa: FBT001  a case
    before = contents(root)

    def tell(_progress: int, _words: str) -> None:
        pass

    async def ask() -> dict[str, Any] | None:
        with locked(root), anyio.move_on_after(0.1):
            return await calls_of(root).run("regex_replace_multi", REPLACE, tell if watched else None)
        return None

    result = anyio.run(ask)
    assert result is None or result["_meta"]["error"]["code"] == "CANCELLED"
    assert contents(root) == before


@pytest.mark.parametrize(
    ("client", "text_too", "there"),
    [("codex-mcp-client", False, True), ("claude-code", False, True), ("cursor", False, False), ("cursor", True, True)],
)
def test_a_client_that_shows_only_structured_content_gets_the_text_in_it(
    root: Path,
    client: str,
    text_too: bool,  # noqa: FBT001  a case
    there: bool,  # noqa: FBT001  a case
) -> None:
    made = Calls(Workspace(root), sorted(TOOLS), 1_000_000, text_too=text_too)
    read = anyio.run(made.run, "file_read", {"path": "a.txt", "format": "raw"}, None, client)
    assert read["structuredContent"].get("text") == ("red\n" if there else None)
    listed = anyio.run(made.run, "regex_split", {"file_path": "a.txt", "pattern": "e"}, None, client)
    assert "structuredContent" not in listed


def test_a_result_that_cannot_be_sent_is_answered_all_the_same(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    failures = [ZeroDivisionError]

    def failing_at_first(*given: Any, **named: Any) -> dict[str, Any]:
        if failures:
            raise failures.pop()
        return fit_result(*given, **named)

    monkeypatch.setattr(calls, "fit_result", failing_at_first)
    answer = anyio.run(calls_of(root).run, "file_read", {"path": "a.txt"})
    assert (answer["isError"], answer["structuredContent"]["error"]["code"]) == (True, "INTERNAL")


@pytest.mark.promise("bound.process")
def test_a_result_that_there_is_no_memory_for_is_reported_in_brief(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def without_memory(name: str, result: ToolResult, **more: Any) -> dict[str, Any]:
        if not result.is_error and len(result.text) > 100:
            raise MemoryError
        return fit_result(name, result, **more)

    monkeypatch.setattr(calls, "fit_result", without_memory)
    (root / "long.txt").write_bytes(b"x" * 1_000)
    made = calls_of(root)
    landed = anyio.run(made.run, "file_edit", edit("a.txt", "red", "blue"))
    assert (landed["isError"], (root / "a.txt").read_bytes()) == (False, b"blue\n")
    assert landed["content"][0]["text"].startswith("Done (change ")
    read = anyio.run(made.run, "file_read", {"path": "long.txt"})
    assert read["isError"] is True
