"""`write`: what case files do not show: modes, links, failures while it lands."""

import pytest

from suture import Workspace
from suture.testing import FaultyFS, MemoryFS
from tests.unit.changes import error_of, workspace


def test_a_folder_that_is_moved_keeps_the_modes_and_comes_back_by_undo() -> None:
    fs = MemoryFS()
    fs.put("src/run", b"#!/bin/sh\n", mode=0o755)
    fs.put("src/deep/er/data", b"\0\xff")
    ws = Workspace(fs.root, fs=fs)
    assert ws.write("src", move_to="lib").text == "Moved src to lib (2 files)"
    assert fs.files() == {"lib/run": b"#!/bin/sh\n", "lib/deep/er/data": b"\0\xff"}
    assert fs.node_of("lib/run").mode == 0o755
    assert not any(folder.startswith("src") for folder in fs.folders())
    assert not ws.undo().is_error
    assert fs.files() == {"src/run": b"#!/bin/sh\n", "src/deep/er/data": b"\0\xff"}
    assert fs.node_of("src/run").mode == 0o755
    assert not any(folder.startswith("lib") for folder in fs.folders())


@pytest.mark.parametrize("way", [{"move_to": "lib"}, {"delete": True}])
def test_a_folder_is_moved_or_deleted_whole_or_not_at_all(way: dict[str, object]) -> None:
    files = {f"src/{number}/file": b"content\n" for number in range(3)}
    for call in range(1, 60):
        fs = MemoryFS(files)
        faulty = FaultyFS(fs, fail_at=call, only={"rename", "unlink", "mkdir"})
        result = Workspace(fs.root, fs=faulty).call("write", {"file_path": "src", **way})
        if not result.is_error:
            break
        Workspace(fs.root, fs=fs).recover()
        assert fs.files() == files, f"call {call}"
    else:
        pytest.fail("it never lands")


@pytest.mark.parametrize("way", [{"move_to": "b"}, {"delete": True}])
def test_a_link_is_neither_moved_nor_deleted(way: dict[str, object]) -> None:
    ws, fs = workspace({"src/a": b"x"})
    fs.put_link("link", "src")
    assert error_of(ws.call("write", {"file_path": "link", **way}))["code"] == "NOT_A_FILE"
    fs.put_link("file", "src/a")
    assert error_of(ws.call("write", {"file_path": "file", **way}))["code"] == "NOT_A_FILE"


def test_writing_through_the_window_keeps_encoding_and_mark() -> None:
    ws, fs = workspace({"a.txt": b"\xef\xbb\xbfone\r\n"})
    result = ws.write("a.txt", "two\n")
    assert fs.files()["a.txt"] == b"\xef\xbb\xbftwo\n"
    assert "warning: the file had CRLF line endings; content has LF, which is kept." in result.text


def test_a_file_is_not_moved_onto_itself() -> None:
    ws, fs = workspace({"src/a": b"x"})
    assert error_of(ws.write("src/a", move_to="src/a"))["code"] == "FILE_EXISTS"
    assert error_of(ws.write("src/a", move_to="src"))["code"] == "FILE_EXISTS"
    assert error_of(ws.write("src", move_to="src"))["code"] in {"FILE_EXISTS", "INVALID_ARGUMENTS"}
    assert fs.files() == {"src/a": b"x"}


def test_a_slash_behind_a_new_name_asks_for_a_folder() -> None:
    ws, fs = workspace({"a": b"x", "src/b": b"y"})
    assert ws.write("a", move_to="new/").text == "Moved a to new/a"
    assert ws.write("src", move_to="other/").text == "Moved src to other (1 file)"
    assert fs.files() == {"new/a": b"x", "other/b": b"y"}
