"""Servers as real processes, and their clients: the SDK's, and one that writes JSON-RPC directly."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from contextlib import asynccontextmanager, contextmanager
from fcntl import LOCK_EX, flock
from typing import TYPE_CHECKING, Any, NamedTuple

import httpx2
from anyio import create_task_group
from anyio.from_thread import start_blocking_portal
from mcp import Client, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Iterator
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from anyio.from_thread import BlockingPortal
    from mcp_types import CallToolResult

Message = dict[str, Any]
Arguments = dict[str, Any]

SUTURE = (sys.executable, "-m", "suture")
HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
NEWEST = "2026-07-28"
PATIENCE = 60.0
"""Seconds to wait for something that must happen; even on a busy machine it takes less than a tenth."""

# A server whose publishing renames wait for a file `open` in the folder `gate`, and prints meanwhile.
GATED = """
import os, subprocess, sys, time
from suture.cli import main
from suture.files.local_fs import LocalFS
gate, *arguments = sys.argv[1:]
rename = LocalFS.rename
def waiting(*given):
    print("printed", flush=True)
    os.write(1, b'{"jsonrpc": "2.0", "id": 7, "result": {}}\\n')
    subprocess.run(["echo", "echoed"])
    print(sys.stdin.read(1), end="")
    open(os.path.join(gate, "reached"), "w").close()
    while not os.path.exists(os.path.join(gate, "open")):
        time.sleep(0.01)
    return rename(*given)
LocalFS.rename = waiting
from functools import partial
from suture.server import http
http.serve = partial(http.serve, limits=http.Limits(shutdown_seconds=0))
sys.exit(main(arguments))
"""

# A server with other limits than the usual ones, given as JSON.
LIMITED = """
import json, sys
from functools import partial
from suture.cli import main
from suture.server import http
limits, *arguments = sys.argv[1:]
http.serve = partial(http.serve, limits=http.Limits(**json.loads(limits)))
sys.exit(main(arguments))
"""


def request(number: int | str, method: str, **params: Any) -> Message:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def notification(method: str, **params: Any) -> Message:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def tool_call(number: int | str, name: str, arguments: Arguments, token: str | None = None) -> Message:
    more = {} if token is None else {"_meta": {"progressToken": token}}
    return request(number, "tools/call", name=name, arguments=arguments, **more)


def hello(revision: str = HANDSHAKES[-1], number: int | str = 0) -> Message:
    """The first message of a client that offers every capability, including roots."""
    offers = {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {}}
    info = {"name": "by hand", "version": "1"}
    return request(number, "initialize", protocolVersion=revision, capabilities=offers, clientInfo=info)


def modern(number: int | str, method: str, **params: Any) -> Message:
    """A request of the revision without a handshake."""
    about = {"name": "by hand", "version": "1"}
    meta = {"protocolVersion": NEWEST, "clientInfo": about, "clientCapabilities": {}}
    envelope = {f"io.modelcontextprotocol/{key}": value for key, value in meta.items()}
    return request(number, method, **params, _meta=envelope)


INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def edit(path: str, old: str, new: str) -> Arguments:
    return {"path": path, "edits": [{"old_text": old, "new_text": new}]}


class Wire:
    """A server behind pipes."""

    def __init__(self, process: subprocess.Popen[bytes], root: Path) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self.process = process
        self.root = root
        self._to, self._from = process.stdin, process.stdout
        self._received = bytearray()
        self._ready = select.poll()
        self._ready.register(self._from, select.POLLIN)

    def send(self, *messages: Message | bytes) -> None:
        raw = [message if isinstance(message, bytes) else json.dumps(message).encode() for message in messages]
        self.push(b"".join(line + b"\n" for line in raw))

    def push(self, raw: bytes) -> None:
        """Send these bytes unchanged."""
        self._to.write(raw)

    def receive(self) -> Message:
        message = self._line()
        assert message is not None, "the server has ended"
        return message

    def ask(self, message: Message) -> Message:
        """The answer to a request when nothing else is running."""
        self.send(message)
        return self.receive()

    def handshake(self, revision: str = HANDSHAKES[-1]) -> Message:
        """Make the handshake of the older revisions."""
        answer: Message = self.ask(hello(revision))["result"]
        self.send(INITIALIZED)
        return answer

    def close(self) -> None:
        """Close the server's input."""
        self._to.close()

    def read_all(self) -> list[Message]:
        """All remaining output."""
        return list(iter(self._line, None))

    def exit_code(self) -> int:
        """The exit code."""
        return self.process.wait(PATIENCE)

    def _line(self) -> Message | None:
        while b"\n" not in self._received:
            assert self._ready.poll(PATIENCE * 1000), "the server does not answer"
            chunk = os.read(self._from.fileno(), 1 << 20)
            if not chunk:
                return None
            self._received += chunk
        line, _, self._received = self._received.partition(b"\n")
        message: Message = json.loads(line)
        return message


@contextmanager
def start_process(words: Iterable[str], **more: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is killed at the end; its output is captured."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen([*words], bufsize=0, env=environment, **more) as process:
        try:
            yield process
        finally:
            process.kill()


def program(gate: Path | None = None, limits: dict[str, float] | None = None) -> tuple[str, ...]:
    """The command line; optionally edits wait at a gate, or HTTP has other limits."""
    if limits is not None:
        return (sys.executable, "-c", LIMITED, json.dumps(limits))
    return SUTURE if gate is None else (sys.executable, "-c", GATED, str(gate))


@contextmanager
def over_pipes(root: Path, *options: str, gate: Path | None = None) -> Iterator[Wire]:
    """A server over stdio."""
    words = (*program(gate), "mcp", "--root", str(root), *options)
    pipe = subprocess.PIPE
    with start_process(words, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL) as process:
        yield Wire(process, root)


class HttpServer(NamedTuple):
    """A server at an address."""

    url: str
    token: str
    process: subprocess.Popen[bytes]

    @property
    def host(self) -> str:
        return self.url.split("/")[2]

    @property
    def headers(self) -> dict[str, str]:
        """The headers of every request of a client."""
        return {
            "Authorization": f"Bearer {self.token}",
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json",
        }


@contextmanager
def over_http(
    root: Path, *options: str, gate: Path | None = None, limits: dict[str, float] | None = None, **more: Any
) -> Iterator[HttpServer]:
    """A server over HTTP, at any port."""
    words = (*program(gate, limits), "mcp", "--root", str(root), "--http", "127.0.0.1:0", *options)
    with start_process(words, **{"stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL, **more}) as process:
        assert process.stdout is not None
        url, header = (process.stdout.readline().decode().strip() for _ in range(2))
        yield HttpServer(url, header.removeprefix("Authorization: Bearer "), process)


class Caller:
    """The SDK's client, for tests that are not asynchronous."""

    def __init__(self, portal: BlockingPortal, client: Client, root: Path) -> None:
        self.client = client
        self.root = root
        self.portal = portal

    def call(self, name: str, arguments: Arguments | None = None) -> CallToolResult:
        result: CallToolResult = self.portal.call(self.client.call_tool, name, arguments)
        return result

    def calls(self, requests: list[tuple[str, Arguments | None]]) -> list[CallToolResult]:
        """Make calls concurrently."""
        return self.portal.call(self._all, requests)

    async def _all(self, requests: list[tuple[str, Arguments | None]]) -> list[CallToolResult]:
        results: dict[int, CallToolResult] = {}

        async def call_one(number: int) -> None:
            results[number] = await self.client.call_tool(*requests[number])

        async with create_task_group() as group:
            for number in range(len(requests)):
                group.start_soon(call_one, number)
        return [results[number] for number in range(len(requests))]


@contextmanager
def connected(connection: AbstractAsyncContextManager[Client], root: Path) -> Iterator[Caller]:
    """A client in a thread of its own."""
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(connection) as client:
        yield Caller(portal, client, root)


@contextmanager
def stdio_caller(root: Path, *options: str, mode: str, **more: Any) -> Iterator[Caller]:
    """The SDK's client of a server that it starts."""

    @asynccontextmanager
    async def connect() -> AsyncIterator[Client]:
        words = [*SUTURE[1:], "mcp", "--root", str(root), *options]
        parameters = StdioServerParameters(command=SUTURE[0], args=words, env=dict(os.environ))
        async with Client(stdio_client(parameters), mode=mode, **more) as client:
            yield client

    with connected(connect(), root) as caller:
        yield caller


@contextmanager
def http_caller(server: HttpServer, root: Path, *, mode: str, **more: Any) -> Iterator[Caller]:
    """The SDK's client of a server that runs."""

    @asynccontextmanager
    async def connect() -> AsyncIterator[Client]:
        async with (
            httpx2.AsyncClient(headers={"Authorization": f"Bearer {server.token}"}, timeout=PATIENCE) as http,
            Client(
                # of itself this client takes a million bytes, where the answer is an event
                streamable_http_client(server.url, http_client=http, max_sse_event_size=None),
                mode=mode,
                **more,
            ) as client,
        ):
            yield client

    with connected(connect(), root) as caller:
        yield caller


def text_of(result: CallToolResult) -> str:
    """The text of a result, block by block."""
    blocks = [block.text for block in result.content if block.type == "text"]
    assert len(blocks) == len(result.content)
    return "\n".join(blocks)


@contextmanager
def hold_lock(root: Path) -> Iterator[None]:
    """Hold the workspace's lock, like another process that edits, so that no call can write."""
    handle = os.open(root, os.O_RDONLY)
    try:
        flock(handle, LOCK_EX)
        yield
    finally:
        os.close(handle)


def wait_for(event: Callable[[], bool]) -> None:
    """Wait for a condition that must become true."""
    end = time.monotonic() + PATIENCE
    while not event():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.01)


def contents(root: Path) -> dict[str, bytes]:
    """Every file below a folder, including leftovers of suture."""
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
