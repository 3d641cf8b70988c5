"""What git has of a file, beside what is read of its folders without it."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from suture import Settings, Workspace
from suture.locate.found import Base

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")

CLEAN = {
    "PATH": os.environ.get("PATH", os.defpath),
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@localhost",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@localhost",
}


def git(folder: Path, *words: str, stdin: bytes = b"", **more: str) -> bytes:
    done = subprocess.run(
        ["git", *words], cwd=folder, input=stdin, env={**CLEAN, **more}, capture_output=True, check=True
    )
    return done.stdout.strip()


class Repo:
    """A repository whose commits are a minute apart."""

    def __init__(self, top: Path, *options: str) -> None:
        self.top = top
        self.minutes = 0
        top.mkdir(parents=True, exist_ok=True)
        git(top, "init", "-q", "-b", "main", *options)

    def commit(self, files: dict[str, bytes | None]) -> str:
        """Commit files; None removes one."""
        for path, content in files.items():
            place = self.top / path
            if content is None:
                place.unlink()
            else:
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
        git(self.top, "add", "-A")
        return self.record()

    def record(self) -> str:
        """Commit what is staged."""
        self.minutes += 1
        date = f"{1_700_000_000 + 60 * self.minutes} +0000"
        git(self.top, "commit", "-q", "--allow-empty", "-m", "x", GIT_AUTHOR_DATE=date, GIT_COMMITTER_DATE=date)
        return git(self.top, "rev-parse", "HEAD").decode()


def bases(root: Path, path: str, **settings: int) -> list[Base]:
    workspace = Workspace(root, Settings(**settings))  # type: ignore[arg-type]  # numbers only
    with workspace._engine.session() as session:
        return list(session.bases(session.text(path)))


def test_versions_come_newest_first_with_the_commit_that_replaced_each(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    one, two = (repo.commit({"src/a.py": content}) for content in (b"1\n", b"2\n"))
    repo.commit({"other": b"x"})
    three = repo.commit({"src/a.py": b"3\n"})
    head = repo.commit({"other": b"y"})
    (tmp_path / "src/a.py").write_bytes(b"staged\n")
    git(tmp_path, "add", "-A")
    (tmp_path / "src/a.py").write_bytes(b"now\n")
    expected = [
        Base(b"staged\n", "index"),
        Base(b"3\n", "head", head),
        Base(b"2\n", "commit", two, three),
        Base(b"1\n", "commit", one, two),
    ]
    assert bases(tmp_path, "src/a.py", base_ms=60_000) == expected
    git(tmp_path, "gc", "-q", "--prune=now")
    assert bases(tmp_path, "src/a.py", base_ms=60_000) == expected
