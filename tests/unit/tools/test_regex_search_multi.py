"""The tool `regex_search_multi`: which files a pattern of paths means, and their matches in one flat list."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, ToolResult, Workspace
from tests.unit.changes import error_of, sentence_of, workspace

Match = dict[str, Any]


def tree(root: Path, files: Mapping[str, bytes | str]) -> Workspace:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return Workspace(root, Settings(durability="fast"))


def ask(ws: Workspace, path_pattern: str, pattern: str = "x", **more: Any) -> ToolResult:
    return ws.call("regex_search_multi", {"path_pattern": path_pattern, "pattern": pattern, **more})


def matches_of(result: ToolResult) -> list[Match]:
    assert not result.is_error, result.text
    assert json.loads(result.text) == result.data
    assert result.metadata == {}
    data: list[Match] = result.data
    return data


def files(ws: Workspace, path_pattern: str, **more: Any) -> list[str]:
    """The files in which a letter is found that all of them hold once."""
    return [match["file"] for match in matches_of(ask(ws, path_pattern, **more))]


def matched_no_file(result: ToolResult) -> bool:
    """Whether no file was matched."""
    return bool(error_of(result)["code"] == "NO_FILES_MATCHED")


# Which files

TREE = {
    "a.js": "x",
    "a.ts": "x",
    "node_modules/m.js": "x",
    "src/app.js": "x",
    "src/app.min.js": "x",
    "src/deep/er/y.js": "x",
    "src/deep/z.js": "x",
    "src/utils.js": "x",
    ".hidden.js": "x",
    ".config/c.js": "x",
    "src/.secret/s.js": "x",
    ".git/hooks/g.js": "x",
}


@pytest.mark.promise("regex.walk")
@pytest.mark.parametrize(
    ("path_pattern", "expected"),
    [
        ("*.js", "a.js"),
        ("a.*", "a.js a.ts"),
        ("src/*.js", "src/app.js src/app.min.js src/utils.js"),
        ("src/**/*.js", "src/app.js src/app.min.js src/deep/er/y.js src/deep/z.js src/utils.js"),
        (
            "**/*.[jt]s",
            "a.js a.ts node_modules/m.js src/app.js src/app.min.js src/deep/er/y.js src/deep/z.js src/utils.js",
        ),
        ("**/*.js", "a.js node_modules/m.js src/app.js src/app.min.js src/deep/er/y.js src/deep/z.js src/utils.js"),
        ("**/z.js", "src/deep/z.js"),
        ("**/deep/**/*.js", "src/deep/er/y.js src/deep/z.js"),
        ("src/**/er/*", "src/deep/er/y.js"),
        ("src/*/*.js", "src/deep/z.js"),
        ("*/*.js", "node_modules/m.js src/app.js src/app.min.js src/utils.js"),
        ("src/???.js", "src/app.js"),
        ("src/[au]*.js", "src/app.js src/app.min.js src/utils.js"),
        ("src/[a-c]*.js", "src/app.js src/app.min.js"),
        ("a.{js,ts}", "a.js a.ts"),
        ("src/{app,utils}.js", "src/app.js src/utils.js"),
        ("{src/deep,node_modules}/*.js", "node_modules/m.js src/deep/z.js"),
        ("src/app.js", "src/app.js"),
        (".*.js", ".hidden.js"),
        (".hidden.js", ".hidden.js"),
        ("**/.hidden.js", ".hidden.js"),
        (".config/*.js", ".config/c.js"),
        ("src/.secret/**", "src/.secret/s.js"),
    ],
)
def test_a_pattern_of_paths_is_read_from_the_root(tmp_path: Path, path_pattern: str, expected: str) -> None:
    assert files(tree(tmp_path, TREE), path_pattern) == expected.split()


@pytest.mark.parametrize(
    "path_pattern",
    ["*.py", "app.js", "src/**/*.xyz", "*/z.js", "src/**/.none", ".git/**", ".git/hooks/g.js", "**/hooks/*", "**/g.js"],
)
def test_a_pattern_that_means_no_file_is_reported(tmp_path: Path, path_pattern: str) -> None:
    result = ask(tree(tmp_path, TREE), path_pattern)
    assert matched_no_file(result)
    assert sentence_of(result) == f"No files matched pattern: {path_pattern}"


@pytest.mark.promise("regex.walk")
@pytest.mark.parametrize(
    ("exclude", "expected"),
    [
        ([], "node_modules/m.js src/app.js src/app.min.js src/deep/er/y.js src/deep/z.js src/utils.js"),
        (["*.min.js"], "node_modules/m.js src/app.js src/deep/er/y.js src/deep/z.js src/utils.js"),
        (["node_modules/**"], "src/app.js src/app.min.js src/deep/er/y.js src/deep/z.js src/utils.js"),
        (["node_modules/**", "*.min.js"], "src/app.js src/deep/er/y.js src/deep/z.js src/utils.js"),
        ('["node_modules/**", "*.min.js"]', "src/app.js src/deep/er/y.js src/deep/z.js src/utils.js"),
        (["y.js"], "node_modules/m.js src/app.js src/app.min.js src/deep/z.js src/utils.js"),
        (["src/*.js"], "node_modules/m.js src/deep/er/y.js src/deep/z.js"),
        (["deep/*.js"], "node_modules/m.js src/app.js src/app.min.js src/deep/er/y.js src/deep/z.js src/utils.js"),
        (["**/deep/*.js"], "node_modules/m.js src/app.js src/app.min.js src/deep/er/y.js src/utils.js"),
        (["src/deep/**"], "node_modules/m.js src/app.js src/app.min.js src/utils.js"),
        (["src/{app,utils}.js", "[my].js"], "src/app.min.js src/deep/z.js"),
        (["*.none"], "node_modules/m.js src/app.js src/app.min.js src/deep/er/y.js src/deep/z.js src/utils.js"),
    ],
)
def test_exclude_takes_names_at_any_depth_and_paths_from_the_root(tmp_path: Path, exclude: Any, expected: str) -> None:
    assert files(tree(tmp_path, TREE), "{node_modules,src}/**/*.js", exclude=exclude) == expected.split()


IGNORING = {
    ".gitignore": "build/\n*.log\n!keep.log\n/top.txt\n# a comment\n\n",
    "a.txt": "x",
    "top.txt": "x",
    "a.log": "x",
    "keep.log": "x",
    "build/b.txt": "x",
    "sub/top.txt": "x",
    "sub/.gitignore": "local.txt\n!a.log\n/deep/only.txt\n",
    "sub/local.txt": "x",
    "sub/a.log": "x",
    "sub/b.log": "x",
    "sub/build/c.txt": "x",
    "sub/deep/local.txt": "x",
    "sub/deep/only.txt": "x",
    "sub/deep/d.txt": "x",
    "other/local.txt": "x",
}


@pytest.mark.promise("regex.walk")
@pytest.mark.parametrize(
    ("path_pattern", "more", "expected"),
    [
        ("**/*.txt", {}, "a.txt other/local.txt sub/deep/d.txt sub/top.txt"),
        ("**/*.txt", {"include_ignored": False}, "a.txt other/local.txt sub/deep/d.txt sub/top.txt"),
        ("**/*.log", {}, "keep.log sub/a.log"),
        ("**/*.log", {"include_ignored": True}, "a.log keep.log sub/a.log sub/b.log"),
        ("*.txt", {"include_ignored": True}, "a.txt top.txt"),
        ("sub/**/*.txt", {}, "sub/deep/d.txt sub/top.txt"),
        (
            "sub/**/*.txt",
            {"include_ignored": True},
            "sub/build/c.txt sub/deep/d.txt sub/deep/local.txt sub/deep/only.txt sub/local.txt sub/top.txt",
        ),
        ("build/*.txt", {}, "build/b.txt"),
        ("build/**/*.txt", {}, "build/b.txt"),
        ("sub/build/*", {}, "sub/build/c.txt"),
        ("**/*.txt", {"include_ignored": True, "exclude": ["sub/**", "build/**"]}, "a.txt other/local.txt top.txt"),
    ],
)
@pytest.mark.parametrize("repository", [False, True])
def test_what_git_ignores_is_left_out_unless_it_is_asked_for(
    tmp_path: Path, path_pattern: str, more: dict[str, Any], expected: str, *, repository: bool
) -> None:
    ws = tree(tmp_path, IGNORING | ({".git/HEAD": "ref: refs/heads/main\n"} if repository else {}))
    assert files(ws, path_pattern, **more) == expected.split()


@pytest.mark.promise("regex.walk")
def test_links_to_folders_are_not_walked_and_nothing_outside_is_read(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.txt").write_bytes(b"x")
    ws = tree(tmp_path / "ws", {"a.txt": "x", "sub/b.txt": "x"})
    (tmp_path / "ws/out").symlink_to(tmp_path / "outside")
    (tmp_path / "ws/again").symlink_to("sub")
    (tmp_path / "ws/loop").symlink_to(".")
    assert files(ws, "**/*.txt") == ["a.txt", "sub/b.txt"]


@pytest.mark.parametrize("path_pattern", ["../*", "../**/*.txt", "sub/../../*"])
def test_a_pattern_does_not_lead_out_of_the_workspace(tmp_path: Path, path_pattern: str) -> None:
    (tmp_path / "secret.txt").write_bytes(b"x")
    result = ask(tree(tmp_path / "ws", {"sub/a.txt": "x"}), path_pattern)
    assert error_of(result)["code"] == "PATH_OUTSIDE_WORKSPACE"


def test_folders_are_no_files(tmp_path: Path) -> None:
    ws = tree(tmp_path, {"a/x.js/inside": "x", "a/y.js": "x"})
    assert files(ws, "a/*.js") == ["a/y.js"]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ({}, ["b.txt", "d.txt"]),
        ({"binary_check_buffer_size": None}, ["b.txt", "d.txt"]),
        ({"binary_check_buffer_size": 0}, ["a.bin", "b.txt", "c.bin", "d.txt"]),
        ({"binary_check_buffer_size": -5}, ["a.bin", "b.txt", "c.bin", "d.txt"]),
        ({"binary_check_buffer_size": 1}, ["a.bin", "b.txt", "d.txt"]),
        ({"binary_check_buffer_size": 2}, ["b.txt", "d.txt"]),
        ({"binary_check_buffer_size": 100_000}, ["b.txt"]),
    ],
)
def test_binary_files_are_skipped_silently(more: dict[str, Any], expected: list[str]) -> None:
    ws, _ = workspace({"a.bin": b"x\0", "b.txt": b"x\n", "c.bin": b"\0x", "d.txt": b"x" + b"\n" * 9000 + b"\0"})
    assert files(ws, "*", **more) == expected
