"""The command line. This module is imported by every `suture …`, so it imports next to nothing."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Sequence

_INTERRUPTED = 130
_PIPE_CLOSED = 141


class QuickOptions:
    """What `suture call` needs of an `argparse.Namespace`."""

    def __init__(self, name: str, arguments: str, root: str) -> None:
        self.name = name
        self.arguments = arguments
        self.root = root
        self.verbose = False


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 refused or failed, 2 wrong usage."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        try:
            code = _run(words)
        except SystemExit as stop:  # argparse has printed help, or what is wrong
            code = stop.code if isinstance(stop.code, int) else 0
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OSError as error:  # nobody reads, or the disk is full
        sys.stdout = None  # or the interpreter would flush it again, and fail again
        if isinstance(error, BrokenPipeError):
            return _PIPE_CLOSED
        if sys.stderr is not None:
            sys.stderr.write(f"suture: the output could not be written: {error.strerror}\n")
        return 1
    return code


def quick(words: Sequence[str]) -> QuickOptions | None:
    """`call NAME JSON [--root DIR]` without argparse, which would double the start-up; None for anything else."""
    match words:
        case ["call", name, arguments]:
            root = "."
        case ["call", name, arguments, "--root", root] | ["call", "--root", root, name, arguments]:
            pass
        case _:
            return None
    plain = all(word == "-" or not word.startswith("-") for word in (name, arguments, root))
    return QuickOptions(name, arguments, root) if plain else None


def _run(words: list[str]) -> int:
    if words in (["--help"], ["-h"]):
        from suture.cli.menu import page

        if sys.stdout is not None:
            sys.stdout.write(page())
        return 0
    options: QuickOptions | Namespace | None = quick(words)
    if options is not None:
        from suture.cli.commands import call

        return call(options)
    from suture.cli.parser import build_parser

    options = build_parser(words).parse_args(words)
    code: int = options.run(options)
    return code
