"""Markdown output: prose, tables, code blocks and links to headings."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence

WIDTH = 100
ESCAPED = r"\|"
SPECIAL = re.compile(r"[\\*<>\[\]$|]|(?<!\w)_|_(?!\w)")


def prose(text: str | None) -> str:
    """Escape a text so that Markdown shows it as it is; code between backticks is left alone."""
    parts = re.split(r"(`[^`]*`)", text or "")
    return "".join(part if part.startswith("`") else SPECIAL.sub(r"\\\g<0>", part) for part in parts)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table in Markdown."""
    yield f"| {' | '.join(heads)} |"
    yield "|" + " --- |" * len(heads)
    for row in rows:
        yield f"| {' | '.join(cell.replace(ESCAPED, '|').replace('|', ESCAPED) for cell in row)} |"


def code_block(language: str, text: str) -> Iterator[str]:
    """A code block, with a fence that is longer than any in the text."""
    longest = max([2, *(len(backticks) for backticks in re.findall(r"`{3,}", text))])
    fence = "`" * (longest + 1)
    yield from (f"{fence}{language}", *text.removesuffix("\n").split("\n"), fence)


def wrap(text: str) -> str:
    """Wrap long lines; continuation lines are indented below the text of a list item."""
    lines = []
    for line in text.split("\n"):
        indent = re.match(r" *(?:- )?", line)
        hanging = " " * (indent.end() if indent else 0)
        lines += textwrap.wrap(line, WIDTH, subsequent_indent=hanging, break_on_hyphens=False) or [""]
    return "\n".join(lines)


def link(name: str, heading: str = "") -> str:
    """A link to a heading on the same page: `heading`, or by default the name itself."""
    anchor = re.sub(r"[^\w\- ]", "", (heading or name).lower()).replace(" ", "-")
    return f"[`{name}`](#{anchor})"
