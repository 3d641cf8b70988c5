"""Corruption of whitespace: indentation, tabs, trailing spaces, blank lines, line endings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bench.editbench.changes import invent_line, unit_of
from bench.editbench.kinds import kind
from bench.editbench.rows import Row, has_words, indentation

if TYPE_CHECKING:
    import random

    from bench.editbench.rows import Draft


@kind()
def exact(_draft: Draft, _rng: random.Random) -> bool:
    """Nothing is corrupted."""
    return True


@kind("indent")
def indent_added(draft: Draft, rng: random.Random) -> bool:
    """The request has one more level of indentation than the file."""
    prefix = "\t" if unit_of(draft.source) == "\t" else " " * rng.choice([1, 2, 4, 8])
    draft.change_request(lambda line: prefix + line if line.strip() else line)
    return _is_proved(draft)


@kind("indent")
def indent_removed(draft: Draft, rng: random.Random) -> bool:
    """The common indentation of the request is lost, wholly or in part."""
    common = _common_indent([*draft.old, *draft.new])
    if not common:
        return False
    cut = rng.choice([len(common), rng.randint(1, len(common))])
    draft.change_request(lambda line: line[cut:] if line.strip() else line)
    return _is_proved(draft)


@kind("indent")
def indent_rescaled(draft: Draft, _rng: random.Random) -> bool:
    """Two spaces for four, or four for two."""
    unit = len(unit_of(draft.source))
    other = {4: 2, 2: 4}.get(unit)
    lines = [line for line in (*draft.old, *draft.new) if line.strip()]
    if other is None or any("\t" in indentation(line) or len(indentation(line)) % unit for line in lines):
        return False
    draft.change_request(lambda line: _change_unit(line, " " * unit, " " * other))
    return _is_proved(draft)


@kind("indent")
def first_line_stripped(draft: Draft, _rng: random.Random) -> bool:
    """The first line lost its indentation, as when text is copied from its first word on."""
    first = draft.rows[0]
    if not first.file or not indentation(first.file) or not has_words(first.file):
        return False
    if len(draft.new) > 1 and not any(map(str.strip, draft.old[1:])):
        return False
    if not first.touched:
        first.set_request((first.old or "").lstrip())
        return len(draft.old) > 1
    second = next((row for row in draft.rows if row.new is not None), None)
    index = next((at for at, row in enumerate(draft.rows) if row.old is None or not row.touched), 0)
    if second is None or not second.touched or draft.rows[index] is not second or not second.want:
        return False
    first.old, second.new = first.file.lstrip(), second.want.lstrip()
    return indentation(second.want) == indentation(first.file) and second.want.strip() != ""


@kind("indent")
def first_line_stripped_and_insertion_before(draft: Draft, rng: random.Random) -> bool:
    """The same, and the change inserts a line above: now that one lost its indentation."""
    first = draft.rows[0]
    if first.touched or not first.file or not indentation(first.file) or len(draft.old) < 2:
        return False
    new_line = invent_line(rng, draft.source, indentation(first.file))
    first.old = (first.old or "").lstrip()
    draft.rows.insert(0, Row(new=new_line.lstrip(), want=new_line, touched=True))
    return has_words(first.file)


@kind("indent")
def spaces_for_tabs(draft: Draft, rng: random.Random) -> bool:
    """The file has tabs, the request has spaces."""
    size = rng.choice([2, 4, 8])
    unit = unit_of(draft.source)
    if unit != "\t":
        if not _is_regular(draft, unit):
            return False
        draft.change_file(lambda line: _change_unit(line, unit, "\t"))
        size = len(unit)
    elif any(" " in indentation(line) for line in (*draft.old, *draft.new)):
        return False
    else:
        draft.change_request(lambda line: _change_unit(line, "\t", " " * size))
    return _is_proved(draft)


@kind("indent")
def tabs_for_spaces(draft: Draft, _rng: random.Random) -> bool:
    """The file has spaces, the request has tabs."""
    unit = unit_of(draft.source)
    if unit == "\t" or not _is_regular(draft, unit):
        return False
    draft.change_request(lambda line: _change_unit(line, unit, "\t"))
    return _is_proved(draft)


@kind("line", file=True)
def trailing_space_request(draft: Draft, rng: random.Random) -> bool:
    """Lines of old end in spaces, and so do unchanged lines in new; new lines are clean."""
    rows = [row for row in draft.rows if row.old is not None and row.old.strip() and rng.random() < 0.6]
    for row in rows:
        spaces = rng.choice([" ", "  ", "\t"])
        row.old = f"{row.old}{spaces}"
        row.new = None if row.new is None else f"{row.new}{spaces}"
    return bool(rows)


@kind("line", file=True)
def trailing_space_file(draft: Draft, rng: random.Random) -> bool:
    """Lines of the file end in spaces that the request lacks."""
    draft.final = True  # otherwise old occurs exactly, as part of its last line
    rows = [row for row in draft.rows if row.known and has_words(row.file) and rng.random() < 0.6]
    for row in rows:
        row.set_file(f"{row.file}{rng.choice([' ', '  ', '    '])}")
    draft.head, draft.tail = (
        [f"{line} " if line and not at % 7 else line for at, line in enumerate(part)]
        for part in (draft.head, draft.tail)
    )
    return bool(rows)


@kind("line", file=True)
def trailing_space_file_touched(draft: Draft, _rng: random.Random) -> bool:
    """A changed line ends in spaces in the file; it may keep or lose them."""
    for at, (removed, inserted) in enumerate(zip(draft.rows, draft.rows[1:], strict=False)):
        single = at + 2 >= len(draft.rows) or not draft.rows[at + 2].touched
        if (
            removed.touched
            and inserted.touched
            and removed.file
            and inserted.want
            and single
            and (at == 0 or not draft.rows[at - 1].touched)
        ):
            removed.file += "  "
            inserted.may_end = "  "
            return has_words(removed.file) and bool(inserted.want.strip())
    return False


@kind("rows", fuzzy=True, file=True)
def blank_dropped(draft: Draft, _rng: random.Random) -> bool:
    """The request omits blank lines."""
    rows = [draft.rows[at] for at in draft.inner() if draft.rows[at].file == ""]
    for row in rows:
        row.set_request(None)
    return bool(rows)


@kind("rows", fuzzy=True, file=True)
def blank_added(draft: Draft, rng: random.Random) -> bool:
    """The request has a blank line that the file lacks."""
    places = [at for at in draft.inner() if has_words(draft.rows[at].file)]
    places = [at for at in places if draft.rows[at + 1].known and has_words(draft.rows[at + 1].file)]
    if not places:
        return False
    draft.rows.insert(rng.choice(places) + 1, Row(old="", new=""))
    return True


@kind("line", file=True)
def blank_with_spaces_request(draft: Draft, rng: random.Random) -> bool:
    """The blank lines of the request contain spaces."""
    spaces = " " * rng.choice([2, 4, 8])
    rows = [row for row in draft.rows if row.known and row.file == ""]
    for row in rows:
        row.set_request(spaces)
    return bool(rows)


@kind("line", file=True)
def blank_with_spaces_file(draft: Draft, rng: random.Random) -> bool:
    """The blank lines of the file contain spaces."""
    spaces = " " * rng.choice([2, 4, 8])
    rows = [row for row in draft.rows if row.known and row.file == ""]
    for row in rows:
        row.set_file(spaces)
    return bool(rows)


@kind("eol")
def crlf_file(draft: Draft, _rng: random.Random) -> bool:
    """The file has CRLF, the request LF."""
    draft.eol = "\r\n"
    return True


@kind("eol")
def crlf_request(draft: Draft, _rng: random.Random) -> bool:
    """The request has CRLF, the file LF."""
    draft.request_eol = "\r\n"
    return len(draft.old) > 1 and len(draft.new) > 1


@kind("eol")
def no_final_newline_file(draft: Draft, _rng: random.Random) -> bool:
    """The last line of the file, which is unchanged, has no newline; the request has one."""
    draft.ends, draft.final = False, True
    return not draft.tail and draft.rows[-1].known and has_words(draft.rows[-1].file)


@kind("text")
def outer_newlines(draft: Draft, rng: random.Random) -> bool:
    """Both texts begin or end with extra newlines."""
    above, below = rng.choice([(1, 0), (0, 1), (1, 1), (2, 1)])
    before, after = (draft.head or [""])[-1], (draft.tail or [""])[0]
    if not draft.new or (above and not before) or (below and not after):
        return False
    ends = draft.old[0], draft.old[-1], draft.new[0], draft.new[-1]
    draft.rows = [
        *(Row(old="", new="") for _ in range(above)),
        *draft.rows,
        *(Row(old="", new="") for _ in range(below)),
    ]
    return all(ends)


@kind("line", fuzzy=True, file=True)
def reflowed_space(draft: Draft, rng: random.Random) -> bool:
    """The whitespace inside unchanged lines differs."""
    styles = [
        lambda text: re.sub(r"(?<=\S)  +", " ", re.sub(r", ", ",", text)),
        lambda text: re.sub(r"(?<=\w)\((?=\w)", "( ", re.sub(r"(?<=\w)\)", " )", text)),
        lambda text: re.sub(r" (=|==|\+|<|>|:|\|) ", r"\1", text),
        lambda text: re.sub(r"(?<=[^ ]) (?=[^ ])", "  ", text),
    ]
    changed = False
    for row in draft.rows:
        if row.known and row.old and rng.random() < 0.7:
            lead = indentation(row.old)
            text = lead + rng.choice(styles)(row.old[len(lead) :])
            changed |= text != row.old
            row.set_request(text)
    return changed


@kind("rows", fuzzy=True, file=True)
def reflowed_lines(draft: Draft, rng: random.Random) -> bool:
    """A long unchanged line is split in two in the request."""
    places = [at for at in draft.inner() if len((draft.rows[at].file or "").strip()) > 40]
    if not places:
        return False
    at = rng.choice(places)
    text = draft.rows[at].file or ""
    lead = indentation(text)
    cuts = [
        match.end() for match in re.finditer(r"\S ", text) if 15 < match.end() - len(lead) < len(text) - len(lead) - 12
    ]
    if not cuts:
        return False
    cut = rng.choice(cuts)
    draft.rows[at].set_request(text[:cut].rstrip())
    second_part = lead + unit_of(draft.source) + text[cut:].lstrip()
    draft.rows.insert(at + 1, Row(old=second_part, new=second_part))
    return True


def _common_indent(lines: list[str]) -> str:
    """The whitespace that all lines with words begin with."""
    indents = [indentation(line) for line in lines if line.strip()]
    if not indents:
        return ""
    shortest = min(indents, key=len)
    return shortest if all(indent.startswith(shortest) for indent in indents) else ""


def _change_unit(line: str, unit: str, other: str) -> str:
    """The line with another indentation width."""
    lead = indentation(line)
    steps = lead.count(unit) if lead.replace(unit, "") == "" else 0
    return other * steps + line[len(unit) * steps :]


def _is_regular(draft: Draft, unit: str) -> bool:
    """Whether all indentation near the change consists of whole levels."""
    lines = [*draft.old, *draft.new]
    return all(indentation(line).replace(unit, "") == "" for line in lines)


def _is_proved(draft: Draft) -> bool:
    """Whether lines of the file prove how the indentation changed, if a new line depends on it.

    If all have one depth that is not zero, it could be a shift or a scale: then new lines must be at that depth.
    """
    matched = [
        (row.old, row.file) for row in draft.rows if row.old and row.file and row.old.strip() and row.file.strip()
    ]
    pairs = {(indentation(old), indentation(file)) for old, file in matched}
    new_indents = {indentation(row.want) for row in draft.rows if row.touched and row.want and row.want.strip()}
    single_depth = len(pairs) == 1 and all(all(pair) for pair in pairs)
    return any(old != file for old, file in pairs) and (not single_depth or new_indents <= {file for _, file in pairs})
