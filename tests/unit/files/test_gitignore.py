"""Rules above the root: `.gitignore` files up to the top of the repository, and its own excludes."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from suture import Workspace
from suture.cli import main
from suture.files.fs import Tree
from suture.files.gitignore import rules_above
from suture.files.local_fs import LocalFS
from suture.testing import MemoryFS

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for repositories, beside the home folder."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "top"
    folder.mkdir()
    return folder


def make(top: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        target = top / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if name.endswith("/"):
            target.mkdir(exist_ok=True)
        else:
            target.write_text(content)


def found(root: Path, **arguments: Any) -> list[str]:
    """The files that a walk finds."""
    result = Workspace(root).call("glob", {"pattern": "**/*", **arguments})
    return [] if result.is_error else result.metadata["paths"]


PKG = dict.fromkeys(["pkg/a.log", "pkg/a.py", "pkg/build/a.py", "pkg/sub/a.log", "pkg/sub/a.py"], "x\n")
ALL = ["a.log", "a.py", "build/a.py", "sub/a.log", "sub/a.py"]
LAYOUTS = {
    "no repository": ({".gitignore": "*.log\n"}, "pkg", ALL),
    "a repository": ({".git/": "", ".gitignore": "*.log\n"}, "pkg", ["a.py", "build/a.py", "sub/a.py"]),
    "a jj repository": ({".jj/": "", ".gitignore": "*.log\n"}, "pkg", ["a.py", "build/a.py", "sub/a.py"]),
    "a rule with a path": ({".git/": "", ".gitignore": "/pkg/build/\nbuild/x\n/sub\n"}, "pkg", [*ALL[:2], *ALL[3:]]),
    "a rule with a path, two levels up": ({".git/": "", ".gitignore": "pkg/sub/a.py\n"}, "pkg/sub", ["a.log"]),
    "a rule with stars": ({".git/": "", ".gitignore": "pkg/**/*.log\n"}, "pkg", ["a.py", "build/a.py", "sub/a.py"]),
    "a nearer rule decides": (
        {".git/": "", ".gitignore": "*.log\n", "pkg/.gitignore": "!a.log\n", "pkg/sub/.gitignore": "*.log\n"},
        "pkg",
        ["a.log", "a.py", "build/a.py", "sub/a.py"],
    ),
    "a nearer rule above the root decides": (
        {".git/": "", ".gitignore": "*.log\n*.py\n", "pkg/.gitignore": "!*.log\n"},
        "pkg/sub",
        ["a.log"],
    ),
    "the repository's own excludes": ({".git/info/exclude": "# c\n/pkg/sub\n*.log\n"}, "pkg", ["a.py", "build/a.py"]),
    "the own excludes of a root that is the top": ({"pkg/.git/info/exclude": "/sub\n"}, "pkg", ALL[:3]),
    "own excludes are weaker": (
        {".git/info/exclude": "*.log\n", ".gitignore": "!*.log\n"},
        "pkg",
        ALL,
    ),
    "a nested repository": (
        {".git/": "", ".gitignore": "*.log\n", "pkg/.git/": "", "pkg/.gitignore": "build/\n"},
        "pkg/sub",
        ["a.log", "a.py"],
    ),
    "a root that is ignored": ({".git/": "", ".gitignore": "pkg/\n*.log\n"}, "pkg", ["a.py", "build/a.py", "sub/a.py"]),
    "a root below one that is ignored": ({".git/": "", ".gitignore": "/pkg\n"}, "pkg/sub", ["a.log", "a.py"]),
    "a root whose content is ignored": (
        {".git/": "", ".gitignore": "pkg/*\n!pkg/sub\n"},
        "pkg",
        ["sub/a.log", "sub/a.py"],
    ),
    "dotfiles in the home folder": (
        {"../home/.git/": "", "../home/.gitignore": "*\n", "../home/p/a.py": ""},
        "../home/p",
        ["a.py"],
    ),
}


@pytest.mark.parametrize(("files", "root", "expected"), LAYOUTS.values(), ids=LAYOUTS)
def test_the_rules_above_a_root(top: Path, files: dict[str, str], root: str, expected: list[str]) -> None:
    make(top, PKG | files)
    assert found(top / root) == expected
    (top / "link").symlink_to(root)
    assert found(top / "link") == expected


@needs_git
@pytest.mark.process
def test_worktrees_and_submodules_have_their_own_rules(top: Path) -> None:
    main_tree, part = top / "main", top / "part"

    def git(folder: Path, *words: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"]
        environment = {"PATH": os.environ["PATH"], "HOME": str(top), "GIT_CONFIG_NOSYSTEM": "1"}
        return subprocess.run(
            ["git", *identity, *words], cwd=folder, env=environment, capture_output=True, text=True, check=True
        ).stdout

    for repository in (main_tree, part):
        repository.mkdir()
        git(repository, "init", "-q")
        make(repository, {"src/a.txt": "x", ".gitignore": "*.log\n"})
        git(repository, "add", ".")
        git(repository, "commit", "-qm", "a")
    git(main_tree, "worktree", "add", "-q", "../tree")
    git(main_tree, "submodule", "--quiet", "add", str(part), "sub")
    (main_tree / ".git/info/exclude").write_text("*.tmp\n")
    (main_tree / ".git/modules/sub/info").mkdir(exist_ok=True)
    (main_tree / ".git/modules/sub/info/exclude").write_text("*.bak\n")
    for root in ("main/src", "tree/src", "main/sub/src"):
        make(top / root, dict.fromkeys(["b.bak", "b.log", "b.tmp", "b.txt"], "x"))
        expected = git(top / root, "ls-files", "-co", "--exclude-standard").split()
        assert found(top / root) == sorted(expected)
    assert found(top / "tree/src") == ["a.txt", "b.bak", "b.txt"]


def test_a_git_file_that_leads_to_another_repository_brings_no_excludes(top: Path) -> None:
    make(top, PKG | {"other/.git/info/exclude": "*\n", ".git": f"gitdir: {top}/other/.git\n"})
    assert found(top / "pkg") == ALL


def test_ignored_files_can_be_included(top: Path) -> None:
    make(top, PKG | {".git/": "", ".gitignore": "*.log\n"})
    assert found(top / "pkg", include_ignored=True) == ALL


def test_every_tool_that_walks_or_lists_follows_the_rules_above(
    top: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    make(top, PKG | {".git/": "", ".gitignore": "*.log\n/pkg/build/\n"})
    workspace = Workspace(top / "pkg")
    assert workspace.call("read", {"file_path": "."}).answer.splitlines()[:-1] == ["a.py", "sub/"]
    assert workspace.call("grep", {"pattern": "x"}).text.split("\n\n")[0] == "a.py\nsub/a.py"
    view = workspace.call("str_replace_based_edit_tool", {"command": "view", "path": "."})
    assert [line for line in view.text.splitlines() if "a." in line] == ["a.py", "sub/a.py"]
    many = workspace.call("regex_replace_multi", {"path_pattern": "**", "pattern": "x", "replacement": "y"})
    assert [file["path"] for file in many.metadata["files"]] == ["a.py", "sub/a.py"]
    monkeypatch.chdir(top)
    assert main(["search", "y", "-l", "--root", "pkg"]) == 0
    assert capfd.readouterr().out == "a.py\nsub/a.py\n"
    assert workspace.call("file_read", {"path": "a.log"}).is_error is False  # a file that is named is read


def test_rules_that_cannot_be_read_count_as_none_and_too_many_are_refused(top: Path) -> None:
    make(top, PKG | {".git/info/": "", "rules": "*.log\n"})
    (top / ".gitignore").symlink_to("rules")
    os.mkfifo(top / ".git/info/exclude")
    assert found(top / "pkg") == ALL
    (top / ".gitignore").unlink()
    (top / ".gitignore").mkdir()
    assert found(top / "pkg") == ALL
    (top / ".gitignore").rmdir()
    (top / ".gitignore").write_text("x" * (1 << 20) + "\n")
    workspace = Workspace(top / "pkg")
    error = workspace.call("glob", {"pattern": "**/*"}).metadata["error"]
    assert (error["code"], error["what"]) == ("INPUT_TOO_LARGE", f"{top}/.gitignore")
    assert workspace.call("read", {"file_path": "."}).answer.splitlines() == ["a.log", "a.py", "build/", "sub/"]


def test_a_folder_that_may_not_be_opened_has_no_rules(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(top, PKG | {".git/": "", ".gitignore": "*.log\n"})
    open_root = LocalFS.open_root

    def refuse(self: LocalFS, path: str) -> int:
        if path == str(top):
            raise PermissionError(13, "refused", path)
        return open_root(self, path)

    monkeypatch.setattr(LocalFS, "open_root", refuse)
    assert found(top / "pkg") == ALL


def test_nothing_is_above_a_root_in_memory_or_one_that_is_gone(top: Path) -> None:
    fs = MemoryFS()
    assert rules_above(Tree(fs, fs.root)) == ()
    assert rules_above(Tree(LocalFS(), str(top / "gone"))) == ()
