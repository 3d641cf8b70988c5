"""Results as they are sent: of a bounded size."""

from __future__ import annotations

from orjson import dumps

from suture.apis.mcp import call_tool_result
from suture.errors import ResultTooLarge
from suture.tools import find
from suture.tools.spec import ToolResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LONG = 2_000
_SHORT = 200  # what no text that others refer to is longer than: ids, hashes, codes
_MANY = 100


def fitted(name: str, result: ToolResult, most: int, *, text_too: bool = False) -> dict[str, Any]:
    """What is sent for a result. One that is too large is an error, unless it tells of what was done: that is cut.

    With `text_too` the text stands in the structured content as well.
    """
    made = call_tool_result(name, result)
    if text_too and "structuredContent" in made:
        made["structuredContent"] = {**made["structuredContent"], "text": made["content"][0]["text"]}
    size = len(dumps(made))
    if size <= most:
        return made
    spec = find(name)
    if result.is_error or spec.read is None:
        return _cut(made, size, most)
    error = ResultTooLarge(size=size, limit=most, total=None if result.rows is None else len(result.rows))
    failed = ToolResult.failed(error)
    if spec.explain is not None:
        told = spec.explain({}, error)
        failed = failed.but(text=told.text, metadata=told.data)
    return call_tool_result(name, failed)


def _cut(made: dict[str, Any], size: int, most: int) -> dict[str, Any]:
    """The same with long texts and lists left out, as many as need be; a text that is a list says so instead."""
    text = made["content"][0]["text"]
    note = f"(The result has {size:,} bytes, more than the limit of {most:,}: long texts and lists in it are cut.)"
    change = (made.get("structuredContent") or made.get("_meta") or {}).get("change_id")
    landed = f" as change {change}" if change else ""
    done = "" if made["isError"] else f"The call was carried out{landed}. "
    longest, many = _LONG, _MANY
    while True:
        kept = "" if text.startswith("[{") else text[:longest] + "\n…" * (len(text) > longest) + "\n"
        short: dict[str, Any] = _short(made, longest, many)
        short["content"] = [{"type": "text", "text": f"{kept}{done}{note}"}]
        if many == 1 or len(dumps(short)) <= most:
            return short
        longest, many = max(longest // 4, _SHORT), max(many // 4, 1)


def _short(value: Any, longest: int, many: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= longest else f"{value[:longest]}… ({len(value):,} characters)"
    if isinstance(value, dict):
        return {key: _short(each, longest, many) for key, each in value.items()}
    return [_short(each, longest, many) for each in value[:many]] if isinstance(value, list) else value
