"""Clipboards through crashes, failures and other processes: they are filled if and only if their call landed."""

from __future__ import annotations

import errno
import os
import sqlite3
from itertools import count
from random import Random
from threading import Thread
from typing import TYPE_CHECKING

import pytest

from suture import Settings, SutureError, Workspace
from suture.testing import FaultyFS, MemoryFS, Stopped
from tests.faults.commit_scenario import DURABILITIES, settings
from tests.unit.changes import error_of, land, succeed, workspace, write

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from suture import ToolResult
    from suture.files.fs import FS

BEFORE = b"one\ntwo\n"
CUT = [
    {"operation": "replace", "oldText": "one\n", "newText": "", "toClipboard": "x"},
    {"operation": "append_eof", "fromClipboard": "x"},
]
COPY = [{"operation": "replace", "oldText": "one\n", "toClipboard": "x", "fromClipboard": "x"}]
NEW = [{"operation": "append_eof", "newText": "new"}]
THREADS = 4
EDITS = 12

durabilities = pytest.mark.parametrize("durability", DURABILITIES)
Patches = list[dict[str, str]]


def patch(fs: FS, patches: Patches, durability: str = "full") -> ToolResult:
    return Workspace("/ws", settings(durability), fs=fs).patch("a", list(patches))


def disk() -> MemoryFS:
    """A workspace in which `x` already contains something."""
    fs = MemoryFS({"a": BEFORE, "b": b"earlier"})
    copy = {"operation": "replace", "oldText": "earlier", "toClipboard": "x", "fromClipboard": "x"}
    succeed(Workspace(fs.root, fs=fs).patch("b", [copy]))
    fs.sync_all()
    return fs


def clipboard(fs: FS, name: str = "x") -> str | None:
    """What the next process finds."""
    with Workspace("/ws", settings(), fs=fs)._engine.session() as session:
        known = session.clipboard(name)
        return None if known is None else known.text


def stop_and_recover(
    number: int, patches: Patches, durability: str, end: Callable[[MemoryFS], object]
) -> tuple[MemoryFS, bool]:
    """The disk after a call that stopped there, and its recovery; False if the call makes fewer system calls."""
    fs = disk()
    faulty, stopped = FaultyFS(fs, stop_at=number), True
    try:
        patch(faulty, patches, durability)
        stopped = False
    except Stopped:
        pass
    faulty.abandon()
    end(fs)
    assert not Workspace(fs.root, settings(durability), fs=fs).file_read("b").is_error
    return fs, stopped


@pytest.mark.promise("patch.clipboard-crash")
@durabilities
def test_a_cut_that_stops_at_any_call_has_filled_the_clipboard_exactly_if_it_landed(durability: str) -> None:
    outcomes = {}
    for number in count(1):
        fs, stopped = stop_and_recover(number, CUT, durability, MemoryFS.crash)
        changes = Workspace(fs.root, fs=fs).history().metadata["changes"]
        outcomes[number] = fs.files()["a"], clipboard(fs), len(changes)
        if not stopped:
            break
    assert number > 40
    assert {*outcomes.values()} == {(BEFORE, "earlier", 0), (b"two\none\n", "one\n", 1)}


@pytest.mark.promise("patch.clipboard-crash")
@pytest.mark.parametrize("seed", [None, 1], ids=["nothing unsynced is kept", "luck"])
def test_a_cut_that_a_power_cut_stops_has_filled_the_clipboard_exactly_if_it_landed(seed: int | None) -> None:
    outcomes = set()
    for number in count(1):
        rng = None if seed is None else Random(f"{seed} {number}")
        fs, stopped = stop_and_recover(number, CUT, "full", lambda fs, rng=rng: fs.power_loss(rng))  # type: ignore[misc]  # its type cannot be inferred
        outcomes.add((fs.files()["a"], clipboard(fs)))
        if not stopped:
            break
    assert outcomes == {(BEFORE, "earlier"), (b"two\none\n", "one\n")}


@pytest.mark.promise("patch.clipboard-crash")
@durabilities
def test_a_copy_that_stops_at_any_call_has_filled_the_clipboard_or_not_and_left_the_file_alone(durability: str) -> None:
    outcomes = set()
    for number in count(1):
        fs, stopped = stop_and_recover(number, COPY, durability, MemoryFS.crash)
        outcomes.add((fs.files()["a"], clipboard(fs)))
        if not stopped:
            break
    assert outcomes == {(BEFORE, "earlier"), (BEFORE, "one\n")}


@pytest.mark.promise("patch.clipboard-crash")
def test_a_call_whose_process_died_after_it_was_done_fills_the_clipboard_when_it_is_finished() -> None:
    fs = disk()
    stopping = FaultyFS(fs, stop_at=1, only={"commit_database"})
    with pytest.raises(Stopped):
        patch(stopping, CUT)
    stopping.abandon()
    fs.crash()
    result = patch(fs, [{"operation": "append_eof", "fromClipboard": "x"}])
    assert (succeed(result)["recovered"]["direction"], fs.files()["a"]) == ("forward", b"two\none\none\n")


@pytest.mark.promise("patch.clipboard-crash")
@pytest.mark.parametrize("patches", [CUT, COPY], ids=["cut", "copy"])
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC], ids=errno.errorcode.get)
def test_a_call_in_which_something_fails_keeps_the_clipboard_at_least_for_this_process(
    patches: Patches, error: int
) -> None:
    wrong, lost = {}, 0
    for number in count(1):
        fs = disk()
        faulty = FaultyFS(fs, fail_at=number, error=error)
        try:
            ws = Workspace(fs.root, settings(), fs=faulty)
            result = ws.patch("a", list(patches))
        except SutureError:  # the workspace could not be opened
            continue
        if len(faulty.calls) < number:
            break
        pasted = (
            succeed(ws.patch("c", [{"operation": "append_eof", "fromClipboard": "x"}])) and fs.files()["c"].decode()
        )
        stored = clipboard(fs)
        warned = not result.is_error and bool(result.metadata["warnings"])
        expected = ("earlier", "earlier") if result.is_error else ("one\n", "earlier" if warned else "one\n")
        lost += warned
        if (pasted, stored) != expected:
            wrong[f"{number} {faulty.calls[number - 1]}"] = pasted, stored, result.text
    assert wrong == {}
    assert lost


@pytest.mark.promise("patch.clipboards")
def test_a_history_of_an_earlier_version_is_used_as_it_is() -> None:
    ws, fs = workspace({"a": BEFORE})
    change = land(ws, write("a", BEFORE + b"three\n"))
    assert "session_clipboard" not in tables(fs)
    assert error_of(ws.patch("a", [{"operation": "append_eof", "fromClipboard": "x"}]))["known"] == []
    succeed(ws.patch("a", COPY))
    assert ("session_clipboard" in tables(fs), clipboard(fs)) == (True, "one\n")
    assert succeed(ws.undo())["undone"] == change


def tables(fs: MemoryFS) -> set[str]:
    (stored,) = fs.shelf.values()
    database = sqlite3.connect(":memory:")
    database.deserialize(stored)
    names = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    database.close()
    return names


@pytest.mark.promise("patch.clipboards")
def test_clipboards_outlive_the_changes_that_are_forgotten() -> None:
    ws, fs = workspace({"a": BEFORE}, Settings(history_max_bytes=60_000))
    succeed(ws.patch("a", CUT))
    for _ in range(30):
        land(ws, write("b", os.urandom(5_000)))
    assert (ws.history(limit=100).metadata["changes"][-1]["tool"], clipboard(fs)) == ("transaction", "one\n")


@pytest.mark.promise("patch.clipboards")
def test_a_history_that_cannot_be_read_is_not_an_unknown_clipboard() -> None:
    ws, fs = workspace({"a": BEFORE})
    succeed(ws.patch("a", COPY))
    faulty = FaultyFS(fs, fail_at=1, only={"open_database"}, error=errno.EACCES)
    paste: Patches = [{"operation": "append_eof", "fromClipboard": "x"}]
    assert error_of(patch(faulty, paste))["code"] == "HISTORY_UNAVAILABLE"
    assert not patch(faulty, paste).is_error


@pytest.mark.promise("patch.clipboards")
def test_processes_that_fill_clipboards_at_once_lose_none_and_no_edit(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(
        b"".join(b"%d-%d\n" % (thread, turn) for thread in range(THREADS) for turn in range(EDITS))
    )
    failures: list[str] = []

    def work(number: int) -> None:
        ws = Workspace(tmp_path)
        for turn in range(EDITS):
            text = f"{number}-{turn}\n"
            cut = {
                "operation": "replace",
                "oldText": text,
                "newText": f"done {text}",
                "toClipboard": f"{number} {turn % 5}",
            }
            result = ws.patch("a", [cut])
            failures.extend([result.text] if result.is_error else [])

    threads = [Thread(target=work, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert (tmp_path / "a").read_text().count("done ") == THREADS * EDITS
    with Workspace(tmp_path)._engine.session() as session:
        last = {name: known.text for name in session.clipboards() if (known := session.clipboard(name))}
    expected = {
        f"{thread} {turn}": f"{thread}-{max(range(turn, EDITS, 5))}\n" for thread in range(THREADS) for turn in range(5)
    }
    assert last == expected
