"""git shows nothing of suture's own: at every call of a transaction, after a kill at any, and after stashing."""

from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from suture import Settings, Workspace
from suture.testing import FaultyFS, LocalFS
from tests.faults.commit_scenario import KilledFS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed"),
]
SETTINGS = Settings(durability="fast", lock_timeout_ms=0, history=False)
SAMPLE = 4
ENVIRONMENT = {
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.com",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
OLD = {"a.txt": "old\n", "sub/b.txt": "old\n", "sub/c.txt": "old\n"}


class SlowFS(LocalFS):
    """A system on which no file can be created with its content."""

    def create_whole(self, *_: object) -> None:
        raise OSError(errno.EOPNOTSUPP, os.strerror(errno.EOPNOTSUPP))


def git(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, **ENVIRONMENT}
    result = subprocess.run(
        ["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True, text=True
    )
    return result.stdout + result.stderr


def repository(top: Path) -> Path:
    top.mkdir()
    git(top, "init", "-q")
    for path, content in OLD.items():
        (top / path).parent.mkdir(exist_ok=True)
        (top / path).write_text(content)
    git(top, "add", "-A")
    git(top, "commit", "-qm", "first")
    return top


def worktree(top: Path) -> Path:
    repository(top.parent / "main")
    git(top.parent / "main", "worktree", "add", "-q", str(top))
    return top


def change(root: Path, fs: FaultyFS) -> None:
    """An update, a deletion, a move and a new file, wherever the root is."""
    with Workspace(root, SETTINGS, fs=fs).transaction() as tx:
        tx.write("b.txt", "new\n")
        tx.rename("c.txt", "moved/c.txt")
        tx.create("d.txt", "new\n")


def seen_by_git(top: Path) -> list[str]:
    """What git shows of suture's own."""
    listed = git(top, "status", "--porcelain", "-uall") + git(top, "ls-files", "-o", "--exclude-standard")
    return [line for line in listed.splitlines() if ".suture" in line]


@pytest.mark.slow
@pytest.mark.promise("confine.git-status")
@pytest.mark.parametrize("make", [repository, worktree])
@pytest.mark.parametrize("inner", [LocalFS, SlowFS])
def test_git_shows_nothing_of_ours_at_any_call_of_a_transaction(
    tmp_path: Path, inner: Callable[[], LocalFS], make: Callable[[Path], Path]
) -> None:
    top = make(tmp_path / "ws")
    seen = {}
    existed = []

    def look(number: int, name: str) -> None:
        existed.append((top / "sub/.suture/intent").exists())
        if lines := seen_by_git(top):
            seen[f"{number} {name}"] = lines

    change(top / "sub", FaultyFS(inner(), on_call=look))
    assert seen == {}
    assert any(existed)
    assert not (top / "sub/.suture").exists()


def kill(root: Path, number: int) -> bool:
    """Run the transaction in a process that is killed at a call; False if it came to its end before."""
    child = os.fork()
    if not child:
        with suppress(BaseException):
            change(root, KilledFS(number))
            os._exit(0)
        os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.promise("confine.git-status")
@pytest.mark.parametrize("then", ["status", "add", "stash"])
def test_after_a_kill_git_shows_stages_and_stashes_nothing_of_ours(tmp_path: Path, then: str) -> None:
    top = repository(tmp_path / "first")
    seen: dict[int, object] = {}
    number, left = 1, 0
    while True:
        folder = tmp_path / str(number)
        shutil.copytree(top, folder)
        if not kill(folder / "sub", number):
            break
        left += (folder / "sub/.suture").exists()
        seen[number] = seen_by_git(folder)
        if then == "add":
            git(folder, "add", "-A")
            seen[number] = [seen[number], [name for name in git(folder, "ls-files").split() if ".suture" in name]]
        if then == "stash":
            git(folder, "stash", "-u")
            stashed = git(folder, "stash", "list") and git(folder, "stash", "show", "-u", "--name-only")
            seen[number] = [seen[number], [name for name in stashed.split() if ".suture" in name]]
        Workspace(folder / "sub", SETTINGS).recover()
        files = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*.txt")}
        if then == "stash":
            assert files == OLD, number
        assert not (folder / "sub/.suture").exists()
        number += SAMPLE
    assert {number: names for number, names in seen.items() if names not in ([], [[], []])} == {}
    assert left
