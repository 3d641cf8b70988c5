r"""Wildcards, and many names held against many of them at once.

    *  any number of characters    ?  one character    \  the next character as it stands
    […]  one of these, [!…] and [^…] one of the others; ranges and [:digit:] and its like may stand in it

None of them fits a `/`. What they mean is said in RE2's language, so that no pattern takes more than linear time.
All names of a folder are looked at in one call, as most fit nothing: a call a name costs more than reading the folder.

Rejected: `fnmatch`, which backtracks; RE2's `Set`, which silently finds nothing when its memory runs out; `rignore`,
which walks, but takes six times as long.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator
    from typing import Any

CHAR, ONE, STARS, SET, SLASH = "char", "one", "stars", "set", "slash"
"""The kinds of token."""
ANY = r"[^\x00/]*"
"""What fits any part of a name, in RE2's language."""
FOLDERS = r"(?:[^\x00]*/)?"
"""What fits any number of folders."""
BELOW = r"[^\x00]*"
"""What fits any part of a path."""

_SYSTEM = sys.getfilesystemencoding(), sys.getfilesystemencodeerrors()
_LOSSLESS = "utf-8", "surrogatepass"
_ONE = r"[^\x00/]"
_NOTHING = r"[^\s\S]"
_MEMORY = 64 << 20
_MANY_STARS = 32  # of so many expressions that have a star in the middle, RE2 still makes a table
_LONG = 1 << 16  # characters; RE2 has room for many times as much
_CLASSES = {
    "alnum": "09AZaz",
    "alpha": "AZaz",
    "blank": "\t\t  ",
    "cntrl": "\x01\x1f\x7f\x7f",
    "digit": "09",
    "graph": "!~",
    "lower": "az",
    "print": " ~",
    "punct": "!/:@[`{~",
    "space": "\t\n\r\r  ",
    "upper": "AZ",
    "xdigit": "09AFaf",
}


class Malformed(ValueError):
    """A pattern that means nothing; the message says why."""


def tokens(text: str) -> Iterator[tuple[str, str]]:
    """A pattern's tokens: a kind, and the character, the stars or slash as written, or the set in RE2's language."""
    at = 0
    while at < len(text):
        char, end = text[at], at + 1
        if char == "*":
            while text[end : end + 1] == "*":
                end += 1
            yield STARS, text[at:end]
        elif char == "?":
            yield ONE, char
        elif char == "[":
            source, end = bracket(text, at)
            yield SET, source
        elif char == "\\":
            end += 1
            if end > len(text):
                raise Malformed("it ends with a lone backslash")
            yield (SLASH, "\\/") if text[end - 1] == "/" else (CHAR, text[end - 1])
        else:
            yield (SLASH if char == "/" else CHAR), char
        at = end


def bracket(text: str, at: int) -> tuple[str, int]:
    """The set that begins at an offset, in RE2's language, and where it ends; as git reads it."""
    first = at + 1
    negated = text[first : first + 1] in {"!", "^"}
    first += negated
    at, low, ranges = first, "", []
    while (char := text[at : at + 1]) != "]" or at == first:
        high, end = _escaped(text, at)
        if char == "-" and low and text[at + 1 : at + 2] not in {"", "]"}:
            high, end = _escaped(text, at + 1)
            ranges.append((low, high))
            low = ""
        elif (named := _named(text, at)) is not None:
            pairs = _CLASSES.get(named)
            if pairs is None:
                raise Malformed(f"[:{named}:] is no class of characters")
            ranges += zip(pairs[::2], pairs[1::2], strict=True)
            low, end = "", at + len(named) + 4
        else:
            ranges.append((high, high))
            low = high
        at = end
    return _set(ranges, negated=negated), at + 1


def _escaped(text: str, at: int) -> tuple[str, int]:
    """The character of a set that stands at an offset, and where it ends."""
    start = at + (text[at : at + 1] == "\\")
    if start >= len(text):
        raise Malformed("a [ is never closed")
    return text[start], start + 1


def _named(text: str, at: int) -> str | None:
    """The name in `[:name:]`, if that stands at an offset."""
    if not text.startswith("[:", at):
        return None
    end = text.find("]", at + 2)
    if end < 0:
        raise Malformed("a [ is never closed")
    return text[at + 2 : end - 1] if end > at + 2 and text[end - 1] == ":" else None


def _set(ranges: list[tuple[str, str]], *, negated: bool) -> str:
    if negated:
        return rf"[^\x00/{''.join(_range(low, high) for low, high in ranges)}]"
    halves = [half for low, high in ranges for half in ((low, min(high, ".")), (max(low, "0"), high))]
    return f"[{''.join(_range(low, high) for low, high in halves)}]" if any(map(_full, halves)) else _NOTHING


def _range(low: str, high: str) -> str:
    return f"{_point(low)}-{_point(high)}" if low <= high else ""


def _full(pair: tuple[str, str]) -> bool:
    return pair[0] <= pair[1]


def _point(char: str) -> str:
    return f"\\x{{{ord(char):x}}}"


def source_of(kind: str, value: str) -> str:
    """One token in RE2's language."""
    if kind == CHAR:
        return value if value.isascii() and value.isalnum() else _point(value)
    return {ONE: _ONE, STARS: ANY, SLASH: "/"}.get(kind, value)


class Fits:
    """Which of many names fit one of several expressions.

    `names` are expressions for a name, `paths` for a path from some folder on, all in RE2's language. With `raw`
    they speak of bytes, otherwise of characters; a byte that is no character counts as one.
    """

    def __init__(self, names: Iterable[str] = (), paths: Iterable[str] = (), *, raw: bool = False) -> None:
        self._names, self._paths = list(dict.fromkeys(names)), list(dict.fromkeys(paths))
        self._raw = raw
        self._programs: list[Any] | None = None if self._names or self._paths else []
        self._unanchored: Any = None

    def _prepare(self) -> list[Any]:
        sources = [(source, False) for source in self._names] + [(source, True) for source in self._paths]
        chunks: list[list[tuple[str, bool]]] = []
        hard = size = 0
        for source, whole in sources:
            hard += source.removeprefix(FOLDERS).rfind("*") >= len(ANY)
            size += len(source)
            if not chunks or hard > _MANY_STARS or size > _LONG:
                chunks.append([])
                hard = size = 0
            chunks[-1].append((source, whole))
        return [self._compile(chunk) for chunk in chunks]

    def _compile(self, sources: list[tuple[str, bool]]) -> Any:
        """What looks for these expressions."""
        from re2 import _re2  # only walks need it

        self._unanchored = _re2.RE2.Anchor.UNANCHORED
        options = _re2.RE2.Options()
        encoding = _re2.RE2.Options.Encoding
        options.encoding = encoding.LATIN1 if self._raw else encoding.UTF8
        options.log_errors = False
        options.never_capture = True
        options.max_mem = _MEMORY
        names, paths = ("|".join(source for source, whole in sources if whole is each) for each in (False, True))
        parts = [f"{FOLDERS}(?:{names})" if self._paths else names] * bool(names) + [paths] * bool(paths)
        program = _re2.RE2(rf"\x00(?:{'|'.join(parts)})\x00".encode(), options)
        if not program.ok():  # it would silently find nothing
            raise ValueError(program.error())
        return program.Match

    def among(self, names: Collection[str], prefix: str = "", joined: str | None = None) -> set[str]:
        """Those of a folder's names that fit; `prefix` is the folder's path, with a slash at its end.

        Who asks several about the same names may have joined them already.
        """
        if self._programs is None:
            self._programs = self._prepare()
        if not names or not self._programs:
            return set()
        lead = "\0" + prefix if self._paths else "\0"
        encoding = _SYSTEM if self._raw else _LOSSLESS
        data = (join(names, lead) if joined is None or self._paths else joined).encode(*encoding)
        found: list[bytes] = []
        for match in self._programs:
            start, end = match(self._unanchored, data, 0, len(data))[0]
            while end > 0:
                found.append(data[start:end])
                start, end = match(self._unanchored, data, end - 1, len(data))[0]
        return {hit.decode(*encoding)[len(lead) : -1] for hit in found} if found else set()


def join(names: Iterable[str], lead: str = "\0") -> str:
    """Names as `Fits` looks at them, each after a NUL and the folder's path."""
    return lead + lead.join(names) + "\0"
