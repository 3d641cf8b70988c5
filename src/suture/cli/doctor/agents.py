"""What `suture doctor` looks at in agents' settings: which start suture, and whether what they start is there."""

from __future__ import annotations

import os
from shlex import join
from shutil import which

from suture.cli.clients import CLIENTS, NoHomeError
from suture.cli.doctor.finding import note, ok, problem
from suture.cli.merging import Unmergeable, parsed, servers_in
from suture.cli.settings_file import as_utf8, place_of
from suture.text import Text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from suture.cli.clients import Client
    from suture.cli.doctor.finding import Finding

_LARGEST = 10_000_000
_NAME = "suture"


def agents(root: str) -> Iterator[Finding]:
    """Every entry in the settings of an agent, the user's own and the project's, that starts suture."""
    none = True
    for client in CLIENTS.values():
        for scope in ("user", "project")[: 1 + (client.project is not None)]:
            for finding in _settings(client, scope, root):
                none = False
                yield finding
    if none:
        yield note("settings", "no agent starts suture", "To put it into one: suture init")


def _settings(client: Client, scope: str, root: str) -> Iterator[Finding]:
    try:
        path = place_of(client, scope, root).path
        servers = _read(path, client)
    except NoHomeError:
        return
    except (OSError, Unmergeable) as error:
        why = getattr(error, "strerror", None) or str(error)
        yield note(client.name, f"{path} cannot be read: {why}", "Mend it, or its servers do not start.")
        return
    for name, entry in servers.items():
        if isinstance(entry, dict) and _is_ours(name, entry):
            yield _entry(client, scope, root, path, name, entry)


def _read(path: str, client: Client) -> dict[str, Any]:
    """The servers in a file; none where there is no file."""
    if not os.path.isfile(path):
        return {}
    with open(path, "rb") as file:
        text = as_utf8(Text.decode(file.read(_LARGEST)))
    return servers_in(parsed(text, client.format), client.addition(_NAME, [_NAME]))


def _is_ours(name: str, entry: dict[str, Any]) -> bool:
    program = os.path.basename(str(entry.get("command", ""))).removesuffix(".exe")
    return _NAME in {name, program} or f"-m {_NAME} " in " ".join(_words(entry))


def _words(entry: dict[str, Any]) -> list[str]:
    found = entry.get("args")
    return [str(each) for each in found] if isinstance(found, list) else []


def _entry(client: Client, scope: str, root: str, path: str, name: str, entry: dict[str, Any]) -> Finding:
    """Whether what an entry names is there."""
    command, words = entry.get("command"), _words(entry)
    if not isinstance(command, str):
        said = f"{path} has {name}, but not as suture init writes it"
        return note(client.name, said, "Nothing to do, if it works; suture cannot tell what it starts.")
    served = words[words.index("--root") + 1] if "--root" in words[:-1] else None
    again = join([_NAME, "init", client.name, f"--{scope}", "--write", "--force", "--name", name, "--root"])
    if which(command) is None:
        said = f"{path} starts {command}, which is not there"
        return problem(client.name, said, f"{again} {join([served or root])}")
    if served is not None and not os.path.isdir(served):
        said = f"{path} serves {served}, which is no folder"
        return problem(client.name, said, f"{again} DIR")
    return ok(client.name, f"{path} starts {command}{'' if served is None else f' for {served}'}")
