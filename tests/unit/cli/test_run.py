"""`suture run`: a command that is recorded; and `Workspace.recording`."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from suture import Settings, SutureError, Workspace
from suture.testing import MemoryFS
from tests.unit.changes import list_changes, state, succeed, workspace


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("SUTURE_SESSION", raising=False)
    folder = tmp_path / "ws"
    folder.mkdir()
    (folder / "a").write_bytes(b"1\n")
    return folder


def suture(root: Path, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "suture", *words], cwd=root, input=stdin, capture_output=True, check=False
    )


def shell(root: Path, script: str, *options: str) -> subprocess.CompletedProcess[bytes]:
    return suture(root, "run", *options, "--", "sh", "-c", script)


@pytest.mark.process
def test_what_a_command_changes_is_one_change_that_can_be_undone(root: Path) -> None:
    (root / "b").write_bytes(b"by hand\n")
    process = shell(root, "echo 2 > a; rm b; mkdir new; echo 3 > new/c; cat; exit 3")
    change, *others = list_changes(Workspace(root))
    assert (process.stdout, process.returncode, others) == (b"", 3, [])
    assert process.stderr.decode() == (
        f"3 files changed (change {change['change_id']}). To undo: suture undo {change['change_id']}\n"
    )
    assert (change["tool"], change["summary"]) == (
        "shell",
        "sh -c 'echo 2 > a; rm b; mkdir new; echo 3 > new/c; cat; exit 3'",
    )
    assert change["session"]["agent"] == "cli"
    assert suture(root, "undo").returncode == 0
    assert list((root / "new").iterdir()) == []  # it may have been there before the file
    (root / "new").rmdir()
    assert {path.name: path.read_bytes() for path in root.iterdir()} == {"a": b"1\n", "b": b"by hand\n"}


@pytest.mark.process
def test_what_was_changed_before_the_command_is_not_its_change(root: Path) -> None:
    succeed(Workspace(root).checkpoint("first"))
    (root / "b").write_bytes(b"by hand\n")
    shell(root, "echo 2 > a")
    assert [
        (change["tool"], [file["path"] for file in change["files"]]) for change in list_changes(Workspace(root))
    ] == [
        ("shell", ["a"]),
        ("outside", ["b"]),
    ]


@pytest.mark.process
def test_edits_by_suture_in_the_command_are_changes_of_their_own(root: Path) -> None:
    command = f"{sys.executable} -m suture edit a --old 1 --new 2 --quiet; echo 3 > b"
    shell(root, command, "--session", "worker")
    changes = list_changes(Workspace(root))
    assert [(change["tool"], change["session"]["id"], change["files"][0]["path"]) for change in changes] == [
        ("shell", "worker", "b"),
        ("file_edit", "worker", "a"),
    ]


@pytest.mark.process
@pytest.mark.parametrize(
    ("script", "code"), [("true", 0), ("exit 1", 1), ("kill -KILL $$", 137), ("kill -TERM $$", 143)]
)
def test_the_exit_code_is_that_of_the_command(script: str, code: int, root: Path) -> None:
    process = shell(root, script)
    assert (process.returncode, process.stdout, process.stderr) == (code, b"", b"")


@pytest.mark.process
def test_a_command_that_cannot_be_started_is_reported(root: Path) -> None:
    (root / "plain").write_bytes(b"")
    for command, code in (("no-such-program", 127), ("./plain", 126)):
        process = suture(root, "run", command)
        assert (process.returncode, process.stderr.decode().split(":")[0]) == (code, "NOT_STARTED")


@pytest.mark.process
def test_a_command_is_not_run_if_there_can_be_no_checkpoint(root: Path) -> None:
    (root / "b").write_bytes(b"")
    process = shell(root, "touch ran", "--set", "checkpoint_max_files=1")
    assert (process.returncode, process.stderr.decode().split(":")[0]) == (125, "CHECKPOINT_TOO_LARGE")
    assert process.stderr.endswith(b"The command was not run.\n")
    assert not (root / "ran").exists()


@pytest.mark.process
def test_if_what_happened_cannot_be_recorded_the_command_counts_and_a_note_says_so(root: Path) -> None:
    process = shell(root, "touch b c; exit 4", "--set", "checkpoint_max_files=2")
    assert process.returncode == 4
    assert process.stderr.startswith(b"What the command changed could not be recorded. ")


@pytest.mark.process
def test_streams_arguments_and_the_folder_are_passed_on(root: Path) -> None:
    script = "import os, sys; print(sys.argv[1:], os.getcwd() == sys.argv[1], sys.stdin.read())"
    process = suture(root, "run", "--", sys.executable, "-c", script, str(root), "--json", "--", "*", stdin=b"typed")
    assert process.stdout.decode() == f"[{str(root)!r}, '--json', '--', '*'] True typed\n"


@pytest.mark.process
def test_json_is_printed_after_the_output_of_the_command(root: Path) -> None:
    process = shell(root, "echo hello; echo 2 > a; echo x > .env; exit 5", "--json")
    first, last = process.stdout.decode().splitlines()
    change = list_changes(Workspace(root))[0]["change_id"]
    assert (first, json.loads(last)) == (
        "hello",
        {"exit_code": 5, "change_id": change, "files": [{"path": "a", "action": "update"}], "withheld": [".env"]},
    )
    assert (process.stderr, process.returncode) == (b"", 5)


@pytest.mark.process
def test_the_memory_of_the_command_is_not_limited(root: Path) -> None:
    script = "import resource; print(resource.getrlimit(resource.RLIMIT_DATA))"
    here = subprocess.run([sys.executable, "-c", script], capture_output=True, check=True).stdout
    assert suture(root, "run", "--", sys.executable, "-c", script).stdout == here


@pytest.fixture
def waiting(root: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A command that waits for a signal, writes its number into a file, and ends with 7."""
    script = (
        "import signal, sys\n"
        "def end(number, _):\n    open('signal', 'w').write(str(number)); sys.exit(7)\n"
        "for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(number, end)\n"
        "print('ready', flush=True)\n"
        "signal.pause()\n"
    )
    command = [sys.executable, "-m", "suture", "run", "--", sys.executable, "-c", script]
    process = subprocess.Popen(
        command, cwd=root, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_for_suture_is_passed_on_and_the_change_recorded(
    number: signal.Signals, waiting: subprocess.Popen[bytes], root: Path
) -> None:
    waiting.send_signal(number)
    assert waiting.wait() == 7
    assert (root / "signal").read_text() == str(int(number))
    assert [change["tool"] for change in list_changes(Workspace(root))] == ["shell"]


@pytest.mark.process
def test_an_interrupt_from_the_terminal_goes_to_the_command_alone(waiting: subprocess.Popen[bytes], root: Path) -> None:
    os.killpg(waiting.pid, signal.SIGINT)  # as a terminal does
    assert waiting.wait() == 7
    assert (root / "signal").read_text() == "2"
    assert [change["tool"] for change in list_changes(Workspace(root))] == ["shell"]


# From Python


def test_a_recording_has_the_change_afterwards_even_if_the_block_fails() -> None:
    ws, fs = workspace({"a": b"1\n"})
    before = state(fs)
    with ws.recording("nothing") as recording:
        pass
    assert recording.change is None

    def write_and_fail() -> None:
        fs.put("a", b"2\n")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), ws.recording("make"):
        write_and_fail()
    change = list_changes(ws)[0]
    assert (change["tool"], change["summary"]) == ("shell", "make")
    succeed(ws.undo())
    assert state(fs) == before


def test_a_recording_that_cannot_begin_raises() -> None:
    fs = MemoryFS({"a": b"", "b": b""})
    ws = Workspace(fs.root, Settings(checkpoint_max_files=1), fs=fs)
    with pytest.raises(SutureError) as caught, ws.recording("make"):
        fs.put("ran", b"")
    assert (caught.value.code, "ran" in fs.files()) == ("CHECKPOINT_TOO_LARGE", False)


def test_commands_that_change_nothing_share_a_checkpoint() -> None:
    ws, fs = workspace({"a": b"1\n"})
    for _ in range(3):
        with ws.recording("make test"):
            fs.node_of("a").modified_ns += 1  # touched
    assert len(succeed(ws.checkpoints())["checkpoints"]) == 1
    with ws.recording("make format"):
        fs.put("a", b"2\n")
    with ws.recording("make test"):
        pass
    assert [point["about"] for point in succeed(ws.checkpoints())["checkpoints"]] == ["make test", "make test"]


def test_a_long_command_line_is_cut() -> None:
    ws, fs = workspace({"a": b"1\n"})
    with ws.recording("x" * 2_000):
        fs.put("a", b"2\n")
    assert list_changes(ws)[0]["summary"] == "x" * 999 + "…"
