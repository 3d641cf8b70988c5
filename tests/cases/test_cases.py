"""Every case file by the library; `test_ways.py` has the command line and MCP."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.cases.case_file import ANYTHING, Call, Case, differences, every_case, parse
from tests.cases.ways import CallResult, Memory, Outcome, fill_placeholders, run, run_steps

if TYPE_CHECKING:
    from collections.abc import Callable

    from suture.testing import MemoryFS


def check(case: Case, results: list[CallResult]) -> None:
    """Hold what the calls of a case gave to what it says."""
    for number, (call, result) in enumerate(zip(case.calls, results, strict=True), 1):
        problems = [*wrong_answer(call, result), *wrong_tree(call, result)]
        report = "\n  ".join([f"{case.id}, request {number} ({call.tool}):", *problems])
        advice = f"If the answer is right, put it in: python -m tests.cases --write tests/cases/{case.file}.case"
        assert not problems, f"{report}\n{advice}\nIts text:\n{result.outcome.text}"


def wrong_answer(call: Call, result: CallResult) -> list[str]:
    expected, outcome = call.expected, result.outcome
    data = json.loads(outcome.text) if isinstance(expected.fields, list) else outcome.data
    fields = fill_placeholders(expected.fields, [], result.tree)
    problems = []
    if outcome.is_error != (expected.code is not None):
        problems.append("it failed" if outcome.is_error else "it did not fail")
    elif expected.code is not None:
        error = outcome.data["error"]
        problems += differences(
            {"code": expected.code, **fill_placeholders(expected.error, [], result.tree)}, error, "error."
        )
    if expected.whole and isinstance(fields, dict) and isinstance(data, dict):
        problems += [f"{name} is not expected" for name in data if name not in fields]
    problems += differences(fields, data)
    for relation, text in expected.texts:
        holds = {"is": text == outcome.text, "contains": text in outcome.text, "lacks": text not in outcome.text}
        holds["hints"] = text == outcome.hints
        if text != ANYTHING and not holds[relation]:
            verb = {"is": "is not", "contains": "lacks", "lacks": "has", "hints": f"has the hints {outcome.hints}, not"}
            problems.append(f"the text {verb[relation]}: {text}")
    return problems


def wrong_tree(call: Call, result: CallResult) -> list[str]:
    """What is wrong with the tree, and with what was written although the tree is the same."""
    problems = [
        f"{name} is {result.tree.get(name)}, not {call.tree.get(name)}"
        for name in sorted({*call.tree, *result.tree})
        if call.tree.get(name) != result.tree.get(name)
    ]
    problems += [f"{name} was written, and is as it was" for name in result.rewritten]
    copies = call.tool == "patch" and call.expected.code is None  # it may fill a clipboard
    idle = call.arguments.get("dry_run") is True or not (call.changes or copies)
    if result.touched and idle:
        problems.append("it changes nothing, but something was written")
    return problems


def marks(case: Case) -> list[pytest.MarkDecorator]:
    return [*map(pytest.mark.promise, case.promises), *([pytest.mark.process] if case.process else [])]


PARAMETERS = [pytest.param(case, id=case.id, marks=marks(case)) for case in every_case()]


@pytest.mark.parametrize("case", PARAMETERS)
def test_the_library_does_what_a_case_says(case: Case) -> None:
    check(case, run(case, "library"))


@pytest.mark.parametrize(
    ("write", "problems"),
    [
        (lambda fs: fs.files(), []),
        (
            lambda fs: fs.put("a", b"one\n"),
            ["a was written, and is as it was", "it changes nothing, but something was written"],
        ),
        (
            lambda fs: fs.shelf.update({"history.db": b"a change"}),
            ["it changes nothing, but something was written"],
        ),
    ],
    ids=["nothing", "the same bytes", "only the history"],
)
def test_what_a_refusal_writes_is_noticed(write: Callable[[MemoryFS], object], problems: list[str]) -> None:
    (case,) = parse("=== case: a\n=== before: a\none\n=== request: file_edit\n=== error: NO_MATCH\n")
    storage = Memory()

    def refuse(tool: str, arguments: Any) -> Outcome:
        del tool, arguments
        write(storage.fs)
        return Outcome(is_error=True, text="", data={"error": {"code": "NO_MATCH"}})

    (result,) = run_steps(case, storage, refuse)
    assert wrong_tree(case.calls[0], result) == problems
