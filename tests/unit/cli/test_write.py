"""`suture write`, as seen from a terminal or a script."""

import io
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from suture import Workspace
from suture.cli import main

DIFF = "diff --git a/a.json b/a.json\n--- a/a.json\n+++ b/a.json\n@@ -1 +1 @@\n-[1]\n+{}\n"
NEW = "diff --git a/b.json b/b.json\nnew file mode 100644\n--- /dev/null\n+++ b/b.json\n@@ -0,0 +1 @@\n+{}\n"
SAVED = r"Wrote {} as change [0-9a-z]{{15}}\.\n"
BACK = r"To undo: suture undo [0-9a-z]{15}\n"
PASSED = "✅ Validation Passed\n"

Run = Callable[..., tuple[str, str]]


FILES = {"a.json": b"[1]\n"}


@pytest.fixture
def write_stdin(root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Send content to `suture write`; returns the output."""
    assert root.is_dir()

    def run(content: bytes, *words: str, code: int = 0) -> tuple[str, str]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        assert main(["write", *words]) == code
        out, err = capfd.readouterr()
        return out, err

    return run


def test_what_is_sent_is_written_and_can_be_taken_back(root: Path, write_stdin: Run) -> None:
    out, err = write_stdin(b"[2]\n", "a.json")
    assert re.fullmatch(SAVED.format("a.json") + re.escape("\n" + DIFF.format("[2]")), out)
    assert re.fullmatch(PASSED + BACK, err)
    assert (root / "a.json").read_bytes() == b"[2]\n"
    assert main(err.split()[-3:][1:]) == 0
    assert (root / "a.json").read_bytes() == b"[1]\n"


def test_a_file_may_be_new_in_a_folder_that_is_new(root: Path, write_stdin: Run) -> None:
    out, _ = write_stdin(b"[2]\n", "b.json")
    assert re.fullmatch(SAVED.format("b.json") + re.escape("\n" + NEW.format("[2]")), out)
    assert re.fullmatch(SAVED.format("deep/down/c.json"), write_stdin(b"[3]\n", "deep/down/c.json", "--no-diff")[0])
    assert (root / "deep/down/c.json").read_bytes() == b"[3]\n"


def test_what_is_there_already_is_no_change(root: Path, write_stdin: Run) -> None:
    assert write_stdin(b"[1]\n", "a.json") == ("No change: a.json already has this content.\n", "")
    assert Workspace(root).history().metadata["changes"] == []


@pytest.mark.parametrize("content", [b"[1]\r\n[2", b"\xef\xbb\xbf[1]\n", "ä\u2028\n".encode(), b""])
def test_bytes_are_written_as_they_come(root: Path, write_stdin: Run, content: bytes) -> None:
    write_stdin(content, "new.txt", "--allow-empty")
    assert (root / "new.txt").read_bytes() == content


def test_what_brings_errors_is_rejected(root: Path, write_stdin: Run) -> None:
    out, err = write_stdin(b"[2\n", "a.json", code=1)
    assert out == DIFF.format("[2")
    head, issue, hint = err.splitlines()
    assert head == "VALIDATION_FAILED: Edit rejected due to validation errors (Mode: strict):"
    assert issue.startswith("a.json:")
    assert hint == "Nothing was written. Fix the edit and send it again; existing problems do not block it."
    assert (root / "a.json").read_bytes() == b"[1]\n"
    assert Workspace(root).history().metadata["changes"] == []


def test_interactive_writes_it_all_the_same(root: Path, write_stdin: Run) -> None:
    out, err = write_stdin(b"[2\n", "a.json", "--mode", "interactive", "--no-diff")
    assert re.fullmatch(SAVED.format("a.json"), out)
    assert re.fullmatch(rf"⚠️ Validation found:\na\.json:.*\n{BACK}", err)
    assert (root / "a.json").read_bytes() == b"[2\n"


@pytest.mark.parametrize(
    ("content", "code", "head", "message"),
    [
        (b"[2]\n", 0, "Would write a.json.", PASSED),
        (b"[2\n", 1, "Would refuse to write a.json: it would not pass the checks.", "⚠️ Validation found:\n"),
    ],
)
@pytest.mark.parametrize("words", [["--mode", "verify_only"], ["--dry-run"]], ids=" ".join)
def test_verify_only_writes_nothing_and_the_exit_code_tells(
    root: Path, write_stdin: Run, content: bytes, code: int, head: str, message: str, words: list[str]
) -> None:
    out, err = write_stdin(content, "a.json", *words, code=code)
    assert out == f"{head}\n\n{DIFF.format(content.decode().strip())}"
    assert (err.startswith(message), (root / "a.json").read_bytes()) == (True, b"[1]\n")


@pytest.mark.parametrize(("words", "code"), [([], 0), (["--validate", "all"], 1)])
@pytest.mark.parametrize("mode", ["strict", "verify_only"])
def test_errors_that_were_there_count_only_if_asked_for(
    root: Path, write_stdin: Run, words: list[str], code: int, mode: str
) -> None:
    before, after = b"<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n\nend\n", b"<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n\nEND\n"
    (root / "a.txt").write_bytes(before)
    write_stdin(after, "a.txt", "--mode", mode, *words, code=code)
    assert (root / "a.txt").read_bytes() == (after if mode == "strict" and not code else before)


@pytest.mark.parametrize(("required", "code"), [("true", 1), ("false", 0)])
@pytest.mark.parametrize("mode", ["strict", "verify_only"])
def test_a_check_that_cannot_be_run_counts_if_it_is_required(
    root: Path, write_stdin: Run, required: str, code: int, mode: str
) -> None:
    (root / "suture.toml").write_text(f"[validators.nonesuch]\nfiles = ['*.json']\nrequired = {required}\n")
    out, err = write_stdin(b"[2]\n", "a.json", "--mode", mode, code=code)
    assert "a.json by nonesuch: no check has this name" in out + err


@pytest.mark.process
def test_the_project_names_programs_that_run_only_if_allowed(root: Path, write_stdin: Run) -> None:
    command = [sys.executable, "-c", "import sys; print(f'{sys.argv[1]}:3:4: error: odd [E1]'); sys.exit(1)", "{file}"]
    (root / "suture.toml").write_text(f"[validators.mine]\nfiles = ['*.txt']\ncommand = {json.dumps(command)}\n")
    _, err = write_stdin(b"one\n", "a.txt", "--mode", "verify_only")
    assert "⚠️ Not validated: a.txt by mine: " in err
    assert err.endswith(" (--allow-commands)\n")
    _, err = write_stdin(b"one\n", "a.txt", "--allow-commands", code=1)
    assert err.splitlines()[1] == "a.txt:3:4 E1 odd"


def test_options_are_handed_on(root: Path, write_stdin: Run) -> None:
    (root / "b.txt").write_bytes("é\n".encode("latin-1"))
    known = Workspace(root).file_read("b.txt").metadata["hash"]
    write_stdin("è\n".encode(), "b.txt", "--encoding", "latin-1", "--expect-hash", known)
    assert (root / "b.txt").read_bytes() == "è\n".encode("latin-1")
    out, err = write_stdin(b"x\n", "b.txt", "--encoding", "latin-1", "--expect-hash", known, code=1)
    assert (out, err[:28]) == ("", "FILE_CHANGED: b.txt does not")


def test_everything_can_be_had_as_json(root: Path, write_stdin: Run) -> None:
    out, err = write_stdin(b"[2\n", "a.json", "--json", code=1)
    result = json.loads(out)
    assert (result["isError"], result["metadata"]["error"]["code"], err) == (True, "VALIDATION_FAILED", "")
    assert result["content"][0]["text"].startswith("**Diff Preview:**\n```diff\n")
    out, err = write_stdin(b"[2]\n", "a.json", "--json", "--no-diff")
    result = json.loads(out)
    assert (result["isError"], result["content"][0]["text"], err) == (False, "✅ File saved successfully.", "")
    assert (root / "a.json").read_bytes() == b"[2]\n"


def test_another_root_is_named_in_how_to_take_it_back(root: Path, write_stdin: Run) -> None:
    (root / "inner").mkdir()
    _, err = write_stdin(b"[2]\n", "a.json", "--root", "inner")
    assert err.endswith(" --root inner\n")
    assert (root / "inner/a.json").read_bytes() == b"[2]\n"


@pytest.mark.parametrize(
    ("content", "words", "complaint"),
    [
        (b"ab\xff\n", ["a.json"], "stdin is not UTF-8: byte 3 is 0xff"),
        (b"", ["a.json"], "stdin is empty; to make a.json empty, add --allow-empty"),
        (
            b"[2]",
            ["a.json", "--expect-hash", "x"],
            "--expect-hash: expected sha256: and 64 hexadecimal digits, as in results, got the string 'x'",
        ),
        (b"", [], "the following arguments are required: PATH"),
        (b"", ["a.json", "--max-lines", "1"], "unrecognized arguments: --max-lines"),
    ],
)
def test_what_is_no_request_is_wrong_usage(
    root: Path, write_stdin: Run, content: bytes, words: list[str], complaint: str
) -> None:
    message = f"WRONG_USAGE: suture write: {complaint}\nSee: suture write --help\n"
    assert write_stdin(content, *words, code=2) == ("", message)
    assert (root / "a.json").read_bytes() == b"[1]\n"


@pytest.mark.usefixtures("root")
def test_without_a_stdin_there_is_nothing_to_write(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    assert main(["write", "a.json"]) == 2
    assert capfd.readouterr() == ("", "WRONG_USAGE: suture write: stdin is closed\nSee: suture write --help\n")


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["../a.json"], "PATH_OUTSIDE_WORKSPACE: ../a.json is outside"),
        (["a.json", "--root", "nowhere"], "WORKSPACE_NOT_FOUND: "),
    ],
)
def test_what_the_tool_refuses_is_reported_on_stderr(write_stdin: Run, words: list[str], complaint: str) -> None:
    out, err = write_stdin(b"[2]\n", *words, code=1)
    assert (out, err[: len(complaint)]) == ("", complaint)


@pytest.mark.process
def test_on_a_terminal_it_says_what_it_waits_for_and_colors_the_diff(root: Path) -> None:
    master, slave = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    command = [sys.executable, "-m", "suture", "write", "a.json"]
    process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=subprocess.PIPE, env=environment)
    os.close(slave)
    os.write(master, b"[2]\n\x04")
    assert process.stderr is not None
    prompt = process.stderr.readline()
    process.wait()
    process.stderr.close()
    screen = os.read(master, 10_000)
    os.close(master)
    assert prompt == b"Type the content of a.json; end with Ctrl-D on a new line.\n"
    assert b"\x1b[31m-[1]\x1b[0m" in screen
    assert b"\x1b[32m+[2]\x1b[0m" in screen
    assert (root / "a.json").read_bytes() == b"[2]\n"
