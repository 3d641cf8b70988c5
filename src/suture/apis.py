"""suture in model APIs: tool definitions for each API's requests, and the tool calls in its replies.

No SDK is imported: SDKs represent calls as dictionaries, or as objects that convert to them. The shape of a call
determines its API; a call of unknown shape is refused.
"""

from __future__ import annotations

from suture.errors import InvalidArguments, UnknownTool
from suture.json_text import dumps, loads, loads_own
from suture.records import Record
from suture.tools import choose, find, listed
from suture.tools.spec import ToolResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, TypeGuard

    from suture.tools.spec import ToolSpec

    Tool = Callable[[str, object], ToolResult]
    Message = dict[str, Any]
    """An answer to a call, or a message that contains answers."""


class Api(Record):
    """How an API declares tools, and where its replies contain calls."""

    define: Callable[[ToolSpec], dict[str, Any]]
    """The declaration of a tool."""
    read: Callable[[dict[str, Any]], Call | None]
    """The call that an item of a reply makes; None if the item is not a call of this API."""
    items: str = ""
    """The key of the items in a reply."""
    no_calls: tuple[str, ...] = ()
    """The types of items that are not calls."""
    end: str = ""
    """The key of the reason why a reply ended."""
    cut_off: tuple[str, ...] = ()
    """Reasons for which a reply ends early: the last call in it may be incomplete."""


class Call(Record):
    """One call of a tool, as an API's reply makes it."""

    name: str
    arguments: object
    """An object, the JSON of one, None for no arguments, or a function that returns them or raises InvalidArguments."""
    answer: Callable[[ToolResult], Message]
    """Convert a result to what the API expects."""
    join: Callable[[list[Message]], list[Message]]
    """Put the answers to several calls into messages."""
    cut_off: bool = False
    """Whether the reply ended inside the call, so that its arguments may be incomplete."""

    def run(self, tool: Tool, most: int) -> ToolResult:
        """Call the tool, and cut its result to a model's budget. Invalid arguments are a result, too."""
        try:
            if self.cut_off:
                raise InvalidArguments.of("(all)", _CUT_OFF)
            arguments = self.arguments() if callable(self.arguments) else self.arguments
            arguments = _decode(arguments) if isinstance(arguments, str) else arguments
        except InvalidArguments as error:
            return ToolResult.failed(error).within(most)
        return tool(self.name, arguments).within(most)


_CUT_OFF = "cut off: the reply ended inside this call, by its length limit or a filter; send it again, in smaller parts"


def definitions(
    format: str = "anthropic",  # noqa: A002  what the command line and other libraries call it
    tools: str | Iterable[str] | None = None,
) -> list[Any]:
    """The value of the field `tools` in a request to an API.

    `format` is one of `FORMATS`. `tools` are names, or the name of a profile (`suture.tools.PROFILES`); the default is
    the profile `agent`. The vendors' own tools, `str_replace_based_edit_tool` and `apply_patch`, must be named; they
    are declared the way their API expects.
    """
    if format not in _APIS:
        raise ValueError(f"unknown format {format!r:.100}; choose from {', '.join(FORMATS)}")
    names = choose(tools) if isinstance(tools, str) else choose(names=tools)
    define = _APIS[format].define
    declared = [define(tool) for tool in listed(names)]
    if format == "gemini" and declared:
        declared = [{"functionDeclarations": declared}]
    copied: list[Any] = loads_own(dumps(declared))
    return copied  # the caller may change it


def handle(tool: Tool, tool_call: object, most: int) -> Message:
    """Run one call by `tool`, and return the message to send; ValueError or TypeError if it is not a call.

    A result has up to `most` characters.
    """
    return _run([_expect_call(tool_call)], tool, most)[0]


def handle_all(tool: Tool, reply: object, most: int) -> list[Message]:
    """Run all calls of a reply, in order, and return the messages to send; none if it makes no calls.

    Each result has up to `most` characters.
    """
    if isinstance(reply, list | tuple):
        return _run([_expect_call(item) for item in reply if not _is_no_call(to_dict(item))], tool, most)
    whole = to_dict(reply)
    call = _read(whole)
    return _run(_calls(whole) if call is None else [call], tool, most)


def to_dict(value: Any) -> dict[str, Any]:
    """A dictionary as it is, or the dictionary that an SDK's object converts to."""
    if isinstance(value, dict):
        return value
    if not isinstance(value, type):
        if hasattr(value, "model_dump"):  # pydantic, which all of these SDKs use
            dumped: dict[str, Any] = value.model_dump(by_alias=True, warnings=False)
            return dumped
        if hasattr(value, "to_dict"):
            return to_dict(value.to_dict())
    raise TypeError(f"expected a dictionary or an object of an API's SDK, not {type(value).__name__}")


def replace_surrogates(value: Any) -> Any:
    """A JSON value, with U+FFFD in place of lone surrogates, which cannot be encoded."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {replace_surrogates(name): replace_surrogates(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [replace_surrogates(item) for item in value]
    return value


# Replies: where the calls are


def _run(calls: list[Call], tool: Tool, most: int) -> list[Message]:
    from itertools import groupby  # only processes that answer calls need it

    return [
        message
        for join, group in groupby(calls, lambda call: call.join)
        for message in join([call.answer(call.run(tool, most)) for call in group])
    ]


def _read(item: dict[str, Any]) -> Call | None:
    return next((call for api in _APIS.values() if (call := api.read(item)) is not None), None)


def _is_no_call(item: dict[str, Any]) -> bool:
    return item.get("type") in _NO_CALLS or ("text" in item and _read(item) is None)


def _expect_call(value: object) -> Call:
    item = to_dict(value)
    call = _read(item)
    if call is None:
        raise ValueError(f"not a tool call of a known API (pass a whole reply to handle_all): {_describe(item)}")
    return call


def _calls(reply: dict[str, Any], *, cut_off: bool = False) -> list[Call]:
    """The calls in a reply, or in a part of one."""
    cut_off = cut_off or any(reply.get(name) in _CUT_OFF_REASONS for name in _REASONS)
    if (inner := _inner(reply)) is not None:
        return _calls(inner, cut_off=cut_off) if inner else []
    items = next((reply[name] for name in _CONTAINERS if reply.get(name) is not None), ())
    if isinstance(items, str):
        return []
    if not isinstance(items, list | tuple):
        raise ValueError(f"not a reply of a known API: {_describe(reply)}")  # noqa: TRY004  as for all refused replies
    calls = [_read(to_dict(item)) for item in items]
    if cut_off and calls and (last := calls[-1]) is not None:
        calls[-1] = last.evolve(cut_off=True)
    return [call for call in calls if call is not None]


def _inner(reply: dict[str, Any]) -> dict[str, Any] | None:
    """The part of a reply that contains the calls; None if the reply itself does."""
    for name in ("choices", "candidates"):
        if name in reply:
            alternatives = reply[name] or [{}]
            if not isinstance(alternatives, list | tuple):
                raise ValueError(f"not a reply of a known API: its {name} are not a list")
            if len(alternatives) > 1:
                raise ValueError(f"the reply has {len(alternatives)} {name}, each with calls of its own; pass one")
            return _content(to_dict(alternatives[0]))
    if not reply.keys() & {"message", *_CONTAINERS}:
        raise ValueError(f"not a reply of a known API: {_describe(reply)}")
    content = reply.get("message", reply.get("content"))
    return None if content is None or isinstance(content, str | list | tuple) else _content(to_dict(content))


def _content(part: dict[str, Any]) -> dict[str, Any]:
    """A part of a reply; empty if it contains nothing, as in a reply that was blocked."""
    return part if part.keys() & {"message", *_CONTAINERS} else {}


def _describe(item: dict[str, Any]) -> str:
    """Type and keys of an unknown item."""
    kind = f"type {item['type']!r:.60}, " if "type" in item else ""
    return f"{kind}with {', '.join(map(repr, item)) or 'no keys'}"


# Calls: what all APIs share


def _join_separately(answers: list[Message]) -> list[Message]:
    return answers


def _is_text(value: object) -> TypeGuard[str]:
    """Whether this is a non-empty string."""
    return isinstance(value, str) and value != ""


def _required(call: dict[str, Any], key: str = "name") -> str:
    """The call's name, or its id, without which it cannot be answered."""
    if not _is_text(value := call.get(key)):
        keys = ", ".join(map(repr, call)) or "nothing"
        raise ValueError(f"a tool call needs a {key!r} that is not empty; this one has only {keys}")
    return value


def _one_text(result: ToolResult) -> str:
    """The text of a result, for an API whose answers are one string."""
    text: str = replace_surrogates("\n".join(result.blocks))
    return text


def _decode(text: str) -> object:
    """The value of a JSON text. An empty text means no arguments; raw line breaks in strings are accepted."""
    if not text.strip():
        return {}
    try:
        return loads(text)
    except (ValueError, RecursionError):
        import json  # only broken JSON needs it

        try:
            return json.loads(text, strict=False)
        except (ValueError, RecursionError) as error:
            raise InvalidArguments.of("(all)", f"expected JSON: {error}") from None


# The Messages API of Anthropic

_TRAINED = {"str_replace_based_edit_tool": "text_editor_20250728"}
"""Tools that the models know without a definition."""


def _anthropic_definition(spec: ToolSpec) -> dict[str, Any]:
    if spec.name in _TRAINED:
        return {"type": _TRAINED[spec.name], "name": spec.name}
    return {"name": spec.name, "description": spec.description, "input_schema": spec.request.schema()}


def _read_anthropic(item: dict[str, Any]) -> Call | None:
    """The call that a `tool_use` block makes."""
    if item.get("type") != "tool_use":
        return None
    call_id = _required(item, "id")

    def answer(result: ToolResult) -> Message:
        block: Message = {"type": "tool_result", "tool_use_id": call_id}
        if blocks := [text for text in result.blocks if text.strip()]:  # the API refuses an empty block of text
            block["content"] = [{"type": "text", "text": replace_surrogates(text)} for text in blocks]
        return block | ({"is_error": True} if result.is_error else {})

    return Call(_required(item), item.get("input"), answer, _join_anthropic)


def _join_anthropic(answers: list[Message]) -> list[Message]:
    """All results in one message: the API refuses them in several."""
    return [{"role": "user", "content": answers}]


# The Chat Completions API of OpenAI, which many servers offer, and its Responses API

_FREE_TEXT = {"apply_patch": "input", "apply_reply": "reply"}
"""Tools that a custom tool call can call with plain text, and the argument that the text is."""
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

Usage notes:
- reindent strips a prefix from each inserted line, then adds another
- All inputs are literal (no automatic newline handling)
- For replace, oldText must appear EXACTLY ONCE in the file
- All patches refer to the file as it was before the call; all of them land, or none
- Small differences in oldText (indentation, whitespace, quotes) are tolerated if only one place fits, and newText is \
then adapted to the file; set match to "exact" to forbid it""",
}
"""Descriptions for servers that refuse more than 1,024 characters, as OpenAI's own did until 2025."""


def _chat_definition(spec: ToolSpec) -> dict[str, Any]:
    """An element of `tools` in Chat Completions.

    `strict` is left out: strict schemas have no optional arguments, and some servers do not know the field.
    """
    about = _SHORTER.get(spec.name, spec.description)
    function = {"name": spec.name, "description": about, "parameters": spec.request.schema()}
    return {"type": "function", "function": function}


def _responses_definition(spec: ToolSpec) -> dict[str, Any]:
    """An element of `tools` in Responses, where only `strict: false` keeps arguments optional."""
    if spec.name == "apply_patch":  # the models know it without a definition
        return {"type": "apply_patch"}
    about, schema = spec.description, spec.request.schema()
    return {"type": "function", "name": spec.name, "description": about, "parameters": schema, "strict": False}


def _read_chat(item: dict[str, Any]) -> Call | None:
    """The call that an element of `tool_calls` makes."""
    kind = item.get("type") or "function"  # some servers leave it out
    if kind not in ("function", "custom") or not item.get(kind):
        return None
    call, call_id = to_dict(item[kind]), _required(item, "id")

    def answer(result: ToolResult) -> Message:
        return {"role": "tool", "tool_call_id": call_id, "content": _one_text(result)}

    arguments = call.get("arguments") if kind == "function" else _from_text(call)
    return Call(_required(call), arguments, answer, _join_separately)


def _read_responses(item: dict[str, Any]) -> Call | None:
    """The call that an element of `output` makes."""
    match kind := item.get("type"):
        case "function_call":
            name, arguments = _required(item), item.get("arguments")
        case "custom_tool_call":
            name, arguments = _required(item), _from_text(item)
        case "apply_patch_call":
            name, arguments = "apply_patch", _patch_reader(item)
        case _:
            return None
    call_id = _required(item, "call_id")

    def answer(result: ToolResult) -> Message:
        status = {"status": "failed" if result.is_error else "completed"} if kind == "apply_patch_call" else {}
        return {"type": f"{kind}_output", "call_id": call_id, **status, "output": _one_text(result)}

    return Call(name, arguments, answer, _join_separately, item.get("status") not in (None, "completed"))


def _patch_reader(item: dict[str, Any]) -> Callable[[], dict[str, str]]:
    from suture.tools.apply_patch import operation_envelope  # no other call needs it

    operation = to_dict(item.get("operation") or {})
    return lambda: {"input": operation_envelope(operation)}


def _from_text(call: dict[str, Any]) -> object:
    """The arguments of a call that is made with text: the tool's one argument, or all arguments as JSON."""
    argument = _FREE_TEXT.get(_required(call))
    return {argument: call.get("input")} if argument else call.get("input")


# `generateContent` of Gemini, spelled as in REST, which google-genai accepts, too


def _gemini_definition(spec: ToolSpec) -> dict[str, Any]:
    return {"name": spec.name, "description": spec.description, "parametersJsonSchema": spec.request.schema()}


def _read_gemini(item: dict[str, Any]) -> Call | None:
    """The call that a part with a function call makes, or the function call itself."""
    if "type" in item:
        return None
    inner = item.get("functionCall") or item.get("function_call")
    call = item if inner is None else to_dict(inner)
    if inner is None and not (_is_text(item.get("name")) and "args" in item):
        return None
    if inner is not None and "arguments" in call:  # an old shape of OpenAI's
        return None
    name, call_id = _required(call), call.get("id")

    def answer(result: ToolResult) -> Message:
        response = {"name": name, "response": {"error" if result.is_error else "output": _one_text(result)}}
        return {"functionResponse": ({} if call_id is None else {"id": call_id}) | response}

    is_partial = bool(call.get("willContinue") or call.get("will_continue"))
    return Call(name, call.get("args"), answer, _join_gemini, is_partial)


def _join_gemini(answers: list[Message]) -> list[Message]:
    """All responses in one message: the API expects as many as the model made calls."""
    return [{"role": "user", "parts": answers}]


# MCP


def _mcp_definition(spec: ToolSpec) -> dict[str, Any]:
    """A tool in the result of `tools/list`."""
    return {name: value for name, value in spec.definition().items() if name != "examples"}


def _read_mcp(item: dict[str, Any]) -> Call | None:
    """The call that a request `tools/call` makes, or its parameters."""
    params, call_id = item, None
    if item.get("method") == "tools/call":
        params, call_id = to_dict(item.get("params") or {}), item.get("id")
        if "jsonrpc" in item and not isinstance(call_id, str | int):
            raise ValueError("a JSON-RPC request needs an id, a string or a number, for its response")
    elif not (_is_text(item.get("name")) and "arguments" in item and "type" not in item):
        return None
    name, is_request = _required(params), params is not item and "jsonrpc" in item

    def answer(result: ToolResult) -> Message:
        answer = call_tool_result(name, result)
        return {"jsonrpc": "2.0", "id": call_id, "result": answer} if is_request else answer

    return Call(name, params.get("arguments"), answer, _join_separately)


def call_tool_result(name: str, result: ToolResult, *, structured: bool = True) -> Message:
    """A result as MCP's `CallToolResult`.

    With `structured`, a tool with an output schema has its metadata as structured content. Otherwise the text says all
    that a model needs; metadata beside it goes to `_meta`, which models do not read.
    """
    answer: Message = {
        "content": [{"type": "text", "text": replace_surrogates(block)} for block in result.blocks],
        "isError": result.is_error,
    }
    if structured and result.listed is None and _has_output_schema(name):
        answer["structuredContent"] = replace_surrogates(result.metadata)
    elif result.metadata:
        answer["_meta"] = replace_surrogates(result.metadata)
    return answer


def _has_output_schema(name: str) -> bool:
    try:
        return find(name).output_schema is not None
    except UnknownTool:
        return False


_APIS = {
    "anthropic": Api(
        _anthropic_definition,
        _read_anthropic,
        items="content",
        no_calls=("text", "thinking", "redacted_thinking"),
        end="stop_reason",
        cut_off=("max_tokens", "model_context_window_exceeded", "refusal"),
    ),
    "openai": Api(
        _chat_definition,
        _read_chat,
        items="tool_calls",
        end="finish_reason",
        cut_off=("length", "content_filter"),
    ),
    "openai-responses": Api(
        _responses_definition,
        _read_responses,
        items="output",
        no_calls=("reasoning", "message"),
        end="status",
        cut_off=("incomplete", "failed", "cancelled", "in_progress", "queued"),
    ),
    "gemini": Api(
        _gemini_definition,
        _read_gemini,
        items="parts",
        end="finishReason",
        cut_off=(
            *("MAX_TOKENS", "SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "OTHER"),
            *("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"),
        ),
    ),
    "mcp": Api(_mcp_definition, _read_mcp),
}
FORMATS = tuple(_APIS)

# Servers that imitate an API may end a reply with another one's reason, so all keys and reasons count everywhere.
_CONTAINERS = tuple(api.items for api in reversed(_APIS.values()) if api.items)
"""`content` is the last: messages of other APIs have it, too."""
_NO_CALLS = tuple(kind for api in _APIS.values() for kind in api.no_calls)
_REASONS = tuple(api.end for api in _APIS.values() if api.end)
_CUT_OFF_REASONS = tuple(reason for api in _APIS.values() for reason in api.cut_off)
