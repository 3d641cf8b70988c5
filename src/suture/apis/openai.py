"""OpenAI's Chat Completions and Responses APIs, and the many servers that speak the first."""

from __future__ import annotations

from suture.apis.call import Call, is_text, named, plain, sendable, separately

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from suture.tools.spec import ToolResult, ToolSpec

_FREE_TEXT = {"apply_patch": "input", "apply_reply": "reply"}
"""The argument of tools that may be called with text alone, by a custom tool call."""
_SHORTER = {
    "patch": """\
File modification tool for precise text edits.

Operations:
- replace: Substitute unique text with new content
- append_eof: Append new text at the end of the file
- prepend_bof: Insert new text at the beginning of the file
- overwrite: Replace the entire file (creates it if needed)

Clipboards (kept across calls; always use them to move or copy code):
- cut: replace with empty newText and toClipboard
- copy: replace with toClipboard and fromClipboard using the same name
- paste: replace with fromClipboard
- reindent: strips a prefix from each inserted line, then adds another

Usage notes:
- All inputs are literal (no automatic newline handling)
- For replace, oldText must appear EXACTLY ONCE in the file
- All patches refer to the file as it was before the call; all of them land, or none
- Small differences in oldText (indentation, white space, quotes) are bridged where only one place fits; set match to \
"exact" to forbid it""",
}
"""Descriptions for servers that refuse more than 1,024 characters, as OpenAI's own did until 2025."""


def chat_definition(spec: ToolSpec) -> dict[str, Any]:
    """The tool as an element of `tools` of Chat Completions.

    `strict` is left out: strict schemas know no optional arguments, and not every server knows the word.
    """
    about = _SHORTER.get(spec.name, spec.description)
    function = {"name": spec.name, "description": about, "parameters": spec.request.schema()}
    return {"type": "function", "function": function}


def responses_definition(spec: ToolSpec) -> dict[str, Any]:
    """The tool as an element of `tools` of Responses, where only `strict: false` keeps arguments optional."""
    if spec.name == "apply_patch":  # the models know it without a definition
        return {"type": "apply_patch"}
    about, schema = spec.description, spec.request.schema()
    return {"type": "function", "name": spec.name, "description": about, "parameters": schema, "strict": False}


def read_chat(item: dict[str, Any]) -> Call | None:
    """The call that an element of `tool_calls` makes; None for anything else."""
    kind = item.get("type") or "function"  # some servers leave it out
    if kind not in ("function", "custom") or not item.get(kind):
        return None
    inner, number = plain(item[kind]), named(item, "id")

    def tell(result: ToolResult) -> dict[str, Any]:
        return {"role": "tool", "tool_call_id": number, "content": sendable(result.text)}

    given = inner.get("arguments") if kind == "function" else _from_text(inner)
    return Call(named(inner), given, tell, separately)


def read_responses(item: dict[str, Any]) -> Call | None:
    """The call that an element of `output` makes; None for anything else."""
    kind = item.get("type")
    reader = _RESPONSES.get(kind) if is_text(kind) else None
    if reader is None:
        return None
    number, (name, given) = named(item, "call_id"), reader(item)

    def tell(result: ToolResult) -> dict[str, Any]:
        status = {"status": "failed" if result.is_error else "completed"} if kind == "apply_patch_call" else {}
        return {"type": f"{kind}_output", "call_id": number, **status, "output": sendable(result.text)}

    return Call(name, given, tell, separately, item.get("status") not in (None, "completed"))


def _function_call(item: dict[str, Any]) -> tuple[str, object]:
    return named(item), item.get("arguments")


def _custom_tool_call(item: dict[str, Any]) -> tuple[str, object]:
    return named(item), _from_text(item)


def _apply_patch_call(item: dict[str, Any]) -> tuple[str, object]:
    from suture.tools.apply_patch import operation_envelope  # no other call needs it

    operation = plain(item.get("operation") or {})
    return "apply_patch", lambda: {"input": operation_envelope(operation)}


_RESPONSES: dict[str, Callable[[dict[str, Any]], tuple[str, object]]] = {
    "function_call": _function_call,
    "custom_tool_call": _custom_tool_call,
    "apply_patch_call": _apply_patch_call,
}


def _from_text(call: dict[str, Any]) -> object:
    """The arguments of a call that is made with text: the one that is meant, or all of them as JSON."""
    argument = _FREE_TEXT.get(named(call))
    return {argument: call.get("input")} if argument else call.get("input")
