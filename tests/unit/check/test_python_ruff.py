"""Python checked by a real ruff, with and without a project configuration."""

import os
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from suture import Settings, Workspace
from suture.check import python as module
from suture.check.issue import Issue, NotRunError
from suture.check.python import Ruff
from suture.files.local_fs import Layout

pytestmark = pytest.mark.process


def issues(root: Path, text: str, path: str = "src/a.py") -> list[Issue]:
    return Ruff().check(path, None, text, Layout(str(root), {}).stage(path).within(60))


def summarize(issues: list[Issue]) -> list[tuple[str, int, str]]:
    return [(issue.severity, issue.line, issue.code) for issue in issues]


BROKEN = [
    ("undefined name", "print(nothing)\n", ("error", 1, "F821")),
    ("no colon", "def f()\n    pass\n", ("error", 1, "invalid-syntax")),
    ("never closed", "x = 1\ny = (1,\nz = 3\n", ("error", 2, "invalid-syntax")),
    ("never closed, noticed at once", "def f(x:\n    return x\n", ("error", 1, "invalid-syntax")),
    ("indentation", "if True:\nx = 1\n", ("error", 2, "invalid-syntax")),
    ("return outside", "return 1\n", ("error", 1, "F706")),
    ("is a literal", "x = 1\nprint(x is 'a')\n", ("error", 2, "F632")),
    ("await in a plain function", "def f():\n    await g()\n\n\ndef g(): ...\n", ("error", 2, "invalid-syntax")),
    ("no binding", "def f():\n    nonlocal y\n    y = 1\n", ("error", 2, "invalid-syntax")),
    ("from the future", "from __future__ import teleport\n", ("error", 1, "F407")),
    ("half a line", "x = \n", ("error", 1, "invalid-syntax")),
]
GOOD = [
    "",
    "import os\n\nprint(os.sep)\n",
    "def f(x: int) -> int:\n    return x\n",
    "match 1:\n    case 1:\n        pass\n",
    "type X = int\n",
    "x = '…' + f'{1!r:>{3}}'\n",
    "async def f():\n    async with a() as b:\n        yield b\n\n\ndef a(): ...\n",
]


@pytest.mark.parametrize(("text", "expected"), [case[1:] for case in BROKEN], ids=[case[0] for case in BROKEN])
def test_what_would_break_is_an_error(tmp_path: Path, text: str, expected: tuple[str, int, str]) -> None:
    assert expected in summarize(issues(tmp_path, text))


def test_an_unclosed_bracket_is_reported_first_and_instead_of_where_it_is_noticed(tmp_path: Path) -> None:
    problems = issues(tmp_path, "x = (1, 2\ny = 3\n\nz = 1\n")
    assert (problems[0].line, problems[0].column, problems[0].message) == (1, 5, "'(' was never closed")
    assert "unexpected EOF while parsing" not in [issue.message for issue in problems]


@pytest.mark.parametrize("text", GOOD)
def test_good_code_passes_whatever_its_age(tmp_path: Path, text: str) -> None:
    assert issues(tmp_path, text) == []


@pytest.mark.promise("safe.new-errors")
def test_an_import_before_its_use_is_only_a_warning(tmp_path: Path) -> None:
    assert summarize(issues(tmp_path, "import os\n")) == [("warning", 1, "F401")]


def test_style_is_not_looked_at_unless_the_project_wants_it(tmp_path: Path) -> None:
    text = "import os, sys\nprint(os,sys)\n"
    assert issues(tmp_path, text) == []
    (tmp_path / "ruff.toml").write_text('[lint]\nselect = ["E4"]\n')
    assert summarize(issues(tmp_path, text)) == [("warning", 1, "E401")]


def test_a_project_can_leave_out_what_is_an_error_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.ruff.lint]\nignore = ["F821"]\n')
    assert issues(tmp_path, "print(nothing)\n") == []


def test_a_configuration_that_cannot_be_read_does_not_keep_from_checking(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text("broken = [\n")
    assert summarize(issues(tmp_path, "print(nothing)\n")) == [
        ("warning", 1, "ruff-configuration"),
        ("error", 1, "F821"),
    ]


@pytest.mark.promise("safe.not-run")
@pytest.mark.parametrize(
    "content", ["fix = true", "fix-only = true", 'exclude = ["*.py"]\nforce-exclude = true', 'output-format = "full"']
)
def test_a_configuration_cannot_turn_the_check_into_something_else(tmp_path: Path, content: str) -> None:
    (tmp_path / "ruff.toml").write_text(content)
    assert ("error", 1, "F821") in summarize(issues(tmp_path, "print(nothing)\n"))


def test_nothing_is_written_into_the_workspace(tmp_path: Path) -> None:
    issues(tmp_path, "x = 1\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.promise("safe.not-run")
def test_a_ruff_that_is_missing_or_fails_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "program", lambda _name, _roots: None)
    with pytest.raises(NotRunError, match=r"pip install 'suture\[lint\]'"):
        issues(tmp_path, "x = 1\n")
    failing = tmp_path / "ruff"
    failing.write_text("#!/bin/sh\necho broken >&2\nexit 2\n")
    failing.chmod(0o755)
    monkeypatch.setattr(module, "program", lambda _name, _roots: str(failing))
    with pytest.raises(NotRunError, match="ruff failed: broken"):
        issues(tmp_path, "x = 1\n")
    failing.write_text("#!/bin/sh\nprintf '%300s' | tr ' ' x >&2\nexit 2\n")
    with pytest.raises(NotRunError, match=r"ruff failed: x{200}$"):
        issues(tmp_path, "x = 1\n")


FOREIGN = "secret-of-another-project = [\n"


@pytest.fixture
def root() -> Iterator[Path]:
    """Give a workspace beside a file that does not belong to it, by paths so short that no message is cut."""
    with TemporaryDirectory(prefix="s", dir="/tmp") as folder:
        Path(folder, "secret.toml").write_text(FOREIGN)
        top = Path(folder).resolve() / "root"
        (top / "src").mkdir(parents=True)
        yield top


OUTSIDE = {
    "by its full path": {"ruff.toml": "extend = '{outside}/secret.toml'"},
    "above the root": {"ruff.toml": "extend = '../secret.toml'"},
    "in pyproject.toml": {"pyproject.toml": "[tool.ruff]\nextend = '../secret.toml'"},
    "in other words": {"pyproject.toml": "tool = {{ruff = {{'ext\\u0065nd' = '../secret.toml'}}}}"},
    "in the file's own folder": {"src/.ruff.toml": "extend = '../../secret.toml'"},
    "by a second file": {"ruff.toml": "extend = 'base.toml'", "base.toml": "extend = '../secret.toml'"},
    "by a variable": {"ruff.toml": "extend = '$HOME/secret.toml'"},
    "by a tilde": {"ruff.toml": "extend = '~/secret.toml'"},
    "as a folder of modules": {"ruff.toml": "src = ['.', '{outside}/s*']"},
    "to a protected file": {"ruff.toml": "extend = '.git/config'", ".git/config": FOREIGN},
    "in a circle": {"ruff.toml": "extend = 'ruff.toml'"},
    "as no path at all": {"ruff.toml": "extend = 1"},
}


@pytest.mark.promise("confine.configuration")
@pytest.mark.parametrize("files", OUTSIDE.values(), ids=OUTSIDE)
def test_a_configuration_that_leads_out_is_not_used_and_reveals_nothing(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text.format(outside=root.parent))
    secret = root / ".git/config" if ".git/config" in files else root.parent / "secret.toml"
    assert len(answers(root, secret)) == 1


def answers(root: Path, secret: Path) -> set[str]:
    """The messages about the configuration: a broken secret file, one with an unknown key, and none at all."""
    messages = set()
    for content in (FOREIGN, "secret-key = 1\n", None):
        secret.unlink() if content is None else secret.write_text(content)
        reported = issues(root, "print(nothing)\n")
        assert summarize(reported) == [("warning", 1, "ruff-configuration"), ("error", 1, "F821")]
        messages.add(reported[0].message)
    return messages


@pytest.mark.promise("confine.configuration")
@pytest.mark.parametrize("name", ["ruff.toml", ".ruff.toml", "pyproject.toml", "src/pyproject.toml"])
def test_a_configuration_that_is_a_link_out_is_not_read(root: Path, name: str) -> None:
    secret = root.parent / "secret.toml"
    (root / name).symlink_to(secret)
    assert len(answers(root, secret)) == 1


def test_a_configuration_may_extend_another_in_the_workspace_and_one_above_it_is_used(root: Path) -> None:
    (root / "ruff.toml").write_text("extend = 'src/base.toml'\nsrc = ['.', 'src']\n")
    (root / "src/base.toml").write_text('[lint]\nselect = ["E4"]\n')
    text = "import os, sys\nprint(os,sys)\n"
    assert summarize(issues(root, text)) == [("warning", 1, "E401")]
    (root / "ruff.toml").unlink()
    (root / "pyproject.toml").write_text("[project]\nname = 'ruff-like'\n")  # without a table for ruff
    (root.parent / "ruff.toml").write_text('[lint]\nselect = ["E4"]\n')
    assert summarize(issues(root, text)) == [("warning", 1, "E401")]


def test_a_users_configuration_is_not_used_if_an_agent_can_write_it(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(root))
    assert issues(root, "x = 1\n") == []
    (root / ".config/ruff").mkdir(parents=True)
    (root / ".config/ruff/ruff.toml").write_text("extend = '../../../secret.toml'")
    assert summarize(issues(root, "x = 1\n")) == [("warning", 1, "ruff-configuration")]


@pytest.mark.promise("confine.not-a-file")
@pytest.mark.parametrize("name", ["ruff.toml", ".ruff.toml", "pyproject.toml", "pipe"])
def test_no_check_waits_for_a_pipe_that_is_named_like_a_configuration(root: Path, name: str) -> None:
    os.mkfifo(root / name)
    if name == "pipe":
        (root / "ruff.toml").write_text("extend = 'pipe'")
    result = Workspace(root, Settings(durability="fast")).safe_edit("a.py", content="print(nothing)\n")
    validation = result.metadata["validation"]
    assert [issue["code"] for issue in validation["new"]] == ["ruff-configuration", "F821"]
    assert "ruff" not in [check["validator"] for check in validation["not_run"]]
