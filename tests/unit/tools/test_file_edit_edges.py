"""The tool `file_edit`, the specification's category 4: text matching, file operations, boundary conditions."""

import errno
import os
import stat
from pathlib import Path

import pytest

from suture import Workspace
from suture.testing import FaultyFS, MemoryFS
from tests.unit.changes import error_of, succeed, workspace
from tests.unit.file_edits import ask, bytes_after, edit, failure, snapshot, wrong

# Text matching


def test_handles_null_bytes_in_text() -> None:
    far = b"x" * 9_000 + b"\nbefore \0 after\n"
    assert bytes_after(far, edit("before \0 after", "no zero")) == b"x" * 9_000 + b"\nno zero\n"
    assert bytes_after(far, edit("after", "\0")) == b"x" * 9_000 + b"\nbefore \0 \0\n"
    assert bytes_after(b"a b\n", edit("a", "a\0")) == b"a\0 b\n"
    assert wrong(failure(b"a b\n", edit("a\0b", "x")))["type"] == "NO_MATCH"


# File operations


def test_handles_permission_denied_errors_of_reading() -> None:
    fs = MemoryFS({"a": b"one\n"})
    state = snapshot(fs)
    for dry in (False, True):
        faulty = FaultyFS(fs, fail_at=1, error=errno.EACCES, only={"open_file"})
        result = ask(Workspace(fs.root, fs=faulty), "a", edit("one", "two"), dry_run=dry)
        assert (wrong(result)["type"], error_of(result)["code"]) == ("PERMISSION_DENIED", "PERMISSION_DENIED")
        assert (result.metadata["path"], error_of(result)["retryable"]) == ("a", False)
        permission = {"type": "CHECK_PERMISSIONS", "suggestion": "Ask the operator for permission to read a"}
        assert result.metadata["suggested_fixes"] == [permission]
        assert "ermission" in result.text
    assert snapshot(fs) == state


@pytest.mark.parametrize("dry", [False, True])
def test_handles_permission_denied_errors_of_writing(*, dry: bool) -> None:
    ws, fs = workspace({"a": b"one\n"})
    fs.node_of("a").mode = 0o444
    state = snapshot(fs)
    result = ask(ws, "a", edit("one", "two"), dry_run=dry)
    assert (wrong(result)["type"], error_of(result)["code"]) == ("PERMISSION_DENIED", "PERMISSION_DENIED")
    assert result.metadata["path"] == "a"
    permission = {"type": "CHECK_PERMISSIONS", "suggestion": "Ask the operator for permission to write a"}
    assert result.metadata["suggested_fixes"] == [permission]
    assert snapshot(fs) == state


def test_handles_symlinks_correctly(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (root / "sub" / "real.txt").write_bytes(b"one\n")
    (root / "link").symlink_to("sub/real.txt")
    (root / "chain").symlink_to(root / "link")
    ws = Workspace(root)
    assert succeed(ask(ws, "link", edit("one", "two")))["path"] == "sub/real.txt"
    data = succeed(ask(ws, "chain", edit("two", "three")))
    assert (data["path"], data["diff"]["unified"].count("sub/real.txt") > 0) == ("sub/real.txt", True)
    assert (root / "sub" / "real.txt").read_bytes() == b"three\n"
    assert (root / "link").is_symlink()
    assert (root / "chain").is_symlink()
    assert ask(ws, "link", edit("nowhere", "x")).metadata["path"] == "sub/real.txt"


@pytest.mark.parametrize("aim", ["../outside.txt", "/etc/hostname", "loop", "../missing"])
def test_symlinks_that_lead_outside_are_refused(tmp_path: Path, aim: str) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside.txt").write_bytes(b"one\n")
    (root / "loop").symlink_to("loop")
    if aim != "loop":
        (root / "link").symlink_to(aim)
    result = ask(Workspace(root), "loop" if aim == "loop" else "link", edit("one", "two"))
    assert error_of(result)["code"] == "PATH_OUTSIDE_WORKSPACE"
    assert (tmp_path / "outside.txt").read_bytes() == b"one\n"


def test_what_is_protected_or_no_file_is_refused() -> None:
    ws, fs = workspace({".git/config": b"one\n", "sub/a": b"one\n"})
    fs.put_special("pipe")
    state = snapshot(fs)
    for path, code in ((".git/config", "PROTECTED_PATH"), ("sub", "NOT_A_FILE"), ("pipe", "NOT_A_FILE")):
        assert error_of(ask(ws, path, edit("one", "two")))["code"] == code
    assert snapshot(fs) == state


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o755, 0o4755])
@pytest.mark.promise("edit.span")
def test_preserves_file_permissions_and_attributes(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "script.sh"
    path.write_bytes(b"#!/bin/sh\necho one\n")
    path.chmod(mode)
    before = path.stat()
    succeed(ask(Workspace(tmp_path), "script.sh", edit("one", "two")))
    after = path.stat()
    assert path.read_bytes() == b"#!/bin/sh\necho two\n"
    assert stat.S_IMODE(after.st_mode) == mode
    assert (after.st_uid, after.st_gid) == (before.st_uid, before.st_gid)
    assert os.listdir(tmp_path) == ["script.sh"]  # noqa: PTH208  names, hidden ones too


def test_extended_attributes_and_hard_links_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"one\n")
    (tmp_path / "b").hardlink_to(path)
    try:
        os.setxattr(path, "user.note", b"mine")
    except (AttributeError, OSError):
        note = None
    else:
        note = b"mine"
    succeed(ask(Workspace(tmp_path), "a", edit("one", "two")))
    assert (path.read_bytes(), (tmp_path / "b").read_bytes(), path.stat().st_nlink) == (b"two\n", b"two\n", 2)
    assert note is None or os.getxattr(path, "user.note") == note


# A file that is not the one the caller knows


def test_a_file_that_changes_during_the_call_is_edited_as_it_then_is() -> None:
    fs = MemoryFS({"a": b"one\n"})

    def write_as_other(number: int, _: str) -> None:
        if number == 1:
            fs.put("a", b"first\none\n")

    ws = Workspace(fs.root, fs=FaultyFS(fs, only={"lock"}, on_call=write_as_other))
    data = succeed(ask(ws, "a", edit("one", "two")))
    assert (fs.files(), data["edits_applied"][0]["line_numbers"]) == ({"a": b"first\ntwo\n"}, [2])


def test_a_file_that_changes_during_the_call_can_make_it_fail() -> None:
    fs = MemoryFS({"a": b"one\n"})

    def write_as_other(number: int, _: str) -> None:
        if number == 1:
            fs.put("a", b"one\none\n")

    ws = Workspace(fs.root, fs=FaultyFS(fs, only={"lock"}, on_call=write_as_other))
    problem = wrong(ask(ws, "a", edit("one", "two")))
    assert (problem["type"], problem["actual_occurrences"], fs.files()) == ("WRONG_COUNT", 2, {"a": b"one\none\n"})


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
def test_a_write_that_fails_leaves_everything_as_it_was(error: int) -> None:
    fs = MemoryFS({"a": b"one\n"})
    ws = Workspace(fs.root, fs=FaultyFS(fs, fail_at=2, error=error, only={"write"}))
    problem = error_of(ask(ws, "a", edit("one", "two")))
    assert (problem["code"], problem["retryable"], fs.files()) == ("WRITE_FAILED", True, {"a": b"one\n"})


@pytest.mark.parametrize(
    "before", [b"\0", b"PK\x03\x04\0\0data one", b"one\n" * 2_000 + b"\0", b"\x89PNG\r\n\x1a\n\0one"]
)
def test_detects_and_rejects_binary_files(before: bytes) -> None:
    result = failure(before, edit("one", "two"))
    problem, error = wrong(result), error_of(result)
    assert (problem["type"], error["code"], result.metadata["path"]) == ("BINARY_FILE", "BINARY_FILE", "a")
    assert "binary" in result.text
