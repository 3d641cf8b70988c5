"""Effects in one place: system calls that write are in `files/local_fs.py`, their callers in the commit path.

The tests read the syntax tree, so they see only explicit calls; reviews must find writes through `ctypes` or `getattr`.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "suture"

# The modules that may make system calls that write; the double in memory opens databases in memory.
# A `Layout` writes only into its own private folder outside the workspace.
PRIMITIVES = {"files/local_fs.py", "testing.py"}
# Writes to another process, not to a file.
PIPES = {("check/programs.py", "os.write"), ("files/worker.py", "os.write"), ("server/stdio.py", "os.write")}
# The modules that may call the writing methods of an FS object; `testing` implements its doubles.
WRITERS = PRIMITIVES | {
    "files/commit.py",
    "files/fs.py",
    "files/history.py",
    "files/journal.py",
    "files/recovery.py",
    "files/staging.py",
}
FS_METHODS = {
    "append_pending",
    "commit_database",
    "copy_metadata",
    "create",
    "create_whole",
    "drop_pending",
    "link",
    "mkdir",
    "open_database",
    "open_write",
    "rename",
    "rename_database",
    "rmdir",
    "set_capability",
    "set_mode",
    "sync",
    "truncate",
    "unlink",
    "vacuum_database",
    "write",
}
# Receivers whose `write` goes to the console.
CONSOLE = {"sys.stdout", "sys.stderr", "sys.stdout.buffer", "sys.stderr.buffer"}

MODULE_WRITES = {
    "os": set(
        "chflags chmod chown copy_file_range fchmod fchown ftruncate lchflags lchmod lchown link makedirs mkdir mkfifo "
        "mknod posix_fallocate pwrite pwritev remove removedirs removexattr rename renames replace rmdir sendfile "
        "setxattr splice symlink truncate unlink utime write writev".split()
    ),
    "shutil": set(
        "chown copy copy2 copyfile copyfileobj copymode copystat copytree make_archive move rmtree "
        "unpack_archive".split()
    ),
    "sqlite3": {"connect"},
    "tempfile": set("NamedTemporaryFile SpooledTemporaryFile TemporaryDirectory TemporaryFile mkdtemp mkstemp".split()),
}
PATH_METHODS = {"chmod", "hardlink_to", "lchmod", "symlink_to", "touch", "write_bytes", "write_text"}
READ_FLAGS = set(
    "O_BINARY O_CLOEXEC O_DIRECTORY O_NOATIME O_NOCTTY O_NOFOLLOW O_NOFOLLOW_ANY O_NONBLOCK O_PATH O_RDONLY".split()
)


def imported_names(tree: ast.Module) -> dict[str, str]:
    """Map each imported name to its full name: `{"o": "os", "w": "os.write"}`."""
    full_names: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            full_names.update({alias.asname or alias.name: alias.name for alias in node.names})
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            full_names.update({alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names})
    return full_names


def dotted_name(node: ast.expr, imported: dict[str, str]) -> str:
    """Return the dotted name of an expression, with imports resolved; `?` if it is not a name."""
    match node:
        case ast.Name(id=name):
            return imported.get(name, name)
        case ast.Attribute(value=value, attr=attr):
            return f"{dotted_name(value, imported)}.{attr}"
    return "?"


def flags(node: ast.expr, constants: dict[str, ast.expr]) -> set[str]:
    """Return every name in a flags expression, module constants expanded."""
    result: set[str] = set()
    for part in ast.walk(node):
        match part:
            case ast.Attribute(attr=name) | ast.Constant(value=str(name)):
                result.add(name)
            case ast.Name(id=name) if name in constants:
                result |= flags(constants[name], {k: v for k, v in constants.items() if k != name})
            case ast.Name(id=name):
                result.add(name)
    return result - {"os", "getattr"}


def argument(call: ast.Call, position: int, keyword: str) -> ast.expr | None:
    named = {item.arg: item.value for item in call.keywords}
    return call.args[position] if len(call.args) > position else named.get(keyword)


def opens_to_write(call: ast.Call, name: str, constants: dict[str, ast.expr]) -> bool:
    if name == "os.open":
        value = argument(call, 1, "flags")
        return value is None or not flags(value, constants) <= READ_FLAGS
    match name.rpartition("."):
        case ("", "", "open") | ("io" | "builtins" | "codecs" | "os", ".", "open" | "fdopen"):
            mode = argument(call, 1, "mode")
        case (_, ".", "open"):
            mode = argument(call, 0, "mode")
        case _:
            return False
    match mode:
        case None:
            return False
        case ast.Constant(value=str(text)):
            return bool(set(text) & set("wax+"))
    return name != "?.open"


def primitive_writes(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of everything that writes without an FS object."""
    imported = imported_names(tree)
    constants = {
        target.id: node.value
        for node in tree.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            name = dotted_name(node, imported)
            module, _, attr = name.partition(".")
            if attr in MODULE_WRITES.get(module, ()):
                yield node.lineno, name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name in MODULE_WRITES.get(node.module or "", ()):
                    yield node.lineno, f"{node.module}.{alias.name}"
        elif isinstance(node, ast.Call):
            name = dotted_name(node.func, imported)
            module, _, attr = name.rpartition(".")
            if opens_to_write(node, name, constants) or (attr in PATH_METHODS and module not in MODULE_WRITES):
                yield node.lineno, name


def method_writes(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield line and name of each call of a writing method of an FS object."""
    imported = imported_names(tree)
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in FS_METHODS:
                receiver = dotted_name(value, imported)
                if receiver not in CONSOLE and receiver not in MODULE_WRITES:
                    yield node.lineno, f"{receiver}.{attr}"


def sources() -> dict[str, ast.Module]:
    return {
        path.relative_to(SOURCE).as_posix(): ast.parse(path.read_text("utf-8")) for path in sorted(SOURCE.rglob("*.py"))
    }


@pytest.mark.promise("project.one-writer")
def test_system_calls_that_write_are_only_in_the_primitive_layer() -> None:
    writes_by_path = {
        path: sorted(primitive_writes(tree)) for path, tree in sources().items() if path not in PRIMITIVES
    }
    hits = {(path, name) for path, writes in writes_by_path.items() for _, name in writes}
    assert hits == PIPES


@pytest.mark.promise("project.one-writer")
def test_methods_that_write_are_called_only_on_the_commit_path() -> None:
    calls_by_path = {path: sorted(method_writes(tree)) for path, tree in sources().items() if path not in WRITERS}
    assert {path: hits for path, hits in calls_by_path.items() if hits} == {}


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import os\nos.write(1, b'')", "os.write"),
        ("import os as o\nsave = o.replace", "os.replace"),
        ("from os import unlink as drop", "os.unlink"),
        ("import os\nos.open('x', os.O_RDWR)", "os.open"),
        ("import os\nos.open('x', os.O_RDONLY | os.O_CREAT)", "os.open"),
        ("import os\nF = os.O_WRONLY\nos.open('x', F)", "os.open"),
        ("import os\ndef f(given): os.open('x', flags=given)", "os.open"),
        ("import os\nos.fdopen(3, 'r+b')", "os.fdopen"),
        ("open('x', 'w')", "open"),
        ("open('x', mode='ab')", "open"),
        ("import io\nio.open('x', 'x')", "io.open"),
        ("def f(mode): open('x', mode)", "open"),
        ("from pathlib import Path\nPath('x').open('w')", "?.open"),
        ("from pathlib import Path\nPath('x').write_text('')", "?.write_text"),
        ("import shutil\nshutil.rmtree('x')", "shutil.rmtree"),
        ("import tempfile\ntempfile.mkstemp()", "tempfile.mkstemp"),
        ("import sqlite3\nsqlite3.connect('x')", "sqlite3.connect"),
    ],
)
def test_the_checker_finds_a_system_call_that_writes(source: str, name: str) -> None:
    assert name in [written for _, written in primitive_writes(ast.parse(source))]


@pytest.mark.parametrize(
    "source",
    [
        "import os\nos.open('x', os.O_RDONLY | os.O_CLOEXEC)",
        "import os\nF = os.O_PATH | getattr(os, 'O_NOFOLLOW', 0)\nos.open('x', F, dir_fd=3)",
        "open('x')",
        "open('x', 'rb')",
        "import os\nos.fdopen(3, 'rb')",
        "'a'.replace('a', 'b')",
        "import os\nos.stat('x')",
        "import shutil\nshutil.which('x')",
    ],
)
def test_the_checker_lets_reading_pass(source: str) -> None:
    assert list(primitive_writes(ast.parse(source))) == []


@pytest.mark.parametrize("method", sorted(FS_METHODS))
def test_the_checker_finds_a_writing_method(method: str) -> None:
    assert list(method_writes(ast.parse(f"self.fs.{method}()"))) == [(1, f"self.fs.{method}")]


def test_the_checker_lets_the_console_pass() -> None:
    assert list(method_writes(ast.parse("import sys\nsys.stdout.write('')"))) == []
