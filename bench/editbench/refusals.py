"""Requests that must be refused: the place is missing or ambiguous, or the change is already made or outdated."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bench.editbench.changes import NUMBER, WORD, comment, invented, unit_of
from bench.editbench.kinds import WIDE, kind
from bench.editbench.rows import Row, folded, indentation, informative

if TYPE_CHECKING:
    import random

    from bench.editbench.rows import Draft

CLOSERS = re.compile(r"\s*(?:[\]})>;,]+|end|</\w+>)\s*")


@kind(refuse=True, context=WIDE)
def other_file(draft: Draft, _rng: random.Random) -> bool:
    """The text of another file."""
    _vanish(draft)
    draft.head, draft.tail = list(draft.other.lines), []
    return _share(draft) < 0.3


@kind(refuse=True, context=WIDE)
def deleted_target(draft: Draft, _rng: random.Random) -> bool:
    """The text of old has been deleted."""
    _vanish(draft)
    return _share(draft) < 0.4


@kind(refuse=True, why="applied", context=WIDE)
def already_applied(draft: Draft, _rng: random.Random) -> bool:
    """The change is already in the file."""
    return _apply(draft.rows) and _gone(draft)


@kind(refuse=True, context=WIDE)
def already_applied_dedented(draft: Draft, _rng: random.Random) -> bool:
    """The change is already in the file, and the request lost its indentation."""
    least = min((len(indentation(line)) for line in (*draft.old, *draft.new) if line.strip()), default=0)
    draft.each_asked(lambda line: line[least:] if line.strip() else line)
    return least > 0 and _apply(draft.rows) and _gone(draft)


@kind(refuse=True, context=(1, 4))
def partly_applied(draft: Draft, rng: random.Random) -> bool:
    """One of several changes of the request is already in the file."""
    groups = _groups(draft)
    if len(groups) < 2:
        return False
    chosen = rng.choice(groups)
    others = [row for group in groups if group is not chosen for row in group]
    return _apply(chosen) and any(informative(row.want) for row in others) and _gone(draft)


@kind(refuse=True, context=(1, 4))
def same_ends(draft: Draft, rng: random.Random) -> bool:
    """The first and the last line are in the file, with something else between them."""
    first, *middle, last = draft.rows if len(draft.rows) > 4 else [Row(), Row()]
    if not first.known or not last.known or not informative(first.file) or not informative(last.file):
        return False
    for row in middle:
        row.stand(None)
    start = rng.randrange(max(1, len(draft.other.lines) - len(middle)))
    foreign = draft.other.lines[start : start + len(middle)]
    draft.rows[-1:] = [*(Row(file=line, want=line) for line in foreign), last]
    asked = [row.old for row in middle if informative(row.old)]
    return len(asked) > 2 and _share(draft) < 0.5


@kind(refuse=True, many=True, context=WIDE)
def near_twins(draft: Draft, rng: random.Random) -> bool:
    """Two places differ from old by one word each."""
    rows = [row for row in draft.rows if row.known and WORD.search(row.file or "")]
    if not rows:
        return False
    row = rng.choice(rows)
    word = rng.choice(WORD.findall(row.file or ""))
    text = row.file or ""
    row.stand(text.replace(word, f"{word}_left", 1))
    twin = [line if line != row.file else text.replace(word, f"{word}_right", 1) for line in _block(draft)]
    _copy(draft, twin)
    elsewhere = folded("".join(draft.old)) in folded("".join(draft.file))  # with other line breaks
    return folded(text) not in {folded(line) for line in draft.file} and not elsewhere


@kind(refuse=True, many=True)
def two_depths(draft: Draft, _rng: random.Random) -> bool:
    """The same lines occur at two depths, and old has neither depth."""
    unit = unit_of(draft.source)
    least = min((len(indentation(line)) for line in (*draft.old, *draft.new) if line.strip()), default=0)
    _copy(draft, [unit + line if line.strip() else line for line in _block(draft)])
    draft.each_asked(lambda line: line[least:] if least and line.strip() else (unit * 2 + line) * bool(line.strip()))
    return True


@kind(refuse=True, many=True)
def exact_duplicate(draft: Draft, _rng: random.Random) -> bool:
    """Old occurs in the file twice, exactly."""
    _copy(draft, _block(draft))
    return True


@kind(refuse=True, context=WIDE)
def rewritten_target(draft: Draft, rng: random.Random) -> bool:
    """Every line of the place has been rewritten."""
    for row in draft.rows:
        if row.file is not None and row.file.strip():
            row.stand(invented(rng, draft.source, indentation(row.file)))
    return _share(draft) < 0.2


@kind(refuse=True, many=True)
def closers_only(draft: Draft, rng: random.Random) -> bool:
    """Old has only closing brackets, not exactly as in the file; there are several such places."""
    lines = draft.source.lines
    size = rng.randint(1, 3)
    runs = [at for at in range(len(lines) - size) if all(CLOSERS.fullmatch(line) for line in lines[at : at + size])]
    if not runs:
        return False
    at = rng.choice(runs)
    block = _dedented(lines[at : at + size])
    equal = [each for each in runs if _dedented(lines[each : each + size]) == block]
    deepest = max(len(indentation(line)) for line in lines)
    prefix = unit_of(draft.source) * (deepest + 1)
    draft.head, draft.tail = lines[:at], lines[at + size :]
    draft.rows = [Row(file=line, want=line) for line in lines[at : at + size]]
    draft.rows += [Row(new=invented(rng, draft.source, prefix), touched=True)]
    draft.rows += [Row(old=prefix + line, new=prefix + line) for line in block]
    return len(equal) > 1


@kind(refuse=True, context=(3, 7))
def elision_only_in_new(draft: Draft, rng: random.Random) -> bool:
    """New has a marker instead of lines of old: it would delete them."""
    places = [at for at in draft.inner() if at + 1 < len(draft.rows) and at + 1 in draft.inner()]
    if not places:
        return False
    at = rng.choice(places)
    lead = indentation(draft.rows[at].file or "")
    for row in draft.rows[at : at + 2]:
        row.new = None
    text = comment(draft.source, rng.choice(["... existing code ...", "... rest unchanged ..."]))
    draft.rows.insert(at, Row(new=lead + text))
    return True


@kind(refuse=True, context=(3, 7))
def insertion_beyond_elision(draft: Draft, rng: random.Random) -> bool:
    """Old ends in dots, and new continues after them: the place after them is unknown."""
    lead = indentation(draft.rows[-1].file or "")
    marker = lead + rng.choice(["...", comment(draft.source, "... existing code ...")])
    draft.rows += [Row(old=marker, new=marker), Row(new=invented(rng, draft.source, lead), touched=True)]
    return draft.rows[-3].known and len(draft.tail) > 3


@kind(refuse=True, context=WIDE)
def touched_line_differs(draft: Draft, rng: random.Random) -> bool:
    """The line to be changed has another number or name in the file."""
    rows = [row for row in draft.rows if row.touched and row.file and WORD.search(row.file)]
    if not rows:
        return False
    row = rng.choice(rows)
    text = row.file or ""
    numbers = [*NUMBER.finditer(text)]
    if numbers and rng.random() < 0.5:
        match = rng.choice(numbers)
        row.file = f"{text[: match.start()]}{int(match.group()) + 11}{text[match.end() :]}"
    else:
        match = rng.choice([*WORD.finditer(text)])
        row.file = text[: match.end()] + rng.choice(["2", "_old", "s"]) + text[match.end() :]
    return folded(row.file) not in {folded(line) for line in draft.new} and _gone(draft) and _alone(draft, text)


@kind(refuse=True, context=WIDE)
def touched_line_gone(draft: Draft, _rng: random.Random) -> bool:
    """The lines to be replaced are no longer in the file, their neighbors are."""
    for group in _groups(draft):
        gone = [row.file for row in group if row.file is not None and row.file.strip()]
        if any(map(informative, gone)) and any(informative(row.want) for row in group):
            for row in group:
                row.file = None
            return _gone(draft) and all(_alone(draft, line) for line in gone)
    return False


@kind(refuse=True, context=WIDE)
def touched_line_rewritten(draft: Draft, rng: random.Random) -> bool:
    """The line to be changed is completely different in the file."""
    rows = [row for row in draft.rows if row.touched and informative(row.file)]
    if not rows:
        return False
    row = rng.choice(rows)
    text = row.file or ""
    row.file = invented(rng, draft.source, indentation(text))
    return _gone(draft) and _alone(draft, text)


@kind(refuse=True, context=WIDE)
def invented_old(draft: Draft, rng: random.Random) -> bool:
    """Most lines of old are invented or long gone."""
    rows = [row for row in draft.rows if row.old and row.old.strip()]
    for row in rng.sample(rows, -(-len(rows) * 7 // 10)):
        text = invented(rng, draft.source, indentation(row.old or ""))
        row.old, row.new = text, text if row.new is not None else None
    return len(rows) > 3 and any(row.old != row.file for row in rows if row.touched)


@kind(refuse=True, context=WIDE)
def both_insert(draft: Draft, rng: random.Random) -> bool:
    """The file has other lines exactly where the change inserts some."""
    for at, row in enumerate(draft.rows[1:], 1):
        end = next((to for to in range(at, len(draft.rows)) if draft.rows[to].old is not None), None)
        sides = [draft.rows[at - 1], draft.rows[end]] if end else []
        if row.old is None and sides and all(side.known and informative(side.file) for side in sides):
            own = [invented(rng, draft.source, indentation(row.want or "")) for _ in range(rng.randint(1, 2))]
            draft.rows[at:at] = [Row(file=line, want=line) for line in own]
            return draft.clear and _gone(draft)
    return False


def _alone(draft: Draft, line: str) -> bool:
    """Whether it is clear which lines the change touches, and the missing one occurs nowhere else."""
    return draft.clear and folded(line) not in {folded(each) for each in draft.file}


def _dedented(lines: list[str]) -> list[str]:
    least = min(len(indentation(line)) for line in lines)
    return [line[least:].rstrip() for line in lines]


def _vanish(draft: Draft) -> None:
    for row in draft.rows:
        row.stand(None)


def _apply(rows: list[Row]) -> bool:
    """Make the change in the file; returns whether anything visible remains."""
    for row in rows:
        row.file = row.want
    return any(row.touched and informative(row.want) for row in rows)


def _groups(draft: Draft) -> list[list[Row]]:
    """Rows that the change touches, grouped by adjacency."""
    groups: list[list[Row]] = [[]]
    for row in draft.rows:
        if row.touched:
            groups[-1].append(row)
        elif groups[-1]:
            groups.append([])
    return [group for group in groups if group]


def _block(draft: Draft) -> list[str]:
    return [row.file for row in draft.rows if row.file is not None]


def _copy(draft: Draft, lines: list[str]) -> None:
    """Repeat the lines further down in the file."""
    draft.tail[4:4] = ["", *lines, ""]


def _share(draft: Draft) -> float:
    """How much of old occurs anywhere in the file."""
    there = {folded(line) for line in draft.file}
    asked = [folded(line) for line in draft.old if informative(line)]
    return sum(line in there for line in asked) / len(asked) if len(asked) > 2 else 1.0


def _gone(draft: Draft) -> bool:
    """Whether old does not occur in the file, not even ignoring whitespace."""
    return folded("".join(draft.old)) not in folded("".join(draft.file))
