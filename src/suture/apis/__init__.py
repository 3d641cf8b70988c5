"""suture inside model APIs: tools as each API's request declares them, and calls as each API's reply makes them.

No SDK is imported: what SDKs hand over, as dictionaries or as their own objects, is plain data underneath. The shape
tells which API it is; what fits none, or two, is refused.
"""

from __future__ import annotations

from suture.apis import anthropic, gemini, mcp, openai
from suture.apis.call import plain
from suture.json_text import dumps, loads_own
from suture.tools import choose, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from suture.apis.call import Call
    from suture.tools.spec import ToolResult, ToolSpec

    Tool = Callable[[str, object], ToolResult]


_SHAPES: dict[str, Callable[[ToolSpec], dict[str, Any]]] = {
    "anthropic": anthropic.definition,
    "openai": openai.chat_definition,
    "openai-responses": openai.responses_definition,
    "gemini": gemini.definition,
    "mcp": mcp.definition,
}
FORMATS = tuple(_SHAPES)
_READERS = (anthropic.read, openai.read_responses, openai.read_chat, gemini.read, mcp.read)
_HOLDERS = ("tool_calls", "output", "parts", "content")
_ENDINGS = ("stop_reason", "finish_reason", "finishReason", "status")
_CUT_OFF = (
    *("max_tokens", "model_context_window_exceeded", "refusal"),  # Anthropic
    *("length", "content_filter", "incomplete", "failed", "cancelled", "in_progress", "queued"),  # OpenAI
    *("MAX_TOKENS", "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "OTHER"),  # Gemini
    *("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"),
)
"""Why replies end before their end: the last call in one may be half of what it was to be."""
_SILENT = ("text", "thinking", "redacted_thinking", "reasoning", "message")
"""Types of items that occur among the calls of a reply and ask for nothing."""


def definitions(
    format: str = "anthropic",  # noqa: A002  what the command line and other libraries call it
    tools: str | Iterable[str] | None = None,
) -> list[Any]:
    """The value of the field `tools` in a request to an API.

    `format` is `anthropic`, `openai`, `openai-responses`, `gemini` or `mcp`. `tools` are names, or a profile's
    name: `full`, `edit`, `search`, `read-only`; all tools if left out. Tools that a model was trained on,
    `str_replace_based_edit_tool` and `apply_patch`, can be named, and are declared as its API wants them.
    """
    if format not in _SHAPES:
        raise ValueError(f"there is no format {format!r:.100}; known are {', '.join(FORMATS)}")
    names = choose(tools) if isinstance(tools, str) else choose(names=tools)
    found = [_SHAPES[format](find(name)) for name in names]
    copied: list[Any] = loads_own(dumps(gemini.gathered(found) if format == "gemini" else found))
    return copied  # the caller's own, to change; and lists in it are lists


def handle(tool: Tool, tool_call: object) -> dict[str, Any]:
    """Make one call by `tool`, and give the message to send; ValueError or TypeError if it is no call."""
    call = _expected(tool_call)
    return call.together([call.tell(call.run(tool))])[0]


def handle_all(tool: Tool, reply: object) -> list[dict[str, Any]]:
    """Make all calls of a reply, in order, and give the messages to send; none if it makes none."""
    if isinstance(reply, list | tuple):
        return _answers(tool, [_expected(item) for item in reply if not _is_silent(plain(item))])
    whole = plain(reply)
    call = _read(whole)
    return _answers(tool, _calls(whole) if call is None else [call])


def _answers(tool: Tool, calls: list[Call]) -> list[dict[str, Any]]:
    from itertools import groupby  # not every process answers calls

    return [
        message
        for together, some in groupby(calls, lambda call: call.together)
        for message in together([call.tell(call.run(tool)) for call in some])
    ]


def _read(item: dict[str, Any]) -> Call | None:
    return next((call for reader in _READERS if (call := reader(item)) is not None), None)


def _is_silent(item: dict[str, Any]) -> bool:
    return item.get("type") in _SILENT or ("text" in item and _read(item) is None)


def _expected(value: object) -> Call:
    item = plain(value)
    call = _read(item)
    if call is None:
        raise ValueError(f"this is no tool call of a known API (a whole reply goes to handle_all): {_shape(item)}")
    return call


def _calls(reply: dict[str, Any], *, cut_off: bool = False) -> list[Call]:
    """The calls in a reply, or in a part of one that holds others."""
    cut_off = cut_off or any(reply.get(name) in _CUT_OFF for name in _ENDINGS)
    if (inner := _inner(reply)) is not None:
        return _calls(inner, cut_off=cut_off) if inner else []
    held = next((reply[name] for name in _HOLDERS if reply.get(name) is not None), ())
    if not isinstance(held, list | tuple):  # a text
        return []
    calls = [_read(plain(item)) for item in held]
    if cut_off and calls and (last := calls[-1]) is not None:
        calls[-1] = last.but(cut_off=True)
    return [call for call in calls if call is not None]


def _inner(reply: dict[str, Any]) -> dict[str, Any] | None:
    """What a reply wraps; None if it holds its content itself."""
    for name in ("choices", "candidates"):
        if name in reply:
            some = reply[name] or [{}]
            if not isinstance(some, list | tuple):
                raise ValueError(f"this is no reply of a known API: its {name} are no list")
            if len(some) > 1:
                raise ValueError(f"the reply has {len(some)} {name}, each with calls of its own; pass on one of them")
            return _holding(plain(some[0]))
    if not reply.keys() & {"message", *_HOLDERS}:
        raise ValueError(f"this is no reply of a known API: {_shape(reply)}")
    content = reply.get("message", reply.get("content"))
    return None if content is None or isinstance(content, str | list | tuple) else _holding(plain(content))


def _holding(part: dict[str, Any]) -> dict[str, Any]:
    """A part of a reply; nothing, if there is none in it: a reply that was blocked has no content."""
    return part if part.keys() & {"message", *_HOLDERS} else {}


def _shape(item: dict[str, Any]) -> str:
    """What can be seen of something that nobody knows."""
    kind = f"type {item['type']!r:.60}, " if "type" in item else ""
    return f"{kind}with {', '.join(map(repr, item)) or 'nothing in it'}"
