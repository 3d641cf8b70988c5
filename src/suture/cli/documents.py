"""What a command is given to read: files that the command line names, and stdin; as bytes, as text or as JSON."""

from __future__ import annotations

import sys
from contextlib import nullcontext

from suture.json_text import loads

STDIN = "-"
_MOST_INPUT = 100_000_000  # of JSON; the limit on the text in it is a setting


def document(given: str) -> tuple[str, object]:
    """Where a JSON document comes from, and what it says: the argument itself, stdin, or a file."""
    content: bytes | str
    if given.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        source, content = "the argument", given
    else:
        source, content = source_of(given), content_of(given)
    try:
        return source, decoded(content)
    except (ValueError, RecursionError) as error:
        message = f"{source} is not JSON: {error}"
        raise ValueError(message) from None


def decoded(given: bytes | str) -> object:
    """What JSON says, perhaps with a byte order mark before it; ValueError or RecursionError if it is none."""
    return loads((given.decode() if isinstance(given, bytes) else given).removeprefix("\ufeff"))


def text_of(name: str) -> str:
    """The text of a file or of stdin; ValueError says why it cannot be read, or where it is not UTF-8."""
    raw = content_of(name)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        message = f"{source_of(name)} is not UTF-8: byte {error.start + 1:,} is 0x{raw[error.start]:02x}"
        raise ValueError(message) from None


def content_of(name: str) -> bytes:
    """A file that the command line names, or stdin, up to a limit; ValueError says why it cannot be read."""
    if name == STDIN and sys.stdin is None:
        message = "stdin is closed"
        raise ValueError(message)
    try:
        with nullcontext(sys.stdin.buffer) if name == STDIN else open(name, "rb") as file:
            raw = file.read(_MOST_INPUT + 1)
    except OSError as error:
        message = f"cannot read {source_of(name)}: {error.strerror}"
        raise ValueError(message) from error
    if len(raw) > _MOST_INPUT:
        message = f"{source_of(name)} has more than {_MOST_INPUT:,} bytes"
        raise ValueError(message)
    return raw


def source_of(name: str) -> str:
    """What a message calls a file that the command line names."""
    return "stdin" if name == STDIN else name
