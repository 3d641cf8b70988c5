"""Checkpoints of the whole tree: what other programs did is a change of its own."""

import random
import sqlite3
from contextlib import closing
from operator import methodcaller
from pathlib import Path

import pytest

from suture import Settings, Workspace
from suture.files.checkpoints import CheckpointRecord
from suture.files.database import NamedPoint
from suture.files.state import history_folder
from suture.testing import MemoryFS
from tests.faults.test_history_damage import change_database
from tests.unit.changes import (
    create,
    delete,
    error_of,
    land,
    list_changes,
    move,
    remove,
    rename,
    state,
    succeed,
    take_snapshot,
    workspace,
    write,
)


def summaries(ws: Workspace) -> list[tuple[str, str, list[tuple[str, str]]]]:
    """The changes, oldest first: tool, summary, and what happened to which file."""
    return [
        (change["tool"], change["summary"], [(file["action"], file["path"]) for file in change["files"]])
        for change in list_changes(ws)[::-1]
    ]


def outside(ws: Workspace) -> list[list[tuple[str, str]]]:
    return [files for tool, _, files in summaries(ws) if tool == "outside"]


@pytest.fixture
def tree() -> tuple[Workspace, MemoryFS]:
    return workspace({"a": b"1\n", "b": b"x\n", "sub/c": b"c\n"})


def test_a_checkpoint_is_reported_in_exactly_this_shape(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs = tree
    result = ws.checkpoint("first")
    data = succeed(result)
    assert data == {
        "id": data["id"],
        "name": "first",
        "files": 3,
        "unread": 0,
        "change_id": None,
        "changed": 0,
        "withheld": [],
    }
    assert result.text == "Took checkpoint 'first': 3 files."
    fs.put("a", b"by hand\n")
    again = succeed(ws.checkpoint())
    change = list_changes(ws)[0]["change_id"]
    assert (again["name"], again["change_id"], again["changed"]) == (None, change, 1)


@pytest.mark.promise("back.checkpoints")
def test_what_others_did_since_the_last_one_is_a_change_of_its_own(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs = tree
    succeed(ws.checkpoint("first"))
    assert summaries(ws) == []
    fs.put("a", b"2\n")
    remove(fs, "b")
    fs.put("new/d", b"d\n", mode=0o755)
    succeed(ws.checkpoint("second"))
    assert summaries(ws) == [
        ("outside", "3 files changed outside suture", [("update", "a"), ("delete", "b"), ("create", "new/d")])
    ]
    succeed(ws.checkpoint("third"))
    assert len(summaries(ws)) == 1


@pytest.mark.promise("back.checkpoints")
def test_an_outside_change_is_undone_with_contents_and_modes(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs = tree
    before = state(fs)
    succeed(ws.checkpoint("first"))
    fs.put("a", b"2\n")
    fs.node_of("sub/c").mode = 0o755
    fs.node_of("sub/c").modified_ns += 1
    remove(fs, "b")
    fs.put("new/deep/d", b"d\n")
    change = succeed(ws.checkpoint())["change_id"]
    after = state(fs)
    undone = succeed(ws.undo(change))["change_id"]
    assert state(fs) == before | {"new/": None, "new/deep/": None}  # they may have been there before
    succeed(ws.undo(undone))
    assert state(fs) == after


def test_later_work_is_kept_when_an_outside_change_is_undone() -> None:
    text = "".join(f"line {number}\n" for number in range(20))
    ws, fs = workspace({"a": text.encode()})
    succeed(ws.checkpoint("first"))
    fs.put("a", text.replace("line 3", "by hand").encode())
    change = succeed(ws.checkpoint())["change_id"]
    land(ws, write("a", text.replace("line 3", "by hand").replace("line 15", "later")))
    assert succeed(ws.undo(change))["merged"]
    assert fs.files()["a"].decode() == text.replace("line 15", "later")


def test_changes_by_suture_are_not_outside_changes(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, _ = tree
    succeed(ws.checkpoint("first"))
    land(ws, write("a", "2\n"), create("new", "n\n", 0o755), delete("b"), rename("sub/c", "sub/d", "d\n"))
    succeed(ws.undo())
    assert succeed(ws.checkpoint("second"))["change_id"] is None
    assert outside(ws) == []


def test_what_others_did_before_an_edit_of_the_same_file_is_recorded_before_it(
    tree: tuple[Workspace, MemoryFS],
) -> None:
    ws, fs = tree
    succeed(ws.checkpoint("first"))
    before = state(fs)
    fs.put("a", b"by hand\n")
    fs.put("new", b"by hand\n")
    land(ws, write("a", "2\n"), write("new", "3\n"), write("b", "y\n"))
    assert [tool for tool, _, _ in summaries(ws)] == ["outside", "transaction"]
    assert outside(ws) == [[("update", "a"), ("create", "new")]]
    assert succeed(ws.restore("first", yes=True))["deleted"] == ["new"]
    assert state(fs) == before


def test_a_file_that_was_deleted_by_others_and_created_again_is_recorded_as_deleted(
    tree: tuple[Workspace, MemoryFS],
) -> None:
    ws, fs = tree
    succeed(ws.checkpoint("first"))
    remove(fs, "b")
    land(ws, create("b", "again\n"))
    assert outside(ws) == [[("delete", "b")]]


def test_an_ignored_file_that_is_edited_may_have_been_there_before() -> None:
    ws, fs = workspace({".gitignore": b"*.log\n/build/\n", "x.log": b"1\n", "build/y": b"1\n", "keep": b"1\n"})
    succeed(ws.checkpoint("first"))
    land(ws, write("x.log", "2\n"), write("build/y", "2\n"))
    assert outside(ws) == []
    succeed(ws.restore("first"))
    assert (fs.files()["x.log"], fs.files()["build/y"]) == (b"1\n", b"1\n")


def test_undo_without_an_id_does_not_take_back_what_others_did(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs = tree
    change = land(ws, write("b", "y\n"))
    succeed(ws.checkpoint("first"))
    fs.put("a", b"by hand\n")
    succeed(ws.checkpoint("second"))
    assert succeed(ws.undo())["undone"] == change
    assert fs.files()["a"] == b"by hand\n"


def test_a_file_that_others_put_back_is_the_same_file(tree: tuple[Workspace, MemoryFS]) -> None:
    """As `git stash -u` and `git stash pop` do."""
    ws, fs = tree
    change = land(ws, create("new", "n\n"))
    succeed(ws.checkpoint("first"))
    remove(fs, "new")
    succeed(ws.checkpoint("stashed"))
    assert error_of(ws.undo(change))["code"] == "NOT_HERE"
    fs.put("new", b"n\n")
    succeed(ws.checkpoint("popped"))
    succeed(ws.undo(change))
    assert "new" not in fs.files()


def test_ignored_files_are_left_out_unless_the_history_knows_them() -> None:
    ws, fs = workspace({".gitignore": b"*.log\n", "sub/.gitignore": b"!keep.log\n", "a.log": b"1\n", "b.log": b"1\n"})
    fs.put("sub/keep.log", b"1\n")
    land(ws, write("b.log", "2\n"))
    assert succeed(ws.checkpoint("first"))["files"] == 4
    for name in ("a.log", "b.log", "c.log", "sub/keep.log"):
        fs.put(name, b"3\n")
    succeed(ws.checkpoint("second"))
    assert outside(ws) == [[("update", "b.log"), ("update", "sub/keep.log")]]


@pytest.mark.parametrize("by_suture", [False, True])
def test_files_that_are_no_longer_ignored_were_not_made_since(*, by_suture: bool) -> None:
    ws, fs = workspace({".gitignore": b"*.log\n/out/\n", "a.log": b"1\n", "out/b": b"1\n", "c": b"1\n"})
    succeed(ws.checkpoint("first"))
    if by_suture:
        land(ws, write(".gitignore", ""))
    else:
        fs.put(".gitignore", b"")
    fs.put("new", b"1\n")
    succeed(ws.checkpoint("second"))
    assert outside(ws) == [[*([] if by_suture else [("update", ".gitignore")]), ("create", "new")]]
    fs.put("a.log", b"2\n")
    assert succeed(ws.checkpoint("third"))["changed"] == 1
    assert succeed(ws.restore("first", yes=True))["deleted"] == ["new"]
    assert fs.files() == {".gitignore": b"*.log\n/out/\n", "a.log": b"1\n", "out/b": b"1\n", "c": b"1\n"}


def test_a_file_that_is_no_longer_ignored_may_have_been_there_when_it_is_edited() -> None:
    ws, fs = workspace({".gitignore": b"*.log\n", "a.log": b"1\n", "c": b"1\n"})
    succeed(ws.checkpoint("first"))
    fs.put(".gitignore", b"")
    land(ws, write("a.log", "2\n"))
    assert outside(ws) == []
    assert succeed(ws.restore("first"))["deleted"] == []
    assert fs.files()["a.log"] == b"1\n"


@pytest.mark.parametrize("folder", [".git", ".hg", ".svn", ".jj", ".suture", "sub/.git", ".GIT", ".suture-x"])
def test_folders_of_version_control_and_of_suture_are_left_out(folder: str, tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs = tree
    fs.put(f"{folder}/x", b"1")
    assert succeed(ws.checkpoint("first"))["files"] == 3


def test_links_are_not_followed_and_devices_not_read(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs = tree
    fs.put_link("link", "/etc")
    fs.put_link("to", "a")
    fs.put_special("pipe")
    assert succeed(ws.checkpoint("first"))["files"] == 3


def test_contents_of_protected_files_and_of_env_files_are_not_kept() -> None:
    secret = b"PASSWORD=hunter2-hunter2-hunter2\n"
    ws, fs = workspace({".env": secret, "sub/.env.local": secret, ".envrc": secret, "npmrc": b"1\n"})
    succeed(ws.checkpoint("first"))
    assert not any(b"hunter2" in stored for stored in fs.shelf.values())
    fs.put(".env", secret + b"#")
    fs.put(".envrc", secret + b"#")
    result = ws.checkpoint("second")
    assert (succeed(result)["withheld"], succeed(result)["change_id"]) == ([".env", ".envrc"], None)
    assert ".env, .envrc changed (contents are not kept)" in result.text
    fs.put("npmrc", b"2\n")
    fs.put(".env", secret)
    succeed(ws.checkpoint("third"))
    assert [summary for _, summary, _ in summaries(ws)] == [
        "1 file changed outside suture; also .env, whose contents are not recorded"
    ]
    assert not any(b"hunter2" in stored for stored in fs.shelf.values())


def test_undo_without_an_id_does_not_call_a_change_of_another_program_undone(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs = tree
    succeed(ws.checkpoint("first"))
    fs.put("a", b"2\n")
    succeed(ws.checkpoint("second"))
    error = error_of(ws.undo())
    assert (error["code"], error["all_undone"], fs.files()["a"]) == ("NOTHING_TO_UNDO", True, b"2\n")
    assert error["message"] == (
        "No change that suture made in /ws is left to undo; changes by other programs are undone by id."
    )


@pytest.mark.parametrize(
    "name",
    [
        *(".ENV.local", "prod.env", "id_rsa", "ID_RSA", "id_ed25519.bak", "server.pem", "Server.KEY", "a.p12", "a.pfx"),
        *(".npmrc", ".pgpass", ".htpasswd", ".pypirc", "credentials", "Credentials.json", "service-account.json"),
        *("service-account-prod.json", "secrets.yml", "prod.tfvars"),
    ],
)
def test_contents_of_files_with_names_of_secrets_are_not_kept(name: str) -> None:
    secret = b"hunter2-hunter2-hunter2\n"
    ws, fs = workspace({name: secret, f"sub/{name}": secret, "a": b"1\n"})
    succeed(ws.checkpoint("first"))
    fs.put(f"sub/{name}", secret + b"#")
    fs.put("a", b"2\n")
    assert succeed(ws.checkpoint("second"))["withheld"] == [f"sub/{name}"]
    assert outside(ws) == [[("update", "a")]]
    assert not any(b"hunter2" in stored for stored in fs.shelf.values())


@pytest.mark.parametrize(
    "name",
    ["environment", "id_card", "pem", "keys.py", "npmrc", "credentials.py", "service-account.md", "my-secrets.md"],
)
def test_contents_of_files_with_similar_names_are_kept(name: str) -> None:
    ws, fs = workspace({name: b"1\n"})
    succeed(ws.checkpoint("first"))
    fs.put(name, b"2\n")
    assert succeed(ws.checkpoint("second"))["withheld"] == []
    assert outside(ws) == [[("update", name)]]


def test_an_edit_of_a_file_with_the_name_of_a_secret_is_undone_after_a_checkpoint() -> None:
    ws, fs = workspace({"server.key": b"1\n"})
    succeed(ws.checkpoint("first"))
    land(ws, write("server.key", "2\n"))
    succeed(ws.checkpoint("second"))
    succeed(ws.undo())
    assert fs.files() == {"server.key": b"1\n"}


def test_large_files_are_not_read() -> None:
    ws, fs = workspace({"big": b"x" * 101, "small": b"x" * 100}, Settings(checkpoint_max_file_bytes=100))
    result = ws.checkpoint("first")
    assert (succeed(result)["files"], succeed(result)["unread"]) == (2, 1)
    fs.put("big", b"y" * 101)
    assert succeed(ws.checkpoint())["change_id"] is None
    fs.put("big", b"y" * 50)
    assert succeed(ws.checkpoint())["change_id"] is None
    fs.put("big", b"y" * 51)
    assert succeed(ws.checkpoint())["changed"] == 1
    fs.put("small", b"x" * 101)
    grown = succeed(ws.checkpoint())
    assert (grown["change_id"], grown["withheld"]) == (None, ["small"])


@pytest.mark.parametrize("paths", [[], ["sub"]])
def test_a_file_that_grows_too_large_is_named_and_left_by_a_restore(paths: list[str]) -> None:
    ws, fs = workspace({"sub/log": b"x", "other": b"o" * 101}, Settings(checkpoint_max_file_bytes=100))
    succeed(ws.checkpoint("first"))
    with ws.recording("grow") as recording:
        fs.put("sub/log", b"x" * 101)
    assert (recording.change, recording.withheld) == (None, ("sub/log",))
    result = ws.checkpoint("second")
    assert succeed(result)["withheld"] == []
    restored = ws.restore("first", paths)
    assert succeed(restored)["left"] == [*([] if paths else ["other"]), "sub/log"]
    assert "too large for a checkpoint" in restored.text
    assert fs.files()["sub/log"] == b"x" * 101


def test_a_large_file_that_suture_edited_has_not_changed_outside() -> None:
    ws, _ = workspace({"big": b"x" * 101}, Settings(checkpoint_max_file_bytes=100))
    succeed(ws.checkpoint("first"))
    land(ws, write("big", b"y" * 101))
    assert succeed(ws.checkpoint("second"))["withheld"] == []


def test_a_tree_with_too_many_files_has_no_checkpoint() -> None:
    ws, _ = workspace({str(number): b"" for number in range(11)}, Settings(checkpoint_max_files=10))
    error = error_of(ws.checkpoint("first"))
    expected = ("CHECKPOINT_TOO_LARGE", 10, "checkpoint_max_files")
    assert (error["code"], error["limit"], error["setting"]) == expected
    assert succeed(ws.checkpoints())["checkpoints"] == []


def test_a_tree_that_does_not_fit_into_the_history_has_no_checkpoint() -> None:
    noise = {str(number): bytes(range(256)) * 2 for number in range(10)}
    ws, fs = workspace({name: name.encode() + body for name, body in noise.items()}, Settings(history_max_bytes=1_000))
    assert error_of(ws.checkpoint("first"))["setting"] == "history_max_bytes"
    for name in list(fs.files())[1:]:
        remove(fs, name)
    fs.put("0", b"small\n")
    succeed(ws.checkpoint("second"))
    fs.put("new", bytes(range(256)) * 2)
    assert error_of(ws.checkpoint("third"))["setting"] == "history_max_bytes"


@pytest.mark.parametrize("name", ["", " ", "\t", "two\nlines", "\x1b[31m", "\0", "\u202e", "\udcff", "x" * 101])
def test_a_name_must_be_short_and_printable(name: str) -> None:
    ws, _ = workspace()
    error = error_of(ws.checkpoint(name))
    assert (error["code"], [problem["argument"] for problem in error["problems"]]) == ("INVALID_ARGUMENTS", ["name"])
    assert succeed(ws.checkpoints())["checkpoints"] == []


@pytest.mark.parametrize("name", ["x", "x" * 100, "before lunch", "été 2026", "a/b", "--to", "537g4n9w3cgmdf5"])
def test_any_other_name_will_do(name: str, tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs = tree
    succeed(ws.checkpoint(name))
    fs.put("a", b"2\n")
    assert (succeed(ws.restore(name))["to"], fs.files()["a"]) == (name, b"1\n")


def test_a_name_can_be_taken_once_and_cannot_be_that_of_a_change(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, _ = tree
    change = land(ws, write("a", "2\n"))
    succeed(ws.checkpoint("now"))
    for name in ("now", change, change[:4], change.upper()):
        error = error_of(ws.checkpoint(name))
        assert (error["code"], error["name"]) == ("CHECKPOINT_EXISTS", name)


def test_checkpoints_are_listed_oldest_first_in_the_data(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, _ = tree
    assert ws.checkpoints().text == "There are no checkpoints."
    ids = [succeed(ws.checkpoint(name))["id"] for name in ("first", None)]
    listed = succeed(ws.checkpoints())["checkpoints"]
    assert [(point["id"], point["name"], point["kind"], point["session"]["agent"]) for point in listed] == [
        (ids[0], "first", "named", "library"),
        (ids[1], None, "named", "library"),
    ]
    assert ws.checkpoints().text.split("\n") == [f"{ids[1]}  {listed[1]['time']}", f"first  {listed[0]['time']}"]


# Restore


def edited(tree: tuple[Workspace, MemoryFS]) -> tuple[Workspace, MemoryFS, dict[str, object]]:
    """A tree that suture and others changed after the checkpoint `first`; and its state then."""
    ws, fs = tree
    fs.put(".gitignore", b"*.log\n")
    fs.put("ignored.log", b"1\n")
    succeed(ws.checkpoint("first"))
    before = state(fs)
    land(ws, write("a", "2\n"), delete("b"), rename("sub/c", "sub/d", "d\n"))
    fs.put("a", b"by hand\n")
    fs.put("made/since", b"by hand\n")
    fs.put("ignored.log", b"2\n")
    before["ignored.log"] = (b"2\n", 0o644)
    return ws, fs, before


@pytest.mark.promise("back.checkpoints")
def test_all_files_come_back_but_ignored_ones(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs, before = edited(tree)
    after = state(fs)
    result = succeed(ws.restore("first", yes=True))
    assert state(fs) == before | {"made/": None}
    assert result["deleted"] == ["made/since", "sub/d"] or sorted(result["deleted"]) == ["made/since", "sub/d"]
    succeed(ws.undo(result["change_id"]))
    assert state(fs) == after


def test_what_others_did_last_is_recorded_before_a_restore_and_can_be_had_back(
    tree: tuple[Workspace, MemoryFS],
) -> None:
    ws, fs, _ = edited(tree)
    after = state(fs)
    succeed(ws.restore("first", yes=True))
    before_restore = succeed(ws.checkpoints())["checkpoints"][-1]
    assert before_restore["kind"] == "restore"
    succeed(ws.restore(before_restore["id"], yes=True))
    assert state(fs) == after


@pytest.mark.promise("back.checkpoints")
def test_files_made_since_are_deleted_only_if_that_is_confirmed(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs, before = edited(tree)
    after = state(fs)
    error = error_of(ws.restore("first"))
    assert (error["code"], sorted(error["paths"]), error["total"]) == (
        "DELETIONS_NOT_CONFIRMED",
        ["made/since", "sub/d"],
        2,
    )
    preview = ws.restore("first", dry_run=True)
    assert state(fs) == after
    confirmed = succeed(preview)["deleted"]
    assert all(f"\n  {path}" in preview.text for path in confirmed)
    fs.put("made/later", b"")
    assert error_of(ws.restore("first", deletions=confirmed))["paths"] == ["made/later"]
    remove(fs, "made/later")
    succeed(ws.restore("first", deletions=confirmed))
    assert state(fs) == before | {"made/": None}


def test_empty_folders_of_the_checkpoint_stay_and_those_that_suture_made_go(tmp_path: Path) -> None:
    (tmp_path / "keep/inner").mkdir(parents=True)
    ws = Workspace(tmp_path)
    succeed(ws.checkpoint("first"))
    (tmp_path / "keep/inner/x").write_bytes(b"x")
    land(ws, write("made/deep/y", "y"))
    succeed(ws.restore("first", yes=True))
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == ["keep", "keep/inner"]
    (tmp_path / "keep/inner/x").write_bytes(b"x")
    change = succeed(ws.checkpoint())["change_id"]
    succeed(ws.undo(change))
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == ["keep", "keep/inner"]


def test_only_the_named_files_and_folders_are_restored(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs, before = edited(tree)
    succeed(ws.restore("first", ["a", "sub"], yes=True))
    left = {"b", "made/", "made/since"}
    assert {path: file for path, file in state(fs).items() if path not in left} == {
        path: file for path, file in before.items() if path != "b"
    }
    assert "made/since" in state(fs)


def test_a_named_file_that_has_not_changed_since_the_checkpoint_stays_as_it_is(
    tree: tuple[Workspace, MemoryFS],
) -> None:
    ws, fs = tree
    land(ws, write("a", "2\n"))
    fs.put("a", b"by hand\n")
    succeed(ws.checkpoint("first"))
    assert succeed(ws.restore("first", ["a", "b"]))["files"] == []
    assert fs.files()["a"] == b"by hand\n"


def test_a_checkpoint_is_found_by_the_beginning_of_its_id(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs = tree
    key = succeed(ws.checkpoint())["id"]
    fs.put("a", b"2\n")
    succeed(ws.restore(key[:12]))
    assert fs.files()["a"] == b"1\n"


def test_where_a_folder_or_a_link_is_in_the_place_of_a_file_nothing_is_restored(
    tree: tuple[Workspace, MemoryFS],
) -> None:
    """The only copy of the file's content may be one that would be deleted."""
    ws, fs = tree
    succeed(ws.checkpoint("first"))
    content = fs.files()["a"]
    remove(fs, "a")
    fs.put("lib/a", content)
    fs.put_link("a", "lib/a")
    fs.put("b", b"2\n")
    before = state(fs)
    assert (error_of(ws.restore("first", yes=True))["code"], state(fs)) == ("NOT_A_FILE", before)
    assert succeed(ws.restore("first", ["b"]))["left"] == []
    assert fs.files()["b"] == b"x\n"
    remove(fs, "a")
    fs.put("a/x", b"")
    before = state(fs)
    assert (error_of(ws.restore("first", yes=True))["code"], state(fs)) == ("NOT_A_FILE", before)


# What is kept, and for how long


def test_automatic_checkpoints_are_thinned_out_and_named_ones_stay(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, _ = tree
    succeed(ws.checkpoint("named"))
    with ws._engine.session() as session, session.locked():
        for number in range(60):
            point = NamedPoint(f"{number:015}", f"{number:015}", 0, record=CheckpointRecord("before", "make"))
            session.history.keep(methodcaller("add_checkpoint", point))
    points = succeed(ws.checkpoints())["checkpoints"]
    assert [point["name"] for point in points if point["kind"] == "named"] == ["named"]
    assert [point["id"] for point in points if point["kind"] == "before"] == [f"{n:015}" for n in range(10, 60)]


def test_the_state_of_the_tree_outlives_the_changes_that_led_to_it(tree: tuple[Workspace, MemoryFS]) -> None:
    _, fs = tree
    ws = Workspace(fs.root, Settings(history_max_bytes=150_000), fs=fs)
    succeed(ws.checkpoint("first"))
    for number in range(30):
        noise = random.Random(number).randbytes(10_000).hex()
        land(ws, write("a", noise), write("b", f"{number}\n")) if number else land(ws, write("sub/c", "2\n"))
    assert len(list_changes(ws)) < 29
    assert outside(ws) == []
    assert succeed(ws.checkpoint("second"))["change_id"] is None


DAMAGES = (
    "UPDATE tree_file SET mode = 0",
    "UPDATE tree_file SET content = NULL WHERE path = CAST('a' AS BLOB)",
    "DELETE FROM tree_file WHERE path = CAST('a' AS BLOB)",
    "UPDATE tree SET number = 5",
    "DELETE FROM tree",
    "DELETE FROM checksum WHERE kind = 'tree'",
)


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_state_is_started_over(damage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a").write_bytes(b"1\n")
    ws = Workspace(root)
    succeed(ws.checkpoint("first"))
    ws.close()
    (database,) = Path(history_folder()).glob("*.db")
    with closing(sqlite3.connect(database)) as opened:
        opened.execute(damage)
        opened.commit()
    (root / "a").write_bytes(b"2\n")
    assert succeed(ws.checkpoint("second"))["change_id"] is None
    (root / "a").write_bytes(b"3\n")
    assert succeed(ws.checkpoint("third"))["changed"] == 1


def test_snapshots_of_0_1_0_stay_what_they_were(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs = tree
    land(ws, write("a", "2\n"))
    take_snapshot(ws, "old")
    succeed(ws.checkpoint("new"))
    move(fs, "a", "moved")
    succeed(ws.restore("old"))
    assert fs.files() == {"a": b"2\n", "b": b"x\n", "moved": b"2\n", "sub/c": b"c\n"}


def test_a_forgotten_file_is_in_no_checkpoint_any_more(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs = tree
    fs.put("secret", b"hunter2-hunter2-hunter2\n")
    succeed(ws.checkpoint("first"))
    fs.put("secret", b"nothing\n")
    change = succeed(ws.checkpoint("second"))["change_id"]
    assert any(b"hunter2" in stored for stored in fs.shelf.values())
    succeed(ws.forget(["secret"]))
    assert not any(b"hunter2" in stored for stored in fs.shelf.values())
    assert error_of(ws.undo(change))["code"] == "CONTENT_NOT_KEPT"
    assert succeed(ws.restore("first"))["left"] == ["secret"]
    fs.put("a", b"2\n")
    assert succeed(ws.checkpoint("third"))["changed"] == 1


def test_a_command_line_is_forgotten_with_its_change(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs = tree
    with ws.recording("login --password hunter2-hunter2") as recording:
        fs.put("a", b"2\n")
    assert any(b"hunter2" in stored for stored in fs.shelf.values())
    assert recording.change is not None
    succeed(ws.forget([recording.change.id]))
    assert not any(b"hunter2" in stored for stored in fs.shelf.values())
    (point,) = succeed(ws.checkpoints())["checkpoints"]
    assert (point["kind"], point["about"]) == ("before", "")


def test_a_file_of_a_checkpoint_that_never_changed_can_be_forgotten(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs = tree
    fs.put("secret", b"hunter2-hunter2-hunter2\n")
    succeed(ws.checkpoint("first"))
    succeed(ws.forget(["secret"]))
    assert not any(b"hunter2" in stored for stored in fs.shelf.values())
    assert succeed(ws.checkpoint("second"))["change_id"] is None


@pytest.mark.parametrize("path", ["b", "twin"])
def test_a_checkpoint_after_forget_can_restore_files_that_still_have_the_content(
    path: str, tree: tuple[Workspace, MemoryFS]
) -> None:
    ws, fs = tree
    fs.put("twin", b"x\n")
    succeed(ws.checkpoint("first"))
    succeed(ws.forget(["b"]))
    result = ws.checkpoint("second")
    assert (succeed(result)["change_id"], succeed(result)["withheld"]) == (None, [])
    fs.put(path, b"destroyed\n")
    assert succeed(ws.restore("second"))["left"] == []
    assert fs.files()[path] == b"x\n"


def test_a_file_that_changes_right_after_forget_is_recorded_with_its_hash(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs = tree
    succeed(ws.checkpoint("first"))
    succeed(ws.forget(["b"]))
    fs.put("b", b"y\n")
    change = succeed(ws.checkpoint("second"))["change_id"]
    assert outside(ws) == [[("update", "b")]]
    assert error_of(ws.undo(change))["code"] == "CONTENT_NOT_KEPT"


def test_forget_does_not_make_a_damaged_state_of_the_tree_valid(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs = tree
    succeed(ws.checkpoint("first"))
    land(ws, write("b", b"y\n"))
    change_database(fs, "UPDATE tree_file SET size = size + 1")
    succeed(ws.forget(["b"]))
    fs.put("a", b"2\n")
    assert succeed(ws.checkpoint("second"))["change_id"] is None  # it starts over
    fs.put("a", b"3\n")
    assert succeed(ws.checkpoint("third"))["changed"] == 1


# The start of a session


def test_the_checkpoint_of_a_session_comes_before_its_first_edit(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, fs = tree
    before = state(fs)
    agent = ws.for_session(ws.session.evolve(id="s-1", agent="claude-code", version="2.1"))
    agent.begin_session()
    result = agent.edit("a", "1", "2")
    assert "checkpoint" not in result.metadata
    (point,) = succeed(agent.checkpoints())["checkpoints"]
    assert (point["kind"], point["about"], point["session"]) == (
        "start",
        "claude-code 2.1",
        {"id": "s-1", "agent": "claude-code"},
    )
    succeed(agent.restore(point["id"]))
    assert state(fs) == before


def test_where_a_session_has_no_checkpoint_its_first_edit_says_so_once() -> None:
    ws, fs = workspace({"a": b"1\n", "b": b"1\n"}, Settings(checkpoint_max_files=1))
    ws.begin_session()
    results = [ws.edit("a", "1", "2"), ws.edit("b", "1", "2")]
    assert [result.is_error for result in results] == [False, False]
    assert results[0].metadata["checkpoint"] == {"code": "CHECKPOINT_TOO_LARGE"}
    assert "At the start of this session: No checkpoint was taken: " in results[0].text
    assert "checkpoint" not in results[1].metadata
    assert fs.files() == {"a": b"2\n", "b": b"2\n"}


def test_reading_does_not_wait_for_the_checkpoint(tree: tuple[Workspace, MemoryFS]) -> None:
    ws, _ = tree
    with ws._engine.session() as session, session.locked():  # it cannot be recorded yet
        ws.begin_session()
        assert not ws.read("b").is_error
    succeed(ws.edit("a", "1", "2"))
    assert len(succeed(ws.checkpoints())["checkpoints"]) == 1


@pytest.mark.parametrize("settings", [Settings(checkpoints=False), Settings(history=False)], ids=["off", "no history"])
def test_checkpoints_of_sessions_can_be_turned_off(settings: Settings) -> None:
    ws, fs = workspace({"a": b"1\n"}, settings)
    ws.begin_session()
    assert "checkpoint" not in ws.edit("a", "1", "2").metadata
    assert not any(b"CREATE TABLE tree" in stored for stored in fs.shelf.values())
