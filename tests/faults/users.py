"""Run as an ordinary user: what root may do proves little."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = os.geteuid() == 0
NOBODY = 65534


@contextmanager
def nobody() -> Iterator[None]:
    """Become an ordinary user; a process that is not root stays as it is."""
    if not ROOT:
        yield
        return
    groups, group = os.getgroups(), os.getegid()
    os.setgroups([])
    os.setegid(NOBODY)
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(group)
        os.setgroups(groups)
