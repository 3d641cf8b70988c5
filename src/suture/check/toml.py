"""TOML, judged by `tomli` where it is installed, else by the standard library's `tomllib`.

They are the same parser, but the wheels of `tomli` are compiled, which makes it two to four times as fast. From 2.4 on
it reads TOML 1.1.
"""

from __future__ import annotations

from suture.check.issue import INVALID, Issue, NotRunError, Places
from suture.check.worker import TAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from suture.check.issue import Staging

_LONG_LINE, _MOST_PARTS = 1_000, 500
_KEY = r"""[ \t]*(?:[\w-]+|"[^"]*"|'[^']*')[ \t]*[.=]"""
_AT_END = " (at end of document)"
_AT_LINE, _COLUMN = " (at line ", ", column "
_AGAIN = ("Cannot ", "Duplicate ")
"""How a complaint begins about what stands in two places: it is made at the end of the second."""
_UNFINISHED = ("Unclosed", "Expected '='")
_NEVER_CLOSED = ("Unterminated", "Expected \"'''\"")
_WORDS = (
    ("Invalid statement", "a key, a [table] or a comment must stand here"),
    ("Invalid initial character for a key part", "a key must stand here: letters, digits, '-' and '_', or quotes"),
    ("Expected '=' after a key", "a '=' is missing behind the key"),
    ("Invalid value", "no value of TOML begins here: a text needs quotes, true and false are written small"),
    ("Expected newline or end of document", "text behind the value: a new line must begin here"),
    ("Cannot overwrite a value", "this key or table stands twice"),
    ("Cannot declare", "the table {name} cannot be declared here: it is already, or what it is a part of is complete"),
    ("Cannot mutate immutable namespace", "the table {name} is complete already: nothing can be added here"),
    ("Cannot redefine namespace", "the table {name} is declared already: nothing can be added here"),
    ("Duplicate inline table key", "the key {name} stands twice in this inline table"),
    ("Unclosed array", "',' or ']' is missing in an array"),
    ("Unclosed inline table", "',' or '}}' is missing in an inline table"),
    ("Unterminated string", "the string that begins here is never closed"),
    ("Expected ']' at the end", "']' is missing behind the name of the table"),
    ("Expected ']]' at the end", "']]' is missing behind the name of the tables"),
    ("Expected \"'''\"", "the string that begins here is never closed"),
    ('Expected "\'"', "a string is not closed in its line: a single quote is missing"),
    ("Unescaped '\\' in a string", "'\\' begins an escape that TOML does not know: write '\\\\', or use single quotes"),
    ("Illegal character '\\n'", "a string is not closed in its line: a double quote is missing"),
    ("Found invalid character '\\n'", "a string is not closed in its line: a single quote is missing"),
    ("Illegal character", "the character {name} cannot stand here"),
    ("Found invalid character", "the character {name} cannot stand here"),
    ("Invalid hex value", "hexadecimal digits are missing behind \\x, \\u or \\U"),
    ("Escaped character is not", "this escape stands for no character"),
    ("Invalid date or datetime", "there is no such date or time"),
    ("Exceeds the limit", "a number of too many digits"),
)
"""What the parser says, and what it means."""


class Toml:
    """TOML 1.0, or the version that the installed `tomli` reads. What stands twice is an error."""

    name = "toml"
    files = ("*.toml", "Pipfile", "Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock")
    syntax_codes = (INVALID,)
    first_only = True
    tame = TAME

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """The first error."""
        del before, staging
        try:
            loaded(path, after)
        except ValueError as error:
            return [_issue(after, str(error))]
        return []


def loaded(path: str, text: str) -> object:
    """What a text says; ValueError if it is not TOML, NotRunError if it would take too long to read."""
    _hold_bearable(path, text)
    try:
        return _loads()(text)
    except RecursionError:
        raise NotRunError(f"{path} is nested too deeply") from None


def _loads() -> Callable[[str], object]:
    from importlib import import_module  # mypy need not know of `tomli`

    try:
        module = import_module("tomli")
    except ImportError:
        module = import_module("tomllib")
    found: Callable[[str], object] = module.loads
    return found


def _hold_bearable(path: str, text: str) -> None:
    """Keep keys of very many parts from `tomllib`, whose time and memory grow with their square."""
    for line in text.split("\n"):
        if len(line) > _LONG_LINE and line.partition("=")[0].count(".") > _MOST_PARTS:
            raise NotRunError(f"{path} has a key of more than {_MOST_PARTS} parts")


def _issue(text: str, said: str) -> Issue:
    message, offset = said, 0
    places = Places(text)
    if said.endswith(_AT_END):
        message, offset = said.removesuffix(_AT_END), len(text.rstrip())
    elif _AT_LINE in said:
        message, _, place = said.rpartition(_AT_LINE)
        line, _, column = place.removesuffix(")").partition(_COLUMN)
        offset = places.offset(int(line), int(column)) if "\n" in text else int(column) - 1
    if message.startswith(_AGAIN):
        offset = _statement(text, offset)
    elif message.startswith(_UNFINISHED):
        offset = len(text[:offset].rstrip())
    elif message.startswith(_NEVER_CLOSED):
        offset = _quotes(text)
    return Issue("error", *places.at(offset), INVALID, _worded(message))


def _statement(text: str, offset: int) -> int:
    """Where a statement begins that ends at an offset, as far as one can see without reading it."""
    from re import match

    begin = text.rfind("\n", 0, offset) + 1
    line = first = text[begin:offset]
    while begin and not match(_KEY, line) and not first.lstrip().startswith("["):
        end = begin - 1
        begin = text.rfind("\n", 0, end) + 1
        line = text[begin:end]
    return begin + len(line) - len(line.lstrip())


def _quotes(text: str) -> int:
    """Where a string begins that nothing closes."""
    found = max(text.rfind('"""'), text.rfind("'''"))
    return found if found >= 0 else text.rfind('"')


def _worded(said: str) -> str:
    for beginning, words in _WORDS:
        if said.startswith(beginning):
            return words.format(name=_name(said.removeprefix(beginning)))
    return said


def _name(said: str) -> str:
    """What a complaint is about: `('a', 'b')` is a.b."""
    begin, end = said.find("("), said.rfind(")")
    if begin < 0 or end < 0:
        return said.strip()
    return ".".join(part.strip(" '\"") for part in said[begin + 1 : end].split(",") if part.strip())
