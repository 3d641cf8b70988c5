"""The tests do not depend on the signals that their parent process ignores."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"])
def test_what_a_background_job_ignores_is_not_ignored_by_the_processes_of_tests(name: str) -> None:
    script = f"import signal; import tests.conftest; print(signal.getsignal(signal.{name}) == signal.SIG_IGN)"
    ignoring = (
        f"import os, signal, sys; signal.signal(signal.{name}, signal.SIG_IGN); os.execv(sys.executable, sys.argv[1:])"
    )
    command = [sys.executable, "-c", ignoring, sys.executable, "-c", script]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout == "False\n"


def test_the_processes_of_tests_can_be_interrupted() -> None:
    script = "import os, signal; os.kill(os.getpid(), signal.SIGINT)"
    process = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert process.returncode == -signal.SIGINT
