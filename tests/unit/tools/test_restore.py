"""Bring files back to a point: `restore`, with and without checkpoints."""

from collections.abc import Callable
from pathlib import Path

import pytest

from suture import Settings, Workspace
from suture.errors import InvalidArguments
from suture.testing import MemoryFS
from suture.tools.restore import RESTORE
from tests.unit.changes import (
    create,
    delete,
    error_of,
    git_apply,
    hash_of,
    land,
    lines,
    list_changes,
    remove,
    rename,
    state,
    succeed,
    take_snapshot,
    workspace,
    write,
)

FAST = Settings(durability="fast")


def grown() -> tuple[Workspace, MemoryFS, list[str], list[dict[str, object]]]:
    """A workspace after five changes: their ids, and the state before the first and after each."""
    ws, fs = workspace({"a": b"1\n", "b": b"x\n", "sub/c": b"c\n"})
    stations, ids = [state(fs)], []
    for ask in (
        write("a", "2\n"),
        create("new/deep/d", "d\n", 0o755),
        rename("b", "sub/b", "y\n"),
        delete("sub/c"),
        write("a", "3\n"),
    ):
        ids.append(land(ws, ask))
        stations.append(state(fs))
    return ws, fs, ids, stations


# To a change


@pytest.mark.promise("back.shapes")
def test_a_restore_is_reported_in_exactly_this_shape() -> None:
    ws, _ = workspace({"a": b"1\n"})
    first = land(ws, write("a", "2\n"))
    land(ws, write("a", "3\n"))
    result = ws.restore(first)
    diff = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-3\n+2\n"
    assert succeed(result) == {
        "change_id": list_changes(ws)[0]["change_id"],
        "to": first,
        "checkpoint": None,
        "deleted": [],
        "left": [],
        "files": [{"path": "a", "action": "update", "hash": hash_of(b"2\n")}],
        "diff": diff,
    }
    assert (first in result.text, result.metadata["change_id"] in result.text) == (True, True)
    assert "\n" not in result.text


@pytest.mark.promise("back.restore")
@pytest.mark.parametrize("number", range(5))
def test_everything_is_as_it_was_right_after_a_change(number: int) -> None:
    ws, fs, ids, stations = grown()
    succeed(ws.restore(ids[number]))
    assert state(fs) == stations[number + 1]


@pytest.mark.promise("back.restore")
@pytest.mark.parametrize("number", range(4))
def test_a_restore_is_a_change_that_can_be_undone_and_redone(number: int) -> None:
    ws, fs, ids, stations = grown()
    change = succeed(ws.restore(ids[number]))["change_id"]
    newest = list_changes(ws)[0]
    assert (newest["change_id"], newest["tool"], newest["state"]) == (change, "restore", "landed")
    assert newest["summary"] == f"restore to change {ids[number]}"
    assert succeed(ws.undo())["undone"] == change
    assert state(fs) == stations[-1]
    succeed(ws.redo())
    assert state(fs) == stations[number + 1]
    succeed(ws.restore(ids[-1]))
    assert state(fs) == stations[-1]


@pytest.mark.promise("back.restore")
@pytest.mark.parametrize("number", range(5))
def test_a_dry_run_of_a_restore_tells_the_same_and_changes_nothing(number: int) -> None:
    ws, fs, ids, _ = grown()
    before, shelf = state(fs), dict(fs.shelf)
    trial = ws.restore(ids[number], dry_run=True)
    assert (state(fs), fs.shelf) == (before, shelf)
    assert trial.metadata == {**ws.restore(ids[number]).metadata, "change_id": None, "dry_run": True}


@pytest.mark.process
@pytest.mark.promise("back.restore")
def test_the_diff_of_a_restore_is_what_git_needs_to_do_the_same(tmp_path: Path) -> None:
    ws, fs, ids, _ = grown()
    before = fs.files()
    diff = succeed(ws.restore(ids[0]))["diff"]
    assert git_apply(tmp_path, before, diff, executable=["new/deep/d"]) == fs.files()


@pytest.mark.promise("back.restore")
@pytest.mark.parametrize("spelled", [str, str.upper, lambda id_: id_[:14]])
def test_the_beginning_of_an_id_will_do(spelled: Callable[[str], str]) -> None:
    ws, fs, ids, stations = grown()
    succeed(ws.restore(spelled(ids[1])))
    assert state(fs) == stations[2]


@pytest.mark.promise("back.restore")
@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["a"], {"a"}),
        (["sub"], {"sub/b", "sub/c"}),
        (["sub/", "a"], {"a", "sub/b", "sub/c"}),
        (["new"], {"new/deep/d"}),
        (["new/deep/d", "./new/deep"], {"new/deep/d"}),
        (["."], {"a", "b", "new/deep/d", "sub/b", "sub/c"}),
    ],
)
def test_only_the_named_files_and_folders_are_restored(paths: list[str], expected: set[str]) -> None:
    ws, fs, _, stations = grown()
    take_snapshot(ws, "late")
    for _ in range(5):
        succeed(ws.undo())
    assert state(fs) == stations[0]
    restored = succeed(ws.restore("late", paths))["files"]
    assert {file["path"] for file in restored} == expected
    for path in ("a", "b", "sub/b", "sub/c", "new/deep/d"):
        assert state(fs).get(path) == stations[5 if path in expected else 0].get(path)


@pytest.mark.promise("back.restore")
def test_an_undone_change_is_a_point_too() -> None:
    ws, fs, ids, stations = grown()
    for _ in range(5):
        succeed(ws.undo())
    succeed(ws.restore(ids[2]))
    assert state(fs) == stations[3]


@pytest.mark.promise("back.restore")
def test_what_others_wrote_is_replaced_and_can_be_had_back() -> None:
    ws, fs, ids, _ = grown()
    fs.put("a", b"by hand\n")
    fs.put("sub/c", b"made anew\n")
    before = state(fs)
    succeed(ws.restore(ids[0]))
    assert (fs.files()["a"], fs.files()["sub/c"]) == (b"2\n", b"c\n")
    succeed(ws.undo())
    assert state(fs) == before


@pytest.mark.promise("back.restore")
def test_a_file_that_others_changed_after_the_last_change_is_restored_where_it_is_named() -> None:
    ws, fs = workspace({"a": b"1\n"})
    change = land(ws, write("a", "2\n"))
    fs.put("a", b"by hand\n")
    succeed(ws.restore(change, ["a"]))
    assert fs.files() == {"a": b"2\n"}


@pytest.mark.promise("back.restore")
def test_folders_that_were_made_since_go_away_unless_someone_uses_them() -> None:
    ws, fs = workspace({"a": b"1\n"})
    first = land(ws, write("a", "2\n"))
    land(ws, create("new/deep/b"), create("used/c"))
    fs.put("used/theirs", b"x")
    succeed(ws.restore(first))
    assert (fs.files(), fs.folders()) == ({"a": b"2\n", "used/theirs": b"x"}, {"used"})


@pytest.mark.promise("back.restore")
def test_permission_bits_come_back_also_on_a_file_that_is_there() -> None:
    ws, fs = workspace()
    fs.put("run.sh", b"1\n", mode=0o755)
    fs.put("a", b"1\n", mode=0o600)
    first = land(ws, create("x"))
    land(ws, delete("run.sh"), write("a", "2\n"))
    fs.node_of("a").mode = 0o640
    succeed(ws.restore(first, ["run.sh", "a"]))
    assert state(fs) == {"run.sh": (b"1\n", 0o755), "a": (b"1\n", 0o600), "x": (b"new\n", 0o644)}


@pytest.mark.process
@pytest.mark.promise("back.restore")
def test_permission_bits_alone_are_restored_told_and_undone(tmp_path: Path) -> None:
    ws, fs = workspace()
    fs.put("run.sh", b"1\n", mode=0o755)
    take_snapshot(ws, "now", ["run.sh"])
    fs.node_of("run.sh").mode = 0o644
    result = succeed(ws.restore("now"))
    assert result["files"] == [{"path": "run.sh", "action": "update", "hash": hash_of(b"1\n")}]
    assert result["diff"] == "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
    assert git_apply(tmp_path, {"run.sh": b"1\n"}, result["diff"]) == {"run.sh": b"1\n"}
    assert (tmp_path / "run.sh").stat().st_mode & 0o777 == 0o755
    assert succeed(ws.show(result["change_id"]))["diff"] == result["diff"]
    assert state(fs) == {"run.sh": (b"1\n", 0o755)}
    succeed(ws.undo())
    assert state(fs) == {"run.sh": (b"1\n", 0o644)}
    succeed(ws.redo())
    assert state(fs) == {"run.sh": (b"1\n", 0o755)}
    fs.node_of("run.sh").mode = 0o700
    assert error_of(ws.undo())["code"] == "NOT_HERE"
    assert state(fs) == {"run.sh": (b"1\n", 0o700)}


@pytest.mark.promise("back.restore")
def test_where_everything_is_so_already_nothing_lands() -> None:
    ws, fs, ids, _ = grown()
    shelf = dict(fs.shelf)
    result = ws.restore(ids[-1])
    assert succeed(result) == {
        "change_id": None,
        "to": ids[-1],
        "files": [],
        "diff": "",
        "checkpoint": None,
        "deleted": [],
        "left": [],
        "no_change": True,
    }
    assert "\n" not in result.text
    assert fs.shelf == shelf


# As last recorded


@pytest.mark.promise("back.restore")
def test_without_a_point_files_come_back_as_suture_last_saw_them() -> None:
    ws, fs, _, stations = grown()
    fs.put("a", b"by hand\n")
    remove(fs, "sub/b")
    fs.put("sub/c", b"made anew\n")
    result = ws.restore(paths=["a", "sub"])
    assert (succeed(result)["to"], state(fs)) == (None, stations[-1])
    assert "3 files" in result.text.split("\n")[0]


@pytest.mark.promise("back.restore")
def test_a_snapshot_is_a_record_of_what_is_there_too() -> None:
    ws, fs = workspace({"a": b"1\n"})
    land(ws, write("a", "2\n"))
    fs.put("a", b"by hand\n")
    take_snapshot(ws, "now")
    remove(fs, "a")
    succeed(ws.restore(paths=["a"]))
    assert fs.files() == {"a": b"by hand\n"}


# What is refused


def test_a_restore_wants_a_point_or_files() -> None:
    ws, fs, _, stations = grown()
    error = error_of(ws.restore())
    assert (error["code"], [problem["argument"] for problem in error["problems"]]) == ("INVALID_ARGUMENTS", ["to"])
    assert state(fs) == stations[-1]


@pytest.mark.parametrize("to", ["", "zz", "no such checkpoint"])
def test_a_point_that_is_not_known_is_refused_with_the_names_that_are(to: str) -> None:
    ws, _, _, _ = grown()
    take_snapshot(ws, "first")
    take_snapshot(ws, "second")
    result = ws.restore(to)
    error = error_of(result)
    assert (error["code"], error["change_id"], error["checkpoints"]) == ("CHANGE_NOT_FOUND", to, ["first", "second"])
    assert "first, second" in result.text


def test_a_point_that_could_be_several_is_refused_with_them() -> None:
    ws, fs, ids, stations = grown()
    assert error_of(ws.restore(ids[0][:1]))["candidates"] == ids[::-1]
    assert state(fs) == stations[-1]


def test_a_file_that_was_never_seen_is_refused_with_names_that_are_near() -> None:
    ws, fs, ids, _ = grown()
    before = state(fs)
    error = error_of(ws.restore(ids[0], ["a", "sub/bb"]))
    assert (error["code"], error["path"], error["near"][0]) == ("NOT_RECORDED", "sub/bb", "sub/b")
    assert state(fs) == before


def test_a_point_given_as_a_file_is_refused_with_the_argument_to_use() -> None:
    ws, _, ids, _ = grown()
    take_snapshot(ws, "before")
    for name in ("before", ids[0]):
        error = error_of(ws.restore(paths=[name]))
        assert (error["code"], error["is_point"]) == ("NOT_RECORDED", True)
        assert error["hint"] == f'To restore to the change or checkpoint of this name, set to to "{name}".'


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("../x", "PATH_OUTSIDE_WORKSPACE"),
        (".git/config", "PROTECTED_PATH"),
        ("", "INVALID_PATH"),
        ("su", "NOT_RECORDED"),
    ],
)
def test_paths_are_held_to_the_rules_of_all_tools(path: str, code: str) -> None:
    ws, _, ids, _ = grown()
    assert error_of(ws.restore(ids[0], [path]))["code"] == code


def test_a_folder_that_is_gone_can_be_restored_with_or_without_a_slash() -> None:
    for spelled in ("new", "new/"):
        ws, fs = workspace()
        change = land(ws, create("new/a"))
        succeed(ws.undo())
        succeed(ws.restore(change, [spelled]))
        assert fs.files() == {"new/a": b"new\n"}


@pytest.mark.promise("back.external")
@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (lambda fs: fs.put_link("a", "sub/b"), "NOT_A_FILE"),
        (lambda fs: fs.put_link("a", "nowhere"), "NOT_A_FILE"),
        (lambda fs: fs.put("a/b", b"x"), "NOT_A_FILE"),
        (lambda fs: fs.put_special("a"), "NOT_A_FILE"),
    ],
    ids=["link", "link to nowhere", "folder", "device"],
)
def test_what_is_no_file_any_more_is_not_overwritten(spoil: Callable[[MemoryFS], None], code: str) -> None:
    ws, fs, ids, _ = grown()
    remove(fs, "a")
    spoil(fs)
    before = state(fs)
    assert (error_of(ws.restore(ids[0]))["code"], state(fs)) == (code, before)
    assert (error_of(ws.restore(ids[0], ["a"]))["code"], state(fs)) == (code, before)


def test_a_protected_file_is_left_alone_and_so_is_the_rest() -> None:
    _, fs, ids, stations = grown()
    guarded = Workspace(fs.root, Settings(protect=("sub/c",)), fs=fs)
    assert (error_of(guarded.restore(ids[0]))["code"], state(fs)) == ("PROTECTED_PATH", stations[-1])
    succeed(guarded.restore(ids[0], ["a"]))
    assert fs.files()["a"] == b"2\n"


@pytest.mark.parametrize(
    ("given", "paths"),
    [("a", ["a"]), ('["a", "b"]', ["a", "b"]), (["a"], ["a"]), (("a", "b"), ["a", "b"]), ([], []), (None, ())],
)
def test_paths_may_be_one_string_or_json_or_null(given: object, paths: list[str]) -> None:
    assert getattr(RESTORE.request.parse({"paths": given}), "paths") == paths  # noqa: B009  for type checkers


@pytest.mark.parametrize("given", [3, {"a": "b"}, ["a", 3]])
def test_paths_that_are_none_are_refused(given: object) -> None:
    with pytest.raises(InvalidArguments):
        RESTORE.request.parse({"paths": given})
    assert RESTORE.definition()["inputSchema"]["properties"]["paths"]["items"] == {"type": "string"}


def test_restore_and_the_like_are_no_tools() -> None:
    ws, _ = workspace()
    for name in ("restore", "show", "checkpoint", "checkpoints"):
        assert error_of(ws.call(name, {}))["code"] == "UNKNOWN_TOOL"


# Snapshots


# To a snapshot of 0.1.0


@pytest.mark.promise("back.restore")
def test_a_snapshot_has_every_file_that_suture_changed_and_what_others_made_of_it() -> None:
    ws, fs, _, _ = grown()
    fs.put("a", b"by hand\n")
    fs.put("unknown", b"never seen\n")
    before = state(fs)
    take_snapshot(ws, "before lunch")
    land(ws, write("a", "4\n"), delete("sub/b"), create("sub/c", "z\n"), rename("new/deep/d", "d"))
    fs.put("unknown", b"changed\n")
    succeed(ws.restore("before lunch"))
    assert state(fs) == {**before, "unknown": (b"changed\n", 0o644)}


@pytest.mark.promise("back.restore")
def test_a_file_that_suture_first_changed_after_a_snapshot_is_what_it_was_before_that() -> None:
    ws, fs = workspace({"a": b"1\n", "b": b"2\n"})
    take_snapshot(ws, "empty")
    fs.put("a", b"by hand\n")
    land(ws, write("a", "3\n"), delete("b"), create("c"))
    succeed(ws.restore("empty"))
    assert fs.files() == {"a": b"by hand\n", "b": b"2\n"}


def test_a_snapshot_is_listed_among_the_checkpoints() -> None:
    ws, _ = workspace({"a": b"1\n"})
    take_snapshot(ws, "old", ["a"])
    succeed(ws.checkpoint("new"))
    listed = succeed(ws.checkpoints())["checkpoints"]
    assert [(point["name"], point["kind"]) for point in listed] == [("old", "snapshot"), ("new", "named")]


def test_restoring_works_on_the_disk_and_beyond_the_root(tmp_path: Path) -> None:
    for name in ("ws", "other"):
        (tmp_path / name).mkdir()
    other = tmp_path / "other/a"
    other.write_bytes(lines())
    other.chmod(0o755)
    ws = Workspace(tmp_path / "ws", FAST.evolve(extra_roots=(str(tmp_path / "other"),)))
    first = land(ws, write(str(other), lines(1)))
    land(ws, delete(str(other)), create("sub/b"))
    succeed(ws.restore(first))
    assert (other.read_bytes(), other.stat().st_mode & 0o777) == (lines(1), 0o755)
    assert list((tmp_path / "ws").iterdir()) == []
    take_snapshot(ws, "s")
    other.write_bytes(b"by hand")
    succeed(ws.restore("s", [str(tmp_path / "other")]))
    assert other.read_bytes() == lines(1)
