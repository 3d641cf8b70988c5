"""What a check of `suture doctor` finds."""

from __future__ import annotations

from suture.records import Record

OK, NOTE, PROBLEM = "ok", "note", "problem"


class Finding(Record):
    """One line: what was looked at, how it is, and what to do about it."""

    name: str
    state: str
    """ok; note: something to know; problem: something does not work."""
    found: str
    advice: str = ""


def ok(name: str, found: str) -> Finding:
    """All is as it should be."""
    return Finding(name, OK, found)


def note(name: str, found: str, advice: str) -> Finding:
    """It works, but perhaps not as somebody thinks."""
    return Finding(name, NOTE, found, advice)


def problem(name: str, found: str, advice: str) -> Finding:
    """It does not work."""
    return Finding(name, PROBLEM, found, advice)
