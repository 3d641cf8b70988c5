"""Phrases that several messages share: places, counts, differences."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from suture.audience import Audience
    from suture.errors import SutureError, Version
    from suture.match.diagnose import Difference

    E = TypeVar("E", bound=SutureError)
    Sentence = Callable[[Any, Audience], str]
    Words = tuple[Sentence, Sentence]
    """What happened, and what to do about it, for an audience."""


_LONGEST_VALUE = 300  # characters of a value in a sentence
_LONGEST_COPY = 200  # characters of a line that is shown as it is
_SHORT_ID = 12  # characters of a commit's id
LINE = 120
"""Characters of a line that is shown among others."""
AS_SENT = {"exact", "line_ends", None}
"""The rungs of a text that is in the file just as it was sent; None where there was none to find."""
RUNGS = {
    "exact": "exactly",
    "line_ends": "ignoring line endings",
    "trailing": "ignoring trailing whitespace",
    "indentation": "ignoring indentation",
    "trimmed": "ignoring its first or last line",
    "look_alike": "ignoring look-alike characters",
    "escape": "ignoring escapes, line numbers or a code fence",
    "tokens": "ignoring whitespace",
    "elision": "around what is elided",
    "rebased": "as it was in an earlier version",
    "similar": "by similarity",
}
"""How a text was found, by the names of `match.ladder.LADDER`."""
_LONGEST_QUOTE = 40  # characters of either side of a difference
_NAMES = {" ": "space", "\t": "tab", "\u00a0": "no-break space", "\u200b": "zero-width space"}


def plain(text: str) -> str:
    """A line fit to be shown: nothing that a terminal obeys, not too long."""
    short = text if len(text) <= _LONGEST_VALUE else text[:_LONGEST_VALUE] + "…"
    if short.isprintable():
        return short
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in short)


def as_it_is(line: str) -> str:
    """A line to be copied: nothing that a terminal obeys but tabs, not too long."""
    return "\t".join(map(plain, line[:_LONGEST_COPY].split("\t")))


def count(number: int, noun: str) -> str:
    """A number of things, in words."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def few(side: str | None, most: int) -> list[str]:
    """The beginning of one side of a conflict."""
    if not side:
        return ["(no file)" if side is None else "(nothing)"]
    lines = side.split("\n")
    lines = lines[:-1] if lines[-1] == "" else lines
    shown = [plain(line)[:LINE] for line in lines[:most]]
    more = len(lines) - most
    return shown if more <= 0 else [*shown[:-1], f"{shown[-1]} … and {count(more, 'line')} more"]


def how_matched(rung: str | None) -> str:
    """How a text was recognized, in words."""
    return RUNGS.get(str(rung), f"by {str(rung).replace('_', ' ')}")


def in_symbol(symbol: str) -> str:
    """The class or function that a place is in, as it follows the place."""
    return f" in {plain(symbol)}" if symbol else ""


def version_name(version: Version) -> str:
    """The version of a file that a text was written on, in words."""
    source, known, until = version["source"], version["id"], version["until"]
    if source == "history":
        return f"change {known}" if known else f"the version before change {until}" if until else "an earlier version"
    named = {"read": "the version you read", "index": "the version in git's index"}
    return named.get(source) or f"commit {str(known)[:_SHORT_ID]}{' (HEAD)' if source == 'head' else ''}"


def _replaced_by(version: Version) -> str:
    """What replaced a version of a file, in words."""
    until = version["until"]
    if until is None:
        return "a later change"
    return f"change {until}" if version["source"] in {"read", "history"} else f"commit {until[:_SHORT_ID]}"


def provenance(why: str, version: Version | None) -> str:
    """On which version a text was written that can't be found as it was sent, and what became of it."""
    if version is None:
        return "It was in an earlier version of the file."
    did = {"deleted": "removed it", "conflict": "changed these lines"}.get(why)
    rest = f"{_replaced_by(version)} {did}" if did else "the file has changed since"
    if did and version["source"] == "history" and version["id"] is None and version["until"]:
        return f"{rest[0].upper()}{rest[1:]}."
    return f"It is in {version_name(version)}; {rest}."


def span(start_line: int, end_line: int) -> str:
    """Lines, in words."""
    return f"line {start_line}" if start_line >= end_line else f"lines {start_line}-{end_line}"


def ordinal(number: int) -> str:
    """1st, 2nd, 3rd."""
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def shown_lines(start_line: int, text: str, most: int) -> list[str]:
    """The beginning of some lines of a file, numbered."""
    return [f"    {start_line + at:6}  {line}" for at, line in enumerate(few(text, most))]


def first_line(text: str) -> str:
    """The first line of what was sent that says something, to recognize it by, and how many lines there are."""
    lines = text.removesuffix("\n").split("\n")
    shown = plain(next((line.strip() for line in lines if line.strip()), text))[:LINE]
    return f"{shown} … ({count(len(lines), 'line')})" if len(lines) > 1 else shown


def in_argument(argument: str) -> str:
    """Where in a call's arguments something is, such as `edits[0].new_text`, at the beginning of a sentence."""
    part, dot, name = argument.rpartition("].")
    return f"{part}]: {name}" if dot else argument


def literal(audience: Audience) -> str:
    """What to do if a placeholder is meant as text."""
    return f"If the file should contain this line, {audience.add_literal()}."


def entry(
    kind: type[E],
    message: str | Callable[[E], str] = "",
    hint: str | Callable[[E], str] = "",
    *,
    message_for: Callable[[E, Audience], str] | None = None,
    hint_for: Callable[[E, Audience], str] | None = None,
) -> tuple[str, Words]:
    """An entry of a table of words, by the code of a kind of error.

    A text is the same whatever the error's fields are. `message_for` and `hint_for` are also told whom they are for.
    """
    return kind.code, (message_for or _for_all(message), hint_for or _for_all(hint))


def _for_all(sentence: str | Callable[[E], str]) -> Sentence:
    """A sentence that is the same for every audience."""
    if isinstance(sentence, str):
        return lambda _error, _audience: sentence
    return lambda error, _audience: sentence(error)


def difference(differing: Difference) -> str:
    """A difference, in words."""
    if differing.what == "missing_line":  # it is not repeated: the text has one line of what was sent already
        return f"line {differing.sent_line} of your text is not at this place"
    words = _DIFFERENCES[differing.what](differing.expected, differing.found)
    return f"{words} ({differing.times} times)" if differing.times > 1 else words


def _space(white: str) -> str:
    """White space in words: 2 tabs, 8 spaces."""
    if not white:
        return "none"
    runs: list[tuple[str, int]] = []
    for char in white:
        if runs and runs[-1][0] == char:
            runs[-1] = char, runs[-1][1] + 1
        else:
            runs.append((char, 1))
    return " and ".join(count(number, _NAMES.get(char, _point(char))) for char, number in runs[:3])


def _point(char: str) -> str:
    return f"U+{ord(char):04X}"


def _points(text: str) -> str:
    named = [f"{_point(char)}" + (f" ({_NAMES[char]})" if char in _NAMES else "") for char in text[:3]]
    return " ".join(named) or "nothing"


def _quote(text: str) -> str:
    try:
        shown = plain(text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
    except UnicodeEncodeError:  # half a surrogate pair in what was sent, and no byte of the file
        shown = plain(text.encode("utf-8", "backslashreplace").decode())
    shown = f"{shown[:_LONGEST_QUOTE]}…" if len(shown) > _LONGEST_QUOTE else shown
    return f'"{shown}"' if "'" in shown else f"'{shown}'"


def _spacing(expected: str, actual: str) -> str:
    word = expected.rstrip() if expected.strip() and actual.strip() else ""
    sent, own = (text[len(word) :] for text in (expected, actual)) if actual.startswith(word) else (expected, actual)
    if word and not (sent + own).strip():
        if own == f"{sent} ":
            return f"Extra space after {_quote(word)}"
        return f"after {_quote(word)}: file has {_space(own)}, you sent {_space(sent)}"
    return f"whitespace: {_quote(actual)} in the file, {_quote(expected)} in your text"


def _quotes(expected: str, actual: str) -> str:
    kinds = {'"': "double", "'": "single"}
    own, sent = (next((kinds[char] for char in text if char in kinds), "other") for text in (actual, expected))
    return f"Uses {own} quotes instead of {sent} quotes"


def _other(expected: str, actual: str) -> str:
    if not expected or not actual:
        return f"only in {'the file' if actual else 'your text'}: {_quote(actual or expected)}"
    return f"{_quote(actual)} in the file, {_quote(expected)} in your text"


_DIFFERENCES: dict[str, Callable[[str, str], str]] = {
    "indentation": lambda sent, here: f"indentation: file has {_space(here)}, you sent {_space(sent)}",
    "trailing": lambda sent, here: f"at the end of the line: file has {_space(here)}, you sent {_space(sent)}",
    "spacing": _spacing,
    "line_end": lambda sent, here: f"line ends {_end(here)} in the file, {_end(sent)} in your text",
    "line_break": lambda sent, here: f"lines are broken differently: {here} in the file, {sent} in your text",
    "blank_line": lambda sent, _here: f"a blank line is only in {'your text' if sent else 'the file'}",
    "spelled": lambda sent, _here: f"your text has {sent} written out where the file has a line break",
    "exotic_space": lambda sent, here: f"{_points(here)} in the file, {_points(sent)} in your text",
    "case": lambda sent, here: f"case: {_quote(here)} in the file, {_quote(sent)} in your text",
    "look_alike": lambda sent, here: f"{_points(here)} in the file, {_points(sent)} in your text",
    "quotes": _quotes,
    "escape": lambda sent, here: f"escaped differently: {_quote(here)} in the file, {_quote(sent)} in your text",
    "entities": lambda sent, _here: f"your text has HTML entities ({sent}) for characters",
    "marks": _other,
    "composition": lambda sent, here: f"{_quote(here)} is {_points(here)} in the file, {_points(sent)} in your text",
    "numbers": lambda sent, _here: f"your text has line numbers ({_quote(sent)}) that are not in the file",
    "fence": lambda _sent, _here: "your text is in a code fence that is not in the file",
    "word": _other,
    "extra_line": lambda _sent, here: f"the file has a line more here: {_quote(here.strip())}",
}


def _end(ending: str) -> str:
    return {"\r\n": "CRLF", "\n": "LF", "\r": "CR"}.get(ending, "without a line break")
