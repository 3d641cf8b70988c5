"""The checks that a file gets."""

import os
import sys
from pathlib import Path

import pytest

from suture.check import registry as module
from suture.check.issue import NotRunError, Staging, Validator
from suture.check.registry import Configuration, Registry, Rule, fits, plugins
from tests.fuzz.texts import TARGETS


def names(table: Registry, path: str) -> list[str]:
    return [check.validator.name for check in table.checks_for(path)]


def registry(root: Path, *rules: Rule, commands: bool = False, problems: tuple[str, ...] = ()) -> Registry:
    configuration = Configuration({rule.name: rule for rule in rules}, problems=problems)
    return Registry(configuration, [str(root)], commands=commands)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("src/a.py", "ruff"),
        ("SConstruct", "python"),
        ("package.json", "json"),
        ("web/tsconfig.json", "jsonc"),
        (".vscode/settings.json", "jsonc"),
        ("a/b.yaml", "yaml"),
        ("Cargo.toml", "toml"),
        ("pom.xml", "xml"),
        ("a.js", "javascript"),
        ("a.ts", "typescript"),
        ("a.tsx", "tsx"),
        ("a.go", "go"),
        ("a.rs", "rust"),
        ("A.java", "java"),
        ("a.c", "c"),
        ("a.cpp", "cpp"),
        ("a.cs", "csharp"),
        ("a.rb", "ruby"),
        ("a.php", "php"),
        ("a.sh", "bash"),
        ("a.css", "css"),
        ("a.html", "html"),
        ("a.kt", "kotlin"),
        ("a.swift", "swift"),
        ("a.scala", "scala"),
        ("a.lua", "lua"),
        ("a.sql", "sql"),
        ("a.hs", "haskell"),
    ],
)
def test_a_file_gets_the_check_of_its_type_and_that_for_conflicts(tmp_path: Path, path: str, name: str) -> None:
    assert names(registry(tmp_path), path) == [name, "conflict-markers"]


BROKEN = {
    "python": ("a.py", "a = 1\nb = (\n", 2),
    "jsonc": ("a.jsonc", '{\n  // b\n  "a": ]\n}\n', 3),
    "json": ("a.json", '{\n  "a": ]\n}\n', 2),
    "yaml": ("a.yaml", "a: 1\nb: [\n]]\n", 3),
    "toml": ("a.toml", "a = 1\nb = ]\n", 2),
    "xml": ("a.xml", "<a>\n</b>\n", 2),
}
"""For every parser a file, a text that it refuses, and the line where it does."""


def test_every_parser_has_a_text_that_it_refuses_and_a_fuzz_target() -> None:
    parsers = {parser.name for parser in module._parsers()}
    assert set(BROKEN) == parsers, "give the parser a text that it refuses"
    assert {f"check {name}" for name in parsers} <= {target.name for target in TARGETS}, "add it in tests/fuzz/texts.py"


@pytest.mark.parametrize("name", BROKEN)
def test_a_parser_reports_where_a_text_is_broken(name: str) -> None:
    path, text, line = BROKEN[name]
    (parser,) = [parser for parser in module._parsers() if parser.name == name]
    assert fits(parser.files, path)
    (issue,) = parser.check(path, None, text, None)  # type: ignore[arg-type]  # it needs no staging
    assert (issue.severity, issue.line) == ("error", line)
    assert issue.column >= 1
    assert issue.code in parser.syntax_codes
    assert " " in issue.message


def test_any_other_file_is_looked_at_for_conflicts(tmp_path: Path) -> None:
    assert names(registry(tmp_path), "notes.txt") == ["conflict-markers"]


def test_without_ruff_python_is_checked_by_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("suture.check.programs.program", lambda _name, _roots: None)
    assert names(registry(tmp_path), "a.py") == ["python", "conflict-markers"]


def test_a_check_can_be_left_out_for_some_files_or_all(tmp_path: Path) -> None:
    table = registry(tmp_path, Rule("ruff", exclude=("gen/**",)), Rule("conflict-markers", enabled=False))
    assert names(table, "a.py") == ["ruff"]
    assert names(table, "gen/a.py") == ["python"]


def test_what_is_configured_for_a_file_comes_before_what_its_name_says(tmp_path: Path) -> None:
    table = registry(tmp_path, Rule("jsonc", files=("settings/*.json",)))
    assert names(table, "settings/a.json")[0] == "jsonc"
    assert names(table, "a.json")[0] == "json"


def test_severity_time_and_need_are_passed_on(tmp_path: Path) -> None:
    table = registry(tmp_path, Rule("json", severity="warning", required=True, timeout_ms=7))
    chosen = table.checks_for("a.json")[0]
    assert (chosen.severity, chosen.required, chosen.timeout_ms) == ("warning", True, 7)


def reason(table: Registry, path: str, name: str) -> str:
    (chosen,) = [check for check in table.checks_for(path) if check.validator.name == name]
    with pytest.raises(NotRunError) as caught:
        chosen.validator.check(path, None, "", None)  # type: ignore[arg-type]  # it needs no staging
    return str(caught.value)


@pytest.mark.promise("safe.commands")
@pytest.mark.parametrize("rule", [Rule("own", ("*.py",), command=("x",)), Rule("mypy"), Rule("pylint", ("*.py",))])
def test_a_program_that_the_project_names_is_run_only_if_the_operator_allows_it(tmp_path: Path, rule: Rule) -> None:
    refused = registry(tmp_path, rule.evolve(by_project=True))
    assert "only the operator can allow" in reason(refused, "a.py", rule.name)
    for table in (registry(tmp_path, rule.evolve(by_project=True), commands=True), registry(tmp_path, rule)):
        (chosen,) = [check for check in table.checks_for("a.py") if check.validator.name == rule.name]
        assert type(chosen.validator).__name__ == "Command"
    assert rule.name not in names(registry(tmp_path, rule.evolve(files=("*.py",))), "a.txt")


def test_a_check_that_does_not_exist_and_a_configuration_that_cannot_be_read_are_reported(tmp_path: Path) -> None:
    table = registry(tmp_path, Rule("eslnt", files=("*.js",)), problems=("suture.toml: no",))
    assert "no check has this name" in reason(table, "a.js", "eslnt")
    assert reason(table, "a.js", "configuration") == "suture.toml: no"


@pytest.mark.parametrize(
    ("glob", "path", "expected"),
    [
        ("*", "a/b.c", True),
        ("*.py", "a/b.py", True),
        ("*.py", "a/b.pyi", False),
        ("Makefile", "a/Makefile", True),
        ("Makefile", "a/Makefile.am", False),
        ("src/**/*.py", "src/a/b/c.py", True),
        ("src/**/*.py", "src/c.py", True),
        ("src/**", "src/a/b", True),
        ("src/*.py", "a/src/b.py", False),
        ("*.{js,ts}", "a.ts", True),
        ("tsconfig*.json", "x/tsconfig.base.json", True),
        ("[ab].py", "b.py", True),
    ],
)
def test_glob(glob: str, path: str, *, expected: bool) -> None:
    assert fits((glob,), path) is expected


class Plugin:
    """A check in a package."""

    name = "plugin"
    files = ("*.txt",)

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[object]:
        del path, before, after, staging
        return []


@pytest.fixture
def plugin_checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Validator]:
    """Return the checks of a package with good and bad entry points."""
    site = tmp_path / "site"
    info = site / "some_checks-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: some-checks\nVersion: 1.0\n")
    lines = ["[suture.validators]", "good = some_checks:Good", "ready = some_checks:READY"]
    lines += ["broken = some_checks:Broken", "poor = some_checks:Poor", "absent = some_checks:Absent"]
    (info / "entry_points.txt").write_text("\n".join(lines))
    (site / "some_checks.py").write_text(
        "class Good:\n    name = 'good'\n    files = ('*.txt',)\n    def check(self, *a): return []\n"
        "READY = Good()\n"
        "class Broken:\n    def __init__(self): raise RuntimeError('no')\n"
        "class Poor:\n    name = 'poor'\n    files = ()\n"
    )
    monkeypatch.setattr(sys, "path", [*sys.path, str(site), "/nowhere"])
    plugins.cache_clear()
    try:
        return plugins()
    finally:
        plugins.cache_clear()


@pytest.mark.promise("safe.plugins")
def test_plugins_are_found_and_those_that_cannot_be_used_are_reported(plugin_checks: list[Validator]) -> None:
    kinds = {type(validator).__name__ for validator in plugin_checks}
    assert kinds == {"Good", "Unavailable"}
    assert sorted(validator.name for validator in plugin_checks) == ["absent", "broken", "good", "good", "poor"]
    reasons = []
    for validator in plugin_checks:
        if isinstance(validator, module.Unavailable):
            with pytest.raises(NotRunError) as caught:
                validator.check("a.txt", None, "", None)  # type: ignore[arg-type]  # it needs no staging
            reasons.append(str(caught.value))
    assert sorted(reasons) == [
        "the plugin cannot be loaded: AttributeError: module 'some_checks' has no attribute 'Absent'",
        "the plugin cannot be loaded: RuntimeError: no",
        "the plugin has no check",
    ]


@pytest.mark.promise("safe.plugins")
def test_a_plugin_checks_its_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "plugins", lambda _held: [Plugin()])
    assert names(registry(tmp_path), "a.txt") == ["conflict-markers", "plugin"]
    assert names(registry(tmp_path), "a.md") == ["conflict-markers"]


def plant_check(folder: Path, name: str, value: str | None = None, text: str = "") -> None:
    """Put a package with a check into a folder."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "entry_points.txt").write_text(f"[other]\na = b\n[suture.validators]\n# c = d\n{name} = {value or name}\n")
    (folder / f"{name}.py").write_text(text or "raise SystemExit('imported')\n")


def reasons_by_name(validators: list[Validator]) -> dict[str, str]:
    """The names of checks, and why they do not run."""
    reasons = {}
    for validator in validators:
        with pytest.raises(NotRunError) as caught:
            validator.check("a.txt", None, "", None)  # type: ignore[arg-type]  # it needs no staging
        reasons[validator.name] = str(caught.value)
    return reasons


@pytest.mark.promise("confine.no-code")
def test_a_plugin_in_a_root_is_reported_and_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, site = tmp_path / "root", tmp_path / "site"
    plant_check(root / "src", "in_src")
    plant_check(site, "linked")
    (site / "linked.py").unlink()
    (site / "linked.py").symlink_to(root / "src" / "in_src.py")
    plant_check(site, "editable", "in_src:Check")
    plant_check(site, "deep", "package.inner:Check")
    (root / "src" / "package").mkdir()
    (root / "src" / "package" / "__init__.py").write_text("raise SystemExit('imported')\n")
    plant_check(site, "namespace", "spread.inner:Check")
    (root / "src" / "spread").mkdir()
    (site / "spread").mkdir()
    (site / "spread" / "inner.py").write_text("raise SystemExit('imported')\n")
    os.mkfifo(root / "src" / "package" / "pipe")
    blocked = root / "src" / "blocked-1.0.dist-info"
    blocked.mkdir()
    os.mkfifo(blocked / "entry_points.txt")
    monkeypatch.setattr(sys, "path", [*sys.path, str(site), str(root / "src")])
    reasons = reasons_by_name(module.plugins.__wrapped__((str(root),)))
    assert reasons.keys() == {"in_src", "linked", "editable", "deep", "namespace"}
    assert all("in the workspace, where an agent can change it" in reason for reason in reasons.values())


@pytest.mark.promise("confine.no-code")
def test_a_planted_package_does_not_hide_an_installed_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, site = tmp_path / "root", tmp_path / "site"
    plant_check(root, "checks_of_two", "checks_of_two:Evil")
    plant_check(site, "checks_of_two", "checks_of_two:Missing", "x = 1\n")
    plant_check(site, "no_such_module_", "no_such_module_.inner:X", "x = 1\n")
    monkeypatch.setattr(sys, "path", [*sys.path, str(site), str(root)])
    reasons = reasons_by_name(module.plugins.__wrapped__((str(root),)))
    assert reasons["checks_of_two"].startswith("the plugin cannot be loaded: AttributeError")
    assert reasons["no_such_module_"].startswith("the plugin cannot be loaded: ModuleNotFoundError")
    sys.modules.pop("checks_of_two", None)
    sys.modules.pop("no_such_module_", None)


@pytest.mark.promise("confine.no-code")
def test_python_is_checked_by_python_if_the_only_ruff_is_in_the_workspace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ruff = tmp_path / "bin" / "ruff"
    ruff.parent.mkdir()
    ruff.write_text("#!/bin/sh\n")
    ruff.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(ruff.parent / "python"))
    monkeypatch.setenv("PATH", str(ruff.parent))
    table = registry(tmp_path)
    assert names(table, "a.py") == ["python", "conflict-markers", "ruff"]
    assert names(table, "a.txt") == ["conflict-markers"]
    assert f"{ruff} is not run, because it is in the workspace" in reason(table, "a.py", "ruff")
    trusting = Registry(Configuration(), [str(tmp_path)], commands=True, untrusted=())
    assert names(trusting, "a.py") == ["ruff", "conflict-markers"]
