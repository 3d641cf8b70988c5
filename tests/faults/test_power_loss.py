"""The power fails at every call of a commit: with durability full the tree is completely old or completely new."""

from __future__ import annotations

import errno
import hmac
from hashlib import sha256
from itertools import count
from random import Random
from typing import TYPE_CHECKING

import pytest

from suture import Workspace
from suture.errors import WriteFailed
from suture.testing import FaultyFS, MemoryFS, Stopped
from tests.faults.commit_scenario import (
    BEFORE,
    CHANGING,
    DURABILITIES,
    SECTOR,
    VARIANTS,
    after,
    count_calls,
    in_memory,
    look,
    recover,
    settings,
    state,
    transact,
)
from tests.scale import scaled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

SAMPLE = 17
INTENT = ".suture/intent"
PUBLISHING = {"link", "open_write", "rename", "unlink"}

variants = pytest.mark.parametrize("variant", VARIANTS)
links = pytest.mark.parametrize("can_link", [True, False], ids=["links", "no links"])
a_seed = pytest.mark.parametrize("seed", [None, 1], ids=["nothing unsynced is kept", "luck"])


def run_until_stopped(fs: MemoryFS, number: int, action: Callable[[FaultyFS], None], only: Iterable[str] = ()) -> str:
    """Run a function until the power fails at a call; `finished` if it has no such call."""
    try:
        action(FaultyFS(fs, stop_at=number, only=only))
    except Stopped:
        return "stopped"
    return "finished"


def make_rng(*seed: object) -> Random | None:
    return None if seed[0] is None else Random(str(seed))


def cut_power(number: int, variant: str, seed: int | None, *, can_link: bool) -> tuple[MemoryFS, str]:
    """The disk after a power cut at one call of the transaction."""
    fs = in_memory(can_link=can_link)
    outcome = run_until_stopped(fs, number, lambda faulty: transact(faulty, fs.root, variant))
    fs.power_loss(make_rng(seed, number))
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
@pytest.mark.parametrize("seed", range(2, 2 + scaled(20)))
def test_many_power_cuts_leave_the_old_or_the_new_tree(variant: str, seed: int, *, can_link: bool) -> None:
    check_power_cuts(variant, seed, can_link=can_link)


def check_power_cuts(variant: str, seed: int | None, *, can_link: bool) -> None:
    trees = {}
    for number in count(1):
        fs, outcome = cut_power(number, variant, seed, can_link=can_link)
        recover(fs, fs.root)
        trees[number] = state(fs, fs.root, variant)
        if outcome == "finished":
            break
    assert {number: tree for number, tree in trees.items() if tree not in {"old", "new"}} == {}
    assert trees[max(trees)] == "new"


def cut_power_twice(number: int, variant: str, seed: int | None, sample: int, *, can_link: bool) -> dict[str, str]:
    """Cut the power at a call of the transaction and at every one of the recovery; returns what is not restored."""
    trees = {}
    for second in count(1 + number % sample, sample):
        fs, _ = cut_power(number, variant, seed, can_link=can_link)
        outcome = run_until_stopped(fs, second, lambda faulty: recover(faulty, "/ws"))
        fs.power_loss(make_rng(seed, number, second))
        recover(fs, fs.root)
        trees[f"{number}, {second}"] = state(fs, fs.root, variant)
        if outcome == "finished":
            break
    return {case: tree for case, tree in trees.items() if tree not in {"old", "new"}}


@pytest.mark.promise("atomic.recovery-killed")
@links
@a_seed
def test_a_power_cut_in_the_recovery_is_repaired_by_the_next(seed: int | None, *, can_link: bool) -> None:
    numbers = range(1, count_calls("move", can_link=can_link) + 1, SAMPLE)
    results = [cut_power_twice(number, "move", seed, SAMPLE, can_link=can_link) for number in numbers]
    assert [trees for trees in results if trees] == []


@pytest.mark.soak
@variants
@links
@a_seed
def test_a_power_cut_at_any_call_of_the_recovery_is_repaired_by_the_next(
    variant: str, seed: int | None, *, can_link: bool
) -> None:
    numbers = range(1, count_calls(variant, can_link=can_link) + 1)
    results = [cut_power_twice(number, variant, seed, 1, can_link=can_link) for number in numbers]
    assert [trees for trees in results if trees] == []


@pytest.mark.promise("atomic.recovery-killed")
@links
@a_seed
def test_a_power_cut_in_the_recovery_of_a_killed_commit_leaves_the_old_or_the_new_tree(
    seed: int | None, *, can_link: bool
) -> None:
    check_killed_then_cut("move", seed, ["sync"], can_link=can_link)


@pytest.mark.soak
@variants
@links
@a_seed
def test_a_power_cut_in_the_recovery_of_a_commit_killed_anywhere_leaves_the_old_or_the_new_tree(
    variant: str, seed: int | None, *, can_link: bool
) -> None:
    check_killed_then_cut(variant, seed, CHANGING, can_link=can_link)


def check_killed_then_cut(variant: str, seed: int | None, at: Iterable[str], *, can_link: bool) -> None:
    """Kill a commit at each of these calls, and cut the power at every call of the recovery that changes something.

    The recovery sees what the killed process wrote, even if it is not on the disk.
    """
    trees = {}
    outcome = ""
    for number in count(1):
        for second in count(1):
            fs = in_memory(can_link=can_link)
            outcome = run_until_stopped(fs, number, lambda faulty: transact(faulty, "/ws", variant), at)
            fs.crash()
            second_outcome = run_until_stopped(fs, second, lambda faulty: recover(faulty, "/ws"), CHANGING)
            fs.power_loss(make_rng(seed, number, second))
            recover(fs, fs.root)
            trees[f"{number}, {second}"] = state(fs, fs.root, variant)
            if second_outcome == "finished":
                break
        if outcome == "finished":
            break
    assert {case: tree for case, tree in trees.items() if tree not in {"old", "new"}} == {}


@pytest.mark.promise("atomic.no-strays")
@a_seed
def test_a_power_cut_in_the_next_transaction_brings_nothing_of_the_last_one_back(seed: int | None) -> None:
    strays_by_call = {}
    for number in count(1):
        fs = in_memory()
        transact(fs, fs.root)
        outcome = run_until_stopped(fs, number, create_another)
        fs.power_loss(make_rng(seed, number))
        recover(fs, fs.root)
        strays_by_call[number] = sorted(path for path in look(fs, fs.root) if "/.suture" in f"/{path}")
        if outcome == "finished":
            break
    assert {number: strays for number, strays in strays_by_call.items() if strays} == {}


def create_another(fs: FaultyFS) -> None:
    with Workspace("/ws", settings(), fs=fs).transaction() as tx:
        tx.create("another.txt", b"another\n")


class DirtyFS(FaultyFS):
    """Records for every call what is not yet on the disk: (call, its path, what was dirty)."""

    def __init__(self, inner: MemoryFS) -> None:
        super().__init__(inner)
        self.log: list[tuple[str, str, frozenset[str]]] = []
        self._paths: dict[int, str] = {}
        self._dirty: set[str] = set()

    def _forward(self, name: str, *args: Any) -> Any:
        at = self._paths.get(args[0], "") if args else ""
        has_name = len(args) > 1 and isinstance(args[1], str)
        path = f"{at}/{args[-1] if name in {'rename', 'link'} else args[1]}" if has_name else at
        if name in {"rename", "link"}:
            path = f"{self._paths[args[2]]}/{args[3]}"
        self.log.append((name, path, frozenset(self._dirty)))
        result = super()._forward(name, *args)
        if name in {"open_folder", "open_file", "open_write", "create"}:
            self._paths[result] = path
        elif name in {"open_root", "lock"}:
            self._paths[result] = ""
        if name in {"create", "create_whole", "unlink", "mkdir", "rmdir"}:
            self._dirty.add(at + "/")
        elif name in {"rename", "link"}:
            self._dirty |= {self._paths[args[2]] + "/", *((at + "/",) if name == "rename" else ())}
        elif name in {"write", "truncate"}:
            self._dirty.add(at)
        elif name == "sync":
            self._dirty -= {at, at + "/"}
        return result


def record_calls(durability: str, *, in_place: bool = True) -> list[tuple[str, str, frozenset[str]]]:
    fs = in_memory()
    dirty = DirtyFS(fs)
    transact(dirty, fs.root, durability=durability, in_place=in_place)
    return dirty.log


def is_own(path: str) -> bool:
    return path.startswith("/.suture")


CREATING = {"create", "create_whole", "mkdir", "link"}


@pytest.mark.promise("atomic.durability")
def test_the_intent_is_on_the_disk_before_anything_is_made_outside_of_its_folder() -> None:
    created = [(path, dirty) for call, path, dirty in record_calls("full") if call in CREATING]
    assert [path for path, _ in created[:4]] == ["/.suture", "/.suture/.gitignore", "/.suture/intent", "/new"]
    assert created[3][1] == frozenset()


def record_update() -> list[tuple[str, str, frozenset[str]]]:
    """The calls of an update of one file in a folder."""
    dirty = DirtyFS(MemoryFS({"sub/a.txt": b"old\n"}))
    with Workspace("/ws", settings(), fs=dirty).transaction() as tx:
        tx.write("sub/a.txt", b"new\n")
    return dirty.log


@pytest.mark.promise("atomic.durability")
def test_the_content_of_the_intent_is_on_the_disk_before_anything_is_staged_beside_it() -> None:
    """The names of both are synced together; a file system that keeps the order of names never has only the second."""
    staged = [(path, dirty) for call, path, dirty in record_update() if call in CREATING][3:]
    assert [path.rpartition(".")[2] for path, _ in staged] == ["new", "old"]
    assert "/.suture/intent" not in staged[0][1]


@pytest.mark.promise("atomic.durability")
def test_an_update_of_one_file_syncs_no_more_than_needed() -> None:
    log = record_update()
    synced = [path for call, path, _ in log if call == "sync"]
    assert [path.rpartition(".")[2] for path in synced] == [
        "suture/intent",
        "new",
        "suture",
        "",
        "/sub",
        "suture/intent",
        "suture",
    ]
    published = next(dirty for call, path, dirty in log if (call, path) == ("rename", "/sub/a.txt"))
    assert published == frozenset()


@pytest.mark.promise("atomic.durability")
def test_everything_staged_is_on_the_disk_before_the_first_file_is_published() -> None:
    published = [(path, dirty) for call, path, dirty in record_calls("full") if call in PUBLISHING and not is_own(path)]
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
    log = record_calls("full")
    marked = [dirty for call, path, dirty in log if (call, path) == ("open_write", "/.suture/intent")]
    dropped = [dirty for call, path, dirty in log if call == "unlink" and is_own(path)]
    renamed = frozenset({"/.suture/"})  # if this is lost, the published files have their first names too
    assert (marked, dropped[0]) == ([renamed], renamed)


@pytest.mark.promise("atomic.durability")
@pytest.mark.parametrize("in_place", [True, False])
def test_durability_fast_syncs_only_for_a_file_that_is_written_in_place(*, in_place: bool) -> None:
    syncs = {
        durability: [call for call, *_ in record_calls(durability, in_place=in_place)].count("sync")
        for durability in DURABILITIES
    }
    assert syncs["full"] > 0
    assert syncs["fast"] == (syncs["full"] if in_place else 0)


FAST_SEEDS = range(2, 2 + scaled(20))


@pytest.mark.promise("atomic.fast")
@links
def test_with_fast_a_power_cut_in_a_transaction_that_writes_in_place_leaves_the_old_or_the_new_tree(
    *, can_link: bool
) -> None:
    check_fast_in_place(1, 5, can_link=can_link)


@pytest.mark.soak
@links
@pytest.mark.parametrize("seed", [None, *FAST_SEEDS])
def test_with_fast_any_power_cut_in_a_transaction_that_writes_in_place_leaves_the_old_or_the_new_tree(
    seed: int | None, *, can_link: bool
) -> None:
    check_fast_in_place(seed, 1, can_link=can_link)


def check_fast_in_place(seed: int | None, sample: int, *, can_link: bool) -> None:
    trees = {}
    for number in count(1, sample):
        fs = in_memory(can_link=can_link)
        outcome = run_until_stopped(fs, number, lambda faulty: transact(faulty, "/ws", durability="fast"))
        fs.power_loss(make_rng(seed, number))
        recover(fs, fs.root, "fast")
        trees[number] = state(fs, fs.root)
        if outcome == "finished":
            break
    assert {number: tree for number, tree in trees.items() if tree not in {"old", "new"}} == {}


def is_torn(content: bytes, new: bytes) -> bool:
    """Whether the content is the new one, from which a power cut removed sectors or everything."""
    if len(content) not in {0, len(new)}:
        return False
    parts = [(content[at : at + SECTOR], new[at : at + SECTOR]) for at in range(0, len(content), SECTOR)]
    return all(part == expected or not part.strip(b"\0") for part, expected in parts)


def broken_by_fast(fs: MemoryFS) -> list[str]:
    """Whatever breaks the promise of `fast` after a power cut and a recovery."""
    actual, old, new = (
        {path: entry._replace(names=()) for path, entry in tree.items()}  # a renamed file may have both names
        for tree in (look(fs, fs.root), BEFORE, after("move"))
    )
    for name in ("shared.txt", "other/twin"):
        new[name] = old[name]
    wrong = [f"{path} is left" for path in actual if is_own(f"/{path}")]
    touched = {path for path in {*old, *new} if old.get(path) != new.get(path)}
    aside = {path: entry.data for path, entry in actual.items() if ".suture-orig" in path}
    wrong += [f"{path} appeared" for path in {*actual} - {*old, *new, *aside}]
    wrong += [f"{path} changed" for path in {*old} - touched if actual.get(path) != old[path]]
    for path in touched:
        now, before, later = actual.get(path), old.get(path), new.get(path)
        whole = now in (before, later)
        candidates = [later] if fs.can_link else [before, later]  # without links, the old content is a copy
        if not whole and not (
            now and now.kind == "file" and any(entry and is_torn(now.data, entry.data) for entry in candidates)
        ):
            wrong.append(f"{path} is neither old nor new nor incomplete: {now}")
        if not whole and before and fs.can_link and before.data not in aside.values() and not has_landed(fs):
            wrong.append(f"the old content of {path} is nowhere")
    if not {"from.txt", "there/to.txt"} & {*actual} and b"on the move\n" not in aside.values():
        wrong.append("the renamed file is nowhere")
    return wrong


def has_landed(fs: MemoryFS) -> bool:
    """Whether the history has what the transaction replaced."""
    result = Workspace(fs.root, settings("fast"), fs=fs).call("history", {})
    return bool(result.metadata["changes"])


def fast_cuts(seed: int | None, *, can_link: bool) -> dict[str, list[str]]:
    results = {}
    for number in count(1):
        fs = in_memory(can_link=can_link)
        outcome = run_until_stopped(
            fs, number, lambda faulty: transact(faulty, "/ws", durability="fast", in_place=False)
        )
        fs.power_loss(make_rng(seed, number))
        recover(fs, fs.root, "fast")
        results[f"{seed}, {number}"] = broken_by_fast(fs)
        if outcome == "finished":
            break
    return {case: wrong for case, wrong in results.items() if wrong}


@pytest.mark.promise("atomic.fast")
@links
@a_seed
def test_with_fast_a_power_cut_leaves_each_file_old_new_or_incomplete_and_nothing_of_ours(
    seed: int | None, *, can_link: bool
) -> None:
    assert fast_cuts(seed, can_link=can_link) == {}


@pytest.mark.soak
@links
@pytest.mark.parametrize("seed", FAST_SEEDS)
def test_with_fast_many_power_cuts_leave_each_file_old_new_or_incomplete_and_nothing_of_ours(
    seed: int, *, can_link: bool
) -> None:
    assert fast_cuts(seed, can_link=can_link) == {}


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
    contents = {}
    for number in (*syncs[::9], *range(1, len(counting.calls) + 1, 101)):
        fs = MemoryFS(MANY, can_link=can_link)
        run_until_stopped(fs, number, update_many)
        fs.power_loss(make_rng(seed, number))
        Workspace("/ws", settings(), fs=fs).recover()
        contents[number] = set(fs.files().items())
    old, new = set(MANY.items()), set(dict.fromkeys(MANY, b"new").items())
    assert [number for number, files in contents.items() if files not in (old, new)] == []


@pytest.mark.promise("atomic.fault")
def test_a_failing_sync_among_many_is_an_error_and_changes_nothing() -> None:
    fs = MemoryFS(MANY)
    faulty = FaultyFS(fs, only=["sync"], fail_at=20, error=errno.ENOSPC)
    with pytest.raises(WriteFailed) as caught:
        update_many(faulty)
    assert (caught.value.errno, faulty._open, fs.files()) == (errno.ENOSPC, set(), MANY)


def create_strays(fs: MemoryFS, **files: bytes) -> str:
    """Create temporary files of a transaction of this root; returns the beginning of their names."""
    stem = f".suture-537q7a6j43e1zsy-{fs.fstat(fs.open_root(fs.root)).inode:x}-"
    fs.crash()
    for ending, data in files.items():
        fs.put(f"sub/{stem}0.{ending}", data)
    return stem


@pytest.mark.promise("atomic.strays")
def test_helping_files_that_no_intent_names_are_removed_by_recover() -> None:
    fs = MemoryFS({"sub/a.txt": b"old\n"})
    stem = create_strays(fs, new=b"half", old=b"old\n")
    fs.put(f"sub/{stem}1.new-probe", b"")
    recovery = Workspace(fs.root, settings(), fs=fs).recover()
    assert recovery is not None
    assert (recovery.id, recovery.direction, recovery.aside) == ("537q7a6j43e1zsy", "unknown", ())
    assert fs.files() == {"sub/a.txt": b"old\n"}
    assert Workspace(fs.root, settings(), fs=fs).recover() is None


@pytest.mark.promise("atomic.strays")
def test_the_only_copy_of_an_old_content_is_kept_under_a_visible_name() -> None:
    fs = MemoryFS({"sub/a.txt": b"new\n"})
    create_strays(fs, old=b"old\n")
    recovery = Workspace(fs.root, settings(), fs=fs).recover()
    assert recovery is not None
    assert recovery.aside == ("sub/suture-537q7a6j43e1zsy-0.suture-orig",)
    assert fs.files() == {"sub/a.txt": b"new\n", recovery.aside[0]: b"old\n"}


@pytest.mark.promise("atomic.strays")
@pytest.mark.parametrize(
    "name",
    [
        ".suture-537q7a6j43e1zsy-0.old",
        ".suture-537q7a6j43e1zsy-{other}-0.old",
        ".suture-537q7a6j43e1zsy-{root}-x.old",
        ".suture-537q7a6j43e1zsy-{root}-0.old-probe",
        ".suture-537q7a6j43e1zsy-{root}-0.txt",
        ".suture-UPPER0000000000-{root}-0.new",
        "suture-537q7a6j43e1zsy-{root}-0.new",
        ".git/.suture-537q7a6j43e1zsy-{root}-0.new",
    ],
)
def test_what_another_root_may_need_what_is_protected_and_what_has_another_name_stays(name: str) -> None:
    """An intent elsewhere may name it: in a root that contains this one, or has it as an extra root."""
    fs = MemoryFS({"a.txt": b"a"})
    number = fs.fstat(fs.open_root(fs.root)).inode
    fs.crash()
    fs.put(name.format(root=f"{number:x}", other=f"{number + 1:x}"), b"content")
    before = fs.files()
    assert Workspace(fs.root, settings(), fs=fs).recover() is None
    assert fs.files() == before


@pytest.mark.promise("atomic.strays")
def test_a_reading_call_looks_for_strays_only_if_an_intent_is_torn() -> None:
    fs = MemoryFS({"sub/a.txt": b"old\n"})
    create_strays(fs, new=b"half")
    counting = FaultyFS(fs, only=["scan"])
    assert (
        "recovered" not in Workspace(fs.root, settings(), fs=counting).call("file_read", {"path": "sub/a.txt"}).metadata
    )
    assert counting.calls == []
    fs.put(INTENT, b"suture-intent 2 open")
    result = Workspace(fs.root, settings(), fs=fs).call("file_read", {"path": "sub/a.txt"})
    assert result.metadata["recovered"]["direction"] == "unknown"
    assert "537q7a6j43e1zsy" in result.text
    assert fs.files() == {"sub/a.txt": b"old\n"}


def test_recovering_does_not_wait_for_a_transaction_that_is_under_way_to_look_for_strays() -> None:
    fs = MemoryFS({"a.txt": b"a"})
    assert fs.lock(fs.open_root(fs.root)) is not None
    assert Workspace(fs.root, fs=fs).recover() is None


@pytest.mark.promise("atomic.strays")
def test_a_done_mark_that_is_older_than_the_names_does_not_count() -> None:
    """The disk had the mark, but not the renames: durability fast."""
    for number in range(1, 4):
        fs = in_memory()
        with pytest.raises(Stopped):
            transact(
                FaultyFS(fs, only=["rename", "link"], stop_at=4 + number), fs.root, durability="fast", in_place=False
            )
        fs.crash()
        _, line, check, last, _ = fs.node_of(INTENT).data.split(b"\n")
        assert fs.key is not None
        mark = hmac.new(fs.key, b"done " + last.removeprefix(b"hmac-sha256:"), sha256).hexdigest()
        fs.put(INTENT, b"\n".join((b"suture-intent 2 done " + mark.encode(), line, check, last, b"")))
        recovery = Workspace(fs.root, settings("fast"), fs=fs).recover()
        assert recovery is not None
        assert (recovery.direction, state(fs, fs.root)) == ("back", "old")


@pytest.mark.promise("atomic.strays")
def test_a_stray_that_cannot_be_removed_stops_nothing() -> None:
    fs = MemoryFS({"sub/a.txt": b"old\n"})
    stem = create_strays(fs, new=b"half")
    fs.put(INTENT, b"suture-intent 2 open")
    faulty = FaultyFS(fs, only=["unlink"], fail_at=1, error=errno.EACCES)
    assert not Workspace(fs.root, settings(), fs=faulty).call("file_read", {"path": "sub/a.txt"}).is_error
    assert {*fs.files()} == {"sub/a.txt", f"sub/{stem}0.new"}
    Workspace(fs.root, settings(), fs=fs).recover()
    assert {*fs.files()} == {"sub/a.txt"}


@pytest.mark.promise("atomic.fast")
@pytest.mark.parametrize("path", ["update.txt", "gone/delete.txt"])
def test_a_copy_of_the_old_content_that_is_lost_does_not_replace_what_was_published(path: str) -> None:
    contents = set()
    for number in count(1):
        fs = in_memory(can_link=False)
        outcome = run_until_stopped(
            fs, number, lambda faulty: transact(faulty, "/ws", durability="fast", in_place=False)
        )
        fs.sync_all()
        fs.power_loss()
        files = fs.files()
        if outcome == "finished":
            break
        if files.get(path) != BEFORE[path].data:
            for name in files:
                if name.endswith(".old"):
                    fs.put(name, bytes(len(files[name])))
            recover(fs, fs.root, "fast")
            contents.add(fs.files().get(path))
    new = after("move").get(path)
    assert contents == {None if new is None else new.data}
