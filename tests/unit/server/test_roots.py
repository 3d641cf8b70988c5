"""The root of a server: what is found when it starts, and what a client may choose."""

from collections.abc import Callable
from pathlib import Path

import pytest

from suture import Workspace
from suture.errors import NoWorkspace
from suture.server.roots import RootRule, Roots, declared_folders


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a repository, a worktree of it, and folders that are no projects; no history knows any."""
    for name in (
        "home/code/app/.git",
        "home/code/app/src",
        "home/code/app/.worktrees/fix/src",
        "home/notes/deep",
        "home/.config/agent",
        "home/.dotfiles/.jj",
        "home/Library/x/.git",
        "srv/site/.git",
        "srv/plain",
    ):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "home/code/app/.worktrees/fix/.git").write_text("gitdir: elsewhere\n")
    (tmp_path / "home/link").symlink_to(tmp_path / "srv/site")
    (tmp_path / "home/code/link").symlink_to(tmp_path / "home/code/app/src")
    (tmp_path / "home/file").touch()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path


def rule(world: Path, start: str, *allowed: str) -> RootRule:
    return RootRule(str(world / start), str(world / "home"), tuple(str(world / name) for name in allowed))


@pytest.mark.promise("serve.roots")
@pytest.mark.parametrize(
    ("start", "found"),
    [
        ("home/code/app", "home/code/app"),
        ("home/code/app/src", "home/code/app"),
        ("home/code/app/.worktrees/fix/src", "home/code/app/.worktrees/fix"),
        ("home/notes/deep", "home/notes/deep"),
        ("home/.dotfiles", "home/.dotfiles"),
        ("home/.config/agent", None),
        ("home", None),
        ("", None),
        ("srv/plain", "srv/plain"),
    ],
)
def test_the_root_is_found_where_the_server_is_started(world: Path, start: str, found: str | None) -> None:
    assert rule(world, start).found() == (None if found is None else str(world / found))


def test_a_home_that_is_a_repository_is_not_the_root_of_what_is_in_it(world: Path) -> None:
    (world / "home" / ".git").mkdir()
    assert rule(world, "home").found() is None
    assert rule(world, "home/notes").found() == str(world / "home/notes")
    assert rule(world, "home/.config").found() is None


@pytest.mark.parametrize(
    ("folder", "reason"),
    [
        ("/", "the whole disk"),
        ("/usr/lib", "a folder of the operating system"),
        ("/etc", "a folder of the operating system"),
        ("/opt", "a folder for the folders of users or programs"),
        ("/opt/project", ""),
        ("/workspace", ""),
    ],
)
def test_a_folder_that_is_no_project_is_not_served(world: Path, folder: str, reason: str) -> None:
    assert rule(world, "home").unfit(folder) == reason
    assert RootRule("", "").unfit(folder) == reason


def test_a_folder_in_which_everybody_may_create_files_is_not_served(world: Path) -> None:
    (world / "srv/plain").chmod(0o1777)
    assert rule(world, "srv/plain").found() is None


@pytest.mark.promise("serve.roots")
@pytest.mark.parametrize(
    ("start", "allowed", "declared", "root"),
    [
        # inside the root that was found
        ("home/code/app", (), "home/code/app", "home/code/app"),
        ("home/code/app", (), "home/code/app/src", "home/code/app"),
        ("home/code/app", (), "home/code/link", "home/code/app"),
        ("home/code/app", (), "home/code/app/.worktrees/fix", "home/code/app/.worktrees/fix"),
        ("home/code/app/.worktrees/fix", (), "home/code/app", None),
        ("home/code/app", (), "home/code/app/../../notes", None),
        ("home/code/app", (), "home/notes", None),
        ("home/code/app", (), "home/.dotfiles", None),
        ("home/code/app", (), "srv/site", None),
        ("home/code/app", (), "home", None),
        # what the operator allows
        ("home/code/app", ("srv",), "srv/site", "srv/site"),
        ("home/code/app", ("srv",), "home/link", "srv/site"),
        ("home/code/app", ("srv",), "srv/plain", "srv/plain"),
        ("home/code/app", ("srv",), "srv/none", None),
        ("home/code/app", ("srv",), "home/notes", None),
        ("home", ("home/code/app/src",), "home/code/app/src", "home/code/app/src"),
        ("home", ("home",), "home/notes/deep", "home/notes/deep"),
        ("home", ("home",), "home", None),
        ("home", ("home",), "home/.config/agent", None),
        ("home", ("home/code",), "home/.dotfiles", None),
        ("home", ("srv",), "home/code/app", None),
        ("home", ("home/co",), "home/code/app", None),
        # where there is no project
        ("home", (), "home/code/app/src", "home/code/app"),
        ("", (), "home/code/app", "home/code/app"),
        ("home/.config/agent", (), "home/code/app", "home/code/app"),
        ("home", (), "home/notes", None),
        ("home", (), "home/.dotfiles", None),
        ("home", (), "home/Library/x", None),
        ("home", (), "srv/site", None),
        ("home", (), "home/link", None),
        ("home", (), "home/file", None),
        ("home", (), "home/none", None),
        ("home", (), "home", None),
    ],
)
def test_a_declared_folder_counts_only_where_it_may(
    world: Path, start: str, allowed: tuple[str, ...], declared: str, root: str | None
) -> None:
    accepted = rule(world, start, *allowed).accepted(f"{world}/{declared}")
    assert accepted == (None if root is None else str(world / root))


@pytest.fixture
def linked(world: Path) -> Path:
    """Worktrees that are linked to the repository: outside of the home folder, and in a hidden folder; and others."""
    for name, place in (("out", "srv/out"), ("hidden", "home/.agent/fix")):
        git = world / "home/code/app/.git/worktrees" / name
        for folder in (git, world / place / "deep"):
            folder.mkdir(parents=True)
        (git / "commondir").write_text("../..\n")
        (git / "gitdir").write_text(f"{world / place}/.git\n")
        (world / place / ".git").write_text(f"gitdir: {git}\n")
    return world


@pytest.mark.promise("serve.roots")
@pytest.mark.parametrize(
    ("start", "allowed", "declared", "root"),
    [
        ("home/code/app", (), "srv/out", "srv/out"),
        ("home/code/app/src", (), "srv/out/deep", "srv/out"),
        ("home/code/app", (), "home/.agent/fix", "home/.agent/fix"),
        ("home/code/app", ("home/notes",), "srv/out", "srv/out"),
        ("srv/out/deep", (), "home/code/app/src", "home/code/app"),
        ("srv/out", (), "home/.agent/fix", "home/.agent/fix"),
        ("srv/out", (), "srv/site", None),
        ("srv/site", (), "srv/out", None),
        ("srv/plain", (), "srv/out", None),
        ("home", (), "srv/out", None),
    ],
)
def test_a_worktree_of_the_repository_that_was_found_counts(
    linked: Path, start: str, allowed: tuple[str, ...], declared: str, root: str | None
) -> None:
    accepted = rule(linked, start, *allowed).accepted(f"{linked}/{declared}")
    assert accepted == (None if root is None else str(linked / root))


def test_the_home_folder_does_not_count_as_a_worktree(linked: Path) -> None:
    git = linked / "home/code/app/.git/worktrees/out"
    (git / "gitdir").write_text(f"{linked / 'home/.git'}\n")
    (linked / "home/.git").write_text(f"gitdir: {git}\n")
    assert rule(linked, "home/code/app").accepted(f"{linked / 'home'}") is None


@pytest.mark.promise("serve.roots")
@pytest.mark.parametrize("claim", ["home/code/app/.git/worktrees/out", "home/code/app/.git", "srv/plain/own"])
@pytest.mark.parametrize("start", ["home/code/app", "srv/out"])
def test_a_folder_that_only_claims_to_be_a_worktree_does_not_count(linked: Path, start: str, claim: str) -> None:
    own = linked / "srv/plain/own"
    own.mkdir()
    (own / "commondir").write_text(f"{linked / 'home/code/app/.git'}\n")
    (own / "gitdir").write_text(f"{linked}/srv/plain/.git\n")
    (linked / "srv/plain/.git").write_text(f"gitdir: {linked / claim}\n")
    assert rule(linked, start).accepted(f"{linked}/srv/plain") is None


@pytest.mark.promise("serve.roots")
@pytest.mark.parametrize("start", ["home/code/app", "srv/out"])
def test_a_folder_with_a_repository_of_its_own_or_a_link_does_not_count(linked: Path, start: str) -> None:
    site, plain = linked / "srv/site", linked / "srv/plain"
    (site / ".git/commondir").write_text(f"{linked / 'home/code/app/.git'}\n")
    (site / ".git/gitdir").write_text(f"{site}/.git\n")
    (plain / ".git").symlink_to(linked / "home/code/app/.git")
    assert [rule(linked, start).accepted(str(folder)) for folder in (site, plain)] == [None, None]


@pytest.mark.promise("serve.roots")
def test_a_repository_that_names_another_ones_folder_gets_nothing(linked: Path) -> None:
    git = linked / "srv/site/.git/worktrees/stolen"
    git.mkdir(parents=True)
    (git / "commondir").write_text("../..\n")
    (git / "gitdir").write_text(f"{linked / 'home/code/app/.git'}\n")
    (linked / "srv/site/.git/config").write_text(f"[core]\n\tworktree = {linked / 'home/code/app'}\n")
    assert rule(linked, "srv/site").accepted(f"{linked / 'home/code/app'}") is None


def test_without_a_home_no_repository_is_the_users_own(world: Path) -> None:
    declared = str(world / "home/code/app")
    assert [RootRule("/", home).accepted(declared) for home in ("", "/", declared)] == [None] * 3
    assert RootRule("", "", (str(world),)).accepted(declared) == declared


def test_what_is_no_path_is_not_accepted(world: Path) -> None:
    assert rule(world, "home", "home").accepted(f"{world}/home/code\0") is None


def test_the_rule_of_this_process_knows_where_it_is(
    world: Path, monkeypatch: pytest.MonkeyPatch, gone: Callable[[], None]
) -> None:
    monkeypatch.chdir(world / "home" / "link")
    assert RootRule.here(["/a"]) == RootRule(str(world / "srv/site"), str(world / "home"), ("/a",))
    gone()
    assert RootRule.here() == RootRule("", str(world / "home"))
    assert RootRule.here().found() is None


@pytest.fixture
def gone(world: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Go to a folder and remove it."""

    def go() -> None:
        folder = world / "temporary"
        folder.mkdir()
        monkeypatch.chdir(folder)
        folder.rmdir()

    return go


@pytest.mark.parametrize(
    ("result", "folders"),
    [
        ({"roots": [{"uri": "file:///a/b%20c", "name": "x"}, {"uri": "file://localhost/d"}]}, ["/a/b c", "/d"]),
        ({"roots": [{"uri": "file:///%C3%A4"}, {"uri": "file:///%FF"}]}, ["/ä", "/\udcff"]),
        ({"roots": [{"uri": "vscode-remote://ssh/a"}, {"uri": "file://host/a"}, {"uri": "/a"}, {"uri": "file:a"}]}, []),
        ({"roots": [{"uri": "file:///a%00"}, {"uri": "file://[/a"}, {"uri": 1}, {}, None, "file:///a"]}, []),
        ({"roots": [{"uri": f"file:///{number}"} for number in range(101)]}, [f"/{number}" for number in range(100)]),
        ({"roots": None}, []),
        ({}, []),
        (None, []),
    ],
)
def test_declared_folders_are_read_from_uris(result: object, folders: list[str]) -> None:
    assert declared_folders(result) == folders


def opened(world: Path, start: str, *allowed: str) -> Roots:
    return Roots(rule(world, start, *allowed), Workspace)


@pytest.mark.promise("serve.roots")
def test_the_first_folder_that_counts_is_the_root(world: Path) -> None:
    roots = opened(world, "home/code/app", "srv")
    roots.declare([str(world / name) for name in ("home/notes", "srv/plain", "srv/site")])
    assert (roots.workspace().root, roots.take_note()) == (str(world / "srv/plain"), "")
    assert roots.workspace() is roots.workspace()
    roots.close()


def test_what_the_model_must_know_about_the_root_is_said_once(world: Path) -> None:
    app, notes, fix = (str(world / name) for name in ("home/code/app", "home/notes", "home/code/app/.worktrees/fix"))
    roots = opened(world, "home/code/app")
    assert (roots.root, roots.take_note()) == (app, "")
    roots.give_up()
    assert roots.take_note().startswith(f"Note: paths are relative to {app}; the client did not answer")
    roots.declare([notes])
    assert roots.take_note().startswith(f"Note: paths are relative to {app}, not to {notes}, ")
    roots.declare([fix])
    assert roots.take_note() == ""
    assert roots.workspace().root == fix
    roots.declare([])
    assert roots.take_note() == f"Note: from now on, paths are relative to {app}."
    assert roots.take_note() == ""
    roots.close()


def test_without_a_root_there_is_no_workspace_until_the_client_declares_one(world: Path) -> None:
    roots = opened(world, "home")
    roots.give_up()
    with pytest.raises(NoWorkspace) as raised:
        roots.workspace()
    error = raised.value
    assert (error.started_in, error.reason, error.declared) == (str(world / "home"), "your home folder", [])
    notes = str(world / "home/notes")
    roots.declare([notes] * 5)
    with pytest.raises(NoWorkspace) as raised:
        roots.workspace()
    assert (raised.value.declared, roots.take_note()) == ([notes] * 3, "")
    roots.declare([str(world / "home/code/app")])
    assert roots.workspace().root == str(world / "home/code/app")
    roots.close()
    with pytest.raises(NoWorkspace) as raised:
        Roots(RootRule("", ""), Workspace).workspace()
    assert (raised.value.started_in, raised.value.reason) == ("a folder that is gone", "")


def test_a_root_that_is_given_is_not_asked_for(world: Path) -> None:
    workspace = Workspace(world / "home")
    roots = Roots.fixed(workspace)
    assert (roots.asks, roots.root, roots.workspace()) == (False, str(world / "home"), workspace)
    roots.close()
