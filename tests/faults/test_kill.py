"""A real process, killed with SIGKILL at any call of a commit or of a recovery, and the next process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from suture.testing import FaultyFS, LocalFS
from tests.faults.commit_scenario import (
    DURABILITIES,
    VARIANTS,
    Process,
    on_disk,
    recover,
    state,
    transact,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

SAMPLE = 6
SOME = 31
RECOVERY_CALLS = 120
"""More calls than any recovery of the scenario makes; a process to be killed after its last call finishes."""

durabilities = pytest.mark.parametrize("durability", DURABILITIES)
variants = pytest.mark.parametrize("variant", VARIANTS)


def calls_on_disk(home: Path, variant: str, durability: str) -> int:
    """The number of calls that the transaction makes on real files."""
    faulty = FaultyFS(LocalFS())
    transact(faulty, on_disk(home / "counted"), variant, durability)
    return len(faulty.calls)


def kill(home: Path, variant: str, durability: str, cases: Sequence[tuple[int, ...]]) -> dict[str, list[str]]:
    """Kill one process per case at these steps; returns what became of each."""
    process = Process("killing", home, variant, durability)
    process.tell(cases)
    outcomes: dict[str, list[str]] = process.hear()
    assert process.result() == 0
    return outcomes


def after_recovery(home: Path, variant: str, durability: str, outcomes: dict[str, list[str]]) -> dict[str, str]:
    """The state of the tree after each case and the next call."""
    trees = {}
    for name in outcomes:
        recover(LocalFS(), str(home / name), durability)
        trees[name] = state(LocalFS(), str(home / name), variant)
    return trees


def check_killed_commits(home: Path, variant: str, durability: str, sample: int) -> None:
    total = calls_on_disk(home, variant, durability)
    outcomes = kill(home, variant, durability, [(number,) for number in (*range(1, total + 1, sample), total + 1)])
    assert {name: outcome for name, outcome in outcomes.items() if outcome != ["killed"]} == {
        str(total + 1): ["finished"]
    }
    trees = after_recovery(home, variant, durability, outcomes)
    landed = min(int(name) for name in trees if trees[name] == "new")
    assert trees == {name: "old" if int(name) < landed else "new" for name in trees}


def check_killed_recoveries(home: Path, variant: str, durability: str, cases: Sequence[tuple[int, ...]]) -> None:
    outcomes = kill(home, variant, durability, cases)
    assert {outcome[0] for outcome in outcomes.values()} == {"killed"}
    assert {outcome[1] for outcome in outcomes.values()} == {"killed", "finished"}
    trees = after_recovery(home, variant, durability, outcomes)
    assert {name: tree for name, tree in trees.items() if tree not in {"old", "new"}} == {}


@pytest.mark.promise("atomic.kill")
@pytest.mark.promise("atomic.no-strays")
@durabilities
def test_a_process_killed_in_a_commit_leaves_the_old_or_the_new_tree(tmp_path: Path, durability: str) -> None:
    check_killed_commits(tmp_path, "move", durability, SAMPLE)


@pytest.mark.soak
@durabilities
@variants
def test_a_process_killed_at_any_call_leaves_the_old_or_the_new_tree(
    tmp_path: Path, variant: str, durability: str
) -> None:
    check_killed_commits(tmp_path, variant, durability, 1)


@pytest.mark.promise("atomic.recovery-killed")
@durabilities
def test_a_recovery_that_is_killed_is_finished_by_the_next(tmp_path: Path, durability: str) -> None:
    numbers = range(calls_on_disk(tmp_path, "move", durability) // 2, calls_on_disk(tmp_path / "2", "move", durability))
    cases = [
        (number, second) for number in numbers[::SOME] for second in range(1 + number % SOME, RECOVERY_CALLS, SOME)
    ]
    check_killed_recoveries(tmp_path, "move", durability, cases)


@pytest.mark.soak
@durabilities
@variants
def test_a_recovery_that_is_killed_at_many_calls_is_finished_by_the_next(
    tmp_path: Path, variant: str, durability: str
) -> None:
    numbers = range(1, calls_on_disk(tmp_path, variant, durability) + 1, 5)
    cases = [(number, second) for number in numbers for second in range(1 + number % 5, RECOVERY_CALLS, 5)]
    check_killed_recoveries(tmp_path, variant, durability, cases)
