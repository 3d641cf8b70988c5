"""A second process takes over part of the work, and nothing depends on it."""

import json
import os
import signal
import subprocess
import sys
import time
from marshal import dumps, loads
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, Workspace
from suture.files import worker as module
from suture.files.worker import Worker, WorkerPool, serve
from suture.tools import search

pytestmark = pytest.mark.process

ENTRY = "suture.tools.search"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for number in range(60):
        folder = tmp_path / f"d{number:02}"
        folder.mkdir()
        for name in ("a.txt", "b.txt", "c.txt"):
            (folder / name).write_text(f"one\ntwo {number} needle {name}\nthree\n")
    return tmp_path


def share_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Share from the first file on, in small batches."""
    monkeypatch.setattr(module, "_WORTH_ASKING", 1)
    monkeypatch.setattr(module, "_WORTH_STARTING", 1)
    monkeypatch.setattr(module, "_BATCH", 5)
    monkeypatch.setattr(module, "_can_start_process", lambda: True)


def call(workspace: Workspace, **more: Any) -> Any:
    return workspace.call("regex_search_multi", {"path_pattern": "**/*", "pattern": "needle (.)", "flags": "g", **more})


@pytest.mark.promise("regex.shared")
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"context_before": 1, "context_after": 1},
        *({"max_matches": number} for number in (7, 179, 180, 181)),
        {"pattern": "nix"},
    ],
)
def test_a_shared_search_gives_what_one_alone_gives(
    tree: Path, monkeypatch: pytest.MonkeyPatch, more: dict[str, Any]
) -> None:
    single = call(Workspace(tree, Settings(second_process=False)), **more)
    share_early(monkeypatch)
    workspace = Workspace(tree)
    for _ in range(3):
        together = call(workspace, **more)
        assert (together.is_error, together.data, together.blocks) == (False, single.data, single.blocks)
    workspace.close()


@pytest.mark.promise("regex.shared")
@pytest.mark.parametrize("view", ["rows", "lines", "numbers", "names"])
def test_a_shared_search_for_the_command_line_gives_what_one_alone_gives(
    tree: Path, monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    arguments = {"pattern": "needle (.)", "view": view, "context_before": 1, "max_matches": 70}
    single = Workspace(tree, Settings(second_process=False)).command("search", arguments)
    share_early(monkeypatch)
    workspace = Workspace(tree)
    for _ in range(3):
        together = workspace.command("search", arguments)
        assert (together.is_error, together.data, together.text) == (False, single.data, single.text)
    workspace.close()


@pytest.mark.promise("regex.shared")
def test_a_worker_that_is_killed_is_done_without(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    share_early(monkeypatch)
    workspace = Workspace(tree)
    expected = call(Workspace(tree, Settings(second_process=False))).data
    assert call(workspace).data == expected
    team = workspace._engine._kept.worker_pool
    assert team is not None
    assert team._worker is not None
    process = team._worker._process
    assert process is not None
    os.kill(process, signal.SIGKILL)
    part = call(workspace, max_matches=7)
    assert part.data == expected[:7]
    assert part.hints == ("7 matches shown (max_matches); there are more.",)
    assert [call(workspace).data for _ in range(2)] == [expected] * 2
    assert team._worker._process not in {None, process}
    workspace.close()
    assert team._worker is None


@pytest.mark.promise("regex.shared")
def test_a_worker_that_does_not_move_is_done_without(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    share_early(monkeypatch)
    monkeypatch.setattr(module, "_REPLY_TIMEOUT_MS", 300)
    workspace = Workspace(tree)
    expected = call(workspace).data
    team = workspace._engine._kept.worker_pool
    assert team is not None
    assert team._worker is not None
    process = team._worker._process
    assert process is not None
    os.kill(process, signal.SIGSTOP)
    assert call(workspace).data == expected
    assert not _lives(process)
    with team.worker() as start:
        worker = start(start=True)
        assert worker is not None
        assert worker._process is not None
        os.kill(worker._process, signal.SIGSTOP)
        assert not worker.send(["x" * 1_000_000])
    workspace.close()


@pytest.mark.promise("regex.shared")
def test_an_error_that_the_worker_meets_is_reported(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tree / "d59" / "c.txt").write_bytes(b"needle x\n" + b"." * 5_000)
    share_early(monkeypatch)
    workspace = Workspace(tree, Settings(max_file_bytes=4_000))
    for _ in range(2):
        result = call(workspace)
        assert result.is_error
        assert result.metadata["error"]["code"] == "INPUT_TOO_LARGE"
    workspace.close()


def test_answer_looks_into_the_files_of_a_batch_and_hides_errors(tree: Path) -> None:
    settings = {name: getattr(Settings(), name) for name in Settings._fields}
    search_request = search.RegexSearchMulti.parse({"path_pattern": "**/*", "pattern": "needle"})
    query = dict(search.Query.of(search_request).__dict__)
    answers = search.answer((str(tree), settings, query, 0, [("d01/", ["a.txt"]), ("gone/", ["x"])]))
    assert answers is not None
    assert [(name, [json.loads(row)["line"] for row in rows]) for name, rows, _ in answers] == [("d01/a.txt", [2])]
    assert search.answer((str(tree / "no"), settings, query, 0, [])) is None


def test_a_call_that_fails_leaves_no_answer_for_the_next(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    share_early(monkeypatch)
    team = WorkerPool(ENTRY, local=True)
    settings = {name: getattr(Settings(), name) for name in Settings._fields}
    with team.worker() as start:
        worker = start(start=True)
        assert worker is not None
        assert worker.send((str(tree), settings, {}, 0, []))
    assert not worker.usable
    team.close()


def test_only_one_call_has_the_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    share_early(monkeypatch)
    team = WorkerPool(ENTRY, local=True)
    with team.worker() as early:
        assert early(start=False) is None
    with team.worker() as first, team.worker() as second:
        assert second(start=True) is None
        assert first(start=True) is not None
    with team.worker() as third:
        assert third(start=True) is not None
    team.close()


@pytest.mark.parametrize("why", ["memory", "one processor", "cannot start"])
def test_where_no_worker_can_run_none_is_started(monkeypatch: pytest.MonkeyPatch, why: str) -> None:
    if why == "one processor":
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0}, raising=False)
        monkeypatch.setattr(os, "cpu_count", lambda: 1)
    else:
        monkeypatch.setattr(module, "_can_start_process", lambda: True)
    if why == "cannot start":
        monkeypatch.setattr(sys, "executable", "/nowhere/python")
    team = WorkerPool(ENTRY, local=why != "memory")
    for _ in range(2):
        with team.worker() as start:
            assert start(start=True) is None
    team.close()


def test_a_worker_belongs_to_the_process_that_started_it(monkeypatch: pytest.MonkeyPatch) -> None:
    worker = Worker(ENTRY)
    pid = os.getpid()
    monkeypatch.setattr(os, "getpid", lambda: pid + 1)
    usable = [worker.usable]
    monkeypatch.undo()
    usable.append(worker.usable)
    worker.close()
    worker.close()
    usable.append(worker.usable)
    assert usable == [False, True, False]


def test_the_worker_ends_when_nobody_is_left() -> None:
    script = (
        "import os, sys; from suture.files.worker import Worker;"
        "p = Worker('suture.tools.search'); print(p._process, flush=True); os.kill(os.getpid(), 9)"
    )
    process = int(subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False).stdout)
    ends = time.monotonic() + 30
    while time.monotonic() < ends and _lives(process):
        time.sleep(0.02)
    assert not _lives(process)


def _lives(process: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text("utf-8")
    except FileNotFoundError:
        return False


def test_serving_answers_each_message_until_the_pipe_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    message = dumps(["x"])
    given = iter([len(message).to_bytes(8, "little"), message, b""])
    written: list[bytes] = []
    monkeypatch.setattr(os, "read", lambda *_: next(given))

    def write(handle: int, data: memoryview) -> int:
        assert handle == 1
        written.append(bytes(data))
        return len(data)

    monkeypatch.setattr(os, "write", write)
    monkeypatch.setattr(search, "answer", lambda batch: [batch, "answered"])
    serve(ENTRY)
    reply = b"".join(written)
    assert loads(reply[8:]) == [["x"], "answered"]  # noqa: S302  made above
    assert int.from_bytes(reply[:8], "little") == len(reply) - 8
