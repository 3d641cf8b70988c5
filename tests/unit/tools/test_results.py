"""The schemas of results: every result fits the schema of its tool, and the schema describes each key."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it does not say its types

from suture import ToolResult, Workspace, shapes
from suture.errors import InternalError
from suture.testing import MemoryFS
from suture.tools import COMMAND_LINE_ONLY, TOOLS, all_tools, command, find, results
from suture.tools.check import CheckResult
from suture.tools.checkpoint import CheckpointResult, CheckpointsResult
from suture.tools.history import ShowResult
from suture.tools.replace import ReplaceResult
from suture.tools.restore import RestoreResult
from suture.tools.search import SearchResult
from suture.tools.spec import Example
from tests.unit.changes import land, write
from tests.unit.tools.result_cases import EVERY, WRONG_HASH, answer

Schema = dict[str, Any]

OBJECTS = [name for name in TOOLS if not name.startswith("regex_")]
KEYWORDS = {"type", "properties", "required", "items", "enum", "pattern", "description", "additionalProperties"}
WORKED = {
    "apply_reply": "apply_reply: moved",
    "file_edit": "file_edit: landed",
    "file_read": "file_read: whole",
    "history": "history: a rename",
    "patch": "patch: landed",
    "redo": "redo: an update",
    "safe_edit": "safe_edit: still broken",
    "undo": "undo: a rename",
}
PLAIN_ERROR = {"code": "FILE_NOT_FOUND", "message": "There is none.", "hint": "Make one.", "retryable": False}


def before(example: Example) -> Workspace:
    """The workspace that an example is about."""
    fs = MemoryFS({path: content.encode() for path, content in example.files.items()})
    ws = Workspace(fs.root, fs=fs)
    for step in example.earlier:
        if isinstance(step, str):
            ws.call(step)
        else:
            land(ws, *(write(path, content) for path, content in step.items()))
    return ws


def as_json(result: ToolResult) -> dict[str, Any]:
    """The metadata as a client gets them."""
    received: dict[str, Any] = json.loads(json.dumps(result.metadata))
    return received


def schema_of(tool: str) -> Schema:
    schema = find(tool).output_schema
    assert schema is not None
    return schema


def complaints(tool: str, metadata: object) -> list[str]:
    """The problems that a client would find in a result."""
    errors = Draft202012Validator(schema_of(tool)).iter_errors(metadata)
    return [f"{error.json_path}: {error.message}" for error in errors]


def described_parts(schema: Schema, where: str = "") -> Iterator[tuple[str, Schema]]:
    """Every key that a schema names, at any depth."""
    for key, part in schema.get("properties", {}).items():
        yield f"{where}.{key}", part
        yield from described_parts(part, f"{where}.{key}")
    if "items" in schema:
        yield from described_parts(schema["items"], where)


def keys(value: Any, schema: Schema, where: str = "") -> Iterator[str]:
    """Every key of a result at any depth, as far as the schema does not leave open what may be there."""
    if isinstance(value, list):
        for item in value:
            yield from keys(item, schema["items"], where)
    elif isinstance(value, dict) and "properties" in schema:
        for key, item in value.items():
            if key in schema["properties"] or "additionalProperties" not in schema:
                yield f"{where}.{key}"
                yield from keys(item, schema["properties"].get(key, {}), f"{where}.{key}")


def spoil(value: Any) -> Iterator[Any]:
    """A value with one part of it, at any depth, replaced by something of another type."""
    yield "text" if isinstance(value, dict) else {"an": "object"}
    if isinstance(value, dict):
        yield from ({**value, key: wrong} for key, item in value.items() for wrong in spoil(item))
    if isinstance(value, list):
        for number, item in enumerate(value):
            yield from ([*value[:number], wrong, *value[number + 1 :]] for wrong in spoil(item))


@pytest.mark.process
@pytest.mark.promise("serve.tools")
@pytest.mark.parametrize("title", EVERY)
def test_a_result_fits_the_schema_of_its_tool(title: str) -> None:
    case, result = EVERY[title], answer(title)
    data = as_json(result)
    assert data.get("error", {}).get("code") == case.code
    assert complaints(case.tool, data) == []


@pytest.mark.parametrize("tool", OBJECTS)
def test_the_result_of_an_example_fits(tool: str) -> None:
    for example in find(tool).examples:
        result = before(example).call(tool, example.arguments)
        assert not result.is_error
        assert complaints(tool, as_json(result)) == []


@pytest.mark.process
@pytest.mark.parametrize("title", EVERY)
def test_every_key_of_a_result_is_described(title: str) -> None:
    schema = schema_of(EVERY[title].tool)
    assert set(keys(as_json(answer(title)), schema)) <= dict(described_parts(schema)).keys()


@pytest.mark.process
def test_every_key_that_is_described_occurs_in_some_result() -> None:
    schemas = {tool: dict(described_parts(schema_of(tool))) for tool in OBJECTS}
    known = {
        (case.tool, key) for title, case in EVERY.items() for key in keys(as_json(answer(title)), schema_of(case.tool))
    }
    shared = {id(schemas[tool][key]) for tool, key in known}  # tools with the same key share its description
    assert [(tool, key) for tool in OBJECTS for key, part in schemas[tool].items() if id(part) not in shared] == []


@pytest.mark.process
def test_each_tool_is_tried_with_everything_that_a_result_may_tell_besides() -> None:
    results = [(case.tool, as_json(answer(title))) for title, case in EVERY.items()]
    ways = {(tool, result["recovered"]["direction"]) for tool, result in results if "recovered" in result}
    assert ways == {(tool, way) for tool in OBJECTS for way in ("back", "forward")}
    assert {tool for tool, result in results if "history" in result} == set(OBJECTS)


@pytest.mark.parametrize("tool", OBJECTS)
def test_a_failure_of_any_tool_may_tell_the_error_and_nothing_else(tool: str) -> None:
    assert complaints(tool, as_json(ToolResult.failed(InternalError(exception="OSError")))) == []


@pytest.mark.parametrize("tool", OBJECTS)
def test_a_key_that_the_schema_does_not_know_is_let_pass(tool: str) -> None:
    result = as_json(answer(WORKED[tool]))
    assert complaints(tool, {**result, "later_addition": 1}) == []
    assert complaints(tool, {"error": {**PLAIN_ERROR, "later_addition": 1}, "later_addition": 1}) == []


@pytest.mark.parametrize("tool", OBJECTS)
def test_a_result_that_lacks_a_key_does_not_fit(tool: str) -> None:
    result = as_json(answer(WORKED[tool]))
    assert not result.keys() & {"error", "history", "recovered"}
    fitting = [
        key for key in result if not complaints(tool, {name: item for name, item in result.items() if name != key})
    ]
    assert fitting == []
    assert complaints(tool, {})


@pytest.mark.parametrize("tool", OBJECTS)
def test_a_result_with_a_value_of_another_type_does_not_fit(tool: str) -> None:
    fitting = [wrong for wrong in spoil(as_json(answer(WORKED[tool]))) if not complaints(tool, wrong)]
    assert fitting == []


@pytest.mark.parametrize(
    ("tool", "wrong"),
    [
        ("file_read", {"hash": "0" * 64}),
        ("file_read", {"hash": f"{WRONG_HASH}0"}),
        ("file_read", {"hash": None}),
        ("file_read", {"line_ending": "lfcr"}),
        ("file_read", {"total_lines": 1.5}),
        ("file_edit", {"edits_applied": [{"edit_index": 0}]}),
        ("patch", {"display": {"path": "a"}}),
        ("apply_reply", {"files": [{"path": "a", "action": "move", "hash": None}]}),
        ("safe_edit", {"validation": {"passed": True}}),
        ("undo", {"undone": 7}),
        ("redo", {"redone": None}),
        ("history", {"next": 7}),
    ],
)
def test_a_value_that_cannot_be_does_not_fit(tool: str, wrong: dict[str, Any]) -> None:
    assert complaints(tool, {**as_json(answer(WORKED[tool])), **wrong})


@pytest.mark.parametrize("lacking", PLAIN_ERROR)
def test_an_error_without_one_of_its_four_fields_does_not_fit(lacking: str) -> None:
    error = {name: item for name, item in PLAIN_ERROR.items() if name != lacking}
    assert [tool for tool in OBJECTS if not complaints(tool, {"error": error})] == []


@pytest.mark.parametrize("tool", OBJECTS)
def test_a_schema_is_one_that_every_client_understands(tool: str) -> None:
    schema = schema_of(tool)
    Draft202012Validator.check_schema(schema)
    parts = [part for _, part in described_parts(schema)]
    items = [part["items"] for part in parts if "items" in part]
    assert {keyword for part in (*parts, *items) for keyword in part} <= KEYWORDS
    assert (set(schema), schema["type"]) == ({"type", "properties", "anyOf"}, "object")


@pytest.mark.parametrize("tool", OBJECTS)
def test_every_key_is_explained_in_a_few_words(tool: str) -> None:
    assert [key for key, part in described_parts(schema_of(tool)) if not 0 < len(part["description"]) <= 100] == []


def test_a_tool_that_answers_with_a_list_and_a_command_have_no_schema() -> None:
    assert [spec.name for spec in all_tools() if spec.output_schema is None] == sorted(set(TOOLS) - set(OBJECTS))
    assert [name for name in COMMAND_LINE_ONLY if command(name).output_schema is not None] == []


@pytest.mark.parametrize(
    ("name", "arguments", "model"),
    [
        ("check", {"paths": ["bad.json", "data.bin"]}, CheckResult),
        ("replace", {"paths": ["a", "data.bin"], "pattern": "a", "replacement": "b", "view": "diff"}, ReplaceResult),
        ("restore", {"to": "point", "dry_run": True}, RestoreResult),
        ("search", {"paths": ["a", "data.bin"], "pattern": "a", "view": "lines"}, SearchResult),
        ("show", {"change_id": "newest"}, ShowResult),
        ("checkpoint", {"name": "later"}, CheckpointResult),
        ("checkpoints", {}, CheckpointsResult),
    ],
)
def test_the_result_of_a_command_is_what_its_type_says(
    name: str, arguments: dict[str, Any], model: type[shapes.Data]
) -> None:
    fs = MemoryFS({"a": b"a\n", "bad.json": b"[\n", "data.bin": b"a\0"})
    ws = Workspace(fs.root, fs=fs)
    ws.checkpoint("point")
    newest = land(ws, write("a", "a\na\n"))
    arguments = {**arguments, **({"change_id": newest} if "change_id" in arguments else {})}
    result = ws.command(name, arguments)
    assert not result.is_error, result.text
    Draft202012Validator({**model.schema(), "additionalProperties": False}).validate(as_json(result))


@pytest.mark.parametrize("tool", TOOLS)
def test_the_definition_of_a_tool_has_its_schema(tool: str) -> None:
    spec = find(tool)
    assert spec.definition().get("outputSchema") == spec.output_schema


class Leaf(shapes.Data):
    size: int = shapes.integer("How large")
    color: str = shapes.text("Which", ("red", "green")).nullable.optional


class Tree(results.ToolData):
    name: str = shapes.text("Its name")
    leaves: list[Leaf] = shapes.objects("What grows on it", Leaf)
    best: Leaf = shapes.member("The best of them", Leaf).optional


def test_the_schema_of_a_result_is_derived_from_its_type() -> None:
    color = {"type": ["string", "null"], "enum": ["red", "green", None], "description": "Which"}
    leaf = {
        "type": "object",
        "properties": {"size": {"type": "integer", "description": "How large"}, "color": color},
        "required": ["size"],
    }
    schema = Tree.output_schema()
    assert {key: schema["properties"][key] for key in ("name", "leaves", "best")} == {
        "name": {"type": "string", "description": "Its name"},
        "leaves": {"type": "array", "items": leaf, "description": "What grows on it"},
        "best": {**leaf, "description": "The best of them"},
    }
    assert schema["anyOf"] == [{"required": ["name", "leaves"]}, {"required": ["error"]}]


def test_a_result_gives_the_data_that_its_schema_describes() -> None:
    tree = Tree(name="oak", leaves=[Leaf(size=1), Leaf(size=2, color="red")])
    assert tree.data() == {"name": "oak", "leaves": [{"size": 1}, {"size": 2, "color": "red"}]}
    assert tree.evolve(best=Leaf(size=3)).data()["best"] == {"size": 3}
    assert Tree.read(tree.data()) == tree
    assert Leaf.read({"size": 1, "color": "red"}) == Leaf(size=1, color="red")
    assert repr(Leaf(size=1)) == "Leaf(size=1, color=LEFT_OUT)"
    assert Leaf(size=1) == Leaf(size=1, color=shapes.or_left_out(None))
    with pytest.raises(TypeError):
        Tree(name="oak")


def test_what_may_not_be_added_to_a_text_is_in_a_second_block() -> None:
    listed = ToolResult(is_error=False, answer="[]", metadata={}, notes=("a note",), verbatim=True, hints=("a hint",))
    assert listed.text == "[]"
    assert listed.blocks == ["[]", "a hint\nNote: a note"]
    assert [block["text"] for block in listed.to_dict()["content"]] == listed.blocks
    assert listed.evolve(notes=(), hints=()).blocks == ["[]"]
    assert listed.evolve(hints=(), verbatim=False).blocks == ["[]\n\nNote: a note"]
