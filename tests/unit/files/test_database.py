"""The records in a database: read back unchanged, followed through renames and undos, and dropped."""

from __future__ import annotations

import sqlite3
import time
from itertools import count
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from suture.errors import ChangeNotFound, HistoryDamaged
from suture.files import database
from suture.files.database import SCHEMA, Database, KnownVersion, NamedPoint
from suture.files.journal import id_at
from suture.plan import ChangeRecord, Clipboard, FileRecord, Head, SessionInfo, Version, digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

DAY = 86_400
MUCH = 1 << 40
LONG = 10_000
KNOWN: dict[str, bytes] = {}
"""The contents of all versions in a test, by hash."""


def version(content: bytes, mode: int | None = 0o644) -> Version:
    name = digest((content,), len(content))
    KNOWN[name] = content
    return Version(name, mode)


def lost_version(content: bytes) -> Version:
    """A version whose content is no longer available."""
    return Version(digest((content,), len(content)).replace("sha256:", "sha256:0"), 0o644)


def creation(path: str, after: bytes) -> FileRecord:
    return FileRecord(path, "create", None, version(after))


def update(path: str, before: bytes, after: bytes) -> FileRecord:
    return FileRecord(path, "update", version(before), version(after))


def removal(path: str, before: bytes) -> FileRecord:
    return FileRecord(path, "delete", version(before), None)


def rename(path: str, to: str, before: bytes, after: bytes | None = None) -> FileRecord:
    return FileRecord(path, "rename", version(before), version(before if after is None else after), to)


class Scratch(Database):
    """A database with one-line changes: their ids are c1, c2 and so on, unless they get a time."""

    def __init__(self, path: str | Path = ":memory:") -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA auto_vacuum = FULL")
        self.connection.executescript(SCHEMA)
        self._numbers = count(1)
        super().__init__(self.connection)

    def record(
        self,
        *files: FileRecord,
        tool: str = "patch",
        undoes: str | None = None,
        days_ago: float | None = None,
        also: tuple[str, ...] = (),
        session: str | None = None,
    ) -> str:
        number = next(self._numbers)
        name = f"c{number}" if days_ago is None else f"{id_at(time.time() - days_ago * DAY)}{number:05d}"
        who = None if session is None else SessionInfo(session, f"{session}'s agent", "1", "stdio", "")
        change = ChangeRecord(name, tool, "", files, (), undoes, also_undoes=also, session=who)
        self.add(change, KNOWN.get)
        return name

    def take_snapshot(self, name: str, files: dict[str, bytes | None], days_ago: float = 0) -> NamedPoint:
        point = NamedPoint(f"{id_at(time.time() - days_ago * DAY)}{next(self._numbers):05d}", name, self.last_number())
        versions = [(path, None if content is None else version(content)) for path, content in files.items()]
        self.add_snapshot(point, versions, KNOWN.get)
        return point

    def drop_old(self, days: int) -> None:
        """Drop what is too old, step by step: changes on three days confirm the date."""
        for age in (0.02, 1.01, 2.01):
            self.record(days_ago=2.02 - age)
        while len(before := self.ids()) > 1:
            self.prune(MUCH, days)
            if self.ids() == before:
                break

    def ids(self) -> list[str]:
        """The ids of all changes, oldest first."""
        return [change.id for change in self.changes()][::-1]

    def states(self) -> list[str]:
        return [change.state for change in self.changes()][::-1]

    def unreadable(self) -> list[str]:
        """The changes with a content that was supplied once and is missing."""
        fresh = Database(self.connection)
        versions = [
            (change.id, version)
            for change in self.changes()
            for file in change.files
            for version in (file.before, file.after, file.replaced)
        ]
        versions += [
            (point.name, version) for point in self.snapshots() for version in self.snapshot_files(point).values()
        ]
        return [
            name
            for name, version in versions
            if version is not None and fresh.content(version.digest) != KNOWN.get(version.digest)
        ]


@pytest.fixture
def db() -> Iterator[Scratch]:
    database = Scratch()
    yield database
    database.connection.close()


@pytest.fixture
def on_disk(tmp_path: Path) -> Iterator[Scratch]:
    """A database in a file, without syncing: a test need not survive a power cut."""
    database = Scratch(tmp_path / "book.db")
    database.connection.execute("PRAGMA synchronous = OFF")
    yield database
    database.connection.close()


def size_on_disk(db: Scratch) -> int:
    """The size of the file, which SQLite shortens when a transaction ends."""
    (path,) = (row[2] for row in db.connection.execute("PRAGMA database_list"))
    with open(path, "rb") as file:  # noqa: PTH123  the name comes from SQLite
        return len(file.read())


def noise(size: int, seed: int) -> bytes:
    return Random(seed).randbytes(size)


# Recording and finding


@pytest.mark.promise("back.recorded")
def test_a_change_is_found_as_it_was_recorded(db: Scratch) -> None:
    files = (
        FileRecord("new/made.txt", "create", None, version(b"made\n", 0o755)),
        FileRecord("a.txt", "update", version(b"one\ntwo\n"), version(b"one\nTWO\nthree\n")),
        FileRecord("/extra/b.txt", "delete", version(b"bye\nbye", 0o600), None),
        FileRecord("c.txt", "rename", version(b"c"), version(b"c"), "d.txt", version(b"stood there\n", 0o640)),
        FileRecord("lost.txt", "update", lost_version(b"before"), version(b"after")),
    )
    record = ChangeRecord("0123456789abcde", "patch", "about é ☃", files, ("new", "new/deep"), "undone")
    db.add(record, KNOWN.get)
    counts = [(1, 0), (2, 1), (0, 2), (0, 0), (None, None)]
    counted = [file.evolve(added=added, removed=removed) for file, (added, removed) in zip(files, counts, strict=True)]
    assert db.change(record.id) == record.evolve(files=tuple(counted), state="landed", number=1)
    assert db.has_change(record.id)
    assert not db.has_change("0123456789abcd")
    assert [change for change in db.unreadable() if change != record.id] == []
    assert db.content(lost_version(b"before").digest) is None


@pytest.mark.promise("back.recorded")
@pytest.mark.parametrize(
    ("files", "folder"),
    [
        ([FileRecord("caf\udce9.txt", "create", None, version(b"1"))], "caf\udce9"),
        ([FileRecord("a", "rename", version(b"1"), version(b"1"), "\udcff\udcfe")], "\udc80/é"),
        ([FileRecord("日本/\udcff", "delete", version(b"1"), None)], "日本"),
    ],
)
def test_names_that_are_not_utf8_are_found_as_they_were(db: Scratch, files: list[FileRecord], folder: str) -> None:
    db.add(ChangeRecord("c1", "patch", "", tuple(files), (folder,)), KNOWN.get)
    (file,) = db.change("c1").files
    assert (file.path, file.to) == (files[0].path, files[0].to)
    assert db.change("c1").folders == (folder,)
    assert db.paths() == sorted(
        {path for path in (file.path, file.to) if path}, key=lambda path: path.encode("utf-8", "surrogateescape")
    )
    point = db.take_snapshot("point", {file.path: b"2"})
    assert db.snapshot_files(point) == {file.path: version(b"2")}
    assert db.last_state().files[file.path] == version(b"2")


@pytest.mark.promise("back.recorded")
@pytest.mark.parametrize("summary", ["\ud83d", "caf\udce9", "\0", "a\nb"])
def test_a_change_with_any_summary_is_recorded(db: Scratch, summary: str) -> None:
    """A lone surrogate comes from a model's JSON, an escaped byte from a file name."""
    db.add(ChangeRecord("c1", "patch", summary, (creation("a", b"1"),)), KNOWN.get)
    assert db.has_change("c1")


PERSON = SessionInfo("0123456789abcde", "cli", "", "cli", "")
ORIGINS: dict[str, tuple[SessionInfo | None, Head | None]] = {
    "an agent on a branch": (SessionInfo("x", "claude-code", "2.0.1", "stdio", ""), Head("main", "0" * 40)),
    "a person on a new branch": (PERSON, Head("feature/é", None)),
    "a named session on a commit": (SessionInfo("tidy", "library", "", "library", "tidy"), Head(None, "f" * 64)),
    "nowhere": (PERSON, None),
    "nobody": (None, Head("main", None)),
    "a head without anything": (None, Head(None, None)),
    "empty names": (SessionInfo("", "", "", "", ""), None),
    "neither": (None, None),
}


@pytest.mark.promise("back.session")
@pytest.mark.parametrize("origin", ORIGINS)
def test_who_made_a_change_and_where_is_found_as_it_was_recorded(db: Scratch, origin: str) -> None:
    session, head = ORIGINS[origin]
    change = ChangeRecord("c1", "patch", "", (creation("a", b"1"),), session=session, head=head)
    db.add(change, KNOWN.get)
    fresh = Database(db.connection)
    assert (fresh.change("c1").session, fresh.change("c1").head) == (session, head)
    assert fresh.sessions() == [session for session in (session,) if session is not None]


@pytest.mark.parametrize("name", ["\ud83d", "caf\udce9", "\0", "a\nb"])
def test_a_session_may_say_anything_of_itself(db: Scratch, name: str) -> None:
    """A client's name comes from its JSON, and a branch from a file name."""
    who, head = SessionInfo(name, name, name, name, name), Head(name, None)
    db.add(ChangeRecord("c1", "patch", "", (creation("a", b"1"),), session=who, head=head), KNOWN.get)
    stored = name.encode("utf-8", "backslashreplace").decode()
    change = db.change("c1")
    assert (change.session, change.head) == (SessionInfo(*[stored] * 5), Head(stored, None))


@pytest.mark.promise("back.session")
def test_sessions_are_listed_by_their_last_change(db: Scratch) -> None:
    for session in ("a", "b", None, "a", "c", "b", None):
        db.record(session=session)
    assert [session.id for session in db.sessions()] == ["b", "c", "a"]
    assert db.sessions()[0] == SessionInfo("b", "b's agent", "1", "stdio", "")


@pytest.mark.promise("back.session")
def test_changes_in_effect_are_those_of_one_session_or_of_all(db: Scratch) -> None:
    names = [db.record(session=session) for session in ("a", "b", "a", "b")]
    undo = db.record(tool="undo", undoes=names[2], session="b")

    def in_effect(session: str | None = None, *, undo: bool = False) -> list[str]:
        return [change.id for change in db.in_effect(undo=undo, session=session)]

    assert in_effect() == [names[3], names[1], names[0]]
    assert (in_effect("a"), in_effect("b"), in_effect("c")) == ([names[0]], [names[3], names[1]], [])
    assert (in_effect(undo=True), in_effect("a", undo=True), in_effect("b", undo=True)) == ([undo], [], [undo])
    db.record(tool="redo", undoes=undo, session="a")
    assert (in_effect("a"), in_effect(undo=True)) == ([names[2], names[0]], [])


def test_a_damaged_change_may_be_one_of_those_in_effect(db: Scratch) -> None:
    name = db.record(session="a")
    db.record(session="b")
    db.connection.execute("UPDATE origin SET session = 'b' WHERE change = 1")
    changes = db.in_effect(session="b")
    assert next(changes).id == "c2"
    with pytest.raises(HistoryDamaged) as raised:
        next(changes)
    assert raised.value.name == name


def test_a_history_of_an_earlier_version_gets_the_new_tables_with_the_first_change_that_needs_them(
    db: Scratch,
) -> None:
    def tables() -> set[str]:
        rows = db.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        return {name for (name,) in rows} & {"origin", "also_undoes"}

    first = db.record(creation("a", b"1"))
    assert (tables(), db.change(first).session, db.sessions()) == (set(), None, [])
    assert [change.id for change in db.in_effect()] == [first]
    assert [*db.in_effect(session="a")] == []
    second = db.record(session="a")
    assert tables() == {"origin"}
    db.record(tool="undo", undoes=second, also=(first,))
    assert tables() == {"origin", "also_undoes"}
    assert db.states() == ["undone", "undone", "landed"]


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE origin SET session = 'other'",
        "UPDATE origin SET session = NULL",
        "UPDATE origin SET session = 7",
        "UPDATE origin SET agent = x'ff'",
        "UPDATE origin SET label = NULL",
        "UPDATE origin SET session = NULL, agent = NULL, version = NULL, transport = NULL, label = NULL",
        "UPDATE origin SET has_head = 1",
        "UPDATE origin SET branch = x'ff'",
        "DELETE FROM origin",
        "DROP TABLE origin",
    ],
)
def test_a_change_whose_origin_is_damaged_is_damaged(db: Scratch, damage: str) -> None:
    db.record(creation("a", b"1"), session="a")
    db.connection.execute(damage)
    (change,) = Database(db.connection).changes()
    assert (change.id, change.state, change.session) == ("c1", "damaged", None)


@pytest.mark.parametrize("damage", ["SET session = x'ff'", "SET agent = NULL", "SET branch = x'ff'"])
def test_a_change_without_a_checksum_is_damaged_if_its_origin_cannot_be_one(db: Scratch, damage: str) -> None:
    db.record(creation("a", b"1"), session="a")
    db.connection.execute("DELETE FROM checksum")
    assert db.states() == ["landed"]
    db.connection.execute(f"UPDATE origin {damage}")
    assert db.states() == ["damaged"]


IDS = ("0000000001aaaaa", "0000000001aaabb", "0000000002aaaaa")


@pytest.mark.promise("back.prefix")
@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("0000000001aaaaa", "0000000001aaaaa"),
        ("0000000001aaaa", "0000000001aaaaa"),
        ("0000000001aaab", "0000000001aaabb"),
        ("0000000002", "0000000002aaaaa"),
        ("0000000002AAA", "0000000002aaaaa"),
        (" 0000000002aa\n", "0000000002aaaaa"),
    ],
)
def test_a_change_is_found_by_any_beginning_of_its_id_that_no_other_has(
    db: Scratch, prefix: str, expected: str
) -> None:
    for name in IDS:
        db.add(ChangeRecord(name, "patch", "", ()), KNOWN.get)
    assert db.change(prefix).id == expected


@pytest.mark.promise("back.prefix")
@pytest.mark.parametrize(
    ("prefix", "candidates"),
    [
        ("0000000001", IDS[1::-1]),
        ("0000000001AAA", IDS[1::-1]),
        ("0", IDS[::-1]),
        ("0000000003", ()),
        ("0000000001aaaaaa", ()),
        ("000000000_", ()),
        ("%", ()),
        ("*", ()),
        ("'", ()),
        ("~", ()),
        ("\0", ()),
        ("é", ()),
        ("\ud83d", ()),
        ("", ()),
        (" \n", ()),
    ],
)
def test_an_id_that_none_or_several_begin_with_names_the_candidates_newest_first(
    db: Scratch, prefix: str, candidates: Sequence[str]
) -> None:
    for name in IDS:
        db.add(ChangeRecord(name, "patch", "", ()), KNOWN.get)
    with pytest.raises(ChangeNotFound) as caught:
        db.change(prefix)
    assert (caught.value.change_id, caught.value.candidates) == (prefix, list(candidates))


def test_of_many_candidates_some_are_named(db: Scratch) -> None:
    for number in range(20):
        db.add(ChangeRecord(f"00000{number:010d}", "patch", "", ()), KNOWN.get)
    with pytest.raises(ChangeNotFound) as caught:
        db.change("0")
    assert caught.value.candidates == [f"00000{number:010d}" for number in range(19, 14, -1)]


def test_an_unknown_id_may_be_that_of_a_change_that_was_forgotten(db: Scratch) -> None:
    old, _ = [db.record(days_ago=age) for age in (300, 0)]
    answers = []
    for name in (f"{old}0", old):
        with pytest.raises(ChangeNotFound) as caught:
            db.change(name)
        answers.append(caught.value.forgotten)
        db.drop_old(180)
    assert answers == [False, True]


def test_nothing_is_found_in_an_empty_book(db: Scratch) -> None:
    assert (db.newest(undo=False), db.newest(undo=True), db.last_number()) == (None, None, 0)
    assert (db.ids(), db.paths(), db.snapshots(), db.state_after(0)) == ([], [], [], {})
    assert db.last_state().files == {}
    assert [*db.versions("a")] == []
    db.prune(1, 1)
    assert db.ids() == []


def test_changes_come_in_the_order_of_landing_whatever_their_ids(db: Scratch) -> None:
    for name in ("5", "3", "4"):
        db.add(ChangeRecord(name, "patch", "", ()), KNOWN.get)
    assert [change.id for change in db.changes()] == ["4", "3", "5"]
    assert [change.id for change in db.changes(before=3)] == ["3", "5"]
    assert [change.id for change in db.changes_since(1)] == ["3", "4"]
    assert db.last_number() == 3


def test_numbers_of_forgotten_changes_are_not_given_again(db: Scratch) -> None:
    for _ in range(3):
        db.record(days_ago=400)
    db.drop_old(180)
    db.record()
    assert [change.number for change in db.changes()] == [7, 6, 5, 4]


# States


@pytest.mark.promise("back.session")
@pytest.mark.parametrize("undos", range(1, 6))
def test_an_undo_of_several_changes_turns_all_of_them_and_so_on_down_the_chain(db: Scratch, undos: int) -> None:
    changes = [db.record(creation(str(number), b"1")) for number in range(3)]
    name = db.record(tool="undo", undoes=changes[2], also=(changes[0],))
    for number in range(1, undos):
        name = db.record(tool="undo" if number % 2 else "redo", undoes=name)
    turned = "undone" if undos % 2 else "landed"
    chain = ["undone" if (undos - place) % 2 else "landed" for place in range(1, undos + 1)]
    assert db.states() == [turned, "landed", turned, *chain]
    undo = db.change("c4")
    assert (undo.undoes, undo.also_undoes, undo.undone_ids) == (changes[2], (changes[0],), (changes[2], changes[0]))


def test_each_of_several_changes_is_in_effect_again_once_nothing_undoes_it(db: Scratch) -> None:
    first, second = db.record(), db.record()
    alone = db.record(tool="undo", undoes=first)
    both = db.record(tool="undo", undoes=second, also=(first,))
    db.record(tool="redo", undoes=both)
    assert db.states() == ["undone", "landed", "landed", "undone", "landed"]
    db.record(tool="redo", undoes=alone)
    assert db.states() == ["landed", "landed", "undone", "undone", "landed", "landed"]
    assert db.undo_of(db.change(first)) is None


def test_what_undoes_one_of_several_changes_is_found(db: Scratch) -> None:
    first, second = db.record(), db.record()
    both = db.record(tool="undo", undoes=second, also=(first,))
    found = [db.undo_of(db.change(name)) for name in (first, second)]
    assert [undo and undo.id for undo in found] == [both, both]


@pytest.mark.parametrize(
    "damage",
    [
        "DELETE FROM also_undoes",
        "UPDATE also_undoes SET id = 'c2'",
        "UPDATE also_undoes SET id = x'ff'",
        "UPDATE also_undoes SET change = 'x'",
        "UPDATE also_undoes SET change = x'ff'",
        "UPDATE also_undoes SET change = 0.5",
        "UPDATE also_undoes SET change = 1",
        "DROP TABLE also_undoes",
    ],
)
def test_an_undo_that_lost_one_of_several_changes_is_damaged_and_so_are_those(db: Scratch, damage: str) -> None:
    first, _, third = db.record(), db.record(), db.record()
    db.record(tool="undo", undoes=third, also=(first,))
    db.connection.execute(damage)
    states = [change.state for change in Database(db.connection).changes()][::-1]
    assert states == ["damaged", "landed", "damaged", "damaged"]


def test_sessions_and_undos_of_several_changes_are_dropped_with_their_changes(db: Scratch) -> None:
    first, second = (db.record(days_ago=days, session="old") for days in (9, 8))
    db.record(tool="undo", undoes=second, also=(first,), days_ago=7, session="old")
    db.record(days_ago=0.5, session="new")
    db.drop_old(5)
    assert [session.id for session in db.sessions()] == ["new"]
    assert db.states() == ["landed"] * 4
    rows = [db.connection.execute(f"SELECT count(*) FROM {table}").fetchone() for table in ("origin", "also_undoes")]  # noqa: S608  names of our own
    assert rows == [(1,), (0,)]


def test_an_undo_outlives_the_oldest_of_the_changes_that_it_undoes(db: Scratch) -> None:
    first, second = (db.record(creation("a", b"1"), days_ago=days) for days in (9, 4))
    undo = db.record(tool="undo", undoes=second, also=(first,), days_ago=3)
    db.drop_old(5)
    assert db.ids()[:2] == [second, undo]
    assert (db.states()[:2], db.change(undo).also_undoes) == (["undone", "landed"], (first,))


def test_planned_changes_come_after_all_others_and_only_where_they_are_planned(db: Scratch) -> None:
    first, second = db.record(), db.record()
    before, after = (ChangeRecord(name, "undo", "", (), number=1 << 62) for name in ("planned 1", "planned 2"))
    db.plan(before)
    assert [change.id for change in db.changes_since(1)] == [second, "planned 1"]
    db.plan(after)
    assert [change.id for change in db.changes_since(1)] == [second, "planned 1", "planned 2"]
    assert [change.id for change in db.changes_since(0)] == [first, second, "planned 1", "planned 2"]
    assert [change.id for change in Database(db.connection).changes_since(1)] == [second]
    assert db.ids() == [first, second]


@pytest.mark.promise("back.recorded")
@pytest.mark.parametrize("undos", range(7))
def test_an_undo_turns_the_change_it_takes_back_and_so_on_down_the_chain(db: Scratch, undos: int) -> None:
    """Undo, undo of the undo, and so on: every second one before the last is in effect."""
    name = db.record(creation("a", b"1"))
    for number in range(undos):
        name = db.record(tool="redo" if number % 2 else "undo", undoes=name)
    expected = ["undone" if (undos - place) % 2 else "landed" for place in range(undos + 1)]
    assert db.states() == expected


def test_an_undo_turns_no_other_change(db: Scratch) -> None:
    names = [db.record(creation(str(number), b"")) for number in range(3)]
    db.record(tool="undo", undoes=names[1])
    assert db.states() == ["landed", "undone", "landed", "landed"]


def test_an_undo_of_a_change_that_is_forgotten_turns_nothing(db: Scratch) -> None:
    db.record()
    db.record(tool="undo", undoes="forgotten")
    assert db.states() == ["landed", "landed"]


def test_the_newest_change_in_effect_and_the_newest_undo_in_effect_are_found(db: Scratch) -> None:
    def newest() -> list[str | None]:
        changes = (db.newest(undo=False), db.newest(undo=True))
        return [None if change is None else change.id for change in changes]

    first, second = db.record(), db.record(tool="restore")
    assert newest() == [second, None]
    undo = db.record(tool="undo", undoes=second)
    assert newest() == [first, undo]
    undo_too = db.record(tool="undo", undoes=first)
    assert newest() == [None, undo_too]
    db.record(tool="redo", undoes=undo_too)
    assert newest() == [first, undo]
    db.record(tool="redo", undoes=undo)
    assert newest() == [second, None]


def test_what_takes_a_change_back_is_found_while_it_is_in_effect(db: Scratch) -> None:
    change = db.record()

    def undo_in_effect() -> str | None:
        undo = db.undo_of(db.change(change))
        return None if undo is None else undo.id

    assert undo_in_effect() is None
    first = db.record(tool="undo", undoes=change)
    assert undo_in_effect() == first
    db.record(tool="redo", undoes=first)
    assert undo_in_effect() is None
    assert undo_in_effect() != db.record(tool="undo", undoes=change)
    assert undo_in_effect() == "c4"


# Files through time


def test_a_renamed_file_is_found_where_it_is_now(db: Scratch) -> None:
    db.record(creation("a", b"1"))
    db.record(rename("a", "b", b"1"))
    db.record(creation("a", b"another"), update("b", b"1", b"2"))
    db.record(rename("b", "c", b"2", b"3"), rename("a", "b", b"another"))
    assert [db.current_path("a", since)[0] for since in (1, 3, 4)] == ["c", "b", "a"]
    assert [db.current_path("b", since)[0] for since in (2, 3, 4)] == ["c", "c", "b"]
    assert db.current_path("elsewhere", 0) == ("elsewhere", True)


def test_a_deleted_file_is_where_it_was_though_another_got_its_path(db: Scratch) -> None:
    db.record(creation("a", b"1"))
    db.record(removal("a", b"1"))
    db.record(creation("a", b"another"))
    db.record(rename("a", "b", b"another"))
    assert (db.current_path("a", 1), db.current_path("a", 3)) == (("a", False), ("b", True))


def test_a_deleted_file_that_an_undo_brought_back_is_followed_on(db: Scratch) -> None:
    db.record(creation("a", b"1"))
    change = db.record(removal("a", b"1"))
    for _ in range(2):
        change = db.record(creation("a", b"1"), tool="undo", undoes=change)
        change = db.record(removal("a", b"1"), tool="redo", undoes=change)
    assert db.current_path("a", 1) == ("a", False)
    db.record(creation("a", b"1"), tool="undo", undoes=change)
    db.record(rename("a", "b", b"1"))
    assert db.current_path("a", 1) == ("b", True)


def test_an_undo_of_a_redone_deletion_brings_the_same_file_back(db: Scratch) -> None:
    deletion = db.record(removal("a", b"1"))
    for number in (2, 4):
        undo = db.record(creation("a", b"1"), tool="undo", undoes=deletion)
        db.record(removal("a", b"1"), tool="redo", undoes=undo)
        assert db.current_path("a", number) == ("a", False)
    db.record(creation("a", b"1"), tool="undo", undoes=deletion)
    assert (db.current_path("a", 2), db.current_path("a", 4)) == (("a", True), ("a", True))


def test_a_redo_of_a_change_that_is_lost_is_followed_as_far_as_it_is_known(db: Scratch) -> None:
    undo = db.record(creation("a", b"1"), tool="undo", undoes="forgotten")
    db.record(removal("a", b"1"), tool="redo", undoes=undo)
    db.record(creation("a", b"1"), tool="undo", undoes="forgotten")
    assert db.current_path("a", 1) == ("a", False)


@pytest.mark.promise("back.stale")
@pytest.mark.promise("place.bases")
@pytest.mark.promise("back.session")
def test_a_file_is_followed_through_each_of_several_undone_changes(db: Scratch) -> None:
    first = db.record(creation("a", b"1"))
    moves = [db.record(rename(path, to, b"1")) for path, to in (("a", "t"), ("b", "a"), ("t", "b"))]
    db.record(update("a", b"1", b"2"), update("b", b"2", b"1"), tool="undo", undoes=moves[2], also=(*moves[:2],))
    assert db.current_path("a", db.change(first).number) == ("a", True)
    undo = db.ids()[-1]
    redo = db.record(update("a", b"2", b"1"), update("b", b"1", b"2"), tool="redo", undoes=undo)
    assert db.current_path("a", db.change(first).number) == ("b", True)
    again = db.record(update("a", b"1", b"2"), update("b", b"2", b"1"), tool="undo", undoes=redo)
    assert db.current_path("a", db.change(first).number) == ("a", True)
    db.record(rename("a", "z", b"2"))
    assert db.current_path("a", db.change(first).number) == ("z", True)
    assert db.current_path("b", db.change(again).number) == ("b", True)


def test_a_file_that_several_changes_moved_and_deleted_is_the_same_one_again(db: Scratch) -> None:
    first = db.record(creation("a", b"1"))
    move, deletion = db.record(rename("a", "b", b"1")), db.record(removal("b", b"1"))
    undo = db.record(creation("a", b"1"), tool="undo", undoes=deletion, also=(move,))
    assert db.current_path("a", 1) == ("a", True)
    db.record(removal("a", b"1"), tool="redo", undoes=undo)
    assert db.current_path("a", 1) == ("b", False)
    db.record(creation("b", b"1"), tool="undo", undoes=deletion)
    assert db.current_path("a", db.change(first).number) == ("b", True)


def test_of_changes_that_are_lost_only_the_end_is_known(db: Scratch) -> None:
    db.record(creation("a", b"1"))
    move, deletion = db.record(rename("a", "b", b"1")), db.record(removal("b", b"1"))
    db.record(creation("a", b"1"), tool="undo", undoes=deletion, also=(move, "gone"))
    assert db.current_path("a", 1) == ("b", False)


def test_versions_are_what_changes_found_and_left_newest_first_with_who_made_and_replaced_them(
    db: Scratch,
) -> None:
    db.record(creation("a", b"1"))
    db.record(update("a", b"1", b"2"), update("other", b"x", b"y"))
    db.record(update("a", b"by somebody else", b"3"))
    db.record(rename("a", "b", b"3", b"4"))
    db.record(removal("b", b"4"))
    db.record(creation("b", b"5"))
    expected = [
        (b"5", "c6", None),
        (b"4", "c4", "c5"),
        (b"3", "c3", "c4"),
        (b"by somebody else", None, "c3"),
        (b"2", "c2", None),
        (b"1", "c1", "c2"),
    ]
    assert [*db.versions("b")] == [KnownVersion(version(text).digest, *more) for text, *more in expected]
    assert [*db.versions("none")] == []


def test_versions_of_a_path_that_a_file_moved_away_from_have_what_was_there(db: Scratch) -> None:
    db.record(update("a", b"1", b"2"))
    db.record(rename("a", "b", b"2", b"3"))
    db.record(creation("a", b"new"))
    expected = [(b"new", "c3", None), (b"2", "c1", "c2"), (b"1", None, "c1")]
    assert [*db.versions("a")] == [KnownVersion(version(text).digest, *more) for text, *more in expected]


def test_versions_of_many_changes_are_all_found(db: Scratch) -> None:
    for number in range(250):
        db.record(update("a", b"%d" % number, b"%d" % (number + 1)))
    assert [version.digest for version in db.versions("a")] == [
        version(b"%d" % number).digest for number in range(250, -1, -1)
    ]
    assert (db.size(version(b"200").digest), db.size("none")) == (3, None)


def test_the_state_after_a_change_is_what_was_at_every_path_that_was_touched_later(db: Scratch) -> None:
    db.record(creation("a", b"1"), creation("b", b"1"))
    db.record(update("a", b"1", b"2"))
    db.record(rename("a", "c", b"2", b"3"), FileRecord("d", "rename", version(b"d"), version(b"d"), "e", version(b"e")))
    db.record(removal("b", b"1"), update("c", b"by somebody else", b"4"))
    one, two = version(b"1"), version(b"2")
    later = {"c": None, "d": version(b"d"), "e": version(b"e"), "b": one}
    assert db.state_after(0) == {"a": None, **later, "b": None}
    assert db.state_after(1) == {"a": one, **later}
    assert db.state_after(2) == {"a": two, **later}
    assert db.state_after(3) == {"b": one, "c": version(b"by somebody else")}
    assert db.state_after(4) == {}


def test_the_last_state_is_what_was_last_seen_by_changes_and_snapshots(db: Scratch) -> None:
    db.take_snapshot("zero", {"never touched": b"0", "a": b"0"})
    db.record(update("a", b"0", b"1"), creation("b", b"1"))
    db.take_snapshot("one", {"a": b"by somebody else", "b": b"1", "gone": None})
    db.record(update("b", b"1", b"2"), removal("c", b"c"))
    expected = {
        "never touched": version(b"0"),
        "a": version(b"by somebody else"),
        "b": version(b"2"),
        "c": None,
        "gone": None,
    }
    assert db.last_state().files == expected
    db.take_snapshot("two", {"b": None})
    db.take_snapshot("three", {"a": b"3"})
    assert db.last_state().files == {**expected, "b": None, "a": version(b"3")}
    db.record(rename("a", "d", b"3"))
    assert db.last_state().files == {**expected, "b": None, "a": None, "d": version(b"3")}


def test_a_snapshot_has_the_files_as_they_were(db: Scratch) -> None:
    db.record(creation("a", b"1"))
    point = db.take_snapshot("first", {"a": b"1", "b": b"by somebody else", "gone": None})
    assert db.snapshots() == [point]
    assert db.snapshots()[0].after_change == 1
    assert db.snapshot_files(point) == {"a": version(b"1"), "b": version(b"by somebody else"), "gone": None}
    assert db.paths() == ["a", "b", "gone"]
    assert db.unreadable() == []


# Lines and contents


def test_lines_of_a_large_change_are_counted_when_asked_for(db: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_MAX_COUNTED_BYTES", 10)
    db.record(update("a", b"one\ntwo\n" * 9, b"three\n"), update("b", b"one\n", b"one\ntwo\n"))
    first, second = db.change("c1").files
    assert (first.added, first.removed, second.added, second.removed) == (None, None, 1, 0)
    assert (db.lines_changed(first), db.lines_changed(second)) == ((1, 18), (1, 0))


@pytest.mark.promise("back.once")
def test_a_content_is_stored_once_however_many_changes_and_snapshots_refer_to_it(db: Scratch) -> None:
    body = noise(5_000, 1)
    db.record(creation("a", body), creation("b", body))
    db.record(rename("a", "c", body))
    db.record(removal("c", body))
    db.take_snapshot("point", {"b": body})
    assert db.connection.execute("SELECT count(*), sum(length(data)) < 5100 FROM content").fetchone() == (1, 1)


@pytest.mark.promise("back.once")
def test_a_file_that_someone_else_edited_is_stored_against_what_was_last_seen_of_it(db: Scratch) -> None:
    body = noise(50_000, 1)
    db.record(creation("a", body))
    db.record(update("a", body + b"theirs", body + b"theirs and ours"))
    db.record(rename("a", "b", body + b"theirs and ours"))
    db.record(update("b", body + b"theirs again", body + b"ours"))
    db.take_snapshot("point", {"b": b"<" + body})
    ((stored,),) = db.connection.execute("SELECT sum(length(data)) FROM content").fetchall()
    assert stored < 51_000
    assert db.unreadable() == []


@pytest.mark.promise("back.goes-on")
@pytest.mark.parametrize("where", [10, 2_500])
def test_a_damaged_content_does_not_spoil_what_is_recorded_after_it(db: Scratch, where: int) -> None:
    body = noise(900, 1) + b"".join(b"line %d\n" % number for number in range(300))
    db.record(creation("a", body))
    ((data,),) = db.connection.execute("SELECT data FROM content").fetchall()
    broken = data[:where] + b"?" + data[where + 1 :] if where < len(data) else data[:-1]
    db.connection.execute("UPDATE content SET data = ?", (broken,))
    for number in range(1, 4):
        before, after = (body + b"%d\n" % line if line else body for line in (number - 1, number))
        Database(db.connection).add(ChangeRecord(f"d{number}", "patch", "", (update("a", before, after),)), KNOWN.get)
    assert Database(db.connection).content(version(body + b"3\n").digest) == body + b"3\n"
    assert set(db.unreadable()) <= {"c1", "d1"}


# Forgetting


@pytest.mark.promise("back.cap")
def test_the_oldest_changes_are_forgotten_until_the_file_is_small_enough(on_disk: Scratch) -> None:
    for number in range(60):
        on_disk.record(update("a", noise(10_000, number), noise(10_000, number + 1)))
    before = size_on_disk(on_disk)
    on_disk.connection.execute("BEGIN")
    on_disk.prune(300_000, LONG)
    on_disk.connection.execute("COMMIT")
    assert before > 600_000
    assert 150_000 < size_on_disk(on_disk) <= 300_000
    count = len(on_disk.ids())
    assert on_disk.ids() == [f"c{number}" for number in range(61 - count, 61)]
    assert on_disk.unreadable() == []
    assert on_disk.connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.promise("back.cap")
def test_the_newest_change_is_never_forgotten(db: Scratch) -> None:
    db.record(update("a", noise(10_000, 1), noise(10_000, 2)), days_ago=500)
    newest = db.record(update("a", noise(10_000, 2), noise(10_000, 3)), days_ago=400)
    db.prune(1, 1)
    assert db.ids() == [newest]
    assert db.unreadable() == []
    db.prune(1, 1)
    assert db.ids() == [newest]


@pytest.mark.promise("back.cap")
def test_changes_are_forgotten_when_they_are_too_old(db: Scratch) -> None:
    ids = [db.record(creation(str(age), b"%d" % age), days_ago=age) for age in (400, 200, 183, 179, 10, 3)]
    db.take_snapshot("point", {"400": b"400"})
    db.drop_old(180)
    assert db.ids()[:-3] == ids[3:]
    assert db.paths() == ["10", "179", "3", "400"]
    assert db.unreadable() == []


@pytest.mark.promise("back.cap")
def test_forgetting_what_is_too_old_makes_the_file_smaller(on_disk: Scratch) -> None:
    for number in range(40):
        on_disk.record(update("a", noise(10_000, number), noise(10_000, number + 1)), days_ago=300 - number)
    on_disk.record(creation("b", b"today"), days_ago=0)
    before = size_on_disk(on_disk)
    on_disk.connection.execute("BEGIN")
    on_disk.drop_old(180)
    on_disk.connection.execute("COMMIT")
    assert len(on_disk.ids()) == 4
    assert size_on_disk(on_disk) < before / 4


@pytest.mark.promise("back.cap")
@pytest.mark.parametrize("days", [365, 20_000, 36_500, 10**9])
def test_a_limit_of_many_days_loses_nothing(db: Scratch, days: int) -> None:
    """A hundred years ago is before 1970, and a million years ago is before any clock."""
    ids = [db.record(creation(str(age), b""), days_ago=age) for age in (300, 200, 0)]
    db.prune(MUCH, days)
    assert db.ids() == ids


def test_a_change_made_while_the_clock_was_wrong_does_not_take_the_younger_ones_before_it_along(
    db: Scratch,
) -> None:
    ids = [db.record(creation(str(number), b""), days_ago=age) for number, age in enumerate((2, 1, 10_000, 0))]
    db.prune(MUCH, 180)
    assert db.ids() == ids


def record_on_days(db: Scratch, *days: float) -> list[str]:
    """Record changes on these days, counted from a day long ago, in this order."""
    names = [f"{id_at((20_000 + day) * DAY)}{number:05d}" for number, day in enumerate(days)]
    for name in names:
        db.add(ChangeRecord(name, "patch", "", (creation(name, name.encode()),)), KNOWN.get)
    return names


def at(monkeypatch: pytest.MonkeyPatch, day: float) -> None:
    monkeypatch.setattr(time, "time", lambda: (20_000 + day) * DAY)


@pytest.mark.promise("back.clock")
@pytest.mark.parametrize("jumped", [[], [400], [400.1, 400.2, 400.3, 400.4], [400, 401]], ids=len)
def test_a_clock_that_jumps_ahead_takes_nothing_along(
    db: Scratch, monkeypatch: pytest.MonkeyPatch, jumped: list[float]
) -> None:
    ids = record_on_days(db, *range(30), *jumped)
    at(monkeypatch, 401)
    for _ in range(3):
        db.prune(MUCH, 180)
    assert db.ids() == ids


@pytest.mark.promise("back.clock")
def test_a_clock_that_jumps_to_and_fro_confirms_nothing(db: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = record_on_days(
        db, *range(30), 4_000, 30, 4_001, 31, 4_002, 32, *[4_003 + number / 100 for number in range(40)]
    )
    at(monkeypatch, 4_003.5)
    for _ in range(3):
        db.prune(MUCH, 180)
    assert db.ids() == ids


@pytest.mark.promise("back.clock")
def test_a_clock_that_was_wrong_for_long_takes_a_small_part_along_at_once(
    db: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = record_on_days(db, *(number / 10 for number in range(97)), 400, 401, 402)
    at(monkeypatch, 402)
    db.prune(MUCH, 180)
    assert db.ids() == ids[5:]
    at(monkeypatch, 10)  # it is set right
    record_on_days(db, 10)
    for _ in range(3):
        db.prune(MUCH, 180)
    assert db.ids()[:-1] == ids[5:]


@pytest.mark.promise("back.clock")
def test_a_clock_that_jumps_back_takes_nothing_along_and_lets_nothing_live_on(
    db: Scratch, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = record_on_days(db, 0, 1, 200, 201, -9_000, 202, 203, 204)
    at(monkeypatch, -9_000)
    db.prune(MUCH, 180)
    assert db.ids() == ids
    at(monkeypatch, 204)
    for _ in range(9):
        db.prune(MUCH, 180)
    assert db.ids() == ids[2:]


@pytest.mark.promise("back.clock")
def test_ids_that_tell_no_time_confirm_none(db: Scratch, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = record_on_days(db, 0, 1, 2, 400)
    names = [db.record(creation(name, b"")) for name in "xyz"]
    at(monkeypatch, 400)
    db.prune(MUCH, 180)
    assert db.ids() == ids + names


def test_nothing_is_written_when_nothing_is_to_be_forgotten(db: Scratch) -> None:
    for age in (100, 10, 0):
        db.record(creation(str(age), b""), days_ago=age)
    before = db.connection.total_changes
    db.prune(MUCH, 180)
    assert db.connection.total_changes == before


@pytest.mark.promise("back.cap")
def test_what_later_versions_rest_on_outlives_the_changes_that_brought_it(db: Scratch) -> None:
    texts = [b"".join(b"line %d\n" % line for line in range(1_000) if line != number) for number in range(40)]
    for number in range(39):
        db.record(update("a", texts[number], texts[number + 1]), days_ago=300 if number < 20 else 3)
    db.drop_old(180)
    assert len(db.ids()) == 22
    assert db.unreadable() == []
    assert [db.content(known.digest) for known in db.versions("a")] == texts[20:][::-1]


@pytest.mark.promise("back.cap")
def test_snapshots_are_forgotten_with_the_changes_after_them(db: Scratch) -> None:
    db.take_snapshot("zero", {"a": b"0"}, days_ago=401)
    db.record(creation("a", b"1"), days_ago=400)
    db.take_snapshot("one", {"a": b"1", "b": b"only here"}, days_ago=399)
    db.record(update("a", b"1", b"2"), days_ago=300)
    two = db.take_snapshot("two", {"a": b"2"}, days_ago=299)
    db.record(update("a", b"2", b"3"), days_ago=3)
    three = db.take_snapshot("three", {"a": b"3"})
    db.drop_old(180)
    assert db.snapshots() == [two, three]
    assert db.snapshot_files(two) == {"a": version(b"2")}
    assert db.content(version(b"only here").digest) is None
    assert db.state_after(two.after_change) == {"a": version(b"2")}
    assert db.unreadable() == []


@pytest.mark.promise("back.cap")
@pytest.mark.parametrize("changes", [0, 1, 3])
def test_snapshots_that_no_change_follows_are_forgotten_too_but_for_the_newest(on_disk: Scratch, changes: int) -> None:
    """Somebody else edits the files, and suture only takes snapshots."""
    for number in range(changes):
        on_disk.record(creation(str(number), b"%d" % number))
    for number in range(40):
        on_disk.take_snapshot(str(number), {"a": noise(10_000, number)})
    on_disk.connection.execute("BEGIN")
    on_disk.prune(200_000, LONG)
    on_disk.connection.execute("COMMIT")
    assert size_on_disk(on_disk) <= 200_000
    assert on_disk.snapshots()[-1].name == "39"
    assert on_disk.unreadable() == []


edits = st.tuples(
    st.sampled_from("abc"),
    st.one_of(st.binary(max_size=20), st.integers(0, 20).map(lambda seed: noise(3_000, seed))),
    st.booleans(),
)


@pytest.mark.promise("back.cap")
@given(st.lists(edits, min_size=1, max_size=30), st.integers(1, 200_000))
def test_whatever_is_forgotten_the_rest_is_the_newest_and_can_be_read(
    history: list[tuple[str, bytes, bool]], most_bytes: int
) -> None:
    db = Scratch()
    now: dict[str, bytes] = {}
    for path, content, forgets in history:
        db.record(update(path, now.get(path, b""), content))
        now[path] = content
        if forgets:
            db.prune(most_bytes, LONG)
    db.prune(most_bytes, LONG)
    number = len(db.ids())
    assert db.ids() == [f"c{number}" for number in range(len(history) + 1 - number, len(history) + 1)]
    assert number == 1 or db._size() <= most_bytes
    assert db.unreadable() == []
    assert {path: db.last_state().files[path] for path in db.paths()} == {
        path: version(now[path]) for path in db.paths()
    }
    db.connection.close()


# Clipboards


def test_a_change_is_recorded_together_with_the_clipboards_of_its_session(db: Scratch) -> None:
    clipboard = Clipboard("x", "1", "a", 1, 2, made="c1", by_change=True)
    change = ChangeRecord("c1", "patch", "", (), clipboards=(clipboard,), session=SessionInfo("me", "cli"))
    db.add(change, KNOWN.get)
    assert (db.clipboards.get("me", "x"), db.change("c1").clipboards) == (clipboard, ())


def test_clipboards_that_were_written_without_a_session_are_nobodys(db: Scratch) -> None:
    db.add(ChangeRecord("c1", "patch", "", (), clipboards=(Clipboard("x", "1", "", 0, 0),)), KNOWN.get)
    assert db.clipboards.all() == []
