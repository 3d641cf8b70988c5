"""The tools, declared as each API wants them."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from anthropic.types import ToolParam, ToolTextEditor20250728Param
from mcp_types import Tool
from openai.types.chat import ChatCompletionFunctionToolParam
from openai.types.responses import ApplyPatchToolParam, FunctionToolParam
from openai.types.shared_params import FunctionDefinition

from suture import definitions
from suture.apis import FORMATS
from suture.errors import UnknownTool
from suture.tools import AGENT_TOOLS, PROFILES, TOOLS, all_tools, choose, find
from tests.unit.apis.shapes import fits

EVERY = sorted(TOOLS)
DIALECTS = ("apply_patch", "str_replace_based_edit_tool")
PORTABLE = {
    *("type", "description", "default", "enum", "minimum", "maximum", "anyOf"),
    *("properties", "required", "additionalProperties", "items", "minItems", "maxItems"),
}
"""What OpenAI's functions and Gemini's `parametersJsonSchema` document; no references, conditions or patterns."""


def inner(format_: str, tools: Any = None) -> list[dict[str, Any]]:
    """The definitions without what each API wraps them in."""
    declarations = definitions(format_, tools)
    if format_ == "gemini":
        declarations = [declaration for tool in declarations for declaration in tool["functionDeclarations"]]
    unwrapped = [definition["function"] for definition in declarations] if format_ == "openai" else declarations
    assert all("name" in definition for definition in unwrapped), f"unwrap the definitions of {format_} here"
    return unwrapped


def schema(name: str) -> Any:
    """The schema of the tool's arguments, as JSON."""
    return json.loads(json.dumps(find(name).request.schema()))


def schemas_in(whole: Any) -> Iterator[dict[str, Any]]:
    """A schema and all schemas in it."""
    if isinstance(whole, dict):
        yield whole
        parts = [*whole.get("properties", {}).values(), *whole.get("anyOf", ())]
        for part in (*parts, whole.get("items"), whole.get("additionalProperties")):
            yield from schemas_in(part)


@pytest.mark.parametrize("format_", FORMATS)
def test_every_tool_is_declared_once_by_name(format_: str) -> None:
    assert [definition["name"] for definition in inner(format_, "full")] == EVERY


@pytest.mark.parametrize("format_", FORMATS)
def test_by_default_the_few_tools_for_agents_are_declared_without_output_schemas(format_: str) -> None:
    declared = inner(format_)
    assert inner(format_, "agent") == declared
    assert [definition["name"] for definition in declared] == list(PROFILES["agent"])
    assert [definition["name"] for definition in declared if "outputSchema" in definition] == []


@pytest.mark.promise("call.few-tokens")
def test_the_tools_for_agents_take_at_most_1600_tokens() -> None:
    declared = definitions("anthropic")
    assert {*declared[0]} == {"name", "description", "input_schema"}
    assert len(json.dumps(declared)) / 4 <= 1_600


def test_undo_has_fewer_arguments_beside_the_tools_for_agents() -> None:
    def arguments(names: list[str]) -> list[str]:
        return list(definitions("anthropic", names)[-1]["input_schema"]["properties"])

    assert arguments(["read", "undo"]) == ["change_id", "list"]
    assert arguments(["file_read", "undo"]) == ["change_id", "dry_run", "list"]


@pytest.mark.promise("api.definitions")
def test_anthropic_takes_the_definitions() -> None:
    declared = definitions("anthropic", "full")
    assert all(fits(definition, ToolParam) for definition in declared)
    assert [definition["input_schema"] for definition in declared] == [schema(spec.name) for spec in all_tools()]
    assert [definition["description"] for definition in declared] == [spec.description for spec in all_tools()]


@pytest.mark.promise("api.definitions")
def test_chat_completions_takes_the_definitions() -> None:
    declared = definitions("openai", "full")
    assert all(fits(definition, ChatCompletionFunctionToolParam) for definition in declared)
    assert all(fits(definition["function"], FunctionDefinition) for definition in declared)
    assert [definition["function"]["parameters"] for definition in declared] == [
        schema(spec.name) for spec in all_tools()
    ]


@pytest.mark.promise("api.definitions")
def test_responses_takes_the_definitions_and_leaves_optional_arguments_optional() -> None:
    declared = definitions("openai-responses", "full")
    assert all(fits(definition, FunctionToolParam) for definition in declared)
    assert {definition["strict"] for definition in declared} == {False}
    assert [definition["parameters"] for definition in declared] == [schema(spec.name) for spec in all_tools()]
    assert [definition["description"] for definition in declared] == [spec.description for spec in all_tools()]


@pytest.mark.promise("api.definitions")
def test_mcp_takes_the_definitions() -> None:
    declarations = definitions("mcp", "full")
    for definition, spec in zip(declarations, all_tools(), strict=True):
        tool = Tool.model_validate(definition)
        assert set(definition) <= {field.alias or name for name, field in Tool.model_fields.items()}
        assert tool.annotations is not None
        assert (tool.name, tool.title, tool.annotations.read_only_hint) == (
            spec.name,
            spec.title,
            spec.read is not None,
        )
    declared = [definition["name"] for definition in declarations if "outputSchema" in definition]
    assert declared == [name for name in EVERY if not name.startswith("regex_")]
    assert [definition["inputSchema"] for definition in declarations] == [schema(spec.name) for spec in all_tools()]


@pytest.mark.parametrize("name", [*EVERY, *AGENT_TOOLS, *DIALECTS])
def test_schemas_keep_to_what_every_api_documents(name: str) -> None:
    whole = schema(name)
    assert whole["type"] == "object"
    assert "anyOf" not in whole
    assert {keyword for part in schemas_in(whole) for keyword in part} <= PORTABLE
    assert all(part.get("items") for part in schemas_in(whole) if part.get("type") == "array")


@pytest.mark.parametrize("name", [*EVERY, *AGENT_TOOLS, *DIALECTS])
def test_names_and_arguments_are_spelled_as_every_api_takes_them(name: str) -> None:
    assert re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}", name)
    arguments = {argument for part in schemas_in(schema(name)) for argument in part.get("properties", ())}
    assert {argument for argument in arguments if not re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_]{0,63}", argument)} == set()


@pytest.mark.parametrize("name", [*EVERY, *AGENT_TOOLS, *DIALECTS])
def test_descriptions_are_not_longer_than_servers_with_the_chat_api_take(name: str) -> None:
    (declaration,) = inner("openai", [name])
    assert 0 < len(declaration["description"]) <= 1024
    if len(find(name).description) <= 1024:
        assert declaration["description"] == find(name).description


def test_a_shorter_description_leaves_out_no_operation_or_field_of_a_patch() -> None:
    (declaration,) = inner("openai", ["patch"])
    words = ("replace", "append_eof", "prepend_bof", "overwrite", "toClipboard", "fromClipboard", "reindent", "oldText")
    assert [word for word in words if word not in declaration["description"]] == []


@pytest.mark.parametrize(
    ("format_", "name", "declared", "shape"),
    [
        (
            "anthropic",
            "str_replace_based_edit_tool",
            {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"},
            ToolTextEditor20250728Param,
        ),
        ("openai-responses", "apply_patch", {"type": "apply_patch"}, ApplyPatchToolParam),
    ],
)
def test_a_tool_that_a_model_was_trained_on_is_declared_as_its_api_wants(
    format_: str, name: str, declared: dict[str, Any], shape: Any
) -> None:
    assert definitions(format_, [name]) == [declared]
    assert fits(declared, shape)


@pytest.mark.parametrize(
    ("format_", "name", "key"),
    [
        ("anthropic", "apply_patch", "input_schema"),
        ("openai", "apply_patch", "parameters"),
        ("openai", "str_replace_based_edit_tool", "parameters"),
        ("openai-responses", "str_replace_based_edit_tool", "parameters"),
        ("gemini", "apply_patch", "parametersJsonSchema"),
        ("gemini", "str_replace_based_edit_tool", "parametersJsonSchema"),
        ("mcp", "apply_patch", "inputSchema"),
        ("mcp", "str_replace_based_edit_tool", "inputSchema"),
    ],
)
def test_elsewhere_such_a_tool_is_declared_like_any_other(format_: str, name: str, key: str) -> None:
    (declaration,) = inner(format_, [name])
    assert (declaration["name"], declaration[key]) == (name, schema(name))


@pytest.mark.parametrize("format_", FORMATS)
def test_definitions_are_json_and_belong_to_the_caller(format_: str) -> None:
    declared = definitions(format_)
    assert json.loads(json.dumps(declared)) == declared
    for definition in inner(format_):
        for value in definition.values():
            if isinstance(value, dict):
                value.clear()
    assert definitions(format_) == declared


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize(
    ("tools", "names"),
    [
        (["patch"], ["patch"]),
        (("undo", "file_read", "undo"), ["undo", "file_read"]),
        ([], []),
        ("search", list(PROFILES["search"])),
        (None, list(PROFILES["agent"])),
        ("full", EVERY),
    ],
)
def test_tools_are_chosen_by_name_or_profile(format_: str, tools: Any, names: list[str]) -> None:
    assert [definition["name"] for definition in inner(format_, tools)] == names


def test_profiles_hold_what_they_say() -> None:
    assert PROFILES["full"] == tuple(EVERY)
    reading = {spec.name for spec in all_tools() if spec.annotations["readOnlyHint"]}
    assert set(PROFILES["read-only"]) == reading, "a tool that only reads belongs in the profile read-only"
    assert set(PROFILES["search"]) == reading - {"history"}, "and in the profile search"
    assert set(PROFILES["edit"]) == {
        *("file_read", "file_edit", "patch", "apply_reply", "safe_edit"),
        *("regex_search_multi", "history", "undo", "redo"),
    }


def test_names_add_to_a_profile() -> None:
    assert choose("search", ["undo", "file_read"]) == [*PROFILES["search"], "undo"]
    assert choose() == list(PROFILES["agent"])


@pytest.mark.parametrize(
    ("format_", "tools", "message"),
    [
        ("antropic", None, "choose from anthropic, openai"),
        ("mcp", "serch", "did you mean search?"),
        ("mcp", "zzz", "'zzz'; choose from agent, full, edit"),
    ],
)
def test_what_does_not_exist_is_refused_with_what_does(format_: str, tools: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        definitions(format_, tools)


def test_an_unknown_tool_is_refused_with_similar_ones() -> None:
    with pytest.raises(UnknownTool) as caught:
        definitions("mcp", ["pach"])
    assert caught.value.near[0] == "patch"
