"""Which session a client's call belongs to."""

from collections.abc import Callable
from pathlib import Path

import pytest

from suture import Workspace
from suture.plan import SessionInfo
from suture.server.sessions import IDLE_SECONDS, HttpSessions, for_client


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.time = 0.0

    def __call__(self) -> float:
        return self.time


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ids(tmp_path: Path, clock: Clock) -> Callable[..., str]:
    """The id of the session of a client's call, by its name and its connection; with `end`, that has ended."""
    sessions = HttpSessions(Workspace(tmp_path), clock)

    def session_id(name: str = "a", connection: str | None = None, *, end: bool = False) -> str:
        found = sessions.workspace(name, "1", connection).session.id
        if end:
            sessions.end(str(connection))
        return found

    return session_id


@pytest.mark.promise("serve.sessions")
def test_a_session_is_named_by_its_client(tmp_path: Path) -> None:
    own = Workspace(tmp_path, session="mine").session
    workspace = Workspace(tmp_path, session=own)
    assert for_client(workspace, "claude-code", "2.1").session == SessionInfo(
        "mine", "claude-code", "2.1", "stdio", "mine"
    )
    info = HttpSessions(workspace).workspace(" a\nb\x1b" + "c" * 200, "", "x").session
    assert (info.agent, info.version, info.transport, info.label) == ("ab" + "c" * 97, "", "http", "mine")
    assert info.id != "mine"
    assert for_client(Workspace(tmp_path), "\n", "").session.agent == "mcp"


@pytest.mark.promise("serve.sessions")
def test_clients_of_one_name_are_told_apart_by_their_connections(ids: Callable[..., str]) -> None:
    first, second = ids("a", "x"), ids("a", "y")
    assert len({first, second, ids("a"), ids("b")}) == 4
    assert (ids("a", "x"), ids("a", "y"), ids("a")) == (first, second, ids("a"))


@pytest.mark.promise("serve.sessions")
def test_a_client_that_comes_back_goes_on_unless_it_was_idle_for_long(ids: Callable[..., str], clock: Clock) -> None:
    first = ids("a", "x", end=True)
    assert ids("b", "y") != first
    assert ids("a") != first
    assert ids("a", "z") == first
    assert ids("a", "w") != first  # "z" is open
    clock.time += IDLE_SECONDS - 1
    assert ids("a", "z", end=True) == first
    clock.time += IDLE_SECONDS
    assert ids("a", "v") != first
    nameless = ids("a")
    clock.time += IDLE_SECONDS - 1
    assert ids("a") == nameless
    clock.time += IDLE_SECONDS
    assert ids("a") != nameless


def test_of_several_sessions_that_have_ended_the_last_goes_on(ids: Callable[..., str]) -> None:
    first, second = ids("a", "x"), ids("a", "y")
    assert (ids("a", "x", end=True), ids("a", "y", end=True)) == (first, second)
    assert (ids("a", "z"), ids("a", "w")) == (second, first)
