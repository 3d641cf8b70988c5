"""The tool `file_edit`, the specification's category 5: dry runs."""

import errno
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, Workspace
from suture.testing import FaultyFS, MemoryFS
from tests.unit.changes import hash_of, succeed
from tests.unit.file_edits import ask, edit

BEFORE = b"alpha\nbeta\ngamma\nbeta\n"
EDITS = [edit("gamma", "GAMMA"), edit("beta", "b", 2), edit("alpha\n", "alpha\nmore\n"), edit("GAMMA", "g")]


def test_a_dry_run_on_a_disk_leaves_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(BEFORE)
    before, folder = path.stat(), tmp_path.stat().st_mtime_ns
    succeed(ask(Workspace(tmp_path), "a", *EDITS, dry_run=True))
    after = path.stat()
    assert (after.st_mtime_ns, after.st_ino, path.read_bytes()) == (before.st_mtime_ns, before.st_ino, BEFORE)
    assert ([path.name for path in tmp_path.iterdir()], tmp_path.stat().st_mtime_ns) == (["a"], folder)


def test_a_dry_run_writes_nothing_and_takes_no_lock() -> None:
    fs = FaultyFS(MemoryFS({"a": BEFORE}))
    succeed(ask(Workspace("/ws", fs=fs), "a", *EDITS, dry_run=True))
    assert not {"lock", "create", "write", "rename", "link", "unlink", "open_write", "make_folder"} & set(fs.calls)


def no_read(fs: MemoryFS) -> Workspace:
    return Workspace(fs.root, fs=FaultyFS(fs, fail_at=1, error=errno.EACCES, only={"open_file"}))


def no_write(fs: MemoryFS) -> Workspace:
    fs.node_of("a").mode = 0o444
    return Workspace(fs.root, fs=fs)


def small(fs: MemoryFS) -> Workspace:
    return Workspace(fs.root, Settings(max_file_bytes=5, max_edits=2), fs=fs)


def plain(fs: MemoryFS) -> Workspace:
    return Workspace(fs.root, fs=fs)


@pytest.mark.parametrize(
    ("code", "opened", "arguments"),
    [
        ("NO_MATCH", plain, {"edits": [edit("nowhere", "x")]}),
        ("NO_MATCH", plain, {"edits": [edit("Alpha", "x")]}),
        ("NO_MATCH", plain, {"edits": [edit("alpha", "x"), edit("alpha", "y")]}),
        ("WRONG_COUNT", plain, {"edits": [edit("alpha", "x"), edit("beta", "y")]}),
        ("FILE_NOT_FOUND", plain, {"path": "b", "edits": [edit("x", "y")]}),
        ("BINARY_FILE", plain, {"path": "bin", "edits": [edit("x", "y")]}),
        ("NOT_A_FILE", plain, {"path": "sub", "edits": [edit("x", "y")]}),
        ("PERMISSION_DENIED", no_read, {"edits": [edit("alpha", "x")]}),
        ("PERMISSION_DENIED", no_write, {"edits": [edit("alpha", "x")]}),
        ("INPUT_TOO_LARGE", small, {"edits": [edit("alpha", "x")]}),
        ("INPUT_TOO_LARGE", small, {"edits": [edit("alpha", "x")] * 3}),
        ("PATH_OUTSIDE_WORKSPACE", plain, {"path": "../a", "edits": [edit("alpha", "x")]}),
        ("PROTECTED_PATH", plain, {"path": ".git/config", "edits": [edit("x", "y")]}),
        ("FILE_CHANGED", plain, {"edits": [edit("alpha", "x")], "expect_hash": hash_of(b"")}),
        ("ENCODING_UNKNOWN", plain, {"path": "l1", "edits": [edit("x", "é")]}),
        ("NOT_ENCODABLE", plain, {"path": "l1", "edits": [edit("x", "→")], "encoding": "latin-1"}),
        ("INVALID_ARGUMENTS", plain, {"edits": []}),
        ("INVALID_ARGUMENTS", plain, {"edits": [edit("alpha", "x", 0)]}),
    ],
)
@pytest.mark.promise("edit.dry-run")
def test_returns_same_errors_as_real_run_would(code: str, opened: Any, arguments: dict[str, Any]) -> None:
    answers = []
    for dry_run in (False, True):
        fs = MemoryFS({"a": BEFORE, "bin": b"\0", "sub/c": b"", ".git/config": b"x", "l1": b"x \xe9\n"})
        result = opened(fs).call("file_edit", {"path": "a", **arguments, "dry_run": dry_run})
        assert (result.is_error, result.metadata["error"]["code"]) == (True, code)
        answers.append((result.text, {name: data for name, data in result.metadata.items() if name != "dry_run"}))
    assert answers[0] == answers[1]


@pytest.mark.parametrize("char", ["x", "é", "😀"])
@pytest.mark.parametrize(("more", "ending"), [(3_999, ""), (4_000, "…"), (9_000, "…")])
def test_a_long_line_of_a_preview_is_cut_between_characters(char: str, more: int, ending: str) -> None:
    workspace = Workspace("/ws", fs=MemoryFS({"a": f"🌒{char * more}\n".encode()}))
    (preview,) = succeed(ask(workspace, "a", edit("🌒", "🌓"), dry_run=True))["preview"]
    visible = char * min(more, 3_999) + ending
    assert (preview["before"], preview["after"]) == (f"🌒{visible}", f"🌓{visible}")
