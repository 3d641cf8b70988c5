"""Anthropic's Messages API."""

from __future__ import annotations

from suture.apis.call import Call, named, sendable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from suture.tools.spec import ToolResult, ToolSpec

_TRAINED = {"str_replace_based_edit_tool": "text_editor_20250728"}
"""Tools that the models know without a definition."""


def definition(spec: ToolSpec) -> dict[str, Any]:
    """The tool as an element of `tools`."""
    if spec.name in _TRAINED:
        return {"type": _TRAINED[spec.name], "name": spec.name}
    return {"name": spec.name, "description": spec.description, "input_schema": spec.request.schema()}


def read(item: dict[str, Any]) -> Call | None:
    """The call that a `tool_use` block makes; None for anything else."""
    if item.get("type") != "tool_use":
        return None
    number = named(item, "id")

    def tell(result: ToolResult) -> dict[str, Any]:
        block: dict[str, Any] = {"type": "tool_result", "tool_use_id": number}
        if result.text.strip():  # the API takes no block of text without any
            block["content"] = [{"type": "text", "text": sendable(result.text)}]
        return block | ({"is_error": True} if result.is_error else {})

    return Call(named(item), item.get("input"), tell, _together)


def _together(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All results in one message: the API refuses them in several."""
    return [{"role": "user", "content": told}]
