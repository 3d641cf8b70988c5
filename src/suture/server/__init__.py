"""The MCP server, on the official SDK: its tools and how they are called.

It keeps no state of a connection, so revisions of the protocol with a handshake and the one without are served alike.
Clients are not asked for their roots: the roots come from the command line.
"""

from __future__ import annotations

from asyncio import get_running_loop, run_coroutine_threadsafe

from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, ListToolsResult, Tool

from suture import __version__, wording
from suture.apis import definitions
from suture.tools import unknown_tool

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from mcp.server.context import ServerRequestContext
    from mcp_types import PaginatedRequestParams

    from suture.server.calls import Calls

    Context = ServerRequestContext[dict[str, Any], Any]


_A_DAY = 24 * 60 * 60 * 1000  # milliseconds that a client may cache the list of tools, which never changes
_ABOUT = "suture {does} the files of {root}. Paths are relative to it."
_EDITS = """
Every edit lands exactly where it was meant, or nothing changes and the answer says why and how to fix it: read it, \
and send the correction it offers. Each call is one transaction over all its files."""
_UNDO = " `undo` reverts it."


def build(calls: Calls, root: str) -> Server[dict[str, Any]]:
    """A server that offers these tools for the files of a folder."""
    listed = definitions("mcp", calls.names)
    schemas = {tool["name"]: tool["inputSchema"] for tool in listed}
    writes = any(not tool["annotations"]["readOnlyHint"] for tool in listed)

    async def list_tools(_context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=[Tool.model_validate(tool) for tool in listed])

    async def call_tool(context: Context, params: CallToolRequestParams) -> dict[str, Any]:
        if params.name not in schemas:
            raise _unknown(params.name, calls.names)
        loop = get_running_loop()

        def report(progress: int, message: str) -> None:
            run_coroutine_threadsafe(context.session.report_progress(progress, None, message), loop)

        reports_progress = bool(context.meta and "progress_token" in context.meta)
        client = context.session.client_params
        name = "" if client is None else client.client_info.name
        result = await calls.run(params.name, params.arguments, report if reports_progress else None, name)
        return {"resultType": "complete", **result}

    server: Server[dict[str, Any]] = Server(
        "suture",
        version=__version__,
        title="suture",
        description="Edits that land exactly where they were meant, or nowhere.",
        instructions=_about(root, calls.names, writes=writes),
        cache_hints={"tools/list": CacheHint(_A_DAY)},
        get_tool_input_schema=schemas.get,
        on_list_tools=list_tools,
    )
    server.add_request_handler("tools/call", CallToolRequestParams, call_tool)
    return server


def _about(root: str, names: Sequence[str], *, writes: bool) -> str:
    about = _ABOUT.format(does="reads and edits" if writes else "reads and searches", root=root)
    return f"{about}{_EDITS * writes}{_UNDO * (writes and 'undo' in names)}"


def _unknown(name: str, names: Sequence[str]) -> MCPError:
    error = unknown_tool(name, names)
    return MCPError(code=INVALID_PARAMS, message=wording.message(error), data=wording.error_data(error))
