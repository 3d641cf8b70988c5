"""Undoing a change: what is restored, merged or refused."""

import os
import stat
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from suture import Settings, SutureError, Workspace
from suture.engine.session import Session
from suture.plan import Plan, Rename
from suture.testing import MemoryFS
from tests.scale import scaled
from tests.unit.changes import (
    Ask,
    create,
    delete,
    error_of,
    hash_of,
    land,
    lines,
    list_changes,
    lose,
    move,
    remove,
    rename,
    state,
    succeed,
    workspace,
    write,
)

FAST = Settings(durability="fast")
Meanwhile = Callable[[MemoryFS], None]
BINARY = b"\0\1\2" * 9


# What comes back

FROM_TO: dict[str, tuple[bytes, bytes]] = {
    "text": (b"one\ntwo\n", b"one\n2\n"),
    "nothing to something": (b"", b"one\n"),
    "something to nothing": (b"one\n", b""),
    "a mark taken away": (b"\xef\xbb\xbfone\n", b"one\n"),
    "a mark put before": (b"one\n", b"\xef\xbb\xbfone\n"),
    "into UTF-16": ("é\n".encode(), "\ufeffé\n".encode("utf-16-le")),
    "from one UTF-16 to the other": ("\ufeffé\n".encode("utf-16-le"), "\ufeffé\n".encode("utf-16-be")),
    "from UTF-32": ("\ufeffé\n".encode("utf-32-le"), "é\n".encode()),
    "Latin-1 to UTF-8": (b"caf\xe9\n", "café\n".encode()),
    "bytes of no encoding": (b"\xff\xfe\xfd\n", b"\x80\x81\n"),
    "CRLF to LF": (b"one\r\ntwo\r\n", b"one\ntwo\n"),
    "mixed endings": (b"one\r\ntwo\nthree\rfour\r\n", b"one\ntwo\r\nthree\nfour"),
    "CR to LF": (b"one\rtwo\r", b"one\ntwo\n"),
    "no final newline": (b"one\ntwo", b"one\ntwo\n"),
    "a final newline": (b"one\ntwo\n", b"one\ntwo"),
    "binary": (BINARY, BINARY[::-1]),
    "binary to text": (BINARY, b"text\n"),
    "a long one": (lines(count=5_000), lines(2_000, count=5_000)),
}


@pytest.mark.promise("back.everything-returns")
@pytest.mark.parametrize(("before", "after"), FROM_TO.values(), ids=FROM_TO)
def test_every_content_comes_back_byte_for_byte(before: bytes, after: bytes) -> None:
    ws, fs = workspace({"a": before})
    land(ws, write("a", after))
    for _ in range(2):
        succeed(ws.undo())
        assert fs.files() == {"a": before}
        succeed(ws.redo())
        assert fs.files() == {"a": after}


@pytest.mark.promise("back.everything-returns")
@pytest.mark.parametrize("content", [content for pair in FROM_TO.values() for content in pair])
def test_a_deleted_a_created_and_a_renamed_file_come_back_with_any_content(content: bytes) -> None:
    ws, fs = workspace({"gone": content, "old": content})
    before = state(fs)
    land(ws, delete("gone"), create("new", content), rename("old", "sub/moved"))
    after = state(fs)
    for _ in range(2):
        succeed(ws.undo())
        assert state(fs) == before
        succeed(ws.redo())
        assert state(fs) == after


@pytest.mark.promise("back.everything-returns")
@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o400, 0o777])
def test_permission_bits_come_back(mode: int) -> None:
    ws, fs = workspace()
    for path in ("update", "delete", "rename", "rename and edit"):
        fs.put(path, b"1\n", mode=mode)
    before = state(fs)
    asks = [create("create", "1\n", mode), delete("delete"), rename("rename", "r"), rename("rename and edit", "s", "2")]
    land(ws, *asks, *([write("update", "2\n")] if mode & 0o200 else []))
    after = state(fs)
    succeed(ws.undo())
    assert state(fs) == before
    succeed(ws.redo())
    assert state(fs) == after


@pytest.mark.promise("back.everything-returns")
def test_on_the_disk_too_whatever_the_umask(tmp_path: Path) -> None:
    def look() -> dict[str, tuple[bytes, int]]:
        files = [path for path in tmp_path.rglob("*") if path.is_file()]
        return {
            str(path.relative_to(tmp_path)): (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) for path in files
        }

    for name, mode in {"run.sh": 0o755, "secret": 0o600, "open": 0o666, "old/name": 0o640, "plain": 0o644}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
        (tmp_path / name).chmod(mode)
    ws = Workspace(tmp_path, FAST)
    before = look()
    umask = os.umask(0o077)
    try:
        land(
            ws,
            delete("run.sh"),
            delete("open"),
            write("secret", "2"),
            rename("old/name", "new/name", "2"),
            create("tool", "1", 0o755),
            create("usual", "1"),
        )
        after = look()
        for _ in range(2):
            succeed(ws.undo())
            assert look() == before
            succeed(ws.redo())
            assert look() == after
    finally:
        os.umask(umask)


@pytest.mark.promise("back.everything-returns")
def test_a_link_stays_a_link_and_a_second_name_stays_one_of_the_same_file(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"1\n")
    (tmp_path / "link").symlink_to("real")
    (tmp_path / "twin").hardlink_to(tmp_path / "real")
    ws = Workspace(tmp_path, FAST)
    land(ws, write("link", "2\n"))
    for call, content in ((ws.undo, b"1\n"), (ws.redo, b"2\n")):
        assert [file["path"] for file in succeed(call())["files"]] == ["real"]
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "twin").samefile(tmp_path / "real")
        assert (tmp_path / "twin").read_bytes() == content


@pytest.mark.promise("back.everything-returns")
def test_owner_and_attributes_of_an_updated_file_stay() -> None:
    ws, fs = workspace({"a": b"1\n"})
    node = fs.node_of("a")
    node.owner, node.attributes = (12345, 54321), {"user.note": b"x"}
    land(ws, write("a", "2\n"))
    succeed(ws.undo())
    node = fs.node_of("a")
    assert (node.data, node.owner, node.attributes) == (b"1\n", (12345, 54321), {"user.note": b"x"})


def rename_onto_another() -> tuple[Workspace, MemoryFS, dict[str, object]]:
    """A workspace after a rename that replaced a file, and its state before."""
    ws, fs = workspace()
    fs.put("run.sh", b"run\n", mode=0o755)
    fs.put("b", b"b\n", mode=0o644)
    before = state(fs)

    def onto(session: Session) -> Plan:
        old, there = session.read("run.sh"), session.read("b")
        return Plan((Rename(old.place, old, there.place, None, there),), "move")

    ws._engine.land(onto)
    assert state(fs) == {"b": (b"run\n", 0o755)}
    return ws, fs, before


@pytest.mark.promise("back.everything-returns")
def test_what_a_rename_replaced_comes_back_beside_what_was_renamed() -> None:
    ws, fs, _ = rename_onto_another()
    succeed(ws.undo())
    assert fs.files() == {"run.sh": b"run\n", "b": b"b\n"}
    succeed(ws.redo())
    assert state(fs) == {"b": (b"run\n", 0o755)}
    fs.put("b", b"run\nmore\n")
    succeed(ws.undo())
    assert fs.files() == {"run.sh": b"run\nmore\n", "b": b"b\n"}


@pytest.mark.promise("back.everything-returns")
def test_what_a_rename_replaced_has_its_own_bits_again() -> None:
    ws, fs, before = rename_onto_another()
    succeed(ws.undo())
    assert state(fs) == before


# Folders


@pytest.mark.promise("back.everything-returns")
@pytest.mark.parametrize(
    "ask",
    [create("new/deep/er/f"), rename("a", "new/deep/er/f")],
    ids=["made for a new file", "made for a renamed one"],
)
def test_folders_that_a_change_made_go_away_and_come_back(ask: Ask) -> None:
    ws, fs = workspace({"a": b"1\n", "sub/b": b"2\n"})
    land(ws, ask)
    assert fs.folders() == {"sub", "new", "new/deep", "new/deep/er"}
    succeed(ws.undo())
    assert fs.folders() == {"sub"}
    succeed(ws.redo())
    assert fs.folders() == {"sub", "new", "new/deep", "new/deep/er"}
    succeed(ws.undo())
    assert fs.folders() == {"sub"}


@pytest.mark.promise("back.external")
def test_a_folder_in_which_someone_put_something_stays() -> None:
    ws, fs = workspace()
    land(ws, create("new/deep/f"), create("new/other/g"))
    fs.put("new/deep/theirs", b"x")
    succeed(ws.undo())
    assert (fs.files(), fs.folders()) == ({"new/deep/theirs": b"x"}, {"new", "new/deep"})
    succeed(ws.redo())
    assert sorted(fs.files()) == ["new/deep/f", "new/deep/theirs", "new/other/g"]
    remove(fs, "new/deep/theirs")
    succeed(ws.undo())
    assert (fs.files(), fs.folders()) == ({}, set())


def test_folders_that_were_there_before_stay() -> None:
    ws, fs = workspace()
    fs.make_folder("/ws/empty")
    land(ws, create("empty/f"))
    succeed(ws.undo())
    assert fs.folders() == {"empty"}


def test_a_folder_that_is_gone_is_made_again_for_what_comes_back() -> None:
    ws, fs = workspace({"sub/a": b"1\n", "sub/b": b"2\n"})
    land(ws, delete("sub/a"), rename("sub/b", "b"))
    remove(fs, "sub")
    succeed(ws.undo())
    assert fs.files() == {"sub/a": b"1\n", "sub/b": b"2\n"}
    succeed(ws.redo())
    assert (fs.files(), fs.folders()) == ({"b": b"2\n"}, set())


# Changes by others in the meantime


def put(path: str, content: bytes) -> Meanwhile:
    return lambda fs: fs.put(path, content)


def unlink(path: str) -> Meanwhile:
    return lambda fs: remove(fs, path)


def link(path: str, aim: str) -> Meanwhile:
    return lambda fs: fs.put_link(path, aim)


def folder(path: str) -> Meanwhile:
    return lambda fs: fs.put(f"{path}/inside", b"x")


def special(path: str) -> Meanwhile:
    return lambda fs: fs.put_special(path)


def steps_together(*steps: Meanwhile) -> Meanwhile:
    def run(fs: MemoryFS) -> None:
        for step in steps:
            step(fs)

    return run


UPDATE, CREATE, DELETE = write("a", lines(5)), create("n", lines()), delete("a")
RENAME, MOVE = rename("a", "n"), rename("a", "n", lines(5))
KEPT = {"b": b"b\n", "sub/c": b"c\n"}
TEXT = lines()
MEANWHILE: list[tuple[str, Ask, Meanwhile, str | dict[str, bytes]]] = [
    ("update, edited elsewhere", UPDATE, put("a", lines(5, 15)), {"a": lines(15)}),
    ("update, edited in the line above", UPDATE, put("a", lines(4, 5)), {"a": lines(4)}),
    ("update, edited in the line below", UPDATE, put("a", lines(5, 6)), {"a": lines(6)}),
    ("update, lines added before", UPDATE, put("a", b"top\n" + lines(5)), {"a": b"top\n" + TEXT}),
    ("update, lines added behind", UPDATE, put("a", lines(5) + b"end\n"), {"a": TEXT + b"end\n"}),
    ("update, taken back and edited elsewhere", UPDATE, put("a", lines(15)), "NOT_HERE"),
    ("update, taken back", UPDATE, put("a", TEXT), "NOT_HERE"),
    ("update, made anew with the same text", UPDATE, steps_together(unlink("a"), put("a", lines(5))), {"a": TEXT}),
    ("update, edited in the same line", UPDATE, put("a", lines(5, mark="theirs")), "UNDO_CONFLICT"),
    ("update, the line deleted", UPDATE, put("a", lines(5).replace(b"changed 5\n", b"")), "UNDO_CONFLICT"),
    ("update, emptied", UPDATE, put("a", b""), "UNDO_CONFLICT"),
    ("update, deleted", UPDATE, unlink("a"), "UNDO_CONFLICT"),
    ("update, made anew with another text", UPDATE, steps_together(unlink("a"), put("a", b"other\n")), "UNDO_CONFLICT"),
    ("update, turned into a binary file", UPDATE, put("a", BINARY), "UNDO_CONFLICT"),
    ("update, moved away", UPDATE, lambda fs: move(fs, "a", "z"), "UNDO_CONFLICT"),
    ("update, replaced by a link", UPDATE, steps_together(unlink("a"), link("a", "b")), "NOT_A_FILE"),
    ("update, replaced by a link to nowhere", UPDATE, steps_together(unlink("a"), link("a", "nowhere")), "NOT_A_FILE"),
    ("update, replaced by a folder", UPDATE, steps_together(unlink("a"), folder("a")), "NOT_A_FILE"),
    ("update, replaced by a device", UPDATE, steps_together(unlink("a"), special("a")), "NOT_A_FILE"),
    ("create, left alone", CREATE, steps_together(), {"a": TEXT}),
    ("create, deleted", CREATE, unlink("n"), "NOT_HERE"),
    ("create, made anew with the same text", CREATE, steps_together(unlink("n"), put("n", TEXT)), {"a": TEXT}),
    ("create, edited", CREATE, put("n", lines(5)), "UNDO_CONFLICT"),
    ("create, emptied", CREATE, put("n", b""), "UNDO_CONFLICT"),
    ("create, replaced by a link", CREATE, steps_together(unlink("n"), link("n", "b")), "NOT_A_FILE"),
    ("create, replaced by a folder", CREATE, steps_together(unlink("n"), folder("n")), "NOT_A_FILE"),
    ("delete, made anew with the same text", DELETE, put("a", TEXT), "NOT_HERE"),
    ("delete, made anew with another text", DELETE, put("a", b"other\n"), "UNDO_CONFLICT"),
    ("delete, made anew, empty", DELETE, put("a", b""), "UNDO_CONFLICT"),
    ("delete, a link there", DELETE, link("a", "b"), "NOT_A_FILE"),
    ("delete, a link to nowhere there", DELETE, link("a", "nowhere"), "NOT_A_FILE"),
    ("delete, a folder there", DELETE, folder("a"), "NOT_A_FILE"),
    ("delete, a device there", DELETE, special("a"), "NOT_A_FILE"),
    ("rename, edited", RENAME, put("n", lines(15)), {"a": lines(15)}),
    ("rename and edit, edited elsewhere", MOVE, put("n", lines(5, 15)), {"a": lines(15)}),
    ("rename and edit, edited in the same line", MOVE, put("n", lines(5, mark="theirs")), "UNDO_CONFLICT"),
    ("rename, moved back", RENAME, lambda fs: move(fs, "n", "a"), "NOT_HERE"),
    ("rename, deleted", RENAME, unlink("n"), "UNDO_CONFLICT"),
    ("rename, the old name taken", RENAME, put("a", b"other\n"), "UNDO_CONFLICT"),
    ("rename, the old name taken by the same text", RENAME, put("a", TEXT), "UNDO_CONFLICT"),
    ("rename, a link at the old name", RENAME, link("a", "b"), "NOT_A_FILE"),
    ("rename, a link to nowhere at the old name", RENAME, link("a", "nowhere"), "NOT_A_FILE"),
    ("rename, a folder at the old name", RENAME, folder("a"), "NOT_A_FILE"),
    ("rename, replaced by a link", RENAME, steps_together(unlink("n"), link("n", "b")), "NOT_A_FILE"),
    ("below a file", delete("sub/c"), steps_together(unlink("sub"), put("sub", b"file")), "NOT_A_FOLDER"),
    (
        "behind a link that leads out",
        delete("sub/c"),
        steps_together(unlink("sub"), link("sub", "/etc")),
        "PATH_OUTSIDE_WORKSPACE",
    ),
]


@pytest.mark.promise("back.external")
@pytest.mark.parametrize("dry", [False, True], ids=["real", "dry"])
@pytest.mark.parametrize(
    ("ask", "meanwhile", "outcome"), [case[1:] for case in MEANWHILE], ids=[e[0] for e in MEANWHILE]
)
def test_what_others_did_since_is_merged_or_refused_and_never_overwritten(
    ask: Ask, meanwhile: Meanwhile, outcome: str | dict[str, bytes], *, dry: bool
) -> None:
    ws, fs = workspace({"a": TEXT, **KEPT})
    land(ws, ask)
    meanwhile(fs)
    before, history = state(fs), list_changes(ws)
    result = ws.undo(dry_run=dry)
    if isinstance(outcome, str):
        assert error_of(result)["code"] == outcome
    else:
        succeed(result)
    if isinstance(outcome, str) or dry:
        assert (state(fs), list_changes(ws)) == (before, history)
    else:
        assert fs.files() == {**KEPT, **outcome}


@pytest.mark.promise("back.external")
@pytest.mark.parametrize(("ask", "path"), [(UPDATE, "a"), (RENAME, "n"), (MOVE, "n")], ids=["update", "rename", "move"])
def test_permission_bits_that_someone_set_since_stay(ask: Ask, path: str) -> None:
    ws, fs = workspace({"a": TEXT})
    land(ws, ask)
    fs.node_of(path).mode = 0o755
    succeed(ws.undo())
    assert state(fs) == {"a": (TEXT, 0o755)}


@pytest.mark.promise("back.external")
def test_a_created_file_whose_bits_someone_set_goes_away_and_comes_back_with_them() -> None:
    ws, fs = workspace()
    land(ws, create("run.sh"))
    fs.node_of("run.sh").mode = 0o755
    succeed(ws.undo())
    assert state(fs) == {}
    succeed(ws.redo())
    assert state(fs) == {"run.sh": (b"new\n", 0o755)}


@pytest.mark.promise("back.external")
def test_an_undo_does_not_follow_a_link_that_someone_put_in_the_way() -> None:
    ws, fs = workspace({"old/a": lines()})
    land(ws, write("old/a", lines(5)))
    move(fs, "old", "new")
    fs.put_link("old", "new")
    assert error_of(ws.undo())["code"] == "NOT_A_FILE"
    assert fs.files() == {"new/a": lines(5), "old": b"new"}


SIDES: list[tuple[Ask, Meanwhile, dict[str, Any]]] = [
    (write("a", "2\n"), unlink("a"), {"path": "a", "base": "2\n", "ours": None, "theirs": "1\n"}),
    (create("n"), put("n", b"x\n"), {"path": "n", "base": "new\n", "ours": "x\n", "theirs": None}),
    (delete("a"), put("a", b"x\n"), {"path": "a", "base": None, "ours": "x\n", "theirs": "1\n"}),
    (delete("a"), put("a", b""), {"path": "a", "base": None, "ours": "", "theirs": "1\n"}),
    (rename("a", "n"), put("a", b"x\n"), {"path": "a", "base": None, "ours": "x\n", "theirs": "1\n"}),
    (rename("a", "n", "2\n"), unlink("n"), {"path": "n", "base": "2\n", "ours": None, "theirs": "1\n"}),
    (
        write("a", b"\xe9\n"),
        put("a", b"\xe8\n"),
        {"path": "a", "base": "\ufffd\n", "ours": "\ufffd\n", "theirs": "1\n"},
    ),
    (write("a", b"\0"), put("a", b"\0\n"), {"path": "a", "base": "\0", "ours": "\0\n", "theirs": "1\n"}),
]


@pytest.mark.promise("back.conflict")
@pytest.mark.parametrize(("ask", "meanwhile", "conflict"), SIDES)
def test_a_conflict_about_a_whole_file_has_null_where_there_is_none(
    ask: Ask, meanwhile: Meanwhile, conflict: dict[str, Any]
) -> None:
    ws, fs = workspace({"a": b"1\n"})
    land(ws, ask)
    meanwhile(fs)
    assert error_of(ws.undo())["conflicts"] == [{"line": 1, **conflict}]


@pytest.mark.promise("back.conflict")
def test_a_long_side_of_a_conflict_is_cut_and_says_so() -> None:
    ws, fs = workspace()
    land(ws, create("n", "x" * 200_000))
    fs.put("n", b"y")
    (conflict,) = error_of(ws.undo())["conflicts"]
    assert conflict == {
        "path": "n",
        "line": 1,
        "base": "x" * 100_000,
        "ours": "y",
        "theirs": None,
        "truncated": True,
    }


@pytest.mark.promise("back.conflict")
@pytest.mark.promise("back.external")
def test_a_redo_finds_what_others_did_since_as_an_undo_does() -> None:
    for ask, spoil in ((UPDATE, put("a", lines(5, mark="x"))), (CREATE, put("n", b"x")), (RENAME, put("n", b"x"))):
        ws, fs = workspace({"a": TEXT})
        land(ws, ask)
        succeed(ws.undo())
        spoil(fs)
        before = state(fs)
        assert (error_of(ws.redo())["code"], state(fs)) == ("UNDO_CONFLICT", before)


# Merging, however the file is written


WRITTEN: dict[str, Callable[[bytes], bytes]] = {
    "UTF-8": lambda raw: raw.replace(b"line", "líne".encode()),
    "UTF-8 with a mark": lambda raw: b"\xef\xbb\xbf" + raw,
    "UTF-16-LE with a mark": lambda raw: ("\ufeff" + raw.decode()).encode("utf-16-le"),
    "UTF-16-BE with a mark": lambda raw: ("\ufeff" + raw.decode()).encode("utf-16-be"),
    "UTF-32-LE with a mark": lambda raw: ("\ufeff" + raw.decode()).encode("utf-32-le"),
    "UTF-16 with CRLF": lambda raw: ("\ufeff" + raw.decode().replace("\n", "\r\n")).encode("utf-16-le"),
    "UTF-16 with characters beyond": lambda raw: ("\ufeff" + raw.decode().replace("i", "\U0001f642ഉ")).encode(
        "utf-16-be"
    ),
    "Latin-1": lambda raw: raw.replace(b"line", b"l\xeene"),
    "bytes of no encoding": lambda raw: raw.replace(b"line", b"\xff\xfe\x80"),
    "CRLF": lambda raw: raw.replace(b"\n", b"\r\n"),
    "mixed endings": lambda raw: raw.replace(b"0\n", b"0\r\n").replace(b"3\n", b"3\r\n"),
    "CR": lambda raw: raw.replace(b"\n", b"\r"),
    "no final newline": lambda raw: raw[:-1],
    "form feeds and odd separators": lambda raw: raw.replace(b"line", "li\f\u2028ne".encode()),
}


@pytest.mark.promise("back.middle")
@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_later_work_is_kept_however_the_file_is_written(written: Callable[[bytes], bytes]) -> None:
    ws, fs = workspace({"a": written(lines())})
    change = land(ws, write("a", written(lines(5))))
    land(ws, write("a", written(lines(5, 12))))
    fs.put("a", written(lines(5, 12, 18)))
    assert succeed(ws.undo(change))["merged"]
    assert fs.files() == {"a": written(lines(12, 18))}
    assert not succeed(ws.redo(change))["merged"]
    assert fs.files() == {"a": written(lines(5, 12, 18))}


@pytest.mark.promise("back.conflict")
@pytest.mark.parametrize("name", [name for name in WRITTEN if name.startswith("UTF-16")])
def test_a_conflict_in_utf_16_is_reported_as_text_with_its_line(name: str) -> None:
    written = WRITTEN[name]
    ws, fs = workspace({"a": written(lines())})
    land(ws, write("a", written(lines(5))))
    fs.put("a", written(b"more\n" + lines(5, mark="now")))
    (conflict,) = error_of(ws.undo())["conflicts"]
    assert (conflict["line"], conflict["ours"].rstrip()) == (6, "now 5")
    assert {"\0", "\ufffd"}.isdisjoint("".join(conflict[side] for side in ("base", "ours", "theirs")))


@pytest.mark.promise("back.middle")
def test_what_is_outside_the_change_keeps_its_own_ending() -> None:
    ws, fs = workspace({"a": b"1\r\n2\n3\r\n4\n5\r\n"})
    change = land(ws, write("a", b"1\r\n2\nX\n4\n5\r\n"))
    fs.put("a", b"1\r\n2\nX\n4\n5\r\n6\r\n7")
    assert succeed(ws.undo(change))["merged"]
    assert fs.files() == {"a": b"1\r\n2\n3\r\n4\n5\r\n6\r\n7"}


@pytest.mark.promise("back.middle")
def test_a_mark_and_an_ending_come_back_by_merge_too() -> None:
    ws, fs = workspace({"a": b"\xef\xbb\xbf" + lines()})
    change = land(ws, write("a", lines()))
    fs.put("a", lines(15))
    succeed(ws.undo(change))
    assert fs.files() == {"a": b"\xef\xbb\xbf" + lines(15)}
    ws, fs = workspace({"a": lines()[:-1]})
    change = land(ws, write("a", lines()))
    fs.put("a", lines(5))
    succeed(ws.undo(change))
    assert fs.files() == {"a": lines(5)[:-1]}


@pytest.mark.promise("back.conflict")
@pytest.mark.parametrize(
    ("before", "after", "now"),
    [
        (BINARY, BINARY + b"1", BINARY + b"2"),
        (BINARY, lines(), lines(5)),
        (lines(), lines(5), BINARY),
        (
            lines(),
            ("\ufeff" + lines().decode()).encode("utf-16-le"),
            ("\ufeff" + lines(5).decode()).encode("utf-16-le"),
        ),
        (
            ("\ufeff" + lines().decode()).encode("utf-16-le"),
            ("\ufeff" + lines(5).decode()).encode("utf-16-le"),
            ("\ufeff" + lines(5, 9).decode()).encode("utf-16-be"),
        ),
    ],
    ids=["binary", "was binary", "is binary", "another encoding", "converted since"],
)
def test_what_cannot_be_merged_as_text_is_one_conflict_about_the_whole(before: bytes, after: bytes, now: bytes) -> None:
    ws, fs = workspace({"a": before})
    land(ws, write("a", after))
    fs.put("a", now)
    (conflict,) = error_of(ws.undo())["conflicts"]
    assert (conflict["path"], conflict["line"], fs.files()) == ("a", 1, {"a": now})


# Renamed since


@pytest.mark.promise("back.middle")
@pytest.mark.parametrize("content", [None, lines(5, 15)], ids=["only renamed", "renamed and edited"])
def test_an_edit_is_undone_under_the_name_that_the_file_has_now(content: bytes | None) -> None:
    ws, fs = workspace({"a": lines()})
    change = land(ws, write("a", lines(5)))
    land(ws, rename("a", "sub/b", content))
    land(ws, rename("sub/b", "c"))
    reverted = succeed(ws.undo(change))["files"]
    text = lines() if content is None else lines(15)
    assert (fs.files(), reverted) == ({"c": text}, [{"path": "c", "action": "update", "hash": hash_of(text)}])
    succeed(ws.redo(change))
    assert fs.files() == {"c": lines(5) if content is None else content}


@pytest.mark.promise("back.middle")
def test_a_rename_is_undone_with_the_edits_that_came_later() -> None:
    ws, fs = workspace({"a": lines()})
    change = land(ws, rename("a", "b", lines(5)))
    land(ws, write("b", lines(5, 15)))
    assert succeed(ws.undo(change))["files"] == [
        {"path": "b", "action": "rename", "hash": hash_of(lines(15)), "to": "a"},
    ]
    assert fs.files() == {"a": lines(15)}


@pytest.mark.promise("back.middle")
def test_a_rename_that_a_later_change_took_back_leaves_only_its_edit_to_undo() -> None:
    ws, fs = workspace({"a": lines()})
    change = land(ws, rename("a", "b", lines(5)))
    land(ws, rename("b", "a"))
    assert [file["action"] for file in succeed(ws.undo(change))["files"]] == ["update"]
    assert fs.files() == {"a": lines()}


@pytest.mark.promise("back.middle")
def test_a_new_file_at_an_old_name_is_not_mistaken_for_the_one_that_moved_away() -> None:
    ws, fs = workspace({"a": lines()})
    change = land(ws, write("a", lines(5)))
    land(ws, rename("a", "b"))
    land(ws, create("a", lines(5)))
    succeed(ws.undo(change))
    assert fs.files() == {"a": lines(5), "b": lines()}


@pytest.mark.promise("back.middle")
def test_a_deleted_file_comes_back_at_its_place_whatever_became_of_a_later_file_there() -> None:
    ws, fs = workspace({"a": b"old\n"})
    change = land(ws, delete("a"))
    land(ws, create("a", "another\n"))
    land(ws, rename("a", "b"))
    succeed(ws.undo(change))
    assert fs.files() == {"a": b"old\n", "b": b"another\n"}


@pytest.mark.promise("back.middle")
def test_an_edit_does_not_follow_a_file_that_was_only_made_at_the_same_place() -> None:
    ws, fs = workspace({"a": lines()})
    change = land(ws, write("a", lines(5)))
    land(ws, delete("a"))
    land(ws, create("a", lines(5, 15)))
    land(ws, rename("a", "b"))
    assert error_of(ws.undo(change))["conflicts"][0]["path"] == "a"
    assert fs.files() == {"b": lines(5, 15)}


@pytest.mark.promise("back.middle")
def test_a_file_whose_deletion_was_taken_back_is_the_same_file_again() -> None:
    ws, fs = workspace({"a": lines()})
    change = land(ws, write("a", lines(5)))
    for _ in range(2):
        deletion = land(ws, delete("a"))
        succeed(ws.undo(deletion))
        succeed(ws.redo(deletion))
        succeed(ws.undo(deletion))
    land(ws, rename("a", "b"))
    succeed(ws.undo(change))
    assert fs.files() == {"b": lines()}


@pytest.mark.promise("back.middle")
def test_an_undo_that_is_undone_takes_away_what_another_undo_brought_back() -> None:
    ws, fs = workspace({"a": lines(), "b": lines()})
    change = land(ws, delete("a"), write("b", lines(5)))
    undo = succeed(ws.undo(change))["change_id"]
    redo = succeed(ws.redo(undo))["change_id"]
    succeed(ws.undo(change))
    assert error_of(ws.undo(redo))["code"] == "NOT_HERE"
    steps_together(unlink("a"), put("b", lines(5)))(fs)
    succeed(ws.undo(redo))  # both undos are in effect now
    succeed(ws.undo(undo))
    assert fs.files() == {"b": lines(5)}


# Elsewhere, protected, forgotten


def two_roots(tmp_path: Path) -> tuple[Workspace, str]:
    for name in ("ws", "other"):
        (tmp_path / name).mkdir()
    return Workspace(tmp_path / "ws", FAST.evolve(extra_roots=(str(tmp_path / "other"),))), str(tmp_path / "other")


def test_files_under_an_extra_root_come_back_too(tmp_path: Path) -> None:
    ws, other = two_roots(tmp_path)
    for name in ("a", "run", "old"):
        (tmp_path / "other" / name).write_bytes(lines())
        (tmp_path / "other" / name).chmod(0o755)
    change = land(
        ws,
        write(f"{other}/a", lines(5)),
        delete(f"{other}/run"),
        rename(f"{other}/old", "here"),
        create("new"),
    )
    land(ws, write(f"{other}/a", lines(5, 15)))
    reverted = succeed(ws.undo(change))["files"]
    assert [file["path"] for file in reverted] == ["new", "here", f"{other}/run", f"{other}/a"]
    assert list((tmp_path / "ws").iterdir()) == []
    contents = {path.name: (path.read_bytes(), path.stat().st_mode & 0o777) for path in (tmp_path / "other").iterdir()}
    assert contents == {"a": (lines(15), 0o755), "run": (lines(), 0o755), "old": (lines(), 0o755)}
    succeed(ws.redo(change))
    assert (tmp_path / "other/a").read_bytes() == lines(5, 15)
    assert error_of(Workspace(tmp_path / "ws", FAST).undo(change))["code"] == "PATH_OUTSIDE_WORKSPACE"


@pytest.mark.promise("back.everything-returns")
def test_folders_made_under_an_extra_root_go_away_too(tmp_path: Path) -> None:
    ws, other = two_roots(tmp_path)
    land(ws, create(f"{other}/new/a"))
    succeed(ws.undo())
    assert list((tmp_path / "other").iterdir()) == []


@pytest.mark.parametrize("ask", [UPDATE, CREATE, DELETE, RENAME], ids=["update", "create", "delete", "rename"])
def test_what_has_been_protected_since_is_left_alone(ask: Ask) -> None:
    ws, fs = workspace({"a": TEXT})
    land(ws, ask)
    before = state(fs)
    guarded = Workspace(fs.root, Settings(protect=("a", "n")), fs=fs)
    error = error_of(guarded.undo())
    assert (error["code"], state(fs)) == ("PROTECTED_PATH", before)
    succeed(ws.undo())
    assert fs.files() == {"a": TEXT}


@pytest.mark.parametrize(
    ("ask", "meanwhile", "lost", "path"),
    [
        (UPDATE, steps_together(), TEXT, "a"),
        (UPDATE, put("a", lines(5, 15)), lines(5), "a"),
        (DELETE, steps_together(), TEXT, "a"),
        (MOVE, steps_together(), TEXT, "n"),
    ],
    ids=["what was before", "what was left", "deleted", "renamed and edited"],
)
def test_a_content_that_is_not_kept_is_named_and_nothing_changes(
    ask: Ask, meanwhile: Meanwhile, lost: bytes, path: str
) -> None:
    ws, fs = workspace({"a": TEXT})
    land(ws, ask)
    meanwhile(fs)
    lose(fs, lost)
    before = state(fs)
    error = error_of(ws.undo())
    assert (error["code"], error["path"], error["hash"]) == ("CONTENT_NOT_KEPT", path, hash_of(lost))
    assert state(fs) == before


def test_what_needs_no_content_is_undone_though_it_is_not_kept() -> None:
    for ask, lost, files in ((CREATE, TEXT, {"a": b"1"}), (rename("a", "n"), b"1", {"a": b"1"})):
        ws, fs = workspace({"a": b"1"})
        land(ws, ask)
        lose(fs, lost)
        succeed(ws.undo())
        assert fs.files() == files


# Any order of anything

NAMES = ["a", "b", "d/a", "d/b", "d/e/a", "x/y/z"]


def change_something(luck: Random, ws: Workspace, fs: MemoryFS, texts: list[bytes]) -> bool:
    """Land a random change of up to three files; returns whether anything landed."""
    tx = ws.transaction()
    there = sorted(fs.files())
    used: set[str] = set()
    for _ in range(luck.randint(1, 3)):
        free = [name for name in NAMES if name not in there and name not in used]
        unused = [name for name in there if name not in used]
        what, text = luck.choice(["create", "write", "delete", "rename"]), luck.choice(texts)
        paths = []
        if what == "create" and free:
            paths = [luck.choice(free)]
            tx.create(paths[0], text, mode=luck.choice([None, 0o755, 0o600]))
        elif what == "write" and unused:
            paths = [luck.choice(unused)]
            tx.write(paths[0], text)
        elif what == "delete" and unused:
            paths = [luck.choice(unused)]
            tx.delete(paths[0])
        elif what == "rename" and unused and free:
            paths = [luck.choice(unused), luck.choice(free)]
            tx.rename(paths[0], paths[1], luck.choice([None, text]))
        used |= set(paths)
    try:
        tx.__exit__(None, None, None)
    except SutureError:
        return False
    return tx.change is not None


@pytest.mark.promise("back.redo")
@pytest.mark.promise("back.everything-returns")
@pytest.mark.parametrize("seed", range(scaled(60)))
def test_any_changes_are_undone_to_the_beginning_and_redone_to_the_end(seed: int) -> None:
    luck = Random(seed)
    texts = [lines(count=luck.randint(0, 5)) + luck.choice([b"", b"end"]) for _ in range(5)]
    ws, fs = workspace({name: luck.choice(texts) for name in luck.sample(NAMES, 2)}, FAST)
    some = range(luck.randint(1, 8))
    stations = [state(fs), *(state(fs) for _ in some if change_something(luck, ws, fs, texts))]
    for _ in range(2):
        for expected in stations[-2::-1]:
            assert not succeed(ws.undo())["merged"]
            assert state(fs) == expected
        assert error_of(ws.undo())["code"] == "NOTHING_TO_UNDO"
        for expected in stations[1:]:
            assert not succeed(ws.redo())["merged"]
            assert state(fs) == expected
        assert error_of(ws.redo())["code"] == "NOTHING_TO_REDO"


def live(luck: Random, ws: Workspace, fs: MemoryFS) -> None:
    """Do something: small edits, changes of any kind, undos, redos, and what others do."""
    there = sorted(fs.files())
    path = luck.choice(there or ["a"])
    rows = fs.files().get(path, b"").split(b"\n")
    rows[luck.randrange(len(rows))] = b"edit %d" % luck.randrange(1000)
    match luck.choice(["edit", "edit", "edit", "change", "change", "undo", "redo", "restore", "external", "chmod"]):
        case "edit":
            land(ws, write(path, b"\n".join(rows)))
        case "change":
            change_something(luck, ws, fs, [lines(luck.randint(1, 12), mark="new", count=12) for _ in range(3)])
        case "undo":
            ws.undo()
        case "redo":
            ws.redo()
        case "restore" if list_changes(ws):
            ws.restore(luck.choice(list_changes(ws))["change_id"])
        case "chmod" if path in there:
            fs.node_of(path).mode = luck.choice([0o600, 0o755])
        case "external":
            fs.put(path, fs.files().get(path, b"") + b"theirs\n")


@pytest.mark.promise("back.middle")
@pytest.mark.promise("back.conflict")
@pytest.mark.parametrize("seed", range(scaled(100)))
def test_an_undo_of_any_change_is_refused_and_changes_nothing_or_is_taken_back_by_redo(seed: int) -> None:
    luck = Random(seed)
    ws, fs = workspace({name: lines(count=12) for name in luck.sample(NAMES, 3)}, FAST)
    for _ in range(luck.randint(2, 9)):
        live(luck, ws, fs)
    landed = [change["change_id"] for change in list_changes(ws) if change["state"] == "landed"]
    if not landed:
        return
    change, before = luck.choice(landed), state(fs)
    trial, result = ws.undo(change, dry_run=True), ws.undo(change)
    if result.is_error:
        code = error_of(result)["code"]
        assert code in {"UNDO_CONFLICT", "NOT_HERE"}
        assert (error_of(trial)["code"], state(fs)) == (code, before)
        return
    assert trial.metadata == {**result.metadata, "change_id": None, "dry_run": True}
    for file in result.metadata["files"]:
        content = fs.files().get(file.get("to", file["path"]))
        assert file["hash"] == (None if content is None else hash_of(content))
    if result.metadata["change_id"] is not None:
        way = luck.choice(["redo", "redo this", "undo the undo"])
        named = {"redo": None, "redo this": change, "undo the undo": result.metadata["change_id"]}[way]
        succeed(ws.undo(named) if way == "undo the undo" else ws.redo(named))
        files = {path: value for path, value in before.items() if not path.endswith("/")}
        assert {path: value for path, value in state(fs).items() if not path.endswith("/")} == files


@pytest.mark.promise("back.middle")
def test_an_edit_of_a_deleted_file_is_not_undone_in_another_that_got_its_name() -> None:
    ws, fs = workspace({"a": lines()})
    edited = land(ws, write("a", lines(5)))
    land(ws, delete("a"))
    land(ws, create("a", lines(5, 9)))
    (conflict,) = error_of(ws.undo(edited))["conflicts"]
    assert (conflict["path"], conflict["about"]) == ("a", "file")
    assert fs.files() == {"a": lines(5, 9)}


@pytest.mark.promise("back.middle")
def test_an_edit_of_a_file_that_was_deleted_and_restored_is_undone() -> None:
    ws, fs = workspace({"a": lines()})
    edited = land(ws, write("a", lines(5)))
    land(ws, delete("a"))
    succeed(ws.restore(edited, ["a"]))
    succeed(ws.undo(edited))
    assert fs.files() == {"a": lines()}
