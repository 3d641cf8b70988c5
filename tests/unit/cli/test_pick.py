"""`suture extract`, `suture lines` and `suture split`, as seen from a terminal or a script."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from suture import Workspace
from suture.cli import main

FILES = {
    "setup.cfg": "[a]\nname = x\nversion=1.0\n# end\n",
    "server.log": "INFO start\nERROR: timeout\nINFO retry\nFATAL: unreachable\n",
    "notes.txt": "First\nparagraph\n\nSecond one\n",
    "a.bin": b"a\0b",
}
"""A file of each kind."""


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["extract", r"^(\w+) *= *(.*)$", "setup.cfg"], "name\tx\nversion\t1.0\n"),
        (["extract", r"(N)(AME)", "setup.cfg", "-i"], "n\tame\n"),
        (["extract", "(name)|(version)", "setup.cfg"], "name\t\n\tversion\n"),
        (["extract", r"(name[^\d]+)1", "setup.cfg"], "name = x\\nversion=\n"),
        (["lines", "^(ERROR|FATAL)", "server.log"], "ERROR: timeout\nFATAL: unreachable\n"),
        (["lines", "^(ERROR|FATAL)", "server.log", "-n"], "2:ERROR: timeout\n4:FATAL: unreachable\n"),
        (["lines", "INFO", "server.log", "-v"], "ERROR: timeout\nFATAL: unreachable\n"),
        (["lines", "info", "server.log", "-invn", "--max-lines", "3"], "2:ERROR: timeout\n4:FATAL: unreachable\n"),
        (["lines", "^$", "notes.txt"], "\n"),
        (
            ["split", r"\n\n+", "notes.txt"],
            "--- segment 1 (lines 1-2)\nFirst\nparagraph\n--- segment 2 (lines 4-4)\nSecond one\n",
        ),
        (["split", r"\n\n+", "notes.txt", "-0"], "First\nparagraph\0Second one\n\0"),
        (
            ["split", r"\n", "notes.txt", "--max-splits", "1"],
            "--- segment 1 (lines 1-1)\nFirst\n--- segment 2 (lines 2-4)\nparagraph\n\nSecond one\n",
        ),
    ],
)
def test_what_is_printed(capfd: pytest.CaptureFixture[str], words: list[str], expected: str) -> None:
    assert main(words) == 0
    assert capfd.readouterr() == (expected, "")


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    ("words", "expected", "note"),
    [
        (["extract", r"(\w)", "setup.cfg", "--max-matches", "2"], "a\nn\n", "stopped after 2 matches (--max-matches)"),
        (["lines", "O", "server.log", "--max-lines", "1"], "INFO start\n", "stopped after 1 line (--max-lines)"),
    ],
)
def test_a_cut_is_noted(capfd: pytest.CaptureFixture[str], words: list[str], expected: str, note: str) -> None:
    assert main(words) == 0
    assert capfd.readouterr() == (expected, f"note: {note}\n")


@pytest.mark.parametrize(
    ("words", "tool", "arguments"),
    [
        (["extract", "(.)=", "setup.cfg"], "regex_extract", {"file_path": "setup.cfg", "pattern": "(.)="}),
        (["lines", "=", "setup.cfg"], "regex_match_lines", {"file_path": "setup.cfg", "pattern": "="}),
        (["split", "=", "setup.cfg"], "regex_split", {"file_path": "setup.cfg", "pattern": "="}),
    ],
)
def test_json_is_the_whole_result(
    root: Path, capfd: pytest.CaptureFixture[str], words: list[str], tool: str, arguments: dict[str, str]
) -> None:
    assert main([*words, "--json"]) == 0
    expected = Workspace(root).call(tool, {**arguments, "flags": "g"})
    assert json.loads(capfd.readouterr().out) == {"isError": False, "data": expected.rows, "metadata": {}}


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["extract", "(nowhere)", "setup.cfg"], "No matches.\n"),
        (["lines", "nowhere", "setup.cfg"], "No matching lines.\n"),
        (["extract", "(a)", "a.bin"], "note: a.bin is binary and was skipped\nNo matches.\n"),
        (["lines", "a", "a.bin"], "note: a.bin is binary and was skipped\nNo matching lines.\n"),
        (["split", "a", "a.bin"], "note: a.bin is binary and was skipped\nNothing to split.\n"),
        (["split", "a", "a.bin", "-0"], "note: a.bin is binary and was skipped\nNothing to split.\n"),
    ],
)
def test_nothing_found_is_exit_code_1(capfd: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert main(words) == 1
    assert capfd.readouterr() == ("", message)
    assert main([*words, "--json"]) == 1


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["extract", "name", "setup.cfg"],
            "NO_CAPTURE_GROUPS: Pattern has no capture groups: name\nPut parentheses around what to extract.\n",
        ),
        (["lines", "x", "setup.cf"], "FILE_NOT_FOUND: File not found: setup.cf\nDid you mean setup.cfg?\n"),
        (
            ["split", "x", "setup.cfg", "--max-splits", "9" * 20],
            (
                "WRONG_USAGE: suture split: --max-splits: expected a whole number of at least 0, "
                "got a number too large for JSON\n"
                "See: suture split --help\n"
            ),
        ),
    ],
)
def test_what_is_refused_is_exit_code_2(capfd: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert main(words) == 2
    assert capfd.readouterr() == ("", message)
    assert main([*words, "--json"]) == 2


@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    "words",
    [
        ["extract", "x"],
        ["lines", "x", "setup.cfg", "y"],
        ["lines", "x", "setup.cfg", "--max-lines", "-1"],
        ["split", "/x/i", "setup.cfg", "-i"],
        ["split", "/x/m", "setup.cfg", "--text-ends"],
        ["lines", "x", "setup.cfg", "--text-ends"],
    ],
)
def test_wrong_usage_is_exit_code_2(capfd: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert main(words) == 2
    assert capfd.readouterr().out == ""


def test_an_encoding_may_be_named(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "old.txt").write_bytes("größe\n".encode("latin-1"))
    assert main(["lines", "größe", "old.txt", "--encoding", "latin-1"]) == 0
    assert capfd.readouterr().out == "größe\n"


@pytest.mark.process
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["lines", "x", "odd.txt", "-n"], "\x1b[32m1\x1b[0m:x\\x1b[2J\ty\n"),
        (["extract", "(x.*)", "odd.txt"], "x\\x1b[2J\\ty\n"),
        (["split", "y", "odd.txt"], "\x1b[36m--- segment 1 (lines 1-1)\x1b[0m\nx\\x1b[2J\t\n"),
        (["split", "y", "odd.txt", "-0"], "x\\x1b[2J\t\0\n\0"),
    ],
)
def test_nothing_that_a_terminal_obeys_reaches_it(root: Path, words: list[str], expected: str) -> None:
    (root / "odd.txt").write_text("x\x1b[2J\ty\n")
    master, slave = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    subprocess.run([sys.executable, "-m", "suture", *words], stdout=slave, env=environment, check=True, cwd=root)
    os.close(slave)
    screen = os.read(master, 10_000).decode().replace("\r\n", "\n")
    os.close(master)
    assert screen.startswith(expected)


def test_a_pipe_gets_contents_as_they_are(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "odd.txt").write_text("x\x1b[2J\ty\n")
    assert main(["lines", "x", "odd.txt"]) == 0
    assert capfd.readouterr().out == "x\x1b[2J\ty\n"


@pytest.mark.process
@pytest.mark.parametrize("words", [["extract", "(x)"], ["lines", "x"], ["split", "x"]], ids=lambda words: words[0])
def test_a_closed_pipe_ends_quietly(root: Path, words: list[str]) -> None:
    (root / "big.txt").write_text("x\n" * 5_000)
    reading, writing = os.pipe()
    command = [sys.executable, "-m", "suture", *words, "big.txt"]
    process = subprocess.Popen(command, stdout=writing, stderr=subprocess.PIPE, cwd=root)
    os.close(writing)
    os.close(reading)
    assert process.communicate()[1] == b""
    assert process.returncode == 141
