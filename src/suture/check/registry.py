"""The checks that a file gets: built-in ones, configured ones, and plugins.

    [validators.ruff]
    files = ["src/**/*.py"]          # globs; one without a slash matches a name anywhere
    exclude = ["src/generated/**"]
    severity = "error"               # or "warning": overrides the severity of its problems
    required = true                  # with strict, refuse if it cannot run
    enabled = false                  # do not run it
    timeout_ms = 5000

    [validators.eslint]              # another program, run in a copy of the layout
    files = ["*.js"]
    command = ["eslint", "--format=unix", "{file}"]

A project cannot change a check that the operator's own file configures. That file may also set
`trust = ["/a/root"]`: only in those roots may a project's files name programs to run, because an agent can
write them. Its `[settings]` are read by `suture.cli.settings`.
"""

from __future__ import annotations

import os
import sys
from functools import cache

from suture.check.issue import NotRunError
from suture.check.programs import read_regular
from suture.errors import SutureError
from suture.origins import RootSet, importing_outside
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from importlib.metadata import EntryPoint
    from typing import Any

    from suture.check.issue import Issue, Parser, Staging, Validator
    from suture.files.protected import Guard


_KEYS = ("command", "enabled", "exclude", "files", "required", "severity", "timeout_ms")
_SEVERITIES = ("error", "warning")
_OPERATORS = ("trust", "settings")
"""Keys that only the operator's own file may set. The command line and the server read `settings`."""


class Rule(Record):
    """The configuration of one check; None for what is not set."""

    name: str
    files: tuple[str, ...] | None = None
    exclude: tuple[str, ...] | None = None
    severity: str | None = None
    required: bool | None = None
    enabled: bool | None = None
    timeout_ms: int | None = None
    command: tuple[str, ...] | None = None
    by_project: bool = False
    """Whether the project sets it, and not the operator."""


_NO_RULE = Rule("")


class Configuration(Record):
    """The rules by check name, the trusted roots, and the problems of the files."""

    rules: dict[str, Rule] = {}  # noqa: RUF012  a record is never changed
    trust: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


def parse_configuration(content: Mapping[str, Any], where: str, *, by_project: bool) -> Configuration:
    """Read the content of one file. Invalid parts are left out, and listed in `problems`."""
    rules: dict[str, Rule] = {}
    problems: list[str] = []
    tables = content.get("validators", {})
    if not isinstance(tables, dict):
        problems.append(f"{where}: validators must be a table of tables")
        tables = {}
    for name, table in tables.items():
        wrong = _problems(table) if isinstance(table, dict) else ["it must be a table"]
        problems += [f"{where}: validators.{name}: {problem}" for problem in wrong]
        if not wrong:
            rules[name] = Rule(name, **{key: _freeze(value) for key, value in table.items()}, by_project=by_project)
    trust = content.get("trust", ())
    if by_project:
        problems += [f"{where}: only the operator's own file may set {key}" for key in _OPERATORS if key in content]
    elif not _is_texts(trust):
        problems.append(f"{where}: trust must be a list of folders")
    known = {"validators", *_OPERATORS}
    problems += [f"{where}: unknown key {key}; expected validators" for key in content if key not in known]
    fits = not by_project and _is_texts(trust)
    return Configuration(rules, tuple(trust) if fits else (), tuple(problems))


def merge_configurations(project: Configuration, operator: Configuration) -> Configuration:
    """Merge both; the operator's rules replace the project's."""
    problems = project.problems + operator.problems
    return Configuration(project.rules | operator.rules, operator.trust, problems)


def _problems(table: Mapping[str, Any]) -> list[str]:
    problems = [f"unknown key {key}; valid keys are {', '.join(_KEYS)}" for key in table if key not in _KEYS]
    lists = [key for key in ("files", "exclude", "command") if key in table]
    problems += [f"{key} must be a list of strings" for key in lists if not (_is_texts(table[key]) and table[key])]
    switches = [key for key in ("required", "enabled") if key in table]
    problems += [f"{key} must be true or false" for key in switches if not isinstance(table[key], bool)]
    if table.get("severity", "error") not in _SEVERITIES:
        problems.append("severity must be error or warning")
    timeout = table.get("timeout_ms", 1)
    if isinstance(timeout, bool) or not isinstance(timeout, int) or timeout < 1:
        problems.append("timeout_ms must be a positive integer")
    if "command" in table and "files" not in table:
        problems.append("a command needs files: globs of the files that it checks")
    return problems


def _is_texts(value: object) -> bool:
    return isinstance(value, list | tuple) and all(isinstance(text, str) and text for text in value)


def _freeze(value: object) -> Any:
    return tuple(value) if isinstance(value, list) else value


PLUGINS = "suture.validators"
"""The entry point group of plugins."""
_DEFAULT_TIMEOUT_MS = 10_000  # for one file: mypy takes a few seconds when it starts
_GRACE_SECONDS = 1.0  # in which the parent of a worker can still kill it
_MAX_ENTRY_POINTS_BYTES = 1_000_000  # real files have a few kilobytes


class FileCheck(Record):
    """A check of a file, with its configuration."""

    validator: Validator
    timeout_ms: int = _DEFAULT_TIMEOUT_MS
    severity: str | None = None
    required: bool = False
    untrusted: tuple[str, ...] = ()
    """The roots from which it may import nothing, if it is a plugin."""


class Unavailable:
    """A configured check that cannot run."""

    external = True  # nothing to parse in a worker, however large the text

    def __init__(self, name: str, reason: str, files: Sequence[str] = ("*",), *, setting: str = "") -> None:
        self.name = name
        self.files = tuple(files)
        self._reason = reason
        self._setting = setting

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """Raise NotRunError with the reason."""
        del path, before, after, staging
        raise NotRunError(self._reason, self._setting)


class Registry:
    """All checks of a workspace."""

    def __init__(
        self,
        configuration: Configuration,
        roots: Sequence[str],
        *,
        commands: bool,
        untrusted: Sequence[str] | None = None,
        guard: Guard | None = None,
    ) -> None:
        """`commands`: whether the project may name programs to run.

        No program or plugin in an `untrusted` root is run or loaded; by default, all roots are untrusted.
        """
        from suture.check.markers import ConflictMarkers
        from suture.check.programs import TRUST, in_root_reason, program, program_inside
        from suture.check.python import Ruff
        from suture.check.syntax import LANGUAGES, Syntax

        untrusted = tuple(roots if untrusted is None else untrusted)
        wrong = {name: glob for name, rule in configuration.rules.items() if (glob := _wrong_glob(rule)) is not None}
        self._rules = {name: rule for name, rule in configuration.rules.items() if name not in wrong}
        self._syntax: list[Validator] = [*_parsers(), *map(Syntax, LANGUAGES)]
        """The checks of syntax, of which a file gets one."""
        self._untrusted = untrusted
        self._plugins = plugins(untrusted)
        self._others: list[Validator] = [ConflictMarkers(), *self._plugins]
        if program("ruff", untrusted) is not None:
            self._syntax.insert(0, Ruff(roots, untrusted, guard))
        elif (inside := program_inside("ruff", untrusted)) is not None:  # then Python's own parser checks the syntax
            self._others.insert(1, Unavailable("ruff", in_root_reason(inside), Ruff.files, setting=TRUST))
        known = {validator.name for validator in (*self._syntax, *self._others)}
        self._others += [
            _configured_check(rule, untrusted, commands=commands)
            for rule in self._rules.values()
            if rule.name not in known
        ]
        problems = *configuration.problems, *wrong.values()
        self._others += [Unavailable("configuration", problem) for problem in problems]

    def checks_for(self, path: str, *, only_syntax: bool = False) -> list[FileCheck]:
        """The checks of a file, with only one of its syntax: the first that is configured for it, or matches."""
        by_syntax = sorted(
            (validator for validator in self._syntax if self._applies(validator, path)), key=self._is_by_type
        )
        others = [] if only_syntax else [validator for validator in self._others if self._applies(validator, path)]
        return [self._with_rule(validator) for validator in (*by_syntax[:1], *others)]

    def _rule(self, validator: Validator) -> Rule:
        return self._rules.get(validator.name, _NO_RULE)

    def _is_by_type(self, validator: Validator) -> bool:
        """Whether no configuration says which files it is for."""
        return self._rule(validator).files is None

    def _applies(self, validator: Validator, path: str) -> bool:
        rule = self._rule(validator)
        if rule.enabled is False or fits(rule.exclude or (), path):
            return False
        return fits(rule.files or validator.files, path)

    def _with_rule(self, validator: Validator) -> FileCheck:
        untrusted = self._untrusted if validator in self._plugins else ()
        rule = self._rule(validator)
        return FileCheck(
            validator, rule.timeout_ms or _DEFAULT_TIMEOUT_MS, rule.severity, bool(rule.required), untrusted
        )


def _wrong_glob(rule: Rule) -> str | None:
    """The problem of an invalid glob in a rule; None if all are valid."""
    for glob in (*(rule.files or ()), *(rule.exclude or ())):
        try:
            fits((glob,), "x/x")
        except SutureError as error:
            return f"validators.{rule.name}: {glob!r:.80} is not a glob ({error.code})"
    return None


def fits(globs: Sequence[str], path: str) -> bool:
    """Whether a path matches one of some globs; one without a slash matches a name anywhere."""
    folder, _, name = path.rpartition("/")
    for glob in globs:
        plain = glob.removeprefix("*")
        if any(char in plain for char in "*?[{\\/"):
            from suture.files.glob import Excluded  # most globs are a suffix or a name

            whole = f"{glob}/*" if glob.endswith("/**") else glob
            if Excluded([whole]).files([name], f"{folder}/" if folder else ""):
                return True
        elif name == glob or (plain != glob and name.lower().endswith(plain.lower())):
            return True
    return False


def _parsers() -> tuple[Parser, ...]:
    """The syntax checks that use no grammar."""
    from suture.check.data import PARSERS
    from suture.check.python import PythonSyntax

    return PythonSyntax(), *PARSERS


def built_in(name: str) -> Validator:
    """The built-in check with a name, which needs only the text."""
    from suture.check.markers import ConflictMarkers
    from suture.check.python import PythonParser
    from suture.check.syntax import LANGUAGES, Syntax

    language = next((language for language in LANGUAGES if language.name == name), None)
    if language is not None:
        return Syntax(language)
    parsers: tuple[Validator, ...] = *_parsers(), PythonParser(), ConflictMarkers()
    return next(parser for parser in parsers if parser.name == name)


class _BareText:
    """The staging of a text for built-in checks, which need no file."""

    root = name = ""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def folder(self) -> str:
        """Never called by a built-in check."""
        raise NotImplementedError

    file = folder


def answer(asked: tuple[str, str, str | None, str, float]) -> tuple[str | None, list[tuple[object, ...]]]:
    """Run a check by name in a worker (`check.worker`). Returns why it did not run, and what it found.

    The timer ends a check that takes too long if the parent is gone and cannot.
    """
    import signal

    name, path, before, after, seconds = asked
    signal.setitimer(signal.ITIMER_REAL, seconds + _GRACE_SECONDS)
    try:
        issues = built_in(name).check(path, before, after, _BareText(seconds))
    except NotRunError as error:
        return str(error), []
    except MemoryError:
        return "the parser ran out of memory on this text", []
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None, [tuple(getattr(issue, field) for field in issue._fields) for issue in issues]


def _configured_check(rule: Rule, untrusted: Sequence[str], *, commands: bool) -> Validator:
    """A check that runs only if configured."""
    from suture.check.programs import ON_REQUEST, TRUST, Command  # most projects configure none

    if rule.command is None and rule.name not in ON_REQUEST:
        return Unavailable(rule.name, "no check has this name, and no command is configured for it")
    if rule.by_project and not commands:
        reason = "the project's configuration asks to run it, which only the operator can allow"
        return Unavailable(rule.name, reason, setting=TRUST)
    if rule.command is None:
        return ON_REQUEST[rule.name](untrusted)
    return Command(rule.name, rule.files or (), rule.command, roots=untrusted)


@cache
def plugins(untrusted: tuple[str, ...] = ()) -> list[Validator]:
    """The checks of installed packages; one that cannot be loaded, or is in a root, is `Unavailable`."""
    plugin_names = {file: named for file in _packages() if (named := _named_plugins(file))}
    if not plugin_names:
        return []
    from importlib.metadata import EntryPoint  # 30 ms, rarely needed

    inside = RootSet(untrusted)
    loaded: list[Validator] = []
    seen: set[str] = set()
    for file in sorted(plugin_names, key=inside.contains):  # a planted package must not hide an installed one
        package = os.path.basename(os.path.dirname(file)).partition("-")[0].lower().replace(".", "_")
        if package not in seen:
            seen.add(package)
            points = [EntryPoint(name, value, PLUGINS) for name, value in plugin_names[file]]
            loaded += [_plugin_in_root(point, file, inside) or _load(point, untrusted) for point in points]
    return loaded


def _packages() -> Iterator[str]:
    """The entry point files of installed packages."""
    for folder in dict.fromkeys(sys.path):
        try:
            names = os.listdir(folder or ".")
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                yield os.path.join(os.path.abspath(folder), name, "entry_points.txt")


def _named_plugins(file: str) -> list[tuple[str, str]]:
    """The names and values of the plugins in an entry point file."""
    raw = read_regular(file, _MAX_ENTRY_POINTS_BYTES) or b""
    if PLUGINS.encode() not in raw:
        return []
    section, plugins = "", []
    for line in raw.decode("utf-8", "replace").split("\n"):
        entry = line.strip()
        if entry.startswith("["):
            section = entry.strip("[] ")
        elif section == PLUGINS and "=" in entry and entry[0] not in "#;":
            name, _, value = entry.partition("=")
            plugins.append((name.strip(), value.strip()))
    return plugins


def _plugin_in_root(point: EntryPoint, file: str, inside: RootSet) -> Validator | None:
    """`Unavailable` if a plugin's package, or a module that loading it would import, is in a root; else None."""
    from suture.check.programs import TRUST  # most installations have no plugins

    places = [file, *_origins(point.value.partition(":")[0].strip())]
    held_place = next((place for place in places if inside.contains(place)), None)
    if held_place is None:
        return None
    reason = (
        f"the plugin is not loaded, because {held_place} is in the workspace, where an agent can change it: install it "
        "elsewhere (not editable), or trust the workspace, which only the operator can allow"
    )
    return Unavailable(point.name, reason, setting=TRUST)


def _origins(module: str) -> Iterator[str]:
    """The files of a module and its parent packages, found without importing them."""
    from importlib.machinery import PathFinder
    from importlib.util import find_spec

    names, above = module.split("."), None
    for end in range(1, len(names) + 1):
        name = ".".join(names[:end])
        try:
            spec = find_spec(name) if above is None else PathFinder.find_spec(name, above)
        except (ImportError, ValueError):  # loading it will report that
            return
        if spec is None:
            return
        yield from (spec.origin,) if spec.has_location and spec.origin else ()
        above = [*(spec.submodule_search_locations or ())]
        yield from above


def _load(point: EntryPoint, untrusted: Sequence[str]) -> Validator:
    try:
        with importing_outside(untrusted):
            loaded = point.load()
            validator: Validator = loaded() if isinstance(loaded, type) else loaded
        wrong = [name for name in ("name", "files", "check") if not hasattr(validator, name)]
    except Exception as error:  # noqa: BLE001  a plugin may fail in any way, and must not take the edit with it
        return Unavailable(point.name, f"the plugin cannot be loaded: {type(error).__name__}: {error}")
    return Unavailable(point.name, f"the plugin has no {wrong[0]}") if wrong else validator
