"""MCP: tools as `tools/list` gives them, calls as `tools/call` makes them."""

from __future__ import annotations

from suture.apis.call import Call, is_text, named, plain, sendable, separately
from suture.errors import UnknownTool
from suture.tools import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from suture.tools.spec import ToolResult, ToolSpec


def definition(spec: ToolSpec) -> dict[str, Any]:
    """The tool as an MCP `Tool`."""
    return {name: value for name, value in spec.definition().items() if name != "examples"}


def read(item: dict[str, Any]) -> Call | None:
    """The call that the parameters of `tools/call` make, or the request with them; None for anything else."""
    if item.get("method") == "tools/call":
        params = plain(item.get("params") or {})
        request, number = "jsonrpc" in item, item.get("id")
        if request and not isinstance(number, str | int):
            raise ValueError("a JSON-RPC request needs an id, a string or a number, for its response")
        return _call(params, {"jsonrpc": "2.0", "id": number} if request else None)
    if is_text(item.get("name")) and "arguments" in item and "type" not in item:
        return _call(item, None)
    return None


def _call(params: dict[str, Any], envelope: dict[str, Any] | None) -> Call:
    name = named(params)

    def tell(result: ToolResult) -> dict[str, Any]:
        told = call_tool_result(name, result)
        return told if envelope is None else {**envelope, "result": told}

    return Call(name, params.get("arguments"), tell, separately)


def call_tool_result(name: str, result: ToolResult) -> dict[str, Any]:
    """The result of a tool as a `CallToolResult`.

    A tool that declares what it gives has it as structured content. The text of the others, a list, says it all;
    what there is beside it goes to `_meta`.
    """
    answer: dict[str, Any] = {
        "content": [{"type": "text", "text": sendable(result.text)}],
        "isError": result.is_error,
    }
    if result.listed is None and _declares(name):
        answer["structuredContent"] = sendable(result.metadata)
    elif result.metadata:
        answer["_meta"] = sendable(result.metadata)
    return answer


def _declares(name: str) -> bool:
    """Whether the tool says what shape its result has; one that does not exist says nothing."""
    try:
        return find(name).output_schema is not None
    except UnknownTool:
        return False
