"""Every tool in the list follows the common rules."""

import re
from typing import Any

import pytest

from suture import Workspace
from suture.testing import MemoryFS
from suture.tools import TOOLS, all_tools, find

EXAMPLES = [(spec.name, example) for spec in all_tools() for example in spec.examples]


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


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_is_described_and_reads_or_plans(name: str) -> None:
    spec = find(name)
    assert spec.name == name
    assert spec.title
    assert spec.description
    assert spec.examples
    assert (spec.read is None) != (spec.plan is None)
    assert all(each["description"] for each in spec.request.schema()["properties"].values())


@pytest.mark.parametrize("name", TOOLS)
def test_a_tool_has_a_typed_method_with_the_same_arguments(name: str) -> None:
    method = getattr(Workspace, name)
    names = method.__code__.co_varnames[1 : method.__code__.co_argcount + method.__code__.co_kwonlyargcount]
    assert list(names) == list(find(name).request.arguments())
