import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import suture
from suture import Workspace
from suture.cli import main, quick_options
from suture.cli.arguments import build_parser
from suture.files.local_fs import LocalFS
from suture.testing import FaultyFS, Stopped
from suture.tools import PROFILES, TOOLS

FILES = {"a.txt": "één\ntwee\n"}


@pytest.mark.promise("call.exit-codes")
@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["call", "file_read", '{"path": "a.txt"}'], 0),
        (["call", "file_read", '{"path": "b.txt"}'], 1),
        (["call", "no_such_tool", "{}"], 1),
        (["call", "file_read", "[]"], 1),
        (["call", "file_read", '{"path": "a.txt"}', "--root", "missing"], 1),
        (["call", "file_read", "{not json"], 2),
        (["call", "file_read"], 2),
        (["call", "file_read", "{}", "--unknown"], 2),
        (["no_such_command"], 2),
        ([], 2),
        (["--json"], 2),
        (["--root", "."], 2),
        (["--root"], 2),
        (["read", "a.txt"], 0),
        (["read", "b.txt"], 1),
        (["read"], 2),
        (["tools"], 0),
        (["recover"], 0),
        (["recover", "--root", "missing"], 1),
        (["--help"], 0),
        (["--version"], 0),
    ],
)
@pytest.mark.usefixtures("root")
def test_the_exit_code_tells_done_from_refused_from_wrong_usage(words: list[str], code: int) -> None:
    assert main(words) == code


@pytest.mark.promise("call.exit-codes")
def test_call_prints_exactly_the_result(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["call", "file_read", '{"path": "a.txt", "end_line": 1}'])
    expected = Workspace(root).call("file_read", {"path": "a.txt", "end_line": 1}).to_dict()
    assert json.loads(capsys.readouterr().out) == expected


def test_call_reads_its_arguments_from_stdin(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"path": "a.txt"}')))
    assert main(["call", "file_read", "-", "--root", str(root)]) == 0
    assert json.loads(capsys.readouterr().out)["metadata"]["path"] == "a.txt"


@pytest.mark.parametrize(
    "words",
    [
        ["call", "file_read", "{}"],
        ["call", "file_read", "-"],
        ["call", "file_read", "{}", "--root", "x"],
        ["call", "--root", "x", "file_read", "{}"],
    ],
)
def test_the_quick_way_understands_what_argparse_understands(words: list[str]) -> None:
    short, full = quick_options(words), build_parser(words).parse_args(words)
    assert short is not None
    assert vars(short) == {name: value for name, value in vars(full).items() if name != "run"}


@pytest.mark.parametrize(
    "words",
    [
        ["call"],
        ["call", "--help"],
        ["call", "file_read", "--help"],
        ["call", "file_read", "{}", "--verbose"],
        ["call", "file_read", "{}", "--root"],
        ["call", "file_read", "{}", "--root", "--verbose"],
        ["call", "--root", "x", "file_read"],
        ["read", "x", "y"],
        [],
    ],
)
def test_the_quick_way_leaves_everything_else_to_argparse(words: list[str]) -> None:
    assert quick_options(words) is None


@pytest.mark.parametrize(
    ("words", "paths"),
    [
        (["restore", "a", "b", "--dry-run"], ["a", "b"]),
        (["restore", "a", "--dry-run", "b", "--json", "c"], ["a", "b", "c"]),
        (["restore", "--dry-run", "--", "-a"], ["-a"]),
        (["restore", "a", "--dry-run", "--", "-b"], ["a", "-b"]),
        (["restore", "--dry-run"], []),
        (["restore", "--to", "now", "--json", "a"], ["a"]),
    ],
)
def test_options_may_be_between_arguments(words: list[str], paths: list[str]) -> None:
    assert build_parser(words).parse_args(words).paths == paths


@pytest.mark.usefixtures("root")
def test_read_prints_lines_as_utf_8_and_errors_to_stderr(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["read", "a.txt"]) == 0
    assert main(["read", "a.txt", "--format", "raw", "--start-line", "2"]) == 0
    assert main(["read", "b.txt"]) == 1
    output = capfd.readouterr()
    assert output.out == "     1\téén\n     2\ttwee\ntwee\n"
    assert output.err.startswith("FILE_NOT_FOUND: There is no file b.txt.\nDid you mean a.txt?")


@pytest.mark.usefixtures("root")
def test_read_prints_the_whole_result_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["read", "a.txt", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["metadata"]["total_lines"] == 2


@pytest.mark.promise("call.listing")
def test_tools_lists_every_tool_with_schema_and_annotations(capsys: pytest.CaptureFixture[str]) -> None:
    regex = [f"regex_{name}" for name in "extract match_lines replace replace_multi search search_multi split".split()]
    names = sorted(TOOLS)
    changing = {
        "apply_reply",
        "file_edit",
        "patch",
        "redo",
        "regex_replace",
        "regex_replace_multi",
        "safe_edit",
        "undo",
    }
    assert main(["tools"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == list(PROFILES["agent"])
    assert main(["tools", "--profile", "full"]) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == names
    assert main(["tools", "--profile", "full", "--json"]) == 0
    tools = {tool["name"]: tool for tool in json.loads(capsys.readouterr().out)}
    assert list(tools) == names
    for name, tool in tools.items():
        output = [] if name in regex else ["outputSchema"]
        assert list(tool) == ["name", "title", "description", "inputSchema", *output, "annotations", "examples"]
    reading = {"readOnlyHint": True, "openWorldHint": False}
    writing = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False, "openWorldHint": False}
    assert {name: tool["annotations"] for name, tool in tools.items()} == {
        name: writing if name in changing else reading for name in names
    }
    assert tools["file_read"]["inputSchema"]["required"] == ["path"]
    assert tools["undo"]["inputSchema"] == {
        "type": "object",
        "properties": {
            "change_id": {
                "type": "string",
                "description": "The change, or the beginning of its id (default: the newest change of this session)",
            },
            "dry_run": {
                "type": "boolean",
                "description": "Show what would happen and change nothing",
                "default": False,
            },
            "list": {
                "type": "boolean",
                "description": "List the last changes with their ids instead",
                "default": False,
            },
        },
        "required": [],
        "additionalProperties": False,
    }


@pytest.mark.promise("call.recover")
def test_recover_says_what_it_found_and_did(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = {path.name: path.read_bytes() for path in root.iterdir()}
    stopping = FaultyFS(LocalFS(), stop_at=1, only={"rename"})
    tx = Workspace(root, fs=stopping).transaction()
    tx.write("a.txt", "changed")
    tx.create("b.txt", "new")
    with pytest.raises(Stopped), tx:
        pass
    stopping.abandon()
    assert (root / ".suture/intent").exists()
    assert main(["recover", "--json"]) == 0
    recovered = json.loads(capsys.readouterr().out)["recovered"]
    assert (recovered["direction"], recovered["files"], recovered["aside"]) == ("back", ["a.txt", "b.txt"], [])
    assert {path.name: path.read_bytes() for path in root.iterdir()} == before
    assert main(["recover"]) == 0
    assert capsys.readouterr().out == "Nothing to recover.\n"


@pytest.mark.process
@pytest.mark.promise("call.silent")
@pytest.mark.usefixtures("root")
def test_logging_is_silent_unless_asked_for() -> None:
    command = [sys.executable, "-m", "suture", "read", "b.txt"]
    quiet = subprocess.run(command, capture_output=True, text=True, check=False).stderr
    loud = subprocess.run([*command, "--verbose"], capture_output=True, text=True, check=False).stderr
    assert "suture.call" not in quiet
    assert loud.splitlines()[0] == "suture.call: file_read: FILE_NOT_FOUND"


def test_the_version_is_the_package_s(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"suture {suture.__version__}\n"


@pytest.mark.parametrize("columns", ["40", "wide", ""])
def test_help_fits_the_terminal(
    columns: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert main(["call", "--help"]) == 0
    usage, _, details = capsys.readouterr().out.partition("\n\n")
    assert max(map(len, usage.splitlines())) <= (40 if columns == "40" else 100)
    assert max(map(len, details.splitlines())) <= 100


def test_an_interrupt_ends_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr("suture.cli.commands.call", interrupt)
    assert main(["call", "file_read", "{}"]) == 130


@pytest.mark.process
def test_a_closed_pipe_ends_quietly(root: Path) -> None:
    (root / "big.txt").write_text("line\n" * 100_000)
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "suture", "read", "big.txt", "--root", str(root)]
    process = subprocess.Popen(command, stdout=writing, stderr=subprocess.PIPE)
    os.close(writing)
    os.close(reading)
    assert process.communicate()[1] == b""
    assert process.returncode == 141


@pytest.mark.process
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_pipe_that_is_closed_halfway_ends_quietly(root: Path, unbuffered: str) -> None:
    (root / "big.txt").write_text("line\n" * 20_000)  # three times what a pipe holds
    command = [sys.executable, "-m", "suture", "search", "line", "--timeout", "50"]
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=root, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"big.txt\n"
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    ("words", "command", "problem"),
    [
        (["log", "--limt", "3"], "suture log", "unrecognized arguments: --limt; did you mean --limit?"),
        (["log", "--nothing"], "suture log", "unrecognized arguments: --nothing"),
        (["read", "a.txt", "b.txt"], "suture read", "unrecognized arguments: b.txt"),
        (["read"], "suture read", "the following arguments are required: PATH"),
        (
            ["read", "a.txt", "--start-line", "0"],
            "suture read",
            "--start-line: expected a whole number of at least 1, got 0",
        ),
        (["--versoin"], "suture", "unrecognized arguments: --versoin; did you mean --version?"),
        (["-x"], "suture", "unrecognized arguments: -x"),
        (["read", "a.txt", "--star", "3"], "suture read", "unrecognized arguments: --star; did you mean --start-line?"),
        (
            ["read", "--", "a.txt", "--start-line", "3"],
            "suture read",
            "unrecognized arguments: --start-line; write options before --",
        ),
        (["--nothing", "read", "a.txt"], "suture", "unrecognized arguments: --nothing"),
    ],
)
def test_what_is_unknown_is_reported_by_the_command(
    capfd: pytest.CaptureFixture[str], words: list[str], command: str, problem: str
) -> None:
    assert main(words) == 2
    assert capfd.readouterr() == ("", f"WRONG_USAGE: {command}: {problem}\nSee: {command} --help\n")


COMMANDS_THAT_PRINT = [
    ["--help"],
    ["read", "--help"],
    ["tools"],
    ["call", "file_read", "{}"],
    ["read", "a.txt"],
    ["search", "twee"],
    ["replace", "twee", "drie"],
    ["lines", "twee", "a.txt"],
    ["recover"],
]


def run(words: list[str], shell: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = f"{sys.executable} -m suture {' '.join(map(repr, words))} {shell}"
    return subprocess.run(
        ["sh", "-c", command], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


@pytest.mark.process
@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("words", COMMANDS_THAT_PRINT, ids=" ".join)
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_full_disk_behind_stdout_is_reported_in_a_line(words: list[str], unbuffered: str) -> None:
    process = run(words, ">/dev/full", PYTHONUNBUFFERED=unbuffered)
    assert (process.returncode, process.stderr.splitlines()[-2:]) == (
        1,
        [
            "OUTPUT_FAILED: the output could not be written: No space left on device",
            "Whatever the command changed has landed: see suture log.",
        ],
    )
    assert "Traceback" not in process.stderr


@pytest.mark.process
@pytest.mark.usefixtures("root")
@pytest.mark.parametrize("words", COMMANDS_THAT_PRINT, ids=" ".join)
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_make_no_traceback(words: list[str], closed: str) -> None:
    process = run(words, closed)
    assert "Traceback" not in process.stderr
    assert process.returncode == (1 if words[0] == "call" else 0)


@pytest.mark.process
@pytest.mark.usefixtures("root")
def test_a_closed_or_foreign_stdin_is_wrong_usage() -> None:
    for shell in ("<&-", "</dev/null", "</proc/self/mem"):
        assert run(["call", "file_read", "-"], shell).returncode == 2
    Path("latin.json").write_bytes(b'{"path": "\xe9"}')
    process = run(["call", "file_read", "-"], "<latin.json")
    assert (process.returncode, "utf-8" in process.stderr) == (2, True)


@pytest.mark.process
@pytest.mark.usefixtures("root")
def test_any_locale_can_show_help_and_errors() -> None:
    for words in (["--help"], ["read", "größe"]):
        process = run(words, "", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
        assert "Traceback" not in process.stderr


@pytest.mark.process
def test_a_folder_that_is_gone_is_no_workspace(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    command = f"cd {folder} && rmdir {folder} && {sys.executable} -m suture read x"
    process = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr.split(":")[0]) == (1, "WORKSPACE_NOT_FOUND")


def test_recover_tells_an_error_as_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["recover", "--json", "--root", "missing"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "WORKSPACE_NOT_FOUND"


def test_a_raw_read_leaves_its_notes_to_stderr(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "long.txt").write_text("x\n" * 20_001)
    assert main(["read", "long.txt", "--format", "raw"]) == 0
    output = capfd.readouterr()
    assert (len(output.out), output.err) == (40_000, "note: truncated after line 20000 of 20001\n")
