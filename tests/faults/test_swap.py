"""A name that is a file or a folder when it is checked, and a link to the outside when it is used.

First the swap happens at every single call of an operation; then a second process swaps as fast as it can.
Success and refusal are both right. What is wrong: the secret in an answer or inside the root, a change outside,
an error that is not ours.
"""

import json
import os
import stat
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from suture.errors import FileExists, FileNotFound, SutureError
from suture.files.local_fs import LocalFS
from suture.settings import Settings
from suture.testing import FaultyFS, Stopped
from suture.text.edits import edit
from suture.tools.spec import ToolResult
from suture.wording import error_data, error_text
from suture.workspace import Workspace

SECRET = b"the-secret-of-the-outside"
FAST = Settings(durability="fast", lock_timeout_ms=0)
READS, WRITES = 1_500, 300
CLEAR = set(
    "done FILE_CHANGED FILE_EXISTS FILE_NOT_FOUND NOT_A_FILE NOT_A_FOLDER PATH_OUTSIDE_WORKSPACE RECOVERY_BLOCKED "
    "WRITE_FAILED".split()
)
Operation = Callable[[Workspace], ToolResult | None]


def create_tree(top: Path, *, second_name: bool = False) -> Path:
    """A root with a file in a folder, an outside with the same names, and links to it."""
    for folder in ("ws/sub", "outside/sub"):
        (top / folder).mkdir(parents=True)
    (top / "ws/sub/f.txt").write_bytes(b"one\n")
    (top / "ws/g.txt").write_bytes(b"two\n")
    if second_name:
        (top / "ws/second").hardlink_to(top / "ws/sub/f.txt")
    (top / "outside/sub/f.txt").write_bytes(SECRET)
    os.utime(top / "outside/sub/f.txt", ns=(1, 2))  # an access time so old that any read would move it
    (top / "to folder").symlink_to("../outside/sub")
    (top / "to file").symlink_to(top / "outside/sub/f.txt")
    return top / "ws"


def outside_of(root: Path) -> list[tuple[object, ...]]:
    """Everything outside, with its times; looking at it leaves no trace."""
    entries: list[tuple[object, ...]] = []
    for folder, folders, names in os.walk(root.parent / "outside"):
        for path in (Path(folder, name) for name in sorted((*names, *folders))):
            status = path.lstat()
            times = (status.st_mtime_ns, status.st_ctime_ns, status.st_atime_ns if path.is_file() else None)
            data = read_quietly(path) if path.is_file() else None
            entries.append((str(path), status.st_mode, status.st_ino, status.st_nlink, *times, data))
    return entries


def read_quietly(path: Path) -> bytes:
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOATIME", 0))
    try:
        return os.read(handle, 1 << 16)
    finally:
        os.close(handle)


def regular_files(top: Path) -> dict[str, bytes]:
    paths = (Path(folder, name) for folder, _, names in os.walk(top) for name in names)
    files = (path for path in paths if stat.S_ISREG(path.lstat().st_mode))
    return {str(path.relative_to(top)): path.read_bytes() for path in files}


def read(workspace: Workspace) -> ToolResult:
    return workspace.call("file_read", {"path": "sub/f.txt", "format": "raw"})


def change(workspace: Workspace) -> None:
    with workspace.transaction() as tx:
        tx.edit("sub/f.txt", lambda _: [edit(0, 0, b"zero\n")])


def change_in_place(workspace: Workspace) -> None:
    """Like `change`, on a file to which the tests give a second name."""
    change(workspace)


def create(workspace: Workspace) -> None:
    with workspace.transaction() as tx:
        tx.create("sub/new.txt", b"new\n")


def create_below(workspace: Workspace) -> None:
    with workspace.transaction() as tx:
        tx.create("sub/deep/new.txt", b"new\n")


def delete(workspace: Workspace) -> None:
    with workspace.transaction() as tx:
        tx.delete("sub/f.txt")


def move_in(workspace: Workspace) -> None:
    with workspace.transaction() as tx:
        tx.rename("g.txt", "sub/g.txt")


def move_out(workspace: Workspace) -> None:
    with workspace.transaction() as tx:
        tx.rename("sub/f.txt", "f.txt")


def come_and_go(workspace: Workspace) -> None:
    """Create a file, or delete it."""
    try:
        create(workspace)
    except FileExists:
        with workspace.transaction() as tx:
            tx.delete("sub/new.txt")


def to_and_fro(workspace: Workspace) -> None:
    """Move a file into the folder, or out of it."""
    try:
        move_in(workspace)
    except FileNotFound:
        with workspace.transaction() as tx:
            tx.rename("sub/g.txt", "g.txt")


def swap_folder(root: Path) -> None:
    (root / "sub").rename(root.parent / "parked")
    (root / "sub").symlink_to("../outside/sub")


def swap_file(root: Path) -> None:
    (root / "sub/f.txt").unlink(missing_ok=True)
    (root / "sub/f.txt").symlink_to("../../outside/sub/f.txt")


def swap_new_file(root: Path) -> None:
    for name in ("new.txt", "g.txt"):
        (root / "sub" / name).unlink(missing_ok=True)
        (root / "sub" / name).symlink_to(root.parent / "outside/sub/f.txt")


def swap_new_folder(root: Path) -> None:
    if (root / "sub/deep").is_dir():
        (root / "sub/deep").rename(root.parent / "parked")
    (root / "sub/deep").symlink_to("../../outside/sub")


def swap_to_pipe(root: Path) -> None:
    (root / "sub/f.txt").unlink(missing_ok=True)
    os.mkfifo(root / "sub/f.txt")


def swap_to_folder(root: Path) -> None:
    (root / "sub/f.txt").unlink(missing_ok=True)
    (root / "sub/f.txt").mkdir()


def swap_folder_for_file(root: Path) -> None:
    (root / "sub").rename(root.parent / "parked")
    (root / "sub").write_bytes(b"a file\n")


OPERATIONS: list[Operation] = [read, change, change_in_place, create, create_below, delete, move_in, move_out]
SWAPS: list[tuple[Callable[[Path], None], list[Operation]]] = [
    (swap_folder, OPERATIONS),
    (swap_file, [read, change, change_in_place, delete, move_out]),
    (swap_new_file, [create, move_in]),
    (swap_new_folder, [create_below]),
    (swap_to_pipe, [read, change_in_place]),
    (swap_to_folder, [change, delete]),
    (swap_folder_for_file, [change, create]),
]


def attempt(operation: Operation, workspace: Workspace) -> tuple[str, str]:
    """The outcome's code, and the whole answer."""
    try:
        result = operation(workspace)
    except SutureError as error:
        return error.code, f"{error} {error_text(error)} {error_data(error)}"
    except OSError as error:
        return repr(error), str(error)
    if result is None:
        return "done", ""
    return result.metadata["error"]["code"] if result.is_error else "done", json.dumps(result.to_dict())


@pytest.mark.promise("confine.swap")
@pytest.mark.parametrize(
    ("swap", "operation"), [(swap, operation) for swap, operations in SWAPS for operation in operations]
)
def test_a_swap_at_any_call_does_not_escape(tmp_path: Path, swap: Callable[[Path], None], operation: Operation) -> None:
    second = operation is change_in_place
    counting = FaultyFS(LocalFS())
    attempt(operation, Workspace(create_tree(tmp_path / "clean", second_name=second), FAST, fs=counting))
    unclear = []
    for moment in range(1, len(counting.calls) + 1):
        root = create_tree(tmp_path / str(moment), second_name=second)
        before = outside_of(root)

        def strike(number: int, _: str, moment: int = moment, root: Path = root) -> None:
            if number == moment:
                swap(root)

        code, answer = attempt(operation, Workspace(root, FAST, fs=FaultyFS(LocalFS(), on_call=strike)))
        if code not in CLEAR:
            unclear.append((moment, counting.calls[moment - 1], code))
        assert SECRET.decode() not in answer, moment
        assert outside_of(root) == before, moment
        leaks = {name: data for name, data in regular_files(root).items() if SECRET in data}
        assert leaks == {}, moment
    assert unclear == []


@pytest.mark.promise("confine.swap")
@pytest.mark.parametrize("operation", [read, change, delete, move_out])
def test_a_link_that_is_a_file_again_when_it_is_followed_gives_a_clear_error(
    tmp_path: Path, operation: Operation
) -> None:
    root = create_tree(tmp_path)
    (root / "sub/f.txt").rename(tmp_path / "f.txt")
    (root / "sub/f.txt").symlink_to(tmp_path / "outside/sub/f.txt")
    before = outside_of(root)

    def strike(_: int, name: str) -> None:
        if name == "read_link" and (tmp_path / "f.txt").exists():
            (tmp_path / "f.txt").replace(root / "sub/f.txt")

    code, answer = attempt(operation, Workspace(root, FAST, fs=FaultyFS(LocalFS(), on_call=strike)))
    assert code in CLEAR
    assert SECRET.decode() not in answer
    assert outside_of(root) == before


class TornFS(LocalFS):
    """A folder that is a link whenever it is opened, and a folder whenever it is examined."""

    def open_folder(self, folder: int, name: str) -> int:
        if name != "sub":
            return super().open_folder(folder, name)
        os.rename("sub", "parked", src_dir_fd=folder, dst_dir_fd=folder)
        os.symlink("../outside/sub", "sub", dir_fd=folder)
        try:
            return super().open_folder(folder, name)
        finally:
            os.unlink("sub", dir_fd=folder)
            os.rename("parked", "sub", src_dir_fd=folder, dst_dir_fd=folder)


@pytest.mark.promise("confine.swap")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_a_folder_that_is_a_link_only_while_it_is_opened_is_refused(tmp_path: Path, operation: Operation) -> None:
    root = create_tree(tmp_path, second_name=operation is change_in_place)
    before, inside = outside_of(root), regular_files(root)
    code, answer = attempt(operation, Workspace(root, FAST, fs=TornFS()))
    assert SECRET.decode() not in answer
    assert outside_of(root) == before
    assert code in CLEAR - {"done"}
    assert regular_files(root) == inside


@pytest.mark.promise("confine.swap")
@pytest.mark.parametrize("operation", [read, create])
def test_a_swap_during_a_recovery_does_not_escape_and_gives_a_clear_error(tmp_path: Path, operation: Operation) -> None:
    root = create_tree(tmp_path, second_name=True)
    stopping = FaultyFS(LocalFS(), stop_at=1, only=["truncate"])  # while writing in place
    with pytest.raises(Stopped):
        change(Workspace(root, FAST, fs=stopping))
    stopping.abandon()
    before = outside_of(root)

    def strike(_: int, name: str) -> None:
        if name == "open_write" and not (root / "sub/f.txt").is_symlink():
            swap_file(root)

    code, answer = attempt(operation, Workspace(root, FAST, fs=FaultyFS(LocalFS(), on_call=strike)))
    assert code in CLEAR - {"done"}
    assert SECRET.decode() not in answer
    assert outside_of(root) == before


SWAPPER = """
import ctypes, os, sys
one, other = (os.fsencode(path) for path in sys.argv[1:3])
libc = ctypes.CDLL(None, use_errno=True)
def exchange():
    return libc.renameat2(-100, one, -100, other, 2)
if exchange() or exchange():
    print("unable", flush=True)
    sys.exit()
print("ready", flush=True)
count = 0
parent = os.getppid()
while os.getppid() == parent and not os.path.exists(sys.argv[3]):
    exchange()
    count += 1
if count % 2:
    exchange()
print(count, flush=True)
"""


@contextmanager
def swap_repeatedly(first: Path, second: Path) -> Iterator[list[int]]:
    """A second process that exchanges two names atomically, repeatedly; yields the number of exchanges."""
    stop = first.parent.parent / f"stop {first.name}"
    counts: list[int] = []
    with subprocess.Popen(
        [sys.executable, "-c", SWAPPER, str(first), str(second), str(stop)], stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        if child.stdout.readline().strip() != "ready":
            pytest.skip("this system cannot exchange two names")
        try:
            yield counts
        finally:
            stop.touch()
            counts.append(int(child.stdout.readline()))


def run_operations(root: Path, operations: list[tuple[Operation, int]]) -> Counter[str]:
    """Run the operations while another process swaps; returns their outcomes."""
    outcomes: Counter[str] = Counter()
    for operation, times in operations:
        workspace = Workspace(root, FAST)
        for _ in range(times):
            code, answer = attempt(operation, workspace)
            assert SECRET.decode() not in answer
            outcomes[code] += 1
    return outcomes


@pytest.mark.promise("confine.swap")
@pytest.mark.parametrize(("first", "second"), [("sub", "to folder"), ("sub/f.txt", "to file")])
def test_a_second_process_that_swaps_does_not_make_anything_escape(tmp_path: Path, first: str, second: str) -> None:
    root = create_tree(tmp_path, second_name=True)
    before = outside_of(root)
    operations: list[tuple[Operation, int]] = [
        (read, READS),
        (come_and_go, WRITES),
        (to_and_fro, WRITES),
        (change_in_place, WRITES // 4),
    ]
    with swap_repeatedly(root / first, tmp_path / second) as swaps:
        outcomes = run_operations(root, operations)
    assert swaps[0] > 0
    assert sum(outcomes.values()) == sum(times for _, times in operations)
    assert outcomes.keys() - CLEAR == set()
    assert outside_of(root) == before
    assert {name: data for name, data in regular_files(root).items() if SECRET in data} == {}


@pytest.mark.promise("confine.swap")
def test_a_second_process_that_swaps_names_inside_loses_no_file(tmp_path: Path) -> None:
    root = create_tree(tmp_path)
    with swap_repeatedly(root / "sub", tmp_path / "to folder"):
        outcomes = run_operations(root, [(change, WRITES)])
    workspace = Workspace(root, FAST)
    workspace.recover()
    content = (root / "sub/f.txt").read_bytes()
    assert content == b"zero\n" * outcomes["done"] + b"one\n"
    assert [name for name in regular_files(tmp_path) if ".suture" in name] == []
