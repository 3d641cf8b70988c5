"""A crash or a failure at any call: a change is recorded if and only if it landed, and then it can be undone."""

from __future__ import annotations

import errno
from itertools import count
from random import Random
from threading import Thread
from typing import TYPE_CHECKING, NamedTuple

import pytest

from suture import Settings, SutureError, Workspace
from suture.plan import SessionInfo
from suture.testing import FaultyFS, LocalFS, MemoryFS, Stopped
from tests.faults.commit_scenario import (
    DURABILITIES,
    SHARED_NEW,
    VARIANTS,
    Process,
    count_calls,
    in_memory,
    increment,
    on_disk,
    recover,
    settings,
    state,
    transact,
)
from tests.scale import scaled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from suture.files.fs import FS
    from suture.plan import Change

SAMPLE = 19
NESTED_SAMPLE = 23
KILL_SAMPLE = 13
RECOVERY_CALLS = 120
WRITERS = 4
EDITS = 25  # per writer: their edits interleave as 50 do, in a third of the time
SOAK_EDITS = 50

durabilities = pytest.mark.parametrize("durability", DURABILITIES)
variants = pytest.mark.parametrize("variant", VARIANTS)
links = pytest.mark.parametrize("can_link", [True, False], ids=["links", "no links"])


class Outcome(NamedTuple):
    """The tree, and the changes that the history lists, oldest first: `tool state`."""

    tree: str
    changes: tuple[str, ...]


ABSENT = Outcome("old", ())
LANDED = Outcome("new", ("transaction landed",))
PERSON = SessionInfo("person", "cli", "", "cli")
"""At a terminal, undo takes the newest change of all processes."""
UNRECORDED = Outcome("new", ())
UNDONE = Outcome("old", ("transaction undone", "undo landed"))


def look(fs: FS, root: str, variant: str = "move") -> Outcome:
    result = Workspace(root, settings(), fs=fs).history()
    assert not result.is_error, result.text
    changes = [f"{change['tool']} {change['state']}" for change in result.metadata["changes"]]
    return Outcome(state(fs, root, variant), tuple(changes[::-1]))


def undo(fs: FS, root: str, durability: str = "full") -> None:
    result = Workspace(root, settings(durability), session=PERSON, fs=fs).undo()
    assert not result.is_error, result.text


def problem(fs: FS, root: str, variant: str = "move") -> Outcome | None:
    """What is wrong after a recovery that is neither nothing nor a recorded change that can be undone."""
    outcome = look(fs, root, variant)
    if outcome == LANDED:
        undo(fs, root)
        outcome = look(fs, root, variant)
    return None if outcome in {ABSENT, UNDONE} else outcome


def run_until_stopped(fs: FS, number: int, action: Callable[[FS], object], only: Iterable[str] = ()) -> bool:
    """Run a function until it stops for good at a call; False if it has no such call."""
    faulty = FaultyFS(fs, stop_at=number, only=only)
    try:
        action(faulty)
    except Stopped:
        return True
    finally:
        faulty.abandon()
    return False


def stop_transaction(number: int, variant: str, durability: str, *, can_link: bool = True) -> tuple[MemoryFS, bool]:
    """The disk after a transaction that stopped at a call, and whether it has such a call."""
    fs = in_memory(can_link=can_link)
    outcome = run_until_stopped(fs, number, lambda faulty: transact(faulty, fs.root, variant, durability))
    fs.crash()
    return fs, outcome


# A transaction that stops


@pytest.mark.promise("back.crash")
@durabilities
@links
def test_a_change_that_stops_at_any_call_is_recorded_exactly_if_it_landed(durability: str, *, can_link: bool) -> None:
    check_stops("move", durability, can_link=can_link)


@pytest.mark.soak
@durabilities
@links
def test_a_change_with_a_changed_and_renamed_file_that_stops_at_any_call_is_recorded_exactly_if_it_landed(
    durability: str, *, can_link: bool
) -> None:
    check_stops("move and change", durability, can_link=can_link)


def check_stops(variant: str, durability: str, *, can_link: bool) -> None:
    wrong = {}
    for number in count(1):
        fs, stopped = stop_transaction(number, variant, durability, can_link=can_link)
        recover(fs, fs.root, durability)
        wrong[number] = problem(fs, fs.root, variant)
        if not stopped:
            break
    assert number > 100
    assert {number: outcome for number, outcome in wrong.items() if outcome} == {}


@pytest.mark.promise("back.crash")
@pytest.mark.parametrize("seed", [None, 1], ids=["nothing unsynced is kept", "luck"])
def test_a_change_that_a_power_cut_stops_at_any_call_is_recorded_exactly_if_it_landed(seed: int | None) -> None:
    check_power_cuts(seed, "move")


@pytest.mark.soak
@variants
@pytest.mark.parametrize("seed", range(2, 2 + scaled(10)))
def test_many_power_cuts_leave_changes_that_are_recorded_exactly_if_they_landed(seed: int, variant: str) -> None:
    check_power_cuts(seed, variant)


def check_power_cuts(seed: int | None, variant: str) -> None:
    wrong = {}
    for number in count(1):
        fs = in_memory()
        stopped = run_until_stopped(fs, number, lambda faulty: transact(faulty, "/ws", variant))
        fs.power_loss(None if seed is None else Random(f"{seed} {number}"))
        recover(fs, fs.root)
        wrong[number] = problem(fs, fs.root, variant)
        if not stopped:
            break
    assert {number: outcome for number, outcome in wrong.items() if outcome} == {}


@pytest.mark.promise("back.crash")
@durabilities
def test_a_change_that_stops_on_real_files_is_recorded_exactly_if_it_landed(tmp_path: Path, durability: str) -> None:
    assert stops_on_disk(tmp_path, "move", durability, SAMPLE) == {}


@pytest.mark.soak
@durabilities
@variants
def test_a_change_that_stops_at_any_call_on_real_files_is_recorded_exactly_if_it_landed(
    tmp_path: Path, variant: str, durability: str
) -> None:
    assert stops_on_disk(tmp_path, variant, durability, 1) == {}


def stops_on_disk(home: Path, variant: str, durability: str, sample: int) -> dict[int, Outcome]:
    wrong = {}
    for number in range(1, count_calls(variant, durability) + 1, sample):
        root = on_disk(home / str(number))

        def action(faulty: FS, root: str = root) -> None:
            transact(faulty, root, variant, durability)

        run_until_stopped(LocalFS(), number, action)
        recover(LocalFS(), root, durability)
        if outcome := problem(LocalFS(), root, variant):
            wrong[number] = outcome
    return wrong


# A recovery that stops


def stop_twice(number: int, variant: str, durability: str, sample: int, *, can_link: bool) -> dict[str, Outcome]:
    """Stop the transaction at a call and its recovery at every one; returns what is wrong after a second recovery."""
    wrong = {}
    for second in count(1 + number % sample, sample):
        fs, _ = stop_transaction(number, variant, durability, can_link=can_link)
        stopped = run_until_stopped(fs, second, lambda faulty: recover(faulty, "/ws", durability))
        fs.crash()
        recover(fs, fs.root, durability)
        if outcome := problem(fs, fs.root, variant):
            wrong[f"{number}, {second}"] = outcome
        if not stopped:
            break
    return wrong


@pytest.mark.promise("back.crash")
@durabilities
@links
def test_a_change_whose_recovery_stops_is_recorded_exactly_if_it_landed(durability: str, *, can_link: bool) -> None:
    numbers = range(1, count_calls("move", durability, can_link=can_link) + 1, NESTED_SAMPLE)
    wrong = [stop_twice(number, "move", durability, NESTED_SAMPLE, can_link=can_link) for number in numbers]
    assert [outcomes for outcomes in wrong if outcomes] == []


@pytest.mark.promise("back.crash")
@durabilities
def test_a_complete_change_whose_recovery_stops_at_any_call_is_recorded(durability: str) -> None:
    """It stopped while opening the history: nothing is recorded yet, everything has landed."""
    fs = in_memory()
    counting = FaultyFS(fs)
    transact(counting, fs.root, durability=durability)
    number = counting.calls.index("open_database") + 1
    assert stop_twice(number, "move", durability, 1, can_link=True) == {}


@pytest.mark.soak
@durabilities
def test_a_change_whose_recovery_stops_at_any_call_is_recorded_exactly_if_it_landed(durability: str) -> None:
    numbers = range(1, count_calls("move and change", durability) + 1)
    wrong = [stop_twice(number, "move and change", durability, 1, can_link=True) for number in numbers]
    assert [outcomes for outcomes in wrong if outcomes] == []


# An undo that stops


@pytest.mark.promise("back.crash")
@durabilities
def test_an_undo_that_stops_at_any_call_has_undone_all_and_says_so_or_nothing(durability: str) -> None:
    outcomes = {}
    for number in count(1):
        fs = in_memory()
        transact(fs, fs.root, durability=durability)
        stopped = run_until_stopped(fs, number, lambda faulty: undo(faulty, "/ws", durability))
        fs.crash()
        recover(fs, fs.root, durability)
        outcomes[number] = look(fs, fs.root)
        if not stopped:
            break
    undone = min(number for number in outcomes if outcomes[number] == UNDONE)
    assert outcomes == {number: LANDED if number < undone else UNDONE for number in outcomes}


# A call that fails


def land(fs: FS, root: str, durability: str) -> Change | None:
    """The transaction, for what it reports about the history; None if it did not land."""
    transaction = Workspace(root, settings(durability), fs=fs).transaction()
    transaction.create("new/deep/made.txt", b"made\n")
    transaction.write("update.txt", b"one\nTWO\nthree\n")
    transaction.write("shared.txt", SHARED_NEW)
    transaction.delete("gone/delete.txt")
    transaction.rename("from.txt", "there/to.txt")
    try:
        transaction.__exit__(None, None, None)
    except SutureError:
        return None
    return transaction.change


@pytest.mark.promise("back.crash")
@pytest.mark.promise("back.goes-on")
@durabilities
@pytest.mark.parametrize("error", [errno.EIO, errno.ENOSPC, errno.EACCES], ids=errno.errorcode.get)
def test_a_change_in_which_a_call_fails_is_recorded_or_says_that_it_is_not(error: int, durability: str) -> None:
    wrong, unrecorded = {}, set()
    for number in count(1):
        fs = in_memory()
        try:
            faulty = FaultyFS(fs, fail_at=number, error=error)
            change = land(faulty, fs.root, durability)
        except SutureError:  # the workspace could not be opened
            change = None
        if len(faulty.calls) < number:
            break
        recover(fs, fs.root, durability)
        outcome, expected = look(fs, fs.root), ABSENT
        if change is not None:
            expected = LANDED if change.trouble is None else UNRECORDED
        if outcome != expected or (outcome == LANDED and problem(fs, fs.root)):
            wrong[f"{number} {faulty.calls[number - 1]}"] = change, outcome
        if change is not None and change.trouble is not None:
            unrecorded.add(faulty.calls[number - 1])
    assert wrong == {}
    assert {"open_database", "commit_database"} <= unrecorded
    lookups = {"databases", "real_path", "born", "machine", "fstat", "open_root"}
    assert unrecorded <= {"open_database", "commit_database", *lookups}


@pytest.mark.promise("back.goes-on")
@durabilities
def test_a_recovery_in_which_a_call_fails_records_the_change_or_says_that_it_did_not(durability: str) -> None:
    wrong = {}
    for number in count(1):
        fs = in_memory()
        run_until_stopped(fs, 1, lambda faulty: transact(faulty, "/ws", durability=durability), only=["open_database"])
        fs.crash()
        faulty = FaultyFS(fs, fail_at=number)
        try:
            metadata = (
                Workspace(fs.root, settings(durability), fs=faulty).call("file_read", {"path": "other/run"}).metadata
            )
        except SutureError:
            metadata = {}
        if len(faulty.calls) < number:
            break
        recover(fs, fs.root, durability)
        outcome = look(fs, fs.root)
        if outcome != LANDED and not (outcome == UNRECORDED and "history" in metadata):
            wrong[f"{number} {faulty.calls[number - 1]}"] = outcome
    assert wrong == {}


@pytest.mark.promise("back.goes-on")
@durabilities
@pytest.mark.parametrize("name", ["gone", "there", "new"])
def test_a_complete_change_is_finished_though_someone_put_a_link_where_a_folder_was(name: str, durability: str) -> None:
    fs = in_memory()
    run_until_stopped(fs, 1, lambda faulty: transact(faulty, "/ws", durability=durability), only=["open_database"])
    fs.crash()
    top = fs.open_root(fs.root)
    fs.rename(top, name, top, "moved away")
    fs.close(top)
    fs.put_link(name, "moved away")
    workspace = Workspace(fs.root, settings(durability), fs=fs)
    result = workspace.call("file_read", {"path": "other/run"})
    assert not result.is_error
    assert result.metadata["recovered"]["direction"] == "forward"
    with workspace.transaction() as tx:
        tx.write("update.txt", b"next")
    assert tx.change is not None
    assert tx.change.trouble is None


@pytest.mark.promise("back.recorded")
def test_a_change_that_recovery_finished_is_recorded_as_it_was_meant(tmp_path: Path) -> None:
    usual, finished = on_disk(tmp_path / "usual"), on_disk(tmp_path / "finished")
    transact(LocalFS(), usual)
    run_until_stopped(LocalFS(), 1, lambda faulty: transact(faulty, finished), only=["open_database"])
    recover(LocalFS(), finished)
    records = []
    for root in (usual, finished):
        workspace = Workspace(root)
        (change,) = workspace.history().metadata["changes"]
        records.append({**workspace.show(change["change_id"]).metadata, "change_id": None, "time": None})
    assert records[0] == records[1]


# A workspace that was moved or recreated: its history is renamed or copied first


def edit(fs: FS, root: str, number: int) -> Change | None:
    try:
        with Workspace(root, settings("fast"), fs=fs).transaction(str(number)) as tx:
            tx.write("a.txt", str(number))
    except SutureError:
        return None
    return tx.change


def summaries(fs: FS, root: str) -> str:
    changes = Workspace(root, settings(), fs=fs).history().metadata["changes"]
    return " ".join(change["summary"] for change in changes[::-1])


def moved_workspace() -> tuple[MemoryFS, str]:
    """A workspace with one change, then moved; returns its new place."""
    fs = MemoryFS({"a.txt": b"0"})
    edit(fs, "/ws", 1)
    top = fs.open_root("/")
    fs.rename(top, "ws", top, "moved")
    fs.close(top)
    fs.root = "/moved"
    return fs, "/moved"


def recreated_workspace() -> tuple[MemoryFS, str]:
    """A workspace with one change, replaced by another folder with the same file."""
    fs, _ = moved_workspace()
    fs.root = "/ws"
    fs.put("a.txt", b"1")
    return fs, "/ws"


relocations = pytest.mark.parametrize("disk", [moved_workspace, recreated_workspace])


@pytest.mark.promise("back.crash")
@pytest.mark.promise("back.moved")
@relocations
def test_a_change_of_a_moved_workspace_that_stops_at_any_call_loses_no_record(
    disk: Callable[[], tuple[MemoryFS, str]],
) -> None:
    outcomes = {}
    for number in count(1):
        fs, root = disk()
        stopped = run_until_stopped(fs, number, lambda faulty, root=root: edit(faulty, root, 2))  # type: ignore[misc]  # its type cannot be inferred
        fs.crash()
        Workspace(root, settings(), fs=fs).recover()
        outcomes[number] = fs.files()["a.txt"].decode(), summaries(fs, root)
        if not stopped:
            break
    assert {*outcomes.values()} == {("1", "1"), ("2", "1 2")}


@pytest.mark.promise("back.moved")
@pytest.mark.promise("back.goes-on")
@relocations
def test_a_change_of_a_moved_workspace_in_which_a_call_fails_loses_no_record(
    disk: Callable[[], tuple[MemoryFS, str]],
) -> None:
    wrong = {}
    for number in count(1):
        fs, root = disk()
        faulty = FaultyFS(fs, fail_at=number)
        change = edit(faulty, root, 2)
        if len(faulty.calls) < number:
            break
        assert edit(fs, root, 3) is not None
        expected = "1 2 3" if change is not None and change.trouble is None else "1 3"
        if summaries(fs, root) != expected:
            wrong[f"{number} {faulty.calls[number - 1]}"] = summaries(fs, root)
    assert wrong == {}


# Real processes


def kill(home: Path, variant: str, durability: str, cases: Sequence[tuple[int, ...]]) -> dict[str, Outcome]:
    """Kill one process per case at these calls; returns what is wrong afterwards."""
    process = Process("killing", home, variant, durability)
    process.tell(cases)
    outcomes: dict[str, list[str]] = process.hear()
    assert process.result() == 0
    wrong = {}
    for name in outcomes:
        recover(LocalFS(), str(home / name), durability)
        if outcome := problem(LocalFS(), str(home / name), variant):
            wrong[name] = outcome
    return wrong


def calls_on_disk(home: Path, variant: str, durability: str) -> list[str]:
    faulty = FaultyFS(LocalFS())
    transact(faulty, on_disk(home / "counted"), variant, durability)
    return faulty.calls


@pytest.mark.promise("back.crash")
@durabilities
def test_a_change_whose_process_is_killed_is_recorded_exactly_if_it_landed(tmp_path: Path, durability: str) -> None:
    calls = calls_on_disk(tmp_path, "move", durability)
    recording = calls.index("open_database") + 1
    numbers = {*range(1, len(calls) + 2, KILL_SAMPLE), *range(recording - 1, recording + 5)}
    assert kill(tmp_path, "move", durability, [(number,) for number in sorted(numbers)]) == {}


@pytest.mark.soak
@durabilities
@variants
def test_a_change_whose_process_is_killed_at_any_call_is_recorded_exactly_if_it_landed(
    tmp_path: Path, variant: str, durability: str
) -> None:
    numbers = range(1, len(calls_on_disk(tmp_path, variant, durability)) + 2)
    assert kill(tmp_path, variant, durability, [(number,) for number in numbers]) == {}


@pytest.mark.promise("back.crash")
def test_a_change_whose_recovery_is_killed_is_recorded_exactly_if_it_landed(tmp_path: Path) -> None:
    recording = calls_on_disk(tmp_path, "move", "fast").index("open_database") + 1
    cases = [(number, second) for number in (recording, recording + 2) for second in range(1, 60, KILL_SAMPLE)]
    assert kill(tmp_path, "move", "fast", cases) == {}


@pytest.mark.soak
@durabilities
@variants
def test_a_change_whose_recovery_is_killed_at_many_calls_is_recorded_exactly_if_it_landed(
    tmp_path: Path, variant: str, durability: str
) -> None:
    numbers = range(1, len(calls_on_disk(tmp_path, variant, durability)) + 1, 5)
    cases = [(number, second) for number in numbers for second in range(1 + number % 5, RECOVERY_CALLS, 5)]
    assert kill(tmp_path, variant, durability, cases) == {}


def total(root: Path) -> int:
    return int((root / "counter.txt").read_text().split()[1])


def kill_at_some_moment(root: Path, edits: int) -> None:
    """Let a process edit until the given number of edits have landed, then kill it wherever it is."""
    process = Process("editing", root, "fast")
    assert process.hear() == "ready"
    process.tell([("counter.txt", "total")] * 1000)
    goal = total(root) + edits
    while total(root) < goal:
        pass
    process.kill()


def check_kills_at_some_moment(root: Path, times: int) -> None:
    (root / "counter.txt").write_text("total 0\n")
    workspace = Workspace(root, Settings(durability="fast"), session=PERSON)
    for edits in range(times):
        kill_at_some_moment(root, edits % 4)
        workspace.recover()
        assert len(workspace.history(limit=1000).metadata["changes"]) == total(root)
    while total(root):
        assert not workspace.undo().is_error


@pytest.mark.promise("back.crash")
def test_a_process_killed_at_some_moment_leaves_as_many_records_as_edits(tmp_path: Path) -> None:
    check_kills_at_some_moment(tmp_path, 8)


@pytest.mark.soak
def test_processes_killed_at_many_moments_leave_as_many_records_as_edits(tmp_path: Path) -> None:
    check_kills_at_some_moment(tmp_path, 200)


def edit_at_once(root: Path, work: Sequence[list[tuple[str, str]]]) -> None:
    """Start a process for each list of edits; all begin when the last is ready."""
    processes = [Process("editing", root, "fast") for _ in work]
    assert [process.hear() for process in processes] == ["ready"] * len(work)
    for process, edits in zip(processes, work, strict=True):
        process.tell(edits)
    assert [process.result() for process in processes] == [0] * len(work)


def check_edits_at_once(tmp_path: Path, number_of_edits: int) -> None:
    """Let several processes edit the same two files, then look for every edit in the history, and undo them all."""
    lines = [f"writer{writer}-{number}" for number in range(number_of_edits) for writer in range(WRITERS)]
    original = "".join(f"{line} 0\n" for line in lines)
    for name in ("even.txt", "odd.txt"):
        (tmp_path / name).write_text(original)
    work = [
        [("odd.txt" if number % 2 else "even.txt", f"writer{writer}-{number}") for number in range(number_of_edits)]
        for writer in range(WRITERS)
    ]
    edit_at_once(tmp_path, work)
    workspace = Workspace(tmp_path, Settings(durability="fast"), session=PERSON)
    changes = workspace.history(limit=1000).metadata["changes"]
    assert len(changes) == len({change["change_id"] for change in changes}) == WRITERS * number_of_edits
    assert [change["change_id"] for change in changes] == sorted(
        (change["change_id"] for change in changes), reverse=True
    )
    undone = [workspace.undo().metadata["undone"] for _ in changes]
    assert undone == [change["change_id"] for change in changes]
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"even.txt": original, "odd.txt": original}
    assert workspace.undo().metadata["error"]["code"] == "NOTHING_TO_UNDO"
    final_changes = workspace.history(limit=1000).metadata["changes"]
    assert [change["state"] for change in final_changes] == ["landed"] * len(changes) + ["undone"] * len(changes)


@pytest.mark.promise("back.recorded")
def test_edits_by_several_processes_are_all_recorded_and_can_all_be_undone(tmp_path: Path) -> None:
    check_edits_at_once(tmp_path, EDITS)


@pytest.mark.soak
def test_more_edits_by_several_processes_are_all_recorded_and_can_all_be_undone(tmp_path: Path) -> None:
    check_edits_at_once(tmp_path, SOAK_EDITS)


@pytest.mark.promise("back.recorded")
def test_no_change_is_undone_twice_by_several_at_once(tmp_path: Path) -> None:
    (tmp_path / "counter.txt").write_text("total 0\n")
    workspace = Workspace(tmp_path, Settings(durability="fast"))
    for _ in range(WRITERS * 5):
        increment(workspace, "counter.txt", "total")
    undone: list[str] = []

    def work() -> None:
        undone.extend(workspace.undo().metadata["undone"] for _ in range(5))

    threads = [Thread(target=work) for _ in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    changes = [
        change for change in workspace.history(limit=1000).metadata["changes"] if change["tool"] == "transaction"
    ]
    assert sorted(undone, reverse=True) == [change["change_id"] for change in changes]
    assert (tmp_path / "counter.txt").read_text() == "total 0\n"
