"""`suture init`: the settings for an agent are printed, and written only on request, with a backup."""

import errno
import json
import os
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from suture.cli import main
from suture.cli.init import CLIENTS, NoHomeError, user_file
from suture.engine.session import Session
from suture.files.local_fs import LocalFS
from suture.plan import Snapshot, Update
from suture.text.edits import Edit
from suture.tools import PROFILES
from suture.workspace import Workspace

PLACES = {
    "claude-desktop": "home/.config/Claude/claude_desktop_config.json",
    "claude-code": "home/.claude.json",
    "cursor": "home/.cursor/mcp.json",
    "vscode": "home/.config/Code/User/mcp.json",
    "codex": "home/.codex/config.toml",
    "gemini": "home/.gemini/settings.json",
    "zed": "home/.config/zed/settings.json",
}
CONTAINERS = {"vscode": "servers", "zed": "context_servers", "codex": "mcp_servers"}
IN_PROJECT = {
    "claude-code": "project/.mcp.json",
    "cursor": "project/.cursor/mcp.json",
    "vscode": "project/.vscode/mcp.json",
    "codex": "project/.codex/config.toml",
    "gemini": "project/.gemini/settings.json",
    "zed": "project/.zed/settings.json",
}
VARIABLES = "HOME XDG_CONFIG_HOME CODEX_HOME CLAUDE_CONFIG_DIR APPDATA USERPROFILE".split()


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home and a project; the command runs as a program."""
    for name in ("home", "project", "bin"):
        (tmp_path / name).mkdir()
    program = tmp_path / "bin" / "suture"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.setattr(sys, "argv", [str(program)])
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path


def init(capfd: pytest.CaptureFixture[str], *words: str, code: int = 0) -> tuple[str, str]:
    assert main(["init", *words]) == code
    output = capfd.readouterr()
    return output.out, output.err


def result(capfd: pytest.CaptureFixture[str], *words: str, code: int = 0) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(init(capfd, *words, "--json", code=code)[0])
    return data


def entry(world: Path, client: str, *, shared: bool = False) -> dict[str, Any]:
    kind = {"type": "stdio"} if client in {"claude-code", "vscode"} else {}
    cwd = {"cwd": "${workspaceFolder}"} if client == "vscode" and shared else {}
    args = ["mcp", "--root", "${workspaceFolder}"] if client == "cursor" else ["mcp"]
    return {**kind, "command": "suture" if shared else f"{world}/bin/suture", "args": args, **cwd}


def whole(world: Path, client: str, entry: dict[str, Any], scope: str = "") -> dict[str, Any]:
    """The settings with only this entry, which are the user's, or with Claude Code the user's for the project."""
    servers = {CONTAINERS.get(client, "mcpServers"): {"suture": entry}}
    local = client == "claude-code" and not scope
    return {"projects": {f"{world}/project": servers}} if local else servers


def parse(client: str, text: str) -> dict[str, Any]:
    data: dict[str, Any] = tomllib.loads(text) if client == "codex" else json.loads(text)
    return data


def files(world: Path) -> dict[str, bytes]:
    return {str(path.relative_to(world)): path.read_bytes() for path in world.rglob("*") if path.is_file()}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_the_tables_have_every_agent() -> None:
    assert [*PLACES] == [*CLIENTS], "add the agent to PLACES, in the order of CLIENTS"
    with_project = [name for name, client in CLIENTS.items() if client.project]
    assert [*IN_PROJECT] == with_project, "add the agent to IN_PROJECT, in the order of CLIENTS"


@pytest.mark.promise("api.init")
@pytest.mark.parametrize(("client", "place"), PLACES.items())
def test_what_belongs_where_is_printed_and_nothing_is_written(
    world: Path, capfd: pytest.CaptureFixture[str], client: str, place: str
) -> None:
    before = files(world)
    out, err = init(capfd, client)
    assert out.startswith(f"{CLIENTS[client].title} reads its MCP servers from {world / place}.")
    assert "Nothing was written; use --write" in err
    assert files(world) == before
    snippet = out.split("\n\n")[1]
    assert parse(client, snippet) == whole(world, client, entry(world, client))
    assert f"{world}/project" not in json.dumps(entry(world, client))
    assert result(capfd, client) == {
        "client": client,
        "path": str(world / place),
        "scope": "local" if client == "claude-code" else "user",
        "format": CLIENTS[client].format,
        "entry": entry(world, client),
        "status": "shown",
        "written": False,
        "backup": None,
        "snippet": snippet.rstrip("\n") + "\n",
    }


@pytest.mark.parametrize(("client", "place"), PLACES.items())
def test_a_file_that_is_missing_is_made_with_its_folder(
    world: Path, capfd: pytest.CaptureFixture[str], client: str, place: str
) -> None:
    before = files(world)
    out, _ = init(capfd, client, "--write")
    assert out == f"written: {world / place}\n"
    after = files(world)
    assert set(after) - set(before) - {name for name in after if "/.local/" in name} == {place}
    assert parse(client, after[place].decode()) == whole(world, client, entry(world, client))
    assert init(capfd, client, "--write") == (f"already there: {world / place}\n", "")
    assert files(world)[place] == after[place]


@pytest.mark.promise("api.init")
@pytest.mark.parametrize(("client", "place"), IN_PROJECT.items())
@pytest.mark.parametrize("words", [["--project"], ["--scope", "project"], ["--scope", "project", "--root", "."]])
def test_a_file_of_the_project_names_nothing_of_this_machine(
    world: Path, capfd: pytest.CaptureFixture[str], client: str, place: str, words: list[str]
) -> None:
    assert result(capfd, client, *words, "--write")["path"] == str(world / place)
    text = (world / place).read_text()
    assert parse(client, text) == whole(world, client, entry(world, client, shared=True), "project")
    assert str(world) not in text


def test_the_user_s_own_settings_can_be_asked_for(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for words in (["--user"], ["--scope", "user"]):
        data = result(capfd, "claude-code", *words)
        assert (data["path"], data["scope"]) == (f"{world}/home/.claude.json", "user")
        assert json.loads(data["snippet"]) == {"mcpServers": {"suture": entry(world, "claude-code")}}


def test_a_file_of_the_project_needs_the_program_on_path(
    world: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    for client, scope in (("claude-code", "local"), ("cursor", "user")):
        assert init(capfd, client, "--scope", "project", "--write", code=1) == (
            "",
            (
                "SETTINGS_NOT_WRITTEN: suture init: suture is not on PATH, and an entry in a project's file must find "
                f"it there.\nInstall it there, or write to your own settings: --scope {scope}\n"
            ),
        )
    assert names(world / "project") == []


@pytest.mark.parametrize("client", PLACES)
def test_a_root_that_is_given_is_in_the_entry(world: Path, capfd: pytest.CaptureFixture[str], client: str) -> None:
    (world / "other").mkdir()
    entry = result(capfd, client, "--root", "../other")["entry"]
    assert entry["args"] == ["mcp", "--root", f"{world}/other"]
    err = init(capfd, client, "--root", "../other")[1]
    where = "" if client == "claude-code" else " in every project"
    assert f"\nThe entry serves {world}/other{where}; for other folders, use another --name.\n" in err


def test_what_an_entry_cannot_know_is_said(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert "Claude Desktop opens no folders: name the one to serve with --root DIR" in init(capfd, "claude-desktop")[1]
    err = init(capfd, "cursor", "--project", "--root", f"{world}/project")[1]
    assert "The entry does not name this folder, because others use the file" in err


def test_a_local_entry_is_that_of_the_project_around(
    world: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (world / "project" / ".git").mkdir()
    (world / "project" / "src").mkdir()
    monkeypatch.chdir(world / "project" / "src")
    place = world / "home" / ".claude.json"
    place.write_text('{\n  "projects": {\n    "/a": {"x": 1},\n    "%s": {"y": []}\n  }\n}\n' % (world / "project"))
    assert result(capfd, "claude-code", "--write")["path"] == str(place)
    data = json.loads(place.read_text())
    servers = {"suture": entry(world, "claude-code")}
    assert data == {"projects": {"/a": {"x": 1}, f"{world}/project": {"y": [], "mcpServers": servers}}}
    assert result(capfd, "cursor", "--project")["path"] == f"{world}/project/.cursor/mcp.json"


@pytest.mark.promise("api.init")
def test_a_file_is_merged_into_and_a_copy_is_kept(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    place = world / "home" / ".claude.json"
    old = b'\xef\xbb\xbf{\r\n\t"k\xc3\xa4se": "\xf0\x9f\xa7\x80",\r\n\t"mcpServers": {}\r\n}'
    place.write_bytes(old)
    place.chmod(0o600)
    outcome = result(capfd, "claude-code", "--user", "--write", "--profile", "read-only")
    assert (outcome["status"], outcome["written"], outcome["backup"]) == ("written", True, f"{place}.bak")
    new = place.read_bytes()
    assert new.startswith(old[: old.index(b"{}") + 1] + b'\r\n\t\t"suture": {\r\n\t\t\t"type"')
    assert new.endswith(b"\r\n\t\t}\r\n\t}\r\n}")
    assert json.loads(new.decode("utf-8-sig"))["mcpServers"]["suture"]["args"][-2:] == ["--profile", "read-only"]
    assert Path(f"{place}.bak").read_bytes() == old
    assert {path.stat().st_mode & 0o777 for path in (place, Path(f"{place}.bak"))} == {0o600}


def test_a_file_in_utf_16_stays_one(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    place = world / "project" / ".mcp.json"
    place.write_bytes('{"ä": "\U0001f9c0"}'.encode("utf-16"))
    init(capfd, "claude-code", "--project", "--write")
    assert json.loads(place.read_bytes().decode("utf-16"))["mcpServers"]["suture"] == entry(
        world, "claude-code", shared=True
    )


def test_no_copy_is_ever_overwritten(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    place = world / "project" / ".mcp.json"
    place.write_text("{}")
    (world / "project" / ".mcp.json.bak").symlink_to("nowhere")
    copies = [
        result(capfd, "claude-code", "--project", "--write", "--name", name)["backup"] for name in ("a", "b", "c")
    ]
    assert copies == [f"{place}.bak1", f"{place}.bak2", f"{place}.bak3"]
    assert json.loads(place.read_text())["mcpServers"].keys() == {"a", "b", "c"}


def test_an_empty_file_needs_no_copy(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    place = world / "project" / ".mcp.json"
    place.touch()
    assert result(capfd, "claude-code", "--project", "--write")["backup"] is None
    assert json.loads(place.read_text())["mcpServers"] == {"suture": entry(world, "claude-code", shared=True)}


@pytest.mark.parametrize(
    ("client", "old"),
    [
        ("claude-code", '{\n  "mcpServers": {\n    "suture": {"command": "old", "env": {"A": "secret"}}\n  }\n}\n'),
        ("codex", '[mcp_servers.suture]\ncommand = "old"\nenv = {A = "secret"}\n'),
    ],
)
def test_an_entry_that_differs_is_replaced_only_by_force(
    world: Path, capfd: pytest.CaptureFixture[str], client: str, old: str
) -> None:
    place = world / IN_PROJECT[client]
    place.parent.mkdir(exist_ok=True)
    place.write_text(old)
    out, err = init(capfd, client, "--project", "--write", code=1)
    assert err.startswith(
        f"SETTINGS_NOT_WRITTEN: nothing was written to {place}: it has a different entry named suture "
    )
    assert ("command is 'old'" in err, "env is set" in err, "secret" in err + out) == (True, True, False)
    assert parse(client, out)
    assert (place.read_text(), names(place.parent)) == (old, [place.name])
    refusal = result(capfd, client, "--project", "--write", code=1)
    assert (refusal["status"], refusal["written"], "command is 'old'" in refusal["error"]) == ("refused", False, True)
    assert result(capfd, client, "--project", "--write", "--force")["status"] == "written"
    assert parse(client, place.read_text())[CLIENTS[client].container] == {"suture": entry(world, client, shared=True)}
    assert Path(f"{place}.bak").read_text() == old


@pytest.mark.parametrize(
    ("client", "content", "message"),
    [
        ("claude-code", b"{", "it is not JSON: line 1"),
        ("claude-code", b'{"a": 1, // x\n}', "it is not JSON: line 1"),
        ("claude-code", b"[]", "its content is not an object"),
        ("claude-code", b'{"mcpServers": 1}', "mcpServers in it is not an object"),
        ("claude-code", b'{"a": "\xe9"}', "it is not UTF-8"),
        ("claude-code", b'\xff\xfe{\x00"\x00\x00\xd8"\x00}\x00', "it is not UTF-8"),
        ("claude-code", b"{}\0", "BINARY_FILE: "),
        ("vscode", b'{"servers": {}, "servers": {}}', "line 1, column 17: duplicate key"),
        ("codex", b"mcp_servers = {git = {}}", "mcp_servers has a form that cannot be edited safely"),
    ],
)
def test_a_file_that_cannot_be_merged_into_is_left_alone(
    world: Path, capfd: pytest.CaptureFixture[str], client: str, content: bytes, message: str
) -> None:
    place = world / IN_PROJECT[client]
    place.parent.mkdir(exist_ok=True)
    place.write_bytes(content)
    out, err = init(capfd, client, "--project", "--write", "--force", code=1)
    assert err.startswith(f"SETTINGS_NOT_WRITTEN: nothing was written to {place}: {message}")
    assert err.endswith("\nAdd the entry by hand.\n\nThe entry:\n\n")
    assert parse(client, out)
    assert (place.read_bytes(), names(place.parent)) == (content, [place.name])


def test_a_link_of_the_user_is_kept_and_followed(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (world / "dotfiles").mkdir()
    (world / "dotfiles" / "codex.toml").write_text("a = 1\n")
    (world / "home" / ".codex").mkdir()
    (world / "home" / ".codex" / "config.toml").symlink_to("../../dotfiles/codex.toml")
    outcome = result(capfd, "codex", "--write")
    assert (outcome["path"], outcome["backup"]) == (str(world / PLACES["codex"]), f"{world}/dotfiles/codex.toml.bak")
    assert (world / PLACES["codex"]).is_symlink()
    assert tomllib.loads((world / "dotfiles" / "codex.toml").read_text())["mcp_servers"]


@pytest.mark.parametrize("link", [".cursor", ".cursor/mcp.json"])
def test_a_link_out_of_the_project_is_refused(world: Path, capfd: pytest.CaptureFixture[str], link: str) -> None:
    (world / "elsewhere").mkdir()
    (world / "elsewhere" / "mcp.json").write_text("{}")
    place = world / "project" / link
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(world / "elsewhere" / ("mcp.json" if link.endswith("json") else ""))
    _, err = init(capfd, "cursor", "--project", "--write", code=1)
    assert "PATH_OUTSIDE_WORKSPACE" in err
    assert (world / "elsewhere" / "mcp.json").read_text() == "{}"


def test_a_link_to_another_protected_file_is_refused(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (world / "project" / ".vscode").mkdir()
    (world / "project" / ".vscode" / "settings.json").write_text("{}")
    (world / "project" / ".mcp.json").symlink_to(".vscode/settings.json")
    assert "PROTECTED_PATH" in init(capfd, "claude-code", "--project", "--write", code=1)[1]


@pytest.mark.process
@pytest.mark.parametrize("client", PLACES)
def test_what_was_written_can_be_taken_back_as_told(
    world: Path, capfd: pytest.CaptureFixture[str], client: str
) -> None:
    place = world / PLACES[client]
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text("a = 1\n" if client == "codex" else '{"a": 1}')
    old = place.read_text()
    _, err = init(capfd, client, "--write")
    command = shlex.split(err.partition("To undo: ")[2])
    if command[0] == "suture":
        assert main(command[1:]) == 0
    else:
        subprocess.run(command, check=True)
    assert place.read_text() == old


def test_a_new_protected_file_is_taken_back_by_deleting_it(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    _, err = init(capfd, "claude-code", "--project", "--write")
    assert err.endswith(f"To undo: rm {world}/project/.mcp.json\n")


def test_an_agent_s_own_history_is_not_stood_in_the_way_of(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    workspace = Workspace(world / "project")
    workspace.safe_edit("a.txt", content="x\n")
    init(capfd, "claude-code", "--write")
    assert not workspace.undo().is_error
    assert not (world / "project" / "a.txt").exists()


def test_the_clients_are_listed_with_their_files_and_what_is_in_them(
    world: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    project = world / "project"
    (project / ".cursor").mkdir()
    (project / ".cursor" / "mcp.json").write_text('{"mcpServers": {"suture": {}}}')
    (project / ".mcp.json").write_text("{}")
    (project / ".vscode").mkdir()
    (project / ".vscode" / "mcp.json").write_text("{")
    (project / ".gemini" / "settings.json").mkdir(parents=True)
    states = dict.fromkeys(IN_PROJECT, "no file") | {"cursor": "with suture", "claude-code": "without suture"}
    states |= {"vscode": "cannot be read", "gemini": "not a file"}
    rows = [line.split(maxsplit=2) for line in init(capfd, "--project")[0].splitlines()]
    assert rows == [[client, str(world / place), states[client]] for client, place in IN_PROJECT.items()]
    table = json.loads(init(capfd, "--project", "--json")[0])
    assert [(row["client"], row["path"], row["state"]) for row in table] == [tuple(row) for row in rows]
    by_default = json.loads(init(capfd, "--json")[0])
    assert {row["client"]: row["path"] for row in by_default} == {name: f"{world}/{at}" for name, at in PLACES.items()}
    assert [row["client"] for row in by_default if row["scope"] == "local"] == ["claude-code"]
    assert [row["client"] for row in json.loads(init(capfd, "--scope", "local", "--json")[0])] == ["claude-code"]
    init(capfd, "claude-code", "--write")
    assert json.loads(init(capfd, "--json")[0])[1]["state"] == "with suture"


def test_the_list_is_of_the_scope_that_was_asked_for(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    project = [row["path"] for row in json.loads(init(capfd, "--project", "--json")[0])]
    assert project == [f"{world}/project/{client.project}" for client in CLIENTS.values() if client.project]
    user = [row["path"] for row in json.loads(init(capfd, "--user", "--json")[0])]
    assert (len(user), {path.startswith(f"{world}/home/") for path in user}) == (len(PLACES), {True})


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["curser"], "unknown agent 'curser'; did you mean cursor?"),
        (["Claude-Code"], "unknown agent 'Claude-Code'; did you mean claude-code?"),
        (["emacs\x1b"], f"unknown agent 'emacs\\x1b'; choose from {', '.join(CLIENTS)}"),
        (["--write"], f"expected an agent: {', '.join(CLIENTS)}"),
        (["codex", "--force"], "--force requires --write"),
        (["claude-desktop", "--project"], "Claude Desktop has no project settings; use --scope user"),
        (["zed", "--scope", "local"], "Zed has no local settings; use --scope user or project"),
        (["codex", "--name", "a b"], "--name: expected letters, digits, - and _"),
        (["codex", "--name", ""], "--name: expected letters, digits, - and _"),
        (["codex", "--name", "é"], "--name: expected letters, digits, - and _"),
        (["codex", "--name", "a" * 65], "--name: at most 64 characters"),
    ],
)
@pytest.mark.usefixtures("world")
def test_wrong_usage_is_reported(capfd: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert init(capfd, *words, code=2) == ("", f"WRONG_USAGE: suture init: {message}\nSee: suture init --help\n")


@pytest.mark.parametrize("words", [["--profile", "edit"], ["--tools", "undo,patch"]], ids=" ".join)
def test_the_tools_to_serve_may_be_chosen(world: Path, capfd: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert result(capfd, "gemini", *words)["entry"] == {**entry(world, "gemini"), "args": ["mcp", *words]}


@pytest.mark.usefixtures("world")
def test_tools_that_there_are_none_of_are_reported(capfd: pytest.CaptureFixture[str]) -> None:
    assert init(capfd, "codex", "--tools", "pach", code=2)[1].startswith("UNKNOWN_TOOL: There is no tool 'pach'.\n")
    problem = f"unknown profile 'edti'; did you mean edit? choose from {', '.join(PROFILES)}"
    message = f"WRONG_USAGE: suture init: {problem}\nSee: suture init --help\n"
    assert init(capfd, "codex", "--profile", "edti", code=2) == ("", message)


@pytest.mark.parametrize("words", [["codex", "--user", "--project"], ["codex", "--profile", "all"], ["codex", "x"]])
@pytest.mark.usefixtures("world")
def test_options_that_do_not_fit_are_refused(words: list[str]) -> None:
    assert main(["init", *words]) == 2


@pytest.mark.parametrize("home", ["", "relative"])
def test_without_a_home_only_projects_have_settings(
    world: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], home: str
) -> None:
    monkeypatch.setenv("HOME", home)
    for words in (["codex"], ["codex", "--write"]):
        out, err = init(capfd, *words, code=1)
        assert (out, err.startswith("SETTINGS_NOT_WRITTEN: suture init: HOME is not an absolute path")) == (
            "",
            True,
        )
    assert result(capfd, "cursor", "--project")["path"] == str(world / IN_PROJECT["cursor"])
    assert [line.split()[0] for line in init(capfd)[0].splitlines()] == [*PLACES]
    monkeypatch.setenv("CODEX_HOME", str(world / "codex"))
    assert init(capfd, "codex", "--write")[0] == f"written: {world}/codex/config.toml\n"


def test_a_home_that_is_not_there_is_not_made(
    world: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(world / "gone"))
    assert f"HOME, {world}/gone, is not a folder" in init(capfd, "codex", "--write", code=1)[1]
    assert not (world / "gone").exists()


def test_a_home_that_cannot_be_written_is_reported(
    world: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(LocalFS, "create", refuse)
    assert "PERMISSION_DENIED" in init(capfd, "codex", "--write", code=1)[1]
    assert names(world / "home") == []


def test_a_workspace_must_be_there(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert init(capfd, "codex", "--root", "gone", code=1) == (
        "",
        (
            f"SETTINGS_NOT_WRITTEN: suture init: folder {world}/project/gone does not exist.\n"
            "Fix that, or use another --root.\n"
        ),
    )
    message = json.loads(init(capfd, "codex", "--root", "gone", "--json", code=1)[0])
    assert message == {
        "client": "codex",
        "status": "refused",
        "written": False,
        "error": f"folder {world}/project/gone does not exist",
        "hint": "Fix that, or use another --root.",
    }


def test_a_path_that_is_no_text_cannot_be_in_settings(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    root = os.fsdecode(os.fsencode(world) + b"/\xe9")
    Path(root).mkdir()
    assert "is not UTF-8, as settings must be" in init(capfd, "codex", "--root", root, code=1)[1]


@pytest.mark.parametrize("running", ["python", "suture/__main__.py", "suture"])
def test_a_program_that_cannot_be_found_is_named_by_its_module(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], running: str
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "argv", [running])
    entry = result(capfd, "gemini")["entry"]
    assert entry == {"command": sys.executable, "args": ["-P", "-m", "suture", "mcp"]}


def test_a_program_on_the_path_is_named_in_full(
    world: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(world / "bin"))
    monkeypatch.setattr(sys, "argv", ["suture"])
    assert result(capfd, "cursor")["entry"]["command"] == f"{world}/bin/suture"


def test_claude_code_can_be_told_by_its_own_command(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (world / "project" / "a b").mkdir()
    out, _ = init(capfd, "claude-code", "--user", "--root", "a b", "--name", "ab")
    command = shlex.split(out.split("\n\n")[-1])
    assert command == [
        *"claude mcp add --scope user --transport stdio ab --".split(),
        f"{world}/bin/suture",
        *("mcp", "--root", f"{world}/project/a b"),
    ]


@pytest.mark.usefixtures("world")
def test_closed_streams_are_no_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert [main(["init", *words]) for words in ([], ["cursor"], ["cursor", "--write"], ["x"])] == [0, 0, 0, 2]


def test_what_another_program_writes_meanwhile_is_kept(
    world: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    place = world / "project" / ".mcp.json"
    place.write_text("{}")
    plan = Session.plan_update

    def plan_anew(session: Session, before: Snapshot, edits: Iterable[Edit]) -> Update:
        if before.text.raw == b"{}":
            place.write_text('{"a": 1}')
        return plan(session, before, edits)

    monkeypatch.setattr(Session, "plan_update", plan_anew)
    copy = result(capfd, "claude-code", "--project", "--write")["backup"]
    assert json.loads(place.read_text()) == {"a": 1, "mcpServers": {"suture": entry(world, "claude-code", shared=True)}}
    assert Path(copy).read_text() == '{"a": 1}'


def test_an_interrupt_leaves_nothing_half_done(
    world: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    place = world / "project" / ".mcp.json"
    place.write_text("{}")
    rename = LocalFS.rename
    calls: list[object] = []

    def interrupt(*given: Any) -> None:
        calls.append(given)
        if len(calls) == 1:
            raise KeyboardInterrupt
        rename(*given)

    monkeypatch.setattr(LocalFS, "rename", interrupt)
    init(capfd, "claude-code", "--project", "--write", code=130)
    assert calls
    assert (place.read_text(), names(place.parent)) == ("{}", [".mcp.json"])


@pytest.mark.parametrize(
    ("platform", "client", "environment", "path"),
    [
        (
            "darwin",
            "claude-desktop",
            {"HOME": "/h"},
            "/h/Library/Application Support/Claude/claude_desktop_config.json",
        ),
        ("darwin", "vscode", {"HOME": "/h"}, "/h/Library/Application Support/Code/User/mcp.json"),
        ("darwin", "zed", {"HOME": "/h", "XDG_CONFIG_HOME": "/x"}, "/h/.config/zed/settings.json"),
        ("darwin", "codex", {"HOME": "/h"}, "/h/.codex/config.toml"),
        ("linux", "zed", {"HOME": "/h", "XDG_CONFIG_HOME": "/x"}, "/x/zed/settings.json"),
        ("linux", "vscode", {"HOME": "/h", "XDG_CONFIG_HOME": "x"}, "/h/.config/Code/User/mcp.json"),
        ("linux", "claude-code", {"HOME": "/h", "CLAUDE_CONFIG_DIR": "/c"}, "/c/.claude.json"),
        ("win32", "claude-desktop", {"APPDATA": "/a"}, "/a/Claude/claude_desktop_config.json"),
        ("win32", "zed", {"USERPROFILE": "/u"}, "/u/AppData/Roaming/Zed/settings.json"),
        ("win32", "cursor", {"USERPROFILE": "/u", "HOME": "/h"}, "/u/.cursor/mcp.json"),
    ],
)
def test_each_platform_has_its_places(platform: str, client: str, environment: dict[str, str], path: str) -> None:
    assert user_file(CLIENTS[client], platform, environment) == path


def test_without_any_folder_nobody_knows() -> None:
    with pytest.raises(NoHomeError):
        user_file(CLIENTS["gemini"], "linux", {})
