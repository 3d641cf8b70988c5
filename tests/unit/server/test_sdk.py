"""The server on the SDK in this process, with the SDK's client."""

import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it does not say its types
from mcp import Client, MCPError
from mcp_types import INVALID_PARAMS

from suture import Workspace
from suture.server.calls import Calls
from suture.server.roots import Roots
from suture.server.sdk import build
from suture.testing import MemoryFS
from suture.tools import DIALECTS, PROFILES, TOOLS, choose
from tests.interop.mcp_servers import NEWEST, text_of

MODES = ("legacy", NEWEST)


def run_client(names: list[str], ask: Callable[[Client], Awaitable[Any]], mode: str = NEWEST) -> Any:
    fs = MemoryFS({"a.txt": b"one\n"})
    server = build(Calls(names), Roots.fixed(Workspace(fs.root, fs=fs)))

    async def connect() -> Any:
        async with Client(server, mode=mode) as client:
            return await ask(client)

    return anyio.run(connect)


@pytest.mark.promise("serve.tools")
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_is_offered_and_nothing_else_can_be_called(profile: str, mode: str) -> None:
    async def ask(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == list(PROFILES[profile])
        for name in {*TOOLS, *DIALECTS, "rm", ""} - {*PROFILES[profile]}:
            with pytest.raises(MCPError) as raised:
                await client.call_tool(name, {})
            assert raised.value.error.code == INVALID_PARAMS
            assert raised.value.error.data["code"] == "UNKNOWN_TOOL"
            assert raised.value.error.data["known"] == sorted(PROFILES[profile])

    run_client(choose(profile), ask, mode)


@pytest.mark.promise("serve.tools")
def test_every_schema_is_one() -> None:
    async def ask(client: Client) -> None:
        for tool in (await client.list_tools()).tools:
            for schema in (tool.input_schema, tool.output_schema or {"type": "object"}):
                Draft202012Validator.check_schema(schema)
                assert schema["type"] == "object"

    run_client([*TOOLS, *DIALECTS], ask)


@pytest.mark.parametrize(
    ("names", "edits", "undoes"),
    [(["file_read"], False, False), (["file_read", "patch"], True, False), (["patch", "undo"], True, True)],
)
def test_a_server_speaks_of_what_it_offers(names: list[str], edits: bool, undoes: bool) -> None:  # noqa: FBT001  a case
    async def ask(client: Client) -> str:
        return client.instructions or ""

    instructions = run_client(names, ask, "legacy")
    assert ("edit" in instructions, "undo" in instructions) == (edits, undoes)


@pytest.mark.parametrize("mode", MODES)
def test_a_call_is_answered_with_and_without_a_wish_for_progress(mode: str) -> None:
    async def ask(client: Client) -> list[str]:
        async def tell(progress: float, total: float | None, message: str | None) -> None:
            pass

        first = await client.call_tool("file_read", {"path": "a.txt", "format": "raw"})
        second = await client.call_tool("file_read", {"path": "a.txt", "format": "raw"}, progress_callback=tell)
        return [text_of(first), text_of(second)]

    assert run_client(["file_read"], ask, mode) == ["one\n", "one\n"]


@pytest.mark.slow
def test_progress_reaches_the_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suture.server.calls._SECONDS_BETWEEN_REPORTS", 0.001)
    (tmp_path / "a.txt").write_bytes(b"a" * 50_000 + b"!b")
    (tmp_path / "0.txt").write_bytes(b"aab")
    server = build(Calls(["regex_search_multi"]), Roots.fixed(Workspace(tmp_path)))
    values: list[float] = []

    async def tell(progress: float, total: float | None, message: str | None) -> None:
        assert (total, bool(message)) == (None, True)
        values.append(progress)

    async def ask() -> None:
        async with Client(server, mode="legacy") as client:
            slow = {"path_pattern": "*.txt", "pattern": "(a+)+(?=b)"}
            await client.call_tool("regex_search_multi", slow, progress_callback=tell)

    anyio.run(ask)
    assert values
    assert values == sorted(set(values))


@pytest.mark.parametrize("logs", [False, True])
def test_the_sdk_logs_only_where_a_log_is_written(monkeypatch: pytest.MonkeyPatch, logs: bool) -> None:  # noqa: FBT001  a case
    fs = MemoryFS({})
    monkeypatch.setattr(logging.root, "handlers", [logging.NullHandler()] if logs else [])
    for name in ("mcp", "uvicorn"):
        monkeypatch.setattr(logging.getLogger(name), "level", logging.NOTSET)
    build(Calls([]), Roots.fixed(Workspace(fs.root, fs=fs)))
    levels = {logging.getLogger(name).level for name in ("mcp", "uvicorn")}
    assert levels == {logging.NOTSET if logs else logging.CRITICAL}
