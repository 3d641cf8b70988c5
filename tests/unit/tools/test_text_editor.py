"""`str_replace_based_edit_tool`: Anthropic's text editor. How a text is found is in the tests of `file_edit`."""

import errno
import json
import re
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, ToolResult, Workspace
from suture.engine import Engine
from suture.errors import EncodingMismatch, NoMatch, UnknownTool
from suture.shapes import FilePreview
from suture.testing import FaultyFS, MemoryFS
from suture.tools import AGENT_TOOLS, DIALECTS, TOOLS, all_tools, find
from suture.tools.text_editor import explain_text_editor
from tests.unit.changes import error_of, land, succeed, workspace, write
from tests.unit.file_edits import snapshot

NAME = "str_replace_based_edit_tool"
NO_MATCH = "Error: No match found for replacement. Please check your text and try again."
DENIED = "Error: Permission denied. Cannot write to file."
CODE = b"def one():\n    return 1\n\n\ndef two():\n    return 2\n"

Files = dict[str, bytes]


def ask(ws: Workspace, command: str, path: str = "a", **more: Any) -> ToolResult:
    return ws.call(NAME, {"command": command, "path": path, **more})


def view(files: Files, path: str = "a", settings: Settings | None = None, **more: Any) -> ToolResult:
    """The result of `view`, which changes nothing."""
    ws, fs = workspace(files, settings)
    state = snapshot(fs)
    result = ask(ws, "view", path, **more)
    assert snapshot(fs) == state
    return result


def failure(files: Files, command: str, settings: Settings | None = None, path: str = "a", **more: Any) -> ToolResult:
    """The result of a command that fails and changes nothing."""
    ws, fs = workspace(files, settings)
    state = snapshot(fs)
    result = ask(ws, command, path, **more)
    assert result.is_error, result.text
    assert snapshot(fs) == state
    return result


def head(result: ToolResult) -> str:
    return result.text.split("\n")[0]


# The list of tools


def test_the_dialects_are_found_by_name_and_are_in_no_list() -> None:
    assert [find(name).name for name in DIALECTS] == list(DIALECTS)
    assert [spec.name for spec in all_tools()] == sorted(TOOLS)


@pytest.mark.parametrize(
    ("name", "near"), [("str_replace_editor", NAME), ("aply_patch", "apply_patch"), ("file_edits", "file_edit")]
)
def test_a_name_that_is_none_may_mean_a_dialect_but_only_tools_are_known(name: str, near: str) -> None:
    with pytest.raises(UnknownTool) as caught:
        find(name)
    assert caught.value.near[0] == near
    assert caught.value.known == sorted([*TOOLS, *AGENT_TOOLS])


@pytest.mark.parametrize("name", DIALECTS)
def test_a_dialect_is_described_and_plans(name: str) -> None:
    spec = find(name)
    assert spec.title
    assert 0 < len(spec.description) <= 1024, "some servers take no more"
    assert spec.plan is not None
    assert all(argument["description"] for argument in spec.request.schema()["properties"].values())
    assert not spec.annotations["readOnlyHint"]


# view of a file


def test_a_view_needs_no_lock() -> None:
    fs = MemoryFS({"a": b"x\n"})
    ws = Workspace(fs.root, Settings(lock_timeout_ms=0), fs=fs)
    with Engine(fs.root, fs=fs).session() as session, session.locked():
        assert error_of(ask(ws, "create", file_text="y"))["code"] == "WORKSPACE_BUSY"
        assert succeed(ask(ws, "view"))["path"] == "a"


# view of a folder


def test_links_are_listed_and_those_inside_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "x.txt").write_text("x\n")
    (tmp_path / "real" / ".gitignore").symlink_to("nowhere")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "out").symlink_to("/")
    ws = Workspace(tmp_path)
    assert succeed(ask(ws, "view", "."))["entries"] == ["link", "out", "real/", "real/x.txt"]
    assert succeed(ask(ws, "view", "link"))["entries"] == ["real/x.txt"]
    assert error_of(ask(ws, "view", "out"))["code"] == "PATH_OUTSIDE_WORKSPACE"


def test_a_folder_below_another_root_is_named_in_full(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two" / "sub").mkdir(parents=True)
    (tmp_path / "two" / "sub" / "x").write_text("")
    other = str(tmp_path / "two")
    ws = Workspace(tmp_path / "one", Settings(extra_roots=(other,)))
    assert succeed(ask(ws, "view", other))["entries"] == [f"{other}/sub/", f"{other}/sub/x"]
    assert succeed(ask(ws, "view", f"{other}/sub"))["entries"] == [f"{other}/sub/x"]


def test_an_empty_folder_says_so(tmp_path: Path) -> None:
    assert ask(Workspace(tmp_path), "view", ".").text == ". has no files or folders to show."


@pytest.mark.parametrize(
    ("files", "first", "last"),
    [
        ({f"d/{n:04}": b"" for n in range(1500)}, "d/0000", "d/0999"),
        ({f"d/a/{n:04}": b"" for n in range(1500)} | {"d/b/x": b""}, "d/a/", "d/b/"),
    ],
)
def test_a_big_folder_is_cut_and_says_so(files: Files, first: str, last: str) -> None:
    result = view(files, "d")
    entries = succeed(result)["entries"]
    assert (len(entries), entries[0], entries[-1]) == (1000, first, last)
    assert succeed(result)["truncated"]
    assert result.text.endswith("Note: truncated after 1,000 entries; view one of the folders to see all of it.")


@pytest.mark.parametrize(
    ("call", "number", "expected"),
    [
        ("list", 2, ["d/sub/", "d/y"]),  # the folder in it
        ("scan", 2, ["d/sub/", "d/y"]),
        ("open_file", 1, ["d/ignored", "d/sub/", "d/sub/x", "d/y"]),  # the .gitignore
        ("list", 1, "PERMISSION_DENIED"),
        ("scan", 1, "PERMISSION_DENIED"),
    ],
)
def test_what_may_not_be_read_is_passed_over_but_for_the_folder_itself(
    call: str, number: int, expected: object
) -> None:
    inner = MemoryFS({"d/sub/x": b"", "d/.gitignore": b"ignored\n", "d/ignored": b"", "d/y": b""})
    fs = FaultyFS(inner, fail_at=number, error=errno.EACCES, only={call})
    result = ask(Workspace(inner.root, fs=fs), "view", "d")
    assert expected == (error_of(result)["code"] if result.is_error else succeed(result)["entries"])
    if result.is_error:
        assert head(result) == "Error: Permission denied. Cannot read file."


def test_a_gitignore_that_is_too_large_counts_as_empty() -> None:
    files = {".gitignore": b"x\n" + b"#" * (1 << 20), "x": b""}
    assert succeed(view(files, "."))["entries"] == ["x"]


# str_replace


def test_a_text_that_is_there_often_is_refused_with_its_lines() -> None:
    result = failure({"a": b"x = 1\ny = 2\nx = 1\nz\n  x = 1\n"}, "str_replace", old_str="x = 1", new_str="x = 2")
    assert head(result) == (
        "Error: Found 3 matches for replacement text. Please provide more context to make a unique match."
    )
    error = error_of(result)
    assert (error["code"], error["actual_occurrences"]) == ("WRONG_COUNT", 3)
    assert [location["line_number"] for location in error["match_locations"]] == [1, 3, 5]
    assert re.findall(r"^  Line (\d), column (\d)", result.text, re.MULTILINE) == [("1", "1"), ("3", "1"), ("5", "3")]


def test_the_longer_texts_that_are_offered_occur_once() -> None:
    before = b"def f():\n    return 1\n\ndef g():\n    return 1\n"
    ws, _ = workspace({"a": before})
    result = ask(ws, "str_replace", old_str="return 1", new_str="return 2")
    offered = [json.loads(example)["old_str"] for example in re.findall(r"once: (.*)", result.text)]
    assert len(offered) == 2
    assert [before.count(text.encode()) for text in offered] == [1, 1]


def test_a_text_that_was_replaced_since_says_so() -> None:
    ws, _ = workspace({"a": CODE})
    land(ws, write("a", CODE.replace(b"return 1", b"raise ValueError")))
    result = ask(ws, "str_replace", old_str="def one():\n    return 1\n", new_str="def one():\n    return 9\n")
    assert head(result) == NO_MATCH
    assert "raise ValueError" in result.text
    assert "view it again" in result.text


BASE: dict[str, Any] = {
    "path": "a",
    "edit_index": 0,
    "total_edits": 1,
    "search_text": "one\n",
    "expected_occurrences": 1,
    "rung": None,
    "similar_content": [],
    "indent": {"style": "spaces", "width": 4},
    "file_preview": FilePreview(total_lines=1, preview_start_line=1, preview_end_line=1, content="two", highlights=[]),
}
SIDES = {"line": 7, "base": "one\n", "ours": "two\n", "theirs": "three\n"}


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"why": "conflict", "sides": SIDES}, "Line 7 is not what the change assumes:\n  in old_str:  one\n"),
        (
            {"why": "conflict", "sides": {**SIDES, "base": "", "ours": "\n"}},
            "Searched a for: one\nNothing was changed.",
        ),
        ({"why": "partly_applied"}, "send only the rest."),
        ({"why": "elided"}, "Write out what is left out"),
        ({"why": "missing"}, "View the file, and copy old_str from it exactly"),
        ({"why": "missing", "applied": {"start_line": 2, "end_line": 3, "change_id": None}}, "already at lines 2-3.\n"),
    ],
)
def test_why_an_edit_does_not_fit_is_reported(fields: dict[str, Any], expected: str) -> None:
    answer = explain_text_editor({"command": "str_replace", "path": "a"}, NoMatch(**BASE, **fields))
    assert answer.text.startswith(f"{NO_MATCH}\n")
    assert expected in answer.text
    assert answer.data["error"]["hint"] == answer.text.split("\n")[-1]


def test_a_configured_encoding_that_is_wrong_is_for_the_operator_to_fix() -> None:
    answer = explain_text_editor({}, EncodingMismatch(encoding="utf-7", reason="cannot be cut at this place"))
    assert (answer.data["command"], answer.data["path"]) == (None, None)
    assert "--set encodings=GLOB=ENCODING" in answer.text


# Failures of every command

CALLS: dict[str, dict[str, Any]] = {
    "view": {},
    "str_replace": {"old_str": "a", "new_str": "b"},
    "create": {"file_text": "b"},
    "insert": {"insert_line": 0, "insert_text": "b"},
}


@pytest.mark.parametrize("command", CALLS)
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../a", "PATH_OUTSIDE_WORKSPACE"),
        ("/etc/passwd", "PATH_OUTSIDE_WORKSPACE"),
        (".git/config", "PROTECTED_PATH"),
        ("a/b", "NOT_A_FOLDER"),
        ("binary", "BINARY_FILE"),
        ("pipe", "NOT_A_FILE"),
        ("", "INVALID_PATH"),
    ],
)
def test_what_no_tool_may_touch_this_one_may_not(command: str, path: str, code: str) -> None:
    ws, fs = workspace({"a": b"a\n", "binary": b"a\0b", ".git/config": b"a\n"})
    fs.put_special("pipe")
    before = fs.files()
    result = ask(ws, command, path, **CALLS[command])
    assert error_of(result)["code"] == code
    assert head(result) == f"Error: {error_of(result)['message']}"
    assert (fs.files(), succeed(ws.history())["changes"]) == (before, [])


@pytest.mark.parametrize("command", ["str_replace", "create", "insert"])
def test_a_file_that_may_not_be_written_is_refused(command: str) -> None:
    ws, fs = workspace({"a": b"a\n"})
    fs.node_of("a").mode = 0o444
    result = ask(ws, command, **CALLS[command])
    assert head(result) == DENIED
    assert error_of(result)["code"] == "PERMISSION_DENIED"
    assert fs.files() == {"a": b"a\n"}


def test_a_text_that_is_offered_stands_once_also_where_it_ends_with_an_empty_line() -> None:
    before = "class A:\n    def run(self):\n        return 1\n\n    def stop(self):\n        return 1\n\n\n"
    before += "class B:\n    def run(self):\n        return 1\n"
    offered = []
    for old in ("retrun 1", "return 1", "return  1;"):
        fs = MemoryFS({"a.py": before.encode()})
        workspace = Workspace(fs.root, fs=fs)
        for _ in range(2):
            call = {"command": "str_replace", "path": "a.py", "old_str": old, "new_str": "x"}
            text = workspace.call(NAME, call).text
            offered += [
                json.loads(line[line.index("{") :])["old_str"]
                for line in text.split("\n")
                if "which occurs once" in line
            ]
    assert offered
    assert [before.count(text) for text in offered] == [1] * len(offered)
