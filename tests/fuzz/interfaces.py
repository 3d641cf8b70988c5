"""Interfaces: the command line, MCP messages, calls of model APIs, and agents' settings files."""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
import tempfile
import traceback
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from suture.apis import handle, handle_all
from suture.cli import COMMANDS, command_first, main, quick_options
from suture.cli.arguments import build_parser
from suture.cli.init import CLIENTS, Addition, Unmergeable, merge, parse
from suture.server import stdio
from suture.server.direct import error_line
from suture.server.http import Address, HostNames
from suture.tools import TOOLS
from tests.fuzz.calls import open_workspace, state
from tests.fuzz.mutation import encode_words
from tests.fuzz.target import Choices, Target, as_text

_OPTIONS = [
    "--help", "--json", "--quiet", "--verbose", "--root", "--dry-run", "--old", "--new", "--old-file", "--new-file",
    "--lines", "--validate", "--only", "--limit", "--to", "--format", "--mode", "--occurrences", "--encoding",
    "--glob", "-i", "-n", "-m", "-", "--", "-x", "--nope", "--start-line", "--end-line", "--write", "--expect-hash",
    "--match", "-C", "--max-matches", "--flags", "--exclude", "-v", "--invert", "--delete", "--literal", "--atomic",
    "--whole-files", "-p",
]  # fmt: skip
_VALUES = [
    "a.py", "b.txt", "", "0", "-1", "1-2", "2-1", "9" * 5000, "x" * 300, "*.py", "(", "\\d+", "$1", "utf-8", "nope",
    "off", "\udcff", "\ud800", "a\0b", "[]", "{}", '{"old_string": "x", "new_string": "y"}', "[" * 3000, "sha256:1",
    "1,3.2", "..", "/", "file_read", '{"path": "a.py"}', "json", "bash", "one", "two", "\n", "\u2028", "--old=x",
    "strict", "warn", "é",
]  # fmt: skip
_WORDS = [*COMMANDS, *_OPTIONS, *_VALUES, *TOOLS, *CLIENTS]
_SAFE = sorted(set(COMMANDS) - {"mcp", "init", "doctor"})
"""Commands that only work in the folder they are given; `mcp` runs until its input ends."""


def _arguments(data: bytes) -> object:
    words = _words(Choices(data), _WORDS)
    quick_options(words)
    ordered = command_first(words)
    with _silence():
        try:
            build_parser(ordered).parse_args(ordered)
        except SystemExit as error:
            return words[:1], error.code
    return words[:1]


def _words(choices: Choices, words: list[str]) -> list[str]:
    selection = [
        as_text(choices.piece()) if choices.once_in(20) else choices.of(words) for _ in range(choices.number(9))
    ]
    return [word.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape") for word in selection]


@contextlib.contextmanager
def _silence() -> Any:
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield


@cache
def _folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="suture-fuzz-cli-")).resolve()
    import atexit  # noqa: PLC0415  only here

    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


_TREE = {"a.py": b"x = 1\n\n\ndef f():\n    return x\n", "b.txt": b"one\r\ntwo\r\n", "sub/c.json": b'{"a": 1}\n'}


def _command(data: bytes) -> object:
    """A whole command, in its own folder: it exits with a documented code, without a traceback."""
    choices = Choices(data)
    name = choices.of(_SAFE)
    words = [name, *_words(choices, [*_OPTIONS, *_VALUES, *TOOLS])]
    root = _folder() / "ws"
    shutil.rmtree(root, ignore_errors=True)
    for path, content in _TREE.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)
    if "--root" in words or any(word.startswith("--ro") for word in words):
        return None  # it must not leave its folder
    before, stdin = Path.cwd(), sys.stdin
    os.chdir(root)
    sys.stdin = io.TextIOWrapper(io.BytesIO(choices.piece()), "utf-8", "surrogateescape")
    try:
        with _silence():
            code: object = main(words)
    except SystemExit as error:
        code = error.code
    finally:
        os.chdir(before)
        sys.stdin = stdin
    assert code in {0, 1, 2}, f"exit code {code}"
    return name, code


def _messages(data: bytes) -> object:
    """Lines of MCP: the same result however they are split into pieces, each line read or refused."""
    whole = list(stdio._Lines(30_000).add(data + b"\n"))
    lines, at, random, received = stdio._Lines(30_000), 0, Random(data), list[bytes | None]()
    while at < len(data):
        step = random.randrange(1, 5_000)
        received += lines.add(data[at : at + step])
        at += step
    assert [*received, *lines.add(b"\n")] == whole, "pieces of messages give other lines than the whole"
    outcome = []
    for raw in whole[:50]:
        message = None if raw is None else stdio._read(raw)
        if isinstance(message, stdio._Refusal):
            error_line(message.request_id, message.code, message.text)
        outcome.append(type(message).__name__)
    return outcome[:5]


def _address(data: bytes) -> object:
    text = as_text(data)
    host, _, origin = text.partition("\n")
    names = [
        HostNames("127.0.0.1", 8080),
        HostNames("example.com", 80, ("proxy.example",)),
        HostNames("0.0.0.0", 1, remote=True),  # noqa: S104  not bound
    ]
    results = [(host_names.allows(host), host_names.allows_origin(origin, host)) for host_names in names]
    try:
        Address.parse(host)
    except ValueError:
        return results, None
    return results, host[:3]


_BITS: list[Any] = [
    None, True, 0, -1, 1.5, float("nan"), "", "x", "\ud800", "file_read", "tool_use", "function_call", "function",
    '{"path": "a.py"}', "{", "[]", [], {}, {"path": "a.py"}, "stop", "max_tokens", "assistant", "text", 10**30,
]  # fmt: skip
_KEYS = [
    "type", "id", "name", "input", "arguments", "function", "call_id", "tool_calls", "content", "output", "choices",
    "message", "candidates", "parts", "functionCall", "function_call", "args", "method", "params", "stop_reason",
    "finish_reason", "status", "text", "jsonrpc", "",
]  # fmt: skip
_CALLS: list[Any] = [
    {"type": "tool_use", "id": "1", "name": "file_read", "input": {"path": "a.py"}},
    {"id": "1", "type": "function", "function": {"name": "file_read", "arguments": '{"path": "a.py"}'}},
    {"type": "function_call", "call_id": "1", "name": "file_read", "arguments": '{"path": "a.py"}'},
    {"functionCall": {"name": "file_read", "args": {"path": "a.py"}}},
    {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "file_read", "arguments": {"path": "a.py"}}},
]


def _api(data: bytes) -> object:
    choices = Choices(data)
    fs, workspace = open_workspace()
    before = state(fs)
    value = _structure(choices, 4)
    outcome: list[object] = []
    try:
        for answer in (handle, handle_all):
            try:
                outcome.append(len(json.dumps(answer(workspace.call, value, 25_000), default=str)) > 500)
            except (ValueError, TypeError) as error:
                if "apis" not in traceback.extract_tb(error.__traceback__)[-1].filename:
                    raise AssertionError("an exception is not our own refusal") from error
                outcome.append(type(error).__name__)
    finally:
        workspace.close()
    assert state(fs) == before, "reading changed something"
    return outcome


def _structure(choices: Choices, depth: int) -> Any:
    kind = choices.number(5)
    if kind == 4 and depth < 4:
        return choices.of(_CALLS)
    if depth == 0 or kind == 3:
        return choices.of(_BITS)
    if kind == 2:
        return [_structure(choices, depth - 1) for _ in range(choices.number(4))]
    result = dict(choices.of(_CALLS)) if kind == 1 else {}
    for _ in range(choices.number(5)):
        result[choices.of(_KEYS)] = _structure(choices, depth - 1)
    return result


_ENTRY: dict[str, Any] = {"command": "suture", "args": ["mcp", "--root", "/a b"]}


def _settings(kind: str, container: str) -> Target:
    """An agent's settings file: an entry is added and everything else is unchanged, or it is refused."""
    addition = Addition(kind, (container,), "suture", _ENTRY)

    def run(data: bytes) -> object:
        text = as_text(data)
        try:
            merged = merge(text, addition, replace=bool(len(data) % 2))
        except Unmergeable as error:
            return str(error)[:25]
        second = merge(merged.text, addition)
        assert not second.cuts, "an entry that was added is not there"
        assert parse(merged.text, kind)[container]["suture"] == _ENTRY
        return len(merged.cuts)

    seeds = ['{"mcpServers": {"x": {"command": "y"}}, "z": 1}', '{\n  "mcpServers": {\n  }\n}\n', "// a\n{}", "", "{}"]
    seeds += [
        '[mcp_servers.x]\ncommand = "y"\n',
        "[mcp_servers]\nsuture = {a = 1}\n",
        "a = 1\n[mcp_servers.suture]\nb = 1\n",
    ]
    words = [
        '"mcpServers"',
        ":",
        "{",
        "}",
        '"suture"',
        ",",
        "//",
        "/*",
        "*/",
        "[mcp_servers.suture]\n",
        "[mcp_servers]\n",
    ]
    words += ["suture.command = ", "command = ", '"', "'''", "\n", "#", "[", "]", "1", "null", "\t", "\r\n", "\\u0022"]
    return Target(f"settings {kind}", run, encode_words(seeds), encode_words(words), most=20_000)


_MESSAGES = encode_words(
    [
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "undo", "arguments": {"dry_run": 1}}}',
        '{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}',
        '{"jsonrpc": "2.0", "id": "x", "result": {}}',
        '{"jsonrpc": "2.0", "id": null, "error": {"code": -1, "message": "x"}}',
    ]
)
_MESSAGE_WORDS = encode_words(
    [
        '"id": ',
        '"jsonrpc": "2.0"',
        '"method": ',
        '"params": ',
        "{",
        "}",
        "[",
        "]",
        ",",
        "null",
        "1",
        '"\\ud800"',
        "1e999",
    ],
    ["\n", "true", '"_meta": {', '"progressToken": ', '"result": ', '"error": ', "-1", "12345678901234567890", '""'],
)
_SEEDS = [bytes([first, *range(number, number + 12)]) for first in range(30) for number in (0, 60, 120)]

TARGETS = [
    Target("arguments", _arguments, _SEEDS, (), most=2_000, seconds=4),
    Target("command", _command, _SEEDS, (), most=2_000, seconds=6),
    Target("messages", _messages, _MESSAGES, _MESSAGE_WORDS),
    Target(
        "address",
        _address,
        encode_words(["127.0.0.1:8080\nhttp://127.0.0.1:8080", "[::1]:80\n"]),
        encode_words([":", "[", "]", "::1", "localhost", "http://"]),
    ),
    Target("api", _api, _SEEDS, (), most=2_000, seconds=4),
    _settings("json", "mcpServers"),
    _settings("jsonc", "servers"),
    _settings("toml", "mcp_servers"),
]
