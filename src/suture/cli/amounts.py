"""Amounts as people say them: of things, and of bytes."""

from __future__ import annotations


def several(number: int, noun: str) -> str:
    """A number of things."""
    ending = "es" if noun.endswith("h") else "s"
    return f"{number:,} {noun}{ending * (number != 1)}"


def in_bytes(size: int) -> str:
    """A number of bytes, in the unit that suits it."""
    for unit, power in (("GB", 3), ("MB", 2), ("kB", 1)):
        if size >= 1000**power:
            return f"{size / 1000**power:.1f} {unit}"
    return f"{size} bytes"
