"""Every part of a call that fails is reported, not only the first."""

from typing import Any

import pytest

from suture.tools import file_edit, patch
from suture.tools.spec import ToolResult
from tests.unit.changes import error_of, workspace

CODE = b"import os\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n"


def edit_files(*edits: tuple[str, str], **more: Any) -> ToolResult:
    ws, fs = workspace({"a.py": CODE})
    result = ws.file_edit("a.py", [{"old_text": old, "new_text": new} for old, new in edits], **more)
    assert fs.files() == {"a.py": CODE}
    return result


def patch_files(*patches: dict[str, Any]) -> ToolResult:
    ws, fs = workspace({"a.py": CODE})
    result = ws.patch("a.py", list(patches))
    assert fs.files() == {"a.py": CODE}
    return result


@pytest.mark.promise("teach.all-failures")
def test_what_takes_too_long_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_edit, "_FURTHER_SECONDS", -1.0)
    monkeypatch.setattr(patch, "_FURTHER_SECONDS", -1.0)
    edits = [(f"nowhere {number}", "x") for number in range(5)]
    for result in (edit_files(*edits), patch_files(*({"oldText": old, "newText": new} for old, new in edits))):
        assert error_of(result)["unexamined"] == 4
        assert result.text.endswith("\n4 more parts not checked: time limit reached.")
