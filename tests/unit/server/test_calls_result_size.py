"""The size of a sent result: valid Unicode, and never more than the limit."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it does not say its types

from suture import Settings, ToolResult, Workspace
from suture.apis import call_tool_result
from suture.server.calls import fit_result
from suture.testing import MemoryFS
from suture.tools import find
from tests.unit.changes import workspace

LIMIT = 20_000
LONG = b"red line\n" * 5_000
REGEX = ("regex_search", {"file_path": "a.txt", "pattern": "red"})


def call_tool(name: str, arguments: dict[str, Any], files: dict[str, bytes] | None = None) -> ToolResult:
    ws, _ = workspace(files or {"a.txt": LONG})
    return ws.call(name, arguments)


def size(sent: dict[str, Any]) -> int:
    return len(json.dumps(sent, ensure_ascii=False).encode())


def text(sent: dict[str, Any]) -> str:
    (block,) = sent["content"]
    content: str = block["text"]
    return content


def test_a_result_that_fits_is_sent_as_it_is() -> None:
    result = call_tool("file_read", {"path": "a.txt"})
    assert fit_result("file_read", result, 10_000_000) == call_tool_result("file_read", result)


def test_a_text_that_is_too_long_is_an_error_that_tells_by_how_much() -> None:
    sent = fit_result("file_read", call_tool("file_read", {"path": "a.txt"}), LIMIT)
    error = sent["structuredContent"]["error"]
    assert (sent["isError"], error["code"], error["limit"]) == (True, "RESULT_TOO_LARGE", LIMIT)
    assert error["size"] > len(LONG)
    Draft202012Validator(find("file_read").output_schema or {}).validate(sent["structuredContent"])


def test_a_list_that_is_too_long_is_an_error_that_tells_how_long() -> None:
    sent = fit_result("regex_search", call_tool(*REGEX), LIMIT)
    error = sent["_meta"]["error"]
    assert (sent["isError"], error["code"], error["total"]) == (True, "RESULT_TOO_LARGE", 5_000)
    assert "structuredContent" not in sent
    assert text(sent).count("\n") == 0


@pytest.mark.parametrize(
    ("name", "arguments", "where"),
    [
        (
            "file_edit",
            {"path": "a.txt", "edits": [{"old_text": "red", "new_text": "x" * 50, "occurrences": 5_000}]},
            "structuredContent",
        ),
        ("regex_replace", {"file_path": "a.txt", "pattern": "red", "replacement": "blue"}, "_meta"),
        ("safe_edit", {"path": "a.txt", "content": "new\n" * 5_000}, "structuredContent"),
        ("safe_edit", {"path": "a.txt", "content": "new" * 50_000}, "structuredContent"),
    ],
)
def test_what_landed_is_no_error_however_much_there_is_to_tell(name: str, arguments: Any, where: str) -> None:
    result = call_tool(name, arguments)
    assert size(call_tool_result(name, result)) > LIMIT
    sent = fit_result(name, result, LIMIT)
    assert not sent["isError"]
    assert sent[where]["change_id"] == result.metadata["change_id"]
    assert size(sent) <= LIMIT
    assert f"{LIMIT:,}" in text(sent)
    if where == "structuredContent":
        Draft202012Validator(find(name).output_schema or {}).validate(sent[where])


def test_an_error_that_is_too_long_is_cut() -> None:
    result = call_tool("file_edit", {"path": "a.txt", "edits": [{"old_text": "green\n" * 9_000, "new_text": ""}]})
    assert result.is_error
    sent = fit_result("file_edit", result, LIMIT)
    assert sent["isError"]
    assert sent["structuredContent"]["error"]["code"] == result.metadata["error"]["code"]
    assert size(sent) <= LIMIT
    Draft202012Validator(find("file_edit").output_schema or {}).validate(sent["structuredContent"])


def test_many_files_that_changed_stay_within_the_limit() -> None:
    files = {f"{'folder/' * 20}{number:04}.txt": b"red\n" for number in range(150)}
    fs = MemoryFS(files)
    replace = {"path_pattern": "**", "pattern": "red", "replacement": "blue"}
    result = Workspace(fs.root, Settings(), fs=fs).call("regex_replace_multi", replace)
    sent = fit_result("regex_replace_multi", result, LIMIT)
    assert (result.is_error, sent["isError"]) == (False, False)
    assert sent["_meta"]["change_id"] == result.metadata["change_id"]
    assert size(sent) <= LIMIT


def test_bytes_that_are_no_text_are_sent_as_text() -> None:
    result = ToolResult(is_error=False, answer="a\udce9b", metadata={"pa\udce9th": ["a\udce9", 1, None]})
    sent = fit_result("file_read", result, LIMIT)
    json.dumps(sent, ensure_ascii=False).encode()
    assert text(sent)[0] + text(sent)[-1] == "ab"
    latin = fit_result("file_read", call_tool("file_read", {"path": "b"}, {"b": b"caf\xe9\n"}), LIMIT)
    json.dumps(latin, ensure_ascii=False).encode()
    assert not latin["isError"]
