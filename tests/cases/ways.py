"""The three ways to call a tool: the library, the command line, a server of MCP.

All must give the same: whether it failed, the text, the data, and the tree after. What differs between them, and may,
is taken away here, once:

- The command line prints `content` and `metadata`. It opens the workspace anew for each call.
- A server is started with the tools of the case: of itself it does not offer the dialects.
- It sends the data as `structuredContent`; beside a list, whose text says it all, as `_meta`.
- Ids of changes, times, sessions and the workspace's folder differ from run to run: `<change 1>`, `<time>`,
  `<session>`, `<root>`.
"""

from __future__ import annotations

import gc
import io
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

from suture import Settings, Workspace
from suture.cli import main
from suture.testing import MemoryFS
from tests.cases.case_file import Case, Entry, OutsideChange, Tree

_TIME = re.compile(r"\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?[0-9:.]*Z?")
_SHARED_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # noqa: S108  a fresh folder is made in it
_FIRST = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "cases", "version": "1"}}

Ask = Callable[[str, Any], "Outcome"]


class Outcome(NamedTuple):
    """What a call gave, without what differs from run to run."""

    is_error: bool
    text: str
    data: Any
    hints: str = ""
    """The second block of text; empty if there is none."""


class CallResult(NamedTuple):
    """A call's outcome, and the tree after it."""

    outcome: Outcome
    tree: Tree
    touched: bool
    """Whether anything was written at all, the history included. Only the library's way sees it, as what follows."""
    rewritten: tuple[str, ...]
    """Files that have the same content as before, but were written."""


class _Storage:
    """A workspace's files, wherever they are."""

    root: str

    def put(self, path: str, entry: Entry | None) -> None:
        raise NotImplementedError

    def tree(self) -> Tree:
        raise NotImplementedError

    def traces(self) -> tuple[dict[str, object], object]:
        """All that a call could have touched: of each file, and besides."""
        return {}, None


class Memory(_Storage):
    def __init__(self) -> None:
        self.fs = MemoryFS()
        self.root = self.fs.root

    def put(self, path: str, entry: Entry | None) -> None:
        if entry is None:
            folder, _, name = f"{self.root}/{path}".rpartition("/")
            handle = self.fs.open_root(folder)
            self.fs.unlink(handle, name)
            self.fs.close(handle)
        elif entry.kind == "folder":
            self.fs.make_folder(f"{self.root}/{path.rstrip('/')}")
        elif entry.kind == "link":
            self.fs.put_link(path, os.fsdecode(entry.content.rstrip(b"\n")))
        else:
            self.fs.put(path, entry.content, mode=0o755 if entry.kind == "executable" else 0o644)
        self.fs.sync_all()

    def tree(self) -> Tree:
        entries = {path: self._entry(path, content) for path, content in self.fs.files().items()}
        return {**entries, **_empty_folders(entries, self.fs.folders())}

    def traces(self) -> tuple[dict[str, object], object]:
        nodes = {path: self.fs.node_of(path) for path in self.fs.files()}
        states = {
            path: (node.data, node.mode, node.inode, node.modified_ns, node.links) for path, node in nodes.items()
        }
        return dict(states), (self.fs.folders(), dict(self.fs.shelf))

    def _entry(self, path: str, content: bytes) -> Entry:
        node = self.fs.node_of(path)
        if node.kind == "link":
            return Entry(content + b"\n", "link")
        return Entry(content, "executable" if node.mode & 0o100 else "file")


class _Disk(_Storage):
    def __init__(self, root: str) -> None:
        self.root = root

    def put(self, path: str, entry: Entry | None) -> None:
        target = Path(self.root, path)
        if entry is None:
            target.unlink()
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        if entry.kind == "folder":
            target.mkdir(exist_ok=True)
        elif entry.kind == "link":
            target.symlink_to(os.fsdecode(entry.content.rstrip(b"\n")))
        else:
            target.write_bytes(entry.content)
            target.chmod(0o755 if entry.kind == "executable" else 0o644)

    def tree(self) -> Tree:
        entries, folders = Tree(), set[str]()
        for target in Path(self.root).rglob("*"):
            path = target.relative_to(self.root).as_posix()
            if target.is_symlink():
                entries[path] = Entry(os.fsencode(target.readlink()) + b"\n", "link")
            elif target.is_dir():
                folders.add(path)
            else:
                entries[path] = Entry(target.read_bytes(), "executable" if target.stat().st_mode & 0o100 else "file")
        return {**entries, **_empty_folders(entries, folders)}


def _empty_folders(tree: Tree, folders: set[str]) -> Tree:
    """The empty folders."""
    paths = [*tree, *(f"{path}/" for path in folders)]
    return {
        f"{path}/": Entry(b"", "folder")
        for path in folders
        if not any(other.startswith(f"{path}/") and other != f"{path}/" for other in paths)
    }


def run(case: Case, way: str) -> list[CallResult]:
    """What each call of a case gives, one way."""
    return {"library": _by_library, "command line": _by_command_line, "mcp": _by_mcp}[way](case)


def run_steps(case: Case, storage: _Storage, ask: Ask) -> list[CallResult]:
    """What each call of a case gives, asked of whatever answers."""
    for path, entry in case.before.items():
        storage.put(path, entry)
    ids, results = list[str](), list[CallResult]()
    for step in case.steps:
        if isinstance(step, OutsideChange):
            storage.put(step.path, step.entry)
            continue
        tree, before = storage.tree(), storage.traces()
        outcome = normalize(
            ask(step.tool, fill_placeholders(step.arguments, ids, tree, storage.root)), ids, storage.root
        )
        after, traces = storage.tree(), storage.traces()
        rewritten = [
            path for path, state in traces[0].items() if tree.get(path) == after[path] and state != before[0][path]
        ]
        results.append(CallResult(outcome, after, traces != before, tuple(rewritten)))
    return results


def fill_placeholders(value: Any, ids: list[str], tree: Tree, root: str = "<root>") -> Any:
    """A value with its placeholders replaced: ids of changes, hashes of files as they are now, the folder."""
    if isinstance(value, dict):
        return {name: fill_placeholders(item, ids, tree, root) for name, item in value.items()}
    if isinstance(value, list):
        return [fill_placeholders(item, ids, tree, root) for item in value]
    if not isinstance(value, str) or "<" not in value:
        return value
    for number, change in enumerate(ids, 1):
        value = value.replace(f"<change {number}>", change)
    for path, entry in tree.items():
        value = value.replace(f"<hash of {path}>", hash_of(entry))
    return value.replace("<root>", root)


def hash_of(entry: Entry) -> str:
    return f"sha256:{sha256(entry.content).hexdigest()}"


def normalize(outcome: Outcome, ids: list[str], root: str) -> Outcome:
    """An outcome without what differs from run to run; ids that are new are added to those that are known."""
    change = outcome.data.get("change_id") if isinstance(outcome.data, dict) else None
    if isinstance(change, str) and change not in ids:
        ids.append(change)

    def text(value: str) -> str:
        for number, change_id in enumerate(ids, 1):
            value = value.replace(change_id, f"<change {number}>")
        return _TIME.sub("<time>", value).replace(root, "<root>")

    def data(value: Any) -> Any:
        if isinstance(value, dict) and value.keys() == {"id", "agent"}:
            return "<session>"
        if isinstance(value, dict):
            return {text(name): data(item) for name, item in value.items()}
        if isinstance(value, list):
            return [data(item) for item in value]
        return text(value) if isinstance(value, str) else value

    return Outcome(outcome.is_error, text(outcome.text), data(outcome.data), text(outcome.hints))


def _outcome(*, is_error: bool, content: list[dict[str, str]], data: Any) -> Outcome:
    first, *others = [block["text"] for block in content]
    assert len(others) <= 1
    return Outcome(is_error, first, data, "".join(others))


def _by_library(case: Case) -> list[CallResult]:
    storage = Memory()
    values: dict[str, Any] = {
        name: tuple(value) if isinstance(value, list) else value for name, value in case.settings.items()
    }
    workspace = Workspace(storage.root, Settings(**values) if values else None, fs=storage.fs)

    def ask(tool: str, arguments: Any) -> Outcome:
        result = workspace.call(tool, arguments)
        content = result.to_dict()["content"]
        return _outcome(is_error=result.is_error, content=content, data=json.loads(json.dumps(result.metadata)))

    try:
        return run_steps(case, storage, ask)
    finally:
        workspace.close()


def _by_command_line(case: Case) -> list[CallResult]:
    def ask(tool: str, arguments: Any) -> Outcome:
        stdin = io.TextIOWrapper(io.BytesIO(json.dumps(arguments).encode()))
        raw = io.BytesIO()
        with mock.patch.multiple(sys, stdin=stdin, stdout=io.TextIOWrapper(raw, "utf-8")):
            code = main(["call", tool, "-", "--root", root])
            sys.stdout.flush()
            result = json.loads(raw.getvalue().decode("utf-8", "surrogateescape"))
        assert code == int(result["isError"])
        return _outcome(is_error=result["isError"], content=result["content"], data=result["metadata"])

    with _folder() as root:
        return run_steps(case, _Disk(root), ask)


def _by_mcp(case: Case) -> list[CallResult]:
    """By a real server over stdio. It runs here, as a new process would import for 0.4 s; its client is a thread."""

    def client() -> list[CallResult]:
        with os.fdopen(to_server, "wb", 0) as requests, os.fdopen(from_server, "rb") as answers:

            def send(**message: Any) -> Any:
                requests.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
                if "id" not in message:
                    return None
                line = answers.readline()
                assert line, "the server has ended"
                answer = json.loads(line)
                assert "result" in answer, f"the server answers {answer['error']}"
                return answer["result"]

            def ask(tool: str, arguments: Any) -> Outcome:
                result = send(id=next(numbers), method="tools/call", params={"name": tool, "arguments": arguments})
                extra = {name: value for name, value in result.get("_meta", {}).items() if "/" not in name}
                data = result.get("structuredContent", extra)
                return _outcome(is_error=result["isError"], content=result["content"], data=data)

            numbers = count()
            send(id=next(numbers), method="initialize", params=_FIRST)
            send(method="notifications/initialized")
            return run_steps(case, _Disk(root), ask)

    threshold = gc.get_threshold()
    with _folder() as root, ThreadPoolExecutor(1) as thread:
        with (
            _standard_streams() as (to_server, from_server),  # closed when the server ends: a client that waits sees it
            mock.patch("gc.freeze"),  # what a server does once, for the rest of its life
        ):
            results = thread.submit(client)
            tools = ",".join({call.tool for call in case.calls})
            try:
                options = ["--durability", "fast", "--max-answer", "10000000", "--tools", tools]
                # The files of the case are put there while the server runs: a checkpoint may see some of them.
                main(["mcp", "--root", root, *options, "--set", "checkpoints=false"])
            finally:
                gc.set_threshold(*threshold)
        return results.result()


@contextmanager
def _folder() -> Iterator[str]:
    """A workspace's folder, and one for its history; in memory where that can be, as nothing here tests the disk."""
    with tempfile.TemporaryDirectory(prefix="suture-case-", dir=_SHARED_MEMORY) as name:
        folder = Path(name).resolve()
        with mock.patch.dict(os.environ, XDG_STATE_HOME=str(folder / "state")):
            (folder / "root").mkdir()
            yield str(folder / "root")


@contextmanager
def _standard_streams() -> Iterator[tuple[int, int]]:
    """Let the descriptors 0 and 1 be pipes, whose other ends the caller closes."""
    saved = os.dup(0), os.dup(1)
    (stdin, to_server), (from_server, stdout) = os.pipe(), os.pipe()
    os.dup2(stdin, 0)
    os.dup2(stdout, 1)
    os.close(stdin)
    os.close(stdout)
    try:
        yield to_server, from_server
    finally:
        for number, descriptor in enumerate(saved):
            os.dup2(descriptor, number)
            os.close(descriptor)
