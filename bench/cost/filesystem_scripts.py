"""`server-filesystem`: edits of one file at a time, no search of contents, no undo.

Relative paths are accepted, and are shorter.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bench.cost import tasks
from bench.cost.client import Client
from bench.cost.script import Call, Contestant, once
from bench.editbench.corpus import cache_folder
from bench.sessions import VERSION, filesystem_server

if TYPE_CHECKING:
    from pathlib import Path

    from bench.cost.script import Steps
    from bench.cost.tasks import Change

NO_SEARCH = "no tool searches contents"


def start(root: Path, _own: Path) -> Client:
    """The server for this folder."""
    return Client(["node", str(filesystem_server(cache_folder())), str(root)], root)


def find() -> Steps:
    """With no search of contents, the model lists the files, and guesses the right one at once, which is lucky."""
    yield Call("search_files", {"path": "src", "pattern": "**/*.py"})
    yield Call("read_text_file", {"path": tasks.FUNCTION_PATH})


def edit_indented() -> Steps:
    """The server finds the lines, but indents the new ones wrongly. Its diff shows that, and the model corrects it."""
    change = tasks.INDENTED
    answer = yield _edit(change.path, (tasks.with_tabs(change.old), tasks.with_tabs(change.new)))
    added = "".join(f"{line}\n" for line in re.findall(r"(?m)^\+(?!\+\+ )(.*)", answer.text))
    if answer.failed:
        yield _edit(change.path, (change.old, change.new))
    elif added not in change.new:
        yield _edit(change.path, (added, change.new.partition("\n")[2]))


def edit_ambiguous() -> Steps:
    """The server changes the first of the places. Its diff shows that, and the model corrects it."""
    yield _edit(tasks.AMBIGUOUS_PATH, (tasks.AMBIGUOUS_OLD, tasks.AMBIGUOUS_NEW))
    wrong = (tasks.AMBIGUOUS_NEW, tasks.AMBIGUOUS_OLD)
    yield _edit(tasks.AMBIGUOUS_PATH, wrong, (tasks.UNAMBIGUOUS.old, tasks.UNAMBIGUOUS.new))


def edit_five() -> Steps:
    """All edits of a file in a call."""
    for path in dict.fromkeys(change.path for change in tasks.FIVE):
        yield _edit(path, *((change.old, change.new) for change in tasks.FIVE if change.path == path))


def _edit(path: str, *edits: tuple[str, str]) -> Call:
    return Call("edit_file", {"path": path, "edits": [{"oldText": old, "newText": new} for old, new in edits]})


def _change(change: Change) -> Steps:
    yield _edit(change.path, (change.old, change.new))


def undo() -> Steps:
    """There is no undo: the reverse edit."""
    yield _edit(tasks.ONE_LINE.path, (tasks.ONE_LINE.new, tasks.ONE_LINE.old))


CONTESTANTS = [
    Contestant(
        "server-filesystem",
        VERSION,
        start,
        {
            "find": find,
            "list": once("list_directory", path=tasks.FOLDER),
            "line": lambda: _change(tasks.ONE_LINE),
            "indentation": edit_indented,
            "rename": NO_SEARCH,
            "create": once("write_file", path=tasks.CREATED_PATH, content=tasks.CREATED),
            "five": edit_five,
            "ambiguous": edit_ambiguous,
            "files": NO_SEARCH,
            "undo": undo,
        },
    )
]
