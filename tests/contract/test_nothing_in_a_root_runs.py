"""Every way in which a file of a root could be run or imported, tried with real processes.

Planted code writes its name into a file outside the workspace, the canary, when it runs. Each surface (the program,
`python -m suture`, the MCP server, the library) makes calls that need every program, plugin, grammar and module, and
the canary must stay empty.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Sequence
from pathlib import Path

import pytest

import suture

PROGRAMS = ("ruff", "mypy", "pylint", "git", "rg", "python3", "own-check", "helper", "env", "node", "sh")
SHADOWED = """
    _yaml ahocorasick_rs argcomplete cffi orjson rapidfuzz re2 regex tomli tree_sitter tree_sitter_go yaml zstandard
""".split()
BEFORE_SUTURE = {"__future__", "sitecustomize", "usercustomize"}
"""Modules that Python imports before the first line of suture runs."""
LARGE = "".join(f"key{number}: value\n" for number in range(20_000))
FILES = {
    "a.py": "import os\nprint(nothing)\n",
    "b.yaml": "a: 1\n",
    "c.toml": "a = 1\n",
    "d.go": "package main\n",
    "e.json": "{}\n",
    "f.xml": "<a/>\n",
    "large.yaml": LARGE,
}
CALLS: list[tuple[str, dict[str, object]]] = [
    ("safe_edit", {"path": "a.py", "content": "import os\nprint(nothing, 1)\n", "mode": "interactive"}),
    ("safe_edit", {"path": "b.yaml", "content": "a: 2\n"}),
    ("safe_edit", {"path": "c.toml", "content": "a = 2\n"}),
    ("safe_edit", {"path": "d.go", "content": "package other\n"}),
    ("safe_edit", {"path": "f.xml", "content": "<b/>\n"}),
    ("safe_edit", {"path": "large.yaml", "content": LARGE + "more: 1\n"}),
    ("regex_search_multi", {"path_pattern": "*.go", "pattern": "(?<=p)ackage"}),
    ("apply_reply", {"reply": "--- a/e.json\n+++ b/e.json\n@@ -1 +1 @@\n-{}\n+[]\n", "validate": "strict"}),
    ("undo", {}),
]


class Project:
    """A workspace with planted files; suture is installed in its own environment, or in one outside."""

    def __init__(self, folder: Path, *, inside: bool) -> None:
        self.root, self.extra, self.outside = folder / "project", folder / "extra", folder / "outside"
        self.canary = folder / "canary"
        for path in (self.root, self.extra, self.outside):
            path.mkdir()
        for name, text in FILES.items():
            (self.root / name).write_text(text)
        environment = (self.root if inside else self.outside) / ".venv"
        venv.create(environment, symlinks=True)
        self.bin = environment / "bin"
        self.site = Path(sysconfig.get_path("purelib", "venv", vars={"base": str(environment)}))
        package = Path(suture.__file__).parent
        shutil.copytree(package, self.site / "suture")
        (self.site / "packages.pth").write_text(f"{sysconfig.get_path('purelib')}\n")  # what suture needs
        self.write(
            self.bin / "suture", f"#!{self.bin}/python\nimport sys\nfrom suture.cli import main\nsys.exit(main())\n"
        )
        self.path = [self.bin, self.root / "tools", "relative", "/usr/bin", "/bin"]

    def write(self, path: Path, text: str, mode: int = 0o755) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)  # never through a link
        path.write_text(text)
        path.chmod(mode)
        return path

    def plant_programs(self, folder: Path) -> None:
        """Programs that write to the canary when they run."""
        for name in PROGRAMS:
            self.write(folder / name, f"#!/bin/sh\necho program {folder / name} >> {self.canary}\n")

    def plant_module(self, path: Path, more: str = "") -> None:
        """A module that writes to the canary when it is imported."""
        self.write(path, f"open({str(self.canary)!r}, 'a').write('module {path.name}\\n')\n{more}", 0o644)

    def plant_modules(self, folder: Path) -> None:
        """Modules with the names of everything that suture, or a dependency, may import."""
        for name in {*SHADOWED, *sys.stdlib_module_names} - BEFORE_SUTURE - _STARTUP_MODULES:
            self.plant_module(folder / f"{name}.py")

    def plant_plugin(self, folder: Path, name: str, module: str | None = None) -> None:
        """A package with an entry point for a check, and its module."""
        self.write(
            folder / f"{name}-1.0.dist-info" / "entry_points.txt", f"[suture.validators]\n{name} = {module or name}\n"
        )
        if module is None:
            self.plant_module(folder / f"{name}.py")

    def run(
        self, words: Sequence[str], *, stdin: str = "", folder: str = "", **environment: str
    ) -> subprocess.CompletedProcess[str]:
        variables = {"PATH": os.pathsep.join(map(str, self.path)), "HOME": str(self.outside), "LANG": "C.UTF-8"}
        return subprocess.run(
            list(words),
            cwd=self.root / folder,
            env=variables | environment,
            input=stdin,
            capture_output=True,
            text=True,
            check=False,
        )

    @property
    def runs(self) -> list[str]:
        """What ran."""
        return sorted(set(self.canary.read_text().splitlines())) if self.canary.exists() else []


def _startup_modules() -> set[str]:
    """The modules that any Python, also with `python -m`, imports before the first line of a program."""
    code = "import runpy, importlib.util, sys; print(*sys.modules)"
    process = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, text=True, check=True)
    return set(process.stdout.split())


_STARTUP_MODULES = _startup_modules()


def reason_not_run(printed: str, validator: str) -> str:
    """Why a check was not run, from `suture check --json`."""
    reasons = [entry["reason"] for entry in json.loads(printed)["not_run"] if entry["validator"] == validator]
    assert reasons, printed
    reason: str = reasons[0]
    return reason


def script(calls: Sequence[tuple[str, dict[str, object]]]) -> str:
    """Python code that makes calls and prints the result of each."""
    statement = "result = ws.call(name, given); print(name, result.is_error, result.text[:300])"
    return f"for name, given in {list(calls)!r}: {statement}\n"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path, inside=True)


SURFACES = {"program": ["{bin}/suture"], "module": ["{bin}/python", "-m", "suture"]}


@pytest.mark.promise("confine.no-code")
@pytest.mark.parametrize("surface", SURFACES)
def test_checks_and_edits_run_and_import_nothing_of_the_workspace(project: Project, surface: str) -> None:
    project.plant_programs(project.root / ".venv" / "bin")
    project.plant_programs(project.root / "tools")
    project.plant_modules(project.root)
    project.plant_plugin(project.root, "evil_here")
    project.plant_plugin(project.root / "src", "evil_in_src")
    project.plant_plugin(project.site, "evil_editable", "evil_in_src:Check")  # its module is in the workspace
    (project.site / "editable.pth").write_text(f"{project.root / 'src'}\n")
    program = [word.format(bin=project.bin) for word in SURFACES[surface]]
    result = project.run([*program, "check", "--json"])
    assert project.runs == []
    assert ".venv/bin/ruff is not run, because it is in the workspace" in reason_not_run(result.stdout, "ruff")
    assert "editable" in reason_not_run(result.stdout, "evil_editable")
    for name, arguments in CALLS[-3:]:  # the check has already seen every kind of file
        answer = project.run([*program, "call", name, "-"], stdin=json.dumps(arguments))
        assert not json.loads(answer.stdout)["isError"], answer.stdout
    completion = project.run([*program, "completion", "bash", "--line=suture redo "])
    assert completion.stdout.strip().isalnum(), completion.stdout + completion.stderr
    assert project.runs == []


@pytest.mark.promise("confine.no-code")
@pytest.mark.parametrize("known", [False, True], ids=["git", "known"])
def test_nothing_is_imported_from_a_root_that_is_found_above(project: Project, *, known: bool) -> None:
    """The folder on PYTHONPATH is below the root, and not below the current folder."""
    project.plant_modules(project.root / "lib")
    project.write(project.root / "src" / "a.json", "{}\n", 0o644)
    environment = {"PYTHONPATH": str(project.root / "lib"), "XDG_STATE_HOME": str(project.outside / "state")}
    program = str(project.bin / "suture")
    if known:
        state = environment["XDG_STATE_HOME"]
        project.run([program, "call", "write", '{"file_path": "known", "content": "x"}'], XDG_STATE_HOME=state)
    else:
        (project.root / ".git").mkdir()
    for words in (["call", "file_read", '{"path": "src/a.json"}'], ["edit", "a.json", "--old", "{}", "--new", "[]"]):
        result = project.run([program, *words], folder="src", **environment)
        assert (result.returncode, project.runs) == (0, []), result.stderr
    assert (project.root / "src/a.json").read_text() == "[]\n"


@pytest.mark.promise("confine.no-code")
def test_a_library_call_imports_nothing_that_was_written_since_the_program_began(project: Project) -> None:
    project.plant_programs(project.root / "tools")
    project.plant_modules(project.outside / "modules")
    project.plant_plugin(project.outside / "modules", "evil")
    project.write(
        project.root / "agent.py",
        "from shutil import copytree\nfrom suture import Workspace\nws = Workspace('.')\n"
        f"copytree({str(project.outside / 'modules')!r}, '.', dirs_exist_ok=True)\n{script(CALLS)}",
    )
    result = project.run([f"{project.bin}/python", "agent.py"])
    assert (result.returncode, result.stdout.count(" False ")) == (0, len(CALLS)), result.stdout + result.stderr
    assert project.runs == []


@pytest.mark.promise("confine.no-code")
@pytest.mark.parametrize("when", ["loaded", "checks"])
def test_a_plugin_from_outside_imports_nothing_of_the_workspace(tmp_path: Path, when: str) -> None:
    project = Project(tmp_path, inside=False)
    project.plant_module(project.root / "src" / "helping.py")
    (project.site / "editable.pth").write_text(f"{project.root / 'src'}\n")
    project.plant_plugin(project.site, "outsider", "outsider:Check")
    first, later = ("import helping", "pass") if when == "loaded" else ("", "import helping")
    check = f"    def check(self, *given):\n        {later}\n        return []\n"
    project.write(
        project.site / "outsider.py", f"{first}\nclass Check:\n    name, files = 'outsider', ('*',)\n{check}", 0o644
    )
    project.write(
        project.outside / "agent.py",
        f"from suture import Workspace\nws = Workspace({str(project.root)!r})\n"
        "print(ws.call('safe_edit', {'path': 'e.json', 'content': '[]\\n'}).metadata['validation']['not_run'])\n",
    )
    result = project.run([f"{project.bin}/python", str(project.outside / "agent.py")])
    assert project.runs == [], result.stdout
    assert "outsider" in result.stdout, result.stderr
    assert "No module named 'helping'" in result.stdout


@pytest.mark.promise("confine.no-code")
@pytest.mark.parametrize("by_sdk", [False, True], ids=["without the SDK", "by the SDK"])
def test_the_mcp_server_runs_and_imports_nothing_of_the_workspace(
    project: Project,
    by_sdk: bool,  # noqa: FBT001  a case
) -> None:
    project.plant_programs(project.root / "tools")
    project.plant_programs(project.extra / "bin")
    project.path.insert(0, project.extra / "bin")
    project.plant_modules(project.root)
    project.plant_plugin(project.root, "evil_here")
    for name in ("anyio", "httpx", "mcp", "pydantic", "starlette", "uvicorn"):
        project.plant_module(project.root / f"{name}.py")
    about = {"name": "test", "version": "1"}
    parameters = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about}
    envelope = {"protocolVersion": "2026-07-28", "clientInfo": about, "clientCapabilities": {}}
    meta = {"_meta": {f"io.modelcontextprotocol/{key}": value for key, value in envelope.items()}} if by_sdk else {}
    first = ("server/discover", meta) if by_sdk else ("initialize", parameters)
    messages: list[dict[str, object]] = [{"jsonrpc": "2.0", "id": 0, "method": first[0], "params": first[1]}]
    messages += [{"jsonrpc": "2.0", "method": "notifications/initialized"}]
    with subprocess.Popen(
        [f"{project.bin}/python", "-m", "suture", "mcp", "--extra-root", str(project.extra)],
        cwd=project.root,
        env={"PATH": os.pathsep.join(map(str, project.path)), "HOME": str(project.outside)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        for message in messages:
            server.stdin.write(json.dumps(message) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 0
        for number, (name, arguments) in enumerate(CALLS, 1):
            request = {
                "jsonrpc": "2.0",
                "id": number,
                "method": "tools/call",
                "params": {"name": name, "arguments": arguments, **meta},
            }
            server.stdin.write(json.dumps(request) + "\n")
            server.stdin.flush()
            answer = json.loads(server.stdout.readline())
            assert not answer["result"].get("isError"), answer
        server.stdin.close()
    assert project.runs == []


@pytest.mark.promise("confine.no-code")
def test_no_tool_replaces_what_suture_runs_from_though_it_may_be_read(project: Project) -> None:
    project.write(project.root / "run.sh", "#!/bin/sh\n")
    shutil.copy(project.bin / "suture", project.bin / "ruff")
    module = os.path.relpath(project.site / "suture" / "json_text.py", project.root)
    created = "diff --git a/{0} b/{0}\nnew file mode 100755\n--- /dev/null\n+++ b/{0}\n@@ -0,0 +1 @@\n+x\n"
    moved = "diff --git a/run.sh b/{0}\nsimilarity index 100%\nrename from run.sh\nrename to {0}\n"
    calls: list[tuple[str, dict[str, object]]] = [
        ("apply_reply", {"reply": "*** Begin Patch\n*** Delete File: .venv/bin/ruff\n*** End Patch\n"}),
        ("apply_reply", {"reply": created.format(".venv/bin/mypy")}),
        ("apply_reply", {"reply": moved.format(".venv/bin/mypy")}),
        ("safe_edit", {"path": ".venv/bin/ruff", "content": "x\n"}),
        ("safe_edit", {"path": module, "content": "x = 1\n"}),
        ("safe_edit", {"path": ".venv/pyvenv.cfg", "content": "home = .\n", "mode": "interactive"}),
        ("safe_edit", {"path": "src/sitecustomize.py", "content": "x = 1\n"}),
        ("file_edit", {"path": module, "edits": [{"old_text": "import", "new_text": "x"}], "dry_run": True}),
    ]
    project.write(
        project.outside / "agent.py",
        f"from suture import Workspace\nws = Workspace({str(project.root)!r})\n{script(calls)}",
    )
    result = project.run([f"{project.bin}/python", str(project.outside / "agent.py")])
    lines = result.stdout.splitlines()
    answers = [line for line in lines if line.split(" ")[0] in {name for name, _ in calls}]
    assert [line.split(" ")[1] for line in answers] == ["True"] * len(calls), result.stdout + result.stderr
    assert result.stdout.count("protected") >= len(calls)
    assert not (project.bin / "mypy").exists()
    read = project.run([f"{project.bin}/suture", "read", module])
    assert read.returncode == 0
    assert "def " in read.stdout


@pytest.mark.promise("confine.no-code")
def test_an_operators_programs_come_from_outside_with_all_that_they_run_by(tmp_path: Path) -> None:
    project = Project(tmp_path, inside=False)
    project.plant_programs(project.root / "tools")
    project.plant_programs(project.extra / "bin")
    links = project.outside / "links"
    links.mkdir()
    (links / "linked-check").symlink_to(project.root / "tools" / "own-check")
    (project.root / "detour").symlink_to(project.outside / ".venv" / "bin")
    (links / "roundabout-check").symlink_to(project.root / "detour" / "suture")
    project.write(links / "script-check", f"#!{project.root}/tools/helper\n")
    project.write(links / "env-check", "#!/usr/bin/env helper\n")
    project.path[:0] = [links, project.extra / "bin"]
    names = (  # one of them finds no interpreter, and one more is named by its path in the workspace
        "own-check",
        "linked-check",
        "roundabout-check",
        "script-check",
        "env-check",
        f"{project.root}/tools/own-check",
    )
    named = [
        f"[validators.{Path(name).name}{at}]\nfiles = ['*.json']\ncommand = ['{name}', '{{file}}']\n"
        for at, name in enumerate((*names, "tools/own-check"))
    ]
    config = project.write(tmp_path / "operator.toml", "\n".join(["[validators.mypy]", "[validators.pylint]", *named]))
    settings = f"Settings(config={str(config)!r}, extra_roots=({str(project.extra)!r},), project_commands=False)"
    calls: list[tuple[str, dict[str, object]]] = [
        ("safe_edit", {"path": "e.json", "content": "[]\n"}),
        ("safe_edit", {"path": "a.py", "content": "x = 1\n"}),
    ]
    project.write(
        project.outside / "agent.py",
        f"from suture import Settings, Workspace\nws = Workspace({str(project.root)!r}, {settings})\n"
        f"for name, given in {calls!r}:\n    print(ws.call(name, given).metadata['validation']['not_run'])\n",
    )
    result = project.run([f"{project.bin}/python", str(project.outside / "agent.py")])
    assert project.runs == [], result.stdout
    output = result.stdout + result.stderr
    assert output.count("is in the workspace, where an agent can change it") == len(names) + 3, output


@pytest.mark.promise("confine.no-code")
def test_an_operator_who_trusts_the_workspace_gets_its_programs(project: Project) -> None:
    project.plant_programs(project.root / ".venv" / "bin")
    project.run([f"{project.bin}/suture", "check", "a.py", "--allow-commands"])
    assert project.runs == [f"program {project.bin}/ruff"]
