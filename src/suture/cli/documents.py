"""What a command line names: files, and JSON from an argument, a file or stdin."""

from __future__ import annotations

from suture.cli.commands import decoded, stdin

_MOST_INPUT = 100_000_000  # of JSON; the limit on the text in it is a setting


def document(given: str) -> tuple[str, object]:
    """Where a JSON document comes from, and what it says: the argument itself, stdin, or a file."""
    content: bytes | str
    if given.lstrip("\ufeff \t\r\n").startswith(("{", "[")):
        source, content = "the argument", given
    elif given == "-":
        source, content = "stdin", stdin()
    else:
        source, content = given, content_of(given)
    try:
        return source, decoded(content)
    except (ValueError, RecursionError) as error:
        message = f"{source} is not JSON: {error}"
        raise ValueError(message) from None


def content_of(name: str) -> bytes:
    """A file that the command line names; ValueError says why it cannot be read."""
    try:
        with open(name, "rb") as file:
            raw = file.read(_MOST_INPUT + 1)
    except OSError as error:
        message = f"cannot read {name}: {error.strerror}"
        raise ValueError(message) from error
    if len(raw) > _MOST_INPUT:
        message = f"{name} has more than {_MOST_INPUT:,} bytes"
        raise ValueError(message)
    return raw
