"""What `forget` removes from a history, down to the bytes of its files, and what it leaves."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, Workspace
from suture.files.database import Database
from suture.files.local_fs import LocalFS
from suture.files.state import history_folder
from suture.plan import Place, Plan, Rename, SessionInfo
from suture.testing import FaultyFS, MemoryFS, Stopped
from tests.faults.test_history_damage import as_010, change_database
from tests.unit.changes import (
    create,
    delete,
    error_of,
    hash_of,
    land,
    list_changes,
    lose,
    remove,
    rename,
    succeed,
    take_snapshot,
    workspace,
    write,
)

SECRET = b"sk-0f1e2d3c4b5a"
FILLER = b"".join(b"line %d of a file\n" % number for number in range(300))
FAST = Settings(durability="fast", history_timeout_ms=0)


def secret(number: int = 0, *, long: bool = False) -> bytes:
    """A content with the secret."""
    filler = FILLER if long else b"a short file\n"
    return filler + b"KEY=%s-%d\n" % (SECRET, number) + filler


def contents(raw: bytes) -> dict[str, bytes | None]:
    """Every content in a database, by hash; None if it is not stored."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(raw)
        database = Database(connection)
        names = [str(name) for (name,) in connection.execute("SELECT digest FROM content").fetchall()]
        return {name: database.content(name) for name in names}


def has_secret(raw: bytes) -> bool:
    """Whether the secret is anywhere in a database: as it is, compressed, or as a difference."""
    return SECRET in raw or any(SECRET in (content or b"") for content in contents(raw).values())


def shelf(fs: MemoryFS) -> bytes:
    """The only database."""
    ((_, raw),) = fs.shelf.items()
    return raw


def forget(ws: Workspace, *targets: str) -> dict[str, Any]:
    return succeed(ws.forget(targets))


def stored(fs: MemoryFS) -> set[bytes]:
    return {content for content in contents(shelf(fs)).values() if content is not None}


# What goes


@pytest.mark.promise("back.forget")
@pytest.mark.parametrize("long", [False, True], ids=["stored as it is", "compressed"])
def test_no_byte_of_a_file_is_left(*, long: bool) -> None:
    ws, fs = workspace({"a": secret(long=long), "b": b"b\n"})
    land(ws, write("a", secret(1, long=long)), write("b", b"b2\n"))
    land(ws, delete("a"))
    assert has_secret(shelf(fs))
    data = forget(ws, "a")
    assert (data["contents"], data["paths"], len(data["changes"])) == (2, ["a"], 2)
    assert not has_secret(shelf(fs))
    assert stored(fs) == {b"b\n", b"b2\n"}


@pytest.mark.promise("back.forget")
def test_remains_in_the_pages_of_a_real_database_are_gone_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "ws"
    root.mkdir()
    ws = Workspace(root)
    for number in range(60):
        land(ws, write("a", secret(number)), write("b", b"%d\n" % number * number))
        land(ws, write("a", secret(number, long=True)), summary=f"set {SECRET.decode()}")
    assert SECRET in b"".join(path.read_bytes() for path in Path(history_folder()).iterdir())
    forget(ws, "a")
    (path,) = Path(history_folder()).iterdir()
    assert not has_secret(path.read_bytes())
    assert {*contents(path.read_bytes()).values()} == {None, *(b"%d\n" % number * number for number in range(60))}


@pytest.mark.promise("back.forget")
def test_pending_changes_are_gone_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "ws"
    root.mkdir()
    ws = Workspace(root, FAST)
    for number in range(5):
        land(ws, write("a", secret(number)), write("b", b"%d\n" % number))
    assert [path.suffix for path in sorted(Path(history_folder()).iterdir())] == [".db", ".db-pending"]
    forget(ws, "a")
    (path,) = Path(history_folder()).iterdir()
    assert not has_secret(path.read_bytes())
    land(ws, write("b", b"after\n"))
    land(ws, write("b", b"after that\n"))
    assert [error_of(ws.undo(change["change_id"]))["code"] for change in list_changes(ws)[3:6]] == [
        "CONTENT_NOT_KEPT"
    ] * 3
    succeed(ws.undo())
    assert (root / "b").read_bytes() == b"after\n"
    assert SECRET not in b"".join(path.read_bytes() for path in Path(history_folder()).iterdir())


@pytest.mark.promise("back.forget")
def test_a_file_is_followed_through_renames_in_both_directions() -> None:
    ws, fs = workspace({"old": secret(0)})
    land(ws, write("old", secret(1)))
    land(ws, rename("old", "config", secret(2)))
    land(ws, write("config", secret(3)))
    land(ws, rename("config", "new"))
    land(ws, write("new", secret(4)))
    assert forget(ws, "config")["paths"] == ["config", "new", "old"]
    assert stored(fs) == set()


@pytest.mark.promise("back.forget")
def test_another_file_that_had_one_of_its_names_is_kept() -> None:
    ws, fs = workspace({"a": b"first\n"})
    land(ws, delete("a"))
    land(ws, create("a", secret()))
    land(ws, rename("a", "b"))
    land(ws, create("a", b"third\n"))
    assert forget(ws, "b")["paths"] == ["a", "b"]
    assert stored(fs) == {b"first\n", b"third\n"}
    forget(ws, "a")
    assert stored(fs) == set()


@pytest.mark.promise("back.forget")
def test_a_file_that_an_undo_brings_back_is_the_same_file() -> None:
    ws, fs = workspace({"a": secret(0), "b": secret(9)})
    land(ws, write("a", secret(5)))
    land(ws, delete("a"))
    succeed(ws.undo())
    land(ws, write("a", secret(1)))
    land(ws, rename("a", "c"))
    land(ws, write("c", secret(2)))
    forget(ws, "c")
    land(ws, write("b", b"b\n"))
    assert stored(fs) == {secret(9), b"b\n"}


def replace_by_rename(ws: Workspace, path: str, to: str) -> str:
    """A rename that replaces a file, as a diff can make one."""
    engine = ws._engine

    def propose(session: Any) -> Plan:
        before, replaced = session.read(path), session.read(to)
        return Plan((Rename(before.place, before, Place(0, to, to), None, replaced),), "transaction", "rename")

    change = engine.land(propose).change
    assert change is not None
    return change.id


@pytest.mark.promise("back.forget")
def test_a_rename_that_replaced_a_file_and_was_undone_with_later_edits_is_followed() -> None:
    ws, fs = workspace({"a": secret(0), "b": b"plain\n"})
    change = replace_by_rename(ws, "a", "b")
    fs.put("b", b"top\n" + secret(0))
    succeed(ws.undo(change))
    assert fs.files() == {"a": b"top\n" + secret(0), "b": b"plain\n"}
    land(ws, write("a", secret(7)))
    assert forget(ws, "b")["paths"] == ["a", "b"]
    assert stored(fs) == set()


@pytest.mark.promise("back.forget")
def test_a_folder_means_all_files_below_it() -> None:
    ws, fs = workspace()
    land(ws, create("conf/a", secret(0)), create("conf/sub/b", secret(1)), create("conf.txt", b"kept\n"))
    assert forget(ws, "conf/")["paths"] == ["conf/a", "conf/sub/b"]
    assert stored(fs) == {b"kept\n"}


@pytest.mark.promise("back.forget")
def test_of_a_change_only_its_own_contents_go() -> None:
    ws, fs = workspace({"a": b"0\n", "b": b"0 of b\n"})
    land(ws, write("a", b"1\n"))
    change = land(ws, write("a", secret()), write("b", b"1 of b\n"), summary=SECRET.decode())
    land(ws, write("a", b"3\n"))
    data = forget(ws, change[:14])
    assert (data["contents"], len(data["changes"])) == (4, 3)
    assert stored(fs) == {b"0\n", b"3\n"}
    assert not has_secret(shelf(fs))


@pytest.mark.promise("back.forget")
def test_the_same_content_goes_wherever_it_was_but_an_empty_one_stays() -> None:
    ws, fs = workspace({"a": b"", "b": b""})
    land(ws, write("a", secret()), write("b", secret()), create("c", secret()))
    land(ws, write("b", b"b\n"))
    data = forget(ws, "a")
    assert (data["shared"], data["in_workspace"]) == (["b", "c"], ["a", "c"])
    assert stored(fs) == {b"", b"b\n"}
    assert error_of(ws.undo())["code"] == "CONTENT_NOT_KEPT"


@pytest.mark.promise("back.forget")
def test_snapshots_lose_the_content_and_can_be_restored_otherwise() -> None:
    ws, fs = workspace({"a": secret(0), "b": b"b\n"})
    take_snapshot(ws, "point", ["a", "b"])
    fs.put("b", b"b2\n")
    fs.put("a", b"a2\n")
    forget(ws, "a")
    assert not has_secret(shelf(fs))
    assert error_of(ws.restore("point"))["code"] == "CONTENT_NOT_KEPT"
    succeed(ws.restore("point", ["b"]))
    assert fs.files() == {"a": b"a2\n", "b": b"b\n"}


def cut(ws: Workspace, path: str, text: str, name: str) -> None:
    succeed(ws.patch(path, [{"operation": "replace", "oldText": text, "newText": "", "toClipboard": name}]))


@pytest.mark.promise("back.forget")
def test_clipboards_with_its_text_go_whoever_has_them() -> None:
    ws, fs = workspace({"a": b"x\r\n" + SECRET + b"\r\ny\r\n", "b": b"plain\n" + SECRET + b"\n"})
    other = ws.for_session(SessionInfo("other", "library"))
    cut(ws, "a", SECRET.decode() + "\r\n", "cut")
    cut(other, "b", SECRET.decode() + "\n", "same text")
    cut(other, "b", "plain", "kept")
    cut(ws, "b", "\n", "empty")
    damaged = "INSERT INTO session_clipboard SELECT session, CAST('broken' AS BLOB), content, path, 1, 1, 0, made, 1"
    change_database(fs, f"{damaged} FROM session_clipboard WHERE name = CAST('cut' AS BLOB)")
    change_database(fs, "UPDATE session_clipboard SET start_line = 'x' WHERE name = CAST('same text' AS BLOB)")
    data = forget(ws, "a")
    assert (data["clipboards"], data["other_clipboards"]) == (["broken", "cut"], ["empty", "kept"])
    assert fs.files()["b"] == b""
    assert [known["name"] for known in succeed(ws.command("clipboards", {}))["clipboards"]] == ["empty", "kept"]
    paste = [{"operation": "append_eof", "fromClipboard": "kept"}]
    assert error_of(ws.patch("b", paste))["code"] == "CLIPBOARD_NOT_FOUND"
    succeed(other.patch("b", paste))
    assert error_of(ws.patch("b", [{"operation": "append_eof", "fromClipboard": "cut"}]))["code"] == (
        "CLIPBOARD_NOT_FOUND"
    )
    forget(ws, "b")
    assert not has_secret(shelf(fs))


@pytest.mark.promise("back.forget")
def test_the_clipboards_of_version_010_go_in_any_case() -> None:
    ws, fs = workspace({"a": b"a\n"})
    land(ws, write("a", b"b\n"))
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        database.deserialize(shelf(fs))
        database.execute("CREATE TABLE clipboard (name BLOB PRIMARY KEY, content BLOB NOT NULL)")
        database.execute("INSERT INTO clipboard VALUES (x'78', ?)", (SECRET,))
        ((name, _),) = fs.shelf.items()
        fs.shelf[name] = database.serialize()
    assert forget(ws, "a")["clipboards"] == []
    assert not has_secret(shelf(fs))


@pytest.mark.promise("back.forget")
def test_summaries_of_the_changes_go_also_where_an_undo_repeats_them() -> None:
    ws, fs = workspace({"a": b"0\n", "b": b"0 of b\n"})
    land(ws, write("a", b"1\n"), summary=f"set {SECRET.decode()}")
    land(ws, write("b", b"1 of b\n"), summary="about b")
    undone = list_changes(ws)[1]["change_id"]
    succeed(ws.undo(undone))
    succeed(ws.redo())
    forget(ws, "a")
    assert SECRET not in shelf(fs)
    assert [change["summary"] for change in list_changes(ws)] == ["", "", "about b", ""]
    assert {change["state"] for change in list_changes(ws)} == {"landed", "undone"}


@pytest.mark.promise("back.forget")
def test_the_undo_of_a_whole_session_loses_its_summary_and_joins_what_was_renamed() -> None:
    ws, fs = workspace({"a": secret(0), "b": b"plain\n", "c": b"c\n"})
    replace_by_rename(ws, "a", "b")
    land(ws, write("c", b"c2\n"), summary=SECRET.decode())
    fs.put("b", b"top\n" + secret(0))
    succeed(ws.undo(session=ws.session.id))
    land(ws, write("a", secret(7)))
    forget(ws, "b", "c")
    assert stored(fs) == set()
    assert SECRET not in shelf(fs)
    assert {change["state"] for change in list_changes(ws)} == {"landed", "undone"}


# What stays


def chain(ws: Workspace, path: str, numbers: range) -> list[bytes]:
    """Versions of a file that are stored as differences to each other."""
    versions = [FILLER + b"%d of %s\n" % (number, path.encode()) * 300 + FILLER for number in numbers]
    for content in versions:
        land(ws, write(path, content))
    return versions


@pytest.mark.promise("back.forget")
def test_what_is_stored_as_a_difference_to_a_removed_content_stays_readable() -> None:
    ws, fs = workspace()
    before = chain(ws, "a", range(45))
    change = land(ws, write("a", FILLER + SECRET + b"\n" + FILLER))
    after = chain(ws, "a", range(45, 90))
    forget(ws, change)
    assert not has_secret(shelf(fs))
    assert stored(fs) == {*before[:-1], *after}
    assert len(shelf(fs)) < 200_000  # they are still differences
    for content in [*after[-2::-1]]:
        succeed(ws.undo())
        assert fs.files()["a"] == content
    assert error_of(ws.undo())["code"] == "CONTENT_NOT_KEPT"


@pytest.mark.promise("back.forget")
def test_another_file_based_on_the_same_content_stays_readable() -> None:
    ws, fs = workspace()
    land(ws, create("a", secret(long=True)), create("b", secret(long=True)))
    versions = chain(ws, "b", range(5))
    land(ws, write("a", secret(1, long=True)))
    forget(ws, "a")
    assert not has_secret(shelf(fs))
    assert stored(fs) == {*versions}


@pytest.mark.promise("back.forget")
def test_records_stay_as_they_were_but_for_the_summary() -> None:
    ws, _ = workspace({"a": secret(0)})
    land(ws, write("a", secret(1)), summary="one")
    land(ws, rename("a", "b"), create("c", b"c\n"), summary="two")
    land(ws, write("b", secret(2, long=True) + FILLER * 400), summary="many lines")  # too long to count at once
    before = [{**change, "summary": ""} for change in list_changes(ws)]
    forget(ws, "a")
    assert list_changes(ws) == before
    assert before[0]["files"][0]["added"] > 100_000


@pytest.mark.promise("back.forget")
def test_a_removed_content_is_recorded_again_if_a_file_still_has_it() -> None:
    ws, fs = workspace({"a": secret()})
    land(ws, write("a", b"a\n"))
    forget(ws, "a")
    fs.put("a", secret())
    land(ws, write("a", b"a2\n"))
    assert has_secret(shelf(fs))
    succeed(ws.undo())
    assert fs.files()["a"] == secret()


@pytest.mark.promise("back.forget")
def test_forgetting_again_changes_nothing() -> None:
    ws, fs = workspace({"a": secret()})
    land(ws, write("a", b"a\n"))
    first = forget(ws, "a")
    second = forget(ws, "a")
    assert (first["contents"], second["contents"], second["changes"]) == (2, 0, first["changes"])
    lost = land(ws, write("a", b"b\n"))
    lose(fs, b"a\n")
    error = error_of(ws.undo(lost))
    assert (error["code"], error["forgotten"]) == ("CONTENT_NOT_KEPT", False)


@pytest.mark.promise("back.forget")
def test_a_dry_run_removes_nothing_and_says_the_same() -> None:
    ws, fs = workspace({"a": secret()})
    land(ws, write("a", b"a\n"))
    before = shelf(fs)
    plan = succeed(ws.forget(["a"], dry_run=True))
    assert shelf(fs) == before
    assert plan == {**forget(ws, "a"), "dry_run": True}


# Damage, and histories of version 0.1.0


DAMAGES = {
    "another path": "UPDATE file SET path = CAST('other' AS BLOB) WHERE change = 2",
    "a path of another type": "UPDATE file SET path = 7 WHERE change = 2",
    "no file": "DELETE FROM file WHERE change = 2",
    "no change": "DELETE FROM change WHERE number = 2",
    "no change at all": "DELETE FROM change",
    "another summary": f"UPDATE change SET summary = '{SECRET.decode()}' WHERE number = 2",  # noqa: S608  ours
    "another hash": f"UPDATE content SET digest = 'sha256:0' WHERE digest = '{hash_of(secret(1))}'",  # noqa: S608  ours
    "another number": f"UPDATE content SET number = 77 WHERE digest = '{hash_of(secret(1))}'",  # noqa: S608  ours
    "another size": "UPDATE content SET size = 'x'",
    "another base": "UPDATE content SET base = number + 1",
    "a snapshot's number": "UPDATE snapshot SET after_change = 'x'",
    "a snapshot's file": "UPDATE snapshot_file SET path = CAST('other' AS BLOB) WHERE path = CAST('a' AS BLOB)",
    "no snapshot": "DELETE FROM snapshot",
    "no checksums": "DELETE FROM checksum",
}


@pytest.mark.promise("back.forget")
@pytest.mark.promise("back.damage")
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damaged_records_do_not_keep_the_bytes(damage: str) -> None:
    ws, fs = workspace({"a": secret(0), "b": b"b\n"})
    land(ws, write("a", secret(0) * 2))
    land(ws, write("a", secret(1)))
    land(ws, write("b", b"b2\n"))
    fs.put("a", secret(2))
    take_snapshot(ws, "point")
    land(ws, write("a", secret(3)))
    change_database(fs, damage)
    forget(ws, "a")
    assert not has_secret(shelf(fs))
    succeed(ws.history())


@pytest.mark.promise("back.forget")
def test_sound_records_of_other_files_survive_damage() -> None:
    ws, fs = workspace({"a": secret(0), "b": b"b\n"})
    land(ws, write("a", secret(1)))
    land(ws, write("b", b"b2\n"))
    land(ws, write("b", b"b3\n"))
    change_database(fs, "UPDATE file SET added = 9 WHERE change = 1")
    assert forget(ws, "a")["contents"] == 2
    assert [change["state"] for change in list_changes(ws)] == ["landed", "landed", "damaged"]
    for content in (b"b2\n", b"b\n"):
        succeed(ws.undo())
        assert fs.files()["b"] == content


@pytest.mark.promise("back.forget")
def test_a_damaged_content_that_is_based_on_a_removed_one_stays_damaged() -> None:
    ws, fs = workspace({"a": FILLER})
    change = land(ws, write("a", secret(long=True)))
    last = land(ws, write("a", secret(long=True) + b"x\n" * 1_000))
    land(ws, write("a", b"end\n"))
    damaged = hash_of(secret(long=True) + b"x\n" * 1_000)
    change_database(fs, f"UPDATE content SET data = x'00' WHERE digest = '{damaged}'")  # noqa: S608  ours
    forget(ws, change)
    assert not has_secret(shelf(fs))
    error = error_of(ws.undo())
    assert (error["code"], error["what"], error["name"]) == ("HISTORY_DAMAGED", "content", damaged)
    assert error_of(ws.undo(last))["code"] == "CONTENT_NOT_KEPT"


@pytest.mark.promise("back.forget")
def test_the_base_that_a_dropped_change_left_behind_goes_too() -> None:
    ws, fs = workspace(settings=Settings(history_max_bytes=60_000))
    land(ws, create("a", secret(long=True)))
    land(ws, rename("a", "b"))
    versions = chain(ws, "b", range(400))
    assert succeed(ws.history(limit=1000))["changes"][-1]["summary"] == ""
    data = forget(ws, "b")
    assert data["contents"] > 10
    assert stored(fs) == set()
    assert versions


@pytest.mark.promise("back.forget")
def test_a_history_of_version_010_is_understood() -> None:
    ws, fs = workspace({"a": secret(0), "b": b"b\n"})
    land(ws, write("a", secret(1)), summary="one")
    land(ws, rename("a", "c"))
    take_snapshot(ws, "point")
    land(ws, write("b", b"b2\n"))
    ((name, raw),) = fs.shelf.items()
    fs.shelf[name] = as_010(raw)
    assert forget(ws, "c")["contents"] == 2
    assert not has_secret(shelf(fs))
    assert [change["state"] for change in list_changes(ws)] == ["landed"] * 3
    succeed(ws.undo(list_changes(ws)[0]["change_id"]))
    assert fs.files()["b"] == b"b\n"


@pytest.mark.promise("back.forget")
def test_a_database_that_sqlite_cannot_use_is_reported() -> None:
    ws, fs = workspace({"a": secret(0)})
    land(ws, write("a", b"a\n"))
    ((name, raw),) = fs.shelf.items()
    fs.shelf[name] = raw[:4096] + bytes(len(raw) - 4096)
    assert error_of(ws.forget(["a"]))["code"] == "HISTORY_UNAVAILABLE"


# Copies, and databases set aside


@pytest.mark.promise("back.forget")
def test_copies_and_damaged_databases_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root, other = tmp_path / "ws", tmp_path / "other"
    for folder in (root, other, tmp_path / "unrelated"):
        folder.mkdir()
        ws = Workspace(folder)
        land(ws, create("a", b"unrelated\n" if folder.name == "unrelated" else secret()))
        ws.close()
    root.rename(tmp_path / "elsewhere")
    root.mkdir()
    before = {*Path(history_folder()).iterdir()}
    ws = Workspace(root)  # a new folder at a known path continues with a copy
    land(ws, create("b", b"b\n"))
    (own,) = {*Path(history_folder()).iterdir()} - before
    (original,) = {path for path in before if path.name[:20] == own.name[:20]}
    aside = own.with_name(f"{own.name}.damaged-123")
    aside.write_bytes(secret())
    own.with_name("notes.txt").write_bytes(b"not a database")
    plan = succeed(ws.forget(["a"], dry_run=True))
    data = forget(ws, "a")
    assert data["copies"] == plan["copies"]
    assert {Path(path) for path in data["copies"]} - {original, aside} == {
        path for path in before if path.name[:20] != own.name[:20] and secret() in path.read_bytes()
    }
    assert {original, aside} < {Path(path) for path in data["copies"]}
    assert not has_secret(own.read_bytes())
    assert has_secret(original.read_bytes())
    damaged, others = ws.forget(["a"]).text.split("Not removed:")[1:]
    assert "Delete them:" in damaged
    assert [line.strip() for line in damaged.splitlines()[1:]] == [str(aside)]
    assert "run suture forget in those folders. Do not delete their databases:" in others
    assert [line.strip() for line in others.splitlines()[1:]] == [path for path in data["copies"] if path != str(aside)]


@pytest.mark.promise("back.forget")
def test_a_database_nearby_that_cannot_be_read_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "ws").mkdir()
    ws = Workspace(tmp_path / "ws", Settings(history_timeout_ms=0))
    land(ws, create("a", secret()))
    (own,) = Path(history_folder()).iterdir()
    near, far = own.with_name(f"{own.name[:20]}-0-0.db"), own.with_name(f"{'f' * 20}-0-0.db")
    near.write_bytes(b"no database, but long enough to look like one" * 100)
    far.mkdir()
    assert forget(ws, "a")["copies"] == [str(near)]
    near.unlink()
    near.mkdir()
    assert forget(ws, "a")["copies"] == [str(near)]


# Interruptions


@pytest.mark.promise("back.forget")
@pytest.mark.parametrize("call", ["commit_database", "vacuum_database", "drop_pending", "unlock"])
def test_what_is_interrupted_is_done_or_not_and_doing_it_again_completes_it(
    call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "ws"
    root.mkdir()
    ws = Workspace(root, FAST)
    versions = [secret(number) for number in range(4)]
    for content in versions:
        land(ws, write("a", content), write("b", content.replace(SECRET, b"none")))
    ws.close()
    faulty = FaultyFS(LocalFS(), stop_at=1, only={call})
    stopping = Workspace(root, FAST, fs=faulty)
    with suppress(Stopped):
        stopping.forget(["a"])
    faulty.abandon()
    stopping._engine.close()
    ws = Workspace(root, FAST)
    assert [change["state"] for change in list_changes(ws)] == ["landed"] * 4
    (path,) = Path(history_folder()).glob("*.db")
    known = contents(path.read_bytes())
    assert [known[hash_of(content)] for content in versions] in ([None] * 4, versions)
    forget(ws, "a")
    assert [path.suffix for path in Path(history_folder()).iterdir()] == [".db"]
    assert not has_secret(path.read_bytes())
    assert {*contents(path.read_bytes()).values()} == {
        None,
        *(content.replace(SECRET, b"none") for content in versions),
    }


@pytest.mark.promise("back.forget")
@pytest.mark.parametrize("call", ["commit_database", "vacuum_database", "drop_pending"])
def test_a_failure_is_reported(call: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "ws"
    root.mkdir()
    land(Workspace(root), create("a", secret()))
    faulty = FaultyFS(LocalFS(), fail_at=1, only={call})
    assert error_of(Workspace(root, fs=faulty).forget(["a"]))["code"] == "HISTORY_UNAVAILABLE"
    forget(Workspace(root), "a")


@pytest.mark.promise("back.forget")
def test_an_open_server_keeps_nothing_in_memory() -> None:
    ws, fs = workspace({"a": secret()})
    succeed(ws.file_read("a"))
    land(ws, write("a", secret(1)))
    shared = ws._engine._shared
    assert (shared.newest is None, bool(shared.shown._files)) == (False, True)
    forget(ws, "a")
    assert (shared.newest, shared.shown._files, shared.remembered) == (None, {}, {})
    remove(fs, "a")
