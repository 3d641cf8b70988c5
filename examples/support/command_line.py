"""The command line of an agent: its task, its folder, its model, and how to undo its work."""

import argparse
import json
import shlex
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from support.sample import sample_project
from support.transcript import Ask, BadTranscript, Recorder, Replay

from suture import Workspace

Agent: TypeAlias = Callable[[Ask, Workspace, str, str, int], str]
"""Takes the model, the workspace, the task, the model's name and the maximum of replies; returns the last message."""
MAX_LINES = 16


def run(
    agent: Agent,
    connect: Callable[[], Ask],
    *,
    model: str,
    read: Callable[[Any], Any],
    new: Callable[[dict[str, Any]], Any],
) -> None:
    """Run an agent as the command's arguments say.

    `connect` returns the API's `create`, `read` makes a reply from its JSON, and `new` returns the part of a request
    that earlier requests did not have.
    """
    options = _arguments(model)
    try:
        replay = Replay(options.replay, read, new) if options.replay else None
        task = options.task or (replay.task if replay else "")
        ask = replay or connect()
        ask = Recorder(ask, options.record, new) if options.record else ask
        folder = options.folder or sample_project()
        print(f"Task: {task}\n", flush=True)
        with _checkpoint(folder) as workspace:
            print(agent(ask, workspace, task, options.model, options.turns))
    except BadTranscript as error:
        sys.exit(f"replay: {error}")


@contextmanager
def _checkpoint(folder: Path) -> Iterator[Workspace]:
    """A workspace with a checkpoint, and a message on how to restore it when the agent ends."""
    workspace = Workspace(folder)
    point = time.strftime("before-agent-%Y%m%d-%H%M%S")
    result = workspace.checkpoint(point)
    try:
        yield workspace
    finally:
        if not result.is_error:
            print(
                f"\nTo undo everything: suture restore --yes --to {point} --root {shlex.quote(str(folder))}", flush=True
            )


def show(name: str, arguments: object, answer: str, *, failed: bool) -> None:
    """Print a call and its result."""
    print(f"> {name} {arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)}")
    lines = f"{'FAILED: ' * failed}{answer}".split("\n")
    if len(lines) > MAX_LINES:
        lines[MAX_LINES:] = [f"({len(lines) - MAX_LINES} more lines)"]
    print("\n".join(f"  {line}".rstrip() for line in lines), end="\n\n", flush=True)


def _arguments(model: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("task", nargs="?", help="what to do; a recording has its own task")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="the workspace (default: a new sample project)")
    parser.add_argument(
        "--replay", type=Path, metavar="FILE", help="offline: take the model's replies from a recording"
    )
    parser.add_argument("--record", type=Path, metavar="FILE", help="write a recording")
    parser.add_argument("--model", default=model, metavar="NAME", help="(default: %(default)s)")
    parser.add_argument(
        "--turns", default=20, type=int, metavar="N", help="maximum number of replies (default: %(default)s)"
    )
    options = parser.parse_args()
    if options.folder and not options.folder.is_dir():
        parser.error(f"folder {options.folder} does not exist")
    if not options.task and not options.replay:
        parser.error("expected a task, or a recording to replay")
    return options
