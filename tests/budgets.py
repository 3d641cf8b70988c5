"""What holds for every answer that a model reads: it is within its budget, and says what happened."""

import json
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it does not say its types

from suture import ToolResult
from suture.apis import handle, replace_surrogates
from suture.budget import LINE_CHARS
from suture.server.calls import fit_result, reads_only_text
from suture.tools import find

CLIENTS = ("claude-code", "codex-mcp-client", "claude-ai", "")
_SHORTENED = 60  # characters at the beginning of a verdict that are kept, however little room there is


def api_calls(name: str) -> dict[str, dict[str, Any]]:
    """A call of a tool in the form of each API."""
    return {
        "anthropic": {"type": "tool_use", "id": "1", "name": name, "input": {}},
        "openai": {"id": "1", "type": "function", "function": {"name": name, "arguments": "{}"}},
        "openai-responses": {"type": "function_call", "call_id": "1", "name": name, "arguments": "{}"},
        "gemini": {"functionCall": {"id": "1", "name": name, "args": {}}},
        "mcp": {"name": name, "arguments": {}},
    }


def messages(name: str, result: ToolResult, most: int) -> Iterator[tuple[list[str], list[dict[str, Any]]]]:
    """The texts and the metadata of every message in which a model, or its client, may get a result."""
    sent = {api: handle(lambda *_: result, call, most) for api, call in api_calls(name).items()}
    (block,) = sent["anthropic"]["content"]
    yield [part["text"] for part in block.get("content", [])], []
    yield [sent["openai"]["content"]], []
    yield [sent["openai-responses"]["output"]], []
    (part,) = sent["gemini"]["parts"]
    yield [*part["functionResponse"]["response"].values()], []
    structured = [fit_result(name, result, most, structured=not reads_only_text(client)) for client in CLIENTS]
    for message in [sent["mcp"], *structured]:
        data = [message[key] for key in ("structuredContent", "_meta") if key in message]
        yield [content["text"] for content in message["content"]], data
    for client, message in zip(CLIENTS, structured, strict=True):
        assert not ("structuredContent" in message and reads_only_text(client))


def check_budget(name: str, result: ToolResult, most: int) -> None:
    """Check every message for a result, whole as `Workspace.call` returns it."""
    for texts, metadata in messages(name, result, most):
        shown = "\n".join(texts)
        assert len(shown) <= most, f"{name}: {len(shown)} characters of text"
        check_lines(shown, is_list=result.listed is not None)
        check_verdict(result, shown)
        for data in metadata:
            size = len(json.dumps(data, ensure_ascii=False, separators=(",", ":")))
            assert size <= most, f"{name}: {size} characters of metadata"
            check_data(name, result, data)


def check_lines(shown: str, *, is_list: bool) -> None:
    """No line is long; in a list, which is JSON in one line, no line of a text."""
    lines = shown.split("\n")
    if is_list and lines[0].startswith("["):
        texts = [text.split("\n") for text in texts_of(json.loads(lines[0]))]
        lines = [*lines[1:], *(line for text in texts for line in text)]
    assert max(map(len, lines), default=0) <= LINE_CHARS


def texts_of(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_of(item)


def check_verdict(result: ToolResult, shown: str) -> None:
    """What happened is still said, and what is missing."""
    source = result.source
    assert "carried out" not in shown
    if result.listed is None and source is not None and not source.verbatim:
        assert source.text.split("\n")[0][:_SHORTENED] in shown
        assert ("Dry run" in result.text) <= ("Dry run" in shown)
    if len(shown) < len(result.text):
        assert "…" in shown or "truncated" in shown
    change = result.metadata.get("change_id")
    assert change is None or change not in (source.text if source is not None else "") or change in shown
    for note in result.notes:
        assert note[:_SHORTENED] in shown


def check_data(name: str, result: ToolResult, data: dict[str, Any]) -> None:
    """The metadata still identifies what happened, and fits the tool's output schema."""
    if result.metadata.get("change_id"):
        assert data["change_id"] == result.metadata["change_id"]
    if result.is_error:
        assert data["error"]["code"] == result.metadata["error"]["code"]
        assert data["error"]["message"][:_SHORTENED] == result.metadata["error"]["message"][:_SHORTENED]
    assert ("shortened" in data) == (data != replace_surrogates(result.metadata)) or "truncated" in data
    if result.listed is None and (schema := find(name).output_schema) is not None:
        Draft202012Validator(schema).validate(data)
