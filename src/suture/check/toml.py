"""TOML, judged by `tomli` where it is installed, else by the standard library's `tomllib`.

They are the same parser, but the wheels of `tomli` are compiled, which makes it two to four times as fast. From 2.4 on
it reads TOML 1.1. Errors are told in their words and, mostly, at their places (docs/adr/0025).
"""

from __future__ import annotations

from suture.check.issue import INVALID, Issue, NotRunError, Places
from suture.check.worker import TAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from suture.check.issue import Staging

_LONG_LINE, _MOST_PARTS = 1_000, 500
_STATEMENT = r"""(?m)^[ \t]*+(\[[^\n]*\Z|(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*[.=])"""
_DUPLICATE = ("Cannot ", "Duplicate ")
"""How a complaint begins about a second key or table: it is made at the end of that."""


class Toml:
    """TOML 1.0, or the version that the installed `tomli` reads. A duplicate key is an error."""

    name = "toml"
    files = ("*.toml", "Pipfile", "Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock")
    syntax_codes = (INVALID,)
    first_only = True
    tame = TAME

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        """The first error."""
        del before, staging
        try:
            load(path, after)
        except ValueError as error:
            return [_issue(after, str(error))]
        return []


def load(path: str, text: str) -> object:
    """The value of a text; ValueError if it is not TOML, NotRunError if it would take too long to read."""
    _check_key_parts(path, text)
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
    loads: Callable[[str], object] = module.loads
    return loads


def _check_key_parts(path: str, text: str) -> None:
    """Keep keys of very many parts from `tomllib`, whose time and memory grow with their square."""
    for line in text.split("\n"):
        if len(line) > _LONG_LINE and line.partition("=")[0].count(".") > _MOST_PARTS:
            raise NotRunError(f"{path} has a key of more than {_MOST_PARTS} parts")


def _issue(text: str, error: str) -> Issue:
    """The parser's message, without the place at its end."""
    from re import finditer, search

    places = Places(text)
    message, _, place = error.rpartition(" (at ")
    numbers = search(r"line (\d+), column (\d+)", place)
    offset = len(text)
    if numbers is not None:
        line, column = map(int, numbers.groups())
        offset = places.offset(line, column) if "\n" in text else column - 1  # a lone \r ends no line for it
    if numbers is None or message.startswith("Unclosed"):
        offset = len(text[:offset].rstrip())
    elif message.startswith(_DUPLICATE):
        offset = max((match.start(1) for match in finditer(_STATEMENT, text[:offset])), default=offset)
    return Issue("error", *places.at(offset), INVALID, message or error)
