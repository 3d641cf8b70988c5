"""Undo in real git repositories: stashes, branches, worktrees, submodules, and several sessions in one of them."""

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from suture import Workspace
from suture.files.git import head_of
from suture.plan import Head, SessionInfo
from tests.interop.test_git_bases import CLEAN, LOCAL, Repo, git
from tests.unit.changes import create, delete, error_of, land, lines, list_changes, rename, succeed, write

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
CLAUDE = SessionInfo("claude", "claude-code", "2.0", "stdio")
CODEX = SessionInfo("codex", "codex", "", "stdio")
PERSON = SessionInfo("person", "cli", "", "cli")
FILES = {"a.txt": lines(), "b.txt": lines(2), "sub/c.txt": b"c\n"}


def files_of(top: Path) -> dict[str, bytes]:
    """The files of a worktree."""
    found = (path for path in top.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {str(path.relative_to(top)): path.read_bytes() for path in found}


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    repo = Repo(tmp_path / "top")
    repo.commit(FILES)
    return repo


def workspace(repo: Repo, session: SessionInfo = CLAUDE) -> Workspace:
    return Workspace(repo.top, session=session)


def refused(workspace: Workspace, *words: str, tool: str = "undo") -> dict[str, Any]:
    """The error of an undo or redo that has no effect; neither files nor history have changed."""
    before = files_of(Path(workspace.root)), list_changes(workspace)
    error = error_of(getattr(workspace, tool)(*words))
    assert (files_of(Path(workspace.root)), list_changes(workspace)) == before
    assert error["code"] == "NOT_HERE"
    return {name: error[name] for name in ("change_id", "branch", "now", "operation")}


EDITS = {
    "an update": [write("a.txt", lines(5))],
    "a creation": [create("new/d.txt", "d\n")],
    "a deletion": [delete("b.txt")],
    "a rename": [rename("b.txt", "moved.txt")],
    "a rename and an update": [rename("b.txt", "sub/moved.txt", lines(2, 9))],
    "everything": [write("a.txt", lines(5)), create("d.txt", "d\n"), delete("sub/c.txt"), rename("b.txt", "e.txt")],
}


# Stash and branches


@pytest.mark.promise("back.not-here")
@pytest.mark.parametrize("edit", EDITS)
@pytest.mark.parametrize("given", [False, True])
def test_what_is_stashed_is_not_undone_and_after_pop_it_is(repo: Repo, edit: str, *, given: bool) -> None:
    ws = workspace(repo)
    change = land(ws, *EDITS[edit])
    after = files_of(repo.top)
    git(repo.top, "stash", "-q", "-u")
    assert files_of(repo.top) == FILES
    words = [change] if given else []
    assert refused(ws, *words) == {"change_id": change, "branch": "main", "now": "main", "operation": "undo"}
    assert list_changes(ws)[0]["state"] == "landed"
    git(repo.top, "stash", "pop", "-q")
    assert files_of(repo.top) == after
    assert succeed(ws.undo(*words))["undone"] == change
    assert files_of(repo.top) == FILES
    succeed(ws.redo())
    assert files_of(repo.top) == after


@pytest.mark.promise("back.not-here")
def test_on_another_branch_an_undo_says_where_the_change_was_made(repo: Repo) -> None:
    ws = workspace(repo)
    git(repo.top, "switch", "-q", "-c", "feature")
    change = land(ws, *EDITS["everything"])
    commit = git(repo.top, "rev-parse", "HEAD").decode()
    assert list_changes(ws)[0]["head"] == {"branch": "feature", "commit": commit}
    repo.commit({})
    git(repo.top, "switch", "-q", "main")
    assert refused(ws) == {"change_id": change, "branch": "feature", "now": "main", "operation": "undo"}
    git(repo.top, "switch", "-q", "--detach")
    assert refused(ws) == {"change_id": change, "branch": "feature", "now": None, "operation": "undo"}
    git(repo.top, "switch", "-q", "feature")
    assert succeed(ws.undo())["undone"] == change
    assert files_of(repo.top) == FILES


@pytest.mark.promise("back.not-here")
def test_a_redo_of_what_git_has_brought_back_marks_nothing(repo: Repo) -> None:
    ws = workspace(repo)
    change = land(ws, write("a.txt", lines(5)))
    git(repo.top, "stash", "-q")
    git(repo.top, "stash", "apply", "-q")
    succeed(ws.undo())
    git(repo.top, "checkout", "-q", "stash@{0}", "--", "a.txt")
    assert refused(ws, tool="redo") == {"change_id": change, "branch": "main", "now": "main", "operation": "redo"}
    assert list_changes(ws)[1]["state"] == "undone"
    git(repo.top, "checkout", "-q", "HEAD", "--", "a.txt")
    assert succeed(ws.redo())["redone"] == change


@pytest.mark.promise("back.not-here")
def test_a_change_that_git_reverted_on_this_branch_is_not_undone_again(repo: Repo) -> None:
    ws = workspace(repo)
    land(ws, write("a.txt", lines(5)))
    repo.commit({})
    git(repo.top, "revert", "--no-edit", "HEAD")
    assert refused(ws)["branch"] == "main"
    git(repo.top, "reset", "-q", "--hard", "HEAD~1")
    succeed(ws.undo())
    assert files_of(repo.top) == FILES


def test_a_conflict_on_another_branch_says_where_the_change_was_made(repo: Repo) -> None:
    ws = workspace(repo)
    git(repo.top, "switch", "-q", "-c", "feature")
    change = land(ws, write("a.txt", lines(5)))
    git(repo.top, "stash", "-q")
    git(repo.top, "switch", "-q", "main")
    repo.commit({"a.txt": lines(5, mark="theirs")})
    for result in (ws.undo(), ws.command("undo", {"session": "claude"})):
        error = error_of(result)
        assert error["code"] == "UNDO_CONFLICT"
        assert error["hint"] == f"Nothing was changed. {change} was made on branch feature: undo it there."


# Several sessions


@pytest.mark.promise("back.session")
def test_two_agents_and_a_person_undo_their_own_changes_around_a_stash(repo: Repo) -> None:
    claude, codex, person = (workspace(repo, session) for session in (CLAUDE, CODEX, PERSON))
    first = land(claude, write("a.txt", lines(5)))
    git(repo.top, "stash", "-q")
    second = land(codex, write("a.txt", lines(15)))
    assert succeed(codex.undo())["undone"] == second
    assert refused(claude)["change_id"] == first
    git(repo.top, "stash", "pop", "-q")
    third = land(codex, write("a.txt", lines(5, 15)))
    assert succeed(claude.undo())["undone"] == first
    assert files_of(repo.top)["a.txt"] == lines(15)
    assert succeed(person.undo())["undone"] == third
    assert files_of(repo.top) == FILES


@pytest.mark.promise("back.session")
def test_a_session_over_two_branches_is_undone_where_its_changes_are(repo: Repo) -> None:
    ws, person = workspace(repo), workspace(repo, PERSON)
    git(repo.top, "switch", "-q", "-c", "feature")
    there = land(ws, write("b.txt", lines(2, 9)))
    repo.commit({})
    git(repo.top, "switch", "-q", "main")
    here = [land(ws, write("a.txt", lines(5))), land(ws, rename("sub/c.txt", "c.txt"))]
    data = succeed(person.command("undo", {"session": "claude"}))
    assert ([data["undone"], *data["also_undone"]], data["left"]) == (here[::-1], [there])
    assert files_of(repo.top) == FILES
    git(repo.top, "switch", "-q", "feature")
    assert succeed(person.command("undo", {"session": "claude"}))["undone"] == there
    assert files_of(repo.top) == FILES


# What is checked out


def head_by_git(folder: Path) -> Head:
    def ask(*words: str) -> str | None:
        process = subprocess.run(["git", *words], cwd=folder, env=CLEAN, capture_output=True, check=False)
        return process.stdout.decode().strip() if process.returncode == 0 else None

    return Head(ask("symbolic-ref", "--short", "-q", "HEAD"), ask("rev-parse", "-q", "--verify", "HEAD"))


def test_the_head_is_the_one_that_git_sees(repo: Repo) -> None:
    seen = []

    def check(folder: Path = repo.top) -> None:
        assert head_of(str(folder)) == head_by_git(folder)
        seen.append(head_of(str(folder)))

    check()
    check(repo.top / "sub")
    git(repo.top, "pack-refs", "--all")
    check()
    repo.commit({"a.txt": b"2\n"})
    check()
    git(repo.top, "switch", "-q", "-c", "feature/é-1")
    check()
    git(repo.top, "pack-refs", "--all", "--prune")
    check()
    git(repo.top, "checkout", "-q", "--detach", "HEAD~1")
    check()
    git(repo.top, "switch", "-q", "--orphan", "empty")
    check()
    assert seen[-1] == Head("empty", None)
    git(repo.top, "switch", "-q", "main")
    git(repo.top, "worktree", "add", "-q", str(repo.top.parent / "tree"), "-b", "other")
    check(repo.top.parent / "tree")
    assert seen[-1] is not None
    assert seen[-1].branch == "other"
    git(repo.top, *LOCAL, "submodule", "--quiet", "add", str(repo.top), "module")
    check(repo.top / "module")
    git(repo.top / "module", "switch", "-q", "--detach", "HEAD~1")
    check(repo.top / "module")
    check()


def test_during_a_rebase_no_branch_is_checked_out(repo: Repo) -> None:
    git(repo.top, "switch", "-q", "-c", "feature")
    repo.commit({"a.txt": b"feature\n"})
    git(repo.top, "switch", "-q", "main")
    repo.commit({"a.txt": b"main\n"})
    git(repo.top, "switch", "-q", "feature")
    process = subprocess.run(["git", "rebase", "main"], cwd=repo.top, env=CLEAN, capture_output=True, check=False)
    assert process.returncode != 0
    assert head_of(str(repo.top)) == head_by_git(repo.top) == Head(None, git(repo.top, "rev-parse", "main").decode())


def test_longer_ids_are_known_and_a_reftable_is_not_read(tmp_path: Path) -> None:
    for number, (option, known) in enumerate((("--object-format=sha256", True), ("--ref-format=reftable", False))):
        top = tmp_path / str(number)
        try:
            repo = Repo(top, option)
        except subprocess.CalledProcessError:
            continue  # this git is too old for it
        repo.commit({"a": b"1\n"})
        assert head_of(str(top)) == (head_by_git(top) if known else None)
        change = land(Workspace(top), write("a", "2\n"))
        assert (list_changes(Workspace(top))[0]["head"] is None) == (not known)
        succeed(Workspace(top).undo(change))


@pytest.mark.promise("back.session")
def test_each_worktree_has_its_own_history_and_head(repo: Repo) -> None:
    tree = repo.top.parent / "tree"
    git(repo.top, "worktree", "add", "-q", str(tree), "-b", "other")
    main, other = workspace(repo), Workspace(tree, session=CLAUDE)
    here, there = land(main, write("a.txt", lines(5))), land(other, write("a.txt", lines(15)))
    assert [change["head"]["branch"] for change in list_changes(main) + list_changes(other)] == ["main", "other"]
    assert succeed(main.undo())["undone"] == here
    assert error_of(main.undo())["code"] == "NOTHING_TO_UNDO"
    assert files_of(tree)["a.txt"] == lines(15)
    assert succeed(other.undo())["undone"] == there
