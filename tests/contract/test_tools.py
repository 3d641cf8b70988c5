"""Every tool in the list follows the common rules."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from suture import Workspace
from suture.testing import MemoryFS
from suture.tools import AGENT_TOOLS, DIALECTS, TOOLS, all_tools, find

SPEC = Path(__file__).parents[2] / "docs" / "spec"
EVERY = [*all_tools(), *map(find, AGENT_TOOLS)]
EXAMPLES = [(spec.name, example) for spec in EVERY for example in spec.examples]


@pytest.mark.promise("call.examples")
@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[f"{name}-{example.title}" for name, example in EXAMPLES])
def test_an_example_gives_what_it_shows(name: str, example: Any) -> None:
    fs = MemoryFS({path: content.encode() for path, content in example.files.items()})
    workspace = Workspace(fs.root, fs=fs)
    for step in example.earlier:
        if isinstance(step, str):
            assert not workspace.call(step).is_error
        else:
            with workspace.transaction("an edit") as tx:
                for path, content in step.items():
                    tx.write(path, content)
    result = workspace.call(name, example.arguments)
    text = re.sub(r"\b[0-9a-z]{15}\b", "<id>", result.text)
    text = re.sub(r"\b\d{4}-\d\d-\d\d[T ][0-9:.]+Z?", "<time>", text)
    assert (result.is_error, text) == (False, example.text)


@pytest.mark.parametrize("name", [*TOOLS, *AGENT_TOOLS])
def test_a_tool_is_described_and_reads_or_plans(name: str) -> None:
    spec = find(name)
    assert spec.name == name
    assert spec.title
    assert spec.description
    assert spec.examples
    assert (spec.read is None) != (spec.plan is None)
    arguments = spec.request.schema()["properties"].values()
    assert name in AGENT_TOOLS or all(argument["description"] for argument in arguments)


def names_in(schema: dict[str, Any]) -> Iterator[str]:
    """The names of a schema's arguments or fields, nested ones too, and of their values that are one of a few."""
    yield from (name for name in schema.get("enum", ()) if name is not None)
    for name, about in schema.get("properties", {}).items():
        yield name
        yield from names_in(about)
        yield from names_in(about.get("items", {}))


@pytest.mark.parametrize("name", [*TOOLS, *AGENT_TOOLS, *DIALECTS])
def test_the_specification_names_every_argument_field_and_choice_of_a_tool(name: str) -> None:
    specification = "\n".join(re.findall(r"`([^`\n]+)`", (SPEC / "TOOLS.md").read_text("utf-8")))
    seeds = [path.read_text("utf-8") for path in (SPEC / "seeds").glob("*.txt")]
    words = {*re.findall(r"\w+", " ".join([specification, *seeds]))}
    definition = find(name).definition()
    used = {name, *names_in(definition["inputSchema"]), *names_in(definition.get("outputSchema", {}))}
    assert sorted(used - words) == [], "describe these in docs/spec/TOOLS.md"


@pytest.mark.parametrize("name", [*TOOLS, *AGENT_TOOLS])
def test_a_tool_has_a_typed_method_with_the_same_arguments(name: str) -> None:
    method = getattr(Workspace, name, None)
    assert method is not None, f"add Workspace.{name} to src/suture/workspace.py"
    names = method.__code__.co_varnames[1 : method.__code__.co_argcount + method.__code__.co_kwonlyargcount]
    expected = list(find(name).request.arguments())
    assert list(names) == expected, f"give Workspace.{name} in src/suture/workspace.py the arguments of the tool"
