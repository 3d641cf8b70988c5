"""Checks by real programs: mypy, pylint, and what an operator names."""

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from suture.check.issue import Issue, NotRunError, Validator
from suture.check.programs import Command, mypy, pylint
from suture.files.local_fs import Layout

pytestmark = pytest.mark.process


def issues(validator: Validator, root: Path, path: str, text: str, seconds: float = 60) -> list[Issue]:
    layout = Layout(str(root), {path: text.encode()})
    try:
        return validator.check(path, None, text, layout.stage(path).within(seconds))
    finally:
        layout.remove()


def command(source: str, *arguments: str) -> Command:
    """A check by a Python program."""
    return Command("own", ("*",), [sys.executable, "-c", source, *(arguments or ("{file}",))])


@pytest.mark.promise("safe.staging")
def test_mypy_sees_the_staged_text_its_neighbors_and_its_configuration(tmp_path: Path) -> None:
    (tmp_path / "mypy.ini").write_text("[mypy]\ndisallow_untyped_defs = true\n")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (tmp_path / "pkg" / "other.py").write_text("def number() -> int:\n    return 1\n")
    (tmp_path / "pkg" / "a.py").write_text("")
    text = "from .other import number\n\nx: str = number()\n\n\ndef f():\n    return 1\n"
    problems = issues(mypy(), tmp_path, "pkg/a.py", text)
    assert [(issue.severity, issue.line, issue.column, issue.code) for issue in problems] == [
        ("error", 3, 10, "assignment"),
        ("error", 6, 1, "no-untyped-def"),
    ]
    assert not list(tmp_path.rglob(".mypy_cache"))


def test_mypy_says_nothing_about_good_code(tmp_path: Path) -> None:
    assert issues(mypy(), tmp_path, "a.py", "x: int = 1\n") == []


@pytest.mark.promise("safe.staging")
def test_pylint_sees_the_staged_text_and_its_configuration(tmp_path: Path) -> None:
    (tmp_path / ".pylintrc").write_text("[MESSAGES CONTROL]\ndisable=missing-module-docstring\n")
    problems = issues(pylint(), tmp_path, "a.py", "import os\n\nprint(undefined)\n")
    assert [(issue.severity, issue.line, issue.column, issue.code) for issue in problems] == [
        ("error", 3, 7, "undefined-variable"),
        ("warning", 1, 1, "unused-import"),
    ]


def test_a_program_that_is_content_has_found_nothing(tmp_path: Path) -> None:
    assert issues(command("print('a.txt:1:1: error: never read')"), tmp_path, "a.txt", "x") == []


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("{file}:3:5: error: it broke [E1]", [("error", 3, 5, "E1", "it broke")]),
        ("{file}:3: it broke", [("error", 3, 1, "own", "it broke")]),
        ("{file}:3:5: warning: hm", [("warning", 3, 5, "own", "hm")]),
        ("{file}:3:5: note: by the way\n{file}:4:1: bad", [("error", 4, 1, "own", "bad")]),
        ("sub/a.txt:2:1: relative", [("error", 2, 1, "own", "relative")]),
        ("./sub/a.txt:2:1: relative", [("error", 2, 1, "own", "relative")]),
        ("/elsewhere/b.py:1:1: error: no", [("error", 1, 1, "own", "/elsewhere/b.py:1:1: error: no")]),
        ("\x1b[31m{file}\x1b[0m:1:2: error: red", [("error", 1, 2, "own", "red")]),
        ("12:30:11: error: late", [("error", 1, 1, "own", "12:30:11: error: late")]),
        ("something is wrong\nvery wrong", [("error", 1, 1, "own", "something is wrong / very wrong")]),
        ("", [("error", 1, 1, "own", "exit code 1")]),
    ],
)
def test_what_a_program_says_is_read(tmp_path: Path, output: str, expected: Sequence[tuple[object, ...]]) -> None:
    source = "import sys; print(sys.argv[1]); sys.exit(1)"
    problems = issues(command(source, output), tmp_path, "sub/a.txt", "x\n")
    assert [(issue.severity, issue.line, issue.column, issue.code, issue.message) for issue in problems] == list(
        expected
    )


def test_what_it_says_on_either_channel_is_read(tmp_path: Path) -> None:
    source = "import sys; sys.stderr.write(sys.argv[1] + ':2:1: bad'); sys.exit(1)"
    assert [issue.line for issue in issues(command(source), tmp_path, "a.txt", "x\n")] == [2]


def test_it_runs_where_the_staged_file_is(tmp_path: Path) -> None:
    (tmp_path / "config").write_text("found")
    source = "import sys; sys.exit(sys.argv[1] + ':1:1: ' + open('config').read() + open(sys.argv[1]).read())"
    assert issues(command(source), tmp_path, "a.txt", " new")[0].message == "found new"


@pytest.mark.promise("safe.commands")
def test_there_is_no_shell(tmp_path: Path) -> None:
    check = Command("own", ("*",), ["touch; touch", "{file}"])
    with pytest.raises(NotRunError, match="touch; touch is not installed"):
        issues(check, tmp_path, "a.txt", "x")


@pytest.mark.promise("safe.not-run")
def test_a_program_that_is_killed_or_late_or_missing_has_not_run(tmp_path: Path) -> None:
    with pytest.raises(NotRunError, match="was ended by signal 9"):
        issues(command("import os; os.kill(os.getpid(), 9)"), tmp_path, "a", "x")
    with pytest.raises(NotRunError, match="took longer than"):
        issues(command("import time; time.sleep(9)"), tmp_path, "a", "x", 0.2)
    with pytest.raises(NotRunError, match="ended with code 127: not there"):
        issues(command("import sys; print('not there'); sys.exit(127)"), tmp_path, "a", "x")
    with pytest.raises(NotRunError, match="no-such-check is not installed"):
        issues(Command("own", ("*",), ["no-such-check"], beside=True), tmp_path, "a", "x")
