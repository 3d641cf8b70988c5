"""The tools through the SDK's client, over both transports and with both kinds of handshake."""

import json
import os
import re
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any

import anyio
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]  # it does not say its types
from mcp import MCPError
from mcp_types import INVALID_PARAMS, ListRootsResult

from suture import Settings, Workspace
from suture.files.journal import new_id
from suture.plan import SessionInfo
from suture.tools import DIALECTS, TOOLS, choose, find, listed
from tests.interop.mcp_servers import (
    NEWEST,
    Arguments,
    Caller,
    HttpServer,
    contents,
    edit,
    hold_lock,
    http_caller,
    over_http,
    stdio_caller,
    text_of,
    wait_for,
)

FILES = {
    "app.py": b"def greet():\n    print('hello')\n",
    "notes.txt": b"one\ntwo\nthree\n",
    "src/a.js": b"var a = 1;\nvar b = 2;\n",
    "src/b.js": b"var c = 3;\n",
}
REPLY = "### File: app.py\n<<<<<<< SEARCH\n    print('hi')\n=======\n    print('bye')\n>>>>>>> REPLACE\n"
CALLS: list[tuple[str, Arguments]] = [
    ("file_read", {"path": "notes.txt", "start_line": 2}),
    ("file_edit", edit("notes.txt", "two", "2")),
    ("patch", {"path": "app.py", "patches": [{"operation": "replace", "oldText": "hello", "newText": "hi"}]}),
    ("apply_reply", {"reply": REPLY}),
    ("safe_edit", {"path": "new.json", "content": "{}\n"}),
    ("undo", {}),
    ("redo", {}),
    ("history", {"limit": 3}),  # the workspace has an older history
    ("regex_search", {"file_path": "src/a.js", "pattern": "var (\\w)"}),
    ("regex_search_multi", {"path_pattern": "src/**/*.js", "pattern": "var (\\w)"}),
    ("regex_extract", {"file_path": "src/a.js", "pattern": "(\\w) = (\\d)"}),
    ("regex_match_lines", {"file_path": "src/a.js", "pattern": "b"}),
    ("regex_split", {"file_path": "notes.txt", "pattern": "\\n"}),
    ("regex_replace", {"file_path": "src/a.js", "pattern": "var", "replacement": "let"}),
    ("regex_replace_multi", {"path_pattern": "src/**", "pattern": "var|let", "replacement": "const"}),
]
REGEX = [name for name in TOOLS if name.startswith("regex_")]
WAYS = [f"{transport} {mode}" for transport in ("stdio", "http") for mode in ("legacy", NEWEST)]
EVERY_WAY = pytest.mark.parametrize("caller", WAYS, indirect=True)
TWO_WAYS = pytest.mark.parametrize("caller", [WAYS[0], WAYS[3]], indirect=True)


async def _refuse_roots(*_: Any) -> ListRootsResult:
    raise AssertionError("the roots come from the command line")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("workspace")


@pytest.fixture(scope="module")
def callers(root: Path) -> Iterator[Callable[[str], Caller]]:
    """Clients by transport and handshake, each connected on first use."""
    with ExitStack() as stack:

        @cache
        def server() -> HttpServer:
            return stack.enter_context(over_http(root, "--durability", "fast"))

        @cache
        def caller(way: str) -> Caller:
            transport, mode = way.split(" ")
            if transport == "http":
                return stack.enter_context(http_caller(server(), root, mode=mode, list_roots_callback=_refuse_roots))
            connection = stdio_caller(root, "--durability", "fast", mode=mode, list_roots_callback=_refuse_roots)
            return stack.enter_context(connection)

        yield caller


@pytest.fixture
def caller(request: pytest.FixtureRequest, callers: Callable[[str], Caller]) -> Caller:
    return callers(request.param)


@pytest.fixture
def folder(caller: Caller) -> Iterator[Path]:
    """The workspace, emptied afterwards."""
    yield caller.root
    for path in sorted(caller.root.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


def fill(folder: Path, files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def normalize(text: str) -> str:
    """A text without what differs between workspaces: ids of changes, and times."""
    text = re.sub(r"\b[0-9a-z]{15}\b", "<id>", text)
    return re.sub(r"\b\d{4}-\d\d-\d\d[T ][0-9:.]+Z?", "<time>", text)


@pytest.mark.promise("serve.tools")
@EVERY_WAY
def test_the_list_tells_all_that_a_client_may_know(caller: Caller) -> None:
    tools = caller.portal.call(caller.client.list_tools).tools
    for tool, spec in zip(tools, listed(choose()), strict=True):
        assert (tool.name, tool.title, tool.description) == (spec.name, spec.title, spec.description)
        assert tool.input_schema == json.loads(json.dumps(spec.request.schema()))
        assert tool.output_schema == json.loads(json.dumps(spec.definition().get("outputSchema")))
        annotations = tool.annotations
        assert annotations is not None
        hints = (
            annotations.read_only_hint,
            annotations.destructive_hint,
            annotations.idempotent_hint,
            annotations.open_world_hint,
        )
        assert hints == ((True, None, None, False) if spec.read else (False, True, False, False))


@pytest.mark.promise("serve.tools")
@TWO_WAYS
def test_every_tool_answers_what_the_library_answers(caller: Caller, folder: Path, tmp_path: Path) -> None:
    assert sorted(name for name, _ in CALLS) == sorted(TOOLS)
    fill(folder, FILES)
    fill(tmp_path, FILES)
    session = SessionInfo(new_id(), "mcp")  # as the SDK's client calls itself
    workspace = Workspace(tmp_path, Settings(durability="fast"), session=session)
    for name, arguments in CALLS:
        result, expected = caller.call(name, arguments), workspace.call(name, arguments)
        assert (result.is_error, normalize(text_of(result))) == (False, normalize("\n".join(expected.blocks))), name
        metadata = result.meta if name in REGEX else result.structured_content
        data = {key: value for key, value in (metadata or {}).items() if "/" not in key}  # without the protocol's own
        assert json.loads(normalize(json.dumps(data))) == json.loads(normalize(json.dumps(expected.metadata))), name
        if name in REGEX:
            assert result.structured_content is None
            assert ("change_id" in data) == (find(name).read is None)
        else:
            Draft202012Validator(find(name).output_schema or {}).validate(result.structured_content)
    assert contents(folder) == contents(tmp_path)


@TWO_WAYS
@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("file_read", {"path": "no.txt"}, "FILE_NOT_FOUND"),
        ("file_read", {"path": "../other"}, "PATH_OUTSIDE_WORKSPACE"),
        ("file_read", {"pth": "a"}, "INVALID_ARGUMENTS"),
        ("file_read", None, "INVALID_ARGUMENTS"),
        ("patch", {"path": "notes.txt", "patches": [{"operation": "replace", "newText": ""}]}, "MISSING_OLD_TEXT"),
        ("file_edit", {"path": "notes.txt", "edits": 7}, "INVALID_ARGUMENTS"),
        ("undo", {"change_id": "x"}, "CHANGE_NOT_FOUND"),
        ("regex_search", {"file_path": "notes.txt", "pattern": "("}, "INVALID_REGEX"),
    ],
)
def test_an_error_is_a_result_with_the_text_of_the_library(
    caller: Caller, folder: Path, name: str, arguments: Arguments | None, code: str
) -> None:
    fill(folder, FILES)
    result, expected = caller.call(name, arguments), Workspace(folder).call(name, arguments)
    assert expected.metadata["error"]["code"] == code
    assert (result.is_error, text_of(result)) == (True, expected.text)
    if name not in REGEX:
        assert result.structured_content == json.loads(json.dumps(expected.metadata))
        Draft202012Validator(find(name).output_schema or {}).validate(result.structured_content)


@pytest.mark.promise("serve.tools")
@EVERY_WAY
def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(caller: Caller) -> None:
    with pytest.raises(MCPError) as raised:
        caller.call("file_rread", {"path": "a"})
    assert raised.value.error.code == INVALID_PARAMS
    assert raised.value.error.data["code"] == "UNKNOWN_TOOL"
    assert "file_read" in raised.value.error.data["near"]


@pytest.mark.promise("serve.tools")
@EVERY_WAY
def test_a_tool_that_is_not_listed_can_be_called_by_its_name(caller: Caller, folder: Path) -> None:
    fill(folder, FILES)
    assert not {tool.name for tool in caller.portal.call(caller.client.list_tools).tools} & {*DIALECTS, "file_read"}
    for name, arguments in (
        ("str_replace_based_edit_tool", {"command": "view", "path": "notes.txt"}),
        ("file_read", {"path": "notes.txt"}),
    ):
        result = caller.call(name, arguments)
        assert (result.is_error, "two" in text_of(result)) == (False, True)


UNICODE = {
    "astral": "𝔘𝔫𝔦 🧵 \U0010ffff\n",
    "combining": "e\u0301 \u1100\u1161\u11a8 n\u0303o\u0308\n",
    "ends of lines": "a\r\nb\u2028c\u0085d\x0ce\r\n",
    "right to left": "שלום \u202eabc\u202c مرحبا\n",
    "control": "tab\t esc\x1b[0m \x7f\n",
    "quotes": "\"'\\\\n\\u0041</script>\n",
}


@TWO_WAYS
@pytest.mark.parametrize("text", UNICODE.values(), ids=UNICODE)
def test_text_is_read_and_written_unchanged(caller: Caller, folder: Path, text: str) -> None:
    fill(folder, {"ünï🧵.txt": text.encode()})
    raw = {"path": "ünï🧵.txt", "format": "raw"}
    assert text_of(caller.call("file_read", raw)) == text
    edited = caller.call("file_edit", edit("ünï🧵.txt", text, text + text))
    assert not edited.is_error, text_of(edited)
    assert (folder / "ünï🧵.txt").read_bytes() == (text + text).encode()
    assert text_of(caller.call("file_read", raw)) == text + text


@TWO_WAYS
def test_a_file_that_is_not_utf_8_is_read_and_edited(caller: Caller, folder: Path) -> None:
    fill(folder, {"latin.txt": b"caf\xe9 one\n"})
    read = caller.call("file_read", {"path": "latin.txt", "format": "raw"})
    assert not read.is_error
    assert text_of(read).startswith("caf")
    assert text_of(read).endswith(" one\n")
    assert text_of(caller.call("file_read", {"path": "latin.txt", "format": "raw", "encoding": "latin-1"})) == (
        "café one\n"
    )
    result = caller.call("regex_search", {"file_path": "latin.txt", "pattern": "caf."})
    assert (result.is_error, len(json.loads(text_of(result)))) == (False, 1)
    assert not caller.call("file_edit", edit("latin.txt", "one", "two")).is_error
    assert (folder / "latin.txt").read_bytes() == b"caf\xe9 two\n"


@TWO_WAYS
def test_a_name_that_is_not_utf_8_breaks_no_answer(caller: Caller, folder: Path) -> None:
    with open(os.path.join(os.fsencode(folder), b"caf\xe9.txt"), "wb") as file:  # noqa: PTH118, PTH123  bytes
        file.write(b"needle\n")
    fill(folder, {"good.txt": b"needle\n"})
    result = caller.call("regex_search_multi", {"path_pattern": "*.txt", "pattern": "needle"})
    assert not result.is_error
    assert len(json.loads(text_of(result))) == 2
    changed = caller.call(
        "regex_replace_multi", {"path_pattern": "*.txt", "pattern": "needle", "replacement": "thread"}
    )
    assert not changed.is_error, text_of(changed)
    assert set(contents(folder).values()) == {b"thread\n"}
    assert not caller.call("history").is_error


@TWO_WAYS
def test_five_million_bytes_in_one_line_are_written_whole_and_only_their_beginning_is_read(
    caller: Caller, folder: Path
) -> None:
    text = "0123456789: äöü€🧵" * 200_000
    assert len(text.encode()) == 5_000_000
    fill(folder, {"long.txt": text.encode()})
    result = caller.call("file_read", {"path": "long.txt", "format": "raw"})
    shown, note = (block.text for block in result.content if block.type == "text")
    assert (result.is_error, shown) == (False, f"{text[:476]}… ({len(text):,} characters)")
    assert note == "Note: lines are cut at 500 characters; to see a part of one, search for it."
    assert not caller.call("safe_edit", {"path": "copy.txt", "content": text}).is_error
    assert (folder / "copy.txt").read_bytes() == text.encode()


@pytest.mark.promise("serve.apart")
@TWO_WAYS
def test_two_hundred_edits_of_one_file_at_once_all_land(caller: Caller, folder: Path) -> None:
    fill(folder, {"many.txt": "".join(f"<{number}>\n" for number in range(200)).encode(), **FILES})
    calls: list[tuple[str, Arguments | None]] = []
    for number in range(200):
        calls.append(("file_edit", edit("many.txt", f"<{number}>", f"[{number}]")))
        if number % 10 == 0:
            calls.append(("file_read", {"path": "app.py", "format": "raw"}))
            calls.append(("regex_search_multi", {"path_pattern": "src/**", "pattern": "var"}))
    results = caller.calls(calls)
    assert [text_of(result) for result in results if result.is_error] == []
    assert (folder / "many.txt").read_text("utf-8") == "".join(f"[{number}]\n" for number in range(200))
    ids = [
        result.structured_content["change_id"] for result in results if "change_id" in (result.structured_content or {})
    ]
    assert len(set(ids)) == 200
    reads = [text_of(result) for (name, _), result in zip(calls, results, strict=True) if name == "file_read"]
    assert reads == [FILES["app.py"].decode()] * 20
    assert not [name for name in contents(folder) if ".suture" in name]


@pytest.mark.promise("serve.apart")
@TWO_WAYS
def test_a_call_that_takes_long_delays_no_other(caller: Caller, folder: Path) -> None:
    fill(folder, {"a.txt": b"a" * 100_000 + b"!b", "small.txt": b"small\n"})
    slow = {"file_path": "a.txt", "pattern": "(a+)+(?=b)"}
    order: list[str] = []

    async def ask(name: str, arguments: Arguments) -> None:
        result = await caller.client.call_tool(name, arguments)
        order.append(text_of(result))

    async def ask_both() -> None:
        async with anyio.create_task_group() as group:
            group.start_soon(ask, "regex_search", slow)
            await anyio.sleep(0.1)  # so that it is under way
            group.start_soon(ask, "file_read", {"path": "small.txt"})

    caller.portal.call(ask_both)
    assert [text.split("\n")[0] for text in order] == ["     1\tsmall", "Regex timed out after 1000 ms: (a+)+(?=b)"]


@EVERY_WAY
def test_progress_is_reported_while_many_files_are_worked_on(caller: Caller, folder: Path) -> None:
    fill(folder, {f"{number}.txt": b"red\n" for number in range(20)})
    reports: list[tuple[float, str | None]] = []

    async def report(progress: float, total: float | None, message: str | None) -> None:
        assert total is None  # which nobody knows before the end
        reports.append((progress, message))

    async def ask() -> Any:
        arguments = {"path_pattern": "*.txt", "pattern": "red", "replacement": "blue"}
        return await caller.client.call_tool("regex_replace_multi", arguments, progress_callback=report)

    with ThreadPoolExecutor(1) as executor, hold_lock(folder):
        answer = executor.submit(caller.portal.call, ask)
        wait_for(lambda: bool(reports))
    assert not answer.result().is_error
    numbers = [progress for progress, _ in reports]
    assert numbers == sorted(set(numbers))
    assert all(message for _, message in reports)
    assert set(contents(folder).values()) == {b"blue\n"}


@pytest.mark.promise("serve.cancel")
@EVERY_WAY
def test_a_call_that_is_cancelled_before_it_writes_changes_nothing(caller: Caller, folder: Path) -> None:
    fill(folder, {f"{number}.txt": b"red\n" for number in range(20)})
    before = contents(folder)

    async def cancel() -> None:
        arguments = {"path_pattern": "*.txt", "pattern": "red", "replacement": "blue"}
        with anyio.move_on_after(0.3) as scope:
            await caller.client.call_tool("regex_replace_multi", arguments)
        assert scope.cancelled_caught

    with hold_lock(folder):
        caller.portal.call(cancel)
        assert not caller.call("file_read", {"path": "0.txt"}).is_error
    assert not caller.call("file_edit", edit("1.txt", "red", "green")).is_error  # which comes after it, if it goes on
    assert contents(folder) == {**before, "1.txt": b"green\n"}
