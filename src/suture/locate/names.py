"""What a line declares: a text whose function has another name in the file is about another function."""

from __future__ import annotations

import re

from suture.locate.words import lead

TYPE_CHECKING = False
if TYPE_CHECKING:
    from suture.locate.found import Match
    from suture.locate.index import Index
    from suture.locate.request import Request

_DECLARED = re.compile(
    r"\s*(?:(?:abstract|async|const|data|default|export|extern|final|inline|override|partial|private|protected|pub|public"
    r"|sealed|static|unsafe|virtual)\b(?:\([^)]*\))?\s+)*"
    r"(?:class|def|enum|fn|fun|func|function|impl|interface|module|namespace|proc|struct|sub|trait)\s+"
    r"(?:\([^)]*\)\s*)?([\w$.:]+)"
)
_OPENED = re.compile(r"([\w$~]+)\s*\(.*[{:]\s*$")
_CONTROL = {
    "catch",
    "elif",
    "elsif",
    "except",
    "for",
    "foreach",
    "if",
    "match",
    "switch",
    "unless",
    "until",
    "while",
    "with",
}
_FAR = 60


def declared(line: str) -> str | None:
    """The name of the function or class that begins in a line."""
    found = _DECLARED.match(line) or _OPENED.search(line)
    name = None if found is None else found[1].rstrip(":")
    return None if name in _CONTROL else name


def names_another(index: Index, request: Request, match: Match) -> bool:
    """Whether a header of the text, which is not in the file, has another name where the rest of it was found."""
    for number, line in enumerate(request.old):
        place = match.at[number]
        name = None if place is not None and match.same[number] else declared(line)
        if name is None:
            continue
        if place is None:
            place = _header(index, next((each for each in match.at[number:] if each is not None), None))
        if place is not None and declared(index.line(place)) not in {None, name}:
            return True
    return False


def _header(index: Index, place: int | None) -> int | None:
    """The line that a line of the file is below of."""
    if place is None:
        return None
    depth = len(lead(index.line(place)))
    above = range(place - 1, max(place - _FAR, -1), -1)
    return next((n for n in above if index.line(n).strip() and len(lead(index.line(n))) < depth), None)
