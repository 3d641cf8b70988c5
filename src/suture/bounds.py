"""The limits of one call: the time until it begins to write, and the size of its output.

The bounds are set once, where a call begins (`within`), and apply in its thread to all layers below. A loop that may
run long calls `check_time` regularly. Code that may produce much more than its input calls `check_size` first. Outside
a call there are no bounds, so functions on values can be used on their own.

Rejected: a deadline as an argument. It would go through every function of `locate`, `diff` and `formats`, and the one
that forgets to pass it on is the one that hangs. Also rejected: an exception raised in the thread from outside. It
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
_CLOCK_INTERVAL = 1_024  # items between two looks at the clock: a look takes as long as a simple step


class Overrun(Exception):
    """The call's time limit has expired.

    Not a `SutureError`: the failure of a part is often caught so that the rest of the call can go on. `within` turns it
    into `CallTimedOut`.
    """


@contextmanager
def within(settings: Settings) -> Iterator[None]:
    """Apply the settings' bounds to the block; inside another call, that call's bounds apply."""
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
    """Lift the bounds for the block, such as a commit that has begun."""
    before = _current.ends, _current.largest
    _current.ends, _current.largest = _FOREVER, maxsize
    try:
        yield
    finally:
        _current.ends, _current.largest = before


def check_time() -> None:
    """Stop if the call's time limit has expired."""
    if monotonic() > _current.ends:
        raise Overrun


def timed(items: Iterable[T]) -> Iterator[T]:
    """The same items, with regular calls of `check_time`."""
    left = 0
    for item in items:
        if not left:
            left = _CLOCK_INTERVAL
            check_time()
        left -= 1
        yield item


def check_size(what: str, size: int) -> None:
    """Refuse to produce a text that is larger than a file may be."""
    if size > _current.largest:
        raise InputTooLarge(what=what, size=size, limit=_current.largest, setting="max_file_bytes")


def check_limit(what: str, size: int, settings: Settings, setting: str, unit: str = "bytes") -> None:
    """Refuse a size or number above a setting."""
    limit = getattr(settings, setting)
    if size > limit:
        raise InputTooLarge(what=what, size=size, limit=limit, setting=setting, unit=unit)


class _Bounds(_local):
    """The bounds of the thread's current call."""

    ends = _FOREVER
    largest = maxsize


_current = _Bounds()
