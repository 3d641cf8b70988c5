"""What the next process does with an interrupted transaction, and what it leaves alone."""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from suture import Settings, SutureError, Workspace
from suture.testing import FaultyFS, LocalFS, MemoryFS, Stopped
from tests.faults.commit_scenario import (
    BEFORE,
    SHARED_OLD,
    Process,
    count_calls,
    done_scenario,
    in_memory,
    look,
    on_disk,
    published_scenario,
    recover,
    settings,
    state,
    stopped_scenario,
    transact,
)
from tests.unit.changes import hash_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

INTENT = ".suture/intent"


def read_call(fs: MemoryFS, options: Settings | None = None) -> Any:
    return Workspace(fs.root, options or settings(), fs=fs).call("file_read", {"path": "other/run"}).to_dict()


def steps_of(fs: MemoryFS) -> list[str]:
    document = json.loads(fs.node_of(INTENT).data.split(b"\n")[1])
    return [step["path"] for step in document["steps"]]


def intent(steps: Iterable[dict[str, Any]] = (), folders: Iterable[tuple[int, str]] = (), **more: Any) -> bytes:
    """An intent file with any content, complete and well formed."""
    empty = {"root": 0, "before": None, "after": None, "temp": None, "backup": None, "in_place": False}
    document = {
        "id": "0123456789abc",
        "tool": "transaction",
        "roots": ["/ws"],
        "folders": list(folders),
        "steps": [{**empty, **step} for step in steps],
        **more,
    }
    line = json.dumps(document).encode()
    return b"\n".join((b"suture-intent 1 open", line, hash_of(line).encode(), b""))


@pytest.mark.promise("atomic.forward")
def test_an_intent_that_is_marked_done_is_rolled_forward_and_the_call_says_so() -> None:
    fs = done_scenario()
    steps = steps_of(fs)
    result = read_call(fs)
    identity = result["metadata"]["recovered"].pop("id")
    assert result["metadata"]["recovered"] == {"direction": "forward", "files": steps, "aside": []}
    assert identity in result["content"][0]["text"]
    assert state(fs, fs.root) == "new"


@pytest.mark.promise("atomic.forward")
def test_an_intent_that_is_open_is_rolled_back_and_the_call_says_so() -> None:
    fs = published_scenario()
    steps = steps_of(fs)
    result = read_call(fs)
    identity = result["metadata"]["recovered"].pop("id")
    assert result["metadata"]["recovered"] == {"direction": "back", "files": steps, "aside": []}
    assert identity in result["content"][0]["text"]
    assert state(fs, fs.root) == "old"


@pytest.mark.promise("atomic.forward")
@pytest.mark.parametrize(("scenario", "direction"), [(published_scenario, "back"), (done_scenario, "forward")])
def test_a_recovery_is_logged(scenario: Any, direction: str, caplog: pytest.LogCaptureFixture) -> None:
    fs = scenario()
    with caplog.at_level(logging.WARNING, "suture"):
        recovery = Workspace(fs.root, settings(), fs=fs).recover()
    assert recovery is not None
    assert recovery.direction == direction
    [record] = caplog.records
    assert (record.name, record.levelname) == ("suture.recovery", "WARNING")
    assert recovery.id in record.getMessage()


@pytest.mark.promise("atomic.forward")
def test_a_failing_call_also_says_that_it_recovered() -> None:
    fs = published_scenario()
    result = Workspace(fs.root, settings(), fs=fs).call("file_read", {"path": "nowhere"})
    assert result.is_error
    assert result.metadata["recovered"]["direction"] == "back"


def test_a_transaction_recovers_what_the_last_one_left() -> None:
    fs = published_scenario()
    transact(fs, fs.root)
    assert state(fs, fs.root) == "new"


@pytest.mark.promise("atomic.forward")
def test_a_transaction_that_is_repeated_after_a_crash_lands_though_its_content_was_there_already() -> None:
    fs = published_scenario()
    with Workspace(fs.root, settings(), fs=fs).transaction() as tx:
        tx.write("update.txt", b"one\nTWO\nthree\n")
    assert tx.recovered is not None
    assert tx.recovered.direction == "back"
    recover(fs, fs.root)
    assert fs.files()["update.txt"] == b"one\nTWO\nthree\n"


def test_recovering_where_nothing_was_interrupted_does_nothing() -> None:
    fs = in_memory()
    assert Workspace(fs.root, settings(), fs=fs).recover() is None
    assert "recovered" not in read_call(fs)["metadata"]
    assert state(fs, fs.root) == "old"


@pytest.mark.promise("atomic.stop")
def test_an_intent_torn_at_any_length_means_that_nothing_was_begun() -> None:
    """At every length of its first and last lines; `test_journal` reads every length."""
    whole = stopped_scenario("mkdir", 2).node_of(INTENT).data
    trees = {}
    for length in (*range(30), *range(30, len(whole) - 80, 17), *range(len(whole) - 80, len(whole) + 1)):
        fs = in_memory()
        fs.put(INTENT, whole[:length], mode=0o600)
        recover(fs, fs.root)
        trees[length] = state(fs, fs.root)
    assert {length: tree for length, tree in trees.items() if tree != "old"} == {}


@pytest.mark.parametrize("data", [b"", bytes(1000), b"suture-intent 1 open\n{}"])
def test_an_intent_that_was_never_finished_is_taken_away_and_nothing_else_touched(data: bytes) -> None:
    fs = in_memory()
    fs.put(INTENT, data)
    recover(fs, fs.root)
    assert state(fs, fs.root) == "old"


@pytest.mark.parametrize(
    "data",
    [b"\xff\xfe", b"suture-intent 1 open\n{}\nsha256:00\n", b"suture-intent 3 open\n{}\n", b"something else\n" * 100],
)
def test_a_foreign_intent_is_left_alone_and_reported(data: bytes) -> None:
    fs = in_memory()
    fs.put(INTENT, data)
    before = fs.files()
    error = Workspace(fs.root, fs=fs).call("file_read", {"path": "update.txt"}).metadata["error"]
    assert (error["code"], fs.files()) == ("RECOVERY_BLOCKED", before)


HOSTILE = {
    "a step above the root": intent([{"path": "../victim", "backup": "../.suture-b"}]),
    "a step above the root by way of a folder": intent([{"path": "other/../../victim", "after": hash_of(b"victim")}]),
    "an absolute step": intent([{"path": "/victim", "after": hash_of(b"victim"), "temp": "/.suture-t"}]),
    "a backup above the root": intent([{"path": "update.txt", "backup": "../.suture-b"}]),
    "a backup that is not ours": intent([{"path": "update.txt", "backup": "from.txt"}]),
    "a temporary file that is not ours": intent([{"path": "update.txt", "temp": "from.txt"}]),
    "a temporary file in another staging folder": intent([{"path": "update.txt", "temp": "other/.suture/t"}]),
    "a temporary file in another folder": intent([{"path": "update.txt", "temp": "other/.suture-t"}]),
    "a folder above the root": intent(folders=[(0, "../empty")]),
    "a folder by an absolute path": intent(folders=[(0, "/empty")]),
    "the root itself": intent(folders=[(0, "")]),
    "a link in the path": intent([{"path": "out/victim", "backup": "out/.suture-b", "before": "x"}]),
    "a folder behind a link": intent(folders=[(0, "out/empty")]),
    "an unknown number of a root": intent([{"root": 7, "path": "update.txt"}]),
    "a negative number of a root": intent([{"root": -1, "path": "update.txt"}]),
    "no roots": intent([{"path": "update.txt"}], roots=[]),
    "a step without a path": intent([{"after": "x"}]),
    "a step with more than we know": intent([{"path": "update.txt", "more": 1}]),
    "a path that is no text": intent([{"path": 5}]),
}


def hostile_tree() -> MemoryFS:
    fs = in_memory()
    fs.make_folder("/empty")
    fs.put("../victim", b"victim")
    fs.put("../.suture-b", b"planted")
    fs.put("../.suture-t", b"planted")
    fs.put("other/.suture-t", b"planted")
    fs.put_link("out", "/")
    return fs


@pytest.mark.parametrize("name", HOSTILE)
def test_an_intent_that_no_transaction_of_ours_wrote_changes_nothing(name: str) -> None:
    fs = hostile_tree()
    untouched = look(fs, "/")
    fs.put(INTENT, HOSTILE[name], mode=0o600)
    read_call(fs)
    after = look(fs, "/")
    for own in ("ws/.suture", f"ws/{INTENT}"):
        after.pop(own, None)
    assert after == untouched


@pytest.mark.parametrize("name", HOSTILE)
def test_an_intent_that_no_transaction_of_ours_wrote_is_refused_with_an_error_of_ours(name: str) -> None:
    fs = hostile_tree()
    fs.put(INTENT, HOSTILE[name], mode=0o600)
    with pytest.raises(SutureError) as caught:
        Workspace(fs.root, settings(), fs=fs).recover()
    assert caught.value.code in {"RECOVERY_BLOCKED", "PATH_OUTSIDE_WORKSPACE"}


def two_roots(at: str, occurrence: int) -> tuple[MemoryFS, Settings]:
    """A transaction over two roots, stopped for good."""
    fs = MemoryFS({"a.txt": b"old a", "other/run": b"#!"})
    fs.make_folder("/extra")
    fs.put("../extra/b.txt", b"old b")
    options = settings().evolve(extra_roots=("/extra",))
    transaction = Workspace(fs.root, options, fs=FaultyFS(fs, only=[at], stop_at=occurrence)).transaction()
    transaction.write("a.txt", b"new a")
    transaction.write("/extra/b.txt", b"new b")
    transaction.create("/extra/deep/c.txt", b"new c")
    with pytest.raises(Stopped):
        transaction.__exit__(None, None, None)
    fs.crash()
    return fs, options


def test_a_recovery_that_needs_another_root_is_blocked_until_it_is_there() -> None:
    fs, options = two_roots("open_write", 1)
    blocked = read_call(fs)
    assert blocked["isError"]
    assert blocked["metadata"]["error"]["code"] == "RECOVERY_BLOCKED"
    assert "/extra" in blocked["content"][0]["text"]
    recovered = read_call(fs, options)["metadata"]["recovered"]
    assert recovered["direction"] == "back"
    assert fs.files() == {"a.txt": b"old a", "other/run": b"#!"}
    assert {path: entry.data for path, entry in look(fs, "/extra").items()} == {"b.txt": b"old b"}


@pytest.mark.promise("atomic.stop")
def test_a_commit_over_two_roots_that_stops_leaves_both_old_or_both_new() -> None:
    old = {"a.txt": b"old a", "other/run": b"#!"}, {"b.txt": b"old b"}
    new = {**old[0], "a.txt": b"new a"}, {"b.txt": b"new b", "deep": b"", "deep/c.txt": b"new c"}
    for occurrence in range(1, 6):
        for at in ("create", "link", "rename", "sync", "unlink", "stat", "write", "mkdir", "open_write"):
            try:
                fs, options = two_roots(at, occurrence)
            except pytest.fail.Exception:  # there are fewer calls with this name
                continue
            read_call(fs, options)
            contents = tuple(
                {path: entry.data for path, entry in look(fs, root).items() if entry.kind != "folder" or path == "deep"}
                for root in (fs.root, "/extra")
            )
            assert contents in (old, new), (at, occurrence)


def test_a_workspace_that_was_moved_is_recovered_where_it_is_now(tmp_path: Path) -> None:
    root = on_disk(tmp_path / "before")
    faulty = FaultyFS(LocalFS(), only=["open_write"], stop_at=2)
    with pytest.raises(Stopped):
        transact(faulty, root)
    faulty.abandon()
    moved = Path(root).rename(tmp_path / "after")
    recover(LocalFS(), str(moved))
    assert look(LocalFS(), str(moved)) == BEFORE


@pytest.mark.parametrize(
    ("path", "old"),
    [("update.txt", b"one\ntwo\n"), ("shared.txt", SHARED_OLD), ("gone/delete.txt", b"bye\n")],
    ids=["published by rename", "written in place", "deleted"],
)
def test_a_file_written_after_the_crash_stays_and_the_old_content_is_next_to_it(path: str, old: bytes) -> None:
    fs = published_scenario()
    fs.put(path, b"written by somebody else\n")
    result = read_call(fs)
    assert result["metadata"]["recovered"]["aside"] == [f"{path}.suture-orig"]
    assert f"{path}.suture-orig" in result["content"][0]["text"]
    tree = look(fs, fs.root)
    assert tree[path].data == b"written by somebody else\n"
    assert tree[f"{path}.suture-orig"].data == old
    changed = {path, f"{path}.suture-orig", "other/twin"}
    unchanged = {name: (entry.data, entry.mode) for name, entry in tree.items() if name not in changed}
    assert unchanged == {name: (entry.data, entry.mode) for name, entry in BEFORE.items() if name not in changed}


def test_a_new_file_that_someone_else_replaced_after_the_crash_stays() -> None:
    fs = published_scenario()
    fs.node_of("new/deep")
    folder = fs.open_folder(fs.open_folder(fs.open_root(fs.root), "new"), "deep")
    fs.unlink(folder, "made.txt")
    fs.crash()
    fs.put("new/deep/made.txt", b"written by somebody else\n")
    read_call(fs)
    files = fs.files()
    assert files.pop("new/deep/made.txt") == b"written by somebody else\n"
    assert files == {path: entry.data for path, entry in BEFORE.items() if entry.kind != "folder"}


def test_a_file_that_someone_put_into_a_new_folder_after_the_crash_stays() -> None:
    fs = published_scenario()
    fs.put("new/mine.txt", b"mine\n")
    read_call(fs)
    files = fs.files()
    assert files.pop("new/mine.txt") == b"mine\n"
    assert files == {path: entry.data for path, entry in BEFORE.items() if entry.kind != "folder"}


def test_an_old_copy_put_aside_never_replaces_an_earlier_one() -> None:
    fs = published_scenario()
    fs.put("update.txt", b"written by somebody else\n")
    fs.put("update.txt.suture-orig", b"an earlier one")
    assert read_call(fs)["metadata"]["recovered"]["aside"] == ["update.txt.suture-orig1"]
    assert fs.files()["update.txt.suture-orig"] == b"an earlier one"


@pytest.mark.promise("atomic.no-strays")
def test_a_recovery_that_stops_while_it_asks_about_links_leaves_no_stray() -> None:
    """A file of the same content appeared where the transaction would have created one, before it was staged."""
    for number in range(1, 60):
        fs = stopped_scenario("mkdir", 3)  # the intent, and one of two new folders
        fs.put("new/deep/made.txt", b"made\n")
        try:
            recover(FaultyFS(fs, stop_at=number), fs.root)
        except Stopped:
            fs.crash()
            recover(fs, fs.root)
        files = {path: entry.data for path, entry in look(fs, fs.root).items() if entry.kind != "folder"}
        expected = {path: entry.data for path, entry in BEFORE.items() if entry.kind != "folder"}
        assert files == {**expected, "new/deep/made.txt": b"made\n"}, number


@pytest.mark.promise("atomic.live")
def test_a_transaction_that_another_handle_is_in_is_not_recovered() -> None:
    fs = published_scenario()
    lock = fs.lock(fs.open_root(fs.root))
    result = read_call(fs)
    assert not result["isError"]
    assert "recovered" not in result["metadata"]
    with pytest.raises(SutureError) as caught:
        Workspace(fs.root, Settings(lock_timeout_ms=1), fs=fs).recover()
    assert (caught.value.code, caught.value.retryable) == ("WORKSPACE_BUSY", True)
    assert INTENT in fs.files()
    assert lock is not None
    fs.close(lock)
    assert read_call(fs)["metadata"]["recovered"]["direction"] == "back"


@pytest.mark.promise("atomic.live")
@pytest.mark.parametrize("part", [3, 2], ids=["a third", "half"])
def test_a_live_transaction_of_another_process_is_never_recovered(tmp_path: Path, part: int) -> None:
    root = on_disk(tmp_path / "ws")
    process = Process("pausing", root, count_calls() - count_calls() // part)
    assert process.hear() == "waiting"
    assert (Path(root) / INTENT).exists()
    workspace = Workspace(root, Settings(lock_timeout_ms=1))
    during = look(LocalFS(), root)
    result = workspace.call("file_read", {"path": "other/run"})
    assert not result.is_error
    assert "recovered" not in result.metadata
    with pytest.raises(SutureError) as caught:
        workspace.recover()
    with pytest.raises(SutureError) as second:
        transact(LocalFS(), root)
    assert {caught.value.code, second.value.code} == {"WORKSPACE_BUSY"}
    assert look(LocalFS(), root) == during
    process.tell()
    assert process.result() == 0
    assert state(LocalFS(), root) == "new"


@pytest.mark.promise("atomic.live")
def test_the_lock_of_a_killed_process_is_gone_and_its_transaction_recovered(tmp_path: Path) -> None:
    root = on_disk(tmp_path / "ws")
    process = Process("pausing", root, count_calls() // 2)
    assert process.hear() == "waiting"
    process.kill()
    recover(LocalFS(), root)
    assert state(LocalFS(), root) == "old"


@pytest.mark.parametrize("theirs", [b"one\nTWO\nthree\n", b"something else", None], ids=["the same", "other", "gone"])
def test_what_someone_did_to_a_file_that_was_not_published_yet_stays(theirs: bytes | None) -> None:
    """Another program renames its own file over ours, or removes ours, after its backup was made."""
    fs = stopped_scenario("link", 5)  # the first to be published, after four calls that stage
    folder = fs.open_root(fs.root)
    fs.unlink(folder, "update.txt")
    fs.crash()
    if theirs is not None:
        fs.put("update.txt", theirs)
    read_call(fs)
    expected = {path: entry.data for path, entry in BEFORE.items() if entry.kind != "folder"}
    del expected["update.txt"]
    assert fs.files() == (expected if theirs is None else {**expected, "update.txt": theirs})
