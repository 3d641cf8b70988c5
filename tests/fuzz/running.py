"""Runs inputs one after the other in a process with limits on time and memory, and reports findings.

The process writes down each input before running it, so that its parent knows which one killed it.
"""

from __future__ import annotations

import faulthandler
import gc
import json
import os
import resource
import signal
import subprocess
import sys
import time
import traceback
from base64 import b64decode, b64encode
from contextlib import suppress
from itertools import count
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from tests.fuzz.mutation import Mutator, shrink

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tests.fuzz.target import Target

MEMORY = 1_500_000_000
"""Bytes of address space in addition to what the process uses after its imports."""
_HARD = 4  # times the CPU time limit of an input, after which the process is killed
_OFTEN = 100
_HUNG = 120.0  # seconds without any progress, for inputs that wait and use no CPU time
_SOURCE = f"{os.sep}src{os.sep}suture{os.sep}"


class Finding(NamedTuple):
    """An input that broke a promise; `key` is the same for what is probably the same bug."""

    target: str
    key: str
    about: str
    data: bytes


class TooSlow(BaseException):
    """Not an Exception: nothing that is fuzzed may catch it."""


def _raise_too_slow(_number: int, _frame: object) -> None:
    raise TooSlow


class Runner:
    """Runs inputs in this process, each within its target's CPU time."""

    def __init__(self, note: Callable[[str, bytes], None] = lambda _name, _data: None) -> None:
        self._note = note
        signal.signal(signal.SIGPROF, _raise_too_slow)

    def run(self, target: Target, data: bytes) -> tuple[object, Finding | None]:
        """The result of an input: an outcome, or a finding."""
        self._note(target.name, data)
        with suppress(ValueError, OSError):
            used = sum(os.times()[:2])
            limit = int(used + target.seconds * _HARD) + 2
            resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
        try:
            try:
                signal.setitimer(signal.ITIMER_PROF, target.seconds, 0.5)
                return target.run(data), None
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001  whatever is raised is a finding
            signal.setitimer(signal.ITIMER_PROF, 0)
            return None, _finding(target, data, error)

    def smallest(self, target: Target, finding: Finding) -> Finding:
        """The same finding with a smaller input."""
        if "TooSlow" in finding.key or "MemoryError" in finding.key:
            return finding
        ends = time.monotonic() + 10

        def is_same(data: bytes) -> bool:
            other = self.run(target, data)[1] if time.monotonic() < ends else None
            return other is not None and other.key == finding.key

        return self.run(target, shrink(finding.data, is_same))[1] or finding


def _finding(target: Target, data: bytes, error: BaseException) -> Finding:
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if _SOURCE in frame.filename]
    if isinstance(error, TooSlow):
        place = frames[-1].filename.rpartition(_SOURCE)[2] if frames else "?"
    elif isinstance(error, AssertionError):
        place = str(error)[:80]
    else:
        place = f"{frames[-1].filename.rpartition(_SOURCE)[2]}:{frames[-1].name}" if frames else str(error)[:80]
    about = "".join(traceback.format_exception(error)[-14:])[-3000:]
    return Finding(target.name, f"{type(error).__name__} {place}", about, data)


def limit_memory(more: int = MEMORY) -> None:
    """Limit the additional memory of this process: a bug must not exhaust the machine."""
    pages = int(Path("/proc/self/statm").read_text().split()[0]) if Path("/proc/self/statm").exists() else 0
    with suppress(ValueError, OSError):
        most = pages * resource.getpagesize() + more
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def fuzz(
    targets: Iterable[Target],
    *,
    seed: int,
    seconds: float | None = None,
    runs: int | None = None,
    note: Callable[[str, bytes], None] = lambda _name, _data: None,
) -> Iterator[Finding | tuple[str, int]]:
    """Run inputs on each target, for some seconds of CPU time or some runs; findings, and the number of runs."""
    runner = Runner(note)
    for target in targets:
        ends = None if seconds is None else time.process_time() + seconds
        mutator = Mutator(Random(f"{seed} {target.name}"), target)
        outcomes, known, number = set[str](), set[str](), 0
        while (runs is None or number < runs) and (ends is None or time.process_time() < ends):
            data = target.seeds[number] if number < len(target.seeds) else mutator.next()
            outcome, finding = runner.run(target, data)
            number += 1
            if finding is not None and finding.key not in known:
                known.add(finding.key)
                yield runner.smallest(target, finding)
            elif finding is None and (text := repr(outcome)) not in outcomes:
                outcomes.add(text)
                mutator.keep(data)
        yield target.name, number
        gc.collect()


def fuzz_guided(target: Target, *, seconds: float, corpus: Path, note: Callable[[str, bytes], None]) -> NoReturn:
    """Let atheris choose inputs by the code that they reach; it ends the process. Findings are reported immediately."""
    import atheris  # noqa: PLC0415  not among what is installed for tests

    runner, known, counter = Runner(note), set[str](), count(1)

    def run(data: bytes) -> None:
        _, finding = runner.run(target, data)
        if not next(counter) % _OFTEN:
            report((target.name, _OFTEN))
        if finding is not None and finding.key not in known:
            known.add(finding.key)
            report(finding)

    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
    options = [f"-max_total_time={int(seconds)}", f"-max_len={target.most}", "-rss_limit_mb=4096", "-timeout=600"]
    atheris.Setup([sys.argv[0], *options, str(corpus)], run)
    atheris.Fuzz()
    raise AssertionError


def replay(inputs: Iterable[tuple[Target, bytes]], note: Callable[[str, bytes], None]) -> Iterator[Finding]:
    """What is wrong with known inputs."""
    runner = Runner(note)
    for target, data in inputs:
        _, finding = runner.run(target, data)
        if finding is not None:
            yield finding


class Child:
    """A watched process that runs inputs: it may be killed by a limit, crash, or hang."""

    def __init__(self, arguments: list[str], folder: Path, cwd: Path | None = None) -> None:
        self._arguments = arguments
        self._current = folder / "current"
        self._cwd = cwd

    def run(self) -> Iterator[Finding | tuple[str, int]]:
        """Its messages, and a finding if it dies."""
        self._current.write_bytes(b"")
        command = [sys.executable, "-m", "tests.fuzz", "--child", str(self._current), *self._arguments]
        pipe = subprocess.PIPE
        with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, cwd=self._cwd) as process:
            watch = _Watch(process, self._current)
            assert process.stdout is not None
            for line in process.stdout:
                document = json.loads(line)
                yield (document["target"], document["runs"]) if "runs" in document else _parse_finding(document)
            process.wait()
            watch.end()
            errors = process.stderr.read()[-3000:] if process.stderr is not None else ""
        if process.returncode:
            name, _, data = self._current.read_bytes().partition(b"\n")
            why = "hung" if watch.hung else f"exit {process.returncode}"
            yield Finding(name.decode(), f"died: {why}", errors, data)


class _Watch:
    """Kills a process that makes no progress."""

    def __init__(self, process: subprocess.Popen[str], current: Path) -> None:
        from threading import Event, Thread  # noqa: PLC0415  only here

        self.hung = False
        self._over = Event()
        self._thread = Thread(target=self._look, args=(process, current), daemon=True)
        self._thread.start()

    def _look(self, process: subprocess.Popen[str], current: Path) -> None:
        last, since = None, time.monotonic()
        while not self._over.wait(2):
            modified = current.stat().st_mtime_ns
            if modified != last:
                last, since = modified, time.monotonic()
            elif time.monotonic() - since > _HUNG:
                self.hung = True
                process.kill()
                return

    def end(self) -> None:
        self._over.set()
        self._thread.join()


def _parse_finding(document: dict[str, str]) -> Finding:
    return Finding(document["target"], document["key"], document["about"], b64decode(document["data"]))


def report(message: Finding | tuple[str, int]) -> None:
    """What a child reports to its parent."""
    if isinstance(message, Finding):
        document: dict[str, object] = {**message._asdict(), "data": b64encode(message.data).decode()}
    else:
        document = {"target": message[0], "runs": message[1]}
    sys.__stdout__.write(json.dumps(document) + "\n")  # type: ignore[union-attr]  # a child has one
    sys.__stdout__.flush()  # type: ignore[union-attr]  # as above


def make_note(current: Path) -> Callable[[str, bytes], None]:
    """Writes down each input before it is run."""
    handle = os.open(current, os.O_WRONLY | os.O_CREAT)

    def note(name: str, data: bytes) -> None:
        raw = name.encode() + b"\n" + data
        os.pwrite(handle, raw, 0)
        os.ftruncate(handle, len(raw))

    faulthandler.enable()
    return note
