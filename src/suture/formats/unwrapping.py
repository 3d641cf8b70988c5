"""Blocks in a quotation, and in the entities of HTML: their lines are made what they were before that.

That is done only where it is exact: all lines of a quotation begin with its mark, and a block in entities has no
bracket that is not one.
"""

from __future__ import annotations

from suture.formats import search_replace, unified, v4a
from suture.formats.naming import fence_of
from suture.formats.source import MOST_UNENDED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from suture.formats.source import Source

_QUOTE, _ENTITY, _MANY = ">", "&lt;", 5


def unwrap(source: Source, at: int) -> Generator[None, None, None]:
    """Take off what is around a block that begins at a line, or a fence with one in it."""
    start = source.lines[at].lstrip()
    if start.startswith(_QUOTE) and at >= source.quoted:
        yield from _unquote(source, at)
    elif (
        start.startswith(_ENTITY * _MANY)
        and source.unended < MOST_UNENDED
        and _begins(_decoded(source.lines[at]), None)
    ):
        yield from _decode(source, at)


def _unquote(source: Source, at: int) -> Generator[None, None, None]:
    first = _unquoted(source.lines[at])
    if first[:1] not in {"<", "*", "-", "d", "`", "~"} or not (fence_of(first) or _may_begin(first)):
        return
    end = at
    while True:
        while not source.ready(end):
            yield None
        line = source.line(end)
        if line is None or not line.lstrip().startswith(_QUOTE):
            break
        end += 1
    lines = [_unquoted(line) for line in source.lines[at:end]]
    if any(_begins(line, lines[number + 1] if number + 1 < len(lines) else None) for number, line in enumerate(lines)):
        source.replace(at, lines)
    else:
        source.quoted = end


def _unquoted(line: str) -> str:
    return line.lstrip().removeprefix(_QUOTE).removeprefix(" ")


def _may_begin(line: str) -> bool:
    return line.startswith("--- ") or _begins(line, None)


def _begins(line: str, next_line: str | None) -> bool:
    begun = search_replace.marker(line) in {"search", "new_file"} or v4a.begins(line)
    return begun or unified.begins(line, next_line)


def _decode(source: Source, at: int) -> Generator[None, None, None]:
    end = at
    while True:
        while not source.ready(end):
            yield None
        line = source.line(end)
        if line is None or "<" in line or ">" in line:
            source.unended += 1
            return
        end += 1
        if search_replace.marker(_decoded(line)) in {"replace", "end_of_file"}:
            break
    source.replace(at, [_decoded(line) for line in source.lines[at:end]])


def _decoded(line: str) -> str:
    from html import unescape  # only such a reply needs it

    return unescape(line)
