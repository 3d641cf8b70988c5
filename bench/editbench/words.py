"""Corruption of words: typos, case, stale lines, omitted or invented lines, elisions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bench.editbench.changes import WORD, comment, invent_line
from bench.editbench.kinds import kind
from bench.editbench.rows import Row, fold, has_words, indentation

if TYPE_CHECKING:
    import random

    from bench.editbench.rows import Draft

MARKERS = ["...", "... existing code ...", "... rest of the code", "... (unchanged) ..."]


@kind("line", fuzzy=True)
def typo_old(draft: Draft, rng: random.Random) -> bool:
    """Two letters are swapped in a line of old that the change touches; new is right."""
    return _add_typo([row for row in draft.rows if row.touched and row.old and row.file], rng, both=False)


@kind("line", fuzzy=True, file=True)
def typo_both(draft: Draft, rng: random.Random) -> bool:
    """Two letters are swapped in an unchanged line, in old and new."""
    return _add_typo([row for row in draft.rows if row.known], rng, both=True)


@kind("line", fuzzy=True, file=True)
def case_changed(draft: Draft, rng: random.Random) -> bool:
    """A word of an unchanged line has different case."""
    rows = [row for row in draft.rows if row.known and WORD.search(row.old or "")]
    if not rows:
        return False
    row = rng.choice(rows)
    match = rng.choice([*WORD.finditer(row.old or "")])
    text = match.group().swapcase() if rng.random() < 0.5 else match.group().capitalize()
    before = row.old
    row.set_request(match.string[: match.start()] + text + match.string[match.end() :])
    return row.old != before


@kind("line", fuzzy=True, file=True, open=True)
def stale_line(draft: Draft, rng: random.Random) -> bool:
    """An unchanged line, possibly next to the change, is different in the file by now."""
    rows = [row for row in draft.rows if row.known and len(WORD.findall(row.file or "")) > 1]
    if not rows:
        return False
    row = rng.choice(rows)
    word = rng.choice(WORD.findall(row.file or ""))
    row.set_file((row.file or "").replace(word, f"{word}_{rng.choice(['next', 'base', 'v2'])}", 1))
    return True


@kind("line", fuzzy=True, file=True, open=True)
def stale_line_rewritten(draft: Draft, rng: random.Random) -> bool:
    """An unchanged line, away from the change, is completely different in the file by now."""
    places = [at for at in draft.inner() if has_words(draft.rows[at].file)]
    if not places:
        return False
    row = draft.rows[rng.choice(places)]
    text = invent_line(rng, draft.source, indentation(row.file or ""))
    row.set_file(text)
    return text not in draft.head + draft.tail


@kind("rows", fuzzy=True, file=True)
def skipped_line(draft: Draft, rng: random.Random) -> bool:
    """The request omits a line of the file, away from the change."""
    places = [at for at in draft.inner() if has_words(draft.rows[at].file)]
    if not places:
        return False
    draft.rows[rng.choice(places)].set_request(None)
    return True


@kind("rows", fuzzy=True, file=True)
def invented_line(draft: Draft, rng: random.Random) -> bool:
    """The request has a line between unchanged lines that the file lacks."""
    places = [at for at in draft.inner() if has_words(draft.rows[at].file) and draft.rows[at + 1].known]
    if not places:
        return False
    at = rng.choice(places)
    text = invent_line(rng, draft.source, indentation(draft.rows[at].file or ""))
    draft.rows.insert(at + 1, Row(old=text, new=text))
    return True


@kind("line", fuzzy=True, file=True)
def dropped_comment(draft: Draft, rng: random.Random) -> bool:
    """An unchanged line has a comment at its end in the file, but not in the request."""
    rows = [row for row in draft.rows if row.known and re.search(r"[\w)\];{,]$", row.file or "")]
    if not rows or draft.source.language in {"markdown", "rest", "json"}:
        return False
    row = rng.choice(rows)
    row.set_file(f"{row.file}  {comment(draft.source, 'see the notes on ' + rng.choice(['order', 'size', 'age']))}")
    return True


@kind("rows", fuzzy=True, file=True)
def dropped_comment_line(draft: Draft, rng: random.Random) -> bool:
    """The file has a comment line that the request omits."""
    places = [at for at in draft.inner() if has_words(draft.rows[at].file)]
    if not places or draft.source.language in {"markdown", "rest", "json"}:
        return False
    at = rng.choice(places)
    text = indentation(draft.rows[at].file or "") + comment(draft.source, "Keep this in step with the other one.")
    draft.rows.insert(at, Row(file=text, want=text))
    return True


@kind("rows", fuzzy=True, file=True)
def extra_first_line(draft: Draft, rng: random.Random) -> bool:
    """The request begins with a line that isn't in the file."""
    first = draft.rows[0]
    text = invent_line(rng, draft.source, indentation(first.file or ""))
    draft.rows.insert(0, Row(old=text, new=text))
    return first.known and has_words(first.file)


@kind("rows", fuzzy=True, file=True)
def extra_last_line(draft: Draft, rng: random.Random) -> bool:
    """The request ends with a line that isn't in the file."""
    last = draft.rows[-1]
    text = invent_line(rng, draft.source, indentation(last.file or ""))
    draft.rows.append(Row(old=text, new=text))
    return last.known and has_words(last.file)


@kind("rows", fuzzy=True, file=True, context=(5, 12))
def elision_dots(draft: Draft, rng: random.Random) -> bool:
    """Unchanged lines are dots, in old and new."""
    return _elide(draft, rng, "...")


@kind("rows", fuzzy=True, file=True, context=(5, 12))
def elision_comment(draft: Draft, rng: random.Random) -> bool:
    """Unchanged lines are a comment that says so, in old and new."""
    return _elide(draft, rng, comment(draft.source, rng.choice(MARKERS)))


@kind("rows", fuzzy=True, file=True, context=(3, 7))
def elision_at_end(draft: Draft, rng: random.Random) -> bool:
    """Old and new end in dots; the file continues."""
    last = draft.rows[-1]
    text = indentation(last.file or "") + rng.choice(["...", comment(draft.source, rng.choice(MARKERS))])
    draft.rows.append(Row(old=text, new=text))
    return last.known and has_words(last.file) and len(draft.tail) > 2


def _add_typo(rows: list[Row], rng: random.Random, *, both: bool) -> bool:
    places = [(row, match) for row in rows for match in re.finditer(r"[A-Za-z]{5,}", row.old or "")]
    if not places:
        return False
    row, match = rng.choice(places)
    word = match.group()
    at = rng.randrange(1, len(word) - 2)
    wrong = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    text = match.string[: match.start()] + wrong + match.string[match.end() :]
    row.old = text
    if both:
        row.new = text
    return fold(wrong) != fold(word)


def _elide(draft: Draft, rng: random.Random, marker: str) -> bool:
    """Replace a run of unchanged lines by a marker, with lines that have words on both sides of it."""
    inner = [at for at in draft.inner(distance=2) if at + 1 < len(draft.rows)]
    runs = [(a, b) for a in inner for b in inner if b - a >= 2 and all(at in inner for at in range(a, b + 1))]
    runs = [(a, b) for a, b in runs if has_words(draft.rows[a - 1].file) and has_words(draft.rows[b + 1].file)]
    if not runs or any("..." in line for line in draft.old):
        return False
    first, last = rng.choice(runs)
    for row in draft.rows[first : last + 1]:
        row.set_request(None)
    text = indentation(draft.rows[first].file or "") + marker
    body = fold("".join(draft.file))
    pieces = (draft.rows[:first], draft.rows[first:])
    draft.rows = [*pieces[0], Row(old=text, new=text), *pieces[1]]
    return all(body.count(fold("".join(row.old or "" for row in piece))) == 1 for piece in pieces)
