"""Gemini's `generateContent`, as REST spells it; google-genai takes the same."""

from __future__ import annotations

from suture.apis.call import Call, is_text, named, plain, sendable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from suture.tools.spec import ToolResult, ToolSpec


def definition(spec: ToolSpec) -> dict[str, Any]:
    """The tool as a function declaration."""
    return {"name": spec.name, "description": spec.description, "parametersJsonSchema": spec.request.schema()}


def gathered(declarations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All declarations as the one element of `tools` that holds them."""
    return [{"functionDeclarations": declarations}] if declarations else []


def read(item: dict[str, Any]) -> Call | None:
    """The call that a part with a function call makes, or the function call itself; None for anything else."""
    if "type" in item:
        return None
    inner = item.get("functionCall") or item.get("function_call")
    if inner is not None:
        call = plain(inner)
        return None if "arguments" in call else _call(call)  # the old shape of another API
    return _call(item) if is_text(item.get("name")) and "args" in item else None


def _call(call: dict[str, Any]) -> Call:
    name, number = named(call), call.get("id")

    def tell(result: ToolResult) -> dict[str, Any]:
        response = {"name": name, "response": {"error" if result.is_error else "output": sendable(result.text)}}
        return {"functionResponse": ({} if number is None else {"id": number}) | response}

    more = bool(call.get("willContinue") or call.get("will_continue"))  # of a call that comes in parts
    return Call(name, call.get("args"), tell, _together, more)


def _together(told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All responses in one message, as many as the model made calls."""
    return [{"role": "user", "parts": told}]
