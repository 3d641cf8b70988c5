"""Syntax checks: files of 100 KB in several languages, valid and broken; workers; texts designed to exceed the limits.

A valid file is parsed once. A broken one is parsed again for every repair that is tried, and its old text once. The
last table shows why no text is parsed in the calling process: the repeated short unit that takes each grammar longest.
"""

from __future__ import annotations

import resource
import subprocess
import sys
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING

from bench.table import Table, comparison, measure_rounds
from suture.check import worker
from suture.check.issue import NotRunError
from suture.check.syntax import LANGUAGES, Reader, Syntax
from tests.unit.check.syntax_samples import GOOD, REPEATED, repeat_sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


SIZE, ROUNDS = 100_000, 7
UNITS = (
    "a<",
    "<?",
    "(",
    "[",
    "{",
    '"',
    "'",
    "`",
    "x?",
    "a{",
    "a,",
    "a:",
    "a=>",
    "->",
    "{-",
    "(a)",
    "@a ",
    "a::<",
    "%w(",
)
HOSTILE = {"java": "a<" * 30_000, "csharp": "a<" * 50_000, "zig": "<?" * 15_000}
SMALL, LARGE, PATIENCE = 1_000, 4_000, 5.0
NAMES = ("javascript", "typescript", "go", "rust", "java", "c", "cpp", "php", "ruby", "kotlin", "lua", "css", "html")


class Staged:
    """Stand-in for a staged text: these checks need no folder."""

    root = name = "/"
    seconds = 60.0

    def folder(self) -> str:
        """Never called."""
        raise NotImplementedError

    def file(self) -> str:
        """Never called."""
        raise NotImplementedError


def tables(_: Path) -> Iterator[Table]:
    """Valid texts first."""
    checks = {language.name: Syntax(language) for language in LANGUAGES if language.name in NAMES}
    texts = {name: _text(name) for name in NAMES}
    for name, text in texts.items():
        if checks[name].check("", None, text, Staged()):
            raise SystemExit(f"the text in {name} is not right")
    yield comparison(
        f"Checking the syntax of {SIZE // 1000} KB of valid code ({ROUNDS} rounds)",
        measure_rounds({name: partial(checks[name].check, "", None, texts[name], Staged()) for name in NAMES}, ROUNDS),
        against=[],
        goals=dict.fromkeys(NAMES, "< 15 ms"),
    )
    broken = {name: _remove_bracket(text) for name, text in texts.items() if name in REPEATED}
    for name, text in broken.items():
        if not checks[name].check("", texts[name], text, Staged()):
            raise SystemExit(f"nothing was found in the text in {name}")
    yield comparison(
        f"Finding the bracket that is missing in the middle of {SIZE // 1000} KB ({ROUNDS} rounds)",
        measure_rounds(
            {name: partial(checks[name].check, "", texts[name], text, Staged()) for name, text in broken.items()},
            ROUNDS,
        ),
        against=[],
    )
    yield _worker(texts["java"])
    yield Table("Texts designed to exceed the limits", HEAD, [_hostile(*item) for item in HOSTILE.items()])
    rows = [_worst(language.name) for language in LANGUAGES]
    yield Table(f"The worst of {len(UNITS)} units, repeated, for each grammar", WORST, rows)


HEAD = ["", "KB", "s", "judgment", "this process, MB"]
WORST = ["", "1 KB", "ms", "4 KB", "ms"]


def _worker(text: str) -> Table:
    """What a check in a worker costs on top of the check itself."""
    runs: dict[str, Callable[[], object]] = {
        "a new worker, 9 bytes": _cold,
        "9 bytes": partial(_check_in_worker, "java", "class A{}"),
    }
    runs |= {f"{SIZE // 1000} KB": partial(_check_in_worker, "java", text)}
    syntax = Syntax(next(language for language in LANGUAGES if language.name == "java"))
    for name, content in (("9 bytes", "class A{}"), (f"{SIZE // 1000} KB", text)):
        runs[f"{name}, in this process"] = partial(syntax.check, "", None, content, Staged())
    return comparison(f"A check of Java in a worker ({ROUNDS} rounds)", measure_rounds(runs, ROUNDS), against=[])


def _cold() -> None:
    worker.close()
    _check_in_worker("java", "class A{}")


def _check_in_worker(name: str, text: str) -> str:
    try:
        return f"{len(worker.check(name, 'a', None, text, PATIENCE, ()))} issues"
    except NotRunError as error:
        return str(error)


def _hostile(name: str, text: str) -> list[str | float]:
    began = perf_counter()
    judgment = _check_in_worker(name, text)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    return [name, len(text) / 1000, perf_counter() - began, judgment, memory]


def _worst(name: str) -> list[str | float]:
    """The unit that takes a grammar longest, at two sizes, each in a process that may crash."""
    row: list[str | float] = [name]
    for size in (SMALL, LARGE):
        process = subprocess.run(
            [sys.executable, "-m", "bench.syntax", name, str(size)], capture_output=True, text=True, check=False
        )
        times = [line.rpartition(" ") for line in process.stdout.split("\n") if line]
        unit, _, milliseconds = max(times, key=lambda entry: float(entry[2]))
        row += [unit if not process.returncode else f"{unit}, then it crashed", float(milliseconds)]
    return row


def _measure(name: str, size: int) -> None:
    """Print the time of each unit, in ms."""
    for unit in UNITS:
        text = (unit * size)[:size].encode()
        began = perf_counter()
        for grammar in next(language for language in LANGUAGES if language.name == name).grammars:
            Reader(grammar, began + PATIENCE).reads(text)
        print(repr(unit), round((perf_counter() - began) * 1000, 1), flush=True)


def _text(name: str) -> str:
    """A text of the given size: functions that are all alike, or the samples repeated."""
    if name in REPEATED:
        return repeat_sample(name, SIZE // len(repeat_sample(name, 1)))
    sample = GOOD[name][0]
    return sample * (SIZE // len(sample))


def _remove_bracket(text: str) -> str:
    at = text.index(")", len(text) // 2)
    return text[:at] + text[at + 1 :]


if __name__ == "__main__":
    _measure(sys.argv[1], int(sys.argv[2]))
