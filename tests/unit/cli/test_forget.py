"""`suture forget`, as seen from a terminal or a script."""

import json
import os
import pty
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from suture import Workspace
from suture.cli import main
from tests.unit.changes import land, succeed, write

FILES = {"a.env": b"KEY=1\n", "b": b"b\n"}
ASKED = "Remove this for good? It cannot be undone. [y/N] "


@pytest.fixture
def ws(root: Path) -> Workspace:
    workspace = Workspace(root)
    land(workspace, write("a.env", b"KEY=2\n"))
    return workspace


def is_kept(ws: Workspace) -> bool:
    contents = succeed(ws.forget(["a.env"], dry_run=True))["contents"]
    assert contents in {0, 2}
    return bool(contents)


def answer(root: Path, typed: bytes, *words: str) -> tuple[int, str]:
    """The exit code of `suture forget` at a terminal where something is typed, and what it shows."""
    code = (
        "import fcntl, sys, termios; fcntl.ioctl(1, termios.TIOCSCTTY, 0); "
        "from suture.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code, "forget", *words],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=root,
        env={**os.environ, "NO_COLOR": "1"},
        start_new_session=True,
    )
    os.close(slave)
    timer = threading.Timer(50, process.kill)
    timer.start()
    screen = b""
    while True:
        if typed and screen.endswith(ASKED.encode()):
            os.write(master, typed)
            typed = b""
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
@pytest.mark.promise("back.forget")
@pytest.mark.parametrize(
    ("typed", "code", "kept"), [(b"y\n", 0, False), (b"YES\n", 0, False), (b"n\n", 1, True), (b"\n", 1, True)]
)
def test_at_a_terminal_it_shows_what_it_would_remove_and_asks(
    typed: bytes, code: int, *, kept: bool, root: Path, ws: Workspace
) -> None:
    outcome, screen = answer(root, typed, "a.env")
    preview, _, rest = screen.partition(ASKED)
    assert (outcome, is_kept(ws)) == (code, kept)
    assert preview.startswith("Would remove 2 versions of a.env from the history for good (12 bytes).\n")
    assert ("Nothing was removed.\n" in rest, "Removed 2 versions of a.env" in rest) == (kept, not kept)


@pytest.mark.process
def test_the_end_of_the_input_is_a_no(root: Path, ws: Workspace) -> None:
    code, screen = answer(root, b"\4", "a.env")
    assert (code, screen.endswith("Nothing was removed.\n"), is_kept(ws)) == (1, True, True)


@pytest.mark.process
@pytest.mark.usefixtures("ws")
def test_what_cannot_be_removed_is_not_asked_about(root: Path) -> None:
    code, screen = answer(root, b"y\n", "missing")
    assert (code, screen.startswith("NOT_RECORDED: "), ASKED in screen) == (1, True, False)


@pytest.mark.promise("back.forget")
@pytest.mark.parametrize("words", [["a.env"], ["a.env", "--json"], []], ids=" ".join)
def test_a_script_must_say_yes(words: list[str], ws: Workspace, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["forget", *words]) == 2
    out, err = capfd.readouterr()
    assert (out, err.startswith("WRONG_USAGE: suture forget: "), is_kept(ws)) == ("", True, True)


@pytest.mark.promise("back.forget")
def test_with_yes_it_does_not_ask(ws: Workspace, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["forget", "a.env", "--yes", "--dry-run"]) == 0
    assert capfd.readouterr().out.startswith("Would remove 2 versions of a.env ")
    assert is_kept(ws)
    assert main(["forget", "a.env", "--yes", "--json"]) == 0
    data = json.loads(capfd.readouterr().out)["metadata"]
    assert (data["contents"], "dry_run" in data, is_kept(ws)) == (2, False, False)
    assert main(["forget", "a.env", "--yes"]) == 0
    assert capfd.readouterr().out.startswith("The history has no version of a.env.\n")
