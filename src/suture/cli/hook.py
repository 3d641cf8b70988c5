"""`suture checkpoint --hook`: what an agent's hooks run before and after its shell commands.

    before    PreToolUse (Claude Code, Codex), BeforeTool (Gemini CLI), beforeShellExecution (Cursor)
    after     PostToolUse, AfterTool, afterShellExecution
    start     SessionStart, sessionStart

The agent describes the event as JSON on stdin. Before a command there is a checkpoint; what the command changed is a
change of the tool `shell`, with the command as its summary. A hook never gets in the agent's way: it prints nothing to
stdout, takes as long as `checkpoint_ms` allows, and its exit code is 0 whatever happens.
"""

from __future__ import annotations

import os
import sys

from suture import log
from suture.bounds import within
from suture.cli.output import note
from suture.engine import Engine
from suture.engine.checkpoint import Wanted, cut_summary, take_checkpoint
from suture.errors import SutureError
from suture.files.database import SHELL
from suture.files.root import START, find_root
from suture.json_text import loads
from suture.plan import SessionInfo

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping
    from typing import Any

_BEFORE = {"PreToolUse": "claude-code", "BeforeTool": "gemini-cli", "beforeShellExecution": "cursor"}
_AFTER = {"PostToolUse": "claude-code", "AfterTool": "gemini-cli", "afterShellExecution": "cursor"}
_START = {"SessionStart": "claude-code", "sessionStart": "cursor"}
"""The events, each with the agent whose it is, if the hook does not name it."""
_PROJECT_FOLDERS = ("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR")
_MAX_EVENT_BYTES = 20_000_000  # an event after a command has its output
_MAX_PAUSE_MS = 1_000  # of an agent that writes an event
_CHUNK_SIZE = 1 << 16  # bytes read from stdin at once
_MAX_ID_CHARS = 100


def run_hook(options: argparse.Namespace) -> int:
    """Do what an event asks for; returns 0 in any case."""
    try:
        event = _event()
        wanted = _wanted(event)
        if wanted is not None and options.settings.checkpoints:
            _take(options, event, wanted)
    except SutureError as error:
        note(f"suture: {error.code}")
    except Exception as error:  # noqa: BLE001  a hook that fails could stop the agent
        log.exception("hook", "failed")
        note(f"suture: {type(error).__name__}: {error}")
    return 0


def _event() -> dict[str, Any]:
    """The event that the agent describes on stdin."""
    raw = b"" if sys.stdin is None or sys.stdin.isatty() else _read_stdin(sys.stdin.fileno())
    if len(raw) > _MAX_EVENT_BYTES:
        raise ValueError("the event is too large")
    event = loads(raw.decode())
    if not isinstance(event, dict):
        raise TypeError("expected an object on stdin")
    return event


def _read_stdin(source: int) -> bytes:
    """What is on stdin, until its end or a pause: the agent may leave it open."""
    import select  # only hooks need it

    state, raw = select.poll(), bytearray()
    state.register(source, select.POLLIN)
    while len(raw) <= _MAX_EVENT_BYTES and state.poll(_MAX_PAUSE_MS) and (data := os.read(source, _CHUNK_SIZE)):
        raw += data
    return bytes(raw)


def _wanted(event: Mapping[str, Any]) -> Wanted | None:
    """The checkpoint that an event asks for; None if it asks for none."""
    name, command = _text(event, "hook_event_name"), _command(event)
    if name in _BEFORE:
        return Wanted("before", about=command)
    if name in _AFTER:
        return Wanted("after", tool=SHELL, summary=command, is_wanted=False)
    return Wanted("start") if name in _START else None


def _take(options: argparse.Namespace, event: Mapping[str, Any], wanted: Wanted) -> None:
    most_ms = options.settings.checkpoint_ms
    session = _session(options, event)
    settings = options.settings.evolve(lock_timeout_ms=min(options.settings.lock_timeout_ms, most_ms))
    engine = Engine(_root(options, event), settings, caller=session)
    about = session.agent if wanted.kind == "start" else wanted.about
    with within(settings), engine.session() as opened:
        take_checkpoint(opened, wanted.evolve(about=about, most_ms=most_ms))


def _session(options: argparse.Namespace, event: Mapping[str, Any]) -> SessionInfo:
    """The agent's session."""
    name = _text(event, "hook_event_name")
    agent = options.hook or {**_BEFORE, **_AFTER, **_START}.get(name, "")
    key = _text(event, "session_id") or _text(event, "conversation_id")
    own: SessionInfo = options.caller
    if own.label or not key.isprintable() or not 0 < len(key) <= _MAX_ID_CHARS:
        return own.evolve(agent=agent, transport="hook")
    return SessionInfo(key, agent, "", "hook", "")


def _root(options: argparse.Namespace, event: Mapping[str, Any]) -> str:
    """The workspace: that of the command's folder, or the agent's project if the folder is a part of it."""
    if options.location.given is not None:
        return str(options.location.root)
    found = find_root(_text(event, "cwd") or ".")
    if found.reason == START:
        roots = event.get("workspace_roots")
        projects = [os.environ.get(name, "") for name in _PROJECT_FOLDERS] + (roots if isinstance(roots, list) else [])
        for project in filter(None, map(str, projects)):
            if f"{found.path}/".startswith(f"{os.path.realpath(project)}/"):
                return project
    return found.path


def _command(event: Mapping[str, Any]) -> str:
    """The command line that an event is about."""
    given = event.get("tool_input")
    command = given.get("command") if isinstance(given, dict) else event.get("command")
    if isinstance(command, list):
        command = " ".join(map(str, command))
    return cut_summary(command if isinstance(command, str) and command else _text(event, "tool_name"))


def _text(event: Mapping[str, Any], name: str) -> str:
    value = event.get(name)
    return value if isinstance(value, str) else ""
