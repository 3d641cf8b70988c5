"""`suture edit`, as seen from a terminal or a script."""

import io
import json
import os
import pty
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from suture import Workspace
from suture.cli import main

ONE = {"old_text": "two", "new_text": "2"}
DIFF = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"


FILES = {"a.txt": b"one\ntwo\n"}


def write_edits(root: Path, document: object) -> str:
    (root / "edits.json").write_text(json.dumps(document))
    return "edits.json"


def send(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


@pytest.mark.promise("edit.command")
def test_edit_replaces_what_options_say_and_prints_the_diff(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["edit", "a.txt", "--old", "two", "--new", "2"]) == 0
    out, err = capfd.readouterr()
    head, _, diff = out.partition("\n\n")
    (change,) = re.findall(r"^Edited a\.txt \(1 replacement\) as change ([0-9a-z]{15})\.$", head)
    back = f"To undo: suture undo {change}\n"
    assert (diff, err, (root / "a.txt").read_bytes()) == (DIFF, back, b"one\n2\n")


def test_what_was_edited_can_be_undone(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["edit", "a.txt", "--old", "two", "--new", "2", "--quiet"]) == 0
    assert main(["undo", "--quiet"]) == 0
    assert capfd.readouterr() == ("", "")
    assert (root / "a.txt").read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize(
    ("options", "before", "after"),
    [
        (["--old", "o", "--new", "0", "--occurrences", "2"], b"one\ntwo\n", b"0ne\ntw0\n"),
        (["--old", "two\n", "--new", ""], b"one\ntwo\n", b"one\n"),
        (["--old", "", "--new", "new\n"], b"", b"new\n"),
        (["--old", "one\ntwo", "--new", "1\n2"], b"one\r\ntwo\r\n", b"1\r\n2\r\n"),
        (["--old=--new", "--new=--old"], b"--new\n", b"--old\n"),
    ],
)
def test_texts_are_taken_literally(root: Path, options: list[str], before: bytes, after: bytes) -> None:
    (root / "a.txt").write_bytes(before)
    assert main(["edit", "a.txt", *options]) == 0
    assert (root / "a.txt").read_bytes() == after


def test_texts_may_come_from_files(root: Path) -> None:
    (root / "old").write_bytes(b"two\n")
    (root / "new").write_bytes("größer\r\n".encode())
    assert main(["edit", "a.txt", "--old-file", "old", "--new-file", "new"]) == 0
    assert (root / "a.txt").read_bytes() == "one\ngrößer\r\n".encode()
    assert main(["edit", "a.txt", "--old-file", "new", "--new", "2\n"]) == 0
    assert (root / "a.txt").read_bytes() == b"one\n2\r\n"


@pytest.mark.parametrize("document", [ONE, [ONE], {"edits": [ONE]}, {"path": "a.txt", "edits": ONE}])
@pytest.mark.parametrize("source", ["edits.json", "-", "inline"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_edits_may_be_json_in_a_file_in_stdin_or_in_the_argument(
    root: Path, monkeypatch: pytest.MonkeyPatch, document: Any, source: str, mark: str
) -> None:
    content = f"{mark}\n {json.dumps(document)}"
    (root / "edits.json").write_bytes(content.encode())
    send(monkeypatch, content.encode())
    assert main(["edit", "a.txt", content if source == "inline" else source]) == 0
    assert (root / "a.txt").read_bytes() == b"one\n2\n"


def test_several_edits_are_made_one_after_the_other(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    edits = [{"old_text": "o", "new_text": "0", "occurrences": 2}, {"old_text": "tw0", "new_text": "2"}]
    assert main(["edit", "a.txt", write_edits(root, edits)]) == 0
    assert capfd.readouterr().out.startswith("Edited a.txt (3 replacements) as change ")
    assert (root / "a.txt").read_bytes() == b"0ne\n2\n"


# What is printed


@pytest.mark.parametrize(
    ("options", "head", "diff"),
    [
        (["--old", "two", "--new", "2"], "Would make 1 replacement in a.txt.", DIFF),
        (["--old", "two", "--new", "two"], "a.txt would not change (1 replacement).", ""),
    ],
)
def test_a_dry_run_prints_what_would_be_changed(
    root: Path, capfd: pytest.CaptureFixture[str], options: list[str], head: str, diff: str
) -> None:
    assert main(["edit", "a.txt", *options, "--dry-run"]) == 0
    assert capfd.readouterr().out == (f"{head}\n\n{diff}" if diff else f"{head}\n")
    assert (root / "a.txt").read_bytes() == b"one\ntwo\n"


def test_an_edit_that_changes_nothing_says_so(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["edit", "a.txt", "--old", "two", "--new", "two"]) == 0
    assert capfd.readouterr().out == "No change: a.txt already has this content (1 replacement).\n"
    assert (root / "a.txt").read_bytes() == b"one\ntwo\n"


def test_warnings_go_to_stderr(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "yarn.lock").write_bytes(b"one\ntwo\n")
    assert main(["edit", "yarn.lock", "--old", "two", "--new", "2"]) == 0
    out, err = capfd.readouterr()
    head, empty, first, *_ = out.split("\n")
    assert head.startswith("Edited yarn.lock (1 replacement)")
    assert err.startswith("warning: yarn.lock is a lock file")
    assert (empty, first) == ("", "diff --git a/yarn.lock b/yarn.lock")


@pytest.mark.usefixtures("root")
def test_everything_can_be_had_as_json(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["edit", "a.txt", "--old", "two", "--new", "2", "--json"]) == 0
    result = json.loads(capfd.readouterr().out)
    assert (result["isError"], result["metadata"]["path"], result["metadata"]["total_replacements"]) == (
        False,
        "a.txt",
        1,
    )
    assert result["metadata"]["diff"]["unified"] == DIFF


@pytest.mark.process
def test_the_diff_is_colored_on_a_terminal_only(root: Path) -> None:
    write_edits(root, [ONE])
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "suture", "edit", "a.txt", "edits.json", "--dry-run"]
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    subprocess.run(command, stdout=slave, env=environment, check=True)
    os.close(slave)
    screen = os.read(master, 10_000)
    os.close(master)
    assert b"\x1b[31m-two\x1b[0m" in screen
    assert b"\x1b[32m+2\x1b[0m" in screen


# What is refused


def test_a_refusal_goes_to_stderr_and_is_exit_code_1(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    command = ["edit", "a.txt", "--old", "Two", "--new", "2"]
    assert main(command) == 1
    out, err = capfd.readouterr()
    assert out == ""
    assert err.startswith("NO_MATCH: Edit 1 of 1 failed: Could not find exact text in a.txt.\n")
    assert "case: 'two' in the file, 'Two' in your text" in err
    assert main([*command, "--json"]) == 1
    out, err = capfd.readouterr()
    assert (json.loads(out)["metadata"]["validation_error"]["type"], err) == ("NO_MATCH", "")
    assert (root / "a.txt").read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (
            ["edit", "a.txt", "--old", "o", "--new", "0"],
            "WRONG_COUNT: Edit 1 of 1 failed: Expected 1 occurrence but found 2 in a.txt.",
        ),
        (["edit", "b.txt", "--old", "o", "--new", "0"], "FILE_NOT_FOUND"),
        (["edit", "a.txt", "--old", "two", "--new", "2", "--root", "nowhere"], "WORKSPACE_NOT_FOUND"),
        (["edit", "a.txt", "--old", "two", "--new", "2", "--expect-hash", "0" * 64], "FILE_CHANGED"),
        (["edit", "a.txt", "--old", "two", "--new", "2", "--encoding", "utf-32"], "ENCODING_MISMATCH"),
    ],
)
def test_what_the_tool_refuses_is_reported_on_stderr(
    root: Path, capfd: pytest.CaptureFixture[str], command: list[str], message: str
) -> None:
    assert main(command) == 1
    out, err = capfd.readouterr()
    assert (out, err[: len(message)]) == ("", message)
    assert (root / "a.txt").read_bytes() == b"one\ntwo\n"


def test_the_correction_that_is_printed_can_be_sent_back(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "a.py").write_bytes(b"def one():\n\tvalue = compute(1)\n\treturn value\n")
    assert (
        main(["edit", "a.py", "--old", "    value = compute(1)\n", "--new", "    value = compute(2)\n", "--json"]) == 1
    )
    fix = json.loads(capfd.readouterr().out)["metadata"]["suggested_fixes"][0]["example"]
    assert main(["edit", "a.py", fix]) == 0
    assert (root / "a.py").read_bytes() == b"def one():\n\tvalue = compute(2)\n\treturn value\n"


def test_the_correction_is_a_command_that_can_be_copied(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "a b.py").write_bytes(b"def one():\n\tvalue = compute('$1')\n\treturn value\n")
    wrong = ["edit", "a b.py", "--old", "    value = compute('$1')\n", "--new", "    value = compute('`2`')\n"]
    assert main([*wrong, "--root", str(root)]) == 1
    (line,) = [line for line in capfd.readouterr().err.splitlines() if line.startswith("1. Type this instead; ")]
    program, *words = shlex.split(line[line.index("suture edit ") :])
    assert (program, main(words)) == ("suture", 0)
    assert (root / "a b.py").read_bytes() == b"def one():\n\tvalue = compute('`2`')\n\treturn value\n"


@pytest.mark.process
def test_a_correction_keeps_the_options_that_were_given(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "b.py").write_bytes(b"if x:\n\ty = '\xe9'\n")
    known = Workspace(root).file_read("b.py", encoding="latin-1").metadata["hash"]
    options = ["--encoding", "latin-1", "--expect-hash", known, "--validate", "strict", "--allow-commands", "--dry-run"]
    assert main(["edit", "b.py", "--old", "    y = 'é'\n", "--new", "    y = 'è'\n", *options]) == 1
    (line,) = [line for line in capfd.readouterr().err.splitlines() if line.startswith("1. Type this instead; ")]
    words = shlex.split(line[line.index("suture edit ") :])
    assert words[4:] == options
    assert main(words[1:]) == 0
    assert (root / "b.py").read_bytes() == b"if x:\n\ty = '\xe9'\n"


def test_a_correction_with_what_a_terminal_obeys_lands_as_it_was_meant(
    root: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (root / "-a.py").write_text("if x:\n\ty = '\x7f\x1b[2J\u202e\U000e0041'\n")
    wrong = ["edit", "--old", "    y = '\x7f\x1b[2J\u202e\U000e0041'\n", "--new", "    y = '\x9b'\n", "--", "-a.py"]
    assert main(wrong) == 1
    hint = capfd.readouterr().err
    assert all(line.isprintable() or "\t" in line for line in hint.splitlines())
    (line,) = [line for line in hint.splitlines() if line.startswith("1. Type this instead; ")]
    assert main(shlex.split(line[line.index("suture edit ") :])[1:]) == 0
    assert (root / "-a.py").read_text() == "if x:\n\ty = '\x9b'\n"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--old", "o", "--new", "0"], "2. Add more context to make the --old-text unique"),
        (["--old", "Two", "--new", "2"], "use this --old-text, which occurs once: --old-text=two\n"),
        (["--old", "on", "--new", "On", "--dry-run"], "warning: --old-text is part of a longer word or number: one\n"),
        (['{"old_text": "Two", "new_text": "2"}'], """use this old_text, which occurs once: {"old_text": "two"}\n"""),
        (['{"old_text": "on", "new_text": "On"}', "--dry-run"], "warning: edits[0]: old_text is part of"),
    ],
)
def test_a_text_is_named_as_it_was_given(
    root: Path, capfd: pytest.CaptureFixture[str], options: list[str], words: str
) -> None:
    main(["edit", "a.txt", *options])
    assert words in capfd.readouterr().err
    assert (root / "a.txt").read_bytes() == b"one\ntwo\n"


@pytest.mark.usefixtures("root")
def test_one_of_several_edits_is_corrected_as_an_edit(capfd: pytest.CaptureFixture[str]) -> None:
    wrong = [{"old_text": "one", "new_text": "1"}, {"old_text": "\ttwo", "new_text": "\t2"}]
    assert main(["edit", "a.txt", json.dumps(wrong)]) == 1
    assert "suture edit" not in capfd.readouterr().err


def test_options_are_handed_on(root: Path) -> None:
    (root / "b.txt").write_bytes("é\n".encode("latin-1"))
    known = Workspace(root).file_read("b.txt").metadata["hash"]
    command = ["edit", "b.txt", "--old", "é", "--new", "è", "--encoding", "latin-1", "--expect-hash", known]
    assert main(command) == 0
    assert (root / "b.txt").read_bytes() == "è\n".encode("latin-1")


# Wrong usage

BOTH = "edits.json already has the edits: omit --old, --new and --occurrences"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "expected --old TEXT or --old-file FILE (or the edits as JSON)"),
        (["--old", "two"], "expected --new TEXT or --new-file FILE (or the edits as JSON)"),
        (["--new", "2"], "expected --old TEXT or --old-file FILE (or the edits as JSON)"),
        (["--occurrences", "2"], "expected --old TEXT or --old-file FILE (or the edits as JSON)"),
        (
            ["--old", "two", "--new", "2", "--occurrences", "0"],
            "--occurrences is the number of occurrences in the file: expected at least 1, got 0",
        ),
        (["--old", "two", "--old-file", "old", "--new", "2"], "expected only one of --old TEXT or --old-file FILE"),
        (["--old", "two", "--new", "", "--new-file", "old"], "expected only one of --new TEXT or --new-file FILE"),
        (["--old-file", "nowhere", "--new", "2"], "cannot read nowhere: No such file or directory"),
        (["--old-file", ".", "--new", "2"], "cannot read .: Is a directory"),
        (["--old-file", "latin", "--new", "2"], "latin is not UTF-8; send its text as JSON"),
        (["edits.json", "--old", "two"], BOTH),
        (["edits.json", "--new", ""], BOTH),
        (["edits.json", "--occurrences", "1"], BOTH),
        (["edits.json", "--old-file", "old"], BOTH),
        (["nowhere.json"], "cannot read nowhere.json: No such file or directory"),
        (["latin"], "latin is not JSON: "),
        (["deep"], "deep is not JSON: "),
        (["[{]"], "the argument is not JSON: "),
        (["-"], "stdin is not JSON: "),
        (["other.json"], "other.json is for b.txt, not for a.txt"),
        (["[]"], "edits: No edits provided"),
        (["[1]"], "edits[0]: expected an object, got the number 1"),
        (
            ['{"old_text": "two", "new_txt": "2"}'],
            (
                "edits[0].new_txt: unknown; did you mean new_text?; edits[0].new_text: missing: "
                "Replacement text; an empty one deletes old_text"
            ),
        ),
        (
            ['{"old_text": "o", "new_text": "0", "occurrences": 0}'],
            "edits[0].occurrences: expected a whole number of at least 1, got 0",
        ),
        (['{"path": "b.txt", "edits": []}'], "the argument is for b.txt, not for a.txt"),
    ],
)
def test_what_is_no_request_is_wrong_usage(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, options: list[str], message: str
) -> None:
    write_edits(root, [ONE])
    (root / "old").write_bytes(b"two")
    (root / "latin").write_bytes(b"\xe9")
    (root / "deep").write_bytes(b"[" * 200_000)
    (root / "other.json").write_text('{"path": "b.txt", "edits": []}')
    send(monkeypatch, b"two")
    assert main(["edit", "a.txt", *options]) == 2
    out, err = capfd.readouterr()
    first, last = f"WRONG_USAGE: suture edit: {message}", "\nSee: suture edit --help\n"
    assert (out, err if not message.endswith(" ") else err[: len(first)] + last) == ("", first + last)
    assert (root / "a.txt").read_bytes() == b"one\ntwo\n"


@pytest.mark.parametrize("options", [["edits.json"], ["--old-file", "edits.json", "--new", ""], ["-"]])
def test_a_file_that_is_too_large_is_wrong_usage(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    monkeypatch.setattr("suture.cli.output._MAX_INPUT_BYTES", 10)
    write_edits(root, [ONE])
    send(monkeypatch, b" " * 11)
    assert main(["edit", "a.txt", *options]) == 2
    problem = f"{'stdin' if options == ['-'] else 'edits.json'} has more than 10 bytes"
    assert capfd.readouterr().err == f"WRONG_USAGE: suture edit: {problem}\nSee: suture edit --help\n"


def test_an_empty_stdin_is_no_text(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for option, more in (("--new-file", "; to delete the text, use --new ''"), ("--old-file", "")):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"")))
        other = ["--old", "two"] if option == "--new-file" else ["--new", "2"]
        assert main(["edit", "a.txt", *other, option, "-"]) == 2
        expected = f"WRONG_USAGE: suture edit: stdin is empty{more}\nSee: suture edit --help\n"
        assert capfd.readouterr() == ("", expected)
    assert (root / "a.txt").read_bytes() == b"one\ntwo\n"
