"""Sequences that once failed, found by `tests/property/test_history_machine.py` and written out here."""

from contextlib import suppress
from itertools import count

import pytest

from suture import Workspace
from suture.testing import FaultyFS, MemoryFS, Stopped
from suture.text.merge import merge
from tests.unit.changes import (
    create,
    delete,
    error_of,
    land,
    list_changes,
    remove,
    rename,
    state,
    succeed,
    workspace,
    write,
)


def states(ws: Workspace) -> dict[str, str]:
    return {change["change_id"]: change["state"] for change in list_changes(ws)}


def sync_folder(fs: MemoryFS, path: str) -> None:
    """Make durable what others did in a folder."""
    handle = fs.open_root(f"{fs.root}/{path}")
    fs.sync(handle)
    fs.close(handle)


@pytest.mark.promise("back.machine")
def test_a_change_that_two_undos_took_back_is_undone_until_none_of_them_is_in_effect() -> None:
    ws, fs = workspace({"a": b"1\n"})
    change = land(ws, write("a", "2\n"))
    succeed(ws.undo(change))
    redo = succeed(ws.redo())["change_id"]
    succeed(ws.undo(change))
    fs.put("a", b"2\n")
    succeed(ws.undo(redo))  # the first undo is in force again, too
    assert states(ws)[change] == "undone"
    succeed(ws.redo())  # the redo is in force again, and so is the second undo
    assert (states(ws)[redo], states(ws)[change]) == ("landed", "undone")


@pytest.mark.promise("back.machine")
def test_a_file_that_a_restore_brought_back_under_its_old_name_is_found_there() -> None:
    ws, fs = workspace()
    change = land(ws, create("a", "1\n"))
    land(ws, rename("a", "b"))
    succeed(ws.restore(change))
    assert fs.files() == {"a": b"1\n"}
    succeed(ws.undo(change))
    assert fs.files() == {}


@pytest.mark.promise("back.machine")
def test_a_file_that_a_restore_brought_back_under_its_old_name_is_followed_from_there() -> None:
    ws, fs = workspace({"a": b"1\n"})
    change = land(ws, write("a", "2\n"))
    land(ws, rename("a", "b"))
    succeed(ws.restore(change))
    land(ws, rename("a", "c"))
    succeed(ws.undo(change))
    assert fs.files() == {"c": b"1\n"}


@pytest.mark.promise("back.machine")
def test_a_rename_of_a_binary_file_is_taken_back_though_its_content_changed_since() -> None:
    ws, fs = workspace({"a": b"\0 old"})
    change = land(ws, rename("a", "b"))
    fs.put("b", b"\0 new")
    succeed(ws.undo(change))
    assert fs.files() == {"a": b"\0 new"}


@pytest.mark.promise("back.machine")
def test_files_that_came_to_one_name_one_after_the_other_are_a_conflict_or_distinguished() -> None:
    ws, fs = workspace()
    change = land(ws, create("a", "1\n"), create("b", "1\n"))
    land(ws, rename("a", "c"))
    land(ws, delete("c"))
    land(ws, rename("b", "c"))
    before = state(fs)
    result = ws.undo(change)
    assert (error_of(result)["code"], state(fs)) == ("UNDO_CONFLICT", before) if result.is_error else fs.files() == {}


@pytest.mark.promise("back.machine")
def test_a_file_that_someone_replaced_by_an_equal_one_is_followed_by_its_name() -> None:
    """Editors save like that; the two files cannot be distinguished."""
    ws, fs = workspace()
    change = land(ws, create("a", "1\n"))
    remove(fs, "a")
    fs.put("a", b"1\n")
    land(ws, rename("a", "b"))
    succeed(ws.undo(change))
    assert fs.files() == {}


@pytest.mark.promise("back.machine")
def test_an_undo_is_refused_where_the_name_of_a_replaced_file_leads_below_a_file() -> None:
    ws, fs = workspace({"a": b"1\n"})
    change = land(ws, write("a", "2\n"))
    remove(fs, "a")
    fs.put("a", b"3\n")
    land(ws, rename("a", "d/e/a"))
    for path in ("d/e/a", "d/e"):
        remove(fs, path)
    fs.put("d/e", b"a file\n")
    before = state(fs)
    assert (error_of(ws.undo(change))["code"], state(fs)) == ("NOT_A_FOLDER", before)


@pytest.mark.promise("back.machine")
def test_a_redo_is_refused_where_the_name_of_a_replaced_file_leads_to_another_name() -> None:
    ws, fs = workspace({"a": b"1\n"})
    change = land(ws, rename("a", "b"))
    succeed(ws.undo(change))
    remove(fs, "a")
    fs.put("a", b"2\n")
    land(ws, rename("a", "c"))
    fs.put("a", b"1\n")
    before = state(fs)
    error = error_of(ws.redo(change))
    assert (error["code"], error["conflicts"][0]["about"], state(fs)) == ("UNDO_CONFLICT", "name", before)


@pytest.mark.promise("back.machine")
def test_a_redo_leaves_a_file_alone_that_a_restore_put_under_an_older_name() -> None:
    """Nothing shows that it is the deleted file: it may be another one with the same content."""
    ws, fs = workspace()
    first = land(ws, create("a", "1\n"))
    land(ws, rename("a", "b"))
    deletion = land(ws, delete("b"))
    succeed(ws.undo(deletion))
    land(ws, delete("b"))
    succeed(ws.restore(first))
    assert error_of(ws.redo(deletion))["code"] == "NOT_HERE"
    assert fs.files() == {"a": b"1\n"}


@pytest.mark.promise("back.machine")
def test_restoring_one_file_leaves_the_folders_of_others_alone() -> None:
    ws, fs = workspace()
    point = land(ws, create("a", "1\n"))
    land(ws, create("d/b"))
    land(ws, delete("d/b"))
    land(ws, write("a", "2\n"))
    succeed(ws.restore(point, ["a"]))
    assert (fs.files(), fs.folders()) == ({"a": b"1\n"}, {"d"})


@pytest.mark.promise("back.machine")
@pytest.mark.parametrize("can_link", [True, False])
def test_no_helping_file_comes_back_by_a_power_cut_in_a_folder_that_an_undo_took_away(*, can_link: bool) -> None:
    fs = MemoryFS({"d/a": b"1\n"}, can_link=can_link)
    ws = Workspace(fs.root, fs=fs)
    land(ws, create("d/e/b"))
    succeed(ws.undo())
    land(ws, create("c"))
    fs.power_loss()
    succeed(ws.history())
    assert state(fs) == {"d/": None, "d/a": (b"1\n", 0o644), "c": (b"new\n", 0o644)}


@pytest.mark.promise("back.machine")
def test_a_transaction_that_was_rolled_back_does_not_come_back_by_a_power_cut() -> None:
    fs = MemoryFS({"d/e/a": b"1\n"})
    with suppress(Stopped):
        land(Workspace(fs.root, fs=FaultyFS(fs, stop_at=1, only=["rename"])), write("d/e/a", "2\n"))
    fs.crash()
    ws = Workspace(fs.root, fs=fs)
    assert succeed(ws.history())["recovered"]["direction"] == "back"
    remove(fs, "d/e/a")
    remove(fs, "d/e")
    sync_folder(fs, "d")
    fs.power_loss()
    succeed(ws.history())
    assert state(fs) == {"d/": None}


@pytest.mark.promise("back.machine")
@pytest.mark.parametrize("stop_at", range(1, 5))
def test_a_roll_back_that_was_killed_does_not_come_back_by_a_later_power_cut(stop_at: int) -> None:
    fs = MemoryFS({"d/e/a": b"1\n"})
    with suppress(Stopped):
        land(Workspace(fs.root, fs=FaultyFS(fs, stop_at=1, only=["rename"])), write("d/e/a", "2\n"))
    fs.crash()
    with suppress(Stopped):
        Workspace(fs.root, fs=FaultyFS(fs, stop_at=stop_at, only=["sync"])).recover()
    fs.crash()
    ws = Workspace(fs.root, fs=fs)
    succeed(ws.history())
    remove(fs, "d/e/a")
    remove(fs, "d/e")
    sync_folder(fs, "d")
    fs.power_loss()
    succeed(ws.history())
    assert state(fs) == {"d/": None}


@pytest.mark.promise("back.machine")
def test_an_undo_that_was_killed_does_not_come_back_open_after_its_folder_is_gone() -> None:
    """Rare state (c) of the soak: the mark that it was done was not on the disk yet when the recovery believed it."""
    for stop_at in count(1):
        fs = MemoryFS()
        ws = Workspace(fs.root, fs=fs)
        land(ws, create("d/a"))
        try:
            succeed(Workspace(fs.root, fs=FaultyFS(fs, stop_at=stop_at, only=["sync"])).undo())
        except Stopped:
            fs.crash()
        else:
            break
        succeed(ws.history())
        before = state(fs)
        fs.power_loss()
        succeed(ws.history())
        assert state(fs) == before


@pytest.mark.promise("back.merge")
def test_lines_that_both_sides_put_at_one_place_are_a_conflict_though_one_side_changed_the_line_beside() -> None:
    merged = merge(b"a\nb\n", b"a\nB\nred\n", b"a\nb\nblue\n", touching=True)
    assert len(merged.conflicts) == 1
