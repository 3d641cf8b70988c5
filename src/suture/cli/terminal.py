"""Text for people: colors on a terminal, and nothing in it that a terminal would obey."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TextIO

_RAW = {chr(0xDC00 + byte) for byte in range(0x80, 0x100)}  # bytes of names that are not UTF-8
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


def colored_diff(diff: str) -> Iterator[str]:
    """The lines of a diff, colored on a terminal."""
    for line in diff.split("\n"):
        shown = as_content(line)
        header = line.startswith(("diff --git ", "--- ", "+++ "))
        color = "bold" if header else {"+": "green", "-": "red", "@": "cyan"}.get(line[:1], "")
        yield colored(color, shown) if color else shown


def as_content(text: str) -> str:
    """A line of a file: clean on a terminal; a pipe gets it as it is, so that it can be applied or processed."""
    return clean(text) if _terminal() else text


def clean(text: str) -> str:
    """A line without what a terminal would obey."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char == "\t" or (char in _RAW and not _terminal()) else ascii(char)[1:-1]
        for char in text
    )


def colored(color: str, text: str, stream: TextIO | None = None) -> str:
    """Text in a color, if it goes to a terminal that has them: stdout, unless a stream is given."""
    if not text or not _has_colors(stream):
        return text
    return f"\033[{_COLORS[color]}m{text}\033[0m"


def _has_colors(stream: TextIO | None) -> bool:
    """Whether to use colors: https://no-color.org and https://force-color.org say who decides."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return _terminal(stream) and os.environ.get("TERM") != "dumb"


def _terminal(stream: TextIO | None = None) -> bool:
    stream = stream or sys.stdout
    return stream is not None and stream.isatty()
