"""Runs the scripts and counts."""

from __future__ import annotations

import shutil
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.cost.count import count_answer, count_definitions, count_request, count_structured, count_tokens
from bench.cost.source import read_tree, write_tree
from bench.cost.tasks import TASKS
from bench.editbench.peers import Unavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bench.cost.client import Client
    from bench.cost.script import Answer, Call, Contestant, Script
    from bench.cost.source import Tree
    from bench.cost.tasks import Task

PAUSE = 0.5
"""A model takes longer than that to write the next call; work in the background goes on in the meantime."""


@dataclass(frozen=True)
class Step:
    """A call and its answer."""

    call: Call
    answer: Answer
    seconds: float


@dataclass(frozen=True)
class Outcome:
    """What a task cost, and whether it was done."""

    steps: Sequence[Step] = field(default=())
    right: bool = False
    impossible: str = ""
    """Why the server has no way to do it."""

    @property
    def requests(self) -> int:
        """Tokens of the requests."""
        return sum(count_request(step.call) for step in self.steps)

    @property
    def answers(self) -> int:
        """Tokens of the answers, as text."""
        return sum(count_answer(step.answer) for step in self.steps)

    @property
    def structured(self) -> int:
        """Tokens of the answers, as structured content where there is any."""
        return sum(count_structured(step.answer) for step in self.steps)

    @property
    def milliseconds(self) -> float:
        """How long the calls took together."""
        return sum(step.seconds for step in self.steps) * 1000


@dataclass(frozen=True)
class Session:
    """What a model reads before its first task."""

    definitions: int
    instructions: int
    """What the server tells the client about itself, which many clients pass on."""
    before: Outcome


@dataclass(frozen=True)
class Result:
    """A contestant's session and its outcomes, by the names of the tasks."""

    contestant: Contestant
    session: Session
    outcomes: dict[str, Outcome]

    @property
    def possible(self) -> list[Outcome]:
        """The outcomes of tasks that were possible."""
        return [outcome for outcome in self.outcomes.values() if not outcome.impossible]


def run_contestant(contestant: Contestant, tree: Tree, folder: Path) -> Result:
    """All tasks, each with a new server in a fresh copy of the files."""
    session = None
    outcomes = {}
    for task in TASKS:
        script = contestant.scripts[task.name]
        if isinstance(script, str):
            outcomes[task.name] = Outcome(impossible=script)
            continue
        place = Path(tempfile.mkdtemp(prefix="cost-", dir=folder))
        root = place / "flask"
        write_tree(tree, root)
        with contestant.start(root, place / "own") as client:
            before = follow(client, contestant.before) if contestant.before else []
            session = session or _session(contestant, client, before)
            earlier = contestant.scripts.get(task.after)
            if earlier is not None and not isinstance(earlier, str):
                follow(client, earlier)
            steps = follow(client, script)
        outcomes[task.name] = judge(task, tree, read_tree(root), steps)
        shutil.rmtree(place)
    if session is None:
        raise Unavailable("no task is possible")
    return Result(contestant, session, outcomes)


def _session(contestant: Contestant, client: Client, before: Sequence[Step]) -> Session:
    tools: list[dict[str, Any]] = [
        tool | {"description": contestant.description(tool.get("description", ""))} for tool in client.tools()
    ]
    return Session(count_definitions(tools), count_tokens(client.instructions), Outcome(before))


def follow(client: Client, script: Script, pause: float = PAUSE) -> list[Step]:
    """Make a script's calls, with pauses between them."""
    steps: list[Step] = []
    running = script()
    try:
        call = next(running)
        while True:
            answer, seconds = client.call(call)
            steps.append(Step(call, answer, seconds))
            call = running.send(answer)
            time.sleep(pause)
    except StopIteration:
        return steps


def judge(task: Task, before: Tree, after: Tree, steps: Sequence[Step]) -> Outcome:
    """Whether the files are as they should be, and the answers show what was asked for."""
    text = "\n".join(step.answer.text for step in steps)
    return Outcome(steps, task.expected(before) == after and task.shown(before, text))
