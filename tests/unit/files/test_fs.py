"""A tree opens every folder from the root downwards, keeps few of them open, and never follows a link."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from suture.errors import SutureError
from suture.files.fs import Tree, split
from suture.files.local_fs import LocalFS
from suture.settings import Settings
from suture.testing import FaultyFS, MemoryFS
from suture.workspace import Workspace

FAST = Settings(durability="fast")


class CountingFS(LocalFS):
    """Counts open handles, and their maximum."""

    def __init__(self) -> None:
        self.open: set[int] = set()
        self.most = 0

    def _count(self, handle: int) -> int:
        self.open.add(handle)
        self.most = max(self.most, len(self.open))
        return handle

    def unlock(self, handle: int) -> None:
        self.open.remove(handle)
        super().unlock(handle)

    def open_root(self, path: str) -> int:
        return self._count(super().open_root(path))

    def open_folder(self, folder: int, name: str) -> int:
        return self._count(super().open_folder(folder, name))

    def open_file(self, folder: int, name: str) -> int:
        return self._count(super().open_file(folder, name))

    def open_write(self, folder: int, name: str) -> int:
        return self._count(super().open_write(folder, name))

    def create(self, folder: int, name: str, mode: int) -> int:
        return self._count(super().create(folder, name, mode))

    def lock(self, folder: int) -> int | None:
        handle = super().lock(folder)
        return handle if handle is None else self._count(handle)

    def close(self, handle: int) -> None:
        self.open.remove(handle)
        super().close(handle)


def test_many_folders_are_not_all_kept_open(tmp_path: Path) -> None:
    for number in range(200):
        (tmp_path / f"{number}/sub").mkdir(parents=True)
        (tmp_path / f"{number}/sub/f.txt").write_bytes(b"one\n")
    fs = CountingFS()
    workspace = Workspace(tmp_path, FAST, fs=fs)
    assert fs.open == set()
    with workspace.transaction() as tx:
        for number in range(200):
            tx.write(f"{number}/sub/f.txt", b"two\n")
            tx.create(f"{number}/new/f.txt", b"two\n")
    assert fs.open == set()
    assert fs.most < 80
    texts = {(tmp_path / f"{number}/{folder}/f.txt").read_bytes() for number in range(200) for folder in ("sub", "new")}
    assert texts == {b"two\n"}


def test_a_refusal_leaves_no_handle_open(tmp_path: Path) -> None:
    for number in range(100):
        (tmp_path / f"{number}").mkdir()
    (tmp_path / "99/f.txt").write_bytes(b"one\n")
    fs = CountingFS()
    transaction = Workspace(tmp_path, FAST, fs=fs).transaction()
    for number in range(100):
        transaction.create(f"{number}/f.txt", b"two\n")
    with pytest.raises(SutureError) as caught, transaction:
        pass
    assert caught.value.code == "FILE_EXISTS"
    assert fs.open == set()


@pytest.mark.parametrize("call", ["open_folder", "stat", "open_file", "read", "fstat", "list"])
def test_a_failing_call_leaves_no_handle_open(tmp_path: Path, call: str) -> None:
    (tmp_path / "one/two/three").mkdir(parents=True)
    (tmp_path / "one/two/three/f.txt").write_bytes(b"one\n")
    counting = FaultyFS(LocalFS(), only=[call])
    Workspace(tmp_path, FAST, fs=counting).call("file_read", {"path": "one/two/three/g.txt"})
    Workspace(tmp_path, FAST, fs=counting).call("file_read", {"path": "one/two/three/f.txt"})
    assert counting.calls
    for moment in range(1, len(counting.calls) + 1):
        fs = CountingFS()
        faulty = FaultyFS(fs, only=[call], fail_at=moment)
        for name in ("g.txt", "f.txt"):
            try:
                Workspace(tmp_path, FAST, fs=faulty).call("file_read", {"path": f"one/two/three/{name}"})
            except (SutureError, OSError):
                assert call in {"fstat", "stat"}  # the root itself could not be looked at
        assert fs.open == set(), moment


def test_very_deep_folders_can_be_made_read_and_emptied(tmp_path: Path) -> None:
    fs = CountingFS()
    workspace = Workspace(tmp_path, FAST, fs=fs)
    path = "/".join(["a folder with a long name"] * 250) + "/f.txt"
    with workspace.transaction() as tx:
        tx.create(path, b"one\n")
    with workspace.transaction() as tx:
        tx.write(path, b"two\n")
    assert workspace.file_read(path, format="raw").text == "two\n"
    with workspace.transaction() as tx:
        tx.rename(path, "f.txt")
    assert (tmp_path / "f.txt").read_bytes() == b"two\n"
    assert fs.most < 80
    assert fs.open == set()
    shutil.rmtree(tmp_path / "a folder with a long name")


def test_folders_made_for_a_transaction_that_fails_are_taken_away(tmp_path: Path) -> None:
    fs = FaultyFS(LocalFS(), only=["create"], fail_at=3)
    transaction = Workspace(tmp_path, FAST, fs=fs).transaction()
    transaction.create("/".join("abcdefgh") + "/f.txt", b"")
    transaction.create("x/y/f.txt", b"")
    with pytest.raises(SutureError), transaction:
        pass
    assert os.listdir(tmp_path) == []  # noqa: PTH208  strays would show


def test_a_folder_is_opened_from_the_nearest_one_that_is_open() -> None:
    fs = FaultyFS(MemoryFS({"a/b/c/f.txt": b"", "a/b/d/g.txt": b""}), only=["open_root", "open_folder"])
    with Tree(fs, "/ws") as tree:
        tree.folder("a/b")
        assert fs.calls == ["open_root", "open_folder", "open_folder"]
        assert tree.folder("a/b/c") != tree.folder("a/b/d")
        assert fs.calls[3:] == ["open_folder", "open_folder"]
        assert tree.folder("a/b") == tree.folder("a/b")
        assert len(fs.calls) == 5


@pytest.mark.parametrize(("size", "reads"), [(3, 1), (1, 3), (4, 2), (None, 2)])
def test_a_file_as_long_as_expected_is_read_at_once(size: int | None, reads: int) -> None:
    fs = FaultyFS(MemoryFS({"f.txt": b"two"}), only=["read"])
    with Tree(fs, "/ws") as tree:
        assert b"".join(tree.chunks("f.txt") if size is None else tree.chunks("f.txt", size)) == b"two"
    assert len(fs.calls) == reads


def test_the_folder_used_last_is_closed_last() -> None:
    memory = MemoryFS({f"{number}/f.txt": b"" for number in range(100)})
    with Tree(memory, "/ws") as tree:
        handle = tree.folder("0")
        for number in range(1, 100):
            tree.folder(str(number))
            assert tree.folder("0") == handle
        assert memory.fstat(handle).kind == "folder"


def test_the_status_of_a_path_is_reported_without_following_links() -> None:
    fs = MemoryFS({"a.txt": b"one", "sub/b.txt": b"two"})
    fs.put_link("link", "a.txt")
    fs.put_special("pipe")
    with Tree(fs, "/ws") as tree:
        kinds = {path: stat.kind if (stat := tree.stat(path)) else None for path in (
            "", "a.txt", "sub", "sub/b.txt", "link", "pipe", "missing", "missing/x", "a.txt/x", "pipe/x",
        )}  # fmt: skip
        assert kinds == {
            "": "folder",
            "a.txt": "file",
            "sub": "folder",
            "sub/b.txt": "file",
            "link": "link",
            "pipe": "other",
            "missing": None,
            "missing/x": None,
            "a.txt/x": None,
            "pipe/x": None,
        }
        assert tree.stat("n" * 256) is None
        assert tree.read_link("link") == "a.txt"
        assert tree.names("") == ["a.txt", "link", "pipe", "sub"]
        assert b"".join(tree.chunks("sub/b.txt")) == b"two"


@pytest.mark.promise("confine.swap")
@pytest.mark.parametrize(
    ("look", "expected"),
    [
        (lambda tree: tree.folder("link"), "PATH_OUTSIDE_WORKSPACE"),
        (lambda tree: tree.folder("link/deep"), "PATH_OUTSIDE_WORKSPACE"),
        (lambda tree: tree.stat("link/b.txt"), "PATH_OUTSIDE_WORKSPACE"),
        (lambda tree: tree.open_file("to-file"), "PATH_OUTSIDE_WORKSPACE"),
        (lambda tree: tree.open_file("link/b.txt"), "PATH_OUTSIDE_WORKSPACE"),
        (lambda tree: list(tree.chunks("to-file")), "PATH_OUTSIDE_WORKSPACE"),
        (lambda tree: tree.read_link("a.txt"), "PATH_OUTSIDE_WORKSPACE"),
        (lambda tree: tree.names("link"), "PATH_OUTSIDE_WORKSPACE"),
        (lambda tree: tree.names("a.txt"), "NOT_A_FOLDER"),
        (lambda tree: tree.folder("a.txt/x"), "NOT_A_FOLDER"),
        (lambda tree: tree.folder("missing"), "FILE_NOT_FOUND"),
        (lambda tree: tree.open_file("missing"), "FILE_NOT_FOUND"),
        (lambda tree: tree.read_link("missing"), "FILE_NOT_FOUND"),
    ],
)
@pytest.mark.parametrize("kind", ["memory", "local"])
def test_what_is_not_there_or_a_link_is_reported_as_our_error(
    tmp_path: Path, kind: str, look: Callable[[Tree], object], expected: str
) -> None:
    if kind == "memory":
        memory = MemoryFS({"a.txt": b"one", "sub/b.txt": b"two", "sub/deep/c.txt": b""})
        memory.put_link("link", "sub")
        memory.put_link("to-file", "a.txt")
        tree = Tree(memory, "/ws")
    else:
        (tmp_path / "sub/deep").mkdir(parents=True)
        (tmp_path / "a.txt").write_bytes(b"one")
        (tmp_path / "link").symlink_to("sub")
        (tmp_path / "to-file").symlink_to("a.txt")
        tree = Tree(LocalFS(), str(tmp_path))
    with tree, pytest.raises(SutureError) as caught:
        look(tree)
    assert caught.value.code == expected


def test_a_root_that_cannot_be_opened_is_reported_as_our_error(tmp_path: Path) -> None:
    with pytest.raises(SutureError) as caught, Tree(LocalFS(), str(tmp_path / "missing")) as tree:
        tree.stat("")
    assert caught.value.code == "WORKSPACE_NOT_FOUND"


@pytest.mark.parametrize(
    ("path", "expected"), [("", ("", "")), ("a", ("", "a")), ("a/b", ("a", "b")), ("a/b/c", ("a/b", "c"))]
)
def test_a_path_is_split_into_folder_and_name(path: str, expected: tuple[str, str]) -> None:
    assert split(path) == expected
