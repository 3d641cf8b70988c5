"""Which checks a file gets: by its type, by plugins, and by what is configured."""

from __future__ import annotations

import os
import sys
from functools import cache

from suture.errors import SutureError
from suture.records import Record
from suture.validate.issue import NotRunError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from importlib.metadata import EntryPoint

    from suture.validate.configuration import Configuration, Rule
    from suture.validate.issue import Issue, Staging, Validator

PLUGINS = "suture.validators"
"""The group of entry points under which plugins are found."""
_TIMEOUT_MS = 10_000
_LATE = 1.0  # seconds that the process that asks a worker has to end it


class Chosen(Record):
    """A check of a file, and what is said about it."""

    validator: Validator
    timeout_ms: int = _TIMEOUT_MS
    severity: str | None = None
    required: bool = False


class Unavailable:
    """A check that is asked for and cannot be carried out."""

    files = ("*",)

    def __init__(self, name: str, reason: str) -> None:
        self.name = name
        self._reason = reason

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """Say why."""
        del path, before, after, staging
        raise NotRunError(self._reason)


class Table:
    """All checks there are in a workspace."""

    def __init__(self, configuration: Configuration, root: str, *, commands: bool) -> None:
        """`commands`: whether the project may name programs to run."""
        self._rules = {name: rule for name, rule in configuration.rules.items() if _wrong_glob(rule) is None}
        self._syntax = [*_syntax(root)]
        self._others = [*_others(), *plugins()]
        known = {each.name for each in (*self._syntax, *self._others)}
        self._others += [_asked_for(rule, commands=commands) for rule in self._rules.values() if rule.name not in known]
        globs = [wrong for rule in configuration.rules.values() if (wrong := _wrong_glob(rule)) is not None]
        self._others += [Unavailable("configuration", problem) for problem in (*configuration.problems, *globs)]

    def chosen(self, path: str) -> list[Chosen]:
        """The checks of a file. Of those that look at its syntax, one: the first that is configured for it, or fits."""
        by_syntax = sorted((each for each in self._syntax if self._fits(each, path)), key=self._is_by_type)
        others = [each for each in self._others if self._fits(each, path)]
        return [self._ruled(each) for each in (*by_syntax[:1], *others)]

    def _is_by_type(self, validator: Validator) -> bool:
        """Whether nobody says which files it is for."""
        rule = self._rules.get(validator.name)
        return rule is None or rule.files is None

    def _fits(self, validator: Validator, path: str) -> bool:
        rule = self._rules.get(validator.name)
        if rule is None:
            return fits(validator.files, path)
        if rule.enabled is False or fits(rule.exclude or (), path):
            return False
        return fits(rule.files or validator.files, path)

    def _ruled(self, validator: Validator) -> Chosen:
        rule = self._rules.get(validator.name)
        if rule is None:
            return Chosen(validator)
        return Chosen(validator, rule.timeout_ms or _TIMEOUT_MS, rule.severity, bool(rule.required))


def _wrong_glob(rule: Rule) -> str | None:
    """What is wrong with a glob of a rule, if anything."""
    for glob in (*(rule.files or ()), *(rule.exclude or ())):
        try:
            fits((glob,), "x/x")
        except SutureError as error:
            return f"validators.{rule.name}: {glob!r:.80} is no glob ({error.code})"
    return None


def fits(globs: Sequence[str], path: str) -> bool:
    """Whether a path fits one of some globs; one without a slash fits a name anywhere."""
    folder, _, name = path.rpartition("/")
    for glob in globs:
        plain = glob.removeprefix("*")
        if any(char in plain for char in "*?[{\\/"):
            from suture.files.globs import Excluded  # most are a suffix or a name

            whole = f"{glob}/*" if glob.endswith("/**") else glob
            if Excluded([whole]).files([name], f"{folder}/" if folder else ""):
                return True
        elif name == glob or (plain != glob and name.lower().endswith(plain.lower())):
            return True
    return False


def _syntax(root: str) -> Iterator[Validator]:
    """The checks of which a file gets one."""
    from suture.validate.languages import LANGUAGES
    from suture.validate.programs import program
    from suture.validate.ruff import Ruff
    from suture.validate.syntax import Syntax

    if program("ruff", root) is not None:
        yield Ruff()
    yield from _parsers()
    yield from map(Syntax, LANGUAGES)


def _parsers() -> tuple[Validator, ...]:
    """The checks by parsers that are no grammars."""
    from suture.validate.json_check import Json, JsonWithComments
    from suture.validate.python_syntax import PythonSyntax
    from suture.validate.toml_check import Toml
    from suture.validate.xml_check import Xml
    from suture.validate.yaml_check import Yaml

    return PythonSyntax(), JsonWithComments(), Json(), Yaml(), Toml(), Xml()


def built_in(name: str) -> Validator:
    """The built-in check of a name, which looks at nothing but the text."""
    from suture.validate.languages import LANGUAGES

    language = next((each for each in LANGUAGES if each.name == name), None)
    if language is not None:
        from suture.validate.syntax import Syntax

        return Syntax(language)
    from suture.validate.python_syntax import PythonParser

    return next(each for each in (*_parsers(), PythonParser(), *_others()) if each.name == name)


class _Text:
    """The staging of a text that no program reads."""

    root = name = ""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def folder(self) -> str:
        """No built-in check asks for it."""
        raise NotImplementedError

    file = folder


def answer(asked: tuple[str, str, str | None, str, float]) -> tuple[str | None, list[tuple[object, ...]]]:
    """What a worker does (see `apart`): a check by its name. Why it was not carried out, or what it found.

    If the process that asks is gone, nobody else ends a check that takes too long.
    """
    import signal

    name, path, before, after, seconds = asked
    signal.setitimer(signal.ITIMER_REAL, seconds + _LATE)
    try:
        found = built_in(name).check(path, before, after, _Text(seconds))
    except NotRunError as error:
        return str(error), []
    except MemoryError:
        return "the text needs too much memory", []
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None, [tuple(getattr(each, field) for field in each._fields) for each in found]


def _others() -> Iterator[Validator]:
    """The checks that every file gets, whatever it is."""
    from suture.validate.markers import ConflictMarkers

    yield ConflictMarkers()


def _asked_for(rule: Rule, *, commands: bool) -> Validator:
    """A check that only a configuration asks for."""
    from suture.validate.commands import ON_REQUEST, Command  # most projects ask for none

    if rule.command is None and rule.name not in ON_REQUEST:
        return Unavailable(rule.name, "there is no check of this name, and no command is configured for it")
    if rule.by_project and not commands:
        reason = "the project's configuration asks to run it, which only the operator can allow (project_commands)"
        return Unavailable(rule.name, reason)
    if rule.command is None:
        return ON_REQUEST[rule.name]()
    return Command(rule.name, rule.files or (), rule.command)


@cache
def plugins() -> list[Validator]:
    """The checks of installed packages; one that cannot be loaded is a check that cannot be carried out."""
    if not any(map(_has_plugins, sys.path)):
        return []
    from importlib.metadata import entry_points  # 30 ms, for what is rare

    return [_loaded(each) for each in entry_points(group=PLUGINS)]


def _has_plugins(folder: str) -> bool:
    """Whether a package in a folder of packages says that it has some."""
    try:
        found = [each for each in os.listdir(folder or ".") if each.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return False
    return any(_names_plugins(os.path.join(folder, each, "entry_points.txt")) for each in found)


def _names_plugins(file: str) -> bool:
    try:
        with open(file, "rb") as opened:
            return PLUGINS.encode() in opened.read()
    except OSError:
        return False


def _loaded(point: EntryPoint) -> Validator:
    try:
        found = point.load()
        made: Validator = found() if isinstance(found, type) else found
        wrong = [name for name in ("name", "files", "check") if not hasattr(made, name)]
    except Exception as error:  # noqa: BLE001  a plugin may fail in any way, and must not take the edit with it
        return Unavailable(point.name, f"the plugin cannot be loaded: {type(error).__name__}: {error}")
    return Unavailable(point.name, f"the plugin has no {wrong[0]}") if wrong else made
