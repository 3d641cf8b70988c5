"""All checks of a call: in parallel, within their time, and isolated from each other's faults."""

import threading
import time
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from suture.check import gate
from suture.check.data import Json
from suture.check.gate import Finding, NotRun, Report, Subject, run_checks
from suture.check.issue import Issue, NotRunError, Staging
from suture.check.registry import Configuration, FileCheck, Registry
from suture.files.local_fs import Layout


class Check:
    """A check from a function of the text."""

    files = ("*",)

    def __init__(self, run: Callable[[str, Staging], list[Issue]], name: str = "check") -> None:
        self.name = name
        self._run = run

    def check(self, path: str, before: str | None, after: str, staging: Staging) -> list[Issue]:
        del path, before
        return self._run(after, staging)


def subject(chosen: list[FileCheck], before: str | None = None, after: str = "x\n", name: str = "a") -> Subject:
    layout = Layout("/nowhere", {name: after.encode()})
    return Subject(name, name, before, after, layout.stage(name), layout.stage(name), tuple(chosen))


def words(text: str, _: Staging) -> list[Issue]:
    return [Issue("error", n, 1, "X", line) for n, line in enumerate(text.split("\n"), 1) if line.startswith("x")]


def reasons(report: Report) -> list[str]:
    return [check.reason for check in report.not_run]


def test_problems_are_reported_with_validator_and_place() -> None:
    report = run_checks([subject([FileCheck(Check(words))], "x1\nx2\n", "x1\nx3\n")], 300)
    assert [(problem.path, problem.validator, problem.issue.message) for problem in report.new] == [
        ("a", "check", "x3")
    ]
    assert [problem.issue.message for problem in report.existing] == ["x1"]
    assert [problem.issue.message for problem in report.fixed] == ["x2"]
    assert not report.passed()
    assert report.blocks()


def test_what_is_not_changed_is_checked_once() -> None:
    texts: list[str] = []

    def note_text(text: str, staging: Staging) -> list[Issue]:
        texts.append(text)
        return words(text, staging)

    report = run_checks([subject([FileCheck(Check(note_text))], "x\n", "x\n")], 300)
    assert texts == ["x\n"]
    assert (len(report.new), len(report.existing)) == (0, 1)
    assert report.passed()
    assert not report.passed(every=True)
    assert report.blocks(every=True)


@pytest.mark.promise("safe.not-run")
def test_what_an_old_syntax_error_hides_is_not_checked() -> None:
    class Parser(Check):
        syntax_codes = ("X",)

    report = run_checks([subject([FileCheck(Parser(words))], "x\na\n", "x\nb\n")], 300)
    assert reasons(report) == ["an earlier problem in line 1 hides everything after it"]
    assert not report.passed()
    assert not report.blocks()
    Parser.sees_all = True  # type: ignore[attr-defined]  # a check may have it
    assert run_checks([subject([FileCheck(Parser(words))], "x\na\n", "x\nb\n")], 300).passed()


def crash(_: str, __: Staging) -> list[Issue]:
    message = "out of luck"
    raise RuntimeError(message)


def give_up(_: str, __: Staging) -> list[Issue]:
    raise NotRunError("no time today")


def no_issue(_: str, __: Staging) -> list[Issue]:
    return ["wrong"]  # type: ignore[list-item]  # on purpose


@pytest.mark.promise("safe.not-run")
@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (crash, "it crashed: RuntimeError: out of luck"),
        (give_up, "no time today"),
        (no_issue, "it crashed: AttributeError: 'str' object has no attribute 'severity'"),
    ],
)
@pytest.mark.parametrize("required", [False, True])
def test_a_check_that_fails_is_never_a_pass_and_blocks_only_if_required(
    function: Callable[[str, Staging], list[Issue]], reason: str, *, required: bool
) -> None:
    report = run_checks(
        [subject([FileCheck(Check(function), required=required), FileCheck(Check(words))], after="y\n")], 5
    )
    assert reasons(report) == [reason]
    assert not report.passed()
    assert report.blocks() is required


@pytest.mark.promise("safe.not-run")
def test_errors_count_as_new_if_the_old_text_could_not_be_checked() -> None:
    def crash_on_old(text: str, staging: Staging) -> list[Issue]:
        return crash(text, staging) if "old" in text else words(text, staging)

    report = run_checks([subject([FileCheck(Check(crash_on_old))], "x\nold\n", "x\n")], 300)
    assert [problem.issue.message for problem in report.new] == ["x"]


@pytest.mark.promise("bound.validators")
def test_a_check_that_hangs_is_left_to_itself_after_its_own_time() -> None:
    over = threading.Event()
    waited: list[bool] = []

    def hang(_: str, __: Staging) -> list[Issue]:
        waited.append(over.wait(600))
        return []

    chosen = [FileCheck(Check(hang, "slow"), timeout_ms=100), FileCheck(Check(words), timeout_ms=200_000)]
    report = run_checks([subject(chosen)], 300)
    assert waited == []
    assert reasons(report) == ["it took longer than 0.1 s"]
    assert [problem.validator for problem in report.new] == ["check"]
    over.set()


@pytest.mark.promise("bound.validators")
def test_what_is_left_when_the_time_of_the_call_is_over_is_not_run(monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.monotonic()
    monkeypatch.setattr("suture.check.gate.monotonic", lambda: now)

    def slow(_: str, __: Staging) -> list[Issue]:
        nonlocal now
        now += 0.3
        return []

    subjects = [subject([FileCheck(Check(slow))], name=f"file{number}") for number in range(30)]
    report = run_checks(subjects, 0.5)
    assert 0 < len(report.not_run) < 30
    assert any("validate_call_ms" in reason for reason in reasons(report))


def test_files_are_checked_side_by_side() -> None:
    together = threading.Barrier(3)

    def meet(_: str, __: Staging) -> list[Issue]:
        together.wait(100)
        return []

    report = run_checks([subject([FileCheck(Check(meet), timeout_ms=200_000)], name=name) for name in "abc"], 300)
    assert report == Report(is_checked=True)


def test_a_severity_that_does_not_exist_is_reported() -> None:
    report = run_checks([subject([FileCheck(Check(lambda _, __: [Issue("fatal", 1, 1, "X", "no")]))])], 300)
    assert reasons(report) == ["it crashed: ValueError: fatal is not a severity; use error or warning"]


@pytest.mark.process
@pytest.mark.promise("bound.validators")
@pytest.mark.parametrize(
    ("name", "text", "seconds", "expected"),
    [
        ("a.json", "[" + "1," * 150_000 + "1]", 20, []),
        ("a.json", "[" + "1," * 150_000 + "]", 20, ["Illegal trailing comma before ']'"]),
        ("a.yaml", " " * 150_000 + "a: [", 1, "took longer than 1.0 s"),
    ],
)
def test_a_large_text_is_checked_in_a_process_that_can_be_ended(
    name: str, text: str, seconds: float, expected: list[str] | str
) -> None:
    chosen = Registry(Configuration(), "/nowhere", commands=False).checks_for(name)[:1]
    report = run_checks(
        [subject([check.evolve(timeout_ms=int(seconds * 1000)) for check in chosen], None, text, name)], 30
    )
    if isinstance(expected, str):
        assert expected in reasons(report)[0]
    else:
        assert [problem.issue.message for problem in report.new] == expected


def test_a_configured_severity_counts_and_places_are_made_sane() -> None:
    def misplace(_: str, __: Staging) -> list[Issue]:
        return [Issue("error", 0, -1, "X", "two\nlines")]

    report = run_checks([subject([FileCheck(Check(misplace), severity="warning")])], 300)
    assert report.new[0].issue == Issue("warning", 1, 1, "X", "two lines")
    assert not report.blocks()


@pytest.mark.promise("safe.not-run")
@pytest.mark.promise("bound.validators")
def test_a_check_that_finds_problems_without_end_is_not_run() -> None:
    def report_forever(_: str, __: Staging) -> Any:
        return (Issue("warning", n, 1, "X", "x") for n in count(1))

    report = run_checks([subject([FileCheck(Check(report_forever), required=True)])], 300)
    assert (reasons(report), report.blocks()) == (["it found more than 20,000 problems"], True)


@pytest.mark.promise("bound.validators")
def test_what_a_check_says_is_cut() -> None:
    def talkative(_: str, __: Staging) -> list[Issue]:
        return [Issue("error", 10**5_000, 10**5_000, "X" * 10_000, "x " * 1_000_000)]

    (problem,) = run_checks([subject([FileCheck(Check(talkative))])], 300).new
    assert (problem.issue.line, problem.issue.column) == (1 << 31, 1 << 31)
    assert (len(problem.issue.code), len(problem.issue.message)) == (100, 500)


@pytest.mark.promise("safe.not-run")
@pytest.mark.promise("bound.validators")
def test_plugins_that_hang_are_not_started_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "_MAX_HANGING", 2)
    goes_on = threading.Event()
    started: list[str] = []

    def hang(_: str, __: Staging) -> list[Issue]:
        started.append("")
        goes_on.wait()
        return []

    hanging = [FileCheck(Check(hang, f"hang{n}"), timeout_ms=1) for n in range(2)]
    try:
        assert len(reasons(run_checks([subject(hanging)], 300))) == 2
        messages = reasons(run_checks([subject([*hanging, FileCheck(Json())], after="[1,]")], 300))
        assert messages == ["2 earlier plugin checks are still running in this process"] * 2
        assert len(started) == 2
    finally:
        goes_on.set()
    for thread in gate._hanging_threads:
        thread.join()
    assert run_checks([subject([FileCheck(Check(words))], after="y\n")], 300).passed()


def test_of_very_many_problems_those_that_decide_are_kept() -> None:
    def finding(severity: str, number: int) -> Finding:
        return Finding("a", "check", Issue(severity, number, 1, "X", "x"))

    warnings = Report(new=tuple(finding("warning", n) for n in range(3)), not_run=(NotRun("a", "b", "c"),))
    errors = Report(new=(finding("error", 9),), not_run=(NotRun("a", "b", "d", required=True),))
    both = warnings.with_more(errors, 2)
    assert [problem.issue.line for problem in both.new] == [9, 0]
    assert warnings.with_more(errors, 1).not_run == errors.not_run
    assert warnings.with_more(errors, 4).new == (*warnings.new, *errors.new)
