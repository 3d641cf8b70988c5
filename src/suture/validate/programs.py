"""Other programs: which one is meant, and running it so that it can neither hang nor flood."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from time import monotonic

from suture.origins import Inside
from suture.origins import is_outside as is_outside  # noqa: PLC0414  whoever looks for programs looks for it here
from suture.records import Record
from suture.validate.issue import NotRunError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from subprocess import Popen

_PASSED_ON = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT")
_SET = {"NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}
_MOST_OUTPUT = 10_000_000
_CHUNK = 1 << 16
_LONGEST_FIRST_LINE = 4_096
_GRACE = 0.2  # seconds for what a program left behind to close its end of the pipes


class Ran(Record):
    """How a program ended, and what it wrote."""

    code: int
    out: bytes
    err: bytes


def program(name: str, roots: Sequence[str], *, beside: bool = True) -> str | None:
    """The program of a name: the one installed beside suture, or on the path; never one that a root holds.

    Whoever may edit the workspace could have written that.
    """
    inside = Inside(roots)
    return next((found for found in _installed(name, beside=beside) if not _is_held(found, inside)), None)


def program_inside(name: str, roots: Sequence[str], *, beside: bool = True) -> str | None:
    """The program of a name that is not taken because a root holds it."""
    inside = Inside(roots)
    return next((found for found in _installed(name, beside=beside) if _is_held(found, inside)), None)


def permitted(name: str, roots: Sequence[str], folder: str, *, beside: bool = True) -> str:
    """What to start for the first word of a command that runs in a folder; NotRunError if there is nothing."""
    if "/" in name:
        if _is_held(os.path.join(folder, name), Inside(roots)):
            raise NotRunError(held_reason(name))
        return name
    found = program(name, roots, beside=beside)
    if found is not None:
        return found
    held = program_inside(name, roots, beside=beside)
    raise NotRunError(f"{name} is not installed" if held is None else held_reason(held))


def held_reason(path: str) -> str:
    """Why a program that a root holds is not run, and what to do."""
    name = os.path.basename(path)
    return (
        f"{path} is not run, because it is in the workspace, where an agent can change it: install {name} elsewhere, "
        "or trust the workspace, which only the operator can allow (project_commands)"
    )


def read_regular(path: str, most: int) -> bytes | None:
    """The beginning of a file; None if there is none, or what is there might block whoever opens it."""
    from stat import S_ISREG

    try:
        if not S_ISREG(os.stat(path).st_mode):
            return None
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return file.read(most) if S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except (OSError, ValueError):
        return None


def _installed(name: str, *, beside: bool) -> Iterator[str]:
    """The programs of a name, beside suture and on the path."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    for folder in (*([os.path.dirname(sys.executable)] if beside else []), *folders):
        found = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(found) and os.access(found, os.X_OK):
            yield found


def _is_held(found: str, inside: Inside) -> bool:
    """Whether a root holds a program, a link to it, or what a script says that it runs by."""
    if inside.holds(found):
        return True
    first = (read_regular(found, _LONGEST_FIRST_LINE) or b"").partition(b"\n")[0]
    words = os.fsdecode(first.removeprefix(b"#!")).split()
    return first.startswith(b"#!") and bool(words) and inside.holds(words[0])


def run(
    arguments: Sequence[str], seconds: float, cwd: str, given: bytes | None = None, *, roots: Sequence[str] = ()
) -> Ran:
    """Run a program to its end, without a shell, in a clean environment; what it starts ends with it.

    It finds no program on the path that `roots` hold. If it cannot be started, takes too long or writes too much, that
    is a `NotRunError`.
    """
    import subprocess

    ends = monotonic() + seconds
    try:
        started = subprocess.Popen(  # noqa: S603  the operator's command, or one of ours
            list(arguments),
            cwd=cwd,
            env=_environment(os.environ, roots),
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


def _environment(known: Mapping[str, str], roots: Sequence[str]) -> dict[str, str]:
    """What a program is told about where it runs: no secrets of the process that edits, no folders of a root."""
    inside = Inside(roots)
    folders = known.get("PATH", os.defpath).split(os.pathsep)
    path = [folder for folder in folders if os.path.isabs(folder) and not inside.holds(folder)]
    passed_on = {name: known[name] for name in _PASSED_ON if name in known}
    return passed_on | _SET | {"PATH": os.pathsep.join(path)}


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
