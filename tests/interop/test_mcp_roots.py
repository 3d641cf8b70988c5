"""The root of a server that is started without --root, by the SDK's client, with real repositories."""

import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client import ClientRequestContext
from mcp_types import ListRootsResult, Root
from pydantic import FileUrl

from tests.interop.mcp_servers import NEWEST, SUTURE, Caller, connected, edit, text_of

pytestmark = pytest.mark.process


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository in a home folder, with a linked worktree in it and one beside it."""
    repository = tmp_path / "home" / "code" / "app"
    (repository / "src").mkdir(parents=True)
    (repository / "a.txt").write_bytes(b"one\n")
    git = ["git", "-C", str(repository), "-c", "user.name=x", "-c", "user.email=x@example.com"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    for place in ("../fix", ".worktrees/inner"):
        subprocess.run([*git, "worktree", "add", "-q", place], check=True, capture_output=True)
    return repository


@contextmanager
def started_in(
    folder: Path, home: Path, *options: str, mode: str = "legacy", declared: Path | None
) -> Iterator[Caller]:
    """A client that starts the server in a folder, and declares another folder, if any."""

    async def list_roots(context: ClientRequestContext) -> ListRootsResult:  # noqa: ARG001  the SDK's own name
        assert declared is not None
        return ListRootsResult(roots=[Root(uri=FileUrl(declared.as_uri()))])

    @asynccontextmanager
    async def connect() -> AsyncIterator[Client]:
        environment = {**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(home / ".state")}
        words = [*SUTURE[1:], "mcp", *options]
        parameters = StdioServerParameters(command=SUTURE[0], args=words, env=environment, cwd=folder)
        callback = None if declared is None else list_roots
        async with Client(stdio_client(parameters), mode=mode, list_roots_callback=callback) as client:
            yield client

    with connected(connect(), folder) as caller:
        yield caller


@pytest.mark.promise("serve.roots")
@pytest.mark.parametrize("mode", ["legacy", NEWEST])
def test_each_worktree_is_its_own_root(repository: Path, mode: str) -> None:
    home = repository.parent.parent
    fix = repository.parent / "fix"
    with started_in(fix, home, mode=mode, declared=None) as caller:
        assert not caller.call("file_edit", edit("a.txt", "one", "two")).is_error
    assert ((repository / "a.txt").read_bytes(), (fix / "a.txt").read_bytes()) == (b"one\n", b"two\n")
    with started_in(repository / "src", home, mode=mode, declared=None) as caller:
        assert not caller.call("file_edit", edit("a.txt", "one", "three")).is_error
    assert ((repository / "a.txt").read_bytes(), (fix / "a.txt").read_bytes()) == (b"three\n", b"two\n")


@pytest.mark.promise("serve.roots")
@pytest.mark.parametrize(
    ("start", "declared", "options", "content"),
    [
        (".", "code/app", [], "one\n"),
        (".", "code/app/.worktrees/inner", [], "inner\n"),
        ("code/app", "code/app/.worktrees/inner", [], "inner\n"),
        ("code/app", "code/fix", ["--allow-root", "~/code"], "fix\n"),
        ("code/app", "code/fix", ["--root", "../app"], "one\n"),
        ("code/app", "code/fix", [], "fix\n"),
        ("code/app/.worktrees/inner", "code/fix", [], "fix\n"),
        ("code/fix", "code/app/src", [], "one\n"),
    ],
)
def test_a_client_declares_what_it_may(
    repository: Path, start: str, declared: str, options: list[str], content: str
) -> None:
    home = repository.parent.parent
    (home / "code" / "fix" / "a.txt").write_bytes(b"fix\n")
    (repository / ".worktrees" / "inner" / "a.txt").write_bytes(b"inner\n")
    with started_in(home / start, home, *options, declared=home / declared) as caller:
        result = caller.call("file_read", {"path": "a.txt", "format": "raw"})
    assert text_of(result) == content


@pytest.mark.promise("serve.roots")
def test_a_relative_path_is_in_the_worktree_beside_that_the_client_declares(repository: Path) -> None:
    fix = repository.parent / "fix"
    with started_in(repository, repository.parent.parent, declared=fix) as caller:
        assert not caller.call("file_edit", edit("a.txt", "one", "two")).is_error
    assert ((repository / "a.txt").read_bytes(), (fix / "a.txt").read_bytes()) == (b"one\n", b"two\n")


@pytest.mark.promise("serve.roots")
@pytest.mark.parametrize("claim", ["../app/.git/worktrees/fix", "../app/.git", ".own"])
def test_a_folder_that_only_claims_to_be_a_worktree_is_refused(repository: Path, claim: str) -> None:
    """The claims: another worktree's folder, the repository itself, and a folder of its own that names it."""
    claiming = repository.parent / "claiming"
    (claiming / ".own").mkdir(parents=True)
    (claiming / ".own" / "commondir").write_text(f"{repository}/.git\n")
    (claiming / ".own" / "gitdir").write_text(f"{claiming}/.git\n")
    (claiming / ".own" / "HEAD").write_text("ref: refs/heads/master\n")
    (claiming / ".git").write_text(f"gitdir: {claim}\n")
    (claiming / "a.txt").write_bytes(b"claiming\n")
    with started_in(repository, repository.parent.parent, declared=claiming) as caller:
        result = caller.call("file_read", {"path": "a.txt", "format": "raw"})
    first, _, note = text_of(result).partition("\n")
    assert (first, f"not to {claiming}, where suture may not work" in note) == ("one", True)


@pytest.mark.promise("serve.roots")
@pytest.mark.parametrize("mode", ["legacy", NEWEST])
def test_the_home_folder_is_not_served_by_mistake(repository: Path, mode: str) -> None:
    home = repository.parent.parent
    with started_in(home, home, mode=mode, declared=None) as caller:
        refusal = caller.call("file_read", {"path": "code/app/a.txt"})
    assert refusal.is_error
    assert text_of(refusal).startswith(f"NO_WORKSPACE: There is no folder to work in: the server was started in {home}")
