"""Peers that edit files in a running process of their own: `openhands-aci`, and the MCP server `server-filesystem`.

Both are kept in the cache folder of `bench.editbench`. One that can't be installed, or does not answer within the
time, is `Unavailable`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Self

from bench.editbench.peers import INSTALL_SECONDS, OPENHANDS, WORKER, Unavailable, installed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    Edits = Sequence[tuple[str, str]]

PACKAGE, VERSION = "@modelcontextprotocol/server-filesystem", "2026.8.31"
PROTOCOL = "2025-06-18"


class Session(ABC):
    """A process that answers each line with a line."""

    name: str

    def __init__(self, command: Sequence[str], seconds: float) -> None:
        self._seconds = seconds
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    @abstractmethod
    def edit(self, path: Path, edits: Edits) -> float:
        """Make these edits, and say how many seconds it took."""

    def say(self, message: object) -> None:
        """Send a line."""
        if self._process.stdin is not None:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()

    def ask(self, message: object) -> dict[str, Any]:
        """Send a line and wait for the answer; a process that takes too long is ended."""
        timer = threading.Timer(self._seconds, self._process.kill)
        timer.start()
        try:
            self.say(message)
            line = self._process.stdout.readline() if self._process.stdout is not None else b""
        except BrokenPipeError:
            line = b""
        finally:
            timer.cancel()
        if not line:
            raise Unavailable(f"it ended, or did not answer within {self._seconds:.0f} seconds")
        answer: dict[str, Any] = json.loads(line)
        return answer


class OpenHands(Session):
    """`str_replace` of `openhands-aci`."""

    name = f"openhands-aci {OPENHANDS.version}"

    def __init__(self, cache: Path, _folder: Path, seconds: float) -> None:
        super().__init__([installed(OPENHANDS, cache), str(WORKER), "openhands_timed"], seconds)

    def edit(self, path: Path, edits: Edits) -> float:
        """One call per edit; the seconds they took inside the process."""
        return sum(self._edit(path, old, new) for old, new in edits)

    def _edit(self, path: Path, old: str, new: str) -> float:
        taken = self.ask({"body": str(path), "old": old, "new": new})["after"]
        if taken is None:
            raise Unavailable("it refused the edit")
        return float(taken)


class FilesystemServer(Session):
    """`edit_file` of `server-filesystem`, by JSON-RPC over its standard input and output."""

    name = f"server-filesystem {VERSION}"

    def __init__(self, cache: Path, folder: Path, seconds: float) -> None:
        super().__init__(["node", str(_server(cache)), str(folder)], seconds)
        self._number = 0
        about = {"name": "bench", "version": "1"}
        self._request("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": about})
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def edit(self, path: Path, edits: Edits) -> float:
        """All edits in one call; the seconds until its answer was here."""
        listed = [{"oldText": old, "newText": new} for old, new in edits]
        begin = time.perf_counter()
        answer = self._request("tools/call", {"name": "edit_file", "arguments": {"path": str(path), "edits": listed}})
        if "error" in answer or answer["result"].get("isError"):
            raise Unavailable(f"it refused the edit: {json.dumps(answer)[:200]}")
        return time.perf_counter() - begin

    def _request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        return self.ask({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})


def _server(cache: Path) -> Path:
    """The server's script, installed where it isn't there yet, with all that npm downloads for it."""
    folder = cache / f"peer-server-filesystem-{VERSION}"
    script, ready = folder / "node_modules" / PACKAGE / "dist" / "index.js", folder / "ready"
    if ready.exists():
        return script
    if shutil.which("npm") is None or shutil.which("node") is None:
        raise Unavailable("it needs npm and node on the PATH")
    folder.mkdir(parents=True, exist_ok=True)
    places = ["--prefix", str(folder), "--cache", str(folder / "npm")]
    command = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", *places]
    try:
        subprocess.run([*command, f"{PACKAGE}@{VERSION}"], check=True, capture_output=True, timeout=INSTALL_SECONDS)
    except subprocess.TimeoutExpired:
        raise Unavailable(f"not installed after {INSTALL_SECONDS} seconds") from None
    except subprocess.CalledProcessError as error:
        raise Unavailable(f"it could not be installed: {error.stderr.decode().strip()[-200:]}") from None
    ready.touch()
    return script
