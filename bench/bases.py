"""Earlier versions of a file from git: suture's reader against the git commands that would be needed.

A packed repository with 2,000 files and 10,000 commits. Three of its files: one that changes all the time, one that
changes now and then, and one that hardly ever changes, for which the commits are searched in vain.

git runs as safely as possible: in a separate repository that borrows the objects, so that it reads no configuration.
`again` is a second request for the same file: which commits changed it is cached.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from typing import TYPE_CHECKING

from bench.table import Table, comparison, measure_rounds
from suture import Settings, Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FILES, COMMITS, ROUNDS = 2_000, 10_000, 20
VERSIONS = 20
_WHEN = 1_500_000_000


def tables(folder: Path) -> Iterator[Table]:
    """Times to the first version, and to all versions."""
    if not shutil.which("git"):
        return
    top = folder / "top"
    often, sometimes, hardly = _repository(top)
    private = _create_repository(folder / "private")
    for what, path in (("often", often), ("now and then", sometimes), ("hardly ever", hardly)):
        with (top / path).open("ab") as file:
            file.write(b"# edited\n")
        contestants = {
            "suture, first": _ours(top, path, 1),
            "suture, all": _ours(top, path, VERSIONS + 1),
            "suture, all, again": _again(top, path),
            "git, first": _git(top, private, path, 1),
            "git, all": _git(top, private, path, VERSIONS),
        }
        counts = f"{contestants['suture, all']()} of suture, {contestants['git, all']()} of git"
        title = f"Versions of a file that is changed {what}, of {COMMITS:,} commits ({counts}; {ROUNDS} rounds)"
        yield comparison(title, measure_rounds(contestants, ROUNDS), against=["git, first", "git, all"])


def _ours(top: Path, path: str, most: int) -> Callable[[], object]:
    def run() -> int:
        return _count_versions(Workspace(top, Settings(history=False)), path, most)

    return run


def _again(top: Path, path: str) -> Callable[[], object]:
    workspace = Workspace(top, Settings(history=False))
    return lambda: _count_versions(workspace, path, VERSIONS + 1)


def _count_versions(workspace: Workspace, path: str, most: int) -> int:
    with workspace._engine.session() as session:  # noqa: SLF001  what the tools are handed
        bases = session.bases(session.text(path))
        return sum(1 for _ in zip(range(most), bases, strict=False))


def _git(top: Path, private: dict[str, str], path: str, most: int) -> Callable[[], object]:
    head = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=top, capture_output=True, check=True, text=True
    ).stdout.strip()
    environment = {**private, "GIT_OBJECT_DIRECTORY": str(top / ".git/objects")}

    def run() -> int:
        log = ["git", "log", f"-{most}", "--format=%H", "--raw", "--no-abbrev", head, "--", path]
        log_output = subprocess.run(log, env=environment, capture_output=True, check=True).stdout
        blobs = [line.split()[3] for line in log_output.split(b"\n") if line.startswith(b":")]
        batch = ["git", "cat-file", "--batch"]
        subprocess.run(batch, env=environment, input=b"\n".join(blobs), capture_output=True, check=True)
        return len(blobs)

    return run


def _create_repository(folder: Path) -> dict[str, str]:
    """An empty repository, and the environment that makes git use it."""
    for name in ("refs", "objects"):
        (folder / name).mkdir(parents=True)
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "config").write_text("[core]\n\trepositoryformatversion = 0\n\tbare = true\n")
    variables = {
        "GIT_DIR": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "HOME": str(folder),
    }
    return {"PATH": os.environ.get("PATH", os.defpath), **variables}


def _repository(top: Path) -> tuple[str, str, str]:
    """Create the repository; returns the files that change often, now and then, and hardly ever."""
    rng = random.Random(1)
    files = [f"src/pkg{at // 50}/sub{at // 10 % 5}/mod{at}.py" for at in range(FILES)]
    texts = {path: _lines(rng) for path in files}
    git = ["git", "-c", "user.name=bench", "-c", "user.email=bench@localhost"]
    subprocess.run([*git, "init", "-q", "-b", "main", str(top)], check=True)
    with subprocess.Popen([*git, "fast-import", "--quiet"], cwd=top, stdin=subprocess.PIPE) as importing:
        assert importing.stdin is not None  # noqa: S101  a pipe was asked for
        for number in range(COMMITS):
            changed = {files[_choose_file(rng)] for _ in range(rng.choice([1, 1, 2, 3]))}
            if number == COMMITS // 10:
                changed.add(files[-1])
            head = b"commit refs/heads/main\ncommitter bench <bench@localhost> %d +0000\ndata 1\nx\n"
            importing.stdin.write(head % (_WHEN + number * 600))
            for path in files if not number else changed:
                lines = texts[path]
                if number:
                    lines[rng.randrange(len(lines))] = b"    changed = %d\n" % number
                content = b"".join(lines)
                importing.stdin.write(b"M 100644 inline %b\ndata %d\n%b\n" % (path.encode(), len(content), content))
    subprocess.run([*git, "gc", "-q"], cwd=top, check=True)
    subprocess.run([*git, "reset", "-q", "--hard"], cwd=top, check=True)
    return files[0], files[9], files[-1]


def _choose_file(rng: random.Random) -> int:
    """The number of a file; a few files account for most changes."""
    at = int(rng.paretovariate(0.5)) - 1
    return at if at < FILES - 1 else rng.randrange(FILES - 1)


def _lines(rng: random.Random) -> list[bytes]:
    return [
        b"    value_%05d = compute(%06d)  # an ordinary line\n" % (rng.randrange(99_999), number)
        for number in range(rng.randrange(50, 600))
    ]
