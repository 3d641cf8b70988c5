"""What the two dialects answer fits the schemas that they declare."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it does not say its types

from suture import Workspace
from suture.tools import DIALECTS, find

EDITOR = "str_replace_based_edit_tool"
CALLS: list[tuple[str, dict[str, Any], bool]] = [
    (EDITOR, {"command": "view", "path": "."}, True),
    (EDITOR, {"command": "view", "path": "a.py"}, True),
    (EDITOR, {"command": "view", "path": "a.py", "view_range": [2, -1]}, True),
    (EDITOR, {"command": "view", "path": "a.py", "view_range": [9, 10]}, False),
    (EDITOR, {"command": "str_replace", "path": "a.py", "old_str": "one", "new_str": "1"}, True),
    (EDITOR, {"command": "str_replace", "path": "a.py", "old_str": "two", "new_str": "2"}, False),
    (EDITOR, {"command": "str_replace", "path": "gone.py", "old_str": "two", "new_str": "2"}, False),
    (EDITOR, {"command": "create", "path": "b/c.txt", "file_text": "new\n"}, True),
    (EDITOR, {"command": "insert", "path": "a.py", "insert_line": 1, "insert_text": "between"}, True),
    (EDITOR, {"command": "undo_edit", "path": "a.py"}, False),
    (EDITOR, {"path": "a.py"}, False),
    (EDITOR, {}, False),
    (EDITOR, {"command": "view", "path": "../a.py"}, False),
    ("apply_patch", {"input": "*** Begin Patch\n*** Update File: a.py\n@@\n-one\n+1\n*** End Patch\n"}, True),
    ("apply_patch", {"input": "*** Begin Patch\n*** Update File: a.py\n@@\n-gone\n+1\n*** End Patch\n"}, False),
    ("apply_patch", {"input": "no patch"}, False),
    ("apply_patch", {"patch": "no such argument"}, False),
]


@pytest.mark.promise("api.dialects")
@pytest.mark.parametrize(("tool", "arguments", "works"), CALLS)
def test_a_result_fits_the_declared_schema(
    tmp_path: Path, tool: str, arguments: dict[str, Any], *, works: bool
) -> None:
    (tmp_path / "a.py").write_text("one\ntwo\ntwo\n")
    result = Workspace(tmp_path).call(tool, arguments)
    assert result.is_error is not works, result.text
    schema = find(tool).output_schema
    assert schema is not None
    Draft202012Validator(schema).validate(json.loads(json.dumps(result.metadata)))
    assert set(result.metadata) <= set(schema["properties"])


def test_every_dialect_declares_what_it_answers() -> None:
    assert all(find(name).output_schema is not None for name in DIALECTS)
