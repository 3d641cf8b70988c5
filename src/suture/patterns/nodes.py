"""A pattern as a tree: what `dialect` reads and `emit` writes."""

from __future__ import annotations

from suture.records import Record


class Node(Record):
    """A part of a pattern."""


class Char(Node):
    """One character."""

    point: int
    fold: bool = False


class Class(Node):
    """One character out of ranges and properties; or, negated, any other."""

    ranges: tuple[tuple[int, int], ...]
    properties: tuple[tuple[str, bool], ...] = ()
    """Names as `characters.property_of` gives them, and whether each is inverted."""
    negated: bool = False
    fold: bool = False


class Edge(Node):
    """A place: `start`, `end`, `line_start`, `line_end`, `word` or `no_word`."""

    kind: str


class Group(Node):
    """Parentheses; without a number they capture nothing."""

    body: Node
    number: int | None = None


class Look(Node):
    """A look at what follows or comes before, which consumes nothing."""

    body: Node
    ahead: bool
    negative: bool


class Back(Node):
    """What a group has captured, once more."""

    number: int
    fold: bool = False


class Repeat(Node):
    """A body as often as `least` to `most` times; None is without end."""

    body: Node
    least: int
    most: int | None
    lazy: bool


class Sequence(Node):
    """One after the other."""

    parts: tuple[Node, ...]


class Choice(Node):
    """The first that leads to a match."""

    options: tuple[Node, ...]


class Pattern(Record):
    """A pattern, read."""

    source: str
    """As it was written, delimiters and flags included."""
    flags: frozenset[str]
    root: Node
    groups: int
    names: dict[str, int]

    @property
    def every(self) -> bool:
        """Whether all matches are wanted, not only the first of each line."""
        return "g" in self.flags
