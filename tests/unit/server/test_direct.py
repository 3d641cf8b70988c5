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
from suture.server import direct as direct_module
from suture.server.calls import Calls
from suture.server.direct import Direct
from suture.server.roots import RootRule, Roots
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


def roots_at(root: Path) -> Roots:
    return Roots.fixed(Workspace(root))


class Client:
    """A client that is answered without the SDK, and the messages that it gets."""

    def __init__(self, root: Path, **more: Any) -> None:
        self.sent: list[Message] = []
        self._posted = SimpleQueue[Callable[[], object]]()
        self.calls = Calls(sorted(TOOLS), **more)
        self.direct = Direct(self.calls, roots_at(root), self.put, self.post)

    def put(self, line: bytes) -> None:
        """Receive a line."""
        self.sent.append(json.loads(line))

    def post(self, function: Callable[[], object]) -> None:
        """Have a function called by the thread that sends."""
        self._posted.put(function)

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


def ask_sdk(root: Path | Roots, *messages: Message) -> list[Message]:
    """What the SDK answers."""
    sent: list[Message] = []
    posted = SimpleQueue[Callable[[], object]]()
    calls, roots = Calls(sorted(TOOLS)), root if isinstance(root, Roots) else roots_at(root)
    with serve_by_sdk(calls, roots, lambda line: sent.append(json.loads(line)), posted.put) as client:
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


def declaration(number: int, *folders: Path) -> Message:
    """The answer to the request for folders with this number."""
    result = {"roots": [{"uri": folder.as_uri()} for folder in folders]}
    return {"jsonrpc": "2.0", "id": f"suture-roots-{number}", "result": result}


class RootsClient(Client):
    """A client that declares folders, of a server that was started in one of them."""

    def __init__(self, folder: Path, **more: Any) -> None:
        super().__init__(folder, **more)
        rule = RootRule(str(folder), "", (str(folder.parent),))
        self.roots = Roots(rule, Workspace)
        self.direct = Direct(self.calls, self.roots, self.put, self.post)

    def take(self, *messages: Message) -> None:
        for message in messages:
            self.direct.take(message)

    def declare(self, number: int, *folders: Path) -> None:
        self.send(declaration(number, *folders))

    def texts(self) -> list[str]:
        """The texts of the results."""
        results = [message["result"] for message in self.sent if "content" in message.get("result", {})]
        return [block["text"] for result in results for block in result["content"]]

    @property
    def asked(self) -> int:
        """How often it was asked for its folders."""
        return sum(message.get("method") == "roots/list" for message in self.sent)


@pytest.fixture
def other(root: Path) -> Path:
    other = root.parent / f"{root.name}-other"
    other.mkdir()
    (other / "a.txt").write_bytes(b"two\n")
    return other


def read_call(number: int) -> Message:
    return tool_call(number, "file_read", {"path": "a.txt", "format": "raw"})


@pytest.mark.promise("serve.roots")
def test_only_calls_wait_for_the_folders_of_the_client_and_keep_their_order(root: Path, other: Path) -> None:
    client = RootsClient(root, ordered=True, only_listed=False)
    write = tool_call(2, "write", {"file_path": "b.txt", "content": "three\n"})
    read = tool_call(3, "file_read", {"path": "b.txt", "format": "raw"})
    client.take(hello(), INITIALIZED, request("list", "tools/list"), read_call(1), write, read, request("p", "ping"))
    assert [message["id"] for message in client.sent] == [0, "suture-roots-1", "list", "p"]
    assert client.direct.is_busy
    client.declare(1, other)
    assert (other / "b.txt").read_bytes() == b"three\n"
    assert sorted(message["id"] for message in client.sent[4:]) == [1, 2, 3]
    assert {"two\n", "three\n"} <= {*client.texts()}
    client.calls.end()
    client.roots.close()


@pytest.mark.parametrize("answer", ["error", "none", "late"])
def test_a_client_that_does_not_say_where_it_works_is_served_where_it_started(
    root: Path, other: Path, monkeypatch: pytest.MonkeyPatch, answer: str
) -> None:
    monkeypatch.setattr(direct_module, "ROOTS_SECONDS", 0.0)
    client = RootsClient(root)
    client.take(hello(), INITIALIZED, read_call(1))
    assert client.direct.seconds_left == 0
    if answer == "error":
        client.send({"jsonrpc": "2.0", "id": "suture-roots-1", "error": {"code": -32601, "message": "no"}})
        assert client.texts() == ["one\n"]
    else:
        client.direct.stop_waiting()
        client.send()
        assert client.texts()[0] == "one\n"
        assert client.texts()[1].endswith("the client did not answer which folder is open in it.")
    client.direct.stop_waiting()
    if answer == "late":
        client.declare(1, other)
        client.send(read_call(2))
        assert client.texts()[2:] == ["two\n", f"Note: from now on, paths are relative to {other}."]
    client.calls.end()
    client.roots.close()


def test_a_client_is_asked_again_when_its_folders_change(root: Path, other: Path) -> None:
    client = RootsClient(root)
    changed = notification("notifications/roots/list_changed")
    client.take(hello(), INITIALIZED)
    client.declare(1, root)
    client.send(read_call(1))
    client.take(changed, changed, read_call(2))
    client.take(declaration(2, root))  # superseded
    assert client.texts() == ["one\n"]
    client.declare(3, other)
    assert (client.asked, client.texts()[1]) == (3, "two\n")
    client.calls.end()
    client.roots.close()


def test_a_client_that_calls_before_it_is_ready_is_asked_then(root: Path, other: Path) -> None:
    client = RootsClient(root)
    client.take(hello(), read_call(1), read_call(1))
    assert (client.asked, client.sent[-1]["error"]["code"]) == (1, INVALID_REQUEST)
    client.declare(1, other)
    assert client.texts() == ["two\n"]
    client.calls.end()
    client.roots.close()


def test_a_call_that_waits_for_the_folders_of_the_client_can_be_canceled(root: Path, other: Path) -> None:
    client = RootsClient(root)
    client.take(hello(), INITIALIZED, read_call(1), notification("notifications/cancelled", requestId=1))
    assert not client.direct.is_busy
    client.declare(1, other)
    assert client.texts() == []
    client.roots.close()


def test_no_more_is_read_while_too_many_calls_wait_for_the_folders(root: Path) -> None:
    client = RootsClient(root)
    client.take(hello(), INITIALIZED, *map(read_call, range(1, 101)))
    assert not client.direct.is_full
    client.take(read_call(101))
    full = [client.direct.is_full]
    client.direct.stop_waiting()
    client.send()
    assert [*full, client.direct.is_full, client.direct.seconds_left] == [True, False, None]
    client.calls.end()
    client.roots.close()


def test_who_has_no_folders_to_declare_is_not_asked(root: Path) -> None:
    for start in (hello_of("x"), request(0, "initialize", protocolVersion="2025-06-18", capabilities={"roots": None})):
        client = RootsClient(root)
        client.take(start, INITIALIZED)
        assert str(root) in client.sent[0]["result"]["instructions"]
        client.send(read_call(1))
        assert (client.asked, client.texts()) == (0, ["one\n"])
        client.calls.end()
        client.roots.close()


def test_without_a_workspace_calls_are_refused(tmp_path: Path) -> None:
    for ask_one in (_refused_directly, _refused_by_sdk):
        answer = ask_one(tmp_path)
        assert answer["isError"]
        assert answer["content"][0]["text"].startswith("NO_WORKSPACE: There is no folder to work in")


def _refused_directly(home: Path) -> Message:
    client = RootsClient(home)
    client.direct = Direct(client.calls, Roots(RootRule(str(home), str(home)), Workspace), client.put, client.post)
    result: Message = client.send(hello_of("x"), INITIALIZED, read_call(1))[1]["result"]
    return result


def _refused_by_sdk(home: Path) -> Message:
    result: Message = ask_sdk(Roots(RootRule(str(home), str(home)), Workspace), hello(), read_call(1))[1]["result"]
    return result


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
