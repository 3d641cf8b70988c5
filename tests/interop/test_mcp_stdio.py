"""The server over stdio: start-up, invalid input and shutdown."""

import json
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from mcp import MCPError
from mcp_types import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
)

from suture.tools import choose
from tests.interop.mcp_servers import (
    HANDSHAKES,
    NEWEST,
    PATIENCE,
    Message,
    Wire,
    contents,
    edit,
    hello,
    hold_lock,
    modern,
    notification,
    over_pipes,
    program,
    request,
    start_process,
    stdio_caller,
    text_of,
    tool_call,
    wait_for,
)

READ = {"path": "a.txt", "format": "raw"}
EDIT = edit("a.txt", "one", "two")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.txt").write_bytes(b"one\n")
    (root / "b.txt").write_bytes(b"one\n")
    return root


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    gate = tmp_path / "gate"
    gate.mkdir()
    return gate


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    """A server that must survive any input; its workspace has one file."""
    root = tmp_path_factory.mktemp("root")
    (root / "a.txt").write_bytes(b"one\n")
    with over_pipes(root, "--durability", "fast") as instance:
        instance.handshake()
        yield instance


def text(answer: Message) -> str:
    (block,) = answer["result"]["content"]
    result: str = block["text"]
    return result


def wait_until_writing(gate: Path) -> None:
    """Wait until the server has begun to write."""
    wait_for((gate / "reached").exists)


@pytest.mark.promise("serve.revisions")
def test_the_oldest_revision_is_spoken_and_all_is_answered_when_input_ends(root: Path) -> None:
    with over_pipes(root) as wire:
        handshake = wire.handshake(HANDSHAKES[0])
        assert handshake["protocolVersion"] == HANDSHAKES[0]
        assert handshake["serverInfo"]["name"] == "suture"
        assert "tools" in handshake["capabilities"]
        assert str(root) in handshake["instructions"]
        tools = wire.ask(request(1, "tools/list"))["result"]["tools"]
        assert [tool["name"] for tool in tools] == choose()
        answer = wire.ask(tool_call("two", "file_read", READ))
        assert (answer["id"], text(answer), answer["result"]["isError"]) == ("two", "one\n", False)
        wire.send(*(tool_call(number, "file_read", READ) for number in range(50)), tool_call(50, "file_edit", EDIT))
        wire.close()
        assert {answer.get("id") for answer in wire.read_all()} == set(range(51))  # and nobody was asked for roots
        assert wire.exit_code() == 0
    assert (root / "a.txt").read_bytes() == b"two\n"


NESTED = b"[" * 100_000
NONSENSE: dict[str, tuple[bytes, int, Any]] = {
    "no JSON": (b"hello", PARSE_ERROR, None),
    "cut off": (b'{"jsonrpc": "2.0", "id": 1, "method": "pi', PARSE_ERROR, None),
    "not UTF-8": (b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}', PARSE_ERROR, None),
    "nested too deeply": (NESTED, PARSE_ERROR, None),
    "a number": (b"7", INVALID_REQUEST, None),
    "a batch": (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', INVALID_REQUEST, None),
    "no version": (b'{"id": 5, "method": "ping"}', INVALID_REQUEST, 5),
    "another version": (b'{"jsonrpc": "1.0", "id": "x", "method": "ping"}', INVALID_REQUEST, "x"),
    "no method": (b'{"jsonrpc": "2.0", "id": 6}', INVALID_REQUEST, 6),
    "a method that is no text": (b'{"jsonrpc": "2.0", "id": 7, "method": 7}', INVALID_REQUEST, 7),
    "an id that is none": (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', INVALID_REQUEST, None),
    "too long": (b'"' + b"x" * 30_000_000 + b'"', INVALID_REQUEST, None),
    "an unknown method": (b'{"jsonrpc": "2.0", "id": 8, "method": "tools/eat"}', METHOD_NOT_FOUND, 8),
    "no parameters": (b'{"jsonrpc": "2.0", "id": 9, "method": "tools/call"}', INVALID_PARAMS, 9),
    "no name": (b'{"jsonrpc": "2.0", "id": 10, "method": "tools/call", "params": {}}', INVALID_PARAMS, 10),
    "arguments that are none": (
        b'{"jsonrpc": "2.0", "id": 11, "method": "tools/call", "params": {"name": "file_read", "arguments": [1]}}',
        INVALID_PARAMS,
        11,
    ),
    "an unknown tool": (
        b'{"jsonrpc": "2.0", "id": 12, "method": "tools/call", "params": {"name": "rm", "arguments": {}}}',
        INVALID_PARAMS,
        12,
    ),
}


@pytest.mark.promise("serve.malformed")
@pytest.mark.parametrize(("raw", "code", "number"), NONSENSE.values(), ids=NONSENSE)
def test_nonsense_is_answered_and_the_server_lives_on(wire: Wire, raw: bytes, code: int, number: Any) -> None:
    wire.send(raw)
    answer = wire.receive()
    assert (answer["jsonrpc"], answer["id"], answer["error"]["code"]) == ("2.0", number, code)
    assert answer["error"]["message"]
    assert text(wire.ask(tool_call("next", "file_read", READ))) == "one\n"


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"  \r",
        b'{"jsonrpc": "2.0", "method": "notifications/unheard"}',
        b'{"jsonrpc": "2.0", "id": 9, "result": {}}',
    ],
)
def test_what_needs_no_answer_gets_none(wire: Wire, raw: bytes) -> None:
    wire.send(raw)
    assert wire.ask(request("after", "ping"))["id"] == "after"


def test_a_message_may_end_with_crlf_and_come_in_pieces(wire: Wire) -> None:
    raw = json.dumps(tool_call("pieces", "file_read", READ)).encode() + b"\r\n"
    for start in range(0, len(raw), 7):
        wire.push(raw[start : start + 7])
    assert text(wire.receive()) == "one\n"


def test_a_result_over_the_limit_is_cut_and_says_so(root: Path) -> None:
    (root / "long.txt").write_bytes(b"red line\n" * 5_000)
    names = "file_read,file_edit,regex_search,regex_replace,undo"
    with stdio_caller(root, "--max-answer", "2000", "--tools", names, mode="auto") as caller:
        assert caller.client.protocol_version == NEWEST
        assert ",".join(tool.name for tool in caller.portal.call(caller.client.list_tools).tools) == names
        with pytest.raises(MCPError):
            caller.call("patch", {})
        part = caller.call("file_read", {"path": "long.txt"})
        assert part.structured_content is not None
        end = part.structured_content["end_line"]
        assert (part.is_error, part.structured_content["truncated"]) == (False, True)
        assert text_of(part).endswith(f"truncated after line {end} of 5000; continue with start_line {end + 1}.")
        search = {"file_path": "long.txt", "pattern": "red"}
        result = caller.call("regex_search", search)
        rows, note = (block.text for block in result.content if block.type == "text")
        assert note.startswith(f"… {5_000 - len(json.loads(rows)):,} more matches (of 5,000);")
        assert len(rows) + len(note) <= 2_000
        assert "\n10 of 5,000 " in text_of(caller.call("regex_search", {**search, "max_matches": 10}))

        many = {"path": "long.txt", "edits": [{"old_text": "red", "new_text": "blue", "occurrences": 5_000}]}
        for name, arguments in (
            ("file_edit", many),
            ("regex_replace", {"file_path": "long.txt", "pattern": "blue", "replacement": "green"}),
        ):
            edited = caller.call(name, arguments)
            assert not edited.is_error
            assert len(edited.model_dump_json()) <= 5_000
            metadata = edited.structured_content or edited.meta
            assert metadata is not None
            assert metadata["change_id"]
        assert (root / "long.txt").read_bytes() == b"green line\n" * 5_000
        assert not caller.call("undo", {}).is_error
        assert (root / "long.txt").read_bytes() == b"blue line\n" * 5_000


@pytest.mark.promise("serve.cancel")
def test_a_cancelled_call_is_not_answered_and_changes_nothing(wire: Wire) -> None:
    (wire.root / "c1.txt").write_bytes(b"red\n")
    (wire.root / "c2.txt").write_bytes(b"red\n")
    replace = {"path_pattern": "c*.txt", "pattern": "red", "replacement": "blue"}
    with hold_lock(wire.root):
        wire.send(tool_call("cancelled", "regex_replace_multi", replace))
        wire.send(notification("notifications/cancelled", requestId="cancelled", reason="changed my mind"))
        assert wire.ask(request("after", "ping"))["id"] == "after"
    answer = wire.ask(tool_call("later", "file_edit", edit("c2.txt", "red", "green")))
    assert (answer["id"], answer["result"]["isError"]) == ("later", False)
    assert wire.ask(request("last", "ping"))["id"] == "last"
    assert [(wire.root / name).read_bytes() for name in ("c1.txt", "c2.txt")] == [b"red\n", b"green\n"]


def test_progress_is_reported_by_the_token_of_the_request(wire: Wire) -> None:
    (wire.root / "p.txt").write_bytes(b"red\n")
    replace = {"path_pattern": "p*.txt", "pattern": "red", "replacement": "blue"}
    with hold_lock(wire.root):
        wire.send(tool_call(1, "regex_replace_multi", replace, token="mine"))  # noqa: S106  of progress, no secret
        progress = wire.receive()
    assert (progress["method"], progress["params"]["progressToken"]) == ("notifications/progress", "mine")
    assert progress["params"]["progress"] > 0
    messages = [wire.receive()]
    while "id" not in messages[-1]:
        messages.append(wire.receive())
    assert not messages[-1]["result"]["isError"]


@pytest.mark.promise("serve.cancel")
@pytest.mark.parametrize("by_sdk", [False, True], ids=["without the SDK", "by the SDK"])
def test_a_signal_stops_a_call_that_has_not_begun_to_write(root: Path, by_sdk: bool) -> None:  # noqa: FBT001  a case
    before = contents(root)
    ask = modern if by_sdk else request
    with over_pipes(root) as wire, hold_lock(root):
        if not by_sdk:
            wire.handshake()
        wire.send(ask(1, "tools/call", name="file_edit", arguments=EDIT))
        assert wire.ask(ask(2, "tools/list"))["id"] == 2
        wire.process.send_signal(signal.SIGINT)
        assert (wire.read_all(), wire.exit_code()) == ([], 130)
    assert contents(root) == before


@pytest.mark.promise("serve.cancel")
def test_a_signal_waits_for_a_commit_in_progress_and_prints_stay_out_of_the_way(root: Path, gate: Path) -> None:
    replace = {"path_pattern": "*", "pattern": "two|one", "replacement": "three"}
    with over_pipes(root, gate=gate) as wire:
        wire.handshake()
        (gate / "open").touch()
        answer = wire.ask(tool_call(1, "file_edit", EDIT))  # while which the server prints
        assert (answer["id"], answer["result"]["isError"]) == (1, False)
        (gate / "reached").unlink()
        (gate / "open").unlink()
        wire.send(tool_call(2, "regex_replace_multi", replace))
        wait_until_writing(gate)
        for _ in range(3):  # and of nobody who is impatient
            wire.process.send_signal(signal.SIGTERM)
            time.sleep(0.1)
        (gate / "open").touch()
        assert all("id" not in message or message["id"] == 2 for message in wire.read_all())
        assert wire.exit_code() == 0
    assert contents(root) == {"a.txt": b"three\n", "b.txt": b"three\n"}


# A client that starts a server, calls, and is then killed.
CLIENT = """
import json, subprocess, sys
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
for line in json.loads(sys.argv[1]):
    server.stdin.write(json.dumps(line).encode() + b"\\n")
server.stdin.flush()
for line in server.stdout:
    print(line.decode(), end="", flush=True)
"""


@pytest.mark.promise("serve.cancel")
@pytest.mark.parametrize("writing", [False, True], ids=["before it writes", "while it writes"])
def test_a_client_that_is_killed_leaves_a_whole_workspace(root: Path, gate: Path, writing: bool) -> None:  # noqa: FBT001  a case
    before = contents(root)
    replace = {"path_pattern": "*", "pattern": "one", "replacement": "two"}
    messages = [hello(), tool_call(1, "regex_replace_multi", replace), request(2, "ping")]
    server = (*program(gate if writing else None), "mcp", "--root", str(root))
    words = [sys.executable, "-c", CLIENT, json.dumps(messages), *server]
    pipe = subprocess.PIPE
    with ExitStack() as stack:
        if not writing:
            stack.enter_context(hold_lock(root))
        client = stack.enter_context(start_process(words, stdout=pipe, stderr=pipe))
        assert client.stdout is not None
        assert client.stderr is not None
        while json.loads(client.stdout.readline())["id"] != 2:
            pass
        if writing:
            wait_until_writing(gate)
        client.kill()
        client.wait()
        (gate / "open").touch()
        with ThreadPoolExecutor(1) as executor:  # the server holds it open as long as it lives
            executor.submit(client.stderr.read).result(PATIENCE)
    assert contents(root) == ({"a.txt": b"two\n", "b.txt": b"two\n"} if writing else before)


@pytest.mark.promise("serve.malformed")
def test_a_flood_of_messages_is_read_as_fast_as_it_is_answered(tmp_path: Path) -> None:
    """Unanswered messages: those in the pipes, one chunk, and a hundred more."""
    lines, answers = 6_000, 0
    with over_pipes(tmp_path) as wire:
        wire.handshake()
        assert wire.process.stdin is not None
        assert wire.process.stdout is not None
        to_server, from_server = wire.process.stdin.fileno(), wire.process.stdout.fileno()
        os.set_blocking(to_server, False)
        unsent = memoryview((json.dumps(request(5, "ping")).encode() + b"\n") * lines)
        while unsent:
            readable, writable, _ = select.select([from_server], [to_server], [], PATIENCE)
            assert readable or writable, "the server does not go on"
            if readable:
                answers += os.read(from_server, 1 << 16).count(b"\n")
            elif writable:
                unsent = unsent[os.write(to_server, unsent) :]
    assert lines - answers < 4_000


@pytest.mark.promise("bound.process")
def test_a_call_without_memory_is_answered_and_the_server_lives_on(root: Path) -> None:
    (root / "large.txt").write_bytes(b"x" * 90_000_000)
    with over_pipes(root, "--max-memory-bytes", "300000000", "--call-ms", "600000") as wire:
        wire.handshake()
        large = tool_call(1, "regex_replace", {"file_path": "large.txt", "pattern": "(x*)(x)", "replacement": "$1$1"})
        assert wire.ask(large)["result"]["_meta"]["error"]["code"] == "OUT_OF_MEMORY"
        answer = wire.ask(tool_call(2, "safe_edit", {"path": "new.py", "content": "x = 1\n"}))["result"]
        assert answer["isError"] is False  # with ruff, which has the same limit
        assert answer["structuredContent"]["validation"]["passed"] is True
    assert (root / "large.txt").stat().st_size == 90_000_000


@pytest.mark.promise("bound.call")
def test_a_call_of_the_server_ends_by_its_clock(root: Path) -> None:
    (root / "long.txt").write_bytes(b"x\n" * 200_000)
    with over_pipes(root, "--call-ms", "1") as wire:
        wire.handshake()
        slow = tool_call(1, "regex_match_lines", {"file_path": "long.txt", "pattern": "x"})
        assert wire.ask(slow)["result"]["_meta"]["error"]["code"] == "CALL_TIMED_OUT"


@pytest.mark.promise("cli.settings")
def test_a_server_follows_any_setting(root: Path) -> None:
    (root / "a.txt").write_text("more than two bytes")
    with over_pipes(root, "--set", "max_file_bytes=2") as wire:
        wire.handshake()
        read = tool_call(1, "file_read", {"path": "a.txt"})
        error = wire.ask(read)["result"]["structuredContent"]["error"]
        assert (error["code"], error["setting"]) == ("INPUT_TOO_LARGE", "max_file_bytes")
        assert "--set max_file_bytes=N" in error["hint"]
