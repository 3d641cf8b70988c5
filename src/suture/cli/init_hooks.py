"""`suture init AGENT --hooks`: hooks that record what an agent's shell commands change.

Settings of Claude Code and Gemini CLI, and a file of its own in Codex, list hooks by event:

    {"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "…", "timeout": 10}]}], …}}

Hooks that are there already stay. An event that has a hook with our command is left as it is.
"""

from __future__ import annotations

import os
from shlex import join

from suture import wording
from suture.cli.init import (
    Addition,
    Client,
    NoHomeError,
    Place,
    Unmergeable,
    as_utf8,
    land,
    merge,
    parse,
    place_at,
    program_of,
    with_backup,
)
from suture.cli.output import clean, note, print_json, print_text, refuse
from suture.errors import SutureError
from suture.plan import Plan
from suture.records import Record
from suture.text.edits import edit

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from typing import Any

    from suture.engine.session import Session

_KEY = "hooks"
_OUR_WORDS = ("checkpoint", "--hook")


class _Hooks(Record):
    """Where an agent reads hooks, and how they look."""

    agent: str
    """Its name for `--hook`."""
    format: str
    files: dict[str, tuple[str, str]]
    """By scope: the folder, a key of `init`'s folders or `project`, and the path in it; the default first."""
    events: tuple[str, ...]
    matcher: str
    timeout: int
    hint: str


_TOOL_EVENTS = ("PreToolUse", "PostToolUse")
HOOKS = {
    "claude-code": _Hooks(
        "claude-code",
        "json",
        {
            "local": ("project", ".claude/settings.local.json"),
            "user": ("claude-settings", "settings.json"),
            "project": ("project", ".claude/settings.json"),
        },
        _TOOL_EVENTS,
        "Bash",
        10,
        "Restart Claude Code; /hooks lists its hooks.",
    ),
    "codex": _Hooks(
        "codex",
        "json",
        {"user": ("codex", "hooks.json"), "project": ("project", ".codex/hooks.json")},
        _TOOL_EVENTS,
        "^Bash$",
        10,
        "Restart Codex; it reads a project's file only if the project is trusted.",
    ),
    "gemini": _Hooks(
        "gemini-cli",
        "jsonc",
        {"user": ("home", ".gemini/settings.json"), "project": ("project", ".gemini/settings.json")},
        ("BeforeTool", "AfterTool"),
        "run_shell_command",
        10_000,
        "Restart Gemini CLI; /hooks lists its hooks.",
    ),
}
"""The agents whose hooks can be written, by their names for `suture init`."""


def init_hooks(options: argparse.Namespace, client: Client, scope: str | None) -> int:
    """Print or write an agent's hooks."""
    try:
        hooks, place = _place(client, scope, os.path.abspath(options.location.root))
        command = join([*program_of(place.scope), *_OUR_WORDS, hooks.agent])
        if not options.write:
            return _show(options, client, place, hooks, command)
        outcome = land(place, lambda session: _plan(session, place, hooks, command))
    except (NoHomeError, Unmergeable) as error:
        return _refuse(options, client, f"{error}.")
    except SutureError as error:
        return _refuse(options, client, wording.error_text(error))
    if options.json:
        print_json(_data(client, place, outcome.status, outcome.backup))
        return 0
    backup = "" if outcome.backup is None else f" (backup: {clean(outcome.backup)})"
    print_text(f"{outcome.status}: {clean(place.path)}{backup}")
    if outcome.undo:
        note(f"{hooks.hint}\nTo undo: {clean(outcome.undo)}")
    return 0


def _place(client: Client, scope: str | None, root: str) -> tuple[_Hooks, Place]:
    """An agent's hooks, and the file of a scope."""
    hooks = HOOKS.get(client.name)
    if hooks is None:
        raise Unmergeable(f"suture writes the hooks of {', '.join(HOOKS)}, not those of {client.title}")
    chosen = scope or next(iter(hooks.files))
    if chosen not in hooks.files:
        raise Unmergeable(f"{client.title} has no {chosen} hooks; use --scope {' or '.join(hooks.files)}")
    return hooks, place_at(*hooks.files[chosen], chosen, root)


def _show(options: argparse.Namespace, client: Client, place: Place, hooks: _Hooks, command: str) -> int:
    text = _merged("", hooks, command)
    if options.json:
        print_json({**_data(client, place, "shown"), "snippet": text})
        return 0
    print_text(f"{client.title} reads its hooks from {clean(place.path)}. Add this:\n")
    print_text(text, end="")
    note(f"Nothing was written; use --write to add the hooks.\n{hooks.hint}")
    return 0


def _refuse(options: argparse.Namespace, client: Client, problem: str) -> int:
    hint = "Hooks can be added by hand: see docs/how-to/checkpoints.md."
    if options.json:
        data = {"client": client.name, "status": "refused", "written": False, "error": clean(problem), "hint": hint}
        print_json(data)
    else:
        refuse("SETTINGS_NOT_WRITTEN", f"suture init: {clean(problem)}", hint)
    return 1


def _data(client: Client, place: Place, status: str, backup: str | None = None) -> dict[str, object]:
    return {
        "client": client.name,
        "path": place.path,
        "scope": place.scope,
        "status": status,
        "written": status == "written",
        "backup": backup,
    }


def _plan(session: Session, place: Place, hooks: _Hooks, command: str) -> Plan:
    """The plan for the current file; empty if it has the hooks."""
    summary = f"Add hooks to {place.name}"
    if session.locate(place.name).stat is None:
        created = session.plan_create(place.name, _merged("", hooks, command).encode())
        return Plan((created,), "init", summary)
    before = session.text(place.name)
    text = as_utf8(before.text)
    merged = _merged(text, hooks, command)
    if merged == text:
        return Plan(())
    update = session.plan_update(before, [edit(0, len(before.text.body), merged.encode())])
    return Plan((update, *with_backup(session, place, before)), "init", summary)


def _merged(text: str, hooks: _Hooks, command: str) -> str:
    """Settings with the hooks."""
    for event in hooks.events:
        present = _present(text, hooks, event)
        if not any(_is_ours(group) for group in present):
            run = {"type": "command", "command": command, "timeout": hooks.timeout}
            groups = [*present, {"matcher": hooks.matcher, _KEY: [run]}]
            text = merge(text, Addition(hooks.format, (_KEY,), event, groups), replace=True).text
    return text


def _present(text: str, hooks: _Hooks, event: str) -> list[Any]:
    """The hooks of an event."""
    events = parse(text, hooks.format).get(_KEY, {})
    groups = events.get(event, []) if isinstance(events, dict) else []
    if not isinstance(groups, list):
        raise Unmergeable(f"{_KEY}.{event} in it is not a list")
    return groups


def _is_ours(group: object) -> bool:
    """Whether one of the hooks of a group runs suture."""
    listed = group.get(_KEY) if isinstance(group, dict) else None
    commands = [hook.get("command") for hook in listed if isinstance(hook, dict)] if isinstance(listed, list) else []
    return any(isinstance(command, str) and all(word in command for word in _OUR_WORDS) for command in commands)
