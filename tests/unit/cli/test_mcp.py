"""`suture mcp` in this process: usage errors, and serving over both transports."""

import errno
import json
import os
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from threading import Thread

import httpx2
import pytest

from suture.cli import main
from tests.interop.mcp_servers import INITIALIZED, HttpServer, hello, tool_call, wait_for
from tests.unit.server.speaking import Message, exchange

READ = {"path": "a.txt", "format": "raw"}


def _stray(number: int, _frame: object) -> None:
    raise AssertionError(f"signal {number} comes while nobody serves")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The workspace, which is the current folder; signal handlers are restored afterwards."""
    (tmp_path / "a.txt").write_bytes(b"one\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SUTURE_MCP_TOKEN", raising=False)
    monkeypatch.setattr("sse_starlette.sse.AppStatus.should_exit", False)  # else streams end with the first server
    handlers = {number: signal.signal(number, _stray) for number in (signal.SIGINT, signal.SIGTERM)}
    yield tmp_path
    for number, handler in handlers.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (
            ["--http", "nowhere"],
            2,
            "WRONG_USAGE: suture mcp: expected HOST:PORT such as 127.0.0.1:8080, got 'nowhere'\n",
        ),
        (["--http", "0.0.0.0:0"], 2, "--allow-remote"),
        (["--http", "192.0.2.1:0"], 2, "--allow-remote"),
        (["--http", "192.0.2.1:0", "--allow-remote"], 1, "CANNOT_LISTEN: suture mcp: "),
        (["--http", "no-such-host.invalid:1"], 2, "no-such-host.invalid"),
        (["--profile", "read-onyl"], 2, "read-only"),
        (["--tools", "file_rread"], 2, "UNKNOWN_TOOL: There is no tool 'file_rread'.\nDid you mean file_read? "),
        (["--tools", ","], 2, "tool names"),
        (["--tools", "patch", "--profile", "edit"], 2, "not allowed with"),
        (["--allow-remote"], 2, "--http"),
        (["--allow-host", "me.example"], 2, "--http"),
        (["--http", "127.0.0.1:0", "--allow-host", "http://me.example/"], 2, "expected a name"),
        (["--http", "127.0.0.1:0", "--allow-host", "me.example:443"], 2, "without a port"),
        (["--http", "127.0.0.1:0", "--allow-host", ""], 2, "expected a name"),
        (["--http", "127.0.0.1:0", "--allow-host", "[]"], 2, "expected a name"),
        (["--root", "missing"], 1, "WORKSPACE_NOT_FOUND: "),
        (["--root", "missing", "--allow-root", "/a"], 2, "--allow-root cannot be used with --root"),
        (["--http", "127.0.0.1:0", "--allow-root", "/a"], 2, "--allow-root cannot be used with --http"),
        (["--allow-root", "a"], 2, "--allow-root must be an absolute path, or begin with ~"),
        (["--extra-root", "missing"], 1, "missing"),
        (
            ["--http", "127.0.0.1:0", "--quiet"],
            2,
            (
                "WRONG_USAGE: suture mcp: --quiet would hide the token: set one in the variable SUTURE_MCP_TOKEN\n"
                "See: suture mcp --help\n"
            ),
        ),
        (["--max-answer", "x"], 2, "expected a whole number"),
        (["--max-answer", "500"], 2, "a whole number from 1000"),
    ],
)
def test_what_cannot_be_served_is_said(
    words: list[str], code: int, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["mcp", *words]) == code
    out, err = capfd.readouterr()
    assert (out, message in err) == ("", True), err


def test_a_token_that_is_too_short_is_refused(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SUTURE_MCP_TOKEN", "short")
    assert main(["mcp", "--http", "127.0.0.1:0"]) == 2
    out, err = capfd.readouterr()
    assert (out, "SUTURE_MCP_TOKEN" in err, "short" in err) == ("", True, False)


def test_a_port_that_is_taken_is_said(capfd: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert main(["mcp", "--http", f"127.0.0.1:{taken.getsockname()[1]}"]) == 1
    out, err = capfd.readouterr()
    assert (out, err[:27]) == ("", "CANNOT_LISTEN: suture mcp: ")
    assert err.endswith(".\nChoose another port, or 0 for any free port.\n")


def test_what_is_not_installed_is_said(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "mcp" or name == "suture.server.sdk"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert main(["mcp", "--http", "127.0.0.1:0"]) == 1
    assert capfd.readouterr() == (
        "",
        (
            "MISSING_EXTRA: suture mcp --http needs the extra mcp: package mcp is missing.\n"
            "Install it: pip install 'suture[mcp]'\n"
        ),
    )


def test_a_server_whose_streams_are_gone_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fail(*_: object) -> bool:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    monkeypatch.setattr("suture.server.stdio.serve", fail)
    assert main(["mcp"]) == 1
    message = (
        "CANNOT_SERVE: suture mcp: [Errno 9] Bad file descriptor.\nLet an agent start it, or use --http HOST:PORT.\n"
    )
    assert capfd.readouterr() == ("", message)


@pytest.mark.parametrize("words", [[], ["--quiet"], ["--json"]], ids=" ".join)
def test_it_serves_over_stdio_until_input_ends(folder: Path, words: list[str]) -> None:
    codes: list[int] = []
    serve = lambda: codes.append(main(["mcp", "--root", str(folder), *words]))  # noqa: E731  as short as it gets
    handshake, read = exchange(serve, hello(), tool_call(1, "file_read", READ))
    assert handshake["id"] == 0
    assert [block["text"] for block in read["result"]["content"]] == ["one\n"]
    assert codes == [0]


@pytest.mark.parametrize(("words", "status"), [([], "PROTECTED_PATH"), (["--allow-protected", ".husky/**"], "one\n")])
def test_a_protected_path_is_opened_for_a_server(folder: Path, words: list[str], status: str) -> None:
    (folder / ".husky").mkdir()
    (folder / ".husky" / "a.txt").write_bytes(b"one\n")
    call = tool_call(1, "file_read", {**READ, "path": ".husky/a.txt"})
    _, answer = exchange(partial(main, ["mcp", "--root", str(folder), *words]), hello(), call)
    assert answer["result"]["content"][0]["text"].startswith(status)


def declaring(*folders: Path) -> Message:
    """What a client answers when it is asked for its folders."""
    return {"jsonrpc": "2.0", "id": "suture-roots-1", "result": {"roots": [{"uri": path.as_uri()} for path in folders]}}


def read_from(words: list[str], *messages: Message | bytes) -> list[str]:
    """The texts of a read over stdio, by a client that declares folders."""
    start = hello(), INITIALIZED, tool_call(1, "file_read", READ)
    handshake, asked, read = exchange(partial(main, ["mcp", *words]), *start, *messages)
    assert (handshake["id"], asked) == (0, {"jsonrpc": "2.0", "id": "suture-roots-1", "method": "roots/list"})
    assert "the folder that is open in the client" in handshake["result"]["instructions"]
    return [block["text"] for block in read["result"]["content"]]


@pytest.fixture
def project(folder: Path) -> Path:
    """A project in another place than the folder in which the server is started."""
    project = folder.parent / f"{folder.name}-other" / "project"
    project.mkdir(parents=True)
    (project / "a.txt").write_bytes(b"two\n")
    return project


@pytest.mark.promise("serve.roots")
def test_a_client_chooses_a_folder_that_the_operator_allows(folder: Path, project: Path) -> None:
    assert read_from(["--allow-root", str(project.parent)], declaring(project)) == ["two\n"]
    first, note = read_from([], declaring(project))
    assert (first, note.startswith(f"Note: paths are relative to {folder}, not to {project}, ")) == ("one\n", True)
    first, note = read_from([])
    assert (first, note.endswith("the client did not answer which folder is open in it.")) == ("one\n", True)


@pytest.mark.promise("serve.roots")
def test_where_there_is_no_project_a_client_chooses_one_of_the_users_own(
    folder: Path, project: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder.parent)
    monkeypatch.setenv("HOME", str(folder.parent))
    (refused,) = read_from([], declaring(project))
    assert refused.startswith(f"NO_WORKSPACE: There is no folder to work in: the server was started in {folder.parent}")
    assert capfd.readouterr().err.startswith("note: started outside of any project; ")
    (project / ".git").mkdir()
    assert read_from([], declaring(project)) == ["two\n"]


@pytest.mark.promise("serve.roots")
def test_over_http_the_root_is_found_when_the_server_starts(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(folder))
    assert main(["mcp", "--http", "127.0.0.1:0"]) == 1
    reason = f"NO_WORKSPACE: There is no folder to work in: the server was started in {folder}, your home folder."
    assert capfd.readouterr().err.startswith(reason)


def serve_http(monkeypatch: pytest.MonkeyPatch, use: Callable[[list[str]], None], *words: str, lines: int) -> int:
    """Serve over HTTP, while another thread uses the printed address and token, then sends a signal."""
    read_end, write_end = os.pipe()
    failed: list[BaseException] = []

    def client() -> None:
        try:
            with open(read_end, encoding="utf-8") as output:  # noqa: PTH123  a descriptor
                use([output.readline().strip() for _ in range(lines)])
        except BaseException as error:  # noqa: BLE001  raised in the main thread
            failed.append(error)
            os.kill(os.getpid(), signal.SIGTERM)

    with open(write_end, "w", encoding="utf-8") as out:  # noqa: PTH123  a descriptor
        other = Thread(target=client)
        other.start()
        with monkeypatch.context() as patched:
            patched.setattr(sys, "stdout", out)
            code = main(["mcp", *words])
    other.join()
    if failed:
        raise failed[0]
    return code


def ask(number: int, token: str | None, host: str, printed: list[str]) -> None:
    url = printed[0]
    token = token or printed[1].removeprefix("Authorization: Bearer ")
    server = HttpServer(url, token, None)  # type: ignore[arg-type]  # it is this process
    assert url.startswith(host)
    with httpx2.Client() as web:
        assert web.post(url, json=hello()).status_code == 401
        handshake = web.post(url, headers=server.headers, json=hello())
        assert handshake.status_code == 200
        session = {**server.headers, "Mcp-Session-Id": handshake.headers["Mcp-Session-Id"]}
        assert "one" in web.post(url, headers=session, json=tool_call(1, "file_read", READ)).text
    os.kill(os.getpid(), number)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_it_serves_over_http_with_a_token_that_it_prints(
    monkeypatch: pytest.MonkeyPatch, number: int, code: int
) -> None:
    use = partial(ask, number, None, "http://127.0.0.1:")
    assert serve_http(monkeypatch, use, "--http", "127.0.0.1:0", lines=2) == code


@pytest.mark.promise("cli.quiet")
@pytest.mark.parametrize("known", [None, "a-token-of-my-own"])
def test_where_it_listens_can_be_had_as_json(monkeypatch: pytest.MonkeyPatch, known: str | None) -> None:
    if known is not None:
        monkeypatch.setenv("SUTURE_MCP_TOKEN", known)

    def use(printed: list[str]) -> None:
        data = json.loads(printed[0])
        assert (set(data), data["token"] is None) == ({"url", "token"}, known is not None)
        ask(signal.SIGTERM, known or data["token"], "http://127.0.0.1:", [data["url"]])

    assert serve_http(monkeypatch, use, "--http", "127.0.0.1:0", "--json", "--quiet", lines=1) == 0


def test_it_serves_over_http_with_a_token_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SUTURE_MCP_TOKEN", "a-token-of-my-own")
    seen: list[str | None] = []

    def use(printed: list[str]) -> None:
        seen.append(os.environ.get("SUTURE_MCP_TOKEN"))
        ask(signal.SIGTERM, "a-token-of-my-own", "http://127.0.0.1:", printed)

    assert serve_http(monkeypatch, use, "--http", "localhost:0", "--allow-host", "me.example", lines=1) == 0
    assert seen == [None]


@pytest.mark.parametrize("words", [[], ["--quiet"]], ids=" ".join)
def test_it_serves_over_http_though_stdout_is_closed(monkeypatch: pytest.MonkeyPatch, words: list[str]) -> None:
    monkeypatch.setenv("SUTURE_MCP_TOKEN", "a-token-of-my-own")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setattr(sys, "stdout", None)
    failed: list[BaseException] = []

    def use() -> None:
        try:
            wait_for(lambda: _answers(port))
            ask(signal.SIGTERM, "a-token-of-my-own", "http://", [f"http://127.0.0.1:{port}/mcp"])
        except BaseException as error:  # noqa: BLE001  raised in the main thread
            failed.append(error)
            os.kill(os.getpid(), signal.SIGTERM)

    other = Thread(target=use)
    other.start()
    assert main(["mcp", "--http", f"127.0.0.1:{port}", *words]) == 0
    other.join()
    assert failed == []


def _answers(port: int) -> bool:
    try:
        return httpx2.post(f"http://127.0.0.1:{port}/mcp").status_code == 401
    except httpx2.TransportError:
        return False
