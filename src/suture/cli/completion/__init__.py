"""`suture completion`: what makes a shell complete commands, options and values.

The scripts are made from the parser (`completable`). What only the workspace knows, changes and snapshots, they ask
for while somebody types, by the hidden option --values: a value in each line, and behind a tab what it is. Whatever
goes wrong then, nothing is printed. A name that is no line of plain text is left out; shells quote the others.
"""

from __future__ import annotations

from itertools import islice

from suture.cli.output import print_json, print_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from suture.plan import ChangeRecord

_MOST = 200
_LONGEST = 70
_PATIENCE_MS = 200  # somebody waits, with a finger on the key
_STATES = {"landed": "landed", "undone": "undone"}


def completion(options: argparse.Namespace) -> int:
    """Print a shell's script, or, for such a script, values."""
    if options.values:
        for line in _values(options.values, options.root):
            print_text(line)
        return 0
    from importlib import import_module

    from suture.cli.completion.completable import commands

    script: str = import_module(f"suture.cli.completion.{options.shell}").script(commands())
    if options.json:
        print_json({"shell": options.shell, "script": script})
    else:
        print_text(script, end="")
    return 0


def _values(kind: str, root: str) -> list[str]:
    try:
        return [*_lines(kind, root)]
    except Exception:  # noqa: BLE001  what stands on the line is not done yet, and nobody asked for an error
        return []


def _lines(kind: str, root: str) -> Iterator[str]:
    import os

    from suture.cli.onlooker import sight

    with sight(os.path.abspath(root), _PATIENCE_MS) as seen:
        if kind == "points":
            for point in reversed(seen.book.snapshots()):
                if point.name.isprintable() and not point.is_damaged:
                    yield f"{point.name}\tsnapshot of {_when(point.id)}"
        for change in islice(seen.changes(), _MOST):
            if change.state != "damaged" and change.state == _STATES.get(kind, change.state):
                yield f"{change.id}\t{_about(change)}"


def _about(change: ChangeRecord) -> str:
    from suture.tools.history import about

    said = "".join(char if char.isprintable() else " " for char in about(vars(change)))
    undone = "(undone) " if change.state == "undone" else ""
    whole = f"{_when(change.id)} {undone}{said}"
    return whole if len(whole) <= _LONGEST else f"{whole[: _LONGEST - 1]}…"


def _when(change_id: str) -> str:
    """The time in an id, as the clock on the wall has it."""
    from time import localtime, strftime

    from suture.files.journal import time_of

    return strftime("%Y-%m-%d %H:%M", localtime(time_of(change_id)))
