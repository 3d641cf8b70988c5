"""Where what commands say goes: results to stdout; errors, notes and logs to stderr.

An error is a line that begins with its code, and what to do about it.
"""

from __future__ import annotations

import sys
from contextlib import suppress

from suture.cli.terminal import clean, colored
from suture.json_text import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from suture.cli import QuickOptions

USAGE = 2
CODES = {
    "WRONG_USAGE": "The words of a command make no sense: a command or option that there is none of, or a value that "
    "it does not take. See `suture COMMAND --help`.",
    "MISSING_EXTRA": "The command needs packages that are not installed with suture alone. Install the extra that "
    "the message names.",
    "CANNOT_LISTEN": "The server cannot listen at the address that it was given. Choose another port, or 0 for "
    "any that is free.",
    "CANNOT_SERVE": "The server cannot go on: what it reads from or writes to is gone. Start it by an agent, or with "
    "`--http HOST:PORT`.",
    "SETTINGS_NOT_WRITTEN": "An agent's settings file cannot take the entry; it is as it was. Do what the message "
    "says, or put in by hand the entry that it prints.",
    "NO_ANSWER": "A question was asked on the terminal, and no answer came: nothing was changed. Answer y or n, or "
    "name blocks by `--only`.",
    "PROBLEM": "`suture doctor` found something that does not work. Do what the message says.",
    "OUTPUT_FAILED": "What a command printed could not be written, because the disk is full, for example. "
    "What the command did is done: see `suture log`, then make room or print elsewhere.",
}
"""What goes wrong on the command line only; all other codes are those of `suture.errors`."""

_quiet = False


def listen(options: argparse.Namespace | QuickOptions) -> None:
    """Heed --quiet and --verbose, from now on."""
    global _quiet  # noqa: PLW0603  a process has one stdout and one stderr, and whether they are used is one setting
    _quiet = options.quiet
    if options.verbose:
        import logging  # without it nobody listens

        logging.basicConfig(level=logging.DEBUG, stream=sys.stderr, format="%(name)s: %(message)s")


def print_json(value: object) -> None:
    """Print a value as JSON, in one line, even with --quiet: it was asked for."""
    _write(dumps(value) + "\n")


def print_text(text: str, end: str = "\n") -> None:
    """Print a result, unless --quiet was given."""
    if not _quiet:
        _write(text + end)


def print_always(text: str) -> None:
    """Print what no option silences, such as a question."""
    _write(text)


def flush() -> None:
    """Let everybody see what has been printed."""
    if sys.stdout is not None:
        sys.stdout.flush()


def note(text: str) -> None:
    """Say on stderr what is worth knowing besides the result, unless --quiet was given."""
    if not _quiet:
        _tell(_cleaned(text))


def complain(text: str) -> None:
    """Write an error to stderr; a code at its beginning is colored."""
    code, colon, rest = _cleaned(text).partition(": ")
    is_code = colon and code.isupper() and code.replace("_", "").isalpha()
    _tell(f"{colored('error', code, sys.stderr)}: {rest}" if is_code else _cleaned(text))


def refuse(code: str, problem: str, hint: str) -> None:
    """Tell an error of the command line itself: what is wrong, and what to do."""
    complain(f"{code}: {problem}\n{hint}")


def misused(command: str, problem: object) -> int:
    """Tell that a command's words make no sense, or those before any command; returns the exit code."""
    name = f"suture {command}".rstrip()
    refuse("WRONG_USAGE", f"{name}: {problem}", f"See: {name} --help")
    return USAGE


def _write(text: str) -> None:
    """Write UTF-8, whatever the locale says; a name that is not UTF-8 comes out as it went in."""
    if sys.stdout is None:
        return
    sys.stdout.flush()
    rest = memoryview(text.encode("utf-8", "surrogateescape"))
    while rest:  # with PYTHONUNBUFFERED set, a part of it may be all that is written at once
        rest = rest[sys.stdout.buffer.write(rest) :]


def _cleaned(text: str) -> str:
    """A message without what a terminal would obey: it may hold names and contents of files."""
    return "\n".join(map(clean, text.split("\n")))


def _tell(text: str) -> None:
    """Write to stderr, below what has been printed so far."""
    if sys.stderr is None:
        return
    with suppress(OSError, ValueError):  # who prints next learns that nobody reads
        flush()
    encoding = sys.stderr.encoding or "utf-8"
    try:
        sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")
    except BrokenPipeError:
        raise
    except OSError:  # nobody can be told; what was done is done, and the exit code says how
        sys.stderr = None
