"""Editors in a running process: `openhands-aci`, and three MCP servers: ours, another one, and one that does nothing.

Peers are kept in the cache folder of `bench.editbench`. One that can't be installed, or does not answer in time, is
`Unavailable`.
"""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from bench.editbench.peers import OPENHANDS, WORKER, Unavailable, install, install_npm

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    Edits = Sequence[tuple[str, str]]
    Call = tuple[str, dict[str, Any]]
    """A tool's name and arguments."""

PACKAGE, VERSION = "@modelcontextprotocol/server-filesystem", "2026.8.31"
PROTOCOL, MODERN = "2025-06-18", "2026-07-28"
ABOUT = {"name": "bench", "version": "1"}
CHUNK = 1 << 18
BARE_SCRIPT = Path(__file__).with_name("bare_server.py")


class LineProcess:
    """A process that answers each line with a line."""

    def __init__(
        self, command: Sequence[str], seconds: float, *, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> None:
        self._seconds = seconds
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=cwd,
            env=None if env is None else os.environ | env,
        )
        self._source = self._process.stdout.fileno() if self._process.stdout is not None else -1
        self._ready = select.poll()
        self._ready.register(self._source, select.POLLIN)
        self._read = bytearray()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    def say(self, message: object) -> None:
        """Send a line."""
        if self._process.stdin is not None:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def ask(self, message: object) -> dict[str, Any]:
        """Send a line and wait for the answer; a process that takes too long is killed."""
        try:
            self.say(message)
        except BrokenPipeError:
            raise self._unavailable() from None
        answer: dict[str, Any] = json.loads(self.line())
        return answer

    def line(self) -> bytes:
        """The next line, once it has arrived."""
        begin, searched = time.monotonic(), 0
        while (end := self._read.find(b"\n", searched)) < 0:
            searched = len(self._read)
            remaining = self._seconds - (time.monotonic() - begin)
            piece = os.read(self._source, CHUNK) if self._ready.poll(max(remaining, 0) * 1000) else b""
            if not piece:
                self._process.kill()
                raise self._unavailable()
            self._read += piece
        line = bytes(self._read[:end])
        del self._read[: end + 1]
        return line

    def _unavailable(self) -> Unavailable:
        return Unavailable(f"it ended, or did not answer within {self._seconds:.0f} seconds")


class Session(LineProcess, ABC):
    """An editor in a running process."""

    name: str

    @abstractmethod
    def edit(self, path: Path, edits: Edits) -> float:
        """Make these edits; returns the seconds that it took."""


class OpenHands(Session):
    """`str_replace` of `openhands-aci`."""

    name = f"openhands-aci {OPENHANDS.version}"

    def __init__(self, cache: Path, _folder: Path, seconds: float) -> None:
        super().__init__([install(OPENHANDS, cache), str(WORKER), "openhands_timed"], seconds)

    def edit(self, path: Path, edits: Edits) -> float:
        """One call per edit; the seconds they took inside the process."""
        return sum(self._edit(path, old, new) for old, new in edits)

    def _edit(self, path: Path, old: str, new: str) -> float:
        seconds = self.ask({"body": str(path), "old": old, "new": new})["after"]
        if seconds is None:
            raise Unavailable("it refused the edit")
        return float(seconds)


class McpServer(Session):
    """A server of the Model Context Protocol, by JSON-RPC over its standard input and output."""

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        super().__init__(command, seconds)
        self._number = 0
        self._begin()

    def _begin(self) -> None:
        self.ask(self._request("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": ABOUT}))
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    @abstractmethod
    def edit_call(self, path: Path, edits: Edits) -> Call:
        """The call that makes these edits."""

    @abstractmethod
    def read_call(self, path: Path) -> Call:
        """The call that returns the text of this file."""

    def edit(self, path: Path, edits: Edits) -> float:
        """All edits in one call."""
        return self.call(*self.edit_call(path, edits))

    def tools(self) -> list[dict[str, Any]]:
        """The result of `tools/list`."""
        tools: list[dict[str, Any]] = self.ask(self._request("tools/list", {}))["result"]["tools"]
        return tools

    def call(self, name: str, arguments: dict[str, Any]) -> float:
        """Call a tool; the seconds until its answer arrived."""
        return self.calls([(name, arguments)])

    def calls(self, calls: Sequence[Call]) -> float:
        """Send all these calls at once; the seconds until the last answer arrived."""
        seconds, refusals = self.send_calls(calls)
        if refusals:
            raise Unavailable(f"it refused a call: {refusals[0]}")
        return seconds

    def send_calls(self, calls: Sequence[Call]) -> tuple[float, list[str]]:
        """Send all these calls at once; the seconds until the last answer arrived, and the refusals."""
        requests = [self._request("tools/call", {"name": name, "arguments": arguments}) for name, arguments in calls]
        data = b"".join(json.dumps(request).encode() + b"\n" for request in requests)
        begin = time.perf_counter()
        if len(calls) == 1:
            self._send(data)
        else:  # a server that waits for its answers to be read may not read in the meantime
            threading.Thread(target=self._send, args=(data,), daemon=True).start()
        lines = [self.line() for _ in calls]
        return time.perf_counter() - begin, [refusal for line in lines if (refusal := _refusal(line))]

    def _send(self, raw: bytes) -> None:
        if self._process.stdin is not None:
            try:
                self._process.stdin.write(raw)
                self._process.stdin.flush()
            except BrokenPipeError:
                pass  # the end of the output

    def _request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        return {"jsonrpc": "2.0", "id": self._number, "method": method, "params": params}


class FilesystemServer(McpServer):
    """`server-filesystem`, the reference server for editing files."""

    name = f"server-filesystem {VERSION}"

    def __init__(self, cache: Path, folder: Path, seconds: float) -> None:
        super().__init__(["node", str(filesystem_server(cache)), str(folder)], seconds)

    def edit_call(self, path: Path, edits: Edits) -> Call:
        """`edit_file`."""
        items = [{"oldText": old, "newText": new} for old, new in edits]
        return "edit_file", {"path": str(path), "edits": items}

    def read_call(self, path: Path) -> Call:
        """`read_text_file`."""
        return "read_text_file", {"path": str(path)}


class BareServer(McpServer):
    """A server that uses only the SDK, with a tool that does nothing."""

    name = "bare SDK"

    def __init__(self, seconds: float) -> None:
        super().__init__([sys.executable, "-P", str(BARE_SCRIPT)], seconds)

    def edit_call(self, path: Path, edits: Edits) -> Call:
        """Sends the same arguments as an edit would."""
        return "nothing", {"path": str(path), "edits": list(edits)}

    def read_call(self, path: Path) -> Call:
        """Returns as many bytes as the file has."""
        return "nothing", {"size": path.stat().st_size}


class Suture(McpServer):
    """`suture mcp`."""

    name = "suture mcp"

    def __init__(self, folder: Path, seconds: float, *options: str) -> None:
        super().__init__([sys.executable, "-m", "suture", "mcp", "--root", str(folder), *options], seconds)

    def edit_call(self, path: Path, edits: Edits) -> Call:
        """`file_edit`."""
        return _file_edit(path, edits)

    def read_call(self, path: Path) -> Call:
        """`file_read` in raw format."""
        return "file_read", {"path": str(path), "format": "raw"}


class SutureBySdk(Suture):
    """`suture mcp` with the protocol revision that has no handshake, for which it loads the SDK."""

    name = "suture mcp, by the SDK"

    def _begin(self) -> None:
        self.ask(self._request("server/discover", {}))

    def _request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        return super()._request(method, {**params, **_envelope()})


class SutureOverHttp(Session):
    """`suture mcp --http`, with the protocol revision that has no handshake, over one connection."""

    name = "suture mcp --http"

    def __init__(self, folder: Path, seconds: float, *options: str) -> None:
        command = [sys.executable, "-m", "suture", "mcp", "--http", "127.0.0.1:0", "--root", str(folder), *options]
        super().__init__(command, seconds)
        self._place = urlsplit(self.line().decode())
        self._token = self.line().decode().partition(": ")[2]
        self._connection = HTTPConnection(self._place.netloc, timeout=seconds)

    def edit(self, path: Path, edits: Edits) -> float:
        """All edits in one call; the seconds until its answer arrived."""
        name, arguments = _file_edit(path, edits)
        params = {"name": name, "arguments": arguments, **_envelope()}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        headers = {
            "Authorization": self._token,
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": MODERN,
            "Mcp-Method": "tools/call",
            "Mcp-Name": name,
        }
        begin = time.perf_counter()
        self._connection.request("POST", self._place.path, body, headers)
        answer = self._connection.getresponse().read()
        elapsed = time.perf_counter() - begin
        if refusal := _refusal(answer):
            raise Unavailable(f"it refused the call: {refusal}")
        return elapsed


def _envelope() -> dict[str, Any]:
    """What every request has in the revision without a handshake."""
    prefix = "io.modelcontextprotocol"
    meta = {f"{prefix}/protocolVersion": MODERN, f"{prefix}/clientInfo": ABOUT, f"{prefix}/clientCapabilities": {}}
    return {"_meta": meta}


def _file_edit(path: Path, edits: Edits) -> Call:
    return "file_edit", {"path": str(path), "edits": [{"old_text": old, "new_text": new} for old, new in edits]}


def _refusal(answer: bytes) -> str:
    """The error in an answer, if the call did nothing."""
    message = json.loads(answer)
    refused = "error" in message or message["result"].get("isError")
    return answer[:200].decode(errors="replace") if refused else ""


def filesystem_server(cache: Path) -> Path:
    """The script of `server-filesystem`, which is installed if missing."""
    return install_npm(PACKAGE, VERSION, cache) / "dist" / "index.js"
