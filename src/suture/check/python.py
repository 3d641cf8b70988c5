"""Python files: the parser of the running Python, and ruff.

Nothing is run, and warnings are suppressed. The compiler cannot be interrupted, and some texts make it take forever or
crash. So these are detected first: nested `finally`, which doubles the code at every level; more than 20 nested
comprehensions, which crash the process (Python 3.12 and 3.13); thousands of equal functions, which are all compared
with each other (Python 3.11). For them only the parser and the symbol table are used, which miss a few errors, such as
`return` outside a function. An import of a name with thousands of parts, and an f-string with thousands of fields on
one line, are too much for the parser as well.

Rejected: the symbol table for all files. It takes four fifths of the time and finds less. The AST takes longer.

The project's own configuration decides what ruff looks for. What would break the program at run time is an error,
anything else a warning: an import that is added before its use must pass.
"""

from __future__ import annotations

import os
from _thread import allocate_lock

from suture.check.issue import INVALID, Issue, NotRunError, Parser, Places
from suture.check.programs import program, read_regular, run, summary
from suture.files.protected import Guard
from suture.origins import RootSet

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from suture.check.issue import Staging
    from suture.check.programs import ProgramResult


_ONLY_AST = 1024  # ast.PyCF_ONLY_AST
_MAX_PARSED_CHARS = 4_000_000  # characters: the parser takes 6 s for this many of short statements
_MAX_COMPILED_CHARS = 400_000  # characters: Python 3.11 takes 4 s for this many of equal functions
_MAX_FINALLY = 6  # levels of indentation with `finally`, each of which doubles the code
_MAX_DEPTH = 15  # of brackets: 21 nested comprehensions crash the process, and the depth is only estimated
_STEPS = {**dict.fromkeys("[({", 1), **dict.fromkeys("])}", -1)}
_LONG_LINE = 2_000  # characters; a shorter line cannot contain too many names or fields
_MAX_DOTS = 1_000  # in an import, by choice: 10,000 take 30 ms, 50,000 1.3 s, and more overflow the stack
_MAX_FIELDS = 10_000  # of an f-string in one line: they take 70 ms, 50,000 1.3 s
_TEMPLATE = r"(?m)^[ \t]*\{%|\{\{ ?cookiecutter\b"
_warnings_lock = allocate_lock()


class PythonSyntax(Parser):
    """Python's own syntax errors."""

    name = "python"
    files = ("*.py", "*.pyi", "*.pyw", "SConstruct", "SConscript", "wscript")
    max_characters_in_process = 1_000  # `lambda:` again and again: 5 KB take 0.2 s, 20 KB take 4 s

    def issues(self, path: str, text: str) -> list[Issue]:
        """The first error, in the compiler's words."""
        from re import search

        if "\0" in text:
            return [Places(text).error(text.index("\0"), "a null byte is not allowed in Python source")]
        _refuse_costly(path, text)
        try:
            self._compile(path, text)
        except SyntaxError as error:
            if search(_TEMPLATE, text):
                why = "it contains {% %} or {{ cookiecutter }}"
                raise NotRunError(f"{path} is a template, not Python: {why}") from None
            return [_syntax_issue(text, error)]
        except (RecursionError, MemoryError):
            raise NotRunError(f"{path} is nested too deeply for Python's compiler") from None
        except (ValueError, OverflowError) as error:
            raise NotRunError(f"{path} cannot be compiled: {error}") from None
        return []

    def _compile(self, path: str, text: str) -> None:
        import warnings

        # Filters are global to the process: two checks that change them at the same time could leave them changed.
        with _warnings_lock, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._read(path, text)

    def _read(self, path: str, text: str) -> None:
        if len(text) > _MAX_COMPILED_CHARS or _nests_finally(text) or _depth(text) > _MAX_DEPTH:
            from symtable import symtable

            symtable(text, path, "exec")
        else:
            compile(text, path, "exec", dont_inherit=True)


class PythonParser(PythonSyntax):
    """Only the errors of the parser; the compiler finds more."""

    name = "python-parser"

    def _read(self, path: str, text: str) -> None:
        compile(text, path, "exec", _ONLY_AST, dont_inherit=True)


def check_python(path: str, text: str, staging: Staging, check: PythonSyntax | None = None) -> list[Issue]:
    """Python's own syntax errors, for a check by another program; large texts go to a worker."""
    check = check or PythonSyntax()
    if len(text) <= check.max_characters_in_process:
        return check.issues(path, text)
    from suture.check import worker

    return worker.check(check.name, path, None, text, staging.seconds, (staging.root,))


def python_accepts(path: str, text: str, staging: Staging, check: PythonSyntax | None = None) -> bool:
    """Whether Python finds no syntax error in a text."""
    try:
        return not check_python(path, text, staging, check)
    except NotRunError:
        return False


def _nests_finally(text: str) -> bool:
    """Whether `finally` may be nested many levels deep."""
    if text.count("finally:") <= _MAX_FINALLY:
        return False
    lines = (line for line in text.split("\n") if "finally:" in line)
    return len({len(line) - len(line.lstrip()) for line in lines}) > _MAX_FINALLY


def _depth(text: str) -> int:
    """An estimate of how deep brackets are nested: those in strings count too."""
    from re import findall

    depth = deepest = 0
    for token in findall(r"(?m)^\w|[\[({})\]]", text):
        depth = max(0, depth + _STEPS.get(token, -depth))  # an unindented line is taken to be outside of brackets
        deepest = max(deepest, depth)
    return deepest


def _refuse_costly(path: str, text: str) -> None:
    if len(text) > _MAX_PARSED_CHARS:
        raise NotRunError(f"{path} is longer than {_MAX_PARSED_CHARS:,} characters")
    for line in text.split("\n"):
        if len(line) > _LONG_LINE:
            names = line.lstrip().startswith(("import ", "from ")) and line.count(".") > _MAX_DOTS
            if names or (line.count("{") > _MAX_FIELDS and ('f"' in line or "f'" in line)):
                raise NotRunError(f"{path} has a line that Python's compiler takes too long for")


def _syntax_issue(text: str, error: SyntaxError) -> Issue:
    begin, end = _span(text, error.lineno or 1)
    line = text[begin:end]
    column = error.offset or 1
    if isinstance(error, IndentationError) and "indented block" not in error.msg and line.strip():
        column = len(line) - len(line.lstrip()) + 1
    elif error.text and error.msg.startswith("f-string") and error.text.strip() not in line:
        column += max(0, line.find("{" + error.text.strip()[1:-1]))  # Python 3.11 counts in the field, with brackets
    return Places(text).error(min(begin + max(0, column - 1), end), error.msg)


def _span(text: str, line: int) -> tuple[int, int]:
    r"""Start and end of a line as Python counts lines: any `\r` ends one. Beyond the last line, the end of the text."""
    from re import finditer

    ends = [(0, 0), *(match.span() for match in finditer(r"\r\n?|\n", text)), (len(text), len(text))]
    if line >= len(ends) or (line > 1 and ends[line - 1][1] == len(text)):
        end = len(text.rstrip())
        return end, end
    return ends[line - 1][1], ends[line][0]


_ERRORS = ("E9", "F404", "F406", "F407", "F62", "F63", "F7", "F82")
"""Rules whose violation breaks a program at compile time or run time."""
_ALWAYS = ("--no-cache", "--quiet", "--no-fix", "--no-fix-only", "--no-force-exclude", "--output-format", "json")
"""Options that override any configuration: ruff only checks, and only one text."""
_UNCONFIGURED = ("--select", "E9,F")
_SCOPED = ("await", "async", "global", "nonlocal")
"""Keywords whose misuse ruff does not report by default, but Python does, in 15 ms for 100 KB."""
_CONFIGURATIONS = (".ruff.toml", "ruff.toml")
_PROJECT = "pyproject.toml"
_MAX_EXTENDED = 20  # configurations in a chain of `extend`, which may be circular
_AT_THE_END = "unexpected EOF while parsing"
_EXIT_PROBLEMS = 1  # the exit code of ruff if it found problems
_MAX_REFUSAL_CHARS = 200  # characters of ruff's error message, for a reason or a warning
_MAX_CONFIGURATION_BYTES = 1_000_000  # far more than a person writes


class Ruff:
    """Checks one Python file with ruff: syntax, undefined names, and what the project configures."""

    name = "ruff"
    files = ("*.py", "*.pyi", "*.pyw")
    syntax_codes = (INVALID,)
    external = True

    def __init__(
        self, roots: Sequence[str] = (), untrusted: Sequence[str] | None = None, guard: Guard | None = None
    ) -> None:
        """`untrusted`: the roots from which no program is run; all roots by default."""
        self._roots = tuple(roots)
        self._untrusted = self._roots if untrusted is None else tuple(untrusted)
        self._guard = guard or Guard()

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """Run ruff on the text under the file's name, so that it finds the configuration by itself."""
        from suture.json_text import loads

        del before
        ruff = program("ruff", self._untrusted)
        if ruff is None:
            raise NotRunError("ruff is not installed: pip install 'suture[lint]'")
        command = [ruff, "check", *_ALWAYS]
        configured = _Configuration(staging.name, self._roots or (staging.root,), self._guard)
        refused = configured.refusal()
        if refused is None:
            result = self._ask([*command, *(() if configured.file else _UNCONFIGURED)], after, staging)
            if result.code not in {0, _EXIT_PROBLEMS}:
                refused = f"ruff rejects it: {summary(result.err, _MAX_REFUSAL_CHARS)}"
        notes: list[Issue] = []
        if refused is not None:
            words = f"ruff used its default rules instead of the project's configuration: {refused}"
            notes.append(Issue("warning", 1, 1, "ruff-configuration", words))
            result = self._ask([*command, "--isolated", *_UNCONFIGURED], after, staging)
        if result.code not in {0, _EXIT_PROBLEMS}:
            raise NotRunError(f"ruff failed: {summary(result.err, _MAX_REFUSAL_CHARS)}")
        findings: Any = loads(result.out.decode("utf-8", "replace") or "[]")
        return notes + _with_python(list(map(_ruff_issue, findings)), path, after, staging)

    def _ask(self, arguments: Sequence[str], text: str, staging: Staging) -> ProgramResult:
        stdin = text.encode("utf-8", "replace")
        command = [*arguments, "--stdin-filename", staging.name, "-"]
        return run(command, staging.seconds, staging.root, stdin, roots=self._untrusted)


class _Configuration:
    """The configuration that ruff finds for a file: the nearest one, and those that it extends.

    Its author must not be able to learn the content or existence of files outside the workspace, although ruff quotes
    what it cannot parse. Nor may it lead ruff to a pipe that nobody writes to.
    """

    def __init__(self, name: str, roots: Sequence[str], guard: Guard) -> None:
        self._inside = RootSet(roots)
        self._roots = [os.path.realpath(root).rstrip("/") for root in roots]
        self._guard = guard
        self._folder = os.path.dirname(name)
        self.file: str | None = None
        """The nearest configuration, set by `refusal`; None if there is none."""

    def refusal(self) -> str | None:
        """Why the configuration must not be used; None if it may be, or if there is none."""
        folder = self._folder
        while True:
            for name in (*_CONFIGURATIONS, _PROJECT):
                file = os.path.join(folder, name)
                if not os.path.lexists(file):
                    continue
                wrong = self._wrong_place(file)
                if wrong is not None:
                    return wrong
                if self.file is None and (name != _PROJECT or _ruff_settings(file) != {}):
                    self.file = file
            above = os.path.dirname(folder)
            if above == folder:
                break
            folder = above
        if self.file is None:
            home = os.path.expanduser("~/.config/ruff")
            return f"{home} is in the workspace" if os.path.lexists(home) and self._inside.contains(home) else None
        return self._wrong_chain(self.file) if self._inside.contains(self.file) else None

    def _wrong_chain(self, file: str) -> str | None:
        """The problem of a configuration or of one that it extends; None if it may be used."""
        for _ in range(_MAX_EXTENDED):
            shown, settings = os.path.basename(file), _ruff_settings(file)
            if settings is None:
                return f"{shown} cannot be read as TOML"
            folder = os.path.dirname(file)
            sources = settings.get("src")
            for path in sources if isinstance(sources, list) else ():
                if not isinstance(path, str) or self._leads_out(folder, path):
                    return f"src in {shown} points outside the workspace"
            extended = settings.get("extend")
            if extended is None:
                return None
            if not isinstance(extended, str) or self._leads_out(folder, extended):
                return f"extend in {shown} points outside the workspace"
            file = os.path.join(folder, extended)
            wrong = self._wrong_place(file)
            if wrong is not None:
                return wrong
        return "extend is nested too deeply, or circular"

    def _leads_out(self, folder: str, path: str) -> bool:
        """Whether a path in a configuration may lead outside the roots: ruff expands variables."""
        real = os.path.realpath(os.path.join(folder, path))
        below = any(f"{real}/".startswith(f"{root}/") for root in self._roots)
        return not below or path.startswith("~") or "$" in path

    def _wrong_place(self, file: str) -> str | None:
        """The problem of a configuration's location. One above the roots was not written by the agent."""
        shown = os.path.basename(file)
        if self._inside.contains(file):  # must not reveal whether a file outside exists
            real = os.path.realpath(file)
            root = next((root for root in self._roots if real.startswith(f"{root}/")), None)
            if root is None:
                return f"{shown} points outside the workspace"
            rule = self._guard.rule(real.removeprefix(f"{root}/"))
            if rule is not None:
                return f"{shown} is protected ({rule})"
        return None if os.path.isfile(file) else f"{shown} is not a regular file"


def _ruff_settings(file: str) -> dict[str, Any] | None:
    """The settings of ruff in a file, perhaps none; None if the file cannot be read."""
    from suture.check.data import load_toml  # most projects have no configuration

    raw = read_regular(file, _MAX_CONFIGURATION_BYTES + 1)
    if raw is None or len(raw) > _MAX_CONFIGURATION_BYTES:
        return None
    is_project = os.path.basename(file) == _PROJECT
    if is_project and b"ruff" not in raw:
        return {}
    try:
        content: Any = load_toml(file, raw.decode())
    except (ValueError, NotRunError):
        return None
    if is_project:
        tool = content.get("tool")
        content = tool.get("ruff", {}) if isinstance(tool, dict) else {}
    return content if isinstance(content, dict) else None


def _with_python(issues: list[Issue], path: str, text: str, staging: Staging) -> list[Issue]:
    """Add what Python itself reports: where an unclosed bracket was opened, and what cannot be compiled."""
    broken = any(issue.code == INVALID for issue in issues)
    if not broken and not any(word in text for word in _SCOPED):
        return issues
    try:
        known = check_python(path, text, staging)
    except NotRunError:
        return issues
    if not known:
        return issues
    if not broken:
        same_line = any(issue.line == known[0].line and issue.severity == "error" for issue in issues)
        # What the parser itself rejects may be newer syntax than this Python supports.
        is_known = same_line or not python_accepts(path, text, staging, PythonParser())
        return issues if is_known else sorted([*known, *issues], key=_place)
    if "was never closed" not in known[0].message:
        return issues
    cause = known[0]
    notices = [issue for issue in issues if issue.code == INVALID and issue.line >= cause.line]
    rest = [issue for issue in issues if issue not in notices[:1] and issue.message != _AT_THE_END]
    return sorted([cause, *rest], key=_place) if notices else issues


def _place(issue: Issue) -> tuple[int, int]:
    return issue.line, issue.column


def _ruff_issue(finding: dict[str, Any]) -> Issue:
    code = finding["code"] or INVALID
    severity = "error" if code == INVALID or code.startswith(_ERRORS) else "warning"
    place = finding["location"]
    return Issue(severity, place["row"], place["column"], code, finding["message"])
