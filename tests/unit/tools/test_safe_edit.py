"""The tool `safe_edit`: with real validators and real files, its diffs, and what happens meanwhile.

Most of it is told in `tests/cases/safe_edit`, also what the specification lists; its names are those of the files.
"""

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from suture import Workspace
from suture.testing import FaultyFS, MemoryFS
from tests.unit.changes import git_apply, hash_of, list_changes, succeed, workspace
from tests.unit.file_edits import snapshot
from tests.unit.tools.safe_edits import (
    FIELDS,
    NOTHING,
    SAVED,
    Folder,
    ask,
    code_of,
    codes,
    errors,
    line,
    memory,
    pattern,
    split_text,
    swap,
)

TEXT = b"line 1\nline 2\nline 3\n"
EVERY_WAY: list[dict[str, Any]] = [
    {"content": "line 1\nnew\nline 3\n"},
    {"line_edits": [line(2, 2, "new\n")]},
    {"search_replace": swap("line 2", "new")},
    {"search_replace": pattern(r"\w+ 2", "new")},
]


# With real validators


@pytest.mark.process
@pytest.mark.promise("safe.new-errors")
def test_content_mode_with_validation(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="x = 1\n")
    assert code_of(folder.ask("a.py", content="x = (\n")) == "VALIDATION_FAILED"
    assert folder.read("a.py") == "x = 1\n"
    succeed(folder.ask("a.py", content="x = (1)\n"))
    assert folder.read("a.py") == "x = (1)\n"


@pytest.mark.process
@pytest.mark.promise("safe.modes")
@pytest.mark.promise("safe.new-errors")
def test_strict_rejects_invalid(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="x = 1\n")
    state = folder.state()
    result = folder.ask("a.py", content="x = 1\nprint(y)\n")
    assert code_of(result) == "VALIDATION_FAILED"
    diff, status = split_text(result)
    assert (diff or "").endswith("\n+print(y)")
    assert status.startswith(
        "❌ Edit rejected due to validation errors (Mode: strict):\na.py:2:7 F821 Undefined name `y`"
    )
    assert folder.state() == state
    assert result.data["hash"] == hash_of(b"x = 1\n")
    assert list_changes(folder.ws) == []


@pytest.mark.process
@pytest.mark.promise("safe.modes")
def test_interactive_writes_with_warnings(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="x = 1\n")
    result = folder.ask("a.py", content="print(y)\n", mode="interactive")
    assert split_text(result).status.startswith(
        f"{SAVED}\n⚠️ Saved with validation warnings (Mode: interactive):\na.py:1:7 F821 Undefined name `y`"
    )
    data = succeed(result)
    assert (data["written"], data["validation"]["passed"]) == (True, False)
    assert folder.read("a.py") == "print(y)\n"


@pytest.mark.process
@pytest.mark.promise("safe.new-errors")
def test_line_edit_with_python_validator(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="def one():\n    return 1\n")
    result = folder.ask("a.py", line_edits=[line(2, 2, "    return two\n")])
    assert code_of(result) == "VALIDATION_FAILED"
    (issue,) = result.data["validation"]["new"]
    assert issue == {**issue, "path": "a.py", "line": 2, "column": 12, "severity": "error", "code": "F821"}
    succeed(folder.ask("a.py", line_edits=[line(2, 2, "    return 2\n")]))
    assert folder.read("a.py") == "def one():\n    return 2\n"


@pytest.mark.process
@pytest.mark.promise("safe.new-errors")
def test_search_replace_preserves_validation(tmp_path: Path) -> None:
    folder = Folder(tmp_path, a="one = 1\nprint(one)\n")
    assert code_of(folder.ask("a.py", search_replace=swap("one", "two", count=1))) == "VALIDATION_FAILED"
    result = folder.ask("a.py", search_replace=swap("one", "two"))
    assert split_text(result).status == f"✅ Replaced 2 occurrences of 'one' → 'two'\n{SAVED}"
    assert succeed(result)["validation"] == {**NOTHING, "passed": True}


@pytest.mark.process
@pytest.mark.promise("safe.modes")
def test_all_modes_validated_consistently(tmp_path: Path) -> None:
    ways: list[dict[str, Any]] = [
        {"content": "x = 1\nprint(y)\n"},
        {"line_edits": [line(2, 2, "print(y)")]},
        {"search_replace": swap("(x)", "(y)")},
        {"search_replace": pattern(r"\(x\)", "(y)")},
    ]
    for number, way in enumerate(ways):
        (tmp_path / f"{number}").mkdir()
        folder = Folder(tmp_path / f"{number}", a="x = 1\nprint(x)\n")
        verified = folder.ask("a.py", **way, mode="verify_only")
        rejected = folder.ask("a.py", **way)
        warned = folder.ask("a.py", **way, mode="interactive")
        assert (verified.is_error, rejected.is_error, warned.is_error) == (False, True, False)
        assert split_text(verified).status.endswith("❌ Validation Failed:\na.py:2:7 F821 Undefined name `y`")
        for result in (verified, rejected, warned):
            assert codes(errors(result.data["validation"]["new"])) == [(2, "F821")]
            assert result.data["diff"] == verified.data["diff"]


# Shapes and arguments


@pytest.mark.promise("safe.texts")
def test_a_result_has_exactly_the_specified_shape() -> None:
    ws, _ = memory(a=TEXT)
    result = ask(ws, "a.txt", search_replace=swap("line 2", "new"))
    (change,) = list_changes(ws)
    after = hash_of(b"line 1\nnew\nline 3\n")
    assert result.to_dict() == {
        "isError": False,
        "content": [{"type": "text", "text": result.text}],
        "metadata": {
            "path": "a.txt",
            "mode": "strict",
            "written": True,
            "change_id": change["change_id"],
            "hash": after,
            "replacements": 1,
            "diff": result.data["diff"],
            "validation": {**NOTHING, "passed": False, "markers_only": ["a.txt"]},
        },
    }
    assert change["tool"] == "safe_edit"
    assert set(succeed(ask(ws, "a.txt", content="x", mode="verify_only"))) == FIELDS


def test_the_typed_method_does_what_the_call_does(tmp_path: Path) -> None:
    for number, way in enumerate(EVERY_WAY):
        root = tmp_path / f"{number}"
        root.mkdir()
        ws = Workspace(root)
        (root / "a.txt").write_bytes(TEXT)
        arguments = {**way, "mode": "verify_only", "show_diff": False, "expect_hash": hash_of(TEXT), "validate": "all"}
        assert ws.safe_edit("a.txt", **arguments) == ws.call("safe_edit", {"path": "a.txt", **arguments})
        assert succeed(ws.safe_edit("a.txt", **way))["written"]
        assert (root / "a.txt").read_bytes() == b"line 1\nnew\nline 3\n"


@pytest.mark.process
def test_other_names_and_shapes_of_arguments(tmp_path: Path) -> None:
    folder = Folder(tmp_path, b="x = 1\n")
    arguments = {"file_path": "b.py", "content": "import os\n", "mode": "verify_only", "show_diff": "false"}
    result = folder.ws.call("safe_edit", arguments)
    assert result.text == "✅ Validation Passed\n⚠️ Warnings:\nb.py:1:8 F401 `os` imported but unused (warning)"


@pytest.mark.promise("safe.texts")
@pytest.mark.parametrize("mode", [b"x", 1.5, ["strict"]])
def test_whatever_the_mode_is_the_answer_is_json(mode: object) -> None:
    ws, _ = memory(a=TEXT)
    assert json.dumps(ws.call("safe_edit", {"path": "a.txt", "content": "x", "mode": mode}).to_dict())


# Paths


def test_an_absolute_path_below_the_root_is_reported_relative(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    result = ask(Workspace(tmp_path), str(tmp_path / "sub" / "a.txt"), content="x\n")
    assert succeed(result)["path"] == "sub/a.txt"
    assert "+++ b/sub/a.txt\n" in result.text


@pytest.mark.parametrize("way", EVERY_WAY)
def test_a_link_stays_a_link(tmp_path: Path, way: dict[str, Any]) -> None:
    (tmp_path / "sub").mkdir()
    real, link = tmp_path / "sub" / "real.txt", tmp_path / "link.txt"
    real.write_bytes(TEXT)
    real.chmod(0o750)
    link.symlink_to("sub/real.txt")
    assert succeed(ask(Workspace(tmp_path), "link.txt", **way))["path"] == "sub/real.txt"
    assert (link.is_symlink(), os.readlink(link)) == (True, "sub/real.txt")  # noqa: PTH115  the aim as it is written
    assert real.read_bytes() == b"line 1\nnew\nline 3\n"
    assert real.stat().st_mode & 0o777 == 0o750


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"line_edits": [line(9, 9, "x")]}, "LINE_OUT_OF_BOUNDS"),
        ({"line_edits": [line(1, 1, "x"), line(1, 1, "y")]}, "OVERLAPPING_LINES"),
        ({"line_edits": [line(1, 1, "x", expected_text="y")]}, "DRIFTED"),
        ({"search_replace": swap("nope", "x")}, "PATTERN_NOT_FOUND"),
        ({"search_replace": pattern("(", "x")}, "INVALID_REGEX"),
        ({"content": "x", "expect_hash": hash_of(b"other")}, "FILE_CHANGED"),
    ],
)
def test_an_edit_that_fails_tells_the_hash_of_the_file_as_it_stands(arguments: dict[str, Any], code: str) -> None:
    ws, _ = memory(a=TEXT)
    result = ask(ws, "a.txt", **arguments)
    assert code_of(result) == code
    assert result.data.get("hash", hash_of(TEXT)) == hash_of(TEXT)


# Diffs


@pytest.mark.process
@pytest.mark.promise("safe.texts")
@pytest.mark.parametrize(
    ("before", "arguments", "after"),
    [
        (TEXT, {"line_edits": [line(1, 1, "a\n"), line(3, 3, "c\n")]}, b"a\nline 2\nc\n"),
        (b"a\r\nb\r\nc\r\n", {"line_edits": [line(2, 2, "B\nBB\n")]}, b"a\r\nB\r\nBB\r\nc\r\n"),
        (b"a\nb", {"line_edits": [line(2, 2, "c")]}, b"a\nc"),
        (b"a\nb", {"content": "a\nb\n"}, b"a\nb\n"),
        (b"a\nb\n", {"content": "a\nb"}, b"a\nb"),
        ("a\x0cb\n\x85\nc\n".encode(), {"search_replace": swap("c", "\u2028")}, "a\x0cb\n\x85\n\u2028\n".encode()),
        (b"-- a\n++ b\n", {"search_replace": swap("a", "c")}, b"-- c\n++ b\n"),
        (None, {"content": "new\nfile\n"}, b"new\nfile\n"),
        (b"old\n", {"content": ""}, b""),
    ],
)
def test_the_diff_is_one_that_git_applies(
    tmp_path: Path, before: bytes | None, arguments: dict[str, Any], after: bytes
) -> None:
    files = {} if before is None else {"src/it's ü.txt": before}
    ws, fs = workspace(files)
    diff = succeed(ask(ws, "src/it's ü.txt", **arguments))["diff"]
    assert fs.files() == {"src/it's ü.txt": after}
    assert git_apply(tmp_path, files, diff) == {"src/it's ü.txt": after}


@pytest.mark.promise("safe.texts")
def test_the_diff_is_never_cut() -> None:
    before = "".join(f"{number}\n" for number in range(1500))
    ws, _ = memory(a=before.encode())
    result = ask(ws, "a.txt", content=before.replace("\n", "!\n"))
    assert split_text(result).diff == succeed(result)["diff"].rstrip("\n")
    assert result.text.count("!\n") == 1500


# Files that change or fail meanwhile


def test_a_file_that_changes_during_the_call_is_edited_and_checked_as_it_then_is() -> None:
    fs = MemoryFS({"a.json": b'{"a": 1}\n'})

    def write_as_other(number: int, _: str) -> None:
        if number == 1:
            fs.put("a.json", b'{"b": 2}\n{"a": 1}\n')

    ws = Workspace(fs.root, fs=FaultyFS(fs, only={"lock"}, on_call=write_as_other))
    data = succeed(ask(ws, "a.json", search_replace=swap('"a"', '"c"')))
    after = b'{"b": 2}\n{"c": 1}\n'
    assert (fs.files(), data["hash"]) == ({"a.json": after}, hash_of(after))
    assert (data["validation"]["new"], len(data["validation"]["existing"])) == ([], 1)


def test_a_file_that_changes_during_the_call_is_refused_if_a_hash_is_expected() -> None:
    fs = MemoryFS({"a.txt": TEXT})

    def write_as_other(number: int, _: str) -> None:
        if number == 1:
            fs.put("a.txt", b"0\n" + TEXT)

    ws = Workspace(fs.root, fs=FaultyFS(fs, only={"lock"}, on_call=write_as_other))
    result = ask(ws, "a.txt", line_edits=[line(1, 1, "x")], expect_hash=hash_of(TEXT))
    assert (code_of(result), fs.files()) == ("FILE_CHANGED", {"a.txt": b"0\n" + TEXT})


@pytest.mark.promise("safe.texts")
@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
def test_a_write_that_fails_leaves_everything_as_it_was(error: int) -> None:
    fs = MemoryFS({"a.txt": TEXT})
    ws = Workspace(fs.root, fs=FaultyFS(fs, fail_at=2, error=error, only={"write"}))
    result = ask(ws, "a.txt", content="x\n")
    assert (code_of(result), fs.files()) == ("WRITE_FAILED", {"a.txt": TEXT})
    assert result.text.startswith("❌ Failed to write file: ")
    assert os.strerror(error) in result.text


@pytest.mark.parametrize("part", ["a.json", ""])
def test_what_may_not_be_written_is_checked_all_the_same(part: str) -> None:
    fs = MemoryFS({"a.json": b"{}\n"})
    node = fs.node_of("a.json") if part else fs._at("/ws")
    node.mode = 0o444 if part else 0o555
    ws = Workspace(fs.root, fs=fs)
    state = snapshot(fs)
    broken = ask(ws, "a.json", content="{,}\n", mode="verify_only", show_diff=False)
    assert broken.text.startswith("❌ Validation Failed:\na.json:1:2 invalid-syntax ")
    assert broken.text.endswith("\nwarning: the edit cannot be written: No permission to write a.json.")
    fine = ask(ws, "a.json", content="[]\n", mode="verify_only", show_diff=False)
    assert (fine.data["validation"]["passed"], fine.data["hash"]) == (True, hash_of(b"{}\n"))
    assert fine.data["warnings"] == ["the edit cannot be written: No permission to write a.json."]
    assert succeed(ask(ws, "a.json", content="{}\n", mode="verify_only")).get("warnings") is None  # nothing to write
    for mode in ("strict", "interactive") if part else ():  # in memory, a folder's mode keeps nobody from writing
        result = ask(ws, "a.json", content="[]\n", mode=mode)
        assert (code_of(result), result.text.split("\n")[0]) == (
            "PERMISSION_DENIED",
            "❌ Failed to write file: No permission to write a.json.",
        )
    assert snapshot(fs) == state


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (errno.EACCES, "PERMISSION_DENIED", "No permission to read a.txt."),
        (errno.EIO, "READ_FAILED", f"a.txt could not be read: {os.strerror(errno.EIO)}."),
    ],
)
@pytest.mark.parametrize("mode", ["strict", "verify_only"])
def test_a_file_that_cannot_be_read_is_not_said_to_be_unwritable(error: int, code: str, words: str, mode: str) -> None:
    ws = Workspace("/ws", fs=FaultyFS(MemoryFS({"a.txt": TEXT}), fail_at=1, error=error, only={"open_file"}))
    result = ask(ws, "a.txt", content="x\n", mode=mode)
    assert (code_of(result), result.text.split("\n")[0]) == (code, f"❌ Failed to read file: {words}")


@pytest.mark.parametrize("path", ["a.txt", "a.vue", "a.scss", "README.md"])
def test_nothing_is_said_to_be_valid_if_only_conflict_markers_were_looked_for(path: str) -> None:
    ws, _ = workspace({path: b"one\n"})
    result = ask(ws, path, content="two\n", mode="verify_only", show_diff=False)
    assert result.text == f"⚠️ Only conflict markers were checked in {path}."
    assert result.data["validation"] == {**NOTHING, "passed": False, "markers_only": [path]}
    left = ask(ws, path, content="<<<<<<< ours\n1\n=======\n2\n>>>>>>> theirs\n", mode="verify_only", show_diff=False)
    assert left.text.startswith(f"⚠️ Only conflict markers were checked in {path}.\n❌ Validation Failed:\n")
    saved = ask(ws, path, content="two\n", show_diff=False)
    assert saved.text == "✅ File saved successfully."


def test_a_plugin_or_another_check_counts_as_a_check() -> None:
    ws, _ = workspace({"a.txt": b"[1]\n", "suture.toml": b'[validators.json]\nfiles = ["*.txt"]\n'})
    result = ask(ws, "a.txt", content="[2]\n", mode="verify_only", show_diff=False)
    assert (result.text, result.data["validation"]) == ("✅ Validation Passed", {**NOTHING, "passed": True})


def test_content_that_json_does_not_have_is_refused() -> None:
    endless: list[object] = []
    endless.append(endless)
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    ws, fs = workspace({})
    for content in ({"a": {1}}, endless, deep):
        result = ws.call("safe_edit", {"path": "a.json", "content": content})
        assert code_of(result) in {"INVALID_ARGUMENTS", "INPUT_TOO_LARGE"}
    assert fs.files() == {}
