"""The file systems for tests: `MemoryFS` does what the real one does, `FaultyFS` fails as a machine does."""

from __future__ import annotations

import errno
import os
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from suture.testing import FaultyFS, LocalFS, MemoryFS, Stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from suture.files.fs import FS, Stat

LONG = "x" * 256


class Bench:
    """A file system with a few things in it, and handles on them."""

    def __init__(self, fs: FS, root: str) -> None:
        self.fs = fs
        self.root = root
        self.top = fs.open_root(root)
        self.folder = fs.open_folder(self.top, "folder")
        self.file = fs.open_file(self.top, "file")

    def write_file(self, name: str, *pieces: bytes) -> None:
        handle = self.fs.create(self.top, name, 0o640)
        self.fs.write(handle, pieces)
        self.fs.close(handle)

    def content(self, name: str) -> bytes:
        handle = self.fs.open_file(self.top, name)
        data = self.fs.read(handle, 100)
        self.fs.close(handle)
        return data

    def look_at(self, folder: int, name: str) -> object:
        return common_parts(self.fs.stat(folder, name))


def common_parts(stat: Stat | None) -> object:
    """The parts of a status that are equal on all file systems."""
    if stat is None or stat.kind != "file":
        return stat and stat.kind
    return stat.kind, stat.size, stat.mode, stat.links


def do(*steps: Callable[[Bench], object]) -> Callable[[Bench], object]:
    return lambda bench: [step(bench) for step in steps]


def write_twice(bench: Bench) -> object:
    handle = bench.fs.open_write(bench.top, "file")
    bench.fs.write(handle, [b"AB", memoryview(b"C")])
    bench.fs.write(handle, [b"", b"D"])
    first = bench.content("file")
    bench.fs.truncate(handle, 3)
    second = bench.content("file")
    bench.fs.truncate(handle, 5)
    bench.fs.sync(handle)
    bench.fs.close(handle)
    return first, second, bench.content("file")


def read_in_parts(bench: Bench) -> object:
    return [bench.fs.read(bench.file, 3), bench.fs.read(bench.file, 3), bench.fs.read(bench.file, 3)]


def lock_twice(bench: Bench) -> object:
    first = bench.fs.lock(bench.top)
    assert first is not None
    second = bench.fs.lock(bench.top)
    bench.fs.close(first)
    third = bench.fs.lock(bench.top)
    assert third is not None
    bench.fs.close(third)
    return second


def read_an_unlinked_file(bench: Bench) -> object:
    bench.fs.unlink(bench.top, "file")
    return bench.fs.read(bench.file, 9), bench.fs.fstat(bench.file).links


def copy_metadata(bench: Bench) -> object:
    handle = bench.fs.create(bench.top, "new", 0o600)
    copied = bench.fs.copy_metadata(bench.file, handle)
    bench.fs.close(handle)
    return copied, bench.look_at(bench.top, "new")


def set_mode(bench: Bench) -> object:
    bench.fs.set_mode(bench.file, 0o751)
    return bench.look_at(bench.top, "file")


def make_in_a_removed_folder(bench: Bench) -> object:
    bench.fs.rmdir(bench.top, "folder")
    return bench.fs.create(bench.folder, "a", 0o644)


def newer(bench: Bench) -> object:
    before = bench.fs.fstat(bench.file)
    handle = bench.fs.open_write(bench.top, "file")
    bench.fs.truncate(handle, 1)
    bench.fs.close(handle)
    return before.fingerprint == bench.fs.fstat(bench.file).fingerprint


OPERATIONS: dict[str, Callable[[Bench], object]] = {
    "open a root that is missing": lambda b: b.fs.open_root(b.root + "/missing"),
    "open a root that is a file": lambda b: b.fs.open_root(b.root + "/file"),
    "open a root by a link": lambda b: b.fs.list(b.fs.open_root(b.root + "/to-folder")),
    "real path": lambda b: b.fs.real_path(b.root + "/to-folder/../file").removeprefix(b.fs.real_path(b.root)),
    "real path of what is missing": lambda b: b.fs.real_path(b.root + "/to-folder/x").removeprefix(
        b.fs.real_path(b.root)
    ),
    "open a folder that is missing": lambda b: b.fs.open_folder(b.top, "missing"),
    "open a folder that is a file": lambda b: b.fs.open_folder(b.top, "file"),
    "open a folder that is a link": lambda b: b.fs.open_folder(b.top, "to-folder"),
    "open a folder in a file": lambda b: b.fs.open_folder(b.file, "x"),
    "open a folder of too long a name": lambda b: b.fs.open_folder(b.top, LONG),
    "close what is not open": do(lambda b: b.fs.close(b.file), lambda b: b.fs.close(b.file)),
    "stat a file": lambda b: b.look_at(b.top, "file"),
    "stat a folder": lambda b: b.look_at(b.top, "folder"),
    "stat a link": lambda b: b.look_at(b.top, "to-file"),
    "stat what is missing": lambda b: b.look_at(b.top, "missing"),
    "stat in a file": lambda b: b.look_at(b.file, "x"),
    "stat too long a name": lambda b: b.look_at(b.top, LONG),
    "fstat a file": lambda b: common_parts(b.fs.fstat(b.file)),
    "fstat a folder": lambda b: common_parts(b.fs.fstat(b.folder)),
    "read a link": lambda b: b.fs.read_link(b.top, "to-file"),
    "read a link that is a file": lambda b: b.fs.read_link(b.top, "file"),
    "read a link that is missing": lambda b: b.fs.read_link(b.top, "missing"),
    "list a folder": lambda b: b.fs.list(b.top),
    "list an empty folder": lambda b: b.fs.list(b.folder),
    "list a file": lambda b: b.fs.list(b.file),
    "open a file that is missing": lambda b: b.fs.open_file(b.top, "missing"),
    "open a file that is a link": lambda b: b.fs.open_file(b.top, "to-file"),
    "read a folder": lambda b: b.fs.read(b.fs.open_file(b.top, "folder"), 1),
    "read in parts": read_in_parts,
    "read an unlinked file": read_an_unlinked_file,
    "read what is closed": do(lambda b: b.fs.close(b.file), lambda b: b.fs.read(b.file, 1)),
    "a file is writable": lambda b: b.fs.writable(b.top, "file"),
    "what is missing is not writable": lambda b: b.fs.writable(b.top, "missing"),
    "lock": lock_twice,
    "lock a file": lambda b: b.fs.lock(b.file),
    "create": do(
        lambda b: b.write_file("new", b"a", b"b"), lambda b: b.content("new"), lambda b: b.look_at(b.top, "new")
    ),
    "create what is there": lambda b: b.fs.create(b.top, "file", 0o644),
    "create where a link is": lambda b: b.fs.create(b.top, "dangling", 0o644),
    "create too long a name": lambda b: b.fs.create(b.top, LONG, 0o644),
    "create in a file": lambda b: b.fs.create(b.file, "a", 0o644),
    "create in a removed folder": make_in_a_removed_folder,
    "create whole": do(
        lambda b: b.fs.create_whole(b.top, "new", 0o600, b"ab"),
        lambda b: b.content("new"),
        lambda b: b.look_at(b.top, "new"),
    ),
    "create whole what is there": lambda b: b.fs.create_whole(b.top, "file", 0o600, b"ab"),
    "create whole too long a name": lambda b: b.fs.create_whole(b.top, LONG, 0o600, b"ab"),
    "folders in which new files get the same": lambda b: b.fs.inherited(b.top) == b.fs.inherited(b.folder),
    "write in place": write_twice,
    "write changes the fingerprint": newer,
    "open to write what is missing": lambda b: b.fs.open_write(b.top, "missing"),
    "open to write a link": lambda b: b.fs.open_write(b.top, "to-file"),
    "open to write a folder": lambda b: b.fs.open_write(b.top, "folder"),
    "write through a reading handle": lambda b: b.fs.write(b.file, [b"x"]),
    "truncate through a reading handle": lambda b: b.fs.truncate(b.file, 0),
    "set mode": set_mode,
    "copy metadata": copy_metadata,
    "sync a folder": lambda b: b.fs.sync(b.folder),
    "sync what is closed": do(lambda b: b.fs.close(b.file), lambda b: b.fs.sync(b.file)),
    "rename": do(lambda b: b.fs.rename(b.top, "file", b.folder, "moved"), lambda b: b.fs.list(b.folder)),
    "rename over a file": do(
        lambda b: b.fs.rename(b.top, "file", b.top, "twin-2"), lambda b: b.look_at(b.top, "twin-1")
    ),
    "rename to the same file": do(
        lambda b: b.fs.rename(b.top, "twin-1", b.top, "twin-2"), lambda b: b.look_at(b.top, "twin-1")
    ),
    "rename over a link": do(
        lambda b: b.fs.rename(b.top, "file", b.top, "to-file"), lambda b: b.look_at(b.top, "to-file")
    ),
    "rename a link": do(lambda b: b.fs.rename(b.top, "to-file", b.top, "x"), lambda b: b.fs.read_link(b.top, "x")),
    "rename what is missing": lambda b: b.fs.rename(b.top, "missing", b.top, "x"),
    "rename over a folder": lambda b: b.fs.rename(b.top, "file", b.top, "folder"),
    "rename a folder over a file": lambda b: b.fs.rename(b.top, "folder", b.top, "file"),
    "rename a folder over a full one": lambda b: b.fs.rename(b.top, "folder", b.top, "full"),
    "rename a full folder over an empty one": do(
        lambda b: b.fs.rename(b.top, "full", b.top, "folder"), lambda b: b.fs.list(b.top)
    ),
    "rename to too long a name": lambda b: b.fs.rename(b.top, "file", b.top, LONG),
    "rename into a file": lambda b: b.fs.rename(b.top, "file", b.file, "x"),
    "link": do(lambda b: b.fs.link(b.top, "file", b.folder, "second"), lambda b: b.look_at(b.top, "file")),
    "link to what is there": lambda b: b.fs.link(b.top, "file", b.top, "twin-1"),
    "link to where a link is": lambda b: b.fs.link(b.top, "file", b.top, "dangling"),
    "link what is missing": lambda b: b.fs.link(b.top, "missing", b.top, "x"),
    "link a folder": lambda b: b.fs.link(b.top, "folder", b.top, "x"),
    "link a link": do(lambda b: b.fs.link(b.top, "to-file", b.top, "x"), lambda b: b.fs.read_link(b.top, "x")),
    "link to too long a name": lambda b: b.fs.link(b.top, "file", b.top, LONG),
    "unlink": do(lambda b: b.fs.unlink(b.top, "twin-1"), lambda b: b.look_at(b.top, "twin-2")),
    "unlink a link": do(lambda b: b.fs.unlink(b.top, "to-file"), lambda b: b.fs.list(b.top)),
    "unlink what is missing": lambda b: b.fs.unlink(b.top, "missing"),
    "unlink a folder": lambda b: b.fs.unlink(b.top, "folder"),
    "mkdir": do(lambda b: b.fs.mkdir(b.folder, "x"), lambda b: b.look_at(b.folder, "x")),
    "mkdir for the owner": do(
        lambda b: b.fs.mkdir(b.folder, "x", 0o700), lambda b: getattr(b.fs.stat(b.folder, "x"), "mode", None)
    ),
    "mkdir where something is": lambda b: b.fs.mkdir(b.top, "file"),
    "mkdir where a link is": lambda b: b.fs.mkdir(b.top, "dangling"),
    "mkdir too long a name": lambda b: b.fs.mkdir(b.top, LONG),
    "rmdir": do(lambda b: b.fs.rmdir(b.top, "folder"), lambda b: b.fs.list(b.top)),
    "rmdir a full folder": lambda b: b.fs.rmdir(b.top, "full"),
    "rmdir a file": lambda b: b.fs.rmdir(b.top, "file"),
    "rmdir a link to a folder": lambda b: b.fs.rmdir(b.top, "to-folder"),
    "rmdir what is missing": lambda b: b.fs.rmdir(b.top, "missing"),
}


@pytest.fixture
def usual_mask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def set_up(root: Path) -> None:
    (root / "folder").mkdir()
    (root / "full").mkdir()
    (root / "full/inside").write_bytes(b"")
    (root / "file").write_bytes(b"content")
    (root / "twin-1").write_bytes(b"twin")
    (root / "twin-2").hardlink_to(root / "twin-1")
    (root / "to-file").symlink_to("file")
    (root / "to-folder").symlink_to("folder")
    (root / "dangling").symlink_to("nowhere")


def in_memory() -> MemoryFS:
    fs = MemoryFS({"full/inside": b"", "file": b"content", "twin-1": b"twin"})
    fs.make_folder(f"{fs.root}/folder")
    fs.hard_link("twin-1", "twin-2")
    fs.put_link("to-file", "file")
    fs.put_link("to-folder", "folder")
    fs.put_link("dangling", "nowhere")
    return fs


def outcome(operation: Callable[[Bench], object], bench: Bench) -> object:
    """The result of an operation, or its error, and the tree after it; handles are numbered."""
    try:
        given = operation(bench)
    except OSError as error:
        given = errno.errorcode[error.errno or 0]
    names = [(name, bench.look_at(bench.top, name)) for name in bench.fs.list(bench.top)]
    return given, names


@pytest.mark.promise("project.doubles")
@pytest.mark.usefixtures("usual_mask")
@pytest.mark.parametrize("name", OPERATIONS)
def test_the_file_system_in_memory_does_what_the_real_one_does(tmp_path: Path, name: str) -> None:
    set_up(tmp_path)
    real = FaultyFS(LocalFS())  # knows what is left open
    expected = outcome(OPERATIONS[name], Bench(real, str(tmp_path)))
    real.abandon()
    assert outcome(OPERATIONS[name], Bench(in_memory(), "/ws")) == expected
    assert outcome(OPERATIONS[name], Bench(FaultyFS(in_memory()), "/ws")) == expected


def test_files_of_other_kinds_and_owners_can_be_set_up() -> None:
    fs = MemoryFS({"a.txt": b"a"}, can_chown=False)
    fs.put_special("pipe")
    fs.node_of("a.txt").owner = (12345, 12345)
    top = fs.open_root(fs.root)
    special = fs.stat(top, "pipe")
    assert special is not None
    assert special.kind == "other"
    assert fs.copy_metadata(fs.open_file(top, "a.txt"), fs.create(top, "new", 0o600)) is False


@pytest.mark.parametrize("action", ["link", "rename"])
def test_another_device_is_out_of_reach(action: str) -> None:
    fs = MemoryFS({"a.txt": b"a"})
    fs.make_folder(f"{fs.root}/mount")
    fs.node_of("mount").device = 2
    top = fs.open_root(fs.root)
    mount = fs.open_folder(top, "mount")
    with pytest.raises(OSError, match=os.strerror(errno.EXDEV)):
        getattr(fs, action)(top, "a.txt", mount, "a.txt")
    fs.close(fs.create(mount, "b.txt", 0o644))
    with pytest.raises(OSError, match=os.strerror(errno.EXDEV)):
        getattr(fs, action)(mount, "b.txt", top, "b.txt")


def test_a_mount_point_cannot_be_replaced() -> None:
    fs = MemoryFS({"a.txt": b"a", "b.txt": b"b"})
    fs.node_of("b.txt").device = 2
    top = fs.open_root(fs.root)
    with pytest.raises(OSError, match=os.strerror(errno.EBUSY)):
        fs.rename(top, "a.txt", top, "b.txt")


def test_a_file_system_without_hard_links_says_so() -> None:
    fs = MemoryFS({"a.txt": b"a"}, can_link=False)
    top = fs.open_root(fs.root)
    with pytest.raises(OSError, match=os.strerror(errno.EPERM)):
        fs.link(top, "a.txt", top, "b.txt")


def test_a_crash_takes_handles_and_locks_and_leaves_what_was_written() -> None:
    fs = MemoryFS()
    top = fs.open_root(fs.root)
    assert fs.lock(top) is not None
    fs.write(fs.create(top, "a.txt", 0o644), [b"written"])
    fs.crash()
    with pytest.raises(OSError, match=os.strerror(errno.EBADF)):
        fs.list(top)
    assert fs.lock(fs.open_root(fs.root)) is not None
    assert fs.files() == {"a.txt": b"written"}


def change_files(*, sync_file: bool, sync_folder: bool) -> MemoryFS:
    fs = MemoryFS({"old.txt": b"old", "edited.txt": b"before"})
    top = fs.open_root(fs.root)
    fs.unlink(top, "old.txt")
    new, edited = fs.create(top, "new.txt", 0o644), fs.open_write(top, "edited.txt")
    fs.write(new, [b"new"])
    fs.write(edited, [b"AFTER!"])
    fs.link(top, "new.txt", top, "second.txt")
    for handle in ((new, edited) if sync_file else ()) + ((top,) if sync_folder else ()):
        fs.sync(handle)
    return fs


@pytest.mark.parametrize(
    ("sync_file", "sync_folder", "files"),
    [
        (False, False, {"old.txt": b"old", "edited.txt": b"before"}),
        (True, False, {"old.txt": b"old", "edited.txt": b"AFTER!"}),
        (False, True, {"new.txt": b"", "second.txt": b"", "edited.txt": b"before"}),
        (True, True, {"new.txt": b"new", "second.txt": b"new", "edited.txt": b"AFTER!"}),
    ],
)
def test_a_power_cut_leaves_what_was_synced(files: dict[str, bytes], *, sync_file: bool, sync_folder: bool) -> None:
    fs = change_files(sync_file=sync_file, sync_folder=sync_folder)
    fs.power_loss()
    assert fs.files() == files
    fs.power_loss()
    assert fs.files() == files


def test_a_power_cut_leaves_as_many_links_as_names() -> None:
    fs = MemoryFS({"a.txt": b"a"})
    top = fs.open_root(fs.root)
    fs.link(top, "a.txt", top, "b.txt")
    fs.power_loss()
    assert (fs.files(), fs.node_of("a.txt").links) == ({"a.txt": b"a"}, 1)


def test_by_luck_a_power_cut_leaves_names_up_to_some_moment_and_any_sectors() -> None:
    names, contents = set(), set()
    for seed in range(300):
        fs = change_files(sync_file=False, sync_folder=False)
        fs.power_loss(Random(seed))
        names.add(tuple(sorted(fs.files())))
        contents.add(fs.files()["edited.txt"])
    assert names == {
        ("edited.txt", "old.txt"),
        ("edited.txt",),
        ("edited.txt", "new.txt"),
        ("edited.txt", "new.txt", "second.txt"),
    }
    assert contents == {b"before", b"AFTER!"}


def test_by_luck_a_long_file_is_mixed_by_sectors_and_may_have_gained_zeros() -> None:
    contents = set()
    for seed in range(300):
        fs = MemoryFS({"a.txt": b"a" * 512})
        fs.write(fs.open_write(fs.open_root(fs.root), "a.txt"), [b"B" * 1024])
        fs.power_loss(Random(seed))
        contents.add(fs.files()["a.txt"])
    old, new, zeros = b"a" * 512, b"B" * 512, bytes(512)
    assert contents == {old, new, old + zeros, old + new, new + zeros, new + new}


def test_by_luck_a_rename_is_never_half_done() -> None:
    outcomes = set()
    for seed in range(100):
        fs = MemoryFS({"a.txt": b"a", "folder/b.txt": b"b"})
        top = fs.open_root(fs.root)
        fs.rename(top, "a.txt", fs.open_folder(top, "folder"), "b.txt")
        fs.power_loss(Random(seed))
        outcomes.add(tuple(sorted(fs.files().items())))
    assert outcomes == {(("a.txt", b"a"), ("folder/b.txt", b"b")), (("folder/b.txt", b"a"),)}


def test_a_call_fails_once_and_the_others_work() -> None:
    fs = FaultyFS(MemoryFS({"a.txt": b"a"}), fail_at=2, error=errno.ENOSPC)
    top = fs.open_root("/ws")
    with pytest.raises(OSError, match=os.strerror(errno.ENOSPC)):
        fs.list(top)
    assert fs.list(top) == ["a.txt"]
    assert fs.calls == ["open_root", "list", "list"]


def test_only_calls_of_some_names_are_counted() -> None:
    fs = FaultyFS(MemoryFS({"a.txt": b"a"}), fail_at=2, only=["list"])
    top = fs.open_root("/ws")
    fs.list(top)
    fs.stat(top, "a.txt")
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        fs.list(top)
    assert fs.calls == ["list", "list"]


def test_nothing_works_any_more_after_the_call_at_which_it_stops() -> None:
    inner = MemoryFS({"a.txt": b"a"})
    fs = FaultyFS(inner, stop_at=2)
    top = fs.open_root("/ws")
    for _ in range(2):
        with pytest.raises(Stopped):
            fs.unlink(top, "a.txt")
    fs.close(top)
    assert inner.files() == {"a.txt": b"a"}
    assert inner.list(top) == ["a.txt"]


def test_a_write_that_stops_is_half_written() -> None:
    inner = MemoryFS()
    fs = FaultyFS(inner, stop_at=3)
    handle = fs.create(fs.open_root("/ws"), "a.txt", 0o644)
    with pytest.raises(Stopped):
        fs.write(handle, [b"abc", b"def"])
    assert inner.files() == {"a.txt": b"abc"}


def test_a_close_that_fails_has_closed() -> None:
    inner = MemoryFS()
    fs = FaultyFS(inner, fail_at=2)
    top = fs.open_root("/ws")
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        fs.close(top)
    with pytest.raises(OSError, match=os.strerror(errno.EBADF)):
        inner.list(top)


def test_what_a_stopped_process_had_open_is_closed_when_it_is_abandoned() -> None:
    inner = MemoryFS()
    fs = FaultyFS(inner)
    assert fs.lock(fs.open_root("/ws")) is not None
    fs.abandon()
    assert inner._handles == {}
    assert inner.lock(inner.open_root("/ws")) is not None
    with pytest.raises(Stopped):
        fs.open_root("/ws")


def test_a_function_is_called_forevery_counted_call_before_it_is_made() -> None:
    heard: list[tuple[int, str, Any]] = []
    inner = MemoryFS()
    fs = FaultyFS(inner, only=["mkdir"], on_call=lambda number, name: heard.append((number, name, inner.folders())))
    top = fs.open_root("/ws")
    fs.mkdir(top, "a")
    fs.mkdir(top, "b")
    assert heard == [(1, "mkdir", set()), (2, "mkdir", {"a"})]
