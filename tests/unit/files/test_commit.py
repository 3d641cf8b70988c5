"""One transaction: what it reports, preserves and refuses, and its temporary files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from suture import Settings, SutureError, Workspace
from suture.plan import Landed
from suture.testing import FaultyFS, MemoryFS, Stopped
from tests.unit.changes import hash_of

if TYPE_CHECKING:
    from suture import Transaction
    from suture.plan import Change

INTENT = ".suture/intent"
IGNORING = (".suture/.gitignore", ".suture/.git")
"""The second is the first before it has its content."""


def begin(fs: MemoryFS | FaultyFS) -> Transaction:
    return Workspace("/ws", Settings(lock_timeout_ms=0), fs=fs).transaction()


def commit_error(transaction: Transaction) -> SutureError:
    with pytest.raises(SutureError) as caught:
        transaction.__exit__(None, None, None)
    return caught.value


def update(fs: MemoryFS | FaultyFS, path: str = "a.txt", content: bytes = b"new") -> Change | None:
    with begin(fs) as tx:
        tx.write(path, content)
    return tx.change


def foreign_owner() -> MemoryFS:
    """A file of another user that this user may write, but whose owner they cannot set."""
    fs = MemoryFS({"a.txt": b"old"}, can_chown=False)
    fs.node_of("a.txt").owner = (12345, 12345)
    return fs


def second_name() -> MemoryFS:
    fs = MemoryFS({"a.txt": b"old"})
    fs.hard_link("a.txt", "b.txt")
    fs.sync_all()
    return fs


def mount_point() -> MemoryFS:
    fs = MemoryFS({"a.txt": b"old"})
    fs.node_of("a.txt").device = 2
    return fs


in_place = pytest.mark.parametrize("disk", [foreign_owner, second_name, mount_point])


@pytest.mark.promise("atomic.transaction")
def test_a_change_says_what_happened_to_each_file() -> None:
    fs = MemoryFS({"update.txt": b"old", "delete.txt": b"bye", "from.txt": b"move", "from2.txt": b"move too"})
    with begin(fs) as tx:
        tx.create("new/made.txt", b"made")
        tx.write("update.txt", b"new")
        tx.delete("delete.txt")
        tx.rename("from.txt", "to.txt")
        tx.rename("from2.txt", "to2.txt", b"and change")
    assert tx.change is not None
    assert tx.change.files == (
        Landed("new/made.txt", "create", None, hash_of(b"made")),
        Landed("update.txt", "update", hash_of(b"old"), hash_of(b"new")),
        Landed("delete.txt", "delete", hash_of(b"bye"), None),
        Landed("from.txt", "rename", hash_of(b"move"), hash_of(b"move"), "to.txt"),
        Landed("from2.txt", "rename", hash_of(b"move too"), hash_of(b"and change"), "to2.txt"),
    )
    assert fs.files() == {"new/made.txt": b"made", "update.txt": b"new", "to.txt": b"move", "to2.txt": b"and change"}


@pytest.mark.promise("atomic.transaction")
def test_an_exception_in_the_block_drops_everything() -> None:
    fs = MemoryFS({"a.txt": b"old"})
    transaction = begin(fs)
    transaction.write("a.txt", b"new")
    transaction.__exit__(KeyError, KeyError("a"), None)
    assert transaction.change is None
    assert fs.files() == {"a.txt": b"old"}


def test_a_transaction_that_changes_nothing_writes_nothing() -> None:
    fs = FaultyFS(MemoryFS({"a.txt": b"old"}))
    assert update(fs, content=b"old") is None
    assert {"create", "write", "lock", "rename"} & set(fs.calls) == set()


def test_new_files_have_the_mode_asked_for_or_the_usual_one() -> None:
    fs = MemoryFS()
    with begin(fs) as tx:
        tx.create("usual", b"")
        tx.create("tool", b"", mode=0o755)
        tx.create("secret", b"", mode=0o600)
    assert {name: fs.node_of(name).mode for name in fs.files()} == {"usual": 0o644, "tool": 0o755, "secret": 0o600}


def test_an_update_keeps_mode_owner_and_attributes() -> None:
    fs = MemoryFS({"a.txt": b"old"})
    node = fs.node_of("a.txt")
    node.mode, node.owner, node.attributes = 0o751, (12345, 54321), {"user.note": b"x"}
    update(fs)
    after = fs.node_of("a.txt")
    assert (after.data, after.mode, after.owner, after.attributes) == (b"new", 0o751, (12345, 54321), node.attributes)
    assert after is not node


def test_a_rename_with_new_content_keeps_mode_and_attributes() -> None:
    fs = MemoryFS({"a.txt": b"old"})
    node = fs.node_of("a.txt")
    node.mode, node.attributes = 0o751, {"user.note": b"x"}
    with begin(fs) as tx:
        tx.rename("a.txt", "b.txt", b"new")
    after = fs.node_of("b.txt")
    assert (after.data, after.mode, after.attributes) == (b"new", 0o751, {"user.note": b"x"})


@pytest.mark.promise("atomic.in-place")
@in_place
def test_what_a_rename_would_lose_is_written_in_place(disk: type[MemoryFS]) -> None:
    fs = disk()
    node, owner, links = fs.node_of("a.txt"), fs.node_of("a.txt").owner, fs.node_of("a.txt").links
    update(fs, content=b"new content")
    assert fs.node_of("a.txt") is node
    assert (node.data, node.owner, node.links, node.mode) == (b"new content", owner, links, 0o644)
    assert [path for path in (*fs.files(), *fs.folders()) if path.startswith(".suture")] == []


@pytest.mark.slow
@pytest.mark.promise("atomic.in-place")
@in_place
@pytest.mark.parametrize("content", [b"", b"n", b"new content " * 100], ids=["empty", "shorter", "longer"])
def test_a_write_in_place_that_stops_at_any_call_is_the_old_or_the_new_content(
    disk: type[MemoryFS], content: bytes
) -> None:
    outcomes = set()
    for number in range(1, 150):
        fs = disk()
        node = fs.node_of("a.txt")
        try:
            update(FaultyFS(fs, stop_at=number), content=content)
        except Stopped:
            fs.power_loss() if number % 2 else fs.crash()
        Workspace("/ws", fs=fs).recover()
        assert fs.node_of("a.txt") is node
        outcomes.add(tuple(sorted(fs.files().items())))
    expected = [dict.fromkeys(disk().files(), body) for body in (b"old", content)]
    assert outcomes == {tuple(sorted(files.items())) for files in expected}


def test_a_renamed_helping_file_is_not_looked_for_again() -> None:
    fs = FaultyFS(MemoryFS({"a.txt": b"old", "b.txt": b"old"}), only=["unlink"])
    with begin(fs) as tx:
        tx.write("a.txt", b"new")
        tx.rename("b.txt", "c.txt")
        tx.create("d.txt", b"new")
    inner = fs.inner
    assert isinstance(inner, MemoryFS)
    assert inner.files() == {"a.txt": b"new", "c.txt": b"old", "d.txt": b"new"}
    # the old a; b itself, its backup and its second name; the second name of d; the intent; .gitignore
    assert len(fs.calls) == 7


def test_a_file_named_twice_is_refused() -> None:
    fs = second_name()
    transaction = begin(fs)
    transaction.write("a.txt", b"1")
    transaction.write("b.txt", b"2")
    error = commit_error(transaction)
    assert (error.code, error.fields()) == ("SAME_FILE_TWICE", {"path": "b.txt", "other": "a.txt"})
    assert fs.files() == {"a.txt": b"old", "b.txt": b"old"}


@pytest.mark.promise("atomic.no-strays")
@pytest.mark.parametrize("can_link", [True, False], ids=["links", "no links"])
def test_no_helping_file_ever_exists_that_the_intent_does_not_name(*, can_link: bool) -> None:
    fs = MemoryFS({"update.txt": b"old", "sub/delete.txt": b"bye", "from.txt": b"m", "twin": b"t"}, can_link=can_link)
    fs.hard_link("twin", "twin-2")
    unnamed: set[tuple[str, str]] = set()

    def check(_: int, name: str) -> None:
        files = fs.files()
        helping = {path for path in files if path.startswith(".suture/")} - {INTENT, *IGNORING}
        if helping:
            steps = json.loads(files[INTENT].split(b"\n")[1])["steps"]
            named = {step[key] for step in steps for key in ("temp", "backup")}
            unnamed.update((name, path) for path in helping - named)

    faulty = FaultyFS(fs, on_call=check)
    with begin(faulty) as tx:
        tx.create("new/made.txt", b"made")
        tx.write("update.txt", b"new")
        tx.write("twin", b"new")
        tx.delete("sub/delete.txt")
        tx.rename("from.txt", "sub/to.txt")
    assert unnamed == set()
    assert sorted(fs.files()) == ["new/made.txt", "sub/to.txt", "twin", "twin-2", "update.txt"]


def test_new_folders_stay_away_when_nothing_lands() -> None:
    fs = MemoryFS({"a.txt": b"old"})
    transaction = begin(FaultyFS(fs, only=["link"], fail_at=1))
    transaction.create("new/deep/made.txt", b"made")
    error = commit_error(transaction)
    assert (error.code, error.fields()["path"]) == ("WRITE_FAILED", "new/deep/made.txt")
    assert (fs.files(), fs.folders()) == ({"a.txt": b"old"}, set())
