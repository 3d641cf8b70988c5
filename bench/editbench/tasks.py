"""Tasks: drawn from the corpus by kind, seed and index, corrupted, and kept if they are decidable.

Each task depends only on its kind, seed and index, never on earlier tasks.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from bench.editbench.changes import pick_change
from bench.editbench.corruptions import KINDS
from bench.editbench.rows import fold, has_words

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.editbench.corpus import Source
    from bench.editbench.kinds import Kind
    from bench.editbench.rows import Draft, Row

TRIES = 3_000
ONCE, SAME, ONCE_AMONG = 6, 7, 3
"""Unique lines of the file; or lines that are in the file, and how many of them are unique."""
RIVAL = 0.7
BAND = 32


@dataclass(frozen=True)
class Task:
    """A request, and its right results: one of `expected`, or a refusal if there is none."""

    kind: str
    seed: int
    index: int
    source: str
    op: str
    body: bytes
    old: str
    new: str
    expected: tuple[bytes, ...]
    why: str | None = None
    """The only right reason for a refusal, if there is one."""
    open: bool = False
    """Whether refusing is right too."""

    @property
    def name(self) -> str:
        """Its name on the command line."""
        return f"{self.kind}:{self.index}"


def generate(sources: Sequence[Source], seed: int, number: int, kinds: Sequence[str] = ()) -> Iterator[Task]:
    """About `number` tasks, the same number of each kind."""
    names = kinds or [*KINDS]
    for kind in names:
        for index in range(-(-number // len(names))):
            task = make_task(sources, kind, seed, index)
            if task is not None:
                yield task


def make_task(sources: Sequence[Source], name: str, seed: int, index: int) -> Task | None:
    """One task, or None if the corpus has none."""
    rng = random.Random(f"{name}:{seed}:{index}")
    kind = KINDS[name]
    groups = group_by_language(tuple(sources))
    for _ in range(TRIES):
        (group,) = rng.choices(groups, [len(group) ** 0.5 for group in groups])
        draft = pick_change(rng, rng.choice(group), context=kind.context)
        if draft is None or (kind.file and not draft.clear):
            continue
        if name != "exact" and any(row.touched and _is_ragged(row) for row in draft.rows):
            continue
        draft.other = rng.choice(group)
        draft.final = rng.random() < 0.5 or not draft.new or not draft.old[-1] or not draft.new[-1]
        if draft.other is not draft.source and kind.corrupt(draft, rng) and _is_fair(draft, kind):
            return _task(draft, kind, seed, index)
    return None


@lru_cache(maxsize=4)
def group_by_language(sources: tuple[Source, ...]) -> list[list[Source]]:
    """The sources by language, so that no language dominates."""
    groups: dict[str, list[Source]] = {}
    for source in sources:
        groups.setdefault(source.language, []).append(source)
    return [group for group in groups.values() if len(group) > 1]


def _task(draft: Draft, kind: Kind, seed: int, index: int) -> Task:
    old, new = draft.texts()
    wanted = {_join(draft.want(longer=with_space), draft): None for with_space in (False, True)}
    expected = () if kind.refuse else tuple(wanted)
    body = _join(draft.file, draft)
    undecided = kind.open or draft.open or _may_be_sibling(draft, kind)
    return Task(kind.name, seed, index, draft.source.name, draft.op, body, old, new, expected, kind.why, undecided)


def _join(lines: list[str], draft: Draft) -> bytes:
    return (draft.eol.join(lines) + draft.eol * (draft.ends and bool(lines))).encode()


def _is_fair(draft: Draft, kind: Kind) -> bool:
    """Whether a careful person could decide it: the rules of the package's docstring."""
    old, new = draft.texts()
    if old == new or not old.strip():
        return False
    if kind.refuse:
        return kind.many or not _has_rival(draft, RIVAL * sum(len(fold(line)) for line in draft.old))
    words, body = _fold_lines(draft.old), _fold_lines(draft.file)
    new_words = _fold_lines(draft.new)
    place_words = _fold_lines([row.file for row in draft.rows if row.old is not None and row.file is not None])
    if body.count(words) > 1 or body.count(place_words) > 1:
        return False
    if words == new_words and (kind.fuzzy or kind.file):
        return False
    if draft.want() == draft.file or (new_words and new_words in body and new_words not in words):
        return False
    return not kind.fuzzy or (_is_known_well(draft) and not _has_rival(draft, RIVAL * _size_of_matches(draft)))


def _is_ragged(row: Row) -> bool:
    """Whether it ends in whitespace, so that the change is about whitespace."""
    return any(line is not None and line != line.rstrip() for line in (row.file, row.want))


def _fold_lines(lines: list[str]) -> str:
    return fold("".join(lines))


def _is_known_well(draft: Draft) -> bool:
    """Whether enough of old is exactly in the file."""
    same = [row for row in draft.rows if row.old and row.file and fold(row.old) == fold(row.file)]
    letters = sum(sum(map(str.isalnum, row.old or "")) for row in same)
    return sum(has_words(row.old) for row in same) >= 3 and letters >= 30


def _may_be_sibling(draft: Draft, kind: Kind) -> bool:
    """Whether a line is extra or missing, and too few others prove that it isn't a sibling of a deleted place."""
    uneven = any(bool(row.old and row.old.strip()) != bool(row.file and row.file.strip()) for row in draft.rows)
    if not uneven or kind.refuse or "elision" in f"{kind.name} {draft.op}":
        return False
    lines = Counter(map(fold, draft.file))
    same = [row.old for row in draft.rows if row.old and row.file and fold(row.old) == fold(row.file)]
    once = sum(has_words(line) and lines[fold(line)] == 1 for line in same)
    return once < ONCE and not (len(same) >= SAME and once >= ONCE_AMONG)


def _size_of_matches(draft: Draft) -> int:
    """How much of old the right place has."""
    pairs = [(fold(row.old), fold(row.file)) for row in draft.rows if row.old and row.file]
    return sum(len(old) for old, file in pairs if old == file)


def _has_rival(draft: Draft, limit: float) -> bool:
    """Whether another part of the file has more of old than that."""
    places: dict[str, list[int]] = {}
    for at, line in enumerate([*draft.head, *[""] * 50, *draft.tail]):
        places.setdefault(fold(line), []).append(at)
    votes: Counter[int] = Counter()
    for at, line in enumerate(draft.old):
        words = fold(line)
        for place in places.get(words, ()) if words else ():
            for band in ((place - at) // BAND, (place - at + BAND // 2) // BAND + (1 << 40)):
                votes[band] += len(words)
    return max(votes.values(), default=0) > limit
