"""What is built is what users install: only the wheel, in an environment with nothing but Python."""

import email.parser
import json
import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
from mcp_types import METHOD_NOT_FOUND

import suture
from suture.cli import COMMANDS
from suture.tools import choose
from tests.interop.mcp_servers import INITIALIZED, hello, request, tool_call

ROOT = Path(__file__).parents[2]
UNREACHABLE = ("NewConnectionError", "NameResolutionError", "ConnectTimeout", "ReadTimeout", "ProxyError")
GREET = "def greet(name):\n    return 'Hello ' + name\n"

STEPS: dict[str, tuple[list[str], int, str]] = {
    "read": (["greet.py", "--end-line", "1"], 0, "     1\tdef greet(name):\n"),
    "search": (["--names", "greet"], 0, "greet.py\n"),
    "extract": ([r"def (\w+)", "greet.py"], 0, "greet\n"),
    "lines": (["^def", "greet.py"], 0, "def greet(name):\n"),
    "split": ([r"\n", "greet.py", "--json"], 0, '{"isError": false'),
    "edit": (["greet.py", "--old-text", "Hello ", "--new-text", "Good day, "], 0, "Edited greet.py (1 replacement)"),
    "patch": (["greet.py", '{"oldText": "Good day", "newText": "Hi"}'], 0, "Patched greet.py (1 patch) as change"),
    "write": (["app.json"], 0, "Wrote app.json as change"),
    "replace": (["name", "person", "--write"], 0, "Made 2 replacements in 1 file as change"),
    "apply": (["reply.md"], 0, "✓ 1 greet.py:1\nApplied 1 block as change"),
    "prompt": ([], 0, "# How to write changes to files\n"),
    "log": (["--json"], 0, '{"isError": false'),
    "show": (["CHANGE"], 0, "CHANGE 20"),
    "undo": ([], 0, "Undid "),
    "redo": ([], 0, "Redid "),
    "checkpoint": (["here"], 0, "Took checkpoint 'here'"),
    "run": (["--", "echo", "hello"], 0, "hello\n"),
    "restore": (["--to", "here"], 0, ""),
    "clipboards": ([], 0, "There are no clipboards.\n"),
    "forget": (["greet.py", "--yes"], 0, "Removed "),
    "recover": ([], 0, "Nothing to recover.\n"),
    "mcp": ([], 0, '{"jsonrpc": "2.0", "id": null, "error": {"code": -32600, '),
    "init": (["cursor"], 0, "Cursor reads its MCP servers from "),
    "tools": ([], 0, "read                 Read\n"),
    "call": (["file_read", '{"path": "greet.py"}'], 0, '{"isError": false'),
    "check": ([], 0, ""),
    "doctor": ([], 0, ""),
    "completion": (["bash"], 0, ""),
}
"""The arguments of each command, its exit code, and how its output begins."""


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", folder], cwd=ROOT, check=True, capture_output=True
    )
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    (path,) = dist.glob("*.whl")
    return path


@pytest.mark.promise("project.package")
def test_the_wheel_holds_every_module_and_says_what_the_project_says(wheel: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    modules = {str(path.relative_to(ROOT / "src")) for path in (ROOT / "src").rglob("*.py")}
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        (about,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        metadata = email.parser.Parser().parsestr(archive.read(about).decode())
        entry = archive.read(about.replace("METADATA", "entry_points.txt")).decode()
    inside = {name for name in names if ".dist-info/" not in name}
    assert inside == modules | {"suture/py.typed"}
    assert about.replace("METADATA", "licenses/LICENSE") in names
    assert entry == "[console_scripts]\nsuture = suture.cli:main\n"
    assert (metadata["Name"], metadata["Version"], metadata["Requires-Python"]) == (
        "suture",
        suture.__version__,
        ">=3.11",
    )
    assert metadata.get_all("Provides-Extra") == sorted(project["optional-dependencies"])


@pytest.mark.promise("project.package")
def test_the_source_distribution_can_be_tested(dist: Path) -> None:
    (path,) = dist.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    missing = {name for name in listing.split("\0") if name and (ROOT / name).is_file()} - names
    assert missing == set()
    assert {name.partition("/")[0] for name in names} & {".venv", "dist", ".git"} == set()


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with only the wheel and its requirements."""
    folder = tmp_path_factory.mktemp("clean") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(folder / "bin" / "python"),
        "install",
        "--quiet",
        "--no-compile",
    ]
    command = [*pip, "--constraint", "constraints.txt", str(wheel)]
    process = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if process.returncode and any(sign in process.stderr for sign in UNREACHABLE):
        pytest.skip(f"pip cannot reach a registry: {process.stderr.splitlines()[-1]}")
    assert process.returncode == 0, process.stderr
    return folder / "bin"


@pytest.fixture
def environment(programs: Path, tmp_path: Path) -> dict[str, str]:
    unset = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    variables = {name: value for name, value in os.environ.items() if name not in unset and not name.startswith("COV")}
    home = {
        "HOME": str(tmp_path / "home"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "PATH": f"{programs}:/usr/bin:/bin",
    }
    (tmp_path / "home").mkdir()
    return variables | home


def test_the_steps_are_all_commands() -> None:
    assert list(STEPS) == list(COMMANDS), "add the command to STEPS, in the order of `suture --help`"


@pytest.mark.promise("project.package")
def test_every_command_works_without_extras_or_names_the_one_that_it_needs(
    programs: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (root / "greet.py").write_text(GREET)
    (root / "reply.md").write_text(
        "greet.py\n<<<<<<< SEARCH\ndef greet(person):\n=======\ndef welcome(person):\n>>>>>>> REPLACE\n"
    )

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [programs / "suture", *words],
            cwd=root,
            env=environment,
            input='{"a": 1}\n',
            capture_output=True,
            text=True,
            check=False,
        )

    change = ""
    for name, (words, code, begins) in STEPS.items():
        process = run(name, *(change if word == "CHANGE" else word for word in words))
        output = process.stdout if code == 0 else process.stderr
        if name == "log":
            change = json.loads(process.stdout)["metadata"]["changes"][0]["change_id"]
        expected = begins.replace("CHANGE", change)
        assert (name, process.returncode, output[: len(expected)]) == (name, code, expected), process.stderr
        assert "Traceback" not in process.stderr


@pytest.mark.promise("project.package")
def test_what_is_missing_is_reported_with_the_extra_that_provides_it(
    programs: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "app.js").write_text("let a = 1;\n")
    (tmp_path / "app.py").write_text("a = 1\n")
    command = [str(programs / "suture"), "check", "--root", str(tmp_path), "app.js", "app.py"]
    errors = subprocess.run(command, env=environment, capture_output=True, text=True, check=False).stderr
    assert "pip install 'suture[syntax]'" in errors
    models = [str(programs / "python"), "-c", "from suture import SafeEditInput"]
    errors = subprocess.run(models, env=environment, capture_output=True, text=True, check=False).stderr
    assert errors.splitlines()[-1] == "ModuleNotFoundError: pydantic is not installed: pip install 'suture[models]'"
    http = [str(programs / "suture"), "mcp", "--http", "127.0.0.1:0"]
    errors = subprocess.run(http, env=environment, capture_output=True, text=True, check=False).stderr
    assert errors.startswith("MISSING_EXTRA: suture mcp --http needs the extra mcp: package ")


@pytest.mark.promise("serve.revisions")
def test_the_server_needs_no_extra_for_a_client_that_begins_with_a_handshake(
    programs: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("one\n")
    messages = [
        request(0, "server/discover"),
        hello(),
        INITIALIZED,
        request(1, "tools/list"),
        tool_call(2, "file_read", {"path": "a.txt", "format": "raw"}),
    ]
    process = subprocess.run(
        [programs / "suture", "mcp", "--root", tmp_path],
        env=environment,
        input="".join(f"{json.dumps(message)}\n" for message in messages),
        capture_output=True,
        text=True,
        check=True,
    )
    unknown, handshake, tools, read = map(json.loads, process.stdout.splitlines())
    assert (unknown["error"]["code"], "'suture[mcp]'" in unknown["error"]["message"]) == (METHOD_NOT_FOUND, True)
    assert handshake["result"]["serverInfo"]["name"] == "suture"
    assert [tool["name"] for tool in tools["result"]["tools"]] == choose()
    assert read["result"]["content"] == [{"type": "text", "text": "one\n"}]
    assert process.stderr == ""
