"""The examples do what they say, offline, on real files."""

import ast
import json
import re
import runpy
import shlex
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import suture

EXAMPLES = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(EXAMPLES.glob("*.py"))
TRANSCRIPTS = {
    "agent": EXAMPLES / "transcripts" / "fix_greeting.jsonl",
    "agent_openai": EXAMPLES / "transcripts" / "fix_greeting_openai.jsonl",
}
FRAMEWORKS = {
    "langchain_tools": ("langchain_core", "langchain-core"),
    "openai_agents_tools": ("agents", "openai-agents"),
    "pydantic_ai_tools": ("pydantic_ai", "pydantic-ai-slim"),
}
SAMPLE = {
    "README.md": "# Greeter\n\nGreets in Python, and on the web page.\n",
    "greeting.py": """\
def greet(name):
    name = name.strip()
    if not name:
        return "Helo, you"
    return "Helo, " + name
""",
    "web/greeting.js": """\
export function greet(name) {
  const known = name.trim();
  return known === "" ? "Helo, you" : `Helo, ${known}`;
}
""",
}
FIXED = {name: text.replace("Helo", "Hello") for name, text in SAMPLE.items()}
NOTE = {"CHANGES.md": "# Changes\n\n- The greeting is spelled Hello.\n"}
GUARD = """\
import os, sys

def guard(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        os.write(2, f"{event} {arguments}".encode())
        os._exit(97)

sys.addaudithook(guard)
"""


@pytest.fixture
def offline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files; a process that opens a network connection ends."""
    (tmp_path / "sitecustomize.py").write_text(GUARD)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def start(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, check=False)


def sample(folder: Path) -> dict[str, str]:
    (root,) = folder.glob("suture-sample-*")
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


def test_the_guard_keeps_processes_offline(offline: Path) -> None:
    assert offline.is_dir()
    assert start("-c", "import socket; socket.create_connection(('127.0.0.1', 9))").returncode == 97


STEPS = {
    "agent": """
        str_replace_based_edit_tool regex_search_multi file_read str_replace_based_edit_tool file_edit:failed
        file_edit str_replace_based_edit_tool regex_search_multi""",
    "agent_openai": """file_read regex_search_multi apply_patch:failed apply_patch apply_patch file_read apply_patch""",
}


def test_an_agent_fixes_the_sample_and_its_hint_undoes_everything(offline: Path) -> None:
    record = offline / "again.jsonl"
    process = start(EXAMPLES / "agent.py", "--replay", TRANSCRIPTS["agent"], "--record", record)
    assert (process.returncode, process.stderr) == (0, "")
    assert steps(process.stdout) == STEPS["agent"].split()
    assert sample(offline) == FIXED
    refused, _, corrected = process.stdout.partition("FAILED: ")[2].partition("\n> file_edit ")
    correction = json.loads(corrected.partition("\n")[0])["edits"][0]
    assert json.dumps(correction) in refused  # as offered, unread
    assert read(record)[1::2] == recording("agent")[1::2]
    *_, message, _, hint = process.stdout.removesuffix("\n").split("\n")
    assert message.startswith("Both greetings say Hello now")
    words = shlex.split(hint.removeprefix("To undo everything: "))
    assert words[:2] == ["suture", "restore"]
    assert start("-m", *words).returncode == 0
    assert sample(offline) == SAMPLE


def steps(printed: str) -> list[str]:
    calls = re.findall(r"^> (\w+) .*\n  (FAILED)?", printed, re.MULTILINE)
    return [f"{tool}:failed" if failed else tool for tool, failed in calls]


def recording(name: str) -> list[Any]:
    return read(TRANSCRIPTS[name])


def read(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").removesuffix("\n").split("\n")]


def stay_offline(*arguments: object) -> None:
    raise AssertionError(arguments)


class Replayer:
    """Runs an agent in this process, on a recording that the test has changed."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.file = folder / "recording.jsonl"
        self._monkeypatch = monkeypatch

    def run(self, *arguments: str) -> None:
        with self._monkeypatch.context() as patch:
            for name in ("socket.socket.connect", "socket.getaddrinfo"):
                patch.setattr(name, stay_offline, raising=False)
            patch.syspath_prepend(EXAMPLES)
            patch.setattr("tempfile.tempdir", str(self.file.parent))
            patch.setattr("sys.argv", ["agent_openai.py", *arguments])
            runpy.run_path(str(EXAMPLES / "agent_openai.py"), run_name="__main__")

    def replay(self, lines: list[Any], *arguments: str) -> None:
        self.file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        self.run("--replay", str(self.file), *arguments)


@pytest.fixture
def replayer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Replayer:
    return Replayer(tmp_path, monkeypatch)


def test_the_agent_with_patches_does_so_too(
    replayer: Replayer, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    record = tmp_path / "again.jsonl"
    replayer.replay(recording("agent_openai"), "--record", str(record))
    assert steps(capsys.readouterr().out) == STEPS["agent_openai"].split()
    assert sample(tmp_path) == FIXED | NOTE
    assert read(record)[1::2] == recording("agent_openai")[1::2]


def remove_reply(lines: list[Any]) -> None:
    del lines[3]["output"]


def truncate(lines: list[Any]) -> None:
    del lines[4:]


def mark_as_completed(lines: list[Any]) -> None:
    lines[4][0]["status"] = "completed"


def remove_answer(lines: list[Any]) -> None:
    del lines[2][1]


def remove_request(lines: list[Any]) -> None:
    lines[2] = []


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (remove_reply, r", line 4 is not a reply of this API: (.|\n)*\boutput\n  Field required"),
        (truncate, r" ends after 4 lines, but the run continues$"),
        (mark_as_completed, r", line 5: expected \{'\w+': 'done', .*\}, but the run sends \{'\w+': 'failed', .*\}$"),
        (remove_answer, r", line 3: expected \{'\w+': 'done'\}, but the run sends \{'\w+': 'done', '\w+': 'done'\}$"),
        (remove_request, r", line 3: expected a request, got \[\]$"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_damaged_recording_ends_the_run_with_what_is_wrong(
    damage: Callable[[list[Any]], None], message: str, replayer: Replayer, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = recording("agent_openai")
    damage(lines)
    with pytest.raises(SystemExit) as ended:
        replayer.replay(lines)
    assert re.search(rf"^replay: .*recording\.jsonl{message}", str(ended.value.code)), ended.value.code
    assert "\nTo undo everything: suture restore " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, " cannot be read: "),
        (b"\xff\n", " cannot be read: "),
        (b'[{"role": "user", "content": "Go."}]\n{"id": "resp\n', ", line 2 is not JSON: "),
        (b"", ", line 1 is not JSON: "),
    ],
)
def test_a_file_that_is_no_recording_is_named(content: bytes | None, message: str, replayer: Replayer) -> None:
    if content is not None:
        replayer.file.write_bytes(content)
    with pytest.raises(SystemExit) as ended:
        replayer.run("--replay", str(replayer.file))
    assert str(ended.value.code).startswith(f"replay: {replayer.file}{message}")


def test_another_task_than_the_recorded_one_is_not_replayed(replayer: Replayer) -> None:
    with pytest.raises(SystemExit, match=r"but the run sends Sing$"):
        replayer.replay(recording("agent_openai"), "Sing")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [([], "expected a task, or a recording to replay"), (["Go", "--folder", "none"], "folder none does not exist")],
)
def test_an_agent_without_a_task_or_a_folder_says_so(
    arguments: list[str], message: str, replayer: Replayer, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        replayer.run(*arguments)
    assert message in capsys.readouterr().err


def test_an_agent_stops_after_so_many_turns(replayer: Replayer, capsys: pytest.CaptureFixture[str]) -> None:
    replayer.replay(recording("agent_openai"), "--turns", "2")
    assert "\nStopped after 2 turns.\n" in capsys.readouterr().out


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_a_framework_calls_the_tools(name: str, offline: Path) -> None:
    module, package = FRAMEWORKS[name]
    if find_spec(module) is None:
        pytest.skip(f"{package} is not installed; pip install {package}")
    process = start("-W", "error", EXAMPLES / f"{name}.py")
    assert (process.returncode, process.stderr) == (0, "")
    assert "Send this edit instead" in process.stdout
    assert process.stdout.endswith("\nThe greeting says Hello.\n")
    assert sample(offline) == SAMPLE | {"greeting.py": FIXED["greeting.py"]}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.stem)
def test_an_example_uses_only_what_suture_has(script: Path) -> None:
    tree = ast.parse(script.read_text(encoding="utf-8"))
    imported = [
        name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "suture"
        for name in node.names
    ]
    called = [
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "workspace"
    ]
    assert imported
    assert {*imported} <= {*suture.__all__}
    assert not [name for name in called if not hasattr(suture.Workspace, name)]


def test_the_list_of_examples_has_each_of_them_and_how_to_run_it() -> None:
    readme = (EXAMPLES / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([\w.]+)` \|", readme, re.MULTILINE) == [
        "demo.py",
        *(f"{name}.py" for name in TRANSCRIPTS),
        *(f"{name}.py" for name in ("langchain_tools", "pydantic_ai_tools", "openai_agents_tools")),
    ]
    assert {path.name for path in SCRIPTS} == {*re.findall(r"^\| `([\w.]+)` \|", readme, re.MULTILINE)}
    paths = re.findall(r"examples/[\w./]+", readme)
    assert [path for path in paths if not (EXAMPLES.parent / path).is_file()] == []
