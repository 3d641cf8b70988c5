"""The tools as each API's request declares them."""

from __future__ import annotations

from suture.apis import anthropic, gemini, mcp, openai
from suture.json_text import dumps, parsed
from suture.tools import find
from suture.tools.profiles import chosen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from suture.tools.spec import ToolSpec

_SHAPES: dict[str, Callable[[ToolSpec], dict[str, Any]]] = {
    "anthropic": anthropic.definition,
    "openai": openai.chat_definition,
    "openai-responses": openai.responses_definition,
    "gemini": gemini.definition,
    "mcp": mcp.definition,
}
FORMATS = tuple(_SHAPES)


def definitions(
    format: str = "anthropic",  # noqa: A002  what the command line and other libraries call it
    tools: str | Iterable[str] | None = None,
) -> list[Any]:
    """What stands in the field `tools` of a request to an API.

    `format` is `anthropic`, `openai`, `openai-responses`, `gemini` or `mcp`. `tools` are names, or a profile's
    name: `full`, `edit`, `search`, `read-only`; all tools if left out. Tools that a model was trained on,
    `str_replace_based_edit_tool` and `apply_patch`, can be named, and are declared as its API wants them.
    """
    if format not in _SHAPES:
        raise ValueError(f"there is no format {format!r:.100}; known are {', '.join(FORMATS)}")
    names = chosen(tools) if isinstance(tools, str) else chosen(names=tools)
    found = [_SHAPES[format](find(name)) for name in names]
    copied: list[Any] = parsed(dumps(gemini.gathered(found) if format == "gemini" else found))
    return copied  # the caller's own, to change; and lists in it are lists
