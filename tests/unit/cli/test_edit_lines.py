"""`suture edit --lines`, as seen from a terminal or a script."""

import io
import json
import re
from pathlib import Path

import pytest

from suture import Workspace
from suture.cli import main

DIFF = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
BEFORE = b"one\ntwo\nthree\n"


FILES = {"a.txt": BEFORE}


def send(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_a_line_is_replaced_and_can_be_had_back(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["edit", "a.txt", "--lines", "2", "--new", "2"]) == 0
    out, err = capfd.readouterr()
    assert re.fullmatch(rf"Edited a\.txt as change [0-9a-z]{{15}}\.\n\n{re.escape(DIFF)}", out)
    assert (root / "a.txt").read_bytes() == b"one\n2\nthree\n"
    assert main(["undo", err.split()[-1]]) == 0
    assert (root / "a.txt").read_bytes() == BEFORE


@pytest.mark.parametrize(
    ("options", "before", "after"),
    [
        (["--lines", "1-2", "--new", "1\n1.5\n2\n"], BEFORE, b"1\n1.5\n2\nthree\n"),
        (["--lines", "2-3", "--new", "2"], b"one\r\ntwo\r\nthree\r\n", b"one\r\n2\r\n"),
        (["--lines", "2", "--new", "2\n2.5"], b"one\r\ntwo\r\nthree", b"one\r\n2\r\n2.5\r\nthree"),
        (["--lines", "3", "--new", "3\n"], b"one\r\ntwo\r\nthree", b"one\r\ntwo\r\n3"),
        (["--lines", "2-3", "--delete"], BEFORE, b"one\n"),
        (["--lines", "2", "--new", ""], BEFORE, b"one\nthree\n"),
        (["--lines", "2", "--new=--old"], BEFORE, b"one\n--old\nthree\n"),
        (["--lines", "02", "--new", "2", "--expect", "two"], BEFORE, b"one\n2\nthree\n"),
        (["--lines", "1-2", "--delete", "--expect", "one\ntwo\n"], b"one\r\ntwo\r\nthree\r\n", b"three\r\n"),
    ],
)
def test_lines_keep_how_they_end(root: Path, options: list[str], before: bytes, after: bytes) -> None:
    (root / "a.txt").write_bytes(before)
    assert main(["edit", "a.txt", *options]) == 0
    assert (root / "a.txt").read_bytes() == after


@pytest.mark.parametrize("source", ["new", "-"])
def test_the_new_text_may_come_from_a_file_or_stdin(root: Path, monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    (root / "new").write_bytes("größer\n".encode())
    send(monkeypatch, "größer\n".encode())
    assert main(["edit", "a.txt", "--lines", "2", "--new-file", source]) == 0
    assert (root / "a.txt").read_bytes() == "one\ngrößer\nthree\n".encode()


def test_texts_of_other_edits_may_come_from_stdin_too(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    send(monkeypatch, b"two\n")
    assert main(["edit", "a.txt", "--old-file", "-", "--new", "2\n"]) == 0
    assert (root / "a.txt").read_bytes() == b"one\n2\nthree\n"


# Checks


@pytest.fixture
def breaking_edit(root: Path) -> list[str]:
    """An edit that would break a file."""
    (root / "a.json").write_bytes(b"[\n1\n]\n")
    return ["edit", "a.json", "--lines", "2", "--new", "1,"]


def test_what_brings_errors_is_rejected_and_the_file_left_alone(
    root: Path, capfd: pytest.CaptureFixture[str], breaking_edit: list[str]
) -> None:
    assert main(breaking_edit) == 1
    out, err = capfd.readouterr()
    assert out.startswith("diff --git a/a.json b/a.json\n")
    assert err.startswith("VALIDATION_FAILED: Edit rejected due to validation errors (Mode: strict):\na.json:")
    assert (root / "a.json").read_bytes() == b"[\n1\n]\n"
    assert Workspace(root).history().metadata["changes"] == []


def test_interactive_writes_it_all_the_same(
    root: Path, capfd: pytest.CaptureFixture[str], breaking_edit: list[str]
) -> None:
    assert main([*breaking_edit, "--mode", "interactive"]) == 0
    out, err = capfd.readouterr()
    assert (out.split(" as ")[0], err.startswith("⚠️ Validation found:\na.json:")) == ("Edited a.json", True)
    assert (root / "a.json").read_bytes() == b"[\n1,\n]\n"


@pytest.mark.parametrize("options", [["--dry-run"], ["--mode", "verify_only"], ["--dry-run", "--mode", "interactive"]])
def test_a_dry_run_only_verifies(
    root: Path, capfd: pytest.CaptureFixture[str], breaking_edit: list[str], options: list[str]
) -> None:
    assert main([*breaking_edit, *options]) == 1
    out, err = capfd.readouterr()
    assert out.startswith("Would refuse to edit a.json: it would not pass the checks.\n\ndiff ")
    assert err.startswith("⚠️ Validation found:\na.json:")
    assert main(["edit", "a.json", "--lines", "2", "--new", "2", *options]) == 0
    out, err = capfd.readouterr()
    assert (out.split("\n")[0], err) == ("Would edit a.json.", "✅ Validation Passed\n")
    assert (root / "a.json").read_bytes() == b"[\n1\n]\n"


def test_errors_that_were_there_count_only_if_asked_for(root: Path) -> None:
    before = b"<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n\nend\n"
    (root / "a.txt").write_bytes(before)
    command = ["edit", "a.txt", "--lines", "7", "--new", "END"]
    assert main([*command, "--validate", "all"]) == 1
    assert (root / "a.txt").read_bytes() == before
    assert main(command) == 0
    assert (root / "a.txt").read_bytes() == before.replace(b"end", b"END")


# What is refused


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (
            ["a.txt", "--lines", "4", "--new", "x"],
            "LINE_OUT_OF_BOUNDS: Edit failed: start_line 4 exceeds file length (3 lines)\n",
        ),
        (
            ["b.txt", "--lines", "1", "--new", "x"],
            "LINE_OUT_OF_BOUNDS: Edit failed: start_line 1 exceeds file length (0 lines)\nb.txt is ",
        ),
        (["a.txt", "--lines", "2", "--new", "x", "--expect-hash", "0" * 64], "FILE_CHANGED: a.txt does not "),
    ],
)
def test_what_the_tool_refuses_is_reported_on_stderr(
    root: Path, capfd: pytest.CaptureFixture[str], options: list[str], complaint: str
) -> None:
    assert main(["edit", *options]) == 1
    out, err = capfd.readouterr()
    assert (out, err[: len(complaint)]) == ("", complaint)
    assert (root / "a.txt").read_bytes() == BEFORE


def test_lines_that_hold_something_else_are_reported_in_the_words_of_the_command_line(
    root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(["edit", "a.txt", "--lines", "2", "--new", "x", "--expect", "three"]) == 1
    assert capfd.readouterr() == (
        "",
        (
            "DRIFTED: Edit failed: The text of --expected-text is not at line 2 of a.txt; found there:\n  two\n"
            "The text of --expected-text is now at line 3. Retry with the right line numbers.\n"
        ),
    )
    assert (root / "a.txt").read_bytes() == BEFORE


@pytest.mark.usefixtures("root")
def test_everything_can_be_had_as_json(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["edit", "a.txt", "--lines", "2", "--new", "2", "--json"]) == 0
    result = json.loads(capfd.readouterr().out)
    assert (result["isError"], result["metadata"]["written"], result["metadata"]["diff"]) == (False, True, DIFF)


RANGE = "--lines: expected a line such as 12 or a range such as 10-20, counted from 1, got "


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--lines", "3-2", "--new", "x"], "--lines: 3-2 ends before it starts; did you mean 2-3?"),
        (["--lines", "0", "--new", "x"], f"{RANGE}'0'"),
        (["--lines", "0-2", "--new", "x"], f"{RANGE}'0-2'"),
        (["--lines", "x", "--new", "x"], f"{RANGE}'x'"),
        (["--lines", "2-", "--new", "x"], f"{RANGE}'2-'"),
        (["--lines=-2", "--new", "x"], f"{RANGE}'-2'"),
        (["--lines", "", "--new", "x"], f"{RANGE}''"),
        (["--lines", "1,3", "--new", "x"], f"{RANGE}'1,3'"),
        (
            ["--lines", "9" * 20, "--new", "x"],
            "--lines: expected a whole number of at least 1, got a number too large for JSON",
        ),
        (
            ["--lines", "1", "--lines", "3", "--new", "x"],
            "--lines can be used only once; to replace several ranges, call safe_edit with line_edits",
        ),
        (["--lines", "1"], "expected --new TEXT or --new-file FILE (or --delete)"),
        (["--lines", "1", "--new", "x", "--new-file", "y"], "expected only one of --new TEXT or --new-file FILE"),
        (["--lines", "1", "--new", "x", "--delete"], "--delete cannot be used with --new or --new-file"),
        (["--lines", "1", "--new-file", "nowhere"], "cannot read nowhere: No such file or directory"),
        (["--lines", "1", "--new-file", "-"], "stdin is not UTF-8; send its text as JSON"),
        (["--lines", "1", "--new", "x", "--old", ""], "--lines cannot be used with --old"),
        (
            ["--lines", "1", "--new", "x", "--old-file", "y"],
            "--lines cannot be used with --old-file",
        ),
        (
            ["--lines", "1", "--new", "x", "--occurrences", "0"],
            "--lines cannot be used with --occurrences",
        ),
        (["[]", "--lines", "1"], "--lines cannot be used with the edits as JSON"),
        (["--lines", "1", "--new", "x", "--validate", "off"], "with --lines, use --mode instead of --validate off"),
        (["--old", "one", "--new", "1", "--mode", "strict"], "--mode requires --lines"),
        (["--old", "one", "--new", "1", "--expect", ""], "--expected-text requires --lines"),
        (["--old", "one", "--delete"], "--delete requires --lines"),
        (["--old-file", "-", "--new-file", "-"], "only one of --old-file and --new-file can be stdin"),
    ],
)
def test_what_is_no_request_is_wrong_usage(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, options: list[str], message: str
) -> None:
    send(monkeypatch, b"\xff")
    assert main(["edit", "a.txt", *options]) == 2
    assert capfd.readouterr() == ("", f"WRONG_USAGE: suture edit: {message}\nSee: suture edit --help\n")
    assert (root / "a.txt").read_bytes() == BEFORE
