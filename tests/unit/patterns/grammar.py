r"""Random patterns, each written twice: for our dialect, and for ECMAScript where the two differ on purpose.

The second spelling has what the first means: `.` is `[^\n\r]` in both, `^` and `$` with the flag m stand at `\n` and
`\r\n` only. So the results must be equal in any text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import regex

from suture.patterns.dialect import Back, Group, Look, Node, Pattern, Repeat
from suture.patterns.engines import Clock, Compiled, Subject, _Re2, _re2, _Regex
from suture.patterns.translate import for_re2, for_regex, may_be_empty, nodes
from suture.text import Text

Pick = Callable[[Sequence[Any]], Any]
"""A function that chooses an item: `random.choice`, or a draw of Hypothesis."""
Found = list[list[tuple[int, int] | None]]
"""Matches, each as the spans of the whole match and of its groups, in characters."""

LETTERS = "abAskKiI_1 -/"
WIDE = "éßẞſ\u212aİıσςΣ\u2028\xa0🎉\U00010400\U00010428µμ"
TEXT = (
    *"aabbskKiI_1 -/AAéß",
    *"ẞſ\u212aİıσςΣ\u2028\xa0🎉\U00010400\U00010428µμ",
    "\n",
    "\n",
    "\r\n",
    "\r\n",
    "\r",
    "\t",
)
SETS = (r"\d", r"\D", r"\w", r"\W", r"\s", r"\S")
PROPERTIES = (
    "Lu",
    "Ll",
    "L",
    "N",
    "Script=Greek",
    "Alphabetic",
    "ASCII",
    "White_Space",
    "Uppercase_Letter",
    "P",
    "Any",
)
SYNTAX = frozenset("^$\\.*+?()[]{}|/-")
QUANTIFIERS = ("*", "+", "?", "{2}", "{0,2}", "{1,}", "{1,3}", "{0}", "*?", "+?", "??", "{1,2}?", "{2,}?")
HOLE = "\ue000"


class Writer:
    """Writes a random pattern; `theirs` is the same pattern in ECMAScript."""

    def __init__(self, pick: Pick, *, lines: bool, dot_all: bool, plain: bool = False) -> None:
        self._pick = pick
        self._lines = lines
        self._dot_all = dot_all
        self._plain = plain
        self._groups = 0

    def pattern(self, depth: int) -> tuple[str, str]:
        """Both spellings of a whole pattern."""
        pair = self._choice(depth)
        numbers = [self._pick(range(1, self._groups + 1)) if self._groups else 0 for _ in range(pair[0].count(HOLE))]
        ours, theirs = (_fill(text, numbers) for text in pair)
        return ours, theirs

    def _choice(self, depth: int) -> tuple[str, str]:
        options = [self._sequence(depth) for _ in range(self._pick((1, 1, 1, 2, 3)))]
        return "|".join(ours for ours, _ in options), "|".join(theirs for _, theirs in options)

    def _sequence(self, depth: int) -> tuple[str, str]:
        parts = [self._piece(depth) for _ in range(self._pick((0, 1, 1, 2, 2, 3, 4)))]
        return "".join(ours for ours, _ in parts), "".join(theirs for _, theirs in parts)

    def _piece(self, depth: int) -> tuple[str, str]:
        kinds = ["char", "char", "char", "class", "dot", "set", "edge"]
        if depth > 0:
            kinds += ["group", "named", "plain_group", "group"]
            kinds += [] if self._plain else ["look", "back", "back"]
        kind = self._pick(kinds)
        ours, theirs = getattr(self, f"_{kind}")(depth)
        if kind in {"edge", "look"} or self._pick((True, True, False)):
            return ours, theirs
        sign = self._pick(QUANTIFIERS)
        return ours + sign, theirs + sign

    def _char(self, depth: int) -> tuple[str, str]:
        del depth
        return (_spell(self._pick(LETTERS * 2 + WIDE), self._pick),) * 2

    def _dot(self, depth: int) -> tuple[str, str]:
        del depth
        return ".", "[^]" if self._dot_all else r"[^\n\r]"

    def _set(self, depth: int) -> tuple[str, str]:
        del depth
        return (self._any_set(),) * 2

    def _any_set(self) -> str:
        if self._pick((True, True, False)):
            return str(self._pick(SETS))
        return f"\\{self._pick('pP')}{{{self._pick(PROPERTIES)}}}"

    def _class(self, depth: int) -> tuple[str, str]:
        del depth
        members = []
        for _ in range(self._pick((0, 1, 2, 3))):
            first, last = sorted((self._pick(LETTERS + WIDE), self._pick(LETTERS + WIDE)))
            single, a_range = _spell(first, self._pick), f"{_spell(first, self._pick)}-{_spell(last, self._pick)}"
            members.append(self._pick((single, single, a_range, self._any_set(), r"\b", r"\n")))
        return (f"[{self._pick(('', '', '^'))}{''.join(members)}]",) * 2

    def _edge(self, depth: int) -> tuple[str, str]:
        del depth
        edge: str = self._pick(("^", "$", r"\b", r"\B"))
        at_lines = {"^": r"(?<![^\n])", "$": r"(?:(?=\r\n)|(?<!\r)(?=\n)|(?![^]))"}
        return edge, at_lines.get(edge, edge) if self._lines else edge

    def _group(self, depth: int) -> tuple[str, str]:
        self._groups += 1
        return _close("(", self._choice(depth - 1))

    def _named(self, depth: int) -> tuple[str, str]:
        self._groups += 1
        return _close(f"(?<n{self._groups}>", self._choice(depth - 1))

    def _plain_group(self, depth: int) -> tuple[str, str]:
        return _close("(?:", self._choice(depth - 1))

    def _look(self, depth: int) -> tuple[str, str]:
        return _close(self._pick(("(?=", "(?!", "(?<=", "(?<!")), self._choice(depth - 1))

    def _back(self, depth: int) -> tuple[str, str]:
        del depth
        return HOLE, HOLE


def _close(opening: str, body: tuple[str, str]) -> tuple[str, str]:
    return f"{opening}{body[0]})", f"{opening}{body[1]})"


def _fill(text: str, numbers: list[int]) -> str:
    first, *parts = text.split(HOLE)
    return first + "".join((f"(?:\\{n})" if n else "(?:)") + part for n, part in zip(numbers, parts, strict=True))


def _spell(char: str, pick: Pick) -> str:
    if char in SYNTAX:
        return f"\\u{{{ord(char):x}}}" if char == "-" else "\\" + char
    return str(pick((char, char, char, f"\\u{{{ord(char):x}}}")))


def draw_pattern(pick: Pick, *, plain: bool = False) -> tuple[str, str, str, str]:
    """A pattern in both spellings, its flags, and a text."""
    flags = "".join(flag for flag in "ims" if pick((True, False)))
    writer = Writer(pick, lines="m" in flags, dot_all="s" in flags, plain=plain)
    ours, theirs = writer.pattern(pick((0, 1, 2, 3)))
    text = "".join(pick(TEXT) for _ in range(pick((0, 3, 6, 10, 16))))
    return ours, theirs, flags, text


def random_pattern(seed: int, *, plain: bool = False) -> tuple[str, str, str, str]:
    """The same as `draw_pattern`, reproducible by its seed."""
    return draw_pattern(Random(seed).choice, plain=plain)


def by_both(pattern: Pattern) -> tuple[Compiled | None, Compiled]:
    """The pattern compiled by RE2, if possible, and by `regex`."""
    emitted, other = for_re2(pattern), for_regex(pattern)
    engine = None if emitted is None else _re2(emitted)
    linear = None if emitted is None or engine is None else _Re2(pattern, emitted, engine)
    return linear, _Regex(pattern, other, regex.compile(other.source))


def subject_of(text: str) -> Subject:
    return Subject(Text(b"", bom=b"", encoding="utf-8", body=text.encode("utf-8", "surrogatepass")))


def matches_of(compiled: Compiled, text: str) -> Found:
    """The matches of a pattern, in characters."""
    subject = subject_of(text)
    starts = {len(text[:place].encode("utf-8", "surrogatepass")): place for place in range(len(text) + 1)}
    return [
        [None if start < 0 else (starts[start], starts[end]) for start, end in spans]
        for spans in compiled.matches(subject, Clock(5_000, 5_000))
    ]


def repeats_what_may_be_empty(root: Node) -> bool:
    """Whether a part that may be empty is repeated: only ECMAScript forbids empty rounds.

    A part that is empty only where nothing else fits, as `(a*)?`, makes no difference.
    """
    return any(
        isinstance(node, Repeat) and may_be_empty(node.body) and not (node.most == 1 and _empty_at_last(node))
        for node in nodes(root)
    )


def _empty_at_last(node: Repeat) -> bool:
    body = node.body.body if isinstance(node.body, Group) else node.body
    return not node.lazy and isinstance(body, Repeat) and not body.lazy and not may_be_empty(body.body)


def refers_into_a_round(root: Node) -> bool:
    """Whether a reference is to a repeated group: it may see an earlier round's text, or `regex` may miss a match."""
    referred = {node.number for node in nodes(root) if isinstance(node, Back)}
    return any(
        isinstance(node, Repeat) and node.most != 1 and isinstance(inner, Group) and inner.number in referred
        for node in nodes(root)
        for inner in (nodes(node.body) if isinstance(node, Repeat) else ())
    )


def looks_the_other_way_in_a_round(root: Node) -> bool:
    """Whether a repeated part captures in a look-around: the capture of an earlier round may stay there."""
    return any(
        isinstance(look, Look) and any(isinstance(inner, Group) and inner.number for inner in nodes(look))
        for node in nodes(root)
        if isinstance(node, Repeat) and node.most != 1
        for look in nodes(node.body)
    )
