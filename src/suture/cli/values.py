"""What options take: how a word becomes a value, and what is said of one that does not."""

from __future__ import annotations

import argparse

_FEWEST_BYTES = 10_000
_LONGEST = 3_600


def block_ids(given: str) -> list[str]:
    """Ids of blocks."""
    return _several(given, "ids of blocks such as 1,3.2")


def host_name(given: str) -> str:
    """The name of a host, without a port."""
    name = given[1:-1].replace(":", "") if given.startswith("[") and given.endswith("]") else given
    if not name or not all(char.isascii() and (char.isalnum() or char in "-._") for char in name):
        message = f"expected a name such as suture.example.com, without a port, not {given!r}"
        raise argparse.ArgumentTypeError(message)
    return given


def byte_limit(given: str) -> int:
    """A number of bytes that an answer may have."""
    if not (given.isascii() and given.isdigit()) or int(given) < _FEWEST_BYTES:
        message = f"expected a number of at least {_FEWEST_BYTES}, not {given!r}"
        raise argparse.ArgumentTypeError(message)
    return int(given)


def tool_names(given: str) -> list[str]:
    """Names of tools."""
    return _several(given, "names of tools such as file_read,patch")


def number(given: str) -> int:
    """A number from 0 on."""
    if not given.isdecimal():
        message = f"expected a number from 0 on, not {given!r}"
        raise argparse.ArgumentTypeError(message)
    return int(given)


def positive(given: str) -> int:
    """A number from 1 on."""
    if not number(given):
        message = f"expected a number from 1 on, not {given!r}"
        raise argparse.ArgumentTypeError(message)
    return int(given)


def seconds(given: str) -> int:
    """A time that somebody may want to wait."""
    if not 1 <= number(given) <= _LONGEST:
        message = f"expected seconds from 1 to {_LONGEST}, not {given}"
        raise argparse.ArgumentTypeError(message)
    return int(given)


def _several(given: str, expected: str) -> list[str]:
    found = given.replace(",", " ").split()
    if not found:
        message = f"expected {expected}, not {given!r}"
        raise argparse.ArgumentTypeError(message)
    return found
