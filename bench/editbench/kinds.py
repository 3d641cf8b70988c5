"""The record of a kind of corruption, and the table in which the corrupting functions register."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from bench.editbench.rows import Draft

    Corruption = Callable[[Draft, random.Random], bool]

GROUPS = ("rows", "line", "look", "indent", "text", "eol")
"""The order in which several corruptions are combined; at most one of each group."""
NEAR, WIDE = (0, 5), (2, 7)


@dataclass(frozen=True)
class Kind:
    """One kind of task. The function corrupts a draft, or says that this draft can't be corrupted in this way."""

    name: str
    corrupt: Corruption
    group: str = ""
    fuzzy: bool = False
    """The words of some lines differ between file and request."""
    file: bool = False
    """The bytes of unchanged lines differ between file and request."""
    context: tuple[int, int] = NEAR
    refuse: bool = False
    """It must be refused."""
    many: bool = False
    """It is refused because there are several places."""
    why: str | None = None
    """The only right reason for a refusal."""
    open: bool = False
    """Nothing proves the place without an earlier version of the file: refusing is right too."""


KINDS: dict[str, Kind] = {}


def kind(
    group: str = "",
    *,
    fuzzy: bool = False,
    file: bool = False,
    context: tuple[int, int] | None = None,
    refuse: bool = False,
    many: bool = False,
    why: str | None = None,
    open: bool = False,  # noqa: A002  the field's name
) -> Callable[[Corruption], Corruption]:
    """Register a function as a kind under its own name."""

    def register(corrupt: Corruption) -> Corruption:
        name = corrupt.__name__
        around = context or (WIDE if fuzzy else NEAR)
        KINDS[name] = Kind(name, corrupt, group, fuzzy, file, around, refuse, many, why, open)
        return corrupt

    return register
