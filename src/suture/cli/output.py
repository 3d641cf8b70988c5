"""Where what commands say goes: results to stdout, complaints and logs to stderr."""

from __future__ import annotations

import sys

from suture.json_text import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from suture.cli import QuickOptions


def print_json(value: object) -> None:
    """Print a value as JSON, in one line."""
    print_text(dumps(value))


def print_text(text: str, end: str = "\n") -> None:
    """Write UTF-8, whatever the locale says; a name that is not UTF-8 comes out as it went in."""
    if sys.stdout is None:
        return
    sys.stdout.flush()
    rest = memoryview((text + end).encode("utf-8", "surrogateescape"))
    while rest:  # with PYTHONUNBUFFERED set, a part of it may be all that is written at once
        rest = rest[sys.stdout.buffer.write(rest) :]


def complain(text: str) -> None:
    """Write to stderr."""
    if sys.stderr is not None:
        encoding = sys.stderr.encoding or "utf-8"
        sys.stderr.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def listen(options: argparse.Namespace | QuickOptions) -> None:
    """Log to stderr, if that was asked for."""
    if options.verbose:
        import logging  # without it nobody listens

        logging.basicConfig(level=logging.DEBUG, stream=sys.stderr, format="%(name)s: %(message)s")
