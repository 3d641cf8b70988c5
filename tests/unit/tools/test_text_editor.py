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
from suture.testing import FaultyFS, MemoryFS
from suture.tools import DIALECTS, TOOLS, every, find
from suture.tools.spec import Example
from suture.tools.text_editor import explain_text_editor
from tests.unit.changes import done, hashed, land, recorded, refused, workspace, write
from tests.unit.file_edits import seen

NAME = "str_replace_based_edit_tool"
NO_MATCH = "Error: No match found for replacement. Please check your text and try again."
NOT_FOUND = "Error: File not found"
DENIED = "Error: Permission denied. Cannot write to file."
CODE = b"def one():\n    return 1\n\n\ndef two():\n    return 2\n"

Files = dict[str, bytes]


def ask(ws: Workspace, command: str, path: str = "a", **more: Any) -> ToolResult:
    return ws.call(NAME, {"command": command, "path": path, **more})


def viewed(files: Files, path: str = "a", settings: Settings | None = None, **more: Any) -> ToolResult:
    """What `view` tells, which touches nothing."""
    ws, fs = workspace(files, settings)
    untouched = seen(fs)
    result = ask(ws, "view", path, **more)
    assert seen(fs) == untouched
    return result


def written(before: bytes, command: str, **more: Any) -> bytes:
    """A file's bytes after a command that is one recorded change, which `undo` takes back."""
    ws, fs = workspace({"a": before})
    done(ask(ws, command, **more))
    after = fs.files()["a"]
    (change,) = recorded(ws)
    assert (change["tool"], [each["path"] for each in change["files"]]) == (NAME, ["a"])
    done(ws.undo())
    assert fs.files() == {"a": before}
    return after


def failed(files: Files, command: str, settings: Settings | None = None, path: str = "a", **more: Any) -> ToolResult:
    """What a command is told that fails, and changes nothing."""
    ws, fs = workspace(files, settings)
    untouched = seen(fs)
    result = ask(ws, command, path, **more)
    assert result.is_error, result.text
    assert seen(fs) == untouched
    return result


def head(result: ToolResult) -> str:
    return result.text.split("\n")[0]


def call_in(result: ToolResult) -> dict[str, Any]:
    """The call that a failure says to send instead."""
    call: dict[str, Any] = json.loads(result.text[result.text.index('{"command"') :].split("\n")[0])
    return call


# The list of tools


def test_the_dialects_are_found_by_name_and_stand_in_no_list() -> None:
    assert [find(name).name for name in DIALECTS] == list(DIALECTS)
    assert [spec.name for spec in every()] == sorted(TOOLS)


@pytest.mark.parametrize(
    ("name", "near"), [("str_replace_editor", NAME), ("aply_patch", "apply_patch"), ("file_edits", "file_edit")]
)
def test_a_name_that_is_none_may_mean_a_dialect_but_only_tools_are_known(name: str, near: str) -> None:
    with pytest.raises(UnknownTool) as caught:
        find(name)
    assert caught.value.near[0] == near
    assert caught.value.known == sorted(TOOLS)


EXAMPLES = [(name, example) for name in DIALECTS for example in find(name).examples]


@pytest.mark.parametrize(("name", "example"), EXAMPLES, ids=[f"{name}-{each.title}" for name, each in EXAMPLES])
def test_an_example_gives_what_it_shows(name: str, example: Example) -> None:
    ws, _ = workspace({path: content.encode() for path, content in example.files.items()})
    result = ws.call(name, example.arguments)
    assert (result.is_error, result.text) == (False, example.text)


@pytest.mark.parametrize("name", DIALECTS)
def test_a_dialect_is_described_and_plans(name: str) -> None:
    spec = find(name)
    assert spec.title
    assert 0 < len(spec.description) <= 1024, "some servers take no more"
    assert spec.plan is not None
    assert all(each["description"] for each in spec.request.schema()["properties"].values())
    assert not spec.annotations["readOnlyHint"]


# view of a file


def test_a_file_comes_numbered() -> None:
    result = viewed({"a": CODE})
    assert result.text.split("\n")[:2] == ["     1\tdef one():", "     2\t    return 1"]
    assert done(result) == {
        "command": "view",
        "path": "a",
        "hash": hashed(CODE),
        "total_lines": 6,
        "start_line": 1,
        "end_line": 6,
        "truncated": False,
    }


@pytest.mark.parametrize(
    ("before", "view_range", "text"),
    [
        (b"one\ntwo\nthree\n", [2, 2], "     2\ttwo"),
        (b"one\ntwo\nthree\n", [2, -1], "     2\ttwo\n     3\tthree"),
        (b"one\ntwo\nthree\n", [1, 3], "     1\tone\n     2\ttwo\n     3\tthree"),
        (b"one\ntwo\nthree\n", "[2, 3]", "     2\ttwo\n     3\tthree"),
        (b"one\ntwo\nthree\n", ["2", 2.0], "     2\ttwo"),
        (b"one\r\ntwo", [1, -1], "     1\tone\n     2\ttwo"),
        (b"\xef\xbb\xbfcaf\xc3\xa9\r\n", None, "     1\tcafé"),
        ("é\n".encode("utf-16"), None, "     1\té"),
        (b"\n\n", None, "     1\t\n     2\t"),
        (b"", None, "a is empty."),
        (b"", [1, -1], "a is empty."),
        (b"", [1, 1], "a is empty."),
    ],
)
def test_a_view_shows_the_lines_asked_for(before: bytes, view_range: object, text: str) -> None:
    assert viewed({"a": before}, view_range=view_range).text == text


@pytest.mark.parametrize("view_range", [[0, 1], [4, -1], [1, 4], [3, 2], [2, -2], [-1, -1], [2, 0]])
def test_a_range_out_of_bounds_is_refused(view_range: list[int]) -> None:
    result = failed({"a": b"1\n2\n3\n"}, "view", view_range=view_range)
    assert refused(result)["code"] == "RANGE_OUT_OF_BOUNDS"
    assert refused(result)["total_lines"] == 3
    assert head(result).startswith("Error: ")
    assert "1 to 3" in result.text


def test_a_long_view_is_cut_at_a_line_and_says_how_to_go_on() -> None:
    settings = Settings(max_read_bytes=25)
    result = viewed({"a": b"one\ntwo\nthree\n"}, settings=settings)
    assert result.text == ("     1\tone\n     2\ttwo\n\nNote: cut after line 2 of 3; go on with view_range [3, -1].")
    assert (done(result)["end_line"], done(result)["truncated"]) == (2, True)
    assert viewed({"a": b"one\ntwo\nthree\n"}, settings=settings, view_range=[3, -1]).text == "     3\tthree"


def test_as_many_lines_are_shown_as_the_setting_allows() -> None:
    result = viewed({"a": b"1\n2\n3\n4\n"}, settings=Settings(max_read_lines=2), view_range=[2, -1])
    assert (done(result)["start_line"], done(result)["end_line"], done(result)["truncated"]) == (2, 3, True)
    assert "[4, -1]" in result.text


@pytest.mark.parametrize(("before", "end"), [(b"x" * 99, "20 characters."), (b"x" * 99 + b"\ny\n", "[2, -1].")])
def test_a_line_that_is_too_long_is_cut(before: bytes, end: str) -> None:
    result = viewed({"a": before}, settings=Settings(max_read_bytes=20))
    assert result.text.startswith("     1\t" + "x" * 13 + "\n\nNote: line 1 is cut; it is longer than 20 characters.")
    assert result.text.endswith(end)
    assert done(result)["truncated"]


def test_bytes_that_cannot_be_read_are_told() -> None:
    assert "encoding is not known" in viewed({"a": b"caf\xe9\n"}).text


def test_a_view_needs_no_lock() -> None:
    fs = MemoryFS({"a": b"x\n"})
    ws = Workspace(fs.root, Settings(lock_timeout_ms=0), fs=fs)
    with Engine(fs.root, fs=fs).locked():
        assert refused(ask(ws, "create", file_text="y"))["code"] == "WORKSPACE_BUSY"
        assert done(ask(ws, "view"))["path"] == "a"


# view of a folder

TREE = {
    "README.md": b"",
    "src/app.py": b"",
    "src/web/page.html": b"",
    "src/web/deep/er.txt": b"",
    "src/web/node_modules/x.js": b"",
    "src/.hidden/x": b"",
    "node_modules/y.js": b"",
    "config.fish": b"",
    ".git/config": b"",
}


@pytest.mark.parametrize("path", [".", "", "./", "src/.."])
def test_the_root_can_be_viewed(path: str) -> None:
    ws, fs = workspace(TREE)
    result = ask(ws, "view", path or fs.root)
    assert done(result)["entries"] == ["README.md", "src/", "src/app.py", "src/web/"]
    assert done(result)["path"] == "."
    assert done(result)["left_out"] == 4, "two hidden folders, node_modules and what is protected"


@pytest.mark.parametrize("path", ["src", "src/", "/workspace/src"])
def test_a_folder_is_listed_two_levels_deep_without_hidden_ones(path: str) -> None:
    ws, fs = workspace(TREE)
    result = ask(ws, "view", path.replace("/workspace", fs.root))
    assert result.text == (
        "Files and folders in src, up to 2 levels deep, without hidden and ignored ones:\n"
        "src/app.py\nsrc/web/\nsrc/web/deep/\nsrc/web/page.html"
    )


def test_what_a_gitignore_names_is_left_out_and_the_nearest_one_decides() -> None:
    files = {
        ".gitignore": b"*.log\nbuild/\n/src/gen\n",
        "src/.gitignore": b"!keep.log\n/tmp\n",
        "src/a.log": b"",
        "src/keep.log": b"",
        "src/build": b"a file of that name",
        "src/gen/x": b"",
        "src/tmp/x": b"",
        "src/sub/.gitignore": b"x*\n",
        "src/sub/b.log": b"",
        "src/sub/x.py": b"",
        "src/sub/y.py": b"",
        "build/x": b"",
        "top.log": b"",
    }
    shown = ["src/build", "src/keep.log", "src/sub/", "src/sub/y.py"]
    assert done(viewed(files, "src"))["entries"] == shown
    assert done(viewed(files, "."))["entries"] == ["src/", "src/build", "src/keep.log", "src/sub/"]
    assert done(viewed(files, "src/sub"))["entries"] == ["src/sub/y.py"]


def test_links_are_listed_and_those_inside_followed(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "x.txt").write_text("x\n")
    (tmp_path / "real" / ".gitignore").symlink_to("nowhere")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "out").symlink_to("/")
    ws = Workspace(tmp_path)
    assert done(ask(ws, "view", "."))["entries"] == ["link", "out", "real/", "real/x.txt"]
    assert done(ask(ws, "view", "link"))["entries"] == ["real/x.txt"]
    assert refused(ask(ws, "view", "out"))["code"] == "PATH_OUTSIDE_WORKSPACE"


def test_a_folder_below_another_root_is_named_in_full(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two" / "sub").mkdir(parents=True)
    (tmp_path / "two" / "sub" / "x").write_text("")
    other = str(tmp_path / "two")
    ws = Workspace(tmp_path / "one", Settings(extra_roots=(other,)))
    assert done(ask(ws, "view", other))["entries"] == [f"{other}/sub/", f"{other}/sub/x"]
    assert done(ask(ws, "view", f"{other}/sub"))["entries"] == [f"{other}/sub/x"]


@pytest.mark.parametrize(
    ("files", "text"),
    [
        ({"d/.a": b"", "d/.b": b""}, "d has no files or folders to show.\n2 hidden or ignored ones left out."),
        ({"d/.a": b""}, "d has no files or folders to show.\n1 hidden or ignored one left out."),
    ],
)
def test_a_folder_with_nothing_to_show_says_so(files: Files, text: str) -> None:
    assert viewed(files, "d").text == text


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
    result = viewed(files, "d")
    entries = done(result)["entries"]
    assert (len(entries), entries[0], entries[-1]) == (1000, first, last)
    assert done(result)["truncated"]
    assert result.text.endswith("Note: cut after 1,000 entries; view one of the folders to see all that is in it.")


def test_a_range_says_nothing_about_a_folder() -> None:
    result = viewed({"d/x": b""}, "d", view_range=[1, 2])
    assert done(result)["entries"] == ["d/x"]
    assert "view_range was passed over" in result.text


@pytest.mark.parametrize(
    ("call", "number", "told"),
    [
        ("list", 2, ["d/sub/", "d/y"]),  # the folder in it
        ("scan", 2, ["d/sub/", "d/y"]),
        ("open_file", 1, ["d/ignored", "d/sub/", "d/sub/x", "d/y"]),  # the .gitignore
        ("list", 1, "PERMISSION_DENIED"),
        ("scan", 1, "PERMISSION_DENIED"),
    ],
)
def test_what_may_not_be_read_is_passed_over_but_for_the_folder_itself(call: str, number: int, told: object) -> None:
    inner = MemoryFS({"d/sub/x": b"", "d/.gitignore": b"ignored\n", "d/ignored": b"", "d/y": b""})
    fs = FaultyFS(inner, fail_at=number, error=errno.EACCES, only={call})
    result = ask(Workspace(inner.root, fs=fs), "view", "d")
    assert told == (refused(result)["code"] if result.is_error else done(result)["entries"])
    if result.is_error:
        assert head(result) == "Error: Permission denied. Cannot read file."


def test_a_gitignore_that_is_too_large_counts_as_empty() -> None:
    files = {".gitignore": b"x\n" + b"#" * (1 << 20), "x": b""}
    assert done(viewed(files, "."))["entries"] == ["x"]


# str_replace


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"one two\n", "two", "2", b"one 2\n"),
        (b"one two\n", " two", None, b"one\n"),
        (b"one two\n", " two", "", b"one\n"),
        (b"a\r\nb\r\nc\r\n", "a\nb\n", "x\ny\nz\n", b"x\r\ny\r\nz\r\nc\r\n"),
        (b"a\nb", "b", "c", b"a\nc"),
        (b"\xef\xbb\xbfcaf\xc3\xa9\n", "café", "thé", b"\xef\xbb\xbfth\xc3\xa9\n"),
        ("é\r\n".encode("utf-16"), "é\n", "ü\nö\n", "ü\r\nö\r\n".encode("utf-16")),
        (b"caf\xe9 one\n", "one", "two", b"caf\xe9 two\n"),
        (b"", "", "new\n", b"new\n"),
    ],
)
def test_the_one_occurrence_is_replaced(before: bytes, old: str, new: str | None, after: bytes) -> None:
    assert written(before, "str_replace", old_str=old, new_str=new) == after


@pytest.mark.promise("api.dialects")
def test_a_replacement_says_what_the_documentation_says() -> None:
    ws, fs = workspace({"src/a.py": CODE})
    result = ask(ws, "str_replace", f"{fs.root}/src/a.py", old_str="return 1", new_str="return 3")
    assert result.text == "Successfully replaced text at exactly one location."
    data = done(result)
    assert data == {
        "command": "str_replace",
        "path": "src/a.py",
        "change_id": recorded(ws)[0]["change_id"],
        "hash": hashed(CODE.replace(b"1", b"3")),
        "diff": data["diff"],
        "warnings": [],
    }
    assert "-    return 1\n+    return 3\n" in data["diff"]
    assert recorded(ws)[0]["summary"] == "str_replace src/a.py"


def test_what_changes_nothing_says_so_and_is_not_recorded() -> None:
    ws, _ = workspace({"a": b"one\n"})
    for more in ({"old_str": "one", "new_str": "one"}, {"file_text": "one\n"}):
        result = ask(ws, "create" if "file_text" in more else "str_replace", **more)
        assert result.text == "No change: a already has this content."
        assert done(result)["change_id"] is None
    assert recorded(ws) == []


@pytest.mark.parametrize(
    ("before", "old", "new", "warning"),
    [
        (b"old_texts\n", "old_text", "b", "old_str stands inside a longer word or number: old_texts"),
        (
            b"a\n",
            "a",
            "a\n# ... rest of new_text unchanged ...",
            "new_str seems to contain a placeholder (# ... rest of new_text unchanged ...)",
        ),
        (b"    a\n", "a", "b\nc", "its line; new_str was put in as it is"),
        (b"# Code generated by x. DO NOT EDIT.\na\n", "a\n", "b\n", "a is generated"),
    ],
)
def test_what_may_not_have_been_meant_is_told_in_the_tools_own_words(
    before: bytes, old: str, new: str, warning: str
) -> None:
    ws, _ = workspace({"a": before})
    result = ask(ws, "str_replace", old_str=old, new_str=new)
    (told,) = done(result)["warnings"]
    assert warning in told
    assert result.text.endswith(f"\nwarning: {told}")


def test_a_text_that_stands_there_often_is_refused_with_its_lines() -> None:
    result = failed({"a": b"x = 1\ny = 2\nx = 1\nz\n  x = 1\n"}, "str_replace", old_str="x = 1", new_str="x = 2")
    assert head(result) == (
        "Error: Found 3 matches for replacement text. Please provide more context to make a unique match."
    )
    error = refused(result)
    assert (error["code"], error["actual_occurrences"]) == ("WRONG_COUNT", 3)
    assert [each["line_number"] for each in error["match_locations"]] == [1, 3, 5]
    assert re.findall(r"^  Line (\d), column (\d)", result.text, re.MULTILINE) == [("1", "1"), ("3", "1"), ("5", "3")]


def test_the_longer_texts_that_are_offered_stand_once() -> None:
    before = b"def f():\n    return 1\n\ndef g():\n    return 1\n"
    ws, _ = workspace({"a": before})
    result = ask(ws, "str_replace", old_str="return 1", new_str="return 2")
    offered = [json.loads(each)["old_str"] for each in re.findall(r"once: (.*)", result.text)]
    assert len(offered) == 2
    assert [before.count(each.encode()) for each in offered] == [1, 1]


def test_of_very_many_places_the_first_are_named() -> None:
    result = failed({"a": b"x\n" * 30}, "str_replace", old_str="x", new_str="y")
    assert head(result).startswith("Error: Found 30 matches")
    assert "  Line 8, column 1: x\n  … and 22 more\n" in result.text


@pytest.mark.promise("api.dialects")
@pytest.mark.parametrize(
    ("before", "old", "new", "after", "difference"),
    [
        (CODE, "def one():\n  return 1", "def one():\n  return 3", CODE.replace(b"1", b"3"), "4 spaces, you sent 2"),
        (b"say(\xe2\x80\x9chi\xe2\x80\x9d)\n", 'say("hi")', 'say("ho")', None, "U+201C"),
        (b"a\xc2\xa0b = one\n", "a b = one", "a b = two", b"a\xc2\xa0b = two\n", "U+00A0"),
        (b"cafe\xcc\x81 = one\n", "caf\u00e9 = one", "caf\u00e9 = two", None, "U+00E9"),
    ],
)
def test_a_text_that_differs_a_little_comes_back_as_the_call_that_lands(
    before: bytes, old: str, new: str, after: bytes | None, difference: str
) -> None:
    ws, fs = workspace({"a": before})
    result = ask(ws, "str_replace", f"{fs.root}/a", old_str=old, new_str=new)
    assert head(result) == NO_MATCH
    assert refused(result)["code"] == "NO_MATCH"
    assert difference in result.text
    call = call_in(result)
    assert call["path"] == f"{fs.root}/a"
    done(ws.call(NAME, call))
    assert fs.files()["a"] != before
    assert after is None or fs.files()["a"] == after


def test_a_long_correction_stands_in_the_metadata() -> None:
    long = "q" * 5_000
    old = f"if a:\n  x = '{long}'\n"
    result = failed({"a": old.replace("  x", "    x").encode()}, "str_replace", old_str=old, new_str="pass\n")
    assert f"    x = '{long}'" in refused(result)["correction"]["old_text"]
    assert "metadata.error.correction" in result.text
    assert long not in result.text


@pytest.mark.parametrize(
    ("before", "old", "told"),
    [
        (CODE, "entirely different words", "are nowhere in the file"),
        (CODE, "", "old_str is empty"),
        (b"", "x", "a is empty"),
        (b"caf\xe9\n", "café", "encoding is not known"),
        (b"if a:\n\tone()\nif b:\n\tone( )\n", "\n one ( )", "It fits 2 places"),
    ],
)
def test_a_text_that_is_not_there_is_refused_with_what_is_known(before: bytes, old: str, told: str) -> None:
    result = failed({"a": before}, "str_replace", old_str=old, new_str="new")
    assert head(result) == NO_MATCH
    assert refused(result)["code"] == "NO_MATCH"
    assert told in result.text
    assert "Nothing was changed." in result.text.split("\n")[-1]
    assert "old_text" not in result.text


def test_an_edit_that_is_done_already_says_so() -> None:
    ws, _ = workspace({"a": CODE})
    edit = {"old_str": "    return 1\n", "new_str": "    return 'one'\n"}
    change = done(ask(ws, "str_replace", **edit))["change_id"]
    result = ask(ws, "str_replace", **edit)
    assert head(result) == NO_MATCH
    assert f"new_str is already at line 2, by change {change}." in result.text
    assert "leave it out" in result.text


def test_a_text_that_was_replaced_since_says_so() -> None:
    ws, _ = workspace({"a": CODE})
    land(ws, write("a", CODE.replace(b"return 1", b"raise ValueError")))
    result = ask(ws, "str_replace", old_str="def one():\n    return 1\n", new_str="def one():\n    return 9\n")
    assert head(result) == NO_MATCH
    assert "raise ValueError" in result.text
    assert "view it again" in result.text


def test_the_same_failure_again_shows_the_lines_themselves() -> None:
    ws, _ = workspace({"a": CODE})
    edit = {"old_str": "def one(x):\n    return 1 + x\n", "new_str": "pass\n"}
    first, second = (ask(ws, "str_replace", **edit) for _ in range(2))
    assert "attempt 2" not in first.text
    assert "attempt 2" in second.text
    assert "\ndef one():\n    return 1\n" in second.text


BASE: dict[str, Any] = {
    "path": "a",
    "edit_index": 0,
    "total_edits": 1,
    "search_text": "one\n",
    "expected_occurrences": 1,
    "rung": None,
    "similar_content": [],
    "indent": {"style": "spaces", "width": 4},
    "file_preview": {"content": "two\n"},
}
SIDES = {"line": 7, "base": "one\n", "ours": "two\n", "theirs": "three\n"}


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"why": "conflict", "sides": SIDES}, "Line 7 is not what the edit assumes:\n  in old_str:  one\n"),
        (
            {"why": "conflict", "sides": {**SIDES, "base": "", "ours": "\n"}},
            "Searched a for: one\nNothing was changed.",
        ),
        ({"why": "partly_applied"}, "send only what is still to be changed."),
        ({"why": "elided"}, "Write out what is left out"),
        ({"why": "missing"}, "View the file, and copy old_str from it exactly"),
        ({"why": "missing", "applied": {"start_line": 2, "end_line": 3, "change_id": None}}, "already at lines 2-3.\n"),
    ],
)
def test_why_an_edit_does_not_fit_is_told(fields: dict[str, Any], told: str) -> None:
    answer = explain_text_editor({"command": "str_replace", "path": "a"}, NoMatch(**BASE, **fields))
    assert answer.text.startswith(f"{NO_MATCH}\n")
    assert told in answer.text
    assert answer.data["error"]["hint"] == answer.text.split("\n")[-1]


def test_a_configured_encoding_that_is_wrong_is_the_operators_to_mend() -> None:
    answer = explain_text_editor({}, EncodingMismatch(encoding="utf-7", reason="cannot be cut at this place"))
    assert (answer.data["command"], answer.data["path"]) == (None, None)
    assert "the setting encodings" in answer.text


# create


def test_a_new_file_is_created_with_its_folders_and_undo_takes_them_away() -> None:
    ws, fs = workspace({})
    result = ask(ws, "create", "docs/deep/a.md", file_text="# é\r\n")
    assert result.text == "File created successfully at: docs/deep/a.md"
    assert fs.files() == {"docs/deep/a.md": "# é\r\n".encode()}
    assert recorded(ws)[0]["tool"] == NAME
    done(ws.undo())
    assert (fs.files(), fs.folders()) == ({}, set())


@pytest.mark.parametrize(
    ("before", "text", "after"),
    [
        (b"old\n", "new\n", b"new\n"),
        (b"old\n", "", b""),
        (b"old", "new", b"new"),
        (b"", "new", b"new"),
        (b"\xef\xbb\xbfold\n", "new é\n", b"\xef\xbb\xbfnew \xc3\xa9\n"),
        (b"\xef\xbb\xbfold\n", "\ufeffnew\n", b"\xef\xbb\xbfnew\n"),
        ("old\n".encode("utf-16"), "é\n", "é\n".encode("utf-16")),
        (b"a\r\nb\r\n", "a\nc\n", b"a\nc\n"),
        (b"a\nb\n", "a\r\n", b"a\r\n"),
    ],
)
def test_a_file_that_stands_there_is_overwritten_and_comes_back_by_undo(before: bytes, text: str, after: bytes) -> None:
    assert written(before, "create", file_text=text) == after


def test_an_overwritten_file_is_told() -> None:
    ws, _ = workspace({"a": b"# Code generated by x. DO NOT EDIT.\r\n"})
    result = ask(ws, "create", file_text="new\n")
    assert result.text.startswith("File created successfully at: a\nIt replaced the existing file.\n")
    assert ["generated" in each or "CRLF" in each for each in done(result)["warnings"]] == [True, True]


# insert


@pytest.mark.parametrize(
    ("before", "line", "text", "after"),
    [
        (b"1\n2\n", 0, "0\n", b"0\n1\n2\n"),
        (b"1\n2\n", 1, "x\n", b"1\nx\n2\n"),
        (b"1\n2\n", 1, "x", b"1\nx\n2\n"),
        (b"1\n2\n", 1, "\n", b"1\n\n2\n"),
        (b"1\n2\n", 2, "3\n", b"1\n2\n3\n"),
        (b"1\n2\n", 2, "3", b"1\n2\n3\n"),
        (b"1\n2", 2, "3\n", b"1\n2\n3"),
        (b"1\n2", 2, "3\n4", b"1\n2\n3\n4"),
        (b"1\n2", 1, "x", b"1\nx\n2"),
        (b"1", 0, "0", b"0\n1"),
        (b"", 0, "new\n", b"new\n"),
        (b"", 0, "new", b"new"),
        (b"1\r\n2\r\n", 1, "x\ny\n", b"1\r\nx\r\ny\r\n2\r\n"),
        (b"1\r\n2\r\n", 2, "x", b"1\r\n2\r\nx\r\n"),
        (b"1\r\n2", 2, "x\ny\n", b"1\r\n2\r\nx\r\ny"),
        (b"1\r2\r", 1, "x\n", b"1\rx\r2\r"),
        (b"1\n2\n", 1, "x\r\n", b"1\nx\r\n2\n"),
        (b"\xef\xbb\xbf1\n", 0, "\u00e9\n", b"\xef\xbb\xbf\xc3\xa9\n1\n"),
        ("1\r\n".encode("utf-16"), 1, "é", "1\r\né\r\n".encode("utf-16")),
    ],
)
@pytest.mark.parametrize("name", ["insert_text", "new_str"])
def test_whole_lines_are_inserted_and_end_as_those_around_them(
    before: bytes, line: int, text: str, after: bytes, name: str
) -> None:
    assert written(before, "insert", insert_line=line, **{name: text}) == after


@pytest.mark.parametrize(("line", "where"), [(0, "at the beginning of a."), (2, "after line 2 of a.")])
def test_an_insertion_says_where(line: int, where: str) -> None:
    ws, _ = workspace({"a": b"1\n2\n"})
    assert ask(ws, "insert", insert_line=line, insert_text="x").text == f"Successfully inserted text {where}"


@pytest.mark.parametrize(("before", "line", "told"), [(b"1\n2\n", 3, "to 2 (the end)"), (b"", 1, "file is empty")])
def test_a_line_that_the_file_has_not_is_refused(before: bytes, line: int, told: str) -> None:
    result = failed({"a": before}, "insert", insert_line=line, insert_text="x\n")
    assert refused(result)["code"] == "LINE_OUT_OF_BOUNDS"
    assert head(result).startswith("Error: insert_line ")
    assert told in result.text


# Failures of every command

CALLS: dict[str, dict[str, Any]] = {
    "view": {},
    "str_replace": {"old_str": "a", "new_str": "b"},
    "create": {"file_text": "b"},
    "insert": {"insert_line": 0, "insert_text": "b"},
}


@pytest.mark.parametrize("command", ["view", "str_replace", "insert"])
def test_a_missing_file_is_refused_with_names_that_may_be_meant(command: str) -> None:
    result = failed({"src/app.py": b"a\n", "lib/util.py": b"a\n"}, command, path="src/ap.py", **CALLS[command])
    assert head(result) == NOT_FOUND
    assert (refused(result)["code"], refused(result)["near"]) == ("FILE_NOT_FOUND", ["src/app.py"])
    assert "Did you mean src/app.py?" in result.text
    assert ("use create" in result.text) == (command != "view")
    elsewhere = failed({"src/app.py": b"a\n", "lib/util.py": b"a\n"}, command, path="util.py", **CALLS[command])
    assert refused(elsewhere)["near"][0] == "lib/util.py"


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
    assert refused(result)["code"] == code
    assert head(result) == f"Error: {refused(result)['message']}"
    assert (fs.files(), done(ws.history())["changes"]) == (before, [])


@pytest.mark.parametrize("command", ["str_replace", "create", "insert"])
def test_a_folder_can_only_be_viewed(command: str) -> None:
    result = failed({"d/x": b""}, command, path="d", **CALLS[command])
    assert (refused(result)["code"], refused(result)["kind"]) == ("NOT_A_FILE", "folder")


@pytest.mark.parametrize("command", ["str_replace", "create", "insert"])
def test_a_file_that_may_not_be_written_is_refused(command: str) -> None:
    ws, fs = workspace({"a": b"a\n"})
    fs.node_of("a").mode = 0o444
    result = ask(ws, command, **CALLS[command])
    assert head(result) == DENIED
    assert refused(result)["code"] == "PERMISSION_DENIED"
    assert fs.files() == {"a": b"a\n"}


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("str_replace", {"old_str": "a", "new_str": "é"}),
        ("create", {"file_text": "é"}),
        ("insert", {"insert_line": 0, "insert_text": "é"}),
    ],
)
def test_what_an_encoding_cannot_hold_is_refused_with_a_way_out(command: str, more: dict[str, Any]) -> None:
    result = failed({"a": b"a \xe8\n"}, command, **more)
    assert refused(result)["code"] == "ENCODING_UNKNOWN"
    assert "the setting encodings" in result.text


@pytest.mark.parametrize(
    ("arguments", "problems"),
    [
        ({}, {"command", "path"}),
        ({"command": "undo_edit", "path": "a"}, {"command"}),
        ({"command": ["view"], "path": "a"}, {"command"}),
        ({"command": "view", "path": "a", "view_range": [1]}, {"view_range"}),
        ({"command": "view", "path": "a", "view_range": "1-2"}, {"view_range"}),
        ({"command": "view", "path": "a", "view_range": [1, "x"]}, {"view_range"}),
        ({"command": "view", "path": "a", "view_range": 3}, {"view_range"}),
        ({"command": "view", "path": "a", "max_characters": 9}, {"max_characters"}),
        ({"command": "view", "path": "a", "old_str": "x"}, {"old_str"}),
        ({"command": "str_replace", "path": "a"}, {"old_str"}),
        ({"command": "create", "path": "a"}, {"file_text"}),
        ({"command": "create", "path": "a", "new_str": "x"}, {"file_text", "new_str"}),
        ({"command": "insert", "path": "a"}, {"insert_line", "insert_text"}),
        ({"command": "insert", "path": "a", "insert_line": -1, "insert_text": "x"}, {"insert_line"}),
        ({"command": "insert", "path": "a", "insert_line": 0, "insert_text": ""}, {"insert_text"}),
        ({"command": "insert", "path": "a", "insert_line": 0, "insert_text": "x", "new_str": "y"}, {"new_str"}),
    ],
)
def test_arguments_that_do_not_fit_are_named(arguments: dict[str, Any], problems: set[str]) -> None:
    ws, _ = workspace({"a": b"a\n"})
    result = ws.call(NAME, arguments)
    error = refused(result)
    assert (error["code"], {each["argument"] for each in error["problems"]}) == ("INVALID_ARGUMENTS", problems)
    assert head(result) == "Error: The arguments do not fit."


def test_arguments_of_other_commands_that_say_nothing_are_passed_over() -> None:
    ws, fs = workspace({"a": b"1\n2\n"})
    empty: dict[str, Any] = {"view_range": [], "old_str": "", "new_str": None, "file_text": "", "insert_text": ""}
    done(ask(ws, "insert", **{**empty, "insert_line": 1, "insert_text": "x", "new_str": "x"}))
    assert fs.files() == {"a": b"1\nx\n2\n"}
    assert done(ask(ws, "view", **{**empty, "view_range": None, "insert_line": 0}))["total_lines"] == 3


def test_a_text_that_is_offered_stands_once_also_where_it_ends_with_an_empty_line() -> None:
    before = "class A:\n    def run(self):\n        return 1\n\n    def stop(self):\n        return 1\n\n\n"
    before += "class B:\n    def run(self):\n        return 1\n"
    offered = []
    for old in ("retrun 1", "return 1", "return  1;"):
        fs = MemoryFS({"a.py": before.encode()})
        workspace = Workspace(fs.root, fs=fs)
        for _ in range(2):
            call = {"command": "str_replace", "path": "a.py", "old_str": old, "new_str": "x"}
            told = workspace.call(NAME, call).text
            offered += [
                json.loads(line[line.index("{") :])["old_str"]
                for line in told.split("\n")
                if "which occurs once" in line
            ]
    assert offered
    assert [before.count(text) for text in offered] == [1] * len(offered)
