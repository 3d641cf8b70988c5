"""Markdown that shows what it is given as it is: prose, tables, blocks of code and links to headings."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

WIDTH = 100
ESCAPED = r"\|"
SPECIAL = re.compile(r"[\\*<>\[\]$|]|(?<!\w)_|_(?!\w)")


def prose(text: str | None) -> str:
    """A text as Markdown that shows it as it is; what stands between backticks stays code."""
    parts = re.split(r"(`[^`]*`)", text or "")
    return "".join(part if part.startswith("`") else SPECIAL.sub(r"\\\g<0>", part) for part in parts)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table in Markdown."""
    yield f"| {' | '.join(heads)} |"
    yield "|" + " --- |" * len(heads)
    for row in rows:
        yield f"| {' | '.join(cell.replace(ESCAPED, '|').replace('|', ESCAPED) for cell in row)} |"


def fenced(language: str, text: str) -> Iterator[str]:
    """A block of code, whose fence is longer than any in it."""
    longest = max([2, *(len(found) for found in re.findall(r"`{3,}", text))])
    fence = "`" * (longest + 1)
    yield from (f"{fence}{language}", *text.removesuffix("\n").split("\n"), fence)


def wrapped(text: str) -> str:
    """A text whose long lines are broken, below what they begin with."""
    lines = []
    for line in text.split("\n"):
        indent = re.match(r" *(?:- )?", line)
        after = " " * (indent.end() if indent else 0)
        lines += textwrap.wrap(line, WIDTH, subsequent_indent=after, break_on_hyphens=False) or [""]
    return "\n".join(lines)


def link(name: str, heading: str = "") -> str:
    """A name as a link to its heading on the same page, which is the name itself if no other is given."""
    anchor = re.sub(r"[^\w\- ]", "", (heading or name).lower()).replace(" ", "-")
    return f"[`{name}`](#{anchor})"
