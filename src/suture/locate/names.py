"""The names of classes and functions: what a line declares, and what it is in."""

from __future__ import annotations

import re

from suture.locate.words import lead, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_DECLARED = re.compile(
    r"\s*(?:(?:abstract|async|const|data|default|export|extern|final|inline|override|partial|private|protected|pub|public"
    r"|sealed|static|unsafe|virtual)\b(?:\([^)]*\))?\s+)*"
    r"(?:class|def|enum|fn|fun|func|function|impl|interface|module|namespace|proc|struct|sub|trait)\s+"
    r"(?:\([^)]*\)\s*)?([\w$.:]+)"
)
_ASSIGNED = re.compile(
    r"\s*(?:export\s+)?(?:(?:const|let|var)\s+)?([\w$.]+)(?:\s*:[^=]*)?\s*[:=]\s*(?:async\s+)?(?:function\b|\(?[\w$,\s{}]*\)?\s*=>)"
)
_METHOD = re.compile(r"\s*(?:[\w<>\[\],*&~:]+\s+)*[*&]*([\w$~]+)\s*\([^()]*\)[^()=]*\{\s*$")
_CALLED = re.compile(r"\s*(?:[\w<>\[\],*&~:]+\s+)*[*&]*([\w$~.:]+)\s*\(")
_CONTROL = {
    *("await", "case", "catch", "do", "elif", "else", "elsif", "except", "finally", "for", "foreach", "if", "loop"),
    *("match", "return", "switch", "try", "unless", "until", "when", "while", "with", "yield", "}"),
}
_BRACES = {"{", "("}
_FARTHEST = 20_000  # lines that are looked at for what encloses a line
_LONGEST = 300


def declared(line: str) -> str | None:
    """The name of the function or class that begins in a line."""
    found = _declaration(line)
    return None if found is None else found[1].rstrip(":")


def _declaration(line: str) -> re.Match[str] | None:
    if len(line) > _LONGEST or (words(line) or [""])[0] in _CONTROL:
        return None
    return _DECLARED.match(line) or _ASSIGNED.match(line) or _METHOD.match(line)


def scope(line_at: Callable[[int], str], number: int, count: int) -> tuple[str, ...]:
    """The names of the classes and functions that a line is in, the outermost first.

    Told by indentation: what encloses a line is less deep. A header may take several lines; then the line that ends
    it, `) -> None:` or `{`, is as deep as the one that begins it.
    """
    while number < count and not line_at(number).strip():
        number += 1
    depth = len(lead(line_at(number))) if number < count else 0
    names: list[str] = []
    closing = False  # whether the header of what encloses the line begins further up, at its depth
    for above in range(number - 1, max(number - _FARTHEST, -1), -1):
        if not depth and not closing:
            break
        line = line_at(above)
        text = line.strip()
        if not text or len(lead(line)) > depth or (len(lead(line)) == depth and not closing):
            continue
        depth = len(lead(line))
        begins = text[0] not in ")]}" and text not in _BRACES
        if begins and (name := opening(line) if closing else declared(line)) is not None:
            names.insert(0, name)
        closing = not begins and (text in _BRACES or (text[0] == ")" and text[-1] in ":{"))
    return tuple(names)


def symbol(line_at: Callable[[int], str], number: int, count: int) -> str:
    """The class or function that a line is in, or begins, by its full name; empty if there is none."""
    own = declared(line_at(number)) if number < count else None
    return ".".join((*scope(line_at, number, count), *([own] if own else [])))


def opening(line: str) -> str | None:
    """The name in the first line of a header that goes on in others, or has its brace below it."""
    found = None if (words(line) or [""])[0] in _CONTROL else _CALLED.match(line)
    return declared(line) or (None if found is None else found[1])
