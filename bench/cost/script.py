"""A script: the calls that a model makes for a task, each perhaps depending on the answers before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from pathlib import Path

    from bench.cost.client import Client

    Steps = Generator["Call", "Answer", None]
    """Yields calls, and receives their answers."""

    Script = Callable[[], Steps]

READ_LINES = 45
"""How many lines a model reads from the first line of a function on, if it does not know where the function ends."""


@dataclass(frozen=True)
class Call:
    """A call of a tool."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """What a model may read of a call's result."""

    texts: tuple[str, ...]
    structured: object = None
    """The structured content, or None."""
    failed: bool = False

    @property
    def text(self) -> str:
        """All text blocks."""
        return "\n".join(self.texts)


@dataclass(frozen=True)
class Contestant:
    """A server, how to start it in a folder, and what a model does with it for each task."""

    name: str
    version: str
    start: Callable[[Path, Path], Client]
    """Starts it for a folder; the second argument is a folder for its own files."""
    scripts: Mapping[str, Script | str]
    """By the names of the tasks; a text says why a task is not possible."""
    before: Script | None = None
    """Calls that the server asks for at the beginning of each session. They are counted with the definitions."""
    description: Callable[[str], str] = str
    """Removes from a tool's description what it says only about this machine."""


def once(tool: str, **arguments: object) -> Script:
    """The script of a single call."""
    return each(Call(tool, arguments))


def each(*calls: Call) -> Script:
    """The script of several calls that depend on nothing."""

    def script() -> Steps:
        for call in calls:
            _answer = yield call  # `yield from` would send the answer on to the tuple

    return script
