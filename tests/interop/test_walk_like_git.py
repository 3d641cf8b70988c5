"""The walk compared with `git ls-files` and `rg --files`, on hundreds of trees.

git is the authority on `.gitignore`: whatever is in one, the walk must find what git finds. ripgrep reads them
slightly differently: it knows no `[:classes:]`, trims tabs, refuses what git reads as literal, and takes `a**` and
`?` with bytes beyond ASCII in its own way. So it gets rules on which all three agree.
"""

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path
from random import Random

import pytest

from suture.files.fs import Tree
from suture.files.glob import Selection
from suture.files.local_fs import LocalFS
from suture.files.protected import Guard
from suture.files.walk import walk
from tests.scale import scaled

RG = shutil.which("rg", path=sysconfig.get_path("scripts")) or shutil.which("rg")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
needs_rg = pytest.mark.skipif(RG is None, reason="ripgrep is not installed")

NAMES = [
    "sp ",
    "two words",
    "b*c",
    "sp\\",
    *"a b ab ba abc foo foobar bar.py x.log .hid é ü.py a[b] #h !n a-b Z z1 9".split(),
]
WILD = "* ** *.py *.log ? ?? a* *b *a*b* f*o ?* [ab] [!a]* [^a]* [a-c]b [!a-f]*".split()
STRANGE = (
    "*** foo** **bar []a]b [a- [[:alpha:]]* [[:digit:][:lower:]]* [z-a] [\\]a]b [é] ?.py [[:foo:]] [a/b] [+-9]* [!]a]* "
    "a[[]b] [[:space:]]* *[[:space:]] [[:punct:]]* [[:x]* [a-[:digit:]]* [[:]* [!-/]* \\a \\* a\\[b] b\\*c \\#h \\!n "
    "#h !n foo\\ a\\b"
).split()
TREES = scaled(70)
DEPTH = 6
EVERYTHING = Selection.parse("{*,.*}" + "{,/{*,.*}" * (DEPTH - 1) + "}" * (DEPTH - 1))
"""Every file, hidden or not."""
SHOWN = Selection.parse("**")


def rule(rng: Random, *, strange: bool) -> str:
    plain = [name for name in NAMES if name.isascii() and name.isalnum()]
    kinds = [plain, NAMES, WILD, STRANGE] if strange else [plain, plain, WILD]
    text = "/".join(rng.choice(rng.choice(kinds)) for _ in range(rng.choice([1, 1, 1, 2, 2, 3])))
    for chance, left, right in ((5, "/", ""), (10, "**/", ""), (10, "", "/**"), (4, "", "/"), (4, "!", "")):
        if rng.randrange(chance) == 0:
            text = left + text + right
    if strange and rng.randrange(10) == 0:
        text = text.replace("/", rng.choice(["\\/", "//"]))
    if strange and rng.randrange(8) == 0:
        text += rng.choice([" ", "  ", "\\ ", "\\  ", "\t", "\r"])
    return text


def rules(rng: Random, *, strange: bool) -> bytes:
    lines = [rule(rng, strange=strange) for _ in range(rng.randint(1, 6))]
    if rng.randrange(5) == 0:
        lines.insert(0, rng.choice(["*", "/*", "**", "*/"]))
    if strange and rng.randrange(8) == 0:
        lines.insert(rng.randint(0, len(lines)), rng.choice(["# c", "", "  ", "!", "/", "//", "\\", "x\0y"]))
    data = rng.choice(["\n", "\n", "\r\n"]).join(lines).encode() + rng.choice([b"", b"\n"])
    return b"\xef\xbb\xbf" + data if rng.randrange(20) == 0 else data


def plant(rng: Random, top: Path, *, strange: bool) -> None:
    """Make a tree of folders, files, links and `.gitignore` files."""
    folders = [top]
    top.mkdir(parents=True)
    source_file = top.parent / "one"  # the files are its names: ten times as fast as new ones
    source_file.touch()
    for _ in range(rng.randint(3, 12)):
        folder = rng.choice(folders) / rng.choice(NAMES)
        if len(folder.relative_to(top).parts) < DEPTH - 1 and not folder.exists():
            folder.mkdir()
            folders.append(folder)
    for _ in range(rng.randint(10, 40)):
        path = rng.choice(folders) / rng.choice(NAMES)
        if not os.path.lexists(path):
            if rng.randrange(20) == 0:
                path.symlink_to(rng.choice([".", "..", "/", "a"]))
            else:
                path.hardlink_to(source_file)
    if rng.randrange(5) == 0:
        Path(os.fsdecode(os.fsencode(rng.choice(folders)) + b"/\xff\xfe.py")).touch()
    for folder in folders:
        if folder == top or rng.randrange(3) == 0:
            (folder / ".gitignore").write_bytes(rules(rng, strange=strange))


def ours(top: Path, selection: Selection = EVERYTHING) -> list[str]:
    with Tree(LocalFS(), str(top)) as tree:
        runs = walk(tree, selection, Guard(allow=["*"]))
        paths = [prefix + name for _, prefix, names in runs for name in names]
    assert paths == sorted(paths)
    return paths


def list_files(top: Path, command: list[str], environment: dict[str, str]) -> list[str]:
    """The files that a program lists, without the links that git counts as files."""
    process = subprocess.run(command, cwd=top, env=environment, capture_output=True, check=False)
    assert process.returncode <= (command[0] == RG and not process.stdout), process.stderr
    names = [os.fsdecode(name) for name in process.stdout.split(b"\0") if name]
    return sorted(name for name in names if not Path(top, name).is_symlink())


def git(top: Path) -> list[str]:
    """What git would add if this were a repository; the repository's folder is beside it."""
    folder = top.with_name(top.name + ".git")
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_DIR": str(folder),
        "GIT_WORK_TREE": str(top),
    }
    subprocess.run(["git", "init", "-q"], cwd=top, env=environment, check=True)
    return list_files(top, ["git", "ls-files", "-co", "--exclude-standard", "-z"], environment)


def rg(top: Path, *options: str) -> list[str]:
    fixed = "--no-ignore-global --no-ignore-exclude --no-ignore-parent --no-require-git --no-ignore-dot"
    command = [str(RG), "--no-config", "--files", "-0", *fixed.split(), *options]
    return list_files(top, command, {"PATH": os.environ["PATH"]})


def below(names: list[str], folder: str) -> list[str]:
    return [name.removeprefix(f"{folder}/") for name in names if name.startswith(f"{folder}/")]


@needs_git
@pytest.mark.parametrize("seed", range(3))
def test_the_walk_finds_what_git_finds(tmp_path: Path, seed: int) -> None:
    top = tmp_path / "trees"
    for number in range(TREES):
        plant(Random(1000 * seed + number), top / f"t{number}", strange=True)
    expected = git(top)
    for number in range(TREES):
        name = f"t{number}"
        assert (name, ours(top / name)) == (name, below(expected, name))


@needs_rg
def test_the_walk_finds_what_ripgrep_finds(tmp_path: Path) -> None:
    top = tmp_path / "trees"
    for number in range(TREES):
        plant(Random(number), top / f"t{number}", strange=False)
    expected = rg(top, "--hidden")
    for number in range(TREES):
        name = f"t{number}"
        paths = below(expected, name)
        assert (name, ours(top / name)) == (name, paths)
        shown = [path for path in paths if "/." not in f"/{path}"]
        assert (name, ours(top / name, SHOWN)) == (name, shown)


@needs_rg
def test_linked_folders_and_loops_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c").touch()
    (tmp_path / "a" / "loop").symlink_to("..")
    (tmp_path / "a" / "self").symlink_to("self")
    (tmp_path / "a" / "b" / "up").symlink_to(tmp_path)
    (tmp_path / "d").symlink_to("a")
    (tmp_path / "e").symlink_to("a/b/c")
    assert ours(tmp_path, SHOWN) == rg(tmp_path) == ["a/b/c"]
    assert ours(tmp_path, Selection.parse("d/b/c")) == []


@needs_git
@needs_rg
def test_a_tree_of_fifty_thousand_files_is_walked_as_git_and_ripgrep_walk_it(tmp_path: Path) -> None:
    top = tmp_path / "large"
    top.mkdir()
    source_file = tmp_path / "one"
    source_file.touch()
    ends = [".py", ".log", ".txt", ".pyc"]
    try:
        for number in range(500):
            folder = top / f"g{number % 20}" / f"f{number}"
            folder.mkdir(parents=True)
            handle = os.open(folder, os.O_RDONLY)
            for name in range(100):
                os.link(source_file, f"n{name}{ends[name % 4]}", dst_dir_fd=handle)
            os.close(handle)
        (top / ".gitignore").write_text("*.pyc\n/g1/\nn1?.log\n!n13.log\nf7/\n")
        (top / "g2" / ".gitignore").write_text("!n15.log\n/f42/*\n")
        paths = ours(top)
        assert paths == git(top) == rg(top, "--hidden")
        assert 30_000 < len(paths) < 40_000
        assert ours(top, Selection.parse("**/*.py")) == [name for name in paths if name.endswith(".py")]
    finally:
        shutil.rmtree(top)  # pytest keeps what three runs leave


def folders_of(top: Path) -> list[str]:
    """The folders below a repository's top, and the top itself as ''."""
    found = [path.relative_to(top) for path in top.rglob("*") if path.is_dir() and not path.is_symlink()]
    return ["", *sorted(str(path) for path in found if path.parts[0] != ".git")]


def make_repository(rng: Random, top: Path, *, strange: bool) -> dict[str, str]:
    """A repository with rules on every level, and in its own excludes; returns the environment for git."""
    plant(rng, top, strange=strange)
    environment = {"PATH": os.environ["PATH"], "HOME": str(top.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "-q"], cwd=top, env=environment, check=True)
    (top / ".git/info").mkdir(exist_ok=True)
    (top / ".git/info/exclude").write_bytes(rules(rng, strange=strange))
    return environment


@needs_git
@pytest.mark.parametrize("seed", range(3))
def test_a_walk_below_the_top_finds_what_git_finds_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    compared = ignored = 0
    for number in range(max(TREES // 4, 8)):
        top = tmp_path / f"r{number}"
        environment = make_repository(Random(5000 + 1000 * seed + number), top, strange=True)
        listed = list_files(top, ["git", "ls-files", "-co", "--exclude-standard", "-z"], environment)
        folders = folders_of(top)
        asked = "\0".join(f"./{folder}/" for folder in folders[1:])
        answer = subprocess.run(
            ["git", "check-ignore", "-z", "--stdin"], cwd=top, env=environment, input=os.fsencode(asked),
            capture_output=True, check=False,
        ).stdout  # fmt: skip
        hidden = {os.fsdecode(name)[2:-1] for name in answer.split(b"\0")}
        for folder in folders:
            if folder in hidden:
                ignored += 1
                continue
            compared += 1
            expected = below(listed, folder) if folder else listed
            assert (number, folder, ours(top / folder)) == (number, folder, expected)
    assert compared > 20
    assert ignored > 10


@needs_git
@needs_rg
def test_a_walk_of_any_folder_finds_what_ripgrep_finds_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for number in range(max(TREES // 4, 8)):
        top = tmp_path / f"r{number}"
        make_repository(Random(9000 + number), top, strange=False)
        for folder in folders_of(top):
            options = "--no-config --files -0 --hidden --no-ignore-global --no-ignore-dot --glob !.git".split()
            listed = list_files(top / folder, [str(RG), *options], {"PATH": os.environ["PATH"]})
            assert (number, folder, ours(top / folder)) == (number, folder, listed)
