"""Which folder is the root, by the layout around the current one; git's own answer is compared where it has one."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from suture import Workspace
from suture.files.root import FoundRoot, find_root
from suture.files.state import history_folder
from tests.faults.users import nobody

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder, the user's state in it, and no variables that change the search."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name in ("GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_DIR", "GIT_WORK_TREE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return folder


def make(top: Path, *names: str) -> None:
    """Make files, folders (`a/`), and links (`a -> b`)."""
    for name in names:
        path, _, aim = name.partition(" -> ")
        target = top / path
        if path.endswith("/"):
            target.mkdir(parents=True, exist_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if aim:
            target.symlink_to(aim)
        else:
            target.touch()


def remember(root: Path) -> None:
    """Let suture know a workspace."""
    assert Workspace(root).call("write", {"file_path": "known.txt", "content": "x"}).is_error is False


def git(folder: Path, *words: str) -> str:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_") or "CEILING" in name},
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ALLOW_PROTOCOL": "file",
    }
    identity = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "init.defaultBranch=main"]
    command = ["git", *identity, "-c", "protocol.file.allow=always", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout


LAYOUTS = {
    "a repository, from its top": (["r/.git/"], "r", "r", "git"),
    "a repository, from far below": (["r/.git/", "r/a/b/c/"], "r/a/b/c", "r", "git"),
    "a worktree or submodule, whose .git is a file": (["r/.git/", "r/w/.git", "r/w/a/"], "r/w/a", "r/w", "git"),
    "a nested repository": (["r/.git/", "r/n/.git/", "r/n/a/"], "r/n/a", "r/n", "git"),
    "a .git that is a link to a folder": (["g/", "r/.git -> ../g", "r/a/"], "r/a", "r", "git"),
    "a .git that is a broken link": (["r/.git/", "r/a/.git -> gone"], "r/a", "r", "git"),
    "a jj repository": (["r/.jj/", "r/a/"], "r/a", "r", "jj"),
    "a jj repository that is one of git too": (["r/.jj/", "r/.git/", "r/a/"], "r/a", "r", "git"),
    "a .jj that is a file": (["r/.git/", "r/a/.jj"], "r/a", "r", "git"),
    "jj inside git": (["r/.git/", "r/a/.jj/", "r/a/b/"], "r/a/b", "r/a", "jj"),
    "git inside jj": (["r/.jj/", "r/a/.git", "r/a/b/"], "r/a/b", "r/a", "git"),
    "the inside of .git": (["r/.git/hooks/"], "r/.git/hooks", "r", "git"),
    "nothing": (["r/a/"], "r/a", "r/a", "start"),
    "a bare repository": (["r.git/HEAD", "r.git/objects/", "r.git/hooks/"], "r.git/hooks", "r.git/hooks", "start"),
    "a link to a folder in a repository": (["r/.git/", "r/a/", "l -> r/a"], "l", "r", "git"),
    "home with dotfiles in git, from home": (["home/.git/"], "home", "home", "git"),
    "home with dotfiles in git, from below": (["home/.git/", "home/a/"], "home/a", "home/a", "start"),
    "a repository in home": (["home/.git/", "home/r/.git/", "home/r/a/"], "home/r/a", "home/r", "git"),
    "a repository that contains home": ([".git/", "home/a/"], "home/a", "home/a", "start"),
}


@pytest.mark.promise("cli.root")
@pytest.mark.parametrize(("names", "start", "root", "reason"), LAYOUTS.values(), ids=LAYOUTS)
def test_the_root_of_a_layout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: list[str], start: str, root: str, reason: str
) -> None:
    make(tmp_path, *names)
    expected = FoundRoot(str(tmp_path / root), reason)
    assert find_root(tmp_path / start) == expected
    monkeypatch.chdir(tmp_path / start)
    monkeypatch.setenv("PWD", str(tmp_path / start))  # as a shell sets it, with the links
    assert find_root() == expected


@needs_git
@pytest.mark.process
def test_worktrees_and_submodules_are_their_own_roots(tmp_path: Path) -> None:
    main, part = tmp_path / "main", tmp_path / "part"
    for repository in (main, part):
        repository.mkdir()
        git(repository, "init", "-q")
        make(repository, "src/a.txt")
        git(repository, "add", ".")
        git(repository, "commit", "-qm", "a")
    git(main, "worktree", "add", "-q", "../tree")
    git(main, "worktree", "add", "-q", "inside/other")
    git(main, "submodule", "--quiet", "add", str(part), "sub")
    starts = ["main", "main/src", "tree/src", "main/inside", "main/inside/other/src", "main/sub/src", "part"]
    roots = ["main", "main", "tree", "main", "main/inside/other", "main/sub", "part"]
    assert [find_root(tmp_path / start) for start in starts] == [
        FoundRoot(str(tmp_path / root), "git") for root in roots
    ]
    assert [git(tmp_path / start, "rev-parse", "--show-toplevel").strip() for start in starts] == [
        str(tmp_path / root) for root in roots
    ]


def test_a_workspace_with_a_history_is_a_root(tmp_path: Path) -> None:
    make(tmp_path, "r/.git/", "r/known/a/b/", "r/other/", "plain/a/", "home/a/")
    for known in ("r/known", "plain", "home"):
        remember(tmp_path / known)
    starts = ["r/known", "r/known/a/b", "r/other", "r", "plain/a", "home/a"]
    assert [find_root(tmp_path / start) for start in starts] == [
        FoundRoot(str(tmp_path / root), reason)
        for root, reason in [
            ("r/known", "known"),
            ("r/known", "known"),
            ("r", "git"),
            ("r", "git"),
            ("plain", "known"),
            ("home/a", "start"),
        ]
    ]


def test_a_history_with_the_inode_of_another_folder_does_not_count(tmp_path: Path) -> None:
    make(tmp_path, "r/a/", "s/")
    remember(tmp_path / "r")
    (name,) = [path.name for path in Path(history_folder()).glob("*.db")]
    path, device, inode = name.removesuffix(".db").split("-")
    start, found = tmp_path / "r/a", FoundRoot(str(tmp_path / "r"), "known")
    nothing = FoundRoot(str(start), "start")
    folder = Path(history_folder())
    others = {
        f"{path}-{device}-{inode}-0123456789ab.db": found,  # two containers with the same numbers
        f"{path}-ffff-{inode}.db": found,  # the device of a container changes
        f"{'0' * 20}-{device}-{inode}.db": nothing,
        f"{path}-{inode}-ffff.db": nothing,
        f"{path}-{device}-{inode}.db.damaged-1": nothing,
        f"{path}-{device}-{inode}.db-pending": nothing,
        "x.db": nothing,
    }
    for other, expected in others.items():
        (folder / name).rename(folder / other)
        assert (other, find_root(start)) == (other, expected)
        name = other


def test_a_search_creates_nothing(tmp_path: Path) -> None:
    make(tmp_path, "r/a/")
    find_root(tmp_path / "r/a")
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "home", "r"]


def test_a_folder_for_everybody_is_found_only_as_the_start(tmp_path: Path) -> None:
    make(tmp_path, "r/.git/", "r/tmp/.git/", "r/tmp/a/")
    (tmp_path / "r/tmp").chmod(0o1777)
    assert find_root(tmp_path / "r/tmp/a") == FoundRoot(str(tmp_path / "r"), "git")
    assert find_root(tmp_path / "r/tmp") == FoundRoot(str(tmp_path / "r/tmp"), "git")
    (tmp_path / "r/tmp").chmod(0o777)  # as on a disk without permissions
    assert find_root(tmp_path / "r/tmp/a") == FoundRoot(str(tmp_path / "r/tmp"), "git")


@needs_git
@pytest.mark.process
@pytest.mark.parametrize(
    ("ceilings", "root"),
    [
        ("{top}", "r"),
        ("{top}/r", "r/a/b"),
        ("{top}/r/", "r/a/b"),
        ("{top}/r/a", "r/a/b"),
        ("{top}/r/a/b", "r"),  # the start is no ceiling of its own
        ("/nowhere:{top}/r/a", "r/a/b"),
        ("{top}/link", "r/a/b"),
        (":{top}/link", "r"),
        ("r/a", "r"),
        ("", "r"),
    ],
)
def test_ceilings_end_the_search_as_in_git(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ceilings: str, root: str
) -> None:
    make(tmp_path, "r/a/b/", "link -> r")
    git(tmp_path / "r", "init", "-q")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", ceilings.format(top=tmp_path))
    start = tmp_path / "r/a/b"
    assert find_root(start).path == str(tmp_path / root)
    if root == "r":
        assert git(start, "rev-parse", "--show-toplevel").strip() == str(tmp_path / root)
    else:
        with pytest.raises(subprocess.CalledProcessError):
            git(start, "rev-parse", "--show-toplevel")


def test_the_search_ends_at_the_border_of_a_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "r/.git/", "r/mount/a/")
    stat, inside = os.stat, str(tmp_path / "r/mount")

    def other_device(path: str, **options: object) -> os.stat_result:
        status = stat(path, **options)  # type: ignore[arg-type]  # as it was called
        values = list(status)
        values[2] += str(path).startswith(inside)  # st_dev
        return os.stat_result(values)

    monkeypatch.setattr(os, "stat", other_device)
    start = tmp_path / "r/mount/a"
    assert find_root(start) == FoundRoot(str(start), "start")
    monkeypatch.setenv("GIT_DISCOVERY_ACROSS_FILESYSTEM", "1")
    assert find_root(start) == FoundRoot(str(tmp_path / "r"), "git")


def test_a_marker_of_another_user_is_not_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "r/.git/", "r/a/b/", "r/a/.git/")
    stat, others = os.stat, {str(tmp_path / "r/a/.git")}

    def of_another_user(path: str, **options: object) -> os.stat_result:
        status = stat(path, **options)  # type: ignore[arg-type]  # as it was called
        values = list(status)
        values[4] = 4242 if str(path) in others else os.geteuid()  # st_uid
        return os.stat_result(values)

    monkeypatch.setattr(os, "stat", of_another_user)
    assert find_root(tmp_path / "r/a/b") == FoundRoot(str(tmp_path / "r"), "git")
    others.add(str(tmp_path / "r/a/b"))  # as for root in a container, among the files of a user
    assert find_root(tmp_path / "r/a/b") == FoundRoot(str(tmp_path / "r/a"), "git")


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_WORK_TREE"])
def test_the_folders_of_a_hook_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    make(tmp_path, "r/.git/", "r/a/", "other/.git/")
    monkeypatch.setenv(variable, str(tmp_path / "other"))
    assert find_root(tmp_path / "r/a") == FoundRoot(str(tmp_path / "r"), "git")


@pytest.mark.parametrize("home", ["", "relative", "/"])
def test_a_home_that_is_none_is_no_border(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str) -> None:
    make(tmp_path, "r/.git/", "r/a/")
    monkeypatch.setenv("HOME", home)
    assert find_root(tmp_path / "r/a") == FoundRoot(str(tmp_path / "r"), "git")


@pytest.fixture
def open_folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that every user can reach."""
    for folder in (tmp_path, *tmp_path.parents[:3]):
        folder.chmod(folder.stat().st_mode | 0o055)
    top = tmp_path / "open"
    top.mkdir()
    yield top
    for folder in top.rglob("*"):
        folder.chmod(0o755)


def test_folders_that_may_not_be_read_are_passed(open_folder: Path) -> None:
    make(open_folder, "r/.git/", "r/unlisted/a/", "r/closed/a/")
    (open_folder / "r/unlisted").chmod(0o311)
    with nobody():
        assert find_root(open_folder / "r/unlisted/a") == FoundRoot(str(open_folder / "r"), "git")
    closed = open_folder / "r/closed/a"
    before = Path.cwd()
    os.chdir(closed)
    try:
        closed.parent.chmod(0o000)
        with nobody():
            assert find_root() == FoundRoot(".", "start")
    finally:
        os.chdir(before)
        closed.parent.chmod(0o755)


def test_a_start_that_is_no_folder_is_returned_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "r/.git/", "gone/")
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    assert find_root() == FoundRoot(".", "start")
    missing = str(tmp_path / "r/missing")
    assert find_root(missing) == FoundRoot(missing, "start")
    assert find_root("a\0b") == FoundRoot("a\0b", "start")


def test_the_root_of_the_disk_is_found_only_as_the_start() -> None:
    assert find_root("/").path == "/"


@pytest.mark.process
def test_a_search_imports_nothing_from_the_folders_that_it_looks_at(tmp_path: Path) -> None:
    """A module in a folder on PYTHONPATH, in the root that is to be found, is not run."""
    make(tmp_path, "r/lib/", "r/a/")
    remember(tmp_path / "r")
    planted = "import os; os.write(1, b'planted')"
    for name in ("_sha256", "_sha2", "hashlib", "errno", "pwd", "fcntl", "codecs", "contextlib"):
        (tmp_path / f"r/lib/{name}.py").write_text(planted)
    package = str(Path(find_root.__code__.co_filename).parents[2])
    code = (
        f"import sys; sys.path.insert(0, {package!r}); from suture.files.root import find_root; "
        f"sys.path.insert(0, {str(tmp_path / 'r/lib')!r}); print(find_root().reason)"
    )
    process = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path / "r/a", capture_output=True, text=True, check=True
    )
    assert process.stdout == "known\n"


def test_a_workspace_can_be_opened_at_the_root_that_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path, "r/.git/", "r/a/")
    monkeypatch.chdir(tmp_path / "r/a")
    assert Workspace.find().root == str(tmp_path / "r")
    assert Workspace.find(tmp_path / "home").root == str(tmp_path / "home")
