"""The tools `undo` and `redo`: their shapes, their errors, and which change they take. How is in test_revert."""

from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, Workspace
from suture.testing import MemoryFS
from tests.unit.changes import (
    Ask,
    create,
    delete,
    error_of,
    git_apply,
    hash_of,
    land,
    lines,
    list_changes,
    rename,
    state,
    succeed,
    workspace,
    write,
)

COMMON = ["code", "hint", "message", "retryable"]
FILES = {"a.txt": b"one\ntwo\n", "sub/b.txt": b"x\n", "sub/c.txt": b"1\n2\n3\n"}
KINDS: dict[str, Ask] = {
    "update": write("a.txt", "one\n2\n"),
    "create": create("new/deep/d.txt", "d\n"),
    "create empty": create("empty", ""),
    "delete": delete("sub/b.txt"),
    "rename": rename("sub/c.txt", "c.txt"),
    "rename and edit": rename("sub/c.txt", "other/c.txt", "1\n2\nthree\n"),
    "no final newline": write("a.txt", "one\ntwo"),
    "crlf": write("a.txt", "one\r\ntwo\r\n"),
    "a name in quotes": create('a "name" with blanks é', "x\n"),
}
BACK = {
    "update": [("a.txt", "update", None)],
    "create": [("new/deep/d.txt", "delete", None)],
    "create empty": [("empty", "delete", None)],
    "delete": [("sub/b.txt", "create", None)],
    "rename": [("c.txt", "rename", "sub/c.txt")],
    "rename and edit": [("other/c.txt", "rename", "sub/c.txt")],
    "no final newline": [("a.txt", "update", None)],
    "crlf": [("a.txt", "update", None)],
}


def numbered_workspace() -> tuple[Workspace, MemoryFS]:
    return workspace({"a": lines()})


# Shapes


@pytest.mark.promise("back.shapes")
def test_an_undo_is_reported_in_exactly_this_shape() -> None:
    ws, _ = workspace({"a.txt": b"one\ntwo\n"})
    change = land(ws, write("a.txt", "one\n2\n"))
    result = ws.undo()
    diff = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-2\n+two\n"
    assert succeed(result) == {
        "change_id": list_changes(ws)[0]["change_id"],
        "undone": change,
        "merged": False,
        "files": [{"path": "a.txt", "action": "update", "hash": hash_of(b"one\ntwo\n")}],
        "diff": diff,
    }
    assert (change in result.text, result.metadata["change_id"] in result.text) == (True, True)
    assert "\n" not in result.text


@pytest.mark.promise("back.shapes")
def test_a_redo_is_reported_in_exactly_this_shape() -> None:
    ws, _ = workspace({"a.txt": b"one\ntwo\n"})
    change = land(ws, write("a.txt", "one\n2\n"))
    succeed(ws.undo())
    result = ws.redo()
    diff = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    assert succeed(result) == {
        "change_id": list_changes(ws)[0]["change_id"],
        "redone": change,
        "merged": False,
        "files": [{"path": "a.txt", "action": "update", "hash": hash_of(b"one\n2\n")}],
        "diff": diff,
    }
    assert (change in result.text, result.metadata["change_id"] in result.text) == (True, True)
    assert "\n" not in result.text


@pytest.mark.promise("back.shapes")
@pytest.mark.parametrize("kind", BACK)
def test_every_kind_of_change_is_reported_with_the_hash_that_the_file_has_then(kind: str) -> None:
    ws, fs = workspace(FILES)
    land(ws, KINDS[kind])
    files = succeed(ws.undo())["files"]
    assert [(file["path"], file["action"], file.get("to")) for file in files] == BACK[kind]
    for file in files:
        keys = {"path", "action", "hash"} | ({"to"} if file["action"] == "rename" else set())
        content = fs.files().get(file.get("to", file["path"]))
        assert (file.keys(), file["hash"]) == (keys, None if content is None else hash_of(content))


@pytest.mark.process
@pytest.mark.promise("back.shapes")
@pytest.mark.parametrize("kind", KINDS)
def test_the_diff_of_an_undo_and_of_a_redo_is_what_git_needs_to_do_the_same(kind: str, tmp_path: Path) -> None:
    ws, fs = workspace(FILES)
    land(ws, KINDS[kind])
    for name, call in {"undo": ws.undo, "redo": ws.redo}.items():
        before = fs.files()
        diff = succeed(call())["diff"]
        (tmp_path / name).mkdir()
        assert git_apply(tmp_path / name, before, diff) == fs.files()


@pytest.mark.process
@pytest.mark.promise("back.shapes")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"\xef\xbb\xbfone\ntwo\n", b"\xef\xbb\xbfone\n2\n"),
        (b"\xef\xbb\xbfone\n", b"one\n"),
        (b"one\n", b"\xef\xbb\xbfone\n"),
        (b"\xef\xbb\xbfone\n", b"\xef\xbb\xbf1\n"),
    ],
    ids=["beside it", "taken away", "put before", "behind it"],
)
def test_the_diff_of_a_file_with_a_mark_applies_too(before: bytes, after: bytes, tmp_path: Path) -> None:
    ws, fs = workspace({"a": before})
    land(ws, write("a", after))
    assert git_apply(tmp_path, {"a": after}, succeed(ws.undo())["diff"]) == fs.files() == {"a": before}


@pytest.mark.promise("back.shapes")
def test_what_is_undone_already_or_not_undone_is_named() -> None:
    ws, fs = workspace({"a": b"1"})
    change = land(ws, write("a", "2"))
    error = error_of(ws.redo(change))
    assert (error["code"], error["change_id"]) == ("NOTHING_TO_REDO", change)
    succeed(ws.undo(change))
    error = error_of(ws.undo(change))
    assert sorted(error) == sorted([*COMMON, "change_id"])
    assert (error["code"], error["change_id"], error["retryable"]) == ("ALREADY_UNDONE", change, False)
    assert change in error["hint"]
    error = error_of(ws.undo())
    assert (error["code"], error["all_undone"]) == ("NOTHING_TO_UNDO", True)
    succeed(ws.redo(change))
    assert error_of(ws.redo(change))["code"] == error_of(ws.redo())["code"] == "NOTHING_TO_REDO"
    assert fs.files() == {"a": b"2"}


@pytest.mark.promise("back.conflict")
@pytest.mark.promise("back.shapes")
@pytest.mark.parametrize("dry", [False, True])
def test_a_conflict_shows_every_place_with_its_three_sides_and_changes_nothing(*, dry: bool) -> None:
    ws, fs = workspace({"a": lines(), "b": lines(), "free": b"1\n"})
    change = land(ws, write("a", lines(3, 12)), write("b", lines(7)), write("free", "2\n"))
    later = land(ws, write("a", lines(3, 12, mark="later")), write("b", lines(6, 7, mark="later")))
    land(ws, create("elsewhere"))
    before, history = state(fs), list_changes(ws)
    error = error_of(ws.undo(change, dry_run=dry))
    assert sorted(error) == sorted([*COMMON, "change_id", "conflicts", "later", "operation"])
    assert (error["code"], error["change_id"], error["retryable"]) == ("UNDO_CONFLICT", change, False)
    assert (error["later"], error["operation"]) == ([later], "undo")
    places = [(conflict["path"], conflict["line"]) for conflict in error["conflicts"]]
    assert sorted(places) == [("a", 3), ("a", 12), ("b", 6)]
    assert error["conflicts"][places.index(("a", 3))] == {
        "path": "a",
        "line": 3,
        "base": "changed 3\n",
        "ours": "later 3\n",
        "theirs": "line 3\n",
    }
    assert (state(fs), list_changes(ws)) == (before, history)


@pytest.mark.promise("back.conflict")
def test_the_text_of_a_conflict_shows_both_sides_and_says_what_to_do() -> None:
    ws, _ = workspace({"a": b"1\n"})
    change = land(ws, write("a", "2\n"))
    later = land(ws, write("a", "3\n"))
    head, place, *sides, hint = ws.undo(change).text.split("\n")
    assert head.startswith(f"UNDO_CONFLICT: {change} ")
    assert place.strip().startswith("a:1")
    assert [side.rpartition(" ")[2] for side in sides] == ["2", "3", "1"]
    assert ("Nothing was changed." in hint, later in hint) == (True, True)


@pytest.mark.promise("back.conflict")
def test_the_newest_changes_in_the_way_are_named_first_and_none_that_is_undone_or_elsewhere() -> None:
    ws, fs = workspace({"a": b"1\n", "b": b"1\n"})
    change = land(ws, write("a", "2\n"))
    ids = [land(ws, write("a", f"{number}\n")) for number in range(3, 12)]
    succeed(ws.undo(ids[-1]))
    land(ws, write("b", "2\n"))
    assert error_of(ws.undo(change))["later"] == ids[-2:-7:-1]
    ws, fs = workspace({"a": b"1\n"})
    change = land(ws, write("a", "2\n"))
    fs.put("a", b"3\n")
    assert error_of(ws.undo(change))["later"] == []


@pytest.mark.promise("back.conflict")
def test_of_many_conflicts_a_hundred_are_reported_and_the_text_stays_short() -> None:
    ws, _ = workspace({"a": lines(count=900)})
    changed = range(3, 900, 3)
    change = land(ws, write("a", lines(*changed, count=900)))
    land(ws, write("a", lines(*changed, mark="later", count=900)))
    result = ws.undo(change)
    assert len(error_of(result)["conflicts"]) == 100
    assert len(result.text.split("\n")) <= 15


@pytest.mark.promise("back.conflict")
def test_a_long_conflict_is_reported_in_about_fifteen_lines() -> None:
    ws, _ = numbered_workspace()
    change = land(ws, write("a", lines(*range(2, 8), *range(11, 18))))
    land(ws, write("a", lines(*range(2, 8), *range(11, 18), mark="later")))
    assert len(ws.undo(change).text.split("\n")) <= 15


# Which change


@pytest.mark.promise("back.undo")
def test_undo_takes_the_newest_change_that_is_neither_undone_nor_an_undo() -> None:
    ws, fs = numbered_workspace()
    first, second, third = (land(ws, write("a", lines(*range(1, n)))) for n in (2, 3, 4))
    assert succeed(ws.undo())["undone"] == third
    assert succeed(ws.undo())["undone"] == second
    assert succeed(ws.redo())["redone"] == second
    assert succeed(ws.undo())["undone"] == second
    assert succeed(ws.undo())["undone"] == first
    assert fs.files() == {"a": lines()}
    assert [change["state"] for change in list_changes(ws) if change["tool"] == "transaction"] == ["undone"] * 3


@pytest.mark.promise("back.undo")
@pytest.mark.parametrize("spelled", [str, str.upper, " {} ".format, lambda id_: id_[:14]])
def test_a_change_may_be_named_by_the_beginning_of_its_id_in_any_case(spelled: Any) -> None:
    ws, fs = workspace({"a": b"1"})
    change = land(ws, write("a", "2"))
    assert succeed(ws.undo(spelled(change)))["undone"] == change
    assert succeed(ws.redo(spelled(change)))["redone"] == change
    assert fs.files() == {"a": b"2"}


def test_a_beginning_that_several_ids_have_is_refused_with_the_candidates() -> None:
    ws, fs = numbered_workspace()
    ids = [land(ws, write("a", lines(n))) for n in range(3, 10)]
    error = error_of(ws.undo(ids[0][:1]))
    assert (error["code"], error["candidates"]) == ("CHANGE_NOT_FOUND", ids[:-6:-1])
    assert ids[4] in error["message"]
    assert fs.files() == {"a": lines(9)}


@pytest.mark.parametrize("name", ["\udcff", "half \ud800", "\0", "é", "~", "%", "x" * 10_000])
def test_an_id_that_cannot_be_one_is_not_found(name: str) -> None:
    ws, _ = workspace({"a": b"1"})
    land(ws, write("a", "2"))
    for call in (ws.undo, ws.redo, ws.show, ws.restore, lambda id_: ws.history(before=id_)):
        assert error_of(call(name))["code"] == "CHANGE_NOT_FOUND"


# In the middle


@pytest.mark.promise("back.middle")
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_changes_of_different_lines_can_be_undone_in_any_order(order: tuple[int, ...]) -> None:
    ws, fs = numbered_workspace()
    where = [(2, 3), (4,), (20,)]
    ids = [land(ws, write("a", lines(*sum(where[: n + 1], ())))) for n in range(3)]
    landed = {0, 1, 2}
    for number in order:
        result = succeed(ws.undo(ids[number]))
        landed -= {number}
        expected = lines(*(line for number in landed for line in where[number]))
        assert (result["undone"], fs.files()) == (ids[number], {"a": expected})
        assert result["files"] == [{"path": "a", "action": "update", "hash": hash_of(expected)}]
    for number in order:
        succeed(ws.redo(ids[number]))
    assert fs.files() == {"a": lines(2, 3, 4, 20)}


@pytest.mark.promise("back.middle")
def test_an_undo_in_the_middle_keeps_later_work_and_says_that_it_merged() -> None:
    ws, fs = numbered_workspace()
    middle = land(ws, write("a", lines(5)))
    land(ws, write("a", lines(5, 15)))
    result = ws.undo(middle)
    assert (succeed(result)["merged"], fs.files()) == (True, {"a": lines(15)})
    assert "merge" in result.text.split("\n")[0]


@pytest.mark.promise("back.middle")
def test_an_undo_is_not_merged_where_nothing_came_later() -> None:
    ws, fs = workspace({"a": lines(), "b": lines()})
    change = land(ws, write("a", lines(5)))
    land(ws, write("b", lines(6)))
    assert (succeed(ws.undo(change))["merged"], fs.files()) == (False, {"a": lines(), "b": lines(6)})


@pytest.mark.promise("back.middle")
def test_of_several_files_each_is_merged_on_its_own() -> None:
    ws, fs = workspace({"a": lines(), "b": lines(), "c": lines()})
    change = land(ws, write("a", lines(5)), write("b", lines(6)), delete("c"), create("d"))
    land(ws, write("b", lines(6, 16)))
    result = succeed(ws.undo(change))
    assert result["merged"]
    assert fs.files() == {"a": lines(), "b": lines(16), "c": lines()}
    assert sorted(file["path"] for file in result["files"]) == ["a", "b", "c", "d"]


@pytest.mark.promise("back.conflict")
def test_one_conflict_refuses_the_undo_of_every_file() -> None:
    ws, fs = workspace({"a": lines(), "b": lines()})
    change = land(ws, write("a", lines(5)), write("b", lines(6)), create("c"))
    land(ws, write("b", lines(6, mark="later")))
    before = state(fs)
    assert [conflict["path"] for conflict in error_of(ws.undo(change))["conflicts"]] == ["b"]
    assert state(fs) == before
    succeed(ws.undo())
    succeed(ws.undo(change))
    assert fs.files() == {"a": lines(), "b": lines()}


# Undo of an undo, and redo


def states(ws: Workspace) -> list[tuple[str, str]]:
    return [(change["tool"], change["state"]) for change in list_changes(ws)]


@pytest.mark.promise("back.redo")
def test_undo_of_an_undo_redo_and_redo_again_lead_back_and_forth() -> None:
    ws, fs = workspace({"a": b"1\n"})
    change = land(ws, write("a", "2\n"))
    undo = succeed(ws.undo())["change_id"]
    assert (fs.files(), states(ws)) == ({"a": b"1\n"}, [("undo", "landed"), ("transaction", "undone")])
    again = succeed(ws.undo(undo))
    assert (again["undone"], fs.files()) == (undo, {"a": b"2\n"})
    assert states(ws) == [("undo", "landed"), ("undo", "undone"), ("transaction", "landed")]
    redo = succeed(ws.redo())
    assert (redo["redone"], fs.files()) == (undo, {"a": b"1\n"})
    assert states(ws)[1:] == [("undo", "undone"), ("undo", "landed"), ("transaction", "undone")]
    redo = succeed(ws.redo())
    assert (redo["redone"], fs.files()) == (change, {"a": b"2\n"})
    assert states(ws)[-1] == ("transaction", "landed")
    assert error_of(ws.redo())["code"] == "NOTHING_TO_REDO"
    assert [change["undoes"] for change in list_changes(ws)][::-1] == [None, change, undo, again["change_id"], undo]


@pytest.mark.promise("back.redo")
def test_a_redo_can_be_undone_by_its_id_and_redone_again() -> None:
    ws, fs = workspace({"a": b"1\n"})
    change = land(ws, write("a", "2\n"))
    succeed(ws.undo())
    redo = succeed(ws.redo())["change_id"]
    assert (succeed(ws.undo(redo))["undone"], fs.files()) == (redo, {"a": b"1\n"})
    assert error_of(ws.undo(change))["code"] == "ALREADY_UNDONE"
    assert (succeed(ws.redo(change))["redone"], fs.files()) == (change, {"a": b"2\n"})


@pytest.mark.promise("back.redo")
def test_an_undo_may_be_redone_by_its_own_id() -> None:
    ws, fs = workspace({"a": b"1\n"})
    change = land(ws, write("a", "2\n"))
    undo = succeed(ws.undo())["change_id"]
    assert (succeed(ws.redo(undo))["redone"], fs.files()) == (change, {"a": b"2\n"})


@pytest.mark.promise("back.redo")
def test_redo_takes_the_most_recently_undone() -> None:
    ws, fs = numbered_workspace()
    first = land(ws, write("a", lines(1)))
    second = land(ws, write("a", lines(1, 20)))
    succeed(ws.undo(first))
    succeed(ws.undo(second))
    assert [succeed(ws.redo())["redone"] for _ in range(2)] == [second, first]
    assert fs.files() == {"a": lines(1, 20)}


@pytest.mark.promise("back.redo")
def test_later_edits_do_not_clear_what_can_be_redone_and_are_kept() -> None:
    ws, fs = numbered_workspace()
    change = land(ws, write("a", lines(5)))
    succeed(ws.undo())
    land(ws, write("a", lines(15)))
    fs.put("a", lines(15, 20))
    result = succeed(ws.redo())
    assert (result["redone"], result["merged"], fs.files()) == (change, True, {"a": lines(5, 15, 20)})


@pytest.mark.promise("back.redo")
@pytest.mark.promise("back.conflict")
def test_a_redo_over_later_edits_of_the_same_lines_is_refused() -> None:
    ws, fs = numbered_workspace()
    change = land(ws, write("a", lines(5)))
    succeed(ws.undo())
    later = land(ws, write("a", lines(5, mark="later")))
    before, history = state(fs), list_changes(ws)
    error = error_of(ws.redo())
    assert error["conflicts"] == [
        {"path": "a", "line": 5, "base": "line 5\n", "ours": "later 5\n", "theirs": "changed 5\n"}
    ]
    assert (error["code"], error["change_id"]) == ("UNDO_CONFLICT", change)
    assert (error["operation"], error["later"]) == ("redo", [later])
    assert (state(fs), list_changes(ws)) == (before, history)


@pytest.mark.promise("back.redo")
def test_everything_can_be_undone_one_by_one_to_the_beginning_and_redone_to_the_end() -> None:
    ws, fs = workspace(FILES)
    stations = [state(fs)]
    for ask in (
        write("a.txt", "1\n2\n"),
        create("new/deep/d.txt", "d\n", 0o755),
        rename("new/deep/d.txt", "e.txt"),
        delete("sub/b.txt"),
        create("sub/b.txt", "another one\n"),
        rename("sub/b.txt", "moved"),
        rename("a.txt", "sub/b.txt", "1\n2\n3\n"),
        delete("sub/b.txt"),
        create("a.txt", ""),
    ):
        land(ws, ask)
        stations.append(state(fs))
    for expected in stations[-2::-1]:
        assert not succeed(ws.undo())["merged"]
        assert state(fs) == expected
    assert error_of(ws.undo())["code"] == "NOTHING_TO_UNDO"
    assert fs.files() == FILES
    for expected in stations[1:]:
        assert not succeed(ws.redo())["merged"]
        assert state(fs) == expected
    assert error_of(ws.redo())["code"] == "NOTHING_TO_REDO"


# Dry runs


@pytest.mark.promise("back.shapes")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("merged", [False, True])
def test_a_dry_run_says_what_the_real_one_does_and_changes_nothing(kind: str, *, merged: bool) -> None:
    ws, fs = workspace({**FILES, "m": lines()})
    change = land(ws, KINDS[kind], write("m", lines(5)))
    for call, meanwhile in ((ws.undo, lines(5, 15)), (ws.redo, lines(15, 18))):
        if merged:
            fs.put("m", meanwhile)
        before, shelf = state(fs), dict(fs.shelf)
        trial = call(change, dry_run=True)
        assert (state(fs), fs.shelf) == (before, shelf)
        real = call(change)
        assert trial.metadata == {**real.metadata, "change_id": None, "dry_run": True}
        assert (trial.metadata["merged"], trial.text.split()[0]) == (merged, "Dry")


# Nothing to do any more


@pytest.mark.promise("back.external")
def test_an_undo_of_what_someone_else_has_taken_back_is_refused_and_marks_nothing() -> None:
    ws, fs = workspace({"a": b"1\n"})
    change = land(ws, write("a", "2\n"))
    fs.put("a", b"1\n")
    before = list_changes(ws)
    for result in (ws.undo(dry_run=True), ws.undo()):
        error = error_of(result)
        assert {name: error[name] for name in ("code", "change_id", "branch", "now", "operation")} == {
            "code": "NOT_HERE",
            "change_id": change,
            "branch": None,
            "now": None,
            "operation": "undo",
        }
    assert list_changes(ws) == before
    fs.put("a", b"2\n")
    succeed(ws.undo())
    assert fs.files()["a"] == b"1\n"
    fs.put("a", b"2\n")
    assert (error_of(ws.redo())["code"], error_of(ws.redo())["operation"]) == ("NOT_HERE", "redo")
    assert list_changes(ws)[-1]["state"] == "undone"


# How much is shown, and what cannot be done


def test_a_long_diff_is_cut_in_the_text_and_whole_in_the_data() -> None:
    ws, _ = workspace({"a": b""}, Settings(max_diff_lines=10))
    land(ws, write("a", lines(count=50)))
    result = ws.undo(dry_run=True)
    assert len(succeed(result)["diff"].split("\n")) - 1 == 54
    assert result.text.split("\n")[-2] == "-line 6"
    assert result.text.split("\n")[-1].startswith("… 44 more lines (max_diff_lines)")


def test_without_a_history_there_is_nothing_to_undo_and_the_error_says_why() -> None:
    ws, fs = workspace({"a": b"1"}, Settings(history=False))
    land(ws, write("a", "2"))
    for result in (
        ws.undo(),
        ws.redo(),
        ws.history(),
        ws.show("x"),
        ws.restore("x"),
        ws.checkpoint("x"),
        ws.checkpoints(),
    ):
        error = error_of(result)
        assert (error["code"], error["reason"]) == (
            "HISTORY_UNAVAILABLE",
            "it is turned off by the setting history",
        )
    assert fs.files() == {"a": b"2"}
