"""`apply_patch`: OpenAI's patches. How they are read, and where hunks go, is in the tests of `apply_reply`."""

from pathlib import Path
from typing import Any

import pytest

from suture import ToolResult, Workspace
from suture.errors import InvalidArguments
from suture.tools.apply_patch import operation_envelope
from tests.unit.changes import workspace
from tests.unit.tools.reply_samples import patch

SUCCESS = "Success. Updated the following files:"


def update(path: str, *lines: str) -> list[str]:
    return [f"*** Update File: {path}", *lines]


def ask(ws: Workspace, text: str, **more: Any) -> ToolResult:
    return ws.call("apply_patch", {"input": text, **more})


def test_the_metadata_are_those_of_apply_reply() -> None:
    text = patch(*update("a", "@@", "-x", "+y"), *update("b", "@@", "-q", "+r"))
    for good in (True, False):
        files = {"a": b"x\n", "b": b"q\n" if good else b"z\n"}
        ours, theirs = ask(workspace(files)[0], text), workspace(files)[0].apply_reply(text, atomic=True)
        assert ours.is_error is theirs.is_error is not good
        assert ours.metadata.keys() == theirs.metadata.keys()
        assert ours.metadata["summary"] == theirs.metadata["summary"]
        assert [block.keys() for block in ours.metadata["blocks"]] == [
            block.keys() for block in theirs.metadata["blocks"]
        ]


def test_real_files_are_patched(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_bytes(b"#!/bin/sh\necho one\n")
    (tmp_path / "a.sh").chmod(0o755)
    result = ask(Workspace(tmp_path), patch(*update(f"{tmp_path}/a.sh", "@@", "-echo one", "+echo two")))
    assert result.text == f"{SUCCESS}\nM a.sh"
    assert (tmp_path / "a.sh").read_bytes() == b"#!/bin/sh\necho two\n"
    assert (tmp_path / "a.sh").stat().st_mode & 0o777 == 0o755


# The operations of the Responses API


def test_an_operation_as_a_patch() -> None:
    envelope = operation_envelope({"type": "update_file", "path": "src/a.py", "diff": "@@\n-x\n+y"})
    assert envelope == "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** End Patch\n"


@pytest.mark.parametrize(
    ("operation", "argument"),
    [
        ({}, "type"),
        ({"type": "rename_file", "path": "a", "diff": ""}, "type"),
        ({"type": ["update_file"], "path": "a", "diff": ""}, "type"),
        ({"type": "update_file", "diff": "@@"}, "path"),
        ({"type": "update_file", "path": "", "diff": "@@"}, "path"),
        ({"type": "update_file", "path": 3, "diff": "@@"}, "path"),
        ({"type": "delete_file", "path": "a\n*** Delete File: b"}, "path"),
        ({"type": "delete_file", "path": "a\rb"}, "path"),
        ({"type": "delete_file", "path": " a"}, "path"),
        ({"type": "delete_file", "path": "'a'"}, "path"),
        ({"type": "update_file", "path": "a"}, "diff"),
        ({"type": "create_file", "path": "a", "diff": None}, "diff"),
        ({"type": "create_file", "path": "a", "diff": ["+x"]}, "diff"),
        ({"type": "update_file", "path": "a", "diff": "@@\n-x\n+y\n*** Delete File: b\n"}, "diff"),
        ({"type": "update_file", "path": "a", "diff": "*** Move to: b\n@@\n-x\n+y\n"}, "diff"),
        ({"type": "update_file", "path": "a", "diff": "@@\n-x\n+y\n*** End Patch\n*** Begin Patch\n"}, "diff"),
    ],
)
def test_an_operation_that_is_no_change_of_one_file_is_refused(operation: dict[str, Any], argument: str) -> None:
    with pytest.raises(InvalidArguments) as caught:
        operation_envelope(operation)
    assert [problem["argument"] for problem in caught.value.problems] == [f"operation.{argument}"]
