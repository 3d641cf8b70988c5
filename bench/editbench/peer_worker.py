"""Run one peer over tasks: `python peer_worker.py NAME < tasks > replies`, JSON lines both ways.

It runs in the peer's own environment and imports only the peer and the standard library.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    Editor = Callable[[str, str, str], str | None]


def aider() -> Editor:
    """Its SEARCH/REPLACE blocks."""
    from aider.coders import editblock_coder  # type: ignore[import-not-found]  # noqa: PLC0415  only the peer has it

    def edit(body: str, old: str, new: str) -> str | None:
        result: str | None = editblock_coder.do_replace("file", body, old, new, ("```", "```"))
        return result

    return edit


def openhands() -> Editor:
    """The command `str_replace` of its editor, on its own file."""
    from openhands_aci.editor import editor  # type: ignore[import-not-found]  # noqa: PLC0415  only the peer has it
    from openhands_aci.editor.exceptions import (  # type: ignore[import-not-found]  # noqa: PLC0415  as above
        ToolError,
    )

    path = Path(tempfile.mkdtemp(prefix="editbench-")) / "file.txt"
    tool = editor.OHEditor()

    def edit(body: str, old: str, new: str) -> str | None:
        path.write_bytes(body.encode())
        try:
            tool(command="str_replace", path=str(path), old_str=old, new_str=new)
        except ToolError:
            return None
        return path.read_bytes().decode()

    return edit


def openhands_timed() -> Editor:
    """The same on an existing file: if the body of a task is a path, the answer is the seconds that the edit took."""
    from openhands_aci.editor import editor  # noqa: PLC0415  the peer alone has it

    tool = editor.OHEditor()

    def edit(path: str, old: str, new: str) -> str:
        begin = time.perf_counter()
        tool(command="str_replace", path=path, old_str=old, new_str=new)
        return str(time.perf_counter() - begin)

    return edit


def mpatch() -> Editor:
    """A patch made of the two texts, with all of old as its context."""
    import mpatch as package  # type: ignore[import-not-found]  # noqa: PLC0415  only the peer has it

    def edit(body: str, old: str, new: str) -> str | None:
        whole = len(old) + len(new)
        patch: Any = package.Patch.from_texts("file", old, new, context_len=whole)
        result = patch.apply_to_content(body)
        return str(result.new_content) if result.report.all_applied_cleanly else None

    return edit


def main() -> None:
    """Answer each line."""
    edit = EDITORS[sys.argv[1]]()
    replies = sys.stdout
    sys.stdout = sys.stderr  # output that a peer prints is not a reply
    for line in sys.stdin:
        task = json.loads(line)
        try:
            after = edit(task["body"], task["old"], task["new"])
        except Exception as error:  # noqa: BLE001  whatever a peer raises is a refusal
            print(repr(error)[:200])
            after = None
        replies.write(json.dumps({"after": after}) + "\n")
        replies.flush()


EDITORS = {"aider": aider, "openhands": openhands, "openhands_timed": openhands_timed, "mpatch": mpatch}

if __name__ == "__main__":
    main()
