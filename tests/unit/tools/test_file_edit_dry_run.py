"""The tool `file_edit`, the specification's category 5: dry runs."""

import errno
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, ToolResult, Workspace
from suture.testing import FaultyFS, MemoryFS
from tests.unit.changes import done, hashed, workspace
from tests.unit.file_edits import Edit, ask, edit, seen, wrong

BEFORE = b"alpha\nbeta\ngamma\nbeta\n"
EDITS = [edit("gamma", "GAMMA"), edit("beta", "b", 2), edit("alpha\n", "alpha\nmore\n"), edit("GAMMA", "g")]
AFTER = b"alpha\nmore\nb\ng\nb\n"


def dry(before: bytes, *edits: Edit, **more: Any) -> tuple[ToolResult, dict[str, Any]]:
    ws, _ = workspace({"a": before})
    result = ask(ws, "a", *edits, dry_run=True, **more)
    return result, done(result)


@pytest.mark.promise("edit.dry-run")
def test_does_not_modify_file_in_dry_run() -> None:
    ws, fs = workspace({"a": BEFORE})
    untouched = seen(fs)
    done(ask(ws, "a", *EDITS, dry_run=True))
    assert seen(fs) == untouched


def test_a_dry_run_on_a_disk_leaves_no_trace(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(BEFORE)
    before, folder = path.stat(), tmp_path.stat().st_mtime_ns
    done(ask(Workspace(tmp_path), "a", *EDITS, dry_run=True))
    after = path.stat()
    assert (after.st_mtime_ns, after.st_ino, path.read_bytes()) == (before.st_mtime_ns, before.st_ino, BEFORE)
    assert ([each.name for each in tmp_path.iterdir()], tmp_path.stat().st_mtime_ns) == (["a"], folder)


def test_a_dry_run_writes_nothing_and_takes_no_lock() -> None:
    fs = FaultyFS(MemoryFS({"a": BEFORE}))
    done(ask(Workspace("/ws", fs=fs), "a", *EDITS, dry_run=True))
    assert not {"lock", "create", "write", "rename", "link", "unlink", "open_write", "make_folder"} & set(fs.calls)


@pytest.mark.promise("edit.dry-run")
def test_returns_preview_of_all_changes() -> None:
    _, data = dry(BEFORE, *EDITS[:3])
    assert {each["edit_index"] for each in data["preview"]} == {0, 1, 2}
    assert [each["edit_index"] for each in data["preview"]] == sorted(each["edit_index"] for each in data["preview"])
    assert all(set(each) == {"edit_index", "line_number", "before", "after"} for each in data["preview"])
    for each in data["preview"]:
        sent = EDITS[each["edit_index"]]
        assert sent["old_text"].rstrip("\n") in each["before"]
        assert sent["new_text"].rstrip("\n") in each["after"]
        assert each["before"] != each["after"]


def test_a_preview_has_the_lines_of_its_replacement_only_though_their_neighbors_change_too() -> None:
    _, data = dry(b"a 1\na 2\na 3\n", edit("a", "b", 3))
    assert [(each["before"], each["after"]) for each in data["preview"]] == [
        ("a 1", "b 1"),
        ("a 2", "b 2"),
        ("a 3", "b 3"),
    ]


def test_a_preview_has_the_text_before_and_after() -> None:
    _, data = dry(b"one two\nthree\n", edit("two", "2"))
    (shown,) = data["preview"]
    assert shown in (
        {"edit_index": 0, "line_number": 1, "before": "one two", "after": "one 2"},
        {"edit_index": 0, "line_number": 1, "before": "one two\n", "after": "one 2\n"},
        {"edit_index": 0, "line_number": 1, "before": "two", "after": "2"},
    )


@pytest.mark.parametrize(
    ("edits", "bad", "code"),
    [
        (EDITS, edit("nowhere", "x"), "NO_MATCH"),
        (EDITS, edit("b", "x"), "WRONG_COUNT"),
        (EDITS[:2], edit("beta", "x"), "NO_MATCH"),
    ],
)
def test_validates_all_edits_in_dry_run(edits: list[Edit], bad: Edit, code: str) -> None:
    ws, fs = workspace({"a": BEFORE})
    untouched = seen(fs)
    result = ask(ws, "a", *edits, bad, dry_run=True)
    told = wrong(result)
    assert (told["type"], told["edit_index"]) == (code, len(edits))
    assert seen(fs) == untouched


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
        ("FILE_CHANGED", plain, {"edits": [edit("alpha", "x")], "expect_hash": hashed(b"")}),
        ("ENCODING_UNKNOWN", plain, {"path": "l1", "edits": [edit("x", "é")]}),
        ("NOT_ENCODABLE", plain, {"path": "l1", "edits": [edit("x", "→")], "encoding": "latin-1"}),
        ("INVALID_ARGUMENTS", plain, {"edits": []}),
        ("INVALID_ARGUMENTS", plain, {"edits": [edit("alpha", "x", 0)]}),
    ],
)
@pytest.mark.promise("edit.dry-run")
def test_returns_same_errors_as_real_run_would(code: str, opened: Any, arguments: dict[str, Any]) -> None:
    told = []
    for dry_run in (False, True):
        fs = MemoryFS({"a": BEFORE, "bin": b"\0", "sub/c": b"", ".git/config": b"x", "l1": b"x \xe9\n"})
        result = opened(fs).call("file_edit", {"path": "a", **arguments, "dry_run": dry_run})
        assert (result.is_error, result.metadata["error"]["code"]) == (True, code)
        told.append((result.text, {name: data for name, data in result.metadata.items() if name != "dry_run"}))
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("before", "edits", "numbers"),
    [
        (BEFORE, EDITS, [(0, 3), (1, 2), (1, 4), (2, 1), (3, 3)]),
        (b"a\nb\nc\n", [edit("a", "1\n2\n3"), edit("c", "C")], [(0, 1), (1, 3)]),
        (b"a\nb\nc\n", [edit("a\n", ""), edit("c", "C")], [(0, 1), (1, 3)]),
    ],
)
def test_includes_line_numbers_in_preview(before: bytes, edits: list[Edit], numbers: list[tuple[int, int]]) -> None:
    _, data = dry(before, *edits)
    assert [(each["edit_index"], each["line_number"]) for each in data["preview"]] == numbers


def test_a_dry_run_tells_what_the_call_would_do() -> None:
    ws, fs = workspace({"a": BEFORE})
    trial = done(ask(ws, "a", *EDITS, dry_run=True))
    real = done(ask(ws, "a", *EDITS))
    assert fs.files()["a"] == AFTER
    assert (trial["dry_run"], trial["would_modify"], trial["change_id"]) == (True, True, None)
    for name in ("path", "hash"):
        assert trial[name] == real[name]
    for name in ("diff", "edits_applied", "total_replacements"):
        assert trial.get(name, real[name]) == real[name]
    assert not real.get("dry_run")
    assert real["change_id"] is not None


def test_the_text_of_a_dry_run_says_that_nothing_was_written() -> None:
    result, _ = dry(BEFORE, *EDITS)
    assert "dry run" in result.text.lower()
    real = ask(workspace({"a": BEFORE})[0], "a", *EDITS)
    assert "dry run" not in real.text.lower()


@pytest.mark.parametrize("edits", [[edit("alpha", "alpha")], [edit("alpha", "x"), edit("x", "alpha")]])
def test_a_dry_run_of_what_changes_nothing_would_not_modify(edits: list[Edit]) -> None:
    _, data = dry(BEFORE, *edits)
    assert (data["would_modify"], data["hash"], data["change_id"]) == (False, hashed(BEFORE), None)


def test_a_dry_run_leaves_the_way_free_for_the_call() -> None:
    ws, fs = workspace({"a": BEFORE})
    for _ in range(3):
        done(ask(ws, "a", *EDITS, dry_run=True))
    done(ask(ws, "a", *EDITS))
    assert fs.files()["a"] == AFTER
