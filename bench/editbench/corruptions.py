"""All kinds of corruption: those of `layout`, `letters`, `words` and `refusals`, pieces of lines, and combinations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bench.editbench import layout, letters, refusals, words  # in this order the kinds are listed and drawn
from bench.editbench.changes import NAMES
from bench.editbench.kinds import GROUPS, KINDS, kind
from bench.editbench.rows import Row, fold

if TYPE_CHECKING:
    import random

    from bench.editbench.rows import Draft

__all__ = ["KINDS", "layout", "letters", "refusals", "words"]


@kind()
def piece_of_line(draft: Draft, rng: random.Random) -> bool:
    """Old is a part of one line, which is longer in the file."""
    return _take_piece(draft, rng)


@kind()
def piece_with_nbsp(draft: Draft, rng: random.Random) -> bool:
    """The same, with no-break spaces."""
    if not _take_piece(draft, rng) or "\u00a0" in "".join(draft.file):
        return False
    draft.change_request(lambda text: text.replace(" ", "\u00a0"))
    return "\u00a0" in draft.old[0]


@kind(fuzzy=True, file=True)
def two_at_once(draft: Draft, rng: random.Random) -> bool:
    """Two corruptions."""
    return _combine(draft, rng, 2)


@kind(fuzzy=True, file=True)
def three_at_once(draft: Draft, rng: random.Random) -> bool:
    """Three corruptions."""
    return _combine(draft, rng, 3)


def _combine(draft: Draft, rng: random.Random, number: int) -> bool:
    groups = sorted(rng.sample(GROUPS, number), key=GROUPS.index)
    kinds = [rng.choice([kind for kind in KINDS.values() if kind.group == group]) for group in groups]
    draft.op = f"{draft.op}: {' + '.join(kind.name for kind in kinds)}"
    draft.open = any(kind.open for kind in kinds)
    return all(kind.corrupt(draft, rng) for kind in kinds)


def _take_piece(draft: Draft, rng: random.Random) -> bool:
    lines = draft.source.lines
    at = rng.randrange(len(lines))
    tokens = [*re.finditer(r"\w+", lines[at])]
    if len(tokens) < 5:
        return False
    first = rng.randint(1, len(tokens) - 4)
    last = rng.randint(first + 2, len(tokens) - 2)
    middle = tokens[rng.randint(first, last)]
    line, start, end = lines[at], tokens[first].start(), tokens[last].end()
    replacement = rng.choice(NAMES)
    old, new = line[start:end], line[start : middle.start()] + replacement + line[middle.end() : end]
    draft.head, draft.tail, draft.final = lines[:at], lines[at + 1 :], False
    draft.rows = [Row(line, old, new, line[:start] + new + line[end:], touched=True)]
    return old != new and len(fold(old)) > 12
