"""Clipboards of sessions: who sees them, what a paste says, and the commands that list and clear them."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING, Any

import pytest

from suture import Settings, ToolResult, Workspace
from suture.audience import TERMINAL
from suture.plan import SessionInfo
from suture.testing import FaultyFS, MemoryFS
from tests.unit.changes import error_of, succeed, workspace

if TYPE_CHECKING:
    from suture.files.fs import FS

FILES = {"src/a.py": b"one\ntwo\nthree\nfour\n", "b": b"b\n"}


def session(fs: FS, name: str, settings: Settings | None = None) -> Workspace:
    return Workspace("/ws", settings, session=name, fs=fs)


def cut(ws: Workspace, text: str, name: str, path: str = "src/a.py") -> dict[str, Any]:
    return succeed(ws.patch(path, [{"operation": "replace", "oldText": text, "newText": "", "toClipboard": name}]))


def copy(ws: Workspace, text: str, name: str, path: str = "src/a.py") -> dict[str, Any]:
    return succeed(
        ws.patch(path, [{"operation": "replace", "oldText": text, "toClipboard": name, "fromClipboard": name}])
    )


def paste(ws: Workspace, *names: str, dry_run: bool = False) -> ToolResult:
    return ws.patch("b", [{"operation": "append_eof", "fromClipboard": name} for name in names], dry_run=dry_run)


def names(result: ToolResult) -> list[tuple[str, str]]:
    return [(known["session"], known["name"]) for known in succeed(result)["clipboards"]]


@pytest.mark.promise("patch.clipboards")
def test_another_session_neither_sees_nor_replaces_them() -> None:
    fs = MemoryFS(FILES)
    me, you = session(fs, "me"), session(fs, "you")
    cut(me, "one\n", "x")
    error = error_of(paste(you, "x"))
    assert (error["code"], error["known"], error["origins"]) == ("CLIPBOARD_NOT_FOUND", [], [])
    cut(you, "two\n", "x")
    succeed(paste(me, "x"))
    succeed(paste(session(fs, "you"), "x"))
    assert fs.files()["b"] == b"b\none\ntwo\n"


@pytest.mark.promise("patch.clipboards")
def test_sessions_of_one_server_have_their_own_even_without_a_history() -> None:
    ws, fs = workspace(FILES, Settings(history=False))
    you = ws.for_session(SessionInfo("you", "agent"))
    cut(ws, "one\n", "x")
    assert error_of(paste(you, "x"))["known"] == []
    cut(you, "two\n", "x")
    succeed(paste(ws, "x"))
    assert fs.files()["b"] == b"b\none\n"
    assert error_of(ws.clipboards("you"))["code"] == "HISTORY_UNAVAILABLE"
    assert names(ws.clipboards()) == [(ws.session.id, "x")]


@pytest.mark.promise("patch.clipboard-bounds")
def test_the_limit_is_for_each_session() -> None:
    fs, settings = MemoryFS(FILES), Settings(max_clipboards=1)
    cut(session(fs, "me", settings), "one\n", "x")
    cut(session(fs, "you", settings), "two\n", "y")
    last = [{"operation": "replace", "oldText": "three\n", "newText": "", "toClipboard": "z"}]
    error = error_of(session(fs, "you", settings).patch("src/a.py", last))
    assert (error["code"], error["setting"]) == ("INPUT_TOO_LARGE", "max_clipboards")


# Where it came from


@pytest.mark.promise("patch.clipboards")
def test_a_paste_says_where_its_text_came_from() -> None:
    ws, _ = workspace(FILES)
    change = cut(ws, "two\nthree\n", "lines")["change_id"]
    copy(ws, "fou", "part")
    result = paste(ws, "lines", "part")
    first, second = succeed(result)["pasted"]
    time = second.pop("time")
    assert first.pop("time") < time
    assert first == {
        "name": "lines",
        "path": "src/a.py",
        "start_line": 2,
        "end_line": 3,
        "part": False,
        "change_id": change,
    }
    assert second == {
        "name": "part",
        "path": "src/a.py",
        "start_line": 2,
        "end_line": 2,
        "part": True,
        "change_id": None,
    }
    when = time[:16].replace("T", " ")
    assert f"Pasted clipboard 'lines' (lines 2-3 of src/a.py before change {change}).\n" in result.text
    assert f"Pasted clipboard 'part' (part of line 2 of src/a.py at {when} UTC)." in result.text


@pytest.mark.promise("patch.clipboards")
def test_a_dry_run_says_it_too_and_a_paste_within_the_call_does_not() -> None:
    ws, _ = workspace(FILES)
    copy(ws, "one\n", "x")
    assert "Would paste clipboard 'x' (line 1 of src/a.py at " in paste(ws, "x", dry_run=True).text
    move = [
        {"operation": "replace", "oldText": "two\n", "newText": "", "toClipboard": "y"},
        {"operation": "append_eof", "fromClipboard": "y"},
    ]
    result = ws.patch("src/a.py", move)
    assert ("pasted" in succeed(result), "Pasted" in result.text) == (False, False)


@pytest.mark.promise("patch.clipboards")
def test_an_unknown_one_is_refused_with_those_of_the_session_and_where_they_came_from() -> None:
    ws, _ = workspace(FILES)
    change = cut(ws, "one\n", "x")["change_id"]
    error = error_of(paste(ws, "z"))
    assert (error["known"], [known["change_id"] for known in error["origins"]]) == (["x"], [change])
    assert error["hint"] == f"Clipboards of this session: x (line 1 of src/a.py before change {change})."


@pytest.mark.promise("patch.clipboards")
def test_what_the_history_could_not_store_is_named_without_a_time() -> None:
    fs = MemoryFS(FILES)
    faulty = FaultyFS(fs, fail_at=1, only={"commit_database"}, error=errno.ENOSPC)
    ws = Workspace("/ws", fs=faulty)
    cut(ws, "one\n", "x")
    assert succeed(ws.clipboards())["clipboards"][0]["time"] == ""
    assert "Pasted clipboard 'x' (line 1 of src/a.py)." in paste(ws, "x").text


# At a terminal


def at_terminal(fs: FS, label: str = "") -> Workspace:
    caller = SessionInfo(label or "one command", "cli", transport="cli", label=label)
    return Workspace("/ws", session=caller, fs=fs, audience=TERMINAL)


@pytest.mark.promise("patch.clipboards")
def test_a_person_is_told_that_an_unnamed_session_ends_with_its_command() -> None:
    fs = MemoryFS(FILES)
    (warning,) = cut(at_terminal(fs), "one\n", "x")["warnings"]
    assert "SUTURE_SESSION" in warning
    error = error_of(paste(at_terminal(fs), "z"))
    assert error["short_lived"]
    assert "Clipboards of this session: x " in error["hint"]
    fs = MemoryFS(FILES)
    assert "--session NAME" in error_of(paste(at_terminal(fs), "z"))["hint"]
    assert cut(at_terminal(fs, "me"), "one\n", "x")["warnings"] == []
    error = error_of(paste(at_terminal(fs, "you"), "x"))
    assert (error["short_lived"], "There are no clipboards yet" in error["hint"]) == (False, True)
    move = [
        {"operation": "replace", "oldText": "two\n", "newText": "", "toClipboard": "y"},
        {"operation": "append_eof", "fromClipboard": "y"},
    ]
    assert succeed(at_terminal(fs).patch("src/a.py", move))["warnings"] == []


# Listing and clearing


@pytest.mark.promise("patch.clipboards")
def test_they_are_listed_newest_first_with_their_origin() -> None:
    fs = MemoryFS(FILES)
    me, you = session(fs, "me"), session(fs, "you")
    change = cut(me, "one\n", "x")["change_id"]
    copy(you, "two", "y")
    assert names(me.clipboards()) == [("me", "x")]
    assert names(me.clipboards("you")) == [("you", "y")]
    assert names(me.clipboards("nobody")) == []
    result = me.command("clipboards", {})
    assert names(result) == [("you", "y"), ("me", "x")]
    known = succeed(result)["clipboards"][1]
    assert (known["bytes"], known["change_id"], known["path"]) == (4, change, "src/a.py")
    assert result.text.split("\n")[1] == f"x  line 1 of src/a.py before change {change}, 4 bytes, session me"
    assert session(fs, "nobody").clipboards().text == "There are no clipboards."


@pytest.mark.promise("patch.clipboards")
def test_they_are_cleared_by_name_session_or_all() -> None:
    fs = MemoryFS(FILES)
    me, you = session(fs, "me"), session(fs, "you")
    for ws in (me, you):
        for name in ("x", "y", "z"):
            copy(ws, "two", name)
    cleared = succeed(me.clear_clipboards(["x", "missing"]))["cleared"]
    assert [(known["session"], known["name"]) for known in cleared] == [("me", "x")]
    assert error_of(paste(me, "x"))["known"] == ["y", "z"]
    succeed(me.clear_clipboards(["y"], "you"))
    assert names(me.command("clipboards", {})) == [("you", "z"), ("you", "x"), ("me", "z"), ("me", "y")]
    assert me.command("clear_clipboards", {"names": ["z"]}).text.startswith("Removed 2 clipboards.\nz  ")
    succeed(you.clear_clipboards())
    assert names(you.command("clipboards", {})) == [("me", "y")]
    assert you.clear_clipboards().text == "There are no such clipboards."


@pytest.mark.promise("patch.clipboards")
def test_those_in_memory_are_listed_and_cleared_too() -> None:
    ws, _ = workspace(FILES, Settings(history=False))
    cut(ws, "one\n", "x")
    assert names(ws.command("clipboards", {})) == [(ws.session.id, "x")]
    assert len(succeed(ws.clear_clipboards())["cleared"]) == 1
    assert error_of(ws.clear_clipboards())["code"] == "HISTORY_UNAVAILABLE"
    assert error_of(paste(ws, "x"))["known"] == []


@pytest.mark.promise("patch.clipboards")
def test_one_in_memory_hides_the_stored_one_of_its_name() -> None:
    fs = MemoryFS(FILES)
    copy(session(fs, "me"), "one", "x")
    faulty = FaultyFS(fs, fail_at=1, only={"commit_database"}, error=errno.ENOSPC)
    ws = session(faulty, "me")
    cut(ws, "two\n", "x")
    (known,) = succeed(ws.clipboards())["clipboards"]
    assert known["start_line"] == 2
    assert len(succeed(ws.clear_clipboards())["cleared"]) == 1
    assert names(session(fs, "me").clipboards()) == []


@pytest.mark.promise("patch.clipboards")
def test_a_failure_to_clear_is_reported() -> None:
    fs = MemoryFS(FILES)
    copy(session(fs, "me"), "one", "x")
    faulty = FaultyFS(fs, fail_at=1, only={"commit_database"}, error=errno.ENOSPC)
    assert error_of(session(faulty, "me").clear_clipboards())["code"] == "HISTORY_UNAVAILABLE"
    assert names(session(fs, "me").clipboards()) == [("me", "x")]
