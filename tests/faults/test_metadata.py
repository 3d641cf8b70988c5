"""A file's metadata before and after an update, on the real file system.

Tests whose setup needs root are skipped for other users; tests that need an ordinary user are run by root with the
effective ids of another user, which is the same to the kernel.
"""

import os
import shutil
import stat
import struct
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path

import pytest

from suture.engine import Transaction
from suture.errors import SutureError
from suture.settings import Settings
from suture.text.edits import edit
from suture.workspace import Workspace
from tests.faults.users import NOBODY, ROOT, nobody

FAST = Settings(durability="fast")
STRANGER = 12345
for module in "difflib fcntl fnmatch hashlib json suture.files.commit suture.files.recovery".split():
    import_module(module)  # an ordinary user may not be able to import them later
as_root = pytest.mark.skipif(not ROOT, reason="only root can give files to others or mount")

ACL_USER_OBJ, ACL_USER, ACL_GROUP_OBJ, ACL_MASK, ACL_OTHER = 1, 2, 4, 16, 32
NO_ID = 0xFFFFFFFF


def acl(*entries: tuple[int, int, int]) -> bytes:
    """A POSIX ACL in the kernel's format: (tag, permissions, id) each."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", *entry) for entry in entries)


STRANGER_READS = acl(
    (ACL_USER_OBJ, 6, NO_ID),
    (ACL_USER, 4, STRANGER),
    (ACL_GROUP_OBJ, 0, NO_ID),
    (ACL_MASK, 4, NO_ID),
    (ACL_OTHER, 0, NO_ID),
)
STRANGER_INHERITS = acl(
    (ACL_USER_OBJ, 7, NO_ID),
    (ACL_USER, 7, STRANGER),
    (ACL_GROUP_OBJ, 5, NO_ID),
    (ACL_MASK, 7, NO_ID),
    (ACL_OTHER, 0, NO_ID),
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "a.txt").write_bytes(b"one\ntwo\n")
    return tmp_path / "ws"


@pytest.fixture
def shared_root() -> Iterator[Path]:
    """A folder that every user can access, unlike pytest's own."""
    top = Path(tempfile.mkdtemp(prefix="suture-test-"))
    top.chmod(0o755)
    (top / "ws").mkdir()
    yield top / "ws"
    shutil.rmtree(top)


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def change_owner(path: Path, uid: int, gid: int | None = None) -> None:
    os.chown(path, uid, uid if gid is None else gid)


def set_attribute(path: Path, name: str, value: bytes) -> None:
    if not hasattr(os, "setxattr"):
        pytest.skip("this system has no extended attributes")
    try:
        os.setxattr(path, name, value)
    except OSError as error:
        pytest.skip(f"this file system takes no {name}: {error}")


def attributes(path: Path) -> dict[str, bytes]:
    return {name: os.getxattr(path, name) for name in os.listxattr(path)} if hasattr(os, "listxattr") else {}


def metadata(path: Path) -> tuple[object, ...]:
    status = path.lstat()
    return stat.filemode(status.st_mode), status.st_uid, status.st_gid, status.st_nlink, attributes(path)


def insert(tx: Transaction) -> None:
    tx.edit("a.txt", lambda _: [edit(0, 0, b"zero\n")])


def overwrite(tx: Transaction) -> None:
    tx.write("a.txt", b"zero\none\ntwo\n")


def update(root: Path, change: Callable[[Transaction], None] = insert, settings: Settings = FAST) -> None:
    with Workspace(root, settings).transaction() as tx:
        change(tx)
    assert (root / "a.txt").read_bytes() == b"zero\none\ntwo\n"
    assert strays(root) == []


def strays(top: Path) -> list[str]:
    return [name for _, folders, files in os.walk(top) for name in (*folders, *files) if ".suture" in name]


@pytest.mark.promise("span.metadata")
@pytest.mark.parametrize("change", [insert, overwrite])
@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o640, 0o666, 0o777, 0o700, 0o4755, 0o2755, 0o1644])
def test_an_update_keeps_the_mode(root: Path, mode: int, change: Callable[[Transaction], None]) -> None:
    (root / "a.txt").chmod(mode)
    before = metadata(root / "a.txt")
    update(root, change)
    assert metadata(root / "a.txt") == before


@pytest.mark.promise("span.metadata")
@pytest.mark.parametrize("mode", [0o444, 0o400, 0o000])
@as_root
def test_an_update_by_root_keeps_a_mode_that_forbids_writing(root: Path, mode: int) -> None:
    (root / "a.txt").chmod(mode)
    before = metadata(root / "a.txt")
    update(root)
    assert metadata(root / "a.txt") == before


@pytest.mark.promise("span.metadata")
@pytest.mark.parametrize("mode", [0o644, 0o4755, 0o6755, 0o600])
@pytest.mark.parametrize("owner", [(STRANGER, STRANGER), (STRANGER, 0), (0, STRANGER)])
@as_root
def test_an_update_by_root_keeps_owner_group_and_mode(root: Path, owner: tuple[int, int], mode: int) -> None:
    change_owner(root / "a.txt", *owner)
    (root / "a.txt").chmod(mode)
    before = metadata(root / "a.txt")
    update(root)
    assert metadata(root / "a.txt") == before


@pytest.mark.promise("span.metadata")
@pytest.mark.parametrize("change", [insert, overwrite])
@pytest.mark.parametrize("mode", [0o644, 0o600])
def test_an_update_keeps_extended_attributes(root: Path, mode: int, change: Callable[[Transaction], None]) -> None:
    (root / "a.txt").chmod(mode)
    for name, value in {"user.one": b"1", "user.empty": b"", "user.bytes": bytes(range(256))}.items():
        set_attribute(root / "a.txt", name, value)
    before = metadata(root / "a.txt")
    update(root, change)
    assert metadata(root / "a.txt") == before


@pytest.mark.promise("span.metadata")
@pytest.mark.parametrize("name", ["security.capability", "trusted.note"])
@as_root
def test_an_update_by_root_keeps_attributes_that_only_root_may_set(root: Path, name: str) -> None:
    value = struct.pack("<IIIII", 0x02000001, 1 << 10, 0, 0, 0) if name == "security.capability" else b"x"
    set_attribute(root / "a.txt", name, value)
    before = metadata(root / "a.txt")
    update(root)
    assert metadata(root / "a.txt") == before


@pytest.mark.promise("span.metadata")
@pytest.mark.parametrize("change", [insert, overwrite])
def test_an_update_keeps_an_access_control_list(root: Path, change: Callable[[Transaction], None]) -> None:
    set_attribute(root / "a.txt", "system.posix_acl_access", STRANGER_READS)
    before = metadata(root / "a.txt")
    update(root, change)
    assert metadata(root / "a.txt") == before
    assert attributes(root / "a.txt")["system.posix_acl_access"] == STRANGER_READS


@pytest.mark.promise("span.metadata")
def test_an_update_does_not_give_a_file_the_access_control_list_of_its_folder(root: Path) -> None:
    (root / "a.txt").chmod(0o640)
    set_attribute(root, "system.posix_acl_default", STRANGER_INHERITS)
    before = metadata(root / "a.txt")
    update(root)
    assert metadata(root / "a.txt") == before


@pytest.mark.promise("span.metadata")
def test_a_new_file_takes_the_access_control_list_of_its_folder_as_any_new_file_does(root: Path) -> None:
    set_attribute(root, "system.posix_acl_default", STRANGER_INHERITS)
    (root / "plain.txt").write_bytes(b"")
    (root / "folder").mkdir()
    with Workspace(root, FAST).transaction() as tx:
        tx.create("new.txt", b"new\n")
        tx.create("made/new.txt", b"new\n")
    assert metadata(root / "new.txt") == metadata(root / "plain.txt")
    assert metadata(root / "made") == metadata(root / "folder")
    assert "system.posix_acl_access" in attributes(root / "made" / "new.txt")


@pytest.mark.promise("span.metadata")
@pytest.mark.promise("atomic.staging")
def test_a_new_file_takes_the_access_control_list_of_its_folder_only(root: Path) -> None:
    """Not that of the root, where it is staged otherwise."""
    for name in ("with", "without"):
        (root / name).mkdir()
    set_attribute(root / "with", "system.posix_acl_default", STRANGER_INHERITS)
    for name in ("with", "without"):
        (root / name / "plain.txt").write_bytes(b"")
    with Workspace(root, FAST).transaction() as tx:
        tx.create("with/new.txt", b"new\n")
        tx.create("without/new.txt", b"new\n")
    for name in ("with", "without"):
        assert metadata(root / name / "new.txt") == metadata(root / name / "plain.txt")
        assert attributes(root / name / "new.txt") == attributes(root / name / "plain.txt")
    assert "system.posix_acl_access" in attributes(root / "with" / "new.txt")


@as_root
@pytest.mark.promise("span.metadata")
@pytest.mark.promise("atomic.staging")
@pytest.mark.parametrize("folders", [("sub",), ("", "sub")], ids=["one folder", "the whole tree"])
def test_a_new_file_in_a_folder_for_a_group_belongs_to_the_group(shared_root: Path, folders: Sequence[str]) -> None:
    (shared_root / "sub").mkdir()
    for name in folders:
        os.chown(shared_root / name, NOBODY, STRANGER)
        (shared_root / name).chmod(0o2775)
    os.chown(shared_root, NOBODY, -1)
    with nobody(), Workspace(shared_root, FAST).transaction() as tx:
        tx.create("sub/new.txt", b"new\n")
        tx.create("sub/made/new.txt", b"new\n")
    groups = {path.stat().st_gid for path in (shared_root / "sub").rglob("*")}
    assert groups == {STRANGER}


@pytest.mark.promise("span.metadata")
def test_one_attribute_that_cannot_be_set_does_not_cost_the_others(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("user.a", "user.b", "user.c"):
        set_attribute(root / "a.txt", name, name.encode())
    before = metadata(root / "a.txt")
    original = os.setxattr

    def refuse_one(path: int, name: str, value: bytes) -> None:
        if name == "user.a":
            raise OSError(95, "Operation not supported")
        original(path, name, value)

    monkeypatch.setattr(os, "setxattr", refuse_one)
    update(root)
    assert metadata(root / "a.txt") == before  # written in place, because a new file could not get this metadata


@pytest.mark.promise("span.metadata")
def test_a_rename_keeps_everything_and_the_file_itself(root: Path) -> None:
    (root / "a.txt").chmod(0o4751)
    set_attribute(root / "a.txt", "user.one", b"1")
    os.utime(root / "a.txt", ns=(1, 2))
    before = (*metadata(root / "a.txt"), (root / "a.txt").stat().st_ino, (root / "a.txt").stat().st_mtime_ns)
    with Workspace(root, FAST).transaction() as tx:
        tx.rename("a.txt", "sub/b.txt")
    moved = root / "sub" / "b.txt"
    assert (*metadata(moved), moved.stat().st_ino, moved.stat().st_mtime_ns) == before


@pytest.mark.promise("span.metadata")
def test_a_rename_with_new_content_keeps_the_metadata(root: Path) -> None:
    (root / "a.txt").chmod(0o751)
    set_attribute(root / "a.txt", "user.one", b"1")
    before = metadata(root / "a.txt")
    with Workspace(root, FAST).transaction() as tx:
        tx.rename("a.txt", "sub/b.txt", b"new\n")
    assert metadata(root / "sub" / "b.txt") == before


@pytest.mark.promise("span.metadata")
def test_files_that_a_transaction_does_not_name_keep_their_times(root: Path) -> None:
    paths = [root / "b.txt", root / "sub" / "c.txt"]
    (root / "sub").mkdir()
    for path in paths:
        path.write_bytes(b"other\n")
        os.utime(path, ns=(3, 4))
    with Workspace(root, FAST).transaction() as tx:
        insert(tx)
        tx.create("sub/d.txt", b"")
        tx.write("b.txt", b"other\n")  # what it holds already
    statuses = [path.stat() for path in paths]
    assert [(status.st_mtime_ns, status.st_nlink) for status in statuses] == [(4, 1), (4, 1)]


@pytest.mark.promise("span.links")
@pytest.mark.parametrize("change", [insert, overwrite])
@pytest.mark.parametrize("settings", [FAST, Settings()], ids=["fast", "full"])
def test_all_names_of_a_hard_linked_file_show_the_new_content(
    root: Path, change: Callable[[Transaction], None], settings: Settings
) -> None:
    (root / "sub").mkdir()
    outside = root.parent / "outside.txt"
    for path in (root / "b.txt", root / "sub" / "c.txt", outside):
        path.hardlink_to(root / "a.txt")
    (root / "a.txt").chmod(0o604)
    set_attribute(root / "a.txt", "user.one", b"1")
    before, inode = metadata(root / "a.txt"), (root / "a.txt").stat().st_ino
    update(root, change, settings)
    names = [root / "a.txt", root / "b.txt", root / "sub" / "c.txt", outside]
    assert [path.read_bytes() for path in names] == [b"zero\none\ntwo\n"] * 4
    assert {path.stat().st_ino for path in names} == {inode}
    assert [metadata(path) for path in names] == [before] * 4


@pytest.mark.promise("span.links")
@pytest.mark.parametrize("content", [b"", b"x", b"shorter\n", b"longer " * 5_000])
def test_a_hard_linked_file_can_become_shorter_longer_or_empty(root: Path, content: bytes) -> None:
    (root / "b.txt").hardlink_to(root / "a.txt")
    with Workspace(root, FAST).transaction() as tx:
        tx.write("a.txt", content)
    assert (root / "b.txt").read_bytes() == content
    assert (root / "b.txt").samefile(root / "a.txt")


@pytest.mark.promise("span.links")
def test_deleting_and_moving_one_name_of_a_hard_linked_file_leaves_the_other(root: Path) -> None:
    (root / "b.txt").write_bytes(b"other\n")
    (root / "a2.txt").hardlink_to(root / "a.txt")
    (root / "b2.txt").hardlink_to(root / "b.txt")
    with Workspace(root, FAST).transaction() as tx:
        tx.delete("a.txt")
        tx.rename("b.txt", "c.txt")
    assert sorted(os.listdir(root)) == ["a2.txt", "b2.txt", "c.txt"]  # noqa: PTH208  strays would show
    assert (root / "a2.txt").read_bytes() == b"one\ntwo\n"
    assert (root / "c.txt").samefile(root / "b2.txt")


@pytest.mark.promise("span.links")
@pytest.mark.parametrize("target", ["real.txt", "<root>/real.txt", "sub/../real.txt"])
def test_a_symbolic_link_stays_a_link_and_its_file_keeps_its_metadata(root: Path, target: str) -> None:
    (root / "sub").mkdir()
    (root / "a.txt").rename(root / "real.txt")
    (root / "real.txt").chmod(0o750)
    (root / "a.txt").symlink_to(target.replace("<root>", str(root)))
    before, link = metadata(root / "real.txt"), (root / "a.txt").lstat()
    update(root)
    assert metadata(root / "real.txt") == before
    after = (root / "a.txt").lstat()
    assert (after.st_ino, after.st_mtime_ns, after.st_mode) == (link.st_ino, link.st_mtime_ns, link.st_mode)


@pytest.mark.promise("span.metadata")
@pytest.mark.parametrize(("umask", "file", "folder"), [(0o022, 0o644, 0o755), (0o077, 0o600, 0o700), (0, 0o666, 0o777)])
def test_new_files_and_new_folders_get_what_the_umask_leaves(root: Path, umask: int, file: int, folder: int) -> None:
    os.umask(umask)
    with Workspace(root, FAST).transaction() as tx:
        tx.create("new.txt", b"new\n")
        tx.write("written.txt", b"new\n")
        tx.create("one/two/new.txt", b"new\n")
    modes = {path: stat.S_IMODE((root / path).stat().st_mode) for path in ("new.txt", "written.txt", "one/two/new.txt")}
    assert modes == dict.fromkeys(modes, file)
    assert {stat.S_IMODE((root / path).stat().st_mode) for path in ("one", "one/two")} == {folder}
    assert (root / "new.txt").stat().st_nlink == 1


@pytest.mark.promise("span.metadata")
@pytest.mark.parametrize("mode", [0o755, 0o600, 0o444, 0o640])
def test_a_new_file_gets_the_mode_that_is_asked_for(root: Path, mode: int) -> None:
    with Workspace(root, FAST).transaction() as tx:
        tx.create("run.sh", b"true\n", mode=mode)
    assert stat.S_IMODE((root / "run.sh").stat().st_mode) == mode


@pytest.mark.promise("span.metadata")
def test_an_empty_file_can_be_filled_and_a_full_one_emptied(root: Path) -> None:
    (root / "empty.txt").touch(mode=0o640)
    (root / "a.txt").chmod(0o640)
    before = metadata(root / "a.txt")
    with Workspace(root, FAST).transaction() as tx:
        tx.edit("empty.txt", lambda _: [edit(0, 0, b"something\n")])
        tx.write("a.txt", b"")
    assert ((root / "empty.txt").read_bytes(), (root / "a.txt").read_bytes()) == (b"something\n", b"")
    assert metadata(root / "empty.txt") == metadata(root / "a.txt") == before


@pytest.mark.promise("span.metadata")
@pytest.mark.parametrize("second_name", [False, True])
def test_a_sparse_file_keeps_its_bytes(root: Path, second_name: bool) -> None:  # noqa: FBT001  a parameter of pytest
    with (root / "sparse").open("wb") as file:
        file.seek(3_000_000)
        file.write(b"end\n")
    if second_name:
        (root / "second").hardlink_to(root / "sparse")
    old = (root / "sparse").read_bytes()
    with Workspace(root, FAST).transaction() as tx:
        tx.write("sparse", b"begin\n" + old)
    assert (root / "sparse").read_bytes() == b"begin\n" + old


@pytest.fixture
def mount_at(root: Path) -> Iterator[Callable[..., Path]]:
    """Mount something on a path below the root; it is unmounted afterwards."""
    mounts: list[Path] = []

    def mount(path: Path, *arguments: str) -> Path:
        try:
            subprocess.run(["mount", *arguments, str(path)], check=True, capture_output=True)
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"cannot mount here: {error}")
        mounts.append(path)
        return path

    yield mount
    for path in reversed(mounts):
        subprocess.run(["umount", "--lazy", str(path)], check=True, capture_output=True)
    assert root.exists()


@pytest.mark.promise("atomic.in-place")
@as_root
def test_a_file_that_is_a_mount_point_from_another_device_is_written_in_place(
    root: Path, mount_at: Callable[..., Path]
) -> None:
    (root.parent / "disk").mkdir()
    disk = mount_at(root.parent / "disk", "-t", "tmpfs", "-o", "size=1m", "tmpfs")
    (disk / "real.txt").write_bytes(b"one\ntwo\n")
    mount_at(root / "a.txt", "--bind", str(disk / "real.txt"))
    inode = (disk / "real.txt").stat().st_ino
    update(root)
    assert (disk / "real.txt").read_bytes() == b"zero\none\ntwo\n"
    assert (root / "a.txt").stat().st_ino == inode


@pytest.mark.promise("atomic.in-place")
@as_root
def test_a_file_that_is_a_mount_point_from_the_same_device_is_written_in_place(
    root: Path, mount_at: Callable[..., Path]
) -> None:
    real = root.parent / "real.txt"
    real.write_bytes(b"one\ntwo\n")
    mount_at(root / "a.txt", "--bind", str(real))
    update(root)
    assert real.read_bytes() == b"zero\none\ntwo\n"


@pytest.mark.promise("atomic.refused")
@as_root
@pytest.mark.parametrize("change", [lambda tx: tx.delete("a.txt"), lambda tx: tx.rename("a.txt", "b.txt")])
def test_a_mount_point_is_neither_deleted_nor_moved(
    root: Path, mount_at: Callable[..., Path], change: Callable[[Transaction], None]
) -> None:
    real = root.parent / "real.txt"
    real.write_bytes(b"mounted\n")
    mount_at(root / "a.txt", "--bind", str(real))
    with pytest.raises(SutureError) as caught, Workspace(root, FAST).transaction() as tx:
        change(tx)
    assert caught.value.code == "WRITE_FAILED"
    assert sorted(os.listdir(root)) == ["a.txt"]  # noqa: PTH208  strays would show
    assert real.read_bytes() == b"mounted\n"


@pytest.mark.promise("atomic.in-place")
@as_root
@pytest.mark.parametrize("change", [insert, overwrite])
def test_a_file_of_someone_else_is_written_in_place_and_stays_theirs(
    shared_root: Path, change: Callable[[Transaction], None]
) -> None:
    change_owner(shared_root, NOBODY)
    (shared_root / "a.txt").write_bytes(b"one\ntwo\n")
    change_owner(shared_root / "a.txt", STRANGER, NOBODY)
    (shared_root / "a.txt").chmod(0o664)
    before, inode = metadata(shared_root / "a.txt"), (shared_root / "a.txt").stat().st_ino
    with nobody():
        update(shared_root, change)
    assert metadata(shared_root / "a.txt") == before
    assert (shared_root / "a.txt").stat().st_ino == inode


@pytest.mark.promise("atomic.in-place")
@as_root
def test_a_file_of_a_group_that_its_owner_is_not_in_keeps_the_group(shared_root: Path) -> None:
    change_owner(shared_root, NOBODY)
    (shared_root / "a.txt").write_bytes(b"one\ntwo\n")
    change_owner(shared_root / "a.txt", NOBODY, STRANGER)
    (shared_root / "a.txt").chmod(0o660)
    before = metadata(shared_root / "a.txt")
    with nobody():
        update(shared_root)
    assert metadata(shared_root / "a.txt") == before


@pytest.mark.promise("atomic.in-place")
@as_root
def test_a_file_with_an_attribute_that_its_owner_may_not_set_keeps_it(shared_root: Path) -> None:
    change_owner(shared_root, NOBODY)
    (shared_root / "a.txt").write_bytes(b"one\ntwo\n")
    change_owner(shared_root / "a.txt", NOBODY)
    set_attribute(shared_root / "a.txt", "security.note", b"from above")
    before = metadata(shared_root / "a.txt")
    with nobody():
        update(shared_root)
    assert metadata(shared_root / "a.txt") == before


@pytest.mark.promise("span.metadata")
@as_root
@pytest.mark.parametrize("mode", [0o755, 0o4755, 0o2755])
@pytest.mark.parametrize("second_name", [False, True])
def test_an_update_by_the_owner_keeps_the_mode_even_in_place(
    shared_root: Path,
    second_name: bool,  # noqa: FBT001  a parameter of pytest
    mode: int,
) -> None:
    change_owner(shared_root, NOBODY)
    (shared_root / "a.txt").write_bytes(b"one\ntwo\n")
    change_owner(shared_root / "a.txt", NOBODY)
    if second_name:
        (shared_root / "b.txt").hardlink_to(shared_root / "a.txt")
    (shared_root / "a.txt").chmod(mode)
    before = metadata(shared_root / "a.txt")
    with nobody():
        update(shared_root)
    assert metadata(shared_root / "a.txt") == before


@pytest.mark.promise("span.metadata")
@as_root
def test_an_update_in_place_by_root_keeps_capabilities(root: Path) -> None:
    (root / "b.txt").hardlink_to(root / "a.txt")
    set_attribute(root / "a.txt", "security.capability", struct.pack("<IIIII", 0x02000001, 1 << 10, 0, 0, 0))
    before = metadata(root / "a.txt")
    update(root)
    assert metadata(root / "a.txt") == before


@pytest.mark.promise("span.metadata")
@as_root
def test_a_new_file_in_a_folder_that_hands_down_its_group_belongs_to_it(shared_root: Path) -> None:
    change_owner(shared_root, NOBODY, STRANGER)
    shared_root.chmod(0o2775)
    with nobody(), Workspace(shared_root, FAST).transaction() as tx:
        tx.create("made/new.txt", b"new\n")
    assert [(shared_root / path).stat().st_gid for path in ("made", "made/new.txt")] == [STRANGER, STRANGER]


@pytest.mark.promise("atomic.refused")
@as_root
def test_what_can_be_kept_neither_by_rename_nor_in_place_is_refused(shared_root: Path) -> None:
    change_owner(shared_root, NOBODY)
    (shared_root / "a.txt").write_bytes(b"one\ntwo\n")
    change_owner(shared_root / "a.txt", STRANGER, NOBODY)
    (shared_root / "a.txt").chmod(0o664)
    before = metadata(shared_root / "a.txt")
    with nobody(), pytest.raises(SutureError) as caught, Workspace(shared_root, FAST).transaction() as tx:
        tx.rename("a.txt", "b.txt", b"new\n")
    assert caught.value.code == "PERMISSION_DENIED"
    assert sorted(os.listdir(shared_root)) == ["a.txt"]  # noqa: PTH208  strays would show
    assert metadata(shared_root / "a.txt") == before
