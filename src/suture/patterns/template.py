"""What a match is replaced by.

    template  = { "$" digit { digit } | "${" digits "}" | "${" name "}" | "$$" | any other character }

A number is read as far as the pattern has such a group: `$12` with two groups is `$1`, then `2`. Any other `$` is
itself. A group without part in the match is empty.
"""

from __future__ import annotations

from suture.errors import InvalidCaptureGroup
from suture.occurrences import ending
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from suture.patterns.nodes import Pattern
    from suture.text import Text

_MOST_DIGITS = 9
_DECIMALS = frozenset("0123456789")


class Template(Record):
    """A replacement, read: texts, and numbers of groups."""

    parts: tuple[str | int, ...]

    def size(self, spans: Sequence[tuple[int, int]]) -> int:
        """How long, about, what a match becomes will be."""
        return sum(len(part) if isinstance(part, str) else spans[part][1] - spans[part][0] for part in self.parts)

    def filled(self, text: Text, spans: Sequence[tuple[int, int]]) -> bytes:
        r"""What a match becomes, in the form of the text's body.

        A `\n` of the replacement is the line end that belongs there; what groups have captured stays as it stands.
        """
        body, (start, end) = text.body, spans[0]
        literal = any("\r" in part for part in self.parts if isinstance(part, str))
        pieces: list[bytes] = []
        for part in self.parts:
            if isinstance(part, int):
                pieces.append(body[max(spans[part][0], 0) : max(spans[part][1], 0)])
                continue
            new = text.body_bytes(part)
            inside = not pieces and new.startswith(b"\n") and body[max(start - 1, 0) : start + 1] == b"\r\n"
            if not literal and b"\n" in new:
                new = new.replace(b"\n", ending(body, start, end))
            pieces.append(new.removeprefix(b"\r") if inside else new)
        return b"".join(pieces)


def parse(written: str, pattern: Pattern) -> Template:
    """Read a replacement for a pattern; a group that the pattern has not is refused."""
    return read(written, "$", lambda dollar: _reference(written, dollar, pattern))


def read(written: str, mark: str, reference: Callable[[int], tuple[str | int, int]]) -> Template:
    """Read a replacement; `reference` says what stands at a mark, a group's number or characters, and where it ends."""
    parts: list[str | int] = []
    text, at = list[str](), 0
    while (begin := written.find(mark, at)) >= 0:
        text.append(written[at:begin])
        part, at = reference(begin)
        if isinstance(part, str):
            text.append(part)
        else:
            parts += ["".join(text), part]
            text.clear()
    return Template(tuple(part for part in (*parts, "".join(text) + written[at:]) if part != ""))


def _reference(written: str, dollar: int, pattern: Pattern) -> tuple[str | int, int]:
    """What stands at a `$`: a group's number, or characters; and where it ends."""
    if written.startswith("$$", dollar):
        return "$", dollar + 2
    if written.startswith("${", dollar):
        return _braced(written, dollar, pattern)
    end = dollar + 1
    while end < len(written) and written[end] in _DECIMALS and end - dollar <= _MOST_DIGITS:
        end += 1
    digits = written[dollar + 1 : end]
    for size in range(len(digits), 0, -1):
        if 1 <= int(digits[:size]) <= pattern.groups:
            return int(digits[:size]), dollar + 1 + size
    if digits and int(digits):
        raise _missing(f"${digits}", pattern)
    return "$", dollar + 1


def _braced(written: str, dollar: int, pattern: Pattern) -> tuple[str | int, int]:
    close = written.find("}", dollar)
    name = written[dollar + 2 : max(close, dollar)]
    if name in pattern.names:
        return pattern.names[name], close + 1
    if not name or not (name.isidentifier() or set(name) <= _DECIMALS):
        return "$", dollar + 1
    if name.isdigit() and len(name) <= _MOST_DIGITS and 1 <= int(name) <= pattern.groups:
        return int(name), close + 1
    raise _missing(f"${{{name}}}", pattern)


def _missing(reference: str, pattern: Pattern) -> InvalidCaptureGroup:
    return InvalidCaptureGroup(reference=reference, groups=pattern.groups, names=[*pattern.names])
