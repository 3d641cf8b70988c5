r"""What can be known about a pattern without running it.

Every answer errs on the safe side: `may_be_empty` and `may_hold` say yes where they cannot tell, `required` gives
nothing.
"""

from __future__ import annotations

from suture.patterns.nodes import Back, Char, Choice, Class, Edge, Group, Look, Repeat, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from suture.patterns.nodes import Node

_LONGEST = 200
_LINE_FEED = 0x0A
_PROPERTY = 500  # ranges, about
_MOST_TEXTS = 50


def nodes(root: Node) -> Iterator[Node]:
    """A node and all below it, from left to right."""
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
            return False  # what its group may hold is asked there
    return any(may_hold(part, point) for part in children(node))


def weight(node: Node, *, least: bool = False, most: bool = False) -> int:
    """How large a pattern is; with `least` or `most`, if what repeats is written as often as it must or may be."""
    match node:
        case Class(ranges=ranges, properties=properties, fold=fold):
            return 1 + len(ranges) + len(properties) * (1 if least and not fold else _PROPERTY)
        case Repeat(least=low, most=high):
            times = high if most and high is not None else low if least or most else 1
            return max(times, 1) * weight(node.body, least=least, most=most)
    return 1 + sum(weight(part, least=least, most=most) for part in children(node))


def stays_in_line(node: Node) -> bool:
    r"""Whether a match neither holds the end of a line nor looks beyond one, as `$` does at a `\r\n`."""
    looks = [each.body for each in nodes(node) if isinstance(each, Look)]
    ends = any(isinstance(each, Edge) and each.kind in {"end", "line_end"} for each in nodes(node))
    return not ends and not any(may_hold(each, _LINE_FEED) for each in (node, *looks))


def is_literal(node: Node) -> bool:
    """Whether the pattern is nothing but a text."""
    parts = node.parts if isinstance(node, Sequence) else (node,)
    return all(_literal(part) is not None for part in parts)


def required(node: Node) -> tuple[bytes, ...]:
    """Texts, as UTF-8, one of which stands in every match or where it looks; none where they are not known."""
    return max(_needs(node), key=_worth, default=())


def _worth(texts: tuple[bytes, ...]) -> tuple[int, int]:
    """How rarely one of several texts will be found: by the shortest."""
    return min(map(len, texts)), -len(texts)


def _needs(node: Node) -> list[tuple[bytes, ...]]:
    """Everything that every match of the node needs: one of each."""
    run, needs = bytearray(), list[tuple[bytes, ...]]()
    for part in _flat(node):
        text = _literal(part)
        if text is not None and len(run) < _LONGEST:
            run += text
            continue
        if isinstance(part, Look) and not part.negative:
            needs += _needs(part.body)
        if isinstance(part, Edge | Look):
            continue
        needs.append((bytes(run),))
        run.clear()
        match part:
            case Char():
                run += text or b""
            case Repeat(body=body, least=least) if least > 0:
                needs += _needs(body)
            case Choice(options=options) | Group(body=Choice(options=options)):
                needs.append(_one_of(options))
    needs.append((bytes(run),))
    return [each for each in needs if each and b"" not in each]


def _one_of(options: tuple[Node, ...]) -> tuple[bytes, ...]:
    """What is needed where any of the options may be taken."""
    each = [required(option) for option in options]
    found = dict.fromkeys(text for texts in each for text in texts)
    return tuple(found) if all(each) and len(found) <= _MOST_TEXTS else ()


def _flat(node: Node) -> Iterator[Node]:
    """What follows each other, parentheses that mean nothing here left out."""
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
