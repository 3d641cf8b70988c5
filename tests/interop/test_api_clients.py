"""The vendors' own clients: they accept suture's definitions and answers, and suture accepts their calls.

The servers are stand-ins that answer the first request with a call and keep the bodies of all requests.
"""

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, TypeAlias

import pytest
from anthropic import Anthropic
from google.genai import Client
from google.genai.types import HttpOptions
from openai import OpenAI

from suture import Workspace, definitions

JSON: TypeAlias = dict[str, Any]

ARGUMENTS: JSON = {"path": "a.txt", "edits": [{"old_text": "café", "new_text": "CAFÉ"}]}
TOOLS = ["file_edit", "str_replace_based_edit_tool", "apply_patch"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_bytes("café\n".encode())
    return tmp_path


class Server(ThreadingHTTPServer):
    """A server on this machine."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.bodies: list[JSON] = []
        self.replies: list[JSON] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Server

    def do_POST(self) -> None:
        self.server.bodies.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        reply = json.dumps(self.server.replies[len(self.server.bodies) - 1]).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Server() as instance:
        thread = Thread(target=instance.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield instance
        instance.shutdown()
        thread.join()


@pytest.mark.promise("api.calls")
def test_anthropic(server: Server, root: Path) -> None:
    common: JSON = {"id": "m", "type": "message", "role": "assistant", "model": "m", "usage": {}, "stop_sequence": None}
    call = {"type": "tool_use", "id": "t", "name": "file_edit", "input": ARGUMENTS}
    server.replies += [{**common, "content": [call], "stop_reason": "tool_use"}, {**common, "content": []}]
    client = Anthropic(api_key="none", base_url=server.url)
    tools: Any = definitions("anthropic", TOOLS)
    messages: list[Any] = [{"role": "user", "content": "Go."}]
    reply = client.messages.create(model="m", max_tokens=9, messages=messages, tools=tools)
    answers: list[Any] = Workspace(root).handle_all(reply)
    assert len(answers) == 1
    messages += [{"role": reply.role, "content": reply.content}, *answers]
    client.messages.create(model="m", max_tokens=9, messages=messages, tools=tools)
    assert [body["tools"] for body in server.bodies] == [tools, tools]
    assert server.bodies[1]["messages"][2:] == answers
    assert (root / "a.txt").read_text("utf-8") == "CAFÉ\n"


@pytest.mark.promise("api.calls")
def test_openai_chat_completions(server: Server, root: Path) -> None:
    function = {"name": "file_edit", "arguments": json.dumps(ARGUMENTS)}
    message = {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": function}]}
    common: JSON = {"id": "c", "object": "chat.completion", "created": 1, "model": "m"}
    reply = {**common, "choices": [{"index": 0, "finish_reason": "tool_calls", "message": message}]}
    server.replies += [reply, {**common, "choices": []}]
    client = OpenAI(api_key="none", base_url=server.url)
    tools: Any = definitions("openai", TOOLS)
    messages: list[Any] = [{"role": "user", "content": "Go."}]
    completion = client.chat.completions.create(model="m", messages=messages, tools=tools)
    answers: list[Any] = Workspace(root).handle_all(completion)
    assert len(answers) == 1
    messages += [completion.choices[0].message, *answers]
    client.chat.completions.create(model="m", messages=messages, tools=tools)
    assert [body["tools"] for body in server.bodies] == [tools, tools]
    assert server.bodies[1]["messages"][2:] == answers
    assert (root / "a.txt").read_text("utf-8") == "CAFÉ\n"


@pytest.mark.promise("api.calls")
def test_openai_responses(server: Server, root: Path) -> None:
    operation = {"type": "create_file", "path": "b.txt", "diff": "+new\n"}
    output = [
        {"type": "function_call", "call_id": "1", "name": "file_edit", "arguments": json.dumps(ARGUMENTS)},
        {"type": "apply_patch_call", "id": "p", "call_id": "2", "status": "completed", "operation": operation},
    ]
    common: JSON = {"id": "r", "object": "response", "created_at": 1, "model": "m", "status": "completed"}
    server.replies += [{**common, "output": output}, {**common, "output": []}]
    client = OpenAI(api_key="none", base_url=server.url)
    tools: Any = definitions("openai-responses", TOOLS)
    reply = client.responses.create(model="m", input="Go.", tools=tools)
    answers: list[Any] = Workspace(root).handle_all(reply)
    assert [answer["call_id"] for answer in answers] == ["1", "2"]
    client.responses.create(model="m", previous_response_id=reply.id, input=answers, tools=tools)
    assert [body["tools"] for body in server.bodies] == [tools, tools]
    assert server.bodies[1]["input"] == answers
    assert {path.name: path.read_text("utf-8") for path in root.iterdir()} == {"a.txt": "CAFÉ\n", "b.txt": "new\n"}


@pytest.mark.promise("api.calls")
def test_gemini(server: Server, root: Path) -> None:
    content = {"role": "model", "parts": [{"functionCall": {"name": "file_edit", "args": ARGUMENTS}}]}
    server.replies += [{"candidates": [{"content": content, "finishReason": "STOP"}]}, {"candidates": []}]
    client = Client(api_key="none", http_options=HttpOptions(base_url=server.url))
    tools: Any = definitions("gemini", TOOLS)
    contents: list[Any] = [{"role": "user", "parts": [{"text": "Go."}]}]
    reply = client.models.generate_content(model="m", contents=contents, config={"tools": tools})
    answers: list[Any] = Workspace(root).handle_all(reply)
    assert len(answers) == 1
    assert reply.candidates
    contents += [reply.candidates[0].content, *answers]
    client.models.generate_content(model="m", contents=contents, config={"tools": tools})
    text = json.dumps([body["tools"] for body in server.bodies])
    assert json.loads(text.replace("parameters_json_schema", "parametersJsonSchema")) == [tools, tools]  # it takes both
    assert server.bodies[1]["contents"][2:] == answers
    assert (root / "a.txt").read_text("utf-8") == "CAFÉ\n"
