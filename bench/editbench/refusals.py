"""Requests that must be refused: the place is missing or ambiguous, or the change is already made or outdated."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bench.editbench.changes import NUMBER, WORD, comment, invent_line, unit_of
from bench.editbench.kinds import WIDE, kind
from bench.editbench.rows import Row, fold, has_words, indentation

if TYPE_CHECKING:
    import random

    from bench.editbench.rows import Draft

CLOSERS = re.compile(r"\s*(?:[\]})>;,]+|end|</\w+>)\s*")


@kind(refuse=True, context=WIDE)
def other_file(draft: Draft, _rng: random.Random) -> bool:
    """The text of another file."""
    _remove_from_file(draft)
    draft.head, draft.tail = list(draft.other.lines), []
    return _share_in_file(draft) < 0.3


@kind(refuse=True, context=WIDE)
def deleted_target(draft: Draft, _rng: random.Random) -> bool:
    """The text of old has been deleted."""
    _remove_from_file(draft)
    return _share_in_file(draft) < 0.4


@kind(refuse=True, why="applied", context=WIDE)
def already_applied(draft: Draft, _rng: random.Random) -> bool:
    """The change is already in the file."""
    return _apply(draft.rows) and _is_gone(draft)


@kind(refuse=True, context=WIDE)
def already_applied_dedented(draft: Draft, _rng: random.Random) -> bool:
    """The change is already in the file, and the request lost its indentation."""
    smallest = min((len(indentation(line)) for line in (*draft.old, *draft.new) if line.strip()), default=0)
    draft.change_request(lambda line: line[smallest:] if line.strip() else line)
    return smallest > 0 and _apply(draft.rows) and _is_gone(draft)


@kind(refuse=True, context=(1, 4))
def partly_applied(draft: Draft, rng: random.Random) -> bool:
    """One of several changes of the request is already in the file."""
    groups = _touched_groups(draft)
    if len(groups) < 2:
        return False
    chosen = rng.choice(groups)
    other_rows = [row for group in groups if group is not chosen for row in group]
    return _apply(chosen) and any(has_words(row.want) for row in other_rows) and _is_gone(draft)


@kind(refuse=True, context=(1, 4))
def same_ends(draft: Draft, rng: random.Random) -> bool:
    """The first and the last line are in the file, with something else between them."""
    first, *middle, last = draft.rows if len(draft.rows) > 4 else [Row(), Row()]
    if not first.known or not last.known or not has_words(first.file) or not has_words(last.file):
        return False
    for row in middle:
        row.set_file(None)
    start = rng.randrange(max(1, len(draft.other.lines) - len(middle)))
    other_lines = draft.other.lines[start : start + len(middle)]
    draft.rows[-1:] = [*(Row(file=line, want=line) for line in other_lines), last]
    old_lines = [row.old for row in middle if has_words(row.old)]
    return len(old_lines) > 2 and _share_in_file(draft) < 0.5


@kind(refuse=True, many=True, context=WIDE)
def near_twins(draft: Draft, rng: random.Random) -> bool:
    """Two places differ from old by one word each."""
    rows = [row for row in draft.rows if row.known and WORD.search(row.file or "")]
    if not rows:
        return False
    row = rng.choice(rows)
    word = rng.choice(WORD.findall(row.file or ""))
    text = row.file or ""
    row.set_file(text.replace(word, f"{word}_left", 1))
    twin = [line if line != row.file else text.replace(word, f"{word}_right", 1) for line in _lines_in_file(draft)]
    _add_copy(draft, twin)
    elsewhere = fold("".join(draft.old)) in fold("".join(draft.file))  # with other line breaks
    return fold(text) not in {fold(line) for line in draft.file} and not elsewhere


@kind(refuse=True, many=True)
def two_depths(draft: Draft, _rng: random.Random) -> bool:
    """The same lines occur at two depths, and old has neither depth."""
    unit = unit_of(draft.source)
    smallest = min((len(indentation(line)) for line in (*draft.old, *draft.new) if line.strip()), default=0)
    _add_copy(draft, [unit + line if line.strip() else line for line in _lines_in_file(draft)])
    draft.change_request(
        lambda line: line[smallest:] if smallest and line.strip() else (unit * 2 + line) * bool(line.strip())
    )
    return True


@kind(refuse=True, many=True)
def exact_duplicate(draft: Draft, _rng: random.Random) -> bool:
    """Old occurs in the file twice, exactly."""
    _add_copy(draft, _lines_in_file(draft))
    return True


@kind(refuse=True, context=WIDE)
def rewritten_target(draft: Draft, rng: random.Random) -> bool:
    """Every line of the place has been rewritten."""
    for row in draft.rows:
        if row.file is not None and row.file.strip():
            row.set_file(invent_line(rng, draft.source, indentation(row.file)))
    return _share_in_file(draft) < 0.2


@kind(refuse=True, many=True)
def closers_only(draft: Draft, rng: random.Random) -> bool:
    """Old has only closing brackets, not exactly as in the file; there are several such places."""
    lines = draft.source.lines
    size = rng.randint(1, 3)
    runs = [at for at in range(len(lines) - size) if all(CLOSERS.fullmatch(line) for line in lines[at : at + size])]
    if not runs:
        return False
    at = rng.choice(runs)
    block = _dedent(lines[at : at + size])
    equal = [start for start in runs if _dedent(lines[start : start + size]) == block]
    deepest = max(len(indentation(line)) for line in lines)
    prefix = unit_of(draft.source) * (deepest + 1)
    draft.head, draft.tail = lines[:at], lines[at + size :]
    draft.rows = [Row(file=line, want=line) for line in lines[at : at + size]]
    draft.rows += [Row(new=invent_line(rng, draft.source, prefix), touched=True)]
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
    draft.rows += [Row(old=marker, new=marker), Row(new=invent_line(rng, draft.source, lead), touched=True)]
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
    return fold(row.file) not in {fold(line) for line in draft.new} and _is_gone(draft) and _occurs_nowhere(draft, text)


@kind(refuse=True, context=WIDE)
def touched_line_gone(draft: Draft, _rng: random.Random) -> bool:
    """The lines to be replaced are no longer in the file, their neighbors are."""
    for group in _touched_groups(draft):
        removed = [row.file for row in group if row.file is not None and row.file.strip()]
        if any(map(has_words, removed)) and any(has_words(row.want) for row in group):
            for row in group:
                row.file = None
            return _is_gone(draft) and all(_occurs_nowhere(draft, line) for line in removed)
    return False


@kind(refuse=True, context=WIDE)
def touched_line_rewritten(draft: Draft, rng: random.Random) -> bool:
    """The line to be changed is completely different in the file."""
    rows = [row for row in draft.rows if row.touched and has_words(row.file)]
    if not rows:
        return False
    row = rng.choice(rows)
    text = row.file or ""
    row.file = invent_line(rng, draft.source, indentation(text))
    return _is_gone(draft) and _occurs_nowhere(draft, text)


@kind(refuse=True, context=WIDE)
def invented_old(draft: Draft, rng: random.Random) -> bool:
    """Most lines of old are invented or long gone."""
    rows = [row for row in draft.rows if row.old and row.old.strip()]
    for row in rng.sample(rows, -(-len(rows) * 7 // 10)):
        text = invent_line(rng, draft.source, indentation(row.old or ""))
        row.old, row.new = text, text if row.new is not None else None
    return len(rows) > 3 and any(row.old != row.file for row in rows if row.touched)


@kind(refuse=True, context=WIDE)
def both_insert(draft: Draft, rng: random.Random) -> bool:
    """The file has other lines exactly where the change inserts some."""
    for at, row in enumerate(draft.rows[1:], 1):
        end = next((to for to in range(at, len(draft.rows)) if draft.rows[to].old is not None), None)
        sides = [draft.rows[at - 1], draft.rows[end]] if end else []
        if row.old is None and sides and all(side.known and has_words(side.file) for side in sides):
            added = [invent_line(rng, draft.source, indentation(row.want or "")) for _ in range(rng.randint(1, 2))]
            draft.rows[at:at] = [Row(file=line, want=line) for line in added]
            return draft.clear and _is_gone(draft)
    return False


def _occurs_nowhere(draft: Draft, line: str) -> bool:
    """Whether it is clear which lines the change touches, and the missing one occurs nowhere else."""
    return draft.clear and fold(line) not in {fold(file_line) for file_line in draft.file}


def _dedent(lines: list[str]) -> list[str]:
    smallest = min(len(indentation(line)) for line in lines)
    return [line[smallest:].rstrip() for line in lines]


def _remove_from_file(draft: Draft) -> None:
    for row in draft.rows:
        row.set_file(None)


def _apply(rows: list[Row]) -> bool:
    """Make the change in the file; returns whether anything visible remains."""
    for row in rows:
        row.file = row.want
    return any(row.touched and has_words(row.want) for row in rows)


def _touched_groups(draft: Draft) -> list[list[Row]]:
    """Rows that the change touches, grouped by adjacency."""
    groups: list[list[Row]] = [[]]
    for row in draft.rows:
        if row.touched:
            groups[-1].append(row)
        elif groups[-1]:
            groups.append([])
    return [group for group in groups if group]


def _lines_in_file(draft: Draft) -> list[str]:
    return [row.file for row in draft.rows if row.file is not None]


def _add_copy(draft: Draft, lines: list[str]) -> None:
    """Repeat the lines further down in the file."""
    draft.tail[4:4] = ["", *lines, ""]


def _share_in_file(draft: Draft) -> float:
    """How much of old occurs anywhere in the file."""
    file_lines = {fold(line) for line in draft.file}
    old_lines = [fold(line) for line in draft.old if has_words(line)]
    return sum(line in file_lines for line in old_lines) / len(old_lines) if len(old_lines) > 2 else 1.0


def _is_gone(draft: Draft) -> bool:
    """Whether old does not occur in the file, not even ignoring whitespace."""
    return fold("".join(draft.old)) not in fold("".join(draft.file))
