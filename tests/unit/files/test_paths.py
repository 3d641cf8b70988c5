"""Path arguments, resolved on a file system in memory; hostile ones are in `faults/test_hostile_paths.py`."""

import pytest

from suture.errors import SutureError
from suture.files.fs import Tree
from suture.files.paths import Resolver, Target, check_new_name, has_intent
from suture.files.protected import Guard
from suture.testing import FaultyFS, MemoryFS


def make() -> MemoryFS:
    fs = MemoryFS(
        {
            "ws/a.txt": b"one",
            "ws/sub/b.txt": b"two",
            "ws/sub/deep/c.txt": b"three",
            "ws/.git/config": b"x",
            "extra/lib/x.txt": b"extra",
            "other/x.txt": b"other",
        },
        root="/t",
    )
    for path, aim in {
        "file": "a.txt",
        "folder": "sub",
        "absolute": "/t/ws/sub/b.txt",
        "chained": "folder/deep/back",
        "sub/deep/back": "../../absolute",
        "dangling": "missing/x.txt",
        "here": ".",
        "root": "/t/ws",
        "out": "../other/x.txt",
        "out-absolute": "/t/other/x.txt",
        "loop": "loop",
        "by-way": "/t/way/a.txt",
        "extra": "/t/extra/lib/x.txt",
        "git": ".git",
    }.items():
        fs.put_link(f"ws/{path}", aim)
    fs.put_special("ws/pipe")
    fs.put_link("way", "/t/ws")
    fs.put_link("extra/back", "/t/ws/a.txt")
    return fs


def resolver(
    fs: MemoryFS | FaultyFS, *roots: str, protect: tuple[str, ...] = (), allow: tuple[str, ...] = ()
) -> Resolver:
    return Resolver([Tree(fs, root) for root in roots or ("/t/ws",)], Guard(protect, allow))


def code(resolver: Resolver, path: str) -> str:
    with pytest.raises(SutureError) as caught:
        resolver.resolve(path)
    return caught.value.code


@pytest.mark.parametrize(("requested", "path"), [("sub/deep/c.txt", "sub/deep/c.txt"), ("sub/deep/back", "sub/b.txt")])
def test_a_folder_that_is_open_is_not_walked_to_again(requested: str, path: str) -> None:
    fs = FaultyFS(make(), only=["stat"])
    paths = resolver(fs)
    first = paths.resolve(requested)
    before = len(fs.calls)
    again = paths.resolve(requested)
    assert (again, again.path) == (first, path)
    assert len(fs.calls) - before == before - requested.count("/")


@pytest.mark.promise("confine.inside-links")
@pytest.mark.parametrize(
    ("requested", "path"),
    [
        ("a.txt", "a.txt"),
        ("./a.txt", "a.txt"),
        ("sub//b.txt", "sub/b.txt"),
        ("sub/./deep/../b.txt", "sub/b.txt"),
        ("sub/deep/../../a.txt", "a.txt"),
        ("/t/ws/a.txt", "a.txt"),
        ("//t/ws/./sub/b.txt", "sub/b.txt"),
        ("/t/way/a.txt", "a.txt"),
        ("/t/other/../way/sub/../a.txt", "a.txt"),
        ("file", "a.txt"),
        ("folder/b.txt", "sub/b.txt"),
        ("folder/../a.txt", "a.txt"),
        ("folder/deep/../b.txt", "sub/b.txt"),
        ("absolute", "sub/b.txt"),
        ("chained", "sub/b.txt"),
        ("here/here/a.txt", "a.txt"),
        ("root/a.txt", "a.txt"),
        ("by-way", "a.txt"),
    ],
)
def test_a_path_is_resolved_to_the_file_it_means(requested: str, path: str) -> None:
    target = resolver(make()).resolve(requested)
    assert target.stat is not None
    assert (target.requested, target.root, target.path, target.name) == (requested, 0, path, path)
    assert target.stat.kind == "file"


@pytest.mark.parametrize(
    ("requested", "path"),
    [
        ("new.txt", "new.txt"),
        ("sub/new.txt", "sub/new.txt"),
        ("new/deep/x.txt", "new/deep/x.txt"),
        ("./new//deep/./x.txt", "new/deep/x.txt"),
        ("folder/new/x.txt", "sub/new/x.txt"),
        ("dangling", "missing/x.txt"),
        ("sub/../new.txt", "new.txt"),
        ("/t/ws/new.txt", "new.txt"),
        ("/t/way/new.txt", "new.txt"),
    ],
)
def test_a_path_where_nothing_is_names_a_new_file(requested: str, path: str) -> None:
    target = resolver(make()).resolve(requested)
    assert (target.path, target.stat) == (path, None)
    check_new_name(target)


@pytest.mark.promise("confine.hostile")
@pytest.mark.parametrize(
    ("requested", "expected"),
    [
        ("", "INVALID_PATH"),
        ("a\0b", "INVALID_PATH"),
        ("\ud800", "INVALID_PATH"),
        ("d/" * 257, "INVALID_PATH"),
        ("n" * 256, "INVALID_PATH"),
        ("..", "PATH_OUTSIDE_WORKSPACE"),
        ("sub/../..", "PATH_OUTSIDE_WORKSPACE"),
        ("/", "PATH_OUTSIDE_WORKSPACE"),
        ("/t/other/x.txt", "PATH_OUTSIDE_WORKSPACE"),
        ("/t/wsx/a.txt", "PATH_OUTSIDE_WORKSPACE"),
        ("/t/ws/../other/x.txt", "PATH_OUTSIDE_WORKSPACE"),
        ("out", "PATH_OUTSIDE_WORKSPACE"),
        ("out-absolute", "PATH_OUTSIDE_WORKSPACE"),
        ("extra", "PATH_OUTSIDE_WORKSPACE"),
        ("loop", "PATH_OUTSIDE_WORKSPACE"),
        ("here/" * 41 + "a.txt", "PATH_OUTSIDE_WORKSPACE"),
        (".", "NOT_A_FILE"),
        ("/t/ws", "NOT_A_FILE"),
        ("sub/", "NOT_A_FILE"),
        ("here", "NOT_A_FILE"),
        ("pipe", "NOT_A_FILE"),
        ("a.txt/", "NOT_A_FOLDER"),
        ("a.txt/..", "NOT_A_FOLDER"),
        ("file/x", "NOT_A_FOLDER"),
        ("pipe/x", "NOT_A_FOLDER"),
        ("missing/", "FILE_NOT_FOUND"),
        ("missing/../a.txt", "FILE_NOT_FOUND"),
        (".git/config", "PROTECTED_PATH"),
        ("git/config", "PROTECTED_PATH"),
        (".suture-intent", "PROTECTED_PATH"),
        (".suture", "PROTECTED_PATH"),
        (".suture/intent", "PROTECTED_PATH"),
        ("sub/.Suture/x", "PROTECTED_PATH"),
    ],
)
def test_a_path_that_is_refused(requested: str, expected: str) -> None:
    assert code(resolver(make()), requested) == expected


def test_as_many_names_and_links_as_the_limits_say_are_followed() -> None:
    paths = resolver(make())
    assert paths.resolve("/".join(["here"] * 40) + "/a.txt").path == "a.txt"
    assert paths.resolve("d/" * 256 + "x").stat is None
    assert paths.resolve("./" * 256 + "a.txt").path == "a.txt"
    assert paths.resolve("n" * 255).stat is None


@pytest.mark.promise("confine.inside-links")
@pytest.mark.parametrize(
    ("requested", "root", "path", "name"),
    [
        ("a.txt", 0, "a.txt", "a.txt"),
        ("/t/extra/lib/x.txt", 1, "lib/x.txt", "/t/extra/lib/x.txt"),
        ("/t/extra/new.txt", 1, "new.txt", "/t/extra/new.txt"),
        ("/t/extra/back", 0, "a.txt", "a.txt"),
        ("extra", 1, "lib/x.txt", "/t/extra/lib/x.txt"),
        ("sub/deep/c.txt", 0, "sub/deep/c.txt", "sub/deep/c.txt"),
        ("/t/ws/sub/deep/c.txt", 2, "deep/c.txt", "/t/ws/sub/deep/c.txt"),
        ("/t/way/sub/deep/c.txt", 2, "deep/c.txt", "/t/ws/sub/deep/c.txt"),
    ],
)
def test_a_path_below_an_extra_root_is_named_absolutely(requested: str, root: int, path: str, name: str) -> None:
    target = resolver(make(), "/t/ws", "/t/extra", "/t/ws/sub").resolve(requested)
    assert (target.root, target.path, target.name) == (root, path, name)


def test_an_extra_root_does_not_open_what_is_between_the_roots() -> None:
    paths = resolver(make(), "/t/ws", "/t/extra/lib")
    assert paths.resolve("/t/extra/lib/x.txt").root == 1
    for path in ("/t/extra/x.txt", "/t/extra/lib/../x.txt", "/t/extra", "../extra/lib/x.txt", "/t/extra/library"):
        assert code(paths, path) == "PATH_OUTSIDE_WORKSPACE"


def test_a_root_that_is_the_whole_system_contains_everything() -> None:
    paths = resolver(make(), "/")
    target = paths.resolve("/t/other/x.txt")
    assert (target.path, target.name) == ("t/other/x.txt", "t/other/x.txt")
    assert paths.resolve("t/ws/sub/b.txt").path == "t/ws/sub/b.txt"
    assert code(paths, "..") == "PATH_OUTSIDE_WORKSPACE"


def test_a_root_may_be_a_link_or_end_in_a_slash() -> None:
    for root in ("/t/way", "/t/ws/", "/t/other/../ws"):
        roots = resolver(make(), root)
        assert {roots.resolve(path).path for path in ("a.txt", "/t/ws/a.txt", "/t/way/a.txt")} == {"a.txt"}, root


@pytest.mark.promise("confine.hostile")
@pytest.mark.parametrize(
    "name",
    [
        "a\nb",
        "\x1b[0m",
        "\x7f",
        "\x9b",
        "\u202e",
        "\u2066",
        "\u061c",
        "\u200f",
        "\udcff",
        "a\\b",
        "~",
        "~x/y",
        "new/\t",
    ],
    ids=ascii,
)
def test_a_new_name_that_would_deceive_is_refused_and_an_existing_one_is_not(name: str) -> None:
    fs = make()
    target = resolver(fs).resolve(name)
    with pytest.raises(SutureError) as caught:
        check_new_name(target)
    assert caught.value.code == "INVALID_PATH"
    fs.put(f"ws/{name}", b"odd")
    assert resolver(fs).resolve(name).stat is not None


@pytest.mark.parametrize("name", ["ünïcödé", "日本", "a b", "-x", "%2e", "$HOME", "a:b", "sub/~", "'\"", "#", "…"])
def test_an_unusual_name_that_deceives_nobody_is_taken(name: str) -> None:
    target = resolver(make()).resolve(name)
    check_new_name(target)
    assert target.path == name


@pytest.mark.promise("confine.protected")
@pytest.mark.parametrize(
    ("allow", "protect", "path", "allowed"),
    [
        ((), (), ".git/config", False),
        ((".git/**",), (), ".git/config", True),
        ((".GIT/Config",), (), ".git/config", True),
        ((".git/config",), (), ".git/hooks/x", False),
        ((".hg/**",), (), ".git/config", False),
        ((".git/**",), ("config",), ".git/config", True),
        ((), ("secrets/**",), "secrets/a/b", False),
        ((), ("secrets/**",), "sub/Secrets", False),
        ((), ("*.key",), "sub/x.KEY", False),
        ((), ("*.key",), "x.keys", True),
        ((), ("sub/b.txt",), "folder/b.txt", False),
        ((), ("folder/**",), "folder/b.txt", False),
        (("*",), (), ".suture-x", False),
        ((".suture-*",), (), ".suture-x", False),
        ((".suture/**",), (), ".suture/x", False),
        ((".git/**",), (), ".git/.suture-x", False),
    ],
)
def test_protection_is_by_requested_and_by_final_name(
    allow: tuple[str, ...],
    protect: tuple[str, ...],
    path: str,
    allowed: bool,  # noqa: FBT001  a parameter of pytest
) -> None:
    paths = resolver(make(), allow=allow, protect=protect)
    if allowed:
        assert isinstance(paths.resolve(path), Target)
    else:
        assert code(paths, path) == "PROTECTED_PATH"


def test_a_path_is_protected_or_not_however_often_and_after_however_many_others_it_is_asked_for() -> None:
    guard = Guard(["secret/**"])
    paths = ["src/app.py", ".git/config", "secret/key", *(f"src/{number}.py" for number in range(2_500)), "src/app.py"]
    assert [guard.rule(path) for path in paths] == [guard.rule(path) for path in paths]
    assert [path for path in paths if guard.rule(path)] == [".git/config", "secret/key"]
    assert len(guard._free) <= 1_000


def test_a_folder_that_somebody_replaces_by_a_link_while_it_is_looked_at_has_no_intent() -> None:
    fs = MemoryFS({".suture/intent": b""})
    assert has_intent(Tree(fs, "/ws"))

    def swap(_: int, name: str) -> None:
        if name == "open_folder":
            fs.rename(fs.open_root("/ws"), ".suture", fs.open_root("/ws"), "moved")
            fs.put_link(".suture", "moved")

    assert not has_intent(Tree(FaultyFS(fs, on_call=swap), "/ws"))
