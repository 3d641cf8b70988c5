"""The command line. This module is imported by every `suture …`, so it imports next to nothing."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_INTERRUPTED = 130
_PIPE_CLOSED = 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code: 0 done, 1 refused or failed, 2 wrong usage."""
    from suture.cli.parser import build_parser  # see above

    options = build_parser().parse_args(argv)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return _INTERRUPTED
    except BrokenPipeError:
        sys.stdout = None  # nobody reads: let the interpreter not flush it again
        return _PIPE_CLOSED
    return code
