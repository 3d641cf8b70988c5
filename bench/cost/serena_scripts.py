"""Serena, with each of its interfaces: many tools, or one tool that runs Python code (the default since 2.0).

It runs without a network once Pyright, its language server for Python, is installed. Its own files, and those of the
project, are kept outside the folder. The context `desktop-app` offers all tools: with others, Serena leaves tasks such
as reading files to the client's own tools.

The interface with tools also asks the model to call `initial_instructions` first, some 2,200 tokens. The tools work
without, so this is not counted; with the other interface, only that call returns the name of the session, which every
request must have.
"""

from __future__ import annotations

import json
import re
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bench.cost import tasks
from bench.cost.client import Client
from bench.cost.script import Call, Contestant, each, once
from bench.editbench.corpus import cache_folder
from bench.editbench.peers import Peer, install, install_npm

if TYPE_CHECKING:
    from bench.cost.script import Answer, Script, Steps
    from bench.cost.tasks import Change

SERENA = Peer("serena", "serena-agent", "2.1.0", from_source=("proxy_tools",))
PYRIGHT = "1.1.403"
SESSION = "5e551044"
"""Stands for the name of the session, which is as long."""


class Serena(Client):
    """A client that learns the session's name from the instructions."""

    def call(self, call: Call) -> tuple[Answer, float]:
        """Call a tool, in this session."""
        answer, seconds = super().call(call)
        if name := re.search(r"session id is `(\w+)`", answer.text):
            self.names[SESSION] = name[1]
        return answer, seconds


def start(interface: str, root: Path, own: Path) -> Client:
    """The server, with this interface."""
    python = install(SERENA, cache_folder())
    language_server = install_npm("pyright", PYRIGHT, cache_folder()) / "langserver.index.js"
    settings = {
        "web_dashboard": False,
        "web_dashboard_open_on_launch": False,
        "gui_log_window": False,
        "project_serena_folder_location": f"{own}/projects/$projectFolderName",
        "ls_specific_settings": {"python": {"ls_base_cmd": ["node", str(language_server)]}},
        "projects": [],
    }
    own.mkdir(parents=True)
    (own / "serena_config.yml").write_text(json.dumps(settings))
    options = ["--agent-interface", interface, "--context", "desktop-app", "--project", str(root)]
    command = [str(Path(python).with_name("serena")), "start-mcp-server", *options]
    return Serena(command, root, env={"HOME": str(own), "SERENA_HOME": str(own)})


def edit_indented() -> Steps:
    """Refused, without saying why; a search shows the lines as they are."""
    change = tasks.INDENTED
    answer = yield _replace(change.path, tasks.with_tabs(change.old), tasks.with_tabs(change.new))
    if answer.failed:
        pattern = {"substring_pattern": "if session.permanent:", "context_lines_after": 2}
        yield Call("search_for_pattern", {**pattern, "relative_path": change.path})
        yield _replace(change.path, change.old, change.new)


def edit_ambiguous() -> Steps:
    """Refused; then with the line above, which the model knows."""
    answer = yield _replace(tasks.AMBIGUOUS_PATH, tasks.AMBIGUOUS_OLD, tasks.AMBIGUOUS_NEW)
    if answer.failed:
        yield _replace(tasks.UNAMBIGUOUS.path, tasks.UNAMBIGUOUS.old, tasks.UNAMBIGUOUS.new)


def _replace(path: str, old: str, new: str) -> Call:
    return Call("replace_content", {"relative_path": path, "needle": old, "repl": new, "mode": "literal"})


def _change(change: Change) -> Call:
    return _replace(change.path, change.old, change.new)


TOOLS = {
    "find": once("find_symbol", name_path_pattern=tasks.FUNCTION, include_body=True),
    "list": once("list_dir", relative_path=tasks.FOLDER, recursive=False),
    "line": each(_change(tasks.ONE_LINE)),
    "indentation": edit_indented,
    # `rename_symbol` would rename the function and its uses in Python, but not those in templates and documentation.
    "rename": once("replace_in_files", needle=rf"\b{tasks.OLD_NAME}\b", repl=tasks.NEW_NAME, mode="regex"),
    "create": once("create_text_file", relative_path=tasks.CREATED_PATH, content=tasks.CREATED),
    "five": each(*map(_change, tasks.FIVE)),
    "ambiguous": edit_ambiguous,
    # A search shows lines and not only files, so the shell costs less.
    "files": once("execute_shell_command", command=f"grep -rlE '{tasks.PATTERN}' ."),
    # There is no undo: the reverse edit.
    "undo": each(_replace(tasks.ONE_LINE.path, tasks.ONE_LINE.new, tasks.ONE_LINE.old)),
}


def read_instructions() -> Steps:
    """The instructions, and the documentation of what the tasks need."""
    yield Call("initial_instructions", {})
    yield _code('s.info("fs", "edit", "lsp.find_symbol", "PatternMatches")')


def edit_indented_by_code() -> Steps:
    """The same three steps as with tools."""
    change = tasks.INDENTED
    answer = yield _code(_replace_code(change.path, tasks.with_tabs(change.old), tasks.with_tabs(change.new)))
    if "OK" not in answer.text:
        yield _code(
            f's.fs.search_for_pattern("if session.permanent:", context_lines_after=2, relative_path="{change.path}")'
        )
        yield _code(_replace_code(change.path, change.old, change.new))


def edit_ambiguous_by_code() -> Steps:
    """The same two steps as with tools."""
    answer = yield _code(_replace_code(tasks.AMBIGUOUS_PATH, tasks.AMBIGUOUS_OLD, tasks.AMBIGUOUS_NEW))
    if "OK" not in answer.text:
        yield _code(_replace_code(tasks.UNAMBIGUOUS.path, tasks.UNAMBIGUOUS.old, tasks.UNAMBIGUOUS.new))


def run_code(*lines: str) -> Script:
    """The script of one piece of code."""
    return each(_code("\n".join(lines)))


def _code(code: str) -> Call:
    return Call("serena_repl", {"session": SESSION, "code": code})


def _replace_code(path: str, old: str, new: str) -> str:
    return f's.edit.replace_content({path!r}, {old!r}, {new!r}, "literal")'


REPL = {
    "find": run_code(f's.lsp.find_symbol("{tasks.FUNCTION}", include_body=True)'),
    "list": run_code(f's.fs.list_dir("{tasks.FOLDER}", False)'),
    "line": run_code(_replace_code(tasks.ONE_LINE.path, tasks.ONE_LINE.old, tasks.ONE_LINE.new)),
    "indentation": edit_indented_by_code,
    "rename": run_code(f's.edit.replace_in_files(r"\\b{tasks.OLD_NAME}\\b", "{tasks.NEW_NAME}", "regex")'),
    "create": run_code(f"s.fs.create_text_file({tasks.CREATED_PATH!r}, '''{tasks.CREATED}''')"),
    "five": run_code(*(_replace_code(change.path, change.old, change.new) for change in tasks.FIVE)),
    "ambiguous": edit_ambiguous_by_code,
    "files": run_code(f'sorted({{m.source_file_path for m in s.fs.search_for_pattern(r"{tasks.PATTERN}").matches}})'),
    "undo": run_code(_replace_code(tasks.ONE_LINE.path, tasks.ONE_LINE.new, tasks.ONE_LINE.old)),
}
CONTESTANTS = [
    Contestant("Serena tools", SERENA.version, partial(start, "tools"), TOOLS),
    Contestant("Serena REPL", SERENA.version, partial(start, "repl"), REPL, before=read_instructions),
]
