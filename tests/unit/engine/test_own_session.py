"""Who makes the changes of a process: the name that was given, or the process."""

import os

import pytest

from suture import Workspace
from suture.engine import check_session_name, own_session
from suture.files.journal import is_id
from suture.plan import SessionInfo
from suture.testing import MemoryFS


@pytest.fixture(autouse=True)
def no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUTURE_SESSION", raising=False)


@pytest.mark.parametrize("agent", ["library", "cli"])
def test_a_process_is_a_session(agent: str) -> None:
    session = own_session(agent)
    assert session == SessionInfo(session.id, agent, "", agent, "")
    assert is_id(session.id)
    assert own_session(agent) == session


def test_a_workspace_belongs_to_the_session_of_its_process_unless_it_names_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root, fs = MemoryFS().root, MemoryFS()
    assert Workspace(root, fs=fs).session == own_session()
    assert Workspace(root, fs=fs, session="tidy").session == SessionInfo("tidy", "library", "", "library", "tidy")
    agent = SessionInfo("x", "claude-code", "2.0", "stdio")
    assert Workspace(root, fs=fs, session=agent).session == agent
    monkeypatch.setenv("SUTURE_SESSION", " nightly \n")
    assert Workspace(root, fs=fs).session == SessionInfo("nightly", "library", "", "library", "nightly")
    assert Workspace(root, fs=fs, session="tidy").session.id == "tidy"
    monkeypatch.setenv("SUTURE_SESSION", "  ")
    assert Workspace(root, fs=fs).session == own_session()


@pytest.mark.process
def test_a_fork_is_another_session() -> None:
    session = own_session()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, own_session().id.encode())
        os._exit(0)
    os.waitpid(child, 0)
    other = os.read(reading, 100).decode()
    os.close(reading)
    os.close(writing)
    assert is_id(other)
    assert (other != session.id, own_session()) == (True, session)


@pytest.mark.parametrize("name", ["a", "run 7", "é", "😀" * 100, "x" * 100, "--flag"])
def test_a_name_that_can_be_typed_and_shown_is_taken(name: str) -> None:
    check_session_name(name)
    assert own_session(name=name).id == name


@pytest.mark.parametrize(
    "name", [" ", "\n", " a", "a ", "a\nb", "a\tb", "\x1b[31m", "\udcff", "a\0", "x" * 101, "\u202e"]
)
def test_a_name_that_cannot_be_typed_or_shown_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="name has 1 to 100 printable characters"):
        check_session_name(name)
    with pytest.raises(ValueError, match="name has"):
        Workspace(".", session=name)


def test_a_name_in_the_environment_is_refused_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUTURE_SESSION", "a\x07b")
    with pytest.raises(ValueError, match="name has"):
        own_session()


def test_sessions_of_a_workspace_share_all_but_what_is_theirs() -> None:
    fs = MemoryFS({"a": b"1\n"})
    workspace = Workspace(fs.root, fs=fs, session="one")
    other = workspace.for_session(SessionInfo("two", "codex"))
    assert (workspace.session.id, other.session.id, other.root) == ("one", "two", workspace.root)
    other.write("a", "2\n")
    workspace.write("a", "3\n")
    sessions = [change["session"]["id"] for change in workspace.history().metadata["changes"]]
    assert sessions == ["one", "two"]


def test_an_empty_name_is_none() -> None:
    assert own_session(name="") == own_session()
