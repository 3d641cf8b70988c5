"""The clients of a server as sessions: who makes a change, and whose changes `undo` takes back.

Over stdio, a process has one client and is one session. Over HTTP, all clients have the server's only token. A client
with a handshake is known by the id of its connection (`Mcp-Session-Id`), which tells two clients of one name apart. If
it ends its connection and comes back under the same name, it goes on with its session. Without a handshake there is
only the name. A session that nobody uses for 30 minutes is over.
"""

from __future__ import annotations

from time import monotonic

from suture.files.journal import new_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from suture.plan import SessionInfo
    from suture.workspace import Workspace


IDLE_SECONDS = 30 * 60
_UNNAMED = "mcp"
_MAX_CHARS = 100


def for_client(workspace: Workspace, name: str, version: str, transport: str = "stdio") -> Workspace:
    """The workspace for the only client of this process, named by it."""
    return workspace.for_session(_of_client(workspace.session, name, version, transport))


def _of_client(own: SessionInfo, name: str, version: str, transport: str) -> SessionInfo:
    return own.evolve(agent=_plain(name) or _UNNAMED, version=_plain(version), transport=transport)


def _plain(text: str) -> str:
    """What a client says of itself, as far as it can be shown in one line."""
    return "".join(char for char in text if char.isprintable())[:_MAX_CHARS].strip()


class _Session:
    def __init__(self, workspace: Workspace, connection: str | None) -> None:
        self.workspace = workspace
        self.connection = connection
        """The id of its connection; None if its client has no handshake, empty if the connection has ended."""
        self.used_at = 0.0


class HttpSessions:
    """The sessions of the clients over HTTP. All methods are called by one thread."""

    def __init__(self, workspace: Workspace, now: Callable[[], float] = monotonic) -> None:
        self._workspace = workspace
        self._now = now
        self._sessions: list[_Session] = []
        """Least recently used first."""

    def workspace(self, name: str, version: str, connection: str | None) -> Workspace:
        """The workspace for a call of a client; `connection` is the id of its connection, if that has one."""
        now = self._now()
        self._sessions = [session for session in self._sessions if now - session.used_at < IDLE_SECONDS]
        info = _of_client(self._workspace.session, name, version, "http")
        session = self._find(info.agent, connection)
        if session is None:
            session = _Session(self._workspace.for_session(info.evolve(id=new_id())), connection)
            session.workspace.begin_session()
        else:
            self._sessions.remove(session)
        session.used_at, session.connection = now, connection
        self._sessions.append(session)
        return session.workspace

    def _find(self, agent: str, connection: str | None) -> _Session | None:
        """The session of a connection; else the last one of this agent whose connection has ended."""
        own = [session for session in self._sessions if session.workspace.session.agent == agent]
        for wanted in (connection, None if connection is None else ""):
            for session in reversed(own):
                if session.connection == wanted:
                    return session
        return None

    def end(self, connection: str) -> None:
        """Note that a connection has ended."""
        for session in self._sessions:
            if session.connection == connection:
                session.connection = ""
