"""The MCP server: what it tells every client about itself and its tools. Nothing here needs the SDK."""

from __future__ import annotations

import gc
from contextlib import contextmanager

from suture import __version__
from suture.apis import definitions, replace_surrogates
from suture.server.calls import reads_only_text
from suture.tools import find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any


INFO = {
    "name": "suture",
    "version": __version__,
    "title": "suture",
    "description": "Edits that land exactly where they were meant, or nowhere.",
}
_ABOUT = "suture {does} files in {root}. Paths are relative to it."
_OPEN_FOLDER = "the folder that is open in the client"
_EDITS = """
Every edit lands exactly where it was meant, or nothing changes and the answer says why and how to fix it: read it, \
and send the correction if it offers one. Each call is one transaction over all its files."""
_UNDO = " `undo` reverts it."
_GC_THRESHOLD = 20_000  # new objects between two garbage collections; a call makes some thousands


def instructions(root: str | None, names: Sequence[str]) -> str:
    """What a model should know about a server that lists these tools; `root` is None if it is not known yet."""
    writes = any(find(name).read is None for name in names)
    about = _ABOUT.format(
        does="reads and edits" if writes else "reads and searches",
        root=_OPEN_FOLDER if root is None else replace_surrogates(root),
    )
    return f"{about}{_EDITS * writes}{_UNDO * (writes and 'undo' in names)}"


def list_tools(names: Sequence[str], client: str) -> list[dict[str, Any]]:
    """These tools as `tools/list` shows them to a client."""
    listed: list[dict[str, Any]] = definitions("mcp", names)
    if reads_only_text(client):
        for tool in listed:
            tool.pop("outputSchema", None)
    return listed


@contextmanager
def quick_imports() -> Iterator[None]:
    """Import without garbage collection: it would find nothing in the SDK, and take a tenth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.set_threshold(_GC_THRESHOLD)
        gc.enable()


def missing_extra(purpose: str, error: ModuleNotFoundError) -> tuple[str, str]:
    """What is missing without the SDK, and what to do about it."""
    package = str(error.name).partition(".")[0]
    return f"{purpose} needs the extra mcp: package {package} is missing.", "Install it: pip install 'suture[mcp]'"
