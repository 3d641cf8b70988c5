"""Redirect the standard input and output of this process to a server."""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from suture.server.calls import Calls
from suture.server.roots import Roots
from suture.server.stdio import serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from suture import Workspace

Message = dict[str, Any]


@contextmanager
def redirect(source: int, target: int) -> Iterator[None]:
    """Redirect the descriptors 0 and 1."""
    saved = os.dup(0), os.dup(1)
    os.dup2(source, 0)
    os.dup2(target, 1)
    try:
        yield
    finally:
        for number, copy in enumerate(saved):
            os.dup2(copy, number)
            os.close(copy)


def serve_tools(workspace: Workspace, names: list[str], max_bytes: int) -> bool:
    """Serve these tools over standard input and output, with messages of up to `max_bytes`."""
    calls = Calls(names)
    try:
        return serve(calls, Roots.fixed(workspace), max_bytes)
    finally:
        calls.end()
        workspace.close()  # which waits for a checkpoint that is being taken


def exchange(serve: Callable[[], object], *messages: Message | bytes) -> list[Message]:
    """The answers of a server to messages that arrive at once, followed by the end of the input."""
    with tempfile.TemporaryFile() as source, tempfile.TemporaryFile() as target:
        for message in messages:
            source.write((message if isinstance(message, bytes) else json.dumps(message).encode()) + b"\n")
        source.seek(0)
        with redirect(source.fileno(), target.fileno()):
            serve()
        target.seek(0)
        return [json.loads(line) for line in target.read().splitlines()]
