"""Targets that fail, to test that this is detected."""

from __future__ import annotations

import os
import signal

from tests.fuzz.target import Target


def _raise(_data: bytes) -> None:
    raise ValueError("wrong")


def _assert(data: bytes) -> None:
    assert data is None, "wrong"


def _take_time(_data: bytes) -> None:
    while True:
        pass


def _take_memory(_data: bytes) -> None:
    bytearray(4_000_000_000)


def _die(_data: bytes) -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def _never_return(_data: bytes) -> None:
    sum(range(10**15))


WRONG = {
    name: Target(name, run, seconds=0.2)
    for name, run in {
        "wrong: raises": _raise,
        "wrong: asserts": _assert,
        "wrong: takes time": _take_time,
        "wrong: takes memory": _take_memory,
        "wrong: dies": _die,
        "wrong: never returns": _never_return,
    }.items()
}
