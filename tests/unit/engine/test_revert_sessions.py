"""Undoing all changes of a session at once: the same files as one by one, in one change."""

from typing import Any

import pytest

from suture import Workspace
from suture.engine.session import Session
from suture.plan import SessionInfo, Update
from suture.testing import FaultyFS, MemoryFS, Stopped
from tests.faults.commit_scenario import CHANGING
from tests.unit.changes import (
    Ask,
    create,
    delete,
    error_of,
    hash_of,
    land,
    lines,
    list_changes,
    lose,
    remove,
    rename,
    state,
    succeed,
    write,
)

AGENT = SessionInfo("agent", "claude-code", "2.0", "stdio")
OTHER = SessionInfo("other", "codex", "", "stdio")
PERSON = SessionInfo("person", "cli", "", "cli")
FILES = {"a": lines(1), "b": lines(2), "c": lines(3)}


def workspaces(files: dict[str, bytes] | None = None) -> tuple[Workspace, Workspace, MemoryFS]:
    """The workspace as two agents see it."""
    fs = MemoryFS(FILES if files is None else files)
    agent = Workspace(fs.root, fs=fs, session=AGENT)
    return agent, agent.for_session(OTHER), fs


def undo_all(ws: Workspace, session: str = "agent", *, partly: bool = False) -> dict[str, Any]:
    return succeed(ws.command("undo", {"session": session, "partly": partly}))


def permit(path: str, mode: int) -> Ask:
    """Change permission bits, as a patch does."""

    def plan(session: Session) -> Update:
        before = session.read(path)
        return Update(before.place, before, before.content, mode=mode)

    return lambda tx: tx._add(plan)


def actions(ws: Workspace) -> list[tuple[str, str, str | None]]:
    """What the newest change did to each file."""
    return sorted(((file["path"], file["action"], file.get("to")) for file in list_changes(ws)[0]["files"]), key=str)


# Renames, deletions and permissions

WORK: dict[str, tuple[list[Ask], list[tuple[str, str, str | None]]]] = {
    "one update": ([write("a", "x\n")], [("a", "update", None)]),
    "two updates of a file": ([write("a", "x\n"), write("a", "y\n")], [("a", "update", None)]),
    "updates of two files": ([write("a", "x\n"), write("b", "y\n")], [("a", "update", None), ("b", "update", None)]),
    "a creation": ([create("n/d", "x\n")], [("n/d", "delete", None)]),
    "a creation and an update": ([create("d", "x\n"), write("d", "y\n")], [("d", "delete", None)]),
    "a deletion": ([delete("a")], [("a", "create", None)]),
    "an update and a deletion": ([write("a", "x\n"), delete("a")], [("a", "create", None)]),
    "a deletion and a new file": ([delete("a"), create("a", "x\n")], [("a", "update", None)]),
    "a rename": ([rename("a", "d")], [("d", "rename", "a")]),
    "two renames of a file": ([rename("a", "d"), rename("d", "e/f")], [("e/f", "rename", "a")]),
    "a rename and an update": ([rename("a", "d"), write("d", "x\n")], [("d", "rename", "a")]),
    "a rename and a deletion": ([rename("a", "d"), delete("d")], [("a", "create", None)]),
    "a rename and a new file": ([rename("a", "d"), create("a", "x\n")], [("d", "rename", "a")]),
    "a deletion and a rename onto it": (
        [delete("a"), rename("b", "a")],
        [("a", "update", None), ("b", "create", None)],
    ),
    "a chain": ([rename("b", "d"), rename("a", "b")], [("a", "create", None), ("d", "rename", "b")]),
    "a swap": (
        [rename("a", "t"), rename("b", "a"), rename("t", "b")],
        [("a", "update", None), ("b", "update", None)],
    ),
    "a ring": (
        [rename("a", "t"), rename("b", "a"), rename("c", "b"), rename("t", "c")],
        [("a", "update", None), ("b", "update", None), ("c", "update", None)],
    ),
    "permissions": ([permit("a", 0o755)], [("a", "update", None)]),
    "permissions and an update": ([permit("a", 0o755), write("a", "x\n")], [("a", "update", None)]),
    "permissions and a deletion": ([permit("a", 0o600), delete("a")], [("a", "create", None)]),
    "permissions and a rename": (
        [permit("a", 0o600), rename("a", "d")],
        [("a", "create", None), ("d", "delete", None)],
    ),
}


@pytest.mark.promise("back.session")
@pytest.mark.parametrize("work", WORK)
def test_a_session_is_undone_as_if_its_changes_were_undone_one_by_one(work: str) -> None:
    asks, expected = WORK[work]
    agent, _, fs = workspaces()
    single, _, beside = workspaces()
    before = state(fs)
    changes = [land(agent, ask) for ask in asks]
    for change in reversed([land(single, ask) for ask in asks]):
        succeed(single.undo(change))
    after = state(fs)
    data = undo_all(agent)
    assert state(fs) == state(beside) == before
    assert [data["undone"], *data["also_undone"]] == changes[::-1]
    assert actions(agent) == sorted(expected, key=str)
    states = {change["change_id"]: change["state"] for change in list_changes(agent)}
    assert states == {**dict.fromkeys(changes, "undone"), str(data["change_id"]): "landed"}
    succeed(agent.redo())
    assert state(fs) == after
    assert [change["state"] for change in list_changes(agent)] == ["landed", "undone", *["landed"] * len(asks)]
    succeed(agent.command("undo", {"session": "agent"}))
    assert state(fs) == before


@pytest.mark.promise("back.session")
@pytest.mark.parametrize("work", WORK)
def test_a_file_is_followed_through_the_undo_of_a_session_and_its_redo(work: str) -> None:
    """Another session's earlier edits are found again, wherever the session moved their files."""
    agent, other, fs = workspaces()
    edits = {path: land(other, write(path, FILES[path] + b"more\n")) for path in FILES}
    for ask in WORK[work][0]:
        land(agent, ask)
    undo_all(agent)
    succeed(agent.redo())
    undo_all(agent)
    for change in edits.values():
        succeed(other.undo(change))
    assert fs.files() == FILES


def test_a_file_that_is_deleted_again_by_a_redo_is_the_same_one_when_it_comes_back() -> None:
    agent, other, fs = workspaces()
    edit = land(other, write("a", FILES["a"] + b"more\n"))
    land(agent, rename("a", "d"))
    deletion = land(agent, delete("d"))
    undo_all(agent)
    succeed(agent.redo())
    assert fs.files().keys() == {"b", "c"}
    succeed(agent.undo(deletion))
    succeed(other.undo(edit))
    assert fs.files()["d"] == FILES["a"]


@pytest.mark.promise("back.machine")
def test_a_file_that_others_had_moved_back_is_not_followed_to_where_the_redo_did_not_move_it() -> None:
    agent, other, fs = workspaces({"b": lines()})
    creation = land(other, create("a", lines(1)))
    land(agent, rename("a", "d", lines(1, 9)))
    land(other, rename("d", "a"))
    land(agent, write("b", lines(5)))
    undo_all(agent)
    assert fs.files() == {"a": lines(1), "b": lines()}
    succeed(agent.redo())
    assert fs.files() == {"a": lines(1, 9), "b": lines(5)}
    error = error_of(other.undo(creation))
    assert (error["code"], error["conflicts"][0]["path"]) == ("UNDO_CONFLICT", "a")


@pytest.mark.promise("back.machine")
def test_a_file_is_followed_where_others_had_moved_it_when_it_was_undone_and_redone() -> None:
    agent, other, fs = workspaces({"a": lines()})
    land(agent, delete("a"))
    land(agent, create("d", lines(1)))
    land(other, rename("d", "a"))
    undo_all(agent)
    assert fs.files() == {"a": lines()}
    succeed(agent.redo())
    assert fs.files() == {"a": lines(1)}
    undo_all(agent)
    assert fs.files() == {"a": lines()}


@pytest.mark.promise("back.machine")
def test_a_redo_brings_each_of_several_files_of_one_name_back_as_itself() -> None:
    agent, _, fs = workspaces({})
    land(agent, create("a", lines(1)))
    land(agent, rename("a", "b"))
    last = land(agent, create("a", lines(2)))
    undo_all(agent)
    succeed(agent.redo())
    succeed(agent.undo(last))
    assert fs.files() == {"b": lines(1)}


@pytest.mark.promise("back.machine")
@pytest.mark.parametrize("taken", [False, True])
def test_what_a_chain_replaced_comes_back_though_others_moved_the_file_back_before(*, taken: bool) -> None:
    agent, other, fs = workspaces({"a": lines(1), "b": lines(2)})
    land(agent, rename("b", "c"))
    land(agent, rename("a", "b"))
    undo = undo_all(agent)["change_id"]  # c => b, which replaces what was at b
    land(other, rename("b", "c"))
    if taken:
        land(other, create("b", "x\n"))
        error = error_of(agent.redo())
        assert (error["code"], error["conflicts"][0]["path"]) == ("UNDO_CONFLICT", "b")
        return
    assert succeed(agent.redo())["change_id"] != undo
    assert fs.files() == {"b": lines(1), "c": lines(2)}


# Later work, and what is in the way


@pytest.mark.promise("back.session")
def test_later_work_of_others_is_kept() -> None:
    agent, other, fs = workspaces({"a": lines(), "b": lines()})
    land(agent, write("a", lines(3)))
    land(other, write("a", lines(3, 15)))
    land(agent, write("b", lines(7)))
    fs.put("b", lines(7, 18))
    data = undo_all(agent)
    assert data["merged"] is True
    assert fs.files() == {"a": lines(15), "b": lines(18)}


@pytest.mark.promise("back.session")
def test_a_conflict_changes_nothing_and_partly_undoes_the_rest() -> None:
    agent, other, fs = workspaces({"a": lines(), "b": lines(), "c": lines()})
    first, second, third = (land(agent, write(path, lines(3))) for path in "abc")
    land(other, write("b", lines(3, mark="theirs")))
    before, history = state(fs), list_changes(agent)
    error = error_of(agent.command("undo", {"session": "agent"}))
    expected = "UNDO_CONFLICT", second, [history[0]["change_id"]]
    assert (error["code"], error["change_id"], error["later"]) == expected
    assert (state(fs), list_changes(agent)) == (before, history)
    data = undo_all(agent, partly=True)
    assert (data["undone"], data["also_undone"], data["left"]) == (third, [first], [second])
    assert fs.files() == {"a": lines(), "b": lines(3, mark="theirs"), "c": lines()}
    states = {change["change_id"]: change["state"] for change in list_changes(agent)}
    assert (states[first], states[second], states[third]) == ("undone", "landed", "undone")


def test_partly_says_why_each_change_stays() -> None:
    texts = {path: lines(count=20 + number) for number, path in enumerate("abcd")}
    agent, _, fs = workspaces(texts)
    changes = {path: land(agent, write(path, b"changed\n" + text)) for path, text in texts.items()}
    fs.put("a", b"theirs\n" + texts["a"])
    fs.put("b", texts["b"])
    remove(fs, "c")
    fs.put("c/x", b"")
    lose(fs, texts["d"])
    before = state(fs)
    error = error_of(agent.command("undo", {"session": "agent", "partly": True}))
    assert (error["code"], error["hash"], state(fs)) == ("CONTENT_NOT_KEPT", hash_of(texts["d"]), before)
    land(agent, create("n", "1\n"))
    result = agent.command("undo", {"session": "agent", "partly": True})
    assert succeed(result)["left"] == [changes[path] for path in "dcab"]
    lost, folder, conflict, gone = result.text.splitlines()[1:]
    assert lost.startswith(f"{changes['d']} stays: ")
    assert hash_of(texts["d"]) in lost
    assert folder == f"{changes['c']} stays: c is a folder, not a file."
    assert conflict == f"{changes['a']} stays: later changes conflict with it."
    assert gone == f"{changes['b']} stays: it is not in the files."


def test_what_hinders_several_changes_hinders_the_first_of_them_first() -> None:
    """A change that stays is no reason for an older one to stay that does not need it."""
    agent, _, fs = workspaces({"a": lines()})
    older = land(agent, write("a", lines(2)))
    newer = land(agent, write("a", lines(2, 12)))
    fs.put("a", lines(2).replace(b"line 12\n", b"theirs\n"))
    data = undo_all(agent, partly=True)
    assert (data["undone"], data["left"]) == (older, [newer])
    assert fs.files()["a"] == lines().replace(b"line 12\n", b"theirs\n")


@pytest.mark.promise("back.session")
def test_changes_that_cancel_each_other_out_are_not_undone() -> None:
    agent, _, fs = workspaces()
    change = [land(agent, write("a", text)) for text in ("x\n", FILES["a"])][-1]
    before = list_changes(agent)
    for arguments in (
        {"session": "agent"},
        {"session": "agent", "partly": True},
        {"session": "agent", "dry_run": True},
    ):
        error = error_of(agent.command("undo", arguments))
        assert (error["code"], error["change_id"]) == ("NOT_HERE", change)
    assert (fs.files(), list_changes(agent)) == (FILES, before)


@pytest.mark.promise("back.session")
def test_a_change_of_which_nothing_is_left_stays_in_effect() -> None:
    agent, _, fs = workspaces({"a": lines(), "b": lines()})
    stashed, kept = land(agent, write("a", lines(3))), land(agent, write("b", lines(3)))
    fs.put("a", lines())
    data = undo_all(agent)
    assert (data["undone"], data["also_undone"], data["left"]) == (kept, [], [stashed])
    fs.put("a", lines(3))
    assert undo_all(agent)["undone"] == stashed
    assert fs.files() == {"a": lines(), "b": lines()}


@pytest.mark.parametrize("partly", [False, True])
def test_a_file_where_another_one_needs_a_folder_is_in_its_way(*, partly: bool) -> None:
    agent, _, fs = workspaces({"n": b"1\n"})
    file = land(agent, delete("n"))
    fs.put("n/a", b"2\n")
    below = land(agent, delete("n/a"))
    remove(fs, "n")
    if not partly:
        error = error_of(agent.command("undo", {"session": "agent"}))
        assert (error["code"], error["path"], error["kind"]) == ("NOT_A_FILE", "n", "folder")
        assert fs.files() == {}
        return
    data = undo_all(agent, partly=True)
    assert (data["undone"], data["left"], fs.files()) == (below, [file], {"n/a": b"2\n"})


def test_a_file_is_in_the_way_of_those_that_need_a_folder_there() -> None:
    agent, _, fs = workspaces({"n/a": b"2\n"})
    below = land(agent, delete("n/a"))
    remove(fs, "n")
    fs.put("n", b"1\n")
    file = land(agent, delete("n"))
    error = error_of(agent.command("undo", {"session": "agent"}))
    assert (error["code"], error["path"], error["folder"]) == ("NOT_A_FOLDER", "n/a", "n")
    data = undo_all(agent, partly=True)
    assert (data["undone"], data["left"], fs.files()) == (file, [below], {"n": b"1\n"})


def test_a_folder_that_was_made_since_is_in_the_way_of_a_file_though_it_would_go_too() -> None:
    agent, _, fs = workspaces({})
    land(agent, create("n", "1\n"))
    deletion = land(agent, delete("n"))
    land(agent, create("n/a", "2\n"))
    before = state(fs)
    error = error_of(agent.command("undo", {"session": "agent"}))
    assert (error["code"], error["path"], state(fs)) == ("NOT_A_FILE", "n", before)
    assert undo_all(agent, partly=True)["left"][0] == deletion
    assert state(fs) == {}


# Crashes


@pytest.mark.promise("back.session")
def test_an_undo_of_a_session_that_dies_anywhere_is_done_or_not() -> None:
    outcomes = set()
    for stop_at in range(1, 40):
        agent, _, fs = workspaces()
        for ask in [*WORK["a chain"][0], write("d", "x\n"), delete("c")]:
            land(agent, ask)
        after, history = state(fs), list_changes(agent)
        dying = Workspace(fs.root, fs=FaultyFS(fs, stop_at=stop_at, only=CHANGING), session=AGENT)
        try:
            succeed(dying.command("undo", {"session": "agent"}))
        except Stopped:
            fs.crash()
        agent = Workspace(fs.root, fs=fs, session=AGENT)
        agent.recover()
        changes = list_changes(agent)
        if changes == history:
            assert state(fs) == after
            outcomes.add("not")
        else:
            assert fs.files() == FILES
            assert (len(changes), [change["state"] for change in changes]) == (5, ["landed", *["undone"] * 4])
            assert {changes[0]["undoes"], *changes[0]["also_undoes"]} == {change["change_id"] for change in history}
            outcomes.add("done")
    assert outcomes == {"done", "not"}
