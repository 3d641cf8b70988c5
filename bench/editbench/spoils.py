"""All kinds of corruption: those of `layout`, `marks`, `words` and `refusals`, pieces of lines, and combinations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bench.editbench import layout, marks, refusals, words
from bench.editbench.changes import NAMES
from bench.editbench.kinds import GROUPS, KINDS, kind
from bench.editbench.rows import Row, folded

if TYPE_CHECKING:
    import random

    from bench.editbench.rows import Draft

__all__ = ["KINDS", "layout", "marks", "refusals", "words"]


@kind()
def piece_of_line(draft: Draft, rng: random.Random) -> bool:
    """Old is a part of one line, which is longer in the file."""
    return _piece(draft, rng)


@kind()
def piece_with_nbsp(draft: Draft, rng: random.Random) -> bool:
    """The same, with no-break spaces."""
    if not _piece(draft, rng) or "\u00a0" in "".join(draft.file):
        return False
    draft.each_asked(lambda text: text.replace(" ", "\u00a0"))
    return "\u00a0" in draft.old[0]


@kind(fuzzy=True, file=True)
def two_at_once(draft: Draft, rng: random.Random) -> bool:
    """Two corruptions."""
    return _several(draft, rng, 2)


@kind(fuzzy=True, file=True)
def three_at_once(draft: Draft, rng: random.Random) -> bool:
    """Three corruptions."""
    return _several(draft, rng, 3)


def _several(draft: Draft, rng: random.Random, number: int) -> bool:
    groups = sorted(rng.sample(GROUPS, number), key=GROUPS.index)
    chosen = [rng.choice([each for each in KINDS.values() if each.group == group]) for group in groups]
    draft.op = f"{draft.op}: {' + '.join(each.name for each in chosen)}"
    draft.open = any(each.open for each in chosen)
    return all(each.spoil(draft, rng) for each in chosen)


def _piece(draft: Draft, rng: random.Random) -> bool:
    lines = draft.source.lines
    at = rng.randrange(len(lines))
    tokens = [*re.finditer(r"\w+", lines[at])]
    if len(tokens) < 5:
        return False
    first = rng.randint(1, len(tokens) - 4)
    last = rng.randint(first + 2, len(tokens) - 2)
    middle = tokens[rng.randint(first, last)]
    line, start, end = lines[at], tokens[first].start(), tokens[last].end()
    other = rng.choice(NAMES)
    old, new = line[start:end], line[start : middle.start()] + other + line[middle.end() : end]
    draft.head, draft.tail, draft.final = lines[:at], lines[at + 1 :], False
    draft.rows = [Row(line, old, new, line[:start] + new + line[end:], touched=True)]
    return old != new and len(folded(old)) > 12
