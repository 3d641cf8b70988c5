"""How many tokens a model reads and writes: the characters of each text divided by 4, rounded up."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bench.cost.script import Answer, Call

PER_TOKEN = 4


def count_tokens(text: str) -> int:
    """About as many tokens as the text has."""
    return -(-len(text) // PER_TOKEN)


def count_definitions(tools: Iterable[Mapping[str, Any]]) -> int:
    """Tokens of what a client passes to the model: of each tool the name, the description and the input schema."""
    return sum(
        count_tokens(_json({key: tool.get(key, "") for key in ("name", "description", "inputSchema")}))
        for tool in tools
    )


def count_request(call: Call) -> int:
    """Tokens of a call: the tool's name and the arguments."""
    return count_tokens(call.tool + _json(call.arguments))


def count_answer(answer: Answer) -> int:
    """Tokens of an answer, for a client that passes the text to the model."""
    return sum(map(count_tokens, answer.texts))


def count_structured(answer: Answer) -> int:
    """Tokens of an answer, for a client that passes the structured content to the model, where there is any."""
    return count_answer(answer) if answer.structured is None else count_tokens(_json(answer.structured))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
