"""The tool `file_edit`: the shape of its arguments and of every answer."""

import json
from pathlib import Path
from typing import Any

import pytest

from suture import Settings
from suture.tools import find
from tests.unit.changes import error_of, git_apply, hash_of, list_changes, succeed, workspace
from tests.unit.file_edits import Edit, ask, edit, failure, part, snapshot, wrong

TYPES = {"NO_MATCH", "WRONG_COUNT", "FILE_NOT_FOUND", "BINARY_FILE", "PERMISSION_DENIED"}
FIXES = {
    "USE_EXACT_TEXT",
    "ADJUST_COUNT",
    "ESCAPE_SPECIAL",
    "CHECK_WHITESPACE",
    "ALREADY_APPLIED",
    "TARGET_DELETED",
}

# Success


@pytest.mark.promise("edit.shape")
def test_a_success_has_exactly_this_shape() -> None:
    ws, _ = workspace({"src/a.py": b"one\ntwo\nthree\ntwo\n"})
    result = ask(ws, "src/a.py", edit("two", "2", 2), edit("three\n", ""))
    after = b"one\n2\n2\n"
    expected = {
        "path": "src/a.py",
        "diff": {
            "unified": "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n+++ b/src/a.py\n@@ -1,4 +1,3 @@\n one\n"
            "-two\n-three\n-two\n+2\n+2\n",
            "added": 2,
            "removed": 3,
            "truncated": False,
        },
        "edits_applied": [
            {"edit_index": 0, "occurrences_replaced": 2, "line_numbers": [2, 4]},
            {"edit_index": 1, "occurrences_replaced": 1, "line_numbers": [3]},
        ],
        "total_replacements": 3,
        "change_id": list_changes(ws)[0]["change_id"],
        "hash": hash_of(after),
    }
    assert part(succeed(result), expected) == expected
    assert not {"validation_error", "suggested_fixes", "file_preview", "error", "preview"} & set(result.metadata)
    assert result.to_dict() == {
        "isError": False,
        "content": [{"type": "text", "text": result.text}],
        "metadata": result.metadata,
    }
    json.dumps(result.to_dict())


@pytest.mark.process
@pytest.mark.parametrize("before", [b"a\nb\nc\n" * 20, b"a\r\nb\r\nc" * 20, "é\n\tb\nc".encode() * 5, b"b" * 20])
def test_git_applies_the_diff(tmp_path: Path, before: bytes) -> None:
    ws, fs = workspace({"src/a": before})
    data = succeed(ask(ws, "src/a", edit("b", "one\ntwo", before.count(b"b"))))
    assert git_apply(tmp_path, {"src/a": before}, data["diff"]["unified"]) == fs.files()


# Failures


@pytest.mark.parametrize(
    ("edits", "code"),
    [
        ([edit("nowhere", "x"), edit("one", "1")], "NO_MATCH"),
        ([edit("one", "1"), edit("nowhere\nat all", "x", 2)], "NO_MATCH"),
        ([edit("one", "1"), edit("two", "x")], "WRONG_COUNT"),
    ],
)
@pytest.mark.promise("edit.shape")
def test_a_validation_error_has_the_fields_of_the_specification(edits: list[Edit], code: str) -> None:
    result = failure(b"one\ntwo\nthree\ntwo\n", *edits, path="src/a.py")
    problem, error = wrong(result), error_of(result)
    index = next(at for at, edit in enumerate(edits) if edit["old_text"] != "one")
    assert result.metadata["path"] == "src/a.py"
    expected = {"type": code, "edit_index": index, "total_edits": 2}
    assert part(problem, expected) == expected
    assert problem["message"].startswith(f"Edit {index + 1} of 2 failed: ")
    assert (error["code"], error["retryable"]) == (code, False)
    assert error["message"]
    assert error["hint"]
    assert all(fix["type"] in FIXES and fix["suggestion"] for fix in result.metadata["suggested_fixes"])
    assert not {"diff", "edits_applied", "total_replacements", "preview", "would_modify"} & set(result.metadata)
    json.dumps(result.to_dict())


def test_thousands_of_places_are_complete_in_the_metadata() -> None:
    problem = wrong(failure(b"x\n" * 20_000, edit("x", "y")))
    assert (problem["actual_occurrences"], len(problem["match_locations"])) == (20_000, 20_000)
    assert problem["match_locations"][-1]["line_number"] == 20_000


def test_the_line_of_a_place_is_reported_in_full() -> None:
    line = "q " * 5_000 + "x and x"
    problem = wrong(failure(f"{line}\n".encode(), edit("x", "y")))
    assert [location["column_start"] for location in problem["match_locations"]] == [10_001, 10_007]
    assert [location["line_content"] for location in problem["match_locations"]] == [line, line]


@pytest.mark.parametrize(
    ("path", "more", "code"),
    [
        ("a", {"edits": [edit("nowhere", "x")]}, "NO_MATCH"),
        ("a", {"edits": [edit("one", "x", 2)]}, "WRONG_COUNT"),
        ("b", {"edits": [edit("one", "x")]}, "FILE_NOT_FOUND"),
        ("bin", {"edits": [edit("one", "x")]}, "BINARY_FILE"),
        ("ro", {"edits": [edit("one", "x")]}, "PERMISSION_DENIED"),
        ("large", {"edits": [edit("one", "x")]}, "INPUT_TOO_LARGE"),
        ("a", {"edits": [edit("one", "x")] * 4}, "INPUT_TOO_LARGE"),
        ("../a", {"edits": [edit("one", "x")]}, "PATH_OUTSIDE_WORKSPACE"),
        (".git/config", {"edits": [edit("one", "x")]}, "PROTECTED_PATH"),
        ("sub", {"edits": [edit("one", "x")]}, "NOT_A_FILE"),
        ("a", {"edits": [edit("one", "x")], "expect_hash": hash_of(b"")}, "FILE_CHANGED"),
        ("l1", {"edits": [edit("one", "é")]}, "ENCODING_UNKNOWN"),
        ("l1", {"edits": [edit("one", "→")], "encoding": "latin-1"}, "NOT_ENCODABLE"),
        ("a", {"edits": []}, "INVALID_ARGUMENTS"),
    ],
)
@pytest.mark.promise("edit.shape")
def test_the_path_and_the_error_are_always_in_the_metadata(path: str, more: dict[str, Any], code: str) -> None:
    files = {"a": b"one\n", "bin": b"\0one", "ro": b"one\n", "large": b"one\n" * 50, "sub/c": b"", "l1": b"one \xe9\n"}
    ws, fs = workspace({**files, ".git/config": b"one\n"}, Settings(max_file_bytes=100, max_edits=3))
    fs.node_of("ro").mode = 0o444
    state = snapshot(fs)
    result = ws.call("file_edit", {"path": path, **more})
    error = error_of(result)
    assert (error["code"], result.metadata["path"]) == (code, path)
    assert error["message"]
    assert error["hint"]
    assert error["retryable"] is (code == "FILE_CHANGED")
    assert result.to_dict()["isError"] is True
    if code in TYPES:
        problem = wrong(result)
        assert (problem["type"], problem["total_edits"], type(problem["edit_index"])) == (code, 1, int)
        assert problem["message"]
    assert snapshot(fs) == state


# Bounds


@pytest.mark.promise("edit.bounds")
def test_more_edits_than_allowed_are_refused_with_the_setting() -> None:
    edits = [edit("x", "x")] * 1_001
    result = failure(b"x", *edits)
    expected = {"code": "INPUT_TOO_LARGE", "size": 1_001, "limit": 1_000, "setting": "max_edits"}
    assert part(error_of(result), expected) == expected
    assert "max_edits" in result.text
    ws, _ = workspace({"a": b"x"})
    assert succeed(ask(ws, "a", *edits[:1_000]))["total_replacements"] == 1_000


@pytest.mark.promise("edit.bounds")
def test_a_result_that_is_too_large_is_refused_before_it_is_made() -> None:
    ws, _ = workspace({"a": b"x" * 90}, Settings(max_file_bytes=100))
    error = ask(ws, "a", edit("x", "y" * 1_000_000, 90)).metadata["error"]
    assert (error["code"], error["setting"], error["size"]) == ("INPUT_TOO_LARGE", "max_file_bytes", 90_000_000)


# Arguments


@pytest.mark.promise("edit.shape")
def test_the_schema_has_the_fields_of_the_specification() -> None:
    schema = find("file_edit").request.schema()
    item = schema["properties"]["edits"]["items"]
    assert schema["properties"]["edits"]["type"] == "array"
    assert list(schema["properties"]) == [
        *("path", "edits", "dry_run", "encoding", "expect_hash", "validate", "literal")
    ]
    assert schema["required"] == ["path", "edits"]
    assert list(item["properties"]) == ["old_text", "new_text", "occurrences"]
    assert item["required"] == ["old_text", "new_text"]
    count = {"type": "integer", "minimum": 1, "default": 1}
    assert part(item["properties"]["occurrences"], count) == count
    assert schema["properties"]["dry_run"]["default"] is False


def test_a_call_never_raises() -> None:
    ws, fs = workspace({"a": b"a\n"})
    calls: list[Any] = [None, [], "", 3, {"edits": {}}, {"path": "", "edits": [edit("a", "b")]}]
    calls += [{"path": "a\0b", "edits": [edit("a", "b")]}, {"path": "a", "edits": [[]]}]
    calls += [{"path": "a", "edits": [{1: 2}]}, {"path": "a", "edits": "{" * 5_000}]
    for arguments in calls:
        error = error_of(ws.call("file_edit", arguments))
        assert error["code"] != "INTERNAL"
    assert fs.files() == {"a": b"a\n"}


def test_a_long_diff_is_whole_in_the_metadata_and_cut_in_the_text() -> None:
    before = b"x\n" * 1_000
    ws, _ = workspace({"a": before})
    result = ask(ws, "a", edit("x", "y", 1_000))
    data = succeed(result)
    assert (data["diff"]["added"], data["diff"]["removed"]) == (1_000, 1_000)
    assert data["diff"]["unified"].count("\n+y") == 1_000
    assert len(result.text.split("\n")) < 450
    assert data["edits_applied"][0]["line_numbers"] == list(range(1, 1_001))
