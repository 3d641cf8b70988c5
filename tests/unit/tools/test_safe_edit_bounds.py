"""What `safe_edit` refuses because it is too much, and what it warns of."""

from pathlib import Path
from typing import Any

import pytest

from suture import Settings, Workspace

FAST = Settings(durability="fast", history=False)


def ask(root: Path, settings: Settings = FAST, **arguments: Any) -> Any:
    (root / "a.txt").write_bytes(b"aaaa\r\nb\r\n")
    return Workspace(root, settings).call("safe_edit", {"path": "a.txt", **arguments})


def search(what: str, by: str = "x", **others: Any) -> dict[str, Any]:
    return {"search": what, "replace": by, **others}


@pytest.mark.promise("bound.input")
@pytest.mark.parametrize(
    ("settings", "arguments", "code"),
    [
        ({"max_replacements": 3}, {"search_replace": search("a")}, "TOO_MANY_REPLACEMENTS"),
        ({"max_replacements": 3}, {"search_replace": search("a", regex=True)}, "TOO_MANY_REPLACEMENTS"),
        ({"max_file_bytes": 20}, {"search_replace": search("a", "x" * 9)}, "INPUT_TOO_LARGE"),
        ({"max_result_bytes": 20}, {"search_replace": search("a", "x" * 9, regex=True)}, "INPUT_TOO_LARGE"),
        ({"max_pattern_chars": 5}, {"search_replace": search("a" * 6, regex=True)}, "INPUT_TOO_LARGE"),
        (
            {"max_edits": 1},
            {"line_edits": [{"start_line": n, "end_line": n, "new_content": ""} for n in (1, 2)]},
            "INPUT_TOO_LARGE",
        ),
    ],
)
def test_too_much_is_refused(tmp_path: Path, settings: dict[str, int], arguments: dict[str, Any], code: str) -> None:
    result = ask(tmp_path, FAST.but(**settings), **arguments)
    assert result.metadata["error"]["code"] == code
    assert (tmp_path / "a.txt").read_bytes() == b"aaaa\r\nb\r\n"


def test_a_count_may_lie_below_the_bound(tmp_path: Path) -> None:
    result = ask(tmp_path, FAST.but(max_replacements=3), search_replace=search("a", count=3))
    assert result.data["replacements"] == 3


def test_whole_content_that_changes_line_ends_is_written_and_told(tmp_path: Path) -> None:
    result = ask(tmp_path, content="x\n", show_diff=False)
    assert result.text.split("\n")[1:2] == [
        "warning: the file's lines ended with CRLF; those of content end with LF, and are taken so."
    ]
    assert (tmp_path / "a.txt").read_bytes() == b"x\n"


def test_a_generated_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "poetry.lock").write_text("a = 1\n")
    result = Workspace(tmp_path, FAST).call("safe_edit", {"path": "poetry.lock", "content": "a = 2\n"})
    assert "warning: poetry.lock is a lock file" in result.text


@pytest.mark.process
def test_other_names_and_shapes_of_arguments(tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("x = 1\n")
    arguments = {"file_path": "b.py", "content": "import os\n", "mode": "verify_only", "show_diff": "false"}
    result = Workspace(tmp_path, FAST).call("safe_edit", arguments)
    assert result.text == "✅ Validation Passed\n⚠️ Warnings:\nb.py:1:8 F401 `os` imported but unused (warning)"


def test_a_new_text_that_ends_with_a_lone_carriage_return_ends_its_line(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_bytes(b"a\nb\n")
    edit = {"start_line": 1, "end_line": 1, "new_content": "x\r"}
    assert not Workspace(tmp_path, FAST).call("safe_edit", {"path": "b.txt", "line_edits": [edit]}).is_error
    assert (tmp_path / "b.txt").read_bytes() == b"x\r\nb\n"


@pytest.mark.promise("safe.texts")
@pytest.mark.parametrize("mode", [b"x", 1.5, ["strict"]])
def test_whatever_the_mode_is_the_answer_is_json(tmp_path: Path, mode: object) -> None:
    import json  # noqa: PLC0415  only here

    assert json.dumps(ask(tmp_path, content="x", mode=mode).to_dict())
