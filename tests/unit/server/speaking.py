"""Standard input and output of this very process, lent to a server."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from suture.server import build
from suture.server.calls import Calls
from suture.server.stdio import serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from suture import Workspace

Message = dict[str, Any]


@contextmanager
def redirected(source: int, target: int) -> Iterator[None]:
    """Let the descriptors 0 and 1 lead there."""
    kept = os.dup(0), os.dup(1)
    os.dup2(source, 0)
    os.dup2(target, 1)
    try:
        yield
    finally:
        for number, each in enumerate(kept):
            os.dup2(each, number)
            os.close(each)


def served(workspace: Workspace, names: list[str], most: int) -> bool:
    """Serve these tools over standard input and output, with messages of at most so many bytes."""
    calls = Calls(workspace, names, 10_000_000)
    try:
        return serve(build(calls, workspace.root), calls, most)
    finally:
        calls.end()


def spoken(serve: Callable[[], object], *messages: Message | bytes) -> list[Message]:
    """What a server answers to messages that come in one go and then end."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as target:
        for each in messages:
            source.write((each if isinstance(each, bytes) else json.dumps(each).encode()) + b"\n")
        source.seek(0)
        with redirected(source.fileno(), target.fileno()):
            serve()
        target.seek(0)
        return [json.loads(line) for line in target.read().splitlines()]
