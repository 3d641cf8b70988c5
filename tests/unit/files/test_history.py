"""The history's file: its workspace, its permissions, and that no edit ever fails because of it."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tempfile
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from suture import Settings, Workspace
from suture.errors import SutureError
from suture.files.fs import Tree
from suture.files.history import History
from suture.files.state import state_folder
from suture.plan import Trouble
from suture.testing import FaultyFS, LocalFS
from tests.faults.users import NOBODY, ROOT, nobody
from tests.unit.files.histories import FAST, list_summaries, make, of_another_program, without_a_table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from suture.files.fs import FS

    Lock = Callable[[Path, str], AbstractContextManager[None]]

LOCKED = Trouble(recorded=False, reason="another program has locked it")
OFF = Trouble(recorded=False, reason="it is turned off by the setting history")
NEWER = Trouble(recorded=False, reason="it was written by a newer version of suture")


@pytest.fixture
def shared_home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """As `home`, but owned by the user `nobody` and open to every user."""
    top = Path(tempfile.mkdtemp(prefix="suture-test-"))
    monkeypatch.setenv("XDG_STATE_HOME", str(top / "state"))
    make(top / "ws")
    for path in (top, top / "ws", top / "ws" / "a.txt"):
        if ROOT:
            os.chown(path, NOBODY, NOBODY)
    top.chmod(0o755)
    yield top
    shutil.rmtree(top)


def make_anew(home: Path) -> Path:
    """Create another folder at the workspace's path; the old one is moved away."""
    (home / "ws").rename(home / "put aside")
    make(home / "ws")
    return home / "ws"


def shelf() -> Path:
    return Path(state_folder()) / ".suture-history"


def history_files() -> list[str]:
    """The files in the history folder."""
    return sorted(path.name for path in shelf().iterdir()) if shelf().exists() else []


def database() -> Path:
    """The one database."""
    (name,) = [name for name in history_files() if name.endswith(".db")]
    return shelf() / name


def edit(root: Path, number: int, *, fs: FS | None = None, settings: Settings = FAST) -> Trouble | None:
    """Write a number into a file, which must succeed; returns the problem of the history."""
    with Workspace(root, settings, fs=fs).transaction(str(number)) as tx:
        tx.write("a.txt", f"{number}\n")
    assert (root / "a.txt").read_text() == f"{number}\n"
    assert tx.change is not None
    return tx.change.trouble


def edit_all(root: Path, *numbers: int) -> None:
    assert [edit(root, number) for number in numbers] == [None] * len(numbers)


def code(result: object) -> str | None:
    metadata = getattr(result, "metadata", {})
    return metadata["error"]["code"] if "error" in metadata else None


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def name_of(root: Path) -> str:
    with Tree(LocalFS(), str(root)) as tree:
        return History(tree, FAST)._name()


# Private


@pytest.mark.promise("back.private")
@pytest.mark.parametrize("umask", [0, 0o022, 0o077])
def test_the_history_is_for_its_owner_only(home: Path, umask: int) -> None:
    modes: set[int] = set()

    def look(_: int, __: str) -> None:
        modes.update(mode(path) for path in shelf().iterdir())

    before = os.umask(umask)
    try:
        for number in (1, 2):
            edit(home / "ws", number, fs=FaultyFS(LocalFS(), only=["commit_database"], on_call=look))
    finally:
        os.umask(before)
    assert (modes, mode(database()), mode(shelf())) == ({0o600}, 0o600, 0o700)
    assert history_files() == [database().name]


@pytest.mark.promise("back.private")
def test_the_history_is_in_the_state_folder_and_not_in_the_workspace(home: Path) -> None:
    edit_all(home / "ws", 1)
    assert [path.name for path in (home / "ws").iterdir()] == ["a.txt"]
    assert database().parent == home / "state" / "suture" / ".suture-history"


@pytest.mark.promise("back.private")
@pytest.mark.parametrize("value", ["state", "./state", "", None])
def test_a_relative_state_folder_is_ignored(home: Path, monkeypatch: pytest.MonkeyPatch, value: str | None) -> None:
    monkeypatch.chdir(home)
    monkeypatch.setenv("HOME", str(home / "user"))
    monkeypatch.delenv("XDG_STATE_HOME") if value is None else monkeypatch.setenv("XDG_STATE_HOME", value)
    edit_all(home / "ws", 1)
    assert shelf().is_relative_to(home / "user")
    assert (database().exists(), (home / "state").exists()) == (True, False)


@pytest.mark.promise("back.private")
@pytest.mark.parametrize("root", ["", "state", "state/suture"])
@pytest.mark.parametrize("allow", [(), (".suture-*/**", "*.db", "**")])
def test_tools_cannot_touch_the_history_in_a_workspace_that_contains_it(
    home: Path, root: str, allow: tuple[str, ...]
) -> None:
    edit_all(home / "ws", 1)
    before = database().read_bytes()
    workspace = Workspace(home / root, Settings(allow_protected=allow, durability="fast"))
    path = str(database().relative_to(home / root))
    assert code(workspace.file_read(path)) == "PROTECTED_PATH"
    transaction = workspace.transaction()
    transaction.write(path, b"")
    with pytest.raises(SutureError) as caught:
        transaction.__exit__(None, None, None)
    assert caught.value.code == "PROTECTED_PATH"
    assert database().read_bytes() == before


@pytest.mark.promise("back.private")
def test_reading_makes_no_file(home: Path) -> None:
    workspace = Workspace(home / "ws", FAST)
    assert list_summaries(home / "ws") == []
    assert code(workspace.undo()) == "NOTHING_TO_UNDO"
    assert code(workspace.redo()) == "NOTHING_TO_REDO"
    assert workspace.checkpoints().metadata == {"checkpoints": []}
    assert not (home / "state").exists()


# Whose it is


@pytest.mark.promise("back.recorded")
def test_every_landed_change_is_recorded_with_its_id(home: Path) -> None:
    ids = []
    for number in (1, 2, 3):
        with Workspace(home / "ws", FAST).transaction(f"the {number}.") as tx:
            tx.write("a.txt", f"{number}\n")
        assert tx.change is not None
        ids.append(tx.change.id)
    changes = Workspace(home / "ws").history().metadata["changes"]
    assert [change["change_id"] for change in changes] == ids[::-1]
    assert [change["summary"] for change in changes] == ["the 3.", "the 2.", "the 1."]
    assert {(change["tool"], change["state"], change["undoes"]) for change in changes} == {
        ("transaction", "landed", None)
    }


def test_a_transaction_that_changes_nothing_is_not_recorded(home: Path) -> None:
    with Workspace(home / "ws", FAST).transaction() as tx:
        tx.write("a.txt", "0\n")
    assert (tx.change, history_files()) == (None, [])


def test_two_workspaces_have_two_histories_also_if_one_contains_the_other(home: Path) -> None:
    make(home / "ws" / "inner")
    edit_all(home / "ws", 1)
    edit_all(home / "ws" / "inner", 2)
    assert (list_summaries(home / "ws"), list_summaries(home / "ws" / "inner")) == (["1"], ["2"])


def test_a_workspace_has_one_history_whichever_link_leads_to_it(home: Path) -> None:
    (home / "link").symlink_to("ws")
    edit_all(home / "ws", 1)
    edit_all(home / "link", 2)
    assert list_summaries(home / "ws") == list_summaries(home / "link") == ["1", "2"]
    assert history_files() == [name_of(home / "ws")]


class NoBirth(LocalFS):
    """A system that does not report when a folder was created."""

    def born(self, folder: int) -> int:  # noqa: ARG002  see FS
        return 0


def birth_is_known() -> bool:
    with tempfile.TemporaryDirectory() as folder, Tree(LocalFS(), folder) as tree:
        return LocalFS().born(tree.folder("")) > 0


if_birth_is_known = pytest.mark.skipif(not birth_is_known(), reason="this system does not tell when a folder was made")


@pytest.mark.promise("back.moved")
@if_birth_is_known
@pytest.mark.parametrize("to", ["renamed", "deep/down/ws"])
def test_a_workspace_that_was_moved_keeps_its_history(home: Path, to: str) -> None:
    edit_all(home / "ws", 1, 2)
    (home / to).parent.mkdir(parents=True, exist_ok=True)
    (home / "ws").rename(home / to)
    assert list_summaries(home / to) == ["1", "2"]
    edit_all(home / to, 3)
    assert list_summaries(home / to) == ["1", "2", "3"]
    assert history_files() == [name_of(home / to)]
    assert Workspace(home / to, FAST).undo().metadata["files"][0]["action"] == "update"
    assert (home / to / "a.txt").read_bytes() == b"2\n"


@pytest.mark.promise("back.moved")
@if_birth_is_known
def test_a_workspace_that_was_moved_keeps_its_history_whatever_became_of_its_files(home: Path) -> None:
    edit_all(home / "ws", 1)
    (home / "ws").rename(home / "renamed")
    (home / "renamed" / "a.txt").unlink()
    assert list_summaries(home / "renamed") == ["1"]
    edit_all(home / "renamed", 2)
    assert list_summaries(home / "renamed") == ["1", "2"]


@pytest.mark.promise("back.moved")
@if_birth_is_known
def test_a_workspace_that_was_moved_there_and_back_keeps_its_history(home: Path) -> None:
    for number, path in enumerate(["ws", "there", "ws", "elsewhere"], 1):
        where = next(path for path in home.iterdir() if (path / "a.txt").exists())
        where.rename(home / path)
        edit_all(home / path, number)
    assert list_summaries(home / "elsewhere") == ["1", "2", "3", "4"]
    assert history_files() == [name_of(home / "elsewhere")]


@pytest.mark.promise("back.moved")
def test_a_moved_workspace_begins_without_history_where_its_birth_is_not_known(home: Path) -> None:
    assert edit(home / "ws", 1, fs=NoBirth()) is None
    (home / "ws").rename(home / "renamed")
    assert edit(home / "renamed", 2, fs=NoBirth()) is None
    assert list_summaries(home / "renamed") == ["2"]
    assert len(history_files()) == 2


@pytest.mark.promise("back.moved")
def test_a_copy_begins_without_history(home: Path) -> None:
    edit_all(home / "ws", 1, 2)
    shutil.copytree(home / "ws", home / "copy")
    assert list_summaries(home / "copy") == []
    edit_all(home / "copy", 3)
    assert (list_summaries(home / "ws"), list_summaries(home / "copy")) == (["1", "2"], ["3"])


@pytest.mark.promise("back.moved")
def test_a_workspace_recreated_at_the_same_path_continues_with_the_history(home: Path) -> None:
    edit_all(home / "ws", 1, 2)
    old = database().read_bytes()
    make_anew(home)
    assert list_summaries(home / "ws") == ["1", "2"]
    assert history_files() == [database().name]
    edit_all(home / "ws", 3)
    assert list_summaries(home / "ws") == ["1", "2", "3"]
    assert name_of(home / "ws") in history_files()
    (other,) = {*history_files()} - {name_of(home / "ws")}
    assert (shelf() / other).read_bytes() == old
    assert {mode(shelf() / name) for name in history_files()} == {0o600}


@pytest.mark.promise("back.moved")
@if_birth_is_known
def test_a_workspace_that_was_put_aside_keeps_its_history_too(home: Path) -> None:
    edit_all(home / "ws", 1, 2)
    make_anew(home)
    edit_all(home / "ws", 3)
    assert list_summaries(home / "put aside") == ["1", "2"]
    edit_all(home / "put aside", 4)
    assert (list_summaries(home / "ws"), list_summaries(home / "put aside")) == (["1", "2", "3"], ["1", "2", "4"])


@pytest.mark.promise("back.moved")
def test_a_workspace_recreated_again_and_again_continues_with_the_history_used_last(home: Path) -> None:
    for number in (1, 2, 3, 4):
        edit_all(home / "ws", number)
        (home / "ws").rename(home / str(number))
        make(home / "ws")
    assert list_summaries(home / "ws") == ["1", "2", "3", "4"]


@pytest.mark.promise("back.moved")
def test_a_workspace_at_the_same_path_on_another_device_is_the_same(home: Path) -> None:
    """A container, whose disk has another device number every time."""
    edit_all(home / "ws", 1, 2)
    path, device, inode = database().name.split("-")
    database().rename(shelf() / f"{path}-{int(device, 16) + 1:x}-{inode}")
    assert list_summaries(home / "ws") == ["1", "2"]
    edit_all(home / "ws", 3)
    assert list_summaries(home / "ws") == ["1", "2", "3"]
    assert history_files() == [name_of(home / "ws")]


@pytest.mark.promise("back.moved")
@pytest.mark.parametrize("content", [b"0\n", b"2\n"], ids=["other content", "the same content"])
def test_a_folder_that_was_given_the_inode_of_a_dead_workspace_begins_without_history(
    home: Path, content: bytes
) -> None:
    edit_all(home / "ws", 1, 2)
    make(home / "new")
    (home / "new" / "a.txt").write_bytes(content)
    path = name_of(home / "ws").partition("-")[0]
    _, _, folder = name_of(home / "new").partition("-")
    database().rename(shelf() / f"{path}-{folder}")
    assert list_summaries(home / "new") == []
    edit_all(home / "new", 3)
    assert list_summaries(home / "new") == ["3"]
    assert history_files() == sorted([f"{path}-{folder}", name_of(home / "new")])


# Machines and containers with one home


class Elsewhere(LocalFS):
    """The files as another machine or container sees them, perhaps with the same numbers and another birth time."""

    def __init__(self, name: str, born: int = 0, *, shared: bool = False) -> None:
        self._name = name
        self._when = born
        self._shared = shared

    def born(self, folder: int) -> int:
        del folder
        return self._when

    def machine(self, folder: int) -> tuple[str, bool]:
        del folder
        return self._name, self._shared


def past_of(root: Path, fs: FS) -> list[str]:
    result = Workspace(root, FAST, fs=fs).history(limit=1000)
    assert not result.is_error, result.text
    return [change["summary"] for change in result.metadata["changes"]][::-1]


OTHERS = {
    "another container with the folder of the same image": (Elsewhere("A", 1), Elsewhere("B", 1)),
    "another container with its own volume": (Elsewhere("A", 1, shared=True), Elsewhere("B", 2, shared=True)),
    "another machine with a folder of the same numbers": (Elsewhere("A", 1), Elsewhere("B", 2)),
    "another container where no birth is known": (Elsewhere("A", shared=True), Elsewhere("B", shared=True)),
}
SAME = {
    "a container made anew with the same volume": (Elsewhere("A", 1, shared=True), Elsewhere("B", 1, shared=True)),
    "a machine, and a container with one of its folders": (Elsewhere("A", 1), Elsewhere("B", 1, shared=True)),
    "a folder made anew with the old inode": (Elsewhere("A", 1), Elsewhere("A", 2)),
    "the same container where no birth is known": (Elsewhere("A"), Elsewhere("A")),
}


@pytest.mark.promise("back.moved")
@pytest.mark.parametrize(("first", "other"), OTHERS.values(), ids=OTHERS)
def test_another_folder_with_the_same_path_and_numbers_has_its_own_history(
    home: Path, first: Elsewhere, other: Elsewhere
) -> None:
    """B's undo must not mark A's change, and B's restore must not write A's secret."""
    assert edit(home / "ws", 1, fs=first) is None
    assert past_of(home / "ws", other) == []
    assert code(Workspace(home / "ws", FAST, fs=other).undo()) == "NOTHING_TO_UNDO"
    assert code(Workspace(home / "ws", FAST, fs=other).restore(paths=["a.txt"])) == "NOT_RECORDED"
    assert edit(home / "ws", 2, fs=other) is None
    assert edit(home / "ws", 3, fs=first) is None
    assert edit(home / "ws", 4, fs=other) is None
    assert (past_of(home / "ws", first), past_of(home / "ws", other)) == (["1", "3"], ["2", "4"])
    assert len(history_files()) == 2


@pytest.mark.promise("back.moved")
@pytest.mark.parametrize(("first", "other"), OTHERS.values(), ids=OTHERS)
def test_another_folder_at_the_same_path_gets_no_copy_of_the_history(
    home: Path, first: Elsewhere, other: Elsewhere
) -> None:
    assert edit(home / "ws", 1, fs=first) is None
    make_anew(home)
    assert past_of(home / "ws", other) == []
    assert edit(home / "ws", 2, fs=other) is None
    assert past_of(home / "ws", other) == ["2"]


@pytest.mark.promise("back.moved")
@pytest.mark.parametrize(("first", "other"), SAME.values(), ids=SAME)
def test_the_same_folder_seen_from_elsewhere_has_the_same_history(
    home: Path, first: Elsewhere, other: Elsewhere
) -> None:
    for number, fs in enumerate((first, other, first, other), 1):
        assert edit(home / "ws", number, fs=fs) is None
    assert past_of(home / "ws", first) == past_of(home / "ws", other) == ["1", "2", "3", "4"]
    assert len(history_files()) == 1


@pytest.mark.promise("back.moved")
def test_a_volume_whose_device_has_another_number_keeps_its_history(home: Path) -> None:
    assert edit(home / "ws", 1, fs=Elsewhere("A", 1, shared=True)) is None
    path, device, inode = database().name.split("-")
    database().rename(shelf() / f"{path}-{int(device, 16) + 1:x}-{inode}")
    assert edit(home / "ws", 2, fs=Elsewhere("B", 1, shared=True)) is None
    assert past_of(home / "ws", Elsewhere("C", 1, shared=True)) == ["1", "2"]
    assert history_files() == [name_of(home / "ws")]


@pytest.mark.promise("back.moved")
@if_birth_is_known
def test_a_history_of_010_stays_with_its_folder_and_goes_to_no_other(home: Path) -> None:
    edit_all(home / "ws", 1)
    with closing(sqlite3.connect(database())) as other:
        other.execute("DROP TABLE machine")
        other.execute("DROP TABLE checksum")
    assert list_summaries(home / "ws") == ["1"]
    assert past_of(home / "ws", Elsewhere("B", 1)) == []
    edit_all(home / "ws", 2)
    assert list_summaries(home / "ws") == ["1", "2"]


# What goes wrong: damage


def garbage(path: Path) -> None:
    path.write_bytes(b"garbage, and much of it\n" * 1000)


def zeros(path: Path) -> None:
    path.write_bytes(bytes(path.stat().st_size))


def cut_to(size: int) -> Callable[[Path], None]:
    return lambda path: os.truncate(path, size)


def half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


def flip_pages(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:4096] + bytes(byte ^ 0xFF for byte in data[4096:]))


def replace_text(old: bytes, new: bytes) -> Callable[[Path], None]:
    """Damage to the text of the schema, which SQLite parses."""

    def damage(path: Path) -> None:
        assert old in path.read_bytes()
        path.write_bytes(path.read_bytes().replace(old, new))

    return damage


def in_header(at: int, value: int) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        data = path.read_bytes()
        path.write_bytes(data[:at] + bytes([value]) + data[at + 1 :])

    return damage


def foreign(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE change (number INTEGER PRIMARY KEY)")


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "file").write_bytes(b"in a folder")


def link(path: Path) -> None:
    path.rename(path.with_name("elsewhere"))
    path.symlink_to("elsewhere")


def dangling_link(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


DAMAGES = {
    "garbage": garbage,
    "zeros": zeros,
    "cut in the header": cut_to(50),
    "cut after the header": cut_to(100),
    "cut in the first page": cut_to(1000),
    "cut in half": half,
    "flipped pages": flip_pages,
    "a magic string of another": in_header(0, 0),
    "an unknown file format": in_header(47, 9),
    "another program's": of_another_program,
    "a foreign database": foreign,
    "a table is missing": without_a_table,
    "another table": replace_text(b"CREATE TABLE content (", b"CREATE TABLE kontent ("),
    "another column": replace_text(b"digest TEXT NOT NULL UNIQUE", b"digist TEXT NOT NULL UNIQUE"),
    "a column less": replace_text(b"replaced_mode INTEGER, added", b"replaced_mode INTEGER: added"),
    "no SQL": replace_text(b"CREATE TABLE file (", b"CREATE TABLE file )"),
    "no UTF-8": replace_text(b"CREATE TABLE change (", b"CREATE TABLE\xffchange ("),
    "a folder": folder,
    "a link": link,
    "a dangling link": dangling_link,
    "a pipe": pipe,
}
damages = pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)


def look_at(path: Path) -> tuple[int, object]:
    """The status and content of a path, without following links."""
    kind = stat.S_IFMT(path.lstat().st_mode)
    if kind == stat.S_IFREG:
        return kind, path.read_bytes()
    if kind == stat.S_IFLNK:
        return kind, path.readlink()
    return kind, sorted(path.name for path in path.iterdir()) if kind == stat.S_IFDIR else None


@pytest.mark.promise("back.goes-on")
@damages
def test_a_damaged_history_is_kept_aside_and_a_new_one_begun(home: Path, damage: Callable[[Path], None]) -> None:
    edit_all(home / "ws", 1, 2)
    path = database()
    damage(path)
    before = look_at(path)
    trouble = edit(home / "ws", 3)
    assert trouble is not None
    assert trouble == Trouble(recorded=True, reason="it was damaged", aside=trouble.aside)
    assert trouble.aside is not None
    assert look_at(shelf() / trouble.aside) == before
    edit_all(home / "ws", 4)
    assert list_summaries(home / "ws") == ["3", "4"]
    Workspace(home / "ws", FAST).undo()
    assert (home / "ws" / "a.txt").read_bytes() == b"3\n"


@pytest.mark.promise("back.goes-on")
@damages
def test_a_damaged_history_is_unavailable_to_readers_and_stays_as_it_is(
    home: Path, damage: Callable[[Path], None]
) -> None:
    edit_all(home / "ws", 1, 2)
    path = database()
    damage(path)
    before, around = look_at(path), history_files()
    workspace = Workspace(home / "ws", FAST)
    results = [workspace.history(), workspace.undo(), workspace.redo(), workspace.restore(paths=["a.txt"])]
    assert [code(result) for result in results] == ["HISTORY_UNAVAILABLE"] * 4
    assert (look_at(path), history_files()) == (before, around)
    assert (home / "ws" / "a.txt").read_bytes() == b"2\n"


@pytest.mark.promise("back.goes-on")
def test_a_history_that_was_deleted_or_emptied_starts_over(home: Path) -> None:
    edit_all(home / "ws", 1)
    database().unlink()
    edit_all(home / "ws", 2)
    assert list_summaries(home / "ws") == ["2"]
    for nothing in (b"", b"x"):
        database().write_bytes(nothing)
        edit_all(home / "ws", 3)
        assert list_summaries(home / "ws") == ["3"]
        (home / "ws" / "a.txt").write_bytes(b"2\n")
    shutil.rmtree(home / "state")
    edit_all(home / "ws", 4)
    assert list_summaries(home / "ws") == ["4"]


@pytest.mark.promise("back.goes-on")
@pytest.mark.parametrize("damage", [garbage, flip_pages, without_a_table])
def test_a_workspace_created_again_leaves_the_damaged_history_of_the_old_one_alone(
    home: Path, damage: Callable[[Path], None]
) -> None:
    edit_all(home / "ws", 1)
    make_anew(home)
    damage(database())
    damaged, before = database(), database().read_bytes()
    edit_all(home / "ws", 2)
    assert list_summaries(home / "ws") == ["2"]
    assert damaged.read_bytes() == before


@pytest.mark.promise("back.goes-on")
def test_several_damaged_histories_are_all_kept(home: Path) -> None:
    asides = set()
    for number in (1, 2, 3):
        edit_all(home / "ws", number)
        garbage(database())
        trouble = edit(home / "ws", number + 100)
        assert trouble is not None
        asides.add(trouble.aside)
    assert len(asides) == 3
    assert {*history_files()} == {*asides, database().name}


SCHEMA_BYTES = range(100, 4096, 61)
SOME_BYTES = range(5000, 60_000, 1709)
FIRST_ID = range(24_500, 24_560, 7)
"""Bytes around the first change's id, which is read to drop old changes."""


@pytest.mark.slow
@pytest.mark.promise("back.goes-on")
@pytest.mark.parametrize("mask", [0x01, 0xFF])
def test_whatever_byte_is_flipped_edits_go_on_and_are_recorded_again(home: Path, mask: int) -> None:
    check_flips(home, [*SCHEMA_BYTES, *SOME_BYTES, *FIRST_ID], mask)


@pytest.mark.soak
@pytest.mark.parametrize("mask", [0x01, 0x20, 0x80, 0xFF])
def test_whatever_byte_of_all_is_flipped_edits_go_on_and_are_recorded_again(home: Path, mask: int) -> None:
    check_flips(home, range(0, 70_000, 29), mask)


def check_flips(home: Path, places: range | list[int], mask: int) -> None:
    for number in range(1, 30):
        with Workspace(home / "ws", FAST).transaction(str(number)) as tx:
            tx.write("a.txt", f"{number}\n")
            tx.create(f"{number}.txt", f"line {number}\n" * number * 50)
    whole, text = database().read_bytes(), (home / "ws" / "a.txt").read_bytes()
    wrong = {}
    for place in places:
        if place >= len(whole) or place in range(60, 64):  # the version: a newer one is left alone
            continue
        for name in history_files():
            (shelf() / name).unlink()
        (shelf() / name_of(home / "ws")).write_bytes(whole[:place] + bytes([whole[place] ^ mask]) + whole[place + 1 :])
        (home / "ws" / "a.txt").write_bytes(text)
        edit(home / "ws", 1000)
        trouble = edit(home / "ws", 1001)
        if trouble is not None and not trouble.recorded:
            wrong[place] = trouble
    assert wrong == {}


# What goes wrong: versions, locks, permissions, full disks


@pytest.mark.promise("back.goes-on")
def test_a_history_of_a_newer_version_is_left_alone(home: Path) -> None:
    edit_all(home / "ws", 1)
    with closing(sqlite3.connect(database())) as newer:
        newer.execute("PRAGMA user_version = 99")
    before = database().read_bytes()
    assert edit(home / "ws", 2) == NEWER
    assert code(Workspace(home / "ws").history()) == "HISTORY_UNAVAILABLE"
    assert (database().read_bytes(), history_files()) == (before, [database().name])
    with closing(sqlite3.connect(database())) as ours:
        ours.execute("PRAGMA user_version = 1")
    edit_all(home / "ws", 3)
    assert list_summaries(home / "ws") == ["1", "3"]


@contextmanager
def lock_here(path: Path, how: str) -> Iterator[None]:
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute(f"BEGIN {how}")
        yield
        other.execute("ROLLBACK")


LOCKING = """
import sqlite3, sys
other = sqlite3.connect(sys.argv[1], isolation_level=None)
other.execute(f"BEGIN {sys.argv[2]}")
print("locked", flush=True)
sys.stdin.read()
"""


@contextmanager
def lock_by_another(path: Path, how: str) -> Iterator[None]:
    command = [sys.executable, "-c", LOCKING, str(path), how]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"locked\n"
        yield
        assert process.poll() is None
        process.communicate()


lockers = pytest.mark.parametrize("locked", [lock_here, lock_by_another])


@pytest.mark.process
@pytest.mark.promise("back.goes-on")
@lockers
@pytest.mark.parametrize("how", ["EXCLUSIVE", "IMMEDIATE"])
def test_a_history_that_another_program_has_locked_does_not_stop_an_edit(home: Path, locked: Lock, how: str) -> None:
    edit_all(home / "ws", 1)
    with locked(database(), how):
        assert edit(home / "ws", 2) == LOCKED
        assert edit(home / "ws", 3) == LOCKED
    edit_all(home / "ws", 4)
    assert list_summaries(home / "ws") == ["1", "4"]
    assert history_files() == [database().name]


@pytest.mark.process
@lockers
def test_looking_at_a_locked_history_fails_and_leaves_the_lock(home: Path, locked: Lock) -> None:
    edit_all(home / "ws", 1)
    with locked(database(), "EXCLUSIVE"):
        for _ in range(2):
            assert code(Workspace(home / "ws", FAST).history()) == "HISTORY_UNAVAILABLE"
            assert code(Workspace(home / "ws", FAST).undo()) == "HISTORY_UNAVAILABLE"
        with closing(sqlite3.connect(database(), timeout=0)) as third, pytest.raises(sqlite3.OperationalError):
            third.execute("SELECT * FROM change")
    assert list_summaries(home / "ws") == ["1"]


def test_a_reader_of_the_history_does_not_stop_it_from_being_read(home: Path) -> None:
    edit_all(home / "ws", 1)
    with lock_here(database(), "DEFERRED"):
        assert list_summaries(home / "ws") == ["1"]


@pytest.mark.process
@pytest.mark.promise("back.moved")
@if_birth_is_known
@lockers
def test_a_moved_workspace_whose_history_is_locked_does_not_begin_another(home: Path, locked: Lock) -> None:
    with Workspace(home / "ws", FAST).transaction("1") as tx:
        tx.create("stays.txt", "as it was")
    (home / "ws").rename(home / "renamed")
    with locked(database(), "EXCLUSIVE"):
        assert edit(home / "renamed", 2) == LOCKED
    edit_all(home / "renamed", 3)
    assert list_summaries(home / "renamed") == ["1", "3"]


@pytest.mark.promise("back.goes-on")
def test_the_result_of_a_tool_says_that_it_cannot_be_undone(home: Path) -> None:
    edit_all(home / "ws", 1)
    with lock_here(database(), "IMMEDIATE"):
        result = Workspace(home / "ws", FAST).undo()
    assert not result.is_error
    assert result.metadata["history"] == {"recorded": False, "reason": LOCKED.reason, "aside": None}
    assert result.text.endswith(
        "\n\nNote: This change cannot be undone: the history cannot be used, another program has locked it."
    )
    assert (home / "ws" / "a.txt").read_bytes() == b"0\n"


def read_only_shelf() -> None:
    shelf().chmod(0o500)


def unreadable_shelf() -> None:
    shelf().chmod(0o000)


def read_only_file() -> None:
    database().chmod(0o400)


def unreadable_file() -> None:
    database().chmod(0o000)


def read_only_state() -> None:
    shutil.rmtree(shelf())
    shelf().parent.chmod(0o500)


def file_for_a_folder() -> None:
    shutil.rmtree(shelf())
    shelf().write_bytes(b"no folder")


def permit() -> None:
    if shelf().is_file():
        shelf().unlink()
    shelf().parent.chmod(0o700)
    if shelf().exists():
        shelf().chmod(0o700)
        for name in history_files():
            (shelf() / name).chmod(0o600)


@pytest.mark.promise("back.goes-on")
@pytest.mark.parametrize(
    "forbid",
    [read_only_shelf, unreadable_shelf, read_only_file, unreadable_file, read_only_state, file_for_a_folder],
)
def test_a_state_folder_that_cannot_be_written_does_not_stop_an_edit(
    shared_home: Path, forbid: Callable[[], None]
) -> None:
    with nobody():
        edit_all(shared_home / "ws", 1)
        forbid()
        for number in (2, 3):
            trouble = edit(shared_home / "ws", number)
            assert trouble is not None
            assert (trouble.recorded, trouble.aside) == (False, None)
            assert trouble.reason.startswith("its file cannot be used: ")
        permit()
        edit_all(shared_home / "ws", 4)
        assert list_summaries(shared_home / "ws") == (
            ["1", "4"] if forbid not in {read_only_state, file_for_a_folder} else ["4"]
        )


@pytest.mark.promise("back.goes-on")
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EACCES], ids=errno.errorcode.get)
@pytest.mark.parametrize("call", ["commit_database", "open_database"])
def test_a_failing_disk_does_not_stop_an_edit(home: Path, call: str, error: int) -> None:
    edit_all(home / "ws", 1)
    trouble = edit(home / "ws", 2, fs=FaultyFS(LocalFS(), only=[call], fail_at=1, error=error))
    assert trouble == Trouble(recorded=False, reason=f"its file cannot be used: {os.strerror(error)}")
    edit_all(home / "ws", 3)
    assert list_summaries(home / "ws") == ["1", "3"]


class SmallDisk(LocalFS):
    """A disk on which no database can grow."""

    def open_database(self, name: str, create: bool, timeout_ms: int) -> sqlite3.Connection:  # noqa: FBT001  as there
        database = super().open_database(name, create, timeout_ms)
        (pages,) = database.execute("PRAGMA page_count").fetchone()
        database.execute(f"PRAGMA max_page_count = {max(pages, 2)}")
        return database


@pytest.mark.promise("back.goes-on")
def test_a_full_disk_does_not_stop_an_edit(home: Path) -> None:
    assert edit(home / "ws", 1, fs=SmallDisk()) == Trouble(
        recorded=False, reason="its file cannot be used: database or disk is full"
    )
    edit_all(home / "ws", 2)
    with Workspace(home / "ws", FAST, fs=SmallDisk()).transaction("3") as tx:
        tx.create("large.bin", os.urandom(100_000))
    assert tx.change is not None
    assert tx.change.trouble == Trouble(recorded=False, reason="its file cannot be used: database or disk is full")
    edit_all(home / "ws", 4)
    assert list_summaries(home / "ws") == ["2", "4"]


@pytest.mark.promise("back.goes-on")
def test_a_history_that_is_switched_off_keeps_nothing_and_says_so(home: Path) -> None:
    off = Settings(durability="fast", history=False)
    assert edit(home / "ws", 1, settings=off) == OFF
    assert not (home / "state").exists()
    edit_all(home / "ws", 2)
    assert edit(home / "ws", 3, settings=off) == OFF
    workspace = Workspace(home / "ws", off)
    results = [workspace.history(), workspace.undo(), workspace.checkpoint("point"), workspace.checkpoints()]
    assert [code(result) for result in results] == ["HISTORY_UNAVAILABLE"] * 4
    assert {result.metadata["error"]["reason"] for result in results} == {OFF.reason}
    edit_all(home / "ws", 4)
    assert list_summaries(home / "ws") == ["2", "4"]


@pytest.mark.promise("back.goes-on")
def test_a_bug_in_recording_does_not_stop_an_edit(home: Path) -> None:
    class Buggy(LocalFS):
        def commit_database(self, database: sqlite3.Connection) -> None:
            raise ZeroDivisionError(database)

    trouble = edit(home / "ws", 1, fs=Buggy())
    assert trouble is not None
    assert (trouble.recorded, trouble.reason.startswith("suture failed: ZeroDivisionError")) == (False, True)
    edit_all(home / "ws", 2)
    assert list_summaries(home / "ws") == ["2"]


def test_a_checkpoint_that_cannot_be_recorded_is_an_error(home: Path) -> None:
    edit_all(home / "ws", 1)
    with lock_here(database(), "IMMEDIATE"):
        assert code(Workspace(home / "ws", FAST).checkpoint("point")) == "HISTORY_UNAVAILABLE"
    garbage(database())
    assert code(Workspace(home / "ws", FAST).checkpoint("point")) == "HISTORY_UNAVAILABLE"


def test_a_checkpoint_has_a_name_of_its_own(home: Path) -> None:
    edit_all(home / "ws", 1)
    workspace = Workspace(home / "ws", FAST)
    assert workspace.checkpoint("point").metadata["files"] == 1
    before = database().read_bytes()
    assert code(workspace.checkpoint("point")) == "CHECKPOINT_EXISTS"
    assert database().read_bytes() == before
    assert [point["name"] for point in workspace.checkpoints().metadata["checkpoints"]] == ["point"]


# What a crash leaves

DYING = """
import os, signal, sqlite3, sys
dying = sqlite3.connect(sys.argv[1], isolation_level=None)
dying.execute("PRAGMA cache_size = 1")
dying.execute("BEGIN IMMEDIATE")
dying.execute("UPDATE change SET summary = 'spoiled'")
dying.execute("INSERT INTO content SELECT 100, 'x', 1, NULL, 0, 0, 0, 'raw', zeroblob(1000000)")
os.kill(os.getpid(), signal.SIGKILL)
"""


def die_while_writing(path: Path) -> None:
    """Leave a half-written database, with the journal that rolls it back."""
    process = subprocess.run([sys.executable, "-c", DYING, str(path)], check=False)
    assert process.returncode == -signal.SIGKILL
    assert path.with_name(path.name + "-journal").stat().st_size > 512
    without = path.with_name("without its journal")
    shutil.copy(path, without)
    with closing(sqlite3.connect(without)) as database:
        assert database.execute("SELECT DISTINCT summary FROM change").fetchall() == [("spoiled",)]
    without.unlink()


def stay(home: Path) -> Path:
    return home / "ws"


def move(home: Path) -> Path:
    return (home / "ws").rename(home / "renamed")


@pytest.mark.process
@pytest.mark.promise("back.crash")
@pytest.mark.parametrize("then", [stay, pytest.param(move, marks=if_birth_is_known), make_anew])
@pytest.mark.parametrize("looks", [True, False])
def test_a_history_left_half_written_is_as_before(home: Path, then: Callable[[Path], Path], *, looks: bool) -> None:
    edit_all(home / "ws", 1, 2)
    die_while_writing(database())
    root = then(home)
    if looks:
        assert list_summaries(root) == ["1", "2"]
    edit_all(root, 3)
    assert list_summaries(root) == ["1", "2", "3"]
    assert [name for name in history_files() if not name.endswith(".db")] == []


@pytest.mark.promise("back.crash")
def test_a_history_whose_copying_was_interrupted_is_copied_again(home: Path) -> None:
    edit_all(home / "ws", 1, 2)
    make_anew(home)
    (shelf() / name_of(home / "ws")).touch(mode=0o600)
    assert list_summaries(home / "ws") == ["1", "2"]
    edit_all(home / "ws", 3)
    assert list_summaries(home / "ws") == ["1", "2", "3"]


@pytest.mark.process
def test_a_database_is_renamed_with_the_journal_it_needs(home: Path) -> None:
    edit_all(home / "ws", 1)
    die_while_writing(database())
    LocalFS().rename_database(database().name, "new.db")
    assert history_files() == ["new.db", "new.db-journal"]


@pytest.mark.slow
@pytest.mark.promise("back.cap")
def test_the_settings_cap_the_history(home: Path) -> None:
    small = Settings(durability="fast", history_max_bytes=200_000)
    for number in range(40):
        with Workspace(home / "ws", small).transaction(str(number)) as tx:
            tx.write("noise.bin", os.urandom(10_000))
    assert database().stat().st_size <= 200_000
    assert list_summaries(home / "ws") == [str(number) for number in range(40 - len(list_summaries(home / "ws")), 40)]
    assert len(list_summaries(home / "ws")) > 5
    for _ in list_summaries(home / "ws")[1:]:
        assert not Workspace(home / "ws", small).undo(dry_run=True).is_error
    with Workspace(home / "ws", small).transaction("large") as tx:
        tx.write("noise.bin", os.urandom(1_000_000))
    assert list_summaries(home / "ws") == ["large"]
    assert not Workspace(home / "ws", small).undo().is_error
