"""suture's tools in LangChain, here called by one of its fake models."""

from functools import partial
from typing import Any

from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.tools import StructuredTool, ToolException
from support.sample import RIGHT, WRONG, sample_project

from suture import Workspace, definitions


def tools(workspace: Workspace, chosen: str | list[str] = "agent") -> list[StructuredTool]:
    """The tools of a profile, or the named tools, in the form that LangChain expects."""
    return [
        StructuredTool(
            name=tool["name"],
            description=tool["description"],
            args_schema=tool["inputSchema"],
            func=partial(call, workspace, tool["name"]),
            handle_tool_error=True,
        )
        for tool in definitions("mcp", chosen)
    ]


def call(workspace: Workspace, tool: str, /, **arguments: Any) -> str:
    """Call a tool; errors are reported to the model."""
    answer = workspace.handle({"name": tool, "arguments": arguments})
    text: str = answer["content"][0]["text"]
    if answer["isError"]:
        raise ToolException(text)
    return text


def main() -> None:
    """Run a model: its first edit is refused, the second is the correction from the answer."""
    by_name = {tool.name: tool for tool in tools(Workspace(sample_project()))}
    replies = [
        AIMessage("", tool_calls=[{"name": "file_edit", "args": WRONG, "id": "1"}]),
        AIMessage("", tool_calls=[{"name": "file_edit", "args": RIGHT, "id": "2"}]),
        AIMessage("The greeting says Hello."),
    ]
    model = GenericFakeChatModel(messages=iter(replies))  # a real one: init_chat_model(…).bind_tools(tools(workspace))
    messages: list[AnyMessage] = [HumanMessage("Fix the greeting.")]
    while (reply := model.invoke(messages)).tool_calls:
        answers = [by_name[request["name"]].invoke(request) for request in reply.tool_calls]
        messages += [reply, *answers]
        print("\n".join(f"{answer.status}: {answer.text}\n" for answer in answers))
    print(reply.text)


if __name__ == "__main__":
    main()
