"""Which session a client's call belongs to."""

from collections.abc import Callable
from pathlib import Path

import pytest

from suture import Workspace
from suture.plan import SessionInfo
from suture.server.sessions import IDLE_SECONDS, HttpSessions, for_client
from suture.tools import PROFILES
from tests.unit.server.speaking import exchange, serve_tools


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


def messages(tool: str, arguments: dict[str, object]) -> list[dict[str, object]]:
    """A handshake and a call."""
    client = {"name": "claude-code", "version": "2.1"}
    handshake = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    return [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": handshake},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": tool, "arguments": arguments}},
    ]


@pytest.mark.promise("back.checkpoints")
def test_the_start_of_a_session_is_a_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "ws"
    root.mkdir()
    (root / "a").write_bytes(b"1\n")
    arguments: dict[str, object] = {"file_path": "a", "old_string": "1", "new_string": "2"}
    workspace = Workspace(root)
    exchange(lambda: serve_tools(workspace, ["edit", "read"], 10_000), *messages("edit", arguments))
    assert (root / "a").read_bytes() == b"2\n"
    (point,) = workspace.checkpoints().metadata["checkpoints"]
    assert (point["kind"], point["about"]) == ("start", "claude-code 2.1")
    assert not workspace.restore(point["id"]).is_error
    assert (root / "a").read_bytes() == b"1\n"


def test_where_only_reading_is_offered_there_is_no_checkpoint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    workspace = Workspace(tmp_path)
    exchange(
        lambda: serve_tools(workspace, [*PROFILES["read-only"]], 10_000), *messages("file_read", {"path": "missing"})
    )
    assert not (tmp_path / "state").exists()
