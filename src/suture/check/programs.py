"""Other programs as checks: found outside every workspace, run within limits.

A command is an argument list in which `{file}` is replaced by the checked file, in a private folder laid out like the
workspace. It runs in that folder, without a shell. Exit code 0 means no problems. Otherwise its output is parsed: a
line such as `file:12:5: error: words [code]` is a problem; column, severity and code are optional.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from time import monotonic

from suture.check.issue import Issue, NotRunError
from suture.origins import RootSet
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from subprocess import Popen

    from suture.check.issue import Staging


_PASSED_ON = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TEMP", "TMP", "SYSTEMROOT")
_SET = {"NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"}
_MAX_OUTPUT_BYTES = 10_000_000  # on stdout or stderr, by choice: a program that writes more is killed
_CHUNK = 1 << 16  # bytes read or written at once: the capacity of a pipe on Linux
_MAX_FIRST_LINE_BYTES = 4_096  # bytes of a script in which its interpreter is looked for
_GRACE_SECONDS = 0.2  # seconds for processes that a program left behind to close the pipes


class ProgramResult(Record):
    """A program's exit code and output."""

    code: int
    out: bytes
    err: bytes


def program(name: str, roots: Sequence[str], *, beside: bool = True) -> str | None:
    """Find a program by name, beside suture or on the path, but never in a root.

    Anyone who can edit the workspace could have written that one.
    """
    inside = RootSet(roots)
    return next((path for path in _candidates(name, beside=beside) if not _is_in_root(path, inside)), None)


def program_inside(name: str, roots: Sequence[str], *, beside: bool = True) -> str | None:
    """A program with this name that is not used because it is in a root."""
    inside = RootSet(roots)
    return next((path for path in _candidates(name, beside=beside) if _is_in_root(path, inside)), None)


def find_executable(name: str, roots: Sequence[str], folder: str, *, beside: bool = True) -> str:
    """The executable for the first word of a command that runs in a folder; NotRunError if there is none."""
    if "/" in name:
        if _is_in_root(os.path.join(folder, name), RootSet(roots)):
            raise NotRunError(in_root_reason(name), TRUST)
        return name
    path = program(name, roots, beside=beside)
    if path is not None:
        return path
    held = program_inside(name, roots, beside=beside)
    if held is None:
        raise NotRunError(f"{name} is not installed")
    raise NotRunError(in_root_reason(held), TRUST)


TRUST = "project_commands"
"""The setting with which the operator allows programs in the workspace."""


def in_root_reason(path: str) -> str:
    """Why a program in a root is not run, and what to do."""
    name = os.path.basename(path)
    return (
        f"{path} is not run, because it is in the workspace, where an agent can change it: install {name} elsewhere, "
        "or trust the workspace, which only the operator can allow"
    )


def read_regular(path: str, most: int) -> bytes | None:
    """The first bytes of a regular file; None for anything else: opening a pipe could block."""
    from stat import S_ISREG

    try:
        if not S_ISREG(os.stat(path).st_mode):
            return None
        with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            return file.read(most) if S_ISREG(os.fstat(file.fileno()).st_mode) else None
    except (OSError, ValueError):
        return None


def _candidates(name: str, *, beside: bool) -> Iterator[str]:
    """The programs with a name, beside suture and on the path."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    for folder in (*([os.path.dirname(sys.executable)] if beside else []), *folders):
        path = os.path.join(folder, name)
        if os.path.isabs(folder) and os.path.isfile(path) and os.access(path, os.X_OK):
            yield path


def _is_in_root(path: str, inside: RootSet) -> bool:
    """Whether a program, a link to it, or the interpreter of a script is in a root."""
    if inside.contains(path):
        return True
    first = (read_regular(path, _MAX_FIRST_LINE_BYTES) or b"").partition(b"\n")[0]
    words = os.fsdecode(first.removeprefix(b"#!")).split()
    return first.startswith(b"#!") and bool(words) and inside.contains(words[0])


def run(
    arguments: Sequence[str], seconds: float, cwd: str, stdin: bytes | None = None, *, roots: Sequence[str] = ()
) -> ProgramResult:
    """Run a program without a shell, in a clean environment; processes that it starts are killed with it.

    Folders in `roots` are removed from its path. NotRunError if it cannot be started, takes too long, or writes too
    much.
    """
    import subprocess

    deadline = monotonic() + seconds
    try:
        process = subprocess.Popen(  # noqa: S603  the operator's command, or one of ours
            list(arguments),
            cwd=cwd,
            env=_environment(os.environ, roots),
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise NotRunError(f"{arguments[0]} cannot be started: {reason}") from None
    with process:
        try:
            out, err = _Pipes(process, stdin or b"").until(deadline)
            return ProgramResult(process.wait(max(deadline - monotonic(), 0.01)), out, err)
        except (TimeoutError, subprocess.TimeoutExpired):
            raise NotRunError(f"{os.path.basename(arguments[0])} took longer than {seconds:.1f} s") from None
        finally:
            _kill_group(process)


def _environment(known: Mapping[str, str], roots: Sequence[str]) -> dict[str, str]:
    """The environment of a program: no secrets of this process, and no folders in a root on its path."""
    inside = RootSet(roots)
    folders = known.get("PATH", os.defpath).split(os.pathsep)
    path = [folder for folder in folders if os.path.isabs(folder) and not inside.contains(folder)]
    passed_on = {name: known[name] for name in _PASSED_ON if name in known}
    return passed_on | _SET | {"PATH": os.pathsep.join(path)}


class _Pipes:
    """Writes the input of a program while it reads the output."""

    def __init__(self, process: Popen[bytes], stdin: bytes) -> None:
        from selectors import EVENT_READ, EVENT_WRITE, DefaultSelector

        self._rest = memoryview(stdin)
        self._started = process
        self._selector = DefaultSelector()
        self._written: dict[int, bytearray] = {}
        for stream in (process.stdout, process.stderr):
            assert stream is not None  # noqa: S101  both are pipes
            self._written[stream.fileno()] = bytearray()
            self._selector.register(stream.fileno(), EVENT_READ)
        if process.stdin is not None:
            os.set_blocking(process.stdin.fileno(), False)
            self._selector.register(process.stdin.fileno(), EVENT_WRITE)

    def until(self, deadline: float) -> tuple[bytes, bytes]:
        """Run until the program closes stdout and stderr, or ends; returns both."""
        with self._selector:
            while self._selector.get_map():
                if monotonic() > deadline:
                    raise TimeoutError
                ready = self._selector.select(min(max(deadline - monotonic(), 0), _GRACE_SECONDS))
                if not ready and self._started.poll() is not None:
                    break  # a child process keeps them open
                for key, _ in ready:
                    if key.fd in self._written:
                        self._read(key.fd)
                    else:
                        self._write(key.fd)
        out, err = self._written.values()
        return bytes(out), bytes(err)

    def _read(self, end: int) -> None:
        piece = os.read(end, _CHUNK)
        self._written[end] += piece
        if len(self._written[end]) > _MAX_OUTPUT_BYTES:
            raise NotRunError(f"it wrote more than {_MAX_OUTPUT_BYTES:,} bytes")
        if not piece:
            self._selector.unregister(end)

    def _write(self, end: int) -> None:
        try:
            self._rest = self._rest[os.write(end, self._rest[:_CHUNK]) :]
        except OSError:  # it closed its input
            self._rest = self._rest[:0]
        if not self._rest and self._started.stdin is not None:
            self._selector.unregister(end)
            self._started.stdin.close()


def _kill_group(process: Popen[bytes]) -> None:
    """Kill a program and its children, which are in its own process group."""
    import signal

    with suppress(OSError):  # all of them have ended
        os.killpg(process.pid, signal.SIGKILL)
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None and not stream.closed:
            stream.close()


FILE = "{file}"
_PYTHON = ("*.py", "*.pyi")
_CANNOT_EXECUTE = 126  # from here on, exit codes are those of shells: not executable, not found, killed by a signal
_MAX_MESSAGE_CHARS = 500  # characters, as in `gate`
_MAX_LINE_CHARS = 2_000  # characters of an output line that are parsed: more than a place and a message
_MAX_ISSUES = 1_000  # of one run, by choice: a linter with a whole style guide finds fewer in a file
_FORMS = (
    r"(?P<file>[^\s:][^:]*):(?P<line>\d+):(?:(?P<column>\d+):)?[ \t]*"
    r"(?:(?P<severity>fatal|error|warning|note|info|convention|refactor|hint)\b[:\]]?[ \t]*)?(?P<words>.*)"
)
_SEVERITIES = {None: "error", "error": "error", "fatal": "error"}
_REMARKS = {"note", "info", "hint"}


class Command:
    """A check by another program."""

    external = True

    def __init__(
        self,
        name: str,
        files: Sequence[str],
        command: Sequence[str],
        *,
        syntax_codes: Sequence[str] = (),
        first_column: int = 1,
        beside: bool = False,
        follows: bool = False,
        roots: Sequence[str] = (),
    ) -> None:
        """With `beside`, also look for the program beside suture. It must not be in one of the `roots`.

        With `follows`, it may report problems of other files only, which do not count.
        """
        self.name = name
        self.files = tuple(files)
        self.syntax_codes = (*syntax_codes, name)
        self._command = tuple(command)
        self._first_column = first_column
        self._beside = beside
        self._follows = follows
        self._roots = tuple(roots)

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """Run the program on the staged text, and parse its output."""
        del before, after
        first, *rest = self._command
        file = staging.file()
        first = find_executable(first, self._roots, staging.folder(), beside=self._beside)
        arguments = [first, *(word.replace(FILE, file) for word in rest)]
        result = run(arguments, staging.seconds, staging.folder(), roots=self._roots)
        if result.code == 0:
            return []
        output = _plain((result.out + b"\n" + result.err).decode("utf-8", "replace"))
        output = output.replace(f"{staging.folder()}/", "")  # a different one each time
        if result.code < 0 or result.code >= _CANNOT_EXECUTE:
            how = f"was ended by signal {-result.code}" if result.code < 0 else f"ended with code {result.code}"
            raise NotRunError(f"{os.path.basename(first)} {how}: {summary(output)}")
        findings = list(_parse_output(output, self.name))
        issues = [issue for name, issue in findings if _is_same(name, path, staging)][:_MAX_ISSUES]
        if not issues and not (findings and self._follows):  # the output could not be parsed
            return [Issue("error", 1, 1, self.name, summary(output) or f"exit code {result.code}")]
        return [issue.evolve(column=max(issue.column + 1 - self._first_column, 1)) for issue in issues]


def mypy(roots: Sequence[str] = ()) -> Command:
    """Check types with mypy, by the project's configuration."""
    options = "--no-error-summary --show-column-numbers --show-error-codes --no-color-output --no-pretty"
    command = ["mypy", *options.split(), "--follow-imports=silent", f"--cache-dir={os.devnull}", FILE]
    return Command("mypy", _PYTHON, command, syntax_codes=("syntax",), beside=True, follows=True, roots=roots)


def pylint(roots: Sequence[str] = ()) -> Command:
    """Check with pylint, by the project's configuration."""
    form = "--msg-template={path}:{line}:{column}: {category}: {msg} [{symbol}]"
    command = ["pylint", "--score=n", "--persistent=n", "--reports=n", form, FILE]
    codes = ("syntax-error", "astroid-error")
    return Command(
        "pylint", _PYTHON, command, syntax_codes=codes, first_column=0, beside=True, follows=True, roots=roots
    )


ON_REQUEST = {"mypy": mypy, "pylint": pylint}
"""Checks that are slow, and may run what the project's files say: they run only if configured."""


def _plain(output: str) -> str:
    """Output without colors and other terminal sequences."""
    import re

    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\0", "", output)


def _parse_output(output: str, name: str) -> Iterator[tuple[str, Issue]]:
    """The problems in a program's output, each with its file; `name` is the code of those without one."""
    import re

    form = re.compile(_FORMS)
    for line in output.split("\n"):
        match = form.fullmatch(line.rstrip()[:_MAX_LINE_CHARS])
        if match is None or match["severity"] in _REMARKS:
            continue
        words, code = _code(match["words"], name)
        severity = _SEVERITIES.get(match["severity"], "warning")
        yield match["file"], Issue(severity, max(int(match["line"]), 1), int(match["column"] or 1), code, words)


def _code(words: str, name: str) -> tuple[str, str]:
    """Split a message from the code in brackets at its end; the default code is `name`."""
    head, bracket, tail = words.rpartition("[")
    if bracket and tail.endswith("]") and head.strip() and " " not in tail:
        return head.strip()[:_MAX_MESSAGE_CHARS], tail[:-1]
    return words[:_MAX_MESSAGE_CHARS], name


def _is_same(name: str, path: str, staging: Staging) -> bool:
    """Whether a file name in the output means the checked file."""
    shown = os.path.normpath(os.path.join(staging.folder(), name))
    return os.path.realpath(shown) == os.path.realpath(staging.file()) or name == path


def summary(output: bytes | str, most: int = _MAX_MESSAGE_CHARS) -> str:
    """The first lines of a program's output as one line of limited length."""
    text = output if isinstance(output, str) else output.decode("utf-8", "replace")
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return " / ".join(lines[:3])[:most]
