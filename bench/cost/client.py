"""A client of the Model Context Protocol that keeps what a model would read."""

from __future__ import annotations

import json
import subprocess
import time
from typing import TYPE_CHECKING, Any

from bench.cost.script import Answer
from bench.cost.source import ROOT
from bench.sessions import PROTOCOL, LineProcess

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from bench.cost.script import Call

PATIENCE = 120
END = 10


class Client(LineProcess):
    """A session with a server over its standard input and output."""

    def __init__(
        self,
        command: Sequence[str],
        root: Path,
        *,
        name: str = "bench",
        env: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(command, PATIENCE, cwd=root, env=env)
        self.names = {ROOT: str(root)}
        """What scripts and counted texts have in place of something that differs from run to run."""
        self._number = 0
        about = {"name": name, "version": "1"}
        hello = self._request("initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": about})
        self.instructions: str = (hello["result"].get("instructions") or "").replace(str(root), ROOT)
        self.say({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __exit__(self, *_: object) -> None:
        """End by closing the standard input, so that the server can end its own processes."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(END)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._process.stdin = None
        self._process.communicate()

    def tools(self) -> list[dict[str, Any]]:
        """The result of `tools/list`."""
        tools: list[dict[str, Any]] = self._request("tools/list", {})["result"]["tools"]
        return tools

    def call(self, call: Call) -> tuple[Answer, float]:
        """Call a tool; the seconds until its answer arrived."""
        params = json.dumps({"name": call.tool, "arguments": call.arguments})
        for name, real in self.names.items():
            params = params.replace(name, real)
        begin = time.perf_counter()
        message = self._request("tools/call", json.loads(params))
        seconds = time.perf_counter() - begin
        response = json.dumps(message)
        for name, real in self.names.items():
            response = response.replace(real, name)
        return read_answer(json.loads(response)), seconds

    def _request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The answer; what the server says in the meantime is not for the model."""
        self._number += 1
        message = self.ask({"jsonrpc": "2.0", "id": self._number, "method": method, "params": params})
        while message.get("id") != self._number or "method" in message:
            message = json.loads(self.line())
        return message


def read_answer(message: Mapping[str, Any]) -> Answer:
    """The answer in the response to `tools/call`."""
    if "error" in message:
        return Answer((str(message["error"]["message"]),), failed=True)
    result = message["result"]
    texts = tuple(block["text"] for block in result.get("content", []) if block["type"] == "text")
    return Answer(texts, result.get("structuredContent"), bool(result.get("isError")))
