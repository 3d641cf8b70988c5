"""suture: the profile `agent`, as different clients, and the profile `full`."""

from __future__ import annotations

import re
import sys
from functools import partial
from typing import TYPE_CHECKING

from bench.cost import tasks
from bench.cost.client import Client
from bench.cost.script import READ_LINES, Call, Contestant, once
from suture import __version__

if TYPE_CHECKING:
    from pathlib import Path

    from bench.cost.script import Script, Steps
    from bench.cost.tasks import Change

CLIENTS = ("bench", "claude-code", "codex")
"""Names of clients: what suture sends may depend on them."""


def start(profile: str, client: str, root: Path, own: Path) -> Client:
    """A server with this profile."""
    command = [sys.executable, "-m", "suture", "mcp", "--root", str(root), "--profile", profile]
    return Client(command, root, name=client, env={"XDG_STATE_HOME": str(own)})


def find() -> Steps:
    """A search shows the line of the definition, and reading begins there."""
    pattern = f"def {tasks.FUNCTION}"
    answer = yield Call("grep", {"pattern": pattern, "output_mode": "content"})
    line = int(re.findall(rf"(\d+)\W+{pattern}", answer.text)[0])
    yield Call("read", {"file_path": tasks.FUNCTION_PATH, "offset": line, "limit": READ_LINES})


def edit_indented() -> Steps:
    """The new text is indented as the file is. If it were refused, the model would send it with that indentation."""
    change = tasks.INDENTED
    old, new = tasks.with_tabs(change.old), tasks.with_tabs(change.new)
    answer = yield Call("edit", {"file_path": change.path, "old_string": old, "new_string": new})
    if answer.failed:
        yield Call("edit", _edit(change))


def edit_ambiguous() -> Steps:
    """The answer shows the lines of all places, and the second request names one."""
    edit = {"file_path": tasks.AMBIGUOUS_PATH, "old_string": tasks.AMBIGUOUS_OLD, "new_string": tasks.AMBIGUOUS_NEW}
    answer = yield Call("edit", edit)
    if answer.failed:
        yield Call("edit", edit | {"line": tasks.AMBIGUOUS_LINE})


def _edit(change: Change) -> dict[str, object]:
    return {"file_path": change.path, "old_string": change.old, "new_string": change.new}


AGENT: dict[str, Script | str] = {
    "find": find,
    "list": once("read", file_path=tasks.FOLDER),
    "line": once("edit", **_edit(tasks.ONE_LINE)),
    "indentation": edit_indented,
    "rename": once("replace_in_files", old=tasks.OLD_NAME, new=tasks.NEW_NAME, whole_word=True),
    "create": once("write", file_path=tasks.CREATED_PATH, content=tasks.CREATED),
    "five": once("edit", edits=[_edit(change) for change in tasks.FIVE]),
    "ambiguous": edit_ambiguous,
    "files": once("grep", pattern=tasks.PATTERN),
    "undo": once("undo"),
}


def find_full() -> Steps:
    """The same two steps as with the profile `agent`."""
    pattern = f"def {tasks.FUNCTION}"
    answer = yield Call("regex_search_multi", {"path_pattern": "**/*.py", "pattern": pattern})
    line = int(re.findall(r'"line":(\d+)', answer.text)[0])
    lines = {"start_line": line, "end_line": line + READ_LINES - 1}
    yield Call("file_read", {"path": tasks.FUNCTION_PATH, **lines})


def edit_ambiguous_full() -> Steps:
    """Refused; then with the line above, which the model knows."""
    answer = yield Call("file_edit", _file_edit((tasks.AMBIGUOUS_PATH, tasks.AMBIGUOUS_OLD, tasks.AMBIGUOUS_NEW)))
    if answer.failed:
        change = tasks.UNAMBIGUOUS
        yield Call("file_edit", _file_edit((change.path, change.old, change.new)))


def edit_five_full() -> Steps:
    """All edits of a file in a call."""
    for path in dict.fromkeys(change.path for change in tasks.FIVE):
        yield Call("file_edit", _file_edit(*((path, c.old, c.new) for c in tasks.FIVE if c.path == path)))


def _file_edit(*edits: tuple[str, str, str]) -> dict[str, object]:
    return {"path": edits[0][0], "edits": [{"old_text": old, "new_text": new} for _, old, new in edits]}


FULL: dict[str, Script | str] = {
    "find": find_full,
    "list": "no tool lists a folder",
    "line": once("file_edit", **_file_edit((tasks.ONE_LINE.path, tasks.ONE_LINE.old, tasks.ONE_LINE.new))),
    # `file_edit` would refuse this text and offer the corrected one; `patch` adapts it.
    "indentation": once(
        "patch",
        path=tasks.INDENTED.path,
        patches=[{"oldText": tasks.with_tabs(tasks.INDENTED.old), "newText": tasks.with_tabs(tasks.INDENTED.new)}],
    ),
    "rename": once(
        "regex_replace_multi",
        path_pattern="**/*",
        pattern=rf"\b{tasks.OLD_NAME}\b",
        replacement=tasks.NEW_NAME,
        flags="g",
    ),
    "create": once("patch", path=tasks.CREATED_PATH, patches=[{"operation": "overwrite", "newText": tasks.CREATED}]),
    "five": edit_five_full,
    "ambiguous": edit_ambiguous_full,
    "files": once("regex_search_multi", path_pattern="**/*", pattern=tasks.PATTERN),
    "undo": once("undo"),
}

AGENTS = [
    Contestant(
        "suture agent" if client == CLIENTS[0] else f"suture agent, {client}",
        __version__,
        partial(start, "agent", client),
        AGENT,
    )
    for client in CLIENTS
]
CONTESTANTS = [*AGENTS, Contestant("suture full", __version__, partial(start, "full", CLIENTS[0]), FULL)]
