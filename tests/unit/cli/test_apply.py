"""`suture apply`, as seen from a terminal or a script."""

import io
import json
import os
import pty
import re
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from suture import Workspace
from suture.cli import main
from tests.unit.changes import interrupt

APP = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"


def block(old: str, new: str) -> str:
    return f"<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


REPLY = (
    "First the function.\n\n### File: src/app.py\n"
    + block("def f():\n  return 1\n", "def f():\n  return 10\n")
    + block("    return 2\n", "    return 20\n")
    + "\n### File: notes.md\n<<<<<<< NEW_FILE\n# Notes\n>>>>>>> NEW_FILE\n"
)
DIFF = """\
diff --git a/src/app.py b/src/app.py
--- a/src/app.py
+++ b/src/app.py
@@ -1,6 +1,6 @@
 def f():
-    return 1
+    return 10
{0}
{0}
 def g():
-    return 2
+    return 20
diff --git a/notes.md b/notes.md
new file mode 100644
--- /dev/null
+++ b/notes.md
@@ -0,0 +1 @@
+# Notes
""".format(" ")
LINES = "✓ 1 src/app.py:2, found ignoring indentation\n✓ 2 src/app.py:6\n✓ 3 notes.md, created\n"
FAILING = "### File: src/app.py\n" + block("nowhere at all\n", "x\n")
MISSED = "NO_MATCH: Block 1 failed: Could not find matching text in src/app.py: nowhere at all\n"
AFTER = {"src/app.py": APP.replace("1", "10").replace("2", "20"), "notes.md": "# Notes\n"}

NO_ANSWER = "NO_ANSWER: No answer: nothing was changed.\nAnswer y or n, or select blocks with --only.\n"

Run = Callable[..., str]


def wrong(problem: str) -> str:
    return f"WRONG_USAGE: suture apply: {problem}\nSee: suture apply --help\n"


FILES = {"src/app.py": APP}


@pytest.fixture
def apply_stdin(root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Apply a reply from stdin; returns the output."""
    assert root.is_dir()

    def run(reply: str, *words: str, code: int = 0, err: str | None = None) -> str:
        type_input(monkeypatch, reply)
        assert main(["apply", *words]) == code
        out, complaint = capfd.readouterr()
        assert (complaint if err is not None else "") == (err or "")
        return out

    return run


def type_input(monkeypatch: pytest.MonkeyPatch, text: str | bytes) -> None:
    raw = text if isinstance(text, bytes) else text.encode()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw)))


def contents(root: Path) -> dict[str, str]:
    return {str(path.relative_to(root)): path.read_text() for path in root.rglob("*") if path.is_file()}


# What it prints


@pytest.mark.parametrize("words", [[], ["-"], ["reply.txt"]])
def test_a_reply_is_applied_and_told(
    root: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
    words: list[str],
) -> None:
    reply = tmp_path_factory.mktemp("replies") / "reply.txt"
    reply.write_text(REPLY)
    type_input(monkeypatch, REPLY)
    assert main(["apply", *(str(reply) if word == "reply.txt" else word for word in words)]) == 0
    out, err = capfd.readouterr()
    applied = re.search(r"^Applied 3 blocks as change ([0-9a-z]{15})\.$", out, re.MULTILINE)
    assert applied
    assert out == f"{LINES}{applied[0]}\n\n{DIFF}"
    assert err == f"To undo: suture undo {applied[1]}\n"
    assert contents(root) == AFTER
    assert main(["undo", applied[1]]) == 0
    assert contents(root) == {"src/app.py": APP}


def test_a_dry_run_changes_nothing(root: Path, apply_stdin: Run) -> None:
    assert apply_stdin(REPLY, "--dry-run", err="") == f"{LINES}Would apply 3 blocks.\n\n{DIFF}"
    assert contents(root) == {"src/app.py": APP}
    failing = REPLY + FAILING
    head = f"{LINES}✗ 4 src/app.py, failed\nWould apply 3 of 4 blocks; 1 failed.\n"
    assert apply_stdin(failing, "--dry-run", code=1) == f"{head}\n{DIFF}"
    assert apply_stdin(FAILING, "--dry-run", code=1) == "✗ 1 src/app.py, failed\nNothing would change: 1 failed.\n"


def test_what_is_applied_already_is_no_failure(apply_stdin: Run) -> None:
    apply_stdin(REPLY)
    expected = "= 2 src/app.py:6, already applied\n= 3 notes.md, already applied\n"
    out = apply_stdin(REPLY, "--only", "2,3", err="")
    assert out == f"- 1 src/app.py, skipped\n{expected}Nothing was changed: 2 already applied, 1 skipped.\n"


def test_what_failed_is_explained_on_stderr_and_the_rest_lands(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "reply.md").write_text(FAILING + block("    return 2\n", "    return 20\n"))
    assert main(["apply", "reply.md"]) == 1
    out, err = capfd.readouterr()
    summary = out.split("\n\n")[0].split("\n")
    assert summary[:2] == ["✗ 1 src/app.py, failed", "✓ 2 src/app.py:6"]
    assert re.fullmatch(r"Applied 1 of 2 blocks as change [0-9a-z]{15}; 1 failed\.", summary[2])
    assert err.startswith(MISSED)
    assert re.search(r"\n  .* Send this block again .*\nTo undo: suture undo [0-9a-z]{15}\n$", err)
    assert contents(root)["src/app.py"] == APP.replace("2", "20")


def test_details_of_a_failure_are_those_that_the_tool_tells(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    reply = "### File: src/app.py\n" + block("def g():\n    x = 3\n    return 3\n", "pass\n")
    (root / "reply.md").write_text(reply)
    text = Workspace(root).apply_reply(reply, dry_run=True).text
    assert main(["apply", "reply.md", "--dry-run"]) == 1
    err = capfd.readouterr().err
    assert "Difference in line" in err
    assert f"NO_MATCH: {text.partition(chr(10))[2].strip()}" == err.strip()


def test_validation_errors_and_warnings_are_reported(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "yarn.lock").write_text("a\n")
    reply = "### File: yarn.lock\n" + block("a\n", "b\n")
    (root / "reply.md").write_text(reply)
    assert main(["apply", "reply.md", "--dry-run"]) == 0
    assert capfd.readouterr().err.startswith("warning: yarn.lock: ")
    (root / "reply.md").write_text(reply + "### File: src/app.py\n<<<<<<< SEARCH\ndef f():\n")
    assert main(["apply", "reply.md", "--dry-run"]) == 1
    err = capfd.readouterr().err
    assert err.startswith("INCOMPLETE_BLOCK: Block 2 failed: ")
    assert "Mismatched" not in err  # the message of the block is more precise
    stale = "### File: src/app.py\n" + block("nowhere at all\n", "x\n")
    (root / "reply.md").write_text(f"{stale}>>>>>>> REPLACE\n")
    assert main(["apply", "reply.md", "--dry-run"]) == 1
    assert "\nnote: Mismatched SEARCH/REPLACE: 1 SEARCH vs 2 REPLACE\n" in capfd.readouterr().err


def test_a_block_that_is_not_text_gets_no_general_warning(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    diff = "diff --git a/x.png b/x.png\nindex 1f2e3d4..5c6b7a8 100644\nBinary files a/x.png and b/x.png differ\n"
    error = "UNSUPPORTED_BLOCK: Block 1 failed: The diff changes x.png, which is binary.\n  Only text files can be "
    for reply, note in (
        (diff, ""),
        (f"{diff}>>>>>>> REPLACE\n", "note: Mismatched SEARCH/REPLACE: 0 SEARCH vs 1 REPLACE\n"),
    ):
        (root / "reply.md").write_text(reply)
        assert main(["apply", "reply.md"]) == 1
        assert capfd.readouterr().err == f"{error}changed this way.\n{note}"


def test_deleted_and_renamed_files_are_reported(root: Path, apply_stdin: Run) -> None:
    (root / "old.py").write_text("x\n")
    patch = "*** Begin Patch\n*** Delete File: old.py\n*** Update File: src/app.py\n*** Move to: src/new.py\n@@\n"
    patch += "-    return 1\n+    return 10\n*** End Patch\n"
    out = apply_stdin(patch)
    first, second, summary = out.split("\n\n")[0].split("\n")
    assert first == "✓ 1 old.py, deleted"
    assert second.startswith("✓ 2")
    assert "src/new.py" in second
    assert summary.startswith("Applied 2 blocks as change ")
    assert contents(root) == {"src/new.py": APP.replace("1", "10")}


def test_a_block_without_a_file_is_reported_by_its_line(apply_stdin: Run) -> None:
    err = "NO_PATH: Block 1 failed: The block at line 1 of the reply does not name its file.\n"
    err += "  Send this block again below a line `### File: PATH`, or give --default-path.\n"
    out = apply_stdin(block("a\n", "b\n"), code=1, err=err)
    assert out == "✗ 1 (line 1 of the reply), failed\nNothing was changed: 1 failed.\n"


def test_blocks_that_cancel_each_other_out_leave_no_change(root: Path, apply_stdin: Run) -> None:
    reply = "### File: src/app.py\n" + block("def f():\n", "def h():\n") + block("def h():\n", "def f():\n")
    out = apply_stdin(reply, err="")
    assert out == ("✓ 1 src/app.py:1\n✓ 2 src/app.py:1\nNo change: 2 blocks together change nothing.\n")
    assert Workspace(root).history().metadata["changes"] == []


def test_a_change_that_could_not_be_recorded_is_said_to_be_final(
    apply_stdin: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    why = "the history cannot be used, its file cannot be used: Not a directory"
    apply_stdin(REPLY, err=f"note: This change cannot be undone: {why}.\n")


@pytest.mark.parametrize(("words", "reply"), [(["--dry-run"], REPLY), (["-p", "reply.md"], "n\nn\nn\n")])
def test_a_transaction_that_was_cleared_up_is_noted(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: list[str], reply: str
) -> None:
    (root / "reply.md").write_text(REPLY)
    note = interrupt(root, "src/app.py")
    type_input(monkeypatch, reply)
    assert main(["apply", *words]) == 0
    assert capfd.readouterr().err == note


def test_how_to_undo_names_another_root(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path_factory: Any
) -> None:
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    type_input(monkeypatch, REPLY)
    assert main(["apply", "--root", str(root)]) == 0
    assert main(capfd.readouterr().err.removeprefix("To undo: suture ").split()) == 0
    assert contents(root) == {"src/app.py": APP}


# Options


def test_atomic_is_all_or_nothing(root: Path, apply_stdin: Run) -> None:
    out = apply_stdin(REPLY + FAILING, "--atomic", code=1)
    assert out.endswith("- 3 notes.md, skipped\n✗ 4 src/app.py, failed\nNothing was changed: 1 failed, 3 skipped.\n")
    assert contents(root) == {"src/app.py": APP}


SED = "\n```bash\nsed -i 's/1/2/' src/app.py\n```\n"
UNREAD = (
    "UNREAD_EDITS: Line 23 of the reply was not read: it looks like a shell command that changes files (src/app.py).\n"
)


@pytest.mark.promise("reply.nothing-silent")
def test_an_edit_that_is_not_read_is_exit_code_1(
    root: Path, apply_stdin: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    typed_reply = REPLY + SED
    source = root.parent / f"{root.name}.md"
    source.write_text(typed_reply)
    assert main(["apply", str(source), "--dry-run"]) == 1
    out, err = capfd.readouterr()
    assert out == f"{LINES}Would apply 3 blocks.\n\n{DIFF}"
    assert err == f"{UNREAD}Resend only what was not read, as SEARCH/REPLACE blocks or as a patch.\n"
    assert main(["apply", str(source), "--only", "1"]) == 0
    assert capfd.readouterr()[1].startswith(UNREAD)
    output = apply_stdin(REPLY + "\nDelete `src/app.py`.\n", "--dry-run")
    assert "\nWould apply 2 of 3 blocks; 1 already applied.\n" in output


@pytest.mark.parametrize(
    "words", [["--only", "1,3"], ["--only", "1", "--only", "3"], ["--only=3 1"], ["--only", "3, ", "--only", "1"]]
)
def test_only_some_blocks_may_be_applied(root: Path, apply_stdin: Run, words: list[str]) -> None:
    out = apply_stdin(REPLY, *words)
    assert "\n- 2 src/app.py, skipped\n" in out
    assert re.search(r"\nApplied 2 of 3 blocks as change [0-9a-z]{15}; 1 skipped\.\n\ndiff ", out)
    assert contents(root) == {"src/app.py": APP.replace("1", "10"), "notes.md": "# Notes\n"}


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (["--only", "7"], "--only: unknown block 7; choose from 1, 2, 3"),
        (["--only", ","], "argument --only: expected block ids such as 1,3.2, got ','"),
        (
            ["--expect-hash", "x"],
            "--expect-hash: expected sha256: and 64 hexadecimal digits, as in results, got the string 'x'",
        ),
        (
            ["--match", "fuzzy"],
            "argument --match: invalid choice: 'fuzzy' (choose from exact, whitespace, lenient)",
        ),
        (["-p", "--json"], "--json cannot be used with -p"),
        (["--path", "x"], "unrecognized arguments: --path; did you mean --patch?"),
        (["a", "b"], "unrecognized arguments: b"),
    ],
)
def test_wrong_usage_is_exit_code_2(
    root: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    problem: str,
) -> None:
    type_input(monkeypatch, REPLY)
    assert main(["apply", *words]) == 2
    out, err = capfd.readouterr()
    assert (out, err.replace("'exact', 'whitespace', 'lenient'", "exact, whitespace, lenient")) == ("", wrong(problem))
    assert contents(root) == {"src/app.py": APP}


def test_a_stricter_match_may_be_asked_for(apply_stdin: Run, capfd: pytest.CaptureFixture[str], root: Path) -> None:
    out = apply_stdin(REPLY, "--match", "whitespace", "--dry-run")
    assert "Would apply 3 blocks." in out
    (root / "reply.md").write_text(REPLY)
    assert main(["apply", "reply.md", "--match", "exact"]) == 1
    assert (
        "  Send this block again with the lines as they are in the file, or use --match lenient.\n"
        in capfd.readouterr().err
    )


def test_whole_files_are_taken_if_asked_for(root: Path, apply_stdin: Run, capfd: pytest.CaptureFixture[str]) -> None:
    reply = "**src/app.py**\n\n```python\nx = 1\n```\n"
    (root / "reply.md").write_text(reply)
    assert main(["apply", "reply.md"]) == 2
    out, err = capfd.readouterr()
    hint = "It has whole files in code fences (src/app.py): to write them, add --whole-files."
    assert (out, err) == ("", f"NO_BLOCKS: The reply contains no block that can be applied.\n{hint}\n")
    assert "Applied 1 block as change" in apply_stdin(reply, "--whole-files")
    assert contents(root)["src/app.py"] == "x = 1\n"


def test_a_file_may_be_named_for_blocks_that_name_none(root: Path, apply_stdin: Run) -> None:
    assert "✓ 1 src/app.py:6\n" in apply_stdin(
        block("    return 2\n", "    return 20\n"), "--default-path", "src/app.py"
    )
    assert contents(root)["src/app.py"] == APP.replace("2", "20")


def test_a_file_that_has_another_hash_is_not_changed(
    root: Path, apply_stdin: Run, capfd: pytest.CaptureFixture[str]
) -> None:
    (root / "reply.md").write_text(REPLY)
    known = Workspace(root).file_read("src/app.py").metadata["hash"]
    assert main(["apply", "reply.md", "--expect-hash", json.dumps({"src/app.py": "0" * 64})]) == 1
    out, err = capfd.readouterr()
    assert (out, err.split(":")[0]) == ("", "FILE_CHANGED")
    reply = "### File: src/app.py\n" + block("    return 2\n", "    return 20\n")
    assert "Applied 1 block" in apply_stdin(reply, "--expect-hash", known)
    known = Workspace(root).file_read("src/app.py").metadata["hash"]
    assert "Applied 1 block" in apply_stdin(
        "### File: src/app.py\n" + block("    return 20\n", "    return 2\n"),
        "--expect-hash",
        json.dumps({"src/app.py": known}),
    )


@pytest.mark.parametrize(
    ("reply", "words", "code"),
    [
        (REPLY, ["--dry-run"], 0),
        (REPLY + FAILING, ["--dry-run", "--only", "4,2"], 1),
        (REPLY + FAILING, ["--dry-run", "--atomic"], 1),
        ("Nothing.", ["--dry-run"], 2),
        (REPLY, ["--dry-run", "--only", "9"], 2),
    ],
)
def test_json_is_the_whole_result_of_the_tool(
    root: Path, apply_stdin: Run, reply: str, words: list[str], code: int
) -> None:
    arguments: dict[str, object] = {"reply": reply, "dry_run": True, "atomic": "--atomic" in words}
    if "--only" in words:
        arguments["only"] = words[-1]
    expected = Workspace(root).call("apply_reply", arguments)
    assert json.loads(apply_stdin(reply, "--json", *words, code=code, err="")) == expected.to_dict()


@pytest.mark.parametrize("words", [[], ["-p"]])
@pytest.mark.usefixtures("root")
def test_a_workspace_that_is_not_there_is_a_refusal(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    type_input(monkeypatch, REPLY)
    assert main(["apply", "--root", "nowhere", *words]) == 1
    out, err = capfd.readouterr()
    assert (out, err.split(":")[0]) == ("", "WORKSPACE_NOT_FOUND")


# Replies as they come


def test_line_ends_of_a_reply_do_not_matter_to_a_file_that_is_there(root: Path, apply_stdin: Run) -> None:
    apply_stdin("\ufeff" + REPLY.replace("\n", "\r\n"))
    assert (root / "src/app.py").read_bytes() == AFTER["src/app.py"].encode()


def test_line_ends_of_a_reply_are_those_of_a_file_that_it_makes(root: Path) -> None:
    reply = "### File: dos.txt\n<<<<<<< NEW_FILE\none\r\ntwo\n>>>>>>> NEW_FILE\n"
    (root / "reply.md").write_bytes(reply.encode())
    assert main(["apply", "reply.md"]) == 0
    assert (root / "dos.txt").read_bytes() == b"one\r\ntwo\n"


@pytest.mark.parametrize("words", [["reply.md"], []])
@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        (b"caf\xe9\n", "is not UTF-8: byte 4 is 0xe9"),
        (REPLY.encode("utf-16"), "is not UTF-8: byte 1 is 0xff"),
        (b"\xed\xa0\x80", "is not UTF-8: byte 1 is 0xed"),
    ],
)
def test_a_reply_that_is_not_utf_8_is_not_read(
    root: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    words: list[str],
    raw: bytes,
    problem: str,
) -> None:
    (root / "reply.md").write_bytes(raw)
    type_input(monkeypatch, raw)
    assert main(["apply", *words]) == 2
    assert capfd.readouterr() == ("", wrong(f"{'reply.md' if words else 'stdin'} {problem}"))


def test_a_reply_that_cannot_be_read_is_wrong_usage(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["apply", "nowhere.md"]) == 2
    assert capfd.readouterr().err == wrong("cannot read nowhere.md: No such file or directory")
    assert main(["apply", "src"]) == 2
    assert capfd.readouterr().err == wrong("cannot read src: Is a directory")
    monkeypatch.setattr("sys.stdin", None)
    assert main(["apply"]) == 2
    assert capfd.readouterr().err == wrong("stdin is closed")
    (root / "reply.md").write_text(REPLY)
    assert main(["apply", "reply.md", "-p"]) == 2
    assert capfd.readouterr().err == wrong("-p reads answers from stdin, which is closed")
    monkeypatch.setattr("suture.cli.output._MAX_INPUT_BYTES", 10)
    assert main(["apply", "reply.md"]) == 2
    assert capfd.readouterr().err == wrong("reply.md has more than 10 bytes")
    assert contents(root) == {"src/app.py": APP, "reply.md": REPLY}


def test_an_empty_stdin_is_no_reply(apply_stdin: Run) -> None:
    problem = "WRONG_USAGE: suture apply: stdin is empty\nSee: suture apply --help\n"
    assert apply_stdin("", code=2, err=problem) == ""


@pytest.mark.parametrize("reply", ["\n", "Sorry, I cannot do that.\n", "\0\x1b[31m"])
def test_a_reply_without_a_block_is_unusable(
    apply_stdin: Run, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, reply: str
) -> None:
    for words in ([], ["-p"]):
        type_input(monkeypatch, reply)
        assert main(["apply", *words]) == 2
        out, err = capfd.readouterr()
        assert (out, err.split(":")[0]) == ("", "NO_BLOCKS")
    assert json.loads(apply_stdin(reply, "--json", code=2))["metadata"]["error"]["code"] == "NO_BLOCKS"


# Terminals and pipes


def in_terminal(
    words: list[str], cwd: Path, sent: bytes = b"", reply: bytes | None = None, *, color: bool = True
) -> tuple[int, str]:
    """The exit code of a command on its own terminal, where something is typed, and what it shows."""
    code = (
        "import fcntl, sys, termios; fcntl.ioctl(1, termios.TIOCSCTTY, 0); "
        "from suture.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        stdin=slave if reply is None else subprocess.PIPE,
        stdout=slave,
        stderr=slave,
        cwd=cwd,
        env=environment if color else {**environment, "NO_COLOR": "1"},
        start_new_session=True,
    )
    os.close(slave)
    timer = threading.Timer(50, process.kill)
    timer.start()
    if process.stdin is not None:
        process.stdin.write(reply or b"")
        process.stdin.close()
    screen = b""
    while True:
        if sent and screen.rstrip().endswith((b"?]", b"line.")):
            os.write(master, sent[: (sent + b"\n").index(b"\n") + 1])
            sent = sent[(sent + b"\n").index(b"\n") + 1 :]
        try:
            read = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        if not read:
            break
        screen += read
    timer.cancel()
    os.close(master)
    return process.wait(timeout=50), screen.decode().replace("\r\n", "\n")


@pytest.mark.process
def test_colors_are_for_terminals_only(root: Path, apply_stdin: Run) -> None:
    (root / "reply.md").write_text(REPLY + FAILING)
    code, screen = in_terminal(["apply", "reply.md", "--dry-run"], root)
    assert code == 1
    for line in ("\x1b[31m-    return 1\x1b[0m", "\x1b[32m✓\x1b[0m 2 src/app.py:6\n", "\x1b[31m✗\x1b[0m 4 src/app.py"):
        assert line in screen
    assert screen.index("Would apply") < screen.index("Block 4 failed") < screen.index(" Send this block")
    assert "\x1b" not in in_terminal(["apply", "reply.md", "--dry-run"], root, color=False)[1]
    assert "\x1b" not in apply_stdin(REPLY, "--dry-run")


@pytest.mark.process
def test_nothing_that_a_terminal_obeys_gets_there(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    evil = "\x1b[2J\x9b\x07"
    (root / "src/app.py").write_text(f"a {evil}\nb {evil}\n")
    reply = "### File: src/app.py\n" + block(f"a {evil}\n", f"c {evil}\n") + block(f"x {evil}\n", f"b {evil}\n")
    reply += f"### File: e{evil}.txt\n<<<<<<< NEW_FILE\n{evil}\n>>>>>>> NEW_FILE\n"
    (root / "reply.md").write_text(reply)
    code, screen = in_terminal(["apply", "reply.md", "-p"], root, b"y\nn\n", color=False)
    assert (code, {"\x1b", "\x9b", "\x07"} & set(screen)) == (1, set())
    assert "+c \\x1b[2J\\x9b\\x07\n" in screen
    (root / "src/app.py").write_text(f"a {evil}\nb {evil}\n")
    assert main(["apply", "reply.md", "--dry-run"]) == 1
    out, err = capfd.readouterr()
    assert (f"+c {evil}\n" in out, "\x1b" in err, "\x9b" in err) == (True, False, False)


@pytest.mark.process
def test_a_reply_may_be_pasted(root: Path) -> None:
    reply = b"### File: src/app.py\n<<<<<<< SEARCH\ndef f():\n=======\ndef h():\n>>>>>>> REPLACE\n\x04"
    code, screen = in_terminal(["apply", "--dry-run"], root, reply.replace(b"\n", b"\r"))
    assert (code, "Paste the reply" in screen, "Would apply 1 block." in screen) == (0, True, True)


@pytest.mark.process
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_closed_pipe_does_not_hide_how_to_undo(root: Path, unbuffered: str) -> None:
    (root / "reply.md").write_text(REPLY)
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.run(
        [sys.executable, "-m", "suture", "apply", "reply.md"],
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
        env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
    )
    os.close(writing)
    assert process.returncode == 141
    assert re.fullmatch(r"To undo: suture undo [0-9a-z]{15}\n", process.stderr)


@pytest.mark.process
@pytest.mark.usefixtures("root")
@pytest.mark.parametrize(
    ("words", "code", "end"),
    [
        (
            ">/dev/full",
            1,
            (
                "OUTPUT_FAILED: the output could not be written: No space left on device\n"
                "Whatever the command changed has landed: see suture log.\n"
            ),
        ),
        (">&-", 0, ""),
        ("2>&-", 0, ""),
        ("-p >&-", 1, NO_ANSWER),
    ],
)
def test_closed_and_full_streams_make_no_traceback(root: Path, words: str, code: int, end: str) -> None:
    (root / "reply.md").write_text(REPLY)
    command = f"{sys.executable} -m suture apply reply.md {words} </dev/null"
    process = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=False)
    assert (process.returncode, "Traceback" in process.stderr, process.stderr[-len(end) :] if end else "") == (
        code,
        False,
        end,
    )


# One by one


@pytest.fixture
def answer_questions(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Answer the questions about a reply; returns the exit code and the output."""

    def run(answers: str, reply: str = REPLY, *words: str) -> tuple[int, str, str]:
        source = root.parent / f"{root.name}.md"
        source.write_text(reply)
        type_input(monkeypatch, answers)
        code = main(["apply", str(source), "-p", *words])
        return code, *capfd.readouterr()

    return run


ASKED = "Apply block {} to {}? [y,n,q,a,d,?] "
LETTERS = ["y - ", "n - ", "q - ", "a - ", "d - ", "? - "]


def questions(out: str) -> list[str]:
    return re.findall(r"Apply block (\S+) to \S+\? \[y,n,q,a,d,\?\] ", out)


def test_an_edit_that_is_not_read_is_reported_though_blocks_are_chosen(answer_questions: Callable[..., Any]) -> None:
    code, _, err = answer_questions("y\ny\ny\n", REPLY + SED)
    assert (code, err.startswith(UNREAD)) == (1, True)


@pytest.mark.parametrize(
    ("answers", "questioned", "applied"),
    [
        ("y\ny\ny\n", "1 2 3", "1 2 3"),
        ("y\nn\ny\n", "1 2 3", "1 3"),
        ("n\nn\nn\n", "1 2 3", ""),
        ("y\nq\n", "1 2", "1"),
        ("q\n", "1", ""),
        ("a\ny\n", "1 3", "1 2 3"),
        ("a\nn\n", "1 3", "1 2"),
        ("n\na\nd\n", "1 2 3", "2"),
        ("d\ny\n", "1 3", "3"),
        ("y\nd\nq\n", "1 2 3", "1"),
        ("?\n\nmaybe\nabort\nY\n YES \nNo\n", "1 1 1 1 1 2 3", "1 2"),
        ("\xff\nquit", "1 1", ""),
    ],
)
def test_each_block_is_asked_about(
    root: Path, answer_questions: Callable[..., Any], answers: str, questioned: str, applied: str
) -> None:
    code, out, err = answer_questions(answers)
    assert (code, questions(out)) == (0, questioned.split())
    lines = out.removesuffix("\n").rpartition("] ")[2].split("\n")
    assert [line.split()[1] for line in lines if line.startswith("✓")] == applied.split()
    expected = {"src/app.py": APP}
    for number, old, new in (("1", "1", "10"), ("2", "2", "20")):
        if number in applied:
            expected["src/app.py"] = expected["src/app.py"].replace(old, new)
    expected |= {"notes.md": "# Notes\n"} if "3" in applied else {}
    assert contents(root) == expected
    total = len(applied.split())
    if not total:
        assert (lines[-1], err) == ("Nothing was changed: 3 skipped.", "")
    else:
        count = "3 blocks" if total == 3 else f"{total} of 3 blocks"
        assert lines[-1].startswith(f"Applied {count} as change ")
        assert err.startswith("To undo: suture undo ")


def test_a_block_is_shown_before_it_is_asked_about(answer_questions: Callable[..., Any]) -> None:
    _, out, _ = answer_questions("n\n?\nn\nn\n")
    first, second, third, report = re.split(r"Apply block . to \S+\? \[y,n,q,a,d,\?\] (?=[B-])", out)
    assert first.startswith(
        "Block 1: update src/app.py:2, found ignoring indentation\ndiff --git a/src/app.py b/src/app.py\n"
    )
    assert "\n-    return 1\n+    return 10\n" in first
    assert second.startswith("Block 2: update src/app.py:6\n")
    assert [letter in second for letter in LETTERS] == [True] * 6
    assert third.startswith("Block 3: create notes.md\n")
    assert third.endswith("+# Notes\n")
    assert report.startswith("- 1 src/app.py, skipped\n")


def test_what_fails_or_is_there_already_is_not_asked_about(root: Path, answer_questions: Callable[..., Any]) -> None:
    there = block("def f():\n", "def f():\n")
    code, out, err = answer_questions("y\n", FAILING + there + block("    return 2\n", "    return 20\n"))
    assert (code, questions(out)) == (1, ["3"])
    assert out.startswith("✗ 1 src/app.py, failed\n= 2 src/app.py:1, already applied\nBlock 3: ")
    assert re.search(
        r"\] ✗ 1 src/app.py, failed\n= 2 src/app.py:1, already applied\n✓ 3 src/app.py:6\n"
        r"Applied 1 of 3 blocks as change [0-9a-z]{15}; 1 already applied, 1 failed\.\n$",
        out,
    )
    assert err.startswith(MISSED)
    assert contents(root)["src/app.py"] == APP.replace("2", "20")


def test_a_repeated_block_does_not_bring_back_what_was_refused(
    root: Path, answer_questions: Callable[..., Any]
) -> None:
    reply = "### File: src/app.py\n" + block("def g():\n", "def greet_everybody():\n") * 2
    code, out, err = answer_questions("n\n", reply)
    assert (code, questions(out), err) == (0, ["1"], "")
    assert contents(root) == {"src/app.py": APP}


def test_what_needs_a_block_that_was_left_out_says_so(root: Path, answer_questions: Callable[..., Any]) -> None:
    reply = "### File: src/app.py\n" + block("def f():\n", "def h():\n") + block("def h():\n", "def h(x):\n")
    code, out, err = answer_questions("n\ny\n", reply)
    assert (code, questions(out)) == (1, ["1", "2"])
    assert out.endswith("- 1 src/app.py, skipped\n✗ 2 src/app.py, failed\nNothing was changed: 1 failed, 1 skipped.\n")
    assert err.startswith("NO_MATCH: Block 2 failed: Could not find matching text in src/app.py: def h():\n")
    assert err.endswith("note: 2 could be applied only together with: 1\n")
    assert contents(root) == {"src/app.py": APP}


def test_hunks_of_a_diff_are_asked_about_one_by_one(root: Path, answer_questions: Callable[..., Any]) -> None:
    diff = "--- a/src/app.py\n+++ b/src/app.py\n@@ -1,2 +1,2 @@\n def f():\n-    return 1\n+    return 10\n"
    diff += "@@ -5,2 +5,2 @@\n def g():\n-    return 2\n+    return 20\n"
    code, out, _ = answer_questions("n\ny\n", diff)
    assert (code, questions(out)) == (0, ["1.1", "1.2"])
    assert contents(root) == {"src/app.py": APP.replace("2", "20")}


def test_what_has_no_diff_is_asked_about_by_its_name(root: Path, answer_questions: Callable[..., Any]) -> None:
    (root / "empty.txt").touch()
    diff = "diff --git a/empty.txt b/empty.txt\nold mode 100644\nnew mode 100755\n"
    code, out, _ = answer_questions("y\n", diff, "--allow-executables")
    assert (code, out.startswith("Block 1: update empty.txt\nApply block 1 to empty.txt? ")) == (0, True)
    assert (root / "empty.txt").stat().st_mode & 0o111


def test_options_hold_for_what_is_asked_about(root: Path, answer_questions: Callable[..., Any]) -> None:
    code, out, err = answer_questions("y\n", REPLY, "--only", "3", "--dry-run")
    assert (code, questions(out), err) == (0, ["3"], "")
    assert out.endswith(
        "- 1 src/app.py, skipped\n- 2 src/app.py, skipped\n✓ 3 notes.md, created\n"
        "Would apply 1 of 3 blocks; 2 skipped.\n"
    )
    assert contents(root) == {"src/app.py": APP}
    code, out, _ = answer_questions("y\nn\n", REPLY + FAILING, "--atomic", "--only", "1,2,4")
    assert (code, questions(out)) == (1, ["1", "2"])
    assert contents(root) == {"src/app.py": APP.replace("1", "10")}
    assert answer_questions("", REPLY, "--only", "9")[::2] == (2, wrong("--only: unknown block 9; choose from 1, 2, 3"))


@pytest.mark.parametrize("answers", ["", "y\n", "y\ny\n"])
def test_no_more_answers_mean_that_nothing_is_applied(
    root: Path, answer_questions: Callable[..., Any], answers: str
) -> None:
    code, out, err = answer_questions(answers)
    assert (code, out[-1], err) == (1, "\n", NO_ANSWER)
    assert contents(root) == {"src/app.py": APP}


def test_what_is_gone_when_all_is_answered_is_reported(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    class Last(io.BytesIO):
        def readline(self, size: int | None = -1) -> bytes:
            shutil.rmtree(root / "src", ignore_errors=True)
            return super().readline(size)

    (tmp_path / "reply.md").write_text("### File: app.py\n" + block("def f():\n", "def h():\n"))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(Last(b"y\n")))
    assert main(["apply", "reply.md", "-p", "--root", "src"]) == 1
    assert capfd.readouterr().err.startswith("WORKSPACE_NOT_FOUND: ")


def test_an_interrupt_at_a_question_changes_nothing(
    root: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class Interrupted(io.BytesIO):
        def readline(self, size: int | None = -1) -> bytes:
            if not (line := super().readline(size)):
                raise KeyboardInterrupt
            return line

    (root / "reply.md").write_text(REPLY)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(Interrupted(b"y\ny\n")))
    assert main(["apply", "reply.md", "-p"]) == 130
    out, err = capfd.readouterr()
    assert (questions(out), err) == (["1", "2", "3"], "")
    assert contents(root) == {"src/app.py": APP, "reply.md": REPLY}


STALLED = """
import sys, time
from suture.cli import main
import suture.files.recovery as module
real, calls = module.publish, []
def stalled(*given, **named):
    calls.append(1)
    if len(calls) == 2:
        print("ready", flush=True)
        time.sleep(60)
    return real(*given, **named)
module.publish = stalled
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.process
@pytest.mark.promise("cli.interrupt")
def test_an_interrupt_while_files_are_written_leaves_them_as_they_were(root: Path) -> None:
    (root / "reply.md").write_text(REPLY)
    command = [sys.executable, "-c", STALLED, "apply", "reply.md"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        timer = threading.Timer(50, process.kill)
        timer.start()
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
        timer.cancel()
    assert (process.returncode, out, b"Traceback" in err) == (130, b"", False)
    assert contents(root) == {"src/app.py": APP, "reply.md": REPLY}
    assert Workspace(root).recover() is None


@pytest.mark.process
def test_a_reply_from_stdin_is_asked_about_on_the_terminal(root: Path) -> None:
    code, screen = in_terminal(["apply", "-p"], root, b"y\nn\ny\n", REPLY.encode(), color=False)
    assert (code, questions(screen)) == (0, ["1", "2", "3"])
    assert contents(root) == {"src/app.py": APP.replace("1", "10"), "notes.md": "# Notes\n"}


@pytest.mark.process
@pytest.mark.parametrize(("typed", "code"), [(b"y\n\x03", 130), (b"y\n\x04", 1)], ids=["interrupted", "ended"])
def test_keys_at_the_terminal_end_it_all(root: Path, typed: bytes, code: int) -> None:
    assert in_terminal(["apply", "-p"], root, typed, REPLY.encode())[0] == code
    assert contents(root) == {"src/app.py": APP}


@pytest.mark.process
def test_without_a_terminal_a_reply_from_stdin_cannot_be_asked_about(root: Path) -> None:
    process = subprocess.run(
        [sys.executable, "-m", "suture", "apply", "-p"],
        input=REPLY,
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,
    )
    message = "WRONG_USAGE: suture apply: -p needs a terminal if the reply comes from stdin: "
    assert (process.returncode, process.stderr[: len(message)]) == (2, message)
    assert contents(root) == {"src/app.py": APP}


@pytest.mark.process
def test_a_call_imports_nothing_slow(root: Path) -> None:
    (root / "reply.md").write_text(REPLY)
    code = "import sys; from suture.cli import main; main(sys.argv[1:]); sys.stderr.write('\\n'.join(sys.modules))"
    process = subprocess.run(
        [sys.executable, "-c", code, "apply", "reply.md"],
        capture_output=True,
        text=True,
        check=True,
        env={name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")},
    )
    slow = ["suture.patterns", "re2", "suture.cli.search", "dataclasses", "typing", "pathlib", "logging", "shutil"]
    assert set(slow).isdisjoint(process.stderr.split())
