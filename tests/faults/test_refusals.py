"""Refusals by the operating system or the engine: a clear error, and the tree as it was, with nothing left over.

The transactions here have several files, so that something has been done before the refusal.
"""

import errno
import os
import resource
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import pytest

from suture.engine import Transaction
from suture.errors import SutureError
from suture.files.fs import FS, Stat
from suture.files.local_fs import LocalFS
from suture.settings import Settings
from suture.testing import FaultyFS, Stopped
from suture.text.edits import edit
from suture.workspace import Workspace
from tests.faults.users import NOBODY, ROOT, nobody

FAST = Settings(durability="fast")
for module in "difflib fcntl fnmatch hashlib json suture.files.commit suture.files.recovery".split():
    import_module(module)  # an ordinary user may not be able to import them later
as_root = pytest.mark.skipif(not ROOT, reason="only root can mount, or give files to others")
PAGE = 4096
Ask = Callable[[Transaction], None]


@pytest.fixture
def root() -> Iterator[Path]:
    """A workspace that every user can access, unlike pytest's own folders, and that belongs to no user."""
    top = Path(tempfile.mkdtemp(prefix="suture-test-"))
    top.chmod(0o755)
    for name, data in {"a.txt": b"one\n", "b.txt": b"two\n", "sub/c.txt": b"three\n", "sub/d.txt": b"four\n"}.items():
        (top / "ws" / name).parent.mkdir(parents=True, exist_ok=True)
        (top / "ws" / name).write_bytes(data)
    if ROOT:
        for folder, folders, names in os.walk(top):
            for path in (folder, *(os.path.join(folder, name) for name in (*folders, *names))):  # noqa: PTH118  `os.walk` gives texts
                os.chown(path, NOBODY, NOBODY)
    yield top / "ws"
    for closed in (top / "ws", top / "ws/sub"):
        if closed.exists():
            closed.chmod(0o755)
    shutil.rmtree(top)


@pytest.fixture
def disk(root: Path) -> Iterator[Callable[[str], Path]]:
    """Mount a small file system next to the workspace; it is unmounted afterwards."""
    mount_points: list[Path] = []

    def mount(options: str) -> Path:
        mount_point = root.parent / f"disk {len(mount_points)}"
        mount_point.mkdir()
        try:
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(mount_point)], check=True, capture_output=True
            )
        except (OSError, subprocess.CalledProcessError) as error:
            pytest.skip(f"cannot mount here: {error}")
        mount_points.append(mount_point)
        return mount_point

    yield mount
    for mount_point in mount_points:
        subprocess.run(["umount", "--lazy", str(mount_point)], check=True, capture_output=True)


def contents(top: Path) -> dict[str, bytes]:
    return {str(path.relative_to(top)): path.read_bytes() for path in top.rglob("*") if path.is_file()}


def tree(top: Path) -> dict[str, tuple[object, ...]]:
    """Everything below a folder: its type, owner and content."""
    entries: dict[str, tuple[object, ...]] = {}
    for folder, folders, names in os.walk(top):
        for path in (Path(folder, name) for name in (*folders, *names)):
            status = path.lstat()
            entries[str(path.relative_to(top))] = (stat.filemode(status.st_mode), status.st_uid, status.st_gid)
            if stat.S_ISREG(status.st_mode):
                modified = status.st_mtime_ns if status.st_nlink == 1 else None  # writing back in place changes it
                entries[str(path.relative_to(top))] += (status.st_nlink, modified, path.read_bytes())
    return entries


def outcome(workspace: Workspace, *asks: Ask) -> SutureError | None:
    """Try a transaction; if it fails, it must have left nothing behind."""
    before = tree(Path(workspace.root))
    try:
        with workspace.transaction() as tx:
            for ask in asks:
                ask(tx)
    except SutureError as error:
        failure = error
    else:
        return None
    assert tree(Path(workspace.root)) == before
    return failure


def refusal(workspace: Workspace, *asks: Ask) -> SutureError:
    """The error of a transaction that must fail and leave nothing behind."""
    error = outcome(workspace, *asks)
    assert error is not None
    return error


def make_changes(tx: Transaction) -> None:
    """An update, a new file in a new folder, a move and a deletion, each of which would succeed."""
    tx.write("a.txt", b"new\n")
    tx.create("new/deep/e.txt", b"new\n")
    tx.rename("b.txt", "moved.txt")


REFUSED: dict[str, tuple[str, list[Ask]]] = {
    "delete a missing file": ("FILE_NOT_FOUND", [lambda tx: tx.delete("missing.txt")]),
    "delete in a missing folder": ("FILE_NOT_FOUND", [lambda tx: tx.delete("missing/x.txt")]),
    "delete a folder": ("NOT_A_FILE", [lambda tx: tx.delete("sub")]),
    "edit a missing file": ("FILE_NOT_FOUND", [lambda tx: tx.edit("missing.txt", lambda _: [])]),
    "move a missing file": ("FILE_NOT_FOUND", [lambda tx: tx.rename("missing.txt", "x.txt")]),
    "move a folder": ("NOT_A_FILE", [lambda tx: tx.rename("sub", "x")]),
    "move onto a file": ("FILE_EXISTS", [lambda tx: tx.rename("sub/c.txt", "sub/d.txt")]),
    "move onto itself": ("FILE_EXISTS", [lambda tx: tx.rename("sub/c.txt", "sub/./c.txt")]),
    "move onto a folder": ("NOT_A_FILE", [lambda tx: tx.rename("sub/c.txt", "sub")]),
    "move below a file": ("NOT_A_FOLDER", [lambda tx: tx.rename("sub/c.txt", "sub/d.txt/c.txt")]),
    "create over a file": ("FILE_EXISTS", [lambda tx: tx.create("sub/c.txt", b"new\n")]),
    "create over a folder": ("NOT_A_FILE", [lambda tx: tx.create("sub", b"new\n")]),
    "create below a file": ("NOT_A_FOLDER", [lambda tx: tx.create("sub/c.txt/x", b"new\n")]),
    "write a folder": ("NOT_A_FILE", [lambda tx: tx.write("sub", b"new\n")]),
    "write one file twice": ("SAME_FILE_TWICE", [lambda tx: tx.write("a.txt", b"other\n")]),
    "write one file by two spellings": ("SAME_FILE_TWICE", [lambda tx: tx.write("sub/../a.txt", b"other\n")]),
    "write and delete one file": ("SAME_FILE_TWICE", [lambda tx: tx.delete("./a.txt")]),
    "write and move one file": ("SAME_FILE_TWICE", [lambda tx: tx.rename("a.txt", "x.txt")]),
    "move one file twice": ("SAME_FILE_TWICE", [lambda tx: tx.rename("b.txt", "x.txt")]),
    "create one file twice": (
        "SAME_FILE_TWICE",
        [lambda tx: tx.create("x.txt", b"1"), lambda tx: tx.create("./x.txt", b"2")],
    ),
    "move two files to one": (
        "SAME_FILE_TWICE",
        [lambda tx: tx.rename("sub/c.txt", "x.txt"), lambda tx: tx.rename("sub/d.txt", "x.txt")],
    ),
    "delete one file twice": (
        "SAME_FILE_TWICE",
        [lambda tx: tx.delete("sub/c.txt"), lambda tx: tx.delete("sub/../sub/c.txt")],
    ),
    "an edit outside the file": ("EDIT_OUT_OF_BOUNDS", [lambda tx: tx.edit("sub/c.txt", lambda _: [edit(0, 99, b"")])]),
}


@pytest.mark.promise("atomic.refused")
@pytest.mark.parametrize("position", ["first", "last"])
@pytest.mark.parametrize("name", REFUSED)
def test_a_transaction_with_one_impossible_part_changes_nothing(root: Path, name: str, position: str) -> None:
    code, asks = REFUSED[name]
    error = refusal(Workspace(root, FAST), *((*asks, make_changes) if position == "first" else (make_changes, *asks)))
    assert error.code == code


@pytest.mark.promise("atomic.refused")
@pytest.mark.parametrize(
    "asks",
    [
        [lambda tx: tx.create("x", b""), lambda tx: tx.create("x/y", b"")],
        [lambda tx: tx.create("x/y", b""), lambda tx: tx.create("x", b"")],
        [lambda tx: tx.delete("sub/c.txt"), lambda tx: tx.create("sub/c.txt/y", b"")],
        [lambda tx: tx.rename("sub/c.txt", "sub/c.txt/y")],
    ],
    ids=["file, folder", "folder, file", "deleted, folder", "below itself"],
)
def test_one_name_as_a_file_and_as_a_folder_is_refused(root: Path, asks: list[Ask]) -> None:
    error = refusal(Workspace(root, FAST), make_changes, *asks)
    assert not isinstance(error, OSError)
    assert error.code not in {"INTERNAL", "WORKSPACE_BUSY"}


@pytest.mark.promise("atomic.refused")
@pytest.mark.parametrize(
    "ask",
    [
        lambda tx: tx.write("second.txt", b"other\n"),
        lambda tx: tx.delete("second.txt"),
        lambda tx: tx.rename("second.txt", "x.txt"),
        lambda tx: tx.edit("link.txt", lambda _: [edit(0, 0, b"other\n")]),
    ],
    ids=["write", "delete", "move", "edit by a link"],
)
def test_one_file_by_two_names_is_refused(root: Path, ask: Ask) -> None:
    (root / "second.txt").hardlink_to(root / "a.txt")
    (root / "link.txt").symlink_to("a.txt")
    assert refusal(Workspace(root, FAST), make_changes, ask).code == "SAME_FILE_TWICE"


@pytest.mark.promise("atomic.refused")
def test_one_new_file_through_two_roots_is_refused(root: Path) -> None:
    workspace = Workspace(root, FAST.evolve(extra_roots=(str(root / "sub"),)))
    error = refusal(
        workspace, lambda tx: tx.create("sub/../sub/x.txt", b"1"), lambda tx: tx.create(f"{root}/sub/x.txt", b"2")
    )
    assert error.code == "SAME_FILE_TWICE"


@pytest.mark.promise("bound.input")
def test_a_file_beyond_the_limit_is_refused_by_every_operation(root: Path) -> None:
    (root / "big.txt").write_bytes(b"x" * 101)
    (root / "fits.txt").write_bytes(b"x" * 100)
    workspace = Workspace(root, FAST.evolve(max_file_bytes=100))
    operations: list[Ask] = [
        lambda tx: tx.edit("big.txt", lambda _: [edit(0, 0, b"x")]),
        lambda tx: tx.write("big.txt", b"small"),
        lambda tx: tx.delete("big.txt"),
        lambda tx: tx.rename("big.txt", "x.txt"),
    ]
    errors = [refusal(workspace, make_changes, operation) for operation in operations]
    assert [error.code for error in errors] == ["INPUT_TOO_LARGE"] * 4
    assert [error.fields()["setting"] for error in errors] == ["max_file_bytes"] * 4
    result = workspace.call("file_read", {"path": "big.txt"})
    assert (result.metadata["error"]["code"], result.metadata["error"]["limit"]) == ("INPUT_TOO_LARGE", 100)
    assert not workspace.call("file_read", {"path": "fits.txt"}).is_error


@pytest.mark.promise("bound.input")
def test_a_file_that_grows_while_it_is_read_is_not_read_beyond_the_limit(root: Path) -> None:
    def grow(_: int, name: str) -> None:
        if name == "read":
            with (root / "a.txt").open("ab") as file:
                file.write(b"x" * 100)

    workspace = Workspace(root, FAST.evolve(max_file_bytes=150), fs=FaultyFS(LocalFS(), on_call=grow))
    assert workspace.call("file_read", {"path": "a.txt"}).metadata["error"]["code"] == "INPUT_TOO_LARGE"


@pytest.mark.promise("bound.input")
def test_a_sparse_file_of_a_terabyte_is_refused_without_being_read(root: Path) -> None:
    try:
        os.truncate(root / "a.txt", 1 << 40)
    except OSError:
        pytest.skip("this file system has no such large files")
    calls = FaultyFS(LocalFS(), only=["read"])
    result = Workspace(root, FAST.evolve(max_file_bytes=1_000), fs=calls).call("file_read", {"path": "a.txt"})
    assert (result.metadata["error"]["code"], result.metadata["error"]["size"]) == ("INPUT_TOO_LARGE", 1 << 40)
    assert len(calls.calls) <= 1


@pytest.mark.promise("atomic.refused")
@pytest.mark.parametrize("name", ["missing", "a.txt", "a.txt/x", "dangling", "loop"])
def test_a_root_that_is_no_folder_is_refused(root: Path, name: str) -> None:
    (root / "dangling").symlink_to("nowhere")
    (root / "loop").symlink_to("loop")
    with pytest.raises(SutureError) as caught:
        Workspace(root / name)
    assert caught.value.code == "WORKSPACE_NOT_FOUND"
    with pytest.raises(SutureError) as caught:
        Workspace(root, Settings(extra_roots=(str(root / name),)))
    assert caught.value.code == "WORKSPACE_NOT_FOUND"


@pytest.mark.promise("atomic.refused")
def test_a_missing_root_is_reported(root: Path) -> None:
    workspace = Workspace(root, FAST)
    shutil.rmtree(root)
    assert workspace.call("file_read", {"path": "a.txt"}).metadata["error"]["code"] == "WORKSPACE_NOT_FOUND"
    with pytest.raises(SutureError) as caught, workspace.transaction() as tx:
        tx.create("a.txt", b"")
    assert caught.value.code == "WORKSPACE_NOT_FOUND"
    root.mkdir()


PARTS: dict[str, Ask] = {
    "update": lambda tx: tx.write("sub/c.txt", b"new\n"),
    "edit": lambda tx: tx.edit("sub/c.txt", lambda _: [edit(0, 0, b"new\n")]),
    "create": lambda tx: tx.create("sub/x.txt", b"new\n"),
    "create below": lambda tx: tx.create("sub/x/y/z.txt", b"new\n"),
    "delete": lambda tx: tx.delete("sub/c.txt"),
    "move from": lambda tx: tx.rename("sub/c.txt", "c.txt"),
    "move to": lambda tx: tx.rename("a.txt", "sub/a.txt"),
    "move within": lambda tx: tx.rename("sub/c.txt", "sub/x.txt"),
}


@pytest.mark.promise("atomic.refused")
@pytest.mark.parametrize("mode", [0o555, 0o500, 0o511])
@pytest.mark.parametrize("part", PARTS)
def test_a_read_only_folder_is_reported_and_nothing_is_changed(root: Path, part: str, mode: int) -> None:
    (root / "sub").chmod(mode)
    with nobody():
        workspace = Workspace(root, FAST)
        error = refusal(workspace, lambda tx: tx.write("b.txt", b"new\n"), PARTS[part])
        assert error.code == "PERMISSION_DENIED"
        if mode != 0o511:
            assert workspace.file_read("sub/c.txt", format="raw").text == "three\n"


@pytest.mark.promise("atomic.refused")
@pytest.mark.parametrize("part", PARTS)
def test_a_read_only_root_is_reported_and_nothing_is_changed(root: Path, part: str) -> None:
    root.chmod(0o555)
    with nobody():
        workspace = Workspace(root, FAST)
        assert refusal(workspace, PARTS[part]).code == "PERMISSION_DENIED"
        assert workspace.file_read("sub/c.txt", format="raw").text == "three\n"


@pytest.mark.promise("atomic.refused")
@pytest.mark.parametrize("part", ["update", "create", "delete"])
def test_a_root_that_cannot_be_listed_is_reported_and_nothing_is_changed(root: Path, part: str) -> None:
    before = tree(root)
    root.chmod(0o311)
    with nobody(), pytest.raises(SutureError) as caught, Workspace(root, FAST).transaction() as tx:
        PARTS[part](tx)
    assert caught.value.code == "PERMISSION_DENIED"
    root.chmod(0o755)
    assert tree(root) == before


@pytest.mark.promise("atomic.refused")
def test_in_a_folder_that_cannot_be_listed_files_are_read_and_missing_ones_are_missing(root: Path) -> None:
    (root / "sub").chmod(0o311)
    with nobody():
        workspace = Workspace(root, FAST)
        assert workspace.file_read("sub/c.txt", format="raw").text == "three\n"
        assert workspace.call("file_read", {"path": "sub/x.txt"}).metadata["error"]["code"] == "FILE_NOT_FOUND"
        with workspace.transaction() as tx:
            tx.write("sub/c.txt", b"new\n")
    assert (root / "sub/c.txt").read_bytes() == b"new\n"


@pytest.mark.promise("atomic.refused")
@pytest.mark.parametrize("part", PARTS)
def test_a_folder_that_cannot_be_entered_is_reported_and_nothing_is_changed(root: Path, part: str) -> None:
    before = tree(root)
    (root / "sub").chmod(0o600)
    with nobody():
        workspace = Workspace(root, FAST)
        transaction = workspace.transaction()
        transaction.write("b.txt", b"new\n")
        PARTS[part](transaction)
        with pytest.raises(SutureError) as caught, transaction:
            pass
        assert caught.value.code == "PERMISSION_DENIED"
        assert workspace.call("file_read", {"path": "sub/c.txt"}).metadata["error"]["code"] == "PERMISSION_DENIED"
    (root / "sub").chmod(0o755)
    assert tree(root) == before


@pytest.mark.promise("atomic.refused")
@pytest.mark.parametrize("part", ["update", "edit"])
@pytest.mark.parametrize("second_name", ["", "sub/second.txt"])
def test_a_read_only_file_is_reported_and_nothing_is_changed(root: Path, part: str, second_name: str) -> None:
    if second_name:
        (root / second_name).hardlink_to(root / "sub/c.txt")
    (root / "sub/c.txt").chmod(0o444)
    with nobody():
        error = refusal(Workspace(root, FAST), make_changes, PARTS[part])
        assert (error.code, error.fields()["path"]) == ("PERMISSION_DENIED", "sub/c.txt")


@pytest.mark.promise("atomic.refused")
@pytest.mark.parametrize("part", ["update", "edit", "delete", "move from", "move within"])
def test_an_unreadable_file_is_reported_and_nothing_is_changed(root: Path, part: str) -> None:
    before = tree(root)
    (root / "sub/c.txt").chmod(0o200)
    with nobody():
        workspace = Workspace(root, FAST)
        transaction = workspace.transaction()
        make_changes(transaction)
        PARTS[part](transaction)
        with pytest.raises(SutureError) as caught, transaction:
            pass
        assert caught.value.code == "PERMISSION_DENIED"
        assert workspace.call("file_read", {"path": "sub/c.txt"}).metadata["error"]["code"] == "PERMISSION_DENIED"
    (root / "sub/c.txt").chmod(0o644)
    assert tree(root) == before


@pytest.mark.promise("atomic.refused")
@as_root
def test_a_file_of_someone_else_in_a_sticky_folder_is_neither_deleted_nor_moved(root: Path) -> None:
    os.chown(root / "sub", 0, 0)
    os.chown(root / "sub/c.txt", 0, 0)
    (root / "sub").chmod(0o1777)
    (root / "sub/c.txt").chmod(0o666)
    with nobody():
        workspace = Workspace(root, FAST)
        for part in ("delete", "move from", "move within"):
            assert refusal(workspace, make_changes, PARTS[part]).code == "PERMISSION_DENIED", part


FAILURES = {
    "EROFS": ("WRITE_FAILED", errno.EROFS),
    "ENOSPC": ("WRITE_FAILED", errno.ENOSPC),
    "EDQUOT": ("WRITE_FAILED", errno.EDQUOT),
    "EIO": ("WRITE_FAILED", errno.EIO),
    "EMFILE": ("WRITE_FAILED", errno.EMFILE),
    "EACCES": ("PERMISSION_DENIED", errno.EACCES),
    "EPERM": ("PERMISSION_DENIED", errno.EPERM),
}


@pytest.mark.promise("atomic.refused")
@pytest.mark.parametrize(
    ("call", "failure"),
    [*((call, failure) for call in ("create", "write", "mkdir", "link") for failure in FAILURES), ("sync", "EIO")],
)
def test_a_failure_of_the_system_is_reported_and_everything_is_restored(root: Path, call: str, failure: str) -> None:
    code, number = FAILURES[failure]
    settings = Settings(durability="full" if call == "sync" else "fast")
    counting = FaultyFS(LocalFS(), only=[call])
    shutil.copytree(root, root.parent / "trial")
    with Workspace(root.parent / "trial", settings, fs=counting).transaction() as tx:
        make_changes(tx)
    assert counting.calls
    for moment in range(1, len(counting.calls) + 1):
        fs = FaultyFS(LocalFS(), only=[call], fail_at=moment, error=number)
        error = outcome(Workspace(root, settings, fs=fs), make_changes)
        if error is None:  # there is another way; or the change has landed, and only files had to be removed
            Workspace(root).recover()
            landed = call == "sync" and contents(root) == contents(root.parent / "trial")
            assert landed or (call, code) == ("link", "PERMISSION_DENIED")
            return
        assert (error.code, error.fields().get("errno", number)) == (code, number), moment


class ReadOnlyFS(LocalFS):
    """A file system that was mounted read-only."""

    def _refuse(self, *_: object) -> NoReturn:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    create = open_write = rename = link = unlink = mkdir = rmdir = _refuse  # type: ignore[assignment]  # all refuse


@pytest.mark.promise("atomic.refused")
@pytest.mark.parametrize("part", PARTS)
def test_a_read_only_file_system_is_reported_and_reading_works(root: Path, part: str) -> None:
    workspace = Workspace(root, FAST, fs=ReadOnlyFS())
    error = refusal(workspace, PARTS[part])
    assert (error.code, error.fields()["errno"]) == ("WRITE_FAILED", errno.EROFS)
    assert workspace.file_read("sub/c.txt", format="raw").text == "three\n"


@pytest.mark.promise("atomic.refused")
@pytest.mark.parametrize(
    "make", [ReadOnlyFS, lambda: FaultyFS(LocalFS(), only=["unlink"], fail_at=1)], ids=["read-only", "failing"]
)
def test_an_interrupted_transaction_that_cannot_be_recovered_gives_a_clear_error(
    root: Path, make: Callable[[], FS]
) -> None:
    stopping = FaultyFS(LocalFS(), only=["rename", "link"], stop_at=4)
    with pytest.raises(Stopped), Workspace(root, FAST, fs=stopping).transaction() as tx:
        make_changes(tx)
    stopping.abandon()
    result = Workspace(root, FAST, fs=make()).call("file_read", {"path": "sub/c.txt"})
    assert result.is_error
    assert result.metadata["error"]["code"] != "INTERNAL"
    with pytest.raises(SutureError), Workspace(root, FAST, fs=make()).transaction() as tx:
        tx.write("sub/c.txt", b"new\n")
    Workspace(root, FAST).recover()
    assert (root / "sub/c.txt").read_bytes() == b"three\n"
    assert [name for name in tree(root) if ".suture" in name] == []


@pytest.mark.promise("atomic.refused")
def test_a_file_that_cannot_be_put_back_does_not_keep_the_others_from_it(root: Path) -> None:
    def fail(_: int, name: str) -> None:
        if name == "rename":  # of the last file; from now on every call in its folder fails
            (root / "sub").chmod(0o555)

    with nobody():
        transaction = Workspace(root, FAST, fs=FaultyFS(LocalFS(), only=["rename"], on_call=fail)).transaction()
        transaction.create("new.txt", b"new\n")
        transaction.delete("b.txt")
        transaction.write("sub/c.txt", b"new\n")
        with pytest.raises(SutureError), transaction:
            pass
    assert not (root / "new.txt").exists()
    assert (root / "b.txt").read_bytes() == b"two\n"
    assert (root / "sub/c.txt").read_bytes() == b"three\n"
    (root / "sub").chmod(0o755)
    Workspace(root, FAST).recover()
    assert [name for name in tree(root) if ".suture" in name] == []


class ShortNamesFS(LocalFS):
    """A file system whose names have 100 bytes at most, as encrypting ones have."""

    def _check(self, name: str) -> None:
        if len(os.fsencode(name)) > 100:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))

    def stat(self, folder: int, name: str) -> Stat | None:
        self._check(name)
        return super().stat(folder, name)

    def link(self, folder: int, name: str, to_folder: int, to_name: str) -> None:
        self._check(to_name)
        super().link(folder, name, to_folder, to_name)

    def mkdir(self, folder: int, name: str, mode: int = 0o777) -> None:
        self._check(name)
        super().mkdir(folder, name, mode)


@pytest.mark.promise("atomic.refused")
@pytest.mark.parametrize("path", ["<long>", "sub/<long>", "new/<long>", "<long>/x", "new/<long>/x", "new/x/<long>"])
def test_a_name_too_long_for_the_file_system_is_refused_and_the_next_call_works(root: Path, path: str) -> None:
    workspace = Workspace(root, FAST, fs=ShortNamesFS())
    error = refusal(workspace, make_changes, lambda tx: tx.create(path.replace("<long>", "n" * 101), b"new\n"))
    assert error.code in {"INVALID_PATH", "WRITE_FAILED"}
    assert workspace.file_read("sub/c.txt", format="raw").text == "three\n"


@pytest.mark.promise("atomic.refused")
@pytest.mark.parametrize("target", ["<long>", "sub/<long>", "new/<long>", "new/<long>/x"])
def test_a_name_too_long_that_a_link_brings_in_is_refused_and_the_next_call_works(root: Path, target: str) -> None:
    (root / "link").symlink_to(target.replace("<long>", "n" * 256))
    workspace = Workspace(root, FAST)
    error = refusal(workspace, make_changes, lambda tx: tx.create("link", b"new\n"))
    assert error.code in {"INVALID_PATH", "WRITE_FAILED"}
    assert workspace.file_read("sub/c.txt", format="raw").text == "three\n"


@pytest.mark.promise("atomic.refused")
@pytest.mark.parametrize("second_name", ["", "second.txt"])
@pytest.mark.parametrize("size", [70_000, 300_000])
def test_a_file_size_limit_is_reported_and_everything_is_restored(root: Path, second_name: str, size: int) -> None:
    if second_name:
        (root / second_name).hardlink_to(root / "sub/c.txt")
    workspace = Workspace(root, FAST)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, hard))
    try:
        error = refusal(workspace, make_changes, lambda tx: tx.write("sub/c.txt", b"x" * size))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (error.code, error.fields()["errno"]) == ("WRITE_FAILED", errno.EFBIG)


@pytest.mark.promise("atomic.refused")
@as_root
@pytest.mark.parametrize("second_name", ["", "second.txt"])
def test_a_full_disk_is_reported_and_everything_is_restored(disk: Callable[[str], Path], second_name: str) -> None:
    mount_point = disk(f"size={48 * PAGE}")
    (mount_point / "ws/sub").mkdir(parents=True)
    root = mount_point / "ws"
    outcomes = []
    for filled in range(48):
        for name, data in {"a.txt": b"one\n", "b.txt": b"two\n", "sub/c.txt": b"three\n"}.items():
            (root / name).write_bytes(data)
        if second_name:
            (root / second_name).hardlink_to(root / "sub/c.txt")
        try:
            (mount_point / "filler").write_bytes(b"x" * (filled * PAGE))
        except OSError:
            break
        error = outcome(Workspace(root), make_changes, lambda tx: tx.write("sub/c.txt", b"x" * (10 * PAGE)))
        outcomes.append("landed" if error is None else (error.code, error.fields()["errno"]))
        (mount_point / "filler").unlink()
        shutil.rmtree(root)
        (root / "sub").mkdir(parents=True)
    landed = outcomes.count("landed")
    assert 0 < landed < len(outcomes)
    assert outcomes == ["landed"] * landed + [("WRITE_FAILED", errno.ENOSPC)] * (len(outcomes) - landed)


@pytest.mark.promise("atomic.refused")
@as_root
def test_a_disk_without_room_for_another_file_is_reported_and_everything_is_restored(
    disk: Callable[[str], Path],
) -> None:
    mount_point = disk("size=1m,nr_inodes=12")
    (mount_point / "ws").mkdir()
    root = mount_point / "ws"
    for name in ("a.txt", "b.txt"):
        (root / name).write_bytes(b"old\n")
    outcomes = []
    for number in range(12):
        try:
            (mount_point / f"filler{number}").write_bytes(b"")
        except OSError:
            break
        error = outcome(Workspace(root, FAST), make_changes)
        outcomes.append("landed" if error is None else (error.code, error.fields()["errno"]))
        if error is None:
            shutil.rmtree(root / "new")
            (root / "moved.txt").rename(root / "b.txt")
            (root / "a.txt").write_bytes(b"old\n")
    assert outcomes[-1] == ("WRITE_FAILED", errno.ENOSPC)
    assert set(outcomes) <= {"landed", ("WRITE_FAILED", errno.ENOSPC)}


@pytest.mark.promise("atomic.refused")
@as_root
def test_a_move_to_another_file_system_lands_whole(root: Path, disk: Callable[[str], Path]) -> None:
    extra = disk("size=1m")
    (root / "a.txt").chmod(0o4751)
    os.chown(root / "a.txt", 12345, 54321)
    (root / "a.txt").chmod(0o4751)
    with Workspace(root, FAST.evolve(extra_roots=(str(extra),))).transaction() as tx:
        tx.rename("a.txt", f"{extra}/deep/a.txt")
        tx.rename("b.txt", f"{extra}/b.txt", b"new\n")
        tx.create(f"{extra}/c.txt", b"new\n")
        tx.write("sub/c.txt", b"new\n")
    assert {name: entry[-1] for name, entry in tree(extra).items() if len(entry) > 3} == {
        "deep/a.txt": b"one\n",
        "b.txt": b"new\n",
        "c.txt": b"new\n",
    }
    moved = (extra / "deep/a.txt").stat()
    assert (stat.S_IMODE(moved.st_mode), moved.st_uid, moved.st_gid) == (0o4751, 12345, 54321)
    assert sorted(tree(root)) == ["sub", "sub/c.txt", "sub/d.txt"]


@pytest.mark.promise("atomic.refused")
@as_root
def test_a_move_to_another_file_system_that_is_full_is_rolled_back(root: Path, disk: Callable[[str], Path]) -> None:
    extra = disk(f"size={8 * PAGE}")
    (extra / "filler").write_bytes(b"x" * (6 * PAGE))
    (root / "sub/c.txt").write_bytes(b"x" * (4 * PAGE))
    before = tree(extra)
    workspace = Workspace(root, FAST.evolve(extra_roots=(str(extra),)))
    error = refusal(workspace, make_changes, lambda tx: tx.rename("sub/c.txt", f"{extra}/new/c.txt"))
    assert (error.code, error.fields()["errno"]) == ("WRITE_FAILED", errno.ENOSPC)
    assert tree(extra) == before


class FarFS(LocalFS):
    """Two folders that behave like two file systems."""

    def __init__(self, near: Path) -> None:
        self._near = near

    def link(self, folder: int, name: str, to_folder: int, to_name: str) -> None:
        ends = {os.readlink(f"/proc/self/fd/{end}").startswith(str(self._near)) for end in (folder, to_folder)}  # noqa: PTH115  a descriptor's link is a text
        if len(ends) > 1:
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        super().link(folder, name, to_folder, to_name)


@pytest.mark.promise("atomic.refused")
@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to tell folders apart")
def test_a_move_between_roots_that_cannot_share_a_file_copies_it(root: Path, tmp_path: Path) -> None:
    extra = tmp_path / "extra"
    extra.mkdir()
    with Workspace(root, FAST.evolve(extra_roots=(str(extra),)), fs=FarFS(root)).transaction() as tx:
        tx.rename("a.txt", f"{extra}/a.txt")
        tx.write("b.txt", b"new\n")
    assert ((extra / "a.txt").read_bytes(), (root / "b.txt").read_bytes()) == (b"one\n", b"new\n")
    assert not (root / "a.txt").exists()
    assert [name for name in (*tree(root), *tree(extra)) if ".suture" in name] == []


@pytest.mark.promise("atomic.refused")
def test_a_workspace_locked_by_another_process_is_reported(root: Path) -> None:
    fs = LocalFS()
    folder = fs.open_root(str(root))
    lock = fs.lock(folder)
    assert lock is not None
    try:
        error = refusal(Workspace(root, FAST.evolve(lock_timeout_ms=0)), make_changes)
    finally:
        fs.close(lock)
        fs.close(folder)
    assert (error.code, error.retryable) == ("WORKSPACE_BUSY", True)
