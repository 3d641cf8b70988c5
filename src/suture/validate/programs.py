"""Other programs: which one is meant, and running it so that it can neither hang nor flood."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from time import monotonic

from suture.records import Record
from suture.validate.issue import NotRunError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from subprocess import Popen

_PASSED_ON = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT")
_SET = {"NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}
_MOST_OUTPUT = 10_000_000
_CHUNK = 1 << 16
_GRACE = 0.2  # seconds for what a program left behind to close its end of the pipes


class Ran(Record):
    """How a program ended, and what it wrote."""

    code: int
    out: bytes
    err: bytes


def program(name: str, root: str) -> str | None:
    """The program of a name: the one installed beside suture, or on the path; never one that the workspace holds.

    Whoever may edit the workspace could have written that.
    """
    beside = os.path.join(os.path.dirname(sys.executable), name)
    if os.access(beside, os.X_OK):
        return beside
    inside = os.path.realpath(root) + os.sep
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        found = os.path.join(folder, name)
        ours = found.startswith(inside) or os.path.realpath(found).startswith(inside)
        if os.path.isabs(folder) and not ours and os.path.isfile(found) and os.access(found, os.X_OK):
            return found
    return None


def run(arguments: Sequence[str], seconds: float, cwd: str, given: bytes | None = None) -> Ran:
    """Run a program to its end, without a shell, in a clean environment; what it starts ends with it.

    If it cannot be started, takes too long or writes too much, that is a `NotRunError`.
    """
    import subprocess

    ends = monotonic() + seconds
    try:
        started = subprocess.Popen(  # noqa: S603  the operator's command, or one of ours
            list(arguments),
            cwd=cwd,
            env=_environment(os.environ),
            stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise NotRunError(f"{arguments[0]} cannot be started: {reason}") from None
    with started:
        try:
            out, err = _Talk(started, given or b"").until(ends)
            return Ran(started.wait(max(ends - monotonic(), 0.01)), out, err)
        except (TimeoutError, subprocess.TimeoutExpired):
            raise NotRunError(f"{os.path.basename(arguments[0])} took longer than {seconds:.1f} s") from None
        finally:
            _end(started)


def _environment(known: Mapping[str, str]) -> dict[str, str]:
    """What a program is told about where it runs: no secrets of the process that edits."""
    return {name: known[name] for name in _PASSED_ON if name in known} | _SET


class _Talk:
    """What is handed to a program, and what it writes meanwhile."""

    def __init__(self, started: Popen[bytes], given: bytes) -> None:
        from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector

        self._rest = memoryview(given)
        self._started = started
        self._selector = DefaultSelector()
        self._written: dict[int, bytearray] = {}
        for stream in (started.stdout, started.stderr):
            assert stream is not None  # noqa: S101  both are pipes
            self._written[stream.fileno()] = bytearray()
            self._selector.register(stream.fileno(), EVENT_READ)
        if started.stdin is not None:
            os.set_blocking(started.stdin.fileno(), False)
            self._selector.register(started.stdin.fileno(), EVENT_WRITE)

    def until(self, ends: float) -> tuple[bytes, bytes]:
        """Listen until the program closes both its ends, or is over; what it said and what it complained of."""
        with self._selector:
            while self._selector.get_map():
                if monotonic() > ends:
                    raise TimeoutError
                ready = self._selector.select(min(max(ends - monotonic(), 0), _GRACE))
                if not ready and self._started.poll() is not None:
                    break  # something it started keeps them open
                for key, _ in ready:
                    if key.fd in self._written:
                        self._take(key.fd)
                    else:
                        self._give(key.fd)
        out, err = self._written.values()
        return bytes(out), bytes(err)

    def _take(self, end: int) -> None:
        piece = os.read(end, _CHUNK)
        self._written[end] += piece
        if len(self._written[end]) > _MOST_OUTPUT:
            raise NotRunError(f"it wrote more than {_MOST_OUTPUT:,} bytes")
        if not piece:
            self._selector.unregister(end)

    def _give(self, end: int) -> None:
        try:
            self._rest = self._rest[os.write(end, self._rest[:_CHUNK]) :]
        except OSError:  # it does not want to know
            self._rest = self._rest[:0]
        if not self._rest and self._started.stdin is not None:
            self._selector.unregister(end)
            self._started.stdin.close()


def _end(started: Popen[bytes]) -> None:
    """End what a program left running, and itself; its group is its own."""
    import signal

    with suppress(OSError):  # nothing of it is left
        os.killpg(started.pid, signal.SIGKILL)
    for stream in (started.stdin, started.stdout, started.stderr):
        if stream is not None and not stream.closed:
            stream.close()
