"""Gemini's definitions, calls and replies; in a separate file, because its SDK is slow to import."""

from pathlib import Path
from typing import Any, TypeAlias

import pytest
from google.genai import types

from suture import Workspace, definitions

JSON: TypeAlias = dict[str, Any]

READ: JSON = {"path": "a.txt", "format": "raw"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_bytes(b"one\n")
    return tmp_path


@pytest.fixture
def workspace(root: Path) -> Workspace:
    return Workspace(root)


def edit(old: str, new: str) -> JSON:
    return {"name": "file_edit", "args": {"path": "a.txt", "edits": [{"old_text": old, "new_text": new}]}}


@pytest.mark.promise("api.definitions")
def test_the_definitions_are_one_tool_of_google_genai() -> None:
    (declaration,) = definitions("gemini")
    tool = types.Tool.model_validate(declaration)
    assert tool.function_declarations is not None
    declared = declaration["functionDeclarations"]
    assert [function.name for function in tool.function_declarations] == [definition["name"] for definition in declared]
    schemas = [function.parameters_json_schema for function in tool.function_declarations]
    assert schemas == [definition["parametersJsonSchema"] for definition in declared]


def test_without_tools_nothing_is_declared() -> None:
    assert definitions("gemini", []) == []


@pytest.mark.parametrize(
    "call",
    [
        {"functionCall": {"name": "file_read", "args": READ}},
        {"function_call": {"name": "file_read", "args": READ}, "thought_signature": b"x"},
        {"name": "file_read", "args": READ},
        types.FunctionCall(name="file_read", args=READ),
        types.Part(function_call=types.FunctionCall(name="file_read", args=READ), thought_signature=b"\xff"),
    ],
)
def test_a_call_gets_a_function_response(workspace: Workspace, call: object) -> None:
    answer = workspace.handle(call)
    response = {"name": "file_read", "response": {"output": "one\n"}}
    assert answer == {"role": "user", "parts": [{"functionResponse": response}]}
    parts = types.Content.model_validate(answer).parts
    assert parts is not None
    assert [part.function_response for part in parts] == [types.FunctionResponse.model_validate(response)]


@pytest.mark.parametrize(
    "call",
    [
        {"functionCall": {"id": "7", "name": "file_read", "args": {"path": "missing"}}},
        {"id": "7", "name": "file_read", "args": {"path": "missing"}},
        types.FunctionCall(id="7", name="file_read", args={"path": "missing"}),
    ],
)
def test_an_error_is_reported_as_such_under_the_id_of_the_call(workspace: Workspace, call: object) -> None:
    (part,) = workspace.handle(call)["parts"]
    response = part["functionResponse"]
    assert (response["id"], list(response["response"])) == ("7", ["error"])
    assert response["response"]["error"].startswith("FILE_NOT_FOUND: ")
    assert types.FunctionResponse.model_validate(response).id == "7"


@pytest.mark.parametrize(
    ("call", "code"),
    [
        ({"functionCall": {"name": "file_raed", "args": READ}}, "UNKNOWN_TOOL"),
        ({"functionCall": {"name": "file_read", "args": []}}, "INVALID_ARGUMENTS"),
        ({"functionCall": {"name": "file_read"}}, "INVALID_ARGUMENTS"),
        (types.FunctionCall(name="file_read"), "INVALID_ARGUMENTS"),
    ],
)
def test_what_is_wrong_with_a_call_is_reported_to_the_model(workspace: Workspace, call: object, code: str) -> None:
    (part,) = workspace.handle(call)["parts"]
    assert part["functionResponse"]["response"]["error"].startswith(f"{code}: ")


def test_no_arguments_are_an_empty_object(workspace: Workspace) -> None:
    (part,) = workspace.handle(types.FunctionCall(name="history"))["parts"]
    assert list(part["functionResponse"]["response"]) == ["output"]


@pytest.mark.parametrize("call", [{"functionCall": {"args": {}}}, types.FunctionCall(args={}), types.Part(text="x")])
def test_what_is_not_a_call_is_refused(workspace: Workspace, call: object) -> None:
    with pytest.raises(ValueError, match="tool call"):
        workspace.handle(call)


PARTS = [{"text": "First."}, {"functionCall": edit("one", "two")}, {"functionCall": edit("two", "three")}]
REPLY = {"candidates": [{"content": {"role": "model", "parts": PARTS}, "finishReason": "STOP"}]}


@pytest.mark.parametrize(
    "reply",
    [
        REPLY,
        REPLY["candidates"][0],
        {"role": "model", "parts": PARTS},
        [{"functionCall": edit("one", "two")}, {"functionCall": edit("two", "three")}],
        types.GenerateContentResponse.model_validate(REPLY),
        types.GenerateContentResponse.model_validate(REPLY).function_calls,
        types.Content.model_validate({"role": "model", "parts": PARTS}),
        types.Content.model_validate({"role": "model", "parts": PARTS}).model_dump(),
    ],
)
def test_all_calls_of_a_reply_are_answered_in_one_message(workspace: Workspace, root: Path, reply: object) -> None:
    (answer,) = workspace.handle_all(reply)
    assert (answer["role"], [list(part) for part in answer["parts"]]) == ("user", [["functionResponse"]] * 2)
    assert types.Content.model_validate(answer).role == "user"
    assert (root / "a.txt").read_bytes() == b"three\n"


@pytest.mark.parametrize(
    "reply",
    [
        types.GenerateContentResponse(),
        types.GenerateContentResponse(candidates=[types.Candidate(finish_reason=types.FinishReason.SAFETY)]),
        types.Content(role="model", parts=[types.Part(text="Done.")]),
        types.Content(role="model"),
        {"candidates": []},
    ],
)
def test_a_reply_without_calls_needs_no_answer(workspace: Workspace, reply: object) -> None:
    assert workspace.handle_all(reply) == []


@pytest.mark.parametrize("convert", [dict, types.GenerateContentResponse.model_validate])
def test_a_call_that_was_cut_off_is_not_made(workspace: Workspace, root: Path, convert: Any) -> None:
    reply = {"candidates": [{**REPLY["candidates"][0], "finishReason": "MAX_TOKENS"}]}
    (answer,) = workspace.handle_all(convert(reply))
    assert [list(part["functionResponse"]["response"]) for part in answer["parts"]] == [["output"], ["error"]]
    assert (root / "a.txt").read_bytes() == b"two\n"


def test_several_candidates_are_refused_for_each_has_calls_of_its_own(workspace: Workspace, root: Path) -> None:
    with pytest.raises(ValueError, match="2 candidates"):
        workspace.handle_all({"candidates": REPLY["candidates"] * 2})
    assert (root / "a.txt").read_bytes() == b"one\n"
