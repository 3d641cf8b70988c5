"""What a line declares: a text whose function has another name in the file is about another function."""

from __future__ import annotations

import re

from suture.locate.words import lead, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from suture.locate.index import Index

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
_COMMENTS = ("# ", "//", "/*", "* ", "--", "<!--")
_BRACES = {"{", "("}
_FAR = 60
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
    found = _CALLED.match(line)
    return declared(line) or (None if found is None or found[1] in _CONTROL else found[1])


def headers(lines: Sequence[str], number: int, depth: int) -> Iterator[int]:
    """The lines that say what a line of this depth belongs to: declarations above it, the innermost first."""
    beside = False
    for above in range(number - 1, -1, -1):
        line = lines[above]
        if not line.strip():
            continue
        if line.strip() in _BRACES:
            beside = beside or len(lead(line)) < depth
        elif beside or len(lead(line)) < depth or line.lstrip().startswith("@"):
            beside, depth = False, len(lead(line))
            if (words(line) or [""])[0] not in _CONTROL and not line.lstrip().startswith(_COMMENTS):
                yield above


def is_another(index: Index, lines: Sequence[str], at: Sequence[int | None], number: int) -> bool:
    """Whether another header stands in the file where a header of the text should."""
    line, place = lines[number], at[number]
    if place is None:
        place = _header(index, next((each for each in at[number:] if each is not None), None), line)
        if place is None or place in at:
            return False
    here = index.line(place)
    return not index.knows(line.strip(), here.strip()) and not _is_same(line, here)


def _is_same(sent: str, here: str) -> bool:
    """Whether two headers are one with other arguments: all words of the one stand in the other, up to the name."""
    found = _declaration(sent), _declaration(here)
    if found[0] is not None and found[1] is not None:
        if declared(sent) != declared(here):
            return False
        sent, here = (
            line if "(" not in line[each.end(1) :] else line[: each.end(1)]
            for line, each in ((sent, found[0]), (here, found[1]))
        )
    one, other = ({word for word in words(line) if word[0].isalnum() or word[0] == "_"} for line in (sent, here))
    letters = [sorted("".join(each)) for each in (one - other, other - one)]  # swapped letters are a slip
    return one <= other or other <= one or letters[0] == letters[1]


def _header(index: Index, place: int | None, sent: str) -> int | None:
    """The line that a line of the file is below of; for one that stands beside it, the line above."""
    if place is None:
        return None
    depth = len(lead(index.line(place)))
    beside = index.line(place).strip() in _BRACES or sent.lstrip().startswith("@")
    above = (n for n in range(place - 1, max(place - _FAR, -1), -1) if index.line(n).strip())
    return next((n for n in above if beside or len(lead(index.line(n))) < depth), None)
