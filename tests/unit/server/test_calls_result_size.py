"""The size of a sent result: valid Unicode, and never more than the budget."""

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


def call_tool(name: str, arguments: dict[str, Any], files: dict[str, bytes] | None = None) -> ToolResult:
    ws, _ = workspace(files or {"a.txt": LONG})
    return ws.call(name, arguments)


def size(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def texts(sent: dict[str, Any]) -> list[str]:
    return [block["text"] for block in sent["content"]]


def check_against_schema(name: str, sent: dict[str, Any]) -> None:
    Draft202012Validator(find(name).output_schema or {}).validate(sent["structuredContent"])


def test_a_result_that_fits_is_sent_as_it_is() -> None:
    result = call_tool("file_read", {"path": "a.txt"})
    assert fit_result("file_read", result, 10_000_000) == call_tool_result("file_read", result)


def test_a_file_that_is_too_long_is_cut_and_can_be_read_on() -> None:
    sent = fit_result("file_read", call_tool("file_read", {"path": "a.txt"}), LIMIT)
    (text,), data = texts(sent), sent["structuredContent"]
    end = data["end_line"]
    assert (sent["isError"], data["truncated"], data["total_lines"]) == (False, True, 5_000)
    lines = text.split("\n")
    assert lines[end - 1] == f"{end:6d}\tred line"
    assert lines[end:] == ["", f"Note: truncated after line {end} of 5000; continue with start_line {end + 1}."]
    assert LIMIT - 500 < len(text) <= LIMIT
    check_against_schema("file_read", sent)


def test_a_list_that_is_too_long_is_cut_at_an_item_and_says_how_long_it_is() -> None:
    sent = fit_result("regex_search", call_tool("regex_search", {"file_path": "a.txt", "pattern": "red"}), LIMIT)
    rows, note = texts(sent)
    kept = json.loads(rows)
    assert [row["line"] for row in kept] == list(range(1, len(kept) + 1))
    assert note == (f"… {5_000 - len(kept):,} more matches (of 5,000); narrow the pattern or the files")
    assert ("structuredContent" in sent, sent["isError"]) == (False, False)


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
    sent = fit_result(name, result, LIMIT)
    assert not sent["isError"]
    assert sent[where]["change_id"] == result.metadata["change_id"]
    assert size(sent[where]) <= LIMIT
    assert sum(map(len, texts(sent))) <= LIMIT
    if where == "structuredContent":
        assert sent[where]["shortened"]
        check_against_schema(name, sent)


def test_the_verdict_below_a_diff_is_kept_and_its_fence_closed() -> None:
    result = call_tool("safe_edit", {"path": "a.txt", "content": "new\n" * 5_000})
    (text,) = texts(fit_result("safe_edit", result, LIMIT))
    assert text.startswith("**Diff Preview:**\n```diff\n")
    assert "more lines (of 10,0" in text.split("\n```\n\n")[0].split("\n")[-1]
    assert text.endswith(result.text.split("\n```\n\n")[1])


def test_an_error_that_is_too_long_is_cut() -> None:
    result = call_tool("file_edit", {"path": "a.txt", "edits": [{"old_text": "green\n" * 9_000, "new_text": ""}]})
    assert result.is_error
    sent = fit_result("file_edit", result, LIMIT)
    assert sent["isError"]
    assert sent["structuredContent"]["error"]["code"] == result.metadata["error"]["code"]
    assert sent["structuredContent"]["shortened"] == {
        "validation_error.search_text": 54_000,
        "error.search_text": 54_000,
    }
    check_against_schema("file_edit", sent)


def test_many_files_that_changed_stay_within_the_limit() -> None:
    files = {f"{'folder/' * 20}{number:04}.txt": b"red\n" for number in range(150)}
    fs = MemoryFS(files)
    replace = {"path_pattern": "**", "pattern": "red", "replacement": "blue"}
    result = Workspace(fs.root, Settings(), fs=fs).call("regex_replace_multi", replace)
    sent = fit_result("regex_replace_multi", result, LIMIT)
    assert (result.is_error, sent["isError"]) == (False, False)
    assert sent["_meta"]["change_id"] == result.metadata["change_id"]
    assert sent["_meta"]["shortened"] == {"files": 150}
    assert size(sent["_meta"]) <= LIMIT


def test_bytes_that_are_no_text_are_sent_as_text() -> None:
    result = ToolResult(is_error=False, answer="a\udce9b", metadata={"pa\udce9th": ["a\udce9", 1, None]})
    sent = fit_result("file_read", result, LIMIT)
    json.dumps(sent, ensure_ascii=False).encode()
    assert texts(sent)[0][0] + texts(sent)[0][-1] == "ab"
    latin = fit_result("file_read", call_tool("file_read", {"path": "b"}, {"b": b"caf\xe9\n"}), LIMIT)
    json.dumps(latin, ensure_ascii=False).encode()
    assert not latin["isError"]
