"""Random histories: forgetting a path removes every content of its files, and no other content.

A content names the file that it belongs to, so that the expected result needs no knowledge of renames and undos.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from suture import Settings
from tests.unit.changes import (
    create,
    delete,
    error_of,
    land,
    list_changes,
    rename,
    succeed,
    take_snapshot,
    workspace,
    write,
)
from tests.unit.files.test_forget import contents, shelf

if TYPE_CHECKING:
    from suture import Workspace
    from suture.testing import MemoryFS

PATHS = ("a", "d/b")
FILLER = b"".join(b"line %d of a file\n" % number for number in range(120))
OWNER = re.compile(rb"FILE-(\d+)-")

OPERATIONS = st.one_of(
    st.tuples(st.just("write"), st.sampled_from(PATHS), st.booleans()),
    st.tuples(st.just("write"), st.sampled_from(PATHS), st.booleans()),
    st.tuples(st.just("delete"), st.sampled_from(PATHS), st.booleans()),
    st.tuples(st.just("move"), st.permutations(PATHS).map(lambda paths: tuple(paths[:2])), st.booleans()),
    st.tuples(st.just("outside"), st.sampled_from(PATHS), st.booleans()),
    st.tuples(st.just("undo"), st.just(""), st.booleans()),
    st.tuples(st.sampled_from(("undo", "redo", "snapshot")), st.just(""), st.booleans()),
)


class Past(NamedTuple):
    """A workspace after some operations, and which files have been at each path."""

    ws: Workspace
    fs: MemoryFS
    owners: dict[str, set[int]]


def owner(content: bytes) -> int:
    (number,) = {*OWNER.findall(content)}
    return int(number)


def live(operations: list[tuple[str, object, bool]]) -> Past:
    """Carry out operations; those that are impossible are skipped."""
    ws, fs = workspace(settings=Settings(history_max_days=10_000))
    owners: dict[str, set[int]] = {}
    births = 0
    for number, (operation, subject, long) in enumerate(operations):
        path, to = subject if isinstance(subject, tuple) else (str(subject), "")
        here = fs.files().get(path)
        births += here is None
        birth = births if here is None else owner(here)
        content = b"FILE-%d-%d\n" % (birth, number)
        content = content + FILLER + b"%d\n" % number if long else content
        match operation:
            case "write":
                land(ws, create(path, content) if here is None else write(path, content))
            case "delete" if here is not None:
                land(ws, delete(path))
            case "move" if here is not None and to not in fs.files():
                land(ws, rename(path, to, content if long else None))
            case "outside" if here is not None:
                fs.put(path, content)
            case "undo":
                ws.undo()
            case "redo":
                ws.redo()
            case "snapshot":
                take_snapshot(ws, f"point {number}")
        for name, data in fs.files().items():
            owners.setdefault(name, set()).add(owner(data))
    return Past(ws, fs, owners)


@pytest.mark.promise("back.forget")
@settings(max_examples=60)
@given(st.lists(OPERATIONS, min_size=2, max_size=14), st.data())
def test_every_content_of_the_files_goes_and_no_other(
    operations: list[tuple[str, object, bool]], data: st.DataObject
) -> None:
    ws, fs, owners = live(operations)
    if not fs.shelf or not list_changes(ws):
        return
    before = contents(shelf(fs))
    changes = [{**change, "summary": ""} for change in list_changes(ws)]
    path = data.draw(st.sampled_from(sorted(owners)), label="path")
    if data.draw(st.booleans(), label="forget a change first"):
        succeed(ws.forget([data.draw(st.sampled_from([change["change_id"] for change in changes]))]))
        before = {name: content for name, content in contents(shelf(fs)).items() if content} | {
            name: None for name, content in contents(shelf(fs)).items() if not content
        }
    result = ws.forget([path])
    if result.is_error:  # only other programs wrote there
        assert error_of(result)["code"] == "NOT_RECORDED"
        return
    after = contents(shelf(fs))
    gone = {name for name, content in before.items() if content and owner(content) in owners[path]}
    assert after == {name: None if name in gone else content for name, content in before.items()}
    for content in (before[name] for name in gone):
        assert content is not None
        assert content.partition(b"\n")[0] not in shelf(fs)
    assert [{**change, "summary": ""} for change in list_changes(ws)] == changes
    for change in changes:
        result = ws.undo(change["change_id"])
        assert not result.is_error or error_of(result)["code"] in {
            "ALREADY_UNDONE",
            "CONTENT_NOT_KEPT",
            "UNDO_CONFLICT",
            "FILE_EXISTS",
            "NOT_HERE",
        }
