"""What `file_edit` takes for a request, and what it warns of."""

from typing import Any

import pytest

from suture import ToolResult
from tests.unit.changes import workspace

ONE = {"old_text": "two", "new_text": "2"}


def asked(before: bytes, **arguments: Any) -> tuple[ToolResult, bytes]:
    ws, fs = workspace({"a.py": before})
    return ws.call("file_edit", arguments), fs.files()["a.py"]


def made(before: bytes, **arguments: Any) -> bytes:
    result, after = asked(before, **arguments)
    assert not result.is_error, result.text
    return after


def problems(**arguments: Any) -> list[tuple[str, str]]:
    result, after = asked(b"one\ntwo\n", **arguments)
    assert result.is_error, result.text
    assert after == b"one\ntwo\n"
    error = result.metadata["error"]
    assert error["code"] == "INVALID_ARGUMENTS"
    return [(each["argument"], each["problem"]) for each in error["problems"]]


@pytest.mark.parametrize(
    "edits",
    [
        ONE,
        [ONE],
        '[{"old_text": "two", "new_text": "2"}]',
        [{"old_string": "two", "new_string": "2"}],
        [{"old_str": "two", "new_str": "2"}],
        [{"oldText": "two", "newText": "2", "expected_replacements": 1}],
        [{**ONE, "occurrences": None}],
        [{**ONE, "replace_all": False}],
    ],
)
def test_an_edit_may_have_the_names_of_other_tools(edits: Any) -> None:
    assert made(b"one\ntwo\n", path="a.py", edits=edits) == b"one\n2\n"


@pytest.mark.parametrize(
    "arguments",
    [
        {"path": "a.py", **ONE},
        {"path": "a.py", "old_string": "two", "new_string": "2", "dry_run": None, "encoding": None},
        {"path": "a.py", "edits": None, **ONE, "occurrences": 1},
        {"file_path": "a.py", **ONE},
        {"file_path": "a.py", "path": None, "edits": [ONE]},
    ],
)
def test_one_edit_may_stand_beside_the_path_and_null_is_left_out(arguments: dict[str, Any]) -> None:
    assert made(b"one\ntwo\n", **arguments) == b"one\n2\n"


@pytest.mark.parametrize(
    ("arguments", "argument"),
    [
        ({"edits": [{**ONE, "old_string": "two"}]}, "old_string"),
        ({"edits": [{"old_text": "two"}]}, "new_text"),
        ({"edits": [{**ONE, "replace_all": True}]}, "replace_all"),
        ({"edits": [ONE], "file_path": "a.py"}, "file_path"),
        ({"edits": [{**ONE, "occurrences": 0}]}, "occurrences"),
        ({"edits": [{**ONE, "ocurrences": 1}]}, "ocurrences"),
        ({"edits": [{"old_text": None, "new_text": "2"}]}, "old_text"),
        ({"edits": []}, "edits"),
        ({"edits": [ONE], **ONE}, "old_text"),
    ],
)
def test_what_does_not_fit_is_named(arguments: dict[str, Any], argument: str) -> None:
    (named, _), *_ = problems(path="a.py", **arguments)
    assert named.endswith(argument)


@pytest.mark.parametrize("arguments", [{"edits": []}, {"edits": None}, {}])
def test_no_edits_are_told_in_the_words_of_the_specification(arguments: dict[str, Any]) -> None:
    assert [problem for _, problem in problems(path="a.py", **arguments)] == ["No edits provided"]


# What may not have been meant


@pytest.mark.parametrize(
    ("before", "old", "new", "warned"),
    [
        (b"x = 1\ny = 2\n", "y = 2\n", "y = 2\nz = 3\n", ""),
        (b"x = 1\ny = 2\nz = 3\n", "y = 2\n", "y = 2\nz = 3\n", "new_text stood there already"),
        (b"import a\nimport b\n", "import b\n", "import a\nimport b\n", "new_text stood there already"),
        (b"x = 1\n", "x = 1", "x = 1", ""),
        (b"x = 1\n", "x = 1\n", "x = 1\n# ... existing code ...\n", "new_text seems to contain a placeholder"),
        (b"x = 1\n", "x = 1\n", "x = 1\n// … rest of the code …\n", "new_text seems to contain a placeholder"),
        (b"x = 1\n", "x = 1\n", "x = [*a, ...]\n", ""),
        (b"# ... existing code ...\nx = 1\n", "# ... existing code ...\nx", "# ... existing code ...\ny", ""),
        (b"x = 1\n", "1", "'a\0b'", "new_text holds a NUL"),
        (b"if a:\n    b()\n", "b()", "b()\nc()", "old_text begins inside the indentation of its line"),
        (b"if a:\n    b()\n", "b()", "b()\n\n    c()", ""),
        (b"if a:\n    b()\n", "b()", "c()\n", ""),
        (b"if a:\n\tb()\n", "b()", "b()\n    c()", "old_text begins inside the indentation of its line"),
    ],
)
def test_what_may_not_have_been_meant_is_done_with_a_warning(before: bytes, old: str, new: str, warned: str) -> None:
    result, after = asked(before, path="a.py", edits=[{"old_text": old, "new_text": new}])
    assert not result.is_error, result.text
    assert after == before.replace(old.encode(), new.encode())
    warnings = result.metadata["warnings"]
    assert [each.startswith(f"edits[0]: {warned}") for each in warnings] == [True] * bool(warned)
    assert all(f"warning: {each}" in result.text for each in warnings)
