"""The gate before every editing tool, and what is configured about it."""

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, ToolResult, Workspace
from suture.audience import MODEL
from suture.check.gate import Finding, Report
from suture.check.issue import Issue
from suture.tools.check import validation_data
from suture.wording import validation_lines

FAST = Settings(durability="fast")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "root"
    root.mkdir()
    (root / "a.json").write_text('{"a": 1}\n')
    (root / "b.py").write_text("import os\n\nprint(os.sep)\n")
    return root


def reply(path: str, old: str, new: str) -> str:
    return f"{path}\n<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


BREAKING: dict[str, dict[str, Any]] = {
    "file_edit": {"path": "a.json", "edits": [{"old_text": "1}", "new_text": "1"}]},
    "patch": {"path": "a.json", "patches": [{"operation": "replace", "oldText": "1}", "newText": "1"}]},
    "apply_reply": {"reply": reply("a.json", '{"a": 1}', '{"a": 1')},
    "regex_replace": {"file_path": "a.json", "pattern": r"1\}", "replacement": "1"},
    "regex_replace_multi": {"path_pattern": "*.json", "pattern": r"1\}", "replacement": "1"},
}
FINE: dict[str, dict[str, Any]] = {
    "file_edit": {"path": "a.json", "edits": [{"old_text": "1", "new_text": "2"}]},
    "patch": {"path": "a.json", "patches": [{"operation": "replace", "oldText": "1", "newText": "2"}]},
    "apply_reply": {"reply": reply("a.json", '{"a": 1}', '{"a": 2}')},
    "regex_replace": {"file_path": "a.json", "pattern": "1", "replacement": "2"},
    "regex_replace_multi": {"path_pattern": "*.json", "pattern": "1", "replacement": "2"},
}


def call(root: Path, tool: str, arguments: dict[str, Any], settings: Settings = FAST) -> ToolResult:
    return Workspace(root, settings).call(tool, arguments)


@pytest.mark.promise("safe.gate")
@pytest.mark.parametrize("tool", BREAKING)
@pytest.mark.parametrize("level", ["strict", "all"])
@pytest.mark.parametrize("dry_run", [False, True])
def test_strict_refuses_what_would_break_in_every_tool(root: Path, tool: str, level: str, *, dry_run: bool) -> None:
    result = call(root, tool, {**BREAKING[tool], "validate": level, "dry_run": dry_run})
    assert result.is_error
    error = result.metadata["error"]
    assert error["code"] == "VALIDATION_FAILED"
    assert error["files"] == ["a.json"]
    assert [issue["code"] for issue in error["validation"]["new"]] == ["invalid-syntax"]
    assert "a.json:1:8 invalid-syntax the text ends inside the '{' in line 1" in result.text
    assert result.text.count("\n") == 1 or not tool.startswith("regex")
    assert (root / "a.json").read_text() == '{"a": 1}\n'
    assert Workspace(root, FAST).history().metadata["changes"] == []


@pytest.mark.promise("safe.gate")
@pytest.mark.parametrize("tool", BREAKING)
def test_warn_writes_and_tells(root: Path, tool: str) -> None:
    result = call(root, tool, {**BREAKING[tool], "validate": "warn"})
    assert not result.is_error
    validation = result.metadata["validation"]
    assert not validation["passed"]
    assert [(issue["path"], issue["validator"]) for issue in validation["new"]] == [("a.json", "json")]
    assert (root / "a.json").read_text() == '{"a": 1\n'
    if not tool.startswith("regex"):
        assert "⚠️ Validation found:\na.json:1:8 invalid-syntax" in result.text


@pytest.mark.promise("safe.gate")
@pytest.mark.parametrize("tool", FINE)
def test_what_breaks_nothing_passes(root: Path, tool: str) -> None:
    result = call(root, tool, {**FINE[tool], "validate": "strict"})
    assert not result.is_error
    assert result.metadata["validation"] == {"passed": True, "new": [], "existing": [], "fixed": [], "not_run": []}
    assert (root / "a.json").read_text() == '{"a": 2}\n'


@pytest.mark.parametrize("others", [1, 3, 5])
def test_of_several_files_those_that_no_check_knows_are_named(root: Path, others: int) -> None:
    names = [f"{number}.md" for number in range(others)]
    reply = "".join(f"### File: {name}\n<<<<<<< NEW_FILE\nx\n>>>>>>> NEW_FILE\n" for name in names)
    both = reply + "### File: b.json\n<<<<<<< NEW_FILE\n{}\n>>>>>>> NEW_FILE\n"
    more = f" and {others - 3} more files" if others > 3 else ""
    words = f"⚠️ Only conflict markers were checked in {', '.join(names[:3])}{more}."
    result = call(root, "apply_reply", {"reply": both, "validate": "strict", "dry_run": True})
    assert f"\n✅ Validation Passed\n{words}\n\ndiff --git" in result.text
    assert (result.data["validation"]["passed"], result.data["validation"]["markers_only"]) == (True, names)
    result = call(root, "apply_reply", {"reply": reply, "validate": "strict", "dry_run": True})
    assert f"\n\n{words}\n\ndiff --git" in result.text
    assert not result.data["validation"]["passed"]


def test_five_hundred_problems_are_listed_errors_first_and_the_others_counted() -> None:
    issues = [Issue("error" if line % 3 == 0 else "warning", line, 1, "X", "x") for line in range(1, 901)]
    findings = tuple(Finding("a.py", "check", issue) for issue in issues)
    data = validation_data(Report(new=findings, existing=findings[:500], is_checked=True), MODEL)
    assert [issue.severity for issue in data.new] == ["error"] * 300 + ["warning"] * 200
    assert [issue.line for issue in data.existing] == [*range(1, 501)]
    assert data.unlisted.data() == {"new": 400, "existing": 0, "fixed": 0, "not_run": 0}
    assert validation_lines(data)[11] == "… and 890 more (490 of them in the metadata)"


@pytest.mark.parametrize("tool", BREAKING)
def test_without_being_asked_nothing_is_checked(root: Path, tool: str) -> None:
    result = call(root, tool, BREAKING[tool])
    assert not result.is_error
    assert "validation" not in result.metadata


@pytest.mark.process
@pytest.mark.promise("safe.gate")
def test_one_broken_file_of_several_keeps_all_from_landing(root: Path) -> None:
    both = reply("a.json", '{"a": 1}', '{"a": 2}') + reply("b.py", "print(os.sep)", "print(nothing)")
    result = call(root, "apply_reply", {"reply": both, "validate": "strict"})
    assert result.is_error
    assert "b.py:3:7 F821 Undefined name `nothing`" in result.text
    assert (root / "a.json").read_text() == '{"a": 1}\n'


@pytest.mark.process
def test_a_refusal_tells_which_blocks_had_failed_before(root: Path) -> None:
    both = reply("b.py", "import nothing", "import json") + reply("b.py", "print(os.sep)", "print(json)")
    result = call(root, "apply_reply", {"reply": both, "validate": "strict"})
    assert result.text.startswith("VALIDATION_FAILED: The edit was rejected because it introduces errors:\n")
    assert "F821 Undefined name `json`" in result.text
    assert "Block 1 failed: Could not find matching text in b.py" in result.text


@pytest.mark.process
@pytest.mark.promise("safe.new-errors")
def test_strict_leaves_old_errors_alone_and_all_does_not(root: Path) -> None:
    (root / "b.py").write_text("print(nothing)\nx = 1\n")
    arguments = {"path": "b.py", "edits": [{"old_text": "x = 1", "new_text": "x = 2"}]}
    refusal = call(root, "file_edit", {**arguments, "validate": "all"})
    assert refusal.is_error
    head, first, *_, last = refusal.text.removesuffix("\n").split("\n")
    assert head == "VALIDATION_FAILED: The edit was rejected:"
    assert first.startswith("  b.py:1:7 F821 ")
    fix = "fix them first, or check only for new errors."
    assert last == f"Nothing was written. These errors were there before this edit: {fix}"
    result = call(root, "file_edit", {**arguments, "validate": "strict"})
    assert not result.is_error
    assert "Existing problems, not caused by this edit:\nb.py:1:7 F821" in result.text


def settings(tmp_path: Path, content: str, **others: Any) -> Settings:
    """Give the settings of an operator with this configuration."""
    path = tmp_path / "own.toml"
    path.write_text(content)
    return FAST.evolve(config=str(path), **others)


MARK = f"""
[validators.own]
files = ["*.json"]
command = ["{sys.executable}", "-c", "import sys; sys.exit(sys.argv[1] + ':1:1: error: never [N]')", "{{file}}"]
"""


def validation_of(root: Path, settings: Settings) -> dict[str, Any]:
    result = call(root, "file_edit", {**FINE["file_edit"], "validate": "warn"}, settings)
    validation: dict[str, Any] = result.metadata["validation"]
    return validation


@pytest.mark.process
@pytest.mark.promise("safe.commands")
def test_a_command_of_the_operator_is_run(root: Path, tmp_path: Path) -> None:
    validation = validation_of(root, settings(tmp_path, MARK))
    assert [issue["code"] for issue in validation["existing"]] == ["N"]


@pytest.mark.process
@pytest.mark.promise("safe.commands")
@pytest.mark.parametrize("name", ["suture.toml", "pyproject.toml"])
def test_a_command_of_the_project_is_run_only_if_the_operator_says_so(root: Path, tmp_path: Path, name: str) -> None:
    (root / name).write_text(MARK if name == "suture.toml" else MARK.replace("[validators", "[tool.suture.validators"))
    validation = validation_of(root, FAST)
    assert validation["existing"] == validation["new"] == []
    assert [check["validator"] for check in validation["not_run"]] == ["own"]
    assert "only the operator can allow" in validation["not_run"][0]["reason"]
    (root / "a.json").write_text('{"a": 1}\n')
    trusting = settings(tmp_path, f"trust = [{str(root)!r}]\n")
    assert [issue["code"] for issue in validation_of(root, trusting)["existing"]] == ["N"]
    (root / "a.json").write_text('{"a": 1}\n')
    allowing = FAST.evolve(project_commands=True)
    assert [issue["code"] for issue in validation_of(root, allowing)["existing"]] == ["N"]


@pytest.mark.promise("safe.commands")
def test_the_project_cannot_change_what_the_operator_names(root: Path, tmp_path: Path) -> None:
    (root / "suture.toml").write_text("[validators.json]\nenabled = false\n")
    result = call(root, "file_edit", {**BREAKING["file_edit"], "validate": "strict"})
    assert not result.is_error  # only the project speaks
    (root / "a.json").write_text('{"a": 1}\n')
    strict = settings(tmp_path, "[validators.json]\nrequired = true\n")
    assert call(root, "file_edit", {**BREAKING["file_edit"], "validate": "strict"}, strict).is_error


def test_a_configuration_is_read_anew_when_it_changes(root: Path) -> None:
    workspace = Workspace(root, FAST)
    breaking = {**BREAKING["file_edit"], "validate": "strict", "dry_run": True}
    assert workspace.call("file_edit", breaking).is_error
    (root / "suture.toml").write_text("[validators.json]\nenabled = false\n")
    assert not workspace.call("file_edit", breaking).is_error
    (root / "suture.toml").unlink()
    assert workspace.call("file_edit", breaking).is_error


@pytest.mark.promise("safe.not-run")
@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("suture.toml", "= broken", "suture.toml is not TOML"),
        ("suture.toml", "[validators.json]\nsevere = 1\n", "unknown key severe"),
        ("pyproject.toml", "[tool]\nsuture = 1\n", "pyproject.toml: tool.suture must be a table"),
        ("suture.toml", "[validators.jsn]\nrequired = true\n", "no check has this name"),
    ],
)
def test_a_configuration_that_cannot_be_understood_is_reported(
    root: Path, name: str, content: str, reason: str
) -> None:
    (root / name).write_text(content)
    validation = validation_of(root, FAST)
    assert len(validation["not_run"]) == 1
    assert reason in validation["not_run"][0]["reason"]
    assert not validation["passed"]


def test_a_broken_configuration_of_the_operator_is_reported_and_a_missing_one_is_none(
    root: Path, tmp_path: Path
) -> None:
    assert "is not TOML" in validation_of(root, settings(tmp_path, "="))["not_run"][0]["reason"]
    (root / "a.json").write_text('{"a": 1}\n')
    assert "cannot be read" in validation_of(root, FAST.evolve(config=str(tmp_path)))["not_run"][0]["reason"]
    (root / "a.json").write_text('{"a": 1}\n')
    assert validation_of(root, FAST.evolve(config=""))["passed"]


def test_the_operators_file_is_looked_for_in_the_users_configuration(root: Path) -> None:
    path = Path(os.environ["XDG_CONFIG_HOME"]) / "suture" / "suture.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text("[validators.json]\nenabled = false\n")
    try:
        assert not call(root, "file_edit", {**BREAKING["file_edit"], "validate": "strict"}).is_error
    finally:
        path.unlink()


@pytest.mark.promise("safe.commands")
def test_an_operators_file_that_an_agent_could_write_is_not_used(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = root / ".config" / "suture" / "suture.toml"
    path.parent.mkdir(parents=True)
    path.write_text(MARK)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(root / ".config"))
    validation = validation_of(root, FAST)
    assert validation["existing"] == validation["new"] == []
    assert "is in the workspace" in validation["not_run"][0]["reason"]
    monkeypatch.setenv("XDG_CONFIG_HOME", ".config")
    monkeypatch.setenv("HOME", "relative")
    (root / "a.json").write_text('{"a": 1}\n')
    assert validation_of(root, FAST)["passed"]


def test_an_operators_file_that_is_named_and_not_there_is_reported(root: Path) -> None:
    assert "No such file" in validation_of(root, FAST.evolve(config="/nowhere.toml"))["not_run"][0]["reason"]


def test_a_bad_glob_is_reported_and_keeps_nothing_from_working(root: Path) -> None:
    (root / "suture.toml").write_text('[validators.json]\nfiles = ["[a"]\n')
    validation = validation_of(root, FAST)
    assert "'[a' is not a glob" in validation["not_run"][0]["reason"]
    assert call(root, "safe_edit", {"path": "a.json", "content": "{"}).is_error


def test_a_link_that_leads_out_is_no_configuration(root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.toml").write_text("[validators.json]\nenabled = false\n")
    (root / "suture.toml").symlink_to(tmp_path / "outside.toml")
    validation = validation_of(root, FAST)
    assert validation["not_run"][0]["reason"] == "suture.toml cannot be read (PATH_OUTSIDE_WORKSPACE)"


@pytest.mark.process
@pytest.mark.promise("safe.not-run")
def test_a_required_check_that_cannot_be_run_refuses_in_strict_only(root: Path, tmp_path: Path) -> None:
    configuration = '[validators.own]\nfiles = ["*.json"]\ncommand = ["/nowhere"]\nrequired = true\n'
    result = call(root, "file_edit", {**FINE["file_edit"], "validate": "strict"}, settings(tmp_path, configuration))
    assert result.is_error
    assert "a.json by own: /nowhere cannot be started" in result.text
    result = call(root, "file_edit", {**FINE["file_edit"], "validate": "warn"}, settings(tmp_path, configuration))
    assert not result.is_error
    assert "⚠️ Not validated: a.json by own: /nowhere cannot be started" in result.text
    assert "✅ Validation Passed" not in result.text


@pytest.mark.promise("bound.validators")
def test_a_large_file_is_not_checked_which_is_reported(root: Path) -> None:
    validation = validation_of(root, FAST.evolve(validate_max_bytes=4))
    assert {check["validator"] for check in validation["not_run"]} == {"json", "conflict-markers"}
    assert validation["not_run"][0]["reason"] == "the file is larger than 4 bytes (validate_max_bytes)"


@pytest.mark.process
@pytest.mark.promise("safe.staging")
def test_files_that_change_together_are_checked_together(root: Path, tmp_path: Path) -> None:
    (root / "pkg").mkdir()
    (root / "pkg" / "__init__.py").write_text("")
    (root / "pkg" / "one.py").write_text("def old() -> int:\n    return 1\n")
    (root / "pkg" / "two.py").write_text("from pkg.one import old\n\nx: int = old()\n")
    operator = settings(tmp_path, "[validators.mypy]\nfiles = ['pkg/two.py']\nrequired = true\n")
    edit: dict[str, Any] = {"path_pattern": "pkg/*.py", "pattern": "/old/g", "replacement": "new", "validate": "strict"}
    assert not call(root, "regex_replace_multi", edit, operator).is_error
    arguments = {"path": "pkg/one.py", "edits": [{"old_text": "new", "new_text": "newer"}], "validate": "strict"}
    assert not call(root, "file_edit", arguments, operator).is_error  # only two.py is checked
    edit = {"path": "pkg/two.py", "edits": [{"old_text": "x", "new_text": "y"}], "validate": "all"}
    assert "attr-defined" in call(root, "file_edit", edit, operator).text


def test_a_file_below_an_extra_root_is_checked_there(root: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "c.json").write_text("{}\n")
    both = FAST.evolve(extra_roots=(str(other),))
    edit = {"path": str(other / "c.json"), "edits": [{"old_text": "}", "new_text": ""}], "validate": "strict"}
    result = call(root, "file_edit", edit, both)
    assert result.is_error
    assert f"{other}/c.json:1:2" in result.text


def test_created_renamed_and_deleted_files(root: Path) -> None:
    patch = (
        "*** Begin Patch\n*** Add File: new.json\n+{\n*** Update File: a.json\n*** Move to: moved.json\n@@\n"
        '-{"a": 1}\n+{"a": 1\n*** Delete File: b.py\n*** End Patch\n'
    )
    validation = call(root, "apply_reply", {"reply": patch, "validate": "strict"}).metadata["error"]["validation"]
    assert sorted(issue["path"] for issue in validation["new"]) == ["moved.json", "new.json"]


def test_what_is_not_text_and_other_encodings(root: Path) -> None:
    (root / "wide.json").write_bytes('{"é": 1}\n'.encode("utf-16"))
    edit: dict[str, Any] = {"path": "wide.json", "edits": [{"old_text": "1}", "new_text": "1"}], "validate": "strict"}
    assert "wide.json:1:8" in call(root, "file_edit", edit).text
    (root / "latin.json").write_bytes('{"é": 1}\n'.encode("latin-1"))
    edit = {"path": "latin.json", "edits": [{"old_text": "é", "new_text": "è"}], "encoding": "latin-1"}
    assert not call(root, "file_edit", {**edit, "validate": "strict"}).is_error
    nul = {"path": "a.json", "edits": [{"old_text": "1", "new_text": "\0"}], "validate": "strict"}
    assert call(root, "file_edit", nul).is_error
    assert call(root, "safe_edit", {"path": "image.png", "content": "\0"}).data["validation"]["passed"]


@pytest.mark.promise("confine.not-a-file")
def test_nobody_waits_for_a_pipe_that_is_named_like_a_configuration_of_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "suture").mkdir()
    for name in ("suture.toml", "pyproject.toml", "suture/suture.toml"):
        os.mkfifo(tmp_path / name)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    result = Workspace(tmp_path, Settings(durability="fast")).safe_edit("a.json", content="{}\n")
    reasons = [check["reason"] for check in result.metadata["validation"]["not_run"]]
    assert reasons[0] == "suture.toml cannot be read (NOT_A_FILE)"
    assert reasons[-1].endswith("is not used: it is in the workspace, where an agent can change it")


@pytest.mark.process
@pytest.mark.promise("bound.validators")
def test_a_program_that_waits_for_a_pipe_is_ended_at_its_time(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    os.mkfifo(root / "mypy.ini")
    config = tmp_path / "own.toml"
    config.write_text("[validators.mypy]\ntimeout_ms = 300\n")
    result = Workspace(root, Settings(durability="fast", config=str(config))).safe_edit("a.py", content="x = 1\n")
    assert [check["validator"] for check in result.metadata["validation"]["not_run"]] == ["mypy"]
