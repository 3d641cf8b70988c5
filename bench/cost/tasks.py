"""The ten tasks: what is to be done, and how to tell that it was done, in plain Python and without suture."""

from __future__ import annotations

import ast
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bench.cost.source import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from bench.cost.source import Tree

INDENT = " " * 4


@dataclass(frozen=True)
class Change:
    """A text that occurs once in a file, and what it becomes."""

    path: str
    old: str
    new: str

    def apply(self, tree: Tree) -> Tree:
        """The tree with the change."""
        content = tree[self.path].decode()
        if content.count(self.old) != 1:
            raise SystemExit(f"{self.old!r} occurs {content.count(self.old)} times in {self.path}, not once")
        return tree | {self.path: content.replace(self.old, self.new).encode()}


@dataclass(frozen=True)
class Task:
    """A task of the benchmark."""

    name: str
    title: str
    expected: Callable[[Tree], Tree]
    """The files afterwards."""
    shown: Callable[[Tree, str], bool] = lambda _tree, _text: True
    """Whether the answers show what was asked for."""
    after: str = ""
    """The task that is done before this one, uncounted."""


FUNCTION, FUNCTION_PATH = "get_flashed_messages", "src/flask/helpers.py"
FOLDER = "src/flask"
ONE_LINE = Change("src/flask/cli.py", 'default="127.0.0.1"', 'default="localhost"')
INDENTED = Change(
    "src/flask/sessions.py",
    "        if session.permanent:\n"
    "            return datetime.now(timezone.utc) + app.permanent_session_lifetime\n"
    "        return None\n",
    "        if session.permanent:\n"
    "            now = datetime.now(timezone.utc)\n"
    "            return now + app.permanent_session_lifetime\n"
    "        return None\n",
)
OLD_NAME, NEW_NAME = "url_for", "build_url"
CREATED_PATH = "src/flask/health.py"
CREATED = '''from __future__ import annotations

import typing as t

from .blueprints import Blueprint

bp = Blueprint("health", __name__, url_prefix="/health")


@bp.get("/live")
def live() -> dict[str, t.Any]:
    """Answer as long as the process runs."""
    return {"status": "ok"}
'''
FIVE = (
    Change("src/flask/app.py", "timedelta(days=31),", "timedelta(days=7),"),
    Change("src/flask/app.py", '"SESSION_COOKIE_SAMESITE": None,', '"SESSION_COOKIE_SAMESITE": "Lax",'),
    Change("src/flask/cli.py", "default=5000", "default=8000"),
    Change("src/flask/cli.py", 'default="endpoint"', 'default="rule"'),
    Change("src/flask/testing.py", '"REMOTE_ADDR": "127.0.0.1",', '"REMOTE_ADDR": "::1",'),
)
AMBIGUOUS_PATH, AMBIGUOUS_LINE = "src/flask/config.py", 297
AMBIGUOUS_OLD, AMBIGUOUS_NEW = "                return False", "                return bool(self)"
ABOVE = "            if silent and e.errno in (errno.ENOENT, errno.EISDIR):\n"
"""The line above the one that is meant; above the others there is another one."""
UNAMBIGUOUS = Change(AMBIGUOUS_PATH, ABOVE + AMBIGUOUS_OLD, ABOVE + AMBIGUOUS_NEW)
PATTERN = r"app_context\("


def with_tabs(text: str) -> str:
    """The text with a tab for each level of indentation."""
    return re.sub(rf"(?m)^(?:{INDENT})+", lambda match: "\t" * (len(match[0]) // len(INDENT)), text)


def renamed(tree: Tree) -> Tree:
    """The tree with `OLD_NAME` renamed wherever it is a whole word."""
    word = re.compile(rb"\b%s\b" % OLD_NAME.encode())
    return {path: word.sub(NEW_NAME.encode(), content) for path, content in tree.items()}


def apply_all(tree: Tree, changes: Iterable[Change]) -> Tree:
    """The tree with all these changes."""
    for change in changes:
        tree = change.apply(tree)
    return tree


def shows_function(tree: Tree, text: str) -> bool:
    """Whether the answers have every line of the function, as it is or in JSON."""
    lines = function_lines(tree[FUNCTION_PATH].decode(), FUNCTION)
    return all(line in text or json.dumps(line)[1:-1] in text for line in lines)


def function_lines(source: str, name: str) -> list[str]:
    """The lines of a function that are not empty."""
    (node,) = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.name == name)
    return [line for line in source.split("\n")[node.lineno - 1 : node.end_lineno] if line.strip()]


def shows_folder(tree: Tree, text: str) -> bool:
    """Whether the answers name everything in the folder, and nothing below that."""
    below = [path.removeprefix(f"{FOLDER}/") for path in tree if path.startswith(f"{FOLDER}/")]
    names = {path.partition("/")[0] for path in below}
    deeper = {path.rpartition("/")[2] for path in below} - names
    words = set(re.findall(r"[\w.]+", text))
    return names <= words and not deeper & words


def shows_files(tree: Tree, text: str) -> bool:
    """Whether the answers name exactly the files that match."""
    matching = {path for path, content in tree.items() if re.search(PATTERN.encode(), content)}
    return paths_in(text, tree) == matching


def paths_in(text: str, tree: Tree) -> set[str]:
    """The files that a text names, by relative or absolute paths."""
    words = re.findall(r"[\w./-]+", text.replace("\\n", "\n"))  # in JSON, a line break is a letter
    words = [word.removeprefix(f"{ROOT}/").removeprefix("./") for word in words]
    return tree.keys() & set(words)


TASKS = (
    Task("find", "find and read a function", dict, shows_function),
    Task("list", "list a folder", dict, shows_folder),
    Task("line", "edit one line", ONE_LINE.apply),
    Task("indentation", "edit, sent with tabs for spaces", INDENTED.apply),
    Task("rename", "rename in 47 files", renamed),
    Task("create", "create a file", lambda tree: tree | {CREATED_PATH: CREATED.encode()}),
    Task("five", "five edits in three files", lambda tree: apply_all(tree, FIVE)),
    Task("ambiguous", "edit, text occurs three times", UNAMBIGUOUS.apply),
    Task("files", "which files contain a pattern", dict, shows_files),
    Task("undo", "take back the edit of one line", dict, after="line"),
)
