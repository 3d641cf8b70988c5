"""Messages over descriptors of this process: framing, and invalid messages."""

import json
import os
import signal
import sys
import threading
import time
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from mcp_types import INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR, UNSUPPORTED_PROTOCOL_VERSION

from suture import Settings, Workspace
from suture.server import stdio
from suture.testing import MemoryFS
from tests.interop.mcp_servers import (
    HANDSHAKES,
    NEWEST,
    edit,
    hello,
    hold_lock,
    modern,
    notification,
    request,
    tool_call,
)
from tests.unit.server.speaking import Message, exchange, redirect, serve_tools

READ = {"path": "a.txt", "format": "raw"}
MOST = 1_000


def serve_files(files: dict[str, bytes] | None = None) -> bool:
    fs = MemoryFS(files or {"a.txt": b"one\n"})
    return serve_tools(
        Workspace(fs.root, Settings(max_answer_chars=2_000_000), fs=fs), ["file_read", "file_edit"], MOST
    )


def answers(*messages: Message | bytes) -> list[Message]:
    return exchange(serve_files, *messages)


@pytest.mark.promise("serve.revisions")
@pytest.mark.parametrize("revision", HANDSHAKES)
def test_a_revision_with_a_handshake_is_spoken(revision: str) -> None:
    handshake, read = answers(
        hello(revision), notification("notifications/initialized"), tool_call(1, "file_read", READ)
    )
    assert handshake["result"]["protocolVersion"] == revision
    assert read["result"]["content"][0]["text"] == "one\n"


@pytest.mark.promise("serve.malformed")
@pytest.mark.parametrize(
    ("raw", "code", "number"),
    [
        (b"hello", PARSE_ERROR, None),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}', PARSE_ERROR, None),
        (b"[" * 900, PARSE_ERROR, None),
        (b"7", INVALID_REQUEST, None),
        (b"[]", INVALID_REQUEST, None),
        (b'{"id": 5}', INVALID_REQUEST, 5),
        (b'{"id": "five"}', INVALID_REQUEST, "five"),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', INVALID_REQUEST, None),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', INVALID_REQUEST, None),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', INVALID_REQUEST, None),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', INVALID_REQUEST, None),
        (b'{"jsonrpc": "2.0", "id": 123456789012345678901234567890, "method": "ping"}', INVALID_REQUEST, None),
        (b'{"jsonrpc": "2.0", "id": 3, "method": "ping", "params": []}', INVALID_REQUEST, 3),
        (b'{"jsonrpc": "2.0", "id": 3}', INVALID_REQUEST, 3),
        (b'{"jsonrpc": "2.0", "id": 3, "method": "ping", "params": {"half": "\\ud800"}}', INVALID_REQUEST, 3),
        (b"x" * (MOST + 1), INVALID_REQUEST, None),
        (b"x" * 200_000, INVALID_REQUEST, None),
    ],
)
def test_what_is_no_message_is_answered_and_the_next_is_read(raw: bytes, code: int, number: Any) -> None:
    error, pong = answers(raw, request("next", "ping"))
    assert (error["id"], error["error"]["code"]) == (number, code)
    assert pong["id"] == "next"


@pytest.mark.promise("serve.malformed")
@pytest.mark.parametrize("number", [[], {}, None, 1.5, True, "no such request"])
def test_what_cannot_be_cancelled_does_no_harm(number: Any) -> None:
    cancel = notification("notifications/cancelled", requestId=number)
    assert [answer["id"] for answer in answers(cancel, request(1, "ping"))] == [1]


def test_input_that_ends_after_a_cancelled_call_ends_the_server(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\n")
    serve = partial(serve_tools, Workspace(tmp_path), ["file_edit"], MOST)
    call = tool_call(1, "file_edit", edit("a.txt", "one", "two"))
    with hold_lock(tmp_path):
        answered = exchange(serve, hello(), call, notification("notifications/cancelled", requestId=1))
    assert [answer["id"] for answer in answered] == [0]
    assert (tmp_path / "a.txt").read_bytes() == b"one\n"


@pytest.mark.parametrize("raw", [b"", b" \r", b'{"jsonrpc": "2.0", "method": "notifications/x", "params": {"id": 1}}'])
def test_what_needs_no_answer_gets_none(raw: bytes) -> None:
    assert [answer["id"] for answer in answers(raw, request(1, "ping"))] == [1]


@pytest.mark.parametrize("step", [1, 3, 100_000])
@pytest.mark.parametrize(
    ("raw", "lines"),
    [
        (b"", []),
        (b"a\n", [b"a"]),
        (b"a\nb", [b"a", b"b"]),
        (b"\n \n", []),
        (b"12345678\n", [b"12345678"]),
        (b"123456789\na\n", [None, b"a"]),
        (b"123456789", [None]),
        (b"a" * 2_000 + b"\nb\n", [None, b"b"]),
    ],
)
def test_lines_are_bounded_however_they_come(raw: bytes, lines: list[bytes | None], step: int) -> None:
    buffer = stdio._Lines(8)
    pieces = [raw[at : at + step] for at in range(0, len(raw), step)]
    assert [line for piece in (*pieces, b"") for line in buffer.add(piece)] == lines


def test_what_is_printed_goes_to_stderr_and_nothing_is_taken_from_stdin(capfd: pytest.CaptureFixture[str]) -> None:
    before = os.fstat(0), os.fstat(1)
    with stdio._take_over_stdio() as (source, target):
        os.write(1, b"printed\n")
        assert os.read(0, 10) == b""
        assert (os.fstat(source), os.fstat(target)) == before
    assert (os.fstat(0), os.fstat(1)) == before
    assert capfd.readouterr() == ("", "printed\n")


def test_an_answer_that_is_larger_than_the_pipe_waits_for_its_reader() -> None:
    text = f"{'x' * 99}\n" * 9_999 + "the last line"
    (in_end, to_server), (out_end, from_server) = os.pipe(), os.pipe()
    received = bytearray()

    def read() -> None:
        os.write(to_server, b'{"jsonrpc":"2.0","id":0,"method":"ping"}\n')
        call = tool_call(1, "file_read", READ)
        os.write(to_server, str({**hello(), "id": 9}).replace("'", '"').replace("True", "true").encode() + b"\n")
        os.write(to_server, str(call).replace("'", '"').encode() + b"\n")
        os.close(to_server)
        while b"the last line" not in received:
            received.extend(os.read(out_end, 5_000))

    reader = Thread(target=read)
    with redirect(in_end, from_server):
        reader.start()
        assert serve_files({"a.txt": text.encode()}) is False
    reader.join()
    for end in (in_end, out_end, from_server):
        os.close(end)


def test_a_client_that_is_gone_ends_the_server(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\n")
    (in_end, to_server), (out_end, from_server) = os.pipe(), os.pipe()
    call = '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "file_edit", "arguments": %s}}\n'
    edits = '{"path": "a.txt", "edits": [{"old_text": "one", "new_text": "two"}]}'
    os.write(to_server, str(hello()).replace("'", '"').replace("True", "true").encode() + b"\n")
    os.write(to_server, (call % edits).encode())

    def leave() -> None:
        os.read(out_end, 65_536)
        os.close(out_end)
        os.close(to_server)

    other = Thread(target=leave)
    with redirect(in_end, from_server), hold_lock(tmp_path):
        os.close(from_server)
        other.start()
        assert serve_tools(Workspace(tmp_path), ["file_edit"], 10_000) is False
    other.join()
    os.close(in_end)
    assert (tmp_path / "a.txt").read_bytes() == b"one\n"


def test_a_client_that_reads_no_answers_ends_the_server() -> None:
    (in_end, to_server), (out_end, from_server) = os.pipe(), os.pipe()
    os.close(out_end)
    os.write(to_server, b'{"jsonrpc":"2.0","id":0,"method":"ping"}\n')
    with redirect(in_end, from_server):
        assert serve_files() is False  # though its input stays open
    for end in (in_end, to_server, from_server):
        os.close(end)


@pytest.mark.parametrize(("number", "interrupted"), [(signal.SIGINT, True), (signal.SIGTERM, False)])
def test_a_signal_ends_the_server_though_its_input_stays_open(number: int, interrupted: bool) -> None:  # noqa: FBT001  a case
    (in_end, to_server), (out_end, from_server) = os.pipe(), os.pipe()
    os.write(to_server, b'{"jsonrpc":"2.0","id":0,"method":"ping"}\n')

    def end() -> None:
        os.read(out_end, 65_536)
        os.kill(os.getpid(), number)

    other = Thread(target=end)
    known = set(threading.enumerate())
    with redirect(in_end, from_server):
        other.start()
        assert serve_files() is interrupted
    other.join()
    os.write(to_server, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')  # the server no longer reads
    for descriptor in (to_server, out_end, from_server):
        os.close(descriptor)
    for thread in set(threading.enumerate()) - known:
        thread.join(10)
    os.close(in_end)


@pytest.mark.parametrize(("failure", "answered"), [(BlockingIOError, [1]), (OSError, [])])
def test_input_that_cannot_be_read_is_tried_again_or_at_its_end(
    monkeypatch: pytest.MonkeyPatch, failure: type[OSError], answered: list[int]
) -> None:
    read, failures = os.read, [failure]

    def fail_at_first(number: int, size: int) -> bytes:
        if failures:
            raise failures.pop()
        return read(number, size)

    monkeypatch.setattr(os, "read", fail_at_first)
    assert [answer["id"] for answer in answers(request(1, "ping"))] == answered


@pytest.mark.promise("serve.apart")
def test_a_client_that_reads_nothing_is_not_read_from_until_it_does(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"x\n" * 60_000)
    (in_end, to_server), (out_end, from_server) = os.pipe(), os.pipe()
    calls = b"".join(json.dumps(tool_call(number, "file_read", READ)).encode() + b"\n" for number in range(1, 9))
    received = bytearray()

    def talk() -> None:
        os.write(to_server, json.dumps(hello()).encode() + b"\n")
        received.extend(os.read(out_end, 65_536))
        for call in calls.splitlines(keepends=True):
            os.write(to_server, call)
            time.sleep(0.02)  # each is read for itself, and their answers fill the pipe
        os.close(to_server)
        while data := os.read(out_end, 65_536):
            received.extend(data)

    other = Thread(target=talk)
    with redirect(in_end, from_server):
        os.close(from_server)
        other.start()
        assert serve_tools(Workspace(tmp_path, Settings(max_answer_chars=2_000_000)), ["file_read"], MOST) is False
    other.join()
    os.close(in_end)
    os.close(out_end)
    assert sorted(json.loads(line)["id"] for line in received.splitlines()) == list(range(9))


@pytest.mark.promise("serve.malformed")
def test_what_follows_a_message_that_cannot_be_read_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    half = b'{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}'
    error, pong = answers(half, request(1, "ping"))
    assert (error["id"], error["error"]["code"], pong["id"]) == (None, INVALID_REQUEST, 1)
    take_line, failures = stdio._Client.take_line, [ZeroDivisionError]

    def fail_at_first(self: stdio._Client, raw: bytes | None) -> Any:
        if failures:
            raise failures.pop()
        return take_line(self, raw)

    monkeypatch.setattr(stdio._Client, "take_line", fail_at_first)
    assert [answer["id"] for answer in answers(request(1, "ping"), request(2, "ping"))] == [2]


@pytest.mark.promise("serve.revisions")
def test_a_client_that_begins_without_a_handshake_is_answered_by_the_sdk() -> None:
    reads = [modern(number, "tools/call", name="file_read", arguments=READ) for number in range(1, 301)]
    first, *rest = answers(
        request("first", "ping"),
        b"{}",
        modern("about", "server/discover"),
        b"no JSON",
        modern("list", "tools/list"),
        hello(),
        notification("notifications/cancelled", requestId="no such request"),
        notification("notifications/cancelled", requestId=[]),
        {"jsonrpc": "2.0", "id": 9, "result": {}},
        *reads,
    )
    assert first == {"jsonrpc": "2.0", "id": "first", "result": {}}
    by_id = {answer["id"]: answer for answer in rest if answer["id"] is not None}
    assert [answer["error"]["code"] for answer in rest if answer["id"] is None] == [INVALID_REQUEST, PARSE_ERROR]
    assert set(by_id) == {"about", "list", *range(301)}
    assert by_id["about"]["result"]["supportedVersions"] == [NEWEST]
    assert [tool["name"] for tool in by_id["list"]["result"]["tools"]] == ["file_read", "file_edit"]
    assert by_id[0]["error"]["code"] == UNSUPPORTED_PROTOCOL_VERSION
    assert {by_id[number]["result"]["content"][0]["text"] for number in range(1, 301)} == {"one\n"}


@pytest.mark.promise("serve.cancel")
def test_input_that_ends_after_a_call_of_the_sdk_was_cancelled_ends_the_server(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\n")
    serve = partial(serve_tools, Workspace(tmp_path), ["file_edit"], MOST)
    call = modern(1, "tools/call", name="file_edit", arguments=edit("a.txt", "one", "two"))
    with hold_lock(tmp_path):
        exchange(serve, call, notification("notifications/cancelled", requestId=1))
    assert (tmp_path / "a.txt").read_bytes() == b"one\n"


def test_an_sdk_that_fails_ends_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(*_: object) -> None:
        raise ZeroDivisionError

    (in_end, to_server), (out_end, from_server) = os.pipe(), os.pipe()
    os.write(to_server, json.dumps(modern(1, "tools/list")).encode() + b"\n")
    monkeypatch.setattr("mcp.server.lowlevel.Server.run", fail)
    with redirect(in_end, from_server), pytest.raises(ZeroDivisionError):
        serve_files()  # though its input stays open
    for end in (in_end, to_server, out_end, from_server):
        os.close(end)


def test_without_the_sdk_a_handshake_is_answered_and_nothing_else_before(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "mcp" or name == "suture.server.sdk"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    refused, again, handshake, read = answers(
        modern(1, "server/discover"), request(2, "tools/list"), hello(), tool_call(3, "file_read", READ)
    )
    for number, answer in ((1, refused), (2, again)):
        assert (answer["id"], answer["error"]["code"]) == (number, METHOD_NOT_FOUND)
        assert answer["error"]["message"] == (
            "A client that does not begin with the request initialize needs the extra mcp: package mcp is missing. "
            "Install it: pip install 'suture[mcp]'"
        )
    assert handshake["result"]["protocolVersion"] == HANDSHAKES[-1]
    assert read["result"]["content"][0]["text"] == "one\n"
