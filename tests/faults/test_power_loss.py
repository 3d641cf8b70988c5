"""The power fails at every call of a commit: with durability full the tree is wholly old or wholly new."""

from __future__ import annotations

import errno
from itertools import count
from random import Random
from typing import TYPE_CHECKING

import pytest

from suture import Workspace
from suture.errors import WriteFailed
from suture.testing import FaultyFS, MemoryFS, Stopped
from tests.faults.commit_scenario import (
    DURABILITIES,
    VARIANTS,
    count_calls,
    in_memory,
    look,
    recover,
    settings,
    state,
    transact,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

SAMPLE = 17
PUBLISHING = {"link", "open_write", "rename", "unlink"}

variants = pytest.mark.parametrize("variant", VARIANTS)
links = pytest.mark.parametrize("can_link", [True, False], ids=["links", "no links"])
a_seed = pytest.mark.parametrize("seed", [None, 1], ids=["nothing unsynced is kept", "luck"])


def until_stopped(fs: MemoryFS, number: int, action: Callable[[FaultyFS], None]) -> str:
    """Do something until the power fails at a call; `finished` if it has no such call."""
    try:
        action(FaultyFS(fs, stop_at=number))
    except Stopped:
        return "stopped"
    return "finished"


def luck(*seed: object) -> Random | None:
    return None if seed[0] is None else Random(str(seed))


def cut_short(number: int, variant: str, seed: int | None, *, can_link: bool) -> tuple[MemoryFS, str]:
    """The disk after a power cut at one call of the transaction."""
    fs = in_memory(can_link=can_link)
    outcome = until_stopped(fs, number, lambda faulty: transact(faulty, fs.root, variant))
    fs.power_loss(luck(seed, number))
    return fs, outcome


@pytest.mark.promise("atomic.durability")
@pytest.mark.promise("atomic.stop")
@links
@a_seed
def test_a_power_cut_at_any_call_leaves_the_old_or_the_new_tree(seed: int | None, *, can_link: bool) -> None:
    check_power_cuts("move", seed, can_link=can_link)


@pytest.mark.soak
@variants
@links
@pytest.mark.parametrize("seed", range(2, 22))
def test_many_power_cuts_leave_the_old_or_the_new_tree(variant: str, seed: int, *, can_link: bool) -> None:
    check_power_cuts(variant, seed, can_link=can_link)


def check_power_cuts(variant: str, seed: int | None, *, can_link: bool) -> None:
    found = {}
    for number in count(1):
        fs, outcome = cut_short(number, variant, seed, can_link=can_link)
        recover(fs, fs.root)
        found[number] = state(fs, fs.root, variant)
        if outcome == "finished":
            break
    assert {number: tree for number, tree in found.items() if tree not in {"old", "new"}} == {}
    assert found[max(found)] == "new"


def cut_twice(number: int, variant: str, seed: int | None, sample: int, *, can_link: bool) -> dict[str, str]:
    """Cut the power at a call of the transaction and at every one of the recovery; return what is not mended."""
    found = {}
    for again in count(1 + number % sample, sample):
        fs, _ = cut_short(number, variant, seed, can_link=can_link)
        outcome = until_stopped(fs, again, lambda faulty: recover(faulty, "/ws"))
        fs.power_loss(luck(seed, number, again))
        recover(fs, fs.root)
        found[f"{number}, {again}"] = state(fs, fs.root, variant)
        if outcome == "finished":
            break
    return {case: tree for case, tree in found.items() if tree not in {"old", "new"}}


@pytest.mark.promise("atomic.recovery-killed")
@links
@a_seed
def test_a_power_cut_in_the_recovery_is_mended_by_the_next(seed: int | None, *, can_link: bool) -> None:
    numbers = range(1, count_calls("move", can_link=can_link) + 1, SAMPLE)
    found = [cut_twice(number, "move", seed, SAMPLE, can_link=can_link) for number in numbers]
    assert [each for each in found if each] == []


@pytest.mark.soak
@variants
@links
@a_seed
def test_a_power_cut_at_any_call_of_the_recovery_is_mended_by_the_next(
    variant: str, seed: int | None, *, can_link: bool
) -> None:
    numbers = range(1, count_calls(variant, can_link=can_link) + 1)
    found = [cut_twice(number, variant, seed, 1, can_link=can_link) for number in numbers]
    assert [each for each in found if each] == []


@pytest.mark.promise("atomic.no-strays")
@a_seed
def test_a_power_cut_in_the_next_transaction_brings_nothing_of_the_last_one_back(seed: int | None) -> None:
    found = {}
    for number in count(1):
        fs = in_memory()
        transact(fs, fs.root)
        outcome = until_stopped(fs, number, create_another)
        fs.power_loss(luck(seed, number))
        recover(fs, fs.root)
        found[number] = sorted(path for path in look(fs, fs.root) if "/.suture-" in f"/{path}")
        if outcome == "finished":
            break
    assert {number: strays for number, strays in found.items() if strays} == {}


def create_another(fs: FaultyFS) -> None:
    with Workspace("/ws", settings(), fs=fs).transaction() as tx:
        tx.create("another.txt", b"another\n")


class DirtyFS(FaultyFS):
    """Knows what is not on the disk yet, and keeps that for every call: (call, its path, what was dirty)."""

    def __init__(self, inner: MemoryFS) -> None:
        super().__init__(inner)
        self.log: list[tuple[str, str, frozenset[str]]] = []
        self._paths: dict[int, str] = {}
        self._dirty: set[str] = set()

    def _pass(self, name: str, *args: Any) -> Any:
        at = self._paths.get(args[0], "") if args else ""
        named = len(args) > 1 and isinstance(args[1], str)
        path = f"{at}/{args[-1] if name in {'rename', 'link'} else args[1]}" if named else at
        if name in {"rename", "link"}:
            path = f"{self._paths[args[2]]}/{args[3]}"
        self.log.append((name, path, frozenset(self._dirty)))
        result = super()._pass(name, *args)
        if name in {"open_folder", "open_file", "open_write", "create"}:
            self._paths[result] = path
        elif name in {"open_root", "lock"}:
            self._paths[result] = ""
        if name in {"create", "unlink", "mkdir"}:
            self._dirty.add(at + "/")
        elif name in {"rename", "link"}:
            self._dirty |= {at + "/", self._paths[args[2]] + "/"}
        elif name in {"write", "truncate"}:
            self._dirty.add(at)
        elif name == "sync":
            self._dirty -= {at, at + "/"}
        return result


def recorded(durability: str) -> list[tuple[str, str, frozenset[str]]]:
    fs = in_memory()
    dirty = DirtyFS(fs)
    transact(dirty, fs.root, durability=durability)
    return dirty.log


def own(path: str) -> bool:
    return "/.suture-" in path


@pytest.mark.promise("atomic.durability")
def test_the_intent_is_on_the_disk_before_anything_else_is_made() -> None:
    made = [(path, dirty) for call, path, dirty in recorded("full") if call in {"create", "mkdir", "link"}]
    assert made[0][0] == "/.suture-intent"
    assert made[1][1] == frozenset()


@pytest.mark.promise("atomic.durability")
def test_everything_staged_is_on_the_disk_before_the_first_file_is_published() -> None:
    published = [(path, dirty) for call, path, dirty in recorded("full") if call in PUBLISHING and not own(path)]
    assert {path for path, _ in published} == {
        "/new/deep/made.txt",
        "/update.txt",
        "/shared.txt",
        "/gone/delete.txt",
        "/there/to.txt",
        "/from.txt",
    }
    assert published[0][1] == frozenset()


@pytest.mark.promise("atomic.durability")
def test_everything_published_is_on_the_disk_before_the_commit_is_done_and_that_before_anything_is_dropped() -> None:
    log = recorded("full")
    done = [dirty for call, path, dirty in log if (call, path) == ("open_write", "/.suture-intent")]
    dropped = [dirty for call, path, dirty in log if call == "unlink" and own(path)]
    assert (done, dropped[0]) == ([frozenset()], frozenset())


@pytest.mark.promise("atomic.durability")
def test_only_durability_full_syncs() -> None:
    syncs = {durability: [call for call, *_ in recorded(durability)].count("sync") for durability in DURABILITIES}
    assert syncs["full"] > 0
    assert syncs["fast"] == 0


@pytest.mark.promise("atomic.durability")
def test_full_is_the_default() -> None:
    fs = MemoryFS({"a.txt": b"old"})
    with Workspace(fs.root, fs=fs).transaction() as tx:
        tx.write("a.txt", b"new")
    fs.power_loss()
    Workspace(fs.root, fs=fs).recover()
    assert fs.files() == {"a.txt": b"new"}


MANY = {f"{number}.txt": b"old" for number in range(40)}
"""Enough files to be synced in threads: the order of those calls differs from run to run."""


def update_many(fs: FaultyFS) -> None:
    with Workspace("/ws", settings(), fs=fs).transaction() as tx:
        for path in MANY:
            tx.write(path, b"new")


@pytest.mark.promise("atomic.stop")
@links
@a_seed
def test_a_power_cut_in_a_transaction_of_many_files_leaves_all_old_or_all_new(
    seed: int | None, *, can_link: bool
) -> None:
    counting = FaultyFS(MemoryFS(MANY, can_link=can_link))
    update_many(counting)
    syncs = [number for number, call in enumerate(counting.calls, 1) if call == "sync"]
    found = {}
    for number in (*syncs[::9], *range(1, len(counting.calls) + 1, 101)):
        fs = MemoryFS(MANY, can_link=can_link)
        until_stopped(fs, number, update_many)
        fs.power_loss(luck(seed, number))
        Workspace("/ws", settings(), fs=fs).recover()
        found[number] = set(fs.files().items())
    old, new = set(MANY.items()), set(dict.fromkeys(MANY, b"new").items())
    assert [number for number, files in found.items() if files not in (old, new)] == []


@pytest.mark.promise("atomic.fault")
def test_a_failing_sync_among_many_is_an_error_and_changes_nothing() -> None:
    fs = MemoryFS(MANY)
    faulty = FaultyFS(fs, only=["sync"], fail_at=20, error=errno.ENOSPC)
    with pytest.raises(WriteFailed) as caught:
        update_many(faulty)
    assert (caught.value.errno, faulty._open, fs.files()) == (errno.ENOSPC, set(), MANY)
