"""Damaged histories: whatever the damage, a call does what it would do with an undamaged one, or nothing.

The right result comes from a twin: the same call in the same tree, with the history as it was before the damage.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from functools import cache
from operator import methodcaller
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import pytest

from suture import Settings, ToolResult, Workspace
from suture.plan import SessionInfo
from suture.testing import MemoryFS
from tests.scale import scaled
from tests.unit.changes import (
    create,
    delete,
    error_of,
    hash_of,
    land,
    lines,
    list_changes,
    rename,
    state,
    succeed,
    take_snapshot,
    workspace,
    write,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    Call = Callable[[Workspace], ToolResult]
    Damage = Callable[[bytes, Random], bytes]

PAGE = 4096
VALUES = (None, 0, 1, 7, -1, 1 << 62, 0.5, "", "a", "landed", "undone", "\udce9", b"", b"a", b"d/new", b"\xff\xfe")
CALM = Settings(lock_timeout_ms=0, history_timeout_ms=0)


class Past(NamedTuple):
    """A tree with a history, as values: made once, and copied into a new file system for each call."""

    files: dict[str, tuple[bytes, int]]
    shelf: bytes
    name: str
    ids: tuple[str, ...]

    def open(self, shelf: bytes | None = None) -> tuple[Workspace, MemoryFS]:
        fs = MemoryFS()
        for path, (data, mode) in self.files.items():
            fs.put(path, data, mode=mode)
        fs.shelf[self.name] = self.shelf if shelf is None else shelf
        return Workspace(fs.root, CALM, fs=fs), fs


def past(*, legacy: bool = False) -> Past:
    """A past with all kinds of records; `legacy`: of those that version 0.1.0 had."""
    return make_past(legacy=legacy)


@cache
def make_past(*, legacy: bool) -> Past:
    ws, fs = workspace({"a": lines(), "b": b"1\n", "secret": b"0\n"}, CALM)
    land(ws, write("a", lines(3)), create("d/new", b"new\n" * 400))
    land(ws, write("b", b"2\n"), write("a", lines(3, 9)))
    take_snapshot(ws, "first", ["secret"])
    land(ws, rename("b", "c"), create("run", b"#!\n", 0o755))
    undone = land(ws, write("a", lines(3, 9, 15)))
    succeed(ws.patch("c", [{"operation": "replace", "oldText": "2", "toClipboard": "x", "fromClipboard": "x"}]))
    succeed(ws.undo(undone))
    if not legacy:
        succeed(ws.checkpoint("third"))
        fs.put("by hand", b"1\n")
        succeed(ws.checkpoint("fourth"))
    land(ws, delete("d/new"), write("c", b"3\n"))
    land(ws, write("c", b"4\n"))
    succeed(ws.undo())
    succeed(ws.redo())
    take_snapshot(ws, "second")
    land(ws, create("e/f/g", b"g\n"), rename("run", "e/run"))
    succeed(ws.restore("second", ["e"]))
    land(ws, write("a", lines(1, 3, 9)), write("b", b"again\n"))
    succeed(ws.undo())
    if not legacy:
        agent = ws.for_session(SessionInfo("run", "an agent", "1", "stdio"))
        land(agent, write("a", lines(5)), rename("c", "e/c"))
        land(agent, delete("e/c"), create("run", b"#!\n"))
        succeed(agent.command("undo", {"session": "run"}))
    fs.put("secret", b"1\n")  # by another program
    ((name, shelf),) = fs.shelf.items()
    files = {path: (data, fs.node_of(path).mode) for path, data in fs.files().items()}
    return Past(files, shelf, name, tuple(change["change_id"] for change in list_changes(ws)))


def calls(*, legacy: bool = False) -> list[Call]:
    """Every tool that reads a history."""
    result: list[Call] = [
        lambda ws: ws.undo(),
        lambda ws: ws.redo(),
        lambda ws: ws.history(),
        lambda ws: ws.checkpoints(),
        lambda ws: ws.call("history", {"session": "run"}),
        lambda ws: ws.command("undo", {"session": ws.session.id}),
        lambda ws: ws.command("undo", {"session": "run", "partly": True}),
    ]
    for change_id in past(legacy=legacy).ids:
        result += [methodcaller("undo", change_id), methodcaller("redo", change_id)]
        result += [methodcaller("restore", change_id)]
        result += [methodcaller("restore", change_id, ["c"])]
        result += [methodcaller("show", change_id)]
    for name in ("first", "second", "third"):
        result += [methodcaller("restore", name)]
        result += [methodcaller("restore", name, ["a", "c"])]
    for path in ("a", "b", "c", "d", "d/new", "e", "run", "secret"):
        result += [methodcaller("restore", paths=[path])]
        result += [methodcaller("history", path)]
    paste = [{"operation": "append_eof", "fromClipboard": "x"}]
    result += [lambda ws: ws.patch("c", paste)]
    stale = [{"operation": "replace", "oldText": "line 9\nline 10\n", "newText": "line 9\nten\n"}]
    result += [lambda ws: ws.patch("a", stale), lambda ws: ws.checkpoint("third"), lambda ws: ws.checkpoint("first")]
    return result


# Damages


def flip_bits(data: bytes, random: Random) -> bytes:
    """Some bits of some bytes."""
    raw = bytearray(data)
    for _ in range(random.choice((1, 1, 1, 2, 8))):
        raw[random.randrange(len(raw))] ^= random.randrange(1, 256)
    return bytes(raw)


def overwrite_sector(data: bytes, random: Random) -> bytes:
    """A sector of zeros, of noise, or from elsewhere."""
    size = random.choice((16, 64, 512, PAGE))
    at = random.randrange(0, len(data), size)
    other = random.randrange(0, len(data), size)
    new = random.choice((bytes(size), random.randbytes(size), data[other : other + size].ljust(size, b"\0")))
    return (data[:at] + new + data[at + size :])[: len(data)]


def truncate(data: bytes, random: Random) -> bytes:
    return data[: random.choice((random.randrange(len(data)), random.randrange(0, len(data), PAGE)))]


def change_row(data: bytes, random: Random) -> bytes:
    """A row that is lost, or has another value, or another row's value."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database, suppress(sqlite3.Error, UnicodeError):
        database.deserialize(data)
        tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        table = random.choice(tables)
        table_rows = database.execute(f"SELECT * FROM {table}").fetchall()  # noqa: S608  names and hashes of our own
        columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        if not table_rows:
            return data
        row, other = random.choice(table_rows), random.choice(table_rows)
        condition = " AND ".join(f"{column} IS ?" for column in columns)
        at = random.randrange(len(columns))
        value = random.choice((*VALUES, other[at], other[at], row[random.randrange(len(columns))]))
        if isinstance(value, str):
            value = value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
        if random.random() < 0.3:
            database.execute(f"DELETE FROM {table} WHERE {condition}", row)  # noqa: S608  names and hashes of our own
        else:
            database.execute(f"UPDATE {table} SET {columns[at]} = ? WHERE {condition}", (value, *row))  # noqa: S608  names and hashes of our own
        return database.serialize()
    return data  # anything that can no longer be read or written


DAMAGES: tuple[Damage, ...] = (flip_bits, overwrite_sector, truncate, change_row, change_row, change_row)


def apply_damages(data: bytes, random: Random) -> bytes:
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        data = random.choice(DAMAGES)(data, random) or data
    return data


def as_010(data: bytes) -> bytes:
    """A history as written by version 0.1.0."""
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        database.deserialize(data)
        for table in ("checksum", "machine", "origin", "also_undoes"):
            database.execute(f"DROP TABLE IF EXISTS {table}")
        database.execute("VACUUM")
        return database.serialize()


# Single damages


def change_database(fs: MemoryFS, *statements: str) -> None:
    """Change the only database in a way that suture never would."""
    ((name, stored),) = fs.shelf.items()
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as database:
        database.deserialize(stored)
        for statement in statements:
            assert database.execute(statement).rowcount, statement
        fs.shelf[name] = database.serialize()


LOST_CONTENT = f"DELETE FROM content WHERE digest = '{hash_of(b'1')}'"  # noqa: S608  names and hashes of our own
DAMAGES_OF_ONE = {
    "a lost content": LOST_CONTENT,
    "a content that is cleared": f"UPDATE content SET data = NULL WHERE digest = '{hash_of(b'1')}'",  # noqa: S608  names and hashes of our own
    "another content": f"UPDATE content SET data = x'39' WHERE digest = '{hash_of(b'1')}'",  # noqa: S608  names and hashes of our own
    "a lost file": "DELETE FROM file WHERE change = 2",
    "a file that seems to be created": "UPDATE file SET before = NULL, before_mode = NULL WHERE change = 2",
    "another path": "UPDATE file SET path = CAST('other' AS BLOB) WHERE change = 2",
    "a path that is a text": "UPDATE file SET path = 'a' WHERE change = 2",
    "other permissions": "UPDATE file SET before_mode = 511 WHERE change = 2",
    "another summary": "UPDATE change SET summary = x'ff' WHERE number = 2",
    "another state": "UPDATE change SET state = 'undone' WHERE number = 2",
    "another id": "UPDATE change SET id = 'zzz' WHERE number = 2",
    "another tool": "UPDATE change SET tool = 'undo' WHERE number = 2",
    "a lost change": "DELETE FROM change WHERE number = 2",
    "another session": "UPDATE origin SET session = 'other' WHERE change = 2",
    "a session that is a number": "UPDATE origin SET session = 7 WHERE change = 2",
    "a session that is not UTF-8": "UPDATE origin SET agent = CAST(x'ff' AS TEXT) WHERE change = 2",
    "a session without an agent": "UPDATE origin SET agent = NULL WHERE change = 2",
    "another branch": "UPDATE origin SET has_head = 1, branch = 'other' WHERE change = 2",
    "a lost session": "DELETE FROM origin WHERE change = 2",
    "a lost checksum": "DELETE FROM checksum WHERE kind = 'change' AND key = 2",
}


def three_changes() -> tuple[Workspace, MemoryFS, list[str]]:
    ws, fs = workspace({"a": b"0", "b": b"0", "other": b"1"}, CALM)
    return ws, fs, [land(ws, write("a", b"1")), land(ws, write("a", b"2")), land(ws, write("b", b"3"))]


@pytest.mark.promise("back.damage")
@pytest.mark.parametrize("damage", DAMAGES_OF_ONE.values(), ids=DAMAGES_OF_ONE)
def test_a_damaged_change_is_not_undone_and_the_rest_is(damage: str) -> None:
    ws, fs, (_, second, third) = three_changes()
    change_database(fs, damage)
    before = state(fs)
    error = error_of(ws.undo(second))
    assert (error["code"], state(fs)) == ("HISTORY_DAMAGED", before)
    assert error["name"] == (hash_of(b"1") if error["what"] == "content" else second)
    succeed(ws.undo(third))
    assert fs.files() == {"a": b"2", "b": b"0", "other": b"1"}
    land(ws, write("b", b"4"))
    succeed(ws.undo())
    assert fs.files()["b"] == b"0"


@pytest.mark.promise("back.damage")
@pytest.mark.parametrize(
    ("damage", "damaged"),
    [
        ("DELETE FROM also_undoes", 3),
        ("UPDATE also_undoes SET id = 'other' WHERE id = (SELECT min(id) FROM also_undoes)", 3),
        ("INSERT INTO also_undoes VALUES ('other', 4)", 1),
        ("UPDATE change SET undoes = NULL WHERE number = 4", 3),
        ("DELETE FROM change WHERE number = 4", 3),
        ("UPDATE change SET state = 'undone' WHERE number = 4", 1),
    ],
)
def test_what_a_damaged_undo_of_several_changes_took_back_is_in_doubt(damage: str, damaged: int) -> None:
    ws, fs, changes = three_changes()
    succeed(ws.command("undo", {"session": ws.session.id}))
    succeed(ws.redo())
    succeed(ws.undo(list_changes(ws)[0]["change_id"]))
    assert [change["state"] for change in list_changes(ws)] == ["landed", "undone", "landed", *["undone"] * 3]
    change_database(fs, damage)
    before = state(fs)
    listed = {change["change_id"]: change["state"] for change in list_changes(ws)}
    assert [*listed.values()].count("damaged") >= damaged
    for change in changes:
        result = ws.redo(change)
        assert not result.is_error or (error_of(result)["code"], state(fs)) == ("HISTORY_DAMAGED", before)


@pytest.mark.promise("back.damage")
def test_a_damaged_change_is_listed_as_damaged_and_shown_as_such() -> None:
    ws, fs, (first, second, third) = three_changes()
    change_database(fs, "UPDATE file SET added = 7 WHERE change = 2")
    entries = [(change["change_id"], change["state"]) for change in list_changes(ws)]
    assert entries == [(third, "landed"), (second, "damaged"), (first, "landed")]
    assert (succeed(ws.show(second))["state"], succeed(ws.history(before=second))["changes"][0]["change_id"]) == (
        "damaged",
        first,
    )
    assert f"{second[:9]}" in ws.history().text
    assert "(damaged)" in ws.history().text


@pytest.mark.promise("back.damage")
def test_a_change_that_is_lost_with_its_id_is_listed_by_its_number() -> None:
    ws, fs, _ = three_changes()
    change_database(fs, "DELETE FROM change WHERE number = 2", "DELETE FROM checksum WHERE key = 2")
    assert [change["state"] for change in list_changes(ws)] == ["landed", "damaged", "landed"]
    assert succeed(ws.history(limit=2))["next"] == "#2"
    assert len(succeed(ws.history(before="#2"))["changes"]) == 1
    assert error_of(ws.undo("#2"))["code"] == "HISTORY_DAMAGED"


@pytest.mark.promise("back.damage")
def test_an_undo_without_a_name_does_not_pass_over_a_damaged_change() -> None:
    ws, fs, (_, _, third) = three_changes()
    change_database(fs, "DELETE FROM file WHERE change = 3")
    before = state(fs)
    for result in (ws.undo(), ws.redo()):
        assert (error_of(result)["code"], error_of(result)["name"], state(fs)) == ("HISTORY_DAMAGED", third, before)


@pytest.mark.promise("back.damage")
def test_an_older_change_is_undone_past_a_damaged_one_only_if_its_file_is_as_it_left_it() -> None:
    ws, fs, (first, _, _) = three_changes()
    change_database(fs, "DELETE FROM file WHERE change = 2")
    before = state(fs)
    error = error_of(ws.undo(first))
    assert (error["code"], error["path"], state(fs)) == ("HISTORY_DAMAGED", "a", before)
    fs.put("a", b"1")
    succeed(ws.undo(first))
    assert fs.files()["a"] == b"0"


@pytest.mark.promise("back.damage")
def test_what_a_lost_undo_took_back_is_in_doubt() -> None:
    ws, fs, (_, second, _) = three_changes()
    succeed(ws.undo(second))
    change_database(fs, "DELETE FROM change WHERE number = 4")
    assert [change["state"] for change in list_changes(ws)] == ["damaged", "landed", "damaged", "landed"]
    assert error_of(ws.undo(second))["code"] == "HISTORY_DAMAGED"


@pytest.mark.promise("back.damage")
def test_restoring_needs_the_changes_since_unless_the_point_itself_has_the_file() -> None:
    ws, fs, (first, second, _) = three_changes()
    take_snapshot(ws, "point")
    land(ws, write("b", b"5"), write("a", b"6"))
    last = land(ws, write("a", b"7"))
    change_database(fs, "UPDATE file SET after_mode = 1 WHERE change = 4")
    before = state(fs)
    for result in (ws.restore(first), ws.restore("point"), ws.restore(second, ["b"]), ws.restore(paths=["b"])):
        assert (error_of(result)["code"], state(fs)) == ("HISTORY_DAMAGED", before)
    fs.put("a", b"8")
    succeed(ws.restore(paths=["a"]))
    assert fs.files()["a"] == b"7"
    succeed(ws.restore("point", ["b"]))
    assert fs.files()["b"] == b"3"
    succeed(ws.restore(last))


@pytest.mark.promise("back.damage")
@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM snapshot_file WHERE path = CAST('a' AS BLOB)",
        "UPDATE snapshot_file SET mode = 0 WHERE path = CAST('a' AS BLOB)",
        "UPDATE snapshot SET after_change = 1",
        "DELETE FROM snapshot",
        LOST_CONTENT.replace(hash_of(b"1"), hash_of(b"3")),
    ],
)
def test_a_damaged_snapshot_is_not_restored(damage: str) -> None:
    ws, fs, _ = three_changes()
    take_snapshot(ws, "point")
    fs.put("a", b"9")
    change_database(fs, damage)
    before = state(fs)
    for result in (ws.restore("point"), ws.restore("point", ["b"]), ws.restore(paths=["b"])):
        assert (error_of(result)["code"], state(fs)) == ("HISTORY_DAMAGED", before)


@pytest.mark.promise("back.damage")
@pytest.mark.parametrize("damage", ["UPDATE session_clipboard SET content = x'39'", "DELETE FROM session_clipboard"])
def test_a_damaged_clipboard_is_not_pasted(damage: str) -> None:
    ws, fs = workspace({"a": b"one\n"}, CALM)
    succeed(ws.patch("a", [{"operation": "replace", "oldText": "one", "toClipboard": "x", "fromClipboard": "x"}]))
    change_database(fs, damage)
    error = error_of(ws.patch("a", [{"operation": "append_eof", "fromClipboard": "x"}]))
    assert (error["code"], error["what"], error["name"]) == ("HISTORY_DAMAGED", "clipboard", "x")
    assert fs.files() == {"a": b"one\n"}


@pytest.mark.promise("back.damage")
@pytest.mark.parametrize(("table", "column"), [("origin", "head"), ("session_clipboard", "by_change")])
def test_a_table_without_a_column_makes_the_history_unavailable(table: str, column: str) -> None:
    ws, fs = workspace({"a": b"one\n"}, CALM)
    land(ws, write("a", b"two\n"))
    succeed(ws.patch("a", [{"operation": "replace", "oldText": "two", "toClipboard": "x", "fromClipboard": "x"}]))
    change_database(fs, f"ALTER TABLE {table} DROP COLUMN {column}")
    result = ws.history() if table == "origin" else ws.clipboards()
    assert error_of(result)["code"] == "HISTORY_UNAVAILABLE"


def lose_writes(fs: MemoryFS, table: str, owner: str) -> None:
    """Let a table lose what is written to it, as in a damaged tree of the database."""
    delete = f"DELETE FROM {table} WHERE {owner} = NEW.{owner}"  # noqa: S608  names of our own
    change_database(fs, f"CREATE TRIGGER swallow AFTER INSERT ON {table} BEGIN {delete}; END")


@pytest.mark.promise("back.damage")
@pytest.mark.parametrize(
    ("table", "owner"), [("file", "change"), ("folder", "change"), ("content", "number"), ("origin", "change")]
)
def test_a_change_that_cannot_be_read_back_begins_a_new_history(table: str, owner: str) -> None:
    ws, fs, _ = three_changes()
    before = state(fs)
    lose_writes(fs, table, owner)
    with ws.transaction() as tx:
        tx.create("new/z", b"z\n")
    assert tx.change is not None
    assert tx.change.trouble is not None
    assert (tx.change.trouble.recorded, tx.change.trouble.aside in fs.shelf) == (True, True)
    succeed(ws.undo())
    assert state(fs) == before


@pytest.mark.promise("back.damage")
def test_a_snapshot_that_cannot_be_read_back_is_taken_again_whole() -> None:
    ws, fs, _ = three_changes()
    before = state(fs)
    lose_writes(fs, "snapshot_file", "snapshot")
    take_snapshot(ws, "point", ["other"])
    for path in before:
        fs.put(path, b"other")
    succeed(ws.restore("point"))
    assert state(fs) == before


# Histories of version 0.1.0


def convert_to_010(fs: MemoryFS) -> None:
    ((name, stored),) = fs.shelf.items()
    fs.shelf[name] = as_010(stored)


@pytest.mark.promise("back.damage")
def test_a_history_of_010_goes_on_and_its_changes_get_checksums() -> None:
    ws, fs, (first, second, third) = three_changes()
    convert_to_010(fs)
    assert [change["state"] for change in list_changes(ws)] == ["landed"] * 3
    succeed(ws.undo(second))
    assert fs.files()["a"] == b"1"
    change_database(fs, "UPDATE file SET added = 7 WHERE change = 1")
    assert [change["state"] for change in list_changes(ws)] == ["landed", "landed", "undone", "damaged"]
    assert error_of(ws.undo(first))["code"] == "HISTORY_DAMAGED"
    succeed(ws.undo(third))


@pytest.mark.promise("back.damage")
@pytest.mark.parametrize("damage", [LOST_CONTENT, DAMAGES_OF_ONE["a file that seems to be created"]])
def test_a_lost_content_of_a_history_of_010_is_not_taken_for_no_file(damage: str) -> None:
    ws, fs, (_, second, _) = three_changes()
    convert_to_010(fs)
    change_database(fs, damage)
    before = state(fs)
    assert (error_of(ws.undo(second))["code"], state(fs)) == ("HISTORY_DAMAGED", before)
    land(ws, write("b", b"5"))  # which adds checksums to undamaged records
    assert error_of(ws.undo(second))["code"] == "HISTORY_DAMAGED"


@pytest.mark.promise("back.damage")
def test_what_010_records_in_a_history_with_checksums_is_believed() -> None:
    ws, fs, _ = three_changes()
    change_database(fs, "DELETE FROM checksum WHERE key = 3")
    assert [change["state"] for change in list_changes(ws)] == ["landed"] * 3
    land(ws, write("b", b"5"))
    assert [change["state"] for change in list_changes(ws)] == ["landed"] * 4


# Properties


def outcome(result: ToolResult) -> str | None:
    if not result.is_error:
        return None
    code: str = result.metadata["error"]["code"]
    assert code != "INTERNAL", result.text
    return code


def check(call: Call, shelf: bytes, intact: bytes | None = None) -> str | None:
    """A call is right, or refused with nothing changed; then the next change lands and can be undone."""
    ws, fs = past(legacy=intact is None).open(shelf)
    before = state(fs)
    code = outcome(call(ws))
    if code is not None:
        assert state(fs) == before
    elif intact is not None:
        twin, expected = past().open(intact)
        call(twin)
        assert state(fs) == state(expected)
    before = state(fs)
    land(ws, create("z", b"z\n"))
    with_z = state(fs)
    if outcome(ws.undo()) is None:
        assert state(fs) == before
    else:
        assert state(fs) == with_z
    return code


def fuzz(seeds: Iterable[int], *, legacy: bool = False) -> dict[str | None, int]:
    """The number of calls by outcome."""
    counts: dict[str | None, int] = {}
    all_calls = calls(legacy=legacy)
    intact = as_010(past(legacy=True).shelf) if legacy else past().shelf
    for seed in seeds:
        random = Random(seed)
        shelf = apply_damages(intact, random)
        for call in random.sample(all_calls, 4):
            try:
                code = check(call, shelf, None if legacy else intact)
            except BaseException as error:
                error.add_note(f"seed {seed}, call {all_calls.index(call)}, legacy {legacy}")
                raise
            counts[code] = counts.get(code, 0) + 1
    return counts


@pytest.mark.promise("back.damage")
def test_a_damaged_history_is_refused_or_right() -> None:
    counts = fuzz(range(60))
    assert counts.keys() >= {None, "HISTORY_DAMAGED", "HISTORY_UNAVAILABLE"}


@pytest.mark.promise("back.damage")
def test_a_damaged_history_of_010_fails_nowhere() -> None:
    assert fuzz(range(scaled(20)), legacy=True)


@pytest.mark.soak
@pytest.mark.promise("back.damage")
@pytest.mark.parametrize("part", range(4))
def test_very_many_damaged_histories_are_refused_or_right(part: int) -> None:
    start = 10_000 * (part + 1)
    assert fuzz(range(start, start + scaled(1_000)))
    assert fuzz(range(start, start + scaled(250)), legacy=True)


@pytest.fixture
def pending_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path, list[str]]:
    """A file with five changes, of which the last four wait beside the database."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    (tmp_path / "ws").mkdir()
    (tmp_path / "ws" / "a").write_bytes(b"0\n")
    ws = Workspace(tmp_path / "ws", FAST)
    ids = [land(ws, write("a", b"%d\n" % number)) for number in range(1, 6)]
    ws.close()
    (pending,) = (tmp_path / "state").rglob("*-pending")
    return tmp_path / "ws", pending, ids


FAST = Settings(durability="fast", history_timeout_ms=0)


@pytest.mark.promise("back.damage")
def test_a_damaged_change_that_waits_is_a_damaged_change(pending_changes: tuple[Path, Path, list[str]]) -> None:
    root, pending, ids = pending_changes
    database = pending.with_name(pending.name.removesuffix("-pending"))
    stored, intact = database.read_bytes(), pending.read_bytes()
    for at in range(0, len(intact), 37):
        pending.write_bytes(intact[:at] + bytes([intact[at] ^ 1]) + intact[at + 1 :])
        database.write_bytes(stored)
        (root / "a").write_bytes(b"5\n")
        for _ in range(2):  # a damaged change is recorded once
            changes = list_changes(Workspace(root, FAST))[::-1]
            states = [change["state"] for change in changes]
            assert states.count("damaged") == 1
        at_damage = states.index("damaged")
        names = [change["change_id"] for change in changes]
        assert (
            (names[:at_damage], names[at_damage + 1 :])
            in [
                (ids[:at_damage], []),  # its end is unknown
                (ids[:at_damage], ids[at_damage + 1 :]),
            ]
        )
        refusal = outcome(Workspace(root, FAST).undo())
        assert refusal == "HISTORY_DAMAGED" if at_damage == len(changes) - 1 else refusal in {None, "CONTENT_NOT_KEPT"}
        assert (root / "a").read_bytes() == (b"4\n" if refusal is None else b"5\n")


@pytest.mark.promise("back.damage")
def test_a_change_that_waits_and_was_cut_off_ends_the_file(pending_changes: tuple[Path, Path, list[str]]) -> None:
    """Its process was killed, and the intent describes it; or a power cut removed it, which `fast` does not prevent."""
    root, pending, ids = pending_changes
    intact = pending.read_bytes()
    for cut in (1, 50, 200):
        pending.write_bytes(intact[:-cut])
        assert [change["change_id"] for change in list_changes(Workspace(root, FAST))][::-1] == ids[:-1]
