"""Syntax checks: files of 100 KB in several languages, right ones and broken ones.

A right file is read once. A broken one is read again for every repair that is tried, and its old text once.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bench.table import compared, in_turns
from suture.validate.languages import LANGUAGES
from suture.validate.syntax import Syntax
from tests.unit.validate.syntax_samples import GOOD, REPEATED

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.table import Table

SIZE, ROUNDS = 100_000, 7
NAMES = ("javascript", "typescript", "go", "rust", "java", "c", "cpp", "php", "ruby", "kotlin", "lua", "css", "html")


class Staged:
    """A text that stands in no folder: these checks need none."""

    root = name = "/"
    seconds = 60.0

    def folder(self) -> str:
        """Never asked for."""
        raise NotImplementedError

    def file(self) -> str:
        """Never asked for."""
        raise NotImplementedError


def tables(_: Path) -> Iterator[Table]:
    """Right texts first."""
    checks = {language.name: Syntax(language) for language in LANGUAGES if language.name in NAMES}
    texts = {name: _text(name) for name in NAMES}
    for name, text in texts.items():
        if checks[name].check("", None, text, Staged()):
            raise SystemExit(f"the text in {name} is not right")
    yield compared(
        f"Checking the syntax of {SIZE // 1000} KB that are right ({ROUNDS} rounds)",
        in_turns({name: partial(checks[name].check, "", None, texts[name], Staged()) for name in NAMES}, ROUNDS),
        against=[],
        goals=dict.fromkeys(NAMES, "< 15 ms"),
    )
    broken = {name: _broken(text) for name, text in texts.items() if name in REPEATED}
    for name, text in broken.items():
        if not checks[name].check("", texts[name], text, Staged()):
            raise SystemExit(f"nothing was found in the text in {name}")
    yield compared(
        f"Finding the bracket that is missing in the middle of {SIZE // 1000} KB ({ROUNDS} rounds)",
        in_turns(
            {name: partial(checks[name].check, "", texts[name], text, Staged()) for name, text in broken.items()},
            ROUNDS,
        ),
        against=[],
    )


def _text(name: str) -> str:
    """A text of the size: functions that are all alike, or the samples again and again."""
    if name in REPEATED:
        head, body, tail = REPEATED[name]
        made = [body.format(n=number) for number in range(SIZE // len(body))]
        return "".join([head, *made, tail])
    sample = GOOD[name][0]
    return sample * (SIZE // len(sample))


def _broken(text: str) -> str:
    at = text.index(")", len(text) // 2)
    return text[:at] + text[at + 1 :]
