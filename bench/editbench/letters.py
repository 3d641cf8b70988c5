"""Corruption of characters: look-alikes, accents, entities, escapes, and wrappers around a request."""

from __future__ import annotations

import html
import re
import unicodedata
from typing import TYPE_CHECKING

from bench.editbench.kinds import kind
from bench.editbench.rows import DASHES, QUOTES, SPACES, Row, indentation

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from bench.editbench.rows import Draft

EXOTIC = frozenset({*QUOTES, *DASHES, *SPACES})
ACCENTS = {"a": "á", "e": "é", "i": "ï", "o": "ö", "u": "ü", "n": "ñ", "c": "ç"}
NUMBERED = ["{:>6}\t{}", "{:>4} | {}", "{}: {}", "{:>5}→{}", "{}|{}", "{:04d}: {}"]


@kind("look")
def curly_quotes_request(draft: Draft, _rng: random.Random) -> bool:
    """The request has typographic quotes instead of plain ones."""
    return _change_request(draft, _curl_quotes, "\"'")


@kind("look")
def dashes_request(draft: Draft, rng: random.Random) -> bool:
    """The request has a typographic dash instead of each hyphen."""
    dash = rng.choice("\u2013\u2014\u2011\u2212")
    return _change_request(draft, lambda line: line.replace("-", dash), "-")


@kind("look")
def nbsp_request(draft: Draft, rng: random.Random) -> bool:
    """The request has no-break spaces inside lines, or everywhere."""
    anywhere = rng.random() < 0.3
    return _change_request(draft, lambda line: _use_nbsp(line, lead=anywhere), " ")


@kind("look", file=True)
def curly_quotes_file(draft: Draft, _rng: random.Random) -> bool:
    """The file has typographic quotes in unchanged lines."""
    return _change_file(draft, _curl_quotes)


@kind("look", file=True)
def dashes_file(draft: Draft, rng: random.Random) -> bool:
    """The file has dashes in unchanged lines."""
    dash = rng.choice("\u2013\u2014")
    return _change_file(draft, lambda line: line.replace("-", dash))


@kind("look", file=True)
def nbsp_file(draft: Draft, _rng: random.Random) -> bool:
    """The file has no-break spaces in unchanged lines."""
    return _change_file(draft, lambda line: _use_nbsp(line, lead=False))


@kind("look")
def nfd_request(draft: Draft, rng: random.Random) -> bool:
    """The request is decomposed, the file composed."""
    if not _add_accents(draft, rng, everywhere=True):
        return False
    draft.change_request(lambda line: unicodedata.normalize("NFD", line))
    return True


@kind("look", file=True)
def nfd_file(draft: Draft, rng: random.Random) -> bool:
    """The file is decomposed in unchanged lines, the request composed."""
    if not _add_accents(draft, rng, everywhere=False):
        return False
    for row in draft.rows:
        if row.known:
            row.set_file(unicodedata.normalize("NFD", row.file or ""))
    return True


@kind("look")
def html_entities(draft: Draft, rng: random.Random) -> bool:
    """Angle brackets and ampersands, sometimes quotes, are escaped for HTML."""
    quote = rng.random() < 0.5
    if re.search(r"&\w+;|&#", "".join((*draft.old, *draft.new))):
        return False
    return _change_request(draft, lambda line: html.escape(line, quote=quote), "<>&\"'" if quote else "<>&")


@kind("look")
def escaped_quotes(draft: Draft, rng: random.Random) -> bool:
    """Quotes have backslashes, as inside a JSON string."""
    quote = rng.choice(['"', '"', "'"])
    if "\\" in "".join((*draft.old, *draft.new)):
        return False
    return _change_request(draft, lambda line: line.replace(quote, f"\\{quote}"), quote)


@kind("eol")
def escaped_newlines(draft: Draft, _rng: random.Random) -> bool:
    r"""The whole request is one line with `\n` in it, tabs as `\t`."""
    if len(draft.old) < 2 or "\\" in "".join((*draft.old, *draft.new)):
        return False
    draft.change_request(lambda line: line.replace("\t", "\\t"))
    draft.request_eol = "\\n"
    return len(draft.new) > 1 or not draft.final


@kind("text")
def code_fence(draft: Draft, _rng: random.Random) -> bool:
    """Both texts are in a code fence."""
    if any("```" in line for line in (*draft.old, *draft.new)):
        return False
    mark = "```" + draft.source.language
    draft.rows = [Row(old=mark, new=mark), *draft.rows, Row(old="```", new="```")]
    return len(draft.new) > 2


@kind("text")
def line_numbers_old(draft: Draft, rng: random.Random) -> bool:
    """Old has the line numbers of a listing."""
    _add_line_numbers(draft, rng.choice(NUMBERED), both=False)
    return len(draft.old) > 1


@kind("text")
def line_numbers_both(draft: Draft, rng: random.Random) -> bool:
    """Old and new have the line numbers of a listing."""
    _add_line_numbers(draft, rng.choice(NUMBERED), both=True)
    return len(draft.old) > 1 and len(draft.new) > 1


def _curl_quotes(line: str) -> str:
    line = re.sub(r'"([^"]*)"', "\u201c\\1\u201d", line)
    return re.sub(r"'([^']*)'", "\u2018\\1\u2019", line).replace('"', "\u201d").replace("'", "\u2019")


def _use_nbsp(line: str, *, lead: bool) -> str:
    start = 0 if lead else len(indentation(line))
    return line[:start] + line[start:].replace(" ", "\u00a0")


def _change_request(draft: Draft, change: Callable[[str], str], characters: str) -> bool:
    """Change the whole request, if matched lines have a counterpart of these characters for each in the new lines."""
    if EXOTIC & set("".join((*draft.old, *draft.new))):
        return False
    old_characters = {
        character for row in draft.rows if row.old is not None for character in row.old if character in characters
    }
    new_characters = {
        character
        for row in draft.rows
        if row.touched and row.new is not None
        for character in row.new
        if character in characters
    }
    proof = any(row.old is not None and change(row.old) != row.old for row in draft.rows)
    draft.change_request(change)
    return proof and new_characters <= old_characters


def _change_file(draft: Draft, change: Callable[[str], str]) -> bool:
    """Change unchanged lines of the file, and its other lines that look like prose."""
    rows = [row for row in draft.rows if row.known and row.file is not None and change(row.file) != row.file]
    for row in rows:
        row.set_file(change(row.file or ""))
    draft.head, draft.tail = (
        [change(line) if not at % 5 else line for at, line in enumerate(part)] for part in (draft.head, draft.tail)
    )
    return bool(rows)


def _add_accents(draft: Draft, rng: random.Random, *, everywhere: bool) -> bool:
    """Give some words an accent, the same in file and request."""
    letter = rng.choice([*ACCENTS])
    rows = [row for row in draft.rows if row.known or everywhere]
    if not any(row.known and letter in (row.file or "") for row in rows):
        return False

    def accent(line: str | None) -> str | None:
        return None if line is None else line.replace(letter, ACCENTS[letter], 2)

    for row in rows:
        row.file, row.old, row.new, row.want = map(accent, (row.file, row.old, row.new, row.want))
    return True


def _add_line_numbers(draft: Draft, shape: str, *, both: bool) -> None:
    old = new = len(draft.head) + 1
    for row in draft.rows:
        if row.old is not None:
            row.old, old = shape.format(old, row.old), old + 1
        if row.new is not None and both:
            row.new, new = shape.format(new, row.new), new + 1
