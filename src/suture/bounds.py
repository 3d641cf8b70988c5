"""What one call may take: the time until it begins to write, and the size of what it makes.

The bounds are set once, where a call begins (`within`), and hold in its thread for all layers below. A loop that may
run long calls `check_time` now and then. Code that makes much more than it was given calls `check_size` first. Outside
of a call there are no bounds, so functions on values can be used alone.

Rejected: a deadline as an argument. It would go through every function of `locate`, `diff` and `formats`, and the one
that forgets to pass it on is the one that hangs. Also rejected: an exception raised into the thread from outside. It
could strike while a file is written or a lock is released.
"""

from __future__ import annotations

from _thread import _local
from contextlib import contextmanager
from sys import maxsize
from time import monotonic

from suture.errors import CallTimedOut, InputTooLarge

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeVar

    from suture.settings import Settings

    T = TypeVar("T")

_FOREVER = float("inf")
_OFTEN = 1_024  # steps between two looks at the clock: a look takes as long as a simple step


class Overrun(Exception):
    """The call's time is over.

    It is no `SutureError`: a failed part of a call is often caught, and the rest of the call goes on. `within` turns
    it into `CallTimedOut`.
    """


@contextmanager
def within(settings: Settings) -> Iterator[None]:
    """Hold what is done inside to the settings' bounds; inside of another call, that call's bounds hold."""
    if _current.ends < _FOREVER:
        yield
        return
    _current.ends = monotonic() + settings.call_ms / 1_000
    _current.largest = settings.max_file_bytes
    try:
        yield
    except Overrun:
        raise CallTimedOut(timeout_ms=settings.call_ms) from None
    finally:
        _current.ends, _current.largest = _FOREVER, maxsize


@contextmanager
def suspend() -> Iterator[None]:
    """Let what is done inside take as long as it takes: a commit that has begun."""
    before = _current.ends, _current.largest
    _current.ends, _current.largest = _FOREVER, maxsize
    try:
        yield
    finally:
        _current.ends, _current.largest = before


def check_time() -> None:
    """Stop if the call's time is over."""
    if monotonic() > _current.ends:
        raise Overrun


def timed(items: Iterable[T]) -> Iterator[T]:
    """The same items; `check_time` is called every now and then."""
    left = 0
    for item in items:
        if not left:
            left = _OFTEN
            check_time()
        left -= 1
        yield item


def check_size(what: str, size: int) -> None:
    """Refuse to make a text that is larger than a file may be."""
    if size > _current.largest:
        raise InputTooLarge(what=what, size=size, limit=_current.largest, setting="max_file_bytes")


def check_limit(what: str, size: int, settings: Settings, setting: str, unit: str = "bytes") -> None:
    """Refuse what is larger, or more, than a setting allows."""
    limit = getattr(settings, setting)
    if size > limit:
        raise InputTooLarge(what=what, size=size, limit=limit, setting=setting, unit=unit)


class _Bounds(_local):
    """Those of the call that the thread makes."""

    ends = _FOREVER
    largest = maxsize


_current = _Bounds()
