"""`SUTURE_EXAMPLES` scales every count of examples; `--quick` runs no test that starts a process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]

COUNTED = """
from collections import Counter

from hypothesis import given, settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule, run_state_machine_as_test

counts = Counter()
own = settings(max_examples=30)


@given(st.integers())
def test_of_the_profile(number):
    counts["profile"] += 1


@own
@given(st.integers())
def test_with_its_own_count(number):
    counts["own"] += 1


@settings(own, print_blob=True)
@given(st.integers())
def test_that_inherits_its_count(number):
    counts["inherited"] += 1


@settings(max_examples=2)
@given(st.integers())
def test_with_a_small_count(number):
    counts["small"] += 1


class Machine(RuleBasedStateMachine):
    name = "machine"

    @initialize(number=st.integers())
    def begin(self, number):
        counts[self.name] += 1

    @rule(number=st.integers())
    def step(self, number):
        pass


class OtherMachine(Machine):
    name = "machine in a body"


TestMachine = Machine.TestCase
TestMachine.settings = settings(max_examples=20, stateful_step_count=1)


def test_machine_in_a_body():
    run_state_machine_as_test(OtherMachine, settings=settings(max_examples=50, stateful_step_count=1))


def test_last():
    print(sorted(counts.items()))
"""

STARTING = """
import os
import subprocess
import sys

import pytest

from suture.check.worker import check


def start():
    assert subprocess.run([sys.executable, "-c", "pass"]).returncode == 0


@pytest.fixture
def started():
    start()


def test_plain():
    pass


@pytest.mark.process
def test_marked():
    start()


@pytest.mark.slow
def test_slow():
    pass


def test_not_marked():
    start()


def test_whose_fixture_starts_one(started):
    pass


def test_that_forks():
    if not (child := os.fork()):
        os._exit(0)
    os.waitpid(child, 0)


@pytest.mark.parametrize("which", ["first", "second"])
def test_that_checks_in_a_process(which):
    assert check("json", "a.json", None, "{}", 60, ()) == []


def test_after_it():
    pass
"""


def run(folder: Path, code: str, *options: str, factor: str = "1") -> list[str]:
    """The output of pytest for a module with this code, with the settings of all tests."""
    module = folder / "test_sample.py"
    module.write_text(code, "utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n    process\n    slow\n", "utf-8")
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:randomly", "-p", "no:cacheprovider"]
    process = subprocess.run(
        [*command, "-q", "-s", "-rfE", "--strict-markers", f"--rootdir={folder}", *options, str(module)],
        cwd=ROOT,
        env=os.environ | {"SUTURE_EXAMPLES": factor, "PYTHONPATH": str(ROOT), "COLUMNS": "1000"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.stderr == ""
    return process.stdout.splitlines()


@pytest.mark.parametrize(
    ("factor", "profile", "own_count", "small", "machine", "in_a_body"),
    [("0.1", 10, 3, 1, 2, 5), ("2", 200, 60, 4, 40, 100)],
)
def test_one_factor_scales_every_count_of_examples(
    tmp_path: Path, factor: str, profile: int, own_count: int, small: int, machine: int, in_a_body: int
) -> None:
    counts = {
        "inherited": own_count,
        "machine": machine,
        "machine in a body": in_a_body,
        "own": own_count,
        "profile": profile,
        "small": small,
    }
    printed = run(tmp_path, COUNTED, "--hypothesis-seed=0", factor=factor)
    assert [line.lstrip(".") for line in printed if "machine in a body" in line] == [str(sorted(counts.items()))]


def test_quick_leaves_out_what_is_marked_and_fails_a_test_that_starts_a_process_without_the_mark(
    tmp_path: Path,
) -> None:
    printed = run(tmp_path, STARTING, "--quick")
    assert [line.split("::")[1] for line in printed if line.startswith(("FAILED", "ERROR"))] == [
        f"{name} - this test starts a process ({event}): mark it with @pytest.mark.process"
        for name, event in (
            ("test_not_marked", "subprocess.Popen"),
            ("test_that_forks", "os.fork"),
            ("test_that_checks_in_a_process[first]", "os.posix_spawn"),
            ("test_that_checks_in_a_process[second]", "os.posix_spawn"),
            ("test_whose_fixture_starts_one", "subprocess.Popen"),
        )
    ]
    assert printed[-1].startswith("4 failed, 2 passed, 2 deselected, 1 error")


def test_without_quick_all_of_them_run(tmp_path: Path) -> None:
    assert run(tmp_path, STARTING)[-1].startswith("9 passed")
