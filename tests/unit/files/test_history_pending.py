"""With durability `fast` a change is pending beside the history's database, with no visible difference except speed."""

from __future__ import annotations

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from suture import Settings, Workspace
from suture.files.fs import FS
from suture.files.history import PendingChanges, PendingFile
from suture.files.local_fs import LocalFS
from suture.files.state import state_folder
from suture.plan import ChangeRecord, FileRecord, Version, digest
from suture.testing import FaultyFS

FAST = Settings(durability="fast", history_timeout_ms=0)
FILLER = b"a line that all versions share\n" * 100
ENOUGH = 40  # changes, of which not all can be waiting


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace with one file."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "a.txt").write_bytes(version(0))
    return folder


def version(number: int) -> bytes:
    return FILLER + b"%d\n" % number + FILLER


def edit(workspace: Workspace, *numbers: int) -> None:
    """Write versions of the file, each as a change."""
    for number in numbers:
        with workspace.transaction(str(number)) as tx:
            tx.write("a.txt", version(number))
        assert tx.change is not None
        assert tx.change.trouble is None


def list_numbers(root: Path) -> list[int]:
    """The recorded changes, oldest first, as another process sees them; 0 means a damaged one."""
    result = Workspace(root, FAST).history(limit=1000)
    assert not result.is_error, result.text
    changes = result.metadata["changes"][::-1]
    return [0 if change["state"] == "damaged" else int(change["summary"]) for change in changes]


def undo_times(root: Path, times: int) -> list[bytes]:
    """The file's content after each `undo`."""
    workspace, contents = Workspace(root, FAST), []
    for _ in range(times):
        result = workspace.undo()
        assert not result.is_error, result.text
        contents.append((root / "a.txt").read_bytes())
    return contents


def shelf() -> Path:
    return Path(state_folder()) / ".suture-history"


def pending_files() -> list[Path]:
    return list(shelf().glob("*-pending"))


def count_recorded() -> int:
    """The number of changes in the database itself."""
    (database,) = shelf().glob("*.db")
    with closing(sqlite3.connect(database)) as opened:
        return int(opened.execute("SELECT count(*) FROM change").fetchone()[0])


@pytest.mark.slow
@pytest.mark.promise("back.recorded")
def test_changes_wait_for_each_other_and_are_recorded_together(root: Path) -> None:
    workspace = Workspace(root, FAST)
    edit(workspace, 1, 2, 3)
    assert (len(pending_files()), count_recorded()) == (1, 1)
    edit(workspace, *range(4, ENOUGH + 1))
    assert 3 < count_recorded() < ENOUGH
    assert list_numbers(root) == [*range(1, ENOUGH + 1)]
    assert count_recorded() == ENOUGH
    assert undo_times(root, ENOUGH) == [version(number) for number in range(ENOUGH - 1, -1, -1)]


def test_with_full_durability_and_in_a_new_process_nothing_waits(root: Path) -> None:
    edit(Workspace(root), 1, 2)
    edit(Workspace(root, FAST), 3)
    edit(Workspace(root, FAST), 4)
    assert (pending_files(), count_recorded()) == ([], 4)


@pytest.mark.slow
@pytest.mark.parametrize("size", [400_000, 2_000_000])
def test_what_is_large_is_recorded_at_once_before_too_much_waits(root: Path, size: int) -> None:
    workspace = Workspace(root, FAST)
    luck = [os.urandom(size) for _ in range(4)]
    edit(workspace, 1)
    for number, content in enumerate(luck, 2):
        with workspace.transaction(str(number)) as tx:
            tx.write("a.txt", content)
        assert sum(path.stat().st_size for path in pending_files()) < 1_000_000
    assert list_numbers(root) == [1, 2, 3, 4, 5]
    assert undo_times(root, 4) == [*luck[2::-1], version(1)]


@pytest.mark.promise("back.recorded")
def test_every_kind_of_change_is_recorded_as_if_it_had_not_waited(tmp_path: Path, root: Path) -> None:
    histories = []
    for durability in ("fast", "full"):
        here = tmp_path / durability
        shutil.copytree(root, here)
        workspace = Workspace(here, Settings(durability=durability))
        edit(workspace, 1)
        with workspace.transaction("all kinds") as tx:
            tx.create("folder/new.txt", b"new")
            tx.rename("a.txt", "folder/b.txt")
        with workspace.transaction("away") as tx:
            tx.delete("folder/b.txt")
        assert len(pending_files()) == (durability == "fast")
        assert not workspace.undo().is_error
        changes = workspace.history().metadata["changes"]
        details = [workspace.show(change["change_id"]).metadata for change in changes]
        histories.append([change | dict.fromkeys(("change_id", "time", "undoes", "summary")) for change in details])
        assert undo_times(here, 1) == [version(1)]
    assert histories[0] == histories[1]


# Others


@pytest.mark.promise("back.recorded")
def test_a_reader_sees_pending_changes_and_disturbs_nobody(root: Path) -> None:
    workspace, numbers = Workspace(root, FAST), [1]
    edit(workspace, 1)
    for number in range(2, 20):
        edit(workspace, number)
        numbers.append(number)
        if number % 3:
            assert list_numbers(root) == list_numbers(root) == numbers
    assert undo_times(root, 19) == [version(number) for number in range(18, -1, -1)]


def test_a_reader_is_refused_rather_than_shown_a_part(root: Path) -> None:
    edit(Workspace(root, FAST), 1)
    workspace = Workspace(root, FAST)
    edit(workspace, 2, 3)
    (database,) = shelf().glob("*.db")
    with closing(sqlite3.connect(database, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        result = Workspace(root, FAST).history()
    assert result.metadata["error"]["code"] == "HISTORY_UNAVAILABLE"
    assert list_numbers(root) == [1, 2, 3]


@pytest.mark.promise("back.moved")
def test_a_workspace_that_was_moved_brings_along_what_waits(root: Path) -> None:
    edit(Workspace(root, FAST), 1)
    edit(workspace := Workspace(root, FAST), 2, 3)
    moved = root.rename(root.with_name("moved"))
    edit(Workspace(moved, FAST), 4)
    assert (pending_files(), list_numbers(moved)) == ([], [1, 2, 3, 4])
    workspace.close()


@pytest.mark.promise("back.moved")
def test_a_new_folder_at_the_path_has_what_waited_too(root: Path) -> None:
    edit(Workspace(root, FAST), 1)
    edit(workspace := Workspace(root, FAST), 2, 3)
    shutil.copytree(root, root.with_name("new"))
    root.rename(root.with_name("aside"))
    root.with_name("new").rename(root)
    edit(workspace, 4)
    assert (list_numbers(root), list_numbers(root.with_name("aside"))) == ([1, 2, 3, 4], [1, 2, 3])


def test_what_waits_beside_a_damaged_database_is_recorded_in_the_new_one(root: Path) -> None:
    workspace = Workspace(root, FAST)
    edit(workspace, 1, 2, 3)
    (database,) = shelf().glob("*.db")
    database.write_bytes(b"nothing that SQLite knows" * 1_000)
    with Workspace(root, FAST).transaction("4") as tx:
        tx.write("a.txt", version(4))
    assert tx.change is not None
    assert tx.change.trouble is not None
    assert tx.change.trouble.recorded
    assert list_numbers(root) == [2, 3, 4]


# Power cuts and failures


@pytest.mark.promise("back.crash")
@pytest.mark.parametrize("harm", ["cut", "zeros", "garbage", "gone"])
def test_a_power_cut_loses_at_most_the_newest_changes(root: Path, harm: str) -> None:
    workspace = Workspace(root, FAST)
    edit(workspace, 1, 2, 3, 4)
    (path,) = pending_files()
    whole, saved = path.read_bytes(), root.with_name("saved")
    shutil.copytree(shelf(), saved)
    seen = set()
    for at in range(0, len(whole) if harm != "gone" else 1, 211):
        shutil.rmtree(shelf())
        shutil.copytree(saved, shelf())
        spoiled = {"cut": b"", "zeros": bytes(len(whole) - at), "garbage": b"\xff" + whole[at + 1 :], "gone": b""}
        path.write_bytes(whole[:at] + spoiled[harm])
        if harm == "gone":
            path.unlink()
        (root / "a.txt").write_bytes(version(4))
        numbers = list_numbers(root)
        sound = numbers.index(0) if 0 in numbers else len(numbers)
        assert numbers[:sound] == [1, 2, 3, 4][:sound]
        assert numbers[sound:] in [[], [0], [0, *range(sound + 2, 5)]][harm == "garbage" : 1 + 2 * (harm != "cut")]
        seen.add(sound)
        edit(Workspace(root, FAST), 5)
        assert list_numbers(root) == [*numbers, 5]
    assert seen == {"gone": {1}}.get(harm, {1, 2, 3})


def test_what_occurs_there_twice_is_recorded_once(root: Path) -> None:
    edit(Workspace(root, FAST), 1)
    edit(workspace := Workspace(root, FAST), 2, 3, 4)
    (path,) = pending_files()
    path.write_bytes(path.read_bytes() * 2)
    edit(workspace, 5)
    assert list_numbers(root) == [1, 2, 3, 4, 5]


@pytest.mark.promise("back.goes-on")
@pytest.mark.parametrize("call", ["append_pending", "drop_pending"])
def test_a_change_is_recorded_though_waiting_fails(root: Path, call: str) -> None:
    landed: list[int] = []
    for failing in (1, 2):
        fs = FaultyFS(LocalFS(), only=[call], fail_at=failing)
        numbers = [*range(failing * 100, failing * 100 + ENOUGH)]
        edit(Workspace(root, FAST, fs=fs), *numbers)
        assert len(fs.calls) >= failing
        landed += numbers
        assert list_numbers(root) == landed


@pytest.mark.promise("back.goes-on")
def test_what_someone_else_put_there_is_not_appended_to(root: Path) -> None:
    workspace = Workspace(root, FAST)
    edit(workspace, 1, 2)
    (path,) = pending_files()
    with path.open("ab") as file:
        file.write(b"something else")
    edit(workspace, 3)
    assert (pending_files(), list_numbers(root)) == ([], [1, 2, 0, 3])
    path.symlink_to(root / "a.txt")
    with workspace.transaction("4") as tx:
        tx.write("a.txt", version(4))
    assert tx.change is not None
    assert tx.change.trouble is not None
    assert not tx.change.trouble.recorded
    assert (root / "a.txt").read_bytes() == version(4)


def test_a_file_system_that_keeps_nothing_beside_a_database_says_so() -> None:
    fs = FS()
    fs.drop_pending("name")
    assert (fs.pending("name"), fs.append_pending("name", b"data", 0)) == (b"", False)


# What is in the file


OLD, NEW, OTHER = version(1), version(2), b"what a rename replaced"
VERSIONS = [Version(digest((content,), 0), 0o644) for content in (OLD, NEW, OTHER)]
RENAMED = FileRecord("a", "rename", VERSIONS[0], VERSIONS[1], "b", VERSIONS[2])
CHANGE = ChangeRecord("id", "tool", "what", (RENAMED,))


def write_pending(contents: dict[str, bytes]) -> bytes:
    fs = LocalFS()
    shelf().mkdir(parents=True)
    assert PendingFile(fs, "x.db").add(CHANGE, contents.get)
    return fs.pending("x.db")


def test_what_was_put_down_is_read_again(root: Path) -> None:
    assert root.exists()
    raw = write_pending({digest((body,), 0): body for body in (OLD, NEW, OTHER)})
    pending = PendingChanges(raw)
    supply = pending.supply({"recorded": b"content"}.get)
    assert pending.unrecorded(lambda _: False) == [CHANGE]
    names = [version.digest for version in VERSIONS]
    assert [supply(name) for name in (*names, names[1])] == [OLD, NEW, OTHER, NEW]
    assert [supply(name) for name in ("recorded", "gone")] == [b"content", None]


def test_a_content_that_nobody_had_is_left_out(root: Path) -> None:
    assert root.exists()
    supply = PendingChanges(write_pending({digest((NEW,), 0): NEW})).supply(lambda _: None)
    assert [supply(digest((body,), 0)) for body in (OLD, NEW)] == [None, NEW]


def entry(change: str, contents: str, data: bytes = b"") -> bytes:
    body = b'{"change": %s, "contents": %s}\n%s' % (change.encode(), contents.encode(), data)
    return b"%s %d\n%s" % (digest((body,), 0).encode(), len(body), body)


PLAIN = '{"id": "x", "tool": "", "summary": "", "files": [], "folders": []}'


@pytest.mark.parametrize(
    "contents",
    [
        '["name", "base nobody has", 4, 0, 0, "raw", 4]',
        '["name", null, 5, 0, 0, "raw", 4]',
        '["name", null, 4, 0, 0, "raw", 4]',
        '["name", null, "four", 0, 0, "raw", 4]',
    ],
)
def test_a_content_that_is_not_what_its_hash_says_is_none(contents: str) -> None:
    pending = PendingChanges(entry(PLAIN, f"[{contents}]", b"data"))
    assert (len(pending.unrecorded(lambda _: False)), pending.supply(lambda _: None)("name")) == (1, None)


OTHERS = [entry("{}", "[]"), entry(PLAIN, "7"), entry("null", "[]"), entry(PLAIN, "[[1]]")]


@pytest.mark.parametrize(
    ("other", "behind"), [*((other, ["y"]) for other in OTHERS), (b"\n", []), (b"x" * 99 + b"\n", [])]
)
def test_what_is_not_a_change_of_this_version_is_a_damaged_one(other: bytes, behind: list[str]) -> None:
    changes = PendingChanges(entry(PLAIN, "[]") + other + entry(PLAIN.replace("x", "y"), "[]")).unrecorded(
        lambda _: False
    )
    assert [change.state for change in changes] == ["landed", "damaged", *["landed" for _ in behind]]
    assert [changes[0].id, *(change.id for change in changes[2:])] == ["x", *behind]


@pytest.mark.parametrize(("known", "unrecorded"), [("", "abcd"), ("a", "bcd"), ("c", "d"), ("ac", "d"), ("abcd", "")])
def test_what_is_before_a_recorded_change_is_not_recorded_again(known: str, unrecorded: str) -> None:
    """It was recorded with that one, and dropped since, because the history grew too large."""
    pending = PendingChanges(b"".join(entry(PLAIN.replace("x", name), "[]") for name in "abcd"))
    assert [change.id for change in pending.unrecorded(known.__contains__)] == [*unrecorded]
