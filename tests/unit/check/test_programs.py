"""Other programs: found only where no agent could have put them, and always ended."""

import os
import sys
import time
from pathlib import Path

import pytest

from suture.check.issue import NotRunError
from suture.check.programs import program, run

pytestmark = pytest.mark.process


def python(source: str) -> list[str]:
    return [sys.executable, "-c", source]


def executable(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\nexit 0\n")
    path.chmod(0o755)
    return path


def test_what_a_program_reads_and_writes(tmp_path: Path) -> None:
    source = "import sys, os; given = sys.stdin.buffer.read(); os.write(2, b'why'); print(len(given)); sys.exit(3)"
    result = run(python(source), 10, str(tmp_path), b"x" * 1_000_000)
    assert (result.code, result.out, result.err) == (3, b"1000000\n", b"why")


def test_a_program_that_does_not_read_is_not_waited_for(tmp_path: Path) -> None:
    assert run(python("import os; os.close(0); print(1)"), 10, str(tmp_path), b"x" * 10_000_000).out == b"1\n"


def test_it_runs_in_its_folder_with_nothing_to_read(tmp_path: Path) -> None:
    source = "import os, sys; print(os.getcwd(), len(sys.stdin.read()))"
    assert run(python(source), 10, str(tmp_path)).out.decode() == f"{tmp_path} 0\n"


def deadline(process: str) -> bool:
    """Whether a process is over, or will soon be."""
    patience = time.monotonic() + 60
    while time.monotonic() < patience:
        try:
            if Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (FileNotFoundError, ProcessLookupError):
            return True
        time.sleep(0.02)
    return False


@pytest.mark.promise("safe.commands")
def test_it_learns_no_secrets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_KEY", "secret")
    monkeypatch.setenv("LANG", "C.UTF-8")
    result = run(python("import os; print(sorted(os.environ))"), 10, str(tmp_path))
    names = set(eval(result.out.decode()))  # noqa: S307  a list that the line above printed
    assert "API_KEY" not in names
    assert {"PATH", "LANG"} <= names


@pytest.mark.promise("bound.validators")
def test_one_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    list_file = tmp_path / "processes"
    source = f"""
import os, subprocess, time
child = subprocess.Popen(["sleep", "600"])
with open({str(list_file)!r}, "w") as file:
    file.write(f"{{os.getpid()}} {{child.pid}}")
time.sleep(600)
"""
    seconds = 1
    while not list_file.exists():  # on a busy machine it may not even have begun by then
        with pytest.raises(NotRunError, match=rf"took longer than {seconds}\.0 s"):
            run(python(source), seconds, str(tmp_path))
        seconds *= 2
    assert all(map(deadline, list_file.read_text().split()))


@pytest.mark.promise("bound.validators")
def test_one_that_writes_without_end_is_ended(tmp_path: Path) -> None:
    with pytest.raises(NotRunError, match="more than 10,000,000 bytes"):
        run(python("while True: print('x' * 10000)"), 30, str(tmp_path))


@pytest.mark.promise("bound.validators")
def test_what_it_leaves_running_is_not_waited_for_and_ended(tmp_path: Path) -> None:
    source = "import subprocess, sys; print(subprocess.Popen(['sleep', '600']).pid)"
    assert deadline(run(python(source), 300, str(tmp_path)).out.decode().strip())


@pytest.mark.parametrize("name", ["/nowhere/at/all", "nul\0byte"])
def test_one_that_cannot_be_started_is_reported(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotRunError, match="cannot be started"):
        run([name], 10, str(tmp_path))


@pytest.mark.promise("safe.commands")
def test_a_program_in_the_workspace_is_never_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, outside = tmp_path / "root", tmp_path / "bin"
    executable(root / "bin" / "some-check")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "some-check").symlink_to(root / "bin" / "some-check")
    folders = [root / "bin", tmp_path / "links", Path("relative")]
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, folders)))
    assert program("some-check", [str(root)]) is None
    path = executable(outside / "some-check")
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, [*folders, outside])))
    assert program("some-check", [str(root)]) == str(path)


def test_a_program_beside_suture_comes_first(tmp_path: Path) -> None:
    assert program("ruff", [str(tmp_path)]) == str(Path(sys.executable).parent / "ruff")
