"""The tool `regex_replace_multi`: replacements in many files, as one change or none."""

import json
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, ToolResult, Workspace
from suture.testing import FaultyFS, MemoryFS
from tests.unit.changes import error_of, hash_of, list_changes, sentence_of, succeed, workspace

Item = dict[str, Any]


def ask(ws: Workspace, path_pattern: str, pattern: str, replacement: str, **more: Any) -> ToolResult:
    arguments = {"path_pattern": path_pattern, "pattern": pattern, "replacement": replacement, **more}
    return ws.call("regex_replace_multi", arguments)


def items(result: ToolResult) -> list[Item]:
    assert not result.is_error, result.text
    assert json.loads(result.text) == result.data
    data: list[Item] = result.data
    return data


# The result

TYPES = {
    "src/app.ts": b"1\n2\n3\n4\n5\n6\n\ninterface User {\n  id: string;\n}\n",
    "src/other.ts": b"class Other {}\n",
    "src/types.ts": b"// types\n\ninterface Config {\n  port: number;\n}\n",
}
EXAMPLE = [
    {
        "file": "src/app.ts",
        "line": 8,
        "column": 0,
        "original": "interface User",
        "replacement": "type User",
        "groups": ["interface User", "User"],
        "context_before": [""],
        "context_after": ["  id: string;"],
    },
    {
        "file": "src/types.ts",
        "line": 3,
        "column": 0,
        "original": "interface Config",
        "replacement": "type Config",
        "groups": ["interface Config", "Config"],
        "context_before": [""],
        "context_after": ["  port: number;"],
    },
]


@pytest.mark.promise("regex.shapes")
def test_the_example_of_the_specification_gives_what_it_shows() -> None:
    ws, fs = workspace(TYPES)
    arguments = ("src/**/*.ts", r"interface (\w+)", "type $1")
    dry = ask(ws, *arguments, context_before=1, context_after=1, dry_run=True)
    assert (items(dry), dry.metadata["change_id"]) == (EXAMPLE, None)
    assert (fs.files(), list_changes(ws)) == (TYPES, [])
    real = ask(ws, *arguments, context_before=1, context_after=1)
    assert items(real) == EXAMPLE
    after = {name: content.replace(b"interface ", b"type ") for name, content in TYPES.items()}
    assert fs.files() == after
    (change,) = list_changes(ws)
    assert (change["tool"], [file["path"] for file in change["files"]]) == (
        "regex_replace_multi",
        ["src/app.ts", "src/types.ts"],
    )
    done = f"Made {len(EXAMPLE)} replacements in 2 files (change {change['change_id']})."
    assert real.to_dict() == {
        "isError": False,
        "content": [{"type": "text", "text": real.text}, {"type": "text", "text": done}],
        "metadata": {
            "change_id": change["change_id"],
            "files": [{"path": name, "hash": hash_of(after[name])} for name in ("src/app.ts", "src/types.ts")],
        },
    }


@pytest.mark.parametrize(("pattern", "replacement", "count"), [("nowhere", "x", 0), ("a", "a", 2), ("(a)", "$1", 2)])
def test_a_call_that_changes_nothing_is_no_change(pattern: str, replacement: str, count: int) -> None:
    before = {"1": b"a\n", "2": b"a\n"}
    ws, fs = workspace(before)
    result = ask(ws, "*", pattern, replacement)
    assert (len(items(result)), result.metadata["change_id"]) == (count, None)
    assert (fs.files(), list_changes(ws)) == (before, [])


@pytest.mark.parametrize(
    ("more", "changed"),
    [
        ({}, "a.js src/b.js src/b.min.js"),
        ({"exclude": ["*.min.js"]}, "a.js src/b.js"),
        ({"exclude": ["src/**"]}, "a.js"),
        ({"exclude": '["src/**"]'}, "a.js"),
        ({"include_ignored": True}, "a.js build/c.js src/b.js src/b.min.js"),
        ({"include_ignored": True, "exclude": ["build/**"]}, "a.js src/b.js src/b.min.js"),
        ({"flags": "i"}, "a.js src/b.js src/b.min.js src/d.js"),
        ({"binary_check_buffer_size": 0}, "a.js bin.js src/b.js src/b.min.js"),
        ({"binary_check_buffer_size": -1}, "a.js bin.js src/b.js src/b.min.js"),
        ({"binary_check_buffer_size": 1}, "a.js bin.js src/b.js src/b.min.js"),
        ({"binary_check_buffer_size": None}, "a.js src/b.js src/b.min.js"),
    ],
)
def test_only_the_files_that_are_meant_are_changed(tmp_path: Path, more: dict[str, Any], changed: str) -> None:
    before = {
        ".gitignore": b"build/\n",
        ".hidden.js": b"x\n",
        ".git/e.js": b"x\n",
        "a.js": b"x\n",
        "a.ts": b"x\n",
        "bin.js": b"x\0",
        "build/c.js": b"x\n",
        "src/b.js": b"x\n",
        "src/b.min.js": b"x\n",
        "src/d.js": b"X\n",
    }
    for name, content in before.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    result = ask(Workspace(tmp_path, Settings(durability="fast")), "**/*.js", "x", "y", **more)
    assert [item["file"] for item in items(result)] == changed.split()
    assert [file["path"] for file in result.metadata["files"]] == changed.split()
    after = {name: (tmp_path / name).read_bytes() for name in before}
    assert after == {
        name: content.replace(b"x", b"y").replace(b"X", b"y") if name in changed.split() else content
        for name, content in before.items()
    }


# All or nothing

FILES = {"a": b"x x\n", "b": b"x\nx\n", "c": b"x\n"}


@pytest.mark.promise("regex.one-transaction")
def test_a_file_that_may_not_be_written_lets_none_be_changed() -> None:
    ws, fs = workspace({"src/app.ts": b"x\n", "src/readonly.ts": b"x\n", "src/zoo.ts": b"x\n"})
    fs.node_of("src/readonly.ts").mode = 0o444
    before = fs.files()
    result = ask(ws, "src/*.ts", "x", "y")
    assert error_of(result)["code"] == "PERMISSION_DENIED"
    assert sentence_of(result) == "Permission denied writing: src/readonly.ts"
    assert (fs.files(), list_changes(ws)) == (before, [])


@pytest.mark.promise("regex.one-transaction")
def test_a_file_that_never_stops_changing_lets_none_be_changed() -> None:
    fs = MemoryFS({"src/app.ts": b"x\n", "src/b.ts": b"x\n"})

    def grow(_: int, __: str) -> None:
        fs.put("src/app.ts", fs.files()["src/app.ts"] + b"x\n")

    ws = Workspace(fs.root, fs=FaultyFS(fs, only={"open_file"}, on_call=grow))
    result = ask(ws, "src/*.ts", "x", "y")
    assert (error_of(result)["code"], error_of(result)["retryable"]) == ("FILE_CHANGED", True)
    assert sentence_of(result) == "File modified during operation: src/app.ts (another process changed it)"
    assert b"y" not in fs.files()["src/app.ts"] + fs.files()["src/b.ts"]


# Looking first, taking back


@pytest.mark.promise("regex.dry-run")
@pytest.mark.parametrize("more", [{}, {"flags": "g"}, {"context_before": 1, "context_after": 2}, {"exclude": ["b"]}])
def test_a_dry_run_answers_as_the_real_run_does(more: dict[str, Any]) -> None:
    ws, fs = workspace(FILES)
    dry = ask(ws, "*", "x", "y", **more, dry_run=True)
    assert (fs.files(), list_changes(ws), succeed(dry)["change_id"]) == (FILES, [], None)
    real = ask(ws, "*", "x", "y", **more)
    assert (items(dry), dry.text) == (items(real), real.text)
    assert fs.files() != FILES


@pytest.mark.promise("regex.one-transaction")
def test_one_undo_takes_all_files_back(tmp_path: Path) -> None:
    before = {"a": b"x\r\nx", "sub/b": b"\xef\xbb\xbfx\n", "c": b"\xff x"}
    modes = {"a": 0o755, "sub/b": 0o600, "c": 0o644}
    (tmp_path / "sub").mkdir()
    for name, content in before.items():
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(modes[name])
    ws = Workspace(tmp_path, Settings(durability="fast"))

    def now() -> dict[str, tuple[bytes, int]]:
        return {name: ((tmp_path / name).read_bytes(), (tmp_path / name).stat().st_mode & 0o777) for name in before}

    result = ask(ws, "**", "x", "y")
    assert now() == {name: (content.replace(b"x", b"y"), modes[name]) for name, content in before.items()}
    assert succeed(ws.call("undo", {}))["undone"] == result.metadata["change_id"]
    assert now() == {name: (content, modes[name]) for name, content in before.items()}
