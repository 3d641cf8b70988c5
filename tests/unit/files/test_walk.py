"""The walk: which files, in which order, and that it closes its handles."""

import errno
import os
import resource
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from suture.errors import InputTooLarge, PermissionDenied, ReadFailed, SutureError, WorkspaceNotFound
from suture.files.fs import FS, Tree
from suture.files.glob import Selection
from suture.files.local_fs import LocalFS
from suture.files.protected import Guard
from suture.files.walk import walk
from suture.testing import FaultyFS, MemoryFS

EVERYTHING = "{**/{*,.*},**/.*/**/{*,.*}}"


def paths(
    fs: FS,
    pattern: str = "**",
    *exclude: str,
    guard: Guard | None = None,
    include_ignored: bool = False,
    root: str = "/ws",
) -> list[str]:
    with Tree(fs, root) as tree:
        runs = walk(tree, Selection.parse(pattern, exclude), guard or Guard(), include_ignored=include_ignored)
        paths = [prefix + name for _, prefix, names in runs for name in names]
    assert paths == sorted(paths)
    if isinstance(fs, MemoryFS):
        assert not fs._handles
    return paths


def memory(*files: str, ignore: str = "", **ignores: str) -> MemoryFS:
    """Empty files, and `.gitignore` files in the root and in the named folders."""
    fs = MemoryFS(dict.fromkeys(files, b""))
    for folder, rules in {"": ignore, **ignores}.items():
        if rules:
            fs.put(f"{folder}/.gitignore" if folder else ".gitignore", rules.encode())
    return fs


# Which files


def test_paths_are_sorted_as_strings() -> None:
    names = ["a-b/x", "a.py", "a/x", "a/y/z", "a/y.z", "a0", "ab", "b", "é", "Z", "\udc80"]
    fs = memory(*names)
    assert paths(fs) == sorted(names)
    assert paths(fs)[:4] == ["Z", "a-b/x", "a.py", "a/x"]


def test_runs_contain_what_is_between_two_folders() -> None:
    fs = memory("a", "b/x", "b/y", "c", "c1", "d/e/z", "f")
    with Tree(fs, "/ws") as tree:
        runs = [(prefix, names) for _, prefix, names in walk(tree, Selection.parse("**"), Guard())]
    assert runs == [("", ["a"]), ("b/", ["x", "y"]), ("", ["c", "c1"]), ("d/e/", ["z"]), ("", ["f"])]


def test_hidden_names_git_and_our_own_are_left_out() -> None:
    fs = memory(
        ".a",
        "b",
        ".c/d",
        ".git/config",
        "e/.GIT/x",
        "e/.git",
        ".suture-x",
        "e/.suture-y/z",
        ".suture/intent",
        "e/.suture/x",
        "e/f",
    )
    assert paths(fs) == ["b", "e/f"]
    assert paths(fs, EVERYTHING) == [".a", ".c/d", "b", "e/f"]
    assert paths(fs, ".git/*") == []


def test_links_and_special_files_are_neither_listed_nor_followed() -> None:
    fs = memory("a/b")
    fs.put_link("c", "a/b")
    fs.put_link("d", "a")
    fs.put_link("a/up", "..")
    fs.put_special("pipe")
    assert paths(fs) == ["a/b"]
    assert paths(fs, "d/b") == []
    assert paths(fs, "c") == []


def test_a_literal_pattern_finds_its_file() -> None:
    fs = memory("a/b.py", "a/c.py")
    assert paths(fs, "a/b.py") == ["a/b.py"]
    assert paths(fs, "a/x.py") == []
    assert paths(fs, "x/b.py") == []
    assert paths(fs, "a/b.py/c") == []
    assert paths(fs, "a") == []


def test_only_folders_that_can_hold_a_selected_file_are_entered() -> None:
    inner = memory("src/a/x.py", "src/b/c/x.py", "lib/x.py", "node_modules/m/x.py", ignore="node_modules/\n")
    for pattern, exclude, entered in (
        ("src/*/x.py", [], ["", "src", "a", "b"]),
        ("**", ["lib"], ["", "src", "a", "b", "c"]),
        ("**", ["src/b"], ["", "lib", "src", "a"]),
        ("*", [], [""]),
    ):
        fs = SpyFS(inner)
        with Tree(fs, "/ws") as tree:
            list(walk(tree, Selection.parse(pattern, exclude), Guard()))
        assert fs.scanned == entered


class SpyFS(FaultyFS):
    """A file system that records which folders are listed, and can run a function before a call."""

    def __init__(self, inner: FS, before: Callable[[str, str], None] | None = None) -> None:
        super().__init__(inner)
        self.scanned: list[str] = []
        self._before = before

    def _forward(self, name: str, *args: object) -> object:
        if name == "scan":
            self.scanned.append(str(args[1]))
        if self._before is not None:
            self._before(name, str(args[1]) if len(args) > 1 else "")
        return super()._forward(name, *args)


def test_excludes_take_files_and_folders_away() -> None:
    fs = memory("a.py", "a.txt", "b/a.py", "b/c/a.py", "c/a.py", ".h/a.py")
    assert paths(fs, "**", "*.txt", "b/c") == ["a.py", "b/a.py", "c/a.py"]
    assert paths(fs, "**", "c/") == ["a.py", "a.txt", "b/a.py"]
    assert paths(fs, EVERYTHING, ".h") == ["a.py", "a.txt", "b/a.py", "b/c/a.py", "c/a.py"]
    assert paths(fs, "**", "**") == []


# Ignored files


def test_nested_gitignores_count_and_the_innermost_decides() -> None:
    fs = memory(
        *"a.log b.txt build/x d/a.log d/build d/keep.log d/e/a.log d/e/keep.log d/e/x.txt".split(),
        ignore="*.log\n/build\n",
        d="!keep.log\n/e/*.txt\n",
    )
    assert paths(fs) == ["b.txt", "d/build", "d/e/keep.log", "d/keep.log"]


def test_a_file_below_an_ignored_folder_cannot_be_had_back() -> None:
    fs = memory("a/b", "a/c/d", "e", ignore="a/\n!a/b\n!b\n", a="!*\n")
    assert paths(fs) == ["e"]


def test_include_ignored_reads_no_gitignore() -> None:
    fs = memory("a", "b/c", ignore="*\n")
    assert paths(fs) == []
    assert paths(fs, include_ignored=True) == ["a", "b/c"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("**", ["src/a"]),
        ("build/**", ["build/a", "build/gen/a", "build/gen/deep/a"]),
        ("build/gen/*", ["build/gen/a"]),
        ("build/gen/a", ["build/gen/a"]),
        ("bui*/**", []),
        ("{build,src}/**", ["src/a"]),
        ("build/{gen,x}/**", ["build/gen/a", "build/gen/deep/a"]),
        ("*/a", ["src/a"]),
        ("build/out/*", []),
    ],
)
def test_a_pattern_that_leads_into_an_ignored_folder_is_followed(pattern: str, expected: list[str]) -> None:
    fs = memory(
        *"build/a build/gen/a build/gen/deep/a build/gen/x.log build/out/no src/a".split(),
        ignore="build/\n*.log\n",
        build="/out/no\n",
    )
    assert paths(fs, pattern) == expected


@pytest.mark.parametrize("rules", [b"#" * (1 << 20), b"*b*c\n" * 10_001], ids=["bytes", "stars"])
def test_a_gitignore_that_is_too_large_is_an_error(rules: bytes) -> None:
    with pytest.raises(InputTooLarge):
        paths(MemoryFS({".gitignore": b"a\n" + rules, "a": b""}))


def test_a_gitignore_that_cannot_count_is_as_good_as_none(tmp_path: Path) -> None:
    unreadable = FaultyFS(memory("a", ignore="a\n"), fail_at=1, only=["fill"], error=errno.EACCES)
    assert paths(unreadable) == ["a"]
    linked = MemoryFS({"rules": b"a\n", "a": b""})
    linked.put_link(".gitignore", "rules")
    assert paths(linked) == ["a", "rules"]
    (tmp_path / ".gitignore").mkdir()
    (tmp_path / "a").touch()
    assert paths(LocalFS(), root=str(tmp_path)) == ["a"]


def test_a_large_gitignore_counts() -> None:
    rules = b"".join(b"name%d\n" % number for number in range(5_000))
    assert len(rules) > 1 << 15
    assert paths(MemoryFS({".gitignore": rules, "name4999": b"", "name5000": b""})) == ["name5000"]


# Protected files


def test_protected_files_are_left_out() -> None:
    fs = memory(
        *"a config.fish CONFIG.FISH. x/fish/conf.d/a x/fish/b config.fish2 .env .envrc .vscode/tasks.json".split()
    )
    assert paths(fs) == ["a", "config.fish2", "x/fish/b"]
    assert paths(fs, EVERYTHING) == [".env", "a", "config.fish2", "x/fish/b"]


def test_the_settings_of_the_guard_count() -> None:
    fs = memory(*"a.pem é.pem ｋey key sub/key secret/a secret/b/c secret/ok keys/x".split())
    guard = Guard(protect=["*.pem", "key", "secret/**", "keys/?"], allow=["secret/ok"])
    assert paths(fs, guard=guard) == ["secret/ok"]


def test_a_guard_that_knows_other_scripts_protects_as_before() -> None:
    fs = memory(*"日本 日本2 ключ config.fish a STRASSE straße".split())
    assert paths(fs, guard=Guard(protect=["日本", "КЛЮЧ*", "straße"])) == ["a", "日本2"]


def test_the_guard_is_asked_about_few_files() -> None:
    names: list[str] = []

    class Asked(Guard):
        def rule(self, path: str) -> str | None:
            names.append(path)
            return super().rule(path)

    paths(memory(*(f"d{number}/f{number}.py" for number in range(50)), "x/config.fish"), guard=Asked())
    assert names == ["x/config.fish"]


# What goes wrong


def test_a_folder_that_may_not_be_listed_is_an_error_unless_nothing_is_wanted_there() -> None:
    inner = memory("a/b", "c/d", "e/f", ignore="/e\n")

    def refuse(call: str, name: str) -> None:
        if call == "scan" and name in {"c", "e"}:
            raise OSError(errno.EACCES, "no")

    with pytest.raises(PermissionDenied) as caught:
        paths(SpyFS(inner, refuse))
    assert (caught.value.path, caught.value.operation) == ("c", "read")
    assert not inner._handles
    assert paths(SpyFS(inner, refuse), "a/*") == ["a/b"]
    assert paths(SpyFS(inner, refuse), "**", "c") == ["a/b"]


def test_a_root_that_may_not_be_listed_is_an_error() -> None:
    with pytest.raises(PermissionDenied) as caught:
        paths(FaultyFS(memory("a"), fail_at=1, only=["scan"], error=errno.EACCES))
    assert caught.value.path == "."
    with pytest.raises(ReadFailed):
        paths(FaultyFS(memory("a"), fail_at=1, only=["scan"]))
    with pytest.raises(WorkspaceNotFound):
        paths(MemoryFS(), root="/nowhere")


@pytest.mark.parametrize("error", [errno.ENOENT, errno.ENOTDIR, errno.ELOOP])
def test_a_folder_that_vanishes_is_passed_over(error: int) -> None:
    fs = FaultyFS(memory("a/b", "c/d", "e"), fail_at=2, only=["scan"], error=error)
    assert paths(fs) == ["c/d", "e"]


@pytest.mark.parametrize("number", range(1, 12))
def test_a_failing_call_leaves_nothing_open(number: int) -> None:
    inner = memory("a/b/c", "a/d", "e", a="x\n")
    for error in (errno.EIO, errno.EACCES, errno.ENOENT):
        fs = FaultyFS(inner, fail_at=number, error=error)
        try:
            visited = paths(fs)
        except SutureError:
            visited = []
        assert set(visited) <= {"a/b/c", "a/d", "e"}
        assert not inner._handles


def test_a_walk_that_is_given_up_leaves_nothing_open() -> None:
    fs = memory("a/b/c", "a/d", "e")
    with Tree(fs, "/ws") as tree:
        runs = walk(tree, Selection.parse("**"), Guard())
        handle, prefix, names = next(runs)
        assert (prefix, names) == ("a/b/", ["c"])
        buffer = bytearray(1)
        assert fs.fill(handle, names[0], buffer) == 0
        runs.close()  # type: ignore[attr-defined]  # it is a generator
    assert not fs._handles


# Depth


def chain(fs: MemoryFS, depth: int) -> None:
    """Nested folders, with a file after each."""
    node = fs._at("/ws")
    for number in range(depth):
        below = fs._node("folder", 0o755)
        node.entries["d"] = below
        node.entries["z"] = fs._node("file", 0o644)
        node = below
        node.entries[f"f{number}"] = fs._node("file", 0o644)


@pytest.mark.slow
def test_a_deep_tree_is_walked_with_few_open_folders() -> None:
    fs = MemoryFS()
    chain(fs, 3000)
    most = 0
    visited = []
    with Tree(fs, "/ws") as tree:
        for handle, prefix, names in walk(tree, Selection.parse("**"), Guard()):
            most = max(most, len(fs._handles))
            assert fs.stat(handle, names[0]) is not None
            visited.append((prefix.count("/"), names))
    assert most < 100
    assert visited[:2] == [(3000, ["f2999"]), (2999, ["f2998", "z"])]
    assert visited[-2:] == [(1, ["f0", "z"]), (0, ["z"])]
    assert len(visited) == 3001
    assert not fs._handles


def test_a_deep_tree_that_changes_meanwhile_is_walked_as_far_as_it_exists() -> None:
    fs = MemoryFS()
    chain(fs, 300)
    depths = []
    with Tree(fs, "/ws") as tree:
        for _, prefix, names in walk(tree, Selection.parse("**/z"), Guard()):
            depths.append(prefix.count("/"))
            assert names == ["z"]
            if len(depths) == 1:
                node = fs._at("/ws")
                for _ in range(50):
                    node = node.entries["d"]
                del node.entries["d"]
    still_open = len(depths) - 51
    assert depths == [*range(299, 299 - still_open, -1), *range(50, -1, -1)]
    assert 0 < still_open < 100
    assert not fs._handles


def test_a_deep_tree_that_cannot_be_opened_again_is_an_error() -> None:
    inner = MemoryFS()
    chain(inner, 200)
    fs = FaultyFS(inner, fail_at=5, only=["open_folder"], error=errno.EACCES)
    with Tree(fs, "/ws") as tree, pytest.raises(PermissionDenied):
        list(walk(tree, Selection.parse("**/z"), Guard()))
    assert not inner._handles


@pytest.mark.process
def test_a_deep_tree_on_the_disk_needs_few_open_files(tmp_path: Path) -> None:
    top = os.open(tmp_path, os.O_RDONLY)
    handle = top
    for _ in range(1500):
        os.mkdir("d", dir_fd=handle)
        os.close(os.open("z", os.O_CREAT | os.O_WRONLY, dir_fd=handle))
        below = os.open("d", os.O_RDONLY, dir_fd=handle)
        os.close(handle)
        handle = below
    os.close(handle)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, before[1]))
    try:
        assert len(paths(LocalFS(), root=str(tmp_path))) == 1500
    finally:
        subprocess.run(["rm", "-r", str(tmp_path / "d")], check=True)  # pytest would run out of stack
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


# The two calls to the file system


@pytest.fixture(params=["local", "memory"])
def fs_and_folder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[FS, int]]:
    fs: FS
    if request.param == "local":
        (tmp_path / "d").mkdir()
        (tmp_path / "d" / "f").write_bytes(b"0123456789")
        (tmp_path / "d" / "sub").mkdir()
        (tmp_path / "d" / "link").symlink_to("f")
        (tmp_path / "d" / "to_sub").symlink_to("sub")
        os.mkfifo(tmp_path / "d" / "pipe")
        (tmp_path / "to_d").symlink_to("d")
        fs, root = LocalFS(), str(tmp_path)
    else:
        fs = MemoryFS({"d/f": b"0123456789"})
        fs.make_folder("/ws/d/sub")
        fs.put_link("d/link", "f")
        fs.put_link("d/to_sub", "sub")
        fs.put_special("d/pipe")
        fs.put_link("to_d", "d")
        root = "/ws"
    folder = fs.open_root(root)
    yield fs, folder
    fs.close(folder)


def test_a_folder_is_opened_with_what_is_in_it(fs_and_folder: tuple[FS, int]) -> None:
    fs, folder = fs_and_folder
    handle, files, folders = fs.scan(folder, "d")
    assert (files, folders) == (["f"], ["sub"])
    assert fs.list(handle) == ["f", "link", "pipe", "sub", "to_sub"]
    for itself in ("", "."):
        again, files, folders = fs.scan(handle, itself)
        assert (files, folders) == (["f"], ["sub"])
        fs.close(again)
    fs.close(handle)


@pytest.mark.parametrize("name", ["to_d", "nothing", "d/f"])
def test_what_is_not_a_folder_is_not_opened(fs_and_folder: tuple[FS, int], name: str) -> None:
    fs, folder = fs_and_folder
    with pytest.raises(OSError) as caught:  # noqa: PT011  the assertion below says which
        fs.scan(folder, name)
    assert caught.value.errno in {errno.ENOTDIR, errno.ENOENT, errno.ELOOP}


@pytest.mark.parametrize("size", [0, 4, 10, 20])
def test_a_buffer_is_filled_as_far_as_the_file_goes(fs_and_folder: tuple[FS, int], size: int) -> None:
    fs, folder = fs_and_folder
    handle = fs.open_folder(folder, "d")
    buffer = bytearray(b"x" * size)
    assert fs.fill(handle, "f", buffer) == min(size, 10)
    assert bytes(buffer) == (b"0123456789" + b"x" * 10)[:size]
    fs.close(handle)


@pytest.mark.parametrize(("name", "error"), [("link", errno.ELOOP), ("sub", errno.EISDIR), ("nothing", errno.ENOENT)])
def test_only_files_are_read(fs_and_folder: tuple[FS, int], name: str, error: int) -> None:
    fs, folder = fs_and_folder
    handle = fs.open_folder(folder, "d")
    with pytest.raises(OSError) as caught:  # noqa: PT011  the assertion below says which
        fs.fill(handle, name, bytearray(4))
    assert caught.value.errno == error
    fs.close(handle)


def test_a_pipe_is_not_waited_for(fs_and_folder: tuple[FS, int]) -> None:
    fs, folder = fs_and_folder
    handle = fs.open_folder(folder, "d")
    assert fs.fill(handle, "pipe", bytearray(4)) == 0
    fs.close(handle)


def test_a_listing_that_fails_closes_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fs = LocalFS()
    folder = fs.open_root(str(tmp_path))
    free = os.dup(folder)
    os.close(free)

    def fail(_: int) -> None:
        raise OSError(errno.EIO, "no")

    monkeypatch.setattr(os, "scandir", fail)
    with pytest.raises(OSError, match="no"):
        fs.scan(folder, "")
    assert os.dup(folder) == free
    os.close(free)
    fs.close(folder)
