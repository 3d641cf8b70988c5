"""`suture checkpoint --hook`, as agents run it before and after their commands."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from suture import Workspace
from tests.unit.changes import list_changes, succeed


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("SUTURE_SESSION", "CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "CURSOR_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "ws"
    (folder / "sub").mkdir(parents=True)
    (folder / ".git").mkdir()
    (folder / "a").write_bytes(b"1\n")
    return folder


def hook(folder: Path, event: object, *options: str) -> subprocess.CompletedProcess[bytes]:
    raw = event if isinstance(event, bytes) else json.dumps(event).encode()
    command = [sys.executable, "-m", "suture", "checkpoint", "--hook", *options]
    return subprocess.run(command, cwd=folder, input=raw, capture_output=True, check=False)


def event(name: str, folder: Path, **more: Any) -> dict[str, Any]:
    """An event as Claude Code describes it."""
    command = {"tool_name": "Bash", "tool_input": {"command": "make format", "description": "Format"}}
    return {"session_id": "s-1", "cwd": str(folder), "hook_event_name": name, **command, **more}


PAIRS: dict[str, Callable[[Path], tuple[dict[str, Any], ...]]] = {
    "claude-code": lambda folder: (event("PreToolUse", folder), event("PostToolUse", folder, tool_response={})),
    "gemini-cli": lambda folder: (
        event("BeforeTool", folder, tool_name="run_shell_command"),
        event("AfterTool", folder, tool_name="run_shell_command"),
    ),
    "cursor": lambda folder: tuple(
        {
            "conversation_id": "s-1",
            "hook_event_name": name,
            "command": "make format",
            "cwd": str(folder),
            "workspace_roots": [str(folder)],
        }
        for name in ("beforeShellExecution", "afterShellExecution")
    ),
}


@pytest.mark.process
@pytest.mark.parametrize("agent", PAIRS)
def test_what_a_command_changed_is_a_change_of_the_agents_session(agent: str, root: Path) -> None:
    before, after = PAIRS[agent](root / "sub")
    first = hook(root / "sub", before)
    (root / "a").write_bytes(b"2\n")
    second = hook(root / "sub", after)
    assert {(process.returncode, process.stdout, process.stderr) for process in (first, second)} == {(0, b"", b"")}
    (change,) = list_changes(Workspace(root))
    assert (change["tool"], change["summary"], change["session"]) == (
        "shell",
        "make format",
        {"id": "s-1", "agent": agent},
    )
    (point,) = succeed(Workspace(root).checkpoints())["checkpoints"]
    assert (point["kind"], point["about"], point["session"]) == ("before", "make format", change["session"])


@pytest.mark.process
def test_the_start_of_a_session_is_a_checkpoint(root: Path) -> None:
    assert (
        hook(root, {"hook_event_name": "SessionStart", "session_id": "s-2", "cwd": str(root)}, "codex").returncode == 0
    )
    (point,) = succeed(Workspace(root).checkpoints())["checkpoints"]
    assert (point["kind"], point["about"], point["session"]) == ("start", "codex", {"id": "s-2", "agent": "codex"})


@pytest.mark.process
@pytest.mark.parametrize(
    "given",
    [
        b"",
        b"{",
        b"[]",
        b"\xff",
        {},
        {"hook_event_name": 1},
        {"hook_event_name": "Stop"},
        {"hook_event_name": "PreToolUse"},
    ],
    ids=str,
)
def test_a_hook_never_fails(given: object, root: Path) -> None:
    process = hook(root, given)
    assert (process.returncode, process.stdout) == (0, b"")
    assert b"Traceback" not in process.stderr


@pytest.mark.process
def test_a_hook_that_cannot_take_a_checkpoint_says_so_and_succeeds(root: Path) -> None:
    (root / "b").write_bytes(b"")
    process = hook(root, event("PreToolUse", root), "claude-code", "--set", "checkpoint_max_files=1")
    assert (process.returncode, process.stdout, process.stderr) == (0, b"", b"suture: CHECKPOINT_TOO_LARGE\n")
    assert succeed(Workspace(root).checkpoints())["checkpoints"] == []


@pytest.mark.process
def test_hooks_can_be_turned_off(root: Path) -> None:
    assert hook(root, event("PreToolUse", root), "claude-code", "--set", "checkpoints=false").stderr == b""
    assert succeed(Workspace(root).checkpoints())["checkpoints"] == []


@pytest.mark.process
def test_a_project_without_git_is_found_by_the_agents_variable(
    tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / ".git").rmdir()
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(root))
    hook(root / "sub", event("PreToolUse", root / "sub"))
    assert len(succeed(Workspace(root).checkpoints())["checkpoints"]) == 1
    assert not (tmp_path / "ws/sub/.suture").exists()


@pytest.mark.process
@pytest.mark.parametrize("given", ["nothing", "half an event", "an event"])
def test_a_stdin_that_stays_open_does_not_stop_the_agent(given: str, root: Path) -> None:
    raw = json.dumps(event("PreToolUse", root)).encode()
    command = [sys.executable, "-m", "suture", "checkpoint", "--hook"]
    with subprocess.Popen(command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        process.stdin.write({"nothing": b"", "half an event": raw[:20], "an event": raw}[given])
        process.stdin.flush()
        assert process.wait(60) == 0
    taken = succeed(Workspace(root).checkpoints())["checkpoints"]
    assert [point["kind"] for point in taken] == (["before"] if given == "an event" else [])
