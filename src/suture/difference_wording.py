"""The words for what differs between a text that was sent and the file."""

from __future__ import annotations

from suture.phrases import count, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from suture.locate.differences import Difference

_SHORT = 40
_NAMES = {" ": "space", "\t": "tab", "\u00a0": "no-break space", "\u200b": "zero-width space"}


def difference(each: Difference) -> str:
    """A difference, in words."""
    if each.what == "missing_line":  # it is not repeated: the text has one line of what was sent already
        return f"line {each.sent_line} of your text is not at this place"
    words = _DIFFERENCES[each.what](each.expected, each.found)
    return f"{words} ({each.times} times)" if each.times > 1 else words


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


def _quoted(text: str) -> str:
    try:
        shown = plain(text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"))
    except UnicodeEncodeError:  # half a surrogate pair in what was sent, and no byte of the file
        shown = plain(text.encode("utf-8", "backslashreplace").decode())
    shown = f"{shown[:_SHORT]}…" if len(shown) > _SHORT else shown
    return f'"{shown}"' if "'" in shown else f"'{shown}'"


def _spacing(expected: str, found: str) -> str:
    word = expected.rstrip() if expected.strip() and found.strip() else ""
    sent, here = (each[len(word) :] for each in (expected, found)) if found.startswith(word) else (expected, found)
    if word and not (sent + here).strip():
        if here == f"{sent} ":
            return f"Extra space after {_quoted(word)}"
        return f"after {_quoted(word)}: file has {_space(here)}, you sent {_space(sent)}"
    return f"white space: {_quoted(found)} in the file, {_quoted(expected)} in your text"


def _quotes(expected: str, found: str) -> str:
    kinds = {'"': "double", "'": "single"}
    here, sent = (next((kinds[char] for char in each if char in kinds), "other") for each in (found, expected))
    return f"Uses {here} quotes instead of {sent} quotes"


def _other(expected: str, found: str) -> str:
    if not expected or not found:
        return f"only in {'the file' if found else 'your text'}: {_quoted(found or expected)}"
    return f"{_quoted(found)} in the file, {_quoted(expected)} in your text"


_DIFFERENCES: dict[str, Callable[[str, str], str]] = {
    "indentation": lambda sent, here: f"indentation: file has {_space(here)}, you sent {_space(sent)}",
    "trailing": lambda sent, here: f"at the end of the line: file has {_space(here)}, you sent {_space(sent)}",
    "spacing": _spacing,
    "line_end": lambda sent, here: f"line ends {_end(here)} in the file, {_end(sent)} in your text",
    "line_break": lambda sent, here: f"lines are broken differently: {here} in the file, {sent} in your text",
    "blank_line": lambda sent, _here: f"a blank line is only in {'your text' if sent else 'the file'}",
    "spelled": lambda sent, _here: f"your text has {sent} written out where the file has a line break",
    "exotic_space": lambda sent, here: f"{_points(here)} in the file, {_points(sent)} in your text",
    "case": lambda sent, here: f"case: {_quoted(here)} in the file, {_quoted(sent)} in your text",
    "look_alike": lambda sent, here: f"{_points(here)} in the file, {_points(sent)} in your text",
    "quotes": _quotes,
    "escape": lambda sent, here: f"escaped differently: {_quoted(here)} in the file, {_quoted(sent)} in your text",
    "entities": lambda sent, _here: f"your text has HTML entities ({sent}) for characters",
    "marks": _other,
    "composition": lambda sent, here: f"{_quoted(here)} is {_points(here)} in the file, {_points(sent)} in your text",
    "numbers": lambda sent, _here: f"your text has line numbers ({_quoted(sent)}) that are not in the file",
    "fence": lambda _sent, _here: "your text stands in a code fence that is not in the file",
    "word": _other,
    "extra_line": lambda _sent, here: f"the file has a line more here: {_quoted(here.strip())}",
}


def _end(ending: str) -> str:
    return {"\r\n": "CRLF", "\n": "LF", "\r": "CR"}.get(ending, "without a line break")
