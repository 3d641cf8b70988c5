"""suture's tools in Pydantic AI, here called by its model for tests."""

from functools import partial
from typing import Any

from pydantic_ai import Agent, Tool, ToolFailed
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from support.sample import RIGHT, WRONG, sample_project

from suture import Workspace, definitions


def tools(workspace: Workspace, chosen: str | list[str] = "edit") -> list[Tool]:
    """The tools of a profile, or those named, as Pydantic AI wants them."""
    return [
        Tool.from_schema(
            partial(call, workspace, each["name"]),
            each["name"],
            each["description"],
            each["inputSchema"],
            sequential=True,
        )
        for each in definitions("mcp", chosen)
    ]


def call(workspace: Workspace, tool: str, /, **arguments: Any) -> str:
    """Call a tool; what goes wrong is told to the model, as often as it takes (ModelRetry would have a limit)."""
    answer = workspace.handle({"name": tool, "arguments": arguments})
    text: str = answer["content"][0]["text"]
    if answer["isError"]:
        raise ToolFailed(text)
    return text


def main() -> None:
    """Let a model work: its first edit is refused, the second is the correction from the answer."""
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
    print(agent.run_sync("Mend the greeting.").output)


if __name__ == "__main__":
    main()
