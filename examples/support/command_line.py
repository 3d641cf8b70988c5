"""The command line around an agent: its task, its folder, its model, and the way back."""

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
"""Takes whom to ask, where to work, the task, the model's name and the most replies; gives the model's last words."""
MOST_LINES = 16


def run(
    agent: Agent,
    connect: Callable[[], Ask],
    *,
    model: str,
    read: Callable[[Any], Any],
    new: Callable[[dict[str, Any]], Any],
) -> None:
    """Run an agent as the command's arguments say.

    `connect` gives the API's `create`, `read` makes a reply of its JSON, and `new` takes out of a request what the
    requests before it did not have.
    """
    given = _arguments(model)
    try:
        replay = Replay(given.replay, read, new) if given.replay else None
        task = given.task or (replay.task if replay else "")
        ask = replay or connect()
        ask = Recorder(ask, given.record, new) if given.record else ask
        folder = given.folder or sample_project()
        print(f"Task: {task}\n", flush=True)
        with _way_back(folder) as workspace:
            print(agent(ask, workspace, task, given.model, given.turns))
    except BadTranscript as error:
        sys.exit(f"replay: {error}")


@contextmanager
def _way_back(folder: Path) -> Iterator[Workspace]:
    """A workspace that can be had back as it was, however the agent ends."""
    workspace = Workspace(folder)
    point = time.strftime("before-agent-%Y%m%d-%H%M%S")
    taken = workspace.snapshot(point)
    try:
        yield workspace
    finally:
        if not taken.is_error:
            print(f"\nTo take it all back: suture restore --to {point} --root {shlex.quote(str(folder))}", flush=True)


def show(name: str, arguments: object, answer: str, *, failed: bool) -> None:
    """Print a call and what came of it."""
    print(f"> {name} {arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)}")
    lines = f"{'FAILED: ' * failed}{answer}".split("\n")
    if len(lines) > MOST_LINES:
        lines[MOST_LINES:] = [f"({len(lines) - MOST_LINES} more lines)"]
    print("\n".join(f"  {line}".rstrip() for line in lines), end="\n\n", flush=True)


def _arguments(model: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("task", nargs="?", help="what to do; a recording has its own")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where (default: a new sample project)")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="offline: take the model's side from a recording")
    parser.add_argument("--record", type=Path, metavar="FILE", help="write a recording")
    parser.add_argument("--model", default=model, metavar="NAME", help="(default: %(default)s)")
    parser.add_argument("--turns", default=20, type=int, metavar="N", help="the most replies (default: %(default)s)")
    given = parser.parse_args()
    if given.folder and not given.folder.is_dir():
        parser.error(f"there is no folder {given.folder}")
    if not given.task and not given.replay:
        parser.error("say what to do, or give a recording to replay")
    return given
