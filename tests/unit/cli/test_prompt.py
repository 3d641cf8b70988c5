"""`suture prompt`: suture can read the formats that it teaches."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from suture import Workspace, parse_reply
from suture.cli import main
from suture.formats import Block

GREETING = 'def greet(name):\n    return "Hello " + name\n\n\nLIMIT = 10\nUNUSED = 20\n'
FAREWELL = 'def part(name):\n    return "Goodbye " + name\n'
IN_BLOCKS = GREETING.replace("(name)", '(name, end="!")').replace("name\n", "name + end\n").replace("UNUSED = 20\n", "")
IN_HUNKS = GREETING.replace('"Hello " + name', '"Hello, " + name + "!"').replace("UNUSED = 20\n", "")
EXAMPLES: dict[str, tuple[list[tuple[str, str, str]], str]] = {
    "blocks": (
        [
            ("1", "search_replace update", "src/greeting.py"),
            ("2", "search_replace update", "src/greeting.py"),
            ("3", "new_file create", "src/farewell.py"),
            ("4", "v4a delete", "src/old.py"),
        ],
        IN_BLOCKS,
    ),
    "v4a": (
        [
            ("1.1 1.2", "v4a update", "src/greeting.py"),
            ("2", "v4a create", "src/farewell.py"),
            ("3", "v4a delete", "src/old.py"),
        ],
        IN_HUNKS,
    ),
    "unified": (
        [
            ("1.1 1.2", "unified update", "src/greeting.py"),
            ("2", "unified create", "src/farewell.py"),
            ("3", "unified delete", "src/old.py"),
        ],
        IN_HUNKS,
    ),
}


def print_prompt(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["prompt", *words]) == 0
    out, err = capfd.readouterr()
    assert err == ""
    return out


def describe(block: Block) -> tuple[str, str, str | None]:
    assert block.problem is None
    return (" ".join(block.ids), f"{block.format} {block.action}", block.path)


@pytest.mark.parametrize("format", EXAMPLES)
def test_every_example_is_read_as_it_is_meant(capfd: pytest.CaptureFixture[str], format: str) -> None:  # noqa: A002  the option of that name
    text = print_prompt(capfd, "--format", format)
    (example,) = re.findall(r"^```\w*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    expected, _ = EXAMPLES[format]
    assert [describe(block) for block in parse_reply(example)] == expected


@pytest.mark.parametrize("format", EXAMPLES)
def test_what_is_around_the_example_is_no_block(capfd: pytest.CaptureFixture[str], format: str) -> None:  # noqa: A002  the option of that name
    expected, _ = EXAMPLES[format]
    assert [describe(block) for block in parse_reply(print_prompt(capfd, "--format", format))] == expected


@pytest.mark.parametrize("match", ["exact", "lenient"])
@pytest.mark.parametrize("format", EXAMPLES)
def test_every_example_does_what_is_said_of_it(
    capfd: pytest.CaptureFixture[str],
    tmp_path: Path,
    format: str,  # noqa: A002  the option of that name
    match: str,
) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/greeting.py").write_text(GREETING)
    (tmp_path / "src/old.py").write_text('print("old")\n')
    result = Workspace(tmp_path).apply_reply(print_prompt(capfd, "--format", format), match=match)
    assert result.metadata["summary"] == {"applied": 4, "already_applied": 0, "failed": 0, "skipped": 0}
    assert (result.metadata["errors"], result.metadata["warnings"]) == ([], [])
    _, greeting = EXAMPLES[format]
    after = {path.name: path.read_text() for path in (tmp_path / "src").iterdir()}
    assert after == {"greeting.py": greeting, "farewell.py": FAREWELL}


def test_blocks_are_what_is_printed_unless_another_format_is_named(capfd: pytest.CaptureFixture[str]) -> None:
    assert print_prompt(capfd) == print_prompt(capfd, "--format", "blocks")
    assert len({print_prompt(capfd, "--format", format) for format in EXAMPLES}) == 3  # noqa: A001  as above


@pytest.mark.parametrize("format", EXAMPLES)
def test_a_prompt_is_short_plain_text(capfd: pytest.CaptureFixture[str], format: str) -> None:  # noqa: A002  the option of that name
    text = print_prompt(capfd, "--format", format)
    lines = text.split("\n")
    assert text.isascii()
    assert text.endswith("again.\n")
    assert len(lines) < 60
    assert max(map(len, lines)) <= 100


def test_an_unknown_format_is_wrong_usage(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["prompt", "--format", "xml"]) == 2
    assert capfd.readouterr().out == ""


@pytest.mark.process
def test_a_prompt_needs_no_tool() -> None:
    code = "import sys; from suture.cli import main; main(['prompt']); sys.stderr.write(' '.join(sys.modules))"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    process = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    modules = set(process.stderr.split())
    assert "suture.cli.prompt" in modules
    assert modules.isdisjoint(["suture.workspace", "suture.tools", "suture.formats", "suture.wording"])
