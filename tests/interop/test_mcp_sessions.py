"""Sessions over MCP, with the SDK's client: who made a change, and whose change `undo` takes back."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from mcp_types import Implementation

from suture import Workspace
from tests.interop.mcp_servers import NEWEST, Caller, edit, http_caller, over_http, stdio_caller, text_of

pytestmark = pytest.mark.process
ALICE, BOB = (Implementation(name=name, version="1.2") for name in ("alice", "bob"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    for name in ("a.txt", "b.txt"):
        (root / name).write_bytes(b"one\n")
    return root


def change(caller: Caller, name: str) -> None:
    assert not caller.call("file_edit", edit(name, "one", "two")).is_error


def contents(root: Path) -> tuple[bytes, bytes]:
    return (root / "a.txt").read_bytes(), (root / "b.txt").read_bytes()


def recorded(root: Path) -> list[dict[str, Any]]:
    """The sessions of the changes, the oldest first."""
    return [change["session"] for change in Workspace(root).call("history").metadata["changes"]][::-1]


def each_undoes_its_own(root: Path, first: Caller, second: Caller) -> None:
    change(first, "a.txt")
    change(second, "b.txt")
    assert not first.call("undo").is_error
    assert contents(root) == (b"one\n", b"two\n")
    refused = first.call("undo")
    assert (refused.is_error, text_of(refused).split(":")[0]) == (True, "NOTHING_TO_UNDO")
    assert not second.call("undo").is_error
    assert contents(root) == (b"one\n", b"one\n")


@pytest.mark.promise("serve.sessions")
@pytest.mark.parametrize("mode", ["legacy", NEWEST])
def test_over_stdio_each_process_is_a_session(root: Path, mode: str) -> None:
    with (
        stdio_caller(root, mode=mode, client_info=ALICE) as first,
        stdio_caller(root, mode=mode, client_info=ALICE) as second,
    ):
        each_undoes_its_own(root, first, second)
    (one, other, *_) = recorded(root)
    assert (one["agent"], other["agent"], one["id"] == other["id"]) == ("alice", "alice", False)


@pytest.mark.promise("serve.sessions")
@pytest.mark.parametrize(
    ("mode", "names"), [("legacy", (ALICE, BOB)), ("legacy", (ALICE, ALICE)), (NEWEST, (ALICE, BOB))]
)
def test_over_http_each_client_is_a_session(root: Path, mode: str, names: tuple[Implementation, ...]) -> None:
    with over_http(root) as server, ExitStack() as stack:
        first, second = (stack.enter_context(http_caller(server, root, mode=mode, client_info=name)) for name in names)
        each_undoes_its_own(root, first, second)
    (one, other, *_) = recorded(root)
    assert [one["agent"], other["agent"]] == [name.name for name in names]
    assert one["id"] != other["id"]


@pytest.mark.promise("serve.sessions")
def test_over_http_a_client_that_comes_back_goes_on_with_its_session(root: Path) -> None:
    with over_http(root) as server:
        with http_caller(server, root, mode="legacy", client_info=ALICE) as caller:
            change(caller, "a.txt")
        with http_caller(server, root, mode="legacy", client_info=BOB) as caller:
            assert caller.call("undo").is_error
        with http_caller(server, root, mode="legacy", client_info=ALICE) as caller:
            assert not caller.call("undo").is_error
    assert contents(root) == (b"one\n", b"one\n")


@pytest.mark.promise("serve.sessions")
def test_a_session_can_be_named(root: Path) -> None:
    with stdio_caller(root, "--session", "refactoring", mode="legacy", client_info=ALICE) as caller:
        change(caller, "a.txt")
    with over_http(root, "--session", "remote") as server, http_caller(server, root, mode="legacy") as caller:
        change(caller, "b.txt")
    (named, labeled) = recorded(root)
    assert (named["id"], labeled["id"] == "remote") == ("refactoring", False)
    assert not Workspace(root).call("history", {"session": "remote"}).is_error
