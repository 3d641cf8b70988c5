"""Whole replies: all their calls, in order, answered in as many messages as the API wants."""

import json
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from anthropic.types import Message, UserMessageParam
from openai.types.chat import ChatCompletion, ChatCompletionMessage
from openai.types.responses import Response

from suture import Workspace
from suture.apis import FORMATS
from tests.unit.apis.shapes import fits

JSON: TypeAlias = dict[str, Any]


def edit(old: str, new: str) -> JSON:
    return {"path": "a.txt", "edits": [{"old_text": old, "new_text": new}]}


FIRST, SECOND = edit("one", "two"), edit("two", "three")
"""The second fits only after the first."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_bytes(b"one\n")
    return tmp_path


@pytest.fixture
def workspace(root: Path) -> Workspace:
    return Workspace(root)


def message(*content: JSON, stop_reason: str = "tool_use") -> JSON:
    usage = {"input_tokens": 1, "output_tokens": 1}
    fixed: JSON = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "stop_sequence": None}
    return {**fixed, "content": [*content], "stop_reason": stop_reason, "usage": usage}


def tool_use(number: str, arguments: JSON) -> JSON:
    return {"type": "tool_use", "id": number, "name": "file_edit", "input": arguments}


def chat_call(number: str, arguments: JSON) -> JSON:
    return {"id": number, "type": "function", "function": {"name": "file_edit", "arguments": json.dumps(arguments)}}


def part(arguments: JSON, **more: Any) -> JSON:
    return {"functionCall": {"name": "file_edit", "args": arguments, **more}}


def completion(*calls: JSON, finish_reason: str = "tool_calls") -> JSON:
    message = {"role": "assistant", "content": None if calls else "Done.", "tool_calls": [*calls] or None}
    choice = {"index": 0, "finish_reason": finish_reason, "message": message, "logprobs": None}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def function_call(number: str, arguments: JSON, **more: str) -> JSON:
    call = {"type": "function_call", "call_id": number, "name": "file_edit", "arguments": json.dumps(arguments)}
    return {**call, **more}


def response(*output: JSON, status: str = "completed") -> JSON:
    fixed: JSON = {"id": "r", "object": "response", "created_at": 1.0, "model": "m", "tools": [], "tool_choice": "auto"}
    return {**fixed, "output": [*output], "parallel_tool_calls": True, "status": status}


TEXT = {"type": "text", "text": "I will edit.", "citations": None}
SEARCH = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "x"}}
SAID = {"type": "output_text", "text": "Hello.", "annotations": []}
OUTPUT = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [SAID]}
REASONING = {"type": "reasoning", "id": "rs", "summary": []}


REPLIES: dict[str, JSON] = {
    "anthropic": message(TEXT, tool_use("1", FIRST)),
    "openai": completion(chat_call("1", FIRST)),
    "openai-responses": response(REASONING, function_call("1", FIRST)),
    "gemini": {"candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [part(FIRST)]}}]},
    "mcp": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "file_edit", "arguments": FIRST}},
}
"""A whole reply of each API, with one call."""
CUT_OFF: dict[str, JSON | None] = {
    "anthropic": message(tool_use("1", FIRST), stop_reason="max_tokens"),
    "openai": completion(chat_call("1", FIRST), finish_reason="length"),
    "openai-responses": response(function_call("1", FIRST), status="incomplete"),
    "gemini": {"candidates": [{"finishReason": "MAX_TOKENS", "content": {"role": "model", "parts": [part(FIRST)]}}]},
    "mcp": None,
}
"""A whole reply of each API that ended in a call; a request of MCP is always complete."""


def test_every_api_has_a_reply() -> None:
    assert set(REPLIES) == set(FORMATS), "give the API a whole reply with a call in REPLIES"
    assert set(CUT_OFF) == set(FORMATS), "give the API a reply that ended in a call in CUT_OFF"


@pytest.mark.promise("api.calls")
@pytest.mark.parametrize("reply", [pytest.param(reply, id=name) for name, reply in CUT_OFF.items() if reply])
def test_a_reply_that_ended_in_its_call_changes_nothing(workspace: Workspace, root: Path, reply: JSON) -> None:
    assert "cut off" in str(workspace.handle_all(reply))
    assert (root / "a.txt").read_bytes() == b"one\n"


@pytest.mark.parametrize("format_", REPLIES)
def test_the_call_in_a_whole_reply_is_found(workspace: Workspace, root: Path, format_: str) -> None:
    assert len(workspace.handle_all(REPLIES[format_])) == 1
    assert (root / "a.txt").read_bytes() == b"two\n"


@pytest.mark.parametrize("convert", [dict, Message.model_validate])
def test_anthropic_gets_all_results_in_one_message(workspace: Workspace, root: Path, convert: Any) -> None:
    (answer,) = workspace.handle_all(convert(message(TEXT, tool_use("1", FIRST), SEARCH, tool_use("2", SECOND))))
    assert answer["role"] == "user"
    assert [(block["tool_use_id"], block.get("is_error")) for block in answer["content"]] == [("1", None), ("2", None)]
    assert fits(answer, UserMessageParam)
    assert (root / "a.txt").read_bytes() == b"three\n"


@pytest.mark.parametrize("convert", [dict, ChatCompletion.model_validate])
def test_chat_completions_gets_a_message_for_each_call(workspace: Workspace, root: Path, convert: Any) -> None:
    answers = workspace.handle_all(convert(completion(chat_call("1", FIRST), chat_call("2", SECOND))))
    assert [(message["role"], message["tool_call_id"]) for message in answers] == [("tool", "1"), ("tool", "2")]
    assert (root / "a.txt").read_bytes() == b"three\n"


@pytest.mark.parametrize("convert", [dict, ChatCompletionMessage.model_validate])
def test_chat_completions_can_be_answered_by_its_message(workspace: Workspace, root: Path, convert: Any) -> None:
    reply = completion(chat_call("1", FIRST))["choices"][0]["message"]
    assert [message["tool_call_id"] for message in workspace.handle_all(convert(reply))] == ["1"]
    assert (root / "a.txt").read_bytes() == b"two\n"


@pytest.mark.parametrize("convert", [dict, Response.model_validate])
def test_responses_gets_an_item_for_each_call(workspace: Workspace, root: Path, convert: Any) -> None:
    reply = response(REASONING, function_call("1", FIRST), OUTPUT, function_call("2", SECOND))
    answers = workspace.handle_all(convert(reply))
    assert [(item["type"], item["call_id"]) for item in answers] == [
        ("function_call_output", "1"),
        ("function_call_output", "2"),
    ]
    assert (root / "a.txt").read_bytes() == b"three\n"


def test_a_list_of_calls_is_answered_like_the_reply_that_contains_them(workspace: Workspace, root: Path) -> None:
    (answer,) = workspace.handle_all(
        Message.model_validate(message(tool_use("1", FIRST), tool_use("2", SECOND))).content
    )
    assert [block["tool_use_id"] for block in answer["content"]] == ["1", "2"]
    assert (root / "a.txt").read_bytes() == b"three\n"
    answers = workspace.handle_all((chat_call("1", FIRST), chat_call("2", SECOND)))
    assert [message["tool_call_id"] for message in answers] == ["1", "2"]


def test_one_call_is_a_reply_too(workspace: Workspace) -> None:
    assert workspace.handle_all({"name": "history", "arguments": {}}) == [
        workspace.handle({"name": "history", "arguments": {}})
    ]


def test_objects_may_be_inside_dictionaries(workspace: Workspace) -> None:
    content = Message.model_validate(message(tool_use("1", FIRST))).content
    (answer,) = workspace.handle_all({"role": "assistant", "content": content})
    assert [block["tool_use_id"] for block in answer["content"]] == ["1"]


@pytest.mark.parametrize(
    "reply",
    [
        message(TEXT, stop_reason="end_turn"),
        message(),
        message(TEXT, SEARCH, stop_reason="max_tokens"),
        {"role": "assistant", "content": "Done."},
        completion(finish_reason="stop"),
        {"role": "assistant", "content": None, "tool_calls": None},
        {"choices": []},
        response(REASONING, OUTPUT),
        response(),
        [],
    ],
)
def test_a_reply_without_calls_needs_no_answer(workspace: Workspace, reply: JSON) -> None:
    assert workspace.handle_all(reply) == []


@pytest.mark.promise("api.calls")
@pytest.mark.parametrize(
    "reply",
    [
        message(tool_use("1", FIRST), tool_use("2", SECOND), stop_reason="max_tokens"),
        message(tool_use("1", FIRST), tool_use("2", SECOND), stop_reason="model_context_window_exceeded"),
        completion(chat_call("1", FIRST), chat_call("2", SECOND), finish_reason="length"),
        response(function_call("1", FIRST), function_call("2", SECOND), status="incomplete"),
        response(function_call("1", FIRST), function_call("2", SECOND, status="incomplete")),
    ],
)
def test_a_call_that_was_cut_off_is_not_made(workspace: Workspace, root: Path, reply: JSON) -> None:
    answers = workspace.handle_all(reply)
    results = answers[0]["content"] if "tool_use_id" in str(answers) else answers
    assert "INVALID_ARGUMENTS" not in str(results[0])
    assert "cut off" in str(results[1])
    assert (root / "a.txt").read_bytes() == b"two\n"


def test_a_call_before_the_cut_is_made(workspace: Workspace, root: Path) -> None:
    workspace.handle_all(message(tool_use("1", FIRST), TEXT, stop_reason="max_tokens"))
    assert (root / "a.txt").read_bytes() == b"two\n"


def test_several_choices_are_refused_for_each_has_calls_of_its_own(workspace: Workspace, root: Path) -> None:
    reply = completion(chat_call("1", FIRST))
    reply["choices"] *= 2
    with pytest.raises(ValueError, match="2 choices"):
        workspace.handle_all(reply)
    assert (root / "a.txt").read_bytes() == b"one\n"
    assert len(workspace.handle_all(reply["choices"][0])) == 1


@pytest.mark.parametrize(
    "reply",
    [{}, {"type": "error", "error": {"message": "overloaded"}}, {"id": "x"}, {"output": {"message": {"content": []}}}],
)
def test_what_is_not_a_reply_is_refused(workspace: Workspace, reply: JSON) -> None:
    with pytest.raises(ValueError, match="not a reply of a known API"):
        workspace.handle_all(reply)


@pytest.mark.parametrize(
    "reply",
    [
        [tool_use("1", FIRST), {"type": "shell_call", "call_id": "2"}],
        [tool_use("1", FIRST), {**tool_use("2", SECOND), "id": None}],
        message(tool_use("1", FIRST), {**tool_use("2", SECOND), "id": None}),
    ],
)
def test_nothing_is_done_if_a_call_cannot_be_answered(workspace: Workspace, root: Path, reply: Any) -> None:
    with pytest.raises(ValueError, match="tool call"):
        workspace.handle_all(reply)
    assert (root / "a.txt").read_bytes() == b"one\n"


@pytest.mark.parametrize("reply", [None, "text", 5, [None], {"content": [5]}])
def test_what_no_api_gives_is_refused(workspace: Workspace, reply: object) -> None:
    with pytest.raises(TypeError, match="expected a dictionary"):
        workspace.handle_all(reply)


@pytest.mark.parametrize(
    "reply",
    [
        {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL", "content": {}}]},
        {"candidates": [{"finishReason": "SAFETY"}]},
        {"candidates": [{"finishReason": "MAX_TOKENS", "content": {"role": "model"}}]},
        {"candidates": []},
        {"choices": [{"finish_reason": "content_filter", "message": {}}]},
    ],
)
def test_a_reply_that_was_blocked_makes_no_calls(workspace: Workspace, reply: JSON) -> None:
    assert workspace.handle_all(reply) == []


@pytest.mark.parametrize("name", ["choices", "candidates"])
def test_a_reply_whose_parts_are_not_a_list_is_not_a_reply(workspace: Workspace, name: str) -> None:
    with pytest.raises(ValueError, match="are not a list"):
        workspace.handle_all({name: {"message": {}}})


@pytest.mark.parametrize(
    "silent",
    [
        {"type": "text", "text": "I will edit it."},
        {"type": "thinking", "thinking": "hm", "signature": "x"},
        {"type": "reasoning", "summary": []},
        {"type": "message", "role": "assistant", "content": []},
        {"text": "I will edit it."},
    ],
)
def test_texts_and_thoughts_in_a_list_are_passed_over(workspace: Workspace, silent: JSON) -> None:
    call = {"type": "tool_use", "id": "1", "name": "file_read", "input": {"path": "gone.txt"}}
    ((answer),) = workspace.handle_all([silent, call])
    assert [block["tool_use_id"] for block in answer["content"]] == ["1"]


@pytest.mark.promise("api.calls")
@pytest.mark.parametrize("tools", ["read-only", ["file_read"]])
def test_only_the_tools_that_are_offered_can_be_called(workspace: Workspace, root: Path, tools: Any) -> None:
    before = {path.name: path.read_bytes() for path in root.iterdir()}
    name = next(iter(before))
    call = {
        "type": "tool_use",
        "id": "1",
        "name": "patch",
        "input": {"path": name, "patches": [{"operation": "overwrite", "newText": "gone"}]},
    }
    read = {"type": "tool_use", "id": "2", "name": "file_read", "input": {"path": name}}
    for answer in (workspace.handle(call, tools), *workspace.handle_all({"content": [call]}, tools)):
        (result,) = answer["content"]
        assert result["is_error"]
        assert "There is no tool 'patch'" in result["content"][0]["text"]
        assert "undo" not in result["content"][0]["text"]
    assert {path.name: path.read_bytes() for path in root.iterdir()} == before
    assert "is_error" not in workspace.handle(read, tools)["content"][0]


@pytest.mark.promise("api.calls")
@pytest.mark.parametrize(
    "reply",
    [
        {"stop_reason": "refusal", "content": [tool_use("1", FIRST)]},
        {"candidates": [{"finishReason": "SAFETY", "content": {"parts": [part(FIRST)]}}]},
        {"candidates": [{"finishReason": "STOP", "content": {"parts": [part(FIRST, willContinue=True)]}}]},
        {"status": "failed", "output": [function_call("1", FIRST)]},
        {"status": "cancelled", "output": [function_call("1", FIRST)]},
        {"status": "completed", "output": [function_call("1", FIRST, status="in_progress")]},
        {"choices": [{"finish_reason": "content_filter", "message": {"tool_calls": [chat_call("1", FIRST)]}}]},
    ],
)
def test_the_last_call_of_a_reply_that_was_stopped_is_not_made(workspace: Workspace, root: Path, reply: JSON) -> None:
    before = {path.name: path.read_bytes() for path in root.iterdir()}
    assert "cut off" in str(workspace.handle_all(reply))
    assert {path.name: path.read_bytes() for path in root.iterdir()} == before
