"""The staging folder `.suture/`: where it cannot be used, what is in its place, what a crash leaves of it."""

from __future__ import annotations

import errno
import os
from itertools import count
from typing import TYPE_CHECKING

import pytest

from suture import Settings, SutureError, Workspace
from suture.errors import RecoveryBlocked
from suture.testing import FaultyFS, LocalFS, MemoryFS, Stopped
from tests.faults.commit_scenario import (
    BEFORE,
    DURABILITIES,
    Tree,
    after,
    in_memory,
    look,
    recover,
    settings,
    state,
    transact,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any


IGNORE = ".suture/.gitignore"

durabilities = pytest.mark.parametrize("durability", DURABILITIES)


class WatchedFS(FaultyFS):
    """Records the names under which files and folders are made: `(call, name)`."""

    def __init__(self, inner: MemoryFS | LocalFS) -> None:
        super().__init__(inner)
        self.made: list[tuple[str, str]] = []

    def _forward(self, name: str, *args: Any) -> Any:
        if name in {"create", "create_whole", "mkdir", "link"}:
            self.made.append((name, args[3] if name == "link" else args[1]))
        return super()._forward(name, *args)

    def beside(self) -> list[str]:
        """The temporary files that were not made in a staging folder."""
        return [name for _, name in self.made if name.startswith(".suture-")]


def update(fs: MemoryFS | FaultyFS, path: str = "a.txt", options: Settings | None = None) -> None:
    with Workspace("/ws", options or settings(), fs=fs).transaction() as tx:
        tx.write(path, b"new\n")


def put_private(fs: MemoryFS, name: str = "", data: bytes = b"") -> None:
    """A folder `.suture` as suture makes it, with a file."""
    fs.make_folder("/ws/.suture")
    fs.node_of(".suture").mode = 0o700
    if name:
        fs.put(f".suture/{name}", data)


def put_linked(fs: MemoryFS, path: str, target: str) -> None:
    """A link, and what it leads to."""
    fs.put("mine/x", b"mine\n")
    put_private(fs) if path == IGNORE else None
    fs.put_link(path, target)


FOREIGN: dict[str, Callable[[MemoryFS], object]] = {
    "a file": lambda fs: fs.put(".suture", b"mine\n"),
    "a link to a folder": lambda fs: put_linked(fs, ".suture", "mine"),
    "a link to nothing": lambda fs: fs.put_link(".suture", "nowhere"),
    "a FIFO": lambda fs: fs.put_special(".suture"),
    "a folder with a file": lambda fs: put_private(fs, "mine.txt", b"mine\n"),
    "a folder with another .gitignore": lambda fs: put_private(fs, ".gitignore", b"!*\n"),
    "a folder with a link called .gitignore": lambda fs: put_linked(fs, IGNORE, "../mine/x"),
    "a folder with a folder called .git": lambda fs: put_private(fs, ".git/x", b"mine\n"),
    "a folder that others may open": lambda fs: fs.put(IGNORE, b"*\n"),
    "a folder with something like a temporary file": lambda fs: put_private(fs, "A.new", b"mine\n"),
}


@pytest.mark.promise("atomic.staging")
@pytest.mark.parametrize("kind", FOREIGN)
def test_what_somebody_else_put_at_the_name_is_left_alone_and_edits_work(kind: str) -> None:
    fs = in_memory()
    FOREIGN[kind](fs)
    foreign = {path: entry for path, entry in look(fs, fs.root).items() if BEFORE.get(path) != entry}
    watched = WatchedFS(fs)
    transact(watched, fs.root)
    assert look(fs, fs.root) == {**after("move"), **foreign}
    assert ".suture-intent" in watched.beside()


@pytest.mark.promise("atomic.staging")
@durabilities
def test_a_crash_where_the_folder_is_somebody_elses_leaves_the_old_or_the_new_tree(durability: str) -> None:
    """So did every crash of a version that had no such folder: the files have the same names."""
    foreign: Tree = {}
    trees: dict[int, str] = {}
    for number in count(1):
        fs = in_memory()
        fs.put(".suture", b"mine\n")
        fs.sync_all()
        foreign = {".suture": look(fs, fs.root)[".suture"]}
        outcome = "finished"
        try:
            transact(FaultyFS(fs, stop_at=number), fs.root, durability=durability)
        except Stopped:
            outcome = "stopped"
        fs.power_loss() if number % 2 and durability == "full" else fs.crash()
        recover(fs, fs.root, durability)
        tree = look(fs, fs.root)
        trees[number] = next(
            (name for name, files in (("old", BEFORE), ("new", after("move"))) if tree == {**files, **foreign}), "mixed"
        )
        if outcome == "finished":
            break
    assert {number for number, name in trees.items() if name == "mixed"} == set()
    assert (trees[1], trees[max(trees)]) == ("old", "new")


@pytest.mark.promise("atomic.staging")
@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(("at", "expected"), [(("open_write", 2), "old"), (("unlink", 3), "new")])
def test_a_transaction_of_an_earlier_version_is_recovered(at: tuple[str, int], expected: str, version: int) -> None:
    fs = in_memory()
    fs.put(".suture", b"mine\n")
    with pytest.raises(Stopped):
        transact(FaultyFS(fs, only=[at[0]], stop_at=at[1]), fs.root)
    fs.unlink(fs.open_root(fs.root), ".suture")
    fs.crash()
    if version == 1:
        head, line, check, *_ = fs.node_of(".suture-intent").data.split(b"\n")
        fs.put(".suture-intent", b"suture-intent 1 %s\n%s\n%s\n" % (head.split(b" ")[2], line, check))
    assert not [path for path in fs.files() if path.startswith(".suture/")]
    recover(fs, fs.root)
    assert state(fs, fs.root) == expected


def test_both_intents_are_recovered() -> None:
    fs = in_memory()
    with pytest.raises(Stopped):
        transact(FaultyFS(fs, only=["open_write"], stop_at=2), fs.root)
    fs.crash()
    fs.put(".suture-intent", b"suture-intent 2 open")
    recover(fs, fs.root)
    assert state(fs, fs.root) == "old"


LEFT: dict[str, dict[str, bytes]] = {
    "nothing": {},
    "the file that git reads": {".gitignore": b"*\n"},
    "an empty one, after a power cut": {".gitignore": b""},
    "zeros, after a power cut": {".gitignore": b"\0\0"},
    "an unfinished one": {".git": b""},
    "a finished one that has not been renamed": {".git": b"*\n"},
}


@pytest.mark.promise("atomic.staging")
@pytest.mark.parametrize("can_link", [True, False], ids=["at once", "in two steps"])
@pytest.mark.parametrize("left", LEFT)
def test_a_folder_that_a_crash_left_is_used_again_and_removed(left: str, *, can_link: bool) -> None:
    fs = MemoryFS({"a.txt": b"old\n"}, can_link=can_link)
    put_private(fs)
    for name, data in LEFT[left].items():
        fs.put(f".suture/{name}", data)
    seen: set[bytes | None] = set()
    watched = WatchedFS(fs)
    watched._on_call = lambda _, name: seen.add(fs.files().get(IGNORE)) if name == "rename" else None
    assert "recovered" not in Workspace(fs.root, fs=fs).call("file_read", {"path": "a.txt"}).metadata
    update(watched)
    assert b"*\n" in seen
    assert (watched.beside(), fs.files(), fs.folders()) == ([], {"a.txt": b"new\n"}, set())


@pytest.mark.promise("atomic.staging")
@pytest.mark.parametrize("left", LEFT)
def test_recover_removes_a_folder_that_a_crash_left(left: str) -> None:
    fs = MemoryFS({"a.txt": b"old\n"})
    put_private(fs)
    for name, data in LEFT[left].items():
        fs.put(f".suture/{name}", data)
    assert Workspace(fs.root, fs=fs).recover() is None
    assert (fs.files(), fs.folders()) == ({"a.txt": b"old\n"}, set())


@pytest.mark.parametrize("kind", FOREIGN)
def test_recover_leaves_somebody_elses_folder_alone(kind: str) -> None:
    fs = MemoryFS({"a.txt": b"old\n"})
    FOREIGN[kind](fs)
    before = look(fs, fs.root), fs.files(), fs.folders()
    assert Workspace(fs.root, fs=fs).recover() is None
    assert (look(fs, fs.root), fs.files(), fs.folders()) == before


@pytest.mark.promise("atomic.staging")
def test_temporary_files_of_another_root_stay_hidden() -> None:
    """They are of a workspace that has this root as an extra one, and named by an intent there."""
    other = ".suture/537q7a6j43e1zsy-fff-0.old"
    fs = MemoryFS({"a.txt": b"old\n"})
    put_private(fs)
    fs.put(IGNORE, b"*\n")
    fs.put(other, b"theirs\n")
    update(fs)
    Workspace(fs.root, fs=fs).recover()
    assert fs.files() == {"a.txt": b"new\n", IGNORE: b"*\n", other: b"theirs\n"}


@pytest.mark.promise("atomic.strays")
def test_what_a_power_cut_left_in_the_folder_is_removed_and_an_only_copy_kept_in_the_root() -> None:
    fs = MemoryFS({"a.txt": b"old\n"})
    number = fs.fstat(fs.open_root(fs.root)).inode
    fs.crash()
    put_private(fs)
    stem = f"537q7a6j43e1zsy-{number:x}"
    for name, data in ((f"{stem}-0.new", b"half"), (f"{stem}-1.new-probe", b""), (f"{stem}-2.old", b"only copy")):
        fs.put(f".suture/{name}", data)
    recovery = Workspace(fs.root, settings(), fs=fs).recover()
    assert recovery is not None
    aside = "suture-537q7a6j43e1zsy-2.suture-orig"
    assert (recovery.id, recovery.direction, recovery.aside) == ("537q7a6j43e1zsy", "unknown", (aside,))
    assert (fs.files(), fs.folders()) == ({"a.txt": b"old\n", aside: b"only copy"}, set())


@pytest.mark.promise("atomic.staging")
def test_the_folder_is_for_its_owner_only() -> None:
    """A file in it may be one that only the folder of its target protects."""
    fs = MemoryFS({"a.txt": b"old\n"})
    modes: set[int] = set()

    def note(*_: object) -> None:
        modes.update(fs.node_of(path).mode for path in fs.folders())

    update(FaultyFS(fs, on_call=note))
    assert modes == {0o700}


@pytest.mark.promise("atomic.staging")
def test_the_ignore_file_is_there_with_its_content_before_anything_else_and_until_the_end() -> None:
    for can_link in (True, False):
        fs = MemoryFS({"a.txt": b"old\n", "b.txt": b"old\n"}, can_link=can_link)
        wrong: list[object] = []

        def check(number: int, name: str, fs: MemoryFS = fs, wrong: list[object] = wrong) -> None:
            own = {path: data for path, data in fs.files().items() if path.startswith(".suture")}
            own.pop(".suture/.git", None)
            if own and own.get(IGNORE) != b"*\n":
                wrong.append((number, name, own))

        with Workspace("/ws", fs=FaultyFS(fs, on_call=check)).transaction() as tx:
            tx.write("a.txt", b"new\n")
            tx.delete("b.txt")
            tx.create("new/c.txt", b"new\n")
        assert wrong == []


def mount(fs: MemoryFS, path: str) -> None:
    """Make a folder another file system, with everything in it."""
    node = fs.node_of(path)
    node.device = 2
    for below in node.entries.values():
        below.device = 2


def mounted() -> MemoryFS:
    fs = MemoryFS({"a.txt": b"a\n", "mnt/b.txt": b"b\n", "mnt/c.txt": b"c\n", "mnt/d.txt": b"d\n", "other/run": b"#!"})
    mount(fs, "mnt")
    fs.sync_all()
    return fs


def change_mounted(fs: MemoryFS | FaultyFS, durability: str = "full") -> None:
    with Workspace("/ws", settings(durability), fs=fs).transaction() as tx:
        tx.write("a.txt", b"A\n")
        tx.write("mnt/b.txt", b"B\n")
        tx.delete("mnt/c.txt")
        tx.create("mnt/new/e.txt", b"E\n")
        tx.rename("mnt/d.txt", "d.txt")


OLD = {"a.txt": b"a\n", "mnt/b.txt": b"b\n", "mnt/c.txt": b"c\n", "mnt/d.txt": b"d\n", "other/run": b"#!"}
NEW = {"a.txt": b"A\n", "mnt/b.txt": b"B\n", "mnt/new/e.txt": b"E\n", "d.txt": b"d\n", "other/run": b"#!"}


@pytest.mark.promise("atomic.staging")
def test_what_is_on_another_device_is_staged_beside_its_path() -> None:
    fs = mounted()
    watched = WatchedFS(fs)
    change_mounted(watched)
    assert (fs.files(), len(watched.beside())) == (NEW, 5)  # b twice, c, e, and the old name of d
    assert fs.folders() == {"mnt", "mnt/new", "other"}


class BindFS(MemoryFS):
    """A folder `mnt` that is a bind mount: the device is the same, but no file can be renamed or linked across."""

    def rename(self, folder: int, name: str, to_folder: int, to_name: str) -> None:
        self._check_mount(folder, to_folder)
        super().rename(folder, name, to_folder, to_name)

    def link(self, folder: int, name: str, to_folder: int, to_name: str) -> None:
        self._check_mount(folder, to_folder)
        super().link(folder, name, to_folder, to_name)

    def _check_mount(self, *handles: int) -> None:
        inside = {"mnt": self.node_of("mnt")}
        inside.update({"new": inside["mnt"].entries["new"]} if "new" in inside["mnt"].entries else {})
        if len({self._of(handle) in inside.values() for handle in handles}) > 1:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))


def bound(*, can_link: bool = True) -> MemoryFS:
    return BindFS(OLD, can_link=can_link)


@pytest.mark.promise("atomic.staging")
@pytest.mark.parametrize("can_link", [True, False], ids=["links", "no links"])
def test_what_is_on_another_mount_of_the_same_device_is_staged_beside_its_path(*, can_link: bool) -> None:
    fs = bound(can_link=can_link)
    change_mounted(fs)
    assert (fs.files(), fs.folders()) == (NEW, {"mnt", "mnt/new", "other"})


@pytest.mark.promise("atomic.staging")
@durabilities
@pytest.mark.parametrize("disk", [mounted, bound])
def test_a_crash_over_two_devices_leaves_the_old_or_the_new_tree(disk: Callable[[], MemoryFS], durability: str) -> None:
    seen = {}
    for number in count(1):
        fs = disk()
        outcome = "finished"
        try:
            change_mounted(FaultyFS(fs, stop_at=number), durability)
        except Stopped:
            outcome = "stopped"
        fs.power_loss() if number % 2 and durability == "full" else fs.crash()
        recover(fs, fs.root, durability)
        files = {path: entry.data for path, entry in look(fs, fs.root).items() if entry.kind == "file"}
        seen[number] = "old" if files == OLD else "new" if files == NEW else files
        if outcome == "finished":
            break
    assert [(number, files) for number, files in seen.items() if files not in ("old", "new")] == []
    assert (seen[1], seen[max(seen)]) == ("old", "new")


def test_an_old_content_that_must_be_put_aside_on_another_mount_is_copied() -> None:
    """A file that is written in place, in a bind mount, and that somebody changed after the crash."""
    fs = BindFS({"mnt/a.txt": b"old\n", "mnt/twin": b"", "other/run": b"#!"})
    fs.unlink(fs.open_folder(fs.open_root(fs.root), "mnt"), "twin")
    fs.hard_link("mnt/a.txt", "mnt/twin")
    with pytest.raises(Stopped):
        update(FaultyFS(fs, only=["open_write"], stop_at=2), "mnt/a.txt")
    fs.crash()
    fs.put("mnt/a.txt", b"theirs\n")
    recovery = Workspace(fs.root, settings(), fs=fs).recover()
    assert recovery is not None
    assert recovery.aside == ("mnt/a.txt.suture-orig",)
    assert fs.files() == {
        "mnt/a.txt": b"theirs\n",
        "mnt/twin": b"theirs\n",
        "mnt/a.txt.suture-orig": b"old\n",
        "other/run": b"#!",
    }


INHERITED: dict[str, Callable[[MemoryFS], object]] = {
    "another group": lambda fs: setattr(fs.node_of("sub"), "owner", (0, 12345)),
    "setgid": lambda fs: setattr(fs.node_of("sub"), "mode", 0o2755),
    "a default ACL": lambda fs: fs.node_of("sub").attributes.update({"system.posix_acl_default": b"x"}),
}


@pytest.mark.promise("atomic.staging")
@pytest.mark.parametrize("path", ["sub/new.txt", "sub/new/deep.txt"])
@pytest.mark.parametrize("what", INHERITED)
def test_a_new_file_that_inherits_something_from_its_folder_is_made_there(what: str, path: str) -> None:
    fs = MemoryFS({"sub/a.txt": b"old\n"})
    INHERITED[what](fs)
    watched = WatchedFS(fs)
    update(watched, path)
    assert (len(watched.beside()), fs.files()[path]) == (1, b"new\n")
    watched = WatchedFS(fs)
    update(watched, "sub/a.txt")  # it keeps what it has
    assert (watched.beside(), fs.files()["sub/a.txt"]) == ([], b"new\n")


@pytest.mark.promise("atomic.staging")
def test_in_a_root_whose_folders_all_inherit_the_same_nothing_is_beside() -> None:
    fs = MemoryFS({"sub/a.txt": b"old\n"})
    for node in (fs._at("/ws"), fs.node_of("sub")):
        node.mode, node.owner = 0o2775, (0, 12345)
    watched = WatchedFS(fs)
    update(watched, "sub/new.txt")
    assert (watched.beside(), fs.node_of("sub/new.txt").owner[1]) == ([], 12345)


@pytest.mark.promise("atomic.in-place")
def test_a_file_whose_group_is_only_inherited_is_renamed_over_and_not_written_in_place() -> None:
    """A user who is not in the group can create a file of the group in the folder, but not set it."""
    fs = MemoryFS({"sub/a.txt": b"old\n"}, can_chown=False)
    fs.node_of("sub").mode |= 0o2000
    for path in ("sub", "sub/a.txt"):
        fs.node_of(path).owner = (os.getuid(), 12345)
    node = fs.node_of("sub/a.txt")
    update(fs, "sub/a.txt")
    now = fs.node_of("sub/a.txt")
    assert (now.data, now.owner[1], now is node) == (b"new\n", 12345, False)


def extra_roots() -> tuple[MemoryFS, Settings]:
    fs = MemoryFS({"a.txt": b"old\n", "other/run": b"#!"})
    fs.put("../extra/b.txt", b"old\n")
    fs.sync_all()
    return fs, settings().evolve(extra_roots=("/extra",))


def change_both(fs: MemoryFS | FaultyFS, options: Settings) -> None:
    with Workspace("/ws", options, fs=fs).transaction() as tx:
        tx.write("a.txt", b"new\n")
        tx.write("/extra/b.txt", b"new\n")
        tx.create("/extra/new/c.txt", b"new\n")


def tree_of(fs: MemoryFS, root: str) -> dict[str, bytes]:
    return {path: entry.data for path, entry in look(fs, root).items()}


@pytest.mark.promise("atomic.staging")
def test_every_root_has_its_own_folder() -> None:
    fs, options = extra_roots()
    watched = WatchedFS(fs)
    change_both(watched, options)
    assert (watched.beside(), watched.made.count(("mkdir", ".suture"))) == ([], 2)
    assert tree_of(fs, "/extra") == {"b.txt": b"new\n", "new": b"", "new/c.txt": b"new\n"}
    assert (fs.files(), fs.folders()) == ({"a.txt": b"new\n", "other/run": b"#!"}, {"other"})
    assert sorted(fs._at("/extra").entries) == ["b.txt", "new"]


@pytest.mark.promise("atomic.staging")
@pytest.mark.parametrize("can_link", [True, False], ids=["links", "no links"])
def test_a_crash_with_a_folder_in_each_root_leaves_both_old_or_both_new(*, can_link: bool) -> None:
    old = {"a.txt": b"old\n", "other": b"", "other/run": b"#!"}, {"b.txt": b"old\n"}
    new = {**old[0], "a.txt": b"new\n"}, {"b.txt": b"new\n", "new": b"", "new/c.txt": b"new\n"}
    seen = []
    for number in count(1):
        fs, options = extra_roots()
        fs.can_link = can_link
        outcome = "finished"
        try:
            change_both(FaultyFS(fs, stop_at=number), options)
        except Stopped:
            outcome = "stopped"
        fs.power_loss() if number % 2 else fs.crash()
        assert not Workspace(fs.root, options, fs=fs).call("file_read", {"path": "other/run"}).is_error
        seen.append((tree_of(fs, fs.root), tree_of(fs, "/extra")))
        if outcome == "finished":
            break
    assert [trees for trees in seen if trees not in (old, new)] == []
    assert (seen[0], seen[-1]) == (old, new)


class DeniedFS(FaultyFS):
    """Only the owner of the second root may create something in it, but anyone in its folder `open`."""

    def __init__(self, inner: MemoryFS) -> None:
        super().__init__(inner)
        self.memory = inner

    def _forward(self, name: str, *args: Any) -> Any:
        if name == "mkdir" and self.memory._of(args[0]) is self.memory._at("/extra"):
            raise OSError(errno.EACCES, os.strerror(errno.EACCES))
        return super()._forward(name, *args)


@pytest.mark.promise("atomic.staging")
def test_an_extra_root_in_which_no_folder_can_be_made_is_edited_as_before() -> None:
    fs, options = extra_roots()
    fs.put("../extra/open/c.txt", b"old\n")
    with Workspace("/ws", options, fs=DeniedFS(fs)).transaction() as tx:
        tx.write("/extra/open/c.txt", b"new\n")
    assert tree_of(fs, "/extra") == {"b.txt": b"old\n", "open": b"", "open/c.txt": b"new\n"}


@pytest.mark.promise("atomic.refused")
@pytest.mark.parametrize("error", [errno.EACCES, errno.ENOSPC, errno.EROFS])
def test_a_root_in_which_the_folder_cannot_be_made_is_refused_and_nothing_is_left(error: int) -> None:
    for call in ("mkdir", "create_whole", "create", "write", "rename"):
        fs = MemoryFS({"a.txt": b"old\n"}, can_link=call in {"mkdir", "create_whole"})
        faulty = FaultyFS(fs, only=[call], fail_at=1, error=error)
        if call == "create_whole":  # there is another way
            update(faulty)
            assert fs.files() == {"a.txt": b"new\n"}
            continue
        with pytest.raises(SutureError) as caught:
            update(faulty)
        assert caught.value.code == ("PERMISSION_DENIED" if error == errno.EACCES else "WRITE_FAILED")
        assert caught.value.fields()["path"] == "/ws/.suture"
        assert (fs.files(), fs.folders()) == ({"a.txt": b"old\n"}, set())


@pytest.mark.promise("atomic.live")
def test_a_folder_of_another_user_that_cannot_be_looked_into_counts_as_an_intent() -> None:
    fs = MemoryFS({"a.txt": b"old\n"})
    put_private(fs, "intent", b"")

    class Theirs(FaultyFS):
        def _forward(self, name: str, *args: Any) -> Any:
            if name == "stat" and args[1] == "intent":
                raise OSError(errno.EACCES, os.strerror(errno.EACCES))
            return super()._forward(name, *args)

    result = Workspace(fs.root, settings(), fs=Theirs(fs)).call("file_read", {"path": "a.txt"})
    assert result.metadata["error"]["code"] == "PERMISSION_DENIED"
    lock = fs.lock(fs.open_root(fs.root))  # their transaction is running
    assert lock is not None
    assert not Workspace(fs.root, settings(), fs=Theirs(fs)).call("file_read", {"path": "a.txt"}).is_error


@pytest.mark.promise("atomic.staging")
def test_a_folder_that_somebody_replaces_by_a_link_is_not_followed(tmp_path: Path) -> None:
    root, outside = tmp_path / "ws", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (root / "a.txt").write_bytes(b"old\n")

    class SwappedFS(LocalFS):
        def mkdir(self, folder: int, name: str, mode: int = 0o777) -> None:
            super().mkdir(folder, name, mode)
            (root / name).rmdir()
            (root / name).symlink_to(outside)

    with pytest.raises(SutureError) as caught, Workspace(root, settings(), fs=SwappedFS()).transaction() as tx:
        tx.write("a.txt", b"new\n")
    assert caught.value.code == "PATH_OUTSIDE_WORKSPACE"
    assert (list(outside.iterdir()), (root / "a.txt").read_bytes()) == ([], b"old\n")


@pytest.mark.promise("atomic.staging")
def test_a_file_that_somebody_puts_into_the_folder_stays() -> None:
    fs = MemoryFS({"a.txt": b"old\n"})

    def put(_: int, name: str) -> None:
        if name == "rename":
            fs.put(".suture/mine.txt", b"mine\n")

    update(FaultyFS(fs, on_call=put))
    assert fs.files() == {"a.txt": b"new\n", ".suture/mine.txt": b"mine\n"}


@pytest.mark.promise("atomic.undecided")
def test_an_error_that_leaves_an_intent_names_the_one_that_was_written() -> None:
    for foreign, name in ((False, ".suture/intent"), (True, ".suture-intent")):
        fs = MemoryFS({"a.txt": b"old\n"})
        if foreign:
            fs.put(".suture", b"mine\n")

        class Dead(FaultyFS):
            """Nothing can be removed or renamed any more."""

            def _forward(self, name: str, *args: Any) -> Any:
                if name in {"rename", "unlink"}:
                    raise OSError(errno.EIO, os.strerror(errno.EIO))
                return super()._forward(name, *args)

        with pytest.raises(RecoveryBlocked) as caught:
            update(Dead(fs))
        assert (caught.value.intent, caught.value.state) == (name, "open")
        fs.crash()
        with pytest.raises(RecoveryBlocked) as caught:
            Workspace(fs.root, settings(), fs=Dead(fs)).recover()
        assert (caught.value.intent, caught.value.state) == (name, "left")
