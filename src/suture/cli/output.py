"""The output of commands: results, progress, notes and errors, on a terminal or in a pipe.

An error is a line that begins with its code, followed by what to do about it.
"""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext, suppress
from time import monotonic

from suture.json_text import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping
    from types import TracebackType
    from typing import Any, Self, TextIO

    from suture.cli import QuickOptions
    from suture.errors import SutureError
    from suture.tools.spec import ToolResult

STDIN = "-"
USAGE = 2
CODES = {
    "WRONG_USAGE": "The command line is invalid: an unknown command or option, or an invalid value. "
    "See `suture COMMAND --help`.",
    "MISSING_EXTRA": "The command needs packages of an extra that is not installed. Install the extra that the "
    "message names.",
    "CANNOT_LISTEN": "The server cannot listen at the address. Choose another port, or 0 for any free port.",
    "CANNOT_SERVE": "The server cannot read its input or write its output. Let an agent start it, or use "
    "`--http HOST:PORT`.",
    "SETTINGS_NOT_WRITTEN": "The entry could not be added to an agent's settings file, which is unchanged. Do what "
    "the message says, or add the printed entry by hand.",
    "NO_ANSWER": "A question on the terminal was not answered: nothing was changed. Answer y or n, or select blocks "
    "with `--only`.",
    "PROBLEM": "`suture doctor` found something that does not work. Do what the message says.",
    "NOT_STARTED": "The command that `suture run` was given could not be started. Check its name and permissions.",
    "OUTPUT_FAILED": "A command could not write its output, for example because the disk is full. Whatever it "
    "changed has landed: see `suture log`, then free some space or write the output elsewhere.",
}
"""Errors of the command line only; all other errors are in `suture.errors`."""
_MAX_INPUT_BYTES = 100_000_000  # of a JSON file, so that a wrong one cannot fill the memory; Settings limit its texts
_PROGRESS_DELAY = 1.0  # seconds before progress is shown: most calls have ended by then
_PROGRESS_INTERVAL = 0.1  # seconds between two updates
_FALLBACK_COLUMNS = 80  # of a terminal whose width is unknown
_ERASE = "\r\033[K"
_RAW_BYTES = {chr(0xDC00 + byte) for byte in range(0x80, 0x100)}  # bytes of names that are not UTF-8
_COLORS = {
    "red": "31",
    "green": "32",
    "yellow": "33",
    "cyan": "36",
    "bold": "1",
    "faint": "2",
    "match": "1;31",
    "error": "1;31",
}
_ANSWERS = {b"y": True, b"yes": True, b"n": False, b"no": False, b"q": False}
_SLASHES = 2  # of /pattern/: a shorter pattern is empty between them
_FOREIGN_GROUP = r"\$\$|\\[1-9]|\$0(?!0*[1-9])|\\g<"  # and $$, which means one $; it is skipped


def in_bytes(size: int) -> str:
    """A size in a unit that suits it."""
    for unit, power in (("GB", 3), ("MB", 2), ("kB", 1)):
        if size >= 1000**power:
            return f"{size / 1000**power:.1f} {unit}"
    return f"{size} bytes"


def colored_diff(diff: str) -> Iterator[str]:
    """The lines of a diff, colored on a terminal."""
    for line in diff.split("\n"):
        shown = as_content(line)
        header = line.startswith(("diff --git ", "--- ", "+++ "))
        color = "bold" if header else {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
        yield colored(color, shown) if color else shown


def as_content(text: str) -> str:
    """A line of a file: clean on a terminal; unchanged in a pipe, so that it can be applied or processed."""
    return clean(text) if _terminal() else text


def clean(text: str) -> str:
    """A line with control characters escaped, since a terminal would obey them."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char == "\t" or (char in _RAW_BYTES and not _terminal()) else ascii(char)[1:-1]
        for char in text
    )


def clean_lines(text: str) -> str:
    """Lines with control characters escaped: a message may contain names and contents of files."""
    return "\n".join(map(clean, text.split("\n")))


def colored(color: str, text: str, stream: TextIO | None = None) -> str:
    """Text in a color, if the stream (default: stdout) is a terminal with colors."""
    if not text or not _has_colors(stream):
        return text
    return f"\033[{_COLORS[color]}m{text}\033[0m"


def _has_colors(stream: TextIO | None) -> bool:
    """Whether to use colors, by the rules of https://no-color.org and https://force-color.org."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return _terminal(stream) and os.environ.get("TERM") != "dumb"


def _terminal(stream: TextIO | None = None) -> bool:
    stream = stream or sys.stdout
    return stream is not None and stream.isatty()


def can_ask() -> bool:
    """Whether somebody sees a question and can answer it."""
    return _terminal() and sys.stdin is not None and sys.stdin.isatty()


def ask(question: str) -> bool | None:
    """Ask a question; None if the answers end before there is one."""
    while True:
        sys.stdout.write(question)
        sys.stdout.flush()
        line = sys.stdin.buffer.readline()
        if not line:
            return None
        answer = line.strip().lower()
        if answer in _ANSWERS:
            return _ANSWERS[answer]


class Progress:
    """A counter that a walk calls for each folder; shown on a terminal, once the walk has taken a second.

    A thread would show progress even if there were none.
    """

    def __init__(self, *, quiet: bool = False) -> None:
        self._files = self._matches = 0
        self._next = monotonic() + _PROGRESS_DELAY
        self._shown = False
        terminal = sys.stderr is not None and sys.stderr.isatty()
        self._wanted = not quiet and terminal and os.environ.get("TERM") != "dumb"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.erase()

    def __call__(self, files: int, matches: int) -> None:
        """Count more files and matches."""
        self._files += files
        self._matches += matches
        if self._wanted and (now := monotonic()) >= self._next:
            self._next = now + _PROGRESS_INTERVAL
            self._shown = True
            from suture.wording import count  # `suture --help` needs none of it

            words = f"{count(self._files, 'file')}, {count(self._matches, 'match')} …"
            self._write(_ERASE + words[: _columns() - 1])

    def erase(self) -> None:
        """Remove the counter from the terminal."""
        if self._shown:
            self._shown = False
            self._write(_ERASE)

    def _write(self, text: str) -> None:
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
        except (OSError, ValueError):  # the terminal is gone, or cannot write "…"
            self._wanted = False


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or _FALLBACK_COLUMNS
    except (OSError, ValueError):
        return _FALLBACK_COLUMNS


def document(argument: str) -> tuple[str, object]:
    """The source of a JSON document and its value: the argument, stdin or a file."""
    content: bytes | str
    if argument.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        source, content = "the argument", argument
    else:
        source, content = source_of(argument), content_of(argument)
    try:
        return source, parse_json(content)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{source} is not JSON: {error}") from None


def parse_json(content: bytes | str) -> object:
    """The value of JSON text, which may begin with a byte order mark; ValueError or RecursionError if invalid."""
    return loads((content.decode() if isinstance(content, bytes) else content).removeprefix("\ufeff"))


def text_of(name: str) -> str:
    """The text of a file or of stdin; ValueError if it cannot be read or is not UTF-8."""
    raw = content_of(name)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{source_of(name)} is not UTF-8: byte {error.start + 1:,} is 0x{raw[error.start]:02x}"
        ) from None


def content_of(name: str) -> bytes:
    """The content of a file or of stdin, up to a limit; ValueError if it cannot be read."""
    if name == STDIN and sys.stdin is None:
        raise ValueError("stdin is closed")
    try:
        with nullcontext(sys.stdin.buffer) if name == STDIN else open(name, "rb") as file:
            raw = file.read(_MAX_INPUT_BYTES + 1)
    except OSError as error:
        raise ValueError(f"cannot read {source_of(name)}: {error.strerror}") from error
    if len(raw) > _MAX_INPUT_BYTES:
        raise ValueError(f"{source_of(name)} has more than {_MAX_INPUT_BYTES:,} bytes")
    return raw


def source_of(name: str) -> str:
    """The name of an input file in messages."""
    return "stdin" if name == STDIN else name


_quiet = False


def set_verbosity(options: argparse.Namespace | QuickOptions) -> None:
    """Apply --quiet and --verbose from now on."""
    global _quiet  # noqa: PLW0603  a process has one stdout and one stderr, so one setting is enough
    _quiet = options.quiet
    if options.verbose:
        import logging  # slow to import

        logging.basicConfig(level=logging.DEBUG, stream=sys.stderr, format="%(name)s: %(message)s")


def print_json(value: object) -> None:
    """Print a value as one line of JSON, even with --quiet."""
    _write_stdout(dumps(value) + "\n")


def print_text(text: str, end: str = "\n") -> None:
    """Print a result, unless --quiet is set."""
    if not _quiet:
        _write_stdout(text + end)


def print_always(text: str) -> None:
    """Print text that no option silences, such as a question."""
    _write_stdout(text)


def flush() -> None:
    """Flush what has been printed so far."""
    if sys.stdout is not None:
        sys.stdout.flush()


def note(text: str) -> None:
    """Print a note to stderr, unless --quiet is set."""
    if not _quiet:
        _write_stderr(clean_lines(text))


def refuse(code: str, problem: str, hint: str = "") -> None:
    """Print an error: its code, what is wrong, and what to do."""
    words = f"{problem}\n{hint}" if hint else problem
    _write_stderr(f"{colored('error', code, sys.stderr)}: {clean_lines(words)}")


def refuse_for(error: SutureError) -> None:
    """Print an error that was raised."""
    from suture import wording  # few commands print one

    refuse(error.code, wording.message(error), wording.hint(error))


def report_misuse(command: str, problem: object) -> int:
    """Print what is wrong with a command line; returns the exit code."""
    name = f"suture {command}".rstrip()
    refuse("WRONG_USAGE", f"{name}: {problem}", f"See: {name} --help")
    return USAGE


def _write_stdout(text: str) -> None:
    """Write UTF-8, whatever the locale; the bytes of a name that is not UTF-8 are preserved."""
    if sys.stdout is None:
        return
    sys.stdout.flush()
    rest = memoryview(text.encode("utf-8", "surrogateescape"))
    while rest:  # with PYTHONUNBUFFERED set, a write may be partial
        rest = rest[sys.stdout.buffer.write(rest) :]


def _write_stderr(text: str) -> None:
    """Write to stderr, after flushing stdout."""
    if sys.stderr is None:
        return
    with suppress(OSError, ValueError):  # the next write to stdout reports it
        flush()
    encoding = sys.stderr.encoding or "utf-8"
    try:
        sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    except BrokenPipeError:
        raise
    except OSError:  # it cannot be reported anywhere; the exit code still gives the outcome
        sys.stderr = None


def pattern_notes(pattern: str) -> list[str]:
    """A note if the pattern was read as /pattern/flags without flags."""
    body = pattern[1:-1]
    if len(pattern) <= _SLASHES or pattern[0] + pattern[-1] != "//" or body.endswith("\\"):
        return []
    return [f"note: read as the pattern {body}; to match the slashes, write \\/{body}\\/"]


def replacement_notes(replacement: str) -> list[str]:
    """A note if the replacement has a group reference in the syntax of other tools."""
    from re import finditer  # only `replace` needs it

    groups = [match[0] for match in finditer(_FOREIGN_GROUP, replacement) if match[0] != "$$"]
    how = "groups are written $1 or ${name}, the whole match $&"
    return [f"note: {groups[0]} is taken literally; {how}"] if groups else []


def warnings(metadata: Mapping[str, Any]) -> list[str]:
    """The warnings of a call that edits files."""
    return [f"warning: {warning}" for warning in metadata.get("warnings", ())]


def skipped_notes(paths: Iterable[str]) -> list[str]:
    """A note for each named file that was skipped because it is binary."""
    return [f"note: {clean(path)} is binary and was skipped" for path in paths]


def print_notes(result: ToolResult) -> None:
    """Print what the workspace adds to a result: a recovery, or a history that cannot be written."""
    for line in result.notes:
        note(f"note: {line}")


def undo_lines(options: argparse.Namespace, metadata: Mapping[str, Any]) -> list[str]:
    """How to undo a change, if one landed and was recorded."""
    if metadata["change_id"] is None or not metadata.get("history", {}).get("recorded", True):
        return []
    if "undone" in metadata:
        return [f"To redo: suture redo {metadata['undone']}{at_root(options)}"]
    return [f"To undo: suture undo {metadata['change_id']}{at_root(options)}"]


def at_root(options: argparse.Namespace | QuickOptions) -> str:
    """The --root option, to append to a command that a message suggests."""
    from shlex import quote

    given = options.location.given
    return "" if given is None or given == "." else f" --root {quote(given)}"
