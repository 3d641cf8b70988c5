"""The same agent on OpenAI's Responses API, with the `apply_patch` that its models know without a definition.

python examples/agent_openai.py "Greet in Latin" --folder ~/project        needs OPENAI_API_KEY
python examples/agent_openai.py --replay examples/transcripts/fix_greeting_openai.jsonl
"""

from typing import Any

from openai import OpenAI
from openai.types.responses import Response
from support.command_line import run, show
from support.transcript import Ask

from suture import Workspace, definitions

SYSTEM = "You change files in one folder, by tools only. Paths are relative to it. Look before you edit; be brief."
TOOLS = definitions("openai-responses", tools=["regex_search_multi", "file_read", "apply_patch"])


def agent(ask: Ask, workspace: Workspace, task: str, model: str, turns: int) -> str:
    """Carry out the task; returns the model's last message."""
    answers: list[Any] = [{"role": "user", "content": task}]
    before = None
    for _ in range(turns):
        reply: Response = ask(model=model, instructions=SYSTEM, tools=TOOLS, input=answers, previous_response_id=before)
        answers, before = workspace.handle_all(reply), reply.id
        if not answers:
            return reply.output_text
        show_turn(reply, answers)
    return f"Stopped after {turns} turns."


def show_turn(reply: Response, answers: list[dict[str, Any]]) -> None:
    """Print a reply and the results of its calls."""
    print(reply.output_text)
    by_id = {answer["call_id"]: answer for answer in answers}
    for item in reply.output:
        if item.type == "function_call":
            show(item.name, item.arguments, by_id[item.call_id]["output"], failed=False)
        if item.type == "apply_patch_call":
            answer = by_id[item.call_id]
            show("apply_patch", item.operation.to_dict(), answer["output"], failed=answer["status"] == "failed")


if __name__ == "__main__":
    run(
        agent,
        lambda: OpenAI().responses.create,
        model="gpt-6.1-sol",
        read=Response.model_validate,
        new=lambda request: request["input"],
    )
