r"""Translate a parsed pattern for RE2 or `regex`, and determine what all its matches have in common.

`for_re2` and `for_regex` write the same pattern for two engines. Classes and edges are spelled out, because the
engines' own `\w`, `\s` and `$` differ. Helper groups are added (see `Slot`):

- A tail: RE2 can't look ahead. So a `$` with the flag `m` at the end of the pattern consumes the line ending into a
  group, and the match ends where that group begins. A pattern that may consume the `\r` of a `\r\n`, where no line
  ends, is not for RE2.
- A round: the last round of a repeated part that captures. ECMAScript resets groups in each round, the engines don't:
  captures that begin before the last round are dropped afterwards. ECMAScript also rejects an empty round, unless it
  is required: `(a*)?` captures nothing if there is no `a`.

The analysis errs on the safe side: in doubt, `may_be_empty` and `may_hold` return True, and `required` nothing.
"""

from __future__ import annotations

from itertools import chain

from suture.patterns.dialect import (
    WORDS,
    Back,
    Char,
    Choice,
    Class,
    Edge,
    Group,
    Look,
    Repeat,
    Sequence,
    invert,
    join_ranges,
    members,
)
from suture.records import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from suture.patterns.dialect import Node, Pattern

_MAX_LITERAL_BYTES = 200  # bytes of a text that every match contains, by choice: a longer text is not rarer
_MAX_ALTERNATIVES = 50  # texts one of which every match contains, by choice: with more, nearly every file has one
_MAX_ROUNDS_RE2 = 1_000  # RE2's own limit for the number in `{n}`
_MAX_PARTS_RE2 = 100_000  # parts of a pattern for RE2, by choice: for more it has too little memory
_MAX_REPEATED_RE2 = 5_000  # parts added by repetitions: RE2 compiles in quadratic time, `a{0,1000}` fifty times in 17 s
_PROPERTY_WEIGHT = 500  # the approximate number of ranges in a property
_LINE_FEED, _CARRIAGE_RETURN = 0x0A, 0x0D
_TURKIC_LETTERS = (0x49, 0x69, 0x130, 0x131)
_CASE_PAIRS = ({0x49, 0x69}, {0xDF, 0x1E9E})
_ODD_LETTERS = (*_TURKIC_LETTERS, 0xDF, 0x1E9E)


class Slot(Record):
    """The purpose of a group in the emitted pattern."""

    group: int = 0
    """Its number in the original pattern; 0 for a helper group."""
    tail: bool = False
    """Whether it is a line ending that is not part of the match."""
    inner: tuple[int, ...] = ()
    """The groups whose captures are dropped if they are before this one."""
    backward: bool = False
    """Whether "before" means after it in the text: lookbehind goes from right to left."""
    optional: bool = False
    """Whether they are also dropped if this one is empty."""


class Emitted(Record):
    """A pattern for an engine, and its groups in order."""

    source: str
    slots: tuple[Slot, ...]


def nodes(root: Node) -> Iterator[Node]:
    """A node and all its descendants, from left to right."""
    yield root
    for part in children(root):
        yield from nodes(part)


def children(node: Node) -> tuple[Node, ...]:
    """The parts of a node."""
    match node:
        case Sequence(parts=parts) | Choice(options=parts):
            return parts
        case Group() | Look() | Repeat():
            return (node.body,)
    return ()


def may_be_empty(node: Node) -> bool:
    """Whether the pattern may match without consuming anything."""
    match node:
        case Char() | Class():
            return False
        case Sequence(parts=parts):
            return all(map(may_be_empty, parts))
        case Choice(options=options):
            return any(map(may_be_empty, options))
        case Group(body=body):
            return may_be_empty(body)
        case Repeat(body=body, least=least):
            return least == 0 or may_be_empty(body)
    return True


def may_hold(node: Node, point: int) -> bool:
    """Whether a match may consume this character."""
    match node:
        case Char(point=own):
            return own == point
        case Class(ranges=ranges, properties=properties, negated=negated):
            within = any(low <= point <= high for low, high in ranges)
            return bool(properties) or within != negated
        case Look() | Edge():
            return False
        case Back():
            return False  # its group is checked by itself
    return any(may_hold(part, point) for part in children(node))


def weight(node: Node, *, least: bool = False, most: bool = False) -> int:
    """The size of a pattern; with `least` or `most`, with its required or allowed repetitions written out."""
    match node:
        case Class(ranges=ranges, properties=properties, fold=fold):
            return 1 + len(ranges) + len(properties) * (1 if least and not fold else _PROPERTY_WEIGHT)
        case Repeat(least=low, most=high):
            times = high if most and high is not None else low if least or most else 1
            return max(times, 1) * weight(node.body, least=least, most=most)
    return 1 + sum(weight(part, least=least, most=most) for part in children(node))


def stays_in_line(node: Node) -> bool:
    r"""Whether a match neither contains a line ending nor looks beyond one, as `$` does at a `\r\n`."""
    looks = [part.body for part in nodes(node) if isinstance(part, Look)]
    ends = any(isinstance(part, Edge) and part.kind in {"end", "line_end"} for part in nodes(node))
    return not ends and not any(may_hold(part, _LINE_FEED) for part in (node, *looks))


def is_literal(node: Node) -> bool:
    """Whether the pattern is just a text."""
    parts = node.parts if isinstance(node, Sequence) else (node,)
    return all(_literal(part) is not None for part in parts)


def required(node: Node) -> tuple[bytes, ...]:
    """Texts, as UTF-8, one of which occurs in every match or its look-around; none if there are no such texts."""
    return max(_required_sets(node), key=_rarity, default=())


def for_re2(pattern: Pattern, *, by_line: bool = False) -> Emitted | None:
    """The pattern for RE2, or None if RE2 can't search for it.

    With `by_line` it finds lines of a whole text that may match by themselves: `^` and `$` are the ends of a line.
    """
    size = weight(pattern.root)
    if size > _MAX_PARTS_RE2 or weight(pattern.root, most=True) > size + _MAX_REPEATED_RE2:
        return None
    if not _suits_re2(pattern.root, by_line=by_line):
        return None
    emitter = _Re2(by_line=by_line)
    return Emitted(emitter.with_tail(pattern.root), tuple(emitter.slots))


def for_regex(pattern: Pattern) -> Emitted:
    """The pattern for the engine with look-around and back-references."""
    emitter = _Regex()
    return Emitted(emitter.node(pattern.root), tuple(emitter.slots))


def _rarity(texts: tuple[bytes, ...]) -> tuple[int, int]:
    """A sort key for how rare one of several texts is, by the shortest."""
    return min(map(len, texts)), -len(texts)


def _required_sets(node: Node) -> list[tuple[bytes, ...]]:
    """Sets of texts; every match of the node contains at least one text of each set."""
    run, needs = bytearray(), list[tuple[bytes, ...]]()
    for part in _flat(node):
        text = _literal(part)
        if text is not None and len(run) < _MAX_LITERAL_BYTES:
            run += text
            continue
        if isinstance(part, Look) and not part.negative:
            needs += _required_sets(part.body)
        if isinstance(part, Edge | Look):
            continue
        needs.append((bytes(run),))
        run.clear()
        match part:
            case Char():
                run += text or b""
            case Repeat(body=body, least=least) if least > 0:
                needs += _required_sets(body)
            case Choice(options=options) | Group(body=Choice(options=options)):
                needs.append(_required_by_options(options))
    needs.append((bytes(run),))
    return [need for need in needs if need and b"" not in need]


def _required_by_options(options: tuple[Node, ...]) -> tuple[bytes, ...]:
    """The texts one of which every match contains, whichever option it takes."""
    needs = [required(option) for option in options]
    texts = dict.fromkeys(text for need in needs for text in need)
    return tuple(texts) if all(needs) and len(texts) <= _MAX_ALTERNATIVES else ()


def _flat(node: Node) -> Iterator[Node]:
    """The nodes of a sequence, with groups that don't matter here flattened."""
    match node:
        case Sequence(parts=parts):
            for part in parts:
                yield from _flat(part)
        case Group(body=body) if not isinstance(body, Choice):
            yield from _flat(body)
        case _:
            yield node


def _literal(node: Node) -> bytes | None:
    if isinstance(node, Char) and not node.fold and not 0xD800 <= node.point <= 0xDFFF:  # noqa: PLR2004  surrogates
        return chr(node.point).encode()
    return None


def _suits_re2(root: Node, *, by_line: bool) -> bool:
    tails, takes_cr = _tails(root), may_hold(root, _CARRIAGE_RETURN)
    for node in nodes(root):
        match node:
            case Look() | Back():
                return False
            case Repeat(least=least, most=most) if max(least, most or 0) > _MAX_ROUNDS_RE2:
                return False
            case Edge(kind="line_end") if takes_cr or not any(node is tail for tail in tails):
                return False
            case Edge(kind="end") if by_line and not any(node is tail for tail in tails):
                return False
            case Class(properties=properties) if not all(_is_category(name) for name, _ in properties):
                return False
    return True


def _is_category(name: str) -> bool:
    """Whether RE2 knows a property: it knows most general categories, and no others."""
    return len(name) <= 2 and name not in {"LC", "Cn", "C", "Assigned"}  # noqa: PLR2004  Lu, L


def _tails(node: Node) -> list[Node]:
    """The `$` nodes at the end of the pattern, or of one of its options."""
    match node:
        case Choice(options=options):
            return [tail for option in options for tail in _tails(option)]
        case Sequence(parts=parts) if parts:
            return _tails(parts[-1])
        case Edge(kind="line_end" | "end"):
            return [node]
    return []


class _Emitter:
    """The part that both engines have in common."""

    backward = False
    """Whether the engine currently goes from right to left."""

    def __init__(self) -> None:
        self.slots: list[Slot] = []

    def node(self, node: Node) -> str:  # noqa: PLR0911  one for each kind
        match node:
            case Sequence(parts=parts):
                return "".join(
                    f"(?:{self.node(part)})" if isinstance(part, Choice) else self.node(part) for part in parts
                )
            case Choice(options=options):
                return "|".join(map(self.node, options))
            case Group(body=body, number=None):
                return f"(?:{self.node(body)})"
            case Group(body=body, number=number):
                return self._capture(body, Slot(number or 0))
            case Repeat():
                return self._repeat(node)
            case Char():
                return self.char(node)
            case Class():
                return self.char_class(node)
            case Edge(kind=kind):
                return self.edge(kind)
        return self.other(node)

    def _capture(self, body: Node, slot: Slot) -> str:
        self.slots.append(slot)
        return f"({self.node(body)})"

    def _repeat(self, node: Repeat) -> str:
        inner = tuple(_groups(node.body, backward=self.backward))
        optional = node.least == 0 and may_be_empty(node.body)
        if inner and (node.most != 1 or optional):
            body = self._capture(node.body, Slot(0, inner=inner, backward=self.backward, optional=optional))
        else:
            body = self.node(node.body)
            if not isinstance(node.body, Char | Class | Group):
                body = f"(?:{body})"
        match node.least, node.most:
            case 0, None:
                sign = "*"
            case 1, None:
                sign = "+"
            case 0, 1:
                sign = "?"
            case _:
                most = "" if node.most is None else node.most
                sign = f"{{{node.least}}}" if node.least == node.most else f"{{{node.least},{most}}}"
        return f"{body}{sign}{'?' * node.lazy}"

    def char(self, node: Char) -> str:
        raise NotImplementedError

    def char_class(self, node: Class) -> str:
        raise NotImplementedError

    def edge(self, kind: str) -> str:
        raise NotImplementedError

    def other(self, node: Node) -> str:
        raise NotImplementedError


class _Re2(_Emitter):
    """Writes patterns for RE2."""

    def __init__(self, *, by_line: bool) -> None:
        super().__init__()
        self._by_line = by_line

    def with_tail(self, node: Node) -> str:
        """Write a node at the end of the pattern, where a line ending may be consumed."""
        match node:
            case Choice(options=options):
                return "|".join(map(self.with_tail, options))
            case Sequence(parts=parts) if parts:
                head, last = self.node(Sequence(parts[:-1])), self.with_tail(parts[-1])
                return f"{head}(?:{last})" if isinstance(parts[-1], Choice) else head + last
            case Edge(kind=kind) if kind == "line_end" or (kind == "end" and self._by_line):
                self.slots.append(Slot(tail=True))
                return r"(\r?\n|\z)"
        return self.node(node)

    def char(self, node: Char) -> str:
        text = _escape(node.point, r"\x{%x}")
        return f"(?i:{text})" if node.fold else text

    def char_class(self, node: Class) -> str:
        if node.fold and any(inverse for _, inverse in node.properties):
            node = _spell_out(node)
        if not node.ranges and not node.properties:
            return r"(?s:.)" if node.negated else r"[^\x00-\x{10FFFF}]"
        text = _bracket(node, r"\x{%x}")
        return f"(?i:{text})" if node.fold else text

    def edge(self, kind: str) -> str:
        start = r"(?m:^)" if self._by_line else r"\A"
        return {"start": start, "end": r"\z", "line_start": r"(?m:^)", "word": r"\b", "no_word": r"\B"}[kind]


class _Regex(_Emitter):
    """Writes patterns for `regex`."""

    def __init__(self) -> None:
        super().__init__()
        self._known: set[int] = set()

    def _capture(self, body: Node, slot: Slot) -> str:
        if not slot.group:
            return super()._capture(body, slot)
        self._known.discard(slot.group)  # an open group has captured nothing yet
        text = super()._capture(body, slot)
        self._known.add(slot.group)
        return f"(?P<{_name(slot.group)}>{text[1:]}"

    def char(self, node: Char) -> str:
        if node.fold and node.point in _TURKIC_LETTERS:
            return {0x130: "\u0130", 0x131: "\u0131"}.get(node.point, "[Ii]")
        text = _escape(node.point, r"\U%08x")
        return f"(?i:{text})" if node.fold else text

    def char_class(self, node: Class) -> str:
        if node.fold and node.properties:
            node = _spell_out(node)
        if not node.ranges and not node.properties:
            return r"(?s:.)" if node.negated else r"(?!)"
        text = _bracket(node, r"\U%08x")
        return self._fold(node, text) if node.fold else text

    def _fold(self, node: Class, text: str) -> str:
        """Write letters that the engine folds wrongly one by one.

        It takes the Turkish dotted and dotless i for an i, and finds a sharp s in ranges beyond U+FFFF.
        """
        import regex

        plain = regex.compile(f"[{text[1 + node.negated :]}")
        odd_members = {point for point in _ODD_LETTERS if plain.match(chr(point))}
        for pair in _CASE_PAIRS:
            odd_members |= pair if odd_members & pair else set()
        letters = set(_ODD_LETTERS) - odd_members if node.negated else odd_members
        spelled = "".join(map(chr, sorted(letters)))
        others = f"(?![{''.join(map(chr, _ODD_LETTERS))}])(?i:{text})"
        return f"(?:{others}|[{spelled}])" if spelled else f"(?:{others})"

    def edge(self, kind: str) -> str:
        word = f"[{''.join(_range(low, high, '') for low, high in WORDS)}]"
        return {
            "start": r"\A",
            "end": r"\Z",
            "line_start": r"(?<![^\n])",
            "line_end": r"(?:(?=\r\n)|(?<!\r)(?=\n)|\Z)",
            "word": f"(?:(?<={word})(?!{word})|(?<!{word})(?={word}))",
            "no_word": f"(?:(?<={word})(?={word})|(?<!{word})(?!{word}))",
        }[kind]

    def other(self, node: Node) -> str:
        match node:
            case Look():
                return self._look(node)
            case Back(number=number, fold=fold) if number in self._known:
                return f"(?({_name(number)})(?{'i' * fold}:(?P={_name(number)}))|)"
        return "(?:)"  # an open group has captured nothing yet

    def _look(self, node: Look) -> str:
        """Write a look-around. Lookbehind reaches a group on the right before a reference on the left."""
        own, known, backward = set(_groups(node.body)), self._known, self.backward
        self._known = known - own if node.ahead else known | own
        self.backward = not node.ahead
        text = f"(?{'' if node.ahead else '<'}{'!' if node.negative else '='}{self.node(node.body)})"
        self._known, self.backward = known | own, backward
        return text


def _name(group: int) -> str:
    return f"g{group}"


def _groups(node: Node, *, backward: bool | None = None) -> Iterator[int]:
    """The numbers of the groups in a node; with `backward`, without groups in a look of the other direction."""
    if isinstance(node, Group) and node.number:
        yield node.number
    if backward is None or not isinstance(node, Look) or node.ahead != backward:
        for part in children(node):
            yield from _groups(part, backward=backward)


def _spell_out(node: Class) -> Class:
    r"""Replace the properties of a class by ranges: the engines disagree about `\P{Lu}` with the flag i."""
    ranges = [invert(members(name)) if inverse else members(name) for name, inverse in node.properties]
    return node.evolve(ranges=join_ranges((*node.ranges, *chain.from_iterable(ranges))), properties=())


def _bracket(node: Class, escape: str) -> str:
    """A class in brackets, without case folding; `escape` is the engine's format for a character by its number."""
    ranges = "".join(_range(low, high, escape) for low, high in node.ranges)
    names = "".join(f"\\{'P' if inverse else 'p'}{{{name}}}" for name, inverse in node.properties)
    return f"[{'^' * node.negated}{ranges}{names}]"


def _escape(point: int, escape: str) -> str:
    char = chr(point)
    if char.isascii() and (char.isalnum() or char == "_"):
        return char
    return "\\" + char if char.isascii() and char.isprintable() and char != " " else escape % point


def _range(low: int, high: int, escape: str) -> str:
    first = _escape(low, escape)
    return first if low == high else f"{first}-{_escape(high, escape)}"
