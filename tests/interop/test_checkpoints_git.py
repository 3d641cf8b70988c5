"""Checkpoints and restore in real git repositories: branches, stash, worktrees, submodules, operations in progress."""

import os
import shutil
from pathlib import Path

import pytest

from suture import ToolResult, Workspace
from suture.files.scan import LeftOut
from suture.files.worktree import operation, tracked_files
from tests.interop.test_git_bases import LOCAL, Repo, git
from tests.unit.changes import error_of, list_changes, succeed

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]


@pytest.fixture(autouse=True)
def state_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    result = Repo(tmp_path / "top")
    result.commit({"a": b"1\n", "b": b"1\n", "sub/c": b"1\n", ".gitignore": b"*.log\n/out/\n"})
    return result


def files(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a root, with its mode; a link with its target."""
    found: dict[str, tuple[bytes, int]] = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder, name)
            content = str(path.readlink()).encode() if path.is_symlink() else path.read_bytes()
            found[str(path.relative_to(root))] = content, path.lstat().st_mode & 0o777
    return found


def worktree(root: Path) -> dict[str, tuple[bytes, int]]:
    return {path: file for path, file in files(root).items() if ".git" not in path.split("/")}


def last_summary(ws: Workspace) -> object:
    return list_changes(ws)[0]["summary"]


def test_a_checkout_is_one_change_that_says_from_where_to_where(repo: Repo) -> None:
    ws = Workspace(repo.top)
    first = git(repo.top, "rev-parse", "HEAD").decode()
    succeed(ws.checkpoint("main"))
    before = worktree(repo.top)
    git(repo.top, "checkout", "-q", "-b", "feature")
    second = repo.commit({"a": b"2\n", "new": b"n\n"})
    (repo.top / "b").unlink()
    change = succeed(ws.checkpoint())["change_id"]
    assert last_summary(ws) == (
        f"3 files changed outside suture; HEAD moved from main {first[:7]} to feature {second[:7]}"
    )
    succeed(ws.undo(change))
    assert worktree(repo.top) == before
    assert git(repo.top, "rev-parse", "--abbrev-ref", "HEAD") == b"feature"


def test_a_stash_and_its_return_are_recorded_and_nothing_is_lost(repo: Repo) -> None:
    ws = Workspace(repo.top)
    succeed(ws.checkpoint("clean"))
    change = succeed(ws.edit("a", "1\n", "2\n"))["change_id"]
    git(repo.top, "stash")
    succeed(ws.checkpoint("stashed"))
    git(repo.top, "stash", "pop")
    succeed(ws.checkpoint("popped"))
    assert [entry["tool"] for entry in list_changes(ws)] == ["outside", "outside", "edit"]
    succeed(ws.undo(change))
    assert (repo.top / "a").read_bytes() == b"1\n"


def test_tracked_files_are_kept_although_they_are_ignored(repo: Repo) -> None:
    (repo.top / "out").mkdir()
    for name in ("x.log", "out/y", "z.log"):
        (repo.top / name).write_bytes(b"1\n")
    git(repo.top, "add", "-f", "x.log", "out/y")
    ws = Workspace(repo.top)
    succeed(ws.checkpoint("first"))
    for name in ("x.log", "out/y", "z.log"):
        (repo.top / name).write_bytes(b"2\n")
    assert succeed(ws.checkpoint("second"))["changed"] == 2
    (repo.top / "x.log").unlink()
    succeed(ws.restore("first"))
    assert [(repo.top / name).read_bytes() for name in ("x.log", "out/y", "z.log")] == [b"1\n", b"1\n", b"2\n"]


def test_an_ignored_file_that_is_tracked_now_may_have_been_there_before(repo: Repo) -> None:
    (repo.top / "x.log").write_bytes(b"1\n")
    ws = Workspace(repo.top)
    succeed(ws.checkpoint("first"))
    git(repo.top, "add", "-f", "x.log")
    assert succeed(ws.checkpoint("second"))["change_id"] is None
    (repo.top / "x.log").write_bytes(b"2\n")
    assert succeed(ws.checkpoint("third"))["changed"] == 1
    assert succeed(ws.restore("first"))["deleted"] == []
    assert (repo.top / "x.log").read_bytes() == b"1\n"


def test_line_endings_modes_and_filters_are_as_they_were(repo: Repo) -> None:
    """A stash or a commit would convert them, and run the filter."""
    git(repo.top, "config", "core.autocrlf", "input")
    git(repo.top, "config", "core.fileMode", "false")
    git(repo.top, "config", "filter.evil.clean", f"touch {repo.top}/ran; cat")
    git(repo.top, "config", "filter.evil.smudge", f"touch {repo.top}/ran; cat")
    (repo.top / ".gitattributes").write_bytes(b"* filter=evil\n")
    (repo.top / "a").write_bytes(b"1\r\n2\n3\r")
    (repo.top / "b").chmod(0o700)
    ws = Workspace(repo.top)
    before = worktree(repo.top)
    succeed(ws.checkpoint("first"))
    (repo.top / "a").write_bytes(b"other")
    (repo.top / "b").chmod(0o644)
    (repo.top / "sub/c").unlink()
    succeed(ws.restore("first"))
    assert worktree(repo.top) == before


def test_nested_repositories_and_submodules_are_kept_and_their_git_folders_left(repo: Repo, tmp_path: Path) -> None:
    library = Repo(tmp_path / "library")
    library.commit({"lib": b"1\n", ".gitignore": b"*.tmp\n"})
    git(repo.top, *LOCAL, "submodule", "add", "-q", str(library.top), "module")
    nested = Repo(repo.top / "nested")
    nested.commit({"n": b"1\n"})
    (repo.top / "module/forced.tmp").write_bytes(b"1\n")
    git(repo.top / "module", "add", "-f", "forced.tmp")
    ws = Workspace(repo.top)
    succeed(ws.checkpoint("first"))
    before = worktree(repo.top)
    for name in ("module/lib", "module/forced.tmp", "nested/n"):
        (repo.top / name).write_bytes(b"2\n")
    git(repo.top / "nested", "add", "-A")
    git_files = {path: file for path, file in files(repo.top).items() if ".git" in path.split("/")}
    succeed(ws.restore("first"))
    assert worktree(repo.top) == before
    assert {path: file for path, file in files(repo.top).items() if ".git" in path.split("/")} == git_files


@pytest.mark.promise("back.checkpoints")
def test_the_index_refs_and_the_stash_stay_as_they_are(repo: Repo) -> None:
    ws = Workspace(repo.top)
    (repo.top / "a").write_bytes(b"stashed\n")
    git(repo.top, "stash")
    succeed(ws.checkpoint("first"))
    (repo.top / "a").write_bytes(b"staged\n")
    (repo.top / "new").write_bytes(b"staged\n")
    git(repo.top, "add", "-A")
    before = {path: file for path, file in files(repo.top).items() if path.startswith(".git/")}
    succeed(ws.restore("first", yes=True))
    assert {path: file for path, file in files(repo.top).items() if path.startswith(".git/")} == before
    assert git(repo.top, "show", ":a") == b"staged"


def test_each_worktree_has_checkpoints_of_its_own(repo: Repo, tmp_path: Path) -> None:
    other = tmp_path / "other"
    git(repo.top, "worktree", "add", "-q", "-b", "side", str(other))
    here, there = Workspace(repo.top), Workspace(other)
    succeed(here.checkpoint("first"))
    succeed(there.checkpoint("first"))
    (other / "a").write_bytes(b"2\n")
    assert (succeed(here.checkpoint())["changed"], succeed(there.checkpoint())["changed"]) == (0, 1)
    heads = [point["head"]["branch"] for point in succeed(there.checkpoints())["checkpoints"]]
    assert heads == ["side", "side"]


def known_before(root: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """Take a checkpoint as a version did that knew nothing of what is left out now."""
    with monkeypatch.context() as patch:
        patch.setattr(LeftOut, "enter", lambda *_: True)
        patch.setattr(LeftOut, "has", lambda *_: False)
        succeed(Workspace(root).checkpoint(name))


def test_a_worktree_below_the_root_is_a_root_of_its_own(repo: Repo) -> None:
    ws = Workspace(repo.top)
    git(repo.top, "worktree", "add", "-q", "-b", "side", ".worktrees/w1")
    other = repo.top / ".worktrees/w1"
    succeed(ws.checkpoint("first"))
    (other / "a").write_bytes(b"2\n")
    (other / "new").write_bytes(b"2\n")
    assert succeed(ws.checkpoint("second"))["changed"] == 0
    before = files(other)
    succeed(ws.restore("first", yes=True))
    assert files(other) == before
    assert list_changes(ws) == []


def test_files_of_a_worktree_that_were_known_leave_without_a_change(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    ws = Workspace(repo.top)
    succeed(ws.checkpoint("start"))
    git(repo.top, "worktree", "add", "-q", "-b", "side", "w1")
    known_before(repo.top, monkeypatch, "first")
    (repo.top / "w1/a").write_bytes(b"2\n")
    (repo.top / "w1/b").unlink()
    assert succeed(ws.checkpoint("second"))["changed"] == 0
    before = files(repo.top / "w1")
    result = succeed(ws.restore("start", yes=True))
    assert (result["files"], result["left"]) == ([], ["w1/.gitignore", "w1/a", "w1/b", "w1/sub/c"])
    assert files(repo.top / "w1") == before


def test_edits_in_an_ignored_worktree_do_not_make_it_a_part_of_checkpoints(repo: Repo) -> None:
    (repo.top / ".gitignore").write_bytes(b"/out/\n")
    git(repo.top, "worktree", "add", "-q", "-b", "side", "out/w1")
    ws = Workspace(repo.top)
    succeed(ws.checkpoint("first"))
    succeed(ws.edit("out/w1/a", "1\n", "2\n"))
    (repo.top / "out/w1/a").write_bytes(b"3\n")
    assert succeed(ws.checkpoint("second"))["changed"] == 0
    assert succeed(ws.restore("first"))["left"] == ["out/w1/a"]
    assert (repo.top / "out/w1/a").read_bytes() == b"3\n"


def test_a_submodule_in_a_folder_named_worktrees_is_kept(repo: Repo, tmp_path: Path) -> None:
    library = Repo(tmp_path / "library")
    library.commit({"lib": b"1\n"})
    git(repo.top, *LOCAL, "submodule", "add", "-q", str(library.top), "worktrees/x")
    ws = Workspace(repo.top)
    succeed(ws.checkpoint("first"))
    (repo.top / "worktrees/x/lib").write_bytes(b"2\n")
    succeed(ws.restore("first"))
    assert (repo.top / "worktrees/x/lib").read_bytes() == b"1\n"


@pytest.mark.parametrize("known", ["nothing", "all"])
def test_a_repository_under_another_name_is_left_alone(
    known: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    top = tmp_path / "top"
    top.mkdir()
    git(top, "init", "-q", "-b", "main", f"--separate-git-dir={top}/gitdata")
    git(top, "init", "-q", "--bare", "fixture.git")
    repo = Repo(top)
    repo.commit({"a": b"1\n"})
    ws = Workspace(top)
    if known == "all":
        known_before(top, monkeypatch, "first")
        (top / "fixture.git/description").unlink()
        (top / "gitdata/description").write_bytes(b"new\n")
    else:
        succeed(ws.checkpoint("first"))
    repo.commit({"a": b"2\n"})
    git(top, "push", "-q", "fixture.git", "main")
    change = succeed(ws.checkpoint())["change_id"]
    assert [file["path"] for file in list_changes(ws)[0]["files"]] == ["a"]
    before = {path: file for path, file in files(top).items() if "/" in path}
    succeed(ws.restore("first", yes=True, any_head=True))
    assert {path: file for path, file in files(top).items() if "/" in path} == before
    assert (top / "a").read_bytes() == b"1\n"
    assert change is not None
    assert git(top, "log", "--format=%s").count(b"\n") == 1


def test_what_was_recorded_of_a_repository_is_not_restored(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    known_before(repo.top, monkeypatch, "first")
    git(repo.top, "init", "-q", "--bare", "fixture.git")
    known_before(repo.top, monkeypatch, "second")
    before = files(repo.top / "fixture.git")
    ws = Workspace(repo.top)
    result = succeed(ws.restore("first", yes=True))
    assert (result["files"], "fixture.git/HEAD" in result["left"]) == ([], True)
    assert files(repo.top / "fixture.git") == before


def conflict(repo: Repo) -> None:
    """Two branches that conflict; `main` is checked out."""
    git(repo.top, "checkout", "-q", "-b", "side")
    repo.commit({"a": b"side\n"})
    git(repo.top, "checkout", "-q", "main")
    repo.commit({"a": b"main\n"})


def attempt(repo: Repo, *words: str) -> None:
    with pytest.raises(Exception, match=words[0]):
        git(repo.top, *words)


BUSY = {
    "merge": lambda repo: attempt(repo, "merge", "side"),
    "rebase": lambda repo: attempt(repo, "rebase", "side"),
    "cherry-pick": lambda repo: attempt(repo, "cherry-pick", "side"),
    "revert": lambda repo: attempt(repo, "revert", "HEAD~2"),
}


@pytest.mark.parametrize("name", sorted(BUSY))
def test_nothing_is_restored_in_the_middle_of_an_operation_unless_that_is_wanted(name: str, repo: Repo) -> None:
    conflict(repo)
    if name == "revert":
        repo.commit({"a": b"other\n"})
    ws = Workspace(repo.top)
    (repo.top / "b").write_bytes(b"2\n")
    git(repo.top, "commit", "-q", "-a", "-m", "b")
    succeed(ws.checkpoint("first"))
    BUSY[name](repo)
    before = worktree(repo.top)
    result: ToolResult = ws.restore("first")
    assert (error_of(result)["code"], error_of(result)["operation"]) == ("GIT_BUSY", name)
    assert worktree(repo.top) == before
    succeed(ws.restore("first", during_git=True, any_head=True, yes=True))
    assert (repo.top / "b").read_bytes() == b"2\n"


def test_a_nested_repository_may_be_in_the_middle_of_an_operation_too(repo: Repo) -> None:
    nested = Repo(repo.top / "nested")
    nested.commit({"a": b"1\n", "b": b"1\n"})
    conflict(nested)
    ws = Workspace(repo.top)
    succeed(ws.checkpoint("first"))
    BUSY["merge"](nested)
    (repo.top / "a").write_bytes(b"2\n")
    assert error_of(ws.restore("first"))["code"] == "GIT_BUSY"
    succeed(ws.restore("first", ["a"]))
    assert (repo.top / "a").read_bytes() == b"1\n"


def test_an_operation_in_a_worktree_is_noticed(repo: Repo, tmp_path: Path) -> None:
    conflict(repo)
    other = tmp_path / "other"
    git(repo.top, "worktree", "add", "-q", str(other), "side")
    with pytest.raises(Exception, match="rebase"):
        git(other, "rebase", "main")
    assert (operation(str(other), [str(other)]), operation(str(repo.top), [str(repo.top)])) == ("rebase", None)


def test_nothing_is_restored_if_head_has_moved_unless_that_is_wanted(repo: Repo) -> None:
    ws = Workspace(repo.top)
    first = git(repo.top, "rev-parse", "HEAD").decode()
    succeed(ws.checkpoint("first"))
    second = repo.commit({"a": b"2\n"})
    error = error_of(ws.restore("first"))
    assert (error["code"], error["then"], error["now"]) == ("HEAD_MOVED", f"main {first[:7]}", f"main {second[:7]}")
    git(repo.top, "checkout", "-q", "-b", "same")
    assert error_of(ws.restore("first"))["now"] == f"same {second[:7]}"
    succeed(ws.restore("first", any_head=True))
    assert (repo.top / "a").read_bytes() == b"1\n"
    assert git(repo.top, "rev-parse", "HEAD").decode() == second


@pytest.mark.parametrize("version", ["2", "4"])
def test_the_files_that_git_tracks_are_those_in_its_index(version: str, repo: Repo) -> None:
    repo.commit({f"some/long/folder/name{number}": b"" for number in range(50)})
    (repo.top / "link").symlink_to("a")
    git(repo.top, "add", "link")
    git(repo.top, "update-index", "--index-version", version)
    listed = git(repo.top, "ls-files").decode().split("\n")
    assert tracked_files(str(repo.top), [str(repo.top)]) == [path for path in listed if path != "link"]
    below = [path.removeprefix("sub/") for path in listed if path.startswith("sub/")]
    assert tracked_files(str(repo.top / "sub"), [str(repo.top)]) == below


def test_a_repository_without_an_index_or_with_a_damaged_one_tracks_nothing(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    assert tracked_files(str(tmp_path / "plain"), [str(tmp_path)]) == []
    for damage in (b"", b"DIRC", b"DIRC\0\0\0\2\0\0\0\5" + b"\0" * 30, b"DIRC\0\0\0\4\0\0\0\5" + b"\xff" * 90):
        (repo.top / ".git/index").write_bytes(damage)
        assert tracked_files(str(repo.top), [str(repo.top)]) == []
