"""The command `forget`: what it says, and what it takes. What it removes is in `files/test_forget.py`."""

import pytest

from suture import Settings, Workspace
from tests.faults.test_history_damage import change_database
from tests.unit.changes import create, error_of, land, list_changes, succeed, take_snapshot, workspace, write


@pytest.mark.promise("back.forget")
def test_the_answer_says_what_was_removed_and_what_was_not() -> None:
    ws, fs = workspace({"a.env": b"KEY=1\n", "b.env": b"KEY=1\n"})
    first = land(ws, write("a.env", b"KEY=2\n"), write("b.env", b"b\n"))
    second = land(ws, write("a.env", b"KEY=3\n"), summary="set the key")
    for text, name in (("KEY", "key"), ("b", "letter")):
        path = "a.env" if name == "key" else "b.env"
        succeed(ws.patch(path, [{"operation": "replace", "oldText": text, "newText": text, "toClipboard": name}]))
    result = ws.forget(["a.env"])
    assert succeed(result) == {
        "paths": ["a.env"],
        "changes": [second, first],
        "contents": 3,
        "bytes": 18,
        "shared": ["b.env"],
        "in_workspace": ["a.env"],
        "clipboards": ["key"],
        "other_clipboards": ["letter"],
        "copies": [],
    }
    assert fs.files() == {"a.env": b"KEY=3\n", "b.env": b"b\n"}
    for words in ("Removed 3 versions of a.env", first, second, "b.env", "clipboards key", "clipboards letter"):
        assert words in result.text
    assert "The workspace still has one of these contents, in a.env." in result.text


@pytest.mark.promise("back.forget")
def test_what_is_shown_afterwards_says_that_the_content_was_removed() -> None:
    ws, _ = workspace({"a": b"a\n", "b": b"b\n"})
    change = land(ws, write("a", b"secret\n"), write("b", b"b2\n"))
    succeed(ws.forget(["a"]))
    diff = succeed(ws.show(change))["diff"]
    assert diff.startswith("# a: its content was removed for good (suture forget)\n")
    assert "+b2" in diff
    error = error_of(ws.undo(change))
    assert (error["code"], error["path"], error["forgotten"]) == ("CONTENT_NOT_KEPT", "a", True)
    assert "suture forget" in error["hint"]


@pytest.mark.promise("back.forget")
def test_of_a_change_it_is_said_that_other_versions_stay() -> None:
    ws, _ = workspace({"a": b"0\n"})
    change = land(ws, write("a", b"1\n"))
    for result in (ws.forget([change], dry_run=True), ws.forget([change.upper()])):
        assert succeed(result)["changes"] == [change]
        assert "Other versions of these files are kept" in result.text
    assert succeed(ws.forget([change, "a"]))["contents"] == 0


@pytest.mark.promise("back.forget")
def test_many_changes_are_counted_in_the_text_and_listed_in_the_data() -> None:
    ws, _ = workspace({"a": b""})
    for number in range(14):
        land(ws, write("a", b"%d\n" % number), *(create(f"f{at}-{number}") for at in range(1)))
    result = ws.forget(["a", *(f"f0-{number}" for number in range(14))], dry_run=True)
    data = succeed(result)
    assert (len(data["changes"]), len(data["paths"])) == (14, 15)
    assert "… 4 more" in result.text
    assert "and 5 more" in result.text


@pytest.mark.promise("back.forget")
def test_contents_of_unknown_files_are_counted_too() -> None:
    ws, fs = workspace({"a": b"0\n"})
    land(ws, write("a", b"1\n"))
    land(ws, create("b", b"2\n"))
    change_database(fs, "DELETE FROM file WHERE change = 2")
    result = ws.forget(["a"])
    assert succeed(result)["contents"] == 3
    assert "1 more version of unknown files" in result.text


@pytest.mark.promise("back.forget")
@pytest.mark.parametrize(
    ("targets", "code"),
    [
        ([], "INVALID_ARGUMENTS"),
        (["missing"], "NOT_RECORDED"),
        (["a", "missing"], "NOT_RECORDED"),
        (["point"], "NOT_RECORDED"),
        (["0"], "NOT_RECORDED"),
        (["../a"], "PATH_OUTSIDE_WORKSPACE"),
        (["5"], "CHANGE_NOT_FOUND"),
    ],
)
def test_what_is_not_recorded_or_not_clear_is_refused(targets: list[str], code: str) -> None:
    ws, fs = workspace({"a": b"0\n"})
    land(ws, write("a", b"1\n"))
    land(ws, write("a", b"2\n"))
    take_snapshot(ws, "point")
    before = dict(fs.shelf)
    error = error_of(ws.forget(targets))
    assert (error["code"], fs.shelf) == (code, before)
    assert "restore" not in error["hint"]


@pytest.mark.promise("back.forget")
def test_a_path_goes_before_a_change_of_the_same_name() -> None:
    ws, _ = workspace({"a": b"0\n"})
    change = land(ws, write("a", b"1\n"))
    land(ws, create(change, b"2\n"))
    assert succeed(ws.forget([change]))["paths"] == [change]
    assert len(list_changes(ws)) == 2


@pytest.mark.promise("back.forget")
@pytest.mark.parametrize("target", ["sub/never", "sub"])
def test_the_clipboards_of_a_file_without_recorded_versions_are_removed(target: str) -> None:
    ws, fs = workspace({"a": b"0\n", "sub/never": b"secret\n"})
    land(ws, write("a", b"1\n"))
    for path, text, name in (("sub/never", "secret", "key"), ("a", "1", "other")):
        succeed(ws.patch(path, [{"operation": "replace", "oldText": text, "newText": text, "toClipboard": name}]))
    assert any(b"secret" in raw for raw in fs.shelf.values())
    plan = ws.forget([target], dry_run=True)
    result = ws.forget([target])
    data = succeed(result)
    assert (data["paths"], data["clipboards"], data["other_clipboards"]) == ([], ["key"], ["other"])
    assert succeed(plan) == {**data, "dry_run": True}
    assert result.text.startswith("The history has no version of these files.\nIncluded: the clipboards key,")
    assert not any(b"secret" in raw for raw in fs.shelf.values())
    assert error_of(ws.forget([target]))["code"] == "NOT_RECORDED"


@pytest.mark.promise("back.forget")
def test_without_a_history_nothing_can_be_forgotten() -> None:
    ws, fs = workspace({"a": b"0\n"})
    land(ws, write("a", b"1\n"))
    off = Workspace(fs.root, Settings(history=False), fs=fs)
    assert error_of(off.forget(["a"]))["code"] == "HISTORY_UNAVAILABLE"


def test_it_is_no_tool_for_models() -> None:
    ws, _ = workspace({"a": b"0\n"})
    land(ws, write("a", b"1\n"))
    assert error_of(ws.call("forget", {"targets": ["a"]}))["code"] == "UNKNOWN_TOOL"
