"""What a project and an operator say about checks: `suture.toml`, `[tool.suture]` in `pyproject.toml`.

    [validators.ruff]
    files = ["src/**/*.py"]          # globs; one without a slash fits a name anywhere
    exclude = ["src/generated/**"]
    severity = "error"               # or "warning": what its problems count as
    required = true                  # strict refuses if it could not be run
    enabled = false                  # not at all
    timeout_ms = 5000

    [validators.eslint]              # another program, run in a copy of the layout
    files = ["*.js"]
    command = ["eslint", "--format=unix", "{file}"]

A check that the operator's own file names is the operator's alone: the project cannot change anything about it.
That file may also say `trust = ["/a/root"]`: only there may the project's files name programs to run, because an
agent can write them.
"""

from __future__ import annotations

from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_KEYS = ("command", "enabled", "exclude", "files", "required", "severity", "timeout_ms")
_SEVERITIES = ("error", "warning")


class Rule(Record):
    """What is said about one check; None where nothing is."""

    name: str
    files: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    severity: str | None = None
    required: bool | None = None
    enabled: bool | None = None
    timeout_ms: int | None = None
    command: tuple[str, ...] | None = None
    by_project: bool = False
    """Whether the project says it, and not the operator."""


class Configuration(Record):
    """The rules by the name of their check, roots that are trusted, and what could not be understood."""

    rules: dict[str, Rule] = {}  # noqa: RUF012  a record is never changed
    trust: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def parse(said: Mapping[str, Any], where: str, *, by_project: bool) -> Configuration:
    """Read what one file says; what does not fit is told, and left out."""
    rules: dict[str, Rule] = {}
    problems: list[str] = []
    tables = said.get("validators", {})
    if not isinstance(tables, dict):
        problems.append(f"{where}: validators must be a table of tables")
        tables = {}
    for name, table in tables.items():
        wrong = _wrong(table) if isinstance(table, dict) else ["it must be a table"]
        problems += [f"{where}: validators.{name}: {each}" for each in wrong]
        if not wrong:
            rules[name] = Rule(name, **{key: _frozen(value) for key, value in table.items()}, by_project=by_project)
    trust = said.get("trust", ())
    if by_project and "trust" in said:
        problems.append(f"{where}: only the operator's own file can say trust")
    elif not _is_texts(trust):
        problems.append(f"{where}: trust must be a list of folders")
    known = {"validators", "trust"}
    problems += [f"{where}: {key} is unknown; known is validators" for key in said if key not in known]
    fits = not by_project and _is_texts(trust)
    return Configuration(rules, tuple(trust) if fits else (), tuple(problems))


def merged(project: Configuration, operator: Configuration) -> Configuration:
    """Both as one; what the operator names is the operator's alone."""
    problems = project.problems + operator.problems
    return Configuration(project.rules | operator.rules, operator.trust, problems)


def _wrong(table: Mapping[str, Any]) -> list[str]:
    found = [f"{key} is unknown; known are {', '.join(_KEYS)}" for key in table if key not in _KEYS]
    lists = [key for key in ("files", "exclude", "command") if key in table]
    found += [f"{key} must be a list of strings" for key in lists if not (_is_texts(table[key]) and table[key])]
    switches = [key for key in ("required", "enabled") if key in table]
    found += [f"{key} must be true or false" for key in switches if not isinstance(table[key], bool)]
    if table.get("severity", "error") not in _SEVERITIES:
        found.append("severity must be error or warning")
    timeout = table.get("timeout_ms", 1)
    if isinstance(timeout, bool) or not isinstance(timeout, int) or timeout < 1:
        found.append("timeout_ms must be a number above 0")
    if "command" in table and "files" not in table:
        found.append("a command needs files, the globs of what it checks")
    return found


def _is_texts(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(each, str) and each for each in value)


def _frozen(value: object) -> Any:
    return tuple(value) if isinstance(value, list) else value
