"""Lines that stand for others: `...`, `# ... existing code ...` and the like."""

from __future__ import annotations

import re

_DOTS = re.compile(r"\s*(?:\.{3,}|\u2026|\[\.{3}\]|<\.{3}>|\(\.{3}\))\s*")
_OPEN = r"(?:#+|//+|--+|/\*+|<!--|\{/\*|;+|%+|\"\"\"|\*)"
_CLOSE = r"(?:\*+/|-->|\*/\}|\"\"\")?"
_LONGEST = 200
_COMMENT = re.compile(rf"{_OPEN}\s*(.*?)\s*{_CLOSE}")
_ELLIPSIS = re.compile(r"\.{3,}|\u2026")
_SAYS = re.compile(
    r"\b(?:existing|rest of|remaining|unchanged|same as (?:before|above|original)|omitted|previous|other|more)\b"
    r"[\w\s,'/-]*",
    re.IGNORECASE,
)
_TERSE = 8
_OMITS = re.compile(
    r"(?:(?:the |all )?(?:rest|remainder|remaining|other|existing|previous)\b.*"
    r"\b(?:code|file|lines|methods|functions|imports|implementation|unchanged|same|is|remains?|stays?)\b.*"
    r"|(?:everything else )?(?:is |remains? |stays? )?unchanged|same as before)",
    re.IGNORECASE,
)


def is_marker(line: str) -> bool:
    """Whether a line says that something was left out."""
    return _DOTS.fullmatch(line) is not None or is_spoken(line)


def is_omission(line: str) -> bool:
    """As `is_spoken`, or a comment of nothing but such words."""
    found = _COMMENT.fullmatch(line.strip()) if len(line) <= _LONGEST else None
    said = "" if found is None else found[1].strip(" ()[].\u2026")
    return is_spoken(line) or (bool(said) and len(said.split()) <= _TERSE and _OMITS.fullmatch(said) is not None)


def is_spoken(line: str) -> bool:
    """Whether a comment says that something was left out: with dots, alone or before or after the words."""
    line = line.strip()
    if len(line) > _LONGEST or ("..." not in line and "\u2026" not in line):
        return False
    found = _COMMENT.fullmatch(line)
    if found is None or not _ELLIPSIS.search(found[1]):
        return False
    said = _ELLIPSIS.sub(" ", found[1]).strip(" ()[]")
    if not said.isascii() and _ELLIPSIS.match(found[1]):
        return True  # in words of any language
    return not said or _SAYS.match(said) is not None or (len(said.split()) <= _TERSE and bool(_SAYS.search(said)))
