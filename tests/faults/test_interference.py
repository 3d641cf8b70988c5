"""Other programs at the wrong moment: writes between comparison and rename, interrupts, forks, moved folders."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from suture import Edit, Settings, Span, Text, Workspace
from suture.errors import RecoveryBlocked
from suture.files.commit import hold_lock
from suture.files.fs import Tree
from suture.files.local_fs import LocalFS
from suture.testing import FaultyFS, MemoryFS, Stopped

if TYPE_CHECKING:
    from pathlib import Path

FAST = Settings(durability="fast", lock_timeout_ms=0)


def uppercase(text: Text) -> list[Edit]:
    return [Edit(Span(0, len(text.body)), text.body.upper())]


@pytest.mark.promise("atomic.changed")
@pytest.mark.parametrize("moment", range(1, 12))
def test_a_foreign_write_after_the_comparison_is_not_lost(moment: int) -> None:
    inner = MemoryFS({"a": b"a", "b": b"b", "c": b"c"})

    def write_other(number: int, _: str) -> None:
        if number == moment:
            inner.put("a", inner.node_of("a").data + b" foreign")

    with Workspace(inner.root, FAST, fs=FaultyFS(inner, only={"open_file"}, on_call=write_other)).transaction() as tx:
        for name in "abc":
            tx.edit(name, uppercase)
    expected = b"A FOREIGN" if moment <= 9 else b"A"
    assert inner.files() == {"a": expected, "b": b"B", "c": b"C"}


class InterruptedFS(LocalFS):
    """The first lock is taken, and a signal arrives."""

    interrupted = False

    def _flock(self, handle: int) -> None:
        super()._flock(handle)
        if not self.interrupted:
            self.interrupted = True
            raise KeyboardInterrupt


def test_an_interrupt_at_the_lock_leaves_it_free(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path, FAST, fs=InterruptedFS())
    tx = workspace.transaction()
    tx.create("a", "x")
    with pytest.raises(KeyboardInterrupt), tx:
        pass
    with workspace.transaction() as second:
        second.create("a", "x")
    assert (tmp_path / "a").read_text() == "x"


def test_a_process_forked_while_the_lock_is_held_does_not_keep_it(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    with Tree(LocalFS(), str(tmp_path)) as tree:
        with hold_lock([tree], 0, {}):
            child = os.fork()
            if not child:
                os.close(writing)
                os.read(reading, 1)
                os._exit(0)
        with hold_lock([tree], 0, {}):
            pass
    os.close(writing)
    os.close(reading)
    assert os.waitpid(child, 0)[1] == 0


def nest(levels: int) -> Any:
    value: Any = "x"
    for _ in range(levels):
        value = [value, value]
    return value


@pytest.mark.promise("call.never-raises")
@pytest.mark.parametrize("kind", ["itself", "shared", "huge"])
def test_arguments_without_end_are_answered(kind: str) -> None:
    circle: dict[str, Any] = {}
    circle["path"] = circle
    arguments = {"itself": circle, "shared": {"path": nest(40)}, "huge": {"path": "a", "start_line": 10**5000}}[kind]
    fs = MemoryFS({"a": b""})
    error = Workspace(fs.root, fs=fs).call("file_read", arguments).metadata["error"]
    assert error["code"] == ("INVALID_ARGUMENTS" if kind == "huge" else "INPUT_TOO_LARGE")


def crash(fs: MemoryFS, at: int) -> None:
    """Interrupt a transaction over a, d/b and the hard-linked h at its `at`th publishing call."""
    stopping = FaultyFS(fs, stop_at=at, only={"rename", "truncate"})
    tx = Workspace(fs.root, FAST, fs=stopping).transaction()
    for name in ("a", "d/b", "h"):
        tx.edit(name, uppercase)
    with pytest.raises(Stopped), tx:
        pass
    fs.crash()


def three_files() -> MemoryFS:
    fs = MemoryFS({"a": b"a", "d/b": b"b", "h": b"h"})
    fs.hard_link("h", "h2")
    return fs


@pytest.mark.promise("atomic.stop")
def test_a_folder_moved_after_the_crash_blocks_until_it_is_back_and_the_rest_is_restored() -> None:
    fs = three_files()
    crash(fs, 3)
    folder = fs.node_of("d/b")
    assert folder.data == b"B"
    root = fs.open_root(fs.root)
    fs.rename(root, "d", root, "moved")
    with pytest.raises(RecoveryBlocked) as caught:
        Workspace(fs.root, FAST, fs=fs).recover()
    assert "the folder d is gone" in caught.value.reason
    assert (fs.node_of("a").data, fs.node_of("h").data) == (b"a", b"h")
    fs.rename(root, "moved", root, "d")
    fs.close(root)
    assert Workspace(fs.root, FAST, fs=fs).recover() is not None
    assert fs.files() == {"a": b"a", "d/b": b"b", "h": b"h", "h2": b"h"}


def test_a_file_written_in_place_and_deleted_after_the_crash_is_put_aside() -> None:
    fs = three_files()
    crash(fs, 3)
    root = fs.open_root(fs.root)
    fs.unlink(root, "h")
    fs.close(root)
    recovery = Workspace(fs.root, FAST, fs=fs).recover()
    assert recovery is not None
    assert recovery.aside == ("h.suture-orig",)
    assert {name: data for name, data in fs.files().items() if name != "h2"} == {
        "a": b"a",
        "d/b": b"b",
        "h.suture-orig": b"h",
    }


def test_a_folder_moved_away_is_not_made_again_by_an_edit(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "b").write_text("b")

    def move(number: int, _: str) -> None:
        if number == 1:
            (tmp_path / "d").rename(tmp_path / "moved")

    fs = FaultyFS(LocalFS(), only={"lock"}, on_call=move)
    tx = Workspace(tmp_path, FAST, fs=fs).transaction()
    tx.edit("d/b", uppercase)
    with pytest.raises(Exception, match="FILE_"), tx:
        pass
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["b", "moved"]
