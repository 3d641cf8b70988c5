"""A coding agent on Anthropic's Messages API: the model calls suture's tools until the task is done.

python examples/agent.py "Greet in Latin" --folder ~/project        needs ANTHROPIC_API_KEY
python examples/agent.py --replay examples/transcripts/fix_greeting.jsonl
"""

from typing import Any

from anthropic import Anthropic
from anthropic.types import Message
from support.command_line import run, show
from support.transcript import Ask

from suture import Workspace, definitions

SYSTEM = "You change files in one folder, by tools only. Paths are relative to it. Look before you edit; be brief."
TOOLS = definitions("anthropic", tools=["regex_search_multi", "file_read", "file_edit", "str_replace_based_edit_tool"])


def agent(ask: Ask, workspace: Workspace, task: str, model: str, turns: int) -> str:
    """Carry out the task; returns the model's last message."""
    messages: list[Any] = [{"role": "user", "content": task}]
    for _ in range(turns):
        reply: Message = ask(model=model, max_tokens=8192, system=SYSTEM, tools=TOOLS, messages=messages)
        answers = workspace.handle_all(reply)
        if not answers:
            return text_of(reply)
        show_turn(reply, answers)
        messages += [{"role": "assistant", "content": reply.content}, *answers]
    return f"Stopped after {turns} turns."


def text_of(reply: Message) -> str:
    """The text of a reply."""
    return "\n".join(block.text for block in reply.content if block.type == "text")


def show_turn(reply: Message, answers: list[dict[str, Any]]) -> None:
    """Print a reply and the results of its calls."""
    print(text_of(reply))
    calls = [block for block in reply.content if block.type == "tool_use"]
    results = [result for answer in answers for result in answer["content"]]
    for call, result in zip(calls, results, strict=True):
        text = "".join(part["text"] for part in result.get("content", []))
        show(call.name, call.input, text, failed=result.get("is_error", False))


if __name__ == "__main__":
    run(
        agent,
        lambda: Anthropic().messages.create,
        model="claude-sonnet-5-5",
        read=Message.model_validate,
        new=lambda request: request["messages"][-1],
    )
