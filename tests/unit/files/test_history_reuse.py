"""The history's database stays open between changes of one process, with no visible difference except speed."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Barrier, Thread
from typing import TYPE_CHECKING

import pytest

from suture import Settings, Workspace
from suture.files import store
from suture.files.local_fs import LocalFS
from suture.files.state import state_folder
from suture.testing import FaultyFS, MemoryFS
from tests.unit.files.histories import FAST, list_summaries, make, of_another_program, without_a_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from suture.plan import Trouble

LINUX = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to see what is open")


def edit(workspace: Workspace, number: int) -> Trouble | None:
    """Write a number into the file, which must succeed; returns the problem of the history."""
    with workspace.transaction(str(number)) as tx:
        tx.write("a.txt", f"{number}\n")
    assert Path(workspace.root, "a.txt").read_text() == f"{number}\n"
    assert tx.change is not None
    return tx.change.trouble


def database() -> Path:
    """The one database."""
    (file,) = (Path(state_folder()) / ".suture-history").glob("*.db")
    return file


def open_databases() -> list[str]:
    """The history databases that this process has open."""
    targets = [str(link.readlink()) for link in Path("/proc/self/fd").iterdir() if link.is_symlink()]
    return [name for name in targets if name.startswith(state_folder())]


def test_a_process_that_edits_again_does_not_open_the_history_again(home: Path) -> None:
    counting = FaultyFS(LocalFS(), only=["open_database"])
    workspace = Workspace(home / "ws", FAST, fs=counting)
    assert edit(workspace, 1) is None
    before = len(counting.calls)
    assert [edit(workspace, number) for number in range(2, 50)] == [None] * 48
    assert len(counting.calls) == before
    assert list_summaries(home / "ws") == [str(number) for number in range(1, 50)]


def test_a_file_system_whose_databases_are_copies_has_them_opened_each_time() -> None:
    fs = MemoryFS()
    first, other = Workspace(fs.root, FAST, fs=fs), Workspace(fs.root, FAST, fs=fs)
    for number, workspace in enumerate((first, other, first, other)):
        with workspace.transaction(str(number)) as tx:
            tx.write("a.txt", f"{number + 1}\n")
    assert [change["summary"] for change in first.history().metadata["changes"]] == ["3", "2", "1", "0"]


# What others do to the file meanwhile: the outcome is that of a process which opens it each time


def do_nothing(path: Path) -> None:
    assert path.exists()


def delete(path: Path) -> None:
    path.unlink()


def rename(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))


def replace_by_copy(path: Path) -> None:
    shutil.copy(path, path.with_name("copy"))
    path.with_name("copy").rename(path)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut_short(path: Path) -> None:
    os.truncate(path, 5_000)


def overwritten(path: Path) -> None:
    path.write_bytes(b"nothing that SQLite knows" * 1_000)


def of_a_newer_version(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("PRAGMA user_version = 99")


def a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def a_link(path: Path) -> None:
    path.symlink_to(path.rename(path.with_name("elsewhere")))


def without_its_shelf(path: Path) -> None:
    shutil.rmtree(path.parent)


def half_written(path: Path) -> None:
    """Leave what a killed process leaves: pages of a transaction, and the journal to roll them back."""
    dying = """if True:
        import os, signal, sqlite3, sys
        dying = sqlite3.connect(sys.argv[1], isolation_level=None)
        dying.execute("PRAGMA cache_size = 1")
        dying.execute("BEGIN IMMEDIATE")
        dying.execute("UPDATE change SET summary = 'spoiled'")
        dying.execute("INSERT INTO content SELECT 100, 'x', 1, NULL, 0, 0, 0, 'raw', zeroblob(1000000)")
        os.kill(os.getpid(), signal.SIGKILL)
    """
    assert subprocess.run([sys.executable, "-c", dying, str(path)], check=False).returncode == -signal.SIGKILL


@pytest.mark.process
@pytest.mark.promise("back.goes-on")
@pytest.mark.parametrize(
    "meanwhile",
    [
        do_nothing,
        delete,
        rename,
        replace_by_copy,
        empty,
        cut_short,
        overwritten,
        of_another_program,
        of_a_newer_version,
        without_a_table,
        a_folder,
        a_link,
        without_its_shelf,
        half_written,
    ],
)
def test_what_happens_to_the_file_meanwhile_is_noticed(
    home: Path, monkeypatch: pytest.MonkeyPatch, meanwhile: Callable[[Path], None]
) -> None:
    outcomes = []
    for again in (True, False):
        make(home / f"{again}")
        monkeypatch.setenv("XDG_STATE_HOME", str(home / f"state-{again}"))
        workspace = Workspace(home / f"{again}", FAST)
        assert [edit(workspace, 1), edit(workspace, 2)] == [None, None]
        meanwhile(database())
        if again:
            workspace = Workspace(home / f"{again}", FAST)
        troubles = [edit(workspace, 3), edit(workspace, 4)]
        history = Workspace(home / f"{again}", FAST).history()
        changes = [change["summary"] for change in history.metadata.get("changes", ())]
        outcomes.append(
            ([trouble and (trouble.recorded, trouble.reason) for trouble in troubles], history.is_error, changes)
        )
    assert outcomes[0] == outcomes[1]


def test_a_state_folder_that_changes_is_used(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace(home / "ws", FAST)
    assert edit(workspace, 1) is None
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "other"))
    assert edit(workspace, 2) is None
    assert list_summaries(home / "ws") == ["2"]
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "state"))
    assert edit(workspace, 3) is None
    assert list_summaries(home / "ws") == ["1", "3"]


@pytest.mark.promise("back.moved")
def test_another_folder_at_the_workspaces_path_has_its_own_history(home: Path) -> None:
    workspace = Workspace(home / "ws", FAST)
    assert [edit(workspace, 1), edit(workspace, 2)] == [None, None]
    (home / "ws").rename(home / "aside")
    make(home / "ws")
    assert edit(workspace, 3) is None
    assert list_summaries(home / "ws") == ["1", "2", "3"]
    assert list_summaries(home / "aside") == ["1", "2"]


# Others who write


def test_two_processes_that_keep_it_open_see_each_others_changes(home: Path) -> None:
    first, other = Workspace(home / "ws", FAST), Workspace(home / "ws", FAST)
    for number in range(1, 41):
        assert edit(first if number % 3 else other, number) is None
    assert list_summaries(home / "ws") == [str(number) for number in range(1, 41)]
    for number in range(39, -1, -1):
        assert not (first if number % 2 else other).undo().is_error
        assert (home / "ws" / "a.txt").read_text() == f"{number}\n"


def test_one_that_drops_changes_does_not_confuse_another(home: Path) -> None:
    """The numbers of dropped contents are reused."""
    small = Settings(durability="fast", history_max_bytes=300_000)
    first, other = Workspace(home / "ws", small), Workspace(home / "ws", small)
    luck = [os.urandom(9_000) for _ in range(60)]
    for number, content in enumerate(luck):
        with (first if number % 4 else other).transaction(str(number)) as tx:
            tx.write("a.txt", content)
        assert tx.change is not None
        assert tx.change.trouble is None
    for content in luck[-2:-6:-1]:
        assert not first.undo().is_error
        assert (home / "ws" / "a.txt").read_bytes() == content


@pytest.mark.promise("back.crash")
def test_a_content_that_another_damaged_is_not_built_upon(home: Path) -> None:
    """Every later version can be restored, although their base is damaged."""
    workspace = Workspace(home / "ws", FAST)
    versions = [b"line\n" * 2_000 + b"%d\n" % number for number in range(12)]
    for number, content in enumerate(versions):
        with workspace.transaction(str(number)) as tx:
            tx.write("a.txt", content)
        if number == 6:
            with closing(sqlite3.connect(database())) as other:
                other.execute("UPDATE content SET data = x'00' WHERE number = (SELECT max(number) FROM content)")
                other.commit()
    for content in versions[-2:5:-1]:
        assert not workspace.undo().is_error
        assert (home / "ws" / "a.txt").read_bytes() == content


def test_little_is_held_in_memory_between_changes(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_MAX_IDLE_BYTES", 1_000)
    workspace = Workspace(home / "ws", FAST)
    for number in range(1, 6):
        with workspace.transaction(str(number)) as tx:
            tx.write("a.txt", b"line\n" * number * 100)
    assert workspace._engine._kept.idle_database is not None
    (idle,) = workspace._engine._kept.idle_database._idle
    assert sum(map(len, idle.database._contents._cache.values())) <= 1_000
    assert list_summaries(home / "ws") == ["1", "2", "3", "4", "5"]


def test_threads_of_one_process_share_it_without_harm(home: Path) -> None:
    workspace = Workspace(home / "ws", Settings(durability="fast"))
    together, troubles = Barrier(4), list[object]()

    def run(name: int) -> None:
        together.wait()
        for number in range(10):
            with workspace.transaction(f"{name}.{number}") as tx:
                tx.create(f"{name}-{number}.txt", "new\n")
            troubles.append(tx.change and tx.change.trouble)

    threads = [Thread(target=run, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert troubles == [None] * 40
    assert sorted(list_summaries(home / "ws")) == sorted(
        f"{name}.{number}" for name in range(4) for number in range(10)
    )


def in_a_child(run: Callable[[], object]) -> int:
    """Run a function in a forked process; returns its exit status."""
    child = os.fork()
    if not child:
        code = 1
        try:
            run()
            gc.collect()
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]


@pytest.mark.process
def test_a_forked_process_opens_its_own(home: Path) -> None:
    workspace = Workspace(home / "ws", FAST)
    assert edit(workspace, 1) is None

    def run() -> None:
        nonlocal workspace
        assert [edit(workspace, 2), edit(workspace, 3)] == [None, None]
        workspace.close()
        del workspace

    assert in_a_child(run) == 0
    assert edit(workspace, 4) is None
    assert in_a_child(workspace.close) == 0
    assert edit(workspace, 5) is None
    assert list_summaries(home / "ws") == ["1", "2", "3", "4", "5"]


# Letting go


@LINUX
def test_it_is_closed_with_the_workspace_or_on_request(home: Path) -> None:
    workspace = Workspace(home / "ws", FAST)
    workspace.close()
    assert edit(workspace, 1) is None
    assert len(open_databases()) == 1
    workspace.close()
    workspace.close()
    assert open_databases() == []
    assert edit(workspace, 2) is None
    assert len(open_databases()) == 1
    del workspace
    gc.collect()
    assert open_databases() == []
    assert list_summaries(home / "ws") == ["1", "2"]


@LINUX
@pytest.mark.promise("back.goes-on")
def test_it_is_closed_when_something_goes_wrong_and_opened_again(home: Path) -> None:
    workspace = Workspace(home / "ws", FAST)
    assert edit(workspace, 1) is None
    with closing(sqlite3.connect(database(), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        trouble = edit(workspace, 2)
        assert trouble is not None
        assert (trouble.recorded, trouble.reason) == (False, "another program has locked it")
        other.execute("ROLLBACK")
    assert open_databases() == []
    assert edit(workspace, 3) is None
    assert list_summaries(home / "ws") == ["1", "3"]


# Every call of a change that finds it open


def calls_of_the_second_change(home: Path) -> tuple[int, list[str]]:
    counting = FaultyFS(LocalFS())
    make(home / "counting")
    workspace = Workspace(home / "counting", FAST, fs=counting)
    edit(workspace, 1)
    before = len(counting.calls)
    edit(workspace, 2)
    return before, counting.calls[before:]


def is_settled(root: Path, landed: list[str]) -> bool:
    """Whether a workspace has exactly the state that was recorded last."""
    names = [path.name for path in root.iterdir()]
    return (list_summaries(root), names, (root / "a.txt").read_text()) == (landed, ["a.txt"], f"{landed[-1]}\n")


@pytest.mark.promise("back.goes-on")
def test_a_failure_of_any_call_leaves_a_change_that_is_whole(home: Path) -> None:
    before, calls = calls_of_the_second_change(home)
    assert "database_file" in calls
    for number, name in enumerate(calls, before + 1):
        root = home / f"fails-{number}"
        make(root)
        workspace = Workspace(root, FAST, fs=FaultyFS(LocalFS(), fail_at=number))
        assert edit(workspace, 1) is None
        landed = ["1"]
        try:
            with workspace.transaction("2") as tx:
                tx.write("a.txt", "2\n")
            if tx.change is not None and tx.change.trouble is None:
                landed.append("2")
        except Exception:  # noqa: BLE001  whatever it is, it is reported
            assert tx.change is None
        with workspace.transaction("3") as tx:
            tx.write("a.txt", "3\n")
        assert tx.change is not None
        assert tx.change.trouble is None, name
        assert is_settled(root, [*landed, "3"]), name


def edit_twice(root: Path, *, killed_at: int) -> None:
    def kill(number: int, _: str) -> None:
        if number == killed_at:
            os.kill(os.getpid(), signal.SIGKILL)

    workspace = Workspace(root, FAST, fs=FaultyFS(LocalFS(), on_call=kill))
    edit(workspace, 1)
    edit(workspace, 2)


@pytest.mark.process
@pytest.mark.promise("back.crash")
def test_a_kill_at_any_call_leaves_a_change_that_is_whole(home: Path) -> None:
    before, calls = calls_of_the_second_change(home)
    for number, name in enumerate(calls, before + 1):
        root = home / f"killed-{number}"
        make(root)

        assert in_a_child(partial(edit_twice, root, killed_at=number)) == signal.SIGKILL, name
        Workspace(root, FAST).recover()
        recorded = list_summaries(root)
        assert recorded in (["1"], ["1", "2"]), name
        assert is_settled(root, recorded), name


@pytest.mark.filterwarnings("error")
def test_a_database_that_cannot_be_closed_any_more_makes_no_noise(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter ends, or another thread than the one that opened it drops it."""
    noise: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", noise.append)

    class Strict(LocalFS):
        def open_database(self, name: str, create: bool, timeout_ms: int) -> sqlite3.Connection:  # noqa: FBT001  as in `FS`
            super().open_database(name, create, timeout_ms).close()
            path = str(next(Path(state_folder()).rglob(name)))
            strict: sqlite3.Connection = sqlite3.connect(path, isolation_level=None)  # for one thread only
            return strict

    workspaces: list[Workspace] = []

    def edit() -> None:
        workspaces.append(Workspace(home / "ws", FAST, fs=Strict()))
        with workspaces[0].transaction("one") as tx:
            tx.write("a.txt", "1\n")
        assert tx.change is not None
        assert tx.change.trouble is None

    thread = Thread(target=edit)
    thread.start()
    thread.join()
    (ws,) = workspaces
    assert ws._engine._kept.idle_database is not None
    (opened,) = ws._engine._kept.idle_database._idle
    workspaces.clear()
    del ws
    gc.collect()
    assert noise == []
    assert opened.name
