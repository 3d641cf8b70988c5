"""Logging that costs nothing until somebody uses it.

Importing `logging` takes longer than starting Python. A handler can only be attached after importing
it, so until then messages are dropped.
"""

from __future__ import annotations

import sys


def debug(channel: str, message: str, *args: object) -> None:
    """Log a detail under `suture.<channel>`."""
    _log("debug", channel, message, args)


def warning(channel: str, message: str, *args: object) -> None:
    """Log a problem for the operator under `suture.<channel>`."""
    _log("warning", channel, message, args)


def exception(channel: str, message: str, *args: object) -> None:
    """Log the exception being handled, with its traceback, under `suture.<channel>`."""
    _log("exception", channel, message, args)


def _log(level: str, channel: str, message: str, args: tuple[object, ...]) -> None:
    logging = sys.modules.get("logging")
    if logging is None:
        return
    root = logging.getLogger("suture")
    if not root.handlers:
        root.addHandler(logging.NullHandler())
    getattr(root.getChild(channel), level)(message, *args)
