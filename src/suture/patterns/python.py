r"""Python's regular expressions, with a time limit.

The standard library's `re` parses a pattern, so that its errors are the errors here. `regex`, which unlike `re` can be
stopped when the time is up, searches. Syntax that both accept but interpret differently is rewritten so that `regex`
gives it the meaning it has in `re`. Lines end at `\n` in the text that is searched, whatever their endings in the file.

    template = { "\" digit [ digit ] | "\g<" number or name ">" | "\" other escape | any other character }
"""

from __future__ import annotations

from bisect import bisect_left

from suture.errors import InvalidCaptureGroup, InvalidRegex
from suture.patterns.dialect import DECIMALS, MAX_DIGITS
from suture.patterns.engines import MAX_PROGRAM, Places
from suture.patterns.template import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from suture.patterns.engines import Clock
    from suture.patterns.template import Template
    from suture.text import Text

    Spans = list[tuple[int, int]]

FLAGS = {"IGNORECASE": 2, "MULTILINE": 8, "DOTALL": 16, "UNICODE": 32, "VERBOSE": 64, "ASCII": 256}
"""Python's flags; `regex` has the same names with other values."""
_IN_SETS = {r"\s": r"\s\x1c-\x1f", r"\w": r"\p{L}\p{N}_"}
"""Python's whitespace and word characters, written for `regex`, inside a set."""
_WORD = r"[\p{L}\p{N}_]"
_OUTSIDE_SETS = {r"\s": r"[\s\x1c-\x1f]", r"\S": r"[^\s\x1c-\x1f]", r"\w": _WORD, r"\W": r"[^\p{L}\p{N}_]"}
_BOUNDARIES = {
    r"\b": rf"(?:(?<={_WORD})(?!{_WORD})|(?<!{_WORD})(?={_WORD}))",
    r"\B": rf"(?:(?<={_WORD})(?={_WORD})|(?<!{_WORD})(?!{_WORD}))",
}
"""The same for word boundaries: slow, and needed only if the two engines disagree about a character of the text."""
_ESCAPES = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}
_OCTAL, _MAX_OCTAL_DIGITS, _HIGHEST_OCTAL = frozenset("01234567"), 3, 0o377


class PythonPattern:
    """A compiled pattern."""

    def __init__(self, source: str, flags: int) -> None:
        self.source = source
        self.groups = 0
        self.names: dict[str, int] = {}
        self._flags = self._read(flags)
        self._compile(boundaries=False)  # raises an error if `regex` can't compile it

    def matches(self, text: Text, clock: Clock) -> Iterator[Spans]:
        """All matches, from left to right, as spans in the text's body: the whole match, then each group."""
        view = _View(text)
        numbers = range(self.groups + 1)
        try:
            engine = self._compile(boundaries=view.has_odd_characters if "\\b" in self.source.lower() else False)
            for match in engine.finditer(view.string, timeout=clock.left(self.source), concurrent=True):
                clock.left(self.source)
                yield [view.span(*match.span(number)) for number in numbers]
        except (TimeoutError, MemoryError):  # out of memory: its backtracking stack reached its limit
            raise clock.timeout(self.source) from None

    def _read(self, flags: int) -> int:
        """Read the groups, refuse what `re` refuses, and return all flags, including those set in the pattern."""
        import re
        import warnings

        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compiled = re.compile(self.source, flags)
                parts = _weight(self.source, flags)
        except re.error as error:
            raise _invalid(self.source, str(error), error.pos or 0) from None
        except (ValueError, OverflowError, RecursionError, MemoryError) as error:
            raise _invalid(self.source, str(error) or "too large") from None
        self.groups, self.names = compiled.groups, dict(compiled.groupindex)
        if parts > MAX_PROGRAM:
            raise _invalid(self.source, "too large with its repetitions written out")
        return compiled.flags

    def _compile(self, *, boundaries: bool) -> Any:
        import re

        import regex

        wanted = regex.VERSION0
        for name, bit in FLAGS.items():
            wanted |= getattr(regex, name) if self._flags & bit else 0
        spelling = _Respeller(
            self.source,
            verbose=bool(self._flags & FLAGS["VERBOSE"]),
            ascii_only=bool(self._flags & FLAGS["ASCII"] or re.search(r"\(\?[a-zA-Z]*a", self.source)),
            boundaries=boundaries,
        )
        try:
            return regex.compile(spelling.rewrite(), wanted)
        except (regex.error, ValueError, OverflowError, RecursionError, MemoryError) as error:
            raise _invalid(self.source, f"not supported: {error}") from None


def parse_template(written: str, pattern: PythonPattern) -> Template:
    """Parse a replacement like `re.sub`; JavaScript's references to groups that the pattern has are refused."""
    _check_dialect(written, pattern)
    return read(written, "\\", lambda slash: _reference(written, slash, pattern))


class _View:
    """A text with line feeds as line endings, and the mapping back to offsets of its body."""

    def __init__(self, text: Text) -> None:
        errors = "surrogateescape" if text.encoding is None else "surrogatepass"
        whole = text.body.decode("utf-8", errors)
        self._places = None if whole.isascii() else Places(whole, errors)
        self._pairs: list[int] = []
        r"""The positions of line feeds in the string that are `\r\n` in the text."""
        if b"\n" not in text.body:
            self.string = whole.replace("\r", "\n")
            return
        at = whole.find("\r\n")
        while at >= 0:
            self._pairs.append(at - len(self._pairs))
            at = whole.find("\r\n", at + 2)
        self.string = whole.replace("\r\n", "\n")

    @property
    def has_odd_characters(self) -> bool:
        """Whether `regex` and Python disagree about which of the characters are word characters."""
        import regex

        unusual = [char for char in set(self.string) if not char.isascii()]
        return any((regex.match(r"\w", char) is not None) != char.isalnum() for char in unusual)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Map a span of the string to the body; (-1, -1) stays the same."""
        return self._offset(start), self._offset(end)

    def _offset(self, place: int) -> int:
        if place < 0:
            return place
        place += bisect_left(self._pairs, place)
        return place if self._places is None else self._places.offset(place)


def _invalid(source: str, reason: str, position: int = 0) -> InvalidRegex:
    return InvalidRegex(pattern=source, reason=reason, position=position, dialect="Python")


def _weight(source: str, flags: int) -> int:
    """The number of parts of a pattern with its required repetitions written out."""
    from re import _parser  # type: ignore[attr-defined]  # `re.compile` does not keep the tree

    total, stack = 0, [(_parser.parse(source, flags).data, 1)]
    while stack and total <= MAX_PROGRAM:
        value, times = stack.pop()
        if isinstance(value, _parser.SubPattern):
            value = value.data
        if isinstance(value, tuple) and len(value) == 2 and str(value[0]).endswith("_REPEAT"):  # noqa: PLR2004  a node
            least, _, inner = value[1]
            stack.append((inner, times * max(least, 1)))
        elif isinstance(value, tuple | list):
            total += times
            stack += [(item, times) for item in value]
    return total


class _Respeller:
    """Rewrites a pattern for `re` so that `regex` interprets it the same way.

    Literal braces and brackets are escaped; whitespace and letters are Python's.
    """

    def __init__(self, source: str, *, verbose: bool, ascii_only: bool, boundaries: bool) -> None:
        self._source = source
        self._verbose = verbose
        self._ascii_only = ascii_only
        self._outside = _OUTSIDE_SETS | _BOUNDARIES if boundaries else _OUTSIDE_SETS

    def rewrite(self) -> str:
        """The rewritten pattern."""
        parts: list[str] = []
        at = 0
        while at < len(self._source):
            part, at = self._part(at)
            parts.append(part)
        return "".join(parts)

    def _part(self, at: int) -> tuple[str, int]:
        """The rewritten part at a position, and where the original part ends."""
        source = self._source
        char = source[at]
        if char == "\\":
            part, end = self._escape(at)
            return (part if self._ascii_only else self._outside.get(part, part)), end
        if char == "[":
            return self._set(at)
        if char == "{" and not _is_quantifier(source, at):
            return "\\{", at + 1
        if self._verbose and char.isspace() and char not in " \t\n\r\v\f":
            return f"\\{char}", at + 1  # `regex` would ignore it
        if char == "#" and self._verbose:
            return "", source.find("\n", at) + 1 or len(source)
        return ("", source.find(")", at) + 1) if source.startswith("(?#", at) else (char, at + 1)

    def _escape(self, at: int) -> tuple[str, int]:
        """An escape as it is written, and its end."""
        if self._source.startswith("\\N", at):
            end = self._source.find("}", at) + 1
            return self._source[at:end], end
        return self._source[at : at + 2], at + 2

    def _set(self, at: int) -> tuple[str, int]:
        """A set of characters, in which no nested set can begin."""
        source = self._source
        end = at + 2 if source.startswith("[^", at) else at + 1
        parts = [source[at:end]]
        if source.startswith("]", end):
            parts.append("\\]")
            end += 1
        while source[end] != "]":
            if source[end] == "\\":
                part, end = self._escape(end)
                parts.append(part)
            else:
                parts.append("\\[" if source[end] == "[" else source[end])
                end += 1
        if parts[0] == "[^" and any({escape, escape.upper()} <= {*parts} for escape in (r"\s", r"\w", r"\d")):
            return "(?!)", end + 1  # matches nothing, but `regex` would match everything
        if not self._ascii_only and not {r"\S", r"\W"}.intersection(parts):  # `regex` gets sets with these wrong
            parts = [_IN_SETS.get(part, part) for part in parts]
        return "".join([*parts, "]"]), end + 1


def _is_quantifier(source: str, at: int) -> bool:
    """Whether a brace begins a quantifier."""
    end = source.find("}", at)
    low, comma, high = source[at + 1 : max(end, at)].partition(",")
    return end > 0 and all(set(digits) <= DECIMALS for digits in (low, high)) and bool(low or comma)


def _check_dialect(written: str, pattern: PythonPattern) -> None:
    """Refuse `$1`, `${1}`, `${name}` and `$<name>` for groups that the pattern has, but not prices such as $1.50."""
    if not pattern.groups or "$" not in written:
        return
    import re

    for match in re.finditer(r"(?<![\\$])\$(?:([1-9][0-9]*)(?![0-9]*[.,][0-9])|\{(\w+)\}|<(\w+)>)", written):
        name = match[1] or match[2] or match[3]
        if name in pattern.names:
            meant = f"\\g<{name}>"
        elif set(name) <= DECIMALS and len(name) <= MAX_DIGITS and 1 <= int(name) <= pattern.groups:
            meant = f"\\{int(name)}" if written[match.end() : match.end() + 1] not in DECIMALS else f"\\g<{int(name)}>"
        else:
            continue
        raise InvalidCaptureGroup(
            reference=match[0], groups=pattern.groups, names=[*pattern.names], meant=meant, dialect="Python"
        )


def _reference(written: str, slash: int, pattern: PythonPattern) -> tuple[str | int, int]:
    """The group's number or the text at a backslash, and where it ends."""
    char = written[slash + 1 : slash + 2]
    if char == "g":
        return _group_by_name(written, slash, pattern)
    if char == "0":
        end = slash + 2
        while end < slash + 1 + _MAX_OCTAL_DIGITS and written[end : end + 1] in _OCTAL:
            end += 1
        return chr(int(written[slash + 1 : end], 8)), end
    if char in DECIMALS:
        return _group_by_number(written, slash, pattern)
    if char in _ESCAPES:
        return _ESCAPES[char], slash + 2
    if not char or (char.isascii() and char.isalpha()):
        reason = f"bad escape \\{char} in the replacement" if char else "bad escape (end of the replacement)"
        raise _invalid(pattern.source, reason, slash)
    return f"\\{char}", slash + 2


def _group_by_number(written: str, slash: int, pattern: PythonPattern) -> tuple[str | int, int]:
    digits = written[slash + 1 : slash + 1 + _MAX_OCTAL_DIGITS]
    if len(digits) == _MAX_OCTAL_DIGITS and set(digits) <= _OCTAL:
        value = int(digits, 8)
        if value > _HIGHEST_OCTAL:
            reason = f"octal escape value \\{digits} outside of range 0-0o377 in the replacement"
            raise _invalid(pattern.source, reason, slash)
        return chr(value), slash + 4
    number = digits[:2] if set(digits[1:2]) <= DECIMALS else digits[:1]
    return _group(int(number), slash, pattern), slash + 1 + len(number)


def _group_by_name(written: str, slash: int, pattern: PythonPattern) -> tuple[int, int]:
    close = written.find(">", slash)
    name = written[slash + 3 : max(close, slash)]
    if not written.startswith("\\g<", slash) or close < 0 or not name:
        reason = "missing group name after \\g in the replacement"
        raise _invalid(pattern.source, reason, slash)
    if set(name) <= DECIMALS and len(name) <= MAX_DIGITS:
        return _group(int(name), slash, pattern), close + 1
    if name not in pattern.names:
        known = f"; its named groups are {', '.join(pattern.names)}" if pattern.names else ""
        reason = f"unknown group name '{name[:100]}' in the replacement{known}"
        raise _invalid(pattern.source, reason, slash)
    return pattern.names[name], close + 1


def _group(number: int, slash: int, pattern: PythonPattern) -> int:
    if number > pattern.groups:
        reason = f"invalid group reference {number} in the replacement"
        raise _invalid(pattern.source, reason, slash)
    return number
