"""Every tool, through `Workspace.call`, with arguments made from the tool's own schema.

Whatever its arguments, a call never fails with INTERNAL. It changes nothing if it fails, only reads, or is a dry run.
Undo restores exactly the previous bytes, and redo reapplies the change.
"""

from __future__ import annotations

import logging
import os
from typing import TYPE_CHECKING, Any

from suture import Settings, Workspace
from suture.testing import MemoryFS
from suture.tools import DIALECTS, TOOLS, command, find
from tests.budgets import check_budget
from tests.fuzz.expressions import PATTERNS
from tests.fuzz.mutation import encode_words
from tests.fuzz.replies import SEEDS as REPLIES
from tests.fuzz.target import MOST_BYTES, Choices, Target, as_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from suture.tools.spec import ToolResult, ToolSpec

_FILES = {
    "a.py": b"import os\n\n\ndef f(x):\n    return x + 1\n\n\ndef g(x):\n    return f(x) + 2\n\n\nx = 1\n",
    "b.txt": b"one\r\ntwo\r\n\tthree\r\none\r\nfour",
    "src/c.js": b"const a = 1;\nfunction b() {\n  return a;\n}\n\nexport default b;\n",
    "src/d.json": b'{\n  "a": [1, 2, 3],\n  "b": {"c": null}\n}\n',
    "src/e.md": "# Tïtle\n\n```python\nold()\n```\n\n- a\n- b 🎉\n".encode(),
    "f.yaml": b"a: 1\nb:\n  - c\n  - d\n",
    "latin.txt": b"caf\xe9\nna\xefve\n",
    "utf16.txt": b"\xff\xfe" + "one\ntwo\n".encode("utf-16-le"),
    "empty": b"",
    "data.bin": b"\0\1\2\3" * 10,
    "long.txt": b"x" * 3_000 + b"\n" + b"same\n" * 200,
    ".hidden": b"secret = 1\n",
    ".gitignore": b"*.log\nbuild/\n",
    "build/out.log": b"one\n",
}
_PATHS = [
    *_FILES, "src/b.txt", "new.txt", "new/deep/file.py", "src", ".", "", "/", "..", "../a.py", "/ws/a.py",
    "/etc/passwd", "a.py/", "a.py/b", "./a.py", "src/../a.py", "a\0b", "a\nb", "\udcff", "\ud800", "é" * 200,
    "a/" * 3000, ".git/config", ".suture-intent", ".suture/intent", "link", "out", "~", "A.PY",
    "src\\c.js", "a.py\u200b", "a.py ",
    "con", "x" * 256,
]  # fmt: skip
_GLOBS = ["**", "*.py", "**/*", "src/**", "{a,b}*", "*", "[", "a.py", "**/*.{js,json}", "../*", "/ws/*", "", "\0", ".*"]
_FLAGS = ["", "g", "i", "gm", "gims", "IGNORECASE", "x", "\0", "MULTILINE|DOTALL"]
_NEW = [
    f"\\g<{'9' * 5_000}>",
    "",
    "x",
    "new\n",
    "a\nb\n",
    "\r\n",
    "\0",
    "\ud800",
    "é🎉",
    "# ... existing code ...\n",
    "$1",
    "\\1",
    " " * 50,
    "\t",
]
_NUMBERS = [
    "--1",
    "9" * 5_000,
    0,
    1,
    2,
    3,
    5,
    -1,
    10,
    100,
    2**31,
    2**53,
    2**53 + 1,
    -(2**63),
    10**400,
    1.0,
    1.5,
    float("inf"),
    float("nan"),
]
_ODD_VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    "",
    "x",
    [],
    {},
    [[]],
    {"a": 1},
    [None],
    1e300,
    float("nan"),
    "null",
    b"x",
    (),
]
_OPTIONAL = {
    "encoding": 12,
    "expect_hash": 16,
    "dry_run": 10,
    "validate": 10,
    "binary_check_buffer_size": 12,
    "only": 10,
}
_OPTIONAL |= dict.fromkeys(("oldText", "newText"), 1) | dict.fromkeys(("old_str", "new_str", "file_text"), 2)
"""How rarely arguments are given that mostly lead to nothing or take long; and arguments that most calls need."""
_ONE_OF = ("content", "line_edits", "search_replace")
_TEXTS = {
    "toClipboard": ["a", "a", "b", "", "\ud800"],
    "fromClipboard": ["a", "a", "b", "nope"],
    "strip": ["    ", "\t", "", "x"],
    "add": ["    ", "\t", "", "# "],
    "command": ["view", "create", "str_replace", "insert", "undo_edit", "delete"],
    "encoding": [
        "utf-8",
        "latin-1",
        "utf-16",
        "utf-7",
        "cp1252",
        "idna",
        "rot13",
        "hex",
        "punycode",
        "undefined",
        "\0",
    ],
    "mode": ["strict", "lenient", "force", "dry_run"],
}


class _Maker:
    """Arguments for a tool, derived from an input."""

    def __init__(self, choices: Choices, files: dict[str, bytes], ids: list[str]) -> None:
        self._choices = choices
        self._files = files
        self._ids = ids
        self._path = "a.py"

    def arguments(self, spec: ToolSpec) -> Any:
        """An object for its request, mostly a valid one."""
        choices = self._choices
        if choices.once_in(200):
            return choices.of(_ODD_VALUES)
        if spec.examples and choices.once_in(8):
            return dict(choices.of(spec.examples).arguments)
        return self._object(spec.request.schema())

    def _object(self, schema: dict[str, Any]) -> dict[str, Any]:
        choices, arguments = self._choices, dict[str, Any]()
        omitted = {*_ONE_OF} - {choices.of(_ONE_OF)} if not choices.once_in(10) else set()
        for name, definition in schema["properties"].items():
            if name in omitted:
                continue
            if (name in schema["required"] and not choices.once_in(60)) or choices.once_in(
                _OPTIONAL.get(name, 1 if name in _ONE_OF else 4)
            ):
                arguments[name] = self._value(name, definition)
        if choices.once_in(60):
            arguments[choices.of(("", "Path", "x" * 200, "\ud800", "edits", "unknown"))] = choices.of(_ODD_VALUES)
        return arguments

    def _value(self, name: str, schema: dict[str, Any]) -> Any:  # noqa: PLR0911  one for each type
        choices = self._choices
        if choices.once_in(30):
            return choices.of(_ODD_VALUES)
        if "enum" in schema:
            return choices.of(schema["enum"])
        if "anyOf" in schema:
            return self._value(name, choices.of(schema["anyOf"]))
        kind = schema["type"]
        if kind == "integer":
            return self._integer(schema)
        if kind == "boolean":
            return choices.once_in(2)
        if kind == "array":
            most = choices.of((1, 1, 2, 3, 6))
            return [self._value(name, schema["items"]) for _ in range(most)]
        if kind == "object":
            return self._object(schema) if "properties" in schema else {self._text("path"): self._text(name)}
        return self._text(name)

    def _integer(self, schema: dict[str, Any]) -> Any:
        choices = self._choices
        if choices.once_in(6):
            return choices.of(_NUMBERS)
        return choices.number(12) + schema.get("minimum", 0)

    def _text(self, name: str) -> str:  # noqa: PLR0911  one for each kind of argument
        choices = self._choices
        if choices.once_in(25):
            return as_text(choices.piece())
        if name in _TEXTS:
            return str(choices.of(_TEXTS[name]))
        if name in {"path", "file_path", "paths", "default_path"}:
            paths = sorted(self._files)
            self._path = str(choices.of(_PATHS) if choices.once_in(4) else choices.of(paths or ["a.py"]))
            return self._path
        if "glob" in name or "path_pattern" in name or "exclude" in name or name == "files":
            return str(choices.of(_GLOBS))
        if name in {"change_id", "to", "before", "only"}:
            return str(choices.of([*self._ids, "x", "0" * 15, "", "1", "1.2", "\ud800"]))
        if "pattern" in name or (name == "search" and choices.once_in(2)):
            return str(choices.of(PATTERNS))
        if name == "flags":
            return str(choices.of(_FLAGS))
        if name in {"reply", "patch", "input"}:
            return self._reply()
        if name.startswith(("new", "repl", "content", "insert", "file_text", "text")) and choices.once_in(2):
            return str(choices.of(_NEW))
        return self._piece()

    def _piece(self) -> str:
        """Some lines of a file, sometimes slightly corrupted."""
        choices = self._choices
        raw = self._files.get(self._path, b"one\n")
        lines = raw.decode("utf-8", choices.of(("replace", "surrogateescape", "ignore"))).split("\n")
        start = choices.number(min(len(lines), 250))
        piece = "\n".join(lines[start : start + choices.of((1, 1, 2, 4))])
        corruption = choices.number(12)
        if corruption == 1:
            piece = piece.replace("    ", "\t")
        elif corruption == 2:
            piece += choices.of(_NEW)
        elif corruption == 3:
            piece = piece[choices.number(len(piece) + 1) :]
        elif corruption == 4:
            piece = piece.replace("x", "y", 1)
        elif corruption == 5:
            piece = piece * choices.of((2, 10, 100))
        return piece + ("\n" if choices.once_in(3) else "")

    def _reply(self) -> str:
        choices = self._choices
        if choices.once_in(2):
            return as_text(choices.of(REPLIES))
        path, old, new = self._text("path"), self._piece(), self._piece()
        minus = "".join(f"-{line}\n" for line in old.split("\n"))
        plus = "".join(f"+{line}\n" for line in new.split("\n"))
        shape = choices.of(
            (
                "{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n",
                "*** Begin Patch\n*** Update File: {path}\n@@\n{minus}{plus}*** End Patch\n",
                "--- a/{path}\n+++ b/{path}\n@@ -1,2 +1,2 @@\n{minus}{plus}",
                "*** Begin Patch\n*** Add File: {path}\n{plus}*** End Patch\n",
                "*** Begin Patch\n*** Delete File: {path}\n*** End Patch\n",
                "*** Begin Patch\n*** Update File: {path}\n*** Move to: moved/{path}\n@@\n{minus}{plus}*** End Patch\n",
                "### File: {path}\n```\n{new}\n```\n",
            )
        )
        return str(shape).format(path=path, old=old, new=new, minus=minus, plus=plus)


SETTINGS = Settings(
    regex_file_ms=200,
    regex_call_ms=400,
    reply_call_ms=400,
    validate_call_ms=500,
    base_ms=100,
    max_file_bytes=2_000_000,
    max_request_bytes=1_000_000,
    max_result_bytes=5_000_000,
    second_process=False,
    config="",
)


def open_workspace() -> tuple[MemoryFS, Workspace]:
    """A small workspace in memory, with links in it."""
    fs = MemoryFS(_FILES)
    fs.put_link("link", "a.py")
    fs.put_link("out", "/etc/passwd")
    fs.sync_all()
    return fs, Workspace(fs.root, SETTINGS, fs=fs)


def state(fs: MemoryFS) -> tuple[dict[str, bytes], set[str]]:
    """Everything that a tool could change."""
    return fs.files(), fs.folders()


def _is_dry(arguments: Any) -> bool:
    return isinstance(arguments, dict) and str(arguments.get("dry_run")).lower() == "true"


class _LastError(logging.Handler):
    """The traceback of an INTERNAL."""

    last: BaseException | None = None

    def emit(self, record: logging.LogRecord) -> None:
        _LastError.last = record.exc_info[1] if record.exc_info else None


logging.getLogger("suture").addHandler(_LastError(logging.ERROR))


def check_call(
    name: str, call: Callable[[], ToolResult], fs: MemoryFS, *, reads: bool, partly: bool = False
) -> ToolResult:
    """Make a call, and check what every call promises; one that works `partly` may fail and change something."""
    before = state(fs)
    result = call()
    code = result.metadata["error"]["code"] if result.is_error else ""
    if code == "INTERNAL":
        raise _LastError.last or AssertionError(result.text)
    after = state(fs)
    if reads or (result.is_error and not partly):
        assert after == before, f"{name} changed something, and {'only reads' if reads else 'failed'}"
    if name in TOOLS or name in DIALECTS:
        check_budget(name, result, 1_000)
    return result


def _tools(names: list[str]) -> Callable[[bytes], object]:
    def run(data: bytes) -> object:
        choices = Choices(data)
        fs, workspace = open_workspace()
        ids: list[str] = []
        outcome = []
        try:
            for _ in range(choices.of((1, 1, 2, 4))):
                name = choices.of(names)
                outcome.append(_call_tool(name, choices, fs, workspace, ids))
        finally:
            workspace.close()
        return outcome

    return run


def _call_tool(name: str, choices: Choices, fs: MemoryFS, workspace: Workspace, ids: list[str]) -> object:
    spec = find(name)
    arguments = _Maker(choices, fs.files(), ids).arguments(spec)
    before = state(fs)
    reads = spec.read is not None or _is_dry(arguments)
    partly = name == "apply_reply" and isinstance(arguments, dict) and arguments.get("atomic") is not True
    result = check_call(name, lambda: workspace.call(name, arguments), fs, reads=reads, partly=partly)
    after = state(fs)
    if after != before:
        _undo_and_redo(name, workspace, fs, before, after)
        ids += [change["change_id"] for change in workspace.history(limit=3).metadata["changes"]]
    if result.is_error:
        return name, result.metadata["error"]["code"]
    return name, after != before, sorted(result.metadata)[:6]


State = tuple[dict[str, bytes], set[str]]


def _undo_and_redo(name: str, workspace: Workspace, fs: MemoryFS, before: State, after: State) -> None:
    """Undo the newest change, and redo it."""
    if name in {"undo", "redo"}:
        return
    undone = check_call("undo", workspace.undo, fs, reads=False)
    assert not undone.is_error, f"what {name} changed cannot be taken back: {undone.text}"
    assert state(fs) == before, f"undo of {name} does not give what was there"
    redone = check_call("redo", workspace.redo, fs, reads=False)
    assert not redone.is_error, f"what {name} changed cannot be done again: {redone.text}"
    assert state(fs) == after, f"redo of {name} does not give what was there"


def _commands(data: bytes) -> object:
    """Command line actions that are built like tools."""
    choices = Choices(data)
    fs, workspace = open_workspace()
    try:
        workspace.file_edit("a.py", [{"old_text": "x = 1", "new_text": "x = 2"}])
        workspace.checkpoint("named")
        ids = [change["change_id"] for change in workspace.history().metadata["changes"]]
        name = choices.of(("replace", "restore", "search", "show", "checkpoints", "checkpoint", "check"))
        spec = command(name)
        arguments = _Maker(choices, fs.files(), [*ids, "named"]).arguments(spec)
        reads = spec.read is not None or _is_dry(arguments)
        result = check_call(name, lambda: workspace.command(name, arguments), fs, reads=reads)
    finally:
        workspace.close()
    return name, result.metadata["error"]["code"] if result.is_error else sorted(result.metadata)[:6]


def _large(data: bytes) -> object:
    """A file and a text to find in it, both from the input, and the file many times as long."""
    choices = Choices(data)
    tool, repeats, match = choices.number(4), choices.of((1, 10, 300)), choices.of(("lenient", "exact"))
    old, new, body = as_text(choices.piece()), as_text(choices.piece()), choices.rest() or b"x\n"
    old *= choices.of((1, 1, 20))
    content = (body * repeats)[:MOST_BYTES]
    fs = MemoryFS({"a.py": content})
    workspace = Workspace(fs.root, SETTINGS, fs=fs)
    reply = f"a.py\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"
    name, arguments = [
        ("file_edit", {"path": "a.py", "edits": [{"old_text": old, "new_text": new}]}),
        (
            "patch",
            {"path": "a.py", "match": match, "patches": [{"operation": "replace", "oldText": old, "newText": new}]},
        ),
        ("apply_reply", {"reply": reply, "match": match}),
        ("safe_edit", {"path": "a.py", "search_replace": {"search": old, "replace": new}}),
    ][tool]
    before = state(fs)
    try:
        result = check_call(name, lambda: workspace.call(name, arguments), fs, reads=False)
        if state(fs) != before:
            _undo_and_redo(name, workspace, fs, before, state(fs))
    finally:
        workspace.close()
    return name, result.metadata["error"]["code"] if result.is_error else "done"


_SEEDS = [os.urandom(0), *(bytes([number]) * 40 for number in range(0, 256, 5))]
_WORDS = encode_words(["a.py", "x", "\ud800", "(", "<<<<<<< SEARCH"], [chr(number) * 4 for number in range(0, 120, 7)])


_LINES = b"def f():\n    return 1\n\n\nclass A:\n    x = 1\n"
_LARGE = [
    bytes([tool, often, 0, 20]) + b"    return 1\n    x = 2" + b"\4new\n\0" + _LINES
    for tool in range(4)
    for often in range(3)
]


def _target(name: str, names: list[str]) -> Target:
    return Target(f"tool {name}", _tools(names), _SEEDS, _WORDS, seconds=5, most=2_000)


TARGETS = [
    *(_target(name, [name]) for name in [*TOOLS, *DIALECTS] if name not in {"redo", "history"}),
    _target("any", [*TOOLS, *DIALECTS]),
    Target(
        "tool large", _large, _LARGE, [b"a\n", b"    x = 1\n", b"}\n", b"\n", b" ", b"# ...\n"], seconds=8, most=4_000
    ),
    Target("commands", _commands, _SEEDS, _WORDS, seconds=5, most=2_000),
]
