r"""Replacement templates: parsing, and filling in for a match.

    template  = { "$" digit { digit } | "${" digits "}" | "${" name "}" | "$<" name ">" | "$&" | "$`" | "$'" | "$$"
                | any other character }

As in JavaScript, plus `${…}`. `$&` is the whole match, "$`" all text before it, `$'` all text after it. Of a number, as
many digits are read as give a group of the pattern: with two groups, `$12` is `$1` followed by `2`. `$<` is literal if
the pattern has no named groups; so is any other `$`. A group that did not participate in the match is empty.

Stricter than JavaScript: a reference to a group that the pattern doesn't have is refused, and so is another dialect's
reference to a group that it has (`\1`, `\g<name>`, `\k<name>`), which would be inserted as text.
"""

from __future__ import annotations

from suture.bounds import check_time, timed
from suture.errors import InvalidCaptureGroup
from suture.patterns.dialect import DECIMALS, MAX_DIGITS
from suture.records import Record
from suture.text import newline_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from suture.patterns.dialect import Pattern
    from suture.text import Text

BEFORE, AFTER = -1, -2
"""Used like group numbers: the text before the match, and the text after it."""
_AROUND = {"&": 0, "`": BEFORE, "'": AFTER}


class Template(Record):
    """A parsed replacement: texts, and numbers of groups."""

    parts: tuple[str | int, ...]

    def size(self, text: Text, spans: Sequence[tuple[int, int]]) -> int:
        """The approximate length of the replacement of a match."""
        return sum(
            len(part) if isinstance(part, str) else end - start
            for part in timed(self.parts)
            for start, end in [(0, 0) if isinstance(part, str) else _span(text, spans, part)]
        )

    def fill(self, text: Text, spans: Sequence[tuple[int, int]]) -> bytes:
        r"""The replacement of a match, in the form of the text's body.

        A `\n` of the replacement becomes the line ending that belongs there; captured text stays as it is.
        """
        body, start = text.body, spans[0][0]
        literal = any("\r" in part for part in self.parts if isinstance(part, str))
        pieces: list[bytes] = []
        for part in timed(self.parts):
            if isinstance(part, int):
                first, last = _span(text, spans, part)
                pieces.append(body[max(first, 0) : max(last, 0)])
                continue
            new = text.body_bytes(part)
            inside = not pieces and new.startswith(b"\n") and body[max(start - 1, 0) : start + 1] == b"\r\n"
            if not literal and b"\n" in new:
                new = new.replace(b"\n", newline_at(body, start))
            pieces.append(new.removeprefix(b"\r") if inside else new)
        return b"".join(pieces)


def parse(written: str, pattern: Pattern) -> Template:
    """Parse a replacement for a pattern, and refuse references to groups that the pattern doesn't have."""
    _check_dialect(written, pattern)
    return read(written, "$", lambda dollar: _reference(written, dollar, pattern))


def read(written: str, mark: str, reference: Callable[[int], tuple[str | int, int]]) -> Template:
    """Parse a replacement. `reference` returns the group's number or the text at a mark, and where it ends."""
    parts: list[str | int] = []
    text, at = list[str](), 0
    while (begin := written.find(mark, at)) >= 0:
        check_time()  # a reference may search the whole rest for its end
        text.append(written[at:begin])
        part, at = reference(begin)
        if isinstance(part, str):
            text.append(part)
        else:
            parts += ["".join(text), part]
            text.clear()
    return Template(tuple(part for part in (*parts, "".join(text) + written[at:]) if part != ""))


def _span(text: Text, spans: Sequence[tuple[int, int]], part: int) -> tuple[int, int]:
    """The span, in the text's body, of a group or of the text around the match."""
    if part == BEFORE:
        return 0, spans[0][0]
    return (spans[0][1], len(text.body)) if part == AFTER else spans[part]


def _reference(written: str, dollar: int, pattern: Pattern) -> tuple[str | int, int]:
    """The group's number or the text at a `$`, and where it ends."""
    if written.startswith("$$", dollar):
        return "$", dollar + 2
    if written.startswith("${", dollar):
        return _group_in_braces(written, dollar, pattern)
    if written.startswith("$<", dollar):
        return _group_by_name(written, dollar, pattern)
    if (char := written[dollar + 1 : dollar + 2]) in _AROUND:
        return _AROUND[char], dollar + 2
    end = dollar + 1
    while end < len(written) and written[end] in DECIMALS and end - dollar <= MAX_DIGITS:
        end += 1
    digits = written[dollar + 1 : end]
    for size in range(len(digits), 0, -1):
        if 1 <= int(digits[:size]) <= pattern.groups:
            return int(digits[:size]), dollar + 1 + size
    if digits and int(digits):
        raise _no_group(f"${digits}", pattern)
    return "$", dollar + 1


def _group_in_braces(written: str, dollar: int, pattern: Pattern) -> tuple[str | int, int]:
    close = written.find("}", dollar)
    name = written[dollar + 2 : max(close, dollar)]
    if name in pattern.names:
        return pattern.names[name], close + 1
    if not name or not (name.isidentifier() or set(name) <= DECIMALS):
        return "$", dollar + 1
    if name.isdigit() and len(name) <= MAX_DIGITS and 1 <= int(name) <= pattern.groups:
        return int(name), close + 1
    raise _no_group(f"${{{name}}}", pattern)


def _group_by_name(written: str, dollar: int, pattern: Pattern) -> tuple[str | int, int]:
    close = written.find(">", dollar)
    if close < 0 or not pattern.names:
        return "$", dollar + 1
    name = written[dollar + 2 : close]
    if name not in pattern.names:
        raise _no_group(f"$<{name}>", pattern)
    return pattern.names[name], close + 1


def _check_dialect(written: str, pattern: Pattern) -> None:
    """Refuse references in the syntax of Python, sed or Perl, if the pattern has such groups."""
    if not pattern.groups or "\\" not in written:
        return
    from re import finditer

    for match in finditer(r"(?<!\\)\\(?:([1-9][0-9]?)|[gk](?:<(\w+)>|\{(\w+)\}))", written):
        name = match[1] or match[2] or match[3]
        if name in pattern.names:
            meant = f"${{{name}}}"
        elif name.isdecimal() and len(name) <= MAX_DIGITS and int(name) <= pattern.groups:
            meant = f"${int(name)}" if int(name) else "$&"
        elif match[1]:
            raise _no_group(match[0], pattern)
        else:
            continue
        names = [*pattern.names]
        raise InvalidCaptureGroup(reference=match[0], groups=pattern.groups, names=names, meant=meant)


def _no_group(reference: str, pattern: Pattern) -> InvalidCaptureGroup:
    return InvalidCaptureGroup(reference=reference, groups=pattern.groups, names=[*pattern.names])
