"""A call that changes no file reports that, and has no change id."""

from typing import Any

import pytest

from tests.unit.changes import succeed, workspace

CODE = b"one = 1\ntwo = 2\n"
V4A = "*** Begin Patch\n*** Update File: a.py\n@@\n-{}\n+{}\n*** End Patch\n"
CALLS: dict[str, tuple[str, dict[str, Any]]] = {
    "patch": ("patch", {"path": "a.py", "patches": [{"oldText": "one", "newText": "one"}]}),
    "patch, overwrite": ("patch", {"path": "a.py", "patches": [{"operation": "overwrite", "newText": CODE.decode()}]}),
    "patch, append nothing": ("patch", {"path": "a.py", "patches": [{"operation": "append_eof", "newText": ""}]}),
    "patch, copy": (
        "patch",
        {"path": "a.py", "patches": [{"oldText": "one", "toClipboard": "x", "fromClipboard": "x"}]},
    ),
    "file_edit": ("file_edit", {"path": "a.py", "edits": [{"old_text": "one", "new_text": "one"}]}),
    "file_edit, back and forth": (
        "file_edit",
        {"path": "a.py", "edits": [{"old_text": "one", "new_text": "uno"}, {"old_text": "uno", "new_text": "one"}]},
    ),
    "safe_edit, content": ("safe_edit", {"path": "a.py", "content": CODE.decode()}),
    "safe_edit, lines": (
        "safe_edit",
        {"path": "a.py", "line_edits": [{"start_line": 1, "end_line": 1, "new_content": "one = 1"}]},
    ),
    "safe_edit, search": ("safe_edit", {"path": "a.py", "search_replace": {"search": "one", "replace": "one"}}),
    "safe_edit, not found": (
        "safe_edit",
        {"path": "a.py", "mode": "interactive", "search_replace": {"search": "no", "replace": "one"}},
    ),
    "apply_reply, applied already": (
        "apply_reply",
        {"reply": "a.py\n<<<<<<< SEARCH\none = 1\n=======\none = 1\n>>>>>>> REPLACE\n"},
    ),
    "apply_reply, back and forth": (
        "apply_reply",
        {
            "reply": "a.py\n<<<<<<< SEARCH\none = 1\n=======\nuno = 1\n>>>>>>> REPLACE\n"
            "<<<<<<< SEARCH\nuno = 1\n=======\none = 1\n>>>>>>> REPLACE\n"
        },
    ),
    "apply_patch": ("apply_patch", {"input": V4A.format("one = 1", "one = 1")}),
    "str_replace": (
        "str_replace_based_edit_tool",
        {"command": "str_replace", "path": "a.py", "old_str": "one", "new_str": "one"},
    ),
    "create": ("str_replace_based_edit_tool", {"command": "create", "path": "a.py", "file_text": CODE.decode()}),
    "regex_replace": ("regex_replace", {"file_path": "a.py", "pattern": "one", "replacement": "$&"}),
    "regex_replace, no match": ("regex_replace", {"file_path": "a.py", "pattern": "nothing", "replacement": "x"}),
    "regex_replace_multi": ("regex_replace_multi", {"path_pattern": "*.py", "pattern": "one", "replacement": "one"}),
}


@pytest.mark.process
@pytest.mark.promise("teach.no-change")
@pytest.mark.parametrize(("tool", "arguments"), CALLS.values(), ids=CALLS)
def test_a_call_that_changes_nothing_says_so(tool: str, arguments: dict[str, Any]) -> None:
    ws, fs = workspace({"a.py": CODE})
    result = ws.call(tool, arguments)
    data = succeed(result)
    assert (data["no_change"], data["change_id"], fs.files()) == (True, None, {"a.py": CODE})
    if not tool.startswith("regex"):  # its text is a list, by its specification
        assert "no change" in result.text.lower()
        assert "Applied" not in result.text
    if "copy" not in str(arguments) and "toClipboard" not in str(arguments):
        assert "<patches_applied>all" not in result.text


CHANGING: dict[str, tuple[str, dict[str, Any]]] = {
    "patch": ("patch", {"path": "a.py", "patches": [{"oldText": "one", "newText": "uno"}]}),
    "file_edit": ("file_edit", {"path": "a.py", "edits": [{"old_text": "one", "new_text": "uno"}]}),
    "safe_edit": ("safe_edit", {"path": "a.py", "content": "three = 3\n"}),
    "apply_patch": ("apply_patch", {"input": V4A.format("one = 1", "one = 3")}),
    "create": ("str_replace_based_edit_tool", {"command": "create", "path": "a.py", "file_text": ""}),
    "regex_replace": ("regex_replace", {"file_path": "a.py", "pattern": "one", "replacement": "$&$&"}),
    "a new, empty file": ("patch", {"path": "b.py", "patches": [{"operation": "overwrite", "newText": ""}]}),
}


@pytest.mark.process
@pytest.mark.promise("teach.no-change")
@pytest.mark.parametrize(("tool", "arguments"), CHANGING.values(), ids=CHANGING)
@pytest.mark.parametrize("dry_run", [False, True])
def test_a_call_that_changes_something_does_not(tool: str, arguments: dict[str, Any], *, dry_run: bool) -> None:
    if dry_run and tool in {"safe_edit", "str_replace_based_edit_tool"}:
        arguments = {**arguments, "mode": "verify_only"} if tool == "safe_edit" else arguments
    elif dry_run:
        arguments = {**arguments, "dry_run": True}
    ws, _ = workspace({"a.py": CODE})
    result = ws.call(tool, arguments)
    assert "no_change" not in succeed(result)
    assert "no change" not in result.text.lower()
