"""suture's tools in Pydantic AI, here called by its model for tests."""

from functools import partial
from typing import Any

from pydantic_ai import Agent, Tool, ToolFailed
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from support.sample import RIGHT, WRONG, sample_project

from suture import Workspace, definitions


def tools(workspace: Workspace, chosen: str | list[str] = "agent") -> list[Tool]:
    """The tools of a profile, or the named tools, in the form that Pydantic AI expects."""
    return [
        Tool.from_schema(
            partial(call, workspace, tool["name"]),
            tool["name"],
            tool["description"],
            tool["inputSchema"],
            sequential=True,
        )
        for tool in definitions("mcp", chosen)
    ]


def call(workspace: Workspace, tool: str, /, **arguments: Any) -> str:
    """Call a tool; errors are reported to the model, without a limit (ModelRetry has one)."""
    answer = workspace.handle({"name": tool, "arguments": arguments})
    text: str = answer["content"][0]["text"]
    if answer["isError"]:
        raise ToolFailed(text)
    return text


def main() -> None:
    """Run a model: its first edit is refused, the second is the correction from the answer."""
    replies = iter(
        [
            ModelResponse([ToolCallPart("file_edit", WRONG)]),
            ModelResponse([ToolCallPart("file_edit", RIGHT)]),
            ModelResponse([TextPart("The greeting says Hello.")]),
        ]
    )

    def model(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
        for part in messages[-1].parts:
            if isinstance(part, ToolReturnPart):
                print(f"{part.outcome}: {part.content}\n")
        return next(replies)

    agent = Agent(FunctionModel(model), tools=tools(Workspace(sample_project())))
    print(agent.run_sync("Fix the greeting.").output)


if __name__ == "__main__":
    main()
