"""A checkpoint that fails or is killed at any call: nothing is lost, and nothing is recorded that was not there."""

import errno
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from suture import Workspace
from suture.errors import SutureError
from suture.testing import FaultyFS, MemoryFS, Stopped
from tests.scale import scaled
from tests.unit.changes import land, list_changes, remove, state, succeed, write

FILES = {"a": b"1\n", "b": b"x\n", "sub/c": b"c\n", ".gitignore": b"*.log\n", "x.log": b"1\n"}


def start() -> tuple[MemoryFS, dict[str, object]]:
    """A tree with a checkpoint `first`, which suture and others changed since; and its state at the checkpoint."""
    fs = MemoryFS(FILES)
    ws = Workspace(fs.root, fs=fs)
    succeed(ws.checkpoint("first"))
    before = state(fs)
    land(ws, write("a", "2\n"))
    fs.put("b", b"y\n")
    remove(fs, "sub/c")
    fs.put("new/d", b"d\n")
    return fs, before


def calls_of_a_checkpoint() -> int:
    fs, _ = start()
    faulty = FaultyFS(fs)
    succeed(Workspace(fs.root, fs=faulty).checkpoint("second"))
    return len(faulty.calls)


def check_history(fs: MemoryFS, before: dict[str, object]) -> None:
    """The next checkpoint has what the failed one may have missed, once; the first one can be restored."""
    ws = Workspace(fs.root, fs=fs)
    after = state(fs)
    succeed(ws.checkpoint("third"))
    changes = [change for change in list_changes(ws) if change["tool"] == "outside"]
    touched = [(file["action"], file["path"]) for change in changes for file in change["files"]]
    assert sorted(touched) == [("create", "new/d"), ("delete", "sub/c"), ("update", "b")]
    restored = succeed(ws.restore("first", yes=True))
    assert state(fs) == before | {"new/": None}
    succeed(ws.undo(restored["change_id"]))
    assert state(fs) == after


@pytest.mark.parametrize("error", [errno.EIO, errno.EACCES, errno.ENOSPC], ids=errno.errorcode.get)
@pytest.mark.promise("back.checkpoints")
def test_a_call_that_fails_loses_nothing(error: int) -> None:
    for number in range(1, calls_of_a_checkpoint() + 1):
        fs, before = start()
        with suppress(SutureError):
            result = Workspace(fs.root, fs=FaultyFS(fs, fail_at=number, error=error)).checkpoint("second")
            assert not result.is_error or result.metadata["error"]["code"] != "INTERNAL", (number, result.text)
        check_history(fs, before)


@pytest.mark.promise("back.checkpoints")
def test_a_process_that_stops_loses_nothing() -> None:
    for number in range(1, calls_of_a_checkpoint() + 1):
        fs, before = start()
        faulty = FaultyFS(fs, stop_at=number)
        try:
            Workspace(fs.root, fs=faulty).checkpoint("second")
        except Stopped:
            faulty.abandon()
            fs.crash()
        check_history(fs, before)


def test_what_changes_during_a_checkpoint_is_seen_by_it_or_by_the_next() -> None:
    """A file is written, created or deleted right before each call of a checkpoint."""
    for number in range(1, calls_of_a_checkpoint() + 1):
        fs, _ = start()

        def interfere(call: int, _: str, fs: MemoryFS = fs, at: int = number) -> None:
            if call == at:
                fs.put("a", b"meanwhile\n")
                fs.put("meanwhile", b"meanwhile\n")
                fs.put("sub/c", b"meanwhile\n")
                remove(fs, "new/d")

        succeed(Workspace(fs.root, fs=FaultyFS(fs, on_call=interfere)).checkpoint("second"))
        ws = Workspace(fs.root, fs=fs)
        after = state(fs)
        succeed(ws.checkpoint("third"))
        succeed(ws.restore("second", yes=True))
        for path, content in fs.files().items():
            seen = {FILES.get(path), b"2\n" if path == "a" else None, b"y\n", b"d\n", b"meanwhile\n"}
            assert content in seen, (number, path)
        succeed(ws.restore("third", yes=True))
        assert state(fs) == after
        succeed(ws.restore("first", yes=True))
        assert fs.files() == FILES


KILLED = """
import os, signal, sys
from suture import Workspace
from suture.errors import SutureError
from suture.testing import FaultyFS, LocalFS

def kill(number, name):
    if number == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

print(Workspace(sys.argv[1], fs=FaultyFS(LocalFS(), on_call=kill)).checkpoint("second").text)
"""


@pytest.mark.process
@pytest.mark.slow
def test_a_killed_process_loses_nothing(tmp_path: Path) -> None:
    step = max(1, 8 // scaled(1))
    for number in range(1, 60, step):
        root = tmp_path / str(number)
        root.mkdir()
        (root / "a").write_bytes(b"1\n")
        ws = Workspace(root)
        succeed(ws.checkpoint("first"))
        ws.close()
        (root / "a").write_bytes(b"2\n")
        (root / "b").write_bytes(b"2\n")
        process = subprocess.run(
            [sys.executable, "-c", KILLED, str(root), str(number)], env=os.environ, capture_output=True, check=False
        )
        assert process.returncode in {0, -signal.SIGKILL}, process.stderr
        succeed(ws.checkpoint("third"))
        assert sum(len(change["files"]) for change in list_changes(ws)) == 2
        succeed(ws.restore("first", yes=True))
        assert {path.name: path.read_bytes() for path in root.iterdir()} == {"a": b"1\n"}
