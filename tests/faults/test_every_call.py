"""A commit that fails, or stops for good, at every single call: the tree is completely old or completely new."""

from __future__ import annotations

import errno
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import pytest

from suture import SutureError
from suture.testing import FaultyFS, LocalFS, Stopped
from tests.faults.commit_scenario import (
    BEFORE,
    DURABILITIES,
    VARIANTS,
    after,
    count_calls,
    in_memory,
    look,
    on_disk,
    recover,
    state,
    transact,
)

if TYPE_CHECKING:
    from pathlib import Path

    from suture.files.fs import FS

ERRORS = [errno.EIO, errno.ENOSPC, errno.EACCES, errno.EXDEV]
SAMPLE = 13
NESTED_SAMPLE = 23

fails = pytest.mark.parametrize("error", ERRORS, ids=[errno.errorcode[error] for error in ERRORS])
durabilities = pytest.mark.parametrize("durability", DURABILITIES)
variants = pytest.mark.parametrize("variant", VARIANTS)
links = pytest.mark.parametrize("can_link", [True, False], ids=["links", "no links"])


class Fault(NamedTuple):
    """The outcome of a transaction in which one call failed."""

    call: str
    raised: str
    """The error's code, or the name of an exception without one; empty if the transaction landed."""
    left_open: int
    at_once: str
    """The tree as the transaction left it: `old`, `new` or what is wrong with it."""
    after_recovery: str
    """The tree after recovery."""


def fail(fs: FS, root: str, number: int, error: int, variant: str, durability: str) -> Fault:
    """Let one call of the transaction fail, then reopen the workspace."""
    faulty, raised = FaultyFS(fs, fail_at=number, error=error), ""
    try:
        transact(faulty, root, variant, durability)
    except SutureError as problem:
        raised = problem.code
    except OSError as problem:
        raised = type(problem).__name__
    left_open, at_once = len(faulty._open), state(fs, root, variant)
    faulty.abandon()
    recover(fs, root, durability)
    return Fault(f"{number} {faulty.calls[number - 1]}", raised, left_open, at_once, state(fs, root, variant))


@cache
def faults(error: int, variant: str, durability: str) -> list[Fault]:
    """All faults of one kind, in memory."""
    result = []
    for number in range(1, count_calls(variant, durability) + 1):
        fs = in_memory()
        result.append(fail(fs, fs.root, number, error, variant, durability))
    return result


def wrong(outcomes: list[Fault]) -> list[Fault]:
    """The faults after which the tree is not what was reported."""
    return [fault for fault in outcomes if fault.after_recovery != ("old" if fault.raised else "new")]


def stop(fs: FS, root: str, number: int, variant: str, durability: str) -> str:
    """Stop the transaction for good at one call; `stopped`, or `finished` if it has no such call."""
    faulty = FaultyFS(fs, stop_at=number)
    try:
        transact(faulty, root, variant, durability)
    except Stopped:
        return "stopped"
    finally:
        faulty.abandon()
    return "finished"


def stop_recovery(fs: FS, root: str, number: int, durability: str) -> str:
    faulty = FaultyFS(fs, stop_at=number)
    try:
        recover(faulty, root, durability)
    except Stopped:
        return "stopped"
    finally:
        faulty.abandon()
    return "finished"


@pytest.mark.promise("atomic.transaction")
@durabilities
@variants
@links
def test_the_transaction_turns_the_old_tree_into_the_new_one(variant: str, durability: str, *, can_link: bool) -> None:
    fs = in_memory(can_link=can_link)
    assert look(fs, fs.root) == BEFORE
    transact(fs, fs.root, variant, durability)
    assert look(fs, fs.root) == after(variant)


@pytest.mark.promise("atomic.transaction")
@durabilities
@variants
def test_the_transaction_lands_on_real_files(tmp_path: Path, variant: str, durability: str) -> None:
    root = on_disk(tmp_path / "ws")
    assert look(LocalFS(), root) == BEFORE
    transact(LocalFS(), root, variant, durability)
    assert look(LocalFS(), root) == after(variant)


@pytest.mark.promise("atomic.fault")
@pytest.mark.promise("atomic.no-strays")
@fails
@durabilities
def test_after_a_failing_call_the_tree_is_what_was_reported(error: int, durability: str) -> None:
    assert wrong(faults(error, "move", durability)) == []


@pytest.mark.soak
@fails
@durabilities
def test_after_a_failing_call_the_tree_with_a_changed_and_renamed_file_is_what_was_reported(
    error: int, durability: str
) -> None:
    assert wrong(faults(error, "move and change", durability)) == []


@pytest.mark.promise("atomic.fault")
@fails
@durabilities
def test_every_failure_is_an_error_of_ours(error: int, durability: str) -> None:
    bare = [fault for fault in faults(error, "move", durability) if fault.raised and not fault.raised.isupper()]
    assert bare == []


@fails
@durabilities
def test_a_failure_leaves_no_handle_open(error: int, durability: str) -> None:
    assert [fault.call for fault in faults(error, "move", durability) if fault.left_open] == []


@fails
@durabilities
def test_a_failure_before_the_commit_is_done_is_rolled_back_at_once(error: int, durability: str) -> None:
    assert [fault for fault in faults(error, "move", durability) if fault.raised and fault.at_once != "old"] == []


@pytest.mark.promise("atomic.fault")
@fails
@durabilities
def test_after_a_failing_call_real_files_are_what_was_reported(tmp_path: Path, error: int, durability: str) -> None:
    numbers = range(1 + error % SAMPLE, count_calls("move", durability) + 1, SAMPLE)
    cases = [(on_disk(tmp_path / str(number)), number) for number in numbers]
    assert wrong([fail(LocalFS(), root, number, error, "move", durability) for root, number in cases]) == []


@pytest.mark.soak
@fails
@durabilities
@variants
def test_after_any_failing_call_real_files_are_what_was_reported(
    tmp_path: Path, error: int, variant: str, durability: str
) -> None:
    numbers = range(1, count_calls(variant, durability) + 1)
    cases = [(on_disk(tmp_path / str(number)), number) for number in numbers]
    assert wrong([fail(LocalFS(), root, number, error, variant, durability) for root, number in cases]) == []


@pytest.mark.promise("atomic.stop")
@pytest.mark.promise("atomic.no-strays")
@durabilities
@links
def test_a_commit_that_stops_at_any_call_leaves_the_old_or_the_new_tree(durability: str, *, can_link: bool) -> None:
    check_stops("move", durability, can_link=can_link)


@pytest.mark.soak
@durabilities
@links
def test_a_commit_with_a_changed_and_renamed_file_that_stops_at_any_call_leaves_the_old_or_the_new_tree(
    durability: str, *, can_link: bool
) -> None:
    check_stops("move and change", durability, can_link=can_link)


def check_stops(variant: str, durability: str, *, can_link: bool) -> None:
    trees = {}
    for number in count(1):
        fs = in_memory(can_link=can_link)
        outcome = stop(fs, fs.root, number, variant, durability)
        fs.crash()
        recover(fs, fs.root, durability)
        trees[number] = state(fs, fs.root, variant)
        if outcome == "finished":
            break
    landed = min(number for number in trees if trees[number] == "new")
    assert trees == {number: "old" if number < landed else "new" for number in trees}


@pytest.mark.promise("atomic.stop")
@durabilities
def test_a_commit_that_stops_leaves_the_old_or_the_new_tree_on_real_files(tmp_path: Path, durability: str) -> None:
    assert stops_on_disk(tmp_path, "move", durability, SAMPLE) == {}


@pytest.mark.soak
@durabilities
@variants
def test_a_commit_that_stops_at_any_call_leaves_the_old_or_the_new_tree_on_real_files(
    tmp_path: Path, variant: str, durability: str
) -> None:
    assert stops_on_disk(tmp_path, variant, durability, 1) == {}


def stops_on_disk(home: Path, variant: str, durability: str, sample: int) -> dict[int, str]:
    trees = {}
    for number in range(1, count_calls(variant, durability) + 1, sample):
        root = on_disk(home / str(number))
        stop(LocalFS(), root, number, variant, durability)
        recover(LocalFS(), root, durability)
        trees[number] = state(LocalFS(), root, variant)
    return {number: tree for number, tree in trees.items() if tree not in {"old", "new"}}


def stop_twice(number: int, variant: str, durability: str, sample: int, *, can_link: bool) -> dict[str, str]:
    """Stop the transaction at a call and its recovery at every one; return what a second recovery did not fix."""
    trees = {}
    for second in count(1 + number % sample, sample):
        fs = in_memory(can_link=can_link)
        stop(fs, fs.root, number, variant, durability)
        fs.crash()
        outcome = stop_recovery(fs, fs.root, second, durability)
        fs.crash()
        recover(fs, fs.root, durability)
        trees[f"{number}, {second}"] = state(fs, fs.root, variant)
        if outcome == "finished":
            break
    return {case: tree for case, tree in trees.items() if tree not in {"old", "new"}}


@pytest.mark.promise("atomic.recovery-killed")
@pytest.mark.promise("atomic.no-strays")
@durabilities
@links
def test_a_recovery_that_stops_is_finished_by_the_next(durability: str, *, can_link: bool) -> None:
    numbers = range(1, count_calls("move", durability, can_link=can_link) + 1, NESTED_SAMPLE)
    results = [stop_twice(number, "move", durability, NESTED_SAMPLE, can_link=can_link) for number in numbers]
    assert [trees for trees in results if trees] == []


@pytest.mark.soak
@durabilities
@variants
@links
def test_a_recovery_that_stops_at_any_call_is_finished_by_the_next(
    variant: str, durability: str, *, can_link: bool
) -> None:
    numbers = range(1, count_calls(variant, durability, can_link=can_link) + 1)
    results = [stop_twice(number, variant, durability, 1, can_link=can_link) for number in numbers]
    assert [trees for trees in results if trees] == []
