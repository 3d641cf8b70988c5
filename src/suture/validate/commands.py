"""Checks by other programs: what the operator names, mypy and pylint among them.

A command is an argument list in which `{file}` stands for the checked text, in a private folder that is laid out as
the workspace is; it runs in that folder, without a shell. Exit code 0 means that all is well. Otherwise what it wrote
is read: a line such as `file:12:5: error: words [code]` is a problem; column, severity and code may be left out.
"""

from __future__ import annotations

import os

from suture.validate.issue import Issue, NotRunError
from suture.validate.programs import permitted, run

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from suture.validate.issue import Staging

FILE = "{file}"
_PYTHON = ("*.py", "*.pyi")
_CANNOT_EXECUTE = 126
_LONGEST = 500
_MOST_ISSUES = 1_000
_FORMS = (
    r"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:(?P<column>\d+):)?[ \t]*"
    r"(?:(?P<severity>fatal|error|warning|note|info|convention|refactor|hint)\b[:\]]?[ \t]*)?(?P<words>.*)"
)
_SEVERITIES = {None: "error", "error": "error", "fatal": "error"}
_REMARKS = {"note", "info", "hint"}


class Command:
    """A check that a program carries out."""

    external = True

    def __init__(
        self,
        name: str,
        files: Sequence[str],
        command: Sequence[str],
        *,
        syntax_codes: Sequence[str] = (),
        first_column: int = 1,
        beside: bool = False,
        follows: bool = False,
        roots: Sequence[str] = (),
    ) -> None:
        """`beside`: the program is looked for beside suture, too. `roots` are the folders that must not hold it.

        `follows`: it may speak of other files only, which are not what is checked.
        """
        self.name = name
        self.files = tuple(files)
        self.syntax_codes = (*syntax_codes, name)
        self._command = tuple(command)
        self._first_column = first_column
        self._beside = beside
        self._follows = follows
        self._roots = tuple(roots)

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """Run the program on the staged text, and read what it says about it."""
        del before, after
        first, *rest = self._command
        file = staging.file()
        first = permitted(first, self._roots, staging.folder(), beside=self._beside)
        arguments = [first, *(each.replace(FILE, file) for each in rest)]
        ran = run(arguments, staging.seconds, staging.folder(), roots=self._roots)
        if ran.code == 0:
            return []
        said = _plain((ran.out + b"\n" + ran.err).decode("utf-8", "replace"))
        said = said.replace(f"{staging.folder()}/", "")  # which is another one each time
        if ran.code < 0 or ran.code >= _CANNOT_EXECUTE:
            how = f"was ended by signal {-ran.code}" if ran.code < 0 else f"ended with code {ran.code}"
            raise NotRunError(f"{os.path.basename(first)} {how}: {_summary(said)}")
        told = list(_read(said, self.name))
        issues = [issue for name, issue in told if _is_same(name, path, staging)][:_MOST_ISSUES]
        if not issues and not (told and self._follows):  # nothing that could be read
            return [Issue("error", 1, 1, self.name, _summary(said) or f"exit code {ran.code}")]
        return [issue.but(column=max(issue.column + 1 - self._first_column, 1)) for issue in issues]


def mypy(roots: Sequence[str] = ()) -> Command:
    """Types, as the project's configuration wants them checked."""
    options = "--no-error-summary --show-column-numbers --show-error-codes --no-color-output --no-pretty"
    command = ["mypy", *options.split(), "--follow-imports=silent", f"--cache-dir={os.devnull}", FILE]
    return Command("mypy", _PYTHON, command, syntax_codes=("syntax",), beside=True, follows=True, roots=roots)


def pylint(roots: Sequence[str] = ()) -> Command:
    """What pylint finds, as the project's configuration wants it."""
    form = "--msg-template={path}:{line}:{column}: {category}: {msg} [{symbol}]"
    command = ["pylint", "--score=n", "--persistent=n", "--reports=n", form, FILE]
    codes = ("syntax-error", "astroid-error")
    return Command(
        "pylint", _PYTHON, command, syntax_codes=codes, first_column=0, beside=True, follows=True, roots=roots
    )


ON_REQUEST = {"mypy": mypy, "pylint": pylint}
"""What is slow, and may run what the project's own files say: carried out only where it is asked for."""


def _plain(said: str) -> str:
    """What a program wrote, without colors and what else a terminal obeys."""
    import re

    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\0", "", said)


def _read(said: str, name: str) -> Iterator[tuple[str, Issue]]:
    """The problems in what a program wrote, each with the file it is in; `name` is the code of those without one."""
    import re

    form = re.compile(_FORMS)
    for line in said.split("\n"):
        found = form.fullmatch(line.rstrip()[: 4 * _LONGEST])
        if found is None or found["severity"] in _REMARKS:
            continue
        words, code = _code(found["words"], name)
        severity = _SEVERITIES.get(found["severity"], "warning")
        yield found["file"], Issue(severity, max(int(found["line"]), 1), int(found["column"] or 1), code, words)


def _code(words: str, name: str) -> tuple[str, str]:
    """A message without the code that stands in brackets at its end, and that code, or the name."""
    head, bracket, tail = words.rpartition("[")
    if bracket and tail.endswith("]") and head.strip() and " " not in tail:
        return head.strip()[:_LONGEST], tail[:-1]
    return words[:_LONGEST], name


def _is_same(name: str, path: str, staging: Staging) -> bool:
    """Whether the file that a program names is the checked one."""
    shown = os.path.normpath(os.path.join(staging.folder(), name))
    return os.path.realpath(shown) == os.path.realpath(staging.file()) or name == path


def _summary(said: str) -> str:
    """What a program says, in a line."""
    lines = [line.strip() for line in said.split("\n") if line.strip()]
    return " / ".join(lines[:3])[:_LONGEST]
