"""The server with clients of Node.js: the MCP Inspector's command line, and the TypeScript SDK, old and new.

`make test` puts them into `.venv/node`, if it can. `node/client.mjs` does what a test tells it to and gives what came
of it; the SDK itself checks every message, and every structured result against the schema that its tool declares.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CLIENTS = Path(sys.prefix, "node")
SCRIPT = Path(__file__).parent / "node" / "client.mjs"
INSPECTOR = CLIENTS / "node_modules" / "@modelcontextprotocol" / "inspector-cli" / "build"
SUTURE = str(Path(sys.executable).with_name("suture"))

pytestmark = pytest.mark.skipif(
    shutil.which("node") is None or not Path(CLIENTS, ".installed").exists(),
    reason="the MCP clients for Node.js are not installed: `make test` tells why",
)

READING = "file_read history regex_extract regex_match_lines regex_search regex_search_multi regex_split".split()
WRITING = "apply_reply file_edit patch redo regex_replace regex_replace_multi safe_edit undo".split()
READS = {"readOnlyHint": True, "openWorldHint": False}
WRITES = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": False}

OLD_SDK: dict[str, Any] = {"sdk": 1}
NEW_SDK: dict[str, Any] = {"sdk": 2, "options": {"versionNegotiation": {"mode": "auto"}}}


def offer(*revisions: str) -> dict[str, Any]:
    return {"sdk": 2, "options": {"supportedProtocolVersions": revisions}}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def edit(path: str, old: str, new: str) -> dict[str, Any]:
    return call("file_edit", path=path, edits=[{"old_text": old, "new_text": new}])


def read(path: str, **more: Any) -> dict[str, Any]:
    return call("file_read", path=path, **more)


def texts(answers: Sequence[dict[str, Any]]) -> list[str]:
    """The texts of the answers, all of which must be successful."""
    assert [answer for answer in answers if answer.get("isError", True)] == []
    return [answer["content"][0]["text"] for answer in answers]


def flatten(answers: Sequence[Any]) -> list[dict[str, Any]]:
    return [item for answer in answers for item in (answer if isinstance(answer, list) else [answer])]


def code(answer: dict[str, Any]) -> str | None:
    """The code of an error."""
    assert answer["isError"]
    assert answer["content"][0]["text"]
    result: str = {**answer.get("_meta", {}), **answer.get("structuredContent", {})}["error"]["code"]
    return result


def write_files(root: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        Path(root, name).parent.mkdir(exist_ok=True)
        Path(root, name).write_bytes(content.encode())


def contents(root: Path) -> dict[str, str]:
    paths = [path for path in root.rglob("*") if path.is_file()]
    return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in paths}


def assert_all_tools(tools: Sequence[dict[str, Any]]) -> None:
    annotations = {**dict.fromkeys(READING, READS), **dict.fromkeys(WRITING, WRITES)}
    assert {tool["name"]: tool["annotations"] for tool in tools} == annotations
    for tool in tools:
        assert tool["title"]
        assert tool["description"]
        assert tool["inputSchema"]["type"] == "object"
        assert set(tool["inputSchema"]["required"]) <= set(tool["inputSchema"]["properties"])
        assert ("outputSchema" in tool) == (not tool["name"].startswith("regex_"))


@contextmanager
def serve(root: Path) -> Iterator[tuple[str, str]]:
    """A server over HTTP: its address, and the authorization header."""
    command = [SUTURE, "mcp", "--root", str(root), "--profile", "full", "--http", "127.0.0.1:0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip(), process.stdout.readline().strip()
        finally:
            process.terminate()
            _, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")


def over_stdio(root: Path, *options: str) -> dict[str, Any]:
    words = ["mcp", "--root", str(root), "--profile", "full", *options]
    return {"command": SUTURE, "args": words, "env": dict(os.environ)}


def converse(*conversations: dict[str, Any]) -> list[dict[str, Any]]:
    """The results of concurrent conversations; no client may report an invalid message."""
    process = subprocess.run(
        ["node", SCRIPT, CLIENTS],
        input=json.dumps(conversations),
        capture_output=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    assert (process.returncode, process.stderr) == (0, "")
    results: list[dict[str, Any]] = json.loads(process.stdout)
    assert [result["troubles"] for result in results if result.get("troubles")] == []
    return results


CALL = ["--method", "tools/call", "--tool-name"]
HTTP = ["--transport", "http"]


def inspect(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the Inspector's command line in a folder where it finds its own package.json."""
    command = ["node", "cli.js", "--cli", *arguments]
    return subprocess.run(command, cwd=INSPECTOR, capture_output=True, encoding="utf-8", timeout=240, check=False)


def test_the_inspector_lists_the_tools_and_edits_a_file(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.txt": "one\ntwö\n"})
    server = [SUTURE, "mcp", "--root", str(tmp_path), "--profile", "full"]
    edits = 'edits=[{"old_text": "twö", "new_text": "zwei 🎉"}]'
    with ThreadPoolExecutor() as pool:
        listing = pool.submit(inspect, *server, "--method", "tools/list")
        editing = pool.submit(inspect, *server, *CALL, "file_edit", "--tool-arg", "path=a.txt", edits)
    edited = json.loads(editing.result().stdout)

    assert_all_tools(json.loads(listing.result().stdout)["tools"])
    assert (edited["isError"], edited["structuredContent"]["total_replacements"]) == (False, 1)
    assert contents(tmp_path) == {"a.txt": "one\nzwei 🎉\n"}


REPLY = "### File: notes.txt\n<<<<<<< SEARCH\nred\n=======\npink\n>>>>>>> REPLACE\n"
PROGRAM = "var one = 1\nvar two = 2\n"
WORK = {"app.js": PROGRAM, "notes.txt": "red\n\nblue\n", "c.json": "[1]\n"}
WORKED = {"app.js": "const three = 1\nconst two = 2\n", "notes.txt": "pink\n\nblue\ngreen\n", "c.json": "[2]\n"}
EVERY_TOOL = [
    call("file_read", path="app.js", start_line=2),
    call("regex_extract", file_path="app.js", pattern=r"(\w+) = (\d)"),
    call("regex_match_lines", file_path="app.js", pattern="one|x$", format="text"),
    call("regex_search", file_path="app.js", pattern="/TWO/i", context_before=1),
    call("regex_search_multi", path_pattern="**/n*.{txt,md}", pattern="b.*"),
    call("regex_split", file_path="notes.txt", pattern=r"\n\n"),
    edit("app.js", "one", "three"),
    call("patch", path="notes.txt", patches=[{"operation": "append_eof", "newText": "green\n"}]),
    call("safe_edit", path="c.json", line_edits=[{"start_line": 1, "end_line": 1, "new_content": "[2]\n"}]),
    call("apply_reply", reply=REPLY),
    call("regex_replace", file_path="app.js", pattern=r"var (\w+)", replacement="let $1"),
    call("regex_replace_multi", path_pattern="*.js", pattern="let", replacement="const"),
    call("undo"),
    call("redo"),
    call("history", limit=8),
]
REFUSED = [
    (read("nowhere.txt"), "FILE_NOT_FOUND"),
    (read("../app.js"), "PATH_OUTSIDE_WORKSPACE"),
    (read("app.js", start_line="two", lines=3), "INVALID_ARGUMENTS"),
    (edit("app.js", "  const  three", "x"), "NO_MATCH"),
    (edit("app.js", "const", "x"), "WRONG_COUNT"),
    (call("patch", path="c.json", patches=[{"operation": "replace", "oldText": "y"}]), "OLD_TEXT_NOT_FOUND"),
    (call("safe_edit", path="c.json", content="[2\n"), "VALIDATION_FAILED"),
    (call("apply_reply", reply="Nothing to do."), "NO_BLOCKS"),
    (call("regex_search", file_path="app.js", pattern="("), "INVALID_REGEX"),
    (call("undo", change_id="0000"), "CHANGE_NOT_FOUND"),
]


ODD_NAME = "Grüße 🎉.txt"
LARGE = "".join(f"{number:06} {'ab-' * 80} é\n".replace("-", '"') for number in range(19_900))
"""Nearly as much as one read may return."""
SMALL = {f"own/{number}.txt": "before\n" for number in range(30)} | {
    "shared.txt": "".join(f"<{number}>\n" for number in range(20)),
}
EDITED = dict.fromkeys(SMALL, "after\n") | {"shared.txt": "".join(f"[{number}]\n" for number in range(20))}
SLOW = {f"slow/{number}.txt": f"{'x' * 3_000}\nend\n" for number in range(60)}
SLOWLY = {"pattern": "(?=x)x*y|end", "replacement": "over"}
"""Quadratic: at every x it scans all the following ones."""
MORE = {
    "odd edit": edit(ODD_NAME, "𝒳\u2028e\u0301", "é\U0010ffff\u2029"),
    "odd read": read(ODD_NAME, format="raw"),
    "half a character": edit(ODD_NAME, "naïve", "\ud83c"),
    "no such tool": call("file_reed", path="app.js"),
    "large": {"together": [read("large.txt", format="raw"), *(read("c.json") for _ in range(5))]},
    "large list": call("regex_match_lines", file_path="large.txt", pattern="^", max_lines=18_000),
    "too large": call("regex_match_lines", file_path="large.txt", pattern="^"),
    "many": {
        "together": [
            *(edit("shared.txt", f"<{number}>", f"[{number}]") for number in range(20)),
            *(edit(f"own/{number}.txt", "before", "after") for number in range(30)),
            *(read("notes.txt", start_line=number, end_line=number) for number in (3, 4) * 75),
        ]
    },
    "cancelled": {"stop": call("regex_replace_multi", path_pattern="slow/*", **SLOWLY)},
    "not cancelled": call("regex_replace_multi", path_pattern="slow/7.txt", **SLOWLY),
    "history": call("history", limit=1_000),
}


def test_the_typescript_sdk_can_use_everything_and_gets_every_error_in_its_shape(tmp_path: Path) -> None:
    clients = {tmp_path / "old": OLD_SDK, tmp_path / "new": NEW_SDK}
    steps = [*EVERY_TOOL, *(step for step, _ in REFUSED), *MORE.values()]
    for root in clients:
        root.mkdir()
        write_files(
            root, {**WORK, **SMALL, **SLOW, "large.txt": LARGE, ODD_NAME: "naïve “q” 𝒳\u2028e\u0301\x7f\t\\n\r\n"}
        )
    results = converse(
        *(
            {**client, "server": over_stdio(root, "--max-answer", "7000000"), "steps": steps}
            for root, client in clients.items()
        )
    )

    assert results[1]["revision"] == "2026-07-28"
    for root, result in zip(clients, results, strict=True):
        answers = result["answers"]
        assert_all_tools(result["tools"])
        assert result["server"]["name"] == "suture"
        assert str(root) in result["instructions"]
        assert [answer["misfit"] for answer in flatten(answers) if "misfit" in answer] == []
        assert_used(answers[: len(EVERY_TOOL)])
        assert [code(answer) for answer in answers[len(EVERY_TOOL) : -len(MORE)]] == [error for _, error in REFUSED]
        assert_more(dict(zip(MORE, answers[-len(MORE) :], strict=True)))
        over = {"slow/7.txt": f"{'x' * 3_000}\nover\n"}
        odd_file = {ODD_NAME: "naïve “q” é\U0010ffff\u2029\x7f\t\\n\r\n"}
        assert contents(root) == {**WORKED, **EDITED, **SLOW, **over, **odd_file, "large.txt": LARGE}


def assert_used(answers: Sequence[dict[str, Any]]) -> None:
    """Check that every tool worked."""
    assert sorted(step["name"] for step in EVERY_TOOL) == sorted(READING + WRITING)
    answer_texts = texts(answers)
    assert answer_texts[0] == "     2\tvar two = 2"
    assert json.loads(answer_texts[1])[1] == {"file": "app.js", "line": 2, "groups": ["two", "2"]}
    assert answer_texts[2] == "var one = 1"
    assert [row["context_before"] for row in json.loads(answer_texts[3])] == [["var one = 1"]]
    assert [(row["file"], row["line"], row["match"]) for row in json.loads(answer_texts[4])] == [
        ("notes.txt", 3, "blue")
    ]
    assert [row["content"] for row in json.loads(answer_texts[5])] == ["red", "blue\n"]
    changes = [change["tool"] for change in answers[-1]["structuredContent"]["changes"]]
    assert changes == [step["name"] for step in reversed(EVERY_TOOL[6:-1])]
    assert answers[11]["_meta"]["change_id"] == answers[12]["structuredContent"]["undone"]


def assert_more(answers: dict[str, Any]) -> None:
    """Check that unusual, large and numerous messages are complete, and that cancelled calls do nothing."""
    assert texts([answers["odd read"]]) == ["naïve “q” é\U0010ffff\u2029\x7f\t\\n\r\n"]
    assert "failure" in answers["half a character"] or code(answers["half a character"])
    assert answers["no such tool"]["failure"]["data"]["code"] == "UNKNOWN_TOOL"
    assert texts(answers["large"]) == [LARGE, *["     1\t[2]"] * 5]
    assert [row["content"] for row in json.loads(texts([answers["large list"]])[0])] == LARGE.split("\n")[:18_000]
    assert answers["too large"]["content"][1]["text"].endswith("(of 19,900); narrow the pattern or the files")
    assert texts(answers["many"])[50:] == ["     3\tblue", "     4\tgreen"] * 75
    assert_cancelled(answers["cancelled"])
    assert len(json.loads(texts([answers["not cancelled"]])[0])) == 1
    assert len(answers["history"]["structuredContent"]["changes"]) == 8 + 1 + 50 + 1


def assert_cancelled(answer: dict[str, Any]) -> None:
    assert "enough" in answer["failure"]["message"]
    assert answer["progress"][0]["progress"] > 0


def client_steps(number: int) -> list[dict[str, Any]]:
    """Steps of one client among others."""
    return [edit("shared.txt", f"<{number}>", f"[{number}]"), read("nowhere.txt"), call("history")]


def assert_client_steps(result: dict[str, Any]) -> None:
    edited, missing, history = result["answers"]
    assert_all_tools(result["tools"])
    change = edited["structuredContent"]["change_id"]
    assert change in [change["change_id"] for change in history["structuredContent"]["changes"]]
    assert code(missing) == "FILE_NOT_FOUND"


def test_the_server_takes_the_oldest_revision_and_answers_an_older_one_with_its_own(tmp_path: Path) -> None:
    write_files(tmp_path, {"shared.txt": "<0>\n<1>\n"})
    clients = {"2024-11-05": offer("2024-11-05"), "2025-11-25": offer("2024-10-07", "2025-11-25")}
    server = over_stdio(tmp_path)
    results = converse(
        *({**client, "server": server, "steps": client_steps(n)} for n, client in enumerate(clients.values()))
    )

    assert [result["revision"] for result in results] == list(clients)
    for result in results:
        assert_client_steps(result)
    assert contents(tmp_path) == {"shared.txt": "[0]\n[1]\n"}


def test_over_http_every_client_is_accepted_only_with_the_token(tmp_path: Path) -> None:
    write_files(tmp_path, {"shared.txt": "<0>\n<1>\n<2>\n<3>\n<4>\n", **SLOW})
    clients = {
        "2024-11-05": offer("2024-11-05"),
        "2025-03-26": offer("2025-03-26"),
        "2025-06-18": offer("2025-06-18"),
        "2025-11-25": OLD_SDK,
        "2026-07-28": NEW_SDK,
    }
    cancel = [{"stop": call("regex_replace_multi", path_pattern="slow/*", **SLOWLY)}, read("shared.txt", end_line=1)]
    with serve(tmp_path) as (url, header), ThreadPoolExecutor() as pool:
        name, _, value = header.partition(": ")
        server = {"url": url, "headers": {name: value}}
        stranger = {"server": {"url": url, "headers": {name: f"{value}x"}}, "steps": []}
        allowed = pool.submit(inspect, url, *HTTP, "--header", header, *CALL, "file_read", "--tool-arg", "path=x")
        denied = pool.submit(inspect, url, *HTTP, "--header", f"{header}x", "--method", "tools/list")
        *results, old, new, old_stranger, new_stranger = converse(
            *({**client, "server": server, "steps": client_steps(n)} for n, client in enumerate(clients.values())),
            {**OLD_SDK, "server": server, "steps": cancel},
            {**NEW_SDK, "server": server, "steps": cancel},
            {**OLD_SDK, **stranger},
            {**NEW_SDK, **stranger},
        )

    assert [result["revision"] for result in results] == list(clients)
    for result in results:
        assert_client_steps(result)
    for result in (old, new):
        assert_cancelled(result["answers"][0])
    for result in (old_stranger, new_stranger):
        assert "authorization" in result["failure"]["message"].lower()
    assert code(json.loads(allowed.result().stdout)) == "FILE_NOT_FOUND"
    assert (denied.result().returncode, denied.result().stdout) == (1, "")
    assert contents(tmp_path) == {"shared.txt": "[0]\n[1]\n[2]\n[3]\n[4]\n", **SLOW}
