"""The tool `history`, `show` for the command line, and the past versions that a stale copy is diagnosed with."""

import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, Workspace
from tests.unit.changes import (
    Ask,
    create,
    delete,
    error_of,
    git_apply,
    land,
    lines,
    list_changes,
    remove,
    rename,
    succeed,
    workspace,
    write,
)

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")


def change_ids(ws: Workspace, path: str | None, **arguments: Any) -> list[str]:
    """The ids of the changes of a path, newest first."""
    return [change["change_id"] for change in succeed(ws.history(path, **arguments))["changes"]]


# Shapes


@pytest.mark.promise("back.shapes")
def test_the_history_is_reported_in_exactly_this_shape() -> None:
    ws, _ = workspace({"a": b"1\n2\n", "b": b"x\n", "c": b"y\n"})
    first = land(ws, write("a", "1\n3\n4\n"), create("d", "1\n2"), delete("b"), summary="tidy up")
    second = land(ws, rename("c", "e"))
    undo = succeed(ws.undo())["change_id"]
    result = ws.history()
    times = [change.pop("time") for change in result.metadata["changes"]]
    origins = [(change.pop("session"), change.pop("head")) for change in result.metadata["changes"]]
    assert origins == [({"id": ws.session.id, "agent": "library"}, None)] * 3
    assert succeed(result) == {
        "changes": [
            {
                "change_id": undo,
                "tool": "undo",
                "summary": f"undo {second}",
                "state": "landed",
                "undoes": second,
                "files": [{"path": "e", "action": "rename", "added": 0, "removed": 0, "to": "c"}],
            },
            {
                "change_id": second,
                "tool": "transaction",
                "summary": "",
                "state": "undone",
                "undoes": None,
                "files": [{"path": "c", "action": "rename", "added": 0, "removed": 0, "to": "e"}],
            },
            {
                "change_id": first,
                "tool": "transaction",
                "summary": "tidy up",
                "state": "landed",
                "undoes": None,
                "files": [
                    {"path": "a", "action": "update", "added": 2, "removed": 1},
                    {"path": "d", "action": "create", "added": 2, "removed": 0},
                    {"path": "b", "action": "delete", "added": 0, "removed": 1},
                ],
            },
        ],
        "next": None,
    }
    lines = result.text.split("\n")
    for line, number, time in zip(lines, (undo, second, first), times, strict=True):
        assert line.startswith(f"{number} {time}")
    assert ["(undone)" in line for line in lines] == [False, True, False]
    assert all(part in lines[2] for part in ("tidy up", "a +2 -1", "d +2 -0", "b +0 -1"))
    assert "c => e" in lines[1]


@pytest.mark.promise("back.shapes")
def test_the_time_is_that_of_the_change_in_utc_by_rfc_3339() -> None:
    ws, _ = workspace()
    start = datetime.now(UTC)
    for number in range(3):
        land(ws, create(str(number)))
    times = [change["time"] for change in list_changes(ws)]
    assert all(TIME.fullmatch(time) for time in times)
    assert times == sorted(times, reverse=True)
    second = timedelta(seconds=1)
    assert all(start - second <= datetime.fromisoformat(time) <= datetime.now(UTC) + second for time in times)


def test_of_many_files_three_are_named_in_the_text_and_all_in_the_data() -> None:
    ws, _ = workspace()
    land(ws, *(create(f"f{number}", "1\n") for number in range(6)))
    result = ws.history()
    assert re.findall(r"\bf\d\b", result.text) == ["f0", "f1", "f2"]
    assert result.text.endswith("… 3 more")
    assert len(succeed(result)["changes"][0]["files"]) == 6


def test_the_text_has_one_line_a_change_and_nothing_that_a_terminal_obeys() -> None:
    ws, _ = workspace({"a\nb\x1b[31m": b"1\n"})
    land(ws, write("a\nb\x1b[31m", "2\n"), summary="two\nlines\x1b[0m")
    result = ws.history()
    assert "\x1b" not in result.text
    assert len(result.text.split("\n")) == 1
    assert succeed(result)["changes"][0]["summary"] == "two\nlines\x1b[0m"


@pytest.mark.parametrize(
    ("before", "after", "counts"),
    [
        (b"", b"1\n2", (2, 0)),
        (b"1\n2\n", b"", (0, 2)),
        (b"1\n2\n", b"1\n2", (1, 1)),
        (b"1\n", b"1\r\n", (1, 1)),
        (lines(), lines(3, 17), (2, 2)),
        (lines(count=20_000), lines(3, 10_000, count=20_000), (2, 2)),
        (b"x" * 600_000 + b"\n", b"y" * 600_000 + b"\n", (1, 1)),
        (b"x" * 1_200_000 + b"\n", b"y" * 1_200_000 + b"\n", (1, 1)),
    ],
)
def test_lines_added_and_removed_are_counted_as_diff_counts_them(
    before: bytes, after: bytes, counts: tuple[int, int]
) -> None:
    ws, _ = workspace({"a": before})
    land(ws, write("a", after))
    (file,) = list_changes(ws)[0]["files"]
    assert (file["added"], file["removed"]) == counts


# Pages


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8, 1000])
def test_paging_visits_every_change_once(limit: int) -> None:
    ws, _ = workspace({"a": lines()})
    ids = [land(ws, write("a", lines(number))) for number in range(1, 8)]
    visited: list[str] = []
    before, rounds = None, 0
    while rounds == 0 or before is not None:
        page = succeed(ws.history(limit=limit, before=before))
        assert len(page["changes"]) <= limit
        visited += [change["change_id"] for change in page["changes"]]
        before, rounds = page["next"], rounds + 1
    assert (visited, rounds) == (ids[::-1], -(-7 // limit))


def test_a_page_ends_early_where_its_changes_have_very_many_files(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suture.tools.history._MAX_FILES", 4)
    ws, _ = workspace()
    ids = [land(ws, *(create(f"{number}/{name}") for name in "abc")) for number in range(5)]
    pages: list[list[str]] = []
    before = None
    while not pages or before is not None:
        page = succeed(ws.history(limit=10, before=before))
        pages.append([change["change_id"] for change in page["changes"]])
        before = page["next"]
    assert pages == [[ids[4], ids[3]], [ids[2], ids[1]], [ids[0]]]


def test_the_text_of_a_page_says_how_to_go_on() -> None:
    ws, _ = workspace()
    ids = [land(ws, create(str(number))) for number in range(3)]
    assert ws.history(limit=2).text.split("\n")[-1] == f"… older changes: before {ids[1]}"


def test_paging_goes_on_after_later_changes_landed() -> None:
    ws, _ = workspace()
    ids = [land(ws, create(str(number))) for number in range(4)]
    following = succeed(ws.history(limit=2))["next"]
    land(ws, create("later"))
    assert change_ids(ws, None, before=following) == [ids[1], ids[0]]


def test_paging_of_one_file_follows_its_renames() -> None:
    ws, _ = workspace({"a": lines(), "x": b"1"})
    asks = [write("a", lines(1)), write("x", "2"), rename("a", "b"), write("x", "3"), write("b", lines(2))]
    ids = [land(ws, ask) for ask in asks]
    page = succeed(ws.history("b", limit=1))
    visited = [page["changes"][0]["change_id"]]
    while page["next"] is not None:
        page = succeed(ws.history("b", limit=1, before=page["next"]))
        visited += [change["change_id"] for change in page["changes"]]
    assert visited == [ids[4], ids[2], ids[0]]


# Of a file, of a folder


def test_the_history_of_a_file_follows_it_through_its_names() -> None:
    ws, _ = workspace({"a": lines(), "b": b"another file\n"})
    first = land(ws, write("a", lines(1)))
    land(ws, write("b", "2\n"))
    land(ws, rename("b", "c"))
    renaming = land(ws, rename("a", "b"))
    last = land(ws, write("b", lines(1, 2)))
    assert change_ids(ws, "b") == [last, renaming, first]
    assert change_ids(ws, "a") == [renaming, first]


def test_the_history_of_a_file_follows_renames_that_were_undone_and_redone() -> None:
    ws, _ = workspace({"a": lines()})
    first = land(ws, write("a", lines(1)))
    renaming = land(ws, rename("a", "b"))
    undo = succeed(ws.undo())["change_id"]
    assert change_ids(ws, "a") == [undo, renaming, first]
    redo = succeed(ws.redo())["change_id"]
    assert change_ids(ws, "b") == [redo, undo, renaming, first]


def test_a_file_that_is_gone_has_a_history_still() -> None:
    ws, fs = workspace({"a": b"1", "sub/b": b"2"})
    deleted = land(ws, delete("a"))
    edited = land(ws, write("sub/b", "3"))
    remove(fs, "sub/b")
    remove(fs, "sub")
    assert change_ids(ws, "a") == [deleted]
    assert change_ids(ws, "sub/b") == change_ids(ws, "sub") == [edited]


@pytest.mark.parametrize("spelled", ["sub", "sub/", "./sub", "sub//", "sub/.", "/ws/sub", "/ws/sub/"])
def test_the_history_of_a_folder_is_that_of_everything_below_it(spelled: str) -> None:
    ws, _ = workspace({"sub/a": b"1", "sub/deep/b": b"2", "subway": b"3", "c": b"4"})
    below = [land(ws, write("sub/a", "x")), land(ws, write("sub/deep/b", "x"))]
    land(ws, write("subway", "x"), write("c", "x"))
    into = land(ws, rename("c", "sub/c"))
    out = land(ws, rename("sub/a", "a"))
    assert change_ids(ws, spelled) == [out, into, *below[::-1]]


@pytest.mark.parametrize("spelled", [".", "./", "/ws", "/ws/"])
def test_the_history_of_the_root_is_everything(spelled: str) -> None:
    ws, _ = workspace({"a": b"1"})
    assert change_ids(ws, spelled) == []
    ids = [land(ws, write("a", "2")), land(ws, create("sub/b"))]
    assert change_ids(ws, spelled) == ids[::-1]


@pytest.mark.parametrize("spelled", ["gone", "gone/", "gone/deep", "gone/deep/", "./gone/"])
def test_a_folder_that_is_gone_has_a_history_still(spelled: str) -> None:
    ws, fs = workspace()
    creation = land(ws, create("gone/deep/a"))
    undo = succeed(ws.undo())["change_id"]
    assert fs.folders() == set()
    assert change_ids(ws, spelled) == [undo, creation]


@pytest.mark.parametrize("spelled", ["other/../sub", "sub/../sub/", "link", "link/"])
def test_a_folder_may_be_named_by_a_detour(spelled: str) -> None:
    ws, fs = workspace({"sub/a": b"1", "other/b": b"1"})
    fs.put_link("link", "sub")
    change = land(ws, write("sub/a", "2"))
    assert change_ids(ws, spelled) == [change]


def test_a_link_has_the_history_of_what_it_points_to() -> None:
    ws, fs = workspace({"a": b"1"})
    fs.put_link("link", "a")
    change = land(ws, write("link", "2"))
    assert change_ids(ws, "link") == change_ids(ws, "a") == [change]


def test_what_lies_under_an_extra_root_is_named_absolutely(tmp_path: Path) -> None:
    for name in ("ws", "other/sub"):
        (tmp_path / name).mkdir(parents=True)
    other = str(tmp_path / "other")
    ws = Workspace(tmp_path / "ws", Settings(durability="fast", extra_roots=(other,)))
    ids = [land(ws, create(f"{other}/sub/a")), land(ws, create("here"))]
    assert list_changes(ws)[1]["files"][0]["path"] == f"{other}/sub/a"
    assert change_ids(ws, other) == change_ids(ws, f"{other}/sub/") == change_ids(ws, f"{other}/sub/a") == [ids[0]]
    assert change_ids(ws, ".") != []


# Show


@pytest.mark.promise("back.shapes")
def test_show_tells_a_change_as_history_does_and_its_diff() -> None:
    ws, _ = workspace({"a": b"1\n2\n"})
    change = land(ws, write("a", "1\n3\n"), summary="two to three")
    result = ws.show(change[:14])
    (entry,) = list_changes(ws)
    diff = "diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1,2 +1,2 @@\n 1\n-2\n+3\n"
    assert succeed(result) == {**entry, "diff": diff}
    head, _, body = result.text.partition("\n\n")
    assert (head.startswith(change), "two to three" in head, "a +1 -1" in head) == (True, True, True)
    assert body == diff[:-1]


@pytest.mark.process
@pytest.mark.parametrize(
    "asks",
    [
        [write("a", "1\n3\n")],
        [create("new/b", "x\n", 0o755)],
        [create("empty", "")],
        [delete("a")],
        [delete("none")],
        [rename("a", "sub/c")],
        [rename("a", "sub/c", "1\n4\n")],
        [write("a", "1\n2"), delete("none"), create("é b", "x")],
        [write("a", b"\xef\xbb\xbf1\n2\n")],
    ],
)
def test_the_diff_that_show_gives_is_what_git_needs_to_do_the_change(asks: list[Ask], tmp_path: Path) -> None:
    ws, fs = workspace({"a": b"1\n2\n", "none": b""})
    before = fs.files()
    change = land(ws, *asks)
    assert git_apply(tmp_path, before, succeed(ws.show(change))["diff"]) == fs.files()


def test_show_cuts_a_long_diff_in_the_text_only() -> None:
    ws, _ = workspace({"a": b""}, Settings(max_diff_lines=5))
    change = land(ws, write("a", lines(count=50)))
    result = ws.show(change)
    assert len(succeed(result)["diff"].split("\n")) > 50
    assert "more lines (max_diff_lines)" in result.text.split("\n")[-1]


def test_show_wants_one_change() -> None:
    ws, _ = workspace()
    for name in ("", "zz"):
        error = error_of(ws.show(name))
        assert (error["code"], error["change_id"], error["candidates"]) == ("CHANGE_NOT_FOUND", name, [])


# Whether a file was there


def had_file(ws: Workspace, path: str) -> bool:
    with ws._engine.session() as session:
        return session.had_file(path)


@pytest.mark.promise("back.stale")
def test_a_file_was_there_if_a_change_replaced_moved_or_deleted_what_was_in_it() -> None:
    ws, _ = workspace({"a": b"1", "b": b"2", "c": b"3", "untouched": b"4"})
    land(ws, write("a", "x"))
    land(ws, rename("b", "new"))
    land(ws, delete("c"))
    land(ws, create("made", "5"))
    paths = ("a", "b", "new", "c", "made", "untouched", "missing")
    assert {path for path in paths if had_file(ws, path)} == {"a", "b", "new", "c"}


@pytest.mark.promise("back.stale")
def test_a_file_was_there_although_what_was_in_it_is_damaged() -> None:
    """No content is unpacked to find out: that could take long."""
    ws, fs = workspace({"a": b"1"})
    land(ws, delete("a"))
    ((name, shelved),) = fs.shelf.items()
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(shelved)
        assert database.execute("UPDATE content SET data = x'ff'").rowcount > 0
        database.commit()
        fs.shelf[name] = database.serialize()
    assert had_file(ws, "a")


def test_where_no_history_can_be_read_no_file_was_there_and_it_is_no_error() -> None:
    off, _ = workspace({"a": b"1"}, Settings(history=False))
    land(off, write("a", "2"))
    assert not had_file(off, "a")
    ws, fs = workspace({"a": b"1"})
    land(ws, write("a", "2"))
    (name,) = fs.shelf
    fs.shelf[name] = b"not a database" * 100
    assert not had_file(ws, "a")


def test_ids_sort_as_the_changes_landed() -> None:
    ws, _ = workspace({"a": b"0"})
    ids = [land(ws, write("a", str(number + 1))) for number in range(20)]
    assert all(earlier < later for earlier, later in pairwise(ids))
    assert [change["change_id"] for change in list_changes(ws)] == ids[::-1]
