"""`suture doctor`: real problems, each reported on a line with what to do."""

import fcntl
import json
import os
import shutil
import sqlite3
import sys
import tomllib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

import suture
from suture.cli import doctor, main
from suture.cli import doctor as command
from suture.cli.doctor import PACKAGES, Finding
from suture.cli.output import in_bytes
from suture.files.local_fs import LocalFS
from suture.files.state import state_folder
from suture.settings import Settings
from suture.testing import FaultyFS, Stopped
from suture.workspace import Workspace


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a file, and a separate home."""
    for name in ("home", "project", "bin"):
        (tmp_path / name).mkdir()
    program = tmp_path / "bin" / "suture"
    program.write_text(f"#!{sys.executable}\n")
    program.chmod(0o755)
    (tmp_path / "project" / "a.txt").write_text("a\n")
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("state", "config"):
        monkeypatch.setenv(f"XDG_{name.upper()}_HOME", str(tmp_path / name))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.chdir(tmp_path / "project")
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")}


def run_doctor(capfd: pytest.CaptureFixture[str], *words: str, code: int = 0) -> list[dict[str, str]]:
    """Every finding, from JSON."""
    assert main(["doctor", "--json", *words]) == code
    report: dict[str, Any] = json.loads(capfd.readouterr().out)
    assert [report["version"], report["ok"]] == [suture.__version__, code == 0]
    checks: list[dict[str, str]] = report["checks"]
    return checks


def findings_not_ok(checks: list[dict[str, str]], *names: str) -> list[tuple[str, ...]]:
    """The findings of these names that are not ok."""
    keys = ("state", "name", "found", "advice")
    return [tuple(check[key] for key in keys) for check in checks if check["name"] in names and check["state"] != "ok"]


def shelf(world: Path) -> Path:
    return world / "state" / "suture" / ".suture-history"


def land_change(root: Path) -> Path:
    """Land a change; returns its database."""
    workspace = Workspace(root)
    with workspace.transaction() as tx:
        tx.write("a.txt", "b\n")
    workspace.close()
    return next(Path(state_folder()).rglob("*.db"))


@pytest.mark.promise("cli.doctor")
def test_where_all_is_well_every_check_has_a_line(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    database = land_change(world / "project")
    before = files(world)
    assert main(["doctor"]) == 0
    out, err = capfd.readouterr()
    assert (files(world), err) == (before, "")
    lines = [line for line in out.splitlines() if "free space: " not in line and "file system: " not in line]
    assert lines[lines.index("State folder") :] == [
        "State folder",
        f"  ok       folder: {shelf(world)}",
        "  ok       owner: you",
        "  ok       permissions: 0700",
        f"  ok       history: 1 change, 0 checkpoints; {in_bytes(database.stat().st_size)} of at most 500.0 MB",
        f"  ok       database: {database} is not damaged",
        "Workspace",
        "  ok       chosen: the nearest folder with a history, from the current one upwards",
        f"  ok       root: {world}/project",
        "  ok       writing: files can be created and changed",
        "  ok       lock: free",
        "  ok       transaction: none was interrupted",
        "  ok       configuration: none: each file gets the checks for its type",
        "Agents",
        "  note     settings: no agent is configured to start suture",
        "           To add it to one: suture init",
        "",
        lines[-1],
    ]
    assert lines[:4] == [
        "Installation",
        f"  ok       suture: {suture.__version__}, in {Path(suture.__file__).parent}",
        f"  ok       python: {'.'.join(map(str, sys.version_info[:3]))}, {sys.executable}",
        f"  ok       on PATH: {world}/bin/suture",
    ]
    assert lines[-1].startswith("No problems found; ")
    checks = run_doctor(capfd)
    assert list(dict.fromkeys(check["group"] for check in checks)) == list(command.CHECKS)
    others = [check["name"] for check in checks if check["group"] not in {"state folder", "workspace", "agents"}]
    names = ["suture", "python", "on PATH", "packages", "mcp", "models", "lint", "syntax", "system"]
    assert others == names, "give the check its line above, or in the other groups its name here"
    assert {tuple(check) for check in checks} == {("group", "name", "state", "found", "advice")}


def test_a_history_is_that_of_the_root(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    land_change(world / "project")
    (world / "other").mkdir()
    for root, code, expected in (("other", 0, ["nothing is recorded yet"]), ("missing", 1, [])):
        checks = run_doctor(capfd, "--root", str(world / root), code=code)
        assert [check["found"] for check in checks if check["name"] == "history"] == expected


def test_nothing_is_made_where_there_is_nothing_yet(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    before = files(world)
    findings = {check["name"]: check["found"] for check in run_doctor(capfd) if check["group"] == "state folder"}
    assert findings.pop("free space")
    assert findings == {"folder": f"{shelf(world)} (the first change creates it)", "history": "nothing is recorded yet"}
    assert files(world) == before


def replace_root(world: Path) -> None:
    shutil.rmtree(world / "project")
    (world / "project").write_text("")


def open_shelf(world: Path) -> None:
    land_change(world / "project")
    shelf(world).chmod(0o755)


def in_the_way(world: Path) -> None:
    file = land_change(world / "project")
    file.unlink()
    file.mkdir()


Break = Callable[[Path], object]
FOREIGN = (
    "If {intent} came with a clone or a copy, delete it. Otherwise look at .suture/*.old and .suture-*.old first: "
    "these files have the old contents. Then: suture recover --root {project}"
)
BROKEN: dict[str, tuple[Break, str, tuple[str, ...]]] = {
    "a root that is missing": (
        lambda world: shutil.rmtree(world / "project"),
        "workspace",
        ("problem", "root", "{project}: No such file or directory", "Name an existing folder: --root DIR"),
    ),
    "a root that is a file": (
        replace_root,
        "workspace",
        ("problem", "root", "{project}: Not a directory", "Name an existing folder: --root DIR"),
    ),
    "a state folder in a file": (
        lambda world: (world / "state").write_text(""),
        "state folder",
        (
            "problem",
            "folder",
            "{state}/suture/.suture-history cannot be created: {state} is not a folder",
            "Move {state} away. Or set the variable XDG_STATE_HOME to another folder.",
        ),
    ),
    "a state folder for everybody": (
        open_shelf,
        "state folder",
        (
            "problem",
            "permissions",
            "0755: other users can access the recorded content of your files",
            "chmod 700 {state}/suture/.suture-history",
        ),
    ),
    "a history that is a folder": (
        in_the_way,
        "state folder",
        (
            "problem",
            "history",
            "its file cannot be used: not a regular file",
            "Check the files in {state}/suture/.suture-history.",
        ),
    ),
    "a configuration that is not TOML": (
        lambda world: (world / "project" / "suture.toml").write_text("[validators\n"),
        "workspace",
        (
            "problem",
            "configuration",
            "suture.toml is not TOML: Expected ']' at the end of a table declaration (at line 1, column 12)",
            doctor._FORMAT_HINT,
        ),
    ),
    "a configuration that says what nobody knows": (
        lambda world: (world / "project" / "pyproject.toml").write_text("[tool.suture]\nvalidators = 1\n"),
        "workspace",
        (
            "problem",
            "configuration",
            "pyproject.toml: validators must be a table of tables",
            doctor._FORMAT_HINT,
        ),
    ),
    "an intent that is a folder": (
        lambda world: (world / "project" / ".suture/intent").mkdir(parents=True),
        "workspace",
        (
            "problem",
            "transaction",
            "cannot be recovered: .suture/intent is not a file",
            FOREIGN.replace("{intent}", ".suture/intent"),
        ),
    ),
    "an intent of an earlier version that is a folder": (
        lambda world: (world / "project" / ".suture-intent").mkdir(),
        "workspace",
        (
            "problem",
            "transaction",
            "cannot be recovered: .suture-intent is not a file",
            FOREIGN.replace("{intent}", ".suture-intent"),
        ),
    ),
}


@pytest.mark.promise("cli.doctor")
@pytest.mark.parametrize("how", BROKEN)
def test_what_is_broken_is_a_problem_with_what_to_do(world: Path, how: str, capfd: pytest.CaptureFixture[str]) -> None:
    harm, group, line = BROKEN[how]
    harm(world)
    before = files(world)
    expected = tuple(part.format(project=world / "project", state=world / "state") for part in line)
    assert findings_not_ok(run_doctor(capfd, "--root", str(world / "project"), code=1), expected[1]) == [expected]
    assert main(["doctor", "--quiet", "--root", str(world / "project")]) == 1
    assert capfd.readouterr() == ("", f"PROBLEM: {group}: {expected[1]}: {expected[2]}\n{expected[3]}\n")
    assert main(["doctor", "--root", str(world / "project")]) == 1
    out = capfd.readouterr().out
    assert f"  problem  {expected[1]}: {expected[2]}\n           {expected[3]}\n" in out
    summary = out.splitlines()[-1]
    assert (summary[:14], summary.partition(" found; ")[2]) == ("1 problem and ", "what to do is below each.")
    assert files(world) == before


def test_an_interrupted_transaction_waits_for_recover(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    root = world / "project"
    stopping = FaultyFS(LocalFS(), stop_at=1, only={"rename"})
    tx = Workspace(root, fs=stopping).transaction()
    tx.write("a.txt", "changed")
    with pytest.raises(Stopped), tx:
        pass
    stopping.abandon()
    advice = f"suture recover --root {root} (rolls it back)"
    assert findings_not_ok(run_doctor(capfd, code=1), "transaction") == [
        ("problem", "transaction", "a change of a.txt was interrupted", advice)
    ]
    handle = os.open(root, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        (under_way,) = findings_not_ok(run_doctor(capfd), "lock", "transaction")  # the transaction is under way
    finally:
        os.close(handle)
    assert [under_way[:2], under_way[3]] == [("note", "lock"), "Wait until it is done."]
    assert under_way[2] == "held by another process, which is editing" or under_way[2].startswith(
        f"held by process {os.getpid()} ("
    )
    (root / ".suture/intent").write_bytes(b"suture-intent 1 op")
    finding = ("problem", "transaction", "a change was interrupted", advice)
    assert findings_not_ok(run_doctor(capfd, code=1), "transaction") == [finding]
    assert main(["recover"]) == 0


@pytest.mark.parametrize(
    ("table", "name", "message"),
    [("sqlite_schema", "history", "it is damaged: file is not a database"), ("file_path", "database", " is damaged: ")],
)
def test_a_damaged_history_is_a_problem(
    world: Path, table: str, name: str, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    file = land_change(world / "project")
    database = sqlite3.connect(file)
    pages = {"sqlite_schema": 1, **dict(database.execute("SELECT name, rootpage FROM sqlite_master").fetchall())}
    (size,) = database.execute("PRAGMA page_size").fetchone()
    database.close()
    raw = bytearray(file.read_bytes())
    raw[(pages[table] - 1) * size : pages[table] * size] = b"\xff" * size
    file.write_bytes(raw)
    before = files(world)
    (line,) = findings_not_ok(run_doctor(capfd, code=1), "history", "database", "records")
    assert [line[0], line[1], line[3]] == ["problem", name, doctor._NEW_HISTORY]
    assert message in line[2]
    assert files(world) == before


def test_a_damaged_change_is_a_problem(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = land_change(world / "project")
    with closing(sqlite3.connect(file)) as database:
        database.execute("UPDATE change SET summary = 'other'")
        database.commit()
    (line,) = findings_not_ok(run_doctor(capfd, code=1), "history", "database", "records")
    assert line[:2] == ("problem", "records")
    assert " damaged, such as " in line[2]


def test_a_history_that_was_being_written_is_left_as_it_is(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    file = land_change(world / "project")
    database = sqlite3.connect(file, isolation_level=None)
    database.execute("PRAGMA cache_size = 1")
    database.execute("BEGIN")
    for number in range(20):  # more than is held in memory
        database.execute("INSERT INTO snapshot VALUES (?, ?, 0)", (f"{number:4000}", f"{number:4000}"))
    files = {path: path.read_bytes() for path in shelf(world).iterdir()}
    database.close()
    for path, content in files.items():
        path.write_bytes(content)
    assert len(files) == 2
    assert findings_not_ok(run_doctor(capfd), "history", "database", "records") == [
        (
            "note",
            "history",
            "a program was interrupted while it wrote the history",
            "Nothing to do: the next change, or suture log, rolls that back.",
        )
    ]
    assert {path: path.read_bytes() for path in shelf(world).iterdir()} == files


def test_a_history_that_someone_has_locked_is_reported(
    world: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor, "_TIMEOUT_MS", 0)
    database = sqlite3.connect(land_change(world / "project"), isolation_level=None)
    database.execute("BEGIN EXCLUSIVE")
    (line,) = findings_not_ok(run_doctor(capfd), "history", "database", "records")
    database.close()
    assert line[:3] == ("note", "history", "another program has locked it")


def test_changes_that_wait_are_reported_and_not_taken_in(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    workspace = Workspace(world / "project", Settings(durability="fast"))
    for text in ("b", "c", "d"):
        with workspace.transaction() as tx:
            tx.write("a.txt", text)
    before = files(world)
    (line,) = findings_not_ok(run_doctor(capfd), "history", "waiting")
    assert line[:3] == ("note", "waiting", "2 changes waiting to be recorded")
    assert files(world) == before
    assert main(["completion", "bash", "--line=suture show "]) == 0
    assert len(capfd.readouterr().out.splitlines()) == 3
    workspace.close()


def test_a_large_history_is_read_for_a_while_only(
    world: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = land_change(world / "project")
    monkeypatch.setattr(doctor, "_SQLITE_SECONDS", -1)
    monkeypatch.setattr(doctor, "_SQLITE_STEPS", 1)
    checks = {check["name"]: check["found"] for check in run_doctor(capfd) if check["group"] == "state folder"}
    assert checks["database"] == f"{file}: no damage found in -1 s"


def test_a_root_that_can_only_be_read_is_a_problem(
    world: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = world / "project"
    root.chmod(0o444)
    if os.access(root, os.W_OK):  # root may write whatever the mode is
        monkeypatch.setattr(os, "access", lambda path, mode: str(path) != str(root) or mode == os.F_OK)
    findings = findings_not_ok(run_doctor(capfd, "--root", str(root), code=1), "root", "reading", "writing")
    root.chmod(0o755)
    assert findings == [
        ("problem", "reading", "you cannot read the folder", f"chmod u+rx {root}"),
        ("problem", "writing", "no edit can land: you cannot write to the folder", f"chmod u+w {root}"),
    ]


def test_a_state_folder_of_another_user_is_a_problem(
    world: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    land_change(world / "project")
    user = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: user + 1)
    monkeypatch.setattr(os, "access", lambda path, _: str(path) != str(shelf(world)))
    place = shelf(world)
    assert findings_not_ok(run_doctor(capfd, code=1), "folder", "owner") == [
        (
            "problem",
            "folder",
            f"{place} is not writable",
            f"chmod u+wx {place}. Or set the variable XDG_STATE_HOME to another folder.",
        ),
        (
            "problem",
            "owner",
            f"{place} belongs to user {user}, not to you ({user + 1})",
            f"sudo chown -R {user + 1} {place}",
        ),
    ]


@pytest.mark.parametrize(
    ("blocks", "level", "room"),
    [(0, "problem", "0 bytes"), (1, "problem", "1.0 kB"), (100_000, "note", "100.0 MB"), (10**9, "ok", "1000.0 GB")],
)
def test_little_room_is_reported(
    world: Path, blocks: int, level: str, room: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=blocks, f_frsize=1000))
    finding = doctor.free_space(str(world))
    assert (finding.state, finding.found) == (level, f"{room} on the disk of {world}")


@pytest.mark.parametrize(
    ("root", "what"), [("/", "the whole disk"), ("home", "your home folder"), (".", "everything in it")]
)
def test_a_very_broad_root_is_reported(world: Path, root: str, what: str) -> None:
    place = str(world) if root == "." else root if root == "/" else str(world / root)
    finding = next(doctor.workspace_folder(place))
    assert finding == Finding(
        "root", "note", f"{place} is very broad: an agent can edit {what}", "Name the project's folder: --root DIR"
    )


def test_programs_of_checks_are_looked_for(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (world / "project" / "suture.toml").write_text(
        '[validators.own]\nfiles = ["*.x"]\ncommand = ["suture", "{file}"]\n'
        '[validators.gone]\nfiles = ["*.x"]\nrequired = true\ncommand = ["no-such-program"]\n'
        '[validators.absent]\nfiles = ["*.x"]\ncommand = ["no-such-program"]\n'
        "[validators.off]\nenabled = false\n"
        '[validators.yaml]\nseverity = "warning"\n'
        "[validators.misspelled]\nrequired = true\n"
    )
    install = "Install no-such-program, or set: enabled = false"
    asks = f"{world}/bin/suture is not run, because only the project asks for it"
    trust = "If you trust the project: --allow-commands, or `trust` in your own suture.toml."
    expected = [
        ("note", "validators.own", asks, trust),
        ("problem", "validators.gone", "no-such-program is not installed", install),
        ("note", "validators.absent", "no-such-program is not installed", install),
        (
            "problem",
            "validators.misspelled",
            "no check has this name, and no command is configured for it",
            doctor._FORMAT_HINT,
        ),
    ]
    names = [line[1] for line in expected]
    assert findings_not_ok(run_doctor(capfd, code=1), *names, "validators.off", "validators.yaml") == expected
    configuration = world / "config" / "suture" / "suture.toml"
    configuration.parent.mkdir(parents=True)
    configuration.write_text(f'trust = ["{world}/project"]\n[validators.mypy]\nenabled = true\n')
    checks = run_doctor(capfd, code=1)
    assert findings_not_ok(checks, *names) == expected[1:]
    findings = {check["name"]: check["found"] for check in checks}
    assert findings["configuration"] == f"suture.toml, {configuration}"
    assert findings["validators.own"] == f"{world}/bin/suture"


MOUNTS = """\
22 1 8:1 / / rw - ext4 /dev/sda1 rw
23 22 0:30 / {folder} rw - {kind} server:/x rw
24 22 0:31 / /elsewhere rw - nfs server:/y rw
"""


@pytest.mark.parametrize(
    ("kind", "state", "message"),
    [
        ("nfs4", "note", "nfs4, perhaps shared with other machines"),
        ("fuse.sshfs", "note", "fuse.sshfs, perhaps shared with other machines"),
        ("xfs", "ok", "xfs"),
    ],
)
def test_a_network_disk_is_reported(
    world: Path, kind: str, state: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = world / "mountinfo"
    table.write_text(MOUNTS.format(folder=world, kind=kind))
    monkeypatch.setattr(doctor, "_MOUNTS", str(table))
    (finding,) = doctor._file_system(str(world / "project"))
    assert (finding.state, finding.found) == (state, message)
    table.unlink()
    assert [*doctor._file_system(str(world))] == []


def test_a_file_system_without_locks_is_reported(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(37, "No locks available")

    monkeypatch.setattr(fcntl, "flock", fail)
    first, second = doctor.transaction(str(world / "project"))
    assert (first.state, first.found) == ("note", "this file system cannot lock folders")
    assert second.state == "ok"


@pytest.mark.parametrize(
    ("settings", "line"),
    [
        (
            {"suture": {"command": "{world}/bin/suture", "args": ["mcp", "--root", "{world}/project"]}},
            ("ok", "{file} starts {world}/bin/suture for {world}/project", ""),
        ),
        (
            {"mine": {"command": "{world}/gone/suture", "args": ["mcp"]}},
            (
                "problem",
                "{file} starts {world}/gone/suture, which does not exist",
                "suture init claude-code --scope project --write --force --name mine --root {world}/project",
            ),
        ),
        (
            {"x": {"command": sys.executable, "args": ["-P", "-m", "suture", "mcp", "--root", "/no/such"]}},
            (
                "problem",
                "{file} serves /no/such, which is not a folder",
                "suture init claude-code --scope project --write --force --name x --root {world}/project",
            ),
        ),
        (
            {"suture": {"command": "{world}/bin/suture", "args": ["mcp", "--root", "${workspaceFolder}"]}},
            ("ok", "{file} starts {world}/bin/suture", ""),
        ),
        (
            {"suture": {"url": "http://localhost"}},
            (
                "note",
                "{file} has suture, but not as suture init writes it",
                "Nothing to do if it works; suture cannot tell what it starts.",
            ),
        ),
        (
            {"other": {"command": "x"}, "odd": 1},
            ("note", "no agent is configured to start suture", "To add it to one: suture init"),
        ),
        (
            [],
            (
                "note",
                "{file} cannot be read: mcpServers in it is not an object",
                "Fix it, or the agent cannot start its servers.",
            ),
        ),
    ],
)
def test_what_agents_start_is_looked_for(
    world: Path, settings: object, line: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    file = world / "project" / ".mcp.json"
    file.write_text(json.dumps({"mcpServers": settings}).replace("{world}", str(world)))
    findings = [check for check in run_doctor(capfd, code=int(line[0] == "problem")) if check["group"] == "agents"]
    expected = tuple(part.format(world=world, file=file) for part in line)
    assert [(check["state"], check["found"], check["advice"]) for check in findings] == [expected]


def test_entries_for_this_project_in_the_user_s_settings_are_looked_for(
    world: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    gone = {"suture": {"command": f"{world}/bin/suture", "args": ["mcp", "--root", "/no/such"]}}
    projects = {f"{world}/project": {"mcpServers": gone}, "/other": {"mcpServers": {"suture": {"command": "x"}}}}
    (world / "home" / ".claude.json").write_text(json.dumps({"projects": projects}))
    (finding,) = (check for check in run_doctor(capfd, code=1) if check["group"] == "agents")
    assert finding["advice"] == "suture init claude-code --scope local --write --force --name suture"


def test_settings_are_not_looked_for_where_there_is_no_home(
    world: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOME", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name)
    assert world.exists()
    assert findings_not_ok(run_doctor(capfd), "settings")[0][2] == "no agent is configured to start suture"


def test_what_is_missing_of_the_installation_is_reported(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("regex", "tree_sitter_go", "mcp"):
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setattr("suture.check.programs.program", lambda *_: None)
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    root = str(world / "project")
    first, second = doctor.packages(root)
    assert (first.state, first.advice) == ("problem", "Reinstall it: pip install --force-reinstall regex")
    assert first.found.startswith("regex cannot be imported: ModuleNotFoundError: ")
    assert second.found.count(",") == len(PACKAGES) - 2
    extras = {check.name: check for check in doctor.extras(root)}
    assert {name: check.advice for name, check in extras.items()} == {
        name: f"pip install 'suture[{name}]'" for name in ("mcp", "models", "lint", "syntax")
    }
    assert {check.state for check in extras.values()} == {"note"}
    assert "tree-sitter-go" in extras["syntax"].found or "are missing;" in extras["syntax"].found
    assert doctor._version("no-such-distribution") == "(unknown version)"


def test_the_packages_are_those_of_the_project() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())["project"]
    assert [dependency.partition(">")[0] for dependency in project["dependencies"]] == list(PACKAGES)


@pytest.mark.parametrize(
    ("script", "running", "state"),
    [
        ("#!/another/python\n", "{world}/bin/suture", "ok"),
        (f"#!{sys.executable}\n", "pytest", "ok"),
        ("#!/another/python\n", "pytest", "note"),
        ("\0", "pytest", "note"),
        (None, "pytest", "note"),
    ],
)
def test_another_suture_on_the_path_is_reported(
    world: Path, script: str | None, running: str, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [running.format(world=world)])
    if script is None:
        monkeypatch.setenv("PATH", "")
    else:
        (world / "bin" / "suture").write_text(script)
    assert doctor._on_path().state == state


@pytest.mark.promise("confine.no-code")
def test_programs_in_the_workspace_are_reported(
    world: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = world / "project" / "tools"
    tools.mkdir()
    for name in ("ruff", "own"):
        (tools / name).write_text("#!/bin/sh\n")
        (tools / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tools))
    monkeypatch.setattr(sys, "executable", str(tools / "python"))
    (world / "config" / "suture").mkdir(parents=True)
    operator = world / "config" / "suture" / "suture.toml"
    operator.write_text(
        f"[validators.own]\nfiles = ['*']\ncommand = ['own']\n[validators.path]\nfiles = ['*']\n"
        f"command = ['{tools}/own']\n"
    )
    findings = [
        check for check in run_doctor(capfd) if "is in the workspace, where an agent can change it" in check["found"]
    ]
    assert [check["name"] for check in findings] == ["lint", "validators.own", "validators.path"]
    operator.write_text(
        operator.read_text().replace("[validators.own]", f"trust = ['{world}/project']\n[validators.own]")
    )
    assert [check["name"] for check in run_doctor(capfd) if "is in the workspace" in check["found"]] == ["lint"]


def test_other_systems_and_old_versions_are_reported(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "freebsd14")
    monkeypatch.setattr(sys, "getfilesystemencoding", lambda: "ascii")
    system, names = doctor.platform(str(world))
    assert (system.state, system.advice) == ("note", "suture is tested on Linux, and should work on macOS.")
    assert names == Finding(
        "file names", "note", "the locale makes Python decode them as ascii", "Set LANG to C.UTF-8."
    )
    monkeypatch.setattr(doctor, "_OLDEST", (99, 0))
    old = [*doctor.program(str(world))][1]
    assert (old.state, old.advice) == ("problem", "Install suture with Python 99.0 or newer.")


@pytest.mark.promise("cli.doctor")
def test_a_check_that_fails_or_hangs_is_a_problem_and_the_others_go_on(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = Event()

    def failing(_: str) -> Any:
        yield Finding("first", "ok", "seen \x1b[31m")
        raise ZeroDivisionError

    def hanging(_: str) -> Any:
        yield Finding("second", "ok", "seen")
        ends.wait()

    monkeypatch.setattr(command, "CHECKS", {"one": (failing, hanging), "two": (lambda _: iter(()),)})
    monkeypatch.setattr(command, "_CHECK_SECONDS", 0.05)
    assert main(["doctor"]) == 1
    ends.set()
    assert capfd.readouterr().out == (
        "One\n"
        "  ok       first: seen \\x1b[31m\n"
        "  problem  failing: could not be checked: ZeroDivisionError: \n"
        "           If you see no cause for it, report it as a bug in suture.\n"
        "  ok       second: seen\n"
        "  problem  hanging: no answer within 0.05 s\n"
        "           Is the disk still connected?\n"
        "\n"
        "2 problems found; what to do is below each.\n"
    )


def test_signs_have_colors_on_a_terminal(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(command, "CHECKS", {"one": (lambda _: iter([Finding("a", "ok", "b")]),)})
    assert main(["doctor"]) == 0
    assert capfd.readouterr().out == "\x1b[1mOne\x1b[0m\n  \x1b[32mok     \x1b[0m  a: b\n\nNo problems found.\n"
    assert main(["doctor", "--quiet"]) == 0
    assert capfd.readouterr() == ("", "")


@pytest.mark.promise("atomic.strays")
def test_files_that_a_power_cut_left_are_a_problem(world: Path, capfd: pytest.CaptureFixture[str]) -> None:
    project = world / "project"
    names = [f".suture/537q7a6j43e1zsy-{project.stat().st_ino:x}-{number}.new" for number in range(2)]
    names += [f".suture-537q7a6j43e1zsy-{project.stat().st_ino:x}-{number}.new" for number in range(2)]
    (project / ".suture").mkdir(mode=0o700)
    for name in names:
        (project / name).write_bytes(b"")
    message = f"a power cut left {', '.join(names[:3])} and more"
    expected = ("problem", "transaction", message, f"suture recover --root {project}")
    assert findings_not_ok(run_doctor(capfd, "--root", str(project), code=1), "transaction") == [expected]
    assert {*names} <= {str(path.relative_to(project)) for path in project.rglob("*")}
