"""What is checked out, read from repositories written by hand; with real ones in `tests/interop`."""

import os
from pathlib import Path

import pytest

from suture.files.git import head_of
from suture.plan import Head

COMMIT = "0123456789abcdef0123456789abcdef01234567"
LONG = COMMIT[:32] * 2
OTHER = "f" * 40
REFTABLE = "ref: refs/heads/.invalid\n"


@pytest.fixture
def top(tmp_path: Path) -> Path:
    (tmp_path / "top" / ".git").mkdir(parents=True)
    (tmp_path / "top" / "src" / "deep").mkdir(parents=True)
    return tmp_path / "top"


def fill(git: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (git / name).parent.mkdir(parents=True, exist_ok=True)
        (git / name).write_text(text)


ON_MAIN = {"HEAD": "ref: refs/heads/main\n"}
HEADS: dict[str, tuple[dict[str, str], Head]] = {
    "a branch": (ON_MAIN | {"refs/heads/main": f"{COMMIT}\n"}, Head("main", COMMIT)),
    "a branch with a long id": (ON_MAIN | {"refs/heads/main": f"{LONG}\n"}, Head("main", LONG)),
    "a branch in folders": (
        {"HEAD": "ref: refs/heads/feature/é x\n", "refs/heads/feature/é x": COMMIT},
        Head("feature/é x", COMMIT),
    ),
    "no commit yet": (ON_MAIN, Head("main", None)),
    "no spaces": ({"HEAD": "ref:refs/heads/main"}, Head("main", None)),
    "a packed branch": (
        ON_MAIN
        | {"packed-refs": f"# pack-refs with: peeled\n{OTHER} refs/heads/a\n{COMMIT} refs/heads/main\n^{OTHER}\n"},
        Head("main", COMMIT),
    ),
    "the first packed branch": (ON_MAIN | {"packed-refs": f"{COMMIT} refs/heads/main\n"}, Head("main", COMMIT)),
    "a branch that is packed and newer": (
        ON_MAIN | {"packed-refs": f"{OTHER} refs/heads/main\n", "refs/heads/main": f"{COMMIT}\n"},
        Head("main", COMMIT),
    ),
    "others are packed": (
        ON_MAIN | {"packed-refs": f"{OTHER} refs/heads/main2\n{OTHER} refs/remotes/refs/heads/main\n"},
        Head("main", None),
    ),
    "a commit": ({"HEAD": f"{COMMIT}\n"}, Head(None, COMMIT)),
    "a commit with a long id": ({"HEAD": LONG}, Head(None, LONG)),
    "a branch that is no commit": (ON_MAIN | {"refs/heads/main": "ref: refs/heads/other\n"}, Head("main", None)),
    "a packed branch that is no commit": (ON_MAIN | {"packed-refs": "x refs/heads/main\n"}, Head("main", None)),
}


@pytest.mark.parametrize("case", HEADS)
def test_the_branch_and_the_commit_are_read_from_any_folder_of_the_worktree(top: Path, case: str) -> None:
    files, expected = HEADS[case]
    fill(top / ".git", files)
    assert [head_of(str(folder)) for folder in (top, top / "src", top / "src" / "deep")] == [expected] * 3


@pytest.mark.parametrize(
    "written",
    [
        *("", "\n", "junk", "ref:", "ref: \n", "ref: refs/tags/v1\n", "ref: /etc/passwd\n", "ref: main\n", REFTABLE),
        *("ref: refs/heads/../../config\n", "ref: refs/heads/..\n", "ref: refs/heads/a\0b\n", "ref: refs/heads/a\nb\n"),
        *("ref: refs/heads/\x1b[31m\n", COMMIT[:-1], f"{COMMIT}0", COMMIT.upper(), "g" * 40, "x" * 100_000),
    ],
)
def test_a_head_that_git_would_not_write_is_none(top: Path, written: str) -> None:
    fill(top / ".git", {"HEAD": written, "config": f"{COMMIT}\n"})
    assert head_of(str(top)) is None


def test_a_branch_whose_name_is_not_utf8_is_none(top: Path) -> None:
    (top / ".git" / "HEAD").write_bytes(b"ref: refs/heads/\xff\n")
    assert head_of(str(top)) is None


def test_where_there_is_no_repository_or_no_head_there_is_none(tmp_path: Path, top: Path) -> None:
    assert head_of(str(tmp_path)) is None
    assert head_of(str(top)) is None
    (top / ".git" / "HEAD").mkdir()
    assert head_of(str(top)) is None


def test_a_pipe_is_not_waited_for(top: Path) -> None:
    os.mkfifo(top / ".git" / "HEAD")
    assert head_of(str(top)) is None
    (top / ".git" / "HEAD").unlink()
    fill(top / ".git", ON_MAIN)
    (top / ".git" / "refs" / "heads").mkdir(parents=True)
    os.mkfifo(top / ".git" / "refs" / "heads" / "main")
    assert head_of(str(top)) == Head("main", None)


def test_a_large_file_of_packed_branches_is_not_read(top: Path) -> None:
    fill(top / ".git", ON_MAIN | {"packed-refs": f"{COMMIT} refs/heads/main\n"})
    os.truncate(top / ".git" / "packed-refs", 65_000_000)
    assert head_of(str(top)) == Head("main", None)


def test_a_worktree_has_its_own_head_and_the_branches_of_all(top: Path, tmp_path: Path) -> None:
    fill(top / ".git", ON_MAIN | {"refs/heads/main": COMMIT, "refs/heads/feature": OTHER})
    own = {"HEAD": "ref: refs/heads/feature\n", "commondir": "../..\n", "gitdir": f"{tmp_path}/tree/.git\n"}
    fill(top / ".git" / "worktrees" / "tree", own)
    fill(tmp_path / "tree", {".git": f"gitdir: {top}/.git/worktrees/tree\n"})
    assert (head_of(str(top)), head_of(str(tmp_path / "tree"))) == (Head("main", COMMIT), Head("feature", OTHER))


def test_a_submodule_has_the_head_of_its_own_repository(top: Path) -> None:
    fill(top / ".git", ON_MAIN | {"refs/heads/main": COMMIT})
    fill(top / ".git" / "modules" / "sub", {"HEAD": f"{OTHER}\n"})
    fill(top / "sub", {".git": "gitdir: ../.git/modules/sub\n"})
    assert (head_of(str(top / "sub")), head_of(str(top))) == (Head(None, OTHER), Head("main", COMMIT))


@pytest.mark.parametrize("written", ["", "gitdir:", "gitdir: nowhere\n", "gitdir: \0\n", "something else"])
def test_a_file_that_leads_to_no_repository_hides_the_one_above(top: Path, written: str) -> None:
    fill(top / ".git", ON_MAIN)
    fill(top / "sub", {".git": written})
    assert head_of(str(top / "sub")) is None


def test_branches_elsewhere_are_not_read_for_a_folder_that_is_no_worktree_of_theirs(top: Path, tmp_path: Path) -> None:
    fill(tmp_path / "elsewhere", {"refs/heads/main": COMMIT})
    fill(top / ".git", ON_MAIN | {"commondir": "../../elsewhere\n"})
    assert head_of(str(top)) == Head("main", None)
