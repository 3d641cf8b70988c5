"""The agents that MCP servers can be put into: which file each reads, in which format, and how an entry looks in it.

As their documentation has it in 2026. Places are functions of the platform and the environment, so that they can be
told for any.
"""

from __future__ import annotations

import os

from suture.cli.merging import Addition
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_UNSET = "HOME is not set to a folder's full path, so your own settings cannot be found"


class Client(Record):
    """An agent."""

    name: str
    title: str
    format: str
    container: str
    user: tuple[str, str]
    """Which folder of the user's, a key of `_BASES`, and the path of the settings in it."""
    project: str | None
    """The path of the settings in a project; None: it has none of its own there."""
    hint: str
    """What to do for it to take notice."""
    by_default: str = "project"
    typed: bool = False
    """Whether an entry says that the server speaks over stdio."""

    def addition(self, name: str, command: Sequence[str]) -> Addition:
        """What its file must hold for it to start a server."""
        kind = {"type": "stdio"} if self.typed else {}
        entry = {**kind, "command": command[0], "args": [*command[1:]]}
        return Addition(self.format, self.container, name, entry)


class NoHomeError(Exception):
    """Nobody knows where the user's own settings are; the message says why."""


CLIENTS = {
    client.name: client
    for client in (
        Client(
            "claude-desktop",
            "Claude Desktop",
            "json",
            "mcpServers",
            ("applications", "Claude/claude_desktop_config.json"),
            None,
            "Quit Claude Desktop and start it again.",
            by_default="user",
        ),
        Client(
            "claude-code",
            "Claude Code",
            "json",
            "mcpServers",
            ("claude", ".claude.json"),
            ".mcp.json",
            "Start Claude Code again in the project; /mcp lists its servers.",
            typed=True,
        ),
        Client(
            "cursor",
            "Cursor",
            "jsonc",
            "mcpServers",
            ("home", ".cursor/mcp.json"),
            ".cursor/mcp.json",
            "Switch the server on in Cursor, among the MCP servers of its settings.",
        ),
        Client(
            "vscode",
            "VS Code",
            "jsonc",
            "servers",
            ("applications", "Code/User/mcp.json"),
            ".vscode/mcp.json",
            "Start the server in VS Code by the command MCP: List Servers.",
            typed=True,
        ),
        Client(
            "codex",
            "Codex",
            "toml",
            "mcp_servers",
            ("codex", "config.toml"),
            ".codex/config.toml",
            "Start Codex again; it reads a project's file only if the project is trusted.",
            by_default="user",
        ),
        Client(
            "gemini",
            "Gemini CLI",
            "jsonc",
            "mcpServers",
            ("home", ".gemini/settings.json"),
            ".gemini/settings.json",
            "Start Gemini CLI again; /mcp lists its servers.",
        ),
        Client(
            "zed",
            "Zed",
            "jsonc",
            "context_servers",
            ("zed", "settings.json"),
            ".zed/settings.json",
            "Zed takes notice by itself; its settings list the servers.",
            by_default="user",
        ),
    )
}


def user_file(client: Client, platform: str, environment: Mapping[str, str]) -> str:
    """The full path of the user's own settings; NoHomeError if it depends on a home that nobody knows."""
    base, path = client.user
    return os.path.join(_BASES[base](platform, environment), *path.split("/"))


def _home(platform: str, environment: Mapping[str, str]) -> str:
    return _named(environment, "USERPROFILE" if platform == "win32" else "HOME") or _missing()


def _missing() -> str:
    raise NoHomeError(_UNSET)


def _named(environment: Mapping[str, str], name: str) -> str | None:
    """The folder that a variable names; one that is not named in full does not count."""
    found = environment.get(name, "")
    return found if os.path.isabs(found) else None


def _applications(platform: str, environment: Mapping[str, str]) -> str:
    """Where programs keep what belongs to the user."""
    if platform == "win32":
        return _named(environment, "APPDATA") or os.path.join(_home(platform, environment), "AppData", "Roaming")
    if platform == "darwin":
        return os.path.join(_home(platform, environment), "Library", "Application Support")
    return _named(environment, "XDG_CONFIG_HOME") or os.path.join(_home(platform, environment), ".config")


def _claude(platform: str, environment: Mapping[str, str]) -> str:
    return _named(environment, "CLAUDE_CONFIG_DIR") or _home(platform, environment)


def _codex(platform: str, environment: Mapping[str, str]) -> str:
    return _named(environment, "CODEX_HOME") or os.path.join(_home(platform, environment), ".codex")


def _zed(platform: str, environment: Mapping[str, str]) -> str:
    if platform == "darwin":
        return os.path.join(_home(platform, environment), ".config", "zed")
    return os.path.join(_applications(platform, environment), "Zed" if platform == "win32" else "zed")


_BASES = {"home": _home, "applications": _applications, "claude": _claude, "codex": _codex, "zed": _zed}
