"""Damaged histories: if `forget` says that it removed a file's contents, no byte of them is left."""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from functools import cache
from random import Random

import pytest

from suture import Workspace
from suture.testing import MemoryFS
from tests.faults.test_history_damage import CALM, apply_damages, change_row
from tests.scale import scaled
from tests.unit.changes import land, succeed, take_snapshot, workspace, write
from tests.unit.files.test_forget import FILLER, SECRET, contents, cut, secret, shelf

REFUSALS = {"HISTORY_UNAVAILABLE", "NOT_RECORDED"}


@cache
def past() -> tuple[dict[str, bytes], str, bytes]:
    """The files, and the name and content of the database."""
    ws, fs = workspace({"a": secret(0), "b": b"b\n", "other": FILLER}, CALM)
    for number in range(6):
        land(ws, write("a", secret(number + 1, long=number % 2 == 0)), write("b", b"%d\n" % number))
        land(ws, write("other", FILLER + b"%d\n" % number), summary=f"number {number}")
    take_snapshot(ws, "point", ["a", "other"])
    succeed(ws.undo())
    cut(ws, "b", "5", "number")
    cut(ws, "a", SECRET.decode(), "secret")
    ((name, raw),) = fs.shelf.items()
    return fs.files(), name, raw


def readable(raw: bytes) -> set[bytes]:
    with suppress(sqlite3.Error, UnicodeError):
        return {content for content in contents(raw).values() if content is not None}
    return set()


def is_intact(raw: bytes) -> bool:
    """Whether SQLite finds nothing wrong."""
    with closing(sqlite3.connect(":memory:")) as database, suppress(sqlite3.Error):
        database.deserialize(raw)
        return bool(database.execute("PRAGMA integrity_check").fetchone()[0] == "ok")
    return False


def check(seed: int) -> str | None:
    """What is wrong after `forget` in a damaged history."""
    files, name, raw = past()
    fs, damage = MemoryFS(files), apply_damages if seed % 2 else change_row
    fs.shelf[name] = before = damage(raw, Random(seed))
    result = Workspace(fs.root, CALM, fs=fs).forget(["a"])
    if result.is_error:
        code = str(result.metadata["error"]["code"])
        return None if code in REFUSALS else code
    after = shelf(fs)
    if SECRET in after or any(SECRET in content for content in readable(after)):
        return "the secret is left"
    if is_intact(before) and not is_intact(after):
        return "the database is damaged"
    return None


@pytest.mark.promise("back.forget")
@pytest.mark.promise("back.damage")
def test_what_is_removed_from_a_damaged_history_is_gone() -> None:
    wrong = {seed: check(seed) for seed in range(scaled(120))}
    assert {seed: problem for seed, problem in wrong.items() if problem} == {}


@pytest.mark.soak
def test_what_is_removed_from_many_damaged_histories_is_gone() -> None:
    wrong = {seed: check(seed) for seed in range(1_000, 1_000 + scaled(4_000))}
    assert {seed: problem for seed, problem in wrong.items() if problem} == {}
