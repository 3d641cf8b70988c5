"""Every part of a call that fails is told, not only the first."""

from typing import Any

import pytest

from suture.tools import edit, patch
from suture.tools.spec import ToolResult
from tests.unit.changes import done, refused, workspace

CODE = b"import os\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n"


def edited(*edits: tuple[str, str], **more: Any) -> ToolResult:
    ws, fs = workspace({"a.py": CODE})
    result = ws.file_edit("a.py", [{"old_text": old, "new_text": new} for old, new in edits], **more)
    assert fs.files() == {"a.py": CODE}
    return result


def patched(*patches: dict[str, Any]) -> ToolResult:
    ws, fs = workspace({"a.py": CODE})
    result = ws.patch("a.py", list(patches))
    assert fs.files() == {"a.py": CODE}
    return result


def told(result: ToolResult) -> list[tuple[int, str]]:
    """The index and code of each failure, the first one included."""
    error = refused(result)
    first = error.get("edit_index", error.get("index", error.get("second", -1)))
    return [(first, error["code"]), *((each["index"], each["code"]) for each in error.get("further_failures", ()))]


@pytest.mark.promise("teach.all-failures")
def test_every_edit_that_fails_is_told_on_the_text_without_those_that_fail() -> None:
    result = edited(
        ("def three():", "x"),
        ("return 1", "return 5"),
        ("def one() :\n    return 5", "def one():\n    return 6"),
        ("return", "yield"),
        ("def two():\n    return 2\n", "def two():\n    # existing code\n"),
        ("import os", "import sys"),
    )
    assert told(result) == [(0, "NO_MATCH"), (2, "NO_MATCH"), (3, "WRONG_COUNT"), (4, "ELISION_IN_NEW_TEXT")]
    correction = refused(result)["further_failures"][0]["correction"]
    assert correction == {
        "old_text": "def one():\n    return 5",
        "new_text": "def one():\n    return 6",
        "start_line": 4,
        "end_line": 5,
    }
    assert result.metadata["validation_error"]["edit_index"] == 0
    assert [line.partition(":")[0] for line in result.text.split("\n")[-5:]] == [
        "3 more failures in this call",
        "- NO_MATCH",
        "  Send this edit instead",
        "- WRONG_COUNT",
        "- ELISION_IN_NEW_TEXT",
    ]


def test_lines_of_later_failures_are_those_of_the_file() -> None:
    result = edited(("nowhere", "x"), ("import os\n", ""), ("def too():\n    return 2", "x"))
    assert told(result) == [(0, "NO_MATCH"), (2, "NO_MATCH")]
    ws, _ = workspace({"a.py": CODE})
    again = refused(ws.file_edit("a.py", [{"old_text": "def two() :\n    return 2", "new_text": "x"}]))
    assert "further_failures" not in again


def test_what_an_earlier_edit_took_away_is_told_with_that_edit() -> None:
    result = edited(("nowhere", "x"), ("def one():\n    return 1\n", "pass\n"), ("return 1", "return 3"))
    (later,) = refused(result)["further_failures"]
    assert (later["index"], later["consumed_by"]) == (2, 1)


@pytest.mark.promise("teach.all-failures")
def test_only_placeholders_fail_and_all_of_them_are_told() -> None:
    result = edited(("return 1", "# existing code"), ("import os", "import re"), ("return 2", "# rest unchanged"))
    assert told(result) == [(0, "ELISION_IN_NEW_TEXT"), (2, "ELISION_IN_NEW_TEXT")]


@pytest.mark.promise("teach.all-failures")
def test_every_patch_that_fails_is_told() -> None:
    result = patched(
        {"oldText": "def three():", "newText": "x"},
        {"oldText": "return 1", "newText": "return 5"},
        {"oldText": "nowhere", "newText": "y", "toClipboard": "y"},
        {"operation": "append_eof", "fromClipboard": "y"},
        {"oldText": "import os", "fromClipboard": "y", "toClipboard": "z"},
        {"operation": "append_eof", "fromClipboard": "z"},
        {"oldText": "return", "newText": "yield"},
        {"oldText": "return 1", "newText": "k"},
    )
    expected = [(0, "OLD_TEXT_NOT_FOUND"), (2, "OLD_TEXT_NOT_FOUND"), (6, "OLD_TEXT_NOT_UNIQUE")]
    assert told(result) == [*expected, (7, "OVERLAPPING_PATCHES")]
    assert refused(result)["further_failures"][1]["places"] == [
        {"start_line": 5, "end_line": 5},
        {"start_line": 9, "end_line": 9},
    ]
    assert result.text.split("\n")[-4] == "3 more failures in this call:"


def test_one_failure_is_told_as_ever() -> None:
    for result in (edited(("nowhere", "x")), patched({"oldText": "nowhere", "newText": "x"})):
        assert "further_failures" not in refused(result)
        assert "more failure" not in result.text


@pytest.mark.promise("teach.all-failures")
def test_ten_are_looked_into_and_the_others_are_named() -> None:
    edits = [(f"retrun {number}", "x") for number in range(30)] + [("return", "x")]
    for result in (edited(*edits), patched(*({"oldText": old, "newText": new} for old, new in edits))):
        further = refused(result)["further_failures"]
        assert [each["index"] for each in further] == [*range(1, 31)]
        assert ["hint" in each for each in further] == [True] * 10 + [False] * 20
        assert all(each["message"] for each in further)
        assert result.text.split("\n")[-1] == "… and 20 more (error.further_failures)."


@pytest.mark.promise("teach.all-failures")
def test_what_takes_too_long_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(edit, "_PATIENCE", -1.0)
    monkeypatch.setattr(patch, "_PATIENCE", -1.0)
    edits = [(f"nowhere {number}", "x") for number in range(5)]
    for result in (edited(*edits), patched(*({"oldText": old, "newText": new} for old, new in edits))):
        assert refused(result)["unexamined"] == 4
        assert result.text.endswith("\n4 more parts not checked: time limit reached.")


def test_an_edit_that_is_meant_literally_lands() -> None:
    ws, fs = workspace({"a.py": CODE})
    edits = [{"old_text": "return 1", "new_text": "# existing code"}]
    done(ws.file_edit("a.py", edits, literal=True))
    assert b"    # existing code\n" in fs.files()["a.py"]
