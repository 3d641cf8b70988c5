"""suture's tools in the OpenAI Agents SDK, whose client here talks to a list of replies."""

import json
from typing import Any

import httpx2
from agents import Agent, FunctionTool, OpenAIResponsesModel, RunConfig, Runner, ToolCallOutputItem
from agents.tool_context import ToolContext
from openai import AsyncOpenAI
from support.sample import RIGHT, WRONG, sample_project

from suture import Workspace, definitions


def tools(workspace: Workspace, chosen: str | list[str] = "agent") -> list[Any]:
    """The tools of a profile, or the named tools, in the form that the SDK expects."""

    async def call(context: ToolContext[Any], arguments: str) -> str:
        request = {"type": "function_call", "call_id": context.tool_call_id, "name": context.tool_name}
        return str(workspace.handle({**request, "arguments": arguments})["output"])

    return [
        FunctionTool(tool["name"], tool["description"], tool["inputSchema"], call, strict_json_schema=False)
        for tool in definitions("mcp", chosen)
    ]


def edit(call_id: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """A reply that calls `file_edit`."""
    call = {"type": "function_call", "call_id": call_id, "name": "file_edit", "arguments": json.dumps(arguments)}
    return {"output": [call]}


def main() -> None:
    """Run a model: its first edit is refused, the second is the correction from the answer."""
    text = {"type": "output_text", "text": "The greeting says Hello.", "annotations": []}
    last = {"type": "message", "id": "3", "role": "assistant", "status": "completed", "content": [text]}
    replies = iter([edit("1", WRONG), edit("2", RIGHT), {"output": [last]}])
    offline = httpx2.MockTransport(lambda _: httpx2.Response(200, json=next(replies)))
    client = AsyncOpenAI(api_key="none", http_client=httpx2.AsyncClient(transport=offline))
    agent = Agent(
        name="editor",
        model=OpenAIResponsesModel("any", client),  # without a client: the SDK's default
        tools=tools(Workspace(sample_project())),
    )
    result = Runner.run_sync(agent, "Fix the greeting.", run_config=RunConfig(tracing_disabled=True))
    for item in result.new_items:
        if isinstance(item, ToolCallOutputItem):
            print(f"{item.output}\n")
    print(result.final_output)


if __name__ == "__main__":
    main()
