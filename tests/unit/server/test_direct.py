"""Answers without the SDK: they are the SDK's own, and which messages get them."""

import json
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from mcp_types import INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND

from suture import Workspace
from suture.server import calls as calls_module
from suture.server.calls import Calls
from suture.server.direct import Direct
from suture.server.sdk import serve_by_sdk
from suture.tools import DIALECTS, PROFILES, TOOLS, choose
from tests.interop.mcp_servers import (
    HANDSHAKES,
    INITIALIZED,
    NEWEST,
    edit,
    hello,
    hold_lock,
    notification,
    request,
    tool_call,
)
from tests.unit.server.speaking import Message

READ = tool_call(1, "file_read", {"path": "a.txt", "format": "raw"})
ENVELOPE = {"io.modelcontextprotocol/protocolVersion": NEWEST}


class Client:
    """A client that is answered without the SDK, and the messages that it gets."""

    def __init__(self, root: Path, **more: Any) -> None:
        self.sent: list[Message] = []
        self._posted = SimpleQueue[Callable[[], object]]()
        self.calls = Calls(Workspace(root), sorted(TOOLS), **more)
        self.direct = Direct(self.calls, str(root), lambda line: self.sent.append(json.loads(line)), self._posted.put)

    def send(self, *messages: Message) -> list[Message]:
        """Everything that was sent when the answers to these messages are there."""
        for message in messages:
            self.direct.take(message)
        while self.direct.is_busy:
            self._posted.get()()
        return self.sent


def ask(root: Path, *messages: Message) -> list[Message]:
    """What is answered without the SDK."""
    return Client(root).send(*messages)


def ask_sdk(root: Path, *messages: Message) -> list[Message]:
    """What the SDK answers."""
    sent: list[Message] = []
    posted = SimpleQueue[Callable[[], object]]()
    calls = Calls(Workspace(root), sorted(TOOLS))
    with serve_by_sdk(calls, str(root), lambda line: sent.append(json.loads(line)), posted.put) as client:
        for message in messages:
            client.take(message)
            while client.is_busy:
                posted.get()()
    calls.end()
    return sent


def hello_of(name: str) -> Message:
    return request(
        0, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": name, "version": "1"}
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_bytes(b"one\n")
    return tmp_path


@pytest.mark.promise("serve.revisions")
@pytest.mark.parametrize("revision", [*HANDSHAKES, "1999-01-01", NEWEST])
def test_every_answer_is_the_one_of_the_sdk(root: Path, revision: str) -> None:
    messages = [
        hello(revision),
        INITIALIZED,
        request("ping", "ping"),
        request("two", "tools/list"),
        {"jsonrpc": "2.0", "id": 3, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 4, "method": "tools/list", "params": None, "more": 1},
        request(5, "tools/list", cursor="next"),
        READ,
        tool_call(6, "regex_split", {"file_path": "a.txt", "pattern": "n"}),
        tool_call(7, "file_read", {"path": "missing"}),
        request(8, "tools/call", name="history"),
        request(9, "tools/call", name="file_read", arguments={"path": "a.txt"}, task={"ttl": 1}),
        tool_call(10, "rm", {}),
        request(11, "tools/eat"),
        request(12, "resources/list"),
        request(13, "server/discover"),
        {"jsonrpc": "2.0", "id": 14, "result": {}},
        hello("2025-06-18", 15),
    ]
    answers, of_sdk = ({answer["id"]: answer for answer in asked(root, *messages)} for asked in (ask, ask_sdk))
    assert answers == of_sdk
    assert len(answers) == len(messages) - 2


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (request(1, "tools/call"), INVALID_PARAMS),
        (request(1, "tools/call", name=["file_read"]), INVALID_PARAMS),
        (request(1, "tools/call", name="file_read", arguments=[]), INVALID_PARAMS),
        (request(1, "initialize"), INVALID_PARAMS),
        ({**READ, "params": {**READ["params"], "_meta": ENVELOPE}}, INVALID_REQUEST),
    ],
)
def test_a_request_that_is_not_valid_is_refused_with_the_code_of_the_sdk(
    root: Path, message: Message, code: int
) -> None:
    for answer in (ask(root, hello(), message)[1], ask_sdk(root, hello(), message)[1]):
        assert (answer["id"], answer["error"]["code"]) == (1, code)


@pytest.mark.parametrize(
    ("message", "taken"),
    [
        (hello(), True),
        (hello("1999-01-01"), True),
        (request(1, "initialize"), True),
        (request(1, "ping"), True),
        (INITIALIZED, True),
        (notification("notifications/cancelled", requestId=1), True),
        ({"jsonrpc": "2.0", "id": 1, "result": {}}, True),
        (request(1, "ping", _meta=ENVELOPE), False),
        (request(1, "server/discover", _meta=ENVELOPE), False),
        (request(1, "tools/list"), False),
        (READ, False),
    ],
)
def test_the_sdk_is_for_those_who_do_not_begin_with_a_handshake(
    root: Path,
    message: Message,
    taken: bool,  # noqa: FBT001  a case
) -> None:
    assert Client(root).direct.can_take(message) is taken
    client = Client(root)
    client.send(hello())
    assert client.direct.can_take(message) is True


def test_a_handshake_that_is_refused_decides_nothing(root: Path) -> None:
    client = Client(root)
    client.send(request(0, "initialize"))
    assert not client.direct.can_take(READ)


@pytest.mark.parametrize(
    "meta", [None, {}, {"other": 1}, *({"progressToken": token} for token in (None, True, 10**30))]
)
def test_metadata_that_is_not_known_is_ignored(root: Path, meta: Any) -> None:
    _, answer = ask(root, hello(), {**READ, "params": {**READ["params"], "_meta": meta}})
    assert answer["result"]["content"] == [{"type": "text", "text": "one\n"}]


@pytest.mark.parametrize(
    ("client", "only_text"), [("claude-code", True), ("codex-mcp-client", True), ("other", False), ("", False)]
)
def test_a_client_that_reads_only_text_is_told_of_no_output_schemas(
    root: Path,
    client: str,
    only_text: bool,  # noqa: FBT001  a case
) -> None:
    asked = request(1, "tools/list")
    greeting = hello_of(client)
    for _, answer in (ask(root, greeting, asked), ask_sdk(root, greeting, asked)):
        tools = answer["result"]["tools"]
        assert [tool["name"] for tool in tools] == sorted(TOOLS)
        assert any("outputSchema" in tool for tool in tools) is not only_text


def test_a_root_that_is_not_unicode_can_be_named(root: Path) -> None:
    other = root / "caf\udce9"
    other.mkdir()
    (answer,) = ask(other, hello())
    assert "caf\ufffd. Paths" in answer["result"]["instructions"]


def test_a_client_need_not_say_its_name(root: Path) -> None:
    answer, pong = ask(root, request(0, "initialize", protocolVersion="2025-06-18"), request(1, "ping"))
    assert (answer["result"]["protocolVersion"], pong["result"]) == ("2025-06-18", {})


@pytest.mark.promise("serve.tools")
def test_tools_that_are_not_listed_can_be_called(root: Path) -> None:
    names = choose("search")
    calls = [tool_call(name, name, {}) for name in (*TOOLS, *DIALECTS, "rm", "x" * 1_000)]

    def refused(client: Client) -> set[str]:
        client.calls.names = tuple(names)
        answers = client.send(hello(), *calls)
        return {answer["id"] for answer in answers if answer.get("error", {}).get("code") == INVALID_PARAMS}

    assert refused(Client(root, only_listed=False)) == {"rm", "x" * 1_000}
    assert refused(Client(root)) == {*TOOLS, *DIALECTS, "rm", "x" * 1_000} - {*PROFILES["search"]}


@pytest.mark.promise("serve.cancel")
def test_a_cancelled_call_changes_nothing_and_is_not_answered(root: Path) -> None:
    client = Client(root)
    client.send(hello())
    ids: list[object] = [2, [], None, True, 1]
    cancels = [notification("notifications/cancelled", requestId=number) for number in ids]
    with hold_lock(root):
        _, refused = client.send(
            tool_call(1, "file_edit", edit("a.txt", "one", "two")),
            tool_call(1, "file_edit", edit("a.txt", "one", "six")),  # the id is in use
            *cancels,
        )
    assert (refused["id"], refused["error"]["code"]) == (1, INVALID_REQUEST)
    assert (root / "a.txt").read_bytes() == b"one\n"


def test_progress_is_reported_before_the_answer(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls_module, "_SECONDS_BETWEEN_REPORTS", 0)
    search = {"path_pattern": "*.txt", "pattern": "one"}
    _, *notes, answer = ask(root, hello(), tool_call(1, "regex_search_multi", search, token="mine"))  # noqa: S106  no secret
    assert answer["id"] == 1
    assert [message["method"] for message in notes] == ["notifications/progress"] * len(notes)
    assert notes[0]["params"] == {"progressToken": "mine", "progress": 1, "message": "files: 1, matches: 0"}


def test_no_method_but_those_of_tools_is_found(root: Path) -> None:
    _, answer = ask(root, hello(), request(1, "prompts/list"))
    assert answer["error"] == {"code": METHOD_NOT_FOUND, "message": "Method not found", "data": "prompts/list"}
