"""Clipboards in a database: of each session its own, verified, bounded, and dropped when they are old."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from suture.errors import HistoryDamaged
from suture.files import clipboards as module
from suture.files.clipboards import Clipboards
from suture.files.journal import id_at
from suture.files.store import Checksums
from suture.plan import Clipboard
from tests.unit.changes import land, workspace, write
from tests.unit.files.test_forget import shelf

if TYPE_CHECKING:
    from collections.abc import Iterator

DAY = 86_400


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        yield connection


def open_clipboards(database: sqlite3.Connection) -> Clipboards:
    return Clipboards(database, Checksums(database))


def text(name: str, content: str = "text\n", made: str = "1") -> Clipboard:
    return Clipboard(name, content, "a.txt", 1, 2, made=made)


@pytest.mark.promise("patch.clipboards")
def test_they_are_kept_replaced_and_read_back_byte_by_byte(database: sqlite3.Connection) -> None:
    clipboards = open_clipboards(database)
    assert (clipboards.all(), clipboards.get("me", "x")) == ([], None)
    clipboards.put("me", ())
    assert database.execute("SELECT * FROM sqlite_master").fetchall() == []
    odd = Clipboard("é\0", "a\r\n\udcff", "d/\udce9", 3, 9, is_part=True, made="2", by_change=True)
    clipboards.put("me", [text("x", "1"), odd])
    clipboards.put("me", [text("x", "2", made="3")])
    assert [clipboards.get("me", name) for name in ("x", "é\0", "y")] == [text("x", "2", made="3"), odd, None]
    known = [(known.session, known.size, known.clipboard) for known in clipboards.all()]
    assert known == [("me", 1, text("x", "", made="3")), ("me", 4, odd.evolve(text=""))]


@pytest.mark.promise("patch.clipboards")
def test_each_session_has_its_own(database: sqlite3.Connection) -> None:
    clipboards = open_clipboards(database)
    clipboards.put("me", [text("x", "mine")])
    clipboards.put("you", [text("x", "yours"), text("y")])
    assert [clipboards.get(session, "x") for session in ("me", "you")] == [text("x", "mine"), text("x", "yours")]
    assert clipboards.get("me", "y") is None
    clipboards.drop([("you", "x"), ("you", "nothing")])
    assert [known.key for known in clipboards.all()] == [("me", "x"), ("you", "y")]
    assert clipboards.get("you", "x") is None


@pytest.mark.promise("back.damage")
@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE session_clipboard SET content = x'39'",
        "UPDATE session_clipboard SET content = 'text'",
        "UPDATE session_clipboard SET path = x'39'",
        "UPDATE session_clipboard SET end_line = 'x'",
        "UPDATE session_clipboard SET made = x'39'",
        "DELETE FROM session_clipboard",
        "DELETE FROM checksum",
    ],
)
def test_a_damaged_one_is_not_returned(database: sqlite3.Connection, damage: str) -> None:
    open_clipboards(database).put("me", [text("x")])
    database.execute(damage)
    with pytest.raises(HistoryDamaged):
        open_clipboards(database).get("me", "x")
    open_clipboards(database).drop_all_but([])
    assert (open_clipboards(database).all(), open_clipboards(database).get("me", "x")) == ([], None)


@pytest.mark.promise("patch.clipboard-bounds")
def test_what_other_sessions_leave_is_bounded_in_number_and_size(
    database: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_MAX_OTHERS", 3)
    monkeypatch.setattr(module, "_MAX_OTHER_BYTES", 25)
    clipboards = open_clipboards(database)
    for number in range(5):
        clipboards.put(f"old {number}", [text("x", "12345678", made=str(number))])
    clipboards.put("me", [text(str(number), "x" * 100, made="0") for number in range(10)])
    others = [known.session for known in clipboards.all() if known.session != "me"]
    assert (others, len(clipboards.all())) == (["old 4", "old 3", "old 2"], 13)
    clipboards.put("old 4", [text("y", "12345678901", made="5")])
    assert {known.session for known in clipboards.all()} == {"old 4", "old 3", "old 2"}


@pytest.mark.promise("patch.clipboards")
def test_they_are_dropped_with_the_changes_that_are_too_old(monkeypatch: pytest.MonkeyPatch) -> None:
    ws, fs = workspace({"a": b"one\ntwo\n"})
    now = time.time()

    def cut(old: str, name: str, days: float) -> None:
        monkeypatch.setattr(time, "time", lambda: now - days * DAY)
        copy = {"operation": "replace", "oldText": old, "toClipboard": name, "fromClipboard": name}
        assert not ws.patch("a", [copy]).is_error
        land(ws, write("b", name))

    for name, days in (("first", 400), ("second", 300), ("third", 100), ("fourth", 2)):
        cut("one", name, days)
    monkeypatch.setattr(time, "time", lambda: now)
    land(ws, write("b", "last"))
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(shelf(fs))
        known = open_clipboards(database).all()
    assert [one.clipboard.name for one in known] == ["fourth", "third"]
    assert all(one.clipboard.made > id_at(now - 180 * DAY) for one in known)
