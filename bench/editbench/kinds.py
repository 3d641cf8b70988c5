"""The record of a kind of spoiling, and the table that the spoiling functions enter themselves in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random
    from collections.abc import Callable

    from bench.editbench.rows import Draft

    Spoil = Callable[[Draft, random.Random], bool]

GROUPS = ("rows", "line", "look", "indent", "text", "eol")
"""The order in which several distortions are put on; of each group there is at most one."""
NEAR, WIDE = (0, 5), (2, 7)


@dataclass(frozen=True)
class Kind:
    """One kind of task. The function spoils a draft, or says that this draft can't be spoiled so."""

    name: str
    spoil: Spoil
    group: str = ""
    fuzzy: bool = False
    """The words of some lines differ between file and request."""
    file: bool = False
    """Lines that stay are other bytes in the file than in the request."""
    context: tuple[int, int] = NEAR
    refuse: bool = False
    """It must be refused."""
    many: bool = False
    """It is refused because there are several places."""
    why: str | None = None
    """The only reason that is right."""
    open: bool = False
    """Nothing proves the place without an earlier version of the file: refusing is right, too."""


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
) -> Callable[[Spoil], Spoil]:
    """Enter a function as a kind under its own name."""

    def enter(spoil: Spoil) -> Spoil:
        name = spoil.__name__
        around = context or (WIDE if fuzzy else NEAR)
        KINDS[name] = Kind(name, spoil, group, fuzzy, file, around, refuse, many, why, open)
        return spoil

    return enter
