"""A server that uses only the SDK: one tool, which returns the requested number of bytes, by default none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import anyio
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import CallToolRequestParams, CallToolResult, ListToolsResult, TextContent, Tool

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext
    from mcp_types import PaginatedRequestParams

    Context = ServerRequestContext[dict[str, Any], Any]

LINE = "a line of thirty-two characters\n"


async def _list(_context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(tools=[Tool(name="nothing", input_schema={"type": "object"})])


async def _call(_context: Context, params: CallToolRequestParams) -> CallToolResult:
    size = int((params.arguments or {}).get("size", 0))
    return CallToolResult(content=[TextContent(text=LINE * (size // len(LINE)))])


async def _serve() -> None:
    server = Server("bare", on_list_tools=_list, on_call_tool=_call)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(_serve)
