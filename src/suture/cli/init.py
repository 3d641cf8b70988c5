"""`suture init`: what puts suture's MCP server into an agent, printed, or written into the file that the agent reads.

The entry names the program and the workspace by their full paths: agents start servers in folders and with a PATH of
their own, and not all of them know variables such as ${workspaceFolder}.
"""

from __future__ import annotations

import os
import sys

from suture import wording
from suture.cli.clients import CLIENTS, Different, NoHomeError, Unmergeable, place_of, put, snippet, state
from suture.cli.output import USAGE, clean, complain, note, print_json, print_text, refuse, report_misuse
from suture.errors import SutureError
from suture.tools import chosen

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from suture.cli.clients import Addition, Client, Outcome, Place

_MAX_NAME = 64  # characters, as in the names of tools
_NAME_SIGNS = frozenset("-_")


def init(options: argparse.Namespace) -> int:
    """Print the settings, or write them."""
    if code := _check_usage(options):
        return code
    root = os.path.abspath(options.root)
    if options.client is None:
        return _list(options, root)
    client = CLIENTS[options.client]
    try:
        command = _command(options, root)
        place = place_of(client, _scope(client, options), root)
    except (NoHomeError, Unmergeable) as error:
        problem, hint = clean(str(error)), "Fix that, or choose another --root."
        if options.json:
            print_json({"client": client.name, "status": "refused", "written": False, "error": problem, "hint": hint})
        else:
            refuse("SETTINGS_NOT_WRITTEN", f"suture init: {problem}.", hint)
        return 1
    addition = client.addition(options.name, command)
    if not options.write:
        return _show(options, client, place, addition)
    return _write(options, client, place, addition)


def _check_usage(options: argparse.Namespace) -> int:
    """Print what is wrong with the arguments; returns the exit code, 0 if nothing is."""
    try:
        chosen(options.profile, options.tools)
    except ValueError as error:
        return report_misuse("init", error)
    except SutureError as error:
        complain(wording.error_text(error))
        return USAGE
    problem = _misuse(options)
    return report_misuse("init", problem) if problem else 0


def _misuse(options: argparse.Namespace) -> str:
    """What is wrong with the arguments; empty if nothing is."""
    name: str = options.name
    if options.client is not None and options.client not in CLIENTS:
        return _unknown_client(options.client)
    if options.client is None and (options.write or options.force):
        return f"say which client: {', '.join(CLIENTS)}"
    if options.force and not options.write:
        return "--force goes with --write"
    if options.project and options.client is not None and CLIENTS[options.client].project is None:
        return f"{CLIENTS[options.client].title} has no settings of a project"
    if not name.isascii() or not name or not all(char.isalnum() or char in _NAME_SIGNS for char in name):
        return "--name: expected letters, digits, - and _"
    return f"--name: at most {_MAX_NAME} characters" if len(name) > _MAX_NAME else ""


def _unknown_client(name: str) -> str:
    from difflib import get_close_matches  # slow to import, and only a typing error needs it

    near = get_close_matches(name.lower(), CLIENTS, 1)
    meant = f"did you mean {near[0]}?" if near else f"there are {', '.join(CLIENTS)}"
    return f"there is no client {clean(name)}; {meant}"


def _command(options: argparse.Namespace, root: str) -> list[str]:
    """What starts the server."""
    if not os.path.isdir(root):
        raise Unmergeable(f"there is no folder {root}")
    profile = [] if options.profile is None else ["--profile", options.profile]
    tools = [] if options.tools is None else ["--tools", ",".join(options.tools)]
    command = [*_program(), "mcp", "--root", root, *profile, *tools]
    try:
        "".join(command).encode()
    except UnicodeEncodeError:
        raise Unmergeable(f"{root} or the path of suture is not UTF-8, which settings must be") from None
    return command


def _program() -> list[str]:
    """The command of this suture: its program, by its full path, or its module."""
    from shutil import which  # the other commands do without it

    running = sys.argv[0]
    path = which(running) if os.path.basename(running).removesuffix(".exe") == "suture" else None
    if path is None:  # -P: nothing is imported from the folder that an agent starts it in
        return [sys.executable, "-P", "-m", "suture"]
    return [os.path.abspath(path)]


def _scope(client: Client, options: argparse.Namespace) -> str:
    return "user" if options.user else "project" if options.project else client.by_default


def _list(options: argparse.Namespace, root: str) -> int:
    """Print the clients, the file of each, and what is in it."""
    rows = []
    for client in CLIENTS.values():
        scope = _scope(client, options)
        if scope == "project" and client.project is None:
            continue
        try:
            path = place_of(client, scope, root).path
            entry_state = state(path, client.addition(options.name, ["suture"]))
        except NoHomeError as error:
            path, entry_state = None, str(error)
        rows.append({"client": client.name, "title": client.title, "scope": scope, "path": path, "state": entry_state})
    if options.json:
        print_json(rows)
        return 0
    width, longest = (max(len(row[key] or "") for row in rows) for key in ("client", "path"))
    for row in rows:
        print_text(f"{row['client']:{width}}  {clean(row['path'] or ''):{longest}}  {row['state']}".rstrip())
    return 0


def _show(options: argparse.Namespace, client: Client, place: Place, addition: Addition) -> int:
    entry_text = snippet(addition)
    if options.json:
        print_json(_data(client, place, addition, "shown"))
        return 0
    lines = [f"{client.title} reads its MCP servers from {clean(place.path)}. What belongs there:", "", entry_text]
    if client.name == "claude-code":
        from shlex import join

        own = ["claude", "mcp", "add", "--scope", place.scope, "--transport", "stdio", addition.name, "--"]
        how = join([*own, addition.entry["command"], *addition.entry["args"]])
        lines += ["Or, in the project:", "", f"  {clean(how)}", ""]
    print_text("\n".join(lines), end="")
    _hint(f"Nothing was written; with --write it is put in there. Then: {client.hint}{_for_all(place, addition)}")
    return 0


def _for_all(place: Place, addition: Addition) -> str:
    """A note on settings that apply to all projects."""
    root = addition.entry["args"][addition.entry["args"].index("--root") + 1]
    return (
        "" if place.scope == "project" else f"\nIt serves {clean(root)} in every project; others need another --name."
    )


def _hint(text: str) -> None:
    """Print what to do next."""
    from importlib.util import find_spec

    note(text)
    if find_spec("mcp") is None:
        note("note: the server needs more than suture alone: pip install 'suture[mcp]'")


def _write(options: argparse.Namespace, client: Client, place: Place, addition: Addition) -> int:
    hint = "Put it in by hand, as shown below."
    try:
        outcome = put(place, addition, force=options.force)
    except Different as error:
        problem = f"it has another {addition.name} already ({clean(str(error))})."
        hint = "To replace it with all that it holds, add --force; to have both, give this one another --name."
    except Unmergeable as error:
        problem = clean(str(error))
    except SutureError as error:
        problem = wording.error_text(error)
    else:
        _tell(options, client, place, addition, outcome)
        return 0
    if options.json:
        print_json({**_data(client, place, addition, "refused"), "error": problem, "hint": hint})
    else:
        refuse("SETTINGS_NOT_WRITTEN", f"nothing was written to {clean(place.path)}: {problem}", hint)
        note("\nWhat belongs there:\n")
        print_text(snippet(addition), end="")
    return 1


def _tell(options: argparse.Namespace, client: Client, place: Place, addition: Addition, outcome: Outcome) -> None:
    if options.json:
        print_json(_data(client, place, addition, outcome.status, outcome.backup))
        return
    kept = "" if outcome.backup is None else f" (as it was: {clean(outcome.backup)})"
    print_text(f"{outcome.status}: {clean(place.path)}{kept}")
    if outcome.undo:
        _hint(f"{client.hint}{_for_all(place, addition)}\nTo take it back: {clean(outcome.undo)}")


def _data(
    client: Client, place: Place, addition: Addition, status: str, backup: str | None = None
) -> dict[str, object]:
    return {
        "client": client.name,
        "path": place.path,
        "format": client.format,
        "entry": addition.entry,
        "status": status,
        "written": status == "written",
        "backup": backup,
        "snippet": snippet(addition),
    }
