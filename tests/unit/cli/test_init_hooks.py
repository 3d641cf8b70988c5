"""`suture init AGENT --hooks`."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from suture.cli import main
from suture.cli.init_hooks import HOOKS
from suture.files.protected import Guard

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder, and a project that is the current folder."""
    folder, project = tmp_path / "home", tmp_path / "project"
    folder.mkdir()
    (project / ".git").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "argv", ["pytest"])
    monkeypatch.chdir(project)
    return folder


@pytest.fixture
def run(home: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run `suture init --hooks --json`; returns what it prints."""
    assert home.exists()

    def init(*words: str, code: int = 0) -> dict[str, Any]:
        assert main(["init", *words, "--hooks", "--json"]) == code
        printed: dict[str, Any] = json.loads(capfd.readouterr().out)
        return printed

    return init


def commands(settings: dict[str, Any], event: str) -> list[str]:
    return [hook["command"] for group in settings["hooks"][event] for hook in group["hooks"]]


PLACES = [
    ("claude-code", None, "project/.claude/settings.local.json"),
    ("claude-code", "user", "home/.claude/settings.json"),
    ("codex", None, "home/.codex/hooks.json"),
    ("gemini", None, "home/.gemini/settings.json"),
]


@pytest.mark.parametrize(("client", "scope", "place"), PLACES)
def test_hooks_are_written_once_into_the_agents_file(
    client: str, scope: str | None, place: str, run: Run, tmp_path: Path
) -> None:
    words = [client, *([] if scope is None else ["--scope", scope])]
    shown = run(*words)
    assert (shown["path"], shown["written"], (tmp_path / place).exists()) == (str(tmp_path / place), False, False)
    written = run(*words, "--write")
    assert (written["status"], written["written"], written["backup"]) == ("written", True, None)
    settings = json.loads((tmp_path / place).read_text())
    hooks = HOOKS[client]
    assert json.loads(shown["snippet"]) == settings
    assert list(settings["hooks"]) == list(hooks.events)
    for event in hooks.events:
        (group,) = settings["hooks"][event]
        assert (group["matcher"], group["hooks"][0]["timeout"]) == (hooks.matcher, hooks.timeout)
        assert commands(settings, event)[0].endswith(f"suture checkpoint --hook {hooks.agent}")
    assert run(*words, "--write")["status"] == "already there"


def test_other_hooks_and_settings_stay(run: Run, tmp_path: Path) -> None:
    other = {"matcher": "Write", "hooks": [{"type": "command", "command": "format", "timeout": 5}]}
    before = json.dumps({"permissions": {"allow": ["x"]}, "hooks": {"PreToolUse": [other]}, "last": 1.5}, indent=4)
    file = tmp_path / "project/.claude/settings.local.json"
    file.parent.mkdir()
    file.write_text(before)
    written = run("claude-code", "--write")
    assert Path(written["backup"]).read_text() == before
    settings = json.loads(file.read_text())
    assert settings["hooks"]["PreToolUse"][0] == other
    assert (len(settings["hooks"]["PreToolUse"]), len(settings["hooks"]["PostToolUse"])) == (2, 1)
    assert (settings["permissions"], settings["last"]) == ({"allow": ["x"]}, 1.5)


@pytest.mark.parametrize(
    "content",
    [
        "{",
        "[]",
        '{"hooks": []}',
        '{"hooks": {"PreToolUse": {}}}',
        '{"hooks": {}, "hooks": {}}',
    ],
)
def test_a_file_of_another_form_is_refused_and_stays(content: str, run: Run, tmp_path: Path) -> None:
    file = tmp_path / "project/.claude/settings.local.json"
    file.parent.mkdir()
    file.write_text(content)
    assert run("claude-code", "--write", code=1)["status"] == "refused"
    assert file.read_text() == content


@pytest.mark.parametrize("words", [["cursor"], ["codex", "--scope", "project"], ["zed", "--write"]], ids=" ".join)
def test_what_cannot_be_written_is_refused(words: list[str], run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nonexistent")  # where a project's file would have to find suture
    refused = run(*words, code=1)
    assert (refused["status"], refused["written"]) == ("refused", False)


@pytest.mark.usefixtures("home")
def test_a_person_reads_what_to_do(capfd: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert main(["init", "claude-code", "--hooks"]) == 0
    shown = capfd.readouterr()
    assert shown.out.startswith(f"Claude Code reads its hooks from {tmp_path}/project/.claude/settings.local.json. Add")
    assert "use --write" in shown.err
    assert main(["init", "claude-code", "--hooks", "--write"]) == 0
    assert "To undo: rm " in capfd.readouterr().err
    assert main(["init", "zed", "--hooks"]) == 1
    assert capfd.readouterr().err.startswith("SETTINGS_NOT_WRITTEN: ")


def test_no_model_may_write_these_files() -> None:
    guard = Guard()
    for hooks in HOOKS.values():
        for folder, path in hooks.files.values():
            name = {"claude-settings": ".claude/", "codex": ".codex/"}.get(folder, "") + path
            assert guard.rule(name) is not None, name
            assert guard.rule(f"{name}.bak") is not None, name
