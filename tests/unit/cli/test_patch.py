"""`suture patch`, as seen from a terminal or a script."""

import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from suture import Workspace
from suture.cli import main

ONE = {"operation": "replace", "oldText": "two", "newText": "2"}
DIFF = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"


FILES = {"a.txt": b"one\ntwo\n"}


def write_patches(root: Path, document: object) -> str:
    (root / "patches.json").write_text(json.dumps(document))
    return "patches.json"


@pytest.mark.promise("patch.command")
@pytest.mark.parametrize("document", [ONE, [ONE], {"patches": [ONE]}, {"path": "a.txt", "patches": ONE}])
def test_patch_applies_what_is_in_a_file_and_prints_the_diff(
    root: Path, capfd: pytest.CaptureFixture[str], document: Any
) -> None:
    assert main(["patch", "a.txt", write_patches(root, document)]) == 0
    out, err = capfd.readouterr()
    head, _, diff = out.partition("\n\n")
    (change,) = re.findall(r"^Patched a\.txt \(1 patch\) as change ([0-9a-z]{15})\.$", head)
    back = f"To undo: suture undo {change}\n"
    assert (diff, err, (root / "a.txt").read_bytes()) == (DIFF, back, b"one\n2\n")


@pytest.mark.promise("patch.command")
def test_patch_reads_stdin(root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    patches = [{"operation": "overwrite", "newText": "new\n"}]
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(patches).encode())))
    assert main(["patch", "sub/new.txt", "-", "--json"]) == 0
    result = json.loads(capfd.readouterr().out)
    assert (result["isError"], result["metadata"]["created"]) == (False, True)
    assert (root / "sub/new.txt").read_text() == "new\n"
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(patches).encode())))
    assert main(["patch", "sub/new.txt", "-"]) == 0
    assert capfd.readouterr().out == "No change: sub/new.txt already has this content.\n"


@pytest.mark.promise("patch.command")
def test_a_dry_run_prints_what_would_be_changed(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["patch", "a.txt", write_patches(root, [ONE, {"operation": "append_eof", "newText": ""}]), "--dry-run"])
        == 0
    )
    assert capfd.readouterr().out == f"Would apply 2 patches to a.txt.\n\n{DIFF}"
    assert (root / "a.txt").read_bytes() == b"one\ntwo\n"


@pytest.mark.promise("patch.command")
def test_notes_come_before_the_diff_and_warnings_go_to_stderr(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "yarn.lock").write_bytes(b"if a:\n    x = 1\n    y = 2\n")
    patch = {"operation": "replace", "oldText": "x = 1\ny = 2\n", "newText": "x = 1\ny = 3\n"}
    assert main(["patch", "yarn.lock", write_patches(root, patch)]) == 0
    out, err = capfd.readouterr()
    head, note, empty, first, *_ = out.split("\n")
    assert head.startswith("Patched yarn.lock")
    assert note.startswith("patches[0]: found at lines 2-3 ignoring indentation")
    assert err.startswith("warning: yarn.lock is a lock file")
    assert (empty, first) == ("", "diff --git a/yarn.lock b/yarn.lock")


@pytest.mark.promise("patch.command")
def test_a_refusal_goes_to_stderr_and_is_exit_code_1(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    patch = write_patches(root, {"operation": "replace", "oldText": "nowhere", "newText": "x"})
    assert main(["patch", "a.txt", patch]) == 1
    out, err = capfd.readouterr()
    assert (out, err.split(":")[0]) == ("", "OLD_TEXT_NOT_FOUND")
    assert main(["patch", "a.txt", patch, "--json"]) == 1
    assert json.loads(capfd.readouterr().out)["metadata"]["error"]["code"] == "OLD_TEXT_NOT_FOUND"
    assert main(["patch", "a.txt", patch, "--root", "nowhere"]) == 1
    assert capfd.readouterr().err.startswith("WORKSPACE_NOT_FOUND")


@pytest.mark.promise("patch.command")
def test_options_are_handed_on(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (root / "b.txt").write_bytes("  é\n  x\n".encode("latin-1"))
    spaced = write_patches(root, {"operation": "replace", "oldText": "é\nx\n", "newText": "è\nx\n"})
    assert main(["patch", "b.txt", spaced, "--encoding", "latin-1", "--match", "exact"]) == 1
    assert "or use --match lenient" in capfd.readouterr().err
    assert main(["patch", "b.txt", spaced, "--encoding", "latin-1", "--expect-hash", "0" * 64]) == 1
    assert capfd.readouterr().err.startswith("FILE_CHANGED")
    known = Workspace(root).file_read("b.txt").metadata["hash"]
    assert main(["patch", "b.txt", spaced, "--encoding", "latin-1", "--expect-hash", known]) == 0
    assert (root / "b.txt").read_bytes() == "  è\n  x\n".encode("latin-1")


@pytest.mark.promise("patch.command")
@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("patches.json", b"{", "patches.json is not JSON: "),
        ("patches.json", b"\xff", "patches.json is not JSON: "),
        ("patches.json", b"[" * 200_000, "patches.json is not JSON: "),
        ("nowhere.json", b"", "cannot read nowhere.json: No such file or directory"),
        ("patches.json", b'{"path": "b.txt", "patches": []}', "patches.json is for b.txt, not for a.txt"),
        ("-", b"two", "stdin is not JSON: Expecting value: line 1 column 1 (char 0)"),
        ("[]", b"", "patches: empty: say what to change"),
        ("-", b"", "stdin is not JSON: "),
        ("[{]", b"", "the argument is not JSON: "),
        ('{"path": "b.txt", "patches": []}', b"", "the argument is for b.txt, not for a.txt"),
    ],
)
def test_what_is_no_request_is_wrong_usage(
    root: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    content: bytes,
    message: str,
) -> None:
    (root / "patches.json").write_bytes(content)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert main(["patch", "a.txt", name]) == 2
    out, err = capfd.readouterr()
    first, last = f"WRONG_USAGE: suture patch: {message}", "\nSee: suture patch --help\n"
    assert (out, err if not message.endswith(" ") else err[: len(first)] + last) == ("", first + last)


@pytest.mark.promise("patch.command")
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("source", ["patches.json", "-", "inline"])
def test_json_may_come_from_anywhere_and_have_a_byte_order_mark(
    root: Path, monkeypatch: pytest.MonkeyPatch, mark: str, source: str
) -> None:
    text = f"{mark}\n {json.dumps([ONE])}"
    (root / "patches.json").write_bytes(text.encode())
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["patch", "a.txt", text if source == "inline" else source]) == 0
    assert (root / "a.txt").read_bytes() == b"one\n2\n"


@pytest.mark.promise("patch.command")
@pytest.mark.parametrize(
    ("path", "patch", "head", "diff"),
    [
        ("new.txt", {"operation": "append_eof", "newText": "x\n"}, "Would create new.txt (1 patch).", True),
        ("a.txt", {"oldText": "two", "newText": "two"}, "a.txt would not change (1 patch).", False),
    ],
)
def test_a_dry_run_says_what_would_be_created_or_stay(
    root: Path, capfd: pytest.CaptureFixture[str], path: str, patch: dict[str, str], head: str, *, diff: bool
) -> None:
    assert main(["patch", path, json.dumps(patch), "--dry-run"]) == 0
    first, *diff_lines = capfd.readouterr().out.removesuffix("\n").split("\n")
    assert (first, bool(diff_lines)) == (head, diff)
    assert [path.name for path in root.iterdir()] == ["a.txt"]


@pytest.mark.promise("patch.command")
def test_clipboards_are_named(root: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["patch", "a.txt", '{"oldText": "two\\n", "toClipboard": "x", "fromClipboard": "x"}']) == 0
    assert capfd.readouterr().out == "No change: a.txt already has this content.\nCopied line 2 to clipboard 'x'.\n"
    assert main(["patch", "a.txt", '{"oldText": "one\\n", "newText": "", "toClipboard": "y"}']) == 0
    assert capfd.readouterr().out.split("\n")[1] == "Cut line 1 to clipboard 'y'."
    assert (root / "a.txt").read_bytes() == b"two\n"


@pytest.mark.promise("patch.command")
def test_too_much_json_is_wrong_usage(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("suture.cli.output._MAX_INPUT_BYTES", 10)
    assert main(["patch", "a.txt", write_patches(root, [ONE])]) == 2
    assert "patches.json has more than 10 bytes" in capfd.readouterr().err


@pytest.mark.process
@pytest.mark.promise("patch.command")
def test_the_diff_is_colored_on_a_terminal_only(root: Path) -> None:
    write_patches(root, [ONE])
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "suture", "patch", "a.txt", "patches.json", "--dry-run"]
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    subprocess.run(command, stdout=slave, env=environment, check=True)
    os.close(slave)
    screen = os.read(master, 10_000)
    os.close(master)
    assert b"\x1b[31m-two\x1b[0m" in screen


@pytest.mark.promise("patch.clipboards")
def test_clipboards_of_a_named_session_are_pasted_listed_and_cleared(
    root: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = '{"oldText": "two\\n", "newText": "", "toClipboard": "x"}'
    paste = '{"operation": "append_eof", "fromClipboard": "x"}'
    assert main(["patch", "a.txt", cut, "--session", "me", "--quiet"]) == 0
    monkeypatch.setenv("SUTURE_SESSION", "you")
    assert main(["patch", "b.txt", paste]) == 1
    assert main(["clipboards"]) == 0
    assert main(["clipboards", "x"]) == 2
    out, err = capfd.readouterr()
    assert out == "There are no clipboards.\n"
    assert err.startswith("CLIPBOARD_NOT_FOUND: patches[0]: there is no clipboard 'x'.\n")
    assert err.endswith("WRONG_USAGE: suture clipboards: names need --clear\nSee: suture clipboards --help\n")
    monkeypatch.delenv("SUTURE_SESSION")
    assert main(["patch", "b.txt", paste, "--session", "me", "--quiet"]) == 0
    assert (root / "b.txt").read_text() == "two\n"
    assert main(["clipboards"]) == 0
    listed = capfd.readouterr().out
    assert re.fullmatch(r"x  line 2 of a\.txt before change \w{15}, 4 bytes, session me\n", listed)
    assert main(["clipboards", "--clear", "x", "--session", "me"]) == 0
    assert capfd.readouterr().out == f"Removed 1 clipboard.\n{listed}"
    assert main(["clipboards", "--clear"]) == 0
    assert capfd.readouterr().out == "There are no such clipboards.\n"
