"""Desktop Commander: edits with `edit_block`, searches that run in the background, and a shell.

Its descriptions ask for absolute paths.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from bench.cost import tasks
from bench.cost.client import Client
from bench.cost.script import READ_LINES, Call, Contestant, each, once
from bench.cost.source import ROOT
from bench.editbench.corpus import cache_folder
from bench.editbench.peers import install_npm

if TYPE_CHECKING:
    from pathlib import Path

    from bench.cost.script import Answer, Steps

PACKAGE, VERSION = "@wonderwhy-er/desktop-commander", "0.2.52"
OVERRIDES = {"typedarray.prototype.slice": "1.0.5"}
"""The version that a dependency asks for was not on the registry."""
SETTINGS = {"telemetryEnabled": False, "pendingWelcomeOnboarding": False}
SHELL_MS = 10_000
HOME = "/workspace/home"


def start(root: Path, own: Path) -> Client:
    """The server, which keeps its settings and logs in the home folder."""
    script = install_npm(PACKAGE, VERSION, cache_folder(), OVERRIDES) / "dist" / "index.js"
    settings = own / ".claude-server-commander" / "config.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps(SETTINGS | {"allowedDirectories": [str(root)]}))
    client = Client(["node", str(script)], root, env={"HOME": str(own)})
    client.names[HOME] = str(own)  # some answers name its log
    return client


def find() -> Steps:
    """A search for the definition, then its lines."""
    text = f"def {tasks.FUNCTION}"
    options = {"searchType": "content", "literalSearch": True, "contextLines": 0}
    answer = yield Call("start_search", {"path": ROOT, "pattern": text, **options})
    while not (lines := re.findall(r":(\d+) - def ", answer.text)):
        answer = yield Call("get_more_search_results", {"sessionId": _first(r"session: (\S+)", answer)})
    at = {"offset": int(lines[0]) - 1, "length": READ_LINES}
    yield Call("read_file", {"path": _absolute(tasks.FUNCTION_PATH), **at})


def edit_indented() -> Steps:
    """Refused; the answer shows the nearest text, and with it the right indentation."""
    change = tasks.INDENTED
    answer = yield _edit(change.path, tasks.with_tabs(change.old), tasks.with_tabs(change.new))
    if "Successfully" not in answer.text:
        yield _edit(change.path, change.old, change.new)


def edit_ambiguous() -> Steps:
    """Refused; then with the line above, which the model knows."""
    answer = yield _edit(tasks.AMBIGUOUS_PATH, tasks.AMBIGUOUS_OLD, tasks.AMBIGUOUS_NEW)
    if "Successfully" not in answer.text:
        yield _edit(tasks.UNAMBIGUOUS.path, tasks.UNAMBIGUOUS.old, tasks.UNAMBIGUOUS.new)


def rename() -> Steps:
    """`edit_block` needs a call per file, so the shell is the way that its descriptions name for such changes."""
    command = f"cd {ROOT} && grep -rlwI {tasks.OLD_NAME} . | xargs sed -i 's/\\b{tasks.OLD_NAME}\\b/{tasks.NEW_NAME}/g'"
    yield from _shell(command)


def find_files() -> Steps:
    """A search shows lines and not only files, so the shell costs less."""
    yield from _shell(f"cd {ROOT} && grep -rlE '{tasks.PATTERN}' .")


def _shell(command: str) -> Steps:
    """A command; if the answer shows nothing yet, or says that it still runs, another call waits for its end."""
    answer = yield Call("start_process", {"command": command, "timeout_ms": SHELL_MS})
    output = answer.text.partition("Initial output:\n")[2].strip()
    if not output or "is running" in output:
        pid = int(_first(r"PID (\d+)", answer))
        yield Call("read_process_output", {"pid": pid, "timeout_ms": SHELL_MS})


def _edit(path: str, old: str, new: str) -> Call:
    return Call("edit_block", {"file_path": _absolute(path), "old_string": old, "new_string": new})


def _absolute(path: str) -> str:
    return f"{ROOT}/{path}"


def _first(pattern: str, answer: Answer) -> str:
    return str(re.findall(pattern, answer.text)[0])


def outside_a_container(description: str) -> str:
    """The description without what it says about the container that the benchmark runs in."""
    description = re.sub(r"\n\n🐳 [A-Z ]+: .*\nWhen users ask .*?\.(?= )", "", description)
    return re.sub(r"(?s) \([A-Za-z]+\)(\. Default shell: \w+\.)\n\n🐳 .*?(?=\n *\n[A-Z]+-SPECIFIC)", r"\1", description)


CONTESTANTS = [
    Contestant(
        "Desktop Commander",
        VERSION,
        start,
        {
            "find": find,
            "list": once("list_directory", path=_absolute(tasks.FOLDER), depth=1),
            "line": each(_edit(tasks.ONE_LINE.path, tasks.ONE_LINE.old, tasks.ONE_LINE.new)),
            "indentation": edit_indented,
            "rename": rename,
            "create": once("write_file", path=_absolute(tasks.CREATED_PATH), content=tasks.CREATED, mode="rewrite"),
            "five": each(*(_edit(change.path, change.old, change.new) for change in tasks.FIVE)),
            "ambiguous": edit_ambiguous,
            "files": find_files,
            # There is no undo: the reverse edit.
            "undo": each(_edit(tasks.ONE_LINE.path, tasks.ONE_LINE.new, tasks.ONE_LINE.old)),
        },
        description=outside_a_container,
    )
]
