"""The repository's own rules: what it must and must not contain."""

import os
import re
import subprocess
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
MACHINE_PATH = re.compile(r"(?<![\w.-])/(?:work|root|home/\w+|Users/\w+)/")
REGISTRY = re.compile(
    r"(?i)\bpypi\.[a-z]|hosted\.org|\bregistry\.[\w.-]+\.(?:com|dev|io|net|org)\b"
    r"|(?:extra[-_])?index[-_]url|find[-_]links|trusted[-_]host"
)
LOCK_FILES = re.compile(r"(?:(?:uv|poetry|pdm|Pipfile)\.lock|pylock.*\.toml|package-lock\.json)")
PIN = re.compile(r"[a-z0-9._-]+==[^ ]+")
IGNORE_WITHOUT_REASON = re.compile(r"# (?:noqa(?:: [A-Z0-9, ]+)?|type: ignore(?:\[[a-z, -]+\])?|pragma: no \w+)$")
ADR_HEADINGS = ["Status", "Context", "Decision", "Consequences"]


@cache
def files() -> list[Path]:
    """Every file of the repository: tracked, or new and not ignored."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout.decode()
    return [path for name in sorted(set(filter(None, listing.split("\0")))) if (path := ROOT / name).is_file()]


@cache
def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def places(pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()[:100]}"
        for path in files()
        for number, line in enumerate(path.read_bytes().decode("utf-8", "replace").split("\n"), 1)
        if pattern.search(line)
    ]


@pytest.mark.parametrize("place", ["work/x", "root/x", "home/someone/x", "Users/someone/x"])
def test_a_machine_path_is_recognized(place: str) -> None:
    assert MACHINE_PATH.search(f'cd "/{place}"')


@pytest.mark.parametrize("parts", [("pypi", "org"), ("files.x-hosted", "org"), ("registry", "example.com")])
def test_a_registry_host_is_recognized(parts: tuple[str, str]) -> None:
    assert REGISTRY.search("see " + ".".join(parts))


@pytest.mark.promise("project.pins")
def test_no_file_names_a_path_of_a_machine() -> None:
    assert places(MACHINE_PATH) == []


@pytest.mark.promise("project.pins")
def test_no_file_names_a_package_registry() -> None:
    assert places(REGISTRY) == []


@pytest.mark.promise("project.pins")
def test_no_lock_file_that_records_hosts_is_kept() -> None:
    assert [path.name for path in files() if LOCK_FILES.fullmatch(path.name)] == []


@pytest.mark.promise("project.pins")
def test_constraints_are_exact_versions_and_sorted() -> None:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    assert [line for line in lines if not PIN.fullmatch(line)] == []
    assert lines == sorted(lines)


@pytest.mark.promise("project.pins")
def test_every_declared_requirement_is_constrained() -> None:
    project = pyproject()["project"]
    declared = [
        *pyproject()["build-system"]["requires"],
        *project["dependencies"],
        *(item for extra in project["optional-dependencies"].values() for item in extra),
        *(item for group in pyproject()["dependency-groups"].values() for item in group),
    ]
    wanted = {re.split(r"[^\w.-]", item)[0] for item in declared} - {project["name"]}
    pinned = {line.partition("==")[0] for line in (ROOT / "constraints.txt").read_text("utf-8").splitlines()}
    assert wanted - pinned == set()


@pytest.mark.promise("project.ci")
def test_ci_runs_make_test_and_nothing_else() -> None:
    script = ROOT / ".ci" / "run"
    commands = [line for line in script.read_text("utf-8").splitlines() if line and not line.startswith("#")]
    assert commands == ["set -euo pipefail", 'cd "$(dirname "${BASH_SOURCE[0]}")/.."', "make test"]
    assert script.stat().st_mode & 0o111


@pytest.mark.promise("project.ci")
@pytest.mark.parametrize("target", ["demo", "test", "soak"])
def test_a_target_does_its_own_set_up(target: str) -> None:
    plan = subprocess.run(
        ["make", "--dry-run", "--always-make", "--no-print-directory", target],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert "--constraint constraints.txt" in plan


PYTHON = """\
#!/bin/sh
echo "$@" >> "$LOG"
case "$*" in *venv*--clear*) mkdir -p .venv/bin && cp "$0" .venv/bin/python ;; esac
"""
"""Stands in for every interpreter, and records what it is asked to do."""


@pytest.mark.process
def test_only_other_dependencies_are_a_reason_to_set_up_again(tmp_path: Path) -> None:
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    python, log = tmp_path / "python", tmp_path / "log"
    python.write_text(PYTHON)
    python.chmod(0o755)

    def set_up() -> bool:
        log.write_text("")
        command = ["make", "--no-print-directory", "setup", f"PYTHON={python}"]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, env={**os.environ, "LOG": str(log)})
        return "pip install" in log.read_text()

    assert [set_up(), set_up()] == [True, False]
    for name, old, new, needed in (
        ("pyproject.toml", "[tool.importlinter]\n", "[tool.importlinter]\n\n", False),
        ("pyproject.toml", "dependencies = [\n", 'dependencies = [\n    "attrs",\n', True),
        ("pyproject.toml", "mcp = [", 'mcp = ["attrs", ', True),
        ("pyproject.toml", "dev = [\n", 'dev = [\n    "attrs",\n', True),
        ("constraints.txt", "==", "==1", True),
    ):
        path = tmp_path / name
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")
        assert [set_up(), set_up()] == [needed, False], (name, new)


@pytest.mark.promise("project.documents")
@pytest.mark.parametrize(
    "name",
    "AGENTS.md ARCHITECTURE.md CHANGELOG.md CONTRIBUTING.md LICENSE README.md SECURITY.md docs/spec/TOOLS.md".split(),
)
def test_a_document_exists(name: str) -> None:
    assert (ROOT / name).read_text("utf-8").strip()


@pytest.mark.promise("project.documents")
def test_no_stray_file_is_next_to_the_documents() -> None:
    expected = "LICENSE Makefile constraints.txt pyproject.toml .editorconfig .gitattributes .gitignore".split()
    actual = [path.name for path in files() if path.parent == ROOT and path.suffix != ".md"]
    assert sorted(actual) == sorted(expected)


@pytest.mark.promise("project.documents")
@pytest.mark.parametrize("command", ["make demo", "make test"])
def test_the_readme_names_the_command(command: str) -> None:
    assert command in (ROOT / "README.md").read_text("utf-8")


@pytest.mark.promise("project.documents")
def test_every_decision_record_has_its_headings() -> None:
    records = sorted((ROOT / "docs" / "adr").glob("[0-9]*.md"))
    headings = {path.name: re.findall(r"^## (.+)$", path.read_text("utf-8"), re.MULTILINE) for path in records}
    assert records
    assert {name: titles for name, titles in headings.items() if titles[:4] != ADR_HEADINGS} == {}


@pytest.mark.promise("project.checks")
def test_every_ignore_states_its_reason_on_the_same_line() -> None:
    sources = [path for path in files() if path.suffix == ".py"]
    lines = [line for path in sources for line in path.read_text("utf-8").splitlines()]
    assert [line.strip() for line in lines if IGNORE_WITHOUT_REASON.search(line)] == []


@pytest.mark.promise("project.checks")
def test_every_layer_contract_is_exhaustive() -> None:
    contracts = pyproject()["tool"]["importlinter"]["contracts"]
    layered = {item["containers"][0]: item["exhaustive"] for item in contracts if item["type"] == "layers"}
    inside = (f"suture.{name}" for name in "server wording engine check files patterns match formats text".split())
    assert layered == dict.fromkeys(("suture", *inside), True)
    assert not [item for item in contracts if "exhaustive_ignores" in item or "ignore_imports" in item]


@pytest.mark.promise("project.checks")
def test_ruff_selects_all_and_every_ignore_has_its_reason() -> None:
    assert pyproject()["tool"]["ruff"]["lint"]["select"] == ["ALL"]
    section = (ROOT / "pyproject.toml").read_text("utf-8").partition("[tool.ruff.lint]")[2].partition("[tool.mypy]")[0]
    ignores = [line for line in section.splitlines() if re.match(r'    "[A-Z]+\d*",?', line)]
    assert ignores
    assert [line for line in ignores if not re.fullmatch(r'    "[A-Z]+\d*",? +# \S.+', line)] == []


@pytest.mark.promise("project.checks")
def test_types_are_strict_and_coverage_counts_branches() -> None:
    tool = pyproject()["tool"]
    assert tool["mypy"]["strict"]
    assert tool["coverage"]["run"]["branch"]
    assert tool["coverage"]["report"]["fail_under"] >= 95
    assert tool["pytest"]["ini_options"]["filterwarnings"] == ["error"]


def test_no_pattern_has_a_possessive_group() -> None:
    """Before Python 3.11.4, `re` ends the loop of `(?:a|b)*+` too early."""
    pattern = re.compile(r"\)[*+?]\+|\)\{\d+,?\d*\}\+")
    sources = [path for path in files() if path.suffix == ".py" and path.is_relative_to(ROOT / "src")]
    assert [path for path in sources if pattern.search(path.read_text("utf-8"))] == []
