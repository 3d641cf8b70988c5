"""Streams: results on stdout, everything else on stderr; --quiet; colors; closed streams."""

import io
import json
import os
import pty
import re
import shlex
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from suture import Settings, Workspace
from suture.cli import COMMANDS, main
from suture.cli.output import colored
from tests.unit.changes import interrupt

BLOCK = "### File: a.txt\n<<<<<<< SEARCH\n{}\n=======\n{}\n>>>>>>> REPLACE\n"
PATCH = '{"operation": "replace", "oldText": "one", "newText": "1"}'


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A workspace and two replies: one that can be applied, and one of which only half can."""
    root, home = tmp_path / "root", tmp_path / "home"
    root.mkdir()
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(root)
    (root / "a.txt").write_text("one\ntwo\n")
    (root / "b.txt").write_text("one\n")
    (root / "good.md").write_text(BLOCK.format("two", "2"))
    (root / "half.md").write_text(BLOCK.format("nowhere at all", "x") + BLOCK.format("two", "2"))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"new\n")))
    return root


def with_history(root: Path) -> str:
    """Make a change, and a second one that is undone; returns the id of the first."""
    ws = Workspace(root, Settings(durability="fast"))
    first, _ = (
        ws.call("patch", {"path": "c.txt", "patches": [{"operation": "append_eof", "newText": text}]})
        for text in ("three", "four")
    )
    ws.undo()
    change: str = first.metadata["change_id"]
    return change


# --quiet

DONE = [
    ["read", "a.txt"],
    ["read", "a.txt", "--format", "raw"],
    ["search", "one"],
    ["search", "one", "--names"],
    ["search", "one", "--count", "--max-matches", "1"],
    ["extract", "(one)", "a.txt"],
    ["lines", "one", "a.txt", "-n"],
    ["split", "one", "a.txt"],
    ["split", "one", "a.txt", "--null"],
    ["edit", "a.txt", "--old", "one", "--new", "1"],
    ["edit", "a.txt", "--lines", "1", "--new", "1"],
    ["patch", "a.txt", PATCH],
    ["patch", "a.txt", PATCH, "--dry-run"],
    ["write", "a.txt"],
    ["write", "a.txt", "--dry-run"],
    ["replace", "/one/", "1", "--dry-run"],
    ["replace", "one", "$&", "--write", "--validate", "warn"],
    ["apply", "good.md"],
    ["prompt"],
    ["log"],
    ["show", "<first>"],
    ["undo", "<first>"],
    ["redo"],
    ["checkpoint"],
    ["checkpoint", "now"],
    ["restore", "c.txt"],
    ["clipboards"],
    ["forget", "c.txt", "--dry-run"],
    ["recover"],
    ["init"],
    ["init", "cursor"],
    ["init", "cursor", "--write"],
    ["tools"],
    ["check", "a.txt"],
]


def test_the_table_has_every_command_that_has_something_to_keep_back() -> None:
    others = {"call", "completion", "doctor", "mcp", "run"}  # JSON only, tested beside its module, or a server
    assert {words[0] for words in DONE} == set(COMMANDS) - others, "add the command to DONE, or to own"


@pytest.mark.promise("cli.quiet")
@pytest.mark.parametrize("words", DONE, ids=" ".join)
def test_quiet_leaves_nothing_but_the_exit_code(
    words: list[str], root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    first = with_history(root) if words[0] in {"log", "show", "undo", "redo", "restore", "forget"} else ""
    assert main([*(word.replace("<first>", first) for word in words), "--quiet"]) == 0
    assert capfd.readouterr() == ("", "")


@pytest.mark.promise("cli.quiet")
@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["search", "zzz"], 1, ""),
        (["lines", "nowhere", "a.txt"], 1, ""),
        (["read", "missing"], 1, "FILE_NOT_FOUND: "),
        (["read", "--nothing"], 2, "WRONG_USAGE: suture read: "),
        (["search", "("], 2, "INVALID_REGEX: "),
        (["edit", "a.txt", "--old", "x", "--new", "y"], 1, "NO_MATCH: "),
        (["patch", "a.txt", "[]"], 2, "WRONG_USAGE: suture patch: "),
        (["write", "../a.txt"], 1, "PATH_OUTSIDE_WORKSPACE: "),
        (["apply", "half.md"], 1, "NO_MATCH: Block 1 failed: "),
        (["undo", "zz"], 1, "CHANGE_NOT_FOUND: "),
        (["init", "emacs"], 2, "WRONG_USAGE: suture init: "),
        (["check", "missing"], 2, "FILE_NOT_FOUND: "),
        (["recover", "--root", "missing"], 1, "WORKSPACE_NOT_FOUND: "),
    ],
)
def test_quiet_tells_errors_and_the_exit_code_is_the_same(
    words: list[str], code: int, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["--quiet", *words]) == code
    out, err = capfd.readouterr()
    assert (out, err[: len(message)], bool(err)) == ("", message, bool(message))
    assert "To undo" not in err


@pytest.mark.promise("cli.quiet")
@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    "words",
    [
        ["read", "a.txt", "--json"],
        ["search", "one", "--json"],
        ["log", "--json"],
        ["check", "a.txt", "--json"],
        ["tools", "--json"],
        ["tools", "--format", "mcp"],
        ["prompt", "--json"],
        ["init", "--json"],
        ["recover", "--json"],
        ["call", "file_read", '{"path": "a.txt"}'],
    ],
    ids=" ".join,
)
def test_quiet_keeps_no_json_back(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(words) == main([*words, "--quiet"]) == 0
    out, err = capfd.readouterr()
    first, second = out.splitlines()
    assert (json.loads(first), err) == (json.loads(second), "")


@pytest.mark.promise("cli.quiet")
@pytest.mark.usefixtures("root")
def test_quiet_still_asks(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"y\n")))
    assert main(["apply", "good.md", "-p", "--quiet"]) == 0
    out, err = capfd.readouterr()
    assert (out.endswith("\nApply block 1 to a.txt? [y,n,q,a,d,?] "), err) == (True, "")


@pytest.mark.usefixtures("root")
def test_one_call_is_not_quiet_because_another_was(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "zzz", "--quiet"]) == main(["search", "zzz"]) == 1
    assert capfd.readouterr() == ("", "No matches.\n")


# Colors


class Stream(io.StringIO):
    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal


@pytest.mark.promise("cli.colors")
@pytest.mark.parametrize(
    ("environment", "on_terminal", "on_pipe"),
    [
        ({}, True, False),
        ({"TERM": "xterm"}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": ""}, True, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
    ],
)
def test_colors_are_for_terminals_and_who_asks_for_them(
    environment: dict[str, str], *, on_terminal: bool, on_pipe: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    for terminal, expected in ((True, on_terminal), (False, on_pipe)):
        stream = Stream(terminal=terminal)
        assert colored("red", "x", stream) == ("\x1b[31mx\x1b[0m" if expected else "x")
        monkeypatch.setattr("sys.stdout", stream)
        assert colored("red", "x") == colored("red", "x", stream)
    monkeypatch.setattr("sys.stdout", None)
    assert colored("red", "x") == ("\x1b[31mx\x1b[0m" if on_pipe else "x")


def run(words: list[str], **streams: int) -> subprocess.CompletedProcess[bytes]:
    environment = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "FORCE_COLOR"}}
    command = [sys.executable, "-m", "suture", *words]
    return subprocess.run(command, env={**environment, "TERM": "xterm"}, check=False, **streams)  # type: ignore[call-overload, no-any-return]  # of `streams` it knows nothing


@pytest.mark.process
@pytest.mark.promise("cli.colors")
@pytest.mark.usefixtures("root")
def test_an_error_is_colored_by_what_stderr_is_and_not_by_stdout() -> None:
    master, slave = pty.openpty()
    run(["apply", "half.md", "--dry-run"], stdout=subprocess.PIPE, stderr=slave)
    process = run(["read", "missing"], stdout=subprocess.PIPE, stderr=slave)
    os.close(slave)
    screen = os.read(master, 10_000).replace(b"\r\n", b"\n")
    os.close(master)
    assert process.stdout == b""
    assert screen.startswith(b"\x1b[1;31mNO_MATCH\x1b[0m: Block 1 failed: ")
    assert b"\n\x1b[1;31mFILE_NOT_FOUND\x1b[0m: There is no file missing.\n" in screen


@pytest.mark.promise("cli.streams")
@pytest.mark.usefixtures("root")
def test_a_raw_read_says_besides_it_that_something_was_cleared_up(
    root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    note = interrupt(root, "a.txt")
    assert main(["read", "a.txt", "--format", "raw"]) == 0
    assert capfd.readouterr() == ("one\ntwo\n", note)


# The order of both streams, and streams without a reader


@pytest.mark.process
@pytest.mark.promise("cli.streams")
@pytest.mark.usefixtures("root")
def test_stdout_and_stderr_in_one_pipe_keep_their_order() -> None:
    output = run(["apply", "half.md"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
    order = ["✗ 1 ", "✓ 2 ", "Applied 1 of 2 ", "diff --git ", "NO_MATCH: Block 1 failed: ", "To undo: "]
    assert [mark for mark in re.findall("|".join(order), output) if mark in order] == order


@pytest.mark.promise("cli.streams")
@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    "words",
    [["read", "missing"], ["search", "zzz"], ["check"], ["grep"], ["log", "--nothing"], ["apply", "half.md"], []],
    ids=" ".join,
)
def test_a_closed_pipe_behind_stderr_ends_quietly(
    words: list[str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    stderr = os.fdopen(writing, "w", buffering=1)
    with monkeypatch.context() as patched:
        patched.setattr("sys.stderr", stderr)
        patched.setattr("sys.stdout", sys.stdout)  # main lets go of it
        assert main(words) == 141
    assert "Traceback" not in capfd.readouterr().err
    with suppress(BrokenPipeError):
        stderr.close()


@pytest.mark.process
@pytest.mark.promise("cli.streams")
@pytest.mark.usefixtures("root")
def test_both_streams_in_a_pipe_that_is_closed_after_a_line_end_quietly(root: Path) -> None:
    (root / "many.md").write_text("".join(BLOCK.format(f"nowhere {number}", "x") for number in range(500)))
    command = [sys.executable, "-m", "suture", "apply", "many.md"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "✗ 1 a.txt, failed\n".encode()
        process.stdout.close()
    assert process.returncode == 141


@pytest.mark.process
@pytest.mark.promise("cli.streams")
@pytest.mark.usefixtures("root")
def test_a_full_disk_behind_stderr_is_exit_code_1_and_what_was_done_is_done(root: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        process = run(["apply", "half.md"], stdout=subprocess.PIPE, stderr=full.fileno())
    assert (process.returncode, process.stdout.decode().splitlines()[2][:16]) == (1, "Applied 1 of 2 b")
    assert (root / "a.txt").read_text() == "one\n2\n"


# What to do, in the words of the command line


@pytest.mark.promise("cli.errors")
@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (
            ["read", "binary"],
            "Only text can be read and edited. If it is UTF-16 without a byte order mark, name its encoding with --",
        ),
        (["edit", "old.txt", "--old", "one", "--new", "größe"], "Name the encoding with --encoding (cp1252, "),
        (
            ["patch", "old.txt", '{"operation": "replace", "oldText": "one", "newText": "größe"}'],
            "Name the encoding with --encoding (cp1252, ",
        ),
        (
            ["patch", "a.txt", '{"operation": "replace", "oldText": "1", "newText": "2"}', "--match", "exact"],
            (
                "Nothing was changed. "
                "Send the text as it is in the file, or use --match lenient to allow more differences."
            ),
        ),
    ],
)
def test_a_hint_names_options_and_not_arguments_of_tools(
    words: list[str], hint: str, root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (root / "binary").write_bytes(b"a\0b")
    (root / "old.txt").write_bytes("größe one\n".encode("latin-1"))
    assert main(words) == 1
    out, err = capfd.readouterr()
    assert (out, err.splitlines()[1][: len(hint)]) == ("", hint)


@pytest.mark.promise("cli.errors")
def test_a_command_that_is_told_to_be_typed_names_the_workspace_and_is_quoted(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "my files").mkdir()
    workspace = Workspace(root, Settings(durability="fast"))
    for text in ("one", "two"):
        workspace.call("safe_edit", {"path": "my files/a.txt", "content": text})
    monkeypatch.chdir(root.parent)
    assert main(["log", "my files", "--limit", "1", "--root", "root"]) == 0
    command = capfd.readouterr().out.splitlines()[-1].partition(": ")[2]
    assert re.fullmatch(r"suture log 'my files' --limit 1 --before [0-9a-z]{15} --root root", command)
    assert main(shlex.split(command)[1:]) == 0
    assert "1 file changed" in capfd.readouterr().out


NASTY = "\x1b]0;title\x07\x1b[2J\x9b31m\u202e"


@pytest.mark.process
@pytest.mark.promise("cli.streams")
def test_a_terminal_obeys_nothing_that_files_or_words_hold(root: Path) -> None:
    (root / "nasty.txt").write_text(f"one{NASTY}\n")
    master, slave = pty.openpty()
    for words in (
        ["read", "nasty.txt"],
        ["read", "nasty.txt", "--format", "raw"],
        ["read", "x", NASTY],
        ["apply", NASTY],
    ):
        run(words, stdout=slave, stderr=slave)
    os.close(slave)
    screen = os.read(master, 10_000).decode().replace("\x1b[1;31mWRONG_USAGE\x1b[0m", "WRONG_USAGE")
    os.close(master)
    assert [char for char in screen if not char.isprintable() and char not in "\r\n\t"] == []
    assert screen.count("\\x1b]0;title\\x07\\x1b[2J\\x9b31m\\u202e") == 4


@pytest.mark.process
def test_help_can_be_printed_in_any_locale(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    process = run(["apply", "--help"], stdout=subprocess.PIPE)
    assert (process.returncode, "…" in process.stdout.decode()) == (0, True)


@pytest.mark.process
@pytest.mark.promise("cli.streams")
@pytest.mark.parametrize(
    ("words", "code"),
    [(["edit", "a.txt", "--old", "one", "--new", "1"], 0), (["read", "missing"], 1), (["zzz"], 2), (["check"], 0)],
    ids=["note", "refusal", "usage", "summary"],
)
@pytest.mark.usefixtures("root")
def test_an_exit_code_does_not_depend_on_whether_anybody_can_be_told(words: list[str], code: int) -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123  a device
        process = run(words, stdout=subprocess.PIPE, stderr=full.fileno())
    assert process.returncode == code
