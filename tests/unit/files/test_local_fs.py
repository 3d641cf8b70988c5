"""The file system calls on a real operating system, and their peculiarities."""

import errno
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from suture.files.local_fs import LocalFS, container_of
from suture.files.state import state_folder

FS = LocalFS()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[int]:
    handle = FS.open_root(str(tmp_path))
    yield handle
    FS.close(handle)


def write(folder: int, name: str, pieces: Sequence[bytes | memoryview]) -> None:
    handle = FS.create(folder, name, 0o644)
    try:
        FS.write(handle, pieces)
    finally:
        FS.close(handle)


@pytest.mark.parametrize("count", [0, 1, 511, 512, 513, 1024, 1025, 5000])
def test_any_number_of_pieces_is_written(tmp_path: Path, folder: int, count: int) -> None:
    pieces = [f"{number} ".encode() for number in range(count)]
    write(folder, "f", pieces)
    assert (tmp_path / "f").read_bytes() == b"".join(pieces)


def test_empty_pieces_and_views_are_written_as_what_they_hold(tmp_path: Path, folder: int) -> None:
    data = memoryview(b"0123456789")
    write(folder, "f", [b"", data[2:5], b"", b"x", data[:0], data[9:], b""])
    assert (tmp_path / "f").read_bytes() == b"234x9"


@pytest.mark.parametrize("most", [1, 2, 3, 7, 4096])
def test_a_system_that_writes_less_than_asked_is_asked_again(
    tmp_path: Path, folder: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = os.writev

    def little(handle: int, pieces: Sequence[memoryview]) -> int:
        assert len(pieces) <= 1024
        return really(handle, [b"".join(pieces)[:most]])

    monkeypatch.setattr(os, "writev", little)
    pieces = [bytes([65 + number % 26]) * (number % 5) for number in range(1500)]
    write(folder, "f", pieces)
    assert (tmp_path / "f").read_bytes() == b"".join(pieces)


def test_writing_goes_on_where_the_last_write_ended_and_the_pieces_are_left_alone(tmp_path: Path, folder: int) -> None:
    pieces: list[bytes | memoryview] = [b"one ", b"two "]
    handle = FS.create(folder, "f", 0o644)
    FS.write(handle, pieces)
    FS.write(handle, pieces)
    FS.close(handle)
    assert (tmp_path / "f").read_bytes() == b"one two one two "
    assert pieces == [b"one ", b"two "]


def test_a_locked_folder_cannot_be_locked_until_the_lock_is_closed(folder: int, tmp_path: Path) -> None:
    other = FS.open_root(str(tmp_path))
    first = FS.lock(folder)
    assert first is not None
    assert FS.lock(folder) is None
    assert FS.lock(other) is None
    FS.close(first)
    second = FS.lock(other)
    assert second is not None
    FS.close(second)
    FS.close(other)
    assert os.listdir(tmp_path) == []  # noqa: PTH208  a lock leaves no file


LOCKER = """
import sys
from suture.files.local_fs import LocalFS
class WithoutFolderLocks(LocalFS):
    def _flock(self, handle):
        raise OSError(9, "Bad file descriptor")
fs = WithoutFolderLocks() if sys.argv[2] == "file" else LocalFS()
handle = fs.lock(fs.open_root(sys.argv[1]))
print("busy" if handle is None else "held", flush=True)
sys.stdin.read()
"""


class WithoutFolderLocks(LocalFS):
    """A file system that cannot lock folders; `_lock_file` does not come here."""

    def _flock(self, handle: int) -> None:
        assert handle >= 0
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


@pytest.mark.process
@pytest.mark.parametrize("kind", ["folder", "file"])
def test_a_lock_excludes_other_processes_and_ends_with_its_process(
    folder: int, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
    fs = LocalFS() if kind == "folder" else WithoutFolderLocks()
    command = [sys.executable, "-c", LOCKER, str(tmp_path), kind]

    handle = fs.lock(folder)
    assert handle is not None
    busy = subprocess.run(command, input="", capture_output=True, text=True, check=True)
    assert busy.stdout == "busy\n"
    fs.close(handle)

    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "held\n"
        assert fs.lock(folder) is None
        child.kill()
    again = fs.lock(folder)
    assert again is not None
    fs.close(again)


def test_where_folders_cannot_be_locked_a_file_of_our_own_is(
    folder: int, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    fs = WithoutFolderLocks()
    (tmp_path / "sub").mkdir()
    sub = fs.open_folder(folder, "sub")
    first, other = fs.lock(folder), fs.lock(sub)
    assert first is not None
    assert other is not None  # another folder has a lock of its own
    assert fs.lock(folder) is None
    fs.close(first)
    second = fs.lock(folder)
    assert second is not None
    for handle in (second, other, sub):
        fs.close(handle)
    assert os.listdir(tmp_path) == ["sub"]  # noqa: PTH208  a lock leaves no file
    locks = list((state / "suture" / "locks").iterdir())
    assert len(locks) == 2
    assert {path.stat().st_mode & 0o777 for path in locks} == {0o600}
    assert (state / "suture" / "locks").stat().st_mode & 0o777 == 0o700


def test_a_lock_file_that_is_a_link_is_not_followed(
    folder: int, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    status = tmp_path.stat()
    (state / "suture/locks").mkdir(parents=True)
    (state / f"suture/locks/{status.st_dev:x}-{status.st_ino:x}").symlink_to(tmp_path / "victim")
    with pytest.raises(OSError, match="symbolic links"):
        WithoutFolderLocks().lock(folder)
    assert not (tmp_path / "victim").exists()


def test_another_failure_of_locking_is_not_hidden(folder: int) -> None:
    class Interrupted(LocalFS):
        def _flock(self, handle: int) -> None:
            assert handle >= 0
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        Interrupted().lock(folder)


def test_files_and_folders_can_be_synced_however_they_were_opened(tmp_path: Path, folder: int) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "f").write_bytes(b"one")
    handles = [FS.open_folder(folder, "sub"), FS.open_file(folder, "f"), FS.open_write(folder, "f")]
    for handle in (folder, *handles):
        FS.sync(handle)
    for handle in handles:
        FS.close(handle)
    with pytest.raises(OSError, match=os.strerror(errno.EBADF)):
        FS.sync(handles[-1])


@pytest.mark.promise("confine.swap")
def test_no_call_follows_a_link(tmp_path: Path, folder: int) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "f").write_bytes(b"one")
    (tmp_path / "to-folder").symlink_to("sub")
    (tmp_path / "to-file").symlink_to("f")
    (tmp_path / "to-nothing").symlink_to("new")
    with pytest.raises(NotADirectoryError):
        FS.open_folder(folder, "to-folder")
    for opener in (FS.open_file, FS.open_write):
        with pytest.raises(OSError, match=os.strerror(errno.ELOOP)):
            opener(folder, "to-file")
    for name in ("to-file", "to-nothing"):
        with pytest.raises(FileExistsError):
            FS.create(folder, name, 0o644)
        with pytest.raises(FileExistsError):
            FS.link(folder, "f", folder, name)
    stat = FS.stat(folder, "to-file")
    assert stat is not None
    assert stat.kind == "link"
    FS.link(folder, "to-file", folder, "second")
    assert (tmp_path / "second").is_symlink()
    FS.rename(folder, "f", folder, "to-folder")
    assert (tmp_path / "to-folder").read_bytes() == b"one"
    FS.unlink(folder, "to-file")
    assert sorted(os.listdir(tmp_path)) == ["second", "sub", "to-folder", "to-nothing"]  # noqa: PTH208  links too


@pytest.mark.promise("confine.not-a-file")
def test_opening_a_pipe_does_not_wait_for_its_other_end(tmp_path: Path, folder: int) -> None:
    os.mkfifo(tmp_path / "pipe")
    handle = FS.open_file(folder, "pipe")
    assert FS.fstat(handle).kind == "other"
    FS.close(handle)


def test_no_handle_is_handed_down_to_child_processes(tmp_path: Path, folder: int) -> None:
    (tmp_path / "sub").mkdir()
    handles = [folder, FS.open_folder(folder, "sub"), FS.create(folder, "f", 0o600), FS.open_file(folder, "f")]
    locked = FS.lock(folder)
    assert locked is not None
    handles.append(locked)
    assert [os.get_inheritable(handle) for handle in handles] == [False] * 5
    for handle in handles[1:]:
        FS.close(handle)


def test_a_folder_that_may_only_be_searched_can_be_opened(tmp_path: Path, folder: int) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/f").write_bytes(b"one")
    (tmp_path / "sub").chmod(0o111)
    handle = FS.open_folder(folder, "sub")
    stat = FS.stat(handle, "f")
    FS.close(handle)
    (tmp_path / "sub").chmod(0o755)
    assert stat is not None
    assert stat.size == 3


def test_a_listing_is_sorted_and_reads_the_folder_again(tmp_path: Path, folder: int) -> None:
    for name in ("b", "a", "ä", "B"):
        (tmp_path / name).touch()
    assert FS.list(folder) == sorted(["b", "a", "ä", "B"])
    (tmp_path / "c").touch()
    assert len(FS.list(folder)) == len(FS.list(folder)) == 5


def test_the_status_of_a_name(tmp_path: Path, folder: int) -> None:
    (tmp_path / "f").write_bytes(b"three")
    (tmp_path / "f").chmod(0o640)
    (tmp_path / "g").hardlink_to(tmp_path / "f")
    (tmp_path / "h").write_bytes(b"three")
    first, second, third = (FS.stat(folder, name) for name in "fgh")
    assert first is not None
    assert second is not None
    assert third is not None
    assert (first.kind, first.size, first.mode, first.links) == ("file", 5, 0o640, 2)
    assert first.same_file(second)
    assert first.fingerprint == second.fingerprint
    assert not first.same_file(third)
    assert not first.same_file(None)
    assert FS.stat(folder, "missing") is None


def test_whether_a_file_may_be_written_is_asked_for_the_acting_user(tmp_path: Path, folder: int) -> None:
    (tmp_path / "f").write_bytes(b"")
    assert FS.writable(folder, "f")
    (tmp_path / "f").chmod(0o444)
    assert FS.writable(folder, "f") is (os.geteuid() == 0)


@pytest.mark.parametrize(
    ("value", "expected"), [("/state", "/state/suture"), ("", None), ("relative", None), (None, None)]
)
def test_the_state_folder_is_the_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str | None, expected: str | None
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    if value is None:
        monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_STATE_HOME", value)
    assert state_folder() == (expected or f"{tmp_path}/.local/state/suture")


DOCKER = """\
612 540 0:52 / / rw,relatime master:1 - overlay overlay rw,lowerdir=/l/A:/l/B,upperdir=/o/ID/diff,workdir=/o/ID/work
613 612 0:55 / /proc rw,nosuid - proc proc rw
640 612 254:1 /containers/c0ffee/resolv.conf /etc/resolv.conf rw,relatime - ext4 /dev/vda1 rw
641 612 254:1 /containers/c0ffee/hostname /etc/hostname rw,relatime - ext4 /dev/vda1 rw
"""
MACHINE = """\
27 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
90 27 0:52 / /var/lib/docker/overlay2/ID/merged rw - overlay overlay rw,lowerdir=/l/A,upperdir=/o/ID/diff,workdir=/w
"""


@pytest.mark.parametrize(
    ("mounts", "container"),
    [
        (DOCKER, "upperdir=/o/ID/diff /containers/c0ffee/hostname"),
        (DOCKER.replace(",upperdir=", ",x="), "/containers/c0ffee/hostname"),
        (MACHINE, None),
        ("", None),
        ("torn\n27 1 0:1\n", None),
    ],
)
def test_a_container_is_recognized_by_what_is_mounted(mounts: str, container: str | None) -> None:
    assert container_of(mounts) == container


def test_a_machine_is_the_same_each_time_and_its_folders_too(tmp_path: Path) -> None:
    fs = LocalFS()
    handles = [fs.open_root(str(tmp_path)) for _ in range(2)]
    assert fs.machine(handles[0]) == fs.machine(handles[1])
    assert len(fs.machine(handles[0])[0]) == 20
    for handle in handles:
        fs.close(handle)


@pytest.fixture
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of the user's key."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state/suture/.suture-key"


@pytest.mark.promise("atomic.signed")
def test_the_key_is_made_once_and_for_its_owner_only(key: Path) -> None:
    first = LocalFS().secret()
    assert (len(first), LocalFS().secret(), key.read_bytes()) == (32, first, first)
    assert (key.stat().st_mode & 0o777, [path.name for path in key.parent.iterdir()]) == (0o600, [key.name])


@pytest.mark.promise("atomic.signed")
@pytest.mark.parametrize("spoil", ["others can read it", "too short", "too long", "all zeros"])
def test_a_key_that_others_may_know_is_replaced(key: Path, spoil: str) -> None:
    first = LocalFS().secret()
    if spoil == "others can read it":
        key.chmod(0o644)
    else:
        key.write_bytes({"too short": first[:31], "too long": first + b"x", "all zeros": bytes(32)}[spoil])
    second = LocalFS().secret()
    assert (len(second), second != first, LocalFS().secret()) == (32, True, second)
    assert key.stat().st_mode & 0o777 == 0o600


def test_a_lost_key_is_created_again(key: Path) -> None:
    first = LocalFS().secret()
    key.unlink()
    assert LocalFS().secret() != first


@pytest.mark.parametrize("kind", ["folder", "link"])
def test_what_is_not_a_file_is_not_a_key(key: Path, kind: str) -> None:
    key.parent.mkdir(parents=True)
    if kind == "folder":
        key.mkdir()
    else:
        key.symlink_to(key.parent / "elsewhere")
    with pytest.raises(OSError, match=r"\w"):
        LocalFS().secret()


def test_where_no_folder_can_be_made_there_is_no_key(key: Path) -> None:
    key.parent.parent.write_bytes(b"a file")
    with pytest.raises(OSError, match=r"\w"):
        LocalFS().secret()


def test_where_files_cannot_have_two_names_the_key_is_renamed_into_place(
    key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, "no links")

    monkeypatch.setattr(os, "link", refuse)
    assert LocalFS().secret() == key.read_bytes()
    assert [path.name for path in key.parent.iterdir()] == [key.name]


def inherited(folder: Path) -> tuple[object, ...]:
    handle = FS.open_root(str(folder))
    try:
        return FS.inherited(handle)
    finally:
        FS.close(handle)


def test_two_folders_with_the_same_group_let_new_files_inherit_the_same(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o700)
    (tmp_path / "b").mkdir(mode=0o755)
    assert inherited(tmp_path / "a") == inherited(tmp_path / "b")
    (tmp_path / "b").chmod(0o2755)
    assert inherited(tmp_path / "a") != inherited(tmp_path / "b")


@pytest.mark.parametrize("error", [errno.EIO, errno.ENOENT])
def test_where_attributes_cannot_be_read_no_two_folders_are_alike(
    tmp_path: Path, folder: int, error: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> list[str]:
        raise OSError(error, os.strerror(error))

    (tmp_path / "a").mkdir()
    other = FS.open_folder(folder, "a")
    monkeypatch.setattr(os, "listxattr", fail)
    assert FS.inherited(folder) != FS.inherited(other)
    assert FS.inherited(folder) == FS.inherited(folder)
    monkeypatch.delattr(os, "listxattr")
    assert FS.inherited(folder) != FS.inherited(other)
    assert FS.inherited(folder) == FS.inherited(folder)
    FS.close(other)


def test_a_file_system_without_attributes_has_nothing_to_inherit_but_the_group(
    tmp_path: Path, folder: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: object) -> list[str]:
        raise OSError(errno.ENOTSUP, os.strerror(errno.ENOTSUP))

    (tmp_path / "a").mkdir()
    monkeypatch.setattr(os, "listxattr", fail)
    assert inherited(tmp_path / "a") == FS.inherited(folder)


def test_a_file_that_is_created_whole_leaves_nothing_where_its_name_is_taken(tmp_path: Path, folder: int) -> None:
    FS.create_whole(folder, "a", 0o600, b"content")
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "a").stat().st_mode & 0o777) == (b"content", 0o600)
    with pytest.raises(FileExistsError):
        FS.create_whole(folder, "a", 0o600, b"other")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"content")]
