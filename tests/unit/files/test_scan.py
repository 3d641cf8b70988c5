"""Scans of a whole tree: what is listed, what is read, and when they stop."""

import errno
import os
import threading
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from time import monotonic

import pytest

from suture import Settings, Workspace
from suture.engine.checkpoint import Wanted, take_checkpoint
from suture.errors import CheckpointTooLarge, InputTooLarge
from suture.files import scan as scanning
from suture.files.fs import FS, Tree
from suture.files.local_fs import LocalFS
from suture.files.protected import Guard
from suture.files.scan import LeftOut, Limits, Scan, check_again, is_ignored, scan
from suture.testing import FaultyFS, MemoryFS
from tests.unit.changes import error_of, list_changes, succeed

LIMITS = Limits(files=1_000, ends=float("inf"), file_bytes=1_000_000, total_bytes=10**9)


def scan_tree(fs: FS, root: str, known: Scan | None = None, limits: Limits = LIMITS) -> Scan:
    with Tree(fs, root) as tree:
        return scan(tree, Guard(), known.files if known else {}, (), limits, bytes)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """A clock that advances by one with each look at it, from the given time on."""

    def start(at: float) -> None:
        ticks: Iterator[float] = (at + number for number in count())
        monkeypatch.setattr(scanning, "monotonic", lambda: next(ticks))

    return start


def test_a_file_is_read_again_only_if_its_stamp_has_changed() -> None:
    fs = MemoryFS({"a": b"1", "d/b": b"2"})
    first = scan_tree(fs, fs.root)
    hashes = {first.files["a"][1], first.files["d/b"][1]}
    assert (first.reread, {*first.kept} == hashes, first.stopped) == ({"a", "d/b"}, True, "")
    assert scan_tree(fs, fs.root, first).reread == set()
    fs.put("a", b"3")
    assert scan_tree(fs, fs.root, first).reread == {"a"}


def test_a_file_that_was_just_written_is_read_again_the_next_time(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1")
    first = scan_tree(LocalFS(), str(tmp_path))
    (tmp_path / "a").write_bytes(b"2")  # perhaps in the same tick of the file system's clock
    second = scan_tree(LocalFS(), str(tmp_path), first)
    assert [scanned.files["a"][1] for scanned in (first, second)] == [*first.kept, *second.kept]


def test_many_files_are_read_in_threads(tmp_path: Path) -> None:
    contents = {f"f{number}": b"%d" % (number % 50) * (number % 7) for number in range(600)}
    for name, content in contents.items():
        (tmp_path / name).write_bytes(content)
    threads: set[str] = set()

    def keep(content: bytes) -> bytes:
        threads.add(threading.current_thread().name)
        return content

    with Tree(LocalFS(), str(tmp_path)) as tree:
        found = scan(tree, Guard(), {}, (), LIMITS, keep)
    assert {name: found.kept[str(found.files[name][1])] for name in contents} == contents
    assert threading.main_thread().name not in threads


def test_a_scan_stops_at_its_limits(clock: Callable[[float], None]) -> None:
    fs = MemoryFS({f"d{number % 5}/{number}": b"%d" % number for number in range(20)})
    assert scan_tree(fs, fs.root, limits=LIMITS.evolve(files=10)).stopped == "files"
    assert scan_tree(fs, fs.root, limits=LIMITS.evolve(files=19)).stopped == "files"
    assert scan_tree(fs, fs.root, limits=LIMITS.evolve(total_bytes=5)).stopped == "bytes"
    stops: list[str] = []
    for ends in range(40):
        clock(0.0)
        found = scan_tree(fs, fs.root, limits=LIMITS.evolve(ends=float(ends)))
        stops.append(found.stopped)
        assert found.stopped or found.reread == fs.files().keys()
    assert (stops[0], stops[-1], sorted(stops, reverse=True)) == ("time", "", stops)


def test_known_files_are_looked_for_until_the_time_is_over(clock: Callable[[float], None]) -> None:
    fs = MemoryFS({".gitignore": b"*.log", "a.log": b""})
    clock(0.0)
    with Tree(fs, fs.root) as tree:
        found = scan(tree, Guard(), {}, ["a.log"], LIMITS.evolve(ends=0.5), bytes)
    assert (found.stopped, "a.log" in found.files) == ("time", False)


def test_a_file_that_changes_whenever_it_is_read_is_not_recorded() -> None:
    fs = MemoryFS({"a": b"1", "b": b"1"})
    numbers = count()

    def write(_: int, name: str) -> None:
        if name == "read_stamped":
            fs.put("a", b"%d" % next(numbers))

    found = scan_tree(FaultyFS(fs, on_call=write), fs.root)
    assert (found.reread, found.unreadable, found.files["a"][1]) == ({"b"}, {"a"}, None)


def test_what_is_below_a_folder_that_cannot_be_read_stays_as_it_was_known() -> None:
    fs = MemoryFS({"a": b"1", "d/b": b"2"})
    first = scan_tree(fs, fs.root)
    failing = FaultyFS(fs, only={"scan_stamps"}, fail_at=2, error=errno.EACCES)
    second = scan_tree(failing, fs.root, first)
    assert second.files == first.files
    gone = FaultyFS(fs, only={"scan_stamps"}, fail_at=2, error=errno.ENOENT)
    assert scan_tree(gone, fs.root).files.keys() == {"a"}


def test_a_root_that_cannot_be_read_is_an_error() -> None:
    fs = MemoryFS({"a": b"1"})
    with pytest.raises(OSError, match="Permission"):
        scan_tree(FaultyFS(fs, only={"scan_stamps"}, fail_at=1, error=errno.EACCES), fs.root)


@pytest.mark.parametrize("path", [".gitignore", "d/.gitignore"])
def test_too_many_rules_are_an_error(path: str) -> None:
    fs = MemoryFS({"d/a": b"1", path: b"*" * 20_001})
    with pytest.raises(InputTooLarge):
        scan_tree(fs, fs.root)


def test_a_path_is_ignored_as_in_a_scan() -> None:
    fs = MemoryFS({".gitignore": b"*.log\n/out/\n", "d/.gitignore": b"!keep.log\n", "out/a": b"", "d/keep.log": b""})
    with Tree(fs, fs.root) as tree:
        ignored = {
            path: is_ignored(tree, path) for path in ("a", "a.log", "out/a", "d/keep.log", ".git/x", "/x", "gone/a/b")
        }
    assert ignored == {
        "a": False,
        "a.log": True,
        "out/a": True,
        "d/keep.log": False,
        ".git/x": True,
        "/x": True,
        "gone/a/b": True,
    }


def test_worktrees_are_left_out_and_submodules_are_not() -> None:
    links = {
        "w/.git": b"gitdir: /repo/.git/worktrees/w\n",
        "slash/.git": b"gitdir: ../.git/worktrees/w/\n",
        "module/.git": b"gitdir: ../.git/modules/module\n",
        "other/.git": b"/repo/.git/worktrees/w\n",
    }
    below = {link.replace(".git", "d/a"): b"1" for link in links}
    fs = MemoryFS({".git": b"gitdir: /repo/.git/worktrees/root\n", "a": b"1"} | links | below)
    assert scan_tree(fs, fs.root).files.keys() == {"a", "module/d/a", "other/d/a"}
    with Tree(fs, fs.root) as tree:
        out = LeftOut(tree)
        assert {path: out.has(path) for path in (*below, "a", "gone/b")} == {
            "w/d/a": True,
            "slash/d/a": True,
            "module/d/a": False,
            "other/d/a": False,
            "a": False,
            "gone/b": False,
        }


def test_folders_of_version_control_are_left_out_under_any_name() -> None:
    ours = {"HEAD/a": b"", "cvs/a": b"", "half/HEAD": b"", "half/objects/a": b"", "d/refs/a": b"", "d/objects/a": b""}
    names = (".sl", ".pijul", "_darcs", "CVS", ".fossil", ".repo", ".hg", "sub/CVS")
    theirs = {f"{name}/a": b"" for name in names} | {"_FOSSIL_": b"", ".fslckout": b"", "sub/_FOSSIL_": b""}
    git = {"data/HEAD": b"", "data/objects/x/a": b"", "data/refs/heads/main": b"", "data/hooks/a": b""}
    fs = MemoryFS(ours | theirs | git)
    assert scan_tree(fs, fs.root).files.keys() == ours.keys()
    with Tree(fs, fs.root) as tree:
        out = LeftOut(tree)
        assert {path for path in ours | theirs | git if out.has(path)} == theirs.keys() | git.keys()
        assert {path for path in ours | theirs | git if is_ignored(tree, path)} == theirs.keys() | git.keys()


def test_known_and_changed_files_do_not_bring_back_a_folder_that_is_left_out() -> None:
    fs = MemoryFS({"data/a": b"1", "data/gone": b"1", "b": b"1"})
    first = scan_tree(fs, fs.root)
    for name in ("HEAD", "objects/x", "refs/x"):
        fs.put(f"data/{name}", b"")
    fs.put(".gitignore", b"data")
    with Tree(fs, fs.root) as tree:
        found = scan(tree, Guard(), first.files, ["data/HEAD"], LIMITS, bytes)
        again = check_again(tree, Guard(), found, first.files, LIMITS, bytes)
    assert [sorted(each.files) for each in (found, again)] == [[".gitignore", "b"]] * 2
    assert found.left_out == {"data/a", "data/gone"}


def test_a_folder_that_cannot_be_looked_at_is_not_left_out() -> None:
    fs = MemoryFS({"data/HEAD": b"", "data/objects/x": b"", "data/refs/x": b""})
    failing = FaultyFS(fs, only={"open_folder"}, fail_at=2, error=errno.EACCES)
    with Tree(failing, fs.root) as tree:
        assert not LeftOut(tree).has("data/HEAD")


# Checkpoints that do not come to an end, or that others get in the way of


def test_what_an_unfinished_first_scan_has_read_is_not_read_again(clock: Callable[[float], None]) -> None:
    fs = MemoryFS({f"{number:02}": b"%d" % number * 100 for number in range(20)})
    ws = Workspace(fs.root, fs=fs)
    reads = []
    for _ in range(10):
        faulty = FaultyFS(fs, only={"read_stamped"})
        clock(monotonic() + 60_000 - 10)  # ten looks before the end
        result = Workspace(fs.root, Settings(call_ms=75_000_000), fs=faulty).checkpoint("first")
        reads.append(faulty.calls.count("read_stamped"))
        if not result.is_error:
            break
        assert (error_of(result)["code"], error_of(result)["setting"]) == ("CHECKPOINT_TOO_LARGE", "call_ms")
        assert succeed(ws.checkpoints())["checkpoints"] == []
    assert len(reads) > 2
    assert sum(reads) <= 22
    assert list_changes(ws) == []
    fs.put("00", b"by hand")
    clock(0.0)
    assert succeed(ws.checkpoint("second"))["changed"] == 1


def test_two_checkpoints_at_once_record_a_change_once() -> None:
    fs = MemoryFS({"a": b"1", "b": b"1"})
    ws, other = Workspace(fs.root, fs=fs), Workspace(fs.root, fs=fs)
    succeed(ws.checkpoint("first"))
    fs.put("a", b"2")
    names = ["during one", "during another"]

    def interfere(_: int, name: str) -> None:
        if name == "scan_stamps" and names:
            fs.put("b", b"%d" % len(names))
            succeed(other.checkpoint(names.pop()))

    succeed(Workspace(fs.root, fs=FaultyFS(fs, on_call=interfere)).checkpoint("second"))
    touched = [file["path"] for change in list_changes(ws)[::-1] for file in change["files"]]
    assert touched.count("a") == 1
    points = [point["name"] for point in succeed(ws.checkpoints())["checkpoints"]]
    assert points[-1] == "second"
    succeed(ws.restore("first"))
    assert fs.files() == {"a": b"1", "b": b"1"}


def test_an_automatic_checkpoint_has_its_own_time_limit(clock: Callable[[float], None]) -> None:
    fs = MemoryFS({"a": b"1"})
    ws = Workspace(fs.root, fs=fs)
    clock(monotonic() + 5)
    with ws._engine.session() as session, pytest.raises(CheckpointTooLarge) as caught:
        take_checkpoint(session, Wanted("start", most_ms=2_000))
    assert (caught.value.limit, caught.value.setting) == (2_000, "checkpoint_ms")


def test_a_file_that_is_written_right_after_a_checkpoint_is_never_missed(tmp_path: Path) -> None:
    """Its size and its inode stay, and often its times."""
    file = tmp_path / "ws/a"
    file.parent.mkdir()
    file.write_bytes(b"00")
    ws = Workspace(file.parent)
    succeed(ws.checkpoint("first"))
    for number in range(1, 25):
        file.write_bytes(b"%02d" % number)
        assert succeed(ws.checkpoint())["changed"] == 1
    ws.close()


def test_a_file_whose_modification_time_was_set_back_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"1")
    os.utime(file, ns=(10**18, 10**18))
    first = scan_tree(LocalFS(), str(tmp_path))
    file.write_bytes(b"2")
    os.utime(file, ns=(10**18, 10**18))
    second = scan_tree(LocalFS(), str(tmp_path), first)
    assert second.reread == {"a"}
    assert second.files["a"][1] != first.files["a"][1]
