"""Calls as APIs deliver them, as dictionaries and as objects of their SDKs, and the answers in the API's shape."""

import json
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from anthropic.types import ToolResultBlockParam, ToolUseBlock, UserMessageParam
from mcp_types import CallToolRequest, CallToolRequestParams, CallToolResult, JSONRPCRequest, JSONRPCResponse
from openai.types.chat import (
    ChatCompletionMessageCustomToolCall,
    ChatCompletionMessageFunctionToolCall,
    ChatCompletionToolMessageParam,
)
from openai.types.responses import (
    ResponseApplyPatchToolCall,
    ResponseCustomToolCall,
    ResponseCustomToolCallOutputParam,
    ResponseFunctionToolCall,
)
from openai.types.responses.response_input_item_param import ApplyPatchCallOutput, FunctionCallOutput

from suture import Settings, Workspace
from suture.apis import call_tool_result
from suture.tools.spec import ToolResult
from tests.unit.apis.shapes import fits

JSON: TypeAlias = dict[str, Any]

READ: JSON = {"path": "a.txt", "format": "raw"}
EDIT: JSON = {"path": "a.txt", "edits": [{"old_text": "one", "new_text": "ONE"}]}
BROKEN: JSON = {"path": "missing.txt"}
PATCH = "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+ONE\n*** End Patch\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_bytes(b"one\ntwo\n")
    return tmp_path


@pytest.fixture
def workspace(root: Path) -> Workspace:
    return Workspace(root)


def tool_use(name: str, arguments: object, number: str = "toolu_1") -> JSON:
    return {"type": "tool_use", "id": number, "name": name, "input": arguments}


def chat(name: str, arguments: object, number: str = "call_1") -> JSON:
    given = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"id": number, "type": "function", "function": {"name": name, "arguments": given}}


def function_call(name: str, arguments: object, number: str = "call_1") -> JSON:
    given = arguments if isinstance(arguments, str) else json.dumps(arguments)
    return {"type": "function_call", "id": "fc_1", "call_id": number, "name": name, "arguments": given}


def params(name: str, arguments: object) -> JSON:
    return {"name": name, "arguments": arguments}


def text_of(message: JSON) -> str:
    """The text that a model gets, in whatever API's message."""
    if "result" in message:
        return text_of(message["result"])
    content = message.get("output", message.get("content"))
    if isinstance(content, list):
        content = text_of(content[0]) if "tool_use_id" in content[0] else content[0]["text"]
    assert isinstance(content, str)
    return content


# Anthropic


@pytest.mark.promise("api.calls")
@pytest.mark.parametrize("convert", [dict, ToolUseBlock.model_validate])
def test_anthropic_gets_a_tool_result_in_a_user_message(workspace: Workspace, convert: Any) -> None:
    answer = workspace.handle(convert(tool_use("file_read", READ)))
    block = {"type": "tool_result", "tool_use_id": "toolu_1", "content": [{"type": "text", "text": "one\ntwo\n"}]}
    assert answer == {"role": "user", "content": [block]}
    assert fits(answer, UserMessageParam)
    assert fits(block, ToolResultBlockParam)


def test_anthropic_gets_an_error(workspace: Workspace) -> None:
    (block,) = workspace.handle(tool_use("file_read", BROKEN))["content"]
    assert block["is_error"] is True
    assert block["content"][0]["text"].startswith("FILE_NOT_FOUND: ")
    assert fits(block, ToolResultBlockParam)


@pytest.mark.parametrize("content", [b"", b"\n \n"])
def test_anthropic_which_takes_no_blank_text_gets_none(workspace: Workspace, root: Path, content: bytes) -> None:
    (root / "a.txt").write_bytes(content)
    (block,) = workspace.handle(tool_use("file_read", READ))["content"]
    assert block == {"type": "tool_result", "tool_use_id": "toolu_1"}
    assert fits(block, ToolResultBlockParam)


# OpenAI's Chat Completions


@pytest.mark.promise("api.calls")
@pytest.mark.parametrize("convert", [dict, ChatCompletionMessageFunctionToolCall.model_validate])
def test_chat_completions_gets_a_tool_message(workspace: Workspace, convert: Any) -> None:
    answer = workspace.handle(convert(chat("file_read", READ)))
    assert answer == {"role": "tool", "tool_call_id": "call_1", "content": "one\ntwo\n"}
    assert fits(answer, ChatCompletionToolMessageParam)


@pytest.mark.parametrize(
    "given",
    [
        {"id": "1", "function": {"name": "file_read", "arguments": json.dumps(READ)}},
        {"id": "1", "type": "function", "index": 0, "function": {"name": "file_read", "arguments": READ}},
    ],
)
def test_chat_servers_may_leave_out_the_type_or_send_arguments_as_an_object(workspace: Workspace, given: JSON) -> None:
    assert workspace.handle(given) == {"role": "tool", "tool_call_id": "1", "content": "one\ntwo\n"}


@pytest.mark.parametrize("convert", [dict, ChatCompletionMessageCustomToolCall.model_validate])
@pytest.mark.parametrize(
    ("name", "text"), [("apply_patch", PATCH), ("apply_reply", PATCH), ("file_edit", json.dumps(EDIT))]
)
def test_a_custom_tool_call_of_chat_is_made_with_its_text(
    workspace: Workspace, root: Path, convert: Any, name: str, text: str
) -> None:
    answer = workspace.handle(convert({"id": "c", "type": "custom", "custom": {"name": name, "input": text}}))
    assert (answer["role"], answer["tool_call_id"]) == ("tool", "c")
    assert (root / "a.txt").read_bytes() == b"ONE\ntwo\n"


# OpenAI's Responses


@pytest.mark.promise("api.calls")
@pytest.mark.parametrize("convert", [dict, ResponseFunctionToolCall.model_validate])
def test_responses_gets_the_output_of_a_function_call(workspace: Workspace, convert: Any) -> None:
    answer = workspace.handle(convert(function_call("file_read", READ)))
    assert answer == {"type": "function_call_output", "call_id": "call_1", "output": "one\ntwo\n"}
    assert fits(answer, FunctionCallOutput)


@pytest.mark.parametrize("convert", [dict, ResponseCustomToolCall.model_validate])
def test_responses_gets_the_output_of_a_custom_tool_call(workspace: Workspace, root: Path, convert: Any) -> None:
    given = {"type": "custom_tool_call", "call_id": "call_1", "name": "apply_patch", "input": PATCH}
    answer = workspace.handle(convert(given))
    assert (answer["type"], answer["call_id"]) == ("custom_tool_call_output", "call_1")
    assert (root / "a.txt").read_bytes() == b"ONE\ntwo\n"
    assert fits(answer, ResponseCustomToolCallOutputParam)


def patch_call(operation: object) -> JSON:
    return {"type": "apply_patch_call", "id": "p", "call_id": "call_1", "status": "completed", "operation": operation}


@pytest.mark.parametrize("convert", [dict, ResponseApplyPatchToolCall.model_validate])
@pytest.mark.parametrize(
    ("operation", "status", "after"),
    [
        (
            {"type": "update_file", "path": "a.txt", "diff": "@@\n-one\n+ONE\n two\n"},
            "completed",
            {"a.txt": "ONE\ntwo\n"},
        ),
        ({"type": "create_file", "path": "b", "diff": "+new\n"}, "completed", {"a.txt": "one\ntwo\n", "b": "new\n"}),
        ({"type": "delete_file", "path": "a.txt"}, "completed", {}),
        ({"type": "update_file", "path": "a.txt", "diff": "@@\n-six\n+SIX\n"}, "failed", {"a.txt": "one\ntwo\n"}),
        ({"type": "delete_file", "path": "missing"}, "failed", {"a.txt": "one\ntwo\n"}),
    ],
)
def test_responses_gets_the_status_of_a_patch(
    workspace: Workspace, root: Path, convert: Any, operation: JSON, status: str, after: dict[str, str]
) -> None:
    answer = workspace.handle(convert(patch_call(operation)))
    assert (answer["type"], answer["call_id"], answer["status"]) == ("apply_patch_call_output", "call_1", status)
    assert answer["output"]
    assert fits(answer, ApplyPatchCallOutput)
    assert {path.name: path.read_text("utf-8") for path in root.iterdir()} == after


@pytest.mark.parametrize(
    "operation",
    [
        None,
        {},
        {"type": "rename_file", "path": "a.txt"},
        {"type": "update_file", "path": "a.txt"},
        {"type": "update_file", "path": 5, "diff": ""},
        {"type": "delete_file"},
    ],
)
def test_a_patch_that_is_none_fails_and_changes_nothing(workspace: Workspace, root: Path, operation: object) -> None:
    answer = workspace.handle(patch_call(operation))
    assert (answer["status"], answer["output"].partition(":")[0]) == ("failed", "INVALID_ARGUMENTS")
    assert (root / "a.txt").read_bytes() == b"one\ntwo\n"


# MCP


@pytest.mark.parametrize("convert", [dict, CallToolRequestParams.model_validate])
def test_mcp_gets_a_result_with_structured_content(workspace: Workspace, convert: Any) -> None:
    answer = workspace.handle(convert(params("file_read", READ)))
    expected = workspace.call("file_read", READ)
    text = [{"type": "text", "text": "one\ntwo\n"}]
    assert answer == {"content": text, "isError": False, "structuredContent": expected.metadata}
    assert CallToolResult.model_validate(answer).structured_content == expected.metadata


def test_mcp_gets_lists_as_text_and_what_is_beside_them_as_meta(workspace: Workspace) -> None:
    search = {"file_path": "a.txt", "pattern": "one"}
    result = workspace.handle(params("regex_search", search))
    assert (list(result), result["isError"]) == (["content", "isError"], False)
    replaced = workspace.handle(params("regex_replace", {**search, "replacement": "1"}))
    assert sorted(replaced) == ["_meta", "content", "isError"]
    assert sorted(replaced["_meta"]) == ["change_id", "files"]
    failed = workspace.handle(params("regex_search", {**search, "file_path": "missing"}))
    assert failed["isError"]
    assert failed["_meta"]["error"]["code"] == "FILE_NOT_FOUND"
    assert "structuredContent" not in failed


def test_mcp_gets_an_error_of_other_tools_as_structured_content(workspace: Workspace) -> None:
    failed = workspace.handle(params("file_read", BROKEN))
    assert failed["isError"]
    assert failed["structuredContent"]["error"]["code"] == "FILE_NOT_FOUND"
    assert "_meta" not in failed


@pytest.mark.parametrize("number", [7, "seven", 0])
@pytest.mark.parametrize("convert", [dict, JSONRPCRequest.model_validate])
def test_a_json_rpc_request_gets_a_response(workspace: Workspace, convert: Any, number: object) -> None:
    given = {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params("file_read", READ)}
    answer = workspace.handle(convert(given))
    expected = workspace.handle(params("file_read", READ))
    assert answer == {"jsonrpc": "2.0", "id": number, "result": expected}
    assert JSONRPCResponse.model_validate(answer).id == number


def test_an_mcp_request_without_json_rpc_gets_the_result(workspace: Workspace) -> None:
    given = CallToolRequest(params=CallToolRequestParams(name="history"))
    assert workspace.handle(given)["structuredContent"] == {"changes": [], "next": None}


# Whatever the API


def test_what_is_not_unicode_is_sent_as_replacement_characters(workspace: Workspace, root: Path) -> None:
    (root / "a.txt").write_bytes(b"caf\xe9 \xf0\x9f\x98\x80\n")
    calls = [tool_use("file_read", READ), chat("file_read", READ), function_call("file_read", READ)]
    for call in (*calls, params("file_read", READ)):
        answer = workspace.handle(call)
        assert json.dumps(answer, ensure_ascii=False).encode()
        assert text_of(answer).startswith("caf\ufffd ")


def test_names_that_are_no_unicode_can_be_sent_too() -> None:
    result = ToolResult(is_error=False, answer="x", metadata={"files": [{"caf\udce9": "caf\udce9"}], "more": 1})
    assert call_tool_result("undo", result)["structuredContent"] == {"files": [{"caf\ufffd": "caf\ufffd"}], "more": 1}


MAKERS = (tool_use, chat, function_call, params)


@pytest.mark.parametrize("maker", MAKERS)
def test_an_edit_lands(workspace: Workspace, root: Path, maker: Any) -> None:
    workspace.handle(maker("file_edit", EDIT))
    assert (root / "a.txt").read_bytes() == b"ONE\ntwo\n"


@pytest.mark.promise("api.calls")
@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("file_edti", EDIT, "UNKNOWN_TOOL"),
        ("show", {"change_id": "x"}, "UNKNOWN_TOOL"),
        ("file_read", [], "INVALID_ARGUMENTS"),
        ("file_read", 5, "INVALID_ARGUMENTS"),
        ("file_read", {"pth": "a.txt"}, "INVALID_ARGUMENTS"),
        ("file_read", '{"path": "a.txt"', "INVALID_ARGUMENTS"),
        ("file_read", "nonsense", "INVALID_ARGUMENTS"),
        ("file_read", "[" * 100_000, "INVALID_ARGUMENTS"),
        ("file_read", "", "INVALID_ARGUMENTS"),
    ],
)
def test_what_is_wrong_with_a_call_is_reported_to_the_model(
    workspace: Workspace, maker: Any, name: str, arguments: object, code: str
) -> None:
    assert text_of(workspace.handle(maker(name, arguments))).startswith(f"{code}: ")


@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("arguments", ["", " ", "{}", {}])
def test_no_arguments_are_an_empty_object(workspace: Workspace, maker: Any, arguments: object) -> None:
    assert text_of(workspace.handle(maker("history", arguments))).startswith("No changes")


def test_line_breaks_inside_of_json_strings_are_forgiven(workspace: Workspace, root: Path) -> None:
    arguments = '{"path": "a.txt", "edits": [{"old_text": "one\ntwo", "new_text": "1\n2"}]}'
    workspace.handle(chat("file_edit", arguments))
    assert (root / "a.txt").read_bytes() == b"1\n2\n"


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"type": "text", "text": "hello"},
        {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
        {"type": "tool_call", "id": "l", "name": "file_read", "args": READ},
        {"type": ["tool_use"], "name": "file_read"},
        {"name": "history"},
        {"type": "tool_use", "name": "file_read", "input": READ},
        {"type": "tool_use", "id": "t", "name": None, "input": READ},
        {"type": "function", "function": {"name": "file_read", "arguments": "{}"}},
        {"type": "function", "id": "f", "function": {"arguments": "{}"}},
        {"type": "function", "id": "f"},
        {"type": "function_call", "name": "file_read", "arguments": "{}"},
        {"type": "custom_tool_call", "call_id": "c", "input": ""},
        {"jsonrpc": "2.0", "method": "tools/call", "params": params("history", {})},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call"},
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        {"role": "assistant", "function_call": {"name": "history", "arguments": "{}"}},
    ],
)
def test_what_is_not_a_tool_call_is_refused(workspace: Workspace, given: JSON) -> None:
    with pytest.raises(ValueError, match=r"not a tool call of a known API|a tool call needs|needs an id"):
        workspace.handle(given)


@pytest.mark.parametrize("given", [None, "file_read", 5, [tool_use("file_read", READ)], ToolUseBlock, object()])
def test_what_is_not_an_object_is_refused(workspace: Workspace, given: object) -> None:
    with pytest.raises(TypeError, match="expected a dictionary or an object of an API's SDK"):
        workspace.handle(given)


def test_an_object_that_gives_itself_as_a_dictionary_is_taken(workspace: Workspace) -> None:
    class Given:
        def to_dict(self) -> JSON:
            return tool_use("file_read", READ)

    assert workspace.handle(Given()) == workspace.handle(tool_use("file_read", READ))


def test_what_is_cut_from_a_list_is_said_in_a_second_block_or_below(root: Path, workspace: Workspace) -> None:
    (root / "long.txt").write_bytes(b"red line\n" * 5_000)
    arguments = {"file_path": "long.txt", "pattern": "red"}
    anthropic = workspace.handle(tool_use("regex_search", arguments))["content"][0]["content"]
    rows, note = (block["text"] for block in anthropic)
    assert note == f"… {5_000 - len(json.loads(rows)):,} more matches (of 5,000); narrow the pattern or the files"
    mcp = workspace.handle(params("regex_search", arguments))
    assert [block["text"] for block in mcp["content"]] == [rows, note]
    for call in (chat("regex_search", arguments), function_call("regex_search", arguments)):
        assert text_of(workspace.handle(call)) == f"{rows}\n{note}"
    gemini = workspace.handle({"functionCall": {"name": "regex_search", "args": arguments}})
    assert gemini["parts"][0]["functionResponse"]["response"] == {"output": f"{rows}\n{note}"}


def test_an_answer_has_a_budget_and_a_call_of_the_workspace_has_none(root: Path, workspace: Workspace) -> None:
    (root / "long.txt").write_bytes(b"red line\n" * 5_000)
    call = tool_use("file_read", {"path": "long.txt"})
    assert 24_000 < len(text_of(workspace.handle(call))) <= 25_000
    assert 900 > len(text_of(Workspace(root, Settings(max_answer_chars=1_000)).handle(call))) > 500
    assert workspace.call("file_read", {"path": "long.txt"}).text.count("\n") == 4_999
