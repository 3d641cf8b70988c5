"""The tables of the results, and the transcript of a task."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from bench.cost.tasks import TASKS
from bench.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.cost.run import Outcome, Result

WRONG, IMPOSSIBLE = "wrong", "-"
GOALS = {"definitions": "<= 1,600", "tasks": "<= 3,000", "calls": "<= 2"}


def tables(results: Sequence[Result], notes: Sequence[str]) -> Iterator[Table]:
    """What each task costs, and everything together."""
    yield by_task(results, notes)
    yield together(results)


def by_task(results: Sequence[Result], notes: Sequence[str]) -> Table:
    """Tokens and calls of each task: requests, and answers as text. Equal columns are shown once."""
    columns: dict[tuple[str, ...], list[str]] = {}
    for result in results:
        columns.setdefault(_column(result), []).append(result.contestant.name)
    titles = ["definitions", "before the first task", *(task.title for task in TASKS)]
    rows = [list(row) for row in zip(titles, *columns, strict=True) if any(row[1:])]
    explained = [
        "tokens (calls): characters / 4 of requests and answers; definitions: name, description, input schema",
        f"{WRONG}: the files, or what the answers show, are not as they should be",
        *(f"the same as {first}: {', '.join(others)}" for first, *others in columns.values() if others),
    ]
    reasons = {
        f"{IMPOSSIBLE} {result.contestant.name}: {outcome.impossible}"
        for result in results
        for outcome in result.outcomes.values()
        if outcome.impossible
    }
    head = ["", *(names[0] for names in columns.values())]
    return Table("Tokens and calls for ten tasks over MCP", head, rows, [*explained, *sorted(reasons), *notes])


def _column(result: Result) -> tuple[str, ...]:
    cells = [_cell(result.outcomes[task.name]) for task in TASKS]
    return (f"{result.session.definitions:,}", _tokens_and_calls(result.session.before), *cells)


def together(results: Sequence[Result]) -> Table:
    """Sums over all tasks; a row for each contestant."""
    head = ["", "definitions", "instructions", "requests", "answers", "tasks", "all", "structured", "calls", "most"]
    rows = [[f"{result.contestant.name} {result.contestant.version}", *_sums(result)] for result in results]
    notes = [
        "instructions: what the server tells the client about itself, not in `all`",
        "all: definitions, calls before the first task, and tasks; structured: `all` for a client that reads that",
        "most: calls of the task with most of them; ms: one run, from each request to its answer",
        "goals of suture agent: " + ", ".join(f"{name} {goal}" for name, goal in GOALS.items()),
    ]
    return Table("All ten tasks together, in tokens", [*head, "ms", "right"], rows, notes)


def _sums(result: Result) -> list[str]:
    session, possible = result.session, result.possible
    requests, answers = sum(o.requests for o in possible), sum(o.answers for o in possible)
    first = session.definitions + session.before.requests
    numbers = [
        session.definitions,
        session.instructions,
        requests,
        answers,
        requests + answers,
        first + session.before.answers + requests + answers,
        first + session.before.structured + requests + sum(outcome.structured for outcome in possible),
        sum(len(outcome.steps) for outcome in possible),
        max(len(outcome.steps) for outcome in possible),
        round(sum(outcome.milliseconds for outcome in possible)),
    ]
    right = sum(outcome.right for outcome in possible)
    return [*(f"{number:,}" for number in numbers), f"{right} of {len(TASKS)}"]


def _cell(outcome: Outcome) -> str:
    if outcome.impossible:
        return IMPOSSIBLE
    return f"{'' if outcome.right else f'{WRONG} '}{_tokens_and_calls(outcome)}"


def _tokens_and_calls(outcome: Outcome) -> str:
    return f"{outcome.requests + outcome.answers:,} ({len(outcome.steps)})" if outcome.steps else ""


def transcript(result: Result, name: str) -> str:
    """Every request and answer of a task."""
    outcome = result.outcomes[name]
    lines = [f"{result.contestant.name} {result.contestant.version}: {name}, {_cell(outcome)} {outcome.impossible}"]
    for step in outcome.steps:
        arguments = json.dumps(step.call.arguments, ensure_ascii=False)
        lines += [f"> {step.call.tool} {arguments}", *(f"< {text}" for text in step.answer.texts)]
    return "\n".join(lines)
