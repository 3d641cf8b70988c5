"""A small sample of the fuzzing, everything that it has found so far, and all of it as a soak test."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fuzz.calls import check_call, open_workspace
from tests.fuzz.catalog import TARGETS
from tests.fuzz.corpus import CALLS, INPUTS
from tests.fuzz.mutation import Mutator, shrink
from tests.fuzz.running import Child, Finding
from tests.fuzz.target import Choices, Target
from tests.scale import scaled

ROOT = Path(__file__).parents[2]
NAMES = [word for name in TARGETS for word in ("--target", name)]
SAMPLE = scaled(12)


def test_a_sample_of_inputs_breaks_nothing(tmp_path: Path) -> None:
    messages = list(Child([*NAMES, "--seed", "1", "--runs", str(SAMPLE)], tmp_path, ROOT).run())
    assert [message for message in messages if isinstance(message, Finding)] == []
    assert dict(message for message in messages if not isinstance(message, Finding)) == dict.fromkeys(TARGETS, SAMPLE)


def test_what_was_found_before_is_not_found_again(tmp_path: Path) -> None:
    assert list(Child(["--corpus"], tmp_path, ROOT).run()) == [("corpus", len(INPUTS))]


@pytest.mark.parametrize(("name", "about", "arguments"), CALLS, ids=[about for _, about, _ in CALLS])
def test_a_call_that_was_answered_with_internal_is_not_any_more(
    name: str, about: str, arguments: dict[str, object]
) -> None:
    del about
    fs, workspace = open_workspace()
    check_call(name, lambda: workspace.call(name, arguments), fs, reads=False)
    workspace.close()


@pytest.mark.soak
def test_nothing_is_found_for_as_long_as_is_asked_for(tmp_path: Path) -> None:
    seconds = os.environ.get("FUZZ_SECONDS", "240")
    command = [sys.executable, "-m", "tests.fuzz", "--seconds", seconds, "--out", str(tmp_path / "found")]
    process = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    findings = "".join(path.read_text() for path in sorted(tmp_path.glob("found/*.txt")))
    assert process.returncode == 0, f"{process.stdout}\n{process.stderr}\n{findings}"


def _child(tmp_path: Path, what: str) -> list[object]:
    """The finding for a target that fails."""
    messages = list(Child(["--target", f"wrong: {what}", "--seed", "1", "--runs", "3"], tmp_path, ROOT).run())
    return [message.key if isinstance(message, Finding) else message for message in messages]


@pytest.mark.parametrize(
    ("what", "key"),
    [
        ("raises", "ValueError wrong"),
        ("asserts", "AssertionError wrong"),
        ("takes time", "TooSlow ?"),
        ("takes memory", "MemoryError "),
    ],
)
def test_what_goes_wrong_is_a_finding(tmp_path: Path, what: str, key: str) -> None:
    assert _child(tmp_path, what) == [key, (f"wrong: {what}", 3)]


@pytest.mark.parametrize(("what", "key"), [("dies", "died: exit -11"), ("never returns", "died: exit -24")])
def test_an_input_that_kills_its_process_is_a_finding(tmp_path: Path, what: str, key: str) -> None:
    assert _child(tmp_path, what) == [key]


def test_the_same_seed_gives_the_same_inputs() -> None:
    from random import Random  # noqa: PLC0415  only here

    target = Target("x", len, [b"one\ntwo\n", b"three"], [b"word"])
    inputs = [[Mutator(Random(7), target).next() for _ in range(50)] for _ in range(2)]
    assert inputs[0] == inputs[1]


def test_an_input_is_made_smaller_as_long_as_it_stays_wrong() -> None:
    assert shrink(b"a" * 100 + b"x" + b"b" * 100 + b"y", lambda data: b"x" in data and b"y" in data) == b"xy"


def test_behind_the_end_of_an_input_decisions_are_the_same_each_time() -> None:
    numbers = [[choices.number(1_000) for _ in range(20)] for choices in (Choices(b"\5\0\7\0"), Choices(b"\5\0\7\0"))]
    assert numbers[0] == numbers[1]
    assert numbers[0][:2] == [5, 7]
    assert len({*numbers[0]}) > 10
