"""Replacements made one after the other, against a loop of `str.count` and `str.replace`.

The text is real: CPython's headers and library sources with a number before every line, so that
each line is unique. The loop does the minimum that an edit tool must do: count, then replace.
"""

from __future__ import annotations

import random
import tracemalloc
from typing import TYPE_CHECKING

from bench.diff import real_lines
from bench.table import Table, comparison, measure_rounds
from suture.text.edits import apply
from suture.text.replace import Step, apply_in_turn, apply_steps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

SIZE = 10_000_000
LOOP = "str.count, str.replace"
SUTURE = "suture"
IN_TURN = "suture, no single pass"
FAILED = "suture, the 700th fails"


def tables(_: Path) -> Iterator[Table]:
    """A thousand edits with and without the single pass, then fewer."""
    body = _text()
    yield _table(body, 1_000, 2)
    yield _table(body, 100, 3)
    yield _table(body, 10, 5)


def _text() -> bytes:
    lines = (b"%06d %s" % (number, line.replace(b"\r", b"")) for number, line in enumerate(real_lines(300_000)))
    return b"".join(lines)[:SIZE]


def _table(body: bytes, number: int, rounds: int) -> Table:
    steps, text = _steps(body, number), body.decode("latin-1")
    pairs = [(step.old.decode("latin-1"), step.new.decode("latin-1")) for step in steps]
    after = _loop(text, pairs)
    for make in (apply_steps, apply_in_turn):
        if apply(body, make(body, steps).edits).decode("latin-1") != after:
            raise AssertionError(make)
    contestants = {
        SUTURE: lambda: apply_steps(body, steps),
        IN_TURN: lambda: apply_in_turn(body, steps),
        LOOP: lambda: _loop(text, pairs),
    }
    if number > 700:
        failing = [*steps[:699], Step(b"not in this text", b""), *steps[700:]]
        contestants[FAILED] = lambda: apply_steps(body, failing)
    return comparison(
        f"{number:,} edits, one after the other, of a text of {len(body) / 1e6:.0f} MB",
        measure_rounds(contestants, rounds),
        against=[LOOP],
        goals={SUTURE: "<= 0.1"} if number == 1_000 else None,
        notes=[f"most memory of Python beyond the text: {_peak(body, steps) / len(body):.2f} x the text"],
    )


def _steps(body: bytes, number: int) -> list[Step]:
    """Two lines each: a word moved, a line inserted after; every tenth changes the previous insertion."""
    rng = random.Random(7)
    lines = body.split(b"\n")
    steps: list[Step] = []
    for index in sorted(rng.sample(range(0, len(lines) - 3, 2), number), key=lambda _: rng.random()):
        old = b"\n".join(lines[index : index + 2])
        if len(steps) % 10 == 9:
            steps.append(Step(b"put in %d\n" % (len(steps) - 1), b"changed\n"))
        else:
            steps.append(Step(old, b"%s\nput in %d\n" % (old.replace(b" ", b"  ", 1), len(steps))))
    return steps


def _loop(text: str, pairs: Sequence[tuple[str, str]]) -> str:
    for old, new in pairs:
        if text.count(old) != 1:
            raise AssertionError(old)
        text = text.replace(old, new)
    return text


def _peak(body: bytes, steps: Sequence[Step]) -> int:
    tracemalloc.start()
    apply_steps(body, steps)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak
