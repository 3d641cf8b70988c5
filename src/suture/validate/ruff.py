"""Python by ruff, when it is installed: it knows the syntax of newer Pythons than the one that runs, and names.

The project's own configuration says what is looked for. What would break the program when it runs is an error, all
else a warning: an import that is added before its use must pass.
"""

from __future__ import annotations

import os

from suture.validate.issue import Issue, NotRunError
from suture.validate.places import INVALID
from suture.validate.programs import program, run
from suture.validate.python_syntax import check_python, parses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from suture.validate.issue import Staging
    from suture.validate.programs import Ran

_ERRORS = ("E9", "F404", "F406", "F407", "F62", "F63", "F7", "F82")
"""What breaks a program when it is compiled or runs."""
_ALWAYS = ("--no-cache", "--quiet", "--no-fix", "--no-fix-only", "--no-force-exclude", "--output-format", "json")
"""Whatever a configuration says: it is asked about one text, and only asked."""
_UNCONFIGURED = ("--select", "E9,F")
_SCOPED = ("await", "async", "global", "nonlocal")
"""Words whose misuse ruff does not notice by default, and Python does, in 15 ms for 100 KB."""
_CONFIGURATIONS = ("ruff.toml", ".ruff.toml")
_AT_THE_END = "unexpected EOF while parsing"
_PROBLEMS = 1
_LARGEST_CONFIGURATION = 1_000_000


class Ruff:
    """Syntax, undefined names and what else the project wants, of one Python file."""

    name = "ruff"
    files = ("*.py", "*.pyi", "*.pyw")
    syntax_codes = (INVALID,)
    external = True

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """Ask ruff about the text as if it stood in the file, so that it finds the configuration by itself."""
        del before
        found = program("ruff", staging.root)
        if found is None:
            raise NotRunError("ruff is not installed: pip install 'suture[lint]'")
        asked = [found, "check", *_ALWAYS]
        chosen = () if _is_configured(staging.name) else _UNCONFIGURED
        ran = _ask([*asked, *chosen], after, staging)
        notes: list[Issue] = []
        if ran.code not in {0, _PROBLEMS}:  # a configuration that ruff cannot read
            words = f"ruff does not take the project's configuration, and used its own: {_summary(ran)}"
            notes.append(Issue("warning", 1, 1, "ruff-configuration", words))
            ran = _ask([*asked, "--isolated", *_UNCONFIGURED], after, staging)
        if ran.code not in {0, _PROBLEMS}:
            raise NotRunError(f"ruff failed: {_summary(ran)}")
        return notes + _with_python([_issue(each) for each in _told(ran.out)], path, after, staging)


def _with_python(issues: list[Issue], path: str, text: str, staging: Staging) -> list[Issue]:
    """What Python itself says beside ruff: where a bracket is opened that is never closed, what cannot be compiled.

    What only the parser objects to may be newer syntax than that of the Python that runs.
    """
    broken = any(each.code == INVALID for each in issues)
    if not broken and not any(word in text for word in _SCOPED):
        return issues
    try:
        known = check_python(path, text, staging)
    except NotRunError:
        return issues
    if not known:
        return issues
    if not broken:
        same_line = any(each.line == known[0].line and each.severity == "error" for each in issues)
        return issues if same_line or not parses(path, text, staging) else sorted([*known, *issues], key=_place)
    if "was never closed" not in known[0].message:
        return issues
    cause = known[0]
    notices = [each for each in issues if each.code == INVALID and each.line >= cause.line]
    rest = [each for each in issues if each not in notices[:1] and each.message != _AT_THE_END]
    return sorted([cause, *rest], key=_place) if notices else issues


def _place(issue: Issue) -> tuple[int, int]:
    return issue.line, issue.column


def _summary(ran: Ran) -> str:
    said = [line.strip() for line in ran.err.decode("utf-8", "replace").split("\n") if line.strip()]
    return " / ".join(said[:3])[:200]


def _ask(arguments: Sequence[str], text: str, staging: Staging) -> Ran:
    given = text.encode("utf-8", "replace")
    return run([*arguments, "--stdin-filename", staging.name, "-"], staging.seconds, staging.root, given)


def _told(out: bytes) -> list[dict[str, Any]]:
    from suture.json_text import loads

    told: Any = loads(out.decode("utf-8", "replace") or "[]")
    return list(told)


def _issue(told: dict[str, Any]) -> Issue:
    code = told["code"] or INVALID
    severity = "error" if code == INVALID or code.startswith(_ERRORS) else "warning"
    place = told["location"]
    return Issue(severity, place["row"], place["column"], code, told["message"])


def _is_configured(file: str) -> bool:
    """Whether some folder above a file says what ruff is to look for."""
    folder = os.path.dirname(file)
    while True:
        if any(os.path.exists(os.path.join(folder, name)) for name in _CONFIGURATIONS):
            return True
        if _speaks_of_ruff(os.path.join(folder, "pyproject.toml")):
            return True
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above


def _speaks_of_ruff(file: str) -> bool:
    try:
        with open(file, "rb") as opened:
            return b"[tool.ruff" in opened.read(_LARGEST_CONFIGURATION)
    except OSError:
        return False
