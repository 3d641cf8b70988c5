"""Settings of a command: the operator's file, `--set`, and options that set a setting."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from suture import Settings, Workspace
from suture.cli import main
from suture.cli.arguments import build_parser
from suture.cli.paths import locate
from suture.cli.settings import parse_setting, settings_of
from suture.errors import SutureError
from suture.settings import check_value, operator_file

NUMBER = "a whole number from 1 to 1000000000000000"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace, and a configuration folder beside it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    workspace = tmp_path / "project"
    workspace.mkdir()
    (workspace / "a.txt").write_text("one\ntwo\n")
    monkeypatch.chdir(workspace)
    return workspace


def configure(text: str, file: Path | None = None) -> Path:
    file = file or Path(operator_file())
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def settings(*words: str) -> Settings:
    options = build_parser(words).parse_args(words)
    options.location = locate(options.root)
    return settings_of(options)


VALUES = {
    bool: ("true", True),
    int: ("7_000", 7_000),
    str: ("fast", "fast"),
    type(None): ("/etc/suture.toml", "/etc/suture.toml"),
    tuple: ("a/b", ("a/b",)),
}


@pytest.mark.promise("cli.settings")
@pytest.mark.parametrize("name", Settings._fields)
def test_every_setting_can_be_set_by_an_option(name: str) -> None:
    given, value = VALUES[type(getattr(Settings, name))]
    if name == "encodings":
        given, value = "*.csv=cp1252", (("*.csv", "cp1252"),)
    assert parse_setting(f"{name}={given}") == (name, value)
    arguments: dict[str, Any] = {name: value}
    Settings(**arguments).check()


def test_every_setting_that_an_error_names_exists() -> None:
    def kinds(kind: type[SutureError]) -> list[type[SutureError]]:
        return [kind, *(descendant for child in kind.__subclasses__() for descendant in kinds(child))]

    settings_named = {getattr(kind, "setting", None) for kind in kinds(SutureError)}
    named = {name for name in settings_named if isinstance(name, str)}
    assert {"call_ms", "max_memory_bytes"} <= named <= set(Settings._fields)


def test_a_setting_without_choices_takes_any_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Settings, "greeting", "hello", raising=False)
    check_value("greeting", "good day")
    with pytest.raises(ValueError, match="greeting: invalid value 5; expected a text"):
        check_value("greeting", 5)


def test_a_list_gets_an_entry_each_time(root: Path) -> None:
    assert root.is_dir()
    assert settings("mcp", "--set", "protect=a", "--set", "protect=b,c").protect == ("a", "b,c")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("call_ms", "expected NAME=VALUE, such as call_ms=120000, got 'call_ms'"),
        ("call_mss=1", "unknown setting 'call_mss'; did you mean call_ms?"),
        ("zzz=1", "unknown setting 'zzz'"),
        ("call_ms=0", f"call_ms: invalid value 0; expected {NUMBER}"),
        ("call_ms=-1", f"call_ms: invalid value '-1'; expected {NUMBER}"),
        ("max_bases=x", "max_bases: invalid value 'x'; expected a whole number from 0 to 1000000000000000"),
        (
            "max_replacements=99999999999999999999",
            f"max_replacements: invalid value '99999999999999999999'; expected {NUMBER}",
        ),
        ("history=no", "history: invalid value 'no'; expected true or false"),
        ("durability=slow", "durability: invalid value 'slow'; expected full or fast"),
        ("encodings=cp1252", "encodings: invalid value 'cp1252'; expected pairs of a glob and an encoding"),
        ("encodings=*.csv=cp12520", "encodings: unknown encoding 'cp12520'; did you mean cp1252?"),
        ("encodings=*.csv=rot13", "encodings: unknown encoding 'rot13'"),
        ("encodings=*.csv=☃", "encodings: unknown encoding '☃'"),
        ("protect=", "protect: invalid value ''; expected a list of non-empty strings"),
    ],
)
def test_a_wrong_setting_is_wrong_usage(
    root: Path, capfd: pytest.CaptureFixture[str], given: str, problem: str
) -> None:
    assert root.is_dir()
    assert main(["read", "a.txt", "--set", given]) == 2
    message = f"WRONG_USAGE: suture read: argument --set: {problem}\nSee: suture read --help\n"
    assert capfd.readouterr() == ("", message)


def test_a_dash_in_a_name_stands_for_an_underscore() -> None:
    assert parse_setting("call-ms=5") == ("call_ms", 5)


@pytest.mark.parametrize("command", ["mcp", "read", "call", "recover", "checkpoint", "search", "undo", "check"])
def test_commands_that_use_a_workspace_take_settings(command: str) -> None:
    words = {"read": ["a"], "call": ["file_read", "{}"], "search": ["x"]}.get(command, [])
    options = build_parser([command]).parse_args([command, *words, "--set", "call_ms=5"])
    assert options.set == [("call_ms", 5)]


def test_the_operators_file_is_in_the_configuration_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "/c")
    assert operator_file() == "/c/suture/suture.toml"
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")
    monkeypatch.setenv("HOME", "/h")
    assert operator_file() == "/h/.config/suture/suture.toml"
    monkeypatch.setenv("HOME", "relative")
    assert operator_file() == ""
    assert operator_file("/named") == "/named"


@pytest.mark.parametrize("words", [["init"], ["doctor"], ["completion", "bash"], ["tools"], ["prompt"]], ids=" ".join)
def test_other_commands_have_no_settings(words: list[str]) -> None:
    assert not hasattr(build_parser(words).parse_args(words), "settings")


@pytest.mark.promise("cli.settings")
def test_the_file_of_the_operator_sets_what_no_option_sets(root: Path) -> None:
    assert root.is_dir()
    configure('[settings]\ncall_ms = 5\nmax_edits = 6\nencodings = [["*.csv", "cp1252"]]\nprotect = ["a"]\n')
    values = settings("mcp", "--call-ms", "7", "--extra-root", "/elsewhere", "--allow-commands")
    assert (values.call_ms, values.max_edits, values.protect) == (7, 6, ("a",))
    assert values.encodings == (("*.csv", "cp1252"),)
    assert (values.extra_roots, values.project_commands, values.durability) == (("/elsewhere",), True, "full")
    values.check()


def test_without_file_and_options_the_defaults_hold(root: Path) -> None:
    assert root.is_dir()
    assert settings("mcp") == settings("read", "a.txt") == Settings()
    configure("[validators.ruff]\nrequired = true\n")
    assert settings("mcp") == Settings()
    configure("settings = {}\n")
    assert settings("mcp") == Settings()


def test_no_limit_of_memory_is_a_limit_of_0(root: Path) -> None:
    assert root.is_dir()
    configure("[settings]\nmax_memory_bytes = 5\n")
    assert settings("mcp", "--max-memory-bytes", "0").max_memory_bytes == 0


def test_a_timeout_gives_the_search_that_time_at_least(root: Path) -> None:
    assert root.is_dir()
    configure("[settings]\nregex_call_ms = 90000\ncall_ms = 100000\n")
    values = settings("search", "x", "--timeout", "60")
    assert (values.regex_file_ms, values.regex_call_ms, values.call_ms) == (60_000, 90_000, 160_000)
    by_name = settings("check", "--set", "check_call_ms=9000", "--set", "check_max_files=3")
    assert settings("check", "--max-time", "9", "--max-files", "3") == by_name


def test_a_call_heeds_the_file_and_its_hint_says_how_to_set_it(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert root.is_dir()
    configure("[settings]\nmax_file_bytes = 2\n")
    call = ["call", "file_read", '{"path": "a.txt"}']
    assert main(call) == 1
    error = json.loads(capfd.readouterr().out)["metadata"]["error"]
    assert error["hint"].endswith("raise the limit (--set max_file_bytes=N).")
    assert main([*call, "--set", "max_file_bytes=1000"]) == 0


def test_another_file_can_be_named(root: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert root.is_dir()
    configure("[settings]\nmax_edits = 1\n")
    other = configure("[settings]\nmax_edits = 2\n", tmp_path / "other.toml")
    assert settings("mcp", "--set", f"config={other}").max_edits == 2
    assert settings("mcp", "--set", "config=").max_edits == Settings.max_edits
    assert main(["read", "a.txt", "--set", f"config={tmp_path}/none"]) == 2
    assert "none cannot be read: " in capfd.readouterr().err


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[settings]\ncall_mss = 1\n", "unknown setting 'call_mss'; did you mean call_ms?"),
        (
            "[settings]\ncall_ms = '5'\n",
            f"call_ms: invalid value '5'; expected {NUMBER}",
        ),
        (
            "[settings]\ncall_ms = true\n",
            f"call_ms: invalid value True; expected {NUMBER}",
        ),
        ("[settings]\nconfig = 'x'\n", "config names this file, and cannot be set in it"),
        ("[settings]\nextra_roots = ['x']\n", "extra_roots must be absolute paths"),
        ("settings = 1\n", "settings must be a table"),
    ],
)
def test_a_wrong_file_is_wrong_usage(root: Path, capfd: pytest.CaptureFixture[str], text: str, problem: str) -> None:
    assert root.is_dir()
    file = configure(text)
    assert main(["read", "a.txt"]) == 2
    assert capfd.readouterr() == ("", f"WRONG_USAGE: suture read: {file}: {problem}\nSee: suture read --help\n")
    configure(text + "= =\n")
    assert main(["read", "a.txt"]) == 2
    assert f"{file} is not TOML: " in capfd.readouterr().err


@pytest.mark.promise("cli.settings")
def test_a_file_in_the_workspace_sets_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(root / "config"))
    file = configure("[settings]\nmax_file_bytes = 2\n")
    note = f"note: {file} is in the workspace, where an agent can change it: its settings are not used\n"
    assert main(["read", "a.txt"]) == 0
    assert capfd.readouterr().err == note
    configure("[validators.ruff]\nrequired = true\n")
    assert main(["read", "a.txt"]) == 0
    assert capfd.readouterr().err == ""
    file.unlink()
    os.mkfifo(file)  # whoever opens it waits
    assert main(["read", "a.txt"]) == 0


@pytest.mark.promise("cli.settings")
def test_a_file_in_an_extra_root_sets_nothing(root: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert root.is_dir()
    configure("[settings]\nmax_edits = 2\n")
    assert settings("mcp", "--extra-root", str(tmp_path / "config")).max_edits == Settings.max_edits
    configure(f"[settings]\nmax_edits = 2\nextra_roots = ['{tmp_path}']\n")
    assert settings("mcp") == Settings()
    assert capfd.readouterr().err.count("its settings are not used") == 2


@pytest.mark.promise("cli.settings")
def test_a_file_of_the_project_sets_nothing(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "suture.toml").write_text("[settings]\nmax_file_bytes = 2\n")
    assert settings("mcp") == Settings()
    assert main(["check", "a.txt"]) == 0
    assert "suture.toml: only the operator's own file may set settings" in capfd.readouterr().err


def test_the_doctor_looks_at_the_file(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert root.is_dir()
    file = configure("[settings]\nmax_edits = 2\nproject_commands = true\n")
    main(["doctor"])
    assert f"settings: {file} sets max_edits, project_commands\n" in capfd.readouterr().out
    configure("[settings]\nmax_edit = 2\n")
    assert main(["doctor"]) == 1
    assert f"settings: {file}: unknown setting 'max_edit'; did you mean max_edits?" in capfd.readouterr().out


@pytest.mark.promise("cli.settings")
@pytest.mark.parametrize("option", [["--set", "max_memory_bytes=1000000000000000"], ["--max-memory-bytes", "9" * 20]])
def test_a_number_that_no_system_counts_to_is_no_traceback(
    root: Path, capfd: pytest.CaptureFixture[str], option: list[str]
) -> None:
    command = ["read", "a.txt"] if option[0] == "--set" else ["mcp", "--root", str(root)]
    assert main([*command, *option]) in (0, 2)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.promise("cli.settings")
def test_a_pipe_as_the_operators_file_is_not_waited_for(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert root.is_dir()
    file = Path(operator_file())
    file.parent.mkdir(parents=True)
    os.mkfifo(file)
    assert main(["read", "a.txt"]) == 2
    assert f"{file} cannot be read: it is not a regular file" in capfd.readouterr().err


@pytest.mark.promise("cli.settings")
@pytest.mark.parametrize("by_link", [False, True])
def test_nobody_writes_the_operators_file_through_a_workspace_that_holds_it(
    root: Path,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    by_link: bool,  # noqa: FBT001  a parameter of the table
) -> None:
    target = configure("", tmp_path / "dotfiles" / "suture.toml" if by_link else None)
    if by_link:
        file = Path(operator_file())
        file.parent.mkdir(parents=True)
        file.symlink_to(target)
    monkeypatch.chdir(tmp_path)
    assert root.is_dir()
    write = {
        "path": str(target.relative_to(tmp_path)),
        "patches": [{"operation": "overwrite", "newText": "[settings]"}],
    }
    assert main(["call", "patch", json.dumps(write)]) == 1
    assert json.loads(capfd.readouterr().out)["metadata"]["error"]["code"] == "PROTECTED_PATH"
    assert target.read_text() == ""


def test_the_folder_of_the_operators_file_is_protected_wherever_it_is(tmp_path: Path) -> None:
    result = Workspace(tmp_path).safe_edit("home/.config/suture/suture.toml", content="[settings]\n")
    assert result.metadata["error"]["code"] == "PROTECTED_PATH"


def test_a_part_of_a_file_names_the_option_that_shows_the_rest(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert root.is_dir()
    assert main(["read", "a.txt", "--set", "max_read_lines=1"]) == 0
    assert capfd.readouterr().out.endswith("Note: truncated after line 1 of 2; continue with --start-line 2.\n")
