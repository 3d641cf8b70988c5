"""Python files: the parser of the running Python, and ruff.

Nothing is run, and warnings are kept back. The compiler cannot be interrupted, and some texts make it take forever, or
crash, so those are known here. `finally` inside `finally` doubles the code at every level; comprehensions inside each
other, more than 20, end the process (Python 3.12 and 3.13); equal functions are compared with each other, too long
where a file has thousands (Python 3.11). These go to the parser and the symbol table alone, which miss a few errors,
such as `return` outside a function. A name of thousands of parts in an import, and thousands of fields in an f-string
on one line, are beyond the parser, too.

Rejected: the symbol table for all files. It takes four fifths of the time and finds less. The AST takes longer.

The project's own configuration says what is looked for. What would break the program when it runs is an error, all
else a warning: an import that is added before its use must pass.
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
_MAX_PARSED = 4_000_000  # characters: of short statements, so many take the parser 6 s
_MAX_COMPILED = 400_000  # characters: of equal functions, so many take Python 3.11 4 s
_MAX_FINALLY = 6  # levels of indentation with `finally`, each of which doubles the code
_MAX_DEPTH = 15  # of brackets: comprehensions end the process from 21 on, and the depth is only estimated
_STEPS = {**dict.fromkeys("[({", 1), **dict.fromkeys("])}", -1)}
_LONG_LINE = 2_000  # characters, below which a line is not looked at: it cannot hold as many names or fields
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
                why = "its lines hold {% %} or {{ cookiecutter }}"
                raise NotRunError(f"{path} is a template, which is not Python yet: {why}") from None
            return [_syntax_issue(text, error)]
        except (RecursionError, MemoryError):
            raise NotRunError(f"{path} is nested too deeply for Python's compiler") from None
        except (ValueError, OverflowError) as error:
            raise NotRunError(f"{path} cannot be given to Python's compiler: {error}") from None
        return []

    def _compile(self, path: str, text: str) -> None:
        import warnings

        # The filters belong to the whole process: two checks that change them at once could leave them changed.
        with _warnings_lock, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self._read(path, text)

    def _read(self, path: str, text: str) -> None:
        if len(text) > _MAX_COMPILED or _nests_finally(text) or _depth(text) > _MAX_DEPTH:
            from symtable import symtable

            symtable(text, path, "exec")
        else:
            compile(text, path, "exec", dont_inherit=True)


class PythonParser(PythonSyntax):
    """What the parser alone objects to; the compiler knows more."""

    name = "python-parser"

    def _read(self, path: str, text: str) -> None:
        compile(text, path, "exec", _ONLY_AST, dont_inherit=True)


def check_python(path: str, text: str, staging: Staging, check: PythonSyntax | None = None) -> list[Issue]:
    """What Python says of a text to a check by another program, in a process that can be ended if need be."""
    check = check or PythonSyntax()
    if len(text) <= check.max_characters_in_process:
        return check.issues(path, text)
    from suture.check import worker

    return worker.check(check.name, path, None, text, staging.seconds, (staging.root,))


def python_accepts(path: str, text: str, staging: Staging, check: PythonSyntax | None = None) -> bool:
    """Whether Python has nothing to say of a text."""
    try:
        return not check_python(path, text, staging, check)
    except NotRunError:
        return False


def _nests_finally(text: str) -> bool:
    """Whether `finally` may be nested in `finally` many times."""
    if text.count("finally:") <= _MAX_FINALLY:
        return False
    lines = (line for line in text.split("\n") if "finally:" in line)
    return len({len(line) - len(line.lstrip()) for line in lines}) > _MAX_FINALLY


def _depth(text: str) -> int:
    """How deep brackets are nested, about: those in strings are counted, too."""
    from re import findall

    depth = deepest = 0
    for token in findall(r"(?m)^\w|[\[({})\]]", text):
        depth = max(0, depth + _STEPS.get(token, -depth))  # a line that begins at its edge is in no bracket
        deepest = max(deepest, depth)
    return deepest


def _refuse_costly(path: str, text: str) -> None:
    if len(text) > _MAX_PARSED:
        raise NotRunError(f"{path} is longer than {_MAX_PARSED:,} characters")
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
    r"""Where a line begins and ends as Python counts them: any `\r` ends one. One that is not there is the end."""
    from re import finditer

    ends = [(0, 0), *(match.span() for match in finditer(r"\r\n?|\n", text)), (len(text), len(text))]
    if line >= len(ends) or (line > 1 and ends[line - 1][1] == len(text)):
        end = len(text.rstrip())
        return end, end
    return ends[line - 1][1], ends[line][0]


_ERRORS = ("E9", "F404", "F406", "F407", "F62", "F63", "F7", "F82")
"""What breaks a program when it is compiled or runs."""
_ALWAYS = ("--no-cache", "--quiet", "--no-fix", "--no-fix-only", "--no-force-exclude", "--output-format", "json")
"""Whatever a configuration says: it is asked about one text, and only asked."""
_UNCONFIGURED = ("--select", "E9,F")
_SCOPED = ("await", "async", "global", "nonlocal")
"""Words whose misuse ruff does not notice by default, and Python does, in 15 ms for 100 KB."""
_CONFIGURATIONS = (".ruff.toml", "ruff.toml")
_PROJECT = "pyproject.toml"
_MAX_EXTENDED = 20  # configurations in a chain of `extend`, which may be a circle
_AT_THE_END = "unexpected EOF while parsing"
_EXIT_PROBLEMS = 1  # the exit code of ruff if it found problems
_MAX_REFUSAL = 200  # characters of what ruff says when it fails: a sentence in a reason, or in a warning
_MAX_CONFIGURATION_BYTES = 1_000_000  # a person wrote it


class Ruff:
    """Syntax, undefined names and what else the project wants, of one Python file."""

    name = "ruff"
    files = ("*.py", "*.pyi", "*.pyw")
    syntax_codes = (INVALID,)
    external = True

    def __init__(
        self, roots: Sequence[str] = (), untrusted: Sequence[str] | None = None, guard: Guard | None = None
    ) -> None:
        """`held`: the roots from which no program is taken; all of them, unless it is said."""
        self._roots = tuple(roots)
        self._untrusted = self._roots if untrusted is None else tuple(untrusted)
        self._guard = guard or Guard()

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """Ask ruff about the text as if it were in the file, so that it finds the configuration by itself."""
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
                refused = f"ruff rejects it: {summary(result.err, _MAX_REFUSAL)}"
        notes: list[Issue] = []
        if refused is not None:
            words = f"ruff used its default rules instead of the project's configuration: {refused}"
            notes.append(Issue("warning", 1, 1, "ruff-configuration", words))
            result = self._ask([*command, "--isolated", *_UNCONFIGURED], after, staging)
        if result.code not in {0, _EXIT_PROBLEMS}:
            raise NotRunError(f"ruff failed: {summary(result.err, _MAX_REFUSAL)}")
        findings: Any = loads(result.out.decode("utf-8", "replace") or "[]")
        return notes + _with_python(list(map(_ruff_issue, findings)), path, after, staging)

    def _ask(self, arguments: Sequence[str], text: str, staging: Staging) -> ProgramResult:
        stdin = text.encode("utf-8", "replace")
        command = [*arguments, "--stdin-filename", staging.name, "-"]
        return run(command, staging.seconds, staging.root, stdin, roots=self._untrusted)


class _Configuration:
    """The configuration that ruff finds for a file: the nearest, and what that extends.

    Whoever writes it must not learn by it what files outside of the workspace say, or whether they exist: ruff quotes
    what it cannot read. And ruff must not be led to a pipe that nobody writes into.
    """

    def __init__(self, name: str, roots: Sequence[str], guard: Guard) -> None:
        self._inside = RootSet(roots)
        self._roots = [os.path.realpath(root).rstrip("/") for root in roots]
        self._guard = guard
        self._folder = os.path.dirname(name)
        self.file: str | None = None
        """The nearest one, once `refusal` looked for it; None if there is none."""

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
        """What is wrong with a configuration or with one that it extends."""
        for _ in range(_MAX_EXTENDED):
            shown, settings = os.path.basename(file), _ruff_settings(file)
            if settings is None:
                return f"{shown} cannot be read as TOML"
            folder = os.path.dirname(file)
            sources = settings.get("src")
            for path in sources if isinstance(sources, list) else ():
                if not isinstance(path, str) or self._leads_out(folder, path):
                    return f"src in {shown} leads out of the workspace"
            extended = settings.get("extend")
            if extended is None:
                return None
            if not isinstance(extended, str) or self._leads_out(folder, extended):
                return f"extend in {shown} leads out of the workspace"
            file = os.path.join(folder, extended)
            wrong = self._wrong_place(file)
            if wrong is not None:
                return wrong
        return "extend is nested too deeply, or circular"

    def _leads_out(self, folder: str, path: str) -> bool:
        """Whether a path in a configuration means something outside of the roots, or may: ruff knows variables."""
        real = os.path.realpath(os.path.join(folder, path))
        below = any(f"{real}/".startswith(f"{root}/") for root in self._roots)
        return not below or path.startswith("~") or "$" in path

    def _wrong_place(self, file: str) -> str | None:
        """What is wrong with where a configuration is; one above the roots is not the agent's."""
        shown = os.path.basename(file)
        if self._inside.contains(file):  # whether there is something outside must not be told
            real = os.path.realpath(file)
            root = next((root for root in self._roots if real.startswith(f"{root}/")), None)
            if root is None:
                return f"{shown} leads out of the workspace"
            rule = self._guard.rule(real.removeprefix(f"{root}/"))
            if rule is not None:
                return f"{shown} is protected ({rule})"
        return None if os.path.isfile(file) else f"{shown} is not a regular file"


def _ruff_settings(file: str) -> dict[str, Any] | None:
    """What a file says about ruff, nothing if it is not about ruff; None if it cannot be read."""
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
    """What Python itself says beside ruff: where a bracket is opened that is never closed, what cannot be compiled."""
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
        # What only the parser objects to may be newer syntax than that of the Python that runs.
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
